"""Lines of progress where standard error is no terminal."""

import re
import sys
from contextlib import contextmanager
from io import StringIO
from threading import Event
from time import sleep

import pytest
from rich.console import Console

import nodewright as nw
from codegen.requests import make_request
from nodewright import progress_lines
from nodewright.cli import app, console
from nodewright.progress_lines import EVERY, followed


def test_a_line_says_again_and_again_what_is_being_done(monkeypatch):
    assert EVERY == 30
    monkeypatch.setattr(progress_lines, "EVERY", 0.01)
    said, enough = [], Event()

    def say(line):
        said.append(line)
        if len(said) in (2, 4):
            enough.set()

    with followed("certifying fft.py", say) as tell:
        assert enough.wait(20)
        enough.clear()
        tell("function")
        assert enough.wait(20)
    assert said[0] == "certifying fft.py, after 0 s"
    assert said[-1] == "certifying fft.py: function, after 0 s"
    count = len(said)
    sleep(0.05)
    assert len(said) == count


def test_work_that_ends_soon_says_nothing():
    said = []
    with followed("certifying fft.py", said.append) as tell:
        tell("function")
    assert said == []


def told_by(words, monkeypatch, terminal):
    """Return the lines on standard error of a command, of which each part of the work is one."""
    err = StringIO()
    monkeypatch.setattr(console, "err", Console(file=err, force_terminal=terminal, width=200))
    monkeypatch.setattr(console, "followed", told)
    monkeypatch.setattr(sys, "argv", ["nodewright", *words])
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert ended.value.code == 0
    return err.getvalue()


@contextmanager
def told(what, say):
    """Say each part of the work at once."""
    yield lambda doing: say(f"{what}: {doing}")


CHECK = ("check", "fft", "--size", "16", "--ranks", "2")
PROVE = ("prove", "cooley-tukey", "bsp-1.6")


def test_certify_check_and_prove_tell_what_they_do(tmp_path, monkeypatch, capsys):
    program = tmp_path / "fft.py"
    program.write_text(nw.fft(16, 2).text, encoding="utf-8")
    shown = told_by(("certify", str(program), "--ran", "0"), monkeypatch, terminal=False)
    assert "nodewright: certifying fft.py: layout\n" in shown
    assert "nodewright: certifying fft.py: rounding\n" in shown
    shown = told_by(CHECK, monkeypatch, terminal=False)
    assert re.search(r"^nodewright: checking fft at N = 16, P = 2: \d+% done$", shown, re.MULTILINE)
    assert told_by(PROVE, monkeypatch, terminal=False) == (
        "nodewright: proving 2 theorems: cooley-tukey, 1 of 2\n"
        "nodewright: proving 2 theorems: bsp-1.6, 2 of 2\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        CHECK,
        PROVE,
        ("check", "--formula", "I(4) = I(4)"),
        ("prove", "--formula", "L(r*s,r) * L(r*s,s) = I(r*s)"),
    ],
    ids=" ".join,
)
def test_lines_are_followed_without_a_terminal_alone(words, monkeypatch, capsys):
    begun = []

    @contextmanager
    def followed(what, say):
        begun.append(what)
        yield lambda doing: None

    monkeypatch.setattr(sys.modules[__name__], "told", followed)
    told_by(words, monkeypatch, terminal=True)
    assert not begun
    told_by(words, monkeypatch, terminal=False)
    assert len(begun) == (2 if words == PROVE else 1)  # files are written first


def test_tuning_is_followed(monkeypatch, capsys):
    best = make_request("fft", 16, 2)
    monkeypatch.setattr("nodewright.tune.tune", lambda task, tell: (tell(0.25), (best, []))[1])
    monkeypatch.setattr("nodewright.cli.generate._show_tried", lambda table: None)
    monkeypatch.setattr("nodewright.tune.record", lambda *parts: {})
    shown = told_by(("tune", "fft", "--size", "16", "--ranks", "2"), monkeypatch, terminal=False)
    assert shown == "nodewright: timing programs: 25% done\n"
