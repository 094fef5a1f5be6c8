"""The search for plans: its figures are those of the programs, and nothing is cheaper."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from codegen.program.lower import lower
from codegen.search.best import Task, cheapest
from codegen.search.plans import Phase, Plan, sequences
from codegen.search.prices import Prices, figures_of
from codegen.spec import Spec
from derive.formula.grammar import Formula, I, kron
from derive.formula.layout import named
from derive.formula.permutation_matrices import stride
from derive.formula.transforms import F, T
from derive.text import elaborate
from derive.text.parse import parse_formula
from proofs.derivations.derivation import Derivation
from proofs.derivations.phases import in_phases

PRICES = [
    Prices(20000, 8),
    Prices(1, 1, 1, 1, 1),
    Prices(0, 0, 100, 0, 1),
    Prices(0, 50, 0, 0, 0),
    Prices(3, 0, 0, 1, 0),
]


def task(n: int, p: int, prices: Prices, ends: str = "block", kernels: str = "numpy") -> Task:
    before, _, after = ends.partition(" ")
    layouts = (named(name, 1 << n, 1 << p) for name in (before, after or before))
    return Task(*layouts, kernels, prices)


def factorization(plan: Plan) -> Formula:
    """Return the end of the plan's derivation, at its radices."""
    phases = in_phases(plan.n, plan.p, [(one.digits, one.group) for one in plan.phases])
    derived = Derivation(parse_formula(phases.start))
    for step in phases.steps():
        derived.apply(*step)
    return elaborate.formula(derived.formula, phases.values)


def compositions(bits: int) -> list[tuple[int, ...]]:
    return [
        (first, *rest)
        for first in range(1, bits + 1)
        for rest in (compositions(bits - first) if first < bits else [()])
    ]


def all_plans(n: int, p: int) -> Iterator[Plan]:
    """Yield every plan, by trying all."""

    def longer(phases: tuple[Phase, ...], K: int) -> Iterator[Plan]:
        if K == n:
            yield Plan(n, p, phases)
            return
        last = phases[-1].group if phases else -1
        for q in range(last + 1, p + 1) if phases else (0,):
            for bits in range(1, n - K + 1):
                if q <= K and K + bits <= n - p + q:
                    for digits in compositions(bits):
                        yield from longer((*phases, Phase(digits, q)), K + bits)

    yield from longer((), 0)


CASES = [
    (6, 2, "block", "numpy"),
    (6, 2, "cyclic", "numba"),
    (6, 3, "block cyclic", "numpy"),
    (7, 5, "cyclic", "numpy"),
    (5, 0, "block", "numpy"),
    (9, 3, "group-cyclic:2 block", "numba"),
]


@pytest.mark.long
@pytest.mark.parametrize(("n", "p", "ends", "kernels"), CASES)
def test_the_figures_of_plans_are_those_counted_of_their_programs(n, p, ends, kernels):
    asked = task(n, p, PRICES[0], ends, kernels)
    every = [plan for plan in all_plans(n, p) if plan.leaves <= 4]
    for plan in every[:: max(1, len(every) // 12)]:
        layouts = asked.input.name, asked.output.name
        spec = Spec("fft", 1 << n, 1 << p, *layouts, formula=factorization(plan), kernels=kernels)
        assert figures_of(lower(spec)) == asked.figures(plan), plan


@pytest.mark.parametrize("ends", ["block", "cyclic"])
@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize(("n", "p"), [(6, 2), (5, 3), (6, 0)])
def test_the_plans_found_are_the_cheapest_of_all(n, p, prices, ends):
    asked = task(n, p, prices, ends)
    wanted = sorted(asked.price(asked.figures(plan)) for plan in all_plans(n, p))
    found = [asked.price(asked.figures(plan)) for plan in cheapest(asked, 5)]
    assert found == pytest.approx(wanted[:5])
    assert len(set(cheapest(asked, 5))) == 5


@pytest.mark.parametrize(("n", "p"), [(2, 1), (4, 1), (6, 3), (7, 5), (5, 0)])
def test_plans_are_counted(n, p):
    assert sequences(n, p) == sum(1 for _ in all_plans(n, p))


@cache
def all_trees(n: int) -> list[Formula]:
    """Return every breakdown of F_2^n, each step in every form of Cooley & Tukey's equation."""
    found: list[Formula] = [F(1 << n)]
    for a in range(1, n):
        r, s = 1 << a, 1 << n - a
        N, twiddle = r * s, T(r * s, s)
        for left, right in product(all_trees(a), all_trees(n - a)):
            found += [
                kron(left, I(s)) @ twiddle @ kron(I(r), right) @ stride(N, r),
                stride(N, s) @ kron(I(r), right) @ twiddle @ kron(left, I(s)),
                kron(left, I(s)) @ twiddle @ stride(N, r) @ kron(right, I(r)),
                stride(N, r)
                @ kron(I(s), left)
                @ stride(N, s)
                @ twiddle
                @ kron(I(r), right)
                @ stride(N, r),
            ]
    return found


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("ends", ["block", "cyclic"])
@pytest.mark.parametrize(("n", "p"), [(3, 1), (4, 1), (4, 2)])
def test_no_breakdown_tree_in_any_form_is_cheaper(n, p, ends):
    every = set()
    for tree in all_trees(n):
        try:
            program = lower(Spec("fft", 1 << n, 1 << p, ends, ends, formula=tree))
        except ValueError:  # a leaf that no rank holds
            continue
        every.add(figures_of(program))
    for prices in (PRICES[0], PRICES[1], PRICES[3], PRICES[4]):
        asked = task(n, p, prices, ends)
        (plan,) = cheapest(asked, 1)
        assert asked.price(asked.figures(plan)) <= min(map(asked.price, every))


@pytest.mark.parametrize("before", ["block", "cyclic"])
def test_a_last_butterfly_between_two_ranks_costs_what_its_program_does(before):
    asked = task(8, 1, PRICES[0], f"{before} block", "numba")
    (plan,) = cheapest(asked, 1)
    assert str(plan) == "2^7 | 2 between the ranks"
    program = lower(Spec("fft", 256, 2, before, "block", kernels="numba"))
    assert figures_of(program) == asked.figures(plan)
    assert not any(
        plan.across
        for other in (
            task(8, 1, PRICES[0], "block", "numpy"),
            task(8, 1, PRICES[0], "cyclic", "numba"),
            task(8, 2, PRICES[0], "block", "numba"),
        )
        for plan in cheapest(other, 20)
    )


def test_a_plan_with_another_group_has_other_figures():
    asked = task(10, 6, PRICES[0], "cyclic")
    right = Plan(10, 6, (Phase((4,), 0), Phase((3,), 3), Phase((3,), 6)))
    other = Plan(10, 6, (Phase((4,), 0), Phase((3,), 4), Phase((3,), 6)))
    spec = Spec("fft", 1024, 64, "cyclic", "cyclic", formula=factorization(right))
    assert figures_of(lower(spec)) == asked.figures(right) != asked.figures(other)


@pytest.mark.parametrize("name", ["words", "passes"])
def test_prices_below_zero_are_refused(name):
    with pytest.raises(ValueError, match=f"the price of {name} must be a number >= 0; got -1"):
        Prices(**{"exchanges": 1, "words": 1, name: -1})
