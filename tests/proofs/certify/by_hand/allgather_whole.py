"""FFT of 64 points on 4 ranks, the plain way: every rank gathers the vector and transforms all of it."""

import numpy as np

TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"
N, P, M = 64, 4, 16
INPUT, OUTPUT = "block", "block"
KERNELS, EXCHANGE = "numpy", "alltoall"
DTYPE = np.dtype("complex128")


def input_place(j):
    return np.divmod(j, M)


def output_place(k):
    return np.divmod(k, M)


class Plan:
    """A communicator of our own and room for the whole vector."""

    def __init__(self, comm):
        self.comm = comm
        self.own = comm.Dup()
        self.whole = np.zeros(N, dtype=DTYPE)

    def free(self):
        self.own.Free()
        self.whole = None


def plan(comm):
    if comm.size != P:
        raise ValueError("wrong number of ranks")
    return Plan(comm)


def transform(x, plan, out=None):
    """Allgather, then one transform of length N on each rank."""
    plan.own.Allgather(np.ascontiguousarray(x), plan.whole)
    spectrum = np.fft.fft(plan.whole)
    begin = plan.own.rank * M
    mine = spectrum[begin : begin + M]
    if out is None:
        return mine.copy()
    out[...] = mine
    return out


def main():
    """Transform a random vector and print the error."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    handle = plan(comm)
    rng = np.random.default_rng(0)
    vector = rng.standard_normal(N) + 1j * rng.standard_normal(N)
    y = transform(vector[comm.rank * M : (comm.rank + 1) * M], handle)
    error = np.linalg.norm(y - np.fft.fft(vector)[comm.rank * M : (comm.rank + 1) * M])
    print(f"rank {comm.rank}: error {error:.2e}")
    handle.free()


if __name__ == "__main__":
    main()
