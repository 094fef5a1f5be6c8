"""What is not in the language is undecided, with its name, its line and what to write instead."""

from __future__ import annotations

import pytest

from proofs.certify.evaluation.ranks import MEMORY, STEPS, Budget, resident
from proofs.certify.language.limits import Limits
from proofs.certify.language.parsed_program import Program, call_of
from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.language.values.function_values import Raised

BEFORE = {
    "match f:\n    case 0: pass": "line 3: Match is not in the language; write if and elif",
    "x = {1, 2}": "line 3: Set is not in the language; write a list, a tuple or a dict",
    "x = {n for n in ()}": "line 3: SetComp is not in the language; write a list, or",
    "match 1:\n    case 1: pass": "line 3: Match is not in the language; write if and elif",
    "async def f(): pass": "line 3: AsyncFunctionDef is not in the language; write a",
    "def f():\n    yield 1\nf()": "line 3: a generator is not in the language; return a list",
    "x = lambda: (yield)": "line 3: a generator",
    "try: pass\nexcept* ValueError: pass": "line 3: TryStar is not in the language; write except",
    "x = b'1'": "line 3: bytes are not in the language; use an array of uint8",
    "class C(A, B): pass\nC()": "line 3: a class with several bases",
    "class C(metaclass=type): pass\nC()": "line 3: a class with several bases or a metaclass",
    "class C:\n    def __getattr__(self, name): return 1\nC()": "line 3: __getattr__ of a class",
    "class C:\n    def f(self): return self.__x\nC().f()": "line 4: .__x is not in",
    "__t = 1\nclass C:\n    def f(self): return __t\nC().f()": "line 4: __t within a class is",
    "class C:\n    def f(self): g(__t=1)\nC().f()": "line 3: __t within a class is not in",
    "class C:\n    def f(self, __t): pass\nC().f(1)": "line 3: __t within a class is not in",
    "class C:\n    def f(self): import math as __t\nC()": "line 3: __t within a class is not",
    "import scipy\nscipy": "line 3: module scipy is not in the language",
    "from scipy import fft\ndef f(): pass\nf(fft)": "line 3: module scipy is not in the language",
    "from scipy import *": "line 3: module scipy is not in the language",
    "try: import scipy\nexcept ImportError: N = 1": "line 3: module scipy is not in the language",
    "try: import scipy\nexcept ImportError: raise": "line 3: module scipy is not in the language",
    "try: import scipy\nexcept ImportError: n = 1\nn": "line 3: module scipy is not in the",
    "from scipy import N": "line 3: module scipy is not in the language",
    "from scipy import transform": "line 3: module scipy is not in the language",
    "import scipy as a\nclass C:\n    b = a": "line 3: module scipy is not in the language",
    "import scipy as a\ndef g(b=a): pass": "line 3: module scipy is not in the language",
    "def f():\n    import scipy\nf()": "line 4: module scipy is not in the language",
    "from . import x": "line 3: a relative import is not in the language",
    "from math import factorial2\nfactorial2": "line 3: math.factorial2 is not in the language",
    "np.load('x')": "line 3: np.load is not in the language",
    "np.put(x, [0], 2)": "line 3: np.put is not in the language; write a[indices] = values",
    "np.mgrid[:2, :2]": "line 3: np.mgrid is not in the language; use np.indices",
    "from types import SimpleNamespace as S\nS()": "line 3: module types is not in the language;"
    " write a class, or use a dict",
    "from collections import deque\ndeque()": "line 3: collections.deque is not in the language; ",
    "np.fft.fft3(1)": "line 3: np.fft.fft3 is not in the language",
    "np.random.default_rng()": "line 3: np.random is not in the language",
    "with np.errstate(all='ignore'): pass": "line 3: np.errstate is not in the language",
    "np.seterr(all='raise')": "line 3: np.seterr is not in the language",
    "eval('1')": "line 3: eval is not in the language",
    "open('x')": "line 3: open is not in the language; pass arrays to the functions",
    "set()": "line 3: set is not in the language; use a list or a dict",
    "setattr(np, 'x', 1)": "line 3: setattr is not in the language; write x.name = value",
    "np.sum(np.arange(3), where=True)": "line 3: sum(where=..) is not in the language; it",
    "from numpy import sum as s\ns(1, where=2)": "line 4: sum(where=..) is not in the language; it",
    "sorted([], cmp=2)": "line 3: sorted(cmp=..) is not in the language; it has key, reverse",
    "np.arange(3).byteswap()": "line 3: .byteswap is not in the language",
    "np.arange(3).ctypes": "line 3: .ctypes is not in the language",
    "np.arange(3).itemset(0, 1)": "line 3: .itemset is not in the language; write a[index] = value",
    "np.arange(3).std()": "line 3: .std is not in the language",
    "def f(comm): comm.Alltoallw(1)\nf": "line 3: .Alltoallw is not in the language",
    "np.int8.mro": "line 3: .mro is not in the language",
    "import scipy.fft\nscipy": "line 3: module scipy.fft is not in the language; use np.fft",
    "def f(win): win.Put(1, 0)\nf": "line 3: .Put is not in the language; use Isend and Irecv",
    "int.from_bytes": "line 3: .from_bytes is not in the language",
    "np.add.reduce([1, 2])": "line 3: np.add.reduce is not in the language; use np.sum",
    "x = ().__class__.__bases__": "line 3: .__bases__ is not in the language",
    "x = __file__": "line 3: __file__ is not in the language",
    "def f(x: Nothing): pass\nf(1)": "line 3: type Nothing of an annotation is not known",
    "x = )": "line 3: this is not valid Python: unmatched ')'",
    "return 1": "line 3: this is not valid Python: 'return' outside function",
}
"""Statements that follow two lines, and how the program ends before it runs."""

WHILE_IT_RUNS = {
    "np.array([object()])": "an array of Python objects; give a dtype, or use a list",
    "np.zeros(3, object)": "an array of Python objects",
    "np.dtype([('a', object)])": "a dtype of Python objects",
    "np.zeros(3, [('a', 'O')])": "an array of Python objects",
    "np.array([None])": "an array of Python objects",
    "np.arange(3).astype('O')": "dtype object; use a list",
    "np.empty(3, bool)": "truth values that nobody has written; write np.zeros(.., bool)",
    "np.asarray(C())": "an array of C objects",
    "str(C())": "the text of an object of C, which has its address",
    "f'{f}'": "the text of Function",
    "'{0.real}'.format(1)": "format of '0.real'; write an f-string",
    "'%s' % 1": "% of a string; write an f-string",
    "f'{1:100000}'": "a format of '100000'; widths and precisions have at most 4 digits",
    "f.__code__": "line 3: .__code__ is not in the language",
    "f.x": ".x of Function is not in the language",
    "type(f)": "the type of Function",
    "getattr(1, '__class__')": "getattr(.., '__class__')",
    "2 ** 10 ** 9": "an integer of more than 65536 bits",
    "math.prod(i for i in range(1, 10 ** 5))": "math.prod, of which the result may have",
    "math.comb(6, 5)": "math.comb is not in the language",
    "pow(3, 1 << 2000, 7)": "pow with an exponent or a modulus of more than 1024 bits",
    "(1 << 65000 << 536) + 1": "an integer of more than 65536 bits",
    "1 << 10 ** 9": "a shift by 1000000000 bits",
    "[0] * 10 ** 12": "1000000000000 elements at once; at most",
    "np.zeros(10 ** 12)": "1000000000000 elements at once; at most",
    "np.zeros((10 ** 6, 10 ** 6))": "1000000000000 elements at once; at most",
    "np.arange(10.0 ** 12)": "1000000000000 elements at once; at most",
    "[*range(10 ** 12)]": "1000000000000 elements at once; at most",
    "list(range(10 ** 12))": "1000000000000 elements at once; at most",
    "np.ones((10 ** 5, 1)) * np.ones(10 ** 5)": "10000000000 elements at once; at most",
    "np.outer(np.ones(10 ** 5), np.ones(10 ** 5))": "10000000000 elements at once; at most",
    "np.tile(np.ones(10 ** 5), 10 ** 5)": "10000000000 elements at once; at most",
    "np.bincount([10 ** 12])": "1000000000001 elements at once; at most",
    "np.bincount([1], minlength=10 ** 12)": "1000000000000 elements at once; at most",
    "np.array_split(np.ones(4), 10 ** 9)": "1000000000 elements at once; at most",
    "list(np.ndindex(10 ** 5, 10 ** 5))": "10000000000 elements at once; at most",
    "5.5 in range(10 ** 18)": "1000000000000000000 values that in goes through at once; at most",
    "np.int64(5) not in range(10 ** 18)": "values that not in goes through at once; at most",
    "range(10 ** 18).count(5.0)": ".count of range is not in the language",
    "1 in map(abs, [1, 2])": "in of an iterator; make it a list",
    "deep(tuple) in {1: deep(tuple)}.values()": "values that in goes through at once; at most",
    "deep(list) == deep(list)": "4611686018427387903 values that == goes through at once; at most",
    "deep(tuple) < deep(tuple)": "values that < goes through at once; at most",
    "operator.ne(deep(list), deep(list))": "values that != goes through at once; at most",
    "deep(tuple) in [deep(tuple)]": "values that in goes through at once; at most",
    "[deep(list)].index(deep(list))": "values that list.index goes through at once; at most",
    "(deep(list),).count(deep(list))": "values that tuple.count goes through at once; at most",
    "sorted([deep(tuple), deep(tuple)])": "values that sorted goes through at once; at most",
    "max(range(2), key=lambda n: deep(tuple))": "values that max goes through at once; at most",
    "{deep(tuple): 1}": "values that a hash goes through at once; at most",
    "{n: 1 for n in [deep(tuple)]}": "values that a hash goes through at once; at most",
    "{}.get(deep(tuple))": "values that a hash goes through at once; at most",
    "deep(tuple) in {}": "values that a hash goes through at once; at most",
    "kept(deep(tuple))": "values that a hash goes through at once; at most",
    "Pair(deep(Pair), 1) == Pair(deep(Pair), 1)": "values that == goes through at once; at most",
    "repr(deep(list))": "values in a text at once; at most",
    "f'{deep(tuple)}'": "values in a text at once; at most",
    "'{}'.format(deep(list))": "values in a text at once; at most",
    "str(deep(Pair))": "values in a text at once; at most",
    "deep(tuple) is deep(tuple)": "is between equal values of tuple; write ==",
    "repr(np.zeros((2,) * 20))": "the text of an array of shape (2, 2,",
    "'{:{}}'.format(1, 10 ** 9)": "a format of '{}'; write an f-string",
    "format(1, '99999999')": "a format of '99999999'",
    "round(1, -10 ** 9)": "round to -1000000000 digits",
    "int('f' * 10 ** 5, 16)": "an integer of more than 65536 bits",
    "next(product([1, 2], repeat=10 ** 12))": "1000000000000 elements at once; at most",
    "math.fsum(range(10 ** 12))": "1000000000000 elements at once; at most",
    "np.array(deep(list))": "values that np.array goes through at once; at most",
    "np.ones(3) + deep(list)": "values that + goes through at once; at most",
    "np.ones(3)[deep(list)]": "values that an index goes through at once; at most",
    "np.ones(3).dot(deep(list))": "values that ndarray.dot goes through at once; at most",
    "np.ones(3).take(deep(list))": "values that ndarray.take goes through at once; at most",
    "np.ones((10 ** 6, 1)) + [1] * 10 ** 6": "1000000000000 elements at once; at most",
    "np.tile(np.ones(3), (10,) * 12)": "3000000000000 elements at once; at most",
    "np.repeat(np.ones(3), [1, 10 ** 12, 1])": "1000000000002 elements at once; at most",
    "np.zeros(10 ** 6, 'V100000')": "an array of 100000000000 bytes at once; at most",
    "np.zeros(10 ** 6).astype('U100000')": "an array of 400000000000 bytes at once; at most",
    "np.full(10 ** 6, 'x' * 10 ** 6)": "an array of 4000000000000 bytes at once; at most",
    "np.diff(np.ones(3), n=10 ** 9)": "the program takes more than 6250000 steps",
    "sum([0.1] * 10)": "a sum of floats that Python 3.12 and later ones round in another way; use",
    "sum([0.1j] * 10)": "a sum of floats that Python 3.12 and later ones round in another way",
    "sum([1, 1e100, 1.0, -1e100])": "a sum of floats that Python 3.12 and later ones round in",
    "np.expand_dims(np.ones(3), tuple(range(10 ** 5)))": "np.expand_dims of 100000 axes at once",
    "np.fft.fftshift(np.ones(3), [0] * 10 ** 6)": "np.fft.fftshift of 1000000 axes at once",
    "np.round(1.5, 10 ** 18)": "1000000000000000000 decimals at once; at most",
    "np.ones(3).round(decimals=10 ** 18)": "1000000000000000000 decimals at once; at most",
    "np.pad(np.ones(3), 1, mode='empty')": "np.pad with mode 'empty'; it has constant",
    "time.perf_counter() < 1": "what the program does depends on time.perf_counter(),",
    "time.time() % 7 < 1": "what the program does depends on time.time(), whose value is",
    "time.time() << 1": "what the program does depends on time.time(), whose value is",
    "with_(f)": "with of Function",
    "again(0)": "the program calls itself too deeply, in again",
    "down(950)": "the program calls itself too deeply, in down",
    "C().down(450)": "the program calls itself too deeply, in down",
}
"""Expressions, and how their evaluation ends."""

AROUND = """
import math
import operator
import time
from dataclasses import dataclass
from functools import cache
from itertools import product
import numpy as np
@dataclass
class Pair:
    one: object
    other: object
def deep(kind):
    value = kind((1, 2)) if kind is not Pair else 1
    for _ in range(60):
        value = kind((value, value)) if kind is not Pair else Pair(value, value)
    return value
@cache
def kept(value): pass
class C:
    def down(self, n): return n and self.down(n - 1)
def down(n): return n and down(n - 1)
def f(): pass
def again(n): return again(n + 1)
def with_(x):
    with x: pass
def value():
    return {}
"""


@pytest.mark.parametrize("text", BEFORE)
def test_a_construct_outside_of_the_language_is_undecided_before_anything_runs(text):
    with pytest.raises(Undecided) as ended:
        Program(f"import numpy as np\n1 / 0\n{text}\n").load()
    assert str(ended.value).startswith(BEFORE[text])


@pytest.mark.parametrize("text", WHILE_IT_RUNS)
def test_a_value_outside_of_the_language_is_undecided_with_its_line(text):
    with pytest.raises(Undecided) as ended:
        call_of(Program(AROUND.format(text), roots=["value"]).load(), "value")
    assert WHILE_IT_RUNS[text].removeprefix("line 3: ") in str(ended.value)
    assert ended.value.line


OF_PROGRAM = {
    "class C: ctypes = 1\nx = C().ctypes": "class C: sctypes = 1\nx = C().ctypes",
    "class C: pass\nc = C()\nc.data = 1\nx = c.data": "class C: pass\nc = C()\nx = c.data",
    "from collections import namedtuple\nx = namedtuple('P', 'a, data')(1, 2).data": (
        "from collections import namedtuple\nx = namedtuple('P', 'a, dat')(1, 2).data"
    ),
    "import numpy as np\nm = np\nx = m.std([1])": "import numpy as np\nx = (3).std",
    "def f(np): return np.real\nx = f(1)": "def f(np): return np.data\nx = f(1)",
}
"""Programs with attributes of their own, or of modules, and such without them."""


@pytest.mark.parametrize("text", OF_PROGRAM)
def test_an_attribute_that_a_program_defines_is_not_denied(text):
    Program(text).load()
    with pytest.raises(Undecided, match=r"\.(ctypes|data|std) is not in the language"):
        Program(OF_PROGRAM[text])


def test_an_attribute_that_nothing_has_is_an_error_of_the_program():
    with pytest.raises(Raised, match="'int' object has no attribute 'nothing'"):
        Program("x = (3).nothing").load()


def test_what_the_roots_do_not_reach_is_not_looked_at():
    text = "def transform(x): return x\ndef main():\n    return {1}\n"
    text += "if __name__ == '__main__':\n    main()\n"
    assert call_of(Program(text).load(), "transform", 3) == 3
    with pytest.raises(Undecided, match="line 3: Set"):
        Program(text.replace("return x", "return main()"))


@pytest.mark.parametrize(
    "text",
    [
        "from pathlib import Path",
        "from argparse import ArgumentParser",
        "from sys import argv, stdout",
        "import matplotlib.pyplot as plt, json",
        "import matplotlib, os.path",
        "try: import matplotlib\nexcept ImportError: matplotlib = None",
    ],
)
def test_an_import_that_the_roots_do_not_reach_may_be_of_anything(text):
    name = text.splitlines()[0].split(",")[0].split()[-1]
    main = f"def main():\n    return {name}\nif __name__ == '__main__':\n    main()\n"
    after = f"{text}\ndef transform(x):\n    return x\n{main}"
    assert call_of(Program(after).load(), "transform", 3) == 3
    with pytest.raises(Undecided, match=r"line 1: .* is not in the language"):
        Program(after.replace("return x", f"return {name}"))


ENDLESS = {
    "while True: pass": "steps",
    "for n in iter(endless()): pass": "steps",
    "endless()": "steps",
    "sum(n for n in range(10 ** 15))": "steps",
    "any(n < 0 for n in range(10 ** 15))": "steps",
    "while True: np.fft.fft(np.ones(10 ** 4))": "steps",
    "a = np.ones(10 ** 6)\nwhile True: a.sum()": "steps",
    "a = np.ones(10 ** 6)\nwhile True: np.max(a)": "steps",
    "a = np.ones(10 ** 6)\nwhile True: 5 in a": "steps",
    "a = [0] * 10 ** 5\nwhile True: a[:]": "steps",
    "a = [0] * 10 ** 5\nwhile True: a.index(0)": "steps",
    "a = 'x' * 10 ** 6\nwhile True: a.find('y')": "steps",
    "next(filter(None, map(int, [0] * 10 ** 6)))": "steps",
    "sum([[0] * 100] * 10 ** 5, [])": "steps",
    "while True: more.append(np.ones(10 ** 5))": "bytes",
    "more.append(np.ones((10 ** 3, 10 ** 3)) @ np.ones((10 ** 3, 10 ** 3)))": "bytes",
}


@pytest.mark.parametrize("text", ENDLESS)
def test_a_program_that_takes_too_much_is_undecided(text):
    source = f"import numpy as np\nmore = []\ndef endless():\n    while True: pass\n{text}\n"
    with pytest.raises(Undecided, match=f"more than .* {ENDLESS[text]}"):
        Program(source).load(Limits(steps=200_000, bytes=1 << 23))


HUGE = ["'x' * 10 ** 6", "(0,) * 10 ** 6", "[0] * 10 ** 6", "1 << 65000", "{len(more): []}"]


@pytest.mark.sampled(2)
@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("text", HUGE)
def test_values_without_an_array_are_bounded_by_the_memory_of_the_process(text):
    budget = Budget(600, bytes=resident() + (1 << 26))
    limits = Limits(STEPS, MEMORY, budget.check)
    with pytest.raises(Undecided, match="bytes of memory"):
        Program(f"more = []\nwhile True: more.append({text})\n").load(limits)


def test_a_loop_that_only_counts_ends_with_the_processor_time():
    limits = Limits(STEPS, MEMORY, Budget(0.01).check)
    with pytest.raises(Undecided, match="s of processor time"):
        Program("n = 0\nwhile True: n += 1\n").load(limits)


def test_an_array_that_is_gone_takes_no_bytes():
    text = "import numpy as np\nfor n in range(100): x = np.ones(10 ** 5)\n"
    Program(text).load(Limits(bytes=1 << 21))


def test_an_exception_that_nothing_handles_refutes_the_program_by_its_name():
    with pytest.raises(Refuted, match=r"line 2: ZeroDivisionError: division by zero") as ended:
        Program("x = 0\ny = 1 / x\n").load()
    assert ended.value.verdict == "function"


def test_an_error_of_the_evaluator_decides_nothing(monkeypatch):
    monkeypatch.setattr("proofs.certify.language.values.iteration.SURE", None)
    with pytest.raises(Undecided, match="the evaluator fails: TypeError"):
        Program("try:\n    [n for n in [1]]\nexcept TypeError:\n    pass\n").load()
