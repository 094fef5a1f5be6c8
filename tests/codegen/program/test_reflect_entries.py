"""Hartley transforms of arrays are decided in every entry, and what is wrong in one is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from codegen.program.digits.digit_supersteps import Turn
from codegen.program.meaning import check
from codegen.program.protocol import Step, Unit
from codegen.program.reals.hartley_rows import Rows
from codegen.program.reals.real_meaning import reflection
from codegen.program.reals.reflect import Reflect
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.requests import make_request
from codegen.shapes import stated
from derive.digits.radices import identity
from derive.exact.rings import Elements, Ring
from derive.verdict import Checked


def of(size: str, ranks: str | int, B: int | None = None, *ends: str) -> Program:
    """Return the supersteps of Hartley transforms of arrays between two layouts."""
    names = dict(zip(("input", "output"), ends, strict=False))
    return resolve(make_request("fht", **stated(size, ranks, B), **names))


EXACT = [
    ("24x16", 4, None, "all 147456 entries, exactly, as sums of roots of unity of order 48"),
    ("12x10", 2, None, "all 14400 entries, exactly, as sums of roots of unity of order 120"),
    ("7x5x3", 1, 3, "all 99225 entries, exactly, as sums of roots of unity of order 840"),
    ("8x8x8", 4, None, "all 262144 entries, exactly, as sums of roots of unity of order 8"),
    ("100", 4, 8, "all 640000 entries, exactly, as sums of roots of unity of order 200"),
    ("6x1x4", 1, None, "all 576 entries, exactly, as sums of roots of unity of order 24"),
]


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(("size", "ranks", "B", "evidence"), EXACT)
def test_every_entry_is_compared_exactly(
    size: str, ranks: int, B: int | None, evidence: str
) -> None:
    verdict = check(of(size, ranks, B))
    assert isinstance(verdict, Checked)
    assert (verdict.evidence, verdict.error) == (evidence, 0)


@pytest.mark.long
@pytest.mark.parametrize(("size", "B"), [("64x64", None), ("1024", 4), ("16x16x16", None)])
def test_so_are_4096_elements(size: str, B: int | None) -> None:
    verdict = check(of(size, 4, B))
    assert verdict.evidence.startswith("all 16777216 entries, exactly")


@pytest.mark.parametrize("ends", [("block,whole", "block,whole"), ("whole,block", "block,whole")])
@pytest.mark.parametrize("n", [4, 16, 0])
def test_rows_of_another_length_or_none_are_refuted(ends: tuple[str, str], n: int) -> None:
    program = of("8x8", "2x1" if ends[0] == "block,whole" else "1x2", None, *ends)
    others = [step for step in program.steps if not isinstance(step, Rows)]
    rows = [replace(step, n=n) for step in program.steps if isinstance(step, Rows)]
    assert len(rows) == 1 and check(program).holds
    first = isinstance(program.steps[0], Rows)
    wrong = (rows * (n > 0) + others) if first else (others + rows * (n > 0))
    assert check(replace(program, steps=tuple(wrong))).kind == "refuted"


def test_beyond_random_vectors_decide() -> None:
    verdict = check(of("128x64", 4))
    assert "random vectors" in verdict.evidence and 0 < verdict.error < 2**-32


class OfItself(Reflect):
    """Ranks exchange with themselves."""

    def partner(self, ranks: Any) -> Any:
        return ranks


class OfTheNext(Reflect):
    """Ranks exchange with -s - 1, not with -s."""

    def partner(self, ranks: Any) -> Any:
        own = ranks // self.beside % self.across
        return ranks + (-own - 1) % self.across * self.beside - own * self.beside


class OfTheOtherAxis(Reflect):
    """Elements are turned round along the other of two axes of a rank."""

    @property
    def shape(self) -> tuple[int, int, int]:
        arrays, m, inner = super().shape
        return arrays * m, inner, 1


@dataclass(frozen=True)
class Conjugate(Step):
    """A reflection with -i for i: (1 - i)/2 z[k] + (1 + i)/2 z[-k] is what it has at -k."""

    right: Reflect

    @property
    def unit(self) -> Unit:
        return self.right.unit

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        return reflection(x[self.right.opposite], x, ring)


def wrong(program: Program, axis: int, of: Callable[[Reflect], Any]) -> Program:
    """Return the program with another step for the reflection along an axis."""
    (at,) = (
        i for i, step in enumerate(program.steps) if isinstance(step, Reflect) and step.axis == axis
    )
    step = of(program.steps[at])  # type: ignore[arg-type]
    return replace(program, steps=(*program.steps[:at], step, *program.steps[at + 1 :]))


WHOLE = ("cyclic,whole", "cyclic,whole")
CYCLIC = ("cyclic", "cyclic")
BLOCK = ("block", "block")
WRONG = [
    (OfItself, 0, "16x9", "4x1", 2, WHOLE),
    (OfTheNext, 0, "16x9", "4x1", 2, WHOLE),
    (OfItself, 0, "48", 4, 2, CYCLIC),
    (OfTheNext, 0, "48", 4, 3, CYCLIC),
    (OfTheOtherAxis, 1, "8x9", 4, 5, BLOCK),
    (Conjugate, 0, "8x6", 2, 2, BLOCK),
    (Conjugate, 1, "8x9", 4, 5, BLOCK),
    (Conjugate, 0, "48", 4, 2, CYCLIC),
]


@pytest.mark.parametrize(("kind", "axis", "size", "ranks", "B", "ends"), WRONG)
def test_a_wrong_partner_axis_or_sign_is_refuted_by_an_entry(
    kind: type, axis: int, size: str, ranks: str | int, B: int, ends: tuple[str, str]
) -> None:
    program = of(size, ranks, B, *ends)
    assert check(program).holds
    of_kind = Conjugate if kind is Conjugate else lambda step: kind(**vars(step))
    verdict = check(wrong(program, axis, of_kind))
    assert verdict.kind == "refuted" and "entry (" in str(verdict)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_reflection_that_is_not_there_is_refuted(axis: int) -> None:
    program = of("8x9", 4, 5)
    without = wrong(program, axis, lambda step: Turn(identity(program.M), program.P))
    assert check(without).kind == "refuted"
