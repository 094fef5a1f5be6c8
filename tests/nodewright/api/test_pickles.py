"""What public names return is pickled and copied, and equal afterwards; a proof is copied alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nodewright as nw

VALUES: dict[str, Callable[[], Any]] = {
    "a variable": lambda: nw.Variable("A", 2, 3),
    "a formula with symbols": lambda: nw.kron(nw.F("r"), nw.I("s")) @ nw.T("r*s", "s"),
    "a power": lambda: nw.F("n") ** -1,
    "a direct sum": lambda: nw.direct_sum(nw.F(2), nw.J(3)),
    "an equation": lambda: nw.equation("L(r*s, r) * L(r*s, s) = I(r*s)"),
    "a verdict": lambda: nw.check("L(8, 2) * L(8, 4) = I(8)"),
    "a refutation": lambda: nw.check("L(8, 2) = I(8)"),
    "a refuted proof": lambda: nw.prove("L(n, 1) = J(n)"),
    "a theorem": lambda: nw.theorem("cooley-tukey"),
    "a layout": lambda: nw.layout("cyclic", 16, 4),
    "a Hartley layout": lambda: nw.layout("hartley", 16, 4),
    "a permutation": lambda: nw.permutation("bit-reversal", 3),
    "a factorization": lambda: nw.factor("bit-reversal", n=4, p=2),
    "a witness": lambda: nw.recognize([0, 1, 2, 2]),
    "a program": lambda: nw.fft(16, 2, output="cyclic"),
    "a program of a permutation": lambda: nw.permute(16, 2, "shuffle"),
    "costs": lambda: nw.fft(16, 2).cost(),
    "errata": lambda: nw.errata(["bsp-2.6-stage", "hypercube-3"]),
    "a local plan": lambda: nw.LocalPlan([[0, 1], [1, 0]], 1, "f4"),
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_equal_to_its_copies(name: str, way: str) -> None:
    value = VALUES[name]()
    other = WAYS[way](value)
    assert type(other) is type(value)
    assert other == value
    assert repr(other) == repr(value)


def test_programs_and_plans_of_other_requests_are_not_equal() -> None:
    program, plan = nw.fft(16, 2), nw.LocalPlan([[0, 1], [1, 0]], 1, "f4")
    assert program != nw.fft(16, 2, output="cyclic")
    assert nw.permute(16, 2, "shuffle") != nw.permute(16, 2, "unshuffle")
    assert len({program, nw.fft(16, 2), nw.fft(16, 4)}) == 2
    assert plan not in (nw.LocalPlan([[0, 1], [1, 0]], 0, "f4"), nw.LocalPlan(np.eye(2), 1, "f4"))


def test_a_pickled_plan_performs_what_it_did() -> None:
    plan = nw.LocalPlan([[0, 1], [1, 0]], 1, "f8")
    x = np.arange(4.0)
    assert np.array_equal(WAYS["pickle"](plan).perform(x), plan.perform(x))


def test_a_proof_is_copied_and_its_certificate_is_what_is_kept() -> None:
    proof = nw.prove("L(n, 1) = I(n)")
    assert proof.kind == "proved"
    assert copy.copy(proof) == copy.deepcopy(proof) == proof
    with pytest.raises(TypeError, match=r"a proof is not pickled, .* save\(path\) writes its cert"):
        pickle.dumps(proof)
