"""Local BMMC permutations y[A i + c] = x[i] of one processor's array: the plan in tiles, the texts of the kernels, and what they run on."""
