"""Supersteps: their grammar, lowering from a factorization, and their meaning."""
