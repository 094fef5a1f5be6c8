"""Arguments of calls and options of commands: of which kind they are, and how messages name them.

Messages name the arguments of Python; within `command_line()` they name the options of the command
line. Nothing else knows which of the two a message is for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral
from operator import index
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from derive.lazy import lazily

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazily("numpy")

Called = TypeVar("Called", bound=Callable[..., Any])
_ON_COMMAND_LINE = ContextVar("on the command line", default=False)
IN_PYTHON = {"bits": "n", "set": "the values"}
"""What arguments are called that have another name than the option."""


@contextmanager
def command_line(on: bool = True) -> Iterator[None]:
    """Name options in messages as the command line does, or by their names in Python."""
    before = _ON_COMMAND_LINE.set(on)
    try:
        yield
    finally:
        _ON_COMMAND_LINE.reset(before)


def named(option: str, value: object = None) -> str:
    """Return an argument or an option as the reader of a message writes it, with its value if there
    is one.

    >>> named("where"), named("bits", 5000)
    ('where', 'n = 5000')
    >>> with command_line():
    ...     print(named("where"), named("bits", 5000))
    --where --bits 5000
    """
    if _ON_COMMAND_LINE.get():
        return f"--{option}" if value is None else f"--{option} {value}"
    name = IN_PYTHON.get(option, option)
    return name if value is None else f"{name} = {value}"


def written(command: str, call: str) -> str:
    """Return what the reader of a message can write: a command, or a call in Python.

    >>> written("nodewright prove --list", "nodewright.theorems()")
    'nodewright.theorems()'
    """
    return command if _ON_COMMAND_LINE.get() else call


def values_of(names: Iterable[str]) -> str:
    """Return how symbols are given values.

    >>> values_of(["r", "s"])
    'r=..., s=...'
    """
    each = [f"{name}=..." for name in sorted(names)]
    return f"--set {','.join(each)}" if _ON_COMMAND_LINE.get() else ", ".join(each)


def counted(number: object, word: str) -> str:
    """Return a number of things.

    >>> counted(1, "rank"), counted(2, "rank")
    ('1 rank', '2 ranks')
    """
    return f"{number} {word}{'s' * (str(number) != '1')}"


def is_integer(value: Any) -> bool:
    """Return whether something is an integer, of Python or numpy; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def integer(value: Any, name: str) -> int:
    """Return an integer, which may be one of numpy, or an array of one without axes; raise
    ValueError for anything else.

    >>> integer(1024.0, "N")
    Traceback (most recent call last):
    ValueError: N must be an integer; got 1024.0
    """
    if is_integer(value):
        return int(value)
    if getattr(value, "shape", None) == () and getattr(value.dtype, "kind", "") in ("i", "u"):
        return index(value)
    raise ValueError(f"{name} must be an integer; got {' '.join(repr(value).split())}")


def sequence(value: Any) -> Any:
    """Return the elements of an array of numpy of one axis, and anything else as it is.

    >>> import numpy as np
    >>> sequence(np.array([8, 6])), sequence("8x6"), sequence((8, 6))
    ((8, 6), '8x6', (8, 6))
    """
    one_axis = getattr(value, "ndim", None) == 1 and hasattr(value, "tolist")
    return tuple(value.tolist()) if one_axis else value


def indices(value: Any, count: int, name: str = "index") -> Any:
    """Return an index below `count` as an int, or an array of indices as int64, so that nothing is
    computed in the type that they are given in.

    value: an integer of Python or numpy, or an array or a list of integers of any type. name: what
    the indices are, in messages. Raises ValueError for anything else, with the first that is out of
    range.

    >>> indices(np.uint8(5), 1024), indices(np.array([1, 7], "u1"), 1024).dtype
    (5, dtype('int64'))
    >>> indices([1, 8], 8, "offset")
    Traceback (most recent call last):
    ValueError: offset must be an integer from 0 to 7; got 8
    """
    bits = count.bit_length() - 1
    last = f"2^{bits} - 1" if bits >= 30 and count == 1 << bits else f"{count - 1}"
    rule = f"must be an integer from 0 to {last}; got"
    if is_integer(value):
        if not 0 <= value < count:
            raise ValueError(f"{name} {rule} {value}")
        return int(value)
    try:
        found = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} {rule} lists of unequal lengths") from error
    if found.dtype.kind not in "iu" and found.size:
        first = f"{value!r}" if np.isscalar(value) else f"{found.flat[0]} of type {found.dtype}"
        raise ValueError(f"{name} {rule} {first}")
    wrong = found[(found < 0) | (found >= min(count, 1 << 63))]
    if wrong.size:
        raise ValueError(f"{name} {rule} {wrong.flat[0]}")
    return found.astype(np.int64, copy=False)


def text(value: Any, name: str) -> str:
    """Return a text; raise ValueError for anything else.

    >>> text(3, "where")
    Traceback (most recent call last):
    ValueError: where must be a string; got 3
    """
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string; got {value!r}")
    return value


def texts(value: Any, name: str) -> str:
    """Return a text, that of several with commas between them where a tuple or a list is given;
    raise ValueError for anything else.

    >>> texts(("block", "whole"), "input"), texts("block", "input")
    ('block,whole', 'block')
    """
    several = value if isinstance(value, tuple | list) else (value,)
    return ",".join(text(each, name) for each in several)


def digits(value: Any, name: str) -> str:
    """Return a text, that of an integer where one is given; raise ValueError for anything else.

    >>> digits(3, "scheme"), digits("5r", "scheme")
    ('3', '5r')
    """
    return str(value) if is_integer(value) else text(value, name)


def path(value: Any) -> Path:
    """Return the path of a file; raise ValueError for what is none.

    >>> path(3)
    Traceback (most recent call last):
    ValueError: a file must be a string or a path; got 3
    """
    if not isinstance(value, str | PathLike):
        raise ValueError(f"a file must be a string or a path; got {value!r}")
    return Path(value)


NEAREST = 3
"""The most names that an error offers for one that is not known."""
LONGEST = 64
"""So many letters of an unknown name are compared with the known ones."""


def unknown(
    kind: str, name: object, known: Iterable[str], lister: str = "", rule: str = "the names are"
) -> ValueError:
    """Return the error for an unknown name, with the nearest known ones, and all names or the
    command that lists them.

    >>> print(unknown("rule", "comute", ["commute", "four-step"]))
    unknown rule 'comute', perhaps commute: the names are commute, four-step
    >>> print(unknown("rule", "comute", ["commute", "four-step"], "nodewright derive --rules"))
    unknown rule 'comute', perhaps commute: nodewright derive --rules lists all
    >>> print(unknown("norm", "otho", ["ortho", "forward"], rule="choose from"))
    unknown norm 'otho', perhaps ortho: choose from ortho, forward
    """
    names = list(known)
    every = f"{lister} lists all" if lister else f"{rule} {', '.join(names)}"
    return ValueError(f"unknown {kind} {name!r}{perhaps(name, names)}: {every}")


def perhaps(word: object, known: Iterable[str]) -> str:
    """Return the nearest known words, at most three, as they follow a word in a message; "" if none
    is near.

    >>> print("'wiht'" + perhaps("wiht", ["at", "with"]))
    'wiht', perhaps with
    >>> perhaps("coley", ["cooley-tukey", "four-step"])
    ', perhaps cooley-tukey'
    >>> perhaps("CYLIC", ["cyclic", "cyclic-pairs", "block"])
    ', perhaps cyclic'
    """
    typed, names = (
        word[:LONGEST] if isinstance(word, str) else "",
        sorted(set(known), key=lambda name: (name.isupper(), name)),
    )
    lowered = dict.fromkeys(name.lower() for name in names)
    near = get_close_matches(typed.lower(), lowered, NEAREST)
    if not near and typed:  # cormen, coley: the first word of a long name
        words = {name: name.split("-")[0] for name in lowered}
        first = get_close_matches(typed.lower(), dict.fromkeys(words.values()), NEAREST)
        near = [name for name, word in words.items() if word in first]
    found = [name for each in near for name in names if name.lower() == each]
    return f", perhaps {' or '.join(found[:NEAREST])}" if found else ""


def listed(pairs: Iterable[tuple[str, Any]]) -> str:
    """Return names with their values, one after the other."""
    return ", ".join(f"{name} {value}" for name, value in pairs)


def needs_arguments(thing: Called) -> Called:
    """Return a function or a class that raises ValueError where an argument is missing, is one too
    many or has an unknown name.

    >>> needs_arguments(lambda n, p=1: n)()
    Traceback (most recent call last):
    ValueError: <lambda>: missing a required argument: 'n'; give n
    """
    call: Any = thing.__init__ if isinstance(thing, type) else thing  # type: ignore[misc]
    name, own = thing.__name__, signature(call)
    parameters = [each for each in own.parameters.values() if each.name != "self"]
    several = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    needed = [x.name for x in parameters if x.default is x.empty and x.kind not in several]
    others = [f", and {x.name} as keywords" for x in parameters if x.kind == x.VAR_KEYWORD]
    rule = f"give {', '.join(needed)}{''.join(others)}"

    @wraps(call)
    def stated(*arguments: Any, **options: Any) -> Any:
        try:
            return call(*arguments, **options)
        except TypeError:
            try:
                own.bind(*arguments, **options)
            except TypeError as error:
                raise ValueError(f"{name}: {error}; {rule}") from error
            raise

    if not isinstance(thing, type):
        return cast(Called, stated)
    thing.__init__ = stated  # type: ignore[misc]
    return thing
