"""Discrete Fourier transform of N = 1024 elements on P = 4 ranks: forward, complex128, numpy kernels.

    y = F_1024 x,   F_1024[j, k] = w^(jk),   w = exp(-2 pi i / 1024)
    F_1024 = Γ_{4,4,1024}^-1 (I_4 ⊗ F_4 ⊗ I_64) Γ_{4,4,1024} T^1024_256 (I_4 ⊗ F_256) L^1024_4

Input   cyclic: x[j] lives on rank j mod 4, offset j div 4
Output  cyclic: y[j] lives on rank j mod 4, offset j div 4
Cost    at most 3 messages and 192 words sent by a rank to other nodes in 1 exchange, two barriers each within a node, 14336 flops
Made by nodewright generate fft --size 1024 --ranks 4 --input cyclic --output cyclic --exchange node-aware

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
INPUT, OUTPUT = "cyclic", "cyclic"
KERNELS, EXCHANGE = "numpy", "node-aware"
PIECE = 16384  # elements per step when making tables, reading and writing files
DTYPE = np.dtype("complex128")
SIGN = -1  # w_n = exp(SIGN 2 pi i / n)


def input_place(j):
    """Return the (rank, offset) of x[j]; j is an integer or an integer array."""
    return divmod(checked(j), 4)[::-1]


def input_index(rank, o):
    """Return the global index of the element of x at offset o on the given rank."""
    return o * 4 + rank


output_place, output_index = input_place, input_index  # y has the layout of x


class Plan:
    """The state of one rank: a communicator, memory shared by the ranks of a node and twiddles. Creating a plan is collective; if one rank fails, all raise."""

    window = None  # so that free() works if __init__ fails

    def __init__(self, comm):
        if not comm or comm.Is_inter():
            given = "an intercommunicator: comm.Merge() makes one of both groups" if comm else "None, COMM_NULL or a freed one"
            raise ValueError(f"comm must be a communicator of {P} ranks; got {given}")
        if comm.size != P:
            raise ValueError(f"this program is made for {P} ranks; comm has {comm.size}")
        self.comm, self.own, rank = comm, comm.Dup(), comm.rank  # our messages use a private copy of comm
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            self.window = Nodes(self.own)
            self.window.map()
            self.messages = self.window.messages()
            self.twiddle = tabulate(lambda o: root_of_unity((o // 64) * (rank + o % 64 * 4), 1024), DTYPE)

    def free(self):
        """Free the window, the communicator and the tables; collective."""
        if self.window:
            self.window.free()
        if self.own:
            self.own.Free()
        self.window = self.messages = self.twiddle = None


def transform(x, plan, out=None):
    """Return this rank's 256 elements of y = F_1024 x, in a new array or in `out`; collective. x, of shape (M,) and type DTYPE, is left unchanged."""
    x, out = arrays(x, plan, out)
    work = plan.window.half()

    # L^1024_4: nothing moves, as x is cyclic
    # (I_4 ⊗ F_256)
    np.fft.fft(x, out=out)

    # Γ_{4,4,1024} T^1024_256: T^1024_256 below
    np.copyto(work.reshape(4, 64), out.reshape(64, 4).T)
    messages = plan.window.exchange(plan.messages)

    # (I_4 ⊗ F_4 ⊗ I_64)
    for part, message, twiddle in zip(work.reshape(4, 64), messages, plan.twiddle.reshape(4, 64)):
        np.multiply(message, twiddle, out=part)
    np.fft.fft(work.reshape(4, 64), axis=0, out=out.reshape(4, 64))
    # Γ_{4,4,1024}^-1: nothing moves, as y is cyclic
    return out


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, using angles of at most an eighth of a turn for accuracy."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    return np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4] * (np.cos(angle) + SIGN * 1j * np.sin(angle))


SHARED_MEMORY = "/dev/shm"  # the file system of shared windows on Linux
WINDOW = N * DTYPE.itemsize + (1 << 20)  # bytes, with a margin for page sizes and MPI


def free_memory():
    """Return the free bytes of shared memory on this node, or infinity if the system does not report them."""
    with contextlib.suppress(OSError):
        found = os.statvfs(SHARED_MEMORY)
        return found.f_bavail * found.f_frsize
    return np.inf


class Nodes:
    """Memory shared by the ranks of a node. A rank sends all messages for another node to one rank there: the one with its own number within the node.

    Each rank receives M elements in its own segment and loads its messages from the segments of its node.
    """

    def __init__(self, comm):
        self.node = node_of(comm)
        self.across = comm.Split(self.node.rank, comm.rank)  # one rank of each node, with the same number there
        self.memory = self.sent = self.segments = None

    def map(self):
        """Allocate the send buffer and the receive segment, and map the segments of this node."""
        from mpi4py import MPI  # already initialised by the owner of comm

        free = min(self.node.allgather(free_memory()))
        if free < WINDOW // P * self.node.size:
            raise Unusable(f"{free} bytes are free in {SHARED_MEMORY}: exchange node-aware takes {WINDOW // P * self.node.size} on this node, take alltoall")
        self.memory = MPI.Win.Allocate_shared(M * DTYPE.itemsize, DTYPE.itemsize, comm=self.node)
        self.memory.Lock_all()
        self.sent = np.empty(M, DTYPE)
        self.segments = [np.frombuffer(self.memory.Shared_query(rank)[0], DTYPE) for rank in range(self.node.size)]

    def half(self):
        """Return the send buffer."""
        return self.sent

    def messages(self):
        """Return views of the messages to this rank, one from each rank, in the segments of this node."""
        size = self.node.size
        received = [segment.reshape(P, -1) for segment in self.segments]
        return [received[rank % size][rank - rank % size + self.node.rank] for rank in range(P)]

    def exchange(self, messages):
        """Send the messages and return the received ones."""
        self.wait()  # until all ranks have read the previous messages
        self.across.Alltoall(self.sent, self.segments[self.node.rank])
        self.wait()
        return messages

    def wait(self):
        """Make the stores of all ranks of the node visible to them."""
        self.memory.Sync()
        self.node.Barrier()
        self.memory.Sync()

    def free(self):
        """Free the shared memory and the communicators; collective."""
        self.sent = self.segments = None
        if self.memory:
            self.memory.Unlock_all()
            self.memory.Free()
        self.across.Free()
        self.node.Free()


def node_of(comm):
    """Return the communicator of this node if all nodes have equally many, consecutive ranks; else one with this rank alone. Collective."""
    from mpi4py import MPI  # already initialised by the owner of comm

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    size = node.size
    equal = [(size, rank // size * size) for rank in range(P)]  # for each rank, the size and first rank of its node
    if comm.allgather((size, comm.rank - node.rank)) == equal:
        return node
    node.Free()
    return comm.Split(comm.rank)


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
