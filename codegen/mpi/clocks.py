"""Clocks in a simulated run: what they say can be kept, added up and sent, and nothing else, so
that no result depends on it.
"""

from __future__ import annotations

from typing import Any, NoReturn

from codegen.mpi.ranks import unmodelled


class Moment:
    """Seconds that a clock says, or sums and multiples of them, with no value to read."""

    __slots__ = ()

    def _moment(self, *_: Any) -> Moment:
        return Moment()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = (
        __neg__
    ) = __pos__ = __abs__ = __round__ = _moment

    def _no_value(self, *_: Any) -> NoReturn:
        raise unmodelled(
            "what a clock says is compared, converted or printed: results and messages depend on"
            " nothing that is measured"
        )

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __int__ = __float__ = __index__ = (
        __hash__
    ) = _no_value
    __str__ = __repr__ = __format__ = _no_value


def clock() -> Moment:
    """Return what a clock says."""
    return Moment()


CLOCKS = tuple(
    name + unit
    for name in ("perf_counter", "monotonic", "process_time", "time")
    for unit in ("", "_ns")
)
"""The clocks of Python's module time."""
