"""How large the results of numpy's functions are, before they are made.

Each guard gets the limits and the arguments, and returns how many elements there will be, None
where they are not more than those of the arguments; the steps of a function that takes long it
counts itself.
"""

from __future__ import annotations

from math import ceil, prod
from typing import Any

import numpy as np

from proofs.certify.language.limits import PIECE, Limits, elements_of, few, few_bytes
from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.values.nested_sizes import values_in


def of_shape(limits: Limits, shape: Any, *_: Any, **__: Any) -> int:
    """Guard functions of a shape."""
    return elements_of(shape)


def of_spread(limits: Limits, array: Any, shape: Any, *_: Any, **__: Any) -> int:
    """Guard `broadcast_to`."""
    return elements_of(shape)


def of_range(limits: Limits, *given: Any, **_: Any) -> int | None:
    """Guard `arange`."""
    numbers = [each for each in given[:3] if isinstance(each, int | float | np.number)]
    if len(numbers) < len(given[:3]) or not numbers:
        return None
    first, stop, step = [(0, numbers[0], 1), (*numbers, 1), tuple(numbers)][len(numbers) - 1]
    return max(0, ceil((float(stop) - float(first)) / float(step))) if step else None


def of_space(limits: Limits, start: Any, stop: Any, num: int = 50, **_: Any) -> int:
    """Guard `linspace`."""
    return int(num) * max(np.size(start), np.size(stop))


def of_square(limits: Limits, rows: int, columns: int | None = None, *_: Any, **__: Any) -> int:
    """Guard `eye`."""
    return int(rows) * int(rows if columns is None else columns)


def of_diagonal(limits: Limits, values: Any, *_: Any, **__: Any) -> int | None:
    """Guard `diag`, which makes a matrix of a vector."""
    return np.size(values) ** 2 if np.ndim(values) == 1 else None


def of_sequence(limits: Limits, arrays: Any, *_: Any, **__: Any) -> int | None:
    """Guard functions that join arrays, or texts, each as long as the longest."""
    if not isinstance(arrays, list | tuple):
        return None
    longest = max((len(each) for each in arrays if type(each) is str), default=0)
    return max(values_in(arrays), len(arrays) * longest)


def of_product(limits: Limits, one: Any, other: Any, *_: Any, **__: Any) -> None:
    """Guard functions of all pairs of elements."""
    limits.spend(few(np.size(one) * np.size(other)) // 32)


def of_tiles(limits: Limits, array: Any, repeats: Any, *_: Any, **__: Any) -> int:
    """Guard `tile`."""
    return np.size(array) * prod(int(each) for each in np.ravel(repeats))


def of_repeats(
    limits: Limits, array: Any, repeats: Any, axis: Any = None, *_: Any, **__: Any
) -> int:
    """Guard `repeat`."""
    counts = np.ravel(repeats)
    if counts.size == 1:
        return np.size(array) * int(counts[0])
    others = 1 if axis is None else np.size(array) // max(1, np.shape(array)[axis])
    return sum(map(int, counts)) * others


def of_sums(limits: Limits, one: Any, other: Any, common: int) -> None:
    """Guard sums of `common` products for each pair of the other elements."""
    common = max(1, common)
    size = few((np.size(one) // common) * max(1, np.size(other) // common))
    limits.spend(size * common // PIECE)


def of_matrices(limits: Limits, one: Any, other: Any, *_: Any, **__: Any) -> None:
    """Guard products of matrices."""
    of_sums(limits, one, other, np.shape(one)[-1] if np.ndim(one) else 1)


def of_einsum(limits: Limits, subscripts: Any, *operands: Any, **_: Any) -> None:
    """Guard `einsum`: one operation for every value of all its letters."""
    if not isinstance(subscripts, str) or "." in subscripts:
        raise Undecided("einsum of another form; write its letters, as 'ij,jk->ik'")
    letters: dict[str, int] = {}
    for names, operand in zip(subscripts.split("->")[0].split(","), operands, strict=False):
        letters.update(zip(names.strip(), np.shape(operand), strict=False))
    total = prod(letters.values())
    limits.spend(total // 16)
    if "->" in subscripts:
        few(prod(letters.get(each, 1) for each in subscripts.split("->")[1].strip()))


def of_tensordot(limits: Limits, one: Any, other: Any, axes: Any = 2) -> None:
    """Guard `tensordot`."""
    if isinstance(axes, int):
        common = prod(np.shape(one)[np.ndim(one) - axes :])
    else:
        first = axes[0] if isinstance(axes[0], list | tuple) else [axes[0]]
        common = prod(np.shape(one)[int(axis)] for axis in first)
    of_sums(limits, one, other, common)


def of_transform(
    limits: Limits, array: Any, n: Any = None, axis: int = -1, *_: Any, **__: Any
) -> None:
    """Guard Fourier transforms of one axis."""
    size = np.size(array)
    if n is not None and size:
        few(size // max(1, np.shape(array)[axis]) * int(n))
    limits.spend(size // 16)


def of_transforms(
    limits: Limits, array: Any, s: Any = None, axes: Any = None, *_: Any, **__: Any
) -> None:
    """Guard Fourier transforms of several axes."""
    size = np.size(array)
    if s is not None and size:
        chosen = range(-len(s), 0) if axes is None else axes
        others = size // prod(np.shape(array)[axis] for axis in chosen)
        size = few(others * prod(max(1, int(n)) for n in s))
    limits.spend(size // 8)


def of_differences(limits: Limits, array: Any, n: int = 1, *_: Any, **__: Any) -> None:
    """Guard `diff`, which goes through an array n times."""
    limits.spend(max(0, int(n)) * (1 + np.size(array) // PIECE))


def of_decimals(limits: Limits, array: Any, decimals: Any = 0, *_: Any, **__: Any) -> None:
    """Guard `round`, which multiplies by ten for each decimal."""
    limits.spend(few(abs(int(decimals)), "decimals") // PIECE)


def of_views(limits: Limits, *arrays: Any, **_: Any) -> int:
    """Guard `broadcast_arrays`."""
    return prod(np.broadcast_shapes(*map(np.shape, arrays))) if arrays else 0


def of_like(limits: Limits, array: Any, *given: Any, dtype: Any = None, **_: Any) -> None:
    """Guard functions that make an array like another one, of a type that may be larger."""
    kinds = [each for each in (*given, dtype) if isinstance(each, str | type | np.dtype)]
    few_bytes(np.size(array), kinds[0] if kinds else getattr(array, "dtype", float))


def of_counts(limits: Limits, values: Any, weights: Any = None, minlength: int = 0) -> int:
    """Guard `bincount`."""
    return max(int(minlength), int(np.max(values, initial=0)) + 1)


def of_pieces(limits: Limits, array: Any, pieces: Any, *_: Any, **__: Any) -> None:
    """Guard functions that split an array."""
    limits.spend(few(int(pieces) if np.ndim(pieces) == 0 else len(pieces)))


def of_taken(limits: Limits, array: Any, indices: Any, axis: Any = None, *_: Any, **__: Any) -> int:
    """Guard `take`."""
    others = 1 if axis is None else np.size(array) // max(1, np.shape(array)[axis])
    return np.size(indices) * others


def of_grid(limits: Limits, *axes: Any, **_: Any) -> int:
    """Guard `meshgrid`."""
    return prod(map(np.size, axes)) * max(1, len(axes))


def of_indices(limits: Limits, shape: Any, *_: Any, **__: Any) -> int:
    """Guard `indices`."""
    return prod(map(int, shape)) * len(tuple(shape))


def of_padding(limits: Limits, array: Any, width: Any, mode: Any = "constant", **_: Any) -> int:
    """Guard `pad`."""
    if mode != "constant":
        raise Undecided(f"np.pad with mode {mode!r}; it has constant")
    return prod(n + 2 * int(np.max(width)) for n in np.shape(array))
