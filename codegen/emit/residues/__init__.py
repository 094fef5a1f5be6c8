"""Transforms of residues modulo a prime as lines of a node program, and their tables."""
