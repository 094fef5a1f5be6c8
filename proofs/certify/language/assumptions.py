"""What a certificate takes for granted of the arrays that a program is given, and of its work.

Exact elements have no other dtype, byte order or alignment than the declared one, and no NaN. The
evaluator notes where a program asks for one of these (`State.asked`): the answer is that for such
arrays, and what the program does otherwise is not evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

PLAIN = (
    "x and out are plain numpy arrays of the declared dtype, aligned and in native byte order, an"
    " out in the order of C; others are not tried"
)
ONE_NODE = "all ranks are on one node where the program asks for it"
SPLITS = "Split_type"
"""What asks for the ranks of a node."""
MEMORY = "statvfs"
"""What asks for the free memory of a node."""
FINITE = (
    "x has no NaN and no infinity, and nothing that is computed from it overflows, where the"
    " program asks for it; a rank that raises an exception alone leaves the others waiting"
)
WORK = (
    "a result needs all that the program computes: {:g} times the flops of an FFT allow an error of"
    " rounding that is larger by the square root"
)
ASKS = "; the program asks for "
TESTS = ("isfinite", "isinf", "isnan")
"""Functions of numpy that ask for a NaN or an infinity."""


def conditions(
    asked: Iterable[tuple[int, str]],
    unused: Mapping[str, int],
    takes_all: bool = False,
    work: float = 1.0,
) -> tuple[str, ...]:
    """Return what a certificate takes for granted of the arguments of a program, and of modules
    that it imports and does not use, with lines.

    Args:
        asked: what it asks of arrays, by line.
        unused: the modules, each with its line.
        takes_all: whether it begins with nodewright's own treatment of arguments, which is tested.
        work: times the flops of an FFT that it has, where they widen the tolerance of rounding.

    >>> conditions([(3, "isnan"), (1, ".aligned")], {})[0][-38:]
    'the program asks for .aligned (line 1)'
    """
    of_values = {(line, name) for line, name in asked if name in TESTS}
    of_nodes = {(line, name) for line, name in asked if name == SPLITS}
    of_memory = {(line, name) for line, name in asked if name == MEMORY}
    found = [] if takes_all else [_with(PLAIN, {*asked} - of_values - of_nodes - of_memory)]
    found += [_with(ONE_NODE, of_nodes)] * bool(of_nodes)
    if of_values:
        found.append(_with(FINITE, of_values))
    found += [
        f"the import of {name} (line {line}) ends without an error and changes nothing that the"
        " program uses"
        for name, line in unused.items()
    ]
    return (*found, *[WORK.format(work)] * (work > 1))


def _with(words: str, asked: Iterable[tuple[int, str]]) -> str:
    """Return what is taken for granted, and where the program asks for it."""
    listed = ", ".join(f"{name} (line {line})" for line, name in sorted(asked))
    return f"{words}{ASKS}{listed}" if listed else words


def are_of(assumed: Sequence[str], again: Sequence[str]) -> bool:
    """Return whether assumptions are those of a program of which a shorter check, in which it may
    ask less, has found others.

    >>> long, short = (conditions(asked, {}) for asked in ([(1, "type"), (2, "isnan")], [(1, "type")]))
    >>> are_of(long, short), are_of(short, long)
    (True, False)
    """  # noqa: E501
    said, found = (
        {words.partition(ASKS)[0]: {*words.partition(ASKS)[2].split(", ")} - {""} for words in each}
        for each in (assumed, again)
    )
    more = {FINITE} & said.keys()
    in_order = [words.partition(ASKS)[0] for words in assumed]
    in_order = [words for words in in_order if words not in more - found.keys()]
    return in_order == [*found] and all(found[words] <= said[words] for words in found)
