"""A program as three products of factors: of the formula in its head, of the comments of its
supersteps, and of what its certificate states; read by the reader of formulas.

A factor that has a name of its own in the head (W_2, Π_X1, ..) is its name. What is done with pairs
of real numbers beside the transform of complex ones is an equation of the head, and no factor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from codegen.program.digits.transformed import Numbers
from codegen.program.resolve import resolve
from codegen.systems.record import Request
from derive.digits.digit_permutations import digits_of
from derive.formula.grammar import Formula, I, Kron, factors_of, kron, product
from derive.formula.permutation_matrices import L
from derive.formula.permutations import is_permutation
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
ARRAYS = re.compile(rf"{SCALE}(\(.*\)|H_\d+) x, .*?= (?:exp\(([-+]?)|cos\()2πi? ?jk/")
AFFINE = re.compile(r"y\[A j \+ c\] = x\[j\], A = \((.*?),?\), c = (\d+) ")


LINEAR = re.compile(r"computes y = ([^(]* )?(\(F_2.*\)) x for every x")
"""A statement whose matrix is a formula without roots of unity."""


def of_statement(statement: str) -> Matrix:
    """Return what the certificate's statement of the function says."""
    if moved := AFFINE.search(statement):
        columns = tuple(map(int, moved[1].split(", ")))
        return Matrix("", Affine(columns, len(columns), int(moved[2])))
    packed = "_2m + i " in statement
    if linear := LINEAR.search(statement):
        return Matrix(linear[1] or "", read(linear[2]), "")
    if several := ARRAYS.search(STATEMENT.search(statement)[1]):
        return Matrix(several[1], read(several[2]), several[3] or "")
    scale, kind, sign, N = SUM.search(STATEMENT.search(statement)[1]).groups()
    matrix = H(int(N)) if kind == "cas" else F(int(N))
    return Matrix(scale, matrix, sign, packed)


def of_head(program: str, asked: Request) -> Matrix:
    """Return what the docstring has of the function, in its first equation."""
    equation = re.search(r"^    (.*)$", program, re.MULTILINE)[1]
    if asked.permutation is not None:
        assert equation.startswith("y[A j + c] = x[j], ")
        name = re.search(r"^    Π_\{?(.*?)\}? = ", program, re.MULTILINE)[1]
        known = bmmc.NAMED if name in bmmc.NAMED else ()
        return Matrix("", bmmc.named(name, asked.n) if known else asked.permutation.address)
    if linear := re.match(r"    y = ([^(]* )?(\(F_2.*\)) x$", f"    {equation}"):
        return Matrix(linear[1] or "", read(linear[2]), "")
    scale, matrix, entries = HEAD.search(program).groups()
    sign = re.search(r"exp\((-?)2 pi i / ", entries)
    kept = "" if sign is None else sign[1] or "+"
    if "cos(" in entries and matrix.startswith("F"):  # of a spectrum that is made of H
        kept = "-"
    return Matrix(scale, read(matrix), kept, "2m] + i " in equation.partition("   ")[0])


FACTORED = re.compile(r"^    ((?:[FHΠ]|\([FHI])\S+(?: ⊗ \S+)*) = (.*)$", re.MULTILINE)


def product_of_head(program: str, N: int) -> tuple[Factor, list[Factor]]:
    """Return both sides of the factorization in the head."""
    left, right = FACTORED.findall(program.partition("\nInput")[0])[-1]
    return _factor(left, N), factors(right, N)


def transformed(right: list[Factor], asked: Request) -> list[Factor]:
    """Return the factors of the transform that supersteps do: of real input that of its pairs, to
    which a butterfly is added.

    >>> from codegen.requests import make_request
    >>> asked = make_request("rfft", 24, 2)
    >>> made = factors("(F_2 ⊗ I_12) T^24_12 (I_2 ⊗ (L^12_6 (I_2 ⊗ F_6))) L^24_2", 24)
    >>> transformed(made, asked)
    [L^12_6, (I_2 ⊗ F_6)]
    """
    if asked.system != "rfft":
        return right
    m = asked.N // 2
    (pairs,) = (each for each in right if isinstance(each, Kron) and each.left == I(2))
    trick = kron(F(2), I(m)) @ T(asked.N, m) @ pairs @ L(asked.N, 2)
    back = L(asked.N, m) @ pairs @ T(asked.N, m) @ kron(F(2), I(m))
    assert product(right) == (trick if asked.direction == "forward" else back)
    return list(factors_of(pairs.right))


PROSE = re.compile(
    r"1 / N|(N|\d+)\*\*-0.5|(from|to) \S+$|from \S+ to \S+(: H\[-m\] .*)?$|to rank [^:]*$"
    r"|digits of the offset in another order|what follows is in place|.*\[-m\].* / 2$"
)
"""Comments of steps that carry out no factor of the formula."""


def comments_of(program: str) -> list[tuple[int, str]]:
    """Return the comments of `transform`, and how deep they stand."""
    body = program[program.index("def transform") :]
    body = body[: re.search(r"^    return (out|y)\n", body, re.MULTILINE).start()]
    found = re.findall(r"^( +)# (.*)$", body, re.MULTILINE)
    return [(len(indent), comment) for indent, comment in found if not PROSE.match(comment)]


EQUATION = re.compile(
    r"[XZ]\[m\] = .*|\(z\[k\].*?(?=, along axis|$)"
    r"|z = x$|y: the real part of z$|z = x_2m \+ i x_\(2m \+ 1\)$|y_2m \+ i y_\(2m \+ 1\) = Z$"
    r"|(?:y\[m\], y\[m \+ N/2\] = |z\[m\] = \(u \+ u'\)/2 ).*?(?=, times 2|$)"
)
"""Comments of steps with real numbers: the head has them, too."""
OF_HALVES = ("y[m], y[m + N/2] = ", "z[m] = (u + u')/2 ")
"""Where pairs become halves of a vector, after which these are moved, or halves become pairs."""


def factors_of_comments(program: str) -> list[tuple[int, str]]:
    """Return the comments that name factors, and how deep they stand; the head has the others."""
    head, found = program.partition("\nInput")[0], []
    for indent, comment in comments_of(program):
        equation = EQUATION.match(comment)
        if comment.endswith(" of the real rows"):
            continue  # beside pairs, of which the equation is
        if equation is None:
            found.append((indent, comment))
            continue
        assert equation[0].startswith("y: ") or equation[0] in head
        if equation[0] == "z = x_2m + i x_(2m + 1)" and "def from_pairs" in program:
            assert not found
        if comment.startswith(OF_HALVES[0]):
            return found
        if comment.startswith(OF_HALVES[1]):
            found = []
    return found


def moves_of_halves(program: str) -> list[Formula]:
    """Return the factors that comments name of a vector's halves, which are real."""
    said = [comment for _, comment in comments_of(program)]
    at = next(i for i, comment in enumerate(said) if comment.startswith(OF_HALVES))
    moves = said[at + 1 :] if said[at].startswith(OF_HALVES[0]) else said[:at]
    return [read(comment) for comment in moves]


def cyclic_at_equation(program: str, asked: Request) -> bool:
    """Return whether all elements lie cyclic where the comment on pairs of opposite ones stands."""
    said = [comment for _, comment in comments_of(program)]
    at = next(i for i, comment in enumerate(said) if re.match(r"[XZ]\[m\]|\(z\[k\]", comment))
    cyclic = replace(_numbers(asked).after, name="cyclic").address
    sides = (said[:at], cyclic), (said[at + 1 :], cyclic.inverse())
    return any(_moved(side, asked) == wanted for side, wanted in sides)


def _numbers(asked: Request) -> Numbers:
    """Return what a request by digits transforms."""
    numbers = resolve(asked).numbers
    assert numbers is not None
    return numbers


def _moved(said: list[str], asked: Request) -> Any:
    """Return the permutation of digits that these comments name, if they name no other factors."""
    words = [comment.split(": ")[0] for comment in said if not EQUATION.match(comment)]
    made = product([I(_numbers(asked).before.N), *map(read, reversed(words))])
    return digits_of(made) if is_permutation(made) else None


def product_of_comments(program: str, N: int) -> list[Factor]:
    """Return the factors that the comments of `transform` name, the last one first."""
    body = program[program.index("def transform") :]
    loop = re.search(r"^    for channel in (?:reversed\()?range\((\d+)\)", body, re.MULTILINE)
    found: list[Factor] = []
    turns: list[list[Factor]] = [[] for _ in range(int(loop[1]))] if loop else []
    for indent, comment in factors_of_comments(program):
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
