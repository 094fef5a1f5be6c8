"""Hypotheses of one's own: equations that nobody has proved. What is derived with them is proved
under them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from derive.text.definitions import defined_in
from derive.text.parse import parse, parse_relations
from derive.text.sorts import naturals_and_reals
from derive.text.syntax import Sides, Text, Variable
from derive.verdict import Verdict
from proofs.derivations.rules import Rule
from proofs.kernel.kernel_rules import Hypothesis, Thm, assume
from proofs.kernel.numbers import Nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import free
from proofs.prove.claimed import claim_of, compare_claim
from proofs.prove.conditions import Condition, in_words, lower, put_in
from proofs.prove.equation_proofs import at_small_sizes
from proofs.prove.small_sizes import Tried
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.symbols import Symbols


class NotTrue(ValueError):
    """An equation is refused as a rule; `counterexample` is what refutes it, None where it is not
    decided.
    """

    def __init__(self, message: str, verdict: Verdict) -> None:
        super().__init__(message)
        self.counterexample = verdict.counterexample


def _of_all(sides: Sides) -> str:
    """Return of which matrices an equation with matrix variables speaks, in words."""
    variables = (x for side in (sides.left, sides.right) for x in defined_in(side))
    declared = dict.fromkeys(x.declaration for x in variables if isinstance(x, Variable))
    every = f"; a hypothesis must hold for every matrix {', '.join(declared)}"
    return every if declared else ""


@dataclass(frozen=True, kw_only=True)
class Assumed(Rule):
    """A rule that is assumed for all sizes; `stated` is the equation with its conditions, of which
    `sides` has those that stand for symbols put in.
    """

    stated: Sides
    where: str
    theorem: Thm

    @property
    def hypotheses(self) -> frozenset[Hypothesis]:
        """What the kernel assumes."""
        return self.theorem.hypotheses

    @property
    def equation(self) -> str:
        """The equation with its conditions in words."""
        return f"{self.stated}{in_words(parse_relations(self.where))}"


def assumed(name: str, equation: str, where: str = "", known: Iterable[Text] = ()) -> Assumed:
    """Return an equation as a theorem under itself as its hypothesis, for all values of its
    symbols and all matrices; it may speak of what texts that are known define and declare.

    Raises NotTrue, a ValueError, where small sizes refute it, with its counterexample. Raises
    ValueError where none could be tried; where the kernel has no terms for it; for sizes that are
    not whole at all values; and for conditions that not all values fulfil.

    >>> print(assumed("inverses", "L(r*s,r) * L(r*s,s) = I(r*s)").theorem)
    Mul(S(r, s), S(s, r)) = I(r*s) |- Mul(S(r, s), S(s, r)) = I(r*s)
    >>> assumed("wrong", "F(n) = I(n)")
    Traceback (most recent call last):
    proofs.derivations.hypotheses.NotTrue: hypothesis wrong is refuted: at n = 2: entry (0, 1) is 1 on the left and 0 on the right
    """  # noqa: E501
    sides, conditions = parse(equation, known), parse_relations(where)
    found = at_small_sizes(sides, conditions)
    if found.verdict is not None:
        wrong = f"hypothesis {name} is refuted: {found.verdict.counterexample}{_of_all(sides)}"
        raise NotTrue(wrong, found.verdict)
    if not found.count:
        raise ValueError(f"hypothesis {name}: {found.why}")
    try:
        terms, claim = claim_of(sides, conditions)
        theorem = assume(terms.left, terms.right, *free(terms.left, terms.right))
    except (Inexpressible, Refused) as error:
        raise ValueError(f"hypothesis {name}: {error}") from error
    read, others, _ = put_in(sides, conditions)
    if why := _exception(found, terms.symbols, read, others):
        raise ValueError(f"hypothesis {name} {why}")
    compare_claim(claim, theorem)
    return Assumed(name, read, "a hypothesis", theorem=theorem, stated=sides, where=where)


def _exception(found: Tried, symbols: Symbols, read: Sides, others: list[Condition]) -> str:
    """Return at which sizes an equation does not hold or says nothing, in words; "" for none: what
    the kernel assumes is the equation at all sizes.
    """
    if replaced := symbols.replaced:
        needs = ", ".join(f"{value} for {symbol}" for symbol, value in replaced)
        return f"holds for some sizes only: write {needs}"
    if found.not_whole is not None:
        return (
            "is not defined for all sizes, as a hypothesis must be: write it with other sizes;"
            f" {found.not_whole}"
        )
    sizes = read.symbols - naturals_and_reals(read)[0]
    if counts := sorted(x for x in sizes if type(symbols.values.get(x)) is Nat):
        return (
            f"has a sum of {', '.join(counts)} terms, where the kernel also allows none: write it"
            " with a number of terms"
        )
    for a, relation, b in others:
        bounds = lower([(a, relation, b)])
        if not bounds or max(bounds.values()) > 1:  # n >= 1 holds at all sizes
            return (
                f"holds for some sizes only, {a} {relation} {b}, and a hypothesis must hold for all"
                " sizes: write it with numbers, or without this condition"
            )
    return ""
