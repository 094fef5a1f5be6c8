"""Formulas: the grammar in which factorizations are written, and how they print.

    formula = I(n) | F(n) | H(n) | Omega(h, alpha) | B(K, alpha) | A(K, N, alpha) | D(K, alpha) | T(N, s) | ButterflySum(k, n, u)
            | W(order, i, j, name) | BH(K) | LH(s, N) | L(N, r) | S(u, M) | R(N) | J(n) | Gamma(u, p, N) | AHat(k, u, p, N)
            | HatSum(k, w, v, n, u) | Bmmc(address, name) | Kron(left, right) | DirectSum(terms) | Product(factors) | Inverse(of)

Every formula is a square matrix with the attribute `size`. A size is a positive integer or a symbolic expression with the
same arithmetic. w_N is a primitive N-th root of unity, exp(2 pi i/N) or exp(-2 pi i/N): an identity between formulas holds
for both signs or for none. Indices start at 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

from derive.gf2.bits import Affine

Size = Any
"""A positive int, or an expression with +, *, / and == (so that derive.symbolic can use the same formulas)."""
Alpha = Any
"""A rational number (int or Fraction), or an expression."""


class Formula:
    """A square matrix; `size` is its number of rows, at least 1.

    >>> I(0)
    Traceback (most recent call last):
    ValueError: I_0: a size is at least 1
    """

    def __post_init__(self) -> None:
        if isinstance(self.size, int) and self.size < 1:
            raise ValueError(f"{self}: a size is at least 1")

    @property
    def size(self) -> Size:
        """The number of rows and of columns."""
        raise NotImplementedError

    def __matmul__(self, other: Formula) -> Formula:
        """Return the matrix product: identities vanish and products flatten.

        >>> print(F(2) @ I(2) @ F(2))
        F_2 F_2
        """
        return product([self, other])


def divide(a: Size, b: Size) -> Size:
    """Return a/b; raise ValueError where integers do not divide.

    >>> divide(12, 5)
    Traceback (most recent call last):
    ValueError: 12 is not divisible by 5
    """
    if isinstance(a, int) and isinstance(b, int):
        if a < 1 or b < 1:
            raise ValueError(f"{a}/{b}: a size is at least 1")
        if a % b:
            raise ValueError(f"{a} is not divisible by {b}")
        return a // b
    return a / b


def same(a: Size, b: Size) -> bool:
    """Return whether two sizes are equal for all values of their symbols (False where that is not seen by expanding a - b).

    >>> same(6, 6), same(6, 7)
    (True, False)
    """
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return bool(a == b or (a - b).expand() == 0)


def _subscript(*sizes: Size) -> str:
    text = ",".join(str(size) for size in sizes)
    return f"_{text}" if text.isalnum() else f"_{{{text}}}"


def _superscript(alpha: Alpha) -> str:
    text = str(alpha)
    if text == "0":
        return ""
    return f"^{text}" if text.isalnum() else f"^{{{text}}}"


@dataclass(frozen=True)
class I(Formula):  # noqa: E742  I is the identity
    """The identity of order n."""

    n: Size

    @property
    def size(self) -> Size:
        return self.n

    def __str__(self) -> str:
        return f"I{_subscript(self.n)}"


@dataclass(frozen=True)
class F(Formula):
    """The Fourier matrix, entry (j, k) = w_n^(jk) (Inda & Bisseling 2000, equation 1.3)."""

    n: Size

    @property
    def size(self) -> Size:
        return self.n

    def __str__(self) -> str:
        return f"F{_subscript(self.n)}"


@dataclass(frozen=True)
class H(Formula):
    """The Hartley matrix, entry (j, k) = cos(2 pi jk/n) + sin(2 pi jk/n) (Lin, Chan & Karplus 1988, section 1)."""

    n: Size

    @property
    def size(self) -> Size:
        return self.n

    def __str__(self) -> str:
        return f"H{_subscript(self.n)}"


@dataclass(frozen=True)
class Omega(Formula):
    """diag(w_2h^alpha, w_2h^(1+alpha), ..., w_2h^(h-1+alpha)), of order h (Inda & Bisseling 2000, equation 1.9)."""

    h: Size
    alpha: Alpha = 0

    @property
    def size(self) -> Size:
        return self.h

    def __str__(self) -> str:
        return f"Ω{_subscript(self.h)}{_superscript(self.alpha)}"


@dataclass(frozen=True)
class B(Formula):
    """The generalized 2-butterfly [[I, Omega^alpha], [I, -Omega^alpha]] of order K (Inda & Bisseling 2000, equation 1.11)."""

    K: Size
    alpha: Alpha = 0

    def __post_init__(self) -> None:
        divide(self.K, 2)

    @property
    def size(self) -> Size:
        return self.K

    def __str__(self) -> str:
        return f"B{_subscript(self.K)}{_superscript(self.alpha)}"


@dataclass(frozen=True)
class D(Formula):
    """The generalized 4-butterfly of order K in block form, weights w_K^(j+alpha) (Inda & Bisseling 2000, equation 1.12)."""

    K: Size
    alpha: Alpha = 0

    def __post_init__(self) -> None:
        divide(self.K, 4)

    @property
    def size(self) -> Size:
        return self.K

    def __str__(self) -> str:
        return f"D{_subscript(self.K)}{_superscript(self.alpha)}"


@dataclass(frozen=True)
class A(Formula):
    """The butterfly stage I_{N/K} ⊗ B_K^alpha (Inda & Bisseling 2000, equation 1.10)."""

    K: Size
    N: Size
    alpha: Alpha = 0

    def __post_init__(self) -> None:
        divide(self.N, self.K)
        divide(self.K, 2)

    @property
    def size(self) -> Size:
        return self.N

    @property
    def definition(self) -> Formula:
        """The stage as a Kronecker product."""
        return kron(I(divide(self.N, self.K)), B(self.K, self.alpha))

    def __str__(self) -> str:
        return f"A{_subscript(self.K, self.N)}{_superscript(self.alpha)}"


@dataclass(frozen=True)
class T(Formula):
    """The twiddle diagonal, w_N^(ij) at place i·s + j for 0 <= i < N/s, 0 <= j < s."""

    N: Size
    s: Size

    def __post_init__(self) -> None:
        divide(self.N, self.s)

    @property
    def size(self) -> Size:
        return self.N

    def __str__(self) -> str:
        return f"T{_superscript(self.N)}{_subscript(self.s)}"


@dataclass(frozen=True)
class ButterflySum(Formula):
    """diag(A_{k,n}^{0/u}, A_{k,n}^{1/u}, ..., A_{k,n}^{(u-1)/u}), of order u·n (Inda & Bisseling 2000, Theorem 2.2)."""

    k: Size
    n: Size
    u: Size

    def __post_init__(self) -> None:
        divide(self.n, self.k)
        divide(self.k, 2)

    @property
    def size(self) -> Size:
        return self.u * self.n

    def term(self, s: int) -> Formula:
        """Return the term of rank s, A_{k,n}^{s/u}."""
        return A(self.k, self.n, Fraction(s, self.u))

    def __str__(self) -> str:
        stage = f"A{_subscript(self.k, self.n)}"
        return f"diag({stage}^{{0/{self.u}}}, ..., {stage}^{{({self.u}-1)/{self.u}}})"


@dataclass(frozen=True)
class BH(Formula):
    """The Hartley butterfly [[I, C], [I, -C]] of order K = 2h: C has cos(2 pi u/K) at (u, u), and sin(2 pi u/K) added at (u, -u mod h)."""

    K: Size

    def __post_init__(self) -> None:
        divide(self.K, 2)

    @property
    def size(self) -> Size:
        return self.K

    def __str__(self) -> str:
        return f"BH{_subscript(self.K)}"


@dataclass(frozen=True)
class LH(Formula):
    """The factor L_s = I_{N/K} ⊗ BH_K of the Hartley matrix of order N, K = 2^s (Lin, Chan & Karplus 1988, Figure 1)."""

    s: Size
    N: Size

    def __post_init__(self) -> None:
        if isinstance(self.s, int) and self.s < 1:
            raise ValueError(f"{self}: the factors of a Hartley matrix are numbered from 1")
        divide(self.N, 2**self.s)

    @property
    def size(self) -> Size:
        return self.N

    @property
    def definition(self) -> Formula:
        """The factor as a Kronecker product."""
        return kron(I(divide(self.N, 2**self.s)), BH(2**self.s))

    def __str__(self) -> str:
        return f"LH{_subscript(self.s, self.N)}"


@dataclass(frozen=True)
class L(Formula):
    """The stride permutation, (L x)[i·N/r + j] = x[j·r + i] for 0 <= i < r, 0 <= j < N/r."""

    N: Size
    r: Size

    def __post_init__(self) -> None:
        divide(self.N, self.r)

    @property
    def size(self) -> Size:
        return self.N

    def __str__(self) -> str:
        return f"L{_superscript(self.N)}{_subscript(self.r)}"


@dataclass(frozen=True)
class S(Formula):
    """The perfect shuffle sigma_{u,M}: j goes to (j mod u)·M/u + j div u; equal to L^M_u (Inda & Bisseling 2000, equation 2.2)."""

    u: Size
    M: Size

    def __post_init__(self) -> None:
        divide(self.M, self.u)

    @property
    def size(self) -> Size:
        return self.M

    @property
    def definition(self) -> Formula:
        """The shuffle as a stride permutation."""
        return L(self.M, self.u)

    def __str__(self) -> str:
        return f"S{_subscript(self.u, self.M)}"


@dataclass(frozen=True)
class R(Formula):
    """The bit reversal P_N, N a power of two (Inda & Bisseling 2000, equation 3.3)."""

    N: Size

    def __post_init__(self) -> None:
        if isinstance(self.N, int) and (self.N < 1 or self.N & self.N - 1):
            raise ValueError(f"bit reversal of {self.N} elements: the number is a power of two")

    @property
    def size(self) -> Size:
        return self.N

    def __str__(self) -> str:
        return f"P{_subscript(self.N)}"


@dataclass(frozen=True)
class J(Formula):
    """The reversal of n elements, j goes to n - 1 - j."""

    n: Size

    @property
    def size(self) -> Size:
        return self.n

    def __str__(self) -> str:
        return f"J{_subscript(self.n)}"


@dataclass(frozen=True)
class Gamma(Formula):
    """The permutation gamma_{u,p,N} from block to (p/u)-cyclic distribution (Inda & Bisseling 2000, equation 2.4)."""

    u: Size
    p: Size
    N: Size

    def __post_init__(self) -> None:
        divide(self.p, self.u)
        divide(self.N, self.p)

    @property
    def size(self) -> Size:
        return self.N

    @property
    def definition(self) -> Formula:
        """Gamma as I_r ⊗ S_{u, N u/p}, r = p/u (section 2.2)."""
        return kron(I(divide(self.p, self.u)), S(self.u, divide(self.N, self.p) * self.u))

    def __str__(self) -> str:
        return f"Γ{_subscript(self.u, self.p, self.N)}"


@dataclass(frozen=True)
class Bmmc(Formula):
    """The BMMC permutation that puts element j at place A j + c, with a name to print (Cormen 1997, section 2)."""

    address: Affine
    name: str = "A"

    @property
    def size(self) -> Size:
        return 1 << self.address.bits

    def __str__(self) -> str:
        return f"Π{_subscript(self.name)}"


@dataclass(frozen=True)
class W(Formula):
    """The diagonal w_order^(i(z) j(z)) at place z, where i and j are affine maps of its bits, with a name to print."""

    order: int
    i: Affine
    j: Affine
    name: str

    @property
    def size(self) -> Size:
        return 1 << self.i.bits

    def __str__(self) -> str:
        return f"W{_subscript(self.name)}"


@dataclass(frozen=True)
class AHat(Formula):
    """The stage A_{ku,N} in the (p/u)-cyclic distribution, Gamma_u A_{ku,N} Gamma_u^-1 (Inda & Bisseling 2000, equation 2.6)."""

    k: Size
    u: Size
    p: Size
    N: Size

    def __post_init__(self) -> None:
        divide(self.p, self.u)
        divide(divide(self.N, self.p), self.k)

    @property
    def size(self) -> Size:
        return self.N

    @property
    def definition(self) -> Formula:
        """The stage between a permutation and its inverse."""
        gamma = Gamma(self.u, self.p, self.N)
        return gamma @ A(self.k * self.u, self.N) @ inverse(gamma)

    def __str__(self) -> str:
        return f"Â{_subscript(self.k, self.u, self.p, self.N)}"


@dataclass(frozen=True)
class HatSum(Formula):
    """diag(Â_{k,w,v,n}^{0/u}, ..., Â_{k,w,v,n}^{(u-1)/u}), of order u·n: v virtual processors in each of u ranks (Inda & Bisseling 2000, eq. 4.5)."""

    k: Size
    w: Size
    v: Size
    n: Size
    u: Size

    def __post_init__(self) -> None:
        divide(self.v, self.w)
        divide(divide(self.n, self.v), self.k)

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


@dataclass(frozen=True)
class Kron(Formula):
    """The Kronecker product of two formulas (Inda & Bisseling 2000, Definition 1.1); built by `kron`."""

    left: Formula
    right: Formula

    @property
    def size(self) -> Size:
        return self.left.size * self.right.size

    def __str__(self) -> str:
        return "(" + " ⊗ ".join(_operand(part) for part in _kron_operands(self)) + ")"


@dataclass(frozen=True)
class DirectSum(Formula):
    """The block diagonal matrix of several formulas; built by `direct_sum`."""

    terms: tuple[Formula, ...]

    @property
    def size(self) -> Size:
        return sum((term.size for term in self.terms), start=0)

    def __str__(self) -> str:
        return "(" + " ⊕ ".join(_operand(term) for term in self.terms) + ")"


@dataclass(frozen=True)
class Product(Formula):
    """The product of several formulas of one size, the rightmost applied first; built by `product` and @."""

    factors: tuple[Formula, ...]

    @property
    def size(self) -> Size:
        return self.factors[0].size

    def __str__(self) -> str:
        return " ".join(str(factor) for factor in self.factors)


@dataclass(frozen=True)
class Inverse(Formula):
    """The inverse of a permutation; built by `inverse`."""

    of: Formula

    @property
    def size(self) -> Size:
        return self.of.size

    def __str__(self) -> str:
        return f"{self.of}^-1"


def _kron_operands(formula: Formula) -> list[Formula]:
    """Return the operands of nested Kronecker products, which are associative."""
    return _kron_operands(formula.left) + _kron_operands(formula.right) if isinstance(formula, Kron) else [formula]


def _operand(formula: Formula) -> str:
    """Return a formula as it stands under ⊗ or ⊕: in parentheses if it is a product."""
    return f"({formula})" if isinstance(formula, Product) else str(formula)


PERMUTATIONS = (L, S, R, J, Gamma)
"""The leaves that are permutations."""


def kron(left: Formula, right: Formula) -> Formula:
    """Return left ⊗ right; I_1 vanishes and identities merge (Inda & Bisseling 2000, Lemma 1.2).

    >>> print(kron(I(2), kron(I(3), F(2))), kron(F(2), I(1)))
    (I_6 ⊗ F_2) F_2
    """
    if left == I(1):
        return right
    if right == I(1):
        return left
    if isinstance(left, I) and isinstance(right, I):
        return I(left.n * right.n)
    if isinstance(left, I) and isinstance(right, Kron) and isinstance(right.left, I):
        return Kron(I(left.n * right.left.n), right.right)
    return Kron(left, right)


def stride(N: Size, r: Size) -> Formula:
    """Return L^N_r, which is the identity for r = 1 and r = N.

    >>> print(stride(8, 2), stride(8, 1))
    L^8_2 I_8
    """
    return I(N) if r in (1, N) else L(N, r)


def direct_sum(terms: Iterable[Formula]) -> Formula:
    """Return the direct sum; a sum of one term is that term.

    >>> print(direct_sum([F(2), I(3)]))
    (F_2 ⊕ I_3)
    """
    kept = tuple(terms)
    return kept[0] if len(kept) == 1 else DirectSum(kept)


def product(factors: Iterable[Formula]) -> Formula:
    """Return the product; identities vanish and products flatten.

    Raises ValueError where two neighbouring sizes differ.

    >>> product([F(2), F(4)])
    Traceback (most recent call last):
    ValueError: F_2 is 2 x 2 and F_4 is 4 x 4: the factors of a product have one size
    """
    flat = [part for factor in factors for part in (factor.factors if isinstance(factor, Product) else (factor,))]
    for a, b in pairwise(flat):
        if not same(a.size, b.size):
            raise ValueError(f"{a} is {a.size} x {a.size} and {b} is {b.size} x {b.size}: the factors of a product have one size")
    kept = tuple(factor for factor in flat if not isinstance(factor, I))
    if not kept:
        return flat[0]
    return kept[0] if len(kept) == 1 else Product(kept)


def inverse(formula: Formula) -> Formula:
    """Return the inverse of a permutation, or of a product or Kronecker product of permutations.

    Raises ValueError for any other formula.

    >>> print(inverse(R(8) @ Gamma(2, 4, 8)))
    Γ_{2,4,8}^-1 P_8
    """
    match formula:
        case I() | R() | J():
            return formula
        case Inverse(of):
            return of
        case Bmmc(address, name):
            return Bmmc(address.inverse(), f"{name}^-1")
        case Product(factors):
            return reduce(lambda a, b: a @ b, [inverse(factor) for factor in reversed(factors)])
        case Kron(left, right):
            return kron(inverse(left), inverse(right))
        case _ if isinstance(formula, PERMUTATIONS):
            return Inverse(formula)
    raise ValueError(f"{formula} is no permutation: only permutations are inverted")


def factors_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the factors of a product, leftmost first; any other formula is its own only factor.

    >>> len(factors_of(F(2) @ F(2))), len(factors_of(F(2)))
    (2, 1)
    """
    return formula.factors if isinstance(formula, Product) else (formula,)


@dataclass(frozen=True)
class Equation:
    """A numbered equation of a paper at given sizes: left = right.

    `partial` states what the product of the last factors of `right` is: partial[i] = the product of its last i + 1 factors,
    and `partial_left` the same of `left`. Where they are given, a check of a wrong equation can name the first wrong factor.
    """

    name: str
    source: str
    left: Formula
    right: Formula
    partial: tuple[Formula, ...] = ()
    partial_left: tuple[Formula, ...] = ()

    def __post_init__(self) -> None:
        if not same(self.left.size, self.right.size):
            raise ValueError(
                f"{self.left} has size {self.left.size}, {self.right} has size {self.right.size}: the sides of an equation have one size"
            )

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"
