"""All schedules of a program in which what its tests answer makes a difference, by running it again
and again.

Sends and receives without wildcards stay possible once they are, and commute: one run decides every
schedule of theirs, and the same is shown of wildcards where one message can match (causality.py).
What is left are the choices of a run: each sequence of them is run, and all must give the same
results and messages. Where ranks share memory, the order of ranks that do not wait for each other
is turned round, too: what one reads before another writes, it reads after in the other run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from codegen.mpi.causality import race
from codegen.mpi.deadlock import stuck
from codegen.mpi.faults import CommunicationError, Fault, NotModelled
from codegen.mpi.memory.buffers import same
from codegen.mpi.ranks import Deadlock, Run, Schedule, World, take_turns

MOST = 1000
"""A program with more schedules than this is not modelled."""
_EQUAL: tuple[Any, ...] = (object.__eq__,)
"""Of things that are equal to themselves only."""


def explored(size: int, start: Callable[[World, int], Any]) -> Run:
    """Return a run of start(world, rank) that stands for all of them.

    Raises CommunicationError where two of them differ, and whatever one raises; NotModelled where
    there are more than MOST.
    """
    first: Run | None = None
    count = 0
    for schedule in _schedules(lambda schedule: one_of(size, start, schedule)):
        world, run = schedule
        count += 1
        if run.leaks:
            return replace(run, schedules=count)
        if first is None:
            first = run
        elif not (alike(first.results, run.results) and _sent(first) == _sent(run)):
            raise _different(world)
    assert first is not None
    return replace(first, schedules=count)


def _schedules(run: Callable[[Schedule], tuple[World, Run]]) -> Iterator[tuple[World, Run]]:
    """Yield a run for every schedule."""
    orders: list[Any] = [None]
    script: tuple[int, ...] | None = ()
    count = 0
    while orders:
        script = ()
        order = orders.pop(0)
        while script is not None:
            count += 1
            if count > MOST:
                raise NotModelled(
                    f"not modelled: more than {MOST} schedules, as its tests for completion may"
                    " answer in so many ways"
                )
            world, done = run(Schedule(script, order))
            if script == ():
                _refuse_many(world.choices)
            if order is None and script == () and world.windows:
                orders += [min, max]
            yield world, done
            script = _following(world.choices)


def _refuse_many(choices: list[Any]) -> None:
    """Raise NotModelled where the first run's answers make more than MOST schedules."""
    schedules = prod(options for _, _, options in choices)
    if schedules > MOST:
        call, ways = choices[0][0], f"{schedules:.0e}" if schedules > 10**6 else str(schedules)
        raise NotModelled(
            f"not modelled: about {ways} schedules, more than {MOST}: {call} is the first of"
            f" {len(choices)} calls that may answer in several ways"
        )


def _following(choices: list[Any]) -> tuple[int, ...] | None:
    """Return the next sequence of choices in lexicographic order, if there is one."""
    while choices:
        _, taken, options = choices[-1]
        if taken + 1 < options:
            return (*(chosen for _, chosen, _ in choices[:-1]), taken + 1)
        choices = choices[:-1]
    return None


def one_of(size: int, start: Callable[[World, int], Any], schedule: Schedule) -> tuple[World, Run]:
    """Return the run of one schedule; a race comes before whatever else is wrong with it."""
    worlds: list[World] = []

    def noted(world: World, rank: int) -> Any:
        worlds[:] = [world]
        return start(world, rank)

    try:
        world, run = take_turns(size, noted, schedule, stuck)
    except Deadlock as error:
        found = race(worlds[0])
        raise found or error from None
    found = race(world)
    if found is not None:
        raise found
    return world, run


def _different(world: World) -> CommunicationError:
    """Return that two schedules differ, with the call that has several answers."""
    if world.schedule.order is not None:
        return CommunicationError(
            Fault.GLOBAL_CONCURRENCY,
            f"{world.windows[0]}: what ranks read from the window depends on which of them goes"
            " first between two synchronisations",
        )
    call = next(
        (call for call, chosen, _ in reversed(world.choices) if chosen), world.choices[-1][0]
    )
    return CommunicationError(
        Fault.MESSAGE_RACE,
        f"{call} has several answers, and results or messages depend on which it is",
    )


def _sent(run: Run) -> Any:
    return {rank: sorted(sent) for rank, sent in run.trace.sends.items()}


def alike(one: Any, other: Any) -> bool:
    """Return whether two results are the same, arrays to the bit."""
    if isinstance(one, tuple | list):
        return type(one) is type(other) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(alike(one[key], other[key]) for key in one)
        )
    if isinstance(one, np.ndarray | np.generic) or hasattr(one, "parts"):
        return (
            type(one) is type(other)
            and one.shape == other.shape
            and one.dtype == other.dtype
            and same(one, other)
        )
    return bool(one == other) or (type(one) is type(other) and _EQUAL == (type(one).__eq__,))
