"""The checker that stands alone: what it imports, what it says, and what it makes of certificates
that were tampered with.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from proofs.kernel import check
from proofs.kernel import kernel_certificates as reading
from proofs.kernel.check import main, said
from proofs.kernel.kernel_certificates import BadInput
from proofs.kernel.sealed import Refused
from proofs.replay.export import certificates
from proofs.theorems import theorems
from proofs.theorems.by_blocks import block_theorems
from tests.support.house import TRUSTED
from tests.support.paths import ROOT

NAMES = [*theorems(), *block_theorems()]


@cache
def text_of(name: str) -> str:
    return certificates([{**theorems(), **block_theorems()}[name]])


def certificate(name: str) -> dict[str, Any]:
    """Return the certificate of the last part of a theorem."""
    found = json.loads(text_of(name))
    return copy.deepcopy(found["certificates"][-1] if "certificates" in found else found)


def test_it_imports_the_standard_library_and_the_trusted_files_only() -> None:
    """In a fresh process without site-packages."""
    script = (
        "import sys, proofs.kernel.check; print(*sorted(m for m in sys.modules if"
        " m.partition('.')[0] not in sys.stdlib_module_names))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert {*done.stdout.split()} - {"__main__"} == {
        "proofs",
        *(name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in TRUSTED),
    }


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_every_certificate_of_a_theorem_is_checked(name: str) -> None:
    lines = said(json.loads(text_of(name)))
    assert sum("proved" in line for line in lines) >= 1 and all(
        line.isprintable() for line in lines
    )
    if name in theorems():
        parts = theorems()[name].prove()
        for part in parts:
            assert any(line.endswith(f": {part.left} = {part.right}") for line in lines)
        assert sum("assumed: " in line for line in lines) == sum(
            len(part.hypotheses) for part in parts
        )


def test_it_says_what_is_proved_and_what_is_assumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.json"
    file.write_text(text_of("cooley-tukey"), encoding="utf-8")
    assert main([str(file)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert (
        out[0].startswith(f"{file}: proved: F(r*s, 1) = Mul(")
        and "Block(#2 < r, Block(#1 < s, " in out[0]
    )
    assert out[1] == f"{file}: for all r >= 1, s >= 1"
    assert said(certificate("bsp-lemma-1.2"))[2] == "assumed: Mul(Y, Z) = Mul(Z, Y)"
    block = said(certificate("cormen-lemma-1"))
    assert [line for line in block if line.startswith("assumed")] == [
        "assumed: A A^-1 = I",
        "assumed: A^-1 A = I",
    ]
    assert any(
        line.startswith("letters: ") and "γ is GREEK SMALL LETTER GAMMA" in line
        for line in said(certificate("cormen-lemma-3"))
    )


def test_names_and_texts_of_a_certificate_count_for_nothing() -> None:
    text = certificate("cooley-tukey")
    assert said({**text, "name": "the Riemann hypothesis", "statement": "0 = 1"}) == said(text)
    blocks = certificate("cormen-lemma-1")
    for thing in blocks["objects"]:
        if thing[0] == "Equation":
            thing[4] = "1 = 0"
    assert said(blocks) == said(certificate("cormen-lemma-1"))


# Certificates that were tampered with

Change = Callable[[dict[str, Any]], object]
TAMPERED: dict[tuple[str, str], Change] = {}


def change(what: str, name: str) -> Callable[[Change], Change]:
    def named(found: Change) -> Change:
        TAMPERED[what, name] = found
        return found

    return named


def put(what: str, name: str, *at: Any, value: Any) -> None:
    """Put a value at a place of a certificate."""

    def changed(text: dict[str, Any]) -> None:
        place: Any = text
        for key in at[:-1]:
            place = place[key]
        place[at[-1]] = value

    TAMPERED[what, name] = changed


def of_kind(text: dict[str, Any], kind: str) -> list[Any]:
    """Return the first object of a kind."""
    found: list[Any] = next(thing for thing in text["objects"] if thing[0] == kind)
    return found


def step_of(text: dict[str, Any], rule: str) -> dict[str, Any]:
    """Return the last step of a rule."""
    found: dict[str, Any] = next(step for step in reversed(text["steps"]) if step["rule"] == rule)
    return found


WRONG_NUMBERS: tuple[Any, ...] = (
    True,
    False,
    None,
    "1",
    1.0,
    -1,
    10**9,
    [0],
    {"object": 0},
    1e999,
    0.5,
)
for _value in WRONG_NUMBERS:
    put("bsp-1.6", f"theorem {_value!r}", "theorem", value=_value)
    put(
        "bsp-1.6",
        f"an object with the number {_value!r}",
        "steps",
        -1,
        "left",
        value={"object": _value},
    )
    put(
        "bsp-1.6",
        f"a step with the number {_value!r}",
        "steps",
        -1,
        "premises",
        0,
        value={"step": _value},
    )
for _value in (True, 1.0, "2", None, [2], 0, 4, -2, 1):
    TAMPERED["bsp-1.6", f"the base {_value!r} of a size"] = lambda text, value=_value: of_kind(
        text, "Dim"
    )[1][0].__setitem__(0, value)  # type: ignore[misc]
for _value in (True, 1.0, "1", None, 0, [1]):
    TAMPERED["bsp-1.6", f"the coefficient {_value!r} of a number"] = lambda text, value=_value: (
        of_kind(text, "Nat")[1][0].__setitem__(1, value)
    )  # type: ignore[misc]
for _value in (
    "1e999999999",
    "0.5",
    "nan",
    "inf",
    "1/0",
    "",
    " 1",
    "1_0",
    "½",
    "१",
    1,
    None,
    True,
    "9" * 500,
):
    TAMPERED["bsp-1.6", f"the rational {_value!r:.20}"] = lambda text, value=_value: of_kind(
        text, "Poly"
    )[1][0].__setitem__(2, value)  # type: ignore[misc]
for _value in (2, True, 1.0, "1", None, 0):
    TAMPERED["cooley-tukey", f"the sign {_value!r}"] = lambda text, value=_value: of_kind(
        text, "F"
    ).__setitem__(2, value)  # type: ignore[misc]
for _value in ("Thm", "Term", "object", "Hypothesis", "__import__", "", None, 3, "Equation"):
    TAMPERED["cooley-tukey", f"an object of the kind {_value!r}"] = lambda text, value=_value: text[
        "objects"
    ][0].__setitem__(0, value)  # type: ignore[misc]
for _value in ("axiom", "need", "_thm", "Thm", "equal", "", None, 3, "__class__"):
    put("cooley-tukey", f"the rule {_value!r}", "steps", 0, "rule", value=_value)


@change("cooley-tukey", "the sides of a step exchanged")
def _(text: dict[str, Any]) -> None:
    step = text["steps"][-1]
    step["left"], step["right"] = step["right"], step["left"]


@change("bsp-1.6", "the hypotheses of a step left out")
def _(text: dict[str, Any]) -> None:
    step_of(text, "assume")["hypotheses"] = []


@change("bsp-1.6", "the hypothesis of an induction general in its number")
def _(text: dict[str, Any]) -> None:
    step = step_of(text, "assume")
    step["premises"].append("n")
    step["hypotheses"][0][2].append("n")


@change("bsp-1.6", "an induction on a name that looks the same")
def _(text: dict[str, Any]) -> None:
    step_of(text, "induct")["premises"][0] = "\uff4e"


@change("bsp-1.6", "a name with an invisible character")
def _(text: dict[str, Any]) -> None:
    step_of(text, "induct")["premises"][0] = "n\u200d"


@change("bsp-1.6", "a step that is its own premise")
def _(text: dict[str, Any]) -> None:
    text["steps"][-1]["premises"][0] = {"step": len(text["steps"]) - 1}


@change("bsp-1.6", "an object that refers to itself")
def _(text: dict[str, Any]) -> None:
    text["objects"][5] = ["Kron", {"object": 5}, {"object": 5}]


@change("bsp-1.6", "a value that is set twice")
def _(text: dict[str, Any]) -> None:
    premises = step_of(text, "instantiate")["premises"]
    premises[1].append(premises[1][0])


@change("bsp-1.6", "a value that is called as the rule calls its theorem")
def _(text: dict[str, Any]) -> None:
    step_of(text, "instantiate")["premises"][1][0][0] = "theorem"


@change("bsp-1.6", "an index that is captured")
def _(text: dict[str, Any]) -> None:
    of_kind(text, "Pi")[2] = of_kind(text, "Pi")[3]


@change("bsp-1.6", "a free name that the kernel binds")
def _(text: dict[str, Any]) -> None:
    for thing in text["objects"]:
        if thing[0] == "Nat" and thing[1] == [[["n"], 1]]:
            thing[1] = [[["#1"], 1]]


@change("bsp-1.6", "an object with two keys")
def _(text: dict[str, Any]) -> None:
    text["steps"][-1]["left"] = {"object": 0, "step": 0}


@change("bsp-1.6", "a term in deep nesting")
def _(text: dict[str, Any]) -> None:
    text["steps"][-1]["left"] = json.loads("[" * 900 + "]" * 900)


@change("bsp-1.6", "a power that has more digits than memory")
def _(text: dict[str, Any]) -> None:
    text["objects"] += [["Nat", [[[], 10**12]]], ["Dim", [[2, {"object": len(text["objects"])}]]]]
    text["objects"].append(["Poly", [[{"object": len(text["objects"]) - 1}, [], "1"]]])
    text["steps"][-1]["premises"][0] = {"object": len(text["objects"])}


@change("bsp-1.6", "a size without a small divisor")
def _(text: dict[str, Any]) -> None:
    of_kind(text, "Dim")[1][0][0] = 1000000000000000003


@change("bsp-1.6", "a monomial twice")
def _(text: dict[str, Any]) -> None:
    of_kind(text, "Nat")[1] *= 2


@change("cormen-lemma-1", "an assumption left out")
def _(text: dict[str, Any]) -> None:
    parts = text["objects"][text["derivation"]["object"]][1]
    del parts[0]


@change("cormen-lemma-1", "parts in reverse")
def _(text: dict[str, Any]) -> None:
    parts = text["objects"][text["derivation"]["object"]][1]
    parts.reverse()


@change("cormen-lemma-1", "nothing stated")
def _(text: dict[str, Any]) -> None:
    text["objects"][text["derivation"]["object"]][2] = []


@change("cormen-lemma-1", "what is assumed stated")
def _(text: dict[str, Any]) -> None:
    found = text["objects"][text["derivation"]["object"]]
    found[2] = [found[1][0]]


@change("cormen-lemma-1", "a letter that is said to stand for something else")
def _(text: dict[str, Any]) -> None:
    total = next(i for i, thing in enumerate(text["objects"]) if thing[0] == "Sum")
    text["objects"][text["derivation"]["object"]][3] = [["A", {"object": total}]]


@change("cormen-lemma-1", "a derivation that is no derivation")
def _(text: dict[str, Any]) -> None:
    text["derivation"] = {"object": 0}


@change("cormen-lemma-1", "no derivation")
def _(text: dict[str, Any]) -> None:
    text["derivation"] = []


@change("cormen-lemma-1", "a word twice in a sum")
def _(text: dict[str, Any]) -> None:
    found = next(thing for thing in text["objects"] if thing[0] == "Sum" and thing[3]["set"])
    found[3]["set"] *= 2


@change("cormen-lemma-1", "the words of a sum as a list")
def _(text: dict[str, Any]) -> None:
    found = next(thing for thing in text["objects"] if thing[0] == "Sum" and thing[3]["set"])
    found[3] = found[3]["set"]


def names_of(what: str, *names: Any) -> None:
    for name in names:
        TAMPERED[what, f"a letter called {name!r}"] = lambda text, name=name: of_kind(
            text, "Letter"
        ).__setitem__(1, name)  # type: ignore[misc]


names_of(
    "cormen-lemma-1",
    "A + B",
    "0",
    "I",
    "",
    "A B",
    "\u202eA",
    "A\n",
    "\x1b[2J",
    3,
    None,
    True,
    ["A"],
    "A = 0",
)


@change("cormen-lemma-3", "two letters of the state with one name")
def _(text: dict[str, Any]) -> None:
    pairs = of_kind(text, "Obtained")[3]
    pairs[-1][1] = pairs[-2][1]


@change("cormen-lemma-3", "a size that is obtained called 1")
def _(text: dict[str, Any]) -> None:
    for pair in of_kind(text, "Obtained")[2]:
        pair[1] = "1" if pair[0] == "z" else pair[1]


@change("cormen-lemma-3", "an induction with one case for both")
def _(text: dict[str, Any]) -> None:
    rule = of_kind(text, "Elimination")
    rule[-2] = rule[-3]


@change("fht-partition", "another quotient")
def _(text: dict[str, Any]) -> None:
    found = of_kind(text, "Division")
    found[3], found[4] = found[4], found[3]


@change("fht-partition", "a letter that stands for itself")
def _(text: dict[str, Any]) -> None:
    where = of_kind(text, "Division")[5]
    where[0][0] = "ρ"


@change("fht-partition", "a place that is True")
def _(text: dict[str, Any]) -> None:
    of_kind(text, "Local")[4][0][0][0] = True


@change("fht-partition", "a name that is a formula")
def _(text: dict[str, Any]) -> None:
    for thing in text["objects"]:
        if thing[0] == "Nat":
            thing[1]["set"] = [
                [["2 P" if name == "P" else name for name in names], c]
                for names, c in thing[1]["set"]
            ]


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize(("what", "name"), TAMPERED)
def test_a_certificate_that_was_tampered_with_is_refused(
    what: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = certificate(what)
    TAMPERED[what, name](text)
    file = tmp_path / "tampered.json"
    file.write_text(json.dumps(text), encoding="utf-8")
    assert main([str(file)]) in (1, 2)
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.isascii() and len(err) < 600


def test_so_many_changes_are_tried() -> None:
    assert len(TAMPERED) >= 120


TEXTS = {
    "a key twice": '{"objects": [], "objects": [], "steps": [], "theorem": 0}',
    "NaN": '{"objects": [["Nat", [[[], NaN]]]], "steps": [], "theorem": 0}',
    "an infinite number": '{"objects": [["Nat", [[[], Infinity]]]], "steps": [], "theorem": 0}',
    "a number with a point": '{"objects": [], "steps": [], "theorem": 0.0}',
    "a number with an exponent": '{"objects": [], "steps": [], "theorem": 1e2}',
    "a number of too many digits": '{"objects": [], "steps": [], "theorem": ' + "9" * 5000 + "}",
    "no certificate": "{}",
    "no certificates": '{"certificates": []}',
    "a certificate in a list of a list": '{"certificates": [{"certificates": []}]}',
    "a list": "[]",
    "a number": "3",
    "nothing": "",
    "deep nesting": "[" * 10**5,
    "half a certificate": '{"objects": []}',
    "other bytes": "\ud800",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_that_is_no_certificate_is_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "no.json"
    file.write_bytes(TEXTS[name].encode("utf-8", "surrogatepass"))
    assert main([str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"'{file}': no certificate: ") and err.count("\n") == 1


def test_only_regular_files_of_bounded_size_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "large").write_bytes(b"[" + b" " * 100 + b"]")
    monkeypatch.setattr(reading, "LARGEST", 100)
    for file in (
        tmp_path,
        tmp_path / "fifo",
        Path("/dev/zero"),
        Path("/dev/tty"),
        tmp_path / "none",
        tmp_path / "large",
        tmp_path / "a\nb",
    ):
        with pytest.raises(BadInput):
            reading.read(str(file))
    assert main([str(tmp_path / "fifo")]) == 2 and main([]) == 2


def test_the_worst_of_several_files_is_the_exit_status(tmp_path: Path) -> None:
    good, wrong = tmp_path / "good.json", tmp_path / "wrong.json"
    good.write_text(text_of("cooley-tukey"), encoding="utf-8")
    text = certificate("cooley-tukey")
    text["steps"][-1]["left"] = text["steps"][-1]["right"]
    wrong.write_text(json.dumps(text), encoding="utf-8")
    assert [
        main([str(good)]),
        main([str(wrong), str(good)]),
        main([str(good), str(tmp_path), str(wrong)]),
    ] == [0, 1, 2]


def test_a_checker_that_skips_a_rule_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a rule that proves whatever is said, tampered steps pass."""
    text = certificate("cooley-tukey")
    text["steps"][0]["premises"] = [text["steps"][0]["right"], text["steps"][0]["left"]]
    with pytest.raises(Refused):
        said(text)
    monkeypatch.setattr(check, "refusing", lambda make, one: ["proved: anything"])
    assert said(text) == ["proved: anything"]
