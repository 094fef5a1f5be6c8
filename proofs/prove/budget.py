"""A time that a search may take, and the end of it: an alarm, which reaches every loop; in threads
a look at the clock at every guess.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, local, main_thread
from time import monotonic
from typing import NoReturn

_of_thread = local()


class OutOfTime(BaseException):
    """The time is over. No handler of errors takes it for a refusal."""


def look() -> None:
    """Raise OutOfTime where the time of this thread is over."""
    if monotonic() > getattr(_of_thread, "end", float("inf")):
        raise OutOfTime


def _ring(*_: object) -> NoReturn:
    raise OutOfTime


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Raise OutOfTime in what is done within, when so many seconds have passed; never where None
    are given.

    >>> with within(None):
    ...     look()
    """
    alarm = (
        seconds is not None and current_thread() is main_thread() and hasattr(signal, "setitimer")
    )
    before = signal.signal(signal.SIGALRM, _ring) if alarm else None
    outer = getattr(_of_thread, "end", float("inf"))
    try:
        if seconds is not None:
            _of_thread.end = min(outer, monotonic() + seconds)
        if alarm and seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        if alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        _of_thread.end = outer
