"""Programs whose ranks find out whether they are on one node: what they do where they are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from codegen.systems.exchanges import WAYS
from derive.verdict import Checked, Refuted, Verdict
from proofs.certify.declaration import Declaration, Transform
from proofs.certify.failures import Wrong
from proofs.certify.ordinary.definition import refuse_far_results
from proofs.certify.ordinary.rounding import NAME, rounding
from proofs.certify.plain_text import counted
from proofs.certify.rows import all_hold
from proofs.certify.scripts.usage import LAST_APART, ONCE, ONE_NODE

STATEMENT = (
    "the verdicts for ranks on one node also hold for ranks on several nodes, which exchange"
    " messages"
)


@dataclass(frozen=True)
class Places:
    """The nodes that ranks are on, in words, and how many ranks of a node exchange as one."""

    words: str
    nodes: tuple[int, ...]
    of_node: int = 1
    short: bool = False
    """Whether one transform is run, and no more."""


ALL_PLACES = 4
"""So many ranks are run on all places: of four there are 15, of eight 4140."""
APART = Places("the last rank on a node of its own", LAST_APART)


def places(d: Declaration) -> tuple[Places, ...]:
    """Return the nodes between which a program is run. One that is aware of nodes does the same on
    all of equally many ranks, and on others as if each rank were alone.
    """
    if WAYS[d.exchange].otherwise:
        return (APART,)
    equal = tuple(
        Places(f"nodes of {counted(size, 'rank')}", of_size(size, d.P), size)
        for size in range(1, d.P)
        if d.P % size == 0
    )
    in_turns = Places(
        "ranks that alternate between two nodes", tuple(rank % 2 for rank in range(d.P))
    )
    known = (*equal, *(APART, in_turns) * (d.P > 2))
    return (*known, *_others(d.P, known) * (d.P <= ALL_PLACES))


def _others(P: int, known: tuple[Places, ...]) -> tuple[Places, ...]:
    """Return the other ways to place ranks on several nodes, numbered as they come."""
    ways: list[tuple[int, ...]] = [()]
    for _ in range(P if P <= ALL_PLACES else 0):
        ways = [(*way, node) for way in ways for node in range(len({*way}) + 1)]
    taken = {_numbered(where.nodes, P) for where in known} | {_numbered(ONE_NODE, P)}
    return tuple(
        Places(f"ranks on nodes {', '.join(map(str, way))}, from the last rank on", way, short=True)
        for way in ways
        if way not in taken
    )


def _numbered(nodes: tuple[int, ...], P: int) -> tuple[int, ...]:
    """Return the nodes of P ranks, numbered as they come.

    >>> _numbered((1,), 4), _numbered((3, 0, 3, 0), 4)
    ((0, 1, 1, 1), (0, 1, 0, 1))
    """
    full = (*nodes, *(0,) * (P - len(nodes)))
    return tuple([*dict.fromkeys(full)].index(node) for node in full)


def of_size(size: int, P: int) -> tuple[int, ...]:
    """Return the nodes where so many consecutive ranks are on each."""
    return tuple(1 + rank // size for rank in range(P))


def between_nodes(
    trial: Any, found: Callable[[Any, bool], Iterable[tuple[str, Verdict]]]
) -> Verdict:
    """Return whether the verdicts on a trial hold, found one by one, between nodes as well; where
    there are many places, found by one transform.
    """
    d, error, evidence, brief = trial.declaration, 0.0, list[str](), 0
    sent = replace(d, exchange=WAYS[d.exchange].otherwise or d.exchange)
    try:
        for where in places(d):
            trial.evaluation.nodes = where.nodes
            other = replace(trial, declaration=sent, outcomes=[], figures={}, of_node=where.of_node)
            for name, verdict in chain(found(other, where.short), _measured(other, where.short)):
                if not all_hold({name: verdict}):
                    return Refuted(STATEMENT, f"{name}: {verdict.evidence} ({where.words})")
                if isinstance(verdict, Checked):
                    error = max(error, verdict.error)
                if name == "cost" and not where.short:
                    evidence.append(f"{where.words}; {verdict.evidence}")
            brief += where.short
    except Wrong as wrong:
        return Refuted(STATEMENT, f"{wrong.name}: {wrong.counterexample} ({where.words})")
    finally:
        trial.evaluation.nodes = ONE_NODE
    evidence += [f"one transform for each of the {brief} other assignments of ranks to nodes"] * (
        brief > 0
    )
    return Checked(STATEMENT, ". ".join(evidence), error)


def _measured(trial: Any, brief: bool) -> Iterator[tuple[str, Verdict]]:
    """Yield how one transform rounds, where no more of them were run; raise Wrong where compiled
    kernels, which real ranks run on one node alone, are far from what is declared.
    """
    evaluation, d = trial.evaluation, trial.declaration
    if not isinstance(d, Transform):
        return
    if trial.real.measures:
        refuse_far_results(evaluation, d)
    elif brief:
        yield "rounding", rounding(evaluation, d, NAME, ONCE)
