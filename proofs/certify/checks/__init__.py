"""The checks of a program, one for each verdict of its certificate."""
