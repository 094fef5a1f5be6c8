"""Why ranks cannot move: calls that would go together if a tag or a communicator were another, or
calls in an order that never can.
"""

from __future__ import annotations

from codegen.mpi.calls.collectives import Group
from codegen.mpi.faults import Fault
from codegen.mpi.ranks import World


def stuck(world: World) -> Fault:
    """Return the class of a deadlock."""
    if _forgotten(world):
        return Fault.RESOURCE_LEAK
    return (
        Fault.PARAMETER_MATCHING
        if _almost(world.groups) or _apart(world.groups)
        else Fault.CALL_ORDERING
    )


def _forgotten(world: World) -> bool:
    """Return whether all wait for a rank to free a communicator, which it has left open."""
    frees = [
        (group.members, meeting)
        for group in world.groups
        for meeting in group.meetings.values()
        if meeting.kind == "Free"
    ]
    waiting = {members[rank] for members, meeting in frees for rank in meeting.given}
    missing = {
        member
        for members, meeting in frees
        for rank, member in enumerate(members)
        if rank not in meeting.given
    }
    return set(world.blocked) == waiting and not missing & waiting


def _almost(groups: list[Group]) -> bool:
    """Return whether a send and a receive name each other, but not the same tag or communicator."""
    waiting = [(group, transfer) for group in groups for transfer in group.mail.pending]
    ends = [
        (transfer, {group.members[k] for k in (transfer.source, transfer.target) if k >= 0})
        for group, transfer in waiting
    ]
    return any(
        send.sends
        and not receive.sends
        and one >= other
        and group.members[send.target] == there.members[receive.target]
        for (send, one), (group, _) in zip(ends, waiting, strict=True)
        for (receive, other), (there, _) in zip(ends, waiting, strict=True)
    )


def _apart(groups: list[Group]) -> bool:
    """Return whether ranks wait in the same call of different communicators that they share."""
    open_ = [
        (set(group.members), set(meeting.calls), meeting.kind)
        for group in groups
        for meeting in group.meetings.values()
        if not meeting.complete
    ]
    return any(
        one is not other and one[2] == other[2] and len(one[0] & other[0]) > 1
        for one in open_
        for other in open_
    )
