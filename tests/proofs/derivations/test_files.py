"""The derivations that come as files: each is proved for all sizes, and its certificate replays
under its own name.
"""

from __future__ import annotations

import json

import pytest

import nodewright as nw
from nodewright.api.derivation_calls import built_in
from nodewright.api.proofs import OwnProof
from proofs.kernel.sealed import Refused
from proofs.replay.certificate_steps import said
from tests.support.paths import ROOT

FILES = sorted((ROOT / "nodewright" / "derivations").glob("*.derivation"))


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_is_proved_and_its_certificate_replays_under_its_name(file):
    derivation = nw.Derivation.read(file)
    proof = derivation.end()
    assert proof.kind == "proved"
    (line,) = said(proof.certificate)
    assert line.startswith(f"proved {file.stem}: {derivation.equation}")


def test_the_page_has_every_file():
    page = (ROOT / "docs" / "how-to" / "derivation.md").read_text(encoding="utf-8")
    rows = {
        row.split("]")[0].removeprefix("| [") for row in page.splitlines() if row.startswith("| [")
    }
    assert rows == {file.stem for file in FILES}


def test_a_derivation_that_comes_with_the_package_runs_by_its_name(nodewright, tmp_path):
    certificate = tmp_path / "four-step.json"
    code, out, _ = nodewright("derive", "four-step", "--certificate", certificate)
    assert code == 0 and "proved for all sizes: F(r*s) = F(r) (x) I(s)" in out
    assert said(json.loads(certificate.read_text("utf-8")))[0].startswith("proved four-step: ")
    assert not built_in().keys() & set(nw.theorems())


def test_the_four_forms_are_four():
    names = "decimation-in-time", "decimation-in-frequency", "four-step", "six-step"
    found = [nw.Derivation.read(name) for name in names]
    assert {one.equation.partition(" = ")[0] for one in found} == {"F(r*s)"}
    assert len({one.formula for one in found}) == 4


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_without_its_last_step_ends_elsewhere(file, tmp_path):
    lines = file.read_text(encoding="utf-8").splitlines()
    steps = [i for i, line in enumerate(lines) if line.startswith("apply")]
    damaged = tmp_path / file.name
    shorter = [line for i, line in enumerate(lines) if i != steps[-1]]
    shorter[-1] = f"end {nw.Derivation.read(file).formula}"
    damaged.write_text("\n".join(shorter), encoding="utf-8")
    with pytest.raises(ValueError, match=f"line {len(shorter)}: end must give the last formula"):
        nw.Derivation.read(damaged)


@pytest.fixture(scope="module")
def proof() -> OwnProof:
    return nw.Derivation.read("six-step").end()


def refused(certificate: dict[str, object], why: str) -> None:
    with pytest.raises(Refused, match=why):
        said(certificate)


def test_a_certificate_for_another_equation_is_refused(proof):
    other = "F(r*s) = L(r*s, s) * I(s) (x) F(r) * L(r*s, s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)"
    refused(proof.certificate | {"equation": other}, "another equation than F.* is proved")
    refused(proof.certificate | {"equation": "F("}, "not an equation")
    refused(proof.certificate | {"equation": 3}, "equation is a text of one line")


def test_a_certificate_without_its_equation_is_refused(proof):
    without = {key: value for key, value in proof.certificate.items() if key != "equation"}
    refused(without, "six-step is neither the name of a theorem nor an equation")


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", ["bsp-2.8", "cooley-tukey", "cormen-completeness"])
def test_the_name_of_a_theorem_is_refused(proof, name):
    known = nw.theorems()
    name = name if name in known else next(reversed(known))
    refused(proof.certificate | {"name": name}, f"{name} is the name of a theorem")
    derivation = nw.Derivation("F(r*s)")
    derivation.apply("cooley-tukey", r="r")
    with pytest.raises(ValueError, match=f"{name} is the name of a theorem"):
        derivation.end(name).replayable()


@pytest.mark.long
def test_a_certificate_has_the_name_that_is_stated():
    derivation = nw.Derivation("F(r*s)")
    derivation.apply("cooley-tukey", r="r")
    assert derivation.end("mine").certificate["name"] == "mine"
    unnamed = json.loads(derivation.end().replayable())
    assert unnamed["name"] == "derivation"
    assert said(unnamed)[0].startswith(f"proved derivation: {derivation.equation}")


def test_a_program_is_made_of_what_a_derivation_ends_in():
    derivation = nw.Derivation.read("bsp-two-phases")
    program = nw.program(derivation, 2**10, 4, p=4, e=64, input="cyclic", output="cyclic")
    assert (program.cost().exchanges, program.cost().words) == (1, 192)
    with pytest.raises(ValueError, match="e has no value"):
        nw.program(derivation, 2**10, 4, p=4)


def test_the_derivation_before_a_wrong_line_stays(tmp_path):
    file = tmp_path / "own.derivation"
    steps = "start F(r*s)\napply six-step with r=r\n"
    file.write_text(f"{steps}apply no-rule\nend\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 3: unknown rule") as wrong:
        nw.Derivation.read(file)
    assert wrong.value.so_far.steps == ("six-step with r=r, s=s",)
    assert wrong.value.so_far.end().certificate["name"] == "own"
    file.write_text("start F(\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1") as wrong:
        nw.Derivation.read(file)
    assert wrong.value.so_far is None


def test_a_file_that_is_no_utf_8_is_one_error_with_the_line_and_the_byte(tmp_path):
    file = tmp_path / "own.derivation"
    file.write_bytes(b"start F(r*s)\napply cooley-tukey with r=r  # caf\xe9\nend\n")
    why = r"own.derivation: line 2: byte 35 of the line is 0xe9, which is not valid UTF-8$"
    with pytest.raises(ValueError, match=why):
        nw.Derivation.read(file)


def test_a_mark_before_the_text_and_lines_that_end_as_on_windows_are_read(tmp_path):
    file = tmp_path / "own.derivation"
    file.write_bytes(b"\xef\xbb\xbfstart F(r*s)\r\napply cooley-tukey with r=r\r\nend\r\n")
    assert nw.Derivation.read(file).steps == ("cooley-tukey with r=r, s=s",)


def test_square_roots_are_refused_at_the_line_of_start(tmp_path):
    file = tmp_path / "own.derivation"
    file.write_text("\nstart 1/sqrt(n) * F(n)\nend\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 2: column 8: sqrt\(n\): the kernel has no"):
        nw.Derivation.read(file)


def test_statements_stand_before_the_formula_in_python_as_in_a_file():
    derivation = nw.Derivation("A : m x m; A (x) I(n)")
    assert derivation.apply("commute") == "L(m*n, m) * I(n) (x) A * L(m*n, n)"
    assert derivation.script().startswith("start A : m x m; A (x) I(n)\n")
    assert derivation.end().kind == "proved"
    with pytest.raises(ValueError, match="column 27: unknown matrix C"):
        nw.Derivation("A : m x m; A (x) I(n) (x) C")


def test_a_derivation_of_another_formula_makes_its_program():
    program = nw.program(nw.Derivation("L(8, 2)"), 8, 2)
    assert program.check().holds
    assert "L^8_2" in program.text
