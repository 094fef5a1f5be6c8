"""Certificates of programs of any size: right texts hold, wrong ones do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codegen.emit.steps import window_lines
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from derive.fields import RootField, totient
from derive.verdict import holds
from proofs.certify.checks.suite import tried
from proofs.certify.exact.constants import NoConstant, Recognizer
from proofs.certify.exact.residue_arrays import fourier, to_pair
from proofs.certify.exact.root_images import inverse_root
from proofs.certify.program import certify, verify
from proofs.certify.rows import all_hold, was_not_run
from tests.support.judged import refuted, verdicts

SLABS = {"input": "block,whole,whole", "output": "whole,block,whole"}


def field_of(order: int) -> RootField:
    return RootField.draw(order, np.random.default_rng(1))


@pytest.mark.parametrize("n", [1, 2, 7, 12, 30, 49, 120])
def test_transforms_of_any_length_are_interpreted_by_definition(n: int) -> None:
    recognizer = Recognizer(field_of(120 * 49))
    q, root = recognizer.field.q, recognizer.field.powers[:: recognizer.field.order // n]
    x = np.random.default_rng(2).integers(0, q, (n, 2, 3))
    given, found = (
        to_pair(each, recognizer.iota, q)[:, 0] for each in (x, fourier(x, 1, recognizer, 1))
    )
    wanted = [sum(given[j] * int(root[j * k % n]) % q for j in range(n)) % q for k in range(n)]
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("n", [1, 4, 7])
def test_transforms_of_no_arrays_are_none(n: int) -> None:
    parts = np.zeros((n, 0, 2, 3), np.int64)
    assert fourier(parts, 1, Recognizer(field_of(56)), 1).shape == parts.shape


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9, 15, 21, 24, 90, 1000])
@pytest.mark.parametrize("power", [0, 1, 2])
def test_a_norm_divides_by_the_root_of_any_length(n: int, power: int) -> None:
    field = field_of(8 * n)
    root = inverse_root(n, power, Recognizer(field))
    assert root * root * pow(n, power, field.q) % field.q == 1


@pytest.mark.parametrize("n", [27, 54, 9 * 25])
@pytest.mark.parametrize("power", [1, 2])
def test_a_norm_of_several_axes_needs_the_primes_of_their_lengths_alone(n: int, power: int) -> None:
    field = field_of(8 * 15)
    root = inverse_root(n, power, Recognizer(field))
    assert root * root * pow(n, power, field.q) % field.q == 1
    rest = inverse_root(n // 9, power, Recognizer(field))
    assert root * pow(3, power, field.q) % field.q == rest


@pytest.mark.parametrize("n", [6, 90, 180])
@pytest.mark.parametrize("power", [1, 2])
def test_a_norm_and_twice_a_norm_are_read_and_no_other_multiple(n: int, power: int) -> None:
    read = Recognizer(field_of(8 * n), points=n)
    one, two = (int(read.recognize(k * n ** (-power / 2)).residues[0]) for k in (1, 2))
    assert one == inverse_root(n, power, read) and two == 2 * one % read.field.q
    assert read.recognize(2 * n ** (-power / 2)).magnitude == pytest.approx(
        1 - power * np.log2(n) / 2
    )
    for multiple in (7, 2 + 1e-14):
        with pytest.raises(NoConstant):
            read.recognize(multiple * n ** (-power / 2))


@pytest.mark.parametrize("m", [3, 5, 7, 9, 15])
def test_the_root_of_an_odd_number_is_the_positive_one(m: int) -> None:
    total = np.exp(2j * np.pi * (np.arange(m) ** 2 % m) / m).sum()
    assert np.isclose(total, m**0.5 * (1 if m % 4 == 1 else 1j))


def test_euler_counts_what_is_prime_to_a_number() -> None:
    for number in (1, 2, 12, 97, 1000):
        assert totient(number) == np.count_nonzero(np.gcd(np.arange(number), number) == 1)


RIGHT: list[tuple[tuple[Any, ...], dict[str, str]]] = [
    ((60, 2, "cyclic", "cyclic"), {}),
    ((60, 2), {}),
    ((36, 3), {"norm": "ortho"}),
    ((36, 6, "cyclic", "block"), {"direction": "backward", "dtype": "complex64"}),
    ((27, 9, "cyclic", "cyclic"), {"norm": "forward"}),
    ((72, 6), {}),
    ((60, 2, "cyclic", "cyclic"), {"phases": "6,5,2"}),
]


@pytest.mark.sampled(3)
@pytest.mark.sampled(7, rest="long")
@pytest.mark.parametrize(("words", "more"), RIGHT)
def test_programs_of_any_size_are_certified(
    tmp_path: Path, words: tuple[Any, ...], more: dict[str, str]
) -> None:
    path = tmp_path / "program.py"
    path.write_text(emit(resolve(make_request("fft", *words, **more))), encoding="utf-8")
    certificate = certify(path, ran=0)
    assert certificate.holds, {n: str(v) for n, v in certificate.verdicts.items() if not v.holds}
    assert verify(path)[0] == certificate


ARRAYS: list[tuple[tuple[Any, ...], dict[str, str]]] = [
    (("12x10", 2, 3), {}),
    (("4x9x3", "2x3x1"), {"input": "cyclic", "output": "cyclic", "dtype": "complex64"}),
    (("6x4x5", 2), {**SLABS, "direction": "backward", "norm": "ortho"}),
    (("8", 2, 5), {"input": "cyclic", "norm": "forward"}),
    (("1x16", "1x2"), {}),
    (("6x10", 2), {"kernels": "pyfftw", "direction": "backward"}),
]
COMPILED: list[tuple[tuple[Any, ...], dict[str, str]]] = [
    ((18, 3), {"direction": "backward", "norm": "ortho"}),
    (("6x10", 2), {"norm": "forward", "dtype": "complex64", "input": "cyclic"}),
    ((80, 4), {"input": "cyclic", "output": "cyclic"}),
    ((7, 1, 3), {"direction": "backward"}),
    ((22, 1), {}),
    ((2**10 * 5, 2), {"input": "cyclic", "output": "cyclic"}),
]


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "more"),
    [
        *ARRAYS,
        ((6, 1), {"kernels": "numba", "direction": "backward"}),
        *(
            pytest.param(size, {"kernels": "numba"} | more, marks=pytest.mark.slow)
            for size, more in COMPILED
        ),
    ],
)
def test_programs_of_arrays_are_certified(
    tmp_path: Path, size: tuple[Any, ...], more: dict[str, str]
) -> None:
    path = tmp_path / "program.py"
    path.write_text(emit(resolve(make_request("fft", **stated(*size), **more))), encoding="utf-8")
    certificate = certify(path, ran=0)
    assert certificate.holds, {n: str(v) for n, v in certificate.verdicts.items() if not v.holds}
    assert verify(path)[0] == certificate


IN_WINDOWS: list[tuple[tuple[Any, ...], dict[str, str]]] = [
    ((36, 2), {}),
    (("8x6x4", "2x2x1"), {"norm": "ortho", "kernels": "numba"}),
    (("8x8", "4x1"), {"input": "block,whole", "output": "whole,block", "dtype": "complex64"}),
    ((12, 2, 3), {"direction": "backward"}),
    ((27, 9), {"input": "cyclic", "output": "cyclic"}),
    ((36, 3), {"input": "cyclic", "output": "cyclic", "kernels": "numba"}),
]


@pytest.mark.sampled(4)
@pytest.mark.long
@pytest.mark.parametrize("one_half", [False, True])
@pytest.mark.parametrize(("size", "more"), IN_WINDOWS)
def test_programs_of_ranks_that_share_memory_are_certified(
    size: tuple[Any, ...], more: dict[str, str], one_half: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if one_half:
        monkeypatch.setattr(window_lines, "ONE_HALF", 1)
    text = emit(resolve(make_request("fft", **stated(*size), **more, exchange="shared")))
    assert "plan.window.exchange(" in text and "Alltoall" not in text
    found = verdicts(text)
    twice = "plan.window.wait()" in text  # two barriers, only for more elements than are certified
    wrong = [name for name, of in found.items() if not holds(of) and not was_not_run(name, of)]
    assert wrong == ["cost"] * twice


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("N, P, M = 60, 2, 30", "N, P, M = 60, 7, 30", "ranks have unequal parts"),
        ("N, P, M = 60, 2, 30", "N, P, M = 0, 2, 0", "it must be an integer, at least 1"),
        ('INPUT, OUTPUT = "cyclic"', 'INPUT, OUTPUT = "f:1"', "unknown layout"),
    ],
)
def test_constants_that_no_program_has_are_refused(old: str, new: str, reason: str) -> None:
    text = emit(resolve(make_request("fft", 60, 2, "cyclic", "cyclic")))
    with pytest.raises(ValueError, match=reason):
        tried("program.py", text.replace(old, new), 0)


ARRAYS = "    x, y = arrays(x, plan, out)\n"


def of_two_arrays():
    return emit(
        resolve(make_request("fft", 96, 2, "cyclic", "cyclic", shape=(8, 6), grid=(2, 1), batch=2))
    )


def test_a_program_whose_result_has_no_axes_is_refused():
    program = of_two_arrays().replace(ARRAYS, f"    given = out is not None\n{ARRAYS}")
    assert "    return y\n" in program
    assert refuted(program.replace("    return y\n", "    return y if given else y.reshape(M)\n"))


def test_a_program_that_gives_places_to_negative_indices_holds_with_an_open_contract():
    wrong = "checked(*[i % n for i, n in zip(j, ARRAY)]) if len(j) == 3 else checked(*j)\n"
    found = tried("prog.py", of_two_arrays().replace("checked(*j)\n", wrong), 0).verdicts
    assert all_hold(found)
    assert "returns a location" in found["contract"].reason
