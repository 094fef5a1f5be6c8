"""T. H. Cormen: Performing BMMC permutations efficiently on distributed-memory multiprocessors with
MPI, 1997. For all sizes.

A permutation y = A x + c is the matrix [A, c; 0, 1] of order n + 1; m = n - p. Of A it is assumed
that it is nonsingular; bases of columns are made by the elimination of Appendix A (elimination.py).
"""

from __future__ import annotations

from proofs.blocks.columns import Assumed, Chain, Derivation, Fibres, Invertible, Part, SameSize
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


ROWS = "the s rows of G' are another basis of the rows of M"
COLUMNS = "the t columns of C'' are another basis of the columns of M"
M, C, G = letter("M", "p", "c"), letter("C", "p", "r"), letter("G", "r", "c")
seen, chosen = letter("b", "r", "p"), letter("σ", "c", "r")
BASIS_OF_M = basis_of("M", "c", z="r", k="k", Z="C", b="b", e="G", σ="σ", σT="σ^T", ν="ν", νT="ν^T")
SPLIT, OPENED = relation(C * G, M), relation(M, C * G)
SEEN, CHOSEN = relation(seen * C, one("r")), relation(G * chosen, one("r"))
IN_COLUMNS, IN_ROWS = relation(M * chosen, C), relation(seen * M, G)


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


def other_rows() -> tuple[Part, ...]:
    """Return that another basis of the rows, G' = b' M, has as many: b C' and b' C are inverse to
    each other.
    """
    C1, G1 = letter("C'", "p", "s"), letter("G'", "s", "c")
    b1, at1 = letter("b'", "s", "p"), letter("σ'", "c", "s")
    split, rows = relation(C1 * G1, M, ROWS), relation(b1 * M, G1, ROWS)
    unit = relation(G1 * at1, one("s"), ROWS)
    a, b = seen * C1, b1 * C
    there = is_one(
        a * b,
        (a * b * G * chosen, CHOSEN),
        (a * b1 * M * chosen, SPLIT),
        (a * G1 * chosen, rows),
        (seen * M * chosen, split),
        (G * chosen, IN_ROWS),
    )
    back = is_one(
        b * a,
        (b * a * G1 * at1, unit),
        (b * seen * M * at1, split),
        (b * G * at1, IN_ROWS),
        (b1 * M * at1, SPLIT),
        (G1 * at1, rows),
    )
    return Assumed((split, rows, unit)), *square(a, b, there, back)


def other_columns() -> tuple[Part, ...]:
    """Return that another basis of the columns, C'' = M σ'', has as many: G σ'' and G'' σ are
    inverse to each other.
    """
    C2, G2 = letter("C''", "p", "t"), letter("G''", "t", "c")
    b2, at2 = letter("b''", "t", "p"), letter("σ''", "c", "t")
    split, columns = relation(C2 * G2, M, COLUMNS), relation(M * at2, C2, COLUMNS)
    unit = relation(b2 * C2, one("t"), COLUMNS)
    a, b = G * at2, G2 * chosen
    there = is_one(
        a * b,
        (seen * C * a * b, SEEN),
        (seen * M * at2 * b, SPLIT),
        (seen * C2 * b, columns),
        (seen * M * chosen, split),
        (seen * C, IN_COLUMNS),
    )
    back = is_one(
        b * a,
        (b2 * C2 * b * a, unit),
        (b2 * M * chosen * a, split),
        (b2 * C * a, IN_COLUMNS),
        (b2 * M * at2, SPLIT),
        (b2 * C2, columns),
    )
    return Assumed((split, columns, unit)), *square(a, b, there, back)


def theorem_2() -> Derivation:
    """The row rank of a matrix M is its column rank r: M = C G, where C = M σ are r columns, b C =
    I, and G = b M are r sums of rows, G σ = I; other bases have r elements, too.

    M = C G says that every column of M is a sum of those of C, and every row one of those of G; b C
    = I and G σ = I say that these are independent. C is the basis that Appendix A finds. For
    another basis of the rows, G' = b' M with M = C' G' and G' σ' = I, b C' and b' C are inverse to
    each other; for another one of the columns, C'' = M σ'' with M = C'' G'' and b'' C'' = I, G σ''
    and G'' σ are.
    """
    columns = Equation(alone(M * chosen), alone(C), (OPENED, CHOSEN), "M σ")
    rows = Equation(alone(seen * M), alone(G), (OPENED, SEEN), "b M")
    as_many_rows, as_many_columns = other_rows(), other_columns()
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
