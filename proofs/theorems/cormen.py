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
    zeros,
)
from proofs.theorems.elimination import appendix_a, basis_of, columns_of_identity

NONSINGULAR = "A is nonsingular"
GATHERED = "Π is a permutation matrix that brings the basis columns of γ to the right end"
EXCHANGED = (
    "as many of the r basis columns of γ lie left of the last r columns as others lie in them"
)


def because(reason: str, *given: Relation) -> tuple[Relation, ...]:
    """Return relations with the reason for which they are assumed."""
    return tuple(Relation(r.word, r.value, reason) for r in given)


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
s, t = letter("s", "m", "p"), letter("t", "p", "p")
RIGHT_INVERSE = relation(gamma * s, one("p") + delta * t, NONSINGULAR)
"""The bottom right block of A A^-1 = I: s and t are the right columns of A^-1."""

Y, a0, e = letter("Y", "p", "y"), letter("a0", "y", "p"), letter("e", "y", "p")
eta, eta_back = letter("η", "p", "y"), letter("η^T", "y", "p")
rest, rest_back = letter("η̄", "p", "z"), letter("η̄^T", "z", "p")
Z, b, a = letter("Z", "p", "z"), letter("b", "z", "p"), letter("a", "y", "p")
e1, e2 = letter("e1", "z", "m"), letter("e2", "y", "m")
zeta, zeta_back = letter("ζ", "m", "z"), letter("ζ^T", "z", "m")
BASIS_OF_DELTA = basis_of(
    "δ", "p", z="y", k="q", Z="Y", b="a0", e="e", σ="η", σT="η^T", ν="η̄", νT="η̄^T"
)
BASIS_OF_BOTTOM = basis_of(
    "γ",
    "m",
    ("Y", "y", "a0"),
    z="z",
    k="h",
    Z="Z",
    b="b",
    a="a",
    e="e1",
    f="e2",
    σ="ζ",
    σT="ζ^T",
    ν="ζ̄",
    νT="ζ̄^T",
)
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
OF_DELTA = (relation(delta, Y * e), relation(e * eta, one("y")))
POSITIONS = columns_of_identity(eta, eta_back, rest, rest_back)
OF_BOTTOM = (
    relation(b * Z, one("z")),
    relation(b * Y, zero("z", "y")),
    relation(a * Z, zero("y", "z")),
    relation(a * Y, one("y")),
)
IN_BOTTOM = (
    relation(gamma, Z * e1 + Y * e2),
    relation(e1 * zeta, one("z")),
    relation(e2 * zeta, zero("y", "z")),
)
TOGETHER = relation(Y * a, one("p") + Z * b)
"""[Y, Z] [a; b] = I."""


def whole_basis() -> Chain:
    """Return [Y, Z] [a; b] = I: X = X (γ s + δ t) = γ s + δ t = I for X = Y a + Z b, since γ and δ
    are sums of columns of Y and Z.
    """
    X, unit = matrix("p", "p", Y * a + Z * b), matrix("p", "p", gamma * s + delta * t)
    return Chain(
        (
            Equation(X, X * unit, (RIGHT_INVERSE,)),
            Equation(X * unit, unit, (*OF_DELTA[:1], *IN_BOTTOM[:1], *OF_BOTTOM)),
            Equation(unit, matrix("p", "p", 1), (RIGHT_INVERSE,)),
        ),
        "[Y, Z] [a; b]",
    )


def same_number() -> SameSize:
    """Return that Z has as many columns as there are in δ beside Y: [Y, Z] and [η, η̄] are
    square.
    """
    q = letter("η̄", "p", "q"), letter("η̄^T", "q", "p")
    positions = columns_of_identity(eta, eta_back, *q)
    return SameSize(
        "q",
        "z",
        Invertible(matrix("p", "y q", eta, q[0]), matrix("y q", "p", eta_back, q[1]), positions),
        Invertible(matrix("p", "y z", Y, Z), matrix("y z", "p", a, b), (*OF_BOTTOM, TOGETHER)),
    )


def trailer() -> tuple[Sum, Sum, Sum, tuple[Relation, ...]]:
    """Return τ = ζ η̄^T, which adds each column of Z into one of those of δ beside Y, δ̂ = δ + γ τ,
    its inverse, and what they rest on.
    """
    tau = zeta * rest_back
    return (
        tau,
        delta + gamma * tau,
        eta * a + eta * e * rest * b + rest * b,
        (*OF_DELTA, *POSITIONS, *OF_BOTTOM, *IN_BOTTOM, TOGETHER),
    )


first, second = letter("π1", "m", "k"), letter("π2", "m", "r")
first_back, second_back = letter("π1^T", "k", "m"), letter("π2^T", "r", "m")
SWAPPER = because(
    GATHERED,
    *columns_of_identity(first, first_back, second, second_back),
    relation(at_back * first, zero("r", "k")),
    relation(off_back * second, zero("k", "r")),
)

left_in, left_in_back = letter("ρ1", "k", "x"), letter("ρ1^T", "x", "k")
left_out, left_out_back = letter("ρ0", "k", "i"), letter("ρ0^T", "i", "k")
end_in, end_in_back = letter("ε0", "r", "j"), letter("ε0^T", "j", "r")
end_out, end_out_back = letter("ε1", "r", "x"), letter("ε1^T", "x", "r")
EXCHANGES = because(
    EXCHANGED,
    *columns_of_identity(left_in, left_in_back, left_out, left_out_back),
    *columns_of_identity(end_in, end_in_back, end_out, end_out_back),
)
"""The basis columns of γ are those at ρ1, of the first k, and ε0, of the last r; x of each are
exchanged.
"""


def exchange() -> Matrix:
    """Return the matrix that exchanges the columns at ρ1 with those at ε1."""
    return matrix(
        "k r",
        "k r",
        left_out * left_out_back,
        left_in * end_out_back,
        end_out * left_in_back,
        end_in * end_in_back,
    )


def exchanges() -> tuple[Equation, ...]:
    """Return that exchanging the columns at ρ1 with those at ε1 is its own inverse and brings the
    basis to the right end, nothing else.
    """
    Pi = exchange()
    inside, outside = (
        matrix("x j", "k r", left_in_back, 0, 0, end_in_back),
        matrix("i x", "k r", left_out_back, 0, 0, end_out_back),
    )
    left, right = (
        Matrix(Pi.rows, (Pi.cols[i],), tuple((row[i],) for row in Pi.blocks)) for i in range(2)
    )
    return (
        Equation(Pi * Pi, identity(Pi.rows), EXCHANGES, "Π Π, Π the exchanges"),
        Equation(
            inside * left,
            zeros(inside.rows, left.cols),
            EXCHANGES,
            "rows of the basis in the left columns of Π",
        ),
        Equation(
            outside * right,
            zeros(outside.rows, right.cols),
            EXCHANGES,
            "rows of the others in the right columns of Π",
        ),
    )


def vw() -> Derivation:
    """A = V W, V = A T R Π = [α̂', α̂'', β̂; 0, γ̂'', δ̂], δ̂ nonsingular, W = Π^-1 R T = [*, *; 0,
    I], for every nonsingular A, every n and p.

    Y = δ η is the basis of the columns of δ that Appendix A finds, Z = γ ζ the columns of γ by
    which it goes on, and the columns of δ outside Y, at η̄, are as many as those of Z: the trailer
    T adds each column of Z into one of them. The reducer R adds columns of the basis γ'' = γ σ of γ
    into the others, at ν, which become 0. The swapper Π = [π1, π2] is any permutation matrix that
    gathers the basis at the right end, one of disjoint exchanges among them. The columns of η, η̄,
    ζ, σ, ν are columns of the identity.
    """
    tau, hat, hat_inverse, given = trailer()
    whole = matrix("m p", "m p", alpha, beta, gamma, delta)
    T = matrix("m p", "m p", 1, tau, 0, 1)
    R = matrix("m p", "m p", one("m") + at * d * off_back, 0, 0, 1)
    Pi = matrix("m p", "k r p", first, second, 0, 0, 0, 1)
    Pi_back = matrix("k r p", "m p", first_back, 0, second_back, 0, 0, 1)
    V, W = whole * T * R * Pi, Pi_back * R * T
    lower = Matrix(("p",), V.cols, (V.blocks[1],))
    within = Matrix(("p",), W.cols, (W.blocks[2],))
    plain = identity(T.rows)
    square, gathered = matrix("p", "p", 1), basis * at_back * second
    independent = (OF_GAMMA[1], *columns_of_identity(off, off_back, at, at_back), *SWAPPER)
    trailing = (
        Equation(T * T, plain, (), "T T"),
        Equation(matrix("p", "p", hat) * matrix("p", "p", hat_inverse), square, given, "δ̂ δ̂^-1"),
        Equation(matrix("p", "p", hat_inverse) * matrix("p", "p", hat), square, given, "δ̂^-1 δ̂"),
    )
    reducing = Equation(R * R, plain, OF_GAMMA[1:], "R R")
    factored: tuple[Part, ...] = (
        Chain(
            (
                Equation(V * W, whole * T * R * R * T, SWAPPER),
                Equation(whole * T * R * R * T, whole, OF_GAMMA[1:]),
            ),
            "V W = A T R Π Π^-1 R T",
        ),
        Equation(
            lower, matrix("p", "k r p", 0, gathered, hat), (*OF_GAMMA, *SWAPPER), "bottom of V"
        ),
        Equation(
            matrix("r", "r", second_back * at * left_inverse * gathered),
            matrix("r", "r", 1),
            independent,
            "π2^T σ λ γ̂''",
        ),
        Chain(
            (
                Equation(T * R * Pi * W, T * R * R * T, SWAPPER),
                Equation(T * R * R * T, plain, OF_GAMMA[1:]),
            ),
            "T R Π W",
        ),
        Chain(
            (
                Equation(W * T * R * Pi, Pi_back * Pi, OF_GAMMA[1:]),
                Equation(Pi_back * Pi, identity(Pi.cols), SWAPPER),
            ),
            "W T R Π",
        ),
        Equation(within, matrix("p", "m p", 0, 1), (), "bottom of W"),
    )
    swapped = exchanges()
    reduced = Equation(
        matrix("p", "m", gamma) * matrix("m", "m", R.blocks[0][0]),
        matrix("p", "m", basis * at_back),
        OF_GAMMA,
        "γ R",
    )
    begun: tuple[Part, ...] = (
        Assumed((RIGHT_INVERSE,)),
        BASIS_OF_DELTA,
        BASIS_OF_BOTTOM,
        appendix_a(),
        whole_basis(),
        same_number(),
    )
    ended: tuple[Part, ...] = (
        BASIS_OF_GAMMA,
        reduced,
        reducing,
        Assumed(SWAPPER),
        *factored,
        Assumed(EXCHANGES),
        *swapped,
    )
    stated = (
        *factored[:1],
        *factored[3:5],
        *factored[1:3],
        *trailing[1:],
        *factored[5:],
        *trailing[:1],
        reduced,
        reducing,
        *swapped,
        begun[3],
    )
    shown = (
        ("T", T),
        ("R", R),
        ("Π", Pi),
        ("Π^-1", Pi_back),
        ("δ̂", hat),
        ("δ̂^-1", hat_inverse),
        ("γ̂''", gathered),
    )
    return Derivation((*begun, *trailing, *ended), stated, shown)


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
