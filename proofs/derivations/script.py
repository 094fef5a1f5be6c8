"""Derivations as text, a step a line.

    script = line { NEWLINE line }
    line   = "start" FORMULA [ "where" CONDITIONS ]
           | "lemma" NAME ":" EQUATION [ "where" CONDITIONS ]
           | "apply" RULE [ "at" PLACE ] [ "with" LETTER "=" SIZE { "," LETTER "=" SIZE } ]
           | "end" [ FORMULA ]

Behind # stands a comment; empty lines are passed over. <-RULE is read from right to left. A formula
behind `end` has to be the last one, as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from derive.text.parse import parse_formula
from proofs.derivations.derivation import Derivation

_APPLY = re.compile(r"(?P<rule>\S+)(?:\s+at\s+(?P<place>[0-9.\-]+))?(?:\s+with\s+(?P<letters>.+))?")
_LEMMA = re.compile(r"(?P<name>[\w-]+)\s*:\s*(?P<equation>.+)")


def read_script(text: str) -> Derivation:
    r"""Return the derivation that a script states, every step of it proved.

    Raises ValueError with the number of the line that is wrong, and the formula there.

    >>> found = read_script("start F(r*s)\napply cooley-tukey with r=r\nend")
    >>> print(found.formula)
    F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)
    >>> read_script("start F(r*s)\napply shuffle-1\nend")
    Traceback (most recent call last):
    ValueError: line 2: shuffle-1 does not apply there: L(n, 1) is not F(r*s); the formula is F(r*s)
    """
    found: Derivation | None = None
    number, ended = 0, False
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        verb, _, rest = words.partition(" ")
        try:
            if ended:
                raise ValueError("the derivation has ended")
            if verb == "start":
                if found is not None:
                    raise ValueError("the derivation has begun")
                found = _started(rest.strip())
            elif found is None:
                raise ValueError("a derivation begins with start FORMULA")
            else:
                _line(verb)(found, rest.strip())
                ended = verb == "end"
        except ValueError as error:
            there = f"; the formula is {found.formula}" if found else ""
            raise ValueError(f"line {number}: {error}{there}") from error
    if found is None or not ended:
        there = f"; the formula is {found.formula}" if found else ""
        raise ValueError(f"line {number + 1}: the text ends without end{there}")
    return found


def written_script(derivation: Derivation) -> str:
    """Return the script of a derivation."""
    where = f" where {derivation.where}" if derivation.where else ""
    lines = [f"start {derivation.start}{where}"]
    lines += [
        f"lemma {name}: {rule.sides}" + (f" where {rule.where}" if rule.where else "")
        for name, rule in derivation.lemmas.items()
    ]
    lines += [f"apply {use}" for use in derivation.steps]
    return "\n".join([*lines, f"end {derivation.formula}", ""])


def _line(verb: str) -> Callable[[Derivation, str], None]:
    lines = {"lemma": _lemma, "apply": _apply, "end": _end}
    if verb not in lines:
        raise ValueError(f"{verb!r} is no step: a line begins with start, {', '.join(lines)}")
    return lines[verb]


def _started(rest: str) -> Derivation:
    formula, _, where = rest.partition(" where ")
    return Derivation(parse_formula(formula), where.strip())


def _lemma(derivation: Derivation, rest: str) -> None:
    stated, _, where = rest.partition(" where ")
    match = _LEMMA.fullmatch(stated.strip())
    if match is None:
        raise ValueError("a lemma is written lemma NAME: LEFT = RIGHT")
    derivation.lemma(match["name"], match["equation"], where.strip())


def _apply(derivation: Derivation, rest: str) -> None:
    derivation.apply(*read_use(rest))


def read_use(words: str) -> tuple[str, str, dict[str, str]]:
    """Return the rule, the place and the letters of a step, from what stands behind `apply`.

    Raises ValueError for other words.

    >>> read_use("commute at 1.2 with m=r, n=2*s")
    ('commute', '1.2', {'m': 'r', 'n': '2*s'})
    """
    match = _APPLY.fullmatch(words)
    if match is None:
        raise ValueError("a step is written apply RULE at PLACE with r=2, s=4")
    letters = dict(_letter(one) for one in (match["letters"] or "").split(",") if one.strip())
    return match["rule"], match["place"] or "", letters


def _letter(text: str) -> tuple[str, str]:
    name, equal, value = text.partition("=")
    if not equal:
        raise ValueError(f"{text.strip()!r}: what a letter stands for is written r=2")
    return name.strip(), value.strip()


def _end(derivation: Derivation, rest: str) -> None:
    if rest and parse_formula(rest) != derivation.formula:
        raise ValueError(f"the last formula is another one than {rest}")
