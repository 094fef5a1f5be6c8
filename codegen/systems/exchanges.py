"""The ways in which the messages of a program travel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

AT_ONCE = {"nonblocking": "Isend"}
"""The ways in which all messages are sent at once, each with the call that sends one."""
EXCHANGES = ("alltoall", "pairwise", "replace", *AT_ONCE)
"""How messages travel wherever MPI runs; the default, the first, is the fastest by measurement."""
OVERLAPPED, SHARED, AUTO, NODE_AWARE = ("overlapped", "shared", "auto", "node-aware")
ALL_TO_ALL, PAIRWISE, IN_PLACE, *_ = EXCHANGES
OF_TRADES = (ALL_TO_ALL, PAIRWISE, *AT_ONCE)
"""How the messages of arrays travel wherever MPI runs."""
READ = "read by a rank from others' memory"
OnNodes = tuple[dict[str, int], ...]


def _between_nodes(N: int, P: int, times: int) -> OnNodes:
    """Return what a rank sends to other nodes and loads within its own, for so many exchanges and
    each number of ranks per node.
    """
    return tuple(
        {
            "ranks": size,
            "messages": times * (P // size - 1),
            "words": times * (N // P - N // P**2 * size),
            "loads": times * (N // P - N // P // size),
        }
        for size in (2**k for k in range(1, P.bit_length()))
    )


@dataclass(frozen=True)
class Way:
    """A way in which messages travel.

    Attributes:
        name: the value of `exchange`.
        remark: what the help says of it.
        one_by_one: whether a call is for one message.
        by_counts: whether messages to some of the ranks go in one call, with their counts.
        in_turns: whether a rank sends the next message when the one before has arrived.
        in_place: whether a message is received in the memory that one is sent from.
        sends: the call that sends a message, where all are begun before the first has arrived.
        unsent, single: the ways that are stated for a permutation that sends nothing, and for one
            whose ranks send one message each.
        ahead: whether it is begun while its messages are still being computed.
        shares: whether ranks share memory, and read messages where they were written.
        of_nodes: the way that all systems with this one have, if its programs find out on which
            nodes their ranks are.
        of_all: whether it is for messages from every rank to every rank.
        otherwise: the way in its place where ranks cannot share memory.
        travels: what ranks do with messages; last what they do where results are stored in others'
            memory.
        within: which ranks wait for each other, if not all of them.
        made_by: the function that makes a window.
        needs: the functions and classes that a window needs, its own last.
        keeps: what a plan keeps, in words.
        on_nodes: a function for the costs on nodes, of N elements on P ranks and so many exchanges.
    """

    name: str
    remark: str = ""
    one_by_one: bool = False
    by_counts: bool = False
    in_turns: bool = False
    in_place: bool = False
    sends: str = ""
    unsent: str = ""
    single: str = ""
    ahead: bool = False
    shares: bool = False
    of_nodes: str = ""
    of_all: bool = False
    otherwise: str = ""
    travels: tuple[str, ...] = ("sent by a rank",)
    within: str = ""
    made_by: str = ""
    needs: tuple[str, ...] = ()
    keeps: str = ""
    on_nodes: Callable[[int, int, int], OnNodes] = lambda N, P, times: ()


ALL = (
    Way(ALL_TO_ALL, by_counts=True, single=PAIRWISE),
    Way(PAIRWISE, one_by_one=True, in_turns=True),
    Way(IN_PLACE, one_by_one=True, in_place=True),
    *(Way(name, one_by_one=True, sends=call) for name, call in AT_ONCE.items()),
    Way(OVERLAPPED, ahead=True),
    Way(
        SHARED,
        "all ranks on one node",
        shares=True,
        unsent=ALL_TO_ALL,
        travels=(READ, f"{READ} or stored there"),
        made_by="Window",
        needs=("free_memory", "window"),
        keeps="memory shared by all ranks",
    ),
    Way(
        AUTO,
        "shared on one node, otherwise alltoall",
        shares=True,
        of_nodes=ALL_TO_ALL,
        otherwise=ALL_TO_ALL,
        travels=(f"{READ} or sent by it", f"{READ}, stored there or sent by it"),
        within="on one node",
        made_by="of_nodes",
        needs=("free_memory", "window", "mailbox"),
        keeps="memory shared by all ranks, or a mailbox",
    ),
    Way(
        NODE_AWARE,
        "shared memory within a node, messages between nodes",
        shares=True,
        of_nodes=SHARED,
        of_all=True,
        travels=("sent by a rank to other nodes",),
        within="within a node",
        made_by="Nodes",
        needs=("free_memory", "nodes"),
        keeps="memory shared by the ranks of a node",
        on_nodes=_between_nodes,
    ),
)
WAYS = {way.name: way for way in ALL}
