"""Discrete cosine transform of type II of N = 1000 real elements on P = 3 ranks: forward, float64, numpy kernels.

    y = C2_1000 x,   C2_n[k, j] = 2 cos(pi k (2 j + 1) / 2 n)
    C2_1000 = (diag(k < 1000, k/(4*1000)) L^1000_200 (I_5 ⊗ F_200) T^1000_200 (F_5 ⊗ I_200) (I_500 ⊕ J_500) L^1000_2 + conj(diag(k < 1000, k/(4*1000))) L^1000_200 (I_5 ⊗ conj(F_200)) conj(T^1000_200) (conj(F_5) ⊗ I_200) (I_500 ⊕ J_500) L^1000_2)

Input   block: x[j] lives on rank j div 334, offset j mod 334
Output  block: y[j] lives on rank j div 334, offset j mod 334
Cost    at most 6 messages and 734 words sent by a rank in 3 exchanges, 11995 flops
Arrays  of shape (1000,); rank 0 has (334,) before and (334,) after, local_shape and local_output_shape say what the others have
Made by nodewright generate dct --size 1000 --ranks 3

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

TRANSFORM, DIRECTION, NORM, TYPE = "dct", "forward", "backward", "2"
N, P = 1000, 3  # elements, ranks
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("float64")
COMPLEX = np.result_type(DTYPE, np.complex64)
INPUT_DTYPE, OUTPUT_DTYPE = DTYPE, DTYPE
SIGN = -1  # w_n = exp(SIGN 2 pi i / n)
SHAPE, GRID = (1000,), (3,)  # the axes, and the number of ranks along each input axis
BATCH = 0  # number of arrays, stacked along a first axis; 0: one array without that axis
AXES = (-1,)  # the axes that are transformed, counted from the last one, which is -1
INPUT_SHAPE, OUTPUT_SHAPE = (1000,), (1000,)  # of the arrays in files


def block(n, p):
    """Return where each of p parts of n elements begins, and n: parts of ceil(n / p) elements, the last ones less or none."""
    return np.minimum(np.arange(p + 1) * -(-n // p), n)


def balanced(n, p):
    """Return where each of p parts of n elements begins, and n: the first n mod p parts have one element more."""
    return np.arange(p + 1) * (n // p) + np.minimum(np.arange(p + 1), n % p)


# The layouts of the array in turn. An axis (divided, n, p, s) of n elements is in p parts, and rank r has part r // s % p.
LAYOUTS = (
    ((block, 1000, 3, 1),),
    ((block, 5, 1, 1), (balanced, 200, 3, 1)),
    ((block, 3, 1, 1), (balanced, 200, 3, 1)),
    ((balanced, 3, 3, 1), (block, 200, 1, 1)),
    ((balanced, 3, 3, 1), (block, 200, 1, 1), (block, 2, 1, 1)),
    ((block, 1000, 3, 1),),
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
            self.indexed = Indexed(rank, LAYOUTS[0], LAYOUTS[1], lambda k: np.where(2 * k < 1000, 2 * k, 2 * (1000 - k) - 1))
            self.twiddle = (lambda k: root_of_unity((k // 200) * (k % 200) % 1000, 1000))(indices(LAYOUTS[2], rank)).astype(COMPLEX).reshape(shape_of(LAYOUTS[2], rank))
            self.trade = Trade(rank, LAYOUTS[2], LAYOUTS[3], 1, 0)
            self.quarters = (lambda k: root_of_unity(3000 + (k // 200 + k % 200 * 5), 4000) * 2)(indices(LAYOUTS[3], rank)).astype(COMPLEX).reshape(shape_of(LAYOUTS[3], rank))
            self.indexed_2 = Indexed(rank, LAYOUTS[4], LAYOUTS[5], lambda k: np.where(k % 5 <= 2, k % 5 * 400 + k // 5 * 2 + 1, (5 - k % 5) * 400 + (1000 - k) // 5 * 2))
        indexed = self.indexed, self.indexed_2
        for each in indexed:
            self.own.Alltoall(each.received, each.sent)
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            for each in indexed:
                each.takes = np.empty(each.sent.sum(), int)
            size = max(math.prod(shape_of(layout, rank)) for layout in LAYOUTS)
            size = max(size, *(each.sent.sum() for each in indexed))
            self.a = np.empty(size, COMPLEX)
            self.b = np.empty(size, COMPLEX)
            self.a1 = shaped(self.a.view(DTYPE), LAYOUTS[1], rank)
            self.a2 = shaped(self.a, LAYOUTS[2], rank)
            self.a3 = shaped(self.a, LAYOUTS[3], rank)
            self.a4 = shaped(self.a.view(DTYPE), LAYOUTS[4], rank)
            self.b2 = shaped(self.b, LAYOUTS[2], rank)
            self.b3 = shaped(self.b, LAYOUTS[3], rank)
        for each in indexed:  # what the others want, as they tell
            self.own.Alltoallv([each.wants, each.received], [each.takes, each.sent])
            each.wants = None

    def free(self):
        """Free the communicator and the arrays; collective."""
        if self.own:
            self.own.Free()
        self.indexed = self.twiddle = self.trade = self.quarters = self.indexed_2 = self.a = self.b = self.a1 = self.a2 = self.a3 = self.a4 = self.b2 = self.b3 = None


def transform(x, plan, out=None):
    """Return this rank's part of y = C2_1000 x, in a new array or in `out`; collective. x, of shape local_shape(rank) and type INPUT_DTYPE, is left unchanged."""
    x, out = arrays(x, plan, out)

    # even elements forwards, then odd ones backwards, come to 5 x 200
    gather(x, plan.indexed, plan.a.view(DTYPE))
    plan.own.Alltoallv([plan.a.view(DTYPE), plan.indexed.sent], [plan.b.view(DTYPE), plan.indexed.received])
    spread(plan.b.view(DTYPE), plan.indexed, plan.a1)

    # (F_5 ⊗ I_200): along axis 0, of real numbers, the half
    np.fft.rfft(plan.a1, axis=0, out=plan.b2)

    # T^1000_200: twiddles
    np.multiply(plan.b2, plan.twiddle, out=plan.a2)

    # axis 1 becomes whole, the same 3 ranks divide axis 0
    plan.own.Alltoallv([plan.a2, plan.trade.sent], [plan.b, plan.trade.received])
    unpack(plan.b, plan.trade.unpacks, plan.a3)

    # (I_3 ⊗ F_200): along axis 1
    np.fft.fft(plan.a3, axis=1, out=plan.b3)

    # W_k: times exp(pi i (1000 - k) / 2000)
    np.multiply(plan.b3, plan.quarters, out=plan.a3)

    # y_k = Im W_k, y_(1000-k) = Re W_k, k = k_0 + 5 k_1
    gather(plan.a4, plan.indexed_2, plan.b.view(DTYPE))
    plan.own.Alltoallv([plan.b.view(DTYPE), plan.indexed_2.sent], [plan.a.view(DTYPE), plan.indexed_2.received])
    spread(plan.a.view(DTYPE), plan.indexed_2, out)
    return out


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, using angles of at most an eighth of a turn for accuracy."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    return np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4] * (np.cos(angle) + SIGN * 1j * np.sin(angle))


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
        wanted, back = given.real, (DIRECTION == "forward") == (TYPE == "3")
        for axis in AXES:
            k, wanted = np.arange(SHAPE[axis]), np.moveaxis(wanted, axis, -1)
            n, turn, signs = len(k), np.exp(-0.5j * np.pi / len(k) * k), (-1.0) ** k
            weights = 2 * np.where(k > 0, 1, (1 if NORM != "ortho" else 0.5**0.5) / (1 + back * (NORM != "ortho")))
            weights *= {"ortho": (2 * n) ** -0.5, DIRECTION: 0.5 / n}.get(NORM, 1)
            if TRANSFORM == "dst":
                wanted = wanted[..., ::-1] if back else wanted * signs
            wanted = np.fft.fft(wanted * (weights * turn if back else 1), 2 * n)[..., :n]
            wanted = wanted.real if back else (wanted * (weights * turn)).real
            if TRANSFORM == "dst":
                wanted = wanted * signs if back else wanted[..., ::-1]
            wanted = np.moveaxis(wanted, -1, axis)
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
