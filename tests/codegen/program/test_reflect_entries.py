"""Hartley transforms of arrays are decided in every entry, and what is wrong in one is refuted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from codegen.program import meaning
from codegen.program.digits.reflect import Reflect
from codegen.program.lower import lower
from codegen.program.meaning import check
from codegen.program.supersteps import Program
from codegen.shapes import stated
from codegen.spec import Spec
from derive.exact.rings import Elements
from derive.verdict import Checked


def of(size: str, ranks: str | int, B: int | None = None, *ends: str) -> Program:
    """Return the supersteps of Hartley transforms of arrays between two layouts."""
    names = dict(zip(("input", "output"), ends, strict=False))
    return lower(Spec("fht", **stated(size, ranks, B), **names))


EXACT = [
    ("24x16", 4, None, "all 147456 entries, exactly, as sums of roots of unity of order 48"),
    ("12x10", 2, None, "all 14400 entries, exactly, as sums of roots of unity of order 120"),
    ("7x5x3", 1, 3, "all 44100 entries, exactly, as sums of roots of unity of order 840"),
    ("8x8x8", 4, None, "all 262144 entries, exactly, as sums of roots of unity of order 8"),
    ("100", 4, 8, "all 160000 entries, exactly, as sums of roots of unity of order 200"),
    ("6x1x4", 1, None, "all 576 entries, exactly, as sums of roots of unity of order 24"),
]


@pytest.mark.parametrize(("size", "ranks", "B", "evidence"), EXACT)
def test_every_entry_is_compared_exactly(
    size: str, ranks: int, B: int | None, evidence: str
) -> None:
    verdict = check(of(size, ranks, B))
    assert isinstance(verdict, Checked)
    assert (verdict.evidence, verdict.error) == (evidence, 0)


@pytest.mark.long
@pytest.mark.parametrize(("size", "B"), [("64x64", None), ("1024", 8), ("16x16x16", None)])
def test_so_are_4096_elements(size: str, B: int | None) -> None:
    verdict = check(of(size, 4, B))
    assert verdict.evidence.startswith("all 16777216 entries, exactly")


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


CROSSED = ("cyclic,whole", "cyclic,whole")


def wrong(program: Program, kind: type[Reflect], axis: int) -> Program:
    """Return the program with other reflections along an axis."""
    found = [isinstance(step, Reflect) and step.axis == axis for step in program.steps]
    assert any(found)
    pairs = zip(program.steps, found, strict=True)
    return replace(program, steps=tuple(kind(**vars(step)) if it else step for step, it in pairs))


@pytest.mark.parametrize(
    ("kind", "axis", "size", "ranks", "B", "ends"),
    [
        (OfItself, 0, "16x9", "4x1", None, CROSSED),
        (OfTheNext, 0, "16x9", "4x1", None, CROSSED),
        (OfItself, 0, "48", 4, 4, ("cyclic", "cyclic")),
        (OfTheNext, 0, "48", 4, 3, ("cyclic", "cyclic")),
        (OfTheOtherAxis, 1, "8x6", "2x1", None, ("block,whole", "block,whole")),
    ],
)
def test_a_wrong_partner_or_axis_is_refuted(
    kind: type[Reflect], axis: int, size: str, ranks: str, B: int | None, ends: tuple[str, str]
) -> None:
    program = of(size, ranks, B, *ends)
    assert check(program).holds
    verdict = check(wrong(program, kind, axis))
    assert verdict.kind == "refuted" and "entry (" in str(verdict)


def test_a_wrong_sign_of_i_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(step: Reflect, x: Elements, ring: Any) -> Elements:
        return right(step, x[step.opposite], ring)

    right = meaning._reflected
    monkeypatch.setattr(meaning, "_reflected", turned)
    assert check(of("12x10", 2)).kind == "refuted"


@pytest.mark.parametrize("which", [0, 1])
def test_a_reflection_that_is_not_there_is_refuted(which: int) -> None:
    program = of("12x10", 2)
    there = [step for step in program.steps if isinstance(step, Reflect)]
    steps = tuple(step for step in program.steps if step is not there[which])
    assert check(replace(program, steps=steps)).kind == "refuted"
