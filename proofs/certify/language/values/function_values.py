"""Values that programs make and Python does not have: functions, classes, objects, modules.

Python's protocols work on them as on the values of CPython that they stand for (`len`, `==`, `str`,
..), so that lists, dicts and f-strings need no rules of their own. What such a value does not have
is the error of CPython where it would be one, and undecided where it is not modelled.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proofs.certify.language.limits import DEEPEST, INDIRECT, Limits
from proofs.certify.language.scopes import STATE, Frame
from proofs.certify.language.table_entries import Ended, Operation, Refuted, Undecided
from proofs.certify.language.values.kernel_values import Rounds
from proofs.certify.language.values.opaque import Namespace as Namespace
from proofs.certify.language.values.opaque import Opaque as Opaque

UNBOUND = object()
"""What is in the slot of a name that has no value."""


class Raised(Refuted):
    """An exception of the program; it refutes the program where it is not handled."""

    def __init__(self, value: BaseException, line: int | None = None) -> None:
        try:
            words = str(value)
        except Undecided:
            words = "with a text that is not followed"
        super().__init__("function", f"{type(value).__name__}: {words}", line)
        self.value = value


class State(dict[str, Any]):
    """The global names of a program on one rank, and what else belongs to the rank.

    `members` gives the attributes of a type, `line` the line of the operation that runs, `handling`
    the exceptions that are being handled, `printed` what `print` has written, with the line, or 0
    on stderr. `asked` has what the program asks of exact arrays that other arrays answer otherwise,
    with the lines. `rounds` is the compiled kernel that runs, if one does. `depth` counts nested
    calls. `told` gives what values lead to, where that matters.
    """

    __slots__ = (
        *("asked", "depth", "handling", "library", "limits", "line", "printed", "rounds", "told"),
    )

    def __init__(self, names: Mapping[str, Any], library: Any, limits: Limits) -> None:
        super().__init__({**names, **library.builtins})
        self.library, self.limits = library, limits
        self.line = self.depth = 0
        self.asked: dict[tuple[int, str], None] = {}
        self.handling: list[Raised] = []
        self.printed: list[tuple[int, str]] = []
        self.rounds: Rounds | None = None
        self.told: Callable[[Any], Any] = lambda values: None

    def ask(self, value: Any, name: str) -> bool:
        """Return whether a value is exact, and note that the program asks it this."""
        if type(value) not in self.library.data:
            return False
        self.asked[self.line, name] = None
        return True


@dataclass(frozen=True)
class Parameters:
    """The parameters of a function, by name."""

    positional: tuple[str, ...]
    only_positional: int = 0
    keyword: tuple[str, ...] = ()
    rest: str | None = None
    named_rest: str | None = None

    @property
    def simple(self) -> bool:
        """Whether there are positional parameters alone."""
        return not (self.only_positional or self.keyword or self.rest or self.named_rest)


@dataclass(slots=True)
class Code:
    """What all functions of one definition have in common."""

    name: str
    path: str
    parameters: Parameters
    compile: Callable[[], tuple[Callable[[Frame], Any], int]]
    node: ast.FunctionDef | ast.Lambda
    generator: bool = False
    count: int = field(init=False)
    run: Callable[[Frame], Any] | None = field(default=None, init=False)
    blank: list[Any] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        given = self.parameters
        self.count = len(given.positional) if given.simple else -1

    def made(self) -> Callable[[Frame], Any]:
        """Return the body, compiled when it is first called."""
        self.run, blank = self.compile()
        self.blank = [UNBOUND] * blank
        return self.run

    def ran(self, frame: Frame, calls: int = INDIRECT) -> Any:
        """Return what a call returns, which counts as this number of nested calls of CPython."""
        state = frame[STATE]
        state.depth += calls
        try:
            if state.depth > DEEPEST:
                raise RecursionError
            return self.run(frame)  # type: ignore[misc]
        except RecursionError:
            words = f"the program calls itself too deeply, in {self.name}"
            raise Undecided(words, self.node.lineno) from None
        finally:
            state.depth -= calls


class Function:
    """A function of the program."""

    __slots__ = ("code", "defaults", "keyword_defaults", "outer", "state")

    def __init__(
        self,
        code: Code,
        outer: Frame | None,
        state: State,
        defaults: tuple[Any, ...],
        keyword_defaults: dict[str, Any],
    ) -> None:
        self.code, self.outer, self.state = code, outer, state
        self.defaults, self.keyword_defaults = defaults, keyword_defaults

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return what the function returns."""
        frame = self.frame(given, named)
        code = self.code
        if code.generator:
            raise Undecided(
                f"{code.name}() is a generator: only @contextmanager has one; return a list"
            )
        try:
            return code.ran(frame)
        except Ended:
            raise
        except Exception as error:
            raise Undecided(f"the evaluator fails: {type(error).__name__}: {error}") from error

    def frame(self, given: tuple[Any, ...], named: dict[str, Any]) -> Frame:
        """Return the frame of a call."""
        code, state = self.code, self.state
        if code.run is None:
            code.made()
        limits = state.limits
        limits.left -= 1
        if limits.left < 0:
            limits.refill(code.node.lineno)
        if named or len(given) != code.count:
            given = arguments(
                code.path, code.parameters, self.defaults, self.keyword_defaults, given, named
            )
        return [self.outer, state, None, *given, *code.blank]

    def __repr__(self) -> str:
        raise Undecided(f"the text of function {self.code.name}, which has its address")


def arguments(
    name: str,
    known: Parameters,
    defaults: tuple[Any, ...],
    keyword_defaults: dict[str, Any],
    given: tuple[Any, ...],
    named: dict[str, Any],
) -> tuple[Any, ...]:
    """Return a value for each parameter, in the order of their slots; errors are CPython's."""
    values = dict(zip(known.positional, given, strict=False))
    more = _named_arguments(name, known, values, named)
    rest = given[len(known.positional) :]
    if rest and known.rest is None:
        by_name = sum(key in values for key in known.keyword)
        raise Raised(TypeError(_too_many(name, known, len(defaults), len(given), by_name)))
    first = len(known.positional) - len(defaults)
    for key, default in zip(known.positional[first:], defaults, strict=True):
        values.setdefault(key, default)
    for key, default in keyword_defaults.items():
        values.setdefault(key, default)
    for kind, keys in (("positional", known.positional), ("keyword-only", known.keyword)):
        if missing := [repr(key) for key in keys if key not in values]:
            listed = " and ".join(missing)
            if len(missing) > 2:
                listed = f"{', '.join(missing[:-1])}, and {missing[-1]}"
            words = f"{name}() missing {len(missing)} required {kind} argument"
            raise Raised(TypeError(f"{words}{'s' * (len(missing) > 1)}: {listed}"))
    found = [values[key] for key in (*known.positional, *known.keyword)]
    found += [rest] * (known.rest is not None) + [more] * (known.named_rest is not None)
    return tuple(found)


def _named_arguments(
    name: str, known: Parameters, values: dict[str, Any], named: dict[str, Any]
) -> dict[str, Any]:
    """Enter arguments that are given by name, and return those that have no parameter."""
    by_name = {*known.positional[known.only_positional :], *known.keyword}
    more = {}
    for key, value in named.items():
        if key not in by_name:
            more[key] = value
        elif key in values:
            raise Raised(TypeError(f"{name}() got multiple values for argument {key!r}"))
        else:
            values[key] = value
    if more and known.named_rest is None:
        if wrong := [key for key in known.positional if key in more]:
            words = "got some positional-only arguments passed as keyword arguments"
            raise Raised(TypeError(f"{name}() {words}: {', '.join(wrong)!r}"))
        raise Raised(TypeError(f"{name}() got an unexpected keyword argument {next(iter(more))!r}"))
    return more


def _too_many(name: str, known: Parameters, defaults: int, given: int, by_name: int) -> str:
    most = len(known.positional)
    takes = f"from {most - defaults} to {most}" if defaults else str(most)
    words = f"{name}() takes {takes} positional argument{'s' * (most != 1 or defaults > 0)} but "
    if by_name:
        named = f"(and {by_name} keyword-only argument{'s' * (by_name != 1)})"
        return f"{words}{given} positional argument{'s' * (given != 1)} {named} were given"
    return f"{words}{given} {'was' if given == 1 else 'were'} given"


class Method:
    """A function of a class with its object."""

    __slots__ = ("function", "owner")

    def __init__(self, function: Any, owner: Any) -> None:
        self.function, self.owner = function, owner

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return what the function returns for the object."""
        return self.function(self.owner, *given, **named)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Method) and self.owner is other.owner
        return same and self.function is getattr(other, "function", None)

    def __hash__(self) -> int:
        return hash((id(self.function), id(self.owner)))

    def __repr__(self) -> str:
        raise Undecided("the text of a method, which has its address")


@dataclass(slots=True, eq=False)
class Bound:
    """A method of an ordinary value."""

    operation: Operation
    owner: Any

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return what the method returns."""
        return accepting(self.operation, named).call(self.owner, *given, **named)


def accepting(operation: Operation, named: Mapping[str, Any]) -> Operation:
    """Return the operation.

    Raises:
        Undecided: if it does not accept the keywords.
    """
    for key in named:
        if words := operation.refused(key):
            raise Undecided(words)
    return operation


@dataclass(frozen=True, eq=False)
class Native:
    """A function, or a method, that is not written in the program; `parts` are the values of the
    program that it leads to.
    """

    function: Callable[..., Any]
    parts: tuple[Any, ...] = ()

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return what the function returns."""
        return self.function(*given, **named)


@dataclass(frozen=True, eq=False)
class Context:
    """A call of a function with `yield`, for `with`: the frame and the function."""

    function: Function
    frame: Frame


@dataclass(frozen=True, eq=False)
class ContextMaker:
    """A function of the program that `contextmanager` decorates."""

    function: Function

    def __call__(self, *given: Any, **named: Any) -> Context:
        """Return a context."""
        return Context(self.function, self.function.frame(given, named))


@dataclass(frozen=True, eq=False)
class Suppress:
    """`contextlib.suppress`: what is raised of these kinds ends the block."""

    kinds: tuple[type[BaseException], ...]


@dataclass(frozen=True, eq=False)
class Null:
    """`contextlib.nullcontext`: nothing but a value."""

    value: Any


@dataclass(frozen=True, eq=False)
class Property:
    """A function that is called where its name is read."""

    read: Any


@dataclass(frozen=True, eq=False)
class Static:
    """A function of a class that gets no object, or the class (`of_class`)."""

    function: Any
    of_class: bool = False
