"""Block algebra and divisions as chains of equalities, to be read: what is stated, and below it, as
lemmas, what it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from proofs.blocks.block_matrices import Equation, Relation, Sum, Word
from proofs.blocks.block_matrices import spelled as spelled_word
from proofs.blocks.column_induction import Elimination, Obtained, letters, zero_sum
from proofs.blocks.columns import Assumed, Fibres, Invertible, SameSize, resized, sums
from proofs.blocks.columns import Chain as Joined
from proofs.blocks.divisions import Congruence, Division, Local, spelled
from proofs.show.chain import Argument, Chain, Step
from proofs.theorems.by_blocks import BlockTheorem, Part

Reason = Callable[[Relation], str]


def derived(theorem: BlockTheorem) -> tuple[Argument, ...]:
    """Return the stated parts, then as lemmas the other parts and the loops they come from."""
    parts, stated = theorem.derivation(), theorem.prove()
    rules = list(dict.fromkeys(part.rule for part in parts if isinstance(part, Obtained)))
    others = [part for part in parts if part not in stated and not isinstance(part, Assumed)]
    labels: dict[Any, str] = {part: f"Lemma {i}" for i, part in enumerate((*others, *rules), 1)}
    origins: dict[Sum, str] = {}
    for part in parts:
        if isinstance(part, SameSize):
            both = {a: resized(a, part.old, part.new) for a in origins}
            why = labels.get(part, str(part))
            origins |= {new: f"{origins[a]}, {why}" for a, new in both.items() if a != new}
        elif not isinstance(part, Division | Local):
            known = (
                {zero_sum(r): r.reason for r in part.relations} if isinstance(part, Assumed) else {}
            )
            origins |= {a: known.get(a, labels.get(part, "above")) for a in sums(part)}

    def reason(r: Relation) -> str:
        return origins.get(zero_sum(r)) or r.reason

    found = [_smaller(part, "", labels, reason) for part in stated]
    return (
        *found,
        *(_smaller(part, labels[part], labels, reason) for part in others),
        *(_loop(rule, labels[rule]) for rule in rules),
    )


def _smaller(part: Part, title: str, labels: dict[Any, str], reason: Reason) -> Argument:
    """Return the proof of a part of a derivation."""
    match part:
        case Local():
            return Argument(title, str(part), tuple(map(_difference, part.congruences)))
        case Division(number, divisor, quotient, remainder):
            why = f"0 ≤ {spelled(remainder)} < {spelled(divisor)} for {part.ranges}"
            step = Step(f"({spelled(divisor)}) ({spelled(quotient)}) + {spelled(remainder)}", why)
            return Argument(title, str(part), (Chain("", spelled(number), (step,)),))
        case Obtained(rule, _, names):
            at = [f"{old} = {new}" for old, new in names if old not in rule.state]
            missing = sorted(
                {x.name for x in letters(map(zero_sum, rule.given))} - dict(names).keys()
            )
            step = Step(
                str(part.relations[0].value),
                f"{labels[rule]} with {', '.join(at)}"
                + (f", without {', '.join(missing)}" if missing else ""),
            )
            return Argument(
                title, str(part), (Chain("", spelled_word(part.relations[0].word), (step,)),)
            )
        case Equation():
            return Argument(title, str(part), _equation(part, reason))
        case Joined(equations):
            steps = tuple(Step(str(e.right), "block by block, see below") for e in equations)
            blocks = tuple(chain for e in equations for chain in _blocks(e, reason))
            return Argument(
                title, str(part), (Chain("", part.name or str(equations[0].left), steps), *blocks)
            )
        case Invertible(equations=equations) | Fibres(equations=equations):
            return Argument(
                title, str(part), tuple(chain for e in equations for chain in _equation(e, reason))
            )
        case SameSize(_, _, first, second):
            both = (*first.equations, *second.equations)
            return Argument(
                title, str(part), tuple(chain for e in both for chain in _equation(e, reason))
            )
    raise TypeError(f"{part!r} is not a part of a derivation")


def _loop(rule: Elimination, title: str) -> Argument:
    """Return the proof of a loop: what is kept with a column more, in both cases."""
    chains: list[Chain] = []
    for case, what in ((rule.zero, "0"), (rule.unit, "not 0: some row of it is 1")):
        new = ", ".join(
            f"{name} := {value}" for name, value in case.state if str(value) != f"[{name}]"
        )
        before = (
            f"A column {rule.column.name} more, whose residual {rule.residual} is {what}. So"
            f" {case.relation}. Let {new}. "
        )
        for e in rule.more(case):
            for chain in _blocks(e, lambda r: r.reason):
                chains.append(replace(chain, heading=f"{before}{e.name}. {chain.heading}"))
                before = ""
    given = f", if {', '.join(map(str, rule.given))}" if rule.given else ""
    return Argument(title, f"{rule}{given}", tuple(chains))


def _difference(part: Congruence) -> Chain:
    difference = spelled(part.left - part.right)
    step = Step(
        f"({spelled(part.modulus)}) ({spelled(part.quotient)})",
        f"multiplied out, a multiple of {spelled(part.modulus)}",
    )
    return Chain(f"{part}: the difference of the two sides", difference, (step,))


def _equation(part: Equation, reason: Reason) -> tuple[Chain, ...]:
    if not part.name:
        return Chain(
            "", str(part.left), (Step(str(part.right), "block by block, see below"),)
        ), *_blocks(part, reason)
    more = (
        ""
        if part.left == part.right
        else ", block by block; where that differs from the right side, see below"
    )
    return Chain("", part.name, (Step(str(part.left), f"multiplied out{more}"),)), *_blocks(
        part, reason
    )


def _blocks(part: Equation, reason: Reason) -> Iterator[Chain]:
    """Yield the chain of each block in which the sides differ as they are written."""
    for i, row in enumerate((part.left + part.right).blocks, 1):
        for j, block in enumerate(row, 1):
            steps = tuple(_rewritten(block, part, reason))
            if steps:
                where = (
                    f"Block ({i}, {j}): left + right = 0"
                    if len(row) * len(part.left.blocks) > 1
                    else "left + right = 0"
                )
                yield Chain(where, str(block), steps)


def _rewritten(a: Sum, part: Equation, reason: Reason) -> Iterator[Step]:
    """Yield the steps by which the relations take a sum to 0."""
    while (found := _place(a, part.given)) is not None:
        word, relation, i = found
        before, after = word[:i], word[i + len(relation.word) :]
        put = Sum(a.rows, a.cols, frozenset({word}))
        for value in relation.value.words:
            put += Sum(a.rows, a.cols, frozenset({before + value + after}))
        a += put
        why = reason(relation)
        yield Step(str(a), f"{relation} ({why})" if why else str(relation))


def _place(a: Sum, relations: tuple[Relation, ...]) -> tuple[Word, Relation, int] | None:
    """Return a word of a sum, a relation whose word stands in it, and where."""
    for word, relation in product(sorted(a.words, key=spelled_word), relations):
        for i in range(len(word) - len(relation.word) + 1):
            if word[i : i + len(relation.word)] == relation.word:
                return word, relation, i
    return None
