"""The documentation is true: its examples run and print what it shows, its links lead somewhere,
its commands are those in use.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from codegen.spec import SYSTEMS
from nodewright.cli import app
from tests.support.documents import blocks
from tests.support.paths import ROOT

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "bench" / "README.md",
    ROOT / "generated" / "README.md",
]
CHANGING = re.compile(r"\b\d+(\.\d+)?(e-\d+)?(?= (ms|µs|s|lines)\b)|(?<=error )\d\.\d+e-\d+")
"""Times and rounding errors are another machine's affair, and lengths of programs change with every
improvement.
"""


def examples(document: Path) -> Iterator[tuple[str, str]]:
    """Yield the commands of the console blocks, each with what is shown below it."""
    for block in blocks(document, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


WITH_EXAMPLES = [document for document in DOCUMENTS if blocks(document, "console")]


def printed_by(command: str) -> str:
    """Return what a command prints; it must end with exit status 0."""
    name, *words = shlex.split(command)
    if name == "python":
        return subprocess.run(
            [sys.executable, *words], check=True, capture_output=True, text=True
        ).stdout
    assert name == "nodewright", f"{command}: only nodewright and python are run here"
    printed, before = io.StringIO(), sys.argv
    sys.argv = [name, *words]
    try:
        with redirect_stdout(printed), pytest.raises(SystemExit) as end:
            app.main()
    finally:
        sys.argv = before
    assert end.value.code == 0, (
        f"{command} ended with exit status {end.value.code}: {printed.getvalue()}"
    )
    return printed.getvalue()


def pattern(shown: str) -> str:
    """Return an output as a regular expression: "..." on a line stands for any lines, within a line
    for any characters.
    """
    lines = [
        ".*(\n.*)*" if line.strip() == "..." else r"[^\n]*".join(map(re.escape, line.split("...")))
        for line in stable(shown)
    ]
    return "\n".join(lines)


def stable(text: str) -> list[str]:
    """Return the lines without what changes from run to run, and without spaces at their ends."""
    return [CHANGING.sub("#", line.rstrip()) for line in text.rstrip().splitlines()]


@pytest.mark.parametrize(
    "document", WITH_EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_every_example_prints_what_is_shown(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for command, shown in examples(document):
        found = "\n".join(stable(printed_by(command)))
        assert re.fullmatch(pattern(shown), found), f"$ {command}\n{found}"


def test_the_readme_shows_every_command() -> None:
    shown = {
        command.split()[1]
        for command, _ in examples(ROOT / "README.md")
        if command.startswith("nodewright")
    }
    assert app.COMMANDS.keys() - {"bench"} - shown == set()


def test_every_command_is_where_the_table_says() -> None:
    context = app.Context(app.app)
    assert {name: app.app.get_command(context, name).name for name in app.COMMANDS} == {
        name: name for name in app.COMMANDS
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("https:", "http:")):
            path, _, anchor = target.partition("#")
            found = (document.parent / path).resolve() if path else document
            assert found.exists(), f"{document.name}: {target}"
            assert not anchor or anchor in anchors(found), f"{document.name}: {target}"


def anchors(document: Path) -> set[str]:
    """Return the anchors of a document's headings."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_what_tests_a_change_is_the_command_in_the_readme() -> None:
    setup, tests = (block.strip() for block in blocks(ROOT / "README.md", "sh"))
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line and not line.startswith(("#", "set ", "cd "))]
    assert " && ".join(commands) == tests
    assert setup.split(" && ")[:2] == tests.split(" && ")[:2]


def test_the_readme_names_the_systems_that_are_there() -> None:
    table = (
        (ROOT / "README.md")
        .read_text(encoding="utf-8")
        .partition("## What is there")[2]
        .partition("\n\n##")[0]
    )
    assert tuple(re.findall(r"^\| `(\w[\w-]*)`", table, re.MULTILINE)) == SYSTEMS


def test_no_document_tells_where_it_was_written() -> None:
    places = re.compile(r"/(?:work|home|tmp|root)/")
    assert [
        document.name
        for document in DOCUMENTS
        if places.search(document.read_text(encoding="utf-8"))
    ] == []


def test_a_wrong_example_is_seen() -> None:
    assert re.fullmatch(
        pattern("a\n...\nerror 1.0e-3, took 2 s\n"),
        "\n".join(stable("a\nb\nc\nerror 7.5e-10, took 0.01 s")),
    )
    assert not re.fullmatch(pattern("a\n...\nz\n"), "\n".join(stable("a\nb\nc")))


@pytest.mark.parametrize(("shown", "passes"), [("2", True), ("3", False)])
def test_an_example_of_a_docstring_fails_where_it_prints_something_else(tmp_path, shown, passes):
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "own.py").write_text(
        f'def f():\n    """Do.\n\n    >>> 1 + 1\n    {shown}\n    """\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "own.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("1 passed" in done.stdout, "Expected:\n    3\nGot:\n    2" in done.stdout) == (
        passes,
        not passes,
    )
    assert done.returncode == (0 if passes else 1)
