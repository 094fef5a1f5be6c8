"""The compiled kernels by element size. Each is compiled when it is first called, then kept on
disk.
"""

from __future__ import annotations

from collections.abc import Callable

from codegen.kernels.permute import gray, records
from codegen.kernels.permute.by_size import (
    move_1,
    move_2,
    move_4,
    move_8,
    move_16,
    move_32,
    move_64,
)

TILES: dict[int, Callable[..., None]] = {
    1: move_1.move,
    2: move_2.move,
    4: move_4.move,
    8: move_8.move,
    16: move_16.move,
    32: move_32.move,
    64: move_64.move,
}
"""Bytes of an element, at most a line: the kernel that moves it in lines."""

RECORDS: Callable[..., None] = records.move
GRAY: Callable[..., None] = gray.move
