"""Emitted programs against scipy.fft and numpy.fft on one core, and the ways in which their messages travel against each other."""

from __future__ import annotations

import numpy as np
import scipy.fft

from bench.common import Emitted, best, machine, table
from codegen.lower import EXCHANGES

ROUNDS = 5
"""So often the contestants take turns."""


def libraries() -> None:
    """Time the whole transform of a vector: P = 1 and 2 against one core of scipy and numpy."""
    rows = []
    for n in (12, 16, 20):
        N, transforms = 1 << n, max(5, 1 << 22 - n)
        random = np.random.default_rng(0)
        x = random.standard_normal(N) + 1j * random.standard_normal(N)
        out = np.empty_like(x)
        programs = {f"emitted, P = {P}, {layout}": Emitted(N, P, layout) for P, layout in ((1, "block"), (2, "block"), (2, "cyclic"))}
        least = dict.fromkeys(["scipy.fft", "numpy.fft", *programs], float("inf"))
        for _ in range(ROUNDS):
            inner = min(transforms, 50)
            scipy_seconds, numpy_seconds = best(inner, lambda x=x: scipy.fft.fft(x, workers=1), lambda x=x, out=out: np.fft.fft(x, out=out))
            least["scipy.fft"], least["numpy.fft"] = min(least["scipy.fft"], scipy_seconds), min(least["numpy.fft"], numpy_seconds)
            for name, program in programs.items():
                least[name] = min(least[name], program.seconds(transforms))
        rows += [(f"2^{n}", name, seconds * 1e3, seconds / least["scipy.fft"]) for name, seconds in least.items()]
    table("One transform, complex128", ("N", "program", "ms", "time / scipy.fft's"), rows)


def exchanges() -> None:
    """Time the ways in which the same messages travel, in turn."""
    rows = []
    for layout in ("block", "cyclic"):
        for P in (2, 4):
            for n in (10, 14, 18, 20):
                transforms = max(5, 1 << 20 - n >> P // 4 * 2)
                programs = [Emitted(1 << n, P, layout, exchange) for exchange in EXCHANGES]
                runs = [[program.seconds(transforms) for program in programs] for _ in range(ROUNDS)]
                least = [min(seconds) for seconds in zip(*runs, strict=True)]
                rows.append((layout, P, f"2^{n}", least[0] * 1e3, *[seconds / least[0] for seconds in least[1:]]))
    others = [f"{exchange} / {EXCHANGES[0]}" for exchange in EXCHANGES[1:]]
    table("Exchanges", ("layouts", "P", "N", f"{EXCHANGES[0]}, ms", *others), rows)


if __name__ == "__main__":
    print(machine())
    libraries()
    exchanges()
