"""Counted costs of programs, the papers' cost formulas, and lower bounds."""
