r"""Formula texts as mathematics: as LaTeX, and in the letters in which proofs are written.

    F(r) (x) I(s) * L(n, r)      (F_{r} \otimes I_{s}) \, L^{n}_{r}      (F_{r} ⊗ I_{s}) L^{n}_{r}

Both are printed by the same functions, in a style.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from derive.formula.latex import BETWEEN, in_lines
from derive.formula.named_matrices import row_of
from derive.text.definitions import declared, defined_in, last_case
from derive.text.expressions import Name, Number, Operation, Size, loose, negative
from derive.text.syntax import (
    FACTORS,
    Added,
    Again,
    Applied,
    Beside,
    Defined,
    Leaf,
    Ordered,
    Own,
    Power,
    Ranged,
    Scaled,
    Sides,
    Stacked,
    Text,
    Times,
    Variable,
    signed,
)


@dataclass(frozen=True)
class Style:
    """The style of a printed formula: operators, a product over an index, which letter of
    a matrix, what is applied to a formula, a sum of sizes and a product of numbers, a diagonal
    or a permutation by its digits, what stands between these, the imaginary unit, a sum over an
    index, a square root, what stands before a statement beside an equation, a matrix of sizes, a
    symbol that is a size.
    """

    times: str
    kron: str
    plus: str
    product: str
    applied: Mapping[str, str]
    letter: str
    other: str
    sums: str
    dot: str
    ranged: str
    comma: str
    unit: str
    sum: str
    root: str
    beside: str
    member: str
    whole: str


LATEX = Style(
    times=BETWEEN,
    kron=r" \otimes ",
    plus=r" \oplus ",
    product=r"\prod_{{{}={}}}^{{{}}} {}",
    applied={"inv": "{}^{{-1}}", "transpose": r"{}^{{\mathsf{{T}}}}", "conj": r"\overline{{{}}}"},
    letter="tex",
    other=r"\mathrm{{{}}}",
    sums="{}{}{}",
    dot=r" \cdot ",
    ranged=r"\operatorname{{{}}}_{{{}}} ({})",
    comma=r",\,",
    unit=r"\mathrm{i}",
    sum=r"\sum_{{{} < {}}} {}",
    root=r"\sqrt{{{}}}",
    beside=r", \quad ",
    member=r"{} \in \mathbb{{C}}^{{{} \times {}}}",
    whole=r"{} \in \{{1, 2, \dots\}}",
)
LETTERS = Style(
    times=" ",
    kron=" ⊗ ",
    plus=" ⊕ ",
    product="∏_{{{} = {}}}^{{{}}} {}",
    applied={"inv": "{}^-1", "transpose": "{}^T", "conj": "{}^{{*}}"},
    letter="letter",
    other="{}",
    sums="{} {} {}",
    dot=" · ",
    ranged="{}_{{{}}} ({})",
    comma=", ",
    unit="i",
    sum="∑_{{{} < {}}} {}",
    root="({})^{{1/2}}",
    beside=", ",
    member="{} ∈ ℂ^{{{} × {}}}",
    whole="{} = 1, 2, ..",
)
LOOSE = FACTORS | Ordered
ADDED = Stacked | Added | Scaled


def latex(text: Text) -> str:
    r"""Return a text as LaTeX, without dollar signs.

    >>> from derive.text.parse import parse
    >>> print(latex(parse("F(r*s) = F(r) (x) I(s) * T(r*s,s) * L(2^n,r)").right))
    (F_{r} \otimes I_{s}) \, T^{r s}_{s} \, L^{2^{n}}_{r}
    """
    return formula(text, LATEX)


def equation(sides: Sides, style: Style = LATEX) -> str:
    r"""Return an equation in a style, LaTeX without dollar signs; behind it the matrix variables
    and the definitions.

    >>> from derive.text.parse import parse
    >>> print(equation(parse("A : m x n; I(m) * A = A")))
    I_{m} \, A = A, \quad A \in \mathbb{C}^{m \times n}
    >>> print(equation(parse("let G(n) = F(2) (x) G(n-1), G(0) = I(1); G(n) = G(n)")))
    G_{n} = G_{n}, \quad G_{n} = F_{2} \otimes G_{n-1}, \quad G_{0} = I_{1}
    """
    left, right = (formula(side, style) for side in (sides.left, sides.right))
    return f"{left} = {right}{_given(sides, style)}"


def displayed(sides: Sides) -> str:
    """Return an equation as a notebook shows it, in lines, with dollar signs."""
    right = sides.right
    factors = _factors(right.factors, LATEX) if isinstance(right, Times) else [latex(right)]
    return in_lines(latex(sides.left), [*factors[:-1], factors[-1] + _given(sides, LATEX)])


def _given(sides: Sides, style: Style) -> str:
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
    given = node.definition
    head = Defined(given, tuple(map(Name, given.parameters)))
    found = [f"{shown(head)} = {shown(given.body)}"]
    if given.base:
        last = Defined(given, last_case(given).arguments)
        found.append(f"{shown(last)} = {shown(given.base[1])}")
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
        case Times(parts):
            return style.times.join(_factors(parts, style))
        case Beside((Leaf("sqrt"), *_)):
            return style.times.join(_factors(text.operands, style))
        case Beside(parts):
            return style.kron.join(_within(part, LOOSE, style) for part in parts)
        case Stacked(parts):
            return style.plus.join(_within(part, LOOSE, style) for part in parts)
        case Ordered(index, _, _, body, "sum"):
            inner = _within(body, FACTORS, style)
            return style.sum.format(_name(index, style), size(text.count, style), inner)
        case Ordered(index, first, last, body):
            bounds = _name(index, style), size(first, style), size(last, style)
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
    if imaginary and by in (Number(1), negative(Number(1))):
        return ("-" if by != Number(1) else "") + style.unit
    shown = f"({size(by, style)})" if loose(by) else size(by, style)
    return f"{shown} {style.unit}" if imaginary else shown


def _own(text: Own, style: Style) -> str:
    """Return a matrix by its digits, a matrix variable, or what is defined.

    >>> from derive.text.parse import parse_formula
    >>> print(formula_in_letters(parse_formula("diag(j < n, j/n) * perm(a < r, b < s, a*s+b)")))
    diag_{j < n} (w^{j/n}) perm_{a < r, b < s} (a s + b)
    """
    match text:
        case Ranged(name, indices, of):
            digits = (f"{_name(x, style)} < {size(radix, style)}" for x, radix in indices)
            shown = f"w^{{{size(of, style)}}}" if name == "diag" else size(of, style)
            return style.ranged.format(name, style.comma.join(digits), shown)
        case Variable(name):
            return _name(name, style)
        case Defined() | Again():
            name = text.definition.name if isinstance(text, Defined) else text.name
            letter = _name(name, style) if style is LATEX else name
            letter = f"{{{letter}}}" if "_" in letter else letter
            return f"{letter}_{{{','.join(size(each, style) for each in text.arguments)}}}"


def _is_raised(text: Text) -> bool:
    """Return whether something stands above a matrix already."""
    if not isinstance(text, Leaf):
        return False
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
    if [*marks] == ["^", "_"]:
        return f"{letter}^{{{shown[0]}}}_{{{shown[1]}}}"
    above = f"^{{{shown[below]}}}" if below < len(shown) else ""
    return f"{letter}_{{{','.join(shown[:below])}}}{above}"


def size(value: Size, style: Style = LATEX) -> str:
    r"""Return a size as mathematics in a style.

    >>> from derive.text.expressions import Name, Number, Operation
    >>> size(Operation("*", Number(2), Operation("+", Name("n1"), Number(3))))
    '2 (n_{1}+3)'
    >>> print(size(Operation("*", Operation("/", Name("n"), Name("r")), Number(2))))
    (n/r) \cdot 2
    """
    match value:
        case Number(number):
            return str(number)
        case Name(name):
            return _name(name, style)
        case Operation("^", left, right):
            return f"{_enclosed(left, '+-*/^', style)}^{{{size(right, style)}}}"
        case Operation("-", Number(0), right):
            return f"-{_enclosed(right, '+-', style)}"
        case Operation("*", left, right):
            before, after = _enclosed(left, "+-/", style), _enclosed(right, "+-", style)
            return before + (style.dot if after[0].isdecimal() else " ") + after
        case Operation("/", left, right):
            return f"{_enclosed(left, '+-', style)}/{_enclosed(right, '+-*/', style)}"
        case Operation(sign, left, right):
            return style.sums.format(size(left, style), sign, _enclosed(right, "+-", style))


def _enclosed(value: Size, signs: str, style: Style) -> str:
    """Return a size as it stands in another: operations with these signs in parentheses."""
    in_parentheses = isinstance(value, Operation) and value.sign in signs
    return f"({size(value, style)})" if in_parentheses else size(value, style)


def _name(name: str, style: Style) -> str:
    r"""Return a symbol: its letter, and digits or a subscript below it.

    >>> print(*(_name(each, LATEX) for each in ("n1", "n", "size", "r_1", "N_max")))
    n_{1} n \mathrm{size} r_{1} N_{\mathrm{max}}
    """
    word, *scripts = name.split("_")
    below = ",".join(scripts)
    letters = word.rstrip("0123456789")
    if len(letters) > 1:
        letters = style.other.format(word)
    elif word != letters:
        below = ",".join(filter(None, (word[1:], below)))
    if not below.replace(",", "").isdecimal() and len(below) > 1:
        below = style.other.format(below)
    return f"{letters}_{{{below}}}" if below else letters
