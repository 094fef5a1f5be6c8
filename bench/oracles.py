"""What the commands print with --json on fixed inputs, by digests in oracles.json: a redesign
leaves it as it is.

python -m bench.oracles           compares, and names the commands that print something else; with --write, writes them anew
"""  # noqa: E501

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KEPT = Path(__file__).with_name("oracles.json")
TIMES = {"seconds"}
"""What differs from run to run."""


def printed(command: str) -> list[Any]:
    """Return the exit status of a command, the digest of what it prints but for times, and its line
    of error where it ends with one; what it tells of its progress depends on the machine.
    """
    done = subprocess.run(
        [sys.executable, "-m", "nodewright", *shlex.split(command), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        text = json.dumps(_timeless(json.loads(done.stdout)), sort_keys=True)
    except ValueError:
        text = done.stdout
    return [
        done.returncode,
        hashlib.sha256(text.encode()).hexdigest()[:16],
        done.stderr * (done.returncode > 0),
    ]


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _timeless(part) for name, part in value.items() if name not in TIMES}
    return list(map(_timeless, value)) if isinstance(value, list) else value


def main(write: bool) -> None:
    """Compare what is printed now with what was, or write it."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    found = {command: printed(command) for command in kept}
    if write:
        KEPT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    changed = [command for command in kept if found[command] != kept[command]]
    print("\n".join([*changed, f"{len(changed)} of {len(kept)} commands print something else"]))
    sys.exit(bool(changed) and not write)


if __name__ == "__main__":
    main(sys.argv[1:] == ["--write"])
