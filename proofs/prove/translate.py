"""From formula text to terms of the kernel: sizes with symbols become monomials of powers, a prod
becomes a Pi. Not trusted.

A symbol in an exponent or in the bounds of a prod is a natural, one in an alpha a real, any other a
size. No variable is divided: where N/r has to be whole, N = r N' with a new N', and where 2^(n-1)
has to be, n = n' + 1 (`repairs` keeps this).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from derive.text.sorts import naturals_and_reals
from derive.text.syntax import (
    Applied,
    Beside,
    Leaf,
    Name,
    Number,
    Operation,
    Ordered,
    Sides,
    Size,
    Stacked,
    Text,
    Times,
    parts_of,
    size_symbols,
    sizes_of,
    symbols,
)
from derive.text.tokens import MATRICES
from proofs.kernel.rules import reversing
from proofs.kernel.sizes import ONE, Digit, Dim, Nat, Poly, Real, nat, size
from proofs.kernel.terms import Block, F, I, Kron, Mul, S, Sum, Term, W, free, substitute
from proofs.prove.divisibility import ways
from proofs.prove.tactics import blocks, diagonal, kron, mul, power_of, tower
from proofs.theorems import bsp, hartley

MOST_FACTORS = 16
"""A product with a number of factors that is no symbol may have so many."""
MOST_REPAIRS = 12
ZERO, NONE, TWO = Poly.of(0), Nat.of(0), Dim.of(2)
ALONE = Poly.of(1)


class Inexpressible(ValueError):
    """The kernel has no term for this formula. Nothing is said of its truth."""


class Ambiguous(Inexpressible):
    """A size is whole in several ways; another size may leave one."""

    def __init__(self, found: Dim, conditions: Sequence[str] = ()) -> None:
        such_as = " or ".join(conditions) or "N = r*s"
        super().__init__(
            f"{found} is not whole for all values of its symbols: state what divides what by"
            f" --where, such as {such_as}"
        )
        self.size = found


class Repair(Exception):
    """A size is whole only if a symbol is replaced."""

    def __init__(self, name: str, by: Nat | Dim) -> None:
        super().__init__(name)
        self.name, self.by = name, by


@dataclass
class Translator:
    """Turns texts into terms; `values` says what each symbol stands for, a Nat, a Dim or a Poly."""

    values: dict[str, Any]
    counts: list[tuple[Nat, Nat]] = field(default_factory=list)
    """Inside products: a number of factors that is no single symbol, and k + l + 1."""

    def nat(self, part: Size) -> Nat:
        """Return an exponent; it may be negative here."""
        match part:
            case Number(number):
                return Nat.of(number)
            case Name(name) if type(self.values[name]) is Nat:
                return self.values[name]
            case Operation("+", left, right):
                return self.nat(left) + self.nat(right)
            case Operation("-", left, right):
                return self.nat(left) - self.nat(right)
            case Operation("*", left, right):
                return self.nat(left) * self.nat(right)
        raise Inexpressible(f"column {part.column}: {part} is no polynomial in natural symbols")

    def dim(self, part: Size) -> Dim:
        """Return a size; it may be a fraction here."""
        match part:
            case Number(number) if number >= 1:
                return Dim.of(number)
            case Name(name) if type(self.values[name]) is Dim:
                return self.values[name]
            case Operation("*", left, right):
                return self.dim(left) * self.dim(right)
            case Operation("/", left, right):
                return self.dim(left) / self.dim(right)
            case Operation("^", left, right):
                return power_of(self.dim(left), self.nat(right))
        raise Inexpressible(
            f"column {part.column}: {part} is no product of powers: the kernel knows no sums of"
            " sizes, and no natural as a size"
        )

    def whole(self, part: Size | Dim) -> Dim:
        """Return a size that is whole for all values of its symbols; Repair where another choice of
        symbols makes it so.
        """
        found = part if isinstance(part, Dim) else self.dim(part)
        for count, value in self.counts:
            found = Dim(
                frozenset(
                    (base, e)
                    for base, before in found.powers
                    if (e := _counted(before, count, value))
                )
            )
        if not found.whole:
            _repair(found)
        return found

    def alpha(self, part: Size) -> Poly:
        """Return a real number."""
        match part:
            case Number(number):
                return Poly.of(number)
            case Name(name):
                found = self.values[name]
                return found if type(found) is Poly else Poly.of(self.dim(part))
            case Operation("+", left, right):
                return self.alpha(left) + self.alpha(right)
            case Operation("-", left, right):
                return self.alpha(left) - self.alpha(right)
            case Operation("*", left, right):
                return self.alpha(left) * self.alpha(right)
            case Operation("/", left, right):
                return self.alpha(left) / self.dim(right)
        return Poly.of(self.dim(part))

    def term(
        self, text: Text, turned: bool = False, conj: bool = False, inverse: bool = False
    ) -> Term:
        """Return a text as a term, transposed, conjugated, or divided by what its product with its
        adjoint is.

        Raises Inexpressible where there is no term, Repair where a symbol has to be replaced.
        """
        inner = partial(self.term, turned=turned, conj=conj, inverse=inverse)
        match text:
            case Leaf():
                return self.leaf(text, turned, conj, inverse)
            case Times(factors):
                return mul(*map(inner, factors[::-1] if turned else factors))
            case Beside(operands):
                return kron(*map(inner, operands))
            case Stacked(terms):
                return _stacked([inner(term) for term in terms], text)
            case Ordered():
                return self.ordered(text, turned, inner)
            case Applied("transpose", of):
                return self.term(of, not turned, conj, inverse)
            case Applied("conj", of):
                return self.term(of, turned, not conj, inverse)
            case Applied(_, of):
                return self.term(of, not turned, not conj, not inverse)
        raise TypeError(f"{text!r} is no text")

    def ordered(self, text: Ordered, turned: bool, inner: Callable[[Text], Term]) -> Term:
        """Return A(a) A(a + 1) ... A(b): in the factor with k after it and l before it the index is
        a + l.
        """
        first = self.nat(text.first)
        count = self.nat(text.last) - first + 1
        if not free(count):
            return self.multiplied(
                text, first, max(sum(c for _, c in count.terms), 0), turned, inner
            )
        if not count.natural:
            raise Inexpressible(
                f"column {text.column}: the product has {count} factors: state by --where that this"
                " is not negative"
            )
        before = dict(self.values)

        def body(k: Nat, l: Nat) -> Term:
            counted = _linear(count)
            if counted:
                others = count - nat(counted)
                self.values = {
                    name: _put(value, counted, k + l + 1 - others) for name, value in before.items()
                }
            start = _put(first, counted, k + l + 1 - others) if counted else first
            self.values[text.index] = start + (k if turned else l)
            self.counts += [] if counted else [(count, k + l + 1)]
            try:
                return inner(text.body)
            finally:
                self.values = dict(before)
                self.counts = self.counts[: len(self.counts) - (not counted)]

        return tower(count, body)

    def multiplied(
        self, text: Ordered, first: Nat, count: int, turned: bool, inner: Callable[[Text], Term]
    ) -> Term:
        """Return a product of a number of factors that is no symbol, factor by factor."""
        if count > MOST_FACTORS:
            raise Inexpressible(
                f"column {text.column}: the product has {count} factors: at most {MOST_FACTORS} are"
                " multiplied out in a proof"
            )
        before, found = dict(self.values), []
        for i in range(max(count, 1)):
            self.values = before | {text.index: first + i}
            found.append(inner(text.body))
        self.values = before
        if count == 0:
            return I(found[0].shape[0])
        return mul(*(found[::-1] if turned else found))

    def leaf(self, text: Leaf, turned: bool, conj: bool, inverse: bool) -> Term:
        """Return a matrix."""
        sizes = [
            (
                self.alpha(one)
                if letter == "alpha?"
                else self.nat(one)
                if (text.name, letter) == ("LH", "s")
                else self.whole(one)
            )
            for letter, one in zip(MATRICES[text.name], text.sizes, strict=False)
        ]
        found, norm = LEAVES[text.name](self, text, sizes, turned, -1 if conj else 1)
        return Sum(((ALONE / norm, ZERO, found),)) if inverse and norm != ONE else found


def _put(value: Any, name: str, by: Nat) -> Any:
    return substitute(value, {name: by}) if type(value) in (Nat, Dim, Poly) else value


def _linear(count: Nat) -> str:
    """Return a symbol that occurs once in a number of factors, with the coefficient 1; "" where
    there is none.
    """
    for names, c in sorted(count.terms):
        if (
            len(names) == 1
            and c == 1
            and sum(names[0] in others for others, _ in count.terms) == 1
            and names[0].isidentifier()
        ):
            return names[0]
    return ""


def _counted(exponent: Nat, count: Nat, value: Nat) -> Nat:
    """Return an exponent with a multiple of a number of factors, such as 2n, replaced: what of it
    grows is a multiple of what grows in it.

    >>> print(_counted(nat("n") * 4, nat("n") * 2 + 1, nat("k") + nat("l") + 1))
    2*l+2*k
    """
    names, c = min((term for term in count.terms if term[0]), key=lambda term: (len(term[0]), term))
    times, rest = divmod(dict(exponent.terms).get(names, 0), c)
    return exponent if rest else exponent + (value - count) * times


def _repair(found: Dim) -> None:
    """Raise Repair with the replacement that makes a size whole and leaves out no whole value,
    Inexpressible where there is none.

    That is clear where one symbol only stands above the line, and no number that could share a
    divisor with what stands below it.
    """
    above = [
        (base, name)
        for base, e in found.powers
        for names, c in e.terms
        if c > 0
        for name in ([base] if isinstance(base, str) else names)
    ]
    symbols = {name for _, name in above}
    if len(symbols) == 1:
        (name,) = symbols
        if name in dict(found.powers):
            below = Dim(
                frozenset(
                    (base, e * -1) for base, e in found.powers if base != name and not e.natural
                )
            )
            if found * below == size(name) and below.whole:
                raise Repair(name, below * size(name))
        else:
            for base, e in found.powers:
                low = e - nat(name)
                alone = isinstance(base, int) or len(found.powers) == 1
                if (
                    alone
                    and not e.natural
                    and ((name,), 1) in e.terms
                    and (low * -1).natural
                    and name not in {x for names, _ in low.terms for x in names}
                ):
                    raise Repair(name, nat(name) - low)
    raise Ambiguous(found)


def _stacked(terms: list[Term], text: Stacked) -> Term:
    """Return a direct sum: of equal terms, or of two of one shape by the projectors (1 ± diag(1,
    -1))/2.
    """
    if all(term == terms[0] for term in terms):
        return Kron(I(Dim.of(len(terms))), terms[0])
    if len(terms) != 2 or terms[0].shape != terms[1].shape:
        raise Inexpressible(
            f"column {text.column}: {text}: the kernel has direct sums of equal terms, or of two of"
            " one size"
        )
    upper, lower = terms
    digits = _digits(lower) or _digits(upper)
    phases = [_phase(term, digits) for term in terms]
    if phases[0] is not None and phases[1] is not None:
        one, other = phases[0], phases[1]
        return blocks(TWO, lambda b: _diagonal(digits, one + (other - one) * b))
    half, sign = Poly.of(Fraction(1, 2)), diagonal((TWO,), lambda b: b / 2)
    return Sum(
        (
            (half, ZERO, Kron(I(TWO), upper)),
            (half, ZERO, Kron(sign, upper)),
            (half, ZERO, Kron(I(TWO), lower)),
            (half * -1, ZERO, Kron(sign, lower)),
        )
    )


def _digits(term: Term) -> tuple[Digit, ...]:
    """Return the digits of a diagonal that is written as a direct sum."""
    return (term.index, *_digits(term.body)) if isinstance(term, Block) else ()


def _phase(term: Term, digits: tuple[Digit, ...]) -> Poly | None:
    """Return the phase of a diagonal in these digits, None where it is none in them."""
    match term:
        case I():
            return ZERO
        case W(phase):
            return phase if not digits else None
        case Block(x, body) if digits and x == digits[0]:
            return _phase(body, digits[1:])
    return None


def _diagonal(digits: tuple[Digit, ...], phase: Poly) -> Term:
    return Block(digits[0], _diagonal(digits[1:], phase)) if digits else W(phase)


Made = tuple[Term, Dim]
"""A matrix, and the multiple of I that it makes with its adjoint."""


def _fourier(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    return F(sizes[0], sign), sizes[0]


def _hartley(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    return hartley.hartley(sizes[0]), sizes[0]


def _identity(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    return I(sizes[0]), ONE


def _flip(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    return reversing(sizes[0]), ONE


def _bit_reversal(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    (N,) = sizes
    (base, exponent), *more = list(N.powers) or [(2, NONE)]
    if not more and isinstance(base, str) and exponent == Nat.of(1):
        raise Repair(base, 2 ** nat(f"lg_{base}" + "_" * (f"lg_{base}" in self.values)))
    if more or base != 2:
        raise Inexpressible(f"column {text.column}: {text} takes a power of two")
    return bsp.reversal(exponent), ONE


def _stride(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    N, r = sizes if text.name == "L" else sizes[::-1]
    t = self.whole(N / r)
    return (S(t, r) if turned else S(r, t)), ONE


def _gamma(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    u, p, N = sizes
    found = _gamma_of(self.whole(p / u), u, self.whole(N / p))
    return (_gamma_of(self.whole(p / u), self.whole(N / p), u) if turned else found), ONE


def _gamma_of(r: Dim, u: Dim, n: Dim) -> Term:
    return bsp.gamma(u, r, n)


def _twiddle(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    N, s = sizes
    return bsp.twiddle(self.whole(N / s), s, sign), ONE


def _omega(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    h, alpha = sizes[0], sizes[1] if len(sizes) > 1 else ZERO
    return diagonal((h,), lambda j: (j + alpha) * sign / (h * 2)), ONE


def _turned(factors: tuple[Term, ...], turned: bool) -> Term:
    """Return a product of symmetric factors, transposed or not."""
    return mul(*(factors[::-1] if turned else factors))


def _halves(h: Dim, alpha: Poly, turned: bool, sign: int) -> Term:
    plain = bsp.butterfly(h, alpha, sign)
    return _turned((plain.left, plain.right), turned) if isinstance(plain, Mul) else plain


def _butterfly(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    h, alpha = self.whole(sizes[0] / 2), sizes[1] if len(sizes) > 1 else ZERO
    return _halves(h, alpha, turned, sign), TWO


def _butterfly4(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    q, alpha = self.whole(sizes[0] / 4), sizes[1] if len(sizes) > 1 else ZERO
    return _turned(
        (_halves(q * 2, alpha, turned, sign), Kron(I(TWO), _halves(q, alpha, turned, sign))), turned
    ), Dim.of(4)


def _stage(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    K, N, alpha = sizes[0], sizes[1], sizes[2] if len(sizes) > 2 else ZERO
    return Kron(I(self.whole(N / K)), _halves(self.whole(K / 2), alpha, turned, sign)), TWO


def _hat(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    k, u, p, N = sizes
    r, n = self.whole(p / u), self.whole(N / p)
    self.whole(n / k)
    stage = Kron(I(self.whole(N / (k * u))), _halves(self.whole(k * u / 2), ZERO, turned, sign))
    return mul(_gamma_of(r, u, n), stage, _gamma_of(r, n, u)), TWO


def _groups(self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int) -> Made:
    k, n, u = sizes
    c, h = self.whole(n / k), self.whole(k / 2)
    return blocks(u, lambda s: Kron(I(c), _halves(h, s / u, turned, sign))), TWO


def _hartley_butterfly(
    self: Translator, text: Leaf, sizes: list[Any], turned: bool, sign: int
) -> Made:
    K = sizes[0] if text.name == "BH" else 2 ** sizes[0]
    if turned:
        raise Inexpressible(
            f"column {text.column}: {text}: the transposed Hartley butterfly has no term"
        )
    found = hartley.butterfly(self.whole(K / 2))
    return (found if text.name == "BH" else Kron(I(self.whole(sizes[1] / K)), found)), TWO


LEAVES: dict[str, Callable[[Translator, Leaf, list[Any], bool, int], Made]] = {
    "I": _identity,
    "F": _fourier,
    "H": _hartley,
    "J": _flip,
    "R": _bit_reversal,
    "L": _stride,
    "S": _stride,
    "T": _twiddle,
    "Gamma": _gamma,
    "Omega": _omega,
    "B": _butterfly,
    "D": _butterfly4,
    "A": _stage,
    "AHat": _hat,
    "ButterflySum": _groups,
    "BH": _hartley_butterfly,
    "LH": _hartley_butterfly,
}


@dataclass(frozen=True)
class Translated:
    """Two terms, and what the symbols of the text stand for in them where that is not
    themselves.
    """

    left: Term
    right: Term
    repairs: tuple[tuple[str, str], ...]


def translate(
    sides: Sides, lower: dict[str, int] | None = None, above: dict[str, Size] | None = None
) -> Translated:
    """Return the sides of an equation as terms; `lower` bounds naturals from below, `above` by a
    sum of other naturals.

    Raises Inexpressible where the kernel has no terms for them.

    >>> from derive.text.parse import parse
    >>> translate(parse("F(N) = F(r) (x) I(N/r) * T(N,N/r) * I(r) (x) F(N/r) * L(N,r)")).repairs
    (('N', 'N*r'),)
    """
    naturals, reals = naturals_and_reals(sides)
    names = size_names(sides)
    values: dict[str, Any] = {name: size(name) for name in names}
    values |= {name: nat(name) + (lower or {}).get(name, 0) for name in naturals} | {
        name: Poly.of(Real(name)) for name in reals
    }
    for name, bound in (above or {}).items():
        values = _raised(values, name, bound) if name in naturals else values
    for _ in range(MOST_REPAIRS):
        translator = Translator(dict(values))
        try:
            left, right = _both(translator, sides)
        except Repair as repair:
            values = {
                name: substitute(value, {repair.name: repair.by}) for name, value in values.items()
            }
            continue
        except Ambiguous as error:
            own = {
                name
                for name in symbols(sides.left) | symbols(sides.right)
                if values[name] in (size(name), nat(name))
            }
            raise Ambiguous(error.size, ways(error.size, own)) from error
        changed = tuple(
            (name, str(value))
            for name, value in sorted(values.items())
            if name in names | naturals and type(value) is not Poly and str(value) != name
        )
        return Translated(left, right, changed)
    raise Inexpressible(
        f"more than {MOST_REPAIRS} symbols had to be replaced so that sizes are whole"
    )


def _raised(values: dict[str, Any], name: str, bound: Size) -> dict[str, Any]:
    """Return values with bound + name for a natural that is at least so large; as they are where
    the bound is no natural without it.

    A condition that is left out only leaves more to prove.
    """
    try:
        least = Translator(values).nat(bound)
    except (Inexpressible, KeyError):
        return values
    if (
        not least.natural
        or name in free(least)
        or any(name in free(value) for other, value in values.items() if other != name)
    ):
        return values
    return values | {name: nat(name) + least}


def _both(translator: Translator, sides: Sides) -> tuple[Term, Term]:
    """Return both sides; where a size of the left one is ambiguous, one of the right one may need a
    repair that decides.
    """
    try:
        left = translator.term(sides.left)
    except Ambiguous:
        translator.term(sides.right)
        raise
    return left, translator.term(sides.right)


def size_names(sides: Sides) -> set[str]:
    """Return all symbols of an equation, indices of products among them."""

    def of(text: Text) -> set[str]:
        inner = {name for part in parts_of(text) for name in of(part)}
        return {name for one in sizes_of(text) for name in size_symbols(one)} | inner

    return of(sides.left) | of(sides.right)
