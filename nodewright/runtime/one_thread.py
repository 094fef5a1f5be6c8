"""A lock that refuses a second thread."""

from __future__ import annotations

from threading import Lock


class OneThread:
    """A lock for one thread at a time: a second one gets an error instead of wrong numbers."""

    def __init__(self, kind: str) -> None:
        self._kind, self._lock = kind, Lock()

    def __enter__(self) -> None:
        """Keep other threads out; raise RuntimeError where one is within."""
        if not self._lock.acquire(blocking=False):
            remedy = f"call it from one thread at a time, or make one {self._kind} for each thread"
            raise RuntimeError(f"this {self._kind} is in use by another thread: {remedy}")

    def __exit__(self, *error: object) -> None:
        self._lock.release()
