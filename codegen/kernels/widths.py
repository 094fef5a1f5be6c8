"""The widths of lines and vectors in compiled kernels."""

BYTES = 64
"""Of a line."""
LANES, NARROWER = 8, (4, 2)
"""Of a vector by default, and on processors whose vectors are narrower."""
