"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path


def is_stream(path: Path) -> bool:
    """Return whether a path is a device, a FIFO or a link to one: no file and no directory."""
    return path.exists() and not path.is_file() and not path.is_dir()


def write_text(path: Path, text: str, follow: bool = True) -> None:
    """Write a text file; it appears whole or not at all. Of a link its target is replaced; a device
    or a FIFO is written to as it is.

    Unless it may `follow` them: then these are refused. Raises OSError where it cannot be written.
    """
    try:
        _refuse_directory(path)
        if not follow:
            refuse_unless_a_file(path)
        if is_stream(path):
            path.write_text(text, encoding="utf-8")
        else:
            _replace(_target(path), text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def check_writable(path: Path) -> None:
    """Raise OSError where `write_text` would for this path; nothing is left behind."""
    try:
        _refuse_directory(path)
        if not is_stream(path):
            _fresh(_target(path)).unlink()
        elif not os.access(path, os.W_OK):
            raise _error(errno.EACCES)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def refuse_unless_a_file(path: Path) -> None:
    """Raise OSError where a path is there and is no file: a link, a device, a FIFO, a directory."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "a link, which is not followed", str(path))
    if is_stream(path):
        raise OSError(errno.EINVAL, "no regular file", str(path))
    _refuse_directory(path)


def _replace(target: Path, text: str) -> None:
    partial = _fresh(target)
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def _target(path: Path) -> Path:
    """Return where the links of a path lead."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # links that lead in a circle
        raise _error(errno.ELOOP)
    return target


def _fresh(target: Path) -> Path:
    """Return a new file beside a target, with the permissions of a new file."""
    descriptor, name = tempfile.mkstemp(".partial", f".{target.name}.", target.parent)
    mask = os.umask(0)
    os.umask(mask)
    os.fchmod(descriptor, 0o666 & ~mask)
    os.close(descriptor)
    return Path(name)


def _refuse_directory(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
