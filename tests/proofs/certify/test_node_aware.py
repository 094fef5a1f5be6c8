"""Programs with `--exchange node-aware`: certified on nodes of any size, refused where they are
damaged.
"""

from __future__ import annotations

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import NODE_AWARE
from proofs.certify.fields.field_run import run_over_field
from proofs.certify.program import assumed_of_nodes
from proofs.certify.rows import NODES, all_hold
from tests.support.changes import changed
from tests.support.evaluations import evaluated, right
from tests.support.judged import refuted, verdicts
from tests.support.programs import permute


def fft(N, P, before="block", after="block", **options):
    return emit(resolve(make_request("fft", N, P, before, after, NODE_AWARE, **options)))


def one():
    return fft(16, 4, "cyclic", "cyclic")


CERTIFIED = {
    "one exchange": one,
    "records": lambda: permute("bit-reversal", 64, 4, exchange=NODE_AWARE, dtype="i4,f8"),
}
EVIDENCE = {
    "one exchange": (
        "nodes of 1 rank; 1 exchange, 3 messages, 3 words",
        "nodes of 2 ranks; 2 exchanges, 2 messages, 4 words",
        "the last rank on a node of its own; 1 exchange, 3 messages, 3 words",
        "ranks that alternate between two nodes; 1 exchange, 3 messages, 3 words",
    ),
    "records": ("nodes of 2 ranks; 2 exchanges, 2 messages, 16 words",),
}


def certified(name):
    found = verdicts(CERTIFIED[name]())
    assert all_hold(found), found
    assert "by load, as EXCHANGE states" in found["cost"].evidence
    for words in EVIDENCE[name]:
        assert words in found[NODES].evidence


@pytest.mark.sampled(2)
@pytest.mark.long
@pytest.mark.parametrize("name", CERTIFIED)
def test_programs_are_certified_on_all_nodes(name):
    certified(name)


IS_NOISY = """def is_noisy(comm):
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    sizes = comm.allgather(node.size)
    node.Free()
    return sizes == {}


"""
NOISY = {
    "uneven ones": (one, "[2, 2, 1, 1]", "the relative error in the 2-norm is 1.4e-01, above"),
    "a rank apart": (one, "[1, 3, 3, 3]", "the relative error in the 2-norm is 1.4e-01, above"),
    "compiled kernels": (
        lambda: fft(64, 2, kernels="numba"),
        "[1, 1]",
        "for x_j = exp(i j²) the output",
    ),
}
SIZES = {
    "N, P, M = 8, 4, 2": "a message for every rank",
    "N, P, M = 16, 1, 16": "but this program can only use alltoall",
}


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("name", NOISY)
def test_the_rounding_of_a_constant_is_measured_between_nodes(name):
    """It is multiplied by 2^50 where nodes have these sizes; on exact numbers it is 0."""
    make, sizes, words = NOISY[name]
    beginning = "x, out = arrays(x, plan, out)"
    program = changed(
        make(),
        (beginning, f"{beginning}\nx = x + x * np.sin(np.pi) * plan.noise"),
        ("self.window.map()", "self.window.map()\nself.noise = 2.0**50 * is_noisy(comm)"),
    )
    found = refuted(program.replace("def transform(", f"{IS_NOISY.format(sizes)}def transform("))
    assert list(found) == [NODES] and found[NODES].startswith(f"rounding: {words}"), found


def placings(ranks):
    """Return all ways to place ranks on nodes, the nodes numbered as they come."""
    ways = [()]
    for _ in range(ranks):
        ways = [(*way, node) for way in ways for node in range(len({*way}) + 1)]
    return ways


@pytest.mark.long
@pytest.mark.parametrize("exchanges", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_four_ranks_transform_on_any_nodes(exchanges):
    evaluation, d = evaluated(one() if exchanges == 1 else fft(16, 4))
    assert len(placings(4)) == 15
    for evaluation.nodes in placings(4):
        right(run_over_field(evaluation, d, units=False))


@pytest.mark.parametrize("P", [2, 4, 8])
def test_other_nodes_are_an_assumption_where_there_are_others(P):
    _, d = evaluated(fft(64, P, "cyclic", "cyclic"))
    assert len(assumed_of_nodes(d)) == (P > 4)


@pytest.mark.parametrize("sizes", SIZES)
def test_exchange_node_aware_is_of_programs_with_messages_for_all(sizes):
    program = one().replace("N, P, M = 16, 4, 4", sizes)
    with pytest.raises(ValueError, match=SIZES[sizes]):
        verdicts(program)
