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
from doctest import DocTestParser, DocTestRunner
from pathlib import Path

import pytest

import nodewright as nw
from codegen.system_table import SYSTEMS
from docs.support.matrices import PAGE, with_table
from nodewright.cli import app
from tests.support.documents import blocks
from tests.support.house import MAY_IMPORT, MODULES, TRUSTED, libraries
from tests.support.paths import ROOT

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts),
    ROOT / "bench" / "README.md",
    ROOT / "bench" / "mutants.md",
    ROOT / "generated" / "README.md",
    ROOT / "proofs" / "coq" / "README.md",
]
ARCHITECTURE = ROOT / "docs" / "architecture.md"
CHANGING = re.compile(r"\b\d+(\.\d+)?(e-\d+)?(?= (ms|µs|s)\b)|(?<=error )\d\.\d+e-\d+")
"""Times and rounding errors are another machine's affair."""


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


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(
    "document", WITH_EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_every_example_prints_what_is_shown(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for command, shown in examples(document):
        if command.startswith("cat "):  # a file that a reader writes
            Path(command.removeprefix("cat ")).write_text(shown, encoding="utf-8")
            continue
        found = "\n".join(stable(printed_by(command)))
        assert re.fullmatch(pattern(shown), found), f"$ {command}\n{found}"


@pytest.mark.sampled(3)
@pytest.mark.sampled(12, rest="long")
@pytest.mark.parametrize(
    "block",
    [block for document in DOCUMENTS for block in blocks(document, "pycon")],
    ids=lambda block: block.splitlines()[-2],
)
def test_every_python_example_gives_what_is_shown(block: str) -> None:
    said = io.StringIO()
    test = DocTestParser().get_doctest(block, {}, "documentation", None, 0)
    assert test.examples
    assert DocTestRunner(verbose=False).run(test, out=said.write).failed == 0, said.getvalue()


def test_the_page_on_python_names_every_public_name() -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert {name for name in nw.__all__ if not re.search(rf"`(nw\.)?{name}\b", text)} == set()


def test_the_page_on_commands_shows_every_command() -> None:
    shown = {
        command.split()[1]
        for command, _ in examples(ROOT / "docs" / "commands.md")
        if command.startswith("nodewright")
    }
    assert app.COMMANDS.keys() - {"bench", "demo", "workbench"} - shown == set()


def test_the_page_on_notation_has_a_line_for_each_matrix() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_table(page), "python -m docs.support.matrices"
    assert with_table(page.replace("| H_n |", "| H |")) == page


def test_the_page_on_json_leads_to_every_schema() -> None:
    text = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    schemas = {path.name for path in (ROOT / "nodewright" / "schemas").iterdir()}
    assert set(re.findall(r"nodewright/schemas/([\w-]+\.json)\)", text)) == schemas


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
    """And after it the tests that take seconds each, which the default run leaves out."""
    setup, tests = (block.strip() for block in blocks(ROOT / "README.md", "sh"))
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line and not line.startswith(("#", "set ", "cd "))]
    long = commands.pop().removeprefix(tests.rpartition(" && ")[2])
    assert long == ' -m "long and not slow and not exhaustive"'
    assert " && ".join(commands) == tests
    assert setup.split(" && ")[:2] == tests.split(" && ")[:2]


def test_the_first_page_of_the_site_names_the_systems() -> None:
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| `(\w[\w-]*)`", page, re.MULTILINE)) == SYSTEMS


def test_the_page_on_proofs_lists_the_trusted_modules_and_their_lines() -> None:
    text = (ROOT / "docs" / "prover.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w/]+\.py)` \| .* \| (\d+) \|$", text, re.MULTILINE)
    assert sorted((name, int(lines)) for name, lines in listed) == [
        (name, sum(map(bool, (ROOT / name).read_text(encoding="utf-8").split("\n"))))
        for name in TRUSTED
        if not name.endswith("__init__.py")
    ]


def test_what_is_made_of_sets_stands_where_the_page_on_proofs_says() -> None:
    text = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")
    table = text.partition("## Where sums and names are made from sets")[2]
    named = re.findall(r"`(\w+)\.(\w+)`", table)
    trusted = {Path(name).stem: name for name in TRUSTED}
    assert len(named) > 12
    for module, name in named:
        defined = re.compile(rf"^(def|class) {name}\b", re.MULTILINE)
        assert defined.search((ROOT / trusted[module]).read_text(encoding="utf-8")), (module, name)


def test_the_page_on_architecture_shows_every_folder_and_every_page() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    folders = {
        folder.relative_to(ROOT).as_posix()
        for package in MAY_IMPORT
        for folder in (ROOT / package).iterdir()
        if folder.is_dir() and folder.name != "__pycache__"
    }
    assert {folder for folder in folders if f"`{folder}/`" not in text} == set()
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {ARCHITECTURE.name}
    assert {page for page in pages if f"({page})" not in text} == set()


def test_the_first_page_of_the_site_leads_to_every_page() -> None:
    first = ROOT / "docs" / "index.md"
    text = first.read_text(encoding="utf-8")
    pages = {
        page.relative_to(first.parent).as_posix()
        for page in DOCUMENTS
        if page.is_relative_to(first.parent)
    }
    assert {page for page in pages - {first.name} if f"({page})" not in text} == set()


def test_the_page_on_architecture_names_the_one_module_that_imports_a_library() -> None:
    named = re.findall(r"(\w+)\s+\(`([\w/]+\.py)`\)", ARCHITECTURE.read_text(encoding="utf-8"))
    doors = dict(named)
    assert doors.keys() >= {"galois", "sympy", "jinja2", "matplotlib"}
    assert doors == {
        library: ", ".join(module for module in MODULES if library in libraries(module))
        for library in doors
    }


MADE_BY_COMMANDS = {"prog.py", "fft.py", "fht.py"}
"""Files that examples write."""


def missing_modules(text: str) -> Iterator[str]:
    """Yield the modules in backticks that are not there: with a folder below the root, without one
    in the folder that is named before.
    """
    folder = ROOT
    for name in re.findall(r"`([\w./-]+(?:\.py|/))`", text):
        path = ROOT / name if "/" in name else folder / name
        folder = path if name.endswith("/") else path.parent
        if name.endswith(".py") and name not in MADE_BY_COMMANDS and not path.exists():
            yield name


@pytest.mark.parametrize(
    "document",
    [document for document in DOCUMENTS if document.name != "CHANGELOG.md"],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_every_module_that_is_named_is_there(document: Path) -> None:
    assert [*missing_modules(document.read_text(encoding="utf-8"))] == []


def test_a_module_of_another_folder_is_seen() -> None:
    right = "`derive/fields.py` and `verdict.py`, `codegen/cost/` and `counted.py`"
    assert [*missing_modules(right)] == []
    assert [*missing_modules(f"{right}, `cost.py`, `derive/kernel.py`")] == [
        "cost.py",
        "derive/kernel.py",
    ]


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


def test_an_example_of_a_docstring_fails_where_it_prints_something_else(tmp_path):
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "own.py").write_text(
        "".join(
            f'def {name}():\n    """Do.\n\n    >>> 1 + 1\n    {shown}\n    """\n\n\n'
            for name, shown in (("right", 2), ("wrong", 3))
        )
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "own.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 1 passed" in done.stdout and done.returncode == 1
    assert "Expected:\n    3\nGot:\n    2" in done.stdout
    assert "own.wrong" in done.stdout and "own.right" not in done.stdout
