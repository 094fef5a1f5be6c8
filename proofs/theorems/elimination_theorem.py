"""Cormen 1997, Appendix A: a basis of the columns of a matrix and what the others are made of, for
any number of columns.

The columns of C are visited from the right. Z are the basis columns so far, C = Z e + Y f with Y
independent columns that were there before. [b; a] is a left inverse of [Z, Y], so the residual of a
column v, what lines 8 to 12 have made of it when it is its turn, is v + Z b v + Y a v. If it is 0,
v is no basis column, and b v and a v are its dependencies. Else some row of it is 1, the pivot; v
is put before Z.
"""

from __future__ import annotations

from proofs.blocks.block_matrices import (
    Equation,
    Relation,
    Sum,
    letter,
    matrix,
    one,
    relation,
    zero,
)
from proofs.blocks.column_induction import Case, Elimination, Obtained

C, Y, a0 = letter("C", "p", "c"), letter("Y", "p", "y"), letter("a0", "y", "p")
Z, b, a = letter("Z", "p", "z"), letter("b", "z", "p"), letter("a", "y", "p")
e, f = letter("e", "z", "c"), letter("f", "y", "c")
chosen, chosen_back = letter("σ", "c", "z"), letter("σ^T", "z", "c")
others, others_back = letter("ν", "c", "k"), letter("ν^T", "k", "c")
v, pivot = letter("v", "p", "1"), letter("π", "1", "p")


def columns_of_identity(
    one_: Sum, one_back: Sum, other: Sum, other_back: Sum
) -> tuple[Relation, ...]:
    """Return that [one, other] is a permutation matrix and its transpose the inverse."""
    return (
        relation(one_back * one_, one(one_.cols)),
        relation(other_back * other, one(other.cols)),
        relation(one_back * other, zero(one_.cols, other.cols)),
        relation(other_back * one_, zero(other.cols, one_.cols)),
        relation(other * other_back, one(one_.rows) + one_ * one_back),
    )


KEPT = (
    relation(C, Z * e + Y * f),
    relation(b * Z, one("z")),
    relation(b * Y, zero("z", "y")),
    relation(a * Z, zero("y", "z")),
    relation(a * Y, one("y")),
    relation(e * chosen, one("z")),
    relation(f * chosen, zero("y", "z")),
    *columns_of_identity(chosen, chosen_back, others, others_back),
)
RESIDUAL = v + Z * b * v + Y * a * v
MU = pivot + pivot * Z * b + pivot * Y * a
"""What a column has in the row of the pivot when it is its turn."""
DEPENDENT = Case(
    relation(Y * a * v, v + Z * b * v),
    (("c", ("1", "c")), ("k", ("1", "k"))),
    (
        ("Z", matrix("p", "z", Z)),
        ("b", matrix("z", "p", b)),
        ("a", matrix("y", "p", a)),
        ("e", matrix("z", "1 c", b * v, e)),
        ("f", matrix("y", "1 c", a * v, f)),
        ("σ", matrix("1 c", "z", 0, chosen)),
        ("σ^T", matrix("z", "1 c", 0, chosen_back)),
        ("ν", matrix("1 c", "1 k", 1, 0, 0, others)),
        ("ν^T", matrix("1 k", "1 c", 1, 0, 0, others_back)),
    ),
)
INDEPENDENT = Case(
    relation(pivot * v, one("1") + pivot * Z * b * v + pivot * Y * a * v),
    (("c", ("1", "c")), ("z", ("1", "z"))),
    (
        ("Z", matrix("p", "1 z", v, Z)),
        ("b", matrix("1 z", "p", MU, b + b * v * MU)),
        ("a", matrix("y", "p", a + a * v * MU)),
        ("e", matrix("1 z", "1 c", 1, 0, 0, e)),
        ("f", matrix("y", "1 c", 0, f)),
        ("σ", matrix("1 c", "1 z", 1, 0, 0, chosen)),
        ("σ^T", matrix("1 z", "1 c", 1, 0, 0, chosen_back)),
        ("ν", matrix("1 c", "k", 0, others)),
        ("ν^T", matrix("k", "1 c", 0, others_back)),
    ),
)
ELIMINATION = Elimination(
    visited=next(iter(next(iter(C.words)))),
    column=next(iter(next(iter(v.words)))),
    row=next(iter(next(iter(pivot.words)))),
    residual=RESIDUAL,
    given=(relation(a0 * Y, one("y")),),
    kept=KEPT,
    grown=("c", "z", "k"),
    start=(("a", matrix("y", "p", a0)),),
    zero=DEPENDENT,
    unit=INDEPENDENT,
    chosen=(("σ", "σ^T"), ("ν", "ν^T")),
)


def appendix_a() -> Equation:
    """Return lines 8 to 12: with a basis column more, a residual x becomes x + w (π x), w the
    residual of v and π x the pivot's row of x.
    """
    after = one("p") + v * MU + Z * (b + b * v * MU) + Y * (a + a * v * MU)
    before = one("p") + Z * b + Y * a
    return Equation(
        matrix("p", "p", after),
        matrix("p", "p", before + RESIDUAL * pivot * before),
        (),
        "I + [v, Z] b' + Y a'",
    )


def basis_of(C: str, cols: str, before: tuple[str, str, str] | None = None, **new: str) -> Obtained:
    """Return the basis of the columns of C, in new letters; `before` are independent columns, their
    number and a left inverse.
    """
    old = {"Y": before[0], "a0": before[2]} if before else {}
    names = {name.replace("T", "^T"): to for name, to in new.items() if name not in "zk"}
    sizes = {"c": cols, "z": new["z"], "k": new["k"], "y": before[1] if before else ""}
    return Obtained(ELIMINATION, tuple(sizes.items()), (("C", C), *old.items(), *names.items()))
