"""The effect of a permutation's supersteps as one affine map of indices: decided by bit matrices,
for every number of elements.
"""

from __future__ import annotations

from functools import reduce

from codegen.program.supersteps import Program
from derive.call_arguments import counted
from derive.exact.bit_matrices import compared
from derive.formula.affine_layouts import affine_layout
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine
from derive.verdict import Verdict


def check(program: Program) -> Verdict | None:
    """Return whether the supersteps of a permutation do what the left side of its equation says, or
    None for other programs.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> from derive.gf2.bmmc import bit_reversal
    >>> print(check(resolve(make_request("permute", 2**62, 2**31, permutation=Bmmc(bit_reversal(62), "bit-reversal")))))
    checked: supersteps from block to block on 2147483648 ranks = Π_{bit-reversal} (all 2^62 elements, by bit matrices and complements)
    """  # noqa: E501
    left, maps = program.equation.left, list[Affine]()
    for step in program.steps:
        if (map := step.by_matrix()) is None:
            return None
        maps.append(map)
    if not isinstance(left, Bmmc):
        return None
    given, wanted = affine_layout(program.input), affine_layout(program.output)
    right = reduce(lambda before, map: map @ before, maps, given.address)
    statement = (
        f"supersteps from {given.name} to {wanted.name} on {counted(program.P, 'rank')} = {left}"
    )
    return compared(statement, left.address, wanted.address.inverse() @ right)
