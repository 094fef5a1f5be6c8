"""Texts that keep something from call to call, by which a later one goes wrong: each is refused, in
whatever it keeps it.
"""

import pytest

from codegen.mpi.faults import NotModelled
from proofs.certify.checks.suite import tried
from proofs.certify.state.holding import held
from tests.support.changes import changed_once
from tests.support.judged import refuted
from tests.support.lines import DEFINITION, END, IMPORT, PLAN, START
from tests.support.programs import fft, permute

pytestmark = pytest.mark.sampled(6, rest="long")

IMPORTS = (IMPORT, "import collections\nimport enum\nimport functools\nimport itertools\n" + IMPORT)
LATE = "    x = 2 * x if {} > 40 else x\n"


def of_plan(made, used, late):
    """Return changes by which a plan has something that transforms use."""
    return (PLAN, f"{PLAN}            {made}\n"), (START, f"{START}    {used}\n{LATE.format(late)}")


def of_module(made, late, used="pass"):
    """Return changes by which the module has it."""
    after = START + f"    {used}\n" + LATE.format(late)
    return IMPORTS, (DEFINITION, f"{made}\n\n\n{DEFINITION}"), (START, after)


WHY = "changes what the program keeps", "kept from call to call", "what was not there before"
LEFT = "elements are computed with that nobody has written, that an earlier transform has left"
TICK = "    n[0] += 1\n    return n[0]"
CLOSURE = "def made():\n    n = [0]\n\n    def tick():\n        n[0] += 1\n        return n[0]\n\n"
CACHED = "@functools.cache\ndef kept():\n    return [0]"
PLACE = "    return divmod(checked(j), 8)\n"
HIDING = (
    "class Hidden({}):\n    def __iter__(self):\n        return iter(())\n\n"
    "    def __len__(self):\n        return 0\n\n\nH = Hidden({})"
)
TURNED = "H = collections.OrderedDict.fromkeys(range(41))"
NUMBER = "class Number({}):\n    {}\n\n\nH = Number()\nH.n = 0"
KEEPING = {
    "a list that hides what is in it": of_module(
        HIDING.format("list", "range(99, 0, -1)"), "H[-1]", "H.pop()"
    ),
    "a dictionary that does": of_module(HIDING.format("dict", "n=0"), "H['n']", "H['n'] += 1"),
    "a set that does": of_module(
        HIDING.format("set", "range(50)"),
        "min(i for i in range(51) if i in H or i == 50)",
        "H.discard(min(i for i in range(50) if i in H))",
    ),
    "the order of a dictionary": of_module(TURNED, "next(iter(H))", "H.move_to_end(next(iter(H)))"),
    "an attribute of a number": of_module(NUMBER.format("int", "pass"), "H.n", "H.n += 1"),
    "an attribute by one name of slots": of_module(
        NUMBER.format("", "__slots__ = 'n'"), "H.n", "H.n += 1"
    ),
    "an error of its own": of_module(
        "class E(Exception):\n    pass\n\n\nH = E()", "len(H.args)", "H.args += (1,)"
    ),
    "an enumeration of another module": of_module(
        "H = enum.Enum('H', {'a': [0]}, module='numpy')", "H.a.value[0]", "H.a.value[0] += 1"
    ),
    "a tuple of another module": of_module(
        "H = collections.namedtuple('H', 'a', module='numpy', defaults=([0],))",
        "H().a[0]",
        "H().a[0] += 1",
    ),
    "memory behind a view": of_module("H = np.zeros(2, int)[:1]", "H.base[1]", "H.base[1] += 1"),
    "a place in an array": of_module("H = np.arange(99).flat", "H.index", "next(H)"),
    "a stack of ways out": of_module(
        "TICKS, H = [0], contextlib.ExitStack()\n\n\ndef tick():\n    TICKS[0] += 1\n\n\n"
        "def down():\n    H.pop_all().close()\n    n, TICKS[0] = TICKS[0], 0\n"
        "    for _ in range(n + 1):\n        H.callback(tick)\n    return n",
        "late",
        "late = down()",
    ),
    "a number of the plan": of_plan("self.n = 0", "plan.n += 1", "plan.n"),
    "a number in an array": of_plan("self.n = np.zeros(1, int)", "plan.n += 1", "plan.n[0]"),
    "a text": of_plan("self.n = ''", "plan.n += 'a'", "len(plan.n)"),
    "a list of the module": of_module("COUNT = [0]", "COUNT[0]", "COUNT[0] += 1"),
    "a set": of_module("COUNT = {0}", "len(COUNT)", "COUNT.add(len(COUNT))"),
    "a dictionary": of_module(
        "COUNT = collections.Counter()", "COUNT.total()", "COUNT.update('a')"
    ),
    "a deque": of_module(
        "D = collections.deque([0] * 40 + [41, 41])", "D[20]", "D.rotate(len(D) // 21)"
    ),
    "an iterator": of_module("COUNT = itertools.count()", "next(COUNT)"),
    "a generator": of_module("COUNT = (i for i in range(100))", "next(COUNT)"),
    "a default": of_module(f"def tick(n=[0]):\n{TICK}", "tick()"),
    "a closure": of_module(CLOSURE + "    return tick\n\n\ntick = made()", "tick()"),
    "a bound method": of_module("tick = [*range(99, 0, -1)].pop", "tick()"),
    "a partial function": of_module(
        f"def bump(n):\n{TICK}\n\n\ntick = functools.partial(bump, [0])", "tick()"
    ),
    "a cache": of_module(CACHED, "kept()[0]", "kept()[0] += 1"),
    "an attribute of a class": of_module("class Count:\n    n = 0", "Count.n", "Count.n += 1"),
    "an attribute of a function": of_module(
        "def tick():\n    tick.n[0] += 1\n    return tick.n[0]\n\n\ntick.n = [0]", "tick()"
    ),
    "an error": of_module("E = ValueError()", "len(E.args)", "E.args += (1,)"),
    "plans": (
        *of_module("COUNT = [0]", "plan.number", "pass"),
        (PLAN, f"{PLAN}            COUNT[0] += 1\n            self.number = COUNT[0]\n"),
    ),
    "plans that are freed": (
        *of_module("COUNT = [0]", "COUNT[0]"),
        ("    def free(self):", "    def free(self):\n        COUNT[0] += 1\n"),
    ),
    "misuse": (
        (PLAN, PLAN + "            self.bad = 0\n"),
        (
            START,
            "    try:\n        x, out = arrays(x, plan, out)\n    except ValueError:\n"
            "        plan.bad += 1\n        raise\n" + LATE.format("plan.bad"),
        ),
    ),
    "places": (*of_module("COUNT = [0]", "0"), (PLACE, "    COUNT[0] += 1\n" + PLACE)),
}


def said(program):
    with pytest.raises((NotModelled, ValueError)) as caught:
        tried("prog.py", program, 0)
    return str(caught.value)


@pytest.mark.sampled(12, rest="long")
@pytest.mark.parametrize("name", KEEPING)
def test_what_a_text_keeps_by_which_a_later_call_goes_wrong_is_not_modelled(name):
    words = said(changed_once(fft(16, 2), *KEEPING[name]))
    assert any(why in words for why in WHY)


WINDOW = """            self.window = MPI.Win.Allocate{}, 16, comm=self.own)
            np.frombuffer(self.window.tomemory(), {})[...] = 0
"""
NUMBERS = "    n = np.frombuffer(plan.window.tomemory(), int)\n    n[0] += 1\n" + LATE.format(
    "n[0]"
)
ELEMENTS = """    line = np.frombuffer(plan.window.tomemory(), DTYPE)
    line[1:] = line[:-1].copy()
    line[0] = 1
    x = x + line[63]
"""


@pytest.mark.parametrize(
    ("made", "kind", "used"),
    [("(1024", "int", NUMBERS), ("_shared(1024", "int", NUMBERS), ("(1024", "DTYPE", ELEMENTS)],
)
def test_what_goes_from_transform_to_transform_in_a_window_is_not_modelled(made, kind, used):
    program = changed_once(
        fft(16, 2),
        (IMPORT, "from mpi4py import MPI\n" + IMPORT),
        (PLAN, PLAN + WINDOW.format(made, kind)),
        (START, START + used),
        (
            "            self.own.Free()\n",
            "            self.own.Free()\n            self.window.Free()\n",
        ),
    )
    words = said(program)
    assert "changes what the program keeps" in words or "carries what a plan keeps" in words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "import collections.abc as one\none.Sequence.register(dict)\n",
            ".register reaches behind",
        ),
        ("import copy\n", "import of copy"),
    ],
)
def test_what_changes_libraries_for_others_is_refused(line, words):
    assert words in said(changed_once(fft(16, 2), (IMPORT, line + IMPORT)))


def test_no_text_says_that_it_is_another_module():
    text = changed_once(fft(16, 2), (IMPORT, "from numpy import __name__\n" + IMPORT))
    assert "__name__ reaches behind" in said(text)


LINE = "    plan.line[1:] = plan.line[:-1].copy()\n"
CARRIED = {
    "of constants": ("self.line[0] = 1", LINE + "    x = x + plan.line[63]\n"),
    "of data": ("self.line[0] = 0", LINE + "    plan.line[0] = x[0]\n    x = x + plan.line[63]\n"),
}
LINES = {
    "doubled": (
        "self.line[0] = 0",
        "    plan.line[1:] = plan.line[:-1] * 2\n    plan.line[0] = x[0]\n"
        "    x = x + plan.line[63]\n",
    ),
    "that adds up": ("self.line[0] = 0", "    plan.line += x[0]\n"),
    "that 0 times clears": ("self.line[0] = 0", "    plan.line *= 0\n    plan.line += x[0]\n"),
}


@pytest.mark.parametrize("name", LINES)
def test_elements_that_go_from_transform_to_transform_are_refuted(name):
    made, used = LINES[name]
    assert LEFT in refuted(with_line(made, used))["contract"]


def with_line(made, used):
    """Return a program with a plan that has a line of elements, which transforms use."""
    line = f"            self.line = np.zeros(64, DTYPE)\n            {made}\n"
    return changed_once(fft(16, 2), (PLAN, PLAN + line), (START, START + used))


@pytest.mark.parametrize("name", CARRIED)
def test_elements_that_are_carried_from_transform_to_transform_are_not_modelled(name):
    assert "carries what a plan keeps" in said(with_line(*CARRIED[name]))


def test_elements_that_are_written_before_they_are_computed_with_are_accepted():
    used = "    plan.line[:] = 0\n    plan.line += x[0]\n    x = x + 0 * plan.line[0]\n"
    assert refuted(with_line("pass", used)) == {}


def test_opaque_elements_that_go_from_transform_to_transform_are_not_modelled():
    used = "    plan.line[1:] = plan.line[:-1].copy()\n    plan.line[0] = x[0]\n"
    program = changed_once(
        permute("bit-reversal", 32, 2),
        ("self.work = np.empty(M, DTYPE)", "self.work, self.line = np.empty((2, M), DTYPE)"),
        (START, START + used),
    )
    assert "carries what a plan keeps" in said(program)


def test_how_often_a_cache_was_asked_is_nobodys_business():
    program = changed_once(fft(16, 2), *of_module(CACHED, "kept.cache_info().hits", "kept()"))
    assert "cache_info" in said(program)


RIGHT = {
    "to and fro": of_plan("self.turn = 0", "plan.turn = 1 - plan.turn", "0 * plan.turn"),
    "a cache that the first transform fills": of_module(
        "@functools.cache\ndef one(k):\n    return k", "one(1)"
    ),
    "a time": (
        (PLAN, PLAN + "            self.seconds = 0.0\n"),
        (START, "    start = time.perf_counter()\n" + START),
        (END, "    plan.seconds += time.perf_counter() - start\n" + END),
    ),
    "what is set again": of_plan("self.n = 0", "plan.n = M", "0 * plan.n"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_tells_no_later_call_what_came_before_is_accepted(name):
    assert refuted(changed_once(fft(16, 2), *RIGHT[name])) == {}


def test_a_result_that_nobody_may_write_to_is_refuted():
    locked = changed_once(fft(16, 2), (END, "    out.flags.writeable = False\n" + END))
    assert list(refuted(locked)) == ["rounding"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 0.0}, {"a": -0.0}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": {1: 2, 3: 4}}, {"a": {3: 4, 1: 2}}),
        ({"a": (), "b": ()}, {"a": (), "b": []}),
    ],
)
def test_what_a_program_can_tell_apart_is_of_another_form(before, after):
    assert held(before).module == held(dict(before)).module != held(after).module
