"""A vector in a file that is larger than the memory that a rank may have."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.mpiexec import mpiexec
from codegen.program.resolve import resolve
from codegen.requests import make_request

N, P = 2**24, 16
MEMORY = 15 * 2**24
"""Bytes of data that a process may have: those of the vector are 16 N."""


def limited() -> None:
    """Let a process and those that it starts have so much memory for data."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """Run a command with so much memory for each process."""
    command = [*map(str, words)]
    return subprocess.run(
        command, preexec_fn=limited, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.long
def test_ranks_read_and_write_their_parts_of_a_file_that_none_can_hold(tmp_path: Path) -> None:
    path, program = (tmp_path / name for name in ("x.npy", "program.py"))
    x = np.lib.format.open_memmap(path, "w+", np.complex128, (N,))
    x[[1, 5]] = 1, 2j
    x.flush()
    refused = run(sys.executable, "-c", f"import numpy; numpy.load({str(path)!r})")
    assert "MemoryError" in refused.stderr
    program.write_text(
        emit(resolve(make_request("fft", N, P, "cyclic", "cyclic"))), encoding="utf-8"
    )
    done = run(mpiexec(), "-n", P, sys.executable, program, path, tmp_path / "y.npy")
    assert done.returncode == 0, done.stderr
    k = np.arange(0, N, 4097)
    found = np.load(tmp_path / "y.npy", mmap_mode="r")[k]
    wanted = np.exp(-2j * np.pi * k / N) + 2j * np.exp(-10j * np.pi * k / N)
    assert np.allclose(found, wanted, rtol=0, atol=1e-12)
