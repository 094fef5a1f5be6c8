"""What ends a check: a statement that is refuted, or a program that is beyond the language."""

from __future__ import annotations


class Wrong(Exception):
    """A statement about the program is refuted, and no later one can be decided."""

    def __init__(self, name: str, counterexample: str) -> None:
        super().__init__(counterexample)
        self.name, self.counterexample = name, counterexample


class NotModelled(NotImplementedError):
    """The program uses what the language does not have, so nothing is stated about it."""
