"""Head, comments and certificate of a program are one product of factors."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

import nodewright as nw
from codegen.emit.text import emit
from codegen.program.prepare import prepared
from codegen.program.protocol import REAL
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.shapes import layouts, stated
from derive.digits.digit_permutations import strides
from derive.formula.grammar import Equation, Formula, I, kron, product
from derive.formula.permutation_matrices import Bmmc
from derive.formula.transforms import F, H
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.text.elaborate import decided
from derive.verdict import holds
from nodewright.library import LIBRARY
from proofs.certify.declared_constants import declared
from proofs.certify.verdict_words import statements_of
from tests.support.loaded import loaded
from tests.support.paths import ROOT
from tests.support.products import (
    comments_of,
    cyclic_at_equation,
    moves_of_halves,
    of_head,
    of_statement,
    product_of_comments,
    product_of_head,
    transformed,
)

CHECKED_TO = 120
"""So many points are few enough for every entry of the product of a head to be computed."""


def statement_of(program):
    """Return what a certificate states of the function of a program."""
    said = declared(loaded(program))
    return statements_of(said)["function"]


def agree(asked, program, statement):
    """Assert that head, comments and statement are the same matrix, factor by factor."""
    matrix = of_head(program, asked)
    assert of_statement(statement) == matrix
    left, right = product_of_head(program, asked.N)
    assert_is_of(matrix, left, asked)
    if all(isinstance(each, Formula) for each in (left, *right)) and asked.N <= CHECKED_TO:
        assert holds(decided(Equation("", "", left, product(right))))
    assert product_of_comments(program, asked.N) == transformed(right, asked)
    across = "untangle(z, y" in program or "reflect(z, c, plan)" in program
    assert not (asked.shape and across) or cyclic_at_equation(program, asked)
    assert resolve(asked).halves is None or moves_of_halves(program) == moves_from_cyclic(asked)


def moves_from_cyclic(asked):
    """Return the factors of the move between cyclic and the layout of the vector on its side."""
    given, wanted = layouts(asked)
    ends = (given, replace(given, name="cyclic"))
    before, after = ends if resolve(asked).halves.back else (ends[1], wanted)
    return [] if asked.P == 1 else list(strides(after.address @ before.address.inverse()))


def assert_is_of(matrix, left, asked):
    """Assert that what is factored is the matrix of the first equation, or what that is made of."""
    if isinstance(matrix.matrix, Affine):
        assert left == f"Π_{{{asked.permutation.name}}}" or left == f"Π_{asked.permutation.name}"
    elif asked.system == "fht" and (found := resolve(asked).numbers):
        numbers, still = found.before.shape, found.before.still
        letter = H if found.unit == REAL else F
        letters = [I if axis in still else letter for axis in range(len(numbers))]
        assert left == kron(*(letter(n) for letter, n in zip(letters, numbers, strict=True)))
        assert matrix.matrix == kron(I(max(asked.batch, 1)), *map(H, asked.shape))
    elif asked.result == "dft":
        assert (matrix.matrix, left) == (F(asked.N), H(asked.N))
    else:
        assert left == matrix.matrix


def permuting(address, name, P, *layouts, **more):
    """Return the request for a permutation."""
    return make_request(
        "permute", 1 << address.bits, P, *layouts, permutation=Bmmc(address, name), **more
    )


def named(name, P, *layouts, **more):
    """Return the request for a permutation of 256 elements by its name."""
    return permuting(bmmc.named(name, 8), name, P, *layouts, **more)


def arrays(system, size, ranks, batch=None, **more):
    """Return the request for a program by digits."""
    return make_request(system, **stated(size, ranks, batch), **more)


CYCLIC = {"input": "cyclic", "output": "cyclic"}
PROGRAMS = {
    **{
        name.removesuffix(".py"): asked
        for name, asked in LIBRARY.items()
        if not resolve(asked).request.unequal and asked.system != "ntt"
        # comments of unequal parts have no factors; the matrix of ntt is one over GF(p)
    },
    "replace": make_request("fft", 64, 4, "cyclic", "block", "replace"),
    "shared": make_request("fft", 64, 4, "cyclic", "block", "shared"),
    "overlapped": make_request("fft", 64, 4, "cyclic", "block", "overlapped"),
    "fft, one rank": make_request("fft", 64, 1, kernels="numba"),
    **{
        f"fht of {P}, {input}, {kernels}": make_request("fht", 256, P, input, kernels=kernels)
        for P in (1, 4, 8)
        for input in ("block", "hartley-input", "hartley")
        for kernels in ("numpy", "numba")
        if P > 1 or (input, kernels) == ("block", "numpy")
    },
    "fht of 64, ortho": make_request("fht", 64, 4, "cyclic", "block", norm="ortho"),
    "half spectrum": make_request("fht", 64, 4, result="dft"),
    **{
        f"{name}, {words}": named(name, 4, **options)
        for name in ("identity", "bit-reversal", "gray-code")
        for words, options in (
            ("block", {}),
            ("bit-reversed", {"input": "bit-reversed"}),
            ("numba", {"kernels": "numba"}),
        )
    },
    "a matrix": permuting(Affine((15, 16, 24, 30, 2), 5, 21), "A", 4, "cyclic", "block"),
    "36 on 6": arrays("fft", 36, 6, direction="backward"),
    "30 on 1": arrays("fft", 30, 1),
    "48 on 4, numba": arrays("fft", 48, 4, kernels="numba", **CYCLIC),
    "243 on 27": arrays("fft", 243, 27, kernels="pyfftw", **CYCLIC),
    "three axes, numba": arrays("fft", "6x4x10", "2x1x1", kernels="numba", **CYCLIC),
    "a batch of arrays": arrays(
        "fft", "4x6", 2, 2, input="block,whole", output="whole,block", norm="ortho"
    ),
    "rfft": arrays("rfft", 16, 2, input="cyclic-pairs", norm="ortho"),
    "rfft, backward": arrays("rfft", 24, 2, direction="backward"),
    "fht of a batch": arrays("fht", 12, 2, 4, direction="backward", **CYCLIC),
    "fht of axes": arrays("fht", "9x4", "3x1", 4, norm="ortho", **CYCLIC),
    "fht of one array, backward": arrays("fht", "8x6", 2, direction="backward"),
    "fht of an odd batch": arrays("fht", 27, 3, 5, kernels="numba", **CYCLIC),
    "fht of whole arrays": arrays("fht", 12, 2, 6, norm="ortho"),
    "fht of pairs of a batch": arrays("fht", 36, 3, 2, output="cyclic"),
    "fht of pairs": arrays("fht", 36, 3, norm="ortho"),
    "fht to pairs": arrays("fht", 36, 3, input="cyclic", direction="backward", kernels="numba"),
}


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", PROGRAMS)
def test_head_comments_and_certificate_are_one_product(name):
    asked = PROGRAMS[name]
    if f"{name}.py" not in LIBRARY:
        program = emit(resolve(asked))
        agree(asked, program, statement_of(program))
        return
    program = (ROOT / "generated" / f"{name}.py").read_text(encoding="utf-8")
    certificate = json.loads((ROOT / "generated" / f"{name}.cert.json").read_text())
    agree(asked, program, certificate["predicate"]["verdicts"]["function"]["statement"])


ENDS = ("block", "cyclic", "group-cyclic:2")
BY_DIGITS = [
    *(arrays("fft", N, P, input=a, output=b) for N, P in ((36, 6), (48, 4))
      for a in ENDS[:2] for b in ENDS),
    *(arrays("fft", 100, 10, input=a, output="group-cyclic:5") for a in ENDS),
    *(arrays("fft", N, P, input=a) for N, P in ((27, 3), (27, 9), (81, 9)) for a in ENDS[:2]),
    *(arrays("fft", size, ranks, input=a, output=b)
      for size, ranks in (("4x6", "2x1"), ("4x9", "2x3"), ("8x9", "4x3"), ("4x4x4", "2x2x1"))
      for a in ENDS[:2] for b in ENDS[:2]),
    *(arrays("fft", 12, 2, 5, input=a, output=b) for a in ENDS for b in ENDS),
    *(arrays("fft", "4x6", 2, B, exchange="shared") for B in (None, 3)),
    arrays("fft", "4x6x3", "2x1x1", input="block,whole,whole", output="whole,block,whole"),
    arrays("fft", "4x4", "2x2", 3, input="cyclic,block", output="block,cyclic"),
    arrays("fft", 64, 8, 1, phases="4,4,4"),
    *(arrays("fft", 108, 3, phases=phases) for phases in ("12,9", "9,12", "3,4,9")),
    *(arrays("fft", 60, 2, kernels=kernels, **CYCLIC) for kernels in ("numba", "pyfftw")),
    *(arrays("rfft", 2 * m, P, input=a, output=b, direction=direction)
      for m, P in ((2, 1), (8, 2), (36, 3), (27, 9)) for a in ("block", "cyclic-pairs")
      for b in ("block", "cyclic-pairs") for direction in ("forward", "backward")),
    *(arrays("fht", 12, 2, 4, input=a, output=b) for a in ENDS[:2] for b in ENDS),
    *(arrays("fht", 27, P, 2, input=a) for P in (1, 3, 9) for a in ENDS[:2]),
    *(arrays("fht", 72, P, input=a, output=b) for P in (1, 3) for a in ENDS[:2] for b in ENDS[:2]),
]  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("asked", BY_DIGITS, ids=command)
def test_they_are_of_any_size_and_of_arrays(asked):
    program = emit(resolve(asked))
    agree(asked, program, statement_of(program))


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    ("text", "size", "ranks", "batch"),
    [
        ("F(n) = F(r) (x) I(s) * T(n,s) * I(r) (x) F(s) * L(n,r)", 36, 6, None),
        ("F(m) (x) F(n) = F(m) (x) I(n) * I(m) (x) F(n)", (4, 6), (2, 1), None),
        ("I(3) (x) F(4) (x) F(4) = I(3) (x) F(4) (x) F(4)", (4, 4), (2, 2), 3),
        ("F(64) = prod(k,0,5, I(2^k) (x) B(2^(6-k))) * R(64)", 64, 16, None),
        ("F(64) = prod(k,0,5, I(2^k) (x) B(2^(6-k))) * J(64) * R(64) * J(64)", 64, 4, None),
    ],
)
@pytest.mark.parametrize("ends", [{}, CYCLIC])
def test_comments_of_a_formula_of_ones_own_have_its_product(text, size, ranks, batch, ends):
    more = {"r": 6, "s": 6} if "(r)" in text else {}
    found = nw.program(text, size, ranks, batch=batch, **more, **ends)
    said = product_of_comments(found.text, found.request.N)
    left, right = product_of_head(found.text, found.request.N)
    assert product(right) == prepared(found.request.formula) and said == right
    assert holds(decided(Equation("", "", left, product(said))))


LAYOUTS = ("block", "cyclic", "group-cyclic:2", "f:1", "bit-reversed", "scrambled")
FORMS = {
    "numpy": {},
    "numba": {"kernels": "numba"},
    "butterflies": {"local": "butterflies"},
    "pairwise": {"exchange": "pairwise"},
    "nonblocking": {"exchange": "nonblocking", "norm": "ortho"},
    "backward": {"direction": "backward", "dtype": "complex64"},
}


@pytest.mark.sampled(10)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("P", [1, 2, 4, 16])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("output", LAYOUTS)
@pytest.mark.parametrize("input", LAYOUTS)
def test_they_are_between_all_layouts(input, output, form, P):
    if P == 1:
        input, output = (name.replace("group-cyclic:2", "block") for name in (input, output))
    asked = make_request("fft", 64, P, input, output, **FORMS[form])
    program = emit(resolve(asked))
    agree(asked, program, statement_of(program))


@pytest.mark.sampled(2)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("kernels", ["numpy", "numba"])
@pytest.mark.parametrize("output", ["block", "scrambled", "cyclic"])
@pytest.mark.parametrize("scheme", ["1", "2", "3", "4", "5", "5r"])
def test_they_are_on_the_hypercube(scheme, output, kernels):
    for P in [1] if scheme == "1" else [2, 8]:
        for more in ({}, {"direction": "backward", "input": "scrambled"}):
            layouts = {"input": "bit-reversed", "output": output, **more}
            asked = make_request("hypercube-fft", 256, P, scheme=scheme, kernels=kernels, **layouts)
            program = emit(resolve(asked))
            agree(asked, program, statement_of(program))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            make_request("fft", 64, 4, "cyclic", "cyclic"),
            "# L^64_4: nothing moves, as x is cyclic\n",
        ),
        (make_request("fft", 64, 4, "f:1"), "# L^64_8: nothing moves, as x is f:1\n"),
        (make_request("fft", 64, 4, "f:0", "scrambled"), "# to rank k div 8 mod 4\n"),
        (make_request("fft", 64, 4), "# Γ_{4,4,64} T^64_16\n"),
        (make_request("fft", 64, 4, exchange="shared"), "# Γ_{4,4,64}^-1\n"),
        (make_request("fft", 64, 1, "bit-reversed"), "# digits of the offset in another order\n"),
        (make_request("fht", 64, 4, "hartley"), "# P_64: nothing moves, as y is hartley-input\n"),
        (make_request("fft", 16, 4, exchange="overlapped"), "# Γ_{4,4,16} T^16_4\n"),
        (make_request("hypercube-fft", 256, 4, "bit-reversed"), "P_256: from bit-reversed\n"),
        (make_request("hypercube-fft", 64, 2, output="scrambled", scheme="2"), ": to scrambled\n"),
        (make_request("hypercube-fft", 16, 1, scheme="1"), "# P_16 P_16: nothing moves, as x is"),
    ],
)
def test_a_comment_says_where_a_factor_is_done(asked, words):
    assert words in emit(resolve(asked))


WRONG = {
    "a factor of the head": (
        ("fft, block", " (I_4 ⊗ F_16) L^64_4\n\n", " (F_16 ⊗ I_4) L^64_4\n\n"),
        ("fft, block", "Γ_{4,4,64} T^64_16 (I", "Γ_{2,4,64} T^64_16 (I"),
        ("Prog. 3", "W_2 Π_X2", "Π_X2 W_2"),
        ("fht", "L_2 L_1 P_64", "L_1 L_2 P_64"),
        ("36 on 6", "L^36_6 T^36_6 (I", "L^36_6 (I"),
        ("two axes", "(L^12_6 ⊗ I_4) (I_2", "(L^12_2 ⊗ I_4) (I_2"),
        ("two axes", "(I_2 ⊗ F_6 ⊗ I_4) (I_12 ⊗ F_4)", "(I_12 ⊗ F_4) (I_2 ⊗ F_6 ⊗ I_4)"),
        ("rfft", "(I_2 ⊗ F_4)", "(I_4 ⊗ F_2)"),
        ("permute", "Π_V Π_W\n\n", "Π_W Π_V\n\n"),
        ("permute", "Π_{gray-code} =", "Π_{bit-reversal} ="),
    ),
    "the equation of the head": (
        ("fft, block", "y = F_64 x", "y = F_32 x"),
        ("fft, block", "exp(-2 pi i / 64)", "exp(2 pi i / 64)"),
        ("fht", "y = H_64 x", "y = 1/64 H_64 x"),
        ("two axes", "y = (F_12 ⊗ F_4) x", "y = (F_4 ⊗ F_12) x"),
    ),
    "a comment": (
        ("fft, block", "# Γ_{4,4,64} T", "# Γ_{2,4,64} T"),
        ("fft, block", "# (I_4 ⊗ F_16)\n", "# (F_16 ⊗ I_4)\n"),
        ("fft, block", "# Γ_{4,4,64} T^64_16\n", "# T^64_16 Γ_{4,4,64}\n"),
        ("fft, block", "# Γ_{4,4,64}^-1\n", "# Γ_{4,4,64}\n"),
        ("Prog. 3", "# Π_X1, Π_X2:", "# Π_X2, Π_X1:"),
        ("fht", "# L_3 L_2:", "# L_2 L_3:"),
        ("36 on 6", "# L^36_6 T^36_6\n", "# L^36_6\n"),
        ("two axes", "# (I_2 ⊗ F_2 ⊗ I_12)", "# (F_2 ⊗ I_24)"),
        ("two axes", "# (L^12_6 ⊗ I_4): nothing", "# (L^12_2 ⊗ I_4): nothing"),
        ("fht of pairs", "# L^36_12\n", "# L^36_3\n"),
        ("fht of pairs", "# L^18_6: nothing", "# L^18_3: nothing"),
        ("fht of pairs", "± Im (1 + i) w^m (Z[m] - C)/2, C = conj Z[-m], times", "± Im C, times"),
        ("rfft", "(Z[m] + C)/2 - i w^m (Z[m] - C)/2, C = conj Z[-m]\n", "(Z[m] - C)/2, C = Z[m]\n"),
    ),
    "a comment that is not there": (
        ("fft, block", "    # L^64_4\n", ""),
        ("36 on 6", "    # (I_6 ⊗ F_6)\n", ""),
        ("two axes", "    # (L^12_2 ⊗ I_4): nothing moves, as x is cyclic\n", ""),
    ),
}
SMALL = {
    "fft, block": make_request("fft", 64, 4),
    "Prog. 3": make_request("hypercube-fft", 256, 4, "bit-reversed", "scrambled"),
    "fht": make_request("fht", 64, 4),
    "36 on 6": PROGRAMS["36 on 6"],
    "two axes": arrays("fft", "12x4", "2x1", **CYCLIC),
    "rfft": PROGRAMS["rfft"],
    "permute": named("gray-code", 4),
    "fht of pairs": PROGRAMS["fht of pairs"],
}


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize(
    ("name", "before", "after"), [change for changes in WRONG.values() for change in changes]
)
def test_a_text_with_one_other_factor_does_not_agree(name, before, after):
    program = emit(resolve(SMALL[name]))
    assert before in program
    statement = statement_of(program)
    agree(SMALL[name], program, statement)
    with pytest.raises((AssertionError, AttributeError, ValueError)):
        agree(SMALL[name], program.replace(before, after), statement)


@pytest.mark.parametrize("name", SMALL)
def test_comments_of_neighbours_in_each_others_place_do_not_agree(name):
    program = emit(resolve(SMALL[name]))
    statement = statement_of(program)
    said = [f"# {each}\n" for _, each in comments_of(program)]
    assert len(said) > 1 or name == "permute"
    for one, other in pairwise(said):
        swapped = program.replace(one, "\0").replace(other, one).replace("\0", other)
        with pytest.raises((AssertionError, ValueError)):
            agree(SMALL[name], swapped, statement)


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", SMALL)
def test_another_statement_or_none_does_not_agree(name):
    asked, program = SMALL[name], emit(resolve(SMALL[name]))
    statement = statement_of(program)
    others = {statement_of(emit(resolve(each))) for each in SMALL.values()} - {statement}
    for wrong in (*others, ""):
        with pytest.raises((AssertionError, AttributeError, TypeError)):
            agree(asked, program, wrong)
