"""What `plan` refuses, and whether it fails on all ranks where it fails on one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import Any

import numpy as np

from codegen.systems.exchanges import WAYS
from proofs.certify.declaration import Declaration
from proofs.certify.evaluation.evaluated_source import called, method
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.evaluation.remains import form_of
from proofs.certify.language.limits import Limits
from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.language.values.function_values import Raised, State
from proofs.certify.scripts import usage
from proofs.certify.scripts.usage import ONE_NODE
from proofs.certify.world.communicator import COMM_NULL, Comm
from proofs.certify.world.faults import Fault

HALVED_UP_TO = 32
"""Of more ranks the number alone, one less and one more, are tried."""
OTHERS: dict[str, Callable[[Comm], Any]] = {
    "an intercommunicator": Comm.between_groups,
    "MPI.COMM_NULL": lambda comm: COMM_NULL,
    "None": lambda comm: None,
}
"""What is no communicator of P ranks."""
ALONE = (
    "if one rank has no memory for the last array of its plan, it raises an exception and the"
    " others {}; let all ranks ask each other whether one has failed"
)


def other_sizes(d: Declaration) -> list[int]:
    """Return other numbers of ranks, as few as matter where each takes long."""
    sizes = {d.P - 1, d.P + 1} | ({d.P // 2, 2 * d.P} if d.P <= HALVED_UP_TO else set())
    return sorted(sizes - {0, d.P})


def wrong_plans(evaluation: Evaluation, d: Declaration) -> Iterator[str]:
    """Yield which plans are made that should be refused, and how the ranks are left apart."""
    for size in other_sizes(d):
        words = f"a plan on {size} ranks, where P = {d.P},"
        yield from filter(None, evaluation.ranks(size, None, ONE_NODE).evaluate(_planned(words)))
    for name, other in OTHERS.items():
        body = _planned(f"a plan on {name}", other)
        yield from filter(None, evaluation.ranks(d.P, None).evaluate(body))
    if WAYS[d.exchange].shares and not WAYS[d.exchange].of_nodes and d.P > 1:
        body = _planned(f"a plan on ranks of two nodes, with exchange {d.exchange},")
        yield from filter(None, evaluation.ranks(d.P, None, usage.LAST_APART).evaluate(body))
    if d.P > 1:
        yield from filter(None, [_alone(evaluation, d)])


def _planned(
    words: str, other: Callable[[Comm], Any] = lambda comm: comm
) -> Callable[[State, Comm], str]:
    """Return what says of a rank that a plan is made there."""

    def on_rank(state: State, comm: Comm) -> str:
        before = form_of([state])
        if not _is_refused(state, other(comm)):
            return f"{words} is made"
        return "" if form_of([state]) == before else f"{words} changes the state of the program"

    return on_rank


def _is_refused(state: State, comm: Any) -> bool:
    """Return whether no plan is made: the program raises an exception, or MPI does."""
    try:
        called(state, "plan", comm)
    except Refuted as error:
        if isinstance(error, Raised) or error.words.startswith(Fault.INVALID_PARAMETER):
            return True
        raise
    except Undecided:
        if comm is None or not comm or not comm.Is_inter():
            raise
    return False


class Failing(Limits):
    """The limits of a rank that has memory for `arrays_left` more arrays."""

    arrays_left: float = inf
    made: int = 0

    def add(self, array: np.ndarray[Any, Any]) -> None:
        """Count an array; raise MemoryError in the program where there is no memory for it."""
        self.made += 1
        if self.made > self.arrays_left:
            raise Raised(MemoryError(f"Unable to allocate {array.nbytes} bytes"))
        super().add(array)


def _alone(evaluation: Evaluation, d: Declaration) -> str:
    """Return what ranks do where the last one has no memory for the last array of its plan; ""
    where all of them raise an exception, or none.
    """
    _, count = _with_memory(evaluation, d, inf)
    try:
        refused, _ = _with_memory(evaluation, d, count - 1)
    except Refuted as error:
        return ALONE.format(f"do not end: {error}")
    return ALONE.format("have one") if len({*refused}) > 1 else ""


def _with_memory(evaluation: Evaluation, d: Declaration, left: float) -> tuple[list[bool], int]:
    """Return which ranks refuse to make a plan where the last one has memory for `left` arrays, and
    how many arrays it asks for.
    """
    own = Failing()
    own.arrays_left = left

    def on_rank(state: State, comm: Comm) -> bool:
        limits = state.limits
        try:
            state.limits = own if comm.rank == d.P - 1 else limits
            plan = called(state, "plan", comm)
        except Raised:
            return True
        finally:
            state.limits = limits
        method(state, plan, "free")
        return False

    return evaluation.ranks(d.P, None).evaluate(on_rank), own.made
