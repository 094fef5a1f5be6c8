"""`hypercube-fft`: the Fourier transform by exchanges between neighbours of a hypercube (Aykanat &
Dervis).
"""

from __future__ import annotations

from codegen.systems.options import COMPLEX, NUMBA, NUMPY
from codegen.systems.record import Option, System
from derive.formula.transforms import F
from derive.papers import hypercube

USUAL = "3"
SCHEME = Option(
    "scheme",
    "K",
    f"Program of hypercube-fft: {', '.join(hypercube.PROGRAMS)}; the default is {USUAL}.",
    hypercube.PROGRAMS,
)
HYPERCUBE_FFT = System(
    "hypercube-fft",
    matrix=F,
    kernels=(NUMPY, NUMBA),
    dtypes=COMPLEX,
    sizes=lambda request: hypercube.exponents(request.N, request.P, request.scheme),
    options=(SCHEME,),
    equations=lambda request: hypercube.equations(request.N, request.P, request.scheme),
    rests_on=lambda request: tuple(hypercube.equations(request.N, request.P, request.scheme)),
    fill=lambda request: {"scheme": USUAL},
    compiles=True,
)
