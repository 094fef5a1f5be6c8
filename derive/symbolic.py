"""Formulas as sympy expressions: symbolic sizes, matrices with symbolic entries, explicit matrices
at a concrete size.

    matrix = Identity | leaf | KroneckerProduct(left, right) | MatMul(factor, ...) | DirectSumMatrix(block, ...)
    leaf   = FourierMatrix | DiagonalMatrix | ButterflyMatrix | PermutationMatrix | StageMatrix | ...

The root of unity is w_N = exp(2 pi i/N) for sign = 1, as in Inda & Bisseling (2000), and exp(-2 pi
i/N) for sign = -1, as in numpy. Shapes are compared by derive.formula.grammar.same before sympy
sees them: sympy compares only numbers.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from itertools import accumulate, pairwise
from math import lcm
from operator import matmul
from typing import Any

import sympy
from sympy.matrices.expressions.kronecker import matrix_kronecker_product

from derive.formula.grammar import (
    DirectSum,
    Equation,
    Formula,
    I,
    Inverse,
    Kron,
    Product,
    direct_sum,
    kron,
    product,
    same,
)
from derive.formula.permutation_matrices import Bmmc, Gamma, L, R, S, inverse
from derive.formula.permutations import target
from derive.formula.transforms import BH, LH, A, AHat, B, ButterflySum, D, F, H, Omega, T
from derive.rewriting.rules import Variable, leaf_mapped
from derive.rewriting.sizes import plain


def positive_integers(names: str) -> Any:
    """Return symbols for positive integers.

    >>> from derive.formula.permutation_matrices import stride
    >>> r, s = positive_integers("r s")
    >>> print(kron(F(r), I(s)) @ T(r * s, s) @ kron(I(r), F(s)) @ stride(r * s, r))
    (F_r ⊗ I_s) T^{r*s}_s (I_r ⊗ F_s) L^{r*s}_r
    """
    return sympy.symbols(names, integer=True, positive=True)


def reals(names: str) -> Any:
    """Return symbols for real numbers, such as α.

    >>> print(Omega(4, reals("alpha")))
    Ω_4^alpha
    """
    return sympy.symbols(names, real=True)


def size_latex(size: Any) -> str:
    r"""Return the LaTeX of a size, a fraction upright.

    >>> N, p = positive_integers("N p")
    >>> print(size_latex(8), size_latex(N / p))
    8 \frac{N}{p}
    """
    return sympy.latex(sympy.sympify(size))


def angle_latex(alpha: Any) -> str:
    r"""Return the LaTeX of an exponent α, a fraction in one line as in the paper.

    >>> print(angle_latex(Fraction(1, 2)), angle_latex(reals("alpha")))
    1/2 \alpha
    """
    return sympy.latex(sympy.sympify(alpha), fold_short_frac=True).replace(" / ", "/")


def instantiate(formula: Formula, values: Mapping[Any, int]) -> Formula:
    """Return the formula with its symbols replaced, sizes as plain integers; an exponent α may keep
    its symbols.

    Raises ValueError where a size is then no positive integer.

    >>> N = positive_integers("N")
    >>> print(instantiate(L(N, N / 2), {N: 8}))
    L^8_4
    >>> instantiate(I(N / 2), {N: 7})
    Traceback (most recent call last):
    ValueError: N/2 = 7/2: the size in I_{N/2} must be a positive integer
    """
    match formula:
        case Bmmc():
            return formula
        case Kron(left, right):
            return kron(instantiate(left, values), instantiate(right, values))
        case DirectSum(terms):
            return direct_sum(instantiate(term, values) for term in terms)
        case Product(factors):
            return product(instantiate(factor, values) for factor in factors)
        case Inverse(of):
            return inverse(instantiate(of, values))
    return leaf_mapped(formula, lambda name, value: _at(formula, name, value, values))


def _at(leaf: Formula, name: str, value: Any, values: Mapping[Any, int]) -> Any:
    if isinstance(value, str):
        return value
    new = plain(sympy.sympify(value).subs(dict(values), simultaneous=True))
    if name != "alpha" and not (isinstance(new, int) and new > 0):
        raise ValueError(f"{value} = {new}: the size in {leaf} must be a positive integer")
    return new


def instantiate_equation(equation: Equation, values: Mapping[Any, int]) -> Equation:
    """Return the equation with its symbols replaced.

    >>> N = positive_integers("N")
    >>> print(instantiate_equation(Equation("", "", S(2, N), L(N, 2)), {N: 8}))
    S_{2,8} = L^8_2
    """
    sides = instantiate(equation.left, values), instantiate(equation.right, values)
    return Equation(
        equation.name,
        equation.source,
        *sides,
        tuple(instantiate(part, values) for part in equation.partial),
    )


class rev(sympy.Function):  # type: ignore[misc]  # noqa: N801  sympy is untyped, and its functions are written small
    """rev(N, j): j with its lg N bits in reverse order (equation 3.4)."""

    nargs = 2

    @classmethod
    def eval(cls, N: Any, j: Any) -> Any:
        """Return the value where both are numbers."""
        if N.is_Integer and j.is_Integer and 0 <= j < N:
            return (
                sympy.Integer(int(f"{int(j):0{int(N).bit_length() - 1}b}"[::-1] or "0", 2))
                if N > 1
                else sympy.Integer(0)
            )
        return None


def _root(n: Any, exponent: Any) -> Any:
    """Return w_n^exponent."""
    return sympy.exp(2 * sympy.pi * sympy.I * exponent / n)


def _delta(i: Any, j: Any) -> Any:
    return sympy.KroneckerDelta(i, j)


class SquareMatrix(sympy.MatrixExpr):  # type: ignore[misc]
    """A square matrix whose order is its first argument."""

    @property
    def shape(self) -> tuple[Any, Any]:
        """The number of rows and of columns."""
        return self.args[0], self.args[0]


class FourierMatrix(SquareMatrix):
    """F_n: entry (i, j) is w_n^(ij), equation (1.3). Arguments: n, sign."""

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        n, sign = self.args
        return _root(n, sign * i * j)


class OmegaMatrix(SquareMatrix):
    """Ω_h^α: w_2h^(j+α) on the diagonal, equation (1.9). Arguments: h, α, sign."""

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        h, alpha, sign = self.args
        return _delta(i, j) * _root(2 * h, sign * (j + alpha))


class TwiddleMatrix(SquareMatrix):
    """T^N_s: w_N^((j div s)(j mod s)) on the diagonal. Arguments: N, s, sign."""

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        N, s, sign = self.args
        return _delta(i, j) * _root(N, sign * (j // s) * (j % s))


def _butterfly(K: Any, alpha: Any, radix: int, sign: Any, i: Any, j: Any) -> Any:
    """Return the entry of B_K^α (radix 2) or D_K^α (radix 4): in block (a, b), w_K^(rev(b) (j + α +
    a K/radix)) on the diagonal.
    """
    q = K / sympy.Integer(radix)
    weight = rev(radix, j // q) * ((j % q) + alpha + q * (i // q))
    return _delta(i % q, j % q) * _root(K, sign * weight)


class ButterflyMatrix(SquareMatrix):
    """B_K^α, equation (1.11), and D_K^α, equation (1.12). Arguments: K, α, radix (2 or 4), sign."""

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        K, alpha, radix, sign = self.args
        return _butterfly(K, alpha, radix, sign, i, j)


class StageMatrix(SquareMatrix):
    """A_{K,N}^α, equation (1.10). Arguments: N, K, α, sign."""

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        _, K, alpha, sign = self.args
        return _delta(i // K, j // K) * _butterfly(K, alpha, 2, sign, i % K, j % K)


class ButterflySumMatrix(SquareMatrix):
    """diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}), Theorem 2.2. Arguments: un, k, n, u, sign."""

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        _, k, n, u, sign = self.args
        return _delta(i // k, j // k) * _butterfly(k, (j // n) / u, 2, sign, i % k, j % k)


def _cosine(n: Any, exponent: Any) -> Any:
    return sympy.cos(2 * sympy.pi * exponent / n)


def _sine(n: Any, exponent: Any) -> Any:
    return sympy.sin(2 * sympy.pi * exponent / n)


class HartleyMatrix(SquareMatrix):
    """H_n: entry (i, j) is cos(2 pi ij/n) + sin(2 pi ij/n) (Lin, Chan & Karplus 1988, section 1).
    Argument: n.
    """

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        n = self.args[0]
        return _cosine(n, i * j) + _sine(n, i * j)


def _hartley_butterfly(K: Any, i: Any, j: Any) -> Any:
    """Return the entry of BH_K: 1 at (i, i mod h), cos(2 pi i/K) added at (i, h + i mod h), sin(2
    pi i/K) at (i, h + (-i mod h)).
    """
    h = K / sympy.Integer(2)
    turned = _cosine(K, i) * _delta(i % h, j % h) + _sine(K, i) * _delta((-i) % h, j % h)
    return _delta(j // h, 0) * _delta(i % h, j % h) + _delta(j // h, 1) * turned


class HartleyButterflyMatrix(SquareMatrix):
    """BH_K, the blocks of Figure 1. Argument: K."""

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        return _hartley_butterfly(self.args[0], i, j)


class HartleyFactorMatrix(SquareMatrix):
    """LH_{s,N} = I ⊗ BH_K, K = 2^s, the paper's L_s. Arguments: N, s."""

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        K = 2 ** self.args[1]
        return _delta(i // K, j // K) * _hartley_butterfly(K, i % K, j % K)


class PermutationMatrix(SquareMatrix):
    """A permutation matrix: entry (i, j) is 1 where i = image(j)."""

    def image(self, j: Any) -> Any:
        """Return the place to which element j goes."""
        raise NotImplementedError

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        return _delta(i, self.image(j))

    def _eval_transpose(self) -> Any:
        return self._eval_inverse()

    def _eval_inverse(self) -> Any:
        raise NotImplementedError


class StrideMatrix(PermutationMatrix):
    """L^N_r = S_{r,N}: j goes to (j mod r) N/r + j div r, equation (2.2). Arguments: N, r."""

    def image(self, j: Any) -> Any:
        N, r = self.args
        return (j % r) * (N / r) + (j // r)

    def _eval_inverse(self) -> Any:
        N, r = self.args
        return StrideMatrix(N, N / r)


class BitReversalMatrix(PermutationMatrix):
    """P_N, equation (3.3). Argument: N."""

    def image(self, j: Any) -> Any:
        return rev(self.args[0], j)

    def _eval_inverse(self) -> Any:
        return self


def _gamma(u: Any, p: Any, N: Any, j: Any) -> Any:
    """Return γ_{u,p,N}(j), equation (2.1)."""
    M = N / p * u
    return (j // M) * M + (j % u) * (N / p) + ((j % M) // u)


class GammaMatrix(PermutationMatrix):
    """Γ_{u,p,N}, equation (2.4). Arguments: N, u, p."""

    def image(self, j: Any) -> Any:
        N, u, p = self.args
        return _gamma(u, p, N, j)

    def _eval_inverse(self) -> Any:
        N, u, p = self.args
        return GammaMatrix(N, N / p, N / u)


class HatMatrix(SquareMatrix):
    """Â_{k,u,p,N}, equation (2.6). Arguments: N, k, u, p, sign."""

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        N, k, u, p, sign = self.args
        back = [_gamma(N / p, N / u, N, place) for place in (i, j)]
        return StageMatrix(N, k * u, 0, sign)._entry(*back)


class DirectSumMatrix(sympy.MatrixExpr):  # type: ignore[misc]
    """A block diagonal matrix. Arguments: its blocks."""

    @property
    def shape(self) -> tuple[Any, Any]:
        """The number of rows and of columns."""
        order = sympy.Add(*(block.rows for block in self.args))
        return order, order

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        borders = pairwise(
            accumulate((block.rows for block in self.args), initial=sympy.Integer(0))
        )
        pieces = [
            (
                block._entry(i - low, j - low),
                sympy.And(*(c for k in (i, j) for c in (sympy.Le(low, k), sympy.Lt(k, high)))),
            )
            for block, (low, high) in zip(self.args, borders, strict=True)
        ]
        return sympy.Piecewise(*pieces, (0, True))


def matrix(formula: Formula, sign: int = 1) -> Any:
    """Return the formula as a sympy MatrixExpr: shape, entries at symbolic places, subs,
    as_explicit.

    Raises ValueError where a size cannot be a positive integer, or where the sizes of two factors
    are not visibly equal.

    >>> N, i, j = sympy.symbols("N i j", integer=True, positive=True)
    >>> matrix(F(N)).shape, matrix(F(N))[i, j]
    ((N, N), exp(2*I*pi*i*j/N))
    >>> matrix(F(N)).subs(N, 2).as_explicit()
    Matrix([
    [1,  1],
    [1, -1]])
    >>> matrix(Product((F(N), F(N + 1))))
    Traceback (most recent call last):
    ValueError: F_N is N x N and F_{N + 1} is N + 1 x N + 1: the factors of a product have one size
    """
    match formula:
        case Kron(left, right):
            return sympy.KroneckerProduct(matrix(left, sign), matrix(right, sign))
        case DirectSum(terms):
            return DirectSumMatrix(*(matrix(term, sign) for term in terms))
        case Product(factors):
            _fit(factors)
            return sympy.MatMul(*(matrix(factor, sign) for factor in factors))
        case Inverse(of):
            return matrix(of, sign).inverse()
        case Bmmc():
            return sympy.ImmutableSparseMatrix(
                formula.size, formula.size, {(int(i), j): 1 for j, i in enumerate(target(formula))}
            )
    leaf_mapped(formula, lambda name, value: _possible(formula, name, value))
    return _leaf(formula, sign)


def _fit(factors: tuple[Formula, ...]) -> None:
    for a, b in pairwise(factors):
        if not same(a.size, b.size):
            raise ValueError(
                f"{a} is {a.size} x {a.size} and {b} is {b.size} x {b.size}: the factors of a"
                " product have one size"
            )


def _possible(leaf: Formula, name: str, value: Any) -> Any:
    if name not in ("alpha", "name"):
        size = sympy.sympify(value)
        if size.is_integer is False or size.is_positive is False:
            raise ValueError(f"{value}: the size in {leaf} must be a positive integer")
    return value


def _leaf(leaf: Formula, sign: int) -> Any:
    match leaf:
        case I(n):
            return sympy.Identity(n)
        case F(n):
            return FourierMatrix(n, sign)
        case H(n):
            return HartleyMatrix(n)
        case BH(K):
            return HartleyButterflyMatrix(K)
        case LH(s, N):
            return HartleyFactorMatrix(N, s)
        case Omega(h, alpha):
            return OmegaMatrix(h, alpha, sign)
        case B(K, alpha):
            return ButterflyMatrix(K, alpha, 2, sign)
        case D(K, alpha):
            return ButterflyMatrix(K, alpha, 4, sign)
        case A(K, N, alpha):
            return StageMatrix(N, K, alpha, sign)
        case T(N, s):
            return TwiddleMatrix(N, s, sign)
        case ButterflySum(k, n, u):
            return ButterflySumMatrix(u * n, k, n, u, sign)
        case L(N, r) | S(r, N):
            return StrideMatrix(N, r)
        case R(N):
            return BitReversalMatrix(N)
        case Gamma(u, p, N):
            return GammaMatrix(N, u, p)
        case AHat(k, u, p, N):
            return HatMatrix(N, k, u, p, sign)
        case Variable(name, n):
            return sympy.MatrixSymbol(name, n, n)
    raise ValueError(f"{leaf} has no symbolic matrix")


def explicit(formula: Formula, values: Mapping[Any, int] | None = None, sign: int = 1) -> Any:
    """Return the exact matrix of a formula at concrete sizes; sums of roots of unity are reduced,
    so that 0 is seen as 0.

    >>> N = positive_integers("N")
    >>> explicit(F(N), {N: 4})
    Matrix([
    [1,  1,  1,  1],
    [1,  I, -1, -I],
    [1, -1,  1, -1],
    [1, -I, -1,  I]])
    >>> explicit(F(N) @ F(N), {N: 3})
    Matrix([
    [3, 0, 0],
    [0, 0, 3],
    [0, 3, 0]])
    """
    return _explicit(instantiate(formula, values or {}), sign).applyfunc(reduced)


def _explicit(formula: Formula, sign: int) -> Any:
    match formula:
        case Kron(left, right):
            return matrix_kronecker_product(_explicit(left, sign), _explicit(right, sign))
        case DirectSum(terms):
            return sympy.ImmutableMatrix(sympy.diag(*(_explicit(term, sign) for term in terms)))
        case Product(factors):
            return reduce(matmul, (_explicit(factor, sign) for factor in factors))
    return matrix(formula, sign).as_explicit()


def reduced(number: Any) -> Any:
    """Return a sum of rational multiples of roots of unity with the least terms; anything else as
    it is.

    >>> reduced(sympy.exp(sympy.I * sympy.pi / 4) + sympy.exp(-3 * sympy.I * sympy.pi / 4))
    0
    """
    terms = [_turned(term) for term in sympy.Add.make_args(sympy.expand(number, power_exp=False))]
    if any(turn is None for _, turn in terms):
        return number
    order = lcm(2, *(turn.denominator for _, turn in terms))
    zeta = sympy.Dummy()
    power = sum((c * zeta ** int(turn * order % order) for c, turn in terms), sympy.Integer(0))
    remainder = sympy.Poly(power, zeta).rem(sympy.Poly(sympy.cyclotomic_poly(order, zeta)))
    return sympy.Add(
        *(abs(c) * _root(order, e + (order // 2 if c < 0 else 0)) for (e,), c in remainder.terms())
    )


def _turned(term: Any) -> tuple[Any, Any]:
    """Return (c, t) for the number c exp(2 pi i t) with rational c and t; t is None for any other
    number.
    """
    coefficient, rest = term.as_coeff_Mul()
    turn = Fraction(0)
    for factor in sympy.Mul.make_args(rest):
        angle = (
            sympy.log(factor)
            if factor == sympy.I
            else factor.args[0]
            if isinstance(factor, sympy.exp)
            else sympy.nan
        )
        part = 0 if factor == 1 else angle / (2 * sympy.pi * sympy.I)
        if not getattr(sympy.sympify(part), "is_Rational", False) or not coefficient.is_Rational:
            return coefficient, None
        turn += Fraction(int(sympy.Rational(part).p), int(sympy.Rational(part).q))
    return coefficient, turn
