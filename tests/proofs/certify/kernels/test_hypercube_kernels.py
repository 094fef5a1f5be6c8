"""Hypercube FFTs with compiled kernels: every scheme in both directions and their certificates,
damaged texts, memory as without them.
"""

import re

import pytest

from codegen.emit.buffers import room
from codegen.emit.text import emit
from codegen.kernels import fourier
from codegen.program.lower import lower
from codegen.spec import Spec
from derive import verdict as kind
from derive.papers.hypercube import SCHEMES
from proofs.certify.sandbox.source import COMPILED
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts
from tests.support.kernels.hypercube import WRONG, text

pytestmark = pytest.mark.sampled(32)

NAMES = ["layout", "messages", "function", "contract", "cost", "rounding", "main"]


def holds(program):
    found = verdicts(program)
    assert [str(verdict) for verdict in found.values() if not kind.holds(verdict)] == []
    assert list(found) == NAMES
    assert found["rounding"].statement.endswith(COMPILED)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("N", "P"), [(2, 1), (8, 4), (64, 4), pytest.param(512, 2, marks=pytest.mark.slow)]
)
def test_every_scheme_is_certified(N, P, scheme):
    holds(text(N, P, scheme))


@pytest.mark.long
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("P", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_every_scheme_is_certified_backward_by_decimation_in_frequency(P, scheme):
    before = "block" if scheme == "2" else "scrambled"
    holds(text(64, P, scheme, before, "bit-reversed", direction="backward", dtype="complex64"))


@pytest.mark.parametrize(("N", "P"), [(4, 4), (8, 8)])
def test_a_rank_may_hold_a_single_element(N, P):
    holds(text(N, P, "2"))


@pytest.mark.long
def test_a_local_transform_takes_the_input_home():
    home = "local_0(memory_of(x), memory_of(out)"
    assert home in text(64, 2, "3", "cyclic", "scrambled")
    assert home not in text(64, 2, "3", "scrambled", "bit-reversed")
    holds(text(64, 2, "3", "cyclic", "scrambled"))
    assert home in text(64, 2, "3", "bit-reversed", "scrambled")
    elsewhere = (f"{home}, *...)", f"{home.replace('(x)', '(out)')}, *...)")
    assert list(refuted(changed(text(64, 2, "3", "cyclic", "scrambled"), elsewhere))) == [
        "function"
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_work_arrays_are_those_of_the_program_without_kernels(scheme):
    output = "block" if scheme == "2" else "scrambled"
    spec = Spec("hypercube-fft", 64, 4, "bit-reversed", output, scheme=scheme, kernels="numba")
    program = lower(spec)
    text = emit(spec)
    work, extra = (
        re.findall(rf"self\.{name} = aligned\((\w+), DTYPE\)", text) for name in ("work", "sent")
    )
    found = [sum(16 if size == "M" else int(size) for size in sizes) for sizes in (work, extra)]
    assert found == [room(program).work, room(program).extra]


@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_kernel_or_stage_is_refused(name):
    scheme, change = WRONG[name]
    found = refuted(
        changed(
            text(128, 4, scheme, "bit-reversed", "block" if scheme == "2" else "scrambled"), change
        )
    )
    assert list(found) in (["function"], ["contract"])


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["2", "3", "5"])
@pytest.mark.parametrize(
    ("n", "before"),
    [
        (4, "bit-reversed"),
        (7, "bit-reversed"),
        pytest.param(10, "bit-reversed", marks=pytest.mark.slow),
        (8, "block"),
    ],
)
def test_bit_reversed_elements_are_taken_from_where_they_are(n, scheme, before):
    program = text(1 << n, 2, scheme, before, "block" if scheme == "2" else "scrambled")
    reverses = "def reversed_0(" in program
    assert reverses == ((n > 4 or scheme in "23") and before == "bit-reversed")
    lines = program.partition("\ndef transform(")[2].partition("\n\n\n")[0]
    words = ("np.copyto(", "np.take(", "transposed(", "Alltoall(")
    assert any(word in lines for word in words) == (not reverses)
    holds(program)


PAST_CACHES = {
    "where no line begins": ("... * begins_on_line(out)", "..."),
    "a sum for a difference": (
        "stream_pairs(second, c, 1, (a - b,))",
        "stream_pairs(second, c, 1, (a + b,))",
    ),
    "both to one place": ("stream_pairs(second, c, 1, ...)", "stream_pairs(first, c, 1, ...)"),
}


@pytest.mark.long
def test_the_half_that_nothing_reads_goes_past_the_caches(monkeypatch):
    monkeypatch.setattr(fourier, "STREAMED", 8)
    program = emit(Spec("hypercube-fft", 64, 4, "cyclic", "scrambled", scheme="3", kernels="numba"))
    assert program.count("fence()\n\n\ndef prepare(") == 1
    holds(program)
    for name, change in PAST_CACHES.items():
        assert list(refuted(changed(program, change))) in (["function"], ["contract"]), name


LINES = "reversed8(load_pairs(x, place, 128, 8))"
BACKWARDS = {
    "rows in order": (LINES, LINES.removeprefix("reversed8")),
    "butterflies in order": ("return reversed8(transpose(v))", "return transpose(v)"),
    "columns in order": ("8 * in_reverse(j, 7)", "8 * j"),
    "columns in reverse of fewer bits": ("in_reverse(j, 7)", "in_reverse(j, 6)"),
    "not transposed": ("return reversed8(transpose(v))", "return reversed8(v)"),
    "one copy for all": (
        "reversed_0(x, at + 8 * in_reverse(j, 7))",
        "reversed_0(x, 8 * in_reverse(j, 7))",
    ),
    "as they lie": ("reversed_0(x, at + 8 * in_reverse(j, 7))", "load_pairs(x, at + j, 128, 8)"),
}


@pytest.mark.slow
def test_rows_of_the_first_pass_from_other_places_are_refused(monkeypatch):
    monkeypatch.setattr(fourier, "two_passes", lambda d: {256: (8, (2, 2), (2, 2, 2))}[d])
    program = emit(
        Spec("hypercube-fft", 512, 2, "bit-reversed", "scrambled", scheme="3", kernels="numba")
    )
    holds(program)
    for rows in ("8 * i", "8 * in_reverse(j, 2)"):
        wrong = changed(program, ("8 * in_reverse(i, 2)", rows))
        assert list(refuted(wrong)) in (["function"], ["contract"])


@pytest.mark.parametrize("name", BACKWARDS)
def test_elements_from_other_places_are_refused(name):
    found = refuted(changed(text(2**12, 2, "5", "bit-reversed", "scrambled"), BACKWARDS[name]))
    assert list(found) == ["function"]


def test_a_program_of_a_million_times_the_size_has_a_few_stages_more():
    for scheme in SCHEMES:
        small, large = (
            text(N, 4, scheme, "cyclic", "scrambled").count("\n") for N in (2**20, 2**40)
        )
        assert small <= large <= small + 40
