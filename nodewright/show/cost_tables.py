"""The cost of a program as tables: what is counted, and what is predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codegen.cost.counted import EXAMPLE_MACHINE, Machine
from codegen.cost.hypercube_times import NUMBERS, Network
from codegen.systems.record import Request
from nodewright.api.costs import TARGETS, ProgramCost

EXAMPLE = EXAMPLE_MACHINE.name.removesuffix(" (example)")
Table = tuple[str, Sequence[str], Sequence[tuple[str, ...]]]
"""A title, the head and the rows."""


def counted(found: ProgramCost) -> Table:
    """Return the counted figures of a program with their meaning."""
    request, least = found.request, found.least

    def at_least(value: int | None) -> str:
        return "" if value is None else f" (lower bound {value})"

    others = " to other nodes, for nodes of one rank" if found.on_nodes else ""
    meaning = {
        "exchanges": "communication supersteps",
        "messages": f"most messages sent by a rank{others}{at_least(least.messages)}",
        "words": f"most elements sent by a rank{others}{at_least(least.words)}",
        "flops": "flops of a rank",
        "seconds": _formula(request, found.machine),
    }
    rows = [
        (name, f"{value:.3g}" if isinstance(value, float) else f"{value}", meaning[name])
        for name, value in found.figures.items()
    ]
    rows += [
        (
            each.name,
            f"{each.words}",
            f"words in {each.exchanges} exchange{'s' * (each.exchanges > 1)}; result {each.result}",
        )
        for each in found.others
    ]
    rows += [
        (
            f"nodes of {each['ranks']}",
            f"{each['words']}",
            f"words to other nodes in {each['messages']} messages; {each['loads']} words read from"
            " shared memory",
        )
        for each in found.on_nodes
    ]
    title = (
        f"{request.system}, N = {request.N}, P = {request.P}, {request.input} to {request.output}"
    )
    return title, ("cost", "value", "meaning"), rows


def _formula(request: Request, machine: Machine | Network) -> str:
    """Return on which machine the time is predicted, and by which formula."""
    if isinstance(machine, Machine):
        figures = f"v = {machine.v:g} flop/s, g = {machine.g:g}, l = {machine.l:g} flops"
        named = f"an example machine, {EXAMPLE}" if machine == EXAMPLE_MACHINE else machine.name
        return f"predicted on {named}: (flops + words g + exchanges l) / v, {figures}"
    times = ", ".join(f"{name} = {getattr(machine, name):g} s" for name in ("t_calc", "t_su"))
    words = ", ".join(f"{name} = {getattr(machine, name):g} s" for name in ("t_tr", "t_copy"))
    scheme = request.scheme
    by = f"by {NUMBERS[scheme]} of Aykanat & Dervis, between Prog. {scheme}'s own layouts"
    figures = f"{times}, {words}, alpha = {machine.alpha:g}"
    return f"predicted on {machine.name}: {by}, {figures}"


def predicted(found: ProgramCost) -> Table:
    """Return what is predicted for fewer ranks."""
    if isinstance(found.machine, Network):
        return _on_hypercube(found)
    enough = (f"N/P for efficiency {target}" for target in TARGETS)
    title = (
        f"Predicted by (3.9) for N = {found.request.N}; (3.9) assumes 17/4 N/P lg N flops, and 2"
        " N/P real numbers per permutation, instead of the counts above"
    )
    return title, ("P", "seconds", "efficiency", *enough), [*map(_row, found.predictions or ())]


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    enough = (f"{n}" if n else "none up to N = 2^62" for n in row["enough"].values())
    return (f"{row['ranks']}", f"{row['seconds']:.3g}", f"{row['efficiency']:.2f}", *enough)


def _on_hypercube(found: ProgramCost) -> Table:
    """Return the times of a hypercube, the gain over Prog. 3, and the overlap."""
    scheme, N = found.request.scheme, found.request.N
    title = (
        f"Predicted by {NUMBERS[scheme]} of Aykanat & Dervis for N = {N}; shorter: reduction of the"
        f" exchange phase of Prog. {scheme} relative to Prog. 3; hidden: part of the communication"
        " of Prog. 3 that overlaps with computation"
    )
    head = ("P", "seconds", "efficiency", "shorter, %", "hidden, %", "all hidden (6)")
    return title, head, [_hypercube_row(row) for row in found.predictions or ()]


def _hypercube_row(row: dict[str, Any]) -> tuple[str, ...]:
    percent = ("" if row[name] is None else f"{row[name]:.1f}" for name in ("gain", "overlap"))
    complete = {None: "", True: "yes", False: "no"}[row["complete"]]
    return (
        f"{row['ranks']}",
        f"{row['seconds']:.3g}",
        f"{row['efficiency']:.2f}",
        *percent,
        complete,
    )
