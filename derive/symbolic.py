"""Formulas as sympy expressions: symbolic sizes, matrices with symbolic entries, explicit matrices.

    matrix = Identity | LeafMatrix | KroneckerProduct(left, right) | MatMul(factor, ...) | BlockDiagMatrix(block, ...)

The root of unity is w_N = exp(2 pi i/N) for sign = 1, as in Inda & Bisseling (2000), and exp(-2 pi
i/N) for sign = -1, as in numpy. Shapes are compared by derive.formula.grammar.same before sympy
sees them: sympy compares only numbers.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from math import lcm
from operator import add, matmul
from typing import Any

import sympy
from sympy.core.symbol import Str
from sympy.matrices.expressions.kronecker import matrix_kronecker_product

from derive.formula.adjoints import conjugate
from derive.formula.combinations import Added, Ranged, Scaled, Sqrt, terms_of
from derive.formula.grammar import Applied, DirectSum, Formula, I, Kron, Product, product
from derive.formula.leaves import Called
from derive.formula.named_matrices import MATRICES, Pad
from derive.formula.permutation_matrices import Bmmc
from derive.formula.permutations import is_permutation, target
from derive.formula.transforms import E
from derive.text.expressions import number, size_symbols
from derive.text.text_matrices import exponents_of
from derive.text.text_sizes import Reader

algebra: Any = sympy
"""sympy, for modules that calculate with what this one makes."""


def positive_integers(names: str) -> Any:
    """Return symbols for positive integers.

    >>> from derive.formula.grammar import kron
    >>> from derive.formula.permutation_matrices import stride
    >>> from derive.formula.transforms import F, T
    >>> r, s = positive_integers("r s")
    >>> print(kron(F(r), I(s)) @ T(r * s, s) @ kron(I(r), F(s)) @ stride(r * s, r))
    (F_r ⊗ I_s) T^{r*s}_s (I_r ⊗ F_s) L^{r*s}_r
    """
    return sympy.symbols(names, integer=True, positive=True)


def size(text: str) -> Any:
    """Return a size that is written as text, in symbols for positive integers.

    Raises FormulaError where it is none.

    >>> size("r*s"), size("2^(n-1)")
    (r*s, 2**(n - 1))
    """
    reader = Reader(text)
    found = reader.size()
    reader.end()
    return number(found, {name: positive_integers(name) for name in size_symbols(found)})


def size_latex(size: Any) -> str:
    r"""Return the LaTeX of a size, a fraction in one line as in the paper.

    >>> N, p = positive_integers("N p")
    >>> print(size_latex(N / p), size_latex(sympy.Symbol("alpha")))
    N/p \alpha
    """
    return sympy.latex(size, fold_short_frac=True).replace(" / ", "/")


class rev(sympy.Function):  # type: ignore[misc]  # noqa: N801  sympy is untyped, and its functions are written small
    """rev(N, j): j with its lg N bits in reverse order (equation 3.4)."""

    nargs = 2

    @classmethod
    def eval(cls, N: Any, j: Any) -> Any:
        """Return the value where both are numbers."""
        if not (N.is_Integer and j.is_Integer and 0 <= j < N):
            return None
        return sympy.Integer(int(f"{int(j):0{int(N).bit_length() - 1}b}"[::-1], 2))


_delta = sympy.KroneckerDelta


def _angle(n: Any, exponent: Any) -> Any:
    """Return the angle of w_n^exponent."""
    return 2 * sympy.pi * exponent / n


def _root(n: Any, exponent: Any) -> Any:
    return sympy.exp(sympy.I * _angle(n, exponent))


def _butterfly(K: Any, alpha: Any, sign: Any, i: Any, j: Any) -> Any:
    """Return the entry of B_K^α: in block (a, b), w_K^(b (j + α + a K/2)) on the diagonal."""
    h = K / sympy.Integer(2)
    weight = (j // h) * ((j % h) + alpha + h * (i // h))
    return _delta(i % h, j % h) * _root(K, sign * weight)


def _stage(K: Any, alpha: Any, sign: Any, i: Any, j: Any) -> Any:
    return _delta(i // K, j // K) * _butterfly(K, alpha, sign, i % K, j % K)


def _cas(n: Any, exponent: Any) -> Any:
    return sympy.cos(_angle(n, exponent)) + sympy.sin(_angle(n, exponent))


def _hartley_butterfly(K: Any, i: Any, j: Any) -> Any:
    """Return the entry of BH_K: 1 at (i, i mod h), cos(2 pi i/K) added at (i, h + i mod h), sin(2
    pi i/K) at (i, h + (-i mod h)).
    """
    h = K / sympy.Integer(2)
    cosine, sine = (function(_angle(K, i)) for function in (sympy.cos, sympy.sin))
    turned = cosine * _delta(i % h, j % h) + sine * _delta((-i) % h, j % h)
    return _delta(j // h, 0) * _delta(i % h, j % h) + _delta(j // h, 1) * turned


def _chirp(m: Any, n: Any, sign: Any, k: Any) -> Any:
    """Return entry k of the Fourier transform of conj(w_2n^(t^2)), -m/2 <= t < m/2."""
    t, h = sympy.Symbol("t", integer=True), m / sympy.Integer(2)
    return sympy.summation(_root(m, sign * k * t) * _root(2 * n, -sign * t**2), (t, -h, h - 1))


ENTRIES: dict[str, Callable[..., Any]] = {
    "F": lambda sign, i, j, n: _root(n, sign * i * j),
    "Omega": lambda sign, i, j, h, alpha: _delta(i, j) * _root(2 * h, sign * (j + alpha)),
    "T": lambda sign, i, j, N, s: _delta(i, j) * _root(N, sign * (j // s) * (j % s)),
    "B": lambda sign, i, j, K, alpha: _butterfly(K, alpha, sign, i, j),
    "ButterflySum": lambda sign, i, j, k, n, u: _stage(k, (j // n) / u, sign, i, j),
    "H": lambda _, i, j, n: _cas(n, i * j),
    "Chirp": lambda sign, i, j, m, n: _delta(i, j) * _chirp(m, n, sign, i),
    "BH": lambda _, i, j, K: _hartley_butterfly(K, i, j),
    "C2": lambda _, i, j, n: 2 * sympy.cos(_angle(4 * n, i * (2 * j + 1))),
    "C3": lambda _, i, j, n: 2 * sympy.cos(_angle(4 * n, j * (2 * i + 1))) - _delta(j, 0),
    "S2": lambda _, i, j, n: 2 * sympy.sin(_angle(4 * n, (i + 1) * (2 * j + 1))),
    "S3": lambda _, i, j, n: (
        (2 - _delta(j, n - 1)) * sympy.sin(_angle(4 * n, (j + 1) * (2 * i + 1)))
    ),
}
"""The entry in row i and column j of a leaf with these arguments, by its name: (1.3), (1.9),
(1.11) and Theorem 2.2 of Inda & Bisseling, section 1 and Figure 1 of Lin, Chan & Karplus. Another
leaf is what defines it."""
PERMUTATIONS: dict[str, tuple[Callable[..., Any], Callable[..., tuple[Any, ...]]]] = {
    "L": (lambda j, N, r: (j % r) * (N / r) + (j // r), lambda N, r: (N, N / r)),
    "R": (lambda j, N: rev(N, j), lambda N: (N,)),
    "J": (lambda j, n: n - 1 - j, lambda n: (n,)),
}
"""The targets of element j, and the arguments of the inverse."""


class LeafMatrix(sympy.MatrixExpr):  # type: ignore[misc]
    """A leaf of the grammar. Arguments: its name, its order, the sign, the leaf's own."""

    @property
    def shape(self) -> tuple[Any, Any]:
        """The number of rows and of columns."""
        return self.args[1], self.args[1]

    def _entry(self, i: Any, j: Any, **_: Any) -> Any:
        name, _order, sign, *given = self.args
        if str(name) in ENTRIES:
            return ENTRIES[str(name)](sign, i, j, *given)
        if str(name) in PERMUTATIONS:
            return _delta(i, PERMUTATIONS[str(name)][0](j, *given))
        return matrix(self.definition, sign)[i, j]

    @property
    def definition(self) -> Any:
        """The product that defines the leaf, None where the leaf has entries of its own."""
        name, _order, _sign, *given = self.args
        own = str(name) in ENTRIES or str(name) in PERMUTATIONS
        return None if own else MATRICES[str(name)](*map(_plain, given)).definition

    def as_explicit(self) -> Any:
        """Return the matrix at numbers; a product is multiplied out, not summed entry by entry."""
        if self.definition is None:
            return super().as_explicit()
        return sympy.ImmutableMatrix(_explicit(self.definition, self.args[2]))

    def _eval_inverse(self) -> Any:
        name, order, sign, *given = self.args
        if str(name) not in PERMUTATIONS:
            return super()._eval_inverse()
        return LeafMatrix(name, order, sign, *PERMUTATIONS[str(name)][1](*given))

    def _eval_transpose(self) -> Any:
        moves = str(self.args[0]) in PERMUTATIONS
        return self.inverse() if moves else super()._eval_transpose()


def _plain(size: Any) -> Any:
    """Return an argument as Python has it where it is a number."""
    if size.is_Integer:
        return int(size)
    return Fraction(int(size.p), int(size.q)) if size.is_Rational else size


def matrix(formula: Formula, sign: int = 1) -> Any:
    """Return the formula as a sympy MatrixExpr: shape, entries at symbolic places, subs,
    as_explicit.

    Raises ValueError where a size cannot be a positive integer, or where the sizes of two factors
    are not visibly equal.

    >>> from derive.formula.transforms import F
    >>> N, i, j = sympy.symbols("N i j", integer=True, positive=True)
    >>> matrix(F(N)).shape, matrix(F(N))[i, j]
    ((N, N), exp(2*I*pi*i*j/N))
    >>> matrix(F(N)).subs(N, 2).as_explicit()
    Matrix([
    [1,  1],
    [1, -1]])
    >>> matrix(Product((F(N), F(N + 1))))
    Traceback (most recent call last):
    ValueError: the N columns of F_N meet the N + 1 rows of F_{N + 1}; in a product these numbers must be equal
    """  # noqa: E501
    match formula:
        case Kron((left, right)):
            return sympy.KroneckerProduct(matrix(left, sign), matrix(right, sign))
        case DirectSum(terms):
            return sympy.BlockDiagMatrix(*(matrix(term, sign) for term in terms))
        case Product(factors):
            product(factors)  # refuses sizes that are not the same
            return sympy.MatMul(*(matrix(factor, sign) for factor in factors))
        case Applied("inv", of) if is_permutation(of):
            return matrix(of, sign).inverse()
        case Added() | Scaled():
            each = (_number(c, i, sign) * matrix(of, sign) for c, i, of in terms_of(formula))
            return sympy.MatAdd(*each)
        case Ranged("diag"):
            exponents, order = exponents_of(formula)
            return sympy.diag(*(_root(order, sign * int(e)) for e in exponents))
        case Bmmc() | Ranged() | Called("powers"):
            return sympy.ImmutableSparseMatrix(
                formula.size, formula.size, {(int(i), j): 1 for j, i in enumerate(target(formula))}
            )
    return _leaf(formula, sign)


def _number(number: Fraction, imaginary: bool, sign: int) -> Any:
    """Return the number of a term of a sum; i is w_4^-1 where w_n = exp(-2 pi i/n)."""
    found = sympy.Rational(number.numerator, number.denominator)
    return found * sympy.I * -sign if imaginary else found


def _leaf(leaf: Formula, sign: int) -> Any:
    match leaf:
        case Applied("conj", of):
            return matrix(of, -sign)
        case Applied("inv", of):
            return matrix(conjugate(of), sign) / of.size
        case Applied(_, of):
            return matrix(of, sign).T
        case E(m, n):
            return sympy.OneMatrix(m, n)
        case Pad(m, n):
            return sympy.FunctionMatrix(m, n, _delta)
        case Sqrt(a):
            return sympy.Matrix([[sympy.sqrt(a)]])
    name = type(leaf).__name__
    given = [(what, getattr(leaf, what)) for what in leaf.__match_args__]
    for what, value in given:
        size = sympy.sympify(value)
        if what != "alpha" and (size.is_integer is False or size.is_positive is False):
            raise ValueError(f"{value}: the size in {leaf} must be a positive integer")
    if name not in {"I", *ENTRIES, *PERMUTATIONS}:
        if leaf.definition is None:
            raise ValueError(f"{leaf} has no symbolic matrix")
        if not isinstance(leaf.definition, Product):
            return matrix(leaf.definition, sign)
    if isinstance(leaf, I):
        return sympy.Identity(leaf.n)
    return LeafMatrix(Str(name), leaf.size, sign, *(value for _, value in given))


def explicit(formula: Formula, sign: int = 1) -> Any:
    """Return the exact matrix of a formula; sums of roots of unity are reduced: 0 is seen as 0.

    >>> from derive.formula.transforms import F
    >>> explicit(F(4))
    Matrix([
    [1,  1,  1,  1],
    [1,  I, -1, -I],
    [1, -1,  1, -1],
    [1, -I, -1,  I]])
    >>> explicit(F(3) @ F(3))
    Matrix([
    [3, 0, 0],
    [0, 0, 3],
    [0, 3, 0]])
    """
    return _explicit(formula, sign).applyfunc(reduced)


def _explicit(formula: Formula, sign: int) -> Any:
    match formula:
        case Kron((left, right)):
            return matrix_kronecker_product(_explicit(left, sign), _explicit(right, sign))
        case DirectSum(terms):
            return sympy.ImmutableMatrix(sympy.diag(*(_explicit(term, sign) for term in terms)))
        case Product(factors):
            return reduce(matmul, (_explicit(factor, sign) for factor in factors))
        case Added() | Scaled():
            each = (_number(c, i, sign) * _explicit(of, sign) for c, i, of in terms_of(formula))
            return reduce(add, each)
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
    """Return (c, t) for c exp(2 pi i t), c and t rational; t is None for any other number."""
    coefficient, rest = term.as_coeff_Mul()
    angles = [
        sympy.log(factor)
        if factor == sympy.I
        else factor.args[0]
        if isinstance(factor, sympy.exp)
        else sympy.nan
        for factor in sympy.Mul.make_args(rest)
        if factor != 1
    ]
    turn = sympy.Add(*angles) / (2 * sympy.pi * sympy.I)
    rational = turn.is_Rational and coefficient.is_Rational
    return coefficient, Fraction(int(turn.p), int(turn.q)) if rational else None
