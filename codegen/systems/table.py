"""All systems, and the options that several of them have."""

from __future__ import annotations

from collections.abc import Callable

from codegen.systems.exchanges import EXCHANGES, WAYS, Way
from codegen.systems.fft import FFT
from codegen.systems.fht import FHT
from codegen.systems.formula import OF_OWN
from codegen.systems.hypercube_fft import HYPERCUBE_FFT
from codegen.systems.options import BUTTERFLY_KERNELS, COMPLEX, DIRECTIONS, KERNELS, NORMS, REAL
from codegen.systems.permute import PERMUTE
from codegen.systems.record import RECORDS, Option, System
from codegen.systems.rfft import RFFT
from codegen.systems.wht import WHT
from derive.digits import layouts
from derive.formula import layout

ALL = (FFT, PERMUTE, HYPERCUBE_FFT, FHT, RFFT, WHT)
SYSTEMS = tuple(record.name for record in ALL)
RECORDS.update({record.name: record for record in (*ALL, OF_OWN)})


def having(test: Callable[[System], object], between: str = ", ") -> str:
    """Return the names of the systems for which a test holds.

    >>> having(lambda record: record.of_axes)
    'fft, fht'
    """
    return between.join(record.name for record in ALL if test(record))


def _remarked(way: Way) -> str:
    """Return a way in which messages travel with what the help says of it: which systems have it,
    and its remark.
    """
    owners = having(lambda record: way.name in record.exchanges)
    return f"{way.name} ({'; '.join(each for each in (owners, way.remark) if each)})"


def _owned(kernels: str) -> str:
    return f"{kernels} ({having(lambda record: kernels in record.kernels)})"


_OF_SOME = [_remarked(way) for way in WAYS.values() if way.name not in EXCHANGES]
_OWN_LAYOUTS = "".join(
    f" For {record.name} also {', '.join(record.layouts)}." for record in ALL if record.layouts
)
INPUT = Option(
    "input",
    "L",
    f"Input layout: {layout.AFFINE_LAYOUTS} (f:K: the rank is bits K, K+1, .. of an index)."
    f"{_OWN_LAYOUTS} For arrays {layouts.NAMES}: one for all axes, or one per axis, separated by"
    " commas.",
)
OUTPUT = Option(
    "output", "L", "Output layout, one of the input layouts; the default is block (fht: hartley)."
)
EXCHANGE = Option(
    "exchange",
    "X",
    f"How messages are sent: {', '.join(EXCHANGES)}; also {', '.join(_OF_SOME[:-1])} and"
    f" {_OF_SOME[-1]}",
)
KERNEL = Option(
    "kernels",
    "K",
    f"Implementation of local computations: {', '.join(BUTTERFLY_KERNELS)}; also"
    f" {' and '.join(_owned(name) for name in KERNELS if name not in BUTTERFLY_KERNELS)}",
    KERNELS,
)
DTYPE = Option(
    "dtype",
    "T",
    f"Type of the elements: {', '.join(COMPLEX)}; for"
    f" {having(lambda record: record.dtypes == REAL, ' and ')} {', '.join(REAL)}; for"
    f" {having(lambda record: not record.dtypes, ' and ')} any numpy dtype of fixed size, such as"
    " i4,f8.",
)
DIRECTION = Option(
    "direction",
    "D",
    "forward, with exp(-2 pi i jk/N) as in numpy, or backward, the inverse.",
    DIRECTIONS,
)
NORM = Option("norm", "NORM", f"Normalization, as in numpy: {', '.join(NORMS)}.", NORMS)
BATCH = Option(
    "batch",
    "B",
    f"Number of arrays, stacked along a new leading axis ({having(lambda each: each.of_axes)}).",
)
COMMON = (INPUT, OUTPUT, DIRECTION, NORM, KERNEL, EXCHANGE, DTYPE)
OPTIONS = {
    option.name: option
    for option in (*COMMON, *(each for record in ALL for each in record.options))
}
"""The options of all systems by their names, those of several systems first."""
