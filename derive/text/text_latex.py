r"""Formula texts as mathematics: as LaTeX, and in the letters in which proofs are written.

    F(r) (x) I(s) * L(n, r)      (F_{r} \otimes I_{s}) \, L^{n}_{r}      (F_{r} ⊗ I_{s}) L^{n}_{r}

Both are printed by the same functions, in a style.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from derive.formula.combinations import Sqrt
from derive.formula.grammar import operands_of
from derive.formula.latex import LATEX, LETTERS, Style, name_in, size
from derive.formula.named_matrices import row_of
from derive.formula.permutation_matrices import Bmmc
from derive.formula.transforms import HatSum, W
from derive.formula.values import Stated
from derive.text.definitions import declared, defined_in, last_case
from derive.text.expressions import Name, Number, Size, is_negative, loose, negative
from derive.text.syntax import (
    FACTORS,
    Added,
    Again,
    Applied,
    Defined,
    DirectSum,
    Kron,
    Leaf,
    Ordered,
    Power,
    Product,
    Ranged,
    Scaled,
    Sides,
    Text,
    Variable,
    signed,
)

LOOSE = FACTORS | Ordered
PLAIN = str.maketrans(
    {each: rf"\{each}" for each in "{}$&#_%"}
    | {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", "<": r"\lt ", ">": r"\gt "}
)
"""Names of permutations, those of files among them, as LaTeX."""
ADDED = DirectSum | Added | Scaled


def latex(text: Text) -> str:
    r"""Return a text as LaTeX, without dollar signs.

    >>> from derive.text.parse import parse
    >>> print(latex(parse("F(r*s) = F(r) (x) I(s) * T(r*s,s) * L(2^n,r)").right))
    (F_{r} \otimes I_{s}) \, T^{r s}_{s} \, L^{2^{n}}_{r}
    """
    return formula(text, LATEX)


def equation(sides: Stated, style: Style = LATEX) -> str:
    r"""Return an equation in a style, LaTeX without dollar signs; behind it the matrix variables
    and the definitions.

    >>> from derive.text.parse import parse
    >>> print(equation(parse("A : m x n; I(m) * A = A")))
    I_{m} \, A = A, \quad A \in \mathbb{C}^{m \times n}
    >>> print(equation(parse("let G(n) = F(2) (x) G(n-1), G(0) = I(1); G(n) = G(n)")))
    G_{n} = G_{n}, \quad G_{n} = F_{2} \otimes G_{n-1}, \quad G_{0} = I_{1}
    """
    left, right = (formula(side, style) for side in (sides.left, sides.right))
    return f"{left} = {right}{given(sides, style)}"


def factors(text: Text) -> list[str]:
    """Return the factors of a product, each as LaTeX."""
    return _factors(text.factors, LATEX) if isinstance(text, Product) else [latex(text)]


def given(sides: Stated, style: Style = LATEX) -> str:
    """Return the symbols of an equation that are sizes, its matrix variables with their sizes, and
    its definitions.
    """
    nodes = [node for side in (sides.left, sides.right) for node in defined_in(side)]
    whole = [style.whole.format(size(Name(x), style)) for x in declared(sides)]
    given = [*whole, *dict.fromkeys(one for node in nodes for one in _statements(node, style))]
    return "".join(f"{style.beside}{one}" for one in given)


def _statements(node: Variable | Defined, style: Style) -> list[str]:
    def shown(text: Text) -> str:
        return formula(text, style)

    if isinstance(node, Variable):
        return [style.member.format(shown(node), size(node.rows, style), size(node.columns, style))]
    given = node.by
    head = Defined(given, tuple(map(Name, given.parameters)))
    found = [f"{shown(head)} = {shown(given.body)}"]
    for last, base in given.bases:
        found.append(f"{shown(Defined(given, last_case(given, last).arguments))} = {shown(base)}")
    return found


def in_letters(sides: Sides) -> str:
    """Return an equation in the letters of a proof.

    >>> from derive.text.parse import parse
    >>> print(in_letters(parse("F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)")))
    F_{r s} = (F_{r} ⊗ I_{s}) T^{r s}_{s} (I_{r} ⊗ F_{s}) L^{r s}_{r}
    >>> print(in_letters(parse("inv(F(2^n)) = prod(k, 0, n-1, I(2^k) (x) B(2^(n-k)))")))
    F_{2^{n}}^-1 = ∏_{k = 0}^{n - 1} (I_{2^{k}} ⊗ B_{2^{n - k}})
    """
    return f"{formula_in_letters(sides.left)} = {formula_in_letters(sides.right)}"


def formula_in_letters(text: Text) -> str:
    """Return a formula in the letters of a proof."""
    return formula(text, LETTERS)


def formula(text: Text, style: Style) -> str:
    """Return a text as mathematics in a style."""
    match text:
        case Leaf():
            return _leaf(text, style)
        case Product(parts):
            return style.times.join(_factors(parts, style))
        case Kron((Leaf("sqrt") | Sqrt(), *_)):
            return style.times.join(_factors(text.operands, style))
        case Kron():
            return style.kron.join(_within(part, LOOSE, style) for part in operands_of(text))
        case DirectSum(parts):
            return style.plus.join(_within(part, LOOSE, style) for part in parts)
        case Ordered(index, _, _, body, "sum"):
            inner = _within(body, FACTORS, style)
            return style.sum.format(name_in(index, style), size(text.count, style), inner)
        case Ordered(index, first, last, body):
            bounds = name_in(index, style), size(first, style), size(last, style)
            return style.product.format(*bounds, _within(body, FACTORS, style))
        case Applied("conj", of) if style is LATEX:
            return style.applied["conj"].format(latex(of))
        case Applied(name, of):
            return style.applied[name].format(_base(of, _is_raised(of), style))
        case Power(of, exponent):
            return f"{_base(of, isinstance(of, Leaf), style)}^{{{size(exponent, style)}}}"
        case Added(terms):
            others = "".join(_added(term, style) for term in terms[1:])
            return _within(terms[0], Added, style) + others
        case Scaled(by) if not text.typed and is_negative(by):
            return f"-{formula(signed(text)[1], style)}"
        case Scaled(by, imaginary, of):
            return _scalar(by, imaginary, style) + style.times + _within(of, ADDED, style)
    return _own(text, style)


def _factors(parts: Sequence[Text], style: Style) -> list[str]:
    r"""Return the factors of a product; one of \prod ends where the next begins."""
    before = [_within(part, LOOSE, style) for part in parts[:-1]]
    return [*before, _within(parts[-1], FACTORS, style)]


def _within(text: Text, looser: object, style: Style) -> str:
    """Return a text as it stands in an operator: in parentheses if it binds more loosely."""
    shown = formula(text, style)
    return f"({shown})" if isinstance(text, looser) else shown  # type: ignore[arg-type]


def _base(text: Text, enclosed: bool, style: Style) -> str:
    """Return a text as it stands below a power: a matrix in parentheses where its own scripts
    could be taken for one.
    """
    looser = LOOSE | Applied | Power | Ranged
    return _within(text, looser | Leaf if enclosed else looser, style)


def _added(term: Text, style: Style) -> str:
    """Return a term of a sum that is not the first, with its sign."""
    sign, shown = signed(term)
    return f" {sign} {_within(shown, Added, style)}"


def _scalar(by: Size, imaginary: bool, style: Style) -> str:
    r"""Return the number before a matrix.

    >>> from derive.text.parse import parse_formula
    >>> print(latex(parse_formula("i/2 * F(4) - 2^n * I(4)")))
    1/2 \mathrm{i} \, F_{4} - 2^{n} \, I_{4}
    """
    if imaginary and by in (1, Number(1), negative(Number(1))):
        return ("-" if is_negative(by) else "") + style.unit
    shown = f"({size(by, style)})" if loose(by) else size(by, style)
    return f"{shown} {style.unit}" if imaginary else shown


def _own(text: Text, style: Style) -> str:
    """Return a matrix by its digits, a matrix variable, what is defined, or a matrix of values.

    >>> from derive.text.parse import parse_formula
    >>> print(formula_in_letters(parse_formula("diag(j < n, j/n) * perm(a < r, b < s, a*s+b)")))
    diag_{j < n} (w^{j/n}) perm_{a < r, b < s} (a s + b)
    """
    match text:
        case Ranged(name, indices, of):
            digits = (f"{name_in(x, style)} < {size(radix, style)}" for x, radix in indices)
            shown = f"w^{{{size(of, style)}}}" if name == "diag" else size(of, style)
            return style.ranged.format(name, style.comma.join(digits), shown)
        case Variable(name, _, _, turned):
            transposed = style.applied["transpose"] if turned else "{}"
            return transposed.format(name_in(name, style))
        case Defined() | Again():
            name = text.by.name if isinstance(text, Defined) else text.name
            letter = name_in(name, style) if style is LATEX else name
            letter = f"{{{letter}}}" if "_" in letter else letter
            return f"{letter}_{{{','.join(size(each, style) for each in text.arguments)}}}"
        case Sqrt(a):
            return style.root.format(a)
        case W(name=name):
            return f"W_{{{name}}}"
        case Bmmc(_, name):
            return rf"\Pi_{{\mathrm{{{name.translate(PLAIN)}}}}}"
        case HatSum():
            return f"({formula(text.definition, style)})"
    raise TypeError(f"{text!r} has no letter")


def _is_raised(text: Text) -> bool:
    """Return whether something stands above a matrix already."""
    if not isinstance(text, Leaf):
        return isinstance(text, Ranged)
    marks = row_of(text.name).marks
    return [*marks] == ["^", "_"] or len(text.sizes) > len(marks.get("_", text.sizes))


def _leaf(leaf: Leaf, style: Style) -> str:
    letter = getattr(row_of(leaf.name), style.letter) or style.other.format(leaf.name)
    shown, marks = [size(each, style) for each in leaf.sizes], row_of(leaf.name).marks
    below = len(marks.get("_", shown))
    if not shown:
        return letter
    if leaf.name == "sqrt":
        return style.root.format(*shown)
    if leaf.name == "ButterflySum" and style is LATEX:
        return _butterfly_sum(leaf.sizes[2], f"A_{{{shown[0]},{shown[1]}}}", shown[2])
    if [*marks] == ["^", "_"]:
        return f"{letter}^{{{shown[0]}}}_{{{shown[1]}}}"
    above = f"^{{{shown[below]}}}" if below < len(shown) else ""
    return f"{letter}_{{{','.join(shown[:below])}}}{above}"


def _butterfly_sum(u: Any, stage: str, shown: str) -> str:
    """Return diag(A^{0/u}, ..., A^{(u-1)/u}), with all terms where a number u is at most 3."""
    last = str(u - 1) if isinstance(u, int) else f"({shown}-1)"
    few = isinstance(u, int) and u <= 3
    above = [*map(str, range(u))] if few else ["0", "1", r"\ldots", last]
    terms = [top if top == r"\ldots" else f"{stage}^{{{top}/{shown}}}" for top in above]
    return rf"\operatorname{{diag}}({', '.join(terms)})"
