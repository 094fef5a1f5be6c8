"""Which form of a transform is fastest here: candidates are emitted and timed on this machine, one
choice after the other.

First how a rank does its phases (kernels and form), then the sizes of the phases, then how messages
travel: each with the best of what was chosen before, and with what is stated kept. The contestants
of a choice take turns, and the least of their times counts, so that another load disturbs all
alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from codegen.cost.counted import count
from codegen.emit.text import wants
from codegen.options import BUTTERFLY_KERNELS, Options, command, kernels_of
from codegen.program.lower import build, exchanges, with_kernels
from codegen.program.supersteps import Program
from derive.papers.bsp_variants import BALANCED, LEFTMOST, LIBRARY, LOCALS, PAIRED, chosen_phases
from nodewright.predicted import repeats_for, seconds_of

ROUNDS = 3
"""So often the contestants take turns."""
SYSTEM = "fft"
Timer = Callable[[Program, Options, int], float]
"""(program, options, repeats) -> least seconds of a transform."""


@dataclass(frozen=True)
class Candidate:
    """What can be chosen of a program."""

    kernels: str = "numpy"
    local: str = LIBRARY
    phases: str = ""
    exchange: str = "alltoall"


@dataclass(frozen=True)
class Task:
    """What is to be computed, and how data lies; `start` is what is not tuned away from where
    nothing is faster, `stated` what is not tuned.
    """

    N: int
    P: int
    input: str
    output: str
    options: Options
    start: Candidate = field(default_factory=Candidate)
    stated: frozenset[str] = frozenset()

    def choices(self, name: str, known: Iterable[str]) -> tuple[str, ...]:
        """Return what there is to choose from: the one value that is stated, or all that are
        known.
        """
        return (getattr(self.start, name),) if name in self.stated else tuple(known)

    def program(self, candidate: Candidate) -> Program:
        """Return the supersteps of a candidate."""
        return build(
            SYSTEM,
            self.N,
            self.P,
            self.input,
            self.output,
            candidate.exchange,
            phases=candidate.phases,
            local=candidate.local,
        )

    def emitted(self, candidate: Candidate) -> Program:
        """Return the supersteps as they are emitted."""
        return with_kernels(self.program(candidate), candidate.kernels, candidate.exchange)

    def chosen(self, candidate: Candidate) -> Options:
        """Return the options with what a candidate chooses."""
        return replace(self.options, kernels=candidate.kernels, exchange=candidate.exchange)


@dataclass
class Trial:
    """A candidate with its least time, or with why it does not run here."""

    candidate: Candidate
    command: str
    form: str = ""
    exchanges: int = 0
    words: int = 0
    flops: int = 0
    seconds: float | None = None
    refused: str = ""


def tune(
    task: Task, tell: Callable[[float], None] = lambda done: None, timer: Timer = seconds_of
) -> tuple[Candidate, list[Trial]]:
    """Return the fastest candidate, the first of equals, and all that was tried.

    Raises RuntimeError where none runs, ValueError where none can be emitted.
    """
    tried: dict[Candidate, Trial] = {}
    best = task.start
    choices = (_locals, _phases, _exchanges)
    for i, choice in enumerate(choices):
        new = [candidate for candidate in choice(task, best) if candidate not in tried]
        tried |= _timed(task, new, timer, partial(_tell_part, tell, i, len(choices)))
        running = [trial for trial in tried.values() if trial.seconds is not None]
        if not running:
            kind = RuntimeError if any(trial.command for trial in tried.values()) else ValueError
            raise kind(
                "no candidate runs:"
                f" {'; '.join(dict.fromkeys(trial.refused for trial in tried.values()))}"
            )
        best = min(running, key=lambda trial: trial.seconds or 0.0).candidate
    return best, list(tried.values())


def _tell_part(tell: Callable[[float], None], i: int, parts: int, done: float) -> None:
    tell((i + done) / parts)


def _locals(task: Task, best: Candidate) -> Iterator[Candidate]:
    yield best
    for local in task.choices("local", LOCALS):
        for kernels in task.choices("kernels", kernels_of(SYSTEM)):
            if local == LIBRARY or kernels in BUTTERFLY_KERNELS:
                yield replace(best, kernels=kernels, local=local)


def _phases(task: Task, best: Candidate) -> Iterator[Candidate]:
    """Yield the candidates with other phases, those that are really others."""
    known = {chosen_phases(task.N, task.P, best.phases, best.local)}
    for name in task.choices("phases", (LEFTMOST, PAIRED, BALANCED)):
        sizes = chosen_phases(task.N, task.P, name)
        if sizes not in known:
            known.add(sizes)
            yield replace(best, phases=",".join(map(str, sizes)))


def _exchanges(task: Task, best: Candidate) -> Iterable[Candidate]:
    return (
        (
            replace(best, exchange=exchange)
            for exchange in task.choices("exchange", exchanges(SYSTEM))
        )
        if task.P > 1
        else ()
    )


def _timed(
    task: Task, candidates: Sequence[Candidate], timer: Timer, tell: Callable[[float], None]
) -> dict[Candidate, Trial]:
    """Return the trials of candidates that take turns; one that fails is not timed again."""
    trials = {}
    for candidate in candidates:
        trials[candidate] = Trial(candidate, "")
        try:
            wants(task.program(candidate), candidate.kernels)
            program = task.emitted(candidate)
            cost = count(program)
            words = command(task.program(candidate), task.chosen(candidate))
            trials[candidate] = Trial(
                candidate, words, program.equation.name, cost.exchanges, cost.words, cost.flops
            )
        except ValueError as error:
            trials[candidate].refused = str(error)
    turns = [trial for _ in range(ROUNDS) for trial in trials.values()]
    for i, trial in enumerate(turns):
        tell(i / len(turns))
        if not trial.refused:
            _time(task, trial, timer)
    return trials


def _time(task: Task, trial: Trial, timer: Timer) -> None:
    try:
        seconds = timer(
            task.program(trial.candidate), task.chosen(trial.candidate), repeats_for(task.N, task.P)
        )
    except (ValueError, RuntimeError, TimeoutError) as error:
        trial.refused, trial.seconds = (
            " ".join(str(error).split())[-300:] or type(error).__name__,
            None,
        )
    else:
        trial.seconds = min(seconds, trial.seconds or seconds)


def record(task: Task, best: Candidate, tried: Sequence[Trial], machine: str) -> dict[str, Any]:
    """Return the table of what was tried, fastest first, as JSON has it."""
    winner, default = next(trial for trial in tried if trial.candidate == best), tried[0]
    ordered = sorted(tried, key=lambda trial: (trial.seconds is None, trial.seconds or 0.0))
    return {
        "system": SYSTEM,
        "N": task.N,
        "P": task.P,
        "input": task.input,
        "output": task.output,
        "machine": machine,
        "repeats": repeats_for(task.N, task.P),
        "rounds": ROUNDS,
        "stated": sorted(task.stated),
        "chosen": winner.command,
        "seconds": winner.seconds,
        "default": default.command,
        "default_seconds": default.seconds,
        "tried": [
            {
                **asdict(trial.candidate),
                **{name: value for name, value in asdict(trial).items() if name != "candidate"},
            }
            for trial in ordered
        ],
    }


def said(table: dict[str, Any]) -> str:
    """Return what a table says of the winner: its command, its time, and what it gains over the
    default for what is stated.

    >>> said({"chosen": "nodewright generate fft ..", "seconds": 0.002, "default": "nodewright generate fft", "default_seconds": 0.005})
    'nodewright generate fft ..: 2 ms, 2.50 times as fast as the default with 5 ms'
    """  # noqa: E501
    seconds, default = table["seconds"], table["default_seconds"]
    if table["chosen"] == table["default"]:
        gain = "the default, and nothing that was tried is faster"
    elif default is None:
        gain = "and the default does not run"
    else:
        gain = f"{default / seconds:.2f} times as fast as the default with {1e3 * default:.3g} ms"
    return f"{table['chosen']}: {1e3 * seconds:.3g} ms, {gain}"


def table_path(program: Path) -> Path:
    """Return where the table of what was tried lies: beside the program.

    >>> print(table_path(Path("fft.py")))
    fft.py.tune.json
    """
    return program.with_name(program.name + ".tune.json")
