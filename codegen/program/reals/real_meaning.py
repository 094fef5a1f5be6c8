"""The meaning of a program for real input: its supersteps over an exact ring, beside the transform by
definition.

The complex transform is linear, so E and O, the transforms of the even and of the odd elements of x,
go through it one beside the other, and Z = E + i O. Conjugates are computed in the ring whose root of
unity is the inverse one, as x is real.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import lcm
from typing import Any

import numpy as np

from codegen.program.reals.untangle import Untangle
from derive.call_arguments import counted
from derive.exact.action import act
from derive.exact.claim import Claim
from derive.exact.exact_check import decide
from derive.exact.residues import Residues
from derive.exact.rings import Collision, Elements, Monomials, Ring, Sums
from derive.formula.transforms import F
from derive.verdict import Verdict


def check(program: Any) -> Verdict:
    """Return whether the supersteps make the half spectrum of real elements, or the elements from
    it, exactly.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> print(check(resolve(make_request("rfft", 16, 2))))
    checked: supersteps from block to block on 2 ranks = rows 0 to 8 of F_16, of a real vector (all 144 entries, exactly in Z[zeta_16])
    """  # noqa: E501
    N, back = program.N, not program.request.is_forward
    H = N // 2
    what = f"{'the inverse of ' * back}rows 0 to {H} of F_{N}, of a real vector"
    ends = f"from {program.input.name} to {program.output.name} on {counted(program.P, 'rank')}"
    roots = lcm(N, *(step.roots for step in program.steps))
    return decide(
        Claim(
            statement=f"supersteps {ends} = {what}",
            size=N,
            rows=N if back else H + 1,
            order=lcm(4, roots),
            roots=roots,
            growth=8 * N * (N if back else 1),
            left=(lambda x, ring: times(x, H, ring)) if back else (lambda x, ring: _half(x, ring)),
            right=lambda x, ring: (_backward if back else _forward)(program, x, ring),
        )
    )


def _half(x: Elements, ring: Ring) -> Elements:
    return act(F(len(x)), x, ring)[: len(x) // 2 + 1]


def times(x: Elements, number: int, ring: Ring) -> Elements:
    """Return x times an integer; raise Collision in rings that have none here."""
    if not isinstance(ring, Residues):
        raise Collision
    return ring.times(x, number % ring.field.q)


def _forward(program: Any, x: Elements, ring: Ring) -> Elements:
    """Return X[0], .., X[N/2]; raise Collision where sums of two are no elements of the ring."""
    at, untangle, place = _stage(program)
    first, last = program.steps[:at], program.steps[at + 1 :]
    begin = _addresses(program.input)

    def through(half: Elements, ring: Ring) -> Elements:
        return _run(first, _put(begin, half), ring)

    E, O = (through(half, ring) for half in (x[::2], x[1::2]))
    C, D = (
        conjugated(through, half, ring)[untangle.opposite] for half in (x[::2], x[1::2])
    )  # conj E and conj O at -m
    (even, more), (odd, less) = halves(E, C, ring), halves(O, D, ring)
    i, m, N = ring.order // 4, place, program.N
    low = ring.add(even, ring.twist(less, i, ring.order))
    high = ring.add(odd, ring.twist(more, 3 * i, ring.order))
    middle = ring.add(low[m == 0], ring.twist(high[m == 0], 1, 2))
    X = _run(last, ring.add(low, ring.twist(high, m, N)), ring)
    return np.concatenate([X[_addresses(program.output)], middle])


def _backward(program: Any, x: Elements, ring: Ring) -> Elements:
    """Return N/2 x from the half spectrum of x with the inverse root of unity."""
    at, untangle, m = _stage(program)
    begin, N = _addresses(program.input), program.N

    def given(x: Elements, ring: Ring) -> Elements:
        X = _half(x, ring)
        return np.concatenate([_run(program.steps[:at], _put(begin, X[:-1]), ring), X[-1:]])

    X, C = conjugated(given, x, ring), given(x, ring)
    opposite = np.where(m == 0, N // 2, untangle.opposite)
    E, O = halves(X[:-1], C[opposite], ring)
    O = ring.twist(O, m, N)
    y, place = np.empty_like(x), _addresses(program.output)
    for part, half in ((0, E), (1, O)):
        y[part::2] = _run(program.steps[at + 1 :], half, ring)[place]
    return y


def _stage(program: Any) -> tuple[int, Untangle, Elements]:
    """Return which step untangles, that step, and the pair m at each storage address of it."""
    at = next(i for i, step in enumerate(program.steps) if isinstance(step, Untangle))
    return at, program.steps[at], program.steps[at].pairs


def _addresses(layout: Any) -> Elements:
    """Return the storage address of each pair."""
    s, o = layout.place(np.arange(0, layout.N, 2))
    return (s * layout.M + o) // 2


def _put(addresses: Elements, x: Elements) -> Elements:
    y = np.empty_like(x)
    y[addresses] = x
    return y


def _run(steps: Sequence[Any], x: Elements, ring: Ring) -> Elements:
    for step in steps:
        x = step.interpret(x, ring)
    return x


def conjugated(run: Callable[[Elements, Ring], Elements], x: Elements, ring: Ring) -> Elements:
    """Return the complex conjugate of run(x, ring), x real; raise Collision in rings that do not
    have it here.
    """
    match ring:
        case Residues(field):
            return run(x, replace(ring, field=replace(field, w=pow(field.w, -1, field.q))))
        case Monomials(order):
            y = run(x, ring)
            return np.where(y < 0, y, -y % order)
    raise Collision


def reflection(z: Elements, c: Elements, ring: Ring) -> Elements:
    """Return (1 + i)/2 z + (1 - i)/2 c; raise Collision in rings that do not have it."""
    if not isinstance(ring, Residues | Sums):
        raise Collision
    return ring.reflected(z, c)


def halves(a: Elements, b: Elements, ring: Ring) -> tuple[Elements, Elements]:
    """Return (a + b)/2 and (a - b)/2; raise Collision where these are not in the ring."""
    minus = ring.twist(b, 1, 2)
    match ring:
        case Residues():
            return ring.divide(ring.add(a, b), 2), ring.divide(ring.add(a, minus), 2)
        case Monomials():
            if ((a == b) | (a == minus)).all():
                return np.where(a == b, a, -1), np.where(a == b, -1, a)
    raise Collision
