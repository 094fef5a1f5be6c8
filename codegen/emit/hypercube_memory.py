"""The memory of a hypercube FFT beside its input and output: Table 1 of Aykanat & Dervis, and what
changes of layout need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.program.moves import arranging_cost
from codegen.program.supersteps import Program
from derive.gf2.bits import Affine
from derive.maps.map_expressions import Expression

KINDS = ("twiddles", "turns")
"""The kinds of tables, in the order in which a plan makes them."""


@dataclass(frozen=True)
class Room:
    """Elements of a rank's arrays: `work`, `extra`, and the twiddles of all its stages, the most of
    any rank.
    """

    work: int
    extra: int
    twiddles: int


@dataclass(frozen=True)
class Scheme:
    """A program of the paper.

    Attributes:
        work, extra: its send and receive buffers in half blocks of M/2 elements; their sum is its
            row in Table 1.
        whole: whether neighbours exchange all their elements, not one half.
        each: the number of supersteps of a channel.
        apart: whether the halves do not stay where they are.
        named: the macro of the line that names its buffers.
        received: where an overlapped message comes to.
        taken: what takes a message that has come on the lower of two neighbours, and on the upper.
    """

    work: int = 0
    extra: int = 0
    whole: bool = False
    each: int = 1
    apart: bool = False
    named: str = ""
    received: str = ""
    taken: tuple[str, str] = ("", "")


SCHEMES = {
    "1": Scheme(),
    "2": Scheme(work=2, whole=True),
    "3": Scheme(each=2),
    "4": Scheme(
        work=1, named="first_half_sent", taken=("own.Recv(q, neighbour)", "own.Recv(p, neighbour)")
    ),
    "5": Scheme(
        work=2,
        extra=1,
        apart=True,
        named="halves_apart",
        received="received[{place}]",
        taken=("p, q = first, received[{place}]", "p, q = received[{place}], second"),
    ),
    "5r": Scheme(
        work=2,
        apart=True,
        named="halves_rotate",
        received="other_p if {rank} else other_q",
        taken=("q, other_q = other_q, q", "p, other_p = other_p, p"),
    ),
}
"""The programs that `scheme` names, and that for one rank."""


def room(program: Program) -> Room:
    """Return the arrays of a hypercube FFT. From bit-reversed to scrambled, or back, they are the
    buffers of its scheme.

    Other layouts need one work array of M elements, in which the buffers find room as well: nowhere
    is it more than 3 M/2.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> ends = "bit-reversed", "scrambled"
    >>> room(resolve(make_request("hypercube-fft", 1024, 4, *ends, scheme="4")))
    Room(work=128, extra=0, twiddles=384)
    """
    M, P, steps = program.M, program.P, program.steps
    before = _passes(steps[0], program.input.m) if steps else 0
    after = _passes(steps[-1], program.input.m) if len(steps) > 1 else 0
    scheme = SCHEMES[program.request.scheme]
    work, extra = (half * M // 2 if P > 1 else 0 for half in (scheme.work, scheme.extra))
    return Room(
        max(work, M if after or before > 1 else 0),
        extra,
        sum(step.is_twiddled for step in program.steps) * twiddles_of_a_stage(program),
    )


def _passes(step: Any, m: int) -> int:
    """Return how often a change of layout of 2^m elements a rank writes all of them to another
    array.
    """
    if not step.is_move:
        return 0
    orders = (step.pack, step.unpack)
    maps = (order if isinstance(order, Affine) else order.affine() for order in orders)
    return step.exchanges + sum(arranging_cost(each, m) > 0 for each in maps)


def twiddles_of_a_stage(program: Program) -> int:
    """Return the entries of a table: M/2, or in Prog. 2 for P = 2 all M of the second rank.

    The second half of the twiddles of Prog. 2 is the first, turned; so (d+1) M/2 entries are enough
    for every P.
    """
    whole = SCHEMES[program.request.scheme].whole and (program.P == 2 or program.M == 1)
    return program.M if whole else program.M // 2


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


def table(kind: str, how: Twiddles, tables: Any) -> dict[str, Any]:
    """Return a table of twiddles as the template prints it."""
    if kind == "turns":
        return {"half": how.M // 2, "order": 2 * how.M, "count": how.last}
    tables.expressions.append(how.exponent)
    needs = ("root_of_unity", "twiddles") if tables.vectors else ("root_of_unity",)
    return how.view | {"needs": needs, "split": tables.vectors}
