"""The wall around real ranks, and what a check does with files and words."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.verdict import Checked, Tested, Undecided, holds
from proofs.certify.checks.suite import tried
from proofs.certify.plain_text import LONGEST, escaped, printable
from proofs.certify.program import certificate_path, certify, verify
from proofs.certify.real import real_ranks, wall
from tests.support.changes import changed, changed_once
from tests.support.judged import verdicts


def text(N=16, P=2, system="fft", **options):
    return (
        emit(resolve(make_request(system, N, P, "cyclic", "cyclic", **options)))
        if system == "fft"
        else emit(resolve(make_request(system, N, P, **options)))
    )


BESIDE = str(Path(wall.__file__).parents[3] / "pyproject.toml")


@pytest.mark.long
def test_plans_of_fftw_agree_on_real_ranks_but_for_the_last_bits():
    text_of_plans = emit(
        resolve(make_request("fft", 256, 4, kernels="pyfftw", exchange="nonblocking"))
    )
    found = tried("prog.py", text_of_plans, 0, on_real=4).verdicts["ran"]
    assert found.statement.endswith(
        "except for the last bits, as FFTW chooses plans by timing"
    ) and holds(found)


def command(folder, *words):
    return subprocess.run(
        [sys.executable, "-P", "-m", "nodewright", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
def test_modules_in_the_current_folder_are_not_imported(tmp_path):
    (tmp_path / "prog.py").write_text(changed(text(), ("np.fft.fft", "np.fft.ifft")))
    for name in ("greenlet", "numpy", "galois", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "proofs").mkdir()
    for name in ("__init__", "trial", "worker", "launcher"):
        (tmp_path / "proofs" / f"{name}.py").write_text("raise SystemExit(0)\n")
    assert command(tmp_path, "certify", "prog.py").returncode == 1


def test_a_certificate_that_is_a_link_is_refused_and_its_target_kept(tmp_path):
    program, target = tmp_path / "prog.py", tmp_path / "target"
    program.write_text(text())
    target.write_text("kept")
    certificate_path(program).symlink_to(target)
    with pytest.raises(OSError, match="a link"):
        certify(program, ran=0)
    assert target.read_text() == "kept"


def test_a_planted_partial_file_is_not_written_to(tmp_path):
    program, target = tmp_path / "prog.py", tmp_path / "target"
    program.write_text(text())
    target.write_text("kept")
    (tmp_path / f".prog.cert.json.{os.getpid()}.partial").symlink_to(target)
    assert certify(program, ran=0).holds
    assert target.read_text() == "kept"
    assert verify(program)[0].holds


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "fifo.py")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket.py"))
        for name in ("fifo.py", "zero.py", "socket.py"):
            with pytest.raises(OSError, match=r"regular file|No such device"):
                certify(tmp_path / name)
    program = changed(
        text(), ('INPUT, OUTPUT = "cyclic", "cyclic"', 'INPUT, OUTPUT = "bmmc:/dev/ptmx", "cyclic"')
    )
    assert "ptmx" in program
    with pytest.raises(ValueError, match="regular file"):
        verdicts(program)


def test_a_text_that_is_too_long_is_refused(tmp_path):
    (tmp_path / "long.py").write_text("#" * 2**23)
    with pytest.raises(OSError, match="more than"):
        certify(tmp_path / "long.py")


@pytest.mark.long
def test_nothing_of_a_program_or_a_name_reaches_the_terminal_raw(tmp_path):
    name = "a\x1b[31mb.py"
    (tmp_path / name).write_text(
        changed_once(
            text(), ("plan = Plan", "def plan(*_):\n    raise ValueError('\\x1b]0;title\\x07')")
        )
    )
    done = command(tmp_path, "certify", name)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout + done.stderr
    assert "\\x1b]0;title" in done.stdout
    assert "\x1b" not in command(tmp_path, "certify", "no\x1b[2J.py").stderr


def test_words_are_escaped_and_bounded():
    assert printable("a\x07" * LONGEST).endswith("...")
    assert escaped("α ⊗ β\n") == "α ⊗ β\n"


def test_a_right_program_has_the_same_bits_on_real_ranks():
    found = verdicts(text(), on_real=2)
    assert isinstance(found["ran"], Tested)
    assert list(found)[-1] == "ran"


@pytest.mark.long
def test_what_is_not_run_on_real_ranks_says_so(monkeypatch, tmp_path):
    assert "P = 2 is above 1" in verdicts(text(), on_real=1)["ran"].reason
    monkeypatch.setattr("codegen.mpiexec.find_spec", lambda name: None)
    found = verdicts(text(), on_real=2)
    assert isinstance(found["ran"], Undecided)
    assert "not run: mpi4py with a matching mpiexec is not installed" in found["ran"].reason
    (tmp_path / "prog.py").write_text(text())
    certificate = certify(tmp_path / "prog.py")
    assert certificate.holds
    assert not isinstance(certificate.verdicts["ran"], Checked | Tested)
    assert verify(tmp_path / "prog.py")[0].holds


def said_of_processes(what):
    """Yield such words of each process that is there."""
    for path in Path("/proc").glob(f"[0-9]*/{what}"):
        with contextlib.suppress(OSError):
            yield path.read_bytes().decode(errors="replace")


def test_memory_is_bounded_by_that_of_the_machine(monkeypatch):
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 2**20, "SC_PAGE_SIZE": 4096}.get)
    assert wall.memory() == 3 * 2**30


def enclosed(code, folder):
    """Return what a program of Python leaves behind, which runs as one rank would."""
    with (
        real_ranks.enclosed([sys.executable, "-I", "-c", code], folder, 1) as made,
        os.scandir(made) as found,
    ):
        return [entry.name for entry in found]


def test_whatever_status_a_command_ends_with_is_its_own(tmp_path):
    for status in (1, 125, 126, 127):
        (tmp_path / str(status)).mkdir()
        with pytest.raises(OSError, match=f"status {status}: no word"):
            enclosed(f"raise SystemExit({status})", tmp_path / str(status))
    with (
        pytest.raises(real_ranks.NotRun, match="no namespaces"),
        real_ranks.enclosed([str(tmp_path / "no mpiexec")], tmp_path, 1),
    ):
        pass


@pytest.mark.parametrize("call", ["mkfifo('errors')", "symlink('/etc/hostname', 'errors')"])
def test_last_words_are_those_that_were_said_whatever_stands_in_the_folder(call, tmp_path):
    with pytest.raises(OSError, match=r"status 1: said$"):
        enclosed(f"import os, sys; os.{call}; sys.exit('said')", tmp_path)


def test_a_thousand_folders_in_each_other_are_gone_with_the_enclosure(tmp_path):
    assert enclosed(
        "import os\nfor _ in range(1100):\n    os.mkdir('a')\n    os.chdir('a')\n", tmp_path
    ) == ["a"]
    assert not list((tmp_path / real_ranks.MADE).iterdir())


BOUNDED = """
import os, resource
for which in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
    assert resource.getrlimit(which)[0] < 2**36, which
for folder in (".", "/dev/shm"):
    room = os.statvfs(folder)
    assert room.f_blocks * room.f_frsize < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 3, folder
    assert room.f_files < 2**20
for call, *words in ((os.truncate, PATH, 0), (os.chmod, PATH, 0), (os.open, BESIDE, 0)):
    try:
        call(*words)
    except OSError:
        continue
    raise AssertionError(call)
"""  # noqa: E501


def test_real_ranks_are_bounded_and_change_no_file(tmp_path):
    (tmp_path / "file").write_text("kept")
    assert (
        enclosed(f"PATH, BESIDE = {str(tmp_path / 'file')!r}, {BESIDE!r}\n{BOUNDED}", tmp_path)
        == []
    )
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.long
def test_real_ranks_end_with_a_checker_that_is_ended(tmp_path):
    asleep = ["/bin/sleep", f"1000.{os.getpid()}"]
    begin = "from pathlib import Path\nfrom proofs.certify.real.real_ranks import enclosed\n"
    code = f"{begin}enclosed({asleep}, Path({str(tmp_path)!r}), 1).__enter__()\n"
    checker = subprocess.Popen([sys.executable, "-c", code])

    def is_there():
        return any(words.split("\0")[:2] == asleep for words in said_of_processes("cmdline"))

    def comes(wanted):
        return any(is_there() == wanted or time.sleep(0.05) for _ in range(2000))

    assert comes(True)
    checker.send_signal(signal.SIGTERM)
    checker.wait()
    assert comes(False)
