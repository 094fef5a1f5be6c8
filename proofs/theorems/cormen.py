"""T. H. Cormen: Performing BMMC permutations efficiently on distributed-memory multiprocessors with MPI, 1997. For all sizes.

A permutation y = A x + c is the matrix [A, c; 0, 1] of order n + 1; m = n - p. What linear algebra says is assumed as two
relations: a square matrix is δ = u e with u invertible and e e = e; and γ has a column basis γ'', so that a permutation of
its columns makes it [γ'' d, γ''] with λ γ'' = I.
"""

from __future__ import annotations

from proofs.blocks import Equation, Matrix, Relation, Sum, letter, matrix, one, relation, zero

NORMAL_FORM = "every square matrix is the product of an invertible and an idempotent one"
BASIS = "the columns of γ are sums of independent ones, which a permutation of the columns brings to the right end"
NONSINGULAR = "A is nonsingular"
PERMUTATION = "Π is a permutation matrix in two parts, its inverse is its transpose"


def inverse_pair(a: Sum, b: Sum, reason: str) -> tuple[Relation, Relation]:
    """Return a b = I and b a = I."""
    return relation(a * b, one(a.rows), reason), relation(b * a, one(b.rows), reason)


def mapped(A: Sum, c: Sum) -> Matrix:
    """Return y = A x + c as [A, c; 0, 1]."""
    return matrix(f"{A.rows} 1", f"{A.cols} 1", A, c, 0, 1)


A, B = letter("A", "n", "n"), letter("A^-1", "n", "n")
c = letter("c", "n", "1")
BOTH = inverse_pair(A, B, NONSINGULAR)


def lemma_1() -> tuple[Equation, ...]:
    """y = A x + c, then z = A' y + c': z = A'A x + (A'c + c'); the inverse of y = A x + c is x = A^-1 y + A^-1 c."""
    A2, c2 = letter("A'", "n", "n"), letter("c'", "n", "1")
    there, back, identity = mapped(A, c), mapped(B, B * c), mapped(one("n"), zero("n", "1"))
    return (
        Equation(mapped(A2, c2) * there, mapped(A2 * A, A2 * c + c2), ()),
        Equation(back * there, identity, BOTH),
        Equation(there * back, identity, BOTH),
    )


def blocks(rows: str, cols: str, names: str) -> list[Sum]:
    """Return the letters of a matrix of two by two blocks."""
    shapes = [(r, k) for r in rows.split() for k in cols.split()]
    return [letter(name, *shape) for name, shape in zip(names.split(), shapes, strict=True)]


alpha, beta, gamma, delta = blocks("m p", "m p", "α β γ δ")
u, v, e = letter("u", "p", "p"), letter("u^-1", "p", "p"), letter("e", "p", "p")
first, second, d = letter("π1", "m", "k"), letter("π2", "m", "r"), letter("d", "r", "k")
first_back, second_back = letter("π1^T", "k", "m"), letter("π2^T", "r", "m")
basis, left_inverse = letter("γ''", "p", "r"), letter("λ", "r", "p")
COLUMN_BASIS = (relation(gamma, basis * d * first_back + basis * second_back, BASIS), relation(left_inverse * basis, one("r"), BASIS))
"""γ = [γ'' d, γ''] Π^T."""
SWAPS = (
    relation(first_back * first, one("k"), PERMUTATION),
    relation(second_back * second, one("r"), PERMUTATION),
    relation(first_back * second, zero("k", "r"), PERMUTATION),
    relation(second_back * first, zero("r", "k"), PERMUTATION),
    relation(second * second_back, one("m") + first * first_back, PERMUTATION),
)


def nonsingular() -> tuple[Sum, Sum, tuple[Relation, ...]]:
    """Return s and t with γ s + δ t = I (`right_inverse`), γ and δ put in, and the relations of δ = u e."""
    s, t = letter("s", "m", "p"), letter("t", "p", "p")
    given = (
        *inverse_pair(u, v, NORMAL_FORM),
        relation(e * e, e, NORMAL_FORM),
        relation(delta, u * e, NORMAL_FORM),
        relation(basis * second_back * s, basis * d * first_back * s + u * e * t + one("p"), NONSINGULAR),
    )
    return s, t, given


def trailer() -> tuple[Sum, Sum, Sum, tuple[Relation, ...]]:
    """Return τ = s u (I + e), δ̂ = δ + γ τ = u (I + e t u (I + e)), its inverse (I + e t u (I + e)) u^-1, and what they rest on.

    X = e t u (I + e) has X X = 0, since (I + e) e = 0, so I + X is its own inverse.
    """
    s, t, given = nonsingular()
    tau, twice_zero = s * u * (one("p") + e), e * t * u * (one("p") + e)
    return tau, delta + gamma * tau, (one("p") + twice_zero) * v, given


def right_inverse() -> tuple[Equation, ...]:
    """γ s + δ t = I for the right columns s, t of A^-1: the bottom right block of A A^-1 = I."""
    B11, s, B21, t = blocks("m p", "m p", "b s b' t")
    product = matrix("m p", "m p", alpha, beta, gamma, delta) * matrix("m p", "m p", B11, s, B21, t)
    corner = matrix("p", "p", product.blocks[1][1])
    return (Equation(corner, matrix("p", "p", gamma * s + delta * t), (), "bottom right of A A^-1"),)


def vw() -> tuple[Equation, ...]:
    """A = V W, V = A T R Π = [α', α'', β̂; 0, γ'', δ̂], δ̂ nonsingular, W = Π^-1 R^-1 T^-1 = [*, *; 0, I], for every n and p.

    T = [I, τ; 0, I] adds columns of the left section into the right one, R = I + π2 d π1^T basis columns into others, and
    Π = [π1, π2] gathers the basis. T and R are their own inverses. What is assumed of A, of δ and of γ is in proofs/theorems/cormen.py.
    """
    tau, hat, hat_inverse, given = trailer()
    given = (*given, *COLUMN_BASIS, *SWAPS)
    whole = matrix("m p", "m p", alpha, beta, gamma, delta)
    T = matrix("m p", "m p", 1, tau, 0, 1)
    R = matrix("m p", "m p", one("m") + second * d * first_back, 0, 0, 1)
    Pi = matrix("m p", "k r p", first, second, 0, 0, 0, 1)
    Pi_back = matrix("k r p", "m p", first_back, 0, second_back, 0, 0, 1)
    V, W = whole * T * R * Pi, Pi_back * R * T
    lower = Matrix(("p",), V.cols, (V.blocks[1],))
    within = Matrix(("p",), W.cols, (W.blocks[2],))
    offsets, identity = matrix("k r p", "k r p", 1, 0, 0, 0, 1, 0, 0, 0, 1), matrix("m p", "m p", 1, 0, 0, 1)
    square = matrix("p", "p", 1)
    return (
        *right_inverse(),
        Equation(lower, matrix("p", "k r p", 0, basis, hat), given, "bottom of A T R Π"),
        Equation(matrix("p", "p", hat) * matrix("p", "p", hat_inverse), square, given, "δ̂ δ̂^-1"),
        Equation(matrix("p", "p", hat_inverse) * matrix("p", "p", hat), square, given, "δ̂^-1 δ̂"),
        Equation(T * R * Pi * W, identity, given, "T R Π W"),
        Equation(W * T * R * Pi, offsets, given, "W T R Π"),
        Equation(V * W, whole, given, "V W"),
        Equation(within, matrix("p", "m p", 0, 1), given, "bottom of W"),
    )


def lemma_3() -> tuple[Equation, ...]:
    """The elements of processor k go to exactly 2^r processors, r = rank γ, and N/(2^r P) of them to each.

    Offsets o are in bijection with pairs (a, b) of m - r and r bits by o = (π1 + π2 d) a + π2 b, and o goes to processor
    γ o + δ k + c = γ'' b + δ k + c, with γ'' injective: 2^r targets, one for each b, and 2^(m-r) elements for each.
    """
    given = (*COLUMN_BASIS, *SWAPS)
    pairs = matrix("m", "k r", first + second * d, second)
    parts = matrix("k r", "m", first_back, d * first_back + second_back)
    return (
        Equation(pairs * parts, matrix("m", "m", 1), given, "offset of (a, b) of an offset"),
        Equation(parts * pairs, matrix("k r", "k r", 1, 0, 0, 1), given, "(a, b) of the offset of (a, b)"),
        Equation(matrix("p", "m", gamma) * pairs, matrix("p", "k r", 0, basis), given, "γ o"),
        Equation(matrix("r", "p", left_inverse) * matrix("p", "r", basis), matrix("r", "r", 1), given, "λ γ''"),
    )


def layout() -> tuple[Equation, ...]:
    """y = A x + c on processor-major data is Q A Q^-1 x + Q c in the layout of Q; Q and Q^-1 are as printed, g = n - p - f."""
    Q, Q_back = letter("Q", "n", "n"), letter("Q^-1", "n", "n")
    none = zero("n", "1")
    there = matrix("f g p", "f p g", 1, 0, 0, 0, 0, one("g"), 0, one("p"), 0)
    back = matrix("f p g", "f g p", 1, 0, 0, 0, 0, one("p"), 0, one("g"), 0)
    return (
        Equation(mapped(Q, none) * mapped(A, c) * mapped(Q_back, none), mapped(Q * A * Q_back, Q * c), inverse_pair(Q, Q_back, "Q is nonsingular")),
        Equation(there * back, matrix("f g p", "f g p", 1, 0, 0, 0, 1, 0, 0, 0, 1), (), "Q Q^-1"),
        Equation(back * there, matrix("f p g", "f p g", 1, 0, 0, 0, 1, 0, 0, 0, 1), (), "Q^-1 Q"),
    )
