"""What the evaluator of statements knows of a compiled kernel that runs."""

from __future__ import annotations

from typing import Any, Protocol

from proofs.certify.language.scopes import Frame


class Rounds(Protocol):
    """A compiled kernel that runs: what the variables of its loops are, and its integers."""

    def of_loop(self, loop: Any, values: Any, frame: Frame) -> Any:
        """Yield what the variable of a loop is: a value for a round, or one for many rounds."""

    def whole(self, value: Any) -> Any:
        """Return a value with its integers as the kernel has them."""
