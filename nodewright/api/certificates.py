"""Certificates of programs: decided from the text of a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from codegen.mpi.faults import NotModelled
from derive import arguments
from derive.arguments import integer, named
from derive.show.lists import ByName
from proofs.certify.certificate import Certificate
from proofs.certify.program import decided
from proofs.certify.real.real_ranks import RANKS
from proofs.certify.workers.parent import Listener


class Unmodelled(ValueError):
    """A program uses what the simulated ranks do not have, so nothing can be said about it."""


def certify(
    path: str | Path, seed: int = 0, *, ran: int = RANKS, listener: Listener | None = None
) -> Certificate:
    """Return the certificate of an emitted program, from its text alone, which is executed in a
    sandbox: holds, verdicts by name, save().

    A program for at most `ran` ranks is run on real ones, too, and the bits compared. `seed` draws
    fields and vectors; the same text and seed give the same certificate.

    Raises ValueError where the file is no node program, Unmodelled, which is one, where it uses
    what the simulated ranks do not have, OSError where it cannot be read.

    >>> certify("nowhere.py")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.py'
    """
    if integer(ran, "ran") < 0:
        raise ValueError(f"{named('ran', ran)}: a number of ranks, 0 for none")
    try:
        found = decided(arguments.path(path), integer(seed, "seed"), ran=ran, listener=listener)
        return replace(found, verdicts=ByName(found.verdicts))
    except NotModelled as error:
        raise Unmodelled(str(error)) from error
