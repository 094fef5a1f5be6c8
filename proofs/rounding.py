"""How a program rounds: its text on simulated ranks in its own type, against the transform in extended precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.simulate import Comm, run
from derive.verdict import Refuted, Tested, Verdict
from proofs.blame import Wrong, blaming
from proofs.declaration import Declaration
from proofs.sandbox import Text

Vector = NDArray[Any]
GIVEN = (0, 1, 1, 0)
"""Which of two vectors each transform is given."""
FORMULA = "eps sqrt(1 + lg N)"
"""Two to six times what the programs show from N = 4 to 2^18, and less than any wrong digit would cost."""


def rounding(text: Text, declaration: Declaration, rng: np.random.Generator, statement: str) -> Verdict:
    """Return whether four transforms, by two plans in turn, are accurate.

    Raises Wrong where the program fails.
    """
    N = declaration.N
    data = [(rng.standard_normal(N) + 1j * rng.standard_normal(N)).astype(declaration.dtype) for _ in range(2)]
    with blaming(text, "rounding"):
        programs = [text.load() for _ in range(declaration.P)]
        results = run(declaration.P, _body(programs, [vector[declaration.indices("input")] for vector in data])).results
    error = max(relative_error(declaration, data[given], np.stack(parts)) for given, parts in zip(GIVEN, zip(*results, strict=True), strict=True))
    tolerance = float(np.finfo(declaration.dtype).eps) * (1 + declaration.n) ** 0.5
    if error <= tolerance:
        return Tested(statement, float(f"{error:.1e}"), tolerance, FORMULA)
    return Refuted(statement, f"the relative error in the 2-norm is {error:.1e}, above {FORMULA} = {tolerance:.1e}")


def _body(programs: list[dict[str, Any]], data: list[Vector]) -> Callable[[Comm], list[Vector]]:
    """Return a rank's body: two plans, four transforms in turn, the last into an array of the caller's."""

    def body(comm: Comm) -> list[Vector]:
        plan, transform = programs[comm.rank]["plan"], programs[comm.rank]["transform"]
        x = [vector[comm.rank] for vector in data]
        first, second = plan(comm), plan(comm)
        out = np.full_like(x[0], np.nan)
        results = [transform(x[given], use) for given, use in zip(GIVEN, (first, second, first), strict=False)]
        if transform(x[GIVEN[-1]], first, out=out) is not out:
            raise Wrong("rounding", "transform(x, plan, out=y) does not return y")
        first.free()
        second.free()
        return [*results, out]

    return body


def relative_error(declaration: Declaration, x: Vector, parts: Vector) -> float:
    """Return the relative error of a result, of shape (P, M), in the 2-norm, against numpy's transform of x in extended precision."""
    found = np.empty(declaration.N, np.clongdouble)
    found[declaration.indices("output")] = parts
    transform: Callable[..., Vector] = np.fft.fft if declaration.sign < 0 else np.fft.ifft
    wanted = transform(x.astype(np.clongdouble), norm=declaration.norm)
    error = float(np.sqrt(np.sum(np.abs(found - wanted) ** 2) / np.sum(np.abs(wanted) ** 2)))
    return error if np.isfinite(error) else float("inf")
