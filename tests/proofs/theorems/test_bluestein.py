"""Bluestein's padded convolution: one theorem for all sizes, from which programs of prime sizes are
made.
"""

from __future__ import annotations

import pytest

import nodewright as nw
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.exact.exact_check import check
from derive.papers.statements.statement_tables import at_sizes, given_at_sizes, theorem_statements
from proofs.theorems import theorems

TEXT = theorem_statements()["bluestein"].equations[0]
WRONG = {
    "a chirp of another rate": ("Chirp(2*M,n)", "Chirp(2*M,2*n)"),
    "the chirp itself": ("Chirp(2*M,n)", "conj(Chirp(2*M,n))"),
    "no padding before": ("(1/2 * F(2) * E(2,1)) (x) I(M)", "E(2,1) (x) I(M)"),
    "another chirp at the end": ("diag(j < n, j^2/(2*n))", "diag(j < n, j^2/n)"),
}


def test_it_is_proved_where_m_is_at_least_n() -> None:
    (found,) = theorems()["bluestein"].prove()
    (given,) = found.hypotheses
    assert str(given.left) == "E(n, n)" and not given.general
    assert str(found.left) == "F(n, 1)"


@pytest.mark.parametrize(("n", "M"), [(1, 1), (3, 4), (4, 4), (5, 4), (7, 2)])
def test_it_holds_at_sizes_where_what_it_assumes_does(n: int, M: int) -> None:
    sides = (at_sizes("bluestein", n=n, M=M), *given_at_sizes("bluestein", n=n, M=M))
    assert [check(one).holds for one in sides] == [n <= M] * 2


@pytest.mark.parametrize("name", WRONG)
def test_another_factor_is_refuted(name: str) -> None:
    old, new = WRONG[name]
    assert old in TEXT
    assert nw.check(TEXT.replace(old, new, 1), n=5, M=8).kind == "refuted"


def test_a_program_of_a_prime_size_is_made_from_it() -> None:
    program = resolve(make_request("fft", 257, 2))
    assert str(program.equation) == str(at_sizes("bluestein", n=257, M=512))
    assert [str(one.left) for one in program.lemmas] == ["E_{257,257}", "F_1024"]
    assert f"\n    {program.equation}\n" in nw.fft(257, 2).text
    assert [str(one) for one in nw.equations("fft", 257, 2)] == [
        str(program.equation),
        *map(str, program.lemmas),
    ]


@pytest.mark.long
def test_check_shows_it_with_what_it_assumes() -> None:
    report = nw.fft(257, 2).check()
    names = [statement.name for statement in report.statements]
    assert report.kind == "checked"
    assert names == ["bluestein", "bluestein, given", "by-digits", "supersteps"]
