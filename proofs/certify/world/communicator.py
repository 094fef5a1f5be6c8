"""Communicators, as mpi4py has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, NoReturn

from proofs.certify.language.table_entries import Undecided
from proofs.certify.world.collectives import Collective, Group, each, nothing, split
from proofs.certify.world.faults import Fault
from proofs.certify.world.hub import Hub
from proofs.certify.world.memory.message_buffers import Buffer
from proofs.certify.world.message_requests import Pending, Prequest, Request, demand_no
from proofs.certify.world.together import Together
from proofs.certify.world.transfers import ANY_TAG, PROC_NULL, UNDEFINED, Nothing, Transfer

COMM_TYPE_SHARED = 1


def _sends(kind: str, waits: bool = True) -> Callable[..., Request | None]:
    """Return the call of this kind: it returns when the receiver has the message, or begins."""

    def send(self: Comm, buf: Any, dest: int, tag: int = 0) -> Request | None:
        pending = self._send(kind, self.reader.whole(buf), dest, tag)
        if not waits:
            return Request(self.world, pending)
        self._through(pending)
        return None

    return send


class Comm(Together):
    """One rank's communicator."""

    def __eq__(self, other: object) -> bool:
        """Return whether both are one communicator; a freed one is COMM_NULL, as in mpi4py."""
        if self.freed or not isinstance(other, Comm):
            return self.freed and isinstance(other, Comm | NullComm) and not other
        return self.group is other.group and not other.freed

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return not self.freed

    def Get_rank(self) -> int:
        """Return this rank."""
        return self.rank

    def Get_size(self) -> int:
        """Return the number of ranks."""
        return self.size

    def Is_inter(self) -> bool:
        """Return whether the communicator is between two groups."""
        self.usable()
        return self.is_inter

    def between_groups(self) -> Comm:
        """Return a communicator between this group and another one, which a program may ask what it
        is, and no more.
        """
        found = Comm(self.group, self.own)
        found.is_inter = True
        return found

    def Dup(self) -> Any:
        """Return another communicator of the same ranks."""
        return self._parted("Dup", 0, self.rank)

    Clone = Dup

    def Split(self, color: int = 0, key: int = 0) -> Any:
        """Return a communicator of the ranks with this color, in the order of their keys."""
        if color != UNDEFINED and int(color) < 0:
            raise self.wrong(f"color {color}: colors are not negative")
        return self._parted("Split", int(color), int(key))

    def Split_type(self, split_type: int, key: int = 0) -> Any:
        """Return a communicator of the ranks of one node."""
        if split_type != COMM_TYPE_SHARED:
            raise Undecided(f"Split_type({split_type}): in the language is MPI.COMM_TYPE_SHARED")
        self.world.asks("Split_type")
        node = self.world.nodes[self.group.members[self.rank]]
        return self._parted("Split_type", node, int(key))

    def Create_cart(self, dims: Any, periods: Any = None, reorder: bool = False) -> Any:
        """Return a communicator of the first ranks as a grid, the last axis counting fastest."""
        sizes = tuple(map(int, dims)) if isinstance(dims, list | tuple) else (int(dims),)
        given = periods if isinstance(periods, list | tuple) else [periods or False] * len(sizes)
        around = tuple(map(bool, given))
        if reorder or min(sizes, default=1) < 1:
            raise Undecided("Create_cart with reorder=True, or with an axis of no ranks")
        if prod(sizes) > self.size or len(around) != len(sizes):
            raise self.wrong(f"a grid {sizes} with {len(around)} periods of {self.size} ranks")
        color = 0 if self.rank < prod(sizes) else UNDEFINED
        made = partial(Cart, sizes=sizes, around=around)
        return self._parted("Create_cart", color, self.rank, made, (("dims", sizes),))

    def _parted(
        self, name: str, color: int, key: int, made: Any = None, terms: tuple[Any, ...] = ()
    ) -> Any:
        self.usable()
        call, orders = self.world.call(f"{name}()"), name != "Dup"
        what = Collective(
            name,
            lambda given: each(split(self.group, given)),
            (color, key),
            terms=terms,
            orders=orders,
        )
        found = self.meet(what)
        if found is None:
            return COMM_NULL
        group, rank = found
        return (made or Comm)(group, rank, call)

    def Free(self) -> None:
        """Give the communicator back; collective."""
        self.usable()
        if self.opened is None:
            raise self.wrong(
                "Free of the communicator of all ranks, which the program has not made"
            )
        self.meet(Collective("Free", nothing, True))
        self.close()

    def Abort(self, errorcode: int = 0) -> NoReturn:
        """End all ranks."""
        raise self.wrong(f"Abort({errorcode})", Fault.ABORTED)

    # messages
    Isend, Issend = _sends("Isend", waits=False), _sends("Issend", waits=False)
    Send, Ssend = _sends("Send"), _sends("Ssend")

    def Irecv(self, buf: Any, source: Any = None, tag: int = ANY_TAG) -> Request:
        """Begin a receive; the buffer holds nothing until it completes."""
        buffer = self.reader.whole(buf, receives=True)
        return Request(self.world, self._receive("Irecv", buffer, source, tag))

    def Recv(self, buf: Any, source: Any = None, tag: int = ANY_TAG, status: None = None) -> None:
        """Receive."""
        demand_no(status)
        self._through(self._receive("Recv", self.reader.whole(buf, receives=True), source, tag))

    def Sendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: Any = None,
        recvtag: int = ANY_TAG,
        status: None = None,
    ) -> None:
        """Send and receive at once."""
        demand_no(status)
        out = self.reader.whole(sendbuf)
        none = source == PROC_NULL and recvbuf is None
        into = None if none else self.reader.whole(recvbuf, receives=True)
        self._both("Sendrecv", (out, dest, sendtag), (into, source, recvtag))

    def Sendrecv_replace(
        self,
        buf: Any,
        dest: int,
        sendtag: int = 0,
        source: Any = None,
        recvtag: int = ANY_TAG,
        status: None = None,
    ) -> None:
        """Send, and receive into the same buffer."""
        demand_no(status)
        into = self.reader.whole(buf, receives=True)
        out = into.only(0)
        self._both("Sendrecv_replace", (out, dest, sendtag), (into, source, recvtag))

    def _both(self, kind: str, out: tuple[Any, Any, Any], into: tuple[Any, Any, Any]) -> None:
        buffer, source, _ = into
        receives = buffer is not None and source != PROC_NULL and buffer.counts[0] > 0
        for pending in [self._send(kind, *out, receives), self._receive(kind, *into)]:
            self._through(pending)

    def Send_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        """Return a request that sends whenever it is started."""
        buffer, call = self.reader.whole(buf), self.world.call(f"Send_init(to rank {dest})")
        return Prequest(self.world, call, lambda: self._send("Start", buffer, dest, tag))

    def Recv_init(self, buf: Any, source: Any = None, tag: int = ANY_TAG) -> Prequest:
        """Return a request that receives whenever it is started."""
        buffer = self.reader.whole(buf, receives=True)
        call = self.world.call(f"Recv_init(from rank {source})")
        return Prequest(self.world, call, lambda: self._receive("Start", buffer, source, tag))

    def _through(self, pending: Pending) -> None:
        self.world.wait(pending.call, pending.done)
        pending.finish()

    def _send(
        self, kind: str, buffer: Buffer, dest: Any, tag: Any, receives: bool = False
    ) -> Pending:
        self.usable()
        target, label = self.peer(dest, nobody=True), self.label(tag)
        if target == PROC_NULL:
            return Nothing(self.world.call(f"{kind}(to nobody)"))
        other = self.group.members[target]
        call = self.world.call(f"{kind}(to rank {other}, {buffer.text()}, tag {label})")
        transfer = Transfer(self.world, call, True, (self.rank, target), label, buffer)
        transfer.begin()
        count = buffer.counts[0]
        self.note(call, kind, ((target, count),), buffer, receives or count > 0)
        for window in self.world.windows:
            window.unordered()
        self.group.mail.post(transfer)
        return transfer

    def _receive(self, kind: str, buffer: Buffer | None, source: Any, tag: Any) -> Pending:
        self.usable()
        if source is None:
            raise Undecided(f"{kind} from any rank: name the source")
        origin = self.peer(source, nobody=True)
        label = ANY_TAG if tag == ANY_TAG else self.label(tag)
        if origin == PROC_NULL or buffer is None:
            return Nothing(self.world.call(f"{kind}(from nobody)"))
        other, which = self.group.members[origin], "any" if label == ANY_TAG else label
        call = self.world.call(f"{kind}(from rank {other}, {buffer.text()}, tag {which})")
        transfer = Transfer(self.world, call, False, (origin, self.rank), label, buffer)
        transfer.begin()
        self.group.mail.post(transfer)
        return transfer


class Cart(Comm):
    """One rank's communicator of a grid of ranks, around whose periodic axes shifts go."""

    def __init__(
        self, group: Group, rank: int, opened: Any, sizes: tuple[int, ...], around: tuple[bool, ...]
    ) -> None:
        super().__init__(group, rank, opened)
        self.sizes, self.around = sizes, around

    def Dup(self) -> Any:
        """Return another communicator of the same grid."""
        made = partial(Cart, sizes=self.sizes, around=self.around)
        return self._parted("Dup", 0, self.rank, made)

    def Get_dim(self) -> int:
        """Return the number of axes."""
        return len(self.sizes)

    def Get_topo(self) -> tuple[list[int], list[int], list[int]]:
        """Return the ranks along each axis, which axes are periodic, and the place of this rank."""
        return [*self.sizes], [*map(int, self.around)], self.Get_coords(self.rank)

    @property
    def coords(self) -> list[int]:
        """The place of this rank in the grid."""
        return self.Get_coords(self.rank)

    def Get_coords(self, rank: int) -> list[int]:
        """Return the place of a rank in the grid."""
        left, found = self.peer(rank), list[int]()
        for size in reversed(self.sizes):
            left, at = divmod(left, size)
            found.insert(0, at)
        return found

    def Get_cart_rank(self, coords: Any) -> int:
        """Return the rank at a place."""
        places = [*map(int, coords)] if isinstance(coords, list | tuple) else [int(coords)]
        if len(places) != len(self.sizes):
            raise self.wrong(f"{places} in place of coordinates in a grid {self.sizes}")
        rank = 0
        for at, size, around in zip(places, self.sizes, self.around, strict=True):
            if not (around or 0 <= at < size):
                raise self.wrong(f"coordinates {places} outside of a grid {self.sizes}")
            rank = rank * size + at % size
        return rank

    def Shift(self, direction: int, disp: int) -> tuple[int, int]:
        """Return the ranks from which, and to which, a shift along an axis goes."""
        if not 0 <= int(direction) < len(self.sizes):
            raise self.wrong(f"axis {direction} of a grid {self.sizes}")
        here, ends = self.Get_coords(self.rank), list[int]()
        for step in (-disp, disp):
            place = [*here]
            place[direction] += step
            inside = self.around[direction] or 0 <= place[direction] < self.sizes[direction]
            ends.append(self.Get_cart_rank(place) if inside else PROC_NULL)
        return ends[0], ends[1]

    def Sub(self, remain_dims: Any) -> Any:
        """Return the communicator of the ranks that have the other coordinates in common."""
        kept = [bool(each) for each in remain_dims]
        if len(kept) != len(self.sizes):
            raise self.wrong(f"remain_dims {kept} of a grid {self.sizes}")
        color = 0
        for at, size, stays in zip(self.Get_coords(self.rank), self.sizes, kept, strict=True):
            color = color if stays else color * size + at
        axes = [axis for axis, stays in enumerate(kept) if stays]
        sizes, around = (tuple(self.sizes[i] for i in axes), tuple(self.around[i] for i in axes))
        made, terms = partial(Cart, sizes=sizes, around=around), (("remain_dims", tuple(kept)),)
        return self._parted("Sub", color, self.rank, made, terms)


class NullComm:
    """No communicator: what Split returns to a rank without a color."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comm | NullComm) and not other

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return False


COMM_NULL = NullComm()


class World(Hub):
    """The ranks of a run, each with the communicator of all."""

    def run(self, body: Callable[[Comm], Any]) -> list[Any]:  # type: ignore[override]
        """Return what body(comm) returns on each rank."""
        group = Group(self, tuple(range(self.size)))
        return super().run(lambda rank: body(Comm(group, rank)))
