"""The ranks of an evaluation, on each of which the program is loaded; what they take is counted."""

from __future__ import annotations

import os
import time
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from codegen.kernels.widths import LANES
from proofs.certify.evaluation.data_libraries import library_of
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.exact.items import owner
from proofs.certify.exact.space import Space, spoil
from proofs.certify.language.limits import PIECE, STEP, Limits
from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.values.function_values import State
from proofs.certify.real.wall import memory
from proofs.certify.scripts.usage import TRANSFORM
from proofs.certify.world.communicator import Comm, World

SECONDS = 600
"""Processor time that an evaluation has."""
ALONE = 6
"""A rank may take the part 1/ALONE of it between two messages, or in a transform without any: a
program is transformed by more often than that.
"""
STEPS = 1 << 31
"""Steps that a run may take: with exact arrays most are bytes of results."""
PLAN = 32
"""A plan of a rank, and its module, may take the part 1/PLAN of them; what follows, 1/ALONE."""
OF_ANY, OF_ELEMENT = 1 << 22, 1 << 11
"""The most steps of a rank between two messages: OF_ANY, and OF_ELEMENT for each element of the
array.
"""
ENTRIES, TIMES = 1 << 22, 16
"""The most elements of one exact array: ENTRIES, or TIMES those of the array that is transformed.
"""
MEMORY = 1 << 35
"""Bytes of exact arrays that exist at a time."""
MODULE = "its module"
"""What a rank does while it loads the program."""
RESIDENT_FILE = Path("/proc/self/statm")


def resident() -> int:
    """Return how many bytes of this process are in memory; 0 where the system does not say."""
    try:
        pages = int(RESIDENT_FILE.read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


@dataclass
class Budget:
    """The processor time that is left to an evaluation, and the bytes that the process may have,
    with lists, strings and integers of the program.
    """

    seconds: float
    bytes: int = field(default_factory=partial(memory, MEMORY))
    elements: int = STEPS
    """Elements of the array that the program transforms, where they are known."""
    started: float = field(default_factory=time.process_time)

    def now(self) -> float:
        """Return the processor time that is used."""
        return time.process_time() - self.started

    def check(self) -> None:
        """Raise Undecided where one of them is used up."""
        if self.now() > self.seconds:
            raise Undecided(f"the program takes more than {self.seconds} s of processor time")
        if resident() > self.bytes:
            raise Undecided(f"the program takes more than {self.bytes} bytes of memory")


class Ranks(World):
    """The ranks of a run, with what each of them has loaded, and the exact arrays that it has made;
    `plans_change` where a transform has changed what a plan keeps, `module_changes` where the first
    one has changed what the module keeps. `flops` are those of transforms
    with functions of numpy, of all ranks. `breaches` has what breaks the contract without changing
    a result: calls of a communicator of the caller.

    Args:
        text: the program.
        nodes: the node of each rank.
        space: the data of the run; none for ordinary numbers.
        budget: the processor time that is left.
        lanes: those of the vectors of kernels.
    """

    def __init__(
        self,
        text: Text,
        nodes: Sequence[int],
        space: Space | None,
        budget: Budget,
        lanes: int = LANES,
    ) -> None:
        super().__init__(len(nodes), nodes, space, self._line)
        self.text, self.library, self.budget = text, library_of(space, lanes), budget
        self.limits, self.states = Limits(STEPS, MEMORY, self._look), dict[int, State]()
        self.arrays: list[dict[int, Any]] = [{} for _ in nodes]
        self.held, self.flops = 0, 0
        self.plans_change = self.module_changes = False
        self.breaches, self.done = dict[str, None](), Counter[int]()
        self.place, self.since, self.left = (0, 0), budget.now(), STEPS
        if space is not None:
            space.spend, space.note, space.work = self._spend, self._note, self._work
            space.most = min(space.most, max(ENTRIES, TIMES * budget.elements))

    def evaluate(self, body: Callable[[State, Comm], Any]) -> list[Any]:
        """Return what body(state, comm) returns on each rank, where state has the program."""

        def on_rank(comm: Comm) -> Any:
            if comm.rank == 0:
                self.budget.check()
            self.goes_on()
            self.log.begin(comm.rank, MODULE)
            state = self.states[comm.rank] = self.text.load(self.library, self.limits)
            self.log.begin(comm.rank, "")
            with np.errstate(all="ignore"):  # each rank has its own
                return body(state, comm)

        return self.run(on_rank)

    def alive(self, rank: int) -> list[Any]:
        """Return the memory of the exact arrays of a rank that exist."""
        found = [ref() for ref in list(self.arrays[rank].values())]
        return [each for each in found if each is not None]

    def spoil_windows(self, number: int, ranks: int) -> None:
        """Wait until so many ranks have done the transform of this number, and make what it has
        left in shared memory unwritten: before that, another rank may still load it.
        """
        space = self.space
        if space is None or "Allocate_shared" not in self.text.text:
            return
        self.done[number] += 1
        if self.done[number] == ranks:
            for data in (each.data for window in self.windows for each in window.segments):
                if data is not None:
                    spoil(owner(data.items), space)
        self.wait(self.call("the end of transform"), lambda: self.done[number] == ranks)

    def goes_on(self) -> None:
        """Note that a rank begins, or ends, a phase of the program."""
        self.since, self.left = self.budget.now(), self.limits.all_left

    def _look(self) -> None:
        """Raise Undecided where the budget is used up, or a rank goes on alone for too long."""
        self.budget.check()
        place = self.current, len(self.log.operations)
        if self.place != place:
            self.place = place
            self.goes_on()
        phase, most = self.log.phases[self.current] or MODULE, self.budget.seconds / ALONE
        part = STEPS // (ALONE if phase in (TRANSFORM, "free") else PLAN)
        steps = min(part, OF_ANY + OF_ELEMENT * self.budget.elements)
        words = more = ""
        if self.budget.now() - self.since > most:
            words = f"{most:g} s of processor time"
        elif self.left - self.limits.all_left > steps:
            words, more = f"{steps} steps", f"; {STEP}"
        if words:
            words = f"{phase} takes more than {words} on rank {self.current} without a message"
            raise Undecided(words + more, self._line(self.current) or None)

    def _line(self, rank: int) -> int:
        state = self.states.get(rank)
        return state.line if state is not None else 0

    def _spend(self, octets: int) -> None:
        self.limits.spend(1 + octets // PIECE)
        if octets > 1 << 16:
            self._look()

    def _work(self, flops: int) -> None:
        self.flops += flops * (self.log.phases[self.current] == TRANSFORM)

    def _note(self, items: Any) -> None:
        if not self.log.phases[self.current]:
            return  # an array of the caller's
        array, made = owner(items), self.arrays[self.current]
        key, octets = id(array), array.nbytes
        if key in made:
            return

        def gone(_: Any) -> None:
            made.pop(key, None)
            self.held -= octets

        made[key] = weakref.ref(array, gone)
        self.held += octets
        if self.held > MEMORY:
            raise Undecided(f"the arrays of the program take more than {MEMORY} bytes")
