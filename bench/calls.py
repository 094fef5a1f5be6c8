"""How much longer a call of nw.FFT takes than `transform` of the program that it runs:

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


def main():
    """Print both times and their difference, of one rank."""
    for kernels in ("numpy", "numba"):
        for N in (64, 1024):
            x, out = np.ones(N, complex), np.empty(N, complex)
            with nw.FFT(None, N, kernels=kernels) as fft:
                direct = microseconds(fft.forth.transform, x, fft.forth.plan, out)
                called = microseconds(fft.forward, x, out)
            times = f"transform {direct:.2f} µs, forward {called:.2f} µs"
            print(f"{kernels}, N = {N}: {times}, {called - direct:.2f} µs more")


if __name__ == "__main__":
    main()
