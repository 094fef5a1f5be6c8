"""What the kernel denies real ranks, whatever Python code in them does: new privileges, and all
files but those that are named.

It holds for the processes that they start as well, and cannot be taken down again. Standard library
only.

Reference: prctl(2), landlock(7).
"""

from __future__ import annotations

import ctypes
import os
import site
import struct
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

IS_LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
SIGKILL = 9
NEW_USER, NEW_NETWORK, NEW_IPC = 0x10000000, 0x40000000, 0x08000000
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
READS = EXECUTE | READ_FILE | READ_DIR
OF_A_FILE = EXECUTE | 1 << 1 | READ_FILE | 1 << 14
"""Landlock's rights that a file has: the others are those of folders."""
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights on files Landlock knows from each of its versions on."""
SCOPES = 0b11
"""Landlock's scopes of abstract sockets and of signals."""


def of_python() -> tuple[str, ...]:
    """Return the folders that Python imports its own modules and installed ones from."""
    paths = sysconfig.get_paths()
    return tuple(
        {
            *(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
            *site.getsitepackages(),
        }
    )


def memory(most: int = 16 * 2**30) -> int:
    """Return how many bytes of memory a process may have: at most `most`, 16 GiB for a real rank,
    and three quarters of this machine's.
    """
    return min(most, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4)


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
    """Restrict files, signals and abstract sockets as far as this kernel's Landlock goes."""
    version = _version(libc)
    if version < 1:
        return False
    files = (
        1 << next(FILE_RIGHTS[v] for v in sorted(FILE_RIGHTS, reverse=True) if v <= version)
    ) - 1
    attributes = struct.pack("QQQ", files, 0, SCOPES)[: 24 if version >= 6 else 8]
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
