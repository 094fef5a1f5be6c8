"""One step of a proof in Coq: the lemma of its rule in Kernel.v, applied to its premises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proofs.coq.export import coq_text, path_sum_proofs
from proofs.coq.export.coq_statements import essential, hypotheses, intros, ordered, sorts, trivial
from proofs.coq.export.coq_text import factor, name, natural
from proofs.kernel.kernel_rules import Hypothesis, Thm
from proofs.kernel.numbers import Digit, Dim, Nat, Poly, Real
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Term, free, parts


class Step:
    """The proof of a theorem from the lemmas of its premises."""

    def __init__(self, lemma: Callable[[Thm], str], theorem: Thm) -> None:
        self.lemma, self.theorem = lemma, theorem
        self.sorts, self.given = sorts(theorem), hypotheses(theorem)
        self.bound: set[str] = set()

    def proof(self) -> str:
        names = " ".join(f"G{n}" for n in range(len(self.given)))
        head = f"{intros(self.sorts)} {names}".strip()
        rule = RULES.get(self.theorem.rule)
        if rule is None:
            raise Refused("Kernel.v has no lemma for it")
        lines = rule(self, *self.theorem.premises)
        return "\n".join(f"  {line}" for line in ([f"intros {head}."] if head else []) + lines)

    def use(
        self,
        premise: Thm,
        values: dict[str, Any] | None = None,
        extra: dict[Hypothesis, str] | None = None,
    ) -> str:
        """Return a premise as a proof of its equation; its variables are these values, or what has
        their name here.
        """
        premise = essential(premise)
        if trivial(premise):
            return f"(r_refl K _ _ {coq_text.term(premise.left)})"
        arguments = []
        for x, sort in sorts(premise).items():
            arguments += self.argument(x, sort, values or {})
        for h in hypotheses(premise):
            arguments.append((extra or {}).get(h) or f"G{self.given.index(h)}")
        return f"({' '.join([self.lemma(premise), *arguments])})"

    def argument(self, x: str, sort: Any, values: dict[str, Any]) -> list[str]:
        """Return the value of a variable, with the proof of its range."""
        value = values.get(x)
        ranged = sort == "size" or type(sort) is Digit
        if value is None and (x in self.sorts or x in self.bound):
            return [name(x), f"H{name(x)}"] if ranged else [name(x)]
        match sort:
            case "natural":
                return [f"({natural(value)})" if value is not None else "0"]
            case "size":
                return [factor(value or Dim.of(1)), "ltac:(positive)"]
            case Digit():
                found = free(value).items() if value is not None else ()
                digits = [name(y) for y, kind in found if type(kind) is Digit]
                return [*(digits or ["0"]), "ltac:(in_range)"]
            case Real():
                return [f"({coq_text.phase(value)})%turn" if value is not None else "t0"]
        return ["(Id)" if value is None else coq_text.term(value)]

    # Rules: each returns the lines after `intros`

    def refl(self, term: Term) -> list[str]:
        """a = a."""
        return ["apply r_refl."]

    def sym(self, premise: Thm) -> list[str]:
        """Turn an equation around."""
        return [f"apply r_sym; exact {self.use(premise)}."]

    def trans(self, first: Thm, second: Thm) -> list[str]:
        """Join two equations."""
        return [f"exact (r_trans _ _ _ _ _ _ {self.use(first)} {self.use(second)})."]

    def kron(self, a: Thm, b: Thm) -> list[str]:
        """Kronecker products of equations."""
        (m, n), (q, r) = a.left.shape, b.left.shape
        sizes = " ".join(map(factor, (m, n, q, r)))
        return [f"apply (r_kron _ {sizes}); [size|size|exact {self.use(a)}|exact {self.use(b)}]."]

    def mul(self, a: Thm, b: Thm) -> list[str]:
        """Products of equations."""
        return [f"exact (r_mul _ _ _ _ _ _ _ _ {self.use(a)} {self.use(b)})."]

    def add(self, *summands: tuple[Poly, Poly, Thm]) -> list[str]:
        """Sums of equations."""
        *some, last = (f"(r_scaled _ _ _ _ _ _ {self.use(t)})" for _, _, t in summands)
        for one in reversed(some):
            last = f"(r_added _ _ _ _ _ _ _ {one} {last})"
        return [f"exact {last}."]

    def block(self, x: Digit, premise: Thm) -> list[str]:
        """Direct sums of equations."""
        self.bound = {x.name}
        sizes = " ".join(map(factor, (x.radix, x.radix, *premise.left.shape)))
        one = name(x.name)
        return [
            f"apply (r_block _ {sizes}); [size|size|reflexivity|].",
            f"intros {one} H{one}; concludes {self.use(premise)}.",
        ]

    def pi(self, count: Nat, k: str, l: str, premise: Thm) -> list[str]:
        """Ordered products of equations."""
        self.bound = {k, l}
        exponents = (e for side in premise.left.shape for _, e in side.powers)
        scales = {natural(coefficient(l, e)) for e in exponents}
        return [
            f"apply r_pi; intros {name(k)} {name(l)} Hn; rewrite <- Nat.add_1_r in Hn.",
            *(f"pose proof (f_equal (Nat.mul ({q})) Hn)." for q in sorted(scales - {"0", "1"})),
            f"eapply conclude; [exact {self.use(premise)}|counted|counted|same|same].",
        ]

    def instantiate(self, premise: Thm, values: tuple[tuple[str, Any], ...]) -> list[str]:
        return [f"concludes {self.use(premise, dict(values))}."]

    def diag(self, left: Term, right: Term) -> list[str]:
        """Compare path sums."""
        return path_sum_proofs.script(left, right)

    def flip(self, r: Dim, s: Dim) -> list[str]:
        """Reverse an index by its digits."""
        sizes = f"{factor(r)} {factor(s)}"
        return [
            f"pose proof (r_flip K {sizes} ltac:(positive) ltac:(positive)) as G_J.",
            "unfold reversing in G_J; concludes G_J.",
        ]

    def cases(
        self, left: Term, right: Term, side: int, above: Dim, below: Dim, *cases: Thm
    ) -> list[str]:
        """Every value of a digit."""
        kind, other = (("rows", 1), ("columns", 0))[side]
        sizes = " ".join(map(factor, (above, Dim.of(len(cases)), below, left.shape[other])))
        both = " ".join(map(coq_text.term, (left, right)))
        each = [f"destruct v as [|v]; [concludes {self.use(one)}|]." for one in cases]
        return [
            f"eapply conclude; [apply (r_{kind} K {sizes} {both})|size|size|same|same].",
            f"unfold chosen_{kind[:-1]}; intros v Hv.",
            *each,
            "exfalso; lia.",
        ]

    def empty(self, product: Term) -> list[str]:
        """A product of no factor."""
        return ["apply r_empty; reflexivity."]

    def first(self, product: Any) -> list[str]:
        rest = natural(product.count - 1)
        sizes = f"{factor(product.shape[0])} ({natural(product.count)}) ({rest})"
        return [f"concludes (r_first K {sizes} {_body(product)} ltac:(lia))."]

    def recount(self, product: Any) -> list[str]:
        """The number of factors by the indices."""
        one = name(next(iter(free(product.count))))
        return [
            f"apply r_pi; intros b1 b1' Hn; assert ({one} = b1 + b1' + 1) as -> by lia.",
            "eapply conclude; [apply r_refl|size|size|same|same].",
        ]

    def assume(self, left: Term, right: Term, *general: str) -> list[str]:
        kept = {x: s for x, s in ordered(free(left, right)).items() if x in general}
        return [f"exact {' '.join(['(G0', *intros(kept).split()])})."]

    def induct(self, n: str, left: Term, right: Term, base: Thm, step: Thm) -> list[str]:
        out = [h for h in step.hypotheses if h not in self.theorem.hypotheses]
        general = {x: s for x, s in self.sorts.items() if any(x in h.general for h in out)}
        ranged = (s for x, s in self.sorts.items() if x not in general and type(s) is not str)
        if len(out) > 1 or any(n in free(*parts(s)) for s in ranged):
            raise Refused(f"cannot find the variables that belong to {n}")
        names, one = intros(general), name(n)
        move, again = (f"revert {names}; ", f"intros {names}; ") if names else ("", "")
        extra = dict.fromkeys(out, "IH")
        return [
            f"{move}induction {one} as [|{one} IH]; {again}",
            f"[ concludes {self.use(base, {n: Nat.of(0)})} | ].",
            f"rewrite <- (Nat.add_1_r {one}); concludes {self.use(step, None, extra)}.",
        ]


def coefficient(x: str, exponent: Nat) -> Nat:
    """Return what a variable is multiplied with in a sum.

    >>> from proofs.kernel.numbers import nat
    >>> str(coefficient("l", nat("l") * nat("e") + nat("e") + 1))
    'e'
    """
    linear = ((names, c) for names, c in exponent.terms if names.count(x) == 1)
    return Nat(frozenset((tuple(y for y in names if y != x), c) for names, c in linear))


def _body(product: Any) -> str:
    return f"(fun {name(product.k)} {name(product.l)} => {coq_text.term(product.body)})"


RULES: dict[str, Callable[..., list[str]]] = {
    rule.__name__: rule
    for rule in (
        Step.refl,
        Step.sym,
        Step.trans,
        Step.kron,
        Step.mul,
        Step.add,
        Step.block,
        Step.pi,
        Step.instantiate,
        Step.diag,
        Step.flip,
        Step.cases,
        Step.empty,
        Step.first,
        Step.recount,
        Step.assume,
        Step.induct,
    )
}
