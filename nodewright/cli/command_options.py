"""The options of the command line: those of a request, made from the records of the systems, and
those of several commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from codegen import mpiexec, shapes
from codegen import system_table as table
from codegen.requests import make_request
from codegen.system_table import SYSTEMS
from codegen.systems import fft
from codegen.systems.dct import TYPE
from codegen.systems.record import DEFAULTS, OF_FORMULA, RECORDS, Option
from codegen.systems.record import System as Record
from derive.gf2 import bmmc
from derive.gf2.matrix_files import complement, read_matrix
from derive.lazy import lazily
from derive.papers import bsp_variants
from derive.sizes import check_positive, number
from nodewright.cli import console
from nodewright.cli.commands import (
    Function,
    argument,
    of_choices,
    of_files,
    of_formula,
    of_layouts,
    of_permutation,
    of_running,
    of_sizes,
    option,
)

if TYPE_CHECKING:
    from nodewright import node_program, own_formulas
    from nodewright.api import program_calls
else:
    program_calls = lazily("nodewright.api.program_calls")
    node_program = lazily("nodewright.node_program")
    own_formulas = lazily("nodewright.own_formulas")


def numbers(text: str, name: str) -> list[int]:
    """Return positive integers written one after the other, with commas, of this option.

    >>> numbers("2,2^3", "ranks")
    [2, 8]
    """
    found = [number(part, name) for part in text.split(",")]
    for each in found:
        check_positive(name, each)
    return found


RANKS = of_sizes(
    "--ranks", metavar="P", help="Number of MPI ranks: 4, 2^2, or a grid with axes 4x2."
)
Size = Annotated[
    str, of_sizes("--size", metavar="N", help="Number of elements: 1024, 2^10, or axes 64x48.")
]
Ranks = Annotated[str, RANKS]
AnyRanks = Annotated[str | None, RANKS]
Formula = Annotated[
    str | None,
    of_formula(
        "--formula",
        metavar="'LEFT = RIGHT'",
        help="An equation, or for generate an expression; docs/notation.md has the grammar.",
    ),
]
Mpiexec = Annotated[
    str | None,
    of_running(
        "--mpiexec",
        metavar="FILE",
        callback=mpiexec.choose,
        help="The mpiexec that starts the ranks, a path or a command on PATH. The default is"
        f" {mpiexec.CHOSEN}, otherwise the first that fits mpi4py's MPI library.",
    ),
]
ProgramFile = Annotated[
    Path | None,
    of_files("-o", metavar="FILE", help="File for the program; the default is standard output."),
]
Json = Annotated[bool, option("--json", help="Print one JSON object and nothing else.")]
JsonList = Annotated[
    bool, option("--json", help="Print one JSON list, an object per name, and nothing else.")
]
"""What `errata` prints of its names."""
Listed = Annotated[bool, option("--list", help="List the names, one per line, and stop.")]
Names = Annotated[
    list[str] | None,
    argument(metavar="[NAME ...]", help="Names, as --list shows them; the default is all."),
]
Values = Annotated[
    list[str] | None,
    of_formula(
        "--set",
        metavar="r=4,s=N/r",
        help="Values of the symbols in --formula. For a program, --size gives N of F(N).",
    ),
]


def _of(
    option: Option, group: Callable[..., Any], more: str = "", record: Record | None = None
) -> Any:
    """Return an option of programs, or of those of one system, in its group of the help."""
    metavar = {"metavar": option.metavar} if option.metavar else {}
    help = table.help_of(option, record) if record else f"{option.help}{more}"
    return group(f"--{option.name}", help=help, **metavar)


AnySystem = Annotated[
    str | None,
    argument(metavar="SYSTEM", help=f"One of: {', '.join(SYSTEMS)}. Omit it with --formula."),
]
System = Annotated[str, argument(metavar="SYSTEM", help=f"One of: {', '.join(SYSTEMS)}.")]
SIZES = f"Number of elements: 1024, 2^10, or axes 64x48 ({table.having(lambda one: one.of_axes)})."
AnySize = Annotated[
    str | None, of_sizes("--size", metavar="N", help=f"{SIZES} --matrix implies it.")
]
SystemSize = Annotated[str, of_sizes("--size", metavar="N", help=SIZES)]
Batch = Annotated[str | None, _of(table.BATCH, of_sizes)]
Matrix = Annotated[
    Path | None,
    of_permutation(
        "--matrix",
        metavar="FILE",
        help="File with the bit matrix: n lines of n characters 0 or 1, or a .npy file.",
    ),
]
Name = Annotated[
    str | None,
    of_permutation(
        "--name",
        metavar="NAME",
        help=f"Name of the permutation: {', '.join(bmmc.NAMED)}, transpose:Q (2^Q rows).",
    ),
]
Complement = Annotated[
    str,
    of_permutation(
        "--complement", metavar="INT", help="The c of y = A x + c: 21, 0x15 or 0b10101."
    ),
]
Reproducible = Annotated[bool, of_choices("--reproducible", help="Same as --phases reproducible.")]
LocalForm = Annotated[str, _of(fft.LOCAL, of_choices)]
PERMUTATION = ("matrix", "name", "complement")
"""The options that state a permutation."""
PERMUTING = tuple(record.name for record in table.ALL if record.permutes)
COMPUTING = tuple(name for name, each in table.OPTIONS.items() if each.computes)
"""Those of some systems that change what is computed."""
GROUPS = {
    table.INPUT: of_layouts,
    table.OUTPUT: of_layouts,
    table.KERNEL: of_running,
    table.EXCHANGE: of_running,
    table.DTYPE: of_running,
}
"""The groups of the help, where they are others than that of algorithms."""
MORE = {
    table.KERNEL: ". The default is numpy.",
    table.EXCHANGE: ". The default is alltoall.",
    **{each: f" The default is {each.default}." for each in table.OF_DIRECTIONS},
    TYPE: "",
}
"""What the help says of options that are None where they are not stated, so that --tune knows what
it may choose, and systems refuse those that they do not have.
"""


def _asked(record: Record | None = None) -> dict[str, tuple[Any, Any]]:
    """Return the options of a request by their names, each with its type and its default."""
    found: dict[str, tuple[Any, Any]] = {
        "system": (AnySystem, None),
        "size": (AnySize, None),
        "ranks": (AnyRanks, None),
        "batch": (Batch, None),
    }
    for name, each in table.OPTIONS.items():
        kind = bool if DEFAULTS[name] is False else str
        stated = _of(each, GROUPS.get(each, of_choices), MORE.get(each, ""), record)
        left = each in MORE and not record
        found[name] = (
            Annotated[kind | None if left else kind, stated],
            None if left else DEFAULTS[name],
        )
    return found | {
        "matrix": (Matrix, None),
        "name": (Name, None),
        "complement": (Complement, "0"),
        "reproducible": (Reproducible, False),
    }


ASKED = _asked()
UNSTATED = {name: default for name, (_, default) in ASKED.items()}
"""The values of the options of a request that are not stated."""
NO_PERMUTATION = {name: UNSTATED[name] for name in PERMUTATION}
NEEDED = {"system": System, "size": SystemSize, "ranks": Ranks}
"""The types of what is no program without, where it has to be stated."""


def of_request(
    *without: str, needs: Sequence[str] = (), only: Sequence[str] = (), of: Record | None = None
) -> Callable[[Function], Function]:
    """Return a decorator that gives a command the options of a request, all but some or only these,
    those of one system or of all, beside those that it has itself; it gets the values of all in one
    dict.
    """
    asked = _asked(of) if of else ASKED
    types = {name: asked[name] for name in only or asked if name not in without}
    types |= {name: (NEEDED[name], Parameter.empty) for name in needs}

    def take(function: Function) -> Function:
        """Return the command with these options."""
        _, *own = signature(function, eval_str=True).parameters.values()
        parameters = {
            name: Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for name, (kind, default) in types.items()
        }
        parameters |= {each.name: each.replace(kind=Parameter.KEYWORD_ONLY) for each in own}

        def whole(**words: Any) -> Any:
            return function(words, **{each.name: words[each.name] for each in own})

        whole.__name__, whole.__doc__ = function.__name__, function.__doc__
        whole.__annotations__ = {each.name: each.annotation for each in parameters.values()}
        vars(whole)["__signature__"] = Signature([*parameters.values()])
        return whole  # type: ignore[return-value]  # commands are called by names alone

    return take


def stated_system(
    system: str | None,
    size: str | None,
    ranks: str | None,
    matrix: Path | None = None,
    or_formula: bool = True,
    formula: str | None = None,
) -> tuple[str, str, str]:
    """Return system, size and ranks, the size of a permutation from its matrix if it is not stated;
    raise ValueError where one is missing.
    """
    names_alone([system or ""])
    if size is None and system in PERMUTING and matrix is not None:
        size = f"2^{len(read_matrix(matrix))}"
    if system is None or size is None or ranks is None:
        missing = [
            name
            for name, value in (("SYSTEM", system), ("--size", size), ("--ranks", ranks))
            if value is None
        ]
        rule = "give SYSTEM --size N --ranks P"
        if formula is not None:
            rule = "a program of --formula needs --size N and --ranks P"
        elif or_formula and system is None:
            rule += ", or --formula EXPRESSION --size N --ranks P"
        raise ValueError(f"missing {', '.join(missing)}: {rule}")
    return system, size, ranks


def no_permutation(system: str, words: dict[str, Any]) -> None:
    """Raise ValueError where a permutation is stated for another system than permute."""
    if {name: words[name] for name in PERMUTATION} != NO_PERMUTATION:
        raise ValueError(
            f"{system} has no --matrix, --name or --complement; only {PERMUTING[0]} has them"
        )


def _same_bits(system: str, phases: str) -> str:
    """Return the phases of --reproducible; raise ValueError where others are stated, and for a
    system that has none.
    """
    option = table.OPTIONS["phases"]
    if system in RECORDS and option not in table.options_of(RECORDS[system]):
        only = table.owners_of(option)
        raise ValueError(f"{system} has no option --reproducible; only {only} it")
    if phases not in ("", bsp_variants.REPRODUCIBLE):
        raise ValueError(f"--reproducible with --phases {phases}: it chooses the phases itself")
    return bsp_variants.REPRODUCIBLE


def stated_program(words: dict[str, Any]) -> node_program.Program:
    """Return the program that a command's options ask for, by the names of its parameters."""
    matrix, name, c = (words[word] for word in ("matrix", "name", "complement"))
    formula = words.get("formula")
    if words.get("reproducible"):
        system = OF_FORMULA if formula is not None else words["system"]
        words = words | {"phases": _same_bits(system or "", words["phases"])}
    stated = {
        word: words[word]
        for word in table.OPTIONS.keys() & words.keys()
        if words[word] != UNSTATED[word]
    }
    system, size, ranks = stated_system(
        words["system"], words["size"], words["ranks"], matrix, "formula" in words, formula
    )
    if system in PERMUTING:
        if words.get("batch") is not None:
            raise ValueError(
                f"{system} has no option --batch; only {table.owners_of(table.BATCH)} it"
            )
        return program_calls.permute(
            size, ranks, name, matrix=matrix, complement=complement(c), **stated
        )
    no_permutation(system, words)
    sizes = shapes.stated(size, ranks, words.get("batch"))
    own = None
    if formula is not None:
        system, own = own_formulas.own_program(formula, words["values"], sizes)
    return node_program.Program(make_request(system, **sizes, formula=own, **stated))


def with_values(words: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a command with the values of all its --set in one text."""
    return words | {"values": ",".join(words["values"] or ())}


def list_names(known: Iterable[str], given: Mapping[str, object]) -> None:
    """Print names, one per line; raise ValueError where a command gives anything else."""
    if others := [name for name, value in given.items() if value]:
        raise ValueError(f"--list with {', '.join(others)}: --list only shows the names")
    for name in known:
        console.say(name)


def names_alone(words: Iterable[str]) -> None:
    """Raise ValueError where an equation stands in the place of a name."""
    for word in words:
        if "=" in word:
            raise ValueError(f"{word!r} is an equation: write --formula {word!r}")


def need_formula(formula: str | None, values: str) -> None:
    """Raise ValueError where values are stated, and no equation the symbols of which have them."""
    if values and formula is None:
        raise ValueError(f"--set {values}: values are for the symbols of --formula 'LEFT = RIGHT'")
