"""Whether a program keeps to its contract where it is not run for it: it calls no communicator of
its caller, and refuses what its contract excludes; this is decided by its source, where `transform`
and `convolve` begin as in emitted programs.

    transform(x, plan, out=None):  x, out = arrays(x, plan, out [, aligned])  ...
    convolve(x, y, plan, out=None):  y, out = arrays(y, plan, out);  transform(x, plan, out)  ...

`arrays` is that of the last section, which is known by its digest, and of which all arguments are
tried with the emitter; `aligned`, which makes a new result, is that of a known section of
operations. What a plan refuses, and what has no place, is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from derive.verdict import Checked, Undecided, Verdict
from proofs.certify.checks.convolution_check import not_followed
from proofs.certify.checks.plan_check import wrong_plans
from proofs.certify.declaration import CONVOLVE, SHAPES, Declaration
from proofs.certify.evaluation.evaluated_places import is_refused
from proofs.certify.evaluation.evaluated_source import called, method
from proofs.certify.evaluation.evaluation import Evaluation, blaming
from proofs.certify.evaluation.invalid_use import refused_forms
from proofs.certify.evaluation.refusals import refusals
from proofs.certify.evaluation.remains import BY_TEXT, EQUAL, form_of, told
from proofs.certify.exact.items import owner
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.language.values.counts import Number
from proofs.certify.language.values.function_values import Raised, State
from proofs.certify.last_section import (
    FIRST,
    SECOND,
    TRANSFORMED,
    begins_with_arrays,
    convolve_takes_all,
    takes_all,
)
from proofs.certify.scripts.arguments import no_index, outside
from proofs.certify.scripts.convolutions import BOTH
from proofs.certify.scripts.evaluation_jobs import NARROW, few, zeros
from proofs.certify.scripts.usage import TRANSFORM, Do
from proofs.certify.world.communicator import Comm

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
SECOND_BEGINNING = f"convolve does not begin with {SECOND}, and then {TRANSFORMED} for x alone"
SECTION = "the code that refuses them is not that of generated programs"


def left_open(evaluation: Evaluation, d: Declaration, main: Verdict) -> str:
    """Return why the contract is not decided where repeated use holds; "" where it is.

    Args:
        evaluation: the program.
        d: what it declares.
        main: the verdict on its last section.
    """
    unknown = _evaluated(lambda: _used(evaluation, d))
    if evaluation.breaches:
        return next(iter(evaluation.breaches))
    left = refusals(evaluation, d, takes_all(evaluation.source))
    if words := left.wrong or left.open or "; ".join(refused_forms(evaluation)):
        return words
    if words := _evaluated(lambda: _shared_by_plans(evaluation, d)):
        return words
    if words := _evaluated(lambda: _invalid_taken(evaluation, d, main)):
        return f"that invalid arguments are refused is not decided: {words}"
    return unknown


def _evaluated(check: Callable[[], str]) -> str:
    """Return what a check finds, or what ends it."""
    try:
        with blaming("contract"):
            return check()
    except (Wrong, NotModelled) as error:
        return str(error)


def _used(evaluation: Evaluation, d: Declaration) -> str:
    """Convolve zeros, among transforms, so that calls of a communicator of the caller are noted;
    return why it is open what `convolve` does, "" where another row decides it.
    """
    if CONVOLVE not in evaluation.operations:
        return ""
    count = 1 + max(map(max, (step.given for step in BOTH if isinstance(step, Do))))
    evaluation.follow(d, None, [zeros(d)] * count, BOTH, "contract")
    return not_followed(evaluation, d)


def _shared_by_plans(evaluation: Evaluation, d: Declaration) -> str:
    """Return what two plans that are alive have in common and a transform by one of them changes,
    so that it spoils one by the other under way in another thread; "" where there is nothing.

    Memory that both lead to may be that of constants: a transform shows whether it is.
    """

    def on_rank(state: State, comm: Comm, transforms: bool) -> str:
        one, other = called(state, "plan", comm), called(state, "plan", comm)
        shared = one is other or _share_memory([one], [other])
        if transforms:
            before = form_of([other])
            for operation in evaluation.operations:
                called(state, operation, *_ones(d, comm.rank, operation), one)
            shared = one is other or form_of([other]) != before
        for plan in (one, other)[: 1 + (one is not other)]:
            method(state, plan, "free")
        return (SAME if one is other else SHARED_BY_PLANS) * shared

    found = ""
    for transforms in (False, True):
        body = partial(on_rank, transforms=transforms)
        found = max(evaluation.ranks(d.P, None).evaluate(body))
        if found in ("", SAME):
            break
    return found


def _invalid_taken(evaluation: Evaluation, d: Declaration, main: Verdict) -> str:
    """Return why it is not decided that invalid use is refused; "" where it is."""
    if not isinstance(main, Checked):
        return SECTION
    if not begins_with_arrays(evaluation.source):
        return BEGINNING
    if CONVOLVE in evaluation.operations and not convolve_takes_all(evaluation.source):
        return SECOND_BEGINNING
    return next(_taken(evaluation, d), "")


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
        for rank in (-1, d.P) if (name := SHAPES[side]) in state else ():
            if not _raises(partial(called, state, name, rank)):
                yield f"{name}({rank}) returns a shape"
        for kind in NARROW:
            j = np.arange(few(d.count(side))).astype(kind)
            if _raises(partial(called, state, f"{side}_place", j)):
                yield f"{side}_place raises an error for indices of {kind}"
    yield from filter(None, evaluation.ranks(d.P, None).evaluate(_freed(evaluation, d)))
    yield from wrong_plans(evaluation, d)


def _ones(d: Declaration, rank: int, operation: str) -> list[Any]:
    """Return vectors for an operation."""
    x = np.ones(d.part("input", rank), d.dtype_of("input"))
    return [x] if operation == TRANSFORM else [x, x.copy()]


def _freed(evaluation: Evaluation, d: Declaration) -> Callable[[State, Comm], str]:
    """Return what says of a rank that an operation accepts a freed plan there."""

    def on_rank(state: State, comm: Comm) -> str:
        plan = called(state, "plan", comm)
        method(state, plan, "free")
        calls, kept = comm.met, form_of([state])
        for operation in evaluation.operations:
            given = _ones(d, comm.rank, operation)
            if not _raises(partial(called, state, operation, *given, plan)):
                return f"{operation} accepts a freed plan"
        _raises(lambda: method(state, plan, "free"))  # which is refused, or does nothing
        if form_of([state]) != kept:
            return "a transform by a freed plan changes the state of the program"
        return "a second free() of a plan communicates" * (calls != comm.met)

    return on_rank


def _raises(call: Callable[[], Any]) -> bool:
    """Return whether a call raises an exception of the program."""
    try:
        call()
    except Raised:
        return True
    return False


def with_left_open(verdict: Verdict, why: str) -> Verdict:
    """Return the verdict on repeated use as one on the contract, where something is left open."""
    return Undecided(verdict.statement, f"repeated use holds; {why}") if why else verdict


def _share_memory(one: Iterable[Any], other: Iterable[Any]) -> bool:
    """Return whether some values, and others, lead to the same memory of an array."""
    found = list[set[int]]()
    for roots in (one, other):
        left, known = list(roots), dict[int, Any]()
        while left:
            thing = left.pop()
            if type(thing) in {*EQUAL, *BY_TEXT, Number} or id(thing) in known:
                continue
            known[id(thing)] = thing
            left += told(thing)[1]
        arrays = (each for each in known.values() if isinstance(each, np.ndarray))
        found.append({id(owner(each)) for each in arrays})
    return bool(found[0] & found[1])
