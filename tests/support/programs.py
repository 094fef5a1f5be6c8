"""Texts of programs, with the options of the emitter."""

from functools import cache
from types import ModuleType

from codegen.emit.text import emit
from codegen.options import Options
from codegen.program.lower import build
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc


@cache
def fft(N=16, P=4, before="block", after="block", exchange="alltoall", **options):
    """Return the text of a Fourier transform."""
    return emit(build("fft", N, P, before, after, exchange), Options(exchange=exchange, **options))


def small(exchange="alltoall", kernels="numpy"):
    """Return the text of a Fourier transform of 16 numbers on two ranks."""
    return fft(16, 2, exchange=exchange, kernels=kernels)


def permute(
    name, N, P, before="block", after="block", exchange="alltoall", dtype="float64", **options
):
    """Return the text of a named permutation."""
    moved = Bmmc(bmmc.named(name, N.bit_length() - 1), name)
    return emit(
        build("permute", N, P, before, after, exchange, moved),
        Options(exchange=exchange, dtype=dtype, **options),
    )


def hypercube(N, P, scheme, before="bit-reversed", after="scrambled", **options):
    """Return the text of a Fourier transform on a hypercube."""
    return emit(build("hypercube-fft", N, P, before, after, scheme=scheme), Options(**options))


def fht(N, P, before="block", after="", exchange="alltoall", algorithm="", **options):
    """Return the text of a Hartley transform."""
    return emit(
        build("fht", N, P, before, after, exchange, algorithm=algorithm),
        Options(exchange=exchange, **{"dtype": "float64"} | options),
    )


def module_of(text):
    """Return the module of a program, imported but not run."""
    module = ModuleType("program")
    exec(compile(text, "program.py", "exec"), module.__dict__)
    return module
