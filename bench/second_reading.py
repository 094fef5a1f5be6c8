"""What the second reading costs: how many times as long a proof takes with it, on the identities of
bench/identities.tsv, every k-th of those that are proved.
"""

from __future__ import annotations

from statistics import median
from time import process_time

from bench.common import command_line, machine, table
from bench.identities import SECONDS, identities
from derive.text.parse import parse, parse_relations
from proofs.meaning.comparison import compare
from proofs.prove.equation_proofs import decide_for_all


def main(step: int) -> None:
    """Print the sizes that are compared, the processor time of proofs, and the ratios."""
    print(machine())
    whole, second, sizes, rows = list[float](), list[float](), list[int](), list[int]()
    for one in [x for x in identities() if x.verdict == "proved"][::step]:
        start = process_time()
        answer = decide_for_all(parse(one.equation), parse_relations(one.where), SECONDS)
        took = process_time() - start
        if answer.claim is None or answer.theorem is None:
            continue
        start = process_time()
        found = compare(answer.claim, answer.theorem)
        second.append(process_time() - start)
        whole.append(took)
        sizes.append(found.sizes)
        rows.append(found.rows)
    ratios = [a / max(a - b, 1e-9) for a, b in zip(whole, second, strict=True)]
    head = ("proofs", "seconds", "second reading", "ratio", "median ratio", "sizes", "most rows")
    ratio = sum(whole) / (sum(whole) - sum(second))
    found_row = (
        len(whole),
        sum(whole),
        sum(second),
        ratio,
        median(ratios),
        median(sizes),
        max(rows),
    )
    table("Second reading", head, [found_row])


if __name__ == "__main__":
    parser = command_line(__doc__)
    parser.add_argument("--step", type=int, default=1, help="every so many identities")
    main(parser.parse_args().step)
