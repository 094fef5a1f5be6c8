"""Definitions of one's own: let G(n) = .., and let W(n) = .. W(n-1) .., W(0) = ..

A definition that speaks of itself has a parameter that comes down to one of its last cases, by n -
c or n/c; the others stay as they are. `unfolded` takes one step, `closed` has products of symbolic
length in place of the steps.

Where W(n) = U(n) (I_l ⊗ W(n-c) ⊗ I_r) V(n), b is a last case, and n = b + c m for m steps,

    W(n) = prod(k, 0, m-1, I_l^k ⊗ U(b+c(m-k)) ⊗ I_r^k) (I_l^m ⊗ W(b) ⊗ I_r^m)
           prod(k, 0, m-1, I_l^(m-1-k) ⊗ V(b+c(k+1)) ⊗ I_r^(m-1-k))

and A ⊗ W(n-c) is (A ⊗ I) (I ⊗ W(n-c)), the order of W(n-c) being (l r)^(m-1) times that of W(b).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from derive.formula.values import Stated
from derive.text.expressions import (
    FormulaError,
    Name,
    NotWhole,
    Number,
    Operation,
    Size,
    TooLarge,
    Values,
    declared_symbols,
    rebuilt,
    size_symbols,
    unused,
    value,
)
from derive.text.syntax import (
    Again,
    Called,
    Defined,
    Definition,
    Kron,
    Leaf,
    Ordered,
    Product,
    Text,
    Variable,
    leaf,
    replaced,
    sizes_of,
    symbols,
)

MOST_STEPS = 64
"""So many steps a definition takes down to its last case."""
INDEX = "_"
"""The index of a product in place of steps, which no symbol of a text is called."""
MOST_TERMS = 4096
"""So often its last case stands in it then."""


def statements(sides: Stated) -> str:
    """Return what stands before an equation: symbols that are sizes, definitions, and matrix
    variables with their sizes.
    """
    names = ", ".join(declared(sides))
    sizes = f"{names} : size; " if names else ""
    nodes = [node for side in (sides.left, sides.right) for node in defined_in(side)]
    definitions = dict.fromkeys(x.by for x in nodes if isinstance(x, Defined))
    variables = {x.declaration: x.name for x in nodes if isinstance(x, Variable)}
    used = {x.name for one in definitions for x in defined_in(one.body) if isinstance(x, Variable)}
    first, then = ([x for x in variables if (variables[x] in used) is own] for own in (True, False))
    letters, others = (f"{', '.join(row)}; " if row else "" for row in (first, then))
    return sizes + letters + "".join(map(stated, definitions)) + others


def declared(sides: Stated) -> list[str]:
    """Return the symbols that are declared to be sizes.

    >>> from derive.text.parse import parse
    >>> declared(parse("l, k : size; diag(j < n, k*l*j) = I(n)"))
    ['k', 'l']
    """

    def of(text: Text) -> set[str]:
        return set().union(*map(declared_symbols, sizes_of(text)), *map(of, text.parts))

    return sorted(of(sides.left) | of(sides.right)) if sides.left.typed else []


def stated(definition: Definition) -> str:
    """Return a definition as it stands before an equation."""
    last = (f", {last_case(definition, last)} = {base}" for last, base in definition.bases)
    return f"let {definition.head} = {definition.body}{''.join(last)}; "


def last_case(definition: Definition, last: int | None = None) -> Again:
    """Return the left side of a last case, the first unless it is given; of one at 0 where a
    definition has none.
    """
    first, at = next((last for last, _ in definition.bases), 0), definition.at
    arguments = [Name(parameter) for parameter in definition.parameters]
    number = Number(first if last is None else last)
    return Again(definition.name, (*arguments[:at], number, *arguments[at + 1 :]))


def defined_in(text: Text) -> list[Variable | Defined]:
    """Return a text's matrix variables and definitions, each after those that it is made of."""
    inner: tuple[Text, ...] = text.parts
    if isinstance(text, Defined):
        inner = (text.by.body, *(base for _, base in text.by.bases))
    found = [node for part in inner for node in defined_in(part)]
    return [*found, text] if isinstance(text, Variable | Defined) else found


def again_in(text: Text) -> Iterator[Again]:
    """Yield where a definition speaks of itself."""
    if isinstance(text, Again):
        yield text
    for part in text.parts:
        yield from again_in(part)


def unfolded(text: Defined, at: Values) -> Text:
    """Return what a definition says at these values of the symbols of its arguments.

    Raises NotWhole where its steps miss the last cases, TooLarge where they are many.
    """
    definition = text.by
    if not definition.bases:
        return plain(text)
    found, bases = value(text.arguments[definition.at], at), dict(definition.bases)
    values = dict(zip(definition.parameters, text.arguments, strict=True))
    values[definition.parameters[definition.at]] = Number(max(int(found), 0))
    if found in bases:
        return replaced(bases[int(found)], values)
    if found.denominator != 1 or found < min(bases):
        raise NotWhole(
            f"column {text.column}: {text} has {definition.parameters[definition.at]} = {found}:"
            f" {definition.head} comes down to {last_case(definition)}"
        )
    calls = [*again_in(definition.body)]
    down = (one.arguments[definition.at] for one in calls)
    halved = all(isinstance(x, Operation) and x.sign == "/" for x in down)
    steps = int(found).bit_length() if halved else int(found) - min(bases)
    if steps > MOST_STEPS or len(calls) ** steps > MOST_TERMS:
        raise TooLarge(f"column {text.column}: {text} takes too many steps at {found}")
    return _called(replaced(definition.body, values), definition)


def _called(text: Text, definition: Definition) -> Text:
    """Return a text in which a definition that speaks of itself is called."""
    if isinstance(text, Again):
        return Defined(definition, text.arguments, column=text.column)
    return rebuilt(text, lambda size: size, lambda part: _called(part, definition))


def plain(text: Defined) -> Text:
    """Return what a definition that does not speak of itself says."""
    values = dict(zip(text.by.parameters, text.arguments, strict=True))
    return replaced(text.by.body, values)


def closed(text: Defined) -> Text:
    """Return a definition without steps.

    Raises FormulaError where it does not have the form at the top.

    >>> from derive.text.parse import parse
    >>> left = parse("let W(n) = B(2^n) * I(2) (x) W(n-1), W(0) = I(1); W(m) = W(m)").left
    >>> print(closed(left))
    prod(_, 0, m-1, I(2^_) (x) B(2^(m-_))) * I(2^m) (x) I(1)
    """
    definition = text.by
    if not definition.bases:
        return plain(text)
    last, c, steps = _steps(text)
    taken = {name for one in text.arguments for name in size_symbols(one)}
    index = unused(INDEX, taken)
    parameter = unused(INDEX, {index, *taken})
    values = dict(zip(definition.parameters, text.arguments, strict=True))
    own = definition.parameters[definition.at]
    base = replaced(dict(definition.bases)[last], values | {own: Number(last)})
    body = _of_one(
        replaced(definition.body, values | {own: last + Name(parameter) * c}), definition.at
    )
    parts = _Parts.of(body, _smaller(body, parameter, base), parameter)
    final = steps - 1

    def stages(factors: Sequence[Text], at: Size, times: Size) -> list[Text]:
        row = [replaced(factor, {parameter: at}) for factor in factors]
        each = row[0] if len(row) == 1 else Product(tuple(row)) if row else base
        return [Ordered(index, Number(0), final, parts.placed(each, times))] if row else []

    k = Name(index)
    row = (
        *stages(parts.before, steps - k, k),
        parts.placed(base, steps),
        *stages(parts.after, k + 1, final - k),
    )
    return row[0] if len(row) == 1 else Product(row, column=text.column)


def _steps(text: Defined) -> tuple[int, int, Size]:
    """Return the last case that is reached, by how much each step comes down, and the number of
    steps. Raises FormulaError where they are not clear.
    """
    definition, n = text.by, text.arguments[text.by.at]
    down = {one.arguments[definition.at] for one in again_in(definition.body)}
    match [*down]:
        case [Operation("-", _, Number(c))]:
            rest = value(n, dict.fromkeys(size_symbols(n), 0))
            reached = (last for last, _ in definition.bases if (rest - last) % c == 0)
            if (last := max(reached, default=None)) is not None:
                return last, c, (n - last) / c
    raise _no_product(definition.body)


def _of_one(text: Text, at: int) -> Text:
    """Return a text that speaks of its definition with the argument that comes down alone."""
    if isinstance(text, Again):
        return replace(text, arguments=(text.arguments[at],))
    return rebuilt(text, lambda size: size, lambda part: _of_one(part, at))


@dataclass(frozen=True)
class _Parts:
    """U, the orders of I_l and I_r, and V of U (I_l ⊗ W(n-c) ⊗ I_r) V."""

    before: tuple[Text, ...] = ()
    left: tuple[Size, ...] = ()
    right: tuple[Size, ...] = ()
    after: tuple[Text, ...] = ()

    @staticmethod
    def of(text: Text, smaller: Size, n: str) -> _Parts:
        """Return the parts of a definition; `smaller` is the order of W(n-c)."""
        match text:
            case Again():
                return _Parts()
            case Product(factors):
                i = _only(factors)
                inner = _Parts.of(factors[i], smaller, n)
                before, after = factors[:i] + inner.before, inner.after + factors[i + 1 :]
                return _Parts(before, inner.left, inner.right, after)
            case Kron(operands):
                return _beside(operands, smaller, n)
        raise _no_product(text)

    def placed(self, inner: Text, times: Size) -> Text:
        """Return I_l^times ⊗ inner ⊗ I_r^times."""
        left, right = (
            tuple(_identity(d**times) for d in orders) for orders in (self.left, self.right)
        )
        return Kron((*left, inner, *right)) if left or right else inner


def _beside(operands: tuple[Text, ...], smaller: Size, n: str) -> _Parts:
    """Return the parts of A ⊗ U (I_l ⊗ W(n-1) ⊗ I_r) V ⊗ C."""
    i = _only(operands)
    inner = _Parts.of(operands[i], smaller, n)
    left, right = (tuple(one.size for one in row) for row in (operands[:i], operands[i + 1 :]))
    if n in symbols(Called("", left + right)):
        raise _no_product(operands[i])
    order: Any = prod([*inner.left, smaller, *inner.right])

    def within(factor: Text) -> Text:
        return Kron((*map(_identity, left), factor, *map(_identity, right)))

    own = Kron((*operands[:i], _identity(order), *operands[i + 1 :]))
    first = () if all(isinstance(x, Leaf) and x.name == "I" for x in own.operands) else (own,)
    return _Parts(
        (*first, *map(within, inner.before)),
        left + inner.left,
        inner.right + right,
        tuple(map(within, inner.after)),
    )


def _only(parts: tuple[Text, ...]) -> int:
    """Return which part speaks of the definition; raise FormulaError where it is not one."""
    found = [i for i, part in enumerate(parts) if any(again_in(part))]
    if len(found) != 1:
        raise _no_product(parts[0])
    return found[0]


def _smaller(body: Text, steps: str, base: Text) -> Size:
    """Return the order of W(n-c), which is `steps` - 1 steps above its base."""
    orders = _orders(body)
    return prod(orders) ** (Name(steps) - 1) * base.size if orders else base.size


def _orders(text: Text) -> list[Size]:
    """Return the orders of what stands beside W(n-c)."""
    match text:
        case Product(factors):
            return _orders(factors[_only(factors)])
        case Kron(operands):
            i = _only(operands)
            others = (one.size for one in operands[:i] + operands[i + 1 :])
            return [*others, *_orders(operands[i])]
    return []


def _identity(size: Size) -> Leaf:
    return leaf("I", size)


def _no_product(text: Text) -> FormulaError:
    return FormulaError(
        f"column {text.column}: a definition by W(n-c) is a product of symbolic length where it is"
        " U(n) (I_l ⊗ W(n-c) ⊗ I_r) V(n), of orders without n"
    )
