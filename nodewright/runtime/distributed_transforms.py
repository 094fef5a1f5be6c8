"""Distributed transforms for an mpi4py program of your own.

    import nodewright as nw

    with nw.FFT(comm, 2**20, output="cyclic") as fft:
        y = fft.forward(x)      this rank's part in, this rank's part out
        x = fft.backward(y)     and back

They run the programs that `nodewright generate` writes for this size and this number of ranks. The
programs are cached in the user's cache folder with what they compile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

from codegen import shapes
from codegen.requests import make_request
from codegen.systems import dct, fft, fht, ntt, rfft, wht
from codegen.systems.record import Request, System
from nodewright.api.call_options import Calling, Layouts, describe, known, of_calls
from nodewright.runtime.distributed import Transform


class OfSystem(Transform):
    """A transform of a system on the ranks of a communicator."""

    _record: ClassVar[System]

    def __init__(
        self,
        comm: Any,
        N: int | Sequence[int],
        input: Layouts = "block",
        output: Layouts = "",
        **options: Unpack[Calling],
    ) -> None:
        def asked(P: int) -> Request:
            words = known({**options}, of_calls(self._record), self._record.name.upper())
            sizes = shapes.of_ranks(N, P, words.pop("grid", None), words.pop("batch", None))
            return make_request(self._record.name, input=input, output=output, **sizes, **words)

        super().__init__(comm, asked)


@describe(fft.FFT, of_calls)
class FFT(OfSystem):
    """The discrete Fourier transform on the ranks of a communicator: y = F_N x, and its inverse.

    The conventions are those of numpy.fft. `forward` computes y[k] = sum over j of x[j] exp(-2 pi i
    jk/N). `backward` computes x[j] = 1/N times the sum over k of y[k] exp(2 pi i jk/N). An array is
    transformed along each axis. norm="ortho" scales both by 1/sqrt(N), norm="forward" scales
    `forward` by 1/N and `backward` by 1.

    Args:
        comm: a communicator of mpi4py; None is one rank, without MPI. Collective.
        N: the number of elements, or the shape of an array, as a tuple or "64x48". Any
            size works on any number of ranks if its axes are `block`, `balanced` or `whole`. Other
            layouts work for one axis if N and P are powers of two with P < N, and for any axes if
            P^2 divides each distributed axis on P ranks; otherwise the error suggests what works
            (docs/how-to/arrays.md).
        input, output: the layouts of x and y: `block`, `balanced`, `cyclic`, `group-cyclic:R`, or
            for powers of two any layout of `nodewright layout`. For several axes one name for all,
            or one for each: `cyclic,whole,block` or ("cyclic", "whole", "block").
        options: keywords, all with defaults.

    Examples:
        >>> from nodewright import FFT
        >>> with FFT(None, 8) as fft:
        ...     fft.forward([1] * 8).real
        array([8., 0., 0., 0., 0., 0., 0., 0.])
        >>> with FFT(None, (3, 5), batch=2) as fft:
        ...     fft.local_shape, fft.dtype
        ((2, 3, 5), dtype('complex128'))
    """

    _record = fft.FFT


@describe(rfft.RFFT, of_calls)
class RFFT(OfSystem):
    """The Fourier transform of real elements on the ranks of a communicator.

    Of an array of several axes `forward` is numpy.fft.rfftn along `axes`, and `backward` is irfftn
    with the lengths of x: the last of these axes has n//2 + 1 complex numbers in y. So it is for
    batches, and for one axis with result="spectrum". Otherwise, of one axis of even length N,
    `forward` gives the half spectrum X[0], .., X[N/2] as N real numbers: y[2m] +
    i y[2m + 1] = X[m] for 0 < m < N/2, y[0] = X[0], y[1] = X[N/2], so that `y.view(complex)` is
    this rank's part as complex numbers. X[k] is the sum over j of x[j] exp(-2 pi i jk/N), and
    `backward` divides by N.

    Args:
        comm: a communicator of mpi4py; None is one rank, without MPI. Collective.
        N: the shape of a real array, or the number of elements of one axis: any lengths on any
            number of ranks. Without result="spectrum", the square of the number of ranks divides
            N/2 for one axis, or both are powers of one prime.
        input, output: the layouts of x and y: `block`, `balanced` or `whole` axes; for N
            real numbers `block`, or `cyclic-pairs`, which has elements 2m and 2m + 1 on rank m mod
            P.
        options: keywords, all with defaults.

    Examples:
        >>> from nodewright import RFFT
        >>> with RFFT(None, (3, 5)) as rfft:
        ...     rfft.forward([[1] * 5] * 3).real.round(9).tolist()
        [[15.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        >>> with RFFT(None, 6) as rfft:
        ...     rfft.forward([1, 0, 0, 0, 0, 0])
        array([1., 1., 1., 0., 1., 0.])
    """

    _record = rfft.RFFT


@describe(fht.FHT, of_calls)
class FHT(OfSystem):
    """The discrete Hartley transform of real numbers on the ranks of a communicator: y = H_N x.

    `forward` computes y[k] = sum over j of x[j] (cos(2 pi jk/N) + sin(2 pi jk/N)). `backward` is
    the same transform, divided by N.

    Args:
        comm: a communicator of mpi4py; None is one rank, without MPI. Collective.
        N: the number of elements, or the shape of an array that is transformed along each axis.
            One vector of a power of two has at least 4 P elements.
        input: the layout of x, `block` or any other.
        output: the layout of y: `hartley`, in which the transform leaves it, or any other. Arrays
            of several axes, batches, and sizes other than powers of two have the layouts of
            `FFT`.
        options: keywords, all with defaults.

    Examples:
        >>> from nodewright import FHT
        >>> with FHT(None, 8) as fht:
        ...     fht.backward(fht.forward(range(8))).round(3)
        array([0., 1., 2., 3., 4., 5., 6., 7.])
        >>> with FHT(None, (3, 5), batch=2) as fht:
        ...     fht.local_shape
        (2, 3, 5)
    """

    _record = fht.FHT


@describe(wht.WHT, of_calls)
class WHT(OfSystem):
    """The Walsh-Hadamard transform on the ranks of a communicator: y = (F_2 ⊗ .. ⊗ F_2) x.

    `forward` computes y[k] = sum over j of (-1)^(bits that j and k have in common) x[j]. `backward`
    is the same transform, divided by N.

    Args:
        comm: a communicator of mpi4py; None is one rank, without MPI. Collective.
        N: the number of elements, a power of two, at least two for each rank.
        options: keywords, all with defaults.

    Examples:
        >>> from nodewright import WHT
        >>> with WHT(None, 4) as wht:
        ...     wht.forward([1, 2, 3, 4]).tolist()
        [10.0, -2.0, -4.0, 0.0]
    """

    _record = wht.WHT


@describe(ntt.NTT, of_calls)
class NTT(OfSystem):
    """The number-theoretic transform of integers modulo a prime p on the ranks of a communicator.

    `forward` computes y[k] = sum over j of w^(jk) x[j] modulo p, w a root of unity of order N.
    `backward` is its inverse. Results are integers from 0 to p - 1, without rounding.

    Args:
        comm: a communicator of mpi4py; None is one rank, without MPI. Collective.
        N: the number of elements, a divisor of p - 1 without a prime factor above 1024: the square
            of the number of ranks divides it, or both are powers of one prime.
        options: keywords; `modulus`, the prime p below 2^31, has no default.

    Raises:
        ValueError: as for `FFT`; an element outside 0 to p - 1, on its rank.
        RuntimeError: MPI makes no further communicator.

    Examples:
        >>> from nodewright import NTT
        >>> with NTT(None, 4, modulus=17) as ntt:
        ...     ntt.forward([1, 2, 3, 4]).tolist(), ntt.backward([10, 6, 15, 7]).tolist()
        ([10, 6, 15, 7], [1, 2, 3, 4])
    """

    _record = ntt.NTT


@describe(dct.DCT, of_calls)
class DCT(OfSystem):
    """The discrete cosine transform on the ranks of a communicator, as scipy.fft.dctn has it.

    `forward` computes, along each axis of n elements, for type 2 y[k] = 2 sum over j of x[j] cos(pi
    k (2j + 1)/2n), for type 3 y[k] = x[0] + 2 sum over j > 0 of x[j] cos(pi j (2k + 1)/2n).
    `backward` is the inverse, scipy.fft.idctn: the other type, divided by 2n.

    Args:
        comm: a communicator of mpi4py; None is one rank, without MPI. Collective.
        N: the number of real elements, or the shape of an array: any lengths on any number of
            ranks.
        options: keywords, all with defaults.

    Examples:
        >>> from nodewright import DCT
        >>> with DCT(None, 2) as dct:
        ...     dct.forward([1, 2]).round(3).tolist()
        [6.0, -1.414]
    """

    _record = dct.DCT


@describe(dct.DST, of_calls)
class DST(OfSystem):
    """The discrete sine transform on the ranks of a communicator, as scipy.fft.dstn has it.

    `forward` computes, along each axis of n elements, for type 2 y[k] = 2 sum over j of x[j] sin(pi
    (k + 1) (2j + 1)/2n), for type 3 y[k] = (-1)^k x[n-1] + 2 sum over j < n - 1 of x[j] sin(pi (j +
    1) (2k + 1)/2n). `backward` is the inverse, scipy.fft.idstn.

    Args:
        comm, N: as for `DCT`.
        options: keywords, all with defaults.

    Examples:
        >>> from nodewright import DST
        >>> with DST(None, 2) as dst:
        ...     dst.forward([1, 2]).round(3).tolist()
        [4.243, -2.0]
    """

    _record = dct.DST
