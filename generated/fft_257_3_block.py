"""Discrete Fourier transform of N = 257 elements on P = 3 ranks: forward, complex128, numpy kernels.

    y = F_257 x,   F_n[j, k] = w_n^(jk),   w_n = exp(-2 pi i / n)
    F_257 = diag(j < 257, j^2/(2*257)) Pad_{257,512} ((1/2 E_{1,2} F_2) ⊗ I_512) inv(F_1024) Chirp_{1024,257} F_1024 ((1/2 F_2 E_{2,1}) ⊗ I_512) Pad_{512,257} diag(k < 257, k^2/(2*257))

Input   block: x[j] lives on rank j div 86, offset j mod 86
Output  block: y[j] lives on rank j div 86, offset j mod 86
Cost    at most 8 messages and 590 words sent by a rank in 4 exchanges, 42568 flops
Arrays  of shape (257,); rank 0 has (86,) before and (86,) after, local_shape and local_output_shape say what the others have
Made by nodewright generate fft --size 257 --ranks 3

    mpiexec -n 3 python PROGRAM IN.npy OUT.npy      transforms a file, the whole array
    mpiexec -n 3 python PROGRAM --bench K           times K transforms
    plan(comm), transform(x, plan), plan.free()     the same within a program of your own
"""

import contextlib
import json
import math
import os
import sys
import time
import timeit

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P = 257, 3  # elements, ranks
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")
INPUT_DTYPE, OUTPUT_DTYPE = DTYPE, DTYPE
SIGN = -1  # w_n = exp(SIGN 2 pi i / n)
SHAPE, GRID = (257,), (3,)  # the axes, and the number of ranks along each input axis
BATCH = 0  # number of arrays, stacked along a first axis; 0: one array without that axis
AXES = (-1,)  # the axes that are transformed, counted from the last one, which is -1
INPUT_SHAPE, OUTPUT_SHAPE = (257,), (257,)  # of the arrays in files


def block(n, p):
    """Return where each of p parts of n elements begins, and n: parts of ceil(n / p) elements, the last ones less or none."""
    return np.minimum(np.arange(p + 1) * -(-n // p), n)


def balanced(n, p):
    """Return where each of p parts of n elements begins, and n: the first n mod p parts have one element more."""
    return np.arange(p + 1) * (n // p) + np.minimum(np.arange(p + 1), n % p)


# The layouts of the array in turn. An axis (divided, n, p, s) of n elements is in p parts, and rank r has part r // s % p.
LAYOUTS = (
    ((block, 257, 3, 1),),
    ((block, 32, 1, 1), (balanced, 32, 3, 1)),
    ((balanced, 32, 3, 1), (block, 32, 1, 1)),
    ((block, 32, 1, 1), (balanced, 32, 3, 1)),
    ((block, 257, 3, 1),),
)
INPUT_LAYOUT, OUTPUT_LAYOUT = LAYOUTS[0], LAYOUTS[-1]


def slices(layout, rank):
    """Return the slice of each axis that a rank has."""
    found = []
    for divided, n, p, stride in layout:
        first, stop = divided(n, p)[rank // stride % p :][:2].tolist()
        found.append(slice(first, stop))
    return tuple(found)


def shape_of(layout, rank):
    """Return the shape of a rank's part."""
    return tuple(part.stop - part.start for part in slices(layout, rank))


def place(layout, j):
    """Return the (rank, offset) of the element with the flat index j."""
    rank, offset, size = j * 0, j * 0, math.prod(n for _, n, _, _ in layout)
    for divided, n, p, stride in layout:
        starts, size = divided(n, p), size // n
        index = j // size % n
        i = np.searchsorted(starts, index, side="right") - 1
        rank, offset = rank + i * stride, offset * (starts[i + 1] - starts[i]) + index - starts[i]
    return rank, offset


def index(layout, rank, o):
    """Return the flat index of the element at offset o on the given rank."""
    j, size = o * 0, 1
    for (_, n, _, _), part in zip(layout[::-1], slices(layout, rank)[::-1]):
        count = max(part.stop - part.start, 1)
        j, o, size = j + (part.start + o % count) * size, o // count, size * n
    return j


def flat(shape, *indices):
    """Return flat indices as int64, from flat indices or one index per axis; raise ValueError if one is out of range."""
    if len(indices) not in (1, len(shape)):
        raise ValueError(f"{len(indices)} indices: give one flat index, or one for each of the axes {shape}")
    found = 0
    for given, size in zip(indices, shape if indices[1:] else (math.prod(shape),)):
        j = np.asarray(given)
        for wrong in j[(j < 0) | (j >= size)] if j.dtype.kind in "iu" else j.flat:
            raise ValueError(f"index {wrong}: indices are integers from 0 to {size - 1}")
        found = found * size + j.astype(np.int64)
    return found[()]


def input_place(*j):
    """Return the (rank, offset) of x[j]; pass a flat index or one index per axis: integers or integer arrays."""
    return place(INPUT_LAYOUT, flat(INPUT_SHAPE, *j))


def input_index(rank, o):
    """Return the global index of the element of x at offset o on the given rank."""
    return index(INPUT_LAYOUT, rank, o)


def output_place(*k):
    """Return the (rank, offset) of y[k]; pass a flat index or one index per axis: integers or integer arrays."""
    return place(OUTPUT_LAYOUT, flat(OUTPUT_SHAPE, *k))


def output_index(rank, o):
    """Return the global index of the element of y at offset o on the given rank."""
    return index(OUTPUT_LAYOUT, rank, o)


def known_rank(rank):
    """Return a rank; raise ValueError if there is no such rank."""
    if not 0 <= rank < P:
        raise ValueError(f"rank {rank}: ranks are integers from 0 to {P - 1}")
    return rank


def local_shape(rank):
    """Return the shape of a rank's part of x."""
    return shape_of(INPUT_LAYOUT, known_rank(rank))


def local_output_shape(rank):
    """Return the shape of a rank's part of y."""
    return shape_of(OUTPUT_LAYOUT, known_rank(rank))


class Plan:
    """The state of one rank: a communicator, tables of its exchanges, twiddles and 2 work arrays. Creating a plan is collective; if one rank fails, all raise."""

    def __init__(self, comm):
        if not comm or comm.Is_inter():
            given = "an intercommunicator: comm.Merge() makes one of both groups" if comm else "None, COMM_NULL or a freed one"
            raise ValueError(f"comm must be a communicator of {P} ranks; got {given}")
        if comm.size != P:
            raise ValueError(f"this program is made for {P} ranks; comm has {comm.size}")
        self.comm, self.own, rank = comm, comm.Dup(), comm.rank  # our messages use a private copy of comm
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            self.shapes = local_shape(rank), local_output_shape(rank)
            self.chirp = (lambda k: root_of_unity(k * k % (2 * N), 2 * N))(indices(LAYOUTS[0], rank)).astype(DTYPE).reshape(shape_of(LAYOUTS[0], rank))
            self.indexed = Indexed(rank, LAYOUTS[0], LAYOUTS[1], lambda k: k)
            self.twiddle = (lambda k: root_of_unity((k // 32) * (k % 32) % 1024, 1024))(indices(LAYOUTS[1], rank)).astype(DTYPE).reshape(shape_of(LAYOUTS[1], rank))
            self.trade = Trade(rank, LAYOUTS[1], LAYOUTS[2], 1, 0)
            self.filter = (lambda k: spectrum_of_chirp(1024)[k % 32 * 32 + k // 32] / 1024)(indices(LAYOUTS[2], rank)).astype(DTYPE).reshape(shape_of(LAYOUTS[2], rank))
            self.trade_2 = Trade(rank, LAYOUTS[2], LAYOUTS[3], 0, 1)
            self.twiddle_2 = (lambda k: root_of_unity(-(k // 32) * (k % 32) % 1024, 1024))(indices(LAYOUTS[3], rank)).astype(DTYPE).reshape(shape_of(LAYOUTS[3], rank))
            self.indexed_2 = Indexed(rank, LAYOUTS[3], LAYOUTS[4], lambda k: k)
            self.chirp_2 = (lambda k: root_of_unity(k * k % (2 * N), 2 * N))(indices(LAYOUTS[4], rank)).astype(DTYPE).reshape(shape_of(LAYOUTS[4], rank))
        indexed = self.indexed, self.indexed_2
        for each in indexed:
            self.own.Alltoall(each.received, each.sent)
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            for each in indexed:
                each.takes = np.empty(each.sent.sum(), int)
            size = max(math.prod(shape_of(layout, rank)) for layout in LAYOUTS)
            size = max(size, *(each.sent.sum() for each in indexed))
            self.a = np.empty(size, DTYPE)
            self.b = np.empty(size, DTYPE)
            self.a0 = shaped(self.a, LAYOUTS[0], rank)
            self.a1 = shaped(self.a, LAYOUTS[1], rank)
            self.a2 = shaped(self.a, LAYOUTS[2], rank)
            self.a3 = shaped(self.a, LAYOUTS[3], rank)
            self.b1 = shaped(self.b, LAYOUTS[1], rank)
            self.b2 = shaped(self.b, LAYOUTS[2], rank)
            self.b3 = shaped(self.b, LAYOUTS[3], rank)
            self.b4 = shaped(self.b, LAYOUTS[4], rank)
        for each in indexed:  # what the others want, as they tell
            self.own.Alltoallv([each.wants, each.received], [each.takes, each.sent])
            each.wants = None

    def free(self):
        """Free the communicator and the arrays; collective."""
        if self.own:
            self.own.Free()
        self.chirp = self.indexed = self.twiddle = self.trade = self.filter = self.trade_2 = self.twiddle_2 = self.indexed_2 = self.chirp_2 = self.a = self.b = self.a0 = self.a1 = self.a2 = self.a3 = self.b1 = self.b2 = self.b3 = self.b4 = None


def transform(x, plan, out=None):
    """Return this rank's part of y = F_257 x, in a new array or in `out`; collective. x, of shape local_shape(rank) and type INPUT_DTYPE, is left unchanged."""
    x, out = arrays(x, plan, out)

    # times the chirp exp(-pi i j^2 / 257), up to the sign
    np.multiply(x, plan.chirp, out=plan.a0)

    # element j = 32 j_0 + j_1 of the vector comes to (j_0, j_1) of 32 x 32
    gather(plan.a0, plan.indexed, plan.b)
    plan.own.Alltoallv([plan.b, plan.indexed.sent], [plan.a, plan.indexed.received])
    spread(plan.a, plan.indexed, plan.b1)

    # (F_32 ⊗ I_32): along axis 0
    np.fft.fft(plan.b1, axis=0, out=plan.a1)

    # T^1024_32: twiddles
    np.multiply(plan.a1, plan.twiddle, out=plan.b1)

    # axis 1 becomes whole, the same 3 ranks divide axis 0
    plan.own.Alltoallv([plan.b1, plan.trade.sent], [plan.a, plan.trade.received])
    unpack(plan.a, plan.trade.unpacks, plan.b2)

    # (I_32 ⊗ F_32): along axis 1
    np.fft.fft(plan.b2, axis=1, out=plan.a2)

    # times the transform of the conjugate chirp of 257 elements
    np.multiply(plan.a2, plan.filter, out=plan.b2)

    # (I_32 ⊗ conj(F_32)): along axis 1
    np.fft.ifft(plan.b2, axis=1, norm="forward", out=plan.a2)

    # axis 0 becomes whole, the same 3 ranks divide axis 1
    pack(plan.a2, plan.trade_2.packs, plan.b)
    plan.own.Alltoallv([plan.b, plan.trade_2.sent], [plan.a3, plan.trade_2.received])

    # conj(T^1024_32): twiddles
    np.multiply(plan.a3, plan.twiddle_2, out=plan.b3)

    # (conj(F_32) ⊗ I_32): along axis 0
    np.fft.ifft(plan.b3, axis=0, norm="forward", out=plan.a3)

    # element (j_0, j_1) of 32 x 32 comes to j = 32 j_0 + j_1 of the vector
    gather(plan.a3, plan.indexed_2, plan.b)
    plan.own.Alltoallv([plan.b, plan.indexed_2.sent], [plan.a, plan.indexed_2.received])
    spread(plan.a, plan.indexed_2, plan.b4)

    # times the chirp exp(-pi i j^2 / 257), up to the sign
    np.multiply(plan.b4, plan.chirp_2, out=out)
    return out


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, using angles of at most an eighth of a turn for accuracy."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    return np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4] * (np.cos(angle) + SIGN * 1j * np.sin(angle))


def spectrum_of_chirp(size):
    """Return the transform of the conjugate chirp, of this length around index 0."""
    t, chirp = np.arange(size) - size // 2, np.empty(size, complex)
    chirp[t] = root_of_unity(t * t % (2 * N), 2 * N).conj()
    return np.fft.fft(chirp) if SIGN < 0 else np.fft.ifft(chirp, norm="forward")


class Trade:
    """The messages of an exchange among p ranks, which divide axis `whole` after it instead of axis `divided`, from one layout to another."""

    def __init__(self, rank, before, after, divided, whole):
        p, given, made = before[divided][2], shape_of(before, rank), shape_of(after, rank)
        goes, comes = (axis[0](axis[1], p).tolist() for axis in (after[whole], before[divided]))
        self.packs = [(slice(None),) * whole + (slice(goes[j], goes[j + 1]),) for j in range(p)]
        self.unpacks = [(slice(None),) * divided + (slice(comes[j], comes[j + 1]),) for j in range(p)]
        self.sent = [math.prod(given) // given[whole] * (part[-1].stop - part[-1].start) for part in self.packs]
        self.received = [math.prod(made) // made[divided] * (part[-1].stop - part[-1].start) for part in self.unpacks]


class Indexed:
    """An exchange after which element k of one layout is element source(k) of another one before, or its complex conjugate where turned(k)."""

    def __init__(self, rank, before, after, source, turned=lambda k: k < 0):
        k = indices(after, rank)
        there = np.flatnonzero(source(k) < math.prod(n for _, n, _, _ in before))  # others are 0
        ranks, offsets = place(before, source(k[there]))
        by_rank = np.argsort(ranks, kind="stable")  # the elements by the ranks that they come from
        self.order, self.turned, self.wants = there[by_rank], np.flatnonzero(turned(k)), offsets[by_rank]
        self.received, self.sent = np.bincount(ranks, minlength=P), np.empty(P, int)


def indices(layout, rank):
    """Return the flat indices of a rank's elements, in their order."""
    return index(layout, rank, np.arange(math.prod(shape_of(layout, rank))))


def pack(x, parts, room):
    """Copy these parts of x to the room, one after the other."""
    start = 0
    for part in parts:
        message = x[part]
        np.copyto(room[start : start + message.size].reshape(message.shape), message)
        start += message.size


def unpack(room, parts, y):
    """Copy what is in the room, one after the other, to these parts of y."""
    start = 0
    for part in parts:
        message = y[part]
        np.copyto(message, room[start : start + message.size].reshape(message.shape))
        start += message.size


def gather(x, indexed, room):
    """Copy what other ranks want of x to the room, by rank."""
    np.take(x.reshape(-1), indexed.takes, out=room[: len(indexed.takes)], mode="clip")


def spread(room, indexed, y):
    """Copy what has come to the room to its places in y."""
    made = y.reshape(-1)
    if len(indexed.order) < len(made):
        made[:] = 0
    made[indexed.order] = room[: len(indexed.order)]
    if len(indexed.turned):
        made[indexed.turned] = made[indexed.turned].conj()


def shaped(room, layout, rank):
    """Return the beginning of the room as a rank's part of an array."""
    shape = shape_of(layout, rank)
    return room[: math.prod(shape)].reshape(shape)


# What follows is the same in every program of this kind: arguments, files, times, errors.
plan = Plan  # plan(comm) is collective


class Unusable(RuntimeError):
    """Invalid input, raised on all ranks; main prints it as one line and exits with status 2."""


def arrays(x, plan, out):
    """Return x as a contiguous array, and `out` or a new array; raise ValueError if a shape, dtype, plan or memory is wrong."""
    if not isinstance(plan, Plan) or not plan.own:
        raise ValueError("plan must be made by plan(comm) of this program, and not be freed")
    wanted = zip(("x", "out"), (x, out), (INPUT_DTYPE, OUTPUT_DTYPE), plan.shapes)
    for name, array, dtype, shape in [*wanted][: 1 + (out is not None)]:
        held = np.asarray(array)
        if held.shape != shape or held.dtype != dtype or not (held is array or np.shares_memory(array, held)):
            what = f"{held.dtype} {held.shape}"
            if not isinstance(array, np.ndarray):
                what += f" in a {type(array).__name__}: use np.asarray"
            raise ValueError(f"{name} must be an array of {dtype} with shape {shape} on rank {plan.own.rank}; got {what}")
    if out is None:
        out = np.empty(plan.shapes[1], OUTPUT_DTYPE)
    elif held is not out:
        raise ValueError("out must be a plain numpy array, not of a class derived from it")
    elif not out.flags.carray:
        rules = {"contiguous": out.flags.c_contiguous, "aligned": out.flags.aligned, "writeable": out.flags.writeable}
        wrong = " and not ".join(word for word, holds in rules.items() if not holds)
        raise ValueError(f"out must be contiguous, aligned and writeable; this one is not {wrong}")
    elif out is x or np.shares_memory(x, out):  # a part without elements shares none
        raise ValueError("out must not share memory with x: give another array, or no out")
    return np.ascontiguousarray(x) if np.asarray(x).flags.aligned else np.array(x, order="C"), out


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
    """Transform the array in one .npy file and write another; until it is complete, its name is `path`.PID.partial."""
    with together(comm, f"{source}: the input must be a .npy file of {INPUT_DTYPE} with shape {INPUT_SHAPE}"):
        if os.path.exists(source) and not os.path.isfile(source):  # reading a pipe could block
            raise OSError("this is not a regular file")
        if np.fromfile(source, "S6", 1).tolist() != [b"\x93NUMPY"]:
            raise OSError("this is not a .npy file: write it with np.save")
        given = np.lib.format.open_memmap(source, "r")
        if given.shape != INPUT_SHAPE or given.dtype != INPUT_DTYPE:
            converts = given.shape == INPUT_SHAPE and np.can_cast(given.dtype, INPUT_DTYPE, "same_kind")
            remedy = f": np.save({source!r}, np.load({source!r}).astype({str(INPUT_DTYPE)!r})) converts it" * converts
            raise ValueError(f"this is {given.dtype} with shape {given.shape}{remedy}")
        x = np.array(given[slices(INPUT_LAYOUT, comm.rank)], order="C")
        target = os.path.realpath(path)  # keep a symbolic link, replace its target
    partial, written = comm.bcast(f"{target}.{os.getpid()}.partial"), f"{path}: cannot be written"
    size = math.prod(OUTPUT_SHAPE) * OUTPUT_DTYPE.itemsize
    first, stop = size * comm.rank // P, size * (comm.rank + 1) // P
    try:
        with together(comm, written):
            if os.path.exists(path) and not os.path.isfile(path):
                raise OSError("it exists and is not a regular file")
            if comm.rank == 0:
                np.lib.format.open_memmap(partial, "w+", OUTPUT_DTYPE, OUTPUT_SHAPE)
        with together(comm, written), open(partial, "r+b") as file:
            file.seek(first - size, os.SEEK_END)
            file.write(np.zeros(stop - first, np.uint8))  # allocate now: a write to a memory map on a full disk kills the process
        handle = plan(comm)
        y = transform(x, handle)
        handle.free()
        with together(comm, written):
            made = np.lib.format.open_memmap(partial, "r+")
            made[slices(OUTPUT_LAYOUT, comm.rank)] = y
            made.flush()
        with together(comm, written):
            if comm.rank == 0:
                os.replace(partial, target)
    finally:  # on every rank: a failing rank also ends the others
        with contextlib.suppress(OSError):
            os.remove(partial)


def bench(comm, repeats):
    """Print the times of a transform (the slowest rank of each repeat) and its error on a random array."""
    random, shape, plans = np.random.default_rng(comm.rank), local_shape(comm.rank), []
    x = (random.standard_normal((*shape, 2)) @ (1, 1j) if INPUT_DTYPE.kind == "c" else random.standard_normal(shape)).astype(INPUT_DTYPE)
    seconds = timeit.repeat(lambda: plans.append(plan(comm)), comm.Barrier, repeat=1, number=1)
    y = transform(x, *plans)
    seconds += timeit.repeat(lambda: transform(x, *plans, y), comm.Barrier, repeat=repeats, number=1)
    parts, error = comm.gather((x, y)) if N <= 1 << 24 else None, None
    plans[0].free()
    first, *others = np.max(comm.allgather(seconds), axis=0).tolist()
    if parts:
        given, found = np.empty(INPUT_SHAPE, complex), np.empty(OUTPUT_SHAPE, complex)
        for rank, part in enumerate(parts):
            given[slices(INPUT_LAYOUT, rank)], found[slices(OUTPUT_LAYOUT, rank)] = part
        sizes = [SHAPE[axis] for axis in AXES]
        if OUTPUT_DTYPE == INPUT_DTYPE:
            wanted = (np.fft.fftn if DIRECTION == "forward" else np.fft.ifftn)(given, axes=AXES, norm=NORM)
        elif DIRECTION == "forward":
            wanted = np.fft.rfftn(given.real, axes=AXES, norm=NORM)
        else:
            wanted = np.fft.irfftn(given, sizes, AXES, norm=NORM)
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
