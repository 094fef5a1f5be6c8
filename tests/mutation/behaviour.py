"""All that can be seen of a program from outside, in ordinary numbers: two texts with the same
behaviour are the same program at this N and P.

It is a second judge, without verdicts: mutants that a certificate lets pass are compared with the
program that they came from. Equal at every unit vector, bit for bit, is equal for every x, since
both texts are certified to compute linear maps (or to move opaque elements).
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.checks.plan_check import other_sizes
from proofs.certify.declaration import Declaration, Permutation
from proofs.certify.declared_constants import declared
from proofs.certify.evaluation.forms import shaped
from proofs.certify.language.table_entries import Refuted
from proofs.certify.scripts.evaluation_jobs import scattered
from proofs.certify.scripts.usage import (
    AS_IT_IS,
    BACKWARDS,
    BACKWARDS_GAPS,
    GAPS,
    GAPS_READ_ONLY,
    READ_ONLY,
    REUSED,
)
from proofs.certify.world.base import Base
from proofs.certify.world.communicator import Comm
from tests.mutation.misuses import TAKEN_OR_REFUSED, misuses
from tests.mutation.part_axes import of_vectors
from tests.support.loaded import loaded
from tests.support.worlds import run

Array = NDArray[Any]
Behaviour = dict[str, Any]
Program = dict[str, Any]
FORMS = (AS_IT_IS, REUSED, READ_ONLY, GAPS, GAPS_READ_ONLY, BACKWARDS, BACKWARDS_GAPS)
"""How the elements of an input lie in memory, whatever went before."""


def behaviour(text: str) -> Behaviour:
    """Return what a program does, by what is looked at: declaration, places, results, messages,
    misuse and memory.
    """
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
        program = loaded(text)
        d = declared(program)
        return {
            "declaration": d,
            "places": _places(program, d),
            **_used(text, d),
            "misuse": _misused(text, d),
        }


def _places(program: Program, d: Declaration) -> list[Any]:
    found = []
    for side in ("input", "output"):
        place, index = program[f"{side}_place"], program[f"{side}_index"]
        found += [
            _seen(place(np.arange(d.N))),
            [_seen(place(j)) for j in range(d.N)],
            [_outcome(partial(place, j)) for j in (-1, d.N, 0.5)],
            *_by_axes(place, d.whole),
        ]
        found += [_seen(index(rank, np.arange(d.M))) for rank in range(d.P)]
    return found


def _by_axes(place: Callable[..., Any], axes: tuple[int, ...]) -> list[str]:
    """Return the places of elements by an index on each axis, and of none: too large on one axis,
    negative, or with an index less or more.
    """
    if len(axes) == 1:
        return []
    indices = [*np.indices(axes).reshape(len(axes), -1)]
    last = [n - 1 for n in axes]
    wrong = [[*last[:i], bad, *last[i + 1 :]] for i, n in enumerate(axes) for bad in (-1, n, 0.5)]
    calls = [*([int(j) for j in each] for each in zip(*indices, strict=True)), *wrong]
    calls += [last[1:], [*last, 0]]
    return [_seen(place(*indices)), *(_outcome(partial(place, *each)) for each in calls)]


def _vectors(d: Declaration) -> list[Array]:
    """Return vectors that tell two linear maps, or two permutations, from each other: unit vectors
    and random ones, or distinct bytes.
    """
    rng = np.random.default_rng(0)
    noise = [
        rng.integers(0, 64, (d.N, d.dtype.itemsize), np.uint8).reshape(-1).view(d.dtype)
        for _ in range(2)
    ]
    if isinstance(d, Permutation):
        return noise
    units = np.eye(d.N, dtype=d.dtype)
    return [*noise, *units, *(1j * units if d.dtype.kind == "c" else ())]


def _used(text: str, d: Declaration) -> Behaviour:
    data = [scattered(d, vector) for vector in _vectors(d)]
    programs = [loaded(text) for _ in range(d.P)]
    done = run(
        d.P, lambda comm: _results(programs[comm.rank], d, comm, [each[comm.rank] for each in data])
    )
    results, memory = zip(*done.results, strict=True)
    messages = [(each.rank, each.kind, each.members, each.sent) for each in done.trace.operations]
    return {"results": results, "memory": memory, "messages": messages}


def _results(
    program: Program, d: Declaration, comm: Comm, data: list[Array]
) -> tuple[str, tuple[int, ...]]:
    """Return a digest of all results of a rank, and the bytes that its plans hold before and after
    they are freed.
    """
    first, second = program["plan"](comm), program["plan"](comm)
    transform, out = of_vectors(program["transform"], d), data[0].copy()
    found = [
        *(transform(x, first) for x in data),
        *(transform(shaped(data[0], form), second) for form in FORMS),
        *(
            np.frombuffer(_outcome(partial(use, transform, first, data[0])).encode(), np.uint8)
            for use in TAKEN_OR_REFUSED.values()
        ),
        transform(data[1], first, out=out),
        transform(data[0], second),
    ]
    assert found[-2] is out
    held = [_held(plan) for plan in (first, second)]
    first.free()
    third = program["plan"](comm)
    found += [transform(data[1], second), transform(data[0], third), *data]
    second.free()
    found.append(transform(data[1], third))
    third.free()
    digest = hashlib.sha256(repr([*map(_seen, found), first.comm is comm]).encode()).hexdigest()
    return digest, (*held, _held(first), _held(second))


def _held(thing: Any) -> int:
    """Return the bytes of all arrays that a plan, or what is in it, holds."""
    return sum(array.nbytes for array in {id(array): array for array in _arrays(thing, 2)}.values())


def _arrays(thing: Any, depth: int) -> Iterator[Array]:
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, list | tuple):
        yield from (array for each in thing for array in _arrays(each, depth))
    elif depth and not isinstance(thing, Base) and hasattr(thing, "__dict__"):
        yield from (array for each in vars(thing).values() for array in _arrays(each, depth - 1))


def _misused(text: str, d: Declaration) -> list[Any]:
    """Return how each misuse ends, on one rank while the others wait, and plans on other numbers of
    ranks.
    """
    vector = scattered(d, _vectors(d)[0])
    programs = [loaded(text) for _ in range(max(other_sizes(d)))]

    def alone(comm: Comm) -> list[Any]:
        program, x = programs[comm.rank], vector[comm.rank]
        plan, transform = program["plan"](comm), of_vectors(program["transform"], d)
        part = x.reshape(d.part("input", comm.rank))
        ends = (
            [_outcome(partial(misuse, transform, plan, x.copy())) for misuse in misuses(x).values()]
            if comm.rank == 0
            else []
        )
        plan.free()
        return [
            *ends,
            _outcome(lambda: transform(x, plan)),
            _outcome(lambda: program["transform"](part.tolist(), plan)),
        ]

    elsewhere = [
        run(size, lambda comm: _outcome(lambda: programs[comm.rank]["plan"](comm))).results
        for size in other_sizes(d)
    ]
    return [run(d.P, alone).results, *elsewhere]


def _outcome(call: Callable[[], Any]) -> str:
    """Return what a call returns, or that it is refused: in which words, the contract leaves
    open.
    """
    try:
        return _seen(call())
    except Refuted as error:
        return error.words.partition(":")[0]
    except Exception:
        return "refused"


def _seen(value: Any) -> str:
    """Return type and bytes of what a program returned."""
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({', '.join(map(_seen, value))})"
    array = np.asarray(value)
    return f"{type(value).__name__} {array.dtype} {array.shape} {array.tobytes().hex()}"
