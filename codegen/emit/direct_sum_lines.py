"""One term of a direct sum as lines of a node program: numpy's functions on part of each run of
elements, and a copy of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codegen.emit.steps.array_names import Stage, stage
from codegen.emit.steps.computations import SINGLE, norm_of
from codegen.emit.tables import Tables
from codegen.emit.words import escaped
from codegen.program.stages.direct_sums import Part
from codegen.program.supersteps import Program
from derive.digits.radices import DigitPermutation


def summing(step: Part, program: Program, tables: Tables) -> Stage:
    """Return one term of a direct sum."""
    view = View.of(step)
    given, made = view.part("{source}"), view.part("{target}")
    lines = [*view.copied("{target}", "{source}"), f"given, made = {given}, {made}"]
    if diagonal := step.diagonal:
        table = tables.name("twiddle", (diagonal, 0, step.layer.size * step.c))
        shaped = f".reshape{view.shape[view.copies > 1 :]}" * (
            len(view.shape) > 1 + (view.copies > 1)
        )
        lines.append(f"np.multiply(given, plan.{table}{shaped}, out=made)")
    elif step.length > 1:
        lines += _transform(step, view, program.request.dtype)
    elif order := step.order:
        lines.append(view.turn(order))
    else:
        lines.append(f"np.copyto(made, given[{view.first}::-1])")
    comment = " ".join(map(str, step.factors)) or f"{step.layer}: row j of conj(F) is row -j of F"
    return stage(
        escaped(comment), {"macro": "fourier", "copies": 0, "d": 0, "c": 0, "lines": lines}
    )


def _transform(step: Part, view: View, dtype: str) -> Iterator[str]:
    """Yield the lines of F_d or its conjugate."""
    if step.length == 2:
        low, high = f"{view.first}:1", f"{view.first}1:"
        for function, half in (("add", low), ("subtract", high)):
            yield f"np.{function}(given[{low}], given[{high}], out=made[{half}])"
        return
    axis = f", axis={view.axis}" * (view.axis < len(view.shape) - 1)
    norm = norm_of(not step.is_conjugate, 0, dtype)
    yield f"np.fft.{'i' * step.is_conjugate}fft(given{axis}{norm}, out=made)"
    if dtype in SINGLE:
        yield f"np.multiply(made, {step.length}, out=made)  # undoes the division by {step.length}"


@dataclass(frozen=True)
class View:
    """Part of each run of a rank's elements as an array.

    Attributes:
        copies, run: the number of runs, and the elements of each.
        start, stop: where the part begins and ends.
        shape: the shape of the part of all runs, axes of length 1 left out.
        axis: the axis that is transformed.
    """

    copies: int
    run: int
    start: int
    stop: int
    shape: tuple[int, ...]
    axis: int

    @classmethod
    def of(cls, step: Part) -> View:
        """Return the part of a step.

        >>> from derive.formula.grammar import I, direct_sum
        >>> from derive.formula.transforms import F
        >>> View.of(Part(3, direct_sum(F(2), I(6)), 1)).part("x")
        'x.reshape(3, 8)[:, :2]'
        """
        a, d, b = step.shape
        start, layer = step.part
        ends = start * step.c, (start + layer.size) * step.c
        before = tuple(n for n in (step.copies, a) if n > 1)
        shape = (*before, d, *(b,) * (b > 1))
        return cls(step.copies, step.summed.size * step.c, *ends, shape, len(before))

    @property
    def first(self) -> str:
        """The indices before that of the axis that is transformed."""
        return ":, " * self.axis

    def part(self, array: str) -> str:
        found = self._runs(array, self.start, self.stop)
        flat = (*(self.copies,) * (self.copies > 1), self.stop - self.start)
        return found + f".reshape{self.shape}" * (self.shape != flat)

    def copied(self, target: str, source: str) -> Iterator[str]:
        """Yield the lines that copy all else."""
        for ends in ((0, self.start), (self.stop, self.run)):
            if ends[0] < ends[1]:
                yield f"np.copyto({self._runs(target, *ends)}, {self._runs(source, *ends)})"

    def turn(self, order: DigitPermutation) -> str:
        """Return the line that brings the digits of the axis into another order."""
        before, after = self.shape[: self.axis], self.shape[self.axis + 1 :]
        count, turned = len(before), tuple(order.radices[i] for i in order.order)
        axes = (*range(count), *(count + i for i in order.order))
        axes += tuple(range(len(axes), len(axes) + len(after)))
        given = f"given.reshape{(*before, *order.radices, *after)}.transpose{axes}"
        return f"np.copyto(made.reshape{(*before, *turned, *after)}, {given})"

    def _runs(self, array: str, start: int, stop: int) -> str:
        """Return these elements of each run."""
        ends = f"{start or ''}:{stop if stop < self.run else ''}"
        if self.copies == 1:
            return f"{array}[{ends}]"
        return f"{array}.reshape({self.copies}, {self.run})[:, {ends}]"
