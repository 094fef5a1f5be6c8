"""What the template of the Hartley transform prints beside what all programs print."""

from __future__ import annotations

from typing import Any

from codegen.emit.rows import escaped, factor_of, literal, move_of, quoted
from codegen.kernels import hartley
from codegen.program.hartley import Hartley, Unpaired
from codegen.program.lower import hartley_of
from codegen.program.steps import steps_of
from codegen.program.supersteps import Move, Program, Step
from codegen.spec import EXCHANGES, OVERLAPPED, Spec
from derive.formula.grammar import I
from derive.formula.layout import affine_layout
from derive.formula.permutations import lg

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


def view(program: Program) -> dict[str, Any]:
    """Return the names of the template."""
    core = hartley_of(program.spec)
    spec, N, P = program.spec, program.N, program.P
    unpaired = any(isinstance(step, Unpaired) for step in program.steps)
    computed = _computed(spec)
    return {
        "title": (
            f"Hartley transform of N = {N} elements on P = {P} ranks, {core.algorithm}:"
            f" {spec.direction}, {spec.dtype}, {spec.kernels} kernels."
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
        "algorithm": quoted(core.algorithm),
        "result": quoted(spec.result),
        **_moves(program, core, unpaired),
        "stages": f"range(2, {lg(P) + 2})",
        "ranks": str(tuple(1 << b for b in range(lg(P)))),
        "back": core.back,
        "unpaired": unpaired,
        "paired": not core.back and not unpaired,
        "convolves": spec.convolve,
        "ahead": core.ahead,
        **(hartley.view(core, spec.convolve) if spec.kernels == "numba" else {}),
    }


def _computed(spec: Spec) -> str:
    """Return what a program computes, as an equation."""
    N, factor = spec.N, factor_of(spec)
    return {
        "hartley": f"y = {factor}H_{N} x",
        "dft": (
            "(y[2m] + i y[2m + 1]) = X[m], 0 < m < N/2, y[0] = X[0], y[1] = X[N/2], X ="
            f" {factor}F_{N} x"
        ),
        "power": f"y[m] = |X[m]|^2, X = {factor}F_{N} x",
    }[spec.result]


def _moves(program: Program, core: Hartley, unpaired: bool) -> dict[str, dict[str, str] | None]:
    """Return the moves before and after the transform, with their comments; None where the template
    has none.
    """

    def row(step: Step | None, meaning: str) -> dict[str, str]:
        move = step if isinstance(step, Move) else None
        return {"comment": escaped(meaning), "move": literal(move_of(move, program))}

    before = row(program.steps[0], f"Bring x from {program.input.name} to {core.own.name}.")
    after = row(program.steps[-1], f"Bring y to {program.output.name}.")
    if program.spec.convolve:
        home = _home(program, core)
        after = row(home, f"Bring a convolution from {core.own.name} to {program.input.name}.")
    leaves = core.back or unpaired or program.spec.convolve
    return {"before": None if core.back else before, "after": after if leaves else None}


def _home(program: Program, core: Hartley) -> Step | None:
    """Return the move of a convolution to where its input lay."""
    exchange = EXCHANGES[0] if program.spec.exchange == OVERLAPPED else program.spec.exchange
    steps = steps_of(I(program.N), core.own, affine_layout(program.input), exchange)
    return next(iter(steps), None)
