"""The command `nodewright`, as `python -m nodewright`, too.

Ctrl-C while the command line is being imported ends in one line as well.
"""

import sys

from derive.lazy import lazily

app = lazily("nodewright.cli.app")


def main() -> None:
    """Run the command line."""
    try:
        app.main()
    except KeyboardInterrupt:
        print("nodewright: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
