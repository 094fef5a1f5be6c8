"""BMMC permutations of a numpy array, without MPI: y[A i + c] = x[i] nearly as fast as a copy."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, cached_property, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from codegen.elements import fixed_size
from codegen.kernels.permute.kernel_text import LINE, module_of
from codegen.kernels.permute.numpy_plan import PAGE, SCATTERED, rank
from codegen.kernels.permute.permutation_tiles import STREAM_FROM, Records, lg, plan, tables
from derive.call_arguments import integer, needs_arguments, unknown
from derive.gf2.bits import Affine
from derive.gf2.matrix_files import map_of
from derive.lazy import lazily
from nodewright.runtime.loading import loaded, with_kernels

if TYPE_CHECKING:
    from codegen.kernels import lines as lanes
    from codegen.kernels.permute import gray, records
else:
    lanes = lazily("codegen.kernels.lines")
    gray, records = (
        lazily("codegen.kernels.permute.gray"),
        lazily("codegen.kernels.permute.records"),
    )

KERNELS = ("tiles", "gray")
"""Tiles of whole cache lines, or elements in Gray-code order (Cormen and Bruhl 1997, App. B)."""
KEPT = 64
"""So many plans of `permute_local` are kept."""
DETOUR = 8
"""An array so many times as large as one that is streamed no longer fits the caches: a stream and a
copy beat scattered plain stores.
"""

Work = Callable[[NDArray[Any], NDArray[Any]], None]
"""What fills the second array from the first."""


@needs_arguments
def aligned(count: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an uninitialised, 64-byte aligned array of `count` elements; numpy aligns to 16 bytes.

    Args:
        count: the number of elements, >= 0.
        dtype: a dtype of fixed size.

    Returns:
        The array, of shape (count,).

    Raises:
        ValueError: the count is not an integer >= 0, or the dtype has no fixed size.

    Examples:
        >>> aligned(3, "f8").ctypes.data % 64
        0
    """
    if integer(count, "count") < 0:
        raise ValueError(f"count = {count}: a number of elements is at least 0")
    made: NDArray[Any] = lanes.aligned(int(count), fixed_size(dtype))
    return made


@needs_arguments
class LocalPlan:
    """A plan of the permutation y[A j + c] = x[j] of 2^n elements in one process.

    Threads may share a plan.

    Args:
        A: n x n matrix of zeros and ones, bit 0 first, or a map from `nw.permutation`, whose
            complement is added to c.
        c: the complement, an integer of n bits.
        dtype: the dtype of an element, any of a fixed size, records included.
        kernel: `tiles`, or `gray` for comparison.

    Raises:
        ValueError: A is not square or is singular (naming rows that add up to zero), c has more
            than n bits, the dtype has no fixed size, the kernel is unknown, or 2^n elements do not
            fit the memory.

    Examples:
        >>> LocalPlan([[0, 1], [1, 0]], 0, int).perform(np.arange(4)).tolist()
        [0, 2, 1, 3]
    """

    def __init__(
        self,
        A: ArrayLike | Affine,
        c: int,
        dtype: DTypeLike,
        kernel: str = "tiles",
        stream_from: int = STREAM_FROM,
    ) -> None:
        self.address, self.dtype, self.kernel = address_of(A, c), fixed_size(dtype), _known(kernel)
        self.stream_from = stream_from
        with_kernels(kernel)
        reserved(1 << self.address.bits, self.dtype)
        self._lock = Lock()
        size = self.dtype.itemsize << self.address.bits
        streaming = size >= stream_from
        self._work = (
            _gray(self.address, self.dtype.itemsize)
            if kernel == "gray"
            else _tiles(self.address, self.dtype.itemsize, streaming)
        )
        self._scattered = (
            kernel == "tiles"
            and size >= DETOUR * stream_from
            and _is_scattered(self.address, self.dtype.itemsize)
        )

    def __eq__(self, other: object) -> bool:
        """Return whether another plan is of the same permutation, dtype and kernel."""
        return isinstance(other, LocalPlan) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((self.address, self.dtype, self.kernel, self.stream_from))

    def __reduce__(self) -> tuple[type[LocalPlan], tuple[Any, ...]]:
        """Return what makes the plan anew, in another process as well."""
        return LocalPlan, (self.address, 0, self.dtype, self.kernel, self.stream_from)

    def __repr__(self) -> str:
        n = self.address.bits
        return f"<LocalPlan of 2^{n} elements of {self.dtype}, kernel {self.kernel}>"

    def perform(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return y with y[A i + c] = x[i]: `out`, or a new 64-byte aligned array.

        An `out` of 8 MiB or more should be 64-byte aligned, as `aligned` makes it; otherwise the
        call takes about twice the time. From 64 MiB on it may use a buffer, which the plan caches.

        Raises:
            ValueError: an array has another length or dtype or is not contiguous, or `out` overlaps
                x or is read-only.
        """
        _fit(x, out, self.address.bits, self.dtype)
        y = aligned(x.size, self.dtype) if out is None else out
        if not self.detours(y):
            self._work(x, y)
            return y
        with self._lock:  # the plan has one spare array
            self._work(x, self._spare)
            return _copied(self._spare, y)

    def detours(self, y: NDArray[Any]) -> bool:
        """Return whether `perform` fills y through a buffer as y is not aligned; raise nothing."""
        return self._scattered and not lanes.begins_on_line(y)

    @cached_property
    def _spare(self) -> NDArray[Any]:
        """The buffer that stands in for an `out` that does not begin on a line."""
        return aligned(1 << self.address.bits, self.dtype)


@needs_arguments
def permute_local(
    A: ArrayLike | Affine,
    c: int,
    x: NDArray[Any],
    out: NDArray[Any] | None = None,
    kernel: str = "tiles",
) -> NDArray[Any]:
    """Return y with y[A i + c] = x[i] for a contiguous array of 2^n elements.

    Args:
        A: as for `LocalPlan`.
        c: the complement, an integer of n bits.
        x: 2^n contiguous elements, left unchanged.
        out: a contiguous array for the result, which does not overlap x.
        kernel: `tiles`, or `gray` for comparison.

    Returns:
        `out`, or a new 64-byte aligned array. The plan is cached for the next call.

    Raises:
        ValueError: as for `LocalPlan` and its `perform`.

    References:
        Cormen (1997), section 2, for BMMC permutations.

    Examples:
        >>> permute_local([[1, 1], [0, 1]], 1, np.array([10, 11, 12, 13])).tolist()
        [11, 10, 12, 13]
    """
    if not isinstance(x, np.ndarray):
        raise ValueError(f"x must be a contiguous array of 2^n elements; got {type(x).__name__}")
    address = address_of(A, c)
    _fit(x, out, address.bits, x.dtype)  # before tables are made for 2^n elements
    plan = _kept(address, x.dtype, _known(kernel))
    if out is None or not plan.detours(out):
        return plan.perform(x, out)
    # an array that is kept with a plan would be there 64 times
    return _copied(plan.perform(x), out)


@lru_cache(KEPT)
def _kept(address: Affine, dtype: np.dtype[Any], kernel: str) -> LocalPlan:
    return LocalPlan(address, 0, dtype, kernel)


def _copied(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Return y after the bytes of x are copied there."""
    np.copyto(y.view(np.uint8), x.view(np.uint8))
    return y


def _known(kernel: Any) -> str:
    """Return the name of a kernel; raise ValueError for anything else."""
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise unknown("kernel", kernel, KERNELS, rule="choose from")
    return kernel


def address_of(A: ArrayLike | Affine, c: int) -> Affine:
    """Return j -> A j + c, the complement of an Affine map added to c; A may be its packed columns.

    Raises ValueError where A is a name or not square, or c is no integer of as many bits.
    """
    if isinstance(A, str):
        raise ValueError(
            f"A must be a matrix; got the name {A!r}; give nodewright.permutation({A!r}, n) for 2^n"
            " elements"
        )
    c, map_ = integer(c, "c"), map_of(A)
    if map_.bits != map_.rows:
        raise ValueError(f"A must be square; got a {map_.rows} x {map_.bits} matrix")
    return Affine(map_.columns, map_.rows, map_.c ^ Affine((), map_.rows, c).c)


def reserved(count: int, dtype: np.dtype[Any]) -> None:
    """Raise ValueError unless the memory has room for an array of so many elements; none of it is
    used.

    >>> reserved(2**62, np.dtype("f8"))
    Traceback (most recent call last):
    ValueError: 4611686018427387904 elements of float64 in one process: 2^65 bytes do not fit the memory
    """  # noqa: E501
    try:
        np.empty(count, dtype)
    except (MemoryError, ValueError) as error:  # too large for the machine, or for any
        size = count * dtype.itemsize
        about = f"{size} bytes" if size.bit_count() > 1 else f"2^{size.bit_length() - 1} bytes"
        raise ValueError(
            f"{count} elements of {dtype} in one process: {about} do not fit the memory"
        ) from error


def _fit(x: Any, out: Any, bits: int, dtype: np.dtype[Any]) -> None:
    """Raise ValueError unless these are 2^bits elements, and where to put as many."""
    fit(
        x,
        out,
        ("x", "out"),
        1 << bits,
        dtype,
        f"the permutation is of 2^{bits} = {1 << bits} elements of {dtype}",
    )


def fit(
    x: Any, out: Any, names: tuple[str, str], size: int, dtype: np.dtype[Any], wanted: str
) -> None:
    """Raise ValueError unless x, and `out` where it is given, are contiguous arrays of so many
    elements, and `out` can take what x loses.

    `names` are those of x and of out, `wanted` says what fits.
    """
    for name, array in zip(names, (x,) if out is None else (x, out), strict=False):
        if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
            raise ValueError(f"{name}: {type(array).__name__}: {wanted}")
        if array.shape != (size,) or array.dtype != dtype:
            raise ValueError(f"{name}: {array.dtype} of shape {array.shape}: {wanted}")
        if not array.flags.c_contiguous:
            raise ValueError(
                f"{name}: elements {array.strides[0]} bytes apart: a contiguous array has them"
                f" {dtype.itemsize} bytes apart"
            )
    if out is not None and not out.flags.writeable:
        raise ValueError(f"{names[1]}: it is read-only, and takes the result")
    if out is not None and np.may_share_memory(x, out):
        raise ValueError(
            f"{names[1]}: it shares memory with {names[0]}; a permutation needs two separate arrays"
        )


def _gray(map_: Affine, itemsize: int) -> Work:
    """Return the permutation element by element."""
    map_.inverse()
    columns, kind = np.array(map_.columns, dtype=np.int64), _record(itemsize)
    return lambda x, y: gray.move(x.view(kind), y.view(kind), columns, map_.c)


def _tiles(map_: Affine, itemsize: int, streaming: bool) -> Work:
    """Return the permutation in tiles: of lines for elements of 2^k bytes, else of records."""
    found = plan(map_, itemsize, streaming)
    lines, low, high = tables(found)
    if isinstance(found, Records):
        kind = _record(itemsize)
        return lambda x, y: records.move(x.view(kind), y.view(kind), map_.c, lines, low, high)
    size = min(itemsize, LINE)
    c = found.complement(map_.c << (itemsize // size).bit_length() - 1)
    turns = aligned(len(words := found.words(size)), np.uint8)
    turns[:] = words
    tile = (aligned(LINE * LINE, np.uint8),) if size < 4 else ()
    move = loaded(module_of(size), f"move_{size}").move

    def work(x: NDArray[Any], y: NDArray[Any]) -> None:
        streamed = streaming and lanes.begins_on_line(y)
        move(
            lanes.address(x),
            lanes.address(y),
            c,
            found.stages,
            int(streamed),
            lines,
            lanes.address(turns),
            low,
            high,
            *map(lanes.address, tile),
        )

    return work


def _is_scattered(map_: Affine, itemsize: int) -> bool:
    """Return whether a page of lines is stored in more than 2^SCATTERED pages; elements whose size
    is no power of two are not moved in lines.
    """
    return (
        itemsize.bit_count() == 1 and rank(map_, max(lg(PAGE // itemsize), SCATTERED)) > SCATTERED
    )


@cache
def _record(itemsize: int) -> np.dtype[Any]:
    """Return the dtype as which elements of this size are moved: a word, or a record of words."""
    word = math.gcd(itemsize, 8)
    return np.dtype(
        f"u{word}" if word == itemsize else [("words", f"u{word}", (itemsize // word,))]
    )
