"""The command line: what each command prints, its JSON, its exit status, and one line on standard
error for whatever is wrong.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from io import StringIO
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from matplotlib.mathtext import MathTextParser
from rich.console import Console

import nodewright as nw
from codegen.cost.bounds import permuting
from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.mpiexec import CHOSEN
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.system_table import SYSTEMS
from codegen.systems.record import EXPRESSION
from codegen.whole_files import check_writable, write_text
from derive.formula import affine_layouts
from derive.formula.permutations import lg
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.papers import bsp, bsp_phases, bsp_variants, hartley, hartley_tables
from derive.verdict import Refuted
from nodewright import tune
from nodewright.api import derivation_calls, proofs
from nodewright.cli import app, command_options, console
from nodewright.cli.commands import GROUPS
from nodewright.runtime import launch
from proofs.errata import ERRATA
from tests.support.by_hand import gathered
from tests.support.changes import changed
from tests.support.paths import ROOT
from tests.support.programs import build
from tests.support.schemas import SCHEMAS, validator
from tests.support.strategies import multiply


@pytest.fixture
def said(nodewright):
    """Run a command with --json: return the one object that it prints, and its exit status."""

    def call(*words, status=0):
        code, out, err = nodewright(*words, "--json")
        assert (code, err) == (status, "")
        assert out.count("\n") == 1
        found = json.loads(out)
        assert isinstance(found, dict)
        return found

    return call


def file_of(folder, text, name="A.txt"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


GRAY = "1100\n0110\n0011\n0001\n"

# factor


def assert_factored(found, permutation, p):
    """Compare the JSON of a factorization with the permutation, index by index."""
    n = permutation.bits
    assert list(found)[:12] == [
        "n",
        "p",
        "c",
        "A",
        "T",
        "R",
        "Pi",
        "V",
        "W",
        "rank_gamma",
        "rounds",
        "elements_per_message",
    ]
    assert (found["n"], found["p"], found["c"], found["A"]) == (
        n,
        p,
        permutation.c,
        list(permutation.columns),
    )
    for x in range(2**n):
        assert multiply(found["V"], multiply(found["W"], x)) ^ found["c"] == permutation(x)
        assert (
            multiply(
                found["W"], multiply(found["T"], multiply(found["R"], multiply(found["Pi"], x)))
            )
            == x
        )
        assert multiply(found["W"], x) >> n - p == x >> n - p
    assert found["rounds"] == 2 ** found["rank_gamma"]
    assert found["rounds"] * found["elements_per_message"] == 2 ** (n - p)
    assert found["at_least"] == asdict(permuting(permutation, p))


@pytest.mark.parametrize(
    ("name", "n", "p", "beside"),
    [
        ("bit-reversal", 12, 8, [2, 1, 2, 1]),
        ("gray-code", 4, 4, [3, 3]),
        ("shuffle", 4, 2, [3, 3]),
        ("bit-reversal", 32, 4, [1] * 6),
    ],
)
def test_matrices_stand_side_by_side_as_far_as_80_columns_go(
    nodewright, monkeypatch, name, n, p, beside
):
    monkeypatch.setattr(console.out, "width", 80)
    code, out, _ = nodewright("factor", "--name", name, "--bits", n, "--processor-bits", p)
    first, *lines = out.split("complement c = ")[0].splitlines()
    assert code == 0 and first.startswith("Bit matrices") and max(map(len, lines)) <= 80
    height = n + (0 < n - p < n) + 1
    groups = [lines[start : start + height] for start in range(0, len(lines), height)]
    assert [len(head.split()) for head, *_ in groups] == beside
    f = bmmc.factor(bmmc.named(name, n), p)
    wanted = [
        matrix.matrix.tolist()
        for matrix in (f.permutation, f.V, f.W, f.trailer, f.reducer, f.swapper)
    ]
    found = []
    for _, *rows in groups:
        parts = [
            [part.replace("|", " ").split() for part in row.split(" " * 4)]
            for row in rows
            if "-" not in row
        ]
        found += [
            [[int(entry == "1") for entry in row] for row in matrix]
            for matrix in zip(*parts, strict=True)
        ]
    assert found == wanted


@pytest.mark.parametrize(
    ("name", "n", "p"), [("gray-code", 4, 4), ("bit-reversal", 8, 4), ("shuffle", 5, 3)]
)
def test_who_talks_to_whom_is_printed_whole_at_80_columns(nodewright, monkeypatch, name, n, p):
    monkeypatch.setattr(console.out, "width", 80)
    _, out, _ = nodewright("factor", "--name", name, "--bits", n, "--processor-bits", p)
    shown = out.split("receives from\n")[1].split("Messages of a rank")[0]
    assert max(map(len, shown.splitlines())) <= 80 and "…" not in shown
    found, ranks = {}, []
    for line in shown.splitlines():
        cells = [cell.strip() for cell in line.strip("┃│").replace("┃", "│").split("│")]
        if cells[0] == "b":
            ranks = [int(cell.removeprefix("k = ")) for cell in cells[1:]]
        elif cells[0].isdecimal():
            found |= {
                (int(cells[0]), k): tuple(map(int, cell.split(", ")))
                for k, cell in zip(ranks, cells[1:], strict=True)
            }
    f = bmmc.factor(bmmc.named(name, n), p)
    assert found == {
        (b, k): (f.target(b, k), f.source(b, k)) for b in range(f.rounds) for k in range(2**p)
    }


def test_one_message_of_one_element_is_said_in_the_singular(nodewright):
    out = nodewright("factor", "--name", "gray-code", "--bits", 4, "--processor-bits", 4)[1]
    assert "each rank sends 1 message of 1 element, including any to itself" in out
    assert "(Lemma 3): some rank sends at least 1 element, to 1 other" in out


@pytest.mark.parametrize("ranks", [("--ranks", "2^2"), ("--processor-bits", 2)])
@pytest.mark.parametrize("size", [("--size", 16), ("--bits", 4)])
def test_factor_takes_sizes_or_their_logarithms(said, size, ranks):
    found = said("factor", "--name", "shuffle", *size, *ranks)
    assert (found["n"], found["p"]) == (4, 2)


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (("--ranks", 4), "--size is missing; give --size or --bits"),
        (("--size", 16, "--bits", 4, "--ranks", 4), "--size 16 and --bits 4: give one of them"),
        (("--size", 12, "--ranks", 4), "powers of two; got N = 12"),
    ],
)
def test_factor_wants_each_size_once(nodewright, words, rule):
    code, _, error = nodewright("factor", "--name", "shuffle", *words)
    assert (code, len(error.splitlines())) == (2, 1)
    assert rule in error


@pytest.mark.parametrize("name", ["x.foo", "x", "x.svg", "x.png.txt"])
def test_a_picture_is_written_under_the_name_of_a_png_only(nodewright, tmp_path, name):
    words = ["factor", "--name", "shuffle", "--bits", 4, "--processor-bits", 2, "--png"]
    assert_one_line(
        nodewright(*words, tmp_path / name),
        f"{name}: the picture is a PNG, and its name ends in .png",
    )
    assert list(tmp_path.iterdir()) == []


def test_the_ending_of_a_picture_may_be_in_capitals(nodewright, tmp_path):
    words = ["factor", "--name", "shuffle", "--bits", 4, "--processor-bits", 2, "--png"]
    assert nodewright(*words, tmp_path / "x.PNG")[0] == 0
    assert (tmp_path / "x.PNG").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["gray-code", "vector-reversal", "transpose:2"])
def test_the_factors_of_every_form_make_the_permutation(nodewright, name):
    status, out, _ = nodewright(
        "factor", "--name", name, "--bits", 6, "--processor-bits", 3, "--complement", 21, "--json"
    )
    found, j = json.loads(out), np.arange(64)
    assert status == 0
    for form in found["forms"]:
        image = j
        for columns, c in reversed(list(zip(form["factors"], form["complements"], strict=True))):
            image = Affine(tuple(columns), 6, c)(image)
        assert (image == Affine(tuple(found["A"]), 6, found["c"])(j)).all(), form["letters"]


@pytest.mark.parametrize("name", [*bmmc.NAMED, "transpose:2"])
@pytest.mark.parametrize("p", [0, 2, 5])
def test_factor_states_the_factors_of_a_named_permutation(said, name, p):
    found = said("factor", "--name", name, "--bits", 5, "--processor-bits", p)
    assert_factored(found, bmmc.named(name, 5), p)


@pytest.mark.parametrize("complement", [0, 13])
def test_factor_reads_a_matrix_and_adds_a_complement(said, tmp_path, complement):
    path = file_of(tmp_path, GRAY)
    np.save(tmp_path / "A.npy", np.array([[int(entry) for entry in row] for row in GRAY.split()]))
    expected = bmmc.gray_code(4)
    for file in (path, tmp_path / "A.npy"):
        found = said(
            "factor",
            "--matrix",
            file,
            "--bits",
            4,
            "--processor-bits",
            2,
            "--complement",
            complement,
        )
        assert_factored(found, type(expected)(expected.columns, 4, complement), 2)


def test_a_complement_is_added_to_that_of_a_name(said):
    found = said(
        "factor", "--name", "vector-reversal", "--bits", 4, "--processor-bits", 1, "--complement", 5
    )
    assert found["c"] == 15 ^ 5


@pytest.mark.parametrize("f", [0, 1, 2, 3])
@pytest.mark.parametrize("name", ["bit-reversal", "vector-reversal", "transpose:2"])
def test_factor_in_another_layout_factors_what_happens_to_storage_addresses(said, f, name):
    found = said(
        "factor",
        "--name",
        name,
        "--bits",
        5,
        "--processor-bits",
        2,
        "--layout",
        f"f:{f}",
        "--complement",
        3,
    )
    permutation, where = bmmc.named(name, 5), affine_layouts.f_layout(32, 4, f)
    for x in range(32):
        before, after = where.address(x), where.address(permutation(x) ^ 3)
        assert multiply(found["A"], before) ^ found["c"] == after
        assert multiply(found["V"], multiply(found["W"], before)) ^ found["c"] == after


def test_factor_takes_many_bits(said):
    found = said("factor", "--name", "bit-reversal", "--bits", 62, "--processor-bits", 31)
    assert (found["rank_gamma"], found["rounds"], found["elements_per_message"]) == (31, 2**31, 1)


def test_factor_prints_matrices_and_a_verdict(nodewright):
    code, out, err = nodewright(
        "factor", "--name", "bit-reversal", "--bits", 4, "--processor-bits", 2
    )
    assert (code, err) == (0, "")
    assert "least significant bit at the top left" in out
    assert "rank of gamma 2: each rank sends 4 messages of 1 element," in out
    assert "checked: A = V W at n = 4, p = 2" in out


def test_a_wrong_factorization_ends_in_status_1(nodewright, monkeypatch):
    monkeypatch.setattr(bmmc, "_swapper", lambda basis, m, n: bmmc.identity(n))
    code, out, _ = nodewright(
        "factor", "--name", "bit-reversal", "--bits", 5, "--processor-bits", 2
    )
    assert code == 1
    assert "refuted: A = V W at n = 5, p = 2: basis gathered: gamma^''" in out


# check


@pytest.mark.parametrize(("N", "P"), [("16", "4"), ("2^6", "2^5"), ("8", "1")])
def test_check_gives_a_verdict_on_every_equation_and_on_the_supersteps(said, N, P):
    found = said(
        "check", "fft", "--size", N, "--ranks", P, "--input", "cyclic", "--output", "bit-reversed"
    )
    size, ranks = command_options.number(N), command_options.number(P)
    assert [found[key] for key in ("system", "size", "ranks", "input", "output", "verdict")] == [
        "fft",
        size,
        ranks,
        "cyclic",
        "bit-reversed",
        "checked",
    ]
    names = [equation["name"] for equation in found["equations"]]
    emitted = ["cooley-tukey-radices"] * (ranks > 1)  # of P > sqrt(N)
    equations = (equation.name for equation in bsp_variants.equations(size, ranks))
    appendix = (name for name, *_ in bsp_phases.appendix_a(size, ranks))
    assert names == [*appendix, *equations, *emitted, "supersteps"]
    assert {"bsp-a.3", "bsp-3.6"} <= {*names} or not 1 < ranks <= size // ranks
    for equation in found["equations"]:
        assert {"name", "source", "verdict", "statement", "evidence", "error"} <= equation.keys()
        assert (equation["verdict"], equation["error"]) == ("checked", 0)
    assert found["seconds"] > 0


def test_check_of_a_large_size_states_its_error(said):
    found = said("check", "fft", "--size", "2^13", "--ranks", "64")
    assert 0 < max(equation["error"] for equation in found["equations"]) < 2**-32


def test_check_of_a_permutation_checks_its_factorization_and_its_supersteps(said):
    found = said(
        "check", "permute", "--name", "transpose:2", "--size", 64, "--ranks", 4, "--input", "cyclic"
    )
    assert [equation["name"] for equation in found["equations"]] == [
        "cormen-section-4",
        "cormen-vw",
        "supersteps",
    ]
    assert found["verdict"] == "checked"


def test_check_of_real_input_goes_backward_and_no_other_does(nodewright, said):
    sizes = ("--size", "36", "--ranks", "3", "--direction", "backward")
    found = said("check", "rfft", *sizes)["equations"][-1]
    assert "the inverse of rows 0 to 18 of F_36" in found["statement"]
    code, _, err = nodewright("check", "fft", *sizes)
    assert code == 2 and "only rfft, dct and dst have other supersteps" in err
    code, _, err = nodewright("check", "--formula", "F(2) = F(2)", *sizes[-2:])
    assert code == 2 and "--direction" in err


def test_check_has_the_options_of_generate_and_refuses_those_that_it_does_not_depend_on(nodewright):
    sizes = ("fft", "--size", 64, "--ranks", 4)
    for chosen in (("--kernels", "numba"), ("--exchange", "overlapped"), ("--reproducible",)):
        assert nodewright("check", *sizes, *chosen)[0] == 0
    for word, value in (("--norm", "ortho"), ("--dtype", "complex64")):
        code, _, err = nodewright("check", *sizes, word, value)
        assert code == 2 and f"{word} {value}: the check is exact and does not depend on it" in err
    for given in (("--kernels", "numba"), ("--dtype", "complex64"), ("--input", "cyclic")):
        code, _, err = nodewright("check", "--formula", "F(2) = F(2)", *given)
        assert code == 2 and f"{given[0]} cannot be combined with --formula" in err


def test_check_prints_a_line_for_every_statement(nodewright):
    code, out, err = nodewright("check", "fft", "--size", 16, "--ranks", 4)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(bsp_variants.equations(16, 4)) + 4 + 2
    assert all(line.startswith("checked ") for line in lines[:-1])
    assert f"{len(lines) - 1} statements, 0 refuted" in lines[-1]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_refuted_check_ends_in_status_1(nodewright, monkeypatch, as_json):
    wrong = "entry (1, 1) is 1 on the left and 0 on the right"
    monkeypatch.setattr(
        "nodewright.api.checks.check_equation",
        lambda equation, *rest: Refuted(str(equation), wrong, "B_4"),
    )
    code, out, _ = nodewright(
        "check", "fft", "--size", 16, "--ranks", 4, *(["--json"] if as_json else [])
    )
    assert code == 1
    if as_json:
        found = json.loads(out)
        assert found["verdict"] == "refuted"
        first = next(each for each in found["equations"] if each["name"] == "bsp-1.6")
        assert (first["verdict"], first["wrong"]) == ("refuted", "B_4")
    else:
        assert "refuted bsp-1.6: F_16 = " in out
        assert "smallest wrong factor: B_4" in out


# generate, run, certify


def test_generate_writes_to_standard_output_or_to_a_file(nodewright, said, tmp_path):
    words = [
        "generate",
        "fft",
        "--size",
        "2^6",
        "--ranks",
        4,
        "--input",
        "cyclic",
        "--direction",
        "backward",
        "--norm",
        "ortho",
        "--dtype",
        "complex64",
    ]
    code, text, err = nodewright(*words)
    assert (code, err) == (0, "")
    module = ModuleType("program")
    exec(compile(text, "program.py", "exec"), module.__dict__)
    assert (module.N, module.P, module.INPUT, module.DTYPE, module.DIRECTION, module.NORM) == (
        64,
        4,
        "cyclic",
        np.complex64,
        "backward",
        "ortho",
    )
    code, out, err = nodewright(*words, "-o", tmp_path / "program.py")
    assert (code, err) == (0, "")
    assert (tmp_path / "program.py").read_text(encoding="utf-8") == text
    assert out == f"{tmp_path / 'program.py'}: {text.count(chr(10))} lines, for 4 ranks\n"
    assert said(*words)["text"] == text
    found = said(*words, "-o", tmp_path / "again.py")
    assert (found["file"], found["lines"], found["exchanges"]) == (
        str(tmp_path / "again.py"),
        text.count("\n"),
        2,
    )
    assert (tmp_path / "again.py").read_text(encoding="utf-8") == text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.py", "program.py"]


def test_reproducible_chooses_the_phases_and_no_others(nodewright):
    words = ("generate", "fft", "--size", "64", "--ranks", "4")
    code, text, _ = nodewright(*words, "--reproducible")
    assert (code, nodewright(*words, "--phases", "reproducible")[1]) == (0, text)
    code, out, err = nodewright(*words, "--reproducible", "--phases", "8,8")
    assert (code, out) == (2, "")
    assert err == "nodewright: --reproducible with --phases 8,8: it chooses the phases itself\n"


def test_generate_permute_states_its_permutation(nodewright, tmp_path):
    path = file_of(tmp_path, GRAY)
    for by in (["--matrix", path, "--complement", 5], ["--name", "gray-code", "--complement", 5]):
        code, text, err = nodewright(
            "generate", "permute", "--size", 16, "--ranks", 2, *by, "--dtype", "float32"
        )
        assert (code, err) == (0, "")
        assert f"--{str(by[0])[2:]} {by[1]} --complement 5" in text


def test_the_matrix_of_a_permutation_states_its_size(nodewright, tmp_path):
    path = file_of(tmp_path, GRAY)
    words = ["permute", "--ranks", 2, "--matrix", path]
    without, stated = (
        nodewright("generate", *words, *size, "--dtype", "float32")
        for size in ([], ["--size", "2^4"])
    )
    assert without == stated and without[0] == 0 and "N = 16 elements" in without[1]
    assert nodewright("check", *words)[0] == 0
    for command in ("generate", "check", "cost"):
        assert_one_line(
            nodewright(command, *words, "--size", 8),
            "a 4 x 4 matrix for permutations of 4 index bits, not 3",
        )
        assert_one_line(
            nodewright(command, "permute", "--ranks", 2, "--name", "shuffle"), "missing --size"
        )
        assert_one_line(
            nodewright(command, "fft", "--ranks", 2, "--matrix", path), "missing --size"
        )


@pytest.mark.parametrize("system", [*SYSTEMS])
@pytest.mark.parametrize("command", ["check", "cost", "generate", "formula"])
def test_no_ranks_are_refused_alike_for_every_system(nodewright, command, system):
    words = (
        command,
        system,
        "--size",
        64,
        "--ranks",
        0,
        *("--name", "shuffle") * (system == "permute"),
    )
    assert_one_line(nodewright(*words), "nodewright: --ranks must be at least 1; got 0\n")


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    ("words", "limit"),
    [
        (("fft", "--size", "2^22", "--ranks", 2), "N = 4194304 is above 2097152"),
        (("fft", "--size", "2^20", "--ranks", 2048), "P = 2048 is above 1024"),
        (
            ("fft", "--size", "2^21", "--ranks", 2, "--kernels", "numba"),
            "N = 2097152 with numba kernels is too large",
        ),
        (("fft", "--size", "2048x2048", "--ranks", 2), "N = 4194304 is above 2097152"),
        (("rfft", "--size", "2^22", "--ranks", 2), "N = 4194304 is above 2097152"),
        (
            ("fht", "--size", 64, "--ranks", 2, "--result", "power", "--kernels", "numba"),
            "RESULT = 'power' with KERNELS = 'numba'",
        ),
        (
            ("permute", "--size", "2^22", "--ranks", 2, "--name", "shuffle", "--dtype", "i4,f8"),
            "N = 4194304 is above 2097152",
        ),
    ],
    ids=lambda words: " ".join(map(str, words)) if isinstance(words, tuple) else "",
)
def test_generate_says_when_certify_will_leave_a_program_undecided(
    nodewright, words, limit, tmp_path
):
    code, text, err = nodewright("generate", *words)
    assert code == 0 and text.startswith('"""')
    assert err.startswith(f"nodewright: certify will leave this program undecided: {limit}")
    assert len(err.splitlines()) == 1
    path = file_of(tmp_path, text, "program.py")
    code, out, told = nodewright("certify", path)
    assert (code, out) == (2, "") and limit in told


def test_generate_is_silent_on_programs_that_certify_decides(nodewright):
    for words in (
        ("fft", "--size", "2^21", "--ranks", 1024),
        ("fft", "--size", "2^20", "--ranks", 2, "--kernels", "numba"),
        ("fft", "--size", "64x48", "--ranks", 4, "--batch", 2),
        ("fht", "--size", 48, "--ranks", 2),
        ("hypercube-fft", "--size", 64, "--ranks", 4),
        ("permute", "--size", 64, "--ranks", 4, "--name", "gray-code"),
    ):
        code, _, err = nodewright("generate", *words)
        assert (code, err) == (0, "")


@pytest.fixture
def program(nodewright, tmp_path):
    assert (
        nodewright("generate", "fft", "--size", 16, "--ranks", 2, "-o", tmp_path / "program.py")[0]
        == 0
    )
    return tmp_path / "program.py"


def test_run_transforms_a_file(said, program, tmp_path):
    x = np.arange(16) + 1j
    np.save(tmp_path / "IN.npy", x)
    found = said("run", program, tmp_path / "IN.npy", tmp_path / "OUT.npy")
    figures = [found[key] for key in ("program", "ranks", "status", "elements")]
    assert figures == [str(program), 2, 0, 16]
    assert found["seconds"] > 0
    assert np.allclose(np.load(tmp_path / "OUT.npy"), np.fft.fft(x))


def test_run_says_ranks_time_and_rate_and_a_terminal_shows_what_the_ranks_do(
    nodewright, program, tmp_path, monkeypatch
):
    shown = Console(file=StringIO(), force_terminal=True, width=200)
    monkeypatch.setattr(console, "err", shown)
    monkeypatch.setattr(console, "PATIENCE", 0.0)
    monkeypatch.setattr(launch, "TICK", 0.01)
    monkeypatch.chdir(tmp_path)
    np.save("IN.npy", np.arange(16) + 0j)
    code, out, _ = nodewright("run", "program.py", "IN.npy", "OUT.npy")
    assert code == 0
    said = r"OUT.npy: 16 elements by 2 ranks in (\S+) s, (\S+) elements/s, .*\n"
    seconds, rate = map(float, re.fullmatch(said, out).groups())
    assert rate == pytest.approx(16 / seconds, rel=0.01)
    assert "program.py on 2 ranks: start and read IN.npy" in shown.file.getvalue()


def test_a_failing_run_passes_its_line_on_and_ends_in_its_status(nodewright, program, tmp_path):
    code, out, err = nodewright(
        "run", program, tmp_path / "none.npy", tmp_path / "OUT.npy", "--json"
    )
    assert code == 2
    found = json.loads(out)
    assert (found["status"], found["elements"]) == (2, 0)
    assert len(err.splitlines()) == 1
    assert "none.npy: the input must be a .npy file of complex128" in err
    assert not (tmp_path / "OUT.npy").exists()


def test_run_without_mpiexec_says_how_to_get_it(nodewright, program, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert_one_line(
        nodewright("run", program, "IN.npy", "OUT.npy"),
        "mpiexec not found; to install it, run pip install 'nodewright[mpi]'",
    )


STARTS_RANKS = [
    ["run", "fft.py", "IN.npy", "OUT.npy"],
    ["tune", "fft", "--size", "1024", "--ranks", "2"],
    ["certify", "fft.py"],
    ["generate", "fft", "--size", "1024", "--ranks", "2", "--tune", "-o", "fft.py"],
    ["demo"],
    ["bench", "machine"],
    ["bench", "fft"],
]


@pytest.mark.parametrize("words", STARTS_RANKS, ids=" ".join)
def test_a_command_that_starts_ranks_takes_an_mpiexec(nodewright, words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    told = nodewright(*words, "--mpiexec", tmp_path / "none")
    assert_one_line(told, f"--mpiexec {tmp_path / 'none'}: no such command")
    assert [*tmp_path.iterdir()] == []


def test_run_starts_ranks_by_the_mpiexec_that_is_named(nodewright, program, tmp_path, monkeypatch):
    monkeypatch.setenv(CHOSEN, "none")  # restored after the test
    own = file_of(tmp_path, f'#!/bin/sh\ntouch {tmp_path}/used\nexec {beside()} "$@"\n', "own")
    own.chmod(0o755)
    np.save(tmp_path / "IN.npy", np.ones(16, complex))
    code, _, _ = nodewright(
        "run", program, tmp_path / "IN.npy", tmp_path / "OUT.npy", "--mpiexec", own
    )
    assert code == 0
    assert (tmp_path / "used").exists()


def test_generate_without_tune_starts_no_ranks(nodewright, monkeypatch):
    monkeypatch.setenv(CHOSEN, "none")  # restored after the test
    assert_one_line(
        nodewright("generate", "fft", "--size", 16, "--ranks", 4, "--mpiexec", beside()),
        f"--mpiexec {beside()} without --tune: generate starts ranks for --tune only",
    )


def beside():
    return Path(sys.executable).parent / "mpiexec"


def test_run_without_mpi4py_says_how_to_get_it(nodewright, program, monkeypatch):
    monkeypatch.setattr("codegen.mpiexec.find_spec", lambda name: None)
    assert_one_line(
        nodewright("run", program, "IN.npy", "OUT.npy"),
        "mpi4py not found; to install it, run pip install 'nodewright[mpi]'",
    )


def test_run_refuses_a_file_that_is_no_program(nodewright, tmp_path):
    assert_one_line(
        nodewright("run", file_of(tmp_path, "N = 4\n", "x.py"), "IN.npy", "OUT.npy"),
        "is not a nodewright program; it does not define P",
    )
    assert_one_line(
        nodewright("run", tmp_path / "none.py", "IN.npy", "OUT.npy"),
        "none.py: No such file or directory",
    )


@pytest.mark.long
def test_certify_takes_a_seed_and_states_it(said, nodewright, program):
    seeds = [
        said("certify", program, *words)["certificates"][0]["predicate"]["seed"]
        for words in ((), ("--seed", "5"))
    ]
    assert seeds == [0, 5]
    for words in (("--seed", "-1"), ("--verify", "--seed", "5")):
        code, _, error = nodewright("certify", program, *words)
        assert (code, len(error.splitlines())) == (2, 1)


def test_certify_accepts_a_program_and_refutes_a_changed_one(said, nodewright, program):
    found = said("certify", program)
    assert [certificate["predicate"]["holds"] for certificate in found["certificates"]] == [True]
    assert program.with_suffix(".cert.json").exists()
    text = program.read_text(encoding="utf-8")
    program.write_text(changed(text, ("SIGN = -1", "SIGN = 1")), encoding="utf-8")
    code, out, _ = nodewright("certify", program)
    assert code == 1
    assert "refuted" in out


@pytest.mark.long
def test_certify_says_more_with_verbose(nodewright, program):
    code, out, _ = nodewright("certify", program)
    assert code == 0 and max(map(len, out.splitlines()[1:])) <= 180
    assert "checked layout: input and output are in block layout." in out
    written = program.with_suffix(".cert.json").read_bytes()
    for words in ("--verbose", "-v"):
        code, out, _ = nodewright("certify", program, words)
        assert code == 0 and out.splitlines()[1].startswith("Certified: ")
        assert "checked layout: input_place and output_place are the block and block" in out
        assert program.with_suffix(".cert.json").read_bytes() == written


@pytest.mark.long
def test_what_is_not_modelled_is_said_in_one_line_and_the_next_program_is_looked_at(
    nodewright, program, tmp_path
):
    text = program.read_text(encoding="utf-8")
    damage = ("np.ascontiguousarray(x)", "np.ascontiguousarray(x).base")
    strange = file_of(tmp_path, changed(text, damage), "strange.py")
    code, out, error = nodewright("certify", strange, program)
    assert (code, len(error.splitlines())) == (2, 1)
    assert f"{strange}: " in error
    assert str(program) in out


def test_an_undecided_program_has_an_entry_with_its_reason(nodewright, program, tmp_path):
    text = program.read_text(encoding="utf-8")
    damage = ("np.ascontiguousarray(x)", "np.ascontiguousarray(x).base")
    strange = file_of(tmp_path, changed(text, damage), "strange.py")
    large = file_of(tmp_path, nw.fft(2**22, 2).text, "large.py")
    code, out, error = nodewright("certify", strange, large, "--json")
    assert code == 2 and len(error.splitlines()) == 2
    found = json.loads(out)
    validator("certify").validate(found)
    assert [entry["subject"][0]["name"] for entry in found["certificates"]] == [
        "strange.py",
        "large.py",
    ]
    reasons = []
    for entry in found["certificates"]:
        predicate = entry["predicate"]
        assert not predicate["holds"] and predicate["verdicts"].keys() == {"function"}
        assert predicate["verdicts"]["function"]["verdict"] == "Undecided"
        reasons.append(predicate["verdicts"]["function"]["reason"])
    assert "base" in reasons[0]
    assert "N = 4194304 is above 2097152" in reasons[1]
    assert [*tmp_path.glob("*.cert.json")] == []


@pytest.mark.long
def test_certify_goes_on_after_a_text_that_is_no_program(nodewright, program, tmp_path):
    other = tmp_path / "other.py"
    other.write_text("N = 1\n", encoding="utf-8")
    code, out, error = nodewright("certify", tmp_path / "none.py", other, program)
    assert code == 2 and "none.py: No such file" in error
    assert "other.py cannot be loaded as a node program" in error
    assert f"{program}\nCertified: computes the forward FFT of 16 points on 2 ranks" in out
    code, out, error = nodewright("certify", other)
    assert code == 2 and not out and "other.py cannot be loaded as a node program" in error


def test_certify_names_a_folder_in_place_of_its_certificate(nodewright, tmp_path):
    program = tmp_path / "prog.py"
    program.write_text("N = 1\n", encoding="utf-8")
    program.with_suffix(".cert.json").mkdir()
    code, _, error = nodewright("certify", program)
    assert code == 2 and error.endswith("prog.cert.json: Is a directory\n")


REFUSED = {
    "x = " + "-" * 30000 + "1\n": "prog.py has an expression that is nested too deeply\n",
    gathered().replace("M = 16, 2, 8", "M = 1 << 90, 2, 8"): "prog.py: cannot be loaded as a node",
}


@pytest.mark.parametrize("text", REFUSED)
def test_certify_names_a_program_once(text, nodewright, tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(text, encoding="utf-8")
    _, _, error = nodewright("certify", program)
    assert error.count("prog.py") == 1 and REFUSED[text] in error


# cost, layout, formula, bmmc, derive


@pytest.mark.parametrize("layouts", [("block", "block"), ("cyclic", "cyclic")])
def test_cost_counts_what_the_program_costs(said, tmp_path, layouts):
    machine = file_of(tmp_path, "v = 1e6\ng = 2\nl = 10\n", "m.toml")
    found = said(
        "cost",
        "fft",
        "--size",
        "2^8",
        "--ranks",
        4,
        "--input",
        layouts[0],
        "--output",
        layouts[1],
        "--machine",
        machine,
    )
    want = count(build("fft", 256, 4, *layouts))
    assert [found[key] for key in ("exchanges", "messages", "words", "flops")] == [
        want.exchanges,
        want.messages,
        want.words,
        want.flops,
    ]
    assert found["seconds"] == pytest.approx(
        (want.flops + 2 * want.words + 10 * want.exchanges) / 1e6
    )
    assert found["machine"] == {"name": "m", "v": 1e6, "g": 2.0, "l": 10.0}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("fft", "--size", 10**7), "axes up to 4194304; got an axis of 10000000"),
        (("fft", "--size", 3**14, "--ranks", 3), "axes up to 4194304; got an axis of 4782969"),
        (("rfft", "--size", 32), "none is known for real input"),
        (("fht", "--size", 1024), "up to N = 512"),
    ],
)
def test_cost_says_in_a_line_why_it_states_no_lower_bound(nodewright, words, why):
    ranks = () if "--ranks" in words else ("--ranks", 2)
    code, out, err = nodewright("cost", *words, *ranks)
    assert (code, err) == (0, "") and "at least" not in out
    assert [line for line in out.splitlines() if "lower bound" in line and why in line]


def test_cost_with_a_lower_bound_or_on_one_rank_has_no_such_line(nodewright):
    for words in (
        ("fft", "--size", 1000, "--ranks", 2),
        ("fht", "--size", 12, "--ranks", 2, "--batch", 6),
        ("rfft", "--size", 32, "--ranks", 1),
    ):
        assert "No lower bound" not in nodewright("cost", *words)[1]


def test_cost_prints_a_table(nodewright):
    code, out, err = nodewright("cost", "fft", "--size", 1024, "--ranks", 4)
    assert (code, err) == (0, "")
    assert "exchanges" in out and "communication supersteps" in out


def test_layout_shows_where_every_index_lives(said, nodewright):
    found = said("layout", "group-cyclic:2", "--size", 32, "--ranks", 8)
    want = affine_layouts.group_cyclic(32, 8, 2)
    assert found["index"] == [[want.index(s, o) for o in range(4)] for s in range(8)]
    assert (found["address"], found["complement"]) == (list(want.address.columns), 0)
    code, out, err = nodewright("layout", "f:1", "--size", 32, "--ranks", 4)
    assert (code, out, err) == (0, affine_layouts.f_layout(32, 4, 1).table() + "\n", "")


def test_formula_prints_the_equations(said, nodewright):
    want = [str(equation) for equation in bsp.equations(16, 4)]
    found = said("formula", "fft", "--size", 16, "--ranks", 4)
    assert [equation["text"] for equation in found["equations"]] == want
    assert all({"name", "source", "latex"} <= equation.keys() for equation in found["equations"])
    code, out, err = nodewright("formula", "fft", "--size", 16, "--ranks", 4)
    assert (code, err) == (0, "")
    assert [line.strip() for line in out.splitlines()[1::2]] == want


@pytest.mark.parametrize(
    "asked", ["ntt --size 12 --modulus 13", "dst --size 12 --type 3", "dct --size 4x6 --axes 0"]
)
def test_equations_and_flow_take_what_changes_the_transform(asked, said, nodewright):
    words = [*asked.split(), "--ranks", 2]
    assert said("formula", *words)["equations"]
    code, out, err = nodewright("graph", *words, "--flow")
    assert (code, err, "within every rank" in out) == (0, "", True)
    assert nodewright("formula", "wht", *words[1:])[0] == 2


def test_tables_of_the_hartley_paper_are_computed_and_compared(said, nodewright):
    found = said("tables", "fht", "--size", 16, "--ranks", 4)
    assert found["table_2"] == hartley.table_2(16, 4)
    assert found["table_1"] == [[str(cell) for cell in row] for row in hartley_tables.table_1(16)]
    assert [lists[:3] for lists in found["algorithm_1"]] == [
        [[slots[s] for slots in node] for s in range(3)] for node in found["table_2"]
    ]
    wrong = [sum(not d["same"] for d in copy["differences"]) for copy in found["copies"]]
    assert wrong == [9, 1]
    code, out, err = nodewright("tables", "fht", "--size", 16, "--ranks", 4)
    assert (code, err) == (0, "")
    assert out.count(", wrong\n") == 10
    assert out.count("    copy 1: ") == len(found["copies"][0]["differences"])


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("N", "P"), [(2, 1), (8, 2), (64, 8), (128, 64)])
def test_tables_of_other_sizes_have_each_computation_on_one_node(said, nodewright, N, P):
    found, every = said("tables", "fht", "--size", N, "--ranks", P), list(range(N))
    slots = [slot for node in found["table_2"] for slot in node]
    for s in range(lg(N)):
        assert sorted(slot[s] for slot in slots) == every
        listed = sorted(m for lists in found["algorithm_1"] for m in lists[s])
        assert (listed == every) == (s + 1 in found["right_stages"])
    assert found["copies"] == []
    code, out, _ = nodewright("tables", "fht", "--size", N, "--ranks", P)
    assert code == 0
    assert ("first 64 of 128 rows" in out) == (N == 128)


PERMUTE = ("permute", "--name", "bit-reversal", "--size", 64, "--ranks", 8, "--complement", 5)


def test_the_equations_of_a_permutation_hold_for_the_bits_that_are_printed(said, nodewright):
    found = {each["name"]: each["text"] for each in said("formula", *PERMUTE)["equations"]}
    bits = {
        name: np.array([row.split() for row in text.split("[")[1][:-1].split("; ")], int)
        for name, text in found.items()
        if "[" in text
    }
    A, V, W, T, R, S = (bits[name] for name in ("A", "V", "W", "T", "R", "Π"))
    assert found["cormen-2"] == "y = A x ⊕ c = V (W x) ⊕ c"
    assert np.array_equal(A, bmmc.bit_reversal(6).matrix)
    assert bits["c"].T.tolist() == [[1, 0, 1, 0, 0, 0]]
    assert np.array_equal(V @ W % 2, A)
    assert np.array_equal(A @ T @ R @ S % 2, V)
    assert np.array_equal(T @ R @ S @ W % 2, np.eye(6))
    code, out, err = nodewright("formula", *PERMUTE)
    assert (code, err) == (0, "")
    assert out.splitlines()[1].strip() == found["cormen-2"]
    first = out[out.index("\nA ") :].splitlines()[2]
    rows = ["".join(".1"[bit] for bit in matrix[0]) for matrix in (A, V, W)]
    assert first.replace(" ", "").replace("|", "") == "".join(rows)


def test_the_equations_of_a_permutation_as_latex_have_a_line_between_offset_and_rank(nodewright):
    _, out, _ = nodewright("formula", *PERMUTE, "--latex")
    lines = out.splitlines()
    assert (lines[0], lines[-1]) == (r"\begin{align*}", r"\end{align*}")
    assert out.count(r"\begin{array}{ccc|ccc}") == 6 == out.count(r"\end{array}") - 1
    assert out.count(r"\hline") == 7
    _, out, _ = nodewright("formula", "permute", "--name", "shuffle", "--size", 4, "--ranks", 1)
    assert "|" not in out


def test_formulas_as_latex_are_one_block_of_aligned_equations(nodewright):
    code, out, err = nodewright("formula", "fft", "--size", 16, "--ranks", 4, "--latex")
    block = re.fullmatch(r"\\begin{align\*}\n(.*)\n\\end{align\*}\n", out, re.DOTALL)
    assert (code, err) == (0, "") and block
    _, *parts = re.split(r"^  % (.*)\n", block[1], flags=re.MULTILINE)
    equations = bsp.equations(16, 4)
    assert parts[::2] == [f"{each.name}: {each.source}" for each in equations]
    for text, each in zip(parts[1::2], equations, strict=True):
        left, right = text.strip().removesuffix(r" \\").split(" &= ")
        lines = right.split(" \\\\\n&\\quad ")
        whole = r" \, ".join(lines)
        assert (left, whole) == (each.left.to_latex(), each.right.to_latex())
        assert text.endswith(" \\\\\n") == (each is not equations[-1])
        for part in (left, *lines):
            MathTextParser("path").parse(f"${part}$")


def test_bmmc_recognizes_a_permutation_or_shows_a_witness(nodewright, tmp_path):
    address = bmmc.named("transpose:2", 5)
    np.save(tmp_path / "targets.npy", address(np.arange(32)) ^ 7)
    code, out, err = nodewright("bmmc", tmp_path / "targets.npy", "--json")
    assert (code, json.loads(out), err) == (
        0,
        {"bmmc": True, "n": 5, "A": list(address.columns), "c": 7},
        "",
    )
    np.save(tmp_path / "targets.npy", [0, 1, 2, 3, 4, 5, 7, 6])
    code, out, err = nodewright("bmmc", tmp_path / "targets.npy", "--json")
    assert (code, json.loads(out)["bmmc"], err) == (1, False, "")


DERIVED = (
    *(f"bsp-lemma-1.2-{i}" for i in range(1, 5)),
    "bsp-gamma-inverse",
    "bsp-stage-pair",
    "bsp-corollary-2.3",
    "bsp-2.7",
    "bsp-4.2",
    "bsp-fft-two-phases",
    "bsp-fft-next-phase",
)


@pytest.mark.long
@pytest.mark.parametrize(
    "names", [["bsp-fft-two-phases"], pytest.param([], marks=pytest.mark.slow)], ids=["one", "all"]
)
def test_derive_proves_for_all_sizes_and_names_the_rule_of_every_line(said, names):
    found = said("derive", *names)["derivations"]
    assert set(names or DERIVED) <= {derivation["name"] for derivation in found}
    assert {derivation["verdict"] for derivation in found} == {"proved"}
    for derivation in found:
        for part in derivation["arguments"]:
            assert all(step["reason"] for chain in part["chains"] for step in chain["steps"])


@pytest.mark.long
def test_derive_prints_a_line_a_step(nodewright):
    code, out, _ = nodewright("derive", "bsp-fft-two-phases")
    lines = [line for line in out.splitlines() if line.startswith("  = ")]
    assert code == 0 and "proved for all sizes: F_{e p^{2}} = " in out
    assert [line.rpartition("[")[2] for line in lines] == [
        "cooley-tukey with r = p, s = e p]",
        "by path sums]",
    ]


# What is wrong, in one line


def assert_one_line(result, words, status=2):
    code, out, err = result
    assert code == status
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert err.startswith("nodewright: ")
    assert words in err


FFT = ("--size", "16", "--ranks", "4")
FACTOR = ("factor", "--bits", "4", "--processor-bits", "2")
WRONG = {
    "a size that no digits do": (
        ("check", "fft", "--size", "1000", "--ranks", "8", "--input", "cyclic"),
        "1, 2, 5 or 10 ranks, or 960 or 1024 elements",
    ),
    "a size that is no power of two": (
        ("check", "fht", "--size", "24", "--ranks", "4"),
        "24 elements on 4 ranks, block to block: P² must divide N",
    ),
    "ranks that do not divide": (
        ("generate", "fft", "--size", "16", "--ranks", "3", "--input", "cyclic"),
        "3 ranks must divide 16 elements; try 1, 2 or 4 ranks",
    ),
    "as many ranks as elements": (
        ("check", "fft", "--size", "16", "--ranks", "16", "--input", "cyclic"),
        "P < N; got N = 16 and P = 16; try 8 ranks; or take the layouts block or balanced",
    ),
    "more ranks than elements": (
        ("cost", "fft", "--size", "16", "--ranks", "2^5", "--output", "cyclic"),
        "P < N; got N = 16 and P = 32; try 8 ranks",
    ),
    "size zero": (
        ("cost", "fft", "--size", "0", "--ranks", "1"),
        "--size must be at least 1; got 0",
    ),
    "a negative number of ranks": (
        ("check", "fft", "--size", "16", "--ranks", "-2"),
        "--ranks must be a positive integer below 2^63, such as 1024 or 2^10; got -2",
    ),
    "a negative number of ranks of an axis": (
        ("check", "fft", "--size", "4x4", "--ranks", "2x-2"),
        "--ranks must be a positive integer",
    ),
    "a batch below zero": (
        ("check", "fft", "--size", "16", "--ranks", "4", "--batch", "-2"),
        "--batch must be a positive integer",
    ),
    "a layout on no ranks": (
        ("layout", "cyclic", "--size", "16", "--ranks", "0"),
        "--ranks must be at least 1; got 0",
    ),
    "a negative size": (
        ("check", "fft", "--size", "-16", "--ranks", "4"),
        "--size must be a positive integer below 2^63, such as 1024 or 2^10; got -16",
    ),
    "a size in words": (
        ("check", "fft", "--size", "many", "--ranks", "4"),
        "--size must be a positive integer below 2^63, such as 1024 or 2^10; got many",
    ),
    "a layout of a size that its ranks do not divide": (
        ("layout", "cyclic", "--size", "15", "--ranks", "2"),
        "2 ranks must divide 15 elements; try",
    ),
    "a power of four digits": (
        ("cost", "fft", "--size", "2^2000", "--ranks", "4"),
        "--size must be a positive integer below 2^63, such as 1024 or 2^10; got 2^2000",
    ),
    "a fraction": (
        ("check", "fft", "--size", "16.0", "--ranks", "4"),
        "--size must be a positive integer",
    ),
    "values for a system": (
        ("check", "fft", *FFT, "--set", "n=2"),
        "--set n=2: values are for the symbols of --formula",
    ),
    "values for the program of a system": (
        ("generate", "fft", *FFT, "--set", "r=2"),
        "--set r=2: values are for the symbols of --formula",
    ),
    "a value for no symbol": (
        ("check", "--formula", "I(n) = I(n)", "--set", "n=2,zz=3"),
        "--set: unknown symbol zz; the symbols of the equation are n",
    ),
    "a value for no symbol of a program": (
        ("generate", "--formula", "F(N) = F(r*s)", "--set", "r=4,s=N/r,zz=3", *FFT),
        "--set: unknown symbol zz; the symbols of the equation are N, r, s",
    ),
    "a value that is no number": (
        ("check", "--formula", "I(n) = I(n)", "--set", "n=two"),
        "n = two: two has no value before it: write a number, as n=4",
    ),
    "an equation of one's own and a scheme": (
        ("check", "--formula", "I(2) = I(2)", "--scheme", "4"),
        "--scheme cannot be combined with --formula",
    ),
    "a size beyond all bounds": (
        ("generate", "fft", "--size", "2^99", "--ranks", "4"),
        "--size must be below 2^63; got 2^99",
    ),
    "a tower of powers": (
        ("generate", "fft", "--size", "9^999", "--ranks", "4"),
        "--size must be below 2^63; got 9^999",
    ),
    "an unknown system": (("generate", "dct4", *FFT), "unknown system 'dct4', perhaps dct"),
    "an unknown layout": (
        ("generate", "fft", *FFT, "--input", "diagonal"),
        "unknown layout 'diagonal': the layouts are block",
    ),
    "groups that do not fit": (
        ("check", "fft", *FFT, "--output", "group-cyclic:3"),
        "group-cyclic:3: the number of groups must be a power of two",
    ),
    "processor bits that do not fit": (
        ("cost", "fft", *FFT, "--output", "f:9"),
        "layout f:9 needs 0 <= K <= 2",
    ),
    "a layout file that is missing": (
        ("generate", "fft", *FFT, "--input", "bmmc:none.txt"),
        "none.txt: No such file or directory",
    ),
    "an unknown direction": (
        ("generate", "fft", *FFT, "--direction", "up"),
        "unknown direction 'up': choose from forward, backward",
    ),
    "a dtype that the transform does not take": (
        ("generate", "fft", *FFT, "--dtype", "float64"),
        "unknown dtype 'float64'",
    ),
    "a dtype of objects": (
        ("generate", "permute", *FFT, "--name", "shuffle", "--dtype", "O"),
        "dtype must have a fixed size and no shape",
    ),
    "no permutation": (("generate", "permute", *FFT), "--matrix or --name"),
    "a permutation for a transform": (
        ("generate", "fft", *FFT, "--name", "shuffle"),
        "only permute has them",
    ),
    "a folder that is missing": (
        ("generate", "fft", *FFT, "-o", "/nonexistent/x.py"),
        "/nonexistent/x.py: No such file or directory",
    ),
    "a folder as a file": (("generate", "fft", *FFT, "-o", "."), ".: Is a directory"),
    "a missing option": (("check", "fft", "--size", "16"), "--ranks"),
    "a missing argument": (("check", "--size", "16", "--ranks", "4"), "SYSTEM"),
    "an unknown option": (("check", "fft", *FFT, "--fast"), "--fast"),
    "an unknown command": (("transform", "fft"), "transform"),
    "a word too much": (("check", "fft", "fht", *FFT), "fht"),
    "an unknown name": (
        (*FACTOR, "--name", "no-such"),
        "unknown permutation 'no-such': the names are identity",
    ),
    "a transpose that does not fit": (
        (*FACTOR, "--name", "transpose:5"),
        "transpose:5 of 2^4 elements",
    ),
    "neither matrix nor name": (FACTOR, "the permutation is missing; give --matrix or --name"),
    "a matrix file that is missing": (
        (*FACTOR, "--matrix", "none.txt"),
        "none.txt: No such file or directory",
    ),
    "a complement that does not fit": (
        (*FACTOR, "--name", "shuffle", "--complement", "16"),
        "complement 16 does not fit 4 bits",
    ),
    "a negative complement": (
        (*FACTOR, "--name", "shuffle", "--complement", "-1"),
        "complement -1 does not fit 4 bits",
    ),
    "bits in words": (
        ("factor", "--bits", "four", "--processor-bits", "2", "--name", "shuffle"),
        "'--bits': 'four' is not a valid int",
    ),
    "no bits": (
        ("factor", "--bits", "0", "--processor-bits", "0", "--name", "shuffle"),
        "--bits 0",
    ),
    "a permutation of one element": (
        ("factor", "--size", "1", "--ranks", "1", "--name", "shuffle"),
        "a permutation needs at least 2 elements; got --size 1",
    ),
    "a program for one element": (
        ("generate", "permute", "--size", "1", "--ranks", "1", "--name", "shuffle"),
        "a permutation needs at least 2 elements; got --size 1",
    ),
    "a value of a symbol that the formula has not": (
        ("generate", "--formula", "F(16)", "--size", "16", "--ranks", "2", "--set", "q=3"),
        "--set: unknown symbol q",
    ),
    "a permutation of neither digits nor bits": (
        ("generate", "--formula", "perm(j < 16, 3*j)", "--size", "16", "--ranks", "2"),
        "perm(j < 16, 3*j) is not affine over GF(2)",
    ),
    "reproducible results of another system": (
        ("generate", "wht", "--size", "16", "--ranks", "2", "--reproducible"),
        "wht has no option --reproducible; only fft has it",
    ),
    "reproducible results of a formula": (
        ("generate", "--formula", "F(16)", "--size", "16", "--ranks", "2", "--reproducible"),
        "a formula has no option --reproducible; only fft has it",
    ),
    "an exchange of several other systems": (
        ("generate", "wht", "--size", "16", "--ranks", "2", "--exchange", "replace"),
        "replace is available for fft, permute, hypercube-fft, fht, rfft and ntt",
    ),
    "a formula of a size that is no power of two": (
        ("generate", "--formula", "F(6) = F(6)", "--size", "6", "--ranks", "2"),
        "F_6 combines 6 elements, but a rank holds 3; every prime factor of 6 must divide 3",
    ),
    "more processor bits than bits": (
        ("factor", "--bits", "4", "--processor-bits", "5", "--name", "shuffle"),
        "p = 5 processor bits of n = 4 index bits",
    ),
    "negative processor bits": (
        ("factor", "--bits", "4", "--processor-bits", "-1", "--name", "shuffle"),
        "p = -1 processor bits",
    ),
    "a factor layout that does not fit": (
        (*FACTOR, "--name", "shuffle", "--layout", "f:3"),
        "layout f:3 needs 0 <= K <= 2",
    ),
    "a machine file that is missing": (
        ("cost", "fft", *FFT, "--machine", "none.toml"),
        "none.toml: No such file or directory",
    ),
    "a table too large": (
        ("layout", "cyclic", "--size", "2^20", "--ranks", "4"),
        "N = 1048576: a table is printed up to 1024 elements",
    ),
    "equations of a permutation without its name": (
        ("formula", "permute", *FFT),
        "the permutation is missing; give --matrix or --name",
    ),
    "equations of fft with a permutation": (
        ("formula", "fft", *FFT, "--name", "shuffle"),
        "fft has no --matrix, --name or --complement",
    ),
    "equations of a permutation on too many ranks": (
        ("formula", "permute", "--name", "shuffle", "--size", "4", "--ranks", "8"),
        "every rank needs at least one element; got N = 4 and P = 8; try 4 ranks",
    ),
    "tables of another system": (("tables", "fft", *FFT), "tables supports fht only"),
    "tables of too many rows": (
        ("tables", "fht", "--size", "2^11", "--ranks", "4"),
        "N = 2048: tables are made for N up to 1024",
    ),
    "tables of too many ranks": (
        ("tables", "fht", "--size", "16", "--ranks", "16"),
        "the Hartley transform on ranks needs P <= N/2; got N = 16 and P = 16",
    ),
    "equations of an unknown system": (("formula", "dct4", *FFT), "'dct4'"),
    "an unknown derivation": (
        ("derive", "no-such"),
        "unknown derivation 'no-such': nodewright derive --list lists all",
    ),
    "a program that is missing": (("certify", "none.py"), "none.py"),
    "targets that are missing": (("bmmc", "none.npy"), "none.npy: No such file or directory"),
}


NEAR = {
    "system": (("generate", "hypercube", *FFT), "perhaps hypercube-fft"),
    "layout": (("generate", "fft", *FFT, "--input", "cylic"), "perhaps cyclic"),
    "layout in capitals": (("layout", "BLOCK", *FFT), "perhaps block"),
    "layout with a number": (("layout", "group-cylic:2", *FFT), "perhaps group-cyclic:R"),
    "layout of an axis": (
        ("check", "fft", "--size", "4x4", "--ranks", "2x2", "--output", "block,cylic"),
        "perhaps cyclic",
    ),
    "kernels": (("generate", "fft", *FFT, "--kernels", "nunba"), "perhaps numba"),
    "exchange": (("generate", "fft", *FFT, "--exchange", "pairwse"), "perhaps pairwise"),
    "dtype": (("generate", "fft", *FFT, "--dtype", "complex-64"), "perhaps complex64"),
    "dtype of a permutation": (
        ("generate", "permute", *FFT, "--name", "shuffle", "--dtype", "flaot64"),
        "perhaps float64",
    ),
    "direction": (("generate", "fft", *FFT, "--direction", "foward"), "perhaps forward"),
    "norm": (("generate", "fft", *FFT, "--norm", "otho"), "perhaps ortho"),
    "scheme": (("generate", "hypercube-fft", *FFT, "--scheme", "5R"), "perhaps 5r"),
    "algorithm": (("generate", "fht", *FFT, "--algorithm", "hypercub"), "perhaps hypercube"),
    "result": (("generate", "fht", *FFT, "--result", "pwoer"), "perhaps power"),
    "phases": (("generate", "fft", *FFT, "--phases", "balancd"), "perhaps balanced"),
    "local": (("generate", "fft", *FFT, "--local", "butterfly"), "perhaps butterflies"),
    "permutation": ((*FACTOR, "--name", "bit-reverse"), "perhaps bit-reversal"),
    "formula": (("formula", "hypercube", *FFT), "perhaps hypercube-fft"),
    "theorem": (("prove", "cooly-tukey"), "perhaps cooley-tukey"),
    "derivation": (("derive", "sixstep"), "perhaps six-step"),
    "erratum": (("errata", "cormen-pseudocode"), "perhaps cormen-pseudocode-1"),
    "matrix": (("check", "--formula", "Gama(1,1,8) = I(8)"), "perhaps Gamma"),
    "symbol": (("check", "--formula", "I(size) = I(size)", "--set", "sise=2"), "perhaps size"),
    "price": (("search", *FFT, "--prices", "word=8"), "perhaps words"),
    "format": (("trace", "fft.py", "-o", "fft.goal", "--format", "gaol"), "perhaps goal"),
}


@pytest.mark.parametrize("kind", NEAR)
def test_who_misspells_a_name_is_told_the_nearest_ones(nodewright, kind):
    words, complaint = NEAR[kind]
    assert_one_line(nodewright(*words), complaint)


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--set", "r=2,s=4", "--formula", "F(rs) = F(r) (x) I(s) * I(r) (x) F(s)"),
        ("check", "--set", "r=2,s=4", "--formula", "I(rs) = I(rs)"),
        ("prove", "--formula", "F(rs) = F(r) (x) I(s) * I(r) (x) F(s)"),
        ("generate", "--formula", "F(N) = I(rs) * F(r*s)", "--set", "r=4,s=4", *FFT),
    ],
)
def test_a_product_without_its_sign_is_one_symbol(nodewright, words):
    assert_one_line(nodewright(*words), "rs is one symbol; write r*s\n")


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_ends_in_one_line_and_status_2(
    nodewright, tmp_path, monkeypatch, name, as_json
):
    monkeypatch.chdir(tmp_path)
    words, complaint = WRONG[name]
    code, out, err = nodewright(*words, *(["--json"] if as_json else []))
    if as_json:
        assert json.loads(out) == {"error": err.removeprefix("nodewright: ").rstrip()}
        out = ""
    assert_one_line((code, out, err), complaint)
    assert list(tmp_path.iterdir()) == []


MATRICES = {
    "a singular matrix": (
        "1000\n0110\n0110\n0001\n",
        "the 4 x 4 matrix is singular over GF(2): rows 1, 2 add up to zero",
    ),
    "three rows that add up to zero": ("1100\n0110\n1010\n0001\n", "rows 0, 1, 2 add up to zero"),
    "an entry 2": (
        "1000\n0120\n0010\n0001\n",
        "'2' in row 1, column 2: a bit matrix has entries 0 and 1 only",
    ),
    "a short row": ("1000\n010\n0010\n0001\n", "row 1 has 3 entries in a file of 4 rows"),
    "a missing row": ("1000\n0100\n0010\n", "row 0 has 4 entries in a file of 3 rows"),
    "another size": ("100\n010\n001\n", "a 3 x 3 matrix for permutations of 3 index bits, not 4"),
    "nothing": ("", "no rows"),
}


@pytest.mark.parametrize("name", MATRICES)
def test_a_wrong_matrix_is_refused_by_every_command_that_reads_one(nodewright, tmp_path, name):
    text, complaint = MATRICES[name]
    path = file_of(tmp_path, text)
    assert_one_line(nodewright(*FACTOR, "--matrix", path), complaint)
    assert_one_line(nodewright("generate", "permute", *FFT, "--matrix", path), complaint)
    as_layout = nodewright("generate", "fft", *FFT, "--input", f"bmmc:{path}")
    assert_one_line(as_layout, "maps 3 bits to 3" if name == "another size" else complaint)


def test_wrong_arrays_are_refused(nodewright, tmp_path):
    path = tmp_path / "A.npy"
    for array, complaint in (
        (np.ones((4, 3)), "shape (4, 3)"),
        (np.full((4, 4), 2), "entry 2 in row 0, column 0"),
        (np.ones((4, 4)), "singular"),
        (np.eye(5), "a 5 x 5 matrix"),
    ):
        np.save(path, array)
        assert_one_line(nodewright(*FACTOR, "--matrix", path), complaint)
    path.write_text("no array", encoding="utf-8")
    assert_one_line(nodewright(*FACTOR, "--matrix", path), "A.npy: ")
    assert_one_line(nodewright("bmmc", path), "A.npy: ")


def test_matrix_and_name_together_are_refused(nodewright, tmp_path):
    matrix = file_of(tmp_path, GRAY)
    result = nodewright(*FACTOR, "--matrix", matrix, "--name", "shuffle")
    assert_one_line(result, "--name shuffle and --matrix both give a permutation; give one of them")


def test_an_old_program_stays_where_the_new_one_is_refused(nodewright, tmp_path):
    path = file_of(tmp_path, "old", "program.py")
    assert_one_line(nodewright("generate", "fht", "--size", "24", "--ranks", "5", "-o", path), "24")
    assert path.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize(
    ("text", "value"), [("1024", 1024), ("2^10", 1024), ("1", 1), ("2^62", 2**62), ("3^2", 9)]
)
def test_sizes_are_written_as_digits_or_powers(text, value):
    assert command_options.number(text) == value


# In a process of its own


def process(*words, **options):
    call = [sys.executable, "-c", "from nodewright.cli.app import main; main()", *words]
    return subprocess.run(call, capture_output=True, text=True, check=False, **options)


@pytest.mark.long
def test_the_installed_command_says_one_line_and_its_status(tmp_path):
    command = Path(sys.executable).parent / "nodewright"
    found = [
        subprocess.run([command, *words], capture_output=True, text=True, check=False, cwd=tmp_path)
        for words in (
            ["factor", "--name", "no-such", "--bits", "4", "--processor-bits", "2"],
            ["check", "fft", "--size", "16", "--ranks", "4", "--json"],
        )
    ]
    assert [done.returncode for done in found] == [2, 0]
    assert (found[0].stdout, len(found[0].stderr.splitlines())) == ("", 1)
    assert json.loads(found[1].stdout)["verdict"] == "checked"
    assert found[1].stderr == ""


def test_without_mpiexec_on_path_run_ends_in_status_2(tmp_path, program):
    """A Python without an mpiexec beside it: a link to this one in a folder of its own."""
    (tmp_path / "bin").mkdir()
    script = (
        f"import sys; sys.executable = {str(tmp_path / 'bin' / 'python')!r}; sys.argv[0] ="
        " 'nodewright'; from nodewright.cli.app import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "run", str(program), "IN.npy", "OUT.npy"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": str(tmp_path / "bin")},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "nodewright: mpiexec not found; to install it, run pip install 'nodewright[mpi]', or put"
        " your cluster's MPI on PATH"
    ]


@pytest.mark.long
def test_a_reader_that_leaves_early_is_no_disaster():
    done = subprocess.run(
        f"{sys.executable} -c 'from nodewright.cli.app import main; main()' generate fft --size"
        " 1024 --ranks 4 | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith('"""Discrete Fourier transform')
    assert done.stderr == ""


@pytest.mark.long
def test_an_error_as_json_that_nobody_reads_is_one_line():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "nodewright", "certify", "--json", "none.py"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert done.returncode == 2
    assert done.stderr == "nodewright: none.py: No such file or directory\n"


def test_constants_of_a_generated_program_are_read_without_running_it(program):
    assert {name: launch.constants_of(program)[name] for name in launch.CONSTANTS} == {
        "N": 16,
        "P": 2,
        "INPUT": "block",
        "OUTPUT": "block",
        "DTYPE": "complex128",
    }


def test_an_archive_is_no_permutation(nodewright, tmp_path):
    np.savez(tmp_path / "z.npz", a=np.arange(4))
    (tmp_path / "z.npz").rename(tmp_path / "z.npy")
    status, _, err = nodewright("bmmc", tmp_path / "z.npy")
    assert (status, err.count("\n")) == (2, 1)
    assert "archive" in err


def test_a_formula_of_thousands_of_operators_ends_in_one_line(nodewright):
    status, _, err = nodewright("check", "--formula", f"F({'+'.join('1' * 5000)}) = F(4)")
    assert (status, err.count("\n")) == (2, 1)


# files


def test_a_fifo_is_written_to_and_stays_one(nodewright, tmp_path):
    wanted = emit(resolve(make_request("fft", 16, 2))).encode()
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert (
        nodewright("generate", "fft", "--size", 16, "--ranks", 2, "-o", tmp_path / "pipe")[0] == 0
    )
    assert os.read(reader, 2 * len(wanted)) == wanted
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_of_a_link_the_target_is_replaced(nodewright, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.py").symlink_to("folder/fft.py")
    for _ in range(2):  # the target is not there, and there
        assert (
            nodewright("generate", "fft", "--size", 16, "--ranks", 2, "-o", tmp_path / "link.py")[0]
            == 0
        )
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "folder" / "fft.py").read_text(encoding="utf-8") == emit(
        resolve(make_request("fft", 16, 2))
    )
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["fft.py"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("circle", errno.ELOOP),
        ("none/fft.py", errno.ENOENT),
        ("file/fft.py", errno.ENOTDIR),
        ("", errno.EISDIR),
    ],
)
def test_what_cannot_be_written_is_known_before_and_named(tmp_path, name, why):
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "file").touch()
    for work in (check_writable, partial(write_text, text="")):
        with pytest.raises(OSError, match=os.strerror(why)) as refused:
            work(tmp_path / name)
        assert (refused.value.errno, refused.value.filename) == (why, str(tmp_path / name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["circle", "file"]


def test_looking_whether_a_file_can_be_written_leaves_it_as_it_is(tmp_path):
    (tmp_path / "there").write_text("text", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    for name in ("there", "new", "pipe"):
        check_writable(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "there"]
    assert (tmp_path / "there").read_text(encoding="utf-8") == "text"


# python -m


@pytest.mark.parametrize("module", ["nodewright", "nodewright.cli.app"])
def test_the_command_line_is_a_module_too(module):
    done = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "certified" in done.stdout


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("group", [(), ("bench",)])
def test_a_group_of_commands_without_one_prints_its_help_and_ends_with_2(group):
    done, help_ = (
        subprocess.run(
            [sys.executable, "-m", "nodewright", *group, *more],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        for more in ((), ("--help",))
    )
    assert (done.returncode, help_.returncode) == (2, 0)
    assert done.stdout.strip() == help_.stdout.strip() and done.stderr == ""
    assert "Commands" in done.stdout and "..." not in done.stdout.partition("Commands")[2]


# help


def explained(place, *words):
    """Yield every command of a group with its words."""
    context = app.Context(place)
    for name in place.list_commands(context):
        command = place.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from explained(command, *words, name)
        else:
            yield (*words, name), command


EXAMPLES = {words: command.epilog for words, command in explained(app.app)}
SLOW = {("demo",), ("bench", "machine"), ("bench", "fft"), ("workbench",)}


@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_help_says_in_a_sentence_more_what_a_command_is_for_and_shows_an_example(nodewright, words):
    code, out, err = nodewright(*words, "--help")
    first, more, *_ = out.split("\n\n")[1:]
    assert (code, err) == (0, "") and first.strip() and not more.endswith(":")
    assert out.endswith(f"\n\nExample:\n  {EXAMPLES[words]}\n")
    assert EXAMPLES[words].split()[: len(words) + 1] == ["nodewright", *words]


@pytest.mark.long
def test_the_examples_of_help_run(nodewright, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("targets.npy", np.arange(8)[::-1])
    np.save("IN.npy", np.ones(1024, complex))
    for words, example in EXAMPLES.items():
        if words not in SLOW:
            code, out, err = nodewright(*shlex.split(example)[1:])
            assert (code, err) == (0, ""), example
            assert out


def test_help_shows_options_by_group(nodewright):
    _, out, _ = nodewright("generate", "--help")
    groups = re.findall(r"^(\w[\w ]*):$", out, re.MULTILINE)
    assert groups == ["Arguments", *GROUPS, "Options", "Example"]
    assert "--size" in out.split("Sizes:")[1].split("Layouts:")[0]


def test_every_option_is_explained_in_a_sentence():
    for words, command in explained(app.app):
        for parameter in command.params:
            assert parameter.help and parameter.help.endswith("."), (words, parameter.name)


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("prove", [*nw.theorems()]),
        ("derive", [*proofs.derivations(), *derivation_calls.built_in()]),
        ("errata", [*ERRATA]),
    ],
)
def test_names_are_listed_and_are_not_in_the_help(nodewright, command, known):
    assert nodewright(command, "--list") == (0, "".join(f"{name}\n" for name in known), "")
    _, out, _ = nodewright(command, "--help")
    assert not any(name in out.partition("Example")[0] for name in known if name != "cooley-tukey")
    assert_one_line(nodewright(command, "--list", known[0]), "--list with NAME")


def test_the_help_of_a_search_offers_what_a_search_takes(nodewright):
    _, out, _ = nodewright("search", "--help")
    assert "numpy, numba, pyfftw." in out
    assert not re.search("hartley|gray|hypercube", out)
    for words in (("--input", "hartley"), ("--kernels", "gray"), ("--machine", "ipsc2.toml")):
        code, _, err = nodewright("search", "--size", 16, "--ranks", 4, *words)
        assert (code, len(err.splitlines())) == (2, 1)


def test_the_table_of_a_search_cuts_no_figure(nodewright):
    _, out, _ = nodewright("search", "--size", "2^30", "--ranks", "2^10", "--best", 1)
    assert "…" not in out
    assert "exchanges" in out and "169869312" in out


def test_a_machine_that_is_no_toml_is_refused(nodewright, tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3))
    (tmp_path / "a.toml").write_text("v is 3", encoding="utf-8")
    for name, why in (
        ("a.npy", "must be a TOML file; it is not text in UTF-8"),
        ("a.toml", "must be a TOML file"),
    ):
        found = nodewright("cost", "fft", *FFT, "--machine", str(tmp_path / name))
        assert_one_line(found, f"{name} {why}")


@pytest.mark.long
def test_a_program_is_written_without_importing_the_prover(tmp_path):
    script = (
        "import sys; from nodewright.cli.app import app; app(sys.argv[1:], standalone_mode=False);"
        " print(*sorted(name for name in sys.modules if name.startswith('proofs.')))"
    )

    def imported(*words):
        done = subprocess.run(
            [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()[-1]

    writing = imported(
        "generate", "fft", "--size", "16", "--ranks", "4", "-o", f"{tmp_path}/fft.py"
    )
    assert "proofs.kernel" not in writing
    assert "proofs.kernel" in imported("prove", "--formula", "I(n) = I(n)")


# completion and Ctrl-C


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize(
    ("typed", "found"), [("nodewright ce", ["certify"]), ("nodewright layout --si", ["--size"])]
)
def test_a_shell_completes_commands_and_options(typed, found):
    script = (
        "import sys; sys.argv[:] = ['nodewright']; from nodewright.__main__ import main; main()"
    )
    asked = {"_NODEWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": typed}
    asked["COMP_CWORD"] = str(len(typed.split()) - 1)
    done = subprocess.run(
        [sys.executable, "-c", f"{script}; command.main()"],
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("generate hy", "hypercube-fft"),
        ("generate permute --kernels ", "numpy numba gray"),
        ("generate --exchange over", "overlapped"),
        ("generate fht --size 16 --dtype ", "float64 float32"),
        ("check fft --input cyclic,bl", "cyclic,block"),
        ("check fft --input group-", "group-cyclic:"),
        ("generate wht --input cyc", "cyclic"),
        ("generate rfft --input ", "block cyclic-pairs"),
        ("generate permute --output w", ""),
        ("check fht --output hartley-", "hartley-input"),
        ("layout cyclic-", "cyclic-pairs"),
        ("factor --name bit", "bit-reversal"),
        ("prove bsp-theorem", "bsp-theorem-2.2"),
        ("derive six", "six-step"),
        ("errata cormen-pseudocode", "cormen-pseudocode-1"),
        ("trace fft.py --format ", "goal smpi"),
        ("bench machine --name ", ""),
        ("generate fft -o ", ""),
    ],
)
def test_a_shell_completes_words_by_what_is_typed_before(monkeypatch, capsys, typed, found):
    asked = {"_NODEWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": f"nodewright {typed}"}
    asked["COMP_CWORD"] = str(len(typed.split(" ")))
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["nodewright"])
    with pytest.raises(SystemExit):
        app.app(prog_name="nodewright")
    assert capsys.readouterr().out.split() == found.split()


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(
    ("typed", "slow"),
    [
        ("nodewright ce", {"numpy", "rich", "nodewright.cli.certify"}),
        ("nodewright prove coo", {"sympy", "galois", "numba", "matplotlib", "jinja2", "mpi4py"}),
        ("nodewright generate ff", {"sympy", "galois", "numba", "mpi4py", "proofs.kernel"}),
    ],
)
def test_completion_imports_little(typed, slow):
    asked = {"_NODEWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": typed}
    asked["COMP_CWORD"] = str(len(typed.split()) - 1)
    script = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        " sys.argv[:] = ['nodewright']; from nodewright.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip()
    assert set(done.stderr.split()) & slow == set()


def test_completion_can_be_installed(nodewright):
    _, out, _ = nodewright("--help")
    assert "--install-completion" in out and "--show-completion" in out


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("module", ["typer", "rich", "numpy", "nodewright.cli.check_commands"])
def test_ctrl_c_while_importing_ends_in_one_line(module):
    script = f"""
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
sys.argv[:] = ["nodewright", "check", "fft", "--size", "16", "--ranks", "4"]
from nodewright.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "nodewright: interrupted\n")


def test_a_failure_is_json_too_where_json_is_asked_for(nodewright, monkeypatch, tmp_path):
    monkeypatch.setattr(
        launch, "run", lambda *_, **__: (_ for _ in ()).throw(RuntimeError("no\nway"))
    )
    program = ROOT / "generated" / "fft_1024_4_block.py"
    code, out, err = nodewright("run", program, "IN.npy", tmp_path / "OUT.npy", "--json")
    assert (code, json.loads(out), err) == (1, {"error": "no way"}, "nodewright: no way\n")


# schemas


def test_every_command_has_a_schema_with_its_version():
    names = {"-".join(words) for words in EXAMPLES} | {"error"}
    assert {path.stem for path in SCHEMAS.iterdir()} == names
    for name in names:
        schema = validator(name).schema
        Draft202012Validator.check_schema(schema)
        version = {"errata": 2}.get(name, 1)
        assert schema["$id"] == f"urn:nodewright:schema:{name}:{version}"


def test_schemas_name_the_systems_and_the_options_that_there_are():
    for name, systems in {
        "generate": (*SYSTEMS, EXPRESSION),
        "cost": SYSTEMS,
        "tune": tune.SYSTEMS,
    }.items():
        assert validator(name).schema["properties"]["system"]["enum"] == [*systems]
    first = validator("check").schema["oneOf"][0]["properties"]["system"]["enum"]
    assert first == [*SYSTEMS]
    assert validator("tune").schema["properties"]["stated"]["items"]["enum"] == [*tune.CHOSEN]


EMPTY = {"factor": {}, "check": {"verdict": "maybe"}, "prove": [{"name": "x"}], "error": {}}


@pytest.mark.parametrize("name", EMPTY)
def test_a_schema_refuses_other_objects(name):
    assert not validator(name).is_valid(EMPTY[name])


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--formula", "H(4) = F(4)"),
        ("prove", "--formula", "F(n) = H(n)"),
        ("prove", "--formula", "F(r) = F(r)", "--where", "r >= 2"),
        ("derive", "bsp-1.12"),
        ("cost", "fft", "--size", 64, "--ranks", 4, "--predict"),
        ("cost", "permute", "--size", 64, "--ranks", 4, "--name", "shuffle"),
        ("layout", "hartley", "--size", 16, "--ranks", 4),
        ("graph", "fht", "--size", 16, "--ranks", 1),
        ("generate", "fft", "--size", 16, "--ranks", 2),
        ("errata", "cormen-appendix-a"),
    ],
    ids=lambda words: " ".join(map(str, words)),
)
def test_what_a_command_prints_is_as_its_schema_says(nodewright, words):
    """Whatever a test runs with --json is compared with the schema."""
    _, out, _ = nodewright(*words, "--json")
    assert "error" not in json.loads(out)


# words that are wrong


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("check", "fft", "1024", "4"),
            "Got unexpected extra argument(s) (1024 4): see nodewright check --help",
        ),
        (("chek", "fft"), "No such command 'chek', perhaps check: see nodewright --help"),
        (
            ("bench", "machin"),
            "No such command 'machin', perhaps machine: see nodewright bench --help",
        ),
        (
            ("fft", "--size", 16, "--ranks", 4),
            "fft is a system, not a command; use: nodewright generate fft --size 16 --ranks 4\n",
        ),
        (("permute",), "use: nodewright generate permute --size N --ranks P\n"),
        (("run", "fft.py"), "Missing argument 'IN.npy': see nodewright run --help"),
        (
            ("check", "--formula", "F(2) = F(2)", "--set"),
            "Option '--set' requires an argument: see nodewright check --help",
        ),
        (
            ("bench", "machine", "--ranks"),
            "Option '--ranks' requires an argument: see nodewright bench machine --help",
        ),
        (
            ("cost", "permute", "--ranks", 4, "--name", "shuffle"),
            "missing --size: give SYSTEM --size N --ranks P\n",
        ),
        (
            ("bench", "fft", "--size", "8"),
            "No such option: --size (Possible options: --sizes): see nodewright bench fft --help",
        ),
        (("factor", "--name", "shuffle"), "--size is missing; give --size or --bits"),
        (
            ("prove", "cooley"),
            "unknown theorem 'cooley', perhaps cooley-tukey: nodewright prove --list lists all",
        ),
        (("prove", "F(8) = F(8)"), "'F(8) = F(8)' is an equation: write --formula 'F(8) = F(8)'"),
        (("check", "F(8) = F(8)"), "'F(8) = F(8)' is an equation: write --formula 'F(8) = F(8)'"),
    ],
)
def test_who_mistypes_is_told_where_to_look(nodewright, words, complaint):
    assert_one_line(nodewright(*words), complaint)


def test_generate_says_that_a_formula_may_be_an_expression_alone(nodewright):
    shown = " ".join(nodewright("generate", "--help")[1].split())
    assert "An equation, or for generate an expression" in shown
    assert "--formula EXPRESSION --size N" in nodewright("generate")[2]
