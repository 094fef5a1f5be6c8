"""The tab of certificates: verdicts on a program, what each means, and what is assumed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from derive.show import html
from nodewright.api.certificate_calls import certify
from nodewright.workbench.parts import scrolled, stack, title
from proofs.certify.certificate import STRENGTHS, Certificate
from proofs.certify.rows import LEFT_OPEN

MEANINGS = {
    "layout": "Elements are where the program says: input_place and output_place are the layouts.",
    "messages": "The ranks never wait for each other without end, and every message fits.",
    "function": "What transform computes is the declared matrix times x, for every x.",
    "contract": "Plans and transforms do what is promised, however they are used;"
    " invalid use is refused.",
    "cost": "The program sends what is counted from the factorization, or as much as it says.",
    "rounding": "Results are as accurate as the tolerance says, on the numbers that were run.",
    "convolution": "What convolve computes is the cyclic convolution, for every x and y.",
    "bits": "Every number of ranks gives the same bits.",
    "nodes": "Ranks of several nodes compute the same, by messages in place of shared memory.",
    "bytes": "Every element keeps its bytes, whatever its type.",
    "main": "The part for files, times and errors is the one that every program has.",
    "ran": "Real ranks under MPI gave the results of the evaluation.",
}
"""What each verdict means for who runs the program."""


@dataclass(frozen=True)
class Shown:
    """A certificate as HTML, and as the text of a file of this name."""

    holds: bool
    page: str
    text: str
    file: str


def certified(name: str, text: str, tell: Callable[[str], None] = lambda words: None) -> Shown:
    """Return what the page shows of the certificate of a text; ValueError for no node program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, Path(name).name or "program.py")
        path.write_text(text, encoding="utf-8")
        try:
            return shown(certify(path, listener=tell))
        except ValueError as error:
            raise ValueError(str(error).replace(f"{folder}/", "")) from error


def shown(found: Certificate) -> Shown:
    """Return what the page shows of a certificate."""
    verdicts = found.verdicts.items()
    rows = [
        (
            html.bold(name),
            html.verdict(verdict.kind, verdict.statement, verdict.evidence),
            MEANINGS[name] + _left_open(name, verdict.kind),
        )
        for name, verdict in verdicts
    ]
    kinds = dict.fromkeys(type(verdict).__name__ for _, verdict in verdicts)
    whole = "holds" if found.holds else "refuted"
    assumed = "".join(f"<li>{html.words(each)}</li>" for each in found.assumed)
    page = stack(
        scrolled(html.verdict(whole, found.program, f"sha256 {found.sha256}")),
        scrolled(html.table(("", "verdict", "what it means"), rows)),
        title("How strong a verdict is"),
        scrolled(html.named({kind.lower(): STRENGTHS[kind] for kind in kinds})),
        title("What stays assumed"),
        f"<ul>{assumed}</ul>",
    )
    text = json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n"
    return Shown(found.holds, page, text, f"{Path(found.program).stem}.cert.json")


def _left_open(name: str, kind: str) -> str:
    return " A certificate holds without it." if kind == "undecided" and name in LEFT_OPEN else ""
