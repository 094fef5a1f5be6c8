"""Derivations: steps that the kernel proves, what does not apply, and scripts."""

from __future__ import annotations

import json
import re

import pytest

import nodewright as nw
from proofs.derivations.script import read_script
from proofs.replay.steps import replay, said

SIX_STEP = """
# Bailey's six-step transform from Cooley and Tukey's
start F(r*s)
apply cooley-tukey with r=r
apply commute at 1 with m=r
end L(r*s, r) * I(s) (x) F(r) * L(r*s, s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)
"""
TWO_LEVELS = """
start F(2^n) where n >= 2
apply cooley-tukey with r=2
apply cooley-tukey at 3.2 with r=2
apply product-beside at 3
end
"""
BY_LEMMA = """
start L(r*s*t, r) * L(r*s*t, s) * F(r*s*t)
lemma two-shuffles: L(a*b*c, a) * L(a*b*c, b) = L(a*b*c, a*b)
apply two-shuffles at 1-2 with a=r, b=s
end L(r*s*t, r*s) * F(r*s*t)
"""


@pytest.mark.parametrize("text", [SIX_STEP, TWO_LEVELS, BY_LEMMA])
def test_a_script_is_a_theorem_whose_certificate_replays(tmp_path, text):
    (tmp_path / "own.derivation").write_text(text, encoding="utf-8")
    found = nw.Derivation.read(tmp_path / "own.derivation")
    proof = found.end()
    assert proof.kind == "proved"
    proof.save(tmp_path / "own.json")
    kept = json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))
    again, known = replay(kept), proof.answer.theorem
    assert said(kept)
    assert (again.left, again.right) == (known.left, known.right)
    assert not again.hypotheses
    assert read_script(found.script()).formula == found._engine.formula
    assert "\\begin{document}" in proof.to_latex()


def test_undo_takes_the_last_step_back():
    d = nw.Derivation("F(2*m)")
    before = d.formula
    d.apply("cooley-tukey", r=2)
    assert d.undo() == before
    with pytest.raises(ValueError, match="no step to undo"):
        d.undo()


def test_every_rule_that_applies_can_be_applied():
    d = nw.Derivation("F(2) (x) I(4) * L(8, 2)")
    for use, formula in d.rules():
        words = use.split(" with ")
        name, _, place = words[0].partition(" at ")
        letters = dict(one.split("=") for one in words[1].split(", ")) if words[1:] else {}
        assert d.apply(name, place, **letters) == formula
        d.undo()


REFUSED = {
    "apply shuffle-1": "line 2: shuffle-1 does not apply there: L(n, 1) is not F(r*s); the formula",
    "apply cooley-tukey": "line 2: cooley-tukey applies there in 2 ways: state with r=s, s=r",
    "apply cooley-tukey at 2": "line 2: place 2: F(r*s) at the top has 0 parts",
    "apply cooley-tukey at x": "line 2: a step is written apply RULE at PLACE with r=2, s=4",
    "apply cooley-tukey with q=2": "line 2: cooley-tukey has no letter q: its letters are r, s",
    "apply cooley-tukey with r=z": "line 2: r=z: 'z' is no symbol of the formula",
    "apply nothing": "line 2: unknown rule 'nothing': the rules are cooley-tukey",
    "lemma false: F(a) = I(a)": "line 2: lemma false is not proved: refuted: F(a) = I(a)",
    "lemma commute: I(a) = I(a)": "line 2: lemma commute: a rule has this name",
    "proceed": "line 2: 'proceed' is no step: a line begins with start, lemma, apply, end",
    "start F(2)": "line 2: the derivation has begun",
    "end F(s*r*1) * I(r*s)": "line 2: the last formula is another one than",
    "": "line 3: the text ends without end; the formula is F(r*s)",
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_line_that_is_wrong_is_named_with_the_formula_there(line):
    with pytest.raises(ValueError, match=re.escape(REFUSED[line])) as error:
        read_script(f"start F(r*s)\n{line}\n")
    assert "; the formula is F(r*s)" in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_a_script_begins_with_a_formula():
    with pytest.raises(ValueError, match="line 1: a derivation begins with start FORMULA"):
        read_script("apply commute")
    with pytest.raises(ValueError, match="line 1: the text ends without end"):
        read_script("")


@pytest.mark.parametrize("where", ["n <= 1", "1 = 2", "n >= 8, n <= 4"])
def test_under_conditions_that_no_size_fulfils_nothing_is_proved(where):
    d = nw.Derivation("F(n)", where)
    d.apply("cooley-tukey", r=2)
    assert d.end().kind == "undecided"


CONDITIONS = {
    "foo >= 2": "foo in where: the symbols are n",
    "n >": "is expected, not the end of the text",
    "n = 1/0": "divides by 0",
}


@pytest.mark.parametrize("where", CONDITIONS)
def test_conditions_of_other_symbols_are_refused_at_once(where):
    with pytest.raises(ValueError, match=CONDITIONS[where]):
        nw.Derivation("F(n)", where)


def test_a_lemma_keeps_its_condition_in_the_script():
    d = nw.Derivation("L(2^n, 2) * L(2^n, 2^(n-1))", "n >= 1")
    d.lemma("pair", "L(2^k,2) * L(2^k,2^(k-1)) = I(2^k)", "k >= 1")
    d.apply("pair")
    assert "lemma pair: L(2^k, 2) * L(2^k, 2^(k-1)) = I(2^k) where k >= 1" in d.script()
    assert read_script(d.script()).formula == d._engine.formula


@pytest.mark.parametrize("name", ["a b", "", "<-commute", "}$", "<script>"])
def test_names_of_lemmas_are_words(name):
    with pytest.raises(ValueError, match="a name has letters, digits, - and _"):
        nw.Derivation("F(n)").lemma(name, "I(r) (x) I(s) = I(r*s)")


def test_a_step_is_words_beside_its_formula():
    d = nw.Derivation("F(r*s)")
    d.apply("cooley-tukey", r="r")
    assert r"&& \text{cooley-tukey with r=r, s=s}" in d._repr_latex_()


def test_a_step_under_a_condition_is_proved_under_it():
    d = nw.Derivation("F(2^n)", where="n >= 1")
    d.apply("cooley-tukey", r=2)
    assert d.end().to_dict()["where"] == "n >= 1"
