"""Arguments of a wrong kind are refused in one line, with the value and the rule; integers and
dtypes of numpy are taken.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import nodewright as nw

WRONG = {
    "nw.FFT(None, 1024.0)": "N must be an integer; got 1024.0",
    "nw.RFFT(None, (8, 8), axes=(0, 0))": "axis 0 is named twice",
    'nw.rfft("64x64x64", 2, grid="2x1")': "unknown option grid, which is given as ranks, such as",
    "nw.fft((4, 5), grid=(2, 1))": "fft: missing a required argument: 'ranks'; give size, ranks,",
    "nw.dct(ranks=2)": "dct: missing a required argument: 'size'; give size, ranks, and options",
    "nw.wht(16, 2, 4)": "wht: too many positional arguments; give size, ranks, and options",
    "nw.ntt(16, 2, size=8)": "ntt: multiple values for argument 'size'",
    "nw.permute(16)": "permute: missing a required argument: 'ranks'",
    'nw.program("F(4) = F(4)", 4)': "program: missing a required argument: 'P'; give statement, N,",
    "nw.search(16)": "search: missing a required argument: 'ranks'",
    "nw.equations()": "equations: missing a required argument: 'system'; give system, size, ranks",
    'nw.equation(wher="")': "equation: missing a required argument: 'left'; give left",
    'nw.layout("block", 64)': "layout: missing a required argument: 'ranks'; give name, size",
    'nw.factor("shuffle")': "factor: missing a required argument: 'p'; give A, p",
    "nw.check()": "check: missing a required argument: 'statement'; give statement, and values as",
    "nw.theorem()": "theorem: missing a required argument: 'name'; give name",
    "nw.perm()": "column 6: expected an index, such as k, got ')'",
    "nw.L(4)": "L: missing a required argument: 'r'; give N, r",
    "nw.F(2, 3)": "F: too many positional arguments; give n",
    "nw.LocalPlan(np.eye(2))": "LocalPlan: missing a required argument: 'c'; give A, c, dtype",
    "nw.FFT(None)": "FFT: missing a required argument: 'N'; give comm, N, and options",
    "nw.fft(64, 0)": "ranks must be at least 1; got 0",
    "nw.fht(64, 0)": "ranks must be at least 1; got 0",
    "nw.hypercube_fft(64, -1)": "ranks must be at least 1; got -1",
    'nw.permute(64, 0, "shuffle")': "ranks must be at least 1; got 0",
    'nw.layout("block", 64, 0)': "ranks must be at least 1; got 0",
    'nw.layout("block", 64, -4)': "ranks must be at least 1; got -4",
    'nw.equations("fht", 64, 0)': "ranks must be at least 1; got 0",
    'nw.fft(64, "-2")': "ranks must be a positive integer below 2^63",
    'nw.fft("8x0", 1)': "size must be at least 1; got 8x0",
    "nw.FFT(None, np.array([8.0, 8.0]))": "axis 0 of N must be an integer; got 8.0",
    "nw.FFT(None, np.ones((2, 2), int))": "must be an integer",
    "nw.FFT(None, np.array(True))": "must be an integer",
    'nw.FFT(None, "1024 x")': "size must be a positive integer below 2^63",
    "nw.FFT(None, True)": "N must be an integer; got True",
    "nw.FFT(None, 64, 3)": "input must be a string; got 3",
    'nw.FFT(None, 64, color="red")': "unknown option color: the options of FFT are",
    'nw.FFT(None, 64, direction="backward")': "unknown option direction: the options of FFT are",
    "nw.FFT(None, 64, dtype=3)": "unknown dtype '3'",
    "nw.FHT(None, 64.0)": "N must be an integer; got 64.0",
    "nw.FHT(None, 64, kernels=None)": "kernels must be a string; got None",
    'nw.Permutation(None, np.eye(3), "a")': "c must be an integer; got 'a'",
    'nw.Permutation(None, np.eye(3), norm="ortho")': "norm: the options of Permutation",
    "nw.Permutation(None, [1, 2, 9])": "column 2 = 9 does not fit 3 rows",
    "nw.fft(1024.0, 4)": "size must be an integer; got 1024.0",
    "nw.fft(1024, 4.0)": "ranks must be an integer; got 4.0",
    "nw.fft(True, 1)": "size must be an integer; got True",
    "nw.fft(64, 4, input=3)": "input must be a string; got 3",
    'nw.fft(64, 4, output="foo")': "unknown layout 'foo': the layouts are block, cyclic",
    'nw.fht(64, 4, input="foo")': "unknown layout 'foo': the layouts are block, cyclic",
    "nw.hypercube_fft(64, 4, scheme=3.0)": "scheme must be a string; got 3.0",
    "nw.hypercube_fft(64, 4, scheme=9)": "unknown scheme '9': choose from 1, 2, 3, 4, 5, 5r",
    'nw.equations("hypercube-fft", 16, 4, scheme=9)': "unknown scheme '9': choose from 1, 2",
    'nw.Permutation(None, "shuffle")': "A must be a matrix; got the name 'shuffle'",
    'nw.factor_bmmc("shuffle", 0, None, "f8")': "A must be a matrix; got the name 'shuffle'",
    'nw.permute_local("shuffle", 0, np.arange(4))': "A must be a matrix; got the name 'shuffle'",
    'nw.permutation("shuffle")': "n is missing; give the number of index bits of 'shuffle'",
    'nw.equation("F(4)", "I(4)")': "'F(4)' and 'I(4)': an equation is one text, 'LEFT = RIGHT'",
    'nw.check("F(4) = I(4)", r=True)': "r = True: a value is an integer, a Fraction or a size",
    "nw.fht(64, 4, convolve=3)": "convolve must be True or False; got 3",
    "nw.permute(16, 4, 3)": "name must be a string; got 3",
    'nw.permute(16, 4, "shuffle", complement="a")': "c must be an integer; got 'a'",
    'nw.program("F(N) = F(N)", 16.0, 4)': "size must be an integer; got 16.0",
    'nw.fft(16, 1, input="f:7")': "for 16 elements on 1 rank; got 7",
    'nw.dct(1, 1, output="cyclic")': "unknown layout 'cyclic' of an axis of 1 element on 1 rank",
    'nw.NTT(None, 2, modulus=17).forward(np.ones(2, "u8"))': 'astype("int64") converts it to this',
    'nw.program("F(N) = F(n)", 16, 4)': "n has no value; add n=...",
    'nw.program("fht", 1024, 4)': "'fht' is a system and no equation: its program is nw.fht(",
    'nw.program("hypercube-fft", 16, 4)': "its program is nw.hypercube_fft(16, 4, ..)",
    "nw.Program(3)": "3: programs are made by nw.fft",
    "nw.fft(16, 2).save(3)": "a file must be a string or a path; got 3",
    "nw.fft(16, 2).cost(3)": "a file must be a string or a path; got 3",
    'nw.fft(16, 2).check("a")': "seed must be an integer; got 'a'",
    'nw.fft(16, 2).run("a")': "x: <U1 of shape (): the program takes 16 elements of complex128",
    "nw.fft(16, 2).run(np.ones(8))": "x: complex128 of shape (8,): the program takes 16 elements",
    "nw.I(2.0)": "2.0 in I: a size is an integer, or an expression in symbols",
    "nw.F(True)": "True in F: a size is an integer",
    "nw.L(8, None)": "None in L: a size is an integer",
    'nw.F("r -")': "column 4: expected a size, such as 8 or r*s,",
    "nw.F(8) @ 3": "must be formulas, such as F(2) or I(4); got 3",
    "3 @ nw.F(8)": "must be formulas, such as F(2) or I(4); got 3",
    "nw.F(4) @ np.ones(4)": "must be formulas, such as F(2) or I(4); got array([1., 1., 1., 1.])",
    "np.ones(4) @ nw.F(4)": "must be formulas, such as F(2) or I(4); got array([1., 1., 1., 1.])",
    'nw.F("r") @ nw.F(8)': "the r columns of F_r meet the 8 rows of F_8; in a product these",
    "nw.F(2) ** 1.5": "exponent must be an integer; got 1.5",
    "nw.kron(nw.F(2), 3)": "must be formulas, such as F(2) or I(4); got 3",
    "nw.kron()": "must be formulas, such as F(2) or I(4); got none",
    "nw.direct_sum(nw.F(2), 3)": "must be formulas, such as F(2) or I(4); got 3",
    "nw.direct_sum()": "must be formulas, such as F(2) or I(4); got none",
    'nw.check("F(n) = I(n)", n=2.0)': "n = 2.0: a value is an integer, a Fraction or a size",
    'nw.check("F(n) = I(n)", n=None)': "n = None: a value is an integer",
    'nw.check("F(n) = I(n)")': "n has no value; add n=...",
    'nw.check("F(n) = I(n)", n=2, seed="a")': "seed must be an integer; got 'a'",
    'nw.prove("F(n) = F(n)", where=3)': "where must be a string; got 3",
    'nw.prove("F(n) = F(n)", seconds="a")': "seconds must be above 0",
    'nw.prove("F(n) = F(n)", where="m >= 1")': "where: unknown symbol m; the symbols",
    'nw.prove("F(n) = F(n)", where="n >= -1")': "where n >= -1: n is a size",
    "nw.theorem(3)": "unknown theorem 3: nodewright.theorems() lists all",
    "nw.errata(3)": "unknown erratum 3: nodewright.errata() lists all",
    'nw.errata("cormen-pseudocod-1")': "perhaps cormen-pseudocode-1",
    'nw.equations("fft", 16.0, 4)': "size must be an integer; got 16.0",
    'nw.factor("shuffle", n=3.0, p=1)': "n must be an integer; got 3.0",
    'nw.factor("shuffle", n=3, p=1.0)': "p must be an integer; got 1.0",
    'nw.factor("shuffle", n=3, p=1, layout=3)': "layout must be a string; got 3",
    "nw.factor([1, 2, 4.0], p=1)": "a bit matrix has rows and columns",
    "nw.layout(3, 16, 4)": "layout must be a string; got 3",
    'nw.layout("cyclic", 16.0, 4)': "size must be an integer; got 16.0",
    "nw.figure(3)": "int has no picture",
    "nw.certify(3)": "a file must be a string or a path; got 3",
    'nw.certify("p.py", ran="a")': "ran must be an integer; got 'a'",
    "nw.fft(16, 2).certify(ran=-1)": "ran = -1: a number of ranks",
    "nw.aligned(2.5, float)": "count must be an integer; got 2.5",
    "nw.aligned(-2, float)": "count = -2: a number of elements is at least 0",
    'nw.aligned(2, "foo")': "unknown dtype 'foo'",
}


@pytest.mark.parametrize("call", WRONG)
def test_what_is_of_a_wrong_kind_is_refused_in_one_line(call: str) -> None:
    with pytest.raises(ValueError, match=re.escape(WRONG[call])) as error:
        eval(call, {"nw": nw, "np": np})
    message = str(error.value)
    assert len(message.splitlines()) == 1
    assert "--" not in message


def test_integers_of_numpy_are_sizes() -> None:
    two, eight = np.int32(2), np.int64(8)
    assert nw.fft(eight, two).request == nw.fft(8, 2).request
    assert type(nw.fft(eight, two).request.N) is int
    assert nw.F(eight) == nw.F(8)
    assert type(nw.F(eight).n) is int
    assert nw.layout("block", eight, two).place(two) == (0, 2)
    assert nw.check("F(n) = F(n)", n=eight).holds
    with nw.FFT(None, eight) as fft:
        assert fft.local_shape == (8,)


def test_an_integer_is_the_name_of_a_scheme() -> None:
    assert (
        nw.hypercube_fft(64, 4, scheme=np.int64(4)).request
        == nw.hypercube_fft(64, 4, scheme="4").request
    )
    found, named = (nw.equations("hypercube-fft", 16, 4, scheme=scheme) for scheme in (2, "2"))
    assert [*map(str, found)] == [*map(str, named)] != []


def test_a_named_permutation_is_taken_wherever_a_matrix_is() -> None:
    A, x = nw.permutation("gray-code", 3), np.arange(8.0)
    wanted = nw.permute_local(A.matrix, 0, x)
    assert not (wanted == x).all()
    assert (nw.permute_local(A, 0, x) == wanted).all()
    assert (nw.bmmc_permute(A, 0, None, x) == wanted).all()
    with nw.Permutation(None, A) as moved:
        assert (moved.forward(x) == wanted).all()
    assert nw.factor(A, p=1).V == nw.factor("gray-code", 3, p=1).V


def test_a_matrix_and_a_complement_have_the_letters_that_are_printed() -> None:
    factored = nw.factor("vector-reversal", 3, p=1)
    assert (factored.A, factored.c) == (factored.permutation, 7)
    found = nw.recognize([3, 1, 2, 0])
    assert (found.A.tolist(), found.c) == (found.matrix.tolist(), 3) == ([[0, 1], [1, 0]], 3)


def test_what_has_names_has_places_too() -> None:
    theorems = nw.theorems()
    names = [*theorems]
    assert theorems[0].name == names[0] and theorems[-1].name == names[-1]
    assert [*theorems[:2]] == names[:2] and theorems[:2][names[1]].name == names[1]
    with pytest.raises(IndexError):
        theorems[len(names)]
    with pytest.raises(KeyError, match="cooley"):
        theorems["cooley"]


def test_a_dtype_is_taken_beside_its_name() -> None:
    for dtype in (np.complex64, np.dtype("complex64"), "complex64"):
        assert nw.fft(64, 4, dtype=dtype).request.dtype == "complex64"
        with nw.FFT(None, 8, dtype=dtype) as fft:
            assert fft.forward(np.ones(8, "complex64")).dtype == np.complex64
    assert nw.permute(16, 2, "shuffle", dtype=np.dtype("i4,f8")).request.dtype == "<i4,<f8"


PACKED, ROWS = [0b010, 0b001, 0b101], [[0, 1, 1], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("columns", [PACKED, tuple(PACKED), np.array(PACKED)])
def test_a_matrix_is_rows_of_bits_or_packed_columns(columns) -> None:
    assert nw.factor(columns, p=1).to_dict() == nw.factor(ROWS, p=1).to_dict()
    assert nw.permute(8, 2, matrix=columns).request == nw.permute(8, 2, matrix=ROWS).request
    x = np.arange(8.0)
    wanted = nw.permute_local(ROWS, 5, x)
    assert (nw.permute_local(columns, 5, x) == wanted).all()
    with nw.Permutation(None, columns, 5) as moved:
        assert (moved.forward(x) == wanted).all()


def test_packed_columns_are_those_of_the_json_of_a_factorization() -> None:
    found = nw.factor("gray-code", n=70, p=3)
    assert nw.factor(found.to_dict()["A"], p=3).V == found.V


def test_a_size_is_also_an_expression_in_symbols_as_text() -> None:
    right = nw.kron(nw.F("r"), nw.I("s")) @ nw.T("r*s", "s") @ nw.kron(nw.I("r"), nw.F("s"))
    equation = nw.F("r*s") == right @ nw.L("r*s", "r")
    assert nw.check(equation, r=2, s=4).holds
    assert nw.prove(equation).kind == "proved"
    assert str(nw.F("2^n")) == "F_{2**n}"


def test_messages_name_options_where_the_command_line_gives_them(nodewright) -> None:
    def complaint(*words: str) -> str:
        return nodewright(*words)[2]

    assert "add --set n=..." in complaint("check", "--formula", "F(n) = I(n)")
    words = ("prove", "--formula", "F(n) = F(n)")
    assert "--where: unknown symbol m; the symbols of the equation are n" in complaint(
        *words, "--where", "m >= 1"
    )
    assert "--seconds must be above 0" in complaint(*words, "--seconds", "0")
    with pytest.raises(ValueError, match=r"add n=\.\.\."):
        nw.check("F(n) = I(n)")


@pytest.mark.parametrize(
    ("made", "same"),
    [
        ("nw.FFT(None, np.array([8, 6]))", "nw.FFT(None, (8, 6))"),
        ("nw.FFT(None, np.array([8, 6], 'u1'), grid=np.array([1, 1]))", "nw.FFT(None, (8, 6))"),
        ("nw.FFT(None, np.array(8))", "nw.FFT(None, 8)"),
        ("nw.FHT(None, np.array([8, 6]), batch=np.int8(2))", "nw.FHT(None, (8, 6), batch=2)"),
        ("nw.RFFT(None, np.array([8]))", "nw.RFFT(None, 8)"),
        ("nw.fft(np.array([8, 6]), np.array([2, 1]))", "nw.fft((8, 6), (2, 1))"),
        ("nw.fht(np.array([8, 6]), 2)", "nw.fht((8, 6), 2)"),
        ("nw.layout('block', np.array([8, 8]), 2)", "nw.layout('block', (8, 8), 2)"),
        ("nw.factor('shuffle', n=np.int64(4), p=np.int8(2))", "nw.factor('shuffle', n=4, p=2)"),
    ],
)
def test_sizes_are_arrays_and_integers_of_numpy(made, same):
    assert repr(eval(made)) == repr(eval(same))


@pytest.mark.parametrize("name", nw.__all__)
def test_no_public_call_without_arguments_raises_type_error(name: str) -> None:
    if name not in ("errata", "theorems"):  # which need none
        with pytest.raises(
            ValueError, match=r"missing a required argument|expected an? |must be formulas"
        ):
            getattr(nw, name)()
