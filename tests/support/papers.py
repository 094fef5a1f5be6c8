"""Equations of the papers at sizes, numbers or expressions, in the letters of the papers."""

from __future__ import annotations

from derive.formula.grammar import Equation
from derive.formula.permutations import lg
from derive.formula.transforms import LH
from derive.papers.statements.statement_tables import at_sizes
from derive.sizes import Size, divide
from derive.text.elaborate import equation
from derive.text.parse import parse


def cooley_tukey(r: Size, s: Size) -> Equation:
    return at_sizes("cooley-tukey", r=r, s=s)


def equation_1_6(N: int) -> Equation:
    return at_sizes("bsp-1.6", n=lg(N))


def theorem_2_2(u: Size, M: Size, k: Size) -> Equation:
    return at_sizes("bsp-theorem-2.2", 2, u=u, h=divide(k, 2), c=divide(M, u * k))


def corollary_2_3(r: Size, p: Size, N: Size, k: Size) -> Equation:
    sizes = {"u": divide(p, r), "h": divide(k, 2), "c": divide(N, p * k)}
    return at_sizes("bsp-corollary-2.3", r=r, **sizes)


def equation_2_5(N: int, P: int) -> Equation:
    return at_sizes("bsp-2.5", a=lg(P), e=lg(N) - 2 * lg(P))


def lemma_3_1(u: int, N: int) -> Equation:
    return at_sizes("bsp-lemma-3.1", q=lg(u), d=lg(N // u))


def corollary_3_2(u: int, N: int) -> Equation:
    return at_sizes("bsp-corollary-3.2", q=lg(u), d=lg(N // u))


def equation_3_5(u: Size, d: Size, P: Size, n: Size) -> Equation:
    return at_sizes("bsp-3.5", u=u, d=d, g=divide(P, d * u), c=divide(n, d))


def hartley_step(h: Size) -> Equation:
    return at_sizes("fht-step", h=h)


def hartley_factor(s: Size, N: Size) -> Equation:
    return Equation("fht-factor", "", LH(s, N), LH(s, N).definition)


def transposed_cooley_tukey(r: Size, s: Size) -> Equation:
    text = "F(r*s) = L(r*s,s) * I(r) (x) F(s) * T(r*s,s) * F(r) (x) I(s)"
    return equation(parse(text), {"r": r, "s": s})
