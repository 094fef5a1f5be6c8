"""Factorizations with a symbolic number of radices: at numbers, beside formulas as one types them,
and refused where one thing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from random import Random
from typing import Any

import pytest

import nodewright as nw
from proofs.kernel.numbers import ONE, Nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import F, I, Kron, Mul, S, Term
from proofs.lemmas.fourier_stages import gamma, gamma_inverse, twiddle
from proofs.prove.tactics import mul
from proofs.theorems import theorems
from proofs.theorems.families import radix_families
from proofs.theorems.families.radix_families import LOCAL, RANKS, N, radix
from proofs.theorems.notation import equation
from tests.mutation.dense import compare, products

FAMILIES = {
    "any-radices": radix_families.any_radices,
    "bsp-fft-phases": radix_families.group_cyclic_phases,
}


def lists(most: int, allowed: tuple[int, ...] = (2, 3, 4, 5)) -> Iterator[tuple[int, ...]]:
    """Yield up to three radices whose product is at most this."""
    for H in range(4):
        yield from (rs for rs in product(allowed, repeat=H) if prod(rs) <= most)


def typed_stages(rs: tuple[int, ...]) -> str:
    """Return the factorization into stages as one types it."""
    size, s, stages, reversal = prod(rs), 1, [], []
    for r in rs:
        apart = f"I({size // (r * s)}) (x)"
        stages.insert(0, f"{apart} (F({r}) (x) I({s}) * T({r * s},{s}))")
        reversal.append(f"{apart} L({r * s},{r})")
        s *= r
    return f"F({size}) = {' * '.join([*stages, *reversal]) or 'I(1)'}"


def typed_phases(n: int, ds: tuple[int, ...]) -> str:
    """Return the group-cyclic factorization as one types it."""
    P, u, phases = prod(ds), 1, list[str]()
    for d in ds:
        v, g = u * d, P // (u * d)
        phase = f"I({P}) (x) F({d}) (x) I({n // d}) * I({g}) (x) L({v * n},{v})"
        phase += f" * I({g}) (x) T({v * n},{u * n}) * L({g * d},{g}) (x) I({u * n})"
        phases.insert(0, f"{phase} * I({g * d}) (x) L({u * n},{n})")
        u = v
    last = [f"L({n * P},{n})", *phases, f"I({P}) (x) F({n})", f"L({n * P},{P})"]
    return f"F({n * P}) = {' * '.join(last)}"


def test_any_radices_hold_at_all_lists_of_up_to_three_radices() -> None:
    (theorem,) = theorems()["any-radices"].prove()
    for rs in lists(60):
        at = {"H": len(rs), "N": products(*rs)}
        assert compare(theorem.left, theorem.right, at, Random(1)) is None, rs
        assert nw.check(typed_stages(rs)).holds, rs


def test_group_cyclic_phases_hold_at_all_lists_of_up_to_three_radices() -> None:
    (theorem,) = theorems()["bsp-fft-phases"].prove()
    found = 0
    for n in range(1, 13):
        for ds in lists(64 // n):
            if any(n % d for d in ds):
                continue
            at = {"H": len(ds), "n": n, "u": products(*ds)}
            assert compare(theorem.left, theorem.right, at, Random(1)) is None, (n, ds)
            assert nw.check(typed_phases(n, ds)).holds, (n, ds)
            found += 1
    assert found > 40


@pytest.mark.parametrize("name", FAMILIES)
def test_no_radix_and_one_radix_are_the_first_equations(name: str) -> None:
    """H = 0: F_1 = I, and one phase; H = 1: F_r, and two phases."""
    (theorem,) = theorems()[name].prove()
    for rs in ((), (1,), (4,), (1, 1), (1, 4, 1)):
        at: dict[str, Any] = {"H": len(rs), "n": 4, "N": products(*rs), "u": products(*rs)}
        assert compare(theorem.left, theorem.right, at, Random(1)) is None


# Wrong statements: the same proof with one thing changed


def stage(r: Any, s: Any, T: Term, before: Any) -> Term:
    return Kron(I(before), Mul(Kron(F(r), I(s)), T))


def wrong_stages() -> dict[str, Any]:
    """Return stages with one thing changed, of the same orders."""

    def part(k: Nat, l: Nat) -> tuple[Any, Any, Any]:
        return radix(k), N.at(k), N.at(k + l + 1) / N.at(k + 1)

    def built(k: Nat, l: Nat, change: Any) -> Term:
        r, s, before = part(k, l)
        return change(r, s, before)

    changes = {
        "no twiddles": lambda r, s, b: Kron(I(b), Kron(F(r), I(s))),
        "twiddles of the radices swapped": lambda r, s, b: stage(r, s, twiddle(s, r), b),
        "twiddles conjugated": lambda r, s, b: stage(r, s, twiddle(r, s, -1), b),
        "twiddles first": lambda r, s, b: Kron(I(b), Mul(twiddle(r, s), Kron(F(r), I(s)))),
        "a conjugate": lambda r, s, b: Kron(I(b), Mul(Kron(F(r, -1), I(s)), twiddle(r, s))),
        "the strides swapped": lambda r, s, b: Kron(I(b), Mul(Kron(I(s), F(r)), twiddle(r, s))),
        "on the other side": lambda r, s, b: Kron(Mul(Kron(F(r), I(s)), twiddle(r, s)), I(b)),
    }
    return {
        what: lambda k, l, change=change: built(k, l, change) for what, change in changes.items()
    } | {
        "the next radix": lambda k, l: radices_stage(k + 1, l),
        "the radices in reverse": lambda k, l: radices_stage(l, k),
    }


radices_stage, radices_shuffle, radices_phase = (
    radix_families.stage,
    radix_families.shuffle,
    radix_families.phase,
)
WRONG_SHUFFLES = {
    "the inverse": lambda k, l: Kron(I(N.at(k + l + 1) / N.at(l + 1)), S(N.at(l), radix(l))),
    "on the other side": lambda k, l: Kron(S(radix(l), N.at(l)), I(N.at(k + l + 1) / N.at(l + 1))),
    "the radices in reverse": lambda k, l: radices_shuffle(l, k),
    "no shuffle": lambda k, l: I(N.at(k + l + 1)),
    "the next radix": lambda k, l: radices_shuffle(k, l + 1),
}


def wrong_phases() -> dict[str, Any]:
    """Return phases with one thing changed."""

    def phase(change: str, k: Nat, l: Nat) -> Term:
        u, v, P, n = RANKS.at(k), RANKS.at(k + 1), RANKS.at(k + l + 1), LOCAL
        d, g = v / u, P / v
        T = twiddle(d, u * n, -1 if change == "twiddles conjugated" else 1)
        parts = {
            "transform": Kron(I(P), Kron(F(d), I(n / d))),
            "there": gamma(v, g, n),
            "twiddles": Kron(I(g), T),
            "groups": Kron(S(g, d), I(u * n)),
            "back": gamma_inverse(u, g * d, n),
        }
        parts |= {
            "the strides swapped": {"transform": Kron(I(P), Kron(I(n / d), F(d)))},
            "groups numbered backwards": {"groups": Kron(S(d, g), I(u * n))},
            "the layout behind": {"there": gamma(u, g * d, n)},
            "the layout before": {"back": gamma_inverse(v, g, n)},
            "the inverse layout": {"there": gamma_inverse(v, g, n)},
            "twiddles of the radices swapped": {"twiddles": Kron(I(g), twiddle(u * n, d))},
        }.get(change, {})
        left = [x for name, x in parts.items() if change != f"no {name}"]
        return mul(*left)

    return {
        what: lambda k, l, what=what: phase(what, k, l)
        for what in (
            *("no transform", "no there", "no twiddles", "no groups", "no back"),
            *("twiddles conjugated", "twiddles of the radices swapped", "the strides swapped"),
            *("groups numbered backwards", "the layout behind", "the layout before"),
            "the inverse layout",
        )
    } | {
        "the next radix": lambda k, l: radices_phase(k + 1, l),
        "the radices in reverse": lambda k, l: radices_phase(l, k),
    }


CHANGED = [
    *(("any-radices", "stage", what, made) for what, made in wrong_stages().items()),
    *(("any-radices", "shuffle", what, made) for what, made in WRONG_SHUFFLES.items()),
    *(("bsp-fft-phases", "phase", what, made) for what, made in wrong_phases().items()),
]


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize(
    ("name", "part", "made"),
    [(name, part, made) for name, part, _, made in CHANGED],
    ids=[f"{name}, {part}: {what}" for name, part, what, _ in CHANGED],
)
def test_a_wrong_family_is_refused(
    name: str, part: str, made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(radix_families, part, made)
    assert false_somewhere(name)
    with pytest.raises(Refused):
        FAMILIES[name].__wrapped__()


def false_somewhere(name: str) -> bool:
    """Return whether numbers refute a family as its stages are now, or it has no meaning."""
    H = radix_families.H
    n, P = LOCAL, RANKS.at(H)
    try:
        if name == "any-radices":
            sides = F(N.at(H)), radix_families.stages(H)
        else:
            sides = (F(P * n), Mul(gamma_inverse(P, ONE, n), radix_families.before(H, Nat.of(0))))
    except Refused:
        return True
    at = {"H": 3, "n": 12, "N": products(2, 3, 4), "u": products(2, 3, 2)}
    return compare(*sides, at, Random(1)) is not None


def test_the_changes_are_what_is_refused() -> None:
    for name, proof in FAMILIES.items():
        (theorem,) = proof.__wrapped__()
        assert not theorem.hypotheses and not false_somewhere(name)


def test_an_equation_says_what_radices_divide() -> None:
    (theorem,) = theorems()["bsp-fft-phases"].prove()
    assert equation(theorem).startswith("u_{i + 1} u_{i}^-1 | n ⊢ F_{n u_{H}} = ")
