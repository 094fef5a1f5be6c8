"""Proofs as documents."""
