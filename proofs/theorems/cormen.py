"""T. H. Cormen: Performing BMMC permutations efficiently on distributed-memory multiprocessors with
MPI, 1997. For all sizes.

A permutation y = A x + c is the matrix [A, c; 0, 1] of order n + 1; m = n - p. Of A it is assumed
that it is nonsingular; bases of columns are made by the elimination of Appendix A
(elimination_theorem.py).
"""

from __future__ import annotations

from functools import reduce
from operator import mul

from proofs.blocks.block_matrices import (
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
from proofs.blocks.columns import Assumed, Chain, Derivation, Fibres, Invertible, Part, SameSize
from proofs.theorems.elimination_theorem import basis_of, columns_of_identity

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


ROWS = "the s rows of G' are another basis of the rows of M"
COLUMNS = "the t columns of C'' are another basis of the columns of M"
M, C, G = letter("M", "p", "c"), letter("C", "p", "r"), letter("G", "r", "c")
seen, chosen = letter("b", "r", "p"), letter("σ", "c", "r")
BASIS_OF_M = basis_of("M", "c", z="r", k="k", Z="C", b="b", e="G", σ="σ", σT="σ^T", ν="ν", νT="ν^T")
SPLIT, OPENED = relation(C * G, M), relation(M, C * G)
SEEN, CHOSEN = relation(seen * C, one("r")), relation(G * chosen, one("r"))
ROWS_TOO = tuple(map(letter, ("C'", "G'", "b'", "σ'"), "pssc", "scps"))
COLUMNS_TOO = tuple(map(letter, ("G''", "C''", "σ''", "b''"), "tpct", "cttp"))


def alone(a: Sum) -> Matrix:
    """Return a sum as a matrix of one block."""
    return matrix(a.rows, a.cols, a)


def is_one(a: Sum, *steps: tuple[Sum, Relation]) -> Chain:
    """Return a = .. = I, where each step is another form of a, by a relation; the last form is a
    relation's word for I.
    """
    forms = [a, *(form for form, _ in steps), one(a.rows)]
    used = (*(given for _, given in steps), relation(forms[-2], one(a.rows)))
    lines = zip(forms, forms[1:], used, strict=False)
    return Chain(tuple(Equation(alone(x), alone(y), (r,)) for x, y, r in lines), str(a))


def square(a: Sum, b: Sum, *both: Chain) -> tuple[Part, ...]:
    """Return that a b and b a are I, for these reasons, and that a is square."""
    given = relation(a * b, one(a.rows)), relation(b * a, one(b.rows))
    unit = Invertible(identity((a.rows,)), identity((a.rows,)), ())
    return *both, SameSize(a.cols, a.rows, Invertible(alone(a), alone(b), given), unit)


def as_many(other: tuple[Sum, ...], reason: str, backward: bool = False) -> tuple[Part, ...]:
    """Return that another basis has as many: for the rows G' = b' M with M = C' G' and G' σ' = I,
    b C' and b' C are inverse to each other.

    `other` has C', G', b' and σ'. Columns are the same `backward`, with G'', C'', σ'' and b''.
    """

    def of(*factors: Sum) -> Sum:
        return reduce(mul, reversed(factors) if backward else factors)

    C1, G1, b1, at1 = other
    Z, basis, b, at = (G, C, chosen, seen) if backward else (C, G, seen, chosen)
    kept, unit = relation(of(b, M), basis), relation(of(basis, at), one("r"))
    split, made = relation(of(C1, G1), M, reason), relation(of(b1, M), G1, reason)
    independent = relation(of(G1, at1), one(of(G1, at1).rows), reason)
    x, y = of(b, C1), of(b1, Z)
    there = is_one(
        of(x, y),
        (of(x, y, basis, at), unit),
        (of(x, b1, M, at), SPLIT),
        (of(x, G1, at), made),
        (of(b, M, at), split),
        (of(basis, at), kept),
    )
    back = is_one(
        of(y, x),
        (of(y, x, G1, at1), independent),
        (of(y, b, M, at1), split),
        (of(y, basis, at1), kept),
        (of(b1, M, at1), SPLIT),
        (of(G1, at1), made),
    )
    both = (y, x) if backward else (x, y)
    return Assumed((split, made, independent)), *square(*both, there, back)


def theorem_2() -> Derivation:
    """The row rank of a matrix M is its column rank r: M = C G, where C = M σ are r columns, b C =
    I, and G = b M are r sums of rows, G σ = I; other bases have r elements, too.
    """
    columns = Equation(alone(M * chosen), alone(C), (OPENED, CHOSEN), "M σ")
    rows = Equation(alone(seen * M), alone(G), (OPENED, SEEN), "b M")
    as_many_rows = as_many(ROWS_TOO, ROWS)
    as_many_columns = as_many(COLUMNS_TOO, COLUMNS, backward=True)
    first: tuple[Part, ...] = (BASIS_OF_M, columns, rows)
    sizes = (as_many_rows[-1], as_many_columns[-1])
    return Derivation((*first, *as_many_rows, *as_many_columns), (*first, *sizes))


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
