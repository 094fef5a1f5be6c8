"""What a theorem is claimed to be when an equation as text is proved: the substitution of its
translation, in a form that the second reading compares (proofs/meaning).
"""

from __future__ import annotations

from collections.abc import Mapping

from derive.call_arguments import named
from derive.text.expressions import Name, Size, size_replaced, size_symbols
from derive.text.sorts import rationals, sizes_and_naturals
from derive.text.syntax import Sides
from proofs.kernel.kernel_rules import Thm
from proofs.meaning.claims import Claim, Parts
from proofs.meaning.comparison import compare
from proofs.prove.conditions import Condition, above, lower, put_in
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.splits import Index, Split, Splitting
from proofs.prove.translation.symbols import Symbols
from proofs.prove.translation.translate import Translated, translate
from proofs.prove.translation.translator import Translator
from proofs.prove.translation.written import written

OURS = "this is a bug in nodewright; the equation is undecided"


class Differs(ValueError):
    """The text and the kernel's statement are not the same: the translation is wrong."""


def claim(
    stated: Sides,
    conditions: list[Condition],
    symbols: Symbols,
    index: tuple[Index, Index],
    defined: Mapping[str, Size],
    without_roots: Sides | None = None,
) -> Claim:
    """Return what a theorem claims to be; `defined` has what conditions put in for symbols, `index`
    its rows and columns.
    """
    letters = symbols.written
    every = letters | {x: size_replaced(size, letters) for x, size in defined.items()}
    there = stated.symbols.union(*(size_symbols(side) for a, _, b in conditions for side in (a, b)))
    substitution = {x: by for x, by in every.items() if x in there and by != Name(x)}
    rows, columns = map(_parts, index)
    return Claim(stated, tuple(conditions), substitution, rows, columns, without_roots)


def claim_of(sides: Sides, conditions: list[Condition]) -> tuple[Translated, Claim]:
    """Return the terms of the kernel that an equation and its conditions are proved as, and what a
    theorem on them claims to be.

    Raises Inexpressible where the kernel has no terms for it.
    """
    put, others, defined = put_in(sides, conditions)
    _need_integers(sides, conditions, put, defined)
    terms = translate(put, lower(others), above(others))
    plain = None if terms.sides == put else terms.sides
    index = terms.rows, terms.columns
    return terms, claim(sides, conditions, terms.symbols, index, defined, plain)


def _need_integers(
    sides: Sides, conditions: list[Condition], put: Sides, defined: Mapping[str, Size]
) -> None:
    """Raise Inexpressible where a symbol is rational as it is stated, and what is put in would make
    an integer of it: n = 2*t where t stands in phases alone.
    """
    fractions = rationals(sides, conditions)
    if whole := sorted(fractions & sizes_and_naturals(put)):
        of = [x for x in sorted(defined) if whole[0] in size_symbols(defined[x])]
        of.sort(key=fractions.__contains__)
        remedy = f"declare {whole[0]} : size" if whole[0] in sides.symbols else "write it otherwise"
        raise Inexpressible(
            f"{whole[0]} occurs in phases only and need not be an integer, while"
            f" {named('where')} gives {of[0]} by it; {remedy}"
        )


def claim_of_texts(sides: Sides, conditions: list[Condition], symbols: Symbols) -> Claim:
    """Return what a theorem on the sides of a derivation claims to be; its conditions put nothing
    in.
    """
    splitting = Splitting(Translator(dict(symbols.values)))
    _, _, rows, columns = splitting.indexed(sides.left, sides.right)
    return claim(sides, conditions, symbols, (rows, columns), {})


def _parts(index: Index) -> Parts | None:
    if not isinstance(index, Split):
        return None
    sizes = tuple(map(written, index.parts))
    return Parts(written(index.copies), sizes, written(index.multiple))


def compare_claim(claim: Claim, theorem: Thm, seed: str = "", otherwise: str = OURS) -> int:
    """Return at how many sizes a theorem is what it claims to be; `otherwise` is what it means
    where it is not.

    Raises Differs where it is not, and where there are no sizes at which to compare it.
    """
    found = compare(claim, theorem, seed)
    if found.difference:
        raise Differs(
            f"the text and what the kernel proves differ at {found.difference}: {otherwise}"
        )
    if not found.sizes:
        why = f": at {found.limit}" if found.limit else ""
        raise Differs(f"its text is compared with the kernel's statement at no sizes{why}")
    return found.sizes


def typed_lines(sides: Sides, where: str, claim: Claim | None) -> tuple[str, ...]:
    """Return what was typed, a line each: the equation, its conditions, and the substitution.

    >>> from derive.text.parse import parse
    >>> typed_lines(parse("L(N,r) * L(N,N/r) = I(N)"), "r >= 2", None)
    ('equation: L(N, r) * L(N, N/r) = I(N)', 'conditions: r >= 2', 'substitution: none')
    """
    found = claim.to_dict() if claim else {}
    put = ", ".join(f"{x} = {size}" for x, size in found.pop("substitution", {}).items())
    return (
        f"equation: {sides}",
        f"conditions: {where or 'none'}",
        f"substitution: {put or 'none'}",
        *(f"{name.replace('_', ' ')}: {value}" for name, value in found.items()),
    )
