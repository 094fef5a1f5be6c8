"""A program used on simulated ranks, in a worker's process, as a script of usage.py says."""

from __future__ import annotations

import contextlib
import gc
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from codegen.mpi.accidents import under
from codegen.mpi.memory.buffers import memory, overlap, poison
from codegen.mpi.ranks import Run
from codegen.mpi.simulate import NAMES, Comm, during, entered, run
from proofs.certify.arrays import pyfftw_stand_in
from proofs.certify.arrays.numpy_stand_in import Arrays
from proofs.certify.arrays.part_axes import of_vectors
from proofs.certify.declaration import CONVOLVE, Declaration
from proofs.certify.failures import Wrong, blaming
from proofs.certify.forbidden import BENEATH
from proofs.certify.kernels.compiled import Compiler, on_line
from proofs.certify.kernels.kept import in_run_of
from proofs.certify.sandbox.loading import Text
from proofs.certify.state.record import Record
from proofs.certify.workers import usage
from proofs.certify.workers.usage import ALONE, TRANSFORM, Around, Do, Free, Make, Script

Program = Mapping[str, Any]
LARGE = 2**16
"""From this N on the arrays of a run are many times the objects."""
FOREIGN_TAG = 77
"""The tag of messages that are the caller's."""
ALL_PEERS = 32
"""On so many ranks each has messages under way to all others."""


@dataclass(frozen=True)
class Setting:
    """What a run is done with, beside text and script.

    `arrays` stand for the arrays of data, `compiler` for numba; `name` is the statement that fails.
    """

    name: str
    arrays: Arrays | None = None
    compiler: Compiler | None = None
    around: Around = ALONE


def performed(
    text: Text, d: Declaration, data: Sequence[Any], script: Script, setting: Setting
) -> Run:
    """Follow a script on all ranks, where data[i][rank] is a rank's part of vector i.

    Raises Wrong, of the setting's statement or of messages, where the program fails.
    """
    if d.N >= LARGE:
        gc.collect()  # what the last run leaves in cycles is as large as its arrays
    apart = any(isinstance(step, Make) and step.where != usage.GIVEN for step in script)

    def body(comm: Comm) -> list[Any]:
        if apart and comm.rank == 0:
            comm.Split(NAMES["UNDEFINED"], 0)
            return []
        program = loaded(text, setting)
        return Use(program, d, data, setting, _communicators(comm, apart)).follow(script)

    with blaming(text, setting.name), under(setting.around.accident), in_run_of(d.N):
        done = run(d.P + apart, body, BENEATH)
    results = _by_rank(done.results[int(apart) :], script)
    return replace(done, results=results, trace=done.trace.in_numbers_of(d.dtype.itemsize))


def _by_rank(results: Sequence[list[Any]], script: Script) -> tuple[list[Any], ...]:
    """Return each rank's results, of a communicator whose ranks may be in another order."""
    where = {step.plan: step.where for step in script if isinstance(step, Make)}
    kept = {usage.GIVEN: len(results), usage.PART: 1, usage.REVERSED: 0}
    first = [kept[where[step.plan]] for step in script if isinstance(step, Do)]
    found = zip(first, zip(*results, strict=True), strict=True)
    columns = [(*parts[:k], *parts[k:][::-1]) for k, parts in found]
    return tuple(map(list, zip(*columns, strict=True)))


def loaded(text: Text, setting: Setting) -> Program:
    """Return a program's names, for one rank."""
    as_it_is = setting.arrays is None and pyfftw_stand_in.is_installed()
    return text.load(setting.arrays, setting.compiler, as_it_is)


def _communicators(comm: Comm, apart: bool) -> dict[str, Any]:
    """Return the communicators that plans are made on; what is made here is freed at the end.

    From one part to the other the ranks go round: what is kept of one is wrong on another rank.
    """
    if not apart:
        return {usage.GIVEN: comm}
    part = comm.Split(0, (1 - comm.rank) % (comm.size - 1))
    return {usage.PART: part, usage.REVERSED: part.Split(0, -comm.rank)}


@dataclass(frozen=True)
class Kept:
    """An array that the caller has, a result or an input, and what is in it."""

    array: Any
    digest: bytes
    is_result: bool

    def unchanged(self, name: str) -> None:
        """Raise Wrong, of this statement, where something else is in it now."""
        if _digest(self.array) == self.digest:
            return
        if self.is_result:
            raise Wrong(name, "an earlier result is written to later, when it is the caller's")
        raise Wrong(name, "transform changes its input, which is to be left as it was")


@dataclass
class Use:
    """A script on the way, on one rank."""

    program: Program
    declaration: Declaration
    data: Sequence[Any]
    setting: Setting
    communicators: dict[str, Any]
    plans: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    results: list[Any] = field(default_factory=list)
    last: dict[int, Any] = field(default_factory=dict)
    """The last result of each plan."""
    kept: dict[int, Kept] = field(default_factory=dict)
    """All that the caller has, by its id."""
    reused: Any = None
    record: Record | None = None
    """The program's holdings after each step, where a plan transforms elements repeatedly."""

    def follow(self, script: Script) -> list[Any]:
        """Return the results of the transforms."""
        name, state = self.setting.name, np.geterr()
        given = next(iter(self.communicators.values()))
        uses = Counter(step.plan for step in script if isinstance(step, Do))
        if self.setting.arrays is not None and max(uses.values(), default=0) > 1:
            self.record = Record(self.program)
        with messages_of_the_caller(given, self.declaration, self.setting.around):
            for step in script:
                self._step(step)
        if np.geterr() != state:
            raise Wrong(
                name, f"numpy's handling of errors is {np.geterr()} afterwards, not {state}"
            )
        for kept in self.kept.values():
            kept.unchanged(name)
        for where, comm in reversed(self.communicators.items()):
            if where != usage.GIVEN:
                comm.Free()
        return self.results

    def _step(self, step: usage.Step) -> None:
        match step:
            case Make():
                self.plans[step.plan] = self._made(self.communicators[step.where])
            case Do():
                self._transformed(step)
            case Free(plan):
                handle, comm = self.plans.pop(plan)
                with on_its_own(comm, "free"):
                    handle.free()
                if self.record:
                    self.record.freed(handle)

    def _made(self, comm: Any) -> tuple[Any, Any]:
        during(comm, "plan")
        plan = self.program["plan"](comm)
        if getattr(plan, "comm", None) is not comm:
            raise Wrong("contract", "plan.comm is not the communicator that plan was given")
        if self.record:
            self.record.planned(plan)
        return plan, comm

    def _transformed(self, step: Do) -> None:
        plan, comm = self.plans[step.plan]
        x, held = self._given(self.data[step.vector][comm.rank], step)
        out = self._out(x, step)
        self._keep(held, False)
        if step.other is not None:
            self._keep(self.data[step.other][comm.rank], False)
        if self.record:
            self.record.transforms(plan)
        with on_its_own(comm, TRANSFORM):
            y = self._called(x, plan, out, step)
        if self.record:
            self.record.transformed(plan)
        self.kept[id(held)].unchanged(self.setting.name)
        if out is None:
            self._new(y, held)
        elif y is not out:
            raise Wrong(self.setting.name, "transform(x, plan, out=y) does not return y")
        if not y.flags.writeable:
            raise Wrong(self.setting.name, "transform returns an array that nobody may write to")
        self._keep(y, True)
        self.results.append(y)
        self.last[step.plan] = y if memory(y).flags.carray else y.copy()

    def _called(self, x: Any, plan: Any, out: Any, step: Do) -> Any:
        if step.other is not None:
            more = {} if out is None else {"out": out}
            return self.program[CONVOLVE](x, self.data[step.other][plan.comm.rank], plan, **more)
        transform = of_vectors(self.program["transform"], self.declaration, len(self.results))
        if out is None:
            return transform(x, plan)
        return transform(x, plan, out=out) if step.named else transform(x, plan, out)

    def _given(self, x: Any, step: Do) -> tuple[Any, Any]:
        """Return an input in the form of a step, and the whole array that it lies in."""
        if step.form not in (usage.REUSED, usage.RESULT):
            return shaped(x, step.form)
        self.reused = on_line(x) if self.reused is None else self.reused
        held = self._again(self.reused if step.form == usage.REUSED else self.last[step.plan], x)
        return held, held

    def _out(self, x: Any, step: Do) -> Any:
        """Return what a step gives as `out`, None where it gives nothing."""
        if step.into == usage.NO_OUT:
            return None
        out = self._again(self.last[step.plan], x) if step.into == usage.SAME_OUT else on_line(x)
        poison(out)
        return out

    def _again(self, array: Any, x: Any) -> Any:
        """Return an array that the caller has had from the program, or given to it, with these
        elements in it; as a result it is copied before.
        """
        if id(array) in self.kept:
            self.kept[id(array)].unchanged(self.setting.name)
        self.results = [y.copy() if y is array else y for y in self.results]
        array[...] = x
        return array

    def _keep(self, array: Any, is_result: bool) -> None:
        self.kept[id(array)] = Kept(array, _digest(array), is_result)

    def _new(self, y: Any, held: Any) -> None:
        """Raise Wrong unless a result is an array of its own, beside all that the caller has."""
        x, name, M = self.data[0][0], self.setting.name, self.declaration.M
        if overlap(y, held):
            raise Wrong(
                name,
                "transform returns an array in the memory of its input: the result is a new array",
            )
        if type(y) is not type(x) or (y.size, y.ndim, y.dtype) != (M, 1, x.dtype):
            raise Wrong(
                name,
                f"transform returns {_described(y)}, not the {M} elements of {x.dtype} of a rank",
            )
        if any(overlap(y, kept.array) for kept in self.kept.values()):
            raise Wrong(
                name,
                "transform returns an array that is also another one's: the result is a new array",
            )


def _digest(array: Any) -> bytes:
    return hashlib.sha256(
        np.ascontiguousarray(memory(array)).reshape(-1).view(np.uint8).data
    ).digest()


def shaped(x: Any, form: str) -> tuple[Any, Any]:
    """Return the elements as they lie in this form of memory, and the array that they lie in."""
    if form == usage.AS_IT_IS:
        return x, x
    step = -1 if form in (usage.BACKWARDS, usage.BACKWARDS_GAPS) else 1
    if form in (usage.GAPS, usage.GAPS_READ_ONLY, usage.BACKWARDS_GAPS):
        held = np.concatenate([x, x])
        if held.dtype != x.dtype:  # numpy gives numbers of the other byte order in its own
            held = held.astype(x.dtype)
        step *= 2
    else:
        held = x.copy()
    first = len(held) - 1 if step < 0 else 0
    held[first::step][...] = x
    if form in (usage.READ_ONLY, usage.GAPS_READ_ONLY):
        memory(held).flags.writeable = False
    return held[first::step], held


@contextlib.contextmanager
def on_its_own(comm: Comm, phase: str) -> Iterator[None]:
    """Note in the trace that this rank is in this phase meanwhile; raise Wrong where it enters a
    collective call of the communicator that plan was given, which the caller may have freed.
    """
    before = entered(comm)
    during(comm, phase)
    yield
    during(comm, "plan")
    if entered(comm) != before:
        raise Wrong(
            "contract",
            f"{phase} makes a collective call on the communicator that plan was given, not on one"
            " of the plan's own",
        )


@contextlib.contextmanager
def messages_of_the_caller(comm: Any, d: Declaration, around: Around) -> Iterator[None]:
    """Have messages under way on the caller's communicator meanwhile, and see that they arrive.

    Either sends that nobody has received yet, or a receive from any rank that nobody has sent to.
    """
    payload = np.full(d.M, FOREIGN_TAG, np.int16)
    found = np.zeros((d.P, d.M), np.int16)
    requests: list[Any] = []
    if around.sent:
        requests = [
            comm.Isend(payload, dest=peer, tag=FOREIGN_TAG) for peer in _peers(comm.rank, d.P)
        ]
    if around.awaited:
        requests = [comm.Irecv(found[0], source=NAMES["ANY_SOURCE"], tag=NAMES["ANY_TAG"])]
    yield
    if around.sent:
        for peer in sorted(_peers_to(comm.rank, d.P)):
            comm.Recv(found[peer], source=peer, tag=FOREIGN_TAG)
            if not np.array_equal(found[peer], payload):
                raise Wrong("messages", f"the program alters a message of its caller from {peer}")
    if around.awaited:
        requests.append(comm.Isend(payload, dest=(comm.rank + 1) % d.P, tag=FOREIGN_TAG))
    for request in requests:
        request.Wait()
    if around.awaited and not np.array_equal(found[0], payload):
        raise Wrong("messages", "the program takes a receive of its caller's for its own messages")


def _peers(rank: int, P: int) -> set[int]:
    """Return the ranks that a rank has messages under way to."""
    return set(range(P)) if P <= ALL_PEERS else {(rank + step) % P for step in (1, 2, P // 2)}


def _peers_to(rank: int, P: int) -> set[int]:
    """Return the ranks that have messages under way to this one."""
    return set(range(P)) if P <= ALL_PEERS else {(rank - step) % P for step in (1, 2, P // 2)}


def _described(value: Any) -> str:
    """Return what a program returned, which may be anything, in words."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    return type(value).__name__ if dtype is None else f"an array of shape {shape} of {dtype}"
