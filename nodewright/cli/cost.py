"""The commands `cost` and `search`, what (3.9) predicts, and the benches `nodewright bench
machine` and `nodewright bench fft` that this rests on.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from codegen.cost.counted import EXAMPLE_MACHINE
from codegen.systems.fft import FFT
from codegen.whole_files import check_writable, write_text
from derive.call_arguments import counted
from derive.lazy import lazily
from nodewright import machine as machines
from nodewright import predicted
from nodewright.api.call_options import FIXED
from nodewright.api.costs import ProgramCost
from nodewright.cli import console
from nodewright.cli.command_options import (
    Json,
    LocalForm,
    Mpiexec,
    Ranks,
    Size,
    numbers,
    of_request,
    stated_program,
)
from nodewright.cli.commands import (
    command,
    commands,
    help_alone,
    of_choices,
    of_files,
    of_sizes,
    option,
)

if TYPE_CHECKING:
    from nodewright import plot
    from nodewright.planning import searching as planning
    from nodewright.show import cost_tables
else:
    plot, cost_tables = lazily("nodewright.plot"), lazily("nodewright.show.cost_tables")
    planning = lazily("nodewright.planning.searching")

app = commands()
bench = commands(
    "bench",
    help="Measure this machine, and compare predicted with measured times.",
    callback=help_alone,
    invoke_without_command=True,
)
app.add_typer(bench)

OF_MACHINES = "TOML file with v (flop/s), g and l (flops), as `bench machine` writes it"
MachineFile = Annotated[Path | None, of_files("--machine", metavar="FILE", help=f"{OF_MACHINES}.")]
AnyMachineFile = Annotated[
    Path | None,
    of_files(
        "--machine",
        metavar="FILE",
        help=f"{OF_MACHINES}; for hypercube-fft also a hypercube, such as ipsc2.toml.",
    ),
]
Png = Annotated[Path | None, of_files("--png", metavar="FILE", help="Draw a picture (PNG).")]
Toml = Annotated[
    Path | None,
    of_files(
        "-o", metavar="FILE", help="File for the machine, in TOML; the default is standard output."
    ),
]
ManyRanks = Annotated[
    str, of_sizes("--ranks", metavar="P,P,..", help="Numbers of MPI ranks, separated by commas.")
]
Predict = Annotated[
    bool,
    option(
        "--predict",
        help=(
            "Predict time and efficiency on 1, 2, 4, .., P ranks. For fft by (3.9) of Inda and"
            " Bisseling, with the smallest N/P for an efficiency of 0.5 and of 0.9. For"
            " hypercube-fft by (2) to (7) of Aykanat and Dervis, with the time that overlap saves."
        ),
    ),
]


@command(app, "nodewright cost fft --size 1024 --ranks 4")
@of_request(*("direction", "norm", "dtype", "reproducible", "convolve"), needs=("system", "ranks"))
def cost(
    words: dict[str, Any],
    machine: AnyMachineFile = None,
    predict: Predict = False,
    as_json: Json = False,
) -> None:
    """Count exchanges, messages, words and flops of a program, show the lower bound on words for
    any linear algorithm, and predict the time on a BSP machine.

    A word is an element. A BSP machine is three numbers: how fast a rank computes, what a word
    costs, what an exchange costs.
    """
    found = stated_program(words).cost(machine, predict)
    if as_json:
        console.emit_json(found.to_dict())
    else:
        _show(found)


def _show(found: ProgramCost) -> None:
    """Print what a program costs as a table, why no bound stands there, and what is predicted."""
    console.table(*cost_tables.counted(found))
    if found.without_bound:
        console.say(found.without_bound)
    if found.predictions:
        console.table(*cost_tables.predicted(found))


def _ranks(text: str) -> list[int]:
    """Return the stated numbers of ranks; warn on standard error where they exceed the cores."""
    found = numbers(text, "ranks")
    for P in found:
        if P & P - 1:
            raise ValueError(f"--ranks must be powers of two; got {P}")
        if found.count(P) > 1:
            raise ValueError(f"--ranks {text}: {P} is given more than once")
    cores = os.cpu_count() or 1
    if max(found) > cores:
        console.complain(
            f"--ranks {text}: {max(found)} ranks share {cores} cores, which slows down the"
            " measurement; many ranks take minutes"
        )
    return found


def _check_writable(*files: Path | None, png: Path | None = None) -> None:
    """Raise OSError or ValueError where what is to be measured could not be written."""
    if png:
        plot.check_picture(png)
    for file in (*files, png):
        if file:
            check_writable(file)


@command(app, "nodewright search --size 2^30 --ranks 2^10")
@of_request(only=FIXED, of=FFT)
def search(
    words: dict[str, Any],
    size: Size,
    ranks: Ranks,
    best: Annotated[int, of_choices("--best", metavar="K", help="Number of plans to show.")] = 3,
    machine: MachineFile = None,
    prices: Annotated[
        str,
        of_choices(
            "--prices",
            metavar="messages=100,passes=0",
            help="Prices in flops that replace those of the machine: exchanges, words, messages,"
            " passes (over an element), flops.",
        ),
    ] = "",
    file: Annotated[
        Path | None, of_files("-o", metavar="FILE", help="File for the derivation of a plan.")
    ] = None,
    program: Annotated[
        Path | None, of_files("--program", metavar="FILE", help="File for the program of a plan.")
    ] = None,
    plan: Annotated[
        int,
        of_files("--plan", metavar="I", help="Plan that -o and --program write; 1 is the best."),
    ] = 1,
    as_json: Json = False,
) -> None:
    """Find the cheapest factorizations of F(N) on P ranks among all radices and exchanges, each
    with a derivation and a program; --size 64x48 searches for an array of two axes.

    A plan lists its radices in the order of their transforms, with | at each exchange. Its price
    is the sum of the prices of its exchanges, words, messages, passes over memory and flops.
    """
    stated = dict(parsed_price(one) for one in prices.split(",") if one)
    options = {name: words[name] for name in FIXED}
    found = planning.search(size, ranks, best=best, cost=machine, prices=stated, **options)
    if not 1 <= plan <= len(found):
        raise ValueError(f"--plan must be from 1 to {len(found)}; got {plan}")
    if file:
        write_text(file, found[plan - 1].script())
    if program:
        found[plan - 1].program().save(program)
    if as_json:
        console.emit_json(found.to_dict())
        return
    console.columns(found.title, found.head, found.rows)
    for line in found.words:
        console.say(line)


def parsed_price(text: str) -> tuple[str, float]:
    """Return a price from its text; raise ValueError where it is none.

    >>> parsed_price("messages=100")
    ('messages', 100.0)
    """
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError as error:
        raise ValueError(f"--prices {text}: a price is written words=8") from error


@command(bench, "nodewright bench machine --ranks 1,2 -o machine.toml", "machine")
def bench_machine(
    ranks: ManyRanks = "1,2",
    name: Annotated[str, option("--name", metavar="TEXT", help="Name of the machine.")] = "",
    mpiexec: Mpiexec = None,
    file: Toml = None,
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Measure v, g and l of this machine.

    They are the speed of a rank in flop/s, the price of a word and the price of an exchange in
    flops. v comes from a sequential transform, g and l from h-relations of growing h, in which
    each rank sends and receives h words at most.
    """
    many, measured = _ranks(ranks), []
    _check_writable(file, png=png)
    with console.doing(f"measuring on {counted(ranks, 'rank')}") as tell:
        for i, P in enumerate(many):
            tell(i / len(many))
            measured.append(machines.measure(P))
    found = machines.machine_of(measured, name)
    if file:
        write_text(file, machines.as_toml(found))
    if png:
        plot.save(plot.curves(machines.curves(measured), "h"), png)
    if as_json:
        console.emit_json(
            {**asdict(found), "relations": {f"{one.p}": one.relations for one in measured}}
        )
    elif file is None:
        console.say(machines.as_toml(found).rstrip())
    else:
        console.say(
            f"{file}: v = {found.v:.3g} flop/s, "
            + ", ".join(f"P = {p}: g = {g:.3g}, l = {l:.3g} flops" for p, g, l in found.processors)
        )


@command(bench, "nodewright bench fft --sizes 2^9,2^10 --ranks 1,2", "fft")
def bench_fft(
    machine: MachineFile = None,
    sizes: Annotated[
        str, of_sizes("--sizes", metavar="N,N,..", help="Numbers of elements, separated by commas.")
    ] = "2^9,2^10,2^11,2^12,2^13,2^14,2^15,2^16",
    ranks: ManyRanks = "1,2",
    local: LocalForm = "",
    mpiexec: Mpiexec = None,
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Compare predicted with measured times.

    The prediction for a machine is (3.9) of Inda and Bisseling (2000), the cost of their FFT. The
    programs run on this machine, block to block, as in their Table 3.
    """
    computer = machines.read_machine(machine) if machine else EXAMPLE_MACHINE
    many = _ranks(ranks)
    _check_writable(png=png)
    with console.doing("timing programs") as tell:
        times = predicted.compare(numbers(sizes, "sizes"), many, computer, tell, local)
    if png:
        plot.save(plot.curves(predicted.curves(times)), png)
    if as_json:
        console.emit_json({"machine": asdict(computer), "times": [asdict(time) for time in times]})
        return
    rows = [
        (
            time.N,
            time.P,
            f"{1e3 * time.predicted:.3g}",
            f"{1e3 * time.measured:.3g}",
            f"{time.predicted / time.measured:.2f}",
        )
        for time in times
    ]
    console.table(
        f"Predicted by (3.9) for {computer.name}, and measured, in ms",
        ("N", "P", "pred", "exp", "pred/exp"),
        rows,
    )
