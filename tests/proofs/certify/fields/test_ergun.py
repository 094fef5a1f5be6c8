"""Ergün's equations in place of a reference: accurate programs satisfy them, and what a reference
would refuse breaks one of them.
"""

from functools import cache

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.spec import Spec
from derive import verdict as kind
from proofs.certify import reading
from proofs.certify.checks import rounding, suite
from proofs.certify.checks.linearity import ergun
from proofs.certify.checks.suite import tried
from proofs.certify.failures import Wrong
from proofs.certify.fields.field_run import run_over_field
from tests.support.changes import changed
from tests.support.evaluations import evaluated
from tests.support.lines import END


@cache
def fft(N=1024, P=4, exchange="alltoall", **options):
    return emit(Spec("fft", N, P, "block", "block", exchange, **options))


@cache
def fht(N=1024, P=4, input="block", **options):
    return emit(Spec("fht", N, P, input, **options))


@cache
def run_of(program):
    """Return an exact run of one transform, whose messages the others are compared with."""
    return run_over_field(*evaluated(program), np.random.default_rng(0), units=False).run


def judged(program, seed=0, right=None):
    return ergun(
        *evaluated(program), np.random.default_rng(seed), run_of(right or program), "accurate"
    )


RIGHT = {
    "an fft": fft,
    "a backward one": lambda: fft(1024, 16, direction="backward"),
    "an orthonormal one": lambda: fft(64, 8, norm="ortho"),
    "in single precision": lambda: fft(4096, 4, dtype="complex64"),
    "a hypercube fft": lambda: emit(
        Spec("hypercube-fft", 1024, 4, "bit-reversed", "scrambled", scheme="5")
    ),
    "a Hartley transform": fht,
    "a backward one of these": lambda: fht(1024, 4, "hartley", direction="backward"),
    "one in single precision": lambda: fht(4096, 4, dtype="float32"),
    "a half spectrum": lambda: fht(1024, 4, result="dft"),
}
TURN = "return ... * (np.cos(angle) + SIGN * 1j * np.sin(angle))"
WRONG = {
    "angles too short": lambda: (
        fft(),
        changed(fft(), (TURN, TURN.replace("angle", "(angle * (1 + 2e-15))"))),
        "shift",
    ),
    "twiddles in single precision": lambda: (
        fft(),
        changed(fft(), (TURN, TURN.replace("* (", "* np.complex64("))),
        "",
    ),
    "no twiddles": lambda: (fft(), changed(fft(), (TURN, "return ... * 0 + 1")), "shift"),
    "the other sign of the twiddles": lambda: (
        fft(),
        changed(fft(), (TURN, TURN.replace("SIGN", "-SIGN"))),
        "",
    ),
    "a result that is rounded": lambda: (
        fft(),
        changed(
            fft(),
            (END, "    out[:] = np.complex64(out * 2.0**-400).astype(DTYPE) * 2.0**400\n" + END),
        ),
        "",
    ),
    "a constant that is added": lambda: (
        fft(),
        changed(fft(), (END, "    out += 1\n" + END)),
        "numbers of another size",
    ),
    "another scale": lambda: (
        fft(),
        changed(fft(), (END, "    out *= 1 + 1e-15\n" + END)),
        "impulse",
    ),
    "one wrong element": lambda: (
        fft(),
        changed(fft(), (END, "    if plan.comm.rank == 3:\n        out[7] *= 1 + 1e-12\n" + END)),
        "",
    ),
    "the absolute value": lambda: (
        fft(),
        changed(fft(), (END, "    out[:] = np.abs(out)\n" + END)),
        "",
    ),
    "not a number": lambda: (fft(), changed(fft(), (END, "    out[0] = np.nan\n" + END)), ""),
    "a Hartley transform with another sign": lambda: (
        fht(),
        changed(fht(), (END, "    out *= -1\n" + END)),
        "impulse",
    ),
    "one of half precision": lambda: (
        fht(),
        changed(
            fht(),
            (END, "    out[:] = np.float32(out * 2.0**-400).astype(DTYPE) * 2.0**400\n" + END),
        ),
        "",
    ),
    "a half spectrum with another sign": lambda: (
        fht(1024, 4, result="dft"),
        changed(fht(1024, 4, result="dft"), (END, "    out[1::2] *= -1\n" + END)),
        "",
    ),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("seed", range(3))
def test_an_accurate_program_satisfies_them(name, seed):
    verdict = judged(RIGHT[name](), seed)
    assert isinstance(verdict, kind.Tested)
    assert 0 < verdict.measured < verdict.tolerance


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_or_inaccurate_one_breaks_one_of_them(name):
    right, wrong, equation = WRONG[name]()
    assert isinstance(judged(right), kind.Tested)
    verdict = judged(wrong, right=right)
    assert isinstance(verdict, kind.Refuted)
    assert verdict.counterexample.startswith(equation)


def test_twiddles_by_a_running_product_are_too_inaccurate():
    running = (
        "    return np.cumprod(np.full(order, np.exp(SIGN * 2j * np.pi / order)))[np.asarray(e) -"
        " 1]\n"
    )
    assert isinstance(
        judged(changed(fft(4096, 4), (TURN, running)), right=fft(4096, 4)), kind.Refuted
    )


@pytest.mark.slow
def test_a_program_too_long_for_a_reference_is_certified_by_them(monkeypatch):
    monkeypatch.setattr(suite, "LARGEST_REFERENCE", 64)
    found = tried("prog.py", fft(256, 4), 0).verdicts
    assert [type(verdict).__name__ for verdict in found.values()] == [
        *["Checked"] * 5,
        *("Tested", "Checked"),
    ]
    assert "shift in time and in frequency" in found["rounding"].statement
    # 3 ulp, which stand for 1 in the exact run, are seen by ordinary numbers
    rounded = changed(fft(256, 4), (END, "    out *= 1 + 2.0**-50.5\n" + END))
    assert [
        name
        for name, verdict in tried("prog.py", rounded, 0).verdicts.items()
        if isinstance(verdict, kind.Refuted)
    ] == ["contract"]
    assert "impulse" in judged(rounded, right=fft(256, 4)).counterexample


def test_another_message_of_the_fourth_transform_is_seen():
    counting = "    plan.calls = getattr(plan, 'calls', 0) + 1\n"
    more = "    if plan.calls == {}:\n        plan.own.Barrier()\n"
    assert isinstance(judged(changed(fft(), (END, counting + more.format(5) + END))), kind.Tested)
    with pytest.raises(Wrong, match=r"\d+ synchronisations in 7 transforms and \d+ in one"):
        judged(changed(fft(), (END, counting + more.format(4) + END)))


def test_the_limits_are_what_the_documents_say():
    assert (rounding.LARGEST_REFERENCE, reading.LARGEST_N) == (2**20, 2**21)


@pytest.mark.slow
def test_two_million_points_on_eight_ranks_are_certified():
    found = tried("prog.py", fft(2**21, 8), 0).verdicts
    assert [type(verdict).__name__ for verdict in found.values()] == [
        *["Checked"] * 5,
        *("Tested", "Checked"),
    ]
