"""Whether the first use of a program on a rank decides what later ones do, or what its functions
of locations return; and whether these decide what a transform does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Any

import numpy as np

from proofs.certify.declaration import CONVOLVE, SHAPES, Declaration
from proofs.certify.evaluation.evaluated_places import results_of
from proofs.certify.evaluation.evaluated_source import called, line_of_change, method
from proofs.certify.evaluation.evaluation import Evaluation, blaming
from proofs.certify.evaluation.refusals import elements
from proofs.certify.evaluation.remains import Form, Made, changed_name, form_of
from proofs.certify.failures import Wrong
from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.tables.standard import Cache
from proofs.certify.language.values.function_values import State
from proofs.certify.plain_text import in_words
from proofs.certify.scripts import usage
from proofs.certify.scripts.convolutions import convolved
from proofs.certify.scripts.evaluation_jobs import zeros
from proofs.certify.scripts.usage import TRANSFORM, Do, Free, Make
from proofs.certify.world.communicator import Comm

FIRST_USE = (
    "the first transform changes {}, in another way with another form of x or another out, so all"
    " later ones may differ; set it where the module is loaded, or keep it in the plan"
)


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
        with blaming("contract"):
            world, _ = evaluation.follow(d, None, [zeros(d)] * 3, script, "contract")
            for rank, state in world.states.items():
                found = _anywhere(form_of([state]))
                if (first := wanted.setdefault((use.operation, rank), found)) != found:
                    path, of_plan = changed_name(first, found, state)
                    line = line_of_change(evaluation.source.text, path, of_plan) if path else None
                    raise Undecided(FIRST_USE.format(in_words(path, of_plan)), line)


def _anywhere(entry: Any) -> Any:
    """Return a form without the addresses of what is made on each rank, or in each run, anew."""
    if isinstance(entry, tuple):
        return tuple(map(_anywhere, entry))
    return None if isinstance(entry, Made) else entry


def refuse_places_apart(evaluation: Evaluation, d: Declaration) -> None:
    """Raise Wrong where locations are others once plans have been made, or transforms have other
    results once locations have been asked for: users do both, in either order.
    """

    def on_rank(state: State, comm: Comm, asks: bool, transforms: bool) -> tuple[str, Any]:
        before, y = _kept(state), None
        if asks:
            _ask(state, d, comm.rank)
        plan = called(state, "plan", comm)
        if asks:
            _ask(state, d, comm.rank)
        if transforms:
            y = np.array(called(state, TRANSFORM, elements(d, comm.rank), plan))
        method(state, plan, "free")
        changed = not asks and _kept(state) != before
        return next(_other_places(state, d, comm.rank), "") if changed else "", y

    def followed(asks: bool, transforms: bool) -> tuple[Any, ...]:
        body = partial(on_rank, asks=asks, transforms=transforms)
        with blaming("contract"):
            return tuple(zip(*evaluation.ranks(d.P, None).evaluate(body), strict=True))

    with blaming("layout"):
        state = evaluation.source.load()
        before = _kept(state)
        _ask(state, d, 0)
        asked = _kept(state) != before
    said, wanted = followed(False, asked or evaluation.module_changes)
    for rank, name in enumerate(said):
        if name:
            raise Wrong("layout", f"after plan(comm), {name} is another one on rank {rank}")
    for one, other in zip(wanted, followed(True, True)[1], strict=True) if asked else ():
        same = np.allclose if d.dtype.kind in "fc" else np.array_equal
        if not same(one, other):
            raise Wrong("contract", "transform has other results once locations were computed")


def _kept(state: State) -> tuple[Form, dict[tuple[int, Any], Form]]:
    """Return the form of a module, and those of the results that its functions keep."""
    found = form_of([state], caches := list[Cache]())
    return found, results_of(caches)


def _ask(state: State, d: Declaration, rank: int) -> None:
    """Compute locations, whatever they are."""
    for _ in _other_places(state, d, rank):
        pass


def _other_places(state: State, d: Declaration, rank: int) -> Iterator[str]:
    """Yield the functions of locations that do not return the declared ones."""
    for side in ("input", "output"):
        j, place = np.arange(d.count(side)), d.layout(side).place
        wanted = place(j)
        found = called(state, f"{side}_place", j)
        single = called(state, f"{side}_place", len(j) - 1)
        if any((each != one).any() for each, one in zip(found, wanted, strict=True)) or any(
            each != one[-1] for each, one in zip(single, wanted, strict=True)
        ):
            yield f"{side}_place"
        if (name := f"{side}_index") in state:
            held = called(state, name, rank, np.arange(prod(d.part(side, rank))))
            if not np.array_equal(held, d.indices(side)[rank]):
                yield name
        if (name := SHAPES[side]) in state and called(state, name, rank) != d.part(side, rank):
            yield name
