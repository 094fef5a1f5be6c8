"""Programs, and their texts."""

from functools import cache
from types import ModuleType

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc


def build(*stated, **more):
    """Return the program that a request asks for."""
    return resolve(make_request(*stated, **more))


def spec_of(formula, P, *stated, **more):
    """Return the request for a program of a formula of one's own."""
    return make_request("fft", formula.size, P, *stated, formula=formula, **more)


@cache
def fft(N=16, P=4, *stated, **more):
    """Return the text of a Fourier transform."""
    return emit(resolve(make_request("fft", N, P, *stated, **more)))


def small(exchange="alltoall", kernels="numpy"):
    """Return the text of a Fourier transform of 16 numbers on two ranks."""
    return fft(16, 2, exchange=exchange, kernels=kernels)


@cache
def permute(
    name, N, P, before="block", after="block", exchange="alltoall", dtype="float64", **more
):
    """Return the text of a named permutation."""
    moved = Bmmc(bmmc.named(name, N.bit_length() - 1), name)
    return emit(
        resolve(make_request("permute", N, P, before, after, exchange, moved, dtype=dtype, **more))
    )


@cache
def hypercube(N, P, scheme, before="bit-reversed", after="scrambled", **more):
    """Return the text of a Fourier transform on a hypercube."""
    return emit(resolve(make_request("hypercube-fft", N, P, before, after, scheme=scheme, **more)))


@cache
def fht(N, P, before="block", after="", exchange="alltoall", algorithm="", **more):
    """Return the text of a Hartley transform."""
    return emit(
        resolve(make_request("fht", N, P, before, after, exchange, algorithm=algorithm, **more))
    )


def headless(text):
    """Return a program without its docstring, which says what a change may belie."""
    _, quotes, rest = text.partition('\n"""\n')
    assert quotes
    return rest.lstrip()


def module_of(text):
    """Return the module of a program, imported but not run."""
    module = ModuleType("program")
    exec(compile(text, "program.py", "exec"), module.__dict__)
    return module
