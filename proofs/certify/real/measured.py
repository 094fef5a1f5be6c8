"""What compiled kernels do to numbers: that is measured on real ranks, as only there they are what
numba makes of them.
"""

from __future__ import annotations

from derive.papers.bsp_variants import REPRODUCIBLE
from derive.verdict import Tested, Undecided, Verdict
from proofs.certify.checks.permutation_check import bytes_as_wanted, kept_by, random_bytes
from proofs.certify.declaration import COMPILED, Declaration, Permutation, Transform, Vector
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.modular.number_theoretic import NumberTheoretic
from proofs.certify.ordinary.reproducible_bits import compared, zeros
from proofs.certify.ordinary.rounding import accuracy, extremes, random_vector
from proofs.certify.real.real_ranks import RealRun, on_real_ranks
from proofs.certify.rows import not_run
from proofs.certify.scripts.evaluation_jobs import natural, scattered
from proofs.certify.scripts.usage import IN_TURNS, Do, vectors

NOT_ASKED = "not run: a short check starts no real ranks"
AND_BITS = (*IN_TURNS[:-1], Do(0, 2), Do(0, 3), IN_TURNS[-1])
"""The script of a program with `--phases reproducible`: bits of two more vectors are compared."""


class RealNumbers:
    """The transforms of a program on real ranks, which are run when one is asked for.

    Args:
        evaluation: the program, which draws the vectors, and knows what transform refuses.
        d: what it declares.
        most: the most ranks that are started; None in a short check, which starts none.
    """

    def __init__(self, evaluation: Evaluation, d: Declaration, most: int | None) -> None:
        self.evaluation, self.declaration, self.most = evaluation, d, most
        self.given: list[Vector] = []
        self.found: RealRun | None = None

    @property
    def measures(self) -> bool:
        """Whether rounding, bytes and bits are measured here, as kernels are compiled."""
        return self.declaration.kernels in COMPILED

    @property
    def run(self) -> RealRun:
        """The run on real ranks."""
        if self.found is None:
            d = self.declaration
            self.given = self._drawn()
            data = tuple(scattered(d, x) for x in self.given)
            script = self.evaluation.taken(AND_BITS if self._has_bits else IN_TURNS)
            asked = RealRun(data, script)
            if self.most is None:
                return RealRun(data, reason=NOT_ASKED)
            self.found = on_real_ranks(self.evaluation.source.text, d, asked, self.most)
        return self.found

    def _drawn(self) -> list[Vector]:
        d, rng = self.declaration, self.evaluation.rng
        if isinstance(d, Permutation):
            return [random_bytes(d, rng) for _ in range(2)]
        if isinstance(d, NumberTheoretic):
            return [*d.drawn(rng, 2).T]
        assert isinstance(d, Transform)
        if not self.measures:
            return [random_vector(d, rng) for _ in range(2)]
        scales = [d.dtype.type(2.0**e) for e in extremes(d)]
        sizes = [random_vector(d, rng) * scale for scale in scales]
        return [*sizes, random_vector(d, rng), *zeros(d, rng)] if self._has_bits else sizes

    @property
    def _has_bits(self) -> bool:
        return self.measures and getattr(self.declaration, "phases", "") == REPRODUCIBLE

    def _left_open(self, statement: str) -> Verdict:
        """Return the verdict where nothing was run."""
        return Undecided(statement, not_run(self.run.reason or self.run.fault))

    def rounding(self, statement: str, words: str) -> Verdict:
        """Return whether a transform is accurate."""
        d, run = self.declaration, self.run
        assert isinstance(d, Transform)
        if not run.results:
            return self._left_open(statement)
        results = zip(vectors(run.script), run.results, strict=True)
        own = [((i,), parts) for i, parts in results if i < 2]
        return accuracy(d, self.given, own, statement, words)

    def bytes(self, statement: str, words: str) -> Verdict:
        """Return whether elements keep their bytes; raise Wrong where they do not."""
        d, run = self.declaration, self.run
        assert isinstance(d, Permutation)
        if not run.results:
            return self._left_open(statement)
        for number, (i, parts) in enumerate(zip(vectors(run.script), run.results, strict=True), 1):
            which = f"transform {number} of {len(run.results)} on real ranks"
            bytes_as_wanted(d, parts, self.given[i], "bytes", which)
        return Tested(statement, 0.0, 0.0, kept_by(d, run.script, words))

    def bits(self, statement: str) -> Verdict:
        """Return whether results have the bits that are wanted."""
        d, run = self.declaration, self.run
        assert isinstance(d, Transform)
        if not run.results:
            return self._left_open(statement)
        results = zip(vectors(run.script), run.results, strict=True)
        return compared(d, [(self.given[i], natural(d, parts)) for i, parts in results if i > 1])
