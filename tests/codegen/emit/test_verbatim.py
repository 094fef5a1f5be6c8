"""Functions that stand in programs as they stand in codegen/emit/verbatim, called as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pytest

from codegen.emit.arrangements import Tiles, arranged_by_numpy
from codegen.emit.text import emit
from codegen.emit.verbatim import by_numba, by_numpy, last
from codegen.emit.verbatim.given import PIECE, SIGN, G, M, P
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.source import functions_of
from codegen.systems.record import Request
from derive.gf2.bmmc import named
from tests.support.requests import REQUESTS

MODULES = (
    *("by_numpy", "by_numba", "last", "last_of_arrays"),
    *("by_lists", "by_lists_compiled", "by_lists_ahead"),
    *("by_parts", "by_indices", "by_plans"),
)


LARGE = [make_request("fft", 2**20, 2, "cyclic", "cyclic", "shared", kernels="numba")]
LARGE += [
    make_request("fft", 2**17, 2, exchange="shared"),
    make_request("fft", 2**20, 1, "bit-reversed"),
]
SMALL = [
    make_request("fft", 24, 2, "cyclic", "cyclic", shape=(4, 6)),
    make_request("fht", 32, 2, shape=(4, 8)),
    make_request("wht", 64, 2),
    make_request("wht", 64, 2, kernels="numba"),
    make_request("ntt", 64, 2, modulus=193),
    make_request("ntt", 64, 2, modulus=193, kernels="numba"),
    make_request("ntt", 12, 2, modulus=13),
    make_request("ntt", 12, 2, modulus=13, kernels="numba"),
    make_request("dst", 30, 2),
    make_request("dst", 7, 2, type="3"),
    make_request("dst", 7, 2),
]
SMALL += [
    make_request("fft", 60, 4, "block", "balanced", shape=(5, 4, 3), kernels="pyfftw"),
    make_request("fft", 257, 3),
]
SMALL += [make_request("hypercube-fft", 64, 2, "bit-reversed", "scrambled", kernels="numba")]


@cache
def programs() -> str:
    every = [*chain(*REQUESTS.values()), *LARGE, *SMALL]
    return "\n\n\n".join(emit(resolve(each)) for each in every)


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize(
    ("module", "name"),
    [(each, name) for each in MODULES for name in functions_of(f"emit/verbatim/{each}")],
)
def test_every_function_stands_in_a_program(module: str, name: str) -> None:
    assert f"\n\n\n{functions_of(f'emit/verbatim/{module}')[name]}" in programs()


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((*shape, 2)) @ (1, 1j)


def of_program(name: str, asked: Request, known: Mapping[str, Any]) -> Any:
    """Return a function that depends on the program, from one."""
    found, names = (
        re.search(rf"^def {name}.*?(?=\n\n\n)", emit(resolve(asked)), re.S | re.M),
        {**known},
    )
    assert found is not None
    exec(found[0], names)
    return names[name]


@pytest.mark.parametrize("order", [1, 4, 8, 12, 1000])
def test_roots_of_unity_are_those_of_numpy_and_quarters_are_exact(order: int) -> None:
    e = np.arange(order)
    assert np.allclose(by_numpy.root_of_unity(e, order), np.exp(-2j * np.pi * e / order), 0, 1e-14)
    if order % 4 == 0:
        assert by_numpy.root_of_unity(order // 4 * np.arange(4), order).tolist() == [1, -1j, -1, 1j]


@pytest.mark.parametrize("shape", [(3, 2, 1), (5, 2, PIECE), (1, 2, 3 * PIECE + 1)])
def test_butterflies_in_pieces_are_sums_and_differences(shape: tuple[int, ...]) -> None:
    x, y = numbers(*shape), np.empty(shape, complex)
    by_numpy.butterflies(x, y)
    assert np.array_equal(y, np.stack([x[:, 0] + x[:, 1], x[:, 0] - x[:, 1]], axis=1))


def test_a_butterfly_of_two_messages_has_twiddles_on_the_second() -> None:
    (p, q, w), y = numbers(3, 2 * PIECE + 1), np.empty((2, 2 * PIECE + 1), complex)
    by_numpy.butterfly((p, q), w, y)
    assert np.allclose(y, [p + w * q, p - w * q])


def test_pairs_of_stages_from_reversed_places_are_a_transform(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = make_request("fft", 16, 1, local="butterflies")
    monkeypatch.setattr(by_numpy, "combine", of_program("combine", asked, {"SIGN": SIGN}))
    powers = np.arange(1, 4)[:, None]
    tables = [np.exp(-2j * np.pi * powers * np.arange(k // 4) / k) for k in (4, 16)]
    x, y = numbers(16), np.empty(16, complex)
    by_numpy.generalized(x[[by_numba.in_reverse(j, 4) for j in range(16)]], y, tables)
    assert np.allclose(y, np.fft.fft(x))


@pytest.mark.parametrize("c", [0, 0x12345])
def test_tiles_put_every_element_in_its_place(c: int) -> None:
    offset = named("bit-reversal", 18)
    how = arranged_by_numpy(offset, 18, 16)
    assert isinstance(how, Tiles)
    found, row = how.blocks, 1 << how.blocks.b
    tiles = by_numpy.Tiles(row, found.rows, found.inside, found.steps, c)
    x, y = numbers(1 << 18), np.empty(1 << 18, complex)
    tiles.move(x, y)
    assert np.array_equal(y[by_numpy.affine(offset.columns, np.arange(1 << 18), c)], x)


@pytest.mark.parametrize("s", range(1, 6))
def test_a_complement_is_minus_t_but_for_0_and_half(s: int) -> None:
    half, found = 1 << (s - 1), [by_numpy.complement(t, s) for t in range(1 << s)]
    assert found == [{0: half, half: 0}.get(t, -t % (1 << s)) for t in range(1 << s)]
    assert by_numpy.complement(found[-1] + (1 << s), s) == (2 << s) - 1


def test_a_table_is_made_in_pieces() -> None:
    asked = []
    table = last.tabulate(lambda o: asked.append(len(o)) or o**2, int, 1, 2 * PIECE + 2)
    assert table.tolist() == [o**2 for o in range(1, 2 * PIECE + 2)]
    assert asked == [PIECE, PIECE, 1]


@pytest.mark.parametrize("r", [4, 8])
def test_vectors_are_reversed_by_the_bits_of_their_numbers(r: int) -> None:
    bits = r.bit_length() - 1
    order = getattr(by_numba, f"reversed{r}")(tuple(range(r)))
    assert order == tuple(by_numba.in_reverse(k, bits) for k in range(r))
    assert [by_numba.in_reverse(k, bits) for k in order] == list(range(r))


def test_places_of_results_are_all_places() -> None:
    assert sorted(by_numba.in_order(place, 24, 4) for place in range(24)) == list(range(24))


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("n", [1, 2, 4, 5, 6, 10])
def test_axes_are_transformed_in_place_too(monkeypatch: pytest.MonkeyPatch, n: int, c: int) -> None:
    monkeypatch.setattr(by_numpy, "PIECE", 2 * n)
    x, j = np.random.default_rng(1).standard_normal((5, n, c)), np.arange(n)
    angles = 2 * np.pi * np.outer(j, j) / n
    wanted = (np.cos(angles) + np.sin(angles)) @ x / n**0.5
    by_numpy.hartley_along(x, x, "ortho")
    assert np.allclose(x, wanted)


def test_power_spectra_are_of_opposite_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_numpy, "opposites", lambda h, rank: (h[1:G], h[:G:-1]))
    x = np.random.default_rng(1).standard_normal(M)
    spectrum, y = np.fft.fft(x), np.zeros(M)
    by_numpy.power(spectrum.real - spectrum.imag, y, 0)
    assert P == 2 and np.allclose(y, np.abs(spectrum) ** 2)
