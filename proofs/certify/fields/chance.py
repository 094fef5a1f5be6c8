"""How likely it is that a wrong program passes runs over random fields, and how many runs it takes
until that is unlikely enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, log2, prod
from typing import Any

from derive.fields import PRIME_BITS, progression, totient
from proofs.certify.ordinary.stimuli import missed_by_one, vectors_of
from proofs.certify.plain_text import counted

UNITS_UP_TO = 1024
"""Up to this N every unit vector is an input, as long as N·P is at most 2^16."""
ERROR_WANTED, ERROR_AGAIN = 1e-6, 1e-4
"""Fields are drawn until the probability to miss a wrong program is below this, and one that is
wrong only when its plan is used again.
"""
MOST_FIELDS = 16
SMALLEST = 5e-324
"""The least number above 0: a probability is 0 only where nothing is left to chance."""
WORK_FOR_CERTAINTY = 2**17
"""Where (number of fields)·N·P is at most this, so many fields are tried with unit vectors that
nothing is left to chance.
"""


@dataclass(frozen=True)
class Chance:
    """A run of N elements over a random field with roots of unity of order L, `units` vectors among
    the inputs or not.

    `bits` is b such that an entry of the difference from the wanted matrix, times a power of √2, is
    an algebraic integer with conjugates below 2^b; times another number prime to q, where lengths
    are no powers of two.
    """

    N: int
    order: int
    bits: float
    units: bool

    @classmethod
    def of(cls, N: int, order: int, bits: float, units: bool) -> Chance:
        """Return this chance with b rounded up as it is printed.

        >>> [Chance.of(64, 64, bits, True).bits for bits in (10.1, 10.1 + 1e-11, 10.1 + 2e-15)]
        [10.1, 10.2, 10.2]
        """
        tenths = ceil(10 * bits)
        return cls(N, order, (tenths + (tenths / 10 < bits)) / 10, units)

    @property
    def degree(self) -> int:
        """phi, the degree of Q(w): of a power of two half of it."""
        return totient(self.order)

    @property
    def hiding(self) -> int:
        """The most pairs (q, w) that map a difference other than 0 to 0: its norm is below 2^(b
        phi), each pair stands for a prime ideal of norm q above 2^30, and their product divides it.
        """
        return int(self.bits * self.degree / PRIME_BITS)

    @property
    def error(self) -> float:
        """A bound of the probability that a wrong program passes this run.

        At most `hiding` of the phi · (number of primes) pairs (q, w) map a difference that is not 0
        to 0. Where none does, unit vectors and zero show it, and each vector of powers does but
        with the probability `missed_by_one`.
        """
        unlucky = self.hiding / (self.degree * len(progression(self.order)))
        hidden = 0.0 if self.units else missed_by_one(self.N) ** self.vectors
        return min(1.0, unlucky + hidden)

    @property
    def vectors(self) -> int:
        """How many vectors of powers are among the inputs."""
        return vectors_of(self.N, self.order)

    @property
    def evidence(self) -> str:
        """The argument for the error in short."""
        drawn = f"q is one of {len(progression(self.order))} primes, q and its root drawn at random"
        return (
            f"{drawn}; conjugates below 2^{self.bits:.1f}; an error is missed with probability"
            f" {self.error:.1e}"
        )


def difference(found: float, wanted: float) -> float:
    """Return below which power of two a difference is, of numbers of at most 2^found and 2^wanted.

    >>> difference(3, 3), difference(20, 0) < 20.00001
    (4.0, True)
    """
    low, high = sorted((found, wanted))
    return high + log2(1 + 2.0 ** (low - high))


def powers_in(run: Chance) -> str:
    """Return how many vectors of powers are among the inputs, in words.

    >>> powers_in(Chance(1024, 1024, 20.0, False)), powers_in(Chance(1920, 24, 20.0, False))
    ('1 vector of powers', '2 vectors of powers')
    """
    return f"{counted(run.vectors, 'vector')} of powers"


def has_units(N: int, P: int) -> bool:
    """Return whether the first run is given all unit vectors."""
    return N <= UNITS_UP_TO and N * P <= 2**16


def is_certain(first: Chance, P: int) -> bool:
    """Return whether so many fields are run with unit vectors that nothing is left to chance."""
    return first.units and (first.hiding + 1) * first.N * P <= WORK_FOR_CERTAINTY


def error_of(runs: Sequence[Chance]) -> float:
    """Return a bound of the chance that a wrong program passes all these runs, of different q.

    It is at most the product, although q is drawn without replacement. With h_q, the part of the w
    that hide a difference in GF(q), and c_i, what the vectors of run i miss, it is at most the mean
    of prod_i (h_(q_i) + c_i) over different q_i. That is a sum of terms e_j(h) / binomial(n, j)
    times numbers c_i, and e_j(h) / binomial(n, j) is at most (e_1(h) / n)^j, by Maclaurin.
    """
    certain = all(run.units for run in runs) and len(runs) > max(run.hiding for run in runs)
    return 0.0 if certain else max(prod(run.error for run in runs), SMALLEST)


def is_enough(runs: Sequence[Chance], P: int) -> bool:
    """Return whether no more fields are to be drawn for a transform."""
    if not runs:
        return False
    certain = is_certain(runs[0], P)
    return error_of(runs) <= (0 if certain else ERROR_WANTED) or (
        not certain and len(runs) >= MOST_FIELDS
    )


def runs_for(first: Chance, wanted: float = ERROR_WANTED) -> int:
    """Return how many fields like the first it takes until a wrong program passes with at most this
    probability, as far as is known.
    """
    return min(MOST_FIELDS, ceil(log(wanted) / log(first.error))) if 0 < first.error < 1 else 1


def evidence_of(runs: Sequence[Chance], parts: int, has_widths: bool) -> str:
    """Return the runs behind the verdict on a complex or real transform, and why they show it;
    kernels on vectors of several widths have unit vectors among the inputs for the widest alone.
    """
    complex_too = " and i e_j" if parts == 2 else ""
    first = "" if runs[-1].units else " (in the first field)"
    units = f"0 and all e_j{complex_too}{first}, and " if runs[0].units else ""
    fields = counted(len(runs), "field", "GF(q)")
    run_over = f"run over {fields} on {units}{powers_in(runs[0])}"
    certain = (
        f"an error would vanish in at most {runs[0].hiding} of them: nothing is left to chance"
        f"{' except with narrower vectors' * has_widths}"
    )
    return f"{run_over}; {f'{runs[-1].evidence} in each' if error_of(runs) else certain}"


def figures_of(runs: Sequence[Chance]) -> dict[str, Any]:
    """Return what the evidence of runs is made from, as JSON values."""
    return {"fields": len(runs), "bits": runs[-1].bits}


def is_enough_again(runs: Sequence[Chance]) -> bool:
    """Return whether no more fields are to be drawn for transforms in turn."""
    return error_of(runs) <= ERROR_AGAIN or len(runs) >= MOST_FIELDS


def evidence_again(runs: Sequence[Chance], used: str) -> str:
    """Return the same for the verdict on transforms that share plans, which are `used` so."""
    fields = counted(len(runs), "field")
    run_over = f"{fields}, four inputs of {powers_in(runs[0])} in turn"
    return f"{used}; {run_over}; {runs[-1].evidence} in each"


def stated(error: float) -> float:
    """Return an error as it is stated."""
    return float(f"{error:.2e}")
