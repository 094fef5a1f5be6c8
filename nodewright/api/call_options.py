"""The options of programs and of calls that run them, read from the records of the systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from re import search
from textwrap import fill
from typing import Any, TypedDict, TypeVar

from numpy.typing import DTypeLike

from codegen.system_table import BATCH, DTYPE, help_of, options_of
from codegen.systems.record import Option, System
from derive.call_arguments import needs_arguments, perhaps

Layouts = str | Sequence[str]
"""A layout by its name, or one for each axis: "cyclic,block", ("cyclic", "block")."""
Described = TypeVar("Described", bound=Callable[..., Any])
COLUMNS = 96
"""The width of a list of options in a docstring."""


class Running(TypedDict, total=False):
    """The types of options; the record of a system says which of them it has."""

    norm: str
    kernels: str
    exchange: str
    batch: int
    grid: Sequence[int]
    axes: int | str | Sequence[int]
    type: int | str
    phases: str
    local: str
    modulus: int | str
    root: int | str
    scheme: str | int
    algorithm: str
    result: str
    convolve: bool


class Calling(Running, total=False):
    """Those, and what calls have that do not state it otherwise."""

    dtype: DTypeLike


class Options(Calling, total=False):
    """Those, and what calls state otherwise."""

    input: Layouts
    output: Layouts
    direction: str


FIXED = ("input", "output", "kernels")
"""The options with which the search for factorizations decides."""
GRID = Option("grid", "P,P,..", "Number of ranks on each axis of the input.")
"""An option of calls: a program has its grid from the number of ranks."""


def of_programs(record: System) -> tuple[Option, ...]:
    """Return the options of the programs of a system."""
    return options_of(record)


def of_calls(record: System) -> tuple[Option, ...]:
    """Return the options of a transform that is called, forward and backward.

    >>> from codegen.systems.permute import PERMUTE
    >>> [option.name for option in of_calls(PERMUTE)]
    ['input', 'output', 'kernels', 'exchange', 'dtype']
    """
    own = (one for one in options_of(record) if one.of_calls or one.name in record.called)
    return (*own, *(GRID,) * record.of_axes)


def of_search(record: System) -> tuple[Option, ...]:
    """Return the options of the search for factorizations of a system."""
    return tuple(each for each in options_of(record) if each.name in FIXED)


SECTIONS: dict[str, dict[str, str]] = {
    of_programs.__name__: {
        "Returns": "    Returns:\n        The program; `text` is its source.\n\n",
        "Raises": "    Raises:\n        ValueError: no program supports this request.\n\n",
    },
    of_calls.__name__: {
        "Raises": "    Raises:\n        ValueError: no program has these options, or the ranks"
        " request others; on all ranks.\n"
        "        RuntimeError: MPI makes no further communicator.\n\n"
    },
    of_search.__name__: {},
}
"""What the docstrings say of all programs, and of all transforms that are called."""


def known(stated: Any, options: Iterable[Option], of: str, others: Iterable[str] = ()) -> Any:
    """Return stated options; raise ValueError for one that is neither among these nor among others.

    >>> from codegen.systems.permute import PERMUTE
    >>> known({"colour": "red"}, of_calls(PERMUTE), "permute")
    Traceback (most recent call last):
    ValueError: unknown option colour: the options of permute are input, output, kernels, exchange, dtype
    """  # noqa: E501
    names = [option.name for option in options]
    for name in stated:
        if name not in {*names, *others}:
            near = perhaps(name, {*names, *others})
            if name == GRID.name:
                near = ", which is given as ranks, such as (4, 2)"
            raise ValueError(
                f"unknown option {name}{near}: the options of {of} are {', '.join(names)}"
            )
    return stated


def describe(
    record: System, options: Callable[[System], tuple[Option, ...]] = of_programs
) -> Callable[[Described], Described]:
    """Return a decorator that gives a function or a class the options of a system: keywords of its
    signature, and a list below `options:` in its docstring. A call without an argument that it
    needs, or with too many, raises ValueError.
    """

    def describe_one(thing: Any) -> Any:
        """Return the function or the class, with its options."""
        own = signature(thing)
        thing = needs_arguments(thing)
        *parameters, others = own.parameters.values()
        keywords = [
            Parameter(each.name, Parameter.KEYWORD_ONLY, default=_default(each, record))
            for each in options(record)
            if each.name not in own.parameters
        ]
        left = [others] * (others.name != "options")
        whole = own.replace(parameters=[*parameters, *keywords, *left])
        thing.__signature__ = whole
        text = thing.__doc__ or ""
        listed = (
            one
            for one in options(record)
            if not search(rf"\n +([\w, ]+, )?{one.name}[\w, ]*:", text)
        )
        thing.__doc__ = _listing(text, record, listed, SECTIONS[options.__name__])
        return thing

    return describe_one


def _default(option: Option, record: System) -> Any:
    """Return the value of an option where it is not stated."""
    if option in (GRID, BATCH):
        return None
    return record.dtypes[0] if option is DTYPE and record.dtypes else option.default


def _listing(
    text: str, record: System, options: Iterable[Option], sections: Mapping[str, str]
) -> str:
    """Return a docstring with a list of options below what it says of `options`, and then with the
    sections that it lacks.
    """
    before, mark, after = text.partition("        options: ")
    words, end, rest = after.partition("\n\n")
    items = (
        fill(
            f"{each.name}: {help_of(each, record)}",
            COLUMNS,
            initial_indent=" " * 12 + "- ",
            subsequent_indent=" " * 14,
        )
        for each in options
    )
    missing = "".join(each for name, each in sections.items() if f"    {name}:" not in text)
    rest = rest.replace("    Examples:", f"{_reference(record) * bool(sections)}    Examples:", 1)
    return f"{before}{mark}{words}\n\n" + "\n".join(items) + end + missing + rest if mark else text


def _reference(record: System) -> str:
    """Return the section of a docstring that says where a system is described."""
    indent = " " * 8
    text = fill(record.reference, COLUMNS, initial_indent=indent, subsequent_indent=indent)
    return f"    References:\n{text}\n\n" * bool(text)
