"""`ntt`: the number-theoretic transform y_k = sum_j w^(jk) x_j of residues modulo a prime p, w a
root of unity of order N (Pollard 1971); sizes other than 2^n are split into any digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from codegen import shapes
from codegen.program.digits.lower import lowered
from codegen.program.digits.routes.route_search import Ends
from codegen.program.digits.transformed import Numbers
from codegen.program.meaning import interpret
from codegen.program.protocol import ELEMENT, Step
from codegen.program.stages.modular import of_residues
from codegen.program.supersteps import Program
from codegen.program.whole import of_arrays
from codegen.systems.exchanges import EXCHANGES, OF_TRADES, SHARED
from codegen.systems.fft import of_vector, rests_on
from codegen.systems.options import NORMS, NUMBA, NUMPY
from codegen.systems.record import OfArrays, Option, Progress, Request, Stated, System
from derive.call_arguments import named
from derive.digits.digit_layouts import NAMES
from derive.digits.radices import prime_factors
from derive.exact.residues import Residues
from derive.fields import RootField, is_prime, is_primitive, least_primitive_root
from derive.formula.transforms import F
from derive.sizes import Sizes
from derive.verdict import Checked, Refuted, Verdict

SIZES = Sizes("ntt", lambda N, P: P < N, "ntt needs P < N")
PAPER = "Pollard 1971, The fast Fourier transform in a finite field"
LARGEST = 2**31
"""Moduli are below this, so that the products of two residues fit 64 bits."""
LARGEST_RADIX = 2**10
"""Prime factors of sizes are below this: a transform of a prime number of points is done by its
definition.
"""
EVERY_ENTRY = 2**10
"""Up to this N all entries are compared over GF(p)."""
MODULUS = Option(
    "modulus",
    "p",
    "Prime modulus of ntt, below 2^31; the size N must divide p - 1.",
    only=False,
    computes=True,
)
ROOT = Option(
    "root",
    "w",
    "Root of unity of order N modulo p (ntt); the default is g^((p-1)/N) with the least primitive"
    " root g, as in galois.",
    only=False,
    computes=True,
)


def settle(request: Request) -> dict[str, str]:
    """Return modulus and root as decimals; raise ValueError for those that are none."""
    p, N = _number(request, "modulus"), request.N
    if p >= LARGEST or not is_prime(p):
        raise ValueError(f"{named('modulus')} must be a prime below 2^31; got {p}{_near(p, N)}")
    if (p - 1) % N:
        raise ValueError(
            f"the size must divide p - 1; got size {N} and {named('modulus')} {p}{_near(p, N)}"
        )
    if not request.root:
        return {"modulus": str(p), "root": str(pow(least_primitive_root(p), (p - 1) // N, p))}
    w = _number(request, "root")
    if not (0 < w < p and is_primitive(w, N, p)):
        usual = settle(replace(request, root=""))["root"]
        raise ValueError(
            f"{named('root')} must be a root of unity of order {N} modulo {p}; got {w}; leave it"
            f" out for {usual}"
        )
    return {"modulus": str(p), "root": str(w)}


def _number(request: Request, name: str) -> int:
    value = getattr(request, name)
    if not value.isascii() or not value.isdecimal():
        got = repr(value) if value else "none"
        better = _near(0, request.N) if name == "modulus" else "; leave it out for the default root"
        raise ValueError(f"ntt needs {named(name)}, a positive integer; got {got}{better}")
    return int(value)


def _near(p: int, N: int) -> str:
    """Return a prime that works, the next one if there is one below 2^31, else the largest."""
    first, last = max(min(p, LARGEST), N) // N, (LARGEST - 2) // N
    above, below = (
        (k * N + 1 for k in range(first, last + 1)),
        (k * N + 1 for k in range(last, 0, -1)),
    )
    found = next((q for each in (above, below) for q in each if q > 2 and is_prime(q)), 0)
    return f"; try {found}" if found else f"; no prime below 2^31 works for size {N}"


def check(request: Request) -> None:
    """Raise ValueError for a norm that residues do not have."""
    if request.norm != NORMS[0]:
        raise ValueError(
            f"ntt supports {named('norm')} {NORMS[0]} alone, where the inverse divides by N; got"
            f" {request.norm}"
        )


def checks(request: Request, seed: int, tell: Progress) -> Iterator[Stated]:
    """Yield that w has order N, and where N is small all entries of the supersteps over GF(p).

    The other statements are about F_N over Z[ζ_N]. As w has order N, and p does not divide N, w is
    a zero of the N-th cyclotomic polynomial modulo p, and ζ_N ↦ w is a homomorphism of rings: they
    hold over GF(p) with w as well.
    """
    N, p, w = request.N, int(request.modulus), int(request.root)
    statement = f"w = {w} has order {N} modulo the prime {p}: Z[zeta_{N}] -> GF({p}), zeta -> w"
    if is_prime(p) and is_primitive(w, N, p):
        found: Verdict = Checked(statement, "powers of w, by the primes that divide N")
    else:
        found = Refuted(statement, f"w^N = {pow(w, N, p)} modulo {p}, or w has a lower order")
    yield "ntt-root", PAPER, found
    if N <= EVERY_ENTRY:
        yield "ntt-entries", PAPER, _entries(request)


def _entries(request: Request) -> Verdict:
    """Return whether the supersteps over GF(p) give the powers w^(jk)."""
    N, field = request.N, RootField(int(request.modulus), request.N, int(request.root))
    ring, j = Residues(field), np.arange(N)
    found = interpret(lower(request), ring.units(N, range(N)), ring)
    wrong = np.argwhere(found != field.powers[np.outer(j, j) % N])
    statement = f"supersteps over GF({field.q}) = (w^(jk)), w = {field.w}"
    if len(wrong):
        k, i = wrong[0].tolist()
        return Refuted(statement, f"entry ({k}, {i}) is {found[k, i]}, not w^{k * i % N}")
    return Checked(statement, f"all {N * N} entries")


def fill(request: Request) -> dict[str, Any]:
    """Return what is filled in for a vector; raise ValueError for arrays, and for long radices."""
    if len(request.shape) > 1 or len(request.grid) > 1 or request.batch:
        raise ValueError("ntt transforms one vector of residues; it has no axes and no batches")
    if (largest := max(prime_factors(request.N), default=1)) > LARGEST_RADIX:
        raise ValueError(
            f"ntt needs a size whose prime factors are at most {LARGEST_RADIX}; got {request.N},"
            f" which {largest} divides"
        )
    return shapes.filled(request)


def steps(request: Request, ends: Ends) -> tuple[Numbers, tuple[Step, ...]]:
    """Return the supersteps; large local transforms are done in two steps that fit the caches."""
    return Numbers(ELEMENT, *ends), lowered(*ends, (), cached=True)


def lower(request: Request) -> Program:
    """Return the program of the group-cyclic FFT with w in place of exp(-2πi/N).

    >>> from codegen.requests import make_request
    >>> request = make_request("ntt", 64, 4, output="cyclic", modulus="193")
    >>> [type(step).__name__ for step in lower(request).steps], request.root
    (['Trade', 'Modular', 'Trade', 'Modular'], '125')
    """
    program = of_arrays(request) if request.shape else of_vector(request)
    return replace(program, steps=tuple(map(of_residues, program.steps)))


NTT = System(
    "ntt",
    reference="Pollard, The fast Fourier transform in a finite field, Mathematics of Computation 25"
    " (1971).",
    matrix=F,
    title="Number-theoretic transform",
    view="modular",
    kind="ntt",
    kernels=(NUMPY, NUMBA),
    dtypes=("int64",),
    sizes=lambda request: SIZES.exponents(request.N, request.P),
    exchanges=(*EXCHANGES, SHARED),
    options=(MODULUS, ROOT),
    equations=rests_on,
    rests_on=rests_on,
    checks=checks,
    lower=lower,
    settle=settle,
    check=check,
    arrays=OfArrays(
        "sizes other than powers of two",
        (*OF_TRADES, SHARED),
        fill,
        steps,
        shapes.complex_price,
        NAMES,
    ),
    scale=lambda request: "1" if request.is_forward else "pow(N, -1, MODULUS)",
)
