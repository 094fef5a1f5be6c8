"""Lines of 64 bytes under numba: load, store, stream, prefetch, permute, exchange.

Memory is an address, an integer; places are counted in lines. A line has 64 / itemsize lanes with
one element each; elements of 16 bytes and more are handled as words of 8 bytes. `plain` has the
same names for a text that is run without a compiler.
"""

from __future__ import annotations

from typing import Any

from codegen.kernels.host import (
    I32,
    I64,
    Sequence,
    Typed,
    cgutils,
    features,
    intrinsic,
    ir,
    models,
    register_default,
    types,
)
from codegen.kernels.host import address as address
from codegen.kernels.host import aligned as aligned
from codegen.kernels.host import begins_on_line as begins_on_line
from codegen.kernels.host import compiled as compiled
from codegen.kernels.host import fence as fence

# What follows stands in emitted programs, byte for byte.

PERMUTE = {
    8: ("avx512f", "di"),
    4: ("avx512f", "si"),
    2: ("avx512bw", "hi"),
    1: ("avx512vbmi", "qi"),
}
"""Bytes of a word: the feature that has an instruction to permute a line by an index vector, and
the letters of its name.
"""


class Line(types.Type):
    """64 bytes as `lanes` elements; in LLVM a vector of words of at most 8 bytes, `parts` of them
    an element.
    """

    def __init__(self, itemsize: int) -> None:
        self.lanes, self.word, self.parts = 64 // itemsize, min(itemsize, 8), max(itemsize // 8, 1)
        super().__init__(name=f"Line({itemsize})")


@register_default(Line)
class LineModel(models.PrimitiveModel):
    """A line is a vector of LLVM."""

    def __init__(self, dmm: Any, fe_type: Line) -> None:
        super().__init__(dmm, fe_type, _vector(fe_type))


def _vector(line: Line) -> Any:
    return ir.VectorType(ir.IntType(8 * line.word), 64 // line.word)


def _pointer(builder: Any, base: Any, place: Any, vector: Any) -> Any:
    """Return the address of a line."""
    return builder.inttoptr(
        builder.add(base, builder.shl(place, ir.Constant(base.type, 6))), vector.as_pointer()
    )


def _shuffle(lanes: Sequence[int], parts: int) -> Any:
    """Return the constant of a shuffle of words, from that of the elements."""
    return ir.Constant(
        ir.VectorType(I32, len(lanes) * parts),
        [lane * parts + part for lane in lanes for part in range(parts)],
    )


@intrinsic(prefer_literal=True)
def load(typing: Any, memory: Any, place: Any, itemsize: Any) -> Typed:
    """Return the line at this place."""
    line = Line(itemsize.literal_value)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(builder, args[0], args[1], _vector(line)), align=1)

    return line(types.int64, types.int64, itemsize), code


@intrinsic
def store(typing: Any, memory: Any, place: Any, line: Any) -> Typed:
    """Put a line at this place."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(builder, args[0], args[1], args[2].type), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, line), code


@intrinsic
def stream(typing: Any, memory: Any, place: Any, line: Any) -> Typed:
    """Put a line at this place past the caches, without reading it first; the address is a multiple
    of 64.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        put = builder.store(args[2], _pointer(builder, args[0], args[1], args[2].type), align=64)
        put.set_metadata("nontemporal", builder.module.add_metadata([I32(1)]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, line), code


@intrinsic
def prefetch(typing: Any, memory: Any, place: Any) -> Typed:
    """Ask for a line that will be loaded soon."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(builder, args[0], args[1], ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, I32, I32, I32])
        builder.call(
            cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0"),
            [pointer, I32(0), I32(3), I32(1)],
        )
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), code


@intrinsic
def permute(typing: Any, line: Any, index: Any, flip: Any) -> Typed:
    """Return the line with element index[lane] ^ flip in each lane; an index vector is a line,
    too.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = args[0].type
        one = builder.mul(args[2], args[2].type(line.parts))
        one = builder.trunc(one, vector.element) if line.word < 8 else one
        flips = builder.insert_element(ir.Constant(vector, ir.Undefined), one, I32(0))
        flips = builder.shuffle_vector(
            flips, flips, ir.Constant(ir.VectorType(I32, vector.count), [0] * vector.count)
        )
        index = builder.xor(args[1], flips)
        feature, name = PERMUTE[line.word]
        if feature not in features():
            return _permute_in_memory(builder, args[0], index)
        kind = ir.FunctionType(vector, [vector, vector])
        return builder.call(
            cgutils.get_or_insert_function(
                builder.module, kind, f"llvm.x86.avx512.permvar.{name}.512"
            ),
            [args[0], index],
        )

    return line(line, index, types.int64), code


def _permute_in_memory(builder: Any, vector: Any, index: Any) -> Any:
    """Return a line permuted word by word, for processors without an instruction for it."""
    slot = cgutils.alloca_once(builder, vector.type)
    builder.store(vector, slot)
    words = builder.bitcast(slot, vector.type.element.as_pointer())
    out = ir.Constant(vector.type, ir.Undefined)
    for lane in range(vector.type.count):
        place = builder.extract_element(index, I32(lane))
        place = place if place.type.width == 64 else builder.zext(place, I64)
        out = builder.insert_element(out, builder.load(builder.gep(words, [place])), I32(lane))
    return out


@intrinsic(prefer_literal=True)
def exchange(typing: Any, v: Any, w: Any, bit: Any) -> Typed:
    """Return v and w after the lanes of v that have this bit and the lanes of w that have it not
    have changed places.
    """
    lanes, b = range(v.lanes), bit.literal_value
    masks = (
        [lane if not lane & b else v.lanes + (lane ^ b) for lane in lanes],
        [lane ^ b if not lane & b else v.lanes + lane for lane in lanes],
    )

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        both = [builder.shuffle_vector(args[0], args[1], _shuffle(mask, v.parts)) for mask in masks]
        return context.make_tuple(builder, signature.return_type, both)

    return types.UniTuple(v, 2)(v, v, bit), code
