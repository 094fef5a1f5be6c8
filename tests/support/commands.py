"""Commands done in this process, and what they end with."""

import json
import sys
from collections.abc import Callable

import pytest

from nodewright import progress_lines
from nodewright.cli import app
from tests.support.schemas import name_of, validator

Command = Callable[..., tuple[int, str, str]]


def done(monkeypatch, capsys, *words):
    """Return the exit status, standard output and standard error of a command; what it prints with
    --json must be as its schema says. It prints no lines of progress, however slow the machine is.
    """
    monkeypatch.setattr(progress_lines, "EVERY", 3600.0)
    monkeypatch.setattr(sys, "argv", ["nodewright", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        app.main()
    out, err = capsys.readouterr()
    if "--json" in words and out:
        found = json.loads(out)
        validator(name_of(words, found)).validate(found)
    return ended.value.code, out, err
