"""The checks of a program's text, one for each verdict of its certificate."""
