"""What a text could hide: in its encoding, its hashes, its second plan, its kernels, its module;
each refused, and right texts like it accepted.
"""

import ast
import contextlib
import json
from functools import cache
from time import monotonic

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.mpi.memory.buffers import NotModelled
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.verdict import Refuted, Undecided
from proofs.certify.checks import layout, suite
from proofs.certify.checks.suite import tried
from proofs.certify.coverage import reached_by_contract
from proofs.certify.failures import Wrong
from proofs.certify.fields.field_run import run_over_field
from proofs.certify.program import certificate_path, certify, verify
from proofs.certify.real.real_ranks import too_many
from proofs.certify.sandbox.vetting import readable
from tests.support.changes import changed, changed_once
from tests.support.in_process import workers_of
from tests.support.judged import refuted, verdicts
from tests.support.lines import DEFINITION, END, IMPORT, PLAN, START
from tests.support.programs import fft, headless

pytestmark = pytest.mark.sampled(24)


@cache
def permutation():
    return emit(
        Spec(
            "permute",
            32,
            4,
            permutation=Bmmc(bmmc.named("bit-reversal", 5), "reversal"),
            dtype="float64",
        )
    )


def said(program):
    """Return the one line with which a program is not decided."""
    with pytest.raises((ValueError, NotModelled)) as caught:
        tried("prog.py", program, 0)
    return str(caught.value)


TABLE = "            self.twiddle = tabulate(lambda o: root_of_unity(o * rank, 16), DTYPE)\n"
TIMES = "    np.multiply(out, plan.twiddle, out=out)\n"
FREE = "        self.twiddle = self.work = None\n"


TRANSFORM = "    np.fft.fft(x, axis=1, out=y)"
"""What `by_axis` leaves of all transforms of a program."""


def by_axis(program):
    """Return a program whose transforms are calls of one function, along the middle axis."""
    called = "fourier(out.reshape(1, M, 1), work.reshape(1, M, 1))"
    function = f"def fourier(x, y):\n    d = x.shape[1]\n{TRANSFORM}\n\n\n"
    return changed(
        program, ("np.fft.fft(out, out=work)", called), (DEFINITION, function + DEFINITION)
    )


def kernel(code, N=16, P=4):
    """Return a program that copies its input by a kernel of its own."""
    return changed_once(
        headless(fft(N, P)),
        (IMPORT, IMPORT + "from numba import njit, prange\n"),
        ('"numpy"', '"numba"'),
        (DEFINITION, code + "\n\n" + DEFINITION),
        (START, START + "    fresh = np.empty(M, DTYPE)\n    moved(x, fresh)\n    x = fresh\n"),
    )


COPY = "@njit\ndef moved(x, y):\n    for i in range(len(x)):\n        y[i] = x[i]\n"
KERNELS = {
    "a plain one": COPY,
    "one that is kept on disk": COPY.replace("@njit", "@njit(cache=True, fastmath=False)"),
    "arrays of its own": (
        "@njit\ndef moved(x, y):\n    z = np.empty(M, DTYPE)\n    z[:] = x\n    w ="
        " np.empty_like(z)\n    w[:] = z\n    y[:] = w\n"
    ),
    "one that calls another": (
        COPY.replace("moved", "copied") + "\n\n@njit\ndef moved(x, y):\n    copied(x, y)\n"
    ),
    "a loop in any order": COPY.replace("in range", "in prange"),
    "constants of the text": COPY.replace("len(x)", "M"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_of_ones_own_is_compiled_and_the_verdict_says_so(name):
    found = verdicts(kernel(KERNELS[name]))
    assert [verdict for verdict in found.values() if isinstance(verdict, Refuted)] == []
    assert "kernels compiled by numba" in found["rounding"].statement


WRONG_KERNELS = {
    "an integer that overflows": COPY.replace("y[i]", "y[((i + 1) * 2**62 * 4 >> 64) - 1]"),
    "a type that is compiled otherwise": COPY.replace(
        "y[i] = x[i]", "y[i] = x[i] if (2**62 + i) * 4 > 0 else 2 * x[i]"
    ),
    "what numba does not compile": COPY.replace(
        "        y[i]", "        held = {}\n        held[i] = None\n        y[i]"
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", WRONG_KERNELS)
def test_what_a_kernel_of_ones_own_does_wrong_when_compiled_is_refused(name):
    assert list(refuted(kernel(WRONG_KERNELS[name]))) == ["rounding"]


RACE = (
    "@njit(parallel=True)\ndef moved(x, y):\n    t = np.empty(1, DTYPE)\n    for i in"
    " prange(len(x)):\n        t[0] = x[i]\n        y[i] = t[0]\n"
)


@pytest.mark.parametrize("code", [RACE, COPY.replace("@njit", "@njit(**{'parallel': True})")])
def test_rounds_in_parallel_are_not_modelled(code):
    assert "a loop that numba runs in parallel is not modelled" in said(kernel(code))


@pytest.mark.parametrize("cookie", ["raw_unicode_escape", "utf-7", "latin-1", "nonsense-8"])
@pytest.mark.parametrize("before", ["", "#!/usr/bin/env python\n", "\n"])
def test_a_text_that_python_reads_otherwise_is_none(cookie, before):
    assert "gives Python another program" in said(f"{before}# -*- coding: {cookie} -*-\n" + fft())


@pytest.mark.parametrize(
    "before",
    ["# -*- coding: utf-8 -*-\n", "# vim: set fileencoding=UTF8 :\n", "\n\n# coding: latin-1\n"],
)
def test_a_cookie_of_utf_8_or_too_late_to_be_one_is_taken(before):
    assert refuted(before + fft()) == {}


def test_a_cookie_is_looked_for_in_no_time():
    start = monotonic()
    assert readable("#" * 200_000) and monotonic() - start < 1


def test_what_is_reached_through_many_names_is_found_in_no_time():
    chain = (
        "".join(f"a{i + 1} = a{i}\n" for i in range(4000)) + "def plan(comm):\n    return a4000\n"
    )
    start = monotonic()
    assert len(reached_by_contract(ast.parse(chain))) == 4001 and monotonic() - start < 4


CAUGHT = (
    "def told(x):\n    try:\n        {}\n    except {} as error:\n        return {} in str(error)"
)
WATCH = "class Watch:\n    def __enter__(self):\n        return self\n\n"
WATCH += (
    "    def __exit__(self, kind, error, trace):\n        self.words = str(error)\n        return"
    " True\n\n\n"
)
THROUGH = (
    "@contextlib.contextmanager\ndef through():\n    try:\n        yield\n    except ValueError as"
    " error:\n        raise KeyError(str(error))\n\n\n"
)
STACK = "def told(x):\n    words = []\n    with contextlib.ExitStack() as stack:\n"
STACK += "        stack.push(lambda *error: words.append(str(error[1])) or True)\n"
DEEP = "def down(found):\n    found[0] += 1\n    down(found)\n\n\n"
DEEPER = """
def down(found):
    found[0] += 1
    try:
        down(found)
    except RecursionError:
        {}


def suppressed(found):
    with contextlib.suppress(RecursionError):
        down(found)


def told(x):
    found = [0]
    try:
        down(found)
    except KeyError:
        pass
    return found[0] < 990"""
FINALLY = (
    "def told(x):\n    try:\n        raise KeyError\n    except KeyError:\n        x.reshape(M +"
    " 1)\n    finally:\n        return True"
)
OWN = (
    "class Own:\n    def __getitem__(self, i):\n        return self.x[i]\n\n    @property\n    def"
    " y(self):\n        return self.x[M]\n\n\n"
)
TELLS = {
    "the words of numpy's errors": CAUGHT.format("x.reshape(M + 1)", "ValueError", "'280'"),
    "the words of Python's": CAUGHT.format("x(1)", "TypeError", "'Elements'"),
    "the words for an argument too many": CAUGHT.format("x.fill(1, 2)", "TypeError", "'Storage'"),
    "the words for what cannot be set": CAUGHT.format("x.T = 1", "AttributeError", "'Elements'"),
    "the words for what is not imported": CAUGHT.format(
        "from numpy import nothing", "ImportError", "'unknown'"
    ),
    "how deep it is called": (
        DEEP
        + CAUGHT.format(
            "down(deepest := [0])", "RecursionError", "'' if deepest[0] < 990 else 'no'"
        )
    ),
    "how deep it is called, in one error after the other": DEEPER.format("raise KeyError"),
    "how deep it is called, in no error": DEEPER.format("return"),
    "how deep it is called, in a way out": DEEPER.format("raise").replace(
        "down(found)\n    except KeyError", "suppressed(found)\n    except KeyError"
    ),
    "the text of a class in a text by name": (
        "def told(x):\n    words = '%s'\n    return 'program' in words % Plan"
    ),
    "the text of a class in one that grows": (
        "def told(x):\n    words = '%s'\n    words %= Plan\n    return 'program' in words"
    ),
    "the text of a class by an operator": (
        "import operator\n\n\ndef told(x):\n    return 'program' in operator.mod('%s', Plan)"
    ),
    "the text of a class in a view": (
        "def told(x):\n    return 'program' in str({1: Plan}.values())"
    ),
    "the text of a class in an object": (
        "import dataclasses\n\n\n@dataclasses.dataclass\nclass One:\n    kind: type\n\n\n"
        "def told(x):\n    return 'program' in str(One(Plan))"
    ),
    "a format that is handed on": (
        "def told(x):\n    return 'program' in [*map('{}'.format, [Plan])][0]"
    ),
    "words in a way out": (
        WATCH
        + "def told(x):\n    with Watch() as watch:\n        x.reshape(M + 1)\n    return str(M)"
        " not in watch.words"
    ),
    "words in the way out before": (
        WATCH
        + "def told(x):\n    with Watch() as watch, x.reshape(M + 1):\n        pass\n    return"
        " watch.words"
    ),
    "words in a way out of a stack": (
        STACK + "        stack.callback(lambda: x.reshape(M + 1))\n    return words"
    ),
    "words in another error": (
        THROUGH
        + CAUGHT.format("with through():\n            x.reshape(M + 1)", "KeyError", "'280'")
    ),
    "an error that is suppressed": (
        "def told(x):\n    with contextlib.suppress(ValueError):\n        x.reshape(M + 1)\n   "
        " return True"
    ),
    "an error that is left behind": FINALLY,
    "an error that ends a loop": (
        OWN + "def told(x):\n    own = Own()\n    own.x = x\n    return len([*own]) == M"
    ),
    "the name of a function": "def told(x):\n    return np.asarray.__name__ == 'made'",
    "a name that a function is given": (
        "@functools.wraps(np.asarray)\ndef f(): ...\n\n\ndef told(x):\n    return f.__name__ =="
        " 'made'"
    ),
    "the place of a function": "def told(x):\n    return 'locals' in np.empty.__qualname__",
    "what a module says of itself": "def told(x):\n    return np.__doc__ is None",
    "what numpy does with errors": "def told(x):\n    return np.geterr()['over'] != 'ignore'",
    "what numpy takes at once": "def told(x):\n    return np.getbufsize() == 8192",
    "whether Python checks": "def told(x):\n    return __debug__",
}
"""Ways to tell a simulated run from a real one."""


@pytest.mark.parametrize("name", TELLS)
def test_a_text_that_is_right_only_where_it_is_watched_is_not_accepted(name):
    wrong = changed_once(
        fft(16, 2),
        (IMPORT, "import functools\n\n" + IMPORT),
        (DEFINITION, f"{TELLS[name]}\n\n\n{DEFINITION}"),
        (START, START + "    x = x if told(x) else 0 * x\n"),
    )
    with pytest.raises(
        (ValueError, NotModelled),
        match=r"real ranks|library's|the same everywhere|reaches behind|simulated run|named",
    ):
        run_over_field(*workers_of(wrong), np.random.default_rng(0), units=False)


def test_an_error_that_ends_a_program_is_told_as_it_is():
    wrong = changed_once(
        fft(16, 2),
        (START, START + "    with contextlib.suppress(KeyError):\n        x.reshape(M + 1)\n"),
    )
    with pytest.raises(
        Wrong, match=r"ValueError: cannot reshape .* \(line \d+: x.reshape\(M \+ 1\)"
    ):
        run_over_field(*workers_of(wrong), np.random.default_rng(0), units=False)


ROUNDS = "    for b, (to, come_from) in enumerate(zip(*peers)):\n"
BY_NAME = (
    "    for b in {}:\n        to, come_from = (side[int(b)] for side in peers)\n"
    "        b = int(b)\n"
)
SETS = {
    "a comprehension": "{str(b) for b in range(M // size)}",
    "a set": "set(map(str, range(M // size)))",
    "a frozen set": "frozenset(str(b) for b in range(M // size))",
    "a union": "({'0'} | {str(b) for b in range(M // size)})",
    "a list of a set": "list({str(b) for b in range(M // size)})",
    "what is taken out of a set": (
        "(lambda names: [names.pop() for _ in range(M // size)])({str(b) for b in"
        " range(M // size)})"
    ),
}


@pytest.mark.parametrize("name", SETS)
def test_rounds_in_the_order_of_a_set_of_texts_are_refused(name):
    assert "messages" in refuted(
        changed_once(fft(exchange="pairwise"), (ROUNDS, BY_NAME.format(SETS[name])))
    )


def test_a_set_of_keys_is_not_modelled():
    names = "{str(b): b for b in range(M // size)}.keys() & {str(b) for b in range(M // size)}"
    assert "a set made of the keys" in said(
        changed_once(fft(exchange="pairwise"), (ROUNDS, BY_NAME.format(names)))
    )


ORDERS = {
    "a set of numbers": "{b for b in range(M // size)}",
    "a sorted set": "sorted({str(b) for b in range(M // size)})",
    "a dictionary": "{str(b): b for b in range(M // size)}",
    "pairs of numbers": "[b for b, _ in sorted({(b, 0) for b in range(M // size)})]",
}


@pytest.mark.long
@pytest.mark.parametrize("name", ORDERS)
def test_rounds_in_an_order_that_is_the_same_on_all_ranks_are_accepted(name):
    assert (
        refuted(changed_once(fft(exchange="pairwise"), (ROUNDS, BY_NAME.format(ORDERS[name]))))
        == {}
    )


def test_a_set_that_is_asked_for_its_members_only_is_accepted():
    assert (
        refuted(
            changed_once(
                fft(),
                (
                    START,
                    START
                    + "    x = x * ('a' in {'a', 'b'} and len({*'ab'} - {'a'}) == 1 and {'a'} <="
                    " {'b', 'a'})\n",
                ),
            )
        )
        == {}
    )


SHARED_TABLE = (
    (DEFINITION, "TABLES = {}\n\n\n" + DEFINITION),
    (
        TABLE,
        (
            "            self.owns = 16 not in TABLES\n"
            "            TABLES.setdefault(16, root_of_unity(np.arange(16), 16))\n"
            "            self.twiddle = TABLES[16][np.arange(M) * rank]\n"
        ),
    ),
)
LIFETIMES = {
    "a table that the first plan frees": (
        *SHARED_TABLE,
        (
            FREE,
            (
                "        if self.twiddle is not None and self.owns:\n            TABLES[16]"
                " = TABLES[16] ** 0\n" + FREE
            ),
        ),
    ),
    "a plan after a free": (
        (DEFINITION, "FREED = []\n\n\n" + DEFINITION),
        (FREE, FREE + "        FREED.append(self)\n"),
        (PLAN, PLAN + "        self.late = bool(FREED)\n"),
        (START, START + "    x = 2 * x if plan.late else x\n"),
    ),
    "a plan after all are freed": (
        (DEFINITION, "ALIVE = []\n\n\n" + DEFINITION),
        (FREE, FREE + "        ALIVE.pop()\n"),
        (
            PLAN,
            PLAN
            + "        self.late = ALIVE == [] and bool(PLANS)\n        ALIVE.append(self)\n       "
            " PLANS.append(self)\n",
        ),
        (START, START + "    x = 2 * x if plan.late else x\n"),
        ("ALIVE = []\n", "ALIVE, PLANS = [], []\n"),
    ),
    "a plan on too many ranks": (
        (DEFINITION, "REFUSED = []\n\n\n" + DEFINITION),
        (
            "    if comm.size != P:",
            "    REFUSED.extend([1] * (comm.size != P))\n    if comm.size != P:",
        ),
        (START, START + "    x = 2 * x if REFUSED else x\n"),
    ),
    "a transform by a plan that is freed": (
        (DEFINITION, "REFUSED = []\n\n\n" + DEFINITION),
        (START, "    REFUSED.extend([1] * (not plan.own))\n" + START),
        (END, "    out *= 1 + len(REFUSED)\n" + END),
    ),
    "a plan that is freed twice": (
        (DEFINITION, "FREED = []\n\n\n" + DEFINITION),
        (
            "        if self.own:",
            "        FREED.extend([1] * (not self.own))\n        if self.own:",
        ),
        (END, "    out *= 1 + len(FREED)\n" + END),
    ),
    "the fifth transform of a plan": (
        (PLAN, PLAN + "        self.count = 0\n"),
        (START, START + "    plan.count += 1\n    x = 2 * x if plan.count > 4 else x\n"),
    ),
    "the fifth plan": (
        (DEFINITION, "PLANS = []\n\n\n" + DEFINITION),
        (PLAN, PLAN + "        PLANS.append(self)\n        self.number = len(PLANS)\n"),
        (START, START + "    x = 2 * x if plan.number > 4 else x\n"),
    ),
}


@pytest.mark.parametrize("name", LIFETIMES)
def test_plans_that_depend_on_each_other_or_on_how_often_they_serve_are_not_modelled(name):
    assert "changes what the program keeps" in said(changed_once(fft(), *LIFETIMES[name]))


def test_a_table_that_the_first_plan_makes_for_all_is_accepted():
    assert refuted(changed_once(fft(), *SHARED_TABLE)) == {}


INPUTS = {
    "written and restored": "    kept = x.copy()\n    x[0] = 0\n    x[:] = kept\n",
    "written as it was": "    x[0] = x[0] * 1\n",
    "made writeable first": "    x.flags.writeable = True\n    x[:] = x.copy()\n",
}


@pytest.mark.parametrize("name", INPUTS)
def test_a_transform_that_writes_to_its_input_is_refused_whatever_it_writes(name):
    found = refuted(changed_once(fft(), (START, START + INPUTS[name])))
    assert found.keys() & {"contract", "function"}


def test_a_check_of_gaps_is_missed():
    assert refuted(
        changed_once(fft(), ("not out.flags.carray", "not out.flags.behaved"))
    ).keys() & {"contract", "messages"}


@pytest.mark.parametrize(
    "options", [{"kernels": "pyfftw", "P": 1}, {"kernels": "numba", "N": 64, "P": 1}]
)
def test_a_check_of_what_nobody_may_write_to_is_missed(options):
    program = fft(**options)
    assert refuted(program) == {}
    missed = changed_once(
        program, ("not out.flags.carray", "not (out.flags.c_contiguous and out.flags.aligned)")
    )
    assert refuted(missed).keys() & {"contract", "messages"}


def test_a_check_of_the_byte_order_is_missed_where_numbers_without_a_type_are_sent():
    with pytest.raises(NotModelled, match="elements of >c16, for which mpi4py has no type"):
        refuted(
            changed_once(fft(), ("held.dtype != DTYPE", "held.dtype.newbyteorder('=') != DTYPE"))
        )


@pytest.mark.long
def test_an_out_with_gaps_may_be_filled():
    copied = (
        END,
        "    if given is not None:\n        given[...] = out\n        return given\n" + END,
    )
    program = changed_once(
        fft(),
        copied,
        ("out.flags.carray", "out.flags.behaved"),
        (START, "    given = out\n" + START + "    out = np.empty(M, DTYPE)\n"),
    )
    assert refuted(program) == {}


PLACE = "    return divmod(checked(j), 4)\n"
SINGLE = "    s, o = divmod(checked(j), 4)\n    return (s, o) if {} else (s, o ^ 1)\n"
PLACES = {
    "no single ones": "np.ndim(j)",
    "the last one only": "np.ndim(j) or j == N - 1",
    "some": "np.ndim(j) or j != 5",
}


@pytest.mark.parametrize("name", PLACES)
def test_places_of_single_integers_are_looked_at(name):
    assert list(refuted(changed_once(fft(), (PLACE, SINGLE.format(PLACES[name]))))) == ["layout"]


def test_places_of_large_programs_are_asked_for_near_every_power_of_two():
    singly = layout._singly(2**20).tolist()
    assert {0, 1, 2**10, 2**10 - 1, 2**20 - 2**10, 2**20 - 1} <= set(singly)
    assert len(singly) <= layout.SINGLY + 60


@pytest.mark.long
def test_exchange_is_compared_with_the_calls_and_the_verdict_says_what_they_are():
    other = changed_once(headless(fft()), ('"numpy", "alltoall"', '"numpy", "pairwise"'))
    assert "by Alltoall, as EXCHANGE says" in verdicts(fft())["cost"].evidence
    assert (
        "by Alltoall, though EXCHANGE = 'pairwise' says otherwise"
        in verdicts(other)["cost"].evidence
    )


@pytest.mark.long
def test_a_rank_that_sends_more_than_it_should_is_seen_below_the_maximum():
    program = emit(Spec("fht", 64, 4))
    assert "words in the largest h-relation" in verdicts(program)["cost"].evidence
    extra = (
        "    if plan.comm.rank == 0:\n        plan.own.Send(np.zeros(1, DTYPE), 2)\n"
        "    if plan.comm.rank == 2:\n        plan.own.Recv(np.zeros(1, DTYPE), 0)\n"
    )
    found = refuted(changed_once(program, ("    return out\n", extra + "    return out\n")))
    assert list(found) == ["cost"]


SCALES = {"above": 660, "below": -681, "far above": 990, "far below": -960}


@pytest.mark.long
@pytest.mark.parametrize("name", SCALES)
def test_a_result_scaled_to_and_fro_is_too_inaccurate(name, monkeypatch):
    exponent = SCALES[name]
    program = changed_once(
        fft(16, 2),
        (START, f"{START}    x = x * 2.0**{exponent}\n"),
        (END, f"    np.multiply(out, 2.0**{-exponent}, out=out)\n" + END),
    )
    assert list(refuted(program)) == ["rounding"]
    monkeypatch.setattr(suite, "LARGEST_REFERENCE", 4)
    assert list(refuted(program)) == ["rounding"]


SCRIPT = 'if __name__ == "__main__":\n'
MODULES = {
    "another sign as a script": ((SCRIPT, SCRIPT + "    SIGN = 1\n"), "as a script"),
    "a constant of the name": (
        ("SIGN = -1", "SIGN = -1 if __name__ == 'program' else 1"),
        "__name__",
    ),
    "a constant of the file": (("SIGN = -1", "SIGN = 1 if '/' in __file__ else -1"), "__file__"),
    "a name bound on the way": (
        ("sys.exit(main(sys.argv[1:]))", "sys.exit((SIGN := 1) and main(sys.argv[1:]))"),
        "as a script",
    ),
    "another text without a library": (
        (IMPORT, "try:\n    import numpy as np\nexcept ImportError:\n    np = None\n"),
        "without a library",
    ),
    "a condition beside a library that does more than to give up": (
        (
            IMPORT,
            "try:\n    import numpy as np\n\n    if np.pi > 3:\n        SIGN = 1\n"
            "except ImportError:\n    if __name__ != '__main__':\n        raise\n",
        ),
        "__name__",
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_that_is_another_one_elsewhere_is_refused(name):
    change, words = MODULES[name]
    assert words in said(changed_once(fft(), change))


@pytest.mark.parametrize(
    "script",
    [
        "    sys.exit(main(sys.argv[1:]))\n",
        "    main(sys.argv[1:])\n",
        "    raise SystemExit(main(sys.argv[1:]))\n",
    ],
)
def test_a_script_may_call_main(script):
    assert (
        refuted(
            changed_once(fft(), (SCRIPT + "    sys.exit(main(sys.argv[1:]))\n", SCRIPT + script))
        )
        == {}
    )


UNASKED = {
    "a finally": ("try:\n        yield 1\n    finally:\n        x.fill(0)", "left through"),
    "a handler of all": ("try:\n        yield 1\n    except:\n        x.fill(0)", "left through"),
    "a handler of ends": (
        "try:\n        yield 1\n    except GeneratorExit:\n        x.fill(0)",
        "left through",
    ),
    "a way out": ("with contextlib.suppress(KeyError):\n        yield 1", "left through"),
    "what an object does when it is made": ("Unusable.__init__ = Plan\n    yield 1", "is set"),
}


@pytest.mark.parametrize("name", UNASKED)
def test_what_python_does_unasked_is_not_modelled(name):
    code, words = UNASKED[name]
    before = f"def made(x):\n    {code}\n\n\n"
    used = START + "    x = x * next(made(x))\n"
    assert words in said(changed_once(fft(), (DEFINITION, before + DEFINITION), (START, used)))


def test_what_is_asynchronous_is_not_modelled():
    assert "asynchronous" in said(changed_once(fft(), (DEFINITION, f"async {DEFINITION}")))
    code = "CODE = (one async for one in ()).ag_code\n\n\n"
    assert "asynchronous" in said(changed_once(fft(), (DEFINITION, code + DEFINITION)))


@pytest.mark.parametrize("name", ["__module__", "__getattribute__", "__class__"])
def test_a_class_does_not_say_what_it_is(name):
    method = f"class One:\n    def {name}(self):\n        pass\n\n\n"
    assert f"the name {name}" in said(changed_once(fft(), (DEFINITION, method + DEFINITION)))


DISPATCH = (
    "import functools\nfrom collections.abc import Hashable\n\n\n@functools.singledispatch\ndef"
    " real(x):\n    return True\n\n\n"
)
WAYS = {
    "repr": (START, START + "    told = repr(x)\n"),
    "a text with it": (START, START + "    told = f'{x!r}'\n"),
    "ascii": (START, START + "    told = ascii(x)\n"),
    "the module as a text": (START, START + "    told = f'{np}'\n"),
    "repr of the communicator": (START, START + "    told = repr(plan.comm)\n"),
    "singledispatch": (DEFINITION, DISPATCH + DEFINITION),
    "update_wrapper": (
        DEFINITION,
        "import functools\n\nfunctools.update_wrapper(print, print,"
        " assigned=('__globals__',))\n\n\n" + DEFINITION,
    ),
    "wraps": (
        DEFINITION,
        "import functools\n\nfunctools.wraps(print, assigned=('__globals__',))\n\n\n" + DEFINITION,
    ),
    "what partial holds": (
        DEFINITION,
        "import functools\n\nfunctools.wraps(print).func\n\n\n" + DEFINITION,
    ),
    "seterr": (START, START + "    np.seterr(all='raise')\n"),
    "errstate that is not left": (START, START + "    np.errstate(all='raise').__enter__()\n"),
    "stdout": (START, START + "    sys.stdout.write('x')\n"),
    "print": (START, START + "    print('x', file=sys.stderr)\n"),
    "stdout elsewhere": (
        START,
        START + "    import contextlib\n    contextlib.redirect_stdout(None).__enter__()\n",
    ),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_text_that_looks_behind_or_changes_the_process_is_not_certified(name):
    with contextlib.suppress(ValueError, NotModelled):
        assert refuted(changed_once(fft(), WAYS[name]))


RIGHT = {
    "a decorator": (
        DEFINITION,
        "import functools\n\n\ndef plain(f):\n    @functools.wraps(f)\n    def g(*a):\n       "
        " return f(*a)\n\n    return g\n\n\n@plain\n" + DEFINITION,
    ),
    "a cache": (
        DEFINITION,
        "import functools\n\n\n@functools.lru_cache\ndef one(k):\n    return 1\n\n\n" + DEFINITION,
    ),
    "errstate": (START, START + "    with np.errstate(all='ignore'):\n        x = x + 0\n"),
    "repr of numbers": (START, START + "    x = x * bool(repr((M, 'a', [1.5])) and f'{M!r}')\n"),
    "products with a matrix": (
        TRANSFORM,
        ("    k = np.arange(d)\n    y[...] = np.matmul(root_of_unity(np.outer(k, k) % d, d), x)"),
    ),
    "sums along an axis": (
        TRANSFORM,
        (
            "    k = np.arange(d)\n    y[...] = (root_of_unity(np.outer(k, k) % d, d)[None,"
            " :, :, None] * x[:, None]).sum(axis=2)"
        ),
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_text_like_it_is_certified(name):
    assert refuted(changed_once(by_axis(fft()), RIGHT[name])) == {}


def test_nothing_may_wait():
    assert "time.sleep() is not modelled" in said(
        changed_once(fft(), (START, START + "    time.sleep(0)\n"))
    )


def test_all_ranks_are_not_known_by_name():
    assert "not modelled" in said(
        changed_once(
            fft(), (START, START + "    from mpi4py import MPI\n\n    MPI.COMM_WORLD.rank\n")
        )
    )


@pytest.mark.parametrize(
    "line",
    [
        "y[...] = np.einsum('ijk->ijk', x)",
        "y[...] = x.cumsum(axis=1)",
        "np.add.at(y, 0, x[0])",
        "x.mean(axis=1)",
    ],
)
def test_what_elements_cannot_do_is_not_modelled(line):
    assert "not modelled" in said(changed_once(by_axis(fft()), (TRANSFORM, f"    {line}")))


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """Return programs with their certificates."""
    folder = tmp_path_factory.mktemp("certified")
    paths = {}
    for name, text in {
        "fft": fft(),
        "fht": emit(Spec("fht", 16, 2)),
        "permute": permutation(),
    }.items():
        paths[name] = folder / f"{name}.py"
        paths[name].write_text(text)
        assert certify(paths[name]).holds
    return paths


@pytest.mark.long
@pytest.mark.parametrize("name", ["fft", "fht", "permute"])
def test_a_certificate_as_it_was_written_is_verified(certified, name):
    assert all(not isinstance(verdict, Refuted) for verdict in verify(certified[name])[1].values())


def of(name, **figures):
    """Return a change of figures of a verdict."""
    return lambda predicate: predicate["verdicts"][name].update(figures)


def replaced(name, **verdict):
    return lambda predicate: predicate["verdicts"].update(
        {name: {"statement": predicate["verdicts"][name]["statement"], **verdict}}
    )


def figured(name, **figures):
    """Return a change of the figures that the evidence of a verdict is made from."""
    return lambda predicate: predicate["figures"][name].update(figures)


def with_more(name, figure, more):
    """Return a change by which one of these figures is more."""
    return lambda predicate: predicate["figures"][name].update(
        {figure: predicate["figures"][name][figure] + more}
    )


def as_too_many(most, written):
    """Return a change by which real ranks were not run, as they are more than `most`, where the
    figures have `written`.
    """

    def change(predicate):
        replaced("ran", verdict="Undecided", reason=too_many(4, most))(predicate)
        figured("ran", most=written)(predicate)

    return change


FORGED = {
    "a wider tolerance": of("rounding", tolerance=0.9, measured=0.8),
    "another formula": of("rounding", formula="0 u, proved"),
    "a test that is checked": replaced(
        "rounding", verdict="Checked", evidence="for all vectors", error=0.0
    ),
    "a check that is a test": replaced(
        "messages", verdict="Tested", measured=0.0, tolerance=0.0, formula="0"
    ),
    "a contract without error": of("contract", error=0.0),
    "a contract proved": of("contract", evidence="proved for every number of calls"),
    "smaller conjugates": (
        lambda predicate: predicate["verdicts"]["contract"].update(
            evidence=predicate["verdicts"]["contract"]["evidence"].replace("below 2^", "below 2^0")
        )
    ),
    "another contract": of("contract", statement="transform is always right"),
    "another function": of("function", evidence="proved"),
    "a function that is not certain": of("function", error=0.5),
    "a layout that is": of("layout", evidence="by induction"),
    "other messages": of("messages", evidence="rendezvous sends, 1 call of the communicator"),
    "a lower cost": of("cost", evidence="0 exchanges"),
    "another rounding": of("rounding", statement="transform rounds as well as can be"),
    "no fields": lambda predicate: predicate.update(fields=[]),
    "a field too many": lambda predicate: predicate["fields"].append(predicate["fields"][0]),
    "a field that is none": lambda predicate: predicate["fields"][0].update(q=15),
    "a root that is none": lambda predicate: predicate["fields"][0].update(w=1),
    "a root that is a text": lambda predicate: predicate["fields"][0].update(w="1"),
    "a seed that is a text": lambda predicate: predicate.update(seed="x"),
    "a seed below 0": lambda predicate: predicate.update(seed=-1),
    "another bound": lambda predicate: predicate.update(
        cited=[{"statement": "no error", "value": 0, "source": "it is known"}]
    ),
    "nothing assumed": lambda predicate: predicate.update(assumed=[]),
    "no number": of("contract", error=float("nan")),
    "no figures": lambda predicate: predicate.pop("figures"),
    "figures of no verdict": lambda predicate: predicate.update(figures={}),
    "a function without figures": lambda predicate: predicate["figures"].pop("function"),
    "figures of another verdict": lambda predicate: predicate["figures"].update(cost={"words": 0}),
    "figures that are none": lambda predicate: predicate["figures"].update(contract=[]),
    "a figure too many": figured("contract", proofs=1),
    "a figure too few": lambda predicate: predicate["figures"]["contract"].pop("fields"),
    "fewer fields": with_more("function", "fields", -1),
    "more fields": with_more("contract", "fields", 1),
    "fields that are a text": figured("contract", fields="1"),
    "fields that are no integer": with_more("contract", "fields", 0.0),
    "smaller conjugates as a figure": with_more("contract", "bits", -1.0),
    "larger conjugates as a figure": with_more("contract", "bits", 1.0),
    "conjugates between two tenths": with_more("contract", "bits", 0.04),
    "other conjugates of a function": with_more("function", "bits", 0.1),
    "conjugates that are an integer": lambda predicate: predicate["figures"]["contract"].update(
        bits=int(predicate["figures"]["contract"]["bits"])
    ),
    "conjugates that are no number": figured("contract", bits=float("nan")),
    "conjugates without end": figured("contract", bits=float("inf")),
    "ranks that were too many": figured("ran", most=3),
    "ranks that are true": figured("ran", most=True),
    "ranks below 0": figured("ran", most=-1),
    "more ranks than were too many": as_too_many(3, 16),
    "other ranks than were too many": as_too_many(3, 2),
    "ranks that were not too many": as_too_many(4, 4),
}


@pytest.mark.long
def test_real_ranks_that_are_too_many_are_no_forgery(certified, once, tmp_path):
    path = tmp_path / "fft.py"
    path.write_text(fft())
    statement = json.loads(certificate_path(certified["fft"]).read_text())
    as_too_many(3, 3)(statement["predicate"])
    certificate_path(path).write_text(json.dumps(statement))
    assert verify(path)[0].figures["ran"] == {"most": 3}


@pytest.fixture(scope="module")
def checked():
    """Return what the short check of each text finds, which is run once."""
    return cache(lambda name, text: tried(name, text, 1, short=True))


@pytest.fixture
def once(checked, monkeypatch):
    monkeypatch.setattr(
        "proofs.certify.program.tried", lambda name, text, seed, **options: checked(name, text)
    )


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_certificate_is_refused(certified, once, name, tmp_path):
    path = tmp_path / "fft.py"
    path.write_text(fft())
    statement = json.loads(certificate_path(certified["fft"]).read_text())
    FORGED[name](statement["predicate"])
    certificate_path(path).write_text(json.dumps(statement))
    with pytest.raises(
        ValueError, match=r"certificate|certify this text|seed|an error is a probability"
    ):
        verify(path)


def test_a_forged_certificate_of_a_program_with_another_main_is_refused(tmp_path):
    path = tmp_path / "fft.py"
    path.write_text(fft() + "\n")
    certificate = certify(path, ran=0)
    assert certificate.holds and isinstance(certificate.verdicts["main"], Undecided)
    assert verify(path)[0].holds
    statement = json.loads(certificate_path(path).read_text())
    FORGED["a contract proved"](statement["predicate"])
    certificate_path(path).write_text(json.dumps(statement))
    with pytest.raises(ValueError, match="contract cannot be"):
        verify(path)


def test_a_permutation_with_forged_figures_is_refused(certified, once, tmp_path):
    path = tmp_path / "permute.py"
    path.write_text(permutation())
    for name, figures in {
        "bytes": {"formula": "0 of all"},
        "contract": {"evidence": "by proof"},
        "function": {"evidence": "by proof"},
    }.items():
        statement = json.loads(certificate_path(certified["permute"]).read_text())
        statement["predicate"]["verdicts"][name].update(figures)
        certificate_path(path).write_text(json.dumps(statement))
        with pytest.raises(ValueError, match=f"{name} cannot be"):
            verify(path)


TOLD = {
    "an f-string of a class": "f'{Plan}'",
    "str of a plan": "str(plan)",
    "a format of a function": "'{}'.format(transform)",
    "a % of a list with a class": "'%s' % [Plan]",
    "str of an array of classes": "str(np.array([Plan], dtype=object))",
    "str by another name": "''.join(map(str, (Plan,)))",
}


@pytest.mark.parametrize("name", TOLD)
def test_the_text_of_what_has_an_address_or_a_module_is_not_modelled(name):
    assert "which are others in a simulated run" in said(
        changed_once(fft(), (START, START + f"    x = x * (1 + ('__main__' in {TOLD[name]}))\n"))
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("    assert x is x\n", "python -O leaves it out"),
        ("    x = x * (1 if __doc__ else 2)\n", "ask for __doc__"),
    ],
)
def test_what_an_option_of_python_changes_is_refused(line, words):
    assert words in said(changed_once(fft(), (START, START + line)))


def test_what_runs_when_the_process_ends_is_refused():
    late = "class Late:\n    def __del__(self):\n        pass\n\n\nLATE = Late()\n\n\n"
    assert "a __del__" in said(changed_once(fft(), (DEFINITION, late + DEFINITION)))
