"""Hartley transforms with compiled kernels: right ones of every shape and their certificates,
damaged texts, what is made of them in place.
"""

import shlex
from functools import cache

import numpy as np
import pytest

from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.mpi.simulate import run
from codegen.program.hartley import ALGORITHMS
from codegen.program.lower import lower
from codegen.spec import Spec, command
from derive import verdict as kind
from nodewright.cli import app
from proofs.certify.checks.suite import tried
from proofs.certify.sandbox.source import COMPILED
from tests.codegen.emit.test_hartley_emit import (
    close,
    definition,
    module_of,
    on_ranks,
    random_vector,
    simulated,
)
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts

pytestmark = pytest.mark.sampled(16)

NAMES = ["layout", "messages", "function", "contract", "cost", "rounding"]


@cache
def text(N=128, P=4, before="hartley-input", after="", algorithm="", **options):
    return emit(Spec("fht", N, P, before, after, algorithm=algorithm, kernels="numba", **options))


def holds(program):
    found = verdicts(program)
    assert [str(verdict) for verdict in found.values() if not kind.holds(verdict)] == []
    assert list(found) == NAMES
    return found


@pytest.mark.parametrize(
    ("n", "p"),
    [
        (1, 0),
        (2, 1),
        (3, 2),
        (4, 0),
        (5, 3),
        (6, 1),
        (7, 3),
        (8, 2),
        *(pytest.param(*shape, marks=pytest.mark.slow) for shape in ((9, 0), (10, 4), (11, 1))),
    ],
)
def test_kernels_of_every_shape_are_certified(n, p):
    even = (n + p) % 2 == 0
    found = holds(
        text(
            1 << n,
            1 << p,
            "block" if even else "cyclic",
            "" if even else "cyclic",
            dtype="float64" if even else "float32",
        )
    )
    assert found["function"].evidence.endswith("vectors of 8, 4, 2 lanes")
    assert found["rounding"].statement.endswith(COMPILED)


@pytest.mark.parametrize(
    ("n", "p"),
    [(1, 0), (3, 1), (5, 2), (7, 0), (7, 3), pytest.param(11, 1, marks=pytest.mark.slow)],
)
def test_the_way_back_is_certified(n, p):
    options = {"direction": "backward", "norm": "ortho", "dtype": "float32"} if p % 2 else {}
    holds(text(1 << n, 1 << p, "hartley", "block" if p % 2 else "", **options))


@pytest.mark.parametrize(
    ("n", "p"),
    [
        (5, 2),
        (1, 0),
        (3, 1),
        *(pytest.param(*shape, marks=pytest.mark.slow) for shape in ((7, 3), (9, 4), (10, 1))),
    ],
)
def test_kernels_go_with_one_all_to_all(n, p):
    holds(
        text(
            1 << n,
            1 << p,
            "cyclic",
            "block" if n == 7 else "",
            "group-cyclic",
            dtype="float32" if n % 2 else "float64",
        )
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_half_spectrum_is_certified(algorithm):
    holds(text(128, 4, "block", algorithm=algorithm, result="dft"))


@pytest.mark.parametrize("P", [4, 1])
def test_the_transform_of_a_program_that_convolves_is_certified(P):
    holds(text(64, P, convolve=True))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_compiled_programs_transform_as_the_definition_says(dtype, algorithm):
    x = random_vector(256, dtype)
    way = {"direction": "backward", "norm": "ortho", "kernels": "numba", "dtype": dtype}
    spec = Spec("fht", 256, 4, "block", "cyclic", algorithm=algorithm, **way)
    y, trace = simulated(spec, x)
    assert close(y, definition(x, "backward", "ortho"), dtype)
    cost = count(lower(spec))
    assert (trace.messages, trace.words) == (cost.messages, cost.words)
    power, _ = simulated(
        Spec("fht", 256, 4, algorithm=algorithm, kernels="numba", dtype=dtype, result="power"), x
    )
    assert close(power, np.abs(np.fft.fft(x.astype(float))) ** 2, dtype)


@pytest.mark.parametrize("P", [1, 2, 4])
def test_compiled_convolutions_are_those_of_their_definition(P):
    N = 64
    module = module_of(Spec("fht", N, P, kernels="numba", convolve=True))
    x, y = (np.random.default_rng(seed).integers(-9, 10, N).astype(float) for seed in range(2))
    local = on_ranks(module, x, y)

    def body(comm):
        plan = module.plan(comm)
        found = module.convolve(*local[:, comm.rank].copy(), plan)
        plan.free()
        return found

    found = np.array(run(P, body).results)[*module.input_place(np.arange(N))]
    assert np.allclose(found, [sum(x[j] * y[k - j] for j in range(N)) for k in range(N)])


def test_every_size_has_as_many_lines():
    for algorithm in ALGORITHMS:
        assert (
            len(
                {
                    text(N, P, "block", algorithm=algorithm).count("\n")
                    for N, P in ((2**10, 4), (2**40, 2**19))
                }
            )
            == 1
        )


def test_the_command_in_a_program_makes_it_again(tmp_path):
    way = {"algorithm": "group-cyclic", "dtype": "float32", "result": "dft"}
    spec = Spec("fht", 64, 4, "cyclic", kernels="numba", **way)
    path = tmp_path / "again.py"
    app.app([*shlex.split(command(spec))[1:], "-o", str(path)], standalone_mode=False)
    assert path.read_text(encoding="utf-8") == emit(spec)


TANGLED = "load_pairs(z, G - k - W + 1, 1, 1)"
WRONG = {
    "sums for differences": (
        "*(differences, sums) if self.negative",
        "*(sums, differences) if self.negative",
    ),
    "a neighbour's list for one's own": (
        "        if self.upper:\n            low, high",
        "        if not self.upper:\n            low, high",
    ),
    "sums and differences turned the other way": ("(v + times_minus_i(v),)", "(v + times_i(v),)"),
    "sums for differences on even ranks": (
        "if self.odd else (kept, sent)",
        "if not self.odd else (kept, sent)",
    ),
    "another list sent": ("self.comm.Sendrecv(self.outgoing,", "self.comm.Sendrecv(target[:G],"),
    "a stage without its weight": (
        "= root_of_unity(comm.rank, 1 << s)",
        "= root_of_unity(0, 1 << s)",
    ),
    "a weight of another stage": (
        "= root_of_unity(comm.rank, 1 << s)",
        "= root_of_unity(comm.rank, 2 << s)",
    ),
    "lists in another order": ("lists_of(target)[::-1]\n", "lists_of(target)\n"),
    "two lists for each other": (
        "got + own if self.upper else own + got",
        "own + got if self.upper else got + own",
    ),
    "vectors of lists left out": (
        "for c in range(0, count, W):\n        v = load_lists(b",
        "for c in range(W, count, W):\n        v = load_lists(b",
    ),
    "the last stage left out": ("1 - 1j if 2 * comm.rank == P else 1", "1"),
    "the last stage of another rank": (
        "1 - 1j if 2 * comm.rank == P else 1",
        "1 - 1j if comm.rank == 1 else 1",
    ),
    "twiddles of another rank": ("twiddles(comm.rank, 1", "twiddles(comm.rank ^ 1, 1"),
    "twiddles of another order": ("c - G + 1), N)", "c - G + 1), 2 * N)"),
    "real parts for imaginary ones": (
        "load_lists(re, place, im, place, stride",
        "load_lists(im, place, re, place, stride",
    ),
    "a list from another place": (
        "load_lists(re, place, im, place, stride",
        "load_lists(re, place, im, 0, stride",
    ),
    "entries without the opposite ones": (f"mirrored({TANGLED}[0])", f"{TANGLED}[0]"),
    "another opposite entry": (TANGLED, "load_pairs(z, G - k - W, 1, 1)"),
    "opposite entries in the wrong order": ("(bent(muladd(0.5, s, d)),)", "(muladd(0.5, s, d),)"),
    "a third of a sum": ("muladd(0.5, s, d)", "muladd(0.3, s, d)"),
    "a quarter of a sum": ("muladd(0.5, s, d)", "muladd(0.25, s, d)"),
    "an odd part twice": ("times_i(times_i(d))", "d"),
    "untangled with another order": ("i % W, M)", "i % W, 2 * M)"),
    "a middle that is left out": ("G // 2 // W + 1 if G > 1", "G // 2 // W if G > 1"),
    "an entry G that is entry 0": ("np.subtract(z.real[:1]", "np.add(z.real[:1]"),
    "a list beyond the end": ("store_lists(y, G + k, y,", "store_lists(y, M - W + k, y,"),
    "pairs where lists are": (
        "untangle(address(z), address(target),",
        "untangle(address(z), address(target.view(COMPLEX)),",
    ),
    "lists where pairs are": (
        "untangle(address(z), address(target),",
        "untangle(address(source), address(target),",
    ),
    "lists where constants are": (
        "untangle(address(z), address(target), *",
        "untangle(address(z), address(self.table), *",
    ),
    "data times data": (
        "times((v - v_back,), load(table, b * W, W, 1))",
        "times((v - v_back,), (v_back,))",
    ),
    "the address of what is gone": (
        "return address(array[:G]), ",
        "return address(array[:G].copy()), ",
    ),
    "lists and pairs that overlap": (
        "fourier_of_lists(*lists_of(source),",
        "fourier_of_lists(*lists_of(target),",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_kernel_or_stage_is_refused(name):
    found = refuted(changed(text(128, 8), WRONG[name]))
    assert list(found) in (["function"], ["contract"])


def test_the_program_that_is_damaged_is_right():
    assert refuted(text(128, 8)) == {}


WRONG_BACK = {
    "not conjugated": (
        "store_lists(im, c, re, c, 0, (times_i(product),))",
        "store_lists(re, c, im, c, 0, (product,))",
    ),
    "twiddles of the next block": ("b * W if b else G", "b * W"),
    "a real part for an imaginary one": (
        "target[G : G + 1] = z.imag[:1]",
        "target[G : G + 1] = z.real[:1]",
    ),
    "blocks left out": ("address(self.table), G // W if", "address(self.table), G // W - 1 if"),
    "a sum back for a difference": ("[0] - load_lists(other_re", "[0] + load_lists(other_re"),
    "a weight that is not conjugated": (
        "root_of_unity(-comm.rank, 1 << s)",
        "root_of_unity(comm.rank, 1 << s)",
    ),
    "the list that is kept sent": (
        "*(self.place, kept) if self.upper",
        "*(kept, self.place) if self.upper",
    ),
    "odd ranks as even ones": ("[:: -1 if self.odd else 1]", ""),
    "entries in their own order": (
        "mirrored(load_pairs(z, G - c - W + 1, 1, 1)[0])",
        "load_pairs(z, c, 1, 1)[0]",
    ),
}


@pytest.mark.parametrize("name", WRONG_BACK)
def test_a_damaged_way_back_is_refused(name):
    found = refuted(changed(text(128, 4, "hartley"), WRONG_BACK[name]))
    assert list(found) in (["function"], ["contract"])


WRONG_GROUPS = {
    "ends of other entries": ("self.ends = x[:: G // P]", "self.ends = x[:P]"),
    "the middle for the beginning": (
        "np.subtract(z.real[:1], z.imag[:1], out=target[1:2])",
        "np.add(z.real[:1], z.imag[:1], out=target[1:2])",
    ),
    "not conjugated": (
        "(mirrored(muladd(0.5, s, times_i(times_i(d)))),)",
        "(muladd(0.5, s, times_i(times_i(d))),)",
    ),
    "packed for another rank": ("(2 * P - rank, stride,", "(2 * P - rank - 1, stride,"),
    "second pairs as the first": (
        "mirrored(load_pairs(x, here + count",
        "(load_pairs(x, here + count",
    ),
    "pairs turned the other way": (
        "(v + times_i(v),))\n        for",
        "(v + times_minus_i(v),))\n        for",
    ),
    "twiddles of another rank": (
        "root_of_unity(comm.rank * frequency",
        "root_of_unity((comm.rank + 1) * frequency",
    ),
}


@pytest.mark.parametrize("name", WRONG_GROUPS)
def test_a_damaged_program_with_one_all_to_all_is_refused(name):
    found = refuted(changed(text(128, 4, "cyclic", algorithm="group-cyclic"), WRONG_GROUPS[name]))
    assert list(found) in (["function"], ["contract"])


EDITED = {
    "a conjugate that is none": (
        "return _joined(builder, re, builder.fneg(im))",
        "return _joined(builder, re, im)",
    ),
    "lists of the other memory": ("zip((args[0], args[2]), sides", "zip((args[2], args[0]), sides"),
}


@pytest.mark.parametrize("name", EDITED)
def test_edited_operations_are_not_modelled(name):
    with pytest.raises(ValueError, match="word for word"):
        tried("prog.py", changed(text(), EDITED[name]), 0)
