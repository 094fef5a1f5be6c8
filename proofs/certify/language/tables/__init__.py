"""The functions, attributes and modules that a program may use."""
