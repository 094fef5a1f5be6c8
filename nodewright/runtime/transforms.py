"""Distributed transforms for an mpi4py program of your own.

    import nodewright as nw

    with nw.FFT(comm, 2**20, output="cyclic") as fft:
        y = fft.forward(x)      this rank's part in, this rank's part out
        x = fft.backward(y)     and back

They run the texts that `nodewright generate` writes for this size and this number of ranks, which
are kept in the user's folder of caches with what they compile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from types import TracebackType
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from codegen import shapes
from codegen.spec import DIRECTIONS, Spec
from derive.arguments import texts
from nodewright.api.options import Calling, FourierCalling, HartleyCalling, Layouts, known
from nodewright.api.programs import Program
from nodewright.runtime import dropped
from nodewright.runtime.agreement import OneRank, agreed, communicator
from nodewright.runtime.loading import with_compiler
from nodewright.runtime.local import reserved
from nodewright.runtime.planned import Planned


class Transform:
    """A transform and its inverse on the ranks of a communicator, each a program of its own; that
    of `backward` is planned when it is first called, on a communicator of the transform.

    One thread at a time uses a transform: the call of a second one raises RuntimeError.
    """

    def __init__(self, comm: Any, asked: Callable[[int], Spec]) -> None:
        """Take the request for the program of so many ranks, which is that of all; collective."""
        self.comm = communicator(comm)

        def request() -> Spec:
            found = asked(self.comm.size)
            reserved(found.M, np.dtype(found.dtype))
            with_compiler(found.kernels)
            self.inverse(found)
            return found

        self.spec = agreed(self.comm, request, "transforms, sizes, layouts, kernels or dtypes")
        self.forth = Planned(self.comm, self.spec)
        self._back: Planned | None = None
        self._plans, self._in_use = [self.forth.plan], Lock()
        if not isinstance(self.comm, OneRank):
            dropped.watch(self, (self.forth.name, self.spec.P), self._plans)

    @staticmethod
    def inverse(spec: Spec) -> Spec:
        """Return the request for the program that goes back; raise ValueError where none does."""
        return replace(spec, direction=DIRECTIONS[1], **shapes.back(spec))

    def planned_back(self) -> Planned:
        """Return the program that goes back, and plan it if that is not done; collective."""
        if self._back is None:
            if not self.forth.plan.own:
                raise ValueError(f"this {type(self).__name__} is freed")
            # the caller's communicator may be freed; the plan's is there until the plan is freed
            self._back = Planned(self.forth.plan.own, self.inverse(self.spec))
            self._plans.append(self._back.plan)
        return self._back

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads out; raise RuntimeError where one is within."""
        if not self._in_use.acquire(blocking=False):
            kind = type(self).__name__
            raise RuntimeError(
                f"this {kind} is in use by another thread: call it from one thread at a time, or"
                f" make one {kind} for each thread"
            )
        try:
            yield
        finally:
            self._in_use.release()

    @property
    def program(self) -> Program:
        """The program that `forward` runs."""
        return Program(self.spec)

    @property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of a rank's part of x; of y, too, where both lie alike."""
        return shapes.parts(self.spec)[0]

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of a rank's part of y."""
        return shapes.parts(self.spec)[1]

    def forward(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return this rank's part of y, given its part of x; collective.

        x has `local_shape` and the transform's dtype, and is left unchanged; the result is a new
        array, or `out`. Raises ValueError on the rank where an array is none such, or the transform
        is freed, RuntimeError where another thread uses the transform.
        """
        with self._alone():
            return self._moved(self.forth, x, out)

    def backward(self, y: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return this rank's part of x, given its part of y, as `forward` does; collective.

        Raises as `forward` does, and ValueError on all ranks where no program goes back.
        """
        with self._alone():
            return self._moved(self.planned_back(), y, out)

    def _moved(
        self, planned: Planned, data: NDArray[Any], out: NDArray[Any] | None
    ) -> NDArray[Any]:
        try:
            return planned.transform(data, planned.plan, out)
        except ValueError as error:
            raise ValueError(f"{error}{self._cast(data)}") from error

    def _cast(self, data: Any) -> str:
        """Return what makes an array one of the transform's dtype, where that loses nothing."""
        dtype = np.dtype(self.spec.dtype)
        fits = isinstance(data, np.ndarray) and data.shape == self.local_shape
        if not fits or data.dtype == dtype or not np.can_cast(data.dtype, dtype, "safe"):
            return ""
        return f'; x.astype("{dtype}") is of this dtype'

    def input_place(self, *j: Any) -> Any:
        """Return (rank, offset) of x[j], for an integer or an array of integers; of an array of
        several axes the flat index, or one for each axis. Raises ValueError for an index out of
        range.
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
        with self._alone():
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


def laid_out(input: Layouts, output: Layouts) -> dict[str, Any]:
    """Return the layouts of a request; raise ValueError for what names none.

    >>> laid_out(("cyclic", "whole"), "block")
    {'input': 'cyclic,whole', 'output': 'block'}
    """
    return {"input": texts(input, "input"), "output": texts(output, "output")}


class FFT(Transform):
    """The discrete Fourier transform of N elements on the ranks of a communicator: y = F_N x, and
    its inverse (Inda & Bisseling 2000); of several axes where N is a shape.

    N: a number of elements, or a tuple of the axes of an array; of powers of two and one axis any
    number of ranks P < N does, else one whose square divides the elements does. grid: the ranks on
    each axis. batch: so many arrays are transformed at once, on a first axis. input, output: where
    elements live, `block`, `cyclic`, `group-cyclic:R`, or for powers of two any layout that
    `nodewright layout` knows; of several axes one name for all, or one each, as
    `cyclic,whole,block` or ("cyclic", "whole", "block"). norm: as in numpy.fft. dtype: complex128
    or complex64. kernels: `numpy`, `numba` or `pyfftw`. exchange: `alltoall`, `pairwise`,
    `replace`, `nonblocking`, `overlapped`, `shared` on one node, or `auto`, which is `shared` where
    all ranks are on one node and `alltoall` where they are not, or `node-aware`, where the ranks of
    each node share memory (docs/moves.md). phases, local: see `nodewright generate fft`. comm None
    is one rank, without MPI.

    Raises ValueError on all ranks where one states what no program answers, or something else than
    another.

    >>> with FFT(None, 8) as fft:
    ...     fft.forward(np.ones(8, complex)).real.tolist()
    [8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    >>> with FFT(None, (3, 5), batch=2) as fft:
    ...     fft.local_shape, bool(np.allclose(fft.backward(fft.forward(np.ones((2, 3, 5), complex))), 1))
    ((2, 3, 5), True)
    """  # noqa: E501

    def __init__(
        self,
        comm: Any,
        N: int | Sequence[int],
        input: Layouts = "block",
        output: Layouts = "block",
        **options: Unpack[FourierCalling],
    ) -> None:
        def stated(P: int) -> Spec:
            words = known({**options}, FourierCalling, "FFT")
            sizes = shapes.of_ranks(N, P, words.pop("grid", None), words.pop("batch", None))
            return Spec("fft", **sizes, **words, **laid_out(input, output))

        super().__init__(comm, stated)


class RFFT(Transform):
    """The Fourier transform of an even number N of real elements on the ranks of a communicator:
    `forward` gives the half spectrum, N real numbers y with y[2m] + i y[2m + 1] = X[m], y[0] =
    X[0], y[1] = X[N/2], `backward` takes it.

    N: a number of elements, so that the square of the number of ranks divides N/2, or both are
    powers of one prime. input, output: `block` or `cyclic-pairs`, pair m on rank m mod P. norm: as
    in numpy.fft. dtype: float64 or float32. A rank views its part as complex numbers by
    y.view(complex).

    Raises ValueError as `FFT` does.

    >>> with RFFT(None, 6) as rfft:
    ...     rfft.forward(np.array([1.0, 0, 0, 0, 0, 0]))
    array([1., 1., 1., 0., 1., 0.])
    """

    def __init__(
        self,
        comm: Any,
        N: int,
        input: Layouts = "block",
        output: Layouts = "block",
        **options: Unpack[Calling],
    ) -> None:
        def stated(P: int) -> Spec:
            words = known({**options}, Calling, "RFFT")
            sizes = shapes.of_ranks(N, P, None, None)
            return Spec("rfft", **sizes, **words, **laid_out(input, output))

        super().__init__(comm, stated)


class FHT(Transform):
    """The discrete Hartley transform of N real numbers on the ranks of a communicator: y = H_N x,
    and its inverse (Lin, Chan & Karplus 1988); of several axes where N is a shape, along each of
    them.

    N: a power of two, at least 4 P elements. input: `block` or any layout. output: `hartley`, as
    the transform leaves them, or any layout. dtype: float64 or float32. algorithm: `hypercube` or
    `group-cyclic`. batch: so many arrays at once, on a first axis. Arrays of several axes, and of a
    batch, are of any size and lie as those of `FFT`, on a grid of ranks. Else as `FFT`.

    Raises ValueError as `FFT` does.

    >>> with FHT(None, 8) as fht:
    ...     fht.backward(fht.forward(np.arange(8.0))).round(3)
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    >>> with FHT(None, (3, 5), batch=2) as fht:
    ...     fht.local_shape, bool(np.allclose(fht.backward(fht.forward(np.ones((2, 3, 5)))), 1))
    ((2, 3, 5), True)
    """

    def __init__(
        self,
        comm: Any,
        N: int | Sequence[int],
        input: Layouts = "block",
        output: Layouts = "",
        **options: Unpack[HartleyCalling],
    ) -> None:
        def stated(P: int) -> Spec:
            words = known({**options}, HartleyCalling, "FHT")
            sizes = shapes.of_ranks(N, P, words.pop("grid", None), words.pop("batch", None))
            return Spec("fht", **sizes, **words, **laid_out(input, output))

        super().__init__(comm, stated)
