"""The rules by which formulas are rewritten, valid for all sizes: Lemma 1.2 of Inda & Bisseling
(2000), and definitions.

    layer = I_a ⊗ X ⊗ I_b                  X a leaf, an inverse or a direct sum

A rule is a function that returns the rewritten formula, or None where it does not apply; its
docstring is the identity. Two layers change places only where they visibly act on other digits of
the index, for all values of the symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from derive.formula.grammar import (
    DirectSum,
    Formula,
    I,
    Inverse,
    Kron,
    Product,
    Size,
    direct_sum,
    divide,
    factors_of,
    kron,
    product,
    same,
)
from derive.formula.permutation_matrices import PERMUTATIONS, Gamma, L, R, S, inverse, stride
from derive.formula.transforms import A, AHat, B, ButterflySum, D, F, T
from derive.rewriting.sizes import divides, plain, quotient

Rule = Callable[[Formula], Formula | None]


@dataclass(frozen=True)
class Variable(Formula):
    """Any square matrix of order n."""

    name: str
    n: Size

    @property
    def size(self) -> Size:
        return self.n

    def __str__(self) -> str:
        return self.name


def parts_mapped(formula: Formula, change: Rule) -> Formula:
    """Return the formula with `change` applied to each of its direct parts (where it returns
    one).
    """

    def changed(part: Formula) -> Formula:
        new = change(part)
        return part if new is None else new

    match formula:
        case Kron(left, right):
            return kron(changed(left), changed(right))
        case DirectSum(terms):
            return direct_sum(changed(term) for term in terms)
        case Product(factors):
            return product(changed(factor) for factor in factors)
        case Inverse(of):
            return formula if changed(of) == of else inverse(changed(of))
    return formula


def everywhere(rule: Rule, formula: Formula) -> Formula:
    """Return the formula with a rule applied once at every place, innermost first."""
    inner = parts_mapped(formula, lambda part: everywhere(rule, part))
    outer = rule(inner)
    return inner if outer is None else outer


def once(rule: Rule, formula: Formula) -> Formula:
    """Return the formula with a rule applied at the first place where it applies, outermost
    first.
    """
    new = rule(formula)
    done = new is not None and new != formula

    def first(part: Formula) -> Formula:
        nonlocal done
        changed = part if done else once(rule, part)
        done = done or changed != part
        return changed

    return new if done and new is not None else parts_mapped(formula, first)


def leaf_mapped(formula: Formula, change: Callable[[str, Any], Any]) -> Formula:
    """Return a leaf with `change(name, value)` in place of each of its arguments."""
    arguments = ((field.name, getattr(formula, field.name)) for field in fields(formula))  # type: ignore[arg-type]  # every leaf is a dataclass
    return type(formula)(*(change(name, value) for name, value in arguments))


def is_leaf(formula: Formula) -> bool:
    """Return whether a formula has no parts."""
    return not isinstance(formula, Kron | DirectSum | Product | Inverse)


def rebuild(formula: Formula) -> Formula | None:
    """I_m ⊗ I_n = I_mn, I_1 ⊗ A = A, I_n A = A, (A B) C = A B C: what the constructors of
    derive.formula.grammar do, Lemma 1.2 (2).
    """
    return parts_mapped(formula, lambda part: part)


def multiply_out(formula: Formula) -> Formula | None:
    """Sizes are multiplied out: I_{r (u + 1)} = I_{r u + r}."""
    return leaf_mapped(formula, lambda _, value: plain(value)) if is_leaf(formula) else None


def unfold_hat(formula: Formula) -> Formula | None:
    """Â_{k,u,p,N} = Γ_{u,p,N} A_{ku,N} Γ_{u,p,N}^-1, equation (2.6)."""
    return formula.definition if isinstance(formula, AHat) else None


def unfold_gamma(formula: Formula) -> Formula | None:
    """Γ_{u,p,N} = I_{p/u} ⊗ S_{u,Nu/p}, section 2.2."""
    return formula.definition if isinstance(formula, Gamma) else None


def unfold_shuffle(formula: Formula) -> Formula | None:
    """S_{u,M} = L^M_u, equation (2.2)."""
    return stride(formula.M, formula.u) if isinstance(formula, S) else None


def unfold_stage(formula: Formula) -> Formula | None:
    """A_{K,N}^α = I_{N/K} ⊗ B_K^α, equation (1.10)."""
    return formula.definition if isinstance(formula, A) else None


def unfold_butterfly(formula: Formula) -> Formula | None:
    """D_K^α = B_K^α (I_2 ⊗ B_{K/2}^α), equation (1.12) and section 3.1."""
    match formula:
        case D(K, alpha):
            return B(K, alpha) @ kron(I(2), B(divide(K, 2), alpha))
    return None


def trivial(formula: Formula) -> Formula | None:
    """L^N_1 = L^N_N = T^N_1 = T^N_N = I_N, P_1 = I_1, P_2 = I_2, F_1 = I_1, diag(A_{k,n}^{0/1}) =
    A_{k,n}.
    """
    match formula:
        case L(N, r) | T(N, r) if r in (1, N):
            return I(N)
        case R(N) if N in (1, 2):
            return I(N)
        case F(1):
            return I(1)
        case ButterflySum(k, n, 1):
            return A(k, n)
    return None


def invert_stride(formula: Formula) -> Formula | None:
    """(L^N_r)^-1 = L^N_{N/r}."""
    match formula:
        case Inverse(L(N, r)):
            return stride(N, divide(N, r))
    return None


def associate(formula: Formula) -> Formula | None:
    """(A ⊗ B) ⊗ C = A ⊗ (B ⊗ C); and I_m ⊗ I_n = I_mn, Lemma 1.2 (2)."""
    match formula:
        case Kron(Kron(a, b), c):
            return kron(a, kron(b, c))
    return None


def split(formula: Formula) -> Formula | None:
    """A ⊗ B = (A ⊗ I_n) (I_m ⊗ B), A of order m and B of order n, Lemma 1.2 (3)."""
    match formula:
        case Kron(left, right) if not isinstance(left, I) and not isinstance(right, I):
            return kron(left, I(right.size)) @ kron(I(left.size), right)
    return None


def distribute(formula: Formula) -> Formula | None:
    """I_m ⊗ (A B) = (I_m ⊗ A) (I_m ⊗ B) and (A B) ⊗ I_n = (A ⊗ I_n) (B ⊗ I_n), Lemma 1.2 (1)."""
    match formula:
        case Kron(I() as left, Product(factors)):
            return product(kron(left, factor) for factor in factors)
        case Kron(Product(factors), I() as right):
            return product(kron(factor, right) for factor in factors)
    return None


def layer(formula: Formula) -> tuple[Size, Formula, Size]:
    """Return (a, X, b) for the layer I_a ⊗ X ⊗ I_b.

    >>> layer(kron(I(2), kron(F(4), I(8))))
    (2, F(n=4), 8)
    """
    match formula:
        case Kron(I(a), rest):
            inner, X, b = layer(rest)
            return a * inner, X, b
        case Kron(X, I(b)):
            return 1, X, b
    return 1, formula, 1


def between(a: Size, X: Formula, b: Size) -> Formula:
    """Return the layer I_a ⊗ X ⊗ I_b, sizes multiplied out."""
    return kron(I(plain(a)), kron(X, I(plain(b))))


def independent(x: Formula, y: Formula) -> bool:
    """Return whether two layers visibly act on other digits of the index.

    >>> independent(kron(F(2), I(4)), kron(I(2), F(4))), independent(kron(F(2), I(4)), kron(I(4), F(2)))
    (True, True)
    >>> independent(kron(F(4), I(2)), kron(I(2), F(4)))
    False
    """  # noqa: E501
    (a, X, _), (c, Y, _) = layer(x), layer(y)
    return divides(a * X.size, c) or divides(c * Y.size, a)


def shift(x: Formula, y: Formula) -> tuple[Formula, Formula] | None:
    """L^{mn}_n (A ⊗ I_n) = (I_n ⊗ A) L^{mn}_n and L^{mn}_n (I_m ⊗ B) = (B ⊗ I_m) L^{mn}_n, A of
    order m and B of order n.
    """
    (a, X, b), (c, Y, d) = layer(x), layer(y)
    if not isinstance(X, L) or not divides(a, c) or not divides(b, d):
        return None
    m, n = quotient(X.N, X.r), X.r
    before, after = quotient(c, a), quotient(d, b)
    if divides(n, after):
        return between(a * n * before, Y, quotient(after, n) * b), x
    if divides(m, before):
        return between(a * quotient(before, m), Y, after * m * b), x
    return None


def move_strides(formula: Formula) -> Formula | None:
    """Stride permutations go to the right: L^{mn}_n (A ⊗ B) = (B ⊗ A) L^{mn}_n."""
    factors = factors_of(formula)
    for j, y in enumerate(factors):
        for i in reversed(range(j)):
            moved = shift(factors[i], y)
            if moved:
                return product([*factors[:i], *moved, *factors[i + 1 : j], *factors[j + 1 :]])
            if not independent(factors[i], y):
                break
    return None


def undone_by(x: Formula) -> Formula | None:
    """Return the layer that is the inverse of a layer, None where the layer is no permutation."""
    a, X, b = layer(x)
    if not isinstance(X, PERMUTATIONS + (Inverse,)):
        return None
    opposite = inverse(X)
    return between(a, invert_stride(opposite) or opposite, b)


def cancel(formula: Formula) -> Formula | None:
    """G^-1 G = I for a permutation G (as in I_N = Γ_u^-1 Γ_u, section 2.3)."""
    factors = factors_of(formula)
    for i, x in enumerate(factors):
        rest = without(factors[i + 1 :], [undone_by(x)])
        if rest is not None:
            return product([I(formula.size), *factors[:i], *rest])
    return None


def without(layers: Sequence[Formula], wanted: Iterable[Formula | None]) -> list[Formula] | None:
    """Return the layers that are left when the wanted ones, in this order, are moved to the front;
    None where they cannot be.
    """
    rest = list(layers)
    for want in wanted:
        place = next(
            (
                i
                for i, x in enumerate(rest)
                if x == want and all(independent(x, y) for y in rest[:i])
            ),
            None,
        )
        if place is None:
            return None
        del rest[place]
    return rest


def arrange(formula: Formula) -> Formula | None:
    """(A ⊗ I_n) (I_m ⊗ B) = (I_m ⊗ B) (A ⊗ I_n), A of order m and B of order n, Lemma 1.2 (3): the
    least text goes first.
    """
    rest, arranged = list(factors_of(formula)), []
    while rest:
        free = [i for i, x in enumerate(rest) if all(independent(x, y) for y in rest[:i])]
        arranged.append(rest.pop(min(free, key=lambda i: str(rest[i]))))
    return product(arranged) if len(arranged) > 1 else None


def mixed_product(x: Formula, y: Formula) -> Formula | None:
    """(A ⊗ B) (C ⊗ D) = (A C) ⊗ (B D) where A and C, B and D visibly have one size, Lemma 1.2
    (1).
    """
    match x, y:
        case Kron(a, b), Kron(c, d) if same(a.size, c.size) and same(b.size, d.size):
            return kron(a @ c, b @ d)
    return None


RULES: tuple[tuple[str, Rule], ...] = (
    ("Lemma 1.2 (2)", rebuild),
    ("arithmetic of sizes", multiply_out),
    ("(2.6)", unfold_hat),
    ("Γ = I ⊗ S, section 2.2", unfold_gamma),
    ("(1.10)", unfold_stage),
    ("(1.12)", unfold_butterfly),
    ("(2.2)", unfold_shuffle),
    ("trivial cases", trivial),
    ("inverse of a stride permutation", invert_stride),
    ("associativity and Lemma 1.2 (2)", associate),
    ("Lemma 1.2 (1)", distribute),
    ("Lemma 1.2 (3)", split),
    ("G^-1 G = I", cancel),
    ("stride permutations exchange ⊗", move_strides),
    ("Lemma 1.2 (3), other order", arrange),
)
