"""Requests for programs of each kind."""

from __future__ import annotations

import re

from codegen.requests import make_request
from codegen.systems.exchanges import EXCHANGES, OVERLAPPED, SHARED
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.papers.hypercube import SCHEMES

SECTION = re.compile(r"^# .*: the same text in every program.*?(?=^W = |^move = )", re.S | re.M)
"""The operations of compiled kernels."""
MOVED = {"permutation": Bmmc(bmmc.named("bit-reversal", 8), "bit-reversal")}
SCRAMBLED = ("bit-reversed", "scrambled")
REQUESTS = {
    "fft": [
        *[make_request("fft", 256, 4, exchange=way) for way in (*EXCHANGES, OVERLAPPED, SHARED)],
        *[make_request("fft", 64, P, norm=norm) for P in (1, 16) for norm in ("backward", "ortho")],
        make_request("fft", 64, 4, direction="backward", dtype="complex64"),
        make_request("fft", 2**16, 2, "cyclic", "cyclic"),
        *[make_request("fft", 64, P, kernels="pyfftw", norm="forward") for P in (1, 4)],
    ],
    "butterflies": [
        *[make_request("fft", N, 2, local="butterflies") for N in (4, 8, 64, 128)],
        make_request("fft", 256, 4, local="cache-friendly:4"),
        make_request("fft", 64, 1, local="butterflies", norm="ortho"),
    ],
    "hypercube-fft": [
        *[make_request("hypercube-fft", 64, P, scheme=way) for way in SCHEMES for P in (1, 2, 8)],
        *[make_request("hypercube-fft", 64, 4, *SCRAMBLED, scheme=way) for way in SCHEMES],
        make_request("hypercube-fft", 64, 4, *SCRAMBLED[::-1], direction="backward"),
    ],
    "fht": [
        *[make_request("fht", 64, 4, exchange=way) for way in (*EXCHANGES, OVERLAPPED)],
        *[
            make_request("fht", N, P, "hartley")
            for N, P in ((16, 1), (64, 2), (64, 16), (2**16, 2))
        ],
        *[make_request("fht", N, 1, convolve=both) for N in (16, 2**15) for both in (True, False)],
        *[make_request("fht", N, 2, convolve=True) for N in (64, 2**16)],
        *[make_request("fht", 1024, P, algorithm="group-cyclic") for P in (1, 2, 16)],
        make_request("fht", 2**16, 2, algorithm="group-cyclic", direction="backward", norm="ortho"),
        *[make_request("fht", 64, P, result=result) for P in (1, 4) for result in ("dft", "power")],
    ],
    "permute": [
        *[make_request("permute", 256, 4, exchange=way, **MOVED) for way in (*EXCHANGES, SHARED)],
        make_request("permute", 256, 256, dtype="S3", **MOVED),
        make_request("permute", 256, 4, kernels="gray", **MOVED),
    ],
    "numba": [
        *[make_request("fft", N, P, kernels="numba") for N, P in ((64, 1), (64, 2), (256, 16))],
        *[make_request("fft", 256, P, exchange=SHARED, kernels="numba") for P in (2, 4)],
        *[make_request("fft", N, 2, local="butterflies", kernels="numba") for N in (8, 128, 256)],
        *[make_request("hypercube-fft", 64, 4, scheme=way, kernels="numba") for way in SCHEMES],
        *[make_request("fht", 64, P, convolve=True, kernels="numba") for P in (1, 4)],
        *[make_request("fht", 1024, P, algorithm="group-cyclic", kernels="numba") for P in (1, 4)],
        *[make_request("permute", 256, P, kernels="numba", **MOVED) for P in (1, 256)],
    ],
}
"""Requests of each kind, among them all that could make a difference."""
