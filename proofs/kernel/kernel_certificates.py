"""Certificates read and done again, step by step. Trusted; standard library and the other trusted
files only.

A file is read strictly: no number with a point, no key twice, no set with an element twice, nothing
beyond LARGEST bytes, and a regular file only. proofs/replay/certificate_steps.py and
proofs/replay/block_certificates.py state the form of certificates, and write them.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any, NoReturn

from proofs.blocks.block_matrices import Equation, Letter, Matrix, Relation, Sum
from proofs.blocks.column_induction import Case, Elimination, Obtained
from proofs.blocks.columns import Assumed, Chain, Derivation, Fibres, Invertible, SameSize
from proofs.blocks.divisions import Division, Local
from proofs.kernel.kernel_rules import RULES, Hypothesis, Thm
from proofs.kernel.numbers import Digit, Dim, Member, Nat, Poly, Real, Sequence
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import KINDS, Term

LARGEST = 2**26
"""The most bytes of certificates; the largest theorem of the papers has a fiftieth of that."""
Found = Derivation | tuple[Division | Local, ...]
TERMS: dict[str, Any] = {kind.__name__: kind for kind in (Digit, Real, Sequence, Member, *KINDS)}
PARTS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *(Letter, Sum, Relation, Matrix, Equation, Nat, Division, Local),
        *(Assumed, Case, Chain, Derivation, Elimination, Fibres, Invertible, Obtained, SameSize),
    )
}
STEP = ("rule", "premises", "left", "right", "hypotheses")
"""What a step has."""


class BadInput(ValueError):
    """A file that is none of certificates."""


def read(file: str) -> Any:
    """Return the strict JSON in a file; raise BadInput where it is not regular, or too large."""
    try:
        descriptor = os.open(Path(file), os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as opened:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BadInput("it is not a regular file")
            text = opened.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise BadInput(f"it has more than {LARGEST} bytes")
        return json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_once,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except BadInput:
        raise
    except OSError as error:
        raise BadInput(error.strerror or "it cannot be read") from error
    except RecursionError as error:
        raise BadInput("it is nested too deeply") from error
    except ValueError as error:
        raise BadInput(f"it is not valid JSON: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise BadInput("an object has a key twice")
    return dict(pairs)


def _no_number(text: str) -> NoReturn:
    raise BadInput(f"{text:.20} is not an integer")


def certificates(text: Any) -> list[dict[str, Any]]:
    """Return the certificates of a file, one or a list; raise BadInput where it has none."""
    found = (
        text["certificates"]
        if isinstance(text, dict) and text.keys() == {"certificates"}
        else [text]
    )
    if not isinstance(found, list) or not found:
        raise BadInput("there is no certificate in it")
    for one in found:
        if not isinstance(one, dict) or not (
            {"objects", "steps", "theorem"} <= one.keys() or {"objects", "derivation"} <= one.keys()
        ):
            raise BadInput("there is something in it that is not a certificate")
    return found


def refusing(make: Callable[[dict[str, Any]], Any], text: dict[str, Any]) -> Any:
    """Return what is made of a certificate; raise Refused for whatever keeps it from being made."""
    try:
        return make(text)
    except Refused:
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        TypeError,
        ValueError,
        RecursionError,
    ) as error:
        raise Refused(f"no certificate: {type(error).__name__} {error}") from error


def theorem(text: dict[str, Any]) -> Thm:
    """Return the theorem of a certificate, every step done again by the kernel."""
    found: Thm = earlier(steps_of(text), text["theorem"])
    return found


def steps_of(text: dict[str, Any]) -> list[Thm]:
    """Return the theorems of all steps; raise Refused where one proves another than it says."""
    objects: list[Any] = []
    steps: list[Thm] = []

    def value(thing: Any) -> Any:
        if isinstance(thing, dict):
            ((kind, number),) = thing.items()
            return earlier({"object": objects, "step": steps}[kind], number)
        return tuple(value(x) for x in thing) if isinstance(thing, list) else thing

    for number, (kind, *fields) in enumerate(text["objects"]):
        with _refused(f"object {number}", f"it is not a {kind!a:.40} of its {len(fields)} fields"):
            objects.append(_made(kind, [value(x) for x in fields]))
    for number, step in enumerate(text["steps"]):
        if missing := [key for key in STEP if key not in step]:
            raise Refused(f"step {number} has no {', '.join(missing)}")
        found = _applied(number, step["rule"], [value(x) for x in step["premises"]])
        hypotheses = frozenset(
            Hypothesis(value(left), value(right), frozenset(general))
            for left, right, general in step["hypotheses"]
        )
        if (found.left, found.right, found.hypotheses) != (
            value(step["left"]),
            value(step["right"]),
            hypotheses,
        ):
            raise Refused(f"step {number} ({step['rule']}) proves something else than it says")
        steps.append(found)
    return steps


def _applied(number: int, name: Any, premises: list[Any]) -> Thm:
    """Return what a rule makes of premises; raise Refused where it makes nothing."""
    if type(name) is not str or name not in RULES:
        raise Refused(
            f"step {number}: {name!a:.40} is not a rule; the rules are {', '.join(RULES)}"
        )
    rule = RULES[name]
    takes = ", ".join(signature(rule).parameters)
    there = f"{len(premises)} premise{'s' * (len(premises) != 1)}"
    with _refused(f"step {number} ({name})", f"{name}({takes}) does not apply to its {there}"):
        if name == "instantiate":
            of, pairs = premises
            return rule(of, **dict(distinct(pairs, key=lambda pair: pair[0])))
        return rule(*premises)


@contextmanager
def _refused(where: str, why: str) -> Iterator[None]:
    """Have refusals say where, and refuse what is of another kind or number."""
    try:
        yield
    except Refused as error:
        raise Refused(f"{where}: {error}") from error
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise Refused(f"{where}: {why}") from error


def earlier(made_so_far: list[Any], number: int) -> Any:
    """Return an object or a step that was made before."""
    if type(number) is not int or not 0 <= number < len(made_so_far):
        raise Refused(f"{number} is not the number of an earlier object or step")
    return made_so_far[number]


def distinct(things: Iterable[Any], key: Callable[[Any], Any] = lambda thing: thing) -> list[Any]:
    """Return things as a list; raise Refused where two are the same."""
    found = list(things)
    if len({key(thing) for thing in found}) != len(found):
        raise Refused("what stands in a set stands there once")
    return found


def _made(
    kind: str, fields: list[Any]
) -> Term | Nat | Dim | Poly | Digit | Real | Sequence | Member:
    """Return a size, phase or term of this kind."""
    match kind:
        case "Nat":
            return Nat(frozenset(distinct(fields[0])))
        case "Dim":
            return Dim(frozenset(distinct(fields[0])))
        case "Poly":
            return Poly(
                frozenset(((dim, atoms), _rational(c)) for dim, atoms, c in distinct(fields[0]))
            )
    return TERMS[kind](*fields)


def _rational(text: str) -> Fraction:
    """Return a rational number, 3 or -1/2; Fraction reads 1e1000000000, too, without end."""
    if not re.fullmatch(r"-?[0-9]{1,400}(/[0-9]{1,400})?", text):
        raise Refused(f"{text:.20} is not a rational number")
    return Fraction(text)


def derivation(text: dict[str, Any]) -> Found:
    """Return the derivation or divisions of a block certificate, every part made again."""
    objects: list[Any] = []

    def value(thing: Any) -> Any:
        if isinstance(thing, list):
            return tuple(value(x) for x in thing)
        if not isinstance(thing, dict):
            return thing
        ((kind, inner),) = thing.items()
        return (
            frozenset(distinct(value(x) for x in inner))
            if kind == "set"
            else earlier({"object": objects}[kind], inner)
        )

    for kind, *fields in text["objects"]:
        objects.append(PARTS[kind](*(value(x) for x in fields)))
    found = value(text["derivation"])
    if type(found) is Derivation or (
        type(found) is tuple and found and all(type(part) in (Division, Local) for part in found)
    ):
        return found
    raise Refused("a certificate ends with a derivation")
