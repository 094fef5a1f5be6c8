"""The text of a program: read, vetted and loaded."""
