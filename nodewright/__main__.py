"""The command line as `python -m nodewright`."""

from nodewright.cli.app import main

if __name__ == "__main__":
    main()
