"""What is expected of programs by the KERNELS and the EXCHANGE that they state."""

from __future__ import annotations

from codegen.systems.exchanges import AUTO, NODE_AWARE, SHARED
from codegen.systems.options import BACKENDS
from proofs.certify.declaration import COMPILED, LARGEST_N

LIBRARIES = {
    each.library: tuple(name for name, one in BACKENDS.items() if one.library == each.library)
    for each in BACKENDS.values()
    if each.library
}
"""What programs import, and the kernels for which they do."""
LARGEST_OF = dict.fromkeys(BACKENDS, LARGEST_N) | dict.fromkeys(COMPILED, 2**20)
"""The largest N that is decided within the bounds on time and memory, by kernels."""
WITH_NUMBA = (
    "numba compiles functions with their meaning in Python; integers do not overflow, except where"
    " the run of the compiled kernels would show it"
)
WITH_KERNELS = dict.fromkeys(COMPILED, WITH_NUMBA) | {
    "pyfftw": "FFTW's plans compute what they specify, whichever plan its measurements select"
}
"""What is assumed of kernels."""
LAST_BITS = {
    "pyfftw": "as FFTW chooses plans by timing",
    "numba": "as numba contracts products and sums",
}
"""Kernels of transforms whose last bits are others than those of the evaluation, and why."""
RAN = {
    "pyfftw": (
        "; plans made and executed by FFTW",
        "; plans by their specification, as pyfftw is not installed: not those of FFTW",
    ),
    "numba": ("; kernels compiled by numba, on real ranks",),
}
"""What a verdict says of kernels that were run; last where their library is not installed."""
CALLS = {
    "alltoall": ("Alltoall", "Alltoallv", "Start"),
    "pairwise": ("Sendrecv",),
    "replace": ("Sendrecv_replace",),
    "nonblocking": ("Isend",),
    "overlapped": ("Isend", "Alltoall", "Alltoallv"),
    **dict.fromkeys((SHARED, AUTO), ("load", "store")),
    NODE_AWARE: ("Alltoall", "load"),
}
"""The calls that an exchange stands for in emitted programs."""
BETWEEN_NODES = {
    AUTO: (
        "with ranks on any nodes, the program behaves as with all ranks on one node, or with one"
        " rank on a node of its own"
    ),
    NODE_AWARE: (
        "with ranks on any nodes, the program behaves as with consecutive ranks on nodes of equal"
        " size, with one rank on a node of its own, or with ranks that alternate between two nodes"
    ),
}
"""What is assumed of nodes that are not tried."""
