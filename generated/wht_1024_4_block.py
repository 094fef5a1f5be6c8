"""Walsh-Hadamard transform of N = 1024 elements on P = 4 ranks: forward, float64, numpy kernels.

    y = (F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2) x
    (F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2) = (F_2 ⊗ F_2 ⊗ I_256) (I_4 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2)

Input   block: x[j] lives on rank j div 256, offset j mod 256
Output  block: y[j] lives on rank j div 256, offset j mod 256
Cost    at most 6 messages and 384 words sent by a rank in 2 exchanges, 2560 flops
Made by nodewright generate wht --size 1024 --ranks 4

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

TRANSFORM, DIRECTION, NORM = "wht", "forward", "backward"
N, P, M = 1024, 4, 256  # elements, ranks, elements per rank
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
PIECE = 16384  # elements per step when making tables, reading and writing files
DTYPE = np.dtype("float64")


def input_place(j):
    """Return the (rank, offset) of x[j]; j is an integer or an integer array."""
    return divmod(checked(j), 256)


def input_index(rank, o):
    """Return the global index of the element of x at offset o on the given rank."""
    return rank * 256 + o


output_place, output_index = input_place, input_index  # y has the layout of x


class Plan:
    """The state of one rank: a communicator and a work array. Creating a plan is collective; if one rank fails, all raise."""

    def __init__(self, comm):
        if not comm or comm.Is_inter():
            given = "an intercommunicator: comm.Merge() makes one of both groups" if comm else "None, COMM_NULL or a freed one"
            raise ValueError(f"comm must be a communicator of {P} ranks; got {given}")
        if comm.size != P:
            raise ValueError(f"this program is made for {P} ranks; comm has {comm.size}")
        self.comm, self.own = comm, comm.Dup()  # our messages use a private copy of comm
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            self.work = np.empty(M, DTYPE)

    def free(self):
        """Free the communicator and the tables; collective."""
        if self.own:
            self.own.Free()
        self.work = None


def transform(x, plan, out=None):
    """Return this rank's 256 elements of y = (F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2) x, in a new array or in `out`; collective. x, of shape (M,) and type DTYPE, is left unchanged."""
    x, out = arrays(x, plan, out)
    work = plan.work

    # (I_4 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2 ⊗ F_2)
    hadamard(x.reshape(1, 256, 1), work.reshape(1, 256, 1))

    # to rank k div 64 mod 4
    plan.own.Alltoall(work, out)

    # (F_2 ⊗ F_2 ⊗ I_256)
    hadamard(out.reshape(1, 4, 64), work.reshape(1, 4, 64))

    # to rank k div 256 mod 4
    plan.own.Alltoall(work, out)
    return out


def hadamard(x, y):
    """Store sums and differences of all pairs of x along its middle axis in y, bit by bit, in pieces that fit a cache: results come on top, so that the lowest bit is the next one."""
    copies, d, c = x.shape
    wide = min(c, max(1, PIECE // d))
    high = max(1, PIECE // (d * wide))
    for i in range(0, copies, high):
        for j in range(0, c, wide):
            part, bits = (slice(i, i + high), slice(None), slice(j, j + wide)), d
            given = x[part]
            while bits > 1:
                bits //= 2
                made = np.empty(given.shape, DTYPE) if bits > 1 else y[part]
                np.add(given[:, ::2], given[:, 1::2], out=made[:, : d // 2])
                np.subtract(given[:, ::2], given[:, 1::2], out=made[:, d // 2 :])
                given = made


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
    x, plans = np.random.default_rng(comm.rank).standard_normal(M).astype(DTYPE), []
    seconds = timeit.repeat(lambda: plans.append(plan(comm)), comm.Barrier, repeat=1, number=1)
    y = transform(x, *plans)
    seconds += timeit.repeat(lambda: transform(x, *plans, y), comm.Barrier, repeat=repeats, number=1)
    parts, error = comm.gather((x, y)) if N <= 1 << 24 else None, None
    plans[0].free()
    first, *others = np.max(comm.allgather(seconds), axis=0).tolist()
    if parts:
        xs, ys = (np.reshape(each, (P, M)) for each in zip(*parts, strict=True))
        given, found = xs[input_place(np.arange(N))], ys[output_place(np.arange(N))]
        wanted = given.astype(np.result_type(DTYPE, float))
        for _ in range(N.bit_length() - 1):
            wanted = np.concatenate([wanted[::2] + wanted[1::2], wanted[::2] - wanted[1::2]])
        wanted *= {"ortho": N**-0.5, DIRECTION: 1 / N}.get(NORM, 1)
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
