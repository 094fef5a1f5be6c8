"""How a program is used in a run: plans made, transforms by them, plans freed, step by step.

    script = (Make | Do | Free)*

The checks write scripts, and an evaluation follows them (use.py); so do real ranks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from typing import Any

from proofs.certify.declaration import COMPILED, CONVOLVE, Declaration
from proofs.certify.plain_text import ordinal

ONE_NODE: tuple[int, ...] = ()
LAST_APART = (1,)
"""The nodes of ranks from the last one on, as many as are stated; the others are on node 0."""
GIVEN, PART, REVERSED = "given", "part", "reversed"
"""Communicators: of all ranks of the run; of all but its first, in reverse order but for the first
of them; of these in reverse order.
"""
AS_IT_IS, REUSED, RESULT, READ_ONLY, GAPS, GAPS_READ_ONLY, BACKWARDS, BACKWARDS_GAPS = (
    "side by side",
    "64-byte aligned, in an array that held another one",
    "in the array of the plan's last result",
    "read-only, 8 bytes past an address that is 64-byte aligned",
    "with gaps in memory",
    "with gaps, read-only",
    "that lies backwards in memory",
    "backwards with gaps",
)
OWN_READ_ONLY = "read-only, in an array of its own"
SHARED = "another array of the same memory"
LONG_LONG = "of C's long long, which has 64 bits as well"
FORMS = (
    *(AS_IT_IS, REUSED, READ_ONLY, OWN_READ_ONLY),
    *(GAPS, GAPS_READ_ONLY, BACKWARDS, BACKWARDS_GAPS),
)
"""How the elements of an input lie in memory, whatever went before."""
AXES = "whose axes are in another order in memory"
"""What an input with axes is, from the second transform of a rank on."""
MADE_OF = {
    OWN_READ_ONLY: (READ_ONLY,),
    GAPS_READ_ONLY: (READ_ONLY, GAPS),
    BACKWARDS_GAPS: (BACKWARDS, GAPS),
    AXES: (GAPS, BACKWARDS),
}
"""Forms that are refused where one of these is, and given as the other one."""
NO_OUT, OUT, PAST_OUT, SAME_OUT = (
    "a new array",
    "an array of the caller's, 64-byte aligned",
    "an array of the caller's, 8 bytes past such an address",
    "the array of the plan's last result",
)
"""What a transform is to write into."""
THIRD = "an array of the caller's as the third argument"
OWN_OUT = "an array of the caller's with its own memory"
OUTS = (OUT, PAST_OUT, THIRD)
"""What may be refused of `out`."""
INTO = (NO_OUT, OWN_OUT, *OUTS)
USES = tuple(product(FORMS, INTO))
"""Each form of x with each kind of `out`."""
USUAL = tuple(product([form for form in FORMS if form != OWN_READ_ONLY], (NO_OUT, OUT, THIRD)))
"""Those that a program tells apart which reads neither flags nor addresses."""
TRANSFORM = "transform"
"""What the trace calls the time of a transform."""
Slot = tuple[str, str]
"""An operation, and an argument of it: x stands for `out` as well."""
SLOTS: tuple[Slot, ...] = ((TRANSFORM, "x"), (CONVOLVE, "x"), (CONVOLVE, "y"))


@dataclass(frozen=True)
class Make:
    """Make the plan of this number, on this communicator."""

    plan: int
    where: str = GIVEN


@dataclass(frozen=True)
class Do:
    """Transform the vector of this number by this plan: in this form, `into` an array or not, which
    is named or the third argument; or convolve it with another vector.
    """

    plan: int
    vector: int
    form: str = AS_IT_IS
    into: str = NO_OUT
    named: bool = True
    other: int | None = None
    in_rows: bool = False
    """Whether axes are in the order of C, whichever transform this is."""
    turn: int = 0
    """Which other order of memory the axes have; 0: as many transforms as went before decide it."""
    other_form: str = AS_IT_IS
    """How the other vector lies in memory."""
    mixed: bool = False
    """Whether `out` is given on rank 0 alone, and the form is that of odd ranks alone."""
    alone: bool = False
    """Whether rank 0 alone has this form and `out`."""

    @property
    def given(self) -> tuple[int, ...]:
        """The numbers of its vectors."""
        return (self.vector,) if self.other is None else (self.vector, self.other)

    @property
    def operation(self) -> str:
        """The function of the program that does it."""
        return TRANSFORM if self.other is None else CONVOLVE


@dataclass(frozen=True)
class Free:
    """Free this plan."""

    plan: int


Step = Make | Do | Free
Script = tuple[Step, ...]

IN_ORDER: tuple[tuple[Any, ...], ...] = (
    (REUSED,),
    (REUSED, OUT),
    (GAPS_READ_ONLY, SAME_OUT),
    (BACKWARDS, PAST_OUT, False),
    (BACKWARDS_GAPS,),
    (READ_ONLY, OUT),
    (GAPS,),
    (RESULT,),
    (AS_IT_IS,),
)
"""How one plan is used, time after time: the form of the input, and what the result goes into."""

MIXED = (READ_ONLY, GAPS)
"""Those of these forms that some ranks alone have."""
ONCE: Script = (Make(0), Do(0, 0), Free(0))
IN_TURNS: Script = (
    *(Make(0), Make(1), Do(0, 0, into=OUT), Do(1, 1)),
    *(Do(1, 0, into=SAME_OUT, named=False), Free(1), Do(0, 1, RESULT), Free(0)),
)
ELSEWHERE: Script = (
    *(Make(2, PART), Free(2)),  # a plan without a transform has as much to give back
    *(Make(0, PART), Make(1, REVERSED), Do(0, 0), Do(1, 1), Free(1), Do(0, 2), Free(0)),
)
LEAST: tuple[Script, Script] = (
    (Make(0), Make(1), Do(0, 0, into=OUT), Do(1, 1), Free(1), Do(0, 2, RESULT), Free(0)),
    (Make(1, PART), Free(1), Make(0, REVERSED), Do(0, 0), Free(0)),
)
"""The two scripts for programs whose transforms take seconds each."""
VECTORS = 4
"""Inputs in turn: no transform has one of the three before it, or of the plan's two before it."""
PLANS, TRANSFORMS = 5, 9
FEW_PLANS, FEW_TRANSFORMS = 3, 5
"""Plans alive at once, and transforms by the first; few where each takes long."""
FEW_FROM_N, FEW_FROM_P = 2**16, 32
"""Above these sizes it does, and with kernels that are compiled."""
FEWEST_FROM_P = 128
"""Above this number of ranks four transforms by two plans are all."""
LEAST_FROM_N = 2**18
"""Above this size a program with compiled kernels makes four transforms, one by some ranks."""


def times(d: Declaration) -> tuple[int, int]:
    """Return how many plans are alive at once, and how many transforms the first of them does."""
    if d.P > FEWEST_FROM_P or _is_large(d):
        return 2, 2
    few = d.N > FEW_FROM_N or d.P > FEW_FROM_P or d.kernels in COMPILED
    return (FEW_PLANS, FEW_TRANSFORMS) if few else (PLANS, TRANSFORMS)


def _is_large(d: Declaration) -> bool:
    return d.N > LEAST_FROM_N and d.kernels in COMPILED


def together(d: Declaration) -> Script:
    """Return several plans that are alive at once, of which the first does many transforms.

    The second does one meanwhile. Then each does one when those before it are freed, and so do
    one that was made meanwhile, and one that is made when all are freed.
    """
    plans, transforms = times(d)
    steps = [Do(0, 0, *how) for how in IN_ORDER[:transforms]]
    first, *rest = (replace(step, mixed=step.form in MIXED) for step in steps)
    made = [Make(i) for i in range(plans + 1)]
    each = [
        step
        for i in range(1, plans + 1)
        for step in (Do(i, 0, RESULT if i == 1 else AS_IT_IS), Free(i))
    ]
    middle = (first, Do(1, 0), *rest, Free(0), made[plans], *each)
    return in_turn((*made[:plans], *middle, Make(0), Do(0, 0), Free(0)))


def in_turn(script: Script) -> Script:
    """Return a script whose transforms are given the vectors in turn.

    >>> vectors(in_turn(IN_TURNS))
    (0, 1, 2, 3)
    """
    number = count()
    return tuple(
        replace(step, vector=next(number) % VECTORS) if isinstance(step, Do) else step
        for step in script
    )


def given_into(step: Do, into: str) -> Do:
    """Return a transform into this kind of `out`."""
    return replace(step, into=OUT if into == THIRD else into, named=into != THIRD)


def without(
    script: Script, refused: Collection[str], x: Collection[str] = (), y: Collection[str] = ()
) -> Script:
    """Return a script in which others stand in place of these forms of x and kinds of `out`; in
    convolutions in place of these of x, and these forms of y.

    >>> without((Do(0, 1, GAPS_READ_ONLY), Do(0, 1, GAPS)), {GAPS, GAPS_READ_ONLY})[0].form
    'read-only, 8 bytes past an address that is 64-byte aligned'
    >>> without((Do(0, 1, into=PAST_OUT, named=False),), {THIRD, OUT})[0].into
    'a new array'
    """
    done = list[Step]()
    for step in script:
        match step:
            case Do(other=None):
                done.append(_without(step, refused))
            case Do():
                other_form = _taken(step.other_form, y)
                of_both = {*x, *y} if step.other == step.vector else x
                done.append(replace(_without(step, of_both), other_form=other_form))
            case _:
                done.append(step)
    return tuple(done)


def _taken(form: str, refused: Collection[str]) -> str:
    """Return a form, or one that is not refused in its place."""
    parts = MADE_OF.get(form, ()) if form in refused else (form,)
    return next((part for part in parts if part not in refused), AS_IT_IS)


def _without(step: Do, refused: Collection[str]) -> Do:
    form, into = _taken(step.form, refused), step.into
    if into != NO_OUT:
        into = OUT if into == PAST_OUT in refused else into
        into = NO_OUT if OUT in refused else into
    in_rows, turn = (True, 0) if AXES in refused else (step.in_rows, step.turn)
    named = step.named or THIRD in refused
    return replace(step, form=form, into=into, named=named, in_rows=in_rows, turn=turn)


def again(d: Declaration) -> tuple[Script, ...]:
    """Return the scripts of the contract."""
    return LEAST if _is_large(d) else (of_numbers(d), ELSEWHERE)


def of_numbers(d: Declaration) -> Script:
    """Return the script that ordinary numbers, or bytes, go through."""
    if _is_large(d):
        return LEAST[0]
    return in_turn(IN_TURNS) if d.P > FEWEST_FROM_P else together(d)


def said_of(d: Declaration) -> str:
    """Return these scripts in words."""
    plans, transforms = times(d)
    forms = "with inputs that are read-only, have gaps or run backwards"
    around = "all while messages of the caller are in transit"
    if _is_large(d):
        return (
            "three transforms: one by a plan, into the caller's array, one by another, and one by"
            " the first plan after the other is freed; one by a plan on some of the ranks, in"
            f" reverse order; {around}"
        )
    if d.P > FEWEST_FROM_P:
        return (
            "four transforms: one by a plan, two by another, the last into the caller's array, and"
            " one by the first plan after the other is freed; three by two plans on some of the"
            f" ranks, one of them with the ranks in reverse order; {around}"
        )
    return (
        f"{transforms} transforms by the first of {plans} plans, three of them into the caller's"
        f" array, {forms}; one by the second plan in between; one by each other plan, and by one"
        " made in between, after the plans before it are freed; one by a plan made after all are"
        " freed; three by two plans on some of the ranks, one of them with the ranks in reverse"
        f" order; {around}"
    )


def vectors(script: Sequence[Step]) -> tuple[int, ...]:
    """Return the number of the vector that each transform of a script is given.

    >>> vectors(IN_TURNS)
    (0, 1, 0, 1)
    """
    return tuple(step.vector for step in script if isinstance(step, Do))


PLACED = {PART: " on some of the ranks", REVERSED: " on ranks in reverse order"}


def use_of(script: Script, number: int, axes: int = 1) -> str:
    """Return how a plan is used in the transform of this number, from 0, in a script, of an x with
    so many axes.

    >>> use_of(IN_TURNS, 2)
    "the second by the second plan; `out` is the array of the plan's last result"
    """
    at = [i for i, each in enumerate(script) if isinstance(each, Do)][number]
    step = script[at]
    assert isinstance(step, Do)
    makes = [(i, each) for i, each in enumerate(script[:at]) if isinstance(each, Make)]
    which, (born, made) = [
        (k, make) for k, make in enumerate(makes, 1) if make[1].plan == step.plan
    ][-1]
    times = sum(isinstance(each, Do) and each.plan == step.plan for each in script[born : at + 1])
    plan = f"{ordinal(which)} plan{PLACED.get(made.where, '')}"
    words = [f"the {ordinal(times)} by the {plan}"]
    if step.other is not None:
        words += ["of a vector with itself"] * (step.other == step.vector)
        words += [f"y {step.other_form}"] * (step.other_form != AS_IT_IS)
    if step.form != AS_IT_IS:
        words.append(f"x {step.form}")
    turned = number and not step.in_rows and step.form in (AS_IT_IS, REUSED)
    if axes > 1 and (turned or step.turn):
        words.append(f"x {AXES}")
    if step.into != NO_OUT:
        words.append(f"`out` is {step.into}")
    words += ["these on some ranks alone"] * (step.mixed or step.alone)
    return "; ".join(words)
