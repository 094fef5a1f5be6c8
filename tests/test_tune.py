"""Tuning: what is tried, that the fastest is taken, and what is written beside the program."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

from codegen.emit import emit
from codegen.lower import build, exchanges
from codegen.options import Options
from nodewright import cli, tune
from nodewright.tune import Candidate, Task

TASK = Task(2**11, 2**6, "cyclic", "block", Options(direction="backward"))


def timer(seconds):
    """Return a timer that looks up a candidate's seconds by what is in its command; all others take a second."""
    asked = []

    def time(program, options, repeats):
        asked.append((program.phases, program.local, options.exchange, options.kernels))
        for words, value in seconds.items():
            if all(word in (program.phases, program.local, options.exchange) for word in words):
                if isinstance(value, Exception):
                    raise value
                return value
        return 1.0

    time.asked = asked
    return time


def test_what_comes_first_wins_where_nothing_is_faster():
    best, tried = tune.tune(TASK, timer=timer({}))
    assert best == Candidate()
    assert tried[0].candidate == best
    assert len({trial.candidate for trial in tried}) == len(tried)


def test_every_choice_starts_from_the_best_so_far():
    best, tried = tune.tune(
        TASK, timer=timer({("butterflies", "16,16,8", "pairwise"): 0.25, ("butterflies", "16,16,8"): 0.5, ("butterflies",): 0.75})
    )
    assert best == Candidate(local="butterflies", phases="16,16,8", exchange="pairwise")
    found = {trial.candidate for trial in tried}
    assert {candidate.exchange for candidate in found if candidate.phases == "16,16,8"} == set(exchanges("fft"))
    assert {candidate.local for candidate in found} == {"library", "butterflies", "cache-friendly"}


def test_contestants_take_turns_and_the_least_counts(monkeypatch):
    monkeypatch.setattr(tune, "kernels_of", lambda system: ("numpy",))
    seconds = iter([3.0, 9.0, 9.0, 2.0, 9.0, 9.0, *[9.0] * 99])
    one = Task(16, 1, "block", "block", Options())
    best, tried = tune.tune(one, timer=lambda *_: next(seconds))
    assert best == Candidate()
    assert tried[0].seconds == 2.0


def test_what_does_not_run_is_told_and_not_chosen():
    wrong = RuntimeError("rank 0:\n no such thing")
    best, tried = tune.tune(TASK, timer=timer({("butterflies",): wrong, ("pairwise",): 0.5}))
    assert best == Candidate(exchange="pairwise")
    assert [trial.refused for trial in tried if trial.candidate.local == "butterflies"] == ["rank 0: no such thing"] * 2
    overlapped = [trial for trial in tried if trial.candidate.exchange == "overlapped"]
    assert all(trial.seconds is not None or trial.refused for trial in overlapped)
    with pytest.raises(RuntimeError, match=r"no candidate runs: .*no such thing"):
        tune.tune(TASK, timer=timer({(): wrong}))


def test_the_form_for_two_ranks_is_tried_with_compiled_kernels_and_counted_as_it_is_emitted():
    _, tried = tune.tune(Task(2**8, 2, "block", "block", Options()), timer=timer({("never",): 1.0}))
    forms = {(trial.candidate.kernels, trial.form, trial.exchanges) for trial in tried if trial.candidate.local == "library" and not trial.refused}
    assert {("numba", "cooley-tukey", 2), ("numpy", "bsp-fft", 3), ("pyfftw", "bsp-fft", 3)} <= forms
    assert {trial.candidate.kernels for trial in tried if trial.candidate.local == "butterflies"} == {"numpy", "numba"}


def test_one_rank_exchanges_nothing():
    _, tried = tune.tune(Task(64, 1, "block", "block", Options()), timer=timer({}))
    assert {trial.candidate.exchange for trial in tried} == {"alltoall"}


def test_the_table_has_all_that_was_tried_and_the_command_of_the_winner():
    best, tried = tune.tune(TASK, timer=timer({("32,16,4",): 0.5}))
    table = tune.record(TASK, best, tried, "a machine")
    assert table["chosen"] == ("nodewright generate fft --size 2048 --ranks 64 --phases 32,16,4 --input cyclic --direction backward")
    assert [row["seconds"] for row in table["tried"] if row["seconds"]] == sorted(row["seconds"] for row in table["tried"] if row["seconds"])
    assert len(table["tried"]) == len(tried)
    json.dumps(table)


def test_the_winner_is_written_with_its_table(monkeypatch, capsys, tmp_path):
    file = tmp_path / "fft.py"
    monkeypatch.setattr(tune, "seconds_of", None)
    monkeypatch.setattr(tune.tune, "__defaults__", (tune.tune.__defaults__[0], timer({("butterflies",): 0.5})))
    monkeypatch.setattr(sys, "argv", ["nodewright", "generate", "fft", "--size", "256", "--ranks", "4", "--tune", "-o", str(file)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 0
    assert file.read_text(encoding="utf-8") == emit(build("fft", 256, 4, local="butterflies"))
    table = json.loads((tmp_path / "fft.tune.json").read_text(encoding="utf-8"))
    assert table["chosen"] == "nodewright generate fft --size 256 --ranks 4 --local butterflies"
    assert (table["N"], table["P"]) == (256, 4)


def test_tuning_times_real_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(tune, "ROUNDS", 1)
    monkeypatch.setattr(tune, "LOCALS", ("library", "butterflies"))
    monkeypatch.setattr(tune, "exchanges", lambda system: ("alltoall",))
    monkeypatch.setattr(tune, "kernels_of", lambda system: ("numpy",))
    task = replace(TASK, N=64, P=2)
    best, tried = tune.tune(task)
    assert best in [trial.candidate for trial in tried]
    assert all(trial.seconds and not trial.refused for trial in tried)


@pytest.mark.parametrize(
    "words",
    [
        ("generate", "permute", "--name", "gray-code", "--size", "64", "--ranks", "2", "--tune", "-o", "p.py"),
        ("generate", "fft", "--size", "64", "--ranks", "2", "--tune"),
        (
            "generate",
            "--formula",
            "F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)",
            "--set",
            "r=8,s=8",
            "--size",
            "64",
            "--ranks",
            "2",
            "--tune",
        ),
    ],
)
def test_what_cannot_be_tuned_is_refused(words, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["nodewright", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert "--tune is for fft, and writes FILE.tune.json beside -o FILE" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
