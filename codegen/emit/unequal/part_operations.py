"""What the lines of a program with unequal parts do, and where each of them writes to.

operation = along | twiddle        a transform along an axis of the part, a product by a diagonal
          | compiled               the same by a compiled kernel, from messages or to messages;
                                   along several axes, of one plane after the other
          | pack | send | unpack   an exchange of axes; parts that are neighbours need no copy
          | take | mail | put      an exchange of elements by their indices

Every operation reads what the one before has written: x, one of two rooms in turn, or out, to which
the last one writes. A room holds a part of an array, or messages one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from codegen.program.ragged.part_steps import COMPLEX, AlongAxis

ALONG, TWIDDLE, PACK, SEND, UNPACK = "along", "twiddle", "pack", "send", "unpack"
TAKE, MAIL, PUT = "take", "mail", "put"
CHIRP, FILTER = "chirp", "filter"
ROOMS = "abc"
PLANNED, COMPILED, DIRECT = "planned", "compiled", "direct"
PLANE, PLANES = 2**16, 2**15
"""The most complex numbers of a plane that is transformed along one axis after the other, and of
several planes at a time.
"""


@dataclass(frozen=True)
class Operation:
    """What one line does, from the numbers of one layout to those of another, by their places."""

    kind: str
    step: Any
    before: int
    after: int
    table: str = ""
    room: str = ""
    """Where it writes: a room, or out."""
    comes: int = -1
    goes: int = -1
    """The layouts between whose messages a compiled transform is; -1 for no messages."""
    several: tuple[Operation, ...] = ()
    """The compiled transforms of one plane after the other; none for one of all of an array."""
    direct: str = ""
    """The exchange of whose messages a compiled transform writes that of a rank to itself where it
    comes to; "" for none.
    """

    @property
    def parts(self) -> tuple[Operation, ...]:
        """Each transform of planes, or this operation."""
        return self.several or (self,)

    @property
    def steps(self) -> list[Any]:
        return [each.step for each in self.parts]

    @property
    def outer(self) -> int:
        """How many axes are before those of a plane; 0 for no planes."""
        return min(step.axis for step in self.steps) if self.several else 0


SENT_BY_THEM = ((COMPILED, PACK), (COMPILED, SEND))


def joined(operations: Sequence[Operation]) -> list[Operation]:
    """Return operations of which compiled transforms read and write messages themselves."""
    found = list[Operation]()
    for each in operations:
        last = found[-1] if found else each
        if (last.kind, each.kind) in SENT_BY_THEM and each.step.whole == last.step.axis:
            packed = each.kind == PACK
            found[-1] = replace(last, goes=each.after, direct=last.direct if packed else each.table)
            found += [each] * (not packed)
        elif (last.kind, each.kind) == (UNPACK, COMPILED) and last.step.divided == each.step.axis:
            found[-1] = replace(each, comes=last.before)
        else:
            found.append(each)
    return found


def in_planes(operations: Sequence[Operation]) -> list[Operation]:
    """Return operations of which compiled transforms that follow each other are one, plane after
    plane of the axes that they transform, if such a plane fits a cache.
    """
    found = list[Operation]()
    for each in operations:
        last = found[-1] if found else None
        if last and last.kind == each.kind == COMPILED and fits(last.steps + each.steps):
            changed = {name: getattr(each, name) for name in ("after", "goes", "direct")}
            found[-1] = replace(last, several=last.parts + each.parts, **changed)
        else:
            found.append(each)
    return found


def fits(steps: Sequence[AlongAxis]) -> bool:
    """Return whether these steps have several planes of elements, each of which fits a cache."""
    return planes_of(steps) > 1 and plane_of(steps) <= PLANE


def planes_of(steps: Sequence[AlongAxis]) -> int:
    """Return how many indices the axes before those of these steps have on a rank, at most."""
    return prod(steps[0].before.local_shape(0)[: min(step.axis for step in steps)])


def plane_of(steps: Sequence[AlongAxis]) -> int:
    """Return the most numbers between these steps at one index of the axes before theirs."""
    outer = min(step.axis for step in steps)
    return max(prod(step.after.local_shape(0)[outer:]) for step in steps[:-1])


def at_a_time(steps: Sequence[AlongAxis]) -> int:
    """Return how many planes are transformed along one axis before those along the next."""
    return max(min(PLANES // plane_of(steps), planes_of(steps)), 1)


def is_in_place(operation: Operation) -> bool:
    """Return whether a compiled transform may write where it reads: an index at a time, no messages
    and complex numbers alone.
    """
    plain = operation.comes < 0 and operation.goes < 0 and not operation.several
    return operation.kind == COMPILED and plain and operation.step.kind == COMPLEX


def rooms_of(operations: Sequence[Operation]) -> list[str]:
    """Return where operations write to: the result at last, rooms before; where the one before does
    if they may be in place. What is still read or has been written there is in another room.
    """
    found = list[str]()
    for i, each in enumerate(operations):
        direct = i > 0 and bool(operations[i - 1].direct)
        used = found[-2 if direct else -1 :]
        free = next(room for room in ROOMS if room not in used)
        found.append(found[-1] if i > 0 and is_in_place(each) else free)
    last = len(found) - 1
    while last >= 0:
        found[last] = "out"
        if not is_in_place(operations[last]):
            break
        last -= 1
    return found


def color_of(step: Any) -> str:
    """Return what the ranks of an exchange have in common and others have not, as an expression of
    Python; "" of all ranks.
    """
    (p, stride), P = step.group, step.before.P
    if p == P:
        return ""
    if p * stride == P:
        return f"rank % {stride}"
    return f"rank // {p}" if stride == 1 else f"rank // {p * stride} * {stride} + rank % {stride}"


def changes(step: Any) -> bool:
    """Return whether numbers come to another layout, or real ones of complex ones, or back."""
    return step.makes_real is not None or step.after != step.before


def real_layouts(steps: Iterable[Any]) -> list[int]:
    """Return the numbers of the layouts of real numbers, [] where there are no others."""
    made = [step.makes_real for step in steps if changes(step)]
    known = [each for each in made if each is not None]
    states = [not known[0]] if known else []
    for each in made if known else ():
        states.append(states[-1] if each is None else each)
    return [i for i, is_real in enumerate(states) if is_real]
