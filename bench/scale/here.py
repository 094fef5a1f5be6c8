"""This machine: its LogGOPS parameters, and programs with and without their messages."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from bench.common import machine
from bench.scale.loggops import LogGOPS
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.systems.record import Request
from nodewright.machine import fitted
from nodewright.runtime.launch import run

PEERS = Path(__file__).parents[1] / "peers"
LEAST = 4096
"""Shorter messages than those of a few ranks go another way through the library."""


def parameters(times: dict[str, Any]) -> LogGOPS:
    """Return the parameters of what ping_pong.py measures: a message of s bytes, LEAST or more,
    takes L + 2 o + s G, and where both ranks send O is what a byte takes more.

    >>> one, both = {"1": 2, "5000": 53.0, "10000": 103.0}, {"1": 2, "5000": 78.0, "10000": 153.0}
    >>> net = parameters({"one_way": one, "both_ways": both, "send": 1.0, "gap": 0.5})
    >>> round(net.L, 2), net.o, net.g, round(net.G, 4), round(net.O, 4)
    (1.0, 1.0, 0.5, 0.01, 0.005)
    """
    o = times["send"]
    (G, least), (both, _) = (
        fitted([(int(s), seconds) for s, seconds in times[name].items() if int(s) >= LEAST])
        for name in ("one_way", "both_ways")
    )
    return LogGOPS(
        L=max(0.0, least - 2 * o),
        o=o,
        g=times["gap"],
        G=G,
        O=min(G, max(0.0, both - G)),
        S=65536,
        name=machine(),
    )


def measured() -> LogGOPS:
    """Return the parameters of two ranks of this machine."""
    done = run(PEERS / "ping_pong.py", [], 2, capture=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"ping-pong: {done.stderr.strip()}")
    return parameters(json.loads(done.stdout))


def as_toml(net: LogGOPS) -> str:
    """Return the parameters as a file that `--machine` takes."""
    lines = [f"name = {json.dumps(net.name)}"]
    lines += [f"{name} = {getattr(net, name):.4g}" for name in ("L", "o", "g", "G", "O", "S")]
    return "\n".join(lines) + "\n"


def with_and_without(request: Request, repeats: int) -> tuple[float, float]:
    """Return the seconds of a transform on its ranks, with its messages and without."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(emit(resolve(request)), encoding="utf-8")
        done = run(PEERS / "silence.py", [path, f"{repeats}"], request.P, capture=True, timeout=300)
    if done.returncode:
        raise RuntimeError(
            f"{request.system}, N = {request.N}, P = {request.P}: {done.stderr.strip()}"
        )
    real, silent = json.loads(done.stdout)
    return real, silent
