"""Which statement an error of a program refutes."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator

from codegen.mpi.memory.buffers import CommunicationError, Final, NotModelled
from proofs.certify.forbidden import Forbidden, Unmodelled
from proofs.certify.sandbox.caught import DEPTH
from proofs.certify.sandbox.loading import Text


class Wrong(Exception):
    """A statement about the program is refuted, and no later one can be decided."""

    def __init__(self, name: str, counterexample: str) -> None:
        super().__init__(counterexample)
        self.name, self.counterexample = name, counterexample


@contextlib.contextmanager
def blaming(text: Text, name: str) -> Iterator[None]:
    """Turn whatever the program raises into Wrong: of `messages` where its ranks disagree, of the
    named statement otherwise.

    NotModelled passes, and a lack of memory: they say nothing about the program. What the program
    prints or warns of is dropped. An error that the program has caught, and that says what it did,
    is raised again; one of which it could tell that it is watched is not modelled.
    """
    caught: list[BaseException] = []
    DEPTH.clear()
    try:
        Final.kept = caught
        with (
            contextlib.redirect_stdout(io.StringIO()),
            warnings.catch_warnings(action="ignore"),
            _first_of(text, caught),
        ):
            yield
    except Unmodelled as error:
        raise NotModelled(told(text, error)) from error
    except (Wrong, NotModelled, MemoryError, KeyboardInterrupt):
        raise
    except CommunicationError as error:
        raise Wrong("messages", told(text, error)) from error
    except Forbidden as error:
        raise Wrong(name, told(text, error)) from error
    except BaseException as error:  # a program may raise anything
        raise Wrong(name, f"{type(error).__name__}: {told(text, error)}") from error
    finally:
        Final.kept = None


@contextlib.contextmanager
def _first_of(text: Text, caught: list[BaseException]) -> Iterator[None]:
    """Raise the first final error that the program swallowed; NotModelled where it swallowed
    another that was noted, and ended well.
    """
    try:
        yield
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        finals = [known for known in caught if isinstance(known, Final)]
        if not finals or isinstance(error, Final):
            raise
        raise finals[0] from error
    for first in caught:
        if isinstance(first, Final):
            raise first
    if DEPTH:
        raise NotModelled(
            "the program goes on after a RecursionError: on real ranks calls are not as deep"
        )
    for first in caught:
        raise NotModelled(
            f"the program goes on after {type(first).__name__}: {told(text, first)}: on real ranks"
            " its words are other ones"
        )


def told(text: Text, error: BaseException) -> str:
    """Return an error with its place in the program."""
    place = text.place(error)
    return f"{error}" + (f" ({place})" if place else "")
