"""The data flow of programs is what their cost counts."""

from collections import Counter

import numpy as np
import pytest

from codegen.cost.counted import relations, sent_by
from codegen.cost.flow import Sends, Works, flow
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bmmc import gray_code, identity, vector_reversal
from nodewright.show.flow_picture import drawn, said

SPECS = [
    make_request("fft", 1024, 4),
    make_request("fft", 64, 16),
    make_request("fft", 64, 16, "cyclic", "cyclic"),
    make_request("fft", 1024, 4, exchange="overlapped"),
    make_request("fft", 1024, 8, local="butterflies"),
    make_request("fft", 16, 1),
    make_request("hypercube-fft", 64, 4, scheme="2"),
    make_request("hypercube-fft", 64, 4, scheme="3"),
    make_request("hypercube-fft", 64, 8, scheme="5"),
    make_request("fht", 64, 4),
    make_request("fht", 256, 8, output="cyclic"),
    make_request("fht", 1024, 4, algorithm="group-cyclic"),
    make_request("fht", 64, 4, direction="backward", input="hartley", output="block"),
    make_request("permute", 64, 8, permutation=Bmmc(gray_code(6), "A")),
    make_request("permute", 64, 8, permutation=Bmmc(vector_reversal(6), "A")),
]


@pytest.mark.parametrize("asked", SPECS, ids=lambda asked: f"{asked.system} {asked.N} {asked.P}")
def test_messages_and_words_are_those_that_are_counted(asked):
    program = resolve(asked)
    sends = [part for part in flow(program) if isinstance(part, Sends)]
    messages, words = sent_by(program, np.arange(program.P))
    counted = Counter(source for part in sends for source, _ in part.pairs)
    assert [counted[k] for k in range(program.P)] == messages.tolist()
    most = Counter[int]()
    for part in sends:
        for source, _ in part.pairs:
            most[source] += part.elements
    assert max((most[k] for k in range(program.P)), default=0) == int(words.max())
    assert len([part for part in sends if part.pairs]) == len([h for h in relations(program) if h])


@pytest.mark.parametrize("asked", SPECS, ids=lambda asked: f"{asked.system} {asked.N} {asked.P}")
def test_no_rank_sends_to_itself_or_twice_to_another(asked):
    for part in flow(resolve(asked)):
        assert part.words
        if isinstance(part, Sends):
            assert len(set(part.pairs)) == len(part.pairs)
            assert all(source != target for source, target in part.pairs)


@pytest.mark.parametrize("asked", SPECS, ids=lambda asked: f"{asked.system} {asked.N} {asked.P}")
def test_every_superstep_has_its_line_below_the_picture(asked):
    program = resolve(asked)
    shown = [shape.text for shape in drawn(program).shapes if hasattr(shape, "text")]
    for i, part in enumerate(flow(program), 1):
        assert f"{i}  {said(part, program.P)}" in shown


def test_a_program_that_does_nothing_says_so():
    program = resolve(make_request("permute", 4, 2, permutation=Bmmc(identity(2), "A")))
    assert flow(program) == ()
    assert "no rank computes or sends" in [s.text for s in drawn(program).shapes]


def test_long_formulas_are_cut():
    assert said(Works("F_2 " * 100), 4).endswith("F_2  .., within every rank")


def test_messages_of_unequal_parts_have_their_sizes():
    whole = make_request("fft", 20, 3, shape=(5, 4), input="block,whole", output="block,whole")
    there, back = (part for part in flow(resolve(whole)) if isinstance(part, Sends))
    assert (there.elements, there.least, len(there.pairs)) == (4, 2, 4)
    assert (back.elements, back.least) == (4, 2)
    assert ": 4 messages of 2 to 4 elements, every rank sends at most 2" in said(there, 3)
