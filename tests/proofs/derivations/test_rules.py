"""The rules of derivations: each is proved for all sizes, and each that is damaged is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from derive.text.parse import parse_formula
from derive.text.syntax import Sides, leaf
from derive.verdict import Proved
from proofs.derivations import derivation
from proofs.derivations.derivation import Derivation
from proofs.derivations.matching import Matcher
from proofs.derivations.rules import BSP_2_5, GOOD, RULES, Rule, instance, rule, rules
from proofs.derivations.size_products import in_lowest_terms, letters_of
from proofs.kernel.numbers import Dim, Nat
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.translation.written import written
from tests.support.paths import ROOT


def of_fourier_matrices(one: Rule) -> Sides:
    """Return a rule with a Fourier matrix for each letter for a matrix."""
    letters = {letter: leaf("F", order) for letter, order in one.orders.items()}
    return Sides(instance(one.sides.left, {}, letters), instance(one.sides.right, {}, letters))


@pytest.mark.sampled(3)
@pytest.mark.sampled(20, rest="long")
@pytest.mark.parametrize("name", [name for name, one in rules().items() if not one.checked])
def test_a_rule_is_proved_for_all_sizes(name):
    answer = decide_for_all(of_fourier_matrices(rules()[name]), [], always_search=True)
    assert isinstance(answer.verdict, Proved)


WRONG = {
    "cooley-tukey": "F(r*s) = F(r) (x) I(s) * T(r*s,r) * I(r) (x) F(s) * L(r*s,r)",
    "four-step": "F(r*s) = F(r) (x) I(s) * T(r*s,s) * L(r*s,s) * F(s) (x) I(r)",
    "shuffle-inverse": "L(r*s,r) * L(r*s,r) = I(r*s)",
    "hartley-step": "H(2*m) = BH(2*m) * I(2) (x) H(m) * L(2*m,m)",
    "fourier-stages": "F(2^n) = prod(k,0,n-1, A(2^(k+1),2^n)) * R(2^n)",
    "good-thomas": f"transpose({GOOD}) * F(r*s) * {GOOD} = F(r) (x) F(s)",
    "bluestein": "F(n) = diag(j < n, j^2/(2*n)) * (I(n) (x) E(1,n)"
    " * diag(j < n, k < n, (j-k)^2/(2*n)) * E(n,1) (x) I(n)) * diag(k < n, k^2/(2*n))",
    "bsp-2.5": BSP_2_5.replace("Gamma(2^(a),2^(a)", "Gamma(2^(2*a),2^(2*a)"),
}
LETTERS = {"cooley-tukey": {"r": "r"}, "four-step": {"r": "r"}, "bsp-2.5": {"a": "1", "e": "e"}}
SHORTER = {"bsp-2.5": "F(2^(e+2))"}
"""Where a rule is applied to less than its own left side, since that search ends earlier."""


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_makes_no_step(monkeypatch, name):
    wrong = rule(name, WRONG[name])
    monkeypatch.setattr(derivation, "rules", lambda: {name: wrong})
    start = in_lowest_terms(wrong.sides.left, letters_of(wrong.sides.left))
    begun = Derivation(parse_formula(SHORTER[name]) if name in SHORTER else start)
    with pytest.raises(ValueError, match="not proved"):
        begun.apply(name, letters=LETTERS.get(name, {}))
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
    ("F(2^(2*a+e))", "F(2^n)", {"a": Nat.of(1)}, ["a=1,e=n-2"]),
    ("perm(j < n, a*j)", "perm(i < 8, 3*i)", {}, []),
    ("perm(j < n, a*j)", "perm(i < 8, 3*i)", {"a": 3}, ["a=3,n=8"]),
    ("perm(a < r, b < s, a*s + b*r)", "perm(b < 4, a < 3, 4*a + 3*b)", {}, ["r=4,s=3"]),
    ("perm(a < r, b < s, a*s + b*r)", "perm(b < 4, a < 3, 3*a + 4*b)", {}, []),
    ("diag(j < n, j/n)", "perm(j < n, j/n)", {}, []),
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
        made.sides.left,
        part,
        {name: Dim.of(x) if type(x) is int else x for name, x in given.items()},
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
