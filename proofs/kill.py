"""The kill table: what becomes of every mutant of emitted programs, and why those that live are right programs.

    fate = no program | not modelled | too slow | layout | messages | function | contract | cost | rounding | bytes      refused
         | dead | same | argued                                                                                        equivalent
         | gap                                                                                                         not covered

`dead` is what is never run at this N and P, `same` is decided by exhaustion (proofs/behaviour.py). `argued` and `gap` are reviewed patterns
with their reasons; what no pattern knows is `unexplained`, and there is none.
"""

from __future__ import annotations

import contextlib
import re
import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from typing import Any, NoReturn

from codegen.emit import Options, emit
from codegen.lower import build
from codegen.mpi.buffers import NotModelled
from derive import bmmc, fourier
from derive.bits import Affine
from derive.formula import Bmmc
from derive.verdict import holds
from proofs.behaviour import Behaviour, behaviour
from proofs.mutants import Mutant, blocks
from proofs.sandbox import Text
from proofs.trial import tried

REFUSED = ("no program", "not modelled", "too slow", "layout", "messages", "function", "contract", "cost", "rounding", "bytes")
EQUIVALENT = ("dead", "same", "argued")
SECONDS = 10
"""Processor time of a mutant. A right program takes less than one."""
MEMORY = 8 * 2**30


@dataclass(frozen=True)
class Case:
    """A program whose mutants are made."""

    system: str
    name: str
    text: str


def _fft(N: int, P: int, input: str = "block", output: str = "block", exchange: str = "alltoall", **options: Any) -> Case:
    name = ", ".join([f"N = {N}", f"P = {P}", f"{input} to {output}", exchange, *options.values()])
    return Case("fft", name, emit(build("fft", N, P, input, output, exchange), Options(exchange=exchange, **options)))


def _permute(address: Affine, P: int, input: str = "block", output: str = "block", exchange: str = "alltoall", dtype: str = "float64") -> Case:
    name = ", ".join([f"N = {1 << address.bits}", f"P = {P}", f"A = {address.columns}, c = {address.c}", f"{input} to {output}", exchange, dtype])
    program = build("permute", 1 << address.bits, P, input, output, exchange, Bmmc(address, "A"))
    return Case("permute", name, emit(program, Options(exchange=exchange, dtype=dtype)))


RANDOM = Affine((15, 16, 24, 30, 2), 5, 21)
"""A nonsingular matrix without structure, and a complement."""
CASES: dict[str, Callable[[], tuple[Case, ...]]] = {
    "fft": lambda: (
        _fft(16, 4),
        _fft(16, 2, "cyclic", "cyclic", direction="backward"),
        _fft(16, 4, "cyclic", "f:1", "pairwise", norm="ortho"),
        _fft(16, 8, "bit-reversed", "group-cyclic:2", "nonblocking"),
        _fft(8, 2, "block", "cyclic", "replace", dtype="complex64"),
    ),
    "permute": lambda: (
        _permute(bmmc.named("bit-reversal", 5), 4),
        _permute(RANDOM, 4, exchange="pairwise"),
        _permute(RANDOM, 8, "cyclic", "block", "nonblocking", "i4,f8"),
        _permute(RANDOM, 2, "block", "bit-reversed", "replace", "S3"),
    ),
}
"""The programs of each system."""
EQUATIONS = {
    "fft, two phases": fourier.group_cyclic(32, 4),
    "fft, four phases": fourier.group_cyclic(16, 8),
    "permute": bmmc.equation(bmmc.factor(RANDOM, 2)),
}
"""The factorizations of each system."""


@dataclass(frozen=True)
class Reviewed:
    """Why mutants survive whose line and change match this pattern: `gap` where they are wrong in what no verdict is about, else they are right."""

    pattern: str
    reason: str
    gap: bool = False


REVIEWED = (
    Reviewed(
        r"in  quarter = ",
        "w^e = i^k exp(SIGN i (2π e/order - k π/2)) for every integer k: another number of quarter turns changes the last bits of a table at most, "
        "and `function` (4 ulp) and `rounding` hold those",
    ),
    Reviewed(
        r"in  self\.whole = ",
        "a communicator of all ranks is split off, and freed, where comm itself would do: no message more, and the same order of ranks",
    ),
    Reviewed(r"argument: np\.multiply\((\w+|self\.\w+), (\w+|self\.\w+), out=(\w+)\)  ->  np\.multiply\(\2, \1, out=\3\)", "a product commutes"),
    Reviewed(r"statements swapped: requests\.append\(self\.comm\.I", "of two calls that do not block, either may come first"),
    Reviewed(r"loop: .*peers.* -> .*\[::-1\]", "all ranks take the same rounds in the opposite order: messages of different rounds do not meet"),
    Reviewed(
        r"excepthook|return Plan\(comm\)",
        "the exception hook is not set, or later: that plan sets one at all is no part of the contract, only what it does",
        gap=True,
    ),
)
"""What lives beyond `same` and `dead`, reviewed."""


class TimeUp(BaseException):
    """A mutant has used up its processor time."""


def fate(case: Case, text: str) -> str:
    """Return what becomes of a changed text; `unexplained` here is what only a review can explain.

    Raises nothing that the text raises.
    """
    try:
        verdicts = tried("prog.py", text, 0).verdicts
    except ValueError:
        return "no program"
    except NotModelled:
        return "not modelled"
    except (TimeUp, MemoryError):
        return "too slow"
    wrong = [name for name, verdict in verdicts.items() if not holds(verdict)]
    return wrong[0] if wrong else "same" if _behaves(text) == _original(case) else "unexplained"


def _behaves(text: str) -> Behaviour | str:
    try:
        return behaviour(Text.compiled("prog.py", text))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@cache
def _original(case: Case) -> Behaviour | str:
    return _behaves(case.text)


def explained(mutant: Mutant, fate: str) -> str:
    """Return the fate of a mutant, after a review of what lives."""
    if fate != "unexplained":
        return fate
    found = review_of(mutant)
    return "unexplained" if found is None else "gap" if found.gap else "argued"


def review_of(mutant: Mutant) -> Reviewed | None:
    """Return the review that knows a mutant."""
    return next((reviewed for reviewed in REVIEWED if re.search(reviewed.pattern, str(mutant))), None)


@dataclass(frozen=True)
class Trials:
    """Where changed texts of a program are tried, in processes that are forked when all tables are made."""

    case: Case
    pool: ProcessPoolExecutor

    @classmethod
    @contextlib.contextmanager
    def of(cls, case: Case, workers: int = 2) -> Iterator[Trials]:
        """Yield a place for the trials of a program.

        Raises ValueError where the program itself is refused.
        """
        if fate(case, case.text) != "same":
            raise ValueError(f"{case.system}, {case.name}: {fate(case, case.text)}: mutants are made of what is certified")
        with ProcessPoolExecutor(workers, get_context("fork"), _bounded) as pool:
            yield cls(case, pool)

    def fates(self, texts: Sequence[str]) -> list[str]:
        """Return what becomes of these texts."""
        return list(self.pool.map(partial(_within, self.case), texts, chunksize=8))

    def dead(self) -> list[tuple[int, int]]:
        """Return from where to where the text is never run: a block is not if nothing changes where it fails instead."""
        found, looked_at = list[tuple[int, int]](), blocks(self.case.text)
        while looked_at:
            fates = self.fates([block.trapped(self.case.text) for block in looked_at])
            found += [block.place for block, fate in zip(looked_at, fates, strict=True) if fate == "same"]
            looked_at = tuple(inner for block, fate in zip(looked_at, fates, strict=True) if fate != "same" for inner in block.inner)
        return found

    def judged(self, among: Sequence[Mutant]) -> list[str]:
        """Return the fates of mutants of the program."""
        dead = self.dead()
        alive = [mutant for mutant in among if not any(start <= mutant.place[0] and mutant.place[1] <= stop for start, stop in dead)]
        fates = dict(zip(alive, self.fates([mutant.text for mutant in alive]), strict=True))
        return [explained(mutant, fates.get(mutant, "dead")) for mutant in among]


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _stop)


def _stop(*_: Any) -> NoReturn:
    raise TimeUp


def _within(case: Case, text: str) -> str:
    """Return the fate of a text, within bounds of processor time."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS, 1)
    try:
        return fate(case, text)
    except TimeUp:
        return "too slow"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
