"""Kinds of operations: how a call of each treats exact data, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from proofs.certify.language.limits import PIECE, few, few_bytes
from proofs.certify.language.table_entries import Operation, Undecided, not_followed
from proofs.certify.language.values.function_values import Opaque, State
from proofs.certify.language.values.kernel_values import Rounds
from proofs.certify.language.values.nested_sizes import go_through
from proofs.certify.language.values.operators import counted, fits

PROMOTING = {
    **dict.fromkeys(["where", "clip", "interp"], 3),
    **dict.fromkeys(["dot", "vdot", "matmul", "outer", "kron", "cross"], 2),
    **dict.fromkeys(["sum", "prod", "cumsum", "cumprod", "mean", "std", "var", "median"], 1),
    **dict.fromkeys(["diff", "ediff1d", "round", "around", "trapezoid"], 1),
}
"""Functions of numpy that are no ufuncs, whose results have a type of their own in a kernel if they
are given narrow ones, by their numbers of operands.
"""


AXES = 64
"""The most axes of an array of numpy."""
OF_AXES = frozenset(
    (
        *("expand_dims", "squeeze", "moveaxis", "transpose"),
        *("flip", "roll", "rot90", "fft.fftshift", "fft.ifftshift"),
    )
)
"""Functions that go through all axes that they are given before they look at their number."""


@dataclass(frozen=True, eq=False)
class Plain(Operation):
    """An operation on ordinary values alone."""

    def on(self, state: State, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return what the operation returns."""
        if state.library.data and any(map(state.library.holds_data, (*given, *named.values()))):
            raise not_followed(self.name, state.library.followed)
        return counted(state, self.call(*given, **named))


@dataclass(frozen=True, eq=False)
class WithState(Operation):
    """An operation that gets the state of the rank as its first argument."""

    def on(self, state: State, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return what the operation returns."""
        return self.call(state, *given, **named)


@dataclass(frozen=True, eq=False)
class Numeric(Operation):
    """A function of numpy: its own on ordinary arrays, the library's on exact ones.

    Attributes:
        dtype_at: for functions that make an array from a shape, where the dtype is among the
            arguments.
    """

    dtype_at: int = 0

    def on(self, state: State, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return what the function returns."""
        library = state.library
        if state.rounds is not None:
            self.compile(state.rounds, given, named.get("out"))
        if self.name in OF_AXES:
            for each in (*given[1:], *named.values()):
                if isinstance(each, list | tuple) and len(each) > AXES:
                    raise Undecided(f"np.{self.name} of {len(each)} axes at once")
        octets = 0
        for each in given:
            if type(each) is np.ndarray:
                octets += each.nbytes
            elif type(each) is Opaque:
                raise Undecided(each.words)
            elif isinstance(each, list | tuple):
                go_through(state.limits, f"np.{self.name}", each)
        if octets > PIECE:
            state.limits.spend(octets // PIECE)
        if library.data and (
            any(map(library.holds_data, (*given, *named.values())))
            or (self.dtype_at and library.creates(self.dtype(given, named)))
        ):
            if self.name in library.asks[None]:
                state.asked[state.line, self.name] = None
            return counted(state, library.function(self.name)(*given, **named))
        if self.guard:
            count = few(self.guard(state.limits, *given, **named) or 0)
            if self.dtype_at:
                few_bytes(count, self.dtype(given, named))
        elif len(given) > 1:
            fits(*given)
        return counted(state, self.call(*given, **named))

    def compile(self, rounds: Rounds, given: tuple[Any, ...], out: Any) -> None:
        """Raise Undecided where a kernel does not compute what numpy does: of types that are not
        numba's, or element by element into what it reads.
        """
        count = self.call.nin if isinstance(self.call, np.ufunc) else PROMOTING.get(self.name)
        if count is None:
            return
        operands = given[:count]
        for each in operands:
            rounds.operand(each)
        for target in (*given[len(operands) :], out):
            rounds.apart(target, operands, self.name not in PROMOTING)

    def dtype(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the dtype of the array that a call makes."""
        found = given[self.dtype_at] if len(given) > self.dtype_at else named.get("dtype")
        if found is None and self.name == "full":
            return np.asarray(given[1]).dtype
        return float if found is None else found


def table(
    kind: type[Operation],
    module: Any,
    words: str,
    prefix: str = "",
    guards: dict[str, Callable[..., int | None]] | None = None,
) -> dict[str, Any]:
    """Return operations for names of a module; `name(keyword,keyword)` has keywords."""
    found: dict[str, Any] = {}
    for each in words.split():
        name, _, keywords = each.partition("(")
        listed = frozenset(keywords.rstrip(")").split(",")) - {""}
        guard = guards.get(name) if guards else None
        found[name] = kind(prefix + name, getattr(module, name), listed, guard=guard)
    return found
