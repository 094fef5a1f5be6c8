"""The Hartley transform as lines of a node program: its stages, tables and layouts, and what is
made of its result.

operation = first_lists | first_lists_back                       L_1 on a rank's two lists, forward with the exchange of L_2
          | partner_stages(stages, back)                         L_2 to L_{p+1} with neighbours in the Hartley graph
          | rest_of_stages | rest_of_stages_back                 all other stages as one local transform
          | half_spectrum | hartley_pairs                        before and after the one all-to-all
          | second_of_pairs                                      from the Hartley to the cyclic layout
          | result(function)                                     the half spectrum, or the power
          | product                                              of the transforms of a convolution
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.emit.steps import hartley_kernels
from codegen.emit.steps.array_names import Operation, Stage, stage
from codegen.emit.words import escaped, quoted
from codegen.program.affine_steps import steps_of
from codegen.program.hartley_program import Hartley
from codegen.program.hartley_steps import AcrossRanks, HalfSpectra, ListStage, Rest, Unpaired
from codegen.program.protocol import Step
from codegen.program.supersteps import Program
from codegen.systems.exchanges import ALL_TO_ALL
from codegen.systems.fht import transform_of
from codegen.systems.record import Request
from derive.formula.affine_layouts import affine_layout
from derive.formula.grammar import I
from derive.formula.permutations import lg
from derive.formula.placement import Placement
from derive.papers.hartley_layouts import HalfSpectrum, HartleyLayout

SPLIT_FROM, ROWS = 2**13, 128
"""From so many complex points on, a local transform is done in rows and columns that fit the
caches, so many of them: twice as fast.
"""
NEEDS = (
    *("convolve", "exchange_list"),
    *("stage_of_one_list", "stage_of_both_lists"),
    *("stage_of_one_list_back", "stage_of_both_lists_back", "complement", "hartley"),
    *("half_fourier",),
    *("to_hartley_pairs", "frequency", "entry_of", "half_spectrum", "power", "product"),
    *("opposites", *hartley_kernels.NEEDS),
)
"""The functions that these programs may need, in the order in which they stand in them."""
RESULTS = {
    "dft": ("X[m] = ((H[m] + H[-m]) - i (H[m] - H[-m])) / 2", "half_spectrum"),
    "power": ("|X[m]|^2 = (H[m]^2 + H[-m]^2) / 2", "power"),
}
"""What is made of the transform: in words, and the function that does it."""


def rows_of(M: int) -> int:
    """Return how many rows a local transform is done in; 1 where it is done at once."""
    return ROWS if M >= 2 * SPLIT_FROM else 1


def of_lists(step: ListStage, compiled: bool) -> Stage | None:
    """Return a stage, compiled or not; those with an exchange are one loop, which stands where the
    first of them does.
    """
    s, P, back = step.s, step.P, step.back
    if s == 1:
        return _first_stage(step, compiled)
    first = s == (lg(P) + 1 if back else 2) and (P > 2 or back or not compiled)
    return _partner_stages(step, compiled) if first else None


def across_ranks(step: AcrossRanks) -> Stage:
    """Return the sums over the ranks after the one all-to-all."""
    M, P = step.N // step.P, step.P
    pairs = {"macro": "hartley_pairs", "P": P, "needs": ("to_hartley_pairs",)}
    return stage(f"H[t + {M} l], H[-t - {M} l]: F_{P} over s", pairs)


def unpaired(step: Unpaired) -> Stage | None:
    """Return what takes results from the Hartley layout to the cyclic one, which is the same on one
    rank.
    """
    P = step.P
    macro = "second_of_pairs" if P > 2 else "second_of_two_pairs"
    mates = {"macro": macro, "hops": 0, "spare": True, "P": P}
    words = f"from hartley to cyclic: H[-m] goes to rank -m mod {P}"
    return stage(words, mates) if P > 1 else None


def _first_stage(step: ListStage, compiled: bool) -> Stage:
    """Return L_1; forward, one of the lists that it makes is exchanged."""
    sends = () if step.back else ("exchange_list",)
    first: Operation = {
        "macro": "first_lists" if sends else f"first_lists_back{_compiled(compiled)}",
        "needs": (*sends, *[hartley_kernels.KERNELS] * compiled),
        **({"hops": 0, "spare": True} if sends else {}),
    }
    comment = (
        f"{product_of_stages(1, 1, step.back)}: the sums and differences of a rank's two lists"
        f"{', and the exchange of L_2' if sends else ''}"
    )
    return stage(comment, first)


def _compiled(compiled: bool) -> str:
    """Return the end of the name of a macro for compiled kernels."""
    return "_compiled" * compiled


def _partner_stages(step: ListStage, compiled: bool) -> Stage:
    """Return L_2 to L_{p+1}, with the neighbours in the Hartley graph."""
    p, way = lg(step.P), "_back" if step.back else ""
    macro = f"stage_of_two_ranks{way}" if p == 1 else "partner_stages"
    functions = [f"stage_of_one_list{way}", "exchange_list"] * (p > 1 or step.back)
    functions += [f"stage_of_both_lists{way}", "complement"] * (p > 1)
    stages = {
        "macro": macro,
        "hops": 0,
        "spare": True,
        "way": way,
        "stages": f"range({p + 1}, 1, -1)" if step.back else f"range(2, {p + 2})",
        "needs": (*functions, *[hartley_kernels.KERNELS] * compiled),
    }
    comment = (
        f"{product_of_stages(2, p + 1, step.back)}: exchanges with neighbours in the Hartley graph"
    )
    return stage(comment, stages)


def rest(step: Rest, compiled: bool) -> Stage:
    """Return the local transform, in rows and columns if it is large."""
    N, P, M, p = step.N, step.P, step.N // step.P, lg(step.P)
    A, back = rows_of(M), step.back and step.P > 1
    found = {
        "macro": f"rest_of_stages{'_back' * back}{'_in_rows' * (A > 1)}",
        "hops": 3 if A > 1 else 2 if back else 1,
        "spare": back or A > 1,
        "A": A,
        "B": M // 2 // A,
        "needs": ("hartley", "half_fourier") if A > 1 else ("hartley",),
    }
    if P == 1:
        turns = ", plan.turns" * (A > 1)
        found |= {"macro": "hartley_at_once", "hops": 1, "spare": False, "turns": turns}
    if compiled:
        found = hartley_kernels.rest(step)
    if P == 1:
        return stage(f"{product_of_stages(1, lg(N), False)} P_{N}: H_{N} at once", found)
    in_twiddles = compiled and not step.back
    first = p + 1 if in_twiddles and P == 2 else p + 2
    does = f"F_{M // 2} {'before' if step.back else 'after'} twiddles, on rank 0 H_{M}"
    if first > p + 1:
        does += f" with {product_of_stages(p + 1, p + 1, step.back)}"
        does += f", which rank {P // 2} has in its twiddles" if in_twiddles else ""
    return stage(f"{product_of_stages(first, lg(N), step.back)}: {does}", found)


def product_of_stages(first: int, last: int, back: bool) -> str:
    """Return the product of these stages, as it stands in the head of a program.

    >>> product_of_stages(1, 10, False), product_of_stages(2, 3, True)
    ('L_10 ... L_2 L_1', '(2 L_2^-1) (2 L_3^-1)')
    """
    names = [f"(2 L_{s}^-1)" if back else f"L_{s}" for s in range(first, last + 1)]
    if len(names) > 3:
        names[2:-1] = ["..."]
    return " ".join(names if back else reversed(names))


def half_spectra(step: HalfSpectra, compiled: bool) -> Stage:
    """Return the local transform before the one all-to-all."""
    N, M, A = step.N, step.N // step.P, rows_of(step.N // step.P)
    half = {
        "macro": f"half_spectrum{'_in_rows' * (A > 1)}",
        "B": M // A,
        "needs": ("frequency", *(("half_fourier", "entry_of") if A > 1 else ())),
    }
    comment = (
        f"a_s[t], b_s[t]: half of F_{M} of x[s + {step.P} i], times w_{N}^(st), ordered by"
        " destination rank"
    )
    return stage(comment, hartley_kernels.half_spectra(step.P, M) if compiled else half)


def result_of(request: Request) -> Iterator[Stage]:
    """Yield what is made of the transform in place."""
    if request.result in RESULTS:
        comment, function = RESULTS[request.result]
        needs = (function, "opposites")
        yield stage(comment, {"macro": "result", "function": function, "needs": needs})


def convolution(program: Program) -> tuple[Step, ...]:
    """Return the steps of a convolution after the product: the way back to where its input lay."""
    request, core = program.request, transform_of(program.request)
    exchange = ALL_TO_ALL if request.way.ahead else request.exchange
    back = Hartley(request.N, request.P, back=True, ahead=core.ahead)
    home = steps_of(I(request.N), core.own, affine_layout(program.input), exchange)
    return *back.by_stages, *home


def product(compiled: bool) -> Stage:
    """Return the product of two transforms."""
    needs = ("convolve", "product", *["opposites"] * (not compiled))
    operation = {"macro": "product", "needs": needs}
    return stage("the transform of the convolution, divided by N", operation)


def comment_of_move(step: Step, program: Program) -> str:
    """Return which layouts a move of a program is between, or of a convolution after it."""
    core, steps = transform_of(program.request), program.steps
    if step is steps[0]:
        reversal = f"P_{program.N}: " * (core.algorithm == "hypercube")
        return f"{reversal}from {escaped(program.input.name)} to {core.own.name}"
    to = program.input.name if program.request.convolve else program.output.name
    if core.back or program.request.convolve:
        return f"P_{program.N}: from {core.own.name} to {escaped(to)}"
    if step is steps[-1]:
        return f"from cyclic to {escaped(to)}"
    return f"a_s[t], b_s[t]: for t = rank or -rank mod {2 * program.P}, from all ranks s"


def tables(program: Program) -> list[dict[str, Any]]:
    """Return the tables of a transform as the template prints them; one rank needs them for a large
    transform alone, and other transforms have none.
    """
    if not program.in_lists:
        return []
    if hartley_kernels.are_in(program):
        return hartley_kernels.tables(program)
    core, M, P = transform_of(program.request), program.M, program.P
    A, p = rows_of(M), lg(P)
    turns = [_table("turns_of_reals", "turns", A=A, B=M // A, by_rank=False)] * (A > 1)
    if P == 1:
        return turns
    if core.algorithm == "group-cyclic":
        twiddle = _table("twiddle_of_pairs", "twiddle")
        return [twiddle, _table("entries", "entries", A=A), _table("ends", "ends", P=P), *turns]
    stages = f"range(3, {p + 2})"
    columns = _table("columns", "columns", A=A, C=M // 2 // A)
    lists = "twiddle_of_lists" if A > 1 else "twiddle_of_columns"
    return [
        *[_table("weights_of_stages", "weights", stages=stages)] * (p > 1),
        *[columns] * (A > 1),
        _table(lists, "twiddle", A=A, B=M // A, C=M // 2 // A, P=P),
    ]


def _table(macro: str, name: str, **how: Any) -> dict[str, Any]:
    words = "entries" if macro == "entries" else "twiddle"
    return {"macro": macro, "name": name, "by_rank": True, "words": words} | how | _ROOTS


_ROOTS = {"needs": ("root_of_unity",)}


def constants(request: Request, roots: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the constants of a transform: names, values and a comment; COMPLEX is the type of its
    roots of unity, if it has some.
    """
    yield "ALGORITHM, RESULT", f"{quoted(request.algorithm)}, {quoted(request.result)}", ""
    names, values = ("G, COMPLEX", ", np.result_type(DTYPE, np.complex64)") if roots else ("G", "")
    comment = "a rank's elements are two lists of G elements, or G pairs H[m], H[-m]"
    yield names, f"{request.M // 2}{values}", comment


def places(layout: Placement, j: str) -> tuple[str, str, str]:
    """Return rank and offset of element j, and the index of offset o of a rank, as expressions."""
    N, P, G = 1 << layout.n, 1 << layout.p, 1 << layout.m - 1
    if P == 1:
        return f"{j} * 0", j, "o"
    if isinstance(layout, HartleyLayout):
        pair, mirrored = f"{j} // {2 * P}", f"({j} % {P} > 0) & ({j} // {P} % 2 > 0)"
        return (
            f"np.minimum({j} % {2 * P}, -{j} % {2 * P}) % {P}",
            f"2 * np.where({mirrored}, {G - 1} - {pair}, {pair}) + {j} // {P} % 2",
            f"{P} * o if rank == 0 else (1 - 2 * (o % 2)) * (rank + {2 * P} * (o // 2)) % {N}",
        )
    assert isinstance(layout, HalfSpectrum), "there is no other layout that is not affine"
    pair = f"{j} // {4 * P}"
    pair = f"np.where({j} // {2 * P} % 2 == 0, {pair}, {G - 1} - {pair})"
    return (
        f"np.minimum({j} // 2 % {2 * P}, -({j} // 2) % {2 * P}) % {P}",
        f"2 * np.where({j} // 2 % {P} == 0, {j} // {2 * P}, {pair}) + {j} % 2",
        f"({2 * P} * (o // 2) if rank == 0 else {N} - abs({N} - 2 * rank - {4 * P} * (o // 2)))"
        " + o % 2",
    )
