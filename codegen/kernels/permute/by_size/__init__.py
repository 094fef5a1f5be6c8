"""The kernels by element size. Written by `python -m codegen.kernels.permute.text`."""
