"""That two matrices have the same path sum, as a Coq proof.

Both sides act on a vector (actions.py). Their digits are split until the places of the vector and
the boxes have the same ones; then the sums are put in one order, and the phases differ by integers.
"""

from __future__ import annotations

from proofs.coq.export import coq_combinations
from proofs.coq.export.actions import Digits, Split, Splits, Tree, evaluated, summands, tree_text
from proofs.coq.export.coq_sums import reduced
from proofs.coq.export.coq_text import factor, name
from proofs.coq.export.digit_matching import same_summand
from proofs.kernel.numbers import Digit, Dim
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Term

MOST_SPLITS = 100


def script(left: Term, right: Term) -> list[str]:
    """Return the proof of `eqm m n left right`; raise Refused where none is found."""
    splits: Splits = {}
    for _ in range(MOST_SPLITS):
        try:
            (one, first), (other, second) = (
                evaluated(x, letter, splits) for x, letter in ((left, "a"), (right, "w"))
            )
            end = compared(one, other)
        except Split as split:
            split.apply(splits)
            continue
        rows = [Digit(f"~i_{n}", r) for n, r in enumerate(splits["~i"], 1)]
        return [
            "apply by_action; intros v i Hi.",
            *row(rows),
            f"transitivity ({tree_text(one)}).",
            "{",
            *first,
            "}",
            f"transitivity ({tree_text(other)}); [|symmetry].",
            "2: {",
            *second,
            "}",
            *end,
        ]
    raise Refused(f"more than {MOST_SPLITS} splits")


def row(digits: Digits) -> list[str]:
    """Return how a row is taken as its digits."""
    digits = [x for x in digits if x.radix != Dim.of(1)]
    if not digits:
        return ["assert (i = 0) by lia; subst i; clear Hi."]
    if len(digits) == 1:
        (x,) = digits
        return [f"rename i into {name(x.name)}; rename Hi into H{name(x.name)}."]
    product = " * ".join(factor(x.radix) for x in digits)
    lines = [
        f"assert (Hi' : i < {product}) by (eapply below_cast; [exact Hi|size]);"
        " clear Hi; rename Hi' into Hi."
    ]
    for n in range(len(digits) - 1, 0, -1):
        above, last = (name(digits[0].name) if n == 1 else "i"), name(digits[n].name)
        bound = f"H{above}" if n == 1 else "Hi"
        lines.append(
            f"destruct (digits _ _ _ Hi) as ({above}' & {last} & Hi' & H{last} & ->);"
            f" clear Hi; rename {above}' into {above}, Hi' into {bound}."
        )
    return lines


def compared(left: Tree, right: Tree) -> list[str]:
    """Return the proof that two trees are equal."""
    one, other = summands(left), summands(right)
    plain = len(one) == len(other) == 1 and not one[0].numbers + other[0].numbers
    if plain and not reduced(one[0])[0] + reduced(other[0])[0]:
        return same_summand(one[0], other[0])
    return coq_combinations.equal(left, right)
