"""Compiled kernels of generalized butterflies and of transposes: certified with exact elements and
compiled; damaged ones are refused.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from codegen.emit import straight
from codegen.emit.text import emit
from codegen.kernels.fusion import reversing
from codegen.program.meaning import check
from codegen.program.supersteps import Butterflies
from codegen.spec import Spec
from derive import verdict as kind
from proofs.certify.checks.suite import tried
from proofs.certify.sandbox.source import COMPILED
from tests.support.changes import changed, has
from tests.support.programs import build


@cache
def text(
    N,
    P,
    layouts="block block",
    local="butterflies",
    exchange="alltoall",
    kernels="numba",
    phases="",
    **options,
):
    form = {"phases": phases, "local": local, "kernels": kernels}
    return emit(Spec("fft", N, P, *layouts.split(), exchange, **form, **options))


def supersteps(program):
    """Return the supersteps of a text."""
    return program.partition("\ndef transform(")[2].partition("\n\n\n")[0]


def refuted(program, short=True):
    """Return the names of what is refuted; nothing is compiled for a short check."""
    return [
        name
        for name, verdict in tried("prog.py", program, 0, short).verdicts.items()
        if not kind.holds(verdict)
    ]


FORMS = [
    (4, 1, "block block", "butterflies", "alltoall", ""),
    (8, 2, "block block", "butterflies", "shared", ""),
    (32, 2, "block bit-reversed", "butterflies", "alltoall", ""),
    (64, 1, "block block", "cache-friendly:4", "alltoall", ""),
    (256, 4, "block cyclic", "cache-friendly:4", "shared", ""),
    (512, 16, "block block", "butterflies", "alltoall", ""),
    (256, 8, "block block", "cache-friendly:2", "pairwise", "8,8,4"),
    (128, 2, "bit-reversed block", "cache-friendly:32", "nonblocking", ""),
    (128, 4, "cyclic block", "butterflies", "replace", "4,4,8"),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("N", "P", "layouts", "local", "exchange", "phases"), FORMS)
def test_butterflies_of_every_shape_are_certified(N, P, layouts, local, exchange, phases):
    even = N.bit_length() % 2 == 0
    program = text(
        N,
        P,
        layouts,
        local,
        exchange,
        phases=phases,
        dtype="complex64" if even else "complex128",
        direction=("forward", "backward")[even],
    )
    assert refuted(program) == []


@pytest.mark.slow
def test_compiled_butterflies_are_certified():
    found = tried("prog.py", text(128, 1, "bit-reversed block", "cache-friendly:4"), 0).verdicts
    assert [str(verdict) for verdict in found.values() if not kind.holds(verdict)] == []
    assert found["function"].evidence.endswith("vectors of 8, 4, 2 lanes")
    assert found["rounding"].statement.endswith(COMPILED)


@pytest.mark.parametrize(
    ("layouts", "P"), [("cyclic cyclic", 4), ("block block", 4), ("block block", 1)]
)
def test_the_first_pair_of_stages_reads_bits_in_reverse_order(layouts, P):
    program = supersteps(text(256, P, layouts))
    assert "reversed_stages(" in program and "np.take(" not in program
    usual = build("fft", 256, P, *layouts.split(), local="butterflies")
    steps = reversing(usual.steps, usual.input.m)
    assert any(isinstance(step, Butterflies) and step.reverses for step in steps)
    assert len(steps) <= len(usual.steps)


def test_few_elements_are_not_read_in_reverse_order():
    assert "reversed_stages" not in text(8, 1) + text(16, 2, local="cache-friendly:4")


def test_butterflies_are_for_numpy_and_numba():
    with pytest.raises(
        ValueError, match="local butterflies needs the kernels numpy or numba; got pyfftw"
    ):
        text(64, 2, kernels="pyfftw")


LAST = "for t in range(at, at + 32, 32):"
BLOCK = "for t in range(at, at + 32, 16):\n    store_pairs(y, t, 4, transpose(...))"

MUTANTS = {
    "weights exchanged": ("times((x[2], x[1], x[3]), w)", "times((x[1], x[2], x[3]), w)"),
    "a difference for a sum": ("a, b = y0 + yw2, y0 - yw2", "a, b = y0 - yw2, y0 - yw2"),
    "the sign of i": ("times_minus_i(yw1 - yw3)", "times_minus_i(yw3 - yw1)"),
    "rows exchanged": ("return a + c, b + d, a - c, b - d", "return a + c, b - d, a - c, b + d"),
    "the second stage alone": ("return y0 + yw1, y0 - yw1", "return y0 + yw1, y0 + yw1"),
    "no alpha": ("(o % h * u + t)", "(o % h * u)"),
    "the wrong group": ("[i * 2 + rank for i in range(4)]", "[i * 4 + rank for i in range(4)]"),
    "one block's weights for all": ("start = at // 16 % 4 * 12", "start = 0 * 12"),
    "weights of another stage": ("4 * h, place + 3 * h", "4 * h, place"),
    "a pair too few": ("while h <= 64:", "while h < 64:"),
    "a stage too few": (LAST, LAST.replace("at + 32, 32", "at, 32")),
    "x at every stage": ("butterfly4(load_pairs_4(y, t, 4, 4), load_4(table, 3, ..., ...))",)
    + ("butterfly4(load_pairs_4(x, t, 4, 4), load_4(table, 3, ..., ...))",),
    "wide where h is small": (
        "load_4, load_pairs_4, broadcast_4 = loads(DTYPE, 4)",
        "load_4, load_pairs_4, broadcast_4 = loads(DTYPE, W)",
    ),
    "neighbours not transposed": (
        "butterfly4(transpose(load_pairs_4(x, t, 4, 4)), w)",
        "butterfly4(load_pairs_4(x, t, 4, 4), w)",
    ),
    "half of a block": (BLOCK, BLOCK.replace("32,", "16,")),
    "bits not reversed": (
        "store_pairs(y, t, far, (a, c, b, d))",
        "store_pairs(y, t, far, (a, b, c, d))",
    ),
    "another order of blocks": ("while t & bit:", "while t & bit // 2:"),
    "blocks in their order": ("bit = far // 2  #", "bit = 4  #"),
    "a pair again": ("        h, place = 16, 12\n", "        h, place = 4, 0\n"),
    "another order of stages": ("weights(8, 256, [0], 1)", "weights(2, 256, [0], 1)"),
    "a table split otherwise": ("split(made, h if h <= 4 else W)", "split(made, 1)"),
    "weights of one power": ("(o // h + 1) * (o % h * u + t)", "1 * (o % h * u + t)"),
    "beyond the end": (
        "store_pairs(y, t + j, h, butterfly4(v, load(table, place + j, h, 3)))",
        "store_pairs(y, t + j + 1, h, butterfly4(v, load(table, place + j, h, 3)))",
    ),
    "rows for columns": (
        "transposed(memory_of(work), memory_of(out), 16, 4)",
        "transposed(memory_of(work), memory_of(out), 4, 16)",
    ),
    "rows for columns of messages": (
        ("interleaved(tuple([memory_of(message) for message in messages]), memory_of(out), 8, 16)"),
        ("interleaved(tuple([memory_of(message) for message in messages]), memory_of(out), 16, 8)"),
    ),
    "a run for another": (
        "load_run(x, q * columns + j, columns, 4)",
        "load_run(x, q * columns + j, rows, 4)",
    ),
    "messages in another order": (
        "load_run(x[q], j, 0, 1) + load_run(x[q + 1], j, 0, 1)",
        "load_run(x[q + 1], j, 0, 1) + load_run(x[q], j, 0, 1)",
    ),
    "one message for all": (
        (
            "v = load_run(x[q], j, 0, 1) + load_run(x[q + 1], j, 0, 1) + load_run(x[q + "
            "2], j, 0, 1) + load_run(x[q + 3], j, 0, 1)"
        ),
        (
            "v = load_run(x[0], j, 0, 1) + load_run(x[q + 1], j, 0, 1) + load_run(x[q + "
            "2], j, 0, 1) + load_run(x[q + 3], j, 0, 1)"
        ),
    ),
    "runs not transposed": ("store_pairs(y, j * rows + q, rows, transpose(v))",)
    + ("store_pairs(y, j * rows + q, rows, v)",),
}
DAMAGED = [
    (128, 2, "cyclic cyclic", "cache-friendly:4", "alltoall"),
    (64, 2, "cyclic cyclic", "butterflies", "alltoall", "numba", "2,32"),
    (1024, 2, "cyclic cyclic", "butterflies", "alltoall"),
    (64, 4, "block block", "", "shared"),
    (1024, 8, "block block", "", "shared"),
]


@pytest.mark.sampled(4, rest="long")
@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", MUTANTS)
def test_damaged_butterflies_and_transposes_are_refused(name):
    texts = [text(*form) for form in DAMAGED]
    found = [changed(program, MUTANTS[name]) for program in texts if has(program, MUTANTS[name][0])]
    assert found, "no program has what is damaged"
    assert any(refuted(program) for program in reversed(found))


@pytest.mark.parametrize("exchange", ["alltoall", "shared"])
def test_blocks_on_more_than_two_ranks_are_interleaved_by_a_kernel(exchange):
    program = text(64, 4, local="", exchange=exchange)
    kernel, other = ("interleaved", "transposed")[:: 1 if exchange == "shared" else -1]
    assert f"    {kernel}(" in supersteps(program) and f"def {kernel}(" in program
    assert f"def {other}(" not in program
    assert refuted(program) == []
    assert "def transposed(" not in text(64, 4, "cyclic cyclic", "", exchange)


def test_more_messages_than_a_kernel_takes_are_interleaved_by_numpy():
    program = text(1024, 32, local="", exchange="shared")
    assert "def interleaved(" not in program and " in zip(" not in supersteps(program)


@pytest.fixture
def lean(monkeypatch):
    """Have small programs leave out the twiddles that large ones leave out."""
    monkeypatch.setattr(straight, "WITHOUT_ONES", 2)
    text.cache_clear()
    yield
    text.cache_clear()


def begins_later(program):
    """Return whether a table of twiddles begins with another element than the first of a rank."""
    return re.search(r"self.twiddle\S* = tabulate\(.*, DTYPE, \d+\)\n", program) is not None


LEAN = [
    (64, 2, "cyclic cyclic", "", "alltoall"),
    (64, 2, "block block", "", "shared"),
    (64, 4, "cyclic block", "", "shared"),
    (64, 16, "cyclic cyclic", "", "alltoall"),
]


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(("N", "P", "layouts", "local", "exchange"), LEAN)
def test_tables_begin_with_the_first_twiddle_that_is_not_one(lean, N, P, layouts, local, exchange):
    program = text(N, P, layouts, local, exchange, "numpy")
    assert begins_later(program)
    assert refuted(program) == []


LEAN_MUTANTS = {
    "a row too many": (
        ("tabulate(lambda o: root_of_unity((o // 4) * (o % 4 * 4 + rank), 64), DTYPE, 4)"),
        ("tabulate(lambda o: root_of_unity((o // 4) * (o % 4 * 4 + rank), 64), DTYPE, 8)"),
    ),
    "from the beginning": (
        "(o // 16) * (o % 16 * 2 + rank)",
        "((o - 16) // 16) * (o % 16 * 2 + rank)",
    ),
    "another row": ("plan.twiddle.reshape(3, 4)", "plan.twiddle.reshape(3, 4)[::-1]"),
    "ones for all": ("np.multiply(work[1:], plan.twiddle, out=work[1:])", "pass"),
    "the first row left out": ("np.concatenate(messages[:1], out=out[:4])", "out[:4] = 0"),
    "the second message without its twiddles": (
        "np.multiply(q, plan.twiddle, out=work[16:])",
        "np.copyto(work[16:], q)",
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", LEAN_MUTANTS)
def test_tables_that_begin_wrongly_are_refused(lean, name):
    texts = [text(*form, "numpy") for form in LEAN]
    found = [
        changed(program, LEAN_MUTANTS[name])
        for program in texts
        if has(program, LEAN_MUTANTS[name][0])
    ]
    assert found
    assert any(refuted(program) for program in found)


def test_programs_with_few_elements_have_whole_tables():
    assert not begins_later(text(2**14, 2, local="", kernels="numpy"))
    assert begins_later(text(2**15, 2, local="", kernels="numpy"))


def test_halves_that_are_sent_as_they_are_computed_have_twiddles_of_one_half():
    assert begins_later(text(2**14, 2, "block block", "", "overlapped", "numpy"))


@pytest.mark.parametrize("local", ["butterflies", "cache-friendly"])
def test_supersteps_stay_what_they_were(local):
    assert kind.holds(check(build("fft", 64, 4, local=local)))
