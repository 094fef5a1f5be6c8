"""The permutations of the papers: strides and shuffles, reversals, Γ and BMMC permutations, and the
inverse of a formula of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from derive.call_arguments import needs_arguments
from derive.formula.combinations import Ranged
from derive.formula.grammar import Applied, Formula, I, Kron, Product, kron
from derive.formula.leaves import Called, Leaf
from derive.gf2.bits import Affine
from derive.lazy import lazily
from derive.sizes import Size, subscript

_matrices = lazily("derive.text.text_matrices")


@needs_arguments
@dataclass(frozen=True)
class L(Leaf, form="L^N_r", order="N", whole="N/r"):
    """The stride permutation L^N_r, (L x)[i·N/r + j] = x[j·r + i] for 0 ≤ i < r, 0 ≤ j < N/r.

    Args:
        N: the order, a size as for `F`.
        r: the stride, a divisor of N, a size as for `F`.

    Raises:
        ValueError: N or r is not a size, or r does not divide N.

    References:
        Van Loan, Computational frameworks for the fast Fourier transform (1992).

    Examples:
        >>> (L(6, 2).to_matrix().real @ range(6)).tolist()
        [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]
    """

    N: Size
    r: Size


@dataclass(frozen=True)
class S(Leaf, form="S_u,M", order="M", whole="M/u", means="L(M, u)"):
    """The perfect shuffle σ_{u,M}: j goes to (j mod u)·M/u + j div u (Inda & Bisseling 2000,
    equation 2.2).
    """

    u: Size
    M: Size


@needs_arguments
@dataclass(frozen=True)
class R(Leaf, form="P_N", order="N"):
    """The bit-reversal permutation P_N.

    Args:
        N: the order, a power of two, a size as for `F`.

    Raises:
        ValueError: N is not a size, or not a power of two.

    References:
        Inda & Bisseling (2000), equation (3.3).

    Examples:
        >>> (R(8).to_matrix().real @ range(8)).tolist()
        [0.0, 4.0, 2.0, 6.0, 1.0, 5.0, 3.0, 7.0]
    """

    N: Size

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.N, int) and (self.N < 1 or self.N & self.N - 1):
            raise ValueError(f"the size of a bit reversal must be a power of two; got {self.N}")


@needs_arguments
@dataclass(frozen=True)
class J(Leaf, form="J_n", order="n"):
    """The reversal J_n, which moves element j to index n - 1 - j.

    Args:
        n: the order, a size as for `F`.

    Raises:
        ValueError: n is not a size.

    Examples:
        >>> (J(3).to_matrix().real @ range(3)).tolist()
        [2.0, 1.0, 0.0]
    """

    n: Size


@dataclass(frozen=True)
class Gamma(
    Leaf, form="Γ_u,p,N", order="N", whole="p/u N/p", tex=r"\Gamma", means="I(p/u) (x) S(u, N/p*u)"
):
    """The permutation from block to (p/u)-cyclic distribution (Inda & Bisseling 2000, (2.4))."""

    u: Size
    p: Size
    N: Size


@dataclass(frozen=True)
class Bmmc(Formula):
    """The BMMC permutation that puts element j at place A j + c, with a name to print (Cormen 1997,
    section 2), or a text where it is typed.
    """

    address: Affine
    name: str = "A"
    text: str = ""

    @property
    def size(self) -> Size:
        return 1 << self.address.bits

    def __str__(self) -> str:
        return self.text or f"Π{subscript(self.name)}"


def stride(N: Size, r: Size) -> Formula:
    """Return L^N_r, which is the identity for r = 1 and r = N.

    >>> print(stride(8, 2), stride(8, 1))
    L^8_2 I_8
    """
    return I(N) if r in (1, N) else L(N, r)


def inverse(formula: Formula) -> Formula:
    """Return the inverse of a permutation, or of a product or Kronecker product of permutations.

    Raises ValueError for any other formula.

    >>> print(inverse(R(8) @ Gamma(2, 4, 8)))
    Γ_{2,4,8}^-1 P_8
    """
    match formula:
        case I() | R() | J():
            return formula
        case Applied("inv", of):
            return of
        case Bmmc(address, name, text):
            return Bmmc(address.inverse(), f"{name}^-1", f"inv({text})" if text else "")
        case Product(factors):
            return reduce(lambda a, b: a @ b, [inverse(factor) for factor in reversed(factors)])
        case Kron((left, right)):
            return kron(inverse(left), inverse(right))
        case L() | Ranged("perm") | Called("powers"):
            return Applied("inv", formula)
        case Leaf(name) if _matrices.permutes(name):
            return Applied("inv", formula)
    raise ValueError(f"inv needs a permutation; got {formula}")
