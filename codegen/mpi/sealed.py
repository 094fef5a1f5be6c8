"""What mpi4py's objects and those that stand for them have in common: the names that are written
down, and no others.
"""

from __future__ import annotations

from typing import Any, NoReturn

from codegen.mpi.ranks import no_such, running, unmodelled


class Sealed:
    """An object that a program finds in MPI. What is its own begins with an underscore, which no
    program says (proofs/certify/sandbox/vetting.py).
    """

    def __getattr__(self, name: str) -> NoReturn:
        raise no_such(type(self).__name__, name)

    def __repr__(self) -> str:
        """Return what tells objects apart outside of a run."""
        if running() is not None:
            raise unmodelled(f"a {type(self).__name__} as a text")
        return object.__repr__(self)

    __hash__ = None  # type: ignore[assignment]  # as of mpi4py's, which compare by what they stand for

    def __reduce_ex__(self, _: Any) -> NoReturn:
        raise unmodelled(f"a {type(self).__name__} as an object that is copied or sent")

    def __setattr__(self, name: str, value: Any) -> None:
        """Set what is its own; mpi4py's objects take no attributes of a program's."""
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif hasattr(type(self), name):
            raise unmodelled(f"{type(self).__name__}.{name} is set")
        else:
            raise AttributeError(
                f"{name!r} of a {type(self).__name__}: mpi4py's has no such attribute, and takes"
                " none"
            )
