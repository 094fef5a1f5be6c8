"""Symbolic formulas against dense matrices that are built here from the paper's definitions, index
by index.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy.matrices.expressions.kronecker import combine_kronecker

from derive.formula.grammar import Applied, Equation, I, Product, direct_sum, kron
from derive.formula.latex import latex
from derive.formula.permutation_matrices import Gamma, L, R, S, inverse
from derive.formula.transforms import A, AHat, B, ButterflySum, D, F, Omega, T
from derive.symbolic import explicit, matrix, positive_integers, reduced, rev
from tests.support.equations import instantiate, instantiate_equation
from tests.support.papers import cooley_tukey, corollary_2_3, equation_1_6, theorem_2_2

N, M, K, k, n, u, p, r, s, h = positive_integers("N M K k n u p r s h")
alpha = sympy.Symbol("alpha", real=True)


def omega(order, exponent, sign=1):
    return np.exp(sign * 2j * np.pi * exponent / order)


def fourier(order, sign=1):
    return np.array([[omega(order, a * b, sign) for b in range(order)] for a in range(order)])


def weights(half, a, sign=1):
    return np.diag([omega(2 * half, j + a, sign) for j in range(half)])


def butterfly(order, a=0, sign=1):
    one, weight = np.eye(order // 2), weights(order // 2, a, sign)
    return np.block([[one, weight], [one, -weight]])


def butterfly4(order, a=0, sign=1):
    """(1.12) as printed: blocks of I, Λ^2, Λ, Λ^3 with i and -i."""
    q, i = order // 4, sign * 1j
    lam = np.diag([omega(order, j + a, sign) for j in range(q)])
    one, two, three = np.eye(q), lam @ lam, lam @ lam @ lam
    return np.block(
        [
            [one, two, lam, three],
            [one, -two, i * lam, -i * three],
            [one, two, -lam, -three],
            [one, -two, -i * lam, i * three],
        ]
    )


def stage(order, size, a=0, sign=1):
    return np.kron(np.eye(size // order), butterfly(order, a, sign))


def twiddle(size, low, sign=1):
    return np.diag([omega(size, i * j, sign) for i in range(size // low) for j in range(low)])


def blocks(parts):
    total = sum(len(part) for part in parts)
    result, at = np.zeros((total, total), dtype=complex), 0
    for part in parts:
        result[at : at + len(part), at : at + len(part)] = part
        at += len(part)
    return result


def permutation(size, image):
    result = np.zeros((size, size))
    for j in range(size):
        result[image(j), j] = 1
    return result


def shuffle(step, size):
    return permutation(size, lambda j: (j % step) * (size // step) + j // step)


def bit_reversal(size):
    bits = size.bit_length() - 1
    return permutation(size, lambda j: sum((j >> i & 1) << (bits - 1 - i) for i in range(bits)))


def gamma(step, ranks, size):
    block = size // ranks * step
    return permutation(
        size, lambda j: j // block * block + (j % step) * (size // ranks) + (j % block) // step
    )


def butterfly_sum(order, size, count, sign=1):
    return blocks([stage(order, size, i / count, sign) for i in range(count)])


def hat(order, step, ranks, size, sign=1):
    g = gamma(step, ranks, size)
    return g @ stage(order * step, size, 0, sign) @ g.T


CASES = [
    ("identity", I(n), [{n: 1}, {n: 5}], lambda v, _: np.eye(v[n])),
    ("Fourier", F(n), [{n: 1}, {n: 5}, {n: 8}], lambda v, sign: fourier(v[n], sign)),
    (
        "weights",
        Omega(h, Fraction(1, 3)),
        [{h: 1}, {h: 4}],
        lambda v, sign: weights(v[h], 1 / 3, sign),
    ),
    (
        "2-butterfly",
        B(K, Fraction(3, 4)),
        [{K: 2}, {K: 6}, {K: 8}],
        lambda v, sign: butterfly(v[K], 0.75, sign),
    ),
    (
        "4-butterfly",
        D(K, Fraction(1, 2)),
        [{K: 4}, {K: 8}, {K: 16}],
        lambda v, sign: butterfly4(v[K], 0.5, sign),
    ),
    (
        "stage",
        A(K, N, Fraction(1, 4)),
        [{K: 2, N: 8}, {K: 4, N: 4}, {K: 4, N: 12}],
        lambda v, sign: stage(v[K], v[N], 0.25, sign),
    ),
    (
        "twiddles",
        T(N, s),
        [{N: 8, s: 2}, {N: 12, s: 4}, {N: 5, s: 1}],
        lambda v, sign: twiddle(v[N], v[s], sign),
    ),
    (
        "sum of stages",
        ButterflySum(k, n, u),
        [{k: 2, n: 4, u: 2}, {k: 4, n: 4, u: 3}],
        lambda v, sign: butterfly_sum(v[k], v[n], v[u], sign),
    ),
    (
        "stride",
        L(N, r),
        [{N: 8, r: 2}, {N: 12, r: 3}, {N: 5, r: 5}],
        lambda v, _: shuffle(v[r], v[N]),
    ),
    ("shuffle", S(u, M), [{u: 4, M: 8}, {u: 3, M: 12}], lambda v, _: shuffle(v[u], v[M])),
    ("bit reversal", R(N), [{N: 1}, {N: 2}, {N: 16}], lambda v, _: bit_reversal(v[N])),
    (
        "redistribution",
        Gamma(u, p, N),
        [{u: 2, p: 4, N: 16}, {u: 3, p: 6, N: 12}],
        lambda v, _: gamma(v[u], v[p], v[N]),
    ),
    (
        "redistributed stage",
        AHat(k, u, p, N),
        [{k: 2, u: 2, p: 4, N: 16}, {k: 2, u: 3, p: 3, N: 12}],
        lambda v, sign: hat(v[k], v[u], v[p], v[N], sign),
    ),
    (
        "inverse stride",
        Applied("inv", L(N, r)),
        [{N: 12, r: 3}],
        lambda v, _: shuffle(v[r], v[N]).T,
    ),
    (
        "inverse redistribution",
        Applied("inv", Gamma(u, p, N)),
        [{u: 2, p: 4, N: 16}],
        lambda v, _: gamma(v[u], v[p], v[N]).T,
    ),
    (
        "Kronecker product",
        kron(F(r), kron(I(s), B(2))),
        [{r: 3, s: 2}],
        lambda v, sign: np.kron(np.kron(fourier(v[r], sign), np.eye(v[s])), butterfly(2)),
    ),
    (
        "direct sum",
        direct_sum([F(r), I(s), F(2)]),
        [{r: 3, s: 2}],
        lambda v, sign: blocks([fourier(v[r], sign), np.eye(v[s]), fourier(2)]),
    ),
    (
        "product",
        F(n) @ L(n, r) @ F(n),
        [{n: 4, r: 2}],
        lambda v, sign: fourier(v[n], sign) @ shuffle(v[r], v[n]) @ fourier(v[n], sign),
    ),
]


def numbers(matrix_):
    return np.array(matrix_.evalf().tolist(), dtype=complex)


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("formula", "places", "dense"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_explicit_matrix_is_the_papers_definition(formula, places, dense, sign):
    for values in places:
        expected = dense(values, sign)
        assert numbers(explicit(instantiate(formula, values), sign)) == pytest.approx(
            expected, abs=1e-12
        )
        assert numbers(matrix(formula, sign).subs(values).as_explicit()) == pytest.approx(
            expected, abs=1e-12
        )


@pytest.mark.sampled(6, rest="long")
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("formula", "places", "dense"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_symbolic_entry_at_numbers_is_the_entry(formula, places, dense):
    i, j = sympy.symbols("i j", integer=True, nonnegative=True)
    symbolic = matrix(formula)
    entry, values = symbolic._entry(i, j), places[-1]
    expected = dense(values, 1)
    at = list(itertools.product(range(len(expected)), repeat=2))
    for a, b in at[:: max(1, len(at) // 16)]:
        assert complex(entry.subs({**values, i: a, j: b}).doit()) == pytest.approx(
            expected[a, b], abs=1e-12
        )


@pytest.mark.parametrize("formula", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_shape_is_the_size(formula):
    assert matrix(formula).shape == (formula.size, formula.size)


def test_entries_stay_symbolic():
    i, j = sympy.symbols("i j", integer=True, nonnegative=True)
    assert matrix(F(N))[i, j] == sympy.exp(2 * sympy.pi * sympy.I * i * j / N)
    assert matrix(F(N), sign=-1)[i, j] == sympy.exp(-2 * sympy.pi * sympy.I * i * j / N)
    assert matrix(L(N, r))[i, j] == sympy.KroneckerDelta(
        i, N * sympy.Mod(j, r) / r + sympy.floor(j / r)
    )
    assert matrix(R(N))[i, j] == sympy.KroneckerDelta(i, rev(N, j))
    assert explicit(Omega(2, alpha))[1, 1] == sympy.exp(sympy.I * sympy.pi * (alpha + 1) / 2)


def test_roots_of_unity_are_written_simply():
    first = list(explicit(F(8)).row(1))
    assert first == [sympy.exp(sympy.I * sympy.pi * e / 4) for e in (0, 1, 2, 3, 4, -3, -2, -1)]
    assert first[0::2] == [1, sympy.I, -1, -sympy.I]
    assert reduced(
        sympy.Rational(1, 2) + sum(sympy.exp(2 * sympy.pi * sympy.I * e / 5) for e in range(5))
    ) == sympy.Rational(1, 2)


@pytest.mark.parametrize(
    "equation",
    [
        cooley_tukey(2, 3),
        cooley_tukey(4, 2),
        equation_1_6(8),
        theorem_2_2(2, 8, 2),
        corollary_2_3(2, 4, 8, 2),
    ],
    ids=str,
)
def test_both_sides_of_an_equation_have_the_same_exact_matrix(equation):
    assert explicit(equation.left) == explicit(equation.right)


def test_wrong_twiddles_give_another_matrix():
    wrong = kron(F(2), I(4)) @ T(8, 2) @ kron(I(2), F(4)) @ L(8, 2)
    assert explicit(F(8)) != explicit(wrong)


def test_transposed_permutation_is_its_inverse():
    for formula in (L(12, 3), S(2, 8), R(8), Gamma(2, 4, 16)):
        assert matrix(formula).T.as_explicit() == matrix(inverse(formula)).as_explicit()
        assert explicit(formula @ inverse(formula)) == sympy.eye(formula.size)


def test_instance_has_plain_integers():
    equation = instantiate_equation(cooley_tukey(r, s), {r: 2, s: 4})
    concrete = cooley_tukey(2, 4)
    assert (equation.name, equation.left, equation.right) == (
        concrete.name,
        concrete.left,
        concrete.right,
    )
    assert instantiate(A(K, N, alpha / u), {K: 4, N: 8, alpha: 1, u: 2}) == A(4, 8, Fraction(1, 2))
    assert all(type(size) is int for size in (equation.left.n, equation.right.size))


@pytest.mark.parametrize(
    ("formula", "values"),
    [(I(n), {}), (L(N, r), {N: 8, r: 3}), (A(K, N), {K: 3, N: 6}), (I(n), {n: 0}), (R(N), {N: 12})],
)
def test_instance_that_is_not_defined_is_refused(formula, values):
    with pytest.raises(ValueError, match=r"positive integer|not divisible|power of two"):
        instantiate(formula, values)


def test_sizes_that_are_no_integers_are_refused():
    for size in (sympy.Rational(3, 2), sympy.Integer(-2), 0):
        with pytest.raises(ValueError, match=r"a size is (an integer|at least 1)"):
            matrix(F(size))


@pytest.mark.parametrize("other", [N + 1, 2 * N, M])
def test_product_of_unequal_symbolic_sizes_is_refused(other):
    with pytest.raises(
        ValueError, match=r"the N columns of F_N meet the .* rows of .*; in a product these numbers"
    ):
        matrix(Product((F(N), F(other))))
    with pytest.raises(ValueError, match="numbers must be equal"):
        F(N) @ F(other)
    assert matrix(F(N) @ F(N * M / M)).shape == (N, N)


def test_sympy_multiplies_matrices_of_different_symbolic_shapes():
    """sympy.MatMul compares only numbers: N x N times (N + 1) x (N + 1) passes, so we do not rely
    on it.
    """
    wrong = sympy.MatMul(sympy.MatrixSymbol("X", N, N), sympy.MatrixSymbol("Y", N + 1, N + 1))
    assert wrong.shape == (N, N + 1)
    with pytest.raises(ValueError, match=r"N columns of F_N meet the N \+ 1 rows of P_\{N \+ 1\}"):
        F(N) @ R(N + 1)


def test_sympy_adds_kronecker_products_by_a_false_identity():
    """combine_kronecker says A ⊗ B + C ⊗ D = (A + C) ⊗ (B + D); with A = B = C = D = I_1 that is 2
    = 4.
    """
    a, b, c, d = (sympy.MatrixSymbol(name, 1, 1) for name in "ABCD")
    total = sympy.KroneckerProduct(a, b) + sympy.KroneckerProduct(c, d)
    combined = combine_kronecker(total)
    assert combined == sympy.KroneckerProduct(a + c, b + d)
    ones = {matrix_[0, 0]: 1 for matrix_ in (a, b, c, d)}
    assert total.as_explicit().subs(ones)[0, 0] == 2
    assert combined.as_explicit().subs(ones)[0, 0] == 4


LATEX = [
    (I(N), "I_{N}"),
    (F(2 * N), "F_{2 N}"),
    (Omega(N / 2, alpha), r"\Omega_{N/2}^{\alpha}"),
    (B(8, Fraction(1, 2)), "B_{8}^{1/2}"),
    (D(K), "D_{K}"),
    (A(K, N, alpha), r"A_{K,N}^{\alpha}"),
    (T(r * s, s), "T^{r s}_{s}"),
    (
        ButterflySum(k, n, u),
        r"\operatorname{diag}(A_{k,n}^{0/u}, A_{k,n}^{1/u}, \ldots, A_{k,n}^{(u-1)/u})",
    ),
    (ButterflySum(2, 4, 2), r"\operatorname{diag}(A_{2,4}^{0/2}, A_{2,4}^{1/2})"),
    (
        ButterflySum(2, 4, 8),
        r"\operatorname{diag}(A_{2,4}^{0/8}, A_{2,4}^{1/8}, \ldots, A_{2,4}^{7/8})",
    ),
    (L(N, r), "L^{N}_{r}"),
    (S(u, M), "S_{u,M}"),
    (R(N), "P_{N}"),
    (Gamma(u, p, N), r"\Gamma_{u,p,N}"),
    (AHat(k, u, p, N), r"\hat{A}_{k,u,p,N}"),
    (Applied("inv", Gamma(u, p, N)), r"\Gamma_{u,p,N}^{-1}"),
    (Applied("inv", L(N, r)), r"(L^{N}_{r})^{-1}"),
    (kron(I(r), kron(F(2), I(s))), r"I_{r} \otimes F_{2} \otimes I_{s}"),
    (kron(F(2) @ L(2, 2), I(s)), r"(F_{2} \, L^{2}_{2}) \otimes I_{s}"),
    (direct_sum([F(r), I(s)]), r"F_{r} \oplus I_{s}"),
    (kron(I(2), direct_sum([F(r), I(s)])), r"I_{2} \otimes (F_{r} \oplus I_{s})"),
    (Equation("", "", S(u, M), L(M, u)), "S_{u,M} = L^{M}_{u}"),
    (
        cooley_tukey(r, s),
        r"F_{r s} = (F_{r} \otimes I_{s}) \, T^{r s}_{s} \, (I_{r} \otimes F_{s}) \, L^{r s}_{r}",
    ),
]


@pytest.mark.parametrize(("formula", "text"), LATEX, ids=[text for _, text in LATEX])
def test_latex_has_the_papers_letters(formula, text):
    assert latex(formula) == text
