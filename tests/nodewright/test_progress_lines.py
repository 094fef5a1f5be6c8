"""Lines of progress where standard error is no terminal; the clock is one of the test's own."""

import re
import sys
from io import StringIO

import pytest
from rich.console import Console

import nodewright as nw
from codegen.requests import make_request
from nodewright import progress_lines
from nodewright.cli import app, console
from nodewright.progress_lines import EVERY, ProgressLines


class Clock:
    """A clock that goes on when somebody waits, up to the end of the work."""

    def __init__(self, end=float("inf")):
        self.now, self.end = 100.0, 100.0 + end

    def __call__(self):
        return self.now

    def wait(self, seconds):
        self.now = min(self.now + seconds, self.end)
        return self.now >= self.end


def test_a_line_is_printed_every_30_seconds():
    said, clock = [], Clock()
    lines = ProgressLines("certifying fft.py", said.append, clock)
    for seconds, doing in ((0, "layout"), (29, "messages"), (1, "function"), (20, "cost")):
        clock.now += seconds
        lines.tell(doing)
        lines.tick()
    assert said == ["certifying fft.py: function, after 30 s"]
    clock.now += 10
    lines.tick()
    assert said[1:] == ["certifying fft.py: cost, after 60 s"]


def test_lines_that_were_missed_are_not_made_up_for():
    said, clock = [], Clock()
    lines = ProgressLines("tuning", said.append, clock)
    clock.now += 100
    lines.tick()
    lines.tick()
    assert said == ["tuning, after 100 s"]
    clock.now += 19
    lines.tick()
    assert len(said) == 1
    clock.now += 1
    lines.tick()
    assert said[1:] == ["tuning, after 120 s"]


@pytest.mark.parametrize(("seconds", "count"), [(29, 0), (31, 1), (95, 3)])
def test_work_that_says_nothing_is_reported_as_long_as_it_goes_on(seconds, count):
    said, clock = [], Clock(seconds)
    ProgressLines("proving a theorem", said.append, clock).follow(clock.wait)
    assert EVERY == 30
    assert said == [f"proving a theorem, after {30 * i} s" for i in range(1, count + 1)]


def told_by(words, monkeypatch, terminal):
    """Return the lines on standard error of a command, of which each part of the work is one."""
    err = StringIO()
    monkeypatch.setattr(console, "err", Console(file=err, force_terminal=terminal, width=200))
    monkeypatch.setattr(progress_lines, "EVERY", float("inf"))
    monkeypatch.setattr(ProgressLines, "tell", told)
    monkeypatch.setattr(sys, "argv", ["nodewright", *words])
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert ended.value.code == 0
    return err.getvalue()


def told(lines, doing):
    lines.say(f"{lines.what}: {doing}")


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
    follow = ProgressLines.follow
    monkeypatch.setattr(
        ProgressLines, "follow", lambda lines, wait: (begun.append(lines), follow(lines, wait))
    )
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
