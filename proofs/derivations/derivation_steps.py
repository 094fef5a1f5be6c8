"""The proof of a step: equals are put for equals around the place, and at the place a theorem is
instantiated or a proof is looked for. Not trusted: every step goes through the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from derive.text.syntax import Kron, Product, Text
from proofs.derivations.paths import Place, part_at
from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm, instantiate, refl, trans
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Term, free, substitute
from proofs.prove.proof_search import prove
from proofs.prove.tactics import between, chain, chain_on
from proofs.prove.translation.splits import Splitting
from proofs.prove.translation.translator import Translator

Instance = tuple[Thm | None, Mapping[str, Any]]
"""A theorem, if there is one, and what its letters stand for."""


def proof_of(
    before: Text, after: Text, place: Place, instance: Instance, translator: Translator
) -> Thm:
    """Return before = after, which differ at a place; raise Refused where the kernel does not
    prove it.
    """
    if place and isinstance(before, Product | Kron):
        return _beside(before, after, place, instance, translator)
    left, right = Splitting(translator).both(before, after)
    theorem, letters = instance
    if not place and theorem is not None:
        return _between(left, instantiate(theorem, **_in_kernel(letters, translator)), right)
    found = prove(left, right)
    if found is None:
        raise Refused(f"cannot show that {before} = {after}")
    return found


def _beside(
    before: Product | Kron, after: Text, place: Place, instance: Instance, translator: Translator
) -> Thm:
    """Return before = after, of which some neighbouring parts differ."""
    (first, last), inner = place[0], place[1:]
    kind, parts = type(before), before.parts
    put = after.parts if isinstance(after, kind) else (after,)
    other = put[first : len(put) - (len(parts) - 1 - last)]
    new = other[0] if len(other) == 1 else kind(other)
    theorem = proof_of(part_at(before, place[:1]), new, inner, instance, translator)
    ahead, behind = (
        [Splitting(translator).made(part)[0] for part in row]
        for row in (parts[:first], parts[last + 1 :])
    )
    if kind is Product:
        found = between(ahead, theorem, behind)
    else:
        found = reduce(kernel_rules.kron, [*map(refl, ahead), theorem, *map(refl, behind)])
    left, right = Splitting(translator).both(before, after)
    return _between(left, found, right)


def _in_kernel(letters: Mapping[str, Any], translator: Translator) -> dict[str, Any]:
    """Return what letters stand for with what the symbols of the text are in the kernel."""
    return {
        name: substitute(value, {symbol: translator.values[symbol] for symbol in free(value)})
        for name, value in letters.items()
    }


def joined(first: Thm, second: Thm) -> Thm:
    """Return a = c by a = b and b' = c, where b = b' by associativity or by path sums."""
    return trans(chain_on(first, second.left), second)


def _between(left: Term, middle: Thm, right: Term) -> Thm:
    """Return left = right by an equation whose sides are those by associativity or path sums."""
    return chain_on(trans(chain(left, middle.left), middle), right)
