"""What a transform tells of the distribution of its arrays: shapes, slices, indices, locations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from codegen import shapes, unequal_parts
from codegen.systems.record import Request
from nodewright.runtime.local_parts import Distribution, UnequalParts
from nodewright.runtime.planned import Planned


class Distributed:
    """The distribution of x and y over the ranks of a communicator."""

    comm: Any
    rank: int
    request: Request
    forth: Planned

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the global arrays x and y: (N,), the axes, or (batch, ..); that of x if y is
        a half spectrum.
        """
        return self.request.whole

    @property
    def grid(self) -> tuple[int, ...]:
        """The number of ranks along each axis of x; 1 for a batch axis.

        >>> import nodewright as nw
        >>> with nw.FFT(None, (4, 6), batch=2) as fft:
        ...     fft.shape, fft.grid
        ((2, 4, 6), (1, 1, 1))
        """
        return (1,) * (self.request.batch > 0) + (self.request.grid or (self.request.P,))

    @cached_property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of this rank's part of x: (N/P,), or the axes of the part.

        >>> import nodewright as nw
        >>> with nw.FFT(None, (4, 6), batch=2) as fft:
        ...     fft.local_shape, fft.output_shape
        ((2, 4, 6), (2, 4, 6))
        """
        return self._input.shape_of(self.rank)

    @cached_property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of this rank's part of y; other than `local_shape` if the grids differ."""
        return self._output.shape_of(self.rank)

    @cached_property
    def _input(self) -> Distribution:
        return self._distribution(self.forth.module.input_index, 0)

    @cached_property
    def _output(self) -> Distribution:
        return self._distribution(self.forth.module.output_index, 1)

    def _distribution(self, index: Callable[[int, Any], Any], end: int) -> Distribution:
        """Return where x is, or y."""
        if self.request.unequal:
            return UnequalParts.of(index, unequal_parts.ends_of(self.request)[end])
        local_shape = shapes.parts(self.request)[end]
        return Distribution(index, self.shape, lambda rank: local_shape)

    @cached_property
    def input_slices(self) -> tuple[slice, ...] | None:
        """A slice for each axis: x[input_slices] is this rank's part of a global x.

        A block or whole axis has a contiguous slice, a cyclic or group-cyclic one a slice with a
        step. It is None if the indices are not a slice, for example in cyclic-pairs.

        >>> import nodewright as nw
        >>> with nw.FFT(None, 8) as fft:
        ...     fft.input_slices
        (slice(0, 8, None),)
        """
        return self._input.slices(self.rank)

    @cached_property
    def output_slices(self) -> tuple[slice, ...] | None:
        """As `input_slices`: y[output_slices] is this rank's part of a global y, or None."""
        return self._output.slices(self.rank)

    def input_index(self, *offset: Any) -> Any:
        """Return the global indices of elements of this rank's part of x.

        Args:
            offset: integers or arrays of integers: flat offsets in this rank's part, in row-major
                order, or an offset for each axis of the part; all elements if omitted.

        Returns:
            Flat indices for flat offsets, a tuple with an index for each axis otherwise. Without
            offsets it is an array of M indices for one axis, and for several axes a tuple of
            arrays that broadcast to `local_shape`. So x[fft.input_index()] is this rank's part of
            a global x in every layout.

        Raises:
            ValueError: an offset is out of range, or there are not as many as axes.

        Examples:
            >>> import nodewright as nw
            >>> with nw.FFT(None, 4) as fft:
            ...     fft.input_index(3), fft.input_index()
            (3, array([0, 1, 2, 3]))
            >>> with nw.FFT(None, (4, 6)) as fft:
            ...     i, j = fft.input_index()
            >>> i.shape, j.shape
            ((4, 1), (1, 6))
        """
        return self._input.indices(self.rank, *offset)

    def output_index(self, *offset: Any) -> Any:
        """Return the global indices of elements of this rank's part of y, as `input_index` of x.

        Raises:
            ValueError: an offset is outside the part.

        Examples:
            >>> import nodewright as nw
            >>> with nw.FFT(None, 4, output="bit-reversed") as fft:
            ...     fft.output_index()
            array([0, 2, 1, 3])
        """
        return self._output.indices(self.rank, *offset)

    def input_place(self, *j: Any) -> Any:
        """Return the location (rank, offset) of x[j].

        Args:
            j: an integer or an array of integers: a flat index, or one for each axis.

        Returns:
            The rank, and the offset in its part in row-major order.

        Raises:
            ValueError: an index is out of range.

        Examples:
            >>> import nodewright as nw
            >>> with nw.FFT(None, (3, 4)) as fft:
            ...     [int(part) for part in fft.input_place(1, 2)]
            [0, 6]
        """
        return self.forth.module.input_place(*j)

    def output_place(self, *k: Any) -> Any:
        """Return the location (rank, offset) of y[k], as `input_place` of x.

        Raises:
            ValueError: an index is out of range.
        """
        return self.forth.module.output_place(*k)
