"""What random small programs begin and end with, their names, and their smallest parts."""

from __future__ import annotations

from hypothesis import strategies as st

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
v, w = None, np.eye(2)
o, p, h = Pair(1), Base(5, 6, 7, name="b"), Derived(2, 8, 9)
"""
EPILOGUE = """
for each in (i, j, k, f, g, c, a, b, d, e, m, u, l, t, s, q, o, p, h, v, w):
    attempt(lambda: each)
"""


def words(text):
    """Return a strategy for one of the words of a text."""
    return st.sampled_from(text.split())


PAIRS = """b, m
b, a[::2]
d, e
d, a
e, d[:, 0]
a, b.ravel()
a, a[::-1]
b, b[::-1]
b, b[:, :1]
d, m
b, a[3:]
e, e.conj()
a[:3], m
b.T, a[:2]
d.T, d
w, w.T
u, b
d, b[0]
a, i
e, f"""
"""Operands whose shapes go together."""
LEAVES = {
    "int": "i j k 0 1 2 3 -1 -2 5 7 100 200 1000 len(l) q['k'] o.one h.value l[-1] a[1] b[0,1]",
    "real": "f g 0.5 -1.25 1e300 True math.pi d[1,0] np.float32(0.1) u",
    "number": "c 2j np.complex64(1j) e[1] f i u d[0,0] np.int8(100)",
    "bool": "True False m[0] m[1]",
    "array": "a b d e m w b.T a[::2] e[1:] d[:,0] b[0]",
    "list": "l t a b[0].tolist() range(3) h.rest [] [3,1,2] (5,6)",
    "text": "s 'x' repr(t) str(f) s[::-1] s[1:]",
    "any": "v None q o p h s t a.dtype b.shape",
}
PARTS = {
    "name": words("i j k f g c a b d e m u l t s q o p h v w"),
    "of_ints": words("+ - * & | ^"),
    "of_reals": words("+ - *"),
    "order": words("== != < <= > >="),
    "nonzero": words("1 2 3 -2 7 1000 0.5"),
    "small": words("0 1 2 3 5"),
    "unary": st.sampled_from(["-", "+", "abs"]),
    "dtype": words(
        "np.int8 np.uint8 np.int32 np.int64 np.float32 np.float64 np.complex64 complex int bool"
    ),
    "ufunc": words("add multiply maximum minimum divide subtract power floor_divide remainder"),
    "function": words(
        "cos exp conj real imag abs sqrt square negative sum prod cumsum ravel transpose sort"
        " argsort flip ndim shape flatnonzero any all diff mean fft.fft fft.ifft"
        " ascontiguousarray sum"
    ),
    "method": words(
        "reshape(-1) T sum() sum(axis=0) max() min() conj() copy() ravel() astype(np.int8)"
        " astype(complex) real imag shape dtype.kind size ndim flags.c_contiguous"
        " flags.writeable nbytes strides copy().view(np.uint8) tolist() any() all() argmax()"
        " cumsum() transpose() dtype.itemsize flat[0] repeat(2) take([0,1]) mean() prod()"
        " flatten() reshape(1,-1) swapaxes(0,-1) reshape(2,-1)"
    ),
    "pair": st.sampled_from(PAIRS.splitlines()),
    "one": words("0 1 2 -1 : ::2 ::-1 1: :-1 1:3 ... None [0,1] [-1,0,1] -1:0 i%3 :0"),
    "two": words(
        "0 1 -1 : ::-1 1: ... None [0,1] 0,1 1,-1 :,1 0,::2 ::-1,1: [0,1],[1,2] :,[0,2]"
        " ...,0 None,1 [[0],[1]],[0,2] :,m 1,m b>40 ...,None,1 [1,0],:2 i%2,::-1"
    ),
    "sink": words("i j k l[0] o.one q['k'] p.value"),
    "end": words("pass pass break continue"),
    "kind": st.sampled_from(["ValueError", "(TypeError, IndexError)", "Exception"]),
    "last": words("else finally"),
    "wild": words("i f c a b d e m u l t s q o p h v None [] 'x'"),
    "index": words("5 -7 0.5 None ... [0,9] m 'k' 1,1 :,: ::0 True"),
    "augmented": words("+ - * / // % << >> & | ^ @"),
    "binary": words("+ - * / // % << >> & | ^ @ == < in is"),
}
