"""BMMC permutation of N = 4096 elements of float64 on P = 4 ranks: numba kernels.

    y[A j + c] = x[j], A a bit matrix, c a complement, arithmetic over GF(2)
    Π_{bit-reversal} = Π_V Π_W

Input   block: x[j] lives on rank j div 1024, offset j mod 1024
Output  block: y[j] lives on rank j div 1024, offset j mod 1024
Cost    at most 3 messages and 768 words sent by a rank in 1 exchange, 0 flops
Made by nodewright generate permute --size 4096 --ranks 4 --name bit-reversal --kernels numba --dtype float64

    mpiexec -n 4 python PROGRAM IN.npy OUT.npy      transforms a file, elements in natural order
    mpiexec -n 4 python PROGRAM --bench K           times K transforms
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

TRANSFORM = "permute"
N, P, M = 4096, 4, 1024  # elements, ranks, elements per rank
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numba", "alltoall"
PIECE = 16384  # elements per step when making tables, reading and writing files
DTYPE = np.dtype("float64")
A, C = (2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1), 0  # element j moves to index A j + C; A is the bit matrix with these columns
LOW_BITS = 8  # address bits of the inner loop over tiles


def input_place(j):
    """Return the (rank, offset) of x[j]; j is an integer or an integer array."""
    return divmod(checked(j), 1024)


def input_index(rank, o):
    """Return the global index of the element of x at offset o on the given rank."""
    return rank * 1024 + o


output_place, output_index = input_place, input_index  # y has the layout of x


class Plan:
    """The state of one rank: a communicator, tables of its kernel and a work array. Creating a plan is collective; if one rank fails, all raise."""

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
            self.lines = Lines(((64, 32, 16), (64, 32, 16)), ((1, 2, 4), (1, 2, 4)), ((0, 0, 0), (0, 0, 0)), ((1, 2, 8, 4), (64, 32, 8, 16)), 0, 7)
            self.lines_2 = Lines(((1, 64, 32), (4, 1, 2)), ((1, 2, 4), (2, 4, 1)), ((0, 0, 0), (0, 0, 0)), ((2, 4, 8, 16), (64, 128, 256, 512)), 0, 6)
            self.work = aligned(M, DTYPE)

    def free(self):
        """Free the communicator and the tables; collective."""
        if self.own:
            self.own.Free()
        self.lines = self.lines_2 = self.work = None


def transform(x, plan, out=None):
    """Return this rank's 1024 elements of y[A j + c] = x[j], in a new array or in `out`; collective. x, of shape (M,) and type DTYPE, is left unchanged."""
    x, out = arrays(x, plan, out)
    work = plan.work

    # Π_V Π_W
    plan.lines.move(x, out)
    plan.own.Alltoall(out, work)
    plan.lines_2.move(work, out)
    return out


class Lines:
    """A local permutation in tiles of 64-byte cache lines that stay in registers.

    Line i of tile k is line  lines i + steps k  of the source; lane l takes the element of lane  lanes l + shifts i;
    the bits `stages` of i and l are exchanged;
    lane l of line  lines i + steps k + c  of the target takes the element of lane  lanes l + shifts i  of line i;
    the low bits of  steps k + c,  those below the line, are added to that lane.
    Each of lines, lanes, shifts and steps is a pair (source, target) of bit matrices.
    """

    def __init__(self, lines, lanes, shifts, steps, c, stages):
        self.c, self.stages = c, stages
        self.lines = tuple(tuple(span(side).tolist()) for side in lines)
        self.low = np.stack([span(side[:LOW_BITS]) for side in steps])
        self.high = np.stack([span(side[LOW_BITS:]) for side in steps])
        turns = np.concatenate([span(shift)[:, None] ^ span(lane) for shift, lane in zip(shifts, lanes)])
        self.turns = aligned(turns.size, "u8")
        self.turns[:] = turns.reshape(-1)

    def move(self, source, target):
        move(address(source), address(target), self.c, self.stages, self.lines, address(self.turns), self.low, self.high)


def span(columns):
    """Return all sums of columns: entry x is the sum of the columns that the bits of x select."""
    return affine(columns, np.arange(1 << len(columns)))


def move(source, target, c, stages, lines, turn, low, high):
    """Store y[A i + c] = x[i], in tiles of 8 lines of 8 elements of 8 bytes; source and target are addresses."""
    order = (0, 1, 2, 3, 4, 5, 6, 7)
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            v = permute(load(source, s, lines[0], 8), load(turn, 0, order, 8), 0)
            if stages & 1:
                v = exchange(v, 1)
            v = exchange(v, 2)
            v = exchange(v, 4)
            v = permute(v, load(turn, 8, order, 8), t & 7)
            store(target, t >> 3, lines[1], v)


def prepare():
    """Compile the kernel with a call for no tiles."""
    array = aligned(1, DTYPE)
    lines, none = ((0,) * 8,) * 2, np.empty((2, 0), int)
    move(address(array), address(array), 0, 0, lines, address(array), none, none)


# Operations on lines of 64 bytes under numba: the same text in every program with such kernels.
from functools import cache

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.datamodel import models, register_default
from numba.core.registry import cpu_target
from numba.extending import intrinsic

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


move = compiled(move)


# What follows is the same in every program of this kind: arguments, files, times, errors.
plan = Plan  # plan(comm) is collective


def affine(columns, x, c=0):
    """Return A x + c over GF(2), for the matrix A with these columns: c plus the columns that the bits of x select; bit i of a column is row i."""
    y = x * 0 + c
    for bit, column in enumerate(columns):
        y = y ^ (x >> bit & 1) * column
    return y


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
    x, plans = np.random.default_rng(comm.rank).integers(0, 256, M * DTYPE.itemsize, np.uint8).view(DTYPE), []
    seconds = timeit.repeat(lambda: plans.append(plan(comm)), comm.Barrier, repeat=1, number=1)
    y = transform(x, *plans)
    seconds += timeit.repeat(lambda: transform(x, *plans, y), comm.Barrier, repeat=repeats, number=1)
    parts, error = comm.gather((x, y)) if N <= 1 << 24 else None, None
    plans[0].free()
    first, *others = np.max(comm.allgather(seconds), axis=0).tolist()
    if parts:
        xs, ys = (np.reshape(each, (P, M)) for each in zip(*parts, strict=True))
        given, found = xs[input_place(np.arange(N))], ys[output_place(np.arange(N))]
        wanted = np.empty_like(given)
        wanted[affine(A, np.arange(N), C)] = given
        error = float((found.view(np.uint8) != wanted.view(np.uint8)).reshape(N, -1).any(axis=1).mean())
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
