"""Stages of butterflies across the channels of a hypercube, Progs. 2 to 5 of Aykanat & Dervis, as
operations of a straight program: a loop over the channels, and the stage that exchanges nothing.

    turn = exchange and butterflies     Prog. 3; transposed: butterflies and exchange
         | across                       Prog. 2
         | overlapped                   Progs. 4 and 5

They work in place on the array that has a rank's elements. Messages that need a buffer have it in
the other one of out and the work array (buffers.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.emit.buffers import BUFFERS, twiddles_of_a_stage
from codegen.emit.steps.arrays import Stage, stage
from codegen.kernels import fourier
from codegen.program.digits.steps import Trade
from codegen.program.protocol import Step
from codegen.program.stages.butterflies import Across, OfHalves
from codegen.program.stages.overlaps import Overlap
from codegen.program.supersteps import Program
from derive.formula.grammar import Formula
from derive.maps.expressions import Expression, Number

OPENING = "named_halves"
"""The macro of the lines before all supersteps, which name the halves."""
KINDS = ("twiddles", "turns")
"""The kinds of tables, in the order in which a plan makes them."""
NUMBERS = {"channel", "past", "count"}
"""The arguments of a compiled function that are no addresses."""
FEW = 4
"""So many factors of a loop are named one by one."""
APART = ("5", "5r")
"""The schemes whose halves do not stay where they are."""
EXPLAINED = {
    "exchange_halves": "the lower of two neighbours sends q, the upper sends p",
    "across": "neighbours exchange all elements; q comes from the upper one",
    "overlapped_halves": "the half that is sent is computed first",
}
"""What a superstep does, in words, by the name of its macro."""


MACROS: Mapping[type[Step], str] = {
    Trade: "exchange_halves",
    Across: "across",
    Overlap: "overlapped_halves",
    OfHalves: "butterflies_of_halves",
}
"""The macros of supersteps."""


@dataclass(frozen=True)
class Channels(Step):
    """The supersteps of each turn of the loop, and those after it."""

    program: Program
    turns: tuple[tuple[Step, ...], ...]
    rest: tuple[Step, ...]

    @property
    def factors(self) -> tuple[Formula, ...]:
        return sum((step.factors for step in (*sum(self.turns, ()), *self.rest)), ())

    @property
    def computations(self) -> tuple[OfHalves | Across, ...]:
        """The butterflies, in the order of the l of their twiddles."""
        found = [step.butterfly for step in (*sum(self.turns, ()), *self.rest)]
        return tuple(sorted(filter(None, found), key=self.l_of))

    def l_of(self, computation: OfHalves | Across) -> int:
        """Return l for the butterflies of stage n-d+l-1: their twiddles are of order 2^l M.

        Asserts that they are those of the paper.
        """
        program, diagonal = self.program, computation.diagonal
        assert diagonal is not None, "butterflies have twiddles"
        m, M, l = program.input.m, program.M, (diagonal.order // program.M).bit_length() - 1
        offsets, ranks = (m, l - 1) if computation.exchanges else (m - 1, l)
        exponents = {b: 1 << b for b in range(offsets)}
        exponents |= {m + b: 1 << offsets + b for b in range(ranks)}
        wanted = tuple(exponents.get(b, 0) for b in range(program.input.n))
        ((_, j, _),) = diagonal.terms
        assert (diagonal.order, j) == (M << l, Number.of_bits(wanted))
        return l


def grouped(program: Program) -> list[Step]:
    """Return the steps of a program; those between the ends of a hypercube FFT as one."""
    steps = program.steps
    places = [
        i
        for i, step in enumerate(steps)
        if step.butterfly or (step.is_move and 0 < i < len(steps) - 1)
    ]
    if not (program.request.scheme and places):
        return list(steps)
    inner, first = [steps[i] for i in places], places[0]
    each = 2 if program.request.scheme == "3" else 1
    turns = each * program.input.p
    found = Channels(
        program,
        tuple(tuple(inner[i : i + each]) for i in range(0, turns, each)),
        tuple(inner[turns:]),
    )
    return [*steps[:first], found, *steps[first + len(inner) :]]


def _channel(turn: Sequence[Step]) -> int:
    """Return the channel across which the ranks exchange in a turn of the loop."""
    return next(step.crosses for step in turn if step.crosses is not None)


def stages_of(channels: Channels, name: Callable[[str, Any], str]) -> Iterator[Stage]:
    """Yield the stages of a program: where its halves are, the loop, and what comes after it.

    `name` gives the name of a table of some kind.
    """
    turns, tables = channels.turns, twiddles_of(channels)
    table = f"plan.{name('twiddles', tables)}"
    if tables.crosses and not tables.whole:
        name("turns", tables)
    yield stage("", _operation(channels, OPENING))
    for steps in zip(*turns, strict=True):
        shared = {"rank": "rank >> channel & 1", "neighbour": "rank ^ (1 << channel)"}
        if len(turns) == 1:
            shared = {"rank": "rank", "neighbour": "rank ^ 1"}
        macro = MACROS[type(steps[0])]
        words = _factors(steps), EXPLAINED.get(macro, "")
        named = f"{table}{_index(channels, steps)}"
        operation = _operation(channels, macro, table=named, **shared)
        yield stage(
            ": ".join(filter(None, words)),
            operation,
            loop=_header(turns) if len(turns) > 1 and steps[0] is turns[0][0] else "",
            depth=4 if len(turns) > 1 else 0,
        )
    for step in channels.rest:
        named = f"{table}{_index(channels, [step])}"
        yield stage(_factors([step]), _operation(channels, MACROS[type(step)], table=named))


def _operation(channels: Channels, macro: str, **more: Any) -> dict[str, Any]:
    program, by_kernel = channels.program, channels.program.request.backend.is_whole
    own = (macro,) if macro == "butterflies_of_halves" else ()
    return {
        "macro": macro,
        "by_kernel": by_kernel,
        "needs": ("passes",) if by_kernel else own,
        "hops": 0,
        "spare": program.P > 1 and BUFFERS[program.request.scheme][0] > 0,
        "size": program.M,
        "half": program.M // 2,
        "exchanges": program.P > 1,
        **form(program),
        "place": "channel % 2" if program.P > 2 else "0",
        **more,
    }


def form(program: Program) -> dict[str, Any]:
    """Return which form the butterflies of a program have: their scheme, whether the twiddles come
    after them, and whether the halves come to lie apart.
    """
    scheme, after = program.request.scheme, any(step.multiplies_last for step in program.steps)
    comes = program.request.backend.is_whole and scheme == "3" and not after and program.P > 1
    return {
        "scheme": scheme,
        "after": after,
        "comes": comes,
        "apart": program.P > 1 and scheme in APART,
        "past": comes and program.M // 2 >= fourier.STREAMED,
        "whole": twiddles_of_a_stage(program) == program.M,
    }


def kernels_of(program: Program) -> dict[str, tuple[str, ...]]:
    """Return the compiled functions that do the butterflies of a hypercube FFT, and their
    arguments.
    """
    kinds = {MACROS[type(step)] for step in program.steps if step.butterfly}
    found = form(program)
    turned = () if found["whole"] else ("turns", "channel")
    table = () if found["after"] else ("table",)
    others = ("first", "second") if found["apart"] or found["comes"] else ()
    given = {
        "across": {"multiply": ("x", "table", *turned)},
        "overlapped_halves": {
            "sums": ("p", "q", *table, "y"),
            "differences": ("p", "q", "table", "y"),
        },
        "butterflies_of_halves": {
            "butterflies": ("p", "q", *others, "table") + ("past",) * found["past"]
        },
    }
    return {
        name: (*arguments, "count")
        for kind, functions in given.items()
        if kind in kinds
        for name, arguments in functions.items()
    }


def _header(turns: Sequence[tuple[Step, ...]]) -> str:
    """Return the loop over the channels, in ascending or descending order."""
    channels, count = [_channel(turn) for turn in turns], f"range({len(turns)})"
    assert sorted(channels) == list(range(len(turns))), "each channel has its turn"
    return f"for channel in {count if channels[0] == 0 else f'reversed({count})'}:"


def _index(channels: Channels, steps: Sequence[Step]) -> str:
    """Return the place of the twiddles of a superstep among those of all stages."""
    computations = channels.computations
    mine = [found for step in steps if (found := step.butterfly)]
    if len(computations) == 1 or not mine:
        return ""
    first, l = channels.l_of(computations[0]), channels.l_of(mine[0])
    if len(mine) == 1:
        return f"[{l - first}]"
    turn = next(turn for turn in channels.turns if steps[0] in turn)
    ahead = l - first - _channel(turn)
    return f"[channel + {ahead}]" if ahead else "[channel]"


def _factors(steps: Sequence[Step]) -> str:
    """Return the factors that a superstep carries out in the turns of a loop."""
    return _named([tuple(map(str, step.factors)) for step in steps])


def _named(products: Sequence[tuple[str, ...]]) -> str:
    """Return the products of several turns: what differs one by one, or the first and the last.

    >>> _named([("A", "W_1"), ("A", "W_2")]), _named([("A", "B"), ("C", "D")])
    ('A W_1, W_2', 'A B, C D')
    """
    differ = [i for i, found in enumerate(zip(*products, strict=True)) if len(set(found)) > 1]
    if len(differ) == 1:
        words = list(products[0])
        words[differ[0]] = _listed([product[differ[0]] for product in products])
        return " ".join(words)
    return _listed(list(dict.fromkeys(map(" ".join, products))))


def _listed(words: list[str]) -> str:
    return ", ".join(words if len(words) <= FEW else [*words[:2], "...", words[-1]])


@dataclass(frozen=True)
class Twiddles:
    """Tables of the stages first, ..., last, one for each l; Prog. 2 has them where q is.

    They have half as many entries as a rank has elements, or as many where they are whole.
    """

    M: int
    first: int
    last: int
    crosses: bool
    whole: bool

    @property
    def exponent(self) -> Expression:
        """The exponent of an entry, by the rank and the offset."""
        single = self.first == self.last
        weight = self.M if self.crosses else self.M // 2
        of_rank = "rank" if single else f"rank % 2**{self.counter}"
        term = of_rank if weight == 1 else f"{of_rank} * {weight}"
        terms = [term, "o"] if self.last > self.crosses else ["o"]
        used = self.crosses or terms[1:]
        return Expression(" + ".join(terms), names=frozenset({"rank"} if used else ()))

    @property
    def counter(self) -> str:
        """The variable of the loop over the tables."""
        return "channel" if self.crosses else "l"

    @property
    def view(self) -> dict[str, Any]:
        """What the template prints."""
        single, lowest = self.first == self.last, self.M << self.crosses
        start, stop = self.first - self.crosses, self.last - self.crosses + 1
        loop = f"for {self.counter} in range({f'{start}, ' if start else ''}{stop})"
        return {
            "exponent": self.exponent,
            "order": self.M << self.first if single else f"{lowest} << {self.counter}",
            "stop": "" if self.whole else f", stop={self.M // 2}",
            "condition": ("rank" if single else "rank >> channel & 1") if self.crosses else "",
            "loop": "" if single else loop,
        }


def twiddles_of(channels: Channels) -> Twiddles:
    """Return the tables of a program."""
    stages = list(map(channels.l_of, channels.computations))
    return Twiddles(
        channels.program.M,
        stages[0],
        stages[-1],
        channels.program.request.scheme == "2",
        twiddles_of_a_stage(channels.program) == channels.program.M,
    )


def table(kind: str, how: Twiddles, tables: Any) -> dict[str, Any]:
    """Return a table of twiddles as the template prints it."""
    if kind == "turns":
        return {"half": how.M // 2, "order": 2 * how.M, "count": how.last}
    tables.expressions.append(how.exponent)
    needs = ("root_of_unity", "twiddles") if tables.vectors else ("root_of_unity",)
    return how.view | {"needs": needs, "split": tables.vectors}
