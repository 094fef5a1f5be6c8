"""The pages on adding a transform, a layout and an exchange: what they say is carried out in a copy
of the packages.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.documents import blocks
from tests.support.paths import ROOT

PACKAGES = ("codegen", "derive", "proofs", "nodewright")
PAGES = ROOT / "docs" / "how-to"

pytestmark = pytest.mark.long


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    return tmp_path


def sides(diff: str) -> tuple[str, str]:
    """Return the text before and after a change."""
    lines = [(line[:1], line[1:] + "\n") for line in diff.splitlines()]
    before = "".join(text for mark, text in lines if mark != "+")
    return before, "".join(text for mark, text in lines if mark != "-")


def replace(copy: Path, old: str, new: str) -> None:
    """Replace a text that stands in one file, once."""
    files = [path for form in ("*.py", "*.toml", "*.jinja") for path in copy.rglob(form)]
    found = [path for path in files if old in path.read_text(encoding="utf-8")]
    assert len(found) == 1, f"{old} is in {found}"
    text = found[0].read_text(encoding="utf-8")
    assert text.count(old) == 1
    found[0].write_text(text.replace(old, new), encoding="utf-8")


def ran(copy: Path, words: str) -> subprocess.CompletedProcess[str]:
    """Run nodewright as it is in the copy."""
    return run(copy, sys.executable, "-m", "nodewright", *shlex.split(words))


def run(copy: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command with the packages of the copy."""
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)


def succeeded(copy: Path, words: str) -> str:
    """Return what a command prints that ends with exit status 0."""
    done = ran(copy, words)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def indented(page: Path) -> list[str]:
    """Return the commands of a page that are no console blocks."""
    return re.findall(r"^    \$ nodewright (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def test_a_transform_is_added_as_its_page_says(copy: Path) -> None:
    page = PAGES / "add-a-transform.md"
    changes = [sides(diff) for diff in blocks(page, "diff")]
    changes += [("", f"\n{theorem}") for theorem in blocks(page, "toml")]
    *shown, used = blocks(page, "python")
    for block in shown:
        (file,) = [path for path in copy.rglob("*.py") if block in path.read_text("utf-8")]
        assert f"`{file.relative_to(copy)}`" in page.read_text(encoding="utf-8")
    module = copy / "codegen" / "systems" / "wht.py"
    written = module.read_text(encoding="utf-8")
    module.unlink()
    digests = copy / "proofs" / "certify" / "last_sections.json"
    kinds = json.loads(digests.read_text(encoding="utf-8"))
    others = {digest: kind for digest, kind in kinds.items() if kind != "wht"}
    digests.write_text(json.dumps(others), encoding="utf-8")
    for before, after in changes:
        replace(copy, after, before)
    assert "unknown system" in ran(copy, "generate wht --size 64 --ranks 4").stderr
    assert "unknown" in ran(copy, "prove wht-stages").stderr
    module.write_text(written, encoding="utf-8")
    theorems = copy / "derive" / "papers" / "statements" / "theorems.toml"
    for before, after in changes:
        if before:
            replace(copy, before, after)
        else:
            theorems.write_text(theorems.read_text("utf-8") + after, encoding="utf-8")
    for name in ("wht-stages", "wht-phases"):
        assert f"proved for all sizes {name}" in succeeded(copy, f"prove {name}")
    succeeded(copy, "generate wht --size 64 --ranks 4 -o wht.py")
    assert "is unknown" in succeeded(copy, "certify wht.py --ran 0")
    (command,) = re.findall(r"^\$ (python -c .*)$", page.read_text("utf-8"), re.MULTILINE)
    digest = run(copy, sys.executable, *shlex.split(command)[1:]).stdout.strip()
    digests.write_text(json.dumps({**others, digest: "wht"}), encoding="utf-8")
    said = succeeded(copy, "certify wht.py --ran 0")
    assert "Certified: computes the forward Walsh-Hadamard transform" in said
    assert "checked main" in said
    assert run(copy, sys.executable, "-c", used).returncode == 0


def test_a_layout_is_added_as_its_page_says(copy: Path) -> None:
    page = PAGES / "add-a-layout.md"
    assert "unknown layout" in ran(copy, "layout middle --size 32 --ranks 4").stderr
    for diff in blocks(page, "diff"):
        replace(copy, *sides(diff))
    shown, checked, written, certified = (succeeded(copy, words) for words in indented(page))
    assert shown.splitlines()[1].split() == ["offset", "0", "0", "2", "4", "6"]
    assert "0 refuted" in checked
    assert written.startswith("middle.py")
    assert "block" not in certified.splitlines()[2]
    assert "middle layout" in certified


def test_an_exchange_is_added_as_its_page_says(copy: Path) -> None:
    page = PAGES / "add-an-exchange.md"
    asked = "generate fft --size 64 --ranks 4 --exchange synchronous"
    assert "unknown exchange" in ran(copy, asked).stderr
    for diff in blocks(page, "diff"):
        replace(copy, *sides(diff))
    first, second = (succeeded(copy, words) for words in indented(page) if "certify" not in words)
    assert first.startswith("synchronous.py")
    assert second.startswith("reverse.py")
    assert "Issend" in (copy / "synchronous.py").read_text(encoding="utf-8")
    for words in indented(page):
        if "certify" in words:
            said = succeeded(copy, f"{words} --verbose")
            assert "by Issend, as EXCHANGE states" in said
