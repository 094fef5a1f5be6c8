"""The Hartley transform by compiled kernels as lines of a node program: its operations, the tables
of a rank, and what else it prints.

operation = first_lists | first_lists_back             L_1 on a rank's two lists, and the exchange of L_2
          | partner_stages(stages, back)               L_2 to L_{p+1} with neighbours in the Hartley graph
          | rest_of_lists | rest_of_lists_back         all other stages as one local transform
          | half_of_pairs                              before the one all-to-all

Stages work in place; the local transform goes to the other array, on rank 0 by way of the one that
it comes from.
"""  # noqa: E501

from __future__ import annotations

from typing import Any

from codegen.emit.steps.arrays import Operation
from codegen.kernels import hartley
from codegen.program.hartley import ListStage, Rest
from codegen.program.lower import hartley_of
from codegen.program.supersteps import Program
from derive.formula.permutations import lg

NEEDS = (
    *("exchange_list", "one_list", "both_lists", "one_list_back", "both_lists_back", "untangled"),
    *("turned_to_lists", "by_rank", "to_pairs_of_ranks", "product_of_pairs", "twiddles_of_lists"),
    *("untangling", "split_table", "lists_of"),
)
"""The functions that these programs may need, in the order in which they stand in them."""
KERNELS = "hartley_kernels"
"""The section of a program with its kernels."""


def are_in(program: Program) -> bool:
    """Return whether a program is a Hartley transform with compiled kernels."""
    return (program.spec.system, program.spec.kernels) == ("fht", "numba")


def first_stage(step: ListStage) -> Operation:
    """Return L_1; forward, lists are computed where they are, and one of them is exchanged."""
    if step.back:
        return {"macro": "first_lists_back", "needs": (KERNELS, "lists_of")}
    needs = (KERNELS, "exchange_list", "complement")
    return {"macro": "first_lists", "hops": 0, "spare": True, "needs": needs}


def needs_of_stages(step: ListStage) -> list[str]:
    """Return the functions of the stages with neighbours."""
    way, needs = "_back" if step.back else "", [KERNELS, "complement"]
    if step.ahead:
        needs += [f"stage_of_one_list{way}", "exchange_ahead"]
    else:
        needs += [f"one_list{way}", "lists_of"] + ["exchange_list"] * (not step.back)
    return needs + [f"both_lists{way}", "lists_of"] * (step.P > 2)


def rest(step: Rest) -> Operation:
    """Return the local transform."""
    back = step.back and step.P > 1
    needs = [KERNELS, "untangled", "untangling", "split_table"]
    needs += ["lists_of", "twiddles_of_lists"] * (step.P > 1) + ["turned_to_lists"] * back
    macro = "rest_of_lists_back" if back else "rest_of_lists"
    return {"macro": macro, "spare": True, "ranks": step.P > 1, "needs": needs}


def half_spectra(P: int, M: int) -> Operation:
    """Return half of a Fourier transform, in the order of the ranks that need its entries."""
    needs = (KERNELS, "untangled", "untangling", "split_table", "frequency")
    together = M // 2 > P
    return {
        "macro": "half_of_pairs",
        "hops": 2,
        "spare": True,
        "together": together,
        "needs": needs + ("by_rank",) * together,
    }


def by_way_of_work(operations: list[Operation]) -> None:
    """Have the product of two transforms written to the work array, as it cannot be done in place,
    and the transform after it go by way of one of its factors.
    """
    product, after, *_ = operations
    product["target"], after["source"], after["other"] = "work", "work", "b"


def tables(program: Program) -> list[dict[str, Any]]:
    """Return the tables of a transform as the template prints them."""
    core, p = hartley_of(program.spec), lg(program.P)
    both = program.spec.convolve and p > 0
    if hartley.by_ranks(core):
        return [
            _table("twiddle_of_pairs", "twiddle"),
            _table("untangling", "untangling"),
            _table("ends", "ends", P=program.P),
            *_of_kernels("roots", "addresses", "pairs"),
            *_of_kernels("roots_across", "addresses_across", "across")[::2],
        ]
    way = "_back" if both else ""
    weights = [_table("weights_of_lists", "weights", stop=p + 2, back=core.back)]
    weights += [_table("weights_of_lists", "weights_back", stop=p + 2, back=True)] * both
    made = {"one": p == 0, "back": core.back}
    return [
        *weights * (p > 1),
        _table("twiddle_of_ranks", "twiddle", **made),
        *[_table("twiddle_of_half", "twiddle_back")] * both,
        *_of_kernels("roots", "addresses", "pairs" if p == 0 or core.back else "both"),
        *_of_kernels("roots" + way, "addresses" + way, "back")[::2] * both,
    ]


def _of_kernels(roots: str, addresses: str, passes: str) -> list[dict[str, Any]]:
    """Return the tables that a kernel is given by their addresses."""
    return [
        _table("roots_of", roots, passes=passes, words="roots"),
        _table("room_of", "room", words="room"),
        _table("addresses_of", addresses, roots=roots, words="addresses"),
    ]


def _table(macro: str, name: str, **how: Any) -> dict[str, Any]:
    """Return a table as the template prints it."""
    found = {"macro": macro, "name": name, "by_rank": True, "words": "twiddle"}
    return found | {"needs": ("root_of_unity",)} | how


def compiled(program: Program) -> dict[str, Any]:
    """Return what a program prints of its kernels."""
    return hartley.view(hartley_of(program.spec), program.spec.convolve) | {"prepare": ["prepare"]}


def beside(program: Program) -> dict[str, Any]:
    """Return what it prints of the vectors that they are made of, if there are any."""
    return hartley.vectors(hartley_of(program.spec)) if are_in(program) else {}
