"""What a program does when it is evaluated: the answers that the checks compare."""
