"""Programs whose ranks find out whether they are on one node: what they do where they are not."""

from __future__ import annotations

from collections.abc import Iterable

from codegen.mpi.accidents import LAST_APART, ONE_NODE
from derive.verdict import Checked, Refuted, Verdict, holds
from proofs.certify.failures import Wrong
from proofs.certify.workers.parent import Workers

STATEMENT = (
    "what is stated of runs on one node holds between nodes, too, where ranks send each other their"
    " messages"
)


def between_nodes(workers: Workers, found: Iterable[tuple[str, Verdict]]) -> Verdict:
    """Return whether these hold, found one by one, where the last rank has its own node."""
    workers.nodes, error, evidence = LAST_APART, 0.0, "the last rank on a node of its own"
    try:
        for name, verdict in found:
            if not holds(verdict):
                return Refuted(STATEMENT, f"{name}: {verdict.evidence}")
            if isinstance(verdict, Checked):
                error = max(error, verdict.error)
            if name == "cost":
                evidence += f"; {verdict.evidence}"
    except Wrong as wrong:
        return Refuted(STATEMENT, f"{wrong.name}: {wrong.counterexample}")
    finally:
        workers.nodes = ONE_NODE
    return Checked(STATEMENT, evidence, error)
