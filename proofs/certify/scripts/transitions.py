"""The states of a plan from call to call: whether a script shows all that later calls can meet; and
the results that functions keep, which stay as they are.

A call may change what a plan keeps when it comes first, and back and forth between two states from
then on. In each state that calls have left each of them has to be made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

CHANGES = (
    "{} changes {}, so a later call may behave differently; a call may only switch a plan between"
    " two states, or count in an int or a float"
)
State = tuple[Any, ...]
Change = tuple[State, State]


class Transition(NamedTuple):
    """A call, and what the plan keeps before and after."""

    call: str
    before: State
    after: State


class Transitions:
    """The calls of one plan, which is made in this state."""

    def __init__(self, state: State) -> None:
        self.state, self.steps = state, list[Transition]()

    def masked(self, mask: Callable[[State], State]) -> None:
        """Replace each state by what the mask makes of it."""
        self.state = mask(self.state)
        self.steps = [Transition(call, mask(one), mask(two)) for call, one, two in self.steps]

    def surprise(self, call: str, state: State) -> Change | None:
        """Return the states that a call makes differ that may go on so, None where there are none:
        a later change that is not one back, or one that depends on more than the state.
        """
        step, known = Transition(call, self.state, state), self.steps
        again = any(each.call == call for each in known)
        goes_back = any((each.after, each.before) == step[1:] for each in known)
        if step.before != state and again and not goes_back:
            return step.before, state
        others = (each.after for each in known if each[:2] == step[:2] and each.after != state)
        return next(((after, state) for after in others), None)

    def add(self, call: str, state: State) -> None:
        """Note a call and the state after it."""
        self.steps.append(Transition(call, self.state, state))
        self.state = state

    @property
    def untried(self) -> Transition | None:
        """A call that leaves a state in which another one was not made; None where there is none,
        or where a call was made once at most.
        """
        calls, tried = Counter(each.call for each in self.steps), [each[:2] for each in self.steps]
        if len(calls) < 2 or min(calls.values()) < 2:
            return None
        pairs = ((step, call) for step in self.steps for call in calls)
        return next((step for step, call in pairs if (call, step.after) not in tried), None)


class Results:
    """The results that functions keep, with functools.cache, each with its number and its form."""

    def __init__(self) -> None:
        self.forms = dict[tuple[int, Any], tuple[int, Any, State]]()
        self.orders, self.left = dict[int, State](), dict[tuple[int, str], State]()

    def masked(self, mask: Callable[[State], State]) -> None:
        """Replace each form by what the mask makes of it."""
        found = self.forms.items()
        self.forms = {at: (number, cache, mask(form)) for at, (number, cache, form) in found}

    def differ(
        self,
        call: str,
        caches: list[Any],
        told: Callable[[Any, int], State],
        mask: Callable[[State], State] = tuple,
    ) -> bool:
        """Note the results in caches; return whether one is another one than before, but for what a
        mask hides. More of them only save time. `told` returns the form of a result of this number,
        and may add caches to which it leads. The first results come first, so that those that are
        added renumber none.
        """
        done, same = 0, True
        while done < len(caches):
            new, done = caches[done:], len(caches)
            entries = [((id(each), key), each, y) for each in new for key, y in each.found.items()]
            entries.sort(key=lambda entry: self.forms.get(entry[0], (len(self.forms),))[0])
            for at, cache, result in entries:
                number = self.forms[at][0] if at in self.forms else len(self.forms)
                form = told(result, number)
                same &= at not in self.forms or mask(self.forms[at][2]) == mask(form)
                self.forms[at] = number, cache, form
        return not (same and all(self._ordered(call, cache) for cache in caches))

    def _ordered(self, call: str, cache: Any) -> bool:
        """Return whether a call leaves the results of a cache in the order in which it found them,
        or has left them before. In a full one, the order decides which is dropped next.
        """
        if not cache.most or len(cache.found) < cache.most:
            return True
        order = tuple(self.forms[id(cache), key][0] for key in cache.found)
        was, self.orders[id(cache)] = self.orders.get(id(cache)), order
        return order == was or self.left.setdefault((id(cache), call), order) == order
