"""The grammar of formulas as text, and its parser. A text is never evaluated; an error names the
column.

    sum      = ["-"] direct { ("+" | "-") direct }
    direct   = product { ("(+)" | "⊕") product }
    product  = [ scalar ["*"] ] kron { ["*"] kron }
    kron     = operand { ("(x)" | "⊗") operand }
    operand  = atom { "^-1" | "^" exponent }
    exponent = SYMBOL | NUMBER | "(" size ")"
    scalar   = number { ("*" | "/") number }
    number   = ( SYMBOL | NUMBER | "(" size ")" | complex ) [ "^" exponent ] | "i"
             | "sqrt" "(" size ")"
    complex  = "(" ["-"] scalar { ("+" | "-") scalar } ")"
    atom     = "(" sum ")" | LETTER | ( NAME | DEFINED ) "(" size { "," size } ")" | NAME scripts
             | ("inv" | "transpose" | "conj" | "re" | "im") "(" sum ")"
             | "prod" "(" SYMBOL "," size "," size "," sum ")" | "sum" "(" digit "," sum ")"
             | ("diag" | "perm") "(" digit { "," digit } "," size ")"
             | "diag" "(" atom "," "..." "," atom ")"
    digit    = SYMBOL "<" size
    scripts  = { "_" script | "^" script }
    script   = NAME | NUMBER | "{" size { "," size } "}"

A LETTER is a matrix variable, which hides a matrix of the same name. What is DEFINED has a
definition (statements.py), which hides none. In a scalar, i is the imaginary unit, and a complex
number in parentheses is a 1 x 1 matrix: (1 + i) * A is read as (I(1) + i * I(1)) (x) A. re(A) is
read as 1/2 * (A + conj(A)), im(A) as -i/2 * (A - conj(A)). The scripts are how the program prints:
F_8, L^8_2, Γ_{2,4,8}^-1, A_{4,8}^{1/2}; a SYMBOL with a _ stands in braces there. MATRICES
(derive.formula.leaves) has the names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from derive.call_arguments import perhaps
from derive.formula.named_matrices import ALIASES, MATRICES, parameters
from derive.text.expressions import FormulaError, Number, Operation, Size, negative
from derive.text.syntax import (
    Added,
    Again,
    Applied,
    Defined,
    Definition,
    DirectSum,
    Kron,
    Leaf,
    Ordered,
    Power,
    Product,
    Ranged,
    Scaled,
    Text,
    Variable,
    leaf,
)
from derive.text.text_sizes import Numbers, negated
from derive.text.tokens import OPERATORS, Token

KEYWORDS = ("prod", "sum", "diag", "perm", "re", "im", "let", "x")
KRON = "the Kronecker product is (x)"
Rule = Callable[[Token], Text]


class Parser(Numbers):
    """Reads a text of formulas; a method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.letters: dict[str, Variable] = {}
        """The matrix variables."""
        self.definitions: dict[str, Definition] = {}
        """The definitions so far."""
        self.head: Definition | None = None
        """The definition that is being read."""
        self.indices: set[str] = set()
        """The indices of products and sums."""

    def sum(self) -> Text:
        """Read a sum of matrices."""
        column, terms = self.next.column, [self.signed(self.skip("-"))]
        while self.next.text in ("+", "-"):
            terms.append(self.signed(self.take().text == "-"))
        return terms[0] if len(terms) == 1 else Added(tuple(terms), column=column)

    def signed(self, minus: bool) -> Text:
        """Read a direct sum, or minus a direct sum."""
        return negated(self.direct(), minus)

    def direct(self) -> Text:
        """Read a direct sum."""
        column, terms = self.next.column, self.listed(self.product, "(+)")
        return terms[0] if len(terms) == 1 else DirectSum(terms, column=column)

    def product(self) -> Text:
        """Read a product, perhaps with a number first; between two factors * may be left out."""
        column = self.next.column
        if self.number_next():
            number = self.scalar()
            self.skip("*")
            return number.times(self.factors(), column)
        return self.factors()

    def factors(self) -> Text:
        """Read the factors of a product."""
        column, factors = self.next.column, [self.kron()]
        while self.skip("*") or self.next.kind == "name" or self.next.text == "(":
            factors.append(self.kron())
        return factors[0] if len(factors) == 1 else Product(tuple(factors), column=column)

    def is_matrix(self, name: str) -> bool:
        """Return whether a name is that of a matrix or of an operator."""
        return name in (*MATRICES, *ALIASES, *OPERATORS, *KEYWORDS, *self.letters, *self.own_names)

    def kron(self) -> Text:
        """Read a Kronecker product."""
        column, operands = self.next.column, self.listed(self.operand, "(x)")
        return operands[0] if len(operands) == 1 else Kron(operands, column=column)

    def operand(self) -> Text:
        """Read a matrix or a formula in parentheses, perhaps its inverse or a power."""
        column = self.next.column
        found = self.atom()
        while self.next.text == "^":
            if self.follows("^", "-", "1"):
                self.at += 3
                found = Applied("inv", found, column=column)
                continue
            self.take()
            found = Power(found, self.base(), column=column)
        return found

    def atom(self) -> Text:
        """Read what an operator may stand before and after."""
        if self.skip("("):
            return self.inside(self.sum, "at the end of the parentheses")
        if self.next.text in self.letters:
            return self.lettered(self.take())
        if self.next.text in self.own_names:
            return self.defined(self.take())
        if self.next.kind != "name":
            raise self.error("a matrix, such as F(8), or '('")
        word = self.take()
        if word.text in (*OPERATORS, *KEYWORDS):
            return self.applied(word)
        name = ALIASES.get(word.text, word.text)
        if name not in MATRICES:
            words = (*MATRICES, *OPERATORS, "re", "im", "prod", "sum", "diag", "perm")
            raise FormulaError(
                f"column {word.column}: unknown matrix {word.text}{perhaps(word.text, words)}:"
                f" the matrices are {', '.join(words)}"
            )
        return self.called(name, word) if self.skip("(") else self.scripted(name, word)

    def lettered(self, word: Token) -> Variable:
        """Return a matrix variable."""
        if self.next.text == "(" and self.next.column == word.column + len(word.text):
            raise FormulaError(
                f"column {word.column}: {word.text} is a matrix variable, and stands without sizes"
            )
        return replace(self.letters[word.text], column=word.column)

    @property
    def own_names(self) -> set[str]:
        """The names that are defined, and the one that is being defined."""
        return {*self.definitions} | ({self.head.name} if self.head else set())

    def defined(self, word: Token) -> Defined | Again:
        """Read the sizes of a matrix that is defined."""
        of = self.definitions.get(word.text) or self.head
        assert of is not None
        self.want("(", f"after {word.text}")
        read = partial(self.listed, self.size, ",")
        sizes = self.inside(read, f"or ',' after a size of {word.text}")
        if len(sizes) != len(of.parameters):
            raise _miscounted(word, sizes, of.head)
        if of is self.head:
            return Again(word.text, sizes, column=word.column)
        return Defined(of, sizes, column=word.column)

    def applied(self, word: Token) -> Text:
        """Read inv(A), transpose(A), conj(A), re(A), im(A), prod(k, a, b, A) or diag(A, ..., A)."""
        if word.text == "x":
            raise FormulaError(f"column {word.column}: x is not a matrix; {KRON}")
        self.want("(", f"after {word.text}")
        rules: dict[str, Rule] = {"prod": self.ordered, "diag": self.stages, "perm": self.ranged}
        rules |= {"re": self.real_part, "im": self.real_part, "sum": self.summed}
        if self.digit_next():
            rules["diag"] = self.ranged
        read = partial(rules.get(word.text, self.function), word)
        return self.inside(read, f"at the end of {word.text}")

    def digit_next(self) -> bool:
        """Return whether a digit comes next, j < n."""
        at = self.at
        while self.tokens[at].kind in ("name", "number") or self.tokens[at].text == "_":
            at += 1
        return at > self.at and self.tokens[at].text == "<"

    def ranged(self, word: Token) -> Ranged:
        """Read the digits and the phase of a diag, or the target of a perm."""
        digits: dict[str, Size] = {}
        while self.digit_next() or not digits:
            column, name = self.next.column, self.index()
            if name in digits:
                raise FormulaError(f"column {column}: {word.text} has two digits {name}")
            self.want("<", f"after the digit {name} of {word.text}")
            digits[name] = self.size()
            self.want(",", f"after a digit of {word.text}")
        return Ranged(word.text, tuple(digits.items()), self.size(), column=word.column)

    def function(self, word: Token) -> Text:
        """Read A of inv, transpose or conj."""
        return Applied(word.text, self.sum(), column=word.column)

    def real_part(self, word: Token) -> Text:
        """Read A of re or im: half of A and its conjugate, or of their difference by i."""
        of, minus, half = self.sum(), word.text == "im", Operation("/", Number(1), Number(2))
        other: Text = Applied("conj", of)
        other = Scaled(negative(Number(1)), False, other) if minus else other
        return Scaled(negative(half) if minus else half, minus, Added((of, other)))

    def ordered(self, word: Token) -> Ordered:
        """Read k, a, b, A of a prod."""
        index = self.index()
        self.indices.add(index)
        first, last = self.comma(index).size(), self.comma(index).size()
        return Ordered(index, first, last, self.comma(index).sum(), column=word.column)

    def summed(self, word: Token) -> Ordered:
        """Read k < n, A of a sum."""
        index = self.index()
        self.indices.add(index)
        self.want("<", f"after the index {index} of sum")
        column, count = self.next.column, self.size()
        self.want(",", f"in sum({index} < {count}, formula)")
        last = Operation("-", count, Number(1), column=column)
        return Ordered(index, Number(0), last, self.sum(), "sum", column=word.column)

    def index(self) -> str:
        """Read the index of a prod or a sum."""
        if self.next.kind != "name":
            raise self.error("an index, such as k")
        return self.subscripted().name

    def comma(self, index: str) -> Parser:
        """Go past a comma of a prod."""
        self.want(",", f"in prod({index}, first, last, formula)")
        return self

    def stages(self, word: Token) -> Leaf:
        """Read A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}, as a direct sum of stages is printed."""
        first = self.atom()
        for mark in (",", "...", ","):
            self.want(mark, "in diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u})")
        last = self.atom()
        match first, last:
            case Leaf("A", (k, n, Operation("/", Number(0), u))), Leaf(
                "A", (k1, n1, Operation("/", Operation("-", u1, Number(1)), u2))
            ):
                if (k, n, u, u) == (k1, n1, u1, u2):
                    return leaf("ButterflySum", k, n, u, column=word.column)
        raise FormulaError(
            f"column {word.column}: diag is read as diag(A_{{k,n}}^{{0/u}}, ...,"
            " A_{k,n}^{(u-1)/u}): write other ones with (+)"
        )

    def called(self, name: str, word: Token) -> Leaf:
        """Read the sizes of a matrix in parentheses."""
        read = partial(self.listed, self.size, ",")
        return self.leaf(name, self.inside(read, f"or ',' after a size of {word.text}"), word)

    def scripted(self, name: str, word: Token) -> Leaf:
        """Read a matrix's sizes as scripts: L^N_r, T^N_s, others below, a stage's alpha above."""
        scripts: dict[str, tuple[Size, ...]] = {}
        while self.next.text in ("_", "^") and not self.follows("^", "-", "1"):
            mark = self.take()
            if mark.text in scripts:
                raise FormulaError(f"column {mark.column}: {word.text} has two scripts {mark.text}")
            scripts[mark.text] = self.script()
        if not scripts:
            raise self.without_size(name, word)
        above, below = scripts.get("^", ()), scripts.get("_", ())
        return self.leaf(name, above + below if name in ("L", "T") else below + above, word)

    def without_size(self, name: str, word: Token) -> FormulaError:
        """Return the error at a matrix that has neither sizes nor scripts."""
        why = ", and x cannot be a size symbol" if self.next.kind == "kron" else ""
        more = f"; {KRON}" if self.next.text == "x" else ""
        return FormulaError(
            f"column {word.column}: {word.text} stands without its size{why}: write"
            f" {word.text}({_shown(name)}), or begin with '{word.text} : m x n;' where"
            f" it is a matrix variable{more}"
        )

    def script(self) -> tuple[Size, ...]:
        """Read a script: a name, a number, or sizes in braces."""
        if not self.skip("{"):
            return (self.symbol() if self.next.kind == "name" else self.base(),)
        sizes = self.listed(self.size, ",")
        self.want("}", "at the end of a script")
        return sizes

    def leaf(self, name: str, sizes: tuple[Size, ...], word: Token) -> Leaf:
        """Return a matrix with so many sizes as it takes."""
        wanted = [one.shown for one in parameters(name, len(sizes))]
        if not sum(not one.endswith("?") for one in wanted) <= len(sizes) <= len(wanted):
            raise _miscounted(word, sizes, f"{word.text}({', '.join(wanted)})")
        return leaf(name, *sizes, column=word.column)


def _shown(name: str) -> str:
    """Return the arguments of a matrix as they are stated."""
    return ", ".join(one.shown for one in parameters(name))


def _miscounted(word: Token, sizes: tuple[Size, ...], head: str) -> FormulaError:
    count = head.count(",") + 1
    arguments = f"{count} argument{'s' * (count > 1)}"
    return FormulaError(
        f"column {word.column}: {word.text} takes {arguments}, {head}; got {len(sizes)}"
    )
