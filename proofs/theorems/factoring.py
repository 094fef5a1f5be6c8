"""A = V W, section 4 of Cormen 1997, for all sizes."""

from __future__ import annotations

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
    zeros,
)
from proofs.blocks.columns import Assumed, Chain, Derivation, Invertible, Part, SameSize
from proofs.theorems.cormen import (
    BASIS_OF_GAMMA,
    NONSINGULAR,
    OF_GAMMA,
    alpha,
    at,
    at_back,
    basis,
    beta,
    d,
    delta,
    gamma,
    left_inverse,
    off,
    off_back,
)
from proofs.theorems.elimination_theorem import appendix_a, basis_of, columns_of_identity

GATHERED = "Π is a permutation matrix that brings the basis columns of γ to the right end"
EXCHANGED = (
    "as many of the r basis columns of γ lie left of the last r columns as others lie in them"
)


def because(reason: str, *given: Relation) -> tuple[Relation, ...]:
    """Return relations with the reason for which they are assumed."""
    return tuple(Relation(r.word, r.value, reason) for r in given)


s, t = letter("s", "m", "p"), letter("t", "p", "p")
RIGHT_INVERSE = relation(gamma * s, one("p") + delta * t, NONSINGULAR)
"""The bottom right block of A A^-1 = I: s and t are the right columns of A^-1."""
Y, a0, e = letter("Y", "p", "y"), letter("a0", "y", "p"), letter("e", "y", "p")
eta, eta_back = letter("η", "p", "y"), letter("η^T", "y", "p")
rest, rest_back = letter("η̄", "p", "z"), letter("η̄^T", "z", "p")
Z, b, a = letter("Z", "p", "z"), letter("b", "z", "p"), letter("a", "y", "p")
e1, e2 = letter("e1", "z", "m"), letter("e2", "y", "m")
zeta = letter("ζ", "m", "z")
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


def factors() -> dict[str, Matrix]:
    """Return A, T, R, Π and Π^-1."""
    tau, *_ = trailer()
    return {
        "A": matrix("m p", "m p", alpha, beta, gamma, delta),
        "T": matrix("m p", "m p", 1, tau, 0, 1),
        "R": matrix("m p", "m p", one("m") + at * d * off_back, 0, 0, 1),
        "Π": matrix("m p", "k r p", first, second, 0, 0, 0, 1),
        "Π^-1": matrix("k r p", "m p", first_back, 0, second_back, 0, 0, 1),
    }


def products() -> tuple[Part, ...]:
    """Return V W = A, T R Π W = I and W T R Π = I, for V = A T R Π, W = Π^-1 R T."""
    A, T, R, Pi, Pi_back = factors().values()
    V, W = A * T * R * Pi, Pi_back * R * T
    turned, reduced = A * T * R * R * T, T * R * R * T
    return (
        Chain(
            (Equation(V * W, turned, SWAPPER), Equation(turned, A, OF_GAMMA[1:])),
            "V W = A T R Π Π^-1 R T",
        ),
        Chain(
            (
                Equation(T * R * Pi * W, reduced, SWAPPER),
                Equation(reduced, identity(T.rows), OF_GAMMA[1:]),
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
    )


def forms() -> tuple[Part, ...]:
    """Return the bottom of V, that γ̂'' has independent columns, and the bottom of W."""
    A, T, R, Pi, Pi_back = factors().values()
    V, W = A * T * R * Pi, Pi_back * R * T
    _, hat, *_ = trailer()
    lower, within = Matrix(("p",), V.cols, (V.blocks[1],)), Matrix(("p",), W.cols, (W.blocks[2],))
    gathered = basis * at_back * second
    seen = matrix("r", "r", second_back * at * left_inverse * gathered)
    independent = (OF_GAMMA[1], *columns_of_identity(off, off_back, at, at_back), *SWAPPER)
    bottom = matrix("p", "k r p", 0, gathered, hat)
    return (
        Equation(lower, bottom, (*OF_GAMMA, *SWAPPER), "bottom of V"),
        Equation(seen, matrix("r", "r", 1), independent, "π2^T σ λ γ̂''"),
        Equation(within, matrix("p", "m p", 0, 1), (), "bottom of W"),
    )


def trailing() -> tuple[Equation, Equation, Equation]:
    """Return T T = I and that δ̂ is nonsingular."""
    _, delta_hat, inverse, given = trailer()
    T, square = factors()["T"], matrix("p", "p", 1)
    hat, back = matrix("p", "p", delta_hat), matrix("p", "p", inverse)
    return (
        Equation(T * T, identity(T.rows), (), "T T"),
        Equation(hat * back, square, given, "δ̂ δ̂^-1"),
        Equation(back * hat, square, given, "δ̂^-1 δ̂"),
    )


def reducing() -> tuple[Equation, Equation]:
    """Return that R takes γ to its basis columns, and R R = I."""
    R = factors()["R"]
    left = matrix("p", "m", gamma) * matrix("m", "m", R.blocks[0][0])
    return (
        Equation(left, matrix("p", "m", basis * at_back), OF_GAMMA, "γ R"),
        Equation(R * R, identity(R.rows), OF_GAMMA[1:], "R R"),
    )


def vw() -> Derivation:
    """A = V W, V = A T R Π = [α̂', α̂'', β̂; 0, γ̂'', δ̂], δ̂ nonsingular, W = Π^-1 R T = [*, *; 0,
    I], for every nonsingular A, every n and p.
    """
    whole, there, back = products()
    lower, independent, within = forms()
    twice, *nonsingular = trailing()
    reduced, swapped, loop = reducing(), exchanges(), appendix_a()
    begun: tuple[Part, ...] = (BASIS_OF_DELTA, BASIS_OF_BOTTOM, loop, whole_basis(), same_number())
    made: tuple[Part, ...] = (twice, *nonsingular, BASIS_OF_GAMMA, *reduced, Assumed(SWAPPER))
    split: tuple[Part, ...] = (whole, lower, independent, there, back, within, Assumed(EXCHANGES))
    stated: tuple[Part, ...] = (whole, there, back, lower, independent, *nonsingular, within, twice)
    parts = Assumed((RIGHT_INVERSE,)), *begun, *made, *split, *swapped
    _, hat, hat_inverse, _ = trailer()
    shown = {name: factor for name, factor in factors().items() if name != "A"}
    sums = {"δ̂": hat, "δ̂^-1": hat_inverse, "γ̂''": basis * at_back * second}
    stated += (*reduced, *swapped, loop)
    return Derivation(parts, stated, (*shown.items(), *sums.items()))
