"""Which forms of its arguments a program refuses that its contract allows, and what calls that it
refuses leave behind: transforms and convolutions alike.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from derive.verdict import Checked, Verdict
from proofs.certify.declaration import CONVOLVE, Declaration
from proofs.certify.evaluation.evaluated_source import called, method
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.evaluation.forms import on_line, past_line
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.language.values.function_values import Raised, State
from proofs.certify.last_section import begins_with_arrays, takes_all
from proofs.certify.scripts import usage
from proofs.certify.scripts.evaluation_jobs import zeros
from proofs.certify.scripts.usage import (
    AXES,
    ONE_NODE,
    OUT,
    OUTS,
    PAST_OUT,
    READ_ONLY,
    SLOTS,
    THIRD,
    TRANSFORM,
    Do,
    Free,
    Make,
    Script,
    Slot,
)
from proofs.certify.world.communicator import Comm
from proofs.certify.world.faults import Fault

SAID = {
    OUT: "an array as out",
    PAST_OUT: "an out that is not 64-byte aligned",
    THIRD: "out as the last argument",
}
"""Kinds of `out` in the words of a reason."""
SOMETIMES = "{} refuses {} in some transforms, and not in others"
TAKEN_OUT = "write {}, plan, out=None), and return out where it is given"


def _script(slot: Slot, form: str, before: bool = False) -> Script:
    """Return a script with this form, which may come after another use of the plan; axes have
    another order from the second transform on.
    """
    operation, argument = slot
    usual = Do(0, 0, other=None if operation == TRANSFORM else 1)
    steps = (usual,) * usage.FEW_TRANSFORMS
    if form in OUTS:
        steps = (usage.given_into(usual, form),)
    elif form != AXES:
        is_x = argument == "x"
        steps = (replace(usual, form=form) if is_x else replace(usual, other_form=form),)
    return (Make(0), *(usual,) * before, *steps, Free(0))


def _words(argument: str, form: str) -> str:
    """Return what is refused in words."""
    lies = "that is read-only" if form == READ_ONLY else form
    return SAID.get(form, f"{'an x' if argument == 'x' else 'a y'} {lies}")


def refused_forms(evaluation: Evaluation) -> Iterator[str]:
    """Yield which forms, and kinds of `out`, are refused, and why: those with one reason together,
    each argument by itself.
    """
    for (operation, argument), refused in evaluation.refused.items():
        reasons = dict[str, list[str]]()
        for form, why in refused.items():
            if why:
                reasons.setdefault(why, []).append(_words(argument, form))
        if reasons:
            yield "; ".join(
                f"{operation} refuses {' or '.join(forms)}: {why}" for why, forms in reasons.items()
            )


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
    source = evaluation.source
    takes = {
        TRANSFORM: isinstance(main, Checked) and begins_with_arrays(source),
        CONVOLVE: CONVOLVE not in evaluation.operations or takes_all(source, CONVOLVE),
    }
    slots = [slot for slot in SLOTS if not takes[slot[0]]]
    try:
        for evaluation.nodes in (ONE_NODE, *nodes):
            for slot in slots:
                with contextlib.suppress(Undecided):  # the scripts come to the same
                    _try_forms(evaluation, d, slot)
    finally:
        evaluation.nodes = ONE_NODE


def _try_forms(evaluation: Evaluation, d: Declaration, slot: Slot) -> None:
    """Note which forms of an argument are refused where the ranks are on these nodes."""
    apart = " where ranks are on several nodes" * (evaluation.nodes != ONE_NODE)
    known, refused = dict[str, str](), evaluation.refused[slot]
    outs, axes = OUTS * (slot[1] == "x"), (AXES,) * (len(d.part("input", 0)) > 1)
    for form in (*usage.FORMS, *outs, *axes):
        if form in (usage.AS_IT_IS, usage.REUSED, *refused):
            continue
        if why := _refusal(evaluation, d, form, slot):
            parts = (OUT,) * (form != OUT) if form in OUTS else usage.MADE_OF.get(form, ())
            known[form] = why.rpartition("; ")[0]
            same = any(known.get(part) == known[form] for part in parts)
            refused[form] = "" if same else f"{why}{apart}"


def _refusal(evaluation: Evaluation, d: Declaration, form: str, slot: Slot) -> str:
    """Return how a form is refused, with the line and a remedy; "" where it is taken.

    Raises:
        NotModelled: if it is refused by a new plan and taken by one that has been used.
    """
    operation, argument = slot
    error = _refused(evaluation, d, _script(slot, form))
    if error is None or (form in OUTS and not _all_refuse(evaluation, d, form, operation)):
        return ""
    if _refused(evaluation, d, _script(slot, form, before=True)) is None:
        raise NotModelled(SOMETIMES.format(operation, _words(argument, form)))
    is_said = isinstance(error, Raised) or error.words.startswith(Fault.INVALID_PARAMETER)
    return _remedied(form, error, slot) if form in OUTS or is_said else ""


def _refused(evaluation: Evaluation, d: Declaration, script: Script) -> Refuted | None:
    """Return how ranks end that follow a script, where they do not come to its end."""
    with np.errstate(all="ignore"), contextlib.suppress(Wrong):
        try:
            evaluation.follow(d, None, [zeros(d), zeros(d)], script, "contract")
        except Refuted as error:
            return error
    return None


def _all_refuse(evaluation: Evaluation, d: Declaration, form: str, operation: str) -> bool:
    """Return whether each rank refuses this kind of `out` with an error that says so: one rank that
    does leaves the others waiting, and a name that is not defined is a mistake.
    """

    def on_rank(state: State, comm: Comm) -> list[bool]:
        own = (False, True)
        return [_is_refused(state, comm, d, form, operation, each) for each in own]

    try:
        found = evaluation.ranks(d.P, None).evaluate(on_rank)
    except Refuted:
        return False
    refused = {all(each) for each in zip(*found, strict=True)}
    if len(refused) > 1:
        raise NotModelled(SOMETIMES.format(operation, SAID[form]))
    return refused.pop()


def _is_refused(
    state: State, comm: Comm, d: Declaration, form: str, operation: str, own: bool
) -> bool:
    """Return whether a new plan refuses this kind of `out`, one that has its memory or not."""
    plan = called(state, "plan", comm)
    sides = ("input", "output" if operation == TRANSFORM else "input")
    x, out = (np.zeros(d.part(side, comm.rank), d.dtype_of(side)) for side in sides)
    out = past_line(out) if form == PAST_OUT else out if own else on_line(out)
    given, named = ((), {"out": out}) if form != THIRD else ((out,), {})
    found = False
    try:
        more = () if operation == TRANSFORM else (x.copy(),)
        called(state, operation, x, *more, plan, *given, **named)
    except Raised as raised:
        found = isinstance(raised.value, TypeError | ValueError | NotImplementedError)
    method(state, plan, "free")
    return found


def _remedied(form: str, error: Refuted, slot: Slot) -> str:
    operation, x = slot
    writes = f"a copy of {x}, np.array({x}), can be written to"
    remedy = writes if form == READ_ONLY else f"use np.ascontiguousarray({x}) in place of {x}"
    call = "transform(x" if operation == TRANSFORM else "convolve(x, y"
    remedy = TAKEN_OUT.format(call) if form in OUTS else remedy
    return f"{error.words}{f' (line {error.line})' if error.line else ''}; {remedy}"
