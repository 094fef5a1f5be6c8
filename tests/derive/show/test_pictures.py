"""Pictures as SVG: well formed, as wide as what stands in them, cut where they are large."""

from xml.etree import ElementTree

import pytest

from derive.formula.affine_layouts import named
from derive.gf2.bmmc import bit_reversal
from derive.papers.hartley_layouts import placement
from derive.show import html
from derive.show.drawing import (
    COLORS,
    Boxes,
    Drawing,
    Lines,
    Words,
    beside,
    color,
    heading,
    stacked,
    wide,
)
from derive.show.grids import bit_matrix, index_line, storage
from derive.show.layout_pictures import layout
from derive.show.svg import svg

HOSTILE = '<script>alert("x")</script>&'
SVG = "{http://www.w3.org/2000/svg}"


def texts(drawing):
    return [shape.text for shape in drawing.shapes if isinstance(shape, Words)]


def corners(shape):
    """Yield the points that a shape reaches."""
    match shape:
        case Boxes(places, width, height):
            for x, y in places:
                yield from ((x, y), (x + width, y + height))
        case Lines(segments):
            for a, b, c, d in segments:
                yield from ((a, b), (c, d))
        case Words(x, y, text, size, _, anchor):
            start = x - wide(text, size) * {"start": 0, "middle": 0.5, "end": 1}[anchor]
            yield from ((start, y - size / 2), (start + wide(text, size), y + size / 2))


def within(drawing):
    """Return whether everything is drawn within the picture, but for two points."""
    return all(
        -2 <= x <= drawing.width + 2 and -2 <= y <= drawing.height + 2
        for shape in drawing.shapes
        for x, y in corners(shape)
    )


DRAWN = {
    "a matrix": bit_matrix("A", bit_reversal(4).columns, 4, 2, tuple("αβγδ")),
    "a large matrix": bit_matrix("A", bit_reversal(100).columns, 100, 90),
    "a matrix of no bits": bit_matrix("A", (), 0, 0),
    **{
        f"layout {name} {N} {P}": layout(placement(name, N, P))
        for name, N, P in (
            ("block", 1, 1),
            ("cyclic", 16, 4),
            ("hartley", 64, 16),
            ("half-spectrum", 1024, 16),
            ("group-cyclic:2", 4096, 64),
            ("scrambled", 2**30, 256),
        )
    },
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_well_formed_and_holds_what_it_shows(name):
    drawing = DRAWN[name]
    root = ElementTree.fromstring(svg(drawing))
    assert root.tag == f"{SVG}svg"
    assert root.findtext(f"{SVG}title") == drawing.title
    assert [each.text for each in root.iter(f"{SVG}text")] == texts(drawing)
    assert within(drawing)


def test_a_picture_takes_the_color_of_the_text_around_it():
    root = ElementTree.fromstring(svg(DRAWN["layout cyclic 16 4"]))
    assert {each.get("fill") for each in root.iter(f"{SVG}text")} == {"currentColor"}
    assert not {each.get("fill") for each in root.iter()} & {"black", "white", "#000", "#fff"}


def test_sixteen_ranks_have_sixteen_colors():
    assert len({color(k) for k in range(COLORS)}) == COLORS


def test_a_matrix_has_a_box_for_every_one():
    ones = [s for s in DRAWN["a matrix"].shapes if isinstance(s, Boxes) and s.opacity == 1]
    assert [len(boxes.places) for boxes in ones] == [4]


def test_large_pictures_are_cut_and_say_so():
    assert "first 64 of 100 rows" in texts(DRAWN["a large matrix"])
    shown = texts(DRAWN["layout group-cyclic:2 4096 64"])
    assert "first 1024 of 4096 indices" in shown
    assert "first 16 of 64 ranks, first 16 of 64 offsets" in shown
    assert "every 1048576th index, 1024 of 1073741824 indices" in texts(
        DRAWN[f"layout scrambled {2**30} 256"]
    )


def test_every_cell_has_the_index_that_lives_there():
    shown = texts(layout(named("cyclic", 16, 4)))
    assert [text for text in shown if text.isdecimal()][1:] == [
        str(4 * o + s) for s in range(4) for o in range(4)
    ]


def test_pictures_side_by_side_or_stacked_do_not_overlap():
    one = heading("one", "two")
    side, below = beside([one, one]), stacked([one, one])
    assert side.width > 2 * one.width
    assert below.height > 2 * one.height
    assert within(side)
    assert within(below)


def test_hostile_texts_are_escaped():
    drawings = [
        heading(HOSTILE),
        bit_matrix(HOSTILE, (1,), 1, 0),
        index_line(HOSTILE, [0], 1),
        storage(HOSTILE, lambda s, o: (HOSTILE, 0), 1, 1),
        Drawing(HOSTILE, 1, 1, ()),
    ]
    parts = [
        html.bold(HOSTILE),
        html.verdict(HOSTILE, HOSTILE, HOSTILE),
        html.table((HOSTILE,), [(HOSTILE,)]),
        html.named({HOSTILE: HOSTILE}),
        html.code(HOSTILE),
        HOSTILE,
    ]
    shown = html.fragment(*drawings, *parts)
    assert "<script" not in shown
    assert "alert(&quot;x&quot;)" in shown
    assert ElementTree.fromstring(shown).tag == "div"


def test_tables_and_programs_are_cut_and_say_so():
    assert "first 64 of 1024 rows" in html.table(("n",), [(n,) for n in range(1024)])
    assert html.table(("n",), []) == ""
    assert "first 40 of 100 lines" in html.code("x\n" * 100)
    assert "<summary>3 lines" in html.code("x\n" * 3)


def test_numbers_of_adjacent_columns_stay_apart():
    shown = html.table(("flops", "seconds"), [(14336, "4.1e-05")])
    assert "143364.1e-05" not in "".join(ElementTree.fromstring(shown).itertext())
    assert shown.count("padding:2px 14px 2px 0;text-align:right") == 4
    assert "text-align:right" not in html.table(("n", ""), [(1, "one"), ("n", "two")])
