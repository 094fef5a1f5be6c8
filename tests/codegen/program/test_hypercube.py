"""Progs. 1 to 5 of the hypercube FFT: their equations, supersteps, emitted texts, messages, memory,
and times.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import product as cartesian

import numpy as np
import pytest

import nodewright as nw
from bench.ipsc2 import equation_6
from codegen.cost.counted import count
from codegen.cost.hypercube_times import (
    PRINTED,
    Network,
    differs,
    equation_2,
    equation_4,
    equation_6_corrected,
)
from codegen.emit.hypercube_memory import room
from codegen.emit.text import emit
from codegen.program.digits.digit_supersteps import Trade, Transform
from codegen.program.meaning import check as check_supersteps
from codegen.program.resolve import resolve
from codegen.program.stages.butterflies import Across, OfHalves
from codegen.program.stages.overlaps import Overlap
from codegen.requests import make_request
from derive.exact.exact_check import check
from derive.formula.affine_layouts import scrambled
from derive.formula.grammar import Equation, I, factors_of, product
from derive.formula.permutation_matrices import inverse
from derive.formula.transforms import F
from derive.gf2.bits import Affine
from derive.papers import hypercube
from derive.papers.hypercube import (
    FORMS,
    SCHEMES,
    channel,
    equations,
    exchanges,
    halves,
    mapping,
    prog,
    prog_1,
    stage_in_mapping,
)
from derive.verdict import Checked, Refuted, holds
from nodewright.runtime import launch
from proofs.certify.checks.suite import tried
from tests.support.networks import NETWORKS
from tests.support.paths import ROOT
from tests.support.programs import build, module_of
from tests.support.worlds import run

pytestmark = pytest.mark.sampled(12)

HELD = ROOT / "bench" / "held.py"
SIZES = [(2**n, 2**d) for n in range(10) for d in range(n + 1)]
"""All N up to 512, and P."""


def every(*sets, repeat=1):
    """Return all combinations of elements of these sets."""
    return list(cartesian(*sets, repeat=repeat))


def valid(N, P, scheme):
    return P <= N if scheme == "2" else P == 1 or 2 * P <= N


@pytest.mark.parametrize("scheme", ["2", "3", "5"])
@pytest.mark.parametrize("N", [2**n for n in range(10)])
def test_every_equation_holds_for_all_sizes_up_to_512(N, scheme):
    for P in (P for M, P in SIZES if M == N and valid(N, P, scheme)):
        wrong = [
            str(verdict)
            for equation in equations(N, P, scheme)
            if not isinstance(verdict := check(equation), Checked)
        ]
        assert wrong == []


def test_prog_1_is_the_same_for_every_number_of_ranks():
    assert {equations(64, P, scheme)[0] for P in (1, 2, 8) for scheme in SCHEMES} == {prog_1(64)}


def test_progs_4_and_5_have_one_factorization():
    assert prog("4", 32, 4).right == prog("5", 32, 4).right == prog("5r", 32, 4).right


def changed_factors(equation):
    """Yield equations with one factor replaced by a wrong one or left out, and the place of that
    factor, from the right.
    """
    factors = factors_of(equation.right)
    for i, factor in enumerate(factors):
        others = []
        match factor:
            case hypercube.W(order, i_, j):
                bit = next(b for b, column in enumerate(j.columns) if column)
                others.append(
                    hypercube.W(
                        order,
                        i_,
                        Affine(
                            (*j.columns[:bit], j.columns[bit] ^ 2, *j.columns[bit + 1 :]), j.rows
                        ),
                        factor.name,
                    )
                )
                others.append(hypercube.W(2 * order, i_, j, factor.name))
            case hypercube.Bmmc(address):
                columns = list(address.columns)
                columns[0], columns[1] = columns[1], columns[0]
                others.append(hypercube.Bmmc(Affine(tuple(columns), address.rows), factor.name))
        for other in others:
            yield (
                replace(equation, right=product([*factors[:i], other, *factors[i + 1 :]])),
                len(factors) - i,
            )
        yield replace(equation, right=product([*factors[:i], *factors[i + 1 :]])), len(factors) - i


@pytest.mark.parametrize(("form", "scheme"), every(FORMS, ("2", "3", "5")))
def test_a_wrong_factor_is_refuted_and_named(form, scheme):
    equation = prog(scheme, 32, 4, form)
    cases = list(changed_factors(equation))
    assert len(cases) >= 7
    for wrong, place in cases:
        verdict = check(wrong)
        assert isinstance(verdict, Refuted)
        assert f"factor {place} from the right" in verdict.wrong or (
            place > len(factors_of(wrong.right)) and "1 missing" in verdict.wrong
        )


def test_a_wrong_mapping_and_a_wrong_stage_are_refuted():
    N, P = 64, 8
    wrong = exchanges(N, P, 2)
    assert isinstance(check(replace(wrong, right=channel(N, P, 3) @ mapping(N, P, 1))), Refuted)
    stage = stage_in_mapping(N, P, 2)
    assert isinstance(check(replace(stage, right=product(halves(N, P, 1)))), Refuted)
    assert isinstance(
        check(replace(stage, left=mapping(N, P, 1) @ stage.left @ inverse(mapping(N, P, 1)))),
        Refuted,
    )


@pytest.mark.parametrize(("N", "P"), [(32, 4), (64, 8), (8, 4), (16, 1)])
def test_twiddles_have_the_exponents_that_the_paper_leaves_out(N, P):
    d, M = P.bit_length() - 1, N // P
    for l in range(d + 1):
        W = halves(N, P, l)[1]
        for R, o in every(range(P), range(M)):
            t, p = divmod(o, M // 2)
            r = (R % 2**l * (M // 2) + p) * 2 ** (d - l)
            z = R * M + o
            assert W.i(z) * W.j(z) * (N // W.order) == t * r


@pytest.mark.parametrize(("N", "P"), [(32, 4), (64, 8), (8, 4), (16, 1), (2, 1)])
def test_scrambled_is_where_progs_3_to_5_leave_their_results(N, P):
    M, layout = N // P, scrambled(N, P)
    if P > 1:
        assert [layout.index(R, o) for R, o in every(range(P), range(M))] == [
            o // (M // 2) * (N // 2) + R * (M // 2) + o % (M // 2)
            for R, o in every(range(P), range(M))
        ]
    else:
        assert layout.address == Affine.identity(N.bit_length() - 1)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            (8, 8, "3"),
            "Prog. 3 exchanges half arrays and needs N >= 2P; got N = 8 and P = 8; try 4 ranks",
        ),
        ((2, 2, "5r"), "Prog. 5r exchanges half arrays and needs N >= 2P; got N = 2 and P = 2"),
        ((8, 16, "2"), "every rank needs at least one element; got N = 8 and P = 16"),
        ((24, 2, "3"), "powers of two; got N = 24"),
        ((32, 3, "3"), "powers of two; got P = 3"),
        ((32, 2, "6"), "unknown scheme '6': the schemes are 1, 2, 3, 4, 5, 5r"),
        ((32, 2, "1"), "Prog. 1 is sequential and needs P = 1; got N = 32 and P = 2; try 1 rank"),
    ],
)
def test_sizes_out_of_range_are_refused(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        hypercube.exponents(*arguments)


def test_scrambled_wants_halves():
    with pytest.raises(
        ValueError, match="layout scrambled needs N >= 2P; got N = 4 and P = 4; try 2 ranks"
    ):
        scrambled(4, 4)


LAYOUTS = ("block", "bit-reversed", "scrambled")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_supersteps_compute_the_fourier_matrix(scheme):
    for N, P in [(N, P) for N, P in SIZES if N <= 16 and valid(N, P, scheme)] + [(64, 8)]:
        for before, after in every(LAYOUTS, LAYOUTS):
            if "scrambled" not in (before, after) or P < N:
                assert isinstance(
                    check_supersteps(build("hypercube-fft", N, P, before, after, scheme=scheme)),
                    Checked,
                )


def kinds(program):
    return [type(step) for step in program.steps if not step.is_move]


def test_each_scheme_has_its_supersteps():
    native = {
        scheme: build(
            "hypercube-fft",
            64,
            4,
            "bit-reversed",
            "block" if scheme == "2" else "scrambled",
            scheme=scheme,
        )
        for scheme in SCHEMES
    }
    assert kinds(native["2"]) == [Transform, Across, Across]
    assert kinds(native["3"]) == [Transform, OfHalves, OfHalves]
    assert kinds(native["4"]) == kinds(native["5"]) == [Transform, Overlap, Overlap, OfHalves]
    inner = native["3"].steps[2]
    assert isinstance(inner, Trade)
    assert (inner.messages, inner.crosses) == (2, 0)


@pytest.mark.parametrize("scheme", ["3", "4", "5", "5r"])
def test_a_backward_transform_takes_scrambled_data_as_it_lies(scheme):
    program = build("hypercube-fft", 64, 4, "scrambled", "bit-reversed", scheme=scheme)
    assert count(program) == count(
        build("hypercube-fft", 64, 4, "bit-reversed", "scrambled", scheme=scheme)
    )
    assert not program.steps[0].is_move
    assert not program.steps[-1].exchanges


@pytest.mark.parametrize(("N", "P"), [(16, 4), (64, 8), (1024, 4), (256, 2)])
def test_block_output_undoes_scrambled_with_two_messages_of_half_a_rank(N, P):
    program = build("hypercube-fft", N, P, "bit-reversed", "block", scheme="3")
    move = program.steps[-1]
    assert move.address.affine() == mapping(N, P, P.bit_length() - 1).address.inverse()
    assert move.messages == 2
    stay = (
        count(program).words
        - count(build("hypercube-fft", N, P, "bit-reversed", "scrambled", scheme="3")).words
    )
    assert stay == (N // P if P > 2 else N // P // 2)


@cache
def text(
    N=64, P=8, input="bit-reversed", output="scrambled", scheme="3", exchange="alltoall", **options
):
    return emit(
        resolve(
            make_request("hypercube-fft", N, P, input, output, exchange, scheme=scheme, **options)
        )
    )


def refuted(program, short=True):
    """Return what of a text is refuted."""
    return {
        name: str(verdict)
        for name, verdict in tried("prog.py", program, 0, short).verdicts.items()
        if not holds(verdict)
    }


@pytest.mark.sampled(12)
@pytest.mark.long
@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_emitted_program_is_certified(scheme):
    assert (
        refuted(
            text(64, 4, output="block" if scheme == "2" else "scrambled", scheme=scheme),
            short=False,
        )
        == {}
    )
    assert (
        refuted(
            text(
                64,
                4,
                "block" if scheme == "2" else "scrambled",
                "bit-reversed",
                scheme,
                direction="backward",
            ),
            short=False,
        )
        == {}
    )


CASES = [
    ({}, {}),
    ({"P": 1}, {}),
    ({"N": 16, "P": 8, "input": "block", "output": "block"}, {"norm": "ortho"}),
    ({"N": 4, "P": 2, "input": "block"}, {"dtype": "complex64"}),
    ({"input": "scrambled", "output": "cyclic", "exchange": "pairwise"}, {"direction": "backward"}),
    ({"input": "scrambled", "output": "bit-reversed"}, {}),
    ({"N": 32, "P": 4, "input": "scrambled", "output": "scrambled"}, {}),
    ({"N": 2, "P": 1, "input": "block", "output": "block"}, {}),
]


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["2", "5"])
def test_a_layout_of_a_file_is_a_move_at_its_end(scheme, tmp_path):
    (tmp_path / "gray.txt").write_text("1100\n0110\n0011\n0001\n", encoding="utf-8")
    gray = f"bmmc:{tmp_path / 'gray.txt'}"
    for ends in ((gray, "scrambled"), ("block", gray)):
        program = build("hypercube-fft", 16, 4, *ends, scheme=scheme)
        assert check_supersteps(program).holds and room(program).work == program.M
        (tmp_path / "program.py").write_text(emit(program), encoding="utf-8")
        assert nw.certify(tmp_path / "program.py").holds


@pytest.mark.sampled(12)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize(("scheme", "case"), every(SCHEMES, range(len(CASES))))
def test_emitted_programs_are_certified_in_short(scheme, case):
    given, options = CASES[case]
    assert refuted(text(scheme=scheme, **given, **options)) == {}


@pytest.mark.parametrize(
    ("N", "P", "layouts"),
    [
        (8, 8, ("bit-reversed", "block")),
        (4, 4, ("block", "bit-reversed")),
        (2, 2, ("block", "block")),
    ],
)
def test_prog_2_takes_one_element_a_rank(N, P, layouts):
    assert refuted(text(N, P, *layouts, "2")) == {}


@pytest.mark.parametrize(
    ("N", "layouts"),
    [(1, ("block", "block")), (2, ("bit-reversed", "block")), (16, ("block", "bit-reversed"))],
)
def test_prog_1_is_a_program_of_one_rank(N, layouts):
    assert refuted(text(N, 1, *layouts, "1", direction="backward")) == {}
    assert all(isinstance(check(equation), Checked) for equation in equations(N, 1, "1"))
    assert "neighbour" not in text(N, 1, *layouts, "1", direction="backward")
    assert "butterflies" not in text(N, 1, *layouts, "1", direction="backward")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_memory_is_table_1s_and_tables_have_their_bound(scheme):
    N, P = 256, 8
    M, d = N // P, 3
    output = "block" if scheme == "2" else "scrambled"
    program = build("hypercube-fft", N, P, "bit-reversed", output, scheme=scheme)
    module = module_of(text(N, P, output=output, scheme=scheme))

    def held(comm):
        plan = module.plan(comm)
        arrays = sum(getattr(plan, name).size for name in ("work", "sent") if hasattr(plan, name))
        tables = sum(table.size for table in plan.twiddles if table is not None)
        plan.free()
        return arrays, tables

    results = run(P, held).results
    row = {"2": M, "3": 0, "4": M // 2, "5": 3 * M // 2, "5r": M}[scheme]
    assert {arrays for arrays, _ in results} == {row} == {room(program).work + room(program).extra}
    assert max(tables for _, tables in results) == room(program).twiddles <= (d + 1) * M // 2


@pytest.mark.long
def test_on_real_ranks_nothing_is_held_beside_tables_and_the_row_of_table_1(tmp_path):
    N, P = 2**20, 4
    for scheme, row in {"2": 1, "3": 0, "4": 1 / 2, "5": 3 / 2, "5r": 1}.items():
        (tmp_path / "prog.py").write_text(
            text(N, P, output="block" if scheme == "2" else "scrambled", scheme=scheme),
            encoding="utf-8",
        )
        done = launch.run(HELD, [str(tmp_path / "prog.py")], P, capture=True, timeout=120)
        assert done.returncode == 0, done.stderr
        for held, tables, added in json.loads(done.stdout):
            # 0.25: a tile of the bit reversal; 2**14: a piece of butterflies; for every N
            assert row <= held < row + 0.25, (scheme, held)
            assert tables <= 3 / 2
            assert added < 0.02 + 2**14 / (N // P)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_layout_needs_more_than_three_half_arrays(scheme):
    for before, after in every(("block", "cyclic", "bit-reversed", "scrambled"), repeat=2):
        found = room(build("hypercube-fft", 64, 4, before, after, scheme=scheme))
        assert found.work + found.extra <= 3 * 64 // 4 // 2


def test_volume_is_table_1s():
    N, P, d = 1024, 8, 3
    words = {
        scheme: (
            count(
                build(
                    "hypercube-fft",
                    N,
                    P,
                    "bit-reversed",
                    "block" if scheme == "2" else "scrambled",
                    scheme=scheme,
                )
            ).words
        )
        for scheme in SCHEMES
    }
    assert words == {"2": d * N // P, **dict.fromkeys(["3", "4", "5", "5r"], d * N // (2 * P))}


def test_counted_flops_are_those_of_the_printed_times():
    free = Network(1, 0, 0, 0)
    for N, P in [(64, 4), (256, 8), (32, 1)]:
        for scheme in SCHEMES:
            flops = count(
                build(
                    "hypercube-fft",
                    N,
                    P,
                    "bit-reversed",
                    "block" if scheme == "2" else "scrambled",
                    scheme=scheme,
                )
            ).flops
            assert flops == PRINTED[scheme](N, P, free)
    assert equation_4(64, 1, free) == equation_2(64, free)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_corrected_times_are_those_of_the_rules(scheme):
    cases = [(N, P) for N, P in SIZES if 1 < N <= 256 and valid(N, P, scheme)]
    assert [
        differs(scheme, N, P, net, corrected=True)
        for N, P in cases
        for net in NETWORKS
        if differs(scheme, N, P, net, corrected=True)
    ] == []
    wrong = [case for case in cases for net in NETWORKS if differs(scheme, *case, net)]
    assert bool(wrong) == (scheme in ("2", "4"))


def test_equation_6_leaves_out_alpha():
    net = Network(1, 0, 2, 0, alpha=1.5)
    assert equation_6(8, 2, net)
    assert not equation_6_corrected(8, 2, net)


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "P"), every(SCHEMES, (2, 4)))
def test_real_ranks_transform_there_and_back(tmp_path, scheme, P):
    N = 512
    x = np.random.default_rng(P).standard_normal(N) + 1j
    np.save(tmp_path / "X.npy", x)
    for name, options in (("there", {}), ("back", {"direction": "backward"})):
        layouts = (
            ("block", "block" if scheme == "2" else "scrambled")
            if name == "there"
            else ("block" if scheme == "2" else "scrambled", "block")
        )
        (tmp_path / f"{name}.py").write_text(
            text(N, P, *layouts, scheme, **options), encoding="utf-8"
        )
    for name, source, target in (("there", "X", "Y"), ("back", "Y", "Z")):
        done = launch.run(
            tmp_path / f"{name}.py",
            [str(tmp_path / f"{source}.npy"), str(tmp_path / f"{target}.npy")],
            capture=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
    y, z = np.load(tmp_path / "Y.npy"), np.load(tmp_path / "Z.npy")
    assert np.linalg.norm(y - np.fft.fft(x)) <= 72 * np.finfo(float).eps * np.linalg.norm(y)
    assert np.linalg.norm(z - x) <= 144 * np.finfo(float).eps * np.linalg.norm(x)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_million_ranks_have_as_many_lines_as_four(scheme):
    output = "block" if scheme == "2" else "scrambled"
    for before, after in (("bit-reversed", output), (output, "bit-reversed")):
        small, large = (
            text(N, P, before, after, scheme).splitlines() for N, P in ((2**22, 4), (2**40, 2**20))
        )
        assert len(small) == len(large)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_programs_from_block_to_block_have_as_many_lines_for_more_ranks(scheme):
    small, large = (
        text(N, P, "block", "block", scheme).splitlines()
        for N, P in ((2**36, 2**16), (2**40, 2**20))
    )
    assert len(small) == len(large)


def test_the_transform_of_one_point_is_itself():
    assert prog("2", 1, 1).right == I(1)
    assert check(Equation("", "", F(1), I(1))).error == 0


def test_the_loop_that_the_documentation_shows_is_that_of_the_program():
    shown = (ROOT / "docs" / "hypercube.md").read_text(encoding="utf-8").split("```python\n")[1]
    lines = text(1024, 4, scheme="4").splitlines(keepends=True)
    assert shown.split("```")[0] in "".join(line for line in lines if "# " not in line)


HYPERCUBE = ("hypercube-fft", "--size", "2^6", "--ranks", "4")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_command_line_checks_and_counts_each_scheme(nodewright, scheme):
    status, out, _ = nodewright("check", *HYPERCUBE, "--scheme", scheme, "--json")
    names = [equation["name"] for equation in json.loads(out)["equations"]]
    assert status == 0
    assert names[-3:] == [
        f"hypercube-prog-{scheme}",
        f"hypercube-prog-{scheme}-transposed",
        "supersteps",
    ]
    status, out, _ = nodewright("cost", *HYPERCUBE, "--scheme", scheme, "--json")
    assert (status, json.loads(out)["exchanges"]) == (
        0,
        count(build("hypercube-fft", 64, 4, scheme=scheme)).exchanges,
    )


@pytest.mark.long
def test_the_command_line_writes_a_program_and_certifies_it(nodewright, tmp_path):
    path = str(tmp_path / "p.py")
    words = (*HYPERCUBE, "--scheme", "5", "--input", "scrambled", "--direction", "backward")
    assert nodewright("generate", *words, "-o", path)[0] == 0
    assert " ".join(words).replace("2^6", "64") in (tmp_path / "p.py").read_text(encoding="utf-8")
    assert nodewright("certify", path)[0] == 0
    certificate = json.loads((tmp_path / "p.cert.json").read_text(encoding="utf-8"))
    assert certificate["predicate"]["declared"]["scheme"] == "5"
    assert certificate["predicate"]["theorems"] == ["hypercube-prog-5"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("generate", "hypercube-fft", "--size", "8", "--ranks", "8", "--scheme", "3"),
            "Prog. 3 exchanges half arrays and needs N >= 2P",
        ),
        (
            ("check", "hypercube-fft", "--size", "8", "--ranks", "2", "--scheme", "1"),
            "Prog. 1 is sequential and needs P = 1; got N = 8 and P = 2; try 1 rank",
        ),
        (
            ("generate", "fft", "--size", "8", "--ranks", "2", "--scheme", "3"),
            "only hypercube-fft has it",
        ),
    ],
)
def test_what_is_out_of_range_is_one_line_and_status_2(nodewright, words, complaint):
    status, out, err = nodewright(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert complaint in err
