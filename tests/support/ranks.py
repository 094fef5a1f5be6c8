"""Scripts and programs on real ranks."""

from __future__ import annotations

import os
import subprocess
import sys

from nodewright.runtime import launch


def drive(folder, script, P, *words):
    """Run a script that uses programs as modules on P ranks."""
    (folder / "driver.py").write_text(script, encoding="utf-8")
    return started([launch.mpiexec(), "-n", str(P), sys.executable, *words, "driver.py"], folder)


def started(command, folder):
    """Run a command in a folder."""
    environment = {**launch.OPEN_MPI, **os.environ}
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment,
        check=False,
    )


PATIENCE = 300
"""Seconds for a run that takes about one: no more than what ends a hanging one."""


def run(program, *args, ranks=None):
    return launch.run(program, list(map(str, args)), ranks, timeout=PATIENCE, capture=True)
