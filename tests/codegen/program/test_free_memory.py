"""Programs that share memory look whether there is room for it, before they touch it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import AUTO, NODE_AWARE, SHARED
from nodewright.runtime.launch import mpiexec

TOLD = """
import os, sys, types
from importlib.util import module_from_spec, spec_from_file_location
import numpy as np
from mpi4py import MPI

spec = spec_from_file_location("p", sys.argv[1])
p = module_from_spec(spec)
spec.loader.exec_module(p)
comm, bytes = MPI.COMM_WORLD, int(sys.argv[2])
given = bytes if comm.rank == 1 else 2**40  # one rank knows of less than the other
os.statvfs = lambda path: types.SimpleNamespace(f_bavail=given // 512, f_frsize=512)
try:
    plan = p.plan(comm)
except p.Unusable as problem:
    print(str(problem) if comm.rank == 0 else "", end="")
else:
    y = p.transform(np.ones(p.M, complex), plan)
    assert np.allclose(comm.allreduce(np.abs(y).sum()), p.N)
    print(getattr(plan, "exchange", "planned") if comm.rank == 0 else "", end="")
    plan.free()
"""


def said(tmp_path, exchange, bytes, N=1024):
    """Return what rank 0 of two prints where so many bytes of shared memory are free."""
    (tmp_path / "p.py").write_text(
        emit(resolve(make_request("fft", N, 2, "cyclic", "cyclic", exchange)))
    )
    (tmp_path / "told.py").write_text(TOLD)
    done = subprocess.run(
        [mpiexec(), "-n", "2", sys.executable, "told.py", "p.py", str(bytes)],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


ROOM = 2 * 1024 * 16 + 2**20
"""Bytes of a window of two halves of 1024 complex numbers, and some for MPI."""


@pytest.mark.long
def test_auto_shares_memory_where_there_is_room_and_sends_messages_where_there_is_not(tmp_path):
    assert said(tmp_path, AUTO, ROOM) == "shared"
    assert said(tmp_path, AUTO, ROOM - 512) == "alltoall"


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(("exchange", "room"), [(SHARED, ROOM), (NODE_AWARE, ROOM - 1024 * 16)])
def test_others_are_refused_in_one_line_where_there_is_no_room(tmp_path, exchange, room):
    assert said(tmp_path, exchange, room) == "planned"
    line = f"{room - 512} bytes are free in /dev/shm: exchange {exchange} takes {room}"
    found = said(tmp_path, exchange, room - 512)
    assert line in found and "take alltoall" in found and "\n" not in found


MOUNT = "mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "


@pytest.mark.long
@pytest.mark.parametrize(("exchange", "status"), [(AUTO, 0), (SHARED, 2), (NODE_AWARE, 2)])
def test_a_small_file_system_ends_no_rank_by_a_signal(tmp_path, exchange, status):
    mounts = ["unshare", "-m", "sh", "-c", MOUNT + "true"]
    if os.getuid() or subprocess.run(mounts, capture_output=True, check=False).returncode:
        pytest.skip("only root mounts a file system here")
    N, x = 2**22, np.ones(2**22, complex)
    (tmp_path / "p.py").write_text(
        emit(resolve(make_request("fft", N, 2, "cyclic", "cyclic", exchange)))
    )
    np.save(tmp_path / "x.npy", x)
    run = f"{mpiexec()} -n 2 {sys.executable} p.py x.npy y.npy"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", MOUNT + run],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert done.stderr.count("\n") == bool(status)
    assert (tmp_path / "y.npy").exists() is not bool(status)
