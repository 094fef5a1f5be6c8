"""Kernels that a person writes under numba's decorators: on exact data and on numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from proofs.certify.exact.arithmetic import tokens
from proofs.certify.exact.data import Data
from proofs.certify.exact.space import Space
from proofs.certify.language.parsed_program import Program, call_of
from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.rounds.entries import Entries
from tests.support.evaluated import executed, same_bits
from tests.support.rounds import doors, library
from tests.support.worlds import elements, space_of, whole

HEAD = "import math\nimport numba\nimport numpy as np\n\n\n"


def on_data(body, *given, space=None):
    """Return what f(..) of a program does with its arguments."""
    names = library(space)
    program = Program(HEAD + body, names, ("f",))
    return call_of(program.load(), "f", *given)


def on_numbers(body, make, monkeypatch):
    """Return the arguments after f(..), evaluated and executed, and what it returns."""
    one, other = make(), make()
    found = on_data(body, *one)
    doors(monkeypatch)
    wanted = executed(HEAD + body).f(*other)
    return (found, list(one)), (wanted, list(other))


TWIST = """
@numba.njit
def f(a, w, out):
    n = len(a) // 2
    for i in range(n):
        t = w[i] * a[n + i]
        out[i] = a[i] + t
        out[n + i] = a[i] - t
"""
PARTS = """
@numba.njit
def f(a):
    for i in range(len(a)):
        re = a[i].real
        im = a[i].imag
        a[i] = complex(-im, re)
"""
SUMS = """
@numba.njit(cache=True)
def f(a):
    for i in range(1, len(a)):
        a[i] += a[i - 1]
"""
REVERSED = """
@numba.njit
def f(a):
    n = len(a)
    for i in range(n // 2):
        t = a[i]
        a[i] = a[n - 1 - i]
        a[n - 1 - i] = t
"""
TOTAL = """
@numba.njit
def f(a):
    s = 0j
    for i in range(len(a)):
        s += a[i]
    return s
"""
NESTED = """
@numba.jit(nopython=True)
def at(i, k):
    return 4 * i + k


@numba.njit
def f(a, out):
    for i in range(len(a) // 4):
        for k in range(4):
            out[k * (len(a) // 4) + i] = 2 * a[at(i, k)]
"""
TABLE = """
@numba.njit
def f(a, index, out):
    for i in range(len(index)):
        out[i] = a[index[i]]
"""


def numbers(count, *more):
    rng = np.random.default_rng(count)
    x = rng.standard_normal(count) + 1j * rng.standard_normal(count)
    return [x, *more]


MADE = {
    "TWIST": lambda: numbers(8, np.exp(1j * np.arange(4)), np.zeros(8, complex)),
    "PARTS": lambda: numbers(8),
    "SUMS": lambda: numbers(8),
    "REVERSED": lambda: numbers(9),
    "TOTAL": lambda: numbers(5),
    "NESTED": lambda: numbers(16, np.zeros(16, complex)),
    "TABLE": lambda: numbers(8, np.array([3, 1, 2], np.uint8), np.zeros(3, complex)),
}


@pytest.mark.parametrize("name", MADE)
def test_numbers_have_the_bits_of_cpython(name, monkeypatch):
    assert same_bits(*on_numbers(globals()[name], MADE[name], monkeypatch))


def fresh(space, count):
    return Data(space.unwritten(count, complex), complex, space)


def test_a_butterfly_with_a_table_of_constants():
    space = space_of()
    a, out = elements(space, range(1, 9)), fresh(space, 8)
    on_data(TWIST, a, np.array([1, -1, 2, 0.5], complex), out, space=space)
    assert whole(out)[:3] + whole(out)[4:7] == [6, -4, 17, -4, 8, -11]


def test_parts_of_elements():
    space = space_of()
    a = elements(space, [1, 2, 3])
    on_data(PARTS, a, space=space)
    assert whole(a) == [0, 0, 0]
    assert whole(a.imag) == [1, 2, 3]


def test_sums_of_earlier_rounds_are_evaluated_in_order():
    space = space_of()
    a = elements(space, [1, 2, 3, 4])
    on_data(SUMS, a, space=space)
    assert whole(a) == [1, 3, 6, 10]


def test_entries_change_places():
    space = space_of()
    a = elements(space, range(7))
    on_data(REVERSED, a, space=space)
    assert whole(a) == [6, 5, 4, 3, 2, 1, 0]


def test_a_result_that_is_a_number():
    space = space_of()
    assert whole(on_data(TOTAL, elements(space, [1, 2, 4]), space=space)) == 7


def test_loops_in_loops_and_a_function_that_a_kernel_calls():
    space = space_of()
    a, out = elements(space, range(8)), fresh(space, 8)
    on_data(NESTED, a, out, space=space)
    assert whole(out) == [0, 8, 2, 10, 4, 12, 6, 14]


def test_indices_in_a_table_of_bytes():
    space = space_of()
    a, out = elements(space, range(8)), fresh(space, 3)
    on_data(TABLE, a, np.array([3, 1, 2], np.uint8), out, space=space)
    assert whole(out) == [3, 1, 2]


WRONG = {
    "beyond the array": (SUMS.replace("len(a))", "len(a) + 1)"), "IndexError"),
    "what is uninitialised": (SUMS, "uninitialised"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_is_refuted_by_its_rule(name):
    body, words = WRONG[name]
    space = space_of()
    a = elements(space, range(6)) if "uninitialised" not in name else fresh(space, 6)
    with pytest.raises(Refuted, match=words):
        on_data(body, a, space=space)


def test_a_product_of_data_in_a_kernel_is_undecided():
    space = space_of()
    with pytest.raises(Undecided, match="a product of two arrays that depend on x"):
        on_data(SUMS.replace("+=", "*="), elements(space, range(6)), space=space)


ENTRY = """
@numba.njit
def g(b, i):
    {}


def f(a):
    b = {}
    try:
        return g(b, {})
    except Exception:
        return 0
"""
READ, STORED = "return b[i]", "b[i] = b[0]"
CAUGHT = "try:\n        b[i] = b[0]\n    except Exception:\n        return 0"


@pytest.mark.parametrize("body", [READ, STORED])
@pytest.mark.parametrize("array", ["a", "np.zeros(4)", "np.zeros(4, int)", "np.zeros((4, 2))"])
@pytest.mark.parametrize("at", [4, -5])
def test_an_index_outside_of_an_array_is_refuted_whoever_handles_it(body, array, at):
    """A compiled kernel has no exception there: it uses other memory."""
    space = space_of()
    with pytest.raises(Refuted, match=r"IndexError: .*") as raised:
        on_data(ENTRY.format(body, array, at), elements(space, range(4)), space=space)
    assert raised.value.line == 9


@pytest.mark.parametrize("array", ["a", "np.arange(4)"])
def test_a_negative_index_counts_from_the_end_as_compiled(array):
    space = space_of()
    found = on_data(ENTRY.format(READ, array, -1), elements(space, range(4)), space=space)
    assert (whole(found) if array == "a" else found) == 3


@pytest.mark.parametrize(
    ("options", "body", "found"),
    [
        ("", "return i // len(b[4:])", 0),
        ("(error_model='numpy')", "return i // len(b[4:])", Undecided),
        ("", CAUGHT, Undecided),
        ("", "if i > 0:\n        raise IndexError('i')\n    return 1", 0),
    ],
)
def test_what_a_kernel_raises_when_compiled_may_be_handled(options, body, found):
    source = ENTRY.format(body, "np.zeros(4)", 1).replace("njit", f"njit{options}")
    if found is Undecided:
        with pytest.raises(Undecided, match=r"ZeroDivisionError|try in a kernel"):
            on_data(source, 0)
    else:
        assert on_data(source, 0) == found


LARGE = ("1 << 40", "int(x)", "round(x)", "abs(i)", "+i", "~i", "math.floor(x)", "PAIR[0]")
LARGE += ("sum((i, i))", "divmod(i, 1)[0]", "g(x)", "(x > 0) + (x > 1) << 40", "len(range(i))")


@pytest.mark.parametrize("value", LARGE)
@pytest.mark.parametrize("use", ["t * t % 7", "t << 30", "t - (t + 1) ** 3"])
def test_an_integer_of_more_than_64_bits_is_undecided_wherever_it_comes_from(value, use):
    body = f"""
PAIR = (1 << 40, 2)


@numba.njit
def g(x):
    return int(x)


@numba.njit
def k(i, x):
    t = {value}
    return {use}


def f():
    return k(1 << 40, 2.0**40)
"""
    with pytest.raises(Undecided, match="line 18: an integer of a kernel has more than 64 bits"):
        on_data(body)


OUTSIDE = {
    "more than 64 bits": "@numba.njit\ndef f(a):\n    a[(len(a) << 62) % 5] = a[0]",
    "guvectorize": "@numba.guvectorize\ndef f(a):\n    return 1",
    "g(a=..)": "@numba.njit\ndef g(a):\n    return 1\n\n\ndef f(a):\n    return g(a=a)",
    "list as an argument": "@numba.njit\ndef g(a):\n    return 1\n\n\ndef f(a):\n    return g([a])",
}


@pytest.mark.parametrize("words", OUTSIDE)
def test_what_is_not_in_the_language_is_named(words):
    space = space_of()
    with pytest.raises(Undecided) as raised:
        on_data(OUTSIDE[words], elements(space, range(6)), space=space)
    assert words in str(raised.value)


def test_tokens_are_moved():
    space = Space(np.float64)
    a = tokens(np.arange(5), np.float64, space)
    on_data(REVERSED, a, space=space)
    assert a.numbers[:, 0, 0].tolist() == [4, 3, 2, 1, 0]


PARALLEL = """
@numba.njit(parallel=True)
def f(a, out):
    for i in numba.prange(len(a)):
        out[len(a) - 1 - i] = 2 * a[i]
"""


def test_rounds_of_prange_that_do_not_race():
    space = space_of()
    out = fresh(space, 5)
    on_data(PARALLEL, elements(space, range(5)), out, space=space)
    assert whole(out) == [8, 6, 4, 2, 0]


@pytest.mark.parametrize("place", ["(len(a) - 1 - i) // 2", "0"])
def test_rounds_of_prange_that_race_are_refuted(place):
    space = space_of()
    body = PARALLEL.replace("len(a) - 1 - i", place)
    with pytest.raises(Refuted, match="race"):
        on_data(body, elements(space, range(5)), fresh(space, 5), space=space)


def test_without_parallel_rounds_of_prange_are_in_order():
    space = space_of()
    body = PARALLEL.replace("len(a) - 1 - i", "0").replace("(parallel=True)", "")
    out = fresh(space, 1)
    on_data(body, elements(space, range(5)), out, space=space)
    assert whole(out) == [8]


def test_a_sum_of_prange_is_undecided():
    space = space_of()
    body = TOTAL.replace("range", "numba.prange").replace("njit", "njit(parallel=True)")
    with pytest.raises(Undecided, match="prange"):
        on_data(body, elements(space, range(5)), space=space)


CHANGED = """
SCALE = 2


@numba.njit
def g(a):
    for i in range(len(a)):
        a[i] = SCALE * a[i]


def f(a, TABLE):
    global SCALE
    g(a)
    SCALE = 3
    g(a)
"""


def test_a_name_of_the_module_that_changes_is_undecided():
    space = space_of()
    with pytest.raises(Undecided, match="SCALE has changed"):
        on_data(CHANGED, elements(space, range(6)), 0, space=space)


def test_a_list_of_the_module_is_undecided():
    space = space_of()
    body = CHANGED.replace("SCALE = 2", "SCALE = [2]").replace("SCALE *", "SCALE[0] *")
    with pytest.raises(Undecided, match="SCALE in a kernel, list"):
        on_data(body, elements(space, range(6)), 0, space=space)


NARROW = """
@numba.njit
def f(a, b, c):
    t = np.arange(7)
    t[1:] = t[:-1]
    t += t
    small = np.full(3, 2**30).astype(np.int32)
    total = small[0]
    for i in range(3):
        total += small[i]
    here = (a[1] + a[1], a[0] * a[1], a[1] << 20, -a[1], a[1] < 300, c[b[0]])
    made = (small[0] * small[1], total, (small[0] > 1) + (small[1] > 1))
    return here, made, (t[0], t[1], t[2])
"""


@pytest.mark.long
def test_what_numba_computes_with_narrow_integers():
    given = np.array([7, 30000, 3], np.int16), np.array([2], np.uint8), np.arange(5)
    wanted = executed(HEAD + NARROW).f(*given)
    found = on_data(NARROW, *given)
    assert found == wanted
    assert found[1] == (1 << 60, 1 << 32, 2)


UNLIKE = {
    "unsigned integers": "b[0] - b[0]",
    "an array and a number": "(np.ones(3, np.int16) + 1)[0]",
    "a comparison": "np.float32(0.1) == 0.1",
    "a sign of numpy's": "np.negative(np.ones(3, np.int16))[0]",
}


@pytest.mark.parametrize("name", UNLIKE)
def test_what_numba_computes_otherwise_than_numpy_is_undecided(name):
    given = np.array([7, 30000], np.int16), np.array([2], np.uint8), np.arange(5)
    body = f"\n@numba.njit\ndef f(a, b, c):\n    return {UNLIKE[name]}\n"
    with pytest.raises(Undecided, match=r"arithmetic of a kernel|in a kernel is not"):
        on_data(body, *given)


NOT_PYTHON = {
    "x[0] / y[0]": "/ by zero in a kernel",
    "x[0] // y[0]": "// by zero in a kernel",
    "x[0] % y[0]": "% by zero in a kernel",
    "divmod(x[0], y[0])": "// by zero in a kernel",
    "1j / y[0]": "/ by zero in a kernel",
    "y[0] ** -1.0": "a negative power of an integer, or of zero,",
    "len(x) ** -len(x)": "a negative power of an integer, or of zero,",
    "(-1.0) ** 0.5": "a power of a negative number",
    "1e200**2": "in a kernel OverflowError",
    "math.sqrt(-1.0)": "in a kernel ValueError",
    "np.where(x > 1, np.ones(2, np.int8), 300)": "int8 in arithmetic of a kernel",
    "np.where(x > 1, np.ones(2, np.float32), 0.1)": "float32 in arithmetic of a kernel",
    "np.clip(np.ones(2, np.int8), 0, 300)": "int8 in arithmetic of a kernel",
    "np.dot(z, z, z)": "a kernel changes, in place, what the same operation reads",
}


@pytest.mark.parametrize("value", NOT_PYTHON)
def test_what_numba_computes_otherwise_than_python_is_undecided(value):
    given = np.ones(2), np.zeros(2), np.ones((2, 2))
    body = (
        "@numba.njit\ndef f(x, y, z):\n    if len(x) > 2:\n        raise ValueError\n"
        f"    return {value}\n"
    )
    with pytest.raises(Undecided, match=re.escape(NOT_PYTHON[value])) as raised:
        on_data(body, *given)
    assert raised.value.line == 10


def test_arrays_are_divided_by_zero_in_a_kernel_as_in_numpy():
    body = "@numba.njit\ndef f(x, y):\n    return x / y\n"
    with np.errstate(divide="ignore"):
        assert on_data(body, np.ones(2), np.zeros(2)).tolist() == [np.inf, np.inf]


def test_an_error_of_ours_decides_nothing(monkeypatch):
    def wrong(*_):
        raise TypeError("wrong")

    monkeypatch.setattr(Data, "__getitem__", wrong)
    monkeypatch.setattr(Entries, "__getitem__", wrong)
    space = space_of()
    with pytest.raises(Undecided, match="TypeError: wrong"):
        on_data(REVERSED, elements(space, range(6)), space=space)


def test_an_error_that_a_kernel_raises_is_its_own():
    body = "@numba.njit\ndef f(a):\n    if len(a) > 2:\n        raise ValueError('too long')"
    space = space_of()
    with pytest.raises(Refuted, match="too long"):
        on_data(body, elements(space, range(6)), space=space)
