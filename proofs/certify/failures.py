"""What ends a check: a statement that is refuted."""

from __future__ import annotations


class Wrong(Exception):
    """A statement about the program is refuted, and no later one can be decided."""

    def __init__(self, name: str, counterexample: str) -> None:
        super().__init__(counterexample)
        self.name, self.counterexample = name, counterexample
