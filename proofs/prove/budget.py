"""The processor time that a search may take, whatever else the machine does, and the end of it: an
alarm, which reaches every loop; in threads a look at the clock at every guess.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, local, main_thread
from time import thread_time
from typing import NoReturn

SOON = 1e-3
"""Seconds to an alarm that is due."""
_of_thread = local()


class OutOfTime(BaseException):
    """The time is over. No handler of errors takes it for a refusal."""


def look() -> None:
    """Raise OutOfTime where the time of this thread is over."""
    if thread_time() > getattr(_of_thread, "end", float("inf")):
        raise OutOfTime


def _ring(*_: object) -> NoReturn:
    raise OutOfTime


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
