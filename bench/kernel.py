"""The local kernel beside FFTW, and MKL where mkl_fft is installed: `python -m bench.kernel
[--dtype complex128] [--sizes 10-22] [--repeats 7]`.

One core, out of place, each contestant's cheapest call: the compiled kernel of the program for P =
1 with addresses made before, and pyfftw's `execute`. They take turns, and the least time counts, so
that another load disturbs all alike.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyfftw

from bench.common import Alone, best, machine, table
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request

Call = Callable[[], Any]
LEAST = 2e-3
"""Seconds of a measurement: so many calls as that takes."""


class Kernel:
    """The kernel of the program that transforms 2^k elements on one rank."""

    def __init__(self, k: int, dtype: str, folder: str) -> None:
        path = Path(folder) / f"kernel_{dtype}_{k}.py"
        path.write_text(
            emit(resolve(make_request("fft", 1 << k, 1, kernels="numba", dtype=dtype))),
            encoding="utf-8",
        )
        spec = spec_from_file_location(path.stem, path)
        assert spec and spec.loader, path
        self.program: Any = module_from_spec(spec)
        sys.modules[path.stem] = self.program  # numba asks for it
        spec.loader.exec_module(self.program)
        start = process_time()
        self.plan = self.program.plan(Alone())
        self.seconds = process_time() - start

    def call(self, x: Any, y: Any) -> Call:
        """Return the call of the compiled kernel from x to y, which begins on a line."""
        kernel = self.program.local_0
        arguments = self.program.address(x), self.program.address(y), *self.plan.addresses
        streams = kernel.py_func.__code__.co_argcount - len(arguments)
        return lambda: kernel(*arguments, *[1] * streams)


def contestants(k: int, dtype: str, kernel: Kernel) -> dict[str, tuple[Call, Any]]:
    """Return name -> (call, array that receives the result)."""
    x, *results = (pyfftw.empty_aligned(1 << k, dtype, n=4096) for _ in range(3))
    fftw = pyfftw.FFTW(x, results[1], flags=("FFTW_MEASURE",), threads=1)
    x[:] = vector(k)
    found: dict[str, tuple[Call, Any]] = {
        "ours": (kernel.call(x, results[0]), results[0]),
        "pyfftw": (fftw.execute, results[1]),
    }
    if find_spec("mkl_fft"):
        mkl, out = importlib.import_module("mkl_fft"), np.empty_like(x)
        importlib.import_module("mkl").set_num_threads(1)
        found["mkl_fft"] = (lambda: mkl.fft(x, out=out), out)
    return found


def vector(k: int) -> Any:
    """Return random numbers."""
    random = np.random.default_rng(k)
    return random.standard_normal(1 << k) + 1j * random.standard_normal(1 << k)


def repeated(call: Call) -> tuple[Call, int]:
    """Return a loop of calls that takes long enough to be measured, and their number."""
    call()
    start = perf_counter()
    call()
    count = max(1, int(LEAST / (perf_counter() - start)))

    def loop() -> None:
        for _ in range(count):
            call()

    return loop, count


def error(k: int, dtype: str, y: Any) -> float:
    """Return the relative error in the 2-norm in units of u sqrt(lg N), against numpy's transform
    in extended precision.
    """
    wanted = np.fft.fft(vector(k).astype(dtype).astype(np.clongdouble))
    u = float(np.finfo(dtype).eps) / 2
    return float(np.sqrt(np.sum(np.abs(y - wanted) ** 2) / np.sum(np.abs(wanted) ** 2))) / (
        u * k**0.5
    )


def main(words: list[str]) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.kernel")
    parser.add_argument("--dtype", default="complex128,complex64")
    parser.add_argument("--sizes", default="10-22")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args(words)
    low, _, high = options.sizes.partition("-")
    print(machine())
    print(
        f"pyfftw {pyfftw.__version__}, FFTW_MEASURE, one thread. FFTW as packaged in this wheel has"
        " SSE2 and AVX codelets only, no AVX-512."
    )
    with tempfile.TemporaryDirectory() as folder:
        for dtype in options.dtype.split(","):
            rows, ratios = [], []
            for k in range(int(low), int(high or low) + 1):
                kernel = Kernel(k, dtype, folder)
                calls = contestants(k, dtype, kernel)
                loops = {name: repeated(call) for name, (call, _) in calls.items()}
                least = best(3 * options.repeats, *[loop for loop, _ in loops.values()])
                seconds = {
                    name: least[i] / count for i, (name, (_, count)) in enumerate(loops.items())
                }
                ratios.append([seconds["ours"] / seconds[name] for name in calls if name != "ours"])
                errors = [error(k, dtype, result) for _, result in calls.values()]
                rows.append([f"2^{k}", seconds["ours"] * 1e6, *ratios[-1], *errors, kernel.seconds])
                print(".", end="", flush=True)
            others = [name for name in calls if name != "ours"]
            mean = np.exp(np.mean(np.log(ratios), axis=0)).tolist()
            rows.append(["geometric mean", "", *mean, *[""] * (len(calls) + 1)])
            head = [
                "N",
                "us",
                *[f"time / {name}" for name in others],
                *[f"error, {name}" for name in calls],
                "plan, s of CPU",
            ]
            table(f"{dtype}: errors in u sqrt(lg N)", head, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
