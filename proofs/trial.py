"""The checks of a program's text: what it says of itself, what it computes, what its ranks send each other, and how it rounds.

Run as `python -m proofs.trial SECONDS NAME SEED whole|short [PIPE]` with the text on standard input, it writes the verdicts to standard output
as JSON, and to the pipe, if there is one, how far it is.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpi.accesses import ACCESSES
from codegen.mpi.buffers import NotModelled
from codegen.mpi.ranks import Run
from derive.fields import RootField
from derive.layout import affine_layout
from derive.verdict import Checked, Refuted, Verdict, holds
from proofs import lanes
from proofs.blame import Wrong, blaming, told
from proofs.costs import cost
from proofs.declaration import COMPILED, Declaration, Permutation, Transform, check_reach, declared
from proofs.ergun import TESTS, ergun, ergun_of
from proofs.exactly import Outcome, run_exactly
from proofs.forged import Expected
from proofs.misuse import REFUSED, refused
from proofs.moved import bytes_kept, kept, moved_in_turns, moved_once
from proofs.progress import into, tell, told_to
from proofs.refusal import Refused
from proofs.rounding import LARGEST_REFERENCE, extremes, rounding, tested_of
from proofs.sandbox import Text, limit, said_by_any
from proofs.transformed import WIDTHS_UP_TO, contract, first_run, function, shown_by, with_lanes
from proofs.usage import IN_TURNS, TRANSFORM, TURNS

SIDES = ("input", "output")
SINGLY = 512
"""Of so many indices the places are asked for one by one."""


@dataclass(frozen=True)
class Report:
    """The verdicts on a program by their names, the fields that they were decided in, and after a short check what the others say."""

    declaration: Declaration
    verdicts: dict[str, Verdict]
    fields: tuple[RootField, ...]
    expected: Expected | None = None


def tried(name: str, text: str, seed: int, short: bool = False) -> Report:
    """Return the verdicts on this text, up to the first refutation that leaves later ones undecided; `short` runs one transform only.

    Raises ValueError where it is no program with a contract, NotModelled where it uses what cannot be run here.
    """
    compiled = Text.compiled(name, text)
    declaration = _declaration(compiled)
    check_reach(declaration, declaration.kernels in COMPILED and not lanes.section_of(text))
    statements, verdicts, outcomes = _statements(declaration), dict[str, Verdict](), list[Outcome]()
    try:
        for check, verdict in _checks(compiled, declaration, np.random.default_rng(seed), statements, outcomes, short):
            verdicts[check] = verdict
    except Wrong as wrong:
        verdicts[wrong.name] = Refuted(statements[wrong.name], wrong.counterexample)
    expected = _expected(compiled, declaration, statements, outcomes) if short and all(map(holds, verdicts.values())) else None
    return Report(declaration, verdicts, tuple(outcome.field for outcome in outcomes), expected)


def _expected(text: Text, d: Declaration, said: dict[str, str], outcomes: list[Outcome]) -> Expected:
    """Return what is known of the verdicts that a short check does not come to."""
    if isinstance(d, Transform):
        tested = tested_of(d, said["rounding"], said_by_any(text)) if d.N <= LARGEST_REFERENCE else ergun_of(d, said["rounding"], said_by_any(text))
        widths = len(text.widths) if d.N <= WIDTHS_UP_TO else 0
        return Expected(outcomes[0].chance.bits, with_lanes(text, d), widths, d.parts, said["contract"], "", tested)
    assert isinstance(d, Permutation)
    tested = [[said["bytes"], 0.0, kept(d, words)] for words in said_by_any(text)]
    return Expected(0.0, "", 0, 1, said["contract"], f"{IN_TURNS}; all of {_opaque(d)}", tested)


def _opaque(d: Permutation) -> str:
    return f"{d.N} opaque elements, which can be moved and nothing else: so do those of every x"


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
        "cost": "exchanges, the messages and words of each rank, h-relations and synchronisations are those counted from the factorization",
        "rounding": f"transform in {d.dtype} is accurate, again and again, by several plans in turn{_sizes(d)}"
        + (f": {TESTS}, as it is too long for a reference" if d.N > LARGEST_REFERENCE else ""),
        "bytes": f"transform moves {d.dtype} byte for byte, not-a-numbers included",
    }


def _sizes(d: Declaration) -> str:
    """Return for numbers of which size a transform is run."""
    return ", for numbers about 2^{} and 2^{}".format(*extremes(d)) if isinstance(d, Transform) else ""


def _checks(
    text: Text, d: Declaration, rng: np.random.Generator, said: dict[str, str], outcomes: list[Outcome], short: bool
) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdicts by name, in order; raise Wrong at the first that leaves later ones undecided."""
    tell("layout")
    yield "layout", _layout(text, d, said["layout"])
    match d:
        case Transform():
            yield from (_one_transform if short else _transforms)(text, d, rng, said, outcomes)
        case Permutation():
            yield from _moves(text, d, rng, said, short)


def _transforms(text: Text, d: Transform, rng: np.random.Generator, said: dict[str, str], outcomes: list[Outcome]) -> Iterator[tuple[str, Verdict]]:
    outcomes.append(first_run(text, d, rng))
    run, runs = outcomes[0].run, list[list[Outcome]]()
    yield "messages", _messages(run, said["messages"])
    try:
        yield "function", function(text, d, rng, outcomes, said["function"])
        verdict = contract(text, d, rng, runs, said["contract"])
    finally:
        outcomes += [turns[0] for turns in runs]
    _same_messages(run, runs[0][0].run)
    tell("contract, ordinary numbers")
    refused(text, d, run.schedules)
    yield "contract", verdict
    yield "cost", cost(d, run, said["cost"])
    tell("rounding")
    yield "rounding", (rounding if d.N <= LARGEST_REFERENCE else ergun)(text, d, rng, said["rounding"])


def _one_transform(
    text: Text, d: Transform, rng: np.random.Generator, said: dict[str, str], outcomes: list[Outcome]
) -> Iterator[tuple[str, Verdict]]:
    outcomes.append(run_exactly(text, d, rng, units=False))
    yield "messages", _messages(outcomes[0].run, said["messages"])
    yield "function", shown_by(outcomes[0], said["function"])
    yield "cost", cost(d, outcomes[0].run, said["cost"])


def _moves(text: Text, d: Permutation, rng: np.random.Generator, said: dict[str, str], short: bool) -> Iterator[tuple[str, Verdict]]:
    try:
        d.address.inverse()
    except ValueError as error:
        raise Wrong("function", f"A and c are no permutation of {d.N} elements: {error}") from error
    tell("messages")
    run = moved_once(text, d)
    yield "messages", _messages(run, said["messages"])
    yield "function", Checked(said["function"], f"all of {_opaque(d)}")
    yield "cost", cost(d, run, said["cost"])
    if short:
        return
    tell("contract")
    _same_messages(run, moved_in_turns(text, d))
    tell("contract, ordinary numbers")
    refused(text, d, run.schedules)
    yield "contract", Checked(said["contract"], f"{IN_TURNS}; all of {_opaque(d)}")
    tell("bytes")
    yield "bytes", bytes_kept(text, d, rng, said["bytes"])


def _layout(text: Text, d: Declaration, statement: str) -> Verdict:
    """Compare the place functions with the declared layouts, index by index."""
    with blaming(text, "layout"):
        program = text.load()
    j, single = np.arange(d.N), _singly(d.N)
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
        _single_places(text, program[f"{side}_place"], f"{side}_place", single, wanted)
        _tables(text, program, d, side)
    which = f"{len(single)} of them" if len(single) < d.N else "each of them"
    return Checked(statement, f"all {d.N} indices of input and output in an array, and {which} as an integer of Python and of numpy")


def _singly(N: int) -> NDArray[np.int64]:
    """Return the indices that are asked for one by one: all, or so many, powers of two and their neighbours among them."""
    if N <= SINGLY:
        return np.arange(N)
    powers = 1 << np.arange(N.bit_length() - 1)
    return np.unique([*powers, *(powers - 1), *(N - powers), *np.linspace(0, N - 1, SINGLY - 3 * len(powers), dtype=np.int64)])


def _single_places(text: Text, place: Callable[[Any], Any], name: str, indices: NDArray[np.int64], wanted: NDArray[np.int64]) -> None:
    """Raise Wrong unless an index alone, an integer of Python or of numpy, has the place that it has among others, and so have all backwards."""
    with blaming(text, "layout"):
        for j in indices:
            for index in (int(j), j):
                found = tuple(place(index))
                if [np.shape(part) for part in found] != [(), ()] or found != tuple(wanted[:, j]):
                    raise Wrong("layout", f"{name}({j}) of a single {type(index).__name__} is {found}, of an array {tuple(wanted[:, j].tolist())}")
        if not np.array_equal(np.asarray(place(indices[::-1].copy())), wanted[:, indices[::-1]]):
            raise Wrong("layout", f"{name} of indices in another order has other places")
        for table in (indices[: len(indices) & ~1].reshape(-1, max(1, len(indices) // 2)), indices.astype(np.int32)):
            if not np.array_equal(np.asarray(place(table)), wanted[:, table]):
                raise Wrong("layout", f"{name} of indices of {table.dtype} of shape {table.shape} has other places")


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
    one, several = (trace.sent_during(TRANSFORM) for trace in (run.trace, turns.trace))
    wrong = [rank for rank in range(len(run.results)) if several[rank] != len(TURNS) * one[rank]]
    if wrong:
        figures = f"{len(several[wrong[0]])} calls with messages in {len(TURNS)} transforms and {len(one[wrong[0]])} in one"
        raise Wrong("contract", f"rank {wrong[0]} makes {figures}, or sends others: every transform sends the same")
    waits = [trace.synchronisations(TRANSFORM) for trace in (run.trace, turns.trace)]
    if waits[1] != len(TURNS) * waits[0]:
        raise Wrong("contract", f"{waits[1]} synchronisations in {len(TURNS)} transforms and {waits[0]} in one: every transform does the same")


def main(arguments: list[str]) -> None:
    """Try the text on standard input and print the report as JSON."""
    seconds, name, seed, extent, *pipe = arguments
    limit(int(seconds))
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)  # nearly all is freed as it goes; looking for cycles more often would take a third of the time
    try:
        with contextlib.ExitStack() as listening:
            for descriptor in pipe:
                listening.enter_context(told_to(into(int(descriptor))))
            report = tried(name, sys.stdin.read(), int(seed), extent == "short")
    except (ValueError, OSError, NotModelled, MemoryError) as error:
        sys.exit("; ".join(str(error).splitlines()) or "the program needs more memory than it is given")
    fields = [{"q": field.q, "order": field.order, "w": field.w} for field in report.fields]
    verdicts = {name: {"verdict": type(verdict).__name__, **vars(verdict)} for name, verdict in report.verdicts.items()}
    expected = None if report.expected is None else vars(report.expected)
    print(json.dumps({"declared": report.declaration.as_json(), "verdicts": verdicts, "fields": fields, "expected": expected}))


if __name__ == "__main__":
    main(sys.argv[1:])
