"""Local BMMC permutations y[A i + c] = x[i] of one processor's array: the plan in tiles, and the
compiled kernels.
"""
