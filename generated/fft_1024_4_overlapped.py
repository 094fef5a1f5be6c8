"""Discrete Fourier transform of N = 1024 elements on P = 4 ranks: forward, complex128, numpy kernels.

    y = F_1024 x,   F_1024[j, k] = w^(jk),   w = exp(-2 pi i / 1024)
    F_1024 = Γ_{4,4,1024}^-1 (I_4 ⊗ F_2 ⊗ I_128) (I_4 ⊗ T^4_2 ⊗ I_64) (I_8 ⊗ F_2 ⊗ I_64) (I_4 ⊗ L^4_2 ⊗ I_64) Γ_{4,4,1024} T^1024_256 (I_4 ⊗ L^256_64) (I_16 ⊗ F_64) (I_4 ⊗ T^256_64) (I_4 ⊗ F_2 ⊗ I_128) (I_4 ⊗ T^4_2 ⊗ I_64) (I_8 ⊗ F_2 ⊗ I_64) (I_4 ⊗ L^4_2 ⊗ I_64) L^1024_4

Input   cyclic: x[j] lives on rank j mod 4, offset j div 4
Output  block: y[j] lives on rank j div 256, offset j mod 256
Cost    at most 6 messages and 384 words sent by a rank in 2 exchanges, 18944 flops
Made by nodewright generate fft --size 1024 --ranks 4 --input cyclic --exchange overlapped

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

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P, M = 1024, 4, 256  # elements, ranks, elements per rank
INPUT, OUTPUT = "cyclic", "block"
KERNELS, EXCHANGE = "numpy", "overlapped"
PIECE = 16384  # elements per step when making tables, reading and writing files
DTYPE = np.dtype("complex128")
SIGN = -1  # w_n = exp(SIGN 2 pi i / n)


def input_place(j):
    """Return the (rank, offset) of x[j]; j is an integer or an integer array."""
    return divmod(checked(j), 4)[::-1]


def input_index(rank, o):
    """Return the global index of the element of x at offset o on the given rank."""
    return o * 4 + rank


def output_place(k):
    """Return the (rank, offset) of y[k]; k is an integer or an integer array."""
    return divmod(checked(k), 256)


def output_index(rank, o):
    """Return the global index of the element of y at offset o on the given rank."""
    return rank * 256 + o


class Plan:
    """The state of one rank: a communicator, twiddles, a send buffer and a work array. Creating a plan is collective; if one rank fails, all raise."""

    def __init__(self, comm):
        if not comm or comm.Is_inter():
            given = "an intercommunicator: comm.Merge() makes one of both groups" if comm else "None, COMM_NULL or a freed one"
            raise ValueError(f"comm must be a communicator of {P} ranks; got {given}")
        if comm.size != P:
            raise ValueError(f"this program is made for {P} ranks; comm has {comm.size}")
        self.comm, self.own, rank = comm, comm.Dup(), comm.rank  # our messages use a private copy of comm
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            self.partners = list(range(4))
            self.twiddle = tabulate(lambda o: root_of_unity((o // 128) * (o // 64 % 2), 4), DTYPE)
            self.twiddle_2 = tabulate(lambda o: root_of_unity((o // 64) * (o % 64), 256), DTYPE)
            self.twiddle_3 = tabulate(lambda o: root_of_unity((o // 128 + o // 64 % 2 * 2) * (rank + o % 64 * 4), 1024), DTYPE)
            self.twiddle_4 = tabulate(lambda o: root_of_unity((o // 128) * (o // 64 % 2), 4), DTYPE, 128)
            self.made = np.empty(M, DTYPE)
            self.work = np.empty(M, DTYPE)

    def free(self):
        """Free the communicator and the tables; collective."""
        if self.own:
            self.own.Free()
        self.partners = self.twiddle = self.twiddle_2 = self.twiddle_3 = self.twiddle_4 = self.made = self.work = None


def transform(x, plan, out=None):
    """Return this rank's 256 elements of y = F_1024 x, in a new array or in `out`; collective. x, of shape (M,) and type DTYPE, is left unchanged."""
    x, out = arrays(x, plan, out)
    rank = plan.own.rank
    work = plan.work

    # (I_4 ⊗ L^4_2 ⊗ I_64) L^1024_4: from cyclic
    np.copyto(work.reshape(2, 2, 64), x.reshape(2, 2, 64).transpose(1, 0, 2))

    # (I_8 ⊗ F_2 ⊗ I_64)
    butterflies(work.reshape(2, 2, 64), out.reshape(2, 2, 64))

    # (I_4 ⊗ F_2 ⊗ I_128) (I_4 ⊗ T^4_2 ⊗ I_64)
    np.multiply(out, plan.twiddle, out=out)
    np.add(out[:128], out[128:], out=work[:128])
    np.subtract(out[:128], out[128:], out=work[128:])

    # (I_4 ⊗ L^4_2 ⊗ I_64) Γ_{4,4,1024} T^1024_256 (I_4 ⊗ L^256_64) (I_16 ⊗ F_64) (I_4 ⊗ T^256_64)
    given, made, twiddle = work.reshape(4, -1), plan.made.reshape(4, -1), plan.twiddle_2.reshape(4, -1)
    requests = receive(plan.own, plan.partners, out)
    for i in range(4):  # send a part while the next one is computed
        part = (rank + 1 + i) % 4
        np.multiply(given[part], twiddle[part], out=given[part])
        np.fft.fft(given[part], out=made[part])
        requests += send(plan.own, plan.partners, [part], plan.made, out)
    for request in requests:
        request.Wait()
    np.copyto(work.reshape(2, 2, 64), out.reshape(2, 2, 64).transpose(1, 0, 2))
    np.multiply(work, plan.twiddle_3, out=work)

    # (I_8 ⊗ F_2 ⊗ I_64)
    butterflies(work.reshape(2, 2, 64), out.reshape(2, 2, 64))

    # Γ_{4,4,1024}^-1 (I_4 ⊗ F_2 ⊗ I_128) (I_4 ⊗ T^4_2 ⊗ I_64)
    (low, high), made, mine = out.reshape(2, -1), plan.made.reshape(2, -1), rank // 2
    requests = receive(plan.own, plan.partners, work)
    high = np.multiply(high, plan.twiddle_4, out=made[mine])
    for part in (1 - mine, mine):  # send the partner's part while this rank's own is computed
        (np.add, np.subtract)[part](low, high, out=made[part])
        requests += send(plan.own, plan.partners, range(part * 2, part * 2 + 2), plan.made, work)
    for request in requests:
        request.Wait()
    np.copyto(out.reshape(64, 4), work.reshape(4, 64).T)
    return out


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, using angles of at most an eighth of a turn for accuracy."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    return np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4] * (np.cos(angle) + SIGN * 1j * np.sin(angle))


def butterflies(x, y):
    """Store the sums and differences of x[:, 0] and x[:, 1] in y, in pieces that fit a cache."""
    high, wide = max(1, PIECE // x.shape[2]), min(x.shape[2], PIECE)
    for i in range(0, len(x), high):
        for j in range(0, x.shape[2], wide):
            p, q = (x[i : i + high, half, j : j + wide] for half in (0, 1))
            np.add(p, q, out=y[i : i + high, 0, j : j + wide])
            np.subtract(p, q, out=y[i : i + high, 1, j : j + wide])


def receive(comm, partners, target):
    """Start receiving a message from every other rank of a group and return the requests."""
    size = M // len(partners)
    return [comm.Irecv(target[q * size : q * size + size], partner) for q, partner in enumerate(partners) if partner != comm.rank]


def send(comm, partners, numbers, source, target):
    """Start sending the messages with these numbers and return the requests; copy this rank's own message."""
    requests, size = [], M // len(partners)
    for q in numbers:
        message = slice(q * size, q * size + size)
        if partners[q] == comm.rank:
            np.copyto(target[message], source[message])
        else:
            requests.append(comm.Isend(source[message], partners[q]))
    return requests


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
