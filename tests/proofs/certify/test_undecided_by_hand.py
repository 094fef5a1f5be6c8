"""Programs by hand that are undecided name what leaves them so, its line, and a remedy."""

from __future__ import annotations

import pytest

from proofs.certify.evaluation import evaluated_places, ranks
from proofs.certify.language.limits import STEP
from tests.support.by_hand import Wrong, changed, edited, gathered
from tests.support.certified import fate_of
from tests.support.refused import HOLDS, REFUTED, UNDECIDED

IMPORT = "import numpy as np\n"
PLACE = "def input_place(j):\n"
BEGINS = '    """Allgather, then one transform of length N on each rank."""\n'
EDITS = [
    (PLACE, f"{PLACE}    while True:\n        j = j + 0\n", "line 15: input_place takes more than"),
    (BEGINS, f"{BEGINS}    x = transform(x, plan)\n", "line 40: the program calls itself too deep"),
    (BEGINS, f"{BEGINS}    x = x * MPI.Wtime()\n", "depends on MPI.Wtime, whose value is not"),
    ("comm.Dup()", "MPI.COMM_WORLD.Dup()", "COMM_WORLD is not in the language; plan(comm) is"),
    (
        BEGINS,
        f"{BEGINS}    mine, more = plan.own.rank, np.zeros(9)\n"
        "    plan.own.Sendrecv(more[:4], mine, recvbuf=more[4:], source=mine)\n",
        "of a message of 4 elements of float64; receive them into a slice",
    ),
]
OWN = "        self.own = comm.Dup()\n"
CLASS = "class Plan:\n"
KEPT = [
    (OWN, f"{OWN}        global COUNT\n        COUNT = comm.rank\n", "plan changes COUNT, a name"),
    (OWN, f"{OWN}        CACHE[comm.rank] = 1\n", "plan changes CACHE, a name of the module,"),
    (BEGINS, f"{BEGINS}    CACHE[len(CACHE)] = 1\n", "transform changes CACHE, a name of"),
    (
        *(BEGINS, f"{BEGINS}    plan.more.append(1)\n"),
        "transform changes the attribute more of the plan,",
    ),
    (OWN, f"{OWN}        Plan.calls.append(1)\n", "plan changes the attribute Plan.calls,"),
    (OWN, f"{OWN}        Plan.last = comm.rank\n", "plan changes the attribute Plan.last,"),
    (
        BEGINS,
        f"{BEGINS}    KINDS[0].calls.append(1)\n",
        "transform changes the attribute Plan.calls,",
    ),
    (
        BEGINS,
        f"{BEGINS}    LOGS[0].calls.append(1)\n",
        "transform changes the attribute Log.calls,",
    ),
]


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("old", "new", "words"), KEPT)
def test_what_changes_from_call_to_call_is_named_with_its_line(old, new, words, tmp_path):
    source = changed("allgather_whole", Wrong(old, new))
    source = source.replace(CLASS, f"CACHE, COUNT = {{}}, 0\n\n\n{CLASS}    calls = []\n\n")
    logs = "class Log:\n    calls = []\n\n\nKINDS, LOGS = [Plan], [Log]\n\n\ndef plan(comm):\n"
    source = source.replace("def plan(comm):\n", logs)
    source = source.replace("self.whole = np.zeros", "self.more, self.whole = [], np.zeros")
    line = 1 + source.splitlines().index(new.splitlines()[-1])
    found = fate_of(source, tmp_path)
    assert found.fate == UNDECIDED
    assert found.reason.startswith(f"line {line}: {words}")


@pytest.mark.parametrize(("old", "new", "words"), EDITS)
def test_what_is_undecided_has_its_line_and_a_remedy(old, new, words, tmp_path, monkeypatch):
    monkeypatch.setattr(evaluated_places, "CALLS", 400)
    source = changed("allgather_whole", Wrong(old, new))
    found = fate_of(source.replace(IMPORT, f"{IMPORT}from mpi4py import MPI\n"), tmp_path)
    assert found.fate == UNDECIDED
    assert found.reason.startswith("line ") and words in found.reason


def test_a_plan_that_never_ends_is_undecided_by_the_steps_that_it_takes(tmp_path, monkeypatch):
    monkeypatch.setattr(ranks, "PLAN", 1 << 14)
    begins = "def plan(comm):\n"
    source = changed("allgather_whole", Wrong(begins, f"{begins}    while True:\n        pass\n"))
    words = "line 34: plan takes more than 131072 steps on rank 0 without a message; a step is a"
    assert fate_of(source, tmp_path).reason.startswith(words)


def test_a_transform_that_never_ends_is_undecided_by_steps_that_grow_with_its_array(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(ranks, "OF_ANY", 1 << 16)
    source = changed("allgather_whole", Wrong(BEGINS, f"{BEGINS}    while True:\n        pass\n"))
    steps = ranks.OF_ANY + ranks.OF_ELEMENT * 64
    words = f"line 41: transform takes more than {steps} steps on rank 3 without a message; {STEP}"
    assert fate_of(source, tmp_path).reason == words


@pytest.mark.long
def test_the_method_dot_of_constants_takes_data(tmp_path):
    row = "np.exp(-2j * np.pi * (k * np.arange(N) % N) / N)"
    rows = f"np.stack([{row}.dot(plan.whole) for k in range(N)])"
    source = edited(gathered(), Wrong("np.fft.fft(plan.whole)", rows))
    assert fate_of(source, tmp_path).fate == HOLDS


def test_a_value_whose_state_is_unknown_is_named(tmp_path):
    source = changed("allgather_whole", Wrong(OWN, f"{OWN}        self.turns = zip([0], [1])\n"))
    words = "the program keeps a zip, whose state is unknown, under the name turns"
    assert fate_of(source, tmp_path).reason == words


@pytest.mark.long
def test_a_counter_that_is_an_attribute_of_a_class_is_right_where_nothing_depends_on_it(tmp_path):
    counter = '    """Twiddles of all stages, a counter and a clock."""\n'
    source = changed("counter", Wrong(counter, f"{counter}\n    calls = 0\n"))
    counts = "    plan.transforms += 1\n"
    right = source.replace(counts, "    Plan.calls += 1\n")
    assert fate_of(right, tmp_path).fate == HOLDS
    wrong = right.replace("np.divide(a, N, out=out)", "np.divide(a, N + Plan.calls // 99, out=out)")
    assert fate_of(wrong, tmp_path).fate == UNDECIDED


def test_a_plan_that_counts_in_communicators_that_it_frees_is_undecided(tmp_path):
    source = changed(
        "allgather_whole", Wrong(BEGINS, f"{BEGINS}    next(filter(None, plan.spares)).Free()\n")
    )
    free = "        self.own.Free()\n"
    rest = "        for each in filter(None, self.spares):\n            each.Free()\n"
    source = source.replace(OWN, f"{OWN}        self.spares = [comm.Dup() for _ in range(60)]\n")
    found = fate_of(source.replace(free, free + rest), tmp_path)
    assert found.fate == UNDECIDED
    assert "transform changes the attribute spares of the plan," in found.reason


RECEIVED = "    y[plan.offsets] = plan.recv\n"
COMPUTED = [
    ("int64", "plan.recv + 0", UNDECIDED),
    ("int64", "plan.recv + 1", REFUTED),
    ("float64", "plan.recv + 0", REFUTED),
    ("float64", "-(-plan.recv)", UNDECIDED),
    ("int32", "plan.recv.astype(np.float64).astype(np.int32)", UNDECIDED),
    ("float64", "plan.recv.astype(np.float32)", REFUTED),
    ("complex128", "plan.recv.real + 1j * plan.recv.imag", REFUTED),
    ("complex128", "plan.recv.conj().conj()", UNDECIDED),
]
"""What a permutation computes, and what becomes of it: NaN and -0 plus 0 have other bytes."""


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("dtype", "value", "fate"), COMPUTED)
def test_a_permutation_that_computes_is_refuted_where_it_changes_bytes(
    dtype, value, fate, tmp_path
):
    source = changed("permute_indices", Wrong(RECEIVED, RECEIVED.replace("plan.recv", value)))
    found = fate_of(source.replace("float64", dtype, 1), tmp_path)
    assert found.fate == fate
    assert "line 53" in found.reason and ("has the bytes" in found.reason) == (fate == REFUTED)


@pytest.mark.long
@pytest.mark.parametrize(("number", "fate"), [(0, HOLDS), (-1, HOLDS), (0, REFUTED)])
def test_a_permutation_may_fill_an_array_before_it_moves_elements_there(number, fate, tmp_path):
    fill = f"    y[...] = {number}\n"
    lines = RECEIVED + fill if fate == REFUTED else fill + RECEIVED
    found = fate_of(changed("permute_indices", Wrong(RECEIVED, lines)), tmp_path)
    assert found.fate == fate
    if fate == REFUTED:
        assert found.reason.startswith("y[0] is a number of the program, not x[0]")
