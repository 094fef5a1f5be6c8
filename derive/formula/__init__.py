"""Formulas: their grammar, their permutations and layouts, and how they print."""
