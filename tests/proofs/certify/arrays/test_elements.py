"""Arrays of exact elements: what they compute, that they are views where numpy's are, and what they
refuse.
"""

import numpy as np
import pytest

from derive.fields import RootField, progression
from proofs.certify.exact.constants import Recognizer
from proofs.certify.arrays.elements import Elements
from proofs.certify.arrays.residue_arrays import Past
from proofs.certify.forbidden import Forbidden, Unmodelled

ORDER = 64
RECOGNIZER = Recognizer(RootField.draw(ORDER, np.random.default_rng(1), progression(ORDER)))
Q = RECOGNIZER.field.q


def image(values):
    """Return the residues of a + b iota, the value of a constant in GF(q)."""
    residues = RECOGNIZER.recognize(values).residues
    return (residues[..., 0] + residues[..., 1] * RECOGNIZER.iota) % Q


def elements(shape, dtype=complex, seed=0):
    """Return an array of random elements with three stimuli."""
    x = Elements.zeros(shape, dtype, RECOGNIZER, 3)
    x.parts[...] = np.random.default_rng(seed).integers(0, Q, x.parts.shape)
    return x


def equal(one, other):
    return (
        one.shape == other.shape
        and one.dtype == other.dtype
        and np.array_equal(one.parts, other.parts)
    )


def test_roots_of_unity_have_their_images():
    k = np.arange(ORDER)
    w = RECOGNIZER.field.powers
    assert np.array_equal(image(np.exp(2j * np.pi * k / ORDER)), w)
    assert np.array_equal(image(np.exp(-2j * np.pi * k / ORDER).astype(np.complex64)), w[-k])


def test_cosines_and_sines_satisfy_their_identity():
    angle = 2 * np.pi * np.arange(ORDER) / ORDER
    assert np.all((image(np.cos(angle)) ** 2 % Q + image(np.sin(angle)) ** 2 % Q) % Q == 1)


@pytest.mark.parametrize(
    ("value", "square"),
    [
        (2**0.5, 2),
        (0.5**0.5, pow(2, -1, Q)),
        (8**-0.5, pow(8, -1, Q)),
        (-3.0, 9),
        (0.375, 9 * pow(64, -1, Q) % Q),
    ],
)
def test_numbers_have_the_right_square(value, square):
    assert int(image(value)) ** 2 % Q == square


def test_products_of_cosines_and_powers_of_root_two_are_recognized():
    angle = 2 * np.pi * np.arange(ORDER) / ORDER
    assert np.array_equal(
        image(np.cos(angle) / 8**0.5), image(np.cos(angle)) * int(image(8**-0.5)) % Q
    )
    assert np.array_equal(image(1j * np.cos(angle)), image(np.cos(angle)) * RECOGNIZER.iota % Q)


@pytest.mark.parametrize(
    "value",
    [0.1, np.pi, 1 / 3, np.exp(2j * np.pi / 100), np.nan, np.inf, 1 + 2**-30, np.float32(1e-3)],
)
def test_other_numbers_are_refused(value):
    with pytest.raises(Forbidden, match="constant"):
        RECOGNIZER.recognize(value)


def test_a_short_pi_is_refused_with_value_and_place():
    k = np.arange(ORDER)
    with pytest.raises(Forbidden, match=r"0\.99518.* at place \(1\)"):
        RECOGNIZER.recognize(np.exp(2j * 3.14159 * k / ORDER))


def test_a_table_that_drifts_is_refused():
    table = np.cumprod(np.full(ORDER, np.exp(2j * np.pi / ORDER) * (1 + 1e-15)))
    with pytest.raises(Forbidden, match="at place"):
        RECOGNIZER.recognize(table)


def test_cosines_that_single_precision_cannot_tell_apart_are_refused():
    order = 2**14
    fine = Recognizer(RootField.draw(order, np.random.default_rng(0), progression(order)))
    with pytest.raises(Forbidden, match="cannot tell them apart"):
        fine.recognize(np.cos(2 * np.pi * np.arange(order) / order).astype(np.float32))


@pytest.mark.parametrize("n", [1, 2, 4, 16, 64])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_the_fourier_transform_has_its_inverse(n, norm):
    x = elements((3, n, 2))
    assert equal(np.fft.ifft(np.fft.fft(x, axis=1, norm=norm), axis=1, norm=norm), x)


@pytest.mark.parametrize(("transform", "sign"), [(np.fft.fft, -1), (np.fft.ifft, 1)])
def test_the_fourier_transform_is_its_matrix(transform, sign):
    x, n = elements(8), 8
    y = transform(x, norm="backward" if sign < 0 else "forward")
    for k in range(n):
        row = x[0] * 0
        for j in range(n):
            row = row + x[j] * np.exp(sign * 2j * np.pi * (j * k % n) / n)
        assert equal(row, y[k])


def test_the_output_of_a_transform_may_be_its_input():
    x = elements((2, 8))
    y = np.fft.fft(x, axis=1)
    assert np.fft.fft(x, axis=1, out=x) is x
    assert equal(x, y)


def test_arithmetic_is_that_of_complex_numbers():
    x, y = elements(5), elements(5, seed=1)
    assert equal((x + y) - y, x)
    assert equal(-(x * -1), +x)
    assert equal(x * 1j * 1j, -x)
    assert equal(2 * x, x + x)
    assert equal(x / 4 * 4.0, x)
    assert equal((x * 1j).conj(), x.conj() * -1j)
    assert equal(x.real + 1j * x.imag, x)


def test_operations_in_place_and_into_an_output_write_there():
    x, z = elements(5), elements(5, seed=2)
    y = x * 1j
    x *= 1j
    assert equal(x, y)
    assert np.add(x, x, out=z) is z
    assert equal(z, 2 * y)


def test_real_arrays_have_one_part_and_become_complex_by_complex_constants():
    x = elements(5, float)
    assert x.parts.shape == (5, 1, 3)
    assert (x * 2).dtype == np.float64
    assert equal((x * 1j).imag, x)
    assert np.fft.fft(elements(8, np.float32)).dtype == np.complex64


def test_slices_and_reshapes_are_views():
    x = elements((4, 6))
    x.reshape(2, -1).T[3:5, 1] = 0
    assert equal(x.ravel()[15:17], Elements.zeros(2, complex, RECOGNIZER, 3))
    assert equal(x[..., ::-1][2, 0], x[2, 5])
    assert np.shares_memory(x, x.transpose(1, 0)[None])


def test_real_imaginary_part_and_other_types_are_views():
    x = elements(4)
    x.real[...] = 0
    x.view(float)[1::2] = 1
    assert equal(x, x * 0 + 1j)


def test_an_index_array_copies():
    x = elements(4)
    y = x[np.array([2, 0])]
    y[...] = 0
    assert equal(x[[2, 0]], elements(4)[[2, 0]])


def test_movement_is_that_of_numpy():
    x, place = elements((4, 6)), np.arange(24).reshape(4, 6)
    for move in (
        lambda a: np.take(a, [3, 1], axis=0),
        lambda a: np.take(a, [7, 2]),
        lambda a: np.concatenate([a, a], axis=-1),
        lambda a: np.stack([a, a], axis=1),
        lambda a: np.roll(a, 1, axis=0),
        lambda a: np.roll(a, 5),
        lambda a: np.flip(a, axis=1),
        lambda a: np.moveaxis(a, 0, 1),
        lambda a: np.swapaxes(a, 0, -1),
        lambda a: np.transpose(a),
        lambda a: np.reshape(a, (3, 8)),
        lambda a: a[place % 5 == 0],
        lambda a: a[1:3, [0, 5]],
    ):
        assert equal(move(x), x.ravel()[move(place)])


def test_copyto_casts_as_numpy_does():
    single = Elements.zeros(4, np.complex64, RECOGNIZER, 3)
    np.copyto(single, elements(4))
    assert np.array_equal(single.parts, elements(4).parts)
    with pytest.raises(Forbidden, match="imaginary part"):
        elements(4, float)[...] = elements(4)


def test_bounds_grow_with_sums_and_halvings():
    x = elements(16)
    assert np.fft.fft(x).past == Past(4.0, 0)
    assert np.fft.ifft(x).past == Past(0.0, 4)
    assert (x + x).past.magnitude == 1
    assert (x / 2**0.5).past == Past(-0.5, 1)
    x[:8] *= 4
    assert x.past.magnitude == 2
    x[...] = elements(16)
    assert x.past == Past()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_bounds_of_parts_are_those_of_the_whole_when_all_are_written(order):
    x, places = elements(16) * 1024, [slice(4 * part, 4 * part + 4) for part in order]
    for place in places[:3]:
        x[place] = elements(4) * 2 if place.start == 4 else elements(4)
        assert x.past.magnitude == 10
        assert x[place].past.magnitude == (place.start == 4)
    x[places[3]] = elements(4) * 2 if places[3].start == 4 else elements(4)
    assert x.past.magnitude == 1 and x[8:].past.magnitude == 0 and x[3:6].past.magnitude == 1
    x[2:6] = elements(4) * 8
    assert x.past.magnitude == 3 and x[8:].past.magnitude == 0


def test_bounds_of_parts_with_a_gap_between_them_are_those_of_before():
    x = elements(16) * 1024
    for place in (slice(0, 4), slice(5, 16)):
        x[place] = elements(place.stop - place.start)
    assert x.past.magnitude == 10 and x[6:].past.magnitude == x[:4].past.magnitude == 0
    assert x[3:5].past.magnitude == 10
    x[4] = elements(1)[0]
    assert x.past.magnitude == 0


REFUSED = {
    "bool": lambda x: bool(x[0]),
    "if": lambda x: 1 if x[0] else 0,
    "int": lambda x: int(x[0]),
    "float": lambda x: float(x[0]),
    "complex": lambda x: complex(x[0]),
    "index": lambda x: [1, 2][x[0]],
    "index of an array": lambda x: np.arange(3)[x],
    "hash": lambda x: {x[0]: 1},
    "bytes": lambda x: bytes(x[0]),
    "str": lambda x: f"{x[0]}" + str(x),
    "in": lambda x: 0 in x,
    "equal": lambda x: x == 0,
    "less": lambda x: x[0] < x[1],
    "product": lambda x: x * x,
    "square": lambda x: x**2,
    "quotient": lambda x: 1 / x,
    "matrix product": lambda x: x @ x,
    "absolute value": lambda x: abs(x),
    "asarray": lambda x: np.asarray(x),
    "array of elements": lambda x: np.array([x[0], x[1]]),
    "into an ordinary array": lambda x: np.empty(4, complex).__setitem__(slice(None), x),
    "copyto an ordinary array": lambda x: np.copyto(np.empty(4, complex), x),
    "output in an ordinary array": lambda x: np.multiply(x, 2, out=np.empty(4, complex)),
    "in place on an ordinary array": lambda x: np.zeros(4, complex).__iadd__(x),
    "a product of all": lambda x: np.multiply.reduce(x),
    "a matrix of elements": lambda x: x.reshape(2, 2) @ x.reshape(2, 2),
    "sort": lambda x: np.sort(x),
    "where": lambda x: np.where(x, 1, 0),
    "nonzero": lambda x: np.nonzero(x),
    "norm": lambda x: np.linalg.norm(x),
    "real transform": lambda x: np.fft.rfft(x),
    "cut transform": lambda x: np.fft.fft(x, n=2),
    "odd length": lambda x: np.fft.fft(x[:3]),
    "too long": lambda x: np.fft.fft(Elements.zeros(128, complex, RECOGNIZER, 1)),
    "masked": lambda x: np.multiply(x, 2, where=[True]),
    "lost imaginary part": lambda x: x.astype(float),
    "unknown constant": lambda x: x * 0.3,
    "text": lambda x: x * "2",
}


@pytest.mark.parametrize("use", REFUSED)
def test_what_is_no_linear_algebra_is_refused(use):
    with pytest.raises(Forbidden):
        REFUSED[use](elements(4))


UNMODELLED = {
    "running sums": lambda x: np.add.accumulate(x),
    "cumsum": lambda x: np.cumsum(x),
    "cumsum, a method": lambda x: x.cumsum(),
    "sums in place": lambda x: np.add.at(x, [0], 1),
    "sums of parts": lambda x: np.add.reduceat(x, [0, 2]),
    "all sums of two": lambda x: np.add.outer(x, x),
    "a mean": lambda x: np.mean(x),
    "a mean, a method": lambda x: x.mean(),
    "einsum": lambda x: np.einsum("i->i", x),
    "tensordot": lambda x: np.tensordot(x, np.ones(4), 1),
    "an inner product": lambda x: np.inner(np.ones(4), x),
    "a Kronecker product": lambda x: np.kron(np.ones(2), x),
    "a product of vectors": lambda x: np.ones(4) @ x,
    "a sum in another type": lambda x: x.sum(dtype=complex),
    "a sum that keeps its axis": lambda x: x.sum(keepdims=True),
    "a power of two": lambda x: np.ldexp(x.real, 1),
    "what is no number": lambda x: np.isnan(x),
    "a mask": lambda x: np.multiply(x, 2, where=[True]),
}


@pytest.mark.parametrize("use", UNMODELLED)
def test_what_may_be_right_and_is_not_modelled_is_said_to_be_so(use):
    with pytest.raises(Unmodelled):
        UNMODELLED[use](elements(4))


SUMS = {
    "all": (lambda x: np.sum(x), lambda x: sum(x[i, j] for i in range(2) for j in range(3))),
    "columns": (lambda x: x.sum(axis=0), lambda x: x[0] + x[1]),
    "rows": (lambda x: np.add.reduce(x, axis=-1), lambda x: x[:, 0] + x[:, 1] + x[:, 2]),
    "a product from the left": (
        lambda x: A @ x,
        lambda x: np.stack([A[i, 0] * x[0] + A[i, 1] * x[1] for i in range(3)]),
    ),
    "a product from the right": (
        lambda x: np.matmul(x, A),
        lambda x: np.stack([sum(x[:, k] * A[k, j] for k in range(3)) for j in range(2)], axis=1),
    ),
    "a matrix times a vector": (
        lambda x: np.dot(A, x[:, 0]),
        lambda x: A[:, 0] * x[0, 0] + A[:, 1] * x[1, 0],
    ),
    "a vector times a matrix": (lambda x: A[0] @ x, lambda x: A[0, 0] * x[0] + A[0, 1] * x[1]),
    "a method": (lambda x: x.dot(A), lambda x: x @ A),
    "many products": (lambda x: np.stack([x, 2 * x]) @ A, lambda x: np.stack([x @ A, 2 * x @ A])),
}
A = np.exp(2j * np.pi * np.arange(6).reshape(3, 2) / 64)


@pytest.mark.parametrize("name", SUMS)
def test_sums_and_products_with_matrices_of_constants_are_exact(name):
    found, wanted = (make(elements((2, 3))) for make in SUMS[name])
    assert equal(found, wanted)


def test_a_sum_of_eight_elements_may_be_eight_times_as_large():
    assert elements(8).sum().past.magnitude == pytest.approx(3)
    assert (np.ones((1, 8)) @ elements(8)).past.magnitude == pytest.approx(3)


def test_an_index_beyond_the_axes_does_not_reach_the_parts():
    with pytest.raises(IndexError):
        elements(4)[0, 1]


def test_no_except_clause_of_a_program_holds_a_refusal_up():
    def program(x):
        try:
            return bool(x)
        except Exception:
            return False

    with pytest.raises(Forbidden):
        program(elements(1)[0])
