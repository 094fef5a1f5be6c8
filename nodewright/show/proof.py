"""Proofs as values: their steps, and the documents and certificates that are made of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codegen.whole_files import write_text
from derive.show import html
from derive.show.lists import Series
from derive.verdict import Proved
from nodewright.api.judged import Judged
from proofs.coq.export.coq_files import coq_of
from proofs.replay.export import certificates
from proofs.show.aligned import MOST, aligned
from proofs.show.chain import Argument, Step
from proofs.show.document import document
from proofs.show.fragments import rows, shown_as_html
from proofs.show.kernel_chains import read
from proofs.theorems import Theorem
from proofs.theorems.by_blocks import BlockTheorem

SUFFIXES = {".tex": "latex", ".html": "html", ".v": "coq"}
"""What a file receives by how its name ends; any other receives the certificate."""


class Proof(Judged):
    """A verdict on a statement for all sizes, with the proof if there is one.

    `nw.prove` and `nw.theorem` return it.

    Attributes:
        theorem: the theorem of the kernel; ValueError if the statement is not proved.

    Examples:
        >>> import nodewright as nw
        >>> proof = nw.prove("L(r*s,r) * L(r*s,s) = I(r*s)")
        >>> proof.kind, bool(proof), len(proof.arguments), len(proof.steps)
        ('proved', True, 1, 2)
        >>> proof.steps[0].reason
        'by path sums'
    """

    if TYPE_CHECKING:  # a property would be taken for the default of a field

        @property
        def theorem(self) -> Theorem | BlockTheorem: ...

    @property
    def arguments(self) -> Series[Argument]:
        """The statements that the proof consists of, each with its chains of equalities.

        An induction has one for the base case and one for the step. Empty without a proof.
        """
        return Series(read(self.theorem).arguments if isinstance(self.verdict, Proved) else ())

    @property
    def steps(self) -> Series[Step]:
        """The steps of all chains: a `formula`, and a `reason` why it equals the one before.

        Empty without a proof.
        """
        chains = (chain for argument in self.arguments for chain in argument.chains)
        return Series(step for chain in chains for step in chain.steps)

    @property
    def title(self) -> str:
        """The statement as text. A named theorem has the letters of its paper."""
        return self.statement

    @property
    def typeset(self) -> html.Markup:
        """The statement as HTML."""
        return shown_as_html(self.title)

    def _repr_html_(self) -> str:
        """Return the verdict and the first equalities as a notebook shows them."""
        rules = (
            f"by the rules {self.evidence}" if isinstance(self.verdict, Proved) else self.evidence
        )
        said = html.verdict(self.kind, self.typeset, rules)
        return html.fragment(said, html.table((), [*rows(self.arguments)], MOST))

    def _repr_latex_(self) -> str | None:
        """Return the equalities as LaTeX, of a proof in which they are formulas."""
        in_words = not isinstance(self.verdict, Proved) or isinstance(self.theorem, BlockTheorem)
        return None if in_words else aligned(self.arguments)

    def to_latex(self, short: bool = False) -> str:
        r"""Return the proof, line by line, as a LaTeX document.

        Args:
            short: write only statements and reasons, without the equalities.

        Raises:
            ValueError: the statement is not proved.

        Examples:
            >>> import nodewright as nw
            >>> nw.prove("L(n,n) = I(n)").to_latex().splitlines()[0]
            '\\documentclass{article}'
        """
        return document([self.theorem], True, short)

    def to_html(self, short: bool = False) -> str:
        """Return the proof, line by line, as an HTML page.

        Args:
            short: write only statements and reasons, without the equalities.

        Raises:
            ValueError: the statement is not proved.
        """
        return document([self.theorem], False, short)

    def to_coq(self) -> str:
        """Return the proof as a Coq file, with a lemma for each step.

        Raises:
            ValueError: the statement is not proved, or Coq does not support a step: proofs by block
                algebra have none.
        """
        return coq_of([self.theorem])

    @property
    def certificate(self) -> dict[str, Any]:
        """The steps of the kernel as JSON values, which `python -m proofs.replay` checks again.

        Raises:
            ValueError: the statement is not proved.
        """
        return dict(json.loads(self.replayable()))

    def replayable(self) -> str:
        """Return the text of the file with the certificate, in JSON.

        Raises:
            ValueError: the statement is not proved.
        """
        return certificates([self.theorem])

    def save(self, path: str | Path) -> None:
        """Write the proof: FILE.tex as LaTeX, FILE.html as HTML, FILE.v as Coq, any other file as a
        certificate.

        Args:
            path: the file; its suffix gives the format.

        Raises:
            ValueError: the statement is not proved, or Coq does not support a step.
            OSError: the file cannot be written.
        """
        kind = SUFFIXES.get(Path(path).suffix, "certificate")
        write_text(Path(path), text_of([self], kind))


def text_of(proofs: Sequence[Proof], kind: str, short: bool = False) -> str:
    """Return proofs as certificate, latex, html or coq; short documents have no equalities.

    Raises ValueError for what Coq does not get: a proof by block algebra, a step without a script.
    """
    known = [proof.theorem for proof in proofs]
    if kind == "coq":
        return coq_of(known)
    if kind == "certificate":
        return proofs[0].replayable() if len(proofs) == 1 else certificates(known)
    return document(known, kind == "latex", short)
