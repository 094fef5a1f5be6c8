"""LaTeX of formulas and equations, with the letters of Inda & Bisseling (2000); the Hartley factors
as L of s and N, with the letter H.
"""

from __future__ import annotations

from derive.formula.grammar import DirectSum, Equation, Formula, I, Inverse, Kron, Product
from derive.formula.permutation_matrices import Bmmc, Gamma, L, R, S
from derive.formula.transforms import BH, LH, A, AHat, B, ButterflySum, D, F, H, HatSum, Omega, T, W
from derive.symbolic import angle_latex, size_latex


def latex(formula: Formula | Equation) -> str:
    r"""Return the LaTeX of a formula or an equation, without dollar signs.

    >>> from derive.papers.bsp import cooley_tukey
    >>> print(latex(cooley_tukey(2, 4)))
    F_{8} = (F_{2} \otimes I_{4}) \, T^{8}_{4} \, (I_{2} \otimes F_{4}) \, L^{8}_{2}
    """
    match formula:
        case Equation(left=left, right=right):
            return f"{latex(left)} = {latex(right)}"
        case Kron(left, right):
            return (
                f"{_operand(left, (Product, DirectSum))} \\otimes"
                f" {_operand(right, (Product, DirectSum))}"
            )
        case DirectSum(terms):
            return r" \oplus ".join(_operand(term, (Product, Kron, DirectSum)) for term in terms)
        case Product(factors):
            return r" \, ".join(_operand(factor, (Kron, DirectSum)) for factor in factors)
        case Inverse(of):
            return f"{_operand(of, (L, ButterflySum, Product, Kron, DirectSum, Inverse))}^{{-1}}"
    return _leaf(formula)


def _operand(formula: Formula, enclosed: tuple[type[Formula], ...]) -> str:
    """Return the LaTeX of a part, in parentheses where it is one of the enclosed kinds."""
    return f"({latex(formula)})" if isinstance(formula, enclosed) else latex(formula)


def _indexed(letter: str, *sizes: object) -> str:
    return f"{letter}_{{{','.join(size_latex(size) for size in sizes)}}}"


def _raised(alpha: object) -> str:
    return "" if alpha == 0 else f"^{{{angle_latex(alpha)}}}"


def _leaf(leaf: Formula) -> str:
    match leaf:
        case I(n):
            return _indexed("I", n)
        case F(n):
            return _indexed("F", n)
        case H(n):
            return _indexed("H", n)
        case BH(K):
            return _indexed(r"B^{\mathrm{H}}", K)
        case LH(s, N):
            return _indexed(r"L^{\mathrm{H}}", s, N)
        case Omega(h, alpha):
            return _indexed(r"\Omega", h) + _raised(alpha)
        case B(K, alpha):
            return _indexed("B", K) + _raised(alpha)
        case D(K, alpha):
            return _indexed("D", K) + _raised(alpha)
        case A(K, N, alpha):
            return _indexed("A", K, N) + _raised(alpha)
        case T(N, s):
            return _indexed(f"T^{{{size_latex(N)}}}", s)
        case L(N, r):
            return _indexed(f"L^{{{size_latex(N)}}}", r)
        case S(u, M):
            return _indexed("S", u, M)
        case R(N):
            return _indexed("P", N)
        case Gamma(u, p, N):
            return _indexed(r"\Gamma", u, p, N)
        case AHat(k, u, p, N):
            return _indexed(r"\hat{A}", k, u, p, N)
        case W(name=name):
            return _indexed("W", name)
        case Bmmc(_, name):
            return rf"\Pi_{{\mathrm{{{name}}}}}"
        case ButterflySum():
            return _butterfly_sum(leaf)
        case HatSum():
            return f"({latex(leaf.definition)})"
    return str(leaf)


def _butterfly_sum(leaf: ButterflySum) -> str:
    """Return diag(A^{0/u}, ..., A^{(u-1)/u}), with the terms that a number u has where they are at
    most three.
    """
    u = size_latex(leaf.u)
    last = str(leaf.u - 1) if isinstance(leaf.u, int) else f"({u}-1)"
    shown = (
        [str(s) for s in range(leaf.u)]
        if isinstance(leaf.u, int) and leaf.u <= 3
        else ["0", "1", r"\ldots", last]
    )
    stage = _indexed("A", leaf.k, leaf.n)
    terms = [top if top == r"\ldots" else f"{stage}^{{{top}/{u}}}" for top in shown]
    return rf"\operatorname{{diag}}({', '.join(terms)})"
