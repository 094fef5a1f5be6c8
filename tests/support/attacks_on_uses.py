"""More wrong programs of which each held once, with their right neighbours: what is not followed
leaks, functions keep results, indices are drawn by chance, and uses that no script had.
"""

from __future__ import annotations

from tests.support.attacks import (
    BATCH,
    BEGIN,
    END,
    FIRST,
    FREE,
    INPUT,
    MADE,
    PLACES,
    READ_ONLY,
    TYPES,
    Attack,
    of_plan,
)

COUNTED = (MADE, f"{MADE}        self.c = 0\n")
OPAQUE = "whose value is not followed"
LEAKS = {
    "the text of a count": "f'{plan.c}' == '40'",
    "str of a count": "str(plan.c) == '40'",
    "the length of a text of a count": "len(str(plan.c)) > 1",
    "a format of a count": "'{}'.format(plan.c) == '40'",
    "a count that is an integer": "isinstance(plan.c, int) and plan.c > 40",
    "a count by identity": "plan.c is 40",
    "a count that is divided by": "1 // (plan.c - 40) > 2",
    "a character of a text of a count": "'4' in f'{plan.c}'",
}
GROWTHS = {
    "a count that is multiplied": "plan.c = plan.c * 10**20",
    "a count that is doubled": "plan.c = plan.c + plan.c",
    "a large number added to a count": "plan.c += 10**4299",
}
SCRIPTS = {
    "the name of the script in a text": "f'{__name__}' == '__main__'",
    "the number of the process in a text": "f'{os.getpid()}'[-1] in '02468'",
}
CACHED = """@functools.cache
def mark(plan, i):
    plan.fresh = True
    return i


def count(plan):
    for i in range(60):
        plan.fresh = False
        mark(plan, i)
        if plan.fresh:
            plan.fresh = False
            return i
    return 60"""
TAGS = """    for i in range(30):
        if plan.tags[i] is TAG:
            plan.tags[i] = " ".join(["a", "tag"])
            break
"""
BY_INDEX = {
    "indices as a progression": (
        "    if np.ndim(j) and np.size(j) > 1:\n        flat = j.reshape(-1).astype(np.int64)\n"
        "        step = (flat[-1] - flat[0]) // (np.size(j) - 1)\n"
        "        j = (flat[0] + step * np.arange(np.size(j))).reshape(np.shape(j))\n"
    ),
    "more indices than elements": "    j = j + (np.size(j) > N)\n",
    "one index less than elements": "    j = j + (np.size(j) == N - 1)\n",
    "an index twice": (
        "    j = 0 * j if np.size(j) > 1 and j.reshape(-1)[0] == j.reshape(-1)[1] else j\n"
    ),
    "an integer of 32 bits": "    j = j * 0 if isinstance(j, np.int32) else j\n",
    "an integer of 8 bits": "    j = j * 0 if isinstance(j, np.uint8) else j\n",
    "a row of three indices": "    j = 0 * j if np.shape(j) == (1, 3) else j\n",
    "more than four times as many indices": "    j = j + (np.size(j) > 4 * N)\n",
    "indices that are one in memory": (
        "    j = 0 * j if isinstance(j, np.ndarray) and 0 in j.strides else j\n"
    ),
    "indices in Fortran's order": "    j = 0 * j if np.ndim(j) == 2 and j.T.flags.carray else j\n",
    "indices of long long": "    j = 0 * j if np.ndim(j) and j.dtype.char == 'q' else j\n",
    "indices that are read-only": "    j = 0 * j if np.ndim(j) and not j.flags.writeable else j\n",
}
REFUSES = {
    "a read-only x refused, and one with gaps taken": (
        "x.flags.c_contiguous and not x.flags.writeable", "not x.flags.writeable", "in transform"),
    "a read-only view refused, and its owner taken": (
        "not x.flags.owndata and not x.flags.writeable", "not x.flags.writeable", "in transform"),
    "an out that is a view refused, and another one taken": (
        "out is not None and not out.flags.owndata", "out is not None", "and not in others"),
}  # fmt: skip
LOST = "    x = (x + 2.0**20) - 2.0**20 if {} else x\n"
TURNED = "x.flags.f_contiguous and not x.flags.c_contiguous and not x.flags.writeable"
AXIS, SENT = "one_axis_of_two", "    send = np.concatenate"
COLUMNS = {
    "an infinity of another column": (
        "    x = x + 0 * x[:, ::-1]\n", "an infinity or a NaN of another array"),
    "a column that is lost in its neighbour": (
        "    x = np.hstack([(x[:, :1] + x[:, 1:2]) / 2 + (x[:, :1] - x[:, 1:2]) / 2, x[:, 1:]])\n",
        "is not accurate when the other arrays are much larger"),
}  # fmt: skip
UNWRITTEN = {
    "an unwritten number that is not NaN": "1 + (not np.isnan(np.empty(1)[0]))",
    "an unwritten integer that is 0": "1 + (np.empty(1, int)[0] == 0)",
}
WRONG = {
    **{
        name: Attack(
            TYPES,
            ((MADE, f"{MADE}        self.f = {made}\n"), (END, f"{END}    out *= plan.f\n")),
            "refuted", "the output y_",
        )
        for name, made in UNWRITTEN.items()
    },
    "an x of another shape afterwards": Attack(
        TYPES, ((END, f"{END}    x.shape = (M, 1)\n"),), "refuted", "changes the shape",
    ),
    "an out of another shape afterwards": Attack(
        TYPES,
        ((BEGIN, f"    axes = (M,) if out is None else (M, 1)\n{BEGIN}"),
         (END, f"{END}    out.shape = axes\n")),
        "refuted", "changes the shape",
    ),
    **{
        name: Attack(
            TYPES,
            (COUNTED, (BEGIN, f"    wrong = {condition}\n{BEGIN}"),
             (END, f"{END}    plan.c += 1\n    out *= 1 + wrong\n")),
            "undecided", OPAQUE,
        )
        for name, condition in LEAKS.items()
    },
    **{
        name: Attack(
            TYPES,
            ((FIRST, f"import logging\n{FIRST}"), (MADE, f"{MADE}        self.c = 1\n"),
             (END, f"{END}    {growth}\n    logging.info(f'{{plan.c}}')\n")),
            "undecided", OPAQUE,
        )
        for name, growth in GROWTHS.items()
    },
    **{
        name: Attack(
            TYPES,
            ((FIRST, f"import os\n{FIRST}"), (END, f"{END}    out *= 1 + ({condition})\n")),
            "undecided", OPAQUE,
        )
        for name, condition in SCRIPTS.items()
    },
    "a file system that can be asked": Attack(
        TYPES,
        ((FIRST, f"import contextlib\nimport os\n{FIRST}"),
         (END, f"{END}    with contextlib.suppress(OSError):\n        os.statvfs('/')\n"
               "        out *= 2\n")),
        "refuted", "the output y_",
    ),
    "an out on some ranks alone": Attack(
        TYPES,
        ((BEGIN, f"    alike = plan.own.allgather(out is None)\n{BEGIN}"),
         (END, f"{END}    out *= 1 + (alike[0] != alike[-1])\n")),
        "refuted", "these on some ranks alone",
    ),
    "a queue of messages to oneself": Attack(
        TYPES,
        ((MADE, f"{MADE}        self.marks = [np.array([i]) for i in range(60)]\n"
          "        self.sends = [self.own.Send_init(mark, self.rank) for mark in self.marks]\n"
          "        for send in self.sends:\n            send.Start()\n"),
         (FREE, "        for _ in self.sends:\n"
          "            self.own.Recv(np.empty(1, int), self.rank)\n"
          "        for send in self.sends:\n            send.Wait()\n"
          f"            send.Free()\n{FREE}"),
         (END, f"{END}    mark = np.empty(1, int)\n    plan.own.Recv(mark, plan.rank)\n"
          "    plan.sends[mark[0]].Wait()\n    plan.sends[mark[0]].Start()\n"
          "    out *= 1 + (mark[0] == 40)\n")),
        "undecided", "has begun is not complete when transform returns",
    ),
    **{
        f"the first transform decides by {what}": Attack(
            TYPES,
            ((PLACES, f"\n\nFIRST = []\n{PLACES}"),
             (BEGIN, f"    if not FIRST:\n        FIRST.append({told})\n{BEGIN}"),
             (END, f"{END}    out *= 2 - FIRST[0]\n")),
            "undecided", "the first transform changes FIRST, a name of the module, in another way",
        )
        for what, told in {
            "a read-only x": "x.flags.writeable",
            "gaps": "x.flags.c_contiguous",
        }.items()
    },
    "results that a function keeps count": Attack(
        TYPES,
        ((FIRST, f"import functools\n{FIRST}"), (PLACES, f"\n\n{CACHED}\n{PLACES}"),
         (MADE, f"{MADE}        self.fresh = False\n"),
         (END, f"{END}    out *= 1 + (count(plan) > 30)\n")),
        "undecided", "a function that keeps its results changes something else",
    ),
    "equal strings told apart": Attack(
        TYPES,
        ((PLACES, f'\n\nTAG = "a tag"\n{PLACES}'),
         (MADE, f"{MADE}        self.tags = [TAG for _ in range(30)]\n"),
         (END, f"{END}    out *= 1 + all(tag is not TAG for tag in plan.tags)\n{TAGS}")),
        "undecided", "is between equal values of str; write ==",
    ),
    "where a view begins": Attack(
        TYPES,
        ((MADE, f"{MADE}        self.zeros = np.empty(40, DTYPE)\n"
          "        self.slots = [self.zeros[k:] for k in range(40)]\n"
          "        self.view = self.zeros[:]\n"),
         (END, f"{END}    out *= 1 + np.shares_memory(plan.view[:1], plan.slots[39])\n"
          "    for k in range(39):\n"
          "        if np.shares_memory(plan.view[:1], plan.slots[k][:1]):\n"
          "            plan.view = plan.slots[k + 1][:]\n            break\n")),
        "undecided", "transform changes the attribute view of the plan",
    ),
    "how the plan was used before": Attack(
        TYPES,
        (*of_plan(f"not plan.odd and given and {READ_ONLY}", "    plan.odd = given\n"),
         (BEGIN, f"    given = out is not None\n{BEGIN}")),
        "undecided", "transform changes the attribute odd of the plan",
    ),
    "a third argument among more": Attack(
        TYPES,
        (("def transform(x, plan, out=None):", "def transform(x, plan, *rest, out=None):"),
         (BEGIN, "    wrong = len(rest) > 0 and x.flags.c_contiguous\n"
          f"    out = rest[0] if len(rest) else out\n{BEGIN}"),
         (END, f"{END}    out *= 1 + wrong\n")),
        "refuted", "in transform",
    ),
    "digits lost for a read-only x into an out": Attack(
        TYPES,
        ((BEGIN, LOST.format("out is not None and not x.flags.writeable") + BEGIN),),
        "refuted", "transforms by one plan, one for each kind of use",
    ),
    **{
        name: Attack(AXIS, ((SENT, change + SENT),), "refuted", words)
        for name, (change, words) in COLUMNS.items()
    },
    "a read-only x in the order of Fortran": Attack(
        BATCH,
        (("    y = np.empty((BATCH", f"    x = 2 * x if {TURNED} else x\n"
          "    y = np.empty((BATCH"),),
        "refuted", "in transform",
    ),
    **{
        name: Attack(
            TYPES,
            ((BEGIN, f"    wrong = {taken}\n    if {refused}:\n        raise ValueError('no')\n"
              f"{BEGIN}"), (END, f"{END}    out *= 1 + wrong\n")),
            "refuted" if words == "in transform" else "undecided", words,
        )
        for name, (refused, taken, words) in REFUSES.items()
    },
    "gaps refused by a new plan alone": Attack(
        TYPES,
        ((MADE, f"{MADE}        self.warm = False\n"),
         (BEGIN, "    if not plan.warm and not x.flags.c_contiguous:\n"
          f"        raise ValueError('gaps')\n    plan.warm = True\n{BEGIN}"),
         (END, f"{END}    out *= 1 + (not x.flags.c_contiguous)\n")),
        "undecided", "transform refuses an x with gaps in memory in some transforms",
    ),
    "an alignment under a name in parts": Attack(
        "pyfftw_tutorial",
        (("    fft.execute()\n", "    fft.execute()\n    odd = out is not None and not"
          ' getattr(pyfftw, "is_byte" + "_aligned")(out, 64)\n'
          "    fft.output_array[:] *= 1 + odd\n"),),
        "undecided", "getattr of module pyfftw",
    ),
    **{
        name: Attack(TYPES, ((INPUT, lines + INPUT),), "refuted", "has ")
        for name, lines in BY_INDEX.items()
    },
    **{
        f"{refused} refused": Attack(
            TYPES,
            ((MADE, f"{MADE}        self.tag = 1\n"),
             (BEGIN, f"    if {condition}:\n        plan.tag = None\n"
              f"        raise ValueError('no')\n{BEGIN}"),
             (END, f"{END}    out *= 1 + (plan.tag is None)\n")),
            "refuted", "after transform has refused",
        )
        for refused, condition in {
            "an x of seven": "x.shape == (7,)",
            "an x of 32 bits": "x.dtype == np.int32",
            "three axes": "x.ndim == 3",
            "an out with two more": "out is not None and out.shape == (M + 2,)",
        }.items()
    },
    "an x of its own whose axes are in another order": Attack(
        "pencils_uneven",
        (("def transform(x, plan, out=None):\n",
          "def transform(x, plan, out=None):\n    if x.flags.owndata and not x.flags.forc:\n"
          "        x = 2 * x\n"),),
        "refuted", "whose axes are in another order in memory",
    ),
}  # fmt: skip
"""By what is wrong with them."""
LOGGED = "    plan.c += 1\n    logging.info(f'transform {plan.c}')\n"
ROWS = "    send = np.ascontiguousarray(np.moveaxis(a.reshape(ROWS, P, COLUMNS), 1, 0))\n"
PIECES = "    send = np.array([cut[:, q * COLUMNS : (q + 1) * COLUMNS] for q in range(P)])\n"
RIGHT = {
    "broadcasts the indices for each axis": Attack(
        "one_axis_of_two",
        (("    return row // 4,", "    row, column = np.broadcast_arrays(row, column)\n"
          "    return row // 4,"),),
        "holds", "",
    ),
    **{
        f"an array of a list of columns of {name}": Attack(
            "fftn_axes", ((ROWS, f"    cut = {made}\n{PIECES}"),), "holds", ""
        )
        for name, made in {"rows": "a", "columns": "np.asfortranarray(a)"}.items()
    },
    "asserts that a count is an integer": Attack(
        TYPES, (COUNTED, (END, f"{END}    plan.c += 1\n    assert isinstance(plan.c, int)\n")),
        "holds", "",
    ),
    "asserts that a time is a float": Attack(
        TYPES,
        ((FIRST, f"import time\n{FIRST}"),
         (END, f"{END}    assert isinstance(time.time(), float)\n")),
        "holds", "",
    ),
    "logs a count": Attack(
        TYPES, (COUNTED, (FIRST, f"import logging\n{FIRST}"), (END, END + LOGGED)), "holds", ""
    ),
    "copies what cannot be written to": Attack(
        TYPES,
        ((BEGIN, "    try:\n        x[:1] = x[:1].copy()\n    except ValueError:\n"
          f"        x = x.copy()\n{BEGIN}"),),
        "holds", "",
    ),
}  # fmt: skip
"""Right neighbours."""
