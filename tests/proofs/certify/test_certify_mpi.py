"""Certification of programs whose messages a user has edited: right ones pass, wrong ones are
refused with the class of their error.
"""

import pytest

from codegen.emit.text import emit
from codegen.mpi import schedules
from codegen.mpi.faults import Fault, NotModelled
from codegen.spec import Spec
from tests.support.changes import changed_once
from tests.support.judged import refuted
from tests.support.lines import ALLTOALL, DEFINITION, IMPORT, SENDRECV, by_function

pytestmark = pytest.mark.sampled(16)


def emitted(N, P, exchange, layout="block"):
    return emit(Spec("fft", N, P, layout, layout, exchange))


ROUNDS, TOGETHER, TWO = (
    emitted(16, 4, "pairwise"),
    by_function(emitted(16, 4, "alltoall")),
    emitted(16, 2, "pairwise", "cyclic"),
)


def edited(program, line, *statements):
    """Return a program with other statements in place of a line, and MPI known to it."""
    assert line in program
    begin = program.rindex("\n", 0, program.index(line)) + 1
    indent = " " * (program.index(line) - begin)
    return program.replace(line, ("\n" + indent).join(statements)).replace(
        IMPORT, IMPORT + "from mpi4py import MPI\n", 1
    )


WORK = "self.work = np.empty(M, DTYPE)"
IRECV, ISEND = (
    "r = comm.Irecv(target[part], source=come_from)",
    "s = comm.Isend(source[part], to)",
)
RIGHT = {
    "requests": edited(ROUNDS, SENDRECV, IRECV, ISEND, "MPI.Request.Waitall([r, s])"),
    "a synchronous send to a posted receive": edited(
        ROUNDS, SENDRECV, IRECV, "comm.Ssend(source[part], to)", "r.Wait()"
    ),
    "persistent requests": edited(
        ROUNDS,
        SENDRECV,
        "requests = [comm.Recv_init(target[part], come_from), comm.Send_init(source[part], to)]",
        "MPI.Prequest.Startall(requests)",
        "MPI.Request.Waitall(requests)",
        "[request.Free() for request in requests]",
    ),
    "any source, told apart by tags": edited(
        ROUNDS,
        SENDRECV,
        "comm.Sendrecv(source[part], to, b, recvbuf=target[part], source=MPI.ANY_SOURCE,"
        " recvtag=b)",
    ),
    "any tag": edited(
        ROUNDS,
        SENDRECV,
        "comm.Sendrecv(source[part], to, b, recvbuf=target[part], source=come_from,"
        " recvtag=MPI.ANY_TAG)",
    ),
    "a probe": edited(
        ROUNDS,
        SENDRECV,
        ISEND,
        "comm.Probe(source=come_from)",
        "comm.Recv(target[part], source=come_from)",
        "s.Wait()",
    ),
    "tests until all are there": edited(
        TWO,
        WORK,
        WORK,
        "r = self.own.Ibarrier()",
        "while rank and not r.Test():",
        "    pass",
        "r.Wait()",
    ),
    "an Ialltoall": edited(TOGETHER, ALLTOALL, "group.Ialltoall(source, target).Wait()"),
    "an Alltoallw": edited(
        TOGETHER,
        ALLTOALL,
        "g = group.size",
        "how = [M // g] * g, [16 * M // g * i for i in range(g)], [MPI.DOUBLE_COMPLEX] * g",
        "group.Alltoallw([source, *how], [target, *how])",
    ),
    "a derived type": edited(
        TOGETHER,
        ALLTOALL,
        "part = MPI.DOUBLE_COMPLEX.Create_contiguous(M // group.size).Commit()",
        "group.Alltoall([source, 1, part], [target, 1, part])",
        "part.Free()",
    ),
    **{
        f"{words} before Wait": edited(
            ROUNDS, SENDRECV, IRECV, ISEND, *lines, "MPI.Request.Waitall([r, s])"
        )
        for words, lines in {
            "what is sent is read": ("kept = 2 * source + source[::-1]",),
            "other elements are written": (
                "source[:part.start] = source[:part.start] * 1",
                "target[:part.start] *= 1",
            ),
            "elements between are written": (
                "source[np.arange(part.start)] = source[:part.start]",
            ),
            "views are made of what is received": ("kept = target.reshape(-1, 1)[part].real",),
            "an array is made like it": ("kept = np.empty_like(target)",),
        }.items()
    },
}

GATHER_AND_BCAST = (
    "g, parts = group, np.empty(M * group.size, DTYPE)",
    "g.Gatherv(source, [parts, [M] * g.size] if g.rank == 0 else None, root=0)",
    "g.Bcast(parts, root=0)",
    "target[:] = parts.reshape(g.size, g.size, -1)[:, g.rank].reshape(-1)",
)
PUT_BETWEEN_FENCES = (
    "g, window = group, MPI.Win.Create(target, DTYPE.itemsize, comm=group)",
    "window.Fence()",
    "for rank, part in enumerate(source.reshape(g.size, -1)):",
    "    window.Put(part, rank, g.rank * (M // g.size))",
    "window.Fence()",
    "window.Free()",
)
WRONG = {
    "a send without Wait": (
        Fault.REQUEST_LIFECYCLE,
        edited(
            ROUNDS,
            SENDRECV,
            "comm.Isend(source[part].copy(), to)",
            "comm.Recv(target[part], come_from)",
        ),
    ),
    "a send without Wait from where the next step writes": (
        Fault.LOCAL_CONCURRENCY,
        edited(
            ROUNDS, SENDRECV, "comm.Isend(source[part], to)", "comm.Recv(target[part], come_from)"
        ),
    ),
    "an Ialltoall without Wait": (
        Fault.REQUEST_LIFECYCLE,
        edited(TOGETHER, ALLTOALL, "group.Ialltoall(source.copy(), target.copy())", ALLTOALL),
    ),
    "sends before receives": (
        Fault.BUFFERING_HAZARD,
        edited(
            ROUNDS, SENDRECV, "comm.Send(source[part], to)", "comm.Recv(target[part], come_from)"
        ),
    ),
    "synchronous sends before receives": (
        Fault.CALL_ORDERING,
        edited(
            ROUNDS, SENDRECV, "comm.Ssend(source[part], to)", "comm.Recv(target[part], come_from)"
        ),
    ),
    "a call that one rank leaves out": (
        Fault.CALL_ORDERING,
        edited(
            TOGETHER,
            ALLTOALL,
            "if group.rank:",
            f"    {ALLTOALL}",
            "else:",
            "    target[:] = source",
        ),
    ),
    "any source": (
        Fault.MESSAGE_RACE,
        edited(ROUNDS, SENDRECV, "comm.Sendrecv(source[part], to, recvbuf=target[part])"),
    ),
    "another tag": (
        Fault.PARAMETER_MATCHING,
        edited(
            ROUNDS,
            SENDRECV,
            "comm.Sendrecv(source[part], to, b, recvbuf=target[part], source=come_from,"
            " recvtag=b + 1)",
        ),
    ),
    "another root": (
        Fault.PARAMETER_MATCHING,
        edited(TOGETHER, ALLTOALL, ALLTOALL, "group.Bcast(target, root=group.rank)"),
    ),
    "another type": (
        Fault.INVALID_PARAMETER,
        edited(TOGETHER, ALLTOALL, "group.Alltoall([source, MPI.COMPLEX], [target, MPI.COMPLEX])"),
    ),
    "a rank that is none": (
        Fault.INVALID_PARAMETER,
        edited(ROUNDS, SENDRECV, SENDRECV.replace("to,", "to + P,")),
    ),
    "a duplicate that is not freed": (
        Fault.RESOURCE_LEAK,
        edited(TOGETHER, ALLTOALL, "group.Dup().Alltoall(source, target)"),
    ),
    "a type that is not freed": (
        Fault.RESOURCE_LEAK,
        edited(
            TOGETHER,
            ALLTOALL,
            "part = MPI.DOUBLE_COMPLEX.Create_contiguous(1).Commit()",
            "group.Alltoall([source, part], [target, part])",
        ),
    ),
    "a write before Wait": (
        Fault.LOCAL_CONCURRENCY,
        edited(ROUNDS, SENDRECV, IRECV, ISEND, "target[part] = 0", "MPI.Request.Waitall([r, s])"),
    ),
    "a source changed before Wait": (
        Fault.LOCAL_CONCURRENCY,
        edited(
            TOGETHER, ALLTOALL, "r = group.Ialltoall(source, target)", "source[0] = 0", "r.Wait()"
        ),
    ),
    **{
        f"{words} before Wait": (
            Fault.LOCAL_CONCURRENCY,
            edited(ROUNDS, SENDRECV, IRECV, ISEND, *lines, "MPI.Request.Waitall([r, s])"),
        )
        for words, lines in {
            "a source written and restored": (
                "kept = source.copy()",
                "source[part] = 0",
                "source[part] = kept[part]",
            ),
            "a source scattered into": ("source[np.array([part.start])] = 0", "source[part] = 1"),
            "a source transformed in place, there and back": (
                "np.fft.fft(source, out=source)",
                "np.fft.ifft(source, out=source)",
            ),
            "a view of the source written": ("source.reshape(-1, 1)[part, 0] = source[part]",),
            "a real part of the source written": ("source.real[part] = source.real[part]",),
            "a read": ("kept = target.copy()",),
            "a read times 0": ("source += 0 * target[part.start]",),
            "a read by an index": ("kept = target[np.array([part.start])]",),
            "a read by take": ("kept = np.take(target, [part.start])",),
            "a read of the last element": ("kept = target[part.stop - 1] * 1",),
        }.items()
    },
    "an Ialltoall whose result is read before Wait": (
        Fault.LOCAL_CONCURRENCY,
        edited(
            TOGETHER,
            ALLTOALL,
            "into = np.empty_like(target)",
            "r = group.Ialltoall(source, into)",
            "target[:] = into",
            "r.Wait()",
        ),
    ),
    "receives into one place": (
        Fault.LOCAL_CONCURRENCY,
        edited(TOGETHER, ALLTOALL, "group.Alltoall(target, target)"),
    ),
    "a course that depends on a test": (
        Fault.MESSAGE_RACE,
        edited(
            TWO,
            SENDRECV,
            IRECV,
            ISEND,
            "early = r.Test()",
            "MPI.Request.Waitall([r, s])",
            "target[part] *= 1 if early else 2",
        ),
    ),
}

COSTLY = {
    "a barrier": (
        edited(TOGETHER, ALLTOALL, "group.Barrier()", ALLTOALL),
        "3 synchronisations instead of 0",
    ),
    "an empty message": (
        edited(
            TOGETHER,
            ALLTOALL,
            "group.Alltoallv([source, [0] * group.size], [target, [0] * group.size])",
            ALLTOALL,
        ),
        "3 synchronisations instead of 0",
    ),
    "an empty Sendrecv after each": (
        edited(
            ROUNDS,
            SENDRECV,
            SENDRECV,
            "comm.Sendrecv(target[:0], to, recvbuf=target[:0], source=come_from)",
        ),
        "12 synchronisations instead of 0",
    ),
    "a message one way that nobody needs": (
        edited(
            ROUNDS,
            SENDRECV,
            "even, other = comm.rank % 2 == 0, comm.rank ^ 1",
            "comm.Sendrecv(source[:1] if even else source[:0], other, 7, np.empty(0 if even"
            " else 1, DTYPE), other, 7)",
            SENDRECV,
        ),
        "21 messages instead of 9, 21 words instead of 9",
    ),
    "objects": (
        edited(TOGETHER, ALLTOALL, "group.allgather(group.rank)", ALLTOALL),
        "3 synchronisations instead of 0",
    ),
    "a duplicate in every transform": (
        edited(
            TOGETHER, ALLTOALL, "copy = group.Dup()", "copy.Alltoall(source, target)", "copy.Free()"
        ),
        "6 synchronisations instead of 0",
    ),
    "Gatherv and Bcast": (
        edited(TOGETHER, ALLTOALL, *GATHER_AND_BCAST),
        "6 exchanges instead of 3",
    ),
    "Put between Fences": (
        edited(TOGETHER, ALLTOALL, *PUT_BETWEEN_FENCES),
        "12 synchronisations instead of 0",
    ),
    "an exchange that is not used": (
        edited(TOGETHER, ALLTOALL, "group.Alltoall(source, target.copy())", ALLTOALL),
        "18 messages instead of 9",
    ),
}


MANY_SCHEDULES = "tests until all are there"


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name == MANY_SCHEDULES else name
        for name in RIGHT
    ],
)
def test_a_right_edit_is_certified(name):
    assert refuted(RIGHT[name]) == {}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_edit_is_refused_with_its_class(name):
    fault, program = WRONG[name]
    found = refuted(program)
    assert list(found) == ["messages"]
    assert found["messages"].startswith(f"{fault}: ")
    assert "rank " in found["messages"]
    assert "at line " in found["messages"]
    assert "\n" not in found["messages"]


def test_a_sum_of_what_is_on_its_way_is_refused():
    program = edited(
        ROUNDS,
        SENDRECV,
        "target[part] = source[part]",
        IRECV,
        ISEND,
        "kept = np.add(target[part], source[part])",
        "MPI.Request.Waitall([r, s])",
    )
    found = refuted(program)
    assert list(found) == ["function"]
    assert "or that are on their way" in found["function"]


@pytest.mark.parametrize("name", COSTLY)
def test_a_right_program_that_costs_more_is_refused(name):
    program, words = COSTLY[name]
    found = refuted(program)
    assert list(found) == ["cost"]
    assert words in found["cost"]
    assert "exchanges" not in found["cost"] or "exchanges" in words


@pytest.mark.parametrize(
    "call", ["Bsend(source[part], to)", "Rsend(source[part], to)", "Mprobe()", "Create_group(None)"]
)
def test_what_is_not_modelled_is_neither_certified_nor_refuted(call):
    with pytest.raises(
        NotModelled, match=rf"not modelled: rank \d in Comm.{call.partition('(')[0]} at line \d+: "
    ):
        refuted(edited(ROUNDS, SENDRECV, f"comm.{call}", SENDRECV))


def test_what_has_too_many_schedules_is_neither_certified_nor_refuted(monkeypatch):
    monkeypatch.setattr(schedules, "MOST", 20)
    with pytest.raises(NotModelled, match=r"schedules, more than 20: rank \d in Testall"):
        refuted(
            edited(
                ROUNDS, SENDRECV, IRECV, ISEND, "while not MPI.Request.Testall([r, s]):", "    pass"
            )
        )


@pytest.mark.parametrize(
    ("line", "instead", "phase"),
    [
        ("exchange(plan.own, ", "exchange(plan.comm, ", "transform"),
        ("exchange(plan.own, ", "plan.comm.Barrier(); exchange(plan.own, ", "transform"),
        (
            "            self.own.Free()\n",
            "            self.comm.Barrier(); self.own.Free()\n",
            "free",
        ),
    ],
)
def test_a_collective_call_on_the_callers_communicator_is_refused(line, instead, phase):
    assert line in TOGETHER
    said = f"{phase} makes a collective call on the communicator that plan was given"
    assert said in refuted(TOGETHER.replace(line, instead))["contract"]


MADE, FREED = (
    '        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):\n',
    "            self.own.Free()\n",
)
SHARED = '''
class Exchange:
    """One message from every rank of a group to every other, through memory that all exchanges share."""

    def __init__(self, comm):
        self.comm, self.turn = comm, 0
        self.window = MPI.Win.Allocate_shared(2 * M * DTYPE.itemsize, DTYPE.itemsize, comm=comm)
        self.arrays = [np.frombuffer(self.window.Shared_query(rank)[0], dtype=DTYPE).reshape(2, M) for rank in range(comm.size)]
        self.window.Lock_all()

    def __call__(self, source, target):
        np.copyto(self.arrays[self.comm.rank][self.turn], source)
        self.window.Sync()
        self.comm.Barrier()
        self.window.Sync()
        size = M // self.comm.size
        for rank, array in enumerate(self.arrays):
            target[rank * size : rank * size + size] = array[self.turn, self.comm.rank * size : self.comm.rank * size + size]
        self.turn = NEXT

    def free(self):
        self.window.Unlock_all()
        self.comm.Barrier()
        self.window.Free()


'''  # noqa: E501


def through_shared_memory(turn):
    return changed_once(
        TOGETHER.replace("exchange(plan.own, ", "plan.exchange("),
        (IMPORT, IMPORT + "from mpi4py import MPI\n"),
        (DEFINITION, SHARED.replace("NEXT", turn).lstrip() + DEFINITION),
        (MADE, "        self.exchange = Exchange(self.own)\n" + MADE),
        (
            "            self.own.Free()\n",
            "            self.exchange.free()\n            self.own.Free()\n",
        ),
    )


@pytest.mark.long
def test_shared_memory_with_two_buffers_and_one_barrier_an_exchange_is_right_but_no_alltoall():
    assert list(refuted(through_shared_memory("1 - self.turn"))) == ["cost"]


def test_shared_memory_that_is_written_again_too_soon_is_refused():
    found = refuted(through_shared_memory("0"))
    assert [(name, text.partition(":")[0]) for name, text in found.items() if name != "cost"] == [
        ("messages", "global concurrency")
    ]
