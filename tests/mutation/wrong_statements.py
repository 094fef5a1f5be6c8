"""Statements with one thing changed, and random terms: what the kernel and the smaller procedures
must not prove where it is false.

change = sign | stride | radix order | factor dropped | factors swapped | twiddle halved | twiddle
conjugated | twiddle dropped
         | Kronecker factors swapped | stages in reverse | block dropped | letter added | modulus |
         residue | place
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from math import lcm
from random import Random
from typing import Any

from proofs.blocks.block_matrices import Equation, Matrix, Relation, letter, zero
from proofs.blocks.column_induction import Case, Elimination, Obtained
from proofs.blocks.columns import Chain, Fibres, Invertible, SameSize
from proofs.blocks.divisions import Congruence, Division, Local
from proofs.kernel.kernel_rules import Thm, diag
from proofs.kernel.numbers import Digit, Dim, Poly, Real, nat, size
from proofs.kernel.path_sums import equal
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import (
    Block,
    E,
    F,
    I,
    Kron,
    Mul,
    Pi,
    S,
    Sum,
    Term,
    Var,
    W,
    free,
    substitute,
)
from proofs.prove.tactics import blocks as direct_sum
from proofs.prove.tactics import diagonal, tower
from proofs.theorems.by_blocks import Part
from tests.mutation.dense import Field, dense, differ, integer, order, prime, root_of_unity

Changed = tuple[str, Term]
LOOKED_AT = ((40, 3), (130, 3))
"""Numbers of rows up to which a counterexample is looked for, and at how many values of the
variables.
"""


def changes(term: Term) -> Iterator[Changed]:
    """Yield what is changed, and the term with it changed in one place, of any shape.

    >>> [what for what, _ in changes(F(size("r")))]
    ['sign', 'factor dropped']
    """
    for what, build in _here(term):
        yield from ((what, made) for made in _built(build))
    for position, field in enumerate(fields(term)):  # type: ignore[arg-type]
        part = getattr(term, field.name)
        inner = (
            changes(part)
            if isinstance(part, Term)
            else _of_summands(part)
            if isinstance(term, Sum)
            else ()
        )
        for what, mutant in inner:
            values = [getattr(term, other.name) for other in fields(term)]  # type: ignore[arg-type]
            values[position] = mutant
            yield from ((what, made) for made in _built(lambda values=values: type(term)(*values)))  # type: ignore[misc]


def _of_summands(parts: tuple[tuple[Poly, Poly, Term], ...]) -> Iterator[tuple[str, Any]]:
    for i, (re, im, part) in enumerate(parts):
        for what, mutant in changes(part):
            yield what, (*parts[:i], (re, im, mutant), *parts[i + 1 :])


def _here(term: Term) -> Iterator[tuple[str, Callable[[], Term]]]:
    match term:
        case F(d, sign):
            yield "sign", lambda: F(d, -sign)
            yield "factor dropped", lambda: I(d)
        case E(rows, cols):
            yield "stride", lambda: E(cols, rows)
            yield "factor dropped", lambda: I(rows)
        case S(u, t):
            yield "stride", lambda: S(t, u)
            yield "factor dropped", lambda: I(u * t)
        case W(phase):
            yield "twiddle conjugated", lambda: W(phase * -1)
            yield "twiddle halved", lambda: W(phase * Fraction(1, 2))
            yield "twiddle dropped", lambda: W(Poly.of(0))
        case Kron(a, b):
            yield "Kronecker factors swapped", lambda: Kron(b, a)
        case Mul(a, b):
            yield "factors swapped", lambda: Mul(b, a)
            yield "factor dropped", lambda: a
            yield "factor dropped", lambda: b
        case Block(x, Block(y, body)):
            yield "radix order", lambda: _reordered(x, y, body)
        case Pi(count, k, l, body):
            yield "stages in reverse", lambda: Pi(count, l, k, body)
        case Sum(summands):
            for i, (re, im, part) in enumerate(summands):
                yield (
                    "sign",
                    lambda i=i, re=re, im=im, part=part: _with(
                        summands, i, (re * -1, im * -1, part)
                    ),
                )  # type: ignore[misc]
                yield "factor dropped", lambda i=i: Sum(summands[:i] + summands[i + 1 :])  # type: ignore[misc]


def _with(summands: tuple[Any, ...], i: int, new: Any) -> Term:
    return Sum((*summands[:i], new, *summands[i + 1 :]))


def _reordered(x: Digit, y: Digit, body: Term) -> Term:
    """Return the direct sum with its two digits in the other order."""
    outer, inner = Digit("outer", y.radix), Digit("inner", x.radix)
    return Block(
        outer, Block(inner, substitute(body, {x.name: Poly.of(inner), y.name: Poly.of(outer)}))
    )


def _built(build: Callable[[], Term]) -> list[Term]:
    try:
        return [build()]
    except Refused:
        return []


@dataclass(frozen=True)
class Wrong:
    """A statement with one thing changed, whether numbers refute it, and whether it is proved."""

    what: str
    statement: str
    refuted: bool
    proved: bool


def wrong_theorems(theorem: Thm, rng: Random) -> Iterator[Wrong]:
    """Yield all changes of a theorem of the kernel that keep the shapes; path sums are asked, and
    numbers.
    """
    left, right = theorem.left, theorem.right
    pairs = chain(
        ((what, left, m) for what, m in changes(right)),
        ((what, m, right) for what, m in changes(left)),
    )
    for what, a, b in pairs:
        if a.shape != b.shape or (a, b) == (left, right) or free(a, b) != free(a) | free(b):
            continue
        refuted = any(differ(a, b, rng, most, wanted) is not None for most, wanted in LOOKED_AT)
        yield Wrong(what, f"{a} = {b}", refuted, _accepts(lambda a=a, b=b: diag(a, b)))  # type: ignore[misc]


def wrong_parts(part: Part | Congruence) -> Iterator[Wrong]:
    """Yield changes of a statement of block algebra, or of one about integer polynomials; all of
    them are false.
    """
    for what, build in _changed(part):
        yield Wrong(what, f"{part}, {what}", True, _accepts(build))


def _changed(part: Part | Congruence) -> Iterator[tuple[str, Callable[[], object]]]:
    match part:
        case Congruence():
            yield "residue", partial(replace, part, right=part.right + 1)
            yield "place", partial(replace, part, left=part.left + 1)
            yield (
                "modulus",
                partial(
                    replace, part, modulus=part.modulus * 2 + 1, quotient=part.quotient + nat("R")
                ),
            )
        case Division():
            for field in ("number", "quotient", "remainder"):
                yield "residue", partial(replace, part, **{field: getattr(part, field) + 1})
            yield (
                "place",
                partial(
                    replace,
                    part,
                    quotient=part.quotient - 1,
                    remainder=part.remainder + part.divisor,
                ),
            )
            yield (
                "modulus",
                partial(
                    replace, part, divisor=part.divisor + 1 if part.quotient else part.remainder
                ),
            )
        case Local():
            yield (
                "residue",
                partial(replace, part, members=(part.members[0] + 1, *part.members[1:])),
            )
            yield "modulus", partial(replace, part, modulus=part.modulus + 1)
            for i, (name, place) in enumerate(part.reads):
                yield (
                    "place",
                    partial(
                        replace,
                        part,
                        reads=(*part.reads[:i], (name, place + 1), *part.reads[i + 1 :]),
                    ),
                )
        case Equation():
            for what, right in _wrong_matrices(part.right):
                yield what, partial(replace, part, right=right)
        case Chain():
            *before, last = part.equations
            for what, right in _wrong_matrices(last.right):
                yield (
                    what,
                    lambda right=right: replace(
                        part, equations=(*before, replace(last, right=right))
                    ),
                )  # type: ignore[misc]
        case Invertible():
            for what, inverse in _wrong_matrices(part.inverse):
                yield what, partial(replace, part, inverse=inverse)
        case SameSize():
            yield "letter added", partial(replace, part, old=part.new, new=part.old)
            yield "block dropped", partial(replace, part, second=part.first)
        case Fibres():
            for field in ("map", "pairs", "parts", "left_inverse"):
                for what, other in _wrong_matrices(getattr(part, field)):
                    yield what, partial(replace, part, **{field: other})
        case Obtained():
            yield from _wrong_rules(part.rule)


def _wrong_matrices(right: Matrix) -> Iterator[tuple[str, Matrix]]:
    for i, row in enumerate(right.blocks):
        for j, block in enumerate(row):
            others = {
                "block dropped": zero(block.rows, block.cols),
                "letter added": block + letter("wrong", block.rows, block.cols),
            }
            for what, other in others.items():
                if other != block:
                    lines = [
                        [other if (i, j) == (a, b) else x for b, x in enumerate(line)]
                        for a, line in enumerate(right.blocks)
                    ]
                    yield what, Matrix(right.rows, right.cols, tuple(map(tuple, lines)))


def _wrong_rules(rule: Elimination) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield a loop with one of the relations that it keeps, or one of the matrices that it makes,
    changed.
    """
    for i, r in enumerate(rule.kept):
        other = Relation(r.word, r.value + letter("wrong", r.value.rows, r.value.cols))
        yield (
            "letter added",
            partial(replace, rule, kept=(*rule.kept[:i], other, *rule.kept[i + 1 :])),
        )
    for field in ("zero", "unit"):
        case: Case = getattr(rule, field)
        for i, (name, value) in enumerate(case.state):
            for what, matrix in _wrong_matrices(value):
                state = (*case.state[:i], (name, matrix), *case.state[i + 1 :])
                yield (
                    what,
                    lambda field=field, case=case, state=state: replace(
                        rule, **{field: replace(case, state=state)}
                    ),
                )  # type: ignore[misc]
    yield "factors swapped", partial(replace, rule, zero=rule.unit)
    yield (
        "letter added",
        partial(
            replace,
            rule,
            residual=rule.residual + letter("wrong", rule.residual.rows, rule.residual.cols),
        ),
    )


def _accepts(build: Callable[[], object]) -> bool:
    try:
        build()
    except Refused:
        return False
    return True


# Random terms

TWO, THREE = Dim.of(2), Dim.of(3)
r, s, n, alpha = size("r"), size("s"), nat("n"), Real("alpha")
PHASES: tuple[Callable[[Poly, Poly], Poly], ...] = (
    lambda i, j: i * j / 2,
    lambda i, j: i * j / 3,
    lambda i, j: i / 4 + j / 2,
    lambda i, j: i * j / r,
    lambda i, j: i * alpha,
    lambda i, j: i * j * -1 / (r * s),
)
ORDER = lcm(32, 9, 25, 7)
"""Terms with other roots of unity than those of this order are left out."""


@dataclass
class Fuzzed:
    """How many pairs were asked about, proved equal, equal at all numbers but not proved, and
    proved equal but different.
    """

    pairs: int = 0
    accepted: int = 0
    missed: int = 0
    false: int = 0


def random_terms(rng: Random, count: int) -> list[Term]:
    """Return random terms of few shapes, small sizes and symbols."""

    def phase(d: Dim) -> Callable[[Poly], Term]:
        return lambda i: W(i / d)

    found: list[Term] = []
    for d in (TWO, THREE, r, s):
        found += [
            I(d),
            F(d),
            F(d, -1),
            direct_sum(d, phase(TWO)),
            direct_sum(d, phase(d)),
            Var("A", d, d),
            Var("B", d, d),
        ]
    for d in (TWO, THREE, r, s):
        for e in (TWO, THREE, r, s):
            found += [
                S(d, e),
                F(d * e),
                I(d * e),
                *(diagonal((d, e), rng.choice(PHASES)) for _ in range(2)),
            ]
    found += [
        I(2**n),
        F(2**n),
        tower(n, lambda k, l: Kron(S(TWO, 2**k), I(2**l))),
        tower(n, lambda k, l: Kron(I(2**l), S(2**k, TWO))),
    ]
    found += [tower(n, lambda k, l: Kron(I(2**l), Kron(F(TWO), I(2**k))))]
    while len(found) < count:
        a, b = rng.choice(found), rng.choice(found)
        same = [c for c in found if c.shape == a.shape]
        kind = rng.random()
        if kind < 0.25 and len(a.shape[0].powers) + len(b.shape[0].powers) <= 2:
            found.append(Kron(a, b))
        elif kind < 0.8:
            found.append(Mul(a, rng.choice(same)))
        elif kind < 0.9:
            signs = (Poly.of(rng.choice((1, -1, 2))), Poly.of(rng.choice((0, 1))))
            found.append(Sum(((*signs, a), (Poly.of(1), Poly.of(0), rng.choice(same)))))
        else:
            mutants = [mutant for _, mutant in changes(a) if mutant.shape == a.shape]
            found += [rng.choice(mutants)] if mutants else []
    return found


def as_it_is(term: Term) -> Term:
    """Return a term."""
    return term


def fuzz(
    seed: int,
    pairs: int,
    terms: int = 180,
    most: int = 40,
    written: Callable[[Term], Term] = as_it_is,
) -> Fuzzed:
    """Return what came of so many pairs of random terms; sizes are drawn anew for every 180 terms,
    twice, and the terms compared there densely. Path sums see them as they are `written`.

    >>> fuzz(1, 50).false
    0
    """
    rng, told = Random(seed), Fuzzed()
    q = prime(ORDER, rng)
    root = root_of_unity(ORDER, q)
    while told.pairs < pairs:
        drawn = random_terms(rng, terms)
        places = [_numbers(rng) for _ in range(2)]
        small = [
            term
            for term in drawn
            if all(integer(d, at) <= most for d in term.shape for at in places)
        ]
        small = [term for term in small if all(ORDER % order(term, at) == 0 for at in places)]
        marks = [
            b"".join(dense(term, dict(at), Field(ORDER, q, root)).tobytes() for at in places)
            for term in small
        ]
        groups: dict[Any, list[int]] = {}
        for i, (term, mark) in enumerate(zip(small, marks, strict=True)):
            groups.setdefault(term.shape, []).append(i)
            groups.setdefault((term.shape, mark), []).append(i)
        large = [group for group in groups.values() if len(group) > 1]
        for _ in range(min(8 * len(small), pairs - told.pairs)):
            i, j = rng.sample(rng.choice(large), 2)
            one, other = written(small[i]), written(small[j])
            _tell(told, _accepts_equal(one, other), marks[i] == marks[j])
    return told


def _numbers(rng: Random) -> dict[str, Any]:
    return {
        "r": rng.randint(2, 5),
        "s": rng.randint(2, 5),
        "n": rng.randint(1, 4),
        "alpha": Fraction(rng.randint(1, 6), rng.choice((5, 7))),
    }


def _accepts_equal(a: Term, b: Term) -> bool:
    try:
        return equal(a, b)
    except Refused:
        return False


def _tell(told: Fuzzed, said: bool, same: bool) -> None:
    told.pairs += 1
    told.accepted += said
    told.missed += same and not said
    told.false += said and not same


def counted(found: Iterator[Wrong]) -> Counter[str]:
    """Return how many statements were made, refused, refuted by numbers, true and proved, and false
    and proved.
    """
    total: Counter[str] = Counter()
    for wrong in found:
        total.update(
            {
                "made": 1,
                "refused": not wrong.proved,
                "refuted": wrong.refuted,
                "unsound": wrong.proved and wrong.refuted,
            }
        )
        total.update(
            {
                "proved": wrong.proved,
                "undecided": not wrong.proved and not wrong.refuted,
                wrong.what: 1,
            }
        )
    return total
