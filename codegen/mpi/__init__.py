"""A simulated communicator: all ranks of a program in one process, with every rule of MPI that a
program may break.
"""
