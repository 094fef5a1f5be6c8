"""Sizes, phases and terms of the kernel as Coq text, in the notation of Kernel.v."""

from __future__ import annotations

import re
from fractions import Fraction
from math import prod
from typing import Any

from proofs.kernel.numbers import ONE, Digit, Dim, Nat, Poly, Real
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, Pi, S, Sum, Term, Var, W

LARGEST_NUMERAL = 2**10
TAKEN = [
    "K",
    "R",
    "I",
    "W",
    "S",
    "O",
    "F",
    "Fourier",
    "Fourier_bar",
    "Ones",
    "tensor",
    "direct",
    "scaled",
    "added",
    "complex",
    "eqm",
    "same",
    "act",
    "root",
    "num",
    "inj",
    "turn",
    "ring",
    "sum",
    "pow",
    "mmul",
    "Id",
    "Sh",
    "Pi",
    "kron",
    "blocks",
    "diagonal",
    "shuffle",
    "meq",
    "mat",
    "zero",
    "one",
    "plus",
    "times",
    "minus",
    "opp",
    "digits",
    "size",
    "merge",
    "ones",
    "bound",
    "below",
    "phase",
    "phases",
    "positive",
    "exponents",
    "numbers",
    "geometric",
    "t0",
    "t1",
    "nat",
    "Type",
    "Prop",
    "Set",
    "at",
    "in",
    "as",
    "fun",
    "forall",
    "exists",
    "let",
    "if",
    "then",
    "else",
    "match",
    "with",
    "end",
    "return",
    "fix",
    "cofix",
    "using",
    "where",
    "for",
    "mod",
    "le",
    "lt",
    "gt",
    "ge",
    "eq",
    "ex",
    "and",
    "or",
    "not",
    "iff",
    "conclude",
    "below_cast",
    "copies",
]
"""Names that mean something else in these files."""
OURS = re.compile(r"[abHiw][0-9_].*|go_.*|r_.*|same_.*|H[A-Za-z]?")


def name(text: str) -> str:
    """Return the name of a variable in Coq.

    >>> name("#2'"), name("k"), name("root"), name("α")
    ("b2'", 'k', 'v_root', 'v_u3b1_')

    Names that begin with # are bound in a term, those with ~ in a path sum.
    """
    if text[0] in "#~":
        return ("b" if text[0] == "#" else "") + text[1:]
    plain = "".join(c if c.isascii() else f"u{ord(c):x}_" for c in text)
    taken = plain in TAKEN or OURS.fullmatch(plain) or plain.startswith(("v_", "_"))
    return f"v_{plain}" if taken or plain != text else plain


def natural(x: Nat) -> str:
    """Return a natural number: 2 n + 1 as n + n + 1."""
    return (
        " + ".join(
            " * ".join(map(name, names)) if names else str(c)
            for names, c in sorted(x.terms, reverse=True)
            for _ in range(c if names else 1)
        )
        or "0"
    )


def _power(base: int | str, exponent: Nat) -> str:
    one = name(base) if isinstance(base, str) else str(base)
    constant = dict(exponent.terms).get((), 0)
    if exponent == Nat.of(1):
        return one
    if exponent == Nat.of(constant) and isinstance(base, int) and base**constant < LARGEST_NUMERAL:
        return str(base**constant)
    return f"{one} ^ ({natural(exponent)})"


def size(d: Dim) -> str:
    """Return a size as a product of powers."""
    return " * ".join(_power(*power) for power in _sorted(d)) or "1"


def _sorted(d: Dim) -> list[tuple[Any, Nat]]:
    return sorted(d.powers, key=lambda power: str(power[0]))


def factor(d: Dim) -> str:
    """Return a size that stands in a product or as an argument."""
    text = size(d)
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def _signed(d: Dim) -> tuple[list[str], list[str]]:
    """Return what stands above and below the line of a Dim."""
    above: list[str] = []
    below: list[str] = []
    for base, exponent in _sorted(d):
        for sign, side in ((1, above), (-1, below)):
            part = Nat(frozenset((m, sign * c) for m, c in exponent.terms if sign * c > 0))
            if part:
                side.append(f"[{_power(base, part)}]")
    return above, below


def phase(p: Poly) -> str:
    """Return a real number, in the scope of turns."""
    return (
        " + ".join(
            f"- ({text})" if c < 0 else text
            for (d, atoms), c in sorted(p.terms, key=str_of)
            for text in [_monomial(d, atoms, abs(c))]
        )
        or "0"
    )


def str_of(term: tuple[tuple[Dim, tuple[Digit | Real, ...]], Fraction]) -> tuple[str, ...]:
    """Return what summands are sorted by."""
    (d, atoms), c = term
    return (str(d), *(x.name for x in atoms), str(c))


def _monomial(d: Dim, atoms: tuple[Digit | Real, ...], c: Fraction) -> str:
    above, below = _signed(d)
    above += [name(x.name) if isinstance(x, Real) else f"[{name(x.name)}]" for x in atoms]
    above += [f"[{c.numerator}]"] if c.numerator != 1 or not above else []
    below += [f"[{c.denominator}]"] if c.denominator != 1 else []
    text = " * ".join(above)
    return f"{text} / ({' * '.join(below)})" if below else text


def integer(p: Poly) -> tuple[str, str]:
    """Return the positive and the negative part of an integer, as natural numbers."""
    sides: tuple[list[str], list[str]] = ([], [])
    for (d, atoms), c in sorted(p.terms, key=str_of):
        factors = [str(abs(c))] * (abs(c) != 1) + [factor(d)] * (d != ONE)
        factors += [name(x.name) for x in atoms]
        sides[c < 0].append(" * ".join(factors) or "1")
    return " + ".join(sides[0]) or "0", " + ".join(sides[1]) or "0"


def number(re_: Poly, im: Poly) -> str:
    """Return a complex number."""
    return f"complex ({phase(re_)}) ({phase(im)})"


def term(x: Term) -> str:
    """Return a matrix.

    >>> from proofs.kernel.numbers import Dim
    >>> term(Kron(I(Dim.of(2)), S(Dim.of(2), Dim.of(3))))
    '(tensor (2 * 3) (2 * 3) (I 2) (Sh 2 3))'
    """
    match x:
        case I(d):
            return f"(I {factor(d)})"
        case F(d, sign):
            return f"(Fourier{'_bar' * (sign < 0)} {factor(d)})"
        case E():
            return "Ones"
        case S(u, t):
            return f"(Sh {factor(u)} {factor(t)})"
        case W(p):
            return f"(W ({phase(p)}))"
        case Kron(a, b):
            return f"(tensor {shape(b)} {term(a)} {term(b)})"
        case Mul(a, b):
            return f"(mmul {factor(a.shape[1])} {term(a)} {term(b)})"
        case Block(index, body):
            return f"(direct {shape(body)} (fun {name(index.name)} => {term(body)}))"
        case Pi(count, k, l, body):
            names = f"{name(k)} {name(l)}"
            return f"(Pi {factor(x.shape[0])} ({natural(count)}) 0 (fun {names} => {term(body)}))"
        case Sum(summands):
            return _sum([f"(scaled ({number(re_, im)}) {term(a)})" for re_, im, a in summands])
        case Var(letter):
            return name(letter)
    raise Refused(f"{x} is not a term")


def _sum(summands: list[str]) -> str:
    head, *rest = summands
    return f"(added {head} {_sum(rest)})" if rest else head


def shape(x: Term) -> str:
    """Return rows and columns as two arguments."""
    return " ".join(map(factor, x.shape))


def index(digits: list[Digit]) -> str:
    """Return the number that digits make up, the most significant first.

    >>> from proofs.kernel.numbers import Dim
    >>> index([Digit(x, Dim.of(5)) for x in "pqr"])
    '(p * 5 + q) * 5 + r'
    """
    if not digits:
        return "0"
    *high, last = digits
    if not high:
        return name(last.name)
    above = index(high)
    return f"{above if len(high) == 1 else f'({above})'} * {factor(last.radix)} + {name(last.name)}"


def value(digits: list[Digit]) -> Poly:
    """Return the same number as a polynomial."""
    total = Poly.of(0)
    for x in digits:
        total = total * x.radix + x
    return total


def radix(digits: list[Digit]) -> Dim:
    """Return the number of values of digits."""
    return prod((x.radix for x in digits), start=ONE)


def respelled(text: str, names: dict[str, str]) -> str:
    """Return a text with other names, all else as it is.

    >>> respelled("[a] * [ab]", {"a": "b"})
    '[b] * [ab]'
    """
    return re.sub(r"[\w']+", lambda word: names.get(word[0], word[0]), text)
