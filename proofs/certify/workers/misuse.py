"""How a program takes what its contract excludes, in ordinary numbers, as the values do not matter:
a job for a worker.

Arrays of another shape or type, `out` that is the input, a freed plan or another program's, other
ranks. Between them the same transform is done again and again, and what it gives is sent back, so
that the checker sees whether misuse has left a trace.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, ClassVar

import numpy as np

from codegen.mpi.accidents import ANYTHING, COUNTS, LAST_APART, ZEROS, on_nodes, under
from codegen.mpi.faults import forget
from codegen.mpi.memory.buffers import CommunicationError, Final
from codegen.mpi.simulate import Aborted, Comm, begun, during, run
from codegen.spec import SHARED
from proofs.certify.arrays.part_axes import Transforming, of_vectors, other_shapes
from proofs.certify.declaration import Declaration, Transform
from proofs.certify.failures import Wrong, blaming
from proofs.certify.forbidden import BENEATH
from proofs.certify.kernels.kept import in_run_of
from proofs.certify.sandbox.loading import Text
from proofs.certify.stand_ins import Holder
from proofs.certify.state.holding import unchanged
from proofs.certify.workers import usage
from proofs.certify.workers.misuses import NAME, PLACES, Array, Used, misuses, uses
from proofs.certify.workers.on_ranks import Program
from proofs.certify.workers.usage import FEW_FROM_P, by_numpy

LATE = (
    "is refused after an exchange: it is to be refused at once, as other ranks may have no part"
    " in it"
)


KERNELS = (
    "codegen.kernels.",
    "proofs.certify.arrays.pyfftw_stand_in",
    "proofs.certify.kernels.memory",
    "proofs.certify.kernels.vectors",
)
"""The modules that stand for what is compiled."""


@dataclass(frozen=True)
class Misused:
    """Misuse of all kinds on all ranks, between transforms of numbers, of shape (P, M)."""

    name: ClassVar[str] = NAME
    declaration: Declaration
    data: Array

    def done(self, text: Text) -> tuple[dict[str, Any], list[Array]]:
        """Return the result of each use, of shape (P, M), and which ranks refused it."""
        d, data = self.declaration, self.data.view(by_numpy(self.data.dtype))
        with blaming(text, NAME), under(ZEROS), in_run_of(d.N):
            done = run(d.P, lambda comm: _misused(text, d, comm, data[comm.rank]), BENEATH)
        with blaming(text, NAME), under(COUNTS):
            _places(text.load(), d)
        with under(ANYTHING):
            for size in other_sizes(d):
                _on_other_ranks(text, size, f"plan on {size} ranks, where P = {d.P},")
        if d.exchange == SHARED and d.P > 1:
            with under(ANYTHING), on_nodes(LAST_APART):
                _on_other_ranks(text, d.P, "plan on ranks of two nodes, with exchange shared,")
        blank = np.zeros(d.M, d.dtype)
        results = [
            np.stack([blank if y is None else y for y in parts], dtype=d.dtype)
            for parts in zip(*done.results, strict=True)
        ]
        refused = {
            words: [r for r, y in enumerate(parts) if y is None]
            for words, parts in zip(uses(d), zip(*done.results, strict=True), strict=True)
        }
        return {"refused": refused}, results


def _misused(text: Text, d: Declaration, comm: Comm, x: Array) -> list[Array | None]:
    """Return what each use gives on this rank, None where it is refused."""
    program, other = text.load(), text.load()
    transform = of_vectors(program["transform"], d)
    plan = _planned_where_errors_raise(program, comm)
    strange = other | {
        name: "another" for name in ("TRANSFORM", "DIRECTION", "NORM") if name in other
    }
    other["transform"].__globals__.update(strange)
    another = other["plan"](comm)
    _freed_twice(program, comm)
    before = unchanged(program, plan)
    for words, misuse in misuses(x).items():
        _wants_refusal(words, partial(misuse, transform, plan, x.copy()), comm)
    _wants_refusal("a plan of another program", partial(transform, x.copy(), another), comm)
    _of_other_shapes(program["transform"], d, plan, comm)
    before("misuse")
    during(comm, usage.TRANSFORM)
    results = [
        _used(words, each, partial(_done, each, program, d, plan, x.copy()), comm)
        for words, each in uses(d).items()
    ]
    _of_broadcast(program["transform"], d, plan, x)
    _of_no_array(program["transform"], d, plan, x, comm)
    for used in (plan, another):
        used.free()
    before = unchanged(program, plan)
    _wants_refusal("a freed plan", partial(transform, x, plan), comm)
    before("misuse")
    return results


def _planned_where_errors_raise(program: Program, comm: Comm) -> Any:
    with np.errstate(all="raise", under="ignore"):
        return program["plan"](comm)


def _freed_twice(program: Program, comm: Comm) -> None:
    """Make a plan and free it twice; raise Wrong where the second time takes part in anything. That
    it is refused is as good as nothing.
    """
    plan = program["plan"](comm)
    plan.free()
    exchanged, known, before = begun(comm), len(Final.kept or ()), unchanged(program, plan)
    try:
        plan.free()
    except Aborted:
        raise
    except Exception:
        del (Final.kept or [])[known:]  # of a communicator that is freed
    if exchanged():
        raise Wrong(
            NAME,
            "a plan that is freed exchanges something when it is freed again: other ranks may have"
            " no part in it",
        )
    before("misuse")


def _of_other_shapes(transform: Transforming, d: Declaration, plan: Any, comm: Comm) -> None:
    """Raise Wrong unless arrays of as many elements in another shape are refused."""
    before, after = (np.zeros(axes, d.dtype) for axes in d.parts_of_ranks)
    for shape in other_shapes(before.shape):
        words = f"an x of shape {shape}"
        _wants_refusal(words, partial(transform, before.reshape(shape), plan), comm)
    for shape in other_shapes(after.shape):
        words, out = f"an out of shape {shape}", after.reshape(shape)
        _wants_refusal(words, partial(transform, before, plan, out=out), comm)


def _of_broadcast(transform: Transforming, d: Declaration, plan: Any, x: Array) -> None:
    """Raise Wrong unless a part that is broadcast along an axis is transformed as its copy is."""
    part = x.reshape(d.parts_of_ranks[0])
    for axis in range(part.ndim):
        held = np.broadcast_to(part.take([0], axis), part.shape)
        one, other = (np.asarray(transform(each, plan)) for each in (held, held.copy()))
        if not _alike(one, other, d):
            raise Wrong(
                NAME, f"an x that is broadcast along axis {axis} is another one's transform"
            )


def _of_no_array(transform: Transforming, d: Declaration, plan: Any, x: Array, comm: Comm) -> None:
    """Raise Wrong unless what is no array, and holds a part, is refused at once or transformed as
    the part is.
    """
    part, words = x.reshape(d.parts_of_ranks[0]), "an x that is no array, and holds one,"
    wanted = np.asarray(transform(part, plan)).reshape(-1)
    use = Used(lambda transform, plan, x: transform(Holder(x), plan), is_taken=False)

    def call() -> Array:
        return np.asarray(use.use(transform, plan, part)).reshape(-1)

    found = _used(words, use, call, comm)
    if found is not None and not _alike(found, wanted, d):
        raise Wrong(NAME, f"{words} has another transform than that one")


def _alike(one: Array, other: Array, d: Declaration) -> bool:
    """Return whether two results are equal but for rounding, by the size of the largest."""
    if not isinstance(d, Transform):
        return one.tobytes() == other.tobytes()
    largest = d.points ** (1 - d.divided / 2)
    return bool((np.abs(one - other) <= np.finfo(d.dtype).eps ** 0.5 * largest).all())


def _done(use: Used, program: Program, d: Declaration, plan: Any, x: Array) -> Any:
    return use.use(of_vectors(program["transform"], d, use.turn, use.into), plan, x)


def _used(words: str, use: Used, call: Callable[[], Any], comm: Comm) -> Array | None:
    exchanged = begun(comm)
    try:
        return _array(call(), words)
    except (CommunicationError, Wrong):
        raise
    except Exception as error:
        if use.is_taken:
            raise
        forget(error)
        if exchanged():
            raise Wrong(NAME, f"{words} {LATE}") from error
        return None


def _array(y: Any, words: str) -> Array:
    if not isinstance(y, np.ndarray) or y.ndim != 1:
        raise Wrong(NAME, f"transform of {words} returns {type(y).__name__}")
    return y.copy()


def _wants_refusal(words: str, call: Callable[[], Any], comm: Comm | None = None) -> None:
    exchanged = begun(comm) if comm is not None else lambda: False
    try:
        call()
    except CommunicationError:
        raise
    except Exception as error:
        forget(error)
        if exchanged():
            raise Wrong(NAME, f"{words} {LATE}") from error
        if not _met_by_a_kernel(error):
            return
    raise Wrong(NAME, f"{words} is taken: it is to be refused at once, by an exception")


def _met_by_a_kernel(error: Exception) -> bool:
    """Return whether an exception comes from what stands for a compiled kernel, or for FFTW: these
    look at nothing themselves.
    """
    names = (
        str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)
    )
    return any(name.startswith(KERNELS) for name in names)


def _places(program: Program, d: Declaration) -> None:
    """Raise Wrong unless what is no index has no place."""
    near = (
        d.N,
        d.N + 1,
        2 * d.N,
        -d.N,
        np.array([0, d.N]),
        np.array([-1, 0]),
        np.array([d.N], np.min_scalar_type(d.N)),
    )
    none: Sequence[Any] = (*near, *PLACES)
    before = unchanged(program)
    for side, j in product(("input", "output"), none):
        _wants_refusal(f"{side}_place({j})", partial(program[f"{side}_place"], j))
    before("misuse")


def other_sizes(d: Declaration) -> list[int]:
    """Return other numbers of ranks, as few as matter where each takes long."""
    sizes = {d.P // 2, d.P - 1, d.P + 1, 2 * d.P} | ({1, 3 * d.P} if d.P <= FEW_FROM_P else set())
    return sorted(sizes - {0, d.P})


def _on_other_ranks(text: Text, size: int, words: str) -> None:
    """Raise Wrong unless plan refuses these ranks on each of them, and leaves nothing open."""

    def refused(comm: Comm) -> None:
        program = text.load()
        before = unchanged(program)
        _wants_refusal(words, partial(program["plan"], comm))
        before("misuse")

    with blaming(text, NAME):
        left = run(size, refused, BENEATH).leaks
    if left:
        raise Wrong(NAME, f"{words} is refused, and {left[0]}")
