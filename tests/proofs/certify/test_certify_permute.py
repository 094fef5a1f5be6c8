"""Certification of emitted permutations, of numba texts, and of texts that look behind the
evaluation.
"""

import ast
from functools import cache, partial
from itertools import count, takewhile

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive import verdict as kind
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from proofs.certify.checks.suite import tried
from proofs.certify.failures import NotModelled
from proofs.certify.program import certify
from proofs.certify.scripts.declared_options import WITH_NUMBA
from tests.support.changes import changed, only_longer
from tests.support.judged import refuted, verdicts
from tests.support.lines import END
from tests.support.programs import headless

pytestmark = pytest.mark.sampled(32)

RANDOM = Affine((36, 31, 26, 41, 56, 10), 6, 41)
"""A nonsingular matrix without structure, and a complement."""


@cache
def text(
    N=64,
    P=8,
    name="bit-reversal",
    input="block",
    output="block",
    exchange="alltoall",
    dtype="float64",
):
    address = RANDOM if name == "random" else bmmc.named(name, N.bit_length() - 1)
    return emit(
        resolve(
            make_request("permute", N, P, input, output, exchange, Bmmc(address, name), dtype=dtype)
        )
    )


ROUNDS = partial(text, name="random", exchange="pairwise")
TAKE = 'np.take(work, plan.offsets_2, out=out, mode="clip")'

PROGRAMS = {
    "bit reversal": lambda: text(1024, 4),
    "a matrix without structure": lambda: text(name="random"),
    "pairwise": ROUNDS,
    "replaced": lambda: text(name="random", exchange="replace"),
    "nonblocking": lambda: text(name="random", exchange="nonblocking"),
    "records": lambda: text(dtype="i4,f8"),
    "records in rounds": lambda: text(name="random", exchange="pairwise", dtype="i4,f8"),
    "records replaced": lambda: text(name="random", exchange="replace", dtype="i4,f8"),
    "records, nonblocking": lambda: text(name="random", exchange="nonblocking", dtype="i4,f8"),
    "texts": lambda: text(dtype="S5"),
    "complex": lambda: text(dtype="complex128"),
    "integers": lambda: text(name="random", dtype="int64"),
    "truth values": lambda: text(dtype="bool"),
    "cyclic": lambda: text(256, 8, "transpose:3", "cyclic", "cyclic"),
    "several layouts": lambda: text(256, 8, "gray-code", "group-cyclic:2", "f:1"),
    "what the layouts undo": lambda: text(256, 8, "bit-reversal", "bit-reversed", "block"),
    "a complement": lambda: text(256, 16, "vector-reversal", dtype="f4"),
    "one rank": lambda: text(64, 1, "random"),
    "one rank, nothing to do": lambda: text(64, 1, "identity"),
    "an element a rank": lambda: text(64, 64, "random"),
    "two elements": lambda: text(2, 2, "vector-reversal"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_emitted_permutation_is_certified(name):
    found = verdicts(PROGRAMS[name]())
    assert [str(verdict) for verdict in found.values() if not kind.holds(verdict)] == []
    assert list(found) == ["layout", "messages", "function", "cost", "contract", "bytes", "main"]
    assert found["function"].error == found["contract"].error == 0
    assert isinstance(found["bytes"], kind.Tested)


EQUIVALENT = {
    "an index array": lambda: changed(ROUNDS(), (TAKE, "out[:] = work[plan.offsets_2]")),
    "scattered": lambda: changed(ROUNDS(), (TAKE, "out[np.argsort(plan.offsets_2)] = work")),
    "one by one": lambda: changed(
        ROUNDS(), (TAKE, "for i, j in enumerate(plan.offsets_2):\n    out[i] = work[j]")
    ),
    "by numbers of their own": lambda: changed(
        ROUNDS(),
        (
            END,
            (
                "    first, second = out[0], out[1]\n    out[0] = second\n    out[1] = first\n   "
                " out[0], out[1] = out[1], out[0]\n    return out\n"
            ),
        ),
    ),
}


@pytest.mark.sampled(32)
@pytest.mark.long
@pytest.mark.parametrize("name", EQUIVALENT)
def test_an_equivalent_permutation_is_certified(name):
    assert refuted(EQUIVALENT[name]()) == {}


OWN = ("Plan", "transform", "input_place", "input_index", "output_place", "output_index")


def with_another_number(program, k):
    """Return the program with the k-th number of its places, plan and supersteps one larger, None
    where it has not so many. Any other number is as good a color for a group of ranks.
    """
    tree = ast.parse(program)
    parts = [
        node
        for node in tree.body
        if getattr(node, "name", "") in OWN or ast.unparse(node).startswith("A, C =")
    ]
    within = [node for part in parts for node in ast.walk(part)]
    colors = [
        set(ast.walk(node)) for node in within if ast.unparse(node).startswith("self.own.Split(")
    ]
    numbers = [
        node
        for node in within
        if isinstance(node, ast.Constant)
        and type(node.value) is int
        and not any(node in color for color in colors)
        and node not in only_longer(tree)
    ]
    if k >= len(numbers):
        return None
    numbers[k].value += 1
    return ast.unparse(tree)


@pytest.mark.long
@pytest.mark.parametrize("form", ["alltoall", "pairwise", "replace"])
def test_no_number_of_the_tables_can_be_changed(form):
    program = text(
        16, 4, "gray-code" if form == "replace" else "bit-reversal", "cyclic", "f:1", form, "f4"
    )
    mutants = list(takewhile(bool, (with_another_number(program, k) for k in count())))
    assert len(mutants) > 15
    assert [k for k, mutant in enumerate(mutants) if not refuted(mutant)] == []


@pytest.mark.long
def test_a_layout_whose_file_is_gone_is_said_in_one_line(tmp_path):
    file = tmp_path / "matrix.txt"
    file.write_text("\n".join("".join("01"[i + j == 5] for j in range(6)) for i in range(6)))
    program = text(input=f"bmmc:{file}")
    assert refuted(program) == {}
    assert "input: A = (32, 16, 8, 4, 2, 1)" in verdicts(program)["layout"].statement
    file.unlink()
    with pytest.raises(
        ValueError, match=r"matrix.txt': No such file or directory: this file has the bit matrix of"
    ):
        tried("prog.py", program, 0)


@pytest.mark.long
def test_the_certificate_of_a_permutation_is_written(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(text(dtype="i4,f8"))
    certificate = certify(path)
    assert certificate.holds
    assert certificate.declared["A"] == [32, 16, 8, 4, 2, 1]
    assert WITH_NUMBA not in certificate.assumed


KERNEL = """
@njit(cache=True)
def gather(y, x, index):
    buffer = np.empty(2, DTYPE)
    for i in prange(len(index) // 2):
        for j in range(2):
            buffer[j] = x[index[2 * i + j]]
        y[2 * i : 2 * i + 2] = buffer[0:2]


def rounds(comm, peers, source, target):
"""


def with_kernels():
    return changed(
        headless(ROUNDS()),
        ("import numpy as np\n", "import numpy as np\nfrom numba import njit, prange\n"),
        ('KERNELS, EXCHANGE = "numpy", "pairwise"', 'KERNELS, EXCHANGE = "numba", "pairwise"'),
        ("def rounds(comm, peers, source, target):", KERNEL),
        (TAKE, "gather(out, work, plan.offsets_2)"),
    )


def test_records_that_are_sent_as_records_are_not_modelled():
    records = text(name="random", exchange="pairwise", dtype="i4,f8")
    with pytest.raises(
        NotModelled, match=r"\[\('f0', '<i4'\), \('f1', '<f8'\)\] has no type of MPI in mpi4py"
    ):
        verdicts(changed(records, ("source[part].view(np.uint8)", "source[part]")))


NUMBA = {
    "as a module": (
        ("from numba import njit, prange", "import numba\nfrom numba import njit"),
        ("for i in prange(len(index) // 2):", "for i in numba.prange(len(index) // 2):"),
    ),
    "without arguments": (("njit(cache=True)", "njit"),),
    "with a signature": (
        ("njit(cache=True)", 'njit("void(f8[:], f8[:], i8[:])", fastmath=False)'),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", NUMBA)
def test_numba_may_be_imported_and_called_in_its_ways(form):
    assert refuted(changed(with_kernels(), *NUMBA[form])) == {}


def test_numba_that_is_not_declared_is_an_error():
    with pytest.raises(ValueError, match=r"KERNELS = 'numpy' and imports .*numba"):
        tried(
            "prog.py",
            changed(
                with_kernels(),
                (
                    'KERNELS, EXCHANGE = "numba", "pairwise"',
                    'KERNELS, EXCHANGE = "numpy", "pairwise"',
                ),
            ),
            0,
        )


def test_what_numba_has_besides_is_refused():
    with pytest.raises(NotModelled, match=r"numba\.vectorize is not in the language"):
        tried(
            "prog.py",
            changed(
                with_kernels(),
                ("njit(cache=True)", "numba.vectorize"),
                ("from numba import njit, prange", "import numba\nfrom numba import njit, prange"),
            ),
            0,
        )


@pytest.mark.long
@pytest.mark.parametrize("dtype", [">i4", ">i4,<f8"])
def test_numbers_with_their_bytes_in_the_other_order_are_certified(dtype):
    found = tried("prog.py", text(dtype=dtype), 0).verdicts
    assert not [name for name, verdict in found.items() if isinstance(verdict, kind.Refuted)]
    assert isinstance(found["bytes"], kind.Tested)
