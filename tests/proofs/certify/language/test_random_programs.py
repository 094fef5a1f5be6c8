"""Random small programs print what they print under CPython: names, numbers, arrays and errors."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from proofs.certify.language.table_entries import Undecided
from tests.support.evaluated import printed_by_cpython, printed_by_the_evaluator

PROLOGUE = """
import contextlib
import dataclasses
import functools
import math
import numpy as np


def show(value):
    if isinstance(value, np.ndarray):
        print(value.dtype, value.shape, value.tolist())
    elif isinstance(value, (list, tuple)) and any(isinstance(each, np.ndarray) for each in value):
        for each in value:
            show(each)
    else:
        print(type(value).__name__, repr(value))


def attempt(function, *given, **named):
    try:
        show(function(*given, **named))
    except Exception as error:
        print(type(error).__name__, error)


@dataclasses.dataclass
class Pair:
    one: int
    two: object = 2

    def total(self, more=0):
        return self.one + self.two + more


class Base:
    count = 0
    def __init__(self, value, *rest, name="n"):
        self.value, self.rest, self.name = value, rest, name
        Base.count = Base.count + 1
    def add(self, other):
        return self.value + other
    def __repr__(self):
        return f"Base({self.value!r}, {self.name})"


class Derived(Base):
    def add(self, other, times=2):
        return super().add(other) * times
    def __len__(self):
        return len(self.rest)
    def __getitem__(self, at):
        return self.rest[at]


@contextlib.contextmanager
def context(tag):
    print("enter", tag)
    try:
        yield tag
    except (ValueError, IndexError) as error:
        print("context has", type(error).__name__, error)
    finally:
        print("leave", tag)


def scale(x, by=3, *rest, plus=0, **more):
    return x * by + plus, rest, more


i, j, k = 3, -2, 7
f, g, c = 0.5, -2.25, 1.5 - 2j
a = np.arange(6)
b = np.arange(6, dtype=np.int8).reshape(2, 3) * 40
d = np.linspace(-1, 1, 4).reshape(4, 1)
e = np.exp(2j * np.pi * np.arange(4) / 4).astype(np.complex64)
m = np.array([True, False, True])
u = np.uint8(250)
l, t, s = [1, 2, 3], (4, 5.5, "x"), "abc"
q = {"k": 1, "v": [2]}
o, p, h = Pair(1), Base(5, 6, 7, name="b"), Derived(2, 8, 9)
"""

NAMES = st.sampled_from(
    ["i", "j", "k", "f", "g", "c", "a", "b", "d", "e", "m", "u", "l", "t", "s", "q", "o", "p", "h"]
)
ARRAYS = st.sampled_from(["a", "b", "d", "e", "m"])
INTEGERS = st.sampled_from(["0", "1", "2", "3", "-1", "-2", "5", "7", "100", "200", "1000"])
NUMBERS = st.one_of(INTEGERS, st.sampled_from(["0.5", "-1.25", "2j", "1e300", "True", "np.pi"]))
BINARY = st.sampled_from(["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"])
COMPARISONS = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "is"])
DTYPES = st.sampled_from(
    [
        "np.int8",
        "np.uint8",
        "np.int32",
        "np.int64",
        "np.float32",
        "np.float64",
        "np.complex64",
        "complex",
        "int",
        "bool",
    ]
)
UFUNCS = st.sampled_from(
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "maximum",
        "minimum",
        "floor_divide",
        "remainder",
        "power",
    ]
)
FUNCTIONS = st.sampled_from(
    [
        "cos",
        "exp",
        "conj",
        "real",
        "imag",
        "abs",
        "sqrt",
        "square",
        "negative",
        "sum",
        "prod",
        "cumsum",
        "ravel",
        "transpose",
        "sort",
        "argsort",
        "flip",
        "ndim",
        "shape",
        "flatnonzero",
        "any",
        "all",
        "floor",
        "diff",
        "mean",
        "fft.fft",
        "fft.ifft",
        "ascontiguousarray",
    ]
)
METHODS = st.sampled_from(
    [
        "reshape(-1)",
        "reshape(3,-1)",
        "T",
        "sum()",
        "sum(axis=0)",
        "max()",
        "min()",
        "conj()",
        "copy()",
        "ravel()",
        "astype(np.int8)",
        "astype(complex)",
        "real",
        "imag",
        "shape",
        "dtype.kind",
        "size",
        "ndim",
        "flags.c_contiguous",
        "flags.writeable",
        "nbytes",
        "strides",
        "view(np.uint8)",
        "tolist()",
        "any()",
        "all()",
        "argmax()",
        "cumsum()",
        "transpose()",
        "dtype.itemsize",
        "flat[0]",
        "item()",
        "swapaxes(0,1)",
        "repeat(2)",
        "take([0,1])",
        "mean()",
        "prod()",
        "flatten()",
    ]
)


def index():
    part = st.one_of(
        INTEGERS,
        st.sampled_from(
            [
                ":",
                "::2",
                "::-1",
                "1:",
                ":-1",
                "1:3",
                "...",
                "None",
                "[0, 1]",
                "m",
                "a % 2",
                "i",
                "-1:0",
            ]
        ),
    )
    return st.one_of(part, st.tuples(part, part).map(", ".join))


def expressions():
    leaves = st.one_of(NAMES, NUMBERS, st.sampled_from(['"s"', "None", "[]", "()"]))
    return st.recursive(leaves, compound, max_leaves=6)


OF_EXPRESSIONS = """
($x $binary $x)
($x $compare $x)
($x < $x <= $x)
($unary$x)
$x[$index]
$array[$index]
($x if $x else $x)
($x and $x)
($x or $x)
np.$function($x)
np.$function($array)
np.$ufunc($x, $x)
np.$ufunc($array, $array)
$array.$method
np.array($x, $dtype)
np.asarray($x, $dtype)
np.concatenate([$x, $x])
np.where($x, $x, $x)
$builtin($x)
min($x, $x)
divmod($x, $x)
[$x for n in $x if $x]
sum(n * $x for n in $x)
{n: $x for n in $x}
(lambda n, w=$x: n + w)($x)
scale($x, $x, plus=$x)
scale(*$x, **$x)
f'{$name} {$name!r}'
Pair($x, two=$x).total($x)
p.add($x)
h.add($x)
getattr($x, 'value', $x)
isinstance($x, (int, float, np.ndarray, Base))
(z := $x)
sorted($x, reverse=True)
list(zip($x, $x))
list(enumerate($x, $integer))
tuple(map(lambda n: n * 2, $x))
""".strip().splitlines()

OF_STATEMENTS = """
attempt(lambda: $x)
show($x)
$target = $x
$target $binary= $x
$name = $name = $x
$name, $name = $x, $x
$name, *$name = $x
assert $x, 'no'
raise ValueError($x)
del $name
np.$ufunc($array, $x, out=$array)
np.copyto($array, $x)
l.append($x)
""".strip().splitlines()

OF_BLOCKS = (
    """
if $x:
    $block
else:
    $block
""",
    """
for n in $x:
    $block
    $end
else:
    show('else')
""",
    """
try:
    $block
except $kind as error:
    print(type(error).__name__, error)
    $block
$last:
    $block
""",
    """
with context($x) as n:
    $block
""",
    """
def local(n, w=$x):
    $block
    return n
attempt(local, $x)
attempt(local, $x, w=$x, z=1)
""",
    """
def outer():
    n = $x
    def inner():
        nonlocal n
        n = n + $x
        return n
    inner()
    return inner(), n
attempt(outer)
""",
)

PARTS = {
    "binary": BINARY,
    "compare": COMPARISONS,
    "unary": st.sampled_from(["-", "+", "~", "not "]),
    "index": index(),
    "array": ARRAYS,
    "name": NAMES,
    "integer": INTEGERS,
    "function": FUNCTIONS,
    "ufunc": UFUNCS,
    "method": METHODS,
    "dtype": DTYPES,
    "builtin": st.sampled_from(
        ["int", "float", "bool", "len", "abs", "list", "tuple", "str", "repr"]
    ),
    "end": st.sampled_from(["pass", "break", "continue"]),
    "kind": st.sampled_from(["ValueError", "(TypeError, IndexError)", "Exception"]),
    "last": st.sampled_from(["else", "finally"]),
}


def filled(template, **parts):
    """Return a template with a part drawn for each of its fields."""
    pieces = re.split(r"\$(\w+)", template)
    drawn = [({**PARTS, **parts})[name] for name in pieces[1::2]]
    return st.tuples(*drawn).map(
        lambda given: "".join(a + b for a, b in zip(pieces[::2], [*given, ""], strict=True))
    )


def compound(x):
    return st.one_of([filled(each, x=x) for each in OF_EXPRESSIONS])


def statements(depth):
    x = expressions()
    targets = st.one_of(
        NAMES,
        st.builds("{}[{}]".format, ARRAYS, index()),
        st.sampled_from(["l[0]", "o.one", "q['k']", "p.value"]),
    )
    simple = st.one_of([filled(each, x=x, target=targets) for each in OF_STATEMENTS])
    if not depth:
        return simple
    inner = st.lists(statements(depth - 1), min_size=1, max_size=3).map("\n".join)
    block = inner.map(lambda text: text.replace("\n", "\n    "))
    return st.one_of(
        simple, st.one_of([filled(each.strip(), x=x, block=block) for each in OF_BLOCKS])
    )


PROGRAMS = st.lists(statements(2), min_size=1, max_size=5).map(
    lambda parts: PROLOGUE + "\n".join(parts) + "\n"
)


def compared(source):
    """Compare what a program prints; one that is undecided, or no Python, prints nothing."""
    try:
        wanted = printed_by_cpython(source)
        found = printed_by_the_evaluator(source)
    except (SyntaxError, Undecided) as ended:
        event(type(ended).__name__)
        return
    assert found == wanted, source[len(PROLOGUE) :]


QUICKLY = settings(
    phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None, deadline=None
)
"""Random programs are short: a failing one is shown as it is."""


@pytest.mark.long
@settings(QUICKLY, max_examples=60)
@given(PROGRAMS)
def test_a_random_program_prints_what_cpython_prints(source):
    compared(source)
