"""Terms of the kernel as mathematics, in text, which proofs/show/markup.py writes as LaTeX.

Bound numbers are k1, k1', k2, ... by the height of their binder; in a product k + k' is the number
of factors less 1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from proofs.kernel.kernel_rules import Hypothesis, Thm
from proofs.kernel.numbers import Digit, Dim, Member, Nat, Poly, Sequence, nat
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, Pi, S, Sum, Term, Var, W, free


def equation(theorem: Thm, written: Callable[[Term], str] | None = None) -> str:
    """Return a theorem as an equation, after what it assumes, A ⊢ B, radices that divide a size
    among that; letters in parentheses behind an assumption are any there. `written` shows terms
    in another way.

    >>> from proofs.theorems import theorems
    >>> print(equation(theorems()["cooley-tukey"].prove()[0]))
    F_{r s} = (F_{r} ⊗ I_{s}) diag_{k2 < r, k1 < s} (w^{r^-1 s^-1 k1 k2}) (I_{r} ⊗ F_{s}) L^{r s}_{r}
    """  # noqa: E501
    term = written or shown
    given = sorted(f"{term(h.left)} = {term(h.right)}{_for_all(h)}" for h in theorem.hypotheses)
    given += [
        f"{dim(one.at(nat('i') + 1) / one.at(nat('i')))} | {dim(one.multiple)}"
        for one in free(theorem.left, theorem.right).values()
        if type(one) is Sequence and type(one.multiple) is Dim
    ]
    stated = f"{term(theorem.left)} = {term(theorem.right)}"
    return f"{'; '.join(given)} ⊢ {stated}" if given else stated


class Glossed:
    """A theorem, which shows what it says in the letters of its paper; what these mean follows in
    the gloss after a blank line.
    """

    name: str
    gloss: str

    def __repr__(self) -> str:
        return f"<theorem {self.name}: {self.gloss.splitlines()[0].replace('$', '')}>"


def _for_all(hypothesis: Hypothesis) -> str:
    general = sorted(name(x) for x in hypothesis.general)
    return f" ({', '.join(general)})" if general else ""


def unabbreviated(term: Term) -> str | None:
    """Return no letter for any term."""
    return None


def shown(term: Term, letter: Callable[[Term], str | None] = unabbreviated) -> str:
    """Return a term as mathematics; `letter` gives what is written for a term or for two
    neighbouring factors, None where they are written out.
    """

    def part(x: Term, *bare: type[Term]) -> str:
        return enclosed(x, letter, *bare)

    if found := letter(term):
        return found
    match term:
        case I() | F() | S() | W() | E() | Var():
            return _atom(term)
        case Kron(a, b):
            return f"{part(a)} ⊗ {part(b, Kron)}"
        case Mul(a, Mul(b, c)) if both := letter(Mul(a, b)):
            return f"{both} {part(c, Mul)}"
        case Mul(a, b):
            return f"{part(a)} {part(b, Mul)}"
        case Sum(summands):
            terms = (f"{_coefficient(re, im)}{part(x)}" for re, im, x in summands)
            return " + ".join(terms).replace("+ -", "- ")
        case Block() if of := diagonal(term, letter):
            digits = (f"{name(x.name)} < {dim(x.radix)}" for x in of[0])
            return f"diag_{{{', '.join(digits)}}} (w^{{{polynomial(of[1])}}})"
        case Block(x, body):
            return f"⊕_{{{name(x.name)} < {dim(x.radix)}}} {part(body, Block)}"
        case Pi(count, k, l, body):
            return f"∏_{{{name(k)} + {name(l)} = {natural(count - 1)}}} {part(body)}"
    raise TypeError(f"{term!r} is not a term")


def enclosed(
    term: Term, letter: Callable[[Term], str | None] = unabbreviated, *bare: type[Term]
) -> str:
    """Return a term as it stands in another one: in parentheses where it has several parts and is
    not of a kind that is bare there.
    """
    text = shown(term, letter)
    several = isinstance(term, Kron | Mul | Sum | Block | Pi) and not isinstance(term, bare)
    if not several or letter(term) or diagonal(term, letter):
        return text
    return f"({text})"


def diagonal(
    term: Term, letter: Callable[[Term], str | None] = unabbreviated
) -> tuple[tuple[Digit, ...], Poly] | None:
    """Return the digits and the phase of a diagonal in which no part has a letter, None for any
    other term.
    """
    match term:
        case Block(x, W(phase)):
            return (x,), phase
        case Block(x, body) if letter(body) is None and (inner := diagonal(body, letter)):
            return (x, *inner[0]), inner[1]
    return None


def _atom(term: I | F | S | W | E | Var) -> str:
    """Return a term without other terms in it as mathematics."""
    match term:
        case I(d):
            return f"I_{{{dim(d)}}}"
        case F(d, sign):
            return f"{'F' if sign == 1 else 'F̄'}_{{{dim(d)}}}"
        case S(u, t):
            return f"L^{{{dim(u * t)}}}_{{{dim(u)}}}"
        case E(rows, cols):
            return f"E_{{{dim(rows)},{dim(cols)}}}"
        case W(phase):
            return f"w^{{{polynomial(phase)}}}"
    return name(term.name)


def name(text: str) -> str:
    """Return a variable; bound numbers are #1, #1', .., variables of lemmas end in _."""
    if text == "alpha":
        return "α"
    return text.replace("#", "k") if text.startswith("#") else text.replace("_", "'")


def natural(x: Nat) -> str:
    """Return an exponent."""
    monomials = sorted(x.terms, key=lambda term: (not term[0], term))
    parts = [_multiple(c, [name(y) for y in names]) for names, c in monomials]
    return " + ".join(parts).replace("+ -", "- ") or "0"


def _multiple(c: int | Fraction, letters: list[str]) -> str:
    """Return a number times letters: 1 x is x, -1 x is -x."""
    if not letters or abs(c) != 1:
        return " ".join([str(c), *letters])
    return "-" * (c < 0) + " ".join(letters)


def dim(d: Dim) -> str:
    """Return a monomial of powers.

    >>> print(dim(Dim.of(12) * 2 ** nat("n")), dim(Dim.of(4)))
    3 2^{n + 2} 4
    """
    constant, others = Fraction(1), list[tuple[str, str]]()
    for base, e in d.powers:
        if type(base) is int and (number := _constant(e)) is not None:
            constant *= Fraction(base) ** number
        else:
            others.append((_base(base), natural(e)))
    parts = [str(constant)] * (constant != 1 or not others)
    return " ".join([*parts, *(_power(base, e) for base, e in sorted(others))])


def _power(base: str, e: str) -> str:
    if e == "1":
        return base
    return f"{base}^{e}" if e == "-1" else f"{base}^{{{e}}}"


def _constant(e: Nat) -> int | None:
    """Return an exponent that is a number, None for any other."""
    return sum(c for _, c in e.terms) if all(not names for names, _ in e.terms) else None


def _base(base: int | str | Member) -> str:
    if type(base) is not Member:
        return str(base)
    return f"{name(base.sequence.name)}_{{{natural(base.index)}}}"


def polynomial(p: Poly) -> str:
    """Return a phase; 1/2 2^-n is 2^(-n - 1).

    >>> from proofs.kernel.numbers import nat
    >>> print(polynomial(Poly.of(Fraction(-3, 2)) / 2 ** nat("n")))
    -3 2^{-n - 1}
    """
    found = []
    for (d, atoms), c in p.terms:
        rest, power = _joined(d, c)
        found.append(
            _multiple(rest, [dim(power)] * bool(power.powers) + [name(x.name) for x in atoms])
        )
    return " + ".join(sorted(found)).replace("+ -", "- ") or "0"


def _joined(d: Dim, c: Fraction) -> tuple[Fraction, Dim]:
    """Return a coefficient and powers of primes and symbols, what the coefficient has of these
    primes among the powers.
    """
    for p in sorted(base for base, _ in d.powers if isinstance(base, int)):
        while c.numerator % p == 0:
            c, d = c / p, d * p
        while c.denominator % p == 0:
            c, d = c * p, d / p
    return c, d


def _coefficient(re: Poly, im: Poly) -> str:
    """Return the number before a summand, with what stands between them; none for 1."""
    shown = number(re, im)
    if shown in ("1", "-1"):
        return shown.removesuffix("1")
    several = len(re.terms) > 1 and not im.terms
    return f"({shown}) " if several else f"{shown} "


def number(re: Poly, im: Poly) -> str:
    """Return a complex coefficient."""
    real, imaginary = polynomial(re), polynomial(im)
    if not im.terms:
        return real
    return f"({real} + ({imaginary}) i)" if re.terms else f"({imaginary}) i"
