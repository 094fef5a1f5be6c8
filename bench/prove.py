"""Seconds to prove and to replay each theorem, lines of the trusted part, wrong statements made and
refused, pairs of random terms. CPU time.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path
from random import Random
from time import process_time

from bench.common import command_line, machine, table
from proofs.kernel import kernel_rules
from proofs.replay import block_certificates
from proofs.replay.certificate_steps import certificate, replay
from proofs.theorems import theorems
from proofs.theorems.by_blocks import block_theorems
from tests.mutation.wrong_statements import counted, fuzz, wrong_parts, wrong_theorems

PAIRS = 20000
SMALLER = ("blocks/block_matrices", "blocks/column_induction", "blocks/columns", "blocks/divisions")
TRUSTED = (
    *("kernel/sealed", "kernel/integers", "kernel/numbers", "kernel/terms"),
    *(
        "kernel/phases",
        "kernel/diagrams",
        "kernel/congruences",
        "kernel/path_sums",
        "kernel/kernel_rules",
    ),
)
ALONE = ("kernel/kernel_certificates", "kernel/check")
"""What is trusted, for the theorems of the kernel, for those of block algebra and of divisions, and
to check certificates alone.
"""


def lines(*names: str) -> tuple[int, int]:
    """Return the lines of modules of proofs/ that are not blank: of code, and of docstrings."""
    code = docs = 0
    for name in names:
        text = (Path(kernel_rules.__file__).parents[1] / f"{name}.py").read_text(encoding="utf-8")
        strings = (
            node
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        inside = {
            line for node in strings for line in range(node.lineno, (node.end_lineno or 0) + 1)
        }
        full = [number for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        code, docs = (
            code + sum(n not in inside for n in full),
            docs + sum(n in inside for n in full),
        )
    return code, docs


def main(pairs: int) -> None:
    """Print the tables."""
    print(machine())
    rows: list[tuple[object, ...]] = []
    total: Counter[str] = Counter()
    seconds = [0.0, 0.0]
    for name, theorem in theorems().items():
        start = process_time()
        parts = theorem.prove()
        proved = process_time() - start
        texts = [json.dumps(certificate(name, part)) for part in parts]
        steps = [json.loads(text) for text in texts]
        start = process_time()
        for text in steps:
            replay(text)
        replayed = process_time() - start
        rng = Random(name)
        wrong = sum((counted(wrong_theorems(part, rng)) for part in parts), Counter[str]())
        count = sum(len(text["steps"]) for text in steps)
        rows.append(
            (
                name,
                count,
                proved,
                replayed,
                wrong["made"],
                wrong["refused"],
                wrong["refuted"],
                wrong["proved"],
                wrong["unsound"],
            )
        )
        seconds = [seconds[0] + proved, seconds[1] + replayed]
        total += wrong
    for name, smaller in block_theorems().items():
        start = process_time()
        found = smaller.derivation()
        proved = process_time() - start
        text = json.loads(json.dumps(block_certificates.certificate(name, smaller)))
        start = process_time()
        block_certificates.replay(text)
        replayed = process_time() - start
        wrong = sum((counted(wrong_parts(part)) for part in found), Counter[str]())
        rows.append(
            (
                name,
                len(found),
                proved,
                replayed,
                wrong["made"],
                wrong["refused"],
                wrong["refuted"],
                wrong["proved"],
                wrong["unsound"],
            )
        )
        seconds = [seconds[0] + proved, seconds[1] + replayed]
        total += wrong
    rows.append(
        (
            "all",
            "",
            *seconds,
            *(total[what] for what in ("made", "refused", "refuted", "proved", "unsound")),
        )
    )
    head = (
        "theorem",
        "steps",
        "seconds to prove",
        "seconds to replay",
        "wrong statements",
        "refused",
        "refuted by numbers",
        "true and proved",
        "false and proved",
    )
    table("Theorems; what an earlier one has proved is not proved again", head, rows)
    kinds = [
        (what, total[what])
        for what in sorted(
            total.keys() - {"made", "refused", "refuted", "proved", "unsound", "undecided"}
        )
    ]
    table("Wrong statements", ("changed", "statements"), kinds)
    table(
        "Lines that are trusted",
        ("proofs/", "of code", "of docstrings"),
        [(", ".join(names), *lines(*names)) for names in (TRUSTED, SMALLER, ALONE)],
    )
    start = process_time()
    told = fuzz(2026, pairs)
    row = (told.pairs, told.accepted, told.missed, told.false, process_time() - start)
    table(
        "Pairs of random terms",
        (
            "pairs",
            "proved equal",
            "equal at all numbers and not proved",
            "different and proved equal",
            "seconds",
        ),
        [row],
    )


if __name__ == "__main__":
    parser = command_line(__doc__)
    parser.add_argument("pairs", type=int, nargs="?", default=PAIRS)
    main(parser.parse_args().pairs)
