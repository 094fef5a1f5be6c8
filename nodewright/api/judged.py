"""Findings: a statement that was judged, with its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from derive.verdict import Verdict


class Wrong(ValueError):
    """A statement that a program would rest on does not hold: its verdict."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict))
        self.verdict = verdict


class Judged:
    """A finding with a verdict: it has the verdict's strength, evidence and counterexample."""

    if TYPE_CHECKING:  # a property would be taken for the default of a field

        @property
        def verdict(self) -> Verdict: ...

    @property
    def kind(self) -> str:
        """The word of the verdict: proved, checked, tested, refuted or undecided."""
        return self.verdict.kind

    @property
    def holds(self) -> bool:
        """Tell whether the statement is neither refuted nor undecided."""
        return self.verdict.holds

    @property
    def statement(self) -> str:
        """The statement that was judged."""
        return self.verdict.statement

    @property
    def evidence(self) -> str:
        """The evidence on which the verdict rests."""
        return self.verdict.evidence

    @property
    def counterexample(self) -> str | None:
        """The counterexample that refutes the statement, None if there is none."""
        return self.verdict.counterexample

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as the command prints it with --json."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        """Return whether the statement holds; raise ValueError where that is not decided."""
        return bool(self.verdict)

    def _repr_html_(self) -> str:
        """Return the finding as a notebook shows it."""
        return self.verdict._repr_html_()

    def __str__(self) -> str:
        return str(self.verdict)

    def __repr__(self) -> str:
        return f"<{self.verdict}>"


class Unpickled:
    """What may hold a theorem of the kernel in `answer`: it is copied as itself, and pickled only
    where it holds none.
    """

    answer: Any

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, known: object) -> Self:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Return what pickle takes; raise TypeError for a proof."""
        if self.answer.theorem is not None:
            raise TypeError(
                "a proof is not pickled, since the kernel alone makes theorems: save(path) writes"
                " its certificate, and python -m proofs.replay checks that"
            )
        return super().__reduce_ex__(protocol)
