"""Certificates of programs: decided from the text of a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from derive import call_arguments
from derive.call_arguments import integer, named, needs_arguments
from derive.show.lists import ByName
from proofs.certify.certificate import Certificate
from proofs.certify.evaluation.evaluation import Listener
from proofs.certify.failures import NotModelled
from proofs.certify.program import decided
from proofs.certify.rows import RANKS


class Unmodelled(ValueError):
    """A program uses something outside of the language of node programs, so it is undecided."""


@needs_arguments
def certify(
    path: str | Path, seed: int = 0, *, ran: int = RANKS, listener: Listener | None = None
) -> Certificate:
    """Return the certificate of a program: verdicts on whether it computes what it declares.

    The certificate depends on the source alone, which is evaluated. The same source and seed
    give the same certificate.

    Args:
        path: the file of the program.
        seed: the seed of the random fields and vectors.
        ran: programs with up to this many ranks also run under mpiexec, and the results are
            compared bit for bit.
        listener: a function that is told about the progress.

    Returns:
        The certificate, with `holds`, `verdicts` by name, and `save()`.

    Raises:
        ValueError: the file is not a node program. If the program uses something outside of
            the language of node programs, the error is `Unmodelled`, a ValueError.
        OSError: the file cannot be read.

    References:
        docs/certificates.md explains verdicts and assumptions, docs/trust.md the checker.

    Examples:
        >>> certify("nowhere.py")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.py'
    """
    if integer(ran, "ran") < 0:
        raise ValueError(f"{named('ran', ran)}: a number of ranks, 0 for none")
    try:
        found = decided(
            call_arguments.path(path), integer(seed, "seed"), ran=ran, listener=listener
        )
        return replace(found, verdicts=ByName(found.verdicts))
    except NotModelled as error:
        raise Unmodelled(str(error)) from error
