"""Formulas of one's own for programs: factorizations of F(N), and any formula that is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from codegen.system_table import SYSTEMS
from codegen.systems.fft import FFT
from codegen.systems.formula import OF_EXPRESSION
from derive.call_arguments import named
from derive.formula.grammar import Formula, I, kron
from derive.formula.transforms import F as DFT
from derive.text import elaborate
from derive.text.parse import parse_formula, parse_relations, parse_values
from derive.text.sorts import need_values
from derive.text.syntax import Kron, Leaf, Sides, Text
from nodewright.api.equations import Statement, typed
from nodewright.api.judged import Wrong


def own_formula(statement: Statement, values: str, sizes: Mapping[str, Any]) -> Formula:
    """Return the right side of a factorization of one's own of F_N, or of F_m ⊗ F_n for an array of
    these axes, beside I_B of a batch; sizes: N, shape and batch as codegen.shapes.stated has them.

    Raises Wrong where it is wrong, ValueError where the left side is another.

    >>> text = "F(N) = F(2) (x) I(N/2) * T(N,N/2) * I(2) (x) F(N/2) * L(N,2)"
    >>> print(own_formula(text, "", {"N": 8, "shape": (), "batch": 0}))
    (F_2 ⊗ I_4) T^8_4 (I_2 ⊗ F_4) L^8_2
    """
    sides, shape, batch = typed(statement), sizes["shape"] or (sizes["N"],), sizes["batch"]
    wanted = str(kron(I(max(batch, 1)), *map(DFT, shape)))
    by_size = _of_sizes(sides.left, values, shape, batch)
    at = parse_values(values, by_size, sides)
    need_values(sides, at)
    whole = elaborate.equation(sides, at)
    if str(whole.left) != wanted:
        raise ValueError(
            f"a program of this size needs {wanted} on the left; got {sides.left} = {whole.left}"
        )
    verdict = elaborate.check(sides, at)
    if not verdict.holds:
        raise Wrong(verdict)
    return whole.right


def own_program(
    statement: Statement | Formula, values: str, sizes: Mapping[str, Any]
) -> tuple[str, Formula]:
    """Return the system of a program of a formula, and the formula: a factorization of F(N), as
    `own_formula` has it, the right side of another equation, or an expression alone.

    Raises Wrong where an equation is wrong, ValueError where the size is another.

    >>> own_program("F(2) (x) I(n/2)", "n=8", {"N": 8})
    ('formula', (F_2 ⊗ I_4))
    """
    statement = str(statement) if isinstance(statement, Formula) else statement
    statements, mark, own = str(statement).rpartition(";")
    if not isinstance(statement, str) or "=" in own:
        sides = typed(statement)
        if _is_fourier(sides.left, sizes.get("shape") or ()):
            return FFT.name, own_formula(sides, values, sizes)
        at = parse_values(values, {}, sides)
        need_values(sides, at)
        verdict = elaborate.check(sides, at)
        if not verdict.holds:
            raise Wrong(verdict)
        found = elaborate.equation(sides, at).right
    else:
        tree = parse_formula(own.strip(), f"{statements}{mark} " if mark else "")
        found = elaborate.formula(tree, parse_values(values, sides=Sides(tree, tree)))
    if sizes.get("shape"):
        raise ValueError(
            "several axes and batches need an equation of a Fourier transform, such as"
            f" F(m) (x) F(n) = ..; the formula computes vectors: give --size {sizes['N']} alone"
        )
    if not found.size == found.columns == sizes["N"]:
        raise ValueError(
            f"the formula is a {found.size} x {found.columns} matrix, and --size is {sizes['N']};"
            f" a program needs a square matrix, and its order as --size"
        )
    return OF_EXPRESSION.name, found


def _is_fourier(left: Text, shape: Sequence[int]) -> bool:
    """Return whether a left side is that of a Fourier transform: F(n), or for the shape of arrays a
    product of F(n) and I(B) alone.
    """
    operands = left.operands if isinstance(left, Kron) and shape else (left,)
    names = ("F", "I") if shape else ("F",)
    return all(isinstance(each, Leaf) and each.name in names for each in operands)


def _of_sizes(left: Text, values: str, shape: Sequence[int], batch: int) -> dict[str, Fraction]:
    """Return the symbols of F(m) (x) F(n) that the axes give; raise ValueError for another left
    side, and where a value of these is stated again.
    """
    operands = left.operands if isinstance(left, Kron) else (left,)
    axes = operands[-len(shape) :]
    fitting = len(operands) in (len(shape), len(shape) + (batch > 0))
    if not fitting or any(not isinstance(each, Leaf) or each.name != "F" for each in axes):
        raise ValueError(
            f"a program needs {' (x) '.join(f'F({n})' for n in shape)} on the left, where symbols"
            f" may stand for the sizes; got {left}"
        )
    by_size = dict[str, Fraction]()
    for each, n in zip(axes, shape, strict=True):
        by_size |= elaborate.sized(each, n)
    stated = {str(one) for one, _, _ in parse_relations(values)}
    if again := [f"{name} = {by_size[name]}" for name in by_size if name in stated]:
        raise ValueError(
            f"{values}: the size {'x'.join(map(str, shape))} gives {', '.join(again)}; leave it out"
            f" of {named('set')}"
        )
    return by_size


def refuse_system(statement: object, N: Any, P: Any) -> None:
    """Raise ValueError for the name of a system."""
    if isinstance(statement, str) and statement in SYSTEMS:
        raise ValueError(
            f"{statement!r} is a system and no equation: its program is"
            f" nw.{statement.replace('-', '_')}({N}, {P}, ..), with options such as input='cyclic'"
        )
