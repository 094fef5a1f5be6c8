"""The directive `commands`: every command with its options, as the command line states them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from nodewright.cli import app
from nodewright.cli.commands import Context


class Commands(SphinxDirective):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        """Return the sections, made anew in every build."""
        self.env.note_reread()
        context = Context(app.app)
        lines = (
            line
            for name in app.COMMANDS
            for line in section(f"nodewright {name}", app.app.get_command(context, name))
        )
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def section(name: str, command: Any) -> Iterator[str]:
    """Yield the lines of a command's section; of a group those of its commands."""
    for word, each in getattr(command, "commands", {}).items():
        yield from section(f"{name} {word}", each)
    if not hasattr(command, "commands"):
        yield f"## {name}\n\n{markdown(command.help)}\n\n```{{program}} {name}\n```\n"
        if command.epilog:
            yield f"```console\n$ {command.epilog}\n```\n"
        for title, parameters in by_group(command.params).items():
            yield f"**{title}**\n"
            yield from map(described, parameters)


def by_group(parameters: list[Any]) -> dict[str, list[Any]]:
    """Return the parameters under the titles that the help of the command has."""
    groups: dict[str, list[Any]] = {}
    for parameter in parameters:
        usual = f"{parameter.param_type_name}s".capitalize()
        title = getattr(parameter, "rich_help_panel", None) or usual
        groups.setdefault(title, []).append(parameter)
    return groups


def described(parameter: Any) -> str:
    """Return an option with what it means and its default."""
    takes_none = getattr(parameter, "is_flag", False)
    value = "" if takes_none else f" {parameter.metavar or parameter.type.name.upper()}"
    if parameter.param_type_name == "argument":
        written = value.strip()
    else:
        written = ", ".join(f"{word}{value}" for word in parameter.opts)
    meaning = markdown(parameter.help)
    if parameter.default and not takes_none:
        meaning += f" Default: `{parameter.default}`."
    return f"```{{option}} {written}\n{meaning}\n```\n"


def markdown(text: str) -> str:
    r"""Return plain text with `code` as Markdown.

    >>> print(markdown("a_b, `c_d`"))
    a\_b, `c_d`
    """
    return re.sub(
        r"(`[^`]*`)|([\\*_{}\[\]<>|#$~])", lambda found: found[1] or "\\" + found[2], text
    )


def setup(app: Any) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
