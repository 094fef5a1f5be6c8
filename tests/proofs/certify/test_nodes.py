"""Programs with `--exchange auto`: certified on one node and between nodes, refused where either
way is damaged.
"""

from __future__ import annotations

import json

import pytest

from codegen.emit.steps import window_lines
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import AUTO
from derive.verdict import Checked, holds
from proofs.certify.program import certificate_path, certify, verify
from proofs.certify.rows import NODES, all_hold
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts
from tests.support.programs import permute


def fft(N, P, before="block", after="block", **options):
    return emit(resolve(make_request("fft", N, P, before, after, AUTO, **options)))


def of_all():
    """Return a program in which each rank has a message for every rank."""
    return fft(16, 4, "cyclic", "cyclic")


def of_some():
    """Return a program in which it has not."""
    return fft(8, 4, "cyclic", "cyclic")


CERTIFIED = {
    "messages for all": of_all,
    "messages for some": of_some,
    "records": lambda: permute("gray-code", 64, 4, "cyclic", exchange=AUTO, dtype="i4,f8"),
}


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("name", CERTIFIED)
def test_both_ways_are_certified(name):
    found = verdicts(CERTIFIED[name]())
    assert all_hold(found)
    assert "by load, as EXCHANGE states" in found["cost"].evidence
    assert "by Alltoall" in found[NODES].evidence


@pytest.mark.long
def test_what_is_stored_where_it_was_read_is_sent_back_between_nodes(monkeypatch):
    monkeypatch.setattr(window_lines, "ONE_HALF", 1)
    program = fft(64, 4, "cyclic", kernels="numba")
    assert "plan.window.returned()" in program
    found = verdicts(program)
    assert all_hold(found) and "2 exchanges" in found["nodes"].evidence
    sent = "self.comm.Alltoall(self.sent, self.received)"
    assert "nodes" in refuted(
        changed(program, ("self.comm.Alltoall(self.received, self.sent)", sent))
    )


def test_exchange_auto_is_of_programs_that_may_share_memory():
    program = emit(resolve(make_request("hypercube-fft", 16, 2))).replace('"alltoall"', '"auto"')
    with pytest.raises(ValueError, match="can only use alltoall"):
        verdicts(program)


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    path = tmp_path_factory.mktemp("nodes") / "p.py"
    path.write_text(of_all(), encoding="utf-8")
    certificate = certify(path, ran=0)
    assert certificate.holds and isinstance(certificate.verdicts[NODES], Checked)
    assert any("with ranks on any nodes" in words for words in certificate.assumed)
    return path


@pytest.mark.long
def test_a_certificate_of_both_ways_is_verified(certified):
    _, again = verify(certified)
    assert NODES in again and all(map(holds, again.values()))


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("change", ["left out", "another error", "of fewer words"])
def test_a_certificate_that_says_something_else_of_nodes_is_refused(certified, change):
    beside = certificate_path(certified)
    kept = beside.read_text(encoding="utf-8")
    whole = json.loads(kept)
    verdicts_ = whole["predicate"]["verdicts"]
    if change == "left out":
        del verdicts_[NODES]
    elif change == "another error":
        verdicts_[NODES]["error"] /= 1000
    else:
        verdicts_[NODES]["evidence"] = verdicts_[NODES]["evidence"].replace("3 words", "2 words")
    beside.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(ValueError, match=r"nodes|verdicts"):
        verify(certified)
    beside.write_text(kept, encoding="utf-8")


@pytest.mark.long
def test_a_form_of_x_that_is_refused_between_nodes_only_leaves_the_contract_open(tmp_path):
    begins = "    x, out = arrays(x, plan, out)\n"
    refuses = (
        "    if plan.exchange == 'alltoall' and not x.flags.writeable:\n        raise ValueError\n"
    )
    path = tmp_path / "prog.py"
    path.write_text(of_all().replace(begins, refuses + begins), "utf-8")
    certificate = certify(path, ran=0)
    assert certificate.holds and isinstance(certificate.verdicts[NODES], Checked)
    reason = certificate.verdicts["contract"].reason
    assert "transform refuses an x that is read-only" in reason
    assert reason.endswith("where ranks are on several nodes")
    assert all_hold(verify(path)[1])
