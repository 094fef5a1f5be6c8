"""Seconds to write a program after start-up, and its length: neither grows with N or P beyond the
bit matrices.
"""

from __future__ import annotations

from bench.common import best, machine, table
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request

SIZES = ((2**10, 4), (2**20, 2**10), (2**40, 2**20))


def main() -> None:
    """Print the table."""
    print(machine())
    emit(resolve(make_request("fft", 16, 2)))  # so that the template is read before the clock runs
    times = best(5, *[lambda N=N, P=P: emit(resolve(make_request("fft", N, P))) for N, P in SIZES])
    rows = []
    for (N, P), seconds in zip(SIZES, times, strict=True):
        text = emit(resolve(make_request("fft", N, P)))
        rows.append(
            (
                f"2^{N.bit_length() - 1}",
                f"2^{P.bit_length() - 1}",
                text.count("\n"),
                len(text.encode()),
                seconds,
                seconds / times[0],
            )
        )
    table(
        "nodewright generate fft, block to block",
        ("N", "P", "lines", "bytes", "seconds", "ratio"),
        rows,
    )


if __name__ == "__main__":
    main()
