"""The emitted text: the same bytes for the same input, as long for any size, and true in what it
says of itself.
"""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from itertools import count as count_from

import numpy as np
import pytest

from codegen.cost.counted import count
from codegen.emit import straight
from codegen.emit.text import emit
from codegen.program.bits.bit_moves import Move
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.systems.exchanges import EXCHANGES
from codegen.systems.options import COMPLEX as DTYPES
from codegen.systems.options import DIRECTIONS, NORMS
from derive.call_arguments import counted
from derive.formula import affine_layouts
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from nodewright.runtime import launch
from tests.support.programs import build, module_of
from tests.support.strategies import layout_names
from tests.support.worlds import run

pytestmark = pytest.mark.sampled(8, rest="long")


def simulated(asked, x):
    """Return what a program's text makes of a vector on ranks in one process."""
    module = module_of(emit(resolve(asked)))
    j = np.arange(asked.N)
    (s, o), (t, q) = module.input_place(j), module.output_place(j)
    local = np.empty((asked.P, asked.M), module.DTYPE)
    local[s, o] = x

    def body(comm):
        plan = module.plan(comm)
        mine = local[comm.rank].copy()
        y = module.transform(mine, plan)
        assert np.array_equal(mine, local[comm.rank]), "the input has changed"
        plan.free()
        return y

    return np.array(run(asked.P, body).results)[t, q]


def random_vector(N, dtype):
    random = np.random.default_rng(N)
    return (random.standard_normal(N) + 1j * random.standard_normal(N)).astype(dtype)


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_choice_of_options_transforms_as_numpy_does(direction, norm, dtype, exchange):
    N, P = 64, 16
    x = random_vector(N, dtype)
    y = simulated(
        make_request(
            "fft", N, P, "block", "cyclic", exchange, direction=direction, norm=norm, dtype=dtype
        ),
        x,
    )
    want = {"forward": np.fft.fft, "backward": np.fft.ifft}[direction](x.astype(complex), norm=norm)
    assert y.dtype == dtype
    assert np.linalg.norm(y - want) <= 8 * np.log2(N) * np.finfo(dtype).eps * np.linalg.norm(want)


@pytest.mark.parametrize(("N", "P"), [(2**n, 2**p) for n in range(1, 6) for p in range(n)])
def test_every_small_size_transforms_from_every_layout(N, P):
    n, p = N.bit_length() - 1, P.bit_length() - 1
    x = random_vector(N, complex)
    want = np.fft.fft(x)
    for name in layout_names(n, p):
        y = simulated(make_request("fft", N, P, name, layout_names(n, p)[-1]), x)
        assert np.linalg.norm(y - want) <= 8 * n * np.finfo(float).eps * np.linalg.norm(want)


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("dtype", ["complex128", "float32", "int16", "S5", "i4,f8"])
@pytest.mark.parametrize(
    "name", ["bit-reversal", "vector-reversal", "transpose:2", "gray-code", "identity"]
)
def test_a_permutation_moves_elements_of_every_fixed_size(name, dtype, exchange):
    address = bmmc.named(name, 6)
    x = np.empty(64, dtype)
    x.view(np.uint8)[:] = np.random.default_rng(0).integers(0, 120, x.nbytes)
    y = simulated(
        make_request(
            "permute", 64, 8, "block", "block", exchange, Bmmc(address, name), dtype=dtype
        ),
        x,
    )
    assert y[address(np.arange(64))].tobytes() == x.tobytes()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"exchange": "pairwise"},
        {"direction": "backward", "norm": "ortho", "dtype": "complex64"},
    ],
)
def test_the_same_input_gives_the_same_bytes(options):
    texts = {
        emit(resolve(make_request("fft", 256, 32, "group-cyclic:4", "f:2", **options)))
        for _ in range(3)
    }
    assert len(texts) == 1


@pytest.mark.long
def test_another_process_writes_the_same_bytes():
    imports = (
        "from codegen.emit.text import emit; from codegen.program.resolve import resolve;"
        " from codegen.requests import make_request"
    )
    asked = "make_request('fft', 256, 32, 'cyclic', 'bit-reversed')"
    call = f"{imports}; print(emit(resolve({asked})), end='')"
    texts = [
        subprocess.run(
            [sys.executable, "-c", call],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in "12"
    ]
    assert (
        texts[0]
        == texts[1]
        == emit(resolve(make_request("fft", 256, 32, "cyclic", "bit-reversed")))
    )


def with_calls_counted(make):
    """Return what a function returns, and how many calls of functions that took: its time, on every
    machine and under any load.
    """
    calls = count_from(0)
    sys.setprofile(lambda frame, event, argument: next(calls) if event == "call" else None)
    try:
        made = make()
    finally:
        sys.setprofile(None)
    return made, next(calls)


@pytest.mark.sampled(4)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(
    ("before", "after"), [("block", "block"), ("cyclic", "cyclic"), ("bit-reversed", "f:0")]
)
def test_a_program_for_a_million_ranks_is_as_long_and_as_quickly_made_as_a_small_one(
    before, after, exchange
):
    lengths = []
    for N, P in ((2**10, 2**5), (2**30, 2**15), (2**40, 2**20)):
        text, calls = with_calls_counted(
            lambda N=N, P=P: emit(resolve(make_request("fft", N, P, before, after, exchange)))
        )
        assert calls < 500_000
        lengths.append(text.count("\n"))
    # At 2^15 points a rank does each large transform in two steps, and at 2^20 it rearranges
    # them in strips or tiles, all that replace exchanges among them.
    in_tiles = before == "bit-reversed" or exchange == "replace"
    assert 0 <= lengths[1] - lengths[0] < 20
    assert 0 <= lengths[2] - lengths[1] < (40 if in_tiles else 3)


def test_importing_a_program_starts_nothing(tmp_path):
    (tmp_path / "program.py").write_text(
        emit(resolve(make_request("fft", 16, 4))), encoding="utf-8"
    )
    call = (
        "import sys, program; print('mpi4py' in sys.modules, [name for name in sys.modules if"
        " name.startswith(('derive', 'codegen', 'nodewright'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", call], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("False []\n", "")


def test_a_program_imports_the_standard_library_numpy_and_mpi4py_only():
    for text in (
        emit(resolve(make_request("fft", 16, 4))),
        emit(
            resolve(
                make_request(
                    "permute", 16, 4, permutation=Bmmc(bmmc.bit_reversal(4), "bit-reversal")
                )
            )
        ),
    ):
        imported = {
            name.partition(".")[0]
            for node in ast.walk(ast.parse(text))
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert imported - sys.stdlib_module_names == {"numpy", "mpi4py"}


@pytest.mark.parametrize(
    ("before", "after", "dtype"),
    [("block", "cyclic", "complex128"), ("f:1", "group-cyclic:2", "complex64")],
)
def test_a_program_has_its_constants(tmp_path, before, after, dtype):
    text = emit(resolve(make_request("fft", 64, 4, before, after, dtype=dtype)))
    module = module_of(text)
    assert (module.N, module.P, module.INPUT, module.OUTPUT, module.DTYPE) == (
        64,
        4,
        before,
        after,
        np.dtype(dtype),
    )
    assert all(callable(getattr(module, name)) for name in launch.FUNCTIONS)
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    assert launch.constants_of(tmp_path / "program.py") == {
        **launch.constants_of(tmp_path / "program.py"),
        "N": 64,
        "P": 4,
        "DTYPE": dtype,
    }


@pytest.mark.parametrize("name", layout_names(6, 3))
def test_places_are_those_of_the_layouts_for_integers_and_for_arrays(name):
    for before, after in ((name, "block"), ("block", name)):
        program = build("fft", 64, 8, before, after)
        module = module_of(emit(program))
        for place, where in (
            (module.input_place, program.input),
            (module.output_place, program.output),
        ):
            assert [place(j) for j in range(64)] == [where.place(j) for j in range(64)]
            for dtype in (np.int64, np.int32):
                found = place(np.arange(64, dtype=dtype).reshape(8, 8))
                assert np.array_equal(found, where.place(np.arange(64).reshape(8, 8)))
            assert place(np.int64(37)) == where.place(37)


def test_places_of_the_largest_programs_are_exact():
    module = module_of(emit(resolve(make_request("fft", 2**40, 2**20, "cyclic", "bit-reversed"))))
    j = 2**40 - 3
    assert module.input_place(j) == (j % 2**20, j // 2**20)
    assert module.output_place(1) == (2**19, 0)
    assert [int(part[0]) for part in module.input_place(np.array([j]))] == [j % 2**20, j // 2**20]


STRANGE = 'a "quoted" \\name,\n import of\'\'\' """ 100 % {{ x }}.txt'


def test_names_of_files_are_stated_whatever_they_hold(nodewright, tmp_path):
    gray = Affine(bmmc.gray_code(4).columns, 4)

    def specs(name):
        path = tmp_path / name
        path.write_text("1100\n0110\n0011\n0001\n", encoding="utf-8")
        permutation = Bmmc(gray, str(path))
        yield make_request("fft", 16, 4, f"bmmc:{path}", "block")
        yield make_request("permute", 16, 4, "block", f"bmmc:{path}", permutation=permutation)

    for asked, plain in zip(specs(STRANGE), specs("plain.txt"), strict=True):
        text = emit(resolve(asked))
        module = module_of(text)
        assert [module.INPUT, module.OUTPUT] == [asked.input, asked.output]
        place = module.input_place if asked.system == "fft" else module.output_place
        assert [place(j) for j in range(16)] == [divmod(j ^ j >> 1, 4) for j in range(16)]
        assert text.count("\n") == emit(resolve(plain)).count("\n")
        stated = (
            ast.get_docstring(ast.parse(text), clean=False)
            .split("Made by nodewright generate ")[1]
            .split("\n\n    mpiexec")[0]
        )
        assert written(nodewright, "generate", *shlex.split(stated)) == text


def test_a_complement_is_in_the_text():
    where = affine_layouts.bmmc(16, 4, Affine((1, 2, 4, 8), 4, 9))
    module = module_of(emit(replace(build("fft", 16, 4), input=where)))
    assert [module.input_place(j) for j in range(16)] == [divmod(j ^ 9, 4) for j in range(16)]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [({"dtype": "float64"}, "unknown dtype 'float64': choose from complex128, complex64")],
)
def test_other_options_are_refused(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        emit(resolve(make_request("fft", 16, 4, **options)))


@pytest.mark.parametrize(
    ("dtype", "complaint"),
    [
        ("object", "dtype must have a fixed size and no shape"),
        ("S", "dtype must have a fixed size and no shape"),
        ("complexity", "unknown dtype 'complexity'"),
    ],
)
def test_elements_without_a_fixed_size_are_refused(dtype, complaint):
    with pytest.raises(ValueError, match=complaint):
        emit(
            resolve(
                make_request(
                    "permute",
                    16,
                    4,
                    permutation=Bmmc(bmmc.bit_reversal(4), "bit-reversal"),
                    dtype=dtype,
                )
            )
        )


PROGRAMS = [
    (("fft", 16, 4), {}),
    (
        ("fft", 64, 8, "cyclic", "group-cyclic:2"),
        {"direction": "backward", "norm": "ortho", "dtype": "complex64"},
    ),
    (("fft", 2**40, 2**20, "bit-reversed", "f:3", "pairwise"), {}),
    (
        (
            "permute",
            64,
            8,
            "block",
            "cyclic",
            "replace",
            Bmmc(bmmc.named("transpose:2", 6), "transpose:2"),
        ),
        {"dtype": "i4,f8"},
    ),
    (
        (
            "permute",
            64,
            8,
            "block",
            "block",
            "alltoall",
            Bmmc(Affine(bmmc.gray_code(6).columns, 6, 5), "gray-code"),
        ),
        {},
    ),
]


def written(nodewright, *words):
    """Return what a command writes to standard output, in this process; of a large program it also
    says that `certify` will not decide it.
    """
    status, out, err = nodewright(*words)
    assert (
        status,
        re.sub(r"nodewright: certify will leave this program undecided: .*\n", "", err),
    ) == (0, "")
    return out


@pytest.mark.parametrize(("arguments", "options"), PROGRAMS)
def test_the_command_that_a_program_states_writes_it_again(nodewright, arguments, options):
    asked = make_request(*arguments, **options)
    text = emit(resolve(asked))
    stated = re.search(
        r"^Made by (nodewright generate .*)$",
        ast.get_docstring(ast.parse(text), clean=False),
        re.MULTILINE,
    )[1]
    assert stated in (command(asked), f"{command(asked)} --exchange pairwise")  # one message a rank
    assert written(nodewright, *shlex.split(stated)[1:]) == text


@pytest.mark.long
def test_the_stated_command_writes_the_program_in_a_process_of_its_own():
    text = emit(resolve(make_request("fft", 64, 8, "cyclic", "f:1", norm="ortho")))
    words = shlex.split(re.search(r"Made by (nodewright generate .*)", text)[1])
    call = [sys.executable, "-c", "from nodewright.cli.app import main; main()", *words[1:]]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout == text


@pytest.mark.parametrize(("arguments", "options"), PROGRAMS)
def test_the_head_states_what_the_program_costs_and_where_its_data_lives(arguments, options):
    program = build(*arguments, **options)
    head = ast.get_docstring(ast.parse(emit(program)), clean=False)
    cost = count(program)
    assert (
        f"{counted(cost.messages, 'message')} and {counted(cost.words, 'word')} sent by a rank in"
        f" {counted(cost.exchanges, 'exchange')}, {counted(cost.flops, 'flop')}" in head
    )
    assert f"Input   {program.input.name}: " in head
    assert f"Output  {program.output.name}: " in head
    assert str(program.equation) in head
    assert f"mpiexec -n {program.P} python" in head


@pytest.mark.parametrize(("arguments", "options"), PROGRAMS)
def test_every_emitted_line_is_free_of_trailing_blanks(arguments, options):
    text = emit(resolve(make_request(*arguments, **options)))
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    assert text.endswith("\n") and not text.endswith("\n\n")
    assert "{{" not in text and "{%" not in text


class Alone:
    """A communicator of one rank that stays alone: what it sends, it receives."""

    def __init__(self, size, rank=0):
        self.size, self.rank, self.freed = size, rank, False

    def __bool__(self):
        return not self.freed

    def Split(self, *_):
        return type(self)(self.size, self.rank)

    Dup = Split

    def Free(self):
        self.freed = True

    def Is_inter(self):
        return False

    def allgather(self, thing):
        return [thing]

    def Alltoall(self, source, target):
        np.copyto(target, source)

    def Alltoallv(self, source, target):
        np.copyto(target[0], source[0])

    def Sendrecv(self, sent, to, recvbuf, source):
        np.copyto(recvbuf, sent)

    def Sendrecv_replace(self, *_, **__):
        pass

    def Irecv(self, *_):
        return self

    Isend = Irecv

    def Wait(self):
        pass


def memory_of(make):
    """Return what a function returns, the bytes of it that stay, and the most that there were
    meanwhile.
    """
    tracemalloc.start()
    try:
        made = make()
        return made, *tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def tables_of(plan):
    """Return the arrays that a plan holds beside its work array, those of its tiles included."""

    def arrays(value):
        if isinstance(value, list | tuple):
            return [array for entry in value for array in arrays(entry)]
        if type(value).__name__ == "Tiles":
            return arrays(list(vars(value).values()))
        return [value] if isinstance(value, np.ndarray) else []

    return arrays([value for name, value in vars(plan).items() if name != "work"])


SIX = Affine((36, 31, 26, 41, 56, 10), 6, 41)
STRUCTURELESS = Affine(
    (
        *(column << 15 | 21 << k for k, column in enumerate(SIX.columns)),
        *(1 << k for k in range(15)),
    ),
    21,
    77,
)
"""A nonsingular matrix of 21 bits that is no transpose, and moves offset bits and rank bits into
each other.
"""

BIG = {
    "block": ("fft", 2**20, 4, "block", "block", "complex128"),
    "cyclic": ("fft", 2**20, 4, "cyclic", "cyclic", "complex128"),
    "single precision": ("fft", 2**20, 4, "cyclic", "cyclic", "complex64"),
    "gathers": ("fft", 2**20, 4, "bit-reversed", "f:1", "complex128"),
    "as many rounds as elements": ("fft", 2**35, 2**18, "block", "f:3", "complex128"),
    "a permutation": ("permute", 2**21, 8, "block", "block", "complex128"),
    "a permutation of bytes": ("permute", 2**21, 8, "cyclic", "block", "uint8"),
    "a permutation of records": ("permute", 2**21, 8, "block", "f:4", "i4,f8"),
}


@pytest.mark.sampled(32, rest="long")
@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("name", BIG)
def test_a_rank_needs_two_arrays_beyond_input_and_output_and_tables_of_m_entries(name, exchange):
    system, N, P, before, after, dtype = BIG[name]
    moved = Bmmc(STRUCTURELESS, "structureless") if system == "permute" else None
    module = module_of(
        emit(resolve(make_request(system, N, P, before, after, exchange, moved, dtype=dtype)))
    )
    array, piece = module.M * module.DTYPE.itemsize, 16 * module.PIECE * 8
    plan, kept, peak = memory_of(lambda: module.plan(Alone(P, P - 2)))
    tables = tables_of(plan)
    assert max(map(len, tables), default=0) <= module.M
    assert kept <= array + sum(table.nbytes for table in tables) + piece
    assert peak <= kept + piece
    x, out = np.zeros(module.M, module.DTYPE), np.zeros(module.M, module.DTYPE)
    _, _, more = memory_of(lambda: module.transform(x, plan, out=out))
    rounds = max((len(plan.peers[0]) for _ in range(hasattr(plan, "peers"))), default=0)
    # of a round two, listed in 8 bytes each, and some in stock
    requests = 20 * rounds if exchange == "nonblocking" else 0
    assert more <= array + piece + requests


NEW_RESULTS = {"arrays(x, plan, out)": "numpy", "arrays(x, plan, out, aligned)": "numba"}
"""How transforms begin, and kernels with which they do where arrays are large."""


def beginning(first, N, P, monkeypatch):
    """Return a program of small arrays whose transform begins as that of large ones does."""
    monkeypatch.setattr(straight, "ON_LINES_FROM", 1)
    text = emit(resolve(make_request("fft", N, P, kernels=NEW_RESULTS[first])))
    assert f"    x, out = {first}\n" in text
    return module_of(text)


class Unreachable(Alone):
    """A communicator on which no message can be sent."""

    Alltoall = Alltoallv = Sendrecv = Irecv = Isend = None


def ready(N=64, P=4, **options):
    """Return a program of which no rank can be reached, its plan on rank 1, and an input."""
    module = module_of(emit(resolve(make_request("fft", N, P, **options))))
    return module, module.plan(Unreachable(P, 1)), np.ones(module.M, module.DTYPE)


WANTED = "must be an array of complex128 with shape (16,); got"
OVERLAPS = "out must not share memory with x: give another array, or no out"
FLAGS = "out must be contiguous, aligned and writeable; this one is not"


def unaligned(count):
    """Return complex numbers that begin one byte after where their type wants them."""
    return np.zeros(16 * count + 16, np.uint8)[1 : 1 + 16 * count].view(complex)


NO_INPUT_OR_OUTPUT = {
    "x is a list": (
        lambda x: (x.tolist(), None),
        f"x {WANTED} complex128 (16,) in a list: use np.asarray",
    ),
    "x is a list of other numbers": (
        lambda x: ([1.0] * 16, None),
        f"x {WANTED} float64 (16,) in a list: use np.asarray",
    ),
    "x is None": (lambda x: (None, None), f"x {WANTED} object () in a NoneType: use np.asarray"),
    "x is a text": (lambda x: ("x", None), f"x {WANTED} <U1 () in a str: use np.asarray"),
    "x is too long": (lambda x: (np.ones(17, complex), None), f"x {WANTED} complex128 (17,)"),
    "out is a list": (
        lambda x: (x, x.tolist()),
        f"out {WANTED} complex128 (16,) in a list: use np.asarray",
    ),
    "out is a number": (
        lambda x: (x, 1j),
        f"out {WANTED} complex128 () in a complex: use np.asarray",
    ),
    "out is too short": (lambda x: (x, np.ones(15, complex)), f"out {WANTED} complex128 (15,)"),
    "out is of another dtype": (lambda x: (x, np.ones(16)), f"out {WANTED} float64 (16,)"),
    "out is x": (lambda x: (x, x), OVERLAPS),
    "out is a view of x": (lambda x: (x, x[:]), OVERLAPS),
    "out begins within x": (
        lambda x: (lambda both: (both[:16], both[15:]))(np.ones(31, complex)),
        OVERLAPS,
    ),
    "x has gaps, with out in them and beyond": (
        lambda x: (lambda both: (both[::2], both[15:31]))(np.ones(32, complex)),
        OVERLAPS,
    ),
    "out has gaps": (lambda x: (x, np.ones(32, complex)[::2]), f"{FLAGS} contiguous"),
    "out is read-only": (lambda x: (x, np.frombuffer(bytes(256), complex)), f"{FLAGS} writeable"),
    "out is unaligned": (lambda x: (x, unaligned(16)), f"{FLAGS} aligned"),
    "out has gaps and is read-only": (
        lambda x: (x, np.frombuffer(bytes(512), complex)[::2]),
        f"{FLAGS} contiguous and not writeable",
    ),
    "out is a masked array": (
        lambda x: (x, np.ma.ones(16, complex)),
        "out must be a plain numpy array, not of a class derived from it",
    ),
    "out runs backward": (lambda x: (x, np.ones(16, complex)[::-1]), f"{FLAGS} contiguous"),
}


@pytest.mark.parametrize("first", NEW_RESULTS)
def test_what_cannot_be_transformed_or_filled_is_refused_before_any_message(first, monkeypatch):
    module = beginning(first, 64, 4, monkeypatch)
    plan = module.plan(Unreachable(4, 1))
    for make, words in NO_INPUT_OR_OUTPUT.values():
        given, out = make(np.ones(16, complex))
        with pytest.raises(ValueError, match=re.escape(words) + "$"):
            module.transform(given, plan, out=out)


@pytest.mark.parametrize("first", NEW_RESULTS)
def test_arrays_are_taken_as_they_are_or_copied_and_results_are_new(first, monkeypatch):
    module = beginning(first, 64, 1, monkeypatch)
    plan, new = module.plan(Alone(1)), getattr(module, "aligned", np.empty)
    x, both = random_vector(64, complex), np.ones(128, complex)
    turned = unaligned(64)
    turned[:] = x
    for given, is_copied in [(x, False), (both[:64], False), (both[::2], True), (turned, True)]:
        taken, out = module.arrays(given, plan, None, new)
        assert taken.flags.carray
        assert np.array_equal(taken, given)
        assert np.shares_memory(taken, given) != is_copied
        assert (type(out), out.dtype, out.shape, out.flags.carray) == (
            np.ndarray,
            complex,
            (64,),
            1,
        )
        assert not np.shares_memory(out, given)
        assert new is np.empty or out.ctypes.data % 64 == 0
        assert module.arrays(given, plan, out, new)[1] is out


@pytest.mark.parametrize("first", NEW_RESULTS)
def test_arrays_of_every_kind_are_taken(first, tmp_path, monkeypatch):
    module = beginning(first, 64, 1, monkeypatch)
    plan, x = module.plan(Alone(1)), random_vector(64, complex)
    np.save(tmp_path / "x.npy", x)
    want = module.transform(x, plan)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    strided = np.repeat(x, 2)[::2]
    turned = unaligned(64)
    turned[:] = x
    for given in (mapped, strided, x[::-1][::-1], turned):
        assert np.array_equal(module.transform(given, plan), want)
    both = np.empty(128, complex)
    both[:64] = x
    module.transform(both[:64], plan, out=both[64:])
    assert np.array_equal(both, np.concatenate([x, want]))


def test_a_plan_that_is_freed_is_refused():
    module, plan, x = ready()
    plan.free()
    plan.free()
    with pytest.raises(ValueError, match=r"plan must be made by plan\(comm\)"):
        module.transform(x, plan)


@pytest.mark.parametrize(
    ("wrong", "value"),
    [
        (64, "64"),
        (-1, "-1"),
        (1.5, "1.5"),
        (2**63, str(2**63)),
        (2**70, str(2**70)),
        (True, "True"),
        (None, "None"),
        ("one", "one"),
        ([3, 70, -2], "70"),
        ([[0, 63], [-5, 1]], "-5"),
        ([1.0, 2.0], "1.0"),
        (np.uint64(2**63 + 1), str(2**63 + 1)),
        (np.array([5, 100], np.int8), "100"),
    ],
)
def test_an_index_of_no_element_is_refused_with_the_range(wrong, value):
    module = module_of(emit(resolve(make_request("fft", 64, 4))))
    for place in (module.input_place, module.output_place):
        with pytest.raises(
            ValueError, match=re.escape(f"index {value}: indices are integers from 0 to 63")
        ):
            place(wrong)


def test_no_index_has_no_place():
    module = module_of(emit(resolve(make_request("fft", 64, 4))))
    assert [part.shape for part in module.input_place([])] == [(0,), (0,)]


def test_a_layout_that_permutes_bits_is_one_of_digits_under_any_name(tmp_path):
    """Nothing moves for it, as a comment says, in one line."""
    texts = []
    for name in (STRANGE, "plain.txt"):
        (tmp_path / name).write_text("0100\n1000\n0001\n0010\n", encoding="utf-8")
        asked = make_request("fft", 16, 4, f"bmmc:{tmp_path / name}", "cyclic")
        assert not any(isinstance(step, Move) for step in resolve(asked).steps)
        texts.append(emit(resolve(asked)))
    assert texts[0].count("\n") == texts[1].count("\n")
    assert all("nothing moves" in text for text in texts)
