"""A program evaluated: its constants and places, and the results of a script on exact elements, on
opaque ones and on numbers.

Nothing is compared here with what is wanted: the checks do (proofs/certify/checks/suite.py).
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.kernels.widths import LANES
from codegen.systems.exchanges import WAYS
from proofs.certify.declaration import BeyondReach, Declaration, Transform
from proofs.certify.declared_constants import constant, declared, is_text_of
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.evaluation.ranks import SECONDS, Budget, Ranks
from proofs.certify.evaluation.use import Setting, follow, stand_apart
from proofs.certify.exact.arithmetic import inputs, tokens
from proofs.certify.exact.constants import NoConstant, Recognizer
from proofs.certify.exact.extension import Extension
from proofs.certify.exact.space import BOUNDS, LEAST, UNIT, Space
from proofs.certify.failures import Wrong
from proofs.certify.language.table_entries import Refuted
from proofs.certify.modular.residue_space import ResidueSpace, residue_inputs
from proofs.certify.scripts import usage
from proofs.certify.scripts.declared_options import LIBRARIES
from proofs.certify.scripts.evaluation_jobs import NAMED, NAMES, Parts, Past, zeros
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import (
    ONCE,
    ONE_NODE,
    SLOTS,
    TRANSFORM,
    Do,
    Make,
    Script,
    Slot,
    vectors,
    without,
)

Listener = Callable[[str], None]
"""Who hears how far a check is."""
LARGE = 2**16
"""Above this N a run begins with a collection of what earlier ones have left in memory."""


@dataclass
class Evaluation:
    """A program that is evaluated, all within these seconds of processor time."""

    source: Text
    seconds: int = SECONDS
    listener: Listener | None = None
    nodes: tuple[int, ...] = ONE_NODE
    """The nodes of ranks from the last one on; the others are on node 0."""
    budget: Budget = field(init=False)
    plans_change: bool = field(default=False, init=False)
    """Whether a transform has changed what a plan keeps, so far."""
    module_changes: bool = field(default=False, init=False)
    """Whether the first transform of a rank has changed what its module keeps, so far."""
    breaches: dict[str, None] = field(default_factory=dict, init=False)
    """What breaks the contract without changing a result: calls of a communicator of the caller."""
    flops: float = field(default=0.0, init=False)
    """The flops of one transform with functions of numpy, of all ranks; 0 where none was run."""
    asked: dict[tuple[int, str], None] = field(default_factory=dict, init=False)
    """What the program asks of arrays, by line (assumptions.py)."""
    refused: dict[Slot, dict[str, str]] = field(
        default_factory=lambda: {slot: {} for slot in SLOTS}, init=False
    )
    """The forms of each argument, and kinds of `out`, that are refused, with the reasons
    (invalid_use.py): every script is followed without them.
    """
    operations: tuple[str, ...] = field(default=(TRANSFORM,), init=False)
    """The functions of the program that are called with its plans."""
    refusals: Any = field(default=None, init=False)
    """What calls that are refused leave behind (refusals.py); None where it is not known."""
    is_tried: bool = field(default=False, init=False)
    """Whether it is known which forms are refused."""
    printed: set[int] = field(default_factory=set, init=False)
    """The lines of the program, outside of main, that print."""
    extension: Extension = field(default=Extension(), init=False)
    """What its constants need of a field."""
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0), init=False)
    """What fields and vectors are drawn with."""

    def __post_init__(self) -> None:
        self.budget = Budget(self.seconds)

    def tell(self, verdict: str, run: int = 1, of: int = 1) -> None:
        """Say which run for a verdict begins, of how many as far as is known."""
        if self.listener is not None:
            several = f"{verdict}, run {run} of {max(run, of)}"
            self.listener(several if max(run, of) > 1 else verdict)

    def extended(self, d: Declaration, unknown: NoConstant) -> Extension:
        """Return the extension with which a constant is known; the same where there is none."""
        assert isinstance(d, Transform)
        return self.extension.more(d.order, unknown.multiple, unknown.divisor)

    def taken(self, script: Script) -> Script:
        """Return a script as it is followed, without the forms that are refused."""
        return without(script, *self.refused.values())

    def ranks(
        self, size: int, space: Space | None, nodes: Sequence[int] | None = None, lanes: int = LANES
    ) -> Ranks:
        """Return so many ranks, on these nodes from the last one on; vectors have so many lanes."""
        given = tuple(self.nodes if nodes is None else nodes)[:size]
        placed = (0,) * (size - len(given)) + given[::-1]
        return Ranks(self.source, placed, space, self.budget, lanes)

    def messages(self, d: Declaration) -> list[tuple[int, int, int]]:
        """Return the messages to others that one transform of zeros sends, in the order in which
        they are begun: source, target and elements.
        """
        with blaming("messages"):
            world, _ = self.follow(d, None, [zeros(d)], ONCE, "messages")
        return [
            (message.source, message.target, message.elements)
            for operation in world.log.trace.in_numbers_of(d.dtype.itemsize).operations
            if operation.phase == TRANSFORM
            for message in operation.messages
        ]

    def constants(self) -> dict[str, Any]:
        """Return the constants of the program (`constant`), the names of its functions, and of its
        constants whose values are written otherwise there: numbers and types of numpy; and the
        lines that print, which later evaluations add to.
        """
        with blaming("constants"):
            try:
                state = self.source.load()
            except Refuted as error:
                raise ValueError(
                    f"{self.source.name} cannot be loaded as a node program: {error}"
                ) from error
            found = {name: constant(state[name]) for name in NAMED if name in state}
            functions = [name for name in NAMES if callable(state.get(name))]
            others = [name for name, each in found.items() if not is_text_of(each, state[name])]
            self.printed.update(line for line, _ in state.printed if line)
            said = {"constants": found, "functions": functions, "others": others}
            return {**said, "printed": self.printed}

    def in_field(
        self,
        d: Transform,
        recognizer: Recognizer,
        data: Sequence[Parts],
        script: Script,
        name: str,
        lanes: int = LANES,
    ) -> tuple[Traffic, list[Past], list[Any]]:
        """Return the traffic of a script on elements of GF(q), bounds of the entries of its
        results, and these: data[i] is vector i by ranks, each part of shape (.., parts, K).
        """
        space = Space(d.dtype, data[0][0].shape[-1], recognizer)
        with blaming(name):
            given = [
                [inputs(part, d.dtype_of("input"), space) for part in vector] for vector in data
            ]
            traffic, results = self._followed(d, space, given, script, name, lanes)
        past = []
        for parts in results:
            bounds = [y.bounds().reshape(-1, BOUNDS).max(axis=0, initial=LEAST) for y in parts]
            most = np.max(bounds, axis=0)[:2].clip(min=(LEAST, 0))
            past.append(Past(float(most[0]) / UNIT, int(most[1])))
        found = [[y.numbers[..., : space.stimuli] for y in parts] for parts in results]
        return traffic, past, found

    def of_tokens(
        self, d: Declaration, data: Sequence[Parts], script: Script, name: str
    ) -> tuple[Traffic, list[Any]]:
        """Return the traffic of a script on opaque elements, and its results: data[i] has the
        tokens of vector i by ranks.
        """
        space = Space(d.dtype)
        with blaming(name):
            given = [[tokens(part, d.dtype, space) for part in vector] for vector in data]
            traffic, results = self._followed(d, space, given, script, name)
        return traffic, [[y.numbers[..., 0, 0] for y in parts] for parts in results]

    def in_residues(
        self, d: Declaration, p: int, data: Sequence[Parts], script: Script, name: str
    ) -> tuple[Traffic, list[list[Any]]]:
        """Return the traffic of a script on integers modulo p, and its results by ranks: residues
        and bounds of shapes (.., K) and (.., 4). data[i] has the residues of vector i by ranks,
        each part of shape (.., K).
        """
        space = ResidueSpace(d.dtype, data[0][0].shape[-1], p)
        with blaming(name):
            vectors = [[residue_inputs(part, space) for part in vector] for vector in data]
            traffic, results = self._followed(d, space, vectors, script, name)
        K = space.stimuli
        parts = [[(y.numbers[..., 0, :K], y.bounds()[..., 0, :]) for y in each] for each in results]
        return traffic, parts

    def of_numbers(
        self, d: Declaration, data: Sequence[Parts], script: Script, name: str, lanes: int = LANES
    ) -> Sequence[Parts]:
        """Return the results of a script on ordinary numbers, by ranks."""
        with blaming(name):
            given = [[part.copy() for part in vector] for vector in data]
            _, results = self._followed(d, None, given, script, name, lanes)
        return results

    def _followed(
        self,
        d: Declaration,
        space: Space | None,
        data: Sequence[Any],
        script: Script,
        name: str,
        lanes: int = LANES,
    ) -> tuple[Traffic, list[list[Any]]]:
        """Return the traffic of a script, and the results of each transform by ranks."""
        world, found = self.follow(d, space, data, script, name, lanes)
        trace = world.log.trace.in_numbers_of(d.dtype.itemsize)
        self.flops = self.flops or world.flops / len(vectors(script))
        return Traffic.of(trace, d.P, len(vectors(script))), found

    def follow(
        self,
        d: Declaration,
        space: Space | None,
        data: Sequence[Any],
        script: Script,
        name: str,
        lanes: int = LANES,
    ) -> tuple[Ranks, list[list[Any]]]:
        """Return the ranks that have followed a script, and the results of each transform; raise
        as the program ends on a rank.
        """
        if d.N > LARGE:
            gc.collect()  # arrays of earlier runs
        setting = Setting(name, d, data, self.taken(script))
        world = self.ranks(d.P + setting.apart, space, None, lanes)

        def body(state: Any, comm: Any) -> list[Any]:
            if setting.apart and comm.rank == 0:
                return stand_apart(comm)
            return follow(state, comm, setting, world)

        found = world.evaluate(body)[setting.apart :]
        self.plans_change |= world.plans_change
        self.module_changes |= world.module_changes
        self.breaches |= world.breaches
        if not WAYS[d.exchange].shares:
            self.asked |= world.asked
        for state in world.states.values():
            self.asked |= state.asked
            self.printed.update(line for line, _ in state.printed if line)
        return world, _by_use(found, script)


def declaration_of(evaluation: Evaluation) -> tuple[Declaration, dict[str, Any]]:
    """Return what a text declares, and what it has; raise ValueError for no node program."""
    said = evaluation.constants()
    imported = evaluation.source.modules
    kernels = next((name for name in LIBRARIES if name in imported), "numpy")
    said["constants"].setdefault("KERNELS", kernels)
    try:
        declaration = declared(said["constants"] | dict.fromkeys(said["functions"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        kind = BeyondReach if isinstance(error, BeyondReach) else ValueError
        raise kind(
            f"{evaluation.source.name} cannot be loaded as a node program: {error}"
        ) from error
    source, kernels = evaluation.source, declaration.kernels
    for library, those in LIBRARIES.items():
        meant = kernels in those
        compiles_nothing = meant and library == "numba"  # as an identity; it does not import numba
        if (library in imported) != meant and not compiles_nothing:
            raise ValueError(
                f"{source.name} states KERNELS = {kernels!r} and imports"
                f" {', '.join(sorted(imported))}: the kernels {' and '.join(those)} use"
                f" {library}"
            )
    evaluation.budget.elements = max(map(declaration.count, ("input", "output")))
    return declaration, said


def _by_use(results: Sequence[list[Any]], script: Script) -> list[list[Any]]:
    """Return the results of each transform, by the ranks of its communicator, whose order may be
    another one than that of all.
    """
    where = {step.plan: step.where for step in script if isinstance(step, Make)}
    kept = {usage.GIVEN: len(results), usage.PART: 1, usage.REVERSED: 0}
    first = [kept[where[step.plan]] for step in script if isinstance(step, Do)]
    uses = zip(first, zip(*results, strict=True), strict=True)
    return [[y.reshape(-1) for y in (*parts[:k], *parts[k:][::-1])] for k, parts in uses]


@contextlib.contextmanager
def blaming(name: str) -> Iterator[None]:
    """Turn what an evaluation ends with into what the checks know.

    Raises:
        Wrong: if the program breaks a rule: of MPI in `messages`, else in the named statement.
        Undecided: if it uses what the language does not have, or more than it is given.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except Refuted as error:
        where = f" (line {error.line})" if error.line else ""
        verdict = "messages" if error.verdict == "messages" else name
        raise Wrong(verdict, f"{error.words}{where}") from error
