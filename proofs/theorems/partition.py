"""The partition of the Hartley transform on P ranks (Lin, Chan & Karplus 1988, section 2): its last stages are local, for all sizes.

A place is an integer polynomial. x mod h is x - h q for an integer q, with a new letter q for every division; so a statement
about residues is an identity of polynomials, difference = modulus * quotient, which the arithmetic of proofs/terms.py decides.
0 < R < P is R = ρ + 1, P = ρ + ω + 2 with natural ρ and ω; a polynomial without negative coefficients is natural.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofs.blocks import Refused
from proofs.terms import Nat, nat, substitute

DIVISION = "division with remainder: x mod h = x - h q for an integer q, and quotient and remainder are unique"
a, b, i, m, q, q2, P, R, z, rho, omega = (nat(name) for name in ("a", "b", "i", "m", "q", "q2", "P", "R", "z", "ρ", "ω"))
ZERO = Nat.of(0)


def spelled(x: Nat) -> str:
    """Return a polynomial as text, what is subtracted last.

    >>> spelled(P * 2 - R)
    '2 P - R'
    """
    parts = [(c < 0, names, " ".join([str(abs(c))] * (abs(c) != 1 or not names) + list(names))) for names, c in x.terms]
    text = "".join(f" {'-' if minus else '+'} {part}" for minus, _, part in sorted(parts))
    return text.removeprefix(" + ").replace(" - ", "-", 1) if text.startswith(" -") else text.removeprefix(" + ") or "0"


INSIDE = {"R": rho + 1, "P": rho + omega + 2}
"""0 < R < P."""
POSITIVE = {"P": omega + 1}
"""0 < P."""


@dataclass(frozen=True)
class Division:
    """number = divisor * quotient + remainder, 0 <= remainder < divisor, for natural letters that are replaced by `where`."""

    number: Nat
    divisor: Nat
    quotient: Nat
    remainder: Nat
    where: tuple[tuple[str, Nat], ...]
    name: str = ""

    def __post_init__(self) -> None:
        if self.number != self.divisor * self.quotient + self.remainder:
            raise Refused(f"{spelled(self.number)} is not {spelled(self.divisor)} times {spelled(self.quotient)} + {spelled(self.remainder)}")
        parts = [substitute(part, dict(self.where)) for part in (self.quotient, self.remainder, self.divisor - self.remainder - 1)]
        for part in (*(value for _, value in self.where), *parts):
            if not part.natural:
                raise Refused(f"{spelled(part)} is not seen to be natural where {', '.join(f'{x} = {spelled(v)}' for x, v in self.where)}")

    def __str__(self) -> str:
        return f"{self.name or spelled(self.number)} = {spelled(self.quotient)}, rest {spelled(self.remainder)}"


@dataclass(frozen=True)
class Congruence:
    """left = right mod modulus, for all integers that its letters may be: left - right = modulus * quotient."""

    left: Nat
    right: Nat
    modulus: Nat
    quotient: Nat
    name: str = ""

    def __post_init__(self) -> None:
        rest = self.left - self.right - self.modulus * self.quotient
        if rest:
            raise Refused(f"{self} is not seen with the quotient {spelled(self.quotient)}: {spelled(rest)} is left over")

    def __str__(self) -> str:
        return f"{self.name or spelled(self.left)} = {spelled(self.right)} mod {spelled(self.modulus)}"


@dataclass(frozen=True)
class Local:
    """What is read for a place m of a list is in the list, which is all m that are one of `members` mod `modulus`.

    For m = members[i] + modulus z, reads[j] is the member found[i][j][0] plus modulus times found[i][j][1].
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

    @property
    def congruences(self) -> tuple[Congruence, ...]:
        """Every place that is read, for every member."""
        modulus = self.modulus
        return tuple(
            Congruence(substitute(place, {"m": member + modulus * z}), self.members[k], modulus, quotient, f"{name} for m = {spelled(member)}")
            for member, row in zip(self.members, self.found, strict=True)
            for (name, place), (k, quotient) in zip(self.reads, row, strict=True)
        )

    def __str__(self) -> str:
        residues, modulus = " or ".join(map(spelled, self.members)), spelled(self.modulus)
        return f"{self.name}: for every m = {residues} mod {modulus}, {', '.join(name for name, _ in self.reads)} are {residues} mod {modulus}"


def lists() -> tuple[Division, ...]:
    """Return what Algorithm 1 makes at stage s = lg P + 1, so 2^(s-1) = P: first and second, and the remainders mod 2 P of all lists."""
    twice, inside, positive = P * 2, tuple(INSIDE.items()), tuple(POSITIVE.items())
    return (
        Division(R, P, ZERO, R, inside, "R >> (s-1)"),
        Division(R, twice, ZERO, R, inside, "R mod 2^s"),
        Division(R + twice * i, twice, i, R, inside, "(R + 2 P i) / 2 P"),
        Division(twice - R + twice * i, twice, i, twice - R, inside, "(2 P - R + 2 P i) / 2 P"),
        Division(twice - R, P, Nat.of(1), P - R, inside, "(2 P - R) / P"),
        Division(twice * i, twice, i, ZERO, positive, "2 P i / 2 P"),
        Division(P + twice * i, twice, i, P, positive, "(P + 2 P i) / 2 P"),
    )


def reads() -> tuple[tuple[str, Nat], ...]:
    """Return the three places that F(s, m) is made of, h = 2^(s-1) = 2 P a, base = 2 h b, u = m - base."""
    h = P * a * 2
    base = h * b * 2
    u = m - base
    return (
        ("base + u mod h", base + (u - h * q)),
        ("base + h + u mod h", base + h + (u - h * q)),
        ("base + h + (-u mod h)", base + h + (ZERO - u - h * q2)),
    )


def partition() -> tuple[Division | Local, ...]:
    """F(s, m) is made of elements that the rank of m has, for s > lg P + 1: rank R has the m with m = ±R mod 2P, rank 0 those with m = 0 or P.

    These are the lists of Algorithm 1 at s = lg P + 1: the first is ((R >> (s-1)) << s) + R mod 2^s = R, the second, its complement,
    2P - R, or P for R = 0, then + 2P for every next pair. The remainders 0, R, P, 2P - R mod 2P for 0 < R < P are all of 0, ..., 2P - 1,
    each once. F(s, m) is made of the elements at base + u mod h, base + h + u mod h and base + h + (-u mod h), h = 2^(s-1),
    m = base + u, base = 2 h b; for s > lg P + 1, 2P divides h: h = 2 P a.
    """
    same, onward, back = a * q * -1, a - a * q, a + a * b * 4 - a * q2
    of_rank = (((0, z + same), (0, z + onward), (1, back - z - 1)), ((1, z + same), (1, z + onward), (0, back - z - 1)))
    of_zero = (((0, z + same), (0, z + onward), (0, back - z)), ((1, z + same), (1, z + onward), (1, back - z - 1)))
    return (
        *lists(),
        Local((R, P * 2 - R), P * 2, reads(), of_rank, "rank R"),
        Local((ZERO, P), P * 2, reads(), of_zero, "rank 0"),
    )
