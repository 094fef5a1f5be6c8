"""The documentation site is built without warnings into a folder that opens from disk, it has every
command and every public name, and its tutorials run.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import nodewright as nw
from nodewright.cli import app
from tests.support.browser import CHROMIUM, complaints
from tests.support.documents import blocks
from tests.support.paths import ROOT

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


def show(value: object) -> None:
    """Show the result of a cell in all ways that a notebook may ask for."""
    for way in ("__repr__", "_repr_html_", "_repr_latex_"):
        getattr(value, way, value.__str__)()


@pytest.mark.long
@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_every_cell_of_a_tutorial_runs(
    tutorial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "displayhook", show)
    cells, names = blocks(tutorial, r"\{code-cell\}"), {}
    assert len(cells) > 5
    for cell in cells:
        tree = ast.parse(re.sub(r"\A(:.*\n)+", "", cell))
        exec(compile(ast.Interactive(tree.body), tutorial.name, "single"), names)


def build(folder: Path, *options: str) -> Path:
    """Build the site as docs/conf.py says; a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-n", "-c", "docs", *options, ".", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, its tutorials without results."""
    return build(tmp_path_factory.mktemp("built") / "html", "-D", "nb_execution_mode=off")


class Page(HTMLParser):
    """The anchors of a page, and what it refers to: links, and what a browser loads with it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors, self.links, self.loaded = {""}, set[str](), set[str]()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to."""
        found = {name: value or "" for name, value in attrs}
        self.anchors.add(found.get("id", ""))
        target = found.get("href", found.get("src"))
        if target is not None:
            (self.links if tag == "a" else self.loaded).add(target)


@pytest.mark.long
def test_the_site_opens_from_disk(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}
    assert len(pages) > 30
    outside = re.compile("https?:|//|mailto:|data:")
    for path, page in pages.items():
        assert [target for target in page.loaded if re.match("https?:|//", target)] == []
        for target in {each for each in page.links | page.loaded if not outside.match(each)}:
            name, _, anchor = unquote(target).partition("#")
            found = (path.parent / name.partition("?")[0]).resolve() if name else path
            assert found.is_file(), f"{path.name}: {target}"
            assert found not in pages or anchor in pages[found].anchors, f"{path.name}: {target}"


@pytest.mark.long
def test_the_reference_has_every_command_and_every_public_name(site: Path) -> None:
    reference = site / "docs" / "reference"
    commands, names = (Page(reference / f"{each}.html").anchors for each in ("options", "names"))
    assert {name for name in app.COMMANDS if f"nodewright-{name}" not in commands} == {"bench"}
    assert {"nodewright-bench-fft", "cmdoption-nodewright-prove-where"} <= commands
    assert {name for name in nw.__all__ if f"nodewright.{name}" not in names} == set()


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_no_page_is_wider_than_a_phone_or_a_screen(site: Path) -> None:
    wide = site / "wide.html"
    wide.write_text("<p style='width: 900px'>x</p>")
    pages = [path for path in site.rglob("*.html") if path.parent.name != "_static"]
    pages.remove(site / "index.html")  # it leads to another at once
    found = complaints(site, [path.relative_to(site).as_posix() for path in sorted(pages)])
    wide.unlink()
    assert [each.partition(":")[0] for each in found] == ["wide.html at 400"]
