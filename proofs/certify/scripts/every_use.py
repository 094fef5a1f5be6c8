"""Whether a program is run with each form of x and each kind of `out`."""

from __future__ import annotations

from typing import NamedTuple

from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.exact.functions import FLAGS
from proofs.certify.fields.counterexamples import ALIGNED
from proofs.certify.last_section import section_of, takes_all
from proofs.certify.scripts.usage import USES, USUAL, Script, in_every_form, in_every_state


class Uses(NamedTuple):
    """A script, and which one it is in words."""

    script: Script
    words: str


def every_use(evaluation: Evaluation) -> Uses | None:
    """Return a script with each form of x and each kind of `out`, where what a transform does may
    depend on both: its plans change, or it reads flags or addresses of arrays.
    """
    reads = reads_flags(evaluation)
    if evaluation.plans_change:
        words = "three transforms by each of several plans, a plan for each kind of use"
        return Uses(in_every_state(USES if reads else USUAL), words)
    if reads:
        return Uses(in_every_form(), "transforms by one plan, one for each kind of use")
    return None


def reads_flags(evaluation: Evaluation) -> bool:
    """Return whether the program reads flags or addresses of arrays, but where its code is that of
    all generated programs.
    """
    text = evaluation.source.text
    own = text.removesuffix(section_of(text)) if takes_all(evaluation.source) else text
    names, lines = {f".{name}" for name in FLAGS}, own.count("\n")
    return ALIGNED in own or any(name in names and line <= lines for line, name in evaluation.asked)
