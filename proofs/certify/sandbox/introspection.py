"""What a program may ask of a thing: its type and its attributes, where the answer is that of real
ranks; elements are arrays.

Everything else that tells what something is, is not modelled: elements and communicators are other
things here than there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from codegen.mpi.memory.segments import Memory
from codegen.mpi.sealed import Sealed
from proofs.certify.arrays.numpy_stand_in import NdArray
from proofs.certify.arrays.storage import Storage
from proofs.certify.forbidden import Unmodelled
from proofs.certify.sandbox.caught import OURS
from proofs.certify.sandbox.texts import Str
from proofs.certify.sandbox.vetting import is_closed
from proofs.certify.stand_ins import MODULE_NAME, Holder, asking

PLAIN = (
    *(int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, slice),
    *(type(None), np.generic, np.ndarray, np.dtype, Holder),
)
"""What is the same thing in a simulated run as in a real one."""
MISSING = object()


def is_instance(thing: Any, kinds: Any) -> bool:
    """isinstance() of what is the same in a real run."""
    return any(_is_one(thing, kind) for kind in _classes(kinds))


def _classes(kinds: Any) -> Iterator[Any]:
    for kind in kinds if isinstance(kinds, tuple) else getattr(kinds, "__args__", None) or (kinds,):
        yield from _classes(kind) if isinstance(kind, tuple) else (kind,)


def _is_one(thing: Any, kind: Any) -> bool:
    kind = str if kind is Str else kind
    if isinstance(thing, Storage) and not thing.scalar:
        if kind is NdArray or _is_own(kind) or kind in PLAIN:
            return kind is NdArray
    elif kind is Type or isinstance(thing, Memory):
        pass
    elif kind is NdArray:
        if isinstance(thing, PLAIN) or _is_own(type(thing)):
            return isinstance(thing, np.ndarray)
    elif (
        isinstance(thing, PLAIN)
        or _is_own(type(thing))
        or (isinstance(thing, Sealed) and issubclass(kind, Sealed))
    ):
        return isinstance(thing, kind)
    elif _is_own(kind):
        return False
    raise Unmodelled(
        f"isinstance() of one of type {type(thing).__name__}: what something is, other than its"
        " elements, is not modelled"
    )


def _is_own(kind: Any) -> bool:
    """Return whether a class is one of the program's."""
    return getattr(kind, "__module__", None) == MODULE_NAME


class Type:
    """type() of what is the same in a real run, and the name of types in annotations."""

    def __new__(cls, thing: Any, *more: Any) -> Any:
        """Return the type of a thing."""
        if (
            more
            or isinstance(thing, Memory)
            or not (_is_own(type(thing)) or isinstance(thing, PLAIN))
        ):
            raise Unmodelled("type(): what something is, other than its elements, is not modelled")
        return NdArray if isinstance(thing, np.ndarray) else type(thing)

    def __class_getitem__(cls, _: Any) -> type[Type]:
        return cls


def attribute(thing: Any, name: str, default: Any = MISSING) -> Any:
    """getattr() of an object of the program's own, and of an error for its `strerror`."""
    if name == "strerror" and isinstance(thing, Exception) and default is not MISSING:
        return getattr(thing, name, default)
    if not _is_own(type(thing)) or is_closed(name):
        raise Unmodelled(
            f"getattr(..., {name!r}): a program asks for attributes of its own objects only"
        )
    return getattr(thing, name) if default is MISSING else getattr(thing, name, default)


def has_attribute(thing: Any, name: str) -> bool:
    """hasattr() of an object, or a function, of the program's own."""
    own = _is_own(type(thing)) or (callable(thing) and not isinstance(thing, type))
    own = own and not str(getattr(thing, "__module__", "")).startswith(OURS)
    if not own or is_closed(name):
        raise Unmodelled(
            f"hasattr(..., {name!r}): a program asks for attributes of its own only, not for what"
            " something is"
        )
    return hasattr(thing, name)


def set_attribute(thing: Any, name: str, value: Any) -> None:
    """setattr() of an object of the program's own."""
    if not _is_own(type(thing)) or is_closed(name):
        raise Unmodelled(
            f"setattr(..., {name!r}): a program sets attributes of its own objects only"
        )
    setattr(thing, name, value)


ANSWERED: dict[str, Callable[..., Any]] = {
    **{
        name: asking(name)
        for name in ("issubclass", "callable", "delattr", "vars", "dir", "globals", "locals")
    },
    "isinstance": is_instance,
    "type": Type,
    "getattr": attribute,
    "hasattr": has_attribute,
    "setattr": set_attribute,
}
"""Python's functions that tell what something is."""
