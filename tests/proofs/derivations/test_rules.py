"""The rules of derivations: each is proved for all sizes, and each that is damaged is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from derive.text.parse import parse_formula
from derive.text.syntax import Leaf, Sides
from derive.verdict import Proved
from proofs.derivations import derivation
from proofs.derivations.derivation import Derivation
from proofs.derivations.matching import Matcher
from proofs.derivations.rules import RULES, Rule, instance, rule, rules
from proofs.derivations.sizes import in_lowest_terms, letters_of
from proofs.kernel.sizes import Dim
from proofs.prove.equations import decide_for_all
from proofs.prove.translation.written import written
from tests.support.paths import ROOT


def of_fourier_matrices(one: Rule) -> Sides:
    """Return a rule with a Fourier matrix for each letter for a matrix."""
    letters = {letter: Leaf("F", (order,)) for letter, order in one.orders.items()}
    return Sides(instance(one.sides.left, {}, letters), instance(one.sides.right, {}, letters))


@pytest.mark.parametrize("name", rules())
def test_a_rule_is_proved_for_all_sizes(name):
    assert isinstance(decide_for_all(of_fourier_matrices(rules()[name]), []).verdict, Proved)


WRONG = {
    "cooley-tukey": "F(r*s) = F(r) (x) I(s) * T(r*s,r) * I(r) (x) F(s) * L(r*s,r)",
    "four-step": "F(r*s) = F(r) (x) I(s) * T(r*s,s) * L(r*s,s) * F(s) (x) I(r)",
    "shuffle-inverse": "L(r*s,r) * L(r*s,r) = I(r*s)",
    "hartley-step": "H(2*m) = BH(2*m) * I(2) (x) H(m) * L(2*m,m)",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_makes_no_step(monkeypatch, name):
    wrong = rule(name, WRONG[name])
    monkeypatch.setattr(derivation, "rules", lambda: {name: wrong})
    start = in_lowest_terms(wrong.sides.left, letters_of(wrong.sides.left))
    begun = Derivation(start)
    with pytest.raises(ValueError, match="not proved"):
        begun.apply(name, letters={"r": "r"} if name != "hartley-step" else {})
    assert begun.steps == []


def test_a_wrong_rule_for_matrices_makes_no_step(monkeypatch):
    wrong = rule("commute", "A (x) B = L(m*n,n) * B (x) A * L(m*n,n)", A="m", B="n")
    monkeypatch.setattr(derivation, "rules", lambda: {"commute": wrong})
    with pytest.raises(ValueError, match="not proved"):
        Derivation(parse_formula("F(2) (x) F(4)")).apply("commute")


MATCHES = [
    ("F(r*s)", "F(2^n)", {}, ["r=2,s=2^(n-1)", "r=2^(n-1),s=2"]),
    ("F(r*s)", "F(12)", {"r": 4}, ["r=4,s=3"]),
    ("L(r*s,r)", "L(6*m,2)", {}, ["r=2,s=3*m"]),
    ("L(n,1)", "L(8,2)", {}, []),
    ("R(2^(n+1))", "R(2^k)", {}, ["n=k-1"]),
    ("A (x) I(s)", "F(2) (x) F(3) (x) I(4)", {}, ["m=6,s=4"]),
    ("A (x) I(s)", "F(2) (x) F(3)", {}, []),
    ("prod(k, 1, n, I(2^k))", "prod(j, 1, 3, I(2^j))", {}, ["n=3"]),
    ("F(r*s)", "F(N)", {}, []),
]


@pytest.mark.parametrize(("pattern", "text", "given", "wanted"), MATCHES)
def test_what_letters_stand_for(pattern, text, given, wanted):
    made = (
        rule("one", f"{pattern} = {pattern}", A="m")
        if "A" in pattern
        else rule("one", f"{pattern} = {pattern}")
    )
    part = parse_formula(text)
    values = letters_of(part)
    found = Matcher(made.orders, made.letters, values).found(
        made.sides.left, part, {name: Dim.of(value) for name, value in given.items()}
    )
    assert [
        ",".join(f"{name}={written(value)}" for name, value in sorted(one.sizes.items()))
        for one in found
    ] == wanted


def test_the_page_has_every_rule():
    page = (ROOT / "docs" / "how-to" / "derivation.md").read_text(encoding="utf-8")
    assert [f"| `{one.name}` | `{one.text}` |" for one in RULES] == [
        line for line in page.partition("## The rules")[2].splitlines() if line.startswith("| `")
    ]


def test_rules_have_one_name_each():
    assert len(rules()) == len(RULES)
    assert all(replace(one) == one for one in rules().values())
