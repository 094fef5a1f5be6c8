"""Functions of programs whose ranks have unequal parts."""

from __future__ import annotations

import math

import numpy as np

from codegen.emit.verbatim.given import INPUT_DTYPE, INPUT_LAYOUT, INPUT_SHAPE, OUTPUT_DTYPE, OUTPUT_LAYOUT, OUTPUT_SHAPE, P, Plan


def block(n, p):
    """Return where each of p parts of n elements begins, and n: parts of ceil(n / p) elements, the last ones less or none."""
    return np.minimum(np.arange(p + 1) * -(-n // p), n)


def balanced(n, p):
    """Return where each of p parts of n elements begins, and n: the first n mod p parts have one element more."""
    return np.arange(p + 1) * (n // p) + np.minimum(np.arange(p + 1), n % p)


def slices(layout, rank):
    """Return the slice of each axis that a rank has."""
    found = []
    for divided, n, p, stride in layout:
        first, stop = divided(n, p)[rank // stride % p :][:2].tolist()
        found.append(slice(first, stop))
    return tuple(found)


def shape_of(layout, rank):
    """Return the shape of a rank's part."""
    return tuple(part.stop - part.start for part in slices(layout, rank))


def place(layout, j):
    """Return the (rank, offset) of the element with the flat index j."""
    rank, offset, size = j * 0, j * 0, math.prod(n for _, n, _, _ in layout)
    for divided, n, p, stride in layout:
        starts, size = divided(n, p), size // n
        index = j // size % n
        i = np.searchsorted(starts, index, side="right") - 1
        rank, offset = rank + i * stride, offset * (starts[i + 1] - starts[i]) + index - starts[i]
    return rank, offset


def index(layout, rank, o):
    """Return the flat index of the element at offset o on the given rank."""
    j, size = o * 0, 1
    for (_, n, _, _), part in zip(layout[::-1], slices(layout, rank)[::-1]):
        count = max(part.stop - part.start, 1)
        j, o, size = j + (part.start + o % count) * size, o // count, size * n
    return j


def flat(shape, *indices):
    """Return flat indices as int64, from flat indices or one index per axis; raise ValueError if one is out of range."""
    if len(indices) not in (1, len(shape)):
        raise ValueError(f"{len(indices)} indices: give one flat index, or one for each of the axes {shape}")
    found = 0
    for given, size in zip(indices, shape if indices[1:] else (math.prod(shape),)):
        j = np.asarray(given)
        for wrong in j[(j < 0) | (j >= size)] if j.dtype.kind in "iu" else j.flat:
            raise ValueError(f"index {wrong}: indices are integers from 0 to {size - 1}")
        found = found * size + j.astype(np.int64)
    return found[()]


def input_place(*j):
    """Return the (rank, offset) of x[j]; pass a flat index or one index per axis: integers or integer arrays."""
    return place(INPUT_LAYOUT, flat(INPUT_SHAPE, *j))


def input_index(rank, o):
    """Return the global index of the element of x at offset o on the given rank."""
    return index(INPUT_LAYOUT, rank, o)


def output_place(*k):
    """Return the (rank, offset) of y[k]; pass a flat index or one index per axis: integers or integer arrays."""
    return place(OUTPUT_LAYOUT, flat(OUTPUT_SHAPE, *k))


def output_index(rank, o):
    """Return the global index of the element of y at offset o on the given rank."""
    return index(OUTPUT_LAYOUT, rank, o)


def known_rank(rank):
    """Return a rank; raise ValueError if there is no such rank."""
    if not 0 <= rank < P:
        raise ValueError(f"rank {rank}: ranks are integers from 0 to {P - 1}")
    return rank


def local_shape(rank):
    """Return the shape of a rank's part of x."""
    return shape_of(INPUT_LAYOUT, known_rank(rank))


def local_output_shape(rank):
    """Return the shape of a rank's part of y."""
    return shape_of(OUTPUT_LAYOUT, known_rank(rank))


class Trade:
    """The messages of an exchange among p ranks, which divide axis `whole` after it instead of axis `divided`, from one layout to another."""

    def __init__(self, rank, before, after, divided, whole):
        p, given, made = before[divided][2], shape_of(before, rank), shape_of(after, rank)
        goes, comes = (axis[0](axis[1], p).tolist() for axis in (after[whole], before[divided]))
        self.packs = [(slice(None),) * whole + (slice(goes[j], goes[j + 1]),) for j in range(p)]
        self.unpacks = [(slice(None),) * divided + (slice(comes[j], comes[j + 1]),) for j in range(p)]
        self.sent = [math.prod(given) // given[whole] * (part[-1].stop - part[-1].start) for part in self.packs]
        self.received = [math.prod(made) // made[divided] * (part[-1].stop - part[-1].start) for part in self.unpacks]


def pack(x, parts, room):
    """Copy these parts of x to the room, one after the other."""
    start = 0
    for part in parts:
        message = x[part]
        np.copyto(room[start : start + message.size].reshape(message.shape), message)
        start += message.size


def unpack(room, parts, y):
    """Copy what is in the room, one after the other, to these parts of y."""
    start = 0
    for part in parts:
        message = y[part]
        np.copyto(message, room[start : start + message.size].reshape(message.shape))
        start += message.size


def shaped(room, layout, rank):
    """Return the beginning of the room as a rank's part of an array."""
    shape = shape_of(layout, rank)
    return room[: math.prod(shape)].reshape(shape)


def arrays(x, plan, out):
    """Return x as a contiguous array, and `out` or a new array; raise ValueError if a shape, dtype, plan or memory is wrong."""
    if not isinstance(plan, Plan) or not plan.own:
        raise ValueError("plan must be made by plan(comm) of this program, and not be freed")
    wanted = zip(("x", "out"), (x, out), (INPUT_DTYPE, OUTPUT_DTYPE), plan.shapes)
    for name, array, dtype, shape in [*wanted][: 1 + (out is not None)]:
        held = np.asarray(array)
        if held.shape != shape or held.dtype != dtype or not (held is array or np.shares_memory(array, held)):
            what = f"{held.dtype} {held.shape}"
            if not isinstance(array, np.ndarray):
                what += f" in a {type(array).__name__}: use np.asarray"
            raise ValueError(f"{name} must be an array of {dtype} with shape {shape} on rank {plan.own.rank}; got {what}")
    if out is None:
        out = np.empty(plan.shapes[1], OUTPUT_DTYPE)
    elif held is not out:
        raise ValueError("out must be a plain numpy array, not of a class derived from it")
    elif not out.flags.carray:
        rules = {"contiguous": out.flags.c_contiguous, "aligned": out.flags.aligned, "writeable": out.flags.writeable}
        wrong = " and not ".join(word for word, holds in rules.items() if not holds)
        raise ValueError(f"out must be contiguous, aligned and writeable; this one is not {wrong}")
    elif out is x or np.shares_memory(x, out):  # a part without elements shares none
        raise ValueError("out must not share memory with x: give another array, or no out")
    return np.ascontiguousarray(x) if np.asarray(x).flags.aligned else np.array(x, order="C"), out
