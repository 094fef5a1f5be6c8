"""The public names: each documented by an example, and imported when it is first used."""

import subprocess
import sys

import pytest

import nodewright as nw
from tests.support.paths import ROOT

LEAST = 0.25
"""Seconds of processor time that the import may take."""
CONTRACT = [
    "equation",
    "check",
    "prove",
    "theorem",
    "theorems",
    "errata",
    "F",
    "I",
    "H",
    "L",
    "T",
    "R",
    "J",
    "kron",
    "direct_sum",
    "equations",
    "factor",
    "recognize",
    "layout",
    "fft",
    "fht",
    "hypercube_fft",
    "permute",
    "program",
    "certify",
]


def test_every_name_that_is_promised_is_there():
    assert set(CONTRACT) <= set(nw.__all__)
    assert set(dir(nw)) == {*nw.__all__, "__version__"}


OF_A_COMMUNICATOR = {"PermutationPlan", "bmmc_permute", "factor_bmmc", "perform_bmmc"}
"""What runs under MPI alone, where no example can."""


@pytest.mark.parametrize("name", sorted({*nw.__all__} - OF_A_COMMUNICATOR))
def test_every_public_name_has_an_example(name):
    thing = getattr(nw, name)
    texts = [thing.__doc__ or ""]
    if isinstance(thing, type):
        texts += [getattr(part, "__doc__", None) or "" for part in vars(thing).values()]
    assert texts[0]
    assert any(">>> " in text for text in texts)


def test_a_name_that_is_not_there_is_no_attribute():
    with pytest.raises(AttributeError, match="'nodewright' has no attribute 'hilbert'"):
        nw.hilbert  # noqa: B018


def test_the_version_is_that_of_the_command(nodewright):
    code, out, _ = nodewright("--version")
    assert (code, out) == (0, f"nodewright {nw.__version__}\n")


def test_importing_takes_little_time_and_no_library():
    look = (
        "import sys, time; start = time.process_time(); import nodewright;"
        " print(time.process_time() - start, 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True
    )
    seconds, numpy = done.stdout.split()
    assert (float(seconds) < LEAST, numpy) == (True, "False")
