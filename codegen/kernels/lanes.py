"""Lines of 64 bytes under numba: load, store, stream, prefetch, permute, exchange.

Memory is an address, an integer; places are counted in lines. A line has 64 / itemsize lanes with
one element each; elements of 16 bytes and more are handled as words of 8 bytes. `plain` has the
same names for a text that is run without a compiler.
"""

from __future__ import annotations

from codegen.kernels.host import (
    I32,
    I64,
    cgutils,
    features,
    intrinsic,
    ir,
    models,
    operation,
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
    64: ("avx512f", "di"),
    32: ("avx512f", "si"),
    16: ("avx512bw", "hi"),
    8: ("avx512vbmi", "qi"),
}
"""The feature that has an instruction to permute words of so many bits by an index vector, and the
letters of its name.
"""


class Line(types.Type):
    """64 bytes as `lanes` elements: a vector of words of at most 8 bytes, `parts` an element."""

    def __init__(self, itemsize):
        self.lanes, self.parts, word = 64 // itemsize, max(itemsize // 8, 1), min(itemsize, 8)
        self.vector = ir.VectorType(ir.IntType(8 * word), 64 // word)
        super().__init__(name=f"Line({itemsize})")


@register_default(Line)
class LineModel(models.PrimitiveModel):
    """A line is a vector of LLVM."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, fe_type.vector)


def _pointer(b, memory, place, kind):
    """Return the address of a line, for values of this kind."""
    return b.inttoptr(b.add(memory, b.shl(place, I64(6))), kind.as_pointer())


@intrinsic(prefer_literal=True)
def load(typing, memory, place, itemsize):
    """Return the line at this place."""
    line = Line(itemsize.literal_value)

    def act(b, memory, place, _):
        return b.load(_pointer(b, memory, place, line.vector), align=1)

    return operation(line, act, 2, itemsize)


@intrinsic
def store(typing, memory, place, line):
    """Put a line at this place."""

    def act(b, memory, place, value):
        return b.store(value, _pointer(b, memory, place, value.type), align=1)

    return operation(types.void, act, 2, line)


@intrinsic
def stream(typing, memory, place, line):
    """Put a line at this place, on a multiple of 64, past the caches, without reading it first."""

    def act(b, memory, place, value):
        put = b.store(value, _pointer(b, memory, place, value.type), align=64)
        put.set_metadata("nontemporal", b.module.add_metadata([I32(1)]))

    return operation(types.void, act, 2, line)


@intrinsic
def prefetch(typing, memory, place):
    """Ask for a line that will be loaded soon."""

    def act(b, memory, place):
        pointer = _pointer(b, memory, place, ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, I32, I32, I32])
        ask = cgutils.get_or_insert_function(b.module, kind, "llvm.prefetch.p0")
        b.call(ask, [pointer, I32(0), I32(3), I32(1)])

    return operation(types.void, act, 2)


@intrinsic
def permute(typing, line, index, flip):
    """Return the line with element index[lane] ^ flip in each lane; an index is a line, too."""

    def act(b, value, index, flip):
        vector, word = line.vector, line.vector.element
        flip = b.mul(flip, I64(line.parts))
        flip = b.trunc(flip, word) if word.width < 64 else flip
        one = b.insert_element(ir.Constant(vector, ir.Undefined), flip, I32(0))
        every = ir.Constant(ir.VectorType(I32, vector.count), [0] * vector.count)
        index = b.xor(index, b.shuffle_vector(one, one, every))
        feature, name = PERMUTE[word.width]
        if feature not in features():
            return _permute_in_memory(b, value, index)
        kind, name = (
            ir.FunctionType(vector, [vector, vector]),
            f"llvm.x86.avx512.permvar.{name}.512",
        )
        return b.call(cgutils.get_or_insert_function(b.module, kind, name), [value, index])

    return operation(line, act, 0, line, index, types.int64)


def _permute_in_memory(b, vector, index):
    """Return a line permuted word by word, for processors without an instruction for it."""
    slot = cgutils.alloca_once(b, vector.type)
    b.store(vector, slot)
    words = b.bitcast(slot, vector.type.element.as_pointer())
    out = ir.Constant(vector.type, ir.Undefined)
    for lane in range(vector.type.count):
        place = b.extract_element(index, I32(lane))
        place = place if place.type.width == 64 else b.zext(place, I64)
        out = b.insert_element(out, b.load(b.gep(words, [place])), I32(lane))
    return out


@intrinsic(prefer_literal=True)
def exchange(typing, v, w, bit):
    """Exchange the lanes of v that have this bit with the lanes of w that have it not."""
    count, far = v.lanes, bit.literal_value
    low = [lane if not lane & far else count + (lane ^ far) for lane in range(count)]
    high = [lane ^ far if not lane & far else count + lane for lane in range(count)]

    def act(b, v_lanes, w_lanes, _):
        words = [
            [lane * v.parts + part for lane in mask for part in range(v.parts)]
            for mask in (low, high)
        ]
        masks = [ir.Constant(ir.VectorType(I32, len(each)), each) for each in words]
        return cgutils.pack_array(b, [b.shuffle_vector(v_lanes, w_lanes, mask) for mask in masks])

    return operation(types.UniTuple(v, 2), act, 0, v, w, bit)
