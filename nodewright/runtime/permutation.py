"""BMMC permutations for an mpi4py program of your own: the three calls of Cormen 1997, section 7,
under Python names.

    from nodewright import bmmc_permute, factor_bmmc, perform_bmmc

    y = bmmc_permute(A, c, comm, data)            one call that does it all
    plan = factor_bmmc(A, c, comm, data.dtype)    factor once,
    y = perform_bmmc(plan, data)                  perform many times,
    plan.free()                                   and free what the plan holds

They run the very text that `nodewright generate permute` writes for this permutation and this
number of ranks, whose plan talks on a communicator of its own. `factor_bmmc(.., abort=True)` sets
`sys.excepthook`: an exception that nothing catches is reported as before, and then ends all ranks
(`Abort`), so that none waits for one that is gone. That holds when the plan and the communicator
are freed, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from codegen.elements import fixed_size
from codegen.emit.text import emit
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine
from nodewright.runtime.local import address_of, fit, reserved

KEPT = 64
"""So many programs are kept, with what they have compiled: the next plan for the same takes neither
emission nor compilation.
"""


class PermutationPlan:
    """A factored permutation on the ranks of a communicator; `module` is the program that it runs,
    `text` its source.
    """

    def __init__(self, text: str, comm: Any, dtype: np.dtype[Any], abort: bool = False) -> None:
        self.text, self.dtype, self.module = text, dtype, _loaded(text)
        try:
            self._plan = self.module.plan(comm, abort)
        except self.module.Unusable as error:
            raise ValueError(str(error)) from error

    def perform(self, data: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return this rank's M elements after the permutation; see `perform_bmmc`."""
        kind = self.module.DTYPE  # as which records are moved: so many bytes
        _fit(data, out, self.module.M, self.dtype)
        source = data.view(kind)
        if not source.flags.aligned:  # MPI takes elements where their type wants them
            source = source.copy()
        if out is None:
            return self.module.transform(source, self._plan).view(self.dtype)
        target = out.view(kind)
        if target.flags.aligned:
            self.module.transform(source, self._plan, target)
        else:
            target[:] = self.module.transform(source, self._plan)
        return out

    def free(self) -> None:
        """Free the communicators and tables that the plan holds, once; collective."""
        self._plan.free()


@lru_cache(KEPT)
def _loaded(text: str) -> ModuleType:
    """Return a program as a module, which keeps the kernel that it has compiled."""
    module = ModuleType("nodewright_permutation")
    exec(compile(text, "<nodewright permutation>", "exec"), module.__dict__)
    return module


def factor_bmmc(
    A: ArrayLike | Affine,
    c: int,
    comm: Any,
    dtype: DTypeLike,
    layout: str = "block",
    exchange: str = "alltoall",
    kernels: str = "numpy",
    abort: bool = False,
) -> PermutationPlan:
    """Factor the permutation j -> A j + c of 2^n elements over the ranks of `comm`, for elements of
    this dtype; collective.

    A: n x n matrix of zeros and ones, bit 0 first, or an Affine map (its complement is added to c).
    layout: where index j lives, `block` for processor-major, `f:K` for Cormen's others, `cyclic`,
    any that `nodewright layout` knows. exchange: how messages travel, `alltoall` (by measurement
    the fastest for most permutations and sizes: bench/README.md), `pairwise`, `replace`,
    `nonblocking` or `shared`. kernels: `numpy`, or, compiled for a second or two when the first
    plan is made, `numba` (tiles) or `gray`. abort: from now on an exception that nothing catches on
    this rank ends all ranks of MPI.COMM_WORLD.

    Raises ValueError, on all ranks, where A is singular (naming rows that add up to zero), c has
    more than n bits, the size of the communicator is no power of two or above 2^n, the dtype has no
    fixed size, a rank's 2^n/P elements do not fit its memory, the ranks do not all state the same,
    `shared` is asked for across nodes, or the file of a layout bmmc:FILE cannot be read.
    """
    return PermutationPlan(
        *_together(comm, lambda: _stated(A, c, comm, dtype, layout, exchange, kernels)), abort
    )


def perform_bmmc(
    plan: PermutationPlan, data: NDArray[Any], out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Permute a distributed vector: return this rank's part of y, y[A j + c] = x[j], given its part
    of x; collective.

    data: M = 2^n/P contiguous elements, left unchanged; the result is a new array, or `out`. Raises
    ValueError for another length, dtype, an array that is not contiguous, or a plan that is none or
    freed, on the rank where it is so.
    """
    if not isinstance(plan, PermutationPlan):
        raise ValueError(
            f"plan: {type(plan).__name__}: a permutation is performed by what factor_bmmc returns"
        )
    return plan.perform(data, out)


def bmmc_permute(
    A: ArrayLike | Affine,
    c: int,
    comm: Any,
    data: NDArray[Any],
    layout: str = "block",
    exchange: str = "alltoall",
    kernels: str = "numpy",
) -> NDArray[Any]:
    """Factor, perform, and free in one call; see `factor_bmmc` and `perform_bmmc`. All ranks raise
    ValueError where one has data that do not fit.

    The program of the same permutation, dtype, layout, exchange, kernels and number of ranks is
    kept, but tables and communicators are made for every call: for small data that is most of its
    time.
    """

    def stated() -> tuple[str, np.dtype[Any]]:
        if not isinstance(data, np.ndarray):
            raise ValueError(
                f"data: {type(data).__name__}: what is permuted is a contiguous array on every rank"
            )
        said = _stated(A, c, comm, data.dtype, layout, exchange, kernels)
        _fit(data, None, (1 << address_of(A, c).bits) // comm.size, data.dtype)
        return said

    plan = PermutationPlan(*_together(comm, stated))
    permuted = plan.perform(data)
    plan.free()  # not after an exception: it is collective
    return permuted


def _together(
    comm: Any, stated: Callable[[], tuple[str, np.dtype[Any]]]
) -> tuple[str, Any, np.dtype[Any]]:
    """Return the communicator with the program and the dtype that this rank states, which are those
    of all ranks; collective.

    Raises ValueError on every rank where one has none or another.
    """
    if not comm or not hasattr(comm, "allgather"):
        raise ValueError(
            f"comm: {type(comm).__name__}: a permutation is of the ranks of a communicator of"
            " mpi4py"
        )
    said, error = None, None
    try:
        said = stated()
    except Exception as found:  # raised again when the others know
        error = found
    answers = comm.allgather(
        (str(error), None) if error else (None, sha256(repr(said).encode()).digest())
    )
    if error is not None:
        raise error
    for rank, (why, digest) in enumerate(answers):
        if why is not None:
            raise ValueError(f"rank {rank}: {why}")
        if digest != answers[0][1]:
            raise ValueError(
                f"ranks 0 and {rank} state different permutations, layouts, exchanges, kernels or"
                " dtypes: all ranks state the same"
            )
    assert said is not None, "what is stated is a program, or an error"
    return said[0], comm, said[1]


def _stated(
    A: ArrayLike | Affine,
    c: int,
    comm: Any,
    dtype: DTypeLike,
    layout: str,
    exchange: str,
    kernels: str,
) -> tuple[str, np.dtype[Any]]:
    """Return the program for a permutation, and the dtype of its elements."""
    if not all(isinstance(word, str) for word in (layout, exchange, kernels)):
        raise ValueError(
            f"layout {layout!r}, exchange {exchange!r}, kernels {kernels!r}: each is a name"
        )
    address, given = address_of(A, c), fixed_size(dtype)
    try:
        return (
            _program(address, comm.size, np.dtype(_spelled(given)).str, layout, exchange, kernels),
            given,
        )
    except OSError as error:  # the file of a layout bmmc:FILE
        raise ValueError(f"layout {layout}: {error.filename}: {error.strerror}") from error


@lru_cache(KEPT)
def _program(address: Affine, P: int, dtype: str, layout: str, exchange: str, kernels: str) -> str:
    """Return the text that moves elements of this dtype by this permutation; raise ValueError where
    no rank could hold its part.
    """
    N, permutation = 1 << address.bits, Bmmc(address, "A")
    layouts = layout, layout
    spec = Spec("permute", N, P, *layouts, exchange, permutation, kernels=kernels, dtype=dtype)
    reserved(spec.M, np.dtype(dtype))
    return emit(spec)


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
    """Return the dtype as which elements are moved: numbers as they are, anything else as so many
    bytes.
    """
    return dtype.str if dtype.kind in "biufcO" else f"V{dtype.itemsize}"
