"""Parallel transforms from their factorizations: checked, proved, generated and certified.

The public names are described in docs/python.md. Each is imported from its module at its first use.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

HOME = Path(__file__).resolve().parent


def _refuse_shadows() -> None:
    """Raise ImportError where another file has the name of one of our packages; the command ends
    with that line and status 2.
    """
    for name in ("derive", "codegen", "proofs"):
        found = find_spec(name)
        file = Path((found and found.origin) or "")
        if file.name and file.resolve().parent != HOME.parent / name:
            line = (
                f"{file} shadows nodewright's package {name}: rename it, or start Python elsewhere"
            )
            if Path((sys.argv or [""])[0]).name in ("-m", "nodewright"):
                print(f"nodewright: {line}", file=sys.stderr)
                sys.exit(2)
            raise ImportError(line)


_refuse_shadows()

from derive.lazy import lazily  # noqa: E402

if TYPE_CHECKING:
    from derive.formula.combinations import Variable
    from derive.formula.grammar import I, direct_sum, kron
    from derive.formula.permutation_matrices import J, L, R
    from derive.formula.transforms import E, F, H, T
    from nodewright.api.certificate_calls import certify
    from nodewright.api.derivation_calls import Derivation
    from nodewright.api.equations import check, diag, equation, equations, perm
    from nodewright.api.layouts import layout
    from nodewright.api.permutation_calls import factor, permutation, recognize
    from nodewright.api.pictures import figure
    from nodewright.api.program_calls import (
        dct,
        dst,
        fft,
        fht,
        hypercube_fft,
        ntt,
        permute,
        program,
        rfft,
        wht,
    )
    from nodewright.api.proofs import prove, theorem, theorems
    from nodewright.node_program import Program
    from nodewright.planning.searching import search
    from nodewright.runtime.distributed_transforms import DCT, DST, FFT, FHT, NTT, RFFT, WHT
    from nodewright.runtime.local_permutation import LocalPlan, aligned, permute_local
    from nodewright.runtime.permutation import (
        Permutation,
        PermutationPlan,
        bmmc_permute,
        factor_bmmc,
        perform_bmmc,
    )
    from proofs.errata import errata

_arguments, _metadata = lazily("derive.call_arguments"), lazily("importlib.metadata")
_matrices = lazily("derive.formula.named_matrices")
_NAMES = {
    "derive.formula.combinations": ("Variable",),
    "derive.formula.grammar": ("I", "direct_sum", "kron"),
    "derive.formula.permutation_matrices": ("J", "L", "R"),
    "derive.formula.transforms": ("E", "F", "H", "T"),
    "nodewright.api.certificate_calls": ("certify",),
    "nodewright.api.derivation_calls": ("Derivation",),
    "nodewright.api.equations": ("check", "diag", "equation", "equations", "perm"),
    "nodewright.api.layouts": ("layout",),
    "nodewright.api.permutation_calls": ("factor", "permutation", "recognize"),
    "nodewright.node_program": ("Program",),
    "nodewright.api.program_calls": (
        *("dct", "dst", "fft", "fht", "hypercube_fft", "ntt", "permute", "program", "rfft", "wht"),
    ),
    "nodewright.api.proofs": ("prove", "theorem", "theorems"),
    "nodewright.api.pictures": ("figure",),
    "nodewright.planning.searching": ("search",),
    "nodewright.runtime.local_permutation": ("LocalPlan", "aligned", "permute_local"),
    "nodewright.runtime.permutation": (
        "Permutation",
        "PermutationPlan",
        "bmmc_permute",
        "factor_bmmc",
        "perform_bmmc",
    ),
    "nodewright.runtime.distributed_transforms": ("DCT", "DST", "FFT", "FHT", "NTT", "RFFT", "WHT"),
    "proofs.errata": ("errata",),
}
"""The names of each module."""
_MODULES = {name: lazily(module) for module, names in _NAMES.items() for name in names}

__all__ = [
    "DCT",
    "DST",
    "FFT",
    "FHT",
    "NTT",
    "RFFT",
    "WHT",
    "Derivation",
    "E",
    "F",
    "H",
    "I",
    "J",
    "L",
    "LocalPlan",
    "Permutation",
    "PermutationPlan",
    "Program",
    "R",
    "T",
    "Variable",
    "aligned",
    "bmmc_permute",
    "certify",
    "check",
    "dct",
    "diag",
    "direct_sum",
    "dst",
    "equation",
    "equations",
    "errata",
    "factor",
    "factor_bmmc",
    "fft",
    "fht",
    "figure",
    "hypercube_fft",
    "kron",
    "layout",
    "ntt",
    "perform_bmmc",
    "perm",
    "permutation",
    "permute",
    "permute_local",
    "program",
    "prove",
    "recognize",
    "rfft",
    "search",
    "theorem",
    "theorems",
    "wht",
]


def __getattr__(name: str) -> Any:
    """Return a public name (PEP 562)."""
    if name == "__version__":
        return _metadata.version("nodewright")
    if name not in _MODULES:
        missing = f"module 'nodewright' has no attribute {name!r}"
        if name in _matrices.MATRICES:
            text = f"{name}({', '.join(one.shown for one in _matrices.parameters(name))})"
            raise AttributeError(
                f"{missing}; write the matrix {text} in the text of an equation, nw.equation('..')"
            )
        raise AttributeError(f"{missing}{_arguments.perhaps(name, _MODULES)}")
    return getattr(_MODULES[name], name)


def __dir__() -> list[str]:
    """Return the public names."""
    return [*__all__, "__version__"]
