"""Permutations: where a program's text takes opaque elements, and what it does to the bytes of real ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpi.ranks import Run
from derive.verdict import Tested, Verdict
from proofs.blame import Wrong
from proofs.declaration import Permutation
from proofs.sandbox import Text, compiler_of, said_of
from proofs.tokens import ZERO, Opaque, Tokens
from proofs.usage import IN_TURNS, TURNS, Use, in_turns, once, simulated

Order = NDArray[np.int64]


def moved_once(text: Text, d: Permutation) -> Run:
    """Permute the tokens 0, ..., N-1 by one transform.

    Raises Wrong unless token j ends at place A j + c.
    """
    return _moved(text, d, [np.arange(d.N)], once, (0,), "function")


def moved_in_turns(text: Text, d: Permutation) -> Run:
    """Permute two vectors of tokens by several transforms that share plans.

    Raises Wrong unless each ends where it should.
    """
    return _moved(text, d, [np.arange(d.N), np.arange(d.N, 2 * d.N)], in_turns, TURNS, "contract")


def _moved(text: Text, d: Permutation, vectors: Sequence[Order], use: Use, turns: Sequence[int], name: str) -> Run:
    places = d.indices("input")
    data = [[Tokens.of(part, d.dtype) for part in vector[places]] for vector in vectors]
    done = simulated(text, d, Opaque(d.dtype), data, use, name)
    for number, (i, results) in enumerate(zip(turns, zip(*done.results, strict=True), strict=True), 1):
        found = natural(d, [y.tokens for y in results])
        wrong = np.flatnonzero(found != permuted(d, vectors[i]))
        if len(wrong):
            k = int(wrong[0])
            wanted = int(permuted(d, np.arange(d.N))[k])
            which = f", in transform {number} of {len(turns)}" if turns[1:] else ""
            raise Wrong(name, f"y[{k}] is {_spelled(d, int(found[k]), i)}, not x[{wanted}], and {len(wrong) - 1} others are wrong{which}")
    return done


def permuted(d: Permutation, x: NDArray[Any]) -> NDArray[Any]:
    """Return y with y[A j + c] = x[j]: the definition, element by element."""
    y = np.empty_like(x)
    y[d.address(np.arange(d.N))] = x
    return y


def natural(d: Permutation, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return the output in natural order whose parts the ranks hold."""
    y = np.empty(d.N, parts[0].dtype)
    y[d.indices("output")] = np.stack(parts)
    return y


def _spelled(d: Permutation, token: int, vector: int) -> str:
    """Return what a token is, for the given one of several vectors."""
    if token < 0:
        return "np.zeros" if token == ZERO else "memory that was never written"
    return f"x[{token % d.N}]" + (" of another vector" if token // d.N != vector else "")


def bytes_kept(text: Text, d: Permutation, rng: np.random.Generator, statement: str) -> Verdict:
    """Return that random bytes of the program's own type, signalling NaNs among them, arrive as they left, by kernels as numba compiles them.

    Without numba they are run as Python, and the verdict says so. Raises Wrong where they do not, or the program fails.
    """
    vectors = [_random_bytes(d, rng) for _ in range(2)]
    places = d.indices("input")
    compiler = compiler_of(text)
    done = simulated(text, d, None, [vector[places] for vector in vectors], in_turns, "bytes", compiler)
    for number, (i, results) in enumerate(zip(TURNS, zip(*done.results, strict=True), strict=True), 1):
        pairs = [_bytes(side) for side in (natural(d, results), permuted(d, vectors[i]))]
        wrong = np.flatnonzero((pairs[0] != pairs[1]).any(axis=1))
        if len(wrong):
            found, wanted = (side[wrong[0]].tobytes()[:32].hex() for side in pairs)
            raise Wrong("bytes", f"y[{wrong[0]}] has the bytes {found}, not {wanted}, in transform {number} of {len(TURNS)}")
    return Tested(statement, 0.0, 0.0, kept(d, said_of(text, compiler)))


def kept(d: Permutation, of_kernels: str) -> str:
    """Return what is said of bytes that arrive as they left."""
    return f"0 of {d.N} elements of {d.dtype.itemsize} bytes changed, {IN_TURNS}{of_kernels}"


def _random_bytes(d: Permutation, rng: np.random.Generator) -> NDArray[Any]:
    octets = rng.integers(0, 256, (d.N, d.dtype.itemsize), np.uint8)
    for k, top in enumerate(((0xF4, 0x7F), (0xA0, 0x7F), (0xFF, 0xFF))):  # signalling NaNs of 8 and of 4 bytes, quiet ones of any size
        octets[k::7, -2:] = top[-min(2, d.dtype.itemsize) :]
    return octets.reshape(-1).view(d.dtype)


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
