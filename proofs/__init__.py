"""Proofs for all sizes, and certificates of emitted programs."""
