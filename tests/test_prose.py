"""What users read has the field's words: no private phrase of tests/private_phrases.txt is in the
pages, in the help of the commands, in the docstrings of public names and of the classes that
docs/reference/names.md describes, or in the messages and printed results; each of these names and
of their members has a docstring of its own.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

import nodewright as nw
from nodewright.cli import app
from nodewright.cli.commands import Context
from tests.support.paths import ROOT

REWRITTEN_LATER = {"moves.md", "kernels.md", "prover.md", "proofs.md"}
"""Pages on internals that are about to change; they are rewritten with what they describe."""

PAGES = [
    ROOT / "README.md",
    *sorted(
        page
        for page in (ROOT / "docs").rglob("*.md")
        if "_build" not in page.parts and page.name not in REWRITTEN_LATER
    ),
    ROOT / "bench" / "README.md",
    ROOT / "generated" / "README.md",
]


def private_phrases() -> list[tuple[re.Pattern[str], str]]:
    """Return the pattern of each private phrase, with the standard word."""
    lines = (ROOT / "tests" / "private_phrases.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("# "))
    return [(re.compile(phrase, re.IGNORECASE | re.MULTILINE), word) for phrase, word in rows]


PHRASES = private_phrases()


def prose(text: str) -> str:
    """Return a text in Markdown or of a docstring, a paragraph on each line, without its code and
    the rows of errata, which quote the papers.
    """
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^\| `(bsp|cormen|hypercube|fht)-.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^ *>>> .*?(\n *\n|\Z)", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"``[^`]*``|`[^`]*`", "CODE", text)
    text = re.sub(r"\]\([^)\s]*\)", "]", text)
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-|#]|\d+\.) )", text)
    return "\n".join(" ".join(block.split()) for block in blocks)


def private(text: str) -> list[str]:
    """Return the private phrases of a text, each with the words around it and a standard word."""
    plain = prose(text)
    return [
        f"..{plain[max(0, found.start() - 30) : found.end() + 20]}.. -> {word}".replace("\n", " ")
        for phrase, word in PHRASES
        for found in phrase.finditer(plain)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_has_no_private_phrase(page: Path) -> None:
    assert "\n".join(private(page.read_text(encoding="utf-8"))) == ""


def commands(group: Any, *words: str) -> Iterator[tuple[str, Any]]:
    """Yield every command of a group with its words, the group itself first."""
    yield " ".join(words), group
    context = Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, *words, name)
        else:
            yield " ".join((*words, name)), command


@pytest.mark.parametrize(
    "command", [pytest.param(each, id=words or "nodewright") for words, each in commands(app.app)]
)
def test_the_help_of_a_command_has_no_private_phrase(command: Any) -> None:
    helps = [command.help, *(parameter.help for parameter in command.params)]
    assert "\n".join(found for text in helps if text for found in private(text)) == ""


def test_the_list_of_commands_has_no_private_phrase() -> None:
    assert (
        "\n".join(found for entry in app.COMMANDS.values() for found in private(entry.does)) == ""
    )


def named_objects() -> dict[str, Any]:
    """Return the public names, and the classes that the page on them describes, by their names."""
    page = (ROOT / "docs" / "reference" / "names.md").read_text(encoding="utf-8")
    paths = re.findall(r"^\.\. auto(?:class|function):: (\S+)\.(\w+)$", page, re.MULTILINE)
    found = {name: getattr(import_module(module), name) for module, name in paths}
    return found | {name: getattr(nw, name) for name in nw.__all__}


NAMED = named_objects()


def documented(name: str) -> Iterator[tuple[str, str]]:
    """Yield the docstrings of a name and, if it is a class, of its public members. A field of a
    dataclass or of a named tuple may have its line in the docstring of the class.
    """
    named = NAMED[name]
    whole = inspect.getdoc(named) or ""
    yield name, re.sub(r"^    \w+: ", "    ", whole, flags=re.MULTILINE)
    if inspect.isclass(named):
        for member, value in inspect.getmembers(named):
            own = callable(value) or hasattr(type(value), "__get__")
            if not member.startswith("_") and (own or member in vars(named)):
                field = re.search(rf"^    ({member}): (.*)", whole, re.M)
                shown = inspect.getdoc(value) or ""
                yield f"{name}.{member}", field[2] if field else shown


@pytest.mark.parametrize("name", NAMED)
def test_the_docstrings_of_a_public_name_have_no_private_phrase(name: str) -> None:
    assert (
        "\n".join(f"{of}: {found}" for of, text in documented(name) for found in private(text))
        == ""
    )


PYTHONS = {inspect.getdoc(kind) for kind in (bool, int, str, tuple, type(None), attrgetter, dict)}
"""The docstrings of Python's own types, which help() shows of a member without one."""


@pytest.mark.parametrize(
    "name", [name for name in NAMED if name not in ("Listing", "ByName", "Series")]
)
def test_a_public_name_and_its_members_have_docstrings(name: str) -> None:
    assert [of for of, text in documented(name) if not text or text in PYTHONS] == []


CHECKED = ("nodewright", "codegen", "derive", "proofs")
SOURCES = [file for package in CHECKED for file in sorted((ROOT / package).rglob("*.py"))]
"""The modules whose messages and printed results are checked."""
NOT_PROSE = {'<div class="beside"><div>X</div><div>X</div></div>'}
"""Literals that have a phrase as the name of something."""


def literals(source: str) -> Iterator[str]:
    """Yield the string literals of a module with more than one word, X for each value in them;
    docstrings are left out.
    """
    module = ast.parse(source)
    within = {
        id(part)
        for node in ast.walk(module)
        for part in (
            node.values
            if isinstance(node, ast.JoinedStr)
            else [node.value]
            if isinstance(node, ast.Expr)
            else []
        )
    }
    for node in ast.walk(module):
        match node:
            case ast.JoinedStr(values=parts):
                text = "".join(
                    getattr(part, "value", "") if isinstance(part, ast.Constant) else "X"
                    for part in parts
                )
            case ast.Constant(value=str() as text) if id(node) not in within:
                pass
            case _:
                continue
        if " " in text:
            yield text


@pytest.mark.parametrize("package", CHECKED)
def test_messages_and_printed_results_have_no_private_phrase(package: str) -> None:
    found = [
        f"{file.relative_to(ROOT)}: {phrase}"
        for file in SOURCES
        if file.is_relative_to(ROOT / package)
        for text in literals(file.read_text(encoding="utf-8"))
        if text not in NOT_PROSE
        for phrase in private(text)
    ]
    assert "\n".join(found) == ""


def test_a_message_is_read_with_its_values() -> None:
    source = '"""Of trades, too."""\nraise ValueError(f"{n} is no " "matrix")\n'
    assert [*literals(source)] == ["X is no matrix"]
    assert private("X is no matrix") != []


def test_a_private_phrase_is_found() -> None:
    bad = "The emitted text of\n`fft` takes as of\n`fht` so\nmany arrays at once, too."
    assert len(private(bad)) == 4
    assert private("The program accepts this many arrays, also for `fht`.") == []


def test_code_is_no_prose() -> None:
    code = "```console\n$ so many\n```\n\n`so many`\n\n>>> so_many\nso many\n"
    assert private(code) == []
    assert private(f"{code}\nso many\n") != []


def test_every_page_that_is_rewritten_later_is_there() -> None:
    pages = {page.name for page in (ROOT / "docs").glob("*.md")}
    assert REWRITTEN_LATER - pages == set()
