"""Lines of 64 bytes under numba, several at a time: load, store, permute, exchange. `lines` has
more for arrays that the caches do not hold.

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
from codegen.kernels.host import compiled as compiled

# What follows stands in emitted programs, byte for byte.


class Line(types.Type):
    """64 bytes as `lanes` elements: a vector of words of at most 8 bytes, `parts` per element."""

    def __init__(self, itemsize):
        self.lanes, self.parts, word = 64 // itemsize, max(itemsize // 8, 1), min(itemsize, 8)
        self.vector = ir.VectorType(ir.IntType(8 * word), 64 // word)
        super().__init__(name=f"Line({itemsize})")


register_default(Line)(lambda known, line: models.PrimitiveModel(known, line, line.vector))


def _pointers(b, memory, place, places, kind):
    """Return pointers to the lines at place ^ places[0], .., for values of this kind."""
    lines = [b.xor(place, each) for each in cgutils.unpack_tuple(b, places)]
    return [b.inttoptr(b.add(memory, b.shl(line, I64(6))), kind.as_pointer()) for line in lines]


@intrinsic(prefer_literal=True)
def load(typing, memory, place, places, itemsize):
    """Return the lines at place ^ places[0], .."""
    line = Line(itemsize.literal_value)

    def act(b, memory, place, places, _):
        pointers = _pointers(b, memory, place, places, line.vector)
        return cgutils.pack_array(b, [b.load(pointer, align=1) for pointer in pointers])

    return operation(types.UniTuple(line, len(places)), act, 2, places, itemsize)


@intrinsic
def store(typing, memory, place, places, lines):
    """Store lines at place ^ places[0], .."""

    def act(b, memory, place, places, values):
        pointers = _pointers(b, memory, place, places, lines.dtype.vector)
        for pointer, value in zip(pointers, cgutils.unpack_tuple(b, values), strict=True):
            b.store(value, pointer, align=1)

    return operation(types.void, act, 2, places, lines)


@intrinsic
def permute(typing, lines, indices, flip):
    """Return lines with element index[lane] ^ flip in each lane; indices are lines as well."""
    line = lines.dtype

    def act(b, values, indices, flip):
        vector, word = line.vector, line.vector.element
        flip = b.trunc(b.mul(flip, I64(line.parts)), word)
        one = b.insert_element(ir.Constant(vector, ir.Undefined), flip, I32(0))
        flips = b.shuffle_vector(one, one, ir.Constant(ir.VectorType(I32, vector.count), None))
        both = zip(cgutils.unpack_tuple(b, values), cgutils.unpack_tuple(b, indices), strict=True)
        return cgutils.pack_array(b, [_turned(b, v, b.xor(i, flips)) for v, i in both])

    return operation(lines, act, 0, lines, indices, types.int64)


def _turned(b, vector, index):
    """Return a line permuted word by word; through memory if the processor lacks an instruction."""
    named = {64: ("f", "di"), 32: ("f", "si"), 16: ("bw", "hi"), 8: ("vbmi", "qi")}
    feature, name = named[vector.type.element.width]
    if f"avx512{feature}" in features():
        kind = ir.FunctionType(vector.type, [vector.type, vector.type])
        name = f"llvm.x86.avx512.permvar.{name}.512"
        return b.call(cgutils.get_or_insert_function(b.module, kind, name), [vector, index])
    slot = cgutils.alloca_once(b, vector.type)
    b.store(vector, slot)
    words = b.bitcast(slot, vector.type.element.as_pointer())
    out = ir.Constant(vector.type, ir.Undefined)
    for lane in range(vector.type.count):
        place = b.zext(b.extract_element(index, I32(lane)), I64)
        out = b.insert_element(out, b.load(b.gep(words, [place])), I32(lane))
    return out


@intrinsic(prefer_literal=True)
def exchange(typing, lines, bit):
    """Exchange this bit between the numbers of lanes and of lines."""
    line, far, n = lines.dtype, bit.literal_value, len(lines)
    step, count, parts = far if far < n else far // 8, line.lanes, range(line.parts)  # 8 apart
    low = [lane if not lane & far else count + (lane ^ far) for lane in range(count)]
    words = [[(lane + h) * line.parts + part for lane in low for part in parts] for h in (0, far)]

    def act(b, values, _):
        masks = [ir.Constant(ir.VectorType(I32, len(each)), each) for each in words]
        v = cgutils.unpack_tuple(b, values)
        for i, k in ((i, i | step) for i in range(n) if not i & step):
            v[i], v[k] = (b.shuffle_vector(v[i], v[k], mask) for mask in masks)
        return cgutils.pack_array(b, v)

    return operation(lines, act, 0, lines, bit)
