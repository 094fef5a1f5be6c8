"""`python -m nodewright.cli` runs the command line."""

from nodewright.cli.app import main

main()
