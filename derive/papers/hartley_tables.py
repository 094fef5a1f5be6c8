"""Table 1 of Lin, Chan & Karplus (1988) from the formula, for any N, and Tables 1 and 2 as printed,
compared cell by cell.

    cell = Cell(terms, target)       F(s-1,a) + F(s-1,b)C_u + F(s-1,c)S_u -> F(s,m)
    term = Term(sign, s, m, weight)  weight: "", "C_3" or "S_3"

What is printed is read from two copies of the paper with recognised text, whose lines stand
unchanged in derive/printed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from derive.formula.permutations import lg
from derive.gf2.bmmc import bit_reversal
from derive.papers.hartley import inputs, table_2

COPIES = (1, 2)
"""The copies of the paper."""


@dataclass(frozen=True)
class Term:
    """±F(s, m), with the weight C_i or S_i if it has one."""

    sign: str
    s: int
    m: int
    weight: str = ""

    def __str__(self) -> str:
        return f"F({self.s},{self.m}){self.weight}"


@dataclass(frozen=True)
class Cell:
    """A sum of terms and what it is called, `target`."""

    terms: tuple[Term, ...]
    target: Term

    def __str__(self) -> str:
        first, *rest = self.terms
        return " ".join(
            [str(first), *(f"{term.sign} {term}" for term in rest), "->", str(self.target)]
        )


@dataclass(frozen=True)
class Difference:
    """A cell that is printed otherwise than the formula has it; `same` if its value is right: C_i
    and S_i have the period 2^s in i.
    """

    table: int
    row: int
    column: str
    printed: str
    correct: str
    same: bool

    def __str__(self) -> str:
        kind = "the same number" if self.same else "wrong"
        return (
            f"Table {self.table}, row {self.row}, {self.column}: printed {self.printed}, {kind};"
            f" the formula has {self.correct}"
        )


def cell(s: int, m: int) -> Cell:
    """Return the equation of F(s, m), s >= 1, as the paper writes it.

    >>> print(cell(3, 13))
    F(2,9) + F(2,13)C_5 + F(2,15)S_5 -> F(3,13)
    >>> print(cell(1, 3))
    F(0,2) - F(0,3) -> F(1,3)
    """
    a, b, c = inputs(s, m)
    u = m % (1 << s)
    terms = (
        (Term("-" if u else "+", 0, b),)
        if s == 1
        else (Term("+", s - 1, b, f"C_{u}"), Term("+", s - 1, c, f"S_{u}"))
    )
    return Cell((Term("+", s - 1, a), *terms), Term("+", s, m))


def table_1(N: int) -> list[list[Cell]]:
    """Return Table 1 for N = 2^n elements: row m, columns Permute, Stage 1, ..., Stage n.

    >>> print(*table_1(4)[3], sep="; ")
    F(0,3) -> F(0,3); F(0,2) - F(0,3) -> F(1,3); F(1,1) + F(1,3)C_3 + F(1,3)S_3 -> F(2,3)
    """
    n = lg(N)
    moved = [Cell((Term("+", 0, m),), Term("+", 0, bit_reversal(n)(m))) for m in range(N)]
    return [[moved[m], *(cell(s, m) for s in range(1, n + 1))] for m in range(N)]


_TERM = re.compile(r"([+-]?)F\((\d+),(\d+)\)(?:([CS])_\{?(\d+)\}?)?")


def parse(text: str) -> Cell:
    r"""Return a printed cell.

    Raises ValueError where the text is no sum of terms with a target.

    >>> print(parse(r"$F(1, 4) - F(1, 6)C_{2} \rightarrow F(2, 6)$"))
    F(1,4) - F(1,6)C_2 -> F(2,6)
    """
    left, arrow, right = text.strip("$").replace(" ", "").partition(r"\rightarrow")
    terms = [
        Term(
            found[1] or "+",
            int(found[2]),
            int(found[3]),
            f"{found[4]}_{found[5]}" if found[4] else "",
        )
        for found in _TERM.finditer(left)
    ]
    target = _TERM.fullmatch(right)
    if not arrow or not target or "".join(found[0] for found in _TERM.finditer(left)) != left:
        raise ValueError(
            f"{text}: a cell is a sum of terms F(s, m), a weight C_i or S_i after each, an arrow"
            " and a term"
        )
    return Cell(tuple(terms), Term("+", int(target[2]), int(target[3])))


def printed_lines(table: int, copy: int) -> list[list[str]]:
    """Return the cells of a table as a copy has them, line by line, with the lines of its head.

    >>> printed_lines(2, 1)[2][0]
    '0000 {F(1,0)}'
    """
    text = (
        files("derive")
        .joinpath("printed", f"hartley-table-{table}-copy-{copy}.txt")
        .read_text(encoding="utf-8")
    )
    return [line.split("\t") for line in text.splitlines()[1:]]


def table_1_as_printed(copy: int) -> list[list[str]]:
    r"""Return the sixteen rows of Table 1, columns Data, Permute, Stage 1 to Stage 4.

    >>> table_1_as_printed(2)[3][1]
    '$F(0, 3) \\rightarrow F(0, 12)$'
    """
    lines = printed_lines(1, copy)
    return [left + right for left, right in zip(lines[1:17], lines[18:], strict=True)]


def table_1_differences(copy: int) -> list[Difference]:
    """Return the cells of Table 1 in which a copy differs from the formula.

    >>> print(table_1_differences(2)[0])
    Table 1, row 6, Stage 2: printed F(1,4) + F(1,8)C_2 + F(1,8)S_2 -> F(2,6), wrong; the formula has F(1,4) + F(1,6)C_2 + F(1,6)S_2 -> F(2,6)
    """  # noqa: E501
    return list(compare_table_1(table_1_as_printed(copy)))


def compare_table_1(rows: Sequence[Sequence[str]]) -> Iterator[Difference]:
    """Yield where printed rows (Data, Permute, Stage 1, ...) differ from the formula's table."""
    for m, (row, correct) in enumerate(zip(rows, table_1(len(rows)), strict=True)):
        if row[0].strip("$").replace(" ", "") != f"F(0,{m})":
            yield Difference(1, m, "Data", row[0], f"F(0,{m})", False)
        names = ["Permute", *(f"Stage {s}" for s in range(1, len(correct)))]
        for s, (name, text, want) in enumerate(zip(names, row[1:], correct, strict=True)):
            found = parse(text)
            if found != want:
                yield Difference(
                    1, m, name, str(found), str(want), _value(found, s) == _value(want, s)
                )


def _value(cell: Cell, s: int) -> tuple[Term, Counter[Term]]:
    """Return a cell with the indices of its weights reduced mod 2^s, its terms in any order."""
    return cell.target, Counter(
        replace(term, weight=_reduced(term.weight, s)) for term in cell.terms
    )


def _reduced(weight: str, s: int) -> str:
    return f"{weight[:2]}{int(weight[2:]) % (1 << s)}" if weight else ""


def table_2_differences(copy: int) -> list[Difference]:
    """Return the cells of Table 2, 16 points on 4 nodes, in which a copy differs from the
    partition.

    >>> table_2_differences(1), table_2_differences(2)
    ([], [])
    """
    return list(compare_table_2([line for line in printed_lines(2, copy) if line[0][0] in "01"]))


def compare_table_2(rows: Sequence[Sequence[str]]) -> Iterator[Difference]:
    """Yield the differences of the sixteen printed rows, four a node, from the partition."""
    wanted = [row for node in table_2(16, 4) for row in node]
    for i, (row, indices) in enumerate(zip(rows, wanted, strict=True)):
        for s, (text, m) in enumerate(zip(row, indices, strict=True), start=1):
            correct = f"{m:04b} {{F({s},{m})}}"
            if text != correct:
                yield Difference(2, i, f"stage {s}", text, correct, False)
