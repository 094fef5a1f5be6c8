"""How a program rounds: its text on simulated ranks in its own type, against the transform in extended precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.verdict import Refuted, Tested, Verdict
from proofs.declaration import Fourier
from proofs.sandbox import Text
from proofs.usage import TURNS, in_turns, simulated

Vector = NDArray[Any]
FORMULA = "eps sqrt(1 + lg N)"
"""Two to six times what the programs show from N = 4 to 2^18, and less than any wrong digit would cost."""


def rounding(text: Text, declaration: Fourier, rng: np.random.Generator, statement: str) -> Verdict:
    """Return whether several transforms, by two plans in turn, are accurate.

    Raises Wrong where the program fails.
    """
    N = declaration.N
    data = [(rng.standard_normal(N) + 1j * rng.standard_normal(N)).astype(declaration.dtype) for _ in range(2)]
    places = declaration.indices("input")
    results = simulated(text, declaration, None, [vector[places] for vector in data], in_turns, "rounding").results
    error = max(relative_error(declaration, data[given], np.stack(parts)) for given, parts in zip(TURNS, zip(*results, strict=True), strict=True))
    tolerance = float(np.finfo(declaration.dtype).eps) * (1 + declaration.n) ** 0.5
    if error <= tolerance:
        return Tested(statement, float(f"{error:.1e}"), tolerance, FORMULA)
    return Refuted(statement, f"the relative error in the 2-norm is {error:.1e}, above {FORMULA} = {tolerance:.1e}")


def relative_error(declaration: Fourier, x: Vector, parts: Vector) -> float:
    """Return the relative error of a result, of shape (P, M), in the 2-norm, against numpy's transform of x in extended precision."""
    found = np.empty(declaration.N, np.clongdouble)
    found[declaration.indices("output")] = parts
    transform: Callable[..., Vector] = np.fft.fft if declaration.sign < 0 else np.fft.ifft
    wanted = transform(x.astype(np.clongdouble), norm=declaration.norm)
    error = float(np.sqrt(np.sum(np.abs(found - wanted) ** 2) / np.sum(np.abs(wanted) ** 2)))
    return error if np.isfinite(error) else float("inf")
