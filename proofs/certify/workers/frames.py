"""What a checker and a worker say to each other: frames on a pair of descriptors.

    frame = length (8 bytes), that many bytes

A checker trusts nothing that a worker says: it reads texts in JSON of bounded length, and arrays of
a type and shape that it knows itself.
"""

from __future__ import annotations

import os
import select
import struct
from time import monotonic

LENGTH = struct.Struct("<Q")


class Ended(Exception):
    """The other side is gone before it said all."""


class TooLong(Exception):
    """The other side says more than was asked for, or takes longer than it has."""


def write(descriptor: int, *parts: bytes | memoryview) -> None:
    """Write all of these bytes."""
    for part in parts:
        view = memoryview(part).cast("B")
        while len(view):
            view = view[os.write(descriptor, view[: 2**20]) :]


def write_frame(descriptor: int, data: bytes) -> None:
    """Write a frame of these bytes."""
    write(descriptor, LENGTH.pack(len(data)), data)


def read(descriptor: int, count: int, until: float | None = None) -> bytearray:
    """Return so many bytes; raise Ended where there are fewer, TooLong after the time `until`."""
    found = bytearray(count)
    view = memoryview(found)
    while len(view):
        left = None if until is None else until - monotonic()
        if left is not None and (left <= 0 or not select.select([descriptor], [], [], left)[0]):
            raise TooLong
        got = os.readv(descriptor, [view[: 2**20]])
        if not got:
            raise Ended
        view = view[got:]
    return found


def read_frame(descriptor: int, most: int, until: float | None = None) -> bytearray:
    """Return the bytes of the next frame; raise TooLong where there are more than `most`."""
    [count] = LENGTH.unpack(read(descriptor, LENGTH.size, until))
    if count > most:
        raise TooLong
    return read(descriptor, count, until)
