"""Emitted programs are evaluated to the bits that CPython computes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.support.evaluated import attribute, both, names_of, same_bits
from tests.support.paths import ROOT

PROGRAMS = [path.name for path in sorted((ROOT / "generated").glob("*.py"))]
OF_NUMPY = [name for name in PROGRAMS if "_numba" not in name]


def ranks_of(source):
    return int(re.search(r"mpiexec -n (\d+)", source)[1])


def random_part(program, rank, count):
    """Return random numbers of a program's type, as many as a rank holds."""
    names, random = names_of(program), np.random.default_rng((rank, count))
    dtype, unequal = names.get("INPUT_DTYPE", names["DTYPE"]), "local_shape" in names
    shape = program.local_shape(rank) if unequal else names.get("LOCAL_INPUT", (names.get("M"),))
    if dtype.kind not in "fc":
        return random.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    x = random.standard_normal(shape)
    return (x + 1j * random.standard_normal(shape) if dtype.kind == "c" else x).astype(dtype)


def transformed(program, comm):
    """Return three results of a plan, what became of an input, and the places of indices."""
    plan = program.plan(comm)
    x, other = (random_part(program, comm.rank, count) for count in range(2))
    given = x.tobytes()
    first = program.transform(x, plan)
    second = program.transform(other, plan)
    again = program.transform(x, plan, out=np.empty_like(first))
    attribute(program, plan, "free")()
    places = [place(np.arange(12)) for place in (program.input_place, program.output_place)]
    places.append(program.input_place(7))
    return first, second, again, x.tobytes() == given, places


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * ("_256_" in name)) for name in OF_NUMPY]
)
def test_the_evaluator_computes_what_cpython_does(name, monkeypatch):
    source = (ROOT / "generated" / name).read_text()
    evaluated, executed = both(source, ranks_of(source), transformed, monkeypatch)
    assert same_bits(evaluated, executed)
    assert all(unchanged for _, _, _, unchanged, _ in executed)


def refused(program, comm):
    """Return what a program says of arguments that are wrong."""
    names = names_of(program)
    plan = program.plan(comm)
    x = random_part(program, comm.rank, 0)
    wrong = [
        (x[:-1], plan),
        (x.astype(np.complex64), plan),
        (x.tolist(), plan),
        (x, None),
        (x, plan, x),
        (x, plan, np.empty(2 * x.size, x.dtype)[::2]),
        (x[None], plan),
    ]
    said = [message(program.transform, *given) for given in wrong]
    attribute(program, plan, "free")()
    said.append(message(program.transform, x, plan))
    return said + [message(program.input_place, j) for j in (-1, names["N"], 0.5, "a")]


def message(function, *given):
    try:
        function(*given)
    except (ValueError, TypeError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


@pytest.mark.parametrize("name", ["fft_1024_4_block.py", "fft_1024_4_shared.py"])
def test_the_evaluator_raises_what_cpython_does(name, monkeypatch):
    source = (ROOT / "generated" / name).read_text()
    evaluated, executed = both(source, ranks_of(source), refused, monkeypatch)
    assert evaluated == executed
    assert "nothing" not in executed[0]
