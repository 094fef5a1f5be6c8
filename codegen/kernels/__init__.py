"""Compiled kernels: local transforms and permutations, and the lines and vectors that they run
on.
"""
