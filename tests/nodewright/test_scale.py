"""Scaling: the model says what LogGOPSim said, and what is wrong is one line."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from bench.scale import __main__ as scale
from bench.scale import simulators
from bench.scale.contestants import in_turn, planned, schedule, specs
from bench.scale.loggops import LogGOPS, finish, loads, read_loggops
from codegen.cost.counted import supersteps
from codegen.program.resolve import resolve
from proofs.errata.bsp_tables import PREDICTED

NETS = {path.stem: read_loggops(path) for path in scale.MACHINES}
NETS["slow"] = LogGOPS(3e-6, 1e-6, 2e-6, 3e-9, 1e-9, 256)
LOGGOPSIM = {
    ("alps", "cyclic to cyclic"): 24098175,
    ("alps", "block to block"): 38502525,
    ("alps", "hypercube, Prog. 3"): 25446852,
    ("alps", "Hartley, hypercube"): 18837956,
    ("alps", "Hartley, all-to-all"): 15754495,
    ("deep-est", "cyclic to cyclic"): 96536425,
    ("deep-est", "block to block"): 255817275,
    ("slow", "cyclic to cyclic"): 64706000,
    ("slow", "block to block"): 160326000,
    ("slow", "hypercube, Prog. 3"): 59924000,
    ("slow", "Hartley, hypercube"): 50324000,
    ("slow", "Hartley, all-to-all"): 51752000,
}
"""Picoseconds by LogGOPSim 76451de, as `simulators.loggopsim` asks it: 2^12 points on 16 ranks of
1 Gflop/s.
"""


def model(net, name):
    """Return the picoseconds of a program by the model."""
    asked = specs(2**12, 16)[name]
    steps = supersteps(resolve(asked))
    return round(1e12 * finish(loads(steps, 1e9, np.dtype(asked.dtype).itemsize), net))


@pytest.mark.parametrize(("net", "name"), LOGGOPSIM)
def test_the_model_takes_as_long_as_loggopsim(net, name):
    assert model(NETS[net], name) == LOGGOPSIM[net, name]


@pytest.mark.parametrize("parameter", ["L", "o", "g", "G", "O"])
def test_each_parameter_counts(parameter):
    net = NETS["slow"]
    longer = replace(net, **{parameter: 4 * getattr(net, parameter)})
    assert model(longer, "block to block") > model(net, "block to block")


@pytest.mark.parametrize("p", [1, 2, 8, 64])
def test_table_3_of_inda_and_bisseling_is_met_within_a_tenth(p):
    assert scale.by_model(p) == pytest.approx(scale.printed(PREDICTED[p]), rel=0.1)


def test_rounds_have_the_messages_of_their_exchange_and_each_rank_one_at_a_time():
    for exchange in planned(specs(2**12, 16)["block to block"]):
        rounds = in_turn(exchange)
        rows = np.concatenate([each.messages for each in rounds])
        assert sorted(rows.tolist()) == sorted(exchange.messages.tolist())
        assert np.sum([each.flops for each in rounds], axis=0).tolist() == [*exchange.flops]
        for each in rounds:
            assert (np.bincount(each.messages[:, 0]) <= 1).all()
            assert (np.bincount(each.messages[:, 1]) <= 1).all()


def script(folder, name, text):
    """Write a command that stands for a simulator."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def test_a_simulator_is_asked_in_picoseconds_and_its_time_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    script(tmp_path, "txt2bin", f"cp $2 {tmp_path}/goal")
    script(
        tmp_path,
        "LogGOPSim",
        f"echo $* > {tmp_path}/asked; echo 'Maximum finishing time at host 3: 5000000 (1 s)'",
    )
    made = schedule(specs(64, 4)["cyclic to cyclic"])
    assert simulators.loggopsim(made, 1e9, NETS["slow"]) == 5e-6
    asked = (tmp_path / "asked").read_text()
    assert asked.endswith("-S 256 -L 3000000 -o 1000000 -g 2000000 -G 3000 -O 1000\n")
    flops = supersteps(resolve(specs(64, 4)["cyclic to cyclic"]))[0].flops[0]
    assert f"l1: calc {1000 * flops}\n" in (tmp_path / "goal").read_text()
    script(tmp_path, "LogGOPSim", "echo out of memory; exit 3")
    with pytest.raises(ValueError, match="ends with 3: out of memory"):
        simulators.loggopsim(made, 1e9, NETS["slow"])


WRONG = {
    "no_o.toml": "L = 1e-6\ng = 0\nG = 1e-9\nO = 0\nS = 4096\n",
    "negative.toml": "L = -1e-6\no = 0\ng = 0\nG = 1e-9\nO = 0\nS = 4096\n",
    "more.toml": "L = 0\no = 0\ng = 0\nG = 1e-9\nO = 0\nS = 1\nv = 1e9\n",
    "bsp.toml": "v = 1e9\ng = 1\nl = 1\n",
}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check",), "no LogGOPSim on PATH: apt-get install"),
        (("tree",), "no smpirun on PATH: apt-get install libsimgrid-dev"),
        (("check", "--ranks", "2048"), "P = 2048 is above 1024, the most ranks that LogGOPSim"),
        (("tree", "--ranks", "1024"), "P = 1024 is above 256, the most ranks that smpirun"),
        (("--ranks", "8192"), "--ranks 8192: from 4 to 4096"),
        (("--share", "1", "0"), "--share 0: a node has one rank at least"),
        (("--machine", "no_o.toml"), "no_o.toml: o = None: a cluster of the LogGOPS model states"),
        (("--machine", "negative.toml"), "negative.toml: L = -1e-06: a cluster"),
        (("--machine", "more.toml"), "more.toml: v = 1000000000.0: a cluster"),
        (("--machine", "bsp.toml"), "bsp.toml: L = None: a cluster"),
        (("--machine", "nowhere.toml"), "bench.scale: nowhere.toml: No such file or directory\n"),
    ],
)
def test_what_is_wrong_is_one_line(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    for name, text in WRONG.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(scale, "computing", lambda asked: 1.0)
    with pytest.raises(SystemExit, match="2"):
        scale.main([*words])
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert said in err
