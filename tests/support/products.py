"""A program as three products of factors: of the formula in its head, of the comments of its
supersteps, and of what its certificate states; read by the reader of formulas.

A factor that has a name of its own in the head (W_2, Π_X1, ..) is its name. A rank of a program by
digits has its part of each factor, and its moves are told in words: there a product is, axis by
axis, the row of radices and twiddles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

from codegen.spec import Spec
from derive.formula.grammar import Formula, I, Kron, Product, factors_of
from derive.formula.transforms import LH, F, H, T
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.text.elaborate import formula
from derive.text.parse import parse_formula

NEXT = re.compile(r" (?![^()]*\))")
"""A space that is not within parentheses."""
NAMED = re.compile(r"W_\d+|Π_.+|diag\(.*\)|\(.*diag\(.*\).*\)")
"""What the reader of formulas cannot know: what a head alone names."""
STAGE = re.compile(r"(\(2 )?L_(\d+)(?(1)\^-1\))")
Factor = Any


@dataclass(frozen=True)
class Matrix:
    """What a program multiplies by: a number times a formula of F, with the sign of its exponents,
    or of H, or a permutation of indices; `packed`: half of a spectrum, as real numbers.
    """

    scale: str
    matrix: Formula | Affine
    sign: str = ""
    packed: bool = False


def read(text: str) -> Formula:
    """Return the formula that a text stands for."""
    return formula(parse_formula(text), {})


def factors(text: str, N: int) -> list[Factor]:
    """Return the factors of a product, the leftmost first; the stages for which dots stand, too.

    >>> list(map(str, factors("L_4 ... L_2 L_1 P_16", 16)))
    ['LH_{4,16}', 'LH_{3,16}', 'LH_{2,16}', 'LH_{1,16}', 'P_16']
    """
    try:
        return list(factors_of(read(text)))
    except ValueError:
        return [_factor(each, N) for each in _expanded(_split(text))]


def _split(text: str) -> list[str]:
    """Return the factors of a product as texts: parentheses may stand within parentheses."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "({") - (letter in ")}")
        if letter == " " and not depth:
            found.append("")
        else:
            found[-1] += letter
    return found


def _factor(text: str, N: int) -> Factor:
    if stage := STAGE.fullmatch(text):
        return (text[0] == "(", LH(int(stage[2]), N)) if stage[1] else LH(int(stage[2]), N)
    return text if NAMED.fullmatch(text) else read(text)


def _expanded(found: list[str]) -> list[str]:
    """Return stages of the Hartley transform with those for which dots stand."""
    made: list[str] = []
    for before, each, after in zip(["", *found], found, [*found[1:], ""], strict=False):
        if each != "...":
            made.append(each)
            continue
        first, last = (int(re.search(r"L_(\d+)", stage)[1]) for stage in (before, after))
        way = 1 if last > first else -1
        made += [before.replace(f"L_{first}", f"L_{s}") for s in range(first + way, last, way)]
    return made


SCALE = r"((?:1/\d+ |\d+\^\(-1/2\) )?)"
HEAD = re.compile(rf"^    .*?\b[yX] = {SCALE}([(FH][^\n]*?) [xX],.*?   (.*)$", re.MULTILINE)
STATEMENT = re.compile(r"transform computes .*?\b[yX](?:_[kmj])? = (.*)")
SUM = re.compile(rf"{SCALE}sum_[jm] (exp|cas)\(([-+]?)2πi? ?j[km]/(\d+)\)")
ARRAYS = re.compile(rf"{SCALE}(\(.*\)) x, .*?= (?:exp\(([-+]?)|cos\()2πi? ?jk/")
AFFINE = re.compile(r"y\[A j \+ c\] = x\[j\], A = \((.*?),?\), c = (\d+) ")


def of_statement(statement: str) -> Matrix:
    """Return what the certificate's statement of the function says."""
    if moved := AFFINE.search(statement):
        columns = tuple(map(int, moved[1].split(", ")))
        return Matrix("", Affine(columns, len(columns), int(moved[2])))
    packed = "_2m + i " in statement
    if several := ARRAYS.search(STATEMENT.search(statement)[1]):
        return Matrix(several[1], read(several[2]), several[3] or "")
    scale, kind, sign, N = SUM.search(STATEMENT.search(statement)[1]).groups()
    matrix = H(int(N)) if kind == "cas" else F(int(N))
    return Matrix(scale, matrix, sign, packed)


def of_head(program: str, spec: Spec) -> Matrix:
    """Return what the head says of the function, in its first equation."""
    equation = re.search(r"^    (.*)$", program, re.MULTILINE)[1]
    if spec.permutation is not None:
        assert equation.startswith("y[A j + c] = x[j], ")
        name = re.search(r"^    Π_\{?(.*?)\}? = ", program, re.MULTILINE)[1]
        known = bmmc.NAMED if name in bmmc.NAMED else ()
        return Matrix("", bmmc.named(name, spec.n) if known else spec.permutation.address)
    scale, matrix, entries = HEAD.search(program).groups()
    sign = re.search(r"exp\((-?)2 pi i / ", entries)
    kept = "" if sign is None else sign[1] or "+"
    if "cos(" in entries and matrix.startswith("F"):  # of a spectrum that is made of H
        kept = "-"
    return Matrix(scale, read(matrix), kept, "2m] + i " in equation.partition("   ")[0])


FACTORED = re.compile(r"^    ((?:[FHΠ]|\([FI])\S+(?: ⊗ \S+)*) = (.*)$", re.MULTILINE)


def product_of_head(program: str, N: int) -> tuple[Factor, list[Factor]]:
    """Return both sides of the factorization in the head."""
    left, right = FACTORED.findall(program.partition("\nInput")[0])[-1]
    return _factor(left, N), factors(right, N)


RANKS = r".*to ranks by bits? [\d+, ]+ of the index$"
PROSE = re.compile(
    rf"1 / N|(N|\d+)\*\*-0.5|(from|to) \S+$|from \S+ to \S+(: H\[-m\] .*)?$|{RANKS}"
    r"|what follows is in place|.*\[-m\].* / 2$"
)
"""Comments of steps that carry out no factor of the formula."""


def comments_of(program: str) -> list[tuple[int, str]]:
    """Return the comments of `transform`, and how deep they stand."""
    body = program[program.index("def transform") :]
    body = body[: re.search(r"^    return (out|y)\n", body, re.MULTILINE).start()]
    found = re.findall(r"^( +)# (.*)$", body, re.MULTILINE)
    return [(len(indent), comment) for indent, comment in found if not PROSE.match(comment)]


def product_of_comments(program: str, N: int) -> list[Factor]:
    """Return the factors that the comments of `transform` name, the last one first."""
    body = program[program.index("def transform") :]
    loop = re.search(r"^    for channel in (?:reversed\()?range\((\d+)\)", body, re.MULTILINE)
    found: list[Factor] = []
    turns: list[list[Factor]] = [[] for _ in range(int(loop[1]))] if loop else []
    for indent, comment in comments_of(program):
        said = comment.split(": ")[0]
        if indent == 8:
            for turn, each in zip(turns, turns_of(said, len(turns)), strict=True):
                turn[:0] = factors(" ".join(each), N)
            continue
        found[:0] = chain(*reversed(turns))
        turns = [[] for _ in turns]
        found[:0] = factors(said, N)
    return [*chain(*reversed(turns)), *found]


def turns_of(comment: str, turns: int) -> list[list[str]]:
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


TWIDDLES, BUTTERFLY = "twiddles", "the butterfly of two halves of a spectrum"
Work = list[Any]
"""Radices and twiddles of an axis, the first done first."""


def work_of(made: Formula) -> Work:
    """Return the radices and twiddles of a product, the first done first: what moves is no work.

    >>> work_of(read("(F_2 ⊗ I_500) T^1000_500 (I_2 ⊗ F_500) L^1000_2"))
    [500, 'twiddles', 2]
    """
    match made:
        case Product(found):
            return [each for factor in reversed(found) for each in work_of(factor)]
        case Kron(left, right):
            return [*work_of(left), *work_of(right)]
        case F(N):
            return [N]
    return [TWIDDLES] * isinstance(made, T)


def work_of_axes(made: Formula, spec: Spec) -> list[Work]:
    """Return the work of a head's product, axis by axis of the shape."""
    parts = _operands(made)
    if spec.batch and isinstance(parts[0], I):
        parts = parts[1:]
    assert len(parts) == len(spec.shape) or len(spec.shape) == 1
    found = [work_of(part) for part in parts] if len(spec.shape) > 1 else [work_of(made)]
    if spec.system == "rfft":
        cut = slice(-2, None) if spec.direction == "forward" else slice(2)
        assert found[0][cut] == [TWIDDLES, 2][:: 1 if spec.direction == "forward" else -1]
        found[0][cut] = [BUTTERFLY]
    return found


def _operands(made: Formula) -> list[Formula]:
    return [made.left, *_operands(made.right)] if isinstance(made, Kron) else [made]


LOCAL = re.compile(r"(?:axis (\d+): )?(twiddles, then )?([F(].*)")


def work_of_comments(program: str, spec: Spec) -> list[Work]:
    """Return the work of a rank, axis by axis, as the comments of its supersteps name it.

    Every factor is one of all numbers that a rank has. An equation is one of the head's: that of a
    spectrum is its butterfly, with its twiddles; those of Hartley transforms are no factors.
    """
    found: list[Work] = [[] for _ in spec.shape]
    head = program.partition("\nInput")[0]
    for _, comment in comments_of(program):
        if re.fullmatch(r"digits that change places: [\d, ]+of the (rank|offset).*", comment):
            continue
        if "[m]" in comment:
            assert f"    {comment},   " in head
            found[0].append(BUTTERFLY)
        elif comment.startswith(("(z[k]", "z = x_b", "y_b, ")):
            words = re.search(r"(z = x_b \+ i x_\(b \+ \d+\)|\(z\[k\].*|y_b)", comment)[1]
            assert words == "y_b" or words in head
        else:
            axis, twiddles, text = LOCAL.fullmatch(comment).groups()
            factor = read(text)
            assert factor.size == spec.M // (1 + spec.in_pairs)
            found[int(axis or 0)] += [TWIDDLES] * bool(twiddles) + work_of(factor)
    return found
