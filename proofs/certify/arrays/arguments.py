"""Arguments of numpy's functions that a stand-in does not honour: refused by name, unless they
change nothing.

A stand-in honours the arguments that it names as numpy does. Any other is compared with what it may
be without an effect: its default, or a value of HARMLESS.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from proofs.certify.forbidden import Unmodelled

NO_VALUE = getattr(np, "_NoValue", None)
HARMLESS: dict[str, tuple[Any, ...]] = {
    "order": ("C",),
    "subok": (False, True),
    "like": (None,),
    "device": (None, "cpu"),
    "copy": (None,),
    "shape": (None,),
    "dtype": (None,),
    "casting": ("same_kind",),
    "where": (True, NO_VALUE),
    "initial": (None, NO_VALUE),
    "keepdims": (False, NO_VALUE),
    "out": (None, (None,)),
    "ndmin": (0,),
    "ndmax": (0, 64),
    "signature": (None,),
    "axes": (),
    "axis": (),
    "type": (),
    "max_work": (None,),
}
"""What an argument may be that a stand-in does not honour: the arrays that stand for data have no
subclasses, no masks, one device.
"""


def unhonoured(name: str, /, **given: Any) -> None:
    """Raise Unmodelled, with the name of the argument, unless each of these changes nothing."""
    for argument, value in given.items():
        if not _changes_nothing(argument, value):
            raise Unmodelled(f"{name} of elements with {argument}={_told(value)} is not modelled")


def _changes_nothing(argument: str, value: Any) -> bool:
    return any(
        value is harmless or (type(value) is type(harmless) and value == harmless)
        for harmless in HARMLESS.get(argument, ())
    )


def _told(value: Any) -> str:
    plain = isinstance(value, str | int | float | tuple | np.dtype | type) or value is None
    return repr(value) if plain else f"one of type {type(value).__name__}"


def taken(
    function: Callable[..., Any],
    rule: Callable[..., Any],
    name: str,
    args: Any,
    kwargs: Mapping[str, Any],
) -> Any:
    """Return what a rule makes of the arguments of numpy's function, whose names it has for those
    that it honours.

    Raises TypeError where numpy does, Unmodelled with the name of an argument that the rule does
    not honour.
    """
    of_numpy = signature_of(function)
    if of_numpy is None or _named(rule) is None:
        _bound_by_rule(rule, name, args, kwargs)
        return rule(*args, **kwargs)
    given, known = of_numpy.bind(*args, **kwargs).arguments, _named(rule) or ()
    for argument in given.keys() - known:
        if given[argument] is not of_numpy.parameters[argument].default:
            unhonoured(name, **{argument: given[argument]})
    return rule(**{argument: value for argument, value in given.items() if argument in known})


def _bound_by_rule(
    rule: Callable[..., Any], name: str, args: Any, kwargs: Mapping[str, Any]
) -> None:
    try:
        _own(rule).bind(*args, **kwargs)
    except TypeError as error:
        raise Unmodelled(
            f"{name} of elements is not modelled with these arguments: {error}"
        ) from error


@cache
def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """Return a numpy function's signature; None: not told, or it takes any number of arrays."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    anything = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return (
        None
        if any(parameter.kind in anything for parameter in found.parameters.values())
        else found
    )


@cache
def _own(rule: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(rule)


@cache
def _named(rule: Callable[..., Any]) -> frozenset[str] | None:
    """Return the arguments that a rule takes by name; None where it takes whatever it is given."""
    kinds = {parameter.kind for parameter in _own(rule).parameters.values()}
    return (
        None
        if kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
        else frozenset(_own(rule).parameters)
    )
