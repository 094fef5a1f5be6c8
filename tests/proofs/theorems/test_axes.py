"""The one exchange of any number of axes: at numbers, beside formulas as one types them, and
refused where one thing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from random import Random
from typing import Any

import pytest

import nodewright as nw
from proofs.kernel.numbers import Nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import F, I, Kron, S, Term
from proofs.lemmas.fourier_stages import twiddle
from proofs.prove.tactics import mul, tower
from proofs.theorems import theorems
from proofs.theorems.families import axes
from proofs.theorems.families.axes import AXES, RANKS, local, of_axis, tensor, whole
from tests.mutation.dense import compare, products

Sizes = tuple[tuple[int, int], ...]


def sizes(most: int) -> Iterator[Sizes]:
    """Yield p_k and e_k of up to three axes of at most so many elements together."""
    for d in range(4):
        for found in product(product((1, 2, 3), (1, 2, 3)), repeat=d):
            if prod(p * p * e for p, e in found) <= most:
                yield found


def numbers(found: Sizes) -> dict[str, Any]:
    ps, es = [p for p, _ in found], [e for _, e in found]
    return {"d": len(found), "P": products(*ps), "E": products(*es)}


def typed(found: Sizes) -> str:
    """Return the equation as one types it, the last axis first; K as permutations of digits."""

    def along(text: Callable[[int, int, int], str]) -> str:
        return " (x) ".join(f"({text(p, e, p * e)})" for p, e in reversed(found))

    P = prod(p for p, _ in found)
    gathered = []
    for k, (p, e) in enumerate(found):
        before = prod(q for q, _ in found[:k])
        after = prod(q * f for q, f in found[:k])
        outer = prod(q * q * f for q, f in found[k + 1 :])
        move = f"I({outer * p}) (x) L({before * p * e},{before}) (x) I({after})"
        gathered.insert(0, move)
    K = f"({' * '.join(gathered)})"
    return (
        f"{along(lambda p, e, n: f'F({p * n})')} = ({along(lambda p, e, n: f'L({p * n},{n})')})"
        f" * inv({K}) * (I({P}) (x) {along(lambda p, e, n: f'F({p}) (x) I({e})')}) * {K}"
        f" * ({along(lambda p, e, n: f'L({p * n},{p})')})"
        f" * ({along(lambda p, e, n: f'T({p * n},{n})')})"
        f" * inv({K}) * (I({P}) (x) {along(lambda p, e, n: f'F({n})')}) * {K}"
        f" * ({along(lambda p, e, n: f'L({p * n},{p})')})"
    )


@pytest.mark.long
def test_the_exchange_of_up_to_three_axes_holds_at_numbers() -> None:
    (theorem,) = theorems()["arrays-any-axes"].prove()
    tried = 0
    for found in sizes(20):
        at = numbers(found)
        assert compare(theorem.left, theorem.right, at, Random(1)) is None, found
        tried += 1
        if found:
            assert nw.check(typed(found)).holds, found
    assert tried > 60


# Wrong statements: the same proof with one thing changed

gathering, scattering, parts = axes.gathering, axes.scattering, axes.parts


def moved_to_the_other_side(k: Nat, l: Nat) -> Term:
    p, _, n = of_axis(k)
    moved = Kron(I(p), Kron(I(local(k)), S(RANKS.at(k), n)))
    return Kron(I(whole(k + l + 1) / whole(k + 1)), moved)


def changed(
    place: int, other: Callable[[Any, Any, Any], Term]
) -> Callable[[Nat], tuple[Term, ...]]:
    """Return the factors along an axis with another one at a place, of p, e and n."""

    def found(k: Nat) -> tuple[Term, ...]:
        return tuple(other(*of_axis(k)) if i == place else x for i, x in enumerate(parts(k)))

    return found


CHANGES: dict[str, tuple[str, Any]] = {
    "ranks stay": ("gathering", lambda k, l: I(whole(k + l + 1))),
    "ranks do not come back": ("scattering", lambda k, l: I(whole(k + l + 1))),
    "ranks are moved back": ("gathering", lambda k, l: scattering(l, k)),
    "ranks come back twice": ("scattering", lambda k, l: gathering(l, k)),
    "axes in reverse": ("gathering", lambda k, l: gathering(l, k)),
    "axes come back in reverse": ("scattering", lambda k, l: scattering(l, k)),
    "the next axis": ("gathering", lambda k, l: gathering(k + 1, l)),
    "ranks to the other side": ("gathering", moved_to_the_other_side),
    "no twiddles": ("parts", changed(3, lambda p, e, n: I(p * n))),
    "twiddles conjugated": ("parts", changed(3, lambda p, e, n: twiddle(p, n, -1))),
    "twiddles of the sizes swapped": ("parts", changed(3, lambda p, e, n: twiddle(n, p))),
    "the inverse stride": ("parts", changed(5, lambda p, e, n: S(n, p))),
    "no layout": ("parts", changed(2, lambda p, e, n: I(p * n))),
    "the inverse layout": ("parts", changed(0, lambda p, e, n: S(p, n))),
    "a conjugate": ("first_phase", lambda k: F(of_axis(k)[2], -1)),
    "the sides swapped": ("last_phase", lambda k: Kron(I(of_axis(k)[1]), F(of_axis(k)[0]))),
    "a transform less": ("last_phase", lambda k: I(of_axis(k)[2])),
}


def stated() -> tuple[Term, Term]:
    """Return both sides as the factors are now."""
    d = AXES
    one = [tensor(d, lambda k, i=i: axes.parts(k)[i], whole) for i in range(6)]  # type: ignore[misc]
    there, back = tower(d, axes.gathering), tower(d, axes.scattering)
    late, early = (
        mul(back, Kron(I(RANKS.at(d)), tensor(d, phase, local)), there)
        for phase in (axes.last_phase, axes.first_phase)
    )
    right = mul(one[0], late, one[2], one[3], early, one[5])
    return tensor(d, lambda k: F(whole(k + 1) / whole(k)), whole), right


def false_somewhere() -> bool:
    """Return whether numbers refute what is stated, or it has no meaning."""
    try:
        sides = stated()
    except Refused:
        return True
    tried = ((2, 1), (3, 1)), ((2, 2), (2, 1), (1, 2))
    return any(compare(*sides, numbers(found), Random(1)) is not None for found in tried)


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("what", CHANGES)
def test_a_wrong_exchange_is_refused(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    part, made = CHANGES[what]
    monkeypatch.setattr(axes, part, made)
    assert false_somewhere()
    with pytest.raises(Refused):
        axes.one_exchange.__wrapped__()


def test_the_exchange_as_it_is_is_proved() -> None:
    (theorem,) = axes.one_exchange.__wrapped__()
    assert not false_somewhere() and not theorem.hypotheses
    assert theorem.left == stated()[0] and theorem.left.shape == (whole(AXES), whole(AXES))
