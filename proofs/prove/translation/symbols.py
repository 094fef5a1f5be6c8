"""Symbols of a text in letters of the kernel, and these letters in symbols.

A letter is the symbol itself until a size has to be whole: for N/r it is N/r, and N is N r in
letters. Not trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from math import gcd, lcm
from typing import Any

from derive.text.expressions import Size, unused
from proofs.kernel.numbers import Dim, Nat, Poly, Real, nat, size
from proofs.kernel.terms import free, substitute
from proofs.prove.translation.written import written


@dataclass(frozen=True)
class Symbols:
    """`values` has each symbol in letters of the kernel, a Dim for a size, a Nat for an exponent, a
    Poly for an alpha; `back` each letter in symbols, `given` the same by conditions alone; the
    letters in `powers` are powers of 2.
    """

    values: Mapping[str, Any]
    back: Mapping[str, Any]
    given: Mapping[str, Any]
    powers: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, names: Iterable[str], naturals: AbstractSet[str], reals: AbstractSet[str]
    ) -> Symbols:
        """Return symbols that are letters themselves."""
        values: dict[str, Any] = {name: size(name) for name in names}
        values |= {name: nat(name) for name in naturals}
        values |= {name: Poly.of(Real(name)) for name in reals}
        return cls(values, values, values)

    def put(self, name: str, by: Nat | Dim) -> Symbols:
        """Return the symbols after a letter is a multiple, a sum with another natural, or a power
        of 2 with an exponent of its own.

        >>> found = Symbols.of(["N", "r"], set(), set()).put("N", size("N") * size("r"))
        >>> print(found.values["N"], found.back["N"], *found.implied)
        N*r N*r^(-1) r divides N
        >>> found = found.put("N", 2 ** nat("lg_N"))
        >>> print(found.values["N"], *found.implied)
        2^(lg_N)*r N/r is a power of 2
        """
        values = {x: substitute(value, {name: by}) for x, value in self.values.items()}
        if isinstance(by, Dim) and name not in free(by):
            return replace(self, values=values, powers=self.powers | {name})
        back = self.back[name]
        if isinstance(by, Nat):
            back = back - substitute(by - nat(name), self.back)
        else:
            back = back / substitute(by / size(name), self.back)
        return replace(self, values=values, back={**self.back, name: back})

    def summed(self, found: Poly, taken: AbstractSet[str] = frozenset()) -> Iterator[Symbols]:
        """Yield the symbols with a letter M for a sum of sizes, or for what is left of it without
        its common divisor: m + 1 = M for m = M - 1. It stands for any size, which proves more, and
        has a name that is not taken.

        >>> (one,) = Symbols.of(["n"], set(), set()).summed(Poly.of(size("n")) * 2 + 2)
        >>> print(one.values["n"], "|", *one.replaced)
        -1 + 1*(N) | ('n', 'N-1')
        """
        found = found * _over_common(found)
        for (dim, atoms), c in sorted(found.terms, key=str):
            name = str(dim)
            own = Poly(frozenset([((dim, atoms), c)]))
            others = [x for x, by in self.values.items() if x != name and name in free(by)]
            alone = c > 0 and self.values.get(name) == size(name) and not others
            if alone and name not in free(found - own):
                M = unused(name.upper(), {*self.values, *self.back, *taken})
                value = (Poly.of(size(M)) - found + own) * (1 / c)
                left = {x: by for x, by in self.given.items() if x != name} | {M: found}
                back = {x: by for x, by in self.back.items() if x != name} | {M: found}
                yield replace(self, values={**self.values, name: value}, back=back, given=left)

    def bounded(self, name: str, by: Nat) -> Symbols:
        """Return the symbols after a condition bounds one from below."""
        found = self.put(name, by)
        return replace(found, given=found.back)

    @property
    def written(self) -> dict[str, Size]:
        """The symbols in letters, as text, but those of alphas."""
        return {
            name: written(value)
            for name, value in sorted(self.values.items())
            if not any(type(sort) is Real for sort in free(value).values())
        }

    @property
    def replaced(self) -> tuple[tuple[str, str], ...]:
        """The symbols that are not letters themselves, with what they are."""
        return tuple(
            (name, str(value if type(value) is not Poly else self.written[name]))
            for name, value in sorted(self.values.items())
            if name in self.written and str(value) != name
        )

    @property
    def implied(self) -> tuple[str, ...]:
        """The conditions under which all sizes are whole, beside those that are given."""
        return tuple(
            _condition(letter, name in self.powers)
            for name, letter in sorted(self.back.items())
            if letter != self.given[name] or name in self.powers
        )

    def since(self, before: Symbols) -> dict[str, Any]:
        """Return what the letters that changed since are now."""
        found = {
            name: substitute(value, self.values)
            for name, value in before.back.items()
            if type(value) is not Poly
        }
        return {name: value for name, value in found.items() if str(value) != name}


def _over_common(found: Poly) -> Dim:
    """Return 1 over the largest number and size that divide all summands."""
    dims = [dict(dim.powers) for (dim, _), _ in found.terms]
    shared = {b: e for b, e in dims[0].items() if all(one.get(b) == e for one in dims)}
    number = gcd(*(c.numerator for _, c in found.terms))
    over = lcm(*(c.denominator for _, c in found.terms))
    return Dim.of(over) / number / Dim(frozenset(shared.items()))


def _condition(letter: Nat | Dim | Poly, is_power: bool = False) -> str:
    """Return the condition that a letter, in symbols, is natural, whole or a power of 2.

    >>> _condition(nat("n") - 1), _condition(size("N") / size("r") / 2)
    ('n >= 1', '2*r divides N')
    """
    if isinstance(letter, Nat):
        taken = Nat(frozenset((names, -c) for names, c in letter.terms if c < 0))
        return f"{written(letter + taken)} >= {written(taken)}"
    if is_power:
        return f"{written(letter)} is a power of 2"
    below = (
        _over_common(letter)
        if isinstance(letter, Poly)
        else Dim(frozenset((base, e * -1) for base, e in letter.powers if not e.natural))
    )
    return f"{written(below)} divides {written(letter * below)}"
