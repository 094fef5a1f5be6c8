"""Ordinary ways to write a right program, each beside a wrong one like it."""

from tests.support.changes import changed_once
from tests.support.lines import DEFINITION, IMPORT, PLAN, START
from tests.support.programs import small as fft


def written(line, code="", imports="", plan=""):
    """Return a program with a line at the start of its transform, a definition, imports, and a line
    in its plan.
    """
    changes = [
        (START, f"{START}    {line}\n"),
        (DEFINITION, f"{code}\n\n\n{DEFINITION}"),
        (IMPORT, IMPORT + "".join(f"{each}\n" for each in imports)),
    ]
    return changed_once(fft(), *changes, (PLAN, f"{PLAN}            {plan or 'pass'}\n"))


HELD = (
    "@dataclass\nclass Held:\n    a: np.ndarray\n    b: ClassVar[int] = 3\n    c: 'int | None' ="
    " None"
)
DATACLASS = ("from dataclasses import dataclass", "from typing import ClassVar")
SLOTS = (
    "class Held:\n    __slots__ = ('_a', 'root')\n\n    def __init__(self, a):\n        self._a,"
    " self.root = a, 1"
)
WAY = "class Way(enum.Enum):\n    ON = enum.auto()\n    OFF = enum.auto()"
STEP = (
    "class Step(ABC):\n    @abstractmethod\n    def do(self, x): ...\n\n\nclass Same(Step):\n   "
    " def do(self, x):\n        return {} * x"
)
HIDDEN = (
    "class Held:\n    _kept = None\n\n    def _same(self, x):\n        return {} * x\n\n   "
    " @property\n    def _one(self):\n        return 1"
)
TYPED = (
    "def same(x: np.ndarray, y: np.ndarray | None = None, kind: type[int] | None = None) ->"
    " NDArray[np.complex128]:\n    return {} * x"
)
NDARRAY, MPI, TUPLE = (
    ["from numpy.typing import NDArray"],
    ["from mpi4py import MPI"],
    ["from collections import namedtuple"],
)
PARTS = "def parts_of(x):\n    yield from (x[i::2] for i in range(2))"
TRIED = "def tried(x):\n    try:\n        {}\n    except {}:\n        return {} * x"
KEPT = (
    "def tried(plan):\n    try:\n        return plan.kept\n    except AttributeError:\n       "
    " plan.kept = {}\n    return plan.kept"
)
STACK = (
    "def tried(x, plan):\n    with contextlib.ExitStack() as stack:\n       "
    " stack.callback(plan.own.Dup().Free)\n        return {} * x"
)
NAMED = "class Held: ...\n\n\ndef same(f):\n    return functools.wraps(f)(lambda *given: f(*given))"
PAIRS = {
    "a timer around a step": (
        {
            "line": "t = time.perf_counter(); x = 1 * x; plan.seconds += time.perf_counter() - t",
            "plan": "self.seconds = 0.0",
        },
        {
            "line": "t = time.perf_counter(); x = 2 * x; plan.seconds += time.perf_counter() - t",
            "plan": "self.seconds = 0.0",
        },
    ),
    "MPI's timer": (
        {
            "line": "t = MPI.Wtime(); x = 1 * x; plan.times.append(round(MPI.Wtime() - t, 6))",
            "imports": MPI,
            "plan": "self.times = []",
        },
        {
            "line": "t = MPI.Wtime(); x = -x; plan.times.append(round(MPI.Wtime() - t, 6))",
            "imports": MPI,
            "plan": "self.times = []",
        },
    ),
    "a data class": (
        {"line": "x = Held(x).a", "code": HELD, "imports": DATACLASS},
        {"line": "x = Held.b * Held(x).a", "code": HELD, "imports": DATACLASS},
    ),
    "a frozen data class with slots": (
        {
            "line": "x = Held(x).a",
            "code": HELD.replace("@dataclass", "@dataclass(frozen=True, slots=True)"),
            "imports": DATACLASS,
        },
        {
            "line": "h = Held(x); h.a = x",
            "code": HELD.replace("@dataclass", "@dataclass(frozen=True, slots=True)"),
            "imports": DATACLASS,
        },
    ),
    "slots": (
        {"line": "x = Held(x)._a * Held(x).root", "code": SLOTS},
        {"line": "h = Held(x); h.other = 1", "code": SLOTS},
    ),
    "attributes that begin with an underscore": (
        {"line": "_kept = Held(); x = _kept._same(x) * _kept._one", "code": HIDDEN.format(1)},
        {"line": "_kept = Held(); x = _kept._same(x) * _kept._one", "code": HIDDEN.format(2)},
    ),
    "annotations of arrays": (
        {"line": "x = same(x)", "code": TYPED.format(1), "imports": NDARRAY},
        {"line": "x = same(x)", "code": TYPED.format(3), "imports": NDARRAY},
    ),
    "cmath": (
        {"line": "x = x * cmath.exp(-2j * cmath.pi / 4) * 1j", "imports": ["import cmath"]},
        {"line": "x = x * cmath.exp(-2j * cmath.pi / 4) * -1j", "imports": ["import cmath"]},
    ),
    "an enumeration": (
        {"line": "x = x if Way.ON is Way(1) else 2 * x", "code": WAY, "imports": ["import enum"]},
        {"line": "x = x if Way.ON is Way(2) else 2 * x", "code": WAY, "imports": ["import enum"]},
    ),
    "an abstract class": (
        {
            "line": "x = Same().do(x)",
            "code": STEP.format(1),
            "imports": ["from abc import ABC, abstractmethod"],
        },
        {
            "line": "x = Same().do(x)",
            "code": STEP.format(2),
            "imports": ["from abc import ABC, abstractmethod"],
        },
    ),
    "a namespace": (
        {"line": "x = SimpleNamespace(x=x).x", "imports": ["from types import SimpleNamespace"]},
        {"line": "x = SimpleNamespace(x=x).y", "imports": ["from types import SimpleNamespace"]},
    ),
    "a named tuple": (
        {
            "line": "x = Held(x, 1)._replace(b=2).a",
            "code": "Held = namedtuple('Held', 'a b')",
            "imports": TUPLE,
        },
        {
            "line": "x = Held(x, 1)._replace(a=2 * x).a",
            "code": "Held = namedtuple('Held', 'a b')",
            "imports": TUPLE,
        },
    ),
    "fractions": (
        {
            "line": "x = x * float(Fraction(1, 2) * 2)",
            "imports": ["from fractions import Fraction"],
        },
        {"line": "x = x * float(Fraction(1, 2))", "imports": ["from fractions import Fraction"]},
    ),
    "a table that is remembered": (
        {
            "line": "x = x * table(M)",
            "code": "@functools.cache\ndef table(n):\n    return np.ones(n)",
            "imports": ["import functools"],
        },
        {
            "line": "x = x * table(M)",
            "code": "@functools.cache\ndef table(n):\n    return np.full(n, 2.0)",
            "imports": ["import functools"],
        },
    ),
    "a context": (
        {
            "line": "with one() as k:\n        x = k * x",
            "code": "@contextlib.contextmanager\ndef one():\n    yield 1",
        },
        {
            "line": "with one() as k:\n        x = k * x",
            "code": "@contextlib.contextmanager\ndef one():\n    yield 2",
        },
    ),
    "a generator": (
        {"line": "y = np.empty_like(x); y[0::2], y[1::2] = parts_of(x); x = y", "code": PARTS},
        {"line": "y = np.empty_like(x); y[1::2], y[0::2] = parts_of(x); x = y", "code": PARTS},
    ),
    "isinstance": (
        {
            "line": (
                "x = x if isinstance(x, np.ndarray) and isinstance(plan, Plan) and isinstance(M,"
                " int | np.integer) else 2 * x"
            )
        },
        {"line": "x = x if isinstance(x, list) else 2 * x"},
    ),
    "type": (
        {"line": "x = x if type(plan) is Plan and type(M) is int else 2 * x"},
        {"line": "x = x if type(plan) is int else 2 * x"},
    ),
    "getattr": (
        {
            "line": (
                "setattr(plan, 'scale', 1); x = getattr(plan, 'scale', 2) * getattr(plan, 'other',"
                " 1) * x"
            )
        },
        {"line": "x = getattr(plan, 'scale', 2) * x"},
    ),
    "objects that are sent": (
        {"line": "x = plan.own.bcast(one, root=0)() * x", "code": "def one():\n    return 1"},
        {"line": "x = plan.own.bcast(lambda: 1, root=0)() * x"},
    ),
    "objects that are scattered": (
        {"line": "x = (1 + plan.own.scatter(list(range(P))) - plan.comm.rank) * x"},
        {"line": "x = (1 + plan.own.scatter(list(range(P)))) * x"},
    ),
    "requests": (
        {
            "line": "MPI.Request.Waitall(tuple(plan.own.Ibarrier() for _ in range(2)))",
            "imports": MPI,
        },
        {
            "line": "MPI.Request.Waitall({k: plan.own.Ibarrier() for k in range(2)}.values())",
            "imports": MPI,
        },
    ),
    "a sorted set": (
        {"line": "x = x if sorted({'a', 'b'})[0] == 'a' else 2 * x"},
        {"line": "x = x if sorted({'a', 'b'})[0] == 'b' else 2 * x"},
    ),
    "numbers in a set": ({"line": "x = sum({1, 2, -2}) * x"}, {"line": "x = sum({1, 2}) * x"}),
    "methods of arrays": (
        {"line": "x = x.reshape(1, -1).squeeze().take(np.arange(M))"},
        {"line": "x = x.take(np.arange(M)[::-1])"},
    ),
    "a shift and its inverse": (
        {"line": "x = np.fft.ifftshift(np.fft.fftshift(x))"},
        {"line": "x = np.fft.fftshift(x)"},
    ),
    "halves put together": (
        {"line": "x = np.hstack(np.split(x, 2))"},
        {"line": "x = np.hstack(np.split(x, 2)[::-1])"},
    ),
    "rows of arrays": (
        {"line": "x = np.column_stack([x[0::2], x[1::2]]).reshape(-1)"},
        {"line": "x = np.vstack([x[0::2], x[1::2]]).reshape(-1)"},
    ),
    "arrays of objects": (
        {"line": "y = np.empty(2, object); y[0], y[1] = x, 1; x = y[0] * y[1]"},
        {"line": "y = np.empty(2, object); y[0] = x; x = y[0] * y[1]"},
    ),
    "an error of its own that is caught": (
        {"line": "x = tried(x)", "code": TRIED.format("raise ValueError('no')", "ValueError", 1)},
        {"line": "x = tried(x)", "code": TRIED.format("raise ValueError('no')", "ValueError", 2)},
    ),
    "a key that is not there": (
        {"line": "x = tried(x)", "code": TRIED.format("dict()[M]", "KeyError", 1)},
        {"line": "x = tried(x)", "code": TRIED.format("dict()[M]", "KeyError", 2)},
    ),
    "an attribute that is not there yet": (
        {"line": "x = tried(plan) * x", "code": KEPT.format(1)},
        {"line": "x = tried(plan) * x", "code": KEPT.format(2)},
    ),
    "a stack of ways out": (
        {"line": "x = tried(x, plan)", "code": STACK.format(1)},
        {"line": "x = tried(x, plan)", "code": STACK.format(2)},
    ),
    "names of its own": (
        {
            "line": "x = len(Held.__name__) // 4 * len(same(checked).__name__) // 7 * x",
            "code": NAMED,
            "imports": ["import functools"],
        },
        {
            "line": "x = len(Held.__name__) // 2 * len(same(checked).__name__) // 7 * x",
            "code": NAMED,
            "imports": ["import functools"],
        },
    ),
    "the type by itself": (
        {"line": "x = x if x.dtype is DTYPE else 2 * x"},
        {"line": "x = 2 * x if x.dtype is DTYPE else x"},
    ),
    "the array itself": (
        {"line": "x = x if np.atleast_1d(x) is x and x.squeeze() is x else 2 * x"},
        {"line": "x = 2 * x if np.atleast_1d(x) is x and x.squeeze() is x else x"},
    ),
    "memory that is shared": (
        {"line": "x = 2 * x if np.shares_memory(x[::2], x[1::2]) else x"},
        {"line": "x = 2 * x if np.may_share_memory(x[::2], x[1::2]) else x"},
    ),
    "real and imaginary parts": (
        {"line": "x = np.ascontiguousarray(x.view(float).reshape(-1, 2)).view(DTYPE).ravel()"},
        {
            "line": (
                "x = np.ascontiguousarray(x.view(float).reshape(-1, 2)[:,"
                " ::-1]).view(DTYPE).ravel()"
            )
        },
    ),
}
