"""Calls that a program refuses leave later ones as they are; where they do not, the contract does
not hold.
"""

from __future__ import annotations

import pytest

from proofs.certify.program import decided
from tests.support.by_hand import Wrong, edited, gathered
from tests.support.certified import fate_of
from tests.support.refused import HOLDS, REFUTED

BEGINS = '    """Allgather, then one transform of length N on each rank."""\n'
SHAPE = "    if x.shape != (M,):\n        raise ValueError('x must have M elements')\n"
SPOILS = {
    "    plan.scale /= 1 + (x.shape != (M,))\n": "an x with more elements",
    "    x *= 1 + (x.shape != (M,))\n": "an x with more elements and changes x first",
    "    SCALE.append(1) if x.shape != (M,) else None\n": "an x with more elements",
    "    plan.whole = plan.whole[: x.size * P]\n": "an x with fewer elements",
    "    plan.own = plan.own if x.dtype == DTYPE else None\n": "an x of another dtype",
    "    plan.own = plan.own if x.ndim == 1 else None\n": "an x with another axis",
    "    plan.own.Isend(x, 0) if x.shape != (M,) else None\n": "an x with more elements",
    "    if out is x:\n        x[:] = 0\n        raise ValueError('x as out')\n": (
        "transform refuses x as out and changes x first"
    ),
}
"""What transforms do before they refuse an x, and the first case in which it matters."""


def program(lines, refuses=SHAPE):
    """Return a right program whose transform begins with these lines, and then refuses wrong x."""
    source = edited(gathered(), Wrong(BEGINS, BEGINS + lines + refuses))
    source = source.replace("class Plan:\n", "SCALE = [1]\n\n\nclass Plan:\n")
    source = source.replace("self.comm = comm\n", "self.comm, self.scale = comm, 1\n")
    return source.replace("return mine.copy()", "return mine * plan.scale * len(SCALE)")


def certificate_of(source, folder):
    path = folder / "prog.py"
    path.write_text(source, "utf-8")
    return decided(path, ran=0)


@pytest.mark.sampled(2)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("lines", SPOILS)
def test_a_refused_call_that_spoils_later_ones_refutes_the_contract(lines, tmp_path):
    refuses = SHAPE + SHAPE.replace("x.shape != (M,)", "x.dtype != DTYPE")
    found = fate_of(program(lines, refuses), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("contract",))
    assert SPOILS[lines] in found.reason


@pytest.mark.sampled(2)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    ("lines", "refuses", "words"),
    [
        ("", SHAPE, "the code that refuses them is not that of generated programs"),
        ("    plan.whole[:2] = 1\n", SHAPE, "the code that refuses them is not that of generated"),
        (
            "    plan.calls = x.shape\n",
            SHAPE,
            "an x with more elements and changes the attribute calls",
        ),
        (
            "    plan.more = getattr(plan, 'more', 0) + (x.shape != (M,))\n",
            SHAPE,
            "changes the attribute more",
        ),
        ("    SCALE[0] = 1 if x.shape == (M,) else 1.0\n", SHAPE, "changes SCALE, a name of the"),
        (
            "    plan.scale *= x.size // M\n    np.add(x, np.ones(M))\n",
            "",
            "after transform has refused an x with fewer elements, the result of a transform is",
        ),
    ],
)
def test_a_refused_call_without_an_effect_that_is_found_holds(lines, refuses, words, tmp_path):
    source = program(lines, refuses)
    certificate = certificate_of(source, tmp_path)
    assert certificate.holds
    assert words in certificate.verdicts["contract"].reason


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("changes", ["SCALE.append(1)", "SCALE.extend([1] * (np.size(j) == 1))"])
def test_what_a_place_changes_is_named(changes, tmp_path):
    place = "def input_place(j):\n"
    source = edited(gathered(), Wrong(place, f"SCALE = []\n\n\n{place}    {changes}\n"))
    certificate = certificate_of(source, tmp_path)
    assert certificate.holds
    reason = certificate.verdicts["contract"].reason
    assert "input_place changes SCALE, a name of the module, and transform is not" in reason


@pytest.mark.long
def test_what_a_place_changes_in_a_result_that_is_kept_is_named(tmp_path):
    place = "def input_place(j):\n"
    box = "@functools.cache\ndef box():\n    return []\n\n\n"
    source = edited(gathered(), Wrong(place, f"{box}{place}    box().append(1)\n"))
    source = source.replace("import numpy as np\n", "import functools\nimport numpy as np\n")
    certificate = certificate_of(source, tmp_path)
    reason = certificate.verdicts["contract"].reason
    assert "input_place changes what a function keeps, and transform is not" in reason
    right = certificate_of(source.replace("box().append(1)", "box()"), tmp_path)
    assert "input_place changes" not in right.verdicts["contract"].reason


@pytest.mark.long
def test_a_guard_that_refuses_a_nan_leaves_the_plan_as_it_is(tmp_path):
    guard = "    if np.isnan(x).any():\n        plan.own = None\n        raise ValueError('NaN')\n"
    found = fate_of(program("", guard), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("contract",))
    assert fate_of(program("", guard.replace("plan.own = None", "pass")), tmp_path).fate == HOLDS
