"""Files of the user that have the name of one of our packages."""

import os
import subprocess
import sys

import pytest

from tests.support.paths import ROOT


@pytest.mark.parametrize("name", ["codegen.py", "derive.py", "proofs/__init__.py"])
def test_a_file_that_shadows_a_package_is_named(tmp_path, name):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("x = 1\n", encoding="utf-8")

    def python(*words):
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=env, capture_output=True, text=True
        )

    package = name.removesuffix(".py").partition("/")[0]
    line = f"{file} shadows nodewright's package {package}: rename it, or start Python elsewhere"
    done = python("-m", "nodewright", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"nodewright: {line}\n")
    done = python("-c", "import nodewright")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"ImportError: {line}")
