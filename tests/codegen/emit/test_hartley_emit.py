"""The emitted Hartley programs on ranks in one process: the transform, what is made of it in place,
convolutions; the same bytes for the same input.
"""

from __future__ import annotations

import shlex
from dataclasses import replace

import numpy as np
import pytest

from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.program.hartley_program import ALGORITHMS
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.systems.exchanges import EXCHANGES
from codegen.systems.options import DIRECTIONS, NORMS
from codegen.systems.options import REAL as DTYPES
from nodewright.cli import app
from tests.support.hartley import close, definition, module_of, on_ranks, random_vector, simulated
from tests.support.programs import build
from tests.support.strategies import layout_names
from tests.support.worlds import run

pytestmark = pytest.mark.sampled(8, rest="long")

SIZES = [(1 << n, 1 << p) for n in range(1, 7) for p in range(n)]


def packed(x):
    """Return the half spectrum as N real numbers."""
    half = np.fft.rfft(x.astype(float))
    return np.array([half[0].real, half[-1].real, *half[1:-1].view(float)])


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_choice_of_options_transforms_as_the_definition_says(
    algorithm, direction, norm, dtype, exchange
):
    x = random_vector(128, dtype)
    way = {"direction": direction, "norm": norm, "dtype": dtype}
    asked = make_request("fht", 128, 8, "block", "cyclic", exchange, algorithm=algorithm, **way)
    y, trace = simulated(asked, x)
    assert close(y, definition(x, direction, norm), dtype)
    cost = count(resolve(asked))
    assert (trace.messages, trace.words) == (cost.messages, cost.words)


@pytest.mark.parametrize(("N", "P"), SIZES)
def test_every_small_size_transforms_from_every_layout(N, P):
    x = random_vector(N)
    for algorithm in ALGORITHMS[: 1 + (2 * P * P <= N)]:
        for name in layout_names(N.bit_length() - 1, P.bit_length() - 1):
            y, _ = simulated(make_request("fht", N, P, name, algorithm=algorithm), x)
            assert close(y, definition(x), "float64")


@pytest.mark.parametrize(("N", "P"), SIZES)
@pytest.mark.parametrize("choices", [{}, {"result": "dft"}, {"input": "hartley"}])
def test_the_index_at_an_offset_of_a_rank_is_the_one_that_has_its_place_there(N, P, choices):
    module = module_of(make_request("fht", N, P, **choices))
    for side in ("input", "output"):
        index, place = (getattr(module, f"{side}_{name}") for name in ("index", "place"))
        for rank in range(P):
            ranks, offsets = place(index(rank, np.arange(N // P)))
            assert (ranks == rank).all()
            assert np.array_equal(offsets, np.arange(N // P))


@pytest.mark.parametrize(("N", "P"), SIZES)
def test_from_pairs_back_to_the_input(N, P):
    x = random_vector(N)
    for name in ("hartley-input", "block", "cyclic"):
        y, _ = simulated(
            make_request("fht", N, P, "hartley", name, direction="backward"), definition(x)
        )
        assert close(y, x, "float64")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("N", "P"), SIZES)
def test_the_half_spectrum_and_the_power_are_those_of_numpy_and_no_word_is_sent_for_them(
    N, P, dtype
):
    x = random_vector(N, dtype)
    for algorithm in ALGORITHMS[: 1 + (2 * P * P <= N)]:
        for result, wanted in (
            ("dft", packed(x)),
            ("power", np.abs(np.fft.fft(x.astype(float))) ** 2),
        ):
            asked = make_request("fht", N, P, algorithm=algorithm, dtype=dtype, result=result)
            y, trace = simulated(asked, x)
            assert close(y, wanted, dtype)
            cost = count(build("fht", N, P, algorithm=algorithm))
            assert (trace.messages, trace.words) == (cost.messages, cost.words)


def test_a_half_spectrum_is_read_as_complex_numbers():
    x = random_vector(64)
    y, _ = simulated(make_request("fht", 64, 4, result="dft"), x)
    assert np.allclose(y.view(complex)[1:], np.fft.rfft(x)[1:-1])
    assert np.allclose(y[:2], np.fft.rfft(x)[[0, -1]].real)


@pytest.mark.sampled(8)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("before", ["block", "hartley-input", "cyclic"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("N", "P"), SIZES)
def test_a_convolution_is_that_of_its_definition(N, P, dtype, before):
    assert_convolves(N, P, before, dtype)


@pytest.mark.long
@pytest.mark.parametrize("P", [1, 4])
def test_a_compiled_convolution_is_that_of_its_definition(P):
    assert_convolves(64, P, "block", "float64", kernels="numba")


def assert_convolves(N, P, before, dtype, **options):
    module = module_of(make_request("fht", N, P, before, dtype=dtype, convolve=True, **options))
    x, y = (np.random.default_rng([N, seed]).integers(-9, 10, N).astype(dtype) for seed in range(2))
    local = on_ranks(module, x, y)

    def body(comm):
        plan = module.plan(comm)
        one, other = local[:, comm.rank].copy()
        found = module.convolve(one, other, plan)
        out = np.empty(module.M, module.DTYPE)
        assert module.convolve(one, one, plan, out=out) is out
        assert np.array_equal(local[:, comm.rank], [one, other]), "an input has changed"
        plan.free()
        return found, out

    done = run(P, body)
    place = module.input_place(np.arange(N))
    for i, other in enumerate((y, x)):
        wanted = np.array([sum(int(x[j]) * int(other[k - j]) for j in range(N)) for k in range(N)])
        found = np.array([result[i] for result in done.results])[*place]
        assert np.abs(found - wanted).max() <= 16 * np.finfo(dtype).eps * np.linalg.norm(
            x
        ) * np.linalg.norm(other)
    own, back = count(build("fht", N, P, before)), count(build("fht", N, P, "hartley", before))
    assert done.trace.words <= 2 * (2 * own.words + back.words)


@pytest.mark.parametrize("kernels", ["numpy", pytest.param("numba", marks=pytest.mark.long)])
def test_a_convolution_refuses_wrong_arguments_on_one_rank_before_it_sends_messages(kernels):
    module = module_of(make_request("fht", 32, 4, convolve=True, kernels=kernels))

    def body(comm):
        plan, freed = module.plan(comm), module.plan(comm)
        freed.free()
        x, y, out = np.arange(3.0 * module.M).reshape(3, -1)
        before = out.copy()
        wrong = [(x[:-1], y, plan, out), (x, y[:-1], plan, out), (x, y.astype(int), plan, out)]
        wrong += [(x, y, plan, x), (x, y, plan, y), (x, y, plan, out[::2]), (x, y, freed, out)]
        for given in wrong if comm.rank == 1 else ():
            with pytest.raises(ValueError, match="must"):
                module.convolve(*given)
        assert np.array_equal(out, before), "out was written to"
        z = module.convolve(x, y, plan, out)
        assert z is out
        plan.free()

    run(4, body)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_large_local_transforms_are_done_in_rows_and_columns(algorithm, dtype):
    x = random_vector(2**15, dtype)
    spectrum = np.fft.fft(x.astype(float))
    asked = make_request("fht", 2**15, 2, "cyclic", algorithm=algorithm, dtype=dtype)
    assert "np.fft.rfft(x.reshape(128, 128), axis=0)" in emit(resolve(asked))
    y, _ = simulated(asked, x)
    assert close(y, spectrum.real - spectrum.imag, dtype)
    y, _ = simulated(replace(asked, output="", result="dft"), x)
    assert close(y, packed(x), dtype)


def test_large_local_transforms_go_back_as_well():
    x = random_vector(2**15)
    spectrum = np.fft.fft(x)
    y, _ = simulated(
        make_request("fht", 2**15, 2, "hartley", "block", direction="backward"),
        spectrum.real - spectrum.imag,
    )
    assert close(y, x, "float64")


def test_the_same_input_gives_the_same_bytes_and_sizes_of_the_same_supersteps_as_many_lines():
    assert emit(resolve(make_request("fht", 256, 8, "cyclic", "block"))) == emit(
        resolve(make_request("fht", 256, 8, "cyclic", "block"))
    )
    at_once, in_rows = ((2**12, 2**5), (2**24, 2**11)), ((2**20, 2**5), (2**40, 2**19))
    for algorithm, before in zip(ALGORITHMS, ("hartley-input", "cyclic"), strict=True):
        for sizes in (at_once, in_rows):
            texts = [
                emit(resolve(make_request("fht", N, P, before, algorithm=algorithm)))
                for N, P in sizes
            ]
            assert len({text.count("\n") for text in texts}) == 1


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ((64, 4), {}),
        (
            (64, 4, "cyclic", "block", "pairwise"),
            {"dtype": "float32", "direction": "backward", "norm": "ortho"},
        ),
        ((64, 4, "hartley"), {"direction": "backward"}),
        ((64, 4, "hartley", "cyclic"), {}),
        ((64, 4, "hartley-input"), {"convolve": True}),
        ((64, 4), {"result": "dft"}),
        ((64, 4), {"result": "power", "algorithm": "group-cyclic"}),
    ],
)
def test_the_command_in_a_program_makes_it_again(tmp_path, monkeypatch, given, options):
    asked = make_request("fht", *given, **options)
    text = emit(resolve(asked))
    path = tmp_path / "again.py"
    stated = text.partition("Made by nodewright generate")[2].partition("\n")[0]
    assert command(asked).endswith(stated)
    app.app(["generate", *shlex.split(stated), "-o", str(path)], standalone_mode=False)
    assert path.read_text(encoding="utf-8") == text


REFUSED = {
    "complex numbers": (
        {},
        {"dtype": "complex128"},
        "unknown dtype 'complex128': choose from float64, float32",
    ),
    "a spectrum in another layout": (
        {"output": "block"},
        {"result": "dft"},
        "in the output layout hartley",
    ),
    "a spectrum backward": ({}, {"result": "power", "direction": "backward"}, "it is made forward"),
    "a convolution that is scaled": (
        {},
        {"convolve": True, "norm": "ortho"},
        "convolve with norm ortho",
    ),
    "a convolution between layouts": (
        {"output": "cyclic"},
        {"convolve": True},
        "convolve with output cyclic",
    ),
    "a convolution by the other algorithm": (
        {"algorithm": "group-cyclic"},
        {"convolve": True},
        "convolve with algorithm group-cyclic",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_do_not_go_together_are_refused_with_the_rule(name):
    given, options, rule = REFUSED[name]
    with pytest.raises(ValueError, match=r".") as caught:
        emit(resolve(make_request("fht", 64, 4, **given, **options)))
    assert rule in str(caught.value)


def test_what_only_the_hartley_transform_has_is_refused_elsewhere():
    for options in ({"result": "dft"}, {"convolve": True}):
        with pytest.raises(ValueError, match=r"only fht (has|and rfft have) it"):
            emit(resolve(make_request("fft", 64, 4, **options)))
