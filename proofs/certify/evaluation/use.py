"""A program used on ranks as a script (usage.py) says: plans made, used for transforms, and freed.

What a program must not do in between is looked at here: it changes none of its caller's arrays,
returns new ones, uses no communicator of its caller's, and nothing that an earlier transform has
left (remains.py).
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from proofs.certify.declaration import Declaration
from proofs.certify.evaluation import forms
from proofs.certify.evaluation.evaluated_source import attribute, called, method
from proofs.certify.evaluation.forms import Kept, memory, on_line, overlap, with_axes
from proofs.certify.evaluation.ranks import Ranks
from proofs.certify.evaluation.remains import Remains
from proofs.certify.exact.data import Data
from proofs.certify.exact.items import owner
from proofs.certify.failures import Wrong
from proofs.certify.language.table_entries import Refuted
from proofs.certify.language.values.function_values import State
from proofs.certify.scripts import usage
from proofs.certify.scripts.usage import TRANSFORM, Do, Free, Make, Script
from proofs.certify.world.communicator import Comm
from proofs.certify.world.hub import Call
from proofs.certify.world.transfers import UNDEFINED, Mail, Transfer


@dataclass(frozen=True)
class Setting:
    """What a run is done with: data[i][rank] is a rank's part of vector i.

    `name` is the statement that fails with the program. `apart` says that one more rank, the first,
    has no part in it.
    """

    name: str
    declaration: Declaration
    data: Sequence[Any]
    script: Script

    @property
    def apart(self) -> bool:
        """Whether plans are made on parts of the ranks of the run."""
        return any(isinstance(step, Make) and step.where != usage.GIVEN for step in self.script)


class CallersMail(Mail):
    """The messages of a communicator of the caller, on which a program is to send none."""

    def __init__(self, world: Ranks) -> None:
        super().__init__()
        self.world = world

    def post(self, transfer: Transfer) -> None:
        """Note the message, which the caller could wait for, and take it."""
        borrow(self.world, transfer.call)
        super().post(transfer)


def borrow(world: Ranks, call: Call) -> None:
    """Note a call of a communicator of the caller."""
    words = (
        f"line {call.line}: {call.text} is a call of the communicator given to plan, where the"
        " caller may have messages of its own; make a copy in plan, comm.Dup(), and free it in free"
    )
    world.breaches.setdefault(words)


def communicators(comm: Comm, setting: Setting, world: Ranks) -> dict[str, Comm]:
    """Return the communicators that plans are made on.

    From one part to the other the ranks go round: what is kept of one is wrong on another rank.
    """
    found = {usage.GIVEN: comm}
    if setting.apart:
        part = comm.Split(0, (1 - comm.rank) % (comm.size - 1))
        found = {usage.PART: part, usage.REVERSED: part.Split(0, -comm.rank)}
    for each in found.values():
        if not isinstance(each.group.mail, CallersMail):
            each.group.mail = CallersMail(world)
    return found


def follow(state: State, comm: Comm, setting: Setting, world: Ranks) -> list[Any]:
    """Return the results of the transforms of a script on this rank, as vectors."""
    places = communicators(comm, setting, world)
    use = Use(state, setting, places, world)
    for step in setting.script:
        use.step(step)
    use.end()
    for where, each in reversed(places.items()):
        if where != usage.GIVEN:
            each.Free()
    return use.results


def stand_apart(comm: Comm) -> list[Any]:
    """Take no part in a run but for the calls that all ranks make."""
    comm.Split(UNDEFINED, 0)
    return []


@dataclass
class Use:
    """A script on the way, on one rank."""

    state: State
    setting: Setting
    communicators: Mapping[str, Comm]
    world: Ranks
    plans: dict[int, tuple[Any, Comm]] = field(default_factory=dict)
    results: list[Any] = field(default_factory=list)
    last: dict[int, Any] = field(default_factory=dict)
    """The last result of each plan."""
    kept: dict[int, Kept] = field(default_factory=dict)
    """All that the caller has, by the id of its memory."""
    reused: Any = None
    remains: Remains | None = None

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.world.current)
        uses = Counter(step.plan for step in self.setting.script if isinstance(step, Do))
        if self.world.space is not None and max(uses.values(), default=0) > 1:
            self.remains = Remains(self.state, self.world)

    def step(self, step: usage.Step) -> None:
        """Do a step."""
        match step:
            case Make():
                self.plans[step.plan] = self._made(self.communicators[step.where])
            case Do():
                self._transformed(step)
            case Free(plan):
                handle, comm = self.plans.pop(plan)
                with self._on_its_own(comm, "free"):
                    method(self.state, handle, "free")
                if self.remains:
                    self.remains.freed(handle)

    def end(self) -> None:
        """Look at all that the caller has for the last time."""
        for kept in self.kept.values():
            self._unchanged(kept)

    def _made(self, comm: Comm) -> tuple[Any, Comm]:
        with self._during("plan"):
            plan = called(self.state, "plan", comm)
        if comm.talked is not None:
            borrow(self.world, comm.talked)
        if _comm_of(self.state, plan) is not comm:
            self.world.breaches.setdefault("plan.comm is not the communicator given to plan")
        if self.remains:
            self.remains.planned(plan)
        return plan, comm

    def _transformed(self, step: Do) -> None:
        plan, comm = self.plans[step.plan]
        d, rank = self.setting.declaration, comm.rank
        step = _on_rank(step, rank)
        before, after = d.part("input", rank), d.part(_side(step), rank)
        vector = self.setting.data[step.vector][rank]
        x = self._given(vector, step)
        in_rows = step.in_rows or step.form in (usage.RESULT, *forms.READ_ONLY, usage.OWN_READ_ONLY)
        part = with_axes(x, before, step.turn or (0 if in_rows else len(self.results)))
        if step.form in forms.OWN:
            part = forms.owning(part)
            memory(part).flags.writeable = step.form == usage.AS_IT_IS
        out = self._out(x, step, after)
        self._keep(Kept(part, vector, step.plan))
        other = self._other(part, step, comm)
        with self._on_its_own(comm, TRANSFORM):
            y = self._called(part, other, plan, out, step)
        for each in self.kept.values():  # of this plan: what is changed twice may be as it was
            if each.plan == step.plan and each.array is not out:
                self._unchanged(each)
        if out is None:
            self._new(y, part, after, step)
        elif y is None:
            self.world.breaches.setdefault(forms.RETURNS_NONE.format(step.operation))
            y = out
        elif y is not out:
            raise Wrong(self.setting.name, forms.OTHERWISE[step.operation])
        if (part.shape, y.shape) != (before, after):
            words = f"{step.operation} changes the shape of an array of the caller"
            raise Wrong(self.setting.name, words)
        if not memory(y).flags.writeable:
            raise Wrong(self.setting.name, f"{step.operation} returns a read-only array")
        self.results.append(forms.of_memory(y, memory(y).copy()))
        self.last[step.plan] = y
        self._overwritten(part, y, step.plan)
        if self.remains:
            self.remains.transformed(plan, self.kept, step.operation)
            self.world.spoil_windows(len(self.results), self.setting.declaration.P)

    def _other(self, part: Any, step: Do, comm: Comm) -> Any:
        """Return the second vector of a convolution, None where there is none."""
        if step.other is None:
            return None
        if step.other == step.vector:
            shared = step.other_form == usage.SHARED
            return forms.of_memory(part, memory(part)[...]) if shared else part
        vector = self.setting.data[step.other][comm.rank]
        other = forms.shaped(vector, step.other_form)
        if step.other_form in forms.OWN:
            other = forms.owning(other)
            memory(other).flags.writeable = step.other_form == usage.AS_IT_IS
        self._keep(Kept(other, vector, step.plan))
        return other

    def _called(self, x: Any, other: Any, plan: Any, out: Any, step: Do) -> Any:
        named = {} if out is None else {"out": out}
        given = (x, plan) if other is None else (x, other, plan)
        if out is None or step.named:
            return called(self.state, step.operation, *given, **named)
        return called(self.state, step.operation, *given, out)

    def _given(self, x: Any, step: Do) -> Any:
        """Return an input in the form of a step, as a vector."""
        if step.form not in (usage.REUSED, usage.RESULT):
            return forms.shaped(x, step.form)
        if step.form == usage.RESULT:
            last = self.last[step.plan]
            fits = (last.size, last.dtype) == (x.size, x.dtype)
            return self._again(last, x) if fits else forms.owning(x)
        self.reused = on_line(x) if self.reused is None else self.reused
        return self._again(self.reused, x)

    def _out(self, x: Any, step: Do, axes: tuple[int, ...]) -> Any:
        """Return what a step gives as `out`, None where it gives nothing."""
        if step.into == usage.NO_OUT:
            return None
        x = forms.blank(x, prod(axes), self.setting.declaration.dtype_of(_side(step)))
        if step.into == usage.SAME_OUT:
            out = self.last[step.plan]
            self._again(out, x)
        elif step.into == usage.PAST_OUT:
            out = with_axes(forms.past_line(x), axes)
        elif step.into == usage.OWN_OUT:
            out = forms.owning(with_axes(x, axes))
        else:
            out = with_axes(on_line(x), axes)
        forms.unwrite(out, self.rng)
        return out

    def _again(self, array: Any, x: Any) -> Any:
        """Return an array that the caller has had from the program, or given to it, with these
        elements in it, as a vector.
        """
        if (known := self.kept.get(id(owner(memory(array))))) is not None:
            self._unchanged(known)
        items = memory(array)
        items[...] = memory(x).reshape(items.shape)
        if known is not None:
            self._keep(Kept(known.array, x, known.plan, known.is_result))
        if not items.flags.carray:
            items = items.copy()
        return forms.of_memory(array, items.reshape(-1))

    def _overwritten(self, part: Any, y: Any, plan: int) -> None:
        """Overwrite a result and its input, as a caller may, so that a program that keeps one of
        them for a later transform finds no numbers there, and moves no entries unseen.
        """
        for array in (part, y):
            if memory(array).flags.writeable:
                forms.unwrite(array, self.rng)
                marks = forms.marks_of(array).tobytes()
                self._keep(Kept(array, None, plan, array is y, marks))

    def _keep(self, kept: Kept) -> None:
        self.kept[id(owner(memory(kept.array)))] = kept

    def _unchanged(self, kept: Kept) -> None:
        if kept.fault:
            raise Wrong(self.setting.name, kept.fault)

    def _new(self, y: Any, x: Any, axes: tuple[int, ...], step: Do) -> None:
        """Raise Wrong unless a result is an array of its own, beside all that the caller has."""
        name, returns = self.setting.name, f"{step.operation} returns"
        dtype = self.setting.declaration.dtype_of(_side(step))
        if type(y) is not type(x) or (y.shape, y.dtype) != (axes, dtype):
            found = _described(y)
            wanted = f"the {prod(axes)} elements of {dtype} of a rank"
            raise Wrong(name, f"{returns} {found}, not {wanted}")
        if overlap(y, x):
            words = f"{returns} an array in the memory of its input; it must return a new one"
            raise Wrong(name, words)
        if any(overlap(y, kept.array) for kept in self.kept.values()):
            raise Wrong(name, f"{returns} memory of another array; it must return a new one")

    @contextlib.contextmanager
    def _during(self, phase: str) -> Iterator[None]:
        """Note in the trace that this rank is in this phase of the program meanwhile."""
        log, rank = self.world.log, self.world.current
        log.begin(rank, phase)
        self.world.goes_on()
        yield
        log.begin(rank, "")

    @contextlib.contextmanager
    def _on_its_own(self, comm: Comm, phase: str) -> Iterator[None]:
        """Note in the trace that this rank is in this phase meanwhile, and where it enters a
        collective call of the communicator given to plan.
        """
        before = comm.met
        with self._during(phase):
            yield
        if comm.met != before and comm.entered is not None:
            borrow(self.world, comm.entered)


def _on_rank(step: Do, rank: int) -> Do:
    """Return what a step that ranks do in several ways is on this one."""
    if step.alone and rank:
        return replace(step, form=usage.AS_IT_IS, into=usage.NO_OUT)
    if not step.mixed:
        return step
    form, into = step.form if rank % 2 else usage.AS_IT_IS, usage.NO_OUT if rank else step.into
    other_form = step.other_form if rank % 2 else usage.AS_IT_IS
    return replace(step, form=form, into=into, other_form=other_form)


def _side(step: Do) -> str:
    """Return the side whose layout a result has: a convolution has that of the input."""
    return "output" if step.other is None else "input"


def _comm_of(state: State, plan: Any) -> Any:
    try:
        return attribute(state, plan, "comm")
    except Refuted:
        return None


def _described(value: Any) -> str:
    """Return what a program returned in words."""
    if isinstance(value, np.ndarray | np.generic | Data):
        return f"an array of shape {value.shape} of {value.dtype}"
    return type(value).__name__
