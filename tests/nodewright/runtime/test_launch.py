"""Reading and starting programs, without any that the project has emitted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nodewright.runtime import launch

PROGRAM = '''"""A program that has the form of an emitted one."""
import os
import sys
import time

import numpy as np

N, P, M = 2**4, 2, 8
INPUT, OUTPUT = "block", "cyclic"
DTYPE = np.dtype("complex128")


def input_place(j): ...
def output_place(j): ...
def plan(comm): ...
def transform(x, plan, out=None): ...


if __name__ == "__main__":
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if sys.argv[1] == "sum":
        total = comm.allreduce(1 << comm.rank)
        if comm.rank == 0:
            print(comm.size, total)
    if sys.argv[1] == "fail" and comm.rank == 1:
        print("rank 1 gives up", file=sys.stderr, flush=True)
        time.sleep(0.5)  # mpiexec passes on what it has read when it hears of an abort
        comm.Abort(3)
    if sys.argv[1] == "die":
        for pid in sys.argv[3:] or [os.getpid()]:
            open(f"{sys.argv[2]}.{pid}.partial", "w").close()
        comm.Barrier()
        if comm.rank == 0:
            os.kill(os.getpid(), 9)
        comm.recv()
    if sys.argv[1] == "write" and comm.rank == 0:
        partial = f"{sys.argv[2]}.1.partial"
        open(partial, "w").close()
        time.sleep(0.3)
        os.replace(partial, sys.argv[2])
        time.sleep(0.3)
    if sys.argv[1] == "hang":
        with open(f"{sys.argv[2]}.{comm.rank}", "w") as file:
            file.write(str(os.getpid()))
        comm.recv()
'''


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_the_constants_are_read_without_running_the_program(program: Path) -> None:
    program.write_text(f"raise SystemExit\n{PROGRAM}", encoding="utf-8")
    found = launch.constants_of(program)
    assert [found[name] for name in launch.CONSTANTS] == [16, 2, "block", "cyclic", "complex128"]
    assert launch.ranks_of(program) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("def broken(:", "is not a Python program"),
        ("\0", "is not a Python program"),
        ("N = 4", r"does not define P, INPUT, OUTPUT, DTYPE, plan\(\)"),
        (PROGRAM.replace("2**4, 2,", "2**4, 0,"), "P must be a positive integer; got 0"),
        (PROGRAM.replace("2**4, 2,", "2**4, True,"), "P must be a positive integer; got True"),
        (PROGRAM.replace("2**4, 2,", "'x', 2,"), "N must be a positive integer; got 'x'"),
        (PROGRAM.replace("2**4, 2,", "2**4, len(str()),"), "does not define P"),
    ],
)
def test_other_texts_are_refused_with_the_reason(program: Path, text: str, complaint: str) -> None:
    program.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        launch.ranks_of(program)


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("ranks", [None, 3])
def test_a_program_runs_on_its_ranks_unless_told_otherwise(
    program: Path, ranks: int | None
) -> None:
    done = launch.run(program, ["sum"], ranks, timeout=300, capture=True)
    count = ranks or 2
    assert (done.returncode, done.stdout.split()) == (0, [str(count), str((1 << count) - 1)]), (
        done.stderr
    )


@pytest.mark.long
def test_output_is_passed_through_unless_it_is_captured(program: Path) -> None:
    call = (
        "from pathlib import Path; from nodewright.runtime import launch;"
        f" launch.run(Path({str(program)!r}), ['sum'], timeout=300)"
    )
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "3"]


def test_a_failing_rank_ends_the_run(program: Path) -> None:
    done = launch.run(program, ["fail"], timeout=300, capture=True)
    assert done.returncode != 0
    assert "rank 1 gives up" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("stubborn", [False, True])
def test_a_timeout_leaves_no_rank_behind(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stubborn: bool
) -> None:
    monkeypatch.setattr(launch, "GRACE", 1.0)
    if stubborn:
        program.write_text(
            PROGRAM.replace(
                "import os\n", "import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            ),
            encoding="utf-8",
        )
    for timeout in (2, 8, 32, 128, 512):  # until it is enough for the ranks to have started
        with pytest.raises(
            TimeoutError,
            match=rf"program\.py on 2 ranks: not finished after {timeout} s; all ranks were ended",
        ):
            launch.run(program, ["hang", str(tmp_path / "pid")], timeout=timeout, capture=True)
        written = [path.read_text() for path in tmp_path.glob("pid.*")]
        if len(written) == 2 and all(written):
            break
    deadline = time.monotonic() + 300
    while any(alive(int(pid)) for pid in written) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in written if alive(int(pid))] == []


def test_sigterm_leaves_no_rank_behind(program: Path, tmp_path: Path) -> None:
    call = (
        "from pathlib import Path; from nodewright.runtime import launch;"
        f" launch.run(Path({str(program)!r}), ['hang', {str(tmp_path / 'pid')!r}])"
    )
    running = subprocess.Popen([sys.executable, "-c", call])
    deadline, written = time.monotonic() + 300, list[str]()
    while len(written) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
        written = [text for path in tmp_path.glob("pid.*") if (text := path.read_text())]
    running.send_signal(signal.SIGTERM)
    assert running.wait() == 128 + signal.SIGTERM
    while any(alive(int(pid)) for pid in written) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(written) == 2
    assert [pid for pid in written if alive(int(pid))] == []


@pytest.mark.long
def test_partial_results_of_ranks_that_were_killed_are_removed(
    program: Path, tmp_path: Path
) -> None:
    done = launch.run(program, ["die", str(tmp_path / "OUT[1].npy")], timeout=300, capture=True)
    assert done.returncode != 0
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]


@pytest.mark.long
def test_partial_results_of_other_runs_stay(program: Path, tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    earlier, other, strange = (
        tmp_path / f"OUT.npy.{which}.partial" for which in (ended.pid, os.getpid(), "mine")
    )
    earlier.touch()
    launch.run(
        program,
        ["die", str(tmp_path / "OUT.npy"), str(os.getpid()), "mine"],
        timeout=300,
        capture=True,
    )
    assert sorted(tmp_path.glob("*.partial")) == sorted([earlier, other, strange])


@pytest.mark.long
def test_a_run_is_watched_until_it_ends(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "TICK", 0.01)
    seen: list[bool] = []
    launch.run(program, ["sum"], timeout=300, capture=True, watch=seen.append)
    assert seen
    assert not any(seen)
    launch.run(program, ["die", str(tmp_path / "OUT.npy")], capture=True, watch=seen.append)
    assert seen[-1]


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("older", ["", "OUT.npy", "OUT.npy.1.partial"])
def test_a_result_that_is_begun_stays_so_whatever_earlier_runs_have_left(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, older: str
) -> None:
    monkeypatch.setattr(launch, "TICK", 0.02)
    if older:
        (tmp_path / older).touch()
    seen: list[bool] = []
    launch.run(program, ["write", str(tmp_path / "OUT.npy")], capture=True, watch=seen.append)
    assert (seen[0], seen[-1]) == (False, True)
    assert seen == sorted(seen)


@pytest.mark.long
def test_a_run_that_is_watched_ends_after_its_timeout(program: Path, tmp_path: Path) -> None:
    seen: list[bool] = []
    with pytest.raises(TimeoutError, match="not finished after 1 s"):
        launch.run(program, ["hang", str(tmp_path / "pid")], timeout=1, watch=seen.append)
    assert seen == [False]


def alive(pid: int) -> bool:
    """Return whether a process runs: one that has ended, but whose parent has not asked yet, does
    not.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def test_json_from_a_program_is_all_that_is_captured(program: Path) -> None:
    program.write_text(
        PROGRAM.replace("print(comm.size, total)", "print('{\"N\": 16}')"), encoding="utf-8"
    )
    assert json.loads(launch.run(program, ["sum"], timeout=300, capture=True).stdout) == {"N": 16}
