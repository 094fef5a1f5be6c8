"""Programs as modules of this process: their texts are kept on disk, where what they compile is
found again by the next process.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from stat import S_IWGRP, S_IWOTH
from types import ModuleType

from codegen.systems.options import BACKENDS, NUMBA
from codegen.whole_files import write_text

KEPT = 64
"""So many programs are kept, with what they have compiled: the next plan for the same takes neither
emission nor compilation.
"""
COMPILED = "__pycache__"
"""Where Python and numba look beside a text for what they have compiled."""


def folder() -> Path:
    """Return where texts are kept: `nodewright` in the user's folder of caches. Raises OSError
    where nobody knows that one.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (named if named.is_absolute() else Path.home() / ".cache") / "nodewright"
    except RuntimeError as error:
        raise OSError(str(error)) from error


def with_kernels(kernels: str) -> str:
    """Return the name of kernels; raise ValueError if its library is not installed, or if
    numba is needed and the environment tells it not to compile.

    >>> with_kernels("numpy")
    'numpy'
    """
    backend = BACKENDS.get(kernels, BACKENDS[NUMBA])
    if backend.is_planned and not find_spec(backend.library):
        raise ValueError(
            f"kernels={kernels!r} needs {backend.library}; to install it, run pip install"
            f" 'nodewright[{backend.library}]'"
        )
    if backend.library == NUMBA and numba_disabled():
        raise ValueError(
            f"kernels={kernels!r} needs numba's compiler, but NUMBA_DISABLE_JIT is set; unset it"
        )
    return kernels


def numba_disabled() -> bool:
    """Return whether the environment tells numba not to compile."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")


@lru_cache(KEPT)
def loaded(text: str, name: str) -> ModuleType:
    """Return a program as a module. Its file is named for its text, so that no other has its place;
    where nothing can be written that nobody else may change, it has none, and compiles anew in
    every process.
    """
    digest = sha256(text.encode()).hexdigest()[:16]
    module = ModuleType(f"nodewright_{name}_{digest}")
    try:
        module.__file__ = str(_kept(text, folder() / digest / f"{name}.py"))
        sys.modules[module.__name__] = module
    except OSError:
        module.__file__ = f"<{module.__name__}>"
    exec(compile(text, module.__file__, "exec"), vars(module))
    return module


def _kept(text: str, path: Path) -> Path:
    """Return the file that has this text, written by whoever comes first."""
    own = path.parent
    own.parent.parent.mkdir(parents=True, exist_ok=True)
    for each in (own.parent, own, own / COMPILED):
        _refuse_others(each)
    own.parent.chmod(0o700)
    if not path.is_file() or path.read_bytes() != text.encode():
        write_text(path, text)
    return path


def _refuse_others(path: Path) -> None:
    """Make a folder unless it is there; raise OSError where it is another user's, or another may
    write to it: what is loaded from there is executed.
    """
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.stat()
    if found.st_uid != os.getuid() or found.st_mode & (S_IWGRP | S_IWOTH):
        raise PermissionError(f"{path} is not the user's alone")
