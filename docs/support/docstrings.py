"""Sections of docstrings (Args, Returns, Raises, References, Examples) as fields and headings.

`sphinx.ext.napoleon` as an extension would read the words before a colon in the docstring of a
property as its type.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring

FIELDS = Config(napoleon_use_ivar=True)
"""Attributes in a docstring are fields, because autodoc describes most of them a second time."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("autodoc-process-docstring", replace_sections)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def replace_sections(
    app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]
) -> None:
    """Replace the sections of a docstring, in place."""
    lines[:] = GoogleDocstring(lines, FIELDS).lines()
