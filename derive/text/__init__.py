"""Formulas as text: syntax, parser, and the formula that a text stands for."""
