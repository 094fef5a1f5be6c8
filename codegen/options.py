"""What is chosen of a program apart from its supersteps, and the command that says so."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from codegen.emit import hartley
from codegen.program.hartley import ALGORITHMS, Hartley
from codegen.program.lower import FORMULA, default_output
from codegen.program.supersteps import Program
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bmmc import NAMED, named
from derive.papers.hartley_layouts import HalfSpectrum

DIRECTIONS = ("forward", "backward")
NORMS = ("backward", "ortho", "forward")
KERNELS = ("numpy", "numba", "pyfftw", "gray")
KERNELS_OF = {
    "permute": ("numpy", "numba", "gray"),
    "fft": ("numpy", "numba", "pyfftw"),
    "fht": ("numpy", "numba"),
    "hypercube-fft": ("numpy", "numba"),
}
"""The kernels of the systems that have others than numpy's."""
BUTTERFLY_KERNELS = ("numpy", "numba")
"""The kernels that generalized butterflies are written for."""
DTYPES = ("complex128", "complex64")
"""Of a Fourier transform; a permutation takes every dtype of fixed size."""


@dataclass(frozen=True)
class Options:
    """What is chosen apart from the supersteps; raises ValueError for an unknown value."""

    direction: str = "forward"
    norm: str = "backward"
    kernels: str = "numpy"
    exchange: str = "alltoall"
    dtype: str = "complex128"
    result: str = "hartley"
    convolve: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (
            ("direction", self.direction, DIRECTIONS),
            ("norm", self.norm, NORMS),
            ("kernels", self.kernels, KERNELS),
        ):
            if value not in known:
                raise ValueError(f"unknown {name} {value!r}: choose from {', '.join(known)}")


def kernels_of(system: str) -> tuple[str, ...]:
    """Return the kernels that programs of a system can have.

    >>> kernels_of("permute")
    ('numpy', 'numba', 'gray')
    """
    return KERNELS_OF.get(system, KERNELS[:1])


def fixed_size(name: DTypeLike) -> np.dtype[Any]:
    """Return the dtype that numpy gives a name, or what else it takes for one: float64, complex64,
    S5, "i4,f8" for a record.

    Raises ValueError for no dtype, one of Python objects, and one without bytes.

    >>> fixed_size("i4,f8").itemsize
    12
    """
    if name is None:
        raise ValueError("no dtype: elements have one, which numpy would take for float64")
    try:
        dtype = np.dtype(name)
    except (TypeError, ValueError, SyntaxError) as error:
        raise ValueError(
            f"unknown dtype {str(name)!r}: one that numpy knows by name, such as float64 or i4,f8"
        ) from error
    if dtype.hasobject or dtype.itemsize == 0 or dtype.shape:
        raise ValueError(
            f"dtype {str(name)!r} of {dtype.itemsize} bytes holds objects, nothing or an array: an"
            " element has a fixed number of bytes and no shape"
        )
    return dtype


def default_dtype(system: str) -> str:
    """Return the type that a system takes where none is named."""
    return hartley.DTYPES[0] if system == "fht" else DTYPES[0]


def scale_of(N: int, options: Options) -> str:
    """Return the factor on the result as an expression in N (numpy's norms)."""
    whole = "backward" if options.direction == "backward" else "forward"
    return {whole: "1 / N", "ortho": "N**-0.5"}.get(options.norm, "1")


def command(program: Program, options: Options) -> str:
    """Return the command that makes this program.

    >>> from codegen.program.lower import build
    >>> command(build("fft", 16, 2, "cyclic"), Options())
    'nodewright generate fft --size 16 --ranks 2 --input cyclic'
    """
    own = program.equation.name == FORMULA
    what = (
        f"--formula {shlex.quote(f'F_{program.N} = {program.equation.source}')}"
        if own
        else program.system
    )
    words = [f"nodewright generate {what} --size {program.N} --ranks {program.P}"]
    words += [
        f"--{name} {value}"
        for name in ("scheme", "phases", "local")
        if (value := getattr(program, name))
    ]
    if isinstance(program.equation.left, Bmmc):
        words.append(_stated(program.equation.left))
    words += [
        f"--algorithm {step.algorithm}"
        for step in program.steps
        if isinstance(step, Hartley) and step.algorithm != ALGORITHMS[0]
    ]
    names = {
        "input": (program.input.name, "block"),
        "output": (program.output.name, default_output(program.system, program.input.name)),
    }
    words += [
        f"--{name} {shlex.quote(layout)}"
        for name, (layout, default) in names.items()
        if layout not in (default, HalfSpectrum.name)
    ]
    default = Options(dtype=default_dtype(program.system))
    words += [
        f"--{name} {shlex.quote(value)}"
        for name, value in vars(options).items()
        if name != "convolve" and value != getattr(default, name)
    ]
    return " ".join(words + ["--convolve"] * options.convolve)


def _stated(permutation: Bmmc) -> str:
    """Return the options that state a permutation."""
    named_permutation = permutation.name.partition(":")[0] in (*NAMED, "transpose")
    c = permutation.address.c ^ (
        named(permutation.name, permutation.address.bits).c if named_permutation else 0
    )
    by = (
        f"--name {permutation.name}"
        if named_permutation
        else f"--matrix {shlex.quote(permutation.name)}"
    )
    return by + (f" --complement {c}" if c else "")
