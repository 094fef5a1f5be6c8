"""Whether a program keeps to its contract where it is not run for it: it calls no communicator of
its caller, and refuses what its contract excludes; this is decided by its source, where `transform`
begins as in emitted programs.

    transform(x, plan, out=None):  x, out = arrays(x, plan, out [, aligned])  ...

`arrays` is that of the last section, which is known by its digest, and of which all arguments are
tried with the emitter; `aligned`, which makes a new result, is that of a known section of
operations. What a plan refuses, and what has no place, is evaluated.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from codegen.systems.exchanges import SHARED
from derive.verdict import Checked, Undecided, Verdict
from proofs.certify.declaration import Declaration
from proofs.certify.evaluation.evaluated_places import is_refused
from proofs.certify.evaluation.evaluated_source import called, method
from proofs.certify.evaluation.evaluation import Evaluation, blaming
from proofs.certify.evaluation.forms import on_line, past_line
from proofs.certify.evaluation.refusals import refusals
from proofs.certify.evaluation.remains import form_of, share_memory
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.language.table_entries import Refuted
from proofs.certify.language.table_entries import Undecided as Ended
from proofs.certify.language.values.function_values import Raised, State
from proofs.certify.last_section import FIRST, begins_with_arrays, takes_all
from proofs.certify.scripts import usage
from proofs.certify.scripts.arguments import no_index, outside
from proofs.certify.scripts.evaluation_jobs import NARROW, few, zeros
from proofs.certify.scripts.usage import (
    AXES,
    ONE_NODE,
    OUT,
    OUTS,
    PAST_OUT,
    READ_ONLY,
    THIRD,
    TRANSFORM,
    Do,
    Free,
    Make,
    Script,
)
from proofs.certify.world.communicator import Comm
from proofs.certify.world.faults import Fault

REFUSED = (
    "the program rejects arrays of another shape or dtype, an `out` that shares memory with x or is"
    " read-only, not aligned or not a plain array, a plan that is freed or of another program,"
    " other numbers of ranks, and invalid indices; it rejects or converts an `out` with gaps and"
    " numbers in the other byte order"
)
"""What is stated of invalid use."""
SAME = "plan returns the same object twice, so two plans that are alive share their buffers"
SHARED_BY_PLANS = "two plans that are alive share an array that transforms change"
BEGINNING = f"transform does not begin with x, out = {FIRST}"
SECTION = "the code that refuses them is not that of generated programs"
SAID = {
    READ_ONLY: "an x that is read-only",
    OUT: "an array as out",
    PAST_OUT: "an out that is not 64-byte aligned",
    THIRD: "out as the third argument",
}
"""Forms in the words of a reason, where these are others than "an x .."."""
SOMETIMES = "transform refuses {} in some transforms, and not in others"
TAKEN_OUT = "write transform(x, plan, out=None), and return out where it is given"
MOST_RANKS = 32
"""Of more ranks the number alone, one less and one more, are tried."""


def left_open(evaluation: Evaluation, d: Declaration, main: Verdict) -> str:
    """Return why the contract is not decided where repeated use holds; "" where it is.

    Args:
        evaluation: the program.
        d: what it declares.
        main: the verdict on its last section.
    """
    if evaluation.breaches:
        return next(iter(evaluation.breaches))
    left = refusals(evaluation, d, takes_all(evaluation.source))
    if left.wrong or left.open:
        return left.wrong or left.open
    if evaluation.refused:
        return _refused_forms(evaluation.refused)
    if words := _shared_by_plans(evaluation, d):
        return words
    found = _invalid_taken(evaluation, d, main)
    return found and f"that invalid arguments are refused is not decided: {found}"


def _shared_by_plans(evaluation: Evaluation, d: Declaration) -> str:
    """Return what two plans that are alive have in common and a transform by one of them changes,
    so that it spoils one by the other under way in another thread; "" where there is nothing.

    Memory that both lead to may be that of constants: a transform shows whether it is.
    """

    def on_rank(state: State, comm: Comm, transforms: bool) -> str:
        one, other = called(state, "plan", comm), called(state, "plan", comm)
        shared = one is other or share_memory([one], [other])
        if transforms:
            before = form_of([other])
            x = np.ones(d.part("input", comm.rank), d.dtype_of("input"))
            called(state, TRANSFORM, x, one)
            shared = one is other or form_of([other]) != before
        for plan in (one, other)[: 1 + (one is not other)]:
            method(state, plan, "free")
        return (SAME if one is other else SHARED_BY_PLANS) * shared

    found = ""
    try:
        with np.errstate(all="ignore"), blaming("contract"):
            for transforms in (False, True):
                body = partial(on_rank, transforms=transforms)
                found = max(evaluation.ranks(d.P, None).evaluate(body))
                if found in ("", SAME):
                    break
    except (Wrong, NotModelled) as error:
        return str(error)
    return found


def refuse_spoiling(evaluation: Evaluation, d: Declaration) -> None:
    """Raise Wrong where a call that is refused changes what a later one returns."""
    if words := refusals(evaluation, d, takes_all(evaluation.source)).wrong:
        raise Wrong("contract", words)


def _refused_forms(refused: dict[str, str]) -> str:
    """Return which forms of x, and kinds of `out`, are refused, and why: those with one reason
    together.
    """
    reasons = dict[str, list[str]]()
    for form, why in refused.items():
        if why:
            reasons.setdefault(why, []).append(SAID.get(form, f"an x {form}"))
    return "; ".join(
        f"transform refuses {' or '.join(forms)}: {why}" for why, forms in reasons.items()
    )


def _invalid_taken(evaluation: Evaluation, d: Declaration, main: Verdict) -> str:
    """Return why it is not decided that invalid use is refused; "" where it is."""
    if not isinstance(main, Checked):
        return SECTION
    if not begins_with_arrays(evaluation.source):
        return BEGINNING
    try:
        with np.errstate(all="ignore"), blaming("contract"):
            return next(_taken(evaluation, d), "")
    except (Wrong, NotModelled) as error:
        return str(error)


def find_refused(
    evaluation: Evaluation, d: Declaration, main: Verdict, nodes: Iterable[tuple[int, ...]] = ()
) -> None:
    """Note once in an evaluation which forms of x and which kinds of `out` are refused, each with
    the reason: the contract is open for these, and all other rows are decided without them.

    Each form is tried by transforms of zeros. It is refused if these raise an exception, or if MPI
    takes no such buffer; a wrong result, and a deadlock, are refuted where they are met.

    Args:
        evaluation: the program.
        d: what it declares.
        main: the verdict on its last section; emitted programs take all forms.
        nodes: the nodes, as an evaluation has them, between which it is evaluated as well.
    """
    if evaluation.is_tried:
        return
    evaluation.is_tried = True
    if isinstance(main, Checked) and begins_with_arrays(evaluation.source):
        return
    try:
        for evaluation.nodes in (ONE_NODE, *nodes):
            with contextlib.suppress(Ended):  # the scripts come to the same
                _try_forms(evaluation, d)
    finally:
        evaluation.nodes = ONE_NODE


def _try_forms(evaluation: Evaluation, d: Declaration) -> None:
    """Note which forms of x and kinds of `out` are refused where the ranks are on these nodes."""
    apart = " where ranks are on several nodes" * (evaluation.nodes != ONE_NODE)
    known = dict[str, str]()
    for form in (*usage.FORMS, *OUTS, *(AXES,) * (len(d.part("input", 0)) > 1)):
        if form in (usage.AS_IT_IS, usage.REUSED, *evaluation.refused):
            continue
        if why := _refusal(evaluation, d, form):
            parts = (OUT,) * (form != OUT) if form in OUTS else usage.MADE_OF.get(form, ())
            known[form] = why.rpartition("; ")[0]
            same = any(known.get(part) == known[form] for part in parts)
            evaluation.refused[form] = "" if same else f"{why}{apart}"


def _with_form(form: str, before: Script = ()) -> Script:
    """Return a script with this form; axes have another order from the second transform on."""
    steps: Script = (usage.given_into(Do(0, 0), form) if form in OUTS else Do(0, 0, form),)
    steps = (Do(0, 0),) * usage.FEW_TRANSFORMS if form == AXES else steps
    return (Make(0), *before, *steps, Free(0))


def _refusal(evaluation: Evaluation, d: Declaration, form: str) -> str:
    """Return how a form is refused, with the line and a remedy; "" where it is taken.

    Raises:
        NotModelled: if it is refused by a new plan and taken by one that has been used.
    """
    error = _refused(evaluation, d, _with_form(form))
    if error is None or (form in OUTS and not _all_refuse(evaluation, d, form)):
        return ""
    if _refused(evaluation, d, _with_form(form, (Do(0, 0),))) is None:
        raise NotModelled(SOMETIMES.format(SAID.get(form, f"an x {form}")))
    is_said = isinstance(error, Raised) or error.words.startswith(Fault.INVALID_PARAMETER)
    return _remedied(form, error) if form in OUTS or is_said else ""


def _refused(evaluation: Evaluation, d: Declaration, script: Script) -> Refuted | None:
    """Return how ranks end that follow a script, where they do not come to its end."""
    with np.errstate(all="ignore"), contextlib.suppress(Wrong):
        try:
            evaluation.follow(d, None, [zeros(d)], script, "contract")
        except Refuted as error:
            return error
    return None


def _all_refuse(evaluation: Evaluation, d: Declaration, form: str) -> bool:
    """Return whether each rank refuses this kind of `out` with an error that says so: one rank that
    does leaves the others waiting, and a name that is not defined is a mistake.
    """

    def on_rank(state: State, comm: Comm) -> list[bool]:
        return [_is_refused(state, comm, d, form, own) for own in (False, True)]

    try:
        found = evaluation.ranks(d.P, None).evaluate(on_rank)
    except Refuted:
        return False
    refused = {all(each) for each in zip(*found, strict=True)}
    if len(refused) > 1:
        raise NotModelled(SOMETIMES.format(SAID[form]))
    return refused.pop()


def _is_refused(state: State, comm: Comm, d: Declaration, form: str, own: bool) -> bool:
    """Return whether a new plan refuses this kind of `out`, one that has its memory or not."""
    plan = called(state, "plan", comm)
    x, out = (np.zeros(d.part(side, comm.rank), d.dtype_of(side)) for side in ("input", "output"))
    out = past_line(out) if form == PAST_OUT else out if own else on_line(out)
    given, named = ((), {"out": out}) if form != THIRD else ((out,), {})
    found = False
    try:
        called(state, TRANSFORM, x, plan, *given, **named)
    except Raised as raised:
        found = isinstance(raised.value, TypeError | ValueError | NotImplementedError)
    method(state, plan, "free")
    return found


def _remedied(form: str, error: Refuted) -> str:
    writes = "a copy of x, np.array(x), can be written to"
    remedy = writes if form == READ_ONLY else "use np.ascontiguousarray(x) in place of x"
    remedy = TAKEN_OUT if form in OUTS else remedy
    return f"{error.words}{f' (line {error.line})' if error.line else ''}; {remedy}"


def _taken(evaluation: Evaluation, d: Declaration) -> Iterator[str]:
    """Yield what is taken that should be refused."""
    for side in ("input", "output"):
        state = evaluation.source.load()
        for j in no_index(d.count(side)):
            if not is_refused(state, f"{side}_place", j):
                yield f"{side}_place({j}) returns a location"
        for index in outside(d.whole_of(side)):
            if not is_refused(state, f"{side}_place", *index):
                yield f"{side}_place{index} returns a location"
        for kind in NARROW:
            j = np.arange(few(d.count(side))).astype(kind)
            if _raises(partial(called, state, f"{side}_place", j)):
                yield f"{side}_place raises an error for indices of {kind}"
    yield from filter(None, evaluation.ranks(d.P, None).evaluate(_freed(d)))
    for size in other_sizes(d):
        words = f"a plan on {size} ranks, where P = {d.P},"
        yield from filter(None, evaluation.ranks(size, None, ONE_NODE).evaluate(_planned(words)))
    if d.exchange == SHARED and d.P > 1:
        words = "a plan on ranks of two nodes, with exchange shared,"
        yield from filter(
            None, evaluation.ranks(d.P, None, usage.LAST_APART).evaluate(_planned(words))
        )


def _freed(d: Declaration) -> Callable[[State, Comm], str]:
    """Return what says of a rank that transform accepts a freed plan there."""

    def on_rank(state: State, comm: Comm) -> str:
        plan = called(state, "plan", comm)
        x = np.zeros(d.part("input", comm.rank), d.dtype_of("input"))
        method(state, plan, "free")
        calls, kept = comm.met, form_of([state])
        if not _raises(lambda: called(state, "transform", x, plan)):
            return "transform accepts a freed plan"
        _raises(lambda: method(state, plan, "free"))  # which is refused, or does nothing
        if form_of([state]) != kept:
            return "a transform by a freed plan changes the state of the program"
        return "a second free() of a plan communicates" * (calls != comm.met)

    return on_rank


def _planned(words: str) -> Callable[[State, Comm], str]:
    """Return what says of a rank that a plan is made there."""

    def on_rank(state: State, comm: Comm) -> str:
        before = form_of([state])
        if not _raises(lambda: called(state, "plan", comm)):
            return f"{words} is made"
        return "" if form_of([state]) == before else f"{words} changes the state of the program"

    return on_rank


def _raises(call: Callable[[], Any]) -> bool:
    """Return whether a call raises an exception of the program."""
    try:
        call()
    except Raised:
        return True
    return False


def other_sizes(d: Declaration) -> list[int]:
    """Return other numbers of ranks, as few as matter where each takes long."""
    sizes = {d.P - 1, d.P + 1} | ({d.P // 2, 2 * d.P} if d.P <= MOST_RANKS else set())
    return sorted(sizes - {0, d.P})


def with_left_open(verdict: Verdict, why: str) -> Verdict:
    """Return the verdict on repeated use as one on the contract, where something is left open."""
    return Undecided(verdict.statement, f"repeated use holds; {why}") if why else verdict
