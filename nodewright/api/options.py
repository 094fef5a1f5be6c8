"""The options of the programs of each system."""

from __future__ import annotations

from typing import TypedDict


class Options(TypedDict, total=False):
    """What every system has."""

    input: str
    output: str
    direction: str
    norm: str
    kernels: str
    exchange: str
    dtype: str


class FourierOptions(Options, total=False):
    """What fft has."""

    phases: str
    local: str


class HypercubeOptions(Options, total=False):
    """What hypercube-fft has."""

    scheme: str


class HartleyOptions(Options, total=False):
    """What fht has."""

    algorithm: str
    result: str
    convolve: bool
