"""The data flow of a program as a picture: ranks as rows, supersteps as columns; of many ranks the
sizes of messages from rank to rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from codegen.cost.flow import MOST_LISTED, Part, Sends, flow
from codegen.program.supersteps import Program
from derive.call_arguments import counted
from derive.show.drawing import (
    RED,
    Boxes,
    Drawing,
    Lines,
    Shape,
    Words,
    color,
    heading,
    paragraph,
    product,
    stacked,
)
from nodewright.show import message_sizes

MOST_LINES = 16
"""Messages between more ranks are cells of a heat map: as lines they hide each other."""
HOW = "box: a rank computes; line: a message, in the color of the rank that sends it"
LONGEST = 100
"""So many letters of a superstep's words are shown."""


def drawn(program: Program, now: Sequence[int] = ()) -> Drawing:
    """Return who sends to whom in each superstep of a program: lines in the color of the rank that
    sends, of more than 16 ranks heat maps. What is `now` is marked.

    Raises ValueError for more than 256 ranks.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> drawn(resolve(make_request("fft", 64, 4))).title
    'fft, N = 64 on P = 4 ranks, block to block'
    >>> axes = make_request("fft", 24, 4, "cyclic", "cyclic", shape=(4, 6), grid=(2, 2))
    >>> drawn(resolve(axes)).title
    'fft, N = 4 x 6 = 24 on P = 2 x 2 = 4 ranks, cyclic to cyclic'
    """
    P = program.P
    title, parts = headline(program), flow(program)
    lines = [f"{i}  {said(part, P)}" for i, part in enumerate(parts, 1)]
    legend = paragraph(*lines or ["no rank computes or sends"], size=11)
    if P <= MOST_LINES:
        return stacked([heading(title, HOW), _columns(parts, P, now), legend], title)
    maps = message_sizes.heat_maps(program, now)
    return stacked([heading(title, message_sizes.HOW), maps, legend], title)


def headline(program: Program) -> str:
    """Return what a program transforms, with its shape, its grid of ranks and its layouts."""
    request = program.request
    size, ranks = product(request.shape or (request.N,)), product(request.grid or (program.P,))
    layouts = f"{program.input.name} to {program.output.name}"
    return f"{request.system}, N = {size} on P = {counted(ranks, 'rank')}, {layouts}"


def shown(program: Program) -> Drawing | str:
    """Return the picture of a program, or a text where it has none."""
    P = program.P
    return drawn(program) if P <= MOST_LISTED else f"P = {P}: drawn up to {MOST_LISTED} ranks"


def said(part: Part, P: int) -> str:
    """Return what a superstep does in a line.

    >>> said(Sends("Γ", ((0, 1), (1, 0)), 8, 6), 2)
    'Γ: 2 messages of 6 to 8 elements, every rank sends 1'
    """
    words = part.words if len(part.words) <= LONGEST else part.words[:LONGEST] + " .."
    if not isinstance(part, Sends):
        return f"{words}, within every rank"
    sent = Counter(source for source, _ in part.pairs)
    counts = {sent[k] for k in range(P)}
    each = f"every rank sends {'at most ' * (len(counts) > 1)}{max(counts)}"
    few = f"{part.least} to " * (part.least < part.elements)
    size = f"{counted(len(part.pairs), 'message')} of {few}{counted(part.elements, 'element')}"
    return f"{words}: {size}, {each}"


def _columns(parts: tuple[Part, ...], P: int, now: Sequence[int] = ()) -> Drawing:
    """Return the supersteps side by side: a box where a rank computes, lines where it sends."""
    row, box = (26, 20) if P <= 8 else (16, 12)
    across = 100 if P <= 4 else 150 if P <= 8 else 250
    thick = 1.1 if P <= 8 else 0.7
    middles = [34 + row * (k + 0.5) for k in range(P)]
    x, shapes = 34.0, list[Shape]()
    shapes += [Words(0, y, f"P{k}", 10, anchor="start", bold=True) for k, y in enumerate(middles)]
    for i, part in enumerate(parts, 1):
        width = across if isinstance(part, Sends) else 46
        if i - 1 in now:
            shapes.append(Boxes(((x, 2),), width, 30 + row * P, RED, 0.2))
        shapes.append(Words(x + width / 2, 16, str(i), 11, bold=True))
        if isinstance(part, Sends):
            kept = tuple((x, y, x + width, y) for y in middles)
            shapes.append(Lines(kept, width=0.8, opacity=0.25))
            for k, y in enumerate(middles):
                sent = (to for source, to in part.pairs if source == k)
                lines = tuple((x, y, x + width, middles[to]) for to in sent)
                shapes += [Lines(lines, color(k), thick, 0.9)] * bool(lines)
        else:
            places = ((x + 2, y - box / 2) for y in middles)
            shapes += [Boxes((at,), width - 4, box, color(k), 0.45) for k, at in enumerate(places)]
        x += width
    shapes += [Words(x + 6, y, f"P{k}", 10, anchor="start") for k, y in enumerate(middles)]
    return Drawing("", x + 34, 34 + row * P, tuple(shapes))
