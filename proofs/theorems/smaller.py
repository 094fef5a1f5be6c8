"""The theorems that are proved by smaller procedures than the kernel: block algebra over GF(2), congruences of integer polynomials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc

from derive.verdict import Proved
from proofs.blocks import Equation
from proofs.theorems import cormen
from proofs.theorems.partition import DIVISION, Congruence, partition

CORMEN = "Cormen 1997"
HARTLEY = "Lin, Chan & Karplus 1988"
Part = Equation | Congruence


@dataclass(frozen=True)
class BlockTheorem:
    """A named statement whose parts are equations of block matrices over GF(2), or congruences."""

    name: str
    source: str
    proof: Callable[[], tuple[Part, ...]]

    @property
    def gloss(self) -> str:
        """The statement in the paper's letters, with what they mean after a blank line."""
        return cleandoc(self.proof.__doc__ or "")

    def prove(self) -> tuple[Part, ...]:
        """Return the parts, proved."""
        return self.proof()

    def verdict(self) -> Proved:
        """Return the verdict on the equations that the procedure decided, with what is assumed: relations, each for its reason."""
        parts = self.prove()
        blocks = any(isinstance(part, Equation) for part in parts)
        reasons = {given.reason for part in parts if isinstance(part, Equation) for given in part.given}
        rests_on = ("block algebra over GF(2)", *sorted(reasons)) if blocks else ("integer polynomials", DIVISION)
        return Proved("; ".join(map(str, parts)), rests_on)


def block_theorems() -> dict[str, BlockTheorem]:
    """Return these theorems by name.

    >>> block_theorems()["cormen-lemma-1"].verdict().rests_on
    ('block algebra over GF(2)', 'A is nonsingular')
    """
    listed = (
        BlockTheorem("cormen-lemma-1", f"{CORMEN}, Lemma 1", cormen.lemma_1),
        BlockTheorem("cormen-vw", f"{CORMEN}, section 4", cormen.vw),
        BlockTheorem("cormen-lemma-3", f"{CORMEN}, Lemma 3", cormen.lemma_3),
        BlockTheorem("cormen-layout", f"{CORMEN}, section 6", cormen.layout),
        BlockTheorem("fht-partition", f"{HARTLEY}, section 2 and Algorithm 1", partition),
    )
    return {theorem.name: theorem for theorem in listed}
