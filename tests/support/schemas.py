"""The schemas of what commands print with --json."""

import json
from functools import cache

from jsonschema import Draft202012Validator

from tests.support.paths import ROOT

SCHEMAS = ROOT / "nodewright" / "schemas"


@cache
def validator(name: str) -> Draft202012Validator:
    """Return what decides whether an object is as a schema says."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    return Draft202012Validator(schema)


def name_of(words: tuple[str, ...], found: object) -> str:
    """Return the schema for what a command with these words prints."""
    if isinstance(found, dict) and found.keys() == {"error"}:
        return "error"
    return "-".join(words[: 2 if words[0] == "bench" else 1])
