"""Commands done in this process, and what they end with."""

import sys
from collections.abc import Callable

import pytest

from nodewright.cli import app

Command = Callable[..., tuple[int, str, str]]


def done(monkeypatch, capsys, *words):
    """Return the exit status, standard output and standard error of a command."""
    monkeypatch.setattr(sys, "argv", ["nodewright", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        app.main()
    return ended.value.code, *capsys.readouterr()
