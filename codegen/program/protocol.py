"""The protocol of supersteps: each kind of step is a record that says what it computes, sends and costs, so
nothing else asks which kind it is.

    interpret   what becomes of the elements of all ranks, over an exact ring
    carried     where elements come to that are moved and not computed with
    sent        messages and words that ranks send to others;   targets   the ranks that they go to
    flops       operations of a rank;                           passes    over the memory of a rank
    roots, row_sum, halvings      bounds for the ring in which it is checked
    in_words    what it does;                                  together  what is transformed together
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np

from codegen.systems.exchanges import Way
from derive.exact.rings import Elements
from derive.formula.grammar import Formula, I
from derive.formula.permutations import is_permutation
from derive.gf2.bits import Affine
from derive.maps.index_map import Written


class Unit(NamedTuple):
    """What one number of a step is, and how many elements of the program it takes."""

    name: str
    words: int


ELEMENT = Unit("element", 1)
"""An element of a program whose steps are all on its elements."""
REAL = Unit("real", 1)
"""A real element of a program that has complex numbers as well."""
PAIR = Unit("pair", 2)
"""Two real elements that are neighbours, as one complex number."""
COMPLEX = Unit("complex", 2)
"""A complex number that is made of one real element."""


class Sent(NamedTuple):
    """The messages and words that ranks send to others in a superstep."""

    messages: Any
    words: Any


class Exchange(Protocol):
    """An exchange of equal messages between ranks. The maps are of s messages + b, for message b of
    rank s, or of a rank s.
    """

    @property
    def messages(self) -> int:
        """How many messages a rank sends, with one to itself."""
        ...

    @property
    def to(self) -> Written:
        """The rank that message b of rank s goes to."""
        ...

    @property
    def come_from(self) -> Written:
        """The rank that the b-th message that rank s receives comes from."""
        ...

    @property
    def position(self) -> Written:
        """Which of the messages that it receives is message b of rank s for its target."""
        ...

    @property
    def arrival(self) -> Written:
        """Which of its sender's messages is the b-th message that rank s receives."""
        ...

    @property
    def colour(self) -> Written:
        """A number that the ranks of a group have in common, of a rank s."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether every rank has a message for every rank, in their order."""
        ...

    @property
    def in_rounds(self) -> bool:
        """Whether message b of every rank is received as message b."""
        ...

    def by_groups(self, way: Way) -> bool:
        """Return whether messages that travel this way go by an all-to-all of groups of ranks."""
        ...

    def by_counts(self, size: int) -> bool:
        """Return whether others can go together, by counts for all ranks: not more numbers than the
        size of a rank's part.
        """
        ...

    def sent(self, ranks: Any) -> Any:
        """Return how many messages these ranks send to others."""
        ...

    def targets(self, ranks: Any) -> Any:
        """Return the ranks that each of a column of ranks sends to."""
        ...


@dataclass(frozen=True)
class Works:
    """The work of every rank on its own elements: factors of the formula, or words."""

    words: str


@dataclass(frozen=True)
class Exchanges:
    """An exchange of messages: factors of the formula, or words."""

    words: str


Words = Sequence[Works | Exchanges]


class Step:
    """What all ranks do in a superstep: as it stands it computes, sends and moves nothing."""

    @property
    def factors(self) -> tuple[Formula, ...]:
        """The factors of the program's equation that it carries out, the last done first."""
        return ()

    @property
    def is_move(self) -> bool:
        """Whether it moves numbers and does nothing else."""
        return False

    @property
    def stages(self) -> tuple[int, ...]:
        """The sizes of its generalized butterflies."""
        return ()

    @property
    def twiddles(self) -> tuple[Formula, ...]:
        """Those factors of a move that move nothing."""
        moves = self.factors if self.is_move else ()
        return tuple(factor for factor in moves if not is_permutation(factor))

    @property
    def transforms_of_ranks(self) -> tuple[Any, ...]:
        """Its transforms F_d of the elements of a rank, or of a tile of them, and F_2 of two
        ranks.
        """
        return ()

    @property
    def butterfly(self) -> Any:
        """Its F_2 between the halves of a rank's elements, or between neighbours, if it has one."""
        return None

    @property
    def crosses(self) -> int | None:
        """The one bit of the rank across which it exchanges messages, if there is one."""
        return None

    @property
    def is_twiddled(self) -> bool:
        """Whether a diagonal comes before or after its butterflies."""
        return False

    @property
    def multiplies_last(self) -> bool:
        """Whether its diagonal comes after what it computes."""
        return False

    @property
    def unit(self) -> Unit:
        """What one of its numbers is."""
        return ELEMENT

    def of(self, unit: Unit) -> Self:
        """Return the step on such numbers, if it is not always on the same."""
        return self

    @property
    def in_lists(self) -> bool:
        """Whether the real elements of a rank are two lists."""
        return False

    @property
    def moves(self) -> bool:
        """Whether where elements come to is drawn, before and after."""
        return False

    @property
    def across(self) -> int:
        """On how many ranks the axis lies that it reflects; 0 of other steps."""
        return 0

    def interpret(self, x: Elements, ring: Any) -> Elements:
        """Return what becomes of the elements of all ranks, by storage address."""
        raise NotImplementedError

    def carried(self, x: Elements) -> Elements:
        """Return elements where they come to, by storage address; computing lets them be."""
        return x

    @property
    def exchanges(self) -> bool:
        """Whether ranks exchange messages."""
        return False

    def by_matrix(self) -> Affine | None:
        """Return the permutation of storage addresses as a bit matrix, None of other steps."""
        return None

    def sent(self, ranks: Any) -> Sent:
        """Return the messages and words that these ranks send to others."""
        return Sent(0 * ranks, 0 * ranks)

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        """Return the ranks that each of a column of ranks sends to, and how many words; one that
        sends nothing sends to itself.
        """
        return ranks, 0

    @property
    def computes_first(self) -> bool:
        """Whether ranks compute before they exchange."""
        return False

    def flops(self, rank: int = 0) -> int:
        """Return the flops of a rank."""
        return 0

    def passes(self, kernels: str) -> int:
        """Return how often a rank reads and writes all its elements, beside exchanges."""
        return 1

    @property
    def roots(self) -> int:
        """The order of the roots of unity in its diagonals."""
        return 1

    @property
    def row_sum(self) -> int:
        """A bound of the absolute row sums of what it computes."""
        return 1

    @property
    def halvings(self) -> int:
        """Twos in the denominators of what it computes."""
        return 0

    @property
    def in_words(self) -> Words:
        """What ranks compute and exchange, in turn, in words."""
        raise NotImplementedError

    def together(self, o: Any) -> Any:
        """Return a number for each offset, the same where elements are transformed together and
        other ones for neighbours; None where nothing is drawn of it.
        """
        return None


class Moving(Step):
    """A step that packs the numbers of each rank, exchanges equal messages, and unpacks them; or it
    only puts them in another order. Message b is the b-th part of the packed numbers.
    """

    exchange: Any
    """An Exchange, or None."""
    is_move: ClassVar[bool] = True

    @property
    def moves(self) -> bool:
        return self.unit == ELEMENT

    def interpret(self: Any, x: Elements, ring: Any = None) -> Elements:
        M, z = self.size, np.arange(len(x))
        z = z // M * M + self.offsets(self.pack, z)
        if self.exchange is not None:
            each = M // self.exchange.messages
            to, place = (map(z // each) for map in (self.exchange.to, self.exchange.position))
            z = to * M + place * each + z % each
        y = np.empty_like(x)
        y[z // M * M + self.offsets(self.unpack, z)] = x
        return y

    carried = interpret

    def offsets(self, order: Any, z: Any) -> Any:
        """Return the offsets that an order of each rank gives the numbers at these addresses."""
        return order(z % self.size)

    @property
    def size(self) -> int:
        """The number of numbers of a rank."""
        raise NotImplementedError

    @property
    def unnamed(self) -> str:
        """What a program says that it does where it has no factors."""
        return ""

    @property
    def exchanges(self) -> bool:
        return self.exchange is not None

    def sent(self, ranks: Any) -> Sent:
        if self.exchange is None:
            return super().sent(ranks)
        each = self.exchange.sent(ranks)
        return Sent(each, each * self._words)

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        if self.exchange is None:
            return super().targets(ranks)
        return self.exchange.targets(ranks), self._words

    @property
    def _words(self) -> int:
        """The words of a message."""
        return self.size // self.exchange.messages * self.unit.words

    def passes(self, kernels: str) -> int:
        """Return one for a rearrangement that no exchange takes along."""
        return int(self.exchange is None)


def on(unit: Unit, steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return steps on such numbers."""
    return tuple(step.of(unit) for step in steps)


def written(factors: Sequence[Formula]) -> str:
    """Return factors but identities as they print, one alone without the parentheses around it."""
    text = " ".join(str(factor) for factor in factors if not isinstance(factor, I))
    whole = len(factors) == 1 and text.startswith("(") and text.endswith(")")
    return text[1:-1] if whole else text
