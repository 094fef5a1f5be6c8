"""Started under mpiexec: the right programs on real ranks."""

from mpi4py import MPI

from tests.support.mpi_bugs import PROGRAMS


def main(mpi):
    """Run the right programs of as many ranks as there are, and print what rank 0 gathers."""
    comm = mpi.COMM_WORLD
    for name, program in PROGRAMS.items():
        if program.fault is None and program.ranks == comm.size:
            comm.Barrier()  # a receive from any rank is not to take the next program's message
            found = comm.gather(program.body(comm, mpi))
            if comm.rank == 0:
                print(f"{name} {found!r}", flush=True)


main(MPI)
