"""Certificates of typed equations carry the text, the conditions and the substitution; edited ones
are refused by the second reading.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import pytest

import nodewright as nw
from derive.text.parse import parse
from proofs.kernel.check import said as said_alone
from proofs.kernel.sealed import Refused
from proofs.meaning.claims import Claim
from proofs.meaning.comparison import compare
from proofs.replay import claimed_theorems
from proofs.replay.certificate_steps import replay, said

EQUATIONS = {
    "stride": ("L(N,r) * L(N,N/r) = I(N)", ""),
    "two-radices": ("L(r*s*t, r*s) = L(r*s*t, r) * L(r*s*t, s)", ""),
    "bounds": ("I(2^(n-m-1)) (x) I(2^(m+1)) = I(2^n)", "n >= m + 1"),
    "count": ("prod(k,0,n-m-1, J(r)) * prod(k,0,n-m-1, J(r)) = I(r)", "n >= m"),
    "put-in": ("L(N,r) * L(N,s) = I(N)", "N = r*s"),
    "blocks": ("A, C : m x m, B, D : n x n; (A (+) B) * (C (+) D) = A*C (+) B*D", ""),
    "roots": ("1/sqrt(N) * F(N) * (1/sqrt(N) * conj(F(N))) = I(N)", ""),
    "transposed": ("A : m x n, B : n x k; transpose(A * B) = transpose(B) * transpose(A)", ""),
}
MOST = 1200


@cache
def _made(name: str) -> dict[str, Any]:
    return nw.prove(*EQUATIONS[name]).certificate


def made(name: str) -> dict[str, Any]:
    """Return the certificate of an equation."""
    return deepcopy(_made(name))


@pytest.mark.long
def test_a_certificate_has_the_substitution() -> None:
    assert made("stride")["substitution"] == {"N": "N*r"}
    assert made("bounds")["substitution"] == {"n": "m+n+1"}
    assert made("put-in")["substitution"] == {"N": "r*s"}
    assert made("blocks")["rows"] == "1; m, n; 1"
    assert made("count")["substitution"] == {"n": "m+n"}
    assert made("roots")["without_roots"] == "F(N) * conj(F(N)) = N * I(N)"


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("name", EQUATIONS)
def test_a_certificate_replays_with_all_that_it_has(name: str) -> None:
    whole = made(name)
    assert said(whole)[0].startswith("proved")
    for field in whole:
        text = made(name)
        del text[field]
        with pytest.raises(Refused):
            said(text)


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("substitution", "no certificate: it has no substitution, as that of an equation has"),
        ("statement", "no certificate: it has no statement"),
        ("objects", "no certificate: it has no objects"),
        ("steps", "no certificate: it has no steps"),
        ("theorem", "no certificate: it has no theorem"),
    ],
)
def test_what_a_certificate_lacks_is_named(field: str, line: str) -> None:
    text = made("stride")
    del text[field]
    with pytest.raises(Refused) as error:
        said(text)
    assert str(error.value) == line


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        ({"rule": "refl"}, "step 7 (refl): refl(term) does not apply to its 2 premises"),
        ({"premises": []}, "step 7 (trans): trans(first, second) does not apply to its 0 premises"),
        ({"premises": ["x", 7]}, "step 7 (trans): a premise is a theorem"),
        (
            {"rule": "kron", "premises": [1]},
            "step 7 (kron): kron(premises) does not apply to its 1 premise",
        ),
        ({"rule": "instantiate", "premises": [1]}, "step 7 (instantiate): instantiate(theorem, "),
        ({"rule": "magic"}, "step 7: 'magic' is not a rule; the rules are refl, sym, trans,"),
        ({"rule": ["refl"]}, "step 7: ['refl'] is not a rule; the rules are refl, sym, trans,"),
        ({"rule": None}, "step 7: None is not a rule"),
    ],
    ids=str,
)
def test_a_changed_step_is_refused_in_our_words(edit: dict[str, Any], line: str) -> None:
    text = made("stride")
    text["steps"][7] = text["steps"][7] | edit
    with pytest.raises(Refused) as error:
        said(text)
    assert str(error.value).startswith(line)


@pytest.mark.parametrize("key", ["rule", "premises", "left", "right", "hypotheses"])
def test_what_a_step_lacks_is_named(key: str) -> None:
    text = made("stride")
    del text["steps"][3][key]
    with pytest.raises(Refused, match=f"^step 3 has no {key}$"):
        said(text)


def test_a_changed_object_is_refused_in_our_words() -> None:
    text = made("stride")
    for changed in (["I"], ["Magic", 1], [None]):
        with pytest.raises(Refused, match=r"^object 5: it is no"):
            said(text | {"objects": [*text["objects"][:5], changed, *text["objects"][6:]]})


def test_an_edit_is_no_fault_of_ours() -> None:
    with pytest.raises(Refused) as error:
        said(made("two-radices") | {"name": SWAPPED})
    assert str(error.value).endswith(
        "the text of the certificate and its statement are two equations"
    )


SWAPPED = "L(r*s*t, r*s) = L(r*s*t, s) * L(r*s*t, t)"
EDITS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("stride", {"name": "L(N,r) * L(N,r) = I(N)"}),
    ("stride", {"name": "L(N,r) * L(N,N/r) = L(N,N)"}),
    ("stride", {"name": "I(N) = L(N,r) * L(N,N/r)"}),
    ("stride", {"substitution": {}}),
    ("stride", {"substitution": {"N": "N*r^2"}}),
    ("stride", {"substitution": {"N": "2*N*r"}}),
    ("stride", {"substitution": {"r": "N*r"}}),
    ("stride", {"substitution": {"N": "N*r", "r": "N"}}),
    ("stride", {"substitution": {"N": "N*r", "q": "r"}}),
    ("stride", {"substitution": {"N": "r*N+0"}}),
    ("stride", {"substitution": {"N": "N/r"}}),
    ("stride", {"substitution": {"N": "N*r^(2^60)"}}),
    ("stride", {"substitution": {"N": "N*"}}),
    ("stride", {"substitution": {"N": 3}}),
    ("stride", {"substitution": ["N"]}),
    ("stride", {"rows": "1; N, r; 1"}),
    ("stride", {"rows": "1"}),
    ("stride", {"rows": 7}),
    ("stride", {"without_roots": "L(N,r) = L(N,r)"}),
    ("stride", {"equation": "F(N) = F(N)"}),
    ("two-radices", {"name": "L(r*s*t, s*t) = L(r*s*t, s) * L(r*s*t, t)"}),
    ("two-radices", {"name": SWAPPED}),
    ("two-radices", {"substitution": {"r": "s", "s": "r"}}),
    ("two-radices", {"substitution": {"t": "2*t"}}),
    ("bounds", {"where": "m >= n + 1"}),
    ("count", {"where": ""}),
    ("count", {"where": "n >= 1"}),
    ("count", {"where": "n >= m - 1"}),
    ("count", {"where": "m >= n"}),
    ("bounds", {"substitution": {"n": "m+n"}}),
    ("bounds", {"substitution": {"n": "m+n+2"}}),
    ("bounds", {"substitution": {"n": "n+1"}}),
    ("bounds", {"substitution": {"m": "m+n+1"}}),
    ("bounds", {"name": "I(2^(n-m)) (x) I(2^m) = I(2^n)"}),
    ("put-in", {"where": "N = 2*r*s"}),
    ("put-in", {"where": ""}),
    ("put-in", {"substitution": {"N": "r*s^2"}}),
    ("blocks", {"name": EQUATIONS["blocks"][0].replace("A*C", "C*A")}),
    ("blocks", {"name": EQUATIONS["blocks"][0].replace("A, C : m x m", "A, C : k x k")}),
    ("blocks", {"rows": "1; n, m; 1"}),
    ("blocks", {"rows": "2; m, n; 1"}),
    ("blocks", {"columns": "1; m, n; 2"}),
    ("roots", {"name": "1/sqrt(N) * F(N) * (1/N * conj(F(N))) = I(N)"}),
    ("roots", {"name": "F(N) * (1/sqrt(N) * conj(F(N))) = I(N)"}),
    ("roots", {"without_roots": "F(N) * conj(F(N)) = I(N)"}),
    ("roots", {"without_roots": "0 * F(N) = 0 * F(N)"}),
    ("transposed", {"name": EQUATIONS["transposed"][0].replace("= transpose(B)", "= conj(B)")}),
    ("transposed", {"name": "A : m x n, B : n x k; conj(A * B) = conj(A) * conj(B)"}),
)


@pytest.mark.sampled(2)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("name", "edit"), EDITS, ids=str)
def test_an_edited_certificate_is_refused(name: str, edit: dict[str, Any]) -> None:
    with pytest.raises((Refused, ValueError)) as error:
        said(made(name) | edit)
    assert len(str(error.value)) < MOST


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("two-radices", {"name": SWAPPED}),
        ("two-radices", {"substitution": {"r": "t", "t": "r"}}),
        ("bounds", {"substitution": {"n": "m+n"}}),
        ("stride", {"substitution": {"N": "N*r^2"}}),
        ("blocks", {"rows": "1; n, m; 1"}),
        ("blocks", {"name": EQUATIONS["blocks"][0].replace("A*C", "C*A")}),
        ("roots", {"without_roots": "F(N) * conj(F(N)) = I(N)"}),
    ],
    ids=str,
)
def test_the_second_reading_refuses_it(name: str, edit: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="the text and what the kernel proves differ at"):
        said(made(name) | edit)


@pytest.mark.parametrize(
    ("name", "edit", "line"),
    [
        ("stride", {"rows": "1; m, n; 1"}, "m, n in rows, columns or without_roots: .* N, r$"),
        ("blocks", {"columns": "q; m, n; 1"}, "q in rows, columns or without_roots: .* m, n$"),
        ("roots", {"without_roots": "F(m) = F(m)"}, "m in rows, columns or without_roots: .* N$"),
        ("stride", {"rows": "1"}, "rows cannot be read: '1': .* copies; sizes; multiple$"),
        ("stride", {"substitution": {"N": "N*"}}, r"substitution cannot be read: 'N\*': column 3"),
        ("roots", {"without_roots": "F(N)"}, r"without_roots cannot be read: 'F\(N\)': column 5"),
    ],
    ids=str,
)
def test_a_field_that_is_none_is_named(name: str, edit: dict[str, Any], line: str) -> None:
    with pytest.raises(Refused, match=f"^no certificate: {line}"):
        said(made(name) | edit)


def test_a_replay_gives_the_conditions_that_whole_sizes_imply() -> None:
    assert said(made("stride"))[0].startswith(
        "proved L(N, r) * L(N, N/r) = I(N), where r divides N: "
    )
    assert ", where n >= m+1: " in said(made("bounds"))[0].replace(" + ", "+")


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("where", ["", "n >= 1", "n >= m - 1"])
def test_a_condition_that_is_needed_is_missed(where: str) -> None:
    text = made("count")
    claim = Claim.read(text["name"], where, text)
    found = compare(claim, replay(text))
    assert found.difference.endswith("the kernel's statement does not speak of these values")


def test_the_translation_has_no_say_in_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """A translation that is wrong in the way of the edit does not help it."""
    edited = made("two-radices") | {"name": SWAPPED}
    right = claimed_theorems.claim_of

    def wrong(sides: Any, conditions: Any) -> Any:
        terms, claim = right(claimed_theorems.parse(EQUATIONS["two-radices"][0]), conditions)
        return terms, type(claim)(sides, claim.conditions, claim.substitution)

    monkeypatch.setattr(claimed_theorems, "claim_of", wrong)
    with pytest.raises(Refused, match="the text of the certificate and its statement are two"):
        said(edited)


def test_the_checker_that_stands_alone_prints_the_claim_and_compares_nothing() -> None:
    line = said_alone(made("stride"))[-1]
    assert line == (
        "claimed by the certificate, and not compared here: name: L(N, r) * L(N, N/r) = I(N);"
        " substitution: {'N': 'N*r'}"
    )
    assert said_alone(made("stride") | {"name": "F(N) = I(N)"})[-1].count("F(N) = I(N)") == 1


def test_the_head_of_a_coq_file_has_the_text_of_its_statement() -> None:
    head, _, _ = nw.prove(*EQUATIONS["put-in"]).to_coq().partition("From Nodewright")
    assert (
        "   formula: L^{r s}_{r} L^{r s}_{s} = I_{r s}\n     equation: L(N, r) * L(N, s) = I(N)\n"
        "     conditions: N = r*s\n     substitution: N = r*s\n"
    ) in head


def test_the_head_of_a_coq_file_has_the_text_of_each_part_of_a_theorem() -> None:
    head, _, _ = nw.theorem("bsp-3.6").to_coq().partition("From Nodewright")
    for part, text in zip(("1", "2"), nw.theorem("bsp-3.6").theorem.equations, strict=True):
        lines = head[head.index(f"bsp_3_6_{part}:") :].splitlines()[1:4]
        assert lines == [
            f"     equation: {parse(text)}",
            "     conditions: none",
            "     substitution: none",
        ]
