"""The places of a program's elements before and after each superstep, by rank and offset."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codegen.program.protocol import PAIR, Step
from codegen.program.supersteps import Program
from derive.call_arguments import written
from derive.formula.placement import Placement
from derive.show.drawing import Drawing
from derive.show.grids import storage

MOST_ELEMENTS = 1 << 20
"""Elements of larger programs are not followed."""
Numbers = NDArray[np.int64]


def drawn(program: Program) -> list[list[Drawing]]:
    """Return pictures of the elements: as they are given, before and after each superstep, and what
    each place holds at the end. Of many ranks and offsets the first are drawn.

    Raises ValueError for more than 2^20 elements.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> [len(each) for each in drawn(resolve(make_request("fft", 16, 2, "cyclic", "cyclic")))]
    [1, 1, 2, 1, 1]
    """
    if program.request.unequal:
        raise ValueError(
            f"parts of {program.request.system} are unequal here: elements are followed in equal"
            f" ones; {written('nodewright graph', 'nw.figure')} shows the messages"
        )
    if program.N > MOST_ELEMENTS:
        raise ValueError(f"N = {program.N}: elements are followed up to N = {MOST_ELEMENTS}")
    numbers = numbered(program.input)
    found = [[_grid("input", program, numbers, _own(program, numbers))]]
    for step in program.steps:
        before, numbers = numbers, _after(step, numbers)
        found.append(_superstep(step, program, before, numbers))
    last = numbered(program.output)
    return [*found, [_grid("output", program, last, _own(program, last))]]


def numbered(layout: Placement) -> Numbers:
    """Return the index of the element at each storage address.

    >>> from derive.formula.affine_layouts import cyclic
    >>> numbered(cyclic(8, 2)).tolist()
    [0, 2, 4, 6, 1, 3, 5, 7]
    """
    j = np.arange(layout.N)
    s, o = layout.place(j)
    numbers = np.empty_like(j)
    numbers[s * layout.M + o] = j
    return numbers


def _after(step: Step, numbers: Numbers) -> Numbers:
    """Return where the numbers are after a superstep: moves carry them, computing lets them be; of
    a pair both go.
    """
    if step.unit == PAIR:
        return np.asarray(step.carried(numbers.reshape(-1, 2)).reshape(-1))
    return np.asarray(step.carried(numbers))


def _superstep(step: Step, program: Program, before: Numbers, after: Numbers) -> list[Drawing]:
    """Return a superstep as a picture: of a move the elements before and after."""
    own, group = _own(program, before), step.together(np.arange(program.N) % program.M)
    given = own if group is None else group
    if not step.moves:
        return [_grid("elements", program, before, given)]
    come = _after(step, own)
    return [_grid("before", program, before, given), _grid("after", program, after, come)]


def legend(step: Step) -> str:
    """Return what numbers and colors mean in the pictures of a superstep."""
    together = step.together(np.zeros(1, int)) is not None
    if step.moves and together:
        colors = "before, what is transformed together; after, the ranks that it comes from"
    elif step.moves:
        colors = "the ranks that elements come from"
    elif together:
        ranks = "across ranks" if step.exchanges else "rank by rank"
        colors = f"what is transformed together, {ranks}"
    else:
        colors = "ranks; what travels is drawn as messages alone"
    return f"numbers: indices of the input, whose place a value has taken; colors: {colors}"


def _own(program: Program, numbers: Numbers) -> Numbers:
    """Return the rank of each of these numbers."""
    return np.repeat(np.arange(program.P), len(numbers) // program.P)


def _grid(title: str, program: Program, numbers: Numbers, colors: Numbers) -> Drawing:
    M = len(numbers) // program.P

    def held(s: int, o: int) -> tuple[str, int]:
        number = numbers[s * M + o]
        return f"{number}" * bool(number >= 0), int(colors[s * M + o])

    return storage(title, held, program.P, M)
