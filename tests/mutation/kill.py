"""The mutation score: what becomes of every mutant of emitted programs, and why those that live are
right programs.

    fate = no program | not modelled | too slow | layout | messages | function | contract | cost | rounding | bytes | main | ran   refused
         | same | argued                                                                                                     equivalent
         | open                                                                                                              certified, `contract` undecided
         | gap                                                                                                               not covered

`same` is decided by exhaustion (tests/mutation/behaviour.py). `argued` and `gap` are reviewed
patterns with their reasons; what no pattern knows is `unexplained`, and there is none. `open` are
mutants whose certificate holds and says that the refusal of invalid use is not decided, and which
differ there.
"""  # noqa: E501

from __future__ import annotations

import contextlib
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property, partial
from multiprocessing import get_context
from typing import Any, NoReturn

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from codegen.systems.record import Request
from derive.formula.grammar import Equation
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.papers import bsp
from derive.verdict import Refuted, holds
from proofs.certify.checks.suite import tried
from proofs.certify.declaration import COMPILED
from proofs.certify.failures import NotModelled
from proofs.certify.rounds.sections import SECTIONS, section_of
from proofs.certify.rows import all_hold
from tests.mutation.behaviour import Behaviour, behaviour
from tests.mutation.edits import KINDS
from tests.mutation.mutants import Mutant, mutants
from tests.support.programs import build

REFUSED = (
    "no program",
    "not modelled",
    "too slow",
    "layout",
    "messages",
    "function",
    "contract",
    "cost",
    "rounding",
    "bytes",
    "main",
    "ran",
)
EQUIVALENT = ("same", "argued")
OPEN, GAP, UNEXPLAINED = "open", "gap", "unexplained"
LIVES = (*EQUIVALENT, OPEN, GAP)
WORKERS = 2
SECONDS = 10
"""Processor time of a mutant. A right program takes less than one."""


@dataclass(frozen=True)
class Case:
    """A program whose mutants are made."""

    system: str
    name: str
    request: Request

    @cached_property
    def text(self) -> str:
        """The program, emitted when it is first asked for."""
        return emit(resolve(self.request))


def _case(asked: Request, which: str, *options: str) -> Case:
    words = [
        f"N = {'x'.join(map(str, asked.whole))}",
        f"P = {asked.P}",
        *filter(None, [which]),
        f"{asked.input} to {asked.output}",
        *options,
    ]
    return Case(asked.system, ", ".join(words), asked)


def _fft(
    N: int,
    P: int,
    input: str = "block",
    output: str = "block",
    exchange: str = "alltoall",
    phases: str = "",
    local: str = "",
    **options: Any,
) -> Case:
    chosen = {"phases": phases, "local": local}
    which = ", ".join(f"{words} {value}" for words, value in chosen.items() if value)
    asked = make_request("fft", N, P, input, output, exchange, **chosen, **options)
    return _case(asked, which, exchange, *options.values())


def _hypercube(
    N: int,
    P: int,
    scheme: str,
    input: str = "bit-reversed",
    output: str = "scrambled",
    **options: Any,
) -> Case:
    asked = make_request("hypercube-fft", N, P, input, output, scheme=scheme, **options)
    return _case(asked, f"Prog. {scheme}", *options.values())


def _fht(
    N: int,
    P: int,
    input: str = "block",
    output: str = "",
    exchange: str = "alltoall",
    algorithm: str = "hypercube",
    **options: Any,
) -> Case:
    options = {"dtype": "float64"} | options
    asked = make_request("fht", N, P, input, output, exchange, algorithm=algorithm, **options)
    return _case(asked, algorithm, exchange, *options.values())


def _permute(
    address: Affine,
    P: int,
    input: str = "block",
    output: str = "block",
    exchange: str = "alltoall",
    **options: Any,
) -> Case:
    N, options = 1 << address.bits, {"dtype": "float64"} | options
    asked = make_request("permute", N, P, input, output, exchange, Bmmc(address, "A"), **options)
    which = f"A = {address.columns}, c = {address.c}"
    return _case(asked, which, exchange, *options.values())


def _digits(system: str, size: str, P: int, batch: int | None = None, **options: Any) -> Case:
    asked = make_request(system, **stated(size, P, batch), **options)
    others = (value for name, value in options.items() if name not in ("input", "output"))
    return _case(asked, "", *others)


RANDOM = Affine((15, 16, 24, 30, 2), 5, 21)
"""A nonsingular matrix without structure, and a complement."""
CASES: dict[str, Callable[[], tuple[Case, ...]]] = {
    "fft": lambda: (
        _fft(16, 4),
        _fft(16, 2, "cyclic", "cyclic", direction="backward"),
        _fft(16, 4, "cyclic", "f:1", "pairwise", norm="ortho"),
        _fft(16, 8, "bit-reversed", "group-cyclic:2", "nonblocking"),
        _fft(8, 2, "block", "cyclic", "replace", dtype="complex64"),
        _fft(32, 4, "cyclic", "block", "overlapped"),
        _fft(16, 4, exchange="shared"),
        _fft(32, 4, "cyclic", "cyclic", phases="paired"),
        _fft(32, 4, "cyclic", "cyclic", local="butterflies"),
        _fft(64, 4, "cyclic", "cyclic", local="cache-friendly:2"),
        _fft(32, 2, "cyclic", "cyclic", kernels="pyfftw"),
        _fft(32, 2, "cyclic", "cyclic", kernels="numba"),
        _digits("fft", "12", 2, input="cyclic", output="cyclic"),
        _digits("fft", "45", 3, direction="backward"),
        _digits("fft", "12", 2, input="cyclic", output="cyclic", kernels="numba"),
        _digits("fft", "6x4", 2, input="cyclic", output="cyclic", norm="ortho"),
        _digits("fft", "4x6", 2, 2, input="block,whole", output="whole,block"),
    ),
    "rfft": lambda: (
        _digits("rfft", "16", 2, input="cyclic-pairs"),
        _digits("rfft", "24", 2, direction="backward"),
    ),
    "hypercube-fft": lambda: (
        _hypercube(16, 4, "2", output="block"),
        _hypercube(32, 4, "3", "scrambled", "block", direction="backward"),
        _hypercube(16, 2, "4", norm="ortho"),
        _hypercube(32, 4, "5"),
    ),
    "fht": lambda: (
        _fht(16, 4),
        _fht(32, 4, "cyclic", algorithm="group-cyclic"),
        _fht(32, 4, result="dft"),
        _fht(16, 2, "block", "cyclic", "pairwise", dtype="float32"),
        _digits("fht", "12", 2, 2, input="cyclic", output="cyclic"),
    ),
    "permute": lambda: (
        _permute(bmmc.named("bit-reversal", 5), 4),
        _permute(RANDOM, 4, exchange="pairwise"),
        _permute(RANDOM, 8, "cyclic", "block", "nonblocking", dtype="i4,f8"),
        _permute(RANDOM, 2, "block", "bit-reversed", "replace", dtype="S3"),
        _permute(bmmc.named("bit-reversal", 8), 2, kernels="numba"),
        _permute(bmmc.named("gray-code", 7), 4, "cyclic", "block", kernels="gray", dtype="float32"),
    ),
}
"""The programs of each system."""
EQUATIONS: dict[str, Callable[[], Equation]] = {
    "fft, two phases": lambda: bsp.group_cyclic(32, 4),
    "fft, four phases": lambda: bsp.group_cyclic(16, 8),
    "hypercube-fft, Prog. 2": lambda: (
        build("hypercube-fft", 16, 4, "bit-reversed", "block", scheme="2").equation
    ),
    "hypercube-fft, Prog. 3": lambda: (
        build("hypercube-fft", 16, 4, "bit-reversed", "scrambled", scheme="3").equation
    ),
    "fht": lambda: build("fht", 16, 4).equation,
    "permute": lambda: bmmc.equation(bmmc.factor(RANDOM, 2)),
}
"""The factorizations of each system."""


MEMORY_ALONE = "memory"
"""The fate of a mutant that differs in the bytes that its plans hold, and in nothing else."""


@dataclass(frozen=True)
class Reviewed:
    """Why mutants survive whose line and change match this pattern: `gap` where they are wrong in
    what no verdict is about, else they are right.
    """

    pattern: str
    reason: str
    gap: bool = False


REVIEWED = (
    Reviewed(
        r"in  quarter = ",
        "w^e = i^k exp(SIGN i (2π e/order - k π/2)) for every integer k: another number of quarter"
        " turns changes the last bits of a table at most, and `function` (4 ulp) and `rounding`"
        " hold those",
    ),
    Reviewed(
        r"argument: np\.(multiply|add)\((.+), (.+), out=(.+)\)  ->  np\.\1\(\3, \2, out=\4\)",
        "products and sums commute",
    ),
    Reviewed(
        r"statements swapped: requests\.append\((self\.)?comm\.I",
        "of two calls that do not block, either may come first",
    ),
    Reviewed(
        r"loop: .*peers.* -> .*\[::-1\]",
        "all ranks take the same rounds in the opposite order: messages of different rounds do not"
        " meet",
    ),
    Reviewed(
        r"loop: .*zip\(\*peers.* -> .*\[1:\]  in  for b, ",
        "in the first round a rank sends a part to itself: it has lain in its place before",
    ),
    Reviewed(
        r"operator: b \* size  ->  \(b\)  in  comm\.Sendrecv_replace\(",
        "in the last round a rank exchanges a part with itself, in place: any part does",
    ),
    Reviewed(
        r"in  part = |for part in \(1 - mine, mine\)",
        "the parts of an overlapped exchange may go in any order: each is sent when it is made, and"
        " all are waited for",
    ),
    Reviewed(
        r"entries: .*forward.*backward.* in  .*DIRECTION, NORM = ",
        "backward with norm forward is forward with norm backward: neither divides, and the Hartley"
        " matrix has one sign",
    ),
    Reviewed(
        r"in  PIECE = ",
        "tables are made in pieces of another length: numpy rounds a function of one element"
        " otherwise, in the last bit, which `rounding` holds",
    ),
    Reviewed(
        r"(entries|loop): \(True, False\)  ->  .* in  for first in \(True, False\)"
        r"|if first == \(rank == 0\): prepare\(\)  ->  pass",
        "a rank whose kernels are not compiled with its plan compiles them at its first transform",
    ),
    Reviewed(
        f"^{MEMORY_ALONE}$",
        "other bytes that a plan holds, and nothing else that can be seen: memory is no part of a"
        " certificate",
        gap=True,
    ),
)
"""What lives beyond `same`, reviewed."""


INVALID_USE = re.compile(
    r"comm\.size|for \{P\} ranks|held|flags\.carray|shares_memory|isinstance\(plan|must (not )?be"
    r"|must not share|name, array|np\.ascontiguousarray\(x\)|in j\[|\{wrong\}| = checked\("
)
"""Lines that refuse invalid use: communicators of other sizes, arguments of transform, indices."""
FAILED_PLAN = re.compile(r"argument: together\(self\.own, .* cannot make its plan")
"""Changes of what ranks do where one cannot make its plan, in which `behaviour` makes none fail:
`contract` is undecided, since a communicator stays open.
"""


def mutants_of(case: Case) -> list[Mutant]:
    """Return the mutants of a program, but for those within operations on lines or vectors: word
    for word the house's, or refused.
    """
    section = SECTIONS.get(section_of(case.text), "").encode()
    begin = case.text.encode().find(section)
    return [
        mutant
        for mutant in mutants(case.text)
        if mutant.place[1] <= begin or begin + len(section) <= mutant.place[0]
    ]


def sample(among: Sequence[Mutant], most: int) -> list[Mutant]:
    """Return `most` of these, or all, evenly spread over the text: the same ones each time.

    >>> sample("abcdefgh", 4)
    ['a', 'c', 'e', 'g']
    """
    return (
        [among[i * len(among) // most] for i in range(most)] if len(among) > most else list(among)
    )


def sample_of_kinds(among: Sequence[Mutant], most: int) -> list[Mutant]:
    """Return about so many mutants, or all: of each kind the same share, at least one, evenly
    spread over the text.
    """
    found: list[Mutant] = []
    for kind in KINDS:
        those = [mutant for mutant in among if mutant.kind == kind]
        found += sample(those, -(-len(those) * most // len(among)))
    return sorted(found, key=lambda mutant: (mutant.place, mutant.after))


class TimeUp(BaseException):
    """A mutant has used up its processor time."""


def fate(case: Case, text: str) -> str:
    """Return what becomes of a changed text; `unexplained` and `memory` are what only a review can
    explain.

    Compiled kernels are measured on real ranks. Raises nothing that the text raises.
    """
    try:
        on_real = case.request.P if case.request.kernels in COMPILED else None
        verdicts = tried("prog.py", text, 0, seconds=SECONDS, on_real=on_real).verdicts
    except ValueError:
        return "no program"
    except NotModelled:
        return "not modelled"
    except (TimeUp, MemoryError):
        return "too slow"
    if not all_hold(verdicts):
        wrong = [name for name, verdict in verdicts.items() if not holds(verdict)]
        return next((name for name in wrong if isinstance(verdicts[name], Refuted)), wrong[0])
    found = _compared(_behaves(text), _original(case))
    return found if found == "same" or all(map(holds, verdicts.values())) else OPEN


def _compared(found: Behaviour | str, original: Behaviour) -> str:
    """Return whether two programs are the same one, as far as it can be seen."""
    if found == original:
        return "same"
    if isinstance(found, str):
        return UNEXPLAINED
    return MEMORY_ALONE if found | {"memory": ()} == original | {"memory": ()} else UNEXPLAINED


def _behaves(text: str) -> Behaviour | str:
    try:
        return behaviour(text)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@cache
def _original(case: Case) -> Behaviour:
    return behaviour(case.text)


def explained(mutant: Mutant, fate: str) -> str:
    """Return the fate of a mutant, after a review of what lives."""
    if fate == "same":
        return OPEN if FAILED_PLAN.search(str(mutant)) else fate
    if fate == OPEN:
        return OPEN if INVALID_USE.search(str(mutant)) else UNEXPLAINED
    if fate not in (UNEXPLAINED, MEMORY_ALONE):
        return fate
    found = review_of(mutant, fate)
    return UNEXPLAINED if found is None else GAP if found.gap else "argued"


def review_of(mutant: Mutant, fate: str = UNEXPLAINED) -> Reviewed | None:
    """Return the review that knows a mutant, or its fate."""
    known = fate if fate == MEMORY_ALONE else str(mutant)
    return next((reviewed for reviewed in REVIEWED if re.search(reviewed.pattern, known)), None)


@dataclass(frozen=True)
class Trials:
    """Where changed texts of a program are tried, in processes that are forked when all tables are
    made.
    """

    case: Case
    pool: ProcessPoolExecutor

    @classmethod
    @contextlib.contextmanager
    def of(cls, case: Case, workers: int = WORKERS) -> Iterator[Trials]:
        """Yield a place for the trials of a program.

        Raises ValueError where the program itself is refused.
        """
        if fate(case, case.text) != "same":
            raise ValueError(
                f"{case.system}, {case.name}: {fate(case, case.text)}: mutants are made of what is"
                " certified"
            )
        with ProcessPoolExecutor(workers, get_context("fork"), _bounded) as pool:
            yield cls(case, pool)

    def fates(self, texts: Sequence[str]) -> list[str]:
        """Return what becomes of these texts."""
        return list(self.pool.map(partial(_within, self.case), texts, chunksize=8))

    def judged(self, among: Sequence[Mutant]) -> list[str]:
        """Return the fates of mutants of the program."""
        return [
            explained(mutant, fate)
            for mutant, fate in zip(
                among, self.fates([mutant.text for mutant in among]), strict=True
            )
        ]


def _bounded() -> None:
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
