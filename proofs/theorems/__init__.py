"""The theorems by name; a file per paper. The docstring of the function that proves a theorem is
its gloss.

The statement is the kernel's own equation; the gloss says it in the paper's letters, and is written
by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise

from derive.verdict import Proved
from proofs.kernel.rules import Thm
from proofs.prove.tactics import flattened
from proofs.theorems import bsp, bsp_phases, group_cyclic, hartley, hypercube
from proofs.theorems.families import axes, radices
from proofs.theorems.notation import Glossed, equation, gloss

Proof = Callable[[], tuple[Thm, ...]]
BSP = "Inda & Bisseling 2000"
HYPERCUBE = "Aykanat & Dervis"
HARTLEY = "Lin, Chan & Karplus 1988"


@cache
def proved(proof: Proof) -> tuple[Thm, ...]:
    """Return a proof's parts, factors of products side by side; a proof is made once."""
    return tuple(flattened(part) for part in proof())


@dataclass(frozen=True, repr=False)
class Theorem(Glossed):
    """A named statement; `proof` makes its parts, each an equation of the kernel. `text` is the
    statement where it is not the proof's docstring, `typed_lines` what was typed: the equation, its
    conditions and the substitution.
    """

    name: str
    source: str
    proof: Proof
    text: str = ""
    typed_lines: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def gloss(self) -> str:
        """The statement in the paper's letters, with what they mean after a blank line."""
        return self.text or gloss(self.proof)

    def prove(self) -> tuple[Thm, ...]:
        """Return the parts, proved, with the factors of products side by side."""
        return proved(self.proof)

    def verdict(self) -> Proved:
        """Return the verdict on the kernel's equations, with the rules that the proof uses."""
        parts = self.prove()
        return Proved("; ".join(map(equation, parts)), rules_of(parts))


def rules_of(theorems: tuple[Thm, ...]) -> tuple[str, ...]:
    """Return the names of the rules that proofs use."""
    seen: set[Thm] = set()
    found: set[str] = set()
    waiting: list[object] = list(theorems)
    while waiting:
        x = waiting.pop()
        if isinstance(x, tuple):
            waiting += x
        elif isinstance(x, Thm) and x not in seen:
            seen.add(x)
            found.add(x.rule)
            waiting += x.premises
    return tuple(sorted(found))


LISTED: tuple[tuple[str, str, Proof], ...] = (
    ("cooley-tukey", f"Cooley & Tukey 1965; {BSP}, (1.15)", bsp.cooley_tukey),
    ("bsp-1.6", f"{BSP}, (1.6)", bsp.equation_1_6),
    ("bsp-lemma-1.2", f"{BSP}, Lemma 1.2", bsp.lemma_1_2),
    ("bsp-gamma-inverse", f"{BSP}, section 2.2", group_cyclic.gamma_inverse),
    ("bsp-1.12", f"{BSP}, (1.12)", bsp.equation_1_12),
    ("bsp-stage-pair", f"{BSP}, (1.12)", group_cyclic.stage_pair),
    ("bsp-1.14", f"{BSP}, (1.14)", bsp.equation_1_14),
    ("bsp-theorem-2.2", f"{BSP}, Theorem 2.2", bsp.theorem_2_2),
    ("bsp-corollary-2.3", f"{BSP}, Corollary 2.3", bsp.corollary_2_3),
    ("bsp-2.5", f"{BSP}, (2.5)", bsp_phases.equation_2_5),
    ("bsp-2.7", f"{BSP}, (2.7)", bsp_phases.equation_2_7),
    ("bsp-2.8", f"{BSP}, (2.8)", bsp_phases.equation_2_8),
    ("bsp-lemma-3.1", f"{BSP}, Lemma 3.1", bsp.lemma_3_1),
    ("bsp-corollary-3.2", f"{BSP}, Corollary 3.2", bsp.corollary_3_2),
    ("bsp-3.5", f"{BSP}, (3.5)", group_cyclic.equation_3_5),
    ("bsp-3.6", f"{BSP}, (3.6)", group_cyclic.equation_3_6),
    ("bsp-4.2", f"{BSP}, (4.2)", bsp.equation_4_2),
    ("bsp-4.4", f"{BSP}, (4.4)", bsp_phases.equation_4_4),
    ("bsp-4.5", f"{BSP}, (4.5) with I_{{v/u}} for I_{{n/v}}", bsp.equation_4_5),
    (
        "bsp-phase-is-dft",
        f"{BSP}, section 3.2: superstep 2 with the local bit reversal",
        bsp.phase_is_dft,
    ),
    ("bsp-fft-two-phases", f"Cooley & Tukey 1965; {BSP}, (2.8)", group_cyclic.two_phases),
    ("stride-lemma", "digits of the index", group_cyclic.stride_lemma),
    ("bsp-fft-next-phase", f"Cooley & Tukey 1965; {BSP}, (2.8)", group_cyclic.next_phase),
    ("equal-radices", "Cooley & Tukey 1965, n phases of radix r", group_cyclic.equal_radices),
    ("any-radices", "Cooley & Tukey 1965, H stages of any radices", radices.any_radices),
    (
        "bsp-fft-phases",
        f"Cooley & Tukey 1965; {BSP}, after (2.8), any radices",
        radices.group_cyclic_phases,
    ),
    (
        "arrays-one-exchange",
        f"Cooley & Tukey 1965 along two axes; {BSP}, (2.8)",
        group_cyclic.one_exchange_of_two_axes,
    ),
    ("arrays-any-axes", f"Cooley & Tukey 1965 along d axes; {BSP}, (2.8)", axes.one_exchange),
    ("hypercube-prog-2", f"{HYPERCUBE}, Prog. 2", hypercube.prog_2),
    ("hypercube-prog-3", f"{HYPERCUBE}, Prog. 3", hypercube.prog_3),
    ("hypercube-prog-4", f"{HYPERCUBE}, Prog. 4", hypercube.prog_4),
    (
        "hypercube-prog-5",
        f"{HYPERCUBE}, Prog. 5: the map of Prog. 4, halves received in other buffers",
        hypercube.prog_5,
    ),
    ("fht-step", f"{HARTLEY}, Figure 1", hartley.fht_step),
    ("fht-factorization", f"{HARTLEY}, Figure 1", hartley.fht_factorization),
    ("fht-inverse", f"{HARTLEY}, section 1", hartley.fht_inverse),
)
"""The theorems: name, source, proof. A derivation cites those that stand before it."""


def theorems() -> dict[str, Theorem]:
    """Return all theorems by name.

    >>> len(theorems()["cooley-tukey"].prove())
    1
    """
    return {name: Theorem(name, source, proof) for name, source, proof in LISTED}


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
