"""Programs as modules of this process: their texts are kept on disk, where what they compile is
found again by the next process.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from codegen.files import write_text

KEPT = 64
"""So many programs are kept, with what they have compiled: the next plan for the same takes neither
emission nor compilation.
"""


def folder() -> Path:
    """Return where texts are kept: `nodewright` in the user's folder of caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nodewright"


@lru_cache(KEPT)
def loaded(text: str, name: str) -> ModuleType:
    """Return a program as a module. Its file is named for its text, so that no other has its place;
    where nothing can be written, it has none, and compiles anew in every process.
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
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_text(path, text)
    return path
