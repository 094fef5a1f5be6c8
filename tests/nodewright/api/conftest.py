"""What commands print with --json, but for times."""

import json

import pytest


def timeless(value):
    """Return JSON values without what differs from run to run."""
    if isinstance(value, dict):
        return {name: timeless(part) for name, part in value.items() if name != "seconds"}
    return [*map(timeless, value)] if isinstance(value, list) else value


@pytest.fixture
def same(nodewright):
    """Say whether what an object says of itself is what a command prints, in the same order."""

    def compared(found, *words):
        _, out, err = nodewright(*words, "--json")
        assert err == ""
        return json.dumps(timeless(found)) == json.dumps(timeless(json.loads(out)))

    return compared
