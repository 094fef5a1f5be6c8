"""The partition of the Hartley transform on P ranks (Lin, Chan & Karplus 1988, section 2): its last stages are local, for all sizes.

A place is an integer polynomial. x mod h is x - h q for an integer q, with a new letter q for every division; so a statement
about residues is an identity of polynomials, difference = modulus * quotient, which the arithmetic of proofs/terms.py decides.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofs.blocks import Refused
from proofs.terms import Nat, nat

DIVISION = "division with remainder: x mod h = x - h q for an integer q"
a, b, q, q2, P, R, x, z = (nat(name) for name in ("a", "b", "q", "q2", "P", "R", "x", "z"))
ZERO = Nat.of(0)


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
            raise Refused(
                f"{self.name or self.left} = {self.right} mod {self.modulus} is not seen with the quotient {self.quotient}: {rest} is left over"
            )

    def __str__(self) -> str:
        return f"{self.name or self.left} = {self.right} mod {self.modulus}"


def partition() -> tuple[Congruence, ...]:
    """At every stage s > lg P + 1 a rank makes its elements of elements that it has; it holds the m with m = ±R mod 2P, rank 0 those with m = 0 or P.

    F(s, m) is made of the elements at base + u mod h, base + h + u mod h and base + h + (-u mod h), h = 2^(s-1), m = base + u, base = 2 h b. For
    s > lg P + 1 2P divides h: h = 2 P a. So the first two are m mod 2P and the third is -m mod 2P. The set of a rank's residues is closed
    under x -> -x: it is {R, -R}, or {0, P} on rank 0, which are the residues of R and of its complement of lg P + 1 bits, Algorithm 1.
    """
    modulus, h = P * 2, P * a * 2
    base, u = h * b * 2, x
    m = base + u
    return (
        Congruence(base + (u - h * q), m, modulus, a * q * -1, "base + u mod h"),
        Congruence(base + h + (u - h * q), m, modulus, a - a * q, "base + h + u mod h"),
        Congruence(base + h + (ZERO - u - h * q2), ZERO - m, modulus, a + a * b * 4 - a * q2, "base + h + (-u mod h)"),
        Congruence(ZERO - (R + modulus * z), ZERO - R, modulus, z * -1, "-m for m = R"),
        Congruence(ZERO - (ZERO - R + modulus * z), R, modulus, z * -1, "-m for m = -R"),
        Congruence(ZERO - modulus * z, ZERO, modulus, z * -1, "-m for m = 0"),
        Congruence(ZERO - (P + modulus * z), P, modulus, (z + 1) * -1, "-m for m = P"),
    )
