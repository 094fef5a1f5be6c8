"""An equation as its author types it, in the letters in which proofs are shown."""

from __future__ import annotations

from typing import Any

from derive.text.expressions import Name, Number, Operation, Size, loose
from derive.text.syntax import (
    FACTORS,
    Added,
    Again,
    Applied,
    Beside,
    Defined,
    Leaf,
    Ordered,
    Power,
    Ranged,
    Scaled,
    Sides,
    Stacked,
    Text,
    Times,
    Variable,
    signed,
)

LETTERS = {"Gamma": "Γ", "AHat": "Â"}
RAISED = {"L", "T"}
"""Matrices whose first size stands above: L^{N}_{r}, T^{N}_{s}."""
APPLIED = {"inv": "^-1", "transpose": "^T", "conj": "^{*}"}


def in_letters(sides: Sides) -> str:
    """Return an equation in the letters of a proof.

    >>> from derive.text.parse import parse
    >>> print(in_letters(parse("F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)")))
    F_{r s} = (F_{r} ⊗ I_{s}) T^{r s}_{s} (I_{r} ⊗ F_{s}) L^{r s}_{r}
    >>> print(in_letters(parse("inv(F(2^n)) = prod(k, 0, n-1, I(2^k) (x) B(2^(n-k)))")))
    F_{2^{n}}^-1 = ∏_{k = 0}^{n - 1} (I_{2^{k}} ⊗ B_{2^{n - k}})
    """
    return f"{_text(sides.left)} = {_text(sides.right)}"


def _text(text: Text) -> str:
    match text:
        case Leaf(name, (first, *rest)) if name in RAISED:
            return f"{name}^{{{_size(first)}}}_{{{','.join(map(_size, rest))}}}"
        case Leaf(name, sizes):
            return f"{LETTERS.get(name, name)}_{{{','.join(map(_size, sizes))}}}"
        case Times(factors):
            return " ".join(_within(factor, FACTORS) for factor in factors)
        case Beside(operands):
            return " ⊗ ".join(_within(operand, FACTORS) for operand in operands)
        case Stacked(terms):
            return " ⊕ ".join(_within(term, Stacked | Added | Scaled) for term in terms)
        case Ordered(index, first, last, body):
            inner = _within(body, FACTORS)
            return f"∏_{{{index} = {_size(first)}}}^{{{_size(last)}}} {inner}"
        case Applied(name, of):
            return _within(of, FACTORS | Ordered | Applied | Power) + APPLIED[name]
        case Ranged(name, indices, of):
            digits = ", ".join(f"{index} < {_size(radix)}" for index, radix in indices)
            shown = f"w^{{{_size(of)}}}" if name == "diag" else _size(of)
            return f"{name}_{{{digits}}} ({shown})"
        case Defined() | Again():
            name = text.definition.name if isinstance(text, Defined) else text.name
            return f"{name}_{{{','.join(map(_size, text.arguments))}}}"
        case Variable(name):
            return name
        case Added(terms):
            return _within(terms[0], Added) + "".join(map(_added, terms[1:]))
        case Scaled(by, imaginary, of):
            number = f"({_size(by)})" if loose(by) else _size(by)
            unit = {"1": "i", "-1": "-i"}.get(number, f"{number} i")
            return f"{unit if imaginary else number} {_within(of, Stacked | Added | Scaled)}"
        case Power(of, exponent):
            return f"{_within(of, FACTORS | Ordered | Applied | Power)}^{{{_size(exponent)}}}"


def _added(term: Text) -> str:
    sign, shown = signed(term)
    return f" {sign} {_within(shown, Added)}"


def _within(text: Text, looser: Any) -> str:
    return f"({_text(text)})" if isinstance(text, looser) else _text(text)


def _size(size: Size) -> str:
    match size:
        case Number() | Name():
            return str(size)
        case Operation("^", left, right):
            base = f"({_size(left)})" if isinstance(left, Operation) else _size(left)
            return f"{base}^{{{_size(right)}}}"
        case Operation("-", Number(0), right):
            return f"-{_part(right)}"
        case Operation("*" | "/" as sign, left, right):
            return f"{_part(left)}{' ' if sign == '*' else '/'}{_part(right, sign == '/')}"
        case Operation(sign, left, right):
            return f"{_size(left)} {sign} {_part(right)}"


def _part(size: Size, divisor: bool = False) -> str:
    """Return a size as a factor: a sum in parentheses, a divisor that is a product, too."""
    loose = "+-*/" if divisor else "+-"
    return f"({_size(size)})" if isinstance(size, Operation) and size.sign in loose else _size(size)
