"""Functions that stand in programs as they stand in codegen/emit/verbatim, called as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import chain, product
from typing import Any

import numpy as np
import pytest

from codegen.emit.arrangements import Tiles, arranged_by_numpy
from codegen.emit.text import emit
from codegen.emit.verbatim import by_numba, by_numpy, last, last_of_arrays
from codegen.emit.verbatim.given import ARRAY, PIECE, SIGN, G, M, N, P, W
from codegen.kernels import plain_vectors
from codegen.kernels.plain_vectors import memory_of
from codegen.requests import make_request
from codegen.source import functions_of
from codegen.systems.record import Request
from derive.gf2.bmmc import named
from tests.support.requests import REQUESTS

MODULES = ("by_numpy", "by_numba", "last", "last_of_arrays")


LARGE = [make_request("fft", 2**20, 2, "cyclic", "cyclic", "shared", kernels="numba")]
LARGE += [
    make_request("fft", 2**17, 2, exchange="shared"),
    make_request("fft", 2**20, 1, "bit-reversed"),
]
SMALL = [
    make_request("fft", 24, 2, "cyclic", "cyclic", shape=(4, 6)),
    make_request("fht", 32, 2, shape=(4, 8)),
]
SMALL += [make_request("hypercube-fft", 64, 2, "bit-reversed", "scrambled", kernels="numba")]


@cache
def programs() -> str:
    return "\n\n\n".join(map(emit, [*chain(*REQUESTS.values()), *LARGE, *SMALL]))


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
    found, names = re.search(rf"^def {name}.*?(?=\n\n\n)", emit(asked), re.S | re.M), {**known}
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


class Asked:
    """A communicator of rank 1 that says what it is asked for."""

    rank = 1

    def Irecv(self, target: np.ndarray, rank: int) -> tuple[int, np.ndarray]:
        return rank, target

    def Isend(self, source: np.ndarray, rank: int) -> tuple[int, list[int]]:
        return rank, source.tolist()


def test_a_message_goes_to_each_partner_and_one_is_kept() -> None:
    source, target, partners = np.arange(M), np.full(M, -1), [3, 1, 0, 2]
    coming = by_numpy.receive(Asked(), partners, target)
    assert [rank for rank, _ in coming] == [3, 0, 2]
    for rank, part in coming:
        part[:] = rank
    going = by_numpy.send(Asked(), partners, range(4), source, target)
    assert going == [(3, [0, 1, 2, 3]), (0, [8, 9, 10, 11]), (2, [12, 13, 14, 15])]
    assert target.reshape(4, 4).tolist() == [[3] * 4, [4, 5, 6, 7], [0] * 4, [2] * 4]


def test_a_span_has_the_sums_of_columns_in_order() -> None:
    assert by_numpy.span((1, 6)).tolist() == [0, 1, 6, 7]
    assert by_numpy.affine((1, 6), 3, 8) == 15


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


@pytest.mark.parametrize("module", [last, last_of_arrays])
def test_an_index_is_an_integer_of_an_element(module: object) -> None:
    checked = module.checked  # type: ignore[attr-defined]
    assert checked(N - 1) == N - 1 and checked(np.array([0, 3])).tolist() == [0, 3]
    for wrong in (-1, N, 0.5):
        with pytest.raises(ValueError, match=f"^index {wrong}: .* from 0 to {N - 1}$"):
            checked(wrong)


def test_an_index_of_an_array_has_one_for_each_axis() -> None:
    every = [last_of_arrays.checked(*index) for index in product(*map(range, ARRAY))]
    assert every == list(range(N))
    with pytest.raises(ValueError, match=r"^3 indices: "):
        last_of_arrays.checked(0, 0, 0)
    with pytest.raises(ValueError, match=f"^index {ARRAY[1]}: "):
        last_of_arrays.checked(0, ARRAY[1])


def test_a_table_is_made_in_pieces() -> None:
    asked = []
    table = last.tabulate(lambda o: asked.append(len(o)) or o**2, int, 1, 2 * PIECE + 2)
    assert table.tolist() == [o**2 for o in range(1, 2 * PIECE + 2)]
    assert asked == [PIECE, PIECE, 1]


class Said:
    """A communicator whose other rank says this."""

    def __init__(self, problem: str | None) -> None:
        self.problem = problem

    def allgather(self, own: str | None) -> list[str | None]:
        return [own, self.problem]


def test_ranks_fail_together() -> None:
    with last.together(Said(None), "words"):
        pass
    undone: list[int] = []
    with (
        pytest.raises(last.Unusable, match=r"^elsewhere$"),
        last.together(Said("elsewhere"), "words", lambda: undone.append(1)),
    ):
        pass
    with (
        pytest.raises(last.Unusable, match=r"^words: what is wrong$"),
        last.together(Said(None), "words"),
    ):
        raise ValueError("what\n is  wrong")
    assert undone == [1]


@pytest.mark.parametrize("r", [4, 8])
def test_vectors_are_reversed_by_the_bits_of_their_numbers(r: int) -> None:
    bits = r.bit_length() - 1
    order = getattr(by_numba, f"reversed{r}")(tuple(range(r)))
    assert order == tuple(by_numba.in_reverse(k, bits) for k in range(r))
    assert [by_numba.in_reverse(k, bits) for k in order] == list(range(r))


def test_places_of_results_are_all_places() -> None:
    assert sorted(by_numba.in_order(place, 24, 4) for place in range(24)) == list(range(24))


def test_butterflies_of_vectors_have_their_weights() -> None:
    a, b, w = numbers(3, W)
    (weight,), x = (plain_vectors.Vector(w),), tuple(map(plain_vectors.Vector, (a, b)))
    assert np.allclose(
        [v.numbers for v in by_numba.butterfly2(x, (weight,))], [a + w * b, a - w * b]
    )
    assert [v.numbers.tolist() for v in by_numba.rotate(x, (weight,))] == [[*a], [*(b * w)]]
    assert [v.numbers.tolist() for v in by_numba.fft2(x)] == [[*(a + b)], [*(a - b)]]


@pytest.mark.parametrize("size", [16, 64])
def test_the_first_stages_take_elements_from_reversed_places(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Block t of four is F_4 of the elements that are rev(t) modulo a quarter of all."""
    asked = make_request("fft", 128, 2, local="butterflies", kernels="numba")
    monkeypatch.setattr(by_numba, "combined", of_program("combined", asked, vars(plain_vectors)))
    x, y, far = numbers(size), np.zeros(size, complex), size // 4
    by_numba.reversed_stages(memory_of(x), memory_of(y), size)
    starts = [by_numba.in_reverse(t, far.bit_length() - 1) for t in range(far)]
    assert np.allclose(y.reshape(far, 4), [np.fft.fft(x[start::far]) for start in starts])


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("n", [1, 2, 4, 5, 6, 10])
def test_axes_are_transformed_in_place_too(monkeypatch: pytest.MonkeyPatch, n: int, c: int) -> None:
    monkeypatch.setattr(by_numpy, "PIECE", 2 * n)
    x, j = np.random.default_rng(1).standard_normal((5, n, c)), np.arange(n)
    angles = 2 * np.pi * np.outer(j, j) / n
    wanted = (np.cos(angles) + np.sin(angles)) @ x / n**0.5
    by_numpy.hartley_along(x, x, "ortho")
    assert np.allclose(x, wanted)


def test_weights_are_those_of_each_pair_of_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_numba, "split", lambda table, lanes: table)
    first, last_stage, ts, u = 2, 32, (0, 1), 2
    stages = [(4, 3), (16, 3), (32, 1)]
    wanted = [
        np.exp(-2j * np.pi * power * (j + t / u) / k)
        for t in ts
        for k, most in stages
        for power in range(1, most + 1)
        for j in range(k // (most + 1))
    ]
    assert np.allclose(by_numba.weights(first, last_stage, ts, u), wanted)


def test_lists_of_a_hartley_transform_are_turned() -> None:
    z, other, (w,) = *np.random.default_rng(1).standard_normal((2, 2 * G)), numbers(1)
    lists, turned = (z[:G] + 1j * z[G:]), other[G:] + 1j * other[:G]
    y, weights = np.zeros(2 * G), memory_of(np.array([w]))
    by_numba.turned_sum(memory_of(z), memory_of(other), memory_of(y), weights, 0, 0, G)
    assert np.allclose(y[:G] + 1j * y[G:], lists + w * turned)
    by_numba.turned_back(memory_of(z), memory_of(other), weights, 0, G)
    assert np.allclose(z[:G] + 1j * z[G:], w * (lists - turned))


def test_entries_go_back_from_the_other_end_to_two_lists() -> None:
    z, twiddle, y = *numbers(2, G), np.full(2 * G, -1.0)
    at_0 = np.concatenate(
        [twiddle[:W], twiddle[W:], twiddle[1 : W + 1]]
    )  # from place G on for c = 1
    split = [np.stack([part.real, part.imag]).reshape(-1) for part in at_0.reshape(-1, W)]
    by_numba.turn_back(memory_of(z), memory_of(y), memory_of(np.hstack(split).view(complex)), G)
    c = np.arange(1, G)
    assert np.allclose(y[G + c] + 1j * y[c], 1j * z[-c].conj() * twiddle[c])
    assert y[0] == y[G] == -1


def test_lists_have_sums_and_differences() -> None:
    a, b, sums, differences = *np.random.default_rng(1).standard_normal((2, G)), *np.zeros((2, G))
    by_numba.butterfly(*map(memory_of, (a, b, sums, differences)), G)
    assert np.array_equal(sums, a + b) and np.array_equal(differences, a - b)


def test_entries_side_by_side_and_mirrored_are_multiplied() -> None:
    (a, b), (w,), y = np.random.default_rng(1).standard_normal((2, M)), numbers(1), np.zeros(M)
    given = memory_of(a), memory_of(b), memory_of(y), memory_of(np.array([w]))
    by_numba.multiply_mirrored(*given, G)
    k = np.arange(1, G)
    wanted = w * (a[k] + 1j * a[-k]) * (b[k] + 1j * b[-k])
    assert np.allclose(y[k] + 1j * y[-k], wanted) and y[0] == y[G] == 0
    pairs = [each.view(complex) for each in (a, b, y)]
    by_numba.multiply_pairs(*map(memory_of, pairs), memory_of(np.array([w])), G)
    assert np.allclose(pairs[2], w * pairs[0] * pairs[1])


def test_power_spectra_are_of_opposite_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_numpy, "opposites", lambda h, rank: (h[1:G], h[:G:-1]))
    x = np.random.default_rng(1).standard_normal(M)
    spectrum, y = np.fft.fft(x), np.zeros(M)
    by_numpy.power(spectrum.real - spectrum.imag, y, 0)
    assert P == 2 and np.allclose(y, np.abs(spectrum) ** 2)
