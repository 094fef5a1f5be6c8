"""A plan talks on a communicator of its own, belongs to one program, changes nothing else, and is
there on all ranks or on none.
"""

from __future__ import annotations

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from derive.formula.grammar import I, kron
from derive.formula.permutation_matrices import stride
from derive.formula.transforms import F, T
from tests.support.loaded import loaded
from tests.support.programs import fft, fht, hypercube, permute, spec_of
from tests.support.ranks import drive
from tests.support.worlds import run

pytestmark = pytest.mark.sampled(4)

COOLEY_TUKEY = kron(F(8), I(8)) @ T(64, 8) @ kron(I(8), F(8)) @ stride(64, 8)
SMALL = {
    "fft": lambda P: fft(64, P),
    "fft, pairwise": lambda P: fft(64, P, exchange="pairwise"),
    "fft, replace": lambda P: fft(64, P, exchange="replace"),
    "fft, nonblocking": lambda P: fft(64, P, exchange="nonblocking"),
    "fft, shared": lambda P: fft(64, P, exchange="shared"),
    "fft, shared, in rounds": lambda P: fft(64, P, "f:1", "f:3", "shared"),
    "fft, overlapped": lambda P: fft(64, P, "cyclic", "block", "overlapped"),
    "fft, within groups": lambda P: fft(64, P, "group-cyclic:2", "f:2"),
    "fft, pairwise, bit-reversed": lambda P: fft(
        64, P, "bit-reversed", "f:1", "pairwise", norm="ortho"
    ),
    "fft, by a formula": lambda P: emit(resolve(spec_of(COOLEY_TUKEY, P))),
    "fft, pyfftw": lambda P: fft(64, P, kernels="pyfftw"),
    **{
        f"hypercube, Prog. {scheme}": lambda P, scheme=scheme: hypercube(64, P, scheme)
        for scheme in "345"
    },
    "hypercube, Prog. 2": lambda P: hypercube(64, P, "2", after="block"),
    "fht": lambda P: fht(64, P),
    "fht, one exchange": lambda P: fht(64, P, "cyclic", algorithm="group-cyclic"),
    "fht, overlapped": lambda P: fht(64, P, exchange="overlapped"),
    "fht, to cyclic": lambda P: fht(64, P, "block", "cyclic", "pairwise", dtype="float32"),
    "fht, backward": lambda P: fht(64, P, "hartley", direction="backward"),
    "fht, half spectrum": lambda P: fht(64, P, result="dft"),
    "fht, power": lambda P: fht(64, P, result="power"),
    "fht, convolution": lambda P: fht(64, P, convolve=True),
    "permute": lambda P: permute("bit-reversal", 64, P),
    "permute, records": lambda P: permute(
        "gray-code", 64, P, "cyclic", "block", "pairwise", "i4,f8"
    ),
    "permute, shared": lambda P: permute("bit-reversal", 64, P, exchange="shared"),
}
"""Programs of 64 elements by the number of their ranks, in every form that talks in its own way."""
COMPILED = {
    "fft, numba": lambda P: fft(64, P, kernels="numba"),
    "fft, numba, shared": lambda P: fft(64, P, exchange="shared", kernels="numba"),
    "hypercube, numba": lambda P: hypercube(64, P, "5", kernels="numba"),
    "fht, numba": lambda P: fht(64, P, kernels="numba", convolve=True),
    "permute, numba": lambda P: permute("bit-reversal", 64, P, kernels="numba"),
    "permute, gray": lambda P: permute("bit-reversal", 64, P, kernels="gray"),
}


IMPORTED = """
import importlib
import pathlib
import sys

import numpy as np
from mpi4py import MPI

world, hook = MPI.COMM_WORLD, sys.excepthook
NAMES = sorted(path.stem for path in pathlib.Path().glob("program*.py"))


def vector(program, rank):
    \"\"\"Return random elements of a rank: small whole numbers, of any dtype.\"\"\"
    return np.random.default_rng(rank).integers(0, 100, program.M).astype(program.DTYPE)


def uses(program, x, plan):
    \"\"\"Return the bytes of all that a program computes; FFTW's plans round in one way or another, and that is left out.\"\"\"
    y = program.transform(x, plan)
    if program.KERNELS == "pyfftw":
        return (np.round(y, 6) + 0).tobytes()
    return y.tobytes() + (program.convolve(x, x[::-1], plan).tobytes() if hasattr(program, "convolve") else b"")


"""  # noqa: E501

BESIDE = (
    IMPORTED
    + """
def word(rank, program):
    return np.full(program.DTYPE.itemsize, rank + 1, np.uint8)


def wrong(program):
    \"\"\"Yield what a transform and the caller's messages do to each other.\"\"\"
    caller, x = world.Dup(), vector(program, world.rank)
    plan = program.plan(caller)
    wanted, others = uses(program, x, plan), [rank for rank in range(world.size) if rank != world.rank]
    sent = [caller.Isend(word(world.rank, program), rank, tag=77) for rank in others]
    if uses(program, x, plan) != wanted:
        yield "another result beside messages under way"
    for rank in others:
        got = word(-1, program)
        caller.Recv(got, rank, 77)
        if got[0] != rank + 1:
            yield f"the caller's message of rank {rank} is another one"
    MPI.Request.Waitall(sent)
    got, status = word(-1, program), MPI.Status()
    pending = caller.Irecv(got, MPI.ANY_SOURCE, MPI.ANY_TAG)
    if uses(program, x, plan) != wanted:
        yield "another result beside a receive of anything"
    if pending.Test():
        yield "a receive of the caller's has taken a message of the program's"
    caller.Barrier()
    before, after = (world.rank + step) % world.size, (world.rank - step) % world.size
    caller.Send(word(world.rank, program), before, tag=5)
    pending.Wait(status)
    if (got[0], status.source, status.tag) != (after + 1, after, 5):
        yield "the caller's receive has something else"
    if plan.comm is not caller:
        yield "plan.comm is not the communicator given to plan"
    caller.Free()
    if uses(program, x, plan) != wanted:
        yield "another result when the caller's communicator is freed"
    plan.free()
    if sys.excepthook is not hook:
        yield "planning sets sys.excepthook"


step = 1
for name in NAMES:
    print("".join(f"{name}: {words}\\n" for words in wrong(importlib.import_module(name))), end="")
"""  # noqa: E501
)


def assert_says_nothing(folder, script, P, texts):
    """Run a script on P ranks beside these programs; it prints what is wrong."""
    for i, text in enumerate(texts):
        (folder / f"program{i:02}.py").write_text(text, encoding="utf-8")
    done = drive(folder, script, P)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.long
@pytest.mark.parametrize("P", [2, 4])
def test_no_message_of_the_callers_meets_one_of_a_program(tmp_path, P):
    assert_says_nothing(tmp_path, BESIDE, P, [make(P) for make in SMALL.values()])


ELSEWHERE = (
    IMPORTED
    + """
def together(program, comm, plan):
    return comm.allgather(uses(program, vector(program, comm.rank), plan))


for name in NAMES:
    program = importlib.import_module(name)
    parts = [world, world.Split(0, -world.rank), world.Create_cart([world.size])]
    if program.P < world.size:
        parts = [world.Split(world.rank % 2, -world.rank), world.Split(world.rank // 2), world.Split(world.rank % 3 == 0, world.rank)]
    plans = [program.plan(comm) for comm in parts]
    wanted = together(program, parts[0], plans[0])
    for turn in (1, 2, 0, 2, 1):
        if together(program, parts[turn], plans[turn]) != wanted:
            print(name, "another result on communicator", turn)
    plans.pop(0).free()
    parts.pop(0)
    if any(together(program, comm, plan) != wanted for comm, plan in zip(parts, plans)):
        print(name, "another result when the plan on the first communicator is freed")
    for plan in plans:
        plan.free()
"""  # noqa: E501
)


@pytest.mark.long
@pytest.mark.parametrize("P", [2, 4])
def test_plans_live_side_by_side_on_reversed_communicators_and_on_parts_of_them(tmp_path, P):
    assert_says_nothing(tmp_path, ELSEWHERE, 4, [make(P) for make in SMALL.values()])


def on_ranks(P, text, body):
    """Return what body(rank, program, comm) does on ranks, each of which has loaded the program."""
    return run(P, lambda comm: body(comm.rank, loaded(text), comm))


def assert_refused(program, x, plan, words):
    with pytest.raises(ValueError, match=words):
        program["transform"](x, plan)


FOREIGN = r"plan must be made by plan\(comm\) of this program, and not be freed"
FREED = FOREIGN


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", SMALL)
def test_a_plan_of_another_program_or_none_or_a_freed_one_is_refused_before_any_message(name):
    text = SMALL[name](2)
    others = [
        text,
        *[
            loaded(other)
            for other in (fft(64, 2, direction="backward"), fft(64, 2, dtype="complex64"))
        ],
    ]

    def body(rank, program, comm):
        x = np.zeros(program["M"], program["DTYPE"])
        own, same = program["plan"](comm), loaded(text)
        foreign = [other["plan"](comm) for other in (same, *others[1:])]
        if rank == 0:  # alone: whoever communicated first would wait for the other
            for plan in (*foreign, None, program["plan"]):
                assert_refused(program, x, plan, FOREIGN)
        program["transform"](x, own)
        for plan in (own, *foreign):
            plan.free()
        if rank == 1:
            assert_refused(program, x, own, FREED)
        own.free()

    on_ranks(2, text, body)


class Broken(Exception):
    """What a rank cannot do."""


BROKEN = Broken("no memory")


def broken(*_, **__):
    raise BROKEN


PARTS = (
    "Rearrange",
    "Lines",
    "neighbours",
    "Rounds",
    "Local",
    "Overlapped",
    "Place",
    "Gather",
    "Exchange",
    "Transform",
    "Butterflies",
    "Across",
    "First",
    "Half",
    "Whole",
)
PARTS += (
    "Rest",
    "RestOfReal",
    "RestBack",
    "HalfBack",
    "WholeBack",
    "FirstBack",
    "Spectrum",
    "Pairs",
    "Cyclic",
    "tabulate",
    "alltoall",
    "rounds",
)
"""What a rank makes for itself, by names of which every program has some."""
KERNELS = ("prepare", "prepare_halves", "aligned")


def ends_of_plans(text, P, lame, part):
    """Return how planning ends on each rank where one cannot make this part; none is left open."""

    def body(rank, program, comm):
        if rank == lame:
            program[part] = broken
        try:
            program["plan"](comm).free()
        except program["Unusable"] as error:
            return repr(error)
        return "made"

    return tuple(on_ranks(P, text, body).results)


@pytest.mark.sampled(32)
@pytest.mark.parametrize("lame", [0, 1])
@pytest.mark.parametrize("name", {**SMALL, **COMPILED})
def test_where_one_rank_cannot_make_its_plan_none_has_one_and_nothing_is_left(name, lame):
    P, parts = (4, PARTS) if name in SMALL else (2, KERNELS)
    text = {**SMALL, **COMPILED}[name](P)
    program = loaded(text)
    ends = {ends_of_plans(text, P, lame, part) for part in parts if part in program}
    failed = (f"Unusable('rank {lame} cannot make its plan: {BROKEN}')",) * P
    assert failed in ends and ends <= {failed, ("made",) * P}


LAME = (
    IMPORTED
    + """
def broken(*_, **__):
    raise MemoryError("on one rank")


held = [world.Dup() for _ in range(1900)]  # of the 2048 communicators that MPICH has at once
for name in NAMES:
    program = importlib.import_module(name)
    for part in [part for part in ("Exchange", "Local", "Transform", "Rearrange", "neighbours", "prepare", "tabulate") if hasattr(program, part)][:1]:
        right, ends = getattr(program, part), set()
        if world.rank == 1:
            setattr(program, part, broken)
        for _ in range(200):  # more than there are communicators, so that none of these may be left
            try:
                program.plan(world)
            except RuntimeError as error:
                ends.add(str(error))
        if ends != {"rank 1 cannot make its plan: on one rank"}:
            print(name, ends)
        setattr(program, part, right)
        plan = program.plan(world)
        program.transform(vector(program, world.rank), plan)
        plan.free()
"""  # noqa: E501
)


@pytest.mark.long
@pytest.mark.parametrize(
    "forms", [("fft", "fft, shared"), ("hypercube, Prog. 3", "permute, records")], ids=", ".join
)
def test_on_real_ranks_none_waits_for_one_that_cannot_make_its_plan(tmp_path, forms):
    assert_says_nothing(tmp_path, LAME, 2, [SMALL[name](2) for name in forms])
