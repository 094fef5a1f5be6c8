"""A refuted transform names a wrong output as a number, and the superstep from which on the data are
wrong.
"""  # noqa: E501

from __future__ import annotations

import re

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from proofs.certify.evaluation import forms
from proofs.certify.exact.data import Data
from tests.support import by_hand
from tests.support.changes import changed
from tests.support.judged import refuted
from tests.support.programs import permute

TURNED = "{}[5] *= -1"
FFT = (
    ("plan.own.Alltoall(work, out)", "work"),
    ("plan.own.Alltoall(out, work)\n    np.multiply", "out"),
    ("plan.own.Alltoall(out, work)\n    np.copyto", "out"),
    ("return out\n\n\ndef root", "out"),
)
KERNELS = (
    ("plan.mail.exchange()", "work"),
    ("plan.mail_2.exchange()", "work"),
    ("return out\n\n\ndef root", "out"),
)
EXCHANGED = {
    exchange: make_request("fft", 64, 4, exchange=exchange)
    for exchange in ("pairwise", "nonblocking", "replace", "shared", "auto", "node-aware")
}
"""Programs in which an array after the second transform is sent; its name is out or work."""
HYPERCUBE = (
    ("plan.own.Alltoall(out, work)", "out"),
    ("for channel in range(2)", "work"),
    ("plan.own.Alltoallv([work", "work"),
    ("return out\n\n\ndef root", "out"),
)
WORK = "plan.own.Alltoall(work.view(DTYPE), out.view(DTYPE))"
OUT = "plan.own.Alltoall(out.view(DTYPE), work.view(DTYPE))"
REAL = (
    (WORK, "work"),
    (f"{OUT}\n    np.multiply", "out"),
    ("untangle(out", "out"),
    (f"{OUT}\n    np.copyto", "out"),
    ("return y\n", "out"),
)
REAL_BACK = (REAL[0], REAL[2], REAL[1], *REAL[3:])
ROWS = (
    (f"{OUT}\n\n    # (I_4 ⊗ F_8)", "out"),
    (f"{OUT}\n    np.copyto", "out"),
    ("return y", "out"),
)
LISTS = (
    ("exchange_list(plan.own", "work"),
    ("# L_3 L_2", "work"),
    ("# L_6", "work"),
    ("return out", "out"),
)
AXES = (("# L^64_4", "work"), ("# L^64_16", "out"), ("return y\n", "out"))
PROGRAMS = {
    "numpy": (make_request("fft", 64, 4), FFT, (1, 2, 3, 4), 4),
    "backward": (
        make_request("fft", 64, 4, direction="backward", norm="ortho"),
        FFT[:3],
        (1, 2, 3),
        4,
    ),
    "numba": (make_request("fft", 64, 2, kernels="numba"), KERNELS, (1, 2, 3), 3),
    "hypercube-fft": (make_request("hypercube-fft", 64, 4, scheme="3"), HYPERCUBE, (1, 2, 4, 5), 5),
    "several axes": (make_request("fft", 64, 4, shape=(8, 8)), AXES, (1, 2, 3), 3),
    "real": (make_request("rfft", 64, 4), REAL, (1, 2, 3, 4, 5), 5),
    "real, backward": (
        make_request("rfft", 64, 4, direction="backward"),
        REAL_BACK,
        (1, 2, 3, 4, 5),
        5,
    ),
    "Hartley, several axes": (make_request("fht", 64, 4, shape=(8, 8)), ROWS, (1, 2, 3), 3),
    "Hartley, hypercube": (make_request("fht", 64, 4), LISTS, (2, 3, 4, 4), 4),
}
EDITS = [
    pytest.param(asked, *edit, number, most, id=f"{name}, superstep {number}")
    for name, (asked, edits, numbers, most) in PROGRAMS.items()
    for edit, number in zip(edits, numbers, strict=True)
]


def with_line(program, place, line):
    """Return a program with a line before this place, the first after `transform` begins."""
    at = program.index(place, program.index("def transform"))
    begin = program.rindex("\n", 0, at) + 1
    indent = re.match(" *", program[begin:]).group()
    return f"{program[:begin]}{indent}{line}\n{program[begin:]}"


def superstep(program):
    """Return which superstep of how many a refutation of `function` names; None where it names
    none.
    """
    found = re.search(r"superstep (\d+) of (\d+)", refuted(program)["function"])
    return found and tuple(map(int, found.groups()))


@pytest.mark.sampled(4)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize(("asked", "place", "array", "number", "most"), EDITS)
def test_the_superstep_with_an_edit_is_named(asked, place, array, number, most):
    program = with_line(emit(resolve(asked)), place, TURNED.format(array))
    assert superstep(program) == (number, most)


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("asked", EXCHANGED.values(), ids=EXCHANGED)
def test_messages_are_read_however_they_travel(asked):
    program = with_line(emit(resolve(asked)), "# Γ_{4,4,64} T^64_16", "out[5] *= -1; work[5] *= -1")
    assert superstep(program) == (2, 4)


@pytest.mark.long
@pytest.mark.parametrize("past", [0, 8])
def test_a_result_that_depends_on_an_address_is_refuted_without_a_residue(past, monkeypatch):
    begins = "def transform(x, plan, out=None):\n"
    turned = f"{begins}    x = x[::-1] if pyfftw.is_byte_aligned(x, 64) else x\n"
    program = by_hand.changed("pyfftw_tutorial", by_hand.Wrong(begins, turned))
    with_memory = forms.on_line
    owning = lambda x: x if isinstance(x, Data) else with_memory(x, past)  # noqa: E731
    monkeypatch.setattr(forms, "owning", owning)
    words = refuted(program)["function"]
    assert "GF(" not in words
    assert ("the result depends on the address of an array" in words) == (past > 0)


def test_the_first_wrong_message_is_named_with_its_line():
    program = with_line(
        emit(resolve(make_request("fft", 64, 4))),
        *("plan.own.Alltoall(work, out)", "work[5] *= -1"),
    )
    line = program[: program.index("plan.own.Alltoall(work, out)")].count("\n") + 1
    words = f"from superstep 1 of 4 on (line {line}: message from rank 0 to rank 1)"
    assert words in refuted(program)["function"]


def test_an_order_of_elements_that_is_wrong_shows_where_they_are_computed_with():
    program = with_line(
        emit(resolve(make_request("fft", 64, 4))),
        *("plan.own.Alltoall(work, out)", "work[:4] = work[3::-1].copy()"),
    )
    words = refuted(program)["function"]
    assert "; the data are wrong at the latest from superstep 2 of 4 on (line " in words
    assert words.endswith("in superstep 1 elements are not sent in the order of their places")


def test_an_order_that_is_wrong_before_the_last_exchange_shows_in_the_last_superstep():
    program = emit(
        resolve(make_request("fft", 60, 2, shape=(4, 5, 3), input="cyclic", output="cyclic"))
    )
    along = "np.fft.fft(out.reshape(2, 5, 3), axis=1"
    assert along in program
    other = along.replace("fft.fft", "fft.ifft") + ", norm='forward'"
    words = refuted(program.replace(along, other))["function"]
    assert "; the data are wrong at the latest in superstep 2 of 2, after the last" in words


def test_a_permutation_names_it_as_well():
    program = permute("bit-reversal", 64, 4)
    turned = with_line(program, "plan.", "x = x[::-1]")
    assert superstep(turned) == (1, 2)


def test_a_program_that_states_no_equation_may_be_right_by_another_way():
    program = emit(resolve(make_request("fft", 64, 4)))
    wrong = with_line(program, "plan.own.Alltoall(work, out)", "work[5] *= -1")
    equation = next(line for line in program.splitlines() if line.startswith("    F_64 = "))
    assert superstep(wrong.replace(f"{equation}\n", "")) is None


def test_a_program_with_other_messages_than_its_equation_needs_names_no_superstep():
    wrong = with_line(
        emit(resolve(make_request("fft", 64, 4))), "plan.own.Alltoall(work, out)", "work[5] *= -1"
    )
    again = with_line(wrong, "return out\n\n\ndef root", "plan.own.Alltoall(out.copy(), work)")
    assert superstep(again) is None


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(
    ("N", "words"),
    [
        (64, "for the basis vector e_1 the output y_1 is 0.9952+0.09802i, not 0.9952-0.09802i"),
        (4096, "for x_j = exp(i j²) the output y_3398 is 93.23-69.81i, not -139.4-160.5i"),
    ],
)
def test_a_wrong_output_is_a_complex_number(N, words):
    program = changed(emit(resolve(make_request("fft", N, 4))), ("SIGN = -1", "SIGN = 1"))
    assert refuted(program)["function"].startswith(words)


def test_a_wrong_output_of_real_elements_is_a_real_number():
    program = with_line(
        emit(resolve(make_request("fht", 64, 4))), "return out\n\n\ndef exchange", "out[5] *= -1"
    )
    assert " is -1, not 1" in refuted(program)["function"]


GATHER = "plan.own.Allgather(np.ascontiguousarray(x), plan.whole)"
REDUCE = "plan.own.Allreduce(MPI.IN_PLACE, share, op=MPI.SUM)"
TO_ROOT = "whole = np.empty_like(share)\n    plan.own.Reduce(share, whole, op=MPI.SUM, root=0)"
BACKWARDS = f"x = x if x.flags.c_contiguous else x[::-1]\n    {GATHER}"
NUMBER = r"-?[\d.]+[-+][\d.]+i"
GATHERED, ADDED, CONTRACT, FUNCTION = "allgather_whole", "allreduce_sum", "contract", "function"
UNWRITTEN = r"the output y_{} {}\(offset 0 on rank {}\) is not written, nor are {} others$"
FIRST_IS_NONE = "np.concatenate([np.empty_like(mine[:1]), mine[1:]])"
USES = [
    (
        *(GATHERED, "out[...] = mine", "out[1:] = mine[1:]", CONTRACT),
        r"by the first plan; .* `out` is an array of the caller.*\), "
        + UNWRITTEN.format(0, "of `out` ", 0, 3),
    ),
    (GATHERED, "mine.copy()", FIRST_IS_NONE, FUNCTION, "^" + UNWRITTEN.format(0, "", 0, 3)),
    (
        *(ADDED, REDUCE, f"{TO_ROOT}\n    share = whole", FUNCTION),
        "^" + UNWRITTEN.format(1, "", 1, 47),
    ),
    (
        *(GATHERED, GATHER, BACKWARDS, CONTRACT),
        r"by the first plan; x with gaps, read-only; .* for x_j = exp\(i"
        rf" 4 j²\) the output y_\d+ is {NUMBER}, not {NUMBER}$",
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "verdict", "words"), USES)
def test_a_refutation_names_the_use_and_what_is_not_written(name, old, new, verdict, words):
    found = refuted(by_hand.changed(name, by_hand.Wrong(old, new)))
    assert list(found) == [verdict]
    assert re.search(words, found[verdict])
