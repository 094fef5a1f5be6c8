"""The tolerance of rounding grows with the arithmetic that a program does, up to a limit."""

from __future__ import annotations

import numpy as np
import pytest

from proofs.certify.declared_constants import declared
from proofs.certify.ordinary.rounding import tolerance_of
from proofs.certify.program import decided
from tests.support.by_hand import right
from tests.support.certified import fate_of
from tests.support.evaluated import executed, with_mpi
from tests.support.refused import REFUTED

SOURCE = right("bluestein").replace("N, P = 24, 2", "N, P = 21, 3")
"""Bluestein's algorithm on 21 points, with a matrix of order 21 in place of each transform."""


def certificate_of(source, folder):
    path = folder / "prog.py"
    path.write_text(source, "utf-8")
    return decided(path, ran=0)


@pytest.mark.long
def test_a_right_program_with_many_flops_is_accurate(tmp_path, nodewright):
    certificate = certificate_of(SOURCE, tmp_path)
    assert certificate.holds
    assert "3.0 u sqrt(7.5 lg N)" in str(certificate.verdicts["rounding"])
    certificate.save()
    path, saved = tmp_path / "prog.py", tmp_path / "prog.cert.json"
    assert nodewright("certify", "--verify", str(path))[0] == 0
    saved.write_text(saved.read_text("utf-8").replace("sqrt(7.5 lg N)", "sqrt(99 lg N)"), "utf-8")
    assert nodewright("certify", "--verify", str(path))[0] != 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.filter = filter_", "self.filter = filter_.astype(np.complex64)"),
        ("(j * j % (2 * N)) / N", "(j * j * 10001 % (2 * N)) / N + 0 * 1e-9"),
        ("plan.chirp * convolved", "plan.chirp * (1 + 2**-46) * convolved"),
    ],
)
def test_an_inaccurate_program_with_many_flops_is_refuted(old, new, tmp_path):
    assert SOURCE.count(old) == 1
    found = fate_of(SOURCE.replace(old, new), tmp_path)
    assert found.fate == REFUTED


def test_flops_up_to_twice_those_of_an_fft_change_nothing(monkeypatch):
    with_mpi(monkeypatch)
    d = declared(vars(executed(SOURCE)))
    least = 5 * 21 * np.log2(21)
    base = tolerance_of(d)
    assert tolerance_of(d, 2 * least) == base
    assert tolerance_of(d, 9 * least)[0] == pytest.approx(3 * base[0])
    assert tolerance_of(d, 9 * least)[1] == "3.0 u sqrt(9 lg N), u = 2^-53"
    assert tolerance_of(d, 1e9 * least)[0] == pytest.approx(4 * base[0])
