"""Hypercube FFTs with compiled kernels: every scheme in both directions and their certificates,
damaged texts, memory as without them.
"""

from functools import cache

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

pytestmark = pytest.mark.sampled(16)

NAMES = ["layout", "messages", "function", "contract", "cost", "rounding"]


@cache
def text(N, P, scheme, before="block", after="", **options):
    return emit(
        Spec("hypercube-fft", N, P, before, after, scheme=scheme, kernels="numba", **options)
    )


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


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("P", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_every_scheme_is_certified_backward_by_decimation_in_frequency(P, scheme):
    before = "block" if scheme == "2" else "scrambled"
    holds(text(64, P, scheme, before, "bit-reversed", direction="backward", dtype="complex64"))


@pytest.mark.parametrize(("N", "P"), [(1, 1), (4, 4), (8, 8)])
def test_a_rank_may_hold_a_single_element(N, P):
    holds(text(N, P, "2"))


def test_a_local_transform_takes_the_input_home():
    assert "data.given = x" in text(64, 2, "3", "cyclic", "scrambled")
    assert "data.given = x" not in text(64, 2, "3", "scrambled", "bit-reversed")
    holds(text(64, 2, "3", "cyclic", "scrambled"))
    assert "data.given = x" in text(64, 2, "3", "bit-reversed", "scrambled")
    elsewhere = (
        "address(data.given), address(data.home)",
        "address(data.home), address(data.home)",
    )
    assert list(refuted(changed(text(64, 2, "3", "cyclic", "scrambled"), elsewhere))) == [
        "function"
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_work_arrays_are_those_of_the_program_without_kernels(scheme):
    output = "block" if scheme == "2" else "scrambled"
    spec = Spec("hypercube-fft", 64, 4, "bit-reversed", output, scheme=scheme, kernels="numba")
    program = lower(spec)
    sizes = {"M": 16, "H": 8, "0": 0}
    line = next(
        line for line in emit(spec).splitlines() if "self.work, self.extra = aligned(" in line
    )
    work, extra = (sizes[part.partition(",")[0]] for part in line.split("aligned(")[1:])
    assert (work, extra) == (room(program).work, room(program).extra)


PRODUCT = "        product = times(other, w)\n"
WRONG = {
    "a sum for a difference": ("3", ("(v[0] - product[0],)", "(v[0] + product[0],)")),
    "no twiddles": ("3", (PRODUCT, "        product = other\n")),
    "twiddles of another block": ("3", ("load(table, c, W, 1)", "load(table, 0, W, 1)")),
    "the last vectors left out": (
        "3",
        ("for c in range(0, count, W)", "for c in range(0, count - W, W)"),
    ),
    "a store beyond the end": ("3", ("store_pairs(sums, c, 1", "store_pairs(sums, c + W, 1")),
    "a table that is not split": ("3", ("order).astype(DTYPE), W)", "order).astype(DTYPE), 1)")),
    "twiddles of another rank": (
        "3",
        ("shift, table = affine(ranks, rank)", "shift, table = affine(ranks, rank ^ 1)"),
    ),
    "halves for each other": (
        "3",
        ("(data.p, data.q, *data.halves)", "(data.q, data.p, *data.halves)"),
    ),
    "the other half exchanged": (
        "3",
        (
            "if self.sends_p:\n            data.p = self.room",
            "if not self.sends_p:\n            data.p = self.room",
        ),
    ),
    "the half that stays sent": (
        "3",
        (
            "data.p if self.sends_p else data.q, self.partner",
            "data.q if self.sends_p else data.p, self.partner",
        ),
    ),
    "copies left out": (
        "5",
        ("address(self.room), self.copies", "address(self.room), self.copies - 1"),
    ),
    "data times data": ("3", (PRODUCT, "        product = times(other, v)\n")),
    "the other half sent": (
        "5",
        (
            "address(self.table), int(not self.sends_p), H)",
            "address(self.table), int(self.sends_p), H)",
        ),
    ),
    "one half twice": (
        "4",
        (
            "address(self.table), int(self.sends_p), H)",
            "address(self.table), int(not self.sends_p), H)",
        ),
    ),
    "the half in the wrong place": (
        "5r",
        (
            "new_q if self.sends_p else new_p), address",
            "new_p if self.sends_p else new_q), address",
        ),
    ),
    "half of a half": ("4", ("int(not self.sends_p), H)", "int(not self.sends_p), H // 2)")),
    "a neighbour's elements with the wrong sign": ("2", ("(w[0] - v[0],)", "(v[0] - w[0],)")),
    "sums for differences": ("2", ("int(self.holds_q), M)", "int(not self.holds_q), M)")),
    "no turn for the second half": ("2", ("address(self.turns[1:])", "address(self.turns[:1])")),
    "a multiplication left out": (
        "2",
        ("        multiply(address(q[H:]),", "        self or multiply(address(q[H:]),"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_kernel_or_stage_is_refused(name):
    scheme, change = WRONG[name]
    found = refuted(
        changed(
            text(128, 4, scheme, "bit-reversed", "block" if scheme == "2" else "scrambled"), change
        )
    )
    assert list(found) in (["function"], ["contract"])


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
    assert ("reverse=True" in program) == ((n > 4 or scheme in "23") and before == "bit-reversed")
    assert ('    ("move", ' in program) == ("reverse=True" not in program)
    holds(program)


PAST_CACHES = {
    "where no line begins": (" * begins_on_line(data.home), H)", ", H)"),
    "a sum for a difference": (
        "stream_pairs(differences, c, 1, (v[0] - product[0],))",
        "stream_pairs(differences, c, 1, (v[0] + product[0],))",
    ),
    "both to one place": ("stream_pairs(differences, c", "stream_pairs(sums, c"),
}


def test_the_half_that_nothing_reads_goes_past_the_caches(monkeypatch):
    monkeypatch.setattr(fourier, "STREAMED", 8)
    program = emit(Spec("hypercube-fft", 64, 4, "cyclic", "scrambled", scheme="3", kernels="numba"))
    assert program.count("fence()\n\n\ndef prepare_all") == 1
    holds(program)
    for name, change in PAST_CACHES.items():
        assert list(refuted(changed(program, change))) in (["function"], ["contract"]), name


BACKWARDS = {
    "rows in order": ("rows, butterfly_order = IN_REVERSE[W]", "rows, butterfly_order = fft1"),
    "butterflies in order": ("IN_REVERSE[W], IN_REVERSE[r]", "IN_REVERSE[W], fft1"),
    "columns in order": ("reversal(n2, r * m)", "np.arange(n2) * (r * m)"),
    "rows of the first pass in order": ("reversal(m, r)", "np.arange(m) * r"),
    "not transposed": (
        "transpose(rows(load_pairs(x, place, far, W)))",
        "rows(load_pairs(x, place, far, W))",
    ),
    "one copy for all": ("gather(x, place - j + by_row", "gather(x, by_row"),
    "as they lie": (", reverse=True)", ")"),
}


@pytest.mark.parametrize("name", BACKWARDS)
def test_elements_from_other_places_are_refused(name):
    found = refuted(changed(text(2**12, 2, "5", "bit-reversed", "scrambled"), BACKWARDS[name]))
    assert list(found) == ["function"]


def test_the_length_of_a_program_does_not_depend_on_its_size():
    for scheme in SCHEMES:
        assert (
            len({text(N, 4, scheme, "cyclic", "scrambled").count("\n") for N in (2**20, 2**40)})
            == 1
        )
