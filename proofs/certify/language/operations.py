"""What a program may call and read: the entries of the tables that define the language, and how a
run of a program ends that does not return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Ended(Exception):
    """A run of a program that ends before it returns."""

    def __init__(self, words: str, line: int | None = None) -> None:
        super().__init__(words)
        self.words, self.line = words, line

    def __str__(self) -> str:
        return self.words if self.line is None else f"line {self.line}: {self.words}"


class Refuted(Ended):
    """The program breaks a rule that is stated: `verdict` is the name of the verdict it refutes."""

    def __init__(self, verdict: str, words: str, line: int | None = None) -> None:
        super().__init__(words, line)
        self.verdict = verdict


class Undecided(Ended):
    """The program uses what the language does not have, or more than it is given."""


@dataclass(frozen=True)
class Operation:
    """A function, a class or a method that programs call.

    `call` gets the evaluated arguments. `keywords` are the names of arguments that it accepts by
    name; any other is undecided. `remedy` says what to write instead of what it does not accept.
    """

    name: str
    call: Callable[..., Any]
    keywords: frozenset[str] = frozenset()
    remedy: str = ""


@dataclass(frozen=True)
class Member:
    """An attribute of the values of a type: `read` gives it, a method as an `Operation`.

    `write` sets it, where a program may.
    """

    name: str
    read: Callable[[Any], Any]
    write: Callable[[Any, Any], None] | None = None


def kind_of(value: Any) -> str:
    """Return what a message calls the type of a value: `said` of it, or its name."""
    return str(getattr(type(value), "said", type(value).__name__))


Members = dict[type, dict[str, Member]]
"""The attributes of values by their type; a program reads no others."""
Module = dict[str, Any]
"""The names of a module that a program imports: operations, constants, and modules in it."""
