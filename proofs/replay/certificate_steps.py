"""Certificates of proofs: the steps of a theorem as JSON, and their replay, which trusts the kernel
only.

    certificate = {"name": ..., "statement": ..., "objects": [object, ...], "steps": [step, ...], "theorem": step number, ["equation": ..., "where": ..., "given": [...], "under": {name: [equation, conditions]}, "substitution": {symbol: size}, "rows": parts, "columns": parts, "without_roots": equation]}
    object      = ["Nat", [[names, coefficient], ...]] | ["Dim", [[base, Nat], ...]] | ["Poly", [[Dim, [atom, ...], rational], ...]]
                  | ["Digit", name, Dim] | ["Real", name] | [kind of term, field, ...]
    step        = {"rule": ..., "premises": [...], "left": term, "right": term, "hypotheses": [[term, term, names], ...]}

Objects refer to earlier ones as {"object": number}, premises also to earlier steps as {"step":
number}. The objects are the definitions of all sizes, phases and terms. A step says what it proves;
a replay refuses a step that proves something else, and a theorem that is not the one that is
stated. An equation of one's own has what its symbols are in the kernel's letters, where they are no
letters themselves (substitution); the parts of its rows and columns, "copies; sizes; multiple",
where these are direct sums; and the equation that is proved where square roots are taken out. A
second reading (proofs/meaning) compares them with the theorem. A file has one certificate or
{"certificates": [...]}; those of block algebra are replayed by block_certificates.py. The command also wants
the theorem or the equation that the name claims.

    python -m proofs.replay.certificate_steps FILE ...
"""  # noqa: E501

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from proofs.kernel import kernel_certificates
from proofs.kernel.kernel_certificates import read
from proofs.kernel.kernel_rules import Thm
from proofs.kernel.numbers import Dim, Nat, Poly
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import parts
from proofs.replay import block_certificates
from proofs.replay.claimed_theorems import check_block_claim, check_claim
from proofs.theorems import theorems
from proofs.theorems.by_blocks import assumed, block_theorems
from proofs.theorems.notation import equation

TEXTS = {"name", "statement", "where", "equation", "rows", "columns", "without_roots"}


class Writer:
    """Objects and steps, each written once."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.steps: list[Any] = []
        self._known: dict[Any, int] = {}

    def value(self, thing: Any) -> Any:
        """Return what stands for a premise in JSON."""
        if type(thing) is Thm:
            return {"step": self.step(thing)}
        if type(thing) is tuple:
            return [self.value(x) for x in thing]
        if type(thing) in (int, str):
            return thing
        if thing not in self._known:
            found = self._object(thing)
            self._known[thing] = len(self.objects)
            self.objects.append(found)
        return {"object": self._known[thing]}

    def _object(self, thing: Any) -> list[Any]:
        match thing:
            case Nat(terms):
                return ["Nat", sorted([list(names), c] for names, c in terms)]
            case Dim(powers):
                return [
                    "Dim",
                    [
                        [self.value(base), self.value(e)]
                        for base, e in sorted(powers, key=lambda power: str(power[0]))
                    ],
                ]
            case Poly(terms):
                monomials = sorted(
                    terms, key=lambda term: (str(term[0][0]), [x.name for x in term[0][1]])
                )
                return [
                    "Poly",
                    [[self.value(dim), self.value(atoms), str(c)] for (dim, atoms), c in monomials],
                ]
        return [type(thing).__name__, *(self.value(x) for x in parts(thing))]

    def step(self, theorem: Thm) -> int:
        """Return the number of a theorem's step."""
        if theorem not in self._known:
            premises = [self.value(x) for x in theorem.premises]
            hypotheses = [
                [self.value(h.left), self.value(h.right), sorted(h.general)]
                for h in theorem.hypotheses
            ]
            claim = {
                "left": self.value(theorem.left),
                "right": self.value(theorem.right),
                "hypotheses": sorted(hypotheses, key=str),
            }
            self._known[theorem] = len(self.steps)
            self.steps.append({"rule": theorem.rule, "premises": premises, **claim})
        return self._known[theorem]


def certificate(name: str, theorem: Thm) -> dict[str, Any]:
    """Return the certificate of a theorem."""
    writer = Writer()
    last = writer.step(theorem)
    return {
        "name": name,
        "statement": equation(theorem),
        "objects": writer.objects,
        "steps": writer.steps,
        "theorem": last,
    }


def replay(text: dict[str, Any]) -> Thm:
    """Return the theorem of a certificate, every step done again by the kernel.

    Raises Refused where a step is no step of the kernel, or proves something else than it says.
    """
    found: Thm = kernel_certificates.refusing(_stated, text)
    return found


def _stated(text: dict[str, Any]) -> Thm:
    found = kernel_certificates.theorem(text)
    if equation(found) != text["statement"]:
        raise Refused(f"something else is proved than is stated: {equation(found)}")
    return found


def said(text: Any) -> list[str]:
    """Return a line for each certificate of a file: its name, what it assumes and what it proves;
    assumed relations of blocks come last.

    Raises Refused where one proves nothing, or something else than its name or its statement
    claims.
    """
    if not isinstance(text, dict) or not {"certificates", "name"} & text.keys():
        raise Refused("no certificate")
    if "certificates" in text:
        if not isinstance(text["certificates"], list) or not text["certificates"]:
            raise Refused("there is no certificate in it: nothing is proved")
        return [line for one in text["certificates"] for line in said(one)]
    _complete(text)
    hypotheses = _hypotheses(text)
    if "derivation" in text:
        found = block_certificates.replay(text)
        check_block_claim(text, found)
        relations = assumed(found)
        more = [
            f"{text['name']} assumes, because {reason}: {', '.join(map(str, relations[reason]))}"
            for reason in relations
        ]
        return [f"proved{_under(len(relations))} {text['name']}: {text['statement']}", *more]
    theorem = replay(text)
    part, implied = check_claim(text, theorem)
    given = _under(len(theorem.hypotheses))
    more = [
        f"{text['name']} assumes {name}, which is not proved: {equation}"
        + (f", where {condition}" if condition else "")
        for name, (equation, condition) in hypotheses
    ]
    conditions = [*([text["where"]] if text.get("where") else []), *implied]
    where = f", where {', '.join(conditions)}" if conditions else ""
    own = f": {text['equation']}" if "equation" in text else ""
    return [f"proved{given} {text['name']}{part}{own}{where}: {equation(theorem)}", *more]


def _complete(text: dict[str, Any]) -> None:
    for field in TEXTS & text.keys():
        if not isinstance(text[field], str) or not text[field].isprintable():
            raise Refused(f"no certificate: {field} is a text of one line, not {text[field]!r:.40}")
    steps = ("derivation",) if "derivation" in text else ("steps", "theorem")
    if missing := [key for key in ("name", "statement", "objects", *steps) if key not in text]:
        raise Refused(f"no certificate: it has no {', '.join(missing)}")


def _hypotheses(text: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Return the hypotheses of one's own, each an equation and its conditions."""
    under = text.get("under", {})
    if not isinstance(under, dict) or not all(
        isinstance(one, list) and len(one) == 2 for one in under.values()
    ):
        raise Refused("no certificate: under has hypotheses, each an equation and its conditions")
    for name, stated in under.items():
        if not all(isinstance(x, str) and x.isprintable() for x in (name, *stated)):
            raise Refused(f"no certificate: the hypothesis {name!a:.40} is not a text of one line")
        if name in theorems() | block_theorems():
            raise Refused(f"{name} is the name of a theorem: a hypothesis has another")
    return [*under.items()]


def _under(count: int) -> str:
    """Return how many hypotheses there are, in words."""
    return f" under {count} hypothes{'e' if count > 1 else 'i'}s" if count else ""


def main(files: Iterable[str]) -> int:
    """Replay certificates; print what each proves."""
    wrong, names = 0, list(files)
    if not names:
        print("no FILE: give the certificates that are replayed", file=sys.stderr)
        return 2
    for file in names:
        try:
            for line in said(read(file)):
                print(f"{file}: {line}")
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            wrong = 1
            why = f"no certificate: it has no {error}" if type(error) is KeyError else f"{error}"
            print(f"{file}: refused: {why}", file=sys.stderr)
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
