"""Stages of butterflies of a hypercube FFT, and transforms that are sent part by part."""
