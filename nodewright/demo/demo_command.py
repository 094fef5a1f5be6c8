"""The command that takes real data through the whole pipeline."""

from __future__ import annotations

from nodewright.cli import console
from nodewright.cli.command_options import Json, Mpiexec
from nodewright.cli.commands import command, commands
from nodewright.demo.main_job import demo as run_demo

app = commands()
LOOKS = {"step": ("", "bold"), "note": ("    ", "dim"), "result": ("  → ", "green")}
"""How lines of the account look: what stands before them, and their style."""


@command(app, "nodewright demo")
def demo(mpiexec: Mpiexec = None, as_json: Json = False) -> None:
    """Run the whole pipeline on real data; all files that it writes are in ./nodewright-demo/.

    A factorization is checked, its program written, certified and run on four ranks, and the
    spectrum of a record of CO2 is read from the result.
    """
    findings = run_demo((lambda kind, text: None) if as_json else _say)
    if as_json:
        console.emit_json(
            {
                "seconds": findings.seconds,
                "files": [str(file) for file in findings.files],
                "error": findings.accuracy.measured,
            }
        )
    else:
        console.say(
            "Everything is in nodewright-demo/: " + ", ".join(file.name for file in findings.files),
            "bold",
        )


def _say(kind: str, text: str) -> None:
    indent, style = LOOKS[kind]
    console.say(indent + text, style)
