"""Tables 1 and 2 of Inda & Bisseling redone: relative errors of emitted transforms, and rates of the sequential ones.

python -m bench.accuracy [--quick]

Errors are those of section 5.1: real and imaginary parts uniform between 0 and 1, the 2-norm of the difference to a transform in extended
precision over its norm. u = 2^-53. Rates are 5 N lg N over the time (5.1).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from bench.common import machine, table
from codegen.emit import Options, emit
from codegen.lower import build
from codegen.mpi import simulate
from nodewright.errata.bsp_tables import TIMES_AND_RATES
from nodewright.predicted import repeats_for, seconds_of

PAPER = {
    512: (2.4e-16, 1.9e-16),
    1024: (5.2e-16, 1.6e-16),
    2048: (8.4e-16, 1.8e-16),
    4096: (2.1e-15, 1.9e-16),
    8192: (3.2e-15, 2.0e-16),
    16384: (6.5e-15, 2.2e-16),
    32768: (2.3e-14, 2.3e-16),
    65536: (3.4e-14, 2.3e-16),
}
"""Table 1: errors on the Cray T3E and with IEEE 754 arithmetic."""
FORMS = tuple((P, local, direction) for P, local in ((1, "library"), (2, "library"), (2, "butterflies")) for direction in ("forward", "backward"))
U = 2.0**-53
VECTORS = 20
"""An error is the mean of so many: that of a single vector is mostly that of its sum, one number."""
FACTOR = 0.8
"""Errors are to stay below 0.8 u sqrt(lg N)."""


def exact(x: np.ndarray[Any, Any], direction: str) -> np.ndarray[Any, Any]:
    """Return the transform in extended precision."""
    if np.finfo(np.longdouble).eps > 1e-18:
        raise RuntimeError("long double is no extended precision on this machine")
    return np.fft.fft(x.astype(np.clongdouble)) if direction == "forward" else np.fft.ifft(x.astype(np.clongdouble))


def transformed(text: str, vectors: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return what an emitted program makes of vectors in natural order, on simulated ranks: the arithmetic is the same."""
    module = ModuleType("program")
    exec(compile(text, "program.py", "exec"), module.__dict__)
    j = np.arange(module.N)
    (source, here), (target, there) = module.input_place(j), module.output_place(j)
    held, made = np.empty((2, len(vectors), module.P, module.M), complex)
    held[:, source, here] = vectors

    def body(comm: Any) -> None:
        plan = module.plan(comm)
        for x, y in zip(held, made, strict=True):
            y[comm.rank] = module.transform(x[comm.rank], plan)
        plan.free()

    simulate.run(module.P, body)
    return np.asarray(made[:, target, there])


def errors_of(N: int, P: int, local: str, direction: str) -> np.ndarray[Any, Any]:
    """Return the relative errors of an emitted program, a vector each."""
    random = np.random.default_rng(N)
    x = random.random((VECTORS, N)) + 1j * random.random((VECTORS, N))
    y, wanted = transformed(emit(build("fft", N, P, local=local), Options(direction=direction)), x), exact(x, direction)
    return np.array(
        [np.linalg.norm((one - other).astype(complex)) / np.linalg.norm(other.astype(complex)) for one, other in zip(y, wanted, strict=True)]
    )


def errors(sizes: list[int]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of Table 1."""
    for N in sizes:
        every = [errors_of(N, P, local, direction) for P, local, direction in FORMS]
        found = [float(np.mean(each)) for each in every]
        single = f"{min(map(np.min, every)):.2g} to {max(map(np.max, every)):.2g}"
        limit = FACTOR * U * float(np.sqrt(np.log2(N)))
        yield (N, *PAPER[N], *found, single, limit, "yes" if max(found) <= limit else "no", "yes" if max(found) <= PAPER[N][1] else "no")


def rates(sizes: list[int]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of Table 2: milliseconds and Mflop/s, of one rank and of two, beside the paper's."""
    for N in sizes:
        flops, row = 5 * N * (N.bit_length() - 1), list[object]()
        for P, local in ((1, "library"), (1, "butterflies"), (2, "library")):
            seconds = seconds_of(build("fft", N, P, "cyclic", "cyclic", local=local), Options(), repeats_for(N, P))
            row += [1e3 * seconds, flops / seconds / 1e6]
        yield (f"2^{N.bit_length() - 1}", *TIMES_AND_RATES.get(N, ("", "")), *row)


def main() -> None:
    """Print the tables."""
    print(machine())
    quick = "--quick" in sys.argv[1:]
    forms = (f"P = {P}, {local}, {direction}" for P, local, direction in FORMS)
    head = ("N", "T3E", "IEEE 754", *forms, "single vectors", f"{FACTOR} u sqrt(lg N)", "at most that", "at most the paper's IEEE 754")
    table("Table 1: relative errors", head, list(errors(list(PAPER)[:2] if quick else list(PAPER))))
    columns = [f"{name}, {unit}" for name in ("P = 1, library", "P = 1, butterflies", "P = 2, library") for unit in ("ms", "Mflop/s")]
    head = ("N", "T3E, ms", "T3E, Mflop/s", *columns)
    table("Table 2: times and rates", head, list(rates([1 << n for n in (range(5, 9) if quick else range(5, 25))])))


if __name__ == "__main__":
    main()
