"""What a long command does, in a line every 30 seconds, where standard error is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

EVERY = 30.0
"""Seconds from one line to the next."""


@contextmanager
def followed(what: str, say: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
    """Yield a function that is told what is being done; a thread prints the lines meanwhile."""
    words, ended, start = [what], Event(), monotonic()

    def follow() -> None:
        while not ended.wait(EVERY):
            say(f"{': '.join(words)}, after {monotonic() - start:.0f} s")

    def tell(doing: str) -> None:
        words[1:] = [doing]

    thread = Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield tell
    finally:
        ended.set()
        thread.join()


def tell_part(tell: Callable[[float], None], i: int, parts: int, done: float) -> None:
    """Tell how much is done in all when so much of part i is."""
    tell((i + done) / parts)
