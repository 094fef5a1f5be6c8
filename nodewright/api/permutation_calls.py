"""BMMC permutations: stated, factored as A = V W, and recognized (Cormen 1997)."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import ArrayLike, NDArray

from codegen.cost.bounds import Bound, permuting
from derive.call_arguments import counted, integer, named, needs_arguments, text
from derive.formula import affine_layouts as layouts
from derive.gf2 import bmmc, properties
from derive.gf2.bits import Affine
from derive.gf2.block_forms import Form, forms
from derive.gf2.bmmc_equations import BitEquation, equations
from derive.gf2.matrix_files import map_of, read_matrix
from derive.gf2.recognize import Witness
from derive.gf2.recognize import recognize as recognized
from derive.gf2.shown import MOST_BITS as PRINTED
from derive.gf2.shown import short, shortened
from derive.show import html
from derive.show.drawing import Drawing
from derive.show.lists import Series
from derive.sizes import number
from derive.verdict import Verdict
from nodewright.show import factorization_picture

PermutationLike = str | Path | Affine | ArrayLike
"""A permutation: its name, the file of its matrix, the matrix, or the map."""
MOST_BITS, WIDE = 4096, 100
"""The most index bits that there are, and the columns of a terminal in which matrices are printed.
"""


@needs_arguments
def permutation(A: PermutationLike, n: int | None = None, c: int = 0) -> Affine:
    """Return the BMMC permutation y = A x + c of 2^n elements, as a map of indices.

    Args:
        A: a name, the path of a file with the bit matrix, an n x n matrix (row i, column j), its
            columns as integers (row i is bit i), or a map.
        n: the number of index bits; a name needs it.
        c: the complement; it is added to the complement of a map.

    Returns:
        The map, which can be called with an index or an integer array.

    Raises:
        ValueError: the name is unknown or has no n, or the matrix has another size.

    References:
        Cormen (1997), section 2.

    Examples:
        >>> permutation("shuffle", n=3)(4), permutation([[0, 1], [1, 0]], c=1)(2)
        (1, 0)
    """
    n = None if n is None else integer(n, "n")
    if n is not None and not 1 <= n <= MOST_BITS:
        raise ValueError(
            f"{named('bits', n)}: the number of index bits lies between 1 and {MOST_BITS}"
        )
    given = _map(A, n)
    if n not in (None, given.bits):
        title = A if isinstance(A, Path) else "A"
        raise ValueError(
            f"{title}: a {given.bits} x {given.bits} matrix for permutations of {given.bits} index"
            f" bits, not {n}"
        )
    return Affine(given.columns, given.rows, given.c ^ Affine((), given.rows, integer(c, "c")).c)


def index_bits(size: int | str) -> int:
    """Return n of a permutation of 2^n elements.

    Raises ValueError where the size is no power of two, and for one element.

    >>> index_bits("2^10")
    10
    >>> index_bits(1)
    Traceback (most recent call last):
    ValueError: a permutation needs at least 2 elements; got size = 1
    """
    n, _ = bmmc.SIZES.exponents(number(size), 1)
    if n == 0:
        raise ValueError(f"a permutation needs at least 2 elements; got {named('size', 1)}")
    return n


def one_of(matrix: PermutationLike | None, name: str | None) -> PermutationLike:
    """Return the one of matrix and name that is stated; of a matrix a text is its file."""
    if matrix is None and name is None:
        raise ValueError(f"the permutation is missing; give {named('matrix')} or {named('name')}")
    if matrix is not None and name is not None:
        raise ValueError(
            f"{named('name', name)} and {named('matrix')} both give a permutation; give one of them"
        )
    if isinstance(matrix, str):
        return Path(matrix)
    return text(name, "name") if matrix is None else matrix


def _map(A: PermutationLike, n: int | None) -> Affine:
    match A:
        case Path():
            return Affine.of(read_matrix(A))
        case str():
            if n is None:
                raise ValueError(f"n is missing; give the number of index bits of {A!r}")
            return bmmc.named(A, n)
    return map_of(A)


class Factorization(bmmc.Factorization):
    """The factorization A = V W of a BMMC permutation y = A x ⊕ c on 2^p ranks; W = (T R Pi)^-1.

    `nw.factor` returns it. x and y are addresses of n bits: the lowest n - p bits are the offset in
    a rank, the highest p bits are the rank.

    Attributes:
        permutation: A with its complement c, as an affine map.
        p: the number of processor bits, lg P.
        trailer: the same as `T`.
        reducer: the same as `R`.
        swapper: the same as `Pi`.

    References:
        Cormen (1997), section 4.

    Examples:
        >>> f = factor("bit-reversal", n=4, p=2)
        >>> f.n, f.m, f.rank_gamma, f.rounds, f.elements_per_message
        (4, 2, 2, 4, 1)
        >>> (f.V @ f.W) == f.A, (f.T @ f.R @ f.Pi).inverse() == f.W
        (True, True)
        >>> f.messages(1), f.target(0, 1), f.source(0, 2)
        ((2, 0, 3, 1), 2, 1)
        >>> f.verdict.kind, f.at_least
        ('checked', Bound(words=3, messages=3))
        >>> [form.letters for form in f.forms], f.equations[1].row()[1]
        (['VW', 'LCR', 'ULP'], 'A = V W')
    """

    @property
    def A(self) -> Affine:  # the paper's letter
        """The permutation that is factored, with its complement c, as an affine map."""
        return self.permutation

    @property
    def c(self) -> int:
        """The complement c of y = A x ⊕ c, an integer of n bits."""
        return self.permutation.c

    @property
    def T(self) -> Affine:  # the paper's letter
        """The trailer matrix T; it makes the lower right p x p block of A T nonsingular."""
        return self.trailer

    @property
    def R(self) -> Affine:  # the paper's letter
        """The reducer matrix R; it clears all columns of the lower left block but a basis."""
        return self.reducer

    @property
    def Pi(self) -> Affine:  # the paper's letter
        """The swapper matrix Pi; it moves these columns to the right end of the left section."""
        return self.swapper

    @property
    def matrices(self) -> dict[str, Affine]:
        """A dict of A, T, R, Pi, V and W by these letters, each an affine map."""
        return {x: getattr(self, x) for x in ("A", "T", "R", "Pi", "V", "W")}

    @property
    def equations(self) -> Series[BitEquation]:
        """The equations y = A x ⊕ c and A = V W, and the value of each letter."""
        return Series(equations(self))

    @property
    def verdict(self) -> Verdict:
        """The verdict of a check of V W = A and of the other properties of section 4."""
        return properties.check(self)

    @property
    def at_least(self) -> Bound:
        """Lower bounds on the words and messages of the busiest rank of any program (Lemma 3)."""
        return permuting(self.permutation, self.p)

    @property
    def forms(self) -> tuple[Form, ...]:
        """This and other factorizations of A, each with the messages per rank."""
        return tuple(forms(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the factorization as `factor` prints it with --json."""
        return {
            "n": self.n,
            "p": self.p,
            "c": self.c,
            **{name: list(map_.columns) for name, map_ in self.matrices.items()},
            "rank_gamma": self.rank_gamma,
            "rounds": self.rounds,
            "elements_per_message": self.elements_per_message,
            "at_least": asdict(self.at_least),
            "forms": [
                {
                    "letters": form.letters,
                    "factors": [list(factor.columns) for factor in form.factors],
                    "complements": [factor.c for factor in form.factors],
                    "rounds": list(form.rounds),
                }
                for form in self.forms
            ],
        }

    def drawing(self) -> Drawing:
        """Return a picture of the matrices, the messages and the moved elements."""
        return factorization_picture.drawn(self)

    def _repr_html_(self) -> str:
        """Return the factorization as a notebook shows it."""
        found = self.verdict
        said = html.verdict(found.kind, found.statement, found.evidence)
        return html.fragment(said, self.drawing())

    def __repr__(self) -> str:
        """Return the matrices, least significant bit at the top left, a dot for 0; of large ones
        corners, one below the other.

        >>> factor("bit-reversal", n=2, p=1)
        A = V W, n = 2, p = 1, c = 0, 2 messages of 1 element
        A:   T:   R:   Pi:  V:   W:
        . 1  1 1  1 .  1 .  . 1  1 1
        1 .  . 1  . 1  . 1  1 1  . 1
        """
        messages = counted(short(self.rounds), "message")
        size = counted(short(self.elements_per_message), "element")
        head = f"A = V W, n = {self.n}, p = {self.p}, c = {short(self.c)}, {messages} of {size}"
        width = 2 + max(3, 2 * self.n - 1)
        pictures = [
            [f"{name}:", *shortened(each.columns, each.rows).split("\n")]
            for name, each in self.matrices.items()
        ]
        beside = 1 if self.n > PRINTED else max(1, WIDE // width)
        lines = (
            "".join(part.ljust(width) for part in line).rstrip()
            for start in range(0, len(pictures), beside)
            for line in zip(*pictures[start : start + beside], strict=True)
        )
        return "\n".join([head, *lines])


@needs_arguments
def factor(
    A: PermutationLike, n: int | None = None, *, p: int, c: int = 0, layout: str = ""
) -> Factorization:
    """Return the factorization A = V W of a BMMC permutation on 2^p ranks.

    W moves elements within the ranks, V between them.

    Args:
        A: the permutation, as for `permutation`.
        n: the number of index bits; the matrix implies it.
        p: the number of processor bits, 0 <= p <= n.
        c: the complement of y = A x + c.
        layout: the layout of the data, f:K; the default is processor-major.

    Returns:
        The factorization. `V`, `W`, `T`, `R` and `Pi` are affine maps, whose `matrix` has their
        bits; `messages(rank)` lists the ranks that a rank sends to.

    Raises:
        ValueError: A is singular (the error names rows that add up to zero) or not accepted by
            `permutation`, or p is out of range.

    References:
        Cormen (1997), section 4; for f:K section 6.

    Examples:
        >>> f = factor("bit-reversal", n=4, p=2)
        >>> f.rounds, f.rank_gamma, (f.V @ f.W).columns == f.A.columns
        (4, 2, True)
        >>> factor([[1, 1], [1, 1]], p=1)
        Traceback (most recent call last):
        ValueError: the 2 x 2 matrix is singular over GF(2): rows 0, 1 add up to zero
    """
    found, p = permutation(A, n, c), integer(p, "p")
    if layout:
        stored = layouts.named(layout, 1 << found.bits, 1 << p)
        found = stored.address @ found @ stored.address.inverse()
    factored = bmmc.factor(found, p)
    return Factorization(found, p, factored.trailer, factored.reducer, factored.swapper)


@needs_arguments
def recognize(targets: ArrayLike | str | Path) -> Affine | Witness:
    """Return A and c of a permutation that is BMMC, or a witness that it is not.

    A permutation is BMMC if y = A x ⊕ c over GF(2) for the bits x of each index.

    Args:
        targets: the target of each of the 2^n indices, an array or the path of a .npy file, which
            is read in pieces.

    Returns:
        An affine map with `A` and `c`, or a `Witness`, which has an index `x` whose target
        contradicts the others.

    Raises:
        ValueError: the targets are not 2^n integers from 0 to 2^n - 1.
        OSError: the file cannot be read.

    References:
        Cormen (1997), section 2.

    Examples:
        >>> found = recognize([0, 4, 2, 6, 1, 5, 3, 7])
        >>> found.A.tolist(), found.c
        ([[0, 0, 1], [0, 1, 0], [1, 0, 0]], 0)
        >>> print(recognize([0, 1, 2, 3, 4, 5, 7, 6]))
        not BMMC: index 6 goes to 7, but the targets of 0 + 2 + 4 make it 6
    """
    given = _read(Path(targets)) if isinstance(targets, str | Path) else np.asarray(targets)
    return recognized(given)


def _read(file: Path) -> NDArray[Any]:
    """Return the array in a file, as a memory map."""
    try:
        targets = np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        with file.open("rb") as opened:
            begun = opened.read(len(MAGIC_PREFIX)) == MAGIC_PREFIX
        why = str(error) if begun else "it does not begin as one"
        raise ValueError(f"{file}: cannot be read as a .npy file: {why}") from error
    if not isinstance(targets, np.ndarray):
        raise ValueError(
            f"{file}: an archive of arrays: a permutation is one array, in a .npy file"
        )
    return targets
