"""Every small change of a program or of a factorization is refused, or shown to be right: a seeded
sample here, all of them in the exhaustive one.
"""

from __future__ import annotations

import ast
import random
from dataclasses import replace
from functools import lru_cache
from itertools import islice

import numpy as np
import pytest

from bench.kill import keep, kept_of
from derive.exact.exact_check import check
from derive.formula.grammar import factors_of
from derive.formula.permutation_matrices import Bmmc
from derive.formula.transforms import LH, H, W
from derive.verdict import Refuted, Undecided
from proofs.certify.checks.suite import tried
from proofs.certify.rounds.sections import SECTIONS
from tests.mutation import kill
from tests.mutation.edits import KINDS
from tests.mutation.kill import (
    CASES,
    EQUATIONS,
    GAP,
    LIVES,
    MEMORY_ALONE,
    OPEN,
    REFUSED,
    UNEXPLAINED,
    Case,
    Trials,
    explained,
    fate,
    mutants_of,
    review_of,
    sample,
    sample_of_kinds,
)
from tests.mutation.mutants import Mutant, mutants, reached_by_contract
from tests.mutation.wrong_equations import wrong_equations
from tests.support.changes import changed
from tests.support.lines import START
from tests.support.matrices import dense, factor_of, matrix_of

SAMPLE = 8
"""Mutants of a program."""
PROGRAMS = {
    f"{system} {i}": case for system, cases in CASES.items() for i, case in enumerate(cases())
}


SOME = [f"{system} 0" for system in CASES] + [
    "fft 5",
    pytest.param("permute 4", marks=pytest.mark.slow),
]
"""The first program of each system, and what has kernels of its own."""


@lru_cache(1)
def every(name):
    return tuple(mutants(PROGRAMS[name].text))


def names(tree, statements):
    """Return the names that these statements of a module define."""
    defined = {each.name for each in statements if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    others = [each for each in statements if not isinstance(each, ast.FunctionDef | ast.ClassDef)]
    return defined | {
        node.id
        for each in others
        for node in ast.walk(each)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", SOME)
def test_mutants_are_whole_different_and_the_same_each_time(name):
    text = PROGRAMS[name].text
    found = every(name)
    assert found[:100] == tuple(islice(mutants(text), 100))
    assert len({mutant.text for mutant in found}) == len(found) > 400
    assert text not in {mutant.text for mutant in found}
    for mutant in random.Random(0).sample(found, 40):
        ast.parse(mutant.text)
        source, (start, stop) = text.encode(), mutant.place
        assert source[start:stop].decode() == mutant.before
        assert (source[:start] + mutant.after.encode() + source[stop:]).decode() == mutant.text


@pytest.mark.long
def test_every_kind_of_change_is_made():
    assert {
        mutant.kind for name in ("fft 3", "fft 5", "permute 1") for mutant in every(name)
    } == set(KINDS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_certificate_covers_is_changed_and_nothing_else(name):
    tree = ast.parse(PROGRAMS[name].text)
    inside = names(tree, reached_by_contract(tree))
    defined = names(tree, tree.body)
    assert {"N", "Plan", "transform"} <= inside
    assert {"input_place", "output_place", "input_index", "output_index"} <= inside
    assert {"Tiles", "rounds", "Window", "butterflies", "root_of_unity"} & defined <= inside
    assert not {"main", "run", "bench"} & inside


def test_a_line_that_is_run_cannot_fail_and_one_that_is_not_can():
    case = PROGRAMS["permute 0"]
    text = case.text
    failing, never = "    raise AssertionError\n", "    if plan is None:\n"
    assert fate(case, changed(text, (START, failing + START))) in REFUSED
    assert fate(case, changed(text, (START, START + never + "    " + failing))) == "same"


def test_a_plan_that_holds_more_than_it_needs_differs_in_memory_alone():
    case = PROGRAMS["permute 0"]
    held = changed(
        case.text,
        (
            "self.work = np.empty(M, DTYPE)",
            "self.work, self.more = np.empty(M, DTYPE), np.empty(M, DTYPE)",
        ),
    )
    assert held != case.text
    assert fate(case, held) == MEMORY_ALONE
    mutant = Mutant("number", 1, "x = 1", "1", "2", (4, 5), held)
    assert explained(mutant, MEMORY_ALONE) == GAP
    assert explained(mutant, UNEXPLAINED) == UNEXPLAINED


@pytest.mark.long
def test_operations_of_kernels_are_no_place_for_mutants(monkeypatch):
    case = PROGRAMS["permute 4"]
    # which takes seconds: once is enough
    monkeypatch.setattr(kill, "mutants", lambda text: every("permute 4"))
    section = SECTIONS["cached"]
    begin = case.text.encode().index(section.encode())
    places = [mutant.place for mutant in mutants_of(case)]
    assert 1000 < len(places) < len(every("permute 4"))
    assert all(stop <= begin or begin + len(section.encode()) <= start for start, stop in places)


def test_a_sample_is_spread_over_all():
    assert sample(range(10), 5) == [0, 2, 4, 6, 8]
    assert sample(range(3), 5) == [0, 1, 2]


def test_a_sample_of_kinds_has_some_of_every_kind_in_the_order_of_the_text():
    of_program = every("permute 0")
    some = sample_of_kinds(of_program, 40)
    assert {mutant.kind for mutant in some} == {mutant.kind for mutant in of_program}
    assert 40 <= len(set(some)) == len(some) < 40 + len(KINDS)
    assert [mutant.place for mutant in some] == sorted(mutant.place for mutant in some)
    assert set(sample_of_kinds(of_program, len(of_program))) == set(of_program)


@pytest.mark.long
@pytest.mark.sampled(24)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("system", CASES)
def test_a_sample_of_mutants_is_refused_or_shown_to_be_right(system, seed):
    chosen = random.Random(seed)
    case = chosen.choice(CASES[system]())
    some = chosen.sample(mutants_of(case), SAMPLE)
    with Trials.of(case) as trials:
        fates = [
            explained(*each)
            for each in zip(some, trials.fates([mutant.text for mutant in some]), strict=True)
        ]
    assert [
        str(mutant)
        for mutant, fate in zip(some, fates, strict=True)
        if fate not in (*REFUSED, *LIVES)
    ] == []
    # Of all it is four or five in ten: the rest stands in code that no run reaches, or makes no
    # difference.
    assert sum(fate in REFUSED for fate in fates) > SAMPLE // 4


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_mutant_is_refused_or_shown_to_be_right(name):
    with Trials.of(PROGRAMS[name]) as trials:
        fates = trials.judged(mutants_of(PROGRAMS[name]))
    assert [
        str(mutant)
        for mutant, fate in zip(mutants_of(PROGRAMS[name]), fates, strict=True)
        if fate not in (*REFUSED, *LIVES)
    ] == []


def test_what_no_review_knows_is_unexplained():
    mutant = Mutant("number", 1, "x = 1", "1", "2", (4, 5), "x = 2")
    assert review_of(mutant) is None
    assert explained(mutant, UNEXPLAINED) == UNEXPLAINED
    assert explained(mutant, "function") == "function"
    assert explained(mutant, "same") == "same"


def test_a_certified_mutant_with_an_open_contract_refuses_other_invalid_uses():
    case = PROGRAMS["permute 0"]
    rule, every_size = "if comm.size != P:", "if False:"
    text = changed(case.text, (rule, every_size))
    assert fate(case, text) == OPEN
    mutant = Mutant("branch", 1, rule, "comm.size != P", "False", (4, 5), text)
    assert explained(mutant, OPEN) == OPEN
    assert explained(replace(mutant, context="x = 1", before="x"), OPEN) == UNEXPLAINED


def test_a_change_of_what_ranks_do_without_a_plan_leaves_the_contract_open():
    case = PROGRAMS["permute 0"]
    line = next(each for each in case.text.splitlines() if "cannot make its plan" in each)
    text = changed(case.text, (line, line.replace(", self.free)", ")")))
    found = tried("prog.py", text, 0, on_real=None).verdicts
    assert isinstance(found["contract"], Undecided) and "has no memory" in found["contract"].reason
    mutant = Mutant("argument", 1, line.strip(), line[:-1].split("with ")[1], "", (0, 1), text)
    assert (explained(mutant, "same"), explained(mutant, "contract")) == (OPEN, "contract")


def test_kept_fates_are_those_of_the_same_mutants_of_the_same_text(tmp_path):
    case, kept = CASES["permute"]()[0], tmp_path / "kept.jsonl"
    few = sample(mutants_of(case), 3)
    assert kept_of(case, few, kept) is None
    keep(kept, case, 447, few, ["same", "layout", "cost"])
    assert kept_of(case, few, kept) == ["same", "layout", "cost"]
    assert kept_of(case, few[:2], kept) is None
    other = Case(case.system, case.name, replace(case.request, exchange="pairwise"))
    assert kept_of(other, few, kept) is None


def matrix(formula):
    """Return a formula as a matrix, by the second readings of test_fourier.py and test_hartley.py;
    bit permutations and W by definition.
    """
    made = np.eye(formula.size, dtype=complex)
    for factor in reversed(factors_of(formula)):
        made = read(factor) @ made
    return made


def read(factor):
    match factor:
        case Bmmc(address):
            return dense.placed(factor.size, address)
        case W(order, i, j):
            z = np.arange(factor.size)
            return np.diag([dense.w(order, e) for e in i(z) * j(z)])
        case H(N):
            return matrix_of(N)
        case LH(s, N):
            return factor_of(s, N)
    return dense(factor)


LEAST = {"hypercube-fft, Prog. 2": 29, "fht": 20}
"""More wrong factorizations than so many are refuted; 30 where there are enough factors."""


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", EQUATIONS)
def test_a_wrong_factorization_is_refuted_and_one_that_is_not_is_right(name):
    equation = EQUATIONS[name]()
    wanted, fates = matrix(equation.left), []
    for how, wrong in wrong_equations(equation):
        verdict = check(wrong)
        assert isinstance(verdict, Refuted) != np.allclose(
            matrix(wrong.right), wanted, atol=1e-9
        ), (how, str(wrong))
        fates.append(isinstance(verdict, Refuted))
    assert fates.count(True) > LEAST.get(name, 30)
    assert fates.count(True) > 8 * fates.count(False)
