"""Commands that draw, and the data flow of programs."""

import json
from dataclasses import asdict

import pytest

from codegen.cost.flow import flow
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.permutation_matrices import Bmmc
from nodewright.api.permutation_calls import permutation

PNG = b"\x89PNG"


@pytest.mark.sampled(12, rest="long")
@pytest.mark.parametrize(
    "words",
    [
        ("layout", "cyclic", "--size", 64, "--ranks", 4),
        ("layout", "hartley", "--size", "2^20", "--ranks", 64),
        ("factor", "--name", "bit-reversal", "--size", 1024, "--ranks", 16),
        ("factor", "--name", "gray-code", "--bits", 80, "--processor-bits", 9),
        ("factor", "--name", "shuffle", "--size", 64, "--ranks", 4, "--layout", "f:0"),
        ("formula", "fft", "--size", 16, "--ranks", 4),
        ("formula", "rfft", "--size", 16, "--ranks", 2),
        ("graph", "fht", "--size", 64, "--ranks", 16),
        ("graph", "fft", "--size", "2^12", "--ranks", 32, "--flow"),
        ("graph", "fft", "--size", 1024, "--ranks", 16, "--flow"),
        ("graph", "fht", "--size", 64, "--ranks", 4, "--flow"),
        ("graph", "permute", "--name", "gray-code", "--size", 64, "--ranks", 4, "--flow"),
    ],
    ids=lambda words: " ".join(map(str, words)),
)
def test_a_command_draws(nodewright, tmp_path, words):
    pytest.importorskip("matplotlib", reason="the extra `plot` is missing")
    status, _, err = nodewright(*words, "--png", tmp_path / "drawn.png")
    assert (status, err) == (0, "")
    assert (tmp_path / "drawn.png").read_bytes().startswith(PNG)


def test_a_data_flow_is_told_step_by_step(nodewright):
    words = ["graph", "fft", "--size", 64, "--ranks", 4, "--output", "cyclic", "--flow"]
    status, out, _ = nodewright(*words)
    assert status == 0
    assert out.splitlines()[0] == "1  L^64_4: 12 messages of 4 elements, every rank sends 3"
    steps = json.loads(nodewright(*words, "--json")[1])["supersteps"]
    found = flow(resolve(make_request("fft", 64, 4, "block", "cyclic")))
    assert [step["words"] for step in steps] == [part.words for part in found]
    assert [tuple(map(tuple, step.get("pairs", ()))) for step in steps] == [
        getattr(part, "pairs", ()) for part in found
    ]


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (
            ("fht", "--algorithm", "group-cyclic"),
            make_request("fht", 64, 4, algorithm="group-cyclic"),
        ),
        (
            ("permute", "--name", "gray-code", "--complement", 48),
            make_request("permute", 64, 4, permutation=Bmmc(permutation("gray-code", 6, 48), "A")),
        ),
    ],
)
def test_a_data_flow_is_that_of_the_program_that_is_asked_for(nodewright, words, asked):
    status, out, _ = nodewright("graph", *words, "--size", 64, "--ranks", 4, "--flow", "--json")
    plain = nodewright("graph", *words[:-2], "--size", 64, "--ranks", 4, "--flow", "--json")[1]
    wanted = json.dumps([asdict(part) for part in flow(resolve(asked))])
    assert status == 0
    assert json.loads(out)["supersteps"] == json.loads(wanted)
    assert json.loads(out) != json.loads(plain)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fft",), "graph supports fht only; got fft; use --flow for the messages"),
        (("fft", "--flow", "--png", "flow.svg"), "the picture is a PNG"),
        (("permute", "--flow"), "the permutation is missing; give --matrix or --name"),
        (("sort", "--flow"), "unknown system 'sort'"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_line(nodewright, words, message):
    status, out, err = nodewright("graph", *words, "--size", 64, "--ranks", 4)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_messages_between_very_many_ranks_are_not_drawn(nodewright):
    words = ["graph", "fft", "--size", "2^18", "--ranks", 512, "--flow"]
    assert nodewright(*words)[:2] == (2, "")
    assert nodewright(*words, "--png", "x.png")[:2] == (2, "")
    status, _, err = nodewright("graph", "fft", "--size", "2^40", "--ranks", "2^20", "--flow")
    assert status == 2
    assert "messages are listed for up to 256 ranks" in err
