"""Discrete Fourier transform of N = 4096 elements on P = 2 ranks: forward, complex128, numba kernels.

    y = F_4096 x,   F_4096[j, k] = w^(jk),   w = exp(-2 pi i / 4096)
    F_4096 = Γ_{2,2,4096}^-1 (I_2 ⊗ F_2 ⊗ I_1024) Γ_{2,2,4096} T^4096_2048 (I_2 ⊗ F_2048) L^4096_2

Written by nodewright for this N and P:

    nodewright generate fft --size 4096 --ranks 2 --input cyclic --output cyclic --kernels numba --exchange shared

Input   cyclic: x[j] lives on rank j mod 2, offset j div 2
Output  cyclic: y[j] lives on rank j mod 2, offset j div 2
Cost    at most 1 messages and 1024 words read by a rank from others' memory in 1 exchanges, a barrier each, 135168 flops

Before  rank s holds x[j] at offset o for every index j with input_place(j) = (s, o)
After   rank s holds y[k] at offset o for every index k with output_place(k) = (s, o), and y = F_4096 x; x is unchanged

    mpiexec -n 2 python PROGRAM IN.npy OUT.npy      transforms a file, elements in natural order
    mpiexec -n 2 python PROGRAM --bench K           times K transforms
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

TRANSFORM = "fft"
N = 4096
P = 2
M = 2048  # elements of a rank
INPUT, OUTPUT = "cyclic", "cyclic"
KERNELS, EXCHANGE = "numba", "shared"
PIECE = 1 << 14  # elements at a time, where tables are made and files read and written
DTYPE = np.dtype("complex128")
THIS = object()  # which program a plan belongs to
DIRECTION, NORM = "forward", "backward"
SIGN = -1  # w_n = exp(SIGN 2 pi i / n)
SCALE = 1

# A bit matrix is the tuple of its columns, row i at bit i; + is exclusive or. Rank s and offset o make the storage address s M + o.
# A superstep is a move, or None, and then local computations.
#   move = (pack, exchange, unpack)
#     pack, unpack rearrange a rank's own elements:
#       None                          not at all
#       ("axes", shape, axes)         transpose an array of this shape
#       ("parts", count, shape, axes)   transpose the array of these shapes together, of which each message is a part of the second shape
#       ("put", offsets, ranks, c)    the element at offset o goes to place  offsets o + ranks s + c
#       ("take", offsets, ranks, c)   place o takes the element at offset  offsets o + ranks s + c
#       ("tiles", row, (rows, to), inside, (steps, onto), ranks, c)   in rows of so many elements, cut into tiles that fit a cache:
#           rows  rows i + steps k  are gathered, place v takes the element at  inside (v + f),  and they become the rows
#           to i + t div row,  where  t = onto k + ranks s + c,  f = t mod row
#     exchange gives equal messages, in the order of the elements; each is read where its sender wrote it, by what is done next:
#       None                          to nobody
#       ("alltoall", basis)           from every rank to every rank of its coset of span(basis), in the order of ranks
#       ("rounds", g, d, e, c)        from rank s to  g b + d s + c, to it from  e (g b + s + c), for b = 0, 1, ...
#   local = (twiddle, copies, d, c, kernel)
#     twiddle = (order, i, j)         multiply by w_order^(i j), where i and j are bit matrices (offsets, ranks) times (o, s); or None
#     then I_copies ⊗ F_d ⊗ I_c, by this one of LOCAL_KERNELS; it may deal its results to the parts that are sent
SUPERSTEPS = (
    # compute (I_2 ⊗ F_2048)
    (None, ((None, 1, 2048, 1, 0),)),
    # move to cyclic Γ_{2,2,4096}, then compute (I_2 ⊗ F_2 ⊗ I_1024) T^4096_2048
    ((None, ("alltoall", (1,)), None), (((4096, ((0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), (0,)), ((2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 0), (1,))), 1, 2, 1024, 1),)),
)

# Storage address of an index, and index of a storage address, as (columns, complement).
INPUT_ADDRESS, INPUT_INDEX = ((2048, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024), 0), ((2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 1), 0)
OUTPUT_ADDRESS, OUTPUT_INDEX = ((2048, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024), 0), ((2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 1), 0)


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


def input_place(j):
    """Return (rank, offset) of element j of the input, for an integer or an array of integers."""
    return place(INPUT_ADDRESS, j)


def output_place(j):
    """Return (rank, offset) of element j of the output, for an integer or an array of integers."""
    return place(OUTPUT_ADDRESS, j)


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


class Window:
    """Memory that all ranks share: each stores to its own segment and loads from the others', which have two halves of M elements that take turns.

    A rank that stores to a half again has been through the barrier of the exchange between, which the others enter when they have read that half.
    """

    def __init__(self, comm, halves):
        from mpi4py import MPI  # which whoever has made comm has started

        node = comm.Split_type(MPI.COMM_TYPE_SHARED)
        size = node.size
        node.Free()
        if size != P:
            raise Unusable(f"{size} of {P} ranks share the memory of rank {comm.rank}: exchange shared is for ranks of one node, take alltoall across nodes")
        self.comm, self.window = comm, MPI.Win.Allocate_shared(halves * M * DTYPE.itemsize, DTYPE.itemsize, comm=comm)
        self.segments, self.halves, self.turn = None, [None] * halves, 0
        self.window.Lock_all()

    def map(self):
        """Find every rank's segment, and the halves of this one's."""
        self.segments = [np.frombuffer(self.window.Shared_query(rank)[0], DTYPE).reshape(len(self.halves), M) for rank in range(P)]
        self.halves = list(self.segments[self.comm.rank])

    def exchange(self):
        """Wait for all ranks, and return the half of each part that has been written."""
        self.window.Sync()
        self.comm.Barrier()
        self.window.Sync()
        written, self.turn = self.turn, (self.turn + 1) % len(self.halves)
        return written

    def free(self):
        self.window.Unlock_all()
        self.segments = self.halves = None
        self.window.Free()


class Exchange:
    """One message from each of some ranks, where they wrote it."""

    def __init__(self, window, senders, numbers):
        size, self.window = M // len(senders), window
        places = [(sender, slice(number * size, number * size + size)) for sender, number in zip(senders, numbers, strict=True)]
        self.messages = [[window.segments[sender][half, place] for sender, place in places] for half in range(len(window.halves))]

    def __call__(self):
        return self.messages[self.window.exchange()]

    def free(self):
        self.messages = None


def alltoall(rank, basis):
    """Return which ranks send this one a message, and the number of that among each sender's."""
    position = sum((rank >> e.bit_length() - 1 & 1) << i for i, e in enumerate(basis))
    senders = [rank ^ affine(basis, position ^ q) for q in range(1 << len(basis))]
    return senders, [position] * len(senders)


def rounds(rank, g, d, e, c):
    """Return the same, for one message in every round."""
    numbers = range(1 << len(g))
    return [affine(e, affine(g, b, rank ^ c)) for b in numbers], numbers


class Place:
    """The elements of messages where they belong."""

    def __init__(self, rank, how):
        self.kind, self.index = how[0], None
        if self.kind == "put":
            _, offsets, ranks, c = how
            shift = affine(ranks, rank, c)
            self.index = tabulate(M, lambda o: affine(offsets, o, shift))
        else:
            _, self.count, self.shape, axes = how
            self.turned, self.back = [(self.count + self.shape)[axis] for axis in axes], np.argsort(axes)

    def join(self, messages, target):
        if self.kind == "put":
            for places, message in zip(self.index.reshape(len(messages), -1), messages, strict=True):
                target[places] = message
        else:
            there = target.reshape(self.turned).transpose(self.back)
            for number, message in zip(np.ndindex(self.count), messages, strict=True):
                there[number] = message.reshape(self.shape)

    def free(self):
        self.index = None


class Gather:
    """The elements as they are, or those of messages one after the other."""

    def __call__(self, source, target):
        np.copyto(target, source)

    def join(self, messages, target):
        for part, message in zip(target.reshape(len(messages), -1), messages, strict=True):
            np.copyto(part, message)

    def free(self):
        pass


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, from angles of at most an eighth of a turn."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    turn = np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4]
    return turn * (np.cos(angle) + SIGN * 1j * np.sin(angle))


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


W = min(8, widest(DTYPE))  # lanes: complex numbers of a vector
PADDING = 1  # vectors between the lines of a room, whose lengths are powers of two
load, load_pairs, broadcast = loads(DTYPE, W)
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
        table = blank(self.size, DTYPE)
        table[:] = 0
        for start, size, make, lanes in self.entries:
            order, exponents = make()
            made = root_of_unity(exponents.reshape(-1) % order, order).astype(DTYPE)
            table[start : start + size] = split(made, lanes) if lanes else made
        return table


def split(table, lanes):
    """Return a table with the real parts of every so many entries before their imaginary parts."""
    table = table.reshape(-1, lanes)
    return np.concatenate([table.real, table.imag], axis=1).reshape(-1).view(DTYPE)


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


def apart(size, stride, count):
    """Return the function that loads so many vectors from messages of this size, which lie apart: x has an address for each."""
    bits, low = size.bit_length() - 1, size - 1
    if count == 1:

        @nested
        def one(x, place):
            return load_pairs(x[place >> bits], place & low, 0, 1)

        return one
    half, gap = apart(size, stride, count // 2), count // 2 * stride

    @nested
    def both(x, place):
        return half(x, place) + half(x, place + gap)

    return both


def side_by_side(stride, count):
    """Return the function that loads so many vectors from one array."""

    @nested
    def vectors(x, place):
        return load_pairs(x, place, stride, count)

    return vectors


def reader(stride, count, twiddled, size):
    """Return the function that loads so many vectors of x, times their twiddles where there are any; `others`: all but the first have some.

    With a size x are messages of this size.
    """
    more, given = count - 1, apart(size, stride, count) if size else side_by_side(stride, count)

    @nested
    def plain(x, before, place):
        return given(x, place)

    @nested
    def each(x, before, place):
        return times(given(x, place), load(before, place, stride, count))

    @nested
    def others(x, before, place):
        return rotate(given(x, place), load(before, place, stride, more))

    return {"": plain, "each": each, "others": others}[twiddled]


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


passes_0 = TwoPasses(8, (), (8, 8, 4), "", False, 2)
transform_0 = passes_0.transform


@compiled
def local_0(x, y, tables, room, copies):
    """I ⊗ L^2048_2 F_2048 of so many copies; x, y, ..: addresses."""
    for copy in range(copies):
        transform_0(x, y, x, copy * 2048, tables, room, 0)


passes_1 = Columns((2,), 1024, "others", False, 1, 2, 1024)
transform_1 = passes_1.transform


@compiled
def local_1(x, y, tables, room, copies, before):
    """I ⊗ F_2 ⊗ I_1024 of so many copies, after the twiddles; x, y, ..: addresses."""
    for copy in range(copies):
        transform_1(x, y, before, copy * 2048, tables, room, 0)


LOCAL_KERNELS = ((passes_0, local_0), (passes_1, local_1), )
ROOM = max(passes.room for passes, _ in LOCAL_KERNELS)  # elements


def prepare():
    """Have the kernels compiled, by calls for no copies."""
    room = aligned(64, DTYPE)
    there = memory_of(room)
    for passes, local in LOCAL_KERNELS:
        local(there if passes.messages == 1 else (there,) * passes.messages, *[there] * 3, 0, *[there] * passes.is_twiddled, *[0] * passes.streams)


class Local:
    """I_copies ⊗ F_d ⊗ I_c by a kernel, after the twiddles if there are any."""

    def __init__(self, rank, room, twiddle, copies, d, c, kernel):
        passes, self.kernel = LOCAL_KERNELS[kernel]
        self.tables, self.room, self.streams = passes.desk.tables(), room, passes.streams
        self.fixed = address(self.tables), address(room), copies
        if twiddle is not None:
            order, (i, i_rank), (j, j_rank) = twiddle
            i_shift, j_shift = affine(i_rank, rank), affine(j_rank, rank)
            first = passes.twiddled_from
            self.before = blank(M - first, DTYPE)
            for start in range(first, M, PIECE):
                o = np.arange(start, min(start + PIECE, M))
                exponent = affine(i, o, i_shift) * affine(j, o, j_shift)
                self.before[start - first : start - first + len(o)] = split(root_of_unity(exponent % order, order).astype(DTYPE), W)
            self.fixed += (address(self.before),)

    def __call__(self, source, target):
        self.compute(memory_of(source), target)

    def compute(self, given, target):
        if self.streams:
            self.kernel(given, memory_of(target), *self.fixed, int(begins_on_line(target)))
        else:
            self.kernel(given, memory_of(target), *self.fixed)

    def join(self, messages, target):
        """Do the same to messages, which are read where they lie."""
        self.compute(tuple([memory_of(message) for message in messages]), target)

    def free(self):
        self.tables = self.before = self.room = self.fixed = None


def reads_apart(local):
    """Return whether the kernel of a local computation reads messages where they lie."""
    return LOCAL_KERNELS[local[-1]][0].messages > 1


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


class Plan:
    """The tables, the communicator and the window of one rank, made once for many transforms."""

    operations, window = [], None  # of a plan that is not made, or freed

    def __init__(self, comm):
        self.program, self.comm, self.own = THIS, comm, comm.Dup()  # no message of the caller's meets one of ours
        try:
            compile_kernels(self.own)
            with all_or_none(self.own):
                operations = self.arranged(self.own)
            self.window = Window(self.own, 2)
            with all_or_none(self.own):
                self.window.map()
                self.operations = [(exchange and Exchange(self.window, *exchange), *rest) for exchange, *rest in operations]
        except Exception:
            self.free()
            raise

    def arranged(self, comm):
        """Return what is done, one after the other: whose messages it takes, the operation, and whether that fills the result."""
        room = aligned(ROOM, DTYPE)  # of all kernels
        exchanges, stretches = [None], [[]]  # what is done after each exchange, before the first in the beginning
        for move, locals_ in SUPERSTEPS:
            if move is not None:
                pack, exchange, unpack = move
                stretches[-1] += [Rearrange(comm.rank, pack)] if pack else []
                if exchange:
                    senders = {"alltoall": alltoall, "rounds": rounds}[exchange[0]]
                    exchanges.append(senders(comm.rank, *exchange[1:]))
                    stretches.append([] if (unpack is None and locals_ and reads_apart(locals_[0])) or (unpack and unpack[0] in ("parts", "put")) else [Gather()])
                stretches[-1] += [(Place if unpack[0] in ("parts", "put") else Rearrange)(comm.rank, unpack)] if unpack else []
            stretches[-1] += [Local(comm.rank, room, *local) for local in locals_]
        operations = []
        for exchange, stretch in zip(exchanges, stretches, strict=True):
            stretch += [] if stretch else [Gather()]
            for i, operation in enumerate(stretch):  # to and fro between out and the half that is to be read next, and there in the end, or out
                there = (len(stretch) - 1 - i) % 2 == 0
                operations.append((None if i else exchange, operation, there == (stretch is stretches[-1])))
        return operations

    def free(self):
        """Free the window, the communicator and the tables; collective."""
        for _, operation, _ in self.operations:
            operation.free()
        self.operations = []
        if self.window is not None:
            self.window.free()
        self.window = None
        if self.own:
            self.own.Free()


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
    """Return this rank's M elements of y, y = F_4096 x; collective.

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
    for exchange, operation, goes_out in plan.operations:
        messages = exchange() if exchange else None
        target = out if goes_out else plan.window.halves[plan.window.turn]
        if exchange:
            operation.join(messages, target)
        else:
            operation(x, target)
        x = target
    return out


class Unusable(Exception):
    """What the user gave cannot be used: one line on rank 0, exit status 2 on all ranks."""


def agree(comm, problem):
    """Raise Unusable on every rank if any rank has a problem."""
    problems = [text for text in comm.allgather(problem) if text]
    if problems:
        raise Unusable(problems[0])


def indices(index, rank):
    """Yield (offsets, indices) of a rank's elements, a piece at a time."""
    columns, c = index
    for start in range(0, M, PIECE):
        o = np.arange(start, min(start + PIECE, M))
        yield slice(start, start + len(o)), affine(columns, o + rank * M, c)


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
    random = np.random.default_rng(rank)
    return (random.standard_normal(M) + 1j * random.standard_normal(M)).astype(DTYPE)


def error_of(x, y):
    """Return the relative 2-norm of the difference to numpy.fft in double precision."""
    wanted = np.fft.fft(x.astype(complex), norm=NORM)
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
