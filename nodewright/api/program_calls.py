"""Programs: a system, or a factorization of one's own, for N elements on P ranks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Unpack

from codegen import shapes
from codegen.systems.dct import DCT, DST
from codegen.systems.fft import FFT
from codegen.systems.fht import FHT
from codegen.systems.formula import OF_OWN
from codegen.systems.hypercube_fft import HYPERCUBE_FFT
from codegen.systems.ntt import NTT
from codegen.systems.permute import PERMUTE
from codegen.systems.rfft import RFFT
from codegen.systems.wht import WHT
from derive import call_arguments
from derive.formula.grammar import Formula
from derive.formula.permutation_matrices import Bmmc
from derive.lazy import lazily
from nodewright.api import permutation_calls
from nodewright.api.call_options import Options, describe, of_programs
from nodewright.api.equations import Statement as Equation
from nodewright.api.equations import Value, Values, stated_values
from nodewright.api.permutation_calls import PermutationLike
from nodewright.node_program import Program, transform
from nodewright.own_formulas import own_program, refuse_system

if TYPE_CHECKING:
    from nodewright.api import derivation_calls
else:
    derivation_calls = lazily("nodewright.api.derivation_calls")

Size = int | str
"""1024, or as on the command line: "2^10"."""
Sizes = Size | Sequence[int]
Stated: TypeAlias = "Equation | Formula | derivation_calls.Derivation"


@describe(FFT)
def fft(size: Sizes, ranks: Sizes, **options: Unpack[Options]) -> Program:
    """Return an MPI program for the discrete Fourier transform y = F_N x.

    Args:
        size: the number of elements, or the shape of an array: 1024, "2^10", (64, 48), "64x48".
        ranks: the number of ranks, or a grid with the axes of the array: 4, (4, 2), "4x2".
        options: keywords, those of `nodewright generate fft`. The layout of an array is one name
            for all axes or one per axis: ("block", "whole") or "block,whole".

    Examples:
        >>> p = fft(1024, 4, input="cyclic", output="cyclic", kernels="numba")
        >>> p.cost().exchanges, p.text.splitlines()[0][3:40]
        (1, 'Discrete Fourier transform of N = 102')
        >>> fft("64x48x32", 8, input="cyclic", output="cyclic").cost().exchanges
        1
    """
    return transform(FFT.name, size, ranks, {**options})


@describe(HYPERCUBE_FFT)
def hypercube_fft(size: Size, ranks: Size, **options: Unpack[Options]) -> Program:
    """Return an MPI program for the FFT by exchanges between neighbours of a hypercube.

    Args:
        size: the number of elements, a power of two.
        ranks: the number of ranks, a power of two.
        options: keywords, those of `nodewright generate hypercube-fft`.

    Examples:
        >>> hypercube_fft(1024, 4, scheme=2, output="scrambled").request.scheme
        '2'
    """
    words = {**options, "scheme": call_arguments.digits(options.get("scheme", ""), "scheme")}
    return transform(HYPERCUBE_FFT.name, size, ranks, words)


@describe(FHT)
def fht(size: Sizes, ranks: Sizes, **options: Unpack[Options]) -> Program:
    """Return an MPI program for the Hartley transform y = H_N x of real elements.

    An array is transformed along each axis: H_m ⊗ H_n.

    Args:
        size: the number of elements, or the shape of an array, as for `fft`.
        ranks: the number of ranks, or a grid, as for `fft`.
        options: keywords, those of `nodewright generate fht`.

    Examples:
        >>> fht(1024, 4).request.output, fht(1000, 2, batch=6).request.output
        ('hartley', 'block')
        >>> fht("64x48", 2).cost().exchanges
        2
    """
    return transform(FHT.name, size, ranks, {**options})


@describe(RFFT)
def rfft(size: Sizes, ranks: Sizes, **options: Unpack[Options]) -> Program:
    """Return an MPI program for the Fourier transform of real elements.

    Of one axis of even length N the result is the half spectrum X[0] .. X[N/2] as N real numbers:
    y[2m] + i y[2m + 1] = X[m] for 0 < m < N/2, y[0] = X[0] and y[1] = X[N/2]. With
    result="spectrum" it is the N//2 + 1 complex numbers of numpy.fft.rfft, of any N on any number
    of ranks. Several axes and batches always have numpy's spectrum. Direction backward transforms
    it back.

    Args:
        size: the number of elements, or the shape of an array, as for `fft`.
        ranks: the number of ranks, or a grid, as for `fft`.
        options: keywords, those of `nodewright generate rfft`. The layouts are block and
            cyclic-pairs, of a spectrum block, balanced and whole axes.

    Examples:
        >>> rfft(1000, 2, output="cyclic-pairs").cost().exchanges
        2
    """
    return transform(RFFT.name, size, ranks, {**options})


@describe(DCT)
def dct(size: Sizes, ranks: Sizes, **options: Unpack[Options]) -> Program:
    """Return an MPI program for the discrete cosine transform of type 2 or 3, as scipy.fft has it.

    Args:
        size: the number of real elements, or the shape of an array, as for `fft`.
        ranks: the number of ranks, or a grid, as for `fft`.
        options: keywords, those of `nodewright generate dct`.

    Examples:
        >>> dct(1000, 3, type=3).text.splitlines()[2].strip()
        'y = C3_1000 x,   C3_n[k, j] = 2 cos(pi (2 k + 1) j / 2 n),   C3_n[k, 0] = 1'
    """
    return transform(DCT.name, size, ranks, {**options})


@describe(DST)
def dst(size: Sizes, ranks: Sizes, **options: Unpack[Options]) -> Program:
    """Return an MPI program for the discrete sine transform of type 2 or 3, as scipy.fft has it.

    Args:
        size: the number of real elements, or the shape of an array, as for `fft`.
        ranks: the number of ranks, or a grid, as for `fft`.
        options: keywords, those of `nodewright generate dst`.

    Examples:
        >>> dst("8x6", 2).cost().exchanges
        2
    """
    return transform(DST.name, size, ranks, {**options})


@describe(WHT)
def wht(size: Size, ranks: Size, **options: Unpack[Options]) -> Program:
    """Return an MPI program for the Walsh-Hadamard transform y = (F_2 ⊗ .. ⊗ F_2) x.

    Args:
        size: the number of elements, a power of two.
        ranks: the number of ranks, a power of two, at most half the number of elements.
        options: keywords, those of `nodewright generate wht`.

    Examples:
        >>> wht(1024, 4, output="cyclic").cost().words
        192
    """
    return transform(WHT.name, size, ranks, {**options})


@describe(NTT)
def ntt(size: Size, ranks: Size, **options: Unpack[Options]) -> Program:
    """Return an MPI program for the number-theoretic transform y_k = sum_j w^(jk) x_j modulo p.

    The elements are int64, from 0 to p - 1. Direction backward is the inverse.

    Args:
        size: the number of elements N, a divisor of p - 1 without a prime factor above 1024.
        ranks: the number of ranks P: P² divides N, or both are powers of one prime with P < N.
        options: keywords, those of `nodewright generate ntt`. `modulus` is the prime p, and `root`
            is w, a root of unity of order N modulo p.

    Examples:
        >>> program = ntt(64, 4, modulus=193, output="cyclic")
        >>> program.request.root, program.cost().exchanges
        ('125', 2)
    """
    return transform(NTT.name, size, ranks, {**options})


@describe(PERMUTE)
def permute(
    size: Size,
    ranks: Size,
    name: str | None = None,
    *,
    matrix: PermutationLike | None = None,
    complement: int = 0,
    **options: Unpack[Options],
) -> Program:
    """Return an MPI program for a BMMC permutation, y[A j + c] = x[j], by its name or matrix.

    Args:
        size: the number of elements, a power of two.
        ranks: the number of ranks, a power of two.
        name: the name of a permutation, such as "bit-reversal" or "transpose:3".
        matrix: the bit matrix A: an array, its columns as integers, or the path of its file.
        complement: the complement c, an integer.
        options: keywords, those of `nodewright generate permute`.

    Examples:
        >>> permute(1024, 4, "bit-reversal", dtype="float64").cost().messages
        3
    """
    n = permutation_calls.index_bits(size)
    stated = permutation_calls.one_of(matrix, name)
    address = permutation_calls.permutation(stated, n, complement)
    title = stated if isinstance(stated, str) else "A"
    if isinstance(stated, Path):  # no file is taken for a name
        title = f"{stated}" if stated.is_absolute() else f"./{stated}"
    permutation = Bmmc(address, title)
    return transform(PERMUTE.name, size, ranks, {**options}, permutation=permutation)


@describe(OF_OWN)
def program(
    statement: Stated, N: Sizes, P: Sizes, /, *, set: Values = "", **values: Value
) -> Program:
    """Return an MPI program for a formula of your own; its supersteps follow the factors.

    Args:
        statement: an equation F(N) = .. or F(m) (x) F(n) = .. (a Fourier transform), a derivation
            (its last formula), or any other equation or formula (its right side is computed).
        N: the number of elements, or the shape of the array.
        P: the number of ranks, or a grid with the axes of the array.
        set: the values of symbols, as {"r": 8} or "r=8".
        values: the same, as keywords: those that are not listed here.
        options: keywords, those of `nodewright generate --formula`.

    Raises:
        ValueError: a factor cannot be lowered, the size is another, or the equation does not hold.

    Examples:
        >>> p = program("F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)", 64, 4, r=8, s=8)
        >>> p.check().holds, p.cost().exchanges
        (True, 3)
        >>> program("inv(F(n)) * diag(j < n, j/n) * F(n)", 64, 4, set="n=64").request.formula
        inv(F_64) diag(j < 64, j/64) F_64
        >>> try:
        ...     program("F(N) = I(N)", 64, 4)
        ... except ValueError as error:
        ...     print(str(error)[:39])
        refuted: F_64 = I_64: entry (1, 0) is 1
    """
    refuse_system(statement, N, P)
    words = {o.name: values.pop(o.name) for o in of_programs(OF_OWN) if o.name in values}
    stated = statement.equation if isinstance(statement, derivation_calls.Derivation) else statement
    sizes = shapes.stated(N, P, words.get("batch"))
    system, own = own_program(stated, stated_values(values, set), sizes)
    found = transform(system, N, P, words, formula=own)
    found.lowered  # noqa: B018  which raises if a factor cannot be lowered
    return found
