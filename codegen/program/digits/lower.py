"""From a route to supersteps: transforms of digits that lie in the offset, trades between them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import lcm, prod

from codegen.program.digits.digit_places import (
    Digit,
    digits_of,
    gathered,
    number,
    permutation,
    placed,
    refined,
    traded,
)
from codegen.program.digits.digit_places import said as said_of
from codegen.program.digits.digit_supersteps import Diagonal, Trade, Transform, Turn
from codegen.program.digits.routes.axis_cuts import Phases
from codegen.program.digits.routes.fillings import Content
from codegen.program.digits.routes.route_search import Route, routes
from codegen.program.protocol import Step
from derive.digits.digit_layouts import ArrayLayout, VectorLayout, working_sizes
from derive.digits.radices import DigitPermutation
from derive.maps.layout_digits import PAIRS
from derive.maps.map_expressions import Number
from derive.papers.bsp_phases import virtual_processors

SHOWN = 4
"""So many phases are shown that do."""


class NoRoute(ValueError):
    """Whole digits that ranks exchange do not lead from one layout to another."""


@lru_cache(64)
def lowered(
    source: ArrayLayout,
    target: ArrayLayout,
    phases: Phases = (),
    whole: bool = False,
    cached: bool = False,
) -> tuple[Step, ...]:
    """Return the supersteps from one layout to another: every axis but that of a batch is
    transformed, in these sizes one after the other if they are stated; or as many axes as a
    `whole` as can be. Transforms of one axis that leave a `cached` part are done in two steps.

    Raises NoRoute where whole digits do not do it, ValueError for phases that do not, naming some
    that do.

    >>> layout = ArrayLayout("cyclic", (12, 10), (2, 1))
    >>> [type(step).__name__ for step in lowered(layout, layout)]
    ['Transform', 'Transform', 'Trade', 'Transform']
    """
    several = not isinstance(source, VectorLayout) and max(map(len, phases), default=0) > 1
    for route in sorted(_best(source, target, phases), key=lambda each: each.parted * whole):
        if several and len(route.contents) == 1:
            continue  # results come in another order
        with suppress(ValueError):  # of digits that do not cut each other
            return tuple(_Builder(source, target, route, False, bool(phases), cached).built())
    if phases:
        raise ValueError(no_phases(source, target, phases))
    raise NoRoute(no_route(source, target))


def _best(source: ArrayLayout, target: ArrayLayout, phases: Phases) -> list[Route]:
    """Return the routes with the fewest exchanges, those that send least first."""
    found = routes(source.in_order, target.in_order, phases)
    return [each for each in found if each.price[0] == found[0].price[0]]


def fewest(source: ArrayLayout, target: ArrayLayout) -> list[Phases]:
    """Return the phases of the routes with the fewest exchanges, so many as are shown."""
    return [*dict.fromkeys(route.merged for route in _best(source, target, ()))][:SHOWN]


def no_phases(source: ArrayLayout, target: ArrayLayout, phases: Phases) -> str:
    """Return the error for phases that do not work, with others that do."""
    known = " or ".join(said(each, source.batched) for each in fewest(source, target))
    return (
        f"phases {said(phases, source.batched)}, {source.name} to {target.name}: the ranks cannot"
        " exchange whole digits between the phases;"
        f" {f'try {known}' if known else 'no phases work'}"
    )


def said(phases: Phases, batched: bool) -> str:
    """Return phases as they are stated.

    >>> said(((), (4, 2), (9,)), True)
    '4,2x9'
    """
    return "x".join(",".join(map(str, each)) or "1" for each in phases[batched:])


def no_route(source: ArrayLayout, target: ArrayLayout) -> str:
    """Return the error if whole digits cannot be exchanged: the rule, and sizes that work.

    >>> print(no_route(*(ArrayLayout(name, (12,), (3,)) for name in ("cyclic", "cyclic-pairs"))))
    12 elements on 3 ranks, cyclic to cyclic-pairs: P² must divide the number of pairs, or both must be powers of one prime with P below the number of pairs; try 1 rank, or 18 elements
    """  # noqa: E501
    names = zip(source.names, target.names, strict=True)
    axes = [each for each in enumerate(names, int(source.batched)) if source.grid[each[0]] > 1]
    of_pairs = f" from {PAIRS} to cyclic" * any(ends == (PAIRS, PAIRS) for _, ends in axes)
    for axis, ends in axes:
        n, p, each = source.shape[axis], source.grid[axis], 1 + (PAIRS in ends)
        if n % (p * p * each):
            count = "N" if each == 1 else "the number of pairs"
            twos = each == 1 or len(source.shape) > 1  # one axis of 2^n has other layouts
            return (
                f"{source.said(axis)}, {source.name} to {target.name}: P² must divide {count}, or"
                f" both must be powers of one prime with P {'<' if each == 1 else 'below'} {count};"
                f" {working_sizes(n // each, p, each, twos)}{of_pairs}"
            )
    found = f"{source.name} to {target.name}: the ranks cannot exchange whole digits"
    return f"{found}; these sizes work{of_pairs}" if of_pairs else found


def moved(source: ArrayLayout, target: ArrayLayout) -> tuple[Step, ...]:
    """Return the trade that takes elements from one layout to another, if they differ.

    Raises ValueError where whole digits do not do it.

    >>> one, other = (ArrayLayout(name, (12,), (2,)) for name in ("cyclic", "block"))
    >>> [step.messages for step in moved(one, other)]
    [2]
    """
    ends = tuple(tuple(digits_of(layout, True)[0]) for layout in (source, target))
    nothing = (0,) * len(source.shape)
    route = Route(((),) * len(source.shape), ends, (nothing, nothing), (0, 0))
    if source == target or source.P == 1:
        return ()
    steps = _Builder(source, target, route, True).built()
    moves = any(isinstance(step, Trade) and step.address.order not in ((), (0,)) for step in steps)
    return tuple(steps) if moves else ()


def in_caches(size: int) -> tuple[int, ...]:
    """Return the sizes of the steps in which so many points are transformed.

    >>> in_caches(2**10), in_caches(2**19)
    ((1024,), (256, 2048))
    """
    v = virtual_processors(size)
    return (v, size // v) if v > 1 and size % v == 0 else (size,)


@dataclass
class _Builder:
    """The digits of storage addresses, those of the ranks above those of the offset, on the way."""

    source: ArrayLayout
    target: ArrayLayout
    route: Route
    are_done: bool = False
    """Whether all axes are transformed already."""
    apart: bool = False
    """Whether the runs of a phase are transformed one after the other, not as one."""
    cached: bool = False
    """Whether transforms of the one axis that leave a cache are done in two steps."""
    ranks: list[Digit] = field(default_factory=list)
    offsets: list[Digit] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    """The product of what has been transformed of each axis."""

    def built(self) -> list[Step]:
        self.ranks, self.offsets = digits_of(self.source, self.are_done)
        self.done = [1] * len(self.source.shape)
        steps = list[Step]()
        for phase, sizes in enumerate(self.route.phases):
            parts = self.route.parts(phase) if self.apart else [sizes]
            if self.cached:
                parts = [(size,) for (size,) in parts for size in in_caches(size)]
            if phase:
                last = phase == len(self.route.contents) - 1
                steps.append(self._trade(self.route.contents[phase], parts, last))
            else:
                steps += self._turned(self._first_offsets(parts))
            for part in parts:
                steps += self._transforms(part)
        return steps + self._turned(self._home)

    def _turned(self, order: list[Digit]) -> list[Step]:
        """Return what puts the digits of the offset in another order, if they are not in it."""
        moved = permutation(self.offsets, order)
        self.offsets = order
        return [Turn(moved, self.source.P)] * (len(moved.radices) > 1)

    @cached_property
    def _ends(self) -> tuple[list[Digit], list[Digit]]:
        """The digits of the last layout."""
        return digits_of(self.target, True)

    @property
    def _reversed(self) -> bool:
        """Whether the route is one of digits of the ranks in another order."""
        return any(end.in_order != end for end in (self.source, self.target))

    @property
    def _home(self) -> list[Digit]:
        return self._ends[1]

    def _run(self, axis: int, size: int, done: bool) -> Digit:
        """Return the digit that is transformed next of an axis, or what it becomes."""
        before = self.done[axis]
        weight = before if done else self.source.shape[axis] // (before * size)
        return Digit(axis, done, weight, size)

    def _transforms(self, sizes: tuple[int, ...]) -> list[Step]:
        """Return the transforms of a phase, the diagonals of all of them before the first."""
        wanted = [(axis, size) for axis, size in enumerate(sizes) if size > 1]
        steps = list[Step]()
        diagonal = self._diagonal(wanted)
        for axis, size in reversed(wanted):
            run, made = (self._run(axis, size, done) for done in (False, True))
            self.offsets = refined(self.offsets, [run])
            inside = [i for i, digit in enumerate(self.offsets) if digit.within(run)]
            first, stop = inside[0], inside[-1] + 1
            after = prod(digit.radix for digit in self.offsets[stop:])
            copies = prod(digit.radix for digit in self.offsets[:first])
            steps.append(Transform(None, copies, size, after, axis - self.source.batched))
            self.offsets[first:stop] = [made]
            self.done[axis] *= size
        if diagonal and isinstance(steps[0], Transform):
            steps[0] = replace(steps[0], diagonal=diagonal)
        return steps

    def _diagonal(self, wanted: list[tuple[int, int]]) -> Diagonal | None:
        """Return the twiddles of these runs: w^(i j) for the digit i that is transformed, and the
        part j of the output index that is known.
        """
        storage, found = [*self.ranks, *self.offsets], list[tuple[Number, Number, int]]()
        for axis, size in wanted:
            before = self.done[axis]
            if before > 1:
                run = self._run(axis, size, False)
                i = number(storage, run, run.weight)
                j = number(storage, Digit(axis, True, 1, before), 1)
                found.append((i, j, before * size))
        order = lcm(*(order for _, _, order in found))
        terms = tuple((i, j, order // own) for i, j, own in found)
        return Diagonal(order, terms) if terms else None

    def _trade(self, content: Content, parts: list[tuple[int, ...]], last: bool) -> Trade:
        """Return the trade after which these digits lie on the ranks, and the runs of this phase in
        the offset in one piece each.
        """
        sorting = self._sorting()
        if self._reversed:
            content = placed(self.ranks, content, self._ends[0])
        self.ranks = refined(self.ranks, [*content, *self._ends[0] * last])
        kept = [digit for digit in self.ranks if any(digit.within(each) for each in content)]
        new = refined(self._ends[0] if last else content, [*kept, *self.offsets])
        runs = [run for run, _ in self._next_runs(parts)]
        entering = [digit for digit in new if digit not in kept]
        leaving = [digit for digit in self.ranks if digit not in kept]
        rest = [d for d in refined(self.offsets, [*entering, *runs]) if d not in entering]
        come = [*refined(leaving, runs), *rest]
        order = self._last_offsets(parts) if last else gathered(come, runs)
        step = traded(self.ranks, self.offsets, new, order)
        rank = said_of(new) * isinstance(self.source, VectorLayout)
        step = replace(step, pack=step.pack @ sorting, rank=rank)
        self.ranks, self.offsets = new, order
        return step

    def _sorting(self) -> DigitPermutation:
        """Bring the digits of the output index in the offset into their order, if transforms are
        done in steps, and return the permutation.
        """
        done = iter(sorted((d for d in self.offsets if d.done), key=lambda d: -d.weight))
        given, natural = self.offsets, [next(done) if d.done else d for d in self.offsets]
        if self.cached:
            self.offsets = natural
        return permutation(given, self.offsets)

    def _next_runs(self, parts: list[tuple[int, ...]]) -> list[tuple[Digit, Digit]]:
        """Return the digits that are transformed next, each with what it becomes."""
        found, before = list[tuple[Digit, Digit]](), list(self.done)
        for axis, size in (each for sizes in parts for each in enumerate(sizes)):
            if size > 1:
                found.append((self._run(axis, size, False), self._run(axis, size, True)))
                self.done[axis] *= size
        self.done = before
        return found

    def _first_offsets(self, parts: list[tuple[int, ...]]) -> list[Digit]:
        """Return the order of the offset for the first phase: that of a vector's index, or that of
        the layout with every run in one piece.
        """
        runs = [run for run, _ in self._next_runs(parts)]
        if isinstance(self.source, VectorLayout):
            return sorted(refined(self.offsets, runs), key=lambda digit: -digit.weight)
        return gathered(refined(self.offsets, runs), runs)

    def _last_offsets(self, parts: list[tuple[int, ...]]) -> list[Digit]:
        """Return the order of the offset after the last trade: that of the last layout, with what
        is still to be done in the places of what it becomes, or of the first part of that.
        """
        left = {made: run for run, made in self._next_runs(parts)}
        home = refined(self._home, left)
        owners = [next((made for made in left if digit.within(made)), digit) for digit in home]
        return [left.get(digit, digit) for digit in dict.fromkeys(owners)]
