"""Printed formulas, table entries and quantitative claims of the four papers that are refuted, each
evaluated anew.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable
from typing import Any

from derive.call_arguments import unknown, written
from derive.papers.statements.statement_tables import erratum_statements
from derive.show.lists import Listing
from proofs.errata import (
    bsp_prose,
    bsp_tables,
    cormen_formulas,
    cormen_text,
    fht_formulas,
    fht_program,
    hypercube_formulas,
    hypercube_programs,
)
from proofs.errata.entry import Erratum, Finding, examine
from proofs.errata.printed_formulas import evaluation_of

BY_CODE = (
    bsp_prose.EVALUATIONS
    | bsp_tables.EVALUATIONS
    | cormen_formulas.EVALUATIONS
    | cormen_text.EVALUATIONS
    | fht_formulas.EVALUATIONS
    | fht_program.EVALUATIONS
    | hypercube_formulas.EVALUATIONS
    | hypercube_programs.EVALUATIONS
)
"""The errata that are more than two texts: tables, sentences, programs and bit matrices."""
ERRATA: dict[str, Erratum] = {
    name: Erratum(name, says, evaluation_of(says) if says.sizes else BY_CODE[name])
    for name, says in erratum_statements().items()
}


def named(name: str) -> Erratum:
    """Return the erratum of a name."""
    return ERRATA[name]


copyreg.pickle(Erratum, lambda erratum: (named, (erratum.name,)))


def errata(names: str | Iterable[str] = ()) -> Listing[Finding]:
    """Return the errata of these names, or of this one, each evaluated anew; all without names.

    The kind of an erratum is equation, table, wording or interpretation: of an interpretation the
    paper leaves the meaning open, and one reading of it is refuted.

    Args:
        names: a name or several; all errata if there is none

    Returns:
        a list of findings, with `erratum`, `counterexample`, `holds` and `to_dict()`

    Raises:
        ValueError: for an unknown name

    Examples:
    >>> from collections import Counter
    >>> found = errata(["bsp-4.5-copies", "bsp-2.6-stage"])
    >>> Counter(finding.erratum.says.kind for finding in found)
    Counter({'equation': 1, 'interpretation': 1})

    >>> print(errata(["cormen-pseudocode-1"])[0].counterexample)
    n = 1, c = 1: x = 0 goes to 0, not 1
    """
    several = not isinstance(names, str) and hasattr(names, "__iter__")
    chosen: list[Any] = list(names) or list(ERRATA) if several else [names]
    for name in chosen:
        if name not in ERRATA:
            lister = written("nodewright errata --list", "nodewright.errata()")
            raise unknown("erratum", name, ERRATA, lister)
    return Listing(examine(ERRATA[name]) for name in chosen)
