"""What a shell completes: the words that options take, by the system that is typed before them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from codegen.system_table import ALL, OPTIONS, SYSTEMS
from codegen.systems.record import RECORDS, Option
from derive.gf2 import bmmc
from derive.lazy import lazily

if TYPE_CHECKING:
    from nodewright import traces
    from nodewright.api import derivation_calls, proofs
    from proofs import errata
else:
    derivation_calls, proofs = (
        lazily("nodewright.api.derivation_calls"),
        lazily("nodewright.api.proofs"),
    )
    errata, traces = lazily("proofs.errata"), lazily("nodewright.traces")

CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def words(name: str, command: str | None, typed: list[str | None], incomplete: str) -> list[str]:
    """Return the known words of an option by its name, or of an argument by its metavar, in a
    command after these words, of which one may be a system; none where any word is right.

    Of layouts the last is completed, after those that are typed for other axes. A parameter in
    capitals, as in f:K, is left to be typed.

    >>> words("--norm", "generate", [], ""), words("--input", "check", ["fft"], "cyclic,")[:2]
    (['backward', 'ortho', 'forward'], ['cyclic,block', 'cyclic,cyclic'])
    """
    known = WORDS.get(name) or OF_COMMANDS.get((name, command), _none)
    system = next((word for word in typed if word in SYSTEMS), "") or ""
    before = incomplete.rpartition(",")[0] if name in SEVERAL else ""
    return [f"{before}{',' * bool(before)}{word.rstrip(CAPITALS)}" for word in known(system)]


def _none(system: str) -> Iterable[str]:
    return ()


def _layouts(system: str) -> Iterable[str]:
    records = [RECORDS[system]] if system in RECORDS else ALL
    return dict.fromkeys(name for record in records for name in record.layouts)


def _values(option: Option, system: str) -> Iterable[str]:
    return option.values(RECORDS.get(system))


SEVERAL = {"--input", "--output", "LAYOUT"}
WORDS: dict[str, Callable[[str], Iterable[str]]] = {
    "SYSTEM": lambda _: SYSTEMS,
    "LAYOUT": _layouts,
    "--input": _layouts,
    "--output": _layouts,
    **{f"--{each.name}": partial(_values, each) for each in OPTIONS.values() if each.known},
    "--format": lambda _: (traces.GOAL, traces.SMPI),
}
OF_COMMANDS: dict[tuple[str, str | None], Callable[[str], Iterable[str]]] = {
    ("[NAME ...]", "prove"): lambda _: proofs.theorems(),
    ("[NAME ...]", "derive"): lambda _: (*derivation_calls.built_in(), *proofs.derivations()),
    ("[NAME ...]", "errata"): lambda _: errata.ERRATA,
    **{
        ("--name", command): lambda _: (*bmmc.NAMED, "transpose:Q")
        for command in ("factor", "check", "generate", "cost", "formula", "graph")
    },
}
"""The words of an option or an argument, and those that depend on the command."""
