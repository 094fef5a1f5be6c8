"""Hostile texts behind the wall: what they reach, what they can say, and what becomes of files and
names around them.

The filter on names is off here, so each text escapes the stand-ins of
proofs/certify/sandbox/loading.py: the wall is to hold then.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.verdict import Checked, Refuted, Tested, Undecided, holds
from proofs.certify.checks import suite
from proofs.certify.checks.suite import tried
from proofs.certify.plain_text import LONGEST, escaped, printable
from proofs.certify.program import certificate_path, certify, verify
from proofs.certify.real import real_ranks
from proofs.certify.sandbox import source
from proofs.certify.workers import frames, parent, wall
from proofs.certify.workers.jobs import MOST_JSON, OfTokens, Places
from proofs.certify.workers.misuses import USES
from proofs.certify.workers.parent import launched
from proofs.certify.workers.usage import together, vectors
from tests.support.changes import changed, changed_once, raising
from tests.support.in_process import InProcess, workers_of
from tests.support.judged import verdicts
from tests.support.programs import fft

pytestmark = pytest.mark.walled
ESCAPE = """
import dataclasses


class Modules:
    @property
    def all(self):
        return dataclasses.field.__globals__["sys"].modules

    def __getitem__(self, name):
        return self.all[name]

    def __setitem__(self, name, value):
        self.all[name] = value

    def get(self, name, default):
        return self.all.get(name, default)


MODULES = Modules()
OS, TIME = MODULES["os"], MODULES["time"]
"""
"""Python's modules behind the stand-ins, by a name that the filter refuses."""
NEWS = "import numpy as np\n"


@pytest.fixture(autouse=True)
def unfiltered(monkeypatch):
    """Have the filter take every text."""
    monkeypatch.setattr(source, "vetted", lambda tree: tree)


def text(N=16, P=2, system="fft", **options):
    return (
        emit(Spec(system, N, P, "cyclic", "cyclic", **options))
        if system == "fft"
        else emit(Spec(system, N, P, **options))
    )


def hostile(code, base=None):
    """Return a right program that does something else besides when it is loaded."""
    found = base or text()
    return changed_once(found, (NEWS, NEWS + ESCAPE + raising(code)))


def wrong(found):
    return [name for name, verdict in found.items() if isinstance(verdict, Refuted)]


def test_the_filter_refuses_the_escape(monkeypatch):
    monkeypatch.undo()
    with pytest.raises(ValueError, match="__globals__ reaches behind"):
        verdicts(hostile("FILTERED = True\n"))


def test_the_escape_that_these_tests_use_is_one():
    assert all(map(holds, verdicts(hostile("assert OS.getcwd() != ''\n")).values()))


def test_all_parts_of_the_wall_are_in_force_here_and_said():
    assert tried("prog.py", text(), 0, short=True).wall == wall.PARTS


REACHED = {
    "a file is read": "OS.open('/etc/hostname', 0)",
    "a file is written": "OS.open({path!r}, OS.O_CREAT | OS.O_WRONLY)",
    "a folder is listed": "OS.listdir('/')",
    "the checker's memory": "OS.open('/proc/' + str(OS.getppid()) + '/mem', 0)",
    "another process is started": "OS.posix_spawn('/bin/true', ['true'], {{}})",
    "a fork": "OS.fork()",
    "a signal": "OS.kill(OS.getppid(), 0)",
    "a socket": "MODULES['socket'].socket()",
    "a terminal": "OS.open('/dev/tty', 2)",
    "shared memory": "OS.open('/dev/shm/nodewright', OS.O_CREAT | OS.O_RDWR)",
    "a file beside the packages": "OS.open({beside!r}, 0)",
}
BESIDE = str(Path(wall.__file__).parents[3] / "pyproject.toml")


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("reached", REACHED)
def test_an_escaped_text_reaches_nothing(reached, tmp_path):
    call = REACHED[reached].format(path=str(tmp_path / "written"), beside=BESIDE)
    code = (
        f"try:\n    {call}\n    GOT = True\nexcept OSError:\n    GOT = False\nassert not GOT, 'it"
        " is reached'\n"
    )
    found = verdicts(hostile(code), short=True)
    assert "where a library is missing" in str(found.pop("main"))  # it catches errors of its own
    assert all(map(holds, found.values()))
    assert not list(tmp_path.iterdir())


def test_an_escaped_text_has_an_empty_environment(monkeypatch):
    monkeypatch.setenv("SECRET", "secret")
    code = (
        "assert 'SECRET' not in OS.environ, 'it is seen'\nassert OS.environ.get('HOME') is None\n"
    )
    assert all(map(holds, verdicts(hostile(code), short=True).values()))


def test_what_a_text_prints_is_no_report():
    forged = json.dumps({"outcome": "done", "verdicts": {}, "declared": {}})
    report = f"OS.write(1, {forged!r}.encode())\nOS.write(2, b'all good')\n"
    program = changed(hostile(report), ("np.fft.fft", "np.fft.ifft"))
    assert "np.fft.ifft(" in program
    assert wrong(verdicts(program)) == ["function"]


ENDS = {
    "an exit": "OS.abort()",
    "a report on every descriptor": (
        """for d in range(3, 64):
    try:
        OS.write(d, b'\\x02' + bytes(7) + b'{}')
    except OSError:
        pass
OS.abort()"""
    ),
    "a report that is too long": "OS.write(3, b'\\xff' * 64)",
    "no JSON": "OS.write(3, b'\\x04' + bytes(7) + b'none')",
    "JSON of something else": "OS.write(3, b'\\x02' + bytes(7) + b'[]')",
    "an exit at once": "raise SystemExit(0)",
}


@pytest.mark.parametrize("how", ENDS)
def test_a_text_that_ends_its_process_or_forges_frames_has_no_verdict(how):
    with pytest.raises(ValueError, match=r"ends its process|no report|says more|can be run"):
        verdicts(hostile(ENDS[how] + "\n"))


def test_a_forged_frame_that_says_that_all_is_done_is_compared_with_what_is_wanted():
    forged = json.dumps({"outcome": "done", "constants": {}, "functions": []}).encode()
    frame = len(forged).to_bytes(8, "little") + forged
    with pytest.raises(ValueError, match="does not define"):
        verdicts(hostile(f"OS.write(3, {frame!r})\nOS.write(3, bytes(2**20))\n"))


def test_a_forged_refutation_of_what_is_not_stated_is_no_report():
    forged = json.dumps({"outcome": "wrong", "name": "nothing", "words": "because"}).encode()
    frame = len(forged).to_bytes(8, "little") + forged
    with pytest.raises(ValueError, match="no report"):
        verdicts(hostile(f"OS.write(3, {frame!r})\n"))


def test_an_exception_of_200_megabytes_is_one_line():
    program = changed_once(
        text(),
        (
            "def transform(x, plan, out=None):",
            "def transform(x, plan, out=None):\n    raise ValueError('\\x1b[2J' + 'a' *"
            " 200_000_000)\n\n\ndef unused(x, plan, out=None):",
        ),
    )
    found = verdicts(program)
    [name] = wrong(found)
    assert len(found[name].counterexample) < 2 * LONGEST
    assert found[name].counterexample.isprintable()


def test_a_text_that_waits_is_ended(monkeypatch):
    monkeypatch.setattr(parent, "SLACK", -1)
    start = time.monotonic()
    with pytest.raises(ValueError, match="takes longer, than it is given: 2 s"):
        tried("prog.py", hostile("while True:\n    TIME.sleep(1)\n"), 0, seconds=1)
    assert time.monotonic() - start < 60


def test_a_text_that_computes_for_ever_is_ended():
    with pytest.raises(ValueError, match="exceeds its bounds of 1 s"):
        tried("prog.py", hostile("while True:\n    pass\n"), 0, seconds=1)


@pytest.mark.long
def test_a_checker_whose_memory_is_bounded_bounds_its_workers_by_that(tmp_path):
    (tmp_path / "prog.py").write_text(text())
    bounded = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33)); from"
        " nodewright.cli.app import main; main()"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", bounded, "certify", str(tmp_path / "prog.py"), "--ran", "0"],
            check=False,
        ).returncode
        == 0
    )


def test_an_error_ends_the_run_beside_it():
    start = time.monotonic()
    sleep = (  # each run has its own order of a set
        "    first = next(iter({'a', 'b', 'c'})) if plan.comm.rank == 0 else 'a'\n"
        "    while first == 'b':\n        pass\n"
        "    if first == 'c':\n        raise ValueError('now')\n"
    )
    found = verdicts(changed_once(fft(), ("if out is None:", f"{sleep}    if out is None:")))
    assert isinstance(found["contract"], Refuted) and "now" in found["contract"].counterexample
    assert time.monotonic() - start < 60


@pytest.mark.slow
def test_plans_of_fftw_agree_on_real_ranks_but_for_the_last_bits():
    text_of_plans = emit(Spec("fft", 256, 4, kernels="pyfftw", exchange="nonblocking"))
    found = tried("prog.py", text_of_plans, 0, on_real=4).verdicts["ran"]
    assert found.statement.endswith(
        "but for the last bits, as FFTW chooses plans by timing"
    ) and holds(found)


def test_loading_a_text_has_a_bound_of_its_own(monkeypatch):
    monkeypatch.setattr(parent, "TO_LOAD", 1)
    with pytest.raises(parent.OutOfBounds, match="bounds of 1 s of processor time"):
        tried("prog.py", "while True:\n    pass\n", 0)


@pytest.mark.long
def test_plans_of_fftw_are_run_behind_the_wall():
    text = emit(Spec("fft", 16, 2, kernels="pyfftw"))
    assert {type(verdict) for verdict in tried("prog.py", text, 0).verdicts.values()} == {
        Checked,
        Tested,
    }


def test_a_text_that_takes_all_memory_is_ended():
    with pytest.raises((MemoryError, ValueError), match=r"memory|bounds"):
        verdicts(hostile("HELD = [bytes(2**33) for _ in range(8)]\n"))


def test_nothing_is_left_of_one_run_in_another():
    """Each run is of two ranks, so what a module keeps is seen twice in a run, and no more often in
    the third.
    """
    count = (
        "MODULES['nodewright-count'] = MODULES.get('nodewright-count', 0) + 1\nassert"
        " MODULES['nodewright-count'] <= 2, 'it is seen'\n"
    )
    assert all(map(holds, verdicts(hostile(count), short=True).values()))


def test_a_worker_ends_with_the_verdict():
    verdicts(text(), short=True)
    launcher = launched("", os.getpid())
    children = (
        Path(f"/proc/{launcher.process.pid}/task/{launcher.process.pid}/children")
        .read_text()
        .split()
    )
    assert children == []


@pytest.mark.long
def test_a_launcher_ends_with_its_checker(tmp_path):
    (tmp_path / "prog.py").write_text(text())
    code = (
        "import os\nfrom pathlib import Path\nfrom proofs.certify.checks.suite import tried\nfrom"
        " proofs.certify.workers.parent import launched\ntried('prog.py',"
        " Path('prog.py').read_text(), 0, short=True)\nprint(launched('', os.getpid()).process.pid,"
        " flush=True)\nos._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    for _ in range(100):
        if (
            not Path(f"/proc/{int(done.stdout)}/stat").exists()
            or " Z " in Path(f"/proc/{int(done.stdout)}/stat").read_text()
        ):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the launcher outlives its checker")


# Files and names around a program.


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


# Real ranks.

SEEN = {
    "a name that the stand-in has": "MPI.INFO_NULL is None",
    "one class for two": "MPI.Comm is MPI.Intracomm",
    "a constant": "MPI.ORDER_C == 0",
}


WATCHING = """
def seen(y):
    if not ({condition}):
        y *= 2
    return y


def transform(x, plan, out=None):
    return seen(_transform(x, plan, out))


def _transform(x, plan, out=None):"""


@pytest.mark.long
@pytest.mark.parametrize("seen", SEEN)
def test_a_text_that_notices_that_it_is_watched_is_refused_by_real_ranks(seen):
    watching = WATCHING.format(condition=SEEN[seen])
    program = changed_once(text(), ("def transform(x, plan, out=None):", watching))
    found = verdicts(changed_once(program, (NEWS, NEWS + "from mpi4py import MPI\n")), on_real=2)
    assert wrong(found) == ["ran"]
    assert "on real ranks" in found["ran"].counterexample


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
    assert "no mpiexec" in found["ran"].reason
    (tmp_path / "prog.py").write_text(text())
    certificate = certify(tmp_path / "prog.py")
    assert certificate.holds
    assert not isinstance(certificate.verdicts["ran"], Checked | Tested)
    assert verify(tmp_path / "prog.py")[0].holds


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(
    "call",
    [
        "OS.listdir('/root')",
        "OS.open('/etc/shadow', 0)",
        "MODULES['importlib'].import_module('socket').create_connection(('192.0.2.1', 80), 2)",
    ],
)
def test_an_escaped_text_on_real_ranks_reaches_nothing(call, tmp_path):
    """What a text does on real ranks stays in namespaces of its own, with the files of Python and
    of MPI.
    """
    program = hostile(
        f"try:\n    GOT = {call}\nexcept OSError:\n    GOT = None\nassert GOT is None, 'it is"
        " reached'\n"
    )
    assert not wrong(verdicts(program, on_real=2))


def said_of_processes(what):
    """Yield such words of each process that is there."""
    for path in Path("/proc").glob(f"[0-9]*/{what}"):
        with contextlib.suppress(OSError):
            yield path.read_bytes().decode(errors="replace")


def test_what_a_text_starts_on_real_ranks_ends_with_the_verdict(monkeypatch, tmp_path):
    monkeypatch.setattr(real_ranks, "PATIENCE", 2.0)
    monkeypatch.setattr(real_ranks.tempfile, "tempdir", str(tmp_path))
    program = hostile(
        "try:\n    if OS.fork() == 0:\n        OS.setsid()\n        TIME.sleep(1000)\nexcept"
        " OSError:\n    pass\n"
    )
    verdicts(program, on_real=2)
    end = time.monotonic() + 10
    while (
        left := any(f"HOME={tmp_path}" in words for words in said_of_processes("environ"))
    ) and time.monotonic() < end:
        time.sleep(0.1)  # the system ends the processes of a namespace with it, in its own time
    assert not left


def test_frames_are_bounded():
    one, other = socket.socketpair()
    with one, other:
        frames.write_frame(one.fileno(), b"12345")
        with pytest.raises(frames.TooLong):
            frames.read_frame(other.fileno(), 4)
        with pytest.raises(frames.TooLong):
            frames.read(other.fileno(), 64, time.monotonic() + 0.2)
        one.close()
        with pytest.raises(frames.Ended):
            frames.read(other.fileno(), 64)


def test_a_kernel_that_lacks_a_part_of_the_wall_is_asked_and_the_others_stand():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\nfrom proofs.certify.workers import wall\n"
        "wall.ARCHITECTURES = {}\nwall._landlock = lambda *_: False\nprint(wall.build(()))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(Path(wall.__file__).parents[3])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "('no_new_privs', 'namespaces')"


ASKED = """
import ctypes, fcntl, os, sys
sys.path.insert(0, sys.argv[1])
from proofs.certify.workers import wall
wall._version = lambda libc: 1
libc, path, here = ctypes.CDLL(None, use_errno=True), sys.argv[2], os.open(sys.argv[2], 0)
assert wall.LANDLOCK in wall.build((os.path.dirname(path),))

def done(call, *words):
    try:
        return call(*words) != -1
    except OSError:
        return False

flags = (os.O_WRONLY, os.O_RDWR, os.O_TRUNC, os.O_CREAT, os.O_TMPFILE, 3)
asked = [done(os.open, path, each | os.O_CLOEXEC) for each in flags]
asked += [done(libc.open, path.encode(), each) for each in flags]
asked += [done(fcntl.fcntl, here, each, 0) for each in (fcntl.F_SETOWN, 10, fcntl.F_SETFL, fcntl.F_SETLEASE, fcntl.F_SETLK)]
asked += [done(fcntl.ioctl, here, each, b" " * 64) for each in (0x5412, 0x541B, 0x8901)]
asked += [libc.syscall(437, -100, path.encode(), bytes(24), 24) != -1]
assert not any(asked), asked
assert done(fcntl.fcntl, here, fcntl.F_GETFL) and not os.isatty(os.dup(here)) and open(path).read() == "kept"
os.set_inheritable(here, True)
"""  # noqa: E501


def test_no_file_is_cut_and_no_signal_asked_for_where_landlock_knows_nothing_of_that(tmp_path):
    (tmp_path / "file").write_text("kept")
    subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            ASKED,
            str(Path(wall.__file__).parents[3]),
            str(tmp_path / "file"),
        ],
        check=True,
    )
    assert (tmp_path / "file").read_text() == "kept"


def test_memory_is_bounded_by_that_of_the_machine(monkeypatch):
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 2**20, "SC_PAGE_SIZE": 4096}.get)
    assert wall.memory() == 3 * 2**30


# Commands in the enclosure of real ranks.


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


# Figures that a worker may lie about.


def test_the_longest_honest_report_is_short():
    """A report grows as the number of ranks does."""
    P, turned = 16, Bmmc(bmmc.named("bit-reversal", 6), "bit-reversal")
    by, d = workers_of(emit(Spec("permute", 64, P, "cyclic", "block", "pairwise", turned)))
    script, vector = together(d), np.arange(64).reshape(P, -1)
    said, _ = by.ask(
        OfTokens(d, (vector, vector + 64), script, "contract"),
        [(np.int64, vector.shape)] * len(vectors(script)),
    )
    assert len(json.dumps(said)) * 1024 // P < MOST_JSON // 2


def test_a_job_refutes_its_own_statement():
    with pytest.raises(ValueError, match="no report"):
        parent._raise(
            {"outcome": "wrong", "name": "cost", "words": "because"}, Places(None, "input", ())
        )


LIES = {
    "schedules beyond number": ("schedules", 10**30),
    "no schedule": ("schedules", 0),
    "nothing that it leaves open, in words": ("leaked", "0"),
    "no table where there is one": ("table", 0),
    "a table that is missing": ("table", False),
    "a denominator beyond number": ("past", [[1.0, 10**9]]),
    "conjugates beyond number": ("past", [[1e300, 1]]),
    "refusals of a rank that is not there": ("refused", {words: [7] for words in USES}),
}


@pytest.mark.parametrize("lie", LIES)
def test_no_figure_of_a_worker_is_believed_beyond_its_range(lie, monkeypatch):
    name, value = LIES[lie]

    class Lying(InProcess):
        def ask(self, job, wanted=()):
            said, arrays = super().ask(job, wanted)
            return {**said, **({name: value} if name in said else {})}, arrays

    monkeypatch.setattr(suite, "Workers", Lying)
    with pytest.raises(ValueError, match="no report"):
        verdicts(text(), short=name != "refused")
