"""Discrete Fourier transform of N = 4096 elements on P = 2 ranks: forward, complex128, numba kernels.

    y = F_4096 x,   F_4096[j, k] = w^(jk),   w = exp(-2 pi i / 4096)
    F_4096 = Γ_{2,2,4096}^-1 (I_2 ⊗ F_2 ⊗ I_1024) Γ_{2,2,4096} T^4096_2048 (I_2 ⊗ F_2048) L^4096_2

Input   cyclic: x[j] lives on rank j mod 2, offset j div 2
Output  cyclic: y[j] lives on rank j mod 2, offset j div 2
Cost    at most 1 message and 1024 words read by a rank from others' memory in 1 exchange, a barrier each, 135168 flops
Made by nodewright generate fft --size 4096 --ranks 2 --input cyclic --output cyclic --kernels numba --exchange shared

    mpiexec -n 2 python PROGRAM IN.npy OUT.npy      transforms a file, elements in natural order
    mpiexec -n 2 python PROGRAM --bench K           times K transforms
    plan(comm), transform(x, plan), plan.free()     the same within a program of your own
"""

import contextlib
import json
import os
import sys
import time
import timeit

import numpy as np

try:
    import numba
    if numba.config.DISABLE_JIT:
        raise RuntimeError("NUMBA_DISABLE_JIT is set")
except Exception as error:  # the other ranks learn of it in main, and end as well
    if __name__ != "__main__":
        raise
    problem = f"{' '.join(str(error).split())}: this program's kernels are compiled by numba: {'unset it' if str(error) == 'NUMBA_DISABLE_JIT is set' else 'pip install numba'}"
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError):
        sys.exit(f"{os.path.basename(__file__)}: {problem}")
    MPI.COMM_WORLD.allgather(problem)
    if MPI.COMM_WORLD.rank == 0:
        print(f"{os.path.basename(__file__)}: {problem}", file=sys.stderr, flush=True)
    sys.exit(2)

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P, M = 4096, 2, 2048  # elements, ranks, elements per rank
INPUT, OUTPUT = "cyclic", "cyclic"
KERNELS, EXCHANGE = "numba", "shared"
PIECE = 16384  # elements per step when making tables, reading and writing files
DTYPE = np.dtype("complex128")
SIGN = -1  # w_n = exp(SIGN 2 pi i / n)


def input_place(j):
    """Return the (rank, offset) of x[j]; j is an integer or an integer array."""
    return divmod(checked(j), 2)[::-1]


def input_index(rank, o):
    """Return the global index of the element of x at offset o on the given rank."""
    return o * 2 + rank


output_place, output_index = input_place, input_index  # y has the layout of x


class Plan:
    """The state of one rank: a communicator, memory shared by all ranks, the roots of unity of its kernels and scratch buffers of its kernels. Creating a plan is collective; if one rank fails, all raise."""

    window = None  # so that free() works if __init__ fails

    def __init__(self, comm):
        if not comm or comm.Is_inter():
            given = "an intercommunicator: comm.Merge() makes one of both groups" if comm else "None, COMM_NULL or a freed one"
            raise ValueError(f"comm must be a communicator of {P} ranks; got {given}")
        if comm.size != P:
            raise ValueError(f"this program is made for {P} ranks; comm has {comm.size}")
        self.comm, self.own, rank = comm, comm.Dup(), comm.rank  # our messages use a private copy of comm
        for first in (True, False):  # rank 0 compiles the kernels and caches them on disk; then the other ranks load them
            with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
                if first == (rank == 0):
                    prepare()
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            self.window = Window(self.own)
            self.window.map()
            self.messages = self.window.messages([(b, rank) for b in range(2)])
            self.twiddle = twiddles(lambda o: root_of_unity((o // 1024) * (rank + o % 1024 * 2), 4096), 1024)
            self.roots = side_by_side(after_columns(2048, 8, 256), after_butterflies(256, 8), after_butterflies(32, 8))
            self.room = aligned(2056, DTYPE)
            self.line = aligned(264 * W, DTYPE)
            self.addresses = address(self.roots), address(self.room), address(self.line), 1
            self.addresses_2 = address(self.twiddle), 1

    def free(self):
        """Free the window, the communicator and the tables; collective."""
        if self.window:
            self.window.free()
        if self.own:
            self.own.Free()
        self.window = self.messages = self.twiddle = self.roots = self.room = self.line = self.addresses = self.addresses_2 = None


def transform(x, plan, out=None):
    """Return this rank's 2048 elements of y = F_4096 x, in a new array or in `out`; collective. x, of shape (M,) and type DTYPE, is left unchanged."""
    x, out = arrays(x, plan, out)
    work = plan.window.half()

    # L^4096_2: nothing moves, as x is cyclic
    # (I_2 ⊗ F_2048)
    local_0(memory_of(x), memory_of(work), *plan.addresses)

    # Γ_{2,2,4096} T^4096_2048: T^4096_2048 below
    messages = plan.window.exchange(plan.messages)

    # (I_2 ⊗ F_2 ⊗ I_1024)
    local_1(tuple([memory_of(message) for message in messages]), memory_of(out), *plan.addresses_2)
    # Γ_{2,2,4096}^-1: nothing moves, as y is cyclic
    return out


def twiddles(entries, first=0, stop=M):
    """Return the table of entries(o) for first <= o < stop, 64-byte aligned, with separate real and imaginary parts for each vector."""
    return tabulate(lambda o: split(entries(o).astype(DTYPE), W), DTYPE, first, stop, blank)


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, using angles of at most an eighth of a turn for accuracy."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    return np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4] * (np.cos(angle) + SIGN * 1j * np.sin(angle))


SHARED_MEMORY = "/dev/shm"  # the file system of shared windows on Linux
WINDOW = 2 * N * DTYPE.itemsize + (1 << 20)  # bytes, with a margin for page sizes and MPI


def free_memory():
    """Return the free bytes of shared memory on this node, or infinity if the system does not report them."""
    with contextlib.suppress(OSError):
        found = os.statvfs(SHARED_MEMORY)
        return found.f_bavail * found.f_frsize
    return np.inf


class Window:
    """Memory shared by all ranks: each rank stores to its own segment and loads from the others. A segment has two halves of M elements, used alternately.

    Before a rank stores to a half again, it passes the barrier of the exchange in between, which the others enter after reading that half.
    """

    def __init__(self, comm):
        from mpi4py import MPI  # already initialised by the owner of comm

        node = comm.Split_type(MPI.COMM_TYPE_SHARED)
        size = node.size
        node.Free()
        if size != P:
            raise Unusable(f"{size} of {P} ranks share the memory of rank {comm.rank}: exchange shared is for ranks of one node, take alltoall across nodes")
        free = min(comm.allgather(free_memory()))
        if free < WINDOW:
            raise Unusable(f"{free} bytes are free in {SHARED_MEMORY}: exchange shared takes {WINDOW}, take alltoall or auto")
        self.comm, self.memory = comm, MPI.Win.Allocate_shared(2 * M * DTYPE.itemsize, DTYPE.itemsize, comm=comm)
        self.segments, self.turn = None, 0
        self.memory.Lock_all()

    def map(self):
        """Map the segments of all ranks."""
        self.segments = [np.frombuffer(self.memory.Shared_query(rank)[0], DTYPE).reshape(2, M) for rank in range(P)]

    def half(self):
        """Return the half of this rank's segment that the others read next."""
        return self.segments[self.comm.rank][self.turn]

    def messages(self, senders):
        """Return views of the messages (rank, number) in the segments of their senders: a list for each half."""
        size = M // len(senders)
        return [[self.segments[rank][half, number * size : number * size + size] for rank, number in senders] for half in range(2)]

    def exchange(self, messages):
        """Wait for all ranks and return their messages in the half just stored."""
        stored = messages[self.turn]
        self.wait()
        self.turn = 1 - self.turn
        return stored

    def wait(self):
        """Make the stores of all ranks visible to all ranks."""
        self.memory.Sync()
        self.comm.Barrier()
        self.memory.Sync()

    def free(self):
        """Free the shared memory; collective."""
        self.segments = None
        self.memory.Unlock_all()
        self.memory.Free()


def split(table, lanes):
    """Return a table in which, for every block of entries, the real parts precede the imaginary parts."""
    table = table.reshape(-1, lanes)
    return np.concatenate([table.real, table.imag], axis=1).reshape(-1).view(DTYPE)


def side_by_side(*tables):
    """Return the tables concatenated in one 64-byte aligned array."""
    table = blank(sum(map(len, tables)), DTYPE)
    table[:] = np.concatenate(tables)
    return table


def after_butterflies(n, r):
    """Return the twiddles after F_r ⊗ I_(n/r): w_n^(ij) for j < n/r, 0 < i < r."""
    return tabulate(lambda o: root_of_unity((o % (r - 1) + 1) * (o // (r - 1)), n), DTYPE, stop=n // r * (r - 1))


def after_columns(d, r, n2):
    """Return w_d^(ij) for columns j < n2, W at a time, and 0 < i < r, with real and imaginary parts apart as in vectors."""
    return split(tabulate(lambda o: root_of_unity((o // W % (r - 1) + 1) * (o // (r * W - W) * W + o % W), d), DTYPE, stop=n2 * (r - 1)), W)


def fft2(v):
    """Return F_2 of two vectors."""
    a, b = v
    return a + b, a - b


def fft4(v):
    """Return F_4 = (F_2 ⊗ I_2) T (I_2 ⊗ F_2) L of four vectors."""
    a, b, c, d = v
    s, t, u, w = a + c, a - c, b + d, times_minus_i(b - d)
    return s + u, t + w, s - u, t - w


def fft8(v):
    """Return F_8 = (F_2 ⊗ I_4) T (I_2 ⊗ F_4) L of eight vectors."""
    half = 0.7071067811865476  # cos(pi / 4)
    a, b, c, d = fft4((v[0], v[2], v[4], v[6]))
    e, f, g, h = fft4((v[1], v[3], v[5], v[7]))
    f, g, h = f + times_minus_i(f), times_minus_i(g), times_minus_i(h) - h
    s, t, u, w = a + e, muladd(half, f, b), c + g, muladd(half, h, d)
    return s, t, u, w, a - e, muladd(-half, f, b), c - g, muladd(-half, h, d)


def rotate(v, w):
    """Return the vectors v, with all but the first multiplied by w."""
    return v[:1] + times(v[1:], w)


def local_0(x, y, roots, room, line, copies):
    """Compute I ⊗ L^2048_2 F_2048 for `copies` copies, F_2048 = L^2048_256 (I_8 ⊗ F_256) T^2048_256 (F_8 ⊗ I_256) in two passes; arrays are given by their addresses."""
    for at in range(0, copies * 2048, 2048):
        # T (F_8 ⊗ I_256), W columns at a time; after a transposition the lanes are W rows
        for j in range(0, 256, W):
            v = fft8(load_pairs(x, at + j, 256, 8))
            store_blocks(room, j * W, 257 * W, transpose(rotate(v, load(roots, 7 * j, W, 7))))
        # L (I_8 ⊗ F_256), W rows at a time
        for k in range(0, 8, W):
            for i in range(32):
                v = fft8(load(room, 257 * k + i * W, 32 * W, 8))
                store(line, i * W, 33 * W, rotate(v, broadcast(roots, 1792 + 7 * i, 1, 7)))
            for a in range(8):
                for i in range(4):
                    v = fft8(load(line, (33 * a + i) * W, 4 * W, 8))
                    store(line, (33 * a + i) * W, 4 * W, rotate(v, broadcast(roots, 2016 + 7 * i, 1, 7)))
                for b in range(8):
                    deal(y, at + 1024 * (k % 2) + k // 2 + 4 * a + 32 * b, 256, 1024, 2, fft4(load(line, (33 * a + 4 * b) * W, W, 4)))


def messages_1(x, place):
    """Return 2 vectors, 1024 apart, from messages of 1024 elements at the addresses x."""
    return load_pairs(x[0], place, 0, 1) + load_pairs(x[1], place, 0, 1)


def local_1(x, y, twiddle, copies):
    """Compute I ⊗ F_2 ⊗ I_1024 for `copies` copies, after the twiddles; arrays are given by their addresses."""
    for at in range(0, copies * 2048, 2048):
        for j in range(0, 1024, W):
            store_pairs(y, at + j, 1024, fft2(rotate(messages_1(x, at + j), load(twiddle, at + j, 1024, 1))))


def prepare():
    """Compile the kernels with calls that do nothing."""
    room = aligned(64, DTYPE)
    there = memory_of(room)
    local_0(there, there, there, there, there, 0)
    local_1((there,) * 2, there, there, 0)


# Complex vectors under numba: the same text in every program with such kernels.
import operator
from functools import cache, partial

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.datamodel import models, register_default
from numba.core.registry import cpu_target
from numba.extending import intrinsic, lower_builtin, type_callable

I32, I64 = ir.IntType(32), ir.IntType(64)


def compiled(function):
    """Return a kernel, compiled at its first call and cached on disk by its module's name."""
    module = sys.modules.get(function.__module__)
    function.__qualname__ = f"{function.__module__}.{function.__name__}"
    try:
        kernel = njit(cache=getattr(module, "__dict__", None) is function.__globals__)(function)
        files, load = kernel._cache, kernel._cache.load_overload
    except (RuntimeError, AttributeError):  # no folder is writable, or nothing is compiled
        return njit(function)

    def load_or_compile(*signature):
        try:
            return load(*signature)
        except Exception:  # a damaged file is written again
            try:
                files.flush()
            except OSError:
                files.disable()

    files.load_overload = load_or_compile
    return kernel


def address(array):
    """Return the address of an array; the caller must keep the array alive."""
    return int(array.ctypes.data)


@compiled
def memory_of(array):
    """Return the address of an array of numbers, five times faster than `address`."""
    return array.ctypes.data


def aligned(count, dtype):
    """Return a 64-byte aligned, uninitialised array of `count` elements."""
    size = count * np.dtype(dtype).itemsize
    whole = np.empty(size + 64, np.uint8)
    start = -memory_of(whole) % 64
    return whole[start : start + size].view(dtype)


@cache
def features():
    """Return the features of the processor that numba compiles for; it may differ from this one."""
    names = cpu_target.target_context.codegen()._tm_features.split(",")
    return frozenset(name[1:] for name in names if name.startswith("+"))


def operation(result, act, integers, *others):
    """Return the types and the code of an intrinsic; act(b, ..) emits its instructions."""

    def code(context, b, signature, args):
        made = act(b, *args)
        return context.get_dummy_value() if result is types.void else made

    return result(*[types.int64] * integers, *others), code


def begins_on_line(array):
    """Return whether an array can be written with streaming stores."""
    return address(array) % 64 == 0


@intrinsic
def fence(typing):
    """Order all streaming stores before later ones, by mfence or a locked instruction on x86."""
    return operation(types.void, lambda b: b.fence("seq_cst"), 0)


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


W = min(8, widest(DTYPE))  # lanes: complex numbers per vector
load, load_pairs, broadcast = loads(DTYPE, W)
fft2 = inline(fft2)
fft4 = inline(fft4)
fft8 = inline(fft8)
rotate = inline(rotate)
messages_1 = inline(messages_1)
local_0 = compiled(local_0)
local_1 = compiled(local_1)


# What follows is the same in every program of this kind: arguments, files, times, errors.
plan = Plan  # plan(comm) is collective


class Unusable(RuntimeError):
    """Invalid input, raised on all ranks; main prints it as one line and exits with status 2."""


def checked(j):
    """Return an index or an array of indices as int64; raise ValueError if one is out of range."""
    j = np.asarray(j)
    for wrong in j[(j < 0) | (j >= N)] if j.dtype.kind in "iu" else j.flat:
        raise ValueError(f"index {wrong}: indices are integers from 0 to {N - 1}")
    return j.astype(np.int64)[()]


def arrays(x, plan, out, new=np.empty):
    """Return x as a contiguous array, and `out` or a new array; raise ValueError if a shape, dtype, plan or memory is wrong."""
    if not isinstance(plan, Plan) or not plan.own:
        raise ValueError("plan must be made by plan(comm) of this program, and not be freed")
    for name, array in (("x", x),) if out is None else (("x", x), ("out", out)):
        held = np.asarray(array)
        if held.shape != (M,) or held.dtype != DTYPE or not (held is array or np.shares_memory(array, held)):
            what = f"{held.dtype} {held.shape}"
            if not isinstance(array, np.ndarray):
                what += f" in a {type(array).__name__}: use np.asarray"
            raise ValueError(f"{name} must be an array of {DTYPE} with shape {(M,)}; got {what}")
    if out is None:
        out = new(M, DTYPE)
    elif held is not out:
        raise ValueError("out must be a plain numpy array, not of a class derived from it")
    elif not out.flags.carray:
        rules = {"contiguous": out.flags.c_contiguous, "aligned": out.flags.aligned, "writeable": out.flags.writeable}
        wrong = " and not ".join(word for word, holds in rules.items() if not holds)
        raise ValueError(f"out must be contiguous, aligned and writeable; this one is not {wrong}")
    elif np.shares_memory(x, out):
        raise ValueError("out must not share memory with x: give another array, or no out")
    return np.ascontiguousarray(x) if np.asarray(x).flags.aligned else np.array(x, order="C"), out


def tabulate(entries, dtype=int, first=0, stop=M, new=np.arange):
    """Return the table of entries(o) for offsets first <= o < stop, computed PIECE at a time to save memory."""
    table = new(stop - first, dtype=dtype)
    for start in range(first, stop, PIECE):
        table[start - first :][:PIECE] = entries(np.arange(start, min(start + PIECE, stop)))
    return table


@contextlib.contextmanager
def together(comm, words, undo=lambda: None):
    """If a step fails on one rank, raise Unusable on all ranks, so that no rank waits for it; collective."""
    problem = None
    try:
        yield
    except Exception as error:
        problem = f"{words}: {getattr(error, 'strerror', None) or ' '.join(str(error).split()) or repr(error)}"
    for first in filter(None, comm.allgather(problem)):
        undo()
        raise Unusable(first)


def run(comm, source, path):
    """Transform the vector in one .npy file and write another; until it is complete, its name is `path`.PID.partial."""
    with together(comm, f"{source}: the input must be a .npy file of {DTYPE} with shape ({N},)"):
        if os.path.exists(source) and not os.path.isfile(source):  # reading a pipe could block
            raise OSError("this is not a regular file")
        if np.fromfile(source, "S6", 1).tolist() != [b"\x93NUMPY"]:
            raise OSError("this is not a .npy file: write it with np.save")
        vector = np.lib.format.open_memmap(source, "r")
        if vector.shape != (N,) or vector.dtype != DTYPE:
            converts = vector.shape == (N,) and np.can_cast(vector.dtype, DTYPE, "same_kind")
            remedy = f": np.save({source!r}, np.load({source!r}).astype({str(DTYPE)!r})) converts it" * converts
            raise ValueError(f"this is {vector.dtype} with shape {vector.shape}{remedy}")
        x = tabulate(lambda o: vector[input_index(comm.rank, o)], DTYPE, new=np.empty)
        target = os.path.realpath(path)  # keep a symbolic link, replace its target
    partial, written = comm.bcast(f"{target}.{os.getpid()}.partial"), f"{path}: cannot be written"
    try:
        with together(comm, written):
            if os.path.exists(path) and not os.path.isfile(path):
                raise OSError("it exists and is not a regular file")
            if comm.rank == 0:
                np.lib.format.open_memmap(partial, "w+", DTYPE, (N,))
        with together(comm, written), open(partial, "r+b") as file:
            file.seek((comm.rank - P) * M * DTYPE.itemsize, os.SEEK_END)
            file.write(np.zeros(M * DTYPE.itemsize, np.uint8))  # allocate now: a write to a memory map on a full disk kills the process
        handle = plan(comm)
        y = transform(x, handle)
        handle.free()
        with together(comm, written):
            vector = np.lib.format.open_memmap(partial, "r+")
            for start in range(0, M, PIECE):
                o = np.arange(start, min(start + PIECE, M))
                vector[output_index(comm.rank, o)] = y[o]
            vector.flush()
        with together(comm, written):
            if comm.rank == 0:
                os.replace(partial, target)
    finally:  # on every rank: a failing rank also ends the others
        with contextlib.suppress(OSError):
            os.remove(partial)


def bench(comm, repeats):
    """Print the times of a transform (the slowest rank of each repeat) and its error on a random vector."""
    x, plans = np.random.default_rng(comm.rank).standard_normal(2 * M).view(complex).astype(DTYPE), []
    seconds = timeit.repeat(lambda: plans.append(plan(comm)), comm.Barrier, repeat=1, number=1)
    y = transform(x, *plans)
    seconds += timeit.repeat(lambda: transform(x, *plans, y), comm.Barrier, repeat=repeats, number=1)
    parts, error = comm.gather((x, y)) if N <= 1 << 24 else None, None
    plans[0].free()
    first, *others = np.max(comm.allgather(seconds), axis=0).tolist()
    if parts:
        xs, ys = (np.reshape(each, (P, M)) for each in zip(*parts, strict=True))
        given, found = xs[input_place(np.arange(N))], ys[output_place(np.arange(N))]
        wanted = (np.fft.fft if DIRECTION == "forward" else np.fft.ifft)(given.astype(complex), norm=NORM)
        error = float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))  # compared with numpy.fft in double precision
    if comm.rank == 0:
        print(json.dumps({"N": N, "P": P, "repeats": repeats, "plan_seconds": first, "seconds_min": min(others), "seconds_median": float(np.median(others)), "error": error}))


def main(words):
    """Run the program on MPI.COMM_WORLD; return the exit status, or a line of error, if it is not 0."""
    try:
        from mpi4py import MPI  # this import initialises MPI; importing this file must not
    except (ImportError, RuntimeError) as error:  # no mpi4py, or no MPI library
        return f"{os.path.basename(__file__)}: {' '.join(str(error).split())}: this program needs mpi4py and an MPI library, for example from pip install mpi4py mpich"
    comm, name = MPI.COMM_WORLD, os.path.basename(__file__)
    try:
        with together(comm, "usage"):  # pairs with the allgather of a rank that cannot import a library
            if comm.size != P and words not in (["-h"], ["--help"]):
                raise ValueError(f"made for {P} ranks, started on {comm.size}: mpiexec -n {P} python {__file__}")
        match words:
            case ["-h" | "--help"]:
                print((__doc__ or f"mpiexec -n {P} python {name} IN.npy OUT.npy, or --bench K\n") * (comm.rank == 0), end="")  # python -OO drops the docstring
            case ["--bench", count] if count.isdecimal() and int(count) > 0:
                bench(comm, int(count))
            case [source, path] if "-" not in (source[:1], path[:1]):
                run(comm, source, path)
            case _:
                raise Unusable(f"arguments {words}: give IN.npy OUT.npy, or --bench K with K >= 1")
    except Unusable as problem:
        print(f"{name}: {problem}\n" if comm.rank == 0 else "", end="", file=sys.stderr, flush=True)
        return 2
    except BaseException as error:
        print(f"rank {comm.rank}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        time.sleep(0.5)  # gives mpiexec time to forward the message: it drops what is unread at an abort
        comm.Abort(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
