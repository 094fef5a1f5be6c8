"""Complex vectors under numba: W lanes, held as two machine vectors, W real and W imaginary parts.

Memory is an address, an integer; places are counted in complex elements. W elements lie there as
pairs (re, im, re, im, ..), as numpy has them, or split: W real parts, then W imaginary ones. Loads
and stores take several vectors at a time, places that are `stride` apart.
"""

from __future__ import annotations

from codegen.kernels.host import (
    I32,
    I64,
    aligned,
    cgutils,
    features,
    intrinsic,
    ir,
    lower_builtin,
    models,
    njit,
    np,
    operation,
    operator,
    partial,
    register_default,
    type_callable,
    types,
)

# What follows stands in emitted programs, byte for byte.

inline = njit(forceinline=True, error_model="numpy")  # compiled by itself, then part of a kernel
joined, parted = cgutils.make_anonymous_struct, cgutils.unpack_tuple  # of re and im, or vectors


class Vector(types.Type):
    """A vector of `lanes` complex numbers whose parts have `size` bytes."""

    def __init__(self, size, lanes):
        self.size, self.lanes = size, lanes
        self.half = ir.VectorType(ir.DoubleType() if size == 8 else ir.FloatType(), lanes)
        super().__init__(name=f"Vector({size}, {lanes})")


def _pair(known, vector):
    return models.PrimitiveModel(known, vector, ir.LiteralStructType([vector.half] * 2))


register_default(Vector)(_pair)


def widest(dtype):
    """Return the lanes of the processor's vectors, at most 8: radix 8 then fits 32 registers."""
    bits = 512 if "avx512f" in features() else 256 if "avx2" in features() else 128
    return min(8, bits // 4 // np.dtype(dtype).itemsize)


def blank(count, dtype):
    """Return a 64-byte aligned array for `count` constants."""
    return aligned(count, dtype)


def _shuffled(b, both, lanes):
    return b.shuffle_vector(*both, ir.Constant(ir.VectorType(I32, len(lanes)), list(lanes)))


def _spread(b, value, half):
    one = b.insert_element(ir.Constant(half, ir.Undefined), value, I32(0))
    return _shuffled(b, (one, one), [0] * half.count)


def _backwards(b, half):
    return _shuffled(b, (half, half), range(half.type.count)[::-1])


def _fused(b, v, w, x):
    """Return v w + x, by one instruction if the processor has it."""
    kind = ir.FunctionType(v.type, [v.type] * 3)
    name = f"llvm.fmuladd.v{v.type.count}{'f64' if v.type.element == ir.DoubleType() else 'f32'}"
    return b.call(cgutils.get_or_insert_function(b.module, kind, name), [v, w, x])


def _places(b, place, stride, count):
    return [b.add(place, b.mul(stride, I64(i))) for i in range(count)]


def _pointers(b, memory, places, vector, kind, parts=2):
    """Return pointers to a value of this kind and to the next, for places in units of `parts`."""
    start = b.inttoptr(memory, vector.half.element.as_pointer())
    found = [b.gep(start, [b.mul(place, I64(parts))]) for place in places]
    return [(p, b.gep(p, [I32(1)])) for p in (b.bitcast(p, kind.as_pointer()) for p in found)]


def loads(dtype, lanes):
    """Return load, load_pairs, broadcast: (memory, place, stride, count) -> vectors."""
    vector = Vector(np.dtype(dtype).itemsize // 2, lanes)

    def loader(kind, made):
        @intrinsic(prefer_literal=True)
        def load(typing, memory, place, stride, count):
            def act(b, memory, place, stride, _):
                places = _places(b, place, stride, count.literal_value)
                return _loaded(b, _pointers(b, memory, places, vector, kind), vector, made)

            return operation(types.UniTuple(vector, count.literal_value), act, 3, count)

        return load

    pairs = range(2 * lanes)
    return (
        loader(vector.half, lambda b, *v: v),
        loader(vector.half, lambda b, *v: [_shuffled(b, v, pairs[h::2]) for h in (0, 1)]),
        loader(vector.half.element, lambda b, *v: [_spread(b, part, vector.half) for part in v]),
    )


def lists(dtype, lanes):
    """Return load_lists, which loads real and imaginary parts from two lists of real numbers."""
    vector = Vector(np.dtype(dtype).itemsize // 2, lanes)

    @intrinsic(prefer_literal=True)
    def load_lists(typing, re, place, im, other, stride, count):
        def act(b, *where):
            there = _in_lists(b, vector, count.literal_value, *where)
            return _loaded(b, there, vector, lambda b, *v: v)

        return operation(types.UniTuple(vector, count.literal_value), act, 5, count)

    return load_lists


@intrinsic
def store_lists(typing, re, place, im, other, stride, vectors):
    """Store the real and imaginary parts of vectors in two lists, as load_lists reads them."""

    def act(b, *where):
        there = _in_lists(b, vectors.dtype, vectors.count, *where)
        _stored(b, where[5], there, vectors.dtype, _halves(vectors.dtype.lanes))

    return operation(types.void, act, 5, vectors)


def _in_lists(b, vector, count, re, place, im, other, stride, *_):
    sides = [_pointers(b, re, _places(b, place, stride, count), vector, vector.half, 1)]
    sides += [_pointers(b, im, _places(b, other, stride, count), vector, vector.half, 1)]
    return [(p, q) for (p, _), (q, _) in zip(*sides, strict=True)]


def _loaded(b, there, vector, made):
    """Return vectors that made(b, ..) forms from the values at pairs of pointers."""
    found = [[b.load(pointer, align=vector.size) for pointer in pair] for pair in there]
    return cgutils.pack_array(b, [joined(b, made(b, *both)) for both in found])


def _stored(b, v, there, vector, shuffles, past_caches=False):
    """Store each shuffle of the parts of a vector at its pointers."""
    for one, pointers in zip(parted(b, v), there, strict=True):
        for lanes, pointer in zip(shuffles, pointers, strict=True):
            align = vector.size * (len(lanes) if past_caches else 1)
            put = b.store(_shuffled(b, parted(b, one), lanes), pointer, align=align)
            if past_caches:
                put.set_metadata("nontemporal", b.module.add_metadata([I32(1)]))


def _halves(n, pairs=False):
    """Return the order in which the parts of a vector are stored: split or interleaved."""
    order = [k // 2 + n * (k % 2) for k in range(2 * n)] if pairs else range(2 * n)
    return order[:n], order[n:]


def _storer(pairs=False, past_caches=False, blocks=False):
    """Return the operation that stores vectors `stride` apart, or blocks of W contiguously."""

    @intrinsic
    def store(typing, memory, place, stride, vectors):
        vector, n, count = vectors.dtype, vectors.dtype.lanes, vectors.count

        def act(b, memory, place, stride, v):
            places = _places(b, place, stride, count // n if blocks else count)
            if blocks:
                places = [at for start in places for at in _places(b, start, I64(n), n)]
            there = _pointers(b, memory, places, vector, vector.half)
            _stored(b, v, there, vector, _halves(n, pairs), past_caches)

        return operation(types.void, act, 3, vectors)

    return store


store, store_pairs, store_blocks = _storer(), _storer(pairs=True), _storer(blocks=True)
stream, stream_pairs = _storer(past_caches=True), _storer(pairs=True, past_caches=True)
"""Memory begins on a line of 64 bytes, and places are multiples of W."""


def _dealer(past_caches):
    """Return the operation that stores lanes q, q + parts, .. contiguously, at q times `far`."""

    @intrinsic(prefer_literal=True)
    def deal(typing, memory, place, stride, far, parts, vectors):
        vector, n = vectors.dtype, vectors.dtype.lanes
        count = min(parts.literal_value, n)
        shuffles = [[k + h for k in range(q, n, count) for h in (0, n)] for q in range(count)]
        kind = ir.VectorType(vector.half.element, 2 * n // count)

        def act(b, memory, place, stride, far, _, v):
            starts = _places(b, place, stride, vectors.count)
            places = [_places(b, start, far, count) for start in starts]
            there = [[p for p, _ in _pointers(b, memory, at, vector, kind)] for at in places]
            _stored(b, v, there, vector, shuffles, past_caches)

        return operation(types.void, act, 4, parts, vectors)

    return deal


deal, stream_dealt = _dealer(False), _dealer(True)


def _sum(of_parts, context, b, signature, args):
    """Return the sum or the difference of two vectors."""
    return joined(
        b, [of_parts(b, *both) for both in zip(*[parted(b, v) for v in args], strict=True)]
    )


for kind, of_parts in ((operator.add, ir.IRBuilder.fadd), (operator.sub, ir.IRBuilder.fsub)):
    type_callable(kind)(lambda context: lambda v, w: v if v == w and type(v) is Vector else None)
    lower_builtin(kind, Vector, Vector)(partial(_sum, of_parts))


def _changed(change):
    """Return the operation that applies change(b, re, im) to the parts of a vector."""

    @intrinsic
    def changed(typing, v):
        return operation(v, lambda b, one: joined(b, change(b, *parted(b, one))), 0, v)

    return changed


times_i = _changed(lambda b, re, im: (b.fneg(im), re))
times_minus_i = _changed(lambda b, re, im: (im, b.fneg(re)))
mirrored = _changed(lambda b, re, im: (_backwards(b, re), b.fneg(_backwards(b, im))))
bent = _changed(lambda b, re, im: (re, _backwards(b, im)))


@intrinsic
def muladd(typing, c, v, w):
    """Return c v + w for a real number c."""

    def act(b, c, *both):
        number = _spread(b, b.fptrunc(c, v.half.element) if v.size == 4 else c, v.half)
        parts = zip(*[parted(b, one) for one in both], strict=True)
        return joined(b, [_fused(b, number, *pair) for pair in parts])

    return operation(v, act, 0, types.float64, v, v)


@intrinsic
def times(typing, v, w):
    """Return the products of the vectors v and w, lane by lane."""

    def product(b, one, other):
        (p, q), (r, s) = parted(b, one), parted(b, other)
        re = _fused(b, p, r, b.fneg(b.fmul(q, s)))
        return joined(b, [re, _fused(b, p, s, b.fmul(q, r))])

    def act(b, *sides):
        both = zip(*[parted(b, v) for v in sides], strict=True)
        return cgutils.pack_array(b, [product(b, *pair) for pair in both])

    return operation(v, act, 0, v, w)


@intrinsic
def transpose(typing, v):
    """Return the vectors with every block of W of them, W x W elements, transposed."""
    n = v.dtype.lanes

    def act(b, given):
        vectors = [list(parted(b, one)) for one in parted(b, given)]
        for bit in (1 << k for k in range(n.bit_length() - 1)):
            low = [i if not i & bit else n + (i ^ bit) for i in range(n)]
            high = [k + bit for k in low]
            for i, h in ((i, h) for i in range(v.count) if not i & bit for h in (0, 1)):
                both = vectors[i][h], vectors[i | bit][h]
                vectors[i][h], vectors[i | bit][h] = (_shuffled(b, both, k) for k in (low, high))
        return cgutils.pack_array(b, [joined(b, parts) for parts in vectors])

    return operation(v, act, 0, v)
