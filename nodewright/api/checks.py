"""The exact check of a program: the equations that it rests on, and its supersteps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from codegen.program.meaning import check as check_supersteps
from codegen.program.supersteps import Program
from codegen.systems.record import Progress
from derive.call_arguments import counted
from derive.exact.exact_check import check as check_equation
from derive.formula.grammar import Equation
from derive.lazy import lazily
from derive.papers.statements.statement_tables import theorem_statements
from derive.show import html
from derive.text.parse import parse
from derive.verdict import Checked, Verdict
from nodewright.api.judged import Judged

if TYPE_CHECKING:
    from derive import symbolic_products
else:
    symbolic_products = lazily("derive.symbolic_products")


class Statement(NamedTuple):
    """A statement about a program, its source in a paper or module, and its verdict."""

    name: str
    source: str
    verdict: Verdict


@dataclass(frozen=True, repr=False)
class Report(Judged):
    """The result of an exact check of a program, as `Program.check` returns it.

    Attributes:
        program: the supersteps that were checked.
        statements: tuples (name, source, verdict) for the equations that the program is derived
            from, and last for its supersteps.
        seconds: the elapsed time in seconds.

    Examples:
        >>> import nodewright as nw
        >>> report = nw.fft(16, 4).check()
        >>> report.kind, report.wrong, report.statements[-1].name
        ('checked', (), 'supersteps')
    """

    program: Program
    statements: tuple[Statement, ...]
    seconds: float

    @property
    def wrong(self) -> tuple[Statement, ...]:
        """The statements that do not hold."""
        return tuple(statement for statement in self.statements if not statement.verdict.holds)

    @property
    def verdict(self) -> Verdict:
        """Checked if all statements hold, otherwise the verdict on the first that does not."""
        request = self.program.request
        return next(
            (statement.verdict for statement in self.wrong),
            Checked(
                f"{request.system}, N = {request.N}, P = {request.P}",
                counted(len(self.statements), "statement"),
            ),
        )

    def _repr_html_(self) -> str:
        """Return the report as a notebook shows it: a row for each statement."""
        said = [
            (name, source, html.verdict(found.kind, found.statement, found.evidence))
            for name, source, found in self.statements
        ]
        head = html.verdict(self.kind, self.statement, self.evidence)
        return html.fragment(head, html.table(("statement", "source", "found"), said))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as `nodewright check --json` prints it."""
        return {
            "system": self.program.request.system,
            "size": self.program.N,
            "ranks": self.program.P,
            "input": self.program.input.name,
            "output": self.program.output.name,
            "verdict": "refuted" if self.wrong else "checked",
            "equations": [
                {"name": name, "source": source, **verdict.to_dict()}
                for name, source, verdict in self.statements
            ],
            "seconds": self.seconds,
        }


def checked(program: Program, seed: int = 0, tell: Progress = lambda done: None) -> Report:
    """Return what an exact check of a program finds; `seed` draws the random vectors that decide
    large sizes.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> from derive.gf2 import bmmc
    >>> moved = bmmc.Bmmc(bmmc.shuffle(4), "A")
    >>> print(checked(resolve(make_request("permute", 16, 4, permutation=moved))))
    checked: permute, N = 16, P = 4 (3 statements)
    """
    start = perf_counter()
    found = tuple(Statement(*each) for each in _checks(program, seed, tell))
    return Report(program, found, perf_counter() - start)


def _checks(program: Program, seed: int, tell: Progress) -> Iterator[tuple[str, str, Verdict]]:
    """Yield (name, source, verdict) for a program's equations and for its supersteps."""
    yield from program.request.record.checks(program.request, seed, tell)
    known: dict[str, Verdict] = {}
    equations = _equations(program)
    for i, equation in enumerate(equations):
        if str(equation) not in known:  # (2.7) is (2.8) where P <= sqrt(N)
            known[str(equation)] = check_equation(
                equation, seed, partial(tell_part, tell, i, len(equations) + 1)
            )
        yield equation.name, equation.source, known[str(equation)]
    yield "supersteps", "codegen.program.resolve", check_supersteps(program)


def tell_part(tell: Progress, i: int, parts: int, done: float) -> None:
    """Tell how much is done in all when so much of part i is."""
    tell((i + done) / parts)


def _equations(program: Program) -> tuple[Equation, ...]:
    """Return the equations that a program rests on, its own among them unless there are none; not
    that a transform is itself, as of one step.
    """
    rests_on = program.request.record.rests_on
    if rests_on is None or program.request.shape:
        equation = program.equation
        return (equation,) * (str(equation.left) != str(equation.right)) + program.lemmas
    stated, left = rests_on(program.request), program.equation.left
    others = str(program.equation) not in {f"{left} = {left}", *map(str, stated)}
    return stated + (program.equation,) * (others and bool(stated))


STATEMENTS = ("cooley-tukey", "bsp-3.5", "bsp-3.6", "bsp-fft-two-phases")
"""Theorems whose equations sympy compares."""
PHASES = (
    (
        "a phase, P = u g, N = P d q e",
        "Inda & Bisseling 2000, (2.6)",
        "inv(Gamma(u,g*u,d*e*g*q*u)) * I(e*g*u) (x) F(d) (x) I(q) * Gamma(u,g*u,d*e*g*q*u)"
        " = I(e*g) (x) F(d) (x) I(q*u)",
    ),
    (
        "three phases, n = N/P = d m, P = n d",
        "Inda & Bisseling 2000, (2.8)",
        "F(d^3*m^2) = inv(Gamma(d^2*m,d^2*m,d^3*m^2)) * I(d^2*m) (x) F(d) (x) I(m)"
        " * Gamma(d^2*m,d^2*m,d^3*m^2) * T(d^3*m^2,d^2*m^2)"
        " * inv(Gamma(d*m,d^2*m,d^3*m^2)) * I(d^2*m) (x) F(d*m) * Gamma(d*m,d^2*m,d^3*m^2)"
        " * I(d) (x) T(d^2*m^2,d*m) * L(d^2*m,d) (x) I(d*m) * I(d^2*m) (x) F(d*m)"
        " * L(d^3*m^2,d^2*m)",
    ),
)
"""Others: a name, where the paper has it, and the equation."""
LIMITS = (
    "Sizes are products of symbols, as written. sympy compares two and three phases and does no"
    " induction: for any number of phases, nodewright prove bsp-fft-phases."
)
"""What is not compared."""


@dataclass(frozen=True, repr=False)
class Symbolic(Judged):
    """The result of comparing equations with symbolic sizes: a verdict for each."""

    statements: tuple[Statement, ...]
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """That all equations hold, else what was found of the first that does not."""
        found = (each.verdict for each in self.statements if not each.verdict.holds)
        return next(
            found, Checked("fft, symbolic N, P and u", f"{len(self.statements)} statements")
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as `check --symbolic` prints it with --json."""
        return {
            "system": "fft",
            "symbolic": True,
            "verdict": self.kind,
            "equations": [
                {"name": name, "source": source, **verdict.to_dict()}
                for name, source, verdict in self.statements
            ],
            "limits": LIMITS,
            "seconds": self.seconds,
        }


def symbolic_fft() -> Symbolic:
    """Return what sympy finds of the group-cyclic FFT for symbolic sizes.

    >>> print(symbolic_fft())
    checked: fft, symbolic N, P and u (8 statements)
    """
    start = perf_counter()
    found = tuple(
        Statement(name, source, symbolic_products.compare(parse(text)))
        for name, source, text in symbolic_statements()
    )
    return Symbolic(found, perf_counter() - start)


def symbolic_statements() -> Iterator[tuple[str, str, str]]:
    """Yield the equations that sympy compares, each with its name and its source."""
    stated = theorem_statements()
    for name in STATEMENTS:
        yield from ((name, stated[name].source, text) for text in stated[name].equations)
    yield from PHASES
