"""Mutants of the translation of texts into terms: one change each, and an equation that it reaches.

(module, what stands there, what is put for it, equation[, conditions])
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from derive.formula import leaves
from derive.formula.leaves import Leaf

ROOM = "proofs.prove.translation"
A2, BLOCKS = "A, B : m x m; ", "A, C : m x m, B, D : n x n; "
POWERS = "prod(k,0,n-1, diag(j < r, j*2^k/7))"
ROOTS = "A : k x k; sqrt(m)*A + sqrt(n)*F(k)*conj(F(k)) = k*sqrt(n)*I(k) + sqrt(m)*A"
LAST = "let W(n) = F(2) (x) W(n-1), W(0) = I(1), W(1) = J(2); "
TWO = "let W(n) = diag(j < 2, j/3^n) * J(2) * W(n-2), W(0) = I(2), W(1) = F(2); "
MUTANTS: tuple[tuple[str, ...], ...] = (
    # products and their order
    (
        "translator",
        "row = factors[::-1] if turned else factors",
        "row = factors",
        f"{A2}transpose(A * B) = transpose(A * B)",
    ),
    (
        "translator",
        "return in_order(row, [*map(inner, row)])",
        "return in_order(row, [*map(inner, row)][::-1])",
        f"{A2}A * B = A * B",
    ),
    (
        "translator",
        "return kron(*map(inner, operands))",
        "return kron(*map(inner, operands[::-1]))",
        "A : m x m, B : n x n; A (x) B = A (x) B",
    ),
    (
        "translator",
        "return mul(*(found[::-1] if turned else found))",
        "return mul(*found)",
        "transpose(prod(k,1,2, diag(j < r, j*2^k/7) * perm(j < r, j+1))) = I(r)",
    ),
    (
        "translator",
        "self.values = before | {text.index: first + i}",
        "self.values = before | {text.index: first + i + 1}",
        "prod(k,0,2, diag(j < r, j*2^k/11)) = I(r)",
    ),
    (
        "translator",
        "for i in range(max(count, 1)):",
        "for i in range(max(count - 1, 1)):",
        "prod(k,0,2, diag(j < r, j*2^k/7)) = I(r)",
    ),
    (
        "translator",
        "count = self.nat(text.last) - first + 1",
        "count = self.nat(text.last) - first + 2",
        f"{POWERS} = {POWERS}",
    ),
    (
        "translator",
        "count = self.nat(text.last) - first + 1",
        "count = self.nat(text.last) - first",
        "prod(k,0,n, I(2^k) (x) B(2^(n+1-k))) = I(2^(n+1))",
    ),
    (
        "translator",
        "start + (k if turned else l)",
        "start + (l if turned else k)",
        "prod(k,0,n-1, diag(j < r, j*2^k/7) * perm(j < r, j+1)) = I(r)",
    ),
    (
        "translator",
        "start + (k if turned else l)",
        "start + l",
        "transpose(prod(k,0,n-1, diag(j < r, j*2^k/7) * perm(j < r, j+1))) = I(r)",
    ),
    (
        "translator",
        "start + (k if turned else l)",
        "start + (k if turned else l) + 1",
        f"{POWERS} = {POWERS}",
    ),
    (
        "translator",
        "by = k + l + 1 - (count - nat(name))",
        "by = k + l + 2 - (count - nat(name))",
        "prod(k,0,n-1, diag(j < r, j*2^(n-k)/7)) = I(r)",
    ),
    ("translator", "return I(found[0].shape[0])", "return found[0]", f"{A2}prod(k,1,0, A) = I(m)"),
    # transposed, conjugated, inverse
    (
        "translator",
        "return self.term(of, not turned, conj, inverse)",
        "return self.term(of, turned, conj, inverse)",
        "transpose(L(r*s,r)) = L(r*s,s)",
    ),
    (
        "translator",
        "return self.term(of, turned, not conj, inverse)",
        "return self.term(of, turned, conj, inverse)",
        "conj(F(n)) = conj(F(n))",
    ),
    (
        "translator",
        "return self.term(of, not turned, not conj, not inverse)",
        "return self.term(of, not turned, not conj, inverse)",
        "inv(F(n)) = inv(F(n))",
    ),
    (
        "translator",
        "return self.term(of, not turned, not conj, not inverse)",
        "return self.term(of, turned, not conj, not inverse)",
        "inv(L(r*s,r)) = L(r*s,s)",
    ),
    (
        "translator",
        "return self.term(of, not turned, not conj, not inverse)",
        "return self.term(of, not turned, conj, not inverse)",
        "inv(F(n)) = inv(F(n))",
    ),
    (
        "translator",
        'inverse = Applied("inv", text.of, column=text.column)',
        "inverse = text.of",
        "F(n)^(-1) = inv(F(n))",
    ),
    (
        "translator",
        'inverse = Applied("inv", text.of, column=text.column)',
        "inverse = text.of",
        "(F(m) (+) F(n))^(-1) = inv(F(m) (+) F(n))",
    ),
    (
        "translator",
        "number = ALONE / self.dim(by) if inverse else self.alpha(by)",
        "number = self.alpha(by)",
        "inv(2 * F(n)) = 1/2 * inv(F(n))",
    ),
    (
        "translator",
        'return found * -1 if conj and text.name == "diag" else found',
        "return found",
        "conj(diag(j < n, j/7)) = diag(j < n, -j/7)",
    ),
    (
        "translator",
        'return found * -1 if conj and text.name == "diag" else found',
        "return found * -1 if conj else found",
        "conj(perm(j < n, j+1)) = perm(j < n, j+1)",
    ),
    (
        "translator",
        'name = text.name + "_t" * turned + "_c" * conj',
        "name = text.name",
        "A : m x m; transpose(A) = transpose(A)",
    ),
    (
        "translator",
        'name = text.name + "_t" * turned + "_c" * conj',
        'name = text.name + "_t" * turned',
        "A : m x n; conj(A) = A",
    ),
    (
        "translator",
        "turned, -1 if conj else 1, self.whole",
        "turned, 1, self.whole",
        "conj(F(n)) = conj(F(n))",
    ),
    (
        "translator",
        "turned, -1 if conj else 1, self.whole",
        "False, -1 if conj else 1, self.whole",
        "transpose(B(2*h)) = transpose(B(2*h))",
    ),
    (
        "translator",
        "return Sum(((ALONE / norm, ZERO, found),)) if inverse and norm != ONE else found",
        "return found",
        "inv(B(2*h)) = inv(B(2*h))",
    ),
    # numbers and sums
    (
        "sum_terms",
        "return Sum(((ZERO, number if conjugated else number * -1, term),))",
        "return Sum(((ZERO, number, term),))",
        "i * I(n) = i * I(n)",
    ),
    (
        "sum_terms",
        "return Sum(((ZERO, number if conjugated else number * -1, term),))",
        "return Sum(((ZERO, number * -1, term),))",
        "conj(i * I(n)) = -i * I(n)",
    ),
    (
        "sum_terms",
        "return Sum(tuple((Poly.of(1), ZERO, term) for term in terms))",
        "return Sum(tuple((Poly.of(1), ZERO, term) for term in terms[:2]))",
        "I(n) + F(n) + J(n) = J(n) + F(n) + I(n)",
    ),
    (
        "translator",
        "each = (replaced(text.body, {text.index: Number(i)}) for i in range(terms))",
        "each = (replaced(text.body, {text.index: Number(i + 1)}) for i in range(terms))",
        "sum(k < 3, diag(j < n, j*k/7)) = I(n)",
    ),
    (
        "sum_terms",
        "return mul(Kron(E(ONE, count), rows), term, Kron(E(count, ONE), columns))",
        "return mul(Kron(rows, E(ONE, count)), term, Kron(columns, E(count, ONE)))",
        "sum(k < r, perm(j < s, j+k)) = E(s,s)",
    ),
    (
        "sum_terms",
        "row = mul(Kron(ROWS[0], order), product, Kron(COLUMNS[1], order))",
        "row = mul(Kron(ROWS[0], order), product, Kron(COLUMNS[0], order))",
        "A : m x m; sum(k < n, A^k) = sum(k < n, A^k)",
    ),
    (
        "translator",
        "self.counted(text, Nat.of(0), count, False,",
        "self.counted(text, Nat.of(1), count, False,",
        "A : m x m; sum(k < n, A^k) = sum(k < n, A^k)",
    ),
    (
        "readings",
        "return self.alpha(left) - self.alpha(right)",
        "return self.alpha(left) + self.alpha(right)",
        "diag(j < n, (j-1)/7) = diag(j < n, (j-1)/7)",
    ),
    (
        "readings",
        "return self.alpha(left) / self.dim(right)",
        "return self.alpha(left) * self.dim(right)",
        "diag(j < n, j/n) = diag(j < n, j/n)",
    ),
    (
        "readings",
        "return self.dim(left) / self.dim(right)",
        "return self.dim(left)",
        "I(N/r) (x) I(r) = I(N/r) (x) I(r)",
    ),
    (
        "readings",
        "return self.nat(left) - self.nat(right)",
        "return self.nat(left) + self.nat(right)",
        "I(2^(n-m)) = I(2^(n-m))",
        "n >= m",
    ),
    (
        "readings",
        "return reduce(Poly.__mul__, [self.alpha(left)] * e, ALONE)",
        "return reduce(Poly.__mul__, [self.alpha(left)] * (e + 1), ALONE)",
        "diag(j < n, j^2/7) = diag(j < n, j^2/7)",
    ),
    # matrices
    (
        "matrix_terms",
        "return (S(t, r) if x.turned else S(r, t)), ONE",
        "return (S(r, t) if x.turned else S(t, r)), ONE",
        "L(r*s,r) = L(r*s,r)",
    ),
    (
        "matrix_terms",
        "(fourier_stages.gamma(n, r, u) if x.turned else fourier_stages.gamma(u, r, n))",
        "fourier_stages.gamma(n, r, u)",
        "Gamma(u, u*r, u*r*n) = Gamma(u, u*r, u*r*n)",
    ),
    (
        "translator",
        'return found * -1 if conj and text.name == "diag" else found',
        "return found",
        "conj(T(r*s,s)) = conj(T(r*s,s))",
    ),
    ("rows", "s, i*j/N)", "s, i*(j+1)/N)", "T(r*s,s) = T(r*s,s)"),
    ("rows", "(j + alpha)/(2*h)", "(j + alpha)/h", "Omega(h) = Omega(h)"),
    ("rows", "(j + alpha)/(2*h)", "j/(2*h)", "Omega(h, a) = Omega(h, a)"),
    ("rows", "B(K/2, alpha)", "B(K/2)", "D(4*h, a) = D(4*h, a)"),
    ("rows", "I(N/K) (x) B(K, alpha)", "B(K, alpha) (x) I(N/K)", "A(2*h, 2*h*r) = A(2*h, 2*h*r)"),
    ("rows", "L(M, u)", "L(M, M/u)", "S(u, u*r) = S(u, u*r)"),
    ("rows", "I(N/2^s) (x) BH(2^s)", "BH(2^s) (x) I(N/2^s)", "LH(1, 2*r) = LH(1, 2*r)"),
    (
        "translator",
        "return reduce(Dim.__mul__, map(self.norm, parts))",
        "return ONE",
        "inv(D(4*h)) = inv(D(4*h))",
    ),
    (
        "matrix_terms",
        "return blocks(u, lambda s: Kron(I(c), x.butterfly(k, s / u))), TWO",
        "return blocks(u, lambda s: Kron(I(c), x.butterfly(k, s * 2 / u))), TWO",
        "ButterflySum(2*h, 2*h*c, u) = ButterflySum(2*h, 2*h*c, u)",
    ),
    (
        "rows",
        "Gamma(u, p, N) * A(k*u, N) * inv(Gamma(u, p, N))",
        "inv(Gamma(u, p, N)) * A(k*u, N) * Gamma(u, p, N)",
        "AHat(2^k, 2^a, 2^a, 2^(a+k)) = AHat(2^k, 2^a, 2^a, 2^(a+k))",
        "k >= 1, a >= 1",
    ),
    (
        "matrix_terms",
        "return hartley_stages.butterfly(x.whole(K / 2), x.turned), TWO",
        "return hartley_stages.butterfly(x.whole(K / 2)), TWO",
        "transpose(BH(2*h)) = transpose(BH(2*h))",
    ),
    (
        "matrix_terms",
        'reversing(TWO) if bit == "1" else I(TWO)',
        'reversing(TWO) if bit == "0" else I(TWO)',
        "xor(4*n, 1) = xor(4*n, 1)",
    ),
    ("matrix_terms", '2 ** nat(f"lg_{base}"', '4 * 2 ** nat(f"lg_{base}"', "R(N) * R(N) = I(N)"),
    ("sum_terms", "h[i] * x[j] / 2", "h[j] * x[i] / 2", "bits(1,3) (x) I(n) = bits(1,3) (x) I(n)"),
    # digits
    (
        "sum_terms",
        "lambda x, *digits: x * of(*digits) / N, turned)",
        "lambda x, *digits: x * of(*digits) * -1 / N, turned)",
        "perm(j < r, j+1) = perm(j < r, j+1)",
    ),
    (
        "sum_terms",
        "return digits_moved(radices, order, turned)",
        "return digits_moved(radices, order[::-1], turned)",
        "perm(a < r, b < s, b*r + a) = L(r*s,s)",
    ),
    (
        "sum_terms",
        "return mul(*(factors if turned else factors[::-1]))",
        "return mul(*factors)",
        "perm(a < r, b < s, c < t, c*r*s + b*r + a) = perm(a < r, b < s, c < t, c*r*s + b*r + a)",
    ),
    ("sum_terms", "return found[::-1]", "return found", "perm(a < r, b < s, b*r + a) = L(r*s,s)"),
    # direct sums
    (
        "sum_terms",
        "return Kron(I(Dim.of(len(terms))), terms[0])",
        "return Kron(terms[0], I(Dim.of(len(terms))))",
        "F(n) (+) F(n) = I(2) (x) F(n)",
    ),
    (
        "sum_terms",
        "return blocks(TWO, lambda b: _diagonal(digits, one + (other - one) * b))",
        "return blocks(TWO, lambda b: _diagonal(digits, other + (one - other) * b))",
        "I(h) (+) Omega(h) = T(2*h,h)",
    ),
    (
        "sum_terms",
        "i, j = i + m, j + n",
        "i, j = i + n, j + m",
        "E(m,2*m) (+) E(2*m,m) = E(m,2*m) (+) E(2*m,m)",
    ),
    (
        "sum_terms",
        "lambda x, i: x * (i + first) / N, turned)",
        "lambda x, i: x * (i + first + 1) / N, turned)",
        "F(m) (+) F(2*m) = F(m) (+) F(2*m)",
    ),
    (
        "splits",
        "row = [self.made(x) for x in (factors[::-1] if self.turned else factors)]",
        "row = [self.made(x) for x in factors]",
        f"{BLOCKS}transpose((A (+) B) * (C (+) D)) = transpose((A (+) B) * (C (+) D))",
    ),
    (
        "splits",
        "return Mul(a[0], b[0]), a[1], b[2]",
        "return Mul(b[0], a[0]), a[1], b[2]",
        f"{BLOCKS}(A (+) B) * (C (+) D) = A*C (+) B*D",
    ),
    (
        "splits",
        "number = ALONE / T.dim(by) if self.inverse else T.alpha(by)",
        "number = T.alpha(by)",
        "inv(2 * (F(m) (+) F(n))) = 1/2 * inv(F(m) (+) F(n))",
    ),
    (
        "splits",
        'self.conj != (name != "transpose"),',
        "self.conj,",
        "conj(F(m) (+) F(n)) = conj(F(m)) (+) conj(F(n))",
    ),
    (
        "splits",
        'self.inverse != (name == "inv"),',
        "self.inverse,",
        "inv(F(m) (+) F(n)) = inv(F(m)) (+) inv(F(n))",
    ),
    (
        "splits",
        "return _kron(I(self.copies), added(kept))",
        "return _kron(I(self.copies), added(kept[:1]))",
        f"{BLOCKS}(A (+) B)^k = (A (+) B)^k",
    ),
    # symbols and conditions
    (
        "symbols",
        "Poly.of(size(M)) - found + own",
        "Poly.of(size(M)) + found - own",
        "perm(j < m+n, j+m) = perm(j < m+n, j-n)",
    ),
    (
        "symbols",
        "substitute(value, {name: by}) for x",
        "substitute(value, {name: by * by}) for x",
        "I(N/r) (x) I(r) = I(N)",
    ),
    (
        "symbols",
        "substitute(value, {name: by}) for x",
        "substitute(value, {name: by + 1}) for x",
        "I(2^(n-1)) (x) I(2) = I(2^n)",
    ),
    (
        "divisibility",
        "return below * size(name) if",
        "return below * below * size(name) if",
        "I(N/r) (x) I(r) = I(N)",
    ),
    (
        "divisibility",
        "return nat(name) + low",
        "return nat(name) + low + 1",
        "I(2^(n-1)) (x) I(2) = I(2^n)",
    ),
    (
        "translate",
        "least = Nat.of(number)",
        "least = Nat.of(number + 1)",
        "I(2^n) = I(2^n)",
        "n >= 1",
    ),
    (
        "translate",
        "least = least if (least - other).natural else other",
        "least = least + other",
        "I(2^(n-m)) (x) I(2^m) = I(2^n)",
        "n >= 1, n >= m",
    ),
    (
        "translate",
        "return symbols.bounded(name, nat(name) + least)",
        "return symbols.bounded(name, nat(name) + least + 1)",
        "I(2^(n-m)) (x) I(2^m) = I(2^n)",
        "n >= m",
    ),
    (
        "translate",
        "return symbols.bounded(name, nat(name) + least)",
        "return symbols.bounded(name, nat(name) + least * 2)",
        "I(2^(n-m)) (x) I(2^m) = I(2^n)",
        "n >= m",
    ),
    (
        "splits",
        "return Split(a * copies, parts, multiple)",
        "return Split(copies, parts, a * multiple)",
        f"{BLOCKS}I(3) (x) (A (+) B) = I(3) (x) (A (+) B)",
    ),
    (
        "sum_terms",
        "return Kron(P, I(order * unit))",
        "return Kron(I(order * unit), P)",
        "F(m) (+) F(2*m) = F(m) (+) F(2*m)",
    ),
    # square roots
    (
        "square_roots",
        "halves.append((base, Nat(frozenset((names, c // 2) for names, c in exponent.terms))))",
        "halves.append((base, exponent))",
        "A, B : m x m; sqrt(n)*A + sqrt(4*n)*B = sqrt(n)*(A + 2*B)",
    ),
    (
        "square_roots",
        "return Sides(left, self.times(b / a, right))",
        "return Sides(left, self.times(a / b, right))",
        "1/sqrt(N) * F(N) * (1/sqrt(N) * conj(F(N))) = I(N)",
    ),
    (
        "square_roots",
        'return ONE / d if isinstance(text, Applied) and text.name == "inv" else d',
        "return d",
        "inv(1/sqrt(N) * F(N)) = conj(1/sqrt(N) * F(N))",
    ),
    (
        "square_roots",
        "return Sides(_sum([rest.left, *zeros]), _sum([rest.right, *zeros]))",
        "return Sides(_sum(zeros), _sum(zeros))",
        ROOTS,
    ),
    (
        "square_roots",
        "sums = ([self.parted(_sum(rest))[0], *zeros] if rest else zeros for rest in rests)",
        "sums = (zeros for rest in rests)",
        "sqrt(n)*F(n) + sqrt(m)*J(n) = sqrt(n)*F(n)",
    ),
    (
        "square_roots",
        "parts = (term.get(d) or _zero(next(iter(term.values()))) for term in terms)",
        "parts = (term.get(d) or next(iter(term.values())) for term in terms)",
        "(sqrt(3)*I(m) (+) I(n))^2 = 3*I(m) (+) I(n)",
    ),
    (
        "square_roots",
        "inverses = tuple(replace(text, of=part) for part in parts)",
        "inverses = parts",
        "inv(sqrt(3)*I(m) (+) F(m)) = 1/sqrt(3)*I(m) (+) 1/m*conj(F(m))",
    ),
    # definitions
    (
        "derive.text.definitions",
        "max(reached, default=None)",
        "min(reached, default=None)",
        f"{LAST}W(n+1) = W(n+1)",
    ),
    (
        "derive.text.definitions",
        "own: last + Name(parameter) * c",
        "own: last + Name(parameter)",
        f"{TWO}W(2*n+1) = W(2*n+1)",
    ),
    (
        "derive.text.definitions",
        "*stages(parts.before, steps - k, k),",
        "*stages(parts.before, k + 1, k),",
        f"{TWO}W(2*n) = W(2*n)",
    ),
    (
        "readings",
        "Nat(frozenset((names, c // by) for names, c in terms))",
        "Nat(terms)",
        "diag(j < 3, j*2^(2*n/2)/7) = diag(j < 3, j*2^n/7)",
    ),
)


def _functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """Yield the functions and methods of a module, and those of its table of matrices."""
    for name, thing in vars(module).items():
        if getattr(thing, "__module__", module.__name__) != module.__name__:
            continue
        members: dict[str, Any] = {name: thing}
        if isinstance(thing, type):
            members = {f"{name}.{x}": one for x, one in vars(thing).items()}
        elif isinstance(thing, dict):
            members = {f"{name}[{x}]": one for x, one in thing.items()}
        for key, one in members.items():
            plain = getattr(one, "fget", None) or getattr(one, "__func__", one)
            if isinstance(plain, FunctionType):
                yield key, plain


@contextmanager
def _defined_as(old: str, new: str) -> Iterator[None]:
    """Put a text for another one in the definitions of matrices."""
    rows = [(kind, kind._row) for kind in Leaf.__subclasses__() if old in kind._row.means]
    assert rows, f"{old} is in no definition"
    for kind, row in rows:
        kind._row = row._replace(means=row.means.replace(old, new))
    leaves._defined.cache_clear()
    try:
        yield
    finally:
        for kind, row in rows:
            kind._row = row
        leaves._defined.cache_clear()


@contextmanager
def mutated(module: str, old: str, new: str) -> Iterator[None]:
    """Put a text for another one in a module of the translation, in place, or in the definition of
    a matrix.
    """
    if module == "rows":
        with _defined_as(old, new):
            yield
        return
    known = importlib.import_module(module if "." in module else f"{ROOM}.{module}")
    source = Path(str(known.__file__)).read_text(encoding="utf-8")
    assert source.count(old) >= 1, f"{old} is not in {module}"
    changed = ModuleType(known.__name__)
    changed.__file__ = known.__file__
    exec(compile(source.replace(old, new), f"{module} with {new}", "exec"), vars(changed))
    other = dict(_functions(changed))
    before = [(one, one.__code__) for _, one in _functions(known)]
    try:
        for key, one in _functions(known):
            if key in other and other[key].__code__.co_freevars == one.__code__.co_freevars:
                one.__code__ = other[key].__code__
        yield
    finally:
        for one, code in before:
            one.__code__ = code
