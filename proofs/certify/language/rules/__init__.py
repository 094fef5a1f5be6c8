"""Statements and expressions as closures: a rule for each kind of node of the syntax tree."""
