"""Programs of the systems, and of a factorization of one's own."""

import inspect

import numpy as np
import pytest

import nodewright as nw
from codegen.system_table import BATCH, OPTIONS, options_of
from codegen.systems.exchanges import EXCHANGES
from codegen.systems.record import RECORDS
from nodewright.api.call_options import Options

OWN = "F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)"
SYSTEMS = {
    "fft": (nw.fft, {"input": "cyclic", "output": "cyclic", "exchange": "pairwise"}),
    "hypercube-fft": (nw.hypercube_fft, {"scheme": "4"}),
    "fht": (nw.fht, {"algorithm": "group-cyclic", "input": "cyclic"}),
    "rfft": (nw.rfft, {"output": "cyclic-pairs"}),
    "permute": (nw.permute, {"name": "gray-code", "input": "cyclic"}),
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_program_its_check_and_its_cost_say_what_the_commands_print(same, system):
    make, options = SYSTEMS[system]
    found = make(256, 4, **options)
    words = (
        system,
        "--size",
        256,
        "--ranks",
        4,
        *[f"--{name}={options[name]}" for name in options],
    )
    assert same(found.to_dict(), "generate", *words)
    assert same(found.cost().to_dict(), "cost", *words)
    without = [word for word in words if "exchange" not in str(word)]
    report = found.check()
    assert same(report.to_dict(), "check", *without)
    assert (report.kind, report.holds, bool(report)) == ("checked", True, True)


@pytest.mark.parametrize("system", SYSTEMS)
def test_signatures_and_docstrings_have_the_options_of_the_record(system):
    make, _ = SYSTEMS[system]
    names = [option.name for option in options_of(RECORDS[system])]
    parameters = inspect.signature(make).parameters.values()
    assert [one.name for one in parameters if one.kind is one.KEYWORD_ONLY][-len(names) :] == names
    kernels = ", ".join(RECORDS[system].kernels)
    assert f"- kernels: Implementation of local computations: {kernels}." in make.__doc__
    assert [name for name in names if f"            - {name}: " not in make.__doc__] == []


def test_every_option_of_a_record_has_a_type():
    assert Options.__annotations__.keys() == {*OPTIONS, BATCH.name, "grid"}


def test_a_transform_that_is_called_goes_both_ways():
    assert "direction" not in inspect.signature(nw.FFT).parameters
    assert {"grid", "batch", "norm"} <= inspect.signature(nw.FHT).parameters.keys()
    assert {"norm", "grid", "batch"}.isdisjoint(inspect.signature(nw.Permutation).parameters)
    for name in ("direction", "result", "convolve"):
        with pytest.raises(ValueError, match=f"unknown option {name}: the options of FHT are"):
            nw.FHT(None, 64, **{name: ""})


def test_a_program_of_ones_own_says_what_the_command_prints(same):
    found = nw.program(OWN, 64, 4, r=8, s="N/r")
    words = ("--formula", OWN, "--size", 64, "--ranks", 4, "--set", "r=8,s=N/r")
    assert same(found.to_dict(), "generate", *words)
    assert found.check().holds
    assert found.text == nw.program(nw.equation(OWN), "2^6", 4, r=8, s=8).text
    for stated in ({"r": 8, "s": 8}, "r=8,s=N/r"):
        assert found.text == nw.program(OWN, 64, 4, set=stated).text


def test_a_cost_on_a_machine_with_predictions_is_what_the_command_prints(same, tmp_path):
    file = tmp_path / "m.toml"
    file.write_text("v = 1e9\ng = 10\nl = 1000\n", encoding="utf-8")
    found = nw.fft(1024, 4).cost(file, predict=True)
    words = ("cost", "fft", "--size", 1024, "--ranks", 4, "--machine", file, "--predict")
    assert same(found.to_dict(), *words)
    assert (found.exchanges, found.messages, found.words) == (3, 9, 576)
    assert found.seconds == (found.flops + 10 * found.words + 1000 * found.exchanges) / 1e9


def test_a_program_that_is_saved_says_where(same, tmp_path):
    found, file = nw.fft(64, 2), tmp_path / "fft.py"
    assert found.to_dict()["text"] == found.text
    found.save(file)
    assert file.read_text(encoding="utf-8") == found.text
    assert same(found.to_dict(), "generate", "fft", "--size", 64, "--ranks", 2, "-o", file)
    assert repr(found) == "Program('nodewright generate fft --size 64 --ranks 2')"


def test_a_matrix_names_the_file_in_which_it_lies(tmp_path):
    file = tmp_path / "A.npy"
    np.save(file, np.eye(4)[::-1])
    program = nw.permute(16, 2, matrix=str(file))
    assert program.command.endswith(f"--matrix {file}")
    assert (
        program.request.permutation.address
        == nw.permute(16, 2, "bit-reversal").request.permutation.address
    )


@pytest.mark.long
def test_a_program_is_run_on_its_ranks():
    x = np.arange(16.0)
    assert np.allclose(nw.fft(16, 2, input="cyclic").run(x), np.fft.fft(x))
    moved = nw.permute(16, 2, "vector-reversal", dtype="i8").run(np.arange(16))
    assert moved.tolist() == [*range(16)][::-1]
    with pytest.raises(ValueError, match="16"):
        nw.fft(16, 2).run(np.arange(8.0))


@pytest.mark.long
def test_a_program_is_certified(tmp_path):
    program = nw.permute(16, 2, "shuffle")
    found, said = program.certify(), list[str]()
    assert found.holds
    brief = program.certify(1, ran=0, listener=said.append)
    assert (brief.seed, said[0]) == (1, "layout")
    assert "P = 2 is above 0" in brief.verdicts["ran"].evidence
    with pytest.raises(ValueError, match="give the path of its certificate"):
        found.save()
    found.save(tmp_path / "own.cert.json")
    program.save(tmp_path / "shuffle.py")
    again = nw.certify(tmp_path / "shuffle.py")
    assert again.verdicts == found.verdicts
    assert not (tmp_path / "shuffle.cert.json").exists()
    again.save()
    assert (tmp_path / "shuffle.cert.json").exists()


def test_what_is_not_modelled_is_a_value_error(tmp_path):
    program, file = nw.permute(16, 2, "shuffle"), tmp_path / "strange.py"
    contiguous = "np.ascontiguousarray(x)"
    assert contiguous in program.text
    file.write_text(
        program.text.replace(contiguous, contiguous.replace("(x)", "(eval('x'))")), encoding="utf-8"
    )
    with pytest.raises(ValueError, match="eval"):
        nw.certify(file)


def test_a_certificate_says_what_the_command_prints(same, tmp_path):
    nw.permute(16, 2, "shuffle").save(tmp_path / "shuffle.py")
    found = nw.certify(str(tmp_path / "shuffle.py"), ran=0)
    assert same({"certificates": [found.to_dict()]}, "certify", tmp_path / "shuffle.py", "--ran", 0)


def test_a_cost_says_what_a_rank_does_within_its_node_and_between_nodes(same):
    words = "--input", "cyclic", "--output", "cyclic", "--exchange", "node-aware"
    found = nw.fft(64, 8, input="cyclic", output="cyclic", exchange="node-aware").cost()
    assert [tuple(each.values()) for each in found.on_nodes] == [
        (2, 3, 6, 4),
        (4, 1, 4, 6),
        (8, 0, 0, 7),
    ]
    assert same(found.to_dict(), "cost", "fft", "--size", 64, "--ranks", 8, *words)
    assert not nw.fft(64, 8).cost().on_nodes


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: nw.fft(1000, 3, input="cyclic"), "1, 2, 5 or 10 ranks, or 999 or 1008 elements"),
        (lambda: nw.fft("many", 4), "size must be a positive integer"),
        (
            lambda: nw.fft(64, 4, color="red"),
            "unknown option color: the options of fft are input, output",
        ),
        (lambda: nw.fft(64, 4, input="round"), "unknown layout 'round'"),
        (lambda: nw.fht(64, 4, result="power", direction="backward"), "result power"),
        (lambda: nw.permute(64, 4), "the permutation is missing"),
        (lambda: nw.permute(64, 4, "shuffle", matrix="A.npy"), "give one of them"),
        (
            lambda: nw.permute(64, 4, "shuffle", direction="backward"),
            "permute has no option direction",
        ),
        (lambda: nw.program("H(N) = H(N)", 64, 4), "N has no value"),
        (lambda: nw.program("F(N) = I(N)", 64, 4), "refuted: F_64 = I_64"),
        (lambda: nw.program(OWN, 64, 4, N=64, r=8, s=8), "gives N = 64; leave it out"),
        (
            lambda: nw.fft(64, 4).cost(predict=True) and nw.fht(64, 4).cost(predict=True),
            "fht: predict",
        ),
        (lambda: nw.certify("prog.py", ran=-1), "ran = -1: a number of ranks"),
    ],
)
def test_what_is_wrong_is_a_value_error_in_the_words_of_the_command(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(
    ("system", "size", "options"),
    [
        ("rfft", 32, {}),
        ("rfft", 1000, {}),
        ("fft", 1000, {}),
        ("fft", (12, 10), {}),
        ("fft", 60, {"batch": 4}),
        ("fft", 64, {}),
        ("fft", 64, {"local": "butterflies"}),
        ("fft", 64, {"phases": "balanced"}),
        ("fft", 64, {"kernels": "numba"}),
        ("fht", 64, {}),
        ("fht", 64, {"algorithm": "group-cyclic"}),
        ("fht", 12, {"batch": 6}),
        ("hypercube-fft", 64, {}),
    ],
)
def test_the_exchanges_that_an_error_names_are_those_that_the_request_takes(system, size, options):
    make = getattr(nw, system.replace("-", "_"))
    with pytest.raises(ValueError, match="unknown exchange 'pigeon': choose from") as error:
        make(size, 2, exchange="pigeon", **options)
    named = str(error.value).rpartition(" from ")[2].split(", ")
    for exchange in named:
        assert make(size, 2, exchange=exchange, **options).text
    for exchange in {*EXCHANGES, "overlapped", "shared", "node-aware"} - {*named}:
        with pytest.raises(ValueError, match=exchange):
            _ = make(size, 2, exchange=exchange, **options).text


@pytest.mark.parametrize("made", [lambda: nw.permute(16, 4, "bit-reversal"), lambda: nw.fft(16, 4)])
def test_a_check_counts_the_rows_that_it_compares(made):
    evidence = [str(verdict) for verdict in made().check().statements]
    assert any(" 16 " in text for text in evidence)
    assert not any("all 0 " in text for text in evidence)
