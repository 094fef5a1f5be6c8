"""What ends a check: a statement that is refuted, or a program that is beyond the language."""

from __future__ import annotations


class Wrong(Exception):
    """A statement about the program is refuted, and no later one can be decided."""

    def __init__(self, name: str, counterexample: str) -> None:
        super().__init__(counterexample)
        self.name, self.counterexample = name, counterexample


class NotModelled(NotImplementedError):
    """The program uses what the language does not have, so nothing is stated about it."""


class UnknownConstant(NotModelled):
    """The program computes with a number that no element of the field is known for; one with roots
    of unity of so many times the order, and this divisor, has one: 1 and 1 where there is none.
    """

    def __init__(self, words: str, multiple: int, divisor: int) -> None:
        super().__init__(words)
        self.multiple, self.divisor = multiple, divisor
