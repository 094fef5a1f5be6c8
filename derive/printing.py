"""From a template and what it prints to a text: the one door to jinja2."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from derive.lazy import lazily

if TYPE_CHECKING:
    import jinja2
else:
    jinja2 = lazily("jinja2")


@cache
def _templates(room: str) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader(room),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def printed(room: str, template: str, view: Mapping[str, Any]) -> str:
    """Return the text of a package's template; raises for a name that the view misses."""
    return _templates(room).get_template(template).render(view)
