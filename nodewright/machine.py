"""The BSP parameters v, g and l of the machine at hand, measured as BSPedupack's bench does:
h-relations of growing h, and a line through them.
"""

from __future__ import annotations

import json
import platform
import reprlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from codegen.cost.bsp_cost import communication, equation_3_1
from codegen.cost.counted import Machine
from codegen.cost.hypercube_times import Network
from derive.call_arguments import counted, perhaps
from nodewright.runtime.launch import run

REPEATS = 40
PATIENCE = 300.0
"""Seconds that a measurement may take."""
DATA = Path(__file__).parent / "data"
"""Where the machines that come with nodewright lie, and the program that measures this one."""
TIMES = ("t_calc", "t_su", "t_tr", "t_copy")
"""The times of a hypercube."""
LEAST, MOST = 1e-30, 1e30
"""Bounds of v, g and l, within which all that is computed from them is finite."""


@dataclass(frozen=True)
class Measured:
    """Measurements on p ranks: v in flop/s, seconds of h-relations as (h, seconds), and the g
    and l of the line through them, in flops.
    """

    p: int
    v: float
    relations: tuple[tuple[int, float], ...]

    @property
    def line(self) -> tuple[float, float]:
        """g and l in seconds."""
        return fitted(self.relations)


def fitted(relations: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Return (g, l) of the line g h + l next to these (h, seconds), the squares of relative errors
    being least.

    Relative errors let small relations count as much as large ones, which decide g but hardly l.
    Raises ValueError for fewer than two different h.

    >>> g, l = fitted([(0, 3.0), (10, 5.0), (100, 23.0)])
    >>> round(g, 12), round(l, 12)
    (0.2, 3.0)
    """
    h, seconds = (np.array(column, dtype=float) for column in zip(*relations, strict=True))
    if len(set(h.tolist())) < 2:
        raise ValueError(
            f"h-relations of h = {', '.join(f'{x:g}' for x in sorted(set(h.tolist())))}: a line"
            " needs two different h"
        )
    (g, l), *_ = np.linalg.lstsq(
        np.stack([h, np.ones_like(h)], axis=1) / seconds[:, None], np.ones_like(h), rcond=None
    )
    return float(g), float(l)


def measure(ranks: int, repeats: int = REPEATS) -> Measured:
    """Return what is measured on so many ranks of this machine.

    Raises RuntimeError where the ranks fail, OSError without an mpiexec.
    """
    done = run(DATA / "h_relations.py", [str(repeats)], ranks, timeout=PATIENCE, capture=True)
    if done.returncode:
        raise RuntimeError(f"h-relations on {counted(ranks, 'rank')}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    v = equation_3_1(found["points"], 4) / found["seconds"]
    relations = tuple((int(h), float(seconds)) for h, seconds in found["relations"])
    return Measured(found["p"], v, relations)


def machine_of(measured: Sequence[Measured], name: str = "") -> Machine:
    """Return the machine: v of the fewest ranks, g and l for each number of ranks, those of the
    most for others.

    What noise makes negative becomes a thousandth of a flop.
    """
    by_ranks = sorted(measured, key=lambda found: found.p)
    v, rows = by_ranks[0].v, []
    for found in by_ranks:
        g, l = (max(1e-3, v * seconds) for seconds in found.line)
        rows.append((found.p, g, l))
    _, g, l = rows[-1]
    return Machine(name or f"{platform.node()}, {platform.machine()}", v, g, l, tuple(rows))


def curves(measured: Sequence[Measured]) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Return the seconds of h-relations, and the lines through them, as curves over h > 0 for a
    figure: one panel for every p.
    """
    panels = {}
    for found in measured:
        (g, l), relations = found.line, [(h, 1e6 * seconds) for h, seconds in found.relations if h]
        panels[f"p = {found.p}: microseconds of an h-relation"] = {
            "measured": relations,
            "g h + l": [(h, 1e6 * (g * h + l)) for h, _ in relations],
        }
    return panels


def as_toml(machine: Machine) -> str:
    """Return a machine as TOML, which `read_machine` reads.

    >>> print(as_toml(Machine("m", 1e9, 8.0, 1000.0, ((2, 8.0, 1000.0),))), end="")
    name = "m"
    v = 1e+09  # flop/s
    g = 8  # flops an element, sent or received
    l = 1000  # flops a synchronization
    <BLANKLINE>
    [[processors]]
    p = 2
    g = 8
    l = 1000
    """
    lines = [
        f"name = {json.dumps(machine.name)}",
        f"v = {machine.v:.6g}  # flop/s",
        f"g = {machine.g:.6g}  # flops an element, sent or received",
    ]
    lines += [f"l = {machine.l:.6g}  # flops a synchronization"]
    for p, g, l in machine.processors:
        lines += ["", "[[processors]]", f"p = {p}", f"g = {g:.6g}", f"l = {l:.6g}"]
    return "\n".join(lines) + "\n"


def read_machine(path: Path) -> Machine:
    """Return the machine that a TOML file states: v, g, l, a name if it likes, `synchronizations`
    of an exchange (1, or 2: it costs h g + 2 l), and tables [[processors]] of p, g and l.

    The machine has l for an exchange, so of two synchronizations twice the l of the file.

    Raises ValueError where a value is missing, is none, or is not asked for, OSError where the file
    cannot be read.
    """
    values = _toml(path)
    rule = f"a machine states v (flop/s), g and l (flops), from {LEAST:g} to {MOST:g}"
    v, g, l = (_figure(path, values, key, rule) for key in ("v", "g", "l"))
    _only(
        path,
        values,
        ("name", "v", "g", "l", "synchronizations", "processors"),
        f"{rule}, a name, synchronizations = 1 or 2, and tables [[processors]]",
    )
    twice = values.get("synchronizations", 1)
    if type(twice) is not int or twice not in (1, 2):
        raise ValueError(
            f"{path}: synchronizations = {reprlib.repr(twice)}: an exchange has 1, or 2"
        )
    tables = values.get("processors", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError(
            f"{path}: processors = {reprlib.repr(tables)}: tables [[processors]] of p, g and l"
        )
    found = (_processors(path, table) for table in tables)
    rows = sorted((p, g, communication(0, g, l, twice)) for p, g, l in found)
    for (p, *_), (q, *_) in pairwise(rows):
        if p == q:
            raise ValueError(
                f"{path}: p = {p} in two tables [[processors]]: g and l are stated once for each p"
            )
    name = str(values.get("name", path.stem))
    return Machine(name, v, g, communication(0, g, l, twice), tuple(rows))


def read_network(path: Path) -> Network:
    """Return the hypercube that a TOML file states: t_calc, t_su, t_tr and t_copy in seconds,
    alpha, and a name if it likes.

    Raises ValueError where a value is missing, is none, or is not asked for, OSError where the file
    cannot be read.

    >>> read_network(packaged(Path("ipsc2.toml"))).alpha
    1.45
    """
    values = _toml(path)
    rule = (
        f"a hypercube states {', '.join(TIMES)} (seconds) and alpha, from {LEAST:g} to {MOST:g},"
        " alpha at least 1"
    )
    figures = {key: _figure(path, values, key, rule) for key in (*TIMES, "alpha")}
    _only(path, values, ("name", *figures), f"{rule}, and a name")
    if figures["alpha"] < 1:
        raise ValueError(f"{path}: alpha = {figures['alpha']:g}: {rule}")
    return Network(**figures, name=str(values.get("name", path.stem)))


def is_network(path: Path) -> bool:
    """Return whether a TOML file states a time of a hypercube; raise as `read_machine` does."""
    return any(key in TIMES for key in _toml(path))


def packaged(path: Path) -> Path:
    """Return the file of this name that comes with nodewright, if there is no file at the path."""
    own = DATA / path.name
    return own if not path.exists() and path.name == str(path) and own.exists() else path


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be a TOML file; it is not text in UTF-8") from error
    except ValueError as error:  # no TOML, or a number of thousands of digits
        raise ValueError(f"{path} must be a TOML file: {error}") from error


def _processors(path: Path, table: dict[str, Any]) -> tuple[int, float, float]:
    """Return p, g and l of a table."""
    rule = (
        "a table [[processors]] states p, g and l: a whole number of at least 1, and flops from"
        f" {LEAST:g} to {MOST:g}"
    )
    p = table.get("p")
    if not isinstance(p, int) or isinstance(p, bool) or not 1 <= p < 1 << 63:
        raise ValueError(f"{path}: p = {reprlib.repr(p)}: {rule}")
    g, l = (_figure(path, table, key, rule) for key in ("g", "l"))
    _only(path, table, ("p", "g", "l"), rule)
    return p, g, l


def _figure(path: Path, values: dict[str, Any], key: str, rule: str) -> float:
    value = values.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or not LEAST <= value <= MOST:
        raise ValueError(f"{path}: {key} = {reprlib.repr(value)}: {rule}")
    return float(value)


def _only(path: Path, values: dict[str, Any], known: Sequence[str], rule: str) -> None:
    """Raise ValueError for a word that is not known: one misspelt would be left out."""
    for key, value in values.items():
        if key not in known:
            stated = f"{key} = {reprlib.repr(value)}{perhaps(key, known)}"
            raise ValueError(f"{path}: {stated}: {rule}, and nothing else")
