"""Certificates of what the smaller procedures prove: the parts of a derivation as JSON, and their replay, which makes every part anew.

    certificate = {"name": ..., "statement": ..., "objects": [object, ...], "derivation": object number}
    object      = [kind, field, ...]      a field is a number, a text, {"object": number}, a list of these, or {"set": list}

A part checks itself when it is made, and a derivation that its parts follow from those before them.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from proofs.blocks import Equation, Letter, Matrix, Refused, Relation, Sum
from proofs.columns import Assumed, Case, Chain, Derivation, Elimination, Fibres, Invertible, Obtained, SameSize
from proofs.divisions import Division, Local
from proofs.terms import Nat
from proofs.theorems.smaller import BlockTheorem, Found, statement

KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *(Letter, Sum, Relation, Matrix, Equation, Nat, Division, Local),
        *(Assumed, Case, Chain, Derivation, Elimination, Fibres, Invertible, Obtained, SameSize),
    )
}


def certificate(name: str, theorem: BlockTheorem) -> dict[str, Any]:
    """Return the certificate of a theorem."""
    objects: list[Any] = []
    known: dict[Any, int] = {}

    def value(thing: Any) -> Any:
        if isinstance(thing, frozenset):
            return {"set": [value(x) for x in sorted(thing, key=repr)]}
        if isinstance(thing, tuple):
            return [value(x) for x in thing]
        if not is_dataclass(thing):
            return thing
        if thing not in known:
            found = [type(thing).__name__, *(value(getattr(thing, field.name)) for field in fields(thing))]
            known[thing] = len(objects)
            objects.append(found)
        return {"object": known[thing]}

    proof = theorem.proof()
    found = value(proof)
    return {"name": name, "statement": statement(proof), "objects": objects, "derivation": found}


def replay(text: dict[str, Any]) -> Found:
    """Return the derivation of a certificate, every part made again.

    Raises Refused where a part does not follow, or where something else is proved than is stated.
    """
    objects: list[Any] = []

    def value(thing: Any) -> Any:
        if isinstance(thing, list):
            return tuple(value(x) for x in thing)
        if not isinstance(thing, dict):
            return thing
        ((kind, inner),) = thing.items()
        if kind == "set":
            return frozenset(value(x) for x in inner)
        if kind != "object" or type(inner) is not int or not 0 <= inner < len(objects):
            raise Refused(f"{inner} is not the number of an earlier object")
        return objects[inner]

    try:
        for kind, *parts in text["objects"]:
            objects.append(KINDS[kind](*(value(x) for x in parts)))
        found = value(text["derivation"])
        if not isinstance(found, Derivation) and not (isinstance(found, tuple) and all(isinstance(x, Division | Local) for x in found) and found):
            raise Refused("a certificate ends with a derivation")
        if statement(found) != text["statement"]:
            raise Refused("something else is proved than is stated")
    except Refused:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise Refused(f"no certificate: {type(error).__name__} {error}") from error
    return found
