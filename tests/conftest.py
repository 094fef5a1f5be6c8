"""Of the cases of a test marked `sampled(k)` every k-th is run by default, and the others with `-m
slow`; with `-m long` where it is marked `sampled(k, rest="long")`, which samples those left by the
other.
"""

import gc
import os
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from derive.verdict import Tested
from tests.support.commands import Command, done

Tested.__test__ = False  # a verdict, no class of tests

# Tests and the commands that they start are compiled once, also where no bytecode is wanted.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile("ci", settings.get_profile("ci"), max_examples=25)


@pytest.fixture
def nodewright(monkeypatch, capsys) -> Command:
    """Do a command in this process: its exit status, standard output and standard error."""
    return partial(done, monkeypatch, capsys)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    seen = Counter()
    for item, mark in [(item, mark) for mark in ("slow", "long") for item in items]:
        sampled = (m for m in item.iter_markers("sampled") if m.kwargs.get("rest", "slow") == mark)
        closest = next(sampled, None)
        if closest is None or item.get_closest_marker("slow"):
            continue
        [every] = closest.args
        test = item.nodeid.partition("[")[0], mark
        if seen[test] % every:
            item.add_marker(mark)
        seen[test] += 1
    # What builds the site, reads all files or runs all examples comes first: the work of others is
    # handed from one worker to another at the end, and is in small pieces then. Before it come
    # transforms that numba compiles in this process: a text that is certified here leaves its types
    # of vectors with numba.
    items.sort(
        key=lambda item: (
            "runtime" not in item.path.parts,
            item.path.parent != Path(__file__).parent,
        )
    )


def pytest_collection_finish():
    """What is collected stays: looking for cycles among it would take a tenth of the time."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
