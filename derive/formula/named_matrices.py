"""The matrices that a text may name: those of the other modules, those around a convolution, and
permutations by numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from derive.formula import transforms as transforms
from derive.formula.combinations import Sqrt
from derive.formula.leaves import ALIASES as ALIASES
from derive.formula.leaves import MATRICES as MATRICES
from derive.formula.leaves import Called, Leaf, named
from derive.formula.leaves import parameters as parameters
from derive.formula.leaves import row_of as row_of
from derive.formula.permutation_matrices import Bmmc
from derive.formula.permutations import lg, target
from derive.formula.values import Formula
from derive.gf2.bits import Affine, rank
from derive.gf2.bmmc import identity
from derive.sizes import Size

MOST_PLACES = 2**16
"""So many places a permutation has at most."""
MATRICES["sqrt"] = Sqrt


@dataclass(frozen=True)
class Pad(
    Leaf,
    form="Pad_m,n",
    order="m",
    tex=r"\mathrm{Pad}",
    means="((1/(2*n) * E(1,2*n) * F(2*n)) (x) I(m) * F(2*m*n))"
    " * (1/(2*m*n) * (conj(F(2*m*n)) * (1/(2*m) * F(2*m) * E(2*m,1)) (x) I(n)))",
    known=True,
):
    """The m x n matrix with ones at (j, j): zeros after n elements, or the first m of them.

    It is defined by 2mn elements, which both are the first of.

    Examples:
        >>> Pad(3, 2).to_matrix().real.tolist()
        [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """

    m: Size
    n: Size

    @property
    def columns(self) -> Size:
        return self.n


@dataclass(frozen=True)
class Chirp(
    Leaf,
    form="Chirp_m,n",
    order="m",
    whole="m/2",
    tex=r"\mathrm{Chirp}",
    means="sum(t < m, diag(k < m, k*(t-m/2)/m - (t-m/2)^2/(2*n)))",
):
    """The diagonal with the Fourier transform of exp(πit²/n), -m/2 ≤ t < m/2 (Bluestein 1970): the
    eigenvalues of a circulant matrix.

    Examples:
        >>> Chirp(2, 1).to_matrix().real.diagonal().round(9).tolist()
        [0.0, 2.0]
    """

    m: Size
    n: Size


@named
def bits(*columns: int) -> Formula:
    """Return the permutation y = A x over GF(2), the columns of A packed into integers.

    >>> print(bits(4, 2, 1))
    bits(4, 2, 1)
    >>> bits(1, 1)
    Traceback (most recent call last):
    ValueError: the columns 1, 1 are dependent over GF(2): they have rank 1
    """
    found, shown = Affine(columns, len(columns)), ", ".join(map(str, columns))
    if (independent := rank(found.matrix)) < len(columns):
        raise ValueError(
            f"the columns {shown} are dependent over GF(2): they have rank {independent}"
        )
    return Bmmc(found, "A", f"bits({shown})")


@named
def xor(N: int, c: int) -> Formula:
    """Return the permutation of N = 2^n elements from j to j xor c.

    >>> xor(6, 1)
    Traceback (most recent call last):
    ValueError: 6 is not a power of two
    """
    return Bmmc(replace(identity(lg(N)), c=c), "c", f"xor({N}, {c})")


@named
def powers(p: int, g: int) -> Formula:
    """Return the permutation of the powers of a generator g modulo a prime p, from j to g^j - 1.

    >>> print(powers(5, 2).to_matrix().real.argmax(axis=0))
    [0 1 3 2]
    >>> powers(7, 2)
    Traceback (most recent call last):
    ValueError: the powers of 2 modulo 7 are 3 of 1 to 6: a generator modulo a prime has them all
    """
    if p > MOST_PLACES:
        raise ValueError(f"at most {MOST_PLACES} places")
    found = Called("powers", (p, g))
    places = {*target(found).tolist()}
    if places != {*range(p - 1)}:
        raise ValueError(
            f"the powers of {g} modulo {p} are {len(places - {-1})} of 1 to {p - 1}: a generator"
            " modulo a prime has them all"
        )
    return found
