"""Certificates as data: an in-toto statement about the bytes of a program.

    statement = _type, subject (name and sha256 of the source), predicateType, predicate
    predicate = holds, declared, verdicts, figures, strengths, theorems, cited, seed, fields, ..

docs/certificate-reference.md explains the members.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codegen.systems.exchanges import WAYS
from codegen.whole_files import write_text
from derive.lazy import lazily
from derive.papers.bsp_variants import REPRODUCIBLE
from derive.verdict import Checked, Refuted, Tested, Undecided, Verdict
from proofs.certify.rows import BITS, MORE, NODES, all_hold, system_of, theorems_of

_html = lazily("derive.show.html")
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:nodewright:certificate:v1"
Kind = type[Checked] | type[Tested] | type[Refuted] | type[Undecided]
KINDS: dict[str, Kind] = {kind.__name__: kind for kind in (Checked, Tested, Refuted, Undecided)}
NUMBERS = ("error", "measured", "tolerance")
"""What in a verdict is a number."""
OF_FIELDS: dict[str, type] = {"fields": int, "bits": float}
FIGURES: dict[str, dict[str, type]] = {
    "function": OF_FIELDS,
    "contract": OF_FIELDS,
    "convolution": OF_FIELDS,
    "ran": {"most": int},
}
"""The fields of a transform, the bound 2^bits of its conjugates; the most ranks to be started."""
CHECKER = ("nodewright", "numpy", "python")
"""What a certificate states the versions of."""
MEMBERS = ("declared", "seed", "checker", "figures")
LISTS = ("fields", "assumed", "cited")
VERSION = re.compile(r"uninstalled|\d[\w.+!-]*", re.ASCII)
STRENGTHS = {
    "Checked": (
        "decided exactly at this N and P; `error` bounds the probability of a false acceptance (0:"
        " none is possible)"
    ),
    "Tested": "held in floating point on the inputs that were run, within the tolerance",
    "Undecided": (
        "not decided, for the given reason. A certificate still holds where `contract`,"
        " `main` or `ran` is undecided, or where compiled kernels were not measured on real ranks"
    ),
    "Refuted": "false, as the counterexample shows",
}


@dataclass(frozen=True, repr=False)
class Certificate:
    """The certificate of one program: what it computes, and how this was decided.

    Attributes:
        program: the file name of the program.
        sha256: the SHA-256 of its source.
        declared: the constants of the program that declare its transform, sizes and layouts.
        seed: the seed of the random choices.
        fields: the finite fields in which the program ran.
        verdicts: the verdicts by name, in the order of their decision.
        checker: the versions of nodewright, numpy and Python that decided.
        assumed: the assumptions, a sentence each.
        cited: results of papers that verdicts use, each with its source.
        figures: the numbers in the evidence of verdicts, by the names of the verdicts.
        beside: the path to which `save` writes by default, or None.

    References:
        docs/certificates.md explains verdicts and assumptions, docs/trust.md the checker.

    Examples:
        >>> import nodewright as nw
        >>> certificate = nw.fft(4, 2).certify()
        >>> certificate.holds, certificate.verdicts["function"].kind, certificate.theorems[0]
        (True, 'checked', 'cooley-tukey')
    """

    program: str
    sha256: str
    declared: dict[str, Any]
    seed: int
    fields: tuple[dict[str, int], ...]
    verdicts: dict[str, Verdict]
    checker: dict[str, str]
    assumed: tuple[str, ...]
    cited: tuple[dict[str, Any], ...] = ()
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    beside: Path | None = field(default=None, compare=False, repr=False)

    @property
    def holds(self) -> bool:
        """Whether no verdict is a refutation, and none but contract, main and ran is undecided; for
        compiled kernels, verdicts that need real ranks may also be undecided.
        """
        return all_hold(self.verdicts)

    @property
    def theorems(self) -> tuple[str, ...]:
        """The names of the theorems that prove the factorization, for `nw.theorem`."""
        return theorems_of(self.declared)

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as JSON values."""
        return {
            "_type": STATEMENT,
            "subject": [{"name": self.program, "digest": {"sha256": self.sha256}}],
            "predicateType": PREDICATE,
            "predicate": {
                "holds": self.holds,
                "declared": self.declared,
                "verdicts": {
                    name: {"verdict": type(verdict).__name__, **vars(verdict)}
                    for name, verdict in self.verdicts.items()
                },
                "figures": self.figures,
                "strengths": STRENGTHS,
                "theorems": list(self.theorems),
                "cited": list(self.cited),
                "seed": self.seed,
                "fields": list(self.fields),
                "checker": self.checker,
                "assumed": list(self.assumed),
            },
        }

    as_json = to_dict

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {verdict.kind}" for name, verdict in self.verdicts.items())
        return f"<{self.program} {'holds' if self.holds else 'does not hold'}: {said}>"

    def _repr_html_(self) -> str:
        """Return the certificate as a notebook shows it."""
        rows = [
            (name, _html.verdict(verdict.kind, verdict.statement, verdict.evidence))
            for name, verdict in self.verdicts.items()
        ]
        holds = _html.verdict("holds" if self.holds else "refuted", self.program, self.sha256)
        return str(_html.fragment(holds, _html.named(self.declared), _html.table((), rows)))

    def save(self, path: str | Path | None = None) -> None:
        """Write the certificate to a file, by default to prog.cert.json in the folder of prog.py.

        Raises:
            ValueError: there is no path, and the program is not a file.
            OSError: the file cannot be written.
        """
        target = self.beside if path is None else Path(path)
        if target is None:
            raise ValueError(f"{self.program} is not in a file: give the path of its certificate")
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        octets = text.encode(errors="backslashreplace")  # half a surrogate pair has no UTF-8
        write_text(target, octets.decode(), follow=False)

    @classmethod
    def from_text(cls, text: str) -> Certificate:
        """Return the certificate in the JSON text of a file.

        Raises:
            ValueError: the text is not a certificate, or an object has a key twice.
        """
        return cls.from_json(json.loads(text, object_pairs_hook=_named_once))

    @classmethod
    def from_json(cls, values: Any) -> Certificate:
        """Return the certificate with these JSON values; the inverse of `to_dict`.

        Raises:
            ValueError: the values are not a certificate, or contradict each other.
        """
        try:
            kinds = values["_type"], values["predicateType"]
            certificate = cls._parsed(values)
            complaint = next(certificate._complaints(), "")
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"not a certificate: {type(error).__name__} {error}") from error
        if kinds != (STATEMENT, PREDICATE):
            raise ValueError(f"the types are {kinds}; a certificate has {(STATEMENT, PREDICATE)}")
        if complaint:
            raise ValueError(complaint)
        if json.dumps(certificate.to_dict(), sort_keys=True) != json.dumps(values, sort_keys=True):
            raise ValueError(
                "the parts of the certificate contradict each other: `holds` follows from the"
                " verdicts, the theorems from the system"
            )
        return certificate

    @classmethod
    def _parsed(cls, values: Any) -> Certificate:
        [subject], predicate = values["subject"], values["predicate"]
        parts: dict[str, Any] = {name: predicate[name] for name in MEMBERS}
        parts |= {name: tuple(predicate[name]) for name in LISTS}
        verdicts = {name: verdict_of(said) for name, said in predicate["verdicts"].items()}
        return cls(subject["name"], subject["digest"]["sha256"], verdicts=verdicts, **parts)

    def _complaints(self) -> Iterator[str]:
        """Yield what keeps these parts, which come from a file, from being a certificate."""
        yield from self._of_verdicts()
        if type(self.seed) is not int or self.seed < 0:
            yield f"seed = {self.seed!r}: a seed must be an integer, at least 0"
        if not all(map(_is_field, self.fields)):
            yield "a field must be given by integers"
        if self.checker.keys() != {*CHECKER} or not all(
            type(version) is str and VERSION.fullmatch(version) for version in self.checker.values()
        ):
            stated = ", ".join(CHECKER)
            yield f"checker = {self.checker}: a certificate has the versions of {stated}"
        if not all(type(name) is str and _is_constant(of) for name, of in self.declared.items()):
            yield f"declared = {self.declared}: a program declares integers and strings"

    def _of_verdicts(self) -> Iterator[str]:
        system, names = system_of(self.declared), list(self.verdicts)
        words = [
            text
            for verdict in self.verdicts.values()
            for name, text in vars(verdict).items()
            if name not in NUMBERS
        ]
        convolves = system.convolves and names[-3:-2] == [MORE]
        wanted = {name for name in FIGURES if name == "ran" or not system.is_exact}
        wanted -= set() if convolves else {MORE}
        names = [name for name in names if name != MORE or not convolves]
        needed = list(system.verdicts)
        needed[-2:-2] = [BITS] * (self.declared.get("phases") == REPRODUCIBLE)
        ways = (way for way in WAYS.values() if way.name == self.declared.get("exchange"))
        needed[-2:-2] = [NODES for way in ways if way.of_nodes]
        if self.holds and names != needed:
            yield f"the verdicts {', '.join(names)} are not those of its transform"
        if not all(type(text) is str for text in (self.program, self.sha256, *words)):
            yield "name, digest, statements and evidence must be strings"
        if not all(map(_possible, self.verdicts.values())):
            yield "an error must be a probability, and a measured value at most its tolerance"
        if not all(_are_figures(name, of) for name, of in self.figures.items()):
            yield f"figures = {self.figures}: a certificate has {_figures_in_words()}"
        if self.holds and set(self.figures) != wanted:
            stated = ", ".join(self.figures)
            yield f"figures of {stated or 'no verdict'}: a certificate that holds has all"


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; raise ValueError where a name stands twice."""
    found = dict[str, Any]()
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name!r} occurs twice in one object, so its value is ambiguous")
        found[name] = value
    return found


def _is_field(values: Any) -> bool:
    return isinstance(values, dict) and all(type(value) is int for value in values.values())


def _are_figures(name: str, values: dict[str, Any]) -> bool:
    """Return whether these are a verdict's figures, by names, types and ranges."""
    kinds = FIGURES.get(name, {})
    return values.keys() == kinds.keys() != set() and all(
        0 <= value < 2**31 and type(value) is kinds[each] for each, value in values.items()
    )


def _figures_in_words() -> str:
    return "; ".join(
        f"{name}: {', '.join(f'{each} ({kind.__name__})' for each, kind in kinds.items())}"
        for name, kinds in FIGURES.items()
    )


def _is_constant(value: Any) -> bool:
    return type(value) in (int, str) or (
        isinstance(value, list | tuple) and all(type(entry) is int for entry in value)
    )


def _possible(verdict: Verdict) -> bool:
    """Return whether a verdict's figures can be: they come from a file."""
    figures: dict[str, Any] = vars(verdict)
    match verdict:
        case Checked():
            return type(figures["error"]) in (int, float) and 0 <= figures["error"] <= 1
        case Tested():
            return (
                all(type(figures[name]) in (int, float) for name in ("measured", "tolerance"))
                and 0 <= figures["measured"] <= figures["tolerance"] < 1
            )
    return True


def verdict_of(values: dict[str, Any]) -> Verdict:
    """Return a verdict from its JSON values."""
    return KINDS[values["verdict"]](
        **{name: value for name, value in values.items() if name != "verdict"}
    )
