"""What programs are evaluated with: exact arrays or tokens of a space, or ordinary numbers, on the
ranks of a world.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from codegen.kernels.widths import LANES
from proofs.certify.evaluation import fftw
from proofs.certify.exact import data_functions as exact
from proofs.certify.exact.arithmetic import complex_of
from proofs.certify.exact.data import Data
from proofs.certify.exact.entry_moves import fresh
from proofs.certify.exact.space import Space
from proofs.certify.language.library_rules import Library
from proofs.certify.language.table_entries import Operation
from proofs.certify.language.tables.numpy_names import NUMPY
from proofs.certify.modular import residue_rules
from proofs.certify.modular.residue_space import FOLLOWED, ResidueSpace
from proofs.certify.rounds.kernels import with_kernels
from proofs.certify.world import mpi_members as world

NEW = ("empty", "zeros", "ones", "full")
"""The functions of numpy that make an array from a shape."""
ON_NUMBERS = Library(
    members={**world.MEMBERS, **fftw.MEMBERS},
    modules={
        "mpi4py": {"MPI": world.MPI},
        "numpy": {**NUMPY, "frombuffer": world.NUMPY["frombuffer"]},
        "pyfftw": fftw.MODULE,
    },
    constructors={np.ndarray: world.NUMPY["ndarray"]},
)
"""For ordinary numbers."""


def _complex(*given: Any, **named: Any) -> Any:
    has = any(isinstance(value, Data) for value in (*given, *named.values()))
    return (complex_of if has else complex)(*given, **named)


ON_DATA = replace(
    ON_NUMBERS,
    data=frozenset({Data}),
    operators=exact.OPERATORS,
    functions=exact.FUNCTIONS,
    members={**ON_NUMBERS.members, **exact.MEMBERS},
    asks=exact.ASKS,
    constructors={**ON_NUMBERS.constructors, complex: Operation("complex", _complex)},
)
"""For exact arrays of any space, but integers modulo p."""
ON_RESIDUES = replace(
    ON_NUMBERS,
    data=frozenset({Data}),
    operators=residue_rules.OPERATORS,
    functions=residue_rules.FUNCTIONS,
    members={**ON_NUMBERS.members, **residue_rules.MEMBERS},
    asks=exact.ASKS,
    followed=FOLLOWED,
)
"""For integers modulo p."""


def library_of(space: Space | None, lanes: int = LANES) -> Library:
    """Return what a program is evaluated with where its data are of this space; None: numbers.

    Vectors of its kernels have so many lanes.
    """
    if space is None:
        return with_kernels(ON_NUMBERS, None, lanes)
    own = ON_RESIDUES if isinstance(space, ResidueSpace) else ON_DATA
    functions = {**own.functions, **{name: fresh(name, space) for name in NEW}}
    empty = functions["empty"]
    functions["pyfftw.empty_aligned"] = lambda shape, dtype, order="C", n=None: empty(
        shape, dtype, order=order
    )
    return with_kernels(replace(own, functions=functions, creates=space.holds), space, lanes)
