"""What calls that a program refuses leave behind.

`transform` is given wrong arguments, and right ones in forms that it refuses. Where it raises an
exception on all ranks, right transforms before and after are compared with those without such a
call, bit for bit. A difference refutes the contract if the program raises the exception itself, by
raise or assert, and leaves it open if an operation fails; so does a change of the state of the plan
or of the module alone.

What a later transform does depends on its arguments, on what the plan and the module lead to, and
on MPI. A call after which the first two are as they were, and which has called nothing of MPI, is
followed by the same transforms as none: these are compared only where it has left something. All
such calls are made one after the other, and compared with the state before the first of them.
"""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any

import numpy as np

from proofs.certify.declaration import CONVOLVE, Declaration
from proofs.certify.evaluation import forms
from proofs.certify.evaluation.evaluated_source import called, method
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.evaluation.remains import Form, Met, changed_name, form_of
from proofs.certify.failures import Wrong
from proofs.certify.language.table_entries import Ended, Refuted, Undecided
from proofs.certify.language.tables.standard import Cache
from proofs.certify.language.values.function_values import Raised, State
from proofs.certify.last_section import takes_all
from proofs.certify.plain_text import in_words
from proofs.certify.scripts import usage
from proofs.certify.scripts.arguments import (
    ASKED,
    FREED,
    WRONG,
    Arguments,
    Case,
    with_both,
    with_out,
    with_x,
)
from proofs.certify.scripts.usage import TRANSFORM
from proofs.certify.world.communicator import Comm

TRIED_RANKS = 32
"""Programs for more ranks, with a treatment of arguments of their own, are not tried."""
TRANSFORMS = 3
"""So many right transforms are compared."""
INPUTS = ("x", "y")
BY_NAME = (
    "{0}, plan) is another one where its arguments are given by name, with out=None: {1}; write"
    " {0}, plan, out=None), and a new array where out is None"
)
Forms = tuple[Form, Form, Form]
"""The forms of a plan, of the module, and of the results that functions keep."""


@dataclass(frozen=True)
class Refusals:
    """What calls that are refused leave behind: `wrong` refutes the contract, `open` leaves it
    open; both are "" where everything is as it was.
    """

    wrong: str = ""
    open: str = ""


def refusals(evaluation: Evaluation, d: Declaration) -> Refusals:
    """Return what calls that are refused leave behind."""
    if evaluation.refusals is None:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            try:
                found = Refusals(open=next(iter([*_left(evaluation, d)]), ""))
            except Wrong as wrong:
                found = Refusals(wrong.counterexample)
        evaluation.refusals = found
    return evaluation.refusals


def _left(evaluation: Evaluation, d: Declaration) -> Iterator[str]:
    """Yield what is changed without a change of later results; raise Wrong where they change."""
    if d.P > TRIED_RANKS and not takes_all(evaluation.source):
        return
    for operation in evaluation.operations:
        yield from _left_by_all(Trial(evaluation, d, operation))


def _left_by_all(trial: Trial) -> Iterator[str]:
    """Yield the same of the calls of one operation."""
    takes = takes_all(trial.evaluation.source, trial.operation)
    cases = WRONG if trial.operation == TRANSFORM else with_both(WRONG)
    if not takes:
        more = WRONG | ASKED | _forms(trial.evaluation, trial.operation)
        more = more if trial.operation == TRANSFORM else with_both(more)
        cases = {name: case for name, case in more.items() if trial.is_refused(name, case)}
        yield from filter(None, [trial.by_name()])
    new = _left_by(trial, cases, 0)
    warm = new if takes else _left_by(trial, cases, 1)
    for name, case in cases.items():
        follows = [transforms for transforms, left in enumerate((new, warm)) if name in left]
        found = [trial.difference(case, transforms) for transforms in follows]
        changed = warm.get(name, "")
        words = "" if changed in INPUTS else next(filter(None, found), "")
        if words:
            words = f"after {trial.operation} has refused {name}, {words}"
        elif changed:
            words = f"{trial.operation} refuses {name} and changes {changed} first"
        if name not in trial.fails and (any(found) or changed in INPUTS):
            raise Wrong("contract", words)
        if words:
            yield words


def _forms(evaluation: Evaluation, operation: str) -> dict[str, Case]:
    """Return the forms that an operation refuses, as cases."""
    of_operation = (each for slot, each in evaluation.refused.items() if slot[0] == operation)
    refused = dict.fromkeys(chain.from_iterable(of_operation))

    def in_form(form: str) -> Case:
        if form == usage.AXES:
            return with_x(lambda x: forms.with_axes(x.reshape(-1), x.shape, 1))
        return with_x(lambda x: forms.with_axes(forms.shaped(x.reshape(-1), form), x.shape))

    taken = (*usage.OUTS, usage.REUSED, usage.RESULT)
    found = {f"an x {form}": in_form(form) for form in refused if form not in taken}
    if usage.OUT in refused:
        found["an array as out"] = with_out(lambda out: out)
    if usage.PAST_OUT in refused:
        found["an out that is not 64-byte aligned"] = with_out(forms.past_line)
    return found


def _call(state: State, arguments: Arguments, by_name: bool = False) -> Any:
    x, plan, out, _, y = arguments
    name, given = (TRANSFORM, (x, plan)) if y is None else (CONVOLVE, (x, y, plan))
    if by_name:
        named = zip(("x", "plan") if y is None else ("x", "y", "plan"), given, strict=True)
        return called(state, name, **dict(named), out=out)
    return called(state, name, *given, **({} if out is None else {"out": out}))


def elements(d: Declaration, rank: int) -> Any:
    """Return a part of an input, without a zero."""
    shape, dtype = d.part("input", rank), d.dtype_of("input")
    values = np.arange(1, prod(shape) + 1) + rank * prod(shape)
    if dtype.kind in "biufc":
        return values.astype(dtype).reshape(shape)
    octets = np.resize(values.astype(np.uint8), prod(shape) * dtype.itemsize)
    return octets.view(dtype).reshape(shape)


@dataclass
class Trial:
    """Right transforms before and after a call that is refused."""

    evaluation: Evaluation
    declaration: Declaration
    operation: str
    fails: set[str] = field(default_factory=set)
    """Calls that are refused as an operation fails, not by raise or assert."""

    @cached_property
    def raising(self) -> set[int]:
        """The lines of the program that raise an exception by themselves."""
        nodes = ast.walk(ast.parse(self.evaluation.source.text))
        return {node.lineno for node in nodes if isinstance(node, ast.Raise | ast.Assert)}

    @cached_property
    def wanted(self) -> Any:
        """The results of right transforms without such a call, by rank."""
        return self._followed(None, TRANSFORMS)

    def given(self, state: State, comm: Comm, needs_freed: bool = True) -> Arguments:
        """Return what a rank has for an operation, with a new plan."""
        d, side = self.declaration, "output" if self.operation == TRANSFORM else "input"
        freed = called(state, "plan", comm) if needs_freed else None
        plan = called(state, "plan", comm)
        if needs_freed:
            method(state, freed, "free")
        x = elements(d, comm.rank)
        out = forms.on_line(np.zeros(d.part(side, comm.rank), d.dtype_of(side)))
        y = forms.on_line(x[::-1]) if self.operation == CONVOLVE else None
        return Arguments(forms.on_line(x), plan, out, freed, y)

    def is_refused(self, name: str, case: Case) -> bool:
        """Return whether a call is refused on all ranks, whatever follows."""
        lines = list[int | None]()

        def on_rank(state: State, comm: Comm) -> None:
            try:
                _call(state, case(self.given(state, comm, name == FREED)))
            except Raised as raised:
                lines.append(raised.line)

        with contextlib.suppress(Ended):  # as the plan is not freed
            self.evaluation.ranks(self.declaration.P, None).evaluate(on_rank)
        if not self.raising.issuperset(lines):
            self.fails.add(name)
        return len(lines) == self.declaration.P

    def difference(self, case: Case, transforms: int) -> str:
        """Return in words what transforms after a call that is refused, and the end of the plan, do
        otherwise than without it; so many transforms come before.
        """
        wanted, found = self.wanted, self._followed(case, transforms)
        if found in (wanted, ""):
            return ""
        return found if isinstance(found, str) else "the result of a transform is another one"

    def by_name(self) -> str:
        """Return in words how transform(x=x, plan=plan, out=None) differs from transform(x, plan),
        or convolve; "" where it does not, or where `out` is refused.
        """
        if usage.OUT in self.evaluation.refused[self.operation, "x"]:
            return ""
        found = self._followed(None, TRANSFORMS, by_name=True)
        if found == self.wanted:
            return ""
        words = found or "what it does is not followed"
        error = words if isinstance(words, str) else "the result is another one"
        call = "transform(x" if self.operation == TRANSFORM else "convolve(x, y"
        return BY_NAME.format(call, error)

    def _followed(self, case: Case | None, transforms: int, by_name: bool = False) -> Any:
        """Return the results of right transforms by rank, or an error in words, where a call that
        is refused comes after so many of them; "" where this is not decided.
        """

        def on_rank(state: State, comm: Comm) -> list[Any]:
            given = self.given(state, comm)
            calls = [given.right, *(given.right._replace(y=None),) * (given.y is not None)]
            found = [
                _call(state, each, by_name).tobytes() for _ in range(transforms) for each in calls
            ]
            if case is not None:
                with contextlib.suppress(Raised):
                    _call(state, case(given))
            more = range(transforms, TRANSFORMS)
            found += [_call(state, each).tobytes() for _ in more for each in calls]
            method(state, given.plan, "free")
            return found

        try:
            return self.evaluation.ranks(self.declaration.P, None).evaluate(on_rank)
        except Undecided:
            return ""
        except Refuted as error:
            return str(error)


def _left_by(trial: Trial, cases: dict[str, Case], transforms: int) -> dict[str, str]:
    """Return the cases that leave something behind after so many transforms, or of which that is
    not known, with what is changed beside the elements of arrays, which right transforms may
    change, too. Of many ranks the first and the last one are tried.
    """
    d, words, none = trial.declaration, dict[str, str](), Counter[str]()
    tried = range(d.P) if d.P <= TRIED_RANKS else (0, d.P - 1)

    def on_rank(state: State, comm: Comm) -> None:
        given = trial.given(state, comm)
        for _ in range(transforms):
            _call(state, given.right)
        first = after = _state(state, given.plan)
        calls = comm.world.made[comm.rank]
        for name, case in cases.items() if comm.rank in tried else ():
            arguments = case(given)
            held = {"x": np.asarray(arguments.x), "y": np.asarray(arguments.y)}
            octets = {key: array.tobytes() for key, array in held.items()}
            with contextlib.suppress(Ended):
                _call(state, arguments)
            before, after = after, _state(state, given.plan)
            none[name] += first == before == after and calls == comm.world.made[comm.rank]
            if before != after:
                plan, module, _ = zip(before, after, strict=True)
                found = _path(*plan, given.plan, state, d) or _path(*module, state, state, d)
                words[name] = words.get(name) or found
            for key, array in held.items():
                if array.tobytes() != octets[key]:
                    none[name], words[name] = -d.P, key

    with contextlib.suppress(Ended):  # as the plan is not freed
        trial.evaluation.ranks(d.P, None).evaluate(on_rank)
    return {name: words.get(name, "") for name in cases if none[name] < len(tried)}


def _state(state: State, plan: Any) -> Forms:
    caches, met = list[Cache](), Met()
    module, of_plan = form_of([state], caches, met), form_of([plan], caches, met)
    return of_plan, module, form_of([cache.found for cache in caches], caches, met)


def _path(before: Form, after: Form, root: Any, state: State, d: Declaration) -> str:
    """Return what is changed in a plan or a module, in words; "" for elements of arrays alone."""
    was, now = (_without_elements(form, d) for form in (before, after))
    if was == now:
        return ""
    met = Met()
    if root is not state:
        form_of([state], None, met)
    return in_words(*changed_name(was, now, root, met))


def _without_elements(form: Form, d: Declaration) -> Form:
    """Return a form without the digests of arrays of elements, or of other numbers with a point."""
    return tuple(
        (each[0], each[1][:-1])
        if isinstance(each, tuple)
        and each[0] is np.ndarray
        and (each[1][1] == d.dtype or each[1][1].kind in "fc")
        else each
        for each in form
    )
