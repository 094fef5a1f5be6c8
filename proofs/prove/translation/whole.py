"""Where sizes are whole for all values of their symbols, and what is put for a symbol where not.

Not trusted.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs.kernel.sizes import Dim, Nat, nat, size


class Inexpressible(ValueError):
    """The kernel has no term for this formula. Nothing is said of its truth."""


class Ambiguous(Inexpressible):
    """A size is whole in several ways; another size may leave one."""

    def __init__(self, found: Dim, conditions: Sequence[str] = ()) -> None:
        such_as = " or ".join(conditions) or "N = r*s"
        super().__init__(
            f"{found} is not whole for all values of its symbols: state what divides what by"
            f" --where, such as {such_as}"
        )
        self.size = found


class Repair(Exception):
    """A size is whole only if a symbol is replaced."""

    def __init__(self, name: str, by: Nat | Dim) -> None:
        super().__init__(name)
        self.name, self.by = name, by


def linear(count: Nat) -> str:
    """Return a symbol that occurs once in a number of factors, with the coefficient 1, or ""."""
    for names, c in sorted(count.terms):
        times = sum(names[:1] == (x,) for others, _ in count.terms for x in {*others})
        if len(names) == c == times == 1 and names[0].isidentifier():
            return names[0]
    return ""


def counted(exponent: Nat, count: Nat, value: Nat) -> Nat:
    """Return an exponent with a multiple of a number of factors, such as 2n, replaced: what of it
    grows is a multiple of what grows in it.

    >>> print(counted(nat("n") * 4, nat("n") * 2 + 1, nat("k") + nat("l") + 1))
    2*l+2*k
    """
    names, c = min((term for term in count.terms if term[0]), key=lambda term: (len(term[0]), term))
    times, rest = divmod(dict(exponent.terms).get(names, 0), c)
    return exponent if rest else exponent + (value - count) * times


def check_whole(found: Dim) -> None:
    """Raise Repair with what makes a size whole and leaves out no whole value, Ambiguous where
    nothing does.

    That is clear where one symbol only stands above the line, and no number that could share a
    divisor with what stands below it.
    """
    if found.whole:
        return
    symbols = {
        name
        for base, e in found.powers
        for names, c in e.terms
        if c > 0
        for name in ([base] if isinstance(base, str) else names)
    }
    if len(symbols) == 1:
        (name,) = symbols
        by = _multiple(name, found) if name in dict(found.powers) else _sum(name, found)
        if by is not None:
            raise Repair(name, by)
    raise Ambiguous(found)


def _multiple(name: str, found: Dim) -> Dim | None:
    """Return the multiple of a size that makes name / below whole."""
    divided = ((base, e * -1) for base, e in found.powers if base != name and not e.natural)
    below = Dim(frozenset(divided))
    return below * size(name) if found * below == size(name) and below.whole else None


def _sum(name: str, found: Dim) -> Nat | None:
    """Return the sum with a natural that makes the exponent name - low a natural."""
    for base, e in found.powers:
        low = nat(name) - e
        alone = isinstance(base, int) or len(found.powers) == 1
        once = ((name,), 1) in e.terms and name not in {x for xs, _ in low.terms for x in xs}
        if alone and once and low.natural and not e.natural:
            return nat(name) + low
    return None
