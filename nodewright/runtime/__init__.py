"""Running programs and permutations from Python."""
