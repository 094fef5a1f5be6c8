"""Work for the page in a process of its own, so that the page answers meanwhile and can stop it.

The process receives (function, arguments, tells), calls one after the other, and answers ("told",
text), ("value", object) or ("refused", text).
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

PATIENCE = 2.0
"""Seconds that a process has to end what it has begun, before it is killed."""
IDLE = 900.0
"""Seconds after which a process ends that nobody asks: its page may have been closed."""
STOPPED = "stopped"
REFUSALS = (ValueError, OSError, RuntimeError, MemoryError, NotImplementedError)
"""Errors whose message says all."""


class Task(Future[Any]):
    """A call that a worker makes, and what it came to; it raises ValueError where it was refused or
    stopped.
    """

    def __init__(self) -> None:
        super().__init__()
        self.told = ""
        """What is being done, as far as the call says it."""
        self.taken = False
        """Whether the page has what it came to."""
        self._start = monotonic()

    def end(self, kind: str, value: Any) -> None:
        """Say what the call came to; the first word counts."""
        with suppress(InvalidStateError):
            if kind == "value":
                self.set_result(value)
            else:
                self.set_exception(ValueError(value))

    def wait(self, seconds: float | None = None) -> Task:
        """Return this task when it is done, or after so many seconds."""
        with suppress(TimeoutError, ValueError):
            self.result(seconds)
        return self

    @property
    def problem(self) -> str:
        """Why the call came to nothing, where it did."""
        return str(self.exception() or "") if self.done() else ""

    @property
    def seconds(self) -> float:
        """The seconds since it was asked for."""
        return monotonic() - self._start


class Worker:
    """A process that makes one call at a time, started when it is first asked.

    >>> worker = Worker()
    >>> worker.ask(divmod, 7, 2).result()
    (3, 1)
    >>> worker.stop()
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._task = Task()

    def ask(self, function: Callable[..., Any], *arguments: Any, tells: bool = False) -> Task:
        """Return the task of a call, which takes the place of what is still being done; `tells`
        where the function takes `tell`, to say how far it is.
        """
        if self._process and (not self._task.done() or self._process.poll() is not None):
            self.stop()
        if self._process is None:
            self._channel, other = Pipe()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "nodewright.workbench.jobs", str(other.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=[other.fileno()],
                start_new_session=True,  # Ctrl-C on the terminal ends the page, which ends this
            )
            other.close()
        self._task = Task()
        Thread(target=_hear, args=(self._channel, self._task), daemon=True).start()
        with suppress(BrokenPipeError):  # of a process that has ended, which is heard, too
            self._channel.send((function, arguments, tells))
        return self._task

    def stop(self) -> None:
        """End the process with what it is doing; the next call starts another."""
        process, self._process = self._process, None
        self._task.end("refused", STOPPED)
        if process is not None:
            process.send_signal(signal.SIGINT)
            Thread(target=_await_end, args=(process,)).start()


def _hear(channel: Connection, task: Task) -> None:
    """Hear what a process says of a task until it is done."""
    while not task.done():
        try:
            kind, value = channel.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            kind, value = "refused", "the process that worked on this has ended"
        if kind == "told":
            task.told = value
        else:
            task.end(kind, value)


def _await_end(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process that is interrupted, and kill it where that takes long."""
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _serve(channel: Connection) -> None:
    """Answer until the page is gone, or asks nothing for long; an interrupt ends the process."""
    asked = SimpleQueue[Any]()
    Thread(target=_read, args=(channel, asked), daemon=True).start()
    with suppress(Empty, KeyboardInterrupt, BrokenPipeError):
        while True:
            function, arguments, tells = asked.get(timeout=IDLE)
            told = {"tell": lambda words: channel.send(("told", words))} if tells else {}
            try:
                answer = "value", function(*arguments, **told)
            except Exception as error:
                name = type(error).__name__
                known = isinstance(error, REFUSALS)
                answer = "refused", (str(error) or name) if known else f"{name}: {error}"
            channel.send(answer)
    os._exit(130)


def _read(channel: Connection, asked: SimpleQueue[Any]) -> None:
    """Read what is asked; interrupt the work when the page is gone."""
    with suppress(EOFError):
        while True:
            asked.put(channel.recv())
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
