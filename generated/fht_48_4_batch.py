"""Hartley transform of 6 arrays of N = 48 elements on P = 4 ranks: forward, float64, numpy kernels.

    y = (I_6 ⊗ H_48) x,   H_48[j, k] = cos(2 pi jk/48) + sin(2 pi jk/48)
    H_48 = E F_48 = F_48 E,   (E z)[k] = (z[k] + c)/2 + i (z[k] - c)/2, c = z[-k],   z = x
    (I_6 ⊗ F_48) = L^288_72 (I_24 ⊗ F_4 ⊗ I_3) L^288_24 (T^48_12 ⊗ I_6) (I_4 ⊗ L^72_12) (I_24 ⊗ F_12) L^288_4

Input   cyclic: x[b, j] lives on rank j mod 4, offset (b, j div 4)
Output  cyclic: y[b, j] lives on rank j mod 4, offset (b, j div 4)
Cost    at most 4 messages and 252 words sent by a rank in 2 exchanges, 3163 flops
Arrays  of shape (6, 48), a rank's part of shape (6, 12) before and (6, 12) after; an index counts the last axis fastest
Made by nodewright generate fht --size 48 --ranks 4 --batch 6 --input cyclic --output cyclic

    mpiexec -n 4 python PROGRAM IN.npy OUT.npy      transforms a file, the whole array
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

TRANSFORM, DIRECTION, NORM = "fht", "forward", "backward"
N, P, M = 288, 4, 72  # elements, ranks, elements per rank
INPUT, OUTPUT = "cyclic", "cyclic"
KERNELS, EXCHANGE = "numpy", "alltoall"
PIECE = 16384  # elements per step when making tables, reading and writing files
DTYPE = np.dtype("float64")
SHAPE, GRID = (48,), (4,)  # the axes, and the number of ranks along each input axis
BATCH = 6  # number of arrays, stacked along a first axis; 0: one array without that axis
LOCAL_INPUT, LOCAL_OUTPUT = (6, 12), (6, 12)  # the shapes of a rank's part
SIGN = -1  # w_n = exp(SIGN 2 pi i / n)
G, COMPLEX = 72, np.result_type(DTYPE, np.complex64)  # a rank's elements are treated as G complex numbers


def input_place(*j):
    """Return the (rank, offset) of x[j]; pass a flat index or one index per axis: integers or integer arrays."""
    j = checked(*j)
    return j % 4, j // 4


def input_index(rank, o):
    """Return the global index of the element of x at offset o on the given rank."""
    return rank + o * 4


output_place, output_index = input_place, input_index  # y has the layout of x


class Plan:
    """The state of one rank: a communicator, twiddles, a work array and an array of complex numbers. Creating a plan is collective; if one rank fails, all raise."""

    def __init__(self, comm):
        if not comm or comm.Is_inter():
            given = "an intercommunicator: comm.Merge() makes one of both groups" if comm else "None, COMM_NULL or a freed one"
            raise ValueError(f"comm must be a communicator of {P} ranks; got {given}")
        if comm.size != P:
            raise ValueError(f"this program is made for {P} ranks; comm has {comm.size}")
        self.comm, self.own, rank = comm, comm.Dup(), comm.rank  # our messages use a private copy of comm
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            self.twiddle = tabulate(lambda o: root_of_unity((o // 3 % 4) * (rank + o % 3 * 4), 48), COMPLEX, stop=G)
            self.work = np.empty(144, DTYPE).view(COMPLEX)
            self.pairs = np.empty(144, DTYPE).view(COMPLEX)

    def free(self):
        """Free the communicator and the tables; collective."""
        if self.own:
            self.own.Free()
        self.twiddle = self.work = self.pairs = None


def transform(x, plan, out=None):
    """Return this rank's 72 elements of y = (I_6 ⊗ H_48) x, in a new array or in `out`; collective. x, of shape LOCAL_INPUT and type DTYPE, is left unchanged."""
    x, y = arrays(x, plan, out)
    x, out = x.reshape(M), plan.pairs
    work = plan.work

    # z = x
    np.copyto(work, x)

    # L^288_4: nothing moves, as x is cyclic
    # (I_24 ⊗ F_12)
    np.fft.fft(work.reshape(6, 12), out=out.reshape(6, 12))

    # L^288_24 (T^48_12 ⊗ I_6) (I_4 ⊗ L^72_12)
    np.copyto(work.reshape(4, 18), out.reshape(18, 4).T)
    plan.own.Alltoall(work.view(DTYPE), out.view(DTYPE))
    np.copyto(work.reshape(6, 4, 3), out.reshape(4, 6, 3).transpose(1, 0, 2))
    np.multiply(work, plan.twiddle, out=work)

    # (I_24 ⊗ F_4 ⊗ I_3)
    np.fft.fft(work.reshape(6, 4, 3), axis=1, out=out.reshape(6, 4, 3))

    # (z[k] + c)/2 + i (z[k] - c)/2, c = z[-k]
    reflect(out, work, plan)

    # L^288_72: nothing moves, as y is cyclic

    # y: the real part of z
    np.copyto(y.reshape(M), out.real)
    return y


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, using angles of at most an eighth of a turn for accuracy."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    return np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4] * (np.cos(angle) + SIGN * 1j * np.sin(angle))


def reflect(z, c, plan):
    """Store (z[k] + c)/2 + i (z[k] - c)/2 in z, c = z[-k]. Element k is on rank k mod P."""
    np.multiply(z, 0.5 - 0.5j, out=c)
    rank = plan.own.rank
    plan.own.Sendrecv_replace(c.view(DTYPE), -rank % P, source=-rank % P)
    np.multiply(z, 0.5 + 0.5j, out=z)
    z, c = z.reshape(BATCH, -1), c.reshape(BATCH, -1)
    first = int(plan.own.rank == 0)  # element 0 is its own partner; the others come in reverse order
    z[:, :first] += c[:, :first]
    z[:, first:] += c[:, :0:-1] if first else c[:, ::-1]


# What follows is the same in every program of this kind: arguments, files, times, errors.
plan = Plan  # plan(comm) is collective


class Unusable(RuntimeError):
    """Invalid input, raised on all ranks; main prints it as one line and exits with status 2."""


ARRAY = (BATCH,) * (BATCH > 0) + SHAPE  # the shape of the array in a file


def checked(*indices):
    """Return flat indices as int64, from flat indices or one index per axis; raise ValueError if one is out of range."""
    if len(indices) not in (1, len(ARRAY)):
        raise ValueError(f"{len(indices)} indices: give one flat index, or one for each of the axes {ARRAY}")
    flat = 0
    for index, size in zip(indices, ARRAY if indices[1:] else (N,)):
        j = np.asarray(index)
        for wrong in j[(j < 0) | (j >= size)] if j.dtype.kind in "iu" else j.flat:
            raise ValueError(f"index {wrong}: indices are integers from 0 to {size - 1}")
        flat = flat * size + j.astype(np.int64)
    return flat[()]


def arrays(x, plan, out, new=np.empty):
    """Return x as a contiguous array, and `out` or a new array; raise ValueError if a shape, dtype, plan or memory is wrong."""
    if not isinstance(plan, Plan) or not plan.own:
        raise ValueError("plan must be made by plan(comm) of this program, and not be freed")
    for name, array, shape in (("x", x, LOCAL_INPUT), ("out", out, LOCAL_OUTPUT))[: 1 + (out is not None)]:
        held = np.asarray(array)
        if held.shape != shape or held.dtype != DTYPE or not (held is array or np.shares_memory(array, held)):
            what = f"{held.dtype} {held.shape}"
            if not isinstance(array, np.ndarray):
                what += f" in a {type(array).__name__}: use np.asarray"
            raise ValueError(f"{name} must be an array of {DTYPE} with shape {shape}; got {what}")
    if out is None:
        out = new(M, DTYPE).reshape(LOCAL_OUTPUT)
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
    """Transform the array in one .npy file and write another; until it is complete, its name is `path`.PID.partial."""
    with together(comm, f"{source}: the input must be a .npy file of {DTYPE} with shape {ARRAY}"):
        if os.path.exists(source) and not os.path.isfile(source):  # reading a pipe could block
            raise OSError("this is not a regular file")
        if np.fromfile(source, "S6", 1).tolist() != [b"\x93NUMPY"]:
            raise OSError("this is not a .npy file: write it with np.save")
        vector = np.lib.format.open_memmap(source, "r")
        if vector.shape != ARRAY or vector.dtype != DTYPE:
            converts = vector.shape == ARRAY and np.can_cast(vector.dtype, DTYPE, "same_kind")
            remedy = f": np.save({source!r}, np.load({source!r}).astype({str(DTYPE)!r})) converts it" * converts
            raise ValueError(f"this is {vector.dtype} with shape {vector.shape}{remedy}")
        x = tabulate(lambda o: vector[np.unravel_index(input_index(comm.rank, o), ARRAY)], DTYPE, new=np.empty)
        target = os.path.realpath(path)  # keep a symbolic link, replace its target
    partial, written = comm.bcast(f"{target}.{os.getpid()}.partial"), f"{path}: cannot be written"
    try:
        with together(comm, written):
            if os.path.exists(path) and not os.path.isfile(path):
                raise OSError("it exists and is not a regular file")
            if comm.rank == 0:
                np.lib.format.open_memmap(partial, "w+", DTYPE, ARRAY)
        with together(comm, written), open(partial, "r+b") as file:
            file.seek((comm.rank - P) * M * DTYPE.itemsize, os.SEEK_END)
            file.write(np.zeros(M * DTYPE.itemsize, np.uint8))  # allocate now: a write to a memory map on a full disk kills the process
        handle = plan(comm)
        y = transform(x.reshape(LOCAL_INPUT), handle).reshape(M)
        handle.free()
        with together(comm, written):
            vector = np.lib.format.open_memmap(partial, "r+").reshape(N)
            for start in range(0, M, PIECE):
                o = np.arange(start, min(start + PIECE, M))
                vector[output_index(comm.rank, o)] = y[o]
            vector.base.flush()
        with together(comm, written):
            if comm.rank == 0:
                os.replace(partial, target)
    finally:  # on every rank: a failing rank also ends the others
        with contextlib.suppress(OSError):
            os.remove(partial)


def bench(comm, repeats):
    """Print the times of a transform (the slowest rank of each repeat) and its error on a random vector."""
    x, plans = np.random.default_rng(comm.rank).standard_normal(LOCAL_INPUT).astype(DTYPE), []
    seconds = timeit.repeat(lambda: plans.append(plan(comm)), comm.Barrier, repeat=1, number=1)
    y = transform(x, *plans)
    seconds += timeit.repeat(lambda: transform(x, *plans, y), comm.Barrier, repeat=repeats, number=1)
    parts, error = comm.gather((x, y)) if N <= 1 << 24 else None, None
    plans[0].free()
    first, *others = np.max(comm.allgather(seconds), axis=0).tolist()
    if parts:
        xs, ys = (np.reshape(each, (P, M)) for each in zip(*parts, strict=True))
        given, found = xs[input_place(np.arange(N))], ys[output_place(np.arange(N))]
        function = np.fft.fft if DIRECTION == "forward" else lambda x, norm: np.fft.ifft(x, norm=norm).conj()
        spectrum = function(given.astype(float).reshape(ARRAY), norm=NORM)
        wanted = (spectrum.real - spectrum.imag).reshape(N)
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
