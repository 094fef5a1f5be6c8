"""Certificates of emitted programs: what was shown of the text, how, and what that rests on.

    certificate = program, sha256, declared constants, checker, seed, fields, verdicts, assumptions

A certificate is a JSON file beside the program, the same bytes for the same text, seed and versions.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from derive.verdict import Checked, Refuted, Tested, Verdict, holds
from proofs.sandbox import SECONDS, bounded

ASSUMED = (
    "numpy's functions, np.fft among them, Python and MPI do what they specify",
    "constants stand for their ideal values: rounding is measured, not proved",
    "a plan that serves in the four transforms of the contract serves in all: what a text counts up to is not seen",
    "an ordinary text: its lines run in a process with bounds, not behind a wall against malice",
    "main, which reads and writes files, is not part of this",
)
WITH_NUMBA = "numba compiles what Python means; integers do not overflow, and the rounds of a parallel loop may come in reverse order"
KINDS: dict[str, type[Checked] | type[Tested] | type[Refuted]] = {"Checked": Checked, "Tested": Tested, "Refuted": Refuted}


@dataclass(frozen=True)
class Certificate:
    """What was shown of one text. `verdicts` are by name, in the order in which they were decided."""

    program: str
    sha256: str
    declared: dict[str, Any]
    seed: int
    fields: tuple[dict[str, int], ...]
    verdicts: dict[str, Verdict]
    checker: dict[str, str]
    assumed: tuple[str, ...] = ASSUMED

    @property
    def holds(self) -> bool:
        """Whether no verdict is a refutation."""
        return all(holds(verdict) for verdict in self.verdicts.values())

    def as_json(self) -> dict[str, Any]:
        """Return the certificate as JSON values."""
        shown = {name: {"verdict": type(verdict).__name__, **vars(verdict)} for name, verdict in self.verdicts.items()}
        return {
            "program": self.program,
            "sha256": self.sha256,
            "holds": self.holds,
            "declared": self.declared,
            "verdicts": shown,
            "seed": self.seed,
            "fields": list(self.fields),
            "checker": self.checker,
            "assumed": list(self.assumed),
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Certificate:
        """Return the certificate with these JSON values; raise ValueError where they are none."""
        try:
            given = {name: values[name] for name in ("program", "sha256", "declared", "seed", "checker")}
            shown = {name: _verdict(verdict) for name, verdict in values["verdicts"].items()}
            return cls(fields=tuple(values["fields"]), assumed=tuple(values["assumed"]), verdicts=shown, **given)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no certificate: {error}") from error


def certify(path: Path, seed: int = 0, seconds: int = SECONDS) -> Certificate:
    """Check the text of an emitted program, and write its certificate beside it: prog.py -> prog.cert.json.

    Raises ValueError where the file is no node program, uses what the simulated ranks do not have, or exceeds `seconds` of
    processor time; OSError where it cannot be read.

    Reference: part 5 of the design; the error bound is in proofs/trial.py.
    """
    text = _read(path)
    report = json.loads(bounded("proofs.trial", [path.name, str(seed)], text, seconds))
    verdicts = {name: _verdict(verdict) for name, verdict in report["verdicts"].items()}
    declared = report["declared"]
    assumed = (*ASSUMED, WITH_NUMBA) if declared["kernels"] == "numba" else ASSUMED
    certificate = Certificate(path.name, _hash(text), declared, seed, tuple(report["fields"]), verdicts, _checker(), assumed)
    _write(certificate_path(path), json.dumps(certificate.as_json(), indent=2, ensure_ascii=False) + "\n")
    return certificate


def verify(path: Path) -> Certificate:
    """Return the certificate of a program.

    Raises ValueError if it is another text's, FileNotFoundError if there is none.
    """
    beside = certificate_path(path)
    try:
        certificate = Certificate.from_json(json.loads(beside.read_text(encoding="utf-8")))
    except (json.JSONDecodeError, ValueError) as error:
        raise ValueError(f"{beside}: {error}") from error
    found = _hash(_read(path))
    if found != certificate.sha256:
        raise ValueError(f"{path} has sha256 {found[:16]}..., its certificate is for {certificate.sha256[:16]}...: certify this text")
    return certificate


def certificate_path(path: Path) -> Path:
    """Return where the certificate of a program lies.

    >>> print(certificate_path(Path("fft.py")))
    fft.cert.json
    """
    return path.with_name(path.stem + ".cert.json")


def _verdict(values: dict[str, Any]) -> Verdict:
    return KINDS[values["verdict"]](**{name: value for name, value in values.items() if name != "verdict"})


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text in UTF-8: {error}") from error


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _checker() -> dict[str, str]:
    try:
        ours = version("nodewright")
    except PackageNotFoundError:
        ours = "uninstalled"
    return {"nodewright": ours, "numpy": np.__version__}


def _write(path: Path, text: str) -> None:
    """Write a file so that it appears whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
