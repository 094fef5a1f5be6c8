"""Equations between formulas: as text, exactly checked at one size, and those of the papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from time import perf_counter
from typing import TYPE_CHECKING, Any

from codegen import shapes
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.requests import make_request
from codegen.system_table import having, record_of
from codegen.systems.hypercube_fft import SCHEME
from derive.call_arguments import digits, integer, needs_arguments
from derive.digits.digit_factorization import hartley_along_axes, hartley_by_halves, hartley_by_rows
from derive.formula.grammar import Equation, Formula
from derive.formula.transforms import H
from derive.lazy import lazily
from derive.show import html
from derive.show.lists import Series
from derive.text import elaborate
from derive.text.expressions import FormulaError
from derive.text.parse import parse, parse_formula, parse_values
from derive.text.syntax import Sides
from derive.verdict import Verdict
from nodewright.api.judged import Judged

if TYPE_CHECKING:
    from proofs.show import fragments
else:
    fragments = lazily("proofs.show.fragments")

Value = int | Fraction | str
"""What a symbol of an equation stands for: a number, or a size such as 2^n."""
Values = Mapping[str, Value] | str
"""Values of symbols: {"r": 4}, or as --set takes them."""
Statement = str | Equation | Sides
"""An equation: as text, between formulas, or as `equation` returns it."""


@needs_arguments
def equation(left: Statement | Formula, right: Formula | None = None) -> Sides | Equation:
    """Return an equation of your own, from text or from formulas.

    Args:
        left: the text of the equation (docs/notation.md has the grammar), an equation of formulas
            such as F(4) == H(4), or the formula on the left side.
        right: the formula on the right side, if `left` is a formula.

    Returns:
        The equation, for `nw.check`, `nw.prove` and `nw.program`.

    Raises:
        ValueError: the text is not an equation (the error names the column), or the sides have
            different sizes.

    Examples:
        >>> equation("F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)")
        Equation('F(r*s) = F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)')
        >>> from derive.formula.transforms import F, H
        >>> equation(H(4) == F(4))
        Equation('H_4 = F_4')
    """
    if isinstance(left, Formula) and isinstance(right, Formula):
        left = Equation("equation", "", left, right)
    elif right is not None:
        raise ValueError(
            f"{left!r} and {right!r}: an equation is one text, 'LEFT = RIGHT', or two formulas"
        )
    match left:
        case str():
            return parse(left)
        case Equation() if not isinstance(left.left.size, int):
            return _as_text(left)
        case Sides() | Equation():
            return left
    raise ValueError(
        f"an equation must be a string 'LEFT = RIGHT' or left == right of formulas; got {left!r}"
    )


def diag(*digits: str) -> Formula:
    """Return a diagonal matrix with entries exp(-2πi x), x a function of the index.

    Args:
        digits: the digits of the index, such as "j < 8", and last the phase x in these digits.

    Returns:
        The diagonal matrix, of the order of the product of the bounds.

    Raises:
        ValueError: a text is of another form, or the phase is not a number at some index.

    Examples:
        >>> print(diag("j < 8", "j^2/16"), diag("j < 2", "j/4").to_matrix().diagonal().round(9)[1])
        diag(j < 8, j^2/16) -1j
    """
    return elaborate.formula(parse_formula(f"diag({', '.join(digits)})"), {})


def perm(*digits: str) -> Formula:
    """Return a permutation matrix that moves each index to a function of its digits.

    Args:
        digits: the digits of the index, such as "a < 4", "b < 2", and last the target index, which
            is reduced modulo the product of the bounds.

    Returns:
        The permutation matrix, of the order of this product.

    Raises:
        ValueError: a text is of another form, or two indices have the same target.

    Examples:
        >>> print(perm("a < 4", "b < 2", "b*4 + a"))
        perm(a < 4, b < 2, b*4+a)
    """
    return elaborate.formula(parse_formula(f"perm({', '.join(digits)})"), {})


def typed(statement: Statement) -> Sides:
    """Return an equation as it is written; raise ValueError as `equation` does.

    >>> from derive.formula.transforms import F
    >>> typed(F(4) == F(4))
    Equation('F(4) = F(4)')
    """
    found = equation(statement)
    return found if isinstance(found, Sides) else _as_text(found)


def _as_text(stated: Equation) -> Sides:
    """Return an equation between formulas as a text, which is what a proof states and a certificate
    keeps; raise ValueError where it does not read back as it prints.
    """
    try:
        return parse(str(stated))
    except FormulaError as error:
        raise ValueError(f"{stated!r} cannot be written as text: at {error}") from error


def stated_values(values: Mapping[str, Value], more: Values = "") -> str:
    """Return values of symbols as --set takes them; raise ValueError for what is no value.

    >>> stated_values({"r": 4, "s": "N/r"}), stated_values({"r": 4}, "s=N/r")
    ('r=4,s=N/r', 's=N/r,r=4')
    """
    if more:
        text = more if isinstance(more, str) else stated_values(more)
        return ",".join([text, *[stated_values(values)] * bool(values)])
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Rational | str):
            raise ValueError(
                f"{name} = {value!r}: a value is an integer, a Fraction or a size such as '2^n'"
            )
    return ",".join(f"{name}={value}" for name, value in values.items())


@dataclass(frozen=True, repr=False)
class Check(Judged):
    """The result of an exact check of an equation at one size, as `nw.check` returns it.

    Attributes:
        formula: the equation as text.
        values: the values of its symbols, as fractions.
        verdict: the verdict as an object.
        seconds: the elapsed time in seconds.

    Examples:
        >>> found = check("F(r*s) = F(r) (x) F(s)", r=2, s=3)
        >>> found.kind, found.values["s"]
        ('refuted', Fraction(3, 1))
    """

    formula: str
    values: Mapping[str, Fraction]
    verdict: Verdict
    seconds: float

    def _repr_html_(self) -> str:
        """Return the verdict as a notebook shows it, with the scripts of its formulas."""
        shown = (fragments.shown_as_html(text) for text in (self.statement, self.evidence))
        return html.fragment(html.verdict(self.kind, *shown))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as `nodewright check --formula --json` prints it."""
        values = {name: str(value) for name, value in self.values.items()}
        head = {"formula": self.formula, "values": values}
        return head | self.verdict.to_dict() | {"seconds": self.seconds}


@needs_arguments
def check(statement: Statement, /, seed: int = 0, **values: Value) -> Check:
    """Return a verdict on an equation at given values of its symbols, without rounding.

    Every entry is compared exactly; at large sizes the sides are applied to random vectors.

    Args:
        statement: the equation, as text or between formulas.
        seed: the seed of the random vectors.
        values: the value of each symbol, as keywords.

    Returns:
        A verdict whose `kind` is checked, refuted or undecided; `holds`, `evidence`,
        `counterexample`.

    Raises:
        ValueError: the equation cannot be read, a symbol has no value, or a size is not a positive
            integer.

    Examples:
        >>> found = check("F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)", r=2, s=4)
        >>> found.kind, bool(found), found.evidence
        ('checked', True, 'all 64 entries, exactly in Z[zeta_8]')
        >>> check("H(4) = F(4)").counterexample
        'entry (1, 1) is 1 on the left and -1i on the right'
        >>> check("F(n) = I(n)")
        Traceback (most recent call last):
        derive.text.expressions.FormulaError: n has no value; add n=...
    """
    return check_at(statement, stated_values(values), seed)


def check_at(statement: Statement, values: str, seed: int = 0) -> Check:
    """Return what `check` does, the values of symbols stated as --set takes them.

    >>> print(check_at("I(n) = J(n)", "n=1"))
    checked: I_1 = J_1 (the nonzero entries of all 1 rows, exactly in Z)
    """
    start, sides = perf_counter(), equation(statement)
    at = parse_values(values, sides=sides if isinstance(sides, Sides) else parse("I(1) = I(1)"))
    verdict = (
        elaborate.check(sides, at, integer(seed, "seed"))
        if isinstance(sides, Sides)
        else elaborate.decided(sides, integer(seed, "seed"))
    )
    return Check(str(sides), at, verdict, perf_counter() - start)


@needs_arguments
def equations(
    system: str,
    size: int | str | Sequence[int],
    ranks: int | str | Sequence[int],
    scheme: str | int = "",
    batch: int | str | None = None,
    **options: Any,
) -> Series[Equation]:
    """Return the equations of a system at one size; each has `name`, `source`, `left`, `right`.

    Args:
        system: the name of a system with equations between numbers, such as "fft" or "dct".
        size: the size, as for `nw.fft`: an integer, an expression such as "2^10", or a shape.
        ranks: the number of ranks, or a grid such as "2x2".
        scheme: the program of hypercube-fft, such as "3" or "5r".
        batch: the number of arrays that are transformed together.
        options: what else changes the transform: `axes`, `type`, `modulus`, `root`.

    Returns:
        The paper's equations for powers of two; otherwise that of the program with block layouts.

    Raises:
        ValueError: the system has no such equations, or does not support the size.

    References:
        Inda & Bisseling (2000), Aykanat & Dervis, and Lin, Chan & Karplus (1988).

    Examples:
        >>> print(equations("fft", 16, 4)[0])
        F_16 = A_{16,16} A_{8,16} A_{4,16} A_{2,16} P_16
    """
    _refuse_system(system, scheme)
    words = shapes.stated(size, ranks, batch) | options
    request = make_request(system, scheme=digits(scheme, "scheme"), **words)
    if request.shape:
        program = resolve(request)
        others = [_of_reals(program)] if request.record.matrix is H else []
        return Series([program.equation, *program.lemmas, *others])
    assert request.record.equations is not None, "others are refused before"
    return Series(request.record.equations(request))


def _refuse_system(system: str, scheme: str | int) -> None:
    """Raise ValueError unless the system has equations with sizes."""
    record = record_of(system)
    if record.equations is None or (scheme and SCHEME not in record.options):
        raise ValueError(
            f"{f'{system} {scheme}'.strip()!r}: equations with sizes are printed for"
            f" {having(lambda each: each.equations)}; {having(lambda each: SCHEME in each.options)}"
            " has a scheme"
        )


def _of_reals(program: Program) -> Equation:
    """Return the equation of a Hartley transform of arrays by Fourier transforms."""
    request, numbers = program.request, program.numbers
    assert numbers is not None, "a Hartley transform by digits"
    if program.halves:
        return hartley_by_halves(request.shape[0], program.halves.back, request.batch)
    if numbers.before.paired:
        return hartley_by_rows(request.shape, request.batch)
    return hartley_along_axes(request.shape, request.batch)
