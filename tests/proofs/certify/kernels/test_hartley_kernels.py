"""Hartley transforms with compiled kernels: right ones of every shape and their certificates,
damaged texts, what is made of them in place.
"""

import shlex

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
from tests.support.changes import changed
from tests.support.hartley import close, definition, module_of, on_ranks, random_vector, simulated
from tests.support.judged import refuted, verdicts
from tests.support.kernels.hartley import WRONG, WRONG_BACK, WRONG_GROUPS, text

pytestmark = pytest.mark.sampled(48)

NAMES = ["layout", "messages", "function", "contract", "cost", "rounding", "main"]


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


@pytest.mark.long
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


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_half_spectrum_is_certified(algorithm):
    holds(text(128, 4, "block", algorithm=algorithm, result="dft"))


@pytest.mark.slow
@pytest.mark.parametrize("P", [4, 1])
def test_the_transform_of_a_program_that_convolves_is_certified(P):
    holds(text(64, P, convolve=True))


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.parametrize(
    ("algorithm", "before", "sizes"),
    [
        ("hypercube", "hartley-input", ((2**14, 2**4), (2**20, 2**10))),
        ("hypercube", "hartley-input", ((2**30, 2**7), (2**40, 2**17))),
        ("group-cyclic", "cyclic", ((2**14, 2**4), (2**16, 2**6))),
        ("group-cyclic", "cyclic", ((2**39, 2**16), (2**40, 2**17))),
    ],
)
def test_sizes_with_as_many_stages_in_a_kernel_have_as_many_lines(algorithm, before, sizes):
    texts = [text(N, P, before, algorithm=algorithm) for N, P in sizes]
    assert len({found.count("\n") for found in texts}) == 1


def test_the_command_in_a_program_makes_it_again(tmp_path):
    way = {"algorithm": "group-cyclic", "dtype": "float32", "result": "dft"}
    spec = Spec("fht", 64, 4, "cyclic", kernels="numba", **way)
    path = tmp_path / "again.py"
    app.app([*shlex.split(command(spec))[1:], "-o", str(path)], standalone_mode=False)
    assert path.read_text(encoding="utf-8") == emit(spec)


@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_kernel_or_stage_is_refused(name):
    found = refuted(changed(text(128, 8), WRONG[name]))
    assert list(found) in (["function"], ["contract"])


@pytest.mark.slow
def test_the_program_that_is_damaged_is_right():
    assert refuted(text(128, 8)) == {}


@pytest.mark.parametrize("name", WRONG_BACK)
def test_a_damaged_way_back_is_refused(name):
    found = refuted(changed(text(128, 4, "hartley"), WRONG_BACK[name]))
    assert list(found) in (["function"], ["contract"])


@pytest.mark.parametrize("name", WRONG_GROUPS)
def test_a_damaged_program_with_one_all_to_all_is_refused(name):
    found = refuted(changed(text(128, 4, "cyclic", algorithm="group-cyclic"), WRONG_GROUPS[name]))
    assert list(found) in (["function"], ["contract"])


EDITED = {
    "a conjugate that is none": ("b.fneg(_backwards(b, im))", "_backwards(b, im)"),
    "lists of the other memory": (
        "_pointers(b, re, _places(b, place, stride, count), vector, vector.half, 1)",
        "_pointers(b, im, _places(b, place, stride, count), vector, vector.half, 1)",
    ),
}


@pytest.mark.parametrize("name", EDITED)
def test_edited_operations_are_not_modelled(name):
    with pytest.raises(ValueError, match="word for word"):
        tried("prog.py", changed(text(), EDITED[name]), 0)
