"""The calls that transforms and permutations share: forward, backward, parts of global arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from codegen import shapes
from codegen.spec import DIRECTIONS, Spec
from nodewright.node_program import Program
from nodewright.runtime import dropped, parts
from nodewright.runtime.agreement import OneRank, agreed, communicator
from nodewright.runtime.loading import with_compiler
from nodewright.runtime.local import reserved
from nodewright.runtime.one_thread import OneThread
from nodewright.runtime.parts import Distribution
from nodewright.runtime.planned import Planned


class Transform:
    """A transform and its inverse on the ranks of a communicator.

    Each is a program. The one of `backward` is planned when it is first called, on a communicator
    of the transform. One thread at a time uses a transform: the call of a second one raises
    RuntimeError.
    """

    dtype: np.dtype[Any]
    """The dtype of x and y."""

    def __init__(self, comm: Any, asked: Callable[[int], Spec]) -> None:
        """Plan the program that `asked` requests for the size of the communicator; collective."""
        self.comm = communicator(comm)

        def request() -> Spec:
            found = asked(self.comm.size)
            reserved(found.M, np.dtype(found.dtype))
            with_compiler(found.kernels)
            self.inverse(found)
            return found

        self.spec = agreed(self.comm, request, "transforms, sizes, layouts, kernels or dtypes")
        self.forth = Planned(self.comm, self.spec)
        self.dtype = np.dtype(self.spec.dtype)
        self._back: Planned | None = None
        self._plans, self._alone = [self.forth.plan], OneThread(type(self).__name__)
        if not isinstance(self.comm, OneRank):
            dropped.watch(self, (self.forth.name, self.spec.P), self._plans)

    @staticmethod
    def inverse(spec: Spec) -> Spec:
        """Return the request for the program that goes back; raise ValueError where none does."""
        return replace(spec, direction=DIRECTIONS[1], **shapes.back(spec))

    def planned_back(self) -> Planned:
        """Return the program that goes back, and plan it if that is not done; collective."""
        if self._back is None:
            # the caller's communicator may be freed; the plan's is there until the plan is freed
            self._back = Planned(self._own(), self.inverse(self.spec))
            self._plans.append(self._back.plan)
        return self._back

    @property
    def program(self) -> Program:
        """The program that `forward` runs."""
        return Program(self.spec)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the global arrays x and y, a batch axis included."""
        return self.spec.whole

    @property
    def grid(self) -> tuple[int, ...]:
        """The number of ranks along each axis of x, 1 for a batch axis.

        >>> import nodewright as nw
        >>> with nw.FFT(None, (4, 6), batch=2) as fft:
        ...     fft.shape, fft.grid
        ((2, 4, 6), (1, 1, 1))
        """
        return (1,) * (self.spec.batch > 0) + (self.spec.grid or (self.spec.P,))

    @cached_property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of this rank's part of x."""
        return shapes.parts(self.spec)[0]

    @cached_property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of this rank's part of y."""
        return shapes.parts(self.spec)[1]

    @cached_property
    def _input(self) -> Distribution:
        return Distribution(self.forth.module.input_index, self.shape, self.local_shape)

    @cached_property
    def _output(self) -> Distribution:
        return Distribution(self.forth.module.output_index, self.shape, self.output_shape)

    @cached_property
    def input_slices(self) -> tuple[slice, ...] | None:
        """A slice for each axis: x[input_slices] is this rank's part of a global x.

        A block or whole axis has a contiguous slice, a cyclic or group-cyclic one a slice with a
        step. It is None where this rank's indices are no slice: cyclic-pairs, bit-reversed, ..

        >>> import nodewright as nw
        >>> with nw.FFT(None, 8) as fft:
        ...     fft.input_slices
        (slice(0, 8, None),)
        """
        return self._input.slices(self.comm.rank)

    @cached_property
    def output_slices(self) -> tuple[slice, ...] | None:
        """A slice for each axis: y[output_slices] is this rank's part of a global y, or None."""
        return self._output.slices(self.comm.rank)

    def input_index(self, *offset: Any) -> Any:
        """Return the global indices of elements of this rank's part of x.

        Args:
            offset: integers or arrays of integers: flat offsets in this rank's part, the last axis
                fastest, or an offset for each axis of the part; all elements if omitted.

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
        return self._input.indices(self.comm.rank, *offset)

    def output_index(self, *offset: Any) -> Any:
        """Return the global indices of elements of this rank's part of y, as `input_index` of x.

        Raises:
            ValueError: an offset is outside the part.
        """
        return self._output.indices(self.comm.rank, *offset)

    def scatter(self, x: ArrayLike | None = None) -> NDArray[Any]:
        """Return this rank's part of the array x of rank 0; collective.

        Args:
            x: the global array on rank 0, of `shape` and of a dtype that converts to that of the
                transform without loss; ignored on the other ranks.

        Returns:
            A new array of `local_shape` in the layout of the input.

        Raises:
            ValueError: x does not fit, on all ranks; or the transform is freed.
            RuntimeError: another thread uses the transform.

        Examples:
            >>> import nodewright as nw
            >>> with nw.FFT(None, 4) as fft:
            ...     fft.scatter([1, 2, 3, 4])
            array([1.+0.j, 2.+0.j, 3.+0.j, 4.+0.j])
        """
        with self._alone:
            return parts.scatter(self._own(), x, self._input, self.dtype)

    def gather(self, y: ArrayLike) -> NDArray[Any] | None:
        """Return the global array y on rank 0, None on the other ranks; collective.

        Args:
            y: this rank's part, of `output_shape` and of a dtype that converts to that of the
                transform without loss, in the layout of the output.

        Returns:
            A new array of `shape` on rank 0.

        Raises:
            ValueError: a part does not fit, on all ranks; or the transform is freed.
            RuntimeError: another thread uses the transform.

        Examples:
            >>> import nodewright as nw
            >>> with nw.FFT(None, 4) as fft:
            ...     fft.gather(fft.forward([1, 0, 0, 0])).real
            array([1., 1., 1., 1.])
        """
        with self._alone:
            return parts.gather(self._own(), y, self._output, self.dtype)

    def _own(self) -> Any:
        """Return the communicator of the plan; raise ValueError where the transform is freed."""
        if not self.forth.plan.own:
            raise ValueError(f"this {type(self).__name__} is freed")
        return self.forth.plan.own

    def forward(self, x: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return this rank's part of y, given its part of x; collective.

        Args:
            x: this rank's part, of `local_shape`, which is left unchanged. Another dtype, byte
                order or a list is converted where that loses nothing, and gaps between elements
                are removed by a copy.
            out: a contiguous array of `output_shape` and `dtype` for the result.

        Returns:
            `out`, or a new array of `output_shape`.

        Raises:
            ValueError: an array does not fit, or the transform is freed; on the rank where it is
                so, while the others wait.
            RuntimeError: another thread uses the transform.

        Examples:
            >>> import nodewright as nw
            >>> with nw.FFT(None, 4) as fft:
            ...     fft.forward(np.arange(4)).real
            array([ 6., -2., -2., -2.])
        """
        with self._alone:
            return self._transformed(self.forth, x, self.local_shape, out)

    def backward(self, y: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return this rank's part of x, given its part of y, as `forward` does; collective.

        Args:
            y: this rank's part, of `output_shape`, converted as x by `forward`.
            out: a contiguous array of `local_shape` and `dtype` for the result.

        Returns:
            `out`, or a new array of `local_shape`.

        Raises:
            ValueError: as `forward`; and on all ranks where there is no inverse program.
            RuntimeError: another thread uses the transform.

        Examples:
            >>> import nodewright as nw
            >>> with nw.FFT(None, 4) as fft:
            ...     fft.backward([4, 0, 0, 0]).real
            array([1., 1., 1., 1.])
        """
        with self._alone:
            return self._transformed(self.planned_back(), y, self.output_shape, out)

    def _transformed(
        self, planned: Planned, data: Any, shape: tuple[int, ...], out: NDArray[Any] | None
    ) -> NDArray[Any]:
        """Return what a program makes of data, which are converted where it refuses them."""
        try:
            return self._call(planned, data, out)
        except ValueError as error:
            return self._call(planned, self._converted(data, shape, error), out)

    def _converted(self, data: Any, shape: tuple[int, ...], refused: ValueError) -> NDArray[Any]:
        """Return data that the program refuses with the dtype of the transform; raise ValueError
        where that could lose something. What is accepted at once costs nothing more.
        """
        if not isinstance(data, np.ndarray):
            data = parts.fitting(data, shape, self.dtype, "x")
        elif data.shape != shape:
            raise refused
        exact = parts.lossless(data, self.dtype)
        if exact is None:
            raise ValueError(f"{refused}{parts.remedy(data, self.dtype)}") from refused
        return exact

    def _call(self, planned: Planned, data: Any, out: NDArray[Any] | None) -> NDArray[Any]:
        result: NDArray[Any] = planned.transform(data, planned.plan, out)
        return result

    def input_place(self, *j: Any) -> Any:
        """Return (rank, offset) of x[j].

        Args:
            j: an integer or an array of integers: a flat index, or one for each axis.

        Returns:
            The rank and the flat offset in its part, the last axis fastest.

        Raises:
            ValueError: an index is out of range.
        """
        return self.forth.module.input_place(*j)

    def output_place(self, *k: Any) -> Any:
        """Return (rank, offset) of y[k], and raise ValueError, as `input_place` does of x."""
        return self.forth.module.output_place(*k)

    def __repr__(self) -> str:
        spec, kind = self.spec, type(self).__name__
        ways = f"{spec.input} to {spec.output}, {spec.dtype}, {spec.kernels} kernels"
        size = "x".join(map(str, spec.whole))
        return f"<{kind} of N = {size} on P = {spec.P} ranks: {ways}>"

    def _repr_html_(self) -> str:
        """Return the program as a notebook shows it."""
        return self.program._repr_html_()

    def free(self) -> None:
        """Free the communicators and tables of the plans; collective."""
        with self._alone:
            for plan in self._plans:
                plan.free()
            self._plans.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Free the plans, but after an exception: the other ranks may not come to it."""
        if kind is None:
            self.free()
