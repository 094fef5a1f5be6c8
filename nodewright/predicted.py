"""Predicted against measured times of emitted programs, as Table 3 of Inda & Bisseling (2000) has
them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from codegen.cost.bsp_cost import predict
from codegen.cost.counted import Machine
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.record import Request
from codegen.whole_files import write_text
from derive.formula.permutations import lg
from nodewright.runtime.launch import run
from proofs.certify.fields.fourier_maps import Fourier
from proofs.certify.ordinary.rounding import tolerance_of

PATIENCE = 300.0
"""Seconds that the runs of one program may take."""
LARGEST_COMPARED = 2**24
"""Up to so many elements `--bench` compares a result with numpy's."""


@dataclass(frozen=True)
class Times:
    """Seconds of a transform of N elements on P ranks, by (3.9) and measured."""

    N: int
    P: int
    predicted: float
    measured: float


def seconds_of(request: Request, repeats: int) -> float:
    """Return the least time of so many transforms, the slowest rank of each.

    Raises RuntimeError where the program fails, and where its result is less accurate than
    certificates ask for.
    """
    text = emit(resolve(request))
    path = Path(_folder().name) / f"program_{sha256(text.encode()).hexdigest()[:16]}.py"
    if not path.exists():
        write_text(path, text)
    done = run(path, ["--bench", str(repeats)], request.P, timeout=PATIENCE, capture=True)
    if done.returncode:
        raise RuntimeError(f"{_name(request)}: {done.stderr.strip()}")
    figures = json.loads(done.stdout)
    _hold_accurate(request, figures["error"])
    return float(figures["seconds_min"])


def _hold_accurate(request: Request, error: float | None) -> None:
    """Raise RuntimeError unless the error that a program shows is within the tolerance of its
    certificate, or N is too large to show one.
    """
    if error is None and request.N > LARGEST_COMPARED:
        return
    which, names = (
        (request.system, request.N, request.P),
        (request.input, request.output, request.kernels, request.exchange),
    )
    dtype, formula = np.dtype(request.dtype), "0"
    tolerance = 0.0  # of integers
    if dtype.kind in "fc":
        tolerance, formula = tolerance_of(
            Fourier(*which, *names, dtype, request.direction, request.norm, request.shape)
        )
    if error is None or not error <= tolerance:
        shown = "unknown" if error is None else f"{error:.1e}"
        raise RuntimeError(
            f"{_name(request)}: its error is {shown}, where {formula} = {tolerance:.1e} is allowed"
        )


def _name(request: Request) -> str:
    return f"{request.system}, N = {request.N}, P = {request.P}"


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return where this process's programs lie: numba finds there what it has compiled."""
    return tempfile.TemporaryDirectory()


def repeats_for(N: int, P: int) -> int:
    """Return how often a transform is repeated, so that it takes some tenths of a second.

    >>> repeats_for(2**12, 2), repeats_for(2**24, 2)
    (300, 3)
    """
    return max(3, min(300, (1 << 25) // N))


def compare(
    sizes: Sequence[int],
    ranks: Sequence[int],
    machine: Machine,
    tell: Callable[[float], None],
    local: str = "",
) -> list[Times]:
    """Return predicted and measured times, block to block, for every N and P < N."""
    cases = [(N, P) for N in sizes for P in ranks if P < N]
    found = []
    for i, (N, P) in enumerate(cases):
        tell(i / len(cases))
        said = predict(N, P, machine).seconds
        measured = seconds_of(make_request("fft", N, P, local=local), repeats_for(N, P))
        found.append(Times(N, P, said, measured))
    return found


def curves(times: Sequence[Times]) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Return the rates (5.1), in Gflop/s of a rank, over N: a panel for every P."""
    panels: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for time in times:
        panel = panels.setdefault(
            f"P = {time.P}: 5 N lg N / (P time), Gflop/s",
            {"predicted by (3.9)": [], "measured": []},
        )
        for name, seconds in zip(panel, (time.predicted, time.measured), strict=True):
            panel[name].append((time.N, 5e-9 * time.N * lg(time.N) / (time.P * seconds)))
    return panels
