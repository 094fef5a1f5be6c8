"""The papers' letters for terms of the kernel that have one: what a proof that is printed
abbreviates.

B_{2h}^α   butterfly (1.11)      A..A = R_N^α   all stages      P_N   bit reversal      T^{rs}_s   twiddle factors
H_N        Hartley matrix        BH_{2h}        [[I, T], [I, -T]] of Figure 1; conjugates have a bar
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from proofs.kernel.numbers import ONE, Dim, Nat, Poly, Real, nat, size
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Block, F, Kron, Mul, Pi, Sum, Term, W, substitute
from proofs.lemmas import fourier_stages, hartley_stages
from proofs.theorems.notation import dim, polynomial, shown

TWO, ZERO = Dim.of(2), Poly.of(0)
BAR = "\u0304"
ALPHA = Poly.of(Real("alpha"))


@dataclass(frozen=True)
class Letter:
    """A letter with its sizes: what is printed, and which definition explains it."""

    kind: str
    sizes: tuple[Dim, ...]
    alpha: Poly = ZERO
    sign: int = 1

    def text(self) -> str:
        bar = "" if self.sign == 1 else BAR
        first, *others = (dim(d) for d in self.sizes)
        if self.kind == "T":
            return f"T{bar}^{{{first}}}_{{{others[0]}}}"
        above = (
            f"^{{{polynomial(self.alpha)}}}"
            if self.kind in ("B", "R") and self.alpha != ZERO
            else ""
        )
        return f"{self.kind}{bar}_{{{first}}}{above}"


@cache
def letter(term: Term) -> Letter | None:
    """Return the letter of a term, None for a term without one.

    >>> letter(fourier_stages.butterfly(size("h"))).text()
    'B_{2 h}'
    """
    match term:
        case Pi(count, _, _, _):
            return _of_tower(term, count)
        case Mul(Kron(F(d, sign), _), right) if d == TWO:
            return (
                _of_butterfly(term, term.shape[0] / 2, sign)
                if isinstance(right, Block)
                else _of_hartley_butterfly(term)
            )
        case Block(x, Block(y, W())):
            found = (
                sign for sign in (1, -1) if term == fourier_stages.twiddle(x.radix, y.radix, sign)
            )
            return next(
                (Letter("T", (x.radix * y.radix, y.radix), sign=sign) for sign in found), None
            )
        case Sum((_, (_, _, F(d)))) if term == hartley_stages.hartley(d):
            return Letter("H", (d,))
    return None


def _of_tower(term: Term, count: Nat) -> Letter | None:
    if term == fourier_stages.reversal(count):
        return Letter("P", (2**count,))
    for alpha in (ZERO, ALPHA):
        for sign in (1, -1):
            if term == fourier_stages.stages(count, alpha, sign):
                return Letter("R", (2**count,), alpha, sign)
    return None


def _of_butterfly(term: Mul, h: Dim, sign: int) -> Letter | None:
    weights = term.right
    if not (
        isinstance(weights, Block)
        and isinstance(weights.body, Block)
        and isinstance(weights.body.body, W)
        and h.whole
    ):
        return None
    first, second, phase = weights.index.name, weights.body.index.name, weights.body.body.phase
    alpha = substitute(phase, {first: Poly.of(1), second: ZERO}) * h * 2 * sign
    return (
        Letter("B", (h * 2,), alpha, sign)
        if term == fourier_stages.butterfly(h, alpha, sign)
        else None
    )


def _of_hartley_butterfly(term: Mul) -> Letter | None:
    h = term.shape[0] / 2
    # a bound number in h may have the name of a binder in BH: then the term has no such binder, and
    # is no BH
    with suppress(Refused):
        return Letter("BH", (h * 2,)) if h.whole and term == hartley_stages.butterfly(h) else None
    return None


def definitions() -> dict[str, str]:
    """Return what the letters stand for, by kind, as the kernel has it."""
    n, h, r, s, N = nat("n"), size("h"), size("r"), size("s"), size("N")
    kinds: dict[str, tuple[Letter, Term]] = {
        "B": (Letter("B", (h * 2,), ALPHA), fourier_stages.butterfly(h, ALPHA)),
        "R": (Letter("R", (2**n,), ALPHA), fourier_stages.stages(n, ALPHA)),
        "P": (Letter("P", (2**n,)), fourier_stages.reversal(n)),
        "T": (Letter("T", (r * s, s)), fourier_stages.twiddle(r, s)),
        "H": (Letter("H", (N,)), hartley_stages.hartley(N)),
        "BH": (Letter("BH", (h * 2,)), hartley_stages.butterfly(h)),
    }
    return {kind: f"{found.text()} = {shown(term)}" for kind, (found, term) in kinds.items()}


Abbreviation = Callable[[Term], str | None]


def abbreviating(used: set[str]) -> Abbreviation:
    """Return what gives terms their letters, and notes which are used."""

    def found(term: Term) -> str | None:
        known = letter(term) if term.shape[0] != ONE else None
        if known:
            used.add(known.kind)
        return known.text() if known else None

    return found
