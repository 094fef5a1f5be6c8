"""What a run leaves open: unwritten memory, orders of sets, how numpy treats errors, where x lies,
and when a program looks at what it is given.
"""

import numpy as np
import pytest

from codegen.mpi.accidents import ACCIDENTS, under
from codegen.mpi.memory.buffers import Buffer, NotModelled, poison
from codegen.mpi.simulate import run
from proofs.certify.arrays.numpy_stand_in import numpy_with_poison
from proofs.certify.failures import Wrong
from proofs.certify.sandbox import set_order
from proofs.certify.workers import on_ranks
from tests.support.changes import changed_once
from tests.support.in_process import once, right
from tests.support.judged import refuted
from tests.support.lines import DEFINITION, END, IMPORT, PLAN, START
from tests.support.programs import fft

pytestmark = pytest.mark.sampled(8, rest="long")

KINDS = (bool, np.int8, np.int64, np.uint16, np.float32, float, complex)


@pytest.mark.parametrize("dtype", KINDS)
def test_unwritten_memory_holds_something_else_under_every_accident(dtype):
    found = []
    for number in range(len(ACCIDENTS)):
        with under(number):
            fresh = numpy_with_poison().empty((3, 4), dtype)
            like = numpy_with_poison().empty_like(np.zeros(12, dtype))
        assert fresh.tobytes() == like.tobytes()
        found.append(fresh.tobytes())
    assert len({*found}) == len(ACCIDENTS)


def test_truth_values_that_nobody_has_written_are_either():
    firsts = []
    for number in range(len(ACCIDENTS)):
        with under(number):
            firsts.append(bool(numpy_with_poison().empty(1, bool)[0]))
    assert {*firsts} == {True, False}


def test_an_accident_is_over_when_an_error_ends_it():
    with pytest.raises(ZeroDivisionError), under(2):
        raise ZeroDivisionError
    assert np.isnan(numpy_with_poison().empty(2)).all()


@pytest.mark.parametrize("number", range(len(ACCIDENTS)))
@pytest.mark.parametrize("dtype", KINDS)
def test_a_buffer_is_known_to_be_unwritten_under_every_accident(number, dtype):
    with under(number):
        buffer = Buffer(np.zeros(300, dtype), (150, 150), (0, 150))
        buffer.poison(1)
        assert buffer.poisoned(1) and (dtype is bool or number == 2 or not buffer.poisoned(0))
        poison(columns := np.zeros((3, 4), dtype).T)
        assert columns.T.tobytes() != np.zeros((3, 4), dtype).tobytes() or number == 2


def orders_of(members, ranks=4):
    """Return the order of a set on each rank, under every accident."""
    found = []
    for number in range(4):
        with under(number):
            found.append(
                run(
                    ranks, lambda comm: (list(set_order.Set(members)), list(set_order.Set(members)))
                ).results
            )
    return found


def test_a_set_is_gone_through_alike_within_a_run_and_unlike_on_ranks_and_in_runs():
    found = orders_of(["a", "b"])
    assert all(first == second for results in found for first, second in results)
    assert all(len({tuple(first) for first, _ in results[:2]}) == 2 for results in found)
    for rank in range(4):
        assert len({tuple(results[rank][0]) for results in found}) == 2


@pytest.mark.parametrize(
    "members", [[3, 1, 2], [(1, 2), (0, 5)], [1.5, 2j, True], [np.int64(7), 3]]
)
def test_a_set_of_numbers_keeps_its_order(members):
    assert len({str(first) for results in orders_of(members) for first, _ in results}) == 1


UNWRITTEN = {
    "a truth value": "np.empty(1, bool)[0]",
    "a number that no run has": "np.empty(1)[0] == 3.7",
    "an integer beside others": "np.empty(3, np.int64)[1] == 12345",
    "real numbers where elements are complex": "np.empty(M, float).max() > 1",
    "what is made like another": "np.empty_like(np.ones(4, bool)).all()",
}


@pytest.mark.parametrize("name", UNWRITTEN)
def test_ordinary_numbers_that_nobody_has_written_are_not_modelled(name):
    line = f"    x = 2 * x if {UNWRITTEN[name]} else x\n"
    with pytest.raises(NotModelled, match=r"np\.empty(_like)? of numbers of .* that are no data"):
        once(changed_once(fft(), (START, START + line)))


def test_an_array_of_ordinary_numbers_may_have_no_entries_or_hold_zeros():
    made = "    none = np.empty((2, 0), int)\n    x = x + np.zeros(M)[none.size]\n"
    assert refuted(changed_once(fft(), (START, START + made))) == {}


def test_a_place_does_not_depend_on_what_nobody_has_written():
    lines = (
        "    s, o = divmod(checked(j), 4)\n    return s, o if np.empty(1)[0] != 3.7 else 0 * o\n"
    )
    with pytest.raises(NotModelled, match="that are no data"):
        refuted(changed_once(fft(), (PLACE, lines)))


FRESH = "    fresh = np.empty(M, DTYPE)\n"
COMPUTED = {
    "0 times": "x = x + 0 * fresh",
    "0 times, in place": "fresh *= 0; fresh += x; x = fresh",
    "less itself": "x = x + (fresh - fresh)",
    "half of it written": "fresh[::2] = x[::2]; x = x + 0 * fresh",
    "its real part": "x = x + 0 * fresh.real",
    "its conjugate": "x = x + (fresh.conj() - fresh.conj())",
    "its sum": "x = x + 0 * fresh.sum()",
    "its transform": "x = x + 0 * np.fft.fft(fresh)",
    "a product with a matrix of zeros": "x = x + np.zeros((M, M)) @ fresh",
    "the same by np.dot": "x = x + np.dot(np.zeros((M, M)), fresh)",
    "what is on its way": (
        "request = plan.own.Irecv(fresh, plan.own.rank); x = x + 0 * fresh;"
        " plan.own.Send(x, plan.own.rank); request.Wait()"
    ),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_elements_that_nobody_has_written_are_not_computed_with(name):
    """0 times what is no number is no number."""
    wrong = changed_once(fft(), (START, f"{START}{FRESH}    {COMPUTED[name]}\n"))
    with pytest.raises(Wrong, match=r"elements are computed with that nobody has written"):
        right(once(wrong)[0])


@pytest.mark.parametrize(
    "line", ["fresh[:] = x; x = fresh", "fresh = fresh.copy()", "fresh[:0] *= 0"]
)
def test_elements_that_nobody_has_written_may_be_written_and_moved(line):
    right(once(changed_once(fft(), (START, f"{START}{FRESH}    {line}\n")))[0])


@pytest.mark.parametrize("more", ["", ", out=None", ", out=np.zeros(M, int)"])
def test_entries_that_a_function_leaves_out_are_written_by_nobody(more):
    line = f"        self.steps = np.floor_divide(M, np.arange(M), where=np.arange(M) > 0{more})\n"
    with pytest.raises(ValueError, match="where= leaves entries that nobody writes"):
        refuted(changed_once(fft(), (PLAN, PLAN + line)))


LEFT_OUT = {
    "by another name": ("f(np.ones(3), where=np.zeros(3, bool))", ValueError),
    "by part of a function": (
        "functools.partial(np.sqrt, where=np.zeros(3, bool))(np.ones(3))",
        ValueError,
    ),
    "in a dictionary": ("np.sqrt(np.ones(3), **{'where': np.zeros(3, bool)})", NotModelled),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_entries_are_left_out_in_no_other_words(name):
    asked, error = LEFT_OUT[name]
    changes = (
        (IMPORT, "import functools\n\n" + IMPORT),
        (DEFINITION, "f = np.sqrt\n\n\n" + DEFINITION),
    )
    line = f"    x = 2 * x if {asked}[0] == 3.7 else x\n"
    with pytest.raises(error, match="where= leaves entries that nobody writes"):
        once(changed_once(fft(), *changes, (START, START + line)))


def test_arguments_may_be_handed_on_by_name():
    line = "    x = np.add(x, 0, **{'out': None})\n"
    right(once(changed_once(fft(), (START, START + line)))[0])


CHOSEN = {
    "on one rank": (
        "",
        "    if plan.comm.rank == 0 and next(iter({'a', 'b'})) == 'b':\n        x = 2 * x\n",
    ),
    "sent by one rank": (
        "        self.way = comm.bcast(list({'a', 'b'})[0] if comm.rank == 0 else None)\n",
        "    x = x if plan.way == 'a' else 2 * x\n",
    ),
    "taken out on one rank": (
        "",
        "    if plan.comm.rank == 1 and {'a', 'b', 'c'}.pop() == 'b':\n        x = 2 * x\n",
    ),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_a_result_that_depends_on_the_order_of_a_set_on_one_rank_is_refused(name):
    made, chosen = CHOSEN[name]
    assert list(refuted(changed_once(fft(), (PLAN, PLAN + made), (START, START + chosen)))) in (
        ["contract"],
        ["function"],
    )


def test_the_order_of_a_set_on_a_single_rank_is_no_order():
    chosen = "    x = x if next(iter({'a', 'b'})) == 'a' else 2 * x\n"
    assert list(refuted(changed_once(fft(16, 1), (START, START + chosen)))) == ["contract"]


def test_a_sorted_set_may_be_sent_by_one_rank():
    made = CHOSEN["sent by one rank"][0].replace("list(", "sorted(")
    assert (
        refuted(
            changed_once(fft(), (PLAN, PLAN + made), (START, START + CHOSEN["sent by one rank"][1]))
        )
        == {}
    )


GAPS = "    if not x.flags.c_contiguous and x.flags.writeable:\n"
OF_X = {
    "zeroed where it has gaps": (
        GAPS + "        y = x.copy()\n        x[:] = 0\n        x = y\n",
        ["contract"],
    ),
    "copied where it has gaps": (GAPS + "        x = x.copy()\n", []),
}


def test_what_an_x_with_gaps_lies_in_is_not_modelled():
    with pytest.raises(NotModelled):
        refuted(
            changed_once(fft(), (START, GAPS + "        x.base[:] = np.repeat(x, 2)\n" + START))
        )


@pytest.mark.parametrize("name", OF_X)
def test_an_x_with_gaps_is_left_as_it_was(name):
    lines, faults = OF_X[name]
    assert list(refuted(changed_once(fft(), (START, lines + START)))) == faults


ARITHMETIC = "np.divide(1.0, np.zeros(1))"
STRICT = {
    "divides by zero": (f"    {ARITHMETIC}\n", ["contract"]),
    "multiplies what is no number": ("    np.multiply(np.full(1, np.inf), 0)\n", ["contract"]),
    "divides by zero where that is ignored": (
        f"    with np.errstate(all='ignore'):\n        {ARITHMETIC}\n",
        [],
    ),
}


def test_a_plan_raises_nothing_where_numpy_raises_exceptions():
    assert list(
        refuted(changed_once(fft(), (PLAN, PLAN + "        np.exp(np.full(1, 1000.0))\n")))
    ) == ["contract"]


@pytest.mark.parametrize("name", STRICT)
def test_a_transform_raises_nothing_where_numpy_raises_exceptions(name):
    line, faults = STRICT[name]
    assert list(refuted(changed_once(fft(), (START, START + line)))) == faults


SEEN = (
    (PLAN, PLAN + "        self.seen = self.kept = None\n"),
    (END, "    plan.kept = out.copy()\n" + END),
    (
        START,
        "    given = x\n" + START + "    if plan.seen is given{}:\n"
        "        np.copyto(out, plan.kept)\n        return out\n    plan.seen = given\n",
    ),
)


@pytest.mark.long
def test_a_result_that_is_remembered_by_its_array_is_another_one_when_that_has_changed(monkeypatch):
    for name in ("transforms", "transformed"):  # else it is not modelled
        monkeypatch.setattr(on_ranks.Record, name, lambda *_: None)
    always, never = (
        (*SEEN[:2], (SEEN[2][0], SEEN[2][1].format(words))) for words in ("", " and False")
    )
    assert list(refuted(changed_once(fft(), *always))) == ["contract"]
    assert refuted(changed_once(fft(), *never)) == {}


LOOKED_AT = "    elif held is not out:\n", "    return np.ascontiguousarray(x)"
LOOK = (
    "    if np.asarray(given) is not given or not given.flags.carray"
    " or np.shares_memory(first, given):\n        raise ValueError('out')\n"
)
LOOKS = {"before": (LOOK, "", []), "after": ("", LOOK, ["contract"])}


@pytest.mark.parametrize("name", LOOKS)
def test_an_out_is_looked_at_before_the_exchanges(name):
    before, after, faults = LOOKS[name]
    kept = "    given, out = out, np.empty(M, DTYPE)\n"
    program = changed_once(
        fft(),
        (START, "    first = x\n" + START + kept + before),
        (END, f"{after}    given[:] = out\n    out = given\n" + END),
    )
    begin, end = map(program.index, LOOKED_AT)
    program = program[:begin] + program[end:]
    assert list(refuted(program)) == faults


PLACE = "    return divmod(checked(j), 4)\n"
OF_TABLES = {
    "turned": "    j = np.asarray(j)\n    j = j.T if j.ndim == 2 else j\n",
    "in a row": "    j = np.asarray(j)\n    j = j.ravel() if j.ndim == 2 else j\n",
    "of 32 bits only": "    j = np.asarray(j)\n    j = j ^ 1 if j.dtype == np.int32 else j\n",
}


@pytest.mark.parametrize("name", OF_TABLES)
def test_places_of_an_index_array_have_its_shape(name):
    assert list(refuted(changed_once(fft(), (PLACE, OF_TABLES[name] + PLACE)))) == ["layout"]
