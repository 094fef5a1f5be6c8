"""The commands that show layouts, equations, and the hypercube of the Hartley transform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from codegen.cost import flow as data_flow
from codegen.system_table import ALL, BATCH, SYSTEMS, owners_of, record_of
from derive.formula import affine_layouts, latex
from derive.formula.grammar import Equation
from derive.lazy import lazily
from derive.papers import hartley, hartley_graph, hartley_layouts
from derive.show import sparsity as patterns
from derive.sizes import number
from nodewright import plot
from nodewright.api import layouts
from nodewright.cli import console, permutation_commands
from nodewright.cli.command_options import (
    COMPUTING,
    PERMUTATION,
    UNSTATED,
    Json,
    Ranks,
    Size,
    System,
    no_permutation,
    of_request,
    stated_program,
)
from nodewright.cli.commands import argument, command, commands, leave, of_files, option
from nodewright.show import flow_picture as flows
from nodewright.show import hartley_graph_picture as hartley_picture
from nodewright.show import hartley_table_pictures
from nodewright.show.hartley_table_pictures import HartleyTables

if TYPE_CHECKING:
    from nodewright.api import equations as stated
    from nodewright.node_program import Program
else:
    stated = lazily("nodewright.api.equations")

app = commands()
ROWS = 64
"""So many rows of Table 1 are printed as text."""


def _shown_by(what: str) -> list[str]:
    """Return the systems of which a command shows something."""
    return [record.name for record in ALL if what in record.shows]


def _need(what: str, system: str, otherwise: str = "") -> None:
    """Raise ValueError for a system of which a command shows nothing."""
    if system not in (known := _shown_by(what)):
        raise ValueError(f"{what} supports {', '.join(known)} only; got {system}{otherwise}")


@command(app, "nodewright layout cyclic --size 16 --ranks 4", "layout")
def show_layout(
    name: Annotated[
        str,
        argument(
            metavar="LAYOUT",
            help=(
                f"{', '.join((*affine_layouts.AFFINE_LAYOUTS, *hartley_layouts.HARTLEY_LAYOUTS))};"
                " for any size and for axes also cyclic-pairs and whole."
            ),
        ),
    ],
    size: Size,
    ranks: Ranks,
    png: Annotated[
        Path | None,
        option("--png", metavar="FILE", help="Draw a picture (PNG), of a large layout a part."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the indices of each rank, with a column per rank.

    A layout gives the rank and the offset of each element of a vector.
    """
    found = layouts.layout(name, size, ranks)
    if png:
        plot.save(plot.figure(found.drawing()), png)
    if as_json:
        console.emit_json(found.to_dict())
    elif found.N <= 1024 or not png:
        console.say(found.table())


@command(app, "nodewright formula fft --size 16 --ranks 4", "formula")
@of_request(only=("batch", *PERMUTATION, "scheme", *COMPUTING))
def show_formula(
    words: dict[str, Any],
    system: System,
    size: Size,
    ranks: Ranks,
    as_latex: Annotated[
        bool,
        option(
            "--latex",
            help="Print LaTeX: one align* environment of amsmath. With \\allowdisplaybreaks it can"
            " span pages.",
        ),
    ] = False,
    png: Annotated[
        Path | None,
        of_files(
            "--png",
            metavar="FILE",
            help="Draw the factors of the last equation as sparsity patterns (PNG).",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the equations of a factorization at one size in mathematical notation.

    F is the Fourier matrix, I the identity, and ⊗ the Kronecker product; docs/notation.md lists
    all symbols. The rightmost factor is applied first. For permute, the equations are between bit
    matrices, whose bits are printed.
    """
    matrix, name, complement = (words[each] for each in PERMUTATION)
    batch = words["batch"]
    if record_of(system).permutes:
        if batch:
            raise ValueError(f"{system} with --batch {batch}: {owners_of(BATCH)} batches")
        if png:
            raise ValueError(f"{system} with --png: factor --png draws its bit matrices")
        found = permutation_commands.factored(size, ranks, matrix, name, complement)
        permutation_commands.show_equations(found, as_latex, as_json)
        return
    no_permutation(system, words)
    chosen = {name: words[name] for name in COMPUTING if words[name] != UNSTATED[name]}
    equations = stated.equations(system, size, ranks, words["scheme"], batch, **chosen)
    if png:
        plot.save(plot.figure(patterns.sparsity(equations[-1])), png)
    if as_json:
        console.emit_json({"equations": [equation.to_dict() for equation in equations]})
        return
    if as_latex:
        print(latex.aligned(equations))
    else:
        _show_equations(equations)


def _show_equations(equations: Sequence[Equation]) -> None:
    for equation in equations:
        console.say(f"{equation.name}  ({equation.source})", "bold")
        console.say(f"    {equation}")


@command(app, "nodewright graph fht --size 16 --ranks 4", "graph")
@of_request(only=("input", "output", "batch", *PERMUTATION, "scheme", "algorithm", *COMPUTING))
def show_graph(
    words: dict[str, Any],
    system: Annotated[
        str,
        argument(
            metavar="SYSTEM",
            help=f"{', '.join(_shown_by('graph'))}; with --flow one of: {', '.join(SYSTEMS)}.",
        ),
    ],
    size: Size,
    ranks: Ranks,
    flow: Annotated[
        bool,
        option("--flow", help="Show the data flow of the program: the messages of each superstep."),
    ] = False,
    png: Annotated[
        Path | None,
        of_files(
            "--png",
            metavar="FILE",
            help="Draw a picture (PNG): the graph of 2 to 64 ranks, or the data flow of up to 256.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show which ranks exchange before each stage of the Hartley transform, and the cost on a
    hypercube; with --flow, show the messages of a program of any system.

    On a hypercube, ranks whose numbers differ in one bit are neighbours. Dilation is the distance
    that a message travels; congestion is the number of messages that share a link.
    """
    if flow:
        _show_flow(stated_program(words), png, as_json)
        return
    _need("graph", system, "; use --flow for the messages of any system")
    N, P = number(size), number(ranks, "ranks")
    _, p = hartley.SIZES.exponents(N, P)
    edges = hartley_graph.hartley_edges(p)
    mappings = [hartley_graph.mapping(p, name) for name in hartley_graph.HOSTS]
    verdict = hartley_graph.figure_4(p) if p else None
    if png:
        plot.save(hartley_picture.figure(p, _lists(N, P)), png)
    if as_json:
        console.emit_json(
            {
                "size": N,
                "ranks": P,
                "edges": [[i, j, s] for (i, j), s in edges.items()],
                "mappings": [asdict(m) for m in mappings],
                "figure_4": verdict.to_dict() if verdict is not None else None,
            }
        )
    else:
        _show_exchanges(p, edges, mappings)
        if verdict is not None:
            console.show(verdict)
    leave(*([] if verdict is None else [verdict]))


def _show_flow(program: Program, png: Path | None, as_json: bool) -> None:
    """Show what the ranks of a program compute and send, superstep by superstep."""
    if png:
        plot.save(plot.figure(program.drawing()), png)
    found = data_flow.flow(program.lowered)
    if as_json:
        console.emit_json({"supersteps": [asdict(part) for part in found]})
        return
    for i, part in enumerate(found, 1):
        console.say(f"{i}  {flows.said(part, program.request.P)}")


def _show_exchanges(
    p: int, edges: dict[tuple[int, int], int], mappings: list[hartley_graph.Mapping]
) -> None:
    """Print the pairs of ranks that exchange in each of p dimensions, and their cost."""
    for s in range(1, p + 1):
        pairs = (
            " ".join(f"{i}-{j}" for (i, j), dimension in edges.items() if dimension == s)
            if p <= 6
            else f"{1 << p - 1} pairs"
        )
        console.say(f"dimension {s}, before stage {s + 1}: {pairs}")
    rows = [(m.name, m.dilation, m.load, m.congestion, m.hops) for m in mappings]
    console.table(
        f"On the {p}-cube", ("rank i on node", "dilation", "load", "congestion", "hops"), rows
    )


def _lists(N: int, P: int) -> list[str]:
    """Return the computations of every rank, a line a stage, where they are few enough to be read
    in a picture (Figure 2).
    """
    if N > 16 or P > 4:
        return []
    stages = range(1, hartley.SIZES.exponents(N, P)[1] + 2)
    return [
        "\n".join(f"s={s}: " + " ".join(map(str, hartley.partition(rank, s, N, P))) for s in stages)
        for rank in range(P)
    ]


@command(app, "nodewright tables fht --size 16 --ranks 4", "tables")
def show_tables(
    system: Annotated[str, argument(metavar="SYSTEM", help=f"{', '.join(_shown_by('tables'))}.")],
    size: Size,
    ranks: Ranks,
    as_json: Json = False,
) -> None:
    """Print Algorithm 1 and Tables 1 and 2 of Lin, Chan and Karplus (1988), computed for N elements
    on P nodes. For N = 16 and P = 4 it lists what the paper's two copies print differently.

    F(s, m) is entry m of the Hartley transform after stage s, and C_u and S_u are the cosine and
    sine of 2 pi u / 2^s. Table 1 says how each entry is computed, Table 2 on which node.
    """
    _need("tables", system)
    tables = HartleyTables(number(size), number(ranks, "ranks"))
    if as_json:
        console.emit_json(tables.to_dict())
    else:
        _show_algorithm(tables)
        _show_entries(tables)
        _show_partition(tables)
        _show_copies(tables)
        console.show(tables.verdict)
    leave(tables.verdict)


def _heads(tables: HartleyTables) -> list[str]:
    return [f"stage {s}" for s in tables.stages]


def _show_algorithm(tables: HartleyTables) -> None:
    """Print the lists of Algorithm 1, and in which stages they are right."""
    rows = [
        (f"{node}", *(" ".join(map(str, numbers)) for numbers in lists))
        for node, lists in enumerate(tables.algorithm_1)
    ]
    title = f"Algorithm 1 as printed: the list of each node, N = {tables.N}, P = {tables.P}"
    console.columns(title, ("node", *_heads(tables)), rows)
    last = tables.right_stages[-1]
    more = f" After that, each node keeps its list of stage {last} (errata fht-algorithm-1-range)."
    console.say(
        f"Up to stage {last}, each computation is in exactly one of these lists."
        + more * (last < len(tables.stages))
    )


def _show_entries(tables: HartleyTables) -> None:
    """Print Table 1, of many rows the first."""
    cells = tables.table_1
    rows = [(f"F(0,{m})", *row) for m, row in enumerate(cells[:ROWS])]
    title = f"Table 1: the computations, N = {tables.N}"
    console.columns(title, ("data", "permute", *_heads(tables)), rows)
    if len(cells) > ROWS:
        console.say(f"first {ROWS} of {len(cells)} rows; --json prints all")


def _show_partition(tables: HartleyTables) -> None:
    rows = [
        (f"{node}", *(f"F({s},{m})" for s, m in enumerate(slot, start=1)))
        for node, slots in enumerate(tables.table_2)
        for slot in slots
    ]
    title = f"Table 2: the computations of each node, N = {tables.N}, P = {tables.P}"
    console.columns(title, ("node", *_heads(tables)), rows)


def _show_copies(tables: HartleyTables) -> None:
    """Print the cells that the copies of the paper print otherwise."""
    if not tables.differences:
        N, P = hartley_table_pictures.PRINTED
        console.say(f"The paper prints its tables for N = {N}, P = {P}.")
        return
    console.say("Cells that differ in a copy of the paper; all others are as computed", "bold")
    for each in tables.compared:
        console.say(f"Table {each.table}, row {each.row}, {each.column.lower()}: {each.computed}")
        for copy, text in each.copies.items():
            console.say(f"    copy {copy}: {text}")
    names = " ".join(hartley_table_pictures.ERRATA.values())
    console.say(f"nodewright errata {names} lists the wrong ones.")
