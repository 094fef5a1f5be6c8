"""Bit matrices, affine maps and BMMC permutations over GF(2)."""
