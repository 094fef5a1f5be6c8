"""The tab of derivations: a formula, the rules that apply at its places, the document at the
end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from derive.files import decoded
from derive.show import html
from derive.text.parse import parse, parse_relations
from derive.text.syntax import Added, DirectSum, Equation, Kron, Scaled, Text
from derive.text.text_latex import formula_in_letters
from derive.verdict import Proved
from nodewright.api.derivation_calls import SUFFIX, Derivation
from nodewright.workbench.drafts import NAME, Applied, Draft, Lemma
from nodewright.workbench.page_texts import formula_of, mathematics, read
from nodewright.workbench.parts import document, folded, row, scrolled, stack, words, wrong
from proofs.derivations.hypotheses import Assumed
from proofs.derivations.paths import part_at, read_place
from proofs.derivations.script import WrongLine, read_script, read_start, written_start
from proofs.show.markup import mathml

ENDING = SUFFIX
"""How the name of a file that is opened ends."""
EVERYWHERE = None
"""Where rules are looked for that may apply at any place."""
MOST_USES, MOST_STEPS = 40, 30
"""So many uses of rules, and so many steps, are shown."""


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


@dataclass
class _Kept:
    draft: Draft
    derivation: Derivation
    formulas: list[str]


_kept: list[_Kept] = []
"""The derivation that was looked at last: the next draft mostly goes on from there."""


def begun(start: str, where: str = "", name: str = "") -> Draft:
    """Return the draft of a derivation that begins with a formula; documents have its name.

    Raises ValueError where the text is no formula, which shows the column.

    >>> begun("F(r*s)")
    Draft(start='F(r*s)', where='', moves=(), wrong='', name='derivation')
    """
    read(start, read_start)
    read(where, parse_relations)
    Derivation(start, where)
    return Draft(start, where, name=name or NAME)


def opened(content: bytes | None, name: str | None = None) -> Draft:
    r"""Return the draft of a file with a derivation, every step of it proved; of one with a wrong
    line the steps before it, and what is wrong. Documents have the name of the file.

    Raises ValueError where no file is chosen, it is no UTF-8, or no derivation begins in it.

    >>> opened(b"start F(r*s)\napply four-step with r=r\nend").moves
    (Applied(words='four-step with r=r, s=s'),)
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
    moves: list[Applied | Lemma] = [
        Lemma(x.name, str(x.stated), x.where, isinstance(x, Assumed)) for x in found.lemmas.values()
    ]
    moves += [Applied(str(use)) for use in found.steps]
    own = (name or NAME).removesuffix(SUFFIX)
    return Draft(written_start(found), found.where, tuple(moves), problem, own)


def moved(draft: Draft, move: Applied | Lemma) -> Draft:
    """Return a draft with one more move, which the kernel has proved; ValueError where it does not.

    >>> len(moved(begun("F(r*s)"), Applied("cooley-tukey with r=r")).moves)
    1
    >>> moved(begun("F(r*s)"), Applied("commute"))
    Traceback (most recent call last):
    ValueError: commute does not apply there: ...
    """
    found = replace(draft, moves=(*draft.moves, move), wrong="")
    _derived(found)
    return found


def undone(draft: Draft) -> Draft:
    """Return a draft without its last move; ValueError without one."""
    if not draft.moves:
        raise ValueError(f"no step to undo: the derivation begins with {draft.start}")
    return replace(draft, moves=draft.moves[:-1], wrong="")


def shown(draft: Draft, place: str | None = EVERYWHERE) -> Shown:
    """Return what the page shows: the rules are those that apply at a place, or everywhere.

    >>> found = shown(begun("F(2) (x) I(4)"), "")
    >>> found.uses[0][0], [place for place, _ in found.parts]
    ('parallel-last with c=2, d=2, u=2', ['1', '2'])
    """
    kept, own = _derived(draft), _statements(draft)
    lines = [
        Line(formula, mathematics(formula, own), reason)
        for formula, reason in zip(kept.formulas, ["", *kept.derivation.steps], strict=True)
    ][-MOST_STEPS:]
    whole = formula_of(kept.derivation.formula, own)
    here = part_at(whole, read_place(place or ""))
    loose = Kron | DirectSum | Added | Scaled
    parts = tuple(
        (f"{place}.{i}" if place else str(i), _factor(part, isinstance(part, loose)))
        for i, part in enumerate(here.parts, 1)
    )
    uses = kept.derivation.rules(place)
    return Shown(
        tuple(lines),
        len(kept.derivation.steps),
        tuple(str(move) for move in draft.moves if isinstance(move, Lemma)),
        mathml(formula_in_letters(here)),
        parts,
        tuple((use, mathematics(made, own)) for use, made in uses[:MOST_USES]),
        len(uses),
    )


def seen(draft: Draft, place: str | None = EVERYWHERE) -> Seen:
    """Return a draft and a place in it with what the page shows of them."""
    return Seen(draft, place, shown(draft, place))


def done(change: Callable[..., Draft], *given: Any, **named: Any) -> Seen:
    """Return what a change comes to: `begun`, `moved` or `undone`, of what is given."""
    return seen(change(*given, **named))


def ended(draft: Draft) -> Ended:
    """Return the equation that a draft has come to, with its documents.

    >>> found = ended(moved(begun("F(r*s)"), Applied("four-step with r=r")))
    >>> found.kind, list(found.documents)
    ('proved', ['script', 'HTML', 'LaTeX', 'certificate'])
    """
    derivation = _derived(draft).derivation
    proof = derivation.end(draft.name)
    documents = {"script": ("derivation", derivation.script())}
    if isinstance(proof.verdict, Proved):
        documents |= {
            "HTML": ("html", proof.to_html()),
            "LaTeX": ("tex", proof.to_latex()),
            "certificate": ("json", proof.replayable()),
        }
    by = "by the rules " * isinstance(proof.verdict, Proved)
    verdict = html.verdict(proof.kind, proof.statement, by + proof.evidence)
    return Ended(proof.kind, verdict, documents, re.sub(r"[^\w.-]+", "-", draft.name))


def _statements(draft: Draft) -> str:
    """Return what the first formula and the lemmas of a draft define and declare."""
    start = read_start(draft.start)
    lemmas = [parse(move.equation, [start]) for move in draft.moves if isinstance(move, Lemma)]
    sides = DirectSum((start, *(x for one in lemmas for x in (one.left, one.right))))
    return Equation(sides, sides).statements


def _factor(part: Text, loose: bool) -> str:
    """Return a part of a formula as MathML, in parentheses where it would be read otherwise."""
    text = formula_in_letters(part)
    return mathml(f"({text})" if loose else text)


def _derived(draft: Draft) -> _Kept:
    """Return a draft with each of its moves done; what is there of the draft before stays."""
    kept = _kept.pop() if _kept else None
    if kept is None or not _leads_to(kept, draft):
        derivation = Derivation(draft.start, draft.where)
        kept = _Kept(Draft(draft.start, draft.where), derivation, [derivation.formula])
    _kept.append(kept)
    for move in draft.moves[len(kept.draft.moves) :]:
        move.done(kept.derivation)
        kept.draft = replace(kept.draft, moves=(*kept.draft.moves, move))
        if isinstance(move, Applied):
            kept.formulas.append(kept.derivation.formula)
    return kept


def _leads_to(kept: _Kept, draft: Draft) -> bool:
    """Return whether a draft goes on from what is kept, of which steps are taken back for that."""
    if (kept.draft.start, kept.draft.where) != (draft.start, draft.where):
        return False
    while kept.draft.moves != draft.moves[: len(kept.draft.moves)]:
        if isinstance(kept.draft.moves[-1], Lemma):
            return False
        kept.derivation.undo()
        kept.formulas.pop()
        kept.draft = replace(kept.draft, moves=kept.draft.moves[:-1])
    return True
