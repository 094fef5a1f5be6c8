"""The group-cyclic FFT of Inda & Bisseling (2000) with symbols for N, P and u, for sympy to compare
(derive.symbolic_products).
"""

from __future__ import annotations

from derive.formula.grammar import Equation, Formula, I, kron, product
from derive.formula.permutation_matrices import Gamma, inverse, stride
from derive.formula.transforms import F, T
from derive.papers.bsp import cooley_tukey
from derive.papers.bsp_phases import equation_3_5, equation_3_6
from derive.sizes import Size

PAPER = "Inda & Bisseling 2000"


def _grouped(u: Size, P: Size, N: Size, local: Formula) -> list[Formula]:
    """Return Γ_u^-1 local Γ_u."""
    return [inverse(Gamma(u, P, N)), local, Gamma(u, P, N)]


def two_phases(P: Size, m: Size) -> Equation:
    """Return the group-cyclic FFT with H = 2 phases, N = P^2 m.

    >>> print(two_phases(2, 2))
    F_8 = Γ_{2,2,8}^-1 (I_2 ⊗ F_2 ⊗ I_2) Γ_{2,2,8} T^8_4 (I_2 ⊗ F_4) L^8_2
    """
    N, n = P * P * m, P * m
    last = _grouped(P, P, N, kron(I(P), kron(F(P), I(m))))
    right = [*last, T(N, n), kron(I(P), F(n)), stride(N, P)]
    return Equation("two phases, N = P^2 m", f"{PAPER}, (2.7)", F(N), product(right))


def three_phases(d: Size, m: Size) -> Equation:
    """Return the group-cyclic FFT with H = 3 phases of n, n and d elements: n = N/P = d m, P = n d.

    >>> print(three_phases(2, 2))
    F_32 = Γ_{8,8,32}^-1 (I_8 ⊗ F_2 ⊗ I_2) Γ_{8,8,32} T^32_16 Γ_{4,8,32}^-1 (I_8 ⊗ F_4) Γ_{4,8,32} (I_2 ⊗ T^16_4) (L^8_2 ⊗ I_4) (I_8 ⊗ F_4) L^32_8
    """  # noqa: E501
    n = d * m
    P = n * d
    N = n * P
    right = [
        *_grouped(P, P, N, kron(I(P), kron(F(d), I(m)))),
        T(N, n * n),
        *_grouped(n, P, N, kron(I(P), F(n))),
        kron(I(d), T(n * n, n)),
        kron(stride(P, d), I(n)),
        kron(I(P), F(n)),
        stride(N, P),
    ]
    name = "three phases, n = N/P = d m, P = n d"
    return Equation(name, f"{PAPER}, (2.8)", F(N), product(right))


def one_phase(u: Size, g: Size, d: Size, q: Size, e: Size) -> Equation:
    """Return how Γ_u makes a phase of F_d local, for P = u g and N = P d q e: elements that are u q
    apart are q apart on a rank.

    >>> print(one_phase(2, 1, 2, 1, 1))
    Γ_{2,2,4}^-1 (I_2 ⊗ F_2) Γ_{2,2,4} = (F_2 ⊗ I_2)
    """
    P = u * g
    N = P * d * q * e
    left = product(_grouped(u, P, N, kron(I(P * e), kron(F(d), I(q)))))
    right = kron(I(g * e), kron(F(d), I(u * q)))
    return Equation("a phase, P = u g, N = P d q e", f"{PAPER}, (2.6)", left, right)


def joined(r: Size, s: Size) -> Equation:
    """Return Cooley & Tukey's equation, which joins a phase to those before.

    >>> print(joined(2, 2))
    F_4 = (F_2 ⊗ I_2) T^4_2 (I_2 ⊗ F_2) L^4_2
    """
    found = cooley_tukey(r, s)
    return Equation("Cooley & Tukey", found.source, found.left, found.right)


def moved(u: Size, d: Size, g: Size, c: Size) -> Equation:
    """Return (3.5) for P = d u g and N/P = d c.

    >>> print(moved(2, 2, 1, 1))
    Γ_{4,4,8} Γ_{2,4,8}^-1 = (I_2 ⊗ S_{2,4}) S_{2,8} (I_4 ⊗ S_{2,2})
    """
    found = equation_3_5(u, d, d * u * g, d * c)
    return Equation("an exchange, P = d u g, N/P = d c", f"{PAPER}, (3.5)", found.left, found.right)


def packets(P: Size, c: Size) -> Equation:
    """Return (3.6) for N = P^2 c.

    >>> print(packets(2, 2))
    S_{2,8} = (S_{2,4} ⊗ I_2) (I_2 ⊗ S_{2,4})
    """
    found = equation_3_6(P, c)
    return Equation("packets, N = P^2 c", f"{PAPER}, (3.6)", found.left, found.right)
