"""The process that works for the page: it calls functions that it is told, one after the other.

It reads (function, arguments, tells) and writes ("told", text), ("value", object) or
("refused", text), pickled.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

IDLE = 900.0
"""Seconds after which a process ends that nobody asks: its page may have been closed."""
Request = tuple[Any, tuple[Any, ...], bool]


def main() -> None:
    """Answer until the page is gone; an interrupt ends the process."""
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what functions print is no answer
    try:
        for function, arguments, tells in _requests(sys.stdin.buffer):
            _send(channel, *_answered(channel, function, arguments, tells))
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(130)


def _requests(source: BinaryIO) -> Iterator[Request]:
    """Yield what is asked until nothing is for long; work is interrupted when the page goes."""
    waiting: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_read, args=(source, waiting), daemon=True).start()
    with suppress(Empty):
        while True:
            yield waiting.get(timeout=IDLE)


def _read(source: BinaryIO, waiting: SimpleQueue[Request]) -> None:
    while True:
        try:
            waiting.put(pickle.load(source))
        except EOFError:
            os.kill(os.getpid(), 2)
            return


def _answered(
    channel: BinaryIO, function: Any, arguments: tuple[Any, ...], tells: bool
) -> tuple[str, Any]:
    told = {"tell": lambda words: _send(channel, "told", words)} if tells else {}
    try:
        return "value", function(*arguments, **told)
    except (ValueError, OSError, RuntimeError, MemoryError, NotImplementedError) as error:
        return "refused", str(error) or type(error).__name__
    except Exception as error:
        return "refused", f"{type(error).__name__}: {error}"


def _send(channel: BinaryIO, kind: str, value: Any) -> None:
    pickle.dump((kind, value), channel)
    channel.flush()


if __name__ == "__main__":
    main()
