"""Emitted programs from outside: what a text says about itself, and how it is started on its ranks
under MPI.
"""

from __future__ import annotations

import ast
import contextlib
import glob
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from codegen.mpiexec import OPEN_MPI as OPEN_MPI
from codegen.mpiexec import MpiexecNotFound as MpiexecNotFound
from codegen.mpiexec import mpiexec as mpiexec
from derive.call_arguments import counted

CONSTANTS = ("N", "P", "INPUT", "OUTPUT", "DTYPE")
FUNCTIONS = ("plan", "transform", "input_place", "output_place")
"""What every emitted program defines."""

TICK = 0.5
"""Seconds from one look at a program that runs to the next."""
GRACE = 5.0
"""Seconds that mpiexec has for ending its ranks in order, before it is killed."""


def constants_of(path: Path) -> dict[str, Any]:
    """Return the constants of an emitted program, read from its text, which is not executed.

    Raises ValueError if the text is no such program, OSError if it cannot be read.
    """
    try:
        module = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{path} is not a Python program: {error}") from error
    found = dict(assigned(module))
    defined = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    defined |= {
        name.id  # output_place, output_index = input_place, input_index
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    missing = [name for name in CONSTANTS if name not in found] + [
        f"{name}()" for name in FUNCTIONS if name not in defined
    ]
    if missing:
        raise ValueError(
            f"{path} is not a nodewright program; it does not define {', '.join(missing)}"
        )
    for name in ("N", "P"):
        value = found[name]
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{path}: {name} must be a positive integer; got {value!r}")
    return found


def ranks_of(path: Path) -> int:
    """Return P, the number of ranks that a program is made for, without executing it.

    Raises ValueError if the text is no emitted program, OSError if it cannot be read.
    """
    return int(constants_of(path)["P"])


def assigned(module: ast.Module) -> Iterator[tuple[str, Any]]:
    """Yield the names that the top level of a module binds to constants, with their values; that of
    np.dtype(x) is x.

    >>> dict(assigned(ast.parse('N, P = 2**4, 2; DTYPE = np.dtype("float64"); M = N // P')))
    {'N': 16, 'P': 2, 'DTYPE': 'float64'}
    """
    for node in module.body:
        if isinstance(node, ast.Assign):
            for names in node.targets:
                yield from _values(names, node.value)


def _values(names: ast.expr, value: ast.expr) -> Iterator[tuple[str, Any]]:
    match names, value:
        case ast.Tuple(several), ast.Tuple(given) if len(several) == len(given):
            for each in zip(several, given, strict=True):
                yield from _values(*each)
        case ast.Name(), ast.Call(ast.Attribute(ast.Name("np"), "dtype"), [given]):
            yield from _values(names, given)
        case (ast.Name(name), ast.BinOp(ast.Constant(2), ast.Pow(), ast.Constant(int(n)))) if (
            0 <= n < 63
        ):
            yield name, 2**n
        case ast.Name(name), _:
            try:
                yield name, ast.literal_eval(value)
            except (TypeError, ValueError):  # it is computed
                return


def run(
    program: Path,
    args: Sequence[str | Path],
    ranks: int | None = None,
    *,
    timeout: float | None = None,
    capture: bool = False,
    watch: Callable[[bool], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program with these arguments under mpiexec, on P ranks unless told otherwise, and
    return how it ended.

    Standard output and error are passed through, or kept in the result with `capture`. After
    `timeout` seconds all ranks are ended. Partial results of this run are removed, which a rank
    that was killed leaves behind. SIGTERM to this process ends the ranks, too. While the program
    runs, `watch` is told again and again whether its result has been begun.

    Raises MpiexecNotFound without an mpiexec, ValueError if the program is none of ours,
    TimeoutError after the timeout.
    """
    ranks = ranks_of(program) if ranks is None else ranks
    command = [mpiexec(), "-n", str(ranks), sys.executable, str(program), *map(str, args)]
    before = _partial_results(args)
    begun = partial(_begun, args, _written(before))
    process = _started(command, capture)
    try:
        with _ended_by_sigterm():
            output, errors = _waited_for(process, timeout, watch, begun)
    except subprocess.TimeoutExpired as expired:
        raise TimeoutError(
            f"{program} on {counted(ranks, 'rank')}: not finished after {timeout:g} s;"
            " all ranks were ended"
        ) from expired
    finally:
        _end(process)
        for path in _partial_results(args) - before:
            _remove_if_abandoned(path)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _waited_for(
    process: subprocess.Popen[str],
    timeout: float | None,
    watch: Callable[[bool], None] | None,
    begun: Callable[[], bool],
) -> tuple[str, str]:
    """Return what a process has printed when it has ended; every TICK until then `watch` is told
    whether its result has been begun.

    Raises TimeoutExpired after the timeout.
    """
    end = float("inf") if timeout is None else monotonic() + timeout
    has_begun = False
    while watch and end - monotonic() > TICK:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=TICK)
        has_begun = has_begun or begun()  # a result that is whole is no longer partial
        watch(has_begun)
    return process.communicate(timeout=timeout and max(0.0, end - monotonic()))


def _started(command: list[str], capture: bool) -> subprocess.Popen[str]:
    """Start a command without input, in its own process group: ending it ends nothing else."""
    pipe = subprocess.PIPE if capture else None
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        text=True,
        env={**OPEN_MPI, **os.environ},
        start_new_session=True,
    )


@contextlib.contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM raise SystemExit, so that what is to be done at the end is done; only the main
    thread may choose that.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _partial_results(args: Sequence[str | Path]) -> set[Path]:
    """Return the files FILE.PID.partial beside each argument FILE, not whole yet."""
    return {
        found
        for path in map(Path.resolve, map(Path, args))
        for found in path.parent.glob(f"{glob.escape(path.name)}.*.partial")
    }


def _written(paths: set[Path]) -> set[tuple[Path, int]]:
    """Return the files that are still there, each with the time when it was written."""
    found = set()
    for path in paths:
        with contextlib.suppress(OSError):
            found.add((path, path.stat().st_mtime_ns))
    return found


def _begun(args: Sequence[str | Path], before: set[tuple[Path, int]]) -> bool:
    """Return whether a partial result was written since: one of another run may have the same name,
    where processes have the same numbers again, as in a container.
    """
    return bool(_written(_partial_results(args)) - before)


def _remove_if_abandoned(path: Path) -> None:
    """Remove a partial result whose writer on this machine has ended, and no other's."""
    pid = path.suffixes[-2][1:]
    if pid.isdecimal() and not _runs(int(pid)):
        path.unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    """Return whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def _end(process: subprocess.Popen[str]) -> None:
    """End mpiexec and with it all ranks, whether they listen to signals or not; do nothing if it
    has ended.

    The ranks may lie in process groups of their own (MPICH): asked to terminate, mpiexec passes
    that on to them; and once it is killed, the proxy that started them kills them.
    """
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, sign)
            try:
                process.communicate(timeout=GRACE)
            except subprocess.TimeoutExpired:
                continue
