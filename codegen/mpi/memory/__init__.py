"""Buffers, windows and types of the simulated communicator, and who may touch which memory when."""
