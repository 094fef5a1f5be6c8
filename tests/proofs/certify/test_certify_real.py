"""Certificates of programs for real input, and for batches of Hartley transforms: right texts hold,
wrong ones do not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.emit.text import emit
from codegen.kernels import fusion
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from codegen.systems.record import Request
from derive.verdict import holds
from proofs.certify.fields.chance import Chance, error_of
from proofs.certify.program import certify, verify
from proofs.certify.rows import all_hold
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts
from tests.support.tiles import CYCLIC, SLABS, request, small_tiles

PAIRS = "cyclic-pairs"
RIGHT = [
    make_request("rfft", 36, 3),
    make_request("rfft", 36, 3, PAIRS, PAIRS, direction="backward"),
    make_request("rfft", 18, 1, norm="ortho", dtype="float32"),
    make_request("rfft", 16, 4, PAIRS, direction="backward", norm="forward", dtype="float32"),
    make_request("rfft", 2, 1),
    make_request("fht", **stated(12, 2, 6), input="cyclic", output="cyclic", norm="forward"),
    make_request("fht", **stated(16, 4, 2), direction="backward", norm="ortho", dtype="float32"),
    make_request("fht", **stated(5, 1, 2)),
    make_request("fht", **stated(12, 2, 5), input="cyclic", output="cyclic", norm="forward"),
    make_request("fht", **stated(16, 4, 1), direction="backward", dtype="float32"),
    make_request("fht", **stated("4x6", 2), norm="ortho"),
    make_request(
        "fht", **stated("9x4", "3x1", 3), input="cyclic", output="cyclic", direction="backward"
    ),
    make_request("fht", **stated("4x1x3", 1, 2), norm="forward", dtype="float32"),
    make_request("fht", **stated(45, 3), direction="backward", norm="ortho", dtype="float32"),
    make_request("fht", **stated("8x8", "1x2"), input="whole,block", output="block,whole"),
    make_request("fht", **stated(36, 3), direction="backward", norm="ortho", exchange="pairwise"),
    make_request("fht", **stated(36, 3), input="cyclic", norm="forward", dtype="float32"),
    make_request("fht", **stated(18, 1), input="cyclic", output="cyclic"),
    make_request("fht", **stated(18, 3), input=PAIRS, exchange="nonblocking"),
]


@pytest.mark.sampled(6)
@pytest.mark.long
@pytest.mark.parametrize("asked", RIGHT, ids=str)
def test_programs_for_real_input_are_certified(tmp_path: Path, asked: Request) -> None:
    path = tmp_path / "program.py"
    path.write_text(emit(resolve(asked)), encoding="utf-8")
    certificate = certify(path, ran=0)
    assert certificate.holds, {n: str(v) for n, v in certificate.verdicts.items() if not v.holds}
    assert verify(path)[0] == certificate


COMPILED = [
    make_request("rfft", 72, 2, kernels="numba"),
    make_request("rfft", 36, 3, PAIRS, PAIRS, direction="backward", norm="ortho", kernels="numba"),
    make_request("rfft", 18, 1, norm="forward", dtype="float32", kernels="numba"),
    make_request("rfft", 64, 4, PAIRS, direction="backward", exchange="pairwise", kernels="numba"),
    make_request("fht", **stated(12, 2, 6), input="cyclic", output="cyclic", kernels="numba"),
    make_request("fht", **stated(16, 4, 2), norm="ortho", dtype="float32", kernels="numba"),
    make_request("fht", **stated(18, 3, 2), norm="ortho", kernels="numba"),
    make_request("fht", **stated("9x5", "3x1"), input="cyclic", output="cyclic", kernels="numba"),
    make_request("fht", **stated("9x4", "3x1"), input="cyclic", output="cyclic", kernels="numba"),
    make_request("fht", **stated(36, 3), norm="ortho", kernels="numba"),
    make_request("fht", **stated(72, 2), input="cyclic", exchange="pairwise", kernels="numba"),
]


@pytest.mark.sampled(6)
@pytest.mark.long
@pytest.mark.parametrize("asked", COMPILED, ids=str)
def test_compiled_programs_for_real_input_are_certified(asked: Request) -> None:
    text = emit(resolve(asked))
    assert "local_0 = compiled(local_0)" in text
    assert all_hold(verdicts(text))


@pytest.mark.long
def test_hartley_transforms_in_tiles_are_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    small_tiles(monkeypatch, 128)
    asked = make_request(
        "fht", **stated("64", "2", 32), input="cyclic", output="cyclic", kernels="numba"
    )
    text = emit(resolve(asked))
    assert "in tiles that fit a cache" in text
    assert all_hold(verdicts(text))


@pytest.mark.long
@pytest.mark.parametrize("ends", [CYCLIC, SLABS])
def test_transforms_that_put_their_rows_from_tiles_are_certified(ends, monkeypatch) -> None:
    small_tiles(monkeypatch, 128)
    monkeypatch.setattr(fusion, "STREAMED", 2**9)
    text = emit(resolve(request("16x16x16", "2x1x1", ends)))
    assert ", to, streamed):" in text
    assert all_hold(verdicts(text))
    assert refuted(text.replace("put_pairs(y, to + j + ", "put_pairs(y, to + ", 1))


OF_COMPILED = {
    "twiddles of another order": ("root_of_unity(..., 36)", "root_of_unity(..., 72)"),
    "no conjugate": ("np.conj(z, out=conj)", "np.copyto(conj, z)"),
    "the input in place of what was received": (
        "local_1(memory_of(work), memory_of(out), *plan.addresses_2)",
        "local_1(memory_of(x), memory_of(out), *plan.addresses_2)",
    ),
    "another kernel": (
        "local_0(memory_of(x), memory_of(work), *plan.addresses)",
        "local_1(memory_of(x), memory_of(work), *plan.addresses_2)",
    ),
    "all copies but the first": ("range(0, copies * 18, 18)", "range(18, copies * 18, 18)"),
    "weights of other pairs": ("root_of_unity(rank + o * 2, N)", "root_of_unity(rank + o * 3, N)"),
}


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", OF_COMPILED)
def test_wrong_compiled_programs_for_real_input_are_refuted(name: str) -> None:
    text = emit(resolve(make_request("rfft", 72, 2, PAIRS, PAIRS, kernels="numba")))
    assert refuted(changed(text, OF_COMPILED[name]))


MUTANTS = {
    "the pair itself as its opposite": ("else conj[::-1]", "else conj"),
    "pair 0 among those that come backwards": ("conj[:0:-1] if first", "conj[1:] if first"),
    "the next rank as the partner": ("-rank % P, source", "(1 - rank) % P, source"),
    "no conjugate": ("np.conj(z, out=conj)", "np.copyto(conj, z)"),
    "weights of the other sign": ("SIGN * 1j * root_of_unity(", "-SIGN * 1j * root_of_unity("),
    "weights of other pairs": ("rank + o * 3, N", "rank + o * 2, N"),
    "no halves": ("np.multiply(z[first:], 0.5", "np.multiply(z[first:], 1.0"),
    "no halves of the opposite": ("np.multiply(opposite, 0.5", "np.multiply(opposite, 1.0"),
    "half of the opposite": ("np.add(opposite, opposite, out=opposite)", "pass"),
    "the sum in place of the difference": ("total, difference\n", "total, total\n"),
    "pair 0 as the others": ("    if first:\n", "    if False:\n"),
    "another direction": ('NORM = "rfft", "forward"', 'NORM = "rfft", "backward"'),
    "no exchange": ("    plan.own.Sendrecv_replace(", "    (lambda *at, source: None)("),
}


@pytest.mark.sampled(3)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", MUTANTS)
def test_wrong_programs_for_real_input_are_refuted(name: str) -> None:
    text = emit(resolve(make_request("rfft", 36, 3, PAIRS, PAIRS)))
    old, new = MUTANTS[name]
    assert text.count(old) == 1
    assert refuted(text.replace(old, new))


OF_BATCHES = {
    "the element itself as its opposite": ("else c[:, ::-1]", "else c"),
    "element 0 among those that come backwards": ("c[:, :0:-1] if first", "c[:, ::-1] if first"),
    "the next rank as the partner": ("-rank % P, source", "(1 - rank) % P, source"),
    "the other sign": ("np.multiply(z, 0.5 - 0.5j", "np.multiply(z, 0.5 + 0.5j"),
    "no halves": ("np.multiply(z, 0.5 + 0.5j", "np.multiply(z, 1 + 1j"),
    "element 0 without its opposite": ("    z[:, :first] +=", "    z[:, :0] +="),
    "all arrays as one": ("c.reshape(BATCH, -1)", "c.reshape(BATCH, -1)[::-1]"),
    "the imaginary parts": ("y.reshape(M), out.real", "y.reshape(M), out.imag"),
    "no exchange": ("    plan.own.Sendrecv_replace(", "    (lambda *at, source: None)("),
}


@pytest.mark.sampled(3)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", OF_BATCHES)
def test_wrong_programs_for_batches_of_hartley_transforms_are_refuted(name: str) -> None:
    text = emit(resolve(make_request("fht", **stated(18, 3, 4), input="cyclic", output="cyclic")))
    old, new = OF_BATCHES[name]
    assert text.count(old) == 1
    assert refuted(text.replace(old, new))


OF_AXES = {
    "the element itself as its opposite": ("else c[:, ::-1]", "else c"),
    "the other axis": ("(4, 3, 2), 3, 2", "(12, 2, 1), 2, 1"),
    "ranks of the other axis": ("(4, 3, 2), 3, 2, plan", "(4, 3, 2), 3, 1, plan"),
    "an axis left out": ("reflect(out, work, (12, 2, 1), 2, 1, plan)", "pass"),
    "no exchange": ("if across > 2:", "if across > 3:"),
}


@pytest.mark.sampled(2)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", OF_AXES)
def test_wrong_programs_for_hartley_transforms_of_axes_are_refuted(name: str) -> None:
    text = emit(
        resolve(make_request("fht", **stated("9x4", "3x2", 4), input="cyclic", output="cyclic"))
    )
    old, new = OF_AXES[name]
    assert text.count(old) == 1
    assert refuted(text.replace(old, new))


OF_ROWS = {
    "rows of another length": (
        "reshape(4, 8, 1), work.view(DTYPE).reshape(4, 8, 1)",
        "reshape(8, 4, 1), work.view(DTYPE).reshape(8, 4, 1)",
    ),
    "the sign of sines": ("np.subtract(X.real, X.imag", "np.add(X.real, X.imag"),
    "sines forward": ("X.imag[:, opposite]", "X.imag[:, 1 : n - half + 1]"),
    "another norm": ('"backward")', '"ortho")'),
    "rows left out": (
        "hartley_along(x.view(DTYPE)",
        "(lambda x, y, norm: np.copyto(y, x))(x.view(DTYPE)",
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", OF_ROWS)
def test_wrong_programs_for_hartley_transforms_by_rows_are_refuted(name: str) -> None:
    text = emit(resolve(make_request("fht", **stated("8x8", "2x1"))))
    old, new = OF_ROWS[name]
    assert text.count(old) == 1
    assert refuted(text.replace(old, new))


FROM_PAIRS = {
    "the pair itself as its opposite": ("z[:, :0:-1] if first else z[:, ::-1]", "z[:, first:]"),
    "pair 0 among those that come backwards": ("z[:, :0:-1] if first", "z[:, :-1] if first"),
    "the next rank as the partner": ("-plan.own.rank % P, s", "(1 - plan.own.rank) % P, s"),
    "pair 0 without its opposite": (
        "np.conj(z[:, :first], out=c[:, :first])",
        "c[:, :first] = z[:, :first]",
    ),
    "weights of other pairs": ("rank + o * 3, 36)", "rank + o * 2, 36)"),
    "weights of half the angle": ("rank + o * 3, 36)", "rank + o * 3, 72)"),
    "no weights": ("d *= turn[at[1]]", "pass"),
    "the sign of sines": ("s.real - s.imag,", "s.real + s.imag,"),
    "both halves the sum": ("1j * (p - q)", "1j * (p + q)"),
    "another factor": ("plan.twiddle_2, 0.5, plan", "plan.twiddle_2, 0.25, plan"),
    "halves that change places": ("made.real, made.imag", "made.imag, made.real"),
    "a piece left out": ("range(0, z.shape[1], PIECE)", "range(1, z.shape[1], PIECE)"),
    "no exchange": ("    plan.own.Sendrecv_replace(", "    (lambda *at, source: None)("),
}
TO_PAIRS = {
    "the pair itself as its opposite": ("z[:, :0:-1] if first else z[:, ::-1]", "z[:, first:]"),
    "the next rank as the partner": ("-plan.own.rank % P, s", "(1 - plan.own.rank) % P, s"),
    "pair 0 as the others": (
        "np.multiply(z[:, :first].conj(), 1j,",
        "np.multiply(z[:, :first], 1,",
    ),
    "no weights": ("turn[at[1]] * v", "v"),
    "the sign of v": ("(d.real - d.imag) - (s", "(d.real - d.imag) + (s"),
    "the sign of u": ("s.real + s.imag + 1j", "s.real + s.imag - 1j"),
    "halves that change places": ("p, q = x.reshape(", "q, p = x.reshape("),
    "another factor": ("plan.twiddle, 0.5, plan", "plan.twiddle, 0.25, plan"),
    "no exchange": ("    plan.own.Sendrecv_replace(", "    (lambda *at, source: None)("),
}


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize(
    ("given", "name"),
    [*(("block", name) for name in FROM_PAIRS), *(("cyclic", name) for name in TO_PAIRS)],
)
def test_wrong_programs_for_hartley_transforms_by_pairs_are_refuted(given: str, name: str) -> None:
    text = emit(resolve(make_request("fht", **stated(36, 3), input=given)))
    old, new = (FROM_PAIRS if given == "block" else TO_PAIRS)[name]
    assert text.count(old) == 1
    assert refuted(text.replace(old, new))


EXCHANGED = (
    "plan.own.Sendrecv_replace(c.view(DTYPE), -plan.own.rank % P, source=-plan.own.rank % P)"
)
TWICE = """big = np.zeros(4 * G, DTYPE).view(COMPLEX)
    big[:G] = c
    plan.own.Sendrecv_replace(big, -plan.own.rank % P, source=-plan.own.rank % P)
    c[:] = big[:G]"""


@pytest.mark.long
def test_words_are_numbers_of_the_programs_type() -> None:
    text = emit(resolve(make_request("fht", **stated(36, 3))))
    assert text.count(EXCHANGED) == 1
    words = refuted(text.replace(EXCHANGED, TWICE))["cost"]
    assert "word" in words
    as_complex = text.replace(EXCHANGED, EXCHANGED.replace("c.view(DTYPE)", "c"))
    assert all(map(holds, verdicts(as_complex).values()))


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "old", "new"),
    [
        (
            "block",
            "± Im (1 + i) w^m (Z[m] - C)/2, C = conj Z[-m],",
            "± Im (1 - i) w^m (Z[m] - C)/2, C = conj Z[-m],",
        ),
        ("block", "Z = F_18 z", "Z = F_36 z"),
        ("cyclic", "v'[0] = -v[0],", "v'[0] = v[0],"),
        ("cyclic", "y_2m + i y_(2m + 1) = Z,", "y_2m - i y_(2m + 1) = Z,"),
    ],
)
def test_a_head_that_says_another_way_of_pairs_is_refused(given: str, old: str, new: str) -> None:
    text = emit(resolve(make_request("fht", **stated(36, 3), input=given)))
    assert text.count(old) == 1
    with pytest.raises(ValueError, match="the docstring has"):
        refuted(text.replace(old, new))


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("BATCH = 4", "BATCH = 3", "axes .* and batch 3 have other elements"),
        ("BATCH = 4", "BATCH = 0", "axes .* and batch 0 have other elements"),
        ("E z)[k] = (z[k] + c)/2 + i", "E z)[k] = (z[k] + c)/2 - i", "the docstring has"),
    ],
)
def test_batches_that_no_program_has_are_refused(old: str, new: str, reason: str) -> None:
    text = emit(resolve(make_request("fht", **stated(18, 3, 4), input="cyclic", output="cyclic")))
    assert text.count(old) == 1
    with pytest.raises(ValueError, match=reason):
        refuted(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            '"cyclic-pairs", "cyclic-pairs"',
            '"cyclic", "cyclic"',
            "rfft of one axis supports the layouts block and cyclic-pairs",
        ),
        ("N, P, M = 36, 3, 12", "N, P, M = 27, 3, 9", "rfft needs an even N; got 27"),
        ('np.dtype("float64")', 'np.dtype("complex128")', "use one of float64, float32"),
        ("N, P, M = 36, 3, 12", "N, P, M = 2400000, 3, 800000", "the largest that certify runs"),
    ],
)
def test_constants_that_no_real_program_has_are_refused(old: str, new: str, reason: str) -> None:
    text = emit(resolve(make_request("rfft", 36, 3, PAIRS, PAIRS)))
    with pytest.raises(ValueError, match=reason):
        refuted(text.replace(old, new))


@pytest.mark.long
def test_a_head_that_says_another_stage_is_refused() -> None:
    text = emit(resolve(make_request("rfft", 36, 3)))
    old = "- i w^m (Z[m] - C)/2, C = conj Z[-m],"
    assert text.count(old) == 1
    with pytest.raises(ValueError, match="the docstring has"):
        refuted(text.replace(old, old.replace("- i", "+ i")))


def test_many_unlikely_runs_leave_a_little_to_chance() -> None:
    run = Chance(150, 600, 60.0, True)
    assert 0 < error_of([run] * run.hiding) < 1e-300
    assert error_of([run] * (run.hiding + 1)) == 0
