"""`python -m nodewright.cli` runs the command line."""

from nodewright.__main__ import main

main()
