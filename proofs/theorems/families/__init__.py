"""Theorems with any number of radices or axes."""
