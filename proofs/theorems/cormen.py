"""T. H. Cormen: Performing BMMC permutations efficiently on distributed-memory multiprocessors with
MPI, 1997. For all sizes.

A permutation y = A x + c is the matrix [A, c; 0, 1] of order n + 1; m = n - p. Of A it is assumed
that it is nonsingular; bases of columns are made by the elimination of Appendix A (elimination.py).
"""

from __future__ import annotations

from proofs.blocks.columns import Assumed, Derivation, Fibres
from proofs.blocks.matrices import (
    Equation,
    Matrix,
    Relation,
    Sum,
    identity,
    letter,
    matrix,
    one,
    relation,
    zero,
)
from proofs.theorems.elimination import basis_of, columns_of_identity

NONSINGULAR = "A is nonsingular"


def inverse_pair(a: Sum, b: Sum, reason: str) -> tuple[Relation, Relation]:
    """Return a b = I and b a = I."""
    return relation(a * b, one(a.rows), reason), relation(b * a, one(b.rows), reason)


def mapped(A: Sum, c: Sum) -> Matrix:
    """Return y = A x + c as [A, c; 0, 1]."""
    return matrix(f"{A.rows} 1", f"{A.cols} 1", A, c, 0, 1)


A, B = letter("A", "n", "n"), letter("A^-1", "n", "n")
c = letter("c", "n", "1")
BOTH = inverse_pair(A, B, NONSINGULAR)


def lemma_1() -> Derivation:
    """y = A x + c, then z = A' y + c': z = A'A x + (A'c + c'); the inverse of y = A x + c is x =
    A^-1 y + A^-1 c.
    """
    A2, c2 = letter("A'", "n", "n"), letter("c'", "n", "1")
    there, back, same = mapped(A, c), mapped(B, B * c), identity(("n", "1"))
    stated = (
        Equation(
            mapped(A2, c2) * there, mapped(A2 * A, A2 * c + c2), (), f"{mapped(A2, c2)} {there}"
        ),
        Equation(back * there, same, BOTH, f"{back} {there}"),
        Equation(there * back, same, BOTH, f"{there} {back}"),
    )
    return Derivation((Assumed(BOTH), *stated), stated)


def blocks(rows: str, cols: str, names: str) -> list[Sum]:
    """Return the letters of a matrix of two by two blocks."""
    shapes = [(r, k) for r in rows.split() for k in cols.split()]
    return [letter(name, *shape) for name, shape in zip(names.split(), shapes, strict=True)]


alpha, beta, gamma, delta = blocks("m p", "m p", "α β γ δ")

BASIS_OF_GAMMA = basis_of(
    "γ", "m", z="r", k="k", Z="γ''", b="λ", e="g", σ="σ", σT="σ^T", ν="ν", νT="ν^T"
)

basis, left_inverse, g = letter("γ''", "p", "r"), letter("λ", "r", "p"), letter("g", "r", "m")
at, at_back = letter("σ", "m", "r"), letter("σ^T", "r", "m")
off, off_back = letter("ν", "m", "k"), letter("ν^T", "k", "m")
d = g * off
"""What the columns of γ outside the basis are made of."""
OF_GAMMA = (
    relation(gamma, basis * g),
    relation(left_inverse * basis, one("r")),
    relation(g * at, one("r")),
    *columns_of_identity(at, at_back, off, off_back),
)


def lemma_3() -> Derivation:
    """The elements of processor κ go to exactly 2^r processors, r = rank γ, and 2^k = N/(2^r P) of
    them to each, k = n - p - r.

    The element at offset o goes to processor γ o + δ κ + c, and adding δ κ + c moves values only. γ
    has r independent columns γ'', of which the others are made (Appendix A); offsets are in
    bijection with pairs of k and r bits, and γ sees the r bits, each choice as another value.
    """
    pairs, parts = matrix("m", "k r", off + at * d, at), matrix("k r", "m", off_back, g)
    row, left = matrix("p", "m", gamma), matrix("r", "p", left_inverse)
    count = Fibres(
        row,
        pairs,
        parts,
        matrix("p", "r", basis),
        left,
        OF_GAMMA,
        "the processor γ o + δ κ + c of the offset o",
    )
    return Derivation((BASIS_OF_GAMMA, count), (BASIS_OF_GAMMA, count))


def layout() -> Derivation:
    """y = A x + c on processor-major data is Q A Q^-1 x + Q c in the layout of Q; Q and Q^-1 are as
    printed, g = n - p - f.
    """
    Q, Q_back = letter("Q", "n", "n"), letter("Q^-1", "n", "n")
    none, given = zero("n", "1"), inverse_pair(Q, Q_back, "Q is nonsingular")
    there = matrix("f g p", "f p g", 1, 0, 0, 0, 0, one("g"), 0, one("p"), 0)
    back = matrix("f p g", "f g p", 1, 0, 0, 0, 0, one("p"), 0, one("g"), 0)
    three = mapped(Q, none), mapped(A, c), mapped(Q_back, none)
    stated = (
        Equation(
            three[0] * three[1] * three[2],
            mapped(Q * A * Q_back, Q * c),
            given,
            " ".join(map(str, three)),
        ),
        Equation(there * back, identity(there.rows), (), f"{there} {back}"),
        Equation(back * there, identity(back.rows), (), f"{back} {there}"),
    )
    return Derivation((Assumed(given), *stated), stated)
