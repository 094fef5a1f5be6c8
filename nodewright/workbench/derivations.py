"""The tab of derivations: a formula, the rules that apply at its places, the document at the
end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from derive.files import decoded
from derive.show import html
from derive.text.parse import parse, parse_relations
from derive.text.syntax import Added, DirectSum, Kron, Scaled, Text
from derive.text.text_latex import formula_in_letters
from derive.verdict import Proved
from nodewright.api.derivation_calls import SUFFIX, proof_of
from nodewright.workbench.parts import document, folded, read, row, scrolled, stack, words, wrong
from proofs.derivations.derivation import Derivation
from proofs.derivations.paths import part_at, read_place
from proofs.derivations.script import WrongLine, read_script, read_start, written_script
from proofs.show.markup import mathml

ENDING = SUFFIX
"""How the name of a file that is opened ends."""
EVERYWHERE = None
"""Where rules are looked for that may apply at any place."""
NAME = "derivation"
"""The name of documents where none is given."""
MOST_KEPT = 8
"""So many derivations are kept: most drafts go on from the last one, or back to it."""
MOST_USES, MOST_STEPS = 40, 30
"""So many uses of rules, and so many steps, are shown."""


@dataclass(frozen=True)
class Draft:
    """A derivation as far as a user has typed and clicked it: the lines of its script; `wrong` is
    the error of the line behind them in the file that was opened. Documents have its `name`.
    """

    lines: tuple[str, ...]
    wrong: str = ""
    name: str = NAME


@dataclass(frozen=True)
class Line:
    """A formula of a derivation as text and as MathML, and the rule that made it."""

    formula: str
    shown: str
    reason: str = ""


@dataclass(frozen=True)
class Shown:
    """The parts of the page that show a draft: its formulas, the last ones if they are many,
    the formula at a place, the parts there, and the rules that apply, each with the formula
    that it makes.
    """

    lines: tuple[Line, ...]
    steps: int
    lemmas: tuple[str, ...]
    here: str
    parts: tuple[tuple[str, str], ...]
    uses: tuple[tuple[str, str], ...]
    rules: int

    @property
    def chain(self) -> str:
        """The formulas below each other, each with the rule that made it."""
        left_out = self.steps + 1 - len(self.lines)
        rows = [f'<p class="reason">{left_out} formulas before these</p>'] * bool(left_out)
        for i, line in enumerate(self.lines, left_out):
            equals = "<span>= </span>" * bool(i)
            rows.append(f'<p class="formula">{equals}{line.shown}</p>')
            rows += [f'<p class="reason">{html.words(line.reason)}</p>'] * bool(line.reason)
        return f'<div class="chain">{"".join(rows)}</div>'

    @property
    def cut(self) -> str:
        """The number of rules that are shown, if not all are."""
        return f"first {len(self.uses)} of {self.rules}" if len(self.uses) < self.rules else ""


@dataclass(frozen=True)
class Seen:
    """A draft, a place in it, and what the page shows of both."""

    draft: Draft
    place: str | None
    shown: Shown

    @property
    def steps(self) -> str:
        """The formulas so far, and the lemmas that were proved, as HTML."""
        return stack(wrong(self.draft.wrong), self.shown.chain, words(*self.shown.lemmas))

    @property
    def ways(self) -> list[tuple[str, str | None]]:
        """The other places to look at, each with what its button says."""
        above: list[tuple[str, str | None]] = [
            ("everywhere", EVERYWHERE),
            ("the whole formula", ""),
        ]
        if self.place and "." in self.place:
            above.append(("up", self.place.rpartition(".")[0]))
        return [*above, *((part, place) for place, part in self.shown.parts)]

    def rules(self, places: Sequence[object], uses: Sequence[object]) -> str:
        """Return the rules that apply as HTML, with buttons for the places and for the rules."""
        at = "everywhere" if self.place is EVERYWHERE else f"at {self.place or 'the whole formula'}"
        rows = "".join(
            f"<div>{button}</div><div>{made}</div>"
            for button, (_, made) in zip(uses, self.shown.uses, strict=True)
        )
        here = f": {self.shown.here}" if self.place else ""
        return stack(
            words("Click a part to see the rules that apply at it:"),
            row(*places),
            f'<div class="part"><b>Rules that apply {at}</b>{here} {self.shown.cut}</div>',
            f'<div class="uses">{rows}</div>',
        )


@dataclass(frozen=True)
class Ended:
    """The result of a derivation: the verdict, and its documents by their kinds, each with the
    ending of its name, which stands behind `name`.
    """

    kind: str
    verdict: str
    documents: dict[str, tuple[str, str]]
    name: str

    def page(self, files: Sequence[object]) -> str:
        """Return the verdict, the files to download and the document within the page as HTML."""
        whole = self.documents.get("HTML")
        inside = folded("the document", document("the document", whole[1])) if whole else ""
        return stack(scrolled(self.verdict), row(*files), inside)


def begun(start: str, where: str = "", name: str = "") -> Draft:
    """Return the draft of a derivation that begins with a formula; documents have its name.

    Raises ValueError where the text is no formula, which shows the column.

    >>> begun("F(r*s)")
    Draft(lines=('start F(r*s)',), wrong='', name='derivation')
    """
    read(start, read_start)
    read(where, parse_relations)
    return moved(Draft((), name=name or NAME), f"start {start}{_under(where)}")


def opened(content: bytes | None, name: str | None = None) -> Draft:
    r"""Return the draft of a file with a derivation, every step of it proved; of one with a wrong
    line the steps before it, and what is wrong. Documents have the name of the file.

    Raises ValueError where no file is chosen, it is no UTF-8, or no derivation begins in it.

    >>> opened(b"start F(r*s)\napply four-step with r=r\nend").lines
    ('start F(r*s)', 'apply four-step with r=r, s=s')
    """
    if content is None:
        raise ValueError(f"choose a file NAME{SUFFIX}")
    problem = ""
    try:
        found = read_script(decoded(content))
    except WrongLine as error:
        if error.so_far is None:
            raise
        found, problem = error.so_far, str(error)
    *lines, _ = written_script(found).splitlines()
    return Draft(tuple(lines), problem, (name or NAME).removesuffix(SUFFIX))


def moved(draft: Draft, line: str) -> Draft:
    """Return a draft with one more line, which the kernel has proved; ValueError where it does not.

    >>> len(moved(begun("F(r*s)"), "apply cooley-tukey with r=r").lines)
    2
    >>> moved(begun("F(r*s)"), "apply commute")
    Traceback (most recent call last):
    ValueError: commute does not apply there: ...
    """
    found = replace(draft, lines=(*draft.lines, line), wrong="")
    _derived(found.lines)
    return found


def stated(draft: Draft, name: str, equation: str, where: str = "", assumed: bool = False) -> Draft:
    """Return a draft with a lemma, which becomes a rule once it is proved, or a hypothesis that is
    `assumed`; ValueError where it is not proved, with the counterexample of a false one.
    """
    read(equation, partial(parse, known=[_derived(draft.lines).start]))
    read(where, parse_relations)
    verb = "assume" if assumed else "lemma"
    return moved(draft, f"{verb} {name}: {equation}{_under(where)}")


def _under(where: str) -> str:
    """Return conditions as the end of a line."""
    return f" where {where}" * bool(where)


def undone(draft: Draft) -> Draft:
    """Return a draft without its last move; ValueError without one."""
    *before, last = draft.lines
    if not before:
        raise ValueError(f"no step to undo: the derivation begins with {last.partition(' ')[2]}")
    return replace(draft, lines=tuple(before), wrong="")


def shown(draft: Draft, place: str | None = EVERYWHERE) -> Shown:
    """Return what the page shows: the rules are those that apply at a place, or everywhere.

    >>> found = shown(begun("F(2) (x) I(4)"), "")
    >>> found.uses[0][0], [place for place, _ in found.parts]
    ('parallel-last with c=2, d=2, u=2', ['1', '2'])
    """
    derivation = _derived(draft.lines)
    formulas = [(derivation.start, ""), *((use.made, str(use)) for use in derivation.steps)]
    lines = [
        Line(str(formula), _mathematics(formula), reason)
        for formula, reason in formulas[-MOST_STEPS:]
    ]
    here = part_at(derivation.formula, read_place(place or ""))
    loose = Kron | DirectSum | Added | Scaled
    parts = tuple(
        (f"{place}.{i}" if place else str(i), _factor(part, isinstance(part, loose)))
        for i, part in enumerate(here.parts, 1)
    )
    uses = [*derivation.applicable(place)]
    return Shown(
        tuple(lines),
        len(derivation.steps),
        tuple(line for line in draft.lines if line.startswith(("lemma", "assume"))),
        _mathematics(here),
        parts,
        tuple((str(use), _mathematics(use.made)) for use in uses[:MOST_USES]),
        len(uses),
    )


def seen(draft: Draft, place: str | None = EVERYWHERE) -> Seen:
    """Return a draft and a place in it with what the page shows of them."""
    return Seen(draft, place, shown(draft, place))


def done(change: Callable[..., Draft], *given: Any, **named: Any) -> Seen:
    """Return what a change comes to: `begun`, `moved`, `stated` or `undone`, of what is given."""
    return seen(change(*given, **named))


def ended(draft: Draft) -> Ended:
    """Return the equation that a draft has come to, with its documents.

    >>> found = ended(moved(begun("F(r*s)"), "apply four-step with r=r"))
    >>> found.kind, list(found.documents)
    ('proved', ['script', 'HTML', 'LaTeX', 'certificate'])
    """
    derivation = _derived(draft.lines)
    proof = proof_of(derivation, draft.name)
    documents = {"script": ("derivation", written_script(derivation))}
    if isinstance(proof.verdict, Proved):
        documents |= {
            "HTML": ("html", proof.to_html()),
            "LaTeX": ("tex", proof.to_latex()),
            "certificate": ("json", proof.replayable()),
        }
    by = "by the rules " * isinstance(proof.verdict, Proved)
    verdict = html.verdict(proof.kind, proof.statement, by + proof.evidence)
    return Ended(proof.kind, verdict, documents, re.sub(r"[^\w.-]+", "-", draft.name))


def _mathematics(formula: Text) -> str:
    """Return a formula as MathML."""
    return mathml(formula_in_letters(formula))


def _factor(part: Text, loose: bool) -> str:
    """Return a part of a formula as MathML, in parentheses where it would be read otherwise."""
    text = formula_in_letters(part)
    return mathml(f"({text})" if loose else text)


@lru_cache(MOST_KEPT)
def _derived(lines: tuple[str, ...]) -> Derivation:
    """Return the derivation of a draft with each of its lines done; ValueError for a wrong one."""
    try:
        return read_script("\n".join([*lines, "end"]))
    except WrongLine as error:
        raise ValueError(str(error.__cause__)) from error
