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
        return read_bytes(path, most).decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text in UTF-8: {error}") from error
