"""Transforms on a hypercube with kernels, and what damages them."""

from functools import cache

from codegen.emit.text import emit
from codegen.spec import Spec


@cache
def text(N, P, scheme, before="block", after="", **options):
    return emit(
        Spec("hypercube-fft", N, P, before, after, scheme=scheme, kernels="numba", **options)
    )


PRODUCT = "times(load_pairs(q, c, 1, 1), load(table, c, W, 1))"
GIVEN = "memory_of(p), memory_of(q), ..."

WRONG = {
    "a sum for a difference": ("3", ("(a - b,)", "(a + b,)")),
    "no twiddles": ("3", (PRODUCT, "load_pairs(q, c, 1, 1)")),
    "twiddles of another block": ("3", ("load(table, c, W, 1)", "load(table, 0, W, 1)")),
    "the last vectors left out": (
        "3",
        ("for c in range(0, count, W):", "for c in range(0, count - W, W):"),
    ),
    "a store beyond the end": (
        "3",
        ("store_pairs(first, c, 1, (a + b,))", "store_pairs(first, c + W, 1, (a + b,))"),
    ),
    "a table that is not split": (
        "3",
        ("split(entries(o).astype(DTYPE), W)", "split(entries(o).astype(DTYPE), 1)"),
    ),
    "twiddles of another rank": (
        "3",
        (
            "root_of_unity(rank % 2**l * 16 + o, 32 << l)",
            "root_of_unity((rank ^ 1) % 2**l * 16 + o, 32 << l)",
        ),
    ),
    "halves for each other": (
        "3",
        ("butterflies(memory_of(given_p), memory_of(given_q), ..., ..., ..., ...)",)
        + ("butterflies(memory_of(given_q), memory_of(given_p), ..., ..., ..., ...)",),
    ),
    "the other half exchanged": (
        "3",
        (
            "given_p, given_q = (came, q) if rank >> channel & 1 else (p, came)",
            "given_p, given_q = (came, q) if not rank >> channel & 1 else (p, came)",
        ),
    ),
    "the half that stays sent": (
        "3",
        (
            (
                "own.Sendrecv(p if rank >> channel & 1 else q, neighbour, recvbuf=came, "
                "source=neighbour)"
            ),
            (
                "own.Sendrecv(q if rank >> channel & 1 else p, neighbour, recvbuf=came, "
                "source=neighbour)"
            ),
        ),
    ),
    "copies left out": (
        "5",
        (
            "address(self.roots), address(self.room), 2",
            "address(self.roots), address(self.room), 1",
        ),
    ),
    "data times data": ("3", (PRODUCT, "times(load_pairs(q, c, 1, 1), load_pairs(p, c, 1, 1))")),
    "the other half sent": (
        "5",
        (f"differences({GIVEN}, memory_of(sent), ...)", f"sums({GIVEN}, memory_of(sent), ...)"),
    ),
    "one half twice": (
        "4",
        (f"differences({GIVEN}, memory_of(q), ...)", f"sums({GIVEN}, memory_of(q), ...)"),
    ),
    "the half in the wrong place": (
        "5r",
        (f"differences({GIVEN}, memory_of(q), ...)", f"differences({GIVEN}, memory_of(p), ...)"),
    ),
    "half of a half": (
        "4",
        ("...(..., ..., ..., memory_of(sent), 16)", "...(..., ..., ..., memory_of(sent), 8)"),
    ),
    "a neighbour's elements with the wrong sign": (
        "2",
        ("np.subtract(work, out, out=out)", "np.subtract(out, work, out=out)"),
    ),
    "sums for differences": (
        "2",
        ("np.subtract(work, out, out=out)", "np.add(work, out, out=out)"),
    ),
    "no turn for the second half": ("2", ("times(v, broadcast(turns, channel, 1, 1))", "v")),
    "a multiplication left out": (
        "2",
        (
            (
                "multiply(memory_of(out), memory_of(plan.twiddles[channel]), "
                "memory_of(plan.turns), channel, 16)"
            ),
            (
                "plan or multiply(memory_of(out), memory_of(plan.twiddles[channel]), "
                "memory_of(plan.turns), channel, 16)"
            ),
        ),
    ),
}
