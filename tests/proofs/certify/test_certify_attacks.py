"""Damaged texts of hypercube, overlapped, Hartley and tile programs, each refused as what it is:
wrong in function, messages, cost, ..
"""

import re
from functools import cache

import pytest

from codegen.emit.text import emit
from codegen.mpi.faults import Fault
from codegen.mpi.memory.buffers import NotModelled
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from tests.support.changes import changed
from tests.support.judged import refuted
from tests.support.lines import END

pytestmark = pytest.mark.sampled(24)


def text(
    system,
    N,
    P,
    before="block",
    after="",
    exchange="alltoall",
    scheme="",
    algorithm="",
    permutation="",
    **options,
):
    moved = Bmmc(bmmc.named(permutation, N.bit_length() - 1), permutation) if permutation else None
    return emit(Spec(system, N, P, before, after, exchange, moved, scheme, algorithm, **options))


@cache
def program(name):
    return {
        "Prog. 2": lambda: text("hypercube-fft", 64, 4, "bit-reversed", "block", scheme="2"),
        "Prog. 3": lambda: text("hypercube-fft", 64, 8, "bit-reversed", "scrambled", scheme="3"),
        "Prog. 4": lambda: text("hypercube-fft", 64, 4, "bit-reversed", "scrambled", scheme="4"),
        "Prog. 5": lambda: text("hypercube-fft", 64, 8, "bit-reversed", "scrambled", scheme="5"),
        "overlapped": lambda: text("fft", 64, 4, "cyclic", "block", "overlapped"),
        "fht": lambda: text("fht", 64, 8, dtype="float64"),
        "half spectrum": lambda: text("fht", 64, 8, result="dft", dtype="float64"),
        "tiles": lambda: text(
            "permute",
            1024,
            4,
            exchange="nonblocking",
            permutation="bit-reversal",
            kernels="numba",
            dtype="float64",
        ),
    }[name]()


def damaged(name, *changes):
    return changed(program(name), *changes)


def before(old, *statements):
    """Return a change that puts statements before others."""
    return old, "\n".join([*statements, old])


WAITS = "coming.Wait()\ngoing.Wait()"
WAIT_ALL = "for request in requests:\n    request.Wait()"
FIRST_WAIT = f"{WAIT_ALL}\nnp.copyto(work.reshape(2, 2, 4), ...)"
COMPUTED = "np.fft.fft(given[part], out=made[part])"
SENT = "requests.append(comm.Isend(source[message], partners[q]))"
RECEIVE = "comm.Irecv(target[b * size : b * size + size], come_from)"
SEND = "comm.Isend(source[b * size : b * size + size], to)"
ARRAY_RECEIVED = "own.Irecv(received[channel % 2], neighbour)"
ROOT = "return ... * (np.cos(angle) + SIGN * 1j * np.sin(angle))"
SENDRECV = "own.Sendrecv_replace(p if rank >> channel & 1 else q, neighbour, source=neighbour)"
IN_LOOP = "butterflies(p, q, plan.twiddles[channel])"
LOCAL = str(Fault.LOCAL_CONCURRENCY)
ON_ITS_WAY = "elements are computed with that .* are on their way"
KEPT = "changes what the program keeps, otherwise than to and fro"
WRONG = {
    # hypercube: function
    "twiddles of another rank": ("Prog. 5", "function", ("rank % 2**l", "(rank ^ 1) % 2**l")),
    "twiddles one place on": (
        "Prog. 3",
        "function",
        ("rank % 2**l * 4 + o", "rank % 2**l * 4 + (o ^ 1)"),
    ),
    "half of the butterflies": (
        "Prog. 3",
        "function",
        ("np.empty_like(p[:PIECE])", "np.empty_like(p[: len(p) // 2])"),
        ("slice(start, start + PIECE)", "slice(start, len(p) // 2)"),
    ),
    "sums for differences": (
        "Prog. 3",
        "function",
        ("np.subtract(p[part], product, out=q[part])", "np.add(p[part], product, out=q[part])"),
    ),
    "halves not put home": ("Prog. 3", "function", (IN_LOOP, IN_LOOP + "\np, q = q, p")),
    "the wrong half sent": (
        "Prog. 3",
        "function",
        ("p if rank >> channel & 1 else q", "q if rank >> channel & 1 else p"),
    ),
    "both send the first half": ("Prog. 3", "function", ("p if rank >> channel & 1 else q", "p")),
    "sums sent for differences": (
        "Prog. 5",
        "function",
        ("np.add(p, second, out=sent)", "np.subtract(p, second, out=sent)"),
    ),
    "another array than what was received": (
        "Prog. 5",
        f"function {ON_ITS_WAY}",
        ("p, q = received[channel % 2], second", "p, q = received[1], second"),
    ),
    "the wrong way round": (
        "Prog. 2",
        "function",
        ("np.subtract(work, out, out=out)", "np.add(work, out, out=out)"),
    ),
    "a transform of single numbers": (
        "Prog. 2",
        "function",
        ("np.fft.fft(out, out=out)", "np.fft.fft(out.reshape(16, 1), out=out.reshape(16, 1))"),
    ),
    "a result conjugated": ("Prog. 4", "function", (END, "    np.conjugate(out, out=out)\n" + END)),
    "a result reversed on one rank": (
        "Prog. 4",
        "function",
        (END, "    if plan.comm.rank == 3:\n        out[:] = out[::-1].copy()\n" + END),
    ),
    "a constant added on one rank": (
        "Prog. 3",
        "function",
        (END, "    if plan.comm.rank == 5:\n        out += 2.0**-40\n" + END),
    ),
    "an angle with a short π": (
        "Prog. 3",
        "function",
        ("(np.pi / 2 / order)", "(3.14159265359 / 2 / order)"),
    ),
    # hypercube: messages
    "a neighbour across another channel": (
        "Prog. 5",
        "function",
        ("rank ^ (1 << channel)", "rank ^ 1 << (channel ^ 1) % 3"),
    ),
    "a send before its buffer is made": (
        "Prog. 5",
        f"messages {LOCAL}",
        ("going = own.Isend(sent, neighbour)", ""),
        before(
            "np.multiply(q, plan.twiddles[channel], out=second)",
            "going = own.Isend(sent, neighbour)",
        ),
    ),
    "a read of the half that is coming": (
        "Prog. 5",
        f"messages {LOCAL}",
        before(WAITS, "received[channel % 2].copy()"),
    ),
    "what is coming times 0": (
        "Prog. 5",
        f"function {ON_ITS_WAY}",
        before(WAITS, "second += 0 * received[channel % 2]"),
    ),
    "what is coming written": (
        "Prog. 5",
        f"messages {LOCAL}",
        before(WAITS, "received[channel % 2][0] = 0"),
    ),
    "what is going changed and restored": (
        "Prog. 5",
        f"messages {LOCAL}",
        before(WAITS, "kept = sent.copy()", "sent[:1] = 0", "sent[:] = kept"),
    ),
    "what is going written by a ufunc": (
        "Prog. 5",
        f"messages {LOCAL}",
        before(WAITS, "np.add(sent, 0, out=sent)"),
    ),
    "what is coming into where it goes from": (
        "Prog. 5",
        f"messages {LOCAL}",
        (ARRAY_RECEIVED, "own.Irecv(sent, neighbour)"),
    ),
    "no Wait for what is coming": ("Prog. 5", f"function {ON_ITS_WAY}", ("coming.Wait()", "")),
    "no Wait for what is going": ("Prog. 5", f"messages {LOCAL}", ("going.Wait()", "")),
    "a tag on one side": (
        "Prog. 5",
        "messages",
        (ARRAY_RECEIVED, ARRAY_RECEIVED.replace(")", ", 1)")),
    ),
    "a half and one more sent": (
        "Prog. 5",
        "messages",
        ("own.Isend(sent, neighbour)", "own.Isend(work[:1], neighbour)"),
    ),
    "two sends and then two receives": (
        "Prog. 3",
        f"messages {Fault.BUFFERING_HAZARD}",
        (
            SENDRECV,
            (
                "half = p if rank >> channel & 1 else q; own.Send(half, neighbour);"
                " own.Recv(half, neighbour)"
            ),
        ),
    ),
    "one rank leaves the exchange out": (
        "Prog. 3",
        "messages",
        (SENDRECV, f"if rank:\n    {SENDRECV}"),
    ),
    "a neighbour beyond the cube": (
        "Prog. 3",
        f"messages {Fault.INVALID_PARAMETER}",
        ("rank ^ (1 << channel)", "rank ^ (1 << channel + 3)"),
    ),
    # hypercube: cost
    "an exchange too many": (
        "Prog. 5",
        "cost",
        (
            WAITS,
            WAITS + "\nown.Sendrecv(received[channel % 2].copy(), neighbour, recvbuf=sent,"
            " source=neighbour)",
        ),
    ),
    "a barrier": ("Prog. 3", "cost", (END, "    plan.own.Barrier()\n" + END)),
    "an empty message": (
        "Prog. 3",
        "cost",
        (END, "    own.Sendrecv(out[:0], rank ^ 1, recvbuf=out[:0], source=rank ^ 1)\n" + END),
    ),
    "whole blocks where halves do": (
        "Prog. 3",
        "cost",
        (
            SENDRECV,
            (
                "half, whole = p if rank >> channel & 1 else q, np.concatenate([p, q]);"
                " own.Sendrecv_replace(whole, neighbour, source=neighbour);"
                " half[:] = whole[4:] if rank >> channel & 1 else whole[:4]"
            ),
        ),
    ),
    # hypercube: contract and rounding
    "tables that are used up": (
        "Prog. 3",
        "contract",
        (IN_LOOP, f"{IN_LOOP}\nnp.negative(plan.twiddles[channel], out=plan.twiddles[channel])"),
    ),
    "a freed plan that serves": (
        "tiles",
        "contract",
        before("x, out = arrays(x, plan, out)", "if not plan.own:\n    plan.own = plan.comm.Dup()"),
        ("self.peers = self.lines = self.lines_2 = self.work = None", "pass"),
    ),
    "a third plan that is another": (
        "Prog. 3",
        f"unmodelled plan {KEPT}",
        (
            "return Plan(comm)",
            "PLANS.append(Plan(comm))\nif PLANS[2:]:\n    PLANS[2].twiddles.reverse()\n"
            "return PLANS[-1]",
        ),
        ("PIECE = 16384", "PIECE = 16384\nPLANS = []"),
    ),
    "twiddles in single precision": (
        "Prog. 4",
        "function",
        (ROOT, ROOT.replace("* (", "* np.complex64(")),
    ),
    "a result scaled to and fro": (
        "Prog. 4",
        "contract",
        (END, "    out *= 2.0**0.5 * (1 + 2.0**-50.2)\n    out *= 2.0**-0.5\n" + END),
    ),
    # overlapped
    "messages in the order of ranks": (
        "overlapped",
        "function",
        ("self.partners = list(range(4))", "self.partners = [rank ^ b for b in range(4)]"),
    ),
    "its own part left out": (
        "overlapped",
        "function",
        ("np.copyto(target[message], source[message])", "pass"),
    ),
    "a part computed after it is sent": (
        "overlapped",
        "messages",
        (COMPUTED, ""),
        before(FIRST_WAIT, f"for part in range(4):\n    {COMPUTED}"),
    ),
    "a part sent twice": (
        "overlapped",
        "messages",
        (SENT, "requests += [comm.Isend(source[message], partners[q]) for _ in range(2)]"),
    ),
    "the first message for all": (
        "overlapped",
        "function",
        (
            SENT,
            "first = numbers[0] * size\n"
            "requests.append(comm.Isend(source[first : first + size], partners[q]))",
        ),
    ),
    "one Wait too few": (
        "overlapped",
        "messages",
        ("for request in requests:", "for request in requests[1:]:"),
    ),
    "what is coming looked at": (
        "overlapped",
        f"messages {LOCAL}",
        before(FIRST_WAIT, "out.reshape(4, 4)[rank ^ 1].copy()"),
    ),
    "what is going overwritten with itself": (
        "overlapped",
        f"messages {LOCAL}",
        before(FIRST_WAIT, "plan.made[:] = plan.made"),
    ),
    "the receives after the sends, blocking": (
        "overlapped",
        "messages",
        (SENT, "comm.Ssend(source[message], partners[q])"),
        (
            "def receive(comm, partners, target):",
            "def receive(comm, partners, target):\n    return []",
        ),
        before(
            FIRST_WAIT,
            "for q, partner in enumerate(plan.partners):",
            "    if partner != rank:",
            "        plan.own.Recv(out.reshape(4, 4)[q], partner)",
        ),
    ),
    # Hartley
    "a result of another norm": ("fht", "function", (END, "    out *= 0.125\n" + END)),
    "an imaginary part lost": ("half spectrum", "function", (END, "    out[1] = 0\n" + END)),
    "a result that depends on a value": (
        "fht",
        "function",
        (END, "    if out[0] > 0:\n        out += 0\n" + END),
    ),
    "a barrier in it": ("fht", "cost", (END, "    plan.own.Barrier()\n" + END)),
    "a square": ("fht", "function", (END, "    out *= out\n" + END)),
    "a result in the input": ("fht", "function", (END, "    x[:] = out\n" + END)),
    # tiles
    "rounds of another order on one side": (
        "tiles",
        "messages",
        (RECEIVE, RECEIVE.replace("come_from)", "come_from, b ^ 1)")),
        (SEND, SEND.replace("to)", "to, b)")),
    ),
    "a read of the target before Wait": (
        "tiles",
        f"messages {LOCAL}",
        before(WAIT_ALL, "target[:1].copy()"),
    ),
    "a source restored before Wait": (
        "tiles",
        f"messages {LOCAL}",
        before(WAIT_ALL, "source[:1] = source[:1].copy()"),
    ),
    "a receive of half a message": (
        "tiles",
        "messages",
        (RECEIVE, RECEIVE.replace("size]", "size // 2]")),
    ),
    "a message for one rank too few": (
        "tiles",
        "function",
        ("enumerate(peers[0])", "[*enumerate(peers[0])][1:]"),
        ("enumerate(peers[1])", "[*enumerate(peers[1])][1:]"),
    ),
}
RIGHT = {
    "halves multiplied the other way round": (
        "Prog. 3",
        (
            "np.multiply(q[part], w[part], out=product)",
            "np.multiply(w[part], q[part], out=product)",
        ),
    ),
    "one block of butterflies": (
        "Prog. 3",
        ("np.empty_like(p[:PIECE])", "np.empty_like(p)"),
        ("range(0, len(p), PIECE)", "[0]"),
    ),
    "blocks of two": ("Prog. 3", ("PIECE = 16384", "PIECE = 2")),
    "Wait in the other order": ("Prog. 5", (WAITS, "going.Wait()\ncoming.Wait()")),
    "both waited for at once": (
        "Prog. 5",
        (WAITS, "type_of_request = MPI.Request\ntype_of_request.Waitall([going, coming])"),
        ("import numpy as np\n", "import numpy as np\nfrom mpi4py import MPI\n"),
    ),
    "what is going read": ("Prog. 5", before(WAITS, "kept = sent.copy()", "kept += sent")),
    "the other half written": ("Prog. 5", before(WAITS, "second *= 1")),
    "a synchronous send": (
        "Prog. 5",
        ("own.Isend(sent, neighbour)", "own.Issend(sent, neighbour)"),
    ),
    "a tag on the sending side, where any is taken": (
        "Prog. 5",
        ("own.Isend(sent, neighbour)", "own.Isend(sent, neighbour, 1)"),
    ),
    "a tag on both sides": (
        "Prog. 5",
        ("own.Isend(sent, neighbour)", "own.Isend(sent, neighbour, 9)"),
        (ARRAY_RECEIVED, ARRAY_RECEIVED.replace(")", ", 9)")),
    ),
    "send and receive at once": (
        "Prog. 3",
        (
            SENDRECV,
            (
                "half = p if rank >> channel & 1 else q; own.Sendrecv(half.copy(),"
                " neighbour, recvbuf=half, source=neighbour)"
            ),
        ),
    ),
    "a message to nobody": (
        "Prog. 3",
        (END, "    plan.comm.Send(out, MPI.PROC_NULL)\n" + END),
        ("import numpy as np\n", "import numpy as np\nfrom mpi4py import MPI\n"),
    ),
    "parts in ascending order": ("overlapped", ("part = (rank + 1 + i) % 4", "part = i")),
    "receives for all, and then one by one": (
        "overlapped",
        ("for request in requests:", "for request in reversed(requests):"),
    ),
    "a result copied": ("fht", (END, "    out[:] = out.copy()\n" + END)),
    "a result twice as large and half": ("fht", (END, "    out *= 2\n    out /= 2\n" + END)),
    "tags in descending order": (
        "tiles",
        (RECEIVE, RECEIVE.replace("come_from)", "come_from, 99 - b)")),
        (SEND, SEND.replace("to)", "to, 99 - b)")),
    ),
    "elements read that are sent": ("tiles", before(WAIT_ALL, "kept = source.copy()")),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_text_is_refused_as_what_it_is(name):
    which, wanted, *changes = WRONG[name]
    verdict, _, words = wanted.partition(" ")
    try:
        found = refuted(damaged(which, *changes))
    except NotModelled as error:
        found = {"unmodelled": str(error)}
    assert verdict in found
    assert re.search(words, found[verdict])


def test_a_test_in_place_of_wait_is_refused():
    with pytest.raises(NotModelled, match=r"schedules, more than 1000: rank \d in Test\(\)"):
        refuted(damaged("Prog. 5", ("coming.Wait()", "coming.Test()")))


def test_what_may_answer_in_too_many_ways_is_refused_at_once():
    tests = damaged("Prog. 5", (WAITS, "if not going.Test():\n    going.Wait()\ncoming.Wait()"))
    with pytest.raises(
        NotModelled,
        match=(
            r"not modelled: about 2e\+07 schedules, more than 1000: rank \d in Test\(\) at line"
            r" \d+: if not going.Test"
        ),
    ):
        refuted(tests)


@pytest.mark.long
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_variant_is_certified(name):
    which, *changes = RIGHT[name]
    assert refuted(damaged(which, *changes)) == {}
