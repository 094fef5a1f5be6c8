"""Programs that are refused, as data: each with its fate, the verdict that refuses it, and the
words of that verdict today or the first line of an earlier reason.

    program = request, edits        an emitted program with changes of its source, old -> new, each
                                    at the only place of the old words
            | source                any other

A request has the fields of Request that are not the default.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.record import Request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine
from derive.text.elaborate import formula
from derive.text.parse import parse_formula
from tests.support.paths import ROOT

FOLDER = ROOT / "tests/proofs/certify/refused"
GATE = (
    *("layout", "messages", "function", "cost", "rounding", "bytes"),
    *("bits", "convolution", "nodes"),
)
"""Verdicts whose refusals stay: what one of them refuses today does not hold tomorrow."""
CONTRACT = "contract"
"""The verdict whose refusals are reviewed one by one."""
REFUTED, UNDECIDED, HOLDS = "refuted", "undecided", "holds"
"""Fates; a text that cannot be loaded as a node program is undecided."""


@dataclass(frozen=True)
class Refused:
    """A program, what has become of it, and the test that knows it.

    If it has words, they are the words of this verdict today, `#` standing for a number. Otherwise
    fate, verdict and reason are those of an earlier version.
    """

    test: str
    fate: str
    verdict: str
    reason: str = ""
    words: str = ""
    request: dict[str, Any] | None = None
    edits: tuple[tuple[str, str], ...] = ()
    source: str = ""

    def program(self) -> str:
        """Return the source of the program; ValueError where an edit does not fit any more."""
        if self.request is None:
            return self.source
        return edited(emitted(json.dumps(self.request)), self.edits)

    def __str__(self) -> str:
        return self.test


def without_numbers(reason: str) -> str:
    """Return a reason with `#` in place of its numbers.

    >>> without_numbers("y_3 is 1.5e-2, not 1 (line 20)")
    'y_# is #, not # (line #)'
    """
    return re.sub(r"\d+(\.\d+)?(e[-+]\d+)?", "#", reason)


def edited(source: str, edits: tuple[tuple[str, str], ...]) -> str:
    """Return a source with these changes; ValueError where an old text is not found once."""
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(f"the program has {source.count(old)} times {old!r}")
        source = source.replace(old, new)
    return source


@cache
def emitted(request: str) -> str:
    """Return the program that a request asks for, given as JSON."""
    return emit(resolve(spec_of(json.loads(request))))


def spec_of(request: dict[str, Any]) -> Request:
    """Return the request with these fields, as JSON has them; others are filled in."""
    given = {
        name: tuple(value) if isinstance(value, list) else value for name, value in request.items()
    }
    if "permutation" in given:
        columns, c, name = given["permutation"]
        given["permutation"] = Bmmc(Affine(tuple(columns), len(columns), c), name)
    if "formula" in given:
        given["formula"] = formula(parse_formula(given["formula"]), {})
    return make_request(**given)


@cache
def store() -> tuple[Refused, ...]:
    """Return all programs of the store, in order."""
    return tuple(
        Refused(**{**entry, "edits": tuple(map(tuple, entry.get("edits", ())))})
        for path in sorted(FOLDER.glob("*.json"))
        for entry in json.loads(path.read_text("utf-8"))
    )
