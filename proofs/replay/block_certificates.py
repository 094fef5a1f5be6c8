"""Certificates of what the smaller procedures prove: the parts of a derivation as JSON, and their
replay, which makes every part anew.

    certificate = {"name": ..., "statement": ..., "objects": [object, ...], "derivation": object number}
    object      = [kind, field, ...]      a field is a number, a text, {"object": number}, a list of these, or {"set": list}

A part checks itself when it is made, and a derivation that its parts follow from those before them.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from proofs.kernel import kernel_certificates
from proofs.kernel.kernel_certificates import Found
from proofs.kernel.sealed import Refused
from proofs.theorems.by_blocks import BlockTheorem, statement


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
            found = [
                type(thing).__name__,
                *(value(getattr(thing, field.name)) for field in fields(thing)),
            ]
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
    found: Found = kernel_certificates.refusing(_stated, text)
    return found


def _stated(text: dict[str, Any]) -> Found:
    found = kernel_certificates.derivation(text)
    if statement(found) != text["statement"]:
        raise Refused("something else is proved than is stated")
    return found
