"""Whether the first use of a program on a rank decides what later ones do."""

from __future__ import annotations

from typing import Any

import numpy as np

from proofs.certify.declaration import CONVOLVE, Declaration
from proofs.certify.evaluation.evaluated_source import line_of_change
from proofs.certify.evaluation.evaluation import Evaluation, blaming
from proofs.certify.evaluation.remains import EQUAL, Form, changed_name, form_of, in_words
from proofs.certify.exact.data import Data
from proofs.certify.language.table_entries import Operation, Undecided
from proofs.certify.language.tables.kinds import WithState
from proofs.certify.scripts import usage
from proofs.certify.scripts.convolutions import convolved
from proofs.certify.scripts.evaluation_jobs import zeros
from proofs.certify.scripts.usage import Do, Free, Make

FIRST_USE = (
    "the first transform changes {}, in another way with another form of x or another out, so all"
    " later ones may differ; set it where the module is loaded, or keep it in the plan"
)
SHARED = (type, np.dtype, Operation)
"""Types of values that all runs have in common, but for operations of kernels."""


def refuse_first_use(evaluation: Evaluation, d: Declaration) -> None:
    """Raise NotModelled where what the first transform of a rank leaves in the module depends on
    the form of its x, or on `out`: scripts begin with one of these uses.
    """
    wanted = dict[tuple[str, int], Form]()
    uses = [usage.given_into(Do(0, 0, form), into) for form, into in usage.USES]
    if CONVOLVE in evaluation.operations:
        uses += [step for step in convolved() if isinstance(step, Do)]
    for use in uses if evaluation.module_changes else ():
        script = (Make(0), use, Free(0))
        with np.errstate(all="ignore"), blaming("contract"):
            world, _ = evaluation.follow(d, None, [zeros(d)] * 3, script, "contract")
            for rank, state in world.states.items():
                found = _anywhere(form_of([state]))
                if (first := wanted.setdefault((use.operation, rank), found)) != found:
                    path, of_plan = changed_name(first, found, state)
                    line = line_of_change(evaluation.source.text, path, of_plan) if path else None
                    raise Undecided(FIRST_USE.format(in_words(path, of_plan)), line)


def _anywhere(form: Form) -> Form:
    """Return a form without the addresses of what is made on each rank, or in each run, anew."""

    def is_apart(kind: type) -> bool:
        return kind is WithState or not issubclass(kind, SHARED)

    found = list[Any]()
    for each in form:
        match each:
            case (kind, (int(), *more)) if issubclass(kind, np.ndarray | Data):
                found.append((kind, tuple(more)))
            case (kind, int()) if kind not in EQUAL and is_apart(kind):
                found.append((kind, None))
            case _:
                found.append(each)
    return tuple(found)
