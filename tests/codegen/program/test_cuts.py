"""Where axes may be cut: at the places at which the digits of both layouts can be cut, too."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from codegen.program.digits.digit_places import Digit, digits_of, refined
from codegen.program.digits.routes import axis_cuts
from codegen.program.digits.routes.axis_cuts import fit, parts, ways
from codegen.requests import make_request
from codegen.shapes import on_grid
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.radices import dividing, divisors

NAMES = ("block", "cyclic", "group-cyclic:2", "cyclic-pairs")


def cuts_whole(n: int, runs: tuple[int, ...], layout: ArrayLayout, done: bool) -> bool:
    """Return whether the digits of a layout can be cut where runs are cut, and these where those
    are.
    """
    digits = [digit for part in digits_of(layout, done) for digit in part]
    made = [Digit(0, done, *part) for part in parts(n, runs, done)]
    try:
        return bool(refined(digits, made) and refined(made, digits))
    except ValueError:
        return False


def differing(n: int, p: int, ends: tuple[str, str]) -> list[tuple[int, ...]]:
    """Return the runs of an axis that fit, and cut digits otherwise than whole, or the converse."""
    source, target = (ArrayLayout(name, (n,), (p,)) for name in ends)
    chains = [chain for count in range(4) for chain in dividing(divisors(n)[1:-1], count)]
    several = [tuple(b // a for a, b in pairwise((1, *chain, n))) for chain in chains]
    return [
        runs
        for runs in several
        if fit(source, target, (runs,))
        != (cuts_whole(n, runs, source, False) and cuts_whole(n, runs, target, True))
    ]


@pytest.mark.parametrize("ends", [*product(NAMES, NAMES)], ids=" to ".join)
@pytest.mark.parametrize(("n", "p"), [(48, 4), (72, 6), (60, 2)])
def test_runs_fit_where_digits_are_cut_whole(n: int, p: int, ends: tuple[str, str]) -> None:
    assert not differing(n, p, ends)


def test_places_of_the_output_index_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(axis_cuts, "_divide", lambda place, weight: weight % place == 0)
    assert differing(48, 4, ("cyclic", "block"))


@pytest.mark.parametrize("every", [False, True])
def test_all_runs_that_are_tried_fit_and_those_of_few_runs_come_first(every: bool) -> None:
    source, target = (ArrayLayout(name, (144, 72), (12, 6)) for name in ("cyclic", "block,cyclic"))
    found = list(ways(source, target, every, 200))
    counts = [sum(map(len, runs)) for runs in found]
    assert len(found) > 3 and counts == sorted(counts)
    assert all(fit(source, target, runs) for runs in found)


def test_a_grid_is_chosen_for_axes_of_many_divisors() -> None:
    assert on_grid(make_request("fft", 720720**2, 720, shape=(720720, 720720))).grid == (720, 1)
