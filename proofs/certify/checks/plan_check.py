"""What `plan` refuses, and whether it fails on all ranks where it fails on one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import product
from math import inf
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from codegen.systems.exchanges import WAYS
from proofs.certify.declaration import Declaration
from proofs.certify.evaluation.evaluated_source import called, method
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.evaluation.remains import form_of
from proofs.certify.language.limits import Limits
from proofs.certify.language.program_grammar import reached
from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.language.values.classes import Class
from proofs.certify.language.values.function_values import Function, Raised, State
from proofs.certify.last_section import KNOWN, digest_of, section_of
from proofs.certify.scripts import usage
from proofs.certify.scripts.declared_options import BETWEEN_NODES
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
    "if {} has no memory for an array of its plan (line {}), {}; make all arrays before"
    " other calls of communicators, then let the ranks ask each other whether one has failed"
)
OTHERS_PLAN = "it raises an exception and others return a plan"
ALL_PLAN = "all ranks return a plan, which is not compared with the usual one"
SIZES = ("comm.size != P", "comm.Get_size() != P")
NOT_ALL = (
    "plan refuses {} ranks, but other numbers are not tried; let it begin with"
    f" `if {SIZES[0]}: raise ..`"
)
CHANGED = "it changes the state of the program"
LEFT_WAITING = "the ranks do not all raise an exception: {}"
MOST_ELEMENTS = 1 << 16
EVERY = 8
"""Up to so many ranks, all are tried."""
ARRAYS, FEW_ARRAYS = 32, 2
"""Of so many arrays of a plan it is tried that the last rank has no memory for them, or the first
one; of the second number on more ranks than HALVED_UP_TO, or of more elements than MOST_ELEMENTS.
"""


class Where(NamedTuple):
    """Where a rank asks for an array: after how many calls of communicators, at which line."""

    calls: int
    line: int


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
        yield from _alone(evaluation, d)
    if not refuses_all_sizes(evaluation.source.load()["plan"]):
        yield NOT_ALL.format(", ".join(map(str, other_sizes(d))))


def refuses_all_sizes(plan: Any) -> bool:
    """Return whether plan(comm), or __init__(self, comm) of a class, begins with a refusal of every
    other number of ranks, after other refusals at most.
    """
    function = plan.find("__init__") if isinstance(plan, Class) else plan
    node = function.code.node if isinstance(function, Function) else None
    if not isinstance(node, ast.FunctionDef) or node.args.args[-1].arg != "comm":
        return False
    for each in node.body[ast.get_docstring(node) is not None :]:
        match each:
            case ast.If(test, [*before, ast.Raise()], []) if _assigns(before):
                if ast.unparse(test) in SIZES:
                    return True
            case _:
                return False
    return False


def _assigns(lines: list[ast.stmt]) -> bool:
    return all(isinstance(line, ast.Assign) for line in lines)


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
    """The limits of a rank that has no memory for one array, after `most` others; `made` has what
    `where` returns when it asks for each of them.
    """

    def __init__(self, most: float, where: Callable[[], Where]) -> None:
        super().__init__()
        self.most, self.where, self.made = most, where, list[Where]()
        self.owners = WeakValueDictionary[int, Any]()

    def add(self, array: np.ndarray[Any, Any]) -> None:
        """Count an array that is no view; raise MemoryError in the program where there is no memory
        for it.
        """
        owner: Any = array if array.base is None else array.base
        if isinstance(owner, np.ndarray) and self.owners.get(id(owner)) is not owner:
            self.owners[id(owner)] = owner
            self.made.append(self.where())
            if len(self.made) == self.most + 1:
                raise Raised(MemoryError(f"Unable to allocate {array.nbytes} bytes"))
        super().add(array)


class Outcome(NamedTuple):
    """What ranks do where one has too little memory for its plan.

    Attributes:
        refused: of each rank whether it refuses to make a plan; None where it does not end.
        made: where each rank asks for arrays, if none has too little memory.
        changed: of each rank that refuses whether its module is another one then.
        fault: what ends the evaluation; "" where all ranks end.
    """

    refused: list[bool | None]
    made: list[list[Where]]
    changed: list[bool]
    fault: str = ""

    @property
    def words(self) -> str:
        """What is wrong, "" where all ranks raise an exception and can make another plan."""
        if False in self.refused:
            return OTHERS_PLAN if self.fault or any(self.refused) else ALL_PLAN
        if self.fault:
            return LEFT_WAITING.format(self.fault)
        return CHANGED if any(self.changed) else ""


def without_memory(
    evaluation: Evaluation,
    d: Declaration,
    failing: int | None,
    most: float,
    nodes: tuple[int, ...] = ONE_NODE,
) -> Outcome:
    """Return what ranks do where one of them, or none, has no memory for one array of its plan,
    after `most` others.
    """
    outcome = Outcome([None] * d.P, [[] for _ in range(d.P)], [])

    def on_rank(state: State, comm: Comm) -> None:
        limits, calls, rank = state.limits, comm.world.made, comm.rank
        own, before = Failing(most, lambda: Where(calls[rank], state.line)), form_of([state])
        try:
            state.limits = own if failing in (rank, None) else limits
            plan = called(state, "plan", comm)
        except Raised:
            outcome.refused[rank] = True
            outcome.changed.append(form_of([state]) != before)
            return
        finally:
            state.limits = limits
            outcome.made[rank].extend(own.made)
        outcome.refused[rank] = False
        method(state, plan, "free")

    try:
        evaluation.ranks(d.P, None, nodes).evaluate(on_rank)
    except Refuted as error:
        return outcome._replace(fault=str(error))
    return outcome


def chosen(made: list[Where], most: int) -> list[int]:
    """Return the numbers of the arrays for which there is no memory in turn: of those that are the
    first or the last one between two calls of communicators, and of all, so many at most.

    >>> chosen([Where(calls, line=1) for calls in (0, 0, 0, 0, 2, 2, 2, 2, 2)], 3)
    [0, 3, 4, 8]
    """
    calls = [None, *(each.calls for each in made), None]
    ends = [i for i in range(len(made)) if len({*calls[i : i + 3]}) > 1]
    return sorted({*_spread(ends, most), *_spread([*range(len(made))], most)})


def _spread(numbers: list[int], most: int) -> list[int]:
    """Return so many of these numbers at most, with the first and the last one."""
    return [numbers[i * (len(numbers) - 1) // (most - 1)] for i in range(most)] if numbers else []


def may_handle(text: str) -> bool:
    """Return whether a program names MemoryError, or whether what its plan reaches may go on after
    any exception: with a handler for it, an `__exit__`, or a `finally` that leaves.

    >>> [may_handle(f"def {name}(comm): return C(Exception)") for name in ("plan", "main")]
    [True, False]
    """
    if MemoryError.__name__ in text:
        return True
    parts = reached(ast.parse(text), ["plan", "Plan"])
    return any(_goes_on(node) for part in parts for node in ast.walk(part))


def _goes_on(node: ast.AST) -> bool:
    match node:
        case ast.ExceptHandler(type=None) | ast.Name("Exception" | "BaseException"):
            return True
        case ast.FunctionDef(name="__exit__"):
            return True
        case ast.Try(finalbody=last):
            inner = (each for line in last for each in ast.walk(line))
            return any(isinstance(each, ast.Return | ast.Break | ast.Continue) for each in inner)
    return False


def _alone(evaluation: Evaluation, d: Declaration) -> Iterator[str]:
    """Yield what ranks do where the last one, or the first, or another one at a line that those do
    not come to, or of a program that may handle the error, has no memory for an array of its
    plan, unless all of them raise an exception and leave the module as it was.
    """
    text = evaluation.source.text
    section = section_of(text)
    handles = may_handle(text.removesuffix(section) if digest_of(section) in KNOWN else text)
    most = ARRAYS if d.P <= HALVED_UP_TO and d.N <= MOST_ELEMENTS else FEW_ARRAYS
    ways = (ONE_NODE, usage.LAST_APART)[: 1 + (d.exchange in BETWEEN_NODES)]
    others = range(1, d.P - 1) if d.P <= EVERY else ()
    lines = set[int]()
    made_by = {nodes: without_memory(evaluation, d, None, inf, nodes).made for nodes in ways}
    for rank, nodes in product((d.P - 1, 0, *others), ways):
        made = made_by[nodes][rank]
        for i in chosen(made, most):
            if rank in others and made[i].line in lines and not handles:
                continue
            if words := without_memory(evaluation, d, rank, i, nodes).words:
                name = "P - 1" if rank == d.P - 1 else rank
                yield ALONE.format(f"rank {name}", made[i].line, words)
        lines |= {each.line for each in made}
