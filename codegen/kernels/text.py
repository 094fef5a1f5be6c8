"""The texts of the kernels, a module for each element size and way of storing: `python -m codegen.kernels.text` writes them.

A kernel is straight text, without loops inside a tile, and nothing in it is literal but the size of an element: matrix and
complement come as tables. It stands in a module of its own, which can be imported by its name, so that what numba compiles is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
LINE = 64
"""Bytes of a cache line, and of a vector register."""
LINES = 8
"""A tile has at least so many lines, so that enough loads are under way; so many lines fit the registers with what belongs to them."""
AHEAD = 4
"""Lines are asked for so many tiles before they are loaded."""
SIZES = (1, 2, 4, 8, 16, 32, 64)
"""Bytes of the elements that are moved in lines; larger powers of two are whole lines, anything else goes record by record."""

RECORDS = '''@compiled
def move(x: Any, y: Any, c: int, lines: Any, low: Any, high: Any) -> None:
    """y[A i + c] = x[i], a tile of a few lines after the other; x, y: arrays of records."""
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            for i in range(lines.shape[1]):
                y[t ^ lines[1, i]] = x[s ^ lines[0, i]]
'''
"""The kernel for records of any size and for short arrays, and the plainest one to read."""


def name(itemsize: int, streaming: bool) -> str:
    """Return the name of a kernel's module; itemsize 0 stands for records.

    >>> name(8, True), name(0, False)
    ('move_8_stream', 'move_records')
    """
    return f"move_{itemsize}_{'stream' if streaming else 'store'}" if itemsize else "move_records"


def texts() -> dict[str, str]:
    """Return the text of every module, by the name of its file."""
    sizes = [(0, False), *((size, streaming) for size in SIZES for streaming in (False, True))]
    return {f"{name(*which)}.py": module(*which) for which in sizes}


def module(itemsize: int, streaming: bool) -> str:
    """Return the text of a module: its head and one kernel."""
    kernel = _kernel(itemsize, streaming) if itemsize else RECORDS
    known = ("address", "compiled", "exchange", "fence", "load", "permute", "prefetch", "store", "stream")
    used = ", ".join(word for word in known if f"{word}(" in kernel or f"@{word}" in kernel)
    what = f"elements of {itemsize} bytes, {'streamed past the caches' if streaming else 'stored'}" if itemsize else "records of any size"
    return (
        f'"""A local permutation of {what}. Written by `python -m codegen.kernels.text`."""\n\n'
        f"# For lanes.py {_digest()}: numba's cache looks at this file alone, so that it must change with the other.\n\n"
        f"from __future__ import annotations\n\nfrom typing import Any\n\nfrom codegen.kernels.lanes import {used}\n\n\n{kernel}"
    )


def _digest() -> str:
    return hashlib.sha256((HERE / "lanes.py").read_bytes()).hexdigest()[:16]


def _kernel(itemsize: int, streaming: bool) -> str:
    lanes = LINE // itemsize
    wide = lanes > 16
    arguments = "x: Any, y: Any, c: int, stages: int, lines: Any, turns: Any, low: Any, high: Any" + ", scratch: Any" * wide
    out = [
        "@compiled",
        f"def move({arguments}) -> None:",
        f'    """y[A i + c] = x[i], in tiles of {max(lanes, LINES)} lines of {lanes} elements of {itemsize} bytes."""',
        "    source, target, turn = address(x), address(y), address(turns)",
        *["    tile = address(scratch)"] * wide,
        *(f"    {', '.join(names)} = lines[{side}]" for side, names in enumerate(_places(LINES)) if lanes <= LINES),
        "    for h in range(high.shape[1]):",
        "        for l in range(low.shape[1]):",
        "            s = high[0, h] ^ low[0, l]",
        "            t = high[1, h] ^ low[1, l] ^ c",
        *_indented((_twice if wide else _once)(itemsize, lanes, "stream" if streaming else "store"), 3),
        *["    fence()"] * streaming,
    ]
    return "\n".join(out) + "\n"


def _once(itemsize: int, lanes: int, put: str) -> list[str]:
    """Return the statements for a tile that stays in registers."""
    b, lines = lanes.bit_length() - 1, max(lanes, LINES)
    sources, targets = _places(lines)
    return [
        *_ahead([f"prefetch(source, p ^ {place})" for place in sources], put),
        *(f"v{i} = permute(load(source, s ^ {sources[i]}, {itemsize}), load(turn, {i}, {itemsize}), 0)" for i in range(lines)),
        *_exchanges(range(lines), [1 << k for k in range(b)]),
        *(f"{put}(target, t >> {b} ^ {targets[i]}, permute(v{i}, {_turn(lines + i, itemsize)}, t & {lanes - 1}))" for i in range(lines)),
    ]


def _twice(itemsize: int, lanes: int, put: str) -> list[str]:
    """Return the statements for a tile of more lines than there are registers: eight at a time, twice, with the tile in memory between."""
    b, groups = lanes.bit_length() - 1, lanes // 8
    first = [
        *(f"v{i} = permute(load(source, s ^ lines[0, g + {i}], {itemsize}), {_turn(f'g + {i}', itemsize)}, 0)" for i in range(8)),
        *_exchanges(range(8), (1, 2, 4)),
        *(f"store(tile, g + {i}, v{i})" for i in range(8)),
    ]
    second = [
        *(f"v{i} = load(tile, g + {8 * i}, {itemsize})" for i in range(groups)),
        *_exchanges(range(0, lanes, 8), [1 << k for k in range(3, b)]),
        *(
            f"{put}(target, t >> {b} ^ lines[1, g + {8 * i}], permute(v{i}, {_turn(f'{lanes + 8 * i} + g', itemsize)}, t & {lanes - 1}))"
            for i in range(groups)
        ),
    ]
    ahead = _ahead([f"for i in range({lanes}):", "    prefetch(source, p ^ lines[0, i])"], put)
    return [*ahead, f"for g in range(0, {lanes}, 8):", *_indented(first, 1), "for g in range(8):", *_indented(second, 1)]


def _turn(line: int | str, itemsize: int) -> str:
    return f"load(turn, {line}, {itemsize})"


def _exchanges(lines: Sequence[int], bits: Sequence[int]) -> list[str]:
    """Return the exchange networks over registers v0, v1, ..; lines[i] is the line in register i."""
    out = []
    for bit in bits:
        pairs = [(i, lines.index(line | bit)) for i, line in enumerate(lines) if not line & bit]
        out += [f"if stages & {bit}:", *(f"    v{i}, v{j} = exchange(v{i}, v{j}, {bit})" for i, j in pairs)]
    return out


def _ahead(asking: list[str], put: str) -> list[str]:
    """Return the statements that ask for the lines of a later tile; only large arrays gain."""
    return [f"p = high[0, h] ^ low[0, l + {AHEAD} & low.shape[1] - 1]", *asking] if put == "stream" else []


def _places(lines: int) -> tuple[list[str], list[str]]:
    """Return where the lines of a tile are: in names if they fit, since for all the compiler knows a store to y might change the table."""
    if lines <= LINES:
        return [f"s{i}" for i in range(lines)], [f"t{i}" for i in range(lines)]
    return [f"lines[0, {i}]" for i in range(lines)], [f"lines[1, {i}]" for i in range(lines)]


def _indented(statements: Sequence[str], depth: int) -> list[str]:
    return ["    " * depth + statement for statement in statements]


def write(folder: Path = HERE) -> None:
    """Write every module."""
    for file, text in texts().items():
        (folder / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
