"""The ranks of a node program, and what they say to each other."""
