"""The theorems by name. What they say, and their order, is in the table of statements
(derive/papers/statements); here is how each is proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise

from derive.papers.statements.statement_tables import theorem_statements
from derive.verdict import Proved
from proofs.kernel.kernel_rules import Thm, sym
from proofs.lemmas import fourier_stages, hartley_stages
from proofs.prove.tactics import flattened, rules_of
from proofs.theorems import bsp_phase_proofs, bsp_stages
from proofs.theorems.by_blocks import BLOCK_PROOFS
from proofs.theorems.families import axes, radix_families
from proofs.theorems.notation import Glossed, equation
from proofs.theorems.statement_proofs import Stated

Proof = Callable[[], tuple[Thm, ...]]


@cache
def proved(proof: Proof) -> tuple[Thm, ...]:
    """Return a proof's parts, factors of products side by side; a proof is made once."""
    return tuple(flattened(part) for part in proof())


@dataclass(frozen=True, repr=False)
class Theorem(Glossed):
    """A named statement; `proof` makes its parts, each an equation of the kernel. `gloss` is the
    statement in the paper's letters, `equations` has the parts as formulas, where formulas can
    state them, `typed_lines` what was typed: the equation, its conditions and the substitution.
    """

    name: str
    source: str
    proof: Proof
    gloss: str
    equations: tuple[str, ...] = ()
    typed_lines: tuple[str, ...] = field(default=(), kw_only=True)

    def prove(self) -> tuple[Thm, ...]:
        """Return the parts, proved, with the factors of products side by side."""
        return proved(self.proof)

    def verdict(self) -> Proved:
        """Return the verdict on the kernel's equations, with the rules that the proof uses."""
        parts = self.prove()
        return Proved("; ".join(map(equation, parts)), rules_of(parts))


def _hartley_stages() -> tuple[Thm, ...]:
    """H_N = L_n ... L_2 L_1 P_N, N = 2^n."""
    return tuple(map(sym, hartley_stages.fht_factorization()))


PROOFS: dict[str, Proof] = {
    # products of symbolic length; the search uses some of them as lemmas
    "bsp-1.6": fourier_stages.equation_1_6,
    "bsp-lemma-3.1": fourier_stages.lemma_3_1,
    "bsp-corollary-3.2": fourier_stages.corollary_3_2,
    "bsp-phase-is-dft": fourier_stages.phase_is_dft,
    "fht-factorization": _hartley_stages,
    "bsp-2.8": bsp_phase_proofs.equation_2_8,
    "bsp-4.4": bsp_phase_proofs.equation_4_4,
    # sequences of radices
    "any-radices": radix_families.any_radices,
    "bsp-fft-phases": radix_families.group_cyclic_phases,
    "arrays-any-axes": axes.one_exchange,
    # direct sums over an index with α
    "bsp-theorem-2.2": bsp_stages.theorem_2_2,
    "bsp-4.5": bsp_stages.equation_4_5,
}
"""The theorems that code proves; the others are proved from the text of their equations."""


def theorems() -> dict[str, Theorem]:
    """Return all theorems by name.

    >>> len(theorems()["cooley-tukey"].prove())
    1
    """
    return dict(_theorems())


@cache
def _theorems() -> dict[str, Theorem]:
    return {
        name: Theorem(name, row.source, PROOFS.get(name) or Stated(name), row.gloss, row.equations)
        for name, row in theorem_statements().items()
        if name not in BLOCK_PROOFS
    }


def derivations() -> dict[str, Theorem]:
    """Return what is derived line by line, by name: Lemma 1.2 part by part, and all theorems.

    >>> print(derivations()["bsp-lemma-1.2-2"].verdict())
    proved for all sizes: I_{m} ⊗ I_{n} = I_{m n}
    """
    lemma = theorems()["bsp-lemma-1.2"]
    texts, ends = lemma.gloss.removesuffix(".").split("; "), pairwise((0, 1, 2, 4, 5))
    parts = (
        Theorem(f"{lemma.name}-{i}", lemma.source, partial(_part, lemma, *end), f"{text}.")
        for i, (text, end) in enumerate(zip(texts, ends, strict=True), 1)
    )
    return {part.name: part for part in parts} | theorems()


def _part(theorem: Theorem, start: int, end: int) -> tuple[Thm, ...]:
    return theorem.proof()[start:end]
