"""The action of a matrix on a vector, digit by digit, as a sum and as the Coq proof of it.

A matrix of I, F, E, S, W, Kron, Mul, Sum, Block takes a vector v to

    sum over the inner digits  of  number * w^phase * product of entries of boxes * v(columns)

in every row that digits make up. Digits are split until every factor of the matrix sees whole ones;
`Split` says which one is to be split, and all begins anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from proofs.coq.export import coq_text
from proofs.coq.export.coq_text import factor, index, size, value
from proofs.kernel.numbers import ONE, Digit, Dim, Poly
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, Pi, S, Sum, Term, Var, W, substitute

Digits = list[Digit]
ZERO = Poly.of(0)
Splits = dict[str, list[Dim]]
"""The radices of the digits of every wire, by its name."""
Box = tuple[Term, Digits, Digits]


@dataclass(frozen=True)
class Split(Exception):
    """A digit that is to be split."""

    digit: Digit
    high: Dim
    low: Dim

    def apply(self, splits: Splits) -> None:
        wire, _, place = self.digit.name.rpartition("_")
        at = int(place) - 1
        splits[wire][at : at + 1] = [self.high, self.low]


@dataclass(frozen=True)
class Summand:
    """See above."""

    inner: tuple[Digit, ...] = ()
    numbers: tuple[tuple[Poly, Poly], ...] = ()
    phase: Poly = ZERO
    boxes: tuple[Box, ...] = ()
    columns: tuple[Digit, ...] = ()

    def body(self) -> str:
        factors = [f"root ({coq_text.phase(self.phase)})"]
        factors += [
            f"{box(b)} ({index(rows)})%nat ({index(cols)})%nat" for b, rows, cols in self.boxes
        ]
        factors += [coq_text.number(*x) for x in self.numbers]
        return f"(({' * '.join(factors)}) * v ({index([*self.columns])})%nat)%entry"

    def text(self) -> str:
        return nested([*self.inner], self.body())


def box(b: Term) -> str:
    """Return the text of a box."""
    return coq_text.term(b)


def nested(inner: Digits, body: str) -> str:
    """Return a sum over digits."""
    for x in reversed(inner):
        body = f"sum {factor(x.radix)} (fun {coq_text.name(x.name)} => {body})"
    return body


@dataclass(frozen=True)
class Summed:
    """A sum over digits."""

    digits: Digits
    inside: Tree


@dataclass(frozen=True)
class Added:
    """A sum of two."""

    left: Tree
    right: Tree


Tree = Summand | Summed | Added


def tree_text(tree: Tree) -> str:
    """Return a tree as it stands in Coq."""
    match tree:
        case Summed(digits, inside):
            return nested(digits, tree_text(inside))
        case Added(left, right):
            return f"({tree_text(left)} + {tree_text(right)})%entry"
    return tree.text()


def summands(tree: Tree) -> list[Summand]:
    """Return the summands of a tree, each with all its digits."""
    match tree:
        case Summed(digits, inside):
            return [replace(x, inner=(*digits, *x.inner)) for x in summands(inside)]
        case Added(left, right):
            return summands(left) + summands(right)
    return [tree]


Next = Callable[[Digits, Summand], Tree]


def cut(digits: Digits, low: Dim) -> tuple[Digits, Digits]:
    """Return digits as those above and those below a number of values."""
    high = coq_text.radix(digits) / low
    for backward in (True, False):
        rest = low if backward else high
        for at, x in [*enumerate(digits)][:: -1 if backward else 1]:
            if rest == ONE:
                return (digits[: at + 1], digits[at + 1 :]) if backward else _at(digits, at)
            if (rest / x.radix).whole:
                rest /= x.radix
            elif (x.radix / rest).whole:
                other = x.radix / rest
                raise Split(x, *((other, rest) if backward else (rest, other)))
            else:
                break
        else:
            return _at(digits, 0 if backward else len(digits))
    radices = ", ".join(size(x.radix) for x in digits)
    raise Refused(f"the digits of radices {radices} have no end of {size(low)} values")


def _at(digits: Digits, at: int) -> tuple[Digits, Digits]:
    return digits[:at], digits[at:]


@dataclass
class Action:
    """The evaluation of one side; `script` is the Coq proof of `1 * act n term v i = tree`."""

    letter: str
    splits: Splits
    script: list[str] = field(default_factory=list)
    wires: int = 0

    def say(self, line: str) -> None:
        self.script.append(line)

    def wire(self, radix: Dim) -> Digits:
        self.wires += 1
        return digits_of(f"~{self.letter}{self.wires}", radix, self.splits)

    def summed(self, cols: Digits) -> None:
        """Write how a sum is taken digit by digit."""
        for n in range(len(cols) - 1, 0, -1):
            high, low = coq_text.radix(cols[:n]), cols[n].radix
            self.say(f"apply go_split with (p := {size(high)}) (q := {size(low)}); [size|].")
        for x in cols:
            self.say(entered(x))
        if not cols:
            self.say("apply go_1; cbv beta.")

    def go(self, term: Term, rows: Digits, so_far: Summand, on: Next) -> Tree:
        """Return what a matrix does in a row, `on` what comes after it at the columns."""
        match term:
            case I():
                self.say("apply go_I; [below|]; cbv beta.")
                return on(rows, so_far)
            case F(d, sign):
                return self._fourier(d, sign, rows, so_far, on)
            case E(_, n):
                cols = self.wire(n)
                self.say("apply go_Ones.")
                self.summed(cols)
                return Summed(cols, on(cols, so_far))
            case S(_, t):
                high, low = cut(rows, t)
                self.say(
                    f"apply go_S with (a := {index(low)}) (b := {index(high)});"
                    " [size|size|below|below|]; cbv beta."
                )
                return on(low + high, so_far)
            case W(phase):
                self.say("apply go_W; cbv beta.")
                return on([], replace(so_far, phase=so_far.phase + phase))
            case Kron(a, b):
                return self._kron(a, b, rows, so_far, on)
            case Mul(a, b):
                self.say("apply go_mul.")
                return self.go(a, rows, so_far, lambda cols, found: self.at(b, cols, found, on))
            case Block(x, body):
                return self._block(x, body, rows, so_far, on)
            case Sum(parts):
                return self._sum([*parts], rows, so_far, on)
        return self._box(term, rows, so_far, on)

    def at(self, term: Term, rows: Digits, so_far: Summand, on: Next) -> Tree:
        """Go on with a matrix in a row, which Coq has in another writing."""
        self.say(f"apply go_at with (j := {index(rows)}); [size|].")
        return self.go(term, rows, so_far, on)

    def _fourier(self, d: Dim, sign: int, rows: Digits, so_far: Summand, on: Next) -> Tree:
        cols = self.wire(d)
        self.say(f"apply go_Fourier{'_bar' * (sign < 0)}.")
        self.summed(cols)
        phase = so_far.phase + value(rows) * value(cols) * sign / d
        return Summed(cols, on(cols, replace(so_far, phase=phase)))

    def _kron(self, a: Term, b: Term, rows: Digits, so_far: Summand, on: Next) -> Tree:
        high, low = cut(rows, b.shape[0])
        self.say(
            f"apply go_tensor with (n := {size(a.shape[1])}) (a := {index(high)})"
            f" (b := {index(low)}); [size|size|below|]."
        )

        def then(cols: Digits, found: Summand) -> Tree:
            return self.go(b, low, found, lambda more, last: on(cols + more, last))

        return self.go(a, high, so_far, then)

    def _block(self, x: Digit, body: Term, rows: Digits, so_far: Summand, on: Next) -> Tree:
        high, low = cut(rows, body.shape[0])
        self.say(
            f"apply go_direct with (p := {size(x.radix)}) (a := {index(high)}) (b := {index(low)});"
            " [size|size|below|below|]; cbv beta."
        )
        inside = substitute(body, {x.name: value(high)})
        return self.go(inside, low, so_far, lambda cols, found: on(high + cols, found))

    def _sum(
        self, parts: list[tuple[Poly, Poly, Term]], rows: Digits, so_far: Summand, on: Next
    ) -> Tree:
        (re, im, first), *rest = parts
        number = replace(so_far, numbers=(*so_far.numbers, (re, im)))
        self.say("apply go_added." if rest else "apply go_scaled.")
        if not rest:
            return self.go(first, rows, number, on)
        self.say("{ apply go_scaled.")
        left = self.go(first, rows, number, on)
        self.say("} {")
        right = self._sum(rest, rows, so_far, on)
        self.say("}")
        return Added(left, right)

    def _box(self, term: Term, rows: Digits, so_far: Summand, on: Next) -> Tree:
        if type(term) not in (Var, Pi):
            raise Refused(f"{term} is not a matrix with an action")
        cols = self.wire(term.shape[1])
        self.say(f"apply go_box with (B := {box(term)}); [same|].")
        self.summed(cols)
        boxes = (*so_far.boxes, (term, rows, cols))
        return Summed(cols, on(cols, replace(so_far, boxes=boxes)))


def entered(x: Digit) -> str:
    """Return how a sum is looked into."""
    return f"apply sum_ext; intros {coq_text.name(x.name)} H{coq_text.name(x.name)}; cbv beta."


def digits_of(wire: str, radix: Dim, splits: Splits) -> Digits:
    """Return the digits of a wire."""
    radices = splits.setdefault(wire, [radix])
    return [Digit(f"{wire}_{n}", r) for n, r in enumerate(radices, 1) if r != ONE]


def evaluated(term: Term, letter: str, splits: Splits) -> tuple[Tree, list[str]]:
    """Return the action of a matrix and its proof."""
    found = Action(letter, splits)
    rows = digits_of("~i", term.shape[0], splits)

    def leaf(cols: Digits, so_far: Summand) -> Tree:
        found.say("gathered.")
        return replace(so_far, columns=tuple(cols))

    return found.go(term, rows, Summand(), leaf), found.script
