"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Write a text file; it appears whole or not at all.

    Raises OSError where it cannot be written.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
