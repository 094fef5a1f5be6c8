"""`rfft`: the Fourier transform of real elements, in pairs."""

from __future__ import annotations

from codegen.systems.options import NUMBA, NUMPY, REAL
from codegen.systems.record import OfArrays, Request, System
from derive.formula.transforms import F

OF_PAIRS = {
    "forward": {"backward": "1", "ortho": "N**-0.5", "forward": "1 / N"},
    "backward": {"backward": "2 / N", "ortho": "2 * N**-0.5", "forward": "2"},
}
"""The factor on compiled transforms of pairs of real elements, by the direction and the norm."""


def scale(request: Request) -> str:
    """Return the factor on the result: its transforms are of N/2, and back they give half of each
    element.
    """
    backward = request.direction == "backward"
    if request.kernels == NUMBA:
        return OF_PAIRS["backward" if backward else "forward"][request.norm]
    power = {"ortho": 0.5, "forward": 1.0}.get(request.norm, 0.0)
    return f"2**{power if backward else -power}" if power else "1"


RFFT = System(
    "rfft",
    matrix=F,
    kernels=(NUMPY, NUMBA),
    dtypes=REAL,
    sizes=lambda request: None,
    arrays=OfArrays("real input", ("alltoall", "pairwise", "nonblocking"), (NUMPY, NUMBA)),
    by_bits=False,
    real=True,
    scale=scale,
    equations=lambda request: (),
)
