"""The LogGOPS model: what an exchange takes if all ranks do the same at the same time.

A message of s bytes costs its sender o + (s - 1) O on the processor, and keeps its network card for
g + (s - 1) G. Its first byte arrives L after the o. Its receiver takes o + (s - 1) max(O, G). This
is the reading of the model that LogGOPSim simulates for every rank by itself; here one rank stands
for all, so that 4096 ranks are no more work than two. Where ranks differ, the one that has most to
do in an exchange stands for all.

Reference: Hoefler, Schneider & Lumsdaine, LogGOPSim: simulating large-scale applications in the
LogGOPS model (2010).
"""

from __future__ import annotations

import tomllib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from codegen.cost.counted import Superstep
from nodewright.machine import LEAST, MOST

TIMES = ("L", "o", "g", "G", "O")
"""The parameters in seconds."""


@dataclass(frozen=True)
class LogGOPS:
    """Latency L, overhead o and gap g of a message in seconds; gap G and overhead O of a byte in
    seconds; from S bytes on a sender waits for the receiver.
    """

    L: float
    o: float
    g: float
    G: float
    O: float
    S: int
    name: str = ""


def read_loggops(path: Path) -> LogGOPS:
    """Return the cluster that a TOML file states: L, o, g, G and O in seconds, S in bytes, and
    optionally a name.

    Raises ValueError for a value that is missing, wrong or unknown, OSError for a file that cannot
    be read.
    """
    values = {**dict.fromkeys((*TIMES, "S")), **tomllib.loads(path.read_text(encoding="utf-8"))}
    name = str(values.pop("name", path.stem))
    for key, value in values.items():
        known, zero = key in (*TIMES, "S"), value == 0 and key != "S"
        number = type(value) in (int, float) and (zero or LEAST <= value <= MOST)
        if not known or not number:
            raise ValueError(
                f"{path}: {key} = {value!r}: a cluster of the LogGOPS model states"
                f" {', '.join(TIMES)} (seconds, 0 or {LEAST:g} to {MOST:g}) and S (bytes)"
            )
    return LogGOPS(**{key: float(values[key]) for key in TIMES}, S=int(values["S"]), name=name)


@dataclass(frozen=True)
class Load:
    """What a rank does up to the end of an exchange: it computes for some seconds, then sends so
    many messages of so many bytes, and receives as many.
    """

    seconds: float
    messages: int
    size: int


def loads(steps: Iterable[Superstep], rate: float, itemsize: int) -> tuple[Load, ...]:
    """Return the loads of supersteps on ranks of a rate in flop/s.

    >>> loads((Superstep((80, 40), (1, 1), (4, 2)), Superstep((0, 0), (0, 0), (0, 0))), 10, 16)
    (Load(seconds=8.0, messages=1, size=64), Load(seconds=0.0, messages=0, size=0))
    """
    found = []
    for step in steps:
        count = max(step.messages)
        size = max(step.words) * itemsize // count if count else 0
        found.append(Load(max(step.flops) / rate, count, size))
    return tuple(found)


def finish(parts: Iterable[Load], net: LogGOPS) -> float:
    """Return when a rank is done with these loads, all ranks doing the same.

    >>> net = LogGOPS(L=10, o=1, g=5, G=2, O=0, S=100)
    >>> finish([Load(100, 1, 1)], net), finish([Load(0, 2, 1)], net), finish([Load(0, 1, 6)], net)
    (112.0, 17.0, 22.0)
    """
    cpu = out = into = 0.0
    for part in parts:
        cpu += part.seconds
        arriving: deque[float] = deque()
        left, more = part.messages, part.size - 1
        while left or arriving:
            send = max(cpu, out) if left else float("inf")
            receive = max(arriving[0], cpu, into) if arriving else float("inf")
            if send <= receive:
                left -= 1
                arriving.append(send + net.o + net.L)
                cpu, out = send + net.o + more * net.O, send + net.g + more * net.G
            else:
                arriving.popleft()
                cpu = receive + net.o + more * max(net.O, net.G)
                into = receive + net.g + more * net.G
    return cpu


def in_rounds(part: Load) -> tuple[Load, ...]:
    """Return an all-to-all of 2^k ranks as k rounds of one message each, of half of the data, as
    MPI libraries send short messages; anything else as it is.

    Reference: Bruck, Ho, Kipnis, Upfal & Weathersby (1997).

    >>> in_rounds(Load(5.0, 3, 8))
    (Load(seconds=5.0, messages=1, size=16), Load(seconds=0.0, messages=1, size=16))
    """
    ranks = part.messages + 1
    if part.messages < 2 or ranks & ranks - 1:
        return (part,)
    one = Load(0.0, 1, ranks // 2 * part.size)
    return (replace(one, seconds=part.seconds), *[one] * (ranks.bit_length() - 2))


def fastest(parts: Iterable[Load], net: LogGOPS) -> float:
    """Return when a rank is done where every all-to-all goes directly or in rounds, whichever is
    faster.

    >>> net = LogGOPS(L=10, o=1, g=5, G=0, O=0, S=100)
    >>> finish([Load(0, 1023, 1)], net), fastest([Load(0, 1023, 1)], net)
    (5122.0, 120.0)
    """
    ways = [min(((part,), in_rounds(part)), key=lambda way: finish(way, net)) for part in parts]
    return finish([load for way in ways for load in way], net)
