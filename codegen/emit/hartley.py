"""What the template of the Hartley transform prints beside what all programs print."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from codegen.kernels import hartley
from codegen.program.hartley import RESULTS, Hartley, Unpaired
from codegen.program.lower import EXCHANGES, OVERLAPPED, lower
from codegen.program.supersteps import Move, Program
from derive.formula.grammar import I
from derive.formula.layout import affine_layout
from derive.formula.permutations import lg

DTYPES = ("float64", "float32")
"""The types of a Hartley transform, the default first."""
SPLIT_FROM, ROWS = 2**13, 128
"""From so many complex points on, a local transform is done in rows and columns that fit the
caches, so many of them: twice as fast.
"""
STAGE_BY_STAGE = (
    "H_{N} = L_{n} ... L_2 L_1 P_{N}; L_s = I ⊗ [[I, C], [I, -C]] of order K = 2^s, C_uu = cos(2 pi"
    " u/K), sin(2 pi u/K) added at (u, -u)"
)
ONE_TO_ALL = (
    "H[t + M l] = sum_s cos(2 pi s l/P) a_s[t] + sin(2 pi s l/P) b_s[t],   s, l < P,   t < M",
    (
        "a_s[t] = cos(2 pi s t/N) h_s[t] + sin(2 pi s t/N) h_s[-t],   b_s[t] = a_s[-t] with -s for"
        " s,   h_s = H_M (x[s], x[s + P], ...)"
    ),
)
Row = Callable[[Move | None, str], dict[str, str]]


def view(
    program: Program,
    direction: str,
    norm: str,
    kernels: str,
    dtype: str,
    result: str,
    convolve: bool,
    scale: str,
    exchange: str,
    row: Row,
) -> dict[str, Any]:
    """Return the names of the template; `row` gives the text of a move with its comment.

    Raises ValueError for a dtype that it does not have, and where result or convolution do not go
    with the layouts.
    """
    [core] = [step for step in program.steps if isinstance(step, Hartley)]
    N, P = program.N, program.P
    if dtype not in DTYPES:
        raise ValueError(f"unknown dtype {dtype!r}: choose from {', '.join(DTYPES)}")
    _fitting(program, core, direction, norm, result, convolve)
    moves = {i: step for i, step in enumerate(program.steps) if isinstance(step, Move)}
    unpaired, last = (
        any(isinstance(step, Unpaired) for step in program.steps),
        len(program.steps) - 1,
    )
    before = (
        None
        if core.back
        else row(moves.get(0), f"Bring x from {program.input.name} to {core.own.name}.")
    )
    after = (
        row(moves.get(last), f"Bring y to {program.output.name}.")
        if core.back or unpaired
        else None
    )
    if convolve:
        steps = lower(
            I(N),
            core.own,
            affine_layout(program.input),
            EXCHANGES[0] if exchange == OVERLAPPED else exchange,
        )
        move = next((step for step in steps if isinstance(step, Move)), None)
        after = row(move, f"Bring a convolution from {core.own.name} to {program.input.name}.")
    matrix = {"1": "", "1 / N": f"1/{N} ", "N**-0.5": f"{N}^(-1/2) "}[scale]
    computed = {
        "hartley": f"y = {matrix}H_{N} x",
        "dft": (
            "(y[2m] + i y[2m + 1]) = X[m], 0 < m < N/2, y[0] = X[0], y[1] = X[N/2], X ="
            f" {matrix}F_{N} x"
        ),
        "power": f"y[m] = |X[m]|^2, X = {matrix}F_{N} x",
    }[result]
    return {
        "title": (
            f"Hartley transform of N = {N} elements on P = {P} ranks, {core.algorithm}:"
            f" {direction}, {dtype}, {kernels} kernels."
        ),
        "statements": [
            f"{computed},   H_{N}[j, k] = cos(2 pi jk/{N}) + sin(2 pi jk/{N})",
            *(
                STAGE_BY_STAGE.format(N=N, n=lg(N)).split("; ")
                if core.algorithm == "hypercube"
                else ONE_TO_ALL
            ),
        ],
        "postcondition": computed,
        "direction": json.dumps(direction),
        "norm": json.dumps(norm),
        "algorithm": json.dumps(core.algorithm),
        "result": json.dumps(result),
        "dtype": json.dumps(dtype),
        "as_bytes": "",
        "scale": scale,
        "scaled": scale != "1",
        "before": before,
        "after": after,
        "stages": f"range(2, {lg(P) + 2})",
        "rows": ROWS if program.M >= 2 * SPLIT_FROM else 1,
        "ranks": str(tuple(1 << b for b in range(lg(P)))),
        "back": core.back,
        "unpaired": unpaired,
        "paired": not core.back and not unpaired,
        "convolves": convolve,
        "ahead": core.ahead,
        **(hartley.view(core, convolve) if kernels == "numba" else {}),
    }


def _fitting(
    program: Program, core: Hartley, direction: str, norm: str, result: str, convolve: bool
) -> None:
    """Raise ValueError where what is asked for beside the transform does not go with it."""
    if result not in RESULTS:
        raise ValueError(f"unknown result {result!r}: choose from {', '.join(RESULTS)}")
    if result != "hartley" and (
        direction != "forward"
        or program.output.name != {"dft": "half-spectrum"}.get(result, "hartley")
    ):
        given = f"result {result} with direction {direction}, output {program.output.name}"
        raise ValueError(f"{given}: it is made forward, in the output layout hartley")
    if convolve:
        wrong = [
            f"{name} {value}"
            for name, value, wanted in (
                ("algorithm", core.algorithm, "hypercube"),
                ("direction", direction, "forward"),
                ("norm", norm, "backward"),
                ("result", result, "hartley"),
                ("output", program.output.name, "hartley"),
            )
            if value != wanted
        ]
        if wrong:
            raise ValueError(
                f"--convolve with {', '.join(wrong)}: it goes forward by algorithm hypercube to the"
                " output layout hartley, and back"
            )
