"""The public names. Each is imported from its module when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from derive.lazy import lazily

if TYPE_CHECKING:
    from nodewright.runtime.local import LocalPlan, aligned, permute_local
    from nodewright.runtime.permutation import (
        Permutation,
        PermutationPlan,
        bmmc_permute,
        factor_bmmc,
        perform_bmmc,
    )
    from nodewright.runtime.transforms import FFT, FHT

__all__ = [
    "FFT",
    "FHT",
    "LocalPlan",
    "Permutation",
    "PermutationPlan",
    "aligned",
    "bmmc_permute",
    "factor_bmmc",
    "perform_bmmc",
    "permute_local",
]

_LOCAL, _PERMUTATION = lazily("nodewright.runtime.local"), lazily("nodewright.runtime.permutation")
_MODULES = {
    **dict.fromkeys(("LocalPlan", "aligned", "permute_local"), _LOCAL),
    **dict.fromkeys(
        ("Permutation", "PermutationPlan", "bmmc_permute", "factor_bmmc", "perform_bmmc"),
        _PERMUTATION,
    ),
    **dict.fromkeys(("FFT", "FHT"), lazily("nodewright.runtime.transforms")),
}


def __getattr__(name: str) -> Any:
    """Return a public name (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'nodewright' has no attribute {name!r}")
    return getattr(_MODULES[name], name)
