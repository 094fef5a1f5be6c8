"""Products of matrices and tensors: sums over labels that two factors share.

    y[out] = sum over the other labels of  x[one] c[other]        a label for each axis

A residue is cut in two, so that sums of products fit 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import log2, prod
from string import ascii_letters
from typing import Any

import numpy as np

from proofs.certify.exact.arithmetic import (
    FLOPS_OF_PRODUCT,
    deliver,
    demand_degree,
    exact,
    laid,
    multiplied,
    result,
    space_of,
    type_of,
)
from proofs.certify.exact.data import Data, by_numpy, raised
from proofs.certify.exact.residue_arrays import widened
from proofs.certify.exact.space import Numbers, units
from proofs.certify.language.table_entries import Undecided

Labels = str
MOST_TERMS = 2**15
STIMULUS = "Z"
"""The label of the last axis of residues."""
LETTERS = ascii_letters.replace(STIMULUS, "")


def contracted(one: Any, other: Any, first: Labels, second: Labels, out: Labels) -> Data:
    """Return the sum of products over the labels that are not in `out`."""
    space = space_of(one, other)
    sizes = _sizes([(one, first), (other, second)])
    terms = prod(size for label, size in sizes.items() if label not in out)
    if terms > MOST_TERMS or any(label not in sizes for label in out):
        words = f"a sum of {terms} products at once, more than {MOST_TERMS}"
        raise Undecided(f"{words}, or a label without an axis")
    space.few([sizes[label] for label in out])
    (x, bx), (y, by) = exact(one, space), exact(other, space)
    bounds = multiplied(_most(bx, first, out), _most(by, second, out))
    bounds[..., 0] += units(log2(terms)) if terms else 0
    demand_degree(bounds, space)
    found = _products(x, y, (first, second, out), space.q)
    each = FLOPS_OF_PRODUCT[x.shape[-2] + y.shape[-2]] + max(x.shape[-2], y.shape[-2])
    space.count(int(each * (1 + log2(max(terms, 1))) * prod(sizes[label] for label in out)))
    return result(found, bounds, type_of(one, other), space)


def _sizes(factors: Sequence[tuple[Any, Labels]]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for value, labels in factors:
        shape = value.shape if isinstance(value, Data) else np.shape(value)
        if len(shape) != len(labels) or len(set(labels)) < len(labels):
            raise Undecided(f"labels {labels} of an array with {len(shape)} axes")
        for label, size in zip(labels, shape, strict=True):
            if sizes.setdefault(label, size) != size:
                words = f"a sum of products over {size} and {sizes[label]} entries"
                raise raised(ValueError(words))
    return sizes


def _most(bounds: Numbers, labels: Labels, out: Labels) -> Numbers:
    """Return the greatest bounds over the labels that are not in the result, with its axes."""
    if bounds.ndim == 2:  # of a constant
        return bounds
    gone = tuple(i for i, label in enumerate(labels) if label not in out)
    found = bounds.max(axis=gone, initial=0) if gone else bounds
    left = [label for label in labels if label in out]
    found = found.transpose(*(left.index(label) for label in out if label in left), -2, -1)
    at = tuple(slice(None) if label in left else None for label in out)
    return found[(*at, ...)]


def _products(x: Numbers, y: Numbers, labels: tuple[Labels, Labels, Labels], q: int) -> Numbers:
    """Return the sums of products of residues (*shape, parts, K or 1)."""
    first, second, out = labels

    def sums(one: Numbers, other: Numbers) -> Numbers:
        at = [STIMULUS if part.shape[-1] > 1 else "" for part in (one, other)]
        low, high = other & 0xFFFF, other >> 16
        sides = [
            part if label else part[..., 0] for part, label in zip((one, other), at, strict=True)
        ]
        text = f"{first}{at[0]},{second}{at[1]}->{out}{max(at)}"
        found = [
            np.einsum(text, sides[0], half if at[1] else half[..., 0]) % q for half in (low, high)
        ]
        total: Numbers = (found[0] + found[1] * 2**16) % q
        return total if max(at) else total[..., None]

    a, c = x[..., 0, :], y[..., 0, :]
    if x.shape[-2] == y.shape[-2] == 1:
        return sums(a, c)[..., None, :]
    x, y = widened(x, 2), widened(y, 2)
    b, d = x[..., 1, :], y[..., 1, :]
    real = (sums(a, c) + (q - sums(b, d))) % q if b.any() and d.any() else sums(a, c)
    imaginary = (sums(a, d) + sums(b, c)) % q
    return np.stack([real, imaginary], axis=-2)


def matmul(one: Any, other: Any, out: Any = None) -> Data:
    """Return one @ other."""
    a, b = _array(one), _array(other)
    if not a.ndim or not b.ndim:
        raise raised(ValueError("matmul of a number"))
    lead = by_numpy(np.broadcast_shapes, a.shape[:-2], b.shape[:-2])
    a = _spread(a, (*lead, *a.shape[-2:])) if a.ndim > 1 else a
    b = _spread(b, (*lead, *b.shape[-2:])) if b.ndim > 1 else b
    batch = LETTERS[: len(lead)]
    first, second = (batch + "XY" if a.ndim > 1 else "Y"), (batch + "YW" if b.ndim > 1 else "Y")
    wanted = batch + "X" * (a.ndim > 1) + "W" * (b.ndim > 1)
    made = contracted(a, b, first, second, wanted)
    return deliver(laid(made, np.matmul, one, other), out)


def _array(value: Any) -> Any:
    return value if isinstance(value, Data) else np.asarray(value)


def _spread(value: Any, shape: tuple[int, ...]) -> Any:
    if value.shape == shape:
        return value
    if isinstance(value, Data):
        return value.viewed(np.broadcast_to, shape)
    return np.broadcast_to(value, shape)


def tensordot(one: Any, other: Any, axes: Any = 2) -> Data:
    """Return np.tensordot."""
    a, b = _array(one), _array(other)
    if isinstance(axes, int):
        pairs = [(a.ndim - axes + i, i) for i in range(axes)]
    else:
        sides = [[side] if isinstance(side, int) else list(side) for side in axes]
        pairs = list(zip(*sides, strict=True))
    made = _over(a, b, [(i % a.ndim, j % b.ndim) for i, j in pairs])
    found = laid(made, lambda x, y: np.tensordot(x, y, axes), a, b)
    return found.reshape(found.shape) if found.ndim else found  # as in numpy, a view


def _over(a: Any, b: Any, pairs: list[tuple[int, int]]) -> Data:
    """Return the sum of products over pairs of axes."""
    first, second = list(LETTERS[: a.ndim]), list(LETTERS[a.ndim : a.ndim + b.ndim])
    for i, j in pairs:
        second[j] = first[i]
    shared = {first[i] for i, _ in pairs}
    out = [label for label in (*first, *second) if label not in shared]
    return contracted(a, b, "".join(first), "".join(second), "".join(out))


def dot(a: Any, b: Any, out: Any = None) -> Data:
    """Return np.dot."""
    one, other = _array(a), _array(b)
    if not one.ndim or not other.ndim:
        raise Undecided("np.dot of a number")
    made = _over(one, other, [(one.ndim - 1, max(other.ndim - 2, 0))])
    return deliver(laid(made, np.dot, one, other), out)


def inner(a: Any, b: Any) -> Data:
    """Return np.inner."""
    one, other = _array(a), _array(b)
    return laid(_over(one, other, [(one.ndim - 1, other.ndim - 1)]), np.inner, one, other)


def outer(a: Any, b: Any, out: Any = None) -> Data:
    """Return np.outer."""
    return deliver(_over(_array(a).reshape(-1), _array(b).reshape(-1), []), out)


def einsum(subscripts: Any, *operands: Any, out: Any = None, optimize: Any = False) -> Data:
    """Return np.einsum of one array of data and constants, pair by pair."""
    if not isinstance(subscripts, str) or not operands:
        raise Undecided("np.einsum without subscripts as a text")
    values = [_array(operand) for operand in operands]
    inputs, wanted = _read(subscripts.replace(" ", ""), values)
    order = sorted(range(len(values)), key=lambda i: not isinstance(values[i], Data))
    found, labels = values[order[0]], inputs[order[0]]
    if len(values) == 1:
        if set(wanted) == set(labels):
            return _turned(found, labels, wanted, out)
        found = contracted(found, np.ones(()), labels, "", wanted)
    for step, i in enumerate(order[1:], 2):
        needed = set(wanted).union(*(inputs[j] for j in order[step:]))
        both = dict.fromkeys(labels + inputs[i])
        kept = "".join(label for label in both if label in needed)
        kept = wanted if step == len(values) else kept
        found, labels = contracted(found, values[i], labels, inputs[i], kept), kept
    model = partial(np.einsum, subscripts, optimize=optimize)
    return deliver(laid(found, model, *values, always=True), out)


def _turned(found: Data, labels: Labels, wanted: Labels, out: Any) -> Data:
    """Return np.einsum that moves axes only: a view, as numpy's is."""
    if len(labels) != len(wanted):
        raise Undecided(f"np.einsum of the diagonal of {labels}: write np.diagonal")
    view = found.viewed(np.transpose, [labels.index(label) for label in wanted])
    return deliver(view, out)


def _read(subscripts: str, values: Sequence[Any]) -> tuple[list[Labels], Labels]:
    """Return the labels of each operand, and those of the result."""
    left, arrow, wanted = subscripts.partition("->")
    inputs = left.split(",")
    free = [label for label in LETTERS if label not in subscripts]
    if len(inputs) != len(values) or STIMULUS in subscripts:
        raise Undecided(f"np.einsum with subscripts {subscripts!r}")
    lead = ""
    for i, (labels, value) in enumerate(zip(inputs, values, strict=True)):
        if "..." in labels:
            count = value.ndim - len(labels) + 3
            more = "".join(free[: max(count, 0)][::-1])
            lead = max(lead, more, key=len)
            inputs[i] = labels.replace("...", more)
    if not arrow:
        plain = [label for label in left if label.isalpha()]
        wanted = lead + "".join(sorted(label for label in plain if plain.count(label) == 1))
    return inputs, wanted.replace("...", lead)
