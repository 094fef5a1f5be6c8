"""From a template and what it prints to a text: the one door to jinja2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

_ENVIRONMENT = Environment(
    loader=PackageLoader("codegen"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
)


def printed(template: str, view: Mapping[str, Any]) -> str:
    """Return the text of a template in codegen/templates; a name that it misses in the view raises."""
    return _ENVIRONMENT.get_template(template).render(view)
