"""Seconds of processor time to certify the text of a program."""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path

from bench.common import machine, table
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from proofs.certify.program import certify

SIZES = ((256, 8), (1024, 32), (1024, 256), (2**16, 64), (2**20, 8))


def main() -> None:
    """Print the table."""
    print(machine())
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for N, P in SIZES:
            path = Path(name) / f"fft_{N}_{P}.py"
            path.write_text(emit(resolve(make_request("fft", N, P))), encoding="utf-8")
            before = _seconds()
            function = certify(path).verdicts["function"]
            error = getattr(function, "error", 1)
            rows.append(
                (
                    N,
                    P,
                    _seconds() - before,
                    "nothing left to chance"
                    if error == 0
                    else f"missed with probability {error:.1e}",
                )
            )
    table("nodewright certify, block to block", ("N", "P", "seconds, user", "function"), rows)


def _seconds() -> float:
    """Return the processor time of this process and of those that it has started and that have
    ended, which is what real ranks take.
    """
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(who).ru_utime for who in both)


if __name__ == "__main__":
    main()
