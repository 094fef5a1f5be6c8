"""Certification of Hartley programs: right texts pass, and every wrong one is refused for the right
reason.
"""

from __future__ import annotations

import json
from functools import cache, partial

import numpy as np
import pytest

from codegen.emit.steps import hartley as hartley_stages
from codegen.emit.text import emit
from codegen.requests import make_request
from derive import verdict as kind
from proofs.certify.checks.suite import tried
from proofs.certify.program import certificate_path, certify, verify
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts
from tests.support.lines import END, START

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
        make_request(
            "fht", N, P, input, output, exchange, algorithm=algorithm, dtype=dtype, **options
        )
    )


GROUPED = partial(text, 128, 4, "cyclic", algorithm="group-cyclic")
SPECTRUM = partial(text, 64, 8, result="dft")
BACK = partial(text, 64, 8, "hartley", direction="backward")
REDISTRIBUTED = partial(text, 64, 8, "block", "cyclic")


def split(*words, rows=4, dtype="float64", **options):
    """Return a program whose local transforms are done in rows and columns, as those of large
    programs are.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hartley_stages, "rows_of", lambda _: rows)
        return emit(make_request("fht", *words, dtype=dtype, **options))


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


@pytest.mark.slow
def test_at_small_sizes_nothing_is_left_to_chance():
    for program in (text(), SPECTRUM(), BACK(), text(64, 4, algorithm="group-cyclic")):
        function = decided(program)["function"]
        assert function.error == 0
        assert "nothing is left to chance" in function.evidence


TWIDDLE = "np.multiply(y, plan.twiddle, out=y)"
ROOT = "return ... * (np.cos(angle) + SIGN * 1j * np.sin(angle))"
STAGE_1 = "sent(low, high, out=other[:G])\nkept(low, high, out=y[:G])"
BOTH = "plan.own.Sendrecv(y, partner, recvbuf=other, source=partner)"
ONE = "plan.own.Sendrecv(other[:G], partner, recvbuf=y[G:], source=partner)"
KEPT = "(np.subtract, np.add) if plan.own.rank > partner else (np.add, np.subtract)"
NEGATIVE = "(np.subtract, np.add) if rank >> (s - 1) & 1 else (np.add, np.subtract)"

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


WRONG = {
    "a table of the wrong sign": lambda: (
        text(),
        "function",
        "for the basis vector e_",
        (ROOT, ROOT.replace("+ SIGN", "- SIGN")),
    ),
    "a sine of the wrong sign": lambda: (
        text(),
        "function",
        "for the basis vector e_",
        ("w.real * p - w.imag * q", "w.real * p + w.imag * q"),
    ),
    "a cosine of another rank": lambda: (
        text(),
        "function",
        "the output y_",
        ("root_of_unity(rank % (1 << s), 1 << s)", "root_of_unity((rank + 1) % (1 << s), 1 << s)"),
    ),
    "a short π": lambda: (
        text(),
        "function",
        "the constant",
        ("(np.pi / 2 / order)", "(3.1416 / 2 / order)"),
    ),
    "a table in single precision": lambda: (
        text(),
        "function",
        "within 4 ulp",
        ("root_of_unity(rank * o, N)", "root_of_unity(rank * o, N).astype('complex64')"),
    ),
    "no twiddles": lambda: (text(), "function", "the output y_", (TWIDDLE, "pass")),
    "no sums and differences of lists": lambda: (
        text(),
        "function",
        "the output y_",
        (STAGE_1, "np.copyto(other[:G], high)"),
    ),
    "a missing last stage": lambda: (
        text(),
        "function",
        "the output y_",
        ("for s in range(2, 5):", "for s in range(2, 4):"),
    ),
    "lists that keep their order": lambda: (
        text(),
        "function",
        "the output y_",
        (KEPT, "(np.add, np.subtract)"),
    ),
    "lists that keep their order where the weight is negative": lambda: (
        text(),
        "function",
        "the output y_",
        (NEGATIVE, "(np.add, np.subtract)"),
    ),
    "the last butterfly twice on rank 0": lambda: (
        text(),
        "function",
        "the output y_",
        ("if rank == 0 and 1 << s == 16:", "if rank == 0 and False:"),
        ("rank % (1 << (s - 1)) == 0", "rank % (1 << (s - 1)) == 0 and 1 << s < 16"),
    ),
    "the neighbour in a cube": lambda: (
        text(),
        "function",
        "the output y_",
        ("complement(plan.own.rank, s - 1)", "plan.own.rank ^ (1 << (s - 2))"),
    ),
    "a partner who waits for another": lambda: (
        text(),
        "messages",
        "deadlock",
        (ONE, ONE.replace("source=partner", "source=partner ^ 1")),
    ),
    "a dropped exchange": lambda: (
        text(),
        "function",
        "the output y_",
        (BOTH, "np.copyto(other, y)"),
    ),
    "sends before receives": lambda: (
        text(),
        "messages",
        "in Send(to rank",
        (BOTH, "plan.own.Send(y, partner); plan.own.Recv(other, partner)"),
    ),
    "half a list too little": lambda: (
        text(),
        "messages",
        "count and type of a message agree",
        (ONE, ONE.replace("y[G:]", "y[G + partner % 2 :]")),
    ),
    "whole lists where half of one would do": lambda: (
        text(64, 8, "hartley-input"),
        "cost",
        "words instead of",
        (
            ONE,
            "z = np.concatenate([y[:G], other[:G]])\n"
            "plan.own.Sendrecv(z, partner, recvbuf=other, source=partner); y[G:] = other[G:]",
        ),
    ),
    "an exchange of nothing that is needed": lambda: (
        text(),
        "cost",
        "messages instead of",
        (START, START + "    plan.own.Alltoall(x, np.zeros(M, DTYPE))\n"),
    ),
    "a wrong output place": lambda: (
        text(),
        "layout",
        "in the hartley layout it is",
        ("(k % 8 > 0) & (k // 8 % 2 > 0)", "(k % 8 > 1) & (k // 8 % 2 > 0)"),
    ),
    "a wrong index of pairs": lambda: (
        text(),
        "layout",
        "output_index gives",
        (
            "(1 - 2 * (o % 2)) * (rank + 16 * (o // 2)) % 64",
            "(1 - 2 * (o % 2) * (o != 1)) * (rank + 16 * (o // 2)) % 64",
        ),
    ),
    "another layout than declared": lambda: (
        text(),
        "layout",
        "in the cyclic layout it is",
        ('"block", "hartley"', '"block", "cyclic"'),
    ),
    "a missing scale": lambda: (
        text(norm="ortho"),
        "function",
        "the output y_",
        ("np.multiply(out, SCALE, out=out)", "pass"),
    ),
    "a wrong mirror on the way to cyclic": lambda: (
        REDISTRIBUTED(),
        "function",
        "the output y_",
        ("np.copyto(out[1::2], work[:G][::-1])", "np.copyto(out[1::2], work[:G])"),
    ),
    "no exchange on the way to cyclic": lambda: (
        REDISTRIBUTED(),
        "function",
        "the output y_",
        ("if partner != plan.own.rank:", "if False:"),
    ),
    "a conjugate spectrum": lambda: (
        SPECTRUM(),
        "function",
        "the output y_",
        (
            "np.subtract(second, first, out=pairs[:, 1])",
            "np.subtract(first, second, out=pairs[:, 1])",
        ),
    ),
    "frequencies beyond N/2 as they are": lambda: (
        SPECTRUM(),
        "function",
        "the output y_",
        ("np.negative(beyond, out=beyond)", "pass"),
    ),
    "X[N/2] left out": lambda: (
        SPECTRUM(),
        "function",
        "the output y_",
        ("h[0], h[G]  #", "h[0], 0 * h[G]  #"),
    ),
    "twice the spectrum": lambda: (
        SPECTRUM(),
        "function",
        "the output y_",
        ("np.multiply(pairs, 0.5, out=pairs)", "pass"),
    ),
    "the way back by the wrong transform": lambda: (
        BACK(),
        "function",
        "the output y_",
        ("np.fft.fft(y, out=y)", 'np.fft.ifft(y, norm="forward", out=y)'),
    ),
    "the way back without conjugates": lambda: (
        BACK(),
        "function",
        "the output y_",
        ("np.multiply(y, plan.twiddle, out=y)", "np.multiply(y, plan.twiddle.conj(), out=y)"),
    ),
    "the way back with the wrong half kept": lambda: (
        BACK(),
        "function",
        "the output y_",
        (KEPT, KEPT.replace(">", "<")),
    ),
    "no twiddle at M/2": lambda: (
        GROUPED(),
        "function",
        "the output y_",
        ("ends.imag * plan.ends", "ends.imag"),
    ),
    "a frequency of another rank": lambda: (
        GROUPED(),
        "function",
        "the output y_",
        (
            "np.where(mirrored, 8 * (i - 1) - rank, 8 * i + rank)",
            "np.where(mirrored, 8 * (i - 1) - rank, 8 * i + (rank ^ 1))",
        ),
    ),
    "pairs that do not change places": lambda: (
        GROUPED(),
        "function",
        "the output y_",
        ("(z[:, 2:], lower[..., 1], lower[..., 0])", "(z[:, 2:], lower[..., 0], lower[..., 1])"),
    ),
    "the ranks in another order": lambda: (
        GROUPED(),
        "function",
        "the output y_",
        ("work.view(COMPLEX).reshape(4, 4)", "work.view(COMPLEX).reshape(4, 4)[::-1]"),
    ),
    "twiddles before the spectrum is halved": lambda: (
        GROUPED(),
        "function",
        "the output y_",
        ("half.imag[0] = half.real[G]", "half.imag[0] = half.real[0]"),
    ),
    "no twiddles between columns and rows": lambda: (
        SPLIT(),
        "function",
        "the output y_",
        ("np.multiply(z, plan.twiddle, out=z)", "pass"),
    ),
    "no twiddles of this rank before the columns": lambda: (
        SPLIT(),
        "function",
        "the output y_",
        ("np.multiply(y, plan.columns, out=y)", "pass"),
    ),
    "rows that are not columns in the end": lambda: (
        SPLIT(),
        "function",
        "the output y_",
        ("np.copyto(y.reshape(4, 4), z.T)", "np.copyto(y, z)"),
    ),
    "no twiddles of this rank after the columns, backward": lambda: (
        SPLIT_BACK(),
        "function",
        "the output y_",
        ("np.multiply(z, plan.columns, out=z)", "pass"),
    ),
    "conjugates left out": lambda: (
        SPLIT_GROUPED(),
        "function",
        "the output y_",
        ("np.conjugate(half[:, 4:], out=half[:, 4:])", "pass"),
    ),
    "an entry of another column": lambda: (
        SPLIT_GROUPED(),
        "function",
        "the output y_",
        (
            "np.where(row <= 2, 8 * row + column, 8 * (4 - row) + 7 - column)",
            "np.where(row <= 2, 8 * row + column, 8 * (4 - row) + 6 - column)",
        ),
    ),
    "a branch on data": lambda: (
        text(),
        "function",
        "converted to a truth value",
        (START, START + "    if x[0]:\n        pass\n"),
    ),
    "a square of data": lambda: (
        text(),
        "function",
        "product of two arrays",
        (START, START + "    x = x * x\n"),
    ),
    "an imaginary part that is lost": lambda: (
        text(),
        "function",
        "rfft of complex elements",
        ("np.fft.rfft(x)", "np.fft.rfft(x + 0j)"),
    ),
    "a result in the work array": lambda: (
        text(64, 1, "bit-reversed"),
        "contract",
        "",
        (END, "    plan.work[:] = out\n    return plan.work\n"),
    ),
    "a plan that serves once": lambda: (
        text(),
        "contract",
        "a constant of type object that is no finite number",
        (END, "    plan.twiddle = None\n    return out\n"),
    ),
    "a missing Free": lambda: (
        text(64, 4),
        "messages",
        "is left open after plan.free()",
        ("(self.group, self.own)", "(self.own,)"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_refused_for_the_right_reason(name):
    program, statement, reason, *changes = WRONG[name]()
    found = refuted(changed(program, *changes))
    assert list(found) == [statement]
    assert reason in found[statement]


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
