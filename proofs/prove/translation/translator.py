"""From formula text to terms of the kernel: sizes become monomials of powers, a prod a Pi.

A symbol in an exponent or in the bounds of a prod is a natural, one in an alpha a real, any other a
size. No variable is divided: where N/r has to be whole, N = r N' with a new N', and where 2^(n-1)
has to be, n = n' + 1 (symbols.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from typing import Any

from derive.formula.named_matrices import parameters
from derive.text.definitions import closed
from derive.text.expressions import FormulaError, Number, negative, size_symbols, unused
from derive.text.syntax import (
    Added,
    Again,
    Applied,
    Defined,
    DirectSum,
    Kron,
    Leaf,
    Ordered,
    Own,
    Power,
    Product,
    Ranged,
    Scaled,
    Text,
    Variable,
    replaced,
    symbols,
)
from derive.text.text_matrices import meant, quotients
from proofs.kernel.numbers import ONE, Dim, Nat, Poly, nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import I, Pi, Sum, Term, Var, free, substitute
from proofs.prove.tactics import blocks, kron, mul, tower
from proofs.prove.translation.divisibility import Inexpressible, Repair, linear
from proofs.prove.translation.matrix_terms import LEAVES, Made, Occurrence
from proofs.prove.translation.readings import ALONE, MOST_FACTORS, Reader
from proofs.prove.translation.sum_terms import (
    added,
    by_digits,
    in_order,
    number_of,
    of_stages,
    over_index,
    scaled,
    stacked,
    stage,
)

UNNAMED = "_"
"""The index of a power, which no symbol of a text is called."""
ZERO = Poly.of(0)


class Translator(Reader):
    """Turns texts into terms; `values` says what each symbol stands for, a Nat, a Dim or a Poly."""

    def term(
        self, text: Text, turned: bool = False, conj: bool = False, inverse: bool = False
    ) -> Term:
        """Return a text as a term, transposed, conjugated, or with `inverse` divided by its norm.

        Raises Inexpressible where there is no term, Repair where a symbol has to be replaced.
        """
        inner = partial(self.term, turned=turned, conj=conj, inverse=inverse)
        match text:
            case Leaf() | Ranged() | Variable() | Defined() | Again():
                return self.named(text, turned, conj, inverse)
            case Product(factors):
                row = factors[::-1] if turned else factors
                return in_order(row, [*map(inner, row)])
            case Kron(operands):
                return kron(*map(inner, operands))
            case DirectSum(terms):
                return stacked([inner(term) for term in terms], text)
            case Added(terms) if not inverse:
                return added([inner(term) for term in terms])
            case Added():
                raise Inexpressible(f"column {text.column}: the inverse of a sum has no term")
            case Scaled(by, imaginary, of):
                number = ALONE / self.dim(by) if inverse else self.alpha(by)
                return scaled(inner(of), number, imaginary, conj)
            case Power():
                return self.power(text, turned, inner)
            case Ordered(name="sum"):
                return self.summed(text, inner, inverse)
            case Ordered():
                return self.ordered(text, turned, inner)
            case Applied("transpose", of):
                return self.term(of, not turned, conj, inverse)
            case Applied("conj", of):
                return self.term(of, turned, not conj, inverse)
            case Applied(_, of):
                return self.term(of, not turned, not conj, not inverse)
        raise TypeError(f"{text!r} is not a text")

    def ordered(self, text: Ordered, turned: bool, inner: Callable[[Text], Term]) -> Term:
        """Return A(a) ... A(b): the factor with k after it and l before it has the index a + l."""
        first = self.nat(text.first)
        count = self.nat(text.last) - first + 1
        if not free(count):
            factors = max(sum(c for _, c in count.terms), 0)
            return self.multiplied(text, first, factors, turned, inner)
        if not count.natural:
            raise Inexpressible(
                f"column {text.column}: the product runs from {text.first} to {text.last}: state a"
                " condition by which its number of factors is not negative"
            )
        return self.counted(text, first, count, turned, inner)

    def summed(self, text: Ordered, inner: Callable[[Text], Term], inverse: bool) -> Term:
        """Return a sum over an index: term by term, or as a direct sum between matrices of ones."""
        if inverse:
            raise Inexpressible(f"column {text.column}: the inverse of a sum has no term")
        if any(type(self.values[name]) is Nat for name in size_symbols(text.count)):
            return self.added_up(text, self.nat(text.count), inner)
        count = self.whole(text.count)
        if 0 < (terms := number_of(count)) <= MOST_FACTORS:
            each = (replaced(text.body, {text.index: Number(i)}) for i in range(terms))
            return added([inner(term) for term in each])
        before = self.values

        def body(k: Poly) -> Term:
            self.values = before | {text.index: k}
            try:
                return inner(text.body)
            finally:
                self.values = before

        return over_index(blocks(count, body), count)

    def added_up(self, text: Ordered, count: Nat, inner: Callable[[Text], Term]) -> Term:
        """Return a sum over an index that is a number of factors, as a block of a product."""
        if not count.natural:
            raise Inexpressible(
                f"column {text.column}: the sum has {text.count} terms: state a condition by which"
                " this is not negative"
            )
        return of_stages(self.counted(text, Nat.of(0), count, False, lambda x: stage(inner(x))))

    def counted(
        self, text: Ordered, first: Nat, count: Nat, turned: bool, inner: Callable[[Text], Term]
    ) -> Pi:
        """Return a product of a symbolic number of factors."""
        wrong = list[Exception]()
        for name in (*(linear(count) or [""]), None):
            try:
                return self.tower(text, first, count, name, turned, inner)
            except (Inexpressible, Repair, Refused) as error:
                wrong.append(error)
        raise wrong[0]

    def tower(
        self,
        text: Ordered,
        first: Nat,
        count: Nat,
        name: str | None,
        turned: bool,
        inner: Callable[[Text], Term],
    ) -> Pi:
        """Return a product of so many factors; `name` is the symbol of the number of factors that
        stands for what makes that number k + l + 1, "" for none; None where the factors do not
        change with their number.
        """
        before, made = dict(self.values), list[Term]()

        def body(k: Nat, l: Nat) -> Term:
            if name:
                by = k + l + 1 - (count - nat(name))
                self.values = {x: _put(value, name, by) for x, value in before.items()}
            start = _put(first, name, by) if name else first
            self.values[text.index] = start + (k if turned else l)
            counts = self.counts
            self.counts = [*counts, (count, k + l + 1)] if name == "" else counts
            try:
                made.append(inner(text.body))
                return made[0]
            finally:
                self.values = dict(before)
                self.counts = counts

        try:
            return tower(count, body)
        except Refused as error:
            if not made:
                raise
            raise Inexpressible(
                f"column {text.body.column}: {text.body} is not square, or not of one size for all"
                f" {text.index}: the factors of a product must have the same size"
            ) from error

    def named(self, text: Leaf | Own, turned: bool, conj: bool, inverse: bool) -> Term:
        """Return a matrix with a name, a letter, or what is defined."""
        match text:
            case Leaf():
                return self.leaf(text, turned, conj, inverse)
            case Ranged():
                return self.ranged(text, turned, conj)
            case Defined():
                return self.term(_closed(text), turned, conj, inverse)
            case Variable():
                return self.variable(text, turned, conj, inverse)
        raise AssertionError(f"{text} stands outside of its definition")

    def ranged(self, text: Ranged, turned: bool, conj: bool) -> Term:
        """Return a diagonal or a permutation by its digits."""
        before, names = self.values, [name for name, _ in text.indices]

        def of(*digits: Poly) -> Poly:
            self.values = before | dict(zip(names, digits, strict=True))
            try:
                found = self.alpha(text.of)
            finally:
                self.values = before
            return found * -1 if conj and text.name == "diag" else found

        radices = tuple(self.whole(radix) for _, radix in text.indices)
        return by_digits(text.name, radices, of, turned)

    def variable(self, text: Variable, turned: bool, conj: bool, inverse: bool) -> Term:
        """Return a matrix variable; its transposed and its conjugate are any other matrices, so
        that more is proved.
        """
        if inverse:
            raise Inexpressible(f"column {text.column}: {text} need not have an inverse")
        name = text.name + "_t" * turned + "_c" * conj
        rows, columns = self.whole(text.rows), self.whole(text.columns)
        return Var(name, columns, rows) if turned else Var(name, rows, columns)

    def power(self, text: Power, turned: bool, inner: Callable[[Text], Term]) -> Term:
        """Return A^n as a product of equal factors, of the inverse for an n below 0."""
        text = self.not_negative(text)
        index = unused(UNNAMED, symbols(text.of))
        factors = Ordered(index, Number(1), text.exponent, text.of, column=text.column)
        return self.ordered(factors, turned, inner)

    def not_negative(self, text: Power) -> Power:
        """Return a power whose exponent is never below 0, of the inverse where it always is."""
        exponent = self.nat(text.exponent)
        if exponent.natural:
            return text
        if not (exponent * -1).natural:
            raise Inexpressible(
                f"column {text.column}: {text} has the exponent {text.exponent}: state a condition"
                " by which this is not negative"
            )
        inverse = Applied("inv", text.of, column=text.column)
        return replace(text, of=inverse, exponent=negative(text.exponent))

    def multiplied(
        self, text: Ordered, first: Nat, count: int, turned: bool, inner: Callable[[Text], Term]
    ) -> Term:
        """Return a product of a number of factors that is no symbol, factor by factor."""
        if count > MOST_FACTORS:
            raise Inexpressible(
                f"column {text.column}: the product has {count} factors: at most {MOST_FACTORS} are"
                " multiplied out in a proof"
            )
        before, found = dict(self.values), []
        try:
            for i in range(max(count, 1)):
                self.values = before | {text.index: first + i}
                found.append(inner(text.body))
        finally:
            self.values = before
        if count == 0:
            rows, columns = found[0].shape
            if rows != columns:
                raise Inexpressible(
                    f"column {text.body.column}: {text.body} is not square, so a product without"
                    " factors of it is not an identity"
                )
            return I(found[0].shape[0])
        return mul(*(found[::-1] if turned else found))

    def leaf(self, text: Leaf, turned: bool, conj: bool, inverse: bool) -> Term:
        """Return a matrix."""
        found, norm = self.made(text, turned, conj)
        return Sum(((ALONE / norm, ZERO, found),)) if inverse and norm != ONE else found

    def made(self, text: Leaf, turned: bool, conj: bool) -> Made:
        """Return a matrix, by its own term or by its definition."""
        names = parameters(text.name, len(text.sizes))
        readings = {"real": self.alpha, "natural": self.nat, "size": self.whole}
        sizes: list[Any] = [
            readings[one.sort](size) for one, size in zip(names, text.sizes, strict=False)
        ]
        if text.name not in LEAVES and (definition := meant(text)) is not None:
            for quotient in quotients(text):
                self.whole(quotient)
            return self.term(definition, turned, conj), self.norm(definition)
        sizes += [ZERO] * (len(names) - len(sizes))
        return LEAVES[text.name](
            Occurrence(text, sizes, turned, -1 if conj else 1, self.whole, self.values.keys())
        )

    def norm(self, text: Text) -> Dim:
        """Return the multiple of I that the definition of a matrix makes with its adjoint."""
        match text:
            case Leaf():
                return self.made(text, False, False)[1]
            case Product(parts) | Kron(parts):
                return reduce(Dim.__mul__, map(self.norm, parts))
            case DirectSum((part, *_)) | Applied(_, part):
                return self.norm(part)
        return ONE


def _closed(text: Defined) -> Text:
    try:
        return closed(text)
    except FormulaError as error:
        raise Inexpressible(str(error)) from error


def _put(value: Any, name: str, by: Nat) -> Any:
    return substitute(value, {name: by}) if type(value) in (Nat, Dim, Poly) else value
