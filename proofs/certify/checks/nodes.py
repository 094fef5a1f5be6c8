"""Programs whose ranks find out whether they are on one node: what they do where they are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from codegen.mpi.accidents import LAST_APART, ONE_NODE
from codegen.spec import AUTO, EXCHANGES
from derive.verdict import Checked, Refuted, Verdict, holds
from proofs.certify.declaration import Declaration
from proofs.certify.failures import Wrong
from proofs.certify.plain_text import counted

STATEMENT = (
    "what is stated of runs on one node holds between nodes, too, where ranks send each other their"
    " messages"
)


@dataclass(frozen=True)
class Places:
    """The nodes that ranks are on, in words, and how many ranks of a node exchange as one."""

    words: str
    nodes: tuple[int, ...]
    of_node: int = 1


APART = Places("the last rank on a node of its own", LAST_APART)


def places(d: Declaration) -> tuple[Places, ...]:
    """Return the nodes between which a program is run. One that is aware of nodes does the same on
    all of equally many ranks, and on others as if each rank were alone.
    """
    if d.exchange == AUTO:
        return (APART,)
    equal = tuple(
        Places(f"nodes of {counted(size, 'rank')}", _of_size(size, d.P), size)
        for size in range(1, d.P)
        if d.P % size == 0
    )
    in_turns = Places("two nodes that take turns", tuple(rank % 2 for rank in range(d.P)))
    return (*equal, *(APART, in_turns) * (d.P > 2))


def each_alone(P: int) -> tuple[int, ...]:
    """Return the nodes where each of P ranks has its own."""
    return _of_size(1, P)


def _of_size(size: int, P: int) -> tuple[int, ...]:
    return tuple(1 + rank // size for rank in range(P))


def between_nodes(trial: Any, found: Callable[[Any], Iterable[tuple[str, Verdict]]]) -> Verdict:
    """Return whether the verdicts on a trial hold, found one by one, between nodes as well."""
    d, error, evidence = trial.declaration, 0.0, list[str]()
    sent = replace(d, exchange=EXCHANGES[0]) if d.exchange == AUTO else d
    try:
        for where in places(d):
            trial.workers.nodes = where.nodes
            other = replace(trial, declaration=sent, outcomes=[], figures={}, of_node=where.of_node)
            for name, verdict in found(other):
                if not holds(verdict):
                    return Refuted(STATEMENT, f"{name}: {verdict.evidence} ({where.words})")
                if isinstance(verdict, Checked):
                    error = max(error, verdict.error)
                if name == "cost":
                    evidence.append(f"{where.words}; {verdict.evidence}")
    except Wrong as wrong:
        return Refuted(STATEMENT, f"{wrong.name}: {wrong.counterexample} ({where.words})")
    finally:
        trial.workers.nodes = ONE_NODE
    return Checked(STATEMENT, ". ".join(evidence), error)
