"""Certification of Hartley programs: right texts pass, and every wrong one is refused for the right
reason.
"""

from __future__ import annotations

import json
from functools import cache, partial

import numpy as np
import pytest

from codegen.emit.steps import hartley_lines as hartley_stages
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive import verdict as kind
from proofs.certify.checks.suite import tried
from proofs.certify.program import certificate_path, certify, verify
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts

pytestmark = pytest.mark.sampled(32)


@cache
def text(
    N=64,
    P=8,
    input="block",
    output="",
    exchange="alltoall",
    algorithm="",
    dtype="float64",
    **options,
):
    return emit(
        resolve(
            make_request(
                "fht", N, P, input, output, exchange, algorithm=algorithm, dtype=dtype, **options
            )
        )
    )


GROUPED = partial(text, 128, 4, "cyclic", algorithm="group-cyclic")
SPECTRUM = partial(text, 64, 8, result="dft")
BACK = partial(text, 64, 8, "hartley", direction="backward")


def split(*words, rows=4, dtype="float64", **options):
    """Return a program whose local transforms are done in rows and columns, as those of large
    programs are.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hartley_stages, "rows_of", lambda _: rows)
        return emit(resolve(make_request("fht", *words, dtype=dtype, **options)))


SPLIT = partial(split, 128, 4)
SPLIT_BACK = partial(split, 128, 4, "hartley", direction="backward")
SPLIT_GROUPED = partial(split, 128, 4, "cyclic", algorithm="group-cyclic")


PROGRAMS = {
    "block": text,
    "its own layouts": lambda: text(64, 8, "hartley-input"),
    "cyclic to block": lambda: text(64, 8, "cyclic", "block"),
    "bit-reversed, pairwise": lambda: text(64, 8, "bit-reversed", "f:2", "pairwise"),
    "a move after one that two ranks take no part in": lambda: text(
        64, 4, "cyclic", "bit-reversed"
    ),
    "as many ranks as it takes": lambda: text(64, 32),
    "one rank": lambda: text(64, 1),
    "two numbers": lambda: text(2, 1),
    "two ranks of two": lambda: text(4, 2),
    "backward": lambda: text(direction="backward"),
    "orthonormal": lambda: text(norm="ortho"),
    "single precision": lambda: text(dtype="float32"),
    "back from pairs": BACK,
    "back from pairs, not divided, to cyclic": lambda: text(64, 16, "hartley", "cyclic"),
    "half spectrum": SPECTRUM,
    "half spectrum, one rank, orthonormal": lambda: text(64, 1, result="dft", norm="ortho"),
    "half spectrum in single precision": lambda: text(64, 4, result="dft", dtype="float32"),
    "one exchange": GROUPED,
    "one exchange, one number of each kind": lambda: text(32, 4, algorithm="group-cyclic"),
    "one exchange, one rank": lambda: text(32, 1, algorithm="group-cyclic"),
    "one exchange, redistributed": lambda: text(
        128, 8, "block", "cyclic", algorithm="group-cyclic", direction="backward"
    ),
    "one exchange, half spectrum": lambda: text(
        128, 4, "cyclic", result="dft", algorithm="group-cyclic"
    ),
    "with a convolution": lambda: text(convolve=True),
    "in rows and columns": SPLIT,
    "in many rows": lambda: split(64, 1, rows=32),
    "in rows and columns, back from pairs": SPLIT_BACK,
    "in rows and columns, one exchange": SPLIT_GROUPED,
    "in rows and columns, one exchange, one rank, single precision": lambda: split(
        64, 1, rows=8, algorithm="group-cyclic", dtype="float32"
    ),
    "too large for unit vectors": lambda: text(4096, 16),
}


decided = cache(verdicts)
"""What is decided of an emitted text, which more than one test looks at."""


@pytest.mark.sampled(32)
@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_emitted_program_is_certified(name):
    found = decided(PROGRAMS[name]())
    assert [str(verdict) for verdict in found.values() if not kind.holds(verdict)] == []
    names = ["layout", "messages", "function", "contract", "cost", "rounding"]
    assert list(found) == [*names, *["convolution"] * (name == "with a convolution"), "main"]
    assert found["function"].error <= 1e-6
    assert isinstance(found["rounding"], kind.Tested)


@pytest.mark.parametrize(
    ("N", "P", "dtype"), [(64, 8, "float64"), (1024, 4, "float64"), (1024, 4, "float32")]
)
def test_the_error_is_within_three_n_eps_and_the_tighter_tolerance(N, P, dtype):
    shown = decided(text(N, P, dtype=dtype))["rounding"]
    assert shown.measured <= shown.tolerance <= 3 * (N.bit_length() - 1) * np.finfo(dtype).eps


TWIDDLE = "np.multiply(y, plan.twiddle, out=y)"
ROOT = "return ... * (np.cos(angle) + SIGN * 1j * np.sin(angle))"
BOTH = "plan.own.Sendrecv(y, partner, recvbuf=other, source=partner)"

EQUIVALENT = {
    "a table by exp": lambda: changed(
        text(), (ROOT, "return np.exp(SIGN * 2j * np.pi * e / order)")
    ),
    "twiddles by an expression": lambda: changed(text(), (TWIDDLE, "y[:] = y * plan.twiddle")),
    "all of the spectrum on rank 0": lambda: changed(
        text(), ("np.fft.rfft(x)", "np.fft.fft(x)[: G + 1]")
    ),
    "the real inverse on rank 0": lambda: changed(
        text(), ("np.fft.rfft(x)", "np.fft.rfft(np.fft.irfft(np.fft.rfft(x)))")
    ),
    "parts viewed as pairs": lambda: changed(
        text(), ("y.real, y.imag = work[:G], work[G:]", "out[::2], out[1::2] = work[:G], work[G:]")
    ),
    "sends and receives": lambda: changed(
        text(),
        (BOTH, "r = plan.own.Irecv(other, partner); plan.own.Isend(y, partner).Wait(); r.Wait()"),
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", EQUIVALENT)
def test_an_equivalent_program_is_certified(name):
    assert refuted(EQUIVALENT[name]()) == {}


NAMES = 'TRANSFORM, DIRECTION, NORM = "fht", "forward", "backward"'
BROKEN = {
    "compiled squares": lambda: (
        text(result="power", kernels="numba"),
        "certify follows products of data only with the kernels numpy",
    ),
    "a spectrum that goes back": lambda: (
        changed(SPECTRUM(), (NAMES, NAMES.replace("forward", "backward"))),
        "has the direction forward",
    ),
    "a spectrum in pairs": lambda: (
        changed(SPECTRUM(), ('"half-spectrum"', '"hartley"')),
        "only the output of dft has the layout half-spectrum",
    ),
    "complex numbers": lambda: (
        changed(text(), ('np.dtype("float64")', 'np.dtype("complex128")')),
        "use one of float64, float32",
    ),
    "an unknown algorithm": lambda: (
        changed(
            text(),
            ('ALGORITHM, RESULT = "hypercube", "hartley"', 'ALGORITHM, RESULT = "cube", "hartley"'),
        ),
        "use one of hypercube, group-cyclic",
    ),
    "too many ranks for its algorithm": lambda: (
        changed(
            text(),
            (
                'ALGORITHM, RESULT = "hypercube", "hartley"',
                'ALGORITHM, RESULT = "group-cyclic", "hartley"',
            ),
        ),
        "needs 2 P^2 <= N",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_contradicts_itself_is_an_error_that_gives_the_rule(name):
    program, words = BROKEN[name]()
    with pytest.raises(ValueError, match=r".") as caught:
        tried("prog.py", program, 0)
    assert words in str(caught.value)


@pytest.mark.long
def test_a_certificate_is_written_and_verified(tmp_path):
    path = tmp_path / "fht.py"
    path.write_text(text(16, 4))
    assert certify(path, ran=0).holds
    shown = json.loads(certificate_path(path).read_text())["predicate"]
    assert (
        shown["declared"]["transform"],
        shown["declared"]["algorithm"],
        shown["declared"]["result"],
    ) == ("fht", "hypercube", "hartley")
    assert "fht-factorization" in shown["theorems"]
    _, again = verify(path)
    assert all(map(kind.holds, again.values()))
