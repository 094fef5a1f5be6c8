"""How much longer a call of nw.FFT takes than `transform` of the program that it runs, how much
longer this takes than the compiled kernel that it calls, and the parts of the difference:

python -m bench.calls
"""

from __future__ import annotations

from timeit import repeat

import numpy as np

import nodewright as nw

CALLS, REPEATS = 10_000, 15


def microseconds(call, *arguments):
    """Return the shortest time of a call with these arguments."""
    made = {"call": call, "arguments": arguments}
    times = repeat("call(*arguments)", number=CALLS, repeat=REPEATS, globals=made)
    return min(times) / CALLS * 1e6


def of_parts(module, x, plan, out):
    """Return the times of the parts of a transform that calls one kernel: the kernel, its call
    alone, with no copies to compute, the check of the arguments, and the address of an array.
    """
    kernel, calls = module.local_0, []
    module.local_0 = lambda *arguments: calls.append(arguments)
    module.transform(x, plan, out)
    module.local_0 = kernel
    (arguments,) = calls
    return {
        "kernel": microseconds(kernel, *arguments),
        "of which numba's dispatch": microseconds(kernel, *arguments[:-1], 0),
        "arrays()": microseconds(module.arrays, x, plan, out),
        "an address": microseconds(module.memory_of, x),
    }


def main():
    """Print the times and their differences, of one rank."""
    for kernels in ("numpy", "numba"):
        for N in (64, 1024):
            x, out = np.ones(N, complex), np.empty(N, complex)
            with nw.FFT(None, N, kernels=kernels) as fft:
                direct = microseconds(fft.forth.transform, x, fft.forth.plan, out)
                called = microseconds(fft.forward, x, out)
                beside = ""
                if kernels == "numba":
                    found = of_parts(fft.forth.module, x, fft.forth.plan, out)
                    beside = "".join(f", {name} {time:.2f} µs" for name, time in found.items())
            times = f"transform {direct:.2f} µs, forward {called:.2f} µs"
            print(f"{kernels}, N = {N}: {times}, {called - direct:.2f} µs more{beside}")


if __name__ == "__main__":
    main()
