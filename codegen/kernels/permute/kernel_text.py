"""The texts of the kernels, a module for each element size.

A kernel is straight text, without loops inside a tile, and nothing in it is literal but the size of
an element: matrix and complement come as tables, places in a tile that fits the registers as
tuples. An emitted program has what it runs of the same text. Its form is in
codegen/templates/kernels/move.py.jinja.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import and_, or_
from pathlib import Path
from typing import Any

from codegen.source import functions_of
from derive.printing import printed

HERE = Path(__file__).parent
LINE = 64
"""Bytes of a cache line, and of a vector register."""
LINES = 8
"""A tile has at least so many lines, so that enough loads are under way; so many lines fit the
registers with what belongs to them.
"""
AHEAD = 4
"""Lines are asked for so many tiles before they are loaded."""
MARK = "\n# What follows stands in emitted programs, byte for byte.\n\n"
COMPILING, MODULAR = "compiling", "modular"
"""The sections of programs whose kernels go element by element: the decorator, as operations on
lines are not used, and arithmetic modulo a prime with it.
"""
SECTIONS = {
    "cached": ("lanes",),
    "lanes": ("past_caches", "lanes", "lines"),
    "vectors": ("past_caches", "vectors"),
}
"""The modules whose texts are one section of a program, after host.py; `cached` has operations on
lines for arrays that the caches hold.
"""
OF_PROGRAMS = {"sys", "np"}
"""What every program imports: a section does not import it again."""
TYPES = re.compile(r": (?:Any|int|Callable\[\.\.\., Any\])(?=[,)])| -> [^:]*(?=:$)")
"""The types of a function in its first line."""
SIZES = (1, 2, 4, 8, 16, 32, 64)
"""Bytes of the elements that are moved in lines."""
ARGUMENTS = ("source", "target", "c", "stages", "streamed", "lines", "turn", "low", "high")
"""The arguments of a kernel, of which a wide tile has one more."""
ARRAYS = ("lines", "low", "high")
"""The arguments of a kernel that are arrays or tuples; the others are integers."""
OPERATIONS = ("compiled", "exchange", "fence", "load", "permute", "prefetch", "store", "stream")
"""What kernels take from lines.py."""
WIDE = 16
"""A tile of more lines does not fit the registers: it goes through them twice, eight lines at a
time, and lies in memory between.
"""


def module_of(itemsize: int) -> str:
    """Return the text of the module whose `move` moves elements of `itemsize` bytes in lines.

    >>> print(module_of(8).splitlines()[0])
    \"\"\"A local permutation of elements of 8 bytes.\"\"\"
    """
    digest = hashlib.sha256(section("lanes").encode()).hexdigest()[:16]
    used = ", ".join(_used(LINE // itemsize))
    return printed(
        "codegen", "kernels/kernel.py.jinja", view(itemsize) | {"digest": digest, "used": used}
    )


def _used(lanes: int) -> list[str]:
    """Return the operations of the kernel for lines of so many elements: in a line of one element
    none are exchanged.
    """
    return [name for name in OPERATIONS if lanes > 1 or name != "exchange"]


def kernel(printed_as: dict[str, Any]) -> str:
    """Return the text of a kernel from its view.

    >>> print(kernel(view(8)).splitlines()[2].strip())
    \"\"\"Store y[A i + c] = x[i], in tiles of 8 lines of 8 elements of 8 bytes; source and target are addresses.\"\"\"
    """  # noqa: E501
    return printed("codegen", "kernels/move.py.jinja", printed_as)


def undecorated(module: str) -> str:
    """Return a kernel that is no tile kernel, `gray` or `records`, as programs have it: without its
    decorator and types.

    >>> undecorated("gray").splitlines()[0]
    'def move(x, y, columns, c):'
    """
    return without_types(functions_of(f"kernels/permute/{module}")["move"].partition("\n")[2])


def section(operations: str) -> str:
    """Return what an emitted program has of host.py and of the modules of a section: all but their
    heads and types, and the imports that they use; of `compiling`, the decorator alone.

    >>> print(section("compiling").partition(":")[0])
    from numba import njit
    <BLANKLINE>
    <BLANKLINE>
    def compiled(function)
    """
    imports, mark, host = _after(HERE.parent / "host.py", "\n]\n\n").partition("\n\nI32")
    if operations in (COMPILING, MODULAR):
        text = "\n\n" + functions_of("kernels/host")["compiled"]
        if operations == MODULAR:
            text += "\n\n" + _after(HERE.parent / "montgomery.py", MARK).lstrip()
    else:
        modules = [HERE.parent / f"{name}.py" for name in SECTIONS[operations]]
        text = "\n\n".join([mark[1:] + host, *[_after(each, MARK).lstrip() for each in modules]])
    text = without_types(text)
    return "\n".join([*_used_imports(imports.splitlines(), text), text]).lstrip("\n")


def _used_imports(imports: Sequence[str], text: str) -> Iterator[str]:
    """Yield the lines of imports without the names that a text does not use."""
    used = {*re.findall(r"\w+\b(?!=)", text)} - OF_PROGRAMS
    for line in imports:
        start, said, names = line.rpartition("import ")
        kept = [name for name in names.split(", ") if name.split(" ")[-1] in used]
        if kept or not line:
            yield start + said + ", ".join(kept)


def without_types(text: str) -> str:
    """Return functions as programs have them, without types.

    >>> without_types("def move(x: Any, c: int) -> None:")
    'def move(x, c):'
    """
    return re.sub(r"^ *def .*", lambda found: TYPES.sub("", found[0]), text, flags=re.MULTILINE)


def _after(module: Path, mark: str) -> str:
    return module.read_text(encoding="utf-8").partition(mark)[2]


def view(itemsize: int, masks: Sequence[int] | None = None, streams: bool = True) -> dict[str, Any]:
    """Return what the template prints: which lines and registers meet, and what is done where. The
    moves of a program exchange the bits of these masks: one that only some exchange is asked for,
    as all are in a module.
    """
    lanes = LINE // itemsize
    count, wide, apart = max(lanes, LINES), lanes > WIDE, tuple(range(0, lanes, LINES))
    some = lanes - 1 if masks is None else reduce(or_, masks)
    every = 0 if masks is None else reduce(and_, masks)
    bits = [1 << k for k in range(some.bit_length()) if some >> k & 1]
    asked, inside = [bit for bit in bits if not bit & every], LINES if wide else lanes
    absent = ["stages"] * (not asked) + ["streamed"] * (not streams)
    names = [name for name in (*ARGUMENTS, *["tile"] * wide) if masks is None or name not in absent]
    kinds = [": Any" if name in ARRAYS else ": int" for name in names]
    types = kinds if masks is None else [""] * len(names)
    return {
        "annotated": masks is None,
        "names": names,
        "arguments": ", ".join(map(str.__add__, names, types)),
        "asked": asked,
        "itemsize": itemsize,
        "lanes": lanes,
        "last": lanes - 1,
        "count": count,
        "wide": wide,
        "order": tuple(range(LINES if wide else count)),
        "inside": [*_exchanging([bit for bit in bits if bit < inside], asked)],
        "across": [*_exchanging([bit for bit in bits if bit >= inside], asked)],
        "apart": apart,
        "sources": _places(0, range(LINES)),
        "prefetched": [*_prefetching(lanes, wide)] * streams,
        "stored": _storing(lanes, _places(1, apart) if wide else "lines[1]", streams),
        "ended": ["if streamed:", "    fence()"] * streams,
    }


def _exchanging(bits: Sequence[int], asked: Sequence[int]) -> Iterator[str]:
    """Yield the lines that exchange the elements of registers whose numbers differ in a bit."""
    for bit in bits:
        line = f"v = exchange(v, {bit})"
        yield from [f"if stages & {bit}:", f"    {line}"] if bit in asked else [line]


def _prefetching(lanes: int, wide: bool) -> Iterator[str]:
    """Yield the lines that have the lines of a later tile loaded."""
    yield "if streamed:  # prefetch the lines of a later tile"
    yield f"    p = high[0, h] ^ low[0, l + {AHEAD} & low.shape[1] - 1]"
    yield from [f"    for i in range({lanes}):"] * wide
    yield (
        "        prefetch(source, p, (lines[0, i],))"
        if wide
        else "    prefetch(source, p, lines[0])"
    )


def _storing(lanes: int, places: str, streams: bool) -> list[str]:
    """Return the lines that store the lines of a tile, past the caches where this is asked for."""
    where = f"(target, t >> {lanes.bit_length() - 1}, {places}, v)"
    if not streams:
        return [f"store{where}"]
    return ["if streamed:", f"    stream{where}", "else:", f"    store{where}"]


def _places(side: int, lines: Sequence[int]) -> str:
    """Return the places of some lines of a wide tile, from line g on.

    >>> _places(1, (0, 8))
    '(lines[1, g], lines[1, g + 8])'
    """
    each = (f"lines[{side}, g{f' + {line}' if line else ''}]" for line in lines)
    return f"({', '.join(each)})"
