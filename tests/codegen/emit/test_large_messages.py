"""Messages that MPI before 4.0 cannot count are refused before any is sent."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bmmc import named


def program(n, dtype="i4,f8", exchange="alltoall"):
    reversal = Bmmc(named("bit-reversal", n), "bit-reversal")
    return emit(
        resolve(
            make_request("permute", 2**n, 2, permutation=reversal, dtype=dtype, exchange=exchange)
        )
    )


class Duplicated(Exception):
    """Raised where a plan goes on, to make its communicator."""


def duplicate():
    raise Duplicated


@pytest.mark.parametrize("exchange", ["alltoall", "pairwise", "nonblocking", "replace"])
def test_a_message_that_the_mpi_cannot_count_is_refused_in_one_line(monkeypatch, exchange):
    module = ModuleType("large")
    exec(program(30, exchange=exchange), vars(module))
    comm = SimpleNamespace(size=2, rank=0, Dup=duplicate, Is_inter=lambda: False)
    for version, goes_on in (((3, 1), False), ((4, 0), True), ((5, 0), True)):
        mpi = SimpleNamespace(Get_version=lambda version=version: version)
        monkeypatch.setitem(sys.modules, "mpi4py", SimpleNamespace(MPI=mpi))
        with pytest.raises(Duplicated if goes_on else module.Unusable) as raised:
            module.plan(comm)
        if not goes_on:
            said = "messages of 3221225472 bytes: MPI 3.1 counts at most 2^31 - 1 in one: take more"
            assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    ("n", "dtype", "exchange"),
    [
        (29, "i4,f8", "alltoall"),
        (31, "f8", "alltoall"),
        (30, "i4,f8", "shared"),
        (30, "i4,f8", "auto"),
    ],
)
def test_programs_whose_messages_are_counted_ask_for_no_version(n, dtype, exchange):
    assert "Get_version" not in program(n, dtype, exchange)
