"""Wrong programs of which each held once, and right neighbours: programs by hand with a few words
changed, told apart by rules of the certifier.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.by_hand import right

TYPES, BATCH, WINDOW, FFTW = "checked_types", "batched", "shared_window", "pyfftw_tutorial"
END = '    out[:] = np.fft.ifft(half, norm="forward")\n'
FIRST = "import numpy as np\n"
PLACES = "\n\ndef input_place"
INPUT = "    return j // M, j % M\n"
FREE = "        self.own.Free()\n"
MADE = "        self.rank = comm.rank\n"
BEGIN = "    usable(x, "
COPIED = "    fft.input_array[:] = x\n"


@dataclass(frozen=True)
class Attack:
    """A program by hand with changes: `words` are in the reason why it is refuted, or undecided."""

    name: str
    changes: tuple[tuple[str, str], ...]
    fate: str
    words: str

    @property
    def source(self) -> str:
        """The program."""
        source = right(self.name)
        for old, new in self.changes:
            assert old in source, f"{self.name} has no {old!r}"
            source = source.replace(old, new, 1)
        return source


def late(defined: str, condition: str, first: str = "") -> tuple[tuple[str, str], ...]:
    """Return changes that double a result on a condition, about a name at the top."""
    then = f"{END}{first}    if {condition}:\n        out *= 2\n"
    return (FIRST, f"import functools\nimport itertools\n{FIRST}"), (
        PLACES, f"\n\n{defined}\n{PLACES}"), (END, then)  # fmt: skip


def of_plan(condition: str, after: str) -> tuple[tuple[str, str], ...]:
    """Return changes that double a result on a condition, about an attribute of the plan."""
    return (MADE, f"{MADE}        self.odd = False\n"), (
        END, f"{END}    if {condition}:\n        out *= 2\n{after}")  # fmt: skip


FLIP = "    plan.odd = not plan.odd\n"
READ_ONLY = "not x.flags.writeable and x.flags.c_contiguous"
CHANGES, KEEPS = "may only switch a plan between two states", "the program keeps a "
KEPT = {
    "an iterator": (*late("TICKS = iter(range(10**6))", "next(TICKS) > 40"), KEEPS),
    "an enumeration": (*late("TICKS = enumerate('a' * 999)", "next(TICKS)[0] > 40"), KEEPS),
    "two iterators": (*late("TICKS = zip(range(999))", "next(TICKS)[0] > 40"), KEEPS),
    "a map": (*late("TICKS = map(abs, range(999))", "next(TICKS) > 40"), KEEPS),
    "a generator": (*late("TICKS = (n for n in range(999))", "next(TICKS) > 40"), KEEPS),
    "a chain": (*late("TICKS = itertools.chain(range(999))", "next(TICKS) > 40"), KEEPS),
    "an array's iterator": (*late("TICKS = np.arange(999).flat", "next(TICKS) > 40"), KEEPS),
    "a reversed range": (*late("TICKS = reversed(range(999))", "next(TICKS) < 950"), KEEPS),
    "the values of a dict": (
        *late("BOX = {0: [0]}.values()", "[b.append(1) or len(b) for b in BOX][0] > 40"), KEEPS,
    ),
    "a bound method": (*late("TAKE = list(range(999)[::-1]).pop", "TAKE() > 40"), CHANGES),
    "arguments of an exception": (
        *late("E = ValueError([])", "len(E.args[0]) > 40", "    E.args[0].append(1)\n"), CHANGES,
    ),
    "a part of a slice": (
        *late("CUT = slice(np.zeros(2000, int), 1)", "CUT.start[1000] > 40",
              "    CUT.start[1000] += 1\n"), CHANGES,
    ),
    "a partial function": (
        *late("def up(n):\n    n.append(1)\n    return len(n)\n\n\nUP = functools.partial(up, [])",
              "UP() > 40"), CHANGES,
    ),
    "a default of a static method": (
        *late("class Box:\n    @staticmethod\n    def up(n=[]):\n        n.append(1)\n"
              "        return len(n)\n", "Box.up() > 40"), CHANGES,
    ),
    "a default of a cached function": (
        *late("@functools.lru_cache(maxsize=0)\ndef up(n=[]):\n    n.append(1)\n    return len(n)",
              "up() > 40"), "a function that keeps its results changes something else",
    ),
}  # fmt: skip
"""Counters of transforms in what was not looked at, with words of the reason."""
REGISTER = (
    ("M * DTYPE.itemsize, DTYPE", "2 * M * DTYPE.itemsize, DTYPE"),
    (
        "        self.roots =",
        "        late = self.window.tomemory()\n"
        "        self.late = np.ndarray(buffer=late, dtype=DTYPE, shape=2 * M)[M:]\n"
        "        self.late[:] = 1\n        self.late[-1] = 2\n        self.roots =",
    ),
    ("    if out is None:\n",
     "    late = plan.late\n    late[:] = np.concatenate([late[1:], late[:1]])\n"
     "    y = y * late[0]\n    if out is None:\n"),
)  # fmt: skip
MIXED = (
    "    x = np.stack([(x[0] + x[1]) / 2 + (x[0] - x[1]) / 2, x[1], x[2]])\n    y = np.empty((BATCH"
)
TOUCHED = "even, odd = plan.parts[0, b], plan.parts[1, b] + 0 * plan.parts[1, 0]"
ALIGNED = "    if pyfftw.is_byte_aligned(x, 16):\n        fft.input_array[:] = x\n"
GIVEN = "out is not None"
PAIRS = {
    "an x and an out of their own": f"{GIVEN} and out.flags.owndata and x.flags.owndata",
    "a read-only x of its own": "x.flags.owndata and not x.flags.writeable",
    "a read-only x and an out": f"{GIVEN} and {READ_ONLY}",
    "a read-only x and a view as out": f"{GIVEN} and {READ_ONLY} and not out.flags.owndata",
    "gaps in a read-only x and no out": "out is None and not (x.flags.forc or x.flags.writeable)",
}
"""Forms of x and kinds of `out` that are wrong together."""
COUNTS = "{0: 0, 1: 0}, {0: False, 1: False}"
MANY = "{i: 0 for i in range(61)}, {i: False for i in range(61)}"
CHAIN = """    for i in range(60):
        if not D[i] and C[i] == 1:
            D[i], C[i], C[i + 1] = True, 2, 1
            break
        if not D[i]:
            C[i] = 1
            break
"""
FIRST_AGAIN = """    if plan.d[0] and not plan.d[1]:
        out[...] = plan.first
        plan.d[1], plan.c[1], plan.first = True, 2, None
    elif not plan.d[0] and plan.c[0] == 1:
        plan.d[0], plan.c[0], plan.c[1] = True, 2, 1
    elif not plan.d[0]:
        plan.c[0], plan.first = 1, out
"""
LATE = """    now = y.copy()
    if plan.old:
        y = mine[2 * M :].copy()
    elif plan.count == 1:
        plan.old = True
    mine[2 * M :] = mine[M : 2 * M]
    mine[M : 2 * M] = now
    plan.count += 1
"""
TWO_AGO = (
    ("M * DTYPE.itemsize, DTYPE", "3 * M * DTYPE.itemsize, DTYPE"),
    ("shape=(M,)) for", "shape=(3 * M,)) for"),
    ("        self.roots =", "        self.count, self.old = 0, False\n        self.roots ="),
    ("    plan.parts[plan.rank][:] =", "    mine = plan.parts[plan.rank]\n    mine[:M] ="),
    ("even, odd = plan.parts\n", "even, odd = plan.parts[0][:M], plan.parts[1][:M]\n"),
)
OLD_IN_WINDOW = (
    ("M * DTYPE.itemsize, DTYPE", "2 * M * DTYPE.itemsize, DTYPE"),
    ("shape=(M,)) for", "shape=(2 * M,)) for"),
    ("        self.roots =", "        self.parts[self.rank][M:] = 0\n        self.roots ="),
    ("    plan.parts[plan.rank][:] =", "    mine = plan.parts[plan.rank]\n    mine[:M] ="),
    ("even, odd = plan.parts\n", "even, odd = plan.parts[0][:M], plan.parts[1][:M]\n"),
    ("    if out is None:\n", "    y = y + 0 * mine[M:]\n    mine[M:] = x\n    if out is None:\n"),
)
F_ORDERED = "    x = 2 * x if x.flags.owndata and not x.flags.c_contiguous else x\n"
RECIPROCAL = (
    "    if np.ndim(j) == 0:\n        return int((j + (j == 31)) * (1 / M) + 1 / 64), j % M\n"
)
WRONG = {
    **{
        f"counts in {name}": Attack(TYPES, tuple(changes), "undecided", words)
        for name, (*changes, words) in KEPT.items()
    },
    "counts in a window": Attack(WINDOW, REGISTER, "undecided", CHANGES),
    "alternates, and one form is wrong": Attack(
        TYPES, of_plan(f"plan.odd and {READ_ONLY}", FLIP), "refuted", ""
    ),
    "alternates, and it is wrong in the other state": Attack(
        TYPES, of_plan(f"not plan.odd and {READ_ONLY}", FLIP), "refuted", "three transforms by each"
    ),
    "its first transform takes no array backwards": Attack(
        TYPES,
        of_plan("not plan.odd and not x.flags.c_contiguous", "    plan.odd = True\n"),
        "refuted",
        "three transforms by each",
    ),
    "the third transform returns the first result": Attack(
        TYPES,
        ((MADE, f"{MADE}        self.c, self.d = {COUNTS}\n"), (END, END + FIRST_AGAIN)),
        "undecided", CHANGES,
    ),
    "a flag of the module that a count hides": Attack(
        TYPES, late(f"C, D = {MANY}", "D[59]", CHAIN), "undecided", CHANGES
    ),
    "the result of two transforms ago, in a window": Attack(
        WINDOW,
        (*TWO_AGO, ("    if out is None:\n", f"{LATE}    if out is None:\n")),
        "undecided", CHANGES,
    ),
    "an infinity in an earlier result": Attack(
        TYPES,
        ((MADE, f"{MADE}        self.first = None\n"),
         (END, f"{END}    out += 0 if plan.first is None else 0 * plan.first\n"
               "    plan.first = out if plan.first is None else plan.first\n")),
        "refuted", "",
    ),
    "an infinity in an earlier input": Attack(
        TYPES,
        ((MADE, f"{MADE}        self.first = None\n"),
         (END, f"{END}    out += 0 if plan.first is None else 0 * plan.first\n"
               "    plan.first = x if plan.first is None else plan.first\n")),
        "refuted", "",
    ),
    "an infinity in an earlier input, in a window": Attack(WINDOW, OLD_IN_WINDOW, "refuted", ""),
    "an infinity in an earlier input, in an array of the module": Attack(
        TYPES,
        ((PLACES, f"\n\nOLD = np.zeros(M, DTYPE)\n{PLACES}"),
         (END, f"{END}    out += 0 * OLD\n    OLD[:] = x\n")),
        "refuted", "",
    ),
    "an x of its own in Fortran's order": Attack(
        BATCH,
        (("    y = np.empty((BATCH", f"{F_ORDERED}    y = np.empty((BATCH"),),
        "refuted", "in transform",
    ),
    "a view as out that begins on a line": Attack(
        FFTW,
        (("    fft.execute()\n",
          "    fft.execute()\n    odd = out is not None and not out.flags.owndata\n"
          "    fft.output_array[:] *= 1 + (odd and pyfftw.is_byte_aligned(out, 64))\n"),),
        "refuted", "in transform",
    ),
    "an x that owns its memory": Attack(
        TYPES, ((END, f"{END}    if x.flags.owndata:\n        out *= 2\n"),), "refuted", "y_0"
    ),
    **{
        f"{name} at once": Attack(
            TYPES,
            ((BEGIN, f"    wrong = {condition}\n{BEGIN}"), (END, f"{END}    out *= 1 + wrong\n")),
            "refuted", "in transform",
        )
        for name, condition in PAIRS.items()
    },
    "an out that owns its memory": Attack(
        TYPES,
        ((BEGIN, f"    own = out is not None and out.flags.owndata\n{BEGIN}"),
         (END, f"{END}    out *= 1 + own\n")),
        "refuted", "in transform",
    ),
    "a plan without a transform is not freed": Attack(
        TYPES,
        (*of_plan("False", "    plan.odd = True\n"),
         (FREE, "        if self.odd:\n            self.own.Free()\n")),
        "refuted", "resource leak",
    ),
    "a window without a transform is not freed": Attack(
        WINDOW,
        (("        self.roots =", "        self.used = False\n        self.roots ="),
         ("        self.window.Free()\n",
          "        if self.used:\n            self.window.Free()\n"),
         ("    if out is None:\n", "    plan.used = True\n    if out is None:\n")),
        "refuted", "resource leak",
    ),
    "an x past a line is not copied": Attack(FFTW, ((COPIED, ALIGNED),), "refuted", ""),
    "an out past a line is another one": Attack(
        FFTW,
        (("plan.recv[0]\n    out", "plan.recv[int(not pyfftw.is_byte_aligned(out))]\n    out"),),
        "refuted", "in transform",
    ),
    "a small array beside a large one": Attack(
        BATCH, (("    y = np.empty((BATCH", MIXED),), "refuted", "arrays are much larger"
    ),
    "an infinity touches another array": Attack(
        BATCH,
        (("even, odd = plan.parts[0, b], plan.parts[1, b]", TOUCHED),),
        "refuted", "of another array of the batch",
    ),
    "NaN are hidden": Attack(
        TYPES, ((END, f"{END}    if np.isnan(x).any():\n        out[:] = 0\n"),),
        "refuted", "is finite",
    ),
    "an impulse overflows on its way": Attack(
        TYPES,
        ((END, f"{END}    out /= 4096\n"), ("ifft(half, ", "ifft(half * 4096, ")),
        "refuted", "overflows",
    ),
    "truth values that nobody has written": Attack(
        TYPES, ((END, f"{END}    out[~np.empty(M, bool)] = 0\n"),),
        "undecided", "np.zeros(.., bool)",
    ),
    "three indices": Attack(
        TYPES, ((INPUT, f"    j = j + (np.size(j) == 3)\n{INPUT}"),), "refuted", "in short arrays"
    ),
    "three axes": Attack(
        TYPES, ((INPUT, f"    j = j + (np.ndim(j) == 3)\n{INPUT}"),), "refuted", "of three axes"
    ),
    "the order of Fortran": Attack(
        TYPES,
        ((INPUT,
          f"    if np.ndim(j) > 1:\n        j = j.ravel(order='K').reshape(j.shape)\n{INPUT}"),),
        "refuted", "in Fortran's order",
    ),
    "five axes": Attack(
        TYPES, ((INPUT, f"    j = j + (np.ndim(j) == 5)\n{INPUT}"),), "refuted", "of 5 axes"
    ),
    "more axes": Attack(
        TYPES, ((INPUT, f"    j = j + (np.ndim(j) > 40)\n{INPUT}"),), "refuted", "of 41 axes"
    ),
    "no index": Attack(
        TYPES, ((INPUT, f"    1 // np.size(j)\n{INPUT}"),), "refuted", "ZeroDivisionError"
    ),
    "a reciprocal at one index": Attack(
        TYPES,
        ((INPUT, RECIPROCAL + INPUT),),
        "refuted",
        "input_place of an array without an axis has other places",
    ),
}  # fmt: skip
"""By what is wrong with them."""
RIGHT = {
    "swaps two buffers": Attack(
        TYPES,
        ((MADE, f"{MADE}        self.spare = np.empty(M, DTYPE)\n"),
         (END, f"{END}    plan.work, plan.spare = plan.spare, plan.work\n")),
        "holds", "",
    ),
    "copies what is read-only": Attack(
        TYPES,
        ((BEGIN, f"    x = x if x.flags.writeable or not x.flags.owndata else x.copy()\n{BEGIN}"),),
        "holds", "",
    ),
    "counts, and alternates": Attack(
        TYPES,
        of_plan("False", f"{FLIP}    plan.total += 1\n")
        + (("        self.odd =", "        self.total = 0\n        self.odd ="),),
        "holds", "",
    ),
    "counts beside a window": Attack(
        WINDOW,
        (*TWO_AGO, ("    if out is None:\n", "    plan.count += 1\n    if out is None:\n")),
        "holds", "",
    ),
    "keeps a bound method": Attack(
        TYPES,
        ((MADE, f"{MADE}        self.exchange = self.own.Sendrecv\n"),
         ("plan.own.Sendrecv(", "plan.exchange(")),
        "holds", "",
    ),
    "frees what it has": Attack(
        TYPES, ((FREE, f"        if self.own:\n    {FREE}"),), "holds", ""
    ),
    "copies what is past a line": Attack(
        FFTW,
        ((COPIED, f"{ALIGNED}    else:\n        fft.input_array[:] = np.array(x)\n"),), "holds", "",
    ),
    "calls a plan of FFTW with another array": Attack(
        FFTW,
        ((f"{COPIED}    fft.execute()\n", "    fft(np.array(x), fft.output_array)\n"),),
        "holds", "",
    ),
    "scales by powers of two": Attack(
        BATCH, (("even, odd = plan.parts[0, b], plan.parts[1, b]",
                 "even, odd = plan.parts[:, b] / 8 * 8"),), "holds", "",
    ),
    "refuses NaN": Attack(
        TYPES, ((BEGIN, f"    if np.isnan(x).any():\n        raise ValueError('NaN')\n{BEGIN}"),),
        "holds", "",
    ),
    "truth values that are written": Attack(
        TYPES, ((END, f"{END}    out[np.zeros(M, bool)] = 0\n"),), "holds", ""
    ),
    "one index by itself": Attack(
        TYPES,
        ((INPUT, f"    if np.ndim(j) == 0:\n        return int(j) // M, int(j) % M\n{INPUT}"),),
        "holds", "",
    ),
}  # fmt: skip
"""Right neighbours."""
