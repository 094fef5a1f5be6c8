"""Certification of permutations with compiled kernels: right ones of every element size, damaged
kernels and plans, edited lanes.
"""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from codegen.kernels import plain
from codegen.kernels.permute import blocks, tiles
from codegen.kernels.permute.text import section
from derive import verdict as kind
from proofs.certify.arrays.tokens import Opaque, Tokens
from proofs.certify.checks.suite import tried
from proofs.certify.forbidden import Forbidden
from proofs.certify.kernels import compiled, sections
from proofs.certify.program import WITH_NUMBA, WITH_OPERATIONS, certify
from proofs.certify.sandbox.loading import Text
from proofs.certify.sandbox.source import COMPILED, INTERPRETED, Source
from tests.support.changes import changed, changed_once
from tests.support.judged import refuted, verdicts
from tests.support.kernels.permutations import ELEMENTS, MATRICES, STORE, WRONG, nested_loops, text
from tests.support.lines import IMPORT

pytestmark = pytest.mark.sampled(48)

SECTION, DOOR, IN_ITS_PLACE = (
    each["cached"] for each in (sections.SECTIONS, sections.DOORS, sections.IN_ITS_PLACE)
)


@pytest.fixture
def streaming(monkeypatch):
    """Have small arrays streamed past the caches."""
    monkeypatch.setattr(tiles, "STREAM_FROM", 0)
    text.cache_clear()
    yield
    text.cache_clear()


def holds(program):
    found = verdicts(program)
    assert [str(verdict) for verdict in found.values() if not kind.holds(verdict)] == []
    assert list(found) == ["layout", "messages", "function", "cost", "contract", "bytes", "main"]
    return found


@pytest.mark.long
@pytest.mark.parametrize("dtype", ELEMENTS)
@pytest.mark.parametrize("name", MATRICES)
def test_tiles_of_every_element_size_are_certified(dtype, name):
    P = (1, 2, 4, 8)[(list(ELEMENTS).index(dtype) + MATRICES.index(name)) % 4]
    found = holds(text(dtype, ELEMENTS[dtype], P, name))
    assert found["bytes"].formula.endswith(COMPILED)


@pytest.mark.long
@pytest.mark.parametrize("P", [1, 4, *(pytest.param(P, marks=pytest.mark.slow) for P in (2, 8))])
@pytest.mark.parametrize("name", MATRICES)
def test_tiles_are_certified_for_every_number_of_ranks(name, P):
    holds(text(name=name, P=P, layouts=("cyclic", "block")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "P"),
    [("uint8", 2), ("int16", 1), ("float32", 4), ("float64", 2), ("complex128", 1), ("V64", 4)],
)
def test_tiles_that_are_streamed_are_certified(streaming, dtype, P):
    program = text(dtype, ELEMENTS[dtype], P)
    assert "stream(target, " in program
    holds(program)


@pytest.mark.parametrize(
    ("dtype", "P", "name"),
    [
        ("float64", 1, "bit-reversal"),
        ("complex128", 2, "gray-code"),
        ("i4,f8", 4, "random"),
        ("S5", 8, "random"),
    ],
)
def test_gray_code_order_is_certified(dtype, P, name):
    holds(text(dtype, 8, P, name, "gray"))


def test_short_arrays_go_element_by_element():
    program = text(n=6, P=4)
    assert "class Lines:" not in program and "neighbours(" in program
    holds(program)


@pytest.fixture
def in_rows(monkeypatch):
    """Have numpy go in tiles of few elements, whatever the permutation."""
    for constant, value in (
        ("FROM", dict.fromkeys(blocks.FROM, 0)),
        ("SCATTERED", 0),
        ("TILE_BITS", 5),
    ):
        monkeypatch.setattr(blocks, constant, value)
    text.cache_clear()
    yield
    text.cache_clear()


@pytest.mark.parametrize("dtype", ["float64", "i4,f8"])
@pytest.mark.parametrize("name", MATRICES)
def test_tiles_of_rows_for_numpy_alone_are_certified(in_rows, name, dtype):
    program = text(dtype, 9, 2, name, "numpy")
    assert "plan.tiles.move(" in program
    holds(program)


WRONG_TILES = {
    "gathered where they are put": ("s ^ self.rows[0]", "s ^ self.rows[1]"),
    "put one upon the other": ("target[t // self.row ^ self.rows[1]]", "target[t // self.row ]"),
    "not turned": (
        "self.inside ^ self.inside[t % self.row] if t % self.row else self.inside",
        "self.inside if t % self.row else self.inside",
    ),
    "one step less": ("zip(*self.steps)", "zip(*(side[1:] for side in self.steps), strict=True)"),
    "another rank's complement": ("affine((142,), rank, 224)", "affine((142,), rank ^ 1, 224)"),
}


@pytest.mark.parametrize("name", WRONG_TILES)
def test_wrong_tiles_of_rows_are_refused(in_rows, name):
    assert list(refuted(changed(text(n=9, kernels="numpy"), WRONG_TILES[name]))) == ["function"]


@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_kernel_or_plan_is_refused(name):
    found = refuted(changed(nested_loops(), WRONG[name]))
    assert list(found) in (["function"], ["contract"])


@pytest.mark.long
def test_the_program_that_is_damaged_is_right():
    assert refuted(nested_loops()) == {}


@pytest.mark.long
def test_a_streaming_store_wants_an_array_that_begins_on_a_line(streaming):
    program = text(P=4)
    for change in (
        ("int(begins_on_line(target))", "1"),
        ("self.work = aligned(..., ...)", "self.work = np.empty(..., ...)"),
    ):
        found = refuted(changed(program, change))
        if change[1] == "1":
            [words] = found.values()
            assert "does not begin on a multiple of 64 bytes" in words
        else:
            assert found == {}  # it is stored, then


def test_each_way_of_storing_is_run_where_lines_are_streamed(streaming):
    program = text(P=4)
    for put in ("stream", "store"):
        way = STORE.replace("store", put)
        found = refuted(changed(program, (way, way.replace("lines[1]", "lines[0]"))))
        assert list(found) in (["function"], ["contract"]), put


def test_a_kernel_that_streams_ends_with_a_fence(streaming):
    [(name, words)] = refuted(changed(text(P=4), ("fence()", "None"))).items()
    assert name in ("function", "contract")
    assert re.search(r"\w ends with \d+ streaming stores and no fence\(\) after", words)


EDITED = {
    "another alignment": ("b.store(value, pointer, align=1)", "b.store(value, pointer, align=64)"),
    "another instruction": (
        '{64: ("f", "di"), 32: ("f", "si"), 16: ("bw", "hi"), 8: ("vbmi", "qi")}',
        '{64: ("f", "df"), 32: ("f", "si"), 16: ("bw", "hi"), 8: ("vbmi", "qi")}',
    ),
    "a word of a comment": (
        '"""Store lines at place ^ places[0], .."""',
        '"""Put lines at places."""',
    ),
}


@pytest.mark.parametrize("name", EDITED)
def test_edited_lanes_are_not_modelled(name):
    with pytest.raises(ValueError, match="word for word"):
        tried("prog.py", changed(nested_loops(), EDITED[name]), 0)


def test_lanes_in_a_text_or_twice_are_none():
    inside = changed_once(nested_loops(), (IMPORT, f"{IMPORT}\nTEXT = r'''\n{SECTION}\n\n'''\n"))
    with pytest.raises(ValueError, match="word for word"):
        tried("prog.py", inside, 0)
    alone = changed(nested_loops(), (SECTION, f"r'''\n{SECTION}\n\n'''\n"))
    assert sections.without(alone) == alone


def test_the_certifier_knows_the_operations_of_emitted_programs_by_their_digest():
    digests = {
        hashlib.sha256(section(name).encode()).hexdigest(): name for name in sections.OPERATIONS
    }
    assert digests.items() <= sections.KNOWN.items()
    assert sections.known_sections(lambda name: section(name) + "\n") == {}
    assert list(sections.known_sections(section)) == list(sections.OPERATIONS)


def test_a_decorator_of_ones_own_is_not_taken_for_the_houses():
    gray = text(n=8, kernels="gray")
    assert sections.section_of(gray) == "compiling"
    with pytest.raises(ValueError, match="reaches behind what a node program works with"):
        tried("prog.py", changed(gray, ("njit(cache=...)", "njit(fastmath=True, cache=...)")), 0)


@pytest.mark.parametrize("statement", [IN_ITS_PLACE.partition("; ")[2], f"import {DOOR}"])
def test_no_text_can_ask_for_what_stands_for_the_lanes(statement):
    with pytest.raises(ValueError, match="reaches behind what a node program works with"):
        tried("prog.py", changed_once(nested_loops(), (IMPORT, f"{IMPORT}{statement}\n")), 0)


@pytest.mark.parametrize("name", ["parts", "width", "on_line"])
def test_no_text_can_look_into_a_line(name):
    with pytest.raises(ValueError, match="reaches behind what a node program works with"):
        tried("prog.py", changed(nested_loops(), ("if stages & 1:", f"if v[0].{name}:")), 0)


OVERFLOWS = """large = 2
for _ in range(70):
    large = large << 1
if large == 0:
    t = t ^ 8
"""
AT = "v = permute(..., ..., ...)"


@pytest.mark.long
def test_what_only_a_compiled_kernel_does_wrong_is_refused():
    found = refuted(changed_once(nested_loops(), (AT, OVERFLOWS + AT)))
    assert list(found) == ["bytes"]


def test_without_a_compiler_nothing_is_said_of_compiled_kernels(monkeypatch):
    monkeypatch.setattr(compiled, "is_installed", lambda: False)
    assert verdicts(nested_loops())["bytes"].formula.endswith(INTERPRETED)


@pytest.mark.slow
def test_the_certificate_says_what_is_assumed_of_compiled_kernels(tmp_path: Path):
    path = tmp_path / "prog.py"
    for kernels, assumed in (
        ("numba", [True, True]),
        ("gray", [True, False]),
        ("numpy", [False, False]),
    ):
        path.write_text(text(n=8, kernels=kernels))
        certificate = certify(path)
        assert certificate.holds
        assert [
            words in certificate.assumed for words in (WITH_NUMBA, WITH_OPERATIONS["lanes"])
        ] == assumed


def test_memory_that_begins_on_a_line_is_told_from_other_memory():
    stand_ins = compiled.behind(Opaque(np.dtype("f8")), None)[DOOR]
    x = stand_ins["aligned"](64, np.dtype("f8"))
    assert [compiled.begins_on_line(part) for part in (x, x[8:], x[4:], x[16:][:9], x.copy())] == [
        True,
        True,
        False,
        True,
        False,
    ]
    y = stand_ins["aligned"](64, np.uint8)
    assert (
        isinstance(y, np.ndarray)
        and compiled.begins_on_line(y)
        and not compiled.begins_on_line(y[1:])
    )


def test_the_address_of_elements_with_gaps_is_refused():
    with pytest.raises(Forbidden, match="contiguous"):
        compiled.address(Tokens.of(np.arange(16), "f8")[::2])


def test_lines_keep_elements_whole():
    memory = plain.Memory(np.arange(32), 8)
    with pytest.raises(IndexError, match="line 4 of memory of 4 lines"):
        plain.load_line(memory, 4, 8)
    with pytest.raises(ValueError, match="whole elements"):
        plain.load_line(memory, 0, 4)
    with pytest.raises(ValueError, match="whole elements"):
        plain.load_line(plain.Memory(np.arange(4), 128), 0, 64)
    index = plain.load_line(plain.address(np.full(8, 8, "u8")), 0, 8)
    with pytest.raises(IndexError, match="chooses whole elements"):
        plain.permute_line(plain.load_line(memory, 0, 8), index, 0)


def test_a_text_without_kernels_has_no_second_form():
    assert Text.of(Source.read("prog.py", text(kernels="numpy"))).real is None
