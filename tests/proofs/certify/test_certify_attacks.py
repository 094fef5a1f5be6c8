"""Damaged texts of hypercube, overlapped, Hartley and tile programs, each refused as what it is:
wrong in function, messages, cost, ..
"""

from functools import cache

import pytest

from codegen.emit.text import emit
from codegen.mpi.faults import Fault
from codegen.mpi.memory.buffers import NotModelled
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.verdict import Refuted
from proofs.certify.checks.suite import tried
from tests.support.lines import END

pytestmark = pytest.mark.sampled(12)


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


def changed(name, *changes):
    found = program(name)
    for old, new in changes:
        assert old in found, f"{name} has no {old!r} to change"
        found = found.replace(old, new)
    return found


def refuted(changed_text):
    """Return what is refuted, and the class of fault where messages are."""
    found = {
        name: verdict.counterexample
        for name, verdict in tried("prog.py", changed_text, 0).verdicts.items()
        if isinstance(verdict, Refuted)
    }
    return {
        name: counterexample.partition(":")[0] if name == "messages" else ""
        for name, counterexample in found.items()
    }


def before(line, *statements):
    """Return a change that puts statements before a line, at its depth."""
    space = line[: len(line) - len(line.lstrip())]
    return line, "".join(f"{space}{statement}\n" for statement in statements) + line


WAITS = "        coming.Wait()\n        going.Wait()\n"
WAIT_ALL = "        for request in requests:\n            request.Wait()\n"
FIRST_WAIT = "    for request in requests:\n        request.Wait()\n    np.copyto(work"
COMPUTED = "        np.fft.fft(given[part], out=made[part])\n"
SENT = "requests.append(comm.Isend(source[message], partners[q]))"
ROOT = "    return turn * (np.cos(angle) + SIGN * 1j * np.sin(angle))\n"
PARTNER = "self.partner, self.sends_p = comm, comm.rank ^ 1 << channel, comm.rank >> channel & 1"
LOCAL = str(Fault.LOCAL_CONCURRENCY)
WRONG = {
    # hypercube: function
    "twiddles of another rank": (
        "Prog. 5",
        "function",
        ("twiddles(comm.rank, *w, H)", "twiddles(comm.rank ^ 1, *w, H)"),
    ),
    "twiddles one place on": (
        "Prog. 3",
        "function",
        ("affine(offsets, o, shift)", "affine(offsets, o ^ 1, shift)"),
    ),
    "half of the butterflies": ("Prog. 3", "function", ("in blocks(H)", "in blocks(H // 2)")),
    "sums for differences": (
        "Prog. 3",
        "function",
        (
            "np.subtract(p[part], temp, out=differences[part])",
            "np.add(p[part], temp, out=differences[part])",
        ),
    ),
    "halves not put home": (
        "Prog. 3",
        "function",
        ("        data.p, data.q = data.halves\n", "        data.p, data.q = data.halves[::-1]\n"),
    ),
    "the wrong half sent": (
        "Prog. 3",
        "function",
        ("data.p if self.sends_p else data.q", "data.q if self.sends_p else data.p"),
    ),
    "both send the first half": (
        "Prog. 3",
        "function",
        ("data.p if self.sends_p else data.q", "data.p"),
    ),
    "sums sent for differences": (
        "Prog. 5",
        "function",
        (
            "np.add(p[part], new_q[part], out=sent[part])",
            "np.subtract(p[part], new_q[part], out=sent[part])",
        ),
    ),
    "another array than what was received": (
        "Prog. 5",
        f"messages {LOCAL}",
        ("(received, new_q) if", "(data.spare[H:], new_q) if"),
    ),
    "the wrong way round": (
        "Prog. 2",
        "function",
        ("np.subtract(other, mine, out=mine)", "np.add(other, mine, out=mine)"),
    ),
    "a transform of single numbers": (
        "Prog. 2",
        "function",
        ("self.shape = (copies, d, 1)", "self.shape = (copies * d, 1, 1)"),
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
        ("comm.rank ^ 1 << channel, channel,", "comm.rank ^ 1 << (channel ^ 1) % 3, channel,"),
    ),
    "a send before its buffer is made": (
        "Prog. 5",
        f"messages {LOCAL}",
        ("        going = self.comm.Isend(sent, self.partner)\n", ""),
        before(
            "        for part in blocks(H):\n            np.multiply(q[part], self.table[part],"
            " out=new_q[part])\n",
            "going = self.comm.Isend(sent, self.partner)",
        ),
    ),
    "a read of the half that is coming": (
        "Prog. 5",
        f"messages {LOCAL}",
        before(WAITS, "received.copy()"),
    ),
    "what is coming times 0": (
        "Prog. 5",
        f"messages {LOCAL}",
        before(WAITS, "new_q += 0 * received"),
    ),
    "what is coming written": ("Prog. 5", f"messages {LOCAL}", before(WAITS, "received[0] = 0")),
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
        ("self.comm.Irecv(received, self.partner)", "self.comm.Irecv(sent, self.partner)"),
    ),
    "no Wait for what is coming": ("Prog. 5", "messages", ("        coming.Wait()\n", "")),
    "no Wait for what is going": ("Prog. 5", "messages", ("        going.Wait()\n", "")),
    "a tag on one side": (
        "Prog. 5",
        "messages",
        ("self.comm.Irecv(received, self.partner)", "self.comm.Irecv(received, self.partner, 1)"),
    ),
    "a half and one more sent": (
        "Prog. 5",
        "messages",
        ("self.comm.Isend(sent, ", "self.comm.Isend(data.spare[:1], "),
    ),
    "two sends and then two receives": (
        "Prog. 3",
        f"messages {Fault.BUFFERING_HAZARD}",
        (
            (
                "self.comm.Sendrecv_replace(data.p if self.sends_p else data.q, self.partner,"
                " source=self.partner)"
            ),
            (
                "half = data.p if self.sends_p else data.q; self.comm.Send(half, self.partner);"
                " self.comm.Recv(half, self.partner)"
            ),
        ),
    ),
    "one rank leaves the exchange out": (
        "Prog. 3",
        "messages",
        (
            "    def __call__(self, data):\n        self.comm.Sendrecv_replace",
            (
                "    def __call__(self, data):\n        if self.comm.rank:\n           "
                " self.comm.Sendrecv_replace"
            ),
        ),
    ),
    "a neighbour beyond the cube": (
        "Prog. 3",
        f"messages {Fault.INVALID_PARAMETER}",
        (PARTNER, PARTNER.replace("1 << channel,", "1 << channel + 3,")),
    ),
    # hypercube: cost
    "an exchange too many": (
        "Prog. 5",
        "cost",
        (
            WAITS,
            WAITS + "        self.comm.Sendrecv(received.copy(), self.partner, recvbuf=sent,"
            " source=self.partner)\n",
        ),
    ),
    "a barrier": ("Prog. 3", "cost", (END, "    plan.comm.Barrier()\n" + END)),
    "an empty message": (
        "Prog. 3",
        "cost",
        (
            END,
            "    plan.comm.Sendrecv(out[:0], plan.comm.rank ^ 1, recvbuf=out[:0],"
            " source=plan.comm.rank ^ 1)\n" + END,
        ),
    ),
    "whole blocks where halves do": (
        "Prog. 3",
        "cost",
        (
            (
                "self.comm.Sendrecv_replace(data.p if self.sends_p else data.q, self.partner,"
                " source=self.partner)"
            ),
            (
                "half, whole = data.p if self.sends_p else data.q, np.concatenate([data.p,"
                " data.q]); self.comm.Sendrecv_replace(whole, self.partner, source=self.partner);"
                " half[:] = whole[H:] if self.sends_p else whole[:H]"
            ),
        ),
    ),
    # hypercube: contract and rounding
    "tables that are used up": (
        "Prog. 3",
        "contract",
        (
            "        data.p, data.q = data.halves\n",
            (
                "        data.p, data.q = data.halves\n        np.multiply(self.table, -1,"
                " out=self.table)\n"
            ),
        ),
    ),
    "a freed plan that serves": (
        "tiles",
        "contract",
        ("    if plan.work is None:\n", "    if False:\n"),
        ("        self.operations = []\n        self.work = None\n", "        pass\n"),
        ("        self.lines = self.low = self.high = self.turns = None\n", "        pass\n"),
        ("        self.peers = None\n", "        pass\n"),
    ),
    "a third plan that is another": (
        "Prog. 3",
        "contract",
        (
            "    return Plan(comm)\n",
            (
                "    PLANS.append(Plan(comm))\n    if PLANS[2:]:\n        PLANS[2].stages ="
                " PLANS[2].stages[:1]\n    return PLANS[-1]\n\n\nPLANS = []\n"
            ),
        ),
    ),
    "twiddles in single precision": (
        "Prog. 4",
        "function",
        (ROOT, ROOT.replace("return turn * (", "return turn * np.complex64(")),
    ),
    "a result scaled to and fro": (
        "Prog. 4",
        "rounding",
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
        before(FIRST_WAIT, "for part in range(4):", COMPUTED.strip("\n").removeprefix("    ")),
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
            "            requests.append(comm.Isend(source[message]",
            (
                "            first = numbers[0] * size\n"
                "            requests.append(comm.Isend(source[first : first + size]"
            ),
        ),
    ),
    "one Wait too few": (
        "overlapped",
        "messages",
        (
            "for request in requests:\n        request",
            "for request in requests[1:]:\n        request",
        ),
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
        before("    size = M // len(partners)\n    return [", "return []"),
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
    "a barrier in it": ("fht", "cost", (END, "    plan.comm.Barrier()\n" + END)),
    "a square": ("fht", "function", (END, "    out *= out\n" + END)),
    "a result in the input": ("fht", "function", (END, "    x[:] = out\n" + END)),
    # tiles
    "rounds of another order on one side": (
        "tiles",
        "messages",
        (
            "self.comm.Irecv(target[part], come_from, b)",
            "self.comm.Irecv(target[part], come_from, b ^ 1)",
        ),
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
        (
            "self.comm.Irecv(target[part], come_from, b)",
            "self.comm.Irecv(target[part][: size // 2], come_from, b)",
        ),
    ),
    "a message for one rank too few": (
        "tiles",
        "function",
        (
            "enumerate(zip(*self.peers, strict=True))",
            "list(enumerate(zip(*self.peers, strict=True)))[1:]",
        ),
    ),
}
RIGHT = {
    "halves multiplied the other way round": (
        "Prog. 3",
        (
            "np.multiply(q[part], self.table[part], out=temp)",
            "np.multiply(self.table[part], q[part], out=temp)",
        ),
    ),
    "one block of butterflies": ("Prog. 3", ("in blocks(H)", "in [slice(0, H)]")),
    "blocks of two": ("Prog. 3", ("BLOCK = 1 << 12", "BLOCK = 2")),
    "Wait in the other order": (
        "Prog. 5",
        (WAITS, "        going.Wait()\n        coming.Wait()\n"),
    ),
    "both waited for at once": (
        "Prog. 5",
        (
            WAITS,
            (
                "        type_of_request = MPI.Request\n        type_of_request.Waitall([going,"
                " coming])\n"
            ),
        ),
        ("import numpy as np\n", "import numpy as np\nfrom mpi4py import MPI\n"),
    ),
    "what is going read": ("Prog. 5", before(WAITS, "kept = sent.copy()", "kept += sent")),
    "the other half written": ("Prog. 5", before(WAITS, "new_q *= 1")),
    "a synchronous send": (
        "Prog. 5",
        ("self.comm.Isend(sent, self.partner)", "self.comm.Issend(sent, self.partner)"),
    ),
    "a tag on the sending side, where any is taken": (
        "Prog. 5",
        ("self.comm.Isend(sent, self.partner)", "self.comm.Isend(sent, self.partner, 1)"),
    ),
    "a tag on both sides": (
        "Prog. 5",
        ("self.comm.Isend(sent, self.partner)", "self.comm.Isend(sent, self.partner, 9)"),
        ("self.comm.Irecv(received, self.partner)", "self.comm.Irecv(received, self.partner, 9)"),
    ),
    "send and receive at once": (
        "Prog. 3",
        (
            (
                "self.comm.Sendrecv_replace(data.p if self.sends_p else data.q, self.partner,"
                " source=self.partner)"
            ),
            (
                "half = data.p if self.sends_p else data.q; self.comm.Sendrecv(half.copy(),"
                " self.partner, recvbuf=half, source=self.partner)"
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
        (
            "for request in requests:\n        request.Wait()",
            "for request in reversed(requests):\n        request.Wait()",
        ),
    ),
    "a result copied": ("fht", (END, "    out[:] = out.copy()\n" + END)),
    "a result twice as large and half": ("fht", (END, "    out *= 2\n    out /= 2\n" + END)),
    "tags in descending order": (
        "tiles",
        ("come_from, b))", "come_from, 99 - b))"),
        ("to, b))", "to, 99 - b))"),
    ),
    "elements read that are sent": ("tiles", before(WAIT_ALL, "kept = source.copy()")),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_damaged_text_is_refused_as_what_it_is(name):
    which, wanted, *changes = WRONG[name]
    verdict, _, fault = wanted.partition(" ")
    found = refuted(changed(which, *changes))
    assert verdict in found
    assert fault in ("", found[verdict])


def test_a_test_in_place_of_wait_is_refused():
    with pytest.raises(NotModelled, match=r"schedules, more than 1000: rank \d in Test\(\)"):
        refuted(changed("Prog. 5", ("        coming.Wait()\n", "        coming.Test()\n")))


def test_what_may_answer_in_too_many_ways_is_refused_at_once():
    tests = changed(
        "Prog. 5",
        (WAITS, "        if not going.Test():\n            going.Wait()\n        coming.Wait()\n"),
    )
    with pytest.raises(
        NotModelled,
        match=(
            r"not modelled: about 2e\+07 schedules, more than 1000: rank \d in Test\(\) at line"
            r" \d+: if not going.Test"
        ),
    ):
        refuted(tests)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_variant_is_certified(name):
    which, *changes = RIGHT[name]
    assert refuted(changed(which, *changes)) == {}
