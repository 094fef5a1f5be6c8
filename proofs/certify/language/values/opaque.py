"""Values that depend on the machine, or on how often something was done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from proofs.certify.language.table_entries import Undecided

NUMBERS = (int, float)
MOST_ADDED = 1 << 64
"""Integers that are added to an opaque one are smaller: an integer of 4300 digits has no text."""
OTHER_TEXTS = ("c", *"eEfFgG%")
"""Ends of formats in which some integers have no text."""


def _of(kinds: tuple[type, ...], divides: bool = False) -> Callable[[Opaque, Any], Opaque]:
    """Return an operator of values of these types."""

    def apply(self: Opaque, other: Any) -> Opaque:
        if self.kind not in kinds:
            raise Undecided(self.words)
        return self._with(other, divides)

    return apply


class Opaque:
    """A value that depends on the machine: a time, a process number; its type may be known.

    Sums of it, and texts with it, are opaque; whatever would decide by it is undecided. An integer
    grows by sums with others alone, as a product soon has no text. No two of them are one object,
    but where the program has one value under two names.
    """

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: type | None = None) -> None:
        self.name, self.kind = name, kind

    @property
    def words(self) -> str:
        """Why what depends on the value is undecided."""
        return f"what the program does depends on {self.name}, whose value is not followed"

    @property
    def told(self) -> str:
        """What two opaque values have in common that no program can tell apart."""
        return f"{self.name}, {self.kind.__name__ if self.kind else 'of any type'}"

    def is_a(self, kinds: type) -> bool:
        """Return isinstance(self, kinds)."""
        if self.kind is None:
            raise Undecided(self.words)
        return issubclass(self.kind, kinds)

    def text(self, spec: str = "") -> Opaque:
        """Return format(self, spec), where that raises no error."""
        try:
            format((self.kind or object)(), spec)
        except (TypeError, ValueError):
            raise Undecided(self.words) from None
        if self.kind is int and spec.endswith(OTHER_TEXTS):
            raise Undecided(self.words)
        return Opaque(self.name if self.kind is str else f"a text with {self.name}", str)

    def _with(self, other: Any, divides: bool = False) -> Opaque:
        """Return what this and a number of the same type give, a divisor that is not zero."""
        kind = other.kind if isinstance(other, Opaque) else type(other)
        known = not divides or (kind in NUMBERS and not isinstance(other, Opaque) and other != 0)
        if kind is int and self.kind is float and not isinstance(other, Opaque):
            kind = float if abs(other) < 1 << 53 else None
        if kind is int and not divides:
            known = not isinstance(other, Opaque) and abs(other) < MOST_ADDED
        if kind is None or kind is not self.kind or not known:
            raise Undecided(self.words)
        return Opaque(self.name, kind)

    def _alone(self) -> Opaque:
        if self.kind not in NUMBERS:
            raise Undecided(self.words)
        return Opaque(self.name, self.kind)

    __add__ = __radd__ = _with
    __sub__ = __rsub__ = _of(NUMBERS)
    __mul__ = __rmul__ = _of((float,))
    __truediv__ = _of((float,), divides=True)
    __floordiv__ = __mod__ = lambda self, other: self._with(other, True)
    __neg__ = __abs__ = _alone

    def __round__(self, *digits: Any) -> Opaque:
        if self.kind is not float or [type(each) for each in digits] != [int]:
            raise Undecided(self.words)
        return Opaque(self.name, float)

    def _unknown(self, *_: Any, **__: Any) -> NoReturn:
        raise Undecided(self.words)

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _unknown
    __hash__ = __int__ = __float__ = __index__ = __len__ = __iter__ = __contains__ = _unknown
    __array__ = __getitem__ = __repr__ = __str__ = __format__ = __array_ufunc__ = _unknown
    __rtruediv__ = __rfloordiv__ = __rmod__ = __pow__ = __rpow__ = _unknown


def opaque_among(values: Any) -> Opaque | None:
    """Return the first opaque value among values, and those of lists and tuples among them."""
    for each in values:
        if isinstance(each, Opaque):
            return each
        if isinstance(each, list | tuple) and (found := opaque_among(each)) is not None:
            return found
    return None


def without_opaque(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that is undecided with opaque arguments."""

    def found(value: Any, *given: Any, **named: Any) -> Any:
        if (opaque := opaque_among((*given, *named.values()))) is not None:
            raise Undecided(opaque.words)
        return method(value, *given, **named)

    return found


@dataclass(frozen=True, eq=False)
class Namespace:
    """A module that the program has imported."""

    name: str
    names: Mapping[str, Any]

    def __repr__(self) -> str:
        raise Undecided(f"the text of module {self.name}")
