"""The main job on real data, end to end: an equation is checked, made a program, certified, run on
MPI ranks, and finds the year in the air.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.exact.exact_check import check
from derive.papers.bsp import group_cyclic
from derive.papers.bsp_phases import virtual_processors
from derive.verdict import Tested, Verdict, holds
from nodewright import plot
from nodewright.demo.co2 import DAYS_PER_YEAR, WEEK, WeeklyRecord, weekly_co2
from nodewright.runtime import launch
from nodewright.show import headlines
from nodewright.spectrum import Line, Spectrum, hann
from proofs.certify.certificate import Certificate
from proofs.certify.program import certify

N, P = 2048, 4
REPEATS = 50
TIMEOUT = 600.0
"""Seconds after which a run hangs: it takes about one, on a busy machine more."""
SLOW = 0.5
"""Cycles per year: what is slower than two years counts as drift, not as a line."""
FOLDER = Path("nodewright-demo")
BARS = {
    "check": "check the equation",
    "generate": "generate the program",
    "certify": "certify its source",
    "run": f"run it on {P} MPI ranks",
    "benchmark": f"time {REPEATS} transforms",
    "plot": "draw this picture",
}
"""The steps that the picture shows, as it names them."""


Say = Callable[[str, str], None]
"""Hears the kind of a line of the account, and the line: the step that begins, a note on what is
done in it, or a result.
"""


@dataclass(frozen=True)
class Findings:
    """The findings of the demo, and the files that it wrote."""

    verdict: Verdict
    certificate: Certificate
    accuracy: Tested
    lines: tuple[Line, ...]
    transform_seconds: float
    seconds: dict[str, float]
    files: tuple[Path, ...]


@dataclass
class _Account:
    """Says what happens, and takes the time of every step."""

    say: Say
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, text: str, name: str) -> Iterator[None]:
        self.say("step", text)
        start = perf_counter()
        yield
        self.seconds[name] = perf_counter() - start

    def note(self, text: str) -> None:
        self.say("note", text)

    def result(self, text: str) -> None:
        self.say("result", text)


def demo(say: Say, folder: Path = FOLDER) -> Findings:
    """Take the CO2 record through all steps, tell `say` about each, and leave every file in
    `folder`.

    Raises RuntimeError where a check is refuted or a run fails, MpiexecNotFound without MPI,
    TimeoutError where a run hangs.
    """
    launch.mpiexec()
    folder.mkdir(parents=True, exist_ok=True)
    program, source, target, picture = (
        folder / name for name in ("fft_2048_4.py", "IN.npy", "OUT.npy", "demo.png")
    )
    account = _Account(say)
    series = _weighted_series(source, account)
    verdict = _checked_equation(account)
    certificate = _certified_program(program, account)
    accuracy = _transformed(program, source, target, series, account)
    transform_seconds = _time_of_a_transform(program, account)
    spectrum, lines = _strongest_lines(np.load(target), account)

    files = [source, program, program.with_suffix(".cert.json"), target]
    if plot.AVAILABLE:
        _picture(picture, spectrum, lines, account, transform_seconds)
        files.append(picture)
    else:
        account.note("no picture; to install matplotlib, run pip install 'nodewright[plot]'")
    _in_plain_words(account)
    return Findings(
        verdict, certificate, accuracy, lines, transform_seconds, account.seconds, tuple(files)
    )


def _weighted_series(source: Path, account: _Account) -> NDArray[np.complex128]:
    """Return the deviations of the record times Hann's window, and save them."""
    record = weekly_co2(N)
    with account.step(f"Take {N} weeks of atmospheric CO2, Mauna Loa, Hawaii", "read"):
        _describe(record, account)
        series = (record.deviations * hann(N)).astype(np.complex128)
        np.save(source, series)
    return series


def _checked_equation(account: _Account) -> Verdict:
    with account.step(f"Check the factorization of F_{N} for {P} ranks", "check"):
        verdict = _demand(check(group_cyclic(N, P, virtual_processors(N // P))))
        account.result(str(verdict))
    return verdict


def _certified_program(program: Path, account: _Account) -> Certificate:
    with account.step("Generate the MPI program from it", "generate"):
        text = emit(resolve(make_request("fft", N, P)))
        program.write_text(text, encoding="utf-8")
        account.result(
            f"{program}: {text.count(chr(10))} lines; it needs numpy and mpi4py, not nodewright"
        )
    with account.step("Certify the source of the program", "certify"):
        certificate = certify(program)
        for name, verdict in certificate.verdicts.items():
            brief = headlines.headline(name, verdict, certificate.declared)
            account.result(f"{verdict.kind} {name}: {brief}")
        if not certificate.holds:
            raise RuntimeError(f"the demo stops here: {program} is refuted")
    return certificate


def _transformed(
    program: Path, source: Path, target: Path, series: NDArray[np.complex128], account: _Account
) -> Tested:
    """Run the program on its ranks, and return how near its result is to numpy's."""
    with account.step(f"Run it on {P} MPI ranks", "run"):
        _run(program, [source, target])
        account.note(f"{source} -> {target}")
    accuracy = _compare(np.load(target), series)
    _demand(accuracy)
    account.result(str(accuracy))
    return accuracy


def _time_of_a_transform(program: Path, account: _Account) -> float:
    """Return the median of the seconds that a transform takes."""
    with account.step(f"Time it: {REPEATS} transforms on the same ranks", "benchmark"):
        timing: dict[str, float] = json.loads(_run(program, ["--bench", str(REPEATS)]))
        account.result(
            f"one transform takes {plot.duration(timing['seconds_median'])} (median; best"
            f" {plot.duration(timing['seconds_min'])})"
        )
    return timing["seconds_median"]


def _strongest_lines(
    result: NDArray[np.complex128], account: _Account
) -> tuple[Spectrum, tuple[Line, ...]]:
    """Return the spectrum, and the two lines of it that are strongest."""
    account.say("step", "Read the spectrum")
    spectrum = Spectrum.of(result, WEEK)
    lines = spectrum.lines(above=SLOW, count=2)
    for line in lines:
        account.result(f"a line of {line.amplitude:.2f} ppm with a period of {_period(line)}")
    account.note(
        "plants take up CO2 as they grow and release it as they decay; this cycle takes a year, and"
        " is not exactly a sinusoid, so there is also a line at half a year"
    )
    return spectrum, lines


def _describe(record: WeeklyRecord, account: _Account) -> None:
    low, high = record.concentrations.min(), record.concentrations.max()
    account.note(
        f"{record.first} to {record.last}, {low:.0f} to {high:.0f} ppm; {record.filled} weeks"
        " without a value, filled by linear interpolation"
    )
    account.note(
        "a least-squares parabola is subtracted and Hann's window applied, so that the trend and"
        " the two ends do not hide the lines"
    )


def _in_plain_words(account: _Account) -> None:
    account.say("step", "In plain words")
    account.note(
        f"an equation describes how {P} processes share one Fourier transform; all its {N}² entries"
        " were checked without rounding"
    )
    account.note(
        "a program was generated from it, and its source was evaluated on exact numbers for all"
        " processes, which shows that it computes that transform"
    )
    account.note(
        f"the same program, run by MPI on {P} processes, gave numpy's result, and it found periods"
        " of a year and of half a year in the measurements"
    )


def _demand(verdict: Verdict) -> Verdict:
    """Return the verdict; raise RuntimeError if it is a refutation or missed its tolerance."""
    if not holds(verdict) or (isinstance(verdict, Tested) and verdict.measured > verdict.tolerance):
        raise RuntimeError(f"the demo stops here: {verdict}")
    return verdict


def _run(program: Path, args: list[str | Path]) -> str:
    """Return what the program printed; raise RuntimeError with its complaint's last line."""
    done = launch.run(program, args, timeout=TIMEOUT, capture=True)
    if done.returncode:
        complaint = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise RuntimeError(f"{program} failed with exit status {done.returncode}: {complaint[-1]}")
    return done.stdout


def _compare(result: NDArray[np.complex128], series: NDArray[np.complex128]) -> Tested:
    """Return the relative 2-norm error against numpy's transform, with the tolerance 8 lg N eps."""
    expected = np.fft.fft(series)
    error = float(np.linalg.norm(result - expected) / np.linalg.norm(expected))
    tolerance = 8 * (N.bit_length() - 1) * float(np.finfo(np.float64).eps)
    return Tested(
        f"the result on {P} ranks is numpy.fft.fft's, in the relative 2-norm",
        error,
        tolerance,
        "8 lg N eps",
    )


def _period(line: Line) -> str:
    return f"{line.period * DAYS_PER_YEAR:.1f} days = {line.period:.3f} years"


def _picture(
    path: Path,
    spectrum: Spectrum,
    lines: tuple[Line, ...],
    account: _Account,
    transform_seconds: float,
) -> None:
    """Draw the picture twice: the second shows how long the first took."""
    named = [
        (line, f"{line.period * DAYS_PER_YEAR:.1f} days\n{line.amplitude:.2f} ppm")
        for line in lines
    ]
    with account.step("Draw the picture", "plot"):
        _draw(path, spectrum, named, account.seconds, transform_seconds)
    _draw(path, spectrum, named, account.seconds, transform_seconds)
    account.result(str(path))


def _draw(
    path: Path,
    spectrum: Spectrum,
    named: list[tuple[Line, str]],
    seconds: dict[str, float],
    transform_seconds: float,
) -> None:
    remarks = {"run": f", of which the transform {plot.duration(transform_seconds)}"}
    bars = {BARS[name]: (seconds[name], remarks.get(name, "")) for name in BARS if name in seconds}
    above = f"CO$_2$ in the air at Mauna Loa, {N} weeks: the year and its half"
    below = f"Where the wall-clock time of the demo went: {sum(seconds.values()):.1f} s"
    plot.save(plot.spectrum_and_times(spectrum, named, bars, (above, below)), path, 150)
