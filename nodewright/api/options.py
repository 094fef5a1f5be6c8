"""The options of the programs of each system, and of calls that run them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from numpy.typing import DTypeLike

from derive.arguments import perhaps

Layouts = str | Sequence[str]
"""A layout by its name, or one for each axis: "cyclic,block", ("cyclic", "block")."""


class Running(TypedDict, total=False):
    """The options of a permutation that say how it runs."""

    kernels: str
    exchange: str


class Calling(Running, total=False):
    """The options that every transform takes when it is called."""

    norm: str
    dtype: DTypeLike


class Options(Calling, total=False):
    """The options that the program of every system takes."""

    input: Layouts
    output: Layouts
    direction: str


class _Fourier(TypedDict, total=False):
    phases: str
    local: str


class _Arrays(TypedDict, total=False):
    batch: int


class _Grid(TypedDict, total=False):
    grid: Sequence[int]


class _Hartley(TypedDict, total=False):
    algorithm: str


class FourierOptions(Options, _Fourier, _Arrays, total=False):
    """The options of fft."""


class OwnOptions(Options, _Arrays, total=False):
    """The options of a factorization of one's own."""


class HypercubeOptions(Options, total=False):
    """The options of hypercube-fft."""

    scheme: str | int


class HartleyOptions(Options, _Hartley, _Arrays, total=False):
    """The options of fht."""

    result: str
    convolve: bool


class FourierCalling(Calling, _Fourier, _Arrays, _Grid, total=False):
    """The options of `nw.FFT`."""


class HartleyCalling(Calling, _Hartley, _Arrays, _Grid, total=False):
    """The options of `nw.FHT`."""


LAID_OUT = ("FFT", "RFFT", "FHT", "Permutation")
"""The classes whose parameters input and output are not in a record of options."""


def known(options: dict[str, Any], kind: Any, of: str, others: frozenset[str] = frozenset()) -> Any:
    """Return options; raise ValueError for one that neither this kind nor others have.

    >>> known({"color": "red"}, Running, "permute")
    Traceback (most recent call last):
    ValueError: unknown option color: the options of permute are kernels, exchange
    """
    names = [*kind.__annotations__]
    if of in LAID_OUT:
        names = ["input", "output", *names]
    for name in options:
        if name not in {*names, *others}:
            near = perhaps(name, {*names, *others})
            raise ValueError(
                f"unknown option {name}{near}: the options of {of} are {', '.join(names)}"
            )
    return options
