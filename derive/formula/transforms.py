"""Fourier and Hartley matrices, and their factors: butterflies, stages and twiddles."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.call_arguments import needs_arguments
from derive.formula.grammar import Formula, I, direct_sum, kron
from derive.formula.leaves import Leaf
from derive.formula.permutation_matrices import Gamma, inverse
from derive.gf2.bits import Affine
from derive.sizes import Alpha, Exponent, Size, divide, subscript


@needs_arguments
@dataclass(frozen=True)
class F(Leaf, form="F_n", order="n"):
    """The Fourier matrix F_n, entry (j, k) = exp(-2πi jk/n).

    Args:
        n: the order: an integer >= 1, or an expression in symbols (sympy or text).

    Raises:
        ValueError: n is not such a size.

    References:
        Inda & Bisseling (2000), equation (1.3).

    Examples:
        >>> F(2).to_matrix().real.tolist()
        [[1.0, 1.0], [1.0, -1.0]]
    """

    n: Size


@needs_arguments
@dataclass(frozen=True)
class H(Leaf, form="H_n", order="n"):
    """The Hartley matrix H_n, entry (j, k) = cos(2πjk/n) + sin(2πjk/n).

    Args:
        n: the order, a size as for `F`.

    Raises:
        ValueError: n is not a size.

    References:
        Lin, Chan & Karplus (1988), section 1.

    Examples:
        >>> bool((H(4) @ H(4)).to_sympy() == 4 * I(4).to_sympy())
        True
    """

    n: Size


_FOLDED, _PADDED = "(E(1,2)*F(2)) (x) I(n)", "(F(2)*E(2,1)) (x) I(n)"
"""Twice the first n of 2n elements, and twice n elements with n zeros after them."""


@dataclass(frozen=True)
class C2(
    Leaf,
    form="C2_n",
    order="n",
    tex=r"C^{\mathrm{II}}",
    means=f"1/2 * re({_FOLDED} * Omega(2*n) * F(2*n) * {_PADDED})",
):
    """The cosine matrix of type II, entry (k, j) = 2 cos(πk(2j + 1)/2n), as in scipy.fft.dct.

    References:
        Makhoul (1980), equation (1); the theorem `dct-ii` has the entries.

    Examples:
        >>> C2(2).to_matrix().real.round(3).tolist()
        [[2.0, 2.0], [1.414, -1.414]]
    """

    n: Size


@dataclass(frozen=True)
class C3(
    Leaf,
    form="C3_n",
    order="n",
    tex=r"C^{\mathrm{III}}",
    means=f"1/2 * re({_FOLDED} * F(2*n) * Omega(2*n) * {_PADDED}) - 1/n * E(n,n) * F(n)",
):
    """The cosine matrix of type III, 2n times the inverse of `C2`: entry (k, j) = 2 cos(πj(2k +
    1)/2n), and 1 for j = 0.

    Examples:
        >>> bool((C2(2) @ C3(2)).to_sympy() == 4 * I(2).to_sympy())
        True
    """

    n: Size


@dataclass(frozen=True)
class S2(
    Leaf, form="S2_n", order="n", tex=r"S^{\mathrm{II}}", means="J(n) * C2(n) * diag(j < n, j/2)"
):
    """The sine matrix of type II, entry (k, j) = 2 sin(π(k + 1)(2j + 1)/2n).

    Examples:
        >>> S2(2).to_matrix().real.round(3).tolist()
        [[1.414, 1.414], [2.0, -2.0]]
    """

    n: Size


@dataclass(frozen=True)
class S3(
    Leaf, form="S3_n", order="n", tex=r"S^{\mathrm{III}}", means="diag(k < n, k/2) * C3(n) * J(n)"
):
    """The sine matrix of type III, 2n times the inverse of `S2`: entry (k, j) = 2 sin(π(2k + 1)(j +
    1)/2n), and (-1)^k for j = n - 1.
    """

    n: Size


@dataclass(frozen=True)
class Omega(
    Leaf,
    form="Ω_h^alpha",
    order="h",
    tex=r"\Omega",
    means="diag(j < h, (j + alpha)/(2*h))",
    known=True,
):
    """The diagonal w_2h^α, ..., w_2h^(h-1+α) of order h (Inda & Bisseling 2000, (1.9))."""

    h: Size
    alpha: Alpha = 0


@dataclass(frozen=True)
class B(
    Leaf,
    form="B_K^alpha",
    order="K",
    whole="K/2",
    means="F(2) (x) I(K/2) * (I(K/2) (+) Omega(K/2, alpha))",
):
    """The generalized 2-butterfly [[I, Ω^α], [I, -Ω^α]] of order K (Inda & Bisseling 2000,
    equation 1.11).
    """

    K: Size
    alpha: Alpha = 0


@dataclass(frozen=True)
class D(
    Leaf, form="D_K^alpha", order="K", whole="K/4", means="B(K, alpha) * I(2) (x) B(K/2, alpha)"
):
    """The 4-butterfly of order K, weights w_K^(j+α) (Inda & Bisseling 2000, equation 1.12)."""

    K: Size
    alpha: Alpha = 0


@dataclass(frozen=True)
class A(Leaf, form="A_K,N^alpha", order="N", whole="N/K K/2", means="I(N/K) (x) B(K, alpha)"):
    """The butterfly stage of N/K butterflies of order K (Inda & Bisseling 2000, equation 1.10)."""

    K: Size
    N: Size
    alpha: Alpha = 0


@needs_arguments
@dataclass(frozen=True)
class T(
    Leaf, form="T^N_s", order="N", whole="N/s", means="diag(i < N/s, j < s, i*j/N)", known=True
):
    """The twiddle diagonal T^N_s, entry w_N^(ij) at index i·s + j for 0 ≤ i < N/s, 0 ≤ j < s.

    Args:
        N: the order, a size as for `F`.
        s: a divisor of N, a size as for `F`.

    Raises:
        ValueError: N or s is not a size, or s does not divide N.

    References:
        Inda & Bisseling (2000), inside equation (1.15); Cooley & Tukey (1965).

    Examples:
        >>> [T(4, 2).to_sympy()[k, k] for k in range(4)]
        [1, 1, 1, -I]
    """

    N: Size
    s: Size


@dataclass(frozen=True)
class ButterflySum(Leaf, form="ButterflySum_k,n,u", order="", whole="n/k k/2"):
    """The direct sum of A_{k,n}^{s/u} for 0 ≤ s < u (Inda & Bisseling 2000, Thm 2.2)."""

    k: Size
    n: Size
    u: Size

    @property
    def size(self) -> Size:
        return self.u * self.n

    def term(self, s: int) -> Formula:
        """Return the term of rank s, A_{k,n}^{s/u}."""
        return A(self.k, self.n, Fraction(s, self.u))

    @property
    def definition(self) -> Formula:
        """The direct sum; u is a number."""
        return direct_sum(map(self.term, range(self.u)))

    def __str__(self) -> str:
        if self.typed:
            return super().__str__()
        stage = f"A{subscript(self.k, self.n)}"
        return f"diag({stage}^{{0/{self.u}}}, ..., {stage}^{{({self.u}-1)/{self.u}}})"


@dataclass(frozen=True)
class BH(Leaf, form="BH_K", order="K", whole="K/2", tex=r"B^{\mathrm{H}}"):
    """The Hartley butterfly [[I, C], [I, -C]] of order K = 2h: C has cos(2πu/K) at (u, u), and
    sin(2πu/K) added at (u, -u mod h) (Lin, Chan & Karplus 1988, Figure 1).
    """

    K: Size


@dataclass(frozen=True)
class LH(Leaf, form="LH_s,N", order="N", tex=r"L^{\mathrm{H}}", means="I(N/2^s) (x) BH(2^s)"):
    """The factor L_s of the Hartley matrix of order N (Lin, Chan &
    Karplus 1988, Figure 1).
    """

    s: Exponent
    N: Size

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.s, int) and self.s < 1:
            raise ValueError(f"{self}: the factors of a Hartley matrix are numbered from 1")
        if not self.typed:
            divide(self.N, 2**self.s)


@dataclass(frozen=True)
class W(Formula):
    """The diagonal w_order^(i(z) j(z)) at place z, i and j affine maps of its bits; with a name."""

    order: int
    i: Affine
    j: Affine
    name: str

    @property
    def size(self) -> Size:
        return 1 << self.i.bits

    def __str__(self) -> str:
        return f"W{subscript(self.name)}"


@needs_arguments
@dataclass(frozen=True)
class E(Leaf, form="E_m,n", order="m"):
    """The m x n matrix of ones.

    Args:
        m: the number of rows, a size as for `F`.
        n: the number of columns, a size as for `F`.

    Raises:
        ValueError: m or n is not a size.

    Examples:
        >>> E(1, 3).to_matrix().real.tolist()
        [[1.0, 1.0, 1.0]]
    """

    m: Size
    n: Size

    @property
    def columns(self) -> Size:
        return self.n


@dataclass(frozen=True)
class AHat(
    Leaf,
    form="Â_k,u,p,N",
    order="N",
    whole="p/u N/p N/p/k k*u/2",
    tex=r"\hat{A}",
    means="Gamma(u, p, N) * A(k*u, N) * inv(Gamma(u, p, N))",
):
    """The stage A_{ku,N} in the (p/u)-cyclic distribution (Inda & Bisseling 2000, equation 2.6)."""

    k: Size
    u: Size
    p: Size
    N: Size


@dataclass(frozen=True)
class HatSum(Formula):
    """diag(Â_{k,w,v,n}^{0/u}, ..., Â_{k,w,v,n}^{(u-1)/u}), of order u·n: v virtual processors in
    each of u ranks (Inda & Bisseling 2000, eq. 4.5).
    """

    k: Size
    w: Size
    v: Size
    n: Size
    u: Size

    def __post_init__(self) -> None:
        super().__post_init__()
        divide(self.v, self.w)
        divide(divide(self.n, self.v), self.k)
        divide(self.k * self.w, 2)

    @property
    def size(self) -> Size:
        return self.u * self.n

    @property
    def definition(self) -> Formula:
        """The stages of the ranks between a permutation within each rank and its inverse."""
        gamma = kron(I(self.u), Gamma(self.w, self.v, self.n))
        return gamma @ ButterflySum(self.k * self.w, self.n, self.u) @ inverse(gamma)

    def __str__(self) -> str:
        return f"({self.definition})"
