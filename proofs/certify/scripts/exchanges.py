"""What is expected of programs by the EXCHANGE that they state."""

from __future__ import annotations

from codegen.systems.exchanges import AUTO, NODE_AWARE, SHARED

CALLS = {
    "alltoall": ("Alltoall", "Alltoallv", "Start"),
    "pairwise": ("Sendrecv",),
    "replace": ("Sendrecv_replace",),
    "nonblocking": ("Isend",),
    "overlapped": ("Isend", "Alltoall", "Alltoallv"),
    **dict.fromkeys((SHARED, AUTO), ("load", "store")),
    NODE_AWARE: ("Alltoall", "load"),
}
"""The calls that it stands for in emitted programs."""
READ = "read by a rank from others' memory"
TRAVELS = dict.fromkeys(CALLS, ("sent by a rank",)) | {
    SHARED: (READ, f"{READ} or stored there"),
    AUTO: (f"{READ} or sent by it", f"{READ}, stored there or sent by it"),
    NODE_AWARE: ("sent by a rank to other nodes",),
}
"""What ranks do with messages, in the words that heads have."""
WAITS = dict.fromkeys(CALLS, "") | {AUTO: " on one node", NODE_AWARE: " within a node"}
"""Which ranks wait for each other, where these are not all."""
BETWEEN_NODES = {
    AUTO: (
        "with ranks on any nodes, the program behaves as with all ranks on one node, or with one"
        " rank on a node of its own"
    ),
    NODE_AWARE: (
        "with ranks on any nodes, the program behaves as with consecutive ranks on nodes of equal"
        " size, with one rank on a node of its own, or with ranks that alternate between two nodes"
    ),
}
"""What is assumed of nodes that are not tried."""
