"""Blocks of the documentation."""

from __future__ import annotations

import re
from pathlib import Path


def blocks(document: Path, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$",
        document.read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
