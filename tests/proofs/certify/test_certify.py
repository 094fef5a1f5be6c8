"""Certification of emitted texts: right programs pass, and every wrong one is refused for the right
reason.
"""

import ast
import hashlib
import json
from functools import cache, partial
from itertools import count, takewhile

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive import verdict as kind
from derive.papers.bsp import group_cyclic
from proofs.certify.certificate import PREDICATE, STATEMENT
from proofs.certify.checks.suite import tried
from proofs.certify.failures import NotModelled
from proofs.certify.program import WITH_OPERATIONS, certificate_path, certify, read, verify
from proofs.theorems import theorems
from tests.support.changes import changed, only_longer
from tests.support.evaluations import once, right
from tests.support.judged import refuted, verdicts
from tests.support.lines import END, START
from tests.support.paths import ROOT
from tests.support.programs import permute

pytestmark = pytest.mark.sampled(40)


@cache
def text(N=32, P=8, input="block", output="block", exchange="alltoall", **options):
    """Return a program; by default one with two exchanges in groups between its phases."""
    if (N, P, input, output) == (32, 8, "block", "block") and not options:
        options = {"formula": group_cyclic(N, P).right}
    return emit(resolve(make_request("fft", N, P, input, output, exchange, **options)))


PROGRAMS = {
    "block": text,
    "cyclic": lambda: text(64, 4, "cyclic", "cyclic"),
    "pairwise": lambda: text(exchange="pairwise"),
    "bit-reversed output": lambda: text(128, 8, "block", "bit-reversed"),
    "group-cyclic": lambda: text(128, 8, "group-cyclic:2", "f:1"),
    "one rank": lambda: text(32, 1),
    "many ranks": lambda: text(64, 32),
    "backward": lambda: text(direction="backward"),
    "backward, not divided": lambda: text(direction="backward", norm="forward"),
    "orthonormal": lambda: text(32, 8, norm="ortho"),
    "single precision": lambda: text(dtype="complex64"),
    "too large for unit vectors": lambda: text(4096, 16),
}


decided = cache(verdicts)
"""What is decided of an emitted text, which more than one test looks at."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_emitted_program_is_certified(name):
    found = decided(PROGRAMS[name]())
    assert [str(verdict) for verdict in found.values() if not kind.holds(verdict)] == []
    assert list(found) == ["layout", "messages", "function", "contract", "cost", "rounding", "main"]
    assert isinstance(found["function"], kind.Checked)
    assert found["function"].error <= 1e-6
    assert isinstance(found["rounding"], kind.Tested)


def lines(*statements):
    """Return statements as the lines of a block."""
    return "\n".join(statements)


TABLE = "root_of_unity(o * (rank // 4 + rank % 2 * 2), 16)"
TWIDDLES = "    np.multiply(work, plan.twiddle, out=work)\n"
ALLTOALL = "plan.group_2.Alltoall(work, out)"
ROUNDS = "range(count)"
SENT, RECEIVED = "source[b * size : b * size + size]", "target[d * size : d * size + size]"
SENDRECV = f"comm.Sendrecv({SENT}, to[b], recvbuf={RECEIVED}, source=come_from[d])"
RECEIVE = f"r = comm.Irecv({RECEIVED}, source=come_from[d])"
PAIRWISE = partial(text, exchange="pairwise")

EQUIVALENT = {
    "a table by exp": lambda: changed(
        text(), (TABLE, "np.exp(SIGN * 2j * np.pi * (o * (rank // 4 + rank % 2 * 2)) / 16)")
    ),
    "a table by cos and sin": lambda: changed(
        text(),
        (
            TABLE,
            (
                "np.cos(2 * np.pi * (o * (rank // 4 + rank % 2 * 2)) / 16)"
                " + SIGN * 1j * np.sin(2 * np.pi * (o * (rank // 4 + rank % 2 * 2)) / 16)"
            ),
        ),
    ),
    "twiddles by an expression": lambda: changed(
        text(), (TWIDDLES, "    work[:] = plan.twiddle * work\n")
    ),
    "real and imaginary part apart": lambda: changed(
        text(),
        (TWIDDLES, "    work[:] = work.real * plan.twiddle + 1j * (work.imag * plan.twiddle)\n"),
    ),
    "an Alltoallv": lambda: changed(
        text(), (ALLTOALL, "plan.group_2.Alltoallv([work, [M // 4] * 4], [out, [M // 4] * 4])")
    ),
    "requests": lambda: changed(
        PAIRWISE(), (SENDRECV, lines(RECEIVE, f"comm.Isend({SENT}, to[b]).Wait()", "r.Wait()"))
    ),
    "messages packed one by one": lambda: changed(
        PAIRWISE(), (SENDRECV, SENDRECV.replace(SENT, f"{SENT}.copy()"))
    ),
    "rounds in another order": lambda: changed(PAIRWISE(), (ROUNDS, f"reversed({ROUNDS})")),
    "the transform of a copy": lambda: changed(text(), (START, START + "    x = x.copy()\n")),
    "scaled twice": lambda: changed(
        text(), (END, "    out *= 2**-0.5\n    out *= 2**0.5\n    return out\n")
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", EQUIVALENT)
def test_an_equivalent_program_is_certified(name):
    assert refuted(EQUIVALENT[name]()) == {}


def with_another_number(program, k):
    """Return the program with the k-th number of its plan and of its supersteps one larger, None
    where it has not so many.
    """
    tree = ast.parse(program)
    parts = [node for node in tree.body if getattr(node, "name", "") in ("Plan", "transform")]
    numbers = [
        node
        for part in parts
        for node in ast.walk(part)
        if isinstance(node, ast.Constant) and type(node.value) is int
        if node not in only_longer(tree)
    ]
    if k >= len(numbers):
        return None
    numbers[k].value += 1
    return ast.unparse(tree)


SAME_GROUPS = "Split(rank // 2 * 3, rank)"
"""A number of a colour that can be changed: the ranks of a group have another colour in common."""


@pytest.mark.long
@pytest.mark.sampled(16)
@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("exchange", ["alltoall", "pairwise"])
def test_no_number_of_the_supersteps_can_be_changed(exchange, first):
    program = text(32, 8, "cyclic", "block", exchange, formula=group_cyclic(32, 8).right)
    mutants = list(takewhile(bool, (with_another_number(program, k) for k in count())))
    assert len(mutants) > 20
    left = [k for k, mutant in list(enumerate(mutants))[first::4] if not refuted(mutant)]
    assert [k for k in left if SAME_GROUPS not in mutants[k]] == []


def test_a_deadlock_shows_the_line_of_every_rank():
    found = refuted(changed(PAIRWISE(), (SENDRECV, f"comm.Send({SENT}, to[b])")))["messages"]
    assert found.count("Send(to rank") == found.count("at line") == 8


SIZES = "N, P, M = 32, 8, 4"
NAMES = 'TRANSFORM, DIRECTION, NORM = "fft", "forward", "backward"'
BROKEN = {
    "no Python": lambda: ("def", "is not a Python program"),
    "no contract": lambda: ("N = 4", "does not define TRANSFORM, P, INPUT"),
    "a size that is no power of two": lambda: (
        changed(permute("bit-reversal", 32, 8), (SIZES, "N, P, M = 48, 8, 6")),
        "N = 48 is not a power of two",
    ),
    "a size that is not the factorization's": lambda: (
        changed(text(), (SIZES, "N, P, M = 48, 8, 6")),
        "is a matrix of order 32, N = 48",
    ),
    "sizes that contradict each other": lambda: (
        changed(text(), (SIZES, "N, P, M = 32, 8, 8")),
        "N = 32, P = 8, M = 8",
    ),
    "an unknown transform": lambda: (
        changed(text(), (NAMES, NAMES.replace("fft", "dct"))),
        "TRANSFORM = 'dct': known are fft",
    ),
    "an unknown layout": lambda: (
        changed(text(), ('INPUT, OUTPUT = "block", "block"', 'INPUT, OUTPUT = "spiral", "block"')),
        "unknown layout 'spiral'",
    ),
    "a strange import": lambda: ("import socket", "import of socket"),
    "an exception when loaded": lambda: ("1 / 0", "division by zero"),
    "an exit when loaded": lambda: ("raise SystemExit(3)", "cannot be loaded as a node program"),
    "another result as a script": lambda: (
        changed(text(), (START, START + "    if __name__ == '__main__':\n        x = x * 2\n")),
        "a function asks for __name__",
    ),
    "too large": lambda: (changed(text(), (SIZES, "N, P, M = 2**30, 8, 4")), "above 2097152"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_node_program_is_an_error_that_gives_the_rule(name):
    program, words = BROKEN[name]()
    with pytest.raises(ValueError, match="prog") as caught:
        tried("prog.py", program, 0)
    assert words in str(caught.value)


def test_what_is_not_modelled_is_neither_certified_nor_refuted():
    with pytest.raises(NotModelled, match=r"line \d+: \.Neighbor_alltoall is not in the language"):
        verdicts(changed(text(), (ALLTOALL, "plan.group_2.Neighbor_alltoall(work, out)")))


FROM_OUTSIDE = {
    "the time of day": ("time.localtime()", "time.localtime"),
    "chance": ("np.random.default_rng()", "np.random"),
    "a file": ("open('x')", "open"),
}


@pytest.mark.parametrize("name", FROM_OUTSIDE)
def test_what_comes_from_outside_is_not_modelled(name):
    line, words = FROM_OUTSIDE[name]
    with pytest.raises(NotModelled, match=rf"line \d+: {words} is not in the language"):
        verdicts(changed(text(), (START, START + f"    {line}\n")))


def test_at_small_sizes_nothing_is_left_to_chance():
    function = decided(text(64, 4))["function"]
    assert function.error == 0
    assert "nothing is left to chance" in function.evidence


def test_ranks_do_not_share_their_modules():
    planned = (
        "CALLS = []\n\n\ndef plan(comm):\n    CALLS.append(1)\n    1 / (len(CALLS) == 1)\n"
        "    return Plan(comm)"
    )
    program = changed(text(), ("plan = Plan", planned))
    right(once(program)[0])


@pytest.mark.long
def test_the_verdicts_of_a_seed_are_always_the_same():
    one, again, other = (tried("prog.py", text(16, 2), seed) for seed in (5, 5, 6))
    assert (one.verdicts, one.fields) == (again.verdicts, again.fields)
    assert one.fields != other.fields


@pytest.mark.long
def test_a_certificate_states_its_seed_and_a_seed_is_no_negative_number(tmp_path):
    program = tmp_path / "fft.py"
    program.write_text(text(16, 2), encoding="utf-8")
    found = [json.dumps(certify(program, seed, ran=0).as_json()) for seed in (8, 7, 8)]
    assert found[0] == found[2] != found[1]
    assert read(program).seed == 8
    with pytest.raises(ValueError, match="seed = -1: a seed must be an integer, at least 0"):
        certify(program, -1)


IMPORTED = "import numpy as np\n"


@pytest.mark.parametrize(
    "line",
    [
        "MPI.COMM_WORLD.Barrier()",
        "MPI.Init()",
        "MPI.Comm()",
        "WINDOW = MPI.Win.Allocate(8)",
        "PAIR = MPI.DOUBLE.Create_contiguous(2)",
    ],
)
def test_a_call_of_mpi_when_a_program_is_imported_is_refused(line):
    with pytest.raises((ValueError, NotModelled), match=r"line \d+"):
        refuted(changed(text(16, 4), (IMPORTED, f"{IMPORTED}from mpi4py import MPI\n\n{line}\n")))


@pytest.mark.parametrize(
    "line", ["", "NOBODY = MPI.PROC_NULL", "DOUBLE = MPI.DOUBLE", "MPI.Wtime()"]
)
def test_a_program_may_import_mpi_and_name_what_is_there(line):
    assert (
        refuted(changed(text(16, 4), (IMPORTED, f"{IMPORTED}from mpi4py import MPI\n\n{line}\n")))
        == {}
    )


small = partial(text, 32, 4)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "fft.py"
    path.write_text(small())
    return path


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Return the text of the certificate of `program`."""
    path = tmp_path_factory.mktemp("certified") / "fft.py"
    path.write_text(small())
    certify(path, seed=3)
    return certificate_path(path).read_text()


@pytest.fixture
def certified(program, shown):
    certificate_path(program).write_text(shown)
    return program


@pytest.mark.long
def test_a_certificate_lies_beside_its_program_and_is_the_same_each_time(program, shown):
    certificate = certify(program, seed=3)
    written = certificate_path(program).read_bytes()
    assert certificate.holds
    assert read(program) == certificate
    assert written == shown.encode()
    assert sorted(path.name for path in program.parent.iterdir()) == ["fft.cert.json", "fft.py"]
    assert str(program.parent) not in written.decode()


def test_a_certificate_states_what_was_shown_and_what_is_assumed(certified):
    statement = json.loads(certificate_path(certified).read_text())
    assert (statement["_type"], statement["predicateType"]) == (STATEMENT, PREDICATE)
    assert statement["subject"] == [
        {"name": "fft.py", "digest": {"sha256": hashlib.sha256(certified.read_bytes()).hexdigest()}}
    ]
    shown = statement["predicate"]
    assert shown["holds"]
    assert set(shown["theorems"]) <= theorems().keys()
    assert "bsp-2.8" in shown["theorems"]
    assert shown["cited"][0]["value"] == 11 * 2.0**-53
    assert shown["declared"]["N"] == 32
    assert shown["seed"] == 3
    assert {name: verdict["verdict"] for name, verdict in shown["verdicts"].items()} == {
        **dict.fromkeys(("layout", "messages", "function", "contract", "cost", "main"), "Checked"),
        **dict.fromkeys(("rounding", "ran"), "Tested"),
    }
    assert all(field["q"] % 32 == 1 for field in shown["fields"])
    assert shown["checker"]["numpy"] == np.__version__
    assert any("np.fft" in sentence for sentence in shown["assumed"])


def test_the_files_that_an_assumption_names_exist():
    for words in WITH_OPERATIONS.values():
        named = [word for word in words.split() if word.endswith(".py")]
        assert named and all((ROOT / name).is_file() for name in named)


def test_a_certificate_with_half_a_surrogate_pair_can_be_read_again(tmp_path):
    file = tmp_path / "prog.py"
    begin = "    x, out = arrays(x, plan, out)\n"
    raises = "    raise ValueError('\\ud800')\n"
    file.write_text(changed(small(), (begin, begin + raises)), "utf-8")
    certificate = certify(file, ran=0)
    certificate.save()
    assert "\ud800" in str(read(file).verdicts) and not read(file).holds


def test_a_certificate_of_another_text_is_refused(certified):
    certified.write_text(small() + "\n")
    with pytest.raises(ValueError, match="certify this program again"):
        verify(certified)


def test_a_certificate_is_verified_by_a_short_check_of_the_text(certified):
    found, again = verify(certified)
    assert found == read(certified)
    assert list(again) == ["layout", "messages", "function", "cost", "main"]
    assert all(map(kind.holds, again.values()))


def test_a_wrong_program_with_a_certificate_made_to_fit_is_refuted_by_the_short_check(
    program, shown
):
    wrong = changed(
        small(),
        ("np.cos(angle) + SIGN * 1j * np.sin(angle)", "np.cos(angle) - SIGN * 1j * np.sin(angle)"),
    )
    certificate_path(program).write_text(
        shown.replace(*(hashlib.sha256(bytes_.encode()).hexdigest() for bytes_ in (small(), wrong)))
    )
    program.write_text(wrong)
    _, again = verify(program)
    assert isinstance(again["function"], kind.Refuted)


def test_a_certificate_that_declares_another_program_is_refused(certified):
    path = certificate_path(certified)
    path.write_text(path.read_text().replace('"input": "block"', '"input": "cyclic"'))
    with pytest.raises(ValueError, match="its certificate states"):
        verify(certified)


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (None, "{}", "not a certificate"),
        (None, "[]", "not a certificate"),
        (None, "{", "Expecting"),
        (None, "\udcff", "utf-8"),
        ('"holds": true', '"holds": false', "contradict each other"),
        ('"verdict": "Tested"', '"verdict": "Refuted"', "not a certificate"),
        ('"verdict": "Tested"', '"verdict": "Proved"', "not a certificate"),
        (PREDICATE, "https://slsa.dev/provenance/v1", "the types are"),
        ('"bsp-2.8"', '"riemann"', "contradict each other"),
        ('"subject": [', '"subject": [0, ', "not a certificate"),
        ('"name": "fft.py"', '"name": "other.py"', "is the certificate of 'other.py'"),
        ('"error": 0.0', '"error": NaN', "an error must be a probability"),
        ('"error": 0.0', '"error": "small"', "an error must be a probability"),
        ('"measured": ', '"measured": 1', "at most the tolerance"),
        (None, "[" * 200000, "recursion"),
    ],
)
def test_a_damaged_certificate_is_refused(program, shown, old, new, rule):
    assert old is None or old in shown
    certificate_path(program).write_bytes(
        (new if old is None else shown.replace(old, new)).encode(errors="surrogateescape")
    )
    with pytest.raises(ValueError, match=rule):
        read(program)


def test_a_certificate_without_one_of_its_verdicts_is_refused(certified):
    path = certificate_path(certified)
    statement = json.loads(path.read_text())
    for missing in list(statement["predicate"]["verdicts"]):
        verdicts_left = {
            name: verdict
            for name, verdict in statement["predicate"]["verdicts"].items()
            if name != missing
        }
        path.write_text(
            json.dumps(
                {**statement, "predicate": {**statement["predicate"], "verdicts": verdicts_left}}
            )
        )
        with pytest.raises(ValueError, match="are not those of its transform"):
            read(certified)


def test_a_certificate_that_states_something_else_is_refused(certified):
    path = certificate_path(certified)
    path.write_text(path.read_text().replace("never deadlock", "always win"))
    with pytest.raises(ValueError, match="differs from the checks of this program"):
        verify(certified)


def test_a_function_that_elements_do_not_have_is_neither_certified_nor_refuted():
    with pytest.raises(NotModelled, match=r"line \d+: np.median of an array that depends on x"):
        verdicts(changed(text(), (START, START + "    np.median(x)\n")))


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"assumed": []}, "has other assumptions or citations"),
        ({"cited": []}, "has other assumptions or citations"),
        (
            {"verdicts": {"rounding": {"verdict": "Checked", "evidence": "e", "error": 0.0}}},
            "cannot be what is written",
        ),
        (
            {
                "verdicts": {
                    "function": {
                        "verdict": "Tested",
                        "measured": 0.0,
                        "tolerance": 0.5,
                        "formula": "1 / 2",
                    }
                }
            },
            "differs from the checks of this program",
        ),
    ],
)
def test_a_certificate_that_says_more_than_is_shown_is_refused(certified, changes, rule):
    path = certificate_path(certified)
    statement = json.loads(path.read_text())
    predicate = statement["predicate"]
    verdicts_changed = {
        name: {"statement": predicate["verdicts"][name]["statement"]} | verdict
        for name, verdict in changes.get("verdicts", {}).items()
    }
    changed_predicate = predicate | changes | {"verdicts": predicate["verdicts"] | verdicts_changed}
    path.write_text(json.dumps(statement | {"predicate": changed_predicate}))
    with pytest.raises(ValueError, match=rule):
        verify(certified)


MISUSED = {
    "checks left out on one rank": (
        '(("x", x),) if out is None else (("x", x), ("out", out))',
        '() if plan.comm.rank == 3 else (("x", x),) if out is None else (("x", x), ("out", out))',
        "messages",
    ),
    "an overlap but for the first element": (
        "np.shares_memory(x, out)",
        "np.shares_memory(x[:1], out[:1])",
        "messages",
    ),
    "data that leaves the range of its type": (START, START + "    x = x * 2.0**900\n", "rounding"),
}


@pytest.mark.parametrize("name", MISUSED)
def test_misuse_on_any_rank_and_numbers_of_any_size_are_tried(name):
    old, new, verdict = MISUSED[name]
    back = ((END, "    out *= 2.0**-900\n    return out\n"),) if verdict == "rounding" else ()
    found = refuted(changed(text(16, 4), (old, new), *back))
    assert found.keys() & {verdict, "contract"}


@pytest.mark.parametrize(
    "line",
    [
        "hash('abc')",
        "np.datetime64('now')",
        "sys.argv",
        "np.arange(3).dump('leak.pkl')",
        "np.arange(3).tofile('leak')",
    ],
)
def test_what_depends_on_the_environment_or_leaves_files_is_refused(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        found = refuted(changed(text(16, 4), (START, START + f"    {line}\n")))
    except (ValueError, NotModelled) as error:
        found = {"text": str(error)}
    assert found
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("N", "P", "factor"), [(64, 4, 2.5), (256, 4, 1.5)])
def test_the_tolerance_of_rounding_is_what_the_formula_says(N, P, factor):
    shown = decided(text(N, P))["rounding"]
    assert shown.tolerance == factor * 2.0**-53 * (N.bit_length() - 1) ** 0.5
    assert shown.measured <= 0.8 / factor * shown.tolerance


def test_twiddles_by_powers_of_a_rounded_root_are_too_inaccurate():
    power = "(o // 64) * (rank + o % 64 * 4)"
    powers = f"np.exp(SIGN * 2j * np.pi / 1024) ** ({power})"
    found = refuted(changed(text(1024, 4), (f"root_of_unity({power}, 1024)", powers)))
    assert found.keys() <= {"function", "rounding"}
    assert found


def test_a_refuted_program_gets_a_certificate_that_says_so(program):
    program.write_text(changed(text(), (END, "    return plan.work\n")))
    assert not certify(program).holds
    assert not read(program).holds


@pytest.mark.long
def test_a_program_that_runs_away_is_stopped(program):
    program.write_text("while True:\n    pass\n")
    with pytest.raises(NotModelled, match="steps"):
        certify(program, seconds=1)


def test_an_error_of_a_program_is_one_line(program):
    program.write_text("import socket\nsocket\n")
    with pytest.raises(NotModelled, match="module socket") as caught:
        certify(program)
    assert "\n" not in str(caught.value)
    assert not certificate_path(program).exists()
