"""BMMC permutation of N = 4096 elements of float64 on P = 4 ranks: numba kernels.

    y[A j + c] = x[j], A a bit matrix, c a complement, arithmetic over GF(2)
    Π_{bit-reversal} = Π_V Π_W

Written by nodewright for this N and P:

    nodewright generate permute --size 4096 --ranks 4 --name bit-reversal --kernels numba --dtype float64

Input   block: x[j] lives on rank j div 1024, offset j mod 1024
Output  block: y[j] lives on rank j div 1024, offset j mod 1024
Cost    at most 3 messages and 768 words sent by a rank in 1 exchanges, 0 flops

Before  rank s holds x[j] at offset o for every index j with input_place(j) = (s, o)
After   rank s holds y[k] at offset o for every index k with output_place(k) = (s, o), and y[A j + c] = x[j]; x is unchanged

    mpiexec -n 4 python PROGRAM IN.npy OUT.npy      transforms a file, elements in natural order
    mpiexec -n 4 python PROGRAM --bench K           times K transforms
    plan(comm), transform(x, plan), plan.free()     the same within a program of your own, on a communicator of the plan's own
"""

import contextlib
import json
import os
import sys
import time

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

TRANSFORM = "permute"
N, P, M = 4096, 4, 1024  # elements, ranks, elements of a rank
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numba", "alltoall"
PIECE = 16384  # elements at a time, where tables are made and files read and written
DTYPE = np.dtype("float64")
A, C = (2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1), 0  # element j goes to place A j + C, for a bit matrix A of these columns
LOW_BITS = 8  # of the inner loop over tiles


def input_place(j):
    """Return (rank, offset) of x[j], for an integer or an array of integers."""
    j = checked(j)
    return j // 1024, j % 1024


def input_index(rank, o):
    """Return the index of the element of x at offset o of a rank."""
    return rank * 1024 + o


output_place, output_index = input_place, input_index  # y lies as x does


class Plan:
    """What a rank keeps for many transforms: a communicator, tables of its kernel and a work array."""

    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()  # no message of the caller's meets one of ours
        rank = comm.rank
        for first in (True, False):  # rank 0 compiles the kernels and keeps them on disk, where the other ranks find them
            with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
                if first == (rank == 0):
                    prepare()
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            self.lines = Lines(((64, 32, 16), (64, 32, 16)), ((1, 2, 4), (1, 2, 4)), ((0, 0, 0), (0, 0, 0)), ((1, 2, 8, 4), (64, 32, 8, 16)), 0, 7)
            self.lines_2 = Lines(((1, 64, 32), (4, 1, 2)), ((1, 2, 4), (2, 4, 1)), ((0, 0, 0), (0, 0, 0)), ((2, 4, 8, 16), (64, 128, 256, 512)), 0, 6)
            self.work = aligned(M, DTYPE)

    def free(self):
        """Free the communicator and the tables; collective."""
        if self.own:
            self.own.Free()
        self.lines = self.lines_2 = self.work = None


def transform(x, plan, out=None):
    """Return this rank's 1024 elements of y[A j + c] = x[j] in a new array, or in `out`; collective. x is left unchanged."""
    x, out = arrays(x, plan, out, aligned)
    work = plan.work

    # Π_V Π_W
    plan.lines.move(x, out)
    plan.own.Alltoall(out, work)
    plan.lines_2.move(work, out)
    return out


class Lines:
    """A rank's elements in another order, in tiles of lines of 64 bytes that stay in registers.

    Line i of tile k is line  lines i + steps k  of the source; lane l of it is made lane  lanes l + shifts i;
    the bits `stages` of i and l change places;
    place  lanes l + shifts i  of line i becomes lane l of line  lines i + steps k + c  of the target,
    and what the low bits of  steps k + c  say is added to that place: these columns have them below the line.
    Each of lines, .., steps is a pair (source, target) of bit matrices.
    """

    def __init__(self, lines, lanes, shifts, steps, c, stages):
        self.c, self.stages = c, stages
        self.lines = np.stack([span(side) for side in lines])
        self.low = np.stack([span(side[:LOW_BITS]) for side in steps])
        self.high = np.stack([span(side[LOW_BITS:]) for side in steps])
        turns = np.concatenate([span(shift)[:, None] ^ span(lane) for shift, lane in zip(shifts, lanes, strict=True)])
        self.turns = aligned(turns.size, "u8")
        self.turns[:] = turns.reshape(-1)

    def move(self, source, target):
        move(address(source), address(target), self.c, self.stages, self.lines, address(self.turns), self.low, self.high)


def span(columns):
    """Return all sums of columns, in the order of the numbers whose bits choose them."""
    return affine(columns, np.arange(1 << len(columns)))


def move(source, target, c, stages, lines, turn, low, high):
    """y[A i + c] = x[i], in tiles of 8 lines of 8 elements of 8 bytes; source, target, ..: addresses."""
    s0, s1, s2, s3, s4, s5, s6, s7 = lines[0]
    t0, t1, t2, t3, t4, t5, t6, t7 = lines[1]
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            v0 = permute(load(source, s ^ s0, 8), load(turn, 0, 8), 0)
            v1 = permute(load(source, s ^ s1, 8), load(turn, 1, 8), 0)
            v2 = permute(load(source, s ^ s2, 8), load(turn, 2, 8), 0)
            v3 = permute(load(source, s ^ s3, 8), load(turn, 3, 8), 0)
            v4 = permute(load(source, s ^ s4, 8), load(turn, 4, 8), 0)
            v5 = permute(load(source, s ^ s5, 8), load(turn, 5, 8), 0)
            v6 = permute(load(source, s ^ s6, 8), load(turn, 6, 8), 0)
            v7 = permute(load(source, s ^ s7, 8), load(turn, 7, 8), 0)
            if stages & 1:
                v0, v1 = exchange(v0, v1, 1)
                v2, v3 = exchange(v2, v3, 1)
                v4, v5 = exchange(v4, v5, 1)
                v6, v7 = exchange(v6, v7, 1)
            v0, v2 = exchange(v0, v2, 2)
            v1, v3 = exchange(v1, v3, 2)
            v4, v6 = exchange(v4, v6, 2)
            v5, v7 = exchange(v5, v7, 2)
            v0, v4 = exchange(v0, v4, 4)
            v1, v5 = exchange(v1, v5, 4)
            v2, v6 = exchange(v2, v6, 4)
            v3, v7 = exchange(v3, v7, 4)
            v0 = permute(v0, load(turn, 8, 8), t & 7)
            v1 = permute(v1, load(turn, 9, 8), t & 7)
            v2 = permute(v2, load(turn, 10, 8), t & 7)
            v3 = permute(v3, load(turn, 11, 8), t & 7)
            v4 = permute(v4, load(turn, 12, 8), t & 7)
            v5 = permute(v5, load(turn, 13, 8), t & 7)
            v6 = permute(v6, load(turn, 14, 8), t & 7)
            v7 = permute(v7, load(turn, 15, 8), t & 7)
            store(target, t >> 3 ^ t0, v0)
            store(target, t >> 3 ^ t1, v1)
            store(target, t >> 3 ^ t2, v2)
            store(target, t >> 3 ^ t3, v3)
            store(target, t >> 3 ^ t4, v4)
            store(target, t >> 3 ^ t5, v5)
            store(target, t >> 3 ^ t6, v6)
            store(target, t >> 3 ^ t7, v7)


def prepare():
    """Have the kernel compiled, by a call for no tiles."""
    array = aligned(1, DTYPE)
    lines, none = np.zeros((2, 8), int), np.empty((2, 0), int)
    move(address(array), address(array), 0, 0, lines, address(array), none, none)


# Operations on lines of 64 bytes under numba: the same text in every program with such kernels.
import operator
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
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

Typed = tuple[Any, Any]  # the types of an intrinsic, and the function that writes its code


def compiled(function: Callable[..., Any]) -> Any:
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


def address(array: Any) -> int:
    """Return where an array begins; whoever uses it keeps the array."""
    return int(array.ctypes.data)


@compiled
def memory_of(array: Any) -> int:
    """Return where an array of numbers begins, in a fifth of the time that `address` takes."""
    return array.ctypes.data


def aligned(count: int, dtype: Any) -> Any:
    """Return an array of so many elements that begins on a line, with what the memory holds."""
    size = count * np.dtype(dtype).itemsize
    whole = np.empty(size + 64, np.uint8)
    start = -memory_of(whole) % 64
    return whole[start : start + size].view(dtype)


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


move = compiled(move)


# What follows is the same in every program of this kind: arguments, files, times, errors.


def affine(columns, x, c=0):
    """Return columns x + c over GF(2): c and the columns that the bits of x choose, exclusive-or. Row i of a bit matrix is bit i of its columns."""
    y = x * 0 + c
    for bit, column in enumerate(columns):
        y = y ^ (x >> bit & 1) * column
    return y


class Unusable(RuntimeError):
    """What the user or the machine gives cannot be used: raised on all ranks, which main ends with one line and exit status 2."""


def checked(j):
    """Return an index, an integer or an array of integers, as numpy's; raise ValueError where it is none of an element."""
    j = np.asarray(j)
    wrong = j[(j < 0) | (j >= N)] if j.dtype.kind in "iu" else j
    if wrong.size:
        raise ValueError(f"index {wrong.flat[0]}: elements have the integers from 0 to {N - 1}")
    return j.astype(np.int64)[()]


def arrays(x, plan, out, new=np.empty):
    """Return x, without gaps, and `out`, or new(M, DTYPE); raise ValueError unless they are what a rank holds, and the plan is one of ours."""
    if not isinstance(plan, Plan) or not plan.own:
        raise ValueError("the plan is another program's, freed, or none: a transform takes what plan(comm) of its own program has returned")
    for name, array in (("x", x),) if out is None else (("x", x), ("out", out)):
        held = np.asarray(array)
        if held.shape != (M,) or held.dtype != DTYPE:
            raise ValueError(f"{name} has shape {held.shape} and dtype {held.dtype}: a rank holds {M} elements of {DTYPE}")
        if held is not array and not np.shares_memory(array, held):
            raise ValueError(f"{name} is no array: a rank holds an array of {M} elements of {DTYPE}")
    if out is None:
        out = new(M, DTYPE)
    elif held is not out or not out.flags.carray or np.shares_memory(x, out):
        raise ValueError("out is no plain array, has gaps, is unaligned, is read-only or shares memory with x, which is left unchanged")
    x = np.ascontiguousarray(x)
    return x if x.flags.aligned else x.copy(), out


def pieces(first=0, stop=M):
    """Yield slices that cut the offsets from `first` to `stop` into pieces, and these offsets."""
    for start in range(first, stop, PIECE):
        o = np.arange(start, min(start + PIECE, stop))
        yield slice(start - first, start - first + len(o)), o


def tabulate(entries, dtype=int, first=0, stop=M):
    """Return the table of entries(o) for these offsets, made a piece at a time: nothing else of its size is needed."""
    table = np.arange(stop - first, dtype=dtype)
    for piece, o in pieces(first, stop):
        table[piece] = entries(o)
    return table


@contextlib.contextmanager
def together(comm, words, undo=None):
    """Raise Unusable on every rank where a step fails on one, with these words before the reason, so that none waits for one that is gone; collective."""
    problem = None
    try:
        yield
    except OSError as error:
        problem = f"{words}: {error.strerror or error}"
    except Exception as error:
        problem = f"{words}: {' '.join(str(error).split()) or repr(error)}"
    problems = [text for text in comm.allgather(problem) if text]
    if problems:
        if undo:
            undo()
        raise Unusable(problems[0])


def plan(comm):
    """Return the plan of this rank, on any communicator of P ranks, of which it makes its own; collective. Where one rank cannot make it, all raise."""
    if comm.size != P:
        raise ValueError(f"{comm.size} ranks: this program is made for P = {P}")
    return Plan(comm)


def run(comm, source, path):
    """Transform the vector in one file into another file, which gets its name when it is whole; until then it is `path`.PID.partial."""
    with together(comm, f"{source}: the input is a .npy file of {DTYPE} of shape ({N},)"):
        vector, x = np.load(source, mmap_mode="r", allow_pickle=False), np.empty(M, DTYPE)
        if vector.shape != (N,) or vector.dtype != DTYPE:
            raise ValueError(f"this is {vector.dtype} of shape {vector.shape}")
        for piece, o in pieces():
            x[piece] = vector[input_index(comm.rank, o)]
    target, written = os.path.realpath(path), f"{path}: cannot be written"  # what a link leads to is written, and the link stays
    partial = comm.bcast(f"{target}.{os.getpid()}.partial")
    try:
        with together(comm, written):
            if os.path.exists(path) and not os.path.isfile(path):
                raise OSError("it is there, and no file")
            if comm.rank == 0:
                np.lib.format.open_memmap(partial, "w+", DTYPE, (N,))
        with together(comm, written), open(partial, "r+b") as file:  # a full disk refuses plain writes, but kills who writes to a memory map
            file.seek((comm.rank - P) * M * DTYPE.itemsize, os.SEEK_END)
            for _, o in pieces():
                file.write(bytes(len(o) * DTYPE.itemsize))
        handle = plan(comm)
        y = transform(x, handle)
        handle.free()
        with together(comm, written):
            vector = np.lib.format.open_memmap(partial, "r+")
            for piece, o in pieces():
                vector[output_index(comm.rank, o)] = y[piece]
            vector.flush()
        with together(comm, written):
            if comm.rank == 0:
                os.replace(partial, target)
    finally:  # on every rank, as one that fails takes the others with it
        with contextlib.suppress(OSError):
            os.remove(partial)


def bench(comm, repeats):
    """Print the time of a transform, the slowest rank of each repeat, and the error of one on a random vector."""
    comm.Barrier()
    start = time.perf_counter()
    handle = plan(comm)
    plan_seconds = max(comm.allgather(time.perf_counter() - start))
    x = np.random.default_rng(comm.rank).integers(0, 256, M * DTYPE.itemsize, np.uint8).view(DTYPE)
    y, seconds = transform(x, handle), []
    for _ in range(repeats):
        comm.Barrier()
        start = time.perf_counter()
        transform(x, handle, out=y)
        seconds.append(time.perf_counter() - start)
        comm.Barrier()
    slowest, parts = np.max(comm.allgather(seconds), axis=0), comm.gather((x, y)) if N <= 1 << 24 else None
    handle.free()
    if comm.rank == 0:
        figures = {"N": N, "P": P, "repeats": repeats, "plan_seconds": plan_seconds, "seconds_min": float(slowest.min())}
        figures |= {"seconds_median": float(np.median(slowest)), "error": None}
        if parts:
            given, found = np.empty((2, N), DTYPE)
            for rank, (x, y) in enumerate(parts):
                for piece, o in pieces():
                    given[input_index(rank, o)], found[output_index(rank, o)] = x[piece], y[piece]
            wanted = np.empty_like(given)
            wanted[affine(A, np.arange(N), C)] = given
            figures["error"] = float((found.view(np.uint8) != wanted.view(np.uint8)).reshape(N, -1).any(axis=1).mean())
        print(json.dumps(figures))


def main(words):
    """Run the program on all ranks of MPI.COMM_WORLD and return the exit status."""
    from mpi4py import MPI  # starts MPI, which importing this file must not

    comm, name = MPI.COMM_WORLD, os.path.basename(__file__)
    try:
        match words:
            case ["-h" | "--help"]:
                print(__doc__ if comm.rank == 0 else "", end="")
            case _ if comm.size != P:
                raise Unusable(f"{comm.size} ranks: this program is made for P = {P}: mpiexec -n {P} python {__file__}")
            case ["--bench", count] if count.isdecimal() and int(count) > 0:
                bench(comm, int(count))
            case [source, path] if not source.startswith("-"):
                run(comm, source, path)
            case _:
                raise Unusable(f"arguments {words}: give IN.npy OUT.npy, or --bench K with K >= 1")
    except Unusable as problem:
        if comm.rank == 0:
            print(f"{name}: {problem}", file=sys.stderr, flush=True)
        return 2
    except BaseException as error:
        print(f"rank {comm.rank}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        time.sleep(0.5)  # mpiexec passes on what it has read when it hears of an abort, and no more
        comm.Abort(1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
