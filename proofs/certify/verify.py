"""What a certificate that holds must say, figure by figure, by what a short check of the same text
has found; nothing of it is run again.

Left to belief are the size of the error that was measured, the versions, and that the longer runs
were made at all.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from derive.fields import is_primitive, progression
from derive.verdict import Checked, Tested, Undecided, Verdict
from proofs.certify.certificate import Certificate
from proofs.certify.checks.exact_checks import shown_on
from proofs.certify.checks.invalid_arguments import with_left_open
from proofs.certify.checks.messages import OTHER_MESSAGES
from proofs.certify.checks.permutation_check import kept_by
from proofs.certify.checks.suite import Trial
from proofs.certify.checks.transform import WIDTHS_UP_TO, with_lanes
from proofs.certify.declaration import COMPILED, Permutation, Transform
from proofs.certify.fields import chance
from proofs.certify.fields.chance import Chance, stated
from proofs.certify.ordinary.reproducible_bits import alike
from proofs.certify.ordinary.rounding import tolerance_of
from proofs.certify.real import real_ranks
from proofs.certify.rows import BITS, MORE, NODES, ON_NUMBERS, not_run
from proofs.certify.scripts.usage import IN_TURNS, of_numbers, said_of

SPREAD = 256.0
"""By so many bits conjugates may grow when plans are used again: what lies in their memory grows
from use to use where it is computed with. A bound that is too large makes the evidence weaker only.
"""
NARROWER = 2.0
"""By this factor the error with narrower vectors may be another one than with the usual ones, and
that between nodes than that on one.
"""
RUN_IN_FIELDS = ("function", "contract")


def differences(certificate: Certificate, trial: Trial) -> list[str]:
    """Return the names of verdicts, and of other parts of a certificate that holds, that cannot be
    what `certify` writes of this text, by a short check of it.
    """
    d, wanted, figures = trial.declaration, dict(trial.verdicts), dict(trial.figures)
    if isinstance(wanted.get(BITS), Undecided):  # of compiled kernels
        wanted[BITS] = _measured_bits(certificate, wanted[BITS].statement)
    first = trial.outcomes[0].chance if isinstance(d, Transform) else None
    if first is None:
        evidence, error = shown_on(d)
        statement = trial.statements["contract"]
        wanted["contract"] = Checked(statement, f"{said_of(d)}; {evidence}", error)
    else:
        wanted["function"], figures["function"] = _function(certificate, trial, first)
        wanted["contract"], figures["contract"] = _contract(certificate, trial, first)
    is_open = getattr(certificate.verdicts["contract"], "reason", "").endswith(OTHER_MESSAGES)
    why = OTHER_MESSAGES if is_open else trial.invalid_use()
    wanted["contract"] = with_left_open(wanted["contract"], why)
    if isinstance(between := wanted.get(NODES), Checked):
        wanted[NODES] = _between_nodes(certificate, between)
    wrong = [
        name
        for name, verdict in wanted.items()
        if certificate.verdicts.get(name) != verdict
        or (name in figures and certificate.figures.get(name) != figures[name])
    ]
    wrong += [MORE] * (MORE in certificate.verdicts and MORE not in trial.verdicts)
    count = sum(of["fields"] for of in figures.values())
    return wrong + _tests(certificate, trial) + _drawn(certificate, first, count)


def _function(
    certificate: Certificate, trial: Trial, first: Chance
) -> tuple[Verdict, dict[str, Any]]:
    """Return the verdict on `function`, and the figures that its evidence is made from."""
    N, P, source = trial.declaration.N, trial.declaration.P, trial.evaluation.source
    widths = source.widths if N <= WIDTHS_UP_TO else ()
    units, said = chance.has_units(N, P) and first.N == N, certificate.verdicts["function"]
    runs = [replace(first, units=units)]
    certain = chance.is_certain(runs[0], P)
    while not chance.is_enough(runs, P):
        runs.append(replace(first, units=certain))
    error = chance.error_of(runs)
    if widths:
        error = max(error, first.error ** chance.runs_for(first))
        if isinstance(said, Checked) and error / NARROWER <= said.error <= error * NARROWER:
            error = said.error
    evidence = chance.evidence_of(runs, trial.declaration.parts, bool(widths))
    evidence += with_lanes(source, trial.declaration)
    return Checked(trial.statements["function"], evidence, stated(error)), chance.figures_of(runs)


def _contract(
    certificate: Certificate, trial: Trial, first: Chance
) -> tuple[Verdict, dict[str, Any]]:
    """Return the expected verdict on `contract` and the figures in its evidence; the stated bound
    of conjugates is taken over where it is possible.
    """
    stated_bits = certificate.figures["contract"]["bits"]
    bits = min(max(stated_bits, first.bits), first.bits + SPREAD)
    runs = [Chance.of(first.N, first.order, bits, False)]
    while not chance.is_enough_again(runs):
        runs.append(runs[0])
    return Checked(
        trial.statements["contract"],
        chance.evidence_again(runs, said_of(trial.declaration)),
        stated(prod(run.error for run in runs)),
    ), chance.figures_of(runs)


def _between_nodes(certificate: Certificate, found: Checked) -> Verdict:
    """Return the expected verdict on `nodes`, which a short check has found; its error is about as
    large as those of the same runs on one node.
    """
    said, verdicts = certificate.verdicts[NODES], certificate.verdicts
    runs = [verdicts[name] for name in RUN_IN_FIELDS]
    error = max([run.error for run in runs if isinstance(run, Checked)], default=0.0)
    if isinstance(said, Checked) and error / NARROWER <= said.error <= error * NARROWER:
        error = said.error
    return Checked(found.statement, found.evidence, error)


def _tests(certificate: Certificate, trial: Trial) -> list[str]:
    """Return which test states another tolerance, or is none."""
    verdicts, tested = certificate.verdicts, _tested(trial)
    name = next((name for name in ON_NUMBERS if name in verdicts), "")
    said, on_real = verdicts.get(name), verdicts["ran"]
    match said:
        case None:
            known = not tested
        case Tested(statement=statement, tolerance=tolerance, formula=formula):
            known = [statement, tolerance, formula] in tested
        case Undecided(statement=statement):
            begins = any(row[0].startswith(statement) for row in tested)
            known = begins and _is_not_run(certificate, said)
        case _:
            known = False
    P, most = certificate.declared["P"], certificate.figures["ran"]["most"]
    reasons = real_ranks.NO_RUN
    kernels, dtype = real_ranks.kernels_of(certificate.declared), certificate.declared["dtype"]
    if most < P:
        really = on_real == Undecided(real_ranks.stated(P, kernels), real_ranks.too_many(P, most))
    elif isinstance(on_real, Tested):
        wanted = real_ranks.agreed(P, kernels, dtype, on_real.measured)
        really = on_real == wanted and 0 <= on_real.measured <= wanted.tolerance
    else:
        really = on_real in [Undecided(real_ranks.stated(P, kernels), why) for why in reasons]
    return [*[name] * (not known), *["ran"] * (not really)]


def _tested(trial: Trial) -> list[list[Any]]:
    """Return statement, tolerance and formula of the tests that the certificate may have."""
    d, of_kernels = trial.declaration, trial.evaluation.source.said_by_any
    if isinstance(d, Transform):
        statement, tolerance = trial.statements["rounding"], tolerance_of(d, trial.evaluation.flops)
        return [[statement + words, *tolerance] for words in of_kernels]
    if not isinstance(d, Permutation):
        return []
    script = IN_TURNS if trial.real.measures else of_numbers(d)
    return [[trial.statements["bytes"], 0.0, kept_by(d, script, words)] for words in of_kernels]


def _is_not_run(certificate: Certificate, said: Undecided) -> bool:
    """Return whether a verdict is open as kernels are compiled and there was no real run."""
    on_real = certificate.verdicts["ran"]
    is_compiled = certificate.declared["kernels"] in COMPILED
    return is_compiled and isinstance(on_real, Undecided) and said.reason == not_run(on_real.reason)


def _measured_bits(certificate: Certificate, statement: str) -> Verdict:
    """Return the expected verdict on bits of compiled kernels: measured, or not run."""
    said = certificate.verdicts[BITS]
    if isinstance(said, Undecided) and _is_not_run(certificate, said):
        return Undecided(statement, said.reason)
    return alike(certificate.declared["N"])


def _drawn(certificate: Certificate, first: Chance | None, count: int) -> list[str]:
    """Return `fields` unless there are so many, each a drawable prime with a root of its order."""
    order = first.order if first else 0
    primes = progression(order) if count else np.empty(0, np.int64)
    sound = all(
        set(field) == {"q", "order", "w"}
        and all(type(value) is int for value in field.values())
        and field["order"] == order
        and field["q"] in primes
        and 0 < field["w"] < field["q"]
        and is_primitive(field["w"], order, field["q"])
        for field in certificate.fields
    )
    return [] if sound and len(certificate.fields) == count else ["fields"]
