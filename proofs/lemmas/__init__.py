"""Lemmas on products of stages, which the search for proofs uses."""
