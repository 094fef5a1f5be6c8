"""The theorems: replayed in a fresh process, read densely step by step, and refused wherever
something is changed.
"""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from derive.papers.bsp_phases import sigma
from derive.text.parse import parse
from proofs.blocks import block_matrices, columns
from proofs.blocks.divisions import Division, Local
from proofs.kernel.kernel_certificates import steps_of
from proofs.kernel.kernel_rules import Thm, instantiate
from proofs.kernel.numbers import Dim, Nat, Poly, nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Term
from proofs.lemmas import fourier_stages, hartley_stages
from proofs.prove.claimed import claim_of, compare_claim
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.tactics import flat
from proofs.replay import block_certificates as block_replay
from proofs.replay.certificate_steps import certificate, replay, said
from proofs.replay.certificate_steps import main as replay_files
from proofs.replay.export import certificates
from proofs.show.markup import FORMULA, marked
from proofs.theorems import theorems
from proofs.theorems.by_blocks import block_theorems
from proofs.theorems.elimination_theorem import basis_of
from proofs.theorems.notation import equation
from tests.mutation.dense import Field, compare, confirm, dense, integer, prime, root_of_unity
from tests.mutation.wrong_statements import counted, wrong_parts, wrong_theorems

NAMES = sorted(theorems())


@cache
def proved(name: str) -> tuple[Thm, ...]:
    return theorems()[name].prove()


@cache
def written(name: str) -> tuple[dict[str, Any], ...]:
    return tuple(certificate(name, theorem) for theorem in proved(name))


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_every_theorem_is_proved_and_says_what_it_rests_on(name: str) -> None:
    theorem = theorems()[name]
    assert theorem.verdict().rests_on and theorem.gloss.count("=") and theorem.source
    for part in proved(name):
        assert not part.hypotheses or name in {"bsp-lemma-1.2", "bluestein"}


TEXTS = [(name, i) for name in NAMES for i in range(len(theorems()[name].equations))]


@pytest.mark.sampled(12, rest="long")
@pytest.mark.parametrize(("name", "part"), TEXTS)
def test_a_theorem_is_what_the_table_of_statements_says(name: str, part: int) -> None:
    """By the second reading at random sizes; and the terms are those of the translation, except
    for direct sums over an index with α, which formulas do not have.
    """
    theorem, sides = proved(name)[part], parse(theorems()[name].equations[part])
    terms, claim = claim_of(sides, [])
    assert compare_claim(claim, theorem) > 0
    same = (theorem.left, theorem.right) == (flat(terms.left).right, flat(terms.right).right)
    assert same or (name, part) in {("bsp-theorem-2.2", 0), ("bsp-4.5", 0)}


def test_every_theorem_has_the_text_of_all_its_parts_or_none() -> None:
    without = {name for name in NAMES if not theorems()[name].equations}
    assert without == {"bsp-2.8", "bsp-4.4", "any-radices", "bsp-fft-phases", "arrays-any-axes"}
    for name in {*NAMES} - without:
        assert len(theorems()[name].equations) == len(proved(name))


def numbers_in(text: str) -> str:
    """Return an expression of proofs/blocks/divisions.py as one of Python."""
    return re.sub(
        r"(?<=[\w)]) (?=[\w(])", "*", text.replace(" div ", " // ").replace(" mod ", " % ")
    )


@pytest.mark.parametrize(("name", "count"), [("fht-partition", 7), ("bsp-lemma-a.1", 10)])
def test_divisions_are_true_as_they_are_printed(name: str, count: int) -> None:
    """Each equation, read as numbers, at all values that its letters may have."""
    theorem = block_theorems()[name]
    divisions = [part for part in theorem.prove() if isinstance(part, Division)]
    assert len(divisions) == count
    for division in divisions:
        assert str(division) in theorem.verdict().statement
        equations, _, where = str(division).partition(" where ")
        read = {*re.findall(r"\b[^\W\d]\b", str(division))}
        free = sorted(read - {name for name, _ in division.where})
        for values in product(range(3), repeat=len(free)):
            at: dict[str, int] = dict(zip(free, values, strict=True))
            for given in where.split(", "):
                letter, _, value = given.partition(" = ")
                at[letter] = eval(numbers_in(value), {}, at)
            for stated in equations.split(", "):
                left, _, right = stated.partition(" = ")
                assert eval(numbers_in(left), {}, at) == eval(numbers_in(right), {}, at), stated


def test_lemma_a_1_is_that_of_the_paper() -> None:
    """Its divisions, at numbers, are σ and the three parts."""
    parts = block_theorems()["bsp-lemma-a.1"].prove()
    numbers: dict[str, int] = {"a": 1, "b": 1, "c": 2, "e": 3, "h": 4, "u": 5, "k": 4, "q": 7}
    j, half, _, moved, _, _, shifted, back, inverted, _ = (
        tuple(_at(numbers, x) for x in (d.number, d.divisor, d.quotient, d.remainder))  # type: ignore[union-attr]
        for d in parts
    )
    K, M = 8 * 5, 3 * 8 * 5
    assert j[1] == K and half[1] == K // 2 and moved[:2] == (sigma(5, M, j[0]), 8)
    assert shifted == (7 * 5 + 2 + K // 2, 5, 7 + 8 // 2, 2)
    M, K = 3 * 4 * 5, 4 * 5
    assert sigma(5, M, back[0]) == 2 * M // 5 + back[2]
    assert inverted[:2] == (back[0], K) and Fraction(inverted[3], K) == (1 + Fraction(2, 5)) / 4


def _at(numbers: dict[str, int], x: Nat) -> int:
    return sum(c * prod(numbers[name] for name in names) for names, c in x.terms)


def test_a_theorem_is_proved_once() -> None:
    for known in (theorems, block_theorems):
        assert all(known()[name].prove() is known()[name].prove() for name in known())


@pytest.mark.long
def test_every_theorem_is_replayed_in_a_fresh_process(tmp_path: Path) -> None:
    files = []
    for name in NAMES:
        for i, text in enumerate(written(name)):
            files.append(tmp_path / f"{name}-{i}.json")
            files[-1].write_text(json.dumps(text), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "proofs.replay", *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(files) == sum(": proved " in line for line in done.stdout.splitlines())
    assert "proved under 1 hypothesis bsp-lemma-1.2, part 5 of 5: Y Z = Z Y ⊢" in done.stdout


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_a_replay_proves_the_same_theorem(name: str) -> None:
    for text, theorem in zip(written(name), proved(name), strict=True):
        again = replay(json.loads(json.dumps(text)))
        assert (again.left, again.right, again.hypotheses) == (
            theorem.left,
            theorem.right,
            theorem.hypotheses,
        )


def test_certificates_are_the_same_every_time() -> None:
    assert json.dumps(certificate("bsp-1.6", proved("bsp-1.6")[0])) == json.dumps(
        written("bsp-1.6")[0]
    )


@pytest.mark.sampled(3)
@pytest.mark.sampled(8, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_every_step_holds_densely(name: str) -> None:
    rng = Random(name)
    for text in written(name):
        theorems_of_steps = steps_of(text)
        chosen = [
            *rng.sample(theorems_of_steps, min(12, len(theorems_of_steps))),
            theorems_of_steps[-1],
        ]
        assert sum(confirm(step, rng, most=48) for step in chosen) >= len(chosen) // 2


# Wrong statements


@cache
def wrong(name: str) -> Counter[str]:
    rng = Random(name)
    return sum((counted(wrong_theorems(part, rng)) for part in proved(name)), Counter())


@pytest.mark.sampled(16)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_every_changed_statement_is_refused_or_true(name: str) -> None:
    """All changes in one place that keep the shapes: none that numbers refute is proved, and
    numbers refute most; half of those of the Walsh-Hadamard transform, whose stages commute.
    """
    found, most = wrong(name), 0.5 if name.startswith("wht") else 0.8
    assert found["made"] >= 14 and found["unsound"] == 0
    assert found["refused"] == found["made"] - found["proved"]
    assert found["refuted"] >= most * found["refused"]


@pytest.mark.sampled(2)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", block_theorems())
def test_every_changed_statement_of_the_smaller_procedures_is_refused(name: str) -> None:
    found = sum((counted(wrong_parts(part)) for part in block_theorems()[name].prove()), Counter())
    assert found["refused"] == found["made"] >= 13


def test_a_kernel_that_proves_everything_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.mutation.wrong_statements.diag", lambda left, right: None)
    (theorem,) = proved("cooley-tukey")
    assert counted(wrong_theorems(theorem, Random(0)))["unsound"] > 20


# Mutants of proofs


def changed_objects(text: dict[str, Any], rng: Random, most: int) -> Iterator[dict[str, Any]]:
    """Yield certificates with one object, and so every statement that mentions it, changed."""
    numbers = list(range(len(text["objects"])))
    for number in rng.sample(numbers, min(most, len(numbers))):
        other = copy.deepcopy(text)
        thing = other["objects"][number]
        match thing[0]:
            case "F":
                thing[2] = -thing[2]
            case "S" | "Kron" | "Mul":
                thing[1], thing[2] = thing[2], thing[1]
            case "Nat":
                thing[1] = [[names, c + 1] for names, c in thing[1]] or [[[], 1]]
            case "Dim":
                thing[1] = thing[1][1:] if thing[1] else [[2, 0]]
            case "Poly":
                thing[1] = [[dim, atoms, str(Fraction(c) / 2)] for dim, atoms, c in thing[1]]
            case "Pi":
                thing[2], thing[3] = thing[3], thing[2]
            case _:
                other["objects"][number] = other["objects"][number - 1]
        yield other


def changed_steps(text: dict[str, Any], rng: Random, most: int) -> Iterator[dict[str, Any]]:
    """Yield certificates with one step changed."""
    numbers = list(range(len(text["steps"])))
    for number in rng.sample(numbers, min(most, len(numbers))):
        for change in ("rule", "premises", "left", "right", "hypotheses"):
            other = copy.deepcopy(text)
            step = other["steps"][number]
            match change:
                case "rule":
                    step["rule"] = rng.choice(
                        [
                            rule
                            for rule in ("refl", "sym", "diag", "first", "trans", "magic")
                            if rule != step["rule"]
                        ]
                    )
                case "premises":
                    step["premises"] = (
                        step["premises"][::-1] if len(step["premises"]) > 1 else [{"step": number}]
                    )
                case "left" | "right":
                    step[change] = {"object": rng.randrange(len(text["objects"]))}
                case "hypotheses":
                    step["hypotheses"] = (
                        [] if step["hypotheses"] else [[step["left"], step["right"], []]]
                    )
            if step != text["steps"][number]:
                yield other


@pytest.mark.long
@pytest.mark.parametrize("name", ["cooley-tukey", "bsp-1.6"])
def test_a_changed_certificate_is_refused_or_proves_a_truth(name: str) -> None:
    rng = Random(name)
    refused = true = 0
    for text in written(name)[:1]:
        budget = 3 if len(text["steps"]) > 200 else 16
        claim = text["steps"][text["theorem"]]
        for other in [
            *changed_objects(text, rng, budget),
            *changed_steps(text, rng, budget // 4 + 1),
        ]:
            try:
                theorem = replay(other)
            except Refused:
                refused += 1
                continue
            true += 1
            assert confirm(theorem, rng, most=40) >= 0
            assert other["steps"][other["theorem"]] == claim or other["theorem"] == text["theorem"]
    print(name, refused, "refused", true, "true")
    assert refused


def test_a_certificate_that_claims_something_else_is_refused() -> None:
    text = written("bsp-1.6")[0]
    assert said(text) == [f"proved bsp-1.6: {equation(proved('bsp-1.6')[0])}"]
    for claim in (
        {"name": "bsp-2.8"},
        {"name": "F(2) = F(2)", "where": ""},
        {"name": "no theorem"},
        {"name": "F(2) =", "where": ""},
        {"statement": "1 = 1"},
    ):
        with pytest.raises(Refused):
            said({**text, **claim})


@pytest.mark.parametrize("name", block_theorems())
def test_certificates_of_the_smaller_procedures_are_replayed_and_refused_when_changed(
    name: str,
) -> None:
    text = json.loads(json.dumps(block_replay.certificate(name, block_theorems()[name])))
    first, *assumed = said(text)
    reasons = list(block_theorems()[name].assumed())
    assert first.startswith("proved under " if reasons else f"proved {name}") and first.endswith(
        f" {name}: {block_theorems()[name].verdict().statement}"
    )
    assert [
        line.startswith(f"{name} assumes, because {reason}: ")
        for line, reason in zip(assumed, reasons, strict=True)
    ] == [True] * len(reasons)
    with pytest.raises(Refused):
        said({**text, "name": "cormen-vw" if name != "cormen-vw" else "cormen-layout"})
    rng, refused = Random(name), 0
    for number in rng.sample(range(len(text["objects"])), min(40, len(text["objects"]))):
        other = copy.deepcopy(text)
        kind, *parts = other["objects"][number]
        if kind in ("Letter", "Nat"):
            continue  # one name for another, everywhere
        other["objects"][number] = [kind, *parts[:-1]] if number % 2 else [kind, *parts[::-1]]
        try:
            said(other)
        except Refused:
            refused += 1
    assert refused >= 3
    for other in (
        {**text, "derivation": {"object": len(text["objects"])}},
        {**text, "derivation": 1},
        {**text, "objects": [["int", 1]]},
        {"derivation": 0},
    ):
        with pytest.raises(Refused):
            said(other)


def test_one_file_holds_the_certificates_of_several_theorems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "proofs.json"
    file.write_text(
        certificates([theorems()["bsp-lemma-1.2"], block_theorems()["cormen-layout"]]),
        encoding="utf-8",
    )
    assert replay_files([str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        len(lines) == 7
        and all(": proved " in line for line in lines[:6])
        and ": cormen-layout assumes, " in lines[6]
    )
    assert all("proved under 1 hypothesis" in line for line in lines[4:6])
    text = json.loads(file.read_text(encoding="utf-8"))
    text["certificates"][5]["objects"] = text["certificates"][5]["objects"][:-1]
    file.write_text(json.dumps(text), encoding="utf-8")
    assert replay_files([str(file)]) == 1 and capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "damaged",
    [
        {},
        {"objects": [], "steps": [], "theorem": 0},
        {"objects": [["Nat", 3]], "steps": [], "theorem": 0},
        [],
        {"objects": 1},
    ],
)
def test_what_is_no_certificate_is_refused(damaged: Any) -> None:
    with pytest.raises(Refused):
        replay(damaged)


def test_a_step_uses_earlier_steps_only() -> None:
    text = copy.deepcopy(written("bsp-1.6")[0])
    number = next(i for i, step in enumerate(text["steps"]) if step["rule"] == "trans")
    for later in (number, len(text["steps"]), -1, 1.0, True):
        text["steps"][number]["premises"][0] = {"step": later}
        with pytest.raises(Refused):
            replay(text)


def test_a_refused_certificate_fails_the_command(tmp_path: Path) -> None:
    text = copy.deepcopy(written("cooley-tukey")[0])
    text["objects"] = [
        ["F", thing[1], -1] if thing[0] == "F" else thing for thing in text["objects"][:8]
    ] + text["objects"][8:]
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(text), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "proofs.replay", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "") and "refused" in done.stderr


# Forged certificates of block theorems: the text is right, and something else is proved


def trivial(part: Any) -> Any:
    """Return X = X under the name of a part, where it has one."""
    name, _, _ = str(part).rpartition(" = ")
    match part:
        case columns.Equation():
            return columns.Equation(part.right, part.right, (), name)
        case columns.Chain():
            return columns.Equation(part.equations[-1].right, part.equations[-1].right, (), name)
        case Local():
            reads = tuple((name, nat("m")) for name, _ in part.reads)
            return Local(
                part.members,
                part.modulus,
                reads,
                tuple(((k, nat("z")),) * len(reads) for k in range(len(part.members))),
                part.name,
            )
    return part


def trivially(proof: Any) -> Any:
    """Return a proof of nothing that says what a proof says, with what it assumes."""
    if not isinstance(proof, columns.Derivation):
        return tuple(map(trivial, proof))
    stated = tuple(map(trivial, proof.stated))
    kept = tuple(part for part in proof.parts if isinstance(part, columns.Assumed))
    new = tuple(part for part in stated if part not in kept)
    return columns.Derivation((*kept, *new), stated, proof.letters)


def assumed_instead(proof: Any) -> Any:
    """Return a derivation with a part that is obtained assumed, while it is stated, too."""
    kept = tuple(part for part in proof.parts if isinstance(part, columns.Obtained))
    given = tuple(replace(r, reason="any") for part in kept for r in part.relations)
    parts = (*proof.parts, columns.Assumed(given))
    return columns.Derivation(parts, proof.stated, proof.letters)


def assuming_more(proof: Any) -> Any:
    """Return a derivation that assumes γ = 0, too, for a reason that is another relation's."""
    reason = (
        next(part for part in proof.parts if isinstance(part, columns.Assumed)).relations[0].reason
    )
    more = columns.Assumed(
        (
            block_matrices.relation(
                block_matrices.letter("γ", "p", "m"), block_matrices.zero("p", "m"), reason
            ),
        )
    )
    return replace(proof, parts=(more, *proof.parts))


def obtaining_more(proof: Any) -> Any:
    """Return a derivation that obtains a basis more: of a matrix that an induction makes one could
    assume what is assumed of any.
    """
    new = {name: f"{name}9" for name in ("z", "k", "Z", "b", "a", "e", "f", "σ", "σT", "ν", "νT")}
    return replace(proof, parts=(*proof.parts, basis_of("new", "p", **new)))


def only_assumed(proof: Any) -> Any:
    """Return a derivation in which what was obtained is assumed."""

    def instead(part: Any) -> Any:
        if not isinstance(part, columns.Obtained):
            return part
        return columns.Assumed(tuple(replace(r, reason="any") for r in part.relations))

    return columns.Derivation(
        tuple(map(instead, proof.parts)), tuple(map(instead, proof.stated)), proof.letters
    )


def forged(name: str, change: Any) -> dict[str, Any]:
    theorem = block_theorems()[name]
    found = change(theorem.proof())
    return json.loads(
        json.dumps(block_replay.certificate(name, replace(theorem, proof=lambda: found)))
    )


FORGED: dict[str, Callable[[], dict[str, Any]]] = {
    **{
        f"{name}: X = X": lambda name=name: forged(name, trivially)
        for name in block_theorems()
        if name not in ("cormen-lemma-3", "cormen-theorem-2", "bsp-lemma-a.1")
    },
    "bsp-lemma-a.1: another division": lambda: forged("bsp-lemma-a.1", lambda d: (d[1], *d[1:])),
    "cormen-theorem-2: a size less": lambda: forged(
        "cormen-theorem-2", lambda proof: replace(proof, stated=proof.stated[:-1])
    ),
    "cormen-theorem-2: assumed": lambda: forged("cormen-theorem-2", only_assumed),
    "cormen-lemma-3: assumed": lambda: forged("cormen-lemma-3", only_assumed),
    "cormen-lemma-3: assumed, too": lambda: forged("cormen-lemma-3", assumed_instead),
    "an assumption more": lambda: forged("cormen-vw", assuming_more),
    "another induction": lambda: forged("cormen-vw", obtaining_more),
    "other letters": lambda: forged(
        "cormen-vw", lambda proof: replace(proof, letters=proof.letters[1:])
    ),
    "a part less": lambda: forged(
        "cormen-layout", lambda proof: replace(proof, stated=proof.stated[1:])
    ),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forged_block_certificate_is_refused(forgery: str) -> None:
    text = FORGED[forgery]()
    name = text["name"]
    real = block_replay.certificate(name, block_theorems()[name])
    text_is_the_same = {**text, "statement": real["statement"]}
    for one in (text, text_is_the_same):
        with pytest.raises(Refused):
            said(one)
    assert said(real)[0].endswith(f"{name}: {real['statement']}")


def test_a_certificate_that_assumes_less_than_the_theorem_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "cormen-vw"
    real, theorem = block_replay.certificate(name, block_theorems()[name]), block_theorems()[name]
    more = replace(theorem, proof=lambda: assuming_more(theorem.proof()))
    monkeypatch.setattr("proofs.replay.claimed_theorems.block_theorems", lambda: {name: more})
    with pytest.raises(Refused, match="is not assumed, and cormen-vw assumes it"):
        said(real)


def test_a_replay_says_which_part_of_a_theorem_it_is() -> None:
    lines = [line for text in written("bsp-1.14") for line in said(text)]
    assert [line.partition(":")[0].rpartition("proved ")[2] for line in lines] == [
        "bsp-1.14, part 1 of 2",
        "bsp-1.14, part 2 of 2",
    ]


def test_a_replay_compares_an_equation_of_ones_own_as_it_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A translation that takes one equation for another is found out by the second reading."""
    sides = parse("F(2*n) = F(2*n)")
    (terms, _), theorem = claim_of(sides, []), decide_for_all(sides, []).theorem
    assert theorem is not None
    text = {**certificate(str(sides), theorem), "where": "", "substitution": {}}
    assert said(text)
    monkeypatch.setattr("proofs.prove.claimed.translate", lambda sides, least, above: terms)
    with pytest.raises(Refused, match="its statement are two equations"):
        said({**text, "name": "F(2*n) = F(2*n) * L(2*n,n)"})


def test_forgeries_are_proofs_of_something_with_the_text_of_the_theorem() -> None:
    """So only the comparison with the theorem of the tree refuses them."""
    for name in ("cormen-lemma-1", "cormen-layout", "cormen-vw", "fht-partition"):
        text = forged(name, trivially)
        assert (
            text["statement"] == block_replay.certificate(name, block_theorems()[name])["statement"]
        )
        block_replay.replay(text)


def test_a_replay_names_the_relations_that_are_assumed() -> None:
    lines = said(json.loads(certificates([block_theorems()["cormen-lemma-1"]])))
    assert lines[0].startswith("proved under 1 hypothesis cormen-lemma-1: A is nonsingular ⊢ ")
    assert lines[1] == "cormen-lemma-1 assumes, because A is nonsingular: A A^-1 = I, A^-1 A = I"
    assert said(json.loads(certificates([block_theorems()["cormen-vw"]])))[0].startswith(
        "proved under 3 hypotheses cormen-vw: "
    )


def test_a_file_without_a_certificate_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i, text in enumerate(
        ({"certificates": []}, {"certificates": [{"certificates": []}]}, [], {})
    ):
        file = tmp_path / f"{i}.json"
        file.write_text(json.dumps(text), encoding="utf-8")
        assert replay_files([str(file)]) == 1
        assert "refused: " in capsys.readouterr().err
    assert replay_files([]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    "damage",
    [
        {"where": None},
        {"where": 5},
        {"where": "\n"},
        {"name": None},
        {"name": ["R(2^n)"]},
        {"statement": {}},
        {"certificates": {}},
        {"certificates": 5},
    ],
)
def test_a_malformed_file_is_one_line(
    damage: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = parse("R(2^n) * R(2^n) = I(2^n)")
    theorem = decide_for_all(sides, []).theorem
    assert theorem is not None
    text = {**certificate(str(sides), theorem), "where": "", "substitution": {}}
    assert said(text)
    refused_in_one_line(json.dumps({**text, **damage}), tmp_path, capsys)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 900 + "]" * 900,
        '{"certificates": [' * 900 + "]}" * 900,
        "[" * 10**5,
        "NaN",
        "",
        '{"name": 0, "where": {}}',
    ],
)
def test_a_file_of_another_form_is_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused_in_one_line(text, tmp_path, capsys)


def refused_in_one_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "malformed.json"
    file.write_text(text, encoding="utf-8")
    assert replay_files([str(file)]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"{file}: refused: ") and err.count("\n") == 1


# What the terms stand for, entry by entry


def entries(term: Term, order: int) -> tuple[np.ndarray[Any, Any], Field]:
    """Return a term without variables over GF(q), and the field."""
    q = prime(order, Random(5))
    gf = Field(order, q, root_of_unity(order, q))
    return dense(term, {}, gf) % q, gf


@pytest.mark.parametrize("bits", range(6))
def test_the_bit_reversal_of_the_proofs_reverses_bits(bits: int) -> None:
    found, _ = entries(fourier_stages.reversal(Nat.of(bits)), 4)
    for j in range(2**bits):
        wanted = int(format(j, f"0{bits}b")[::-1], 2) if bits else 0
        assert found[:, j].tolist() == [int(i == wanted) for i in range(2**bits)]


@pytest.mark.parametrize("h", [1, 2, 3, 4, 8])
def test_the_butterfly_of_the_proofs_is_that_of_the_paper(h: int) -> None:
    alpha = Fraction(1, 5)
    found, gf = entries(fourier_stages.butterfly(Dim.of(h), Poly.of(alpha)), 2 * h * 5 * 2)
    omega = np.diag([gf.power((j + alpha) / (2 * h)) for j in range(h)])
    one = np.eye(h, dtype=np.int64)
    assert np.array_equal(found, np.block([[one, omega], [one, -omega]]) % gf.q)


@pytest.mark.parametrize("q", [1, 2, 3, 4])
def test_the_blocks_of_1_12_are_those_of_the_paper(q: int) -> None:
    (theorem,) = proved("bsp-1.12")
    right = instantiate(theorem, q=Dim.of(q), alpha=Poly.of(0)).right
    found, gf = entries(right, 4 * q * 2)
    i = gf.power(Fraction(1, 4))
    L = np.diag([gf.power(Fraction(j, 4 * q)) for j in range(q)])
    L2, L3 = L @ L % gf.q, L @ L % gf.q @ L % gf.q
    one = np.eye(q, dtype=np.int64)
    wanted = [
        [one, L2, L, L3],
        [one, -L2, i * L, -i * L3],
        [one, L2, -L, -L3],
        [one, -L2, -i * L, i * L3],
    ]
    assert np.array_equal(found, np.block(wanted) % gf.q)


@pytest.mark.parametrize("h", [1, 2, 3, 4, 8])
def test_the_hartley_stage_of_the_proofs_is_that_of_the_paper(h: int) -> None:
    found, gf = entries(hartley_stages.butterfly(Dim.of(h)), 8 * h)
    half, i = pow(2, -1, gf.q), gf.power(Fraction(1, 4))
    T = np.zeros((h, h), dtype=np.int64)
    for u in range(h):
        w, v = gf.power(Fraction(u, 2 * h)), gf.power(Fraction(-u, 2 * h))
        T[u, u] += (w + v) * half
        T[u, -u % h] += (w - v) * half % gf.q * pow(i, -1, gf.q) % gf.q
    one = np.eye(h, dtype=np.int64)
    assert np.array_equal(found, np.block([[one, T], [one, -T]]) % gf.q)


def test_the_last_phase_of_2_8_has_the_stages_of_the_paper() -> None:
    """N = 32, P = 8, n = 4: phases of 2, 2 and 1 stages."""
    (theorem,) = proved("bsp-2.8")
    numbers = {"a": 1, "e": 1, "g": 1}
    assert integer(theorem.left.shape[0], numbers) == 32
    assert compare(theorem.left, theorem.right, numbers, Random(1)) is None


def test_theorems_are_printed_as_mathematics() -> None:
    for name in NAMES:
        for part in proved(name):
            assert " = " in equation(part) and "\\" in marked(equation(part), FORMULA)


@pytest.mark.parametrize("number", [-1, 10**6, True, "0"])
def test_a_theorem_that_is_no_step_is_refused(number: object) -> None:
    (text, *_) = written("cooley-tukey")
    with pytest.raises(Refused):
        replay({**text, "theorem": number})
