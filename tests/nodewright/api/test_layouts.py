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


@pytest.mark.parametrize(
    ("name", "size", "ranks"),
    [("cyclic", "12", "3"), ("cyclic-pairs", "16", "4"), ("cyclic,block", "4x6", "2x1")],
)
def test_a_layout_of_any_size_says_what_the_command_prints(same, nodewright, name, size, ranks):
    found, j = nw.layout(name, size, ranks), np.arange(12)
    words = ("layout", name, "--size", size, "--ranks", ranks)
    assert same(found.to_dict(), *words)
    assert nodewright(*words)[1] == found.table() + "\n"
    assert np.array_equal(found.index(*found.place(j)), j)


@pytest.mark.parametrize("name", NAMES)
def test_index_undoes_place(name):
    found, j = nw.layout(name, "2^10", 4), np.arange(1024)
    assert np.array_equal(found.index(*found.place(j)), j)


@pytest.mark.parametrize(
    ("name", "size", "complaint"),
    [
        ("f:1", 1000, "unknown layout 'f:1' of an axis of 1000 elements"),
        ("cyclic", 1002, "992 or 1008 elements"),
        ("cyclic", (7, 5), "ranks divides the axes"),
        ("round", 16, "unknown layout 'round'"),
    ],
)
def test_what_is_no_layout_is_refused(name, size, complaint):
    with pytest.raises(ValueError, match=complaint):
        nw.layout(name, size, 4)


OUT_OF_RANGE = {
    "index must be an integer from 0 to 15; got 16": lambda it: it.place(16),
    "index must be an integer .*; got -1": lambda it: it.place(-1),
    "index must be an integer .*; got 19": lambda it: it.place(np.array([3, 19])),
    "index must be an integer .*; got 1.5": lambda it: it.place(1.5),
    "index must be an integer .*; got 'a'": lambda it: it.place("a"),
    "index must be an integer .*; got True": lambda it: it.place(True),
    "rank must be an integer from 0 to 3; got 4": lambda it: it.index(4, 0),
    "rank must be an integer .*; got -1": lambda it: it.index(np.arange(4) - 1, 0),
    "offset must be an integer from 0 to 3; got 4": lambda it: it.index(0, 4),
    "offset must be an integer .*; got 7": lambda it: it.index(0, [0, 7]),
}


@pytest.mark.parametrize("name", [*NAMES, "half-spectrum"])
@pytest.mark.parametrize("complaint", OUT_OF_RANGE)
def test_indices_ranks_and_offsets_out_of_range_are_refused(name, complaint):
    with pytest.raises(ValueError, match=f"^{complaint}"):
        OUT_OF_RANGE[complaint](nw.layout(name, 16, 4))


@pytest.mark.parametrize("name", [*NAMES, "half-spectrum"])
def test_integers_of_numpy_arrays_and_lists_are_taken(name):
    found = nw.layout(name, 16, 4)
    each = [found.place(j) for j in range(16)]
    assert [found.place(np.int32(j)) for j in range(16)] == each
    assert [*zip(*map(np.ndarray.tolist, found.place([*range(16)])), strict=True)] == each
    assert found.index([rank for rank, _ in each], [o for _, o in each]).tolist() == [*range(16)]


TYPES = ("u1", "i1", "u2", "i4", "u4", "u8", ">i8")
"""Types in which indices are given."""
LARGE = {
    **dict.fromkeys((*NAMES, "half-spectrum"), (2**40, 2**20)),
    "cyclic-pairs": (10**9, 10**4),
    "cyclic,block": ((10**6, 10**6), (10**3, 10**3)),
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("dtype", TYPES)
def test_indices_are_computed_in_64_bits_whatever_type_they_are_given_in(name, dtype):
    found, given = nw.layout(name, *LARGE[name]), np.array([1, 2, 3, 100], dtype)
    top = found.P - 1
    for rank in (given, 5, top):
        index = found.index(rank, given)
        assert index.dtype == np.int64
        each = [found.index(s, o) for s, o in np.broadcast(rank, given)]
        assert index.tolist() == [*map(int, each)]
    places = found.place(given)
    assert [part.dtype for part in places] == [np.int64] * 2
    assert [*zip(*map(np.ndarray.tolist, places), strict=True)] == [
        found.place(int(j)) for j in given
    ]


def test_places_of_indices_given_in_few_bits_are_those_of_integers():
    assert nw.layout("block", 1024, 4).index(np.array([1, 2, 3], "u1"), 5).tolist() == [
        *(261, 517, 773)
    ]
    assert nw.layout("cyclic", 2**33, 2).index(1, np.array([2**31 - 1], "i4")).tolist() == [
        2**32 - 1
    ]
    assert nw.layout("block", 16, 4).place(np.array([3, 15], "u8"))[0].tolist() == [0, 3]
    assert nw.permutation("bit-reversal", 10)(np.array([1, 3], "u1")).tolist() == [512, 768]


@pytest.mark.parametrize(
    ("index", "complaint"),
    [
        (5000, "index must be an integer from 0 to 7; got 5000"),
        (8, "index must be an integer from 0 to 7; got 8"),
        (-1, "index must be an integer from 0 to 7; got -1"),
        (1.0, "index must be an integer from 0 to 7; got 1.0"),
        (True, "index must be an integer from 0 to 7; got True"),
        (np.array([0, 9], "u1"), "index must be an integer from 0 to 7; got 9"),
        (np.array([0, -2]), "index must be an integer from 0 to 7; got -2"),
        (np.array([0.0, 1.0]), "index must be an integer from 0 to 7; got 0.0 of type float64"),
        (np.array([True]), "index must be an integer from 0 to 7; got True of type bool"),
        ([[1], [1, 2]], "index must be an integer from 0 to 7; got lists of unequal lengths"),
    ],
)
@pytest.mark.parametrize("of", ["permutation", "inverse", "digits", "factor"])
def test_permutations_refuse_what_is_no_index(index, complaint, of):
    reversal = nw.permutation("bit-reversal", 3)
    digits = nw.layout("cyclic", (2, 4), (2, 1)).address
    maps = {"permutation": reversal, "inverse": reversal.inverse(), "digits": digits}
    maps["factor"] = nw.factor("bit-reversal", n=3, p=1).V
    with pytest.raises(ValueError, match=f"^{complaint}"):
        maps[of](index)


@pytest.mark.parametrize("index", [-1, 64, 1.0, True, np.array([3, 64], "u1"), np.array([2.0])])
@pytest.mark.parametrize("transform", [nw.FFT, nw.FHT, nw.RFFT])
def test_calls_refuse_what_is_no_index_and_compute_in_64_bits(index, transform):
    with transform(None, 64) as fft:
        for place in (fft.input_place, fft.output_place):
            with pytest.raises(ValueError, match=r"index .*: indices are integers from 0 to 63"):
                place(index)
            assert [part.dtype for part in place(np.array([1, 63], "u1"))] == [np.int64] * 2


def test_a_table_of_many_indices_is_refused():
    with pytest.raises(ValueError, match="a table is printed up to 1024 elements"):
        nw.layout("cyclic", 2048, 4).table()


def test_layouts_of_axes_may_be_tuples_and_lists():
    names = ("block", "whole", "whole"), ["whole", "block", "whole"]
    with nw.FFT(None, (12, 10, 8), *names) as fft:
        assert (fft.request.input, fft.request.output) == ("block,whole,whole", "whole,block,whole")
        x = np.ones(fft.local_shape, complex)
        assert np.allclose(fft.backward(fft.forward(x)), x)
    assert nw.fft((12, 10, 8), 2, input=names[0], output=names[1]).text == (
        nw.fft((12, 10, 8), 2, input="block,whole,whole", output="whole,block,whole").text
    )
    assert nw.layout(("cyclic", "block"), (4, 6), (2, 1)).name == "cyclic,block"
    for wrong in (("block", 3), 3, None):
        with pytest.raises(ValueError, match=r"input must be a string; got (3|None)"):
            nw.fft((4, 6), 2, input=wrong)


@pytest.mark.parametrize("name", ["block,whole,whole", "whole,block,whole", "cyclic"])
def test_a_number_of_ranks_is_the_grid_that_the_program_has(nodewright, name):
    found, program = nw.layout(name, "12x10x8", 2), nw.fft("12x10x8", 2, input=name, output=name)
    assert found.to_dict() == nw.layout(name, "12x10x8", program.request.grid).to_dict()
    code, out, err = nodewright("layout", name, "--size", "12x10x8", "--ranks", 2)
    assert (code, out.rstrip(), err) == (0, found.table().rstrip(), "")


def test_a_number_of_ranks_that_no_program_takes_is_refused_with_those_that_do():
    with pytest.raises(ValueError, match=r"no grid of .* ranks divides the axes .*; try"):
        nw.layout("cyclic", (7, 5), 3)


def test_names_of_too_few_axes_are_refused_in_words():
    for make in (nw.layout, lambda name, size, ranks: nw.fft(size, ranks, input=name)):
        with pytest.raises(
            ValueError, match="must be one name for all 3 axes, or one name for each"
        ):
            make("block,block", (7, 5, 3), 1)


def test_unequal_parts_are_printed_with_what_their_ranks_have() -> None:
    assert nw.layout("block", 10, 4).to_dict()["index"] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    table = nw.layout("balanced", 5, 3).table()
    assert [line.split() for line in table.splitlines()[1:]] == [
        ["offset", "0", "0", "2", "4"],
        ["offset", "1", "1", "3"],
    ]
    assert nw.layout(("block", "whole"), (5, 2), 7).drawing().title.endswith("P = 7 x 1 = 7 ranks")


def test_layouts_of_unequal_parts_are_those_of_transforms() -> None:
    layout = nw.layout("block", (5, 4), 3)
    with nw.FFT(None, (5, 4)) as fft:
        assert fft.input_place(3, 1)[1] == 13
    assert layout.place(13) == (1, 5)
