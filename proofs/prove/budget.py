"""The processor time that a search may take, whatever else the machine does, and the end of it: an
alarm, which reaches every loop; in threads a look at the clock at every guess.

The alarm ends our own functions only. An import, or a library that compiles, would be left half
done, and every later call in the process would fail; there it rings again a little later.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, local, main_thread
from time import thread_time
from types import FrameType

SOON = 1e-3
"""Seconds to an alarm that is due."""
OURS, IMPORTS = ("derive.", "proofs."), "derive.lazy"
"""The modules that an alarm ends, and the one that imports others while it is asked for them."""
_of_thread = local()


class OutOfTime(BaseException):
    """The time is over. No handler of errors takes it for a refusal."""


def look() -> None:
    """Raise OutOfTime where the time of this thread is over."""
    if thread_time() > getattr(_of_thread, "end", float("inf")):
        raise OutOfTime


def _ring(_: int, frame: FrameType | None) -> None:
    """End our own functions; where the innermost one is another, or a module is imported, ring
    again soon.
    """
    names = [found.f_globals.get("__name__", "") for found in _outwards(frame)]
    if names[0].startswith(OURS) and IMPORTS not in names:
        raise OutOfTime
    signal.setitimer(signal.ITIMER_PROF, SOON)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Raise OutOfTime in what is done within, when it has taken so many seconds; never where None
    are given. One within another ends with it, and gives back what it has not taken.

    >>> with within(None):
    ...     look()
    """
    alarm = (
        seconds is not None and current_thread() is main_thread() and hasattr(signal, "setitimer")
    )
    before = signal.signal(signal.SIGPROF, _ring) if alarm else None
    outer = getattr(_of_thread, "end", float("inf"))
    try:
        if seconds is not None:
            _of_thread.end = min(outer, thread_time() + seconds)
        if alarm and seconds is not None:
            left, _ = signal.setitimer(signal.ITIMER_PROF, seconds)
            if left and left < seconds:
                signal.setitimer(signal.ITIMER_PROF, left)
        yield
    finally:
        if alarm:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
            if outer < float("inf"):
                signal.setitimer(signal.ITIMER_PROF, max(outer - thread_time(), SOON))
        _of_thread.end = outer
