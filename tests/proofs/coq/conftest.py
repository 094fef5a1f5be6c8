"""Files that Coq compiles once for all tests, whichever worker of a run needs them."""

import fcntl
import os
import subprocess
from functools import cache, partial

import pytest


def by_coq(shared, folder, file, text):
    """Compile a text in a folder, beside the files that are shared."""
    (folder / file).write_text(text, encoding="utf-8")
    command = ["coqc", "-Q", str(shared), "Nodewright", "-Q", ".", "Nodewright", file]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """Return a folder that all workers of a run have."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "coq"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def compiled(shared):
    """Have Coq compile a file that others import, and return what it says. Who needs the same file
    meanwhile waits for that.
    """

    @cache
    def done_once(file, text):
        with (shared / f"{file}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            said = shared / f"{file}.said"
            if not said.exists():
                done = by_coq(shared, shared, file, text)
                assert done.returncode == 0, done.stdout + done.stderr
                said.write_text(done.stdout, encoding="utf-8")
            assert (shared / file).read_text(encoding="utf-8") == text
            return said.read_text(encoding="utf-8")

    return done_once


@pytest.fixture
def coqc(shared, tmp_path):
    """Have Coq compile a text that nothing imports, beside the files that are shared."""
    return partial(by_coq, shared, tmp_path)
