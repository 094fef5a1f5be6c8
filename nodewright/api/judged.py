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
    """The result of a check or of a proof: a verdict with its evidence.

    `bool(result)` is `holds`, but raises ValueError if the verdict is undecided.

    Attributes:
        verdict: the verdict as an object, with the same `kind`, `statement` and `evidence`.

    Examples:
        >>> import nodewright as nw
        >>> found = nw.check("F(2) = H(2)")
        >>> found.kind, found.holds, found.statement, found.evidence
        ('checked', True, 'F_2 = H_2', 'all 4 entries, exactly, in 2 fields GF(q)')
        >>> nw.check("F(4) = H(4)").counterexample
        'entry (1, 1) is -1i on the left and 1 on the right'
    """

    if TYPE_CHECKING:  # a property would be taken for the default of a field

        @property
        def verdict(self) -> Verdict: ...

    @property
    def kind(self) -> str:
        """The kind of the verdict: proved, checked, tested, refuted or undecided."""
        return self.verdict.kind

    @property
    def holds(self) -> bool:
        """Whether the statement is proved, checked or tested."""
        return self.verdict.holds

    @property
    def statement(self) -> str:
        """The statement that the verdict is about."""
        return self.verdict.statement

    @property
    def evidence(self) -> str:
        """The reasons for the verdict, as text."""
        return self.verdict.evidence

    @property
    def counterexample(self) -> str | None:
        """Sizes or an entry that refute the statement; None if it is not refuted."""
        return self.verdict.counterexample

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the command prints it with --json."""
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
