"""The statements of the verdicts on a program, in words."""

from __future__ import annotations

from derive.formula.affine_layouts import affine_layout
from proofs.certify.checks.convolution_check import CONVOLVES
from proofs.certify.checks.invalid_arguments import REFUSED
from proofs.certify.checks.messages import NO_DEADLOCK
from proofs.certify.declaration import Declaration, Transform
from proofs.certify.ends.digit_ends import SIDES
from proofs.certify.ends.divided import Divided
from proofs.certify.ordinary.reproducible_bits import STATEMENT
from proofs.certify.ordinary.rounding import extremes
from proofs.certify.plain_text import counted
from proofs.certify.real import real_ranks
from proofs.certify.rows import BITS


def statements_of(d: Declaration) -> dict[str, str]:
    """Return what is checked, by name."""
    by_matrix = [side for side in SIDES if str(getattr(d, side)).startswith("bmmc:")]
    layouts = {side: d.layout(side) for side in by_matrix}
    maps = {
        side: affine_layout(layout).address
        for side, layout in layouts.items()
        if not isinstance(layout, Divided)
    }
    files = "".join(f"; {side}: A = {at.columns}, c = {at.c}" for side, at in maps.items())
    return {
        "layout": (
            f"input_place and output_place are the {d.input} and {d.output} layouts of N = {d.N}"
            f" elements on P = {counted(d.P, 'rank')}{d.in_axes}{files}"
        ),
        "messages": f"the {counted(d.P, 'rank')} {NO_DEADLOCK}",
        "function": f"transform computes {d.formula} for every x, and leaves x unchanged",
        "contract": (
            "repeated transforms by several plans do so with the same messages, into a new array or"
            " `out`; " + REFUSED
        ),
        "cost": (
            "exchanges, messages and words of each rank, h-relations and synchronisations are those"
            " counted from the factorization"
        ),
        "rounding": (f"repeated transforms in {d.dtype} by several plans are accurate{_sizes(d)}"),
        "convolution": CONVOLVES,
        BITS: STATEMENT,
        "ran": real_ranks.stated(d.P, real_ranks.kernels_of(d.as_json())),
        "bytes": f"transform moves {d.dtype} byte for byte, including NaNs",
    }


def _sizes(d: Declaration) -> str:
    """Return for numbers of which size a transform is run."""
    return (
        ", also for numbers near 2^{} and 2^{}".format(*extremes(d))
        if isinstance(d, Transform)
        else ""
    )
