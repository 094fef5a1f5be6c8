"""The rows of a certificate: the verdicts of each system in their order, and which of them may be
undecided in a certificate that holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codegen.systems.table import SYSTEMS
from derive.verdict import Undecided, Verdict, holds

OF_A_TRANSFORM: tuple[str, ...] = ("layout", "messages", "function", "contract", "cost", "rounding", "main", "ran")
VERDICTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(SYSTEMS, OF_A_TRANSFORM),
    "permute": ("layout", "messages", "function", "cost", "contract", "bytes", "main", "ran"),
}
"""The verdicts of each system, in their order."""
MORE = "convolution"
"""The verdict on `convolve`, before `main`, of a Hartley program without compiled kernels."""
BITS = "bits"
"""The verdict on a program with `--phases reproducible`, after `rounding`."""
NODES = "nodes"
"""The verdict on a program with `--exchange auto` or `node-aware` between nodes, before `main`."""
RANKS = 16
"""Programs for so many ranks are run, unless it is asked for more."""
LEFT_OPEN = ("contract", "main", "ran")
"""The verdicts that may be undecided in a certificate that holds."""
ON_NUMBERS = ("rounding", "bytes", BITS)
"""Those that may be as well where kernels are compiled and real ranks were not run."""
NOT_RUN = "not run: compiled kernels are measured only on real ranks"
"""The beginning of the reason."""
MOVED = ("permute",)
"""The systems that are decided in no field: opaque elements are moved."""
AS_MEASURED = "the program states no cost; exchanges, messages and words are measured in one run"
AS_STATED = "the docstring states the exchanges, messages and words that are measured in one run"
"""What `cost` says of a program that does not send what is counted from the factorization."""


def all_hold(verdicts: Mapping[str, Verdict], left_open: Sequence[str] = LEFT_OPEN) -> bool:
    """Return whether no verdict is refuted, and none undecided but for these and those not run."""
    return all(
        holds(verdict)
        or (name in left_open and isinstance(verdict, Undecided))
        or was_not_run(name, verdict)
        for name, verdict in verdicts.items()
    )


def not_run(reason: str) -> str:
    """Return why numbers of compiled kernels are not measured."""
    return f"{NOT_RUN}; {reason}"


def was_not_run(name: str, verdict: Verdict) -> bool:
    """Return whether a verdict is open only as there were no real ranks."""
    is_open = name in ON_NUMBERS and isinstance(verdict, Undecided)
    return is_open and str(verdict.evidence).startswith(NOT_RUN)
