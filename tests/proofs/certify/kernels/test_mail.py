"""Messages of the only exchange of a transform by compiled kernels, or of both between blocks on
two ranks: read where they are received, a rank's own where it was stored.
"""

import numpy as np
import pytest

import nodewright as nw
from codegen.emit.text import emit
from derive.verdict import holds
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts
from tests.support.kernels.digits import BLOCK, CYCLIC, request
from tests.support.kernels.vectors import text


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(
    ("n", "p", "layout"), [(6, 1, "cyclic"), (6, 2, "cyclic"), (7, 3, "cyclic"), (6, 1, "block")]
)
def test_persistent_messages_are_certified(n, p, layout):
    program = text(n, p, layout, "alltoall")
    assert "class Mail" in program and "Alltoall" not in program
    found = verdicts(program)
    assert all(map(holds, found.values()))
    assert "by Start, as EXCHANGE says" in found["cost"].evidence


@pytest.mark.sampled(2)
@pytest.mark.long
@pytest.mark.parametrize(
    ("shape", "grid", "ends"),
    [("8x6", "2x1", ("block,whole", "whole,block")), ("36", "3", BLOCK), ("144", "4", CYCLIC)],
)
def test_transforms_of_any_size_have_mail(shape, grid, ends):
    program = emit(request(shape, grid, ends))
    assert ("class Mail" in program) == (ends != BLOCK)  # three exchanges are no mail
    assert all(map(holds, verdicts(program).values()))
    if ends != BLOCK:
        wrong = changed(program, WRONG["a rank's own message is one that nobody sends"])
        assert refuted(wrong)


@pytest.mark.parametrize("n", [14, 17])
def test_small_and_large_transforms_have_mail(n):
    assert "class Mail" in text(n, 1, "cyclic", "alltoall")


@pytest.mark.parametrize(
    ("n", "p", "layout", "exchange"),
    [
        (8, 2, "block", "alltoall"),  # three exchanges
        (10, 5, "cyclic", "alltoall"),  # more messages than a kernel reads apart
        (5, 3, "cyclic", "alltoall"),  # two exchanges, as P^2 > N
        (6, 2, "cyclic", "pairwise"),
        (16, 1, "cyclic", "alltoall"),  # an array more would not stay in the cache
        (17, 1, "block", "alltoall"),  # four arrays even less
    ],
)
def test_other_programs_exchange_as_they_say(n, p, layout, exchange):
    assert "class Mail" not in text(n, p, layout, exchange)


WRONG = {
    "a rank's own message is one that nobody sends": (
        "address(sent if rank == comm.rank else received)",
        "address(received)",
    ),
    "messages are read where they are sent": (
        "address(sent if rank == comm.rank else received)",
        "address(sent)",
    ),
    "messages go the other way round": ("list(range(4))", "list(range(4))[::-1]"),
    "what is received is not waited for": (
        "self.requests[0].Waitall(self.requests)",
        "self.requests[0].Waitall(self.requests[1::2])",
    ),
    "nothing is started": ("self.requests[0].Startall(self.requests)", "pass"),
    "half of the requests stay": (
        "for request in self.requests:",
        "for request in self.requests[::2]:",
    ),
    "nothing goes to the last rank": (
        "if rank != comm.rank:",
        "if rank != comm.rank != 3 != rank:",
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", WRONG)
def test_mail_that_is_wrong_is_refuted(name):
    assert refuted(changed(text(6, 2, "cyclic", "alltoall"), WRONG[name]))


def with_a_room():
    """Return a program whose messages come to the room of its first kernel."""
    return text(10, 1, "cyclic", "alltoall")


def test_messages_come_to_the_room_of_the_kernel_before_them():
    program = with_a_room()
    assert "self.room = self.mail.received" in program
    assert "aligned(M, DTYPE), aligned(520, DTYPE)" in program  # 8 rows of 65, of which 64 are used


@pytest.mark.long
def test_a_room_that_messages_come_to_is_certified():
    assert all(map(holds, verdicts(with_a_room()).values()))


FIRST, ALL = "local_0(memory_of(x), memory_of(work), *plan.addresses)", "plan.mail.requests"
IN_ROOM = {
    "messages come while the kernel runs": (
        (FIRST, f"{ALL}[0].Startall({ALL}); {FIRST}"),
        ("self.requests[0].Startall(self.requests)", "pass"),
    ),
    "the kernel runs before they are read": (
        ("plan.mail.exchange()", f"plan.mail.exchange(); {FIRST}"),
    ),
    "there is no room for the ends of rows": (("aligned(520, DTYPE)", "aligned(M, DTYPE)"),),
    "the room is what is sent": (("self.mail.received", "self.mail.sent"),),
}


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", IN_ROOM)
def test_a_room_where_messages_come_at_another_time_is_refuted(name):
    assert refuted(changed(with_a_room(), *IN_ROOM[name]))


OF_BLOCKS = {
    "both exchanges have the same arrays": (
        "self.mail_2 = Mail(self.own, (0, 1), M)",
        "self.mail_2 = self.mail",
    ),
    "results are sent before they are there": (
        "local_1(plan.mail.places, memory_of(work), *plan.addresses)",
        "plan.mail_2.exchange(); local_1(plan.mail.places, memory_of(work), *plan.addresses)",
    ),
    "each rank takes its own for that of rank 0": (
        "*plan.mail_2.places",
        "*plan.mail_2.places[::-1]",
    ),
    "the second requests stay": ("(self.mail, self.mail_2)", "(self.mail, None)"),
}


@pytest.mark.sampled(2)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", OF_BLOCKS)
def test_mail_of_blocks_that_is_wrong_is_refuted(name):
    assert refuted(changed(text(6, 1, "block", "alltoall"), OF_BLOCKS[name]))


@pytest.mark.sampled(2)
@pytest.mark.long
@pytest.mark.parametrize(("P", "layout"), [(2, "cyclic"), (4, "cyclic"), (2, "block")])
def test_real_ranks_give_the_transform(P, layout):
    x = np.random.default_rng(P).standard_normal(1 << 10) + 1j
    found = nw.fft(1 << 10, P, input=layout, output=layout, kernels="numba").run(x)
    assert np.allclose(found, np.fft.fft(x), rtol=0, atol=1e-10)
