"""The commands on BMMC permutations: factor one, or recognize one."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Annotated

from derive.formula import affine_layouts, latex
from derive.gf2 import bmmc
from derive.gf2.bmmc_equations import COMPOSED
from derive.gf2.matrix_files import complement as number
from derive.gf2.recognize import Witness
from derive.sizes import number as size_of
from derive.verdict import Verdict
from nodewright import plot
from nodewright.api import permutation_calls
from nodewright.cli import console
from nodewright.cli.command_options import AnyRanks, Complement, Json, Matrix, Name
from nodewright.cli.commands import (
    Exit,
    argument,
    command,
    commands,
    leave,
    of_files,
    of_layouts,
    of_sizes,
)
from nodewright.show import factorization_picture

app = commands()

AnySize = Annotated[
    str | None, of_sizes("--size", metavar="N", help="Number of elements: 1024 or 2^10.")
]
Bits = Annotated[int | None, of_sizes("--bits", metavar="n", help="lg N, instead of --size.")]
ProcessorBits = Annotated[
    int | None, of_sizes("--processor-bits", metavar="p", help="lg P, instead of --ranks.")
]


StoredAs = Annotated[
    str,
    of_layouts(
        "--layout",
        metavar="L",
        help="Layout of the data: f:K (the rank is bits K, K+1, .. of the index), cyclic,"
        " group-cyclic:R, ..; the default is block, which Cormen calls processor-major.",
    ),
]
Png = Annotated[
    Path | None,
    of_files(
        "--png",
        metavar="FILE",
        help="Draw the matrices, the messages between ranks, and the elements that move (PNG).",
    ),
]


@command(app, "nodewright factor --name bit-reversal --size 16 --ranks 4")
def factor(
    size: AnySize = None,
    ranks: AnyRanks = None,
    bits: Bits = None,
    processor_bits: ProcessorBits = None,
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = "0",
    layout_name: StoredAs = "",
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Factor a BMMC permutation as A = V W (Cormen 1997).

    Such a permutation moves the element at index x to index A x + c, where x is a vector of
    bits over GF(2). Bit reversal, the Gray code and transpositions are of this kind.
    W moves elements within the ranks, V between them.
    """
    n = _exponent("--size", size, "--bits", bits, permutation_calls.index_bits)
    p = _exponent("--ranks", ranks, "--processor-bits", processor_bits, _lg)
    stated = permutation_calls.one_of(matrix, name)
    f = permutation_calls.factor(stated, n, p=p, c=number(complement), layout=layout_name)
    verdict = f.verdict
    if png:
        stored = affine_layouts.named(layout_name, 1 << n, 1 << p) if layout_name else None
        plot.save(plot.figure(factorization_picture.drawn(f, stored, str(name or matrix))), png)
    if as_json:
        console.emit_json(f.to_dict())
    else:
        _show_factors(f, verdict, layout_name)
    leave(verdict)


def factored(
    size: str, ranks: str, matrix: Path | None, name: str | None, c: str
) -> permutation_calls.Factorization:
    """Return the factorization of the permutation that the options of a command state."""
    stated, n = permutation_calls.one_of(matrix, name), permutation_calls.index_bits(size)
    _, p = bmmc.SIZES.exponents(1 << n, size_of(ranks))
    return permutation_calls.factor(stated, n, p=p, c=number(c))


def show_equations(f: permutation_calls.Factorization, as_latex: bool, as_json: bool) -> None:
    """Print y = A x ⊕ c and A = V W, and the matrices, of small ones the bits."""
    if as_json:
        console.emit_json({"equations": [equation.to_dict() for equation in f.equations]})
    elif as_latex:
        print(latex.block((each.name, each.source, *each.sides) for each in f.equations))
    else:
        for each in f.equations[: len(COMPOSED)]:
            console.say(f"{each.name}  ({each.source})", "bold")
            console.say(f"    {each}")
        _show_matrices(f)
        console.say(f"complement c = {f.permutation.c}")


def _lg(ranks: str) -> int:
    return bmmc.SIZES.exponents(size_of(ranks), 1)[0]


def _exponent(
    name: str, stated: str | None, in_bits: str, exponent: int | None, lg: Callable[[str], int]
) -> int:
    """Return lg of a power of two that is stated as it is or by its exponent.

    Raises ValueError where it is stated twice or not at all.
    """
    if stated is not None and exponent is None:
        return lg(stated)
    if stated is None and exponent is not None:
        return exponent
    if stated is None:
        raise ValueError(f"{name} is missing; give {name} or {in_bits}, its logarithm")
    raise ValueError(f"{name} {stated} and {in_bits} {exponent}: give one of them")


def _show_factors(f: permutation_calls.Factorization, verdict: Verdict, layout_name: str) -> None:
    if layout_name:
        console.say(
            "A and c below are Q A Q^-1 and Q c of the given permutation, where Q is the layout"
            f" {layout_name} (Cormen, section 6)."
        )
    _show_matrices(f)
    console.say(f"complement c = {f.permutation.c}")
    _show_messages(f)
    rows = [
        (" ".join(form.letters), " + ".join(map(_count, form.rounds)), _count(sum(form.rounds)))
        for form in f.forms
    ]
    console.table(
        "Messages of a rank in this and in other factorizations, for each factor",
        ("A =", "messages", "sum"),
        rows,
    )
    console.show(verdict)


def _show_matrices(f: permutation_calls.Factorization) -> None:
    """Print the bit matrices of a permutation and its factors, where they are small enough."""
    if f.n <= 32:
        console.say(
            "Bit matrices, least significant bit at the top left, a dot for 0; offset bits, then"
            " processor bits."
        )
        console.matrices({"A": f.permutation.matrix, "V": f.V.matrix, "W": f.W.matrix}, f.m)
        console.matrices(
            {"T": f.trailer.matrix, "R": f.reducer.matrix, "Pi": f.swapper.matrix}, f.m
        )
    else:
        console.say(
            f"n = {f.n}: matrices are printed up to n = 32; factor --png draws their first 64 rows,"
            " and factor --json prints their columns"
        )


def _show_messages(f: permutation_calls.Factorization) -> None:
    """Print what every rank sends, the least that one must, and of few ranks who sends to whom."""
    sent = f"{_count(f.rounds, ' message')} of {_count(f.elements_per_message, ' element')}"
    console.say(f"rank of gamma {f.rank_gamma}: each rank sends {sent}, including any to itself")
    least = f.at_least
    assert least.words is not None and least.messages is not None, (
        "those of a permutation are counted"
    )
    words, others = _count(least.words, " element"), _count(least.messages, " other")
    console.say(
        f"lower bound for any program (Lemma 3): some rank sends at least {words}, to {others}"
    )
    if f.p <= 4 and f.rank_gamma <= 4:
        ranks = range(1 << f.p)
        turns = [
            (b, *(f"{f.target(b, k)}, {f.source(b, k)}" for k in ranks)) for b in range(f.rounds)
        ]
        console.columns(
            "Round b: the rank that rank k sends to, and the rank that it receives from",
            ("b", *(f"k = {k}" for k in ranks)),
            turns,
        )


def _count(number: int, what: str = "") -> str:
    """Return a number of messages or elements; past 2^64 the power of two that is nearest."""
    shown = (
        str(number)
        if number <= 1 << 64
        else ("" if number.bit_count() == 1 else "about ") + f"2^{round(log2(number))}"
    )
    return shown + what + "s" * (what != "" and number != 1)


@command(app, "nodewright bmmc targets.npy", "bmmc")
def recognize_bmmc(
    file: Annotated[
        Path,
        argument(
            metavar="FILE.npy", help="Permutation of 2^n indices: entry j is the target of j."
        ),
    ],
    as_json: Json = False,
) -> None:
    """Decide whether a permutation is BMMC; print its matrix and complement, or a counterexample.

    A permutation is BMMC if each bit of the target index is a sum modulo 2 of bits of the source
    index, or the complement of such a sum. `generate permute` writes programs for these.
    """
    found = permutation_calls.recognize(file)
    if as_json:
        console.emit_json(found.to_dict())
    elif isinstance(found, Witness):
        console.say(f"{file}: {found}")
    else:
        console.say(f"{file}: BMMC, y = A x + c with n = {found.bits}, c = {found.c}")
        console.matrices({"A": found.matrix}, found.bits)
    if isinstance(found, Witness):
        raise Exit(1)
