"""The kernel's comparison of path sums, with its results kept: a search asks for the same again
and again.
"""

from __future__ import annotations

from functools import lru_cache

from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Term

KEPT = 2**14


def diag(left: Term, right: Term) -> Thm:
    """Return left = right where their path sums agree; raise Refused where that is not seen.

    >>> from proofs.kernel.numbers import Dim
    >>> from proofs.kernel.terms import I, Kron
    >>> diag(Kron(I(Dim.of(2)), I(Dim.of(3))), I(Dim.of(6))).rule
    'diag'
    """
    found = _compared(left, right)
    if isinstance(found, Refused):
        raise Refused(*found.args)
    return found


@lru_cache(KEPT)
def _compared(left: Term, right: Term) -> Thm | Refused:
    """Return the theorem, or why there is none."""
    try:
        return kernel_rules.diag(left, right)
    except Refused as error:
        return Refused(*error.args)
