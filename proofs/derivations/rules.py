"""The rules of a derivation: equations with letters for sizes and for matrices, read from left to
right or back. Each use of a rule is proved by the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from derive.text.expressions import Name, Size, rebuilt, unused
from derive.text.statements import Statements
from derive.text.syntax import (
    Called,
    Kron,
    Leaf,
    Ordered,
    Product,
    Sides,
    Text,
    leaf,
    replaced,
    symbols,
)
from derive.text.text_grammar import Parser
from proofs.derivations.matching import MARK, Matcher
from proofs.derivations.namesakes import Namesakes
from proofs.derivations.paths import joined
from proofs.derivations.size_products import in_lowest_terms, letters_of, with_numbers
from proofs.kernel.kernel_rules import Thm, sym
from proofs.prove.equation_proofs import Answer
from proofs.prove.translation.written import written

Orders = Mapping[str, Size]


class RuleParser(Statements):
    """Reads equations in which letters stand for matrices."""

    def __init__(self, text: str, orders: Orders) -> None:
        super().__init__(text)
        self.orders = orders

    def atom(self) -> Text:
        """Read a letter for a matrix, or what stands in other formulas."""
        word = self.next
        if word.text in self.orders and self.tokens[self.at + 1].text not in ("(", "_", "^"):
            return Called(self.take().text, (), column=word.column)
        return super().atom()

    def is_matrix(self, name: str) -> bool:
        """Return whether a name is that of a matrix, a letter for one among them."""
        return name in self.orders or super().is_matrix(name)


@dataclass(frozen=True)
class Rule:
    """An equation with a name; `orders` has the letters for matrices with their orders, `theorem`
    is the kernel's, where it is proved for all sizes at once. One that is `checked` holds at some
    sizes only: each use of it is checked, and assumed.
    """

    name: str
    sides: Sides
    source: str = ""
    orders: Orders = field(default_factory=dict)
    theorem: Thm | None = None
    checked: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"

    @property
    def text(self) -> str:
        """The equation; letters for matrices stand alone."""
        return str(self.sides).replace("()", "")

    @property
    def pattern(self) -> str:
        """The left side."""
        return str(self.sides.left).replace("()", "")

    @property
    def back(self) -> Rule:
        """The rule from right to left."""
        sides = Sides(self.sides.right, self.sides.left)
        theorem = self.theorem and sym(self.theorem)
        return Rule(f"<-{self.name}", sides, self.source, self.orders, theorem, self.checked)

    @cached_property
    def letters(self) -> dict[str, Any]:
        """The values of the letters for sizes: themselves, marked."""
        sizes = Called("I", tuple(self.orders.values()))
        texts = [_without(self.orders, side) for side in (self.sides.left, self.sides.right)]
        return letters_of(*texts, *([sizes] if self.orders else []), mark=MARK)

    def _matcher(self, of_text: Mapping[str, Any]) -> Matcher:
        return Matcher(self.orders, self.letters, of_text)

    def fits(self, part: Text, of_text: Mapping[str, Any]) -> bool:
        """Return whether the left side has the form of a formula, whatever their sizes are."""
        return self._matcher(of_text).fits(self.sides.left, part)

    def misfit(self, part: Text, of_text: Mapping[str, Any], given: Mapping[str, Any]) -> str:
        """Return the first size that is another one with the given letters, or the first name that
        stands for another matrix, in words.
        """
        size = self._matcher(of_text).misfit(self.sides.left, part, given)
        names = Namesakes(self.orders, self.letters, of_text)
        return size or names.difference(self.sides.left, part)

    def uses(
        self, part: Text, of_text: Mapping[str, Any], given: Mapping[str, Any]
    ) -> Iterator[tuple[dict[str, Any], Text]]:
        """Yield what the letters stand for where the left side is a formula, and what the right
        side is then.
        """
        for found in self._matcher(of_text).found(self.sides.left, part, given):
            sizes = {name: written(value) for name, value in found.sizes.items()}
            if symbols_of(self) <= sizes.keys():
                put = instance(self.sides.right, sizes, found.matrices)
                put = with_numbers(put) if self.checked else put
                yield found.sizes, in_lowest_terms(put, of_text)


@dataclass(frozen=True, kw_only=True)
class Lemma(Rule):
    """A rule that is proved by who uses it: the equation with its conditions, and what was found of
    it. `sides` has what conditions put in for symbols.
    """

    stated: Sides
    where: str
    answer: Answer


def symbols_of(rule: Rule) -> set[str]:
    """Return the letters for sizes of both sides."""
    return symbols(rule.sides.left) | symbols(rule.sides.right)


def _without(orders: Orders, text: Text) -> Text:
    """Return a text with identities for the letters for matrices, so that its sizes are read."""
    if isinstance(text, Leaf) and text.name in orders:
        return leaf("I", orders[text.name])
    return rebuilt(text, lambda size: size, lambda part: _without(orders, part))


def instance(text: Text, sizes: Mapping[str, Size], matrices: Mapping[str, Text]) -> Text:
    """Return a side of a rule with what its letters stand for."""
    return _with_matrices(replaced(text, sizes), matrices)


def _with_matrices(text: Text, matrices: Mapping[str, Text]) -> Text:
    """Return a text with matrices for letters; an index that is a symbol of one is renamed."""
    if isinstance(text, Leaf) and text.name in matrices and not text.sizes:
        return matrices[text.name]
    if isinstance(text, Ordered):
        taken = {name for part in matrices.values() for name in symbols(part)}
        free = unused(text.index, taken | symbols(text.body) - {text.index})
        text = replace(text, index=free, body=replaced(text.body, {text.index: Name(free)}))
    found = rebuilt(text, lambda size: size, lambda part: _with_matrices(part, matrices))
    return joined(type(found), found.parts) if isinstance(found, Product | Kron) else found


def rule(name: str, text: str, source: str = "", **orders: str) -> Rule:
    """Return a rule from its text, with letters for matrices by their orders, A="m".

    >>> print(rule("commute", "A (x) I(s) = L(m*s, m) * I(s) (x) A * L(m*s, s)", A="m"))
    commute: A (x) I(s) = L(m*s, m) * I(s) (x) A * L(m*s, s)
    """
    sizes = {letter: Parser(order).size() for letter, order in orders.items()}
    return Rule(name, RuleParser(text, sizes).equation(), source, sizes)


COOLEY_TUKEY = "Cooley & Tukey 1965"
BSP = "Inda & Bisseling 2000"
KRONECKER = "Kronecker products"
SHUFFLES = "digits of the index"

RADER = (
    "F(p) = (I(1) (+) powers(p,g) * conj(F(p-1)))"
    " * ((I(1) (+) 1/(p-1) * sum(k < p-1, diag(j < p-1, g^k/p + j*k/(p-1))))"
    " + (J(2) (+) 0 * I(p-2))) * (I(1) (+) conj(F(p-1)) * transpose(powers(p,g)))"
)
GOOD = "perm(a < r, b < s, a*s + b*r)"


def _phase(stages: str, before: str, first: str, p: str, n: str) -> str:
    """Return so many stages in the distribution of a group of 2^before ranks, of 2^p ranks."""
    gamma = f"Gamma(2^({before}),2^({p}),2^({n}))"
    hats = f"prod(k,0,{stages}-1, AHat(2^({first}-k),2^({before}),2^({p}),2^({n})))"
    return f"inv({gamma}) * {hats} * {gamma}"


BSP_2_5 = (
    f"F(2^(2*a+e)) = {_phase('a', 'a', 'a+e', 'a', '2*a+e')}"
    " * prod(k,0,a+e-1, A(2^(a+e-k),2^(2*a+e))) * R(2^(2*a+e))"
)
_P, _N = "g*(a+e)+a", "(g+1)*(a+e)+a"
BSP_2_8 = (
    f"F(2^({_N})) = {_phase('a', _P, 'a+e', _P, _N)}"
    f" * prod(J,0,g, {_phase('(a+e)', '(g-J)*(a+e)', 'a+e', _P, _N)}) * R(2^({_N}))"
)

RULES = (
    rule(
        "cooley-tukey", "F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)", COOLEY_TUKEY
    ),
    rule(
        "cooley-tukey-dif",
        "F(r*s) = L(r*s,s) * I(r) (x) F(s) * T(r*s,s) * F(r) (x) I(s)",
        "its transpose: decimation in frequency",
    ),
    rule("four-step", "F(r*s) = F(r) (x) I(s) * T(r*s,s) * L(r*s,r) * F(s) (x) I(r)", COOLEY_TUKEY),
    rule(
        "six-step",
        "F(r*s) = L(r*s,r) * I(s) (x) F(r) * L(r*s,s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)",
        "Bailey 1990",
    ),
    rule(
        "next-phase",
        "I(r) (x) F(d*s) * L(r*d*s,r) = I(r) (x) F(d) (x) I(s) * I(r) (x) T(d*s,s)"
        " * L(r*d,r) (x) I(s) * I(r*d) (x) F(s) * L(r*d*s,r*d)",
        f"{COOLEY_TUKEY} next to identities",
    ),
    rule(
        "parallel",
        "I(g*r) (x) A (x) I(u*c) = inv(Gamma(u,g*u,g*r*d*u*c)) * I(g*r*u) (x) A (x) I(c)"
        " * Gamma(u,g*u,g*r*d*u*c)",
        f"{BSP}, (2.8): Γ around a stage",
        A="d",
    ),
    rule(
        "parallel-last",
        "A (x) I(u*c) = inv(Gamma(u,u,d*u*c)) * I(u) (x) A (x) I(c) * Gamma(u,u,d*u*c)",
        f"{BSP}, (2.5): Γ around a stage",
        A="d",
    ),
    rule(
        "reorder-copies",
        "I(g*r) (x) A = L(g*r,r) (x) I(m) * I(g*r) (x) A * L(g*r,g) (x) I(m)",
        KRONECKER,
        A="m",
    ),
    rule(
        "good-thomas",
        f"transpose({GOOD}) * F(r*s) * {GOOD}"
        " = (transpose(perm(c < r, s*c)) * F(r)) (x) (transpose(perm(d < s, r*d)) * F(s))",
        "Good 1958, Thomas 1963: index maps in place of twiddles, where r and s are coprime",
    ),
    rule(
        "bluestein",
        "F(n) = diag(j < n, j^2/(2*n)) * (I(n) (x) E(1,n) * diag(j < n, k < n, -(j-k)^2/(2*n))"
        " * E(n,1) (x) I(n)) * diag(k < n, k^2/(2*n))",
        "Bluestein 1970: a convolution between chirps",
    ),
    replace(rule("rader", RADER, "Rader 1968: p is a prime, g a generator modulo p"), checked=True),
    rule("fourier-stages", "F(2^n) = prod(k,0,n-1, A(2^(n-k),2^n)) * R(2^n)", f"{BSP}, (1.6)"),
    rule("bsp-2.5", BSP_2_5, f"{BSP}, (2.5): stages in two phases, on 2^a ranks"),
    rule("bsp-2.8", BSP_2_8, f"{BSP}, (2.8): g + 2 phases, N/p = 2^(a+e), p = 2^(g (a+e) + a)"),
    rule("fourier-1", "F(1) = I(1)"),
    rule("fourier-symmetric", "transpose(F(n)) = F(n)"),
    rule(
        "hartley-step",
        "H(2*m) = BH(2*m) * I(2) (x) H(m) * L(2*m,2)",
        "Lin, Chan & Karplus 1988, Figure 1",
    ),
    rule("bit-reversal", "R(2^(n+1)) = I(2) (x) R(2^n) * L(2^(n+1),2)", SHUFFLES),
    rule("shuffle-1", "L(n,1) = I(n)", SHUFFLES),
    rule("shuffle-n", "L(n,n) = I(n)", SHUFFLES),
    rule("shuffle-inverse", "L(r*s,r) * L(r*s,s) = I(r*s)", SHUFFLES),
    rule("shuffle-product", "L(r*s*t,r) * L(r*s*t,s) = L(r*s*t,r*s)", SHUFFLES),
    rule("shuffle-left", "L(r*s*t,r) = L(r*s,r) (x) I(t) * I(s) (x) L(r*t,r)", SHUFFLES),
    rule("shuffle-right", "L(r*s*t,r*s) = I(r) (x) L(s*t,s) * L(r*t,r) (x) I(s)", SHUFFLES),
    rule("commute", "A (x) B = L(m*n,m) * B (x) A * L(m*n,n)", KRONECKER, A="m", B="n"),
    rule(
        "mixed-product",
        "(A (x) B) * (C (x) D) = (A * C) (x) (B * D)",
        KRONECKER,
        A="m",
        C="m",
        B="n",
        D="n",
    ),
    rule("first-then-second", "A (x) B = A (x) I(n) * I(m) (x) B", KRONECKER, A="m", B="n"),
    rule("second-then-first", "A (x) B = I(m) (x) B * A (x) I(n)", KRONECKER, A="m", B="n"),
    rule("product-beside", "I(n) (x) (A * B) = I(n) (x) A * I(n) (x) B", KRONECKER, A="m", B="m"),
    rule("product-before", "(A * B) (x) I(n) = A (x) I(n) * B (x) I(n)", KRONECKER, A="m", B="m"),
    rule("identities", "I(r) (x) I(s) = I(r*s)", KRONECKER),
    rule("one-left", "I(1) (x) A = A", KRONECKER, A="m"),
    rule("one-right", "A (x) I(1) = A", KRONECKER, A="m"),
    rule("identity-left", "I(m) * A = A", "", A="m"),
    rule("identity-right", "A * I(m) = A", "", A="m"),
    rule("transpose-product", "transpose(A * B) = transpose(B) * transpose(A)", "", A="m", B="m"),
    rule("transpose-kron", "transpose(A (x) B) = transpose(A) (x) transpose(B)", "", A="m", B="n"),
    rule("transpose-twiddle", "transpose(T(r*s,s)) = T(r*s,s)", "diagonal"),
    rule("transpose-identity", "transpose(I(n)) = I(n)", "diagonal"),
    rule("transpose-shuffle", "transpose(L(r*s,r)) = L(r*s,s)", SHUFFLES),
    rule("inverse-shuffle", "inv(L(r*s,r)) = L(r*s,s)", SHUFFLES),
)
"""The rules that come with the package."""


@cache
def rules() -> dict[str, Rule]:
    """Return the rules that come with the package, by name."""
    return {one.name: one for one in RULES}
