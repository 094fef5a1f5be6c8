"""Exact arrays: elements of a field, or tokens, with bounds that travel with them."""
