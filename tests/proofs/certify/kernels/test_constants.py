"""Kernels that read beside their arguments what numba takes as a constant, and what is none; and
integers that it computes with in another size.
"""

import pytest

from codegen.mpi.faults import NotModelled
from derive.verdict import Refuted
from tests.support.changes import changed_once
from tests.support.judged import refuted, verdicts
from tests.support.lines import DEFINITION, IMPORT, PLAN, START
from tests.support.programs import fft, headless

OTHERWISE = "a call before: numba takes it as a constant"
SIZE = "compiled with 64 bits"
COPY = "def moved(x, y):\n    for i in range(len(x)):\n        y[i] = x[i]\n"
READS = COPY + "    if SEEN{}:\n        y[0] = 0\n"
COUNTED = "            moved(self.work[:0], self.work[:0])\n            {}\n"


def kernel(code, plan="", call="moved(x, fresh)"):
    """Return a program that copies its input by a kernel of its own."""
    return changed_once(
        headless(fft(16, 4)),
        (IMPORT, IMPORT + "from numba import njit\n"),
        ('"numpy"', '"numba"'),
        (PLAN, PLAN + plan),
        (DEFINITION, code + "\n\n" + DEFINITION),
        (START, START + f"    fresh = np.empty(M, DTYPE)\n    {call}\n    x = fresh\n"),
    )


WITH_MORE = COPY.replace("(x, y)", "(x, y, k)")
INNER = "SEEN = np.zeros(1, np.int64)\n\n\n@njit\ndef inner():\n    return SEEN[0]\n\n\n@njit\n"
CHANGES = {
    "an array": (
        "SEEN = np.zeros(1, np.int64)\n\n\n@njit\n" + READS.format("[0] > 1"),
        COUNTED.format("SEEN[0] = 1"),
    ),
    "an array of another kernel": (
        INNER + COPY + "    if inner() > 1:\n        y[0] = 0\n",
        COUNTED.format("SEEN[0] = 1"),
    ),
    "an array of a kernel that was called alone": (
        INNER + COPY + "    if inner() > 1:\n        y[0] = 0\n",
        "            inner()\n            SEEN[0] = 1\n",
    ),
    "a number": (
        "SEEN = 0\n\n\n@njit\n"
        + READS.format(" > 1")
        + "\n\ndef see():\n    global SEEN\n    SEEN = 1\n",
        COUNTED.format("see()"),
    ),
    "an array of a closure": (
        "SEEN = np.zeros(1, np.int64)\n\n\ndef moving(seen):\n    @njit\n    def moved(x, y):\n"
        "        for i in range(len(x)):\n            y[i] = x[i] if seen[0] < 2 else 0\n\n"
        "    return moved\n\n\nmoved = moving(SEEN)",
        COUNTED.format("SEEN[0] = 1"),
    ),
    "a function": (
        "def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ninner = one = njit(one)\n\n\n"
        + "@njit\n"
        + COPY
        + "    if inner() > 2:\n        y[0] = 0\n\n\n"
        + "def see():\n    global inner\n    inner = njit(two)\n",
        COUNTED.format("see()"),
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", CHANGES)
def test_a_kernel_that_reads_what_changes_between_calls_is_not_modelled(name):
    with pytest.raises(NotModelled, match=OTHERWISE):
        verdicts(kernel(*CHANGES[name]))


NARROW = {
    "an argument": kernel("@njit\n" + WITH_MORE, call="moved(x, fresh, np.int8(64))"),
    "an argument by its name": kernel("@njit\n" + WITH_MORE, call="moved(x, fresh, k=np.int32(1))"),
    "one of several": kernel("@njit\n" + WITH_MORE, call="moved(x, fresh, (1, np.uint16(1)))"),
    "a constant": kernel("SEEN = np.int16(0)\n\n\n@njit\n" + READS.format(" << 1 > 0")),
    "an array": kernel("@njit\n" + WITH_MORE, call="moved(x, fresh, np.zeros(1, np.uint8))"),
    "an array that is read": kernel(
        "SEEN = np.zeros(1, np.int32)\n\n\n@njit\n" + READS.format("[0] * 64 > 1")
    ),
    "a type": kernel("@njit\n" + COPY + "    y[0] = x[np.int8(0)]\n"),
    "a type by its name": kernel("@njit\n" + COPY + "    y[0] = x[np.zeros(1, 'i4')[0]]\n"),
    "a type of the module": kernel(
        "KIND = np.dtype('i2')\n\n\n@njit\n" + COPY + "    y[0] = x[np.zeros(1, KIND)[0]]\n"
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", NARROW)
def test_an_integer_that_is_compiled_with_another_size_is_not_modelled(name):
    with pytest.raises(NotModelled, match=SIZE):
        verdicts(NARROW[name])


@pytest.mark.parametrize("unwritten", ["np.empty(1, np.int64)", "np.empty_like(SEEN)"])
def test_what_a_kernel_finds_where_nobody_has_written_is_not_modelled(unwritten):
    code = f"SEEN = np.zeros(1)\n\n\n@njit\n{COPY}    if {unwritten}[0] == 3.7:\n        y[0] = 0\n"
    with pytest.raises(NotModelled, match=r"np\.empty(_like)? of numbers of .* that are no data"):
        verdicts(kernel(code))


@pytest.mark.long
def test_a_kernel_of_operations_is_held_to_that_too():
    code = "SEEN = np.zeros(1, np.int64)\n\n\ndef moved(x, y):\n    for i in range(0, M, W):\n"
    code += "        store_pairs(y, i, W, load_pairs(x, i + SEEN[0], W, 1))\n\n\n"
    call = (
        "    fresh = aligned(M, DTYPE)\n    moved(memory_of(x), memory_of(fresh))\n    x = fresh\n"
    )
    call = call.replace("    x = ", "    SEEN[0] = {}\n    x = ")
    loads = "load, load_pairs, broadcast = loads(DTYPE, W)"
    right, wrong = (
        changed_once(
            fft(64, 2, kernels="numba"),
            (DEFINITION, code + DEFINITION),
            (START, START + call.format(seen)),
            (loads, f"{loads}\nmoved = compiled(moved)"),
        )
        for seen in (0, 1)
    )
    with pytest.raises(NotModelled, match=OTHERWISE):
        verdicts(wrong)
    assert [each for each in verdicts(right).values() if isinstance(each, Refuted)] == []


RIGHT = {
    "a table that stays": kernel(
        "SEEN = np.zeros(1, np.int64)\n\n\n@njit\n" + READS.format("[0] > 1")
    ),
    "a module": kernel("@njit\n" + COPY + "    z = np.zeros(M, np.int64)\n    y[0] = x[z[0]]\n"),
    "integers of 64 bits": kernel("@njit\n" + WITH_MORE, call="moved(x, fresh, np.int64(1))"),
}


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", RIGHT)
def test_a_kernel_that_reads_constants_is_taken(name):
    found = verdicts(RIGHT[name])
    assert [verdict for verdict in found.values() if isinstance(verdict, Refuted)] == []


ASKED = {
    "whether it is another function": "inline(told) is told",
    "whether a kernel is": "compiled(told) is told",
    "for what a compiler adds": "not hasattr(local_0, 'py_func')",
    "for what a stand-in has": "hasattr(np.asarray, '__code__')",
}
"""Questions with other answers where a kernel is run as Python than where it is compiled."""


@pytest.mark.sampled(2)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", ASKED)
def test_a_kernel_does_not_tell_that_it_is_run_as_python(name):
    wrong = changed_once(
        fft(64, 4, kernels="numba"),
        (DEFINITION, "def told(v):\n    return v\n\n\n" + DEFINITION),
        (START, START + f"    if {ASKED[name]}:\n        return out\n"),
    )
    if " is " not in ASKED[name]:
        with pytest.raises(NotModelled, match="attributes of its own only"):
            verdicts(wrong)
    else:
        assert [each for each in verdicts(wrong).values() if isinstance(each, Refuted)] == []


@pytest.mark.long
def test_a_kernel_of_operations_computes_with_nothing_that_nobody_has_written():
    code = "def moved(x, y, z):\n    for i in range(0, M, W):\n"
    code += "        (v,), (w,) = load_pairs(x, i, W, 1), load_pairs(z, i, W, 1)\n"
    code += "        store_pairs(y, i, W, (v + (w - w),))\n\n\n"
    call = "    fresh, other = aligned(M, DTYPE), aligned(M, DTYPE)\n{}"
    call += "    moved(memory_of(x), memory_of(fresh), memory_of(other))\n    x = fresh\n"
    loads = "load, load_pairs, broadcast = loads(DTYPE, W)"
    right, wrong = (
        changed_once(
            fft(64, 2, kernels="numba"),
            (DEFINITION, code + DEFINITION),
            (START, START + call.format(written)),
            (loads, f"{loads}\nmoved = compiled(moved)"),
        )
        for written in ("    other[:] = x\n", "")
    )
    assert refuted(right) == {}
    assert "elements are computed with that nobody has written" in refuted(wrong)["function"]
