"""Wrong kernels: each is refuted by a rule, or computes something else."""

from __future__ import annotations

import contextlib

import pytest

from proofs.certify.exact.constants import NoConstant
from proofs.certify.language.table_entries import Refuted
from tests.support.changes import changed
from tests.support.judged import refuted
from tests.support.paths import ROOT
from tests.support.programs import fft
from tests.support.rounds import is_right

FFT = (ROOT / "generated/fft_4096_2_numba.py").read_text("utf-8")
FHT = (ROOT / "generated/fht_1024_4_numba.py").read_text("utf-8")
MOVE = (ROOT / "generated/permute_4096_4_bit_reversal_numba.py").read_text("utf-8")

REFUTED = {
    "beyond x": (
        FFT,
        "load_pairs(x, at + j, 256, 8)",
        "load_pairs(x, at + j + 1, 256, 8)",
        "keeps within",
    ),
    "a column less": (FFT, "range(0, 256, W)", "range(0, 248, W)", "uninitialised"),
    "a row less": (FFT, "for i in range(32)", "for i in range(31)", "uninitialised"),
    "pairs of split vectors": (FFT, "fft4(load(line,", "fft4(load_pairs(line,", "pairs"),
    "split vectors of pairs": (FFT, "fft8(load_pairs(x, at", "fft8(load(x, at", "pairs"),
    "into a table": (
        FFT,
        "store_pairs(y, at + j, 1024",
        "store_pairs(twiddle, at + j, 0",
        "table of constants",
    ),
    "constants where data are": (
        FFT,
        "fft2(rotate(messages_1(x, at + j), load(twiddle, at + j, 1024, 1)))",
        "load(twiddle, at + j, 1024, 1)",
        "constants",
    ),
    "little scratch": (FFT, "aligned(264 * W, DTYPE)", "aligned(256 * W, DTYPE)", "keeps within"),
    "an array that is gone": (
        FFT,
        "address(self.roots)",
        "address(self.roots.copy())",
        "no longer there",
    ),
    "into the input": (FFT, "store_blocks(room", "store_blocks(x", "read-only"),
    "no barrier": (FFT, "self.comm.Barrier()", "pass", "uninitialised|waited"),
    "streams and no fence": (FFT, "store(line, i * W", "stream(line, i * W", "fence"),
    "a streamed pair between lines": (
        FFT,
        "store_pairs(y, at + j",
        "stream_pairs(y, at + j + 1",
        "streamed",
    ),
    "a list beyond its end": (
        FHT,
        "load_lists(b, c, a, c, 0, 1)",
        "load_lists(b, c, a, c + 1, 0, 1)",
        "keeps within",
    ),
    "complex numbers of lists": (
        FHT,
        "load_lists(re, at + j, im, at + j, 16, 8)",
        "load_pairs(re, at + j, 16, 8)",
        "real elements",
    ),
    "a line beyond the end": (
        MOVE,
        "store(target, t >> 3",
        "store(target, (t >> 3) + 128",
        "keeps within",
    ),
    "indices that miss elements": (
        MOVE,
        "self.turns[:] = turns.reshape(-1)",
        "self.turns[:] = turns.reshape(-1) + 8",
        "index vector",
    ),
    "lanes turned too far": (MOVE, "t & 7", "t & 15", "turned by"),
}
WRONG = {
    "another stride": (FFT, "load_pairs(x, at + j, 256, 8)", "load_pairs(x, at + j, 255, 8)"),
    "rows of another column": (
        FFT,
        "load(line, (33 * a + 4 * b) * W",
        "load(line, (33 * a + 4 * b ^ 1) * W",
    ),
    "rows that overlap": (FFT, "store(line, i * W, 33 * W", "store(line, i * W, 32 * W"),
    "twiddles of the next vector": (
        FFT,
        "load(roots, 7 * j, W, 7)",
        "load(roots, 7 * j + W, W, 7)",
    ),
    "twiddles of the next row": (
        FFT,
        "broadcast(roots, 1792 + 7 * i",
        "broadcast(roots, 1785 + 7 * i",
    ),
    "another exponent": (FFT, "(o // W % (r - 1) + 1)", "(o // W % (r - 1) + 2)"),
    "the inverse": (FFT, "SIGN = -1", "SIGN = 1"),
    "a turn": (FFT, "b + d, times_minus_i(b - d)", "b + d, times_i(b - d)"),
    "an output elsewhere": (FFT, "k // 2 + 4 * a", "k // 2 + 5 * a"),
    "sum and difference": (FFT, "return a + b, a - b", "return a - b, a + b"),
    "one message twice": (FFT, "load_pairs(x[1], place", "load_pairs(x[0], place"),
    "one twiddle for all": (FFT, "load(twiddle, at + j, 1024, 1)", "load(twiddle, at, 1024, 1)"),
    "no transposition": (
        FFT,
        "transpose(rotate(v, load(roots, 7 * j, W, 7)))",
        "rotate(v, load(roots, 7 * j, W, 7))",
    ),
    "rounds that write to one place": (
        FFT,
        "store_blocks(room, j * W,",
        "store_blocks(room, j // 16 * 16 * W,",
    ),
    "no conjugates": (FHT, "times_i(times_i(d))", "times_i(d)"),
    "parts as they are": (FHT, "bent(muladd(0.5, s, d))", "muladd(0.5, s, d)"),
    "the wrong bit": (MOVE, "v = exchange(v, 4)", "v = exchange(v, 2)"),
    "lanes turned": (MOVE, "t & 7", "t + 3 & 7"),
    "the next line": (MOVE, "store(target, t >> 3", "store(target, (t >> 3) + 1"),
    "the source's lines": (
        MOVE,
        "store(target, t >> 3, lines[1], v)",
        "store(target, t >> 3, lines[0], v)",
    ),
}


def other(source, line, new):
    assert line in source
    return source.replace(line, new)


@pytest.mark.sampled(2)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", REFUTED)
def test_a_wrong_kernel_is_refuted(name):
    *change, words = REFUTED[name]
    with pytest.raises(Refuted, match=words):
        is_right(other(*change))


@pytest.mark.sampled(2)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_computes_something_else(name):
    with contextlib.suppress(Refuted, NoConstant):
        assert not is_right(other(*WRONG[name]))


def test_a_product_of_data_is_undecided():
    with pytest.raises(NoConstant, match="a product of two arrays that depend on x"):
        is_right(other(FFT, "times(v[1:], w)", "times(v[1:], v[1:])"))


def test_a_constant_of_a_few_digits_is_unknown():
    with pytest.raises(NoConstant, match=r"the constant 0\.7071067811865 is no dyadic"):
        is_right(other(FFT, "0.7071067811865476", "0.7071067811865"))


@pytest.mark.long
def test_the_rounding_of_a_constant_times_a_large_number_is_refuted_without_real_ranks():
    beginning = "x, out = arrays(x, plan, out)"
    noise = (beginning, f"{beginning}\nx = x + x * np.sin(np.pi) * 2.0**50")
    found = refuted(changed(fft(64, 2, kernels="numba"), noise))
    assert list(found) == ["rounding"] and "(on ordinary numbers, in" in found["rounding"]
