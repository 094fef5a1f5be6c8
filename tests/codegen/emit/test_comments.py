"""The comments of a program's supersteps are the factors of the formula in its head."""

import json
import re
from itertools import chain

import pytest

from codegen.emit.text import emit
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from tests.support.paths import ROOT

RANKS = r".*to ranks by bits? [\d+, ]+ of the index$"
PROSE = re.compile(rf"1 / N|N\*\*-0.5|(from|to) \S+$|{RANKS}|what follows is in place")
NEXT = re.compile(r" (?![^()]*\))")
"""A space that is not within parentheses."""
LAYOUTS = ("block", "cyclic", "group-cyclic:2", "f:1", "bit-reversed", "scrambled")
FORMS = {
    "numpy": {},
    "numba": {"kernels": "numba"},
    "butterflies": {"local": "butterflies"},
    "pairwise": {"exchange": "pairwise"},
    "nonblocking": {"exchange": "nonblocking", "norm": "ortho"},
    "backward": {"direction": "backward", "dtype": "complex64"},
}


def body_of(program):
    """Return the text of `transform`."""
    return program[program.index("def transform") : program.index("    return out\n")]


def turns_of(comment, turns):
    """Return what a comment in a loop says of each turn: products, or one with a list in it.

    >>> turns_of("W_2, W_1 (I_2 ⊗ F_2)", 2)
    [['W_2', '(I_2 ⊗ F_2)'], ['W_1', '(I_2 ⊗ F_2)']]
    """
    said = [NEXT.split(text) for text in comment.split(", ")]
    assert len(said) == turns
    if len({len(each) for each in said}) == 1:
        return said
    before, after = said[0][:-1], said[-1][1:]
    said[0], said[-1] = said[0][-1:], said[-1][:1]
    return [[*before, *each, *after] for each in said]


def factors_of(program):
    """Return the factors that the comments of `transform` name, the last one first."""
    loop = re.search(r"^    for channel in (?:reversed\()?range\((\d+)\)", body_of(program), re.M)
    found, turns = [], [[] for _ in range(int(loop[1]))] if loop else []
    for indent, comment in re.findall(r"^( +)# (.*)$", body_of(program), re.MULTILINE):
        named = comment.split(": ")[0]
        if PROSE.match(comment):
            continue
        if len(indent) == 8:
            for turn, said in zip(turns, turns_of(named, len(turns)), strict=True):
                turn[:0] = said
            continue
        found[:0] = chain(*reversed(turns))
        turns = [[] for _ in turns]
        found[:0] = NEXT.split(named)
    return [*chain(*reversed(turns)), *found]


def expanded(factors):
    """Return stages of the Hartley transform with those for which dots stand.

    >>> expanded(["L_4", "...", "L_2", "L_1"])
    ['L_4', 'L_3', 'L_2', 'L_1']
    """
    found = []
    for before, factor, after in zip(["", *factors], factors, [*factors[1:], ""], strict=False):
        if factor != "...":
            found.append(factor)
            continue
        first, last = (int(re.search(r"L_(\d+)", each)[1]) for each in (before, after))
        way = 1 if last > first else -1
        found += [before.replace(f"L_{first}", f"L_{s}") for s in range(first + way, last, way)]
    return found


def head_of(program):
    """Return the factors of the formula in the head."""
    return NEXT.split(re.search(r"^    (?:[FH]_\d+|Π_\S+) = (.*)$", program, re.MULTILINE)[1])


def agree(program):
    """Assert that the comments are the formula of the head, as written and in its order."""
    assert expanded(factors_of(program)) == expanded(head_of(program))


@pytest.mark.sampled(14)
@pytest.mark.parametrize("P", [1, 2, 4, 16])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("output", LAYOUTS)
@pytest.mark.parametrize("input", LAYOUTS)
def test_the_supersteps_are_the_formula_of_the_head(input, output, form, P):
    if P == 1:
        input, output = (name.replace("group-cyclic:2", "block") for name in (input, output))
    spec = Spec("fft", 64, P, input, output, **FORMS[form])
    agree(emit(spec))


@pytest.mark.parametrize("exchange", ["replace", "shared", "overlapped"])
def test_they_are_for_every_exchange(exchange):
    spec = Spec("fft", 64, 4, "cyclic", "block", exchange)
    agree(emit(spec))


@pytest.mark.parametrize(
    "change",
    [
        ("# Γ_{4,4,64} T", "# Γ_{2,4,64} T"),
        ("# (I_4 ⊗ F_16)\n", "# (F_16 ⊗ I_4)\n"),
        (" T^64_16\n", "\n"),
        ("# Γ_{4,4,64} T^64_16\n", "# T^64_16 Γ_{4,4,64}\n"),
        ("# Γ_{4,4,64}^-1\n", "# Γ_{4,4,64}\n"),
        ("    # L^64_4\n", ""),
    ],
)
def test_a_wrong_comment_does_not_agree(change):
    program = emit(Spec("fft", 64, 4))
    assert change[0] in program
    with pytest.raises(AssertionError):
        agree(program.replace(*change))


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("kernels", ["numpy", "numba"])
@pytest.mark.parametrize("output", ["block", "scrambled", "cyclic"])
@pytest.mark.parametrize("scheme", ["1", "2", "3", "4", "5", "5r"])
def test_they_are_on_the_hypercube(scheme, output, kernels):
    for P in [1] if scheme == "1" else [2, 8]:
        for more in ({}, {"direction": "backward", "input": "scrambled"}):
            layouts = {"input": "bit-reversed", "output": output, **more}
            agree(emit(Spec("hypercube-fft", 256, P, scheme=scheme, kernels=kernels, **layouts)))


@pytest.mark.parametrize("kernels", ["numpy", "numba"])
@pytest.mark.parametrize("input", ["block", "hartley-input", "hartley"])
@pytest.mark.parametrize("P", [1, 4, 8])
def test_they_are_of_a_hartley_transform(P, input, kernels):
    if P > 1 or input == "block":
        agree(emit(Spec("fht", 256, P, input, kernels=kernels if P > 1 else "numpy")))


@pytest.mark.parametrize("name", ["identity", "bit-reversal", "gray-code"])
def test_they_are_of_a_permutation(name):
    for options in ({}, {"input": "bit-reversed"}, {"kernels": "numba"}):
        permutation = Bmmc(bmmc.named(name, 8), name)
        agree(emit(Spec("permute", 256, 4, permutation=permutation, **options)))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Spec("fft", 64, 4, "cyclic", "cyclic"), "# L^64_4: nothing moves, as x is cyclic\n"),
        (Spec("fft", 64, 4, "f:1", phases="8,8"), "# L^64_4: from f:1\n"),
        (
            Spec("fft", 64, 4, "f:1"),
            "# (I_8 ⊗ F_8) T^64_8: to ranks by bits 4, 3 of the index first\n",
        ),
        (Spec("fft", 64, 4, "f:0", "scrambled"), "# L^64_4: to scrambled\n"),
        (Spec("fft", 64, 4), "# Γ_{4,4,64} T^64_16\n"),
        (Spec("fft", 64, 4, exchange="shared"), "# Γ_{4,4,64} T^64_16: T^64_16 below\n"),
        (Spec("fht", 64, 4, "hartley"), "# P_64: nothing moves, as y is hartley-input\n"),
    ],
)
def test_a_comment_says_where_a_factor_is_done(spec, words):
    assert words in emit(spec)


STATED = {
    "F": (
        r"y = ([^\n]*)F_\d+ x.*?w = exp\((-?)2 pi i / (\d+)\)",
        "y_k = {}sum_j exp({}2πi jk/{}) x_j",
    ),
    "arrays": (
        r"y = ([^\n]*?)\(([^\n]*)\) x.*?w_n = exp\((-?)2 pi i / n\)",
        "y = {}({}) x, F_n[j, k] = exp({}2πi jk/n),",
    ),
    "arrays of H": (
        r"y = ([^\n]*?)\(([^\n]*)\) x,\s+H_\d+\[j, k\] = cos\(2 pi jk/\d+\) \+ sin\(",
        "y = {}({}) x, H_n[j, k] = cos(2πjk/n) + sin(2πjk/n),",
    ),
    "H": (r"y = ([^\n]*)H_\d+ x.*?= cos\(()2 pi jk/(\d+)\)", "y_k = {}sum_j cas({}2πjk/{}) x_j"),
    "real": (
        r"X = ([^\n]*?)F_\d+ x,\s+w = exp\((-?)2 pi i / (\d+)\)",
        "y_2m + i y_(2m+1) = X_m, 0 < m < {2}/2, y_0 = X_0, y_1 = X_({2}/2),"
        " X_m = {0}sum_j exp({1}2πi jm/{2}) x_j",
    ),
    "y": (r"(y\[A j \+ c\]) = (x\[j\])", "{} = {}, A = "),
}


@pytest.mark.parametrize("name", [path.stem for path in (ROOT / "generated").glob("*.py")])
def test_a_certificate_states_what_the_head_does(name):
    program = (ROOT / "generated" / f"{name}.py").read_text(encoding="utf-8")
    predicate = json.loads((ROOT / "generated" / f"{name}.cert.json").read_text())["predicate"]
    special = "real" if 'NORM = "rfft"' in program else "arrays" if "SHAPE" in program else ""
    special += " of H" if special and 'NORM = "fht"' in program else ""
    kind = special or re.search(r"(?:y = .*|    )([FHy])[_[]", program)[1]
    found, statement = STATED[kind]
    stated = statement.format(*re.search(found, program, re.DOTALL).groups())
    given = predicate["verdicts"]["function"]["statement"].replace("exp(+", "exp(")
    assert f"transform computes {stated}" in given
