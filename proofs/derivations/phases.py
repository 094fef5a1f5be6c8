"""The derivation of an FFT in phases, for all radices: which rule is applied where.

Phases are given by their radices and by the group of ranks in which their elements are cyclic, all
as exponents of 2. The sizes of the derivation are products of letters r_1, r_2, .., a letter for
each run of bits of the index that no phase, radix or group parts; so it holds for all radices, and
for these at the values of its letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

Digits = tuple[int, ...]
Part = tuple[Digits, int]
"""A phase: lg of its radices, the first to be done first, and lg of its group."""
Step = tuple[str, str, dict[str, str]]
"""A rule, a place, and what letters of the rule stand for."""


@dataclass(frozen=True)
class InPhases:
    """F of 2^n on 2^p ranks in phases, the first to be done first; `cuts` are the bits of the index
    where runs begin and end, counted in the order of their transforms.

    >>> found = InPhases(5, 2, (((3,), 0), ((2,), 2)))
    >>> found.start, found.values
    ('F(r_1*r_2*r_3)', {'r_3': 4, 'r_2': 2, 'r_1': 4})
    >>> for step in found.steps():
    ...     print(step)
    ('cooley-tukey', '', {'r': 'r_1'})
    ('parallel-last', '1', {'u': 'r_3'})
    """

    n: int
    p: int
    phases: tuple[Part, ...]

    @property
    def begins(self) -> list[int]:
        """The numbers of bits that are transformed before each phase, and after all."""
        return [0, *accumulate(sum(digits) for digits, _ in self.phases)]

    @property
    def cuts(self) -> list[int]:
        """The places where runs of bits begin and end."""
        found = {0, self.n}
        for K, (digits, q) in zip(self.begins, self.phases, strict=False):
            found |= {q, self.n - self.p + q, *(K + done for done in accumulate(digits))}
        return sorted(found)

    @property
    def values(self) -> dict[str, int]:
        """The values of the letters."""
        lengths = [last - first for first, last in pairwise(self.cuts)]
        return {f"r_{len(lengths) - i}": 1 << length for i, length in enumerate(lengths)}

    def size(self, first: int, last: int) -> str:
        """Return 2^(last - first) in letters, those of the last bits in front."""
        runs = zip(self.values, pairwise(self.cuts), strict=True)
        names = [name for name, (a, b) in runs if first <= a and b <= last]
        return "*".join(reversed(names)) or "1"

    @property
    def start(self) -> str:
        """The formula at the beginning."""
        return f"F({self.size(0, self.n)})"

    def steps(self) -> Iterator[Step]:
        """Yield the steps: the last phase is taken off first, and each is then made local."""
        at, last = 1, len(self.phases) - 1
        if last == 0:
            yield from self._in_radices(0, "")
        for i in range(last, -1, -1) if last else ():
            K, top, r = *self.begins[i : i + 2], self.n - self.begins[i + 1]
            if i == last:
                yield "cooley-tukey", "", {"r": self.size(K, top)}
            elif i:
                sizes = {"r": self.size(top, self.n), "d": self.size(K, top)}
                yield "next-phase", f"{at}-{at + 1}", sizes
            a = self.p - self.phases[i][1]
            if 0 < a < r:
                sizes = {"g": self.size(self.n - a, self.n), "r": self.size(top, self.n - a)}
                yield "reorder-copies", f"{at}", sizes
                at += 1
            yield from self._local(i, at)
            at += 2 * (self.phases[i][1] > 0) + (0 < a < r) + (2 if i == last else 3)

    def _local(self, i: int, at: int) -> Iterator[Step]:
        """Yield the steps that make a phase local, and do it in its radices; it stands at a
        place.
        """
        (_, q), K, top = self.phases[i], *self.begins[i : i + 2]
        u, a = self.size(0, q), self.p - q
        if q and top == self.n:
            yield "parallel-last", f"{at}", {"u": u}
        elif q:
            g, r = self.size(self.n - a, self.n), self.size(top, self.n - a)
            yield "parallel", f"{at}", {"g": g, "r": r, "u": u}
        at += q > 0
        if q and q == K:
            yield "one-right", f"{at}", {}
        yield from self._in_radices(i, f"{at}.2")

    def _in_radices(self, i: int, place: str) -> Iterator[Step]:
        """Yield the steps of a local transform at a place: one radix off, then the rest."""
        digits, K, top = self.phases[i][0], *self.begins[i : i + 2]
        for digit in digits[:-1]:
            sizes = {"r": self.size(K, K + digit), "s": self.size(K + digit, top)}
            yield "cooley-tukey-dif", place, sizes
            place, K = f"{place}.2.2" if place else "2.2", K + digit


def in_phases(n: int, p: int, phases: Sequence[Part]) -> InPhases:
    """Return F of 2^n on 2^p ranks in phases.

    Raises ValueError where the radices of all phases do not multiply to it.
    """
    found = InPhases(n, p, tuple(phases))
    if found.begins[-1] != n:
        raise ValueError(
            f"phases {phases}: their radices multiply to 2^{found.begins[-1]}, not 2^{n}"
        )
    return found
