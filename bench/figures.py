"""Figures 1 to 3 of Inda & Bisseling and of Aykanat & Dervis, drawn from our own numbers:

python -m bench.figures [NAME ..] [--folder docs/figures]

Every place, pair and weight is that of the factorization which is checked and proved here:
`bsp_phases.groups`, γ_u, the rows of Â_{k,u}, σ and packets, Q_l.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from derive.exact.action import act
from derive.exact.rings import Terms
from derive.formula.grammar import I, kron
from derive.formula.permutation_matrices import Gamma, S
from derive.formula.permutations import lg, target
from derive.formula.transforms import AHat
from derive.papers.bsp_phases import groups, radices
from derive.papers.hypercube import mapping
from derive.papers.statements.statement_tables import at_sizes
from derive.show.drawing import (
    INK,
    Boxes,
    Drawing,
    Lines,
    Shape,
    Words,
    beside,
    color,
    heading,
    paragraph,
    stacked,
)
from derive.show.grids import storage
from derive.show.svg import svg

Places = NDArray[np.int64]
"""The address of every index."""
FOLDER = Path(__file__).parent.parent / "docs" / "figures"


@dataclass(frozen=True)
class Stage:
    """Butterflies of size K while index j lies at the address places[j]."""

    name: str
    places: Places
    K: int

    def pairs(self) -> Places:
        """Return the addresses of the two indices of every butterfly, of shape (N/2, 2)."""
        j = np.arange(len(self.places))
        first = j[j % self.K < self.K // 2]
        return np.stack([self.places[first], self.places[first + self.K // 2]], axis=1)


def bsp_stages(N: int, P: int) -> list[Stage]:
    """Return the stages of (2.8), each in the distribution of its phase.

    >>> [(stage.name, stage.K) for stage in bsp_stages(32, 8)]
    [('C^8', 2), ('C^8', 4), ('C^2', 8), ('C^2', 16), ('C^1', 32)]
    """
    found, K = list[Stage](), 1
    for u, d in zip(groups(N, P), radices(N, P), strict=True):
        places = np.asarray(target(Gamma(u, P, N)))
        for _ in range(lg(d)):
            K *= 2
            found.append(Stage(f"C^{P // u}", places, K))
    return found


def hypercube_stages(N: int, P: int, dynamic: bool) -> list[Stage]:
    """Return the stages of Prog. 2, or of Prog. 3 with its dynamic mapping.

    >>> [stage.name for stage in hypercube_stages(8, 4, True)]
    ['Q_0', 'Q_1', 'Q_2']
    """
    local = lg(N) - lg(P)
    moved = [max(0, k - local + 1) if dynamic else 0 for k in range(lg(N))]
    return [
        Stage(f"Q_{l}", np.asarray(target(mapping(N, P, l))), 2 << k) for k, l in enumerate(moved)
    ]


def across_ranks(stage: Stage, P: int) -> int:
    """Return how many butterflies of a stage join two ranks.

    >>> [across_ranks(stage, 4) for stage in hypercube_stages(32, 4, False)]
    [0, 0, 0, 16, 16]
    """
    ranks = stage.pairs() // (len(stage.places) // P)
    return int((ranks[:, 0] != ranks[:, 1]).sum())


def flow(title: str, stages: Sequence[Stage], P: int, logical: bool = False) -> Drawing:
    """Return a flow graph, an address a row: butterflies in the color of the rank that does them,
    black between two ranks; elements that change their address as thin lines.

    In the logical view a row is an index, and colors alone say where it lies.
    """
    N, row, wide, gap, top = len(stages[0].places), 9.0, 46.0, 26.0, 36.0
    y, x, before = top + row * np.arange(N), 30.0, stages[0].places
    shapes: list[Shape] = [Words(0, 8, title, 11, anchor="start", bold=True)]
    shapes += [Words(24, at, str(i), 6, anchor="end") for i, at in enumerate(y.tolist())]
    for stage in stages:
        if not np.array_equal(stage.places, before):
            if not logical:
                ends = zip(y[before].tolist(), y[stage.places].tolist(), strict=True)
                shapes.append(Lines(tuple((x, a, x + gap, b) for a, b in ends), INK, 0.5, 0.5))
            x, before = x + gap, stage.places
        shapes.append(Words(x + wide / 2, 22, f"{stage.name}, K = {stage.K}", 7))
        shapes += _crossed(stage, P, logical, x, wide, y)
        x += wide
    return Drawing(title, x + 4, top + row * N, tuple(shapes))


def _crossed(
    stage: Stage, P: int, logical: bool, x: float, wide: float, y: NDArray[np.float64]
) -> Iterator[Shape]:
    """Yield the lines of each rank's butterflies."""
    pairs, back = stage.pairs(), np.argsort(stage.places)
    ranks = pairs // (len(y) // P)
    shown = back[pairs] if logical else pairs
    same = ranks[:, 0] == ranks[:, 1]
    for rank in range(-1, P):
        chosen = shown[(ranks[:, 0] == rank) & same] if rank >= 0 else shown[~same]
        lines = tuple(
            (x, float(y[a]), x + wide, float(y[b]))
            for p, q in chosen.tolist()
            for a, b in ((p, p), (q, q), (p, q), (q, p))
        )
        if lines:
            yield Lines(lines, color(rank) if rank >= 0 else INK, 0.8, 0.9)


def bsp_1(N: int = 32, P: int = 8) -> Drawing:
    """Return Figure 1 of Inda & Bisseling: butterflies in the group-cyclic distributions."""
    stages = bsp_stages(N, P)
    views = [flow("(A) logical view", stages, P, True), flow("(B) storage view", stages, P)]
    title = f"Butterflies of F_{N} on P = {P} ranks, a color for each rank"
    return stacked([heading(title), beside(views)], title)


def rows(k: int, u: int, P: int, N: int) -> Places:
    """Return row, column and e of each nonzero entry w_{ku}^e of Â_{k,u,P,N}, of shape (2 N, 3).

    >>> rows(2, 2, 2, 8).tolist()[4:8]
    [[2, 2, 0], [2, 3, 0], [3, 2, 0], [3, 3, 2]]
    """
    order = max(4, k * u)
    ring = Terms(order)
    found = ring.rows(act(AHat(k, u, P, N), ring.units(N, range(N)), ring))
    row = np.repeat(np.arange(N), found.shape[1])
    entries = np.stack([row, found.reshape(-1) // order, found.reshape(-1) % order], axis=1)
    entries = entries[found.reshape(-1) >= 0]
    entries[:, 2] = entries[:, 2] * k * u // order
    return np.asarray(entries)


def bsp_2(N: int = 128, P: int = 8, k: int = 8, u: int = 4) -> Drawing:
    """Return Figure 2 of Inda & Bisseling: the blocks of Â_{k,u}, and of B_k^{s/u} the weights."""
    entries, n = rows(k, u, P, N), N // P
    whole = _entries(f"(A) Â_{{{k},{u}}}, r = {P // u}", entries, N, n, u, 2.4)
    inner = entries[(entries[:, :2] < n * u).all(axis=1)]
    group = _entries(f"(B) one group, diag(A_{k}^{{0/{u}}}, ..)", inner, n * u, n, u, 4.8)
    weights = []
    for s in range(u):
        part = entries[(entries[:, 0] // k == s * n // k) & (entries[:, 1] >= s * n + k // 2)]
        exponents = part[: k // 2, 2].tolist()
        said = ", ".join(f"w_{k * u}^{e}" for e in exponents)
        weights.append(f"s = {s}: B_{k}^{{{s}/{u}}} has the weights {said}")
    below = stacked([heading(f"(C) w_{k}^(j + s/{u})", size=11), paragraph(*weights)], gap=2)
    title = f"Structure of Â_{{{k},{u}}}, N = {N}, P = {P}, n = {n}"
    return stacked([heading(title), beside([whole, group]), below], title)


def _entries(title: str, entries: Places, N: int, n: int, u: int, cell: float) -> Drawing:
    """Return the nonzero entries of a matrix, in a color for each α = s/u."""
    top, side = 22.0, cell * N
    shapes: list[Shape] = [Words(0, 8, title, 11, anchor="start", bold=True)]
    cuts = tuple((0.0, top + cell * i, side, top + cell * i) for i in range(0, N + 1, n))
    cuts += tuple((cell * i, top, cell * i, top + side) for i in range(0, N + 1, n))
    shapes.append(Lines(cuts, INK, 0.4, 0.4))
    for s in range(u):
        chosen = entries[entries[:, 0] // n % u == s].tolist()
        places = tuple((cell * j, top + cell * i) for i, j, _ in chosen)
        shapes.append(Boxes(places, cell, cell, color(s), 0.9))
    return Drawing(title, side, top + side, tuple(shapes))


def bsp_3(N: int = 32, P: int = 4) -> Drawing:
    """Return Figure 3 of Inda & Bisseling: block to cyclic as a local permutation and packets."""
    b = N // P
    local = np.asarray(target(kron(I(P), S(P, b))))
    packets = np.asarray(target(kron(S(P, P * P), I(b // P))))
    after = packets[local]
    assert np.array_equal(after, np.asarray(target(at_sizes("bsp-3.6", p=P, c=b // P).left)))
    names = "block distribution", f"(A) after the local σ_{{{P},{b}}}", "(B) after the packets"
    parts = [
        _held(name, places, P, after // b)
        for name, places in zip(names, (np.arange(N), local, after), strict=True)
    ]
    title = f"Block to cyclic, N = {N}, P = {P}, packets of {b // P}: a color for each destination"
    return stacked([heading(title), beside(parts)], title)


def _held(name: str, places: Places, P: int, colors: Places) -> Drawing:
    """Return which index each rank holds at each offset."""
    index, M = np.argsort(places).tolist(), len(places) // P

    def cell(rank: int, offset: int) -> tuple[str, int]:
        j = index[rank * M + offset]
        return str(j), int(colors[j])

    return storage(name, cell, P, M)


def hypercube_1() -> Drawing:
    """Return Figure 1 of Aykanat & Dervis: a butterfly with two products, and with one."""
    two = _butterfly("(a) basic butterfly: 2 products", ("W^r", "W^(r+N/2)"), False)
    one = _butterfly("(b) simplified butterfly: 1 product", ("W^r", "-W^r"), True)
    title = "Butterflies: W^(r+N/2) = -W^r"
    return stacked([heading(title), beside([two, one])], title)


def _butterfly(title: str, weights: tuple[str, str], once: bool) -> Drawing:
    """Return X(p) + w X(q) and X(p) + w' X(q); the product is made once, or on each edge."""
    top, low, left, middle, right = 40.0, 100.0, 40.0, 100.0, 200.0
    start = middle if once else left
    lines = ((left, top, right, top), (left, low, right, low))
    lines += ((start, low, right, top), (start, top, right, low))
    shapes: list[Shape] = [Words(0, 8, title, 11, anchor="start", bold=True), Lines(lines, INK, 1)]
    shapes += [Words(18, top, "X(p)", 9), Words(18, low, "X(q)", 9)]
    if once:
        shapes += [Words((left + middle) / 2, low - 8, weights[0], 9)]
        shapes += [Words(right - 16, low + 9, "-1", 9)]
    else:
        shapes += [Words(116, top + 18, weights[0], 9), Words(116, low + 9, weights[1], 9)]
    shapes.append(Words(right + 8, top, f"X(p) + {weights[0]} X(q)", 9, anchor="start"))
    sign, weight = ("-", weights[0]) if once else ("+", weights[1])
    shapes.append(Words(right + 8, low, f"X(p) {sign} {weight} X(q)", 9, anchor="start"))
    return Drawing(title, right + 130, low + 20, tuple(shapes))


def hypercube_2(N: int = 32, P: int = 4) -> Drawing:
    """Return Figure 2 of Aykanat & Dervis: the flow graph with the static mapping."""
    stages = hypercube_stages(N, P, False)
    crossing = sum(across_ranks(stage, P) for stage in stages)
    title = f"{N}-point FFT on P = {P} ranks, static mapping: {crossing} butterflies join two ranks"
    return stacked([heading(title), flow("input bit-reversed", stages, P)], title)


def hypercube_3(N: int = 32, P: int = 4) -> Drawing:
    """Return Figure 3 of Aykanat & Dervis: the flow graph with the dynamic mapping, and Q_l."""
    stages = hypercube_stages(N, P, True)
    assert not any(across_ranks(stage, P) for stage in stages)
    held = [
        _held(f"Q_{l}", np.asarray(target(mapping(N, P, l))), P, np.arange(N) // (N // P))
        for l in range(lg(P) + 1)
    ]
    title = f"{N}-point FFT on P = {P} ranks, dynamic mapping: no butterfly joins two ranks"
    return stacked(
        [heading(title), beside([flow("input bit-reversed", stages, P), stacked(held)])], title
    )


FIGURES: dict[str, Callable[[], Drawing]] = {
    "bsp-1": bsp_1,
    "bsp-2": bsp_2,
    "bsp-3": bsp_3,
    "hypercube-1": hypercube_1,
    "hypercube-2": hypercube_2,
    "hypercube-3": hypercube_3,
}


def main(arguments: list[str] | None = None) -> None:
    """Write the figures, all of them where none is named."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FIGURES))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    given = parser.parse_args(arguments)
    unknown = sorted({*given.names} - {*FIGURES})
    if unknown:
        parser.error(f"no figure {', '.join(unknown)}: they are {', '.join(FIGURES)}")
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.names or FIGURES:
        path = given.folder / f"{name}.svg"
        path.write_text(svg(FIGURES[name]()) + "\n", encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
