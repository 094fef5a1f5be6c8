"""Random requests, and programs with a small error, are evaluated to the bits that CPython computes
on the same ranks, or end with the same kind of error.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import AUTO, EXCHANGES, NODE_AWARE, OVERLAPPED, SHARED
from codegen.systems.options import NORMS
from codegen.systems.record import Request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.papers.hypercube import SCHEMES
from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.tables.numpy_names import CHANCE, spoil
from proofs.certify.language.values.function_values import Raised
from tests.mutation.mutants import mutants
from tests.support import plain, plain_vectors
from tests.support.evaluated import same_bits
from tests.support.rounds import in_numbers

LAYOUTS = ("block", "cyclic", "bit-reversed", "scrambled", "group-cyclic:2", "f:1", "hartley")
TYPES = ("", "complex64", "float32", "float64", "complex128", "i4,f8")
CHOICES = {
    "system": ("fft", "rfft", "fht", "hypercube-fft", "permute"),
    "N": (16, 24, 32, 60, 64, 81, 128),
    "P": (1, 2, 3, 4, 8),
    "input": LAYOUTS,
    "output": ("", *LAYOUTS),
    "exchange": (*EXCHANGES, OVERLAPPED, SHARED, AUTO, NODE_AWARE),
    "direction": ("forward", "backward"),
    "norm": NORMS,
    "kernels": ("numpy", "numpy", "numba"),
    "dtype": TYPES,
    "scheme": ("", *SCHEMES),
    "algorithm": ("", "hypercube", "group-cyclic"),
    "local": ("", "butterflies", "cache-friendly"),
    "result": ("hartley", "dft", "power"),
    "batch": (0, 0, 3),
}
"""What a request may state; one that goes with no program is drawn again, option by option."""
REQUESTS, CHANGED = (*range(50, 108), 109, 133), range(50, 90)
"""Seeds of requests, among which every option is chosen."""
SMALL = {"N": (16, 24, 32), "P": (1, 2, 3, 4)}
"""What is chosen where many mutants of one program are run."""
MUTANTS = 24
"""The mutants of one program that are run."""
COMPILED = "= compiled("
"""A kernel that is not compiled has operations that Python does not have: the two may differ."""


def request(seed: int, choices: dict[str, tuple[int, ...]] | None = None) -> Request:
    """Return a random request that has a program, with these choices in place of others."""
    rng, found = random.Random(seed), None
    of_sizes = {name: CHOICES[name] for name in ("system", "N", "P")} | (choices or {})
    while found is None:
        stated = {name: rng.choice(values) for name, values in of_sizes.items()}
        found = spec_of(stated)
    others = sorted(CHOICES.keys() - stated.keys() - {"exchange"})
    for name in ("exchange", *rng.sample(others, len(others))):
        more = stated | {name: rng.choice(CHOICES[name])}
        if made := spec_of(more):
            stated, found = more, made
    return found


def spec_of(stated: dict[str, Any]) -> Request | None:
    """Return a request, None where it has no program, or one that `certify` does not follow."""
    if stated.get("result") == "power" and stated.get("kernels") == "numba":
        return None
    N = stated["N"]
    reversal = Bmmc(bmmc.named("bit-reversal", N.bit_length() - 1), "bit-reversal")
    moved = {"permutation": reversal} if stated["system"] == "permute" else {}
    try:
        resolve(asked := make_request(**stated, **moved))
    except (ValueError, OSError):
        return None
    return asked


@pytest.mark.long
def test_requests_are_of_every_kind():
    drawn = [request(seed) for seed in REQUESTS]
    for name in ("system", "kernels", "exchange", "scheme", "algorithm", "result", "norm"):
        missing = {*CHOICES[name]} - {getattr(asked, name) for asked in drawn}
        assert not missing, (name, missing)


@pytest.mark.sampled(4)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("seed", REQUESTS)
def test_the_program_of_a_random_request_computes_what_cpython_does(seed, monkeypatch):
    assert same_bits(*in_numbers(emit(resolve(request(seed))), monkeypatch))


def end(results: Callable[[], Any]) -> Any:
    """Return results of ranks, or the kind of error that a rank ends with."""
    try:
        return results()
    except Undecided:
        raise
    except Exception as error:
        return type(getattr(error, "value", error)).__name__


def spoiling(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes the same arrays, with NaN in them, as nothing else is drawn."""
    return lambda *given, **named: spoil(make(*given, **named))


def compared(mutant: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Compare what becomes of a mutant, and return that: its bits, an error, or "undecided"."""
    try:
        evaluated, executed = in_numbers(mutant.text, monkeypatch, end)
    except (Undecided, Raised, ValueError):  # an undecided program, or none with a declaration
        return "undecided"
    failed = isinstance(executed, str), isinstance(evaluated, str)
    assert failed[0] == failed[1], (mutant, evaluated, executed)
    if failed == (True, True):
        assert evaluated in (executed, "Refuted"), (mutant, evaluated, executed)
        return "an error"
    assert same_bits(evaluated, executed), mutant
    return "bits"


@pytest.mark.sampled(4)
@pytest.mark.long
@pytest.mark.parametrize("seed", CHANGED)
def test_programs_with_a_small_error_compute_or_raise_what_cpython_does(seed, monkeypatch):
    """What nobody has written is NaN for both."""
    monkeypatch.setattr(CHANCE, "choice", lambda several: several[0])
    aligned = (plain, "aligned"), (plain_vectors, "aligned")
    for module, name in ((np, "empty"), (np, "empty_like"), *aligned):
        monkeypatch.setattr(module, name, spoiling(getattr(module, name)))
    several = mutants(emit(resolve(request(seed, SMALL))))
    several = [mutant for mutant in several if COMPILED not in mutant.context]
    drawn = random.Random(seed).sample(several, MUTANTS)
    ends = Counter(compared(mutant, monkeypatch) for mutant in drawn)
    assert ends["bits"] >= MUTANTS / 8, ends
