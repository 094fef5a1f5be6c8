"""Runs over random fields, and how likely it is that a wrong program passes them."""
