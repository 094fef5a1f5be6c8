"""The wall around a process that runs a program: what the kernel denies it, whatever Python code in
it does.

    wall = no new privileges, namespaces of its own, Landlock, a filter of system calls and of what
    they are asked for

Each part is put up where this kernel has it, in this order, and cannot be taken down again. With
Landlock a process reads the folders that Python is imported from, and nothing else; without it, it
opens no file at all. Standard library only.

Reference: prctl(2), unshare(2), landlock(7), seccomp(2).
"""

from __future__ import annotations

import ctypes
import os
import platform
import site
import struct
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PRIVILEGES, NAMESPACES, LANDLOCK, FILTER = "no_new_privs", "namespaces", "Landlock", "seccomp"
PARTS = (PRIVILEGES, NAMESPACES, LANDLOCK, FILTER)
"""The parts of the wall by their names."""
IS_LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SIGKILL, EPERM = 9, 1
NEW_USER, NEW_NETWORK, NEW_IPC = 0x10000000, 0x40000000, 0x08000000
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
READS = EXECUTE | READ_FILE | READ_DIR
OF_A_FILE = EXECUTE | 1 << 1 | READ_FILE | 1 << 14
"""Landlock's rights that a file has: the others are those of folders."""
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights on files Landlock knows from each of its versions on."""
TCP, SCOPES = 0b11, 0b11
"""Landlock's rights to bind and to connect; its scopes of abstract sockets and of signals."""
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ABSENT = -1
"""The number of a system call that an architecture lacks."""


def _numbers(table: str) -> dict[str, tuple[int, int]]:
    """Return the numbers of system calls on both architectures, by name."""
    rows = map(str.split, table.split(", "))
    return {name: (int(one), int(other)) for name, one, other in rows}


CALLS = _numbers(
    "read 0 63, write 1 64, readv 19 65, writev 20 66, close 3 57, lseek 8 62, mmap 9 222, "
    "mprotect 10 226, munmap 11 215, brk 12 214, mremap 25 216, madvise 28 233, futex 202 98, "
    "rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, sigaltstack 131 132, "
    "restart_syscall 219 128, exit 60 93, exit_group 231 94, getpid 39 172, gettid 186 178, "
    "getuid 102 174, getgid 104 176, clock_gettime 228 113, clock_getres 229 114, "
    "clock_nanosleep 230 115, nanosleep 35 101, gettimeofday 96 169, times 100 153, "
    "getrusage 98 165, sched_yield 24 124, sched_getaffinity 204 123, getcpu 309 168, "
    "getrandom 318 278, membarrier 324 283, rseq 334 293, sysinfo 99 179, uname 63 160, "
    "getcwd 79 17"
)
"""The system calls that are let through, by their numbers on x86_64 and aarch64."""
OF_FILES = _numbers(
    "openat 257 56, newfstatat 262 79, fstat 5 80, getdents64 217 61, readlinkat 267 78, "
    "open 2 -1, stat 4 -1, lstat 6 -1, readlink 89 -1, fcntl 72 25, ioctl 16 29, "
    "faccessat 269 48, access 21 -1, pread64 17 67"
)
"""Those by which Python imports a module; allowed where Landlock says which files."""


@dataclass(frozen=True)
class Only:
    """A condition on a system call: the bits `mask` of this argument are one of these values."""

    argument: int
    mask: int
    values: tuple[int, ...]


WRITING = 0o3 | 0o100 | 0o1000 | 0o20000 | 0o20000000
"""The bits of O_ACCMODE, O_CREAT, O_TRUNC, O_ASYNC and O_TMPFILE."""
WHOLE = 0xFFFFFFFF
ONLY = {
    "open": Only(1, WRITING, (0,)),
    "openat": Only(2, WRITING, (0,)),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC: none that sends signals
    "fcntl": Only(1, WHOLE, (0, 1, 2, 3, 1030)),
    "ioctl": Only(1, WHOLE, (0x5401, 0x5450, 0x5451)),  # TCGETS, FIONCLEX, FIOCLEX
}
"""Older Landlock knows neither truncation nor signals, so the filter refuses them."""


def of_python() -> tuple[str, ...]:
    """Return the folders that Python imports its own modules and installed ones from."""
    paths = sysconfig.get_paths()
    return tuple(
        {
            *(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
            *site.getsitepackages(),
        }
    )


def build(readable: Sequence[str]) -> tuple[str, ...]:
    """Put up the wall around this process, which may still read below these folders; return the
    parts that are in force.

    Where the kernel lacks a part the others stand; one that is not Linux has none of them.
    """
    if not IS_LINUX:
        return ()
    libc = ctypes.CDLL(None, use_errno=True)
    standing = []
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        standing.append(PRIVILEGES)
    if libc.unshare(NEW_USER | NEW_NETWORK | NEW_IPC) == 0:
        standing.append(NAMESPACES)
    if _landlock(libc, readable, ()):
        standing.append(LANDLOCK)
    if _filter(libc, CALLS | (OF_FILES if LANDLOCK in standing else {})):
        standing.append(FILTER)
    return tuple(standing)


def memory() -> int:
    """Return how many bytes of memory a process behind the wall may have: at most 16 GiB, and three
    quarters of this machine's.
    """
    return min(16 * 2**30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4)


def files_only(readable: Sequence[str], writable: Sequence[str]) -> bool:
    """Deny this process, and those that it starts, new privileges and all files but these; return
    whether the kernel does so.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and _landlock(libc, readable, writable)


def die_with_parent() -> None:
    """Have the kernel end this process when the one that started it ends."""
    if IS_LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


def _landlock(libc: ctypes.CDLL, readable: Sequence[str], writable: Sequence[str]) -> bool:
    """Restrict files, TCP, signals and abstract sockets as far as this kernel's Landlock goes."""
    version = _version(libc)
    if version < 1:
        return False
    files = (
        1 << next(FILE_RIGHTS[v] for v in sorted(FILE_RIGHTS, reverse=True) if v <= version)
    ) - 1
    network, scopes = TCP if version >= 4 and not writable else 0, SCOPES if version >= 6 else 0
    attributes = struct.pack("QQQ", files, network, scopes)[
        : 8 if version < 4 else 16 if version < 6 else 24
    ]
    ruleset = libc.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return False
    for folders, rights in ((readable, READS), (writable, files)):
        for path in filter(Path.exists, map(Path, folders)):
            _allow(libc, ruleset, path, rights & files & (~0 if path.is_dir() else OF_A_FILE))
    done = libc.syscall(RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return bool(done)


def _version(libc: ctypes.CDLL) -> int:
    """Return the version of this kernel's Landlock, less than 1 where there is none."""
    return int(libc.syscall(CREATE_RULESET, None, 0, 1))


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path, rights: int) -> None:
    parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    libc.syscall(ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, parent), 0)
    os.close(parent)


def _filter(libc: ctypes.CDLL, calls: dict[str, tuple[int, int]]) -> bool:
    """Have the kernel refuse all system calls but these, with these arguments, by EPERM."""
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        return False
    column = list(ARCHITECTURES).index(machine)
    allowed = {
        numbers[column]: ONLY.get(name)
        for name, numbers in calls.items()
        if numbers[column] != ABSENT
    }
    program = _bpf(ARCHITECTURES[machine], allowed)
    code = ctypes.create_string_buffer(b"".join(program))
    header = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    return bool(libc.prctl(PR_SET_SECCOMP, 2, header, 0, 0) == 0)


LOAD, AND, EQUAL, GIVE = 0x20, 0x54, 0x15, 0x06
ALLOW, DENY = 0x7FFF0000, 0x00050000 | EPERM
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
"""Where a filter finds the number, the architecture, and the arguments, lower half first."""


def _bpf(architecture: int, allowed: dict[int, Only | None]) -> list[bytes]:
    """Return the instructions of a filter that allows calls of these numbers."""
    checks = [
        part
        for number, only in sorted(allowed.items(), key=lambda each: each[0])
        for part in _if_equal(number, _asked(only))
    ]
    known = [
        _instruction(LOAD, ARCHITECTURE),
        _instruction(EQUAL, architecture, 1, 0),
        _instruction(GIVE, DENY),
    ]
    return [*known, _instruction(LOAD, NUMBER), *checks, _instruction(GIVE, DENY)]


def _asked(only: Only | None) -> list[bytes]:
    """Return the instructions that end with whether a call may be asked for this."""
    if only is None:
        return [_instruction(GIVE, ALLOW)]
    given = [_instruction(LOAD, ARGUMENTS + 8 * only.argument), _instruction(AND, only.mask)]
    return [
        *given,
        *(part for value in only.values for part in _if_equal(value, _asked(None))),
        _instruction(GIVE, DENY),
    ]


def _if_equal(constant: int, then: list[bytes]) -> list[bytes]:
    """Return instructions that do these where the loaded word is the constant, else skip them."""
    return [_instruction(EQUAL, constant, 0, len(then)), *then]


def _instruction(code: int, constant: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return an instruction: a code, two jumps and a constant."""
    return struct.pack("HBBI", code, if_true, if_false, constant)
