"""Direct sums of blocks whose sizes have no common measure, such as m and n. Not trusted.

The kernel has products of sizes, and no m + n. It has such a matrix X as V X V*, with V* V = I. For
parts d_1, .., d_k of an index, V = (P_1 .. P_k), P_i = (column i of the inverse of F(k)) ⊗ .., and
V* has the rows P_i*, P_i* P_j = [i = j] I. In P_i stands I(d_i) at the digit of this size, and a column
of ones at that of every other one. Then

    V X V* = V Y V*  says  X = Y,        V (X Y) V* = V X V* V Y V*,        V (X + Y) V* = V X V* + V Y V*

and the identity is V V*, the sum of all P_i P_i*. Matrices are multiplied or compared where their
indices have the same parts at the same places; else there is no term.
"""  # noqa: E501

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from derive.text.expressions import Operation
from derive.text.syntax import (
    Added,
    Applied,
    Called,
    DirectSum,
    Kron,
    Leaf,
    Power,
    Product,
    Scaled,
    Text,
    leaf,
)
from proofs.kernel import terms as kernel
from proofs.kernel.kernel_rules import chosen
from proofs.kernel.numbers import ONE, Digit, Dim, Nat, Poly
from proofs.kernel.terms import Block, E, I, Mul, Sum, Term, W
from proofs.prove.tactics import kron, mul
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.readings import ALONE
from proofs.prove.translation.sum_terms import added, inclusion, number_of, scaled
from proofs.prove.translation.translator import ZERO, Translator


@dataclass(frozen=True)
class Split:
    """An index that has so many copies of its parts, one of them after the other, each part in this
    multiple.
    """

    copies: Dim
    parts: tuple[Dim, ...]
    multiple: Dim

    @property
    def sizes(self) -> list[Dim]:
        """The sizes of all parts in their order."""
        return [d * self.multiple for d in self.parts] * number_of(self.copies)

    def inclusion(self, at: int, turned: bool) -> Term:
        """Return P_i of a part, or P_i*."""
        copy, part = divmod(at, len(self.parts))
        copies = number_of(self.copies)
        first = chosen(copy, copies, not turned) if copies > 1 else I(ONE)
        return _kron(first, self._included(part, turned))

    def _included(self, part: int, turned: bool) -> Term:
        digits = [
            I(size) if size == self.parts[part] else _over(size, turned)
            for size in dict.fromkeys(self.parts)
        ]
        return _kron(_one_of(part, len(self.parts), turned), *digits, I(self.multiple))

    def identity(self) -> Term:
        """Return V V*."""
        every = range(len(self.parts))
        kept: list[Term] = [Mul(self._included(i, False), self._included(i, True)) for i in every]
        return _kron(I(self.copies), added(kept))


Index = Dim | Split
"""The rows or the columns of a matrix."""
Made = tuple[Term, Index, Index]


@dataclass(frozen=True)
class Splitting:
    """Turns texts into terms, direct sums of blocks of any sizes too."""

    translator: Translator
    turned: bool = False
    conj: bool = False
    inverse: bool = False

    def both(self, left: Text, right: Text) -> tuple[Term, Term]:
        """Return both sides of an equation.

        Raises Inexpressible where they have no terms, or their parts are not the same.
        """
        return self.indexed(left, right)[:2]

    def indexed(self, left: Text, right: Text) -> tuple[Term, Term, Index, Index]:
        """Return both sides of an equation, their rows and their columns."""
        (one, *index), (two, *other) = self.made(left), self.made(right)
        if _is_identity(right) and (same := _reordered(*index, *other)):
            return one, same, index[0], index[1]
        if _is_identity(left) and (same := _reordered(*other, *index)):
            return same, two, other[0], other[1]
        if index != other and Split in {*map(type, index + other)}:
            raise _elsewhere(right)
        return one, two, index[0], index[1]

    def made(self, text: Text) -> Made:
        """Return a text as a term, with its rows and its columns."""
        try:
            found = self.translator.term(text, self.turned, self.conj, self.inverse)
        except Inexpressible as error:
            return self._split(text, error)
        return found, *found.shape

    def _split(self, text: Text, error: Inexpressible) -> Made:
        match text:
            case Leaf("I", (Operation("+"),)):
                return self._stacked((text,), text)
            case DirectSum(terms):
                return self._stacked(terms, text)
            case Product(factors):
                row = [self.made(x) for x in (factors[::-1] if self.turned else factors)]
                return reduce(lambda a, b: _product(a, b, text, error), row)
            case Kron(operands):
                return reduce(lambda a, b: _beside(a, b, text), map(self.made, operands))
            case Added(terms) if not self.inverse:
                return _sum([self.made(x) for x in terms], text)
            case Scaled(by, imaginary, of):
                term, *index = self.made(of)
                T = self.translator
                number = ALONE / T.dim(by) if self.inverse else T.alpha(by)
                return scaled(term, number, imaginary, self.conj), index[0], index[1]
            case Power():
                return self._power(self.translator.not_negative(text), error)
            case Applied(name, of):
                flags = (
                    self.turned != (name != "conj"),
                    self.conj != (name != "transpose"),
                    self.inverse != (name == "inv"),
                )
                return Splitting(self.translator, *flags).made(of)
        raise error

    def _stacked(self, texts: Sequence[Text], text: Text) -> Made:
        """Return a direct sum, each block between inclusions of its parts."""
        terms, *indices = zip(*map(self.made, _flat(texts)), strict=True)
        sides = [_Side.of(list(index), text) for index in indices]
        summands = [
            mul(sides[0].inclusion(i, False), term, sides[1].inclusion(i, True))
            for i, term in enumerate(terms)
        ]
        return added(summands), sides[0].whole, sides[1].whole

    def _power(self, text: Power, error: Inexpressible) -> Made:
        """Return a power of an exponent that is never below 0."""
        term, rows, columns = self.made(text.of)
        if rows == columns and not isinstance(rows, Split):
            raise error
        if rows != columns or not isinstance(rows, Split):
            raise _elsewhere(text)
        power = self.translator.power(text, self.turned, lambda _: term)
        return Mul(power, rows.identity()), rows, columns


@dataclass(frozen=True)
class _Side:
    """The rows or the columns of a direct sum, and those of its blocks."""

    whole: Index
    blocks: list[Index]
    text: Text

    @staticmethod
    def of(blocks: list[Index], text: Text) -> _Side:
        sizes = [size for block in blocks for size in _sizes(block, text)]
        common = reduce(_common_divisor, sizes)
        parts = [size / common for size in sizes]
        if all(map(number_of, parts)):
            return _Side(common * sum(map(number_of, parts)), blocks, text)
        period = next(p for p in range(1, len(parts) + 1) if _repeats(parts, p))
        copies = Dim.of(len(parts) // period)
        return _Side(Split(copies, tuple(parts[:period]), common), blocks, text)

    def inclusion(self, i: int, turned: bool) -> Term:
        """Return what puts block i at its place in the whole, or what takes it from there."""
        before = sum(len(_sizes(block, self.text)) for block in self.blocks[:i])
        inner = _sizes(self.blocks[i], self.text)
        found = []
        for j, size in enumerate(inner):
            put = self._put(before + j, size, turned)
            if isinstance(block := self.blocks[i], Split):
                own = block.inclusion(j, not turned)
                put = Mul(own, put) if turned else Mul(put, own)
            found.append(put)
        return added(found) if len(found) > 1 else found[0]

    def _put(self, at: int, size: Dim, turned: bool) -> Term:
        if isinstance(self.whole, Split):
            return self.whole.inclusion(at, turned)
        sizes = [d for block in self.blocks for d in _sizes(block, self.text)]
        unit = reduce(_common_divisor, sizes)
        counts = [number_of(d / unit) for d in sizes]
        return inclusion(sum(counts), counts[at], sum(counts[:at]), unit, turned)


def _is_identity(text: Text) -> bool:
    return isinstance(text, Leaf) and text.name == "I"


def _reordered(rows: Index, columns: Index, own: Index, _: Index) -> Term | None:
    """Return the identity of this index, where it has the parts of another one in another order."""
    match rows, own:
        case Split(copies, parts, multiple), Split(copies_, parts_, multiple_):
            alike = (copies, multiple, Counter(parts)) == (copies_, multiple_, Counter(parts_))
            return rows.identity() if rows == columns and alike else None
    return None


def _flat(texts: Sequence[Text]) -> list[Text]:
    """Return the terms of a direct sum, those of direct sums in it and I(m+n) taken apart."""
    found = list[Text]()
    for text in texts:
        match text:
            case DirectSum(terms):
                found += _flat(terms)
            case Leaf("I", (Operation("+", first, second),)):
                found += _flat([leaf("I", size, column=text.column) for size in (first, second)])
            case _:
                found.append(text)
    return found


def _sizes(index: Index, text: Text) -> list[Dim]:
    if isinstance(index, Dim):
        return [index]
    if not number_of(index.copies):
        raise _elsewhere(text)
    return index.sizes


def _repeats(parts: list[Dim], period: int) -> bool:
    return len(parts) % period == 0 and parts == parts[:period] * (len(parts) // period)


def _elsewhere(text: Text) -> Inexpressible:
    return Inexpressible(
        f"column {text.column}: {text}: cannot show that the parts of its direct sums are equal"
    )


def _product(a: Made, b: Made, text: Text, error: Inexpressible) -> Made:
    if a[2] != b[1]:
        raise error if isinstance(a[2], Dim) and isinstance(b[1], Dim) else _elsewhere(text)
    return Mul(a[0], b[0]), a[1], b[2]


def _sum(terms: list[Made], text: Text) -> Made:
    if len({tuple(index) for _, *index in terms}) > 1:
        raise _elsewhere(text)
    return added([term for term, _, _ in terms]), terms[0][1], terms[0][2]


def _beside(a: Made, b: Made, text: Text) -> Made:
    rows, columns = (_index(one, two, text) for one, two in zip(a[1:], b[1:], strict=True))
    return kernel.Kron(a[0], b[0]), rows, columns


def _index(a: Index, b: Index, text: Text) -> Index:
    match a, b:
        case Dim(), Dim():
            return a * b
        case Dim(), Split(copies, parts, multiple):
            return Split(a * copies, parts, multiple)
        case Split(copies, parts, multiple), Dim():
            return Split(copies, parts, multiple * b)
    raise _elsewhere(text)


def _kron(*operands: Term) -> Term:
    """Return a Kronecker product without I(1)."""
    return kron(*(one for one in operands if one != I(ONE)))


def _one_of(i: int, count: int, turned: bool) -> Term:
    """Return column i of the inverse of F(count), times count; or row i of F(count), over count."""
    N, sign = Dim.of(count), -1 if turned else 1
    x = Digit("x", N)
    return _over(N, turned, Block(x, W(Poly.of(x) * (sign * i) / N)))


def _over(size: Dim, turned: bool, phases: Term | None = None) -> Term:
    """Return a column of so many ones, or the row of 1/size; times a diagonal."""
    ones = E(ONE, size) if turned else E(size, ONE)
    made = ones if phases is None else Mul(ones, phases) if turned else Mul(phases, ones)
    return Sum(((ALONE / size, ZERO, made),)) if turned else made


def _common_divisor(a: Dim, b: Dim) -> Dim:
    """Return a common divisor of two sizes, base by base."""
    other = dict(b.powers)
    shared = {base: _least(e, other[base]) for base, e in a.powers if base in other}
    return Dim(frozenset((base, e) for base, e in shared.items() if e))


def _least(a: Nat, b: Nat) -> Nat:
    return b if (a - b).natural else a if (b - a).natural else Nat.of(0)


def included(sizes: Sequence[Dim], i: int, turned: bool) -> Term:
    """Return what puts block i of these sizes at its place in their direct sum, or takes it from
    there.
    """
    return _Side.of([*sizes], Called("I", ())).inclusion(i, turned)
