"""How a program takes what its contract excludes: arrays of another shape or type, `out` that is the input, a freed plan, other ranks.

Also what it must take: inputs that nobody may write to, side by side, with gaps, and backwards, and one plan many times. Ordinary numbers, as
the values do not matter.
"""

from __future__ import annotations

import contextlib
import io
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpi.accidents import under
from codegen.mpi.buffers import CommunicationError
from codegen.mpi.simulate import HOOK, Aborted, Comm, begun, during, run
from proofs.blame import Wrong, blaming
from proofs.declaration import Declaration
from proofs.sandbox import Text
from proofs.usage import Program, simulated

NAME = "contract"
Array = NDArray[Any]
Misuse = Callable[[Callable[..., Any], Any, Array], Any]


def _like(x: Array, kind: type[np.generic]) -> Array:
    """Return as many elements of this type, or of another where x has it."""
    return np.zeros(x.shape, np.int16 if x.dtype == kind else kind)


def _given_x(kind: type[np.generic]) -> Misuse:
    return lambda transform, plan, x: transform(_like(x, kind), plan)


def _given_out(kind: type[np.generic]) -> Misuse:
    return lambda transform, plan, x: transform(x, plan, out=_like(x, kind))


def _overlapping(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    held = np.concatenate([x, x[:1]])
    return transform(held[:-1], plan, out=held[1:])


KINDS: dict[str, type[np.generic]] = {"truth values": np.bool_, "complex64": np.complex64, "complex128": np.complex128, "clongdouble": np.clongdouble}
MISUSES: dict[str, Misuse] = {
    "an x of one element less": lambda transform, plan, x: transform(x[:-1], plan),
    "an x of two axes": lambda transform, plan, x: transform(x.reshape(1, -1), plan),
    "an out of one element more": lambda transform, plan, x: transform(x, plan, out=np.concatenate([x, x[:1]])),
    "an out of two axes": lambda transform, plan, x: transform(x, plan, out=x.reshape(1, -1).copy()),
    "an out that is x": lambda transform, plan, x: transform(x, plan, out=x),
    "an out that is a view of x": lambda transform, plan, x: transform(x, plan, out=x[:]),
    "an out that shares elements with x": _overlapping,
    "an out that nobody may write to": lambda transform, plan, x: transform(x, plan, out=that_nobody_may_write_to(x)),
    **{f"an x of {words} or int16": _given_x(kind) for words, kind in KINDS.items()},
    **{f"an out of {words} or int16": _given_out(kind) for words, kind in KINDS.items()},
}
REFUSED = (
    "refused at once are arrays of another shape or type, an out in the memory of x or that nobody may write to, a freed plan, other numbers of "
    "ranks, and places of no index; an out with gaps and numbers with their bytes in the other order are refused, or taken as what they are"
)
KERNELS = ("codegen.kernels.", "proofs.fftw", "proofs.vectors")
"""The modules that stand for what is compiled."""
ORDERS = 3
"""In so many orders the ranks of every program with shared memory run."""
ZEROS = 2
"""The accident under which unwritten memory holds zeros."""
REPEATS, FEW = 8, 3
"""So many transforms are done by one plan in a row, and so many plans are made before any is freed; few where N or P is large."""


def repeats(N: int, P: int) -> int:
    """Return how many that are.

    >>> repeats(1024, 8), repeats(1024, 256)
    (8, 3)
    """
    return REPEATS if N <= 2**16 and P <= 32 else FEW


def refused(text: Text, d: Declaration, schedules: int = 1) -> None:
    """Raise Wrong unless the program refuses all of MISUSES and the like, takes an x with gaps, and its exception hook ends all ranks.

    A rank that sends before it looks waits for others that do not come, or hears what they send next. Where one transform has many schedules,
    it is not repeated: they would multiply.
    """
    octets = np.random.default_rng(0).integers(0, 64, (d.N, d.dtype.itemsize), np.uint8)  # of numbers that are finite, and below 1
    use = partial(_misused, repeats(d.N, d.P) if schedules <= ORDERS else 1)
    with under(ZEROS):
        simulated(text, d, None, [octets.reshape(-1).view(d.dtype)[d.indices("input")]], use, NAME)
    with blaming(text, NAME):
        program = text.load()
        for side, j in product(("input", "output"), (-1, d.N, np.array([0, d.N]), np.array([-1, 0]), 0.5)):
            _wants_refusal(f"{side}_place({j})", partial(program[f"{side}_place"], j))
    for size in {2 * d.P, d.P // 2} - {0}:
        _on_other_ranks(text, d, size)
    _dying(text, d)


def _misused(many: int, program: Program, comm: Comm, data: Sequence[Any], name: str) -> list[Any]:
    x, transform = data[0], program["transform"]
    before = x.tobytes()
    plans = [program["plan"](comm) for _ in range(many)]
    plan = plans[0]
    for words, misuse in MISUSES.items():
        if misuse is _overlapping and len(x) == 1:
            continue  # two arrays of one element share it, or nothing
        _wants_refusal(words, partial(misuse, transform, plan, x.copy()), comm)
    wanted = transform(x, plan)
    if not all(_close(wanted, transform(x, another)) for another in plans[:0:-1]):
        raise Wrong(NAME, f"transform by one of {many} plans is another one than by the first")
    for number in range(2, many + 1):
        if not _close(wanted, transform(x, plan)):
            raise Wrong(NAME, f"transform number {number} of one plan is another one than the first")
    for words, taken in TAKEN.items():
        _takes(words, taken(x), transform, plan, wanted)
    _takes_strictly(transform, plan, x)
    for words, use in TAKEN_OR_REFUSED.items():
        _wants_the_same_or_refusal(words, partial(use, transform, plan, x.copy()), wanted)
    if plan.comm is not comm:
        raise Wrong(NAME, "plan.comm is not the communicator that plan was given")
    for used in plans:
        used.free()
        _wants_refusal("a freed plan", partial(transform, x, used), comm)
    if x.tobytes() != before:
        raise Wrong(NAME, "transform changes its input, which is to be left as it was")
    return []


def _takes(words: str, given: Array, transform: Callable[..., Any], plan: Any, wanted: Array) -> None:
    """Raise Wrong unless the transform of these elements is as wanted, and leaves the memory that they lie in as it was."""
    held = given.base if isinstance(given.base, np.ndarray) else given
    before = held.tobytes()
    if not _close(wanted, transform(given, plan)):
        raise Wrong(NAME, f"transform of {words} is another one")
    if held.tobytes() != before:
        raise Wrong(NAME, f"transform changes {words}, or what lies between its elements")


def _takes_strictly(transform: Callable[..., Any], plan: Any, x: Array) -> None:
    """Raise Wrong unless the transform of small integers is the same where the caller has numpy raise an exception for any error in arithmetic."""
    small = (np.arange(len(x)) % 7 - 3).astype(x.dtype) if x.dtype.kind in "fc" else x
    wanted = transform(small, plan)
    with np.errstate(all="raise"):
        found = transform(small, plan)
    if not _close(wanted, found):
        raise Wrong(NAME, "transform is another one where numpy raises exceptions for errors in arithmetic")


def every_second(x: Array, writeable: bool = True) -> Array:
    """Return the same elements, every second of an array."""
    held = np.zeros(2 * len(x), x.dtype)
    held[::2] = x
    held.flags.writeable = writeable
    return held[::2]


def that_nobody_may_write_to(x: Array) -> Array:
    """Return the same elements in memory that stays read-only."""
    return np.frombuffer(x.tobytes(), x.dtype)


TAKEN: dict[str, Callable[[Array], Array]] = {
    "an x that nobody may write to": that_nobody_may_write_to,
    "an x with gaps in memory": partial(every_second, writeable=False),
    "an x with gaps in memory that may be written to": every_second,
    "an x that lies backwards in memory": lambda x: that_nobody_may_write_to(x[::-1])[::-1],
}


def into_gaps(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    """Return what is found in an `out` that is every second element of an array."""
    out = np.zeros(2 * len(x), x.dtype)[::2]
    transform(x, plan, out=out)
    return out


def _with_bytes_swapped(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    return transform(x.astype(x.dtype.newbyteorder()), plan)


def _into_bytes_swapped(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    out = np.zeros(len(x), x.dtype.newbyteorder())
    transform(x, plan, out=out)
    return out.astype(x.dtype)


TAKEN_OR_REFUSED: dict[str, Misuse] = {
    "an out with gaps in memory": into_gaps,
    "an x of the other byte order": _with_bytes_swapped,
    "an out of the other byte order": _into_bytes_swapped,
}


def _wants_the_same_or_refusal(words: str, call: Callable[[], Any], wanted: Array) -> None:
    try:
        found = call()
    except CommunicationError:
        raise
    except Exception:
        return
    if found.shape != wanted.shape or not _close(wanted, found.astype(wanted.dtype)):
        raise Wrong(NAME, f"transform with {words} is another one: it is to be refused, or to be the same")


def _close(one: Array, other: Array) -> bool:
    """Return whether two results are the same but for rounding, which may depend on where the elements lie."""
    if one.dtype.kind not in "fc":
        return one.tobytes() == other.tobytes()
    return bool(np.abs(one - other).max() <= 1e-4 * np.abs(one).max())


def _wants_refusal(words: str, call: Callable[[], Any], comm: Comm | None = None) -> None:
    exchanged = begun(comm) if comm is not None else lambda: False
    try:
        call()
    except CommunicationError:
        raise
    except Exception as error:
        if exchanged():
            raise Wrong(NAME, f"{words} is refused after an exchange: it is to be refused at once, as other ranks may have no part in it") from error
        if not _met_by_a_kernel(error):
            return
    raise Wrong(NAME, f"{words} is taken: it is to be refused at once, by an exception")


def _met_by_a_kernel(error: Exception) -> bool:
    """Return whether an exception comes from what stands for a compiled kernel, or for FFTW: these look at nothing themselves."""
    names = (str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(name.startswith(KERNELS) for name in names)


def _on_other_ranks(text: Text, d: Declaration, size: int) -> None:
    """Raise Wrong unless plan refuses this number of ranks on each of them."""
    with blaming(text, NAME):
        programs = [text.load() for _ in range(size)]
        run(size, lambda comm: _wants_refusal(f"plan on {size} ranks, where P = {d.P},", lambda: programs[comm.rank]["plan"](comm)))


def hook_after(program: Program, comm: Comm, freed: bool, plans: int = 1) -> Any:
    """Return the exception hook after so many plans that are made and freed, and their communicator with them or not."""
    given = comm.Dup() if freed else comm
    for _ in range(plans):
        program["plan"](given).free()
    if freed:
        given.Free()
    during(comm, HOOK)
    return program["__builtins__"]["__import__"]("sys").excepthook  # which the program may not import itself


def _dying(text: Text, d: Declaration) -> None:
    """Raise Wrong unless the exception hook, where plan sets one, reports an exception and ends all ranks, be plan's communicator freed or not."""
    for freed in (False, True):
        _dying_after(text, d, freed)


def _dying_after(text: Text, d: Declaration, freed: bool) -> None:
    programs = [text.load() for _ in range(d.P)]

    def end(comm: Comm) -> None:
        hook, printed = hook_after(programs[comm.rank], comm, freed), io.StringIO()
        if hook is sys.__excepthook__:
            return
        with contextlib.redirect_stderr(printed), contextlib.suppress(Aborted):
            hook(ValueError, ValueError("an example"), None)
            raise Wrong(NAME, "the exception hook that plan sets does not abort: the other ranks would wait for one that is gone")
        if "ValueError: an example" not in printed.getvalue():
            raise Wrong(NAME, "the exception hook that plan sets does not report the exception")

    try:
        run(d.P, end)
    except Wrong:
        raise
    except Exception as error:
        raise Wrong(NAME, f"the exception hook that plan sets fails: {type(error).__name__} {error}") from error
