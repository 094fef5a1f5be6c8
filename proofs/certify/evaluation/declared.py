"""What a program declares, as its evaluation finds it."""

from __future__ import annotations

from typing import Any

from proofs.certify.declaration import Declaration
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.reading import BeyondReach, declared
from proofs.certify.scripts.jobs import Constants
from proofs.certify.scripts.stated import LIBRARIES


def declaration_of(evaluation: Evaluation) -> tuple[Declaration, dict[str, Any]]:
    """Return what a text declares, and what it has; raise ValueError for no node program."""
    said, _ = evaluation.ask(Constants())
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
    return declaration, said
