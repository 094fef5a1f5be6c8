"""Rewriting of formulas: equations that hold for all sizes, derived from the rules of
derive.rewriting.rules.

    normal form = I_n | layer ... layer          a product in one fixed order

An equation may hold and not be proved, since what is not visible is not done; then the answer is
None, never a refutation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from derive.formula.grammar import (
    DirectSum,
    Equation,
    Formula,
    Inverse,
    Kron,
    Product,
    Size,
    factors_of,
    product,
)
from derive.formula.permutation_matrices import Gamma, L, R, S
from derive.formula.transforms import A, AHat, B, ButterflySum, D, T
from derive.rewriting.rules import (
    RULES,
    Rule,
    between,
    everywhere,
    layer,
    mixed_product,
    once,
    without,
)
from derive.rewriting.sizes import divides, plain, quotient, whole
from derive.verdict import Derived

LIMIT = 200
"""So many steps at most: an assumption such as F = F F would rewrite for ever."""


@dataclass(frozen=True)
class Step:
    """A formula, and the name of the rule by which it equals the formula before it."""

    rule: str
    formula: Formula

    def __str__(self) -> str:
        return f"= {self.formula}    [{self.rule}]"


def fitted(x: Formula, pattern: Sequence[Formula]) -> tuple[Size, Size] | None:
    """Return (a, b) such that the layer x is I_a ⊗ pattern[0] ⊗ I_b."""
    (a, X, b), (c, Y, d) = layer(x), layer(pattern[0])
    return (quotient(a, c), quotient(b, d)) if X == Y and divides(c, a) and divides(d, b) else None


def widened(x: Formula, a: Size, b: Size) -> Formula:
    """Return the layer I_a ⊗ x ⊗ I_b."""
    c, X, d = layer(x)
    return between(a * c, X, d * b)


def replacing(left: Formula, right: Formula) -> Rule:
    """Return the rule: I_a ⊗ left ⊗ I_b = I_a ⊗ right ⊗ I_b, for `left` in normal form."""
    pattern = factors_of(left)

    def replace(formula: Formula) -> Formula | None:
        factors = factors_of(formula)
        for i, x in enumerate(factors):
            fit = fitted(x, pattern)
            rest = without(factors[i:], [widened(y, *fit) for y in pattern]) if fit else None
            if fit and rest is not None:
                return product([*factors[:i], between(fit[0], right, fit[1]), *rest])
        return None

    return replace


def normal_form(formula: Formula, assumptions: Iterable[Equation] = ()) -> tuple[Step, ...]:
    r"""Return the steps from a formula to its normal form; assumptions are used from left to right.

    Raises ValueError where there is no end of it.

    >>> from derive.formula.grammar import I, kron
    >>> from derive.formula.transforms import F
    >>> print(*normal_form(kron(F(2), I(4)) @ kron(I(2), kron(F(2), I(2)))), sep="\n")
    = (F_2 ⊗ I_4) (I_2 ⊗ F_2 ⊗ I_2)    [given]
    """
    assumed = tuple(
        (_by(equation), replacing(normal_form(equation.left)[-1].formula, equation.right))
        for equation in assumptions
    )
    steps = [Step("given", formula)]
    while len(steps) < LIMIT:
        step = _next(steps[-1].formula, RULES, assumed)
        if step is None:
            return tuple(steps)
        steps.append(step)
    raise ValueError(
        f"no end after {LIMIT} steps from {formula}: an assumption makes its own left side again"
    )


def _by(equation: Equation) -> str:
    return f"by {equation.name}"


def _next(
    formula: Formula, rules: Iterable[tuple[str, Rule]], assumed: Iterable[tuple[str, Rule]]
) -> Step | None:
    for apply, named in ((everywhere, rules), (once, assumed)):
        for name, rule in named:
            new = apply(rule, formula)
            if new != formula:
                return Step(name, new)
    return None


def derivation(
    left: Formula, right: Formula, assumptions: Sequence[Equation] = ()
) -> tuple[Step, ...] | None:
    r"""Return a chain of equal formulas from left to right, None where the two normal forms differ.

    >>> from derive.formula.grammar import I, kron
    >>> from derive.formula.transforms import F
    >>> left, right = kron(I(2), F(8)) @ kron(R(2), I(8)), kron(R(2), I(8)) @ kron(I(2), F(8))
    >>> print(*derivation(left, right), sep="\n")
    = (I_2 ⊗ F_8) (P_2 ⊗ I_8)    [given]
    = (I_2 ⊗ F_8)    [trivial cases]
    = (P_2 ⊗ I_8) (I_2 ⊗ F_8)    [trivial cases]
    """
    there, back = normal_form(left, assumptions), normal_form(right, assumptions)
    if there[-1].formula != back[-1].formula:
        return None
    return there + tuple(
        Step(later.rule, earlier.formula) for earlier, later in reversed(list(pairwise(back)))
    )


def prove_equal(
    left: Formula, right: Formula, assumptions: Sequence[Equation] = ()
) -> Derived | None:
    """Return the proof that left = right for all sizes for which both are defined, None where none
    is found.

    It rests on the assumptions, on the quotients that must be whole, and on the rules that were
    used.

    Raises ValueError where the sides have different sizes.

    >>> from derive.formula.grammar import I, kron
    >>> from derive.formula.transforms import F
    >>> print(prove_equal(kron(F(3), I(5)) @ kron(I(3), F(5)), kron(F(3), F(5))))
    derived for symbolic sizes: (F_3 ⊗ I_5) (I_3 ⊗ F_5) = (F_3 ⊗ F_5)
    >>> prove_equal(kron(F(3), F(5)), kron(F(5), F(3))) is None
    True
    """
    statement = Equation("", "", left, right)
    steps = derivation(left, right, assumptions)
    if steps is None:
        return None
    named = {step.rule for step in steps} - {"given"}
    used = [equation for equation in assumptions if _by(equation) in named]
    chains = (steps, *(normal_form(equation.left) for equation in used))
    rules = dict.fromkeys(
        step.rule
        for chain in chains
        for step in chain[1:]
        if step.rule not in {_by(equation) for equation in used}
    )
    stated = [f"{equation.name}: {equation}" for equation in used]
    return Derived(str(statement), (*stated, *conditions(step.formula for step in steps), *rules))


def prove_chain(lines: Sequence[Formula], assumptions: Sequence[Equation] = ()) -> Derived | None:
    """Return the proof that the first line equals the last, where every line visibly equals the
    next: a printed proof, checked.

    >>> from derive.formula.grammar import I
    >>> from derive.formula.transforms import F
    >>> prove_chain([F(2), F(2) @ I(2), F(2)]).statement
    'F_2 = F_2'
    """
    proofs = [prove_equal(left, right, assumptions) for left, right in pairwise(lines)]
    found = [proof for proof in proofs if proof is not None]
    if len(found) < len(proofs):
        return None
    return Derived(
        f"{lines[0]} = {lines[-1]}",
        tuple(dict.fromkeys(reason for proof in found for reason in proof.rests_on)),
    )


def leaves(formula: Formula) -> list[Formula]:
    """Return the leaves from left to right.

    >>> from derive.formula.grammar import I, kron
    >>> from derive.formula.transforms import F
    >>> [str(leaf) for leaf in leaves(kron(I(2), F(4)) @ L(8, 2))]
    ['I_2', 'F_4', 'L^8_2']
    """
    match formula:
        case Kron(left, right):
            return leaves(left) + leaves(right)
        case DirectSum(parts) | Product(parts):
            return [leaf for part in parts for leaf in leaves(part)]
        case Inverse(of):
            return leaves(of)
    return [formula]


def quotients(leaf: Formula) -> tuple[Size, ...]:
    """Return the numbers that must be positive integers for a leaf to be defined."""
    match leaf:
        case B(K):
            return (quotient(K, 2),)
        case D(K):
            return (quotient(K, 4),)
        case A(K, N):
            return quotient(K, 2), quotient(N, K)
        case T(N, s) | L(N, s) | S(s, N):
            return (quotient(N, s),)
        case ButterflySum(k, n, u):
            return u, quotient(k, 2), quotient(n, k)
        case Gamma(u, p, N):
            return quotient(p, u), quotient(N, p)
        case AHat(k, u, p, N):
            return quotient(p, u), quotient(N, p * k), quotient(k * u, 2)
    return (plain(leaf.size),)


def conditions(formulas: Iterable[Formula]) -> tuple[str, ...]:
    """Return what the sizes must satisfy for the formulas to be defined, beyond what is visible.

    >>> conditions([L(8, 2)])
    ()
    """
    found = [leaf for formula in formulas for leaf in leaves(formula)]
    needed = dict.fromkeys(size for leaf in found for size in quotients(leaf) if not whole(size))
    least = [
        size
        for size in needed
        if not any(other != size and divides(other, size) for other in needed)
    ]
    powers = dict.fromkeys(
        leaf.N for leaf in found if isinstance(leaf, R) and not isinstance(leaf.N, int)
    )
    return tuple(f"{size} is a positive integer" for size in least) + tuple(
        f"{N} is a power of two" for N in powers
    )


def combine(formula: Formula) -> Formula:
    """Return the formula with neighbouring Kronecker products of fitting factors merged.

    >>> from derive.formula.grammar import kron
    >>> from derive.formula.transforms import F
    >>> print(combine(kron(F(2), F(3)) @ kron(F(2), F(3))), "and", combine(kron(F(2), F(6)) @ kron(F(3), F(4))))
    ((F_2 F_2) ⊗ (F_3 F_3)) and (F_2 ⊗ F_6) (F_3 ⊗ F_4)
    """  # noqa: E501
    return everywhere(_merge, formula)


def _merge(formula: Formula) -> Formula | None:
    merged: list[Formula] = []
    for factor in factors_of(formula):
        last = mixed_product(merged[-1], factor) if merged else None
        merged[-1:] = [last] if last is not None else [*merged[-1:], factor]
    return product(merged) if len(merged) > 1 else merged[0]
