"""The mappings of Figures 2 and 3 of Aykanat & Dervis, drawn:

python -m bench.mappings FILE.svg [--size 32] [--ranks 4]

The static mapping is Q_0, the identity. Q_l is the dynamic mapping after l exchanges. A picture of
each shows which point of the FFT every rank holds at every offset, in the color of the rank that
held it first. Points of the upper and the lower half of a rank's array are the p and q points of
its butterflies in stage n - d + l - 1.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from derive.formula.permutations import lg, target
from derive.papers.hypercube import mapping
from derive.show.grids import storage
from derive.show.shapes import Drawing, stacked
from derive.show.svg import svg
from nodewright import plot


def points(N: int, P: int, l: int) -> list[int]:
    """Return the point of the FFT at each address, after l exchanges.

    >>> points(8, 2, 1)
    [0, 1, 4, 5, 2, 3, 6, 7]
    """
    found = [0] * N
    for point, address in enumerate(target(mapping(N, P, l))):
        found[int(address)] = point
    return found


def drawn(N: int, P: int) -> Drawing:
    """Return a picture of Q_0, .., Q_d, one below the other.

    >>> drawn(32, 4).title
    'N = 32 points on P = 4 ranks'
    """
    M, pictures = N // P, []
    for l in range(lg(P) + 1):
        held = points(N, P, l)

        def cell(rank: int, offset: int, held: list[int] = held) -> tuple[str, int]:
            point = held[rank * M + offset]
            return str(point), point // M

        name = "static mapping, Q_0" if l == 0 else f"dynamic mapping, Q_{l}"
        pictures.append(storage(name, cell, P, M))
    return stacked(pictures, f"N = {N} points on P = {P} ranks")


def main(arguments: list[str] | None = None) -> None:
    """Draw the mappings into a file."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help=".svg, or .png with matplotlib")
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--ranks", type=int, default=4)
    given = parser.parse_args(arguments)
    picture = drawn(given.size, given.ranks)
    if given.file.suffix == ".svg":
        given.file.write_text(svg(picture), encoding="utf-8")
    else:
        plot.save(plot.figure(picture), given.file)


if __name__ == "__main__":
    main()
