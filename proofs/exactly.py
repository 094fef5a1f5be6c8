"""One run of a program's text on all ranks over a random field GF(q), and what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.plain_vectors import LANES
from codegen.mpi.ranks import Run
from derive.fields import RootField, progression
from proofs.chance import Chance
from proofs.constants import Recognizer
from proofs.declaration import Transform
from proofs.elements import Elements, Exact
from proofs.numbers import Past
from proofs.sandbox import Text
from proofs.stimuli import GEOMETRIC, Stimuli, stimuli
from proofs.usage import TURNS, Use, in_turns, once, simulated


@dataclass(frozen=True)
class Outcome:
    """What went in, what came out (both of shape (N, 2, K), or (N, 1, K), in natural order), and what the entries have been through."""

    declaration: Transform
    recognizer: Recognizer
    inputs: Stimuli
    found: NDArray[np.int64]
    past: Past
    run: Run

    @property
    def field(self) -> RootField:
        """GF(q) with its root of unity."""
        return self.recognizer.field

    @property
    def chance(self) -> Chance:
        """How likely it is that a wrong program passes this run."""
        d, divided = self.declaration, self.declaration.divided * self.declaration.n
        bits = max(self.past.magnitude, d.magnitude - divided / 2) + 1 + max(self.past.halves, d.halves + (divided + 1) // 2)
        return Chance.of(d.N, bits, self.inputs.units)

    def counterexample(self) -> str:
        """Return the first wrong output, of zero, else of a unit vector if there is one; empty if all outputs are as wanted."""
        wrong = np.argwhere((self.found != self.inputs.wanted).any(axis=1)).tolist()
        if not wrong:
            return ""
        k, column = min(wrong, key=lambda place: (0 < place[1] <= GEOMETRIC, place[1], place[0]))
        wanted, found = (self.spelled(side[k, :, column]) for side in (self.inputs.wanted, self.found))
        return f"for {self.inputs.name(column)} the output y_{k} is {found}, not {wanted} (in GF({self.field.q}))"

    def spelled(self, value: NDArray[np.int64]) -> str:
        """Return an element as 2^(-h/2) exp(2πi e/L), a real one as 2^(-h/2) cos(2π e/L), where it is one, else as its residues."""
        if not value.any():
            return "0"
        q, order, function = self.field.q, self.field.order, "exp(2πi" if len(value) == 2 else "cos(2π"
        for h in range(-(len(value) == 1), 2 * order.bit_length()):
            scaled = value * pow(self.recognizer.root_two, h, q) % q
            e = np.flatnonzero((self.recognizer.circle[:, : len(value)] == scaled).all(axis=1))
            if len(e):
                return (f"2^({-h}/2) " if h else "") + f"{function} {e[0]}/{order})"
        return " + ".join(f"{part}{name}" for part, name in zip(value, ("", " I"), strict=False))


def run_exactly(
    text: Text, declaration: Transform, rng: np.random.Generator, units: bool, besides: Sequence[int] = (), lanes: int = LANES
) -> Outcome:
    """Run plan, transform and free on all ranks, with entries in a random field GF(q), q none of `besides`, and vectors of so many lanes.

    Raises Wrong where the program fails, or does what is no linear algebra.
    """
    recognizer = _drawn(declaration, rng, besides)
    [outcome] = _run(text, recognizer, [stimuli(declaration, recognizer, rng, units)], once, (0,), "function", lanes)
    return outcome


def run_in_turns(text: Text, declaration: Transform, rng: np.random.Generator, besides: Sequence[int] = ()) -> list[Outcome]:
    """Run several transforms of two sets of vectors that share plans, in such a field.

    Raises Wrong where the program fails, or does what is no linear algebra.
    """
    recognizer = _drawn(declaration, rng, besides)
    inputs = [stimuli(declaration, recognizer, rng, units=False) for _ in range(2)]
    return _run(text, recognizer, inputs, in_turns, TURNS, "contract")


def _drawn(declaration: Transform, rng: np.random.Generator, besides: Sequence[int]) -> Recognizer:
    order = max(8, declaration.N)
    return Recognizer(RootField.draw(order, rng, np.setdiff1d(progression(order), besides, assume_unique=True)))


def _run(
    text: Text, recognizer: Recognizer, inputs: Sequence[Stimuli], use: Use, turns: Sequence[int], name: str, lanes: int = LANES
) -> list[Outcome]:
    """Return an outcome for each transform, which takes the input whose number stands in `turns`."""
    declaration = inputs[0].declaration
    exact = Exact(declaration.dtype, recognizer, inputs[0].number, lanes)
    places = declaration.indices("input")
    data = [[Elements(part, exact.dtype, recognizer) for part in vector.given[places]] for vector in inputs]
    done = simulated(text, declaration, exact, data, use, name)
    outcomes = []
    for i, results in zip(turns, zip(*done.results, strict=True), strict=True):
        found = np.empty_like(inputs[i].wanted)
        found[declaration.indices("output")] = np.stack([y.parts for y in results])
        outcomes.append(Outcome(declaration, recognizer, inputs[i], found, reduce(Past.joined, [y.past for y in results]), done))
    return outcomes
