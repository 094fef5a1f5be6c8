"""Layouts by name."""

import numpy as np
import pytest

import nodewright as nw

NAMES = (
    "block",
    "cyclic",
    "group-cyclic:2",
    "f:1",
    "bit-reversed",
    "scrambled",
    "hartley",
    "hartley-input",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_layout_says_what_the_command_prints(same, nodewright, name):
    found = nw.layout(name, 16, 4)
    words = ("layout", name, "--size", 16, "--ranks", 4)
    assert same(found.to_dict(), *words)
    assert nodewright(*words)[1] == found.table() + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_index_undoes_place(name):
    found, j = nw.layout(name, "2^10", 4), np.arange(1024)
    assert np.array_equal(found.index(*found.place(j)), j)


@pytest.mark.parametrize(
    ("name", "size", "complaint"),
    [("cyclic", 1000, "N = 1000 is not a power of two"), ("round", 16, "unknown layout 'round'")],
)
def test_what_is_no_layout_is_refused(name, size, complaint):
    with pytest.raises(ValueError, match=complaint):
        nw.layout(name, size, 4)


def test_a_table_of_many_indices_is_refused():
    with pytest.raises(ValueError, match="a table is printed up to 1024 elements"):
        nw.layout("cyclic", 2048, 4).table()
