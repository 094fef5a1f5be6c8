"""Discrete Fourier transform of N = 1024 elements on P = 4 ranks: backward, complex128, numpy kernels.

    y = 1/1024 F_1024 x,   F_1024[j, k] = w^(jk),   w = exp(2 pi i / 1024)
    F_1024 = P_1024 (I_8 ⊗ P_128) (I_8 ⊗ F_128) W_0 (I_4 ⊗ F_2 ⊗ I_128) Π_X1 W_1 (I_4 ⊗ F_2 ⊗ I_128) Π_X2 W_2 (I_4 ⊗ F_2 ⊗ I_128) Π_Q2

Written by nodewright for this N and P:

    nodewright generate hypercube-fft --size 1024 --ranks 4 --scheme 5 --input scrambled --direction backward

Input   scrambled: x[j] lives on the rank and offset that the bit matrix below gives
Output  block: y[j] lives on rank j div 256, offset j mod 256
Cost    at most 5 messages and 448 words sent by a rank in 3 exchanges, 12800 flops

Before  rank s holds x[j] at offset o for every index j with input_place(j) = (s, o)
After   rank s holds y[k] at offset o for every index k with output_place(k) = (s, o), and y = 1/1024 F_1024 x; x is unchanged

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

import numpy as np

TRANSFORM = "hypercube-fft"
N = 1024
P = 4
M = 256  # elements of a rank
INPUT, OUTPUT = "scrambled", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
PIECE = 1 << 14  # elements at a time, where tables are made and files read and written
DTYPE = np.dtype("complex128")
THIS = object()  # which program a plan belongs to
DIRECTION, NORM = "backward", "backward"
SIGN = 1  # w_n = exp(SIGN 2 pi i / n)
SCALE = 1 / N
SCHEME = "5"  # the paper's program; 5r is Prog. 5 with four half blocks that rotate
H = M // 2
BLOCK = 1 << 12  # butterflies at a time, which stay in cache

# A bit matrix is the tuple of its columns, row i at bit i; + is exclusive or. Rank s and offset o make the storage address s M + o.
# p and q are the halves of a rank's elements. The neighbour across channel c is rank s + 2^c.
#   ("move", pack, exchange, unpack)    rearrange a rank's own elements, exchange equal messages, rearrange again
#     pack, unpack rearrange a rank's own elements:
#       None                          not at all
#       ("axes", shape, axes)         transpose an array of this shape
#       ("take", offsets, ranks, c)   place o takes the element at offset  offsets o + ranks s + c
#       ("tiles", row, (rows, to), inside, (steps, onto), ranks, c)   in rows of so many elements, cut into tiles that fit a cache:
#           rows  rows i + steps k  are gathered, place v takes the element at  inside (v + f),  and they become the rows
#           to i + t div row,  where  t = onto k + ranks s + c,  f = t mod row
#     exchange: None, or ("alltoall", basis) within the coset of span(basis), or ("rounds", g, d, e, c): from rank s to  g b + d s + c,
#       to it from  e (g b + s + c), in rounds b = 0, 1, ...
#   ("transform", copies, d)            I_copies ⊗ F_d
#   ("exchange", c)                     p, where bit c of s is 1, or else q, for that of the neighbour
#   ("butterflies", w)                  p + q and p - q; twiddles w = (order, offsets, ranks): w_order^(offsets o + ranks s) times q, o < H,
#                                       after that
#   ("overlapped", w, c)                butterflies of which one half is sent across channel c while the other is computed
#   ("across", w, c)                    butterflies of a rank's elements and the neighbour's: q is held where bit c of s is 1, w for o < M
SUPERSTEPS = (
    # compute W_2 (I_4 ⊗ F_2 ⊗ I_128), move Π_X2
    ("overlapped", (1024, (1, 2, 4, 8, 16, 32, 64), (128, 256)), 1),
    # compute W_1 (I_4 ⊗ F_2 ⊗ I_128), move Π_X1
    ("overlapped", (512, (1, 2, 4, 8, 16, 32, 64), (128, 0)), 0),
    # compute W_0 (I_4 ⊗ F_2 ⊗ I_128)
    ("butterflies", (256, (1, 2, 4, 8, 16, 32, 64), (0, 0))),
    # compute (I_8 ⊗ F_128)
    ("transform", 2, 128),
    # move P_1024 (I_8 ⊗ P_128)
    ("move", ("take", (128, 1, 2, 4, 8, 16, 32, 64), (0, 0), 0), ("alltoall", (1, 2)), ("take", (128, 64, 1, 2, 4, 8, 16, 32), (0, 0), 0)),
)

# Storage address of an index, and index of a storage address, as (columns, complement).
INPUT_ADDRESS, INPUT_INDEX = ((1, 2, 4, 8, 16, 32, 64, 256, 512, 128), 0), ((1, 2, 4, 8, 16, 32, 64, 512, 128, 256), 0)
OUTPUT_ADDRESS, OUTPUT_INDEX = ((1, 2, 4, 8, 16, 32, 64, 128, 256, 512), 0), ((1, 2, 4, 8, 16, 32, 64, 128, 256, 512), 0)


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


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, from angles of at most an eighth of a turn."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    turn = np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4]
    return turn * (np.cos(angle) + SIGN * 1j * np.sin(angle))


def blocks(count):
    """Return slices that cut `count` elements into blocks."""
    return [slice(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK)]


def twiddles(rank, order, offsets, ranks, count):
    """Return the table of w_order^(offsets o + ranks s), o < count."""
    shift = affine(ranks, rank)
    return tabulate(count, lambda o: root_of_unity(affine(offsets, o, shift) % order, order), DTYPE)


class Data:
    """A rank's elements, the array `home` of M, in the half blocks p and q; `spare` is an array, and `extra` a half block, of no use but for messages."""

    def __init__(self, home, spare, extra):
        self.home, self.spare, self.extra = home, spare, extra
        self.halves = home[:H], home[H:]
        self.p, self.q = self.halves
        self.received = spare[:H]


class Transform:
    """I_copies ⊗ F_d, in place."""

    def __init__(self, comm, copies, d):
        self.shape = (copies, d, 1)

    def __call__(self, data):
        fourier(data.home.reshape(self.shape), data.home.reshape(self.shape))

    def free(self):
        self.shape = None


class Butterflies:
    """The sums and differences of p and q, which go home."""

    def __init__(self, comm, w):
        self.table, self.temp = twiddles(comm.rank, *w, H), np.empty(min(BLOCK, H), DTYPE)

    def __call__(self, data):
        p, q = data.p, data.q
        sums, differences = data.halves
        for part in blocks(H):
            temp = self.temp[: part.stop - part.start]
            np.subtract(p[part], q[part], out=temp)
            np.add(p[part], q[part], out=sums[part])
            np.multiply(temp, self.table[part], out=differences[part])
        data.p, data.q = data.halves

    def free(self):
        self.table = self.temp = None


class Overlapped:
    """Butterflies and the exchange after them: the half that the neighbour is to have is computed first and sent while the other is computed."""

    def __init__(self, comm, w, channel):
        self.table = twiddles(comm.rank, *w, H)
        self.comm, self.partner, self.channel, self.sends_p = comm, comm.rank ^ 1 << channel, channel, comm.rank >> channel & 1

    def __call__(self, data):
        p, q = data.p, data.q
        new_p, new_q = data.halves
        sent, received = data.extra, data.spare[H:] if self.channel % 2 else data.spare[:H]
        coming = self.comm.Irecv(received, self.partner)
        for part in blocks(H):
            if self.sends_p:
                np.add(p[part], q[part], out=sent[part])
            else:
                np.subtract(p[part], q[part], out=sent[part])
                np.multiply(sent[part], self.table[part], out=sent[part])
        going = self.comm.Isend(sent, self.partner)
        for part in blocks(H):
            if self.sends_p:
                np.subtract(p[part], q[part], out=new_q[part])
                np.multiply(new_q[part], self.table[part], out=new_q[part])
            else:
                np.add(p[part], q[part], out=new_p[part])
        coming.Wait()
        going.Wait()
        data.p, data.q = (received, new_q) if self.sends_p else (new_p, received)

    def free(self):
        self.table = None


def fourier(x, y):
    """Put F_d x along axis 1 into y, which may be x."""
    d = x.shape[1]
    if d == 1:
        np.copyto(y, x)
    elif d == 2:
        high, wide = max(1, PIECE // x.shape[2]), min(x.shape[2], PIECE)
        for i in range(0, len(x), high):  # in pieces that fit a cache
            for j in range(0, x.shape[2], wide):
                x0, x1 = x[i : i + high, 0, j : j + wide], x[i : i + high, 1, j : j + wide]
                difference = x0 - x1
                np.add(x0, x1, out=y[i : i + high, 0, j : j + wide])
                np.copyto(y[i : i + high, 1, j : j + wide], difference)
    elif SIGN < 0:
        np.fft.fft(x, axis=1, out=y)
    else:
        np.fft.ifft(x, axis=1, norm="forward", out=y)


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


class Plan:
    """The tables, the work arrays and the communicators of one rank, made once for many transforms."""

    before, stages, after, work, extra = [], [], [], None, None  # of a plan that is not made, or freed

    def __init__(self, comm):
        self.program, self.comm, self.own = THIS, comm, comm.Dup()  # no message of the caller's meets one of ours
        try:  # first what takes all ranks, which all get to, and then what may fail on one
            self.before = [AllToAll(self.own, step[2][1]) for step in SUPERSTEPS if step[0] == "move" and step[2] and step[2][0] == "alltoall"]
            with all_or_none(self.own):
                self.fill(self.own, iter(self.before))
        except Exception:
            self.free()
            raise

    def fill(self, comm, groups):
        """Make the tables and arrays of this rank."""
        before, stages, after = [], [], []
        for kind, *how in SUPERSTEPS:
            if kind == "move":
                moves = after if stages else before
                moves += moving(comm, how, groups)
            else:
                stages.append({"transform": Transform, "butterflies": Butterflies, "overlapped": Overlapped}[kind](comm, *how))
        self.before, self.stages, self.after = before, stages, after
        self.work, self.extra = np.empty(M, DTYPE), np.empty(H, DTYPE)

    def free(self):
        """Free the communicators and tables; collective."""
        for operation in self.before + self.stages + self.after:
            operation.free()
        self.before, self.stages, self.after = [], [], []
        self.work = self.extra = None
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
    """Return this rank's M elements of y, y = 1/1024 F_1024 x; collective.

    x holds this rank's M elements and is left unchanged; the result is a new array, or `out`. plan is what this program's plan(comm) has returned.
    """
    if not belongs(plan):
        raise ValueError("the plan is another program's, or none: a transform takes what plan(comm) of its own program has returned")
    if not plan.own:
        raise ValueError("the plan is freed: a transform needs its tables and communicators")
    if out is None:
        out = np.empty(M, DTYPE)
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
    targets = [out, plan.work]
    left = len(plan.before) + len(plan.after)
    if not plan.before:
        np.copyto(targets[left % 2], x)
        x = targets[left % 2]
    for operation in plan.before:
        left -= 1
        operation(x, targets[left % 2])
        x = targets[left % 2]
    data = Data(x, targets[1 - left % 2], plan.extra)
    for stage in plan.stages:
        stage(data)
    for operation in plan.after:
        left -= 1
        operation(x, targets[left % 2])
        x = targets[left % 2]
    np.multiply(out, SCALE, out=out)
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
        figures = {"N": N, "P": P, "repeats": repeats, "plan_seconds": plan_seconds}
        error = error_of(*(whole(index, side) for index, side in zip((INPUT_INDEX, OUTPUT_INDEX), zip(*parts, strict=True), strict=True))) if parts else None
        figures |= {"seconds_min": float(of_all.min()), "seconds_median": float(np.median(of_all)), "error": error}
        print(json.dumps(figures))


def random_vector(rank):
    """Return M elements of a random vector."""
    random = np.random.default_rng(rank)
    return (random.standard_normal(M) + 1j * random.standard_normal(M)).astype(DTYPE)


def error_of(x, y):
    """Return the relative 2-norm of the difference to numpy.fft in double precision."""
    wanted = np.fft.ifft(x.astype(complex), norm=NORM)
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
