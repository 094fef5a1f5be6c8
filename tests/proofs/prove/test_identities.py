"""The table of identities: each has its verdict, and what is true is never refuted."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.identities import Identity, identities
from derive.text.parse import parse

QUICK = [one for one in identities() if float(one.seconds) < 5]


@pytest.mark.sampled(24)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("one", QUICK, ids=lambda one: one.equation)
def test_an_identity_has_the_verdict_of_the_table(one: Identity) -> None:
    assert one.found() == one.verdict


def test_the_table_counts_what_is_proved() -> None:
    """Of the identities that are true, what is not proved is undecided, or refused by name."""
    counts = Counter((one.family.partition(":")[0], one.verdict) for one in identities())
    assert {verdict for family, verdict in counts if family == "false"} == {"refuted"}
    proved = {
        new: sum(
            count
            for (family, verdict), count in counts.items()
            if verdict == "proved" and (family == "new") == new
        )
        for new in (False, True)
    }
    assert proved[False] >= 319 and proved[True] >= 49 and counts["false", "refuted"] >= 193


def test_every_equation_of_the_table_prints_as_it_is_read() -> None:
    for one in identities():
        assert parse(str(parse(one.equation))) == parse(one.equation)
