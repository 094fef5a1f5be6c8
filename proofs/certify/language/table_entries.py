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


INSTEAD = {
    "COMM_WORLD": "plan(comm) is given the communicator",
    "COMM_SELF": "plan(comm) is given the communicator",
    "add.reduce": "use np.sum", "multiply.reduce": "use np.prod", "maximum.reduce": "use np.max",
    "minimum.reduce": "use np.min", "add.accumulate": "use np.cumsum",
    "multiply.accumulate": "use np.cumprod", "multiply.outer": "use np.outer",
    "add.outer": "add an axis, a[:, None] + b", "subtract.outer": "add an axis, a[:, None] - b",
    "add.at": "use np.bincount, or a loop",
}  # fmt: skip
"""What to write instead of names of modules that the language does not have, by their last part."""


def not_in_language(name: str) -> str:
    """Return that a name of a module is not in the language, with what to write instead.

    >>> not_in_language("np.add.reduce"), not_in_language("np.load")
    ('np.add.reduce is not in the language; use np.sum', 'np.load is not in the language')
    """
    parts = name.split(".")
    found = (INSTEAD.get(".".join(parts[-count:])) for count in (1, 2))
    remedy = next(filter(None, found), "")
    return f"{name} is not in the language{'; ' * bool(remedy)}{remedy}"


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
