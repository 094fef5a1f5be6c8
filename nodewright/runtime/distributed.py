"""The calls that transforms and permutations share: forward, backward, parts of global arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from codegen import shapes
from codegen.systems.options import DIRECTIONS
from codegen.systems.record import Request
from derive.call_arguments import counted
from nodewright.node_program import Program
from nodewright.runtime import dropped, local_parts
from nodewright.runtime.agreement import OneRank, agreed, communicator, of_rank_0
from nodewright.runtime.distribution import Distributed
from nodewright.runtime.loading import with_kernels
from nodewright.runtime.local_permutation import reserved
from nodewright.runtime.planned import Planned, resolved


class Transform(Distributed):
    """A transform and its inverse on the ranks of a communicator.

    Each is a program. The first call of `backward` plans its program. One thread at a time may use
    a transform: the call of a second one raises RuntimeError.

    Attributes:
        dtype: the dtype of x, and of y unless that is a half spectrum of `output_dtype`.
        comm: the communicator of the caller.
        request: the system, sizes, layouts and options.
    """

    dtype: np.dtype[Any]
    """The dtype of x and y."""

    def __init__(self, comm: Any, asked: Callable[[int], Request]) -> None:
        """Plan the program that `asked` requests for the size of the communicator; collective."""
        self.comm = communicator(comm)
        self.rank: int = self.comm.rank  # the caller may free the communicator

        def of_ranks() -> Request:
            found = asked(self.comm.size)
            reserved(found.M, np.dtype(found.dtype))
            with_kernels(found.kernels)
            return found

        stated = agreed(self.comm, of_ranks, "transform")
        self.request = of_rank_0(self.comm, lambda: self._chosen(stated))
        self.forth = Planned(self.comm, self.request)
        self.dtype = np.dtype(self.request.dtype)
        self._back: Planned | None = None
        self._plans, self._alone = [self.forth.plan], OneThread(type(self).__name__)
        if not isinstance(self.comm, OneRank):
            dropped.watch(self, (self.forth.name, self.request.P), self._plans)

    @classmethod
    def _chosen(cls, stated: Request) -> Request:
        """Return a request that states all that is chosen; raise ValueError where there is no
        program forward, or none back.
        """
        chosen = resolved(stated).request
        resolved(cls._inverse(chosen))
        return chosen

    @staticmethod
    def _inverse(request: Request) -> Request:
        """Return the request for the program that goes back."""
        return replace(request, direction=DIRECTIONS[1], **shapes.back(request))

    def _planned_back(self) -> Planned:
        """Return the program that goes back, and plan it if that is not done; collective."""
        if self._back is None:
            # the caller's communicator may be freed; the plan's is there until the plan is freed
            self._back = Planned(self._own(), self._inverse(self.request))
            self._plans.append(self._back.plan)
        return self._back

    @property
    def output_dtype(self) -> np.dtype[Any]:
        """The dtype of y: that of x, or complex numbers of a half spectrum.

        >>> import nodewright as nw
        >>> with nw.RFFT(None, (4, 6)) as rfft:
        ...     rfft.dtype, rfft.output_dtype
        (dtype('float64'), dtype('complex128'))
        """
        return np.dtype(self.request.types[1]) if self.request.unequal else self.dtype

    @property
    def program(self) -> Program:
        """The program that `forward` runs: `program.text` is its source.

        >>> import nodewright as nw
        >>> with nw.FFT(None, 8) as fft:
        ...     fft.program
        Program('nodewright generate fft --size 8 --ranks 1')
        """
        return Program(self.request)

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
            return local_parts.scatter(self._own(), x, self._input, self.dtype)

    def gather(self, y: ArrayLike) -> NDArray[Any] | None:
        """Return the global array y on rank 0, None on the other ranks; collective.

        Args:
            y: this rank's part, of `output_shape` and of a dtype that converts to `output_dtype`
                without loss, in the layout of the output.

        Returns:
            A new array of the shape of y on rank 0, `shape` but for half spectra.

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
            return local_parts.gather(self._own(), y, self._output, self.output_dtype)

    def _own(self) -> Any:
        """Return the communicator of the plan; raise ValueError where the transform is freed."""
        if not self.forth.plan.own:
            name = type(self).__name__
            args = "comm, A" if self.request.permutation else "comm, N"
            raise ValueError(f"this {name} is freed; create a new one with nw.{name}({args})")
        return self.forth.plan.own

    def forward(self, x: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return this rank's part of y, given its part of x; collective.

        Args:
            x: this rank's part, of `local_shape`, which is left unchanged. Other dtypes, byte
                orders, strides and lists are converted if no information is lost.
            out: a contiguous array of `output_shape` and `output_dtype` for the result.

        Returns:
            `out`, or a new array of `output_shape`.

        Raises:
            ValueError: an array does not fit, or the transform is freed; only on that rank, while
                the others wait.
            RuntimeError: another thread uses the transform.

        Examples:
            >>> import nodewright as nw
            >>> with nw.FFT(None, 4) as fft:
            ...     fft.forward(np.arange(4)).real
            array([ 6., -2., -2., -2.])
        """
        with self._alone:
            return self._transformed(self.forth, x, self.local_shape, self.dtype, out)

    def backward(self, y: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return this rank's part of x, given its part of y; the inverse of `forward`; collective.

        Args:
            y: this rank's part, of `output_shape`, converted as x by `forward`.
            out: a contiguous array of `local_shape` and `dtype` for the result.

        Returns:
            `out`, or a new array of `local_shape`.

        Raises:
            ValueError: as `forward`; on all ranks if there is no inverse program.
            RuntimeError: another thread uses the transform.

        Examples:
            >>> import nodewright as nw
            >>> with nw.FFT(None, 4) as fft:
            ...     fft.backward([4, 0, 0, 0]).real
            array([1., 1., 1., 1.])
        """
        with self._alone:
            return self._transformed(
                self._planned_back(), y, self.output_shape, self.output_dtype, out
            )

    def _transformed(
        self,
        planned: Planned,
        data: Any,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        out: NDArray[Any] | None,
    ) -> NDArray[Any]:
        """Return what a program makes of data, which are converted where it refuses them."""
        try:
            return self._call(planned, data, out)
        except ValueError as error:
            self._own()
            return self._call(planned, _converted(data, shape, dtype, error), out)

    def _call(self, planned: Planned, data: Any, out: NDArray[Any] | None) -> NDArray[Any]:
        result: NDArray[Any] = planned.transform(data, planned.plan, out)
        return result

    def __repr__(self) -> str:
        request, kind = self.request, type(self).__name__
        ways = f"{request.input} to {request.output}, {request.dtype}, {request.kernels} kernels"
        size = "x".join(map(str, request.whole))
        return f"<{kind} of N = {size} on P = {counted(request.P, 'rank')}: {ways}>"

    def _repr_html_(self) -> str:
        """Return the program as a notebook shows it."""
        return self.program._repr_html_()

    def free(self) -> None:
        """Free the communicators and tables; collective. A `with` statement does it.

        >>> import nodewright as nw
        >>> fft = nw.FFT(None, 8)
        >>> fft.free()
        """
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


def _converted(
    data: Any, shape: tuple[int, ...], dtype: np.dtype[Any], refused: ValueError
) -> NDArray[Any]:
    """Return data that the program refuses with this dtype; raise ValueError
    where that could lose something. What is accepted at once costs nothing more.
    """
    if not isinstance(data, np.ndarray):
        data = local_parts.fitting(data, shape, dtype, "x")
    elif data.shape != shape:
        raise refused
    exact = local_parts.lossless(data, dtype)
    if exact is None:
        raise ValueError(f"{refused}{local_parts.remedy(data, dtype)}") from refused
    return exact


class OneThread:
    """A lock for one thread at a time: a second one gets an error instead of wrong numbers."""

    def __init__(self, kind: str) -> None:
        self._kind, self._lock = kind, Lock()

    def __enter__(self) -> None:
        """Keep other threads out; raise RuntimeError where one is within."""
        if not self._lock.acquire(blocking=False):
            remedy = f"call it from one thread at a time, or make one {self._kind} for each thread"
            raise RuntimeError(f"this {self._kind} is in use by another thread: {remedy}")

    def __exit__(self, *error: object) -> None:
        self._lock.release()
