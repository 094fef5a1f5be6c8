"""Number-theoretic transform of N = 1024 elements on P = 4 ranks: forward, int64, numba kernels.

    y = F_1024 x modulo 12289,   F_1024[j, k] = w^(jk),   w = 10302
    F_1024 = Γ_{4,4,1024}^-1 (I_4 ⊗ F_4 ⊗ I_64) Γ_{4,4,1024} T^1024_256 (I_4 ⊗ F_256) L^1024_4

Input   block: x[j] lives on rank j div 256, offset j mod 256
Output  block: y[j] lives on rank j div 256, offset j mod 256
Cost    at most 9 messages and 576 words sent by a rank in 3 exchanges, 4096 flops
Made by nodewright generate ntt --size 1024 --ranks 4 --kernels numba --modulus 12289 --root 10302

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

TRANSFORM, DIRECTION, NORM = "ntt", "forward", "backward"
N, P, M = 1024, 4, 256  # elements, ranks, elements per rank
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numba", "alltoall"
PIECE = 16384  # elements per step when making tables, reading and writing files
DTYPE = np.dtype("int64")
MODULUS, ROOT, SIGN = 12289, 10302, 1  # w_n = ROOT^(SIGN N / n) modulo the prime MODULUS
INVERSE = pow(MODULUS, -1, 2**32)  # for products by Montgomery's algorithm


def input_place(j):
    """Return the (rank, offset) of x[j]; j is an integer or an integer array."""
    return divmod(checked(j), 256)


def input_index(rank, o):
    """Return the global index of the element of x at offset o on the given rank."""
    return rank * 256 + o


output_place, output_index = input_place, input_index  # y has the layout of x


class Plan:
    """The state of one rank: a communicator, twiddles, scratch buffers of its kernels and a work array. Creating a plan is collective; if one rank fails, all raise."""

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
                    prepare_modulo()
        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):
            self.powers_modulo = tabulate(lambda o: in_montgomery(root_power((o // 64) * (rank + o % 64 * 4), 1024)))
            self.roots_modulo = tabulate(lambda o: in_montgomery(root_power(o, 256)), stop=128)
            self.roots_modulo_2 = tabulate(lambda o: in_montgomery(root_power(o, 4)), stop=2)
            self.room_modulo = np.empty(512, DTYPE)
            self.work = np.empty(M, DTYPE)

    def free(self):
        """Free the communicator and the tables; collective."""
        if self.own:
            self.own.Free()
        self.powers_modulo = self.roots_modulo = self.roots_modulo_2 = self.room_modulo = self.work = None


def transform(x, plan, out=None):
    """Return this rank's 256 elements of y = F_1024 x modulo 12289, in a new array or in `out`; collective. x, of shape (M,) and type DTYPE, is left unchanged."""
    x, out = arrays(x, plan, out)
    work = plan.work

    # L^1024_4
    np.copyto(work.reshape(4, 64), x.reshape(64, 4).T)
    plan.own.Alltoall(work, out)

    # (I_4 ⊗ F_256)
    stages_modulo(out, work, plan.roots_modulo, plan.room_modulo, 1, 256, 1, 1, 1)

    # Γ_{4,4,1024} T^1024_256: T^1024_256 below
    np.copyto(out.reshape(4, 64), work.reshape(64, 4).T)
    plan.own.Alltoall(out, work)

    # (I_4 ⊗ F_4 ⊗ I_64)
    products_modulo(work, work, plan.powers_modulo)
    stages_modulo(work, out, plan.roots_modulo_2, plan.room_modulo, 1, 4, 64, 1, 64)

    # Γ_{4,4,1024}^-1
    plan.own.Alltoall(out, work)
    np.copyto(out.reshape(64, 4), work.reshape(4, 64).T)
    return out


def root_power(e, order):
    """Return w_order^e modulo MODULUS for integers 0 <= e < order: the product of the powers w_order^(2^bit) for the bits of e."""
    found, power = e * 0 + 1, pow(ROOT, SIGN * N // order, MODULUS)
    for bit in range((order - 1).bit_length()):
        found = np.where(e >> bit & 1, found * power % MODULUS, found)
        power = power * power % MODULUS
    return found


def in_montgomery(e):
    """Return residues times 2^32 modulo MODULUS: mulmod by them multiplies by e."""
    return (e << 32) % MODULUS


def stages_modulo(x, y, roots, room, copies, d, c, high, wide):
    """Store I_copies ⊗ F_d ⊗ I_c x in y modulo MODULUS, `high` copies and `wide` columns at a time, stage by stage (Stockham) in the halves of `room`."""
    lanes = high * wide
    for start in range(0, copies * d * c, high * d * c):
        for first in range(start, start + c, wide):
            for i in range(high):
                for r in range(d):
                    at, to = first + (i * d + r) * c, r * lanes + i * wide
                    given, made = x[at : at + wide], room[to : to + wide]
                    for j in range(wide):
                        made[j] = given[j]
            begin, end, half, block = 0, d * lanes, d // 2, lanes
            while half:
                for k in range(half):
                    p, q, s, w = begin + k * block, begin + (half + k) * block, end + 2 * k * block, roots[k * (d // 2 // half)]
                    a, b, sums, differences = room[p : p + block], room[q : q + block], room[s : s + block], room[s + block : s + 2 * block]
                    for j in range(block):
                        sums[j] = addmod(a[j], b[j], MODULUS)
                        differences[j] = mulmod(submod(a[j], b[j], MODULUS), w, MODULUS, INVERSE)
                begin, end, half, block = end, begin, half // 2, 2 * block
            for i in range(high):
                for r in range(d):
                    at, to = begin + r * lanes + i * wide, first + (i * d + r) * c
                    given, made = room[at : at + wide], y[to : to + wide]
                    for j in range(wide):
                        made[j] = given[j]


def products_modulo(x, y, table):
    """Store x times a table in Montgomery's form, which repeats itself, in y modulo MODULUS."""
    for start in range(0, len(x), len(table)):
        given, made = x[start : start + len(table)], y[start : start + len(table)]
        for j in range(len(table)):
            made[j] = mulmod(given[j], table[j], MODULUS, INVERSE)


def prepare_modulo():
    """Compile the kernels with calls that do nothing."""
    none, table = np.empty(0, DTYPE), np.ones(1, int)
    stages_modulo(none, none, table, none, 0, 2, 1, 1, 1)
    products_modulo(none, none, table)


# Arithmetic modulo a prime under numba: the same text in every program with such kernels.
from numba import njit


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


inline = njit(forceinline=True)  # compiled by itself, then part of a kernel


@inline
def addmod(a, b, p):
    """Return a + b modulo p, for 0 <= a, b < p."""
    found = a + b - p
    return found + p if found < 0 else found


@inline
def submod(a, b, p):
    """Return a - b modulo p, for 0 <= a, b < p."""
    found = a - b
    return found + p if found < 0 else found


@inline
def mulmod(a, b, p, inverse):
    """Return a b / 2^32 modulo p, for 0 <= a, b < p and inverse = 1/p modulo 2^32.

    a b and m p have the same lower 32 bits, so (a b - m p) / 2^32 is the difference of their upper
    bits, which is above -p and below p (Montgomery 1985). The masks say that factors have 32 bits.
    """
    product = (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF)
    m = (product & 0xFFFFFFFF) * inverse & 0xFFFFFFFF
    found = (product >> 32 & 0xFFFFFFFF) - (m * p >> 32 & 0xFFFFFFFF)
    return found + p if found < 0 else found


stages_modulo = compiled(stages_modulo)
products_modulo = compiled(products_modulo)


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


def refuse_others(x):
    """Raise ValueError if an element of x is not a residue modulo MODULUS."""
    for wrong in x[(x < 0) | (x >= MODULUS)]:
        raise ValueError(f"x must have integers from 0 to {MODULUS - 1}; got {wrong}: use x % {MODULUS}")


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
    refuse_others(x)
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
        refuse_others(x)
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
    x, plans = np.random.default_rng(comm.rank).integers(0, MODULUS, M).astype(DTYPE), []
    seconds = timeit.repeat(lambda: plans.append(plan(comm)), comm.Barrier, repeat=1, number=1)
    y = transform(x, *plans)
    seconds += timeit.repeat(lambda: transform(x, *plans, y), comm.Barrier, repeat=repeats, number=1)
    parts, error = comm.gather((x, y)) if N <= 1 << 24 else None, None
    plans[0].free()
    first, *others = np.max(comm.allgather(seconds), axis=0).tolist()
    if parts:
        xs, ys = (np.reshape(each, (P, M)) for each in zip(*parts, strict=True))
        given, found = xs[input_place(np.arange(N))], ys[output_place(np.arange(N))]
        root = pow(ROOT, 1 if DIRECTION == "forward" else -1, MODULUS)
        powers, wanted, left = np.ones(1, int), given.reshape(N, 1), N
        while len(powers) < N:
            powers = np.append(powers, powers * pow(root, len(powers), MODULUS) % MODULUS)
        while left > 1:  # F_r by its definition for the least prime r that divides what is left
            r = next(r for r in range(2, left + 1) if left % r == 0)
            left //= r
            parts = wanted.reshape(r, left, -1)
            sums = (parts[0] + sum(powers[e * k * (N // r) % N] * parts[e] % MODULUS for e in range(1, r)) for k in range(r))
            turns = (powers[np.arange(left) * k * (N // (left * r)), None] for k in range(r))
            wanted = np.stack([y % MODULUS * turn % MODULUS for y, turn in zip(sums, turns, strict=True)], axis=1).reshape(left, -1)
        wanted = wanted.reshape(N) * (1 if DIRECTION == "forward" else pow(N, -1, MODULUS)) % MODULUS
        error = float((found != wanted).mean())  # the part of the elements that are wrong
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
