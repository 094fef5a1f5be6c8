"""The messages of a simulated communicator between two ranks: of buffers, and of objects in lower
case.
"""

from __future__ import annotations

from typing import Any

from codegen.mpi.calls.requests import Nothing, Pending, Prequest, Request, Status
from codegen.mpi.calls.transfers import ANY_SOURCE, ANY_TAG, PROC_NULL, Transfer
from codegen.mpi.communicator import Base
from codegen.mpi.memory.buffers import Buffer, Parcel
from codegen.mpi.memory.pickled import IRECV_BUFFER, Pickled
from codegen.mpi.memory.specifications import buffer_of
from codegen.mpi.ranks import Call, unmodelled


class Messages(Base):
    """The calls of mpi4py for messages. Sends are rendezvous, whatever their mode."""

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        """Begin a send."""
        return Request(self._group.world, self._send("Isend", buffer_of(buf), dest, tag))

    def Issend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        """Begin a send that no MPI buffers."""
        return Request(self._group.world, self._send("Issend", buffer_of(buf), dest, tag, False))

    def Irecv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        """Begin a receive; the buffer is poisoned until it completes."""
        return Request(self._group.world, self._receive("Irecv", buffer_of(buf), source, tag))

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        """Send; return when the receiver has it."""
        self._through(self._send("Send", buffer_of(buf), dest, tag))

    def Ssend(self, buf: Any, dest: int, tag: int = 0) -> None:
        """Send what no MPI buffers."""
        self._through(self._send("Ssend", buffer_of(buf), dest, tag, False))

    def Recv(
        self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> None:
        """Receive."""
        self._through(self._receive("Recv", buffer_of(buf), source, tag), status)

    def Sendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        """Send and receive at once."""
        none = Parcel() if source == PROC_NULL else None
        into = none if none and recvbuf is None else buffer_of(recvbuf)
        out = buffer_of(sendbuf), dest, sendtag
        self._both("Sendrecv", out, (into, source, recvtag), status)

    def Sendrecv_replace(
        self,
        buf: Any,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        """Send, and receive into the same buffer."""
        buffer = buffer_of(buf)
        out = Buffer(buffer.part(0).copy(), buffer.counts, (0,), buffer.octets), dest, sendtag
        self._both("Sendrecv_replace", out, (buffer, source, recvtag), status)

    def Send_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        """Return a request that sends whenever it is started."""
        buffer, call = buffer_of(buf), self._call(f"Send_init(to rank {dest})")
        return Prequest(self._group.world, call, lambda: self._send("Start", buffer, dest, tag))

    def Recv_init(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Prequest:
        """Return a request that receives whenever it is started."""
        buffer, call = buffer_of(buf), self._call(f"Recv_init(from rank {source})")
        return Prequest(
            self._group.world, call, lambda: self._receive("Start", buffer, source, tag)
        )

    def Probe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> bool:
        """Wait until there is a message to receive."""
        probe = self._peek("Probe", source, tag)
        if probe is not None:
            mail = self._group.mail
            self._group.world.wait(probe.call, lambda: mail.send_for(probe) is not None)
        return self._seen(probe, status)

    def Iprobe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> bool:
        """Return whether there is a message to receive; it need not be seen at once."""
        probe = self._peek("Iprobe", source, tag)
        if probe is None:
            return self._seen(probe, status)
        world, mail = self._group.world, self._group.mail
        if not world.settle(probe.call, lambda: mail.send_for(probe) is not None):
            return False
        send = mail.send_for(probe)
        assert send is not None
        if not send.denied and world.choose(probe.call, 2):
            send.denied = True
            return False
        return self._seen(probe, status)

    probe, iprobe = Probe, Iprobe

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Send an object."""
        self._through(self._send("send", Parcel(Pickled.of(obj)), dest, tag))

    def ssend(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Send an object that no MPI buffers."""
        self._through(self._send("ssend", Parcel(Pickled.of(obj)), dest, tag, False))

    def isend(self, obj: Any, dest: int, tag: int = 0) -> Request:
        """Begin to send an object."""
        return Request(self._group.world, self._send("isend", Parcel(Pickled.of(obj)), dest, tag))

    def recv(
        self,
        buf: None = None,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        """Return an object that is received."""
        _no_buffer(buf)
        return self._through(self._receive("recv", Parcel(), source, tag), status)

    def irecv(self, buf: Any = None, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        """Begin to receive an object of so many bytes, or into a buffer of the program's."""
        if not (buf is None or isinstance(buf, int | bytearray)):
            raise unmodelled(
                f"a buffer of type {type(buf).__name__} for an object: a number of bytes or a"
                " bytearray"
            )
        room = IRECV_BUFFER if buf is None else buf if isinstance(buf, int) else len(buf)
        return Request(self._group.world, self._receive("irecv", Parcel(room=room), source, tag))

    def sendrecv(
        self,
        sendobj: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: None = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        """Send and receive an object at once."""
        _no_buffer(recvbuf)
        out = Parcel(Pickled.of(sendobj)), dest, sendtag
        return self._both("sendrecv", out, (Parcel(), source, recvtag), status)

    def _both(
        self, kind: str, out: tuple[Any, int, int], into: tuple[Any, int, int], status: Any
    ) -> Any:
        """Send a buffer to a rank with a tag, and receive another one from a rank."""
        receives = isinstance(into[0], Buffer) and into[0].counts[0] > 0
        send, receive = self._send(kind, *out, receives=receives), self._receive(kind, *into)
        self._wait(send)
        return self._through(receive, status)

    def _through(self, pending: Pending, status: Status | None = None) -> Any:
        value = self._wait(pending)
        if status is not None:
            status._fill(pending.envelope)
        return value

    def _wait(self, pending: Pending) -> Any:
        self._group.world.wait(pending.call, pending.done)
        return pending.finish()

    def _send(
        self,
        kind: str,
        buffer: Buffer | Parcel,
        dest: int,
        tag: int,
        standard: bool = True,
        receives: bool = False,
    ) -> Pending:
        self._usable()
        target, label = self._rank(dest, (PROC_NULL,)), self._tag(tag)
        if target == PROC_NULL:
            return Nothing(self._call(f"{kind}(to nobody)"))
        call = self._call(
            f"{kind}(to rank {self._group.members[target]}, {buffer.describe(0)}, tag {tag})"
        )
        transfer = Transfer(
            self._group.world,
            call,
            True,
            self.rank,
            target,
            label,
            buffer,
            self._group.mail,
            standard,
        )
        transfer.begin()
        moves = receives or (isinstance(buffer, Buffer) and buffer.counts[0] > 0)
        self._record(
            call,
            ((target, buffer.counts[0]),) if isinstance(buffer, Buffer) else (),
            transfer.held,
            moves,
        )
        self._group.mail.post(transfer)
        self._group.world.wake(self._group.members[target])
        return transfer

    def _receive(self, kind: str, buffer: Buffer | Parcel, source: int, tag: int) -> Pending:
        self._usable()
        origin, label = self._rank(source, (ANY_SOURCE, PROC_NULL)), self._tag(tag, (ANY_TAG,))
        if origin == PROC_NULL:
            return Nothing(self._call(f"{kind}(from nobody)"))
        transfer = Transfer(
            self._group.world,
            self._ask(kind, origin, buffer, label),
            False,
            origin,
            self.rank,
            label,
            buffer,
            self._group.mail,
        )
        transfer.begin()
        self._group.mail.post(transfer)
        return transfer

    def _ask(self, kind: str, source: int, buffer: Any, tag: int) -> Call:
        who, which = (
            "any rank" if source == ANY_SOURCE else f"rank {self._group.members[source]}",
            "any" if tag == ANY_TAG else tag,
        )
        return self._call(f"{kind}(from {who}, {buffer.describe(0)}, tag {which})")

    def _peek(self, kind: str, source: int, tag: int) -> Transfer | None:
        """Return what looks for a message without taking it."""
        self._usable()
        origin, label = self._rank(source, (ANY_SOURCE, PROC_NULL)), self._tag(tag, (ANY_TAG,))
        if origin == PROC_NULL:
            return None
        world, parcel = self._group.world, Parcel()
        call = self._ask(kind, origin, parcel, label)
        return Transfer(
            world,
            call,
            False,
            origin,
            self.rank,
            label,
            parcel,
            self._group.mail,
            peeks=True,
            number=world.number(),
        )

    def _seen(self, probe: Transfer | None, status: Status | None) -> bool:
        """Return that a message is there, and say which."""
        if probe is None:
            envelope = Nothing(self._call("Probe(from nobody)")).envelope
        else:
            send = probe.mate = self._group.mail.send_for(probe)
            assert send is not None
            probe.announce(send)
            envelope = probe.envelope
            self._group.world.log += [
                ("start", probe.call.rank, probe),
                ("end", probe.call.rank, probe),
            ]
        if status is not None:
            status._fill(envelope)
        return True


def _no_buffer(buf: Any) -> None:
    if buf is not None:
        raise unmodelled("a buffer for an object that is received")
