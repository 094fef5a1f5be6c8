"""Programs with `--exchange node-aware`: certified on nodes of any size, refused where they are
damaged.
"""

from __future__ import annotations

import pytest

from codegen.emit.text import emit
from codegen.spec import AUTO, Spec
from derive.verdict import holds
from proofs.certify.certificate import NODES
from tests.support.judged import refuted, verdicts

WRITTEN = '''\
class Nodes:
    """Memory that the ranks of a node share, which receive what is for any of them."""

    def __init__(self, comm):
        self.node = node_of(comm)
        self.across = comm.Split(self.node.rank, comm.rank)
        self.memory = self.sent = self.segments = None

    def map(self):
        """Make room for what is sent, and share what is received."""
        from mpi4py import MPI  # which whoever has made comm has started

        self.memory = MPI.Win.Allocate_shared(M * DTYPE.itemsize, DTYPE.itemsize, comm=self.node)
        self.memory.Lock_all()
        self.sent = np.empty(M, DTYPE)
        found = [self.memory.Shared_query(rank)[0] for rank in range(self.node.size)]
        self.segments = [np.frombuffer(memory, DTYPE) for memory in found]

    def half(self):
        """Return what is sent next."""
        return self.sent

    def messages(self, senders):
        """Return the messages from pairs (rank, number) where a rank of this node receives them."""
        size = self.node.size
        received = [segment.reshape(P, -1) for segment in self.segments]
        return [received[rank % size][rank - rank % size + self.node.rank] for rank, _ in senders]

    def exchange(self, messages):
        """Send what others load."""
        self.wait()
        self.across.Alltoall(self.sent, self.segments[self.node.rank])
        self.wait()
        return messages

    def wait(self):
        """Have all ranks of the node load what was stored before."""
        self.memory.Sync()
        self.node.Barrier()
        self.memory.Sync()

    def free(self):
        """Give the memory and the communicators back; collective."""
        self.sent = self.segments = None
        if self.memory:
            self.memory.Unlock_all()
            self.memory.Free()
        self.across.Free()
        self.node.Free()


def node_of(comm):
    """Return the ranks of this node, or this one alone unless all nodes have as many in a row."""
    from mpi4py import MPI  # which whoever has made comm has started

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    size = node.size
    equal = [(size, rank // size * size) for rank in range(P)]
    if comm.allgather((size, comm.rank - node.rank)) == equal:
        return node
    node.Free()
    return comm.Split(comm.rank)
'''


def written(N, P, before="block", after="block"):
    """Return a program with the exchange above, by hand."""
    text = emit(Spec("fft", N, P, before, after, AUTO))
    begin, end = text.index("class Window"), text.index("\n\n\n# What follows")
    text = text[:begin] + WRITTEN.rstrip() + text[end:]
    for old, new in (
        ("of_nodes(self.own)", "Nodes(self.own)"),
        ('"auto"', '"node-aware"'),
        ("--exchange auto", "--exchange node-aware"),
        ("read by a rank from others' memory or sent by it", "sent by a rank to other nodes"),
        ("a barrier each on one node", "two barriers each within a node"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def one():
    return written(16, 4, "cyclic", "cyclic")


CERTIFIED = {"one exchange": one, "three exchanges": lambda: written(64, 4)}
SLOW = {"eight ranks": lambda: written(64, 8, "cyclic", "cyclic")}
EVIDENCE = {
    "one exchange": (
        "nodes of 1 rank; 1 exchange, 3 messages, 3 words",
        "nodes of 2 ranks; 2 exchanges, 2 messages, 4 words",
        "the last rank on a node of its own; 1 exchange, 3 messages, 3 words",
        "two nodes that take turns; 1 exchange, 3 messages, 3 words",
    ),
    "three exchanges": ("nodes of 2 ranks; 6 exchanges, 6 messages, 48 words",),
}


@pytest.mark.long
@pytest.mark.parametrize("name", CERTIFIED)
def test_all_nodes_are_certified(name):
    found = verdicts(CERTIFIED[name]())
    assert all(map(holds, found.values())), found
    assert "by load, as EXCHANGE says" in found["cost"].evidence
    for words in EVIDENCE[name]:
        assert words in found[NODES].evidence


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_more_nodes_are_certified(name):
    found = verdicts(SLOW[name]())
    assert all(map(holds, found.values())), found
    assert "nodes of 4 ranks; 2 exchanges, 4 messages, 10 words" in found[NODES].evidence


EQUAL = "if comm.allgather((size, comm.rank - node.rank)) == equal:"
ACROSS = "        self.across.Alltoall(self.sent, self.segments[self.node.rank])\n"
WAIT = "        self.wait()\n"
SYNC = "        self.memory.Sync()\n"
SPLIT = "(self.node.rank, comm.rank)"
PLACE = "received[rank % size][rank - rank % size + self.node.rank]"
ON_ONE = {
    "who receives does not wait for readers": (WAIT + ACROSS, ACROSS, "messages"),
    "who reads does not wait": (ACROSS + WAIT, ACROSS, "function"),
    "no memory is synchronised": (SYNC + "        self.node", "        self.node", "messages"),
    "messages are not sent": (ACROSS, "", "function"),
    "all read what the first has": (PLACE, PLACE.replace("rank % size", "0", 1), "function"),
    "messages of others": (PLACE, PLACE.replace("self.node.rank", "rank"), "function"),
    "ranks of one node are sent to": (SPLIT, "(comm.rank // 2, comm.rank)", "function"),
    "the node is left open": ("        self.node.Free()\n", "", "messages"),
    "the window is left open": ("            self.memory.Free()\n", "", "messages"),
}
BETWEEN = {
    "messages of the first node": (PLACE, PLACE.replace("rank - rank % size", "0"), "function: "),
    "nodes the other way round": (SPLIT, SPLIT.replace("comm", "-comm"), "function: "),
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
    program = written(16, 4, "cyclic", "cyclic").replace("N, P, M = 16, 4, 4", "N, P, M = 8, 4, 2")
    with pytest.raises(ValueError, match="a message for every rank"):
        verdicts(program)
