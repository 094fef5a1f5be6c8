"""LogGOPSim and SimGrid, which simulate all ranks of a schedule, each by itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench.scale.loggops import LogGOPS
from nodewright.traces import Schedule, goal, write_smpi

LOGGOPSIM = (
    "apt-get install g++ make re2c gengetopt libgraphviz-dev && git clone"
    " https://github.com/spcl/LogGOPSim && make -C LogGOPSim/src/LogGOPSim"
    " CXXFLAGS='-std=c++14 -O1 -w' brings it into that folder, which has to be on PATH"
)
SIMGRID = "apt-get install libsimgrid-dev brings it"
MOST_RANKS = {"LogGOPSim": 1024, "smpirun": 256}
"""So many ranks the simulators take here: the first looks for a message through lists, the second
shares links between all messages that are under way.
"""
PORTS = 16
"""The ranks below a switch of the fat tree."""
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Mf" bw="{rate:.6g}Bps"
    lat="{latency:.6g}s" sharing_policy="SPLITDUPLEX" topology="FAT_TREE"
    topo_parameters="2;{ports},{switches};1,{up};1,1"/>
</platform>
"""
PLAIN = ("network/model:CM02", "network/TCP-gamma:0", "smpi/async-small-thresh:65536")
"""No corrections for a network of another kind than the one that is stated."""


def found(command: str, brings: str, ranks: int) -> str:
    """Return where a simulator is; raise ValueError where it is not installed, or takes fewer
    ranks.
    """
    most = MOST_RANKS.get(command, ranks)
    if ranks > most:
        raise ValueError(f"P = {ranks} is above {most}, the most ranks that {command} is asked for")
    path = shutil.which(command)
    if path is None:
        raise ValueError(f"no {command} on PATH: {brings}")
    return path


def loggopsim(schedule: Schedule, rate: float, net: LogGOPS) -> float:
    """Return when the last rank is done by LogGOPSim, flops taking 1/rate seconds; it counts in
    picoseconds here.
    """
    run, convert = (
        found(command, LOGGOPSIM, len(schedule)) for command in ("LogGOPSim", "txt2bin")
    )
    options = [
        word
        for name in ("L", "o", "g", "G", "O")
        for word in (f"-{name}", f"{round(1e12 * getattr(net, name))}")
    ]
    with tempfile.TemporaryDirectory() as folder:
        text, binary = Path(folder) / "trace.goal", Path(folder) / "trace.bin"
        text.write_text(goal(schedule, rate / 1000), encoding="utf-8")
        _said(convert, "-i", text, "-o", binary)
        told = _said(run, "-b", "-f", binary, "-S", net.S, *options)
    return int(_number(r"Maximum finishing time at host \d+: (\d+)", told)) / 1e12


def simgrid(schedule: Schedule, rate: float, net: LogGOPS, up: int = PORTS) -> float:
    """Return when the last rank is done by SimGrid on a fat tree of two levels, whose switches of
    PORTS ranks have so many links up; messages that share a link slow each other down.

    Its ranks do 1 Mflop/s, so that times scale: SimGrid prints microseconds.
    """
    P = len(schedule)
    run, scale = found("smpirun", SIMGRID, P), rate / 1e6
    ports = min(P, PORTS)
    with tempfile.TemporaryDirectory() as folder:
        trace, platform, hosts = (Path(folder) / name for name in ("trace", "tree.xml", "hosts"))
        write_smpi(schedule, trace)
        text = PLATFORM.format(
            last=P - 1,
            rate=1 / (net.G * scale),
            latency=net.L * scale / 4,
            ports=ports,
            switches=max(1, P // ports),
            up=min(up, ports),
        )
        platform.write_text(text, encoding="utf-8")
        hosts.write_text("".join(f"n{rank}\n" for rank in range(P)), encoding="utf-8")
        where = ("-np", P, "-platform", platform, "-hostfile", hosts)
        overhead = [f"smpi/{way}:0:{net.o * scale:.6g}:0" for way in ("os", "ois", "or")]
        words = [f"--cfg={word}" for word in (*PLAIN, *overhead)]
        told = _said(run, *where, *words, "-replay", trace)
    return float(_number(r"Simulation time ([\d.]+)", told)) / scale


def _said(*command: object) -> str:
    """Return what a command prints; raise ValueError where it fails."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    told = done.stdout + done.stderr
    if done.returncode:
        last = told.strip().splitlines()[-1:] or ["nothing"]
        raise ValueError(f"{command[0]} ends with {done.returncode}: {last[0]}")
    return told


def _number(pattern: str, told: str) -> str:
    match = re.search(pattern, told)
    if match is None:
        raise ValueError(f"a simulator says no time: {told.strip()[-200:]}")
    return match[1]
