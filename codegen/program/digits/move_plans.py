"""A permutation of bits of storage addresses as one move: the digits that come to the ranks and those
that leave them, and the order of elements within messages that is arranged at the least cost.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import replace

from codegen.program.digits.places import Digit, permutation, refined, traded
from codegen.program.digits.steps import Trade, Turn
from codegen.program.moves import arranging_cost
from derive.digits.radices import DigitPermutation, identity
from derive.maps.expressions import Number


def planned(address: DigitPermutation, P: int) -> Trade | Turn:
    """Return the move that takes the element at storage address z to address(z), of 2^n elements on
    P ranks.

    >>> from derive.digits.radices import reversal
    >>> planned(reversal((2,) * 4), 4).exchange
    DigitExchange(P=4, stay=(), leave=((1, 4),), enter=((1, 4),))
    """
    M = address.size // P
    ends = Digit(0, True, M, P), Digit(0, True, 1, M)
    high, low = (_digits(part, ends[1]) for part in address.divided(M))
    ranks, here = ([d for d in refined([end], [*high, *low]) if d.radix > 1] for end in ends)
    if ranks == high:
        return Turn(permutation(here, low), P)
    return _least(traded(ranks, here, high, low), here, low)


def _digits(part: Number, offset: Digit) -> list[Digit]:
    """Return the digits of a part of an address, the highest first."""
    fields = sorted(part.fields, key=lambda field: -field.value)
    return refined((Digit(0, True, each.place, each.radix) for each in fields), [offset])


def _least(trade: Trade, given: list[Digit], wanted: list[Digit]) -> Trade:
    """Return a trade with the elements of a message in the order of where they go, or of where they
    are, whichever packing and unpacking cost less.
    """
    both = set(given) & set(wanted)
    before, after = ([digit for digit in part if digit in both] for part in (given, wanted))
    inside = identity(trade.messages).beside(permutation(before, after))
    other = replace(trade, pack=inside @ trade.pack, unpack=trade.unpack @ inside.inverse())
    return min(other, trade, key=_cost)


def _cost(trade: Trade) -> int:
    m = trade.size.bit_length() - 1
    return sum(arranging_cost(each.affine(), m) for each in (trade.pack, trade.unpack))
