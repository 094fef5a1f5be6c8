"""How far a check is: which verdict is being decided, and which run of how many that takes; nothing where nobody listens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

Listener = Callable[[str], None]
_listeners: list[Listener] = []


def tell(verdict: str, run: int = 1, of: int = 1) -> None:
    """Say which run for a verdict begins, of how many as far as is known."""
    for listener in _listeners:
        listener(f"{verdict}, run {run} of {max(run, of)}" if max(run, of) > 1 else verdict)


@contextmanager
def told_to(listener: Listener) -> Iterator[None]:
    """Have a listener hear what is told meanwhile."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def into(descriptor: int) -> Listener:
    """Return the listener that writes lines to a pipe, and does without where nobody reads them."""

    def write(line: str) -> None:
        try:
            os.write(descriptor, f"{line}\n".encode())
        except OSError:
            _listeners.remove(write)

    return write


@contextmanager
def heard_by(listener: Listener) -> Iterator[int]:
    """Yield a pipe for another process to write lines to, which the listener hears; it must not write more than short words of ours."""
    reading, writing = os.pipe()

    def listen() -> None:
        with open(reading, encoding="utf-8", errors="replace") as lines:  # noqa: PTH123
            for line in lines:
                listener("".join(letter for letter in line[:80] if letter.isprintable()))

    thread = Thread(target=listen, daemon=True)
    thread.start()
    try:
        yield writing
    finally:
        os.close(writing)
        thread.join(1)
