"""Arrays of data beside their arithmetic: tokens, entries that nobody has written, accesses."""

from __future__ import annotations

import numpy as np
import pytest

from proofs.certify.exact.arithmetic import complex_of, tokens
from proofs.certify.exact.data import Data, Octets
from proofs.certify.exact.data_functions import FUNCTIONS, MEMBERS, OPERATORS, Flags, conj_of
from proofs.certify.exact.entry_moves import fresh
from proofs.certify.exact.space import OWN_TOKEN, UNWRITTEN, Space
from proofs.certify.language.table_entries import Operation, Refuted, Undecided
from tests.support.linear_programs import data_of, unit_vectors
from tests.support.worlds import space_of


def vector(n=4, dtype=complex):
    return data_of(unit_vectors((n,), dtype), dtype)


def numbered(n=4, dtype="i8"):
    return tokens(np.arange(n), dtype, Space(dtype))


def read(data):
    return data.numbers[..., 0, 0].tolist()


def test_an_array_that_is_made_in_columns_lies_in_columns():
    x, zeros = numbered(6), fresh("zeros", Space("i8"))
    for y in (zeros((2, 3), "i8", "F"), zeros((2, 3), dtype="i8", order="F")):
        y.T.reshape(-1)[:] = x  # a view, as y.T is in rows
        assert read(y.T.reshape(-1)) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("dtype", ["i8", "f4", "c16", ">u2", "i4,f8"])
def test_tokens_are_moved_as_numbers_are(dtype):
    x = numbered(8, dtype)
    y = FUNCTIONS["empty_like"](x)
    assert read(y) == [UNWRITTEN] * 8
    y[::2], y[1::2] = x[:4], x[4:]
    assert read(y) == [0, 4, 1, 5, 2, 6, 3, 7]
    assert read(y.reshape(2, 4).T.ravel()) == [0, 2, 4, 6, 1, 3, 5, 7]
    assert read(FUNCTIONS["take"](y, [3, 3, -1])) == [5, 5, 7]
    assert read(FUNCTIONS["concatenate"]([x[:1], y[:2]])) == [0, 0, 4]
    assert isinstance(x.view("u1"), Octets)


@pytest.mark.parametrize(
    "act",
    [
        lambda x: OPERATORS["+"](x, x),
        lambda x: OPERATORS["*"](x, 1),
        lambda x: FUNCTIONS["conj"](x),
        lambda x: FUNCTIONS["fft.fft"](x),
        lambda x: FUNCTIONS["sum"](x),
        lambda x: x.astype("f8"),
        lambda x: x.__setitem__(0, numbered(1, "f8")[0]),
    ],
)
def test_what_a_permutation_computes_is_undecided(act):
    with pytest.raises(Undecided, match=r"moved|moves"):
        act(numbered())


@pytest.mark.parametrize(
    "act",
    [
        lambda x: (x.__setitem__(slice(2), 0), x)[1],
        lambda x: (x[:2].assign(-1), x)[1],
        lambda x: FUNCTIONS["concatenate"]([np.ones(2, int), x[2:]]),
        lambda x: FUNCTIONS["where"](np.arange(4) < 2, 7, x),
    ],
)
def test_every_number_of_a_program_is_the_same_token(act):
    assert read(act(numbered())) == [OWN_TOKEN, OWN_TOKEN, 2, 3]


def test_what_zeros_hold_is_no_element_of_the_input():
    space = Space("i8")
    assert read(fresh("zeros", space)((2, 2), np.dtype("i8"))) == [[OWN_TOKEN] * 2] * 2
    assert read(fresh("empty", space)(2, dtype="i8")) == [UNWRITTEN] * 2


def test_tables_of_integers_have_another_name_than_that_of_the_data():
    space = Space("i8")
    assert space.holds(np.dtype("i8"))
    assert not space.holds(int)
    assert not space.holds(None)
    assert Space(float).holds(float)


def test_complex_arrays_of_double_precision_are_data_of_single_precision_too():
    single, double = (space_of(dtype=dtype) for dtype in ("c8", "c16"))
    assert single.holds("c8") and single.holds(complex) and double.holds(complex)
    assert not double.holds("c8") and not single.holds(float)


def test_new_arrays():
    space = vector().space
    assert read(fresh("ones", space)(2, complex)) == [1, 1]
    assert read(fresh("full", space)((1, 2), 2j, dtype=complex))[0] == [0, 0]
    assert fresh("empty", space)((2, 3), complex, order="F").items.flags.f_contiguous
    with pytest.raises(Undecided, match="order"):
        fresh("empty", space)(2, complex, order="K")


COMPUTED = {
    "+": lambda x: OPERATORS["+"](x, 1),
    "@": lambda x: OPERATORS["@"](np.eye(4), x),
    "fft": lambda x: FUNCTIONS["fft.fft"](x),
    "sum": lambda x: FUNCTIONS["sum"](x),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_entries_that_nobody_has_written_are_moved_and_not_computed_with(name):
    x = vector()
    y = FUNCTIONS["empty_like"](x)
    y[1:] = x[1:]
    moved = FUNCTIONS["roll"](y, 1)
    with pytest.raises(Refuted, match="uninitialised"):
        COMPUTED[name](moved)
    moved[1] = 0
    COMPUTED[name](moved)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda x: x[9], "IndexError"),
        (lambda x: x[0, 0], "IndexError"),
        (lambda x: x.reshape(3), "ValueError"),
        (lambda x: x.__setitem__(slice(2), x), "ValueError"),
        (lambda x: OPERATORS["+"](x, np.ones(3)), "ValueError"),
        (lambda x: x.real.__setitem__(0, x[0]), "complex entries"),
        (lambda x: FUNCTIONS["broadcast_to"](x, (2, 4)).__setitem__(0, 1), "read-only"),
        (lambda x: FUNCTIONS["add"](x, 1, out=x.real), "TypeError"),
        (lambda x: FUNCTIONS["add"](x, 1, out=x[:2]), "ValueError"),
        (lambda x: FUNCTIONS["fft.rfft"](x), "imaginary part"),
        (lambda x: len(x[0]), "unsized"),
    ],
)
def test_what_numpy_raises_is_refuted(act, words):
    with pytest.raises(Refuted, match=words) as error:
        act(vector())
    assert error.value.verdict == "function"


@pytest.mark.parametrize(
    "act",
    [
        bool,
        lambda x: {x[0]: 1},
        lambda x: FUNCTIONS["concatenate"]([x[2:], x[:2]], out=x, axis=None),
        lambda x: x[0] > 0,
        lambda x: x[0] == 0,
        lambda x: float(x[0]),
        lambda x: [1, 2][x[0]],
        lambda x: np.zeros(4)[x],
        lambda x: x[x],
        lambda x: FUNCTIONS["where"](x, 1, 2),
        lambda x: FUNCTIONS["add"](x, 1, where=np.zeros(4, bool)),
        lambda x: FUNCTIONS["sum"](x, initial=1),
        lambda x: OPERATORS["/"](1, x),
        lambda x: x[1:3].view(float)[1:3].view(complex),
        lambda x: str(x),
        lambda x: x.view(int),
        lambda x: x["re"],
        lambda x: FUNCTIONS["fft.fft"](x, 3),
        lambda x: OPERATORS["+"](x, "1"),
    ],
)
def test_what_depends_on_values_or_is_not_modelled_is_undecided(act):
    with pytest.raises(Undecided):
        act(vector())


def test_elements_are_finite():
    x = vector()
    assert FUNCTIONS["isfinite"](x).all()
    assert not FUNCTIONS["isnan"](x).any()


def test_a_number_is_made_of_two():
    x = vector()
    found = complex_of(x[1].real, x[2].real)
    assert found.scalar
    assert found.numbers[..., :4].tolist() == [[0, 1, 0, 0], [0, 0, 1, 0]]
    assert complex_of(x[0].real, 1).dtype == complex


def test_accesses_are_told_with_their_index():
    x, seen = vector(), []
    x.space.watch = lambda data, writes, index: seen.append((data.shape, writes, index))
    y = x[1:]
    assert seen == []
    y[[0, 2]]
    y[0] = x[0]
    OPERATORS["+="](y, 1)
    FUNCTIONS["take"](x, [1, 2])
    assert [(shape, writes) for shape, writes, _ in seen] == [
        ((3,), False),  # y[[0, 2]]
        ((4,), False),  # x[0]
        ((), False),  # the number
        ((3,), True),  # y[0] = ..
        ((3,), False),  # y + 1
        ((3,), False),  # the sum
        ((3,), True),
        ((4,), False),
    ]
    assert seen[0][2] == [0, 2]
    assert seen[-1][2][0].tolist() == [1, 2]


def test_bytes_of_new_arrays_are_counted():
    x, spent = vector(), []
    x.space.spend = spent.append
    OPERATORS["+"](x, 1)
    FUNCTIONS["zeros_like"](x)
    x.copy()
    FUNCTIONS["roll"](x, 1)
    x.reshape(2, 2)
    assert spent == [x.items.nbytes] * 4


OVERLAPPING = [
    ("concatenate", lambda x: [x[2:], x[:2]], lambda x: x, 0),
    ("concatenate", lambda x: [x[:2], x[1:3]], lambda x: x, -1),
    ("concatenate", lambda x: [x[::-1]], lambda x: x, 0),
    ("concatenate", lambda x: [x.reshape(2, 2).T[:1]] * 2, lambda x: x.reshape(2, 2), 0),
    ("concatenate", lambda x: [x.reshape(2, 2)[:, 1:]] * 2, lambda x: x.reshape(2, 2), 1),
    ("stack", lambda x: [x[2:], x[:2]], lambda x: x.reshape(2, 2), 0),
    ("stack", lambda x: [x[2:], x[:2]], lambda x: x.reshape(2, 2), 1),
]


@pytest.mark.parametrize(("name", "parts", "into", "axis"), OVERLAPPING)
def test_arrays_are_joined_into_their_own_memory_one_after_the_other_as_in_numpy(
    name, parts, into, axis
):
    x, numbers = vector(), np.arange(4.0)
    x[...] = numbers
    FUNCTIONS[name](parts(x), out=into(x), axis=axis)
    getattr(np, name)(parts(numbers), out=into(numbers), axis=axis)
    assert read(x) == numbers.tolist()


def with_few(x):
    x.space.most = 100
    return x


@pytest.mark.parametrize(
    "act",
    [
        lambda x: FUNCTIONS["tile"](x, 2**40),
        lambda x: FUNCTIONS["tile"](x, (2**9,) * 4),
        lambda x: FUNCTIONS["repeat"](x, 2**40, axis=0),
        lambda x: FUNCTIONS["repeat"](x, [1, 2**40, 1, 1]),
        lambda x: FUNCTIONS["broadcast_to"](x, (2**40, 4)),
        lambda x: FUNCTIONS["concatenate"]([FUNCTIONS["broadcast_to"](x, (2**22, 4))] * 5),
        lambda x: FUNCTIONS["take"](with_few(x), [0] * 101),
        lambda x: with_few(x)[[0] * 101],
        lambda x: FUNCTIONS["where"](np.ones((30, 1), bool), with_few(x), 0),
        lambda x: FUNCTIONS["array_split"](x, 2**40),
        lambda x: FUNCTIONS["fft.fft"](x, 2**40),
        lambda x: FUNCTIONS["pad"](x, 2**40),
        lambda x: FUNCTIONS["full_like"](x, 0, shape=(2**20, 2**20)),
        lambda x: fresh("zeros", x.space)(2**40, complex),
        lambda x: OPERATORS["+"](FUNCTIONS["zeros_like"](x, shape=(2**14, 1)), np.ones(2**14)),
        lambda x: FUNCTIONS["outer"](FUNCTIONS["zeros_like"](x, shape=2**14), np.ones(2**14)),
    ],
)
def test_what_makes_too_large_an_array_is_undecided_before_it_is_made(act):
    with pytest.raises(Undecided, match="elements of complex128 in one array; at most"):
        act(vector())


def test_attributes_and_methods_are_those_of_the_tables():
    x, known = vector(), MEMBERS[Data]
    assert known["shape"].read(x) == (4,)
    known["real"].write(x, 0)
    assert read(x) == [0, 0, 0, 0]
    known["shape"].write(x, (2, 2))
    assert x.shape == (2, 2)
    flags = known["flags"].read(x)
    assert MEMBERS[Flags]["c_contiguous"].read(flags)
    method = known["reshape"].read(x)
    assert isinstance(method, Operation)
    assert method.call(x, -1).shape == (4,)
    with pytest.raises(Undecided):
        known["take"].read(x).call(x, [0], unknown=1)


@pytest.mark.parametrize("text_of", [str, repr, format, lambda x: str([x]), lambda x: f"{(x,)!r}"])
def test_the_text_of_data_decides_nothing(text_of):
    with pytest.raises(Undecided):
        text_of(vector())


MAKES = {
    "a list of rows": lambda np, a: np.array([a, a]),
    "asarray of a list": lambda np, a: np.asarray([a, a]),
    "a list of rows in columns": lambda np, a: np.array([a, a], order="F"),
    "a sum": lambda np, a: np.add(a, a),
    "conjugates": lambda np, a: np.conj(a),
    "a Fourier transform": lambda np, a: np.fft.fft(a, axis=0),
    "sums of a column": lambda np, a: np.sum(a, axis=0),
    "a product of matrices": lambda np, a: np.matmul(a, np.ones(a.shape[-1])),
    "tensordot": lambda np, a: np.tensordot(a, np.ones((a.shape[-1], 3)), 1),
    "real parts": lambda np, a: np.real(a),
    "imaginary parts": lambda np, a: np.imag(a),
    "its own conjugates": lambda np, a: a.conj() if np is numpy else conj_of(a),
}
numpy = np


class Exact:
    """numpy's functions for data, and numpy's own for numbers."""

    def __getattr__(self, name):
        return FUNCTIONS.get(name) or getattr(np, name)

    fft = type("fft", (), {"fft": staticmethod(FUNCTIONS["fft.fft"])})


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("name", MAKES)
def test_results_lie_in_memory_as_numpys(name, dtype):
    space = space_of(1)
    for turn in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
        a = np.ones((2, 4, 8), dtype).transpose(turn)
        items = space.zeros((2, 4, 8), dtype).transpose(turn)
        data = Data(items, dtype, space)
        wanted, found = MAKES[name](np, a), MAKES[name](Exact(), data)
        assert found.shape == wanted.shape
        steps = [step // found.items.itemsize for step in found.items.strides]
        if name != "real parts" or dtype is float:  # of complex ones a view of every other part
            assert steps == [step // wanted.itemsize for step in wanted.strides]
            assert Flags(found).owndata == wanted.flags.owndata or wanted is a
        assert (found is data) == (wanted is a)
