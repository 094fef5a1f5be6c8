"""The bounds of elements: no conjugate is larger, and no denominator; degrees of products."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.fields import RootField
from proofs.certify.exact.arithmetic import inputs, joined
from proofs.certify.exact.constants import NoConstant, Recognizer
from proofs.certify.exact.data import operand
from proofs.certify.exact.data_functions import FUNCTIONS, OPERATORS
from proofs.certify.exact.space import HALVES, MAGNITUDE, UNIT, Space
from proofs.certify.language.table_entries import Undecided
from tests.support.linear_programs import FIELD, as_residues, data_of, unit_vectors

N, L = 8, 16
CONJUGATES = range(1, L, 2)


def root(k, exponent):
    return np.exp(2j * np.pi / L * k * np.asarray(exponent))


def fourier(k, sign, x):
    j = np.arange(N)
    return root(k, sign * 2 * np.outer(j, j)) @ x


def root_of_two(k):
    return 2 * root(k, 2).real


def of_conjugates(steps, k):
    """Return what steps make of the first unit vector, with w^k in place of w."""
    x = np.eye(1, N)[0].astype(complex)
    for name, number in steps:
        match name:
            case "turn":
                x = x * root(k, np.arange(N) * number)
            case "butterfly":
                x = np.concatenate([x[:4] + x[4:], x[:4] - x[4:]])
            case "scale":
                x = x * root_of_two(k) ** number
            case "cosine":
                x = x * root(k, number).real
            case "forward":
                x = fourier(k, -1, x)
            case "backward":
                x = fourier(k, 1, x) / N
            case "ortho":
                x = fourier(k, -1, x) / root_of_two(k) ** 3
    return x


def of_data(steps, x):
    for name, number in steps:
        match name:
            case "turn":
                x = OPERATORS["*"](x, np.exp(2j * np.pi * (np.arange(N) * number % L) / L))
            case "butterfly":
                sum_, difference = (OPERATORS[sign](x[:4], x[4:]) for sign in "+-")
                x = FUNCTIONS["concatenate"]([sum_, difference])
            case "scale":
                x = OPERATORS["*"](x, np.sqrt(2) ** number)
            case "cosine":
                x = OPERATORS["*"](np.cos(2 * np.pi * number / L), x)
            case "forward":
                x = FUNCTIONS["fft.fft"](x)
            case "backward":
                x = FUNCTIONS["fft.ifft"](x)
            case "ortho":
                x = FUNCTIONS["fft.fft"](x, norm="ortho")
    return x


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), st.integers(-3, 16)),
        st.tuples(st.sampled_from(["butterfly", "forward", "backward", "ortho"]), st.just(0)),
        st.tuples(st.just("scale"), st.integers(-4, 4)),
        st.tuples(st.just("cosine"), st.integers(0, 15)),
    ),
    max_size=8,
)


@given(STEPS)
def test_no_conjugate_and_no_denominator_is_larger_than_its_bound(steps):
    found = of_data(steps, data_of(unit_vectors((N,), complex), complex))
    numbers = found.numbers[:, 0]
    conjugates = np.stack([of_conjugates(steps, k) for k in CONJUGATES])
    assert (np.abs(conjugates).max(axis=0) <= 2 ** (numbers[:, MAGNITUDE] / UNIT) + 1e-9).all()
    # c_j of sum c_j w^j, j < L/2, from all conjugates
    back = np.array([[root(k, -j) for k in CONJUGATES] for j in range(L // 2)]) / (L // 2)
    roots = np.array([[root_of_two(k)] for k in CONJUGATES])
    scaled = back @ (conjugates * roots ** numbers[:, HALVES])
    assert np.abs(scaled - np.rint(scaled.real)).max() < 1e-6 * 2.0 ** (
        numbers[:, HALVES].max() / 2
    )


def in_field(steps, x):
    """Return the same steps on residues, by the field's own roots."""
    q, w = FIELD.q, [int(power) for power in FIELD.powers]
    two = (w[2] + w[-2]) % q
    half = pow(2, -1, q)
    for name, number in steps:
        match name:
            case "turn":
                x = [value * w[j * number % L] % q for j, value in enumerate(x)]
            case "butterfly":
                x = [x[j] + x[j + 4] for j in range(4)] + [x[j] - x[j + 4] for j in range(4)]
            case "scale":
                x = [value * pow(two, number, q) % q for value in x]
            case "cosine":
                x = [value * (w[number % L] + w[-number % L]) * half % q for value in x]
            case _:
                sign = 1 if name == "backward" else -1
                weight = {"forward": 1, "backward": pow(N, -1, q), "ortho": pow(two, -3, q)}[name]
                x = [
                    sum(x[j] * w[sign * 2 * j * k % L] for j in range(N)) * weight % q
                    for k in range(N)
                ]
    return [value % q for value in x]


@given(STEPS)
def test_elements_are_what_the_field_has(steps):
    found = of_data(steps, data_of(unit_vectors((N,), complex), complex))
    q, iota = FIELD.q, int(FIELD.powers[L // 4])
    first = found.numbers[..., 0]
    pair = (first[:, 0] + iota * first[:, 1]) % q  # a + bI goes to a + iota b
    assert pair.tolist() == in_field(steps, [1] + [0] * 7)


def test_the_bound_of_a_sum_is_rounded_up():
    pairs = [(0, 0), (0, 1), (1024, 0), (5000, 1), (20000, 0), (-61440, 0)]
    for a, b in pairs:
        found = joined(np.array([[a, 0, 0, 0]]), np.array([[b, 0, 0, 0]]))[0, 0]
        assert 2 ** (found / UNIT) >= 2 ** (a / UNIT) + 2 ** (b / UNIT)


def of_degree(degree):
    vectors = unit_vectors((2,), float)
    space = Space(float, 2, Recognizer(FIELD, degree))
    return inputs(np.stack([as_residues(one, 1) for one in vectors], axis=-1), float, space)


def test_a_linear_map_has_no_products_of_data():
    x = of_degree(1)
    with pytest.raises(NoConstant, match="two arrays that depend on x"):
        OPERATORS["*"](x, x)
    with pytest.raises(NoConstant, match="two arrays that depend on x"):
        FUNCTIONS["dot"](x, x)


def test_products_are_followed_up_to_the_declared_degree():
    x = of_degree(2)
    squared = OPERATORS["**"](x, 2)
    assert squared.bounds()[:, 0, 3].tolist() == [2, 2]
    assert FUNCTIONS["square"](x).numbers[..., 0].tolist() == squared.numbers[..., 0].tolist()
    with pytest.raises(Undecided, match="3 factors may depend on x"):
        OPERATORS["*"](squared, x)


def test_constants_that_are_kept_in_an_array_of_data_are_constants():
    x = of_degree(1)
    table = FUNCTIONS["zeros_like"](x)
    table[...] = [0.5, 2]
    assert OPERATORS["*"](x, table).bounds()[:, 0, 3].tolist() == [1, 1]
    halved = OPERATORS["*"](x, np.array([0.5, 2]))
    assert (OPERATORS["*"](table, x).numbers[..., :2] == halved.numbers[..., :2]).all()


def test_a_number_that_is_no_constant_is_unknown_and_says_what_a_field_needs():
    x = of_degree(1)
    needs = {0.1234567: (1, 1), 0.3: (1, 5), 3**0.5: (3, 1), np.nan: (1, 1), np.inf: (1, 1)}
    for number, wanted in needs.items():
        with pytest.raises(NoConstant, match="constant") as unknown:
            OPERATORS["*"](x, number)
        assert (unknown.value.multiple, unknown.value.divisor) == wanted


def test_a_third_is_a_constant_where_the_divisor_is_three():
    field = of_degree(1).space.field.field
    known = Recognizer(field, divisor=9).recognize(np.array([1 / 3, 2 / 9, 1.0]))
    assert (known.residues[:, 0] * 9 % field.q).tolist() == [3, 2, 9]


def test_a_number_of_few_bits_may_be_a_rounded_zero_or_itself():
    recognizer = of_degree(1).space.field
    rest = np.cos(np.pi / 4) - np.sin(np.pi / 4)
    for value in (rest, 3 * 2.0**-57, 5j * 2.0**-55, np.float32(3 * 2.0**-24)):
        with pytest.raises(NoConstant):
            recognizer.recognize(value)
    for value in (3 * 2.0**-40, 3 * 2.0**-70, 2.0**-70):
        assert recognizer.recognize(value).residues.any()


def test_a_tiny_number_is_no_cosine_and_a_rounded_zero_is_one():
    recognizer = of_degree(1).space.field
    zeros = np.array([np.cos(np.pi / 2), np.sin(np.pi), -np.cos(3 * np.pi / 2)])
    assert not recognizer.recognize(zeros).residues.any()
    for tiny in (1e-30, 1e-22, 1e-14):
        with pytest.raises(NoConstant, match="the constant"):
            recognizer.recognize(tiny)


def test_roots_of_angles_of_several_turns_are_constants():
    recognizer = of_degree(1).space.field
    L = recognizer.field.order
    turns = np.outer(np.arange(L), np.arange(L))
    known = recognizer.recognize(np.exp(2j * np.pi * turns / L))
    assert (known.residues == recognizer.circle[turns % L]).all()


def test_a_root_off_the_circle_or_a_cosine_of_a_few_digits_is_unknown():
    recognizer = of_degree(1).space.field
    for short in (0.7071067811865, 0.7071067811865 * (1 + 1j)):
        with pytest.raises(NoConstant, match="the constant"):
            recognizer.recognize(short)


def test_a_part_of_a_complex_number_is_half_of_a_sum():
    x = data_of(unit_vectors((2,), complex), complex)
    assert x.real.bounds()[..., 1].tolist() == [[2], [2]]
    x.view(float)[...] = FUNCTIONS["copy"](x.view(float))
    assert x.bounds()[..., :2].tolist() == [[[1024, 2]], [[1024, 2]]]


def test_numbers_written_over_one_part_do_not_lower_the_bound_of_the_other():
    """|a + bi| of a large a and a small b is above both."""
    x = OPERATORS["*"](data_of(unit_vectors((2,), complex), complex), 1024)
    x.imag[...] = FUNCTIONS["copy"](data_of(unit_vectors((2,), complex), complex).imag)
    magnitude, halves = x.bounds()[0, 0, :2]
    assert (magnitude, halves) == (11 * UNIT, 2)


def test_constants_have_the_degree_0():
    assert operand(2.0, of_degree(1).space).bounds().tolist() == [[UNIT, 0, 0, 0]]


def test_lengths_that_are_no_powers_of_two():
    field = RootField.draw(24, np.random.default_rng(1))
    space = Space(complex, 6, Recognizer(field, 1, 3))
    vectors = unit_vectors((3,), complex)
    q = field.q
    residues = np.stack([as_residues(one, 2) for one in vectors], axis=-1) * 0
    for column, one in enumerate(vectors):
        residues[..., column] = np.stack([one.real, one.imag], -1).astype(int) % q
    x = inputs(residues, complex, space)
    back = FUNCTIONS["fft.ifft"](FUNCTIONS["fft.fft"](x))
    assert (back.numbers[..., :6] == x.numbers[..., :6]).all()
    assert back.bounds()[0, 0, 1] == 4
