"""The words of formula texts: tokens with their columns, and the names of operators."""

from __future__ import annotations

import re
from dataclasses import dataclass

from derive.text.expressions import FormulaError

OPERATORS = ("inv", "transpose", "conj")
DIGITS = "0123456789"
HINTS = {
    "@": "the product of matrices is * or a blank",
    "·": "the product of matrices is * or a blank",
    "×": "the Kronecker product is (x)",
    "\\": "LaTeX is not read: the Kronecker product is (x), the direct sum (+), the product *",
}
"""What is meant by characters that other notations have."""
_TOKEN = re.compile(
    r"\s*(?:(?P<kron>\(\s*x\s*\)|⊗)|(?P<sum>\(\s*\+\s*\)|⊕)|(?P<number>[0-9]+)|(?P<name>[^\W\d_][^\W_]*)|(?P<mark>\.\.\.|\*\*|>=|<=|[-+*/^_=<>(){},:;]))"
)


@dataclass(frozen=True)
class Token:
    """A word of a text: its kind, its characters and the column of the first one."""

    kind: str
    text: str
    column: int


def tokens(text: str) -> list[Token]:
    """Return the words of a text, with an empty one at the end.

    >>> [token.text for token in tokens("F(8) = L^8_2")]
    ['F', '(', '8', ')', '=', 'L', '^', '8', '_', '2', '']
    """
    found: list[Token] = []
    end = len(text.rstrip())
    at = 0
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            hint = f": {HINTS[text[at]]}" if text[at] in HINTS else ""
            raise FormulaError(f"column {at + 1}: {text[at]!r} has no meaning in a formula{hint}")
        kind = str(match.lastgroup)
        strange = next(
            (
                i
                for i in range(*match.span(kind))
                if kind == "name" and not (text[i].isalpha() or text[i] in DIGITS)
            ),
            None,
        )
        if strange is not None:
            raise FormulaError(
                f"column {strange + 1}: {text[strange]!r} has no meaning in a formula: digits are 0"
                " to 9"
            )
        word = {"kron": "(x)", "sum": "(+)"}.get(kind, match[kind])
        found.append(Token(kind, "^" if word == "**" else word, match.start(kind) + 1))
        at = match.end()
    return [*found, Token("end", "", end + 1)]
