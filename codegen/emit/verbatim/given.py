"""Names that functions of a program find above them: the constants of a program for 32 numbers on
two ranks, and functions that templates print, which tests put there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

N, P, M, G, ARRAY = 32, 2, 16, 8, (4, 8)
DTYPE, COMPLEX, PIECE, SIGN = np.dtype("complex128"), np.dtype("complex128"), 4, -1
W = 4
MODULUS, ROOT, INVERSE = 193, 185, pow(193, -1, 2**32)
ALIGNMENT = 16
INPUT_DTYPE = OUTPUT_DTYPE = DTYPE
INPUT_SHAPE, OUTPUT_SHAPE = (5, 3), (5, 3)
INPUT_LAYOUT: Any = ()
OUTPUT_LAYOUT: Any = ()
Plan: Any = object
broadcast: Any = None
combine: Any = None
combined: Any = None
load: Any = None
load_lists: Any = None
load_lists_1: Any = None
load_pairs: Any = None
load_pairs_4: Any = None
opposites: Any = None
pyfftw: Any = None
split: Any = None
butterfly: Any = None
multiply_mirrored: Any = None
multiply_pairs: Any = None
turned_sum: Any = None
