"""Transforms of real elements by way of complex numbers: half spectra, Hartley transforms."""
