"""What the documented algorithms of other libraries send for an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Documented:
    """What a library sends for an array, by the algorithm that it documents."""

    name: str
    exchanges: int
    words: int
    result: str


def documented(request: Any) -> tuple[Documented, ...]:
    """Return what FFTW's MPI part and mpi4py-fft send for an array of several axes that they cut
    into equal parts, a word being an element; they are not run.

    FFTW cuts the first axis and transposes, and back where the result is not left transposed (its
    manual, Transposed distributions). mpi4py-fft's PFFT has one redistribution for each cut axis
    among the ranks of that axis, one axis is whole, and the result lies on other axes (Dalcin,
    Mortensen & Keyes 2019).

    >>> from codegen.requests import make_request
    >>> for each in documented(make_request("fft", 64**3, 4, shape=(64, 64, 64), grid=(2, 2, 1))):
    ...     print(each.name, each.exchanges, each.words)
    FFTW-MPI 2 98304
    FFTW-MPI 1 49152
    mpi4py-fft 2 65536
    """
    if request.unequal:
        return ()
    M, P, shape = request.M, request.P, request.shape
    cut, found = [p for p in request.grid if p > 1], list[Documented]()
    if len(shape) > 1 and P > 1 and shape[0] % P == shape[1] % P == 0:
        for times, result in ((2, "in slabs of the first axis"), (1, "transposed")):
            found.append(Documented("FFTW-MPI", times, times * (M - M // P), result))
    if 0 < len(cut) < len(shape):
        sent = sum(M - M // p for p in cut)
        found.append(Documented("mpi4py-fft", len(cut), sent, "on other axes"))
    return tuple(found)
