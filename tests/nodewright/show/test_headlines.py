"""The sentences in which `certify` says what it shows."""

import json

import pytest

from derive.verdict import Checked, Refuted, Undecided
from nodewright.show.headlines import LONGEST, headline, summary
from proofs.certify.certificate import Certificate
from proofs.certify.rows import AS_STATED
from tests.support.paths import ROOT

CERTIFICATES = sorted((ROOT / "generated").glob("*.cert.json"))
FFT = {"transform": "fft", "N": 1024, "P": 4, "input": "block", "output": "cyclic"}
FFT |= {"direction": "forward", "kernels": "numpy", "dtype": "complex128"}


def test_every_verdict_of_every_generated_program_is_a_sentence_of_bounded_length():
    assert CERTIFICATES
    for path in CERTIFICATES:
        found = Certificate.from_text(path.read_text(encoding="utf-8"))
        sentences = [summary(found.verdicts, found.declared)]
        sentences += [headline(*verdict, found.declared) for verdict in found.verdicts.items()]
        assert sentences[0].startswith("Certified: ")
        assert max(map(len, sentences)) <= LONGEST == 160
        assert not any("..." in sentence or "\n" in sentence for sentence in sentences)
        said = [verdict.statement for verdict in found.verdicts.values()]
        assert not {*said} & {*sentences}, f"{path.name}: a verdict has no sentence of its own"


def test_a_certified_transform_is_said_in_plain_words():
    path = ROOT / "generated" / "fft_1024_4_block.cert.json"
    found = Certificate.from_text(path.read_text(encoding="utf-8"))
    measured = f"{found.verdicts['rounding'].measured:.1e}"
    where = f"on 4 ranks, {found.declared['input']} to {found.declared['output']}"
    assert summary(found.verdicts, found.declared) == (
        f"Certified: computes the forward FFT of 1024 points {where}, exactly but for rounding"
        f" (error {measured} measured)."
    )


def test_a_refuted_transform_says_what_is_wrong_and_shows_the_counterexample():
    wrong = {"layout": Checked("..", ".."), "function": Refuted("..", "the output y_1 is 0, not 1")}
    assert summary(wrong, FFT) == "Refuted: it does not compute the forward FFT of 1024 points."
    own = {"transform": "formula", "N": 16}
    assert summary(wrong, own) == "Refuted: it does not compute its formula of 16 elements."
    assert headline("function", wrong["function"], FFT) == "the output y_1 is 0, not 1"
    assert summary({"messages": Refuted("..", "..")}, FFT).startswith("Refuted: its ranks deadlock")


@pytest.mark.parametrize(
    ("statement", "words"),
    {
        AS_STATED: "its docstring states another cost than it has.",
        "..": "it does not send what the factorization needs.",
    }.items(),
)
def test_a_wrong_line_on_the_cost_is_not_taken_for_a_wrong_exchange(statement, words):
    assert summary({"cost": Refuted(statement, "..")}, FFT) == f"Refuted: {words}"


def test_a_broken_contract_is_said_to_be_one_of_those_that_it_states():
    said = summary({"contract": Refuted("..", "transform(x, plan, out=y) does not return y")}, FFT)
    assert (
        said == "Refuted: repeated use, out or invalid arguments do not work as its contract says."
    )


def test_what_is_undecided_is_certified_only_where_a_certificate_may_leave_it_open():
    assert summary({"ran": Undecided("..", "not done")}, FFT).startswith("Certified")
    assert summary({"function": Undecided("..", "not done")}, FFT).startswith("Undecided")


@pytest.mark.parametrize("error", [0.0, 1.4e-11])
def test_the_chance_of_a_mistake_is_said(error):
    said = headline("function", Checked("..", "..", error), FFT)
    chance = "a wrong program passes with probability at most 1.4e-11"
    assert said == (
        "computes the forward FFT of 1024 points for every input"
        f" ({chance if error else 'nothing is left to chance'})."
    )


def test_a_long_counterexample_is_cut_and_the_certificate_has_it_whole():
    said = headline("function", Refuted("..", 100 * "y_1 is 0, "), FFT)
    assert len(said) == LONGEST and said.endswith("...")
    assert json.loads(json.dumps(Refuted("..", 100 * "y").to_dict()))["counterexample"] == 100 * "y"
