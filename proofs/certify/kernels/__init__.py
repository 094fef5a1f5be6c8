"""Compiled kernels in a simulated run."""
