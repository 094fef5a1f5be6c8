"""Ordinary ways to write a right program, which are accepted, each beside a wrong one like it; what
is not modelled is not refuted.
"""

import pytest

from codegen.mpi.faults import NotModelled
from proofs.certify.failures import Wrong
from tests.support.changes import changed, changed_once
from tests.support.in_process import once, right
from tests.support.judged import refuted
from tests.support.lines import START
from tests.support.programs import fft as program
from tests.support.styles import PAIRS, written

pytestmark = pytest.mark.sampled(8)


@pytest.mark.parametrize("name", PAIRS)
def test_a_right_program_in_an_ordinary_style_is_accepted(name):
    right(once(written(**PAIRS[name][0]))[0])


@pytest.mark.parametrize("name", PAIRS)
def test_a_wrong_program_like_it_is_refused(name):
    with pytest.raises(Wrong):
        right(once(written(**PAIRS[name][1]))[0])


NOT_MODELLED = {
    "a clock that is compared": (
        {"line": "x = x if time.perf_counter() > 0 else 2 * x"},
        "what a clock says",
    ),
    "a clock in an array": ({"line": "np.zeros(1)[0] = time.perf_counter()"}, "what a clock says"),
    "a clock that is printed": ({"line": "told = f'{time.time()}'"}, "what a clock says"),
    "a class that makes classes": ({"line": "x = type('A', (), {}) and x"}, "type"),
    "what a communicator is": (
        {"line": "x = x if isinstance(plan.comm, int) else x"},
        "isinstance",
    ),
    "an attribute of a communicator": (
        {"line": "x = x if getattr(plan.comm, 'rank') + 1 else x"},
        "getattr",
    ),
    "a mask": (
        {"line": "y = x.copy(); np.copyto(y, x, 'same_kind', np.arange(M) % 2 == 0); x = y"},
        "where",
    ),
    "a sum of several axes": (
        {"line": "x = x + 0 * x.reshape(2, -1).sum(axis=(0, 1))"},
        "several axes",
    ),
    "elements of a generator": (
        {"line": "x = np.fromiter((v for v in x), DTYPE, M)"},
        "numbers of Python",
    ),
    "an object that pickles itself": (
        {
            "line": "plan.own.bcast(Held(), root=0)",
            "code": "class Held:\n    def __reduce__(self):\n        return Held, ()",
        },
        "pickles itself",
    ),
}


@pytest.mark.parametrize("name", NOT_MODELLED)
def test_what_is_not_modelled_says_so_by_name(name):
    given, words = NOT_MODELLED[name]
    with pytest.raises(NotModelled, match=words):
        once(written(**given))


WITHOUT_SYS = (("import sys\n", ""), ("    sys.exit(main(sys.argv[1:]))\n", "    main(None)\n"))


def test_a_program_without_sys_is_certified():
    assert refuted(changed_once(program(), *WITHOUT_SYS)) == {}


def test_a_wrong_program_without_sys_is_refused():
    assert list(
        refuted(changed_once(program(), *WITHOUT_SYS, (START, START + "    x = 2 * x\n")))
    ) == ["function"]


def shared():
    return program(exchange="shared")


BARRIER = "        self.comm.Barrier()\n"


@pytest.mark.long
def test_a_barrier_may_be_begun_and_waited_for():
    begun = changed(shared(), ("self.comm.Barrier()", "self.comm.Ibarrier().Wait()"))
    assert refuted(begun) == {}


@pytest.mark.parametrize(
    ("instead", "words"),
    [
        ("        self.comm.Ibarrier()\n", "request lifecycle"),
        ("        self.comm.Ibarrier().Test()\n", ""),
    ],
)
def test_a_barrier_that_is_not_waited_for_is_refused(instead, words):
    try:
        found = refuted(changed_once(shared(), (BARRIER, instead)))
    except NotModelled:
        return
    assert words in found["messages"]


def test_memory_that_all_have_written_before_is_not_read_without_a_barrier():
    made, stored = "self.segments = ...", "stored = messages[self.turn]\n"
    written = f"{made}\nself.segments[self.comm.rank][:] = 0\nself.wait()"
    waited = f"{stored}self.wait()", f"{stored}self.memory.Sync()"
    found = refuted(changed_once(shared(), (made, written), waited))
    assert list(found) == ["messages"]
    assert "global concurrency" in found["messages"]


def test_shared_memory_between_a_barrier_and_its_wait_is_not_modelled():
    begin, end = "        request = self.comm.Ibarrier()\n", "        request.Wait()\n"
    with pytest.raises(NotModelled, match="is not waited for"):
        refuted(
            changed_once(
                shared(),
                (
                    BARRIER + "        self.memory.Sync()\n",
                    begin + "        self.memory.Sync()\n" + end,
                ),
            )
        )
