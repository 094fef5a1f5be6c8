"""Tuning: what is tried, that the fastest is taken, and what is written beside the program."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import replace

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.record import RECORDS
from nodewright import predicted, tune
from nodewright.tune import Task
from tests.support.schemas import validator

START = make_request("fft", 2**11, 2**6, "cyclic", direction="backward")
TASK = Task(START)


def timer(seconds):
    """Return a timer that looks up a candidate's seconds by what is in its command; all others take
    a second.
    """
    timed = []

    def time(asked, repeats):
        timed.append((asked.phases, asked.local, asked.exchange, asked.kernels))
        for words, value in seconds.items():
            if all(word in (asked.phases, asked.local, asked.exchange) for word in words):
                if isinstance(value, Exception):
                    raise value
                return value
        return 1.0

    time.timed = timed
    return time


@pytest.mark.long
def test_what_comes_first_wins_where_nothing_is_faster():
    best, tried = tune.tune(TASK, timer=timer({}))
    assert best == START
    assert tried[0].request == best
    assert len({tuple(trial.choice.values()) for trial in tried}) == len(tried)


def test_every_choice_starts_from_the_best_so_far():
    best, tried = tune.tune(
        TASK,
        timer=timer(
            {
                ("butterflies", "16,16,8", "pairwise"): 0.25,
                ("butterflies", "16,16,8"): 0.5,
                ("butterflies",): 0.75,
            }
        ),
    )
    fastest = replace(START, local="butterflies", phases="16,16,8", exchange="pairwise")
    assert best == resolve(fastest).request
    found = [trial.choice for trial in tried]
    assert {one["exchange"] for one in found if one["phases"] == "16,16,8"} == set(
        RECORDS["fft"].exchanges
    )
    assert {one["local"] for one in found} == {"library", "butterflies", "cache-friendly"}


def test_kernels_and_phases_are_chosen_for_sizes_that_are_no_powers_of_two():
    start = make_request("fft", 1000, 2, "cyclic", "cyclic")
    best, tried = tune.tune(Task(start), timer=timer({("2,500",): 0.5}))
    assert best == resolve(replace(start, phases="2,500")).request
    assert tried[0].request == start
    found = {(trial.choice["kernels"], trial.choice["phases"]) for trial in tried}
    assert found == {
        *((each, "") for each in RECORDS["fft"].kernels),
        ("numpy", "500,2"),
        ("numpy", "2,500"),
    }


def test_what_is_stated_of_any_size_is_kept():
    start = make_request("fft", 1000, 2, "cyclic", "cyclic", phases="2,500", kernels="pyfftw")
    stated = frozenset({"phases", "kernels", "exchange"})
    best, tried = tune.tune(Task(start, stated), timer=timer({}))
    assert best == start and len(tried) == 1


@pytest.mark.parametrize(
    ("start", "others"),
    [
        (
            make_request("fft", 72, 2, shape=(4, 6), batch=3),
            {"pyfftw", "4x6", "nonblocking", "shared"},
        ),
        (make_request("rfft", 36, 3), {"numba", "pairwise"}),
        (make_request("fht", 48, 2, shape=(12,), batch=4), {"numba", "nonblocking"}),
        (make_request("fht", 64, 4), {"numba", "overlapped", "replace"}),
        (make_request("hypercube-fft", 64, 4, scheme="2"), {"numba", "pairwise"}),
    ],
    ids=["axes", "rfft", "batch of fht", "fht", "hypercube-fft"],
)
def test_kernels_and_exchanges_of_every_transform_are_tried(start, others):
    best, tried = tune.tune(Task(start), timer=timer({("pairwise",): 0.5}))
    assert best == resolve(replace(start, exchange="pairwise")).request
    found = {value for trial in tried if trial.request for value in trial.choice.values()}
    assert others <= found


@pytest.mark.long
@pytest.mark.parametrize(
    "start",
    [
        make_request("fft", 72, 2, shape=(4, 6), batch=3),
        make_request("rfft", 64, 2),
        make_request("fht", 48, 2, shape=(12,), batch=4),
        make_request("fht", 64, 2),
        make_request("hypercube-fft", 64, 2),
    ],
    ids=lambda asked: f"{asked.system} {asked.shape}",
)
def test_programs_of_every_transform_are_timed_and_as_accurate_as_is_asked(start):
    assert predicted.seconds_of(start, 2) > 0


def test_contestants_take_turns_and_the_least_counts(monkeypatch):
    monkeypatch.setitem(RECORDS, "fft", replace(RECORDS["fft"], kernels=("numpy",)))
    seconds = iter([3.0, 9.0, 9.0, 2.0, 9.0, 9.0, *[9.0] * 99])
    one = make_request("fft", 16, 1)
    best, tried = tune.tune(Task(one), timer=lambda *_: next(seconds))
    assert best == one
    assert tried[0].seconds == 2.0


@pytest.mark.long
def test_what_does_not_run_is_told_and_not_chosen():
    wrong = RuntimeError("rank 0:\n no such thing")
    best, tried = tune.tune(TASK, timer=timer({("butterflies",): wrong, ("pairwise",): 0.5}))
    assert best == replace(START, exchange="pairwise")
    assert [trial.refused for trial in tried if trial.choice["local"] == "butterflies"] == [
        "rank 0: no such thing"
    ] * 2
    overlapped = [trial for trial in tried if trial.choice["exchange"] == "overlapped"]
    assert all(trial.seconds is not None or trial.refused for trial in overlapped)
    with pytest.raises(RuntimeError, match=r"no candidate runs: .*no such thing"):
        tune.tune(TASK, timer=timer({(): wrong}))


def test_the_form_for_two_ranks_is_tried_with_compiled_kernels_and_counted_as_it_is_emitted():
    _, tried = tune.tune(Task(make_request("fft", 2**8, 2)), timer=timer({("never",): 1.0}))
    forms = {
        (trial.choice["kernels"], trial.form, trial.exchanges)
        for trial in tried
        if trial.choice["local"] == "library" and not trial.refused
    }
    assert {
        ("numba", "cooley-tukey", 2),
        ("numpy", "bsp-fft", 3),
        ("pyfftw", "bsp-fft", 3),
    } <= forms
    assert {
        trial.choice["kernels"] for trial in tried if trial.choice["local"] == "butterflies"
    } == {"numpy", "numba"}


def test_one_rank_exchanges_nothing():
    _, tried = tune.tune(Task(make_request("fft", 64, 1)), timer=timer({}))
    assert {trial.choice["exchange"] for trial in tried} == {"alltoall"}


def test_the_table_has_all_that_was_tried_and_the_command_of_the_winner():
    best, tried = tune.tune(TASK, timer=timer({("32,16,4",): 0.5}))
    table = tune.record(TASK, best, tried, "a machine")
    assert (
        table["chosen"]
        == "nodewright generate fft --size 2048 --ranks 64 --phases 32,16,4 --input cyclic"
        " --direction backward"
    )
    assert [row["seconds"] for row in table["tried"] if row["seconds"]] == sorted(
        row["seconds"] for row in table["tried"] if row["seconds"]
    )
    assert len(table["tried"]) == len(tried)
    json.dumps(table)


def test_the_winner_is_written_with_its_table(nodewright, monkeypatch, tmp_path):
    file = tmp_path / "fft.py"
    monkeypatch.setattr(tune, "seconds_of", None)
    monkeypatch.setattr(
        tune.tune, "__defaults__", (tune.tune.__defaults__[0], timer({("butterflies",): 0.5}))
    )
    assert (
        nodewright("generate", "fft", "--size", "256", "--ranks", "4", "--tune", "-o", str(file))[0]
        == 0
    )
    assert file.read_text(encoding="utf-8") == emit(
        resolve(make_request("fft", 256, 4, local="butterflies"))
    )
    table = json.loads((tmp_path / "fft.py.tune.json").read_text(encoding="utf-8"))
    assert table["chosen"] == "nodewright generate fft --size 256 --ranks 4 --local butterflies"
    assert (table["N"], table["P"]) == (256, 4)


@pytest.mark.long
def test_tuning_times_real_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(tune, "ROUNDS", 1)
    monkeypatch.setattr(tune, "LOCALS", ("library", "butterflies"))
    monkeypatch.setitem(
        RECORDS, "fft", replace(RECORDS["fft"], kernels=("numpy",), exchanges=("alltoall",))
    )
    task = Task(resolve(replace(START, N=64, P=2)).request)
    best, tried = tune.tune(task)
    assert best in [trial.request for trial in tried]
    assert all(trial.seconds and not trial.refused for trial in tried)


SIZES = ("--size", "64", "--ranks", "2")
OWN = (
    *("generate", "--formula", "F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)"),
    *("--set", "r=8,s=8", *SIZES, "--tune", "-o", "p.py"),
)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("generate", "permute", "--name", "gray-code", *SIZES, "--tune", "-o", "p.py"),
            "permute is not tuned: fft, hypercube-fft, fht, rfft, wht, ntt, dct, dst are",
        ),
        (
            ("tune", "permute", *SIZES),
            "permute is not tuned: fft, hypercube-fft, fht, rfft, wht, ntt, dct, dst are",
        ),
        (OWN, "a formula of your own is not tuned"),
        (("generate", "fft", *SIZES, "--tune"), "--tune needs -o FILE"),
        (("tune", "fht", "--size", "63", "--ranks", "2", "-o", "p.py"), "63"),
        (("tune", "fft", *SIZES, "--scheme", "3", "-o", "p.py"), "only hypercube-fft has it"),
        (("tune", "fft", *SIZES, "-o", "none/p.py"), "none/p.py: No such file"),
        (("tune", "rfft", "--size", "2^40", "--ranks", "2^20"), "P = 1048576 ranks are not timed"),
    ],
)
def test_what_cannot_be_tuned_is_refused(run, words, complaint, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    status, _, err = run(*words, seconds={(): AssertionError("timed")})
    assert status == 2
    assert complaint in err and len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_table_is_printed_and_the_fastest_written_where_a_file_is_named(run, tmp_path):
    words, seconds = ("tune", "rfft", *SIZES), {("pairwise",): 0.25}
    status, out, err = run(*words, seconds=seconds)
    chosen = "nodewright generate rfft --size 64 --ranks 2 --exchange pairwise"
    assert (status, err, [*tmp_path.iterdir()]) == (0, "", [])
    assert out.splitlines()[0] == "rfft, N = 64, P = 2, block to block"
    assert re.search(r"250 +│ numpy +│ pairwise +│ +\d+ │", out)
    assert out.splitlines()[-1].startswith(f"{chosen}: 250 ms, 4.00 times as fast")
    file = tmp_path / "p.py"
    status, out, _ = run(*words, "-o", file, "--json", seconds=seconds)
    table = json.loads(out)
    validator("tune").validate(table)
    assert status == 0 and table["chosen"] == chosen
    assert json.loads((tmp_path / "p.py.tune.json").read_text(encoding="utf-8")) == table
    assert file.read_text(encoding="utf-8") == emit(
        resolve(make_request("rfft", 64, 2, exchange="pairwise"))
    )


def test_what_did_not_run_is_said_with_the_reason(run):
    status, out, _ = run(
        "tune", "rfft", *SIZES, seconds={("pairwise",): RuntimeError("rank 0: no such thing")}
    )
    assert status == 0 and "not run: numpy, pairwise: rank 0: no such thing\n" in out


@pytest.fixture
def run(nodewright, monkeypatch):
    """Do a command whose programs are not run, and take so many seconds."""

    def call(*words, seconds):
        monkeypatch.setattr(tune.tune, "__defaults__", (tune.tune.__defaults__[0], timer(seconds)))
        return nodewright(*words)

    return call


FFT = ("generate", "fft", "--size", "256", "--ranks", "4", "--tune", "-o")


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (("--kernels", "numpy"), "kernels", "numpy"),
        (("--exchange", "alltoall"), "exchange", "alltoall"),
        (("--local", "library"), "local", "library"),
        (("--local", "cache-friendly"), "local", "cache-friendly:2"),
        (("--phases", "leftmost"), "phases", "64,4"),
        (("--phases", "4,64"), "phases", "4,64"),
    ],
)
def test_what_is_stated_is_kept_and_the_rest_is_tuned(run, tmp_path, words, field, value):
    faster = {("butterflies",): 0.5, ("16,16",): 0.4, ("16,16", "shared"): 0.3, ("shared",): 0.2}
    assert run(*FFT, tmp_path / "fft.py", *words, seconds=faster)[0] == 0
    table = json.loads((tmp_path / "fft.py.tune.json").read_text(encoding="utf-8"))
    assert {trial[field] for trial in table["tried"]} == {value}
    assert table["stated"] == [field]
    others = {"kernels", "exchange", "local", "phases"} - {field}
    assert all(len({trial[name] for trial in table["tried"]}) > 1 for name in others)


def test_nothing_is_left_to_choose_where_all_is_stated(run, tmp_path):
    words = (
        "--kernels",
        "numba",
        "--local",
        "butterflies",
        "--phases",
        "balanced",
        "--exchange",
        "shared",
    )
    assert run(*FFT, tmp_path / "fft.py", *words, seconds={})[0] == 0
    assert (
        len(json.loads((tmp_path / "fft.py.tune.json").read_text(encoding="utf-8"))["tried"]) == 1
    )
    wanted = emit(
        resolve(
            make_request(
                "fft",
                256,
                4,
                local="butterflies",
                phases="balanced",
                kernels="numba",
                exchange="shared",
            )
        )
    )
    assert (tmp_path / "fft.py").read_text(encoding="utf-8") == wanted


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("--kernels", "pyfftw", "--local", "butterflies"),
            "local butterflies needs the kernels numpy or numba; got pyfftw",
        ),
        (("--kernels", ""), "unknown kernel ''"),
    ],
)
def test_what_is_stated_and_does_not_go_together_is_refused(run, tmp_path, words, complaint):
    failing = {(): AssertionError("timed")}
    status, _, err = run(*FFT, tmp_path / "fft.py", *words, seconds=failing)
    assert status == 2
    assert complaint in err
    assert list(tmp_path.iterdir()) == []


def test_the_winner_and_its_gain_are_said(run, tmp_path):
    command = "nodewright generate fft --size 256 --ranks 4"
    status, out, _ = run(*FFT, tmp_path / "fft.py", seconds={("butterflies",): 0.25})
    assert status == 0
    first, second = out.splitlines()
    assert (
        first
        == f"{command} --local butterflies: 250 ms, 4.00 times as fast as the default with 1e+03 ms"
    )
    assert second.startswith(f"{tmp_path / 'fft.py'}: ")
    status, out, _ = run(*FFT, tmp_path / "fft.py", "--json", seconds={("butterflies",): 0.25})
    assert status == 0
    found = json.loads(out)
    assert (found["chosen"], found["seconds"]) == (f"{command} --local butterflies", 0.25)
    assert (found["default"], found["default_seconds"]) == (command, 1.0)
    status, out, _ = run(*FFT, tmp_path / "fft.py", seconds={})
    assert status == 0
    assert out.startswith(
        f"{command}: 1e+03 ms, the default, and nothing that was tried is faster\n"
    )


@pytest.mark.parametrize("name", ["none/fft.py", "folder", "program.py", "pipe"])
def test_nothing_is_timed_where_nothing_can_be_written(run, tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "program.py.tune.json").mkdir()
    os.mkfifo(tmp_path / "pipe")
    status, _, err = run(*FFT, tmp_path / name, seconds={(): AssertionError("timed")})
    assert status == 2
    assert str(tmp_path / name) in err
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "folder",
        "pipe",
        "program.py.tune.json",
    ]


def shows(error, wrong=""):
    """Return a start of programs that prints this error, of those with some words in their text,
    else a small one.
    """

    def run(path, *args, **named):
        found = error if wrong in path.read_text(encoding="utf-8") else 1e-17
        return subprocess.CompletedProcess(
            args,
            0,
            json.dumps({"seconds_min": 0.25 if found == error else 0.5, "error": found}),
            "",
        )

    return run


@pytest.mark.parametrize("error", [7e-16, 1.0, float("nan"), None])
def test_what_computes_something_else_is_not_chosen_however_fast_it_is(monkeypatch, error):
    monkeypatch.setattr(predicted, "run", shows(error, 'LOCAL = "butterflies"'))
    best, tried = tune.tune(Task(make_request("fft", 64, 1)))
    assert best == make_request("fft", 64, 1)
    wrong = [trial for trial in tried if trial.choice["local"] == "butterflies"]
    assert wrong and all(trial.seconds is None for trial in wrong)
    shown = "unknown" if error is None else f"{error:.1e}"
    assert {trial.refused for trial in wrong} == {
        f"fft, N = 64, P = 1: its error is {shown}, where 2.5 u sqrt(lg N), u = 2^-53 = 6.8e-16 is"
        " allowed"
    }


def test_an_error_within_the_tolerance_is_none(monkeypatch):
    monkeypatch.setattr(predicted, "run", shows(6e-16))
    assert predicted.seconds_of(make_request("fft", 64, 2), 3) == 0.25
    monkeypatch.setattr(predicted, "run", shows(3e-7))
    assert predicted.seconds_of(make_request("fft", 64, 2, dtype="complex64"), 3) == 0.25


def test_above_2_24_elements_the_error_may_be_unknown(monkeypatch):
    monkeypatch.setattr(predicted, "run", shows(None))
    assert predicted.seconds_of(make_request("fft", 2**25, 2), 3) == 0.25
    with pytest.raises(RuntimeError, match="N = 16777216, P = 2: its error is unknown"):
        predicted.seconds_of(make_request("fft", 2**24, 2), 3)
