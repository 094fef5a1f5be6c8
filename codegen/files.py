"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path


def is_stream(path: Path) -> bool:
    """Return whether a path is there but is neither a file nor a directory: a device, a FIFO, or a link to one."""
    return path.exists() and not path.is_file() and not path.is_dir()


def write_text(path: Path, text: str) -> None:
    """Write a text file; it appears whole or not at all. Of a link its target is replaced; a device or a FIFO is written to as it is.

    Raises OSError where it cannot be written.
    """
    try:
        _refuse_directory(path)
        if is_stream(path):
            path.write_text(text, encoding="utf-8")
        else:
            _replace(*_places(path), text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def check_writable(path: Path) -> None:
    """Raise OSError where `write_text` would for this path, before there is a text; nothing is left behind."""
    try:
        _refuse_directory(path)
        if not is_stream(path):
            _, partial = _places(path)
            partial.touch()
            partial.unlink()
        elif not os.access(path, os.W_OK):
            raise _error(errno.EACCES)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _replace(target: Path, partial: Path, text: str) -> None:
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def _places(path: Path) -> tuple[Path, Path]:
    """Return where the links of a path lead, and the file beside it that gets its name when it is whole."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # links that lead in a circle
        raise _error(errno.ELOOP)
    return target, target.with_name(f".{target.name}.{os.getpid()}.partial")


def _refuse_directory(path: Path) -> None:
    if path.is_dir():
        raise _error(errno.EISDIR)


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
