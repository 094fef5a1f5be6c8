"""The checks of a program's text: what it says of itself, what it computes, what its ranks send each other, and how it rounds.

Run as `python -m proofs.trial SECONDS NAME SEED whole|short` with the text on standard input, it writes the verdicts to standard output as JSON.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.mpi.accesses import ACCESSES
from codegen.mpi.buffers import NotModelled
from codegen.mpi.ranks import Run
from derive.fields import RootField
from derive.layout import affine_layout
from derive.verdict import Checked, Refuted, Verdict
from proofs.blame import Wrong, blaming, told
from proofs.declaration import COMPILED, Declaration, Permutation, Transform, counted_cost, declared, least_words
from proofs.ergun import TESTS, ergun
from proofs.exactly import Outcome, run_exactly
from proofs.misuse import REFUSED, refused
from proofs.moved import bytes_kept, moved_in_turns, moved_once
from proofs.refusal import Refused
from proofs.rounding import LARGEST_REFERENCE, rounding
from proofs.sandbox import Text, limit
from proofs.transformed import contract, first_run, function, shown_by
from proofs.usage import IN_TURNS, TRANSFORM, TURNS

SIDES = ("input", "output")


@dataclass(frozen=True)
class Report:
    """The verdicts on a program by their names, and the fields that they were decided in."""

    declaration: Declaration
    verdicts: dict[str, Verdict]
    fields: tuple[RootField, ...]


def tried(name: str, text: str, seed: int, short: bool = False) -> Report:
    """Return the verdicts on this text, up to the first refutation that leaves later ones undecided; `short` runs one transform only.

    Raises ValueError where it is no program with a contract, NotModelled where it uses what cannot be run here.
    """
    compiled = Text.compiled(name, text)
    declaration = _declaration(compiled)
    statements, verdicts, fields = _statements(declaration), dict[str, Verdict](), list[RootField]()
    try:
        for check, verdict in _checks(compiled, declaration, np.random.default_rng(seed), statements, fields, short):
            verdicts[check] = verdict
    except Wrong as wrong:
        verdicts[wrong.name] = Refuted(statements[wrong.name], wrong.counterexample)
    return Report(declaration, verdicts, tuple(fields))


def _declaration(text: Text) -> Declaration:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            declaration = declared(text.load())
    except (Refused, Exception, SystemExit) as error:
        raise ValueError(f"{text.name} is no node program that can be run here: {told(text, error)}") from error
    if ("numba" in text.modules) != (declaration.kernels in COMPILED):
        imported = ", ".join(sorted(text.modules))
        raise ValueError(f"{text.name} states KERNELS = {declaration.kernels!r} and imports {imported}: numba goes with {' and '.join(COMPILED)}")
    if ("pyfftw" in text.modules) != (declaration.kernels == "pyfftw"):
        imported = ", ".join(sorted(text.modules))
        raise ValueError(f"{text.name} states KERNELS = {declaration.kernels!r} and imports {imported}: pyfftw goes with pyfftw")
    return declaration


def _statements(d: Declaration) -> dict[str, str]:
    """Return what is checked, by name."""
    maps = {side: affine_layout(d.layout(side)) for side in SIDES if str(getattr(d, side)).startswith("bmmc:")}
    files = "".join(f"; {side}: A = {layout.address.columns}, c = {layout.address.c}" for side, layout in maps.items())
    return {
        "layout": f"input_place and output_place are the {d.input} and {d.output} layouts of N = {d.N} elements on P = {d.P} ranks{files}",
        "messages": f"the {d.P} ranks never deadlock, in any order and without buffering; counts and types agree; free leaves nothing open",
        "function": f"transform computes {d.formula} for every x, which it leaves as it was",
        "contract": "transform does so again and again, by several plans in turn, each time in a new array or in `out`, with the same messages; "
        + REFUSED,
        "cost": "exchanges, messages, words and synchronisations are those counted from the factorization",
        "rounding": f"transform in {d.dtype} is accurate, twice with one plan and with two plans in turn"
        + (f": {TESTS}, as it is too long for a reference" if d.N > LARGEST_REFERENCE else ""),
        "bytes": f"transform moves {d.dtype} byte for byte, not-a-numbers included",
    }


def _checks(
    text: Text, d: Declaration, rng: np.random.Generator, said: dict[str, str], fields: list[RootField], short: bool
) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdicts by name, in order; raise Wrong at the first that leaves later ones undecided."""
    yield "layout", _layout(text, d, said["layout"])
    match d:
        case Transform():
            yield from (_one_transform if short else _transforms)(text, d, rng, said, fields)
        case Permutation():
            yield from _moves(text, d, rng, said, short)


def _transforms(text: Text, d: Transform, rng: np.random.Generator, said: dict[str, str], fields: list[RootField]) -> Iterator[tuple[str, Verdict]]:
    outcomes, runs = [first_run(text, d, rng)], list[list[Outcome]]()
    fields.append(outcomes[0].field)
    yield "messages", _messages(outcomes[0].run, said["messages"])
    try:
        yield "function", function(text, d, rng, outcomes, said["function"])
        verdict = contract(text, d, rng, runs, said["contract"])
    finally:
        fields[:] = [outcome.field for outcome in (*outcomes, *(run[0] for run in runs))]
    _same_messages(outcomes[0].run, runs[0][0].run)
    refused(text, d)
    yield "contract", verdict
    yield "cost", _cost(d, outcomes[0].run, said["cost"])
    yield "rounding", (rounding if d.N <= LARGEST_REFERENCE else ergun)(text, d, rng, said["rounding"])


def _one_transform(
    text: Text, d: Transform, rng: np.random.Generator, said: dict[str, str], fields: list[RootField]
) -> Iterator[tuple[str, Verdict]]:
    outcome = run_exactly(text, d, rng, units=False)
    fields.append(outcome.field)
    yield "messages", _messages(outcome.run, said["messages"])
    yield "function", shown_by(outcome, said["function"])
    yield "cost", _cost(d, outcome.run, said["cost"])


def _moves(text: Text, d: Permutation, rng: np.random.Generator, said: dict[str, str], short: bool) -> Iterator[tuple[str, Verdict]]:
    try:
        d.address.inverse()
    except ValueError as error:
        raise Wrong("function", f"A and c are no permutation of {d.N} elements: {error}") from error
    run = moved_once(text, d)
    yield "messages", _messages(run, said["messages"])
    opaque = f"{d.N} opaque elements, which can be moved and nothing else: so do those of every x"
    yield "function", Checked(said["function"], f"all of {opaque}")
    yield "cost", _cost(d, run, said["cost"])
    if short:
        return
    _same_messages(run, moved_in_turns(text, d))
    refused(text, d)
    yield "contract", Checked(said["contract"], f"{IN_TURNS}; all of {opaque}")
    yield "bytes", bytes_kept(text, d, rng, said["bytes"])


def _layout(text: Text, d: Declaration, statement: str) -> Verdict:
    """Compare the place functions with the declared layouts, index by index."""
    with blaming(text, "layout"):
        program = text.load()
    j = np.arange(d.N)
    for side in SIDES:
        with blaming(text, "layout"):
            found, last = (np.asarray(program[f"{side}_place"](index)) for index in (j, d.N - 1))
        wanted = np.asarray(d.layout(side).place(j))
        if found.shape != wanted.shape or found.dtype.kind not in "iu" or not np.array_equal(found[:, -1], last):
            raise Wrong(
                "layout", f"{side}_place of {d.N} indices gives {found.dtype} of shape {found.shape}: it is (rank, offset) of an index or of each"
            )
        wrong = np.flatnonzero((found != wanted).any(axis=0))
        if len(wrong):
            places = f"{tuple(found[:, wrong[0]].tolist())}, but in the {getattr(d, side)} layout it is {tuple(wanted[:, wrong[0]].tolist())}"
            raise Wrong("layout", f"{side}_place({wrong[0]}) = {places}")
        _tables(text, program, d, side)
    return Checked(statement, f"all {d.N} indices of input and output")


def _tables(text: Text, program: dict[str, Any], d: Declaration, side: str) -> None:
    """Compare the indices of the elements of each rank, which main reads or writes, where the program has them as emitted programs do."""
    name = f"{side.upper()}_INDEX"
    if not {name, "indices"} <= program.keys():
        return
    held = np.full((d.P, d.M), -1)
    with blaming(text, "layout"):
        for rank in range(d.P):
            for piece, index in program["indices"](program[name], rank):
                held[rank, piece] = index
    wrong = np.argwhere(held != d.indices(side))
    if len(wrong):
        rank, offset = wrong[0].tolist()
        raise Wrong("layout", f"{name} has index {held[rank, offset]} for rank {rank}, offset {offset}, where {d.indices(side)[rank, offset]} lives")


def _messages(run: Run, statement: str) -> Verdict:
    """Return that the run went through, which it did, unless something is left open."""
    if run.leaks:
        more = f", and {len(run.leaks) - 1} more" if len(run.leaks) > 1 else ""
        raise Wrong("messages", f"{run.leaks[0]} after plan.free(){more}")
    accesses = sum(operation.kind in ACCESSES for operation in run.trace.operations)
    calls = len(run.trace.operations) - accesses
    schedules = "one message can match each receive, so one run decides every schedule"
    if run.schedules > 1:
        schedules = f"{schedules} of messages; {run.schedules} runs, one for each answer of its tests and order of its accesses to shared memory"
        schedules += ", which are compared place by place" if accesses else ""
    return Checked(statement, f"rendezvous sends, {calls} calls of the communicator; {schedules}")


def _same_messages(run: Run, turns: Run) -> None:
    """Raise Wrong unless each of several transforms sends what a single one does, and leaves nothing open."""
    _messages(turns, "")
    one, several = run.trace.sends, turns.trace.sends
    wrong = [rank for rank in range(len(run.results)) if several[rank] != len(TURNS) * one[rank]]
    if wrong:
        figures = f"{len(several[wrong[0]])} calls with messages in {len(TURNS)} transforms and {len(one[wrong[0]])} in one"
        raise Wrong("contract", f"rank {wrong[0]} makes {figures}, or sends others: every transform sends the same")
    waits = [trace.synchronisations(TRANSFORM) for trace in (run.trace, turns.trace)]
    if waits[1] != len(TURNS) * waits[0]:
        raise Wrong("contract", f"{waits[1]} synchronisations in {len(TURNS)} transforms and {waits[0]} in one: every transform does the same")


def _cost(declaration: Declaration, run: Run, statement: str) -> Verdict:
    """Compare the trace with the counted cost."""
    counted, trace = counted_cost(declaration), run.trace
    figures = {name: (getattr(trace, name), getattr(counted, name)) for name in ("exchanges", "messages", "words")}
    called_for = counted.exchanges if declaration.exchange == "shared" else 0
    figures["synchronisations"] = trace.synchronisations(TRANSFORM), called_for
    wrong = [f"{found} {name} instead of {wanted}" for name, (found, wanted) in figures.items() if found != wanted]
    if wrong:
        return Refuted(statement, ", ".join(wrong))
    least = least_words(declaration)
    beside = "" if least is None else f"; at least {least} words for any linear algorithm"
    return Checked(statement, ", ".join(f"{found} {name}" for name, (found, _) in figures.items()) + f", the most of any rank{beside}")


def main(arguments: list[str]) -> None:
    """Try the text on standard input and print the report as JSON."""
    seconds, name, seed, extent = arguments
    limit(int(seconds))
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)  # nearly all is freed as it goes; looking for cycles more often would take a third of the time
    try:
        report = tried(name, sys.stdin.read(), int(seed), extent == "short")
    except (ValueError, OSError, NotModelled, MemoryError) as error:
        sys.exit("; ".join(str(error).splitlines()) or "the program needs more memory than it is given")
    fields = [{"q": field.q, "order": field.order, "w": field.w} for field in report.fields]
    verdicts = {name: {"verdict": type(verdict).__name__, **vars(verdict)} for name, verdict in report.verdicts.items()}
    print(json.dumps({"declared": report.declaration.as_json(), "verdicts": verdicts, "fields": fields}))


if __name__ == "__main__":
    main(sys.argv[1:])
