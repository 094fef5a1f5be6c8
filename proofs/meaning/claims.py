"""What a theorem of the kernel is said to be: an equation as text with its conditions, what its
symbols are in letters of the kernel, and of which parts its rows and columns are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np

from derive.text.expressions import Size
from derive.text.parse import parse, parse_relations
from derive.text.syntax import Equation
from derive.text.text_sizes import Reader
from proofs.meaning.random_field import MOST_ENTRIES, Array, RandomField, need, within
from proofs.meaning.text_values import integer

Condition = tuple[Size, str, Size]
Read = TypeVar("Read")


@dataclass(frozen=True)
class Parts:
    """An index of so many copies of parts, each part in a multiple, in letters of the kernel.

    The kernel has no m + n. It states V X V* = V Y V* in place of X = Y, with V = (P_1 P_2 ..) of
    orthogonal columns: P_i is a column of F ⊗ (I of its own size, ones for each other size) ⊗ I of
    the multiple, and V is repeated for each copy. So V X V* V = V X, and as V has independent
    columns, V X = V Y says X = Y. `put` is V times columns of numbers.
    """

    copies: Size
    sizes: tuple[Size, ...]
    multiple: Size

    def put(self, x: Array, letters: Mapping[str, Any], gf: RandomField) -> Array:
        """Return V x."""
        multiple, count = integer(self.multiple, letters), len(self.sizes)
        sizes = {str(size): integer(size, letters) for size in self.sizes}
        found, at = list[Array](), 0
        shape = (count, *sizes.values(), multiple, x.shape[1])
        within(prod(shape) <= MOST_ENTRIES, "an index of parts is too large")
        for i in [*range(count)] * integer(self.copies, letters):
            own = [n if name == str(self.sizes[i]) else 1 for name, n in sizes.items()]
            length = prod(own) * multiple
            phases = gf.turned(np.arange(count) * i, count).reshape(-1, *[1] * (len(own) + 2))
            block = x[at : at + length].reshape(1, *own, multiple, -1)
            found.append(np.broadcast_to(phases * block % gf.q, shape).reshape(-1, x.shape[1]))
            at += length
        need(at == len(x), "the parts of an index are not its size")
        groups = [found[c : c + count] for c in range(0, len(found), count)]
        return np.concatenate([np.asarray(sum(group) % gf.q) for group in groups])

    def __str__(self) -> str:
        return f"{self.copies}; {', '.join(map(str, self.sizes))}; {self.multiple}"


@dataclass(frozen=True)
class Claim:
    """An equation as it is stated, its conditions, and what its symbols are where they are no
    letters themselves; the parts of its rows and columns, None where the kernel has their number;
    the equation that is proved where square roots are taken out.
    """

    sides: Equation
    conditions: Sequence[Condition]
    substitution: Mapping[str, Size]
    rows: Parts | None = None
    columns: Parts | None = None
    without_roots: Equation | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what a certificate says beside the equation and its conditions."""
        found: dict[str, Any] = {
            "substitution": {name: str(size) for name, size in sorted(self.substitution.items())}
        }
        found |= {"rows": str(self.rows)} if self.rows else {}
        found |= {"columns": str(self.columns)} if self.columns else {}
        found |= {"without_roots": str(self.without_roots)} if self.without_roots else {}
        return found

    @staticmethod
    def read(equation: str, where: str, more: Mapping[str, Any]) -> Claim:
        """Return the claim of a certificate; BadField where a field of it is none, ValueError where
        its text is no equation.

        >>> found = Claim.read("L(N,r) * L(N,N/r) = I(N)", "", {"substitution": {"N": "N*r"}})
        >>> found.to_dict()
        {'substitution': {'N': 'N*r'}}
        """
        return Claim(
            parse(equation),
            parse_relations(where),
            {name: _read("substitution", _size, x) for name, x in more["substitution"].items()},
            _read("rows", _parts, more["rows"]) if "rows" in more else None,
            _read("columns", _parts, more["columns"]) if "columns" in more else None,
            _read("without_roots", parse, more["without_roots"])
            if "without_roots" in more
            else None,
        )


class BadField(ValueError):
    """A field of a certificate cannot be read."""


def _read(field: str, reader: Callable[[str], Read], text: str) -> Read:
    try:
        return reader(text)
    except ValueError as error:
        raise BadField(f"{field} cannot be read: {text!r}: {error}") from error


def _size(text: str) -> Size:
    reader = Reader(text)
    found = reader.size()
    reader.end()
    return found


def _parts(text: str) -> Parts:
    if text.count(";") != 2:
        raise ValueError("the parts of an index are written as copies; sizes; multiple")
    copies, sizes, multiple = text.split(";")
    return Parts(_size(copies), tuple(map(_size, sizes.split(","))), _size(multiple))
