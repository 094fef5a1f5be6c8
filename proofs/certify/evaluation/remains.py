"""What transforms of a program leave behind on a rank: nothing by which a later one could tell what
came before.

Elements that an earlier transform has left in memory that the program keeps become unwritten, so
that whatever depends on them has no value. Ordinary values may be left by the first transform, or
alternate between two states from then on: of these, both are run.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import numpy as np

from proofs.certify.evaluation import fftw
from proofs.certify.evaluation.evaluated_source import line_of_change
from proofs.certify.evaluation.forms import digest_of
from proofs.certify.evaluation.ranks import Ranks
from proofs.certify.exact.data import Data
from proofs.certify.exact.items import gap, owner
from proofs.certify.exact.space import DEGREE, UNWRITTEN, spoil
from proofs.certify.language.table_entries import Operation, Undecided
from proofs.certify.language.tables.builtins import BUILTINS
from proofs.certify.language.tables.kinds import WithState
from proofs.certify.language.tables.record_classes import Field
from proofs.certify.language.tables.standard import Cache
from proofs.certify.language.values.classes import Class, Object, is_made
from proofs.certify.language.values.counts import Counts, Number, in_slot, masked
from proofs.certify.language.values.function_values import (
    UNBOUND,
    Bound,
    ContextMaker,
    Function,
    Method,
    Namespace,
    Native,
    Null,
    Property,
    State,
    Static,
    Suppress,
)
from proofs.certify.language.values.opaque import Opaque
from proofs.certify.rounds.memory import Address
from proofs.certify.scripts.transitions import Transitions
from proofs.certify.world.communicator import Comm, NullComm
from proofs.certify.world.memory.message_buffers import Datatype, InPlace
from proofs.certify.world.message_requests import Request
from proofs.certify.world.reductions import Op
from proofs.certify.world.windows import Memory, Window

COUNTS = (
    "{} changes {}, so a later call may behave differently; a call may only switch a plan between"
    " two states, or count in an int or a float"
)
Form = tuple[Any, ...]
Told = tuple[Any, list[Any]]
"""What is told of a thing by itself, and what it leads to."""
Met = dict[int, tuple[int, list[Any]]]
"""The number of each thing, by its id, and what it leads to, which keeps the ids apart."""


class Made(int):
    """The address of a thing that each run makes anew."""


class Remains:
    """What a program keeps on one rank, step by step."""

    def __init__(self, state: State, world: Ranks) -> None:
        self.state, self.world, self.rank = state, world, world.current
        state.told = form_of
        self.module: Form | None = None
        self.warm = set[str]()
        self.plans: dict[int, Transitions] = {}
        self.counts = Counts()
        self.results: dict[tuple[int, Any], tuple[Cache, Form]] = {}

    def planned(self, plan: Any) -> None:
        """Note what is kept when a plan is made; raise Undecided where plans can be counted."""
        met = self._module("plan", self.module is None)
        self._mask(plan)
        self.plans[id(plan)] = Transitions(form_of([plan], None, met))

    def transformed(self, plan: Any, of_caller: Container[int], call: str = "transform") -> None:
        """Spoil what a call has left, and note what it keeps; raise Undecided where the next may
        tell from it. `of_caller` has the ids of the memory that the caller has.
        """
        self.world.demand_complete("transform")
        space = self.world.space
        assert space is not None
        shared = (each.data for window in self.world.windows for each in window.segments)
        windows = {id(owner(data.items)) for data in shared if data is not None}
        for array in self.world.alive(self.rank):
            if id(array) not in of_caller and id(array) not in windows:
                spoil(array, space)
        self._mask(plan)
        module, calls = self.module, self.plans[id(plan)]
        met = self._module(call, call not in self.warm)
        self.world.module_changes |= module != self.module
        self.warm.add(call)
        of_module, found = [*met], form_of([plan], None, met)
        self.world.plans_change |= calls.state != found
        if changes := calls.surprise(call, found):
            raise self._counts(call, *changed_name(*changes, plan, of_module))
        calls.add(call, found)

    def _mask(self, plan: Any) -> None:
        """Make counts opaque, in what is noted as well: all else is compared as before."""
        if not (opened := self.counts.opened([self.state, plan])):
            return
        self.module = self.module and masked(self.module, opened)
        for calls in self.plans.values():
            calls.masked(lambda form: masked(form, opened))
        found = self.results.items()
        self.results = {key: (cache, masked(form, opened)) for key, (cache, form) in found}

    def freed(self, plan: Any) -> None:
        """Forget a plan; raise Undecided where the module knows that it was freed, or one of its
        operations was not called in a state in which another one has left it.
        """
        met = self._module("free", False)
        if step := self.plans.pop(id(plan)).untried:
            raise self._counts(step.call, *changed_name(step.before, step.after, plan, met))

    def _module(self, call: str, first: bool) -> Met:
        """Note what the module keeps, and return what it leads to."""
        found = form_of([self.state], caches := list[Cache](), met := Met())
        if self.module is not None and found != self.module and not first:
            raise self._counts(call, *changed_name(self.module, found, self.state))
        self.module = found
        self._cached(call, caches)
        return met

    def _cached(self, call: str, caches: list[Cache]) -> None:
        """Raise Undecided where a result that a function keeps is another one; more of them only
        save time.
        """
        for cache in caches:
            for key, result in cache.found.items():
                found = form_of([result], caches)
                if self.results.setdefault((id(cache), key), (cache, found))[1] != found:
                    raise self._counts(call)

    def _counts(self, call: str, path: Sequence[str] = (), of_plan: bool = False) -> Undecided:
        """Return that a call changes what is kept under a name, with the line where it does."""
        line = line_of_change(self.world.text.text, path, of_plan) if path else None
        return Undecided(COUNTS.format(call, in_words(path, of_plan)), line)


def in_words(path: Sequence[str], of_plan: bool) -> str:
    """Return what a name of a module or of a plan is called, with its attributes."""
    name = ".".join(path)
    if not path:
        return "the state of the program"
    if of_plan:
        return f"the attribute {name} of the plan"
    return f"{name}, a name of the module" if len(path) == 1 else f"the attribute {name}"


EQUAL = frozenset((bool, int, str, bytes, type(None)))
"""Types of values that are the same where they are equal."""
BY_TEXT = frozenset((float, complex, range))
"""Types of those that are where their texts are."""
LASTING = (
    *(np.finfo, np.iinfo, Operation, type(Ellipsis)),
    *(NullComm, Memory, Datatype, InPlace, Op, Address),
)
"""Types of values that no program can change, or of which it reads nothing that it has changed."""


def form_of(
    roots: Iterable[Any], caches: list[Cache] | None = None, met: Met | None = None
) -> Form:
    """Return what values lead to, in a form that two states have in common only if no program can
    tell them apart, but by what functions keep of their results: these are added to `caches`. What
    is in `met`, told by an earlier form of the same state, has only its number here; the rest is
    added.
    """
    entries, left = list[Any](), list(roots)[::-1]
    met = Met() if met is None else met
    try:
        while left:
            thing = left.pop()
            kind = type(thing)
            if kind in EQUAL:
                entries.append((kind, thing))
            elif kind in BY_TEXT and thing == thing:  # NaN is the same where it is one object
                entries.append((kind, repr(thing)))
            elif kind is Number:
                entries.append(thing)
            elif (key := id(thing)) in met:
                entries.append(met[key][0])
            else:
                if caches is not None and kind is Native and isinstance(thing.function, Cache):
                    caches.append(thing.function)
                own, parts = told(thing)
                met[key] = len(met), parts
                entries.append((object if is_made(kind) else kind, own))
                left += parts[::-1]
    except Undecided as unknown:
        raise Undecided(f"{unknown.words}{_under(entries)}") from None
    return tuple(entries)


def _under(entries: list[Any]) -> str:
    """Return under which name the value after these entries of a form is kept."""
    strings = [each[1] for each in entries if isinstance(each, tuple) and each[0] is str]
    return f", under the name {strings[-1]}" if strings else ""


def changed_name(
    before: Form, now: Form, root: Any, apart: Iterable[int] = ()
) -> tuple[tuple[str, ...], bool]:
    """Return the name, with the attributes of it, under which the first difference between a form
    of a plan or a module and the one that it has now is, and whether it is a name of the plan; no
    name where that is not known. `apart` has the ids of what the form only numbers.
    """
    pairs = enumerate(zip(before, now, strict=False))
    more = len(before) * (len(now) > len(before))
    sizes = (State, dict)  # whose entries say how many names, or keys, there are
    changed = (i for i, (a, b) in pairs if a != b and not (type(b) is tuple and b[0] in sizes))
    left = [(root, isinstance(root, dict), tuple[str, ...]())]
    path, known = tuple[str, ...](), dict[int, Any].fromkeys(apart)
    for _ in range(next(changed, more) + 1):
        thing, has_names, path = left.pop()
        if type(thing) in {*EQUAL, *BY_TEXT, Number} or id(thing) in known:
            continue
        known[id(thing)] = thing
        parts, owns = told(thing)[1], isinstance(thing, Object | Class)
        named = [(*path, str(key)) for key in parts[::2] for _ in "kv"] if has_names else None
        pairs_of = zip(parts, named or [path] * len(parts), strict=True)
        left += [(part, owns and part is parts[1], path_of) for part, path_of in pairs_of][::-1]
    return path, not isinstance(root, State)


def told(thing: Any) -> Told:
    """Return what is told of a thing.

    Raises:
        Undecided: if it may keep what no rule here tells: an iterator knows how far it is.
    """
    kind = type(thing)
    if kind not in TOLD:  # where it is entered as it is found
        lasting = _itself if kind is object or issubclass(kind, LASTING) else None
        found = next((TOLD[each] for each in kind.__mro__[:-1] if each in TOLD), lasting)
        if found is None:
            raise Undecided(f"the program keeps a {kind.__name__}, whose state is unknown")
        TOLD[kind] = found
    own, parts = TOLD[kind](thing)
    return own, [*parts, kind] if is_made(kind) else parts


def _itself(thing: Any) -> Told:
    is_shared = isinstance(thing, Operation) and not isinstance(thing, WithState)
    return id(thing) if is_shared else Made(id(thing)), []


def _of_type(kind: Any) -> Told:
    """Return what is told of a class; programs make some of exceptions and of named tuples."""
    if not is_made(kind):
        return id(kind), []
    own = {key: each for key, each in vars(kind).items() if isinstance(each, Function | Property)}
    fields = getattr(kind, "_fields", ()), getattr(kind, "_field_defaults", {})
    return (Made(id(kind)), kind.__name__, fields[0]), [*kind.__bases__, fields[1], own]


def _of_array(array: Any) -> Told:
    dtype = array.dtype  # of which equal ones may have two codes
    lies = array.strides, array.flags.num, gap(array)
    own = Made(id(array)), dtype, dtype.char, array.shape, *lies, digest_of(array)
    return own, [array.base] * isinstance(array.base, np.ndarray)  # a program reads `base`


def _of_data(data: Data) -> Told:
    """Return what is told of exact data: constants among them, not what earlier transforms left."""
    items, numbers, space = data.items, data.numbers, data.space
    left = numbers[..., DEGREE] > 0 if space.recognizer else numbers[..., 0] >= 0
    kept = np.where(left[..., None], UNWRITTEN, numbers[..., : space.stimuli])
    own = Made(id(owner(items))), data.dtype, data.dtype.char, data.shape, data.writeable
    return (*own, items.strides, items.flags.num, gap(items), digest_of(kept)), []


def _of_items(values: Sequence[Any]) -> Told:
    """Return what is told of a list or a tuple: where all items are the same as equal ones, they
    themselves.
    """
    kinds = tuple(map(type, values))
    if EQUAL.issuperset(kinds):
        return (kinds, tuple(values)), []
    return len(values), list(values)


def _of_dict(values: dict[Any, Any]) -> Told:
    pairs = values.items()
    return len(values), [part for key, each in pairs for part in (key, in_slot(values, key, each))]


def _of_state(state: State) -> Told:
    """Return what is told of a module: of names that have Python's values that it has them."""
    own = [pair for pair in state.items() if pair[1] is not BUILTINS.get(pair[0], UNBOUND)]
    return tuple(state), [part for key, each in own for part in (key, in_slot(state, key, each))]


def _of_function(function: Function) -> Told:
    outer = [function.outer] * (function.outer is not None)
    return id(function.code), [*function.defaults, *function.keyword_defaults.values(), *outer]


def _leading_to(*names: str) -> Callable[[Any], Told]:
    """Return what tells of a thing which it is, and that it leads to these attributes."""
    return lambda thing: (Made(id(thing)), [getattr(thing, name) for name in names])


TOLD: dict[type, Callable[[Any], Told]] = {
    type: _of_type,
    Opaque: lambda opaque: (opaque.told, []),
    **dict.fromkeys((np.generic, float, complex), lambda number: (repr(number), [])),
    np.dtype: lambda dtype: ((Made(id(dtype)), dtype.char, dtype), []),
    Namespace: lambda names: ((Made(id(names)), names.name), []),
    np.ndarray: _of_array,
    Data: _of_data,
    list: _of_items,
    tuple: _of_items,
    State: _of_state,
    dict: _of_dict,
    BaseException: _leading_to("args"),
    slice: lambda cut: ((), [cut.start, cut.stop, cut.step]),
    Object: lambda thing: (Made(id(thing)), [thing.kind, thing.names]),
    Class: lambda kind: (
        (Made(id(kind)), kind.name, kind.frozen, kind.slots),
        [kind.base, kind.names, kind.fields],
    ),
    Function: _of_function,
    Native: _leading_to("parts"),
    Method: lambda method: ((), [method.function, method.owner]),
    Bound: lambda method: (_itself(method.operation)[0], [method.owner]),
    Property: _leading_to("read"),
    **dict.fromkeys((Static, ContextMaker), _leading_to("function")),
    Field: _leading_to("default", "factory", "shown", "compared", "given"),
    Null: _leading_to("value"),
    Suppress: _leading_to("kinds"),
    **dict.fromkeys((Comm, Request), lambda thing: ((Made(id(thing)), bool(thing)), [])),
    Window: lambda window: ((Made(id(window)), bool(window)), [window.mine]),
    fftw.Plan: _leading_to("arrays"),
}
"""What is told of things of a type, and of those derived from it."""
