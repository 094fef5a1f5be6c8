"""What the public names return shows itself: HTML and LaTeX in a notebook, text in a terminal."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

import nodewright as nw
from codegen.cost.flow import volumes
from derive import verdict
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bmmc import identity
from derive.show.drawing import BLUE, Boxes, Lines, Words
from derive.show.lists import ByName
from derive.show.svg import svg
from nodewright.api import pictures
from nodewright.show import movement
from nodewright.workbench import programs
from proofs.certify.certificate import Certificate

HOSTILE = "<script>alert(1)</script>"
COOLEY_TUKEY = "F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)"
EVIDENCE = {
    "function": verdict.Checked("y = F x", "in 3 fields", 1e-9),
    "rounding": verdict.Tested("y = F x", 1e-16, 1e-12, "8 n eps"),
    "ran": verdict.Undecided("run on real ranks", "more ranks than 4"),
}
CERTIFICATE = Certificate("fft.py", "0" * 64, {"transform": "fft", "N": 8}, 0, (), EVIDENCE, {}, ())
HTML = {
    "matrix": (lambda: nw.recognize([0, 4, 2, 6, 1, 5, 3, 7]), "y = A x + c, c = 0"),
    "witness": (lambda: nw.recognize([0, 1, 2, 3, 4, 5, 7, 6]), "index 6 goes to 7"),
    "layout": (lambda: nw.layout("cyclic", 1024, 4), "N = 1024 elements on P = 4 ranks"),
    "no affine layout": (lambda: nw.layout("hartley", 16, 4), "the layout hartley"),
    "factorization": (lambda: nw.factor("bit-reversal", 6, p=3), "8 messages of 1 element"),
    "large factorization": (lambda: nw.factor("shuffle", 80, p=9), "first 64 of 80 rows"),
    "check": (lambda: nw.check(COOLEY_TUKEY, r=2, s=4), "all 64 entries"),
    "refutation": (lambda: nw.check("I(4) = J(4)"), "smallest wrong factor: J4"),
    "proof": (lambda: nw.prove(COOLEY_TUKEY), "by path sums"),
    "no proof": (lambda: nw.prove("F(n) = I(n)"), "refuted"),
    "theorem": (lambda: nw.theorem("bsp-2.8"), "first 24 of "),
    "theorem in blocks": (lambda: nw.theorem("bsp-lemma-1.2"), "proved"),
    "erratum": (lambda: nw.errata(["cormen-pseudocode-1"])[0], "n = 1, c = 1"),
    "program": (lambda: nw.fft(1024, 4), "12 messages of 64 elements, every rank sends 3"),
    "program on many ranks": (lambda: nw.fft(2**20, 512), "P = 512: drawn up to 256 ranks"),
    "cost": (lambda: nw.fft(1024, 4).cost(), "two cores sharing memory"),
    "report": (lambda: nw.permute(64, 4, "gray-code").check(), "cormen-section-4"),
    "certificate": (lambda: CERTIFICATE, "more ranks than 4"),
    "verdicts": (lambda: nw.fft(16, 2).certify().verdicts, "the 2 ranks never deadlock"),
    "theorems": (nw.theorems, "F_N = A_{N,N} ... A_{4,N} A_{2,N} P_N"),
    "errata": (lambda: nw.errata(["cormen-pseudocode-1", "hypercube-5"]), "n = 1, c = 1"),
    "equations": (lambda: nw.equations("fft", 64, 4), "bsp-lemma-3.1"),
    "steps": (lambda: nw.theorem("bsp-1.14").steps, "the first factor is taken out"),
    "arguments": (lambda: nw.theorem("bsp-1.14").arguments, "Part 1 of 2"),
    "transform": (lambda: nw.FFT(None, 1024), "generate fft --size 1024 --ranks 1"),
    "Hartley transform": (lambda: nw.FHT(None, 1024), "generate fht --size 1024 --ranks 1"),
    "permutation": (lambda: nw.Permutation(None, [2, 1, 4]), "generate permute --size 8"),
    "derivation": (lambda: nw.Derivation("F(2^n)"), "F2n"),
}
"""Makes each object, and says words of what it shows."""


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("name", HTML)
def test_an_object_shows_itself_as_html(name):
    make, words = HTML[name]
    shown = make()._repr_html_()
    root = ElementTree.fromstring(shown)
    assert words in "".join(root.itertext())
    assert len(shown) < 200_000


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("name", HTML)
def test_an_object_prints_no_packed_integers_and_no_function(name):
    text = repr(HTML[name][0]())
    assert not re.search(r"columns=|<function|<lambda>|object at 0x|\(\d+, \d+, \d+, \d+", text)
    assert len(text) < (15_000 if name == "large factorization" else 5000)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (nw.layout("cyclic", 16, 4), "layout('cyclic', 16, 4)"),
        (nw.layout("half-spectrum", 16, 4), "layout('half-spectrum', 16, 4)"),
        (nw.recognize([2, 3, 0, 1]), "y = A x + 2, bit 0 of x and y first:\n1 .\n. 1"),
        (nw.kron(nw.F(2), nw.I(4)) @ nw.T(8, 4), "(F_2 ⊗ I_4) T^8_4"),
        (nw.recognize([0, 1, 2, 2]), "<no permutation: indices 2 and 3 both go to 2>"),
        (CERTIFICATE, "<fft.py holds: function checked, rounding tested, ran undecided>"),
        (
            nw.errata(["cormen-pseudocode-1"])[0],
            "<cormen-pseudocode-1 (equation): the program for y = A x + c begins with y ← 0; n = 1,"
            " c = 1: x = 0 goes to 0, not 1; correction y ← c>",
        ),
    ],
)
def test_an_object_prints_as_a_reader_writes_it(found, text):
    assert repr(found) == text


TERMINAL = {
    "theorem": (
        lambda: nw.theorem("cooley-tukey").theorem,
        "<theorem cooley-tukey: F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) L^rs_r.>",
    ),
    "theorem of ones own": (
        lambda: nw.prove("L(n, 1) = I(n)").theorem,
        "<theorem formula: L^{n}_{1} = I_{n}.>",
    ),
    "steps": (
        lambda: nw.prove("L(n, 1) = I(n)").steps,
        "= I_{n}    by path sums\n= [j = k]  the right side, in the same form",
    ),
    "no steps": (lambda: nw.prove("F(n) = I(n)").steps, "()"),
    "verdicts": (
        lambda: ByName(EVIDENCE),
        "function  checked    y = F x\nrounding  tested     y = F x\n"
        "ran       undecided  run on real ranks",
    ),
    "verdict": (lambda: EVIDENCE["function"], "<checked: y = F x (in 3 fields)>"),
    "transform": (
        lambda: nw.FFT(None, 8, output="bit-reversed"),
        "<FFT of N = 8 on P = 1 rank: block to bit-reversed, complex128, numpy kernels>",
    ),
    "permutation": (
        lambda: nw.Permutation(None, [2, 1], dtype="S5"),
        "<Permutation of N = 4 on P = 1 rank: block to block, |V5, numpy kernels>",
    ),
    "local plan": (
        lambda: nw.LocalPlan([2, 1], 0, "f8"),
        "<LocalPlan of 2^2 elements of float64, kernel tiles>",
    ),
}


@pytest.mark.parametrize("name", TERMINAL)
def test_an_object_prints_in_short(name):
    make, text = TERMINAL[name]
    assert repr(make()) == text


@pytest.mark.long
def test_lists_have_a_line_of_a_terminal_for_each_member():
    for found in (nw.theorems(), nw.errata(), nw.equations("fft", 1024, 4)):
        lines = repr(found).splitlines()
        more = [f"first 64 of {len(found)}"] if len(found) > 64 else []
        assert lines[64:] == more
        assert len(lines) == min(len(found), 64) + len(more)
        assert max(map(len, lines)) <= 100


def test_lists_are_lists_tuples_and_dicts():
    assert nw.errata(["cormen-pseudocode-1"]) == [nw.errata(["cormen-pseudocode-1"])[0]]
    assert isinstance(nw.equations("fft", 16, 4), tuple)
    assert nw.prove("F(n) = I(n)").steps == ()
    assert dict(nw.theorems())["cooley-tukey"] == nw.theorem("cooley-tukey")


def test_large_objects_are_cut_and_say_so():
    assert repr(nw.F(2) ** 1000).endswith("(2999 more characters)")
    assert "first 32 of 40 rows, 32 of 40 columns" in repr(nw.factor("shuffle", 40, p=3))
    assert max(map(len, repr(nw.factor("shuffle", 20, p=3)).splitlines())) <= 100
    assert r"\text{ (52 more factors)}" in (nw.F(2) ** 100)._repr_latex_()
    assert (nw.F(2) ** 100).to_latex().count("F") == 100
    assert r"\text{first 24 of " in nw.theorem("bsp-2.8")._repr_latex_()
    assert "first 40 of " in nw.fft(1024, 4)._repr_html_()


def balanced(text):
    """Return whether braces close, environments end and mathematics is left again."""
    plain = re.sub(r"\\[\\{}$]", "", text)
    depth = 0
    for character in plain:
        depth += (character == "{") - (character == "}")
        assert depth >= 0, text
    begun = re.findall(r"\\begin{(\w+)}", text)
    return depth == 0 and begun == re.findall(r"\\end{(\w+)}", text) and plain.count("$") % 2 == 0


EQUATIONS = [
    nw.equation(COOLEY_TUKEY),
    nw.equation("F(2^n) = prod(k, 0, n-1, I(2^k) (x) B(2^(n-k))) * R(2^n)"),
    nw.equation("inv(F(n1*n2)) = conj(F(n1*n2)) (+) transpose(I(N/(r+1)) * J(N-(r-1)))"),
    nw.F(8) == nw.kron(nw.F(2), nw.I(4)) @ nw.T(8, 4) @ nw.kron(nw.I(2), nw.F(4)) @ nw.L(8, 2),
    nw.J(16) == nw.direct_sum(nw.J(8), nw.I(8)) @ nw.L(16, 2) ** -1,
    *nw.equations("fft", 1024, 4),
    *nw.equations("hypercube-fft", 64, 4, "3"),
    *nw.equations("fht", 64, 4),
]


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("stated", EQUATIONS, ids=str)
def test_equations_are_latex_that_can_be_set(stated):
    mathtext = pytest.importorskip("matplotlib.mathtext", reason="the extra `plot` is missing")
    shown = stated._repr_latex_()
    assert balanced(shown)
    inner = re.fullmatch(r"\$\$\\begin{aligned}\n(.*)\n\\end{aligned}\$\$", shown, re.DOTALL)[1]
    assert " &= " in inner
    for line in inner.split("\\\\\n"):
        mathtext.MathTextParser("agg").parse(f"${line.replace('&', '')}$")
    joined = re.sub(r" \\\\\n&\\quad ", r" \\, ", inner).replace("&=", "=", 1)
    assert joined == stated.to_latex()


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        (COOLEY_TUKEY, r"F_{r s} = (F_{r} \otimes I_{s}) \, T^{r s}_{s} \, (I_{r} \otimes F_{s})"),
        ("J(N/(r*s)) = I(2^n-(m-1))", r"J_{N/(r s)} = I_{2^{n}-(m-1)}"),
        ("I(2*3*n*2) = J(n/2*s+1)", r"I_{2 \cdot 3 n \cdot 2} = J_{(n/2) s+1}"),
        (
            "conj(F(n)) = inv(F(n)) * transpose(R(n))",
            r"\overline{F_{n}} = F_{n}^{-1} \, P_{n}^{\mathsf{T}}",
        ),
        (
            "inv(L(n, r)) = transpose(A(k, n, 1/2))",
            r"(L^{n}_{r})^{-1} = (A_{k,n}^{1/2})^{\mathsf{T}}",
        ),
        ("A(k, n, 1/2) = B(n, a)", r"A_{k,n}^{1/2} = B_{n}^{a}"),
        ("I(4) (+) J(4) = L(8,2) (x) (I(2) * J(2))", r"I_{4} \oplus J_{4} = L^{8}_{2} \otimes (I"),
    ],
)
def test_texts_of_formulas_are_latex(text, latex):
    assert nw.equation(text).to_latex().startswith(latex)


@pytest.mark.parametrize("name", ["bsp-2.8", "bsp-gamma-inverse", "cooley-tukey", "fht-step"])
def test_a_proof_is_latex_with_a_reason_on_each_line(name):
    shown = nw.theorem(name)._repr_latex_()
    assert balanced(shown)
    assert "$$\\begin{aligned}\n" in shown
    assert "&&" in shown
    assert shown.count("$$") == 2


def test_what_is_not_proved_and_what_is_proved_in_words_is_no_latex():
    assert nw.prove("F(n) = I(n)")._repr_latex_() is None
    assert nw.theorem("bsp-lemma-1.2").kind == "proved"


@pytest.mark.parametrize(
    ("equation", "where", "around"),
    [
        ("L(r*s,r) * L(r*s,s) = I(r*s)", "r >= 2", ("", ", where r >= 2")),
        ("A : n x n; A * I(n) = A", "", ("A : n x n; ", "")),
        ("F(r) = I(r)", "", ("", "")),
    ],
)
def test_a_verdict_on_an_equation_of_ones_own_is_typeset(equation, where, around):
    found = nw.prove(equation, where)
    root = ElementTree.fromstring(f"<p>{found.typeset}</p>")
    assert (root.text or "", root[-1].tail or "") == around
    assert {each.tag for each in root} == {"math"}
    assert found.typeset in found._repr_html_()


def test_a_check_shows_its_formulas_with_scripts():
    shown = nw.check("L(8,2) * L(8,4) = F(8)")._repr_html_()
    assert "L<sup>8</sup><sub>2</sub>" in shown
    assert "_8" not in shown


def test_hostile_texts_are_escaped(tmp_path):
    file = tmp_path / f"{HOSTILE.replace('/', '_')}{{}}$.txt"
    file.write_text("10\n01\n", encoding="utf-8")
    found = [
        verdict.Refuted(HOSTILE, HOSTILE, HOSTILE),
        nw.layout(f"bmmc:{file}", 4, 2),
        nw.permute(4, 2, matrix=file),
        nw.permute(4, 2, matrix=file).check(),
        replace(CERTIFICATE, program=HOSTILE, declared={HOSTILE: HOSTILE}),
    ]
    for each in found:
        shown = each._repr_html_()
        assert "<script" not in shown
        assert "&lt;script" in shown
        ElementTree.fromstring(shown)
    assert balanced(Bmmc(identity(2), "}\\$^_%{<x>")._repr_latex_())


def test_a_figure_is_that_of_the_picture(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra `plot` is missing")
    for found in (
        nw.layout("cyclic", 16, 4),
        nw.factor("bit-reversal", 6, p=3),
        nw.fft(64, 4),
        nw.recognize([0, 1]),
    ):
        drawing, figure = found.drawing(), nw.figure(found)
        assert tuple(72 * figure.get_size_inches()) == pytest.approx(
            (drawing.width + 28, drawing.height + 28)
        )
        figure.savefig(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_no_picture_of_messages_between_very_many_ranks():
    with pytest.raises(ValueError, match="P = 512: messages are listed for up to 256"):
        nw.fft(2**20, 512).drawing()


def words(drawing):
    return [shape.text for shape in drawing.shapes if isinstance(shape, Words)]


@pytest.mark.parametrize("P", [32, 128])
def test_messages_between_many_ranks_are_a_heat_map_for_each_superstep_that_sends(P):
    program = nw.fft(2**14, P, input="cyclic", output="cyclic")
    drawing = program.drawing()
    assert not [shape for shape in drawing.shapes if isinstance(shape, Lines)]
    assert [text for text in words(drawing) if text.startswith("superstep")] == [
        "superstep 2: elements from rank to rank"
    ]
    cells = [shape for shape in drawing.shapes if isinstance(shape, Boxes) and shape.color == BLUE]
    assert sum(len(boxes.places) for boxes in cells) == (32 * 31 if P == 32 else 64 * 64)
    lowered = program.lowered
    sizes = volumes(lowered.steps[1], lowered)
    assert sizes.sum(axis=1).tolist() == [program.cost().words] * P


def test_titles_have_shape_and_grid():
    title = "fft, N = 16 x 8 = 128 on P = 4 x 2 = 8 ranks, cyclic to cyclic"
    assert nw.fft("16x8", "4x2", input="cyclic", output="cyclic").drawing().title == title
    layout = nw.layout("cyclic,block", (12, 16), (4, 2)).drawing()
    assert "N = 12 x 16 = 192 elements on P = 4 x 2 = 8 ranks" in layout.title


def test_a_product_is_drawn_as_the_patterns_of_its_factors():
    found = pictures.drawing(COOLEY_TUKEY, r=2, s=4)
    shown = words(found)
    assert [text for text in shown if "entries" in text][1:] == [
        "64 of 64 entries", "16 of 64 entries", "8 of 64 entries", "32 of 64 entries",
        "8 of 64 entries",
    ]  # fmt: skip
    assert words(pictures.drawing(nw.F(2) @ nw.J(2)))[0] == "F_2 J_2"
    with pytest.raises(ValueError, match="512 rows: sparsity patterns are drawn"):
        pictures.drawing(nw.I(512))
    with pytest.raises(ValueError, match="dict has no picture"):
        pictures.drawing({})


@pytest.mark.parametrize(
    ("name", "shape", "grid"),
    [("cyclic", 1000, 4), ("cyclic,block", (4, 6), (2, 1)), ("block", (6, 8, 40), (2, 2, 1))],
)
def test_a_layout_of_any_shape_is_drawn(nodewright, tmp_path, name, shape, grid):
    drawing = nw.layout(name, shape, grid).drawing()
    assert ElementTree.fromstring(svg(drawing)).findtext("{*}title") == drawing.title
    size, ranks = (
        "x".join(map(str, each)) if isinstance(each, tuple) else each for each in (shape, grid)
    )
    pytest.importorskip("matplotlib", reason="the extra `plot` is missing")
    words = ["layout", name, "--size", size, "--ranks", ranks, "--png", tmp_path / "drawn.png"]
    status, _, err = nodewright(*words)
    assert (status, err) == (0, "")


def test_programs_in_unequal_parts_have_pictures_of_messages_and_none_of_elements():
    program = nw.fft("5x4", 3)
    assert "axis 0 becomes whole" in program._repr_html_()
    steps = list(programs._supersteps(program.lowered, programs._function(program.text)))
    assert steps[0].words == "block, at most 8 elements on each of 3 ranks"
    with pytest.raises(ValueError, match="elements are followed in equal ones"):
        movement.drawn(program.lowered)
