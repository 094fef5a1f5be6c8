"""Verdicts: what each says, and when it is true."""

import json

import pytest

from derive.verdict import Checked, Proved, Refuted, Tested, Undecided, holds

SAID = {
    "proved": (Proved("F = F", ("refl", "sym")), "refl, sym"),
    "checked": (Checked("F = F", "all 4 entries"), "all 4 entries"),
    "tested": (Tested("y", 1e-16, 2e-15, "8 eps"), "error 1.00e-16, tolerance 8 eps = 2.00e-15"),
    "refuted": (Refuted("F = H", "1 is not 2", "T"), "1 is not 2; smallest wrong factor: T"),
    "undecided": (Undecided("F = H", "no time"), "no time"),
}


@pytest.mark.parametrize("kind", SAID)
def test_a_verdict_says_its_strength_and_its_evidence(kind):
    verdict, evidence = SAID[kind]
    assert (verdict.kind, verdict.evidence) == (kind, evidence)
    assert verdict.evidence in str(verdict) or kind == "proved"
    assert verdict.counterexample == ("1 is not 2" if kind == "refuted" else None)
    assert verdict.holds == holds(verdict) == (kind not in ("refuted", "undecided"))


@pytest.mark.parametrize("kind", SAID)
def test_a_verdict_is_true_or_false_where_it_is_decided(kind):
    verdict, _ = SAID[kind]
    if kind == "undecided":
        with pytest.raises(ValueError, match="neither true nor false"):
            bool(verdict)
    else:
        assert bool(verdict) == verdict.holds


@pytest.mark.parametrize("kind", SAID)
def test_a_verdict_prints_its_fields_after_its_strength(kind):
    verdict, _ = SAID[kind]
    found = verdict.to_dict()
    fields = [name for name in vars(verdict) if name not in ("under", "all_sizes")]
    assert list(found) == ["verdict", *fields]
    assert json.loads(json.dumps(found))["verdict"] == kind
