"""The command derive with files of one's own."""

from __future__ import annotations

import json

import pytest

from nodewright.api.derivation_calls import Derivation, built_in, rules

SCRIPT = "start F(r*s)\napply cooley-tukey with r=r\nend\n"


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "own.derivation"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def test_a_file_is_derived_line_by_line(nodewright, script):
    code, out, _ = nodewright("derive", script)
    lines = out.splitlines()
    assert (code, lines[0]) == (0, "  F(r*s)")
    assert lines[1].endswith("[cooley-tukey with r=r, s=s]")
    assert lines[2].startswith("proved for all sizes: F(r*s) = ")


def test_its_certificate_replays(nodewright, script, tmp_path):
    code, _, _ = nodewright("derive", script, "--certificate", tmp_path / "own.json")
    kept = json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))
    assert (code, kept["name"], kept["equation"]) == (
        0,
        "own",
        "F(r*s) = F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)",
    )


def test_json_has_the_steps_beside_those_of_a_theorem(nodewright, script):
    code, out, _ = nodewright("derive", script, "cooley-tukey", "--json")
    own, known = json.loads(out)["derivations"]
    assert (code, own["verdict"], known["name"]) == (0, "proved", "cooley-tukey")
    (step,) = own["arguments"][0]["chains"][0]["steps"]
    assert step["reason"] == "cooley-tukey with r=r, s=s"


def test_a_wrong_line_is_one_error_with_the_file_and_the_line(nodewright, script):
    script.write_text(SCRIPT.replace("cooley-tukey", "shuffle-1"), encoding="utf-8")
    code, out, err = nodewright("derive", script)
    assert (code, out, len(err.splitlines())) == (2, "  F(r*s)\n", 1)
    assert "own.derivation: line 2: " in err
    assert "; the formula is F(r*s)" in err


def test_what_is_derived_before_a_wrong_line_is_printed(nodewright, script, tmp_path):
    wrong = tmp_path / "wrong.derivation"
    wrong.write_text(SCRIPT.replace("end", "apply commute at 1 wiht m=r\nend"), encoding="utf-8")
    code, out, err = nodewright("derive", script, wrong, "--certificate", tmp_path / "c")
    assert (code, out, "it is for one file" in err) == (2, "", True)
    code, out, err = nodewright("derive", script, wrong, "--latex", tmp_path / "latex")
    lines = out.splitlines()
    assert (code, lines[:2], len(err.splitlines())) == (2, lines[3:5], 1)
    assert lines[2].startswith("proved for all sizes: F(r*s) = F(r) (x) I(s) * ")
    assert lines[5:] == [lines[2].replace("proved for all sizes:", "proved for all sizes so far:")]
    assert "wrong.derivation: line 3: expected with or the end" in err
    assert ", got 'wiht', perhaps with; " in err
    assert err.endswith("; the formula is F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)\n")
    assert not (tmp_path / "latex").exists()
    code, out, _ = nodewright("derive", script, wrong, "--json")
    assert (code, *json.loads(out)) == (2, "error")


def test_a_derivation_that_is_checked_alone_is_printed_and_has_no_certificate(nodewright, script):
    script.write_text("start F(5)\napply rader with g=2\nend\n", encoding="utf-8")
    plain = nodewright("derive", script)
    assert (plain[0], plain[1].splitlines()[2][:14], plain[2]) == (0, "checked: F(5) ", "")
    kept = [script.with_suffix(f".{kind}") for kind in ("json", "tex")]
    asked = ["--certificate", kept[0], "--latex", kept[1]]
    code, out, err = nodewright("derive", script, *asked)
    why = f"is checked, not proved: nothing is written to {kept[0]}, {kept[1]}"
    assert (code, out, err) == (2, plain[1], f"nodewright: {script} {why}\n")
    code, out, _ = nodewright("derive", script, *asked, "--json")
    assert (code, json.loads(out)) == (2, {"error": f"{script} {why}"})
    assert not any(file.exists() for file in kept)


def test_a_derivation_that_is_undecided_ends_with_1(nodewright, script):
    script.write_text(SCRIPT.replace("\n", " where r >= 3, r <= 2\n", 1), encoding="utf-8")
    code, out, err = nodewright("derive", script)
    assert (code, out.splitlines()[-1][:10], err) == (1, "undecided:", "")


def test_a_file_of_another_name_is_told_how_names_end(nodewright, script, tmp_path):
    code, out, err = nodewright("derive", script.rename(tmp_path / "own.txt"))
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "the name of a file with a derivation ends in .derivation" in err


def test_where_one_file_is_refused_nothing_is_written_and_the_line_says_so(nodewright, tmp_path):
    files = {"coq": tmp_path / "x.v", "latex": tmp_path / "x.tex", "html": tmp_path / "x.html"}
    asked = [word for kind, file in files.items() for word in (f"--{kind}", file)]
    code, out, err = nodewright("prove", "cormen-lemma-1", *asked)
    assert (code, out) == (2, "")
    assert err == (
        "nodewright: --coq: cormen-lemma-1 is proved by block algebra, which is not written in Coq;"
        f" nothing is written to {files['latex']}, {files['html']}, {files['coq']};"
        " without --coq the others are written\n"
    )
    assert not [*tmp_path.iterdir()]


def test_its_documents_have_its_steps_and_its_name(nodewright, script, tmp_path):
    """The paper's theorem beside it stands in the same document."""
    kinds = {f"--{kind}": tmp_path / f"own.{kind}" for kind in ("latex", "html", "coq")}
    asked = [word for pair in kinds.items() for word in pair]
    code, _, err = nodewright("derive", script, "cooley-tukey", *asked, "--certificate", "c")
    assert (code, "it is for one file" in err) == (2, True)
    assert nodewright("derive", script, "cooley-tukey", *asked)[0] == 0
    texts = {kind: file.read_text(encoding="utf-8") for kind, file in kinds.items()}
    assert "by cooley-tukey" in texts["--latex"]
    assert "<title>Proofs: own, cooley-tukey</title>" in texts["--html"]
    assert texts["--html"].count("In the paper's letters") == 1
    assert "   own: F_{r s} = " in texts["--coq"]
    assert nodewright("derive", script, "--short")[0] == 2


@pytest.mark.parametrize("files", [[], ["a.derivation", "b.derivation"]])
def test_a_certificate_is_for_one_file(nodewright, tmp_path, files):
    code, _, err = nodewright("derive", *files, "--certificate", tmp_path / "c.json")
    assert code == 2
    assert "it is for one file NAME.derivation" in err
    assert not (tmp_path / "c.json").exists()


def test_a_file_is_ended_once(nodewright, script, monkeypatch):
    ended, end = [], Derivation.end
    monkeypatch.setattr(Derivation, "end", lambda one: ended.append(one) or end(one))
    assert nodewright("derive", script, "--json")[0] == 0
    assert len(ended) == 1


def test_all_rules_are_listed_where_that_is_asked_for(nodewright):
    code, out, err = nodewright("derive", "--rules")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert [line.partition(":")[0] for line in lines] == list(rules())
    assert "fourier-1: F(1) = I(1)" in lines
    code, out, err = nodewright("derive", "six-step", "--rules")
    assert (code, out) == (2, "")
    assert err == "nodewright: --rules with six-step: it lists the rules alone\n"


def test_an_unknown_name_is_answered_with_those_of_theorems_and_of_files(nodewright):
    code, out, err = nodewright("derive", "six-stepp")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    start = "nodewright: unknown derivation 'six-stepp', perhaps six-step:"
    assert err == f"{start} nodewright derive --list lists all\n"
    _, listed, _ = nodewright("derive", "--list")
    assert {*built_in(), "cooley-tukey"} <= set(listed.splitlines())
    with pytest.raises(ValueError, match="unknown derivation 'peace', perhaps pease"):
        Derivation.read("peace")
    with pytest.raises(FileNotFoundError):
        Derivation.read("peace.derivation")
