"""What a check found out, and how strong that is.

    verdict = Proved | Checked | Tested | Refuted | Undecided

`Proved` holds for all sizes, each step checked by the kernel; `Checked` holds exactly at one size
(or up to a stated probability), `Tested` in floating point within a stated tolerance. `Undecided`
says nothing of the statement. None of them passes for another.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proved:
    """The statement holds for all sizes."""

    statement: str
    rests_on: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"proved for all sizes: {self.statement}"


@dataclass(frozen=True)
class Checked:
    """The statement holds exactly at the sizes it names; `error` bounds the probability that it
    does not (0: every entry was compared).
    """

    statement: str
    evidence: str
    error: float = 0.0

    def __str__(self) -> str:
        return f"checked: {self.statement} ({self.evidence})"


@dataclass(frozen=True)
class Tested:
    """The statement held in floating point: `measured` is at most `tolerance`, which is the value
    of `formula`.
    """

    statement: str
    measured: float
    tolerance: float
    formula: str

    def __str__(self) -> str:
        return (
            f"tested: {self.statement} (error {self.measured:.2e}, tolerance {self.formula} ="
            f" {self.tolerance:.2e})"
        )


@dataclass(frozen=True)
class Refuted:
    """The statement is false: the counterexample shows it, and `wrong` names the smallest wrong
    part where it was found.
    """

    statement: str
    counterexample: str
    wrong: str = ""

    def __str__(self) -> str:
        return f"refuted: {self.statement}: {self.counterexample}" + (
            f"; smallest wrong factor: {self.wrong}" if self.wrong else ""
        )


@dataclass(frozen=True)
class Undecided:
    """The statement was neither proved nor refuted; `reason` says how far it came."""

    statement: str
    reason: str

    def __str__(self) -> str:
        return f"undecided: {self.statement} ({self.reason})"


Verdict = Proved | Checked | Tested | Refuted | Undecided


def holds(verdict: Verdict) -> bool:
    """Return whether the verdict is neither a refutation nor undecided.

    >>> holds(Refuted("1 = 2", "1 is not 2"))
    False
    """
    return not isinstance(verdict, Refuted | Undecided)
