"""Proofs of the kernel as Coq files: Coq accepts them without axioms, they speak of the matrices of
the kernel, and a file with another statement is refused.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nodewright as nw
from proofs.coq.export import coq_steps
from proofs.coq.export.coq_files import Unwritten, coq_file
from proofs.coq.export.coq_statements import sorts
from proofs.coq.export.path_sum_proofs import script
from proofs.derivations.rules import rules
from proofs.kernel.kernel_rules import (
    RULES,
    Thm,
    add,
    block,
    cases,
    chosen,
    diag,
    flip,
    instantiate,
    refl,
    trans,
)
from proofs.kernel.numbers import ONE, Digit, Poly, Real, nat, size
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import F, I, Kron, Mul, S, Term, W
from proofs.theorems import theorems
from tests.mutation.dense import Field, dense
from tests.support.commands import Command
from tests.support.paths import ROOT

COQ = ROOT / "proofs" / "coq"
needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="coqc is not installed (Debian: apt-get install coq)"
)
Compile = Callable[[str, str], subprocess.CompletedProcess[str]]
Said = Callable[[str, str], str]
QUICK = ("cooley-tukey", "bsp-theorem-2.2", "bsp-lemma-1.2", "stride-lemma", "bsp-1.6")
r, s = size("r"), size("s")
SEQUENCES = ("any-radices", "bsp-fft-phases", "arrays-any-axes")
LONG = ("bsp-2.8", "fht-factorization")
SLOW = tuple(name for name in theorems() if name not in (*QUICK, *LONG, *SEQUENCES))


def label(name: str) -> str:
    return re.sub(r"\W", "_", name)


@cache
def text_of(name: str) -> str:
    return coq_file([(name, theorems()[name].prove(), ())])


@pytest.fixture(autouse=True)
def kernel(request: pytest.FixtureRequest) -> None:
    """The files that those of the kernel's proofs import."""
    if "coqc" in request.fixturenames or "compiled" in request.fixturenames:
        for file in ("Matrix.v", "Kernel.v"):
            request.getfixturevalue("compiled")(file, (COQ / file).read_text(encoding="utf-8"))


@pytest.mark.sampled(3)
@pytest.mark.sampled(5, rest="long")
@needs_coq
@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def test_coq_accepts_a_proof_of_the_kernel_without_axioms(compiled: Said, name: str) -> None:
    said = compiled(f"{label(name)}.v", text_of(name))
    assert said == "Closed under the global context\n" * len(theorems()[name].prove())


@pytest.mark.long
@needs_coq
@pytest.mark.parametrize("name", LONG)
def test_coq_accepts_phases_and_the_hartley_transform(compiled: Said, name: str) -> None:
    assert compiled(f"{label(name)}.v", text_of(name)) == "Closed under the global context\n"


@pytest.mark.parametrize("name", QUICK)
def test_a_file_has_no_axiom_and_admits_nothing(name: str) -> None:
    for word in ("Admitted", "admit", "Axiom", "Parameter", "Conjecture", "Abort", "Hypothesis"):
        assert not re.search(rf"\b{word}\b", text_of(name)), word


MUTANTS = [
    ("cooley-tukey", "(Sh r s)", "(Sh s r)", "another stride"),
    ("cooley-tukey", "(W ([b1] * [b2] / ([r] * [s])))", "(W 0)", "a twiddle dropped"),
    ("cooley-tukey", "(tensor s s (I r) (Fourier s))", "(tensor r r (I s) (Fourier r))", "radices"),
    ("cooley-tukey", "(Fourier r) (I s)", "(Fourier_bar r) (I s)", "a conjugate"),
    ("cooley-tukey", "(mmul (r * s) (tensor", "(mmul r (tensor", "a sum cut short"),
    ("stride-lemma", "(Sh g (d * s))", "(Sh (d * g) s)", "another permutation"),
    ("bsp-1.6", "(Fourier (2 ^ (n)))", "(Fourier_bar (2 ^ (n)))", "a conjugate"),
    ("bsp-theorem-2.2", "(Sh u (2 * c * h))", "(Sh (2 * c * h) u)", "an inverse dropped"),
    ("bsp-theorem-2.2", " + [b2] * [b3] / ([h] * [u] * [2])", "", "a twiddle of a block dropped"),
]


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@needs_coq
@pytest.mark.parametrize(
    ("name", "old", "new", "what"), MUTANTS, ids=[f"{name}: {what}" for name, *_, what in MUTANTS]
)
def test_a_changed_statement_is_refused(
    coqc: Compile, name: str, old: str, new: str, what: str
) -> None:
    """It is changed wherever it stands: in the lemmas, the scripts and the theorem."""
    assert old in text_of(name), f"{old} does not stand in {name}"
    done = coqc("Changed.v", text_of(name).replace(old, new))
    assert done.returncode != 0 and "Syntax error" not in done.stderr


@needs_coq
def test_the_scripts_prove_no_theorem_but_their_own(coqc: Compile) -> None:
    text = text_of("cooley-tukey")
    done = coqc("Other.v", re.sub(r"(Theorem .*?:\n  ).*?\.\n", r"\1(0 = 1).\n", text, flags=re.S))
    assert done.returncode != 0 and 'expected to have type "0 = 1"' in done.stderr


# The statements, evaluated by Coq over GF(97), against the kernel's terms

Q, ROOT_OF_UNITY = 97, 5
HEAD = f"""
From Nodewright Require Import Kernel {{file}}.
From Coq Require Import ZArith QArith List.
Open Scope Z_scope.
Definition ZZ : CRing := Build_CRing Z 0 1 Z.add Z.mul Z.sub Z.opp Zth.
Definition root_of (x : Q) : Z := {ROOT_OF_UNITY} ^ (Qnum x * {Q - 1} / QDen x mod {Q - 1}) mod {Q}.
Definition number_of (x : Q) : Z := Qnum x * (QDen x mod {Q}) ^ {Q - 2} mod {Q}.
Definition table (m n : nat) (A : mat ZZ) := map (fun i => map (fun j => A i j) (seq 0 n)) (seq 0 m).
Section At.
Variable law : forall P : Prop, P. (* nothing is proved here *)
Definition K : Turns := Build_Turns Q (0 # 1)%Q (1 # 1)%Q Qplus Qmult Qminus Qopp Qdiv Qinv (law _) (law _) ZZ
  number_of (law _) (law _) (law _) root_of (law _) (law _) (law _).
"""  # noqa: E501
EVALUATED: list[tuple[str, dict[str, Any]]] = [
    ("cooley-tukey", {"r": 2, "s": 4}),
    ("cooley-tukey", {"r": 3, "s": 2}),
    ("bsp-theorem-2.2", {"u": 2, "h": 2, "c": 1, "alpha": Fraction(3)}),
    ("stride-lemma", {"d": 2, "g": 3, "s": 2}),
    ("bsp-1.6", {"n": 2}),
    ("bsp-2.8", {"a": 1, "e": 0, "g": 0}),
    pytest.param("fht-step", {"h": 2}, marks=pytest.mark.slow),
    ("fht-factorization", {"n": 2}),
    pytest.param("bsp-1.14", {"n": 2}, marks=pytest.mark.slow),
]


def evaluated(coqc: Compile, name: str, part: int, at: dict[str, Any]) -> list[np.ndarray]:
    """Return both sides of a part of a theorem as Coq evaluates them."""
    theorem = theorems()[name].prove()[part]
    many = f"_{part + 1}" if len(theorems()[name].prove()) > 1 else ""
    arguments = " ".join(argument(at[x], sort) for x, sort in sorts(theorem).items())
    goal = f"""{HEAD.format(file=label(name))}
Goal True.
  let T := type of ({label(name)}{many} K {arguments}) in
  match T with Kernel.eqm ?m ?n ?A ?B =>
    let x := eval vm_compute in (table m n A) in let y := eval vm_compute in (table m n B) in
    idtac x; idtac "="; idtac y end. exact Logic.I.
Qed.
End At.
"""
    done = coqc("Evaluated.v", goal)
    assert done.returncode == 0, done.stdout + done.stderr
    sides = [[int(x) for x in re.findall(r"-?\d+", side)] for side in done.stdout.split("=")]
    return [np.array(side).reshape(int(len(side) ** 0.5), -1) % Q for side in sides]


def argument(value: Any, sort: Any) -> str:
    if isinstance(sort, Real):
        return f"({value} # 1)%Q"
    return f"{value}%nat (law _)" if sort == "size" or isinstance(sort, Digit) else f"{value}%nat"


@pytest.mark.sampled(3)
@pytest.mark.long
@needs_coq
@pytest.mark.parametrize(("name", "at"), EVALUATED)
def test_coq_speaks_of_the_matrices_of_the_kernel(
    coqc: Compile, compiled: Said, name: str, at: dict[str, Any]
) -> None:
    compiled(f"{label(name)}.v", text_of(name))
    for part, theorem in enumerate(theorems()[name].prove()):
        found = evaluated(coqc, name, part, at)
        for side, matrix in zip((theorem.left, theorem.right), found, strict=True):
            wanted = dense(side, dict(at), Field(Q - 1, Q, ROOT_OF_UNITY)) % Q
            assert np.array_equal(matrix, wanted)


def halves(side: int) -> Thm:
    """Return I F_2r = F_2r by the halves of its rows or columns."""
    left, right = Mul(I(r * 2), F(r * 2)), F(r * 2)

    def half(v: int, x: Term) -> Term:
        one = Kron(I(ONE), Kron(chosen(v, 2, side == 1), I(r)))
        return Mul(x, one) if side else Mul(one, x)

    return cases(left, right, side, ONE, r, *(diag(half(v, left), half(v, right)) for v in (0, 1)))


@pytest.mark.long
@needs_coq
def test_rules_that_no_theorem_with_a_name_uses(coqc: Compile) -> None:
    """Direct sums of equations, values of digits, a digit that stands in the middle only, and
    reversals.
    """
    x, y = Digit("x", r * 2), Digit("y", r * 2)
    turn = Poly.of(x) / (r * 2)
    doubled = diag(Mul(W(turn), W(turn)), W(turn * 2))
    named = {
        "block": block(x, doubled),
        "digit": instantiate(doubled, x=Poly.of(y)),
        "zero": instantiate(doubled, x=Poly.of(0)),
        "sums": add((Poly.of(3) / r, Poly.of(1), doubled), (Poly.of(1), Poly.of(0), refl(W(turn)))),
        "vanishing": trans(diag(W(Poly.of(0)), W(Poly.of(x))), diag(W(Poly.of(x)), W(Poly.of(r)))),
        "flip": flip(r, s),
        "flips": flip(2 ** nat("n"), r * 2),
        "rows": halves(0),
        "columns": halves(1),
    }
    done = coqc("rules.v", coq_file([(name, [theorem], ()) for name, theorem in named.items()]))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Closed under the global context\n" * len(named)


# What is refused


def test_a_step_that_is_not_written_is_named_in_one_line(
    nodewright: Command, tmp_path: Path
) -> None:
    """Nothing is written then, the certificate neither."""
    coq, certificate = tmp_path / "proof.v", tmp_path / "proof.json"
    files = "--coq", coq, "--certificate", certificate
    code, out, err = nodewright("prove", "--formula", "H(N) * H(N) = F(N) * conj(F(N))", *files)
    assert (code, out) == (2, "") and not [*tmp_path.iterdir()]
    (line,) = err.splitlines()
    assert "a step of the proof, by the rule diag, is not written in Coq: " in line
    assert f"; nothing is written to {certificate}, {coq}" in line


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences_of_radices_are_not_written(name: str) -> None:
    with pytest.raises(Unwritten, match="sequences of radices have no script"):
        text_of(name)


def test_every_rule_of_the_kernel_has_a_lemma(monkeypatch: pytest.MonkeyPatch) -> None:
    assert coq_steps.RULES.keys() == RULES.keys()
    monkeypatch.delitem(coq_steps.RULES, "flip")
    with pytest.raises(
        Unwritten, match=r"by the rule flip, is not written in Coq: Kernel\.v has no"
    ):
        coq_file([("flip", [flip(r, s)], ())])


@pytest.mark.long
@needs_coq
def test_a_reversal_that_is_none_is_refused(coqc: Compile) -> None:
    text = coq_file([("flip", [flip(r, s)], ())])
    changed = text.replace("(tensor s s", "(tensor r r")
    assert changed != text and coqc("Changed.v", changed).returncode != 0


LONG_STEP = "A : m x m; A * sum(k < n, A^k) = sum(k < n, A^k) * A"


@pytest.mark.long
def test_a_long_step_that_is_not_written_is_not_in_the_line() -> None:
    with pytest.raises(Unwritten) as error:
        nw.prove(LONG_STEP, seconds=60).to_coq()
    assert str(error.value) == (
        "a step of the proof, by the rule diag, is not written in Coq: cannot show how two path"
        " sums agree"
    )


def test_block_algebra_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cormen-lemma-1 is proved by block algebra"):
        nw.theorem("cormen-lemma-1").to_coq()
    with pytest.raises(ValueError, match="block algebra"):
        nw.theorem("cormen-lemma-1").save(tmp_path / "proof.v")
    assert not [*tmp_path.iterdir()]


def test_a_proof_is_saved_as_coq_by_its_name(tmp_path: Path) -> None:
    proof = nw.theorem("cooley-tukey")
    proof.save(tmp_path / "proof.v")
    assert (tmp_path / "proof.v").read_text(encoding="utf-8") == proof.to_coq()


@needs_coq
def test_an_equation_of_ones_own_and_names_that_coq_keeps(coqc: Compile) -> None:
    own = nw.prove("L(r*root,r) * L(r*root,root) = I(r*root)")
    assert own.holds and "v_root" in own.to_coq()
    done = coqc("own.v", own.to_coq())
    assert (done.returncode, done.stdout) == (0, "Closed under the global context\n")


@pytest.mark.long
@needs_coq
@pytest.mark.parametrize(
    "equation",
    [
        str(rules()["good-thomas"].sides),
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in (
                str(rules()["bluestein"].sides),
                "J(r^n) = prod(k,0,n-1, I(r^k) (x) J(r) (x) I(r^(n-1-k)))",
                "A : m x m; sum(k < n, A) = n * A",
                "(bits(1,3) * bits(1,3)) (x) I(n) = I(4*n)",
            )
        ),
    ],
)
def test_reversals_and_matrices_of_ones_are_accepted(coqc: Compile, equation: str) -> None:
    done = coqc("own.v", nw.prove(equation).to_coq())
    assert (done.returncode, done.stdout) == (0, "Closed under the global context\n")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Mul(S(r, s), S(r, s)), I(r * s)),
        (Kron(F(r), I(s)), Kron(I(s), F(r))),
        (F(r), F(r, -1)),
        (Mul(F(r), F(r)), I(r)),
    ],
)
def test_no_script_is_found_for_a_wrong_equation(left: Term, right: Term) -> None:
    with pytest.raises(Refused, match=r"cannot show|no end|divides"):
        script(left, right)


def test_hypotheses_stand_in_the_statement() -> None:
    text = text_of("bsp-lemma-1.2")
    assert "(eqm n n (mmul n Y Z) (mmul n Z Y)) -> " in text
