"""A command in namespaces of its own: no network, no other processes, no files but some, none of
which it can change.

    python -I -c ... ROOT CHANNEL FOLDER PROCESSES COMMAND...

The command may write below the folder and /dev/shm, which are in memory and its own, and read the
folder that this one lies in, and what programs are made of. When this process ends, or the one that
started it, all that the command has started ends.

On the channel, a socket that the command does not have, go descriptors of the folder and of what
the command writes to its standard error. Where there are none, or more is said, this kernel does
not wall it like that, and it was not started.

Reference: namespaces(7), mount(2), mount_setattr(2), tmpfs(5), landlock(7).
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

from proofs.certify.real import wall

NEW_MOUNTS, NEW_PROCESSES = 0x00020000, 0x20000000
MOUNT_SETATTR, HERE, AND_BELOW, READ_ONLY, PRIVATE = 442, -100, 0x8000, 1, 1 << 18
SET_FLAGS, UP = 0x8914, 1 | 64
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/opt", "/proc", "/sys")
"""Where an MPI and its libraries are."""
NAMES = ("/etc/ld.so.cache", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/passwd")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/shm")
LARGEST_FILE = 2**32
"""No file that is written is larger, shared memory included."""
ROOM = b"size=25%,nr_inodes=65536"
"""What the folder may hold, and /dev/shm as much: a quarter of the machine's memory."""
SECONDS = 120
"""What each process may take of a processor's time."""


def main() -> None:
    """Start the command behind the wall, and wait for it."""
    _, number, folder, processes, *command = sys.argv[1:]
    with socket.socket(fileno=int(number)) as channel:
        channel.set_inheritable(False)
        wall.die_with_parent()
        _namespaces()
        process = os.fork()
        if not process:
            try:
                _become(folder, int(processes), command, channel)
            finally:
                channel.send(b"-")
                os._exit(1)
    _, status = os.waitpid(process, 0)
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _namespaces() -> None:
    """Enter new namespaces, in which this user is who he was, and the loopback is up."""
    user, group = os.getuid(), os.getgid()
    new = wall.NEW_USER | wall.NEW_NETWORK | wall.NEW_IPC | NEW_MOUNTS | NEW_PROCESSES
    _call(ctypes.CDLL(None, use_errno=True).unshare(new))
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(text, encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))


def _become(folder: str, processes: int, command: list[str], channel: socket.socket) -> None:
    """Become the command, the first process of its namespace, whose end is the end of all."""
    wall.die_with_parent()
    _mounts(folder)
    _bounds(processes)
    os.chdir(folder)
    here, errors = os.open(".", os.O_RDONLY), os.open(".", os.O_TMPFILE | os.O_RDWR)
    os.dup2(errors, 2)
    ours, home = Path(__file__).parent, Path(folder).parent
    readable = (
        *SYSTEM,
        *NAMES,
        *wall.of_python(),
        sys.prefix,
        sys.base_prefix,
        str(ours),
        str(home),
        str(Path(command[0]).parent),
    )
    if not wall.files_only(readable, (folder, *DEVICES)):
        raise OSError("no Landlock")
    socket.send_fds(channel, [b"+"], [here, errors])
    os.execv(command[0], command)


def _mounts(folder: str) -> None:
    """Make all files read-only but those of the folder and of /dev/shm, which are empty, and show
    no process of another namespace.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    attributes = struct.pack("QQQQ", READ_ONLY, 0, PRIVATE, 0)
    _call(libc.syscall(MOUNT_SETATTR, HERE, b"/", AND_BELOW, attributes, len(attributes)))
    for path in (os.fsencode(folder), b"/dev/shm"):
        _call(libc.mount(b"tmpfs", path, b"tmpfs", 0, ROOM))
    _call(libc.mount(b"proc", b"/proc", b"proc", 0, None))


def _bounds(processes: int) -> None:
    """Bound what each process takes, and how many there are; where memory is short, these are the
    first that the kernel ends.
    """
    for which, value in (
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_AS, wall.memory()),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(which, (value, value))
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _call(result: int) -> None:
    """Raise OSError where a system call has failed."""
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
