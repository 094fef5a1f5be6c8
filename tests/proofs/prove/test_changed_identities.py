"""Circulants and cosine transforms: with one thing changed, the kernel refuses what is proved."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bench.identities import Identity, identities
from derive.text.parse import parse, parse_relations
from proofs.prove.equation_proofs import decide_for_all
from tests.mutation.wrong_statements import wrong_theorems

FAMILIES = ("circulants", "cosine transforms")
QUICK = [one for one in identities() if one.family in FAMILIES and float(one.seconds) < 0.5]


@pytest.mark.sampled(10)
@pytest.mark.long
@pytest.mark.parametrize("one", QUICK, ids=lambda one: one.equation)
def test_no_changed_identity_that_numbers_refute_is_accepted(one: Identity) -> None:
    theorem = decide_for_all(parse(one.equation), parse_relations(one.where)).theorem
    assert theorem is not None
    told = Counter[tuple[bool, bool]]()
    for wrong in wrong_theorems(theorem, Random(one.equation)):
        told[wrong.refuted, wrong.proved] += 1
        assert not (wrong.refuted and wrong.proved), (wrong.what, wrong.statement)
    assert told[True, False] > 3
