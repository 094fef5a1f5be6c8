"""Hartley transform of N = 1024 elements on P = 4 ranks, hypercube: forward, float64, numba kernels.

    y = H_1024 x,   H_1024[j, k] = cos(2 pi jk/1024) + sin(2 pi jk/1024)
    H_1024 = L_10 ... L_2 L_1 P_1024
    L_s = I ⊗ [[I, C], [I, -C]] of order K = 2^s, C_uu = cos(2 pi u/K), sin(2 pi u/K) added at (u, -u)

Written by nodewright for this N and P:

    nodewright generate fht --size 1024 --ranks 4 --input hartley-input --kernels numba

Input   hartley-input: x[j] lives on the rank and offset that input_place(j) gives
Output  hartley: y[j] lives on rank 0 at offset j div 4 if 4 divides j, else beside y[-j] on the rank that is j or -j mod 8
Cost    at most 2 messages and 384 words sent by a rank in 2 exchanges, 6784 flops

Before  rank s holds x[j] at offset o for every index j with input_place(j) = (s, o)
After   rank s holds y[k] at offset o for every index k with output_place(k) = (s, o), and y = H_1024 x; x is unchanged

    mpiexec -n 4 python PROGRAM IN.npy OUT.npy      transforms a file, elements in natural order
    mpiexec -n 4 python PROGRAM --bench K           times K transforms
    plan(comm), transform(x, plan), plan.free()     the same within a program of your own, on a communicator of the plan's own
    plan(comm, abort=True)                          and an exception that nothing catches ends all ranks of MPI.COMM_WORLD
"""

import argparse
import contextlib
import json
import os
import sys
import time
from math import prod

import numpy as np

try:
    import numba
except ImportError as error:  # one line on rank 0, exit status 2 on all ranks
    if __name__ != "__main__":
        raise
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank == 0:
        print(f"{os.path.basename(__file__)}: {error}: this program's kernels are compiled by numba: pip install numba", file=sys.stderr, flush=True)
    sys.exit(2)

TRANSFORM = "fht"
N = 1024
P = 4
M = 256  # elements of a rank
INPUT, OUTPUT = "hartley-input", "hartley"
KERNELS, EXCHANGE = "numba", "alltoall"
PIECE = 1 << 14  # elements at a time, where tables are made and files read and written
DTYPE = np.dtype("float64")
THIS = object()  # which program a plan belongs to
DIRECTION, NORM = "forward", "backward"
ALGORITHM, RESULT = "hypercube", "hartley"
SCALE = 1
G = M // 2  # a rank's elements are two lists of G, or pairs H[m], H[-m]
COMPLEX = np.result_type(DTYPE, np.complex64)

# A bit matrix is the tuple of its columns, row i at bit i; + is exclusive or. Rank s and offset o make the storage address s M + o.
# A move is (pack, exchange, unpack), or None.
#     pack, unpack rearrange a rank's own elements:
#       None                          not at all
#       ("axes", shape, axes)         transpose an array of this shape
#       ("take", offsets, ranks, c)   place o takes the element at offset  offsets o + ranks s + c
#       ("tiles", row, (rows, to), inside, (steps, onto), ranks, c)   in rows of so many elements, cut into tiles that fit a cache:
#           rows  rows i + steps k  are gathered, place v takes the element at  inside (v + f),  and they become the rows
#           to i + t div row,  where  t = onto k + ranks s + c,  f = t mod row
#     exchange sends equal messages, in the order of the elements:
#       None                          to nobody
#       ("alltoall", basis)           from every rank to every rank of its coset of span(basis), in the order of ranks
#       ("rounds", g, d, e, c)        from rank s to  g b + d s + c, to it from  e (g b + s + c), in rounds b = 0, 1, ...
# Bring x from hartley-input to hartley-input.
BEFORE = None
# Stage 1 on a rank's two lists, these stages with the neighbours in the Hartley graph, all other stages as one Fourier transform.
STAGES = range(2, 4)

# Storage address of an index, and index of a storage address, as (columns, complement).
INPUT_ADDRESS, INPUT_INDEX = ((1, 2, 4, 8, 16, 32, 64, 512, 256, 128), 0), ((1, 2, 4, 8, 16, 32, 64, 512, 256, 128), 0)
OUTPUT_ADDRESS, OUTPUT_INDEX = None, None


def affine(columns, x, c=0):
    """Return columns x + c over GF(2): c and the columns that the bits of x choose, exclusive-or."""
    y = x * 0 + c
    for bit, column in enumerate(columns):
        y = y ^ (x >> bit & 1) * column
    return y


def span(columns, c=0):
    """Return all sums of columns, plus c, in the order of the numbers whose bits choose them."""
    return affine(columns, np.arange(1 << len(columns)), c)


def checked(j):
    """Return an index, an integer or an array of integers, as numpy's; raise ValueError where it is none of an element."""
    j = np.asarray(j)
    wrong = j[(j < 0) | (j >= N)] if j.dtype.kind in "iu" else j
    if wrong.size:
        raise ValueError(f"index {wrong.flat[0]}: elements have the integers from 0 to {N - 1}")
    return j.astype(np.int64)[()]


def place(address, j):
    """Return (rank, offset) of element j, for an integer or an array of integers."""
    columns, c = address
    z = affine(columns, checked(j), c)
    return z // M, z % M


def in_pairs(j):
    """Return (rank, offset) of H[j]: rank 0 has the multiples of P in order, the others H[m] and H[-m] side by side, m = rank, rank + 2P, ..."""
    k, second = j // (2 * P), j // P % 2
    rank = j % (2 * P) * (1 - 2 * second) % P
    return rank, 2 * (k ^ (rank > 0) * second * (G - 1)) + second


def input_place(j):
    """Return (rank, offset) of element j of the input, for an integer or an array of integers."""
    return place(INPUT_ADDRESS, j)


def output_place(j):
    """Return (rank, offset) of element j of the output, for an integer or an array of integers: element -j is on the same rank."""
    return in_pairs(checked(j))


def tabulate(count, entries, dtype=int):
    """Return the table of entries(k), k = 0, ..., count - 1, made a piece at a time: nothing else of its size is needed."""
    table = np.arange(count, dtype=dtype)
    for start in range(0, count, PIECE):
        table[start : start + PIECE] = entries(np.arange(start, min(start + PIECE, count)))
    return table


class Rearrange:
    """A rank's own elements in another order."""

    def __init__(self, rank, how):
        self.kind, self.index = how[0], None
        if self.kind == "axes":
            _, self.shape, self.axes = how
        elif self.kind == "take":
            _, offsets, ranks, c = how
            shift = affine(ranks, rank, c)
            self.index = tabulate(M, lambda o: affine(offsets, o, shift))
        else:
            _, self.row, rows, inside, (steps, onto), ranks, c = how
            self.rows, self.steps = [span(side) for side in rows], (span(steps), span(onto, affine(ranks, rank, c)))
            self.index = span(inside)
            self.tile = np.empty((2, len(self.index)), DTYPE)

    def __call__(self, source, target):
        if self.kind == "axes":
            view = source.reshape(self.shape).transpose(self.axes)
            np.copyto(target.reshape(view.shape), view)
        elif self.kind == "take":
            np.take(source, self.index, out=target, mode="clip")
        else:
            self.in_tiles(source.reshape(-1, self.row), target.reshape(-1, self.row))

    def in_tiles(self, source, target):
        gathered, permuted = self.tile
        for s, t in zip(*self.steps, strict=True):
            turned = self.index ^ self.index[t % self.row] if t % self.row else self.index
            np.take(source, s ^ self.rows[0], axis=0, out=gathered.reshape(-1, self.row), mode="clip")
            np.take(gathered, turned, out=permuted, mode="clip")
            target[t // self.row ^ self.rows[1]] = permuted.reshape(-1, self.row)

    def free(self):
        self.index = self.rows = self.steps = self.tile = None


class AllToAll:
    """One message from every rank of a group to every other."""

    def __init__(self, comm, basis):
        position = sum((comm.rank >> e.bit_length() - 1 & 1) << i for i, e in enumerate(basis))
        self.whole = 1 << len(basis) == P
        self.group = comm if self.whole else comm.Split(comm.rank ^ affine(basis, position), position)

    def __call__(self, source, target):
        self.group.Alltoall(source, target)

    def free(self):
        if not self.whole:
            self.group.Free()


def parts(ranks):
    """Return how much goes to each rank, or comes from it, and where it begins."""
    counts, places = np.zeros((2, P), dtype=int)
    size = M // len(ranks)
    counts[ranks], places[ranks] = size, np.arange(len(ranks)) * size
    return counts, places


class Rounds:
    """One message to one rank and from one rank in every round, or those of several rounds together."""

    def __init__(self, comm, g, d, e, c):
        self.comm, self.rounds = comm, 1 << len(g)
        to, come_from = affine(d, comm.rank, c), affine(e, comm.rank ^ c)
        self.peers = tabulate(self.rounds, lambda b: affine(g, b, to)), tabulate(self.rounds, lambda b: affine(e, affine(g, b), come_from))
        self.out, self.into = map(parts, self.peers) if self.rounds > 1 else (None, None)

    def __call__(self, source, target):
        if self.out is not None:
            self.comm.Alltoallv([source, self.out], [target, self.into])
            return
        size = M // self.rounds
        for b, (to, come_from) in enumerate(zip(*self.peers, strict=True)):
            part = slice(b * size, b * size + size)
            self.comm.Sendrecv(source[part], to, recvbuf=target[part], source=come_from)

    def free(self):
        self.peers = self.out = self.into = None


def moving(comm, move, groups):
    """Return the operations of a move; its all-to-all, if it has one, is the next of these groups'."""
    if move is None:
        return []
    pack, exchange, unpack = move
    operations = [Rearrange(comm.rank, pack)] if pack else []
    operations += [next(groups) if exchange[0] == "alltoall" else Rounds(comm, *exchange[1:])] if exchange else []
    return operations + ([Rearrange(comm.rank, unpack)] if unpack else [])


def cos_sin(e, order):
    """Return cos and sin of 2 pi e / order for integers 0 <= e < order, from angles of at most an eighth of a turn."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    turned = np.array([1, 1j, -1, -1j])[quarter % 4] * (np.cos(angle) + 1j * np.sin(angle))
    return turned.real, turned.imag


def root_of_unity(e, order):
    """Return exp(-2 pi i e / order)."""
    cosine, sine = cos_sin(e % order, order)
    return cosine - 1j * sine


def pieces(stop):
    """Yield slices that cut `stop` elements into pieces."""
    for start in range(0, stop, PIECE):
        yield slice(start, min(start + PIECE, stop))


# Complex vectors under numba: the same text in every program, all that is not plain Python. The kernels follow it.
import operator
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.datamodel import models, register_default
from numba.core.registry import cpu_target
from numba.extending import intrinsic, lower_builtin, type_callable

I32 = ir.IntType(32)
I64 = ir.IntType(64)

Typed = tuple[Any, Any]
"""What an intrinsic is for numba: the types of its result and arguments, and the function that
writes its code.
"""


def compiled(function: Callable[..., None]) -> Any:
    """Return a kernel that is compiled when it is first called, and kept on disk for each name of
    its module, by which it is found again.
    """
    module = sys.modules.get(function.__module__)
    function.__qualname__ = f"{function.__module__}.{function.__name__}"
    if module is None or vars(module) is not function.__globals__:
        return njit(function)
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # there is no place that may be written to
        return njit(function)


def aligned(count: int, dtype: Any) -> Any:
    """Return an array of so many elements that begins on a line, with what the memory holds;
    numpy's own begin on multiples of 16 bytes.
    """
    size = count * np.dtype(dtype).itemsize
    whole = np.empty(size + 64, np.uint8)
    start = -whole.ctypes.data % 64
    return whole[start : start + size].view(dtype)


def address(array: Any) -> int:
    """Return where an array begins; whoever uses it keeps the array."""
    return int(array.ctypes.data)


def begins_on_line(array: Any) -> bool:
    """Return whether an array may be streamed to."""
    return address(array) % 64 == 0


@cache
def features() -> frozenset[str]:
    """Return the features of the processor that numba compiles for, which need not be this one."""
    return frozenset(
        name[1:]
        for name in cpu_target.target_context.codegen()._tm_features.split(",")
        if name.startswith("+")
    )


@intrinsic
def fence(typing: Any) -> Typed:
    """Order all streamed lines before what follows."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        # on x86 mfence or a locked instruction: either orders streamed stores
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), code


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


@type_callable(operator.add)
@type_callable(operator.sub)
def _sum(context: Any) -> Callable[..., Any]:
    return lambda v, w: v if v == w and v.name.startswith("Vector(") else None


@lower_builtin(operator.add, Vector, Vector)
def _add(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _joined(
        builder,
        *[builder.fadd(a, b) for a, b in zip(*[_halves(builder, v) for v in args], strict=True)],
    )


@lower_builtin(operator.sub, Vector, Vector)
def _subtract(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _joined(
        builder,
        *[builder.fsub(a, b) for a, b in zip(*[_halves(builder, v) for v in args], strict=True)],
    )


@intrinsic
def times_i(typing: Any, v: Any) -> Typed:
    """Return i v."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        re, im = _halves(builder, args[0])
        return _joined(builder, builder.fneg(im), re)

    return v(v), code


@intrinsic
def times_minus_i(typing: Any, v: Any) -> Typed:
    """Return -i v."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        re, im = _halves(builder, args[0])
        return _joined(builder, im, builder.fneg(re))

    return v(v), code


def _backwards(builder: Any, half: Any) -> Any:
    return _shuffled(builder, half, half, range(half.type.count)[::-1])


@intrinsic
def mirrored(typing: Any, v: Any) -> Typed:
    """Return the conjugates of the lanes of v in reverse order."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        re, im = (_backwards(builder, half) for half in _halves(builder, args[0]))
        return _joined(builder, re, builder.fneg(im))

    return v(v), code


@intrinsic
def bent(typing: Any, v: Any) -> Typed:
    """Return v with its imaginary parts in reverse order."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        re, im = _halves(builder, args[0])
        return _joined(builder, re, _backwards(builder, im))

    return v(v), code


@intrinsic
def muladd(typing: Any, c: Any, v: Any, w: Any) -> Typed:
    """Return c v + w for a real number c."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = _spread(
            builder, builder.fptrunc(args[0], v.half.element) if v.size == 4 else args[0], v.half
        )
        return _joined(
            builder,
            *[
                _fused(builder, number, a, b)
                for a, b in zip(*[_halves(builder, x) for x in args[1:]], strict=True)
            ],
        )

    return v(types.float64, v, v), code


@intrinsic
def times(typing: Any, v: Any, w: Any) -> Typed:
    """Return the vectors v, each times that of w, lane by lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        products = []
        for i in range(v.count):
            (a, b), (c, d) = (_halves(builder, builder.extract_value(side, i)) for side in args)
            re = _fused(builder, a, c, builder.fneg(builder.fmul(b, d)))
            products.append(_joined(builder, re, _fused(builder, a, d, builder.fmul(b, c))))
        return context.make_tuple(builder, v, products)

    return v(v, w), code


@intrinsic
def transpose(typing: Any, v: Any) -> Typed:
    """Return the vectors after every block of W of them, W x W elements, is transposed."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        n, vectors = (
            v.dtype.lanes,
            [list(_halves(builder, builder.extract_value(args[0], i))) for i in range(v.count)],
        )
        for bit in (1 << k for k in range(n.bit_length() - 1)):
            low = [i if not i & bit else n + (i ^ bit) for i in range(n)]
            for i in (i for i in range(v.count) if not i & bit):
                for h in (0, 1):
                    a, b = vectors[i][h], vectors[i | bit][h]
                    vectors[i][h], vectors[i | bit][h] = (
                        _shuffled(builder, a, b, [k + up for k in low]) for up in (0, bit)
                    )
        return context.make_tuple(builder, v, [_joined(builder, *halves) for halves in vectors])

    return v(v), code


W = min(8, widest(COMPLEX))  # lanes: complex numbers of a vector
PADDING = 1  # vectors between the lines of a room, whose lengths are powers of two
load, load_pairs, broadcast = loads(COMPLEX, W)
load_lists = lists(COMPLEX, W)
turn = times_minus_i  # turn(v) = SIGN i v
HALF = 0.7071067811865476  # cos(pi/4)


@inline
def fft1(v):
    return v


@inline
def fft2(v):
    a, b = v
    return a + b, a - b


@inline
def fft4(v):
    a, b, c, d = v
    s, t, u, w = a + c, a - c, b + d, turn(b - d)
    return s + u, t + w, s - u, t - w


@inline
def fft8(v):
    a, b, c, d = fft4((v[0], v[2], v[4], v[6]))
    e, f, g, h = fft4((v[1], v[3], v[5], v[7]))
    f, g, h = f + turn(f), turn(g), turn(h) - h
    s, t, u, w = a + e, muladd(HALF, f, b), c + g, muladd(HALF, h, d)
    return s, t, u, w, a - e, muladd(-HALF, f, b), c - g, muladd(-HALF, h, d)


BUTTERFLIES = {1: fft1, 2: fft2, 4: fft4, 8: fft8}


@inline
def rotate(v, w):
    """Return the vectors v, all but the first multiplied by w."""
    return v[:1] + times(v[1:], w)


class Desk:
    """The roots of unity of a kernel, table after table, each from a line on; they are made when the plan asks for them."""

    def __init__(self):
        self.size, self.entries = 0, []

    def put(self, size, make, lanes=0):
        """Return the place of a table of so many entries w_order^e, (order, e) = make(); with lanes it is split as vectors are."""
        start = self.size
        self.entries.append((start, size, make, lanes))
        self.size += -(-size // 64) * 64
        return start

    def put_stages(self, radices):
        """Return the places of the twiddles after each butterfly but the last: w_n^(ij) at j (r - 1) + i - 1, i = 1, .., r - 1."""
        places, n = [], prod(radices)
        for r in radices[:-1]:
            places.append(self.put(n // r * (r - 1), lambda n=n, r=r: (n, np.outer(np.arange(n // r), np.arange(1, r)))))
            n //= r
        return places

    def tables(self):
        """Return all tables, made."""
        table = blank(self.size, COMPLEX)
        table[:] = 0
        for start, size, make, lanes in self.entries:
            order, exponents = make()
            made = root_of_unity(exponents.reshape(-1) % order, order).astype(COMPLEX)
            table[start : start + size] = split(made, lanes) if lanes else made
        return table


def split(table, lanes):
    """Return a table with the real parts of every so many entries before their imaginary parts."""
    table = table.reshape(-1, lanes)
    return np.concatenate([table.real, table.imag], axis=1).reshape(-1).view(COMPLEX)


def stages(radices, places, sink, weight=1):
    """Return the function that transforms the vectors of a line of a room and hands them on: decimation in frequency, in place, depth first.

    Butterfly i of the last radix r gives the entries  k + weight i,  i = 0, .., r - 1,  which sink(there, tables, room, v, k) takes.
    """
    r, others, m = radices[0], radices[0] - 1, prod(radices[1:])
    butterfly = BUTTERFLIES[r]
    if m == 1:

        @nested
        def last(there, tables, room, line, k):
            sink(there, tables, room, butterfly(load(room, line, W, r)), k)

        return last
    place, follow = places[0], stages(radices[1:], places[1:], sink, weight * r)

    @nested
    def stage(there, tables, room, line, k):
        for j in range(m):
            v = butterfly(load(room, line + j * W, m * W, r))
            store(room, line + j * W, m * W, rotate(v, broadcast(tables, place + j * others, 1, others)))
        for i in range(r):
            follow(there, tables, room, line + i * m * W, k + i * weight)

    return stage


def all_stages(radices, places, source, sink, line):
    """Return the function that transforms the vectors of source(there, room, j), its first butterflies, by way of a line of the room."""
    r, others, m = radices[0], radices[0] - 1, prod(radices[1:])
    butterfly = BUTTERFLIES[r]
    if m == 1:

        @nested
        def single(there, tables, room):
            sink(there, tables, room, butterfly(source(there, room, 0)), 0)

        return single
    place, gap, follow = places[0], (m + PADDING) * W, stages(radices[1:], places[1:], sink, r)

    @nested
    def several(there, tables, room):
        for j in range(m):
            v = butterfly(source(there, room, j))
            store(room, line + j * W, gap, rotate(v, broadcast(tables, place + j * others, 1, others)))
        for i in range(r):
            follow(there, tables, room, line + i * gap, i)

    return several


def padded(radices):
    """Return the elements of the room that a transform of these radices takes on the way."""
    return (prod(radices) + radices[0] * PADDING) * W


def side_by_side(stride, count):
    """Return the function that loads so many vectors from one array."""

    @nested
    def vectors(x, place):
        return load_pairs(x, place, stride, count)

    return vectors


def reader(stride, count, twiddled, size):
    """Return the function that loads so many vectors of x, times their twiddles where there are any; `others`: all but the first have some.
    """
    more, given = count - 1, side_by_side(stride, count)

    @nested
    def plain(x, before, place):
        return given(x, place)

    @nested
    def each(x, before, place):
        return times(given(x, place), load(before, place, stride, count))

    @nested
    def others(x, before, place):
        return rotate(given(x, place), load(before, place, stride, more))

    @nested
    def listed(x, before, place):
        re, im = x
        return times(load_lists(re, place, im, place, stride, count), load(before, place, stride, count))

    return {"": plain, "each": each, "others": others, "lists": listed}[twiddled]


def writer(streams):
    """Return the function that puts vectors into y, past the caches if it may and this is asked for."""

    @nested
    def cached(y, place, stride, v, streamed):
        store_pairs(y, place, stride, v)

    @nested
    def either(y, place, stride, v, streamed):
        if streamed:
            stream_pairs(y, place, stride, v)
        else:
            store_pairs(y, place, stride, v)

    return either if streams else cached


def dealer(streams, parts):
    """Return the function that deals the lanes of vectors to parts of y, past the caches where these are whole lines."""
    count = min(parts, W)

    @nested
    def cached(y, place, stride, far, v, streamed):
        deal(y, place, stride, far, count, v)

    @nested
    def either(y, place, stride, far, v, streamed):
        if streamed:
            stream_dealt(y, place, stride, far, count, v)
        else:
            deal(y, place, stride, far, count, v)

    return either if streams and W // count * DTYPE.itemsize == 64 else cached


class Columns:
    """F_d ⊗ I_c, W columns at a time; its results may be dealt, as those of TwoPasses."""

    def __init__(self, radices, c, twiddled, streams, parts=1, messages=1, size=0):
        self.desk, self.room, self.streams, self.messages = Desk(), padded(radices), streams, messages
        self.is_twiddled, self.twiddled_from = twiddled != "", c if twiddled == "others" else 0
        weight, read = prod(radices[:-1]), reader(prod(radices[1:]) * c, radices[0], twiddled, size)
        far, write, put = prod(radices) * c // parts, writer(streams), dealer(streams, parts)

        @nested
        def source(there, room, j):
            x, y, before, at, streamed = there
            return read(x, before, at + j * c)

        @nested
        def sink(there, tables, room, v, k):
            x, y, before, at, streamed = there
            write(y, at + k * c, weight * c, v, streamed)

        @nested
        def dealt(there, tables, room, v, k):
            x, y, before, at, streamed = there
            put(y, (at + k * c) % parts * far + (at + k * c) // parts, weight * c // parts, far, v, streamed)

        transform = all_stages(radices, self.desk.put_stages(radices), source, dealt if parts > 1 else sink, 0)

        @nested
        def columns(x, y, before, at, tables, room, streamed):
            for j in range(0, c, W):
                transform((x, y, before, at + j, streamed), tables, room)

        self.transform = columns


class TwoPasses:
    """F_d of d = N1 N2 points side by side,  F_d = L (I ⊗ F_N2) T (F_N1 ⊗ I_N2),  index j1 N2 + j2 to index k1 + N1 k2.

    The first pass takes W columns j2 at a time: a butterfly of radix r over j1, and a transpose in registers. From then on the lanes are W
    neighbouring k1, on which the rest of F_N1 and T go on. The second takes W rows k1 at a time: F_N2, put where the result wants it.
    """

    def __init__(self, r, rest, rows, twiddled, streams, parts=1, messages=1, size=0):
        if not rest and r > W:
            r, rest = W, (r // W,)
        self.r, self.rest, self.rows, self.streams, self.messages = r, rest, rows, streams, messages
        self.is_twiddled, self.twiddled_from = twiddled != "", 0
        self.m, self.n1, self.n2 = prod(rest), r * prod(rest), prod(rows)
        self.line, self.row = self.m + PADDING, self.n2 + PADDING  # lengths in vectors
        self.work = r * self.line * W
        self.second = self.work + self.n1 * self.row
        self.room = self.second + padded(rows)
        self.desk = Desk()
        read = reader(self.m * self.n2, self.r, twiddled, size)
        first, second = self.first_pass(read), self.second_pass(streams, parts)

        @nested
        def transform(x, y, before, at, tables, room, streamed):
            first(x, before, at, tables, room)
            second(y, at, tables, room, streamed)

        self.transform = transform

    def first_pass(self, read):
        """Return the function of the first pass."""
        r, others, m, n2, line = self.r, self.r - 1, self.m, self.n2, self.line * W
        butterfly, one_table = BUTTERFLIES[r], m > 1 and self.n1 * n2 <= 8192
        edge = 0 if one_table else self.put_edge()

        @nested
        def straight(v, tables, j):
            return v

        @nested
        def turned(v, tables, j):
            return rotate(v, load(tables, edge + j * others, W, others))

        finish = straight if one_table else turned
        if m == 1:
            work = self.work

            @nested
            def columns(x, before, at, tables, room):
                for j in range(0, n2, W):
                    v = butterfly(read(x, before, at + j))
                    store(room, work + j * W, W, transpose(finish(v, tables, j)))

            return columns
        inner = self.desk.put_stages((r, m))[0]
        follow = stages(self.rest, self.desk.put_stages(self.rest), self.by_one_table() if one_table else self.by_two_tables())

        @nested
        def columns_and_rest(x, before, at, tables, room):
            for j in range(0, n2, W):
                for a in range(m):
                    v = rotate(butterfly(read(x, before, at + j + a * n2)), broadcast(tables, inner + a * others, 1, others))
                    store(room, a * W, line, transpose(finish(v, tables, j)))
                for g in range(r // W):
                    for i in range(W):
                        follow((g, j + i), tables, room, (g * W + i) * line, 0)

        return columns_and_rest

    def put_edge(self):
        """Return the place of the part of T that the first butterfly decides."""
        d, r, n2 = self.n1 * self.n2, self.r, self.n2
        return self.desk.put((r - 1) * n2, lambda: (d, np.arange(1, r)[:, None] * np.arange(n2).reshape(-1, 1, W)), W)

    def in_order_of_use(self):
        """Return the second digit of k1 = i + r k, as the last butterflies give it."""
        last = self.rest[-1]
        return np.arange(self.m).reshape(last, self.m // last).T.reshape(-1)

    def by_one_table(self):
        """Return the function that takes the results of the first pass, times T, to where the second finds them."""
        d, r, m, n2, last, work, row, groups = self.n1 * self.n2, self.r, self.m, self.n2, self.rest[-1], self.work, self.row, self.r // W
        lanes = np.arange(r).reshape(groups, 1, 1, W)
        place = self.desk.put(d, lambda: (d, (lanes + r * self.in_order_of_use()[:, None]) * np.arange(n2)[:, None, None]), W)
        stride = m // last * groups * row * W

        @nested
        def sink(there, tables, room, v, k):
            g, j = there
            t = load(tables, place + ((g * n2 + j) * m + k * last) * W, W, last)
            store(room, work + ((g + k * groups) * row + j) * W, stride, times(v, t))

        return sink

    def by_two_tables(self):
        """Return the function that takes the results of the first pass, times the rest of T, to where the second finds them."""
        d, r, m, n2, last, work, row, groups = self.n1 * self.n2, self.r, self.m, self.n2, self.rest[-1], self.work, self.row, self.r // W
        place = self.desk.put(n2 * m, lambda: (d // r, np.arange(n2)[:, None] * self.in_order_of_use()))
        put = stream if d >= 524288 else store
        stride = m // last * groups * row * W

        @nested
        def sink(there, tables, room, v, k):
            g, j = there
            t = broadcast(tables, place + j * m + k * last, 1, last)
            put(room, work + ((g + k * groups) * row + j) * W, stride, times(v, t))

        return sink

    def second_pass(self, streams, parts):
        """Return the function of the second pass. Its results are dealt: entry k is at place k div parts of part k mod parts."""
        n1, rows, work, row, write = self.n1, self.rows, self.work, self.row, writer(streams)
        m, count, weight = prod(rows[1:]), rows[0], prod(rows[:-1])
        far, put = n1 * self.n2 // parts, dealer(streams, parts)

        @nested
        def source(there, room, j):
            y, at, k, streamed = there
            return load(room, work + k * row + j * W, m * W, count)

        @nested
        def sink(there, tables, room, v, k2):
            y, at, k, streamed = there
            write(y, at + k + k2 * n1, weight * n1, v, streamed)

        @nested
        def dealt(there, tables, room, v, k2):
            y, at, k, streamed = there
            put(y, at + k % parts * far + (k + k2 * n1) // parts, weight * n1 // parts, far, v, streamed)

        transform = all_stages(rows, self.desk.put_stages(rows), source, dealt if parts > 1 else sink, self.second)

        @nested
        def lines(y, at, tables, room, streamed):
            for k in range(0, n1, W):
                transform((y, at, k, streamed), tables, room)

        return lines


LOCAL_KERNELS = {  # pairs: F_G of numbers side by side; lists: F_G of lists of their parts, after twiddles
    "pairs": TwoPasses(8, (), (4, 4), "", False),
    "lists": TwoPasses(8, (), (4, 4), "lists", False),
}
ROOM = max(passes.room for passes in LOCAL_KERNELS.values())  # complex numbers
transform_pairs = LOCAL_KERNELS["pairs"].transform
transform_lists = LOCAL_KERNELS["lists"].transform


@compiled
def fourier_of_pairs(x, y, tables, room, copies):
    """F_G, or nothing for no copies; x, y, ..: addresses."""
    for _ in range(copies):
        transform_pairs(x, y, tables, 0, tables, room, 0)


class Fourier:
    """F_G of complex numbers, real and imaginary parts side by side."""

    def __init__(self, room):
        self.room, self.tables = room.view(COMPLEX), LOCAL_KERNELS["pairs"].desk.tables()
        self.fixed = address(self.tables), address(self.room), 1

    def __call__(self, source, target):
        fourier_of_pairs(address(source.view(COMPLEX)), address(target.view(COMPLEX)), *self.fixed)

    def free(self):
        self.room = self.tables = self.fixed = None


def lists_of(array):
    """Return the addresses of a rank's two lists."""
    return address(array[:G]), address(array[G:])


def split_table(count, entries):
    """Return the table of entries(i), i = 0, ..., count - 1, split as vectors are."""
    table = blank(count, COMPLEX)
    for piece in pieces(count):
        table[piece] = split(entries(np.arange(piece.start, piece.stop)).astype(COMPLEX), W)
    return table


BLOCKS = G // 2 // W + 1 if G > 1 else 0  # vectors of entries k and as many of -k, from k = 1, W, 2W, .., G/2 on


@compiled
def untangle(z, y, table, blocks):
    """Entries k of the Hartley transform of M real numbers, from F_G of them in pairs, but for k = 0 and G."""
    for b in range(blocks):
        k = max(b * W, 1)
        v, v_back = load_pairs(z, k, 1, 1)[0], mirrored(load_pairs(z, G - k - W + 1, 1, 1)[0])
        d = times((v - v_back,), load(table, b * W, W, 1))[0]
        s = v + v_back
        s = s + times_i(s)
        store_lists(y, k, y, M - k - W + 1, 0, (bent(muladd(0.5, s, d)),))
        store_lists(y, G + k, y, G - k - W + 1, 0, (bent(muladd(0.5, s, times_i(times_i(d)))),))


class Untangle:
    """From F_G of M real numbers in pairs, Z, to their Hartley transform.

    H[k] + i H[-k] = (1 + i) X[k], X[k] = ((Z[k] + Z*[-k]) - i w^k (Z[k] - Z*[-k])) / 2, w = exp(-2 pi i / M); k + G has -w^k.
    """

    def __init__(self):
        self.table = split_table(BLOCKS * W, lambda i: (1 - 1j) / 2 * root_of_unity(np.maximum(i // W * W, 1) + i % W, M))
        self.fixed = address(self.table), BLOCKS

    def __call__(self, source, target):
        z = source.view(COMPLEX)
        untangle(address(z), address(target), *self.fixed)
        np.add(z.real[:1], z.imag[:1], out=target[:1])
        np.subtract(z.real[:1], z.imag[:1], out=target[G : G + 1])

    def free(self):
        self.table = self.fixed = None


# With z = own[0] + i own[1], and z' = got[1] + i got[0] of what the partner sent, a stage is z + w z' or z' + w z for one number w.


@compiled
def butterfly(a, b, sums, differences, count):
    """a + b and a - b, lists of real numbers."""
    for c in range(0, count, W):
        v = load_lists(b, c, a, c, 0, 1)[0]
        store_lists(sums, c, differences, c, 0, (v + times_minus_i(v),))


@compiled
def turned_sum(re, im, other_re, other_im, y_re, y_im, weight, count):
    """z + w z', of lists of real and imaginary parts."""
    for c in range(0, count, W):
        v, other = load_lists(re, c, im, c, 0, 1)[0], load_lists(other_re, c, other_im, c, 0, 1)
        store_lists(y_re, c, y_im, c, 0, (v + times(other, broadcast(weight, 0, 1, 1))[0],))


def complement(t, s):
    """Return t with its s low bits complemented: -t mod 2^s, but 0 and 2^(s-1) change places."""
    mask, half = (1 << s) - 1, 1 << s - 1
    return t & ~mask | -t & mask ^ (t & half - 1 == 0) * half


class First:
    """Stage 1, sum and difference of the two lists, on odd ranks difference and sum; and the exchange of stage 2, of second lists."""

    def __init__(self, comm, room):
        self.comm, self.partner, self.odd, self.outgoing = comm, complement(comm.rank, 1), comm.rank % 2, room[:G]
        self.place = address(self.outgoing)

    def __call__(self, source, target):
        kept, sent = address(target[:G]), self.place
        butterfly(*lists_of(source), *(sent, kept) if self.odd else (kept, sent), G)
        self.comm.Sendrecv(self.outgoing, self.partner, recvbuf=target[G:], source=self.partner)

    def free(self):
        self.outgoing = self.place = None


class Half:
    """Stage s with an exchange of the second lists, of stage 2 done before; the weights are 1 and -1. The last is done by what follows."""

    def __init__(self, comm, s):
        self.comm, self.partner, self.first, self.last = comm, complement(comm.rank, s - 1), s == 2, 1 << s == 2 * P
        self.upper, self.negative = comm.rank >> s - 2 & 1, comm.rank >> s - 1 & 1

    def __call__(self, source, target):
        got = source[G:] if self.first else target[G:]
        if not self.first:
            self.comm.Sendrecv(source[G:], self.partner, recvbuf=got, source=self.partner)
        if self.last:
            np.copyto(target[:G], source[:G])
            return
        sums, differences = lists_of(target)
        low, high = address(source[:G]), address(got)
        if self.upper:
            low, high = high, low
        butterfly(low, high, *(differences, sums) if self.negative else (sums, differences), G)

    def free(self):
        pass


class Whole:
    """Stage s with an exchange of both lists."""

    def __init__(self, comm, s):
        self.comm, self.partner, self.upper = comm, complement(comm.rank, s - 1), comm.rank >> s - 2 & 1
        self.weight = blank(1, COMPLEX)
        self.weight[0] = root_of_unity(comm.rank, 1 << s)

    def __call__(self, source, target):
        self.comm.Sendrecv(source, self.partner, recvbuf=target, source=self.partner)
        own, got = lists_of(source), lists_of(target)[::-1]
        turned_sum(*(got + own if self.upper else own + got), *lists_of(target), address(self.weight), G)

    def free(self):
        self.weight = None


@compiled
def fourier_of_lists(re, im, y, twiddles, tables, room, copies, streamed):
    """F_G after twiddles, or nothing for no copies."""
    for _ in range(copies):
        transform_lists((re, im), y, twiddles, 0, tables, room, streamed)
    fence()


def twiddles(rank, weight=1):
    """Return exp(-2 pi i rank c / N) times a weight for places c, and behind them once more those from 1 on."""
    return split_table(G + W, lambda c: weight * root_of_unity(rank * np.where(c < G, c, c - G + 1), N))


class Rest:
    """All stages beyond lg P + 1 on ranks but 0: F_G after twiddles. On rank P/2 the stage lg P + 1, too: its two lists make (1 - i) z."""

    def __init__(self, comm, room):
        self.passes, self.room = LOCAL_KERNELS["lists"], room.view(COMPLEX)
        self.table, self.tables = twiddles(comm.rank, 1 - 1j if 2 * comm.rank == P else 1), self.passes.desk.tables()
        self.fixed = address(self.table), address(self.tables), address(self.room), 1

    def __call__(self, source, target):
        streamed = int(self.passes.streams and begins_on_line(target))
        fourier_of_lists(*lists_of(source), address(target.view(COMPLEX)), *self.fixed, streamed)

    def free(self):
        self.room = self.table = self.tables = self.fixed = None


@contextlib.contextmanager
def all_or_none(comm):
    """Do what every rank does for itself; where it fails on one, raise on all, so that none waits for one that is gone; collective."""
    problem = None
    try:
        yield
    except Exception as error:
        problem = error
    problems = [text for text in comm.allgather(f"rank {comm.rank}: {problem!r}" if problem else None) if text]
    if problems:
        raise problem or RuntimeError(f"no rank has a plan, as one cannot make it: {problems[0]}")


def compile_kernels(comm):
    """Have rank 0 compile the kernels and keep them on disk, where the other ranks find them; collective."""
    for first in (True, False):
        with all_or_none(comm):
            if first == (comm.rank == 0):
                prepare()


def prepare():
    """Have the kernels compiled, by calls that do nothing."""
    room = aligned(64, DTYPE)
    there = address(room)
    fourier_of_pairs(there, there, there, there, 0)
    untangle(there, there, there, 0)
    fourier_of_lists(there, there, there, there, there, there, 0, 0)
    butterfly(there, there, there, there, 0)
    turned_sum(there, there, there, there, there, there, there, 0)


class Plan:
    """The tables, the work array and the communicators of one rank, made once for many transforms."""

    operations, work = [], None  # of a plan that is not made, or freed

    def __init__(self, comm):
        self.program, self.comm, self.own = THIS, comm, comm.Dup()  # no message of the caller's meets one of ours
        try:  # first what takes all ranks, which all get to, and then what may fail on one
            compile_kernels(self.own)
            self.operations = [AllToAll(self.own, move[1][1]) for move in [BEFORE] if move and move[1] and move[1][0] == "alltoall"]
            with all_or_none(self.own):
                self.fill(self.own, iter(self.operations))
        except Exception:
            self.free()
            raise

    def fill(self, comm, groups):
        """Make the tables and arrays of this rank."""
        room = aligned(2 * ROOM, DTYPE)  # of all kernels, and for what is sent before the first of them
        operations = moving(comm, BEFORE, groups)
        if P > 1:
            operations.append(First(comm, room))
        if P > 2:
            operations += [Half(comm, s) if comm.rank % (1 << s - 2) == 0 else Whole(comm, s) for s in STAGES]
        operations += [Rest(comm, room)] if comm.rank > 0 else [Fourier(room), Untangle()]
        self.operations = operations
        self.work = aligned(M, DTYPE)

    def free(self):
        """Free the communicators and tables; collective."""
        for operation in self.operations:
            operation.free()
        self.operations = []
        self.work = None
        if self.own:
            self.own.Free()


def perform(operations, x, out, work):
    """Put x through operations, the last of which writes into `out`; x is left unchanged, unless it is `work`."""
    targets = [out, work]
    for i, operation in enumerate(operations):
        target = targets[(len(operations) - 1 - i) % 2]
        operation(x, target)
        x = target


def plan(comm, abort=False):
    """Return the plan of this rank, on any communicator of P ranks, of which it makes its own; collective.

    Where one rank cannot make it, all ranks raise. abort: from now on an exception that nothing catches on this rank ends all ranks of MPI.COMM_WORLD.
    """
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks: this program is made for P = {P}")
    if abort and not hasattr(sys.excepthook, "aborts"):
        sys.excepthook = abort_all(sys.excepthook)
    return Plan(comm)


def abort_all(report):
    """Return an exception hook that reports the exception and ends all ranks, so that none waits for one that is gone."""

    def hook(kind, error, trace):
        from mpi4py import MPI  # which whoever has made a communicator has started

        report(kind, error, trace)
        end_all(MPI.COMM_WORLD)  # whatever becomes of the caller's communicator

    hook.aborts = True
    return hook


def end_all(comm):
    """End all ranks, a moment after what was printed: mpiexec passes on what it has read when it hears of an abort, and no more."""
    sys.stderr.flush()
    time.sleep(0.5)
    comm.Abort(1)


def belongs(plan):
    """Return whether this program, loaded this time, has made a plan."""
    try:
        return plan.program is THIS
    except AttributeError:
        return False


def transform(x, plan, out=None):
    """Return this rank's M elements of y, y = H_1024 x; collective.

    x holds this rank's M elements and is left unchanged; the result is a new array, or `out`. plan is what this program's plan(comm) has returned.
    """
    if not belongs(plan):
        raise ValueError("the plan is another program's, or none: a transform takes what plan(comm) of its own program has returned")
    if not plan.own:
        raise ValueError("the plan is freed: a transform needs its tables and communicators")
    if out is None:
        out = aligned(M, DTYPE)
    for name, array in (("x", x), ("out", out)):
        held = np.asarray(array)
        if held.shape != (M,) or held.dtype != DTYPE:
            raise ValueError(f"{name} has shape {held.shape} and dtype {held.dtype}: a rank holds {M} elements of {DTYPE}")
        if held is not array and not np.shares_memory(array, held):
            raise ValueError(f"{name} is no array: a rank holds an array of {M} elements of {DTYPE}")
    if np.asarray(out) is not out or not out.flags.carray or np.shares_memory(x, out):
        raise ValueError("out is no plain array, has gaps, is unaligned, is read-only or shares memory with x, which is left unchanged")
    x = np.ascontiguousarray(x)
    if not x.flags.aligned:
        x = x.copy()
    perform(plan.operations, x, out, plan.work)
    return out


class Unusable(Exception):
    """What the user gave cannot be used: one line on rank 0, exit status 2 on all ranks."""


def agree(comm, problem):
    """Raise Unusable on every rank if any rank has a problem."""
    problems = [text for text in comm.allgather(problem) if text]
    if problems:
        raise Unusable(problems[0])


def paired_index(rank, o):
    """Return the index of the element at offset o of a rank: the multiples of P on rank 0, on the others m and N - m side by side."""
    return P * o if rank == 0 else (rank + 2 * P * (o // 2)) * (1 - 2 * (o % 2)) % N


def indices(index, rank):
    """Yield (offsets, indices) of a rank's elements, a piece at a time."""
    for start in range(0, M, PIECE):
        o = np.arange(start, min(start + PIECE, M))
        yield slice(start, start + len(o)), affine(index[0], o + rank * M, index[1]) if index else paired_index(rank, o)


def read(comm, path):
    """Return this rank's part of the vector in a .npy file."""
    problem, vector = None, None
    try:
        vector = np.load(path, mmap_mode="r", allow_pickle=False)
        if getattr(vector, "shape", None) != (N,) or vector.dtype != DTYPE:
            problem = f"{path}: {getattr(vector, 'dtype', 'no array')} of shape {getattr(vector, 'shape', None)}: the input is {DTYPE} of shape ({N},)"
    except (OSError, ValueError, EOFError) as error:
        why = "it holds objects, or no numbers at all" if "pickle" in str(error) else str(error).splitlines()[0]
        problem = f"{path}: cannot be read as a .npy file: {why}"
    agree(comm, problem)
    x = np.empty(M, DTYPE)
    for piece, index in indices(INPUT_INDEX, comm.rank):
        x[piece] = vector[index]
    return x


def writing(comm, path, step, *arguments):
    """Do a step of writing `path`; raise Unusable on every rank if it fails on any."""
    problem = None
    try:
        step(*arguments)
    except OSError as error:
        problem = f"{path}: cannot be written: {error.strerror or error}"
    agree(comm, problem)


def reserve(partial, rank):
    """Fill this rank's share of a file with zeros, by plain writes: a disk that is full refuses them, but kills who writes to a memory map."""
    with open(partial, "r+b") as file:
        file.seek((rank - P) * M * DTYPE.itemsize, os.SEEK_END)
        for start in range(0, M, PIECE):
            file.write(bytes(min(PIECE, M - start) * DTYPE.itemsize))


def fill(partial, rank, y):
    """Put this rank's elements of the result where they belong in a file."""
    vector = np.lib.format.open_memmap(partial, "r+")
    for piece, index in indices(OUTPUT_INDEX, rank):
        vector[index] = y[piece]
    vector.flush()


def run(comm, source, path):
    """Transform the vector in one file into another file, which gets its name when it is whole.

    Until then it is `path`.PID.partial, and a rank that fails removes it. One that is killed cannot: then it stays, unless `nodewright run` started
    the program. A file system that takes new room for what is overwritten (copy on write) kills a rank if it is full.
    """
    x = read(comm, source)
    agree(comm, f"{path}: cannot be written: it is there, and no file" if os.path.exists(path) and not os.path.isfile(path) else None)
    target = os.path.realpath(path)  # what a link leads to is written, and the link stays
    partial = comm.bcast(f"{target}.{os.getpid()}.partial")
    try:
        writing(comm, path, lambda: comm.rank == 0 and np.lib.format.open_memmap(partial, "w+", DTYPE, (N,)))
        writing(comm, path, reserve, partial, comm.rank)
        handle = plan(comm)
        y = transform(x, handle)
        handle.free()
        writing(comm, path, fill, partial, comm.rank, y)
        writing(comm, path, lambda: comm.rank == 0 and os.replace(partial, target))
    finally:  # on every rank, as one that fails takes the others with it
        with contextlib.suppress(OSError):
            os.remove(partial)


def bench(comm, repeats):
    """Print the time of a transform, the slowest rank of each repeat, and the error of one on a random vector."""
    def slowest(step):
        comm.Barrier()
        start = time.perf_counter()
        done = step(comm)
        return done, max(comm.allgather(time.perf_counter() - start))

    _, compile_seconds = slowest(compile_kernels)
    handle, plan_seconds = slowest(plan)
    x = random_vector(comm.rank)
    y = transform(x, handle)
    seconds = []
    for _ in range(repeats):
        comm.Barrier()
        start = time.perf_counter()
        transform(x, handle, out=y)
        seconds.append(time.perf_counter() - start)
        comm.Barrier()
    of_all = np.max(comm.allgather(seconds), axis=0)
    parts = comm.gather((x, y)) if N <= 1 << 24 else None
    handle.free()
    if comm.rank == 0:
        figures = {"N": N, "P": P, "repeats": repeats, "compile_seconds": compile_seconds, "plan_seconds": plan_seconds}
        error = error_of(*(whole(index, side) for index, side in zip((INPUT_INDEX, OUTPUT_INDEX), zip(*parts, strict=True), strict=True))) if parts else None
        figures |= {"seconds_min": float(of_all.min()), "seconds_median": float(np.median(of_all)), "error": error}
        print(json.dumps(figures))


def random_vector(rank):
    """Return M elements of a random vector."""
    return np.random.default_rng(rank).standard_normal(M).astype(DTYPE)


def error_of(x, y):
    """Return the relative 2-norm of the difference to numpy.fft in double precision."""
    spectrum = np.fft.fft(x.astype(float))
    wanted = (spectrum.real - spectrum.imag) * SCALE
    return float(np.linalg.norm(y - wanted) / np.linalg.norm(wanted))


def whole(index, parts):
    """Return the vector in natural order whose parts the ranks hold."""
    vector = np.empty(N, DTYPE)
    for rank, part in enumerate(parts):
        for piece, places in indices(index, rank):
            vector[places] = part[piece]
    return vector


def arguments(words):
    """Return the parsed command line; raise Unusable with one line where it cannot be."""
    parser = argparse.ArgumentParser(prog=os.path.basename(__file__), exit_on_error=False, add_help=False)
    parser.add_argument("input", nargs="?")
    parser.add_argument("output", nargs="?")
    parser.add_argument("--bench", type=int, metavar="K")
    try:
        options, rest = parser.parse_known_args(words)
    except argparse.ArgumentError as error:
        raise Unusable(str(error)) from error
    files = [name for name in (options.input, options.output) if name is not None]
    if rest or (len(files) != 2 if options.bench is None else files or options.bench < 1):
        raise Unusable(f"arguments {words}: give IN.npy OUT.npy, or --bench K with K >= 1")
    return options


def main(words):
    """Run the program on all ranks of MPI.COMM_WORLD and return the exit status."""
    from mpi4py import MPI  # starts MPI, which importing this file must not

    comm = MPI.COMM_WORLD
    try:
        if comm.size != P:
            raise Unusable(f"{comm.size} ranks: this program is made for P = {P}: mpiexec -n {P} python {__file__}")
        options = arguments(words)
        if options.bench is None:
            run(comm, options.input, options.output)
        else:
            bench(comm, options.bench)
    except Unusable as problem:
        if comm.rank == 0:
            print(f"{os.path.basename(__file__)}: {problem}", file=sys.stderr, flush=True)
        return 2
    except BaseException as error:
        print(f"rank {comm.rank}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        end_all(comm)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
