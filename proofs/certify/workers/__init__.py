"""Processes that run a program's text behind a wall, and the jobs that they do."""
