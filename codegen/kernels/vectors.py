"""Complex vectors under numba: W lanes, held as two machine vectors, W real and W imaginary parts.

Memory is an address, an integer; places are counted in complex elements. W elements lie there as
pairs (re, im, re, im, ..), as numpy has them, or split: W real parts, then W imaginary ones. Loads
and stores take several vectors at a time, places that are `stride` apart; `vector_arithmetic`
follows. `plain_vectors` has the same names for a text that is run without a compiler.
"""

from __future__ import annotations

from typing import Any

from codegen.kernels.host import (
    I32,
    Callable,
    Sequence,
    Typed,
    aligned,
    cgutils,
    features,
    intrinsic,
    ir,
    models,
    njit,
    np,
    register_default,
    types,
)

# What follows stands in emitted programs, byte for byte.

inline = njit(forceinline=True, error_model="numpy")
"""A function that is compiled by itself and then becomes part of the kernel."""
nested = njit(inline="always", error_model="numpy")
"""A function whose lines become lines of what calls it, and are compiled there: the quicker way for
one that calls others.
"""


class Vector(types.Type):
    """W complex numbers with parts of so many bytes."""

    def __init__(self, size: int, lanes: int) -> None:
        self.size, self.lanes = size, lanes
        self.half = ir.VectorType(ir.DoubleType() if size == 8 else ir.FloatType(), lanes)
        super().__init__(name=f"Vector({size}, {lanes})")


@register_default(Vector)
class VectorModel(models.PrimitiveModel):
    """A vector is a pair of vectors of LLVM."""

    def __init__(self, dmm: Any, fe_type: Vector) -> None:
        super().__init__(dmm, fe_type, ir.LiteralStructType([fe_type.half, fe_type.half]))


def widest(dtype: Any) -> int:
    """Return the number of lanes of the processor's vectors, at most 8: a butterfly of radix 8 with
    all it needs fits 32 of them.
    """
    bits = 512 if "avx512f" in features() else 256 if "avx2" in features() else 128
    return min(8, bits // 4 // np.dtype(dtype).itemsize)


@njit
def memory_of(array: Any) -> Any:
    """Return where an array begins, in a fifth of the time that `address` takes, once this is
    compiled for the kind of array.
    """
    return array.ctypes.data


def blank(count: int, dtype: Any) -> Any:
    """Return room for so many constants, which begins on a line."""
    return aligned(count, dtype)


def _joined(builder: Any, re: Any, im: Any) -> Any:
    pair = ir.Constant(ir.LiteralStructType([re.type, im.type]), ir.Undefined)
    return builder.insert_value(builder.insert_value(pair, re, 0), im, 1)


def _halves(builder: Any, v: Any) -> tuple[Any, Any]:
    return builder.extract_value(v, 0), builder.extract_value(v, 1)


def _shuffled(builder: Any, a: Any, b: Any, lanes: Sequence[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(I32, len(lanes)), list(lanes)))


def _spread(builder: Any, value: Any, half: Any) -> Any:
    one = builder.insert_element(ir.Constant(half, ir.Undefined), value, I32(0))
    return _shuffled(builder, one, one, [0] * half.count)


def _fused(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, by one instruction where the processor has it."""
    kind = ir.FunctionType(a.type, [a.type] * 3)
    name = f"llvm.fmuladd.v{a.type.count}{'f64' if a.type.element == ir.DoubleType() else 'f32'}"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [a, b, c])


def _pointers(
    builder: Any, memory: Any, place: Any, vector: Vector, one: bool = False
) -> list[Any]:
    """Return where the W parts from this place on are, and the next W; or where the two parts of
    one element are.
    """
    half = vector.half
    start = builder.inttoptr(memory, half.element.as_pointer())
    start = builder.gep(start, [builder.shl(place, ir.Constant(place.type, 1))])
    start = start if one else builder.bitcast(start, half.as_pointer())
    return [builder.gep(start, [I32(h)]) for h in (0, 1)]


def _places(builder: Any, place: Any, stride: Any, count: int) -> list[Any]:
    return [
        builder.add(place, builder.mul(stride, ir.Constant(stride.type, i))) for i in range(count)
    ]


def _loader(dtype: Any, lanes: int, read: Callable[..., Any]) -> Any:
    """Return the operation (memory, place, stride, count) -> vectors."""
    vector = Vector(np.dtype(dtype).itemsize // 2, lanes)

    @intrinsic(prefer_literal=True)
    def load(typing: Any, memory: Any, place: Any, stride: Any, count: Any) -> Typed:
        result = types.UniTuple(vector, count.literal_value)

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vectors = [
                read(builder, args[0], there, vector)
                for there in _places(builder, args[1], args[2], result.count)
            ]
            return context.make_tuple(builder, result, vectors)

        return result(types.int64, types.int64, types.int64, count), code

    return load


def _read_split(builder: Any, memory: Any, place: Any, vector: Vector) -> Any:
    return _joined(
        builder,
        *[
            builder.load(pointer, align=vector.size)
            for pointer in _pointers(builder, memory, place, vector)
        ],
    )


def _read_pairs(builder: Any, memory: Any, place: Any, vector: Vector) -> Any:
    a, b = (
        builder.load(pointer, align=vector.size)
        for pointer in _pointers(builder, memory, place, vector)
    )
    return _joined(
        builder, *[_shuffled(builder, a, b, range(h, 2 * vector.lanes, 2)) for h in (0, 1)]
    )


def _read_one(builder: Any, memory: Any, place: Any, vector: Vector) -> Any:
    parts = [
        builder.load(pointer, align=vector.size)
        for pointer in _pointers(builder, memory, place, vector, one=True)
    ]
    return _joined(builder, *[_spread(builder, part, vector.half) for part in parts])


def loads(dtype: Any, lanes: int) -> tuple[Any, Any, Any]:
    """Return load, load_pairs and broadcast for vectors of so many lanes: of split elements, of
    pairs, and of one element in all lanes.
    """
    return (
        _loader(dtype, lanes, _read_split),
        _loader(dtype, lanes, _read_pairs),
        _loader(dtype, lanes, _read_one),
    )


def lists(dtype: Any, lanes: int) -> Any:
    """Return load_lists, the operation (re, place, im, other, stride, count) -> vectors.

    Their real parts are W real numbers from a place of one memory on, their imaginary ones those
    from another place of another memory on; the next vector is `stride` further in both. Places are
    counted in real numbers.
    """
    vector = Vector(np.dtype(dtype).itemsize // 2, lanes)

    @intrinsic(prefer_literal=True)
    def load_lists(
        typing: Any, re: Any, place: Any, im: Any, other: Any, stride: Any, count: Any
    ) -> Typed:
        result = types.UniTuple(vector, count.literal_value)

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            sides = [_places(builder, at, args[4], result.count) for at in (args[1], args[3])]
            pointers = [
                [_real_pointer(builder, memory, at, vector) for at in side]
                for memory, side in zip((args[0], args[2]), sides, strict=True)
            ]
            halves = [
                [builder.load(pointer, align=vector.size) for pointer in side] for side in pointers
            ]
            return context.make_tuple(
                builder, result, [_joined(builder, *both) for both in zip(*halves, strict=True)]
            )

        return result(*[types.int64] * 5, count), code

    return load_lists


def _real_pointer(builder: Any, memory: Any, place: Any, vector: Vector) -> Any:
    """Return where the W real numbers from this place on are."""
    start = builder.gep(builder.inttoptr(memory, vector.half.element.as_pointer()), [place])
    return builder.bitcast(start, vector.half.as_pointer())


@intrinsic
def store_lists(
    typing: Any, re: Any, place: Any, im: Any, other: Any, stride: Any, vectors: Any
) -> Typed:
    """Put real and imaginary parts of vectors where load_lists finds them."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        for h, (memory, start) in enumerate((args[:2], args[2:4])):
            for i, there in enumerate(_places(builder, start, args[4], vectors.count)):
                half = _halves(builder, builder.extract_value(args[5], i))[h]
                builder.store(
                    half,
                    _real_pointer(builder, memory, there, vectors.dtype),
                    align=vectors.dtype.size,
                )
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5, vectors), code


def _storer(write: Callable[..., None]) -> Any:
    """Return the operation (memory, place, stride, vectors) that puts them there."""

    @intrinsic
    def store(typing: Any, memory: Any, place: Any, stride: Any, vectors: Any) -> Typed:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            for i, there in enumerate(_places(builder, args[1], args[2], vectors.count)):
                halves = _halves(builder, builder.extract_value(args[3], i))
                write(
                    builder,
                    _pointers(builder, args[0], there, vectors.dtype),
                    vectors.dtype,
                    *halves,
                )
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64, vectors), code

    return store


def _write(builder: Any, pointers: Sequence[Any], vector: Vector, *halves: Any) -> None:
    for pointer, half in zip(pointers, halves, strict=True):
        builder.store(half, pointer, align=vector.size)


def _write_past_caches(builder: Any, pointers: Sequence[Any], vector: Vector, *halves: Any) -> None:
    for pointer, half in zip(pointers, halves, strict=True):
        put = builder.store(half, pointer, align=vector.size * vector.lanes)
        put.set_metadata("nontemporal", builder.module.add_metadata([I32(1)]))


def _paired(write: Callable[..., None]) -> Callable[..., None]:
    """Return the function that writes re and im as pairs."""

    def write_pairs(
        builder: Any, pointers: Sequence[Any], vector: Vector, re: Any, im: Any
    ) -> None:
        mixed = [k // 2 + vector.lanes * (k % 2) for k in range(2 * vector.lanes)]
        low, high = mixed[: vector.lanes], mixed[vector.lanes :]
        write(
            builder,
            pointers,
            vector,
            _shuffled(builder, re, im, low),
            _shuffled(builder, re, im, high),
        )

    return write_pairs


store, store_pairs = _storer(_write), _storer(_paired(_write))
stream, stream_pairs = _storer(_write_past_caches), _storer(_paired(_write_past_caches))
"""The same past the caches, without reading what was there; memory begins on a line of 64 bytes,
and places are multiples of W.
"""


def _dealer(past_caches: bool) -> Any:
    """Return the operation (memory, place, stride, far, parts, vectors) that puts lanes q, q +
    parts, .. of each side by side, as pairs, q far on.
    """

    @intrinsic(prefer_literal=True)
    def deal(
        typing: Any, memory: Any, place: Any, stride: Any, far: Any, parts: Any, vectors: Any
    ) -> Typed:
        vector, count = vectors.dtype, parts.literal_value

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            for i, first in enumerate(_places(builder, args[1], args[2], vectors.count)):
                re, im = _halves(builder, builder.extract_value(args[5], i))
                for q, there in enumerate(_places(builder, first, args[3], count)):
                    pairs = _shuffled(
                        builder,
                        re,
                        im,
                        [
                            lane + h * vector.lanes
                            for lane in range(q, vector.lanes, count)
                            for h in (0, 1)
                        ],
                    )
                    pointer = builder.bitcast(
                        _pointers(builder, args[0], there, vector, one=True)[0],
                        pairs.type.as_pointer(),
                    )
                    put = builder.store(
                        pairs, pointer, align=vector.size * (pairs.type.count if past_caches else 1)
                    )
                    if past_caches:
                        put.set_metadata("nontemporal", builder.module.add_metadata([I32(1)]))
            return context.get_dummy_value()

        return types.void(*[types.int64] * 4, parts, vectors), code

    return deal


deal, stream_dealt = _dealer(False), _dealer(True)
