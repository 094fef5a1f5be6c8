"""Divisions and congruences of integer polynomials: what they prove is an identity. Trusted;
standard library and proofs/kernel/numbers.py.

    part = Division(number, divisor, quotient, remainder, where) | Local(members, modulus, reads,
    found, name)

Letters stand for integers, those of a division, as `where` replaces them, for natural numbers. A
polynomial without negative coefficients is natural.
"""

from __future__ import annotations

from collections.abc import Iterable

from proofs.kernel.numbers import Nat, nat
from proofs.kernel.sealed import Refused, sealed
from proofs.kernel.terms import substitute


def spelled(x: Nat) -> str:
    """Return a polynomial as text, what is subtracted last.

    >>> spelled(nat("P") * 2 - nat("R"))
    '2 P - R'
    """
    parts = [
        (c < 0, names, " ".join([str(abs(c))] * (abs(c) != 1 or not names) + list(names)))
        for names, c in x.terms
    ]
    text = "".join(f" {'-' if minus else '+'} {part}" for minus, _, part in sorted(parts))
    return (
        text.removeprefix(" + ").replace(" - ", "-", 1)
        if text.startswith(" -")
        else text.removeprefix(" + ") or "0"
    )


@sealed
class Division:
    """number = divisor * quotient + remainder, 0 <= remainder < divisor, for natural letters that
    are replaced by `where`.
    """

    number: Nat
    divisor: Nat
    quotient: Nat
    remainder: Nat
    where: tuple[tuple[str, Nat], ...]

    def __post_init__(self) -> None:
        names = [name for name, _ in self.where]
        if len({*names}) != len(names) or {*names} & _letters(value for _, value in self.where):
            raise Refused(f"a letter is replaced twice, or by itself, where {self.ranges}")
        if self.number != self.divisor * self.quotient + self.remainder:
            raise Refused(
                f"{spelled(self.number)} is not {spelled(self.divisor)} times"
                f" {spelled(self.quotient)} + {spelled(self.remainder)}"
            )
        parts = [
            substitute(part, dict(self.where))
            for part in (self.quotient, self.remainder, self.divisor - self.remainder - 1)
        ]
        for part in (*(value for _, value in self.where), *parts):
            if not part.natural:
                raise Refused(
                    f"{spelled(part)} may be negative or not an integer where {self.ranges}"
                )

    @property
    def ranges(self) -> str:
        """The letters that are replaced, by natural ones: R = 1 + ρ, P = 2 + ρ + ω is 0 < R < P."""
        return ", ".join(f"{x} = {spelled(v)}" for x, v in self.where)

    def __str__(self) -> str:
        number, divisor = (
            f"({text})" if " " in text else text
            for text in map(spelled, (self.number, self.divisor))
        )
        return (
            f"{number} div {divisor} = {spelled(self.quotient)}, {number} mod {divisor} ="
            f" {spelled(self.remainder)} where {self.ranges}"
        )


@sealed
class Congruence:
    """left = right mod modulus for all integers: left - right = modulus * quotient."""

    left: Nat
    right: Nat
    modulus: Nat
    quotient: Nat
    name: str = ""

    def __post_init__(self) -> None:
        rest = self.left - self.right - self.modulus * self.quotient
        if rest:
            raise Refused(
                f"{self} cannot be divided with the quotient {spelled(self.quotient)}:"
                f" {spelled(rest)} is left over"
            )

    def __str__(self) -> str:
        return (
            f"{self.name or spelled(self.left)} = {spelled(self.right)} mod {spelled(self.modulus)}"
        )


@sealed
class Local:
    """What is read for a place m of a list is in the list, which is all m that are one of `members`
    mod `modulus`.

    For m = members[i] + modulus z, reads[j] is the member found[i][j][0] plus modulus times
    found[i][j][1].
    """

    members: tuple[Nat, ...]
    modulus: Nat
    reads: tuple[tuple[str, Nat], ...]
    found: tuple[tuple[tuple[int, Nat], ...], ...]
    name: str

    def __post_init__(self) -> None:
        if [len(row) for row in self.found] != [len(self.reads)] * len(self.members):
            raise Refused("a member and what it reads are left out")
        if len(self.congruences) == 0:
            raise Refused("nothing is read")
        if {"m", "z"} & _letters((*self.members, self.modulus)) or "z" in _letters(
            place for _, place in self.reads
        ):
            raise Refused(f"m and z are the letters of any place of the list in {self.name}")

    @property
    def congruences(self) -> tuple[Congruence, ...]:
        """Every place that is read, for every member."""
        modulus = self.modulus
        return tuple(
            Congruence(
                substitute(place, {"m": member + modulus * nat("z")}),
                self.members[k],
                modulus,
                quotient,
                f"{name} for m = {spelled(member)}",
            )
            for member, row in zip(self.members, self.found, strict=True)
            for (name, place), (k, quotient) in zip(self.reads, row, strict=True)
        )

    def __str__(self) -> str:
        residues, modulus = " or ".join(map(spelled, self.members)), spelled(self.modulus)
        return (
            f"{self.name}: for every m = {residues} mod {modulus},"
            f" {', '.join(name for name, _ in self.reads)} are {residues} mod {modulus}"
        )


def _letters(found: Iterable[Nat]) -> set[str]:
    return {name for x in found for names, _ in x.terms for name in names}
