"""Proofs of typed equations read like what was typed: in text, LaTeX and HTML."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random
from shutil import which

import numpy as np
import pytest

from bench.identities import identities
from derive.formula.latex import LETTERS
from derive.formula.permutation_matrices import L
from derive.text.expressions import FormulaError
from derive.text.parse import parse
from derive.text.syntax import Sides
from derive.text.text_latex import equation
from nodewright.api.proofs import OwnProof, prove
from proofs.kernel.kernel_rules import reversing
from proofs.kernel.numbers import Dim, Poly, size
from proofs.kernel.terms import F, S, Sum, Term, Var
from proofs.prove.translation.translate import translate
from proofs.show.brackets import plain
from proofs.show.direct_sum_terms import composed, direct_sum, written
from proofs.show.markup import FORMULA, marked, mathml
from proofs.theorems.notation import shown
from tests.mutation.dense import Field, dense, prime, root_of_unity
from tests.support.browser import CHROMIUM, complaints
from tests.support.commands import Command

VARIABLES = "A : m x m, B : n x n, C : m x m, D : n x n; "
EQUATIONS = {
    "direct sums": f"{VARIABLES}(A (+) B) * (C (+) D) = A * C (+) B * D",
    "diagonals": "diag(j < n, j/n) (+) diag(j < m, j/m) = diag(j < n, j/n) (+) diag(j < m, j/m)",
    "strides": "L(r*s, r) * L(r*s, s) = I(r*s)",
    "places": "perm(j < n, j+1) * perm(j < n, j-1) = I(n)",
    "roots": "A : m x n; 1/n * sqrt(n) (x) A = 1/n * sqrt(n) (x) A",
}


def equations() -> list[Sides]:
    """Return the identities of the table that are equations of formulas as text."""
    found = []
    for one in identities():
        try:
            found.append(parse(one.equation))
        except FormulaError:
            continue
    return found


@cache
def proof(name: str) -> OwnProof:
    return prove(EQUATIONS[name])


def no_letter(term: Term) -> str | None:
    return composed(term, no_letter)


@pytest.mark.long
def test_what_is_printed_of_an_equation_is_the_equation() -> None:
    assert len(equations()) > 390
    assert [str(sides) for sides in equations() if parse(str(sides)) != sides] == []


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    ("typed", "tex", "letters"),
    [
        ("(+)", r"\oplus", "⊕"),
        ("diag(", r"\operatorname{diag}_{", "diag_{"),
        ("perm(", r"\operatorname{perm}_{", "perm_{"),
        ("L(", "L^{", "L^{"),
    ],
)
def test_every_typed_sign_stands_in_latex_and_in_letters(
    typed: str, tex: str, letters: str
) -> None:
    """As often as in the text, so that nothing of it is put in another way."""
    for sides in equations():
        text = str(sides).rpartition("; ")[2]
        if "let " in str(sides):
            continue
        wanted = len(re.findall(rf"(?<!\w){re.escape(typed)}", text))
        for style, sign in ((equation(sides), tex), (equation(sides, LETTERS), letters)):
            assert len(re.findall(rf"(?<!\w){re.escape(sign)}", style)) == wanted, (text, style)


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("name", EQUATIONS)
def test_a_proof_states_the_equation_that_was_typed(name: str) -> None:
    sides, found = parse(EQUATIONS[name]), proof(name)
    assert found.kind == "proved"
    assert found.arguments[0].statement == found.statement == EQUATIONS[name]
    tex = found.to_latex().partition(r"\begin{theorem}")[2].partition(r"\end{theorem}")[0]
    assert tex.strip().startswith("$" + equation(sides).replace(r" \, ", r"\s ") + "$.")
    page = found.to_html().partition("<h3>Theorem</h3>")[2]
    assert page.strip().startswith(f"<p>{mathml(equation(sides, LETTERS))}.</p>")


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("direct sums", "(A ⊞ B) (C ⊞ D) = (A C) ⊞ (B D)"),
        ("strides", ""),
        ("places", "perm_{k1 < n} (1 + k1) perm_{k1 < n} (-1 + k1) = I_{n}"),
        ("roots", "A = A"),
    ],
)
def test_the_kernels_equation_stands_beside_it_where_it_is_another(name: str, kernel: str) -> None:
    found = proof(name)
    assert found.typed is not None and found.typed.kernel == kernel
    assert ("The kernel proves" in found.to_html()) == bool(kernel)
    assert marked(kernel, FORMULA) in found.to_latex()


@pytest.mark.long
def test_the_command_says_what_the_kernel_proves(nodewright: Command) -> None:
    _, out, _ = nodewright("prove", "--formula", EQUATIONS["direct sums"])
    assert out.splitlines()[1:3] == [
        "    the kernel proves: (A ⊞ B) (C ⊞ D) = (A C) ⊞ (B D)",
        "    where A ⊞ B is V (A ⊕ B) V^{*} with V^{*} V = I",
    ]
    _, out, _ = nodewright("prove", "--formula", EQUATIONS["strides"])
    assert "kernel" not in out
    _, out, _ = nodewright("prove", "--formula", "F(N) = F(N)", "--where", "N = r*s")
    assert "kernel" in out


def test_conditions_stand_behind_the_equation() -> None:
    found = prove("F(N) = F(r) (x) I(N/r) * T(N,N/r) * I(r) (x) F(N/r) * L(N,r)", "r >= 2")
    assert r"$, where $r\s \ge \s 2$, $r$ divides $N$." in found.to_latex()
    assert "where $N$ is written as $N\\s r$." in found.to_latex()
    assert found.arguments[0].statement.endswith(", where r >= 2, r divides N")


@pytest.mark.parametrize(("u", "t"), [(2, 3), (3, 4), (4, 2), (1, 5), (5, 1)])
def test_a_shuffle_of_the_kernel_is_the_stride_permutation_that_is_printed(u: int, t: int) -> None:
    assert shown(S(Dim.of(u), Dim.of(t))) == f"L^{{{u * t}}}_{{{u}}}"
    q = prime(192, Random(4))
    found = dense(S(Dim.of(u), Dim.of(t)), {}, Field(192, q, root_of_unity(192, q)))
    assert np.array_equal(found, np.asarray(L(u * t, u).to_matrix()).real.astype(int))


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("F(2) (+) F(4)", " ⊕ "),
        ("F(m) (+) F(2*m) (+) H(m)", " ⊕ "),
        ("F(4) (+) F(6)", " ⊕ "),
        ("F(m) (+) F(n)", " ⊞ "),
        ("F(m) (+) F(n) (+) F(m) (+) F(n)", " ⊞ "),
        ("E(m,n) (+) E(n,m)", " ⊞ "),
        ("I(m+n)", " ⊞ "),
    ],
)
def test_a_direct_sum_of_the_kernel_is_recognized(text: str, sign: str) -> None:
    term = plain(translate(parse(f"{text} = {text}")).left)
    found = direct_sum(term)
    assert found is not None and found[0] == sign
    assert len(found[1]) == (2 if text == "I(m+n)" else text.count("(+)") + 1)


@pytest.mark.parametrize("text", ["F(2) (+) F(4)", "F(m) (+) F(2*m)", "F(m) (+) F(n)"])
def test_what_is_nearly_a_direct_sum_is_not_printed_as_one(text: str) -> None:
    term = plain(translate(parse(f"{text} = {text}")).left)
    assert isinstance(term, Sum) and direct_sum(term)
    (re_, im, first), second = term.parts
    others = {
        "a number": Sum(((re_ * 2, im, first), second)),
        "blocks exchanged": Sum((second, (re_, im, first))),
        "one block": Sum(((re_, im, first),)),
        "one block twice": Sum(((re_, im, first), (re_, im, first))),
    }
    assert {what: direct_sum(other) for what, other in others.items()} == dict.fromkeys(others)


def test_j_and_permutations_of_digits_are_written_as_such() -> None:
    n = size("n")
    assert written(reversing(n), no_letter) == "J_{n}"
    half = Sum(((Poly.of(1), Poly.of(0), F(n)),))
    assert written(half, no_letter) == "F_{n}"
    left = translate(parse("perm(j < n, 3*j) = I(n)")).left
    assert written(left, no_letter) == "perm_{k1 < n} (3 k1)"


def test_coefficients_are_written_as_numbers_before_a_matrix() -> None:
    A, m, n = (Var(x, size("m"), size("m")) for x in "ABC"), Poly.of(size("m")), Poly.of(size("n"))
    one, two, three = A
    zero = Poly.of(0)
    term = Sum(((Poly.of(1), zero, one), (Poly.of(-1), zero, two), (m + n, zero, three)))
    assert shown(term) == "A - B + (m + n) C"


def test_a_derivation_of_ones_own_states_what_was_typed(
    nodewright: Command, tmp_path: Path
) -> None:
    (tmp_path / "own.derivation").write_text(
        "start F(r*s)\napply cooley-tukey with r=r\nend\n", encoding="utf-8"
    )
    file = tmp_path / "own.tex"
    assert nodewright("derive", str(tmp_path / "own.derivation"), "--latex", str(file))[0] == 0
    text = file.read_text(encoding="utf-8")
    assert r"$F_{r s} = (F_{r} \otimes I_{s})\s T^{r s}_{s}" in text and "S_{" not in text


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None or which("chromium") is None, reason="no Chromium")
def test_a_document_shows_its_formulas_in_a_browser(tmp_path: Path) -> None:
    for name in ("direct sums", "diagonals"):
        (tmp_path / f"{name}.html".replace(" ", "-")).write_text(
            proof(name).to_html(), encoding="utf-8"
        )
    assert complaints(tmp_path, ["direct-sums.html", "diagonals.html"]) == []
