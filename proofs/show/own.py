"""Equations of one's own as theorems: the statement is the equation that was typed. Where the
kernel proves another one, that stands beside it, with how the one becomes the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from derive.text.definitions import defined_in
from derive.text.syntax import Defined, Sides
from derive.text.text_latex import in_letters
from proofs.kernel.kernel_rules import Thm
from proofs.kernel.terms import Term
from proofs.prove.translation.square_roots import has_roots
from proofs.show.chain import Argument, Typed
from proofs.show.direct_sum_terms import ENCODED, ENCODING, composed, written
from proofs.theorems import Theorem
from proofs.theorems.letters import abbreviating, letter
from proofs.theorems.notation import equation

IN_BOTH = {"B", "BH", "H", "P", "T"}
"""The letters that formulas as text have as well."""
FACTORS = "a product over $k + k' = n - 1$ begins with $k = n - 1$"
"""What the indices of a product say."""
ROOTS = "square roots are divided out, or what each of them multiplies is compared"
PUT_IN = "definitions are put in"


@dataclass(frozen=True, repr=False)
class OwnTheorem(Theorem):
    """An equation of one's own; `statement` can be typed back in, `conditions` are words with
    formulas between dollars, as in the gloss; `symbols` have what the kernel puts for some.
    """

    sides: Sides = field(kw_only=True)
    statement: str = field(kw_only=True)
    conditions: str = field(kw_only=True)
    symbols: tuple[tuple[str, str], ...] = field(kw_only=True)


@dataclass(frozen=True, repr=False)
class Derived(OwnTheorem):
    """An equation with the equalities of its derivation, shown in place of the kernel's."""

    arguments: tuple[Argument, ...] = ()


def typed_as(theorem: OwnTheorem, used: set[str] | None = None) -> Typed:
    """Return the statement of a document: the equation as it was typed, and as the kernel has it;
    note the letters in use.
    """
    (part,), sides, letters = theorem.prove(), theorem.sides, set[str]()
    kernel = kernel_statement(part, letters)
    if kernel == in_letters(sides):
        return Typed(sides, theorem.conditions, "", ())
    if used is not None:
        used |= letters
    return Typed(sides, theorem.conditions, kernel, tuple(notes(kernel, sides, theorem.symbols)))


def kernel_statement(theorem: Thm, used: set[str]) -> str:
    """Return what the kernel proves in the notation of formulas; note the letters in use.

    >>> from proofs.theorems import theorems
    >>> kernel_statement(theorems()["cooley-tukey"].prove()[0], set())
    'F_{r s} = (F_{r} ⊗ I_{s}) T^{r s}_{s} (I_{r} ⊗ F_{s}) L^{r s}_{r}'
    """
    known = abbreviating(used)

    @cache
    def in_use(term: Term) -> str | None:
        found = letter(term)
        own = known(term) if found and found.kind in IN_BOTH else None
        return own or composed(term, in_use)

    return equation(theorem, lambda term: written(term, in_use))


def notes(kernel: str, sides: Sides, symbols: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """Yield what is said of the way from an equation to that of the kernel, its formulas between
    dollars.
    """
    for name, value in symbols:
        yield f"${name}$ is written as ${value.replace('*', ' ')}$"
    nodes = (node for side in (sides.left, sides.right) for node in defined_in(side))
    if any(isinstance(node, Defined) for node in nodes):
        yield PUT_IN
    if has_roots(sides.left) or has_roots(sides.right):
        yield ROOTS
    if ENCODED in kernel:
        yield ENCODING
    if "∏" in kernel:
        yield FACTORS
