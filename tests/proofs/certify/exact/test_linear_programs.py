"""Programs that are linear in an array do on exact elements what they do on numbers of numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.certify.exact.data import Data
from proofs.certify.language.table_entries import Refuted, Undecided
from tests.support.linear_programs import (
    CODES,
    NUMPY,
    SHAPES,
    TABLES,
    Inexact,
    as_residues,
    bounds_hold,
    constants,
    data_of,
    indices,
    unit_vectors,
)
from tests.support.strategies import FEWER

FAILS = ValueError, TypeError, IndexError, np.exceptions.ComplexWarning


def matrix(draw, rows, columns):
    entries = draw(
        st.lists(st.sampled_from(CODES), min_size=rows * columns, max_size=rows * columns)
    )
    return np.array(entries, float).reshape(rows, columns)


def reads(draw, a):
    index = draw(indices(a.shape))
    return lambda lib, xs, i: xs[i][index]


def moves(draw, a):
    n, last = max(a.ndim, 1), a.ndim - 1
    axis = draw(st.integers(-n, n - 1))
    name, rest = draw(
        st.sampled_from(
            [
                ("transpose", ()),
                ("ravel", ()),
                ("reshape", (-1,)),
                ("reshape", ((2, -1),)),
                ("reshape", ((2, 2, -1), "F")),
                ("swapaxes", (0, last)),
                ("moveaxis", (0, last)),
                ("expand_dims", (axis,)),
                ("squeeze", ()),
                ("flip", (axis,)),
                ("flip", ()),
                ("roll", (1, axis)),
                ("roll", (3,)),
                ("repeat", (2, axis)),
                ("tile", (2,)),
                ("fft.fftshift", ()),
                ("fft.ifftshift", (axis,)),
                ("atleast_2d", ()),
                ("broadcast_to", ((2, *a.shape),)),
                ("take", ([0, -1], axis)),
                ("take", (np.array([[1, 5], [0, 7]]), axis, None, "wrap")),
                ("take", (np.array([-3, 9]), None, None, "clip")),
                ("copy", ()),
                ("ascontiguousarray", ()),
                ("asfortranarray", ()),
                ("asarray", (complex,)),
                ("zeros_like", ()),
                ("ones_like", ()),
                ("full_like", (2.0,)),
                ("pad", (1,)),
            ]
        )
    )
    return lambda lib, xs, i: lib.call(name)(xs[i], *rest)


def views(draw, a):
    name = draw(st.sampled_from(["real", "imag", "T", "float", "complex", "flatten", "copy F"]))
    if name in ("real", "imag", "T"):
        return lambda lib, xs, i: lib.attribute(xs[i], name)
    if name in ("float", "complex"):
        return lambda lib, xs, i: lib.method(xs[i], "view", name)
    order = name.split()[1:]
    return lambda lib, xs, i: lib.method(xs[i], name.split()[0], *order)


def converts(draw, a):
    kind = draw(st.sampled_from([complex, np.complex64, float]))
    return lambda lib, xs, i: lib.method(xs[i], "astype", kind)


def computes(draw, a):
    sign, c = draw(st.sampled_from("+-*")), draw(constants(a.shape))
    if draw(st.booleans()):
        return lambda lib, xs, i: lib.sign(sign)(xs[i], c)
    return lambda lib, xs, i: lib.sign(sign)(c, xs[i])


def divides(draw, a):
    c = draw(st.sampled_from([2, 0.5, 1j, np.float64(4), np.array([2.0])]))
    return lambda lib, xs, i: lib.sign("/")(xs[i], c)


def one_sided(draw, a):
    if draw(st.booleans()):
        sign = draw(st.sampled_from(["neg", "pos"]))
        return lambda lib, xs, i: lib.sign(sign)(xs[i])
    name = draw(st.sampled_from(["conj", "negative", "real", "imag", "positive"]))
    return lambda lib, xs, i: lib.call(name)(xs[i])


def with_another(draw, a):
    name = draw(st.sampled_from(["add", "subtract"]))
    return lambda lib, xs, i: lib.call(name)(xs[i], xs[-1])


def into_another(draw, a):
    name, c = draw(st.sampled_from(["add", "multiply", "subtract"])), draw(constants(a.shape))
    return lambda lib, xs, i: lib.call(name)(xs[i], c, out=xs[-1])


def changes(draw, a):
    sign, c = draw(st.sampled_from(["+=", "-=", "*="])), draw(constants(a.shape))

    def act(lib, xs, i):
        xs[i] = lib.sign(sign)(xs[i], c)
        return xs[i]

    return act


def writes(draw, a):
    index, whole = draw(indices(a.shape)), draw(st.booleans())
    number = draw(st.sampled_from([0, 1, 2j]))

    def act(lib, xs, i):
        xs[i][index] = xs[-1] if whole else number
        return xs[i]

    return act


def copies(draw, a):
    mask = np.array(draw(st.lists(st.booleans(), min_size=2, max_size=2)))
    where = draw(st.sampled_from([True, mask]))

    def act(lib, xs, i):
        # a copy: numpy looks at no mask where an array is copied onto itself
        lib.call("copyto")(xs[i], lib.call("copy")(xs[-1]), where=where)
        return xs[i]

    return act


def transforms(draw, a):
    name = draw(st.sampled_from(["fft", "ifft", "fftn", "ifftn", "fft2", "rfft", "irfft", "rfftn"]))
    norm = draw(st.sampled_from([None, "backward", "forward"]))
    n = max(a.ndim, 1)
    axis = draw(st.integers(-n, n - 1))
    if name in ("fftn", "ifftn", "rfftn"):
        axes = draw(st.sampled_from([None, (0,), (-1, 0), (0, -1)]))
        return lambda lib, xs, i: lib.call(f"fft.{name}")(xs[i], axes=axes, norm=norm)
    if name == "fft2":
        return lambda lib, xs, i: lib.call("fft.fft2")(xs[i], norm=norm)
    points = draw(st.sampled_from([None, 4, 2]))
    return lambda lib, xs, i: lib.call(f"fft.{name}")(xs[i], points, axis=axis, norm=norm)


def joins(draw, a):
    name = draw(st.sampled_from(["concatenate", "stack", "hstack", "vstack", "column_stack"]))
    if name in ("concatenate", "stack"):
        axis = draw(st.integers(-1, 1))
        return lambda lib, xs, i: lib.call(name)([xs[i], xs[-1]], axis=axis)
    return lambda lib, xs, i: lib.call(name)((xs[i], xs[-1], xs[i]))


def splits(draw, a):
    name = draw(st.sampled_from(["split", "array_split", "hsplit", "vsplit"]))
    return lambda lib, xs, i: lib.call(name)(xs[i], 2)[-1]


def chooses(draw, a):
    mask = np.array(draw(st.lists(st.booleans(), min_size=a.shape[-1], max_size=a.shape[-1])))
    return lambda lib, xs, i: lib.call("where")(mask, xs[i], 2.0)


def contracts(draw, a):
    inner, outer = a.shape[-1], draw(st.integers(1, 3))
    m = matrix(draw, inner, outer)
    first = matrix(draw, 2, a.shape[0])
    choice = draw(st.integers(0, 9))
    letters = "abcd"[: a.ndim]
    return [
        lambda lib, xs, i: lib.sign("@")(xs[i], m),
        lambda lib, xs, i: lib.sign("@")(first, xs[i]),
        lambda lib, xs, i: lib.call("dot")(xs[i], m),
        lambda lib, xs, i: lib.call("dot")(first, xs[i]),
        lambda lib, xs, i: lib.call("tensordot")(xs[i], m, axes=1),
        lambda lib, xs, i: lib.call("tensordot")(first, xs[i], axes=([1], [0])),
        lambda lib, xs, i: lib.call("einsum")("...i,ij->j...", xs[i], m),
        lambda lib, xs, i: lib.call("einsum")(
            f"{letters},{letters[0]}->{letters}", xs[i], first[0]
        ),
        lambda lib, xs, i: lib.call("outer")(xs[i], m[0]),
        lambda lib, xs, i: lib.call("einsum")(f"{letters}->{letters[::-1]}", xs[i]),
    ][choice]


def sums(draw, a):
    name = draw(st.sampled_from(["sum", "cumsum", "mean"]))
    axis = draw(st.sampled_from([None, 0, -1]))
    if name == "sum" and draw(st.booleans()):
        return lambda lib, xs, i: lib.call("sum")(xs[i], axis=axis, keepdims=True)
    return lambda lib, xs, i: lib.call(name)(xs[i], axis)


STEPS = (
    *(reads, reads, moves, moves, moves, views, views, converts, computes, computes, divides),
    *(one_sided, with_another, into_another, changes, writes, writes, copies, transforms),
    *(transforms, joins, splits, chooses, contracts, contracts, sums),
)


def applied(step, lib, xs, i, fails):
    try:
        found = step(lib, xs, i)
    except fails as error:
        return error
    if not isinstance(found, list | tuple):
        xs.append(found)
    return None


def lies(array):
    flags = array.items.flags if isinstance(array, Data) else array.flags
    writeable = array.writeable if isinstance(array, Data) else flags.writeable
    return array.shape, array.dtype, flags.c_contiguous, flags.f_contiguous, writeable


def items_of(array):
    return array.items if isinstance(array, Data) else array


def demand_same(data, runs):
    """Raise AssertionError unless data are what numbers are, and within their bounds."""
    for array, *numbers in zip(data, *runs, strict=True):
        assert lies(array) == lies(np.asarray(numbers[0]) if array.scalar else numbers[0]) or (
            array.scalar and array.dtype == numbers[0].dtype
        )
        wanted = np.stack([as_residues(one, array.parts) for one in numbers], axis=-1)
        found = array.numbers[..., : array.space.stimuli]
        assert (found == wanted).all()
        assert bounds_hold(array, numbers)


@pytest.mark.filterwarnings("error::numpy.exceptions.ComplexWarning")
@FEWER
@given(st.data())
def test_elements_are_what_numbers_are(data):
    compare(data)


def compare(data):
    """Draw a program, and raise AssertionError unless elements are what numbers are."""
    dtype = data.draw(st.sampled_from([complex, complex, float]))
    shape = data.draw(st.sampled_from(SHAPES))
    vectors = unit_vectors(shape, dtype)
    runs, exact = [[one] for one in vectors], [data_of(vectors, dtype)]
    for _ in range(data.draw(st.integers(1, 7))):
        i = data.draw(st.integers(0, len(exact) - 1))
        if not exact[i].size or exact[i].size > 64 or not exact[i].ndim:
            continue
        step = data.draw(st.sampled_from(STEPS))(data.draw, exact[i])
        errors = [applied(step, NUMPY, run, i, FAILS) for run in runs]
        error = applied(step, TABLES, exact, i, (Refuted, Undecided))
        if errors[0] is not None:
            assert error is not None
            return
        if isinstance(error, Undecided):
            return
        assert error is None, error
    try:
        demand_same(exact, runs)
    except Inexact:
        return
    for one, (a, b) in enumerate(zip(exact, runs[0], strict=True)):
        for c, d in zip(exact[:one], runs[0][:one], strict=True):
            assert np.shares_memory(items_of(a), items_of(c)) == np.shares_memory(b, d)
