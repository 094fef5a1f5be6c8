"""What answers questions about a program: an evaluation, or workers that execute it, as long as
kernels for numba are not evaluated.
"""

from __future__ import annotations

from typing import Any

from proofs.certify.declaration import COMPILED, Declaration
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.evaluation.text import Text, is_evaluated
from proofs.certify.failures import Wrong
from proofs.certify.reading import BeyondReach, declared_by
from proofs.certify.sandbox.source import Source
from proofs.certify.workers.jobs import Constants
from proofs.certify.workers.parent import Listener, Workers
from proofs.certify.workers.traffic import MALFORMED

Evaluator = Workers | Evaluation
"""What answers questions about a program."""


def evaluator_of(name: str, text: str, seconds: int, listener: Listener | None) -> Evaluator:
    """Return what answers questions about a program: workers where numba compiles its kernels.

    Raises ValueError where it is no Python.
    """
    if is_evaluated(text):
        return Evaluation(Text.read(name, text), seconds, listener)
    return Workers(Source.read(name, text), seconds, listener=listener)


def declaration_of(workers: Evaluator) -> tuple[Declaration, dict[str, Any]]:
    """Return what a text declares, and what it has; raise ValueError for no node program."""
    try:
        said, _ = workers.ask(Constants())
    except Wrong as wrong:  # which this job never finds
        raise ValueError(f"the program sends no report of its constants, but {wrong}") from None
    try:
        declaration = declared_by(said["constants"], said["functions"])
    except (*MALFORMED, RecursionError) as error:
        kind = BeyondReach if isinstance(error, BeyondReach) else ValueError
        raise kind(
            f"{workers.source.name} is no node program that can be run here: {error}"
        ) from error
    source, kernels = workers.source, declaration.kernels
    for library, those in (("numba", COMPILED), ("pyfftw", ("pyfftw",))):
        imported, meant = library in source.modules, kernels in those
        compiles_nothing = meant and library == "numba"  # as an identity; it does not import numba
        if imported != meant and not compiles_nothing:
            raise ValueError(
                f"{source.name} states KERNELS = {kernels!r} and imports"
                f" {', '.join(sorted(source.modules))}: {library} goes with {' and '.join(those)}"
            )
    return declaration, said
