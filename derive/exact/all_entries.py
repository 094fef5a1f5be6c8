"""Every entry of a claim in so many fields that nothing is left to chance: for sums of roots of
unity of any order.

A difference of two entries that is not 0 is, times a number that no q divides, an algebraic
integer, all of its conjugates at most 2^b = `growth`. So its norm is at most 2^(b φ), φ the degree
of its field, and fewer than b φ/30 + 1 primes q above 2^30 take it to 0. Equal in more fields is
equal.
"""

from __future__ import annotations

from math import ceil, gcd, log2

import numpy as np

from derive.exact.claim import Claim, difference
from derive.exact.residues import Residues
from derive.fields import PRIME_BITS, RootField, primes
from derive.verdict import Checked, Refuted, Verdict

MOST_ENTRIES = 2**24
"""So many entries are compared, in all fields together."""


def fields_needed(claim: Claim) -> int:
    """Return in how many fields GF(q), 2^30 < q, entries have to be equal to be equal."""
    degree = sum(gcd(claim.order, e) == 1 for e in range(claim.order))
    return ceil(degree * log2(claim.growth) / PRIME_BITS) + 1


def decide_in_fields(claim: Claim, seed: int = 0) -> Verdict | None:
    """Return whether all entries are equal, exactly; None where that would take too many fields.

    >>> from derive.exact.exact_check import claim as claimed
    >>> from derive.formula.adjoints import inverted
    >>> from derive.formula.grammar import Equation, I
    >>> from derive.formula.transforms import F
    >>> print(decide_in_fields(claimed(Equation("", "", inverted(F(7)) @ F(7), I(7)))))
    checked: inv(F_7) F_7 = I_7 (all 49 entries, exactly, in 4 fields GF(q))
    """
    count, known = fields_needed(claim), primes(claim.order)
    if count > len(known) or count * claim.entries > MOST_ENTRIES:
        return None
    rng = np.random.default_rng(seed)
    for q in known[:count]:
        ring = Residues(RootField.draw(claim.order, rng, np.array([q])))
        found = difference(claim, range(claim.size), ring)
        if found:
            return Refuted(claim.statement, claim.shown(found, ring))
    return Checked(
        claim.statement, f"all {claim.entries} entries, exactly, in {count} fields GF(q)"
    )
