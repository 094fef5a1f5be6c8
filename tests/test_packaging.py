"""What is built from the sources installs into an empty environment, and works there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

from tests.support.house import MAY_IMPORT
from tests.support.paths import ROOT

OF_DEVELOPERS = {
    "codegen/emit/verbatim/ruff.toml",
    "proofs/coq/_CoqProject",
    "proofs/coq/README.md",
}
"""Files in the folders of packages that an installed package does not need."""
CACHE = re.compile(r"(^|/)(__pycache__|\.[^/]*)(/|$)")
"""Files and folders that tools leave among the sources."""

pytestmark = pytest.mark.long


def done(*words: object, cwd: Path, path: str = "") -> str:
    """Return what a command prints; it must end with exit status 0."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path:
        environment["PATH"] = os.pathsep.join((path, environment["PATH"]))
    ended = subprocess.run(
        [*map(str, words)], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel that is made from it."""
    folder = tmp_path_factory.mktemp("build")
    left_out = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info", "_build")
    shutil.copytree(ROOT, folder / "sources", ignore=left_out)
    done(sys.executable, "-m", "build", "--outdir", "dist", "sources", cwd=folder)
    (sdist,), (wheel,) = ((folder / "dist").glob(end) for end in ("*.tar.gz", "*.whl"))
    return sdist, wheel


@pytest.fixture(scope="module")
def installed(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment in which the wheel, its extra `mpi`, and nothing else is."""
    folder = tmp_path_factory.mktemp("empty")
    done(sys.executable, "-m", "venv", "environment", cwd=folder)
    programs = folder / "environment" / "bin"
    done(programs / "pip", "install", f"{built[1]}[mpi]", cwd=folder)
    return programs


def sources() -> set[str]:
    """Return the files that an installed package needs, as the sources have them."""
    files = (
        path.relative_to(ROOT).as_posix()
        for package in MAY_IMPORT
        for path in (ROOT / package).rglob("*")
        if path.is_file()
    )
    return {name for name in files if not CACHE.search(name)} - OF_DEVELOPERS


def test_the_wheel_and_the_sdist_have_all_that_the_packages_need(built: tuple[Path, Path]) -> None:
    needed = sources()
    with zipfile.ZipFile(built[1]) as wheel, tarfile.open(built[0]) as sdist:
        in_wheel = {name for name in wheel.namelist() if ".dist-info/" not in name}
        in_sdist = {name.partition("/")[2] for name in sdist.getnames()}
    assert in_wheel == needed
    assert needed | {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"} <= in_sdist


def metadata(wheel: Path) -> Message:
    """Return what a wheel says of itself."""
    with zipfile.ZipFile(wheel) as found:
        (name,) = (name for name in found.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_string(found.read(name).decode())


def test_the_metadata_name_author_license_and_extras(built: tuple[Path, Path]) -> None:
    said = metadata(built[1])
    (holder,) = (
        line.partition("2026 ")[2]
        for line in (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()
        if line.startswith("Copyright")
    )
    assert said["Author"] == holder
    assert (said["License-Expression"], said["Requires-Python"]) == ("MIT", ">=3.11")
    extras = {"mpi", "numba", "pyfftw", "plot", "docs", "workbench", "test", "all"}
    assert extras == {*(said.get_all("Provides-Extra") or ())}
    required = said.get_all("Requires-Dist") or ()
    assert [line.partition(";")[2] for line in required if line.startswith("numba")] == [""]


def test_the_demo_runs_in_an_environment_with_the_wheel_alone(
    installed: Path, tmp_path: Path
) -> None:
    where = done(
        installed / "python", "-c", "import nodewright; print(nodewright.__file__)", cwd=tmp_path
    )
    assert Path(where).is_relative_to(installed.parent)
    done("nodewright", "demo", cwd=tmp_path, path=str(installed))
    assert (tmp_path / "nodewright-demo").is_dir()


TRIED = {
    "layout": ("layout", "cyclic", "--size", "16", "--ranks", "4"),
    "proof in LaTeX and Coq": ("prove", "bsp-2.8", "--latex", "p.tex", "--coq", "p.v"),
    "built-in derivation": ("derive", "six-step"),
    "printed table": ("tables", "fht", "--size", "16", "--ranks", "4"),
    "machine": ("cost", "hypercube-fft", "--size", "64", "--ranks", "4", "--predict"),
    "program with numba": ("generate", "fft", "--size", "64", "--ranks", "2", "-o", "f.py"),
    "certificate": ("certify", "f.py"),
}


def test_the_installed_commands_find_their_files(installed: Path, tmp_path: Path) -> None:
    """The wheel is built from the sdist, so that the sdist has these files as well."""
    for words in TRIED.values():
        assert done("nodewright", *words, cwd=tmp_path, path=str(installed))


def test_a_type_checker_finds_the_types(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "import nodewright as nw\n\n"
        "program: nw.Program = nw.fft(16, 4)\n"
        "wrong: int = program.text\n",
        encoding="utf-8",
    )
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--python-executable", installed / "python", "own.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "own.py:4: error: Incompatible types in assignment" in checked.stdout
    assert "Found 1 error" in checked.stdout
