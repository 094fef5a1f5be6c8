"""Edits that people make, judged by the stage at stake: right ones are not refuted, what is not
modelled says so, what real ranks refuse is wrong.
"""

import contextlib
import copy
import json
from functools import cache

import pytest

from codegen.emit.text import emit
from codegen.mpi.faults import NotModelled
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.verdict import Checked, Refuted
from proofs.certify.certificate import Certificate
from proofs.certify.checks.costs import cost
from proofs.certify.checks.permutation import moved_once
from proofs.certify.failures import Wrong
from tests.support.changes import changed_once
from tests.support.in_process import once, right, workers_of
from tests.support.lines import IMPORT, START
from tests.support.paths import ROOT
from tests.support.programs import small as fft

pytestmark = pytest.mark.sampled(8)


def at_start(line):
    return changed_once(
        fft(), (START, f"{START}    {line}\n"), (IMPORT, IMPORT + "from mpi4py import MPI\n")
    )


MODELLED = {
    "an array of single elements": "x = np.array([x[j] for j in range(M)])",
    "an array of two halves": "x = np.array([x[: M // 2], x[M // 2 :]]).reshape(-1)",
    "an array of a type": "x = np.array(x, dtype=DTYPE)",
    "asarray of a type": "x = np.asarray(x, DTYPE)",
    "a copy that is asked for": "x = np.array(x, copy=True)",
    "asarray of what is not contiguous": "x = np.asarray(x[::-1])[::-1].copy()",
    "columns first": "x = x.reshape(2, -1, order='F').reshape(-1, order='F')",
    "an array in columns": (
        "y = np.empty((2, M // 2), DTYPE, order='F'); y[...] = x.reshape(2, -1); x = y.reshape(-1)"
    ),
    "a list that goes through an array in columns": (
        "y = np.zeros((2, M // 2), DTYPE, 'F'); y.T.reshape(-1)[:] = x; x = y.T.reshape(-1).copy()"
    ),
    "asarray in rows": "x = np.asarray(x, order='C')",
    "what is required": "x = np.require(x, DTYPE, ['C', 'A'])",
    "halves stacked": "x = np.vstack(np.split(x, 2)).reshape(-1)",
    "halves side by side": "x = np.hstack(np.array_split(x, 2))",
    "an array full of zeros": "y = np.full(M, 0, DTYPE); y += x; x = y",
    "a list of objects": (
        "y = np.empty(2, object); y[0], y[1] = x[: M // 2], x[M // 2 :]; x ="
        " np.concatenate(list(y))"
    ),
    "tables of repeated numbers": "x = x * np.repeat(np.ones(2), M // 2)",
    "its type": "(isinstance(x, np.ndarray)) or 1 / 0",
    "flags of columns": "(x.flags.f_contiguous) or 1 / 0",
    "a communicator that is one": (
        "(plan.comm == plan.comm and plan.comm != MPI.COMM_NULL and plan.comm) or 1 / 0"
    ),
}
NOT_MODELLED = {
    "another shape": "y = x.copy(); y.shape = (2, -1); x = y.reshape(-1)",
    "elements one by one": "y = np.empty(M, DTYPE); y.flat = x; x = y",
    "strides": "(x.strides == (DTYPE.itemsize,)) or 1 / 0",
    "a padded transform": "x = np.fft.ifft(np.fft.fft(x, n=2 * M), n=2 * M)[:M]",
    "where": "x = np.where(np.arange(M) >= 0, x, 0)",
    "a number of Python": "y = x.copy(); y[0] = complex(x[0]); x = y",
    "an item": "y = x.copy(); y[0] = x[0].item(); x = y",
    "memory of bytes": "y = np.frombuffer(bytearray(16 * M), DTYPE); y[:] = x; x = y",
    "an array of records": "y = np.empty(M, [('a', DTYPE)]); y['a'] = x; x = y['a'].copy()",
    "whether it is a number": "(not isinstance(x[0], float)) or 1 / 0",
    "a copy by a module": "import copy; x = copy.deepcopy(x)",
    "arrays as objects": "x = plan.comm.allgather(x)[plan.comm.rank]",
    "a communicator as a text": "x = 2 * x if 'codegen' in f'{plan.comm}' else x",
    "a type's own": "(MPI.DOUBLE.dtype) or 1 / 0",
    "a rank that is set": "plan.comm.rank = 0",
    "bytes of elements": "plan.own.Bcast([x.copy(), 16 * M, MPI.BYTE])",
    "reals of complex elements": "plan.own.Bcast([x.copy(), 2 * M, MPI.DOUBLE])",
    "an array of columns": "plan.own.Bcast(x.copy().reshape(2, -1).T)",
    "an array made in columns": (
        "y = np.empty((2, M // 2), DTYPE, order='F'); y[...] = x.reshape(2, -1); plan.own.Bcast(y)"
    ),
    "a sum of turned arrays": "y = x.reshape(2, -1).T * 1; plan.own.Bcast(y)",
    "a copy as it lies": "y = np.copy(x.reshape(2, -1).T); plan.own.Bcast(y)",
    "a number as a buffer": "plan.own.Bcast(np.float64(1))",
    "no array": "plan.own.Bcast([None, 0, MPI.DOUBLE])",
    "a type as a text": "plan.own.Bcast([x.copy(), 'Zd'])",
}
WRONG = {
    "a shorter type": (
        "y = np.zeros(M, np.complex64); y[:] = x; x = y",
        "function",
        "complex128 are put into an ordinary array of complex64",
    ),
    "a view that is none in columns": (
        "y = np.zeros((2, M // 2), DTYPE, order='F'); y.reshape(-1)[:] = x; x = y.reshape(-1)",
        "function",
        "the output",
    ),
    "a view that is none of what has gaps": (
        "y = np.zeros(2 * M, DTYPE); y[::2].ravel()[:] = x; x = y[::2].copy()",
        "function",
        "the output",
    ),
    "an axis that is none": (
        "x = np.concatenate([x[: M // 2], x[M // 2 :]], axis=2)",
        "function",
        "AxisError",
    ),
    "a cache on the communicator": ("plan.comm.cache = x", "function", "'cache' of a Comm"),
    "a communicator as a key": ("plan.kept = {plan.comm: x}", "function", "unhashable"),
    "numpy's type for MPI's": (
        "plan.own.Bcast([x.copy(), M, DTYPE])",
        "messages",
        "what comes third is a type",
    ),
    "a list of one": ("plan.own.Bcast([x.copy()])", "messages", "a list of 1 entries"),
}


@pytest.mark.parametrize("name", MODELLED)
def test_a_right_edit_runs(name):
    outcome, _ = once(at_start(MODELLED[name]))
    assert outcome.counterexample() == ""


@pytest.mark.parametrize("name", NOT_MODELLED)
def test_what_is_not_modelled_is_not_refuted(name):
    with pytest.raises(NotModelled):
        once(at_start(NOT_MODELLED[name]))


@pytest.mark.parametrize("name", WRONG)
def test_what_real_ranks_refuse_is_refuted(name):
    line, verdict, words = WRONG[name]
    with pytest.raises(Wrong, match=words) as caught:
        right(once(at_start(line))[0])
    assert caught.value.name == verdict


def test_a_lack_of_memory_is_not_refuted():
    with pytest.raises(MemoryError):
        once(at_start("held = np.zeros(2**46)"))


def test_an_exception_of_any_kind_is_refuted():
    with pytest.raises(Wrong, match="GeneratorExit: "):
        once(at_start("raise GeneratorExit"))


def test_records_are_sent_as_bytes_only():
    moved = Bmmc(bmmc.named("bit-reversal", 5), "reversal")
    program = emit(Spec("permute", 32, 2, exchange="pairwise", permutation=moved, dtype="i4,f8"))
    for text in (program, program.replace("[part].view(np.uint8)", "[part]")):
        if text == program:
            assert moved_once(*workers_of(text)).traffic.words == 8
        else:
            with pytest.raises(NotModelled, match="for which mpi4py has no type of MPI"):
                moved_once(*workers_of(text))


NUMPY, NUMBA = (
    'KERNELS, EXCHANGE = "numpy", "alltoall"',
    'KERNELS, EXCHANGE = "numba", "alltoall"',
)


def declares(program, old, new):
    return changed_once(program, (old, new), (IMPORT, IMPORT + "from numba import njit\n"))


FORMS = {
    "numpy's": (fft, 3, False),
    "numpy's by the name of numba": (lambda: declares(fft(), NUMPY, NUMBA), 3, True),
    "numba's": (lambda: fft(kernels="numba"), 2, False),
    "numba's by the name of numpy": (lambda: declares(fft(kernels="numba"), NUMBA, NUMPY), 2, True),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_cost_on_two_ranks_is_that_of_the_form_that_the_text_has(name):
    program, exchanges, named_otherwise = FORMS[name]
    outcome, d = once(program())
    verdict = cost(d, outcome.run.traffic, "cost")
    assert isinstance(verdict, Checked)
    assert verdict.evidence.startswith(f"{exchanges} exchanges, ")
    assert ("in the form of other kernels" in verdict.evidence) == named_otherwise
    assert "as EXCHANGE says" in verdict.evidence


def test_the_cost_of_neither_form_is_refuted():
    barrier = changed_once(fft(kernels="numba"), (START, START + "    plan.own.Barrier()\n"))
    outcome, d = once(barrier)
    assert isinstance(cost(d, outcome.run.traffic, "cost"), Refuted)


@cache
def committed():
    return (ROOT / "generated" / "fft_1024_4_block.cert.json").read_text()


def leaves(values, way=()):
    """Yield the way to every value in JSON values."""
    for name in (
        values
        if isinstance(values, dict)
        else range(len(values))
        if isinstance(values, list)
        else ()
    ):
        yield (*way, name)
        yield from leaves(values[name], (*way, name))


OTHER_VALUES = (None, 5, -1, 1.5, True, "x", "", [], {}, [1], {"a": 1}, float("inf"))


@pytest.mark.parametrize("value", OTHER_VALUES, ids=repr)
def test_a_certificate_with_another_value_is_refused_as_one_or_read(value):
    statement, accepted = json.loads(committed()), set()
    for *way, last in leaves(statement):
        changed = copy.deepcopy(statement)
        inner = changed
        for name in way:
            inner = inner[name]
        inner[last] = value
        with contextlib.suppress(ValueError):
            Certificate.from_json(changed)
            accepted.add(last)
    assert not accepted & {
        "_type",
        "predicateType",
        "predicate",
        "verdicts",
        "verdict",
        "checker",
        "figures",
        "strengths",
        "theorems",
    }


def test_a_certificate_says_nothing_twice():
    assert Certificate.from_text(committed()).holds
    with pytest.raises(ValueError, match="'holds' stands twice"):
        Certificate.from_text(
            committed().replace('"holds": true', '"holds": false, "holds": true', 1)
        )


@pytest.mark.parametrize(
    "checker",
    [
        {},
        {"nodewright": "0.1", "numpy": "2"},
        {"nodewright": "0.1", "numpy": "2", "python": "proved"},
    ],
)
def test_a_certificate_states_versions(checker):
    statement = json.loads(committed())
    statement["predicate"]["checker"] = checker
    with pytest.raises(ValueError, match="states the versions of nodewright, numpy, python"):
        Certificate.from_json(statement)


@pytest.mark.parametrize("N", [1024.0, True, "1024"])
def test_a_certificate_declares_integers_and_texts(N):
    statement = json.loads(committed())
    statement["predicate"]["declared"]["N"] = N
    if type(N) is str:
        Certificate.from_json(statement)  # which `verify` compares with what the text declares
    else:
        with pytest.raises(ValueError, match="declares integers and texts"):
            Certificate.from_json(statement)
