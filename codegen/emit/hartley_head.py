"""What a program of the Hartley transform says of itself: its title, equations and result; and of
which parts its functions consist.
"""

from __future__ import annotations

from typing import Any

from codegen.emit.steps import hartley_kernels
from codegen.emit.steps.hartley_lines import product_of_stages, rows_of
from codegen.emit.words import factor_of, half_spectrum
from codegen.kernels.hartley_functions import by_ranks
from codegen.program.supersteps import Program
from codegen.systems.fht import transform_of
from codegen.systems.record import Request
from derive.call_arguments import counted
from derive.formula.permutations import lg

STAGE_BY_STAGE = (
    "H_{N} = {product}; L_s = I ⊗ [[I, C], [I, -C]] of order K = 2^s, C_uu = cos(2 pi"
    " u/K), sin(2 pi u/K) added at (u, -u)"
)
ONE_TO_ALL = (
    "H[t + M l] = sum_s cos(2 pi s l/P) a_s[t] + sin(2 pi s l/P) b_s[t],   s, l < P,   t < M",
    (
        "a_s[t] = cos(2 pi s t/N) h_s[t] + sin(2 pi s t/N) h_s[-t],   b_s[t] = a_s[-t],   h_s = H_M"
        " (x[s], x[s + P], ...)"
    ),
)


def view(program: Program) -> dict[str, Any]:
    """Return the names of the template."""
    request, N = program.request, program.N
    computed = _computed(request)
    by_stages = request.algorithm == "hypercube"
    back = transform_of(request).back and request.P > 1
    stages = product_of_stages(1, lg(N), back)
    product = f"P_{N} {stages}" if back else f"{stages} P_{N}"
    return {
        "title": (
            f"Hartley transform of N = {N} elements on P = {counted(request.P, 'rank')},"
            f" {request.algorithm}: {request.direction}, {request.dtype}, {request.kernels}"
            f" kernels."
        ),
        "statements": [
            f"{computed},   H_{N}[j, k] = cos(2 pi jk/{N}) + sin(2 pi jk/{N})",
            *(STAGE_BY_STAGE.format(N=N, product=product).split("; ") if by_stages else ONE_TO_ALL),
        ],
        "postcondition": half_spectrum(request) if request.result == "dft" else computed,
    }


def _computed(request: Request) -> str:
    """Return what a program computes, as an equation."""
    N, factor = request.N, factor_of(request)
    return {
        "hartley": f"y = {factor}H_{N} x",
        "dft": (
            "(y[2m] + i y[2m + 1]) = X[m], 0 < m < N/2, y[0] = X[0], y[1] = X[N/2], X ="
            f" {factor}F_{N} x"
        ),
        "power": f"y[m] = |X[m]|^2, X = {factor}F_{N} x",
    }[request.result]


def verbatim(program: Program) -> tuple[str, ...]:
    """Return the modules with the functions of a transform of lists, the last ones first looked
    at.
    """
    compiled = hartley_kernels.are_in(program)
    ahead = program.request.way.ahead
    return ("by_lists", *["by_lists_compiled"] * compiled, *["by_lists_ahead"] * ahead)


def forms(program: Program) -> dict[str, tuple[str, ...]]:
    """Return the macros that functions of a transform of lists consist of, where these have several
    forms.
    """
    M, P, compiled = program.M, program.P, hartley_kernels.are_in(program)
    found = dict[str, tuple[str, ...]]()
    if P == 1:
        found |= {"half_spectrum": ("half_spectrum_alone",), "opposites": ("opposites_alone",)}
    if M == 2:
        found |= {"half_spectrum": ("half_spectrum_of_two",), "hartley": ("hartley_of_two",)}
    if rows_of(M) > 1:
        found["hartley"] = ("hartley_in_rows",)
    ended = "ended" if compiled else "ended_on_first"
    sums = f"sums_of_lists{'_compiled' * (compiled and not program.request.way.ahead)}"
    found["stage_of_one_list"] = ("stage_of_one_list", ended, sums)
    if compiled:
        found["stage_of_both_lists_back"] = ("stage_of_both_lists_back_compiled",)
        found |= {"product": ("product_alone",)} if P == 1 else {}
        found |= {"to_pairs": ("to_pairs_of_one",)} if M == 2 * P else {}
        in_order = not by_ranks(transform_of(program.request))
        found |= {"untangle": ("untangle_in_order",)} if in_order else {}
    others = "pair_of_others" if M == 2 * P and not compiled else "pairs_of_others"
    ends = f"across_ranks{'_compiled' * compiled}", "ends_of_pairs"
    parts = "to_hartley_pairs", *ends, *["pairs_on_first"] * (M > 2 * P)
    return found | {"to_hartley_pairs": (*parts, f"{others}{'_compiled' * compiled}")}
