"""An equation of one's own for all sizes: proved, refuted at the smallest sizes that were found, or undecided.

Small sizes come first: the same formulas at values of their symbols, compared entry by entry. So a proof is never the only
reading of a text, and a proof of something else than is written would be seen at the sizes that are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from derive.syntax import FormulaError, Name, NotWhole, Number, Operation, Sides, Size, replaced, size_replaced, size_symbols, symbols, value
from derive.verdict import Proved, Refuted, Undecided
from derive.written import decided, equation
from proofs.kernel import Thm
from proofs.search import prove
from proofs.tactics import flattened
from proofs.terms import Refused
from proofs.theorems import rules_of
from proofs.translate import Inexpressible, Translated, naturals_and_reals, translate

Condition = tuple[Size, str, Size]
NATURALS, SIZES, ALPHAS = tuple(range(7)), (*range(1, 10), 12, 16), tuple(map(Fraction, ("0", "1/2", "1/3", "1", "2")))
"""The values that are tried for exponents, sizes and alphas."""
LARGEST = 128
"""Matrices of more rows are not tried."""
MOST_TRIED = 160
"""So many values of the symbols are tried, the smallest matrices first."""
MOST_LOOKED_AT = 20000


@dataclass(frozen=True)
class Answer:
    """What was found of an equation: a verdict, the values of the symbols at which it fails, the theorem that proves it."""

    verdict: Proved | Refuted | Undecided
    tried: int
    values: dict[str, Fraction] | None = None
    theorem: Thm | None = None
    symbols: tuple[tuple[str, str], ...] = ()


def decide_for_all(sides: Sides, conditions: list[Condition]) -> Answer:
    """Return whether an equation holds for all values of its symbols that fulfil the conditions and make all sizes whole.

    Raises FormulaError where sizes of factors differ at values that fulfil the conditions, and where none were found.

    >>> from derive.parse import parse
    >>> print(decide_for_all(parse("F(r*s) = F(s) (x) I(r) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)"), []).verdict.counterexample)
    at r = 1, s = 2: entry (0, 0) is 1 w_4^0 on the left and 2 w_4^0 on the right
    """
    statement = f"{sides}{_for_all(conditions)}"
    sides, conditions, defined = _put_in(sides, conditions)
    tried = _tried(sides, conditions, defined)
    if tried.verdict is not None:
        return Answer(Refuted(statement, tried.verdict.counterexample), tried.count, tried.at)
    count = tried.count
    if count == 0 and not conditions:
        raise FormulaError(f"{sides}: no values of its symbols up to {SIZES[-1]} make all sizes whole")
    if count == 0:
        why = f"nothing was compared: no values that were tried fulfil the conditions and make all sizes whole, and at most {LARGEST}"
        return Answer(Undecided(statement, why), 0)
    try:
        terms = translate(sides, _lower(conditions), _above(conditions))
        theorem = prove(terms.left, terms.right)
    except (Inexpressible, Refused) as error:
        return Answer(Undecided(statement, f"true at all {count} sizes that were tried; {error}"), count)
    if theorem is None:
        return Answer(Undecided(statement, f"true at all {count} sizes that were tried; path sums and induction do not show it"), count)
    theorem = flattened(theorem)
    return Answer(Proved(statement, rules_of((theorem,))), count, None, theorem, terms.repairs)


@dataclass(frozen=True)
class Tried:
    """An equation at small sizes: how many were compared, and where it fails."""

    count: int
    verdict: Refuted | None = None
    at: dict[str, Fraction] | None = None


def at_small_sizes(sides: Sides, conditions: list[Condition]) -> Tried:
    """Return what a comparison entry by entry finds of an equation as it is written."""
    return _tried(*_put_in(sides, conditions))


def _tried(sides: Sides, conditions: list[Condition], defined: dict[str, Size]) -> Tried:
    count = 0
    given_by_sizes = {name: size for name, size in defined.items() if size_symbols(size)}
    for at in islice(instances(sides, conditions), MOST_TRIED):
        if any(value(size, at).denominator != 1 for size in given_by_sizes.values()):
            continue  # N = r/3 is a size at every third r only
        count += 1
        found = decided(equation(sides, at))
        if isinstance(found, Refuted):
            at |= {name: value(size, at) for name, size in defined.items()}
            given = ", ".join(f"{name} = {at[name]}" for name in sorted(at))
            counterexample = f"at {given}: {found.counterexample}" if given else found.counterexample
            return Tried(count, Refuted(f"{sides}", counterexample), at)
    return Tried(count)


def terms_of(sides: Sides, conditions: list[Condition]) -> Translated:
    """Return the terms of the kernel that an equation and its conditions are proved as."""
    sides, conditions, _ = _put_in(sides, conditions)
    return translate(sides, _lower(conditions), _above(conditions))


def _for_all(conditions: list[Condition]) -> str:
    return f", where {', '.join(f'{a} {relation} {b}' for a, relation, b in conditions)}" if conditions else ""


def _put_in(sides: Sides, conditions: list[Condition]) -> tuple[Sides, list[Condition], dict[str, Size]]:
    """Return an equation with N = r*s put in for N where that is a condition, the other conditions, and what was put in.

    A size that is put in has no symbol that is itself put in.
    """
    defined: dict[str, Size] = {}
    others: list[Condition] = []
    used: set[str] = set()
    for left, relation, right in conditions:
        inner = size_symbols(right)
        if isinstance(left, Name) and relation == "=" and left.name not in used | inner | defined.keys() and not inner & defined.keys():
            defined[left.name] = right
            used |= inner
        else:
            others.append((left, relation, right))
    others = [tuple(x if isinstance(x, str) else size_replaced(x, defined) for x in condition) for condition in others]  # type: ignore[misc]
    return Sides(replaced(sides.left, defined), replaced(sides.right, defined)), others, defined


def _lower(conditions: list[Condition]) -> dict[str, int]:
    """Return the bounds from below that conditions put on single symbols; the others only restrict what is tried."""
    found: dict[str, int] = {}
    for left, relation, right in conditions:
        for a, sign, b in ((left, relation, right), (right, {"<=": ">=", "<": ">"}.get(relation, ""), left)):
            if isinstance(a, Name) and sign in (">=", ">") and not size_symbols(b):
                bound = value(b, {})
                least = -(-bound.numerator // bound.denominator) if sign == ">=" else bound.numerator // bound.denominator + 1
                found[a.name] = max(found.get(a.name, 0), least)
    return found


def _above(conditions: list[Condition]) -> dict[str, Size]:
    """Return the symbols that conditions bound from below by others, n >= m or n >= m + 1, those first that bound others."""
    found: dict[str, Size] = {}
    for left, relation, right in conditions:
        for a, sign, b in ((left, relation, right), (right, {"<=": ">=", "<": ">"}.get(relation, ""), left)):
            if isinstance(a, Name) and sign in (">=", ">") and size_symbols(b):
                found.setdefault(a.name, b if sign == ">=" else Operation("+", b, Number(1)))
    ordered: dict[str, Size] = {}
    while found:
        name = next((name for name, bound in found.items() if not size_symbols(bound) & found.keys()), None)
        if name is None:
            return ordered
        ordered[name] = found.pop(name)
    return ordered


def instances(sides: Sides, conditions: list[Condition]) -> Iterator[dict[str, Fraction]]:
    """Yield values of the symbols that fulfil the conditions and make all sizes whole, those of the smallest matrices first.

    >>> from derive.parse import parse, parse_relations
    >>> [int(at["n"]) for at in instances(parse("I(2^n) = I(2^n)"), parse_relations("n >= 2"))]
    [2, 3, 4, 5, 6]
    """
    naturals, alphas = naturals_and_reals(sides)
    names = sorted(symbols(sides.left) | symbols(sides.right))
    unknown = {name for a, _, b in conditions for name in size_symbols(a) | size_symbols(b)} - set(names)
    if unknown:
        raise FormulaError(f"--where speaks of {', '.join(sorted(unknown))}: the symbols are {', '.join(names) or 'none'}")
    least = _lower(conditions)
    ranges = [ALPHAS if name in alphas else _from(NATURALS if name in naturals else SIZES, least.get(name, 0)) for name in names]
    fitting = []
    for values in islice(_diagonally(ranges), MOST_LOOKED_AT):
        at = {name: Fraction(v) for name, v in zip(names, values, strict=True)}
        try:
            if all(_holds(condition, at) for condition in conditions):
                rows = equation(sides, at).left.size
                if rows <= LARGEST:
                    fitting.append((rows, values, at))
        except NotWhole:
            continue
    yield from (at for _, _, at in sorted(fitting, key=lambda one: one[:2]))


def _from(values: tuple[int, ...], least: int) -> tuple[int, ...]:
    """Return the values that are tried, and a few from the bound on, where that is beyond them."""
    return values if least <= values[-1] else tuple(range(least, least + len(NATURALS)))


def _diagonally(ranges: list[tuple[int, ...] | tuple[Fraction, ...]]) -> Iterator[tuple[Fraction | int, ...]]:
    """Yield all choices of values, those of small positions first."""
    positions = sorted(islice(product(*(range(len(r)) for r in ranges)), MOST_LOOKED_AT), key=lambda at: (sum(at), at))
    for position in positions:
        yield tuple(r[i] for r, i in zip(ranges, position, strict=True))


def _holds(condition: Condition, at: dict[str, Fraction]) -> bool:
    left, relation, right = condition
    a, b = value(left, at), value(right, at)
    return {"=": a == b, ">=": a >= b, ">": a > b, "<=": a <= b, "<": a < b}[relation]
