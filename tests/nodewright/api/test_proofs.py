"""Proofs for all sizes, and documents of them."""

import json

import pytest

import nodewright as nw
from nodewright.api.proofs import derivations

TEXT = "L(r*s,r) * L(r*s,s) = I(r*s)"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (TEXT, "proved"),
        ("F(r) = I(r)", "refuted"),
        ("sqrt(5) * I(2) = sum(k < 5, diag(j < 2, k^2/5))", "checked"),
    ],
)
def test_a_proof_says_what_the_command_prints(same, text, kind):
    found = nw.prove(text)
    assert (found.kind, found.holds) == (kind, kind != "refuted")
    assert same(found.to_dict(), "prove", "--formula", text)


def test_a_proof_has_steps_with_reasons_and_writes_documents(tmp_path, nodewright):
    found = nw.prove(nw.equation(TEXT), where="r >= 2")
    assert found.steps[0].reason == "by path sums"
    files = {kind: tmp_path / f"by_command.{kind}" for kind in ("tex", "html", "json")}
    words = ("--latex", files["tex"], "--html", files["html"], "--certificate", files["json"])
    nodewright("prove", "--formula", TEXT, "--where", "r >= 2", *words)
    for kind, by_command in files.items():
        found.save(tmp_path / f"own.{kind}")
        assert (tmp_path / f"own.{kind}").read_bytes() == by_command.read_bytes()
    assert found.to_latex() == files["tex"].read_text(encoding="utf-8")
    assert found.to_html() == files["html"].read_text(encoding="utf-8")
    assert found.certificate == json.loads(files["json"].read_bytes())


def test_what_is_not_proved_has_no_proof(tmp_path):
    found = nw.prove("F(r) = I(r)")
    assert found.steps == ()
    for written in (found.to_latex, found.to_html, lambda: found.certificate):
        with pytest.raises(ValueError, match=r"F\(r\) = I\(r\) is not proved: refuted"):
            written()


@pytest.mark.parametrize("name", ["cooley-tukey", "cormen-lemma-1"])
def test_a_theorem_says_what_the_command_prints(same, name):
    found = nw.theorem(name)
    assert (found.kind, found.holds, found.name) == ("proved", True, name)
    assert found.steps
    assert same([found.to_dict()], "prove", name)


def test_a_derivation_is_what_the_command_prints(same):
    found = derivations()["bsp-lemma-1.2-2"].derivation()
    assert same({"derivations": [found]}, "derive", "bsp-lemma-1.2-2")


def test_the_theorems_are_there_by_name():
    assert {name: proof.name for name, proof in nw.theorems().items()} == {
        name: name for name in nw.theorems()
    }
    assert repr(nw.theorem("bsp-2.8")).startswith("<bsp-2.8: F_N = ")


def test_errata_say_what_the_command_prints(same):
    [found] = nw.errata(["cormen-pseudocode-1"])
    assert same([found.to_dict()], "errata", "cormen-pseudocode-1")


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: nw.theorem("no"), r"unknown theorem 'no': nodewright.theorems\(\) lists all"),
        (lambda: nw.errata(["no"]), "unknown erratum 'no'"),
        (lambda: nw.prove("F(r)"), "column 5: expected '='"),
        (lambda: nw.prove(TEXT, where="r"), "one of = >= > <= <"),
        (lambda: nw.prove(TEXT, seconds=0), "seconds must be above 0"),
    ],
)
def test_what_is_wrong_is_a_value_error_in_the_words_of_the_command(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()
