"""A printed statement that does not hold: how it is evaluated, and at which sizes it is tried. What
it says is in the table of statements (derive/papers/statements/errata.toml).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from derive.lazy import lazily
from derive.papers.statements.statement_tables import ErratumStatement

_html = lazily("derive.show.html")
Statement = Callable[..., str | None]
Sizes = Callable[[], Iterable[tuple[int, ...]]]
PAPERS = {
    "bsp": "Inda & Bisseling 2000",
    "cormen": "Cormen 1997",
    "hypercube": "Aykanat & Dervis",
    "fht": "Lin, Chan & Karplus 1988",
}
"""The papers by the first word of the names of their errata."""
KINDS = ("equation", "table", "wording", "interpretation")
"""A formula or a line of a program; an entry in a table; a sentence that is false as it is; a
sentence or formula whose meaning the paper leaves open: one reading of it is refuted.
"""


class Evaluation(NamedTuple):
    """How both statements are evaluated: `letters` name the sizes; `fails` and `stays` take them,
    and return None where the statement holds there, else what is wrong: the first evaluates the
    reading of what is printed, the second the correction, which says something of the sizes for
    which `covers` is true. Nothing is stored of what they find.
    """

    letters: str
    sizes: Sizes
    fails: Statement
    stays: Statement
    covers: Callable[..., bool] = lambda *sizes: True


@dataclass(frozen=True)
class Erratum:
    """A statement as printed and as corrected, with how both are evaluated."""

    name: str
    says: ErratumStatement
    evaluation: Evaluation = field(repr=False)

    @property
    def paper(self) -> str:
        """The paper that prints the statement."""
        return PAPERS[self.name.partition("-")[0]]


@dataclass(frozen=True, repr=False)
class Finding:
    """The result of evaluating both statements."""

    erratum: Erratum
    counterexample: str | None
    tried: int
    held: int
    wrong: str | None

    @property
    def holds(self) -> bool:
        """Whether the reading of the printed statement is refuted, and the correction holds."""
        return self.counterexample is not None and self.wrong is None and self.held > 0

    @property
    def verdict(self) -> str:
        """The verdict on the correction."""
        if self.wrong is not None:
            return f"refuted: {self.wrong}"
        sizes = "the only case" if self.held == 1 else f"all {self.held} sizes tried"
        return f"checked at {sizes}" + (
            f"; for all sizes: nodewright prove {self.erratum.says.theorem}"
            if self.erratum.says.theorem
            else ""
        )

    def to_dict(self) -> dict[str, str | bool | None]:
        """Return the finding as --json prints it."""
        says = self.erratum.says
        return {
            "name": self.erratum.name,
            "kind": says.kind,
            "paper": self.erratum.paper,
            "place": says.place,
            "printed": says.printed,
            "reading": says.reading,
            "counterexample": self.counterexample,
            "correction": says.correction,
            "verdict": self.verdict,
            "cause": says.cause,
        }

    def row(self) -> tuple[str, ...]:
        """Return what a list shows of it."""
        return self.erratum.name, self.erratum.says.kind, self.erratum.says.reading

    def cells(self) -> tuple[str, ...]:
        """Return what a notebook shows of it in a list."""
        name, says = self.erratum.name, self.erratum.says
        return name, says.kind, says.reading, self.counterexample or "", says.correction

    def __repr__(self) -> str:
        name, kind, reading, counterexample, correction = self.cells()
        return f"<{name} ({kind}): {reading}; {counterexample}; correction {correction}>"

    def _repr_html_(self) -> str:
        """Return the finding as a notebook shows it."""
        said = {name: text for name, text in self.to_dict().items() if text and name != "name"}
        return str(_html.fragment(_html.bold(self.erratum.name), _html.named(said)))


def examine(erratum: Erratum) -> Finding:
    """Return the smallest sizes at which the printed statement fails, and whether the correction
    holds at all sizes tried of which it says something.
    """
    counterexample, wrong, held, tried = None, None, 0, 0
    letters, all_sizes, fails, stays, covers = erratum.evaluation
    for sizes in all_sizes():
        tried += 1
        at = ", ".join(
            f"{letter} = {size}" for letter, size in zip(letters.split(), sizes, strict=True)
        )
        if counterexample is None and (found := fails(*sizes)) is not None:
            counterexample = f"{at}: {found}" if at else found
        found = stays(*sizes)
        if found is not None:
            wrong = f"{at}: {found}" if at else found
            break
        held += covers(*sizes)
    return Finding(erratum, counterexample, tried, held, wrong)


def differ(printed: object, right: object, what: str = "{}, not {}") -> str | None:
    """Return None for two equal things, else what they are.

    >>> differ(3, 2)
    '3, not 2'
    """
    return None if printed == right else what.format(printed, right)


def both(statement: Statement, printed: object, right: object) -> tuple[Statement, Statement]:
    """Return a statement with its last argument as printed, and as it is right.

    >>> fails, stays = both(differ, 3, 2)
    >>> fails(2), stays(2)
    ('2, not 3', None)
    """
    return (lambda *sizes: statement(*sizes, printed)), (lambda *sizes: statement(*sizes, right))


def halves(last: int) -> Iterator[tuple[int, int]]:
    """Yield N and P <= N/2, powers of two up to N = 2^last.

    >>> list(halves(2))
    [(2, 1), (4, 1), (4, 2)]
    """
    return ((1 << n, 1 << p) for n in range(1, last + 1) for p in range(n))
