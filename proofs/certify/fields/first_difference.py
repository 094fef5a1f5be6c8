"""In which superstep a refuted program leaves its factorization: what its ranks send each other,
against the supersteps of `codegen/program/`, on the same vectors over the same field.

A superstep is what ranks compute before an exchange, with that exchange; the last one has none. The
elements of a message are compared as a set, since each program packs them in its own order. Where
they are not in the order of their places on the target, the receiver may put them in the right ones
or not: then the data are wrong at the latest from the superstep on that is named. Nothing is said
of a program whose ranks send each other other numbers of elements than the supersteps do, or that
does not state their equation: it may be right by another way.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.program.hartley_steps import ListStage
from codegen.program.protocol import ELEMENT, PAIR, REAL, Step
from codegen.program.reals.untangle import Opposites
from codegen.program.stages.butterflies import Across
from codegen.program.stages.overlaps import Overlap
from codegen.program.supersteps import Program
from derive.exact.residues import Residues
from derive.exact.rings import Collision
from proofs.certify.checks.cost_check import forms
from proofs.certify.declaration import Declaration, Permutation
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.exact.arithmetic import inputs, tokens
from proofs.certify.exact.residue_arrays import to_pair
from proofs.certify.exact.root_images import inverse_root
from proofs.certify.exact.space import Space
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.fields.field_run import Outcome
from proofs.certify.fields.real_steps import Values, stages
from proofs.certify.head import states_equation
from proofs.certify.language.table_entries import Refuted
from proofs.certify.scripts.evaluation_jobs import scattered
from proofs.certify.scripts.usage import ONCE

Pair = tuple[int, int]
"""Source and target of a message."""


@dataclass(frozen=True)
class Exchange:
    """How many elements are sent in an exchange, and which, in one of several ways; none where that
    is not known.
    """

    counts: dict[Pair, int]
    ways: tuple[dict[Pair, Values], ...] = ()


@dataclass(frozen=True)
class Run:
    """The same vectors for a program, as data by ranks, and for its supersteps, in natural order,
    with what comes of them; `scales` are factors that a program may multiply by early.
    """

    space: Space
    data: Sequence[Any]
    given: Values
    wanted: Values
    ring: Any
    scales: tuple[int, ...] = (1,)

    def read(self, residues: NDArray[np.int64]) -> Values:
        """Return the elements of a message, of shape (.., parts, K), which may be sent as real
        numbers.
        """
        return _in_field(
            residues.reshape(-1, self.space.parts(self.space.dtype), residues.shape[-1]), self.space
        )

    def alike(self, found: Values, wanted: Values) -> bool:
        """Return whether a message has these elements, in any order."""
        return any(np.array_equal(_in_order(found), _in_order(way)) for way in self.scaled(wanted))

    def same(self, found: Values, wanted: Values) -> bool:
        """Return whether a message has these elements, in this order."""
        return any(np.array_equal(found, way) for way in self.scaled(wanted))

    def scaled(self, values: Values) -> Iterator[Values]:
        """Yield elements times each of the factors; tokens as they are."""
        for scale in self.scales:
            yield values * scale % self.space.q if self.space.recognizer else values


def superstep_of(evaluation: Evaluation, outcome: Outcome) -> str:
    """Return in words from which superstep on the data of a refuted transform are not those of its
    factorization; "" where that is not known.
    """
    d, recognizer, tried = outcome.declaration, outcome.recognizer, outcome.inputs
    if not d.is_traced or d.degree > 1:
        return ""
    given, wanted = (side[..., : tried.powers] for side in (tried.given, tried.wanted))
    space, field = Space(d.dtype, tried.powers, recognizer), recognizer.field
    data = [inputs(part, d.dtype, space) for part in scattered(d, given)]
    x, y = (_in_field(side, space) for side in (given, wanted))
    ring = Residues(replace(field, w=pow(field.w, d.sign, field.q)))
    scale = inverse_root(d.points, d.divided, recognizer)
    scales = [1, scale]
    if d.is_halved:  # halves, and transforms that are divided one by one
        scales += [2, 2 * scale, *(pow(2, -i, field.q) for i in range(1, d.n + 1))]
    return _superstep(evaluation, d, Run(space, data, x, y, ring, tuple(scales)))


def superstep_of_tokens(evaluation: Evaluation, d: Permutation) -> str:
    """Return the same of a permutation."""
    space, j = Space(d.dtype), np.arange(d.N)
    data = [tokens(part, d.dtype, space) for part in scattered(d, j)]
    wanted = np.empty_like(j)
    wanted[d.address(j)] = j
    return _superstep(evaluation, d, Run(space, data, j[:, None], wanted[:, None], None))


def _superstep(evaluation: Evaluation, d: Declaration, run: Run) -> str:
    with contextlib.suppress(Collision, NotModelled, Refuted, Wrong, ValueError):
        if d.P == 1 or not states_equation(d, evaluation.source.text):
            return ""
        sent = _sent(evaluation, d, run)
        for program in forms(d):
            wanted = _exchanges(program, run)
            cut = wanted and _cut(sent, wanted)
            if cut:
                return _first(cut, wanted, run)
    return ""


def _first(cut: list[dict[Pair, tuple[Values, int]]], wanted: list[Exchange], run: Run) -> str:
    """Return which message is the first that has other elements than it should."""
    supersteps, latest, order = len(wanted) + 1, "", ""
    for number, (found, exchange) in enumerate(zip(cut, wanted, strict=True), 1):
        if not exchange.ways:
            return ""
        wrong = [
            next((pair for pair in way if not run.alike(found[pair][0], way[pair])), None)
            for way in exchange.ways
        ]
        if None not in wrong:
            (source, target), *_ = filter(None, wrong)
            line = found[source, target][1]
            at = f"line {line}: " * bool(line)
            return (
                f"; the data are wrong {latest}from superstep {number} of {supersteps} on ({at}"
                f"message from rank {source} to rank {target}){order}"
            )
        ordered = (
            all(run.same(found[pair][0], way[pair]) for pair in way) for way in exchange.ways
        )
        if not latest and not any(ordered):
            latest = "at the latest "
            order = f"; in superstep {number} elements are not sent in the order of their places"
    return (
        f"; the data are wrong {latest}in superstep {supersteps} of {supersteps}, after the last"
        f" exchange{order}"
    )


def _sent(evaluation: Evaluation, d: Declaration, run: Run) -> dict[Pair, list[tuple[Values, int]]]:
    """Return the messages of one transform of a program, each with its line, in their order."""
    found = defaultdict[Pair, list[tuple[Values, int]]](list)

    def note(source: int, target: int, line: int, residues: NDArray[np.int64]) -> None:
        found[source, target].append((run.read(residues), line))

    run.space.sends = note
    evaluation.follow(d, run.space, [run.data], ONCE, "function")
    return found


def _cut(
    sent: dict[Pair, list[tuple[Values, int]]], wanted: list[Exchange]
) -> list[dict[Pair, tuple[Values, int]]]:
    """Return the messages of each exchange; nothing where their numbers of elements are others."""
    left = {pair: list(parts) for pair, parts in sent.items()}
    cut = list[dict[Pair, tuple[Values, int]]]()
    for exchange in wanted:
        cut.append({})
        for pair, count in exchange.counts.items():
            parts = list[tuple[Values, int]]()
            while sum(len(values) for values, _ in parts) < count and left.get(pair):
                parts.append(left[pair].pop(0))
            if sum(len(values) for values, _ in parts) != count:
                return []
            cut[-1][pair] = np.concatenate([values for values, _ in parts]), parts[0][1]
    return [] if any(len(values) for parts in left.values() for values, _ in parts) else cut


def _exchanges(program: Program, run: Run) -> list[Exchange]:
    """Return what the supersteps of a program send; nothing where they are on complex numbers made
    of one element, or come to something else than is wanted.
    """
    if any(step.unit not in (ELEMENT, REAL, PAIR) for step in program.steps):
        return []
    homes = [
        s * program.M + o
        for s, o in (end.place(np.arange(program.N)) for end in (program.input, program.output))
    ]
    x, found = np.empty_like(run.given), []
    x[homes[0]] = run.given
    iota = run.space.field.iota if run.space.recognizer else 0
    for step, before, after in stages(program, x, run.ring, iota):
        if step.exchanges:
            found.append(_exchange(step, program, before, after, run.ring))
        x = after
    return found if run.same(run.wanted, x[homes[1]]) else []


def _exchange(step: Step, program: Program, x: Values, y: Values, ring: Any) -> Exchange:
    """Return what is sent in a superstep that makes y of x, by storage address."""
    z, M = np.arange(program.N), program.M
    if isinstance(step, Across):
        to = z // M ^ 1 << step.channel
        own = step.diagonal
        twisted = () if own is None else (ring.twist(x, own.exponents(z), own.order),)
        ways = tuple(_by_pairs(z // M, to, values) for values in (x, *twisted))
    elif isinstance(step, Overlap) or step.is_move:
        words = step.unit.words
        source = np.repeat(step.carried(z[: len(z) // words]) // (M // words), words)
        ways = (_by_pairs(source, z // M, y),)
    elif isinstance(step, Opposites):
        conjugate = np.where(z[:, None] % 2, -x % ring.field.q, x)
        ways = tuple(_by_pairs(z // M, step.partner(z // M), values) for values in (x, conjugate))
    elif isinstance(step, ListStage):
        to = step.targets(np.arange(program.P)[:, None])[0][z // M, 0]
        sent = (z % M >= M // 2) | (step.sent(z // M).words == M)
        ways = (_by_pairs(z[sent] // M, to[sent], x[sent]),)
    else:
        ranks = np.arange(program.P)[:, None]
        to, words = step.targets(ranks)
        table = np.broadcast_arrays(ranks, to, words)
        triples = zip(*(side.reshape(-1).tolist() for side in table), strict=True)
        return Exchange({(s, t): n for s, t, n in triples if s != t and n})
    return Exchange({pair: len(values) for pair, values in ways[0].items()}, ways)


def _by_pairs(source: Values, target: Values, values: Values) -> dict[Pair, Values]:
    """Return the elements that go to other ranks, by source and target."""
    size = int(max(source.max(), target.max())) + 1
    key = source * size + target
    order = np.argsort(key, kind="stable")
    pairs, first = np.unique(key[order], return_index=True)
    parts = np.split(values[order], first[1:])
    named = ((divmod(pair, size), part) for pair, part in zip(pairs.tolist(), parts, strict=True))
    return {pair: part for pair, part in named if pair[0] != pair[1]}


def _in_field(parts: NDArray[np.int64], space: Space) -> Values:
    """Return a + iota b for a + bI, of shape (.., parts, K)."""
    if parts.shape[-2] == 1:
        return parts[..., 0, :]
    return to_pair(parts, space.field.iota, space.q)[..., 0, :]


def _in_order(values: Values) -> NDArray[np.int64]:
    """Return elements in an order that does not depend on theirs, each as one number."""
    return np.sort(values[:, 0] << 31 | values[:, -1])
