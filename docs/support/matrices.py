"""The table of matrices in docs/notation.md, written from their rows (derive/formula/leaves.py):

python -m docs.support.matrices
"""

from __future__ import annotations

from pathlib import Path

from derive.formula.named_matrices import MATRICES, parameters, row_of
from derive.symbolic import positive_integers

PAGE = Path(__file__).parents[1] / "notation.md"
HEAD = "| printed | class | matrix | defined as |\n| --- | --- | --- | --- |\n"


def line(name: str) -> str:
    """Return the line of a matrix: how it prints, its sizes, its docstring, its definition.

    >>> print(line("E"))
    | E_{m,n} | `E(m, n)` | The m x n matrix of ones | - |
    """
    kind, shown = MATRICES[name], [one.shown for one in parameters(name)]
    printed = kind(*(positive_integers(x.replace("alpha?", "α")) for x in shown))
    sizes = ", ".join(shown).replace("?", "=0")
    says = " ".join((kind.__doc__ or "").partition("\n\n")[0].split()).removesuffix(".")
    means = f"`{row_of(name).means}`" if row_of(name).means else "-"
    return f"| {printed} | `{name}({sizes})` | {says} | {means} |"


def with_table(page: str) -> str:
    """Return the page with a line for each matrix that prints as a letter."""
    before, head, after = page.partition(HEAD)
    names = sorted((name for name in MATRICES if row_of(name).letter), key=str.lower)
    return before + head + "\n".join(map(line, names)) + after[after.index("\n\n") :]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
