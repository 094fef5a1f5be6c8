"""What a long command does, in a line every 30 seconds, where standard error is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

EVERY = 30.0
"""Seconds from one line to the next."""
LONGEST_WAIT = 3600.0
"""The most seconds that a thread waits at once."""


class ProgressLines:
    """Lines that say what a command does, and for how long it has done so.

    >>> now = iter([0.0, 10.0, 31.0])
    >>> lines = ProgressLines("certifying fft.py", print, lambda: next(now))
    >>> lines.tell("function, run 2 of 3")
    >>> lines.tick()
    >>> lines.tick()
    certifying fft.py: function, run 2 of 3, after 31 s
    """

    def __init__(
        self, what: str, say: Callable[[str], None], clock: Callable[[], float] = monotonic
    ) -> None:
        self.what, self.doing, self.say, self.clock = what, "", say, clock
        self.start = clock()
        self.due = self.start + EVERY

    def tell(self, doing: str) -> None:
        """Hear what is being done now."""
        self.doing = doing

    def tick(self) -> None:
        """Print a line if one is due."""
        now = self.clock()
        if now < self.due:
            return
        self.due += EVERY * (1 + (now - self.due) // EVERY)
        doing = f": {self.doing}" if self.doing else ""
        self.say(f"{self.what}{doing}, after {now - self.start:.0f} s")

    def follow(self, wait: Callable[[float], bool]) -> None:
        """Print each line when it is due, until `wait`, which gets the seconds to wait at most,
        returns that the work has ended.
        """
        while not wait(min(LONGEST_WAIT, max(0.0, self.due - self.clock()))):
            self.tick()


@contextmanager
def followed(what: str, say: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
    """Yield a function that is told what is being done; a thread prints the lines meanwhile."""
    lines, ended = ProgressLines(what, say), Event()
    thread = Thread(target=lines.follow, args=(ended.wait,), daemon=True)
    thread.start()
    try:
        yield lines.tell
    finally:
        ended.set()
        thread.join()


def tell_part(tell: Callable[[float], None], i: int, parts: int, done: float) -> None:
    """Tell how much is done in all when so much of part i is."""
    tell((i + done) / parts)
