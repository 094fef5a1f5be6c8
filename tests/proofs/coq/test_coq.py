"""The theorem that is proved in Coq by hand: it compiles, rests on no axiom, and speaks of the
matrices that the kernel's equation speaks of.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from proofs.theorems import theorems
from proofs.theorems.notation import equation
from tests.mutation.dense import Field, dense, products
from tests.support.paths import ROOT

COQ = ROOT / "proofs" / "coq"
FILES = [
    line
    for line in (COQ / "_CoqProject").read_text(encoding="utf-8").split()
    if line.endswith(".v")
]
PROVED = {"any-radices": "any_radices"}
"""Theorem of the kernel, theorem in Coq."""
Compile = Callable[[str, str], subprocess.CompletedProcess[str]]
Said = Callable[[str, str], str]
needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="coqc is not installed (Debian: apt-get install coq)"
)


@pytest.fixture
def said(compiled: Said) -> dict[str, str]:
    """What Coq says of each file."""
    return {file: compiled(file, text_of(file)) for file in FILES}


def text_of(file: str) -> str:
    return (COQ / file).read_text(encoding="utf-8")


def test_every_file_is_in_the_project_and_none_admits_anything() -> None:
    assert sorted(FILES) == sorted(path.name for path in COQ.glob("*.v"))
    for file in FILES:
        for word in (
            "Admitted",
            "admit",
            "Axiom",
            "Parameter",
            "Conjecture",
            "Abort",
            "Unset",
            "bypass_check",
        ):
            assert not re.search(rf"\b{word}\b", text_of(file)), f"{file}: {word}"


@pytest.mark.parametrize("name", PROVED)
def test_the_readme_states_what_coq_proves_beside_what_the_kernel_proves(name: str) -> None:
    readme = (COQ / "README.md").read_text(encoding="utf-8")
    assert equation(theorems()[name].prove()[0]) in " ".join(readme.split())
    stated = next(
        found
        for file in FILES
        for found in re.findall(
            rf"^Theorem {PROVED[name]}\b.*?\.$", text_of(file), re.DOTALL | re.MULTILINE
        )
    )
    assert stated in readme


@pytest.mark.long
@needs_coq
def test_every_theorem_is_accepted_without_axioms(said: dict[str, str]) -> None:
    for name in PROVED.values():
        (file,) = (file for file in FILES if f"Theorem {name} " in text_of(file))
        assert (
            f"Print Assumptions {name}." in text_of(file)
            and said[file] == "Closed under the global context\n"
        )


MUTANTS = [
    ("AnyRadices.v", "(j / N k * (j mod N k))", "(j / N k)", "another twiddle"),
    (
        "AnyRadices.v",
        "kron (N (S k)) Id (Sh (r k) (N k))",
        "kron (N (S k)) Id (Sh (N k) (r k))",
        "S",
    ),
    ("AnyRadices.v", "(F (pow (x (S k)) (N k)))", "(F (pow (x (S k)) (r k)))", "another radix"),
    (
        "AnyRadices.v",
        "pow (x (S k)) (r k) = x k.\n\nS",
        "pow (x k) (r k) = x k.\n\nS",
        "other roots",
    ),
]


@pytest.mark.long
@needs_coq
@pytest.mark.parametrize(
    ("file", "old", "new", "what"), MUTANTS, ids=[f"{file}: {what}" for file, _, _, what in MUTANTS]
)
def test_a_changed_statement_is_refused(
    said: dict[str, str], coqc: Compile, file: str, old: str, new: str, what: str
) -> None:
    assert text_of(file).count(old) == 1, f"{old} does not stand in {file} once"
    done = coqc("Changed.v", text_of(file).replace(old, new))
    assert done.returncode != 0 and "Syntax error" not in done.stderr


# The definitions, evaluated in Z, against the kernel's terms over GF(q): w = 2 is a root of unity
# of order N in GF(2^(N/2) + 1)

HEAD = """
From Nodewright Require Import Matrix {file}.
From Coq Require Import ZArith List.
Open Scope Z_scope.
Definition ZZ : CRing := Build_CRing Z 0 1 Z.add Z.mul Z.sub Z.opp Zth.
Definition table (d : nat) (A : mat ZZ) := map (fun i => map (fun j => A i j) (seq 0 d)) (seq 0 d).
"""
EVALUATED = [
    (
        "any-radices",
        8,
        {"H": 2, "N": products(2, 4)},
        "AnyRadices",
        "any_radices ZZ (fun k => match k with O => 2 | _ => 4 end)%nat"
        " (fun k => match k with O => 1 | 1%nat => 16 | _ => 2 end) 2",
    )
]
"""Theorem, order of w = 2, numbers, file, theorem with its arguments."""


def sides(coqc: Compile, order: int, file: str, applied: str) -> list[np.ndarray]:
    """Return both matrices of a Coq theorem over GF(2^(order/2) + 1), evaluated by Coq in Z."""
    found = f"""{HEAD.format(file=file)}
Goal True.
  let T := type of ({applied}) in let U := eval cbv zeta in T in
  match U with
  | meq ?d ?A ?B => let x := eval vm_compute in (table d A) in let y := eval vm_compute in (table d B) in idtac x; idtac "="; idtac y
  | _ -> meq ?d ?A ?B => let x := eval vm_compute in (table d A) in let y := eval vm_compute in (table d B) in idtac x; idtac "="; idtac y
  end. exact Logic.I.
Qed.
"""  # noqa: E501
    done = coqc("Evaluated.v", found)
    assert done.returncode == 0, done.stdout + done.stderr
    q = 2 ** (order // 2) + 1
    tables = [
        np.array([int(x) for x in re.findall(r"-?\d+", side)]) % q
        for side in done.stdout.split("=")
    ]
    return [table.reshape(int(len(table) ** 0.5), -1) for table in tables]


@pytest.mark.long
@needs_coq
@pytest.mark.parametrize(("name", "order", "numbers", "file", "applied"), EVALUATED)
def test_coq_speaks_of_the_matrices_of_the_kernel(
    said: dict[str, str],
    coqc: Compile,
    name: str,
    order: int,
    numbers: dict[str, Any],
    file: str,
    applied: str,
) -> None:
    q = 2 ** (order // 2) + 1
    theorem = theorems()[name].prove()[0]
    wanted = [
        dense(side, dict(numbers), Field(order, q, 2)) % q for side in (theorem.left, theorem.right)
    ]
    assert f"{file}.v" in said
    found = sides(coqc, order, file, applied)
    for matrix in wanted:
        assert any(np.array_equal(matrix, other) for other in found)
    assert np.array_equal(found[0], found[1])
