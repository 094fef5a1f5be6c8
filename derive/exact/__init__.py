"""Exact checks: rings, the action of a formula on vectors, and the entries in which two sides
differ.
"""
