"""Requests for programs: their words are checked, and those that are not stated filled in; the
command that asks for one.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from codegen import shapes
from codegen.elements import check_dtype, dtype_name
from codegen.program.hartley_program import ALGORITHMS
from codegen.system_table import (
    CHOICES,
    COMMON,
    EXCHANGE,
    OPTIONS,
    SYSTEMS,
    having,
    one_of,
    options_of,
    owners_of,
)
from codegen.systems.exchanges import ALL_TO_ALL, EXCHANGES, SHARED, WAYS
from codegen.systems.options import COMPLEX, NUMPY
from codegen.systems.record import DEFAULTS, RECORDS, Request
from derive.call_arguments import integer, named, sequence, text, texts, unknown
from derive.digits.part_layouts import BALANCED
from derive.formula import affine_layouts
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.papers.hartley_layouts import placement

COMMON_WORDS = tuple(each.name for each in COMMON)
WORDS = (*dict.fromkeys((*CHOICES, "permutation", *COMMON_WORDS, *OPTIONS)),)
"""The fields that a command states where they are not the default, in their order."""
OF_FILE = "bmmc:"
"""What the names of layouts begin with that are read from a file."""
MOST_KEPT = 1024
"""So many requests are kept as they were completed."""
TEXTS = (
    "system",
    *sorted(
        {*OPTIONS} - {"dtype", "convolve", "input", "output", "axes", "modulus", "root", "type"}
    ),
)


def make_request(system: str, N: int, P: int, *stated: Any, **options: Any) -> Request:
    """Return a request for a program, as `complete` fills it in.

    The arguments are the fields of Request; "", None and False state nothing. The output is `block`
    if none is named, of `fht` its own. `permute` wants its permutation of N indices;
    `hypercube-fft` takes a scheme, and `fht` an algorithm. `fft` takes the sizes of its phases and
    how a rank does one (derive/papers/bsp_variants.py), or a formula: a factorization of F_N of
    one's own.

    >>> make_request("fht", 64, 4).output, make_request("hypercube-fft", 64, 4).scheme
    ('hartley', '3')
    """
    given = options.items()
    _check_owners(system, [x for x, it in given if not isinstance(it, str | bool | None) or it])
    return complete(Request(system, N, P, *stated, **options))


def complete(request: Request) -> Request:
    """Return a request with the words that it does not state filled in; raise ValueError for words
    that there are not, or that do not go together.

    Nothing is searched for: the grid of an array is left open, the file of a layout bmmc:FILE
    unread, and whether ranks can exchange what they must is said by codegen/program/resolve.py.

    >>> complete(Request("fft", 64, 4, kernels="numba")).output
    'block'
    """
    _check_owners(
        request.system,
        [name for name, each in OPTIONS.items() if getattr(request, name) != each.default],
    )
    return _completed(replace(request, **_of_their_kinds(request)))


@lru_cache(MOST_KEPT)
def _completed(request: Request) -> Request:
    """Return a request of words of their kinds with all of them filled in."""
    _check_words(request)
    _check_choices(request)
    shares = SHARED in request.record.exchanges and request.P > 1
    if request.way.of_nodes and not shares:
        request = replace(request, exchange=ALL_TO_ALL)
    usual = _usual(request).items()
    request = replace(request, **{name: it for name, it in usual if not getattr(request, name)})
    if request.record.arrays:
        request = replace(request, **request.record.arrays.fill(request))
    _check_sizes(request)
    request = replace(request, **request.record.settle(request))
    request.record.check(request)
    check_dtype(request.record.dtypes, request.dtype)
    return request


def command(request: Request) -> str:
    """Return the command that makes a program.

    >>> command(make_request("fft", 16, 2, "cyclic"))
    'nodewright generate fft --size 16 --ranks 2 --input cyclic'
    """
    what = request.system
    if request.formula is not None:
        left = "" if request.record.of_expressions else f"{shapes.left_side(request)} = "
        what = f"--formula {shlex.quote(f'{left}{request.formula}')}"
    default = DEFAULTS | _usual(request) | {"scheme": ""}
    words = [
        _word(name, value) for name in WORDS if (value := getattr(request, name)) != default[name]
    ]
    size, ranks = shapes.said(request.shape, request.N), shapes.said(request.grid, request.P)
    ranks += f" --batch {request.batch}" * (request.batch > 0)
    return " ".join([f"nodewright generate {what} --size {size} --ranks {ranks}", *words])


def _word(name: str, value: Any) -> str:
    """Return the option that states a field."""
    if isinstance(value, Bmmc):
        return _stated(value)
    return f"--{name}" if value is True else f"--{name} {shlex.quote(value)}"


def _stated(permutation: Bmmc) -> str:
    """Return the options that state a permutation."""
    known = permutation.name.partition(":")[0] in (*bmmc.NAMED, "transpose")
    usual = bmmc.named(permutation.name, permutation.address.bits).c if known else 0
    name = f"--name {permutation.name}" if known else f"--matrix {shlex.quote(permutation.name)}"
    c = permutation.address.c ^ usual
    return name + (f" --complement {c}" if c else "")


def _usual(request: Request) -> dict[str, Any]:
    """Return what is filled in where nothing is stated."""
    dtype = (request.record.dtypes or COMPLEX)[0]
    return {"output": "block", "dtype": dtype} | request.record.fill(request)


def _check_owners(system: str, stated: Iterable[str]) -> None:
    """Raise ValueError for an option that is stated, though only other systems have it."""
    if system not in RECORDS:
        return
    own = options_of(RECORDS[system])
    for name in stated:
        if name in OPTIONS and OPTIONS[name] not in own:
            has = f"{system} has no option {named(name)}"
            raise ValueError(f"{has}; only {owners_of(OPTIONS[name])} it")


def _of_their_kinds(request: Request) -> dict[str, Any]:
    """Return integers, texts and the name of the dtype; raise ValueError for other kinds."""
    if not isinstance(request.convolve, bool):
        raise ValueError(f"convolve must be True or False; got {request.convolve!r}")
    return {
        "dtype": dtype_name(request.dtype),
        **{name: integer(getattr(request, name), name) for name in ("N", "P", "batch")},
        **{name: tuple(getattr(request, name)) for name in ("shape", "grid")},
        **{name: text(getattr(request, name), name) for name in TEXTS},
        **{name: texts(getattr(request, name), name) for name in ("input", "output")},
        "axes": _of_axes(request.axes),
        **{name: _of_integer(getattr(request, name), name) for name in ("modulus", "root")},
        "type": str(request.type),
    }


def _of_integer(value: Any, name: str) -> str:
    """Return an integer as text; a text is left as it is."""
    return value if isinstance(value, str) else str(integer(value, name))


def _of_axes(axes: Any) -> str:
    """Return axes as text, which may be an integer, several, or None for all; raise ValueError for
    none.
    """
    several = sequence("" if axes is None else axes)
    if isinstance(several, str):
        return several
    each = several if isinstance(several, tuple | list) else (several,)
    if not each:
        raise ValueError(
            "axes must name at least one axis; got (); for all of them, leave axes out"
        )
    return ",".join(str(integer(axis, "axes")) for axis in each)


def _check_words(request: Request) -> None:
    """Raise ValueError for a word that is not known."""
    if request.system not in RECORDS:
        raise unknown("system", request.system, SYSTEMS, rule="the systems are")
    record = request.record
    for option in options_of(record):
        value, values = getattr(request, option.name), option.values(record)
        if option.only and option.known and value not in (*values, option.default):
            allowed = _taken(request) if option is EXCHANGE else values
            one_of(option, value, record, allowed)


def _taken(request: Request) -> Sequence[str]:
    """Return the exchanges that go with the rest of a request."""
    if not request.is_by_bits:
        known = request.record.arrays.exchanges if request.record.arrays else EXCHANGES
        return [way for way in request.record.ways if way in known or WAYS[way].otherwise]
    others = (
        request.phases
        or request.local
        or request.kernels != NUMPY
        or request.algorithm == ALGORITHMS[1]
    )
    return [way for way in request.record.ways if not (WAYS[way].ahead and others)]


def _check_choices(request: Request) -> None:
    """Raise ValueError for a choice that the system does not have."""
    record = RECORDS[request.system]
    if (request.permutation is not None) != record.permutes:
        only = having(lambda each: each.permutes)
        raise ValueError(
            f"{request.system} needs a permutation"
            if record.permutes
            else f"only {only} has a permutation; got {request.system}"
        )
    if (
        request.formula is not None
        and not record.of_expressions
        and (not record.of_factorizations or request.phases or request.local)
    ):
        raise ValueError(
            f"{named('phases')} and {named('local')} cannot be combined with a formula, which must"
            f" be one for {having(lambda each: each.of_factorizations)}"
        )


def _check_sizes(request: Request) -> None:
    """Raise ValueError for sizes that the system does not take."""
    if (request.shape or request.grid or request.batch) and not request.record.arrays:
        raise ValueError(
            f"{request.system} does not support several axes or batches; use"
            f" {having(lambda record: record.of_axes, ' or ')}"
        )
    if request.formula is not None and request.formula.size != request.N:
        raise ValueError(
            f"the formula must have N = {request.N} elements; got {request.formula.size}"
        )
    if not request.shape:
        request.record.sizes(request)
        _check_layouts(request)


def _check_layouts(request: Request) -> None:
    """Raise ValueError if a layout of a vector is not known; that of a file is not read.

    >>> _check_layouts(Request("fft", 16, 4, "cylic", "block"))
    Traceback (most recent call last):
    ValueError: unknown layout 'cylic', perhaps cyclic: the layouts are block, cyclic, group-cyclic:R, f:K, bit-reversed, scrambled, bmmc:FILE, balanced
    """  # noqa: E501
    for name in (request.input, request.output):
        if name.startswith(OF_FILE):
            continue
        if request.record.is_hartley:
            placement(name, request.N, request.P)
        else:
            others = (BALANCED,) * request.record.has_unequal
            affine_layouts.named(name, request.N, request.P, others)


def reads_files(request: Request) -> bool:
    """Return whether a layout is read from a file, which may be another one tomorrow.

    >>> reads_files(Request("fft", 16, 4, "bmmc:A.txt", "block"))
    True
    """
    return any(name.startswith(OF_FILE) for name in (request.input, request.output))
