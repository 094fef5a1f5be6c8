"""Tables 1 and 2 of Inda & Bisseling redone: relative errors of emitted transforms, and rates of
the sequential ones.

python -m bench.accuracy [--quick]

Errors are those of section 5.1: real and imaginary parts uniform between 0 and 1, the 2-norm of the
difference to a transform in extended precision over its norm. u = 2^-53. Beside them those of
transforms without any error but that butterflies of radix 2, 4 or 8 are rounded once, and how many
single vectors are at the paper's figure or below. Rates are 5 N lg N over the time (5.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from bench.common import command_line, machine, table
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from nodewright.predicted import repeats_for, seconds_of
from proofs.certify.world.communicator import World
from proofs.errata.bsp_tables import TIMES_AND_RATES

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
TIMED = (
    (1, "numpy", "library", "alltoall"),
    (1, "numpy", "butterflies", "alltoall"),
    (1, "numba", "library", "alltoall"),
    (2, "numpy", "library", "alltoall"),
    (2, "numba", "library", "shared"),
)
"""Ranks, kernels, local form and exchange of the transforms whose times are taken."""
FORMS = tuple(
    (P, kernels, local, direction)
    for P, kernels, local in (
        (1, "numpy", "library"),
        (2, "numpy", "library"),
        (2, "numpy", "butterflies"),
        (1, "numba", "library"),
        (2, "numba", "library"),
        (1, "numba", "butterflies"),
    )
    for direction in ("forward", "backward")
)
U = 2.0**-53
VECTORS = 40
"""An error is the mean of so many: that of a single vector is mostly that of its sum, one
number.
"""
RADICES = (2, 4, 8)
"""Of butterflies that are computed without an error and rounded once."""
DIGIT = 0.05e-16
"""The paper's figures are rounded to a tenth of 1e-16: a larger one by less than this is printed
alike.
"""
FACTOR = 0.8
"""Errors are to stay below 0.8 u sqrt(lg N)."""


def exact(x: np.ndarray[Any, Any], direction: str) -> np.ndarray[Any, Any]:
    """Return the transform in extended precision."""
    if np.finfo(np.longdouble).eps > 1e-18:
        raise RuntimeError("long double is no extended precision on this machine")
    return (
        np.fft.fft(x.astype(np.clongdouble))
        if direction == "forward"
        else np.fft.ifft(x.astype(np.clongdouble))
    )


def transformed(text: str, vectors: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return what an emitted program makes of vectors in natural order, on ranks in one
    process: the arithmetic is the same.
    """
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

    World(module.P).run(body)
    return np.asarray(made[:, target, there])


def rounded(x: np.ndarray[Any, Any], radix: int) -> np.ndarray[Any, Any]:
    """Return the transform by butterflies of this radix, each computed in extended precision, its
    results rounded to double precision.
    """
    N, k, exact_roots = x.shape[1], 2, np.zeros(x.shape[1], np.clongdouble)
    exact_roots[1] = 1
    roots, places = np.fft.fft(exact_roots), np.arange(N)
    y = x[
        :, sum((places >> bit & 1) << N.bit_length() - 2 - bit for bit in range(N.bit_length() - 1))
    ].astype(np.clongdouble)
    while k <= N:
        pairs = y.reshape(len(x), N // k, 2, k // 2)
        low, high = pairs[:, :, 0], pairs[:, :, 1] * roots[:: N // k][: k // 2]
        y = np.stack([low + high, low - high], axis=2).reshape(x.shape)
        if k == N or (k.bit_length() - 1) % (radix.bit_length() - 1) == 0:
            y = y.astype(complex).astype(np.clongdouble)
        k *= 2
    return y


def vectors(N: int) -> np.ndarray[Any, Any]:
    """Return random vectors with real and imaginary parts between 0 and 1."""
    random = np.random.default_rng(N)
    return np.asarray(random.random((VECTORS, N)) + 1j * random.random((VECTORS, N)))


def relative(y: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the relative error of each vector."""
    return np.array(
        [
            np.linalg.norm((one - other).astype(complex)) / np.linalg.norm(other.astype(complex))
            for one, other in zip(y, wanted, strict=True)
        ]
    )


def errors_of(N: int, P: int, kernels: str, local: str, direction: str) -> np.ndarray[Any, Any]:
    """Return the relative errors of an emitted program, a vector each."""
    x = vectors(N)
    return relative(
        transformed(
            emit(
                resolve(
                    make_request("fft", N, P, local=local, direction=direction, kernels=kernels)
                )
            ),
            x,
        ),
        exact(x, direction),
    )


def errors(sizes: list[int]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of Table 1."""
    for N in sizes:
        every, x = [errors_of(N, *form) for form in FORMS], vectors(N)
        ideal = [
            float(np.mean(relative(rounded(x, radix), exact(x, "forward")))) for radix in RADICES
        ]
        found = [float(np.mean(each)) for each in every]
        single = f"{min(map(np.min, every)):.2g} to {max(map(np.max, every)):.2g}"
        limit = FACTOR * U * float(np.sqrt(np.log2(N)))
        below = [f"{np.mean(each < PAPER[N][1] + DIGIT):.0%}" for each in every[::2]]
        yield (
            N,
            *PAPER[N],
            *found,
            single,
            limit,
            "yes" if max(found) <= limit else "no",
            *ideal,
            *below,
        )


def rates(sizes: list[int]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of Table 2: milliseconds and Mflop/s of each of TIMED, beside the paper's."""
    for N in sizes:
        flops, row = 5 * N * (N.bit_length() - 1), list[object]()
        for P, kernels, local, exchange in TIMED:
            request = make_request(
                "fft", N, P, "cyclic", "cyclic", exchange, local=local, kernels=kernels
            )
            seconds = seconds_of(request, repeats_for(N, P))
            row += [1e3 * seconds, flops / seconds / 1e6]
        yield (f"2^{N.bit_length() - 1}", *TIMES_AND_RATES.get(N, ("", "")), *row)


def main(quick: bool) -> None:
    """Print the tables, or their first rows."""
    print(machine())
    forms = [f"P = {P}, {kernels}, {local}, {direction}" for P, kernels, local, direction in FORMS]
    ideal, below = (
        [f"radix {radix}, rounded once" for radix in RADICES],
        [f"at most IEEE 754: {form}" for form in forms[::2]],
    )
    head = (
        "N",
        "T3E",
        "IEEE 754",
        *forms,
        "single vectors",
        f"{FACTOR} u sqrt(lg N)",
        "at most that",
        *ideal,
        *below,
    )
    table("Table 1: relative errors", head, list(errors(list(PAPER)[:2] if quick else list(PAPER))))
    columns = [
        f"P = {P}, {kernels}, {local}, {exchange}, {unit}"
        for P, kernels, local, exchange in TIMED
        for unit in ("ms", "Mflop/s")
    ]
    head = ("N", "T3E, ms", "T3E, Mflop/s", *columns)
    table(
        "Table 2: times and rates",
        head,
        list(rates([1 << n for n in (range(5, 9) if quick else range(5, 25))])),
    )


if __name__ == "__main__":
    parser = command_line(__doc__)
    parser.add_argument("--quick", action="store_true")
    main(parser.parse_args().quick)
