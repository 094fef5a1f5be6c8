"""Hartley transforms of one vector by its pairs: what the supersteps compute, what they send, and
programs; wrong ones are refuted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.program.meaning import check
from codegen.program.reals import reflect
from codegen.program.reals.halves import Halves
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.requests import make_request
from codegen.systems.record import Request
from derive.digits.digit_factorization import hartley_by_halves
from derive.exact.exact_check import check as decide
from derive.verdict import Checked
from tests.support.arrays import hartley, transformed


def of(N: int, P: int, *ends: str, **options: str) -> Request:
    """Return the request for the transform of one vector between two layouts."""
    names = dict(zip(("input", "output"), ends, strict=False))
    return make_request("fht", N, P, shape=(N,), **names, **options)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("N", range(2, 26, 2))
def test_their_equation_holds(N: int, back: bool) -> None:
    verdict = decide(hartley_by_halves(N, back))
    assert verdict.holds and verdict.error < 2**-32


CASES = [
    (6000, 5, "block", "block", 4, 4080),
    (6000, 5, "block", "cyclic", 3, 3120),
    (6000, 5, "cyclic", "block", 3, 3120),
    (72, 3, "cyclic-pairs", "cyclic", 2, 40),
    (72, 3, "cyclic-pairs", "block", 3, 56),
    (72, 3, "cyclic", "cyclic-pairs", 2, 40),
    (40, 2, "block", "cyclic-pairs", 2, 20),
    (50, 5, "block", "block", 4, 34),
    (144, 4, "block", "cyclic-pairs", 4, 117),
    (24, 1, "cyclic", "block", 0, 0),
    (6, 1, "cyclic-pairs", "cyclic", 0, 0),
    (18, 3, "block", "block", 4, 18),
]


@pytest.mark.parametrize(("N", "P", "given", "wanted", "exchanges", "words"), CASES)
def test_supersteps_and_program_make_the_hartley_transform(
    N: int, P: int, given: str, wanted: str, exchanges: int, words: int
) -> None:
    asked = of(N, P, given, wanted)
    program, cost = resolve(asked), count(resolve(asked))
    assert program.halves and check(program).holds
    assert (cost.exchanges, cost.words) == (exchanges, words)
    x = np.random.default_rng(5).standard_normal(N)
    assert np.allclose(transformed(asked, x), hartley(x, (0,)))


def test_every_entry_is_compared_exactly() -> None:
    verdict = check(resolve(of(100, 5)))
    assert isinstance(verdict, Checked)
    assert verdict.evidence == "all 10000 entries, exactly, as sums of roots of unity of order 200"


@pytest.mark.parametrize("exchange", ["alltoall", "pairwise", "nonblocking"])
@pytest.mark.parametrize(
    ("N", "P", "given", "wanted"), [(48, 4, "cyclic-pairs", "block"), (36, 3, "cyclic", "block")]
)
@pytest.mark.parametrize("kernels", ["numpy", pytest.param("numba", marks=pytest.mark.long)])
def test_each_exchange_and_kernels(
    exchange: str, N: int, P: int, given: str, wanted: str, kernels: str
) -> None:
    asked = of(N, P, given, wanted, exchange=exchange, kernels=kernels)
    x = np.random.default_rng(5).standard_normal(N)
    assert np.allclose(transformed(asked, x), hartley(x, (0,)))


@pytest.mark.parametrize("kernels", ["numpy", pytest.param("numba", marks=pytest.mark.long)])
@pytest.mark.parametrize(("norm", "power"), [("ortho", 0.5), ("backward", 1), ("forward", 0)])
@pytest.mark.parametrize("given", ["block", "cyclic"])
def test_backward_has_numpys_norms_and_the_type_of_its_elements(
    kernels: str, norm: str, power: float, given: str
) -> None:
    options = {"direction": "backward", "norm": norm, "dtype": "float32", "kernels": kernels}
    x = np.random.default_rng(5).standard_normal(54).astype("float32")
    found = transformed(of(54, 3, given, **options), x)
    assert found.dtype == np.float32
    assert np.allclose(found, hartley(x.astype(float), (0,)) / 54**power, atol=1e-5)


@pytest.mark.parametrize("ends", [("block", "block"), ("cyclic", "block")])
def test_the_largest_numbers_do_not_overflow(ends: tuple[str, str]) -> None:
    x = np.zeros(36)
    x[0] = 1.5e308
    assert np.allclose(transformed(of(36, 3, *ends), x) / 1.5e308, 1)


def test_a_rank_holds_a_work_array_and_twiddles_as_large_as_its_part() -> None:
    text = emit(resolve(of(6000, 5)))
    assert "self.work = np.empty(M, DTYPE).view(COMPLEX)" in text
    assert text.count("COMPLEX, stop=G)") == 2 and "G, COMPLEX = 600" in text
    assert "plan.pairs" not in text


ENDS = ("block", "cyclic", "cyclic-pairs")


def price(asked: Request) -> tuple[int, int]:
    """Return the exchanges of a program, and the words of the rank that sends most."""
    cost = count(resolve(asked))
    return cost.exchanges, cost.words


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("N", "P"), [(96, 2), (216, 3), (48, 4), (80, 4), (2000, 4), (600, 5)])
@pytest.mark.parametrize("given", ENDS)
@pytest.mark.parametrize("wanted", ENDS)
def test_they_are_taken_where_they_send_no_more_and_as_seldom(
    N: int, P: int, given: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (given, wanted) == ("cyclic-pairs", "cyclic-pairs") and P % 2:
        with pytest.raises(ValueError, match="from cyclic-pairs to cyclic"):
            resolve(of(N, P, given, wanted))
        return
    asked = of(N, P, given, wanted)
    found, by_pairs = price(asked), resolve(asked).halves is not None
    reflect.best.cache_clear()
    monkeypatch.setattr(reflect, "halved", lambda *ends: ())
    other = (100, 0)  # where there is no other way
    with suppress(ValueError):
        other = price(asked)
    reflect.best.cache_clear()
    assert found <= other
    assert by_pairs or found == other


@pytest.mark.parametrize(("N", "P"), [(9, 3), (12, 2), (25, 5), (36, 6), (27, 1)])
def test_odd_vectors_and_ranks_that_pairs_do_not_fill_are_complex(N: int, P: int) -> None:
    assert resolve(of(N, P)).halves is None and check(resolve(of(N, P))).holds


class OfItself(Halves):
    """Ranks exchange with themselves."""

    def partner(self, ranks: Any) -> Any:
        return ranks

    @property
    def opposite(self) -> Any:
        return np.arange(self.P * self.M // 2)


class OfTheNext(Halves):
    """Pair m is taken to be opposite to -m - 1."""

    @property
    def opposite(self) -> Any:
        m = (-self.pairs - 1) % (self.P * self.M // 2)
        return m % self.P * (self.M // 2) + m // self.P


class OfBlocks(Halves):
    """Pairs are taken to lie in blocks."""

    @property
    def pairs(self) -> Any:
        return np.arange(self.P * self.M // 2)


class OneLater(Halves):
    """Pair m has the weight of pair m + 1."""

    @property
    def pairs(self) -> Any:
        return super().pairs + 1

    @property
    def opposite(self) -> Any:
        return Halves(self.M, self.P).opposite


@dataclass(frozen=True)
class Exchanged(Halves):
    """The two halves change places."""

    def interpret(self, x: Any, ring: Any) -> Any:
        given = self._turned(x) if self.back else x
        found = Halves(self.M, self.P, back=self.back).interpret(given, ring)
        return found if self.back else self._turned(found)

    def _turned(self, x: Any) -> Any:
        sides = x.reshape(self.P, 2, -1, *x.shape[1:])
        return sides[:, ::-1].reshape(x.shape)


def wrong(program: Program, of_right: Callable[[Halves], Any]) -> Program:
    """Return the program with another step between pairs and halves."""
    steps = (of_right(step) if isinstance(step, Halves) else step for step in program.steps)
    return replace(program, steps=tuple(steps))


@pytest.mark.parametrize("kind", [OfItself, OfTheNext, OfBlocks, OneLater, Exchanged])
@pytest.mark.parametrize("ends", [("block", "cyclic"), ("cyclic", "block"), ("block", "block")])
def test_wrong_halves_are_refuted(kind: type[Halves], ends: tuple[str, str]) -> None:
    program = resolve(of(72, 3, *ends))
    assert check(program).holds
    verdict = check(wrong(program, lambda step: kind(step.M, step.P, back=step.back)))
    assert verdict.kind == "refuted" and "entry (" in str(verdict)


def test_the_other_way_is_refuted() -> None:
    program = resolve(of(72, 3))
    assert check(wrong(program, lambda step: replace(step, back=not step.back))).kind == "refuted"
