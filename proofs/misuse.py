"""How a program takes what its contract excludes: arrays of another shape or type, `out` that is the input, a freed plan, other ranks.

Also what it must take: an input with gaps, which nobody may write to. Ordinary numbers, as the values do not matter.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpi.buffers import CommunicationError
from codegen.mpi.simulate import Aborted, Comm, run
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
    **{f"an x of {words} or int16": _given_x(kind) for words, kind in KINDS.items()},
    **{f"an out of {words} or int16": _given_out(kind) for words, kind in KINDS.items()},
}
REFUSED = (
    "refused at once are arrays of another shape or type, an out in the memory of x, a freed plan, other numbers of ranks, and places of no index"
)


def refused(text: Text, d: Declaration) -> None:
    """Raise Wrong unless the program refuses all of MISUSES and the like, takes an x with gaps, and its exception hook ends all ranks.

    A rank that sends before it looks waits for others that do not come, or hears what they send next.
    """
    octets = np.random.default_rng(0).integers(0, 64, (d.N, d.dtype.itemsize), np.uint8)  # of numbers that are finite, and below 1
    simulated(text, d, None, [octets.reshape(-1).view(d.dtype)[d.indices("input")]], _misused, NAME)
    with blaming(text, NAME):
        program = text.load()
        for side, j in product(("input", "output"), (-1, d.N, np.array([0, d.N]), np.array([-1, 0]), 0.5)):
            _wants_refusal(f"{side}_place({j})", partial(program[f"{side}_place"], j))
    for size in {2 * d.P, d.P // 2} - {0}:
        _on_other_ranks(text, d, size)
    _dying(text, d)


def _misused(program: Program, comm: Comm, data: Sequence[Any], name: str) -> list[Any]:
    x, transform = data[0], program["transform"]
    plans = [program["plan"](comm) for _ in range(3)]
    plan = plans[0]
    for words, misuse in MISUSES.items():
        if misuse is _overlapping and len(x) == 1:
            continue  # two arrays of one element share it, or nothing
        _wants_refusal(words, partial(misuse, transform, plan, x.copy()))
    wanted = transform(x, plan)
    if not all(_close(wanted, transform(x, another)) for another in plans[:0:-1]):
        raise Wrong(NAME, "transform by one of three plans is another one than by the first")
    if not _close(wanted, transform(with_gaps(x), plan)):
        raise Wrong(NAME, "transform of an x with gaps in memory is another one")
    if plan.comm is not comm:
        raise Wrong(NAME, "plan.comm is not the communicator that plan was given")
    for used in plans:
        used.free()
        _wants_refusal("a freed plan", partial(transform, x, used))
    return []


def with_gaps(x: Array) -> Array:
    """Return the same elements, every second of a read-only array."""
    held = np.zeros(2 * len(x), x.dtype)
    held[::2] = x
    held.flags.writeable = False
    return held[::2]


def _close(one: Array, other: Array) -> bool:
    """Return whether two results are the same but for rounding, which may depend on where the elements lie."""
    if one.dtype.kind not in "fc":
        return one.tobytes() == other.tobytes()
    return bool(np.abs(one - other).max() <= 1e-4 * np.abs(one).max())


def _wants_refusal(words: str, call: Callable[[], Any]) -> None:
    try:
        call()
    except CommunicationError:
        raise
    except Exception:
        return
    raise Wrong(NAME, f"{words} is taken: it is to be refused at once, by an exception")


def _on_other_ranks(text: Text, d: Declaration, size: int) -> None:
    """Raise Wrong unless plan refuses this number of ranks on each of them."""
    with blaming(text, NAME):
        programs = [text.load() for _ in range(size)]
        run(size, lambda comm: _wants_refusal(f"plan on {size} ranks, where P = {d.P},", lambda: programs[comm.rank]["plan"](comm)))


def _dying(text: Text, d: Declaration) -> None:
    """Raise Wrong unless the exception hook, where plan sets one, reports an exception and ends all ranks."""
    programs = [text.load() for _ in range(d.P)]

    def end(comm: Comm) -> None:
        programs[comm.rank]["plan"](comm).free()
        hook, printed = programs[comm.rank]["sys"].excepthook, io.StringIO()
        if hook is sys.excepthook:
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
