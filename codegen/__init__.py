"""From a factorization to supersteps, to a program, to its counted cost."""
