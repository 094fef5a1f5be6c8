"""Commands, their options and their groups: the one door to typer."""

from __future__ import annotations

from typing import Any

import typer
from typer import Context, Exit, TyperException
from typer.core import TyperGroup as Group
from typer.main import get_group

__all__ = [
    "Context",
    "Exit",
    "Group",
    "TyperException",
    "argument",
    "commands",
    "group_of",
    "help_alone",
    "option",
]

option, argument = typer.Option, typer.Argument


def commands(name: str | None = None, **stated: Any) -> typer.Typer:
    """Return a place for commands of one subject."""
    return typer.Typer(
        name=name,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **stated,
    )


def help_alone(context: Context) -> None:
    """Print the help of a group and end with exit status 2 where none of its commands is named."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise Exit(2)


def group_of(place: typer.Typer) -> Group:
    """Return the commands of a place by their names."""
    return get_group(place)
