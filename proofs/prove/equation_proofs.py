"""An equation of one's own for all sizes: proved, refuted at the smallest sizes that were found, or
undecided; checked where it has no symbols.

Small sizes come first: the same formulas at values of their symbols (`small_sizes.py`). A theorem
that is found is then compared with the text by a second reading of both (`proofs/meaning`), side by
side at random sizes. Where they differ, the translation is wrong, and the answer is undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from derive.text.elaborate import decided, equation
from derive.text.sorts import rationals
from derive.text.syntax import Sides
from derive.verdict import Checked, Proved, Refuted, Undecided
from proofs.kernel.kernel_rules import Thm, assume
from proofs.kernel.sealed import Refused
from proofs.meaning.claims import Claim
from proofs.prove.budget import OutOfTime, within
from proofs.prove.claimed import Differs, claim_of, compare_claim
from proofs.prove.conditions import Condition, in_words, not_put_in, put_in
from proofs.prove.proof_search import forget, prove, tried
from proofs.prove.sizes.random_values import At
from proofs.prove.small_sizes import Tried, compared
from proofs.prove.tactics import flattened, rules_of
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.symbols import Symbols

PARTS = 5
"""Comparisons take one of so many parts of the time, and the search begins."""


@dataclass(frozen=True)
class Answer:
    """The answer on an equation: a verdict, the values of the symbols at which it fails, the
    theorem that proves it, the symbols in its letters, the conditions that whole sizes imply, the
    equations of numbers that the theorem assumes, and that were checked, and what the theorem
    claims to be.
    """

    verdict: Proved | Checked | Refuted | Undecided
    tried: int
    values: dict[str, Fraction] | None = None
    theorem: Thm | None = None
    symbols: tuple[tuple[str, str], ...] = ()
    implied: tuple[str, ...] = ()
    given: tuple[Sides, ...] = ()
    claim: Claim | None = None


def proved(
    sides: Sides,
    conditions: list[Condition],
    tried: int,
    theorem: Thm,
    symbols: Symbols,
    claim: Claim,
    given: tuple[Sides, ...] = (),
    under: tuple[tuple[str, str], ...] = (),
) -> Answer:
    """Return that a theorem proves an equation, the conditions that whole sizes imply, and what is
    assumed, among those of the statement; undecided where it is not what it claims to be.
    """
    assumed = "".join(f", given {one}, which is checked" for one in given)
    statement = f"{sides}{in_words(conditions, symbols.implied)}{assumed}"
    try:
        compare_claim(claim, theorem)
    except Differs as error:
        return Answer(Undecided(statement, f"{error}"), tried)
    verdict = Proved(statement, rules_of((theorem,)), under)
    return Answer(verdict, tried, None, theorem, symbols.replaced, symbols.implied, given, claim)


def on_checking(sides: Sides) -> Thm:
    """Return an equation without symbols as a theorem under itself as its hypothesis, where every
    entry of it is checked exactly.

    Raises ValueError where it is not.

    >>> from derive.text.parse import parse
    >>> print(on_checking(parse("F(1) = I(1)")))
    F(1, 1) = I(1) |- F(1, 1) = I(1)
    """
    if sides.symbols:
        raise ValueError(f"{sides} has symbols: an equation is checked where its sizes are numbers")
    verdict = decided(equation(sides, {}))
    if not isinstance(verdict, Checked) or verdict.error:
        raise ValueError(f"not every entry is checked: {verdict}")
    terms, claim = claim_of(sides, [])
    theorem = assume(terms.left, terms.right)
    compare_claim(claim, theorem)
    return theorem


def decide_for_all(
    sides: Sides,
    conditions: list[Condition],
    seconds: float | None = None,
    always_search: bool = False,
) -> Answer:
    """Return whether an equation holds for all values of its symbols that fulfil the conditions and
    make all sizes whole.

    An equation without symbols is checked, and a proof of it is looked for with `always_search`
    only. Undecided where a search takes more seconds than are given.

    Raises FormulaError where sizes of factors differ at values that fulfil the conditions, and
    where no sizes are whole.

    >>> from derive.text.parse import parse
    >>> print(decide_for_all(parse("F(r*s) = F(s) (x) I(r) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)"), []).verdict.counterexample)
    at r = 1, s = 2: entry (0, 0) is 1 on the left and 2 on the right
    >>> print(decide_for_all(parse("sqrt(5) * I(2) = sum(k < 5, diag(j < 2, k^2/5))"), []).verdict)
    checked: sqrt(5) (x) I(2) = sum(k < 5, diag(j < 2, k^2/5)) (the nonzero entries of all 2 rows, exactly in Z[zeta_40])
    """  # noqa: E501
    statement, seen, small = f"{sides}{in_words(conditions)}", list[At](), list[Tried]()
    forget()
    try:
        with within(seconds):
            share = seconds and seconds / PARTS
            return _decided(statement, sides, conditions, seen, small, always_search, share)
    except OutOfTime:
        if small and small[0].alone is not None:
            return _checked(statement, small[0].alone, small[0].count)
        sizes = (
            f"true at {len(seen)} sizes that were compared" if seen else "no sizes were compared"
        )
        shown = f"{way} did not show it" if (way := tried()) else "no proof was looked for"
        return Answer(
            Undecided(
                statement, f"after {seconds:g} s: {sizes}, {shown}; more seconds may decide it"
            ),
            len(seen),
        )


def _decided(
    statement: str,
    stated: Sides,
    given: list[Condition],
    seen: list[At],
    finished: list[Tried],
    always_search: bool,
    share: float | None,
) -> Answer:
    """Return the answer; `seen` collects the values at which the equation holds, and `finished`
    what was found at all values, so that both are left where the time is over. Comparisons of an
    equation with symbols take `share` seconds at first, and the others come behind the search.
    """
    sides, conditions, defined = put_in(stated, given)
    fractions = rationals(stated, given)

    def at_sizes(found: list[At]) -> Tried:
        return compared(sides, conditions, defined, found, fractions)

    small, all_of_them = _at_first_sizes(at_sizes, seen, share if stated.symbols else None)
    if all_of_them:
        finished.append(small)
    if small.verdict is not None:
        return Answer(Refuted(statement, small.verdict.counterexample), small.count, small.at)
    if small.count == 0:
        return Answer(Undecided(statement, small.why), 0)
    if small.alone is not None and not (stated.symbols or always_search):
        return _checked(statement, small.alone, 1)
    found = _searched(stated, given, conditions)
    if not isinstance(found, str):
        theorem, symbols, claim = found
        return proved(stated, given, small.count, theorem, symbols, claim)
    if not all_of_them:
        finished.append(small := at_sizes([]))
        if small.verdict is not None:
            return Answer(Refuted(statement, small.verdict.counterexample), small.count, small.at)
    return _not_proved(statement, small, found)


def _at_first_sizes(
    at_sizes: Callable[[list[At]], Tried], seen: list[At], seconds: float | None
) -> tuple[Tried, bool]:
    """Return what is found at small sizes in so many seconds, and whether these are all of them;
    one size at least is compared, however long that takes.
    """
    try:
        with within(seconds):
            return at_sizes(seen), True
    except OutOfTime:
        return (Tried(len(seen)), False) if seen else (at_sizes([]), True)


def _searched(
    stated: Sides, given: list[Condition], conditions: list[Condition]
) -> tuple[Thm, Symbols, Claim] | str:
    """Return a theorem that proves an equation, and what it claims to be; or why there is none."""
    try:
        terms, claim = claim_of(stated, given)
        found = prove(terms.left, terms.right)
        theorem = found and flattened(found)
    except RecursionError:
        return "its products are nested too deeply for the search"
    except (Inexpressible, Refused) as error:
        return f"{error}{not_put_in(conditions)}"
    if theorem is None:
        return f"path sums and induction do not show it{not_put_in(conditions)}"
    return theorem, terms.symbols, claim


def _not_proved(statement: str, tried: Tried, why: str) -> Answer:
    """Return that an equation is checked that was compared at all of its sizes, and that any other
    is undecided.
    """
    if tried.alone is not None:
        return _checked(statement, tried.alone, tried.count)
    sizes = (
        "the only size that was tried"
        if tried.count == 1
        else f"all {tried.count} sizes that were tried"
    )
    return Answer(Undecided(statement, f"true at {sizes}; {why}"), tried.count)


def _checked(statement: str, found: Checked, count: int) -> Answer:
    return Answer(Checked(statement, found.evidence, found.error), count)


def at_small_sizes(sides: Sides, conditions: list[Condition]) -> Tried:
    """Return what a comparison at small sizes finds of an equation as it is written."""
    put, others, defined = put_in(sides, conditions)
    return compared(put, others, defined, None, rationals(sides, conditions))
