"""One evaluation of a program on all ranks over a random field GF(q), and what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.widths import LANES
from derive.fields import RootField, progression
from proofs.certify.declaration import CONVOLVE, Transform
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.exact.constants import NoConstant, Recognizer
from proofs.certify.fields.chance import Chance, difference
from proofs.certify.fields.hartley_maps import Hartley, Squares
from proofs.certify.fields.hartley_sums import convolved
from proofs.certify.ordinary.definition import refuse_other_results
from proofs.certify.ordinary.stimuli import Stimuli, stimuli, vectors_of
from proofs.certify.scripts.evaluation_jobs import Past, natural, scattered
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import ONCE, VECTORS, Script, vectors


@dataclass(frozen=True)
class Outcome:
    """What went in, what came out (both of shape (N, 2, K), or (N, 1, K), in natural order), and
    what the entries have been through.
    """

    declaration: Transform
    recognizer: Recognizer
    inputs: Stimuli
    found: NDArray[np.int64]
    past: Past
    run: Traffic

    @property
    def field(self) -> RootField:
        """GF(q) with its root of unity."""
        return self.recognizer.field

    @property
    def chance(self) -> Chance:
        """How likely it is that a wrong program passes this run."""
        d, past = self.declaration, self.past
        axes = d.axes_count
        divided = d.divided * log2(d.points)
        halves = axes * d.root_twos + ceil(divided)
        whole = max(past.halves, halves) if d.points & d.points - 1 == 0 else past.halves + halves
        root = 1 / 2 + log2(self.recognizer.divisor)  # (√2 divisor)^halves divides
        wanted = axes * d.magnitude - divided / 2
        bits = difference(past.magnitude, wanted) + whole * root
        return Chance.of(d.exponents, self.field.order, bits, self.inputs.units)

    def without_vectors(self) -> Outcome:
        """Return this outcome, which is right, without its data: its chance alone is needed."""
        none = np.empty((0, *self.found.shape[1:]), np.int64)
        return replace(self, inputs=replace(self.inputs, given=none, wanted=none), found=none)

    def first_wrong(self) -> tuple[int, int] | None:
        """Return the first wrong output and its input, zero, else a unit vector if there is one."""
        wrong = np.argwhere((self.found != self.inputs.wanted).any(axis=1)).tolist()
        places = ((column < self.inputs.powers, column, k) for k, column in wrong)
        return min(((k, column) for _, column, k in [min(places)]), default=None) if wrong else None

    def counterexample(self) -> str:
        """Return the first wrong output, with its value where it is a root of unity times a power
        of sqrt(1/2); empty if all outputs are as wanted.
        """
        wrong = self.first_wrong()
        if wrong is None:
            return ""
        k, column = wrong
        wanted, found = (
            self.spelled(side[k, :, column]) for side in (self.inputs.wanted, self.found)
        )
        values = f"{found}, not {wanted}" if wanted and found else "not that of the definition"
        return (
            f"for {self.inputs.name(column)} the output y_{k} is {values} (in GF({self.field.q}))"
        )

    def spelled(self, value: NDArray[np.int64]) -> str:
        """Return an element as 2^(-h/2) exp(2πi e/L), a real one as 2^(-h/2) cos(2π e/L); "" where
        it is none of these.
        """
        if not value.any():
            return "0"
        q, order, function = (
            self.field.q,
            self.field.order,
            "exp(2πi" if len(value) == 2 else "cos(2π",
        )
        for h in range(-(len(value) == 1), 2 * order.bit_length()):
            scaled = value * pow(self.recognizer.root_two, h, q) % q
            e = np.flatnonzero((self.recognizer.circle[:, : len(value)] == scaled).all(axis=1))
            if len(e):
                return (f"2^({-h}/2) " if h else "") + f"{function} {e[0]}/{order})"
        return ""


def run_over_field(
    evaluation: Evaluation,
    declaration: Transform,
    units: bool,
    besides: Sequence[int] = (),
    lanes: int = LANES,
) -> Outcome:
    """Run plan, transform and free on all ranks, with entries in a random field GF(q), q none of
    `besides`, and vectors of so many lanes.

    Raises Wrong where the program fails, or does what is no linear algebra.
    """
    recognizer = _drawn(evaluation, declaration, besides)
    inputs = stimuli(declaration, recognizer, evaluation.rng, units)
    [outcome] = _run(evaluation, recognizer, [inputs], ONCE, "function", lanes)
    return outcome


def run_again(
    evaluation: Evaluation,
    declaration: Transform,
    scripts: Sequence[Script],
    besides: Sequence[int] = (),
) -> list[list[Outcome]]:
    """Run scripts of transforms of four sets of vectors in such a field; return the outcomes of
    each.

    Raises Wrong where the program fails, or does what is no linear algebra.
    """
    recognizer, rng = _drawn(evaluation, declaration, besides), evaluation.rng
    inputs = [stimuli(declaration, recognizer, rng, units=False) for _ in range(VECTORS)]
    return [_run(evaluation, recognizer, inputs, script, "contract") for script in scripts]


def convolving(d: Hartley) -> Squares:
    """Return what the function `convolve` of a program declares."""
    values = {entry.name: getattr(d, entry.name) for entry in fields(d)}
    own = {"output": d.input, "result": CONVOLVE, "direction": "forward", "norm": "backward"}
    return Squares(**values | own)


def run_convolutions(
    evaluation: Evaluation, d: Hartley, besides: Sequence[int], script: Script
) -> list[Outcome]:
    """Return the outcomes of a script of the function `convolve`, and perhaps of transforms, in
    such a field, an outcome for each use.
    """
    made, rng = convolving(d), evaluation.rng
    recognizer = _drawn(evaluation, made, besides)
    count = vectors_of(made.exponents, recognizer.field.order)
    pairs = convolved(d.N, made.followed, recognizer, rng, count)
    inputs = [Stimuli(made, *pair, units=False) for pair in pairs]
    more = 1 + max(vectors(script)) - len(inputs)
    inputs += [stimuli(d, recognizer, rng, units=False, count=count) for _ in range(more)]
    return _run(evaluation, recognizer, inputs, script, "convolution")


def _drawn(evaluation: Evaluation, declaration: Transform, besides: Sequence[int]) -> Recognizer:
    extension = evaluation.extension
    order = declaration.order * extension.multiple
    among = np.setdiff1d(progression(order), besides, assume_unique=True)
    field = RootField.draw(order, evaluation.rng, among)
    return Recognizer(field, declaration.followed, declaration.points, extension.divisor)


def _run(
    evaluation: Evaluation,
    recognizer: Recognizer,
    inputs: Sequence[Stimuli],
    script: Script,
    name: str,
    lanes: int = LANES,
) -> list[Outcome]:
    """Return an outcome for each transform of a script."""
    d, declared = inputs[0].declaration, [each.declaration for each in inputs]
    data = [scattered(d, each.given) for each in inputs]
    try:
        traffic, bounds, results = evaluation.in_field(d, recognizer, data, script, name, lanes)
    except NoConstant as unknown:
        if evaluation.extended(d, unknown) != evaluation.extension:
            raise
        refuse_other_results(evaluation, d, name, script, lanes, str(unknown))
        words = f"{unknown}; ordinary numbers do not refute the program: {name} is undecided"
        raise NoConstant(words) from unknown
    return [
        Outcome(declared[i], recognizer, inputs[i], natural(declared[i], parts), past, traffic)
        for i, parts, past in zip(vectors(script), results, bounds, strict=True)
    ]
