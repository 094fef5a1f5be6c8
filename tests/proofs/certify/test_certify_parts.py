"""Certificates of programs whose ranks have unequal parts, of some axes, and of real arrays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from derive.digits.part_layouts import PartLayout
from derive.fields import RootField
from derive.verdict import Checked, Refuted
from proofs.certify.declared_constants import declared
from proofs.certify.ends.divided import divided
from proofs.certify.exact.constants import Recognizer
from proofs.certify.ordinary.stimuli import stimuli
from proofs.certify.real.real_ranks import RealRun, on_real_ranks, ran
from proofs.certify.scripts.evaluation_jobs import natural, scattered
from tests.support.by_hand import right
from tests.support.certified import HOLDS, fate_of
from tests.support.evaluated import executed
from tests.support.evaluations import evaluated
from tests.support.judged import verdicts


def emitted(system, size, ranks, **words):
    """Return the source of a program."""
    return emit(resolve(make_request(system, **stated(size, ranks), **words)))


PROGRAMS = {
    "slabs": ("fft", "10x7", 3, {}),
    "pencils": ("fft", "3x4x3", "2x2x1", {"direction": "backward", "norm": "ortho"}),
    "balanced": ("fft", "5x3", 3, {"input": "balanced", "output": "balanced"}),
    "an axis": ("fft", "7x5", 2, {"axes": "0"}),
    "a vector": ("fft", 30, 4, {}),
    "real": ("rfft", "6x5", 3, {"dtype": "float32"}),
    "back to real": ("rfft", "4x5", 2, {"direction": "backward"}),
    "ranks without elements": ("fft", "2x3", 5, {}),
    "a prime vector on its ranks": ("fft", 13, 2, {"direction": "backward"}),
    "a prime vector by a convolution": ("fft", 1009, 2, {"direction": "backward"}),
    "a prime vector of single precision": ("fft", 257, 2, {"dtype": "complex64"}),
    "a real vector": ("rfft", 9, 2, {"result": "spectrum"}),
    "a real vector on one rank": ("rfft", 9, 1, {"result": "spectrum"}),
}


@pytest.mark.sampled(4)
@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_generated_program_holds_at_the_cost_of_its_supersteps(name, tmp_path):
    system, size, ranks, words = PROGRAMS[name]
    source = emitted(system, size, ranks, **words)
    whole = fate_of(source, tmp_path)
    assert whole.fate == HOLDS and whole.verdicts == ("ran",)
    found = verdicts(source, short=True)
    assert isinstance(found["main"], Checked)
    assert "counted from the factorization" in found["cost"].statement


@pytest.mark.long
def test_a_filter_of_single_precision_that_is_another_one_is_refuted(tmp_path):
    source, table = emitted("fft", 257, 2, dtype="complex64"), "spectrum_of_chirp(1024)[k % "
    assert source.count(table) == 1
    found = fate_of(source.replace(table, table.replace("[k %", "[(k + 1) %")), tmp_path)
    assert found.fate != HOLDS and found.verdicts == ("function",)


SLABS = {
    "slices of another part": (
        "first, stop = divided(n, p)[rank // stride % p :][:2].tolist()",
        "first, stop = 0, divided(n, p)[1]",
        "layout",
    ),
    "parts of an even array": ("np.arange(p + 1) * -(-n // p)", "np.arange(p + 1) * (n // p)", ""),
    "a cost that is less": ("at most 4 messages", "at most 3 messages", ""),
    "other lines of layouts": (
        "Input   block: x[j_0, j_1] lives on rank j_0 div 4",
        "Input   block: x[j_0, j_1] lives on rank j_0 div 3",
        "",
    ),
    "other shapes": ("rank 0 has (4, 7) before", "rank 0 has (3, 7) before", ""),
    "a shape of files that is another one": (
        "INPUT_SHAPE, OUTPUT_SHAPE = (10, 7), (10, 7)",
        "INPUT_SHAPE, OUTPUT_SHAPE = (7, 10), (10, 7)",
        "",
    ),
    "axes that are not all": ("AXES = (-2, -1)", "AXES = (-1,)", "function"),
    "an axis twice": ("AXES = (-2, -1)", "AXES = (-2, 0)", ""),
    "a grid of other ranks": ("GRID = (10, 7), (3, 1)", "GRID = (10, 7), (1, 3)", "layout"),
}
"""What may be said otherwise of an array of 10 x 7 on 3 ranks, and the verdict that refutes it;
none where the program is refused.
"""


@pytest.mark.sampled(2)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", SLABS)
def test_a_generated_program_that_says_something_else_does_not_hold(name, tmp_path):
    old, new, verdict = SLABS[name]
    source = emitted("fft", "10x7", 3)
    assert source.count(old) == 1
    found = fate_of(source.replace(old, new), tmp_path)
    assert found.fate != HOLDS
    if verdict:
        assert found.verdicts == (verdict,)


COMPILED = {
    "slabs": ("fft", "35x7", 3, {}),
    "planes": ("fft", "5x3x3", 2, {}),
    "real": ("rfft", "34x4", 3, {}),
    "back to real": ("rfft", "34x4", 3, {"direction": "backward"}),
    "few rows back": ("rfft", "7x4", 3, {"direction": "backward"}),
}
WRONG_KERNELS = {
    "parts of another axis": ("slabs", "(before[axis], after[axis])", "(before[0], after[axis])"),
    "messages that begin elsewhere": (
        "slabs",
        "scatter_others(tile, z if q == own else y, (copies * first",
        "scatter_others(tile, z if q == own else y, (copies + first",
    ),
    "an own part that stays in the messages": (
        "slabs",
        "tile, z if q == own else y, (copies",
        "tile, y, (copies",
    ),
    "an own part in another place": (
        "slabs",
        "received[1][mine] - trade.sent[1][mine]",
        "received[1][mine]",
    ),
    "planes that are left out": ("planes", "plan.planes_fourier - i)", "1)"),
    "rows of another plane": ("planes", "shape[outer:axis]", "shape[:axis]"),
    "rows of another length": ("slabs", "first, stop, 7, rows)", "first, stop, 8, rows)"),
    "columns beyond the last one": ("slabs", "min(j, columns - 1)", "j"),
    "a column that stays": ("slabs", "range(columns):", "range(columns - 1):"),
    "a block that is not transformed": ("slabs", "(rows + 7) // 8", "(rows + 7) // 16"),
    "rows that stay": (
        "slabs",
        "for j in range(min(8, rows - b)):",
        "for j in range(min(7, rows - b)):",
    ),
    "no conjugates": ("real", "times_i(bent(times_minus_i(bent(mirrored(v)))))", "bent(bent(v))"),
    "an opposite that is another one": ("real", "(n - k) % n) + j", "(n - k - 1) % n) + j"),
    "sums for differences": ("real", "v + w, times_minus_i(v - w)", "v - w, times_minus_i(v + w)"),
    "half the pairs": ("real", "min(b + j + 8, rows - 1)", "min(b + j, rows - 1)"),
    "an uneven frequency n/2": (
        "back to real",
        "range(0, half, n if n % 2 else n // 2)",
        "range(0, half, n)",
    ),
    "imaginary parts of real frequencies": (
        "back to real",
        "v = v + conjugate(v) + times_i(w + conjugate(w))",
        "v = v + v + times_i(w + w)",
    ),
    "blocks of y that are not gathered": ("few rows back", "rows, 16 * blocks)", "rows, rows)"),
    "rows of the imaginary parts": (
        "back to real",
        "times_minus_i(load_pairs_1",
        "times_i(load_pairs_1",
    ),
}
"""Programs with compiled kernels, and a change of each."""


@pytest.mark.sampled(2)
@pytest.mark.long
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_kernels_hold(name):
    system, size, ranks, words = COMPILED[name]
    found = verdicts(emitted(system, size, ranks, kernels="numba", **words), short=True)
    assert all(verdict.holds for verdict in found.values()), found


@pytest.mark.sampled(4)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("name", WRONG_KERNELS)
def test_a_change_of_a_compiled_kernel_is_refuted(name):
    program, old, new = WRONG_KERNELS[name]
    system, size, ranks, words = COMPILED[program]
    source = emitted(system, size, ranks, kernels="numba", **words)
    assert old in source
    assert refuted_shortly(source.replace(old, new)), name


def refuted_shortly(source):
    """Return whether a short check refutes a program."""
    return any(isinstance(each, Refuted) for each in verdicts(source, short=True).values())


def test_a_program_in_unequal_parts_defines_its_local_shapes(tmp_path):
    source = right("slabs_uneven").replace("def local_shape(", "def shape_here(")
    found = fate_of(source.replace("= local_shape", "= shape_here"), tmp_path)
    assert (
        "does not define local_shape(): ranks have unequal parts, (4, 7) on rank 0" in found.error
    )


@pytest.mark.parametrize("name", ["block", "balanced", "whole"])
def test_parts_by_definition_are_those_of_the_layouts_that_are_generated(name):
    for n in range(1, 12):
        for p in range(1, 8) if name != "whole" else [1]:
            known = PartLayout(f"{name},block", (n, 3), (p, 2))
            own = divided((name, "block"), (n, 3), (p, 2))
            assert np.array_equal(own.place(np.arange(3 * n)), known.place(np.arange(3 * n)))
            assert [own.part(rank) for rank in range(2 * p)] == [
                known.local_shape(rank) for rank in range(2 * p)
            ]


@pytest.mark.parametrize("shape", [(6, 5), (5, 6), (1, 2), (3, 1, 4)])
@pytest.mark.parametrize("axes", [(), (0,), (1, 0)])
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_wanted_results_of_real_arrays_are_those_of_numpy(shape, axes, direction):
    """Of basis vectors entries are cosines; the results of powers are sums of those."""
    norm = "backward" if direction == "forward" else "forward"
    d = declared(vars(executed(right("real_slabs"))))
    d = replace(d, N=int(np.prod(shape)), P=1, shape=shape, grid=(1,) * len(shape), axes=axes)
    d = replace(d, input="block", output="block", direction=direction, norm=norm)
    recognizer = Recognizer(RootField.draw(d.order, np.random.default_rng(0)), 1, d.points)
    found = stimuli(d, recognizer, np.random.default_rng(1), units=True)
    given = found.given[..., found.powers + 1 :]
    numbers = given[:, 0] + (1j * given[:, 1] if d.parts == 2 else 0)
    for column, x in enumerate(numbers.T):
        wanted = d.reference(x.astype(d.dtype_of("input"))).astype(complex)
        parts = [wanted.real, wanted.imag][: d.parts_of("output")]
        same = found.wanted[..., found.powers + 1 + column]
        read = [recognizer.recognize(part.copy()).residues[:, 0] for part in parts]
        assert np.array_equal(np.stack(read, axis=1), same)
    matrix = found.wanted[..., found.powers + 1 :].astype(object)
    for column in range(found.powers):
        x = np.concatenate([*found.given[..., column].T]).astype(object)
        image = (matrix @ x) % recognizer.field.q
        assert np.array_equal(image.astype(np.int64), found.wanted[..., column])


@pytest.mark.long
def test_an_element_that_real_ranks_return_otherwise_is_refuted_on_its_rank():
    source = right("slabs_uneven")
    evaluation, d = evaluated(source)
    x = np.exp(1j * np.arange(d.N) ** 2)
    run = on_real_ranks(source, d, RealRun((scattered(d, x), scattered(d, 2 * x))), 16)
    if run.reason:
        pytest.skip(run.reason)
    assert not run.fault
    assert np.allclose(natural(d, run.results[0]).reshape(10, 7), np.fft.fft2(x.reshape(10, 7)))
    assert ran(evaluation, d, run).holds
    parts = [part.copy() for part in run.results[1]]
    parts[2][3] += 1
    wrong = ran(evaluation, d, replace(run, results=(run.results[0], parts, *run.results[2:])))
    assert "transform 2, rank 2, offset 3" in wrong.counterexample


@pytest.mark.long
def test_a_certificate_of_unequal_parts_is_verified(tmp_path, nodewright):
    path = tmp_path / "prog.py"
    path.write_text(right("one_axis_of_two"), encoding="utf-8")
    assert nodewright("certify", str(path), "--ran", "0")[0] == 0
    assert nodewright("certify", "--verify", str(path))[0] == 0
