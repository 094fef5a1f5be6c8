"""Kernels that are taken down and done quickly: the same as those that are run as they are, and
refused where those are.
"""

import re
import subprocess
import sys
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.kernels import fourier
from codegen.kernels.permute import tiles
from codegen.mpi.faults import NotModelled
from codegen.program.hartley import ALGORITHMS
from codegen.spec import Spec
from derive import verdict as kind
from derive.fields import RootField
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bmmc import bit_reversal
from proofs.certify.arrays.constants import Recognizer
from proofs.certify.checks import suite
from proofs.certify.checks.permutation import moved_again, moved_once
from proofs.certify.checks.suite import tried
from proofs.certify.fields.field_run import run_again, run_over_field
from proofs.certify.kernels import frozen as kernels_read
from proofs.certify.kernels import kept, labelled, taped
from proofs.certify.kernels.frozen import Unfrozen, frozen
from proofs.certify.program import certify
from proofs.certify.state import record
from proofs.certify.workers.usage import IN_TURNS
from tests.support.changes import changed
from tests.support.in_process import InProcess, workers_of
from tests.support.judged import refuted
from tests.support.kernels import hartley, hypercube, vectors
from tests.support.kernels import permutations as lines

pytestmark = pytest.mark.sampled(12)
NEVER = 2**62
LINE = re.compile(r"line \d+: .*, (?=on rank)")
RANK = re.compile(r"on rank \d+")


@contextmanager
def done(how):
    """Have kernels run as they are, or taken down whatever the size of their arrays."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "Workers", InProcess)
        for name in ("LARGE", "SMALL"):
            patch.setattr(kept, name, 0 if how == "quickly" else NEVER)
        yield


def seen(outcome):
    """Return all that a run shows."""
    return (
        outcome.found.tobytes(),
        outcome.past,
        outcome.chance,
        outcome.counterexample(),
        outcome.run,
    )


def runs(program, lanes, units):
    workers, declaration = workers_of(program)
    one = run_over_field(workers, declaration, np.random.default_rng(1), units, lanes=lanes)
    several = run_again(workers, declaration, np.random.default_rng(2), [IN_TURNS]) if units else []
    return [one, *(outcome for outcomes in several for outcome in outcomes)]


def same_both_ways(program, lanes=8, units=True):
    """Assert that both ways show the same, and that kernels were taken down for one of them."""
    shown = []
    for how in ("as it is", "quickly"):
        taped.KEPT.known.clear()
        with done(how):
            shown.append([seen(outcome) for outcome in runs(program, lanes, units)])
        known = taped.KEPT.known.values()
        assert bool(known) == (how == "quickly") and None not in known
    assert shown[0] == shown[1]
    assert not any(counterexample for _, _, _, counterexample, _ in shown[1])


def moved_both_ways(program):
    """Assert that both ways move the same."""
    workers, declaration = workers_of(program)
    shown = []
    for how in ("as it is", "quickly"):
        labelled.KEPT.known.clear()
        with done(how):
            shown.append([moved_once(workers, declaration), moved_again(workers, declaration, 1)])
        assert all(labelled.KEPT.known.values()) and bool(labelled.KEPT.known) == (how == "quickly")
    assert shown[0] == shown[1]


def fft(n=8, p=1, layout="cyclic", exchange="alltoall", local="", phases="", **options):
    form = {"phases": phases, "local": local, "kernels": "numba"}
    return emit(Spec("fft", 1 << n, 1 << p, layout, layout, exchange, **form, **options))


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [8, 4, 2])
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_vectors_of_every_width_are_the_same(lanes, dtype):
    same_both_ways(fft(8, 1, dtype=dtype), lanes)


@pytest.mark.long
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_every_norm_and_direction_is_the_same(norm, direction):
    same_both_ways(fft(6, 1, norm=norm, direction=direction))


@pytest.mark.long
@pytest.mark.parametrize(
    ("layout", "exchange"), [("cyclic", "shared"), ("block", "pairwise"), ("block", "shared")]
)
def test_every_exchange_is_the_same(layout, exchange):
    same_both_ways(fft(7, 1, layout, exchange))


@pytest.mark.parametrize("local", ["butterflies", "cache-friendly"])
def test_every_local_form_is_the_same(local):
    same_both_ways(fft(8, 2, "block", local=local))


@pytest.mark.parametrize("scheme", ["1", "2", "3", "4", "5", "5r"])
def test_every_scheme_of_a_hypercube_is_the_same(scheme):
    same_both_ways(
        hypercube.text(
            64,
            1 if scheme == "1" else 4,
            scheme,
            "bit-reversed",
            "block" if scheme == "2" else "scrambled",
        )
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("before", "options"),
    [
        ("block", {"dtype": "float32"}),
        ("hartley", {"direction": "backward"}),
        ("block", {"result": "dft"}),
    ],
)
def test_every_hartley_transform_is_the_same(algorithm, before, options):
    if algorithm == "hypercube" or before == "block":
        same_both_ways(hartley.text(128, 4, before, algorithm=algorithm, **options))


@pytest.mark.parametrize("lanes", [4, 2])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_narrower_vectors_of_hartley_transforms_are_the_same(lanes, algorithm):
    same_both_ways(hartley.text(128, 4, "block", algorithm=algorithm), lanes)


@pytest.mark.slow
def test_a_transform_of_more_stages_is_the_same():
    same_both_ways(fft(13, 1), units=False)


@pytest.mark.parametrize(
    ("name", "dtype", "kernels", "P"),
    [
        *(
            (lines.MATRICES[i % 3], dtype, "numba", (1, 2, 4)[i % 3])
            for i, dtype in enumerate(lines.ELEMENTS)
        ),
        ("bit-reversal", "float64", "gray", 2),
        ("random", "i4,f8", "gray", 4),
        ("random", "S5", "gray", 1),
    ],
)
def test_every_permutation_is_the_same(name, dtype, kernels, P):
    moved_both_ways(lines.text(dtype, lines.ELEMENTS.get(dtype, 8), P, name, kernels))


def refused_alike(program):
    """Assert that a damaged program is refused, by the same words, whichever way its kernels go; at
    a line of the kernel where it is run as it is, and at its call where it is taken down. Which of
    several ranks is refused first may differ.
    """
    said = []
    for how in ("as it is", "quickly"):
        with done(how):
            found = refuted(program)
            said.append({name: RANK.sub("", LINE.sub("", words)) for name, words in found.items()})
    assert said[0] == said[1]
    assert list(said[0]) in (["function"], ["contract"], ["messages"])


DAMAGED = {
    **{
        f"vectors, {name}": (lambda: vectors.text(8), change)
        for name, change in vectors.WRONG.items()
    },
    **{
        f"a shared exchange, {name}": (lambda: vectors.text(7, 1, "block", "shared"), change)
        for name, change in vectors.APART.items()
    },
    **{f"lists, {name}": (hartley.text, change) for name, change in hartley.WRONG.items()},
    **{
        f"lists back, {name}": (lambda: hartley.text(128, 4, "hartley"), change)
        for name, change in hartley.WRONG_BACK.items()
    },
    **{
        f"groups, {name}": (
            partial(hartley.text, 128, 4, "cyclic", algorithm="group-cyclic"),
            change,
        )
        for name, change in hartley.WRONG_GROUPS.items()
    },
    **{
        f"a hypercube, {name}": (
            partial(
                hypercube.text,
                128,
                4,
                scheme,
                "bit-reversed",
                "block" if scheme == "2" else "scrambled",
            ),
            change,
        )
        for name, (scheme, change) in hypercube.WRONG.items()
    },
    **{f"lines, {name}": (lines.nested_loops, change) for name, change in lines.WRONG.items()},
}


@pytest.mark.sampled(72)
@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_kernel_is_refused_by_the_same_words(name):
    program, change = DAMAGED[name]
    refused_alike(changed(program(), change))


@pytest.mark.slow
def test_a_right_program_has_the_same_verdicts_both_ways():
    found = []
    for how in ("as it is", "quickly"):
        with done(how):
            found.append(tried("prog.py", fft(9, 1), 0))
    assert all(map(kind.holds, found[1].verdicts.values()))
    assert found[0] == found[1]


def function_of(source, **names):
    """Return the function f of a source with these names."""
    exec(source, names)
    return names["f"]


def test_what_a_kernel_reads_is_told_from_what_is_another():
    source = (
        "def f(x):\n    return [g(x + y) for y in range(n)]\ndef g(x):\n    return x * table[0] +"
        " f.__name__.count('')"
    )
    same, other = (function_of(source, n=n, table=np.arange(3)) for n in (2, 3))
    assert frozen(same) == frozen(function_of(source, n=2, table=np.arange(3)))
    assert (
        len(
            {
                frozen(f)
                for f in (
                    same,
                    other,
                    function_of(source, n=2, table=np.ones(3)),
                    function_of(source, n=2.0, table=np.arange(3)),
                )
            }
        )
        == 4
    )


@pytest.mark.parametrize(
    "value",
    [
        [1],
        {1: 2},
        {1},
        object(),
        np,
        np.array([None]),
        type("Own", (), {}),
        iter((1, 2)),
        [].append,
    ],
)
def test_what_may_change_is_not_frozen(value):
    with pytest.raises(Unfrozen):
        frozen(function_of("def f():\n    return value", value=value))


@pytest.mark.long
def test_kernels_that_stream_are_the_same_and_end_with_a_fence(monkeypatch):
    for module, name in ((fourier, "STREAMED"), (fourier, "WORK_STREAMED"), (tiles, "STREAM_FROM")):
        monkeypatch.setattr(module, name, 0)
    transform, permutation = fft(6, 1), lines.text.__wrapped__(n=8, P=1)
    same_both_ways(transform)
    moved_both_ways(permutation)
    for program in (transform, permutation):
        refused_alike(changed(program, ("fence()", "None")))


COPIES = "    for at in range(0, copies * 64, 64):\n"
COUNTS = (
    "def local_0(x, y, roots, room, copies):",
    ("calls = []\n\n\ndef local_0(x, y, roots, room, copies):"),
)
READ_ANEW = (COPIES, COPIES.replace("copies", "(copies if state[0] else 0)"))
STATE = (
    "def local_0(x, y, roots, room, copies):",
    ("state = np.array([1])\n\n\ndef local_0(x, y, roots, room, copies):"),
)


def test_a_kernel_that_reads_what_may_change_is_run_as_it_is():
    program = changed(
        fft(7, 1), COUNTS, (COPIES, COPIES.replace("copies", "(copies + len(calls))"))
    )
    taped.KEPT.known.clear()
    with done("quickly"):
        found = run_over_field(*workers_of(program), np.random.default_rng(1), False)
    assert not found.counterexample() and len(taped.KEPT.known) < 6


def counting(count):
    """Return a program whose kernel depends on what its transforms count."""
    return changed(
        fft(7, 1),
        STATE,
        READ_ANEW,
        ("    work = plan.mail.sent\n", f"    {count}\n    work = plan.mail.sent\n"),
    )


LESS, MORE = "state[0] -= 1", "state[0] = (state[0] + 1) % 3"


@pytest.mark.long
@pytest.mark.parametrize("how", ["as it is", "quickly"])
def test_a_kernel_is_taken_down_again_where_what_it_reads_is_another(how, monkeypatch):
    monkeypatch.setattr(kernels_read, "refuse_changes", lambda *_: None)
    for name in ("planned", "transforms", "transformed", "freed"):  # else it is not modelled
        monkeypatch.setattr(record.Record, name, lambda *_: None)
    with done(how):
        assert refuted(changed(fft(7, 1), STATE, READ_ANEW)) == {}
        assert list(refuted(counting(LESS))) == ["function"]
        assert list(refuted(counting(MORE))) == ["contract"]


@pytest.mark.parametrize("how", ["as it is", "quickly"])
@pytest.mark.parametrize("count", [LESS, MORE])
def test_a_kernel_that_reads_what_transforms_change_is_not_modelled(how, count):
    with done(how), pytest.raises(NotModelled, match="what is another than in a call before"):
        tried("prog.py", counting(count), 0)


def test_a_kernel_that_changes_what_it_reads_is_not_modelled():
    program = changed(fft(7, 1), STATE, (COPIES, f"    state[0] += 1\n{COPIES}"))
    with done("quickly"), pytest.raises(NotModelled, match="changes what it reads"):
        tried("prog.py", program, 0)


def test_constants_are_recognised_one_by_one_as_all_together():
    recognizer = Recognizer(RootField.draw(64, np.random.default_rng(0)))
    values = np.concatenate(
        [
            np.exp(2j * np.pi * np.arange(64) / 64),
            np.cos(2 * np.pi * np.arange(9) / 64),
            [0, 0.375, -4j, 0.5**0.5],
        ]
    )
    each, whole = recognizer.recognize_each(values), recognizer.recognize(values)
    assert np.array_equal(each.residues, whole.residues)
    assert (each.magnitudes.max(), each.halves.max()) == (whole.magnitude, whole.halves)
    for value, residues, magnitude, halves in zip(
        values, each.residues, each.magnitudes, each.halves, strict=True
    ):
        alone = recognizer.recognize(np.array([value]))
        assert (alone.residues[0].tolist(), alone.magnitude, alone.halves) == (
            residues.tolist(),
            magnitude,
            halves,
        )


BEYOND = {
    "numba": lambda: fft(21, 1),
    "gray": lambda: lines.text("float64", 21, 2, "bit-reversal", "gray"),
}


@pytest.mark.parametrize("program", BEYOND.values(), ids=BEYOND)
def test_a_size_beyond_reach_is_said_in_one_line_before_the_work_begins(program):
    with pytest.raises(
        ValueError,
        match=(
            r"N = 2097152 .* is beyond reach: the largest N is 2\^21 for numpy, .* 2\^20 for numba,"
            r" .* 2\^14 for functions"
        ),
    ):
        tried("prog.py", program(), 0)


def test_functions_of_ones_own_have_a_limit_of_their_own():
    program = emit(
        Spec(
            "permute", 2**15, 2, permutation=Bmmc(bit_reversal(15), "bit-reversal"), dtype="float64"
        )
    )
    own = changed(
        program,
        ("import numpy as np\n", "import numpy as np\nfrom numba import njit\n"),
        ('"numpy"', '"numba"'),
    )
    with pytest.raises(
        ValueError, match="N = 32768 with functions of one's own under numba is beyond reach"
    ):
        tried("prog.py", own, 0)


@pytest.mark.long
def test_a_listener_hears_which_verdict_is_decided_by_which_run(tmp_path):
    path, heard = tmp_path / "prog.py", []
    path.write_text(emit(Spec("fft", 2048, 2)))
    assert certify(path, listener=heard.append).holds
    assert heard[:2] == ["layout", "messages"] and heard[-2:] == ["rounding", "ran"]
    assert "function, run 2 of 2" in heard and "contract, misuse" in heard


LARGE = {
    "fft": lambda: fft(20, 1),
    "hypercube-fft": lambda: hypercube.text(2**20, 2, "3"),
    "fht": lambda: hartley.text(2**20, 2, "block"),
    "permute, tiles": lambda: lines.text("complex128", 20, 2, "bit-reversal"),
    "permute, gray": lambda: lines.text("complex128", 20, 2, "bit-reversal", "gray"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_a_million_elements_are_certified_within_eight_gigabytes(name, tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(LARGE[name]())
    done = subprocess.run(
        ["/usr/bin/env", sys.executable, "-c", MEASURED, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, gigabytes = map(float, done.stdout.split())
    assert seconds < 300 and gigabytes < 8


MEASURED = """
import resource, sys
from pathlib import Path
from proofs.certify.program import certify
assert certify(Path(sys.argv[1])).holds
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20)
"""
