"""Which mpiexec starts programs: one of the family of mpi4py's MPI library."""

import subprocess
import sys
from pathlib import Path

import pytest

from codegen import mpiexec as of_machine
from codegen.mpiexec import CHOSEN, MpiexecNotFound, choose, mpiexec

VERSIONS = {
    "Open MPI": "mpiexec (OpenRTE) 4.1.4",
    "MPICH": "HYDRA build details:",
    "": "another launcher, 23.02",
}


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Make an mpiexec beside Python and others on PATH, and say what mpi4py's library is."""
    real = subprocess.run

    def made(bound, beside, **others):
        for folder, name, kind in (
            ("env", "mpiexec", beside),
            *(("bin", name.replace("_", "."), kind) for name, kind in others.items()),
        ):
            path = tmp_path / folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\necho '{VERSIONS[kind]}'\n", encoding="utf-8")
            path.chmod(0o755)

        def run(command, **more):
            if command[1] != "-c":
                return real(command, **more)
            if not bound:
                raise subprocess.CalledProcessError(1, command, stderr="Traceback\nno libmpi.so\n")
            return subprocess.CompletedProcess(command, 0, f"{bound}\n", "")

        monkeypatch.setattr(of_machine.subprocess, "run", run)
        monkeypatch.setattr(sys, "executable", str(tmp_path / "env" / "python"))
        monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
        monkeypatch.setattr(of_machine, "NAMES", ("mpiexec", "mpiexec.openmpi"))
        of_machine._fitting.cache_clear()
        return tmp_path

    monkeypatch.delenv(CHOSEN, raising=False)
    return made


def test_the_mpiexec_beside_python_is_taken_where_it_fits(machine):
    folder = machine("MPICH 5.0.2", "MPICH", mpiexec="Open MPI")
    assert Path(mpiexec()) == folder / "env" / "mpiexec"


def test_one_that_fits_the_library_is_taken_from_the_path(machine):
    folder = machine("Open MPI 4.1.4", "MPICH", mpiexec="MPICH", mpiexec_openmpi="Open MPI")
    assert Path(mpiexec()) == folder / "bin" / "mpiexec.openmpi"


def test_a_launcher_that_names_no_mpi_is_taken(machine):
    folder = machine("Open MPI 4.1.4", "")
    assert Path(mpiexec()) == folder / "env" / "mpiexec"


def test_where_none_fits_one_line_says_what_does_not(machine, monkeypatch):
    folder = machine("Open MPI 4.1.4", "MPICH", mpiexec="MPICH", mpiexec_openmpi="MPICH")
    with pytest.raises(MpiexecNotFound) as raised:
        mpiexec()
    line = str(raised.value)
    assert line.startswith(f"mpi4py uses Open MPI 4.1.4, but {folder}/env/mpiexec is of MPICH, ")
    assert "\n" not in line and CHOSEN in line


def test_the_one_that_the_environment_names_is_taken_or_refused(machine, monkeypatch):
    folder = machine("MPICH 5.0.2", "MPICH", mpiexec="Open MPI", mpirun="MPICH")
    monkeypatch.setenv(CHOSEN, "mpirun")
    assert Path(mpiexec()) == folder / "bin" / "mpirun"
    monkeypatch.setenv(CHOSEN, str(folder / "bin" / "mpiexec"))
    with pytest.raises(MpiexecNotFound, match=r"mpi4py uses MPICH 5.0.2, but .* is of Open MPI: "):
        mpiexec()
    monkeypatch.setenv(CHOSEN, "nowhere")
    with pytest.raises(MpiexecNotFound, match=f"^{CHOSEN}=nowhere: no such command$"):
        mpiexec()


def test_the_one_that_an_option_names_starts_all_programs_or_is_refused(machine, monkeypatch):
    folder = machine("MPICH 5.0.2", "MPICH", mpiexec="Open MPI", mpirun="MPICH")
    monkeypatch.setenv(CHOSEN, "another")  # which the option replaces
    monkeypatch.chdir(folder)
    choose("bin/mpirun")
    monkeypatch.chdir("/")
    assert Path(mpiexec()) == folder / "bin" / "mpirun"
    with pytest.raises(MpiexecNotFound, match=r"^--mpiexec nowhere: no such command$"):
        choose("nowhere")
    with pytest.raises(MpiexecNotFound, match=r"bin/mpiexec is of Open MPI: .* by --mpiexec or "):
        choose(str(folder / "bin" / "mpiexec"))


def test_a_library_that_is_not_there_is_named(machine, monkeypatch):
    machine("", "MPICH")
    monkeypatch.setenv("MPI4PY_MPIABI", "impi")
    with pytest.raises(MpiexecNotFound, match=r"no MPI library MPI4PY_MPIABI=impi: no libmpi"):
        mpiexec()


def test_where_there_is_none_one_line_says_what_brings_it(machine, monkeypatch):
    folder = machine("MPICH 5.0.2", "MPICH")
    (folder / "env" / "mpiexec").unlink()
    monkeypatch.setenv("PATH", str(folder / "bin"))
    with pytest.raises(
        MpiexecNotFound, match=r"to install it, run pip install 'nodewright\[mpi\]'"
    ):
        mpiexec()
