"""Checks on ordinary numbers: accuracy, the edges of the range, equal bits."""
