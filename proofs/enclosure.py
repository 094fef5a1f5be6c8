"""A command in namespaces of its own: no network, no other processes, a private shared memory, and no files but some.

    python -I -c ... ROOT FOLDER COMMAND...

The command may write below the folder and /dev/shm, which is its own, and read what programs are made of. When this process ends,
all that the command has started ends. Exit status 125: this kernel does not wall it like that, and it was not started.

Reference: namespaces(7), mount(2), landlock(7).
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import socket
import struct
import sys
from pathlib import Path

from proofs import wall

UNAVAILABLE = 125
NEW_MOUNTS, NEW_PROCESSES = 0x00020000, 0x20000000
PRIVATE_BELOW = 0x4000 | 0x40000
SET_FLAGS, UP = 0x8914, 1 | 64
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/opt", "/proc", "/sys")
"""Where an MPI and its libraries are."""
NAMES = ("/etc/ld.so.cache", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/passwd")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/shm")
LARGEST_FILE = 2**32
"""No file that is written is larger, shared memory included."""


def main() -> None:
    """Start the command behind the wall, and wait for it."""
    _, folder, *command = sys.argv[1:]
    if not wall.IS_LINUX:
        sys.exit(UNAVAILABLE)
    try:
        _namespaces()
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(UNAVAILABLE)
    process = os.fork()
    if not process:
        try:
            _become(folder, command)
        finally:
            os._exit(UNAVAILABLE)
    _, status = os.waitpid(process, 0)
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _namespaces() -> None:
    """Enter new namespaces, in which this user is who he was, and the loopback is up."""
    user, group = os.getuid(), os.getgid()
    new = wall.NEW_USER | wall.NEW_NETWORK | wall.NEW_IPC | NEW_MOUNTS | NEW_PROCESSES
    _call(ctypes.CDLL(None, use_errno=True).unshare(new))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path(f"/proc/self/{name}").write_text(text, encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))


def _become(folder: str, command: list[str]) -> None:
    """Become the command, the first process of its namespace, whose end is the end of all."""
    wall.die_with_parent()
    libc = ctypes.CDLL(None, use_errno=True)
    _call(libc.mount(None, b"/", None, PRIVATE_BELOW, None))
    _call(libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, None))
    _call(libc.mount(b"proc", b"/proc", b"proc", 0, None))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    readable = (*SYSTEM, *NAMES, sys.prefix, sys.base_prefix, *sys.path, str(Path(command[0]).parent))
    if not wall.files_only(readable, (folder, *DEVICES)):
        os._exit(UNAVAILABLE)
    os.chdir(folder)
    os.execv(command[0], command)


def _call(result: int) -> None:
    """Raise OSError where a system call has failed."""
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
