"""Proofs for all sizes: of an equation of one's own, and of the theorems by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any

from derive import call_arguments
from derive.call_arguments import needs_arguments
from derive.show import html
from derive.show.lists import ByName
from derive.text.expressions import need_products, size_symbols
from derive.text.parse import parse_relations
from derive.text.syntax import Sides
from derive.verdict import Proved, Verdict
from nodewright.api.equations import Statement, typed
from nodewright.api.judged import Unpickled
from nodewright.show.proof import Proof
from proofs.kernel.kernel_rules import Thm
from proofs.prove.equation_proofs import Answer, decide_for_all
from proofs.replay.export import own, own_certificate
from proofs.show.chain import Typed
from proofs.show.fragments import typeset
from proofs.show.kernel_chains import Reading, read
from proofs.show.own import OwnTheorem, kernel_statement, typed_as
from proofs.theorems import Theorem
from proofs.theorems import derivations as derivable
from proofs.theorems import theorems as kernel_theorems
from proofs.theorems.by_blocks import BlockTheorem, block_theorems
from proofs.theorems.notation import equation as kernel_equation
from proofs.theorems.notation import shown

SECONDS, LONGEST = 20, 10**6
"""The default of the time that a search for a proof may take, and the most of it."""


@dataclass(frozen=True, repr=False)
class OwnProof(Unpickled, Proof):
    """A verdict on an equation of your own, with the proof if there is one."""

    sides: Sides
    where: str
    answer: Answer
    seconds: float
    name: str = ""
    """The name that its certificate has; the equation where it has none."""

    @property
    def verdict(self) -> Verdict:
        """The verdict; it is for all sizes where there are symbols."""
        found, symbols = self.answer.verdict, bool(self.sides.symbols)
        return replace(found, all_sizes=symbols) if isinstance(found, Proved) else found

    @property
    def typeset(self) -> html.Markup:
        """The equation as mathematics on a page, with its conditions."""
        return typeset(self.sides, self.statement)

    @property
    def theorem(self) -> OwnTheorem:
        """The equation as a theorem; ValueError where it is not proved."""
        return own(self.sides, self.where, self.answer)

    @property
    def kernel(self) -> str | None:
        """The equation of the kernel that proves it, None where nothing does."""
        return kernel_statement(self.answer.theorem, set()) if self.answer.theorem else None

    @property
    def typed(self) -> Typed | None:
        """The equation as typed, and that of the kernel; None without a proof."""
        return typed_as(self.theorem) if self.answer.theorem else None

    def replayable(self) -> str:
        (theorem,) = self.theorem.proof()
        given, claim = self.answer.given, self.answer.claim
        return own_certificate(self.sides, self.where, theorem, self.name, given, claim=claim)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as `prove --formula` prints it with --json."""
        values = self.answer.values
        return {
            "formula": str(self.sides),
            "where": self.where,
            **self.verdict.to_dict(),
            "values": None if values is None else {name: str(x) for name, x in values.items()},
            "sizes_tried": self.answer.tried,
            "kernel": self.kernel,
            "symbols": dict(self.answer.symbols),
            "seconds": self.seconds,
        }


@dataclass(frozen=True, repr=False)
class NamedProof(Proof):
    """A theorem with a name; it is proved when something of the proof is first asked for."""

    theorem: Theorem | BlockTheorem

    @property
    def name(self) -> str:
        """Its name, as `nodewright prove` takes it."""
        return self.theorem.name

    @property
    def source(self) -> str:
        """The paper and the place there."""
        return self.theorem.source

    @property
    def title(self) -> str:
        """The statement in the paper's letters."""
        return self.gloss.partition("\n\n")[0]

    @property
    def gloss(self) -> str:
        """The statement in the paper's letters, with what they mean after a blank line."""
        return self.theorem.gloss

    @cached_property
    def _timed(self) -> tuple[Proved, float]:
        start = perf_counter()
        return self.theorem.verdict(), perf_counter() - start

    @property
    def verdict(self) -> Proved:
        """That it is proved, with the rules that the proof uses."""
        return self._timed[0]

    @property
    def seconds(self) -> float:
        """The seconds that the proof took."""
        return self._timed[1]

    @property
    def assumed(self) -> dict[str, list[str]]:
        """The assumptions: relations of blocks by their reasons, or hypotheses of equations."""
        if isinstance(self.theorem, BlockTheorem):
            return {why: [str(r) for r in all_] for why, all_ in self.theorem.assumed().items()}
        hypotheses = (h for part in self.theorem.prove() for h in part.hypotheses)
        given = {f"{shown(h.left)} = {shown(h.right)}" for h in hypotheses}
        return {"hypotheses": sorted(given)} if given else {}

    def to_dict(self) -> dict[str, Any]:
        """Return the theorem as `prove` prints it with --json."""
        return {
            "name": self.name,
            "source": self.source,
            "statement": self.statement,
            "gloss": self.gloss,
            "verdict": self.kind,
            "seconds": self.seconds,
            "rests_on": list(self.verdict.rests_on),
            "assumed": self.assumed,
            "kernel": [
                kernel_equation(part) if isinstance(part, Thm) else str(part)
                for part in self.theorem.prove()
            ],
        }

    @property
    def reading(self) -> Reading:
        """The proof line by line, with the lemmas that it uses."""
        return read(self.theorem, citing=True)

    def derivation(self) -> dict[str, Any]:
        """Return the proof line by line, as `derive` prints it with --json."""
        head = {"name": self.name, "source": self.source, **self.verdict.to_dict()}
        return {**head, "gloss": self.gloss, **self.reading.to_dict()}

    def row(self) -> tuple[str]:
        """Return what a list shows of it behind its name."""
        return (self.title,)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.title}>"


@needs_arguments
def prove(statement: Statement, where: str = "", seconds: float = SECONDS) -> OwnProof:
    """Return a proof of an equation for all sizes, each step checked by a small kernel.

    Args:
        statement: the equation, as text or between formulas.
        where: conditions on the symbols, such as "n >= 1, r >= 2".
        seconds: the limit of the search for a proof, in seconds of processor time.

    Returns:
        A proof whose `kind` is proved, refuted, undecided, or checked if it has no symbols. If
        refuted, its `counterexample` has the smallest sizes found.

    Raises:
        ValueError: the equation or a condition cannot be read.

    Examples:
        >>> found = prove("L(r*s,r) * L(r*s,s) = I(r*s)", where="r >= 2")
        >>> found.kind, found.steps[0].reason
        ('proved', 'by path sums')
        >>> prove("F(r) = I(r)").counterexample
        'at r = 2: entry (0, 1) is 1 on the left and 0 on the right'
    """
    start = perf_counter()
    if type(seconds) not in (int, float) or not 0 < seconds < LONGEST:
        rule = f"must be above 0 and below {LONGEST}; got {seconds}"
        raise ValueError(f"{call_arguments.named('seconds')} {rule}")
    call_arguments.text(where, "where")
    sides, conditions = typed(statement), parse_relations(where)
    spoken_of = (size_symbols(size) for left, _, right in conditions for size in (left, right))
    need_products(sides.symbols.difference(*spoken_of), sides.symbols)
    answer = decide_for_all(sides, conditions, seconds)
    return OwnProof(sides, where, answer, perf_counter() - start)


@needs_arguments
def theorem(name: str) -> NamedProof:
    """Return the theorem with this name, from the papers or the results that they use.

    Args:
        name: one of the names of `theorems`, as `nodewright prove --list` shows them.

    Returns:
        The theorem, a proof. It is proved when its verdict or its steps are first used.

    Raises:
        ValueError: the name is unknown.

    Examples:
        >>> print(theorem("cooley-tukey").gloss.splitlines()[0])
        F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) L^rs_r.
        >>> theorem("cooley-tukey").kind
        'proved'
    """
    return named(theorems(), [name], "theorem")[0]


def theorems() -> ByName[NamedProof]:
    """Return all theorems by name.

    Returns:
        A dict from names to theorems, in the order of `nodewright prove --list`.

    Examples:
        >>> list(theorems())[:3]
        ['cooley-tukey', 'bsp-1.6', 'bsp-lemma-1.2']
    """
    known = kernel_theorems() | block_theorems()
    return ByName({name: NamedProof(each) for name, each in known.items()})


def derivations() -> dict[str, NamedProof]:
    """Return what is derived line by line, by name: all theorems of the kernel, and the parts of
    Lemma 1.2.

    >>> derivations()["bsp-lemma-1.2-2"].statement
    'I_{m} ⊗ I_{n} = I_{m n}'
    """
    return {name: NamedProof(each) for name, each in derivable().items()}


def named(
    known: dict[str, NamedProof], names: Sequence[str], kind: str, others: Iterable[str] = ()
) -> list[NamedProof]:
    """Return the proofs of these names, or all; ValueError for others, near to all of these."""
    for name in names:
        if name not in known:
            command = f"nodewright {'prove' if kind == 'theorem' else 'derive'} --list"
            every = call_arguments.written(command, "nodewright.theorems()")
            raise call_arguments.unknown(kind, name, [*others, *known], every)
    return [known[name] for name in names or known]
