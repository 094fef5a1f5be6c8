"""The fastest form of a transform on this machine: candidates are emitted and timed, one choice
after the other.

First how a rank does its phases (kernels, and of fft the form), then of fft the sizes of the
phases, then how messages travel: each with the best of what was chosen before, and with what is
stated kept. The contestants of a choice take turns, and the least of their times counts, so that
another load disturbs all alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from codegen import shapes
from codegen.cost.counted import count
from codegen.program.resolve import resolve
from codegen.requests import command
from codegen.system_table import ALL
from codegen.systems.options import BUTTERFLY_KERNELS
from codegen.systems.record import Request
from derive.papers.bsp_variants import BALANCED, LEFTMOST, LIBRARY, LOCALS, PAIRED, chosen_phases
from nodewright.api.checks import tell_part
from nodewright.predicted import repeats_for, seconds_of

ROUNDS = 3
"""So often the contestants take turns."""
SYSTEMS = tuple(record.name for record in ALL if record.directed)
"""What is tuned: transforms, by the systems' own factorizations."""
CHOSEN = ("kernels", "local", "phases", "exchange")
"""What is chosen of a request, where it is not stated."""
Timer = Callable[[Request, int], float]
"""(request, repeats) -> least seconds of a transform."""
Choice = dict[str, str]
"""A value for each of what is chosen."""


def need_tuned(system: str) -> None:
    """Raise ValueError for a system that is not tuned, or for a formula of one's own."""
    if system not in SYSTEMS:
        raise ValueError(f"{system} is not tuned: {', '.join(SYSTEMS)} are")


@dataclass(frozen=True)
class Task:
    """A request, kept to where nothing is faster, and what of it is stated and not tuned."""

    start: Request
    stated: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Raise ValueError for a request that is not tuned."""
        need_tuned("a formula of your own" if self.start.formula is not None else self.start.system)

    @property
    def in_phases(self) -> bool:
        """Whether it has phases by bits, each done in one of several forms."""
        return self.start.record.has("phases") and not self.start.shape

    @property
    def choice(self) -> Choice:
        """The choices of the request; stated phases by their sizes, which other forms keep."""
        found = {name: getattr(self.start, name) for name in CHOSEN}
        if not self.in_phases:
            return found
        phases = self.sizes(found["phases"], found["local"]) if "phases" in self.stated else ""
        return found | {"phases": phases, "local": found["local"] or LIBRARY}

    def choices(self, name: str, known: Iterable[str]) -> tuple[str, ...]:
        """Return what there is to choose from: the stated value, or all that are known."""
        return (self.choice[name],) if name in self.stated else tuple(known)

    def sizes(self, phases: str, local: str = LIBRARY) -> str:
        return ",".join(map(str, chosen_phases(self.start.N, self.start.P, phases, local)))


@dataclass
class Trial:
    """A choice with the least time of its request, or with why it does not run here."""

    choice: Choice
    request: Request | None = None
    command: str = ""
    form: str = ""
    exchanges: int = 0
    words: int = 0
    flops: int = 0
    seconds: float | None = None
    refused: str = ""

    @property
    def record(self) -> dict[str, Any]:
        figures = {name: value for name, value in vars(self).items() if name != "choice"}
        return self.choice | {name: figures[name] for name in figures if name != "request"}


def tune(
    task: Task, tell: Callable[[float], None] = lambda done: None, timer: Timer = seconds_of
) -> tuple[Request, list[Trial]]:
    """Return the request with the fastest choice, the first of equals, and all that was tried.

    Raises RuntimeError where none runs, ValueError where none can be emitted.
    """
    tried: list[Trial] = []
    best, found = task.choice, task.start
    choices = IN_PHASES if task.in_phases else OTHERS
    for i, choice in enumerate(choices):
        new = list[Choice]()
        for one in choice(task, best):
            if one not in [*(trial.choice for trial in tried), *new]:
                new.append(one)
        tried += _timed(task, new, timer, partial(tell_part, tell, i, len(choices)))
        running = [
            (trial.seconds, trial.choice, trial.request)
            for trial in tried
            if trial.request is not None and trial.seconds is not None
        ]
        if not running:
            kind = RuntimeError if any(trial.command for trial in tried) else ValueError
            reasons = dict.fromkeys(trial.refused for trial in tried)
            raise kind(f"no candidate runs: {'; '.join(reasons)}")
        _, best, found = min(running, key=lambda timed: timed[0])
    return found, tried


def _locals(task: Task, best: Choice) -> Iterator[Choice]:
    yield best
    for local in task.choices("local", LOCALS):
        for kernels in task.choices("kernels", task.start.record.kernels):
            if local == LIBRARY or kernels in BUTTERFLY_KERNELS:
                yield best | {"kernels": kernels, "local": local}


def _phases(task: Task, best: Choice) -> Iterator[Choice]:
    """Yield the choices of other phases, those that are really others."""
    known = {task.sizes(best["phases"], best["local"])}
    for name in task.choices("phases", (LEFTMOST, PAIRED, BALANCED)):
        sizes = task.sizes(name)
        if sizes not in known:
            known.add(sizes)
            yield best | {"phases": sizes}


def _kernels(task: Task, best: Choice) -> Iterator[Choice]:
    yield best
    for kernels in task.choices("kernels", task.start.record.kernels):
        yield best | {"kernels": kernels}


def _phases_of_digits(task: Task, best: Choice) -> Iterator[Choice]:
    """Yield the phases of digits that take as few exchanges."""
    of_digits = task.start.record.has("phases") and "phases" not in task.stated
    known = shapes.known_phases(task.start) if of_digits else ()
    return (best | {"phases": phases} for phases in known)


def _exchanges(task: Task, best: Choice) -> Iterable[Choice]:
    record = task.start.record
    of_arrays = record.arrays if task.start.shape else None
    ways = of_arrays.exchanges if of_arrays else record.exchanges
    known = task.choices("exchange", ways) if task.start.P > 1 else ()
    return (best | {"exchange": exchange} for exchange in known)


IN_PHASES = (_locals, _phases, _exchanges)
OTHERS = (_kernels, _phases_of_digits, _exchanges)
"""What is chosen, in turn."""


def _timed(
    task: Task, choices: Sequence[Choice], timer: Timer, tell: Callable[[float], None]
) -> list[Trial]:
    """Return the trials of choices that take turns; one that fails is not timed again."""
    trials = [_emitted(task.start, choice) for choice in choices]
    turns = [trial for _ in range(ROUNDS) for trial in trials]
    for i, trial in enumerate(turns):
        tell(i / len(turns))
        if trial.request is not None and not trial.refused:
            _time(trial, trial.request, timer)
    return trials


def _emitted(start: Request, choice: Choice) -> Trial:
    """Return the trial of a request varied so, with what its program costs."""
    try:
        program = resolve(replace(start, **choice))  # type: ignore[arg-type]  # a choice names fields of texts
    except ValueError as error:
        return Trial(choice, refused=str(error))
    cost, form, request = count(program), program.equation.name, program.request
    return Trial(choice, request, command(request), form, cost.exchanges, cost.words, cost.flops)


def _time(trial: Trial, request: Request, timer: Timer) -> None:
    try:
        seconds = timer(request, repeats_for(request.N, request.P))
    except (ValueError, RuntimeError, TimeoutError) as error:
        trial.refused, trial.seconds = (
            " ".join(str(error).split())[-300:] or type(error).__name__,
            None,
        )
    else:
        trial.seconds = min(seconds, trial.seconds or seconds)


def record(task: Task, best: Request, tried: Sequence[Trial], machine: str) -> dict[str, Any]:
    """Return the table of what was tried, fastest first, as JSON has it."""
    start = task.start
    winner, default = next(trial for trial in tried if trial.request == best), tried[0]
    ordered = sorted(tried, key=lambda trial: (trial.seconds is None, trial.seconds or 0.0))
    return {
        "system": start.system,
        "N": start.N,
        "P": start.P,
        "input": start.input,
        "output": start.output,
        "machine": machine,
        "repeats": repeats_for(start.N, start.P),
        "rounds": ROUNDS,
        "stated": sorted(task.stated),
        "chosen": winner.command,
        "seconds": winner.seconds,
        "default": default.command,
        "default_seconds": default.seconds,
        "tried": [trial.record for trial in ordered],
    }


def said(table: dict[str, Any]) -> str:
    """Return the winner of a table in words: its command, its time, and how much faster it is than
    the default.

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
