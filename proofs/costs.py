"""What a run costs, beside the cost that is counted from the factorization: rank by rank, exchange by exchange."""

from __future__ import annotations

import numpy as np

from codegen.cost import count, relations, sent_by
from codegen.mpi.ranks import Run
from derive.verdict import Checked, Refuted, Verdict
from proofs.declaration import Declaration, Fourier, Hypercube, Transform, asked_for, least_words
from proofs.usage import TRANSFORM

BY_EXCHANGE = {
    "alltoall": ("Alltoall", "Alltoallv"),
    "pairwise": ("Sendrecv",),
    "replace": ("Sendrecv_replace",),
    "nonblocking": ("Isend",),
    "overlapped": ("Isend", "Alltoall", "Alltoallv"),
    "shared": ("load", "store"),
}
"""The calls that EXCHANGE stands for in emitted programs."""
BETWEEN_NEIGHBOURS = ("Sendrecv", "Sendrecv_replace", "Isend")
"""Those of the stages of a Hartley transform, or of an FFT on a hypercube."""


def cost(d: Declaration, run: Run, statement: str) -> Verdict:
    """Return whether the trace of one transform has the counted cost."""
    program, trace = asked_for(d), run.trace
    counted = count(program)
    figures = {name: (getattr(trace, name), getattr(counted, name)) for name in ("exchanges", "messages", "words")}
    figures["words in the largest h-relation"] = max(trace.relations, default=0), max(relations(program), default=0)
    figures["synchronisations"] = trace.synchronisations(TRANSFORM), counted.exchanges if d.exchange == "shared" else 0
    wrong = [f"{found} {name} instead of {wanted}" for name, (found, wanted) in figures.items() if found != wanted]
    if wrong or (wrong := _of_ranks(d, run)):
        return Refuted(statement, ", ".join(wrong))
    least = least_words(d)
    beside = "" if least is None else f"; at least {least} words for any linear algorithm"
    return Checked(statement, ", ".join(f"{found} {name}" for name, (found, _) in figures.items()) + f", the most of any rank{_ways(d, run)}{beside}")


def _of_ranks(d: Declaration, run: Run) -> list[str]:
    """Return for the first rank that sends more or less than is counted what it sends."""
    pairs = zip(*(part.tolist() for part in sent_by(asked_for(d), np.arange(d.P))), strict=True)
    for rank, wanted in enumerate(pairs):
        found = run.trace.sent_by(rank)
        if found != wanted:
            return [f"rank {rank} sends {found[0]} messages with {found[1]} words instead of {wanted[0]} with {wanted[1]}"]
    return []


def _ways(d: Declaration, run: Run) -> str:
    """Return by which calls elements travel, and whether EXCHANGE says so."""
    if not run.trace.calls:
        return ""
    known = BY_EXCHANGE[d.exchange] + BETWEEN_NEIGHBOURS * (isinstance(d, Transform) and (not isinstance(d, Fourier) or isinstance(d, Hypercube)))
    said = "as EXCHANGE says" if set(run.trace.calls) <= set(known) else f"though EXCHANGE = {d.exchange!r} says otherwise"
    return f"; by {', '.join(run.trace.calls)}, {said}"
