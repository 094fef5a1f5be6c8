"""The statements of the papers: theorems with the equations that they consist of, and errata.

`theorems.toml` has them by name:

    source      the paper, and the place there
    gloss       the statement in the paper's letters; what they mean follows after a blank line
    equations   the parts as formulas (docs/notation.md), where formulas can state them
    derivation  by the number of an equation the lines between its sides, where the search does not
                go alone, or where they say why it holds (proofs/theorems/statement_proofs.py)

`errata.toml` has the printed statements that do not hold by name, which begins with the paper:

    kind        equation, table, wording or interpretation (proofs/errata/entry.py)
    place       where the paper prints it
    printed     the recognised text of the paper; [...] leaves out something
    reading     in short, what is evaluated of it
    correction  the statement that holds
    cause       paper, recognised text, or either
    theorem     the theorem that states the correction, if there is one
    printed_formula, corrected_formula, sizes, where
                where both are equations of formulas or relations between sizes: these, the sizes
                at which they are evaluated, and conditions on the sizes; a text may end with
                `where` and conditions of its own
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from derive.formula.grammar import Equation
from derive.lazy import lazily
from derive.text.elaborate import equation
from derive.text.parse import parse

if TYPE_CHECKING:
    import tomllib
else:
    tomllib = lazily("tomllib")


@dataclass(frozen=True)
class TheoremStatement:
    """What a theorem says, in letters of its paper and as formulas."""

    source: str
    gloss: str
    equations: tuple[str, ...] = ()
    derivation: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


@cache
def theorem_statements() -> Mapping[str, TheoremStatement]:
    """Return the theorems by name.

    >>> theorem_statements()["cooley-tukey"].equations
    ('F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)',)
    """
    return {
        name: TheoremStatement(
            row["source"],
            paragraphs(row["gloss"]),
            tuple(map(one_line, row.get("equations", ()))),
            {int(i): tuple(map(one_line, x)) for i, x in row.get("derivation", {}).items()},
        )
        for name, row in table("theorems").items()
    }


def at_sizes(name: str, part: int = 1, **sizes: Any) -> Equation:
    """Return an equation of a theorem at sizes, which are numbers or expressions.

    >>> print(at_sizes("cooley-tukey", r=2, s=4))
    F_8 = (F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_4) L^8_2
    """
    stated = theorem_statements()[name]
    found = equation(_parsed(stated.equations[part - 1]), sizes)
    return Equation(name, stated.source, found.left, found.right)


def given_at_sizes(name: str, part: int = 1, **sizes: Any) -> tuple[Equation, ...]:
    """Return what an equation of a theorem assumes, at sizes.

    >>> print(*given_at_sizes("bluestein", n=3, M=4))
    E_{3,3} = Pad_{3,4} E_{4,4} Pad_{4,3}
    """
    stated = theorem_statements()[name]
    lines = (line.partition("given ") for line in stated.derivation.get(part, ()))
    found = [equation(_parsed(text), sizes) for before, _, text in lines if not before and text]
    return tuple(Equation(f"{name}, given", stated.source, x.left, x.right) for x in found)


_parsed = cache(parse)


@dataclass(frozen=True)
class ErratumStatement:
    """A statement as printed and as corrected; formulas have sizes, and conditions on them."""

    kind: str
    place: str
    printed: str
    reading: str
    correction: str
    cause: str
    theorem: str = ""
    printed_formula: str = ""
    corrected_formula: str = ""
    where: str = ""
    sizes: Mapping[str, list[int]] = field(default_factory=dict, hash=False)


@cache
def erratum_statements() -> Mapping[str, ErratumStatement]:
    """Return the errata by name.

    >>> erratum_statements()["bsp-3.5-inverse"].reading
    '(γ_{u1}^{u2})^-1 = γ_{u2}^-1'
    """
    return {
        name: ErratumStatement(**dict(row, **_on_one_line(row)))
        for name, row in table("errata").items()
    }


def _on_one_line(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one_line(text) for key, text in row.items() if isinstance(text, str)}


def table(name: str) -> dict[str, dict[str, Any]]:
    """Return the rows of a table by name."""
    text = files("derive.papers.statements").joinpath(f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def one_line(text: str) -> str:
    r"""Return a text without the breaks of its lines.

    >>> one_line("F(8)\n  = F(2)")
    'F(8) = F(2)'
    """
    return " ".join(text.split())


def paragraphs(text: str) -> str:
    """Return a text with each paragraph on one line."""
    return "\n\n".join(map(one_line, text.strip().split("\n\n")))
