"""The equations of heads of real transforms are evaluated as they stand there."""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.record import Request

N = 32
NORMS = ("backward", "ortho", "forward")
RNG = np.random.default_rng(0)


def equations(asked: Request) -> list[str]:
    """Return the first equations of a head, the parts of each line apart."""
    said = ast.get_docstring(ast.parse(emit(resolve(asked))), clean=False)
    assert said
    return [part for line in said.splitlines()[2:4] for part in line.strip().split(",   ")]


def number(text: str) -> float:
    """Return a factor that stands before a matrix, 1 if none does."""
    return float(eval(text.replace("^", "**"))) if text else 1.0


def value(text: str, **names: object) -> np.ndarray:
    """Return what an expression of a head is, in which m runs over the indices of Z or X."""
    text = (
        text.replace("i w^m ", "1j * w**m * ")
        .replace("conj ", "np.conj")
        .replace("/2 - m", "//2 - m")
    )
    text = re.sub(r"np\.conj(\S+\[.*?\])", r"np.conj(\1)", text)
    found: np.ndarray = eval(text, {"np": np, "N": N, **names})
    return found


@pytest.mark.parametrize("norm", NORMS)
def test_real_input_is_untangled_as_its_head_says(norm):
    whole, w, untangled, halves, pairs = equations(make_request("rfft", N, 2, norm=norm))
    assert (w, pairs) == (f"w = exp(-2 pi i / {N})", "z[m] = x[2m] + i x[2m + 1]")
    result, C = (part.partition(" = ")[2] for part in untangled.split(", "))
    factor = re.fullmatch(rf"Z = (.*?) ?F_{N // 2} z", halves)
    assert factor
    x = RNG.standard_normal(N)
    m = np.arange(N // 2)
    Z = number(factor[1]) * np.fft.fft(x[::2] + 1j * x[1::2])
    X = value(result, Z=Z, m=m, w=np.exp(-2j * np.pi / N), C=value(C, Z=Z, m=m))
    assert np.allclose(X, np.fft.fft(x, norm=norm)[: N // 2])
    assert f"X = {factor[1]} F_{N} x".replace("  ", " ") in whole


@pytest.mark.parametrize("norm", NORMS)
def test_half_spectra_are_tangled_as_their_head_says(norm):
    asked = make_request("rfft", N, 2, norm=norm, direction="backward")
    whole, w, tangled, halves, pairs = equations(asked)
    assert (w, pairs) == (f"w = exp(2 pi i / {N})", "z[m] = y[2m] + i y[2m + 1]")
    result, C = (part.partition(" = ")[2] for part in tangled.split(", "))
    factor = re.fullmatch(rf"z = (.*?) ?F_{N // 2} Z", halves)
    assert factor
    x = RNG.standard_normal(N)
    X, m = np.fft.fft(x), np.arange(N // 2)
    Z = value(result, X=X, m=m, w=np.exp(2j * np.pi / N), C=value(C, X=X, m=m))
    z = number(factor[1]) * (N // 2) * np.fft.ifft(Z)  # F of the roots w_n = exp(2 pi i / n)
    y = np.fft.ifft(X, norm=norm)
    assert np.allclose(z, y[::2] + 1j * y[1::2])
    assert f"y = {factor[1]} F_{N} X".replace("  ", " ") in whole


def test_hartley_transforms_of_groups_are_joined_as_their_head_says():
    P, M = 4, N // 4
    asked = make_request("fht", N, P, "cyclic", algorithm="group-cyclic")
    said = emit(resolve(asked))
    assert "H[t + M l] = sum_s cos(2 pi s l/P) a_s[t] + sin(2 pi s l/P) b_s[t]" in said
    assert "a_s[t] = cos(2 pi s t/N) h_s[t] + sin(2 pi s t/N) h_s[-t],   b_s[t] = a_s[-t], " in said
    x, t, l = RNG.standard_normal(N), np.arange(M), np.arange(P)
    cas = [np.fft.fft(x[s::P]).real - np.fft.fft(x[s::P]).imag for s in range(P)]
    a = [
        np.cos(2 * np.pi * s * t / N) * cas[s] + np.sin(2 * np.pi * s * t / N) * cas[s][-t]
        for s in range(P)
    ]
    b = [
        np.cos(2 * np.pi * s * -t / N) * cas[s][-t] + np.sin(2 * np.pi * s * -t / N) * cas[s]
        for s in range(P)
    ]
    joined = sum(
        np.outer(np.cos(2 * np.pi * s * l / P), a[s])
        + np.outer(np.sin(2 * np.pi * s * l / P), b[s])
        for s in range(P)
    )
    assert np.allclose(joined.ravel(), (lambda X: X.real - X.imag)(np.fft.fft(x)))
