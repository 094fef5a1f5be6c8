"""Programs with `--exchange node-aware`: certified on nodes of any size, refused where they are
damaged.
"""

from __future__ import annotations

import pytest

from codegen.emit.text import emit
from codegen.spec import NODE_AWARE, Spec
from derive.verdict import holds
from proofs.certify.certificate import NODES
from tests.support.judged import refuted, verdicts
from tests.support.programs import permute


def fft(N, P, before="block", after="block", **options):
    return emit(Spec("fft", N, P, before, after, NODE_AWARE, **options))


def one():
    return fft(16, 4, "cyclic", "cyclic")


CERTIFIED = {
    "one exchange": one,
    "records": lambda: permute("bit-reversal", 64, 4, exchange=NODE_AWARE, dtype="i4,f8"),
}
SLOW = {
    "three exchanges": lambda: fft(64, 4),
    "eight ranks": lambda: fft(64, 8, "cyclic", "cyclic", dtype="complex64"),
    "by compiled kernels": lambda: fft(64, 2, kernels="numba"),
    "butterflies": lambda: fft(64, 4, "cyclic", local="butterflies"),
}
EVIDENCE = {
    "one exchange": (
        "nodes of 1 rank; 1 exchange, 3 messages, 3 words",
        "nodes of 2 ranks; 2 exchanges, 2 messages, 4 words",
        "the last rank on a node of its own; 1 exchange, 3 messages, 3 words",
        "two nodes that take turns; 1 exchange, 3 messages, 3 words",
    ),
    "records": ("nodes of 2 ranks; 2 exchanges, 2 messages, 16 words",),
    "three exchanges": ("nodes of 2 ranks; 6 exchanges, 6 messages, 48 words",),
    "eight ranks": ("nodes of 4 ranks; 2 exchanges, 4 messages, 10 words",),
    "by compiled kernels": ("nodes of 1 rank; 3 exchanges, 3 messages, 48 words",),
    "butterflies": ("nodes of 2 ranks; 4 exchanges, 4 messages, 32 words",),
}


def certified(name):
    found = verdicts((CERTIFIED | SLOW)[name]())
    assert all(map(holds, found.values())), found
    assert "by load, as EXCHANGE says" in found["cost"].evidence
    for words in EVIDENCE[name]:
        assert words in found[NODES].evidence


@pytest.mark.long
@pytest.mark.parametrize("name", CERTIFIED)
def test_programs_are_certified_on_all_nodes(name):
    certified(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_more_programs_are_certified_on_all_nodes(name):
    certified(name)


EQUAL = "if comm.allgather((size, comm.rank - node.rank)) == equal:"
ACROSS = "        self.across.Alltoall(self.sent, self.segments[self.node.rank])\n"
WAIT = "        self.wait()\n"
READ = "        self.wait()  # until all have read what they received before\n"
SYNC = "        self.memory.Sync()\n"
SPLIT = "comm.Split(self.node.rank, comm.rank)"
PLACE = "received[rank % size][rank - rank % size + self.node.rank]"
ON_ONE = {
    "who receives does not wait for readers": (READ + ACROSS, ACROSS, "messages"),
    "who reads does not wait": (ACROSS + WAIT, ACROSS, "function"),
    "no memory is synchronised": (SYNC + "        self.node", "        self.node", "messages"),
    "messages are not sent": (ACROSS, "", "function"),
    "all read what the first has": (PLACE, PLACE.replace("rank % size", "0", 1), "function"),
    "messages of others": (PLACE, PLACE.replace("self.node.rank", "rank"), "function"),
    "ranks of one node are sent to": (SPLIT, "comm.Split(comm.rank // 2, comm.rank)", "function"),
    "the node is left open": ("        self.node.Free()\n", "", "messages"),
    "the window is left open": ("            self.memory.Free()\n", "", "messages"),
}
BETWEEN = {
    "messages of the first node": (PLACE, PLACE.replace("rank - rank % size", "0"), "function: "),
    "nodes the other way round": (SPLIT, SPLIT.replace(", comm", ", -comm"), "function: "),
    "every rank is alone": (EQUAL, "if comm.size == 1:", "cost: "),
    "nodes of any sizes": (EQUAL, "if True:", "function: "),
    "nodes in any order": (EQUAL, "if comm.allgather(size) == [size] * P:", "function: "),
    "one rank decides for itself": (EQUAL, "if size > 1:", "messages: "),
}


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", ON_ONE | BETWEEN)
def test_a_damage_is_refused(name):
    old, new, words = (ON_ONE | BETWEEN)[name]
    program = one()
    assert program.count(old) == 1
    found = refuted(program.replace(old, new))
    if name in ON_ONE:
        assert words in found, found
    else:
        assert list(found) == [NODES] and found[NODES].startswith(words), found


def test_exchange_node_aware_is_of_programs_with_messages_for_all():
    program = one().replace("N, P, M = 16, 4, 4", "N, P, M = 8, 4, 2")
    with pytest.raises(ValueError, match="a message for every rank"):
        verdicts(program)
