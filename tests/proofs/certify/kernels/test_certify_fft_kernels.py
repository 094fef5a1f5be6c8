"""Certification of Fourier transforms with compiled kernels: right ones of every shape, damaged
kernels and plans, edited vectors.
"""

import re
from dataclasses import replace
from functools import cache

import pytest

from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.kernels import fourier
from codegen.mpi.faults import NotModelled
from codegen.program.lower import ends_between_two, lower
from codegen.program.meaning import check
from codegen.spec import Spec
from derive import verdict as kind
from derive.formula.grammar import I, kron
from derive.formula.permutation_matrices import Bmmc, stride
from derive.formula.transforms import F, T
from derive.gf2 import bmmc
from derive.gf2.bmmc import bit_reversal
from proofs.certify.checks.suite import tried
from proofs.certify.kernels import compiled
from proofs.certify.program import WITH_NUMBA, WITH_OPERATIONS, certify
from proofs.certify.sandbox.source import COMPILED, INTERPRETED, PLANNED
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts
from tests.support.kernels.vectors import APART, BY_PLACE, WRONG, text
from tests.support.programs import build, spec_of

pytestmark = pytest.mark.sampled(48)

NAMES = ["layout", "messages", "function", "contract", "cost", "rounding", "main"]


def holds(program):
    found = verdicts(program)
    assert [str(verdict) for verdict in found.values() if not kind.holds(verdict)] == []
    assert list(found) == NAMES
    return found


def rearranges(program):
    """Return whether a transform puts elements in another order by itself, beside its kernels."""
    lines = program.partition("\ndef transform(")[2].partition("\n\n\n")[0]
    words = ("transposed(", "joined(", ".reshape(", "np.take(", ".move(")
    return any(word in lines for word in words)


@pytest.fixture
def small(monkeypatch):
    """Have small transforms go the way of large ones: more stages in the first pass, two tables
    between the passes, past the caches.
    """

    def with_more_stages(one_table=0, streamed=0):
        monkeypatch.setattr(fourier, "two_passes", lambda d: {256: (8, (2, 2), (2, 2, 2))}[d])
        for name, value in (
            ("ONE_TABLE", one_table),
            ("STREAMED", streamed),
            ("WORK_STREAMED", streamed),
        ):
            monkeypatch.setattr(fourier, name, value)
        text.cache_clear()

    yield with_more_stages
    text.cache_clear()


SHAPES, MANY_RANKS = (
    [(1, 0), (2, 1), (3, 0), (4, 1), (5, 2), (7, 0), (10, 2), (11, 0)],
    [(6, 4), (8, 3), (9, 5)],
)


@pytest.mark.parametrize(
    ("n", "p"), SHAPES + [pytest.param(*shape, marks=pytest.mark.slow) for shape in MANY_RANKS]
)
def test_kernels_of_every_shape_are_certified(n, p):
    even = (n + p) % 2 == 0
    options = {
        "dtype": "complex128" if even else "complex64",
        "direction": "backward" if n % 2 else "forward",
        "norm": "ortho" if p % 2 else "backward",
    }
    found = holds(text(n, p, "block" if even else "cyclic", **options))
    assert found["function"].evidence.endswith("vectors of 8, 4, 2 lanes")
    assert found["rounding"].statement.endswith(COMPILED)


@pytest.mark.slow
@pytest.mark.parametrize("exchange", ["pairwise", "shared"])
def test_kernels_go_with_every_exchange(exchange):
    holds(text(6, 2, "block", exchange))


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "p", "layout", "exchange"),
    [
        (2, 1, "block", "shared"),
        (6, 2, "cyclic", "shared"),
        (7, 1, "block", "shared"),
        (7, 1, "block", "alltoall"),
    ],
)
def test_messages_are_read_where_they_lie_and_two_ranks_put_blocks_together(n, p, layout, exchange):
    program = text(n, p, layout, exchange)
    half = "(x, other, y, half, copies):" in program
    apart = half if exchange == "alltoall" else "def messages_" in program
    assert apart and half == (layout == "block")
    assert not rearranges(program)
    holds(program)


@pytest.mark.parametrize("layout", ["block", "cyclic", "bit-reversed"])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_two_ranks_put_blocks_together_with_one_exchange_less(n, layout):
    usual, program = (build("fft", 1 << n, 2, layout, kernels=name) for name in ("numpy", "numba"))
    assert kind.holds(check(program))
    assert count(program).exchanges == count(usual).exchanges - 1
    assert count(program).words == count(usual).words
    assert not ends_between_two(Spec("fft", 1 << n, 2, layout, exchange="overlapped"))


def test_other_programs_stay_as_they_are():
    for spec in (
        Spec("fft", 64, 4),
        Spec("fft", 64, 2, output="cyclic"),
        Spec("fft", 64, 2, phases="4,16"),
        Spec("permute", 64, 2, permutation=Bmmc(bit_reversal(6), "bit-reversal")),
    ):
        assert not ends_between_two(spec)
        assert lower(replace(spec, kernels="numba")).steps == lower(spec).steps


@pytest.mark.slow
def test_more_messages_than_are_read_apart_are_put_together_first():
    program = text(10, 5, "cyclic", "shared")
    assert "def messages_" not in program and "np.concatenate(messages" in program
    holds(program)


@pytest.mark.parametrize("name", APART)
def test_messages_read_wrongly_are_refused(name):
    assert next(iter(refuted(changed(text(7, 1, "block", "shared"), APART[name])))) in (
        "function",
        "messages",
        "contract",
    )


@pytest.mark.parametrize("name", BY_PLACE)
def test_messages_of_a_wrong_number_are_refused(name):
    program = changed(text(7, 3, "block", "shared"), BY_PLACE[name])
    assert list(refuted(program)) in (["function"], ["contract"])


SENT = {
    "the other's half": (
        "both[::-1] if plan.own.rank else both",
        "both if plan.own.rank else both[::-1]",
    ),
    "in the order of each": ("both[::-1] if plan.own.rank else both", "both"),
    "nothing received": (
        "rounds(plan.own, plan.peers, work, out)",
        "rounds(plan.own, plan.peers, work, out.copy())",
    ),
}


@pytest.mark.parametrize("name", SENT)
def test_halves_put_together_wrongly_are_refused(name):
    program = emit(Spec("fft", 128, 2, "cyclic", "block", kernels="numba"))
    assert next(iter(refuted(changed(program, SENT[name])))) in ("function", "messages", "contract")


@pytest.mark.parametrize(
    ("one_table", "streamed"),
    [
        *(
            pytest.param(*ways, marks=pytest.mark.slow)
            for ways in ((0, 0), (0, 2**20), (2**13, 0), (2**13, 2**20))
        )
    ],
)
def test_the_ways_of_large_transforms_are_certified(small, one_table, streamed):
    small(one_table, streamed)
    program = text()
    kernels = program.partition("def local_0")[2].partition("def prepare")[0]
    assert ("fence()" in kernels) == (streamed == 0)
    holds(program)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [(10, 2), pytest.param(12, 4, marks=pytest.mark.slow)])
def test_results_are_dealt_to_fewer_and_to_more_parts_than_there_are_lanes(small, n, p):
    small(streamed=2**20)
    program = text(n, p)
    assert f", {1 << p}, fft2(" in program and not rearranges(program)
    holds(program)


@pytest.mark.slow
@pytest.mark.parametrize("P", [4, 1])
def test_a_formula_of_ones_own_has_kernels_for_blocks_and_columns(P):
    formula = kron(F(8), I(8)) @ T(64, 8) @ kron(I(8), F(8)) @ stride(64, 8)
    holds(emit(spec_of(formula, P, kernels="numba")))


def test_a_large_local_transform_is_one_step():
    program = emit(Spec("fft", 2**16, 1, kernels="numba"))
    assert "# F_65536" in program and "local_1" not in program


@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_kernel_or_plan_is_refused(name):
    found = refuted(changed(text(8), WRONG[name]))
    assert list(found) in (["function"], ["contract"])


WRONG_WITH_MORE_STAGES = {
    "a stage in another order": (
        "at + 128 * (k % 2) + k // 2 + 16 * a + 32 * b",
        "at + 128 * (k % 2) + k // 2 + 16 * a + 16 * b",
    ),
    "rows of another group": ("9 * k + 72 * a + (j + lane) * W", "9 * k + 9 * a + (j + lane) * W"),
    "a line for another": ("5 * (k + lane)", "5 * k"),
    "a digit in another order": (
        "return place % last * (m // last) + place // last",
        "return place",
    ),
    "half of T": ("rotate(v, load(roots, 7 * j, W, 7))", "v"),
    "streamed to any place": ("int(begins_on_line(out))", "1"),
    "streamed between lines": (
        (
            "stream(room, 9 * k + 72 * a + (j + lane) * W, 144, times(v, "
            "broadcast(roots, 86 + 4 * (j + lane) + 2 * a, 1, 2)))"
        ),
        (
            "stream(room, 1 + 9 * k + 72 * a + (j + lane) * W, 144, times(v, "
            "broadcast(roots, 86 + 4 * (j + lane) + 2 * a, 1, 2)))"
        ),
    ),
}


@pytest.mark.parametrize("name", WRONG_WITH_MORE_STAGES)
def test_a_damaged_kernel_of_many_stages_is_refused(small, name):
    small()
    found = refuted(changed(text(), WRONG_WITH_MORE_STAGES[name]))
    assert list(found) in (["function"], ["contract"])


STORING = """    if streamed:
        stream_pairs(y, place, stride, v)
    else:
        store_pairs(y, place, stride, v)
"""


@pytest.mark.long
@pytest.mark.parametrize("put", ["stream", "store"])
def test_each_way_of_storing_is_run_where_results_are_streamed(small, put):
    small()
    found = refuted(
        changed(
            text(), (STORING, STORING.replace(f"{put}_pairs(y, place", f"{put}_pairs(y, place + W"))
        )
    )
    assert list(found) in (["function"], ["contract"])


def test_a_kernel_that_streams_ends_with_a_fence(small):
    small()
    [(name, words)] = refuted(changed(text(), ("fence()", "None"))).items()
    assert name in ("function", "contract")
    assert re.search(r"local_\d ends with \d+ streaming stores and no fence\(\) after", words)


@pytest.mark.slow
def test_what_is_wrong_for_narrow_vectors_only_is_refused():
    found = refuted(
        changed(
            text(),
            (
                "s, t, u, w = a + c, a - c, b + d, times_minus_i(b - d)",
                (
                    "if W < 8:\n"
                    "    a, c = c, a\n"
                    "s, t, u, w = a + c, a - c, b + d, times_minus_i(b - d)"
                ),
            ),
        )
    )
    assert found["function"].startswith("with vectors of 4 lanes")


OVERFLOWS = """large = 2
for _ in range(70):
    large = large << 1
if large == 0:
    continue
"""


def test_what_only_a_compiled_kernel_does_wrong_is_refused():
    at = "for j in range(0, 4, W):"
    assert list(refuted(changed(text(5, 0), (at, OVERFLOWS + at)))) == ["rounding"]


EDITED = {
    "another instruction": (
        (
            "f\"llvm.fmuladd.v{v.type.count}{'f64' if v.type.element == ir.DoubleType() "
            "else 'f32'}\""
        ),
        ("f\"llvm.fma.v{v.type.count}{'f64' if v.type.element == ir.DoubleType() else 'f32'}\""),
    ),
    "another sign": (
        "times_i = _changed(lambda b, re, im: (b.fneg(im), re))",
        "times_i = _changed(lambda b, re, im: (im, re))",
    ),
    "a word of a comment": (
        '"""Return c v + w for a real number c."""',
        '"""Return cv + w for a real number c."""',
    ),
}


@pytest.mark.parametrize("name", EDITED)
def test_edited_vectors_are_not_modelled(name):
    with pytest.raises(ValueError, match="word for word"):
        tried("prog.py", changed(text(), EDITED[name]), 0)


@pytest.mark.parametrize("name", ["residues", "numbers", "recognizer", "lane"])
def test_no_text_can_look_into_a_vector(name):
    with pytest.raises(ValueError, match="reaches behind what a node program works with"):
        tried("prog.py", changed(text(), ("    a, b = v\n", f"    a, b = v\n    a.{name}\n")), 0)


def test_without_a_compiler_nothing_is_said_of_compiled_kernels(monkeypatch):
    monkeypatch.setattr(compiled, "is_installed", lambda: False)
    assert verdicts(text(5, 0))["rounding"].statement.endswith(INTERPRETED)


@pytest.mark.long
def test_the_certificate_says_what_is_assumed_of_compiled_kernels(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(text(6, 0))
    certificate = certify(path, ran=0)
    assert certificate.holds
    assert (
        WITH_NUMBA in certificate.assumed
        and WITH_OPERATIONS["vectors"] in certificate.assumed
        and WITH_OPERATIONS["lanes"] not in certificate.assumed
    )


@cache
def planned(n=8, p=1, layout="cyclic", **options):
    return emit(Spec("fft", 1 << n, 1 << p, layout, layout, kernels="pyfftw", **options))


@pytest.mark.parametrize(
    ("n", "p", "layout", "dtype"),
    [(1, 0, "block", "complex128"), (8, 2, "block", "complex64"), (10, 1, "cyclic", "complex128")],
)
def test_plans_of_fftw_are_certified_by_their_specification_and_run_as_they_are(
    n, p, layout, dtype
):
    found = holds(planned(n, p, layout, dtype=dtype, direction="backward" if p else "forward"))
    assert found["rounding"].statement.endswith(PLANNED)


WRONG_PLANS = {
    "the other direction": (
        (
            'pyfftw.FFTW(source, target, axes=(len(shape) // 2,), direction="FFTW_FORWARD", '
            'flags=("FFTW_MEASURE",))'
        ),
        (
            'pyfftw.FFTW(source, target, axes=(len(shape) // 2,), direction="FFTW_BACKWARD", '
            'flags=("FFTW_MEASURE",))'
        ),
    ),
    "another axis": (
        (
            'pyfftw.FFTW(source, target, axes=(len(shape) // 2,), direction="FFTW_FORWARD", '
            'flags=("FFTW_MEASURE",))'
        ),
        (
            'pyfftw.FFTW(source, target, axes=(0,), direction="FFTW_FORWARD", '
            'flags=("FFTW_MEASURE",))'
        ),
    ),
    "a result in the input": ("fourier(source, target)", "fourier(source, source)"),
    "twiddles left out": ("np.multiply(work, plan.twiddle, out=work)", "pass"),
    "a plan of another shape": ("fftw(1, 2, 64)", "fftw(1, 64, 2)"),
    "a division by d": ("fourier(source, target)", "fourier(source, target, normalise_idft=False)"),
    "what planning leaves": ("fourier(source, target)", "fourier(target, source)"),
}


@pytest.mark.parametrize("name", WRONG_PLANS)
def test_a_wrong_plan_of_fftw_is_refused(name):
    assert list(refuted(changed(planned(), WRONG_PLANS[name]))) in (["function"], ["contract"])


@pytest.mark.long
def test_the_defaults_of_fftw_may_be_written_down_and_what_is_not_modelled_is_not_refuted():
    fftw = "pyfftw.FFTW(..., ..., axes=(len(shape) // 2,), direction=..., flags=...)"
    assert refuted(changed(planned(), (fftw, f"{fftw[:-1]}, threads=1)"))) == {}
    with pytest.raises(NotModelled, match=r"pyfftw.FFTW with planning_timelimit is not modelled"):
        tried("prog.py", changed(planned(), (fftw, f"{fftw[:-1]}, planning_timelimit=1.0)")), 0)


def test_pyfftw_goes_with_kernels_that_are_its_own():
    with pytest.raises(ValueError, match="pyfftw goes with pyfftw"):
        tried(
            "prog.py",
            changed(
                planned(),
                (
                    'KERNELS, EXCHANGE = "pyfftw", "alltoall"',
                    'KERNELS, EXCHANGE = "numpy", "alltoall"',
                ),
            ),
            0,
        )


@pytest.mark.parametrize(
    "spec",
    [
        Spec("hypercube-fft", 1, 1, scheme="2", kernels="numba"),
        Spec(
            "permute",
            64,
            2,
            permutation=Bmmc(bmmc.named("identity", 6), "A"),
            dtype="float64",
            kernels="numba",
        ),
    ],
    ids=str,
)
def test_a_program_in_which_nothing_is_compiled_imports_no_compiler(spec):
    program = emit(spec)
    assert "import numba" not in program
    assert all(map(kind.holds, verdicts(program).values()))


def test_a_program_that_imports_a_compiler_has_kernels_of_it():
    program = emit(Spec("fft", 64, 2)).replace(
        "import numpy as np\n", "import numpy as np\nimport numba\n", 1
    )
    with pytest.raises(ValueError, match="numba goes with numba and gray"):
        tried("prog.py", program, 0)
