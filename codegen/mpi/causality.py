"""The messages that a receive from any source may take: a race, if there is more than one.

In one run, receive r took send s. Send t of another rank can take its place in some other run
exactly if it fits r, was not taken by a receive posted before r, and was not begun after r was
complete; "after" is what the messages, and the collective calls in which one rank learns that
another has entered, put in order. If no receive of a run has such a t, every schedule matches the
same sends with the same receives: consider the first receive that another schedule matches
otherwise; all that made the program begin t happened there as it did here. Sends of one rank do not
overtake each other, so a tag that is left open is no race.
"""

from __future__ import annotations

from collections.abc import Iterator

from codegen.mpi.calls.transfers import Transfer
from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.ranks import World

ALL, FROM_ROOT, TO_ROOT, NOBODY = "all", "from root", "to root", "nobody"
"""Who learns in a collective call that others have entered it: everybody of all, everybody of the
root, the root of all, nobody.
"""


def race(world: World) -> CommunicationError | None:
    """Return the first race of a run, if there is one."""
    transfers = [thing for event, _, thing in world.log if event == "start"]
    for receive in transfers:
        if receive.wild and receive.mate is not None:
            for send in _others(world, receive, transfers):
                text = (
                    f"{receive.call} can take the message of {receive.mate.call}, or that of"
                    f" {send.call}"
                )
                return CommunicationError(Fault.MESSAGE_RACE, text)
    return None


def _others(world: World, receive: Transfer, transfers: list[Transfer]) -> Iterator[Transfer]:
    """Yield the sends that a receive might have taken in another run."""
    taken = receive.mate
    assert taken is not None
    later = _after(world, receive)
    for send in transfers:
        if (
            send.sends
            and send.mail is receive.mail
            and send.target == receive.target
            and send.source != taken.source
            and receive.takes(send)
        ):
            earlier = (
                send.mate is not None and not send.mate.peeks and send.mate.number < receive.number
            )
            if not earlier and send not in later:
                yield send


def _after(world: World, receive: Transfer) -> set[Transfer]:
    """Return the transfers that were begun after this receive was complete, in every run."""
    knowing, found, met, ended = set[int](), set[Transfer](), dict[int, set[int]](), False
    for event, rank, thing in world.log:
        if not ended:
            ended = event == "end" and thing is receive
            knowing |= {rank} if ended else set()
        elif event == "start" and rank in knowing:
            found.add(thing)
        elif event == "end":
            if thing.mate in found and (not thing.sends or not thing.standard):
                knowing.add(rank)
        elif event == "enter" and rank in knowing:
            met.setdefault(id(thing), set()).add(rank)
        elif event == "leave":
            heard = met.get(id(thing), set())
            if (
                (thing.flow == ALL and heard)
                or (thing.flow == FROM_ROOT and thing.root in heard)
                or (thing.flow == TO_ROOT and heard and rank == thing.root)
            ):
                knowing.add(rank)
    return found
