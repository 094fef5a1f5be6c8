"""Exchange `auto`: through shared memory on one node, with Alltoall between nodes; and exchange
`node-aware`, through shared memory within each node.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.systems.exchanges import AUTO, NODE_AWARE, SHARED
from nodewright.runtime.launch import mpiexec
from tests.support.programs import permute


def fft(N, P, before="block", after="block", exchange=AUTO, **options):
    return emit(resolve(make_request("fft", N, P, before, after, exchange, **options)))


@pytest.mark.parametrize(
    "asked",
    [
        make_request("fft", 1000, 2, "cyclic", "cyclic", AUTO),
        make_request("fft", 1024, 1, exchange=AUTO),
        make_request("fht", 1024, 4, exchange=AUTO),
        make_request("hypercube-fft", 1024, 4, exchange=AUTO),
        make_request("rfft", 1000, 2, exchange=AUTO),
    ],
)
def test_where_no_memory_can_be_shared_it_is_alltoall(asked):
    assert asked.exchange == "alltoall"
    assert "--exchange" not in command(asked)


@pytest.mark.parametrize("N", [64, 2**24])
def test_supersteps_and_window_are_those_of_shared(N):
    both = [fft(N, 4, "cyclic", "cyclic", exchange) for exchange in (AUTO, SHARED)]
    for begin, end in (("def transform(", "class Window"), ("    def map(", "\n\n\n")):
        one, other = (text[text.index(begin) :] for text in both)
        assert one[: one.index(end)] == other[: other.index(end)]


CASES = {
    "one message for all": (4, complex, lambda: fft(64, 4, "cyclic", "cyclic")),
    "messages within groups": (16, complex, lambda: fft(64, 16)),
    "all that both have": (2, complex, lambda: fft(64, 2, kernels="numba")),
    "rounds of records": (4, float, lambda: permute("gray-code", 64, 4, "cyclic", exchange=AUTO)),
    "aware of nodes": (4, complex, lambda: fft(64, 4, exchange=NODE_AWARE)),
    "aware of nodes, by kernels": (
        2,
        complex,
        lambda: fft(64, 2, "block", "cyclic", NODE_AWARE, kernels="numba"),
    ),
}
NODES = {
    "one": {},
    "two that take turns": {"MPIR_CVAR_NUM_CLIQUES": "2"},
    "two": {"MPIR_CVAR_NUM_CLIQUES": "2", "MPIR_CVAR_CLIQUES_BY_BLOCK": "1"},
    "three": {"MPIR_CVAR_NUM_CLIQUES": "3", "MPIR_CVAR_CLIQUES_BY_BLOCK": "1"},
    "each its own": {"MPIR_CVAR_NUM_CLIQUES": "16"},
}
"""On which nodes MPICH takes ranks for, of one machine."""


@pytest.mark.sampled(6)
@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_real_ranks_of_any_nodes_give_the_same_bits(tmp_path, name):
    P, dtype, make = CASES[name]
    (tmp_path / "p.py").write_text(make(), encoding="utf-8")
    x = np.random.default_rng(1).standard_normal(64).astype(dtype)
    np.save(tmp_path / "X.npy", x)
    one, *others = (started(tmp_path, P, nodes) for nodes in NODES.values())
    assert all(np.array_equal(one, other) for other in others)
    j = np.arange(64)
    assert np.allclose(one, np.fft.fft(x)) if dtype is complex else (one[j ^ j >> 1] == x).all()


def started(folder, P, nodes):
    """Return the result on ranks of these nodes."""
    words = [mpiexec(), "-n", str(P), sys.executable, "p.py", "X.npy", "Y.npy"]
    done = subprocess.run(
        words,
        env={**os.environ, **nodes},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return np.load(folder / "Y.npy")


SOME = {
    "ranks that are too many": lambda: fft(1024, 64, exchange=NODE_AWARE),
    "rounds": lambda: permute("gray-code", 64, 4, exchange=NODE_AWARE),
    "no exchange": lambda: permute("identity", 64, 4, exchange=NODE_AWARE),
}


@pytest.mark.parametrize("name", SOME)
def test_exchange_node_aware_needs_a_message_for_every_rank(name):
    has = "without an exchange" if name == "no exchange" else "for some ranks only"
    with pytest.raises(ValueError, match=f"every rank has a message for every rank.*{has}"):
        SOME[name]()


def test_on_one_rank_nothing_is_exchanged():
    assert fft(64, 1, exchange=NODE_AWARE) == fft(64, 1)
