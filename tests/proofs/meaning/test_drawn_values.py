"""Values at which the sizes of a text are least are drawn, whatever its symbols are called: a
theorem that begins later than its text, or speaks of multiples only, is no proof of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import pytest

from derive.text.parse import parse, parse_relations
from proofs.kernel.kernel_rules import assume
from proofs.meaning.comparison import Compared, compare
from proofs.meaning.drawn_values import Draws
from proofs.prove import claimed, equation_proofs
from proofs.prove.claimed import claim_of
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.small_sizes import Tried
from tests.support.paths import ROOT
from tests.support.translation_mutants import mutated

PUT = "substitute(value, {name: by}) for x"
REPAIR = "symbols.put(repair.name, repair.by)"
EXPONENT = "F(2^({n}-2)) * F(2^({n}-2)) = 2^({n}-2) * perm(j < 2^({n}-2), -j)"
SIZES = (
    "F({N}/{r}) (x) I({r}) = F({N}/{r}) (x) I({r})",
    "L({N},{r}) = L({N},{r})",
    "D({N}) (x) I({r}) = D({N}) (x) I({r})",
)
NATURALS, PAIRS = "nmkabpqz", ("Nr", "Ms", "Kt", "ab", "cd", "qh", "zy", "ur")


def of_terms(equation: str, where: str = "") -> Compared:
    """Compare an equation with its translation, as a theorem that assumes it."""
    terms, claim = claim_of(parse(equation), parse_relations(where))
    return compare(claim, assume(terms.left, terms.right))


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("n", NATURALS)
@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("symbols", PUT, PUT.replace("by}", "by + 1}")),
        ("symbols", PUT, PUT.replace("by}", "by + 2}")),
        ("translate", REPAIR, REPAIR.replace("by)", "by + 1)")),
        ("translate", REPAIR, REPAIR.replace("by)", "by * 2)")),
        ("translate", REPAIR, REPAIR.replace("by)", "by * 3)")),
    ],
)
def test_a_theorem_that_begins_too_late_is_seen(module: str, old: str, new: str, n: str) -> None:
    for where in ("", f"{n} >= 2"):
        equation = EXPONENT.format(n=n)
        assert not of_terms(equation, where).difference
        if module == "symbols" or not where:
            with mutated(module, old, new):
                assert "does not speak of these values" in of_terms(equation, where).difference


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("names", PAIRS)
@pytest.mark.parametrize("factor", [2, 3])
@pytest.mark.parametrize(("module", "old"), [("symbols", PUT), ("translate", REPAIR)])
def test_a_theorem_of_multiples_only_is_seen(
    module: str, old: str, factor: int, names: str
) -> None:
    for text in SIZES:
        equation = text.format(N=names[0], r=names[1])
        assert not of_terms(equation).difference
        with mutated(
            module, old, old.replace("by}", f"by * {factor}}}").replace("by)", f"by * {factor})")
        ):
            assert "does not speak of these values" in of_terms(equation).difference


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("n", NATURALS)
def test_such_a_theorem_proves_nothing(monkeypatch: pytest.MonkeyPatch, n: str) -> None:
    monkeypatch.setattr(equation_proofs, "compared", lambda *_: Tried(1))
    with mutated("symbols", PUT, PUT.replace("by}", "by + 1}")):
        found = decide_for_all(parse(EXPONENT.format(n=n)), []).verdict
    assert found.kind == "undecided" and "bug in nodewright" in found.evidence


@pytest.mark.long
@pytest.mark.parametrize("hashing", ["1", "2"])
def test_what_is_drawn_does_not_depend_on_the_order_of_sets(hashing: str) -> None:
    """The order of sets of names is another one in every process."""
    code = (
        "from tests.proofs.meaning.test_drawn_values import of_terms;"
        "print(of_terms('A : m x m, B : p x p; sum(k < n, A^k (x) B) = sum(k < n, A^k) (x) B'))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hashing},
        capture_output=True,
        text=True,
        check=True,
    )
    wanted = of_terms("A : m x m, B : p x p; sum(k < n, A^k (x) B) = sum(k < n, A^k) (x) B")
    assert run.stdout.strip() == str(wanted)


POWERS = (
    ("A : m x m, B : n x n; (A (+) B)^k = A^k (+) B^k", "k >= 1"),
    ("A : m x m, B : n x n; (A (+) B)^k = A^k (+) B^k", "k >= 7"),
    ("A : m x m, B : n x n; (A (x) B)^k = A^k (x) B^k", "k >= 1"),
    ("A : m x m, B : n x n; (A (x) B)^k = A^k (x) B^k", "k >= 3"),
    ("A : m x m; A^(k-2) * A^2 = A^k", "k >= 2"),
    ("A : m x m; A^(k-l) * A^l = A^k", "k >= l, l >= 1"),
    ("A : m x m; (A^k)^l = A^(k*l)", "k >= 1, l >= 1"),
    ("A : m x m; prod(j,1,k-1, A) * A = A^k", "k >= 1"),
    ("L(r*s,r)^k * L(r*s,s)^k = I(r*s)", "k >= 1, r = s"),
    ("F(2^(n-1)) (x) I(2) = F(2^(n-1)) (x) I(2)", "n >= 1"),
    ("A : m x m; (2*A)^k = 2^k * A^k", "k >= 70"),
)


@pytest.mark.sampled(2)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(("equation", "where"), POWERS)
def test_letters_are_found_for_every_value_that_they_reach(equation: str, where: str) -> None:
    """A draw may be as large as k = 100 = 4·5·5."""
    terms, claim = claim_of(parse(equation), parse_relations(where))
    theorem = assume(terms.left, terms.right)
    for seed in ("", *map(str, range(8))):
        found = compare(claim, theorem, seed)
        assert found.sizes and not found.difference


def test_a_natural_with_a_lower_bound_is_drawn_far_above_it() -> None:
    terms, claim = claim_of(parse("A : m x m; A^k = A^k"), parse_relations("k >= 1"))
    draws = Draws(claim, assume(terms.left, terms.right), Random(1))
    for k in (1, 2, 65, 66, 100, 4096):
        assert draws.found_letters({"m": 2, "k": k}) is not None
    assert draws.found_letters({"m": 2, "k": 0}) is None


FRACTIONS = (
    ("diag(j < n, t*j) = I(n)", "n = t + t"),
    ("diag(j < n, t*j) (x) I(r) = I(n*r)", "r = n*t, n >= 1"),
    ("diag(j < n, t*j) (x) I(r) = I(n*r)", "r = 2*t, t >= 40"),
    ("diag(j < n, t*j) (x) I(r) = I(n*r)", "r = 2*s, s = 3*t + 4*t"),
    ("B(2*h, 2*h*t) (x) I(r) = B(2*h) (x) I(r)", "r = 4*t + 3*t"),
    ("diag(j < m+r, t*j) = I(m+r)", "m = (t-5) + (t+2), m <= 4, r <= 3"),
    ("diag(j < m, (t*m + r)*j/m) = diag(j < m, r*j/m)", "m = 6/t + r, r <= t/t, m <= 6, r <= 3"),
    ("k : size; diag(j < n, t*j) * diag(j < n, k*j) = I(n)", "k = 2*t, t >= 40"),
)


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("equation", "where"), FRACTIONS)
def test_a_theorem_on_integers_is_none_on_fractions(
    equation: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claimed, "_need_integers", lambda *_: None)
    assert "does not speak of these values" in of_terms(equation, where).difference
    integers = f"t : size; {equation}".replace("t : size; k :", "t, k :")
    assert not of_terms(integers, where).difference
