"""Random programs that are linear in an array, run on numbers of numpy and on exact elements.

A step draws a function, its arrays and what else it takes, and applies it with a library: numpy, or
the tables of the evaluator. Constants are dyadic, so floating-point numbers are exact.
"""

from __future__ import annotations

import operator
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from derive.fields import RootField
from proofs.certify.exact.arithmetic import inputs
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.data import Data
from proofs.certify.exact.data_functions import FUNCTIONS, MEMBERS, OPERATORS
from proofs.certify.exact.space import BOUNDS, Space

FIELD = RootField.draw(16, np.random.default_rng(5))
BY_SIGN = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
WITHIN = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "neg": operator.neg,
    "pos": operator.pos, "@": operator.matmul,
}  # fmt: skip


def in_numpy(name):
    return getattr(np.fft, name[4:]) if name.startswith("fft.") else getattr(np, name)


def on_data(name):
    def call(*given, **named):
        flat = [*given, *named.values()]
        flat += [one for each in flat if isinstance(each, list | tuple) for one in each]
        has = any(isinstance(one, Data) for one in flat)
        return (FUNCTIONS[name] if has else in_numpy(name))(*given, **named)

    return call


def by_table(sign):
    own = {**BY_SIGN, **WITHIN}[sign]

    def call(*given):
        has = any(isinstance(one, Data) for one in given)
        return (OPERATORS[sign] if has else own)(*given)

    return call


def method_of_data(array, name, *given, **named):
    return MEMBERS[Data][name].read(array).call(array, *given, **named)


def attribute_of_data(array, name):
    return MEMBERS[Data][name].read(array)


NUMPY = SimpleNamespace(
    call=in_numpy,
    sign=lambda sign: {**BY_SIGN, **WITHIN}[sign],
    method=lambda array, name, *given, **named: getattr(array, name)(*given, **named),
    attribute=getattr,
)
TABLES = SimpleNamespace(
    call=on_data, sign=by_table, method=method_of_data, attribute=attribute_of_data
)

SHAPES = [(4,), (2, 2), (8,), (2, 4), (1, 4), (2, 2, 2), (1,)]
CONSTANTS = [2, -1, 0.5, 1j, 1 + 0j, 0.25, -2j, 0, 1.0, 1 + 1j]
CODES = [2, -1, 4, 1, 3]


def space_of(count, dtype=complex, degree=1):
    return Space(dtype, count, Recognizer(FIELD, degree))


def unit_vectors(shape, dtype):
    """Return all unit vectors, and i times them where numbers are complex."""
    size = int(np.prod(shape))
    units = list(np.eye(size).reshape(size, *shape))
    found = [unit.astype(dtype) for unit in units]
    return found + [1j * unit for unit in found] * (np.dtype(dtype).kind == "c")


class Inexact(Exception):
    """A number is not dyadic, so that its floating-point value does not say which it is."""


def as_residues(values, parts):
    """Return dyadic numbers as residues; raise Inexact where one is none."""
    q, scaled = FIELD.q, np.asarray(values, complex) * 2.0**20
    sides = [scaled.real, scaled.imag][:parts]
    if not all((side == np.rint(side)).all() and (abs(side) < 2.0**50).all() for side in sides):
        raise Inexact
    whole = np.stack([side.astype(np.int64) % q for side in sides], axis=-1)
    return whole * pow(2**20, -1, q) % q


def data_of(vectors, dtype):
    """Return unit vectors as data, a stimulus for each."""
    space = space_of(len(vectors), dtype)
    parts = space.parts(dtype)
    return inputs(np.stack([as_residues(one, parts) for one in vectors], axis=-1), dtype, space)


def bounds_hold(data, values):
    """Return whether numbers are within their bounds, each for all stimuli.

    z = A x + B x*: from e_j and i e_j come A + B and i (A - B).
    """
    bounds = data.bounds()[..., 0, :].reshape(-1, BOUNDS)
    table = np.stack([np.asarray(one, complex).reshape(-1) for one in values], axis=-1)
    if data.space.dtype.kind == "c":
        plain, turned = np.split(table, 2, axis=-1)
        table = np.concatenate([(plain - 1j * turned) / 2, (plain + 1j * turned) / 2], axis=-1)
        whole = np.concatenate([plain, turned], axis=-1)
    else:
        whole = table
    large = np.abs(table).max(axis=-1, initial=0) <= 2.0 ** (bounds[:, 0] / 1024) * (1 + 1e-12)
    scaled = whole * 2.0 ** bounds[:, 1:2]
    integer = (scaled == np.rint(scaled.real) + 1j * np.rint(scaled.imag)).all(axis=-1)
    return bool(large.all() and integer.all())


@st.composite
def slices(draw, size):
    start, stop = draw(st.integers(-size - 1, size + 1)), draw(st.integers(-size - 1, size + 1))
    return slice(
        draw(st.sampled_from([None, start])),
        draw(st.sampled_from([None, stop])),
        draw(st.sampled_from([None, 1, 2, -1])),
    )


@st.composite
def indices(draw, shape):
    """Any index of an array: integers, slices, new axes, dots, arrays, masks."""
    if draw(st.integers(0, 5)) == 0 and shape and shape[0]:
        numbers = st.integers(-shape[0], shape[0] - 1)
        return draw(
            st.one_of(
                st.lists(numbers, min_size=1, max_size=4).map(np.array),
                st.lists(st.booleans(), min_size=shape[0], max_size=shape[0]).map(np.array),
            )
        )
    entries = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        if size and draw(st.booleans()):
            entries.append(draw(st.integers(-size, size - 1)))
        else:
            entries.append(draw(slices(size)))
    if draw(st.integers(0, 3)) == 0:
        entries.insert(draw(st.integers(0, len(entries))), None)
    if draw(st.integers(0, 3)) == 0:
        entries.insert(draw(st.integers(0, len(entries))), ...)
    return tuple(entries)


@st.composite
def constants(draw, shape):
    """A number, or an array that broadcasts with this shape."""
    if draw(st.booleans()):
        return draw(st.sampled_from(CONSTANTS))
    sizes = [draw(st.sampled_from([1, size])) for size in shape]
    cut = draw(st.integers(0, len(sizes)))
    values = st.lists(
        st.sampled_from(CONSTANTS), min_size=int(np.prod(sizes[cut:])),
        max_size=int(np.prod(sizes[cut:])),
    )  # fmt: skip
    return np.array(draw(values)).reshape(sizes[cut:])
