"""The comments of a program's supersteps are the factors of the formula in its head."""

import json
import re

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.spec import Spec
from derive.formula.grammar import Kron, factors_of
from derive.formula.layout import named
from derive.formula.permutations import is_permutation, target
from derive.formula.transforms import T
from derive.text.elaborate import formula
from derive.text.parse import parse_formula
from tests.support.paths import ROOT

SCALE = re.compile(r"1 / N|N\*\*-0.5")
PLACED = re.compile(r"(from|to) [^ ]+?(: |$)")
LAYOUTS = ("block", "cyclic", "group-cyclic:2", "f:1", "bit-reversed", "scrambled")
FORMS = {
    "numpy": {},
    "numba": {"kernels": "numba"},
    "butterflies": {"local": "butterflies"},
    "pairwise": {"exchange": "pairwise"},
    "nonblocking": {"exchange": "nonblocking", "norm": "ortho"},
    "backward": {"direction": "backward", "dtype": "complex64"},
}


def comments_of(program):
    """Return the comments of `transform`, the last one first, but for the scale."""
    body = program[program.index("def transform") : program.index("    return out\n")]
    found = re.findall(r"^ +# (.*)$", body, re.MULTILINE)
    return [comment for comment in reversed(found) if not SCALE.match(comment)]


def head_of(program):
    """Return the right side of the formula in the head."""
    return re.search(r"^    [FH]_\d+ = (.*)$", program, re.MULTILINE)[1]


def factors(text):
    return factors_of(formula(parse_formula(text), {}))


def runs(found, N):
    """Return what is computed, the last one first, and where the runs of permutations between take
    each index, and the diagonals between. A diagonal goes with its index, wherever that lies.
    """
    computed, diagonals, taken = [], [[]], [np.arange(N)]
    for factor in reversed(found):
        if isinstance(factor, T) or (isinstance(factor, Kron) and "T^" in str(factor)):
            diagonals[-1].append(factor)
        elif is_permutation(factor):
            taken[-1] = target(factor)[taken[-1]]
        else:
            computed.append(factor)
            diagonals.append([])
            taken.append(np.arange(N))
    return computed, diagonals, taken


def storage(name, N, P):
    """Return the storage address of each index in a layout."""
    rank, offset = named(name, N, P).place(np.arange(N))
    return rank * (N // P) + offset


def agree(program, spec):
    """Assert that the supersteps are the head's formula, from layout to layout.

    A comment that says `from cyclic:` names what is done to natural order, and the superstep moves
    from the layout; one that does not say so names what is done to storage addresses.
    """
    comments = comments_of(program)
    done = [one for text in comments if (left := PLACED.sub("", text)) for one in factors(left)]
    (*one, stated), (*other, taken) = (
        runs(found, spec.N) for found in (factors(head_of(program)), done)
    )
    assert one == other
    if not comments[-1].startswith("from "):
        taken[0] = taken[0][storage(spec.input, spec.N, spec.P)]
    if not comments[0].startswith("to "):
        stated[-1] = storage(spec.output, spec.N, spec.P)[stated[-1]]
    assert all(np.array_equal(*pair) for pair in zip(stated, taken, strict=True))


@pytest.mark.sampled(14)
@pytest.mark.parametrize("P", [1, 2, 4, 16])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("output", LAYOUTS)
@pytest.mark.parametrize("input", LAYOUTS)
def test_the_supersteps_are_the_formula_of_the_head(input, output, form, P):
    if P == 1:
        input, output = (name.replace("group-cyclic:2", "block") for name in (input, output))
    spec = Spec("fft", 64, P, input, output, **FORMS[form])
    agree(emit(spec), spec)


@pytest.mark.parametrize("exchange", ["replace", "shared", "overlapped"])
def test_they_are_for_every_exchange(exchange):
    spec = Spec("fft", 64, 4, "cyclic", "block", exchange)
    agree(emit(spec), spec)


@pytest.mark.parametrize(
    "change",
    [
        ("# Γ_{4,4,64}\n", "# Γ_{2,4,64}\n"),
        ("# (I_4 ⊗ F_16)\n", "# (F_16 ⊗ I_4)\n"),
        ("T^64_16\n", "T^64_4\n"),
        ("# Γ_{4,4,64}^-1\n", "# Γ_{4,4,64}\n"),
        ("    # L^64_4\n", ""),
    ],
)
def test_a_wrong_comment_does_not_agree(change):
    spec = Spec("fft", 64, 4)
    assert change[0] in emit(spec)
    with pytest.raises(AssertionError):
        agree(emit(spec).replace(*change), spec)


def stages(text):
    """Return the stages L_1, L_2 ... that a text names, in its order, with those left out by
    dots.
    """
    found = []
    for first, last in re.findall(r"L_(\d+)(?: \.\.\. L_(\d+))?", text):
        found += range(int(first), int(last or first) + 1)
    return found


@pytest.mark.parametrize("P", [2, 4, 8])
def test_every_stage_of_a_hartley_transform_is_a_superstep_of_the_program(P):
    program = emit(Spec("fht", 256, P))
    assert head_of(program) == "L_8 ... L_2 L_1 P_256"
    named_first = [text.split(";")[0] for text in reversed(comments_of(program))]
    assert stages(" ".join(named_first)) == [*range(1, 9)]


NAMED = re.compile(r"Π_\{?\w+(?:\^-1)?\}?|[WQ]_\d+|\(I_\d+ ⊗ [FP]_\d+(?: ⊗ I_\d+)?\)")


@pytest.mark.parametrize("scheme", ["1", "2", "3", "4", "5", "5r"])
def test_every_factor_of_a_hypercube_transform_is_named_by_a_superstep(scheme):
    spec = Spec("hypercube-fft", 256, 1 if scheme == "1" else 8, "bit-reversed", scheme=scheme)
    program = emit(spec)
    found = {name for text in comments_of(program) for name in NAMED.findall(text)}
    stated = {*NAMED.findall(head_of(program))}
    assert stated == found


STATED = {
    "F": (
        r"y = ([^\n]*)F_\d+ x.*?w = exp\((-?)2 pi i / (\d+)\)",
        "y_k = {}sum_j exp({}2πi jk/{}) x_j",
    ),
    "H": (r"y = ([^\n]*)H_\d+ x.*?= cos\(()2 pi jk/(\d+)\)", "y_k = {}sum_j cas({}2πjk/{}) x_j"),
    "y": (r"(y\[A j \+ c\]) = (x\[j\])", "{} = {}, A = "),
}


@pytest.mark.parametrize("name", [path.stem for path in (ROOT / "generated").glob("*.py")])
def test_a_certificate_states_what_the_head_does(name):
    program = (ROOT / "generated" / f"{name}.py").read_text(encoding="utf-8")
    predicate = json.loads((ROOT / "generated" / f"{name}.cert.json").read_text())["predicate"]
    found, statement = STATED[re.search(r"(?:y = .*|    )([FHy])[_[]", program)[1]]
    stated = statement.format(*re.search(found, program, re.DOTALL).groups())
    given = predicate["verdicts"]["function"]["statement"].replace("exp(+", "exp(")
    assert f"transform computes {stated}" in given
