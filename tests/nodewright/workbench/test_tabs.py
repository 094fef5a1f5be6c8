"""The tabs of the workbench: what is asked for in, texts and pictures out."""

import json
import os
import re
from itertools import pairwise
from time import sleep

import numpy as np
import pytest

import nodewright as nw
from codegen.program.digits.digit_supersteps import Trade
from nodewright.api.derivation_calls import Derivation, built_in
from nodewright.show import movement
from nodewright.workbench import certificates, derivations, permutation_tab, programs
from nodewright.workbench.derivations import (
    begun,
    ended,
    moved,
    opened,
    seen,
    shown,
    stated,
    undone,
)
from nodewright.workbench.jobs import STOPPED, Worker
from proofs.certify.rows import BITS, MORE, NODES, SYSTEMS
from proofs.derivations.script import read_script


def test_a_wrong_formula_shows_its_column():
    for wrong, column in (("F(r*s", 6), ("F(4) * G(2)", 8), ("F(4) $", 6)):
        with pytest.raises(ValueError, match=f"column {column}:") as refused:
            begun(wrong)
        _, text, mark = str(refused.value).split("\n")
        assert (text, mark.index("^")) == (wrong, column - 1)
    with pytest.raises(ValueError, match=r"\nr >\n"):
        begun("F(r)", "r >")


@pytest.mark.long
def test_a_derivation_by_clicks_is_the_one_that_its_script_states(tmp_path):
    draft = begun("F(r*s)")
    for words in ("four-step with r=r, s=s", "commute at 1 with m=r, n=s"):
        assert words in [use for use, _ in shown(draft).uses]
        draft = moved(draft, f"apply {words}")
    found = ended(draft)
    script = found.documents["script"][1]
    assert found.kind == "proved"
    assert [f"apply {use}" for use in read_script(script).steps] == [*draft.lines[1:]]
    file = tmp_path / "own.derivation"
    file.write_text(script, encoding="utf-8")
    assert Derivation.read(file).formula == shown(draft).lines[-1].formula


@pytest.mark.long
@pytest.mark.parametrize("name", ["six-step", "stockham-radix-2", "good-thomas"])
def test_a_file_that_is_opened_is_the_derivation_that_it_states(name):
    file = built_in()[name]
    draft = opened(file.read_bytes())
    assert shown(draft).lines[-1].formula == Derivation.read(file).formula
    assert f"end {Derivation.read(file).formula}" in ended(draft).documents["script"][1]


def test_a_lemma_knows_what_the_first_formula_declares():
    draft = stated(begun("A : m x m; A (x) I(n)"), "own", "A = I(m) * A")
    assert "own at 1 with m=m" in {use for use, _ in shown(draft, "1").uses}


def test_a_file_that_is_wrong_or_missing_says_so():
    with pytest.raises(ValueError, match="line 1: the first line must be start"):
        opened(b"apply no-rule\nend")
    with pytest.raises(
        ValueError, match="line 1: byte 9 of the line is 0xe9, which is not valid UTF-8"
    ):
        opened(b"start # \xe9")
    with pytest.raises(ValueError, match="choose a file"):
        opened(None)


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "why"),
    [("apply no-rule", "line 3: unknown rule"), ("", "line 4: the last line must be")],
)
def test_a_file_with_a_wrong_line_opens_with_the_steps_before_it(line, why):
    draft = opened(f"start F(r*s)\napply cooley-tukey with r=r\n{line}\n".encode())
    assert draft.lines[1:] == ("apply cooley-tukey with r=r, s=s",)
    assert why in seen(draft).steps
    for later in (undone(draft), moved(draft, "apply commute at 1")):
        assert "wrong" not in seen(later).steps


@pytest.mark.long
def test_every_rule_at_a_place_makes_the_formula_that_stands_beside_it():
    draft = moved(begun("F(r*s)"), "apply cooley-tukey with r=r, s=s")
    before = shown(draft, "1")
    assert before.uses
    for words, made in before.uses:
        assert shown(moved(draft, f"apply {words}")).lines[-1].shown == made


def test_undoing_goes_back_by_one_step_and_no_further_than_the_start():
    draft = moved(begun("F(r*s)"), "apply six-step with r=r, s=s")
    assert undone(draft) == begun("F(r*s)")
    assert shown(undone(draft)) == shown(begun("F(r*s)"))
    with pytest.raises(ValueError, match="no step to undo"):
        undone(begun("F(r*s)"))


def test_a_lemma_is_a_rule_once_it_is_proved_and_a_false_one_shows_its_counterexample():
    draft = begun("F(2*n) * L(2*n, 2) * L(2*n, n)", "n >= 2")
    draft = stated(draft, "halves", "L(2*n, 2) * L(2*n, n) = I(2*n)")
    found = shown(draft)
    assert found.lemmas == ("lemma halves: L(2*n, 2) * L(2*n, n) = I(2*n)",)
    assert "halves at 2-3 with n=n" in [use for use, _ in found.uses]
    assert shown(moved(draft, "apply halves at 2-3")).lines[-1].formula == "F(2*n) * I(2*n)"
    with pytest.raises(ValueError, match=r"lemma no is not proved: refuted: .* at n = 3: entry"):
        stated(draft, "no", "F(n) = H(n)")
    with pytest.raises(ValueError, match=r"column 7: .*\nF\(n\) = \n {6}\^"):
        stated(draft, "no", "F(n) = ")


def test_a_hypothesis_stays_one_in_the_draft_and_a_false_one_shows_its_counterexample():
    script = """start H(n) * H(n)\nassume square: H(n) * H(n) = n * I(n)\napply square\nend"""
    draft = opened(script.encode())
    assert shown(draft).lemmas == ("assume square: H(n) * H(n) = n * I(n)",)
    found = ended(draft)
    assert (found.kind, "certificate" in found.documents) == ("proved under hypotheses", True)
    assert opened(found.documents["script"][1].encode()) == draft
    with pytest.raises(ValueError, match=r"hypothesis no is refuted: at n = 3: entry"):
        stated(draft, "no", "F(n) = H(n)", assumed=True)


def test_documents_have_the_name_that_is_given_or_that_of_the_file():
    for draft, name in (
        (begun("F(r*s)", "", "my own"), "my own"),
        (opened(b"start F(r*s)\nend", "mine.derivation"), "mine"),
        (begun("F(r*s)"), "derivation"),
    ):
        found = ended(draft)
        assert found.name == name.replace(" ", "-")
        assert json.loads(found.documents["certificate"][1])["name"] == name


@pytest.mark.long
def test_a_draft_after_a_refused_step_is_as_it_was():
    draft = moved(begun("F(r*s)"), "apply four-step with r=r, s=s")
    before = shown(draft)
    for words in ("commute at 9", "nothing", "commute at 1 with m=2", "four-step at"):
        with pytest.raises(ValueError, match=r"."):
            moved(draft, f"apply {words}")
    assert shown(draft) == before


@pytest.mark.long
def test_many_rules_and_steps_are_cut_and_say_so(monkeypatch):
    monkeypatch.setattr(derivations, "MOST_USES", 2)
    monkeypatch.setattr(derivations, "MOST_STEPS", 1)
    found = shown(moved(begun("F(r*s)"), "apply six-step with r=r, s=s"))
    assert len(found.uses) == 2
    assert re.fullmatch(r"first 2 of \d+", found.cut)
    assert "1 formulas before these" in found.chain


def test_formulas_are_mathml_without_a_script_or_a_network():
    made = shown(begun("prod(k, 0, n-1, I(2^k) (x) L(2^(n-k), 2))", "n >= 1"), "").lines[0].shown
    assert made.startswith("<math>")
    assert "script" not in made
    assert "http" not in made


def test_a_click_on_a_bit_and_another_one_lead_back():
    given = permutation_tab.named("shuffle", "4")
    for i in range(4):
        for j in range(5):
            found = permutation_tab.flipped(given, i, j)
            changed = [x ^ y for x, y in zip(found.columns, given.columns, strict=True)]
            assert [*changed, found.c ^ given.c] == [(j == k) << i for k in range(5)]
            assert permutation_tab.flipped(found, i, j) == given


def test_the_pictures_of_a_permutation_are_those_of_its_factorization():
    found = permutation_tab.shown(permutation_tab.named("bit-reversal", "4"), 2)
    assert [re.search("<title>bit matrix (.)", each)[1] for each in found.matrices] == [*"AVWTRΠ"]
    assert "4 messages of 1 element from every rank" in found.movement[0]
    assert (
        permutation_tab.shown(permutation_tab.named("identity", "4"), 2).movement != found.movement
    )


def test_a_singular_matrix_and_large_sizes_say_what_is_wrong():
    singular = permutation_tab.flipped(permutation_tab.named("identity", "3"), 0, 0)
    assert "rows 0 add up to zero" in permutation_tab.page(singular, 1)
    large = permutation_tab.shown(permutation_tab.named("shuffle", "40"), 10)
    assert any("not for 40" in line for line in large.words)
    assert "drawn up to 64 ranks" in large.movement[0]
    assert "up to 10 rows, not at 40" in permutation_tab.clickable(
        permutation_tab.named("shuffle", "40"), (), ()
    )
    for name, bits in (("nothing", "4"), ("shuffle", "x"), ("shuffle", "999")):
        with pytest.raises(ValueError, match=r"."):
            permutation_tab.named(name, bits)


def asked_for(system, size, ranks, input="", output="", **more):
    """Return what is typed, by the names of the options."""
    return {"system": system, "size": size, "ranks": ranks, "input": input, "output": output} | more


ASKED = {
    "fft": asked_for("fft", "64", "4"),
    "fft cyclic": asked_for("fft", "2^10", "8", "cyclic", "cyclic"),
    "hypercube-fft": asked_for("hypercube-fft", "64", "4"),
    "fht": asked_for("fht", "64", "8", output="block"),
    "rfft": asked_for("rfft", "36", "3", "cyclic-pairs"),
    "permute": asked_for("permute", "64", "4", name="gray-code"),
    "numba": asked_for("fft", "64", "4", kernels="numba"),
    "shared": asked_for("fft", "64", "4", "cyclic", "block", exchange="shared"),
    "equation": asked_for("equation", "64", "4", formula=programs.EXAMPLE, values="r=8, s=8"),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_each_superstep_marks_the_lines_that_name_its_factors(asked):
    found = programs.shown(asked)
    steps = programs.program_of(asked).lowered.steps
    inner = found.steps[1:-1]
    assert len(inner) == len(steps)
    for step, superstep in zip(steps, inner, strict=True):
        comment = found.function[superstep.lines[0]]
        assert comment.strip().startswith("# ")
        assert programs._names(comment, step) or not programs._factors(step)
        assert len(superstep.lines) > 1
    assert all("now" not in found.listing(end) for end in (0, -1))
    assert found.listing(1).count("line now") == len(inner[0].lines)


def test_a_step_marks_other_lines_than_the_step_before():
    for name in ("fft", "fft cyclic", "equation"):
        inner = programs.shown(ASKED[name]).steps[1:-1]
        assert all(a.lines.stop <= b.lines.start for a, b in pairwise(inner))


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_elements_are_followed_as_the_ranks_move_them(asked):
    """Of a permutation the numbers at the end are where the matrix says; no number is lost."""
    program = programs.program_of(asked).lowered
    numbers = movement.numbered(program.input)
    for step in program.steps:
        after = movement._after(step, numbers)
        assert sorted(after) == sorted(numbers)
        assert step.is_move or (after == numbers).all()
        numbers = after
    if asked["system"] == "permute":
        x = np.arange(program.N)
        wanted = np.empty_like(x)
        wanted[[program.equation.left.address(int(j)) for j in x]] = x
        assert (numbers[_addresses(program.output)] == wanted).all()


@pytest.mark.parametrize("program", [nw.rfft(48, 2), nw.fht("9x4", "3x1")])
def test_two_real_elements_of_one_number_stay_side_by_side(program):
    lowered = program.lowered
    numbers = movement.numbered(lowered.input)
    for step in lowered.steps:
        after = movement._after(step, numbers)
        first, second = after.reshape(-1, 2).T
        assert np.array_equal(first + 1, second)
        assert isinstance(step, Trade) == (after != numbers).any()
        numbers = after


def _addresses(layout):
    s, o = layout.place(np.arange(1 << layout.n))
    return s << layout.m | o


def test_large_programs_are_cut_and_say_so():
    found = programs.shown(asked_for("fft", "2^30", "2^10"))
    assert found.steps[1].elements == (f"N = {2**30}: elements are drawn up to N = {2**20}",)
    assert found.steps[1].flow == "P = 1024: drawn up to 256 ranks"
    assert "L<sup>1073741824</sup>" in found.steps[1].words
    assert "first 16 of 128 offsets" in programs.shown(ASKED["fft cyclic"]).steps[1].elements[0]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (asked_for("fht", "1000", "3"), "3 ranks must divide 1000 elements"),
        (asked_for("fft", "x", "4"), "size must be a positive integer"),
        (asked_for("fft", "64", "4", "nowhere"), "unknown layout 'nowhere'"),
        (asked_for("wht", "64", "4", "cyclc"), "unknown layout 'cyclc', perhaps cyclic"),
        (asked_for("permute", "64", "4", name="none"), "unknown permutation 'none'"),
        (asked_for("equation", "64", "4", formula="F(N) = F(r"), r"column 11: .*\n.*\n {10}\^"),
        (asked_for("equation", "64", "4", formula="F(N) = I(N)"), "refuted: .* wrong factor: I_64"),
    ],
)
def test_a_program_that_there_is_not_is_refused_in_words(asked, why):
    with pytest.raises(ValueError, match=why):
        programs.shown(asked)


def test_every_verdict_has_a_meaning():
    names = {name for each in SYSTEMS.values() for name in each.verdicts} | {MORE, BITS, NODES}
    assert certificates.MEANINGS.keys() == names


@pytest.mark.long
def test_a_certificate_shows_its_verdicts_and_what_stays_assumed():
    told = []
    text = programs.program_of(asked_for("fft", "16", "2")).text
    found = certificates.certified("fft.py", text, told.append)
    assert found.holds
    assert told[0] == "layout"
    assert "numpy (including np.fft), Python and MPI behave as specified" in found.page
    for name in SYSTEMS["fft"].verdicts:
        assert f"<b>{name}</b>" in found.verdicts
    wrong = certificates.certified("fft.py", text.replace("SIGN = -1", "SIGN = 1"))
    assert not wrong.holds
    assert "refuted" in wrong.verdicts
    assert found.file == "fft.cert.json"
    with pytest.raises(ValueError, match=r"^a\.py cannot be loaded as a node program"):
        certificates.certified("a.py", "print(1)")


@pytest.mark.long
def test_work_in_a_process_of_its_own_ends_when_it_is_stopped():
    worker = Worker()
    first = worker.ask(begun, "F(r*s)")
    assert first.wait(60).value == begun("F(r*s)")
    task = worker.ask(sleep, 60)
    assert not task.wait(0.2).done
    process = worker._process
    worker.stop()
    assert task.problem == STOPPED
    assert process.wait(10) != 0
    with pytest.raises(ValueError, match="column 3"):
        _ = worker.ask(begun, "F(").wait(60).value
    worker.stop()


@pytest.mark.long
def test_a_new_call_takes_the_place_of_the_one_before():
    worker = Worker()
    slow = worker.ask(sleep, 60)
    assert worker.ask(divmod, 7, 2).wait(60).value == (3, 1)
    assert slow.problem == STOPPED
    worker.stop()


def test_a_process_that_has_ended_is_started_anew():
    worker = Worker()
    assert worker.ask(divmod, 7, 2).wait(60).value == (3, 1)
    worker._process.kill()
    worker._process.wait()
    assert worker.ask(divmod, 9, 2).wait(60).value == (4, 1)
    task = worker.ask(os._exit, 3)
    assert task.wait(60).problem == "the process that worked on this has ended"
    worker.stop()


@pytest.mark.long
def test_a_lemma_with_a_definition_of_ones_own_is_shown():
    own = "let G(n) = B(2^n) * I(2) (x) G(n-1) * L(2^n,2), G(0) = I(1); F(2^n) = G(n)"
    draft = moved(stated(begun("F(2^n)"), "stages", own), "apply stages with n=n")
    assert shown(draft).lines[-1].formula == "G(n)"
    assert "<mi>G</mi>" in shown(draft).here
    assert ended(draft).kind == "proved"


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(
    ("script", "last"),
    [
        (
            "start A : m x m, B : n x n; A (x) B\napply commute\nend",
            "L(m*n, m) * B (x) A * L(m*n, n)",
        ),
        (
            "start let G(n) = F(2^n); G(n) (x) I(2)\napply second-then-first\nend",
            "I(2^n) (x) I(2) * G(n) (x) I(2)",
        ),
    ],
)
def test_statements_before_the_first_formula_stay_in_the_draft(script, last):
    draft = opened(script.encode())
    assert shown(draft).lines[-1].formula == last
    kept = ended(draft)
    assert (kept.kind, opened(kept.documents["script"][1].encode())) == ("proved", draft)
    assert begun(draft.lines[0].removeprefix("start ")) == undone(draft)
