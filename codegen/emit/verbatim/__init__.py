"""Functions that stand in programs as they stand here, whatever these are asked for."""
