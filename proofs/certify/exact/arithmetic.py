"""Sums of data, and products with constants: what is linear in the data, or of a declared degree.

    value = Data | number               an array of data; a constant, recognised by value

Each rule gives the residues, and bounds that the true numbers do not exceed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from proofs.certify.exact.constants import NoConstant
from proofs.certify.exact.data import Data, by_numpy, raised
from proofs.certify.exact.residue_arrays import conjugate, plus, products
from proofs.certify.exact.space import LEAST, UNIT, Numbers, Space, units
from proofs.certify.language.table_entries import DATA, OTHER_ARRAY, Undecided, kind_of
from proofs.certify.language.values.opaque import Opaque

_DIFFERENCES = np.arange(12 * UNIT)
INCREASE = np.ceil(UNIT * np.log2(1 + 2.0 ** (-_DIFFERENCES / UNIT)) + 1e-9).astype(np.int64)
INCREASE[0] = UNIT
"""How much larger a sum is than its larger summand, by the difference of their magnitudes."""


def space_of(*values: Any) -> Space:
    """Return the space of the first array of data."""
    space: Space = next(value.space for value in values if isinstance(value, Data))
    return space


def type_of(*values: Any) -> np.dtype[Any]:
    """Return the type of a result, by numpy's rules of promotion."""
    kinds = (
        value
        if isinstance(value, int | float | complex) and not isinstance(value, np.generic)
        else getattr(value, "dtype", None) or np.asarray(value).dtype
        for value in values
    )
    return np.result_type(*kinds)


def exact(value: Any, space: Space) -> tuple[Numbers, Numbers]:
    """Return residues and bounds of a value, of a constant for all stimuli at once."""
    if isinstance(value, Data):
        return value.value()
    if not isinstance(value, np.ndarray | np.generic | int | float | complex | list | tuple):
        words = f"{kind_of(value)} in a computation with {DATA}"
        raise Undecided(value.words if isinstance(value, Opaque) else words)
    found = space.constants(value)
    parts = 2 if found.residues[..., 1].any() else 1
    bounds = np.array([[units(found.magnitude), found.halves, 0, 0]])
    return found.residues[..., :parts, None], bounds


def both(one: Any, other: Any, space: Space) -> list[tuple[Numbers, Numbers]]:
    """Return residues and bounds of two values that are broadcast together."""
    values = [exact(one, space), exact(other, space)]
    space.few(by_numpy(np.broadcast_shapes, *(residues.shape[:-2] for residues, _ in values)))
    return values


def result(residues: Numbers, bounds: Numbers, dtype: np.dtype[Any], space: Space) -> Data:
    """Return a new array; one without axes is a number, as numpy gives it."""
    parts = space.parts(dtype)
    if residues.shape[-2] > parts:
        raise Undecided(f"a result of {dtype} that is complex")
    items = space.made(residues, bounds, parts)
    return Data(items, dtype, space, scalar=not items.ndim)


def laid(found: Data, function: Callable[..., Any], *values: Any, always: bool = False) -> Data:
    """Return a new array in the order of memory in which numpy's function makes it, which is tried
    on small integers that lie as these values do; of what lies in rows only if `always`.
    """
    arrays = [value.items if isinstance(value, Data) else value for value in values]
    orders = (array.flags.c_contiguous for array in arrays if isinstance(array, np.ndarray))
    if found.ndim < 2 or (not always and all(orders)):
        return found
    model = function(*map(_small, arrays))
    items = np.empty_like(model, dtype=found.items.dtype, subok=False)
    items[...] = found.items
    return Data(items, found.dtype, found.space)


def _small(value: Any) -> Any:
    """Return small integers that lie in memory as an array does, gaps and repeats alike."""
    if not isinstance(value, np.ndarray):
        return 1
    steps = [stride // value.itemsize for stride in value.strides]
    spans = [(n - 1) * step for n, step in zip(value.shape, steps, strict=True) if n]
    first = -sum(span for span in spans if span < 0)
    memory = np.ones(first + sum(span for span in spans if span > 0) + 1, np.int8)
    return as_strided(memory[first:], value.shape, steps)


def joined(one: Numbers, other: Numbers) -> Numbers:
    """Return the bounds of sums of numbers with these bounds.

    >>> joined(np.array([[1024, 1, 0, 1]]), np.array([[1024, 3, 2, 0]])).tolist()
    [[2048, 3, 2, 1]]
    """
    found = np.maximum(one, other)
    gap = np.abs(one[..., 0] - other[..., 0])
    found[..., 0] += INCREASE[np.minimum(gap, len(INCREASE) - 1)]
    return found


def multiplied(one: Numbers, other: Numbers) -> Numbers:
    """Return the bounds of products: a coefficient is a sum of one product for each way to divide
    its monomial among the factors.
    """
    found = one + other
    found[..., 2] = np.maximum(one[..., 2], other[..., 2])
    found[..., 0] += UNIT * found[..., 3] * ((one[..., 3] > 0) & (other[..., 3] > 0))
    found[..., 0] = np.maximum(found[..., 0], LEAST)
    return found


PRODUCT = "a product of two arrays that depend on x; the declared transform is linear"
FLOPS_OF_PRODUCT = {2: 1, 3: 2, 4: 6}
"""Flops of a product by the number of parts of both factors."""


def demand_degree(bounds: Numbers, space: Space) -> None:
    """Raise Undecided where a product may be of a higher degree than the declared result: of degree
    1 as of a constant that no field has, so that ordinary numbers can refute the program.
    """
    degree = int(bounds[..., 3].max(initial=0))
    if degree <= space.degree:
        return
    if space.degree == 1:
        raise NoConstant(PRODUCT)
    words = f"a product in which {degree} factors may depend on x"
    raise Undecided(f"{words}; at most {space.degree} are followed")


def add(one: Any, other: Any, sign: int = 1) -> Data:
    """Return one + other; one - other for the sign -1."""
    space = space_of(one, other)
    (x, bx), (y, by) = both(one, other, space)
    found = by_numpy(plus, x, y if sign > 0 else -y % space.q, space.q)
    space.count(found.size // space.stimuli)
    made = result(found, joined(bx, by), type_of(one, other), space)
    return laid(made, np.add, one, other)


def subtract(one: Any, other: Any) -> Data:
    """Return one - other."""
    return add(one, other, -1)


def negative(x: Data) -> Data:
    """Return -x."""
    residues, bounds = x.value()
    return laid(result(-residues % x.space.q, bounds, x.dtype, x.space), np.negative, x)


def positive(x: Data) -> Data:
    """Return +x."""
    return laid(result(*x.value(), x.dtype, x.space), np.positive, x)


def multiply(one: Any, other: Any) -> Data:
    """Return one * other; Refuted where the degree is higher than that of the declared result."""
    space = space_of(one, other)
    (x, bx), (y, by) = both(one, other, space)
    bounds = multiplied(bx, by)
    demand_degree(bounds, space)
    found = by_numpy(products, x, y, space.q)
    each = FLOPS_OF_PRODUCT[x.shape[-2] + y.shape[-2]]
    space.count(each * found[..., 0, 0].size)
    return laid(result(found, bounds, type_of(one, other), space), np.multiply, one, other)


def divide(one: Any, other: Any) -> Data:
    """Return one / other, for constants."""
    if isinstance(other, Data):
        raise Undecided(f"a quotient by {DATA}")
    with np.errstate(all="ignore"):
        inverse = np.divide(1, other)
    if not isinstance(other, np.ndarray | np.generic):  # a number of Python has no type of its own
        inverse = inverse.item() if np.ndim(inverse) == 0 else inverse
    return multiply(one, inverse)


def power(one: Any, other: Any) -> Data:
    """Return one ** other, for exponents 1 and 2."""
    if isinstance(other, Data) or np.ndim(other) or other not in (1, 2):
        raise Undecided(f"a power of {DATA}, other than x**2")
    return multiply(one, one) if other == 2 else positive(one)


def square(x: Data) -> Data:
    """Return x ** 2."""
    return multiply(x, x)


def conj(x: Data) -> Data:
    """Return the complex conjugate."""
    residues, bounds = x.value()
    found = conjugate(residues, x.space.q) if x.parts == 2 else residues
    return laid(result(found, bounds, x.dtype, x.space), np.conjugate, x)


def complex_of(real: Any, imag: Any = 0) -> Data:
    """Return complex(real, imag), a number."""
    for part in (real, imag):
        if np.ndim(part if not isinstance(part, Data) else part.items):
            raise Undecided("complex() of an array")
    space = space_of(real, imag)
    found = add(real, multiply(imag, 1j) if isinstance(imag, Data) else 1j * imag)
    return result(*found.value(), np.dtype(complex), space)


def deliver(found: Data, out: Any = None) -> Data:
    """Return a result, written to `out` where there is one."""
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if out is None:
        return found
    if not isinstance(out, Data):
        raise Undecided(OTHER_ARRAY)
    if not np.can_cast(found.dtype, out.dtype, "same_kind"):
        words = f"a result of {found.dtype} is written into an array of {out.dtype}"
        raise raised(TypeError(words))
    if by_numpy(np.broadcast_shapes, found.shape, out.shape) != out.shape:
        raise raised(ValueError(f"a result of shape {found.shape} is written to {out.shape}"))
    out.assign(found)
    return out


def within(rule: Callable[[Any, Any], Data]) -> Callable[[Any, Any], Data]:
    """Return the operator that changes its left side: of a number it gives another one."""

    def act(one: Any, other: Any) -> Data:
        found = rule(one, other)
        is_array = isinstance(one, np.ndarray) or (isinstance(one, Data) and not one.scalar)
        return deliver(found, one) if is_array else found

    return act


BINARY: dict[str, Callable[[Any, Any], Data]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "**": power,
}
UNARY: dict[str, Callable[[Any], Data]] = {"neg": negative, "pos": positive}
WITHIN = {f"{sign}=": within(rule) for sign, rule in BINARY.items()}


def inputs(residues: Numbers, dtype: Any, space: Space) -> Data:
    """Return what a program is given: residues of shape (*shape, parts, K), of degree 1."""
    kind = np.dtype(dtype)
    items = space.made(residues, np.array([0, 0, 0, 1]), space.parts(kind))
    return Data(items, kind, space)


def tokens(numbers: Any, dtype: Any, space: Space) -> Data:
    """Return the elements of a vector by their numbers, which are moved only."""
    found = np.asarray(numbers, np.int64)[..., None, None]
    return Data(space.made(found, 0, 1), dtype, space)
