"""Certificates of proofs: written, read and done again."""
