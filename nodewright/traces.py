"""The trace of a program as text that network simulators read.

GOAL, which txt2bin of LogGOPSim reads      a graph for each rank: calc, send, recv, requires
SMPI, which the replay of SimGrid reads     a list for each rank: compute, irecv, isend, waitall

A rank computes, then all messages of an exchange are under way, and when they are done it computes
again. Collective calls are written as their messages.

Reference: Hoefler, Schneider & Lumsdaine, LogGOPSim (2010); Desprez, Markomanolis, Quinson & Suter,
Assessing the performance of MPI applications through time-independent trace replay (2011).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from codegen.whole_files import check_writable, write_text
from nodewright.api.certificate_calls import Unmodelled
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.program import NotItsOwn, read
from proofs.certify.traces.recorded import Exchange, Recorded, recorded

GOAL, SMPI = "goal", "smpi"


@dataclass(frozen=True)
class Message:
    """A message as one of its two ranks sees it: the other rank, bytes, and a tag that no other
    message between the two has.
    """

    peer: int
    size: int
    tag: int


@dataclass(frozen=True)
class Part:
    """What a rank does up to the end of an exchange: flops, then what it sends and receives."""

    flops: int
    sends: tuple[Message, ...]
    receives: tuple[Message, ...]


Schedule = tuple[tuple[Part, ...], ...]
"""The parts of each rank."""


def refuse_uncertified(program: Path) -> None:
    """Raise ValueError unless the certificate beside a program is its own and holds as written."""
    program.stat()
    try:
        certificate = read(program)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise ValueError(f"{program} has no certificate") from error
        why = (
            error.why if isinstance(error, NotItsOwn) else getattr(error, "strerror", None) or error
        )
        raise ValueError(f"{program} has no certificate that can be read: {why}") from error
    if not certificate.holds:
        raise ValueError(f"{program} has a certificate that does not hold")


def trace_of(program: Path) -> Recorded:
    """Return the messages of one transform of a program, as it is evaluated, with flops between.

    Raises ValueError where it fails, or sends what is not counted; OSError where it cannot
    be read.
    """
    try:
        return recorded(program)
    except NotModelled as error:
        raise Unmodelled(f"{program}: {error}") from error
    except Wrong as wrong:
        raise ValueError(f"{program}: {wrong.counterexample}") from wrong


def schedule_of(exchanges: Sequence[Exchange], size: int) -> Schedule:
    """Return what each rank does, in bytes; tags count the messages from one rank to another."""
    P, tags = len(exchanges[0].flops), Counter[tuple[int, int]]()
    parts: list[list[Part]] = [[] for _ in range(P)]
    for exchange in exchanges:
        sends: list[list[Message]] = [[] for _ in range(P)]
        receives: list[list[Message]] = [[] for _ in range(P)]
        for source, target, words in exchange.messages.tolist():
            tag = tags[source, target]
            tags[source, target] += 1
            sends[source].append(Message(target, words * size, tag))
            receives[target].append(Message(source, words * size, tag))
        for rank in range(P):
            done = Part(exchange.flops[rank], tuple(sends[rank]), tuple(receives[rank]))
            parts[rank].append(done)
    return tuple(map(tuple, parts))


def goal(schedule: Schedule, rate: float) -> str:
    r"""Return a schedule as GOAL, a flop taking 1/rate seconds; times are in nanoseconds.

    >>> one = (Part(8, (Message(1, 64, 0),), ()), Part(4, (), ()))
    >>> other = (Part(8, (), (Message(0, 64, 0),)), Part(4, (), ()))
    >>> print(goal((one, other), 1e9).split("\n\n")[1])
    rank 0 {
    l1: calc 8
    l2: send 64b to 1 tag 0
    l2 requires l1
    l3: calc 4
    l3 requires l2
    }
    """
    lines = [f"num_ranks {len(schedule)}"]
    for rank, parts in enumerate(schedule):
        lines += ["", f"rank {rank} {{", *_graph(parts, rate), "}"]
    return "\n".join(lines) + "\n"


def _graph(parts: tuple[Part, ...], rate: float) -> Iterator[str]:
    """Yield the operations of a rank in GOAL, each with those that it requires."""
    label, before = 0, list[int]()
    for part in parts:
        label += 1
        yield f"l{label}: calc {round(1e9 * part.flops / rate)}"
        yield from (f"l{label} requires l{done}" for done in before)
        computed, before = label, [label] * (not part.sends and not part.receives)
        for verb, way, messages in (("recv", "from", part.receives), ("send", "to", part.sends)):
            for message in messages:
                label += 1
                yield f"l{label}: {verb} {message.size}b {way} {message.peer} tag {message.tag}"
                yield f"l{label} requires l{computed}"
                before.append(label)


def smpi(parts: tuple[Part, ...], rank: int) -> str:
    """Return what a rank does as a time-independent trace: flops and bytes.

    >>> print(smpi((Part(8, (Message(1, 64, 0),), ()), Part(4, (), ())), 0), end="")
    0 init
    0 compute 8
    0 isend 1 0 64
    0 waitall
    0 compute 4
    0 finalize
    """
    lines = ["init"]
    for part in parts:
        lines += [f"compute {part.flops}"] * (part.flops > 0)
        lines += [f"irecv {one.peer} {one.tag} {one.size}" for one in part.receives]
        lines += [f"isend {one.peer} {one.tag} {one.size}" for one in part.sends]
        lines += ["waitall"] * bool(part.sends or part.receives)
    return "".join(f"{rank} {line}\n" for line in [*lines, "finalize"])


def rank_files(file: Path, P: int) -> list[Path]:
    """Return where the traces of the ranks go, beside the file that lists them.

    >>> [path.name for path in rank_files(Path("fft.txt"), 2)]
    ['fft.txt.0', 'fft.txt.1']
    """
    return [file.with_name(f"{file.name}.{rank}") for rank in range(P)]


def write(program: Path, file: Path, form: str, rate: float) -> dict[str, str | int]:
    """Write the trace of a program in a form, and return what is in it: ranks, and of all together
    messages, bytes and flops.

    Raises as `trace_of` does, OSError where it cannot be written.
    """
    trace = trace_of(program)
    schedule = schedule_of(trace.exchanges, trace.declaration.dtype.itemsize)
    if form == GOAL:
        write_text(file, goal(schedule, rate))
    else:
        write_smpi(schedule, file)
    parts = [part for parts in schedule for part in parts]
    return {
        "program": f"{program}",
        "file": f"{file}",
        "format": form,
        "ranks": len(schedule),
        "messages": sum(len(part.sends) for part in parts),
        "bytes": sum(message.size for part in parts for message in part.sends),
        "flops": sum(part.flops for part in parts),
    }


def write_smpi(schedule: Schedule, file: Path) -> None:
    """Write a file for each rank, and then the file that lists them.

    Raises OSError where one cannot be written, before any is.
    """
    files = rank_files(file, len(schedule))
    for path in (file, *files):
        check_writable(path)
    for rank, (path, parts) in enumerate(zip(files, schedule, strict=True)):
        write_text(path, smpi(parts, rank))
    write_text(file, "".join(f"{path}\n" for path in files))
