"""The options of the command line, what they are called and what they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

from codegen.program.hartley import ALGORITHMS
from codegen.spec import EXCHANGES, KERNELS, SCHEME, SYSTEMS, Spec
from derive.formula import layout
from derive.formula.grammar import Formula as Term
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.gf2.reading import read_matrix
from derive.papers import bsp_variants, hypercube
from derive.verdict import Verdict, holds
from nodewright.cli import console
from nodewright.cli.commands import Exit, argument, option


def number(text: str) -> int:
    """Return a positive integer written as digits or as a power: 1024, 2^10.

    Raises ValueError for anything else.

    >>> number("2^10")
    1024
    """
    found = re.fullmatch(r"([0-9]{1,20})(?:\^([0-9]{1,3}))?", text)
    if not found:
        raise ValueError(
            f"{text!r} is no size: a size is a positive integer below 2^63, as 1024 or 2^10"
        )
    base, exponent = int(found[1]), int(found[2] or 1)
    if base**exponent >= 1 << 63:
        raise ValueError(f"{text}: sizes lie below 2^63")
    return int(base**exponent)


def numbers(text: str) -> list[int]:
    """Return positive integers written one after the other, with commas.

    >>> numbers("2,2^3")
    [2, 8]
    """
    found = [number(part) for part in text.split(",")]
    if 0 in found:
        raise ValueError(f"{text}: numbers above 0")
    return found


def complement(text: str) -> int:
    """Return the c of y = A x + c, written as digits or with 0x or 0b before them.

    Raises ValueError for anything else.

    >>> complement("21"), complement("0x15"), complement("0b10101")
    (21, 21, 21)
    """
    if not re.fullmatch(r"-?([0-9]{1,1300}|0x[0-9a-fA-F]{1,1024}|0b[01]{1,4096})", text):
        raise ValueError(f"{text!r} is no integer: write 21, 0x15 or 0b10101")
    return int(text, 10 if text.lstrip("-").isdecimal() else 0)


Size = Annotated[str, option("--size", metavar="N", help="Number of elements, 1024 or 2^10.")]
Ranks = Annotated[str, option("--ranks", metavar="P", help="Number of MPI ranks, 4 or 2^2.")]
System = Annotated[str, argument(metavar="SYSTEM", help=f"One of: {', '.join(SYSTEMS)}.")]
Input = Annotated[
    str,
    option(
        "--input",
        metavar="L",
        help=f"Layout of the input: {layout.AFFINE_LAYOUTS}; of fht hartley, hartley-input, too.",
    ),
]
Output = Annotated[
    str,
    option("--output", metavar="L", help="Layout of the output; block by default, of fht hartley."),
]
Algorithm = Annotated[
    str,
    option(
        "--algorithm",
        metavar="A",
        help=f"Which fht: {', '.join(ALGORITHMS)}; the first by default.",
    ),
]
MORE_EXCHANGES = "overlapped for fft and fht; shared, on one node, for fft and permute"
Exchange = Annotated[
    str,
    option(
        "--exchange",
        metavar="X",
        help=f"How messages travel: {', '.join(EXCHANGES)}; {MORE_EXCHANGES}.",
    ),
]
Matrix = Annotated[
    Path | None,
    option(
        "--matrix", metavar="FILE", help="A permutation: n lines of n characters 0/1, or a .npy."
    ),
]
Name = Annotated[
    str | None,
    option("--name", metavar="NAME", help=f"A permutation: {', '.join(bmmc.NAMED)}, transpose:Q."),
]
Complement = Annotated[
    str, option("--complement", metavar="INT", help="c of y = A x + c, 21, 0x15 or 0b10101.")
]
Formula = Annotated[
    str | None,
    option(
        "--formula", metavar="'LEFT = RIGHT'", help="An equation of your own (docs/notation.md)."
    ),
]
AnySystem = Annotated[
    str | None,
    argument(metavar="SYSTEM", help=f"One of: {', '.join(SYSTEMS)}; none with --formula."),
]
AnySize = Annotated[
    str | None,
    option(
        "--size", metavar="N", help="Number of elements, 1024 or 2^10; --matrix states it, too."
    ),
]
AnyRanks = Annotated[
    str | None, option("--ranks", metavar="P", help="Number of MPI ranks, 4 or 2^2.")
]
Scheme = Annotated[
    str,
    option(
        "--scheme",
        metavar="K",
        help=f"Which hypercube-fft: {', '.join(hypercube.PROGRAMS)}; {SCHEME} by default.",
    ),
]
Phases = Annotated[
    str,
    option(
        "--phases",
        metavar="D,D,..",
        help=(
            "Sizes of the phases of fft, their product N; or leftmost, paired, balanced (section"
            " 4.2)."
        ),
    ),
]
LocalForm = Annotated[
    str,
    option(
        "--local",
        metavar="FORM",
        help=(
            f"How a rank does a phase of fft: {', '.join(bsp_variants.LOCALS)},"
            f" {bsp_variants.CACHE_FRIENDLY}:V."
        ),
    ),
]
Kernels = Annotated[str, option("--kernels", help=", ".join(KERNELS))]
Json = Annotated[bool, option("--json", help="Print one JSON object and nothing else.")]


def leave(*verdicts: Verdict) -> None:
    """End with exit status 1 if a verdict is a refutation or undecided."""
    if not all(holds(verdict) for verdict in verdicts):
        raise Exit(1)


def verdict_record(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as --json prints it."""
    return {"verdict": console.strength(verdict), **asdict(verdict)}


def only_a_formula(others: dict[str, object]) -> None:
    """Raise ValueError where something is stated that an equation of one's own does not take."""
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise ValueError(
            f"--formula and {', '.join(given)}: an equation of your own states its sizes itself"
        )


def need_formula(formula: str | None, values: str) -> None:
    """Raise ValueError where values are stated, and no equation the symbols of which have them."""
    if values and formula is None:
        raise ValueError(f"--set {values}: values are for the symbols of --formula 'LEFT = RIGHT'")


def stated_system(
    system: str | None, size: str | None, ranks: str | None, matrix: Path | None = None
) -> tuple[str, str, str]:
    """Return system, size and ranks, the size of a permutation from its matrix if it is not stated;
    raise ValueError where one is missing.
    """
    if size is None and system == "permute" and matrix is not None:
        size = f"2^{len(read_matrix(matrix))}"
    if system is None or size is None or ranks is None:
        missing = [
            name
            for name, value in (("SYSTEM", system), ("--size", size), ("--ranks", ranks))
            if value is None
        ]
        raise ValueError(
            f"{', '.join(missing)} missing: state SYSTEM --size N --ranks P, or --formula 'LEFT ="
            " RIGHT'"
        )
    return system, size, ranks


def stated_permutation(n: int, matrix: Path | None, name: str | None, c: str) -> Affine:
    """Return the permutation that --matrix or --name, and --complement, state."""
    if matrix is None and name is None:
        raise ValueError("no permutation: state it by --matrix FILE or by --name NAME")
    if matrix is not None and name is not None:
        raise ValueError(
            f"--matrix {matrix} with --name {name}: state the permutation by one of them"
        )
    if not 1 <= n <= 4096:
        raise ValueError(f"--bits {n}: the number of index bits lies between 1 and 4096")
    given = Affine.of(read_matrix(matrix)) if matrix else bmmc.named(str(name), n)
    if given.bits != n:
        raise ValueError(
            f"{matrix}: a {given.bits} x {given.bits} matrix for permutations of {given.bits} index"
            f" bits, not {n}"
        )
    return Affine(given.columns, n, given.c ^ Affine((), n, complement(c)).c)


FIELDS = {field.name for field in fields(Spec)} - {"system", "permutation", "formula"}
"""The fields of a request that have an option of the same name and value."""


def stated_spec(words: Mapping[str, Any], own: Callable[[int], Term] | None = None) -> Spec:
    """Return the request that a command's options make, by the names of its parameters; `own`
    gives the formula of N elements where it is one's own.
    """
    matrix, name, c = (words[word] for word in ("matrix", "name", "complement"))
    system, size, ranks = stated_system(words["system"], words["size"], words["ranks"], matrix)
    N, P, permutation = number(size), number(ranks), None
    if system == "permute":
        n, _ = bmmc.SIZES.exponents(N, P)
        address = stated_permutation(n, matrix, name, c)
        # no file is taken for a name
        title = name if matrix is None else f"{matrix}" if matrix.is_absolute() else f"./{matrix}"
        permutation = Bmmc(address, title)
    elif (matrix, name, c) != (None, None, "0"):
        raise ValueError(
            f"{system}: --matrix, --name and --complement state a permutation, which permute needs"
            " and nothing else takes"
        )
    formula = own(N) if own else None
    stated = {word: words[word] for word in FIELDS & words.keys() if words[word] is not None}
    return Spec(system, N, P, permutation=permutation, formula=formula, **stated)
