"""Theorems as `nodewright prove` writes them: their certificates in one file, and an equation of
one's own as a theorem with a document.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from derive.text.parse import parse
from derive.text.syntax import Sides
from derive.text.text_latex import in_letters
from derive.verdict import Proved
from proofs.kernel.kernel_rules import Thm
from proofs.meaning.claims import Claim
from proofs.prove.claimed import typed_lines
from proofs.prove.equation_proofs import Answer
from proofs.replay import block_certificates, certificate_steps
from proofs.show.own import OwnTheorem
from proofs.theorems import Theorem, theorems
from proofs.theorems.by_blocks import BlockTheorem, block_theorems


def certificates(known: Iterable[Theorem | BlockTheorem]) -> str:
    """Return the certificates of theorems as JSON, one for each of their parts; a single one stands
    alone.

    >>> from proofs.theorems import theorems
    >>> certificates([theorems()["cooley-tukey"]])[:24]
    '{"name": "cooley-tukey",'
    """
    found: list[dict[str, Any]] = []
    for theorem in known:
        if isinstance(theorem, BlockTheorem):
            found.append(block_certificates.certificate(theorem.name, theorem))
        else:
            found += [certificate_steps.certificate(theorem.name, part) for part in theorem.prove()]
    return _text(found[0] if len(found) == 1 else {"certificates": found})


def own_certificate(
    sides: Sides,
    where: str,
    theorem: Thm,
    name: str = "",
    given: Sequence[Sides] = (),
    under: Mapping[str, tuple[str, str]] | None = None,
    claim: Claim | None = None,
) -> str:
    """Return the certificate of an equation of one's own as JSON, under a name of one's own or
    under the equation itself; `given` are the equations that it assumes and that are checked,
    `under` the hypotheses that nobody has proved, with their conditions, and `claim` says what its
    symbols are in the kernel's letters.

    Raises ValueError for the name of a theorem.
    """
    more: dict[str, Any] = {"where": where}
    more |= {"given": list(map(str, given))} if given else {}
    more |= {"under": dict(under)} if under else {}
    more |= claim.to_dict() if claim else {}
    if not name:
        return _text({**certificate_steps.certificate(str(sides), theorem), **more})
    if name in theorems() | block_theorems():
        raise ValueError(f"{name} is the name of a theorem: name your own equation differently")
    return _text({**certificate_steps.certificate(name, theorem), "equation": str(sides), **more})


def _text(found: dict[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False) + "\n"


def own(sides: Sides, where: str, answer: Answer) -> OwnTheorem:
    """Return an equation of one's own as a theorem; raise ValueError where it is not proved."""
    theorem = answer.theorem
    if theorem is None:
        raise ValueError(f"{sides} is not proved: {answer.verdict}")
    conditions = [where] * bool(where) + [*answer.implied]
    given = ", where " * bool(conditions) + ", ".join(map(_condition, conditions))
    given += "".join(f", given ${in_letters(one)}$, which is checked" for one in answer.given)
    under = answer.verdict.under if isinstance(answer.verdict, Proved) else ()
    given += "".join(f", under the hypothesis {name}: {_hypothesis(one)}" for name, one in under)
    return OwnTheorem(
        "formula",
        "Your own equation",
        lambda: (theorem,),
        f"${in_letters(sides)}${given}.",
        sides=sides,
        statement=answer.verdict.statement,
        conditions=f"{given}.",
        symbols=answer.symbols,
        typed_lines=typed_lines(sides, where, answer.claim),
    )


def _hypothesis(text: str) -> str:
    """Return a hypothesis with its conditions as it stands in a document."""
    equation, where, conditions = text.partition(", where ")
    return f"${in_letters(parse(equation))}${where}{conditions}"


def _condition(text: str) -> str:
    """Return a condition as it stands in a document, its formulas between dollars.

    >>> _condition("n >= 1"), _condition("2*r divides N")
    ('$n ≥ 1$', '$2 r$ divides $N$')
    """
    words = ((" divides ", "$ divides $"), (" is a power of ", "$ is a power of $"))
    for sign, shown in ((">=", "≥"), ("<=", "≤"), ("*", " "), *words):
        text = text.replace(sign, shown)
    return f"${text}$"
