"""Files that come from elsewhere: regular ones of bounded size are read, and nothing waits for what
is none.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file.

    Raises OSError where it cannot be read, is a device, a FIFO or a socket, or has more than `most`
    bytes.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "no regular file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"a file of more than {most} bytes", str(path))
    return data


def read_text(path: Path, most: int) -> str:
    """Return the text of such a file in UTF-8.

    Raises ValueError where it is none, OSError as `read_bytes`.
    """
    try:
        return decoded(read_bytes(path, most))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def decoded(data: bytes) -> str:
    r"""Return the text that bytes are in UTF-8.

    Raises ValueError with the line and the byte where they are none.

    >>> decoded(b"start F(n)\n# caf\xe9")
    Traceback (most recent call last):
    ValueError: line 2: byte 6 of the line is 0xe9, which is not valid UTF-8
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line, at = data.count(b"\n", 0, error.start) + 1, data.rfind(b"\n", 0, error.start)
        raise ValueError(
            f"line {line}: byte {error.start - at} of the line is {data[error.start]:#04x}, which"
            " is not valid UTF-8"
        ) from error
