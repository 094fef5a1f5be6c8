"""What stands for numpy's functions and arrays: results that lie in memory as numpy's do, and every
argument honoured or refused by name.
"""

import inspect
import pickle

import numpy as np
import pytest

from derive.fields import RootField, progression
from proofs.certify.arrays.arguments import signature_of
from proofs.certify.exact.constants import Recognizer
from proofs.certify.arrays.elements import Elements, Exact
from proofs.certify.arrays.numpy_stand_in import numpy_of, numpy_with_poison
from proofs.certify.arrays.tokens import Opaque, Tokens
from proofs.certify.forbidden import Forbidden, Unmodelled
from proofs.certify.evaluation.usage import by_numpy

ORDER = 64
RECOGNIZER = Recognizer(RootField.draw(ORDER, np.random.default_rng(1), progression(ORDER)))
LAYOUTS = {
    "in rows": lambda v, shape: v[: v.size // 2].reshape(shape),
    "in columns": lambda v, shape: v[: v.size // 2].reshape(shape[::-1]).T,
    "with gaps": lambda v, shape: v.reshape(*shape, 2)[..., 0],
    "backwards": lambda v, shape: v[: v.size // 2].reshape(shape)[::-1],
    "turned": lambda v, shape: (
        v[: v.size // 2].reshape(shape[-1], *shape[:-1]).transpose(*range(1, len(shape)), 0)
    ),
}
SHAPES_OF_ARRAYS = ((6,), (2, 6), (4, 4), (2, 3, 4))


def both(kind, shape, layout):
    """Return numpy's array of this layout, and one of elements with the same entries."""
    values = np.arange(2 * int(np.prod(shape)))
    if kind is Tokens:
        mine = Tokens.of(values, np.complex128)
    else:
        mine = Elements.zeros(values.size, np.complex128, RECOGNIZER, 3)
        mine[...] = values
    return LAYOUTS[layout](values.astype(complex), shape), LAYOUTS[layout](mine, shape)


MOVES = {
    "copy as it lies": np.copy,
    "copy in rows": lambda x: x.copy(),
    "copy in columns": lambda x: x.copy("F"),
    "copy in either": lambda x: x.copy("A"),
    "reshape": lambda x: x.reshape(2, -1),
    "reshape in columns": lambda x: x.reshape(2, -1, order="F"),
    "reshape as it lies": lambda x: np.reshape(x, -1, order="A"),
    "ravel": lambda x: x.ravel(),
    "ravel in columns": lambda x: np.ravel(x, order="F"),
    "flatten in columns": lambda x: x.flatten("F"),
    "astype": lambda x: x.astype(complex),
    "astype in columns": lambda x: x.astype(complex, order="F", copy=False),
    "astype where it is so": lambda x: x.astype(complex, copy=False),
    "take": lambda x: np.take(x, [1, 0, 1], axis=-1),
    "an index": lambda x: x[[1, 0]],
    "an index of the last axis": lambda x: x[..., [1, 0, 1]],
    "truth values": lambda x: x[np.arange(x.shape[0]) > 0],
    "concatenate": lambda x: np.concatenate([x, x], axis=-1),
    "concatenate all": lambda x: np.concatenate([x, x], axis=None),
    "stack": lambda x: np.stack([x, x], axis=-1),
    "vstack": lambda x: np.vstack([x, x]),
    "hstack": lambda x: np.hstack([x, x]),
    "dstack": lambda x: np.dstack([x, x]),
    "column_stack": lambda x: np.column_stack([x, x]),
    "split": lambda x: np.split(x, 2, axis=-1)[1],
    "array_split": lambda x: np.array_split(x, 3)[0],
    "hsplit": lambda x: np.hsplit(x, 2)[1],
    "roll": lambda x: np.roll(x, 1),
    "roll of two axes": lambda x: np.roll(x, (1, 2), axis=(0, -1)),
    "flip": np.flip,
    "flipud": np.flipud,
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "transpose": np.transpose,
    "expand_dims": lambda x: np.expand_dims(x, (0, -1)),
    "squeeze": lambda x: np.squeeze(x[:1], 0),
    "repeat": lambda x: np.repeat(x, 2, axis=0),
    "tile": lambda x: np.tile(x, (2, 1)),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, *x.shape)),
    "atleast_2d": np.atleast_2d,
    "fftshift": np.fft.fftshift,
    "ifftshift": lambda x: np.fft.ifftshift(x, axes=0),
    "an axis that is none": lambda x: np.concatenate([x, x], axis=4),
    "another axis that is none": lambda x: np.moveaxis(x, 0, 7),
}


def flags_of(x):
    """Return how an array lies in memory, by the names that a program may ask for."""
    return [
        getattr(x.flags, name)
        for name in (
            "c_contiguous",
            "f_contiguous",
            "contiguous",
            "writeable",
            "behaved",
            "aligned",
            "carray",
        )
    ]


SUMS = {
    "a sum of arrays": lambda x: x + x,
    "a product": lambda x: x * 1j,
    "a conjugate": np.conjugate,
    "a sum of rows": lambda x: x + np.arange(x.shape[-1]),
    "a real part": lambda x: x.real,
    "an imaginary part, copied": lambda x: x.imag.copy("K"),
    "a sum of entries": lambda x: x.sum(axis=0),
    "a reduction": np.add.reduce,
    "a product of matrices": lambda x: x @ np.eye(x.shape[-1]),
    "another product of matrices": lambda x: np.eye(x.shape[0]) @ x.reshape(len(x), -1),
    "zeros like it": np.zeros_like,
    "zeros of another shape like it": lambda x: np.zeros_like(x, shape=(4, 3)),
    "ones like it in columns": lambda x: np.ones_like(x, order="F"),
    "threes like it": lambda x: np.full_like(x, 3),
}


def same(numpys, mine):
    """Return whether an array of elements is like numpy's: its entries, its type, how it lies."""
    if (numpys.shape, numpys.dtype) != (mine.shape, mine.dtype):
        return False
    flags = (
        [(x.flags.c_contiguous, x.flags.f_contiguous) for x in (numpys, mine)]
        if numpys.ndim
        else [0, 0]
    )
    if isinstance(mine, Tokens):
        return flags[0] == flags[1] and np.array_equal(numpys.real.astype(int), mine.tokens)
    residues = RECOGNIZER.recognize(numpys).residues[..., : mine.parts.shape[-2]]
    return flags[0] == flags[1] and np.array_equal(residues, mine.parts[..., 0])


def ended(call):
    """Return the result of a call, or the type of the error that it ends with."""
    try:
        return call()
    except Forbidden:
        raise
    except Exception as error:
        return type(error)


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *((kind, name) for kind in (Elements, Tokens) for name in MOVES),
        *((Elements, name) for name in SUMS),
    ],
)
def test_results_lie_in_memory_as_those_of_numpy_do(kind, name, layout):
    for shape in SHAPES_OF_ARRAYS:
        of_numpy, mine = both(kind, shape, layout)
        wanted, found = (ended(lambda x=x: (MOVES | SUMS)[name](x)) for x in (of_numpy, mine))
        if isinstance(wanted, type):
            assert found is wanted
        else:
            assert same(wanted, found), shape
            assert np.shares_memory(wanted, of_numpy) == np.shares_memory(
                found.parts, mine.parts
            ), shape


def test_a_number_as_an_array_is_a_new_one():
    numbers = numpy_of(Exact(np.dtype(complex), RECOGNIZER, 3))
    for x, module in zip(both(Elements, (6,), "in rows"), (np, numbers), strict=True):
        entry = x[0]
        array = module.asarray(entry)
        assert array is not entry and array.flags.writeable and array.shape == ()


def test_a_product_of_stacked_matrices_in_columns_is_not_modelled():
    x = both(Elements, (2, 2, 3, 4), "in columns")[1]
    with pytest.raises(Unmodelled, match="that do not lie in rows"):
        np.matmul(x, np.eye(4))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "transform", [np.fft.fft, np.fft.ifft, lambda x, axis: np.fft.rfft(x.real, axis=axis)]
)
@pytest.mark.parametrize("axis", [0, -1])
def test_transforms_lie_in_memory_as_those_of_numpy_do(transform, axis, layout):
    of_numpy, mine = both(Elements, (4, 4), layout)
    wanted, found = transform(of_numpy, axis=axis), transform(mine, axis=axis)
    assert wanted.shape == found.shape
    assert (wanted.flags.c_contiguous, wanted.flags.f_contiguous) == (
        found.flags.c_contiguous,
        found.flags.f_contiguous,
    )


FACTS = {
    "atleast_1d of an array is itself": lambda x: np.atleast_1d(x) is x,
    "atleast_2d of an array of two axes is itself": lambda x: np.atleast_2d(x) is x,
    "a squeeze of no axis is itself": lambda x: x.squeeze() is x,
    "a squeeze of an axis is another": lambda x: np.squeeze(x[:1]) is x,
    "its type is the one that there is": lambda x: x.dtype is np.dtype(complex),
    "its even entries and its odd ones": lambda x: (
        np.shares_memory(x[::2], x[1::2]),
        np.may_share_memory(x[::2], x[1::2]),
    ),
    "its halves": lambda x: (np.shares_memory(x[:1], x[1:]), np.may_share_memory(x[:1], x[1:])),
    "how an entry lies": lambda x: flags_of(x[(0,) * x.ndim]),
    "how an array lies": flags_of,
    "how every second entry lies": lambda x: flags_of(x[::2]),
}


@pytest.mark.parametrize("kind", [Elements, Tokens])
@pytest.mark.parametrize("name", FACTS)
def test_what_a_program_may_ask_of_an_array_is_as_of_numpys(name, kind):
    for shape in SHAPES_OF_ARRAYS:
        assert FACTS[name](both(kind, shape, "in rows")[0]) == FACTS[name](
            both(kind, shape, "in rows")[1]
        ), shape


def test_a_type_that_was_sent_is_the_one_that_there_is():
    for name in ("complex128", "float32", "U4"):
        assert by_numpy(pickle.loads(pickle.dumps(np.dtype(name)))) == np.dtype(name)
    assert by_numpy(pickle.loads(pickle.dumps(np.dtype(complex)))) is np.dtype(complex)


ODD = {
    "order": ("F", "A"),
    "subok": (True,),
    "device": ("cpu",),
    "copy": (False, True),
    "shape": ((2, 8), 16),
    "dtype": (np.complex64, np.complex128, np.clongdouble),
    "casting": ("no", "unsafe"),
    "where": (np.array([True, False, True, False]),),
    "initial": (1,),
    "keepdims": (True,),
    "out": (None,),
    "axis": (0, -1),
    "axes": ((1, 0),),
    "mode": ("wrap", "clip"),
    "n": (4, 2, 8),
    "norm": ("ortho",),
    "max_work": (0,),
    "signature": ("DD->D",),
    "ndmin": (3,),
    "like": (np.zeros(1),),
    "fill_value": (2,),
}
"""For every argument that numpy's functions have beside the arrays, values that may make a
difference.
"""
FIRST = {
    np.copyto: lambda x: (x.copy(), x),
    np.take: lambda x: (x, [1, 0]),
    np.roll: lambda x: (x, 1),
    np.moveaxis: lambda x: (x, 0, 1),
    np.swapaxes: lambda x: (x, 0, 1),
    np.reshape: lambda x: (x, (2, 8)),
    np.concatenate: lambda x: ([x, x],),
    np.stack: lambda x: ([x, x],),
    np.vstack: lambda x: ([x, x],),
    np.hstack: lambda x: ([x, x],),
    np.dstack: lambda x: ([x, x],),
    np.column_stack: lambda x: ([x, x],),
    np.split: lambda x: (x, 2),
    np.array_split: lambda x: (x, 2),
    np.hsplit: lambda x: (x, 2),
    np.vsplit: lambda x: (x, 2),
    np.expand_dims: lambda x: (x, 0),
    np.repeat: lambda x: (x, 2),
    np.tile: lambda x: (x, 2),
    np.broadcast_to: lambda x: (x, (2, 4, 4)),
    np.full_like: lambda x: (x, 2),
    np.dot: lambda x: (x, np.eye(4)),
    np.may_share_memory: lambda x: (x, x),
    np.shares_memory: lambda x: (x, x),
}
"""What numpy's functions are given before anything else, where that is not the array alone."""
WALKED = [
    function
    for function in Elements.functions
    if signature_of(function) is not None and function is not np.dsplit
]
TRANSFORMS = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.empty_like)


@pytest.mark.filterwarnings("ignore")  # numpy's own, of complex numbers that become real
@pytest.mark.parametrize("function", WALKED, ids=lambda function: function.__name__)
def test_every_argument_of_a_function_is_honoured_or_refused_by_name(function):
    _walks(function, lambda x: function, FIRST.get(function, lambda x: (x,)))


METHODS = {
    "reshape": lambda x: ((2, 8),),
    "transpose": lambda x: (),
    "swapaxes": lambda x: (0, 1),
    "ravel": lambda x: (),
    "flatten": lambda x: (),
    "copy": lambda x: (),
    "astype": lambda x: (complex,),
    "sum": lambda x: (),
    "dot": lambda x: (np.eye(4),),
}
BESIDE = {"sum": ("keepdims", "initial", "where"), "reshape": (), "transpose": ()}


@pytest.mark.parametrize("method", METHODS)
def test_every_argument_of_a_method_is_honoured_or_refused_by_name(method):
    _walks(
        getattr(np.ndarray, method),
        lambda x: getattr(x, method),
        METHODS[method],
        BESIDE.get(method, ()),
    )


UFUNCS = (np.add, np.multiply, np.negative, np.conjugate)


@pytest.mark.filterwarnings("ignore:'where' used without 'out'")
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_every_argument_of_arithmetic_is_honoured_or_refused_by_name(ufunc):
    arguments = ("where", "casting", "order", "dtype", "subok", "signature")
    _walks(ufunc, lambda x: ufunc, lambda x: (x, 2)[: ufunc.nin], arguments)


def _walks(function, bound, first, beside=()):
    """Call numpy's function with every argument that it has, on an array in columns, and want
    numpy's result, or the argument refused by name.
    """
    try:
        known = [
            name
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind is not parameter.VAR_POSITIONAL
        ]
    except ValueError:
        known = []
    for argument in {*known, *beside} & ODD.keys():
        for value in ODD[argument]:
            of_numpy, mine = both(Elements, (4, 4), "in columns")
            if function in (np.fft.rfft,):
                of_numpy, mine = of_numpy.real, mine.real
            wanted = ended(lambda x=of_numpy, given={argument: value}: bound(x)(*first(x), **given))
            try:
                found = ended(lambda x=mine, given={argument: value}: bound(x)(*first(x), **given))
            except Forbidden as refused:
                refusal = str(refused)
                assert argument in refusal or "loses" in refusal or function in TRANSFORMS, refusal
                continue
            _like(wanted, found, function)


def _like(wanted, found, function):
    if isinstance(wanted, type) or isinstance(found, type):
        assert isinstance(wanted, type) and isinstance(found, type), (wanted, found)
    elif isinstance(wanted, list | tuple):
        for one, other in zip(wanted, found, strict=True):
            _like(one, other, function)
    elif (
        isinstance(found, Elements)
        and function not in TRANSFORMS
        and wanted.dtype != np.clongdouble
    ):
        assert same(np.asarray(wanted), found)
    elif isinstance(found, Elements):
        assert (np.shape(wanted), wanted.dtype) == (found.shape, found.dtype)
    else:
        assert wanted is None or wanted == found


def numpys():
    return numpy_of(Exact(np.dtype(complex), RECOGNIZER, 3))


MAKERS = {
    "empty": ((2, 3), complex),
    "zeros": ((2, 3), complex),
    "ones": ((2, 3), complex),
    "full": ((2, 3), 2, complex),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    "options",
    [{}, {"order": "F"}, {"order": "C"}, {"device": None}, {"device": "cpu"}, {"like": None}],
    ids=str,
)
def test_new_arrays_lie_as_they_are_asked_to(name, options):
    wanted, found = (getattr(module, name)(*MAKERS[name], **options) for module in (np, numpys()))
    assert isinstance(found, Elements)
    assert (wanted.flags.c_contiguous, wanted.flags.f_contiguous) == (
        found.flags.c_contiguous,
        found.flags.f_contiguous,
    )
    if name == "empty":
        assert (found.parts == -1).all()


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"like": np.zeros(1)}, Unmodelled),
        ({"device": "gpu"}, Unmodelled),
        ({"order": "K"}, ValueError),
    ],
)
def test_new_arrays_refuse_what_they_do_not_honour(name, options, error):
    with pytest.raises(error, match=next(iter(options))):
        getattr(numpys(), name)(*MAKERS[name], **options)


@pytest.mark.parametrize("order", ["C", "F"])
def test_ordinary_arrays_keep_their_order_and_hold_no_number(order):
    for array in (
        numpy_with_poison().empty((2, 3), float, order),
        numpy_with_poison().empty_like(np.zeros((2, 3), order=order)),
        numpy_with_poison().empty((2, 3), float, order=order),
    ):
        assert (array.flags.c_contiguous, array.flags.f_contiguous) == (order == "C", order == "F")
        assert np.isnan(array).all()


CONVERSIONS = {
    "asarray": (
        {},
        {"order": "C"},
        {"order": "F"},
        {"order": "K"},
        {"copy": True},
        {"copy": None},
        {"dtype": complex},
        {"dtype": np.clongdouble},
    ),
    "asanyarray": ({}, {"order": "C"}, {"order": "F"}),
    "array": (
        {},
        {"order": "C"},
        {"order": "F"},
        {"copy": False},
        {"copy": None},
        {"subok": True},
        {"ndmin": 0},
        {"ndmin": 2},
    ),
    "ascontiguousarray": ({}, {"dtype": complex}),
    "asfortranarray": ({}, {"dtype": complex}),
    "require": (
        {},
        {"requirements": "C"},
        {"requirements": ["F", "W"]},
        {"requirements": ["C", "A"]},
        {"requirements": "O"},
        {"requirements": None},
    ),
    "copy": ({}, {"order": "C"}, {"order": "F"}, {"subok": True}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("name", "options"),
    [(name, options) for name, all_ in CONVERSIONS.items() for options in all_],
    ids=str,
)
def test_conversions_copy_where_numpy_does_or_say_what_they_do_not_honour(name, options, layout):
    of_numpy, mine = both(Elements, (4, 4), layout)
    wanted = ended(lambda: getattr(np, name)(of_numpy, **options))
    if options in ({"ndmin": 2}, {"requirements": "O"}):
        with pytest.raises(Unmodelled, match=next(iter(options))):
            getattr(numpys(), name)(mine, **options)
        return
    found = ended(lambda: getattr(numpys(), name)(mine, **options))
    if isinstance(wanted, type):
        assert found is wanted
        return
    assert (wanted.flags.c_contiguous, wanted.flags.f_contiguous) == (
        found.flags.c_contiguous,
        found.flags.f_contiguous,
    )
    assert np.shares_memory(wanted, of_numpy) == np.shares_memory(found.parts, mine.parts)


def test_arrays_of_objects_begin_with_none():
    for module in (numpys(), numpy_with_poison(), numpy_of(Opaque(np.dtype(float)))):
        assert module.empty(2, object).tolist() == [None, None]
