"""What a program may call and read: the entries of the tables that define the language, and how a
run of a program ends that does not return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from proofs.certify.failures import NotModelled


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


class Undecided(Ended, NotModelled):
    """The program uses what the language does not have, or more than it is given."""


DATA = "an array that depends on x"
"""What messages call exact data: x, and what is computed from it."""
COMPUTES = "computes with elements of x, which a permutation only moves"
OTHER_ARRAY = (
    "an array for other numbers receives elements that depend on x; make it with np.empty or"
    " np.zeros, of the type DTYPE"
)
FOLLOWED = "the certifier follows elements that are moved, added, or multiplied by constants"


def not_followed(what: str, data: str = f"{DATA}; {FOLLOWED}") -> Undecided:
    """Return that a program does with x what is not in the language.

    >>> print(not_followed("np.abs"))
    np.abs of an array that depends on x; the certifier follows elements that are moved, added, or multiplied by constants
    """  # noqa: E501
    return Undecided(f"{what} of {data}")


INSTEAD = {
    "COMM_WORLD": "plan(comm) is given the communicator",
    "COMM_SELF": "plan(comm) is given the communicator",
    "add.reduce": "use np.sum", "multiply.reduce": "use np.prod", "maximum.reduce": "use np.max",
    "minimum.reduce": "use np.min", "add.accumulate": "use np.cumsum",
    "multiply.accumulate": "use np.cumprod", "multiply.outer": "use np.outer",
    "add.outer": "add an axis, a[:, None] + b", "subtract.outer": "add an axis, a[:, None] - b",
    "add.at": "use np.bincount, or a loop",
    "put": "write a[indices] = values", "require": "use np.asarray(a, dtype, order)",
    "mgrid": "use np.indices", "ogrid": "use np.arange(m)[:, None] and np.arange(n)",
    "fromfunction": "use np.indices", "vectorize": "compute with arrays, or write a loop",
    "apply_along_axis": "compute with arrays, or write a loop", "fromiter": "use np.array",
    "r_": "use np.concatenate", "c_": "use np.column_stack", "append": "use np.concatenate",
    "insert": "use np.concatenate", "delete": "use an index", "select": "use np.where",
    "itemset": "write a[index] = value", "ptp": "use a.max() - a.min()",
    "trace": "use np.diagonal(a).sum()", "logspace": "use b ** np.linspace(..)",
    "ANY_SOURCE": "receive from each rank by its number",
    "Create_contiguous": "send a contiguous array", "Create_vector": "send a contiguous copy",
    "Create_subarray": "send a contiguous copy", "Put": "use Isend and Irecv",
    "Get": "use Isend and Irecv", "Accumulate": "use Allreduce", "Probe": "use Recv",
    "Reduce_scatter": "use Allreduce and a slice", "Alltoallw": "use Alltoallv",
    "Reduce_scatter_block": "use Allreduce and a slice", "Ibarrier": "use Barrier",
    "Test": "use Wait", "Testall": "use Request.Waitall", "Win.Create": "use Isend and Irecv",
    "Win.Allocate": "use Win.Allocate_shared, or Isend and Irecv",
    "module scipy": "use np.fft", "module scipy.fft": "use np.fft",
    "Status": "give source and tag to the receive, and a buffer of the right size",
    "itertools.count": "use range", "itertools.islice": "use a slice", "itemgetter": "use a lambda",
    "itertools.repeat": "use a list", "itertools.cycle": "use an index, i % n",
    "starmap": "use a list comprehension", "zip_longest": "use zip of lists of one length",
    "deque": "use a list", "defaultdict": "use dict.setdefault", "Counter": "use a dict",
    "OrderedDict": "use a dict", "cached_property": "set the attribute in __init__",
    "cast": "leave it out", "module types": "write a class, or use a dict",
    "module enum": "use strings or integers", "module abc": "write a plain class",
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


ANY = "*"
"""Among the keywords of an operation that accepts any."""


@dataclass(frozen=True)
class Operation:
    """A function, a class or a method that programs call.

    `call` gets the evaluated arguments. `keywords` are the names of arguments that it accepts by
    name; any other is undecided. `guard` gets the limits and the arguments before the call: it
    counts what the call goes through, and returns how many elements there will be, or None.
    `lists` says that it goes through all values of its first argument, which may be an iterator.
    """

    name: str
    call: Callable[..., Any]
    keywords: frozenset[str] = frozenset()
    guard: Callable[..., int | None] | None = field(default=None, kw_only=True)
    lists: bool = field(default=False, kw_only=True)

    def refused(self, key: str) -> str | None:
        """Return why an argument by this name is not accepted; None where it is."""
        if key in self.keywords or ANY in self.keywords:
            return None
        known = f"; it has {', '.join(sorted(self.keywords))}" * bool(self.keywords)
        return f"{self.name}({key}=..) is not in the language{known}"


@dataclass(frozen=True)
class Member:
    """An attribute of the values of a type: `read` gives it, a method as an `Operation`.

    `write` sets it, where a program may.
    """

    name: str
    read: Callable[[Any], Any]
    write: Callable[[Any, Any], None] | None = None


def kind_of(value: Any) -> str:
    """Return what a message calls a value: `called` of it, or `said` or the name of its type."""
    kind = type(value)
    return str(getattr(value, "called", getattr(kind, "said", kind.__name__)))


Members = dict[type, dict[str, Member]]
"""The attributes of values by their type; a program reads no others."""
Module = dict[str, Any]
"""The names of a module that a program imports: operations, constants, and modules in it."""
