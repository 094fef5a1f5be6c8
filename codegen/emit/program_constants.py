"""What a straight program states beside its supersteps: constants, places of elements, and in words
what its plan keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.cost.counted import count
from codegen.emit.steps import compiled_kernels, hartley_lines
from codegen.emit.words import escaped, literal, quoted
from codegen.program.protocol import COMPLEX
from codegen.program.supersteps import Program
from codegen.requests import command
from codegen.system_table import listed_names
from codegen.systems.exchanges import WAYS
from codegen.systems.options import Backend
from codegen.systems.record import Request
from derive.call_arguments import counted
from derive.digits.digit_layouts import ArrayLayout
from derive.formula.affine_layouts import Layout
from derive.maps.map_expressions import Expression


def _of_arrays(program: Program) -> Iterator[tuple[str, str, str]]:
    """Yield the constants of a program for arrays of several axes, or for a batch."""
    request, before, after = program.request, program.input, program.output
    if program.is_shaped and isinstance(before, ArrayLayout) and isinstance(after, ArrayLayout):
        sizes = ", ".join(map(literal, (request.shape, request.grid)))
        yield "SHAPE, GRID", sizes, "the axes, and the number of ranks along each input axis"
        yield (
            "BATCH",
            str(request.batch),
            "number of arrays, stacked along a first axis; 0: one array without that axis",
        )
        parts = ", ".join(map(literal, (before.local_shape, after.local_shape)))
        yield "LOCAL_INPUT, LOCAL_OUTPUT", parts, "the shapes of a rank's part"


def _of_residues(request: Request) -> Iterator[tuple[str, str, str]]:
    if request.modulus:
        numbers = f"{request.modulus}, {request.root}, {1 if request.is_forward else -1}"
        yield "MODULUS, ROOT, SIGN", numbers, "w_n = ROOT^(SIGN N / n) modulo the prime MODULUS"
        if request.backend.is_whole:
            yield "INVERSE", "pow(MODULUS, -1, 2**32)", "for products by Montgomery's algorithm"


def common(program: Program) -> dict[str, Any]:
    """Return what every program states of itself, and the functions that spell values."""
    request = program.request
    return {
        "command": escaped(command(request)),
        "cost": count(program),
        "quoted": quoted,
        "counted": counted,
        "transform": transform(request),
        "N": request.N,
        "P": request.P,
        "input": program.input.name,
        "output": program.output.name,
        "dtype": request.dtype,
        "kernels": request.kernels,
        "exchange": request.exchange,
    }


def library(request: Request, compiles: bool) -> Backend:
    """Return what the kernels of a program are made by; where nothing is compiled, there is no
    library that compiles.
    """
    return request.backend if compiles or request.backend.is_planned else Backend()


def fourier_title(request: Request, elements: str) -> str:
    """Return the title of a Fourier transform of these elements, in words."""
    many = f"{request.batch} arrays of " * (request.batch > 0)
    return (
        f"Discrete Fourier transform of {many}N = {elements} on"
        f" P = {counted(request.P, 'rank')}: "
        f"{request.direction}, {request.dtype}, {request.kernels} kernels."
    )


def transform(request: Request) -> dict[str, str]:
    """Return the constants that say what is computed: a permutation has no direction."""
    found = {"TRANSFORM": request.system}
    if request.record.directed:
        found |= {"DIRECTION": request.direction, "NORM": request.norm}
    if request.record.has("type"):
        found |= {"TYPE": request.type}
    return {name: quoted(value) for name, value in found.items()}


def constants(program: Program, roots: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the constants of a system: names, values and a comment; some are of programs that have
    `roots` of unity.
    """
    request = program.request
    yield from _of_arrays(program)
    if request.permutation is not None:
        comment = "element j moves to index A j + C; A is the bit matrix with these columns"
        yield (
            "A, C",
            literal((request.permutation.address.columns, request.permutation.address.c))[1:-1],
            comment,
        )
        return
    yield from _of_residues(request)
    sign = -1 if request.is_forward else 1
    factors = {"SIGN": str(sign)} if roots else {}
    factors |= {"SCALE": request.scale} if request.scale != "1" else {}
    if factors:
        comment = "w_n = exp(SIGN 2 pi i / n)" if roots else ""
        yield ", ".join(factors), ", ".join(factors.values()), comment
    if request.scheme:
        comment = "the program of the paper; 5r is Prog. 5 with four rotating half blocks"
        yield "SCHEME", quoted(request.scheme), comment
    if request.formula is not None:
        name = "EXPRESSION" if request.record.of_expressions else "FACTORIZATION"
        yield name, quoted(str(request.formula)), ""
    yield from request.backend.constants
    if program.in_lists:
        yield from hartley_lines.constants(request, roots)
    if program.in_pairs:
        pairs = "are G pairs, treated as complex numbers"
        alone = "are treated as G complex numbers"
        comment = f"a rank's elements {alone if program.unit == COMPLEX else pairs}"
        yield "G, COMPLEX", f"{program.G}, np.result_type(DTYPE, np.complex64)", comment
    for name in ("phases", "local"):
        if chosen := getattr(request, name):
            yield name.upper(), quoted(chosen), ""


def in_words(tables: list[dict[str, Any]]) -> str:
    """Return what a plan keeps, in words."""
    groups = any(table["macro"] == "group" for table in tables)
    words = {
        **{way.keeps: way.keeps for way in WAYS.values() if way.keeps},
        "mail": "buffers and requests of its messages",
        "twiddle": "twiddles",
        "twiddles": "twiddles",
        "weights": "weights",
        "fourier": "FFTW plans",
        "offsets": "tables of offsets",
        "places": "tables of indices",
        "tiles": "tables of tiles",
        **dict.fromkeys(compiled_kernels.KINDS, "tables of its kernel"),
        "peers": "the ranks it communicates with",
        "half": "twiddles",
        "roots": "the roots of unity of its kernels",
        "room": "scratch buffers of its kernels",
        "tile": "a tile",
        "entries": "offsets of entries",
        "made": "a send buffer",
        "work": "a work array",
        "pairs": "an array of complex numbers",
    }
    kinds = {table.get("words", table["macro"]) for table in tables}
    kept = ["communicators" if groups else "a communicator"]
    kept += dict.fromkeys(word for kind, word in words.items() if kind in kinds)
    return listed_names(kept)


def kept(views: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the tables of a plan, in words and by name, which of them are collective, and whether
    each rank has a message for every rank in all exchanges, or all that another one stores in one.
    """
    messages = [each for each in views if each["macro"] in ("messages", "both")]
    return {
        "tables": views,
        "kept": [table["name"] for table in views if table["macro"] != "group"],
        "keeps": in_words(views),
        "communicators": [table["name"] for table in views if table["macro"] == "group"],
        "of_messages": any(each["macro"] == "messages" for each in messages),
        "of_all": all(each.get("of_all") for each in messages),
        "of_both": any(each["macro"] == "both" for each in messages),
        "mails": [each["name"] for each in views if each["macro"] == "mail"],
        "of_two": any(each.get("of_two") for each in views),
        "collective": [
            each["name"] for each in views if each["macro"] in ("group", "window", "mail")
        ],
    }


def places(program: Program) -> dict[str, Expression]:
    """Return where elements of input and output are, and which they are, as expressions."""
    found = dict[str, Expression]()
    for side, layout, j in (("input", program.input, "j"), ("output", program.output, "k")):
        if isinstance(layout, Layout | ArrayLayout):
            rank, offset = layout.address.divided(layout.M)
            three = (
                _for_each(j, rank.written([(j, layout.N)])),
                _for_each(j, offset.written([(j, layout.N)])),
                _for_each("o", layout.back.written([("rank", layout.P), ("o", layout.M)])),
            )
        else:
            one, two, index = hartley_lines.places(layout, j)
            three = Expression(one), Expression(two), Expression(index)
        names = (f"{side}_rank", f"{side}_offset", f"{side}_index")
        found |= dict(zip(names, three, strict=True))
    return found


DIVISIONS = {"block": "divmod(%s, {M})", "cyclic": "divmod(%s, {P})[::-1]"}
"""By which division an element has its rank and offset."""


def division(layout: object) -> str:
    """Return the division by which a layout has rank and offset, %s for the index; "" of others.

    >>> from derive.formula.affine_layouts import bit_reversed, cyclic
    >>> division(cyclic(1024, 4)), division(bit_reversed(1024, 4))
    ('divmod(%s, 4)[::-1]', '')
    """
    if not isinstance(layout, Layout):
        return ""
    return DIVISIONS.get(layout.name, "").format(M=layout.M, P=layout.P)


def _for_each(name: str, found: Expression) -> Expression:
    """Return an expression that has a value for each of an array of this name."""
    if found.uses(name):
        return found
    text = f"{name} * 0 + {found}" if found.names else f"{name} * 0"
    return Expression(text, found.by_matrix, found.names)
