"""Attacks on the rules of the prover by values that a certificate can have: each returns what it
forged, or raises.

An attack has a kind and a name. What one returns is false, or no object that its class would make.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proofs.blocks import block_matrices, columns, divisions
from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import assume, instantiate, refl
from proofs.kernel.numbers import Digit, Dim, Nat, Poly, nat, size
from proofs.kernel.path_sums import equal
from proofs.kernel.terms import Block, F, I, Kron, Pi, S, Var, W

TWO = Dim.of(2)
n, r, s = nat("n"), size("r"), size("s")
x = Digit("x", TWO)
Attack = Callable[[], object]
ATTACKS: dict[tuple[str, str], Attack] = {}


def attack(kind: str, name: str) -> Callable[[Attack], Attack]:
    """Name an attack."""

    def named(found: Attack) -> Attack:
        ATTACKS[kind, name] = found
        return found

    return named


X = block_matrices.Letter("X", "n", "n")


@attack("types", "a general variable that is no text")
def _() -> object:
    return assume(I(r), I(r), 3)  # type: ignore[arg-type]


@attack("types", "summands that are no tuples")
def _() -> object:
    return kernel_rules.add([Poly.of(1), Poly.of(0), refl(I(r))])  # type: ignore[arg-type]


@attack("types", "True for 1")
def _() -> object:
    return Dim.of(True)


@attack("types", "1.0 for 1")
def _() -> object:
    return Nat.of(1.0)  # type: ignore[arg-type]


@attack("types", "words that are no set")
def _() -> object:
    words: Any = ((X,), (X,))
    return block_matrices.Sum("n", "n", words)


@attack("types", "a matrix of blocks as lists")
def _() -> object:
    blocks_: Any = [[block_matrices.one("n")]]
    return block_matrices.Matrix(("n",), ("n",), blocks_)


@attack("types", "a derivation whose parts are a list")
def _() -> object:
    found = block_matrices.Equation(
        block_matrices.identity(("n",)), block_matrices.identity(("n",)), ()
    )
    return columns.Derivation([found], [found])  # type: ignore[arg-type]


@attack("types", "a place that is True")
def _() -> object:
    return divisions.Local(
        (nat("R"), nat("P")),
        nat("P"),
        (("m", nat("m")),),
        (((True, nat("z")),), ((1, nat("z")),)),
        "a list",
    )


@attack("types", "a shuffle of a size that is True")
def _() -> object:
    return S(TWO, True)  # type: ignore[arg-type]


@attack("hidden names", "the indices of a product that a hypothesis fixes")
def _() -> object:
    stage = assume(F(2 ** nat("k")), I(2 ** nat("k")))
    return kernel_rules.pi(n, "k", "l", stage)


@attack("hidden names", "the name of a digit that a hypothesis fixes")
def _() -> object:
    phase = assume(W(Poly.of(x) / 3), W(Poly.of(0)))
    return kernel_rules.block(Digit("x", TWO), phase)


@attack("hidden names", "a radix with the name that its index gets")
def _() -> object:
    return Block(Digit("y", size("#1")), W(Poly.of(0)))


@attack("hidden names", "the radix of an index that is the index")
def _() -> object:
    return Block(Digit("y", size("y")), W(Poly.of(0)))


@attack("hidden names", "a bound name in path sums")
def _() -> object:
    term = W(Poly.of(Digit("~0", TWO)) / 3)
    return equal(term, term)


@attack("hidden names", "a number of factors with the index of its product")
def _() -> object:
    return Pi(nat("#1") + 1, "k", "l", I(TWO))


@attack("hidden names", "a matrix whose name is bound around it")
def _() -> object:
    theorem = refl(Block(Digit("y", r), Kron(Var("A", r, r), W(Poly.of(Digit("y", r)) / 3))))
    return instantiate(theorem, A=W(Poly.of(Digit("#1", r))))


@attack("blocks", "the size 1 as a size that is obtained")
def _() -> object:
    Z, b, C, e = (
        block_matrices.letter(*one)
        for one in (("Z", "p", "z"), ("b", "z", "p"), ("C", "p", "c"), ("e", "z", "c"))
    )
    v, row = block_matrices.letter("v", "p", "1"), block_matrices.letter("u", "1", "p")
    residual = v + Z * b * v
    mu = row + row * Z * b
    kept = (
        block_matrices.relation(C, Z * e),
        block_matrices.relation(b * Z, block_matrices.one("z")),
    )
    zero = columns.Case(
        block_matrices.relation(Z * b * v, v),
        (("c", ("1", "c")),),
        (
            ("Z", block_matrices.matrix("p", "z", Z)),
            ("b", block_matrices.matrix("z", "p", b)),
            ("e", block_matrices.matrix("z", "1 c", b * v, e)),
        ),
    )
    unit = columns.Case(
        block_matrices.relation(row * v, block_matrices.one("1") + row * Z * b * v),
        (("c", ("1", "c")), ("z", ("1", "z"))),
        (
            ("Z", block_matrices.matrix("p", "1 z", v, Z)),
            ("b", block_matrices.matrix("1 z", "p", mu, b + b * v * mu)),
            ("e", block_matrices.matrix("1 z", "1 c", 1, 0, 0, e)),
        ),
    )
    letters = (
        block_matrices.Letter("C", "p", "c"),
        block_matrices.Letter("v", "p", "1"),
        block_matrices.Letter("u", "1", "p"),
    )
    rule = columns.Elimination(*letters, residual, (), kept, ("c", "z"), (), zero, unit, ())
    obtained = columns.Obtained(rule, (("z", "1"),), ())
    return columns.Derivation((obtained,), (obtained,))


@attack("blocks", "a letter that is said to stand for something else")
def _() -> object:
    found = block_matrices.Equation(
        block_matrices.matrix("n", "n", block_matrices.letter("X", "n", "n")),
        block_matrices.matrix("n", "n", block_matrices.letter("X", "n", "n")),
        (),
    )
    return columns.Derivation((found,), (found,), (("X", block_matrices.matrix("n", "n", 0)),))


@attack("blocks", "a chain of no equation")
def _() -> object:
    found = columns.Chain(())
    return columns.Derivation((found,), (found,))


@attack("divisions", "a letter that is replaced twice")
def _() -> object:
    return divisions.Division(
        nat("R"), nat("P"), Nat.of(0), nat("R"), (("P", nat("a")), ("P", nat("R") + 1))
    )


@attack("divisions", "a letter that stands for itself and more")
def _() -> object:
    return divisions.Division(nat("P"), nat("P") - 1, Nat.of(1), Nat.of(1), (("P", nat("P") + 3),))
