"""The ways in which the messages of a program travel."""

from __future__ import annotations

IN_PLACE = "replace"
EXCHANGES = ("alltoall", "pairwise", IN_PLACE, "nonblocking")
"""How messages travel wherever MPI runs; the default, the first, is the fastest by measurement."""
OVERLAPPED = "overlapped"
"""The exchange that is begun while its messages are still being computed."""
SHARED = "shared"
"""The exchange on one node: messages are read where they were written."""
AUTO = "auto"
"""As `shared` where all ranks are on one node, else, and where there is no `shared`, `alltoall`."""
NODE_AWARE = "node-aware"
"""The exchange whose ranks share memory within a node, and send messages for all ranks of another
node together.
"""
SHARING = SHARED, AUTO, NODE_AWARE
OF_NODES = AUTO, NODE_AWARE
"""The exchanges of programs that find out on which nodes their ranks are."""
REMARKS = {
    SHARED: "all ranks on one node",
    AUTO: "shared on one node, otherwise alltoall",
    NODE_AWARE: "shared memory within a node, messages between nodes",
}
"""What the help says of an exchange that not all systems have."""
