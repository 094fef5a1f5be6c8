"""How much longer a call of nw.FFT takes than `transform` of the program that it runs, and how much
longer this takes than the compiled kernel that it calls:

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


def of_kernel(module, x, plan, out):
    """Return the time of the one kernel that a transform calls, with its arguments."""
    kernel, calls = module.local_0, []
    module.local_0 = lambda *arguments: calls.append(arguments)
    module.transform(x, plan, out)
    module.local_0 = kernel
    (arguments,) = calls
    return microseconds(kernel, *arguments)


def main():
    """Print the times and their differences, of one rank."""
    for kernels in ("numpy", "numba"):
        for N in (64, 1024):
            x, out = np.ones(N, complex), np.empty(N, complex)
            with nw.FFT(None, N, kernels=kernels) as fft:
                direct = microseconds(fft.forth.transform, x, fft.forth.plan, out)
                called = microseconds(fft.forward, x, out)
                if kernels == "numba":
                    kernel = of_kernel(fft.forth.module, x, fft.forth.plan, out)
                    beside = f", kernel {kernel:.2f} µs, transform {direct - kernel:.2f} µs more"
                else:
                    beside = ""
            times = f"transform {direct:.2f} µs, forward {called:.2f} µs"
            print(f"{kernels}, N = {N}: {times}, {called - direct:.2f} µs more{beside}")


if __name__ == "__main__":
    main()
