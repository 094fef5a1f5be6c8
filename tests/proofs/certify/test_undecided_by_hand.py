"""Programs by hand that are undecided name what leaves them so, its line, and a remedy."""

from __future__ import annotations

import pytest

from proofs.certify.evaluation import places
from tests.support.by_hand import Wrong, changed
from tests.support.certified import fate_of
from tests.support.refused import HOLDS, UNDECIDED

IMPORT = "import numpy as np\n"
PLACE = "def input_place(j):\n"
BEGINS = '    """Allgather, then one transform of length N on each rank."""\n'
EDITS = [
    (PLACE, f"{PLACE}    while True:\n        j = j + 0\n", "line 15: input_place takes more than"),
    (BEGINS, f"{BEGINS}    x = transform(x, plan)\n", "line 40: the program calls itself too deep"),
    ("comm.Dup()", "MPI.COMM_WORLD.Dup()", "COMM_WORLD is not in the language; plan(comm) is"),
]


@pytest.mark.parametrize(("old", "new", "words"), EDITS)
def test_what_is_undecided_has_its_line_and_a_remedy(old, new, words, tmp_path, monkeypatch):
    monkeypatch.setattr(places, "CALLS", 400)
    source = changed("allgather_whole", Wrong(old, new))
    found = fate_of(source.replace(IMPORT, f"{IMPORT}from mpi4py import MPI\n"), tmp_path)
    assert found.fate == UNDECIDED
    assert found.reason.startswith("line ") and words in found.reason


def test_the_method_dot_of_constants_takes_data(tmp_path):
    row = "np.exp(-2j * np.pi * (k * np.arange(N) % N) / N)"
    rows = f"np.stack([{row}.dot(plan.whole) for k in range(N)])"
    source = changed("allgather_whole", Wrong("np.fft.fft(plan.whole)", rows))
    assert fate_of(source, tmp_path).fate == HOLDS
