"""Commands, their options and their groups: the one door to typer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from typer import Context, Exit, TyperException
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from derive.call_arguments import perhaps
from derive.lazy import lazily
from derive.verdict import Verdict, holds

if TYPE_CHECKING:
    from nodewright.cli import completion
else:
    completion = lazily("nodewright.cli.completion")

__all__ = [
    "Context",
    "Exit",
    "Function",
    "Group",
    "TyperException",
    "argument",
    "command",
    "commands",
    "group_of",
    "help_alone",
    "leave",
    "of_choices",
    "of_files",
    "of_formula",
    "of_layouts",
    "of_permutation",
    "of_running",
    "of_sizes",
    "offered",
    "only_a_formula",
    "option",
    "whole",
]

Function = TypeVar("Function", bound=Callable[..., Any])

GROUPS = (
    "Sizes",
    "Layouts",
    "The permutation",
    "An equation of your own",
    "Which algorithm",
    "How the program runs",
    "Files",
)


def _completed(name: str) -> Callable[[Context, str], list[str]]:
    """Return how a shell completes what follows an option or stands for an argument."""

    def complete(context: Context, incomplete: str) -> list[str]:
        """Return the words that are known, of which typer takes those that begin so."""
        typed = [context.params.get("system"), *context.args]  # the latter after an option alone
        return completion.words(name, context.info_name, typed, incomplete)

    return complete


def option(*names: str, **stated: Any) -> Any:
    """Return an option, whose known words a shell completes."""
    return typer.Option(*names, autocompletion=_completed(names[0]), **stated)


def argument(*, metavar: str, help: str) -> Any:
    """Return an argument, whose known words a shell completes."""
    return typer.Argument(metavar=metavar, help=help, autocompletion=_completed(metavar))


of_sizes, of_layouts, of_permutation, of_formula, of_choices, of_running, of_files = (
    partial(option, rich_help_panel=title) for title in GROUPS
)
"""Options by the groups that the help of a command shows them in."""


class Group(TyperGroup):
    """Commands by their names; an unknown name gets the nearest ones."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first word names."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and name[:1].isalnum() and not ctx.resilient_parsing:
            ctx.fail(f"No such command {name!r}{perhaps(name, known)}")
        return super().resolve_command(ctx, args)


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


def commands(
    name: str | None = None, cls: type[Group] = Group, add_completion: bool = False, **stated: Any
) -> typer.Typer:
    """Return a place for commands of one subject."""
    return typer.Typer(
        name=name,
        cls=cls,
        add_completion=add_completion,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **stated,
    )


def offered(does: dict[str, str], incomplete: str) -> list[Any]:
    """Return what a shell offers of commands that begin so, by what each of them does."""
    group = Group(commands={name: Command(name, help=does[name]) for name in does})
    return group.shell_complete(Context(group), incomplete)


def help_alone(context: Context) -> None:
    """Print the help of a group and end with exit status 2 where none of its commands is named."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise Exit(2)


def group_of(place: typer.Typer) -> TyperGroup:
    """Return the commands of a place by their names."""
    return get_group(place)


def whole(place: typer.Typer) -> Group:
    """Return the commands of a place with the options that install completion in a shell."""
    found = get_command(place)
    assert isinstance(found, Group)
    return found


def leave(*verdicts: Verdict) -> None:
    """End with exit status 1 if a verdict is a refutation or undecided."""
    if not all(holds(verdict) for verdict in verdicts):
        raise Exit(1)


def only_a_formula(others: dict[str, object]) -> None:
    """Raise ValueError where something is stated that an equation of one's own does not take."""
    given = [name for name, value in others.items() if value is not None]
    sizes = "; use --set for the values of its symbols" * bool({"--size", "--ranks"} & {*given})
    if given:
        raise ValueError(f"{', '.join(given)} cannot be combined with --formula{sizes}")
