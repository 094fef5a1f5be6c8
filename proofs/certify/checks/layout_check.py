"""The check that a program's place functions are its declared layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.verdict import Checked, Verdict
from proofs.certify.declaration import LAYOUTS, SHAPES, SLICES, Declaration
from proofs.certify.ends.digit_ends import SIDES
from proofs.certify.evaluation.evaluated_places import CALLS, Places
from proofs.certify.evaluation.evaluated_source import line_of_size
from proofs.certify.evaluation.evaluation import Evaluation, blaming
from proofs.certify.failures import Wrong
from proofs.certify.language.limits import STEPS, Limits
from proofs.certify.last_section import takes_all
from proofs.certify.scripts.evaluation_jobs import SINGLY, Parts

ASKS = (
    "{}_place asks how many indices it is given, and not all numbers are tried; compute each"
    " location from its index alone"
)
ALL_SINGLY = 2**16
"""Up to this number of indices, each location is asked for by itself, as far as steps go."""


def layout(evaluation: Evaluation, d: Declaration, statement: str) -> Verdict:
    """Compare the place functions with the declared layouts, index by index."""
    singly = list[tuple[int, int]]()
    for side in SIDES:
        count = d.count(side)
        single = _singly(count)
        with blaming("layout"):
            state = evaluation.source.load(limits=Limits(CALLS * STEPS))
            asked = Places(state, d, side, tuple(single.tolist()))
            found, alone, table, shapes, slices = asked.found()
        if asked.left_open:
            evaluation.breaches.setdefault(asked.left_open)
        _leave_sizes_open(evaluation, side)
        wanted = np.asarray(d.layout(side).place(np.arange(count)))
        wrong = np.flatnonzero((found != wanted).any(axis=0))
        if len(wrong):
            has, right = (tuple(places[:, wrong[0]].tolist()) for places in (found, wanted))
            words = f"{has}, but in the {getattr(d, side)} layout it is {right}"
            raise Wrong("layout", f"{side}_place({wrong[0]}) = {words}")
        singly.append((len(alone[0]), count))
        _one_by_one(side, single, alone, wanted[:, single])
        _table(d, side, table or ())
        _parts(d, side, shapes, slices)
    return Checked(statement, _evidence(singly))


def _evidence(singly: Sequence[tuple[int, int]]) -> str:
    """Return on which indices each side is decided; `singly` counts those one by one, and all."""
    least, all_of = min(count for count, _ in singly), [count for _, count in singly]
    each = "each" if [count for count, _ in singly] == all_of else f"{least} of them"
    some = f"{SINGLY} of them" if least > SINGLY else "as many"
    sides = (
        "input and output" if len({*all_of}) == 1 else f"the input and {all_of[1]} of the output"
    )
    return (
        f"all {all_of[0]} indices of {sides} in arrays, {each} also as a Python integer and"
        f" {some} as a numpy integer"
    )


def _leave_sizes_open(evaluation: Evaluation, side: str) -> None:
    """Note where a function of places may depend on how many indices it is given."""
    line = line_of_size(evaluation.source.text, f"{side}_place")
    if line is not None and not takes_all(evaluation.source):
        evaluation.breaches.setdefault(f"line {line}: {ASKS.format(side)}")


def _one_by_one(side: str, single: NDArray[Any], alone: Any, wanted: NDArray[Any]) -> None:
    """Raise Wrong unless single integers of Python and of numpy have the places of an array's."""
    for kind, places in zip(("int", "int64"), alone, strict=True):
        for i in np.flatnonzero((places.T != wanted[:, : len(places)]).any(axis=0))[:1]:
            found, right = tuple(places[i].tolist()), tuple(wanted[:, i].tolist())
            words = f"of a single {kind} is {found}, of an array {right}"
            raise Wrong("layout", f"{side}_place({single[i]}) {words}")


def _table(d: Declaration, side: str, held: Sequence[Parts]) -> None:
    """Raise Wrong unless the indices of each rank's elements, which main reads or writes, are those
    that live there, in whatever pieces they are asked for.
    """
    wanted = d.indices(side)
    for rank, found in (each for way in held for each in enumerate(way)):
        for offset in np.flatnonzero(found != wanted[rank])[:1]:
            words = f"{found[offset]} for rank {rank}, offset {offset}, where index"
            raise Wrong("layout", f"{side}_index gives {words} {wanted[rank][offset]} is")


def _parts(d: Declaration, side: str, shapes: list[Any], slices: list[Any]) -> None:
    """Raise Wrong unless the shapes of all parts are as stated, and the slices by which main reads
    or writes have the indices of each part.
    """
    for rank, shape in enumerate(shapes):
        if type(shape) is not tuple or shape != d.part(side, rank):
            words = f"{shape}, but that rank has a part of shape {d.part(side, rank)}"
            raise Wrong("layout", f"{SHAPES[side]}({rank}) = {words}")
    if not slices:
        return
    every = np.arange(d.count(side)).reshape(d.whole_of(side))
    for rank, (cut, held) in enumerate(zip(slices, d.indices(side), strict=True)):
        is_cut = type(cut) is tuple and all(type(each) is slice for each in cut)
        if not is_cut or not np.array_equal(every[cut].reshape(-1), held):
            raise Wrong("layout", f"{SLICES}({LAYOUTS[side]}, {rank}) is not the part of that rank")


def _singly(N: int) -> NDArray[np.int64]:
    """Return the indices asked one by one, in this order: powers of two, their neighbours and
    more, and then all others.
    """
    if N <= SINGLY:
        return np.arange(N)
    powers = 1 << np.arange(N.bit_length() - 1)
    others = np.linspace(0, N - 1, SINGLY, dtype=np.int64)
    first = list(dict.fromkeys([*powers, *(powers - 1), *(N - powers), *others]))[:SINGLY]
    rest = np.setdiff1d(np.arange(N if N <= ALL_SINGLY else 0), first)
    return np.array([*first, *rest])
