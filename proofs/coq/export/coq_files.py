"""Theorems of the kernel as Coq files, one lemma for each step of a proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from derive.text.parse import parse
from proofs.coq.export.coq_statements import essential, sorts, statement
from proofs.coq.export.coq_steps import Step
from proofs.kernel.kernel_rules import Thm
from proofs.kernel.numbers import Sequence as Radices
from proofs.kernel.sealed import Refused
from proofs.prove.claimed import claim_of, typed_lines
from proofs.theorems import Theorem
from proofs.theorems.by_blocks import BlockTheorem
from proofs.theorems.notation import equation as written

HEAD = """(* For all sizes, each step of the proof a lemma; written by nodewright prove --coq.

{said}

   Compile it in the folder of Matrix.v and Kernel.v, proofs/coq. *)

From Nodewright Require Import Kernel.

Section Exported.
Variable K : Turns.
Add Field turns : (field_laws K).
Add Ring entries : (laws (ring K)).
Local Notation eqm := (@Kernel.eqm K).
Local Notation root := (@Kernel.root K).
Local Notation complex := (@Kernel.complex K).
Local Notation sum := (@Matrix.sum (ring K)).
"""
LONGEST_STEP, LONGEST_REASON = 80, 160
"""A step that is longer is not in a refusal, and of a reason no more."""


class Unwritten(ValueError):
    """A proof that is not written in Coq: which step, and why."""


class File:
    """The lemmas of a file, each written once."""

    def __init__(self) -> None:
        self.lemmas: list[str] = []
        self.names: dict[Thm, str] = {}
        self.statements: dict[str, str] = {}

    def lemma(self, theorem: Thm) -> str:
        """Return the name of the lemma of a theorem, which is written if it is new."""
        theorem = essential(theorem)
        if theorem not in self.names:
            if any(type(sort) is Radices for sort in sorts(theorem).values()):
                raise Unwritten(self._why(theorem, "sequences of radices have no script"))
            stated = statement(theorem)
            if stated not in self.statements:
                proof = self._proof(theorem)
                self.statements[stated] = f"step_{len(self.lemmas) + 1}"
                self.lemmas.append(
                    f"Lemma {self.statements[stated]} : (* {theorem.rule} *)\n  {stated}.\n"
                    f"Proof.\n{proof}\nQed.\n"
                )
            self.names[theorem] = self.statements[stated]
        return self.names[theorem]

    def _proof(self, theorem: Thm) -> str:
        step = Step(self.lemma, theorem)
        try:
            return step.proof()
        except Refused as refused:
            raise Unwritten(self._why(theorem, str(refused))) from refused

    def _why(self, theorem: Thm, refused: str) -> str:
        """Return which step is not written, and why."""
        stated = written(theorem)
        step = f"the step {stated}" if len(stated) <= LONGEST_STEP else "a step of the proof"
        why = refused if len(refused) <= LONGEST_REASON else f"{refused[:LONGEST_REASON]} .."
        return f"{step}, by the rule {theorem.rule}, is not written in Coq: {why}"


def coq_file(proved: Sequence[tuple[str, Sequence[Thm], Sequence[Sequence[str]]]]) -> str:
    """Return the Coq file of theorems, given by their names with their parts, and with the text of
    each part, which the head of the file has; equations of one's own have the name formula.

    Raises Unwritten where a step is not written in Coq.

    >>> from proofs.theorems import theorems
    >>> text = coq_file([("cooley-tukey", theorems()["cooley-tukey"].prove(), ())])
    >>> text.splitlines()[-1], text.count("Lemma")
    ('Print Assumptions cooley_tukey.', 1)
    """
    file, ends, said = File(), [], []
    for title, parts, typed in proved:
        for n, part in enumerate(parts, 1):
            label = re.sub(r"\W", "_", title) + (f"_{n}" if len(parts) > 1 else "")
            proof = f"Proof. exact {file.lemma(part)}. Qed."
            ends.append(f"Theorem {label} :\n  {statement(part)}.\n{proof}\n")
            lines = typed[n - 1] if typed else ()
            said.append((label, "\n     ".join([f"   {label}: {written(part)}", *lines])))
    head = HEAD.format(said="\n".join(lines for _, lines in said))
    prints = "\n".join(f"Print Assumptions {label}." for label, _ in said)
    return "\n".join([head, *file.lemmas, *ends, f"End Exported.\n\n{prints}\n"])


def lines_of(equation: str) -> tuple[str, ...]:
    """Return the lines on an equation of the table of statements, which has no conditions."""
    sides = parse(equation)
    return typed_lines(sides, "", claim_of(sides, [])[1])


def coq_of(theorems: Iterable[Theorem | BlockTheorem]) -> str:
    """Return the Coq file of theorems; raise ValueError for one that is not the kernel's, Unwritten
    where a step is not written in Coq.
    """
    known: list[tuple[str, Sequence[Thm], Sequence[Sequence[str]]]] = []
    for theorem in theorems:
        if isinstance(theorem, BlockTheorem):
            why = "is proved by block algebra, which is not written in Coq"
            raise ValueError(f"{theorem.name} {why}")
        typed = (theorem.typed_lines,) if theorem.typed_lines else ()
        known.append(
            (theorem.name, theorem.prove(), typed or tuple(map(lines_of, theorem.equations)))
        )
    return coq_file(known)
