"""Where the elements of a program are before and after its transform."""
