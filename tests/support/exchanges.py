"""Exchanges of four ranks, by every call of the language.

body(comm, MPI, x, blank) -> arrays, of this rank's numbers x and of new ones, blank(count)
"""

from __future__ import annotations

import numpy as np

P, M = 4, 8


def alltoall(comm, mpi, x, blank):
    y, z = blank(M), blank(M)
    comm.Alltoall(x, y)
    comm.Alltoall([y, mpi.C_DOUBLE_COMPLEX], z)
    return y, z


def alltoall_in_place(comm, mpi, x, blank):
    comm.Alltoall(mpi.IN_PLACE, x)
    return [x]


def alltoallv(comm, mpi, x, blank):
    y, to = blank(M), (comm.rank + 1) % P
    counts = [M // 2 if rank == to else 0 for rank in range(P)]
    wanted = [M // 2 if rank == (comm.rank - 1) % P else 0 for rank in range(P)]
    comm.Alltoallv([x, counts], [y, (wanted, [2] * P)])
    return [y]


def alltoall_at_once(comm, mpi, x, blank):
    y = blank(M)
    comm.Ialltoall(x, y).Wait()
    return [y]


def gathers(comm, mpi, x, blank):
    y, z = blank(M * P), blank(M * P)
    comm.Allgather(x, y)
    comm.Gather(x[:2], z[:8] if comm.rank == 1 else None, root=1)
    comm.Allgatherv(x[: comm.rank], [z[8:14], ([0, 1, 2, 3], [0, 0, 1, 3])])
    comm.Gatherv(x[: comm.rank], [z[20:26], [0, 1, 2, 3]] if comm.rank == 0 else None)
    return y, z


def scatters(comm, mpi, x, blank):
    y, z = blank(2), blank(comm.rank + 1)
    comm.Scatter(x if comm.rank == 2 else None, y, root=2)
    counts = [1, 2, 3, 4]
    big = blank(10)
    big[:8] = x
    comm.Scatterv([big, (counts, [0, 1, 3, 6])] if comm.rank == 3 else None, z, root=3)
    return y, z


def broadcasts(comm, mpi, x, blank):
    comm.Bcast(x, root=2)
    comm.Bcast(x[:2], root=0)
    return [x]


def reductions(comm, mpi, x, blank):
    y, z = blank(M), blank(M)
    comm.Allreduce(x, y, op=mpi.SUM)
    comm.Reduce(x, z if comm.rank == 3 else None, root=3)
    comm.Allreduce(mpi.IN_PLACE, x)
    return x, y, z


def a_ring(comm, mpi, x, blank):
    y, to, come_from = blank(M), (comm.rank + 1) % P, (comm.rank - 1) % P
    if comm.rank % 2:
        comm.Recv(y, source=come_from)
        comm.Send(x, to, tag=3)
    else:
        comm.Send(x, dest=to, tag=3)
        comm.Recv(y, come_from, 3)
    return [y]


def requests(comm, mpi, x, blank):
    y = blank(M)
    pairs = [rank for rank in range(P) if rank != comm.rank]
    waits = [comm.Irecv(y[2 * rank : 2 * rank + 2], rank) for rank in pairs]
    waits += [comm.Isend(x[2 * rank : 2 * rank + 2], rank) for rank in pairs]
    mpi.Request.Waitall(waits)
    y[2 * comm.rank : 2 * comm.rank + 2] = x[2 * comm.rank : 2 * comm.rank + 2]
    return [y]


def persistent(comm, mpi, x, blank):
    y, other = blank(M), comm.rank ^ 1
    both = [comm.Recv_init(y, other), comm.Send_init(x, other)]
    for _ in range(3):
        mpi.Prequest.Startall(both)
        mpi.Request.Waitall(both)
        x[...] = y
    for request in both:
        request.Free()
    return x, y


def exchanges(comm, mpi, x, blank):
    y, other = blank(M), comm.rank ^ 2
    comm.Sendrecv(x, other, recvbuf=y, source=other)
    comm.Sendrecv_replace(y[:4], other ^ 1, source=other ^ 1)
    comm.Sendrecv(x[:0], mpi.PROC_NULL, recvbuf=x, source=mpi.PROC_NULL)
    return x, y


def parts_of_the_ranks(comm, mpi, x, blank):
    part, node = comm.Split(comm.rank % 2, -comm.rank), comm.Split_type(mpi.COMM_TYPE_SHARED)
    copy, y = part.Dup(), blank(M)
    copy.Alltoall(x, y)
    node.Barrier()
    for each in (part, node, copy):
        each.Free()
    return [y]


def parts_of_complex_numbers(comm, mpi, x, blank):
    y = blank(M)
    comm.Alltoall(x.view(float), y.view(float))
    return [y]


SENT = {
    alltoall: (6, 12),
    alltoall_in_place: (3, 6),
    alltoallv: (1, 4),
    alltoall_at_once: (3, 6),
    gathers: (8, 38),
    scatters: (3, 6),
    broadcasts: (3, 24),
    reductions: (7, 56),
    a_ring: (1, 8),
    requests: (3, 6),
    persistent: (3, 24),
    exchanges: (2, 12),
    parts_of_the_ranks: (1, 4),
    parts_of_complex_numbers: (3, 12),
}
"""The most messages and words that a rank sends."""


def received(body, comm, mpi):
    """Return the numbers that a rank has in the end, as integers."""
    x = np.arange(M * comm.rank, M * comm.rank + M).astype(complex)
    arrays = body(comm, mpi, x, lambda count: np.zeros(count, complex))
    return [array.view(complex).real.astype(int).tolist() for array in arrays]
