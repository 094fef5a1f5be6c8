"""Certificates of emitted programs: what was shown of the text, how, and what that rests on; a JSON
file beside the program.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import platform
import secrets
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from codegen.system_table import CHOICES
from codegen.systems.exchanges import WAYS
from codegen.whole_files import refuse_unless_a_file
from derive.files import read_text
from derive.verdict import Undecided, Verdict, holds
from proofs.certify.certificate import Certificate
from proofs.certify.checks.nodes import ALL_PLACES
from proofs.certify.checks.suite import Trial, tried
from proofs.certify.declaration import Declaration, Transform
from proofs.certify.evaluation.evaluated_source import LARGEST_TEXT
from proofs.certify.evaluation.evaluation import Listener
from proofs.certify.evaluation.ranks import SECONDS
from proofs.certify.language.assumptions import MEMORY, SPLITS, are_of, conditions
from proofs.certify.last_section import takes_all
from proofs.certify.ordinary.rounding import cited, work_of
from proofs.certify.rows import RANKS, all_hold
from proofs.certify.scripts.declared_options import BETWEEN_NODES, WITH_KERNELS
from proofs.certify.scripts.usage import times
from proofs.certify.verify import differences

ASSUMED = (
    "numpy (including np.fft), Python and MPI behave as specified",
    "constants stand for their ideal values: rounding is measured, not proved",
    "real ranks do what the evaluation of the program does; `ran` compares the two",
    (
        "no test of the program singles out the numbers in uninitialised memory (np.empty): NaN, 0"
        " and a few others are tried"
    ),
    (
        "how main treats files, times and errors is tested, not decided; the verdict `main` says"
        " whether its source is the tested one and whether the names that it uses are defined"
    ),
)
DECLARED_FUNCTION = "transform computes what the program declares"
"""The statement on a program of which not even the declaration may be known."""
HOW = ("kernels", "exchange", *CHOICES, "factorization")
"""Constants that say how a program does what it does, and not what."""
WITH_OPERATIONS = {
    name: (
        f"the operations on {what}, which nodewright copies into the program, do to addresses and"
        f" registers what proofs/certify/rounds/{module}.py does to arrays"
    )
    for name, what, module in (
        ("lanes", "lines of 64 bytes", "line_rounds"),
        ("cached", "lines of 64 bytes", "line_rounds"),
        ("vectors", "complex vectors", "vector_operations"),
    )
} | {
    "modular": (
        "the operations modulo a prime, which nodewright copies into the program, do to integers"
        " what proofs/certify/modular/residue_kernels.py does"
    )
}
WITH_WINDOW = (
    "shared memory is large enough for the arrays of a plan, as os.statvfs reports here; if it is"
    " too small, the program makes no plan, or exchanges on one node as it does between nodes"
)
COLLECTIONS = (100_000, 20, 100)
"""The thresholds of Python's collector while a program is evaluated."""
LARGEST_CERTIFICATE = 2**22
"""A certificate has at most so many bytes."""


def certify(
    path: Path,
    seed: int = 0,
    seconds: int = SECONDS,
    ran: int = RANKS,
    listener: Listener | None = None,
) -> Certificate:
    """Check the text of an emitted program, and write its certificate beside it: prog.py ->
    prog.cert.json; raises as `decided` does.
    """
    certificate = decided(path, seed, seconds, ran, listener)
    certificate.save()
    return certificate


def decided(
    path: Path,
    seed: int = 0,
    seconds: int = SECONDS,
    ran: int = RANKS,
    listener: Listener | None = None,
) -> Certificate:
    """Return the certificate of an emitted program, from a check of its text.

    A program for at most `ran` ranks is run on real ones, too. A listener hears how far the check
    is. The same text and seed give the same certificate.

    Raises ValueError where the file is no node program, uses what the language does not have, or
    exceeds `seconds` of processor time, and for a seed below 0; OSError where it cannot be read.

    Reference: the bound of the error is in proofs/certify/fields/chance.py.
    """
    if seed < 0:
        raise ValueError(f"seed = {seed}: a seed must be an integer, at least 0")
    beside = certificate_path(path)
    refuse_unless_a_file(beside)
    text = read_text(path, LARGEST_TEXT)
    with rare_collections():
        trial = tried(path.name, text, seed, seconds=seconds, on_real=ran, listener=listener)
    declared = _declared(trial.declaration)
    fields = tuple({"q": drawn.q, "order": drawn.order, "w": drawn.w} for drawn in trial.fields)
    rest = (trial.verdicts, _checker(), _assumed(trial), cited(declared), trial.figures)
    return Certificate(path.name, _hash(text), declared, seed, fields, *rest, beside)


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """Let Python look less often for cycles among its objects, of which an evaluation has many that
    stay; large runs begin with a look (Evaluation.follow).
    """
    before = gc.get_threshold()
    gc.set_threshold(*COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def undecided(path: Path, seed: int, reason: str) -> Certificate:
    """Return what is said of a program that is not decided: its function is open for this reason.

    It does not hold, and no file has it.

    Raises ValueError or OSError where the program cannot be read.
    """
    verdicts: dict[str, Verdict] = {"function": Undecided(DECLARED_FUNCTION, reason)}
    digest = _hash(read_text(path, LARGEST_TEXT))
    return Certificate(path.name, digest, {}, seed, (), verdicts, _checker(), ASSUMED)


def _assumed(trial: Trial) -> tuple[str, ...]:
    """Return what the certificate of a program takes for granted."""
    d, source, noted = trial.declaration, trial.evaluation.source, trial.evaluation.asked
    declared, flops = d.as_json(), trial.evaluation.flops
    work = work_of(d, flops) if isinstance(d, Transform) else 1.0
    plans, transforms = times(d)
    said = [name.upper() for name in HOW if name in declared]
    several = WAYS[d.exchange].of_nodes  # then `nodes` covers ranks on several nodes
    asked = [(line, name) for line, name in noted if not (several and name == SPLITS)]
    return (
        *ASSUMED,
        *conditions(asked, source.program.unused, takes_all(source), work),
        (
            f"any number of plans and transforms behaves as the {plans} plans that were made, and"
            f" the {transforms} transforms in a row by one of them"
        ),
        f"{', '.join(said)} describe how the program works; of this, only the cost is checked",
        *assumed_of_nodes(d),
        *(WITH_WINDOW,) * (WAYS[d.exchange].shares or any(name == MEMORY for _, name in asked)),
        *(WITH_KERNELS[name] for name in [declared["kernels"]] if name in WITH_KERNELS),
        *(WITH_OPERATIONS[name] for name in [source.section] if name in WITH_OPERATIONS),
    )


def assumed_of_nodes(d: Declaration) -> tuple[str, ...]:
    """Return what is assumed of nodes that were not tried, where there are others."""
    all_tried = d.P <= (ALL_PLACES if WAYS[d.exchange].of_all else 2)
    return (BETWEEN_NODES[d.exchange],) if d.exchange in BETWEEN_NODES and not all_tried else ()


class NotItsOwn(ValueError):
    """A certificate is not that of its program, or not what `certify` writes of it; `why`."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; certify this program again")
        self.why = why


def read(path: Path) -> Certificate:
    """Return the certificate of a program, parsed as data.

    Raises ValueError if it is no certificate or another text's, FileNotFoundError if there is none.
    """
    beside = certificate_path(path)
    try:
        certificate = Certificate.from_text(read_text(beside, LARGEST_CERTIFICATE))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{beside}: {error}") from error
    if certificate.program != path.name:
        raise NotItsOwn(f"{beside} is the certificate of {certificate.program!r}")
    found = _hash(read_text(path, LARGEST_TEXT))
    if found != certificate.sha256:
        raise NotItsOwn(
            f"{path} has SHA-256 {found[:16]}..., its certificate is for"
            f" {certificate.sha256[:16]}..."
        )
    return certificate


def verify(path: Path, seconds: int = SECONDS) -> tuple[Certificate, dict[str, Verdict]]:
    """Return the certificate of a program, and the verdicts of a short check of the same text in a
    newly drawn field.

    The short check runs one transform on vectors of powers, where the long one takes more fields,
    unit vectors, and plans that are used again. Raises ValueError if the certificate is another
    text's, declares something else, or says what `certify` would not write; FileNotFoundError if
    there is none.
    """
    certificate, text = read(path), read_text(path, LARGEST_TEXT)
    trial = tried(path.name, text, secrets.randbits(64), short=True, seconds=seconds)
    for words in _contradictions(certificate, path, trial):
        raise NotItsOwn(words)
    return certificate, trial.verdicts


def _contradictions(certificate: Certificate, path: Path, trial: Trial) -> Iterator[str]:
    """Yield what a certificate says otherwise than a short check of the same text."""
    beside, again, declared = certificate_path(path), trial.verdicts, _declared(trial.declaration)
    if declared != certificate.declared:
        yield f"{path} declares {declared}, its certificate states {certificate.declared}"
    said = certificate.verdicts
    if any(_contradicts(said[name], again[name]) for name in again if name in said):
        yield f"{beside} differs from the checks of this program"
    wrong = differences(certificate, trial) if certificate.holds and all_hold(again) else []
    known = cited(certificate.declared)
    if not are_of(certificate.assumed, _assumed(trial)) or certificate.cited != known:
        yield f"{beside} has other assumptions or citations than this program"
    if wrong:
        yield f"{beside}: {', '.join(wrong)} cannot be what certify writes for this program"


def _contradicts(said: Verdict, found: Verdict) -> bool:
    return said.statement != found.statement or (holds(found) and type(said) is not type(found))


def certificate_path(path: Path) -> Path:
    """Return where the certificate of a program lies.

    >>> print(certificate_path(Path("fft.py")))
    fft.cert.json
    """
    return path.parent / f"{path.stem}.cert.json"


def _declared(d: Declaration) -> dict[str, Any]:
    """Return what a text declares, as it is read from a certificate."""
    return dict(json.loads(json.dumps(d.as_json())))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _checker() -> dict[str, str]:
    try:
        ours = version("nodewright")
    except PackageNotFoundError:
        ours = "uninstalled"
    return {"nodewright": ours, "numpy": np.__version__, "python": platform.python_version()}
