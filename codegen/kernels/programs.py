"""The compiled kernels by element size and way of storing. Each is compiled when it is first called, then kept on disk."""

from __future__ import annotations

from collections.abc import Callable

from codegen.kernels import (
    gray,
    move_1_store,
    move_1_stream,
    move_2_store,
    move_2_stream,
    move_4_store,
    move_4_stream,
    move_8_store,
    move_8_stream,
    move_16_store,
    move_16_stream,
    move_32_store,
    move_32_stream,
    move_64_store,
    move_64_stream,
    move_records,
)

STORED: dict[int, Callable[..., None]] = {
    1: move_1_store.move,
    2: move_2_store.move,
    4: move_4_store.move,
    8: move_8_store.move,
    16: move_16_store.move,
    32: move_32_store.move,
    64: move_64_store.move,
}
"""Bytes of an element, at most a line: the kernel that stores."""

STREAMED: dict[int, Callable[..., None]] = {
    1: move_1_stream.move,
    2: move_2_stream.move,
    4: move_4_stream.move,
    8: move_8_stream.move,
    16: move_16_stream.move,
    32: move_32_stream.move,
    64: move_64_stream.move,
}
"""The same, for arrays that begin on a line: past the caches."""

RECORDS: Callable[..., None] = move_records.move
GRAY: Callable[..., None] = gray.move
