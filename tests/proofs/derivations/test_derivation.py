"""Derivations: steps that the kernel proves, what does not apply, and scripts."""

from __future__ import annotations

import json
import re

import pytest

import nodewright as nw
from proofs.derivations import derivation
from proofs.derivations.derivation_steps import proof_of
from proofs.derivations.rules import RADER, rule
from proofs.derivations.script import WrongLine, read_script, written_script
from proofs.replay.certificate_steps import replay, said

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
RADER_AT_5 = re.sub(r"\bg\b", "2", re.sub(r"\bp\b", "5", RADER))
BY_LEMMA = """
start L(r*s*t, r) * L(r*s*t, s) * F(r*s*t)
lemma two-shuffles: L(a*b*c, a) * L(a*b*c, b) = L(a*b*c, a*b)
apply two-shuffles at 1-2 with a=r, b=s
end L(r*s*t, r*s) * F(r*s*t)
"""


@pytest.mark.sampled(2)
@pytest.mark.long
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


@pytest.mark.sampled(2)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(
    "formula",
    [
        "F(2) (x) I(4) * L(8, 2)",
        "F(n)",
        "F(2^n) (x) I(r)",
        "transpose(F(r*s) (x) L(r*s, r))",
        "(A(4, 8) (+) I(8)) * R(16)",
    ],
)
def test_every_rule_that_applies_can_be_applied(formula):
    d = nw.Derivation(formula)
    assert d.rules() or "(+)" in formula
    for use, formula in d.rules():
        words = use.split(" with ")
        name, _, place = words[0].partition(" at ")
        letters = dict(one.split("=") for one in words[1].split(", ")) if words[1:] else {}
        assert d.apply(name, place, **letters) == formula
        d.undo()


REFUSED = {
    "apply shuffle-1": "line 2: shuffle-1 does not apply there: F(r*s) does not match L(n, 1); the",
    "apply cooley-tukey": "line 2: cooley-tukey applies there in 2 ways: add with r=s, s=r",
    "apply cooley-tukey at 2": "line 2: place 2: F(r*s) at the top has 0 parts",
    "apply cooley-tukey at x": "line 2: place 'x': places are numbers from 1 with dots",
    "apply cooley-tukey wiht r=r": "line 2: expected at, with or the end of the line"
    " after cooley-tukey, got 'wiht', perhaps with;",
    "apply cooley-tukey at 1 wih r=r": "line 2: expected with or the end of the line"
    " after 1, got 'wih', perhaps with;",
    "apply cooley-tukey twice": "line 2: expected at, with or the end of the line after cooley",
    "apply cooley-tukey at": "line 2: 'at' needs a place: a step is written apply RULE at",
    "apply cooley-tukey with": "line 2: 'with' needs a letter and its value: a step is",
    "apply": "line 2: apply needs the name of a rule: a step is written apply RULE at PLACE",
    "lemma one: F(n) = F(n) wehre n >= 2": "unknown matrix wehre, perhaps where: the matrices",
    "aply commute": "line 2: 'aply' is not a step, perhaps apply: a line starts with start, lemma",
    "apply cooley-tukey with q=2": "line 2: cooley-tukey has no letter q: its letters are r, s",
    "apply cooley-tukey with r=z": "line 2: r=z: 'z' is not a symbol of the formula",
    "apply comute": "line 2: unknown rule 'comute', perhaps commute: nodewright derive --rules",
    "apply nothing": "line 2: unknown rule 'nothing': nodewright derive --rules lists all",
    "lemma false: F(a) = I(a)": "line 2: lemma false is not proved: refuted: F(a) = I(a)",
    "lemma commute: I(a) = I(a)": "line 2: lemma commute: a rule has this name",
    "proceed": "line 2: 'proceed' is not a step: a line starts with start, lemma, assume, apply,",
    "start F(2)": "line 2: start is given twice",
    "end F(s*r*1) * I(r*s)": "line 2: end must give the last formula, got F(s*r*1)",
    "": "line 3: the last line must be 'end'; the formula is F(r*s)",
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_line_that_is_wrong_is_named_with_the_formula_there(line):
    with pytest.raises(ValueError, match=re.escape(REFUSED[line])) as error:
        read_script(f"start F(r*s)\n{line}\n")
    assert "; the formula is F(r*s)" in str(error.value)
    assert len(str(error.value).splitlines()) == 1


MISTAKEN = {
    "start A : r x r; A\nlemma h: A(2,r) = A(2,r) * I(r) where r = 2*s\napply h": "A does not"
    " match A(2, 2*s): A is the built-in matrix in the rule, and r x r in the formula",
    "start let G(n) = F(n); G(r)\nlemma h: let G(n) = I(n); G(n) = I(n)\napply h": "G(r) does not"
    " match G(n): G is 'let G(n) = I(n)' in the rule, and 'let G(n) = F(n)' in the formula",
    "start A : m x n; B : n x m; transpose(A * B)\napply transpose-product": "transpose(A * B) does"
    " not match transpose(A * B): A in a rule stands for a square matrix: A is m x n: not square",
    "start A : m x m; A\nlemma h: A : n x n; A = I(n) * A\napply h": "A does not match A: A is"
    " n x n in the rule, and m x m in the formula",
    "start sum(k < n, diag(j < n, j*k/n))\nlemma h: sum(k < m, diag(j < m, j*k/m))"
    " = sum(k < m, diag(j < m, j*k/m)) * I(m)\napply h": "): a sum must have the same sizes in"
    " the rule and in the formula",
}
"""Scripts whose last line fails though the letters agree, and why."""


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("script", MISTAKEN)
def test_a_name_that_stands_for_two_things_is_named_where_a_rule_does_not_apply(script):
    with pytest.raises(ValueError, match=re.escape(MISTAKEN[script])):
        read_script(script)


def test_a_script_begins_with_a_formula():
    with pytest.raises(ValueError, match="line 1: the first line must be start FORMULA"):
        read_script("apply commute")
    with pytest.raises(
        ValueError, match="line 1: 'strat' is not a step, perhaps start: a line starts"
    ):
        read_script("strat F(n)")
    with pytest.raises(ValueError, match="line 1: the last line must be 'end'"):
        read_script("")


@pytest.mark.parametrize("where", ["n <= 1", "1 = 2", "n >= 8, n <= 4"])
def test_under_conditions_that_no_size_fulfils_nothing_is_proved(where):
    d = nw.Derivation("F(n)", where)
    d.apply("cooley-tukey", r=2)
    assert d.end().kind == "undecided"


CONDITIONS = {
    "foo >= 2": "where: unknown symbol foo; the symbols of the equation are n",
    "n >": "got the end of the formula",
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


@pytest.mark.long
def test_the_error_of_a_refused_equation_has_its_counterexample():
    d, seen = nw.Derivation("F(n)"), "at n = 3: entry (1, 1) is 0 on the left and 3 on the right"
    for state in (d.lemma, d.assume):
        with pytest.raises(ValueError, match="refuted") as caught:
            state("square", "F(n) * F(n) = n * I(n)")
        assert caught.value.counterexample == seen
    with pytest.raises(ValueError, match=r"line 2: .* the formula is F") as caught:
        read_script("start F(n)\nlemma square: F(n) * F(n) = n * I(n)\nend")
    assert caught.value.counterexample == seen
    with pytest.raises(ValueError, match="undecided") as caught:
        d.lemma("shift", "perm(j < m*n, j+n)^m = I(m*n)")
    assert caught.value.counterexample is None


@pytest.mark.parametrize("name", ["a b", "", "<-commute", "}$", "<script>"])
def test_names_of_lemmas_are_words(name):
    with pytest.raises(ValueError, match="a name has letters, digits, - and _"):
        nw.Derivation("F(n)").lemma(name, "I(r) (x) I(s) = I(r*s)")


def test_a_step_is_words_beside_its_formula():
    d = nw.Derivation("F(r*s)")
    d.apply("cooley-tukey", r="r")
    assert r"&& \text{by cooley-tukey, r = r, s = s}" in d._repr_latex_()


def test_a_step_under_a_condition_is_proved_under_it():
    d = nw.Derivation("F(2^n)", where="n >= 1")
    d.apply("cooley-tukey", r=2)
    assert d.end().to_dict()["where"] == "n >= 1"


def test_a_use_that_the_kernel_does_not_prove_is_not_listed(monkeypatch):
    wrong = {"wrong": rule("wrong", "L(r*s, r) = L(r*s, s)")}
    monkeypatch.setattr(derivation, "rules", lambda: wrong)
    d = nw.Derivation("F(16) * L(16, 2)")
    with pytest.raises(ValueError, match="not proved"):
        d.apply("wrong", at=2)
    assert d.rules() == []


def test_letters_that_the_formula_leaves_open_are_named():
    complaint = (
        r"F\(n\) does not match F\(r\*s\); give the values of its letters, such as with r=2, s=n/2"
    )
    with pytest.raises(ValueError, match=complaint):
        nw.Derivation("F(n)").apply("cooley-tukey")
    assert "cooley-tukey with r=2, s=n/2" in dict(nw.Derivation("F(n)").rules())


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda d: d.apply("coley-tukey"), "unknown rule 'coley-tukey', perhaps cooley-tukey"),
        (lambda d: d.apply(3), "rule must be a string; got 3"),
        (lambda d: d.apply("commute", at=1.5), "at must be an integer; got 1.5"),
        (lambda d: d.apply("cooley-tukey", r=2.5), "r=2.5: column 2: '.' has no meaning"),
        (lambda d: d.rules(at=7), "place 7: .* has 5 parts"),
        (lambda d: d.lemma(1, "F(n) = F(n)"), "name must be a string; got 1"),
        (lambda d: d.lemma("a", 2), "an equation must be a string .*; got 2"),
        (lambda d: d.save(3), "a file must be a string or a path; got 3"),
        (lambda d: nw.Derivation(6), "start must be a string; got 6"),
        (lambda d: nw.Derivation("F(n)", 3), "where must be a string; got 3"),
        (lambda d: nw.Derivation.read(3), "a file must be a string or a path; got 3"),
    ],
)
def test_arguments_of_a_wrong_kind_are_refused(call, complaint):
    d = nw.Derivation("F(r) (x) I(s) * T(r*s, s) * L(r*s, r) * L(r*s, s) * J(r*s)")
    with pytest.raises(ValueError, match=complaint) as error:
        call(d)
    assert len(str(error.value).splitlines()) == 1


def test_a_place_is_also_a_number_and_a_start_a_formula():
    d = nw.Derivation(nw.kron(nw.F(6), nw.I(2)) @ nw.L(12, 2))
    assert d.formula == "F(6) (x) I(2) * L(12, 2)"
    assert d.rules(at=1) == d.rules(at="1")
    assert d.apply("commute", at=1).startswith("L(12, 6) * I(2) (x) F(6)")


def test_a_lemma_under_an_equation_of_sizes_is_used_by_the_letters_of_the_condition():
    d = nw.Derivation("L(8*m, 4) * L(8*m, 2*m) * F(8*m)")
    d.lemma("pair", "L(N, r) * L(N, s) = I(N)", "N = r*s")
    assert d.apply("pair", at="1-2", r=4) == "I(8*m) * F(8*m)"
    d.lemma("halves", "I(N) = I(2) (x) I(M)", "N = 2*M")
    assert d.apply("halves", at=1) == "I(2) (x) I(4*m) * F(8*m)"
    assert d.apply("<-halves", at=1) == "I(8*m) * F(8*m)"
    assert "lemma pair: L(N, r) * L(N, s) = I(N) where N = r*s" in d.script()
    assert read_script(d.script()).formula == d._engine.formula
    assert d.end().kind == "proved"


def test_each_step_is_proved_once(monkeypatch):
    proofs = []
    monkeypatch.setattr(
        derivation, "proof_of", lambda *words: proofs.append(words) or proof_of(*words)
    )
    d = nw.Derivation("F(n)")
    d.apply("cooley-tukey", r=2)
    d.apply("cooley-tukey", at="3.2", r=2)
    d.apply("product-beside", at=3)
    assert len(proofs) == 3
    proof = d.end()
    assert len(proofs) == 3
    assert proof.statement.endswith(", where 4 divides n")
    assert replay(proof.certificate).left == proof.answer.theorem.left


def test_a_derivation_that_goes_on_leaves_its_proof_as_it_was():
    d = nw.Derivation("F(r*s)")
    d.apply("cooley-tukey", r="r")
    proof = d.end()
    d.apply("commute", at=1)
    assert len(proof.steps) == 1
    assert len(d.end().steps) == 2


@pytest.mark.long
def test_documents_show_each_step_with_its_rule():
    d = nw.Derivation("L(r*s*t, r) * L(r*s*t, s) * F(r*s*t)")
    d.lemma("two-shuffles", "L(a*b*c, a) * L(a*b*c, b) = L(a*b*c, a*b)")
    d.apply("two-shuffles", at="1-2", a="r", b="s")
    d.apply("cooley-tukey", at=2, r="r")
    d.apply("<-cooley-tukey", at="2-5")
    proof = d.end()
    reasons = [step.reason for step in proof.steps[:3]]
    assert reasons == [
        "by two-shuffles at 1-2, a = r, b = s, c = t",
        "by cooley-tukey at 2, r = r, s = s t",
        "by cooley-tukey from right to left at 2-5, r = r, s = s t",
    ]
    for text in (proof.to_html(), proof.to_latex()):
        assert all(reason.partition(",")[0] in text for reason in reasons)
        lemma = "<h3>Lemma two-shuffles" if "<html" in text else r"\begin{lemma}[two-shuffles]"
        assert text.index("by path sums") > text.index(lemma)
        assert "The rules are two-shuffles, L" in text


def test_a_notebook_shows_all_steps_in_mathematics_with_their_rules():
    d = nw.Derivation("F(2) (x) I(4)")
    for _ in range(15):
        d.apply("commute", m=2)
        d.apply("<-commute")
    for shown in (d._repr_html_(), d._repr_latex_()):
        assert shown.count("by commute,") == shown.count("by commute from right to left,") == 15
    assert r"F_{2} \otimes I_{4}" in d.to_latex()
    assert "F<sub>2</sub> ⊗ I<sub>4</sub>" in d._repr_html_()


def test_an_error_after_a_step_names_the_place_of_the_step():
    d = nw.Derivation("F(3) (x) I(2) * prod(k, 1, n, L(6, 2))")
    d.lemma("split", "prod(k, 1, n, L(6, 2)) = prod(k, 1, n-1, L(6, 2)) * L(6, 2)", "n >= 1")
    d.apply("commute", at=1, m=3)
    with pytest.raises(ValueError, match=r"^split at 4 with n=n: not proved: the product runs"):
        d.apply("split", at=4)


@pytest.mark.parametrize(
    ("start", "at", "lemma"),
    [
        ("let G(n) = F(n); F(2) * G(2)", "1", "let G(n) = H(n); F(2) = G(2)"),
        ("let G(k) = F(k); G(2) * F(2)", "2", "G : 2 x 2; F(2) = F(2) * (I(2) + G - G)"),
        ("prod(A, 1, 2, F(2)) * F(2)", "2", "A : 2 x 2; F(2) = F(2) * (I(2) + A - A)"),
    ],
)
def test_a_step_does_not_make_two_things_of_one_name(start: str, at: str, lemma: str):
    d = nw.Derivation(start)
    d.lemma("own", lemma)
    with pytest.raises(ValueError, match=r"[GA] stands for two things: rename one of them"):
        d.apply("own", at=at)
    assert not [use for use in d.rules(at) if str(use).startswith("own ")]


def test_a_formula_without_terms_in_the_kernel_is_said_to_be_one():
    with pytest.raises(ValueError, match=r"2\^n\+1 is not a product of powers"):
        nw.Derivation("J(2^n+1)").rules()


@pytest.mark.long
@pytest.mark.parametrize("text", ["(F(m) (+) F(n)) * I(m+n)", "(F(2*n) (+) F(3*n)) * F(5*n)"])
def test_rules_are_listed_where_a_direct_sum_has_blocks_of_any_sizes(text: str):
    assert any("bluestein at 1.1 " in str(use) for use in nw.Derivation(text).rules())


@pytest.mark.long
def test_what_is_derived_by_rader_is_proved_under_what_is_checked(tmp_path):
    d = nw.Derivation("F(5*s)")
    d.apply("cooley-tukey", r=5)
    d.apply("rader", at="1.1", g=2)
    proof, file = d.end(), tmp_path / "rader.json"
    proof.save(file)
    assert proof.kind == "proved" and ", given F(5) = " in proof.statement
    found = json.loads(file.read_text(encoding="utf-8"))
    assert len(found["steps"][found["theorem"]]["hypotheses"]) == 1
    assert "under 1 hypothesis" in said(found)[0]
    for given in ([], ["F(5) = F(5)"], [found["given"][0].replace("0 * I", "1 * I")]):
        with pytest.raises(ValueError, match=r"is proved|is refuted|not every entry"):
            said({**found, "given": given})


def test_an_equation_that_is_its_own_assumption_is_checked_and_not_proved():
    d = nw.Derivation("F(5)")
    d.apply("rader", g=2)
    proof = d.end()
    assert proof.kind == "checked" and "given" not in str(proof) and "all sizes" not in str(proof)
    with pytest.raises(ValueError, match="is not proved: checked"):
        proof.replayable()


@pytest.mark.long
def test_an_equation_of_numbers_that_is_checked_is_a_lemma():
    d = nw.Derivation("F(n) (x) F(5)")
    d.lemma("five", RADER_AT_5)
    d.apply("five", at="2")
    assert ", which is checked" in d.end().statement
    with pytest.raises(ValueError, match="lemma six is not proved: refuted"):
        d.lemma("six", RADER_AT_5.replace("0 * I", "1 * I"))


@pytest.mark.parametrize(
    ("start", "g", "complaint"),
    [
        ("F(p)", 2, "rader with g=2, p=p: .* has symbols"),
        ("F(7)", 2, "rader with g=2, p=7: powers.7, 2.: the powers of 2 modulo 7 are 3 of 1 to 6"),
        ("F(9)", 2, "a generator modulo a prime has them all"),
    ],
)
def test_rader_is_refused_where_it_does_not_hold(start, g, complaint):
    d = nw.Derivation(start)
    with pytest.raises(ValueError, match=complaint):
        d.apply("rader", g=g)
    assert d.formula == start


@pytest.mark.long
def test_a_lemma_may_lead_to_a_definition_of_ones_own():
    d = nw.Derivation("F(2^n)")
    own = "let G(n) = B(2^n) * I(2) (x) G(n-1) * L(2^n,2), G(0) = I(1); "
    d.lemma("stages", f"{own}F(2^n) = G(n)")
    assert ("stages with n=n", "G(n)") in d.rules()
    assert d.apply("stages") == "G(n)"
    assert nw.equation(d.equation) == nw.equation(f"{own}F(2^n) = G(n)")
    assert d.end().kind == "proved"
    assert read_script(d.script()).sides == nw.equation(d.equation)


@pytest.mark.parametrize(
    ("start", "rule", "letters", "why"),
    [
        ("F(12)", "cooley-tukey", {"r": 5}, "r*s is 12, so s would be 12/5"),
        ("F(7)", "cooley-tukey", {}, "r*s is 7, which is not a product of sizes above 1"),
        ("F(2^n)", "bsp-2.5", {}, "2^(2*a+e) is 2^n: give the value of a or e"),
        ("L(8, 2) * L(8, 2)", "shuffle-inverse", {}, "s is 2, not 4"),
        ("R(1)", "bit-reversal", {}, "2^(n+1) is 1, so n would be -1"),
        ("F(2^n)", "cooley-tukey", {"r": 2, "s": 8}, "r*s is 2^n, not 16"),
        ("I(3) (x) F(2)", "commute", {"m": 2}, "m is 3, not 2"),
    ],
)
def test_a_rule_whose_sizes_do_not_fit_says_which(start, rule, letters, why):
    d = nw.Derivation(start)
    with pytest.raises(ValueError, match=f": {re.escape(why)}$"):
        d.apply(rule, **letters)


@pytest.mark.long
def test_a_file_begins_with_definitions_and_matrix_variables():
    own = "let G(n) = B(2^n) * I(2) (x) G(n-1) * L(2^n, 2), G(0) = I(1); "
    d = read_script(f"start {own}G(n)\nlemma g: {own}G(n) = F(2^n)\napply g\nend F(2^n)")
    assert str(d.end().verdict).startswith(f"proved for all sizes: {own}G(n) = F(2^n)")
    d = read_script("start A : m x m, B : n x n; A (x) B\napply commute\nend")
    again = read_script(written_script(d))
    assert again.formula == d.formula and again.start == d.start


def test_sizes_that_are_not_whole_are_refused_where_a_derivation_begins():
    with pytest.raises(ValueError, match=r"line 1: column 1: L.24, 5.: 24 is not divisible by 5"):
        read_script("start L(24, 5)\nend")


def test_factors_of_different_sizes_are_refused_in_the_words_of_the_formula():
    why = (
        "column 16: the n columns of A meet the m rows of F\\(m\\); in a product these numbers"
        " must be equal"
    )
    with pytest.raises(ValueError, match=why):
        nw.Derivation("A : m x n; A * F(m)")


def test_a_letter_that_is_no_size_is_refused():
    with pytest.raises(
        ValueError, match=r"r=0: column 1: 0 is not a size: sizes are 1, 2, 3, \.\."
    ):
        nw.Derivation("F(n)").apply("cooley-tukey", r=0)


def test_a_lemma_speaks_of_the_declared_symbols_of_the_formula() -> None:
    script = (
        "start k : size; diag(j < n, k*j) * F(n)\n"
        "lemma whole: {}diag(j < n, k*j) = I(n)\n"
        "apply whole at 1 with k=k, n=n\n"
        "end I(n) * F(n)\n"
    )
    stated = script.format("k : size; ")
    for text in (stated, script.format("")):
        found = read_script(text)
        assert found.end().verdict.kind == "proved"
        assert written_script(found) == stated
    with pytest.raises(WrongLine, match="lemma whole is not proved: refuted"):
        read_script(script.format("").replace("k : size; ", ""))
