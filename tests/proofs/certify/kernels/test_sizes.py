"""Kernels on vectors of another size, or with other lanes, than their memories have; and kernels
that differ in what they were made with alone.
"""

import pytest

from codegen.mpi.faults import NotModelled
from derive.verdict import Refuted
from proofs.certify.kernels.compiled import Compiler
from tests.support.changes import changed_once
from tests.support.judged import verdicts
from tests.support.lines import DEFINITION, START
from tests.support.programs import fft

LOADS = "load, load_pairs, broadcast = loads(DTYPE, W)"
COPIED = "def copied(x, y):\n    store_pairs(y, 0, 4, {}(x, 0, 4, 1))\n\n\n"
CALLED = "    fresh = aligned(M, {})\n    copied(memory_of(x), memory_of(fresh))\n"


def copying(loader, dtype="DTYPE"):
    """Return a program with a kernel that copies its first elements and a loader for it."""
    return changed_once(
        fft(64, 2, kernels="numba", dtype="complex64"),
        (DEFINITION, COPIED.format("load_some") + DEFINITION),
        (LOADS, f"{LOADS}\nload_some = {loader}\ncopied = compiled(copied)"),
        (START, START + CALLED.format(dtype)),
    )


WRONG = {
    "wider elements than the memory has": ('loads("complex128", 4)[1]',),
    "three lanes": ("loads(DTYPE, 3)[1]",),
    "more lanes than any vector": ("loads(DTYPE, 32)[1]",),
    "no lanes": ("loads(DTYPE, 0)[1]",),
    "lists of wider elements": ('(loads(DTYPE, 4)[1], lists("complex128", 4))[0]',),
    "a memory of other elements": ("loads(DTYPE, 4)[1]", '"complex128"'),
}


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", WRONG)
def test_a_vector_of_another_size_than_its_memory_is_not_modelled(name):
    with pytest.raises((ValueError, NotModelled), match=r"have one size|lanes are not modelled"):
        verdicts(copying(*WRONG[name]))


@pytest.mark.long
def test_such_a_kernel_with_the_size_of_the_program_is_taken():
    found = verdicts(copying("loads(DTYPE, 4)[1]"))
    assert [verdict for verdict in found.values() if isinstance(verdict, Refuted)] == []


def kernel(first, last=0, *, step=1):
    def counted(x, at=last, *, by=step):
        x[at] = first + by

    return counted


def test_kernels_are_compiled_once_for_what_they_were_made_with():
    pytest.importorskip("numba")
    compiler = Compiler()
    made = [compiler(kernel(*how)) for how in ((1,), (1,), (2,), (1, 1), (None,))]
    assert made[0] is made[1] and len(set(map(id, made))) == 4
    assert compiler(kernel(1, step=2)) is not made[0]
    assert compiler(kernel([])) is not compiler(kernel([]))
