"""Words that come from a program or a file name, made fit for a terminal and a report."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 2000


def escaped(text: str) -> str:
    r"""Return a text in which every character that no terminal should act upon, but the end of a
    line, is spelled out.

    >>> escaped("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    return "".join(
        c
        if c.isprintable() or c == "\n"
        else c.encode("unicode_escape", "backslashreplace").decode()
        for c in text
    )


def printable(text: str, longest: int = LONGEST) -> str:
    r"""Return such a text on one line of bounded length.

    >>> printable("a\nb" + 100 * "c", longest=8)
    'a; bcccc...'
    """
    shown = escaped("; ".join(text[: 2 * longest].splitlines()))
    return shown if len(shown) <= longest else f"{shown[:longest]}..."


def counted(number: int, word: str, *more: str) -> str:
    """Return a number of things, and what else is said of them.

    >>> counted(1, "rank"), counted(2, "word", "of each")
    ('1 rank', '2 words of each')
    """
    return " ".join((f"{number} {word}{'s' * (number != 1)}", *more))


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def ordinal(number: int) -> str:
    """Return a number in words.

    >>> ordinal(2), ordinal(10)
    ('second', '10th')
    """
    return ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"


def in_words(path: Sequence[str], of_plan: bool) -> str:
    """Return what a name of a module or of a plan is called, with its attributes."""
    name = ".".join(path)
    if not path:
        return "the state of the program"
    if of_plan:
        return f"the attribute {name} of the plan"
    return f"{name}, a name of the module" if len(path) == 1 else f"the attribute {name}"
