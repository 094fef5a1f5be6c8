"""The files that the commands on proofs write: certificates, documents and Coq."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from codegen.whole_files import write_text
from nodewright.show.proof import Proof, text_of


class Files(NamedTuple):
    """The files of a proof: certificate, LaTeX, HTML and Coq; and whether documents are short."""

    of: dict[str, Path | None]
    short: bool

    @classmethod
    def asked(
        cls,
        certificate: Path | None,
        latex: Path | None,
        html: Path | None,
        coq: Path | None,
        short: bool,
    ) -> Files:
        """Return the files that options name; ValueError for --short without a document."""
        if short and not (latex or html):
            raise ValueError("--short: it is for --latex FILE and --html FILE")
        kinds = {"certificate": certificate, "latex": latex, "html": html, "coq": coq}
        return cls(kinds, short)

    @property
    def asked_for(self) -> dict[str, Path]:
        return {kind: file for kind, file in self.of.items() if file}

    def write(self, proofs: Sequence[Proof]) -> None:
        texts = {file: self._text(proofs, kind) for kind, file in self.asked_for.items()}
        for file, text in texts.items():
            write_text(file, text)

    def _text(self, proofs: Sequence[Proof], kind: str) -> str:
        """Return proofs as a file of one kind; ValueError, which says what is not written."""
        try:
            return text_of(proofs, kind, self.short)
        except ValueError as error:
            files = ", ".join(map(str, self.asked_for.values()))
            others = f"; without --{kind} the others are written" * (len(self.asked_for) > 1)
            raise ValueError(f"--{kind}: {error}; nothing is written to {files}{others}") from error
