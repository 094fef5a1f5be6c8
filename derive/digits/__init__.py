"""Indices in mixed radices, permutations of whole digits, layouts of arrays of several axes."""
