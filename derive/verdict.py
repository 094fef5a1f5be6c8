"""Verdicts: the result of a check, and how strong it is.

    verdict = Proved | Checked | Tested | Refuted | Undecided

`Proved` holds for all sizes, each step checked by the kernel; `Checked` holds exactly at one size
(or up to a stated probability), `Tested` in floating point within a stated tolerance. `Undecided`
says nothing of the statement. None of them passes for another.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from derive.lazy import lazily

_html = lazily("derive.show.html")


class _Said:
    """What all verdicts say: how strong they are, whether the statement holds."""

    @property
    def kind(self) -> str:
        """The word of the verdict: proved, checked, tested, refuted or undecided."""
        return type(self).__name__.lower()

    @property
    def holds(self) -> bool:
        """Tell whether the verdict is neither a refutation nor undecided."""
        return not isinstance(self, Refuted | Undecided)

    def __bool__(self) -> bool:
        """Return whether the statement holds; raise ValueError where that is not decided.

        >>> bool(Undecided("I(n) = J(n)", "no sizes were compared"))
        Traceback (most recent call last):
        ValueError: undecided: I(n) = J(n) (no sizes were compared): neither true nor false
        """
        if isinstance(self, Undecided):
            raise ValueError(f"{self}: neither true nor false")
        return self.holds

    def row(self) -> tuple[str, str]:
        """Return what a list shows of it."""
        return self.kind, str(vars(self)["statement"])

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        """Return the verdict as a notebook shows it."""
        found: Any = self
        return str(_html.fragment(_html.verdict(self.kind, found.statement, found.evidence)))

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as --json prints it.

        >>> Refuted("1 = 2", "1 is not 2").to_dict()
        {'verdict': 'refuted', 'statement': '1 = 2', 'counterexample': '1 is not 2', 'wrong': ''}
        """
        return {"verdict": self.kind, **asdict(self)}  # type: ignore[call-overload]  # a verdict is a dataclass


@dataclass(frozen=True, repr=False)
class Proved(_Said):
    """The statement holds for all sizes, or at its own where it has no symbols; `under` has the
    hypotheses that it holds under, by name, which nobody has proved.

    >>> print(Proved("F(6) = A", (), (("split", "F(r*s) = B"),), all_sizes=False))
    proved under the hypothesis split: F(6) = A, where split says F(r*s) = B
    """

    statement: str
    rests_on: tuple[str, ...] = ()
    under: tuple[tuple[str, str], ...] = ()
    all_sizes: bool = True
    counterexample = None

    @property
    def kind(self) -> str:
        """The word of the verdict: proved, or proved under hypotheses."""
        return "proved under hypotheses" if self.under else "proved"

    @property
    def evidence(self) -> str:
        """The rules of the kernel that the proof uses."""
        return ", ".join(self.rests_on)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as --json prints it; hypotheses only where there are some."""
        found = {"verdict": self.kind, "statement": self.statement, "rests_on": self.rests_on}
        return found | ({"under": dict(self.under)} if self.under else {})

    def __str__(self) -> str:
        names = " and ".join(name for name, _ in self.under)
        under = f" under the hypothes{'es' if self.under[1:] else 'is'} {names}" * bool(names)
        says = "".join(f", where {name} says {equation}" for name, equation in self.under)
        return f"proved{under}{' for all sizes' * self.all_sizes}: {self.statement}{says}"


@dataclass(frozen=True, repr=False)
class Checked(_Said):
    """The statement holds exactly at the sizes it names; `error` bounds the probability that it
    does not (0: every entry was compared).
    """

    statement: str
    evidence: str
    error: float = 0.0
    counterexample = None

    def __str__(self) -> str:
        return f"checked: {self.statement} ({self.evidence})"


@dataclass(frozen=True, repr=False)
class Tested(_Said):
    """The statement held in floating point: `measured` <= `tolerance`, the value of `formula`."""

    statement: str
    measured: float
    tolerance: float
    formula: str
    counterexample = None

    @property
    def evidence(self) -> str:
        """The measured error, and the tolerance."""
        return f"error {self.measured:.2e}, tolerance {self.formula} = {self.tolerance:.2e}"

    def __str__(self) -> str:
        return f"tested: {self.statement} ({self.evidence})"


@dataclass(frozen=True, repr=False)
class Refuted(_Said):
    """The statement is false: the counterexample shows it, and `wrong` names the smallest wrong
    part where it was found.
    """

    statement: str
    counterexample: str
    wrong: str = ""

    @property
    def evidence(self) -> str:
        """The counterexample, and the smallest wrong factor where it was found."""
        return self.counterexample + (
            f"; smallest wrong factor: {self.wrong}" if self.wrong else ""
        )

    def __str__(self) -> str:
        return f"refuted: {self.statement}: {self.evidence}"


@dataclass(frozen=True, repr=False)
class Undecided(_Said):
    """The statement was neither proved nor refuted; `reason` says how far it came."""

    statement: str
    reason: str
    counterexample = None

    @property
    def evidence(self) -> str:
        """The progress that was made."""
        return self.reason

    def __str__(self) -> str:
        return f"undecided: {self.statement} ({self.reason})"


Verdict = Proved | Checked | Tested | Refuted | Undecided


def holds(verdict: Verdict) -> bool:
    """Return whether the verdict is neither a refutation nor undecided.

    >>> holds(Refuted("1 = 2", "1 is not 2"))
    False
    """
    return verdict.holds
