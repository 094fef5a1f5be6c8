"""Moves and exchanges whose maps are matrices over GF(2)."""
