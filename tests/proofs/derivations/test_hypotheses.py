"""Hypotheses of one's own: what is derived with them is proved under them, and never without."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import nodewright as nw
from proofs.derivations.hypotheses import assumed
from proofs.kernel import check
from proofs.kernel.sealed import Refused
from proofs.replay.certificate_steps import main, said
from tests.support.schemas import validator

FILE = """start I(3) (x) (H(n) * H(n))
assume involution: H(n) * H(n) = n * I(n)
apply involution at 2
end
"""


def derived(text: str, tmp_path: Any) -> nw.Derivation:
    file = tmp_path / "own.derivation"
    file.write_text(text, encoding="utf-8")
    return nw.Derivation.read(file)


@pytest.mark.long
def test_what_is_derived_with_a_hypothesis_is_proved_under_it(tmp_path):
    found = derived(FILE, tmp_path)
    proof = found.end()
    assert proof.kind == "proved under hypotheses" and proof.holds
    assert str(proof.verdict) == (
        "proved under the hypothesis involution for all sizes: I(3) (x) (H(n) * H(n)) ="
        " I(3) (x) (n * I(n)), where involution says H(n) * H(n) = n * I(n)"
    )
    validator("derive").validate({"derivations": [json.loads(json.dumps(found.to_dict()))]})
    assert found.to_dict()["under"] == {"involution": "H(n) * H(n) = n * I(n)"}
    assert "under the hypothesis involution" in proof.to_latex()
    assert derived(found.script(), tmp_path).script() == found.script()


def test_a_hypothesis_from_right_to_left_is_one_too_and_one_that_no_step_uses_is_none():
    d = nw.Derivation("n * I(n)")
    d.assume("involution", "H(n) * H(n) = n * I(n)")
    assert d.end().kind == "proved"
    d.apply("<-involution")
    assert d.end().kind == "proved under hypotheses"
    d.undo()
    assert d.end().kind == "proved"


VARIABLES = """start let G(n) = F(n) * F(n); A : m x m; A (x) (G(n) * G(n))
lemma other: A (x) G(n) = L(m*n, m) * G(n) (x) A * L(m*n, n)
assume four: G(n) * G(n) = n^2 * I(n)
apply four at 2
end
"""


@pytest.mark.long
def test_lemmas_and_hypotheses_know_what_start_defines_and_declares(tmp_path):
    found = derived(VARIABLES, tmp_path)
    assert found.formula == "A (x) (n^2 * I(n))"
    assert str(found.end().verdict).startswith("proved under the hypothesis four for all sizes: ")
    (line, _) = said(found.end().certificate)
    assert line.startswith("proved under 1 hypothesis own: let G(n) = F(n) * F(n); A : m x m; ")
    assert derived(found.script(), tmp_path).end().kind == "proved under hypotheses"
    own = nw.Derivation("A : m x m; A")
    own.lemma("other", "A : n x n; A = I(n) * A")  # what is stated again is another thing
    own.lemma("stage", "A(2, n) * I(n) = A(2, n)")
    with pytest.raises(ValueError, match="B stands without its size"):
        own.lemma("wrong", "B * A = A")


def test_a_hypothesis_about_one_matrix_is_refused_with_what_it_speaks_of():
    why = r"hypothesis one is refuted: at m = .*; a hypothesis must hold for every matrix A : m x m"
    with pytest.raises(ValueError, match=why) as wrong:
        nw.Derivation("A : m x m; A * A").assume("one", "A * A = I(m)")
    assert "speaks of" not in wrong.value.counterexample


@pytest.mark.long
def test_two_hypotheses_are_both_named():
    d = nw.Derivation("(H(n) * H(n)) (x) (F(m) * conj(F(m)))")
    d.assume("involution", "H(n) * H(n) = n * I(n)")
    d.assume("unitary", "F(N) * conj(F(N)) = N * I(N)", "N = r")
    d.apply("involution", at=1)
    d.apply("unitary", at=2)
    assert str(d.end().verdict).startswith("proved under the hypotheses involution and unitary for")


@pytest.mark.parametrize(
    ("equation", "where", "words"),
    [
        (
            "F(r*s) = F(r) (x) F(s)",
            "",
            r"hypothesis own is refuted: at r = 2, s = 2: entry \(1, 1\)",
        ),
        ("F(n) = I(n)", "n >= 2", r"hypothesis own is refuted: at n = 2: entry \(0, 1\)"),
        ("F(4) * F(4) = 4 * J(4)", "", r"hypothesis own is refuted: entry \(0, 0\) is 4"),
        ("R(2^n) * R(2^n) = I(2^n)", "n >= 1", r"for some sizes only: write n\+1 for"),
        ("L(n, 2) * L(n, n/2) = I(n)", "", "for some sizes only: write 2\\*n for n"),
        ("F(n) = F(n) * I(n)", "n >= 5, n <= 4", "hypothesis own: nothing was compared"),
        ("F(n) = I(n)", "n <= 1", "for some sizes only, n <= 1, and a hypothesis must hold for"),
        ("H(n) * H(n) = n * I(n)", "n >= 1, n >= 3", "for some sizes only, n >= 3"),
        ("H(n) * H(n) = n * I(n)", "n*n = 9", r"for some sizes only, n\*n = 9"),
        ("L(r*s,r) * L(r*s,s) = I(r*s)", "r >= s", "for some sizes only, r >= s"),
    ],
)
def test_what_is_false_or_holds_at_some_sizes_only_is_no_hypothesis(equation, where, words):
    d = nw.Derivation("F(n)")
    with pytest.raises(ValueError, match=words):
        d.assume("own", equation, where)
    with pytest.raises(ValueError, match="unknown rule 'own'"):
        d.apply("own")


@pytest.mark.parametrize("name", ["commute", "two words", ""])
def test_a_hypothesis_has_a_name_of_its_own(name):
    with pytest.raises(ValueError, match=f"hypothesis '?{name}'?: a"):
        nw.Derivation("F(n)").assume(name, "transpose(F(n)) = F(n)")


def test_a_false_hypothesis_in_a_file_is_refused_at_its_line(tmp_path):
    text = FILE.replace("n * I(n)\n", "I(n)\n")
    with pytest.raises(ValueError, match="line 2: hypothesis involution is refuted: at n = 2"):
        derived(text, tmp_path)
    with pytest.raises(ValueError, match="line 2: a hypothesis is written assume NAME: LEFT"):
        derived("start F(n)\nassume F(n) = F(n)\nend\n", tmp_path)


def test_the_certificate_has_the_hypothesis_and_both_checkers_say_so(tmp_path, capsys):
    file = tmp_path / "own.json"
    derived(FILE, tmp_path).end().save(file)
    assert main([str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "proved under 1 hypothesis own: I(3)" in lines[0]
    assert lines[1].endswith("own assumes involution, which is not proved: H(n) * H(n) = n * I(n)")
    assert check.main([str(file)]) == 0
    alone = capsys.readouterr().out
    assert "proved under 1 hypothesis: Kron(I(3), " in alone and ", for all n" in alone


def without(text: dict[str, Any]) -> None:
    del text["under"]


def false(text: dict[str, Any]) -> None:
    text["under"]["involution"][0] = "H(n) * H(n) = I(n)"


def another(text: dict[str, Any]) -> None:
    text["under"]["involution"][0] = "F(n) * conj(F(n)) = n * I(n)"


def one_more(text: dict[str, Any]) -> None:
    text["under"]["more"] = ["F(n) * conj(F(n)) = n * I(n)", ""]


def at_fewer_sizes(text: dict[str, Any]) -> None:
    text["under"]["involution"] = ["H(4) * H(4) = 4 * I(4)", ""]


def of_a_theorem(text: dict[str, Any]) -> None:
    text["under"]["cooley-tukey"] = text["under"].pop("involution")


def as_a_text(text: dict[str, Any]) -> None:
    text["under"]["involution"] = text["under"]["involution"][0]


def as_nothing(text: dict[str, Any]) -> None:
    text["under"] = None


def at_some_sizes(text: dict[str, Any]) -> None:
    text["under"]["involution"][1] = "n >= 3"


def of_two_lines(text: dict[str, Any]) -> None:
    text["under"]["involution\nproved"] = text["under"].pop("involution")


DAMAGES = {
    without: "another equation than",
    false: "hypothesis involution is refuted: at n = 2",
    another: "another equation than",
    one_more: "another equation than",
    at_fewer_sizes: "another equation than",
    of_two_lines: "is not a text of one line",
    of_a_theorem: "cooley-tukey is the name of a theorem: a hypothesis has another",
    as_a_text: "under has hypotheses, each an equation and its conditions",
    as_nothing: "under has hypotheses, each an equation and its conditions",
    at_some_sizes: "holds for some sizes only, n >= 3",
}


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__)
def test_a_certificate_that_states_another_hypothesis_is_refused(damage: Callable[..., None]):
    d = nw.Derivation("H(n) * H(n)")
    d.assume("involution", "H(n) * H(n) = n * I(n)")
    d.apply("involution")
    text = json.loads(json.dumps(d.end().certificate))
    assert "assumes involution" in said(text)[1]
    damage(text)
    with pytest.raises(Refused, match=DAMAGES[damage]):
        said(text)


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(
    ("equation", "why"),
    [
        ("sum(k < n, (0*I(2^n))^k) = I(2^n)", "h is not defined for all sizes"),
        ("inv(perm(j < n, 2*j)) * perm(j < n, 2*j) = I(n)", "h is not defined for all sizes"),
        ("sqrt(n/2) * F(n)^2 = sqrt(n/2) * F(n)^2", "h is not defined for all sizes"),
        (
            "sum(k < n, (0*I(2))^k) = I(2)",
            "h has a sum of n terms, where the kernel also allows none",
        ),
    ],
)
def test_a_hypothesis_assumes_nothing_where_its_equation_says_nothing(equation, why):
    """The first, at n = 0 in the kernel, is 0 = I(1)."""
    with pytest.raises(ValueError, match=f"hypothesis {why}"):
        assumed("h", equation)
    assert assumed("h", "sum(k < n+1, (0*I(2^n))^k) = I(2^n)").hypotheses
