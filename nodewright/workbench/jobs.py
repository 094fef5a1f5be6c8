"""Work for the page in a process of its own, so that the page answers meanwhile and can stop it."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

PATIENCE = 2.0
"""Seconds that a process has to end what it has begun, before it is killed."""
STOPPED = "stopped"


class Task:
    """A call that a worker makes: how far it is, and what it came to."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._kind, self._value = "", None
        self.told = ""
        """What is being done, as far as the call says it."""
        self.taken = False
        """Whether the page has what it came to."""
        self._start, self._seconds = monotonic(), 0.0

    def end(self, kind: str, value: Any) -> None:
        """Say what the call came to; the first word counts."""
        if not self.done:
            self._kind, self._value, self._seconds = kind, value, monotonic() - self._start
            self._done.set()

    def wait(self, seconds: float | None = None) -> Task:
        """Return this task when it is done, or after so many seconds."""
        self._done.wait(seconds)
        return self

    @property
    def done(self) -> bool:
        """Tell whether the call has ended."""
        return self._done.is_set()

    @property
    def problem(self) -> str:
        """Why the call came to nothing, where it did."""
        return str(self._value) if self._kind == "refused" else ""

    @property
    def seconds(self) -> float:
        """The seconds that the call has taken."""
        return self._seconds if self.done else monotonic() - self._start

    @property
    def value(self) -> Any:
        """The value that the call returned; ValueError if it raised, was stopped, or runs."""
        if self._kind != "value":
            raise ValueError(str(self._value) if self.done else "not done yet")
        return self._value


class Worker:
    """A process that makes one call at a time, started when it is first asked.

    >>> worker = Worker()
    >>> worker.ask(divmod, 7, 2).wait().value
    (3, 1)
    >>> worker.stop()
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._task: Task | None = None

    def ask(self, function: Callable[..., Any], *arguments: Any, tells: bool = False) -> Task:
        """Return the task of a call, which takes the place of what is still being done; `tells`
        where the function takes `tell`, to say how far it is.
        """
        busy = self._task is not None and not self._task.done
        if busy or (self._process is not None and self._process.poll() is not None):
            self.stop()
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "nodewright.workbench.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C on the terminal ends the page, which ends this
            )
        process, task = self._process, Task()
        self._task = task
        threading.Thread(target=_heard, args=(process, task), daemon=True).start()
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # of a process that has ended, which is heard, too
            process.stdin.write(pickle.dumps((function, arguments, tells)))
            process.stdin.flush()
        return task

    def stop(self) -> None:
        """End the process with what it is doing; the next call starts another."""
        process, self._process = self._process, None
        if self._task is not None:
            self._task.end("refused", STOPPED)
        if process is not None:
            process.send_signal(signal.SIGINT)
            threading.Thread(target=_ended, args=(process,)).start()


def _heard(process: subprocess.Popen[bytes], task: Task) -> None:
    """Hear what a process says of a task until it is done."""
    assert process.stdout is not None
    while not task.done:
        try:
            kind, value = pickle.load(process.stdout)
        except (EOFError, pickle.UnpicklingError, ValueError):
            kind, value = "refused", "the process that worked on this has ended"
        if kind == "told":
            task.told = value
        else:
            task.end(kind, value)


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process that is interrupted, and kill it where that takes long."""
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
