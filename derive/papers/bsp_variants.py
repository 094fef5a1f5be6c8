"""Section 4 of Inda & Bisseling (2000): the choices that its FFT leaves open, and the forms in
which they are programs.

    phases = leftmost | paired | balanced | reproducible | d,d,..     the sizes of the butterfly phases, whose product is N (section 4.2)
    local  = library | butterflies | cache-friendly | cache-friendly:V
    d, V   = 1024 | 2^10

How a rank does a phase: `library` as a DFT; `butterflies` by Algorithm 3.2, stages in pairs;
`cache-friendly` the same on V virtual processors in every rank, eqs. (4.4) and (4.5).
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from derive.call_arguments import perhaps, unknown
from derive.formula.grammar import Equation, Formula, I, kron
from derive.formula.permutation_matrices import Gamma, R, inverse, stride
from derive.formula.permutations import lg
from derive.formula.transforms import A, AHat, F, HatSum, T
from derive.papers.bsp import PAPER, equation_2_8, group_cyclic, in_order
from derive.papers.bsp import equations as fourier_equations
from derive.papers.bsp_phases import (
    CACHE_POINTS,
    SIZES,
    distributions,
    exchanges,
    phases,
    powers_of_two,
    radices,
    virtual_processors,
)

LEFTMOST, PAIRED, BALANCED = "leftmost", "paired", "balanced"
REPRODUCIBLE = "reproducible"
NAMED = LEFTMOST, PAIRED, BALANCED, REPRODUCIBLE
LIBRARY, BUTTERFLIES, CACHE_FRIENDLY = "library", "butterflies", "cache-friendly"
LOCALS = (LIBRARY, BUTTERFLIES, CACHE_FRIENDLY)
SIZE = r"(?:[0-9]{1,19}|[0-9]{1,2}\^[0-9]{1,2})"


def chosen_phases(N: int, P: int, choice: str, local: str = LIBRARY) -> tuple[int, ...]:
    """Return the sizes of the phases that a text chooses: a name, or the sizes themselves; if it is
    empty, what (3.1) counts fewest flops for.

    As DFTs all choices of as few phases cost the same, and leftmost it is; as butterflies an odd
    number of stages costs more than half a pair.

    Raises ValueError for anything else, and where a rank cannot do a phase by itself or the product
    is not N.

    >>> chosen_phases(2**11, 2**6, "leftmost"), chosen_phases(2**11, 2**6, "paired"), chosen_phases(2**11, 2**6, "balanced")
    ((32, 32, 2), (32, 16, 4), (16, 16, 8))
    >>> chosen_phases(64, 4, "4,16"), chosen_phases(64, 4, "2^2,16")
    ((4, 16), (4, 16))
    """  # noqa: E501
    named = {LEFTMOST: radices, PAIRED: paired, BALANCED: balanced, REPRODUCIBLE: reproducible}
    if not choice:
        return min(
            radices(N, P),
            paired(N, P),
            key=lambda found: _odd(found) if local == BUTTERFLIES else 0,
        )
    if choice in named:
        return named[choice](N, P)
    if not re.fullmatch(f"{SIZE}(,{SIZE})*", choice):
        raise ValueError(
            f"phases {choice!r}{perhaps(choice, named)}: choose {', '.join(named)} or sizes such as"
            " 4,8,2^5, whose product is N"
        )
    found = tuple(map(_size, choice.split(",")))
    distributions(N, P, found)
    return found


def _size(text: str) -> int:
    """Return a size that is written as a number or as a power.

    >>> _size("32"), _size("2^5")
    (32, 32)
    """
    base, _, exponent = text.partition("^")
    return int(int(base) ** int(exponent or 1))


def paired(N: int, P: int) -> tuple[int, ...]:
    """Return as few phases as there can be, with as few odd numbers of stages as there can be, then
    the largest first.

    An odd phase ends with a stage of 2-butterflies, 3N/4P flops more than half a pair (section 4.2
    and eq. 3.1).

    >>> paired(2**7, 2**4), paired(2**10, 2**3)
    ((8, 4, 4), (64, 16))
    """
    (n, p), H = SIZES.exponents(N, P), phases(N, P)
    m = n - p
    odd_most, even_most = m - 1 + m % 2, m - m % 2
    odd = next(
        k
        for k in range(n % 2, H + 1, 2)
        if k * odd_most + (H - k) * even_most >= n and (even_most or k == H)
    )
    stages = [1] * odd + [2] * (H - odd)
    for i, first in enumerate(stages):
        stages[i] += min((odd_most if first == 1 else even_most) - first, n - sum(stages))
    return tuple(1 << k for k in sorted(stages, reverse=True))


def reproducible(N: int, P: int) -> tuple[int, ...]:
    """Return phases of which only the last may have an odd number of stages: so stages go in the
    same pairs for every P, each with the same operations.

    Raises ValueError where one of several ranks has fewer than 8 elements: numpy multiplies single
    numbers by other instructions, which may round otherwise.

    >>> reproducible(2**7, 1), reproducible(2**7, 2**2), reproducible(2**7, 2**4)
    ((128,), (16, 8), (4, 4, 8))
    """
    n, p = SIZES.exponents(N, P)
    if p:
        need(N // P, 8)
    even = (n - p) // 2 * 2
    first = -(-p // even) if p else 0
    return (1 << even,) * first + (1 << n - first * even,)


def need(M: int, least: int) -> None:
    """Raise ValueError where a rank has fewer elements than the same bits for every P need."""
    if least > M:
        raise ValueError(f"{M} elements a rank: the same bits for every P need {least} at least")


def _odd(found: tuple[int, ...]) -> int:
    return sum(lg(d) % 2 for d in found)


def balanced(N: int, P: int) -> tuple[int, ...]:
    """Return as few phases as there can be, all of the same size or half of it, the larger first.

    >>> balanced(2**10, 2**7), balanced(2**9, 2**6)
    ((8, 8, 4, 4), (8, 8, 8))
    """
    n, H = SIZES.exponents(N, P)[0], phases(N, P)
    return tuple(1 << n // H + (J < n % H) for J in range(H))


def virtual(n: int, local: str) -> int:
    """Return V of `cache-friendly:V` for n elements a rank: 1 for other forms, and where none is
    given as many as fit a cache.

    Raises ValueError for an unknown form, and unless V is a power of two from 2 to n/2.

    >>> virtual(64, "cache-friendly:2^2"), virtual(2**16, "cache-friendly"), virtual(64, "butterflies")
    (4, 8, 1)
    """  # noqa: E501
    name, colon, text = local.partition(":")
    if name not in LOCALS or (colon and name != CACHE_FRIENDLY):
        raise unknown("local", local, (*LOCALS, f"{CACHE_FRIENDLY}:V"), rule="choose from")
    if name != CACHE_FRIENDLY:
        return 1
    if not colon:
        text = str(max(2, n // CACHE_POINTS))
    v = _size(text) if re.fullmatch(SIZE, text) else 0
    if n < 4:
        raise ValueError(
            f"{local!r} with {n} elements a rank: at least 2 virtual processors of 2 elements"
        )
    if not 2 <= v <= n // 2 or v & v - 1:
        raise ValueError(
            f"{local!r} with {n} elements a rank: virtual processors are a power of two from 2 to"
            f" {n}/2"
        )
    return v


def normal(N: int, P: int, choice: str, local: str) -> tuple[str, str]:
    """Return the choices as they are stated in a program: the sizes of the phases, and the form;
    empty where they are the default.

    Raises ValueError for choices that are not there.

    >>> normal(2**11, 2**6, "paired", "library"), normal(64, 4, "leftmost", "cache-friendly")
    (('32,16,4', ''), ('', 'cache-friendly:2'))
    >>> normal(2**11, 2**6, "reproducible", "")
    ('reproducible', 'butterflies')
    """
    if choice == REPRODUCIBLE:
        if local not in ("", BUTTERFLIES):
            raise ValueError(f"local {local} with phases {choice}: these are of {BUTTERFLIES}")
        reproducible(N, P)
        return choice, BUTTERFLIES
    found, v = chosen_phases(N, P, choice, local), virtual(N // P, local or LIBRARY)
    form = f"{CACHE_FRIENDLY}:{v}" if v > 1 else "" if local == LIBRARY else local
    return "" if found == chosen_phases(N, P, "", local) else ",".join(map(str, found)), form


def emitted(N: int, P: int, choice: str = "", local: str = "") -> Equation:
    """Return the equation that is emitted for these choices; a large local transform in two steps
    that fit a cache.

    >>> print(emitted(8, 2, "2,4", "butterflies"))
    F_8 = Γ_{2,2,8}^-1 Â_{4,2,2,8} Â_{2,2,2,8} Γ_{2,2,8} (I_2 ⊗ A_{2,4}) (I_2 ⊗ P_4) L^8_2
    """
    n, local = N // P, local or LIBRARY
    found = chosen_phases(N, P, choice, local)
    v = virtual(n, local)
    if local == LIBRARY:
        return group_cyclic(N, P, virtual_processors(n) if found[0] == n else 1, found)
    return butterflies(N, P, found, v)


def butterflies(N: int, P: int, choice: tuple[int, ...] = (), v: int = 1) -> Equation:
    """Return (2.8), its stages as they are, with (4.2) at its beginning, so that cyclic input is
    local: Γ_u (P_P ⊗ I_n) .. (I_P ⊗ P_n) S_{P,N}.

    With v > 1 every rank's stages are those of v virtual processors, between permutations Γ_{w,v,n}
    of its own elements (4.4).

    >>> print(butterflies(8, 2))
    F_8 = Γ_{2,2,8}^-1 Â_{4,2,2,8} Γ_{2,2,8} (I_2 ⊗ A_{4,4}) (I_2 ⊗ A_{2,4}) (I_2 ⊗ P_4) L^8_2
    """
    K, before = 1, 1
    factors: list[Formula] = [stride(N, P), kron(I(P), R(N // P))]
    for d, u in zip(choice or radices(N, P), distributions(N, P, choice), strict=True):
        gamma: Formula = Gamma(u, P, N) if u > 1 else I(N)
        if before == 1 < u and P > 2:
            factors.append(kron(R(P), I(N // P)))
        factors += [gamma, *_stages(2 * K, d * K, u, N, P, v), inverse(gamma)]
        K, before = K * d, u
    paper = "(2.8) and (4.2)" if v == 1 else "(2.8) and (4.4)"
    return in_order("bsp-4.2" if v == 1 else "bsp-4.4", f"{PAPER}, {paper}", F(N), factors)


def virtual_phases(first: int, last: int, n: int, v: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield w and the stages of each phase of (4.4) for the stages first, .., last of n elements:
    those above c^j, c = n/v, have w = min(v, c^j).

    >>> list(virtual_phases(2, 64, 64, 16))
    [(1, (2, 4)), (4, (8, 16)), (16, (32, 64))]
    """
    c = n // v
    while first <= last:
        w = min(v, next(c**j for j in range(lg(n) + 1) if c ** (j + 1) >= first))
        top = min(last, w * c)
        yield w, powers_of_two(first, top)
        first = 2 * top


def _stages(first: int, last: int, u: int, N: int, P: int, v: int) -> Iterator[Formula]:
    """Yield the factors of the stages of a phase."""
    n = N // P
    if v == 1:
        yield from (
            AHat(K // u, u, P, N) if u > 1 else kron(I(P), A(K, n))
            for K in powers_of_two(first, last)
        )
        return
    for w, stages in virtual_phases(first // u, last // u, n, v):
        gamma = kron(I(P), Gamma(w, v, n)) if w > 1 else I(N)
        yield gamma
        for k in stages:
            if u > 1:
                yield kron(I(P // u), HatSum(k // w, w, v, n, u))
            else:
                yield kron(I(P), AHat(k // w, w, v, n))
        yield inverse(gamma)


def equations(N: int, P: int, choice: str = "", local: str = "") -> tuple[Equation, ...]:
    """Return every equation of the group-cyclic FFT at this size and for these choices, the emitted
    form last.

    >>> [equation.name for equation in equations(8, 2, "2,4", "butterflies")][-3:]
    ['bsp-3.6', 'bsp-2.8', 'bsp-4.2']
    """
    found = chosen_phases(N, P, choice, local)
    stages = () if found == radices(N, P) else (equation_2_8(N, P, found),)
    return (*fourier_equations(N, P)[:-1], *exchanges(N, P), *stages, emitted(N, P, choice, local))


def in_time(radices: Sequence[int]) -> Equation:
    """Return F_N in these radices, the first done first, decimated in time: F_ds = (F_d ⊗ I_s)
    T^ds_s (I_d ⊗ F_s) L^ds_d for the last radix d, and again for F_s, and so on.

    Raises ValueError for a radix below 2.

    >>> print(in_time((2, 2, 2)))
    F_8 = (F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_2 ⊗ I_2) (I_2 ⊗ T^4_2) (I_4 ⊗ F_2) (I_2 ⊗ L^4_2) L^8_2
    """
    if min(radices, default=2) < 2:
        raise ValueError(f"radices {', '.join(map(str, radices))}: each is at least 2")
    first: list[Formula] = []
    last: list[Formula] = []
    for i, d in enumerate(radices):
        s, r = prod(radices[:i]), prod(radices[i + 1 :])
        if i:
            first = [kron(I(r), stride(d * s, d)), *first]
            last.append(kron(I(r), T(d * s, s)))
        last.append(kron(I(r), kron(F(d), I(s))))
    left = F(prod(radices))
    return in_order("cooley-tukey-radices", "Cooley & Tukey 1965", left, [*first, *last])
