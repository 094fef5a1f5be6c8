"""From supersteps to the text of a program."""
