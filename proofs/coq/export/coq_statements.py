"""The statement of a theorem of the kernel, as a proposition of Coq."""

from __future__ import annotations

from typing import Any

from proofs.coq.export import coq_text
from proofs.coq.export.coq_text import name, size
from proofs.kernel.kernel_rules import Hypothesis, Thm
from proofs.kernel.numbers import Digit, Real
from proofs.kernel.terms import Term, Var, free


def sorts(theorem: Thm) -> dict[str, Any]:
    """Return the variables of a theorem with their sorts, those first on which others depend."""
    fixed = {x for h in theorem.hypotheses for x in h.fixed}
    given = free(*(side for h in theorem.hypotheses for side in (h.left, h.right)))
    found = {x: sort for x, sort in given.items() if x in fixed} | free(theorem.left, theorem.right)
    return ordered(found)


def _rank(sort: Any) -> int:
    return 1 if type(sort) is str else 2


def binders(found: dict[str, Any]) -> str:
    """Return the variables as the beginning of a statement."""
    found_texts = []
    for x, sort in found.items():
        match sort:
            case "natural":
                found_texts.append(f"forall {name(x)} : nat, ")
            case "size":
                found_texts.append(f"forall {name(x)} : nat, {name(x)} <> O -> ")
            case Digit(_, radix):
                found_texts.append(f"forall {name(x)} : nat, {name(x)} < {size(radix)} -> ")
            case Real():
                found_texts.append(f"forall {name(x)} : turn K, ")
            case Var():
                found_texts.append(f"forall {name(x)} : mat (ring K), ")
    return "".join(found_texts)


def intros(found: dict[str, Any]) -> str:
    """Return the names that are introduced for variables."""
    ranged = (x for x in found)
    return " ".join(
        f"{name(x)} H{name(x)}" if found[x] == "size" or type(found[x]) is Digit else name(x)
        for x in ranged
    )


def equation(left: Term, right: Term) -> str:
    """Return an equation as a proposition."""
    return f"eqm {coq_text.shape(left)} {coq_text.term(left)} {coq_text.term(right)}"


def hypothesis(h: Hypothesis) -> str:
    """Return a hypothesis as a proposition."""
    general = {x: s for x, s in ordered(free(h.left, h.right)).items() if x in h.general}
    return f"{binders(general)}{equation(h.left, h.right)}"


def ordered(found: dict[str, Any]) -> dict[str, Any]:
    """Return variables with their sorts, those first on which others depend."""
    return dict(sorted(found.items(), key=lambda item: (_rank(item[1]), item[0])))


def hypotheses(theorem: Thm) -> list[Hypothesis]:
    """Return the hypotheses in the order in which a statement has them."""
    return sorted(theorem.hypotheses, key=lambda h: (str(h.left), str(h.right), sorted(h.general)))


def statement(theorem: Thm) -> str:
    """Return a theorem as a proposition."""
    given = "".join(f"({hypothesis(h)}) -> " for h in hypotheses(theorem))
    return f"{binders(sorts(theorem))}{given}{equation(theorem.left, theorem.right)}"


def trivial(theorem: Thm) -> bool:
    """Return whether both sides are the same term."""
    return bool(theorem.left == theorem.right)


def essential(theorem: Thm) -> Thm:
    """Return what a theorem is made of, steps that change nothing left out."""
    while theorem.rule == "trans":
        first, second = theorem.premises
        if trivial(first):
            theorem = second
        elif trivial(second):
            theorem = first
        else:
            break
    return theorem
