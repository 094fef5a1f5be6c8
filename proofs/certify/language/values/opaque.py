"""Values that depend on the machine."""

from __future__ import annotations

from typing import Any, NoReturn

from proofs.certify.language.operations import Undecided


class Opaque:
    """A value that depends on the machine: a time, a process number.

    Sums and products of it are opaque; whatever would decide by it is undecided.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def words(self) -> str:
        """Why what depends on the value is undecided."""
        return f"what the program does depends on {self.name}, whose value is not followed"

    def _more(self, *_: Any) -> Opaque:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _more
    __truediv__ = __rtruediv__ = __neg__ = __round__ = _more
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __pow__ = __rpow__ = __abs__ = _more

    def _unknown(self, *_: Any, **__: Any) -> NoReturn:
        raise Undecided(self.words)

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _unknown
    __hash__ = __int__ = __float__ = __index__ = __len__ = __iter__ = _unknown
    __array__ = __getitem__ = __repr__ = _unknown

    def __format__(self, _: str) -> str:
        return f"<{self.name}>"

    def __str__(self) -> str:
        return f"<{self.name}>"
