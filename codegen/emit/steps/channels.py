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

from codegen.emit.hypercube_memory import SCHEMES, Scheme, Twiddles, twiddles_of_a_stage
from codegen.emit.steps.array_names import Stage, stage
from codegen.kernels import fourier_kernels
from codegen.program.digits.digit_supersteps import Trade
from codegen.program.protocol import Step
from codegen.program.stages.butterflies import Across, OfHalves
from codegen.program.stages.overlaps import Overlap
from codegen.program.supersteps import Program
from derive.formula.grammar import Formula
from derive.maps.map_expressions import Number

OPENING = "named_halves"
"""The macro of the lines before all supersteps, which name the halves."""
NUMBERS = {"channel", "past", "count"}
"""The arguments of a compiled function that are no addresses."""
FEW = 4
"""So many factors of a loop are named one by one."""
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
    each = SCHEMES[program.request.scheme].each
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
    how = form(program)
    return {
        "macro": macro,
        "parts": PARTS[macro](by_kernel, how, program.P) if macro in PARTS else (macro,),
        "needs": ("passes",) if by_kernel else own,
        "hops": 0,
        "spare": program.P > 1 and SCHEMES[program.request.scheme].work > 0,
        "size": program.M,
        "half": program.M // 2,
        "place": "channel % 2" if program.P > 2 else "0",
        "lines": [*_overlapped(by_kernel, how)] if macro == MACROS[Overlap] else (),
        **how,
        **more,
    }


def _opening(by_kernel: bool, how: dict[str, Any], P: int) -> tuple[str, ...]:
    """Return the macros of the lines before all supersteps."""
    if how["scheme"].whole:
        return ("own_and_rank",)
    more = filter(None, [how["scheme"].named, "half_comes" * how["comes"]])
    return ("named_halves", *more) if P > 1 else ("halves_alone",)


def _of_halves(by_kernel: bool, how: dict[str, Any], P: int) -> tuple[str, ...]:
    """Return the macro of butterflies of halves."""
    if how["comes"]:
        return ("butterflies_past_caches" if how["past"] else "butterflies_that_come",)
    return ("butterflies_by_kernel" if by_kernel else "butterflies_of_halves",)


def _across(by_kernel: bool, how: dict[str, Any], P: int) -> tuple[str, ...]:
    """Return the macros of Prog. 2, which multiplies before or after it exchanges."""
    size = "whole" if how["whole"] else "halves"
    multiplied, after = f"{size}_multiplied{'_by_kernel' * by_kernel}", how["after"]
    return ("across", *[multiplied] * (not after), "differences", *[multiplied] * after, "sums")


PARTS = {OPENING: _opening, "butterflies_of_halves": _of_halves, "across": _across}
"""The macros that a superstep consists of, where it has several forms."""


def _overlapped(by_kernel: bool, how: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of Progs. 4 and 5, in which the half that is sent is computed first: sums on
    the lower of two neighbours stay, as differences on the upper one.
    """
    scheme, after = how["scheme"], how["after"]
    first, second = ("first", "second") if scheme.extra else ("p", "q")
    yield "neighbour = {neighbour}"
    if scheme.received:
        yield f"coming = own.Irecv({scheme.received}, neighbour)"
    if not (after or by_kernel):
        yield f"np.multiply(q, {{table}}, out={second})"
    rotates = scheme.apart and not scheme.extra
    for sums in (True, False):
        sent = f"other_{'pq'[sums]}" if rotates else "sent"
        yield "if {rank}:" if sums else "else:"
        yield from _half(sums, sent, second, by_kernel, after)
        yield f"    going = own.Isend({sent}, neighbour)"
        yield from _half(not sums, second if sums else first, second, by_kernel, after)
        yield f"    {scheme.taken[sums]}"
    if scheme.received:
        yield "coming.Wait()"
    yield "going.Wait()"


def _half(sums: bool, target: str, second: str, by_kernel: bool, after: bool) -> Iterator[str]:
    """Yield the lines of one half of butterflies."""
    if by_kernel:
        table = "" if sums and after else "memory_of({table}), "
        name = "sums" if sums else "differences"
        yield f"    {name}(memory_of(p), memory_of(q), {table}memory_of({target}), {{half}})"
        return
    other = "q" if after else second
    yield f"    np.{'add' if sums else 'subtract'}(p, {other}, out={target})"
    if after and not sums:
        yield f"    np.multiply({target}, {{table}}, out={target})"


def form(program: Program) -> dict[str, Any]:
    """Return which form the butterflies of a program have: their scheme, whether the twiddles come
    after them, and whether the halves come to lie apart.
    """
    scheme = SCHEMES.get(program.request.scheme, Scheme())
    after, request = any(step.multiplies_last for step in program.steps), program.request
    comes = request.backend.is_whole and scheme.each > 1 and not after and program.P > 1
    return {
        "scheme": scheme,
        "after": after,
        "comes": comes,
        "apart": program.P > 1 and scheme.apart,
        "past": comes and program.M // 2 >= fourier_kernels.STREAMED,
        "whole": scheme.whole and twiddles_of_a_stage(program) == program.M,
    }


def kernels_of(program: Program) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the compiled functions that do the butterflies of a hypercube FFT, each with its macro
    and its arguments.
    """
    kinds = {MACROS[type(step)] for step in program.steps if step.butterfly}
    found = form(program)
    size, turned = ("whole", ()) if found["whole"] else ("halves", ("turns", "channel"))
    table = () if found["after"] else ("table",)
    others = ("first", "second") if found["apart"] or found["comes"] else ()
    macro, *past = ("butterflies_past", "past") if found["past"] else ("butterflies",)
    given: Mapping[str, Mapping[str, tuple[str, ...]]] = {
        "across": {"multiply": (f"multiply_{size}", "x", "table", *turned)},
        "overlapped_halves": {
            "sums": ("sums", "p", "q", *table, "y"),
            "differences": ("differences", "p", "q", "table", "y"),
        },
        "butterflies_of_halves": {"butterflies": (macro, "p", "q", *others, "table", *past)},
    }
    return {
        name: (macro, (*arguments, "count"))
        for kind, functions in given.items()
        if kind in kinds
        for name, (macro, *arguments) in functions.items()
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


def twiddles_of(channels: Channels) -> Twiddles:
    """Return the tables of a program."""
    stages = list(map(channels.l_of, channels.computations))
    return Twiddles(
        channels.program.M,
        stages[0],
        stages[-1],
        SCHEMES[channels.program.request.scheme].whole,
        twiddles_of_a_stage(channels.program) == channels.program.M,
    )
