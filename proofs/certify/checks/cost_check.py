"""What a run costs, beside the cost that is counted from the factorization: rank by rank, exchange
by exchange.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import numpy as np

from codegen.cost.bounds import bound
from codegen.cost.counted import count, relations, sent_by
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.systems.exchanges import WAYS
from codegen.systems.fft import ends_between_two
from derive.verdict import Checked, Refuted, Verdict
from proofs.certify.declaration import Declaration
from proofs.certify.ends.digit_ends import is_routed
from proofs.certify.plain_text import counted
from proofs.certify.rows import AS_MEASURED, AS_STATED
from proofs.certify.scripts.declared_options import CALLS
from proofs.certify.scripts.traffic import Traffic

BETWEEN_NEIGHBOURS = ("Sendrecv", "Sendrecv_replace", "Isend")
"""Those of the stages of a Hartley transform, of an FFT on a hypercube, or between two ranks."""
CURE = "if this is meant, remove the line Cost of the docstring: it states {}; measured are {}"
COST = re.compile(r"Cost +at most (\d+) messages? and (\d+) words? .*\bin (\d+) exchanges?\b")


def states_cost(text: str) -> bool:
    """Return whether the head of a program has a line on its cost.

    >>> states_cost("'A transform.'"), states_cost("'Cost    at most 3 messages'")
    (False, True)
    """
    return any(line.strip().startswith("Cost ") for line in _head(text).splitlines())


def stated_cost(text: str) -> tuple[int, ...]:
    """Return the exchanges, messages and words that the head of a program states, if it does.

    >>> stated_cost("'Cost    at most 3 messages and 48 words sent by a rank in 1 exchange'")
    (1, 3, 48)
    """
    return numbers_of(_head(text)) or (0, 0, 0)


def numbers_of(line: str) -> tuple[int, ...]:
    """Return the exchanges, messages and words that a line of cost states; () if it states none."""
    found = COST.search(" ".join(line.split()))
    return tuple(int(found[i]) for i in (3, 1, 2)) if found else ()


def cost(d: Declaration, run: Traffic, statement: str, of_node: int = 0) -> Verdict:
    """Return whether the trace of one transform has the counted cost, of one of the forms that the
    declaration leaves open; where memory is a node's, that of nodes of so many ranks, 0: of all.
    """
    wrong = list[str]()
    programs = forms(d) if is_routed(d) else ()
    for program in programs:
        figures = _figures(d, program, run, of_node or d.P)
        differs = [
            f"{counted(found, *name)} instead of {wanted}"
            for name, (found, wanted) in figures.items()
            if found != wanted
        ]
        differs = differs or _of_ranks(d, program, run, of_node or d.P)
        if not differs:
            least = _least(d, programs[0])
            form = f"; the supersteps are those of other kernels than {d.kernels}" if wrong else ""
            beside = "" if least is None else f"; any linear algorithm needs at least {least} words"
            most = ", ".join(counted(found, *name) for name, (found, _) in figures.items())
            return Checked(
                statement,
                f"{most}, the maximum over the ranks{_ways(d, program, run)}{form}{beside}",
            )
        wrong = wrong or differs
    return Refuted(statement, ", ".join(wrong))


def _least(d: Declaration, program: Program) -> int | None:
    """Return the lower bound on words of a transform of a vector, None where none is known."""
    return bound(program).words if d.degree == 1 and not program.request.shape else None


def _head(text: str) -> str:
    return ast.get_docstring(ast.parse(text)) or ""


def lines_of_cost(program: Program) -> list[str]:
    """Return in which words the cost is stated, as it is counted from the factorization."""
    cost, exchange = count(program), program.request.exchange
    messages, words = counted(cost.messages, "message"), counted(cost.words, "word")
    exchanges, flops = counted(cost.exchanges, "exchange"), counted(cost.flops, "flop")
    most = f"Cost    at most {messages} and {words}"
    waits = _waits(exchange, cost.exchanges)
    return [
        f"{most} {each} in {exchanges},{wait} {flops}"
        for each in WAYS[exchange].travels
        for wait in waits
    ]


def _waits(exchange: str, exchanges: int) -> list[str]:
    """Return in which words it is stated how often ranks that share memory wait for each other:
    between once and twice an exchange, twice where memory is a node's.
    """
    if not WAYS[exchange].shares:
        return [""]
    some = [f" {count} barriers" for count in range(exchanges + 1, 2 * exchanges)]
    waits = [" a barrier each", *some, " two barriers each"]
    waits = waits[-1:] if WAYS[exchange].of_all else waits
    within = WAYS[exchange].within
    return [f"{wait}{f' {within}' if within else ''}," for wait in waits]


def dearer(run: Traffic, several: Traffic) -> str:
    """Return in what the cost of several transforms is not as many times that of one; "" where it
    is.
    """
    count = several.transforms
    for rank, (one, moved) in enumerate(zip(run.ranks, several.ranks, strict=True)):
        if moved != (count * one[0], count * one[1]):
            return (
                f"rank {rank} sends {moved[0]} messages with {moved[1]} words in {count}"
                f" transforms, and {one[0]} with {one[1]} in one"
            )
    waits = several.synchronisations
    if waits != count * run.synchronisations:
        words = counted(waits, "synchronisation")
        return f"{words} in {count} transforms, and {run.synchronisations} in one"
    return ""


def by_its_own(text: str, d: Declaration, run: Traffic, found: Refuted) -> Verdict:
    """Return what is said of a run that does not send what the factorization needs; where the head
    of the program states a cost of its own, whether this was measured.
    """
    counts = [count(program) for program in forms(d)] if is_routed(d) else []
    known = {(each.exchanges, each.messages, each.words) for each in counts}
    stated, own = stated_cost(text), (run.exchanges, run.messages, run.words)
    if stated == own and own not in known:
        return measured(run, is_stated=True)
    words = in_words(stated)
    if stated in known or own in known:
        cure = CURE.format(words, _figures_of(run))
        return replace(found, counterexample=f"{found.counterexample}; {cure}")
    both = f"measured are {_figures_of(run)}; the docstring states {words}"
    return Refuted(AS_STATED, f"{both}: correct or remove its line Cost")


def in_words(numbers: tuple[int, ...]) -> str:
    """Return exchanges, messages and words as a message has them.

    >>> in_words((1, 3, 48))
    '1 exchange, 3 messages, 48 words'
    """
    return ", ".join(map(counted, numbers, ("exchange", "message", "word")))


def measured(run: Traffic, is_stated: bool = False) -> Verdict:
    """Return the cost of a run as it was measured, for a program that states this or none."""
    calls = f"; by {', '.join(run.calls)}" if run.calls else ""
    largest = counted(max(run.relations, default=0), "word")
    h = f"; {largest} in the largest h-relation" if run.relations else ""
    return Checked(
        AS_STATED if is_stated else AS_MEASURED,
        f"{_figures_of(run)}, the maximum over the ranks{h}{calls}",
    )


def _figures_of(run: Traffic) -> str:
    figures = {"exchange": run.exchanges, "message": run.messages, "word": run.words}
    figures |= {"synchronisation": run.synchronisations} if run.synchronisations else {}
    return ", ".join(counted(number, name) for name, number in figures.items())


def forms(d: Declaration) -> tuple[Program, ...]:
    """Return the supersteps that a program with this declaration may have; first those that its
    kernels ask for.

    An FFT on two ranks has two forms, one for compiled kernels and one for all others, and any
    kernels can do either.
    """
    program = resolve(d.request)
    if not ends_between_two(d.request):
        return (program,)
    across = resolve(replace(d.request, kernels="numba"))
    return (across, program) if d.kernels == "numba" else (program, across)


def _figures(
    d: Declaration, program: Program, run: Traffic, of_node: int
) -> dict[tuple[str, ...], tuple[int, int]]:
    """Return what was found in the trace, and what is counted, by the word for it and more."""
    counts = count(program)
    exchanges, messages, words = counts.exchanges, counts.messages, counts.words
    largest, waits = max(relations(program), default=0), exchanges * WAYS[d.exchange].shares
    if WAYS[d.exchange].of_all:
        ways = _ways_of_nodes(d, of_node)
        messages, words = (exchanges * sum(part) for part in zip(*ways, strict=True))
        largest, waits = max(words for _, words in ways), 2 * exchanges
        exchanges *= len(ways)
    h: dict[tuple[str, ...], tuple[int, int]] = {}
    if run.relations:
        h["word", "in the largest h-relation"] = (max(run.relations), largest)
    return {
        ("exchange",): (run.exchanges, exchanges),
        ("message",): (run.messages, messages),
        ("word",): (run.words, words),
        **h,
        ("synchronisation",): (run.synchronisations, waits),
    }


def _ways_of_nodes(d: Declaration, of_node: int) -> list[tuple[int, int]]:
    """Return messages and words of a rank in an exchange: what it sends to other nodes of so many
    ranks, and what it loads from other ranks of its own, where there are such.

    A message to a node has a part for each of its ranks. A rank of the node has received parts of
    M/P elements from a rank of each node.
    """
    between, within = (d.P // of_node - 1, d.M // d.P * of_node), (of_node - 1, d.M // of_node)
    return [(peers, peers * words) for peers, words in (between, within) if peers]


def _of_ranks(d: Declaration, program: Program, run: Traffic, of_node: int) -> list[str]:
    """Return for the first rank that sends more or less than is counted what it sends."""
    pairs = [*zip(*(part.tolist() for part in sent_by(program, np.arange(program.P))), strict=True)]
    if WAYS[d.exchange].of_all:
        times, ways = count(program).exchanges, _ways_of_nodes(d, of_node)
        pairs = [tuple(times * sum(part) for part in zip(*ways, strict=True))] * program.P
    for rank, wanted in enumerate(pairs):
        found = run.sent_by(rank)
        if found != wanted:
            return [
                f"rank {rank} sends {found[0]} messages with {found[1]} words instead of"
                f" {wanted[0]} with {wanted[1]}"
            ]
    return []


def _ways(d: Declaration, program: Program, run: Traffic) -> str:
    """Return by which calls elements travel, and whether EXCHANGE says so."""
    if not run.calls:
        return ""
    neighbours = d.between_neighbours or any(
        each.exchanges for step in program.steps for each in step.transforms_of_ranks
    )
    known = CALLS[d.exchange] + BETWEEN_NEIGHBOURS * neighbours
    said = (
        "as EXCHANGE states"
        if set(run.calls) <= set(known)
        else f"although EXCHANGE = {d.exchange!r} states otherwise"
    )
    return f"; by {', '.join(run.calls)}, {said}"
