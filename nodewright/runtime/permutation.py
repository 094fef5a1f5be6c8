"""BMMC permutations for an mpi4py program of your own: the three calls of Cormen 1997, section 7,
under Python names.

    from nodewright import bmmc_permute, factor_bmmc, perform_bmmc

    y = bmmc_permute(A, c, comm, data)            one call that does it all
    plan = factor_bmmc(A, c, comm, data.dtype)    factor once,
    y = perform_bmmc(plan, data)                  perform many times,
    plan.free()                                   and free what the plan holds

They run the very text that `nodewright generate permute` writes for this permutation and this
number of ranks, whose plan talks on a communicator of its own. Start your program by `mpiexec -n P
python -m mpi4py PROGRAM`: then an exception on one rank ends all, and none waits for one that is
gone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from codegen.elements import fixed_size
from codegen.requests import make_request
from codegen.systems.options import REAL
from codegen.systems.permute import PERMUTE
from codegen.systems.record import DEFAULTS, Request
from derive.call_arguments import needs_arguments
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine
from nodewright.api.call_options import Running, describe, known, of_calls
from nodewright.runtime.agreement import agreed, communicator
from nodewright.runtime.distributed import Transform
from nodewright.runtime.local_permutation import address_of, fit
from nodewright.runtime.planned import Planned


@describe(PERMUTE, of_calls)
class Permutation(Transform):
    """The BMMC permutation y[A j + c] = x[j] of 2^n elements on the ranks of a communicator.

    `backward` is the inverse permutation. `forward` converts its input as transforms do, `perform`
    accepts elements of the dtype alone.

    Args:
        comm: a communicator of mpi4py with a power of two of ranks; None is one rank, without
            MPI. Collective.
        A: n x n matrix of zeros and ones, bit 0 first, or a map, such as nw.permutation("shuffle",
            n); the complement of a map is added to c.
        c: the complement, an integer of n bits.
        dtype: the dtype of an element, any of a fixed size, records included.
        input, output: the layouts of x and y: `block` for processor-major, `f:K` for Cormen's
            others, `cyclic`, or any other of `nodewright layout`.
        options: keywords, all with defaults.

    Raises:
        ValueError: on all ranks, where A is singular (naming rows that add up to zero), c has more
            than n bits, the size of the communicator is not a power of two or above 2^n, the dtype
            has no fixed size, a rank's 2^n/P elements do not fit its memory, the ranks request
            different permutations, `shared` is requested across nodes, or the file of a layout
            bmmc:FILE cannot be read.
        RuntimeError: MPI makes no further communicator.

    Examples:
        >>> import nodewright as nw
        >>> with nw.Permutation(None, nw.permutation("gray-code", 2), 0, "S1") as gray:
        ...     gray.forward([b"a", b"b", b"c", b"d"]).tolist()
        [b'a', b'b', b'd', b'c']
    """

    def __init__(
        self,
        comm: Any,
        A: ArrayLike | Affine,
        c: int = 0,
        dtype: DTypeLike = REAL[0],
        input: str = DEFAULTS["input"],
        output: str = DEFAULTS["input"],
        **options: Unpack[Running],
    ) -> None:
        def stated(P: int) -> Request:
            permutation = Bmmc(address_of(A, c), "A")
            permutation.address.inverse()  # raises ValueError for a singular matrix
            moved = np.dtype(_spelled(fixed_size(dtype))).str
            words = {"dtype": moved, **known({**options}, of_calls(PERMUTE), "Permutation")}
            N = permutation.size
            return make_request(PERMUTE.name, N, P, input, output, permutation=permutation, **words)

        super().__init__(comm, stated)
        self.dtype = fixed_size(dtype)

    @staticmethod
    def _inverse(request: Request) -> Request:
        """Return the request for the inverse permutation; raise ValueError where A is singular."""
        assert request.permutation is not None, "a permutation is stated"
        back = Bmmc(request.permutation.address.inverse(), "A")
        return replace(request, permutation=back, input=request.output, output=request.input)

    def perform(self, data: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return this rank's part of y, given its part of x, as `forward` does; collective.

        Args:
            data: M = 2^n/P contiguous elements of `dtype`, left unchanged and never converted.
            out: a contiguous array for the result.

        Returns:
            `out`, or a new array.

        Raises:
            ValueError: an array does not fit, or the permutation is freed.
            RuntimeError: another thread uses the permutation.

        Examples:
            >>> with Permutation(None, [2, 1], 0, "i8") as swap:
            ...     swap.perform(np.arange(4)).tolist()
            [0, 2, 1, 3]
        """
        with self._alone:
            self._own()
            return self._call(self.forth, data, out)

    def _call(self, planned: Planned, data: Any, out: NDArray[Any] | None) -> NDArray[Any]:
        kind = planned.module.DTYPE  # as which records are moved: so many bytes
        _fit(data, out, self.request.M, self.dtype)
        source = data.view(kind)
        if not source.flags.aligned:  # MPI takes elements where their type wants them
            source = source.copy()
        if out is None:
            return planned.transform(source, planned.plan).view(self.dtype)
        target = out.view(kind)
        if target.flags.aligned:
            planned.transform(source, planned.plan, target)
        else:
            target[:] = planned.transform(source, planned.plan)
        return out


PermutationPlan = Permutation
"""The same under the name of what `factor_bmmc` returns."""


@needs_arguments
def factor_bmmc(
    A: ArrayLike | Affine,
    c: int,
    comm: Any,
    dtype: DTypeLike,
    layout: str = DEFAULTS["input"],
    exchange: str = PERMUTE.exchanges[0],
    kernels: str = PERMUTE.kernels[0],
) -> Permutation:
    """Return a plan of the permutation y[A j + c] = x[j] on the ranks of `comm`; collective.

    Args:
        A: n x n matrix of zeros and ones, its packed columns, or a map.
        c: the complement, an integer of n bits.
        comm: a communicator of mpi4py; None is one rank, without MPI.
        dtype: the dtype of an element, any of a fixed size.
        layout: the layout of input and output.
        exchange: as for `Permutation`.
        kernels: as for `Permutation`.

    Returns:
        The plan, for `perform_bmmc`.

    Raises:
        ValueError: as for `Permutation`, on all ranks.

    References:
        Cormen (1997), section 7.

    Examples:
        >>> plan = factor_bmmc([2, 1], 0, None, "i8")
        >>> perform_bmmc(plan, np.arange(4)).tolist()
        [0, 2, 1, 3]
        >>> plan.free()
    """
    layouts = layout, layout
    return Permutation(comm, A, c, dtype, *layouts, exchange=exchange, kernels=kernels)


@needs_arguments
def perform_bmmc(
    plan: Permutation, data: NDArray[Any], out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return this rank's part of the permuted vector y[A j + c] = x[j]; collective.

    Args:
        plan: the plan from `factor_bmmc`.
        data: this rank's part of x: M = 2^n/P contiguous elements, left unchanged.
        out: a contiguous array for the result; default: a new array.

    Returns:
        `out`, or a new array of M elements.

    Raises:
        ValueError: an array has another length or dtype or is not contiguous, or the plan is freed
            or not a plan; only on the rank with that error.

    References:
        Cormen (1997), section 7.

    Examples:
        >>> perform_bmmc(factor_bmmc([2, 1], 3, None, "i8"), np.arange(4)).tolist()
        [3, 1, 2, 0]
    """
    if not isinstance(plan, Permutation):
        raise ValueError(
            f"plan: {type(plan).__name__}: a permutation is performed by what factor_bmmc returns"
        )
    return plan.perform(data, out)


@needs_arguments
def bmmc_permute(
    A: ArrayLike | Affine,
    c: int,
    comm: Any,
    data: NDArray[Any],
    layout: str = DEFAULTS["input"],
    exchange: str = PERMUTE.exchanges[0],
    kernels: str = PERMUTE.kernels[0],
) -> NDArray[Any]:
    """Return this rank's part of a permuted vector: factor, perform and free in one call.

    Every call makes tables and communicators. To permute several vectors, use `Permutation`.

    Args:
        A: n x n matrix of zeros and ones, its packed columns, or a map.
        c: the complement, an integer of n bits.
        comm: a communicator of mpi4py; None is one rank, without MPI.
        data: this rank's part of x: M = 2^n/P contiguous elements, left unchanged.
        layout: the layout of input and output.
        exchange: as for `Permutation`.
        kernels: as for `Permutation`.

    Returns:
        A new array of M elements.

    Raises:
        ValueError: the data of one rank do not fit, or as for `Permutation`; on all ranks.

    Examples:
        >>> bmmc_permute([2, 1], 3, None, np.arange(4)).tolist()
        [3, 1, 2, 0]
    """
    ranks = communicator(comm)
    agreed(ranks, lambda: _dtype_of(data, 1 << address_of(A, c).bits, ranks.size), "dtypes")
    plan = factor_bmmc(A, c, ranks, data.dtype, layout, exchange, kernels)
    permuted = plan.forward(data)
    plan.free()  # not after an exception: it is collective
    return permuted


def _dtype_of(data: Any, size: int, ranks: int) -> str:
    """Return the dtype of a rank's part of a vector; raise ValueError if it is no such part."""
    if not isinstance(data, np.ndarray):
        raise ValueError(
            f"data must be a contiguous array on every rank; got {type(data).__name__}"
        )
    _fit(data, None, size // ranks, fixed_size(data.dtype))
    return str(data.dtype)


def _fit(data: Any, out: Any, M: int, dtype: np.dtype[Any]) -> None:
    """Raise ValueError unless these are a rank's M elements, and where to put M."""
    fit(
        data,
        out,
        ("data", "out"),
        M,
        dtype,
        f"a rank holds a contiguous array of {M} elements of {dtype}",
    )


def _spelled(dtype: np.dtype[Any]) -> str:
    """Return the dtype as which elements are moved: numbers as they are, all else as bytes."""
    return dtype.str if dtype.kind in "biufcO" else f"V{dtype.itemsize}"
