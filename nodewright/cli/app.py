"""The command line: which commands there are, and how each of them ends.

A command's module is imported when that command is run, so that `nodewright --help` begins at once.
"""

from __future__ import annotations

import os
import shlex
import sys
from types import ModuleType
from typing import Annotated, Any, NamedTuple

from derive.call_arguments import command_line
from derive.lazy import lazily
from nodewright.cli.commands import (
    Context,
    Exit,
    Group,
    TyperException,
    commands,
    group_of,
    help_alone,
    offered,
    option,
    whole,
)

console, metadata = lazily("nodewright.cli.console"), lazily("importlib.metadata")
request = lazily("codegen.requests")


INTERRUPTED = 130
"""The exit status after Ctrl-C, as a shell has it."""


class Entry(NamedTuple):
    """A command: the module that has it, and what it does in a sentence."""

    module: ModuleType
    does: str


_permutation, _prove, _check, _show, _certify, _generate = (
    lazily(f"nodewright.cli.{name}")
    for name in ("permutation_commands", "prove", "check_commands", "show", "certify", "generate")
)
COMMANDS = {
    "demo": Entry(
        lazily("nodewright.demo.demo_command"),
        "Run the whole pipeline on real data in under a minute.",
    ),
    "check": Entry(
        _check, "Check a factorization, or an equation of your own, exactly at one size."
    ),
    "prove": Entry(_prove, "Prove equations for all sizes, each step checked by a small kernel."),
    "derive": Entry(
        _prove, "Show line by line why an equation holds, or prove a file of steps of your own."
    ),
    "errata": Entry(_check, "List printed formulas that do not hold, with counterexamples."),
    "generate": Entry(_generate, "Write the MPI program of a system for fixed N and P."),
    "tune": Entry(
        _generate, "Time the variants of a transform on this machine and report the fastest."
    ),
    "certify": Entry(
        _certify, "Decide from a program's source whether it computes what it declares."
    ),
    "run": Entry(_certify, "Start a program under mpiexec."),
    "trace": Entry(_certify, "Write the messages of a program for a network simulator."),
    "cost": Entry(
        lazily("nodewright.cli.cost"), "Count exchanges, messages, words and flops of a program."
    ),
    "search": Entry(
        lazily("nodewright.cli.cost"),
        "Find the cheapest factorizations of F(N) on P ranks, each with a derivation.",
    ),
    "layout": Entry(_show, "Show the indices of each rank, with a column per rank."),
    "formula": Entry(_show, "Print the equations of a factorization in mathematical notation."),
    "graph": Entry(
        _show, "Show the messages of a program, and the exchanges of the Hartley transform."
    ),
    "tables": Entry(
        _show, "Compute the tables of the Hartley paper and compare them with its two copies."
    ),
    "factor": Entry(_permutation, "Factor a BMMC permutation as A = V W."),
    "bmmc": Entry(
        _permutation, "Decide whether a permutation is BMMC; print its matrix or a counterexample."
    ),
    "bench": Entry(
        lazily("nodewright.cli.cost"),
        "Measure this machine; compare predicted with measured times.",
    ),
    "workbench": Entry(
        lazily("nodewright.workbench.workbench_command"),
        "Open a web page for derivations, permutations, programs and certificates.",
    ),
}


class Commands(Group):
    """The commands by their names; the module of one is imported when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order in which they are used."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        entry = COMMANDS.get(cmd_name)
        return entry and group_of(entry.module.app).commands[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in COMMANDS and args[0] in request.SYSTEMS and not ctx.resilient_parsing:
            rest = shlex.join(args[1:]) or "--size N --ranks P"
            raise ValueError(
                f"{args[0]} is a system, not a command; use: nodewright generate {args[0]} {rest}"
            )
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the commands that begin so, which takes none of their modules."""
        does = {name: entry.does for name, entry in COMMANDS.items()}
        return offered(does, incomplete) or super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write what each command does, which takes none of their modules."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.does) for name, entry in COMMANDS.items()])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write how to begin."""
        with formatter.section("Examples"):
            for example in ("demo", "check fft --size 16 --ranks 4", "check --help"):
                formatter.write(f"  nodewright {example}\n")


_root = commands("nodewright", cls=Commands, add_completion=True)


def _say_version(asked: bool) -> None:
    if asked:
        print(f"nodewright {metadata.version('nodewright')}")
        raise Exit()


@_root.callback(invoke_without_command=True)
def _begin(
    context: Context,
    show_version: Annotated[
        bool,
        option(
            "--version", is_eager=True, callback=_say_version, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Parallel transforms from their factorizations: checked exactly, proved for all sizes, written
    as MPI programs, certified.

    A factorization writes a transform, such as the Fourier matrix, as a product of sparse
    matrices. Each of them is a step of a fast parallel program.
    """
    help_alone(context)


app = whole(_root)


def main() -> None:
    """Run the command line; wrong input ends in one line on standard error and exit status 2.

    With --json, that line is an object {"error": ...} on standard output, too.
    """
    try:
        with command_line():
            status = app(standalone_mode=False)
    except TyperException as error:
        status = _end(_usage(error))
    except RecursionError:
        status = _end("what is given is nested too deeply, or too long, to be read")
    except ModuleNotFoundError as error:
        status = _end(
            f"{error.name} is not installed: pip install 'nodewright[all]' brings all that"
            " nodewright uses"
        )
    except NotImplementedError as error:
        status = _end(str(error))
    except RuntimeError as error:
        status = _end(str(error), 1)
    except BrokenPipeError:
        _discard_output()
        status = 1
    except OSError as error:
        named = error.filename and error.strerror
        status = _end(f"{error.filename}: {error.strerror}" if named else str(error))
    except (ValueError, MemoryError) as error:
        status = _end(str(error) or type(error).__name__)
    if status == INTERRUPTED:
        print("nodewright: interrupted", file=sys.stderr)  # rich may be what was being imported
    sys.exit(status if isinstance(status, int) else 0)


def _usage(error: TyperException) -> str:
    """Return what is wrong with the words of a command, and what shows the right ones."""
    message = getattr(error, "format_message", error.__str__)().rstrip(".")
    context = getattr(error, "ctx", None)
    names: list[str] = []
    while context is not None and context.parent is not None:
        names.insert(0, context.info_name)
        context = context.parent
    return f"{message}: see {' '.join(['nodewright', *names, '--help'])}"


def _end(message: str, status: int = 2) -> int:
    try:
        console.refuse(message, as_json="--json" in sys.argv)
    except BrokenPipeError:
        _discard_output()
    return status


def _discard_output() -> None:
    """Let standard output, which nobody reads any more, go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
