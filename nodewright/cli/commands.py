"""Commands, their options and their groups: the one door to typer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import typer
from typer import Context, Exit, TyperException
from typer.core import TyperCommand
from typer.core import TyperGroup as Group
from typer.main import get_command, get_group

__all__ = [
    "Context",
    "Exit",
    "Group",
    "TyperException",
    "argument",
    "command",
    "commands",
    "group_of",
    "help_alone",
    "of_choices",
    "of_files",
    "of_formula",
    "of_layouts",
    "of_permutation",
    "of_running",
    "of_sizes",
    "option",
    "whole",
]

Function = TypeVar("Function", bound=Callable[..., Any])
option, argument = typer.Option, typer.Argument
GROUPS = (
    "Sizes",
    "Layouts",
    "The permutation",
    "An equation of your own",
    "Which algorithm",
    "How the program runs",
    "Files",
)
of_sizes, of_layouts, of_permutation, of_formula, of_choices, of_running, of_files = (
    partial(typer.Option, rich_help_panel=title) for title in GROUPS
)
"""Options by the groups that the help of a command shows them in."""


class Command(TyperCommand):
    """A command whose help shows the options by group, and an example."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of a command line; an error knows of which command they are."""
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            vars(error)["ctx"] = getattr(error, "ctx", None) or ctx
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, those of a group together."""
        groups: dict[str, list[tuple[str, str]]] = {
            title: [] for title in ("Arguments", *GROUPS, "Options")
        }
        for parameter in self.get_params(ctx):
            usual = f"{parameter.param_type_name}s".capitalize()
            title = getattr(parameter, "rich_help_panel", None) or usual
            if record := parameter.get_help_record(ctx):
                groups[title].append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the example as it is typed, however long it is."""
        with formatter.section("Example"):
            formatter.write(f"  {self.epilog}\n")


def command(
    place: typer.Typer, example: str, name: str | None = None
) -> Callable[[Function], Function]:
    """Return a decorator that makes a function a command of this place, with an example."""
    return place.command(name, cls=Command, epilog=example)


def commands(name: str | None = None, **stated: Any) -> typer.Typer:
    """Return a place for commands of one subject."""
    return typer.Typer(
        name=name,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **{"add_completion": False} | stated,
    )


def help_alone(context: Context) -> None:
    """Print the help of a group and end with exit status 2 where none of its commands is named."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise Exit(2)


def group_of(place: typer.Typer) -> Group:
    """Return the commands of a place by their names."""
    return get_group(place)


def whole(place: typer.Typer) -> Group:
    """Return the commands of a place with the options that install completion in a shell."""
    found = get_command(place)
    assert isinstance(found, Group)
    return found
