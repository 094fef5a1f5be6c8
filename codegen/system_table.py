"""All systems, and the options that several of them have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codegen.systems.dct import DCT, DST
from codegen.systems.exchanges import EXCHANGES, WAYS, Way
from codegen.systems.fft import FFT
from codegen.systems.fht import FHT
from codegen.systems.formula import OF_EXPRESSION, OF_OWN
from codegen.systems.hypercube_fft import HYPERCUBE_FFT
from codegen.systems.ntt import NTT
from codegen.systems.options import BUTTERFLY_KERNELS, COMPLEX, DIRECTIONS, KERNELS, NORMS, REAL
from codegen.systems.permute import PERMUTE
from codegen.systems.record import RECORDS, Option, System
from codegen.systems.rfft import RFFT
from codegen.systems.wht import WHT
from derive.call_arguments import unknown
from derive.formula import affine_layouts
from derive.formula.transforms import F

ALL = (FFT, PERMUTE, HYPERCUBE_FFT, FHT, RFFT, WHT, NTT, DCT, DST)
SYSTEMS = tuple(record.name for record in ALL)
RECORDS.update({record.name: record for record in (*ALL, OF_OWN, OF_EXPRESSION)})


def having(test: Callable[[System], object], between: str = ", ") -> str:
    """Return the names of the systems for which a test holds.

    >>> having(lambda record: record.of_axes)
    'fft, fht, rfft, dct, dst'
    """
    return between.join(record.name for record in ALL if test(record))


def record_of(name: str) -> System:
    """Return the record of a system; raise ValueError for another word.

    >>> record_of("fft").of_axes
    True
    """
    if name not in SYSTEMS:
        raise unknown("system", name, SYSTEMS, rule="the systems are")
    return RECORDS[name]


def _remarked(way: Way) -> str:
    """Return a way in which messages travel with what the help says of it: which systems have it,
    and its remark.
    """
    owners = having(lambda record: way.name in record.exchanges)
    return f"{way.name} ({'; '.join(each for each in (owners, way.remark) if each)})"


def _owned(kernels: str) -> str:
    return f"{kernels} ({having(lambda record: kernels in record.kernels)})"


_OF_SOME = [_remarked(way) for way in WAYS.values() if way.name not in EXCHANGES]
_SENT, _COMPUTED = "How messages are sent", "Implementation of local computations"
_TYPED, _DIRECTED = "Type of the elements", "Direction of the transform"
_NORMED = "Normalization, as in numpy"


def _input_of(records: Sequence[System]) -> str:
    of_vectors = [one for one in records if one.of_vectors]
    affine = ", ".join(affine_layouts.AFFINE_LAYOUTS)
    of_axes = dict.fromkeys(name for one in of_vectors if one.arrays for name in one.arrays.layouts)
    words = [f"{affine} (f:K: the rank is bits K, K+1, .. of an index)"] * bool(of_vectors)
    for one in records:
        also, own = ("also ", one.own_layouts) if one in of_vectors else ("", one.layouts)
        words += [f"{f'For {one.name} {also}' * bool(words)}{', '.join(own)}"] * bool(own)
    if of_axes:
        each = "one for all axes, or one per axis, separated by commas"
        words += [f"For arrays {', '.join(of_axes)}: {each}"]
    return f"Input layout: {'. '.join(words)}."


def _output_of(records: Sequence[System]) -> str:
    own = ", ".join(f"{one.name}: {one.own_layouts[0]}" for one in records if one.own_layouts)
    return f"Output layout, one of the input layouts; the default is block{own and f' ({own})'}."


INPUT = Option("input", "L", _input_of(ALL))
OUTPUT = Option("output", "L", _output_of(ALL))


def _directions(roots: bool = True) -> tuple[str, ...]:
    forward, backward = DIRECTIONS
    remark = " (F_N has exp(-2 pi i jk/N), as in numpy)" * roots
    return f"{forward}{remark}", f"{backward} (the inverse)"


EXCHANGE = Option(
    "exchange",
    "X",
    f"{_SENT}: {', '.join(EXCHANGES)}; also {', '.join(_OF_SOME[:-1])} and {_OF_SOME[-1]}",
    FFT.ways,
    of_system="ways",
    what=_SENT,
)
KERNEL = Option(
    "kernels",
    "K",
    f"{_COMPUTED}: {', '.join(BUTTERFLY_KERNELS)}; also"
    f" {' and '.join(_owned(name) for name in KERNELS if name not in BUTTERFLY_KERNELS)}",
    KERNELS,
    of_system="kernels",
    what=_COMPUTED,
)


def _other_types() -> str:
    names = dict[tuple[str, ...], list[str]]()
    for record in ALL:
        names.setdefault(record.dtypes, []).append(record.name)
    others = {types: of for types, of in names.items() if types not in ((), COMPLEX)}
    return "".join(f"; for {', '.join(of)} {', '.join(types)}" for types, of in others.items())


DTYPE = Option(
    "dtype",
    "T",
    f"{_TYPED}: {', '.join(COMPLEX)}{_other_types()}; for"
    f" {having(lambda record: not record.dtypes)} any numpy dtype of fixed size, such as i4,f8.",
    (*COMPLEX, *REAL),
    only=False,
    of_system="dtypes",
    what=_TYPED,
)
DIRECTION = Option(
    "direction",
    "D",
    f"{_DIRECTED}: {', '.join(_directions())}.",
    DIRECTIONS,
    of_calls=False,
    what=_DIRECTED,
)
NORM = Option("norm", "NORM", f"{_NORMED}: {', '.join(NORMS)}.", NORMS, what=_NORMED)
BATCH = Option(
    "batch",
    "B",
    f"Number of arrays, stacked along a new leading axis ({having(lambda each: each.of_axes)}).",
)
COMMON = (INPUT, OUTPUT, DIRECTION, NORM, KERNEL, EXCHANGE, DTYPE)
OF_DIRECTIONS = (DIRECTION, NORM)
"""The options of a system that has a direction."""
OPTIONS = {
    option.name: option
    for option in (*COMMON, *(each for record in ALL for each in record.options))
}
"""The options of all systems by their names, those of several systems first."""


CHOICES = tuple(
    each.name for record in ALL for each in record.options if each.of_calls and not each.computes
)
"""The options that choose among the programs of a system for the same result."""


def options_of(record: System) -> tuple[Option, ...]:
    """Return the options of a system, its own last.

    >>> [option.name for option in options_of(PERMUTE)]
    ['input', 'output', 'kernels', 'exchange', 'dtype']
    """
    common = (each for each in COMMON if record.directed or each not in OF_DIRECTIONS)
    return (*common, *(BATCH,) * record.of_axes, *record.options)


def help_of(option: Option, record: System) -> str:
    """Return the help of an option with the values that one system has for it.

    >>> print(help_of(KERNEL, PERMUTE), help_of(INPUT, RFFT))
    Implementation of local computations: numpy, numba, gray. Input layout: block, cyclic-pairs.
    """
    of_layouts = {INPUT: _input_of, OUTPUT: _output_of}
    if option in of_layouts:
        return of_layouts[option]([record])
    integers = record.has("modulus")  # which have no root of N
    own = {
        DIRECTION: _directions(record.matrix is F and not integers),
        NORM: NORMS[:1] if integers else NORMS,
    }
    values = own.get(option, option.values(record) if option.of_system else ())
    remarks = {way.name: f" ({way.remark})" for way in WAYS.values() if way.remark}
    shown = ", ".join(f"{each}{remarks.get(each, '')}" for each in values)
    return f"{option.what}: {shown}." if shown else option.help


def owners_of(option: Option) -> str:
    """Return which systems have an option.

    >>> owners_of(BATCH)
    'fft, fht, rfft, dct and dst have'
    """
    owners = [record.name for record in ALL if option in options_of(record)]
    return f"{listed_names(owners)} {'have' if owners[1:] else 'has'}"


def listed_names(names: Sequence[str]) -> str:
    """Return names, at least one, in words: `fft, fht and wht`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def one_of(option: Option, value: str, record: System, allowed: Sequence[str]) -> None:
    """Raise ValueError for a value that is not allowed, with the nearest one that is, and with the
    systems that have it.

    >>> one_of(NORM, "otho", FFT, NORM.values(FFT))
    Traceback (most recent call last):
    ValueError: unknown norm 'otho', perhaps ortho: choose from backward, ortho, forward
    >>> one_of(KERNEL, "gray", FHT, KERNEL.values(FHT))
    Traceback (most recent call last):
    ValueError: unknown kernel 'gray': choose from numpy, numba; gray is available for permute
    >>> from codegen.systems.record import RESULT
    >>> one_of(RESULT, "dft", RFFT, RESULT.values(RFFT))
    Traceback (most recent call last):
    ValueError: unknown result 'dft': choose from spectrum; dft is available for fht
    """
    if value in allowed:
        return
    own = option.of_system
    having_it = [record.name for record in ALL if own and value in getattr(record, own)]
    available = ""
    if having_it:
        available = f"; {value} is available for {listed_names(having_it)}"
    wrong = unknown(option.name.removesuffix("s"), value, allowed, rule="choose from")
    raise ValueError(f"{wrong}{available}")
