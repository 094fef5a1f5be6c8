"""Permutations: where a program takes opaque elements, and what it does to the bytes of real
ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.verdict import Tested, Verdict
from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.checks.transform import every_use, in_all_uses
from proofs.certify.declaration import Permutation
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.exact.space import OWN_TOKEN
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.fields.first_difference import superstep_of_tokens
from proofs.certify.ordinary.spoiled_numbers import AT_ONCE, asks_for_finite, put, spoils
from proofs.certify.scripts.evaluation_jobs import Parts, natural, scattered
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import (
    ONCE,
    VECTORS,
    Do,
    Free,
    Make,
    Script,
    of_numbers,
    use_of,
    vectors,
)

Order = NDArray[np.int64]


def moved_once(evaluation: Evaluation, d: Permutation) -> Traffic:
    """Permute the tokens 0, ..., N-1 by one transform.

    Raises Wrong unless token j ends at place A j + c, and where a program that computes with
    elements changes random bytes.
    """
    try:
        d.address.inverse()
    except ValueError as error:
        raise Wrong("function", f"A and c do not permute {d.N} elements: {error}") from error
    try:
        return _moved(evaluation, d, [np.arange(d.N)], ONCE, "function")
    except NotModelled as unknown:
        with contextlib.suppress(NotModelled):
            x = random_bytes(d, evaluation.rng)
            [parts] = transformed_numbers(evaluation, d, [x], ONCE, "function")
            bytes_as_wanted(d, parts, x, "function", f"a random vector ({unknown})")
        raise


def moved_again(evaluation: Evaluation, d: Permutation) -> Traffic:
    """Permute four vectors of tokens by scripts of transforms that share plans; return the traffic
    of the first of them.

    Raises Wrong unless each ends where it should.
    """
    vectors = list(np.arange(VECTORS * d.N).reshape(VECTORS, d.N))
    return in_all_uses(evaluation, d, lambda each: _moved(evaluation, d, vectors, each, "contract"))


def _moved(
    evaluation: Evaluation, d: Permutation, tokens: Sequence[Order], script: Script, name: str
) -> Traffic:
    given, parts = vectors(script), [scattered(d, vector) for vector in tokens]
    traffic, results = evaluation.of_tokens(d, parts, script, name)
    for number, (i, parts) in enumerate(zip(given, results, strict=True), 1):
        found = natural(d, parts)
        wrong = np.flatnonzero(found != permuted(d, tokens[i]))
        if len(wrong):
            k = int(wrong[0])
            wanted = int(permuted(d, np.arange(d.N))[k])
            if name == "function":
                where = superstep_of_tokens(evaluation, d)
            else:
                use = use_of(evaluation.taken(script), number - 1)
                where = f", in transform {number} of {len(given)} ({use})"
            raise Wrong(
                name,
                f"y[{k}] is {_spelled(d, int(found[k]), i)}, not x[{wanted}], and {len(wrong) - 1}"
                f" other elements are wrong{where}",
            )
    return traffic


def permuted(d: Permutation, x: NDArray[Any]) -> NDArray[Any]:
    """Return y with y[A j + c] = x[j]: the definition, element by element."""
    y = np.empty_like(x)
    y[d.address(np.arange(d.N))] = x
    return y


def _spelled(d: Permutation, token: int, vector: int) -> str:
    """Return what a token is, for the given one of several vectors."""
    if token < 0:
        return "a number of the program" if token == OWN_TOKEN else "uninitialised memory"
    return f"x[{token % d.N}]" + (" of another vector" if token // d.N != vector else "")


def bytes_kept(evaluation: Evaluation, d: Permutation, statement: str) -> Verdict:
    """Return that random bytes of the program's own type, signalling NaNs among them, or a single
    NaN or infinity, arrive as they left; raise Wrong where they do not, or the program fails.
    """
    rng = evaluation.rng
    data = [*[random_bytes(d, rng) for _ in range(VECTORS - 2)], one_nan(d, rng)]
    data.append(one_infinity(d, rng))
    for script in (of_numbers(d), *[each.script for each in every_use(evaluation, d)[-1:]]):
        results = transformed_numbers(evaluation, d, data, script, "bytes")
        for number, (i, parts) in enumerate(zip(vectors(script), results, strict=True), 1):
            bytes_as_wanted(d, parts, data[i], "bytes", f"transform {number} of {len(results)}")
    refuse_changed_nan(evaluation, d)
    return Tested(statement, 0.0, 0.0, kept_by(d, of_numbers(d), evaluation.source.said))


def refuse_changed_nan(evaluation: Evaluation, d: Permutation) -> None:
    """Raise Wrong where a program that asks for infinities or NaN does not move some, of one, two
    or more elements.
    """
    if d.dtype.kind not in "fc" or not asks_for_finite(evaluation):
        return
    x = random_bytes(d, evaluation.rng)
    x[...] = np.nan_to_num(x.real, nan=1, posinf=1, neginf=1)
    several = spoils(d, 1 + (d.dtype.kind == "c"), evaluation.rng)
    while data := [put(x, each) for each in islice(several, max(1, AT_ONCE // d.N))]:
        script: Script = (Make(0), *(Do(0, i) for i in range(len(data))), Free(0))
        results = transformed_numbers(evaluation, d, data, script, "bytes")
        for given, parts in zip(data, results, strict=True):
            count = np.count_nonzero(~np.isfinite(given))
            words = f"a vector with {count} elements that are NaN or infinite"
            bytes_as_wanted(d, parts, given, "bytes", words)


def bytes_as_wanted(d: Permutation, parts: Parts, x: NDArray[Any], name: str, which: str) -> None:
    """Raise Wrong unless a result by ranks has the bytes of x at their places."""
    pairs = [_bytes(side) for side in (natural(d, parts), permuted(d, x))]
    wrong = np.flatnonzero((pairs[0] != pairs[1]).any(axis=1))
    if len(wrong):
        found, wanted = (side[wrong[0]].tobytes()[:32].hex() for side in pairs)
        raise Wrong(name, f"y[{wrong[0]}] has the bytes {found} instead of {wanted} in {which}")


def kept_by(d: Permutation, script: Script, of_kernels: str) -> str:
    """Return what is said of bytes that arrive as they left in the transforms of a script."""
    plans, transforms = (sum(isinstance(step, kind) for step in script) for kind in (Make, Do))
    return (
        f"0 of {d.N} elements of {d.dtype.itemsize} bytes changed, {transforms} transforms by"
        f" {plans} plans{of_kernels}"
    )


def random_bytes(d: Permutation, rng: np.random.Generator) -> NDArray[Any]:
    """Return a vector of random bytes, not-a-numbers of several kinds among them."""
    octets = rng.integers(0, 256, (d.N, d.dtype.itemsize), np.uint8)
    # signalling NaNs of 8 and of 4 bytes, quiet ones of any size
    for k, top in enumerate(((0xF4, 0x7F), (0xA0, 0x7F), (0xFF, 0xFF))):
        octets[k::7, -2:] = top[-min(2, d.dtype.itemsize) :]
    return octets.reshape(-1).view(d.dtype)


def one_nan(d: Permutation, rng: np.random.Generator) -> NDArray[Any]:
    """Return a vector of random bytes with a NaN in one element, and none in the others."""
    octets = rng.integers(0, 0x40, (d.N, d.dtype.itemsize), np.uint8)
    octets[rng.integers(d.N), -2:] = 0xFF
    return octets.reshape(-1).view(d.dtype)


def one_infinity(d: Permutation, rng: np.random.Generator) -> NDArray[Any]:
    """Return a vector of random bytes with an infinity in one element, and no NaN, where elements
    are floating-point numbers.
    """
    x = rng.integers(0, 0x40, (d.N, d.dtype.itemsize), np.uint8).reshape(-1).view(d.dtype)
    if d.dtype.kind in "fc":
        x[rng.integers(d.N)] = np.inf
    return x


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
