"""Wrong programs that hid a count in results that functions keep or in NaN, and others on classes
and dicts; right neighbours.
"""

from __future__ import annotations

from tests.support.attacks import END, FIRST, MADE, PLACES, TYPES, Attack

IMPORTED = (FIRST, f"import functools\nimport math\n{FIRST}")
CHANGES = "not back and forth between two states"
NEXT = """    i = 0
    while {holder}.cur[0] is not box(i):
        i += 1
    {holder}.cur[0] = box(i + 1)
    out *= 1 + (i > 300)
"""
SIGNS = """    i = sum(math.copysign(1.0, each) < 0 for each in plan.bits)
    plan.bits = [math.copysign(math.nan, j - i - 0.5) for j in range(400)]
    out *= 1 + (i > 300)
"""
BOXES = "@functools.cache\ndef box(i):\n    return []"
HELD = "@functools.cache\ndef held(i):\n    return [box(i)]"
TABLE = """class Table:
    def __init__(self, n):
        self.roots = np.exp(-2j * np.pi * np.arange(n) / n)

    def part(self):
        return self.roots[:1]


@functools.cache
def table(n):
    return Table(n)"""
PAIRS = """def pair():
    @functools.lru_cache(maxsize=2)
    def box(i):
        return []

    return box


PAIRS = [pair() for _ in range(9)]"""
ORDERS = """    n = 0
    for b, box in enumerate(PAIRS):
        box(2)
        n += (plan.boxes[b][0] is box(0)) << b
    for b, box in enumerate(PAIRS):
        first = (n + 1) >> b & 1
        box(3), box(4)
        plan.boxes[b][first] = box(first)
        plan.boxes[b][1 - first] = box(1 - first)
    out *= 1 + (n > 300)
"""
CHILD = """class Base:
    def one(self):
        return 1


@dataclasses.dataclass(slots=True)
class Child(Base):
    value: int = 0

    def one(self):
        return super().one()"""
SLOTS = ((FIRST, f"import dataclasses\n{FIRST}"), (PLACES, f"\n\n{CHILD}\n{PLACES}"))
WRONG = {
    "super in a dataclass with slots": Attack(
        TYPES, (*SLOTS, (END, f"{END}    out *= Child().one()\n")),
        "undecided", "super() in a dataclass with slots, which Python makes anew",
    ),
    "a dict that grows in a loop": Attack(
        TYPES, ((END, f"{END}    d = {{0: 0}}\n    for k in d:\n        d[k + 1] = 0\n"),),
        "refuted", "RuntimeError: dictionary changed size during iteration (line ",
    ),
    "the order in which caches drop results": Attack(
        TYPES,
        (IMPORTED, (PLACES, f"\n\n{PAIRS}\n{PLACES}"),
         (MADE, f"{MADE}        self.boxes = [[box(0), box(1)] for box in PAIRS]\n"),
         (END, END + ORDERS)),
        "undecided", CHANGES,
    ),
    "a cache in a plan": Attack(
        TYPES,
        (IMPORTED, (MADE, f"{MADE}        self.box = functools.cache(lambda i: [0])\n"),
         (END, f"{END}    plan.box(0)[0] += 1\n    out *= 1 + (plan.box(0)[0] > 300)\n")),
        "undecided", CHANGES,
    ),
    "lists of a cache in a plan": Attack(
        TYPES,
        (IMPORTED, (PLACES, f"\n\n{BOXES}\n{PLACES}"),
         (MADE, f"{MADE}        self.cur = [box(0)]\n"), (END, END + NEXT.format(holder="plan"))),
        "undecided", CHANGES,
    ),
    "lists of a cache in the module": Attack(
        TYPES,
        (IMPORTED, (PLACES, f"\n\n{BOXES}\n\n\nclass Held:\n    cur = [box(0)]\n{PLACES}"),
         (END, END + NEXT.format(holder="Held"))),
        "undecided", CHANGES,
    ),
    "lists of a cache in another": Attack(
        TYPES,
        (IMPORTED,
         (PLACES, f"\n\n{BOXES}\n\n\n{HELD}\n{PLACES}"),
         (END, END + NEXT.replace("{holder}.cur", "held(0)"))),
        "undecided", CHANGES,
    ),
    "signs of NaN": Attack(
        TYPES,
        (IMPORTED, (MADE, f"{MADE}        self.bits = [math.nan] * 400\n"), (END, END + SIGNS)),
        "undecided", CHANGES,
    ),
    "a call of all ranks in a cached function": Attack(
        TYPES,
        (IMPORTED,
         (PLACES, f"\n\n@functools.cache\ndef meet(plan):\n    plan.own.Barrier()\n{PLACES}"),
         (END, f"{END}    meet(plan)\n")),
        "undecided", "a function that keeps its results changes something else",
    ),
}  # fmt: skip
"""Wrong programs."""
RIGHT = {
    "another attribute than the slots of a class whose base has none": Attack(
        TYPES,
        (*SLOTS, (END, f"{END}    child = Child()\n    child.other = 1\n    out *= child.other\n")),
        "holds", "",
    ),
    "a class with the name of a constant": Attack(
        TYPES,
        ((PLACES, f"\n\nclass A:\n    one = 1.0\n{PLACES}"), (END, f"{END}    out *= A.one\n")),
        "holds", "",
    ),
    "an object that a function keeps": Attack(
        TYPES,
        (IMPORTED, (PLACES, f"\n\n{TABLE}\n{PLACES}"),
         (END, f"{END}    out *= table(4).part()\n")),
        "holds", "",
    ),
    "more numbers than a cache keeps": Attack(
        TYPES,
        (IMPORTED,
         (PLACES, f"\n\n@functools.lru_cache(4)\ndef one(k):\n    return 1.0\n{PLACES}"),
         (MADE, f"{MADE}        self.one = [one(k) for k in range(6)]\n"),
         (END, f"{END}    out *= [one(k) for k in range(7)][3]\n")),
        "holds", "",
    ),
    "a table that a cache of a plan keeps": Attack(
        TYPES,
        (IMPORTED, (MADE, f"{MADE}        self.ones = functools.lru_cache(np.ones)\n"),
         (END, f"{END}    out *= plan.ones(1)\n")),
        "holds", "",
    ),
}  # fmt: skip
"""Right neighbours."""
