"""What the evaluator of statements knows of a compiled kernel that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from proofs.certify.language.scopes import Frame


class Rounds(Protocol):
    """A compiled kernel that runs: what the variables of its loops are, and its integers."""

    def of_loop(self, loop: Any, values: Any, frame: Frame) -> Any:
        """Yield what the variable of a loop is: a value for a round, or one for many rounds."""

    def whole(self, value: Any) -> Any:
        """Return a value with its integers as the kernel has them."""

    def operand(self, value: Any, compared: bool = False) -> Any:
        """Return an operand as the kernel has it."""

    def applied(self, sign: str, apply: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        """Return what an operator gives; Undecided where numba's is another one."""

    def apart(self, target: Any, sources: Iterable[Any], in_order: bool = True) -> None:
        """Raise Undecided where an operation writes to what it reads otherwise."""

    def alike(self, entries: tuple[Any, ...]) -> None:
        """Raise Undecided where the entries of a tuple have several types."""
