"""A BMMC permutation and its factors as equations, with the bits of small ones: text and LaTeX."""

from __future__ import annotations

from dataclasses import dataclass

from derive.gf2.bits import Affine
from derive.gf2.bmmc import Factorization
from derive.gf2.shown import MOST_BITS

PAPER = "Cormen 1997"
COMPOSED = (
    ("cormen-2", "(1) and (2)", "y", "A x ⊕ c = V (W x) ⊕ c"),
    ("cormen-section-4", "section 4", "A", "V W"),
    ("cormen-3", "(3)", "V", "A T R Π"),
    ("cormen-w", "section 4", "W", "(T R Π)^-1"),
)
"""How the factors make A: names, places, left and right sides."""
LATEX = {"⊕": r"\oplus", "Π": r"\Pi", "^-1": "^{-1}"}


@dataclass(frozen=True)
class BitEquation:
    """An equation of bit matrices and vectors, bit 0 first; `tex` is its right side in LaTeX."""

    name: str
    source: str
    left: str
    right: str
    tex: str

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"

    @property
    def sides(self) -> tuple[str, str]:
        """Both sides as LaTeX."""
        return _latex(self.left), self.tex

    def row(self) -> tuple[str, str]:
        return self.source, f"{self}"

    def to_dict(self) -> dict[str, str]:
        """Return the equation as `formula` prints it with --json."""
        latex = " = ".join(self.sides)
        return {"name": self.name, "source": self.source, "text": f"{self}", "latex": latex}


def equations(f: Factorization) -> tuple[BitEquation, ...]:
    """Return y = A x ⊕ c and its factorization A = V W, then c and each matrix up to 32 bits.

    >>> from derive.gf2.bmmc import factor, gray_code
    >>> print(*equations(factor(gray_code(2), 1)), sep="; ")
    y = A x ⊕ c = V (W x) ⊕ c; A = V W; V = A T R Π; W = (T R Π)^-1; c = [0; 0]; A = [1 1; 0 1]; V = [1 1; 0 1]; W = [1 0; 0 1]; T = [1 0; 0 1]; R = [1 0; 0 1]; Π = [1 0; 0 1]
    """  # noqa: E501
    composed = tuple(
        BitEquation(name, f"{PAPER}, {place}", left, right, _latex(right))
        for name, place, left, right in COMPOSED
    )
    if f.permutation.bits > MOST_BITS:
        return composed
    matrices = {"A": f.permutation, "V": f.V, "W": f.W}
    matrices |= {"T": f.trailer, "R": f.reducer, "Π": f.swapper}
    c = [[str(f.permutation.c >> i & 1)] for i in range(f.permutation.bits)]
    bits = [_entries("c", c, f.p, "c")]
    return *composed, *bits, *(_matrix(name, each, f.p) for name, each in matrices.items())


def _matrix(name: str, of: Affine, p: int) -> BitEquation:
    rows = [[str(int(bit)) for bit in row] for row in of.matrix]
    return _entries(name, rows, p, "c" * (of.bits - p) + "|" * (0 < p < of.bits) + "c" * p)


def _entries(name: str, rows: list[list[str]], p: int, columns: str) -> BitEquation:
    """Return what a letter stands for; a line stands between offset bits and processor bits."""
    written = [" & ".join(row) + r" \\" for row in rows]
    if 0 < p < len(rows):
        written.insert(len(rows) - p, r"\hline")
    tex = rf"\left[\begin{{array}}{{{columns}}} {' '.join(written)} \end{{array}}\right]"
    return BitEquation(name, WORDS[name], name, f"[{'; '.join(map(' '.join, rows))}]", tex)


WORDS = {
    "c": "the complement",
    "A": "the characteristic matrix",
    "V": "between the processors",
    "W": "within each processor",
    "T": "the trailer",
    "R": "the reducer",
    "Π": "the swapper",
}
"""The letters of the paper."""


def _latex(text: str) -> str:
    """Return a text of letters as LaTeX."""
    for sign, command in LATEX.items():
        text = text.replace(sign, command)
    return text
