"""Programs as people write them compute what they declare, and evaluated what they compute under
CPython; each is certified, and its wrong neighbours are not.
"""

from __future__ import annotations

import re
import time

import numpy as np
import pytest

from codegen.program.hartley_program import ALGORITHMS, RESULTS
from derive.verdict import Checked, Refuted, Undecided
from proofs.certify.declaration import SHAPES, Permutation
from proofs.certify.declared_constants import declared
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.evaluation.evaluation import declaration_of as declaration_of_text
from proofs.certify.failures import NotModelled
from proofs.certify.ordinary.rounding import random_vector, relative_error, tolerance_of
from proofs.certify.program import decided
from proofs.certify.scripts.evaluation_jobs import natural, scattered
from tests.support.by_hand import (
    BORROWED,
    NAMES,
    WRONG,
    Wrong,
    changed,
    edited,
    gathered,
    right,
    wrong,
)
from tests.support.certified import fate_of
from tests.support.evaluated import attribute, both, executed, same_bits, with_mpi
from tests.support.refused import HOLDS, REFUTED, UNDECIDED
from tests.support.worlds import run

NEIGHBOURS = [(name, i) for name in NAMES for i in range(len(WRONG[name]))]
READ_ALONE = ("cost",)
"""Verdicts on what the source says, which no result shows."""


def vectors(d):
    """Return two vectors that differ everywhere."""
    rng = np.random.default_rng(0)
    if isinstance(d, Permutation):
        return list(rng.standard_normal((2, d.N)).astype(d.dtype))
    return [random_vector(d, rng) for _ in range(2)]


def parts_of(d, vector):
    """Return the part of each rank."""
    parts = enumerate(scattered(d, vector))
    return [part.reshape(d.part("input", rank)) for rank, part in parts]


def wanted_of(d, vector):
    """Return the result in natural order."""
    if isinstance(d, Permutation):
        wanted = np.empty_like(vector)
        wanted[d.address(np.arange(d.N))] = vector
        return wanted
    return d.reference(vector)


def error_of(d, wanted, parts):
    """Return the relative error of the parts of all ranks."""
    parts = [np.reshape(part, -1) for part in parts]
    if isinstance(d, Permutation):
        return float((natural(d, parts) != wanted).any())
    return relative_error(d, wanted, parts)


def using(d, given):
    """Return what a rank does: three transforms by two plans, one of them into an array."""

    def body(program, comm):
        first, second = (parts_of(d, vector)[comm.rank] for vector in given)
        before = first.copy()
        plan, other = program.plan(comm), program.plan(comm)
        one = program.transform(first, plan)
        out = np.empty_like(one)
        two = program.transform(second, plan, out=out)
        three = program.transform(first, other)
        for each in (plan, other):
            attribute(program, each, "free")()
        return [one, two, three], two is out, bool((first == before).all())

    return body


def is_right(source, d):
    """Return whether a program, executed, is right in all that these uses show."""
    program = executed(source)
    for side in ("input", "output"):
        found = getattr(program, f"{side}_place")(np.arange(d.count(side)))
        if not np.array_equal(found, d.layout(side).place(np.arange(d.count(side)))):
            return False
        shape_of = getattr(program, SHAPES[side], None)
        if shape_of and any(shape_of(rank) != d.part(side, rank) for rank in range(d.P)):
            return False
    given = vectors(d)
    done = run(d.P, lambda comm: using(d, given)(executed(source), comm))
    results, into, kept = zip(*done.results, strict=True)
    if not all(into) or not all(kept):
        return False
    tolerance = 0 if isinstance(d, Permutation) else tolerance_of(d)[0]
    of_vectors = [given[0], given[1], given[0]]
    return all(
        error_of(d, wanted_of(d, vector), parts) <= tolerance
        for vector, parts in zip(of_vectors, zip(*results, strict=True), strict=True)
    )


@pytest.fixture
def mpi_of_the_evaluator(monkeypatch):
    """Have programs find the MPI of the evaluator."""
    with_mpi(monkeypatch)


def declaration_of(name):
    return declared(vars(executed(right(name))))


def test_there_are_many_and_each_has_a_wrong_neighbour():
    assert len(NAMES) >= 30
    assert list(WRONG) == NAMES


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_a_right_program_is_right(name, mpi_of_the_evaluator):
    assert is_right(right(name), declaration_of(name))


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize(("name", "i"), NEIGHBOURS)
def test_a_wrong_neighbour_is_wrong(name, i, mpi_of_the_evaluator):
    source = wrong(name, i)
    assert source != right(name)
    if WRONG[name][i].verdict in READ_ALONE:
        return
    try:
        d, _ = declaration_of_text(Evaluation(Text.read(name, source)))
        found = is_right(source, d)
    except Exception:
        return
    assert not found


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_a_program_evaluated_has_the_bits_of_one_executed(name, monkeypatch, mpi_of_the_evaluator):
    d = declaration_of(name)
    evaluated, by_cpython = both(right(name), d.P, using(d, vectors(d)), monkeypatch)
    assert same_bits(evaluated, by_cpython)


@pytest.mark.sampled(4)
@pytest.mark.sampled(15, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_a_right_program_holds(name, tmp_path):
    assert fate_of(right(name), tmp_path).fate == HOLDS


@pytest.mark.sampled(6)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize(("name", "i"), NEIGHBOURS)
def test_a_wrong_neighbour_does_not_hold(name, i, tmp_path):
    found = fate_of(wrong(name, i), tmp_path)
    assert found.fate != HOLDS
    if found.fate == REFUTED:
        assert set(found.verdicts) <= set(WRONG[name][i].verdict.split())


@pytest.mark.sampled(2)
@pytest.mark.long
@pytest.mark.parametrize("name", BORROWED)
def test_a_program_that_breaks_a_rule_on_communicators_holds_but_for_its_contract(name, tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(changed(name, BORROWED[name]), encoding="utf-8")
    certificate = decided(path, ran=0)
    assert certificate.holds
    found = certificate.verdicts["contract"]
    assert isinstance(found, Undecided)
    words = r"(line \d+: \w+\(.*|plan\.comm is not )the communicator given to plan"
    assert re.search(words, found.reason)


def test_a_message_of_no_elements_leaves_the_input_of_its_sender(tmp_path):
    other = "plan.own.rank ^ 1"
    nothing = f"    plan.own.Sendrecv(x[:0], {other}, 0, np.empty(0, DTYPE), {other})\n"
    gather = "    plan.own.Allgather("
    source = gathered().replace(gather, nothing + gather, 1)
    assert nothing in source
    assert fate_of(source, tmp_path).fate == HOLDS


@pytest.mark.parametrize(("words", "holds"), [(8, True), (7, False)])
def test_a_program_may_send_something_else_than_its_factorization_and_state_it(
    words, holds, tmp_path
):
    cost = f"Cost    at most 1 message and {words} words sent by a rank in 1 exchange"
    first, _, rest = gathered().partition('"""\n')
    path = tmp_path / "prog.py"
    path.write_text(f'{first}\n\n{cost}\n"""\n{rest}', encoding="utf-8")
    certificate = decided(path, ran=0)
    assert certificate.holds is holds
    assert isinstance(certificate.verdicts["cost"], Checked if holds else Refuted)


@pytest.mark.parametrize(
    ("name", "library"), [("numba_kernel", "numba"), ("pyfftw_tutorial", "pyfftw")]
)
def test_a_program_that_does_not_state_its_kernels_has_those_it_imports(name, library):
    source = re.sub(r"^KERNELS, EXCHANGE = .*$", "", right(name), flags=re.MULTILINE)
    assert "KERNELS" not in source
    d, _ = declaration_of_text(Evaluation(Text.read(name, source)))
    assert (d.kernels, d.exchange) == (library, "alltoall")


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("tiny", ["1e-30", "1e-300"])
def test_a_tiny_multiple_of_the_data_is_not_taken_for_nothing(tiny, tmp_path):
    change = Wrong("    if out is None:\n", f"    y[3] += {tiny} * x[0]\n    if out is None:\n")
    found = fate_of(changed("scaled_by_thirds", change), tmp_path)
    assert found.fate == UNDECIDED
    assert f"line 45: the constant {tiny} is no" in found.reason


def test_a_constant_that_no_field_has_is_undecided_by_name_and_line(tmp_path):
    """Times π/3, and later times 3/π: ordinary numbers agree with the definition."""
    source = changed("scaled_by_thirds", Wrong("1 / 3, out", "np.pi / 3, out"))
    source = source.replace("3 * (even", "3 / np.pi * (even")
    found = fate_of(source, tmp_path)
    assert found.fate == UNDECIDED
    assert found.reason.startswith("line 41: the constant 1.0471975511965976 is no dyadic number")


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize(
    ("N", "reduced"), [(64, False), (4, False), (8, True), (8, False), (64, True)]
)
def test_a_matrix_of_unreduced_angles_is_refuted_where_its_own_error_is_too_large(
    N, reduced, tmp_path
):
    """exp(-2πi jk/N) has an error of u jk/N turns unless jk is reduced: 6 u sqrt(lg N) at N = 8."""
    numerator = "k @ k.T % n" if reduced else "k @ k.T"
    source = right("dft_matrix").replace("N, P = 64, 4", f"N, P = {N}, 1")
    found = fate_of(source.replace("k @ k.T % n", numerator), tmp_path)
    jk = np.outer(np.arange(N), np.arange(N))
    matrix = np.exp(-2j * np.pi * (jk % N if reduced else jk) / N)
    x = np.random.default_rng(0).standard_normal(N) + 0j
    wanted = np.fft.fft(x.astype(np.clongdouble))
    error = np.linalg.norm((matrix @ x - wanted).astype(complex)) / np.linalg.norm(x * N**0.5)
    if error <= 2.5 * 2.0**-53 * np.log2(N) ** 0.5:
        assert found.fate == HOLDS
    else:
        assert found.verdicts == ("rounding",) and not reduced
        assert "lg N)" in found.reason and "angle is not reduced" in found.reason


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("scale", [9.416637420654297, 4.806011199951172])
def test_a_number_of_single_precision_next_to_a_cosine_refutes_no_right_program(scale, tmp_path):
    """The data are multiplied by it and by its inverse; both are next to cosines of 2πk/4096."""
    scaled = right("single_precision").replace("N, P = 64, 2", "N, P = 4096, 2")
    line = "* plan.scale\n"
    more = f"    mine *= np.float32({scale})\n    mine *= np.float32(1) / np.float32({scale})\n"
    found = fate_of(scaled.replace(line, line + more), tmp_path)
    assert found.fate == UNDECIDED and found.reason.startswith("ordinary numbers agree")
    found = fate_of(scaled.replace(line, line + more.replace("(1)", "(1.001)")), tmp_path)
    assert found.fate == REFUTED and found.verdicts == ("function",)


@pytest.mark.long
def test_a_certificate_with_roots_of_a_higher_order_is_verified(tmp_path, nodewright):
    path = tmp_path / "bluestein.py"
    path.write_text(right("bluestein"), encoding="utf-8")
    assert nodewright("certify", str(path), "--ran", "0")[0] == 0
    assert nodewright("certify", "--verify", str(path))[0] == 0


@pytest.mark.long
def test_the_certificate_of_a_program_with_its_own_main_is_verified(tmp_path, nodewright):
    path = tmp_path / "six_step.py"
    path.write_text(right("six_step"), encoding="utf-8")
    assert nodewright("certify", str(path), "--ran", "0")[0] == 0
    assert nodewright("certify", "--verify", str(path))[0] == 0


BEGINS = '    """Allgather, then one transform of length N on each rank."""\n'
ONLY = "    if not x.flags.{0}:\n        raise ValueError('{0} only')\n"
TURNED = "    if not x.flags.{}:\n        x = x[::-1].copy()\n"
CHOOSY = {
    "contiguous": (
        Wrong(BEGINS, BEGINS + ONLY.format("c_contiguous")),
        "an x with gaps in memory or an x that lies backwards in memory: ValueError: c_contiguous"
        " only (line 42); use np.ascontiguousarray(x)",
        TURNED.format("writeable"),
    ),
    "writeable": (
        Wrong(BEGINS, BEGINS + ONLY.format("writeable")),
        "an x that is read-only: ValueError: writeable only (line 42)",
        TURNED.format("c_contiguous"),
    ),
    "seen as floats": (
        Wrong(BEGINS, BEGINS + "    x.view(np.float64)\n"),
        "backwards in memory: ValueError: To change to a dtype of a different size",
        TURNED.format("writeable"),
    ),
    "sent as it is": (
        Wrong("np.ascontiguousarray(x)", "x"),
        "backwards in memory: invalid parameter: rank 1: a buffer of shape (8,) that is not",
        TURNED.format("writeable"),
    ),
}
"""Transforms that refuse some x; how; and how they are wrong for another one."""


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", CHOOSY)
def test_a_program_that_refuses_a_form_of_x_holds_but_for_its_contract(name, tmp_path, nodewright):
    change, words, _ = CHOOSY[name]
    path = tmp_path / "prog.py"
    path.write_text(edited(gathered(), change), encoding="utf-8")
    certificate = decided(path, ran=0)
    assert certificate.holds
    found = certificate.verdicts["contract"]
    assert isinstance(found, Undecided) and words in found.reason
    certificate.save()
    assert nodewright("certify", "--verify", str(path))[0] == 0


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", CHOOSY)
def test_a_wrong_result_for_a_form_that_is_taken_is_refuted(name, tmp_path):
    change, _, more = CHOOSY[name]
    source = edited(gathered(), change).replace(BEGINS, BEGINS + more)
    assert fate_of(source, tmp_path).verdicts == ("contract",)


def test_an_x_that_is_side_by_side_must_be_taken(tmp_path):
    refuses = "    if x.flags.c_contiguous:\n        raise ValueError('gaps only')\n"
    found = fate_of(edited(gathered(), Wrong(BEGINS, BEGINS + refuses)), tmp_path)
    assert found.verdicts == ("function",)


@pytest.mark.long
@pytest.mark.parametrize("name", ["fftn_axes", "batched"])
def test_a_program_that_refuses_other_orders_of_axes_holds_but_for_its_contract(name, tmp_path):
    body = re.search(r'def transform\(.*\n(    """.*"""\n)?', right(name))
    refuses = "    if not x.flags.c_contiguous:\n        raise TypeError\n"
    path = tmp_path / "prog.py"
    path.write_text(right(name).replace(body[0], body[0] + refuses), encoding="utf-8")
    certificate = decided(path, ran=0)
    assert certificate.holds
    assert "transform refuses an x with gaps" in certificate.verdicts["contract"].reason


def test_a_loop_without_an_end_is_undecided_long_before_the_limit_with_its_line(tmp_path):
    loop = "    n = 0\n    while n >= 0:\n        n += 1\n"
    path = tmp_path / "prog.py"
    source = changed("allgather_whole", Wrong(BEGINS, BEGINS + loop))
    path.write_text(source, encoding="utf-8")
    began = time.process_time()
    with pytest.raises(
        NotModelled, match=r"line 4[23]: transform takes more than 1 s of processor time on rank \d"
    ):
        decided(path, seconds=6, ran=0)
    assert time.process_time() - began < 3


def test_a_constant_that_is_missing_is_named_with_its_values(tmp_path):
    change = Wrong('ALGORITHM, RESULT = "hypercube", "hartley"\n', "")
    found = fate_of(changed("hartley_by_fft", change), tmp_path)
    assert found.fate == UNDECIDED
    assert "does not define ALGORITHM, RESULT: " in found.reason
    for name, values in (("ALGORITHM", ALGORITHMS), ("RESULT", RESULTS)):
        assert f"; {name} is one of {', '.join(values)}" in found.reason
