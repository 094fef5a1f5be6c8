"""Derivations as text, a step a line.

    script = line { NEWLINE line }
    line   = "start" { STATEMENT ";" } FORMULA [ "where" CONDITIONS ]
           | "lemma" NAME ":" EQUATION [ "where" CONDITIONS ]
           | "assume" NAME ":" EQUATION [ "where" CONDITIONS ]
           | "apply" RULE [ "at" PLACE ] [ "with" LETTER "=" SIZE { "," LETTER "=" SIZE } ]
           | "end" [ FORMULA ]

A comment starts with #; empty lines are skipped. <-RULE is read from right to left. A formula
after `end` must be the last one, as it is written.
"""

from __future__ import annotations

import re
from typing import Any

from derive.call_arguments import perhaps
from derive.text.parse import parse_formula
from derive.text.syntax import Sides, Text
from proofs.derivations.derivation import NAME, Derivation
from proofs.derivations.hypotheses import Assumed
from proofs.derivations.paths import read_place, spelled

BYTE_ORDER_MARK = "\ufeff"
"""Some editors write it before a text."""
WRITTEN = "a step is written apply RULE at PLACE with r=2, s=4"
_UNKNOWN = re.compile(r"unknown matrix (\w+)(?=: )")
_LEMMA = re.compile(rf"(?P<name>{NAME})\s*:\s*(?P<equation>.+)")


class WrongLine(ValueError):
    """A line of a script is wrong; `so_far` is the derivation before it, if it has begun, and
    `counterexample` that of a lemma or a hypothesis that is refuted there.
    """

    def __init__(self, message: str, so_far: Any, error: ValueError) -> None:
        super().__init__(message)
        self.so_far = so_far
        self.counterexample = getattr(error, "counterexample", None)


def read_script(text: str) -> Derivation:
    r"""Return the derivation that a script states, every step of it proved.

    Raises WrongLine, a ValueError, with the number of the line and the formula there; it has the
    derivation up to that line.

    >>> found = read_script("start F(r*s)\napply cooley-tukey with r=r\nend")
    >>> print(found.formula)
    F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)
    >>> read_script("start F(r*s)\napply shuffle-1\nend")
    Traceback (most recent call last):
    proofs.derivations.script.WrongLine: line 2: shuffle-1 does not apply there: F(r*s) does not match L(n, 1); the formula is F(r*s)
    """  # noqa: E501
    found: Derivation | None = None
    number, verb = 0, ""
    try:
        lines = text.removeprefix(BYTE_ORDER_MARK).splitlines()
        for number, line in enumerate(lines, 1):  # noqa: B007  it stands in errors
            word, _, rest = line.partition("#")[0].strip().partition(" ")
            if word and verb == "end":
                raise ValueError("this line comes after end")
            if word:
                verb, found = word, _read(word, rest.strip(), found)
        if found is None or verb != "end":
            number += 1
            raise ValueError("the last line must be 'end'")
    except ValueError as error:
        there = f"; the formula is {found.formula}" if found else ""
        words = _UNKNOWN.sub(lambda word: word[0] + perhaps(word[1], ("where",)), str(error))
        raise WrongLine(f"line {number}: {words}{there}", found, error) from error
    return found


def written_script(derivation: Derivation) -> str:
    """Return the script of a derivation."""
    where = f" where {derivation.where}" if derivation.where else ""
    lines = [f"start {written_start(derivation)}{where}"]
    lines += [
        f"{'assume' if isinstance(rule, Assumed) else 'lemma'} {name}: {rule.stated}"
        + (f" where {rule.where}" if rule.where else "")
        for name, rule in derivation.lemmas.items()
    ]
    lines += [f"apply {use}" for use in derivation.steps]
    return "\n".join([*lines, f"end {derivation.formula}", ""])


def read_start(text: str) -> Text:
    """Return the formula that a derivation begins with, from the text after `start`.

    Raises ValueError where the text is none.

    >>> print(read_start("A : m x m; A (x) I(n)"))
    A (x) I(n)
    """
    statements, mark, formula = text.rpartition(";")
    return parse_formula(formula, statements + mark)


def written_start(derivation: Derivation) -> str:
    """Return the first formula with its statements before it, as `read_start` takes it."""
    return f"{Sides(derivation.start, derivation.start).statements}{derivation.start}"


def _read(verb: str, rest: str, found: Derivation | None) -> Derivation:
    """Do what a line says, and return the derivation."""
    lines = {"lemma": _lemma, "assume": _assume, "apply": _apply, "end": _end}
    verbs = ("start", *lines)
    if verb not in verbs:
        near = perhaps(verb, verbs)
        raise ValueError(f"{verb!r} is not a step{near}: a line starts with {', '.join(verbs)}")
    if verb == "start":
        if found is not None:
            raise ValueError("start is given twice")
        stated, _, where = rest.partition(" where ")
        return Derivation(read_start(stated), where.strip())
    if found is None:
        raise ValueError("the first line must be start FORMULA")
    lines[verb](found, rest)
    return found


def _lemma(derivation: Derivation, rest: str) -> None:
    derivation.lemma(*_named("lemma", rest))


def _assume(derivation: Derivation, rest: str) -> None:
    derivation.assume(*_named("assume", rest))


def _named(verb: str, rest: str) -> tuple[str, str, str]:
    """Return the name, the equation and the conditions of what is stated."""
    stated, _, where = rest.partition(" where ")
    match = _LEMMA.fullmatch(stated.strip())
    if match is None:
        kind = {"lemma": "lemma", "assume": "hypothesis"}[verb]
        raise ValueError(f"a {kind} is written {verb} NAME: LEFT = RIGHT")
    return match["name"], match["equation"], where.strip()


def _apply(derivation: Derivation, rest: str) -> None:
    derivation.apply(*read_use(rest))


def read_use(words: str) -> tuple[str, str, dict[str, str]]:
    """Return the rule, the place and the letters of a step, from the text after `apply`.

    Raises ValueError for other words.

    >>> read_use("commute at 1.2 with m=r, n=2*s")
    ('commute', '1.2', {'m': 'r', 'n': '2*s'})
    """
    rule, rest = _word(words)
    if not rule:
        raise ValueError(f"apply needs the name of a rule: {WRITTEN}")
    place, word = "", rule
    following, after = _word(rest)
    if following == "at":
        word, rest = _word(after)
        place = spelled(read_place(word)) if word else ""
        if not place:
            raise ValueError(f"'at' needs a place: {WRITTEN}")
        following, after = _word(rest)
    if following and following != "with":
        expected = "with or the end of the line" if place else "at, with or the end of the line"
        near = perhaps(following, ("with",) if place else ("at", "with"))
        raise ValueError(f"expected {expected} after {word}, got {following!r}{near}")
    if following and not after:
        raise ValueError(f"'with' needs a letter and its value: {WRITTEN}")
    letters = dict(_letter(one) for one in after.split(",") if one.strip())
    return rule, place, letters


def _word(text: str) -> tuple[str, str]:
    """Return the first word of a text, and the rest."""
    first, *rest = text.split(maxsplit=1) or [""]
    return first, (rest or [""])[0]


def _letter(text: str) -> tuple[str, str]:
    name, equal, value = text.partition("=")
    if not equal:
        raise ValueError(f"{text.strip()!r}: write the value of a letter as r=2")
    return name.strip(), value.strip()


def _end(derivation: Derivation, rest: str) -> None:
    if rest and parse_formula(rest, derivation.sides.statements) != derivation.formula:
        raise ValueError(f"end must give the last formula, got {rest}")
