"""The theorems that are proved by smaller procedures than the kernel: block algebra over GF(2),
congruences of integer polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from derive.papers.statements.statement_tables import theorem_statements
from derive.verdict import Proved
from proofs.blocks import columns
from proofs.blocks.block_matrices import Relation
from proofs.blocks.column_induction import Obtained
from proofs.blocks.columns import Assumed, Derivation, Fibres, SameSize
from proofs.blocks.divisions import Division, Local
from proofs.kernel.kernel_certificates import Found
from proofs.theorems import cormen, factoring
from proofs.theorems.division_theorems import DIVISION, lemma_a_1, partition
from proofs.theorems.notation import Glossed

Part = columns.Part | Division | Local
Proof = Callable[[], Derivation] | Callable[[], tuple[Division | Local, ...]]
BLOCK_PROOFS: dict[str, Proof] = {
    "cormen-lemma-1": cormen.lemma_1,
    "cormen-theorem-2": cormen.theorem_2,
    "cormen-vw": factoring.vw,
    "cormen-lemma-3": cormen.lemma_3,
    "cormen-layout": cormen.layout,
    "fht-partition": partition,
    "bsp-lemma-a.1": lemma_a_1,
}
RULES: dict[type, str] = {
    Obtained: "induction on the number of columns: a column over GF(2) is 0 or has a 1",
    SameSize: "an invertible matrix has as many rows as columns",
    Fibres: "a linear map with a left inverse takes 2^r values on r bits",
}
"""What is used beside block algebra, by the part that uses it."""


def assumed(proof: Found) -> dict[str, tuple[Relation, ...]]:
    """Return the relations that a proof assumes, by the reasons for which it does."""
    parts = proof.parts if isinstance(proof, Derivation) else ()
    relations = [r for part in parts if isinstance(part, Assumed) for r in part.relations]
    return {
        reason: tuple(r for r in relations if r.reason == reason)
        for reason in sorted({r.reason for r in relations})
    }


def statement(proof: Found) -> str:
    """Return what is stated, after what is assumed, and what names in it stand for.

    >>> statement(cormen.lemma_1()).partition(" ⊢ ")[0]
    'A is nonsingular'
    """
    if not isinstance(proof, Derivation):
        return "; ".join(map(str, proof))
    given = ", ".join(assumed(proof))
    return (given and f"{given} ⊢ ") + "; ".join(
        (*map(str, proof.stated), *(f"{name} = {value}" for name, value in proof.letters))
    )


@cache
def derived(proof: Proof) -> Found:
    """Return what a proof derives; a proof is made once."""
    return proof()


@dataclass(frozen=True, repr=False)
class BlockTheorem(Glossed):
    """A named statement whose parts are equations of block matrices over GF(2) and what is derived
    with them, or divisions of integer polynomials.
    """

    name: str
    source: str
    proof: Proof
    gloss: str

    def prove(self) -> tuple[Part, ...]:
        """Return the parts that are stated, proved."""
        found = derived(self.proof)
        return found.stated if isinstance(found, Derivation) else found

    def derivation(self) -> tuple[Part, ...]:
        """Return all parts, each before those that use it."""
        found = derived(self.proof)
        return found.parts if isinstance(found, Derivation) else found

    def letters(self) -> tuple[tuple[str, object], ...]:
        """Return what names in the statement stand for."""
        found = derived(self.proof)
        return found.letters if isinstance(found, Derivation) else ()

    def assumed(self) -> dict[str, tuple[Relation, ...]]:
        return assumed(derived(self.proof))

    def verdict(self) -> Proved:
        """Return the verdict on the procedure's decision, with each assumption for its reason."""
        found, parts = derived(self.proof), self.derivation()
        if not isinstance(found, Derivation):
            return Proved(statement(found), ("integer polynomials", DIVISION))
        rules = [
            reason
            for kind, reason in RULES.items()
            if any(isinstance(part, kind) for part in parts)
        ]
        return Proved(statement(found), ("block algebra over GF(2)", *rules, *assumed(found)))


def block_theorems() -> dict[str, BlockTheorem]:
    """Return these theorems by name.

    >>> block_theorems()["cormen-lemma-1"].verdict().rests_on
    ('block algebra over GF(2)', 'A is nonsingular')
    """
    rows = theorem_statements()
    return {
        name: BlockTheorem(name, rows[name].source, proof, rows[name].gloss)
        for name, proof in BLOCK_PROOFS.items()
    }
