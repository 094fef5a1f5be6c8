"""Heads of programs that say something else than the text below them: each is refused by
its line.
"""

import math

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine
from proofs.certify.checks.suite import tried
from proofs.certify.head import refuse_head
from tests.support.evaluations import evaluated
from tests.support.judged import refuted
from tests.support.programs import fft, permute

OTHERS = [
    make_request(
        "fft", 64, 4, exchange="shared", direction="backward", norm="ortho", dtype="complex64"
    ),
    make_request("fft", 64, 4, "cyclic", phases="paired"),
    make_request("hypercube-fft", 64, 4, "bit-reversed", "scrambled", scheme="5r"),
    make_request("fht", 64, 4, algorithm="group-cyclic", direction="backward"),
    make_request("fht", 64, 4, result="dft", dtype="float32"),
    make_request("fht", 64, 4, convolve=True, kernels="numba"),
    make_request(
        "permute", 8, 2, permutation=Bmmc(Affine((1, 3, 4), 3, 5), "a/b c.txt"), dtype="i4,f8"
    ),
]
BEFORE = "Before  rank s holds x[j] at offset o for every index j with input_place(j) = (s, o)"
AFTER = (
    "After   rank s holds y[k] at offset o for every index k with output_place(k) = (s, o), and"
    " y = F_16 x; x is unchanged"
)
LINES = {
    "the size": ("of N = 16", "of N = 32"),
    "the ranks": ("on P = 4", "on P = 2"),
    "the direction": ("ranks: forward", "ranks: backward"),
    "the type": ("complex128, numpy kernels", "complex64, numpy kernels"),
    "the factor": ("    y = F_16 x,", "    y = 1/16 F_16 x,"),
    "the sign": ("w = exp(-2", "w = exp(2"),
    "the factorization": ("T^16_4", "T^16_8"),
    "the command": ("--size 16", "--size 32"),
    "what is asked for": ("--ranks 4", "--ranks 4 --norm ortho"),
    "a layout": ("Input   block", "Input   cyclic"),
    "messages": ("at most ", "at most 1"),
    "words": (" words sent", "0 words sent"),
    "flops": (" flops", "0 flops"),
    "how it is started": ("mpiexec -n 4", "mpiexec -n 8"),
    "the rank of an index": ("lives on rank j div 4", "lives on rank j mod 4"),
    "an offset": ("offset j mod 4\n", "offset j div 4\n"),
    "what is held before": ("Made by ", f"{BEFORE.replace('(s, o)', '(o, s)')}\nMade by "),
    "where results are": ("Made by ", f"{AFTER.replace('output', 'input')}\nMade by "),
    "what becomes of x": ("Made by ", f"{AFTER.replace('unchanged', 'overwritten')}\nMade by "),
    "what comes out": ("Made by ", f"{AFTER.replace('F_16', 'F_16 F_16')}\nMade by "),
}


def refused(text):
    """Return how the head of a text is refused."""
    _, d = evaluated(text)
    with pytest.raises(ValueError, match="the docstring has") as caught:
        refuse_head(d, "prog.py", text)
    return str(caught.value)


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("asked", OTHERS, ids=str)
def test_the_head_of_an_emitted_program_is_what_is_counted_and_named(asked):
    text = emit(resolve(asked))
    refuse_head(evaluated(text)[1], "prog.py", text)


CONVOLVED = emit(resolve(make_request("fft", 257, 3, direction="backward")))


@pytest.mark.parametrize(
    ("old", "new"),
    [("", ""), ("F_1024", "F_512"), ("Chirp_{1024,257}", "Chirp_{1024,258}"), ("1/257", "1/256")],
)
def test_a_head_states_bluesteins_formula(old, new):
    text = CONVOLVED.replace(old, new, 1)
    if old:
        assert new in refused(text)
    else:
        refuse_head(evaluated(text)[1], "prog.py", text)


def test_a_head_may_say_what_holds_before_and_after():
    text = fft().replace("Made by ", f"{BEFORE}\n{AFTER}\nMade by ", 1)
    refuse_head(evaluated(text)[1], "prog.py", text)


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", LINES)
def test_a_head_that_says_something_else_is_refused(name):
    old, new = LINES[name]
    head, mark, rest = fft().partition("import contextlib")
    assert old in head
    refused(head.replace(old, new, 1) + mark + rest)


WAITS = {"a barrier each", "4 barriers", "5 barriers", "two barriers each"}


@pytest.mark.parametrize("said", [*sorted(WAITS), "3 barriers", "6 barriers"])
def test_ranks_that_share_memory_wait_once_or_twice_in_each_of_three_exchanges(said):
    text = emit(resolve(make_request("fft", 64, 4, exchange="shared")))
    text = text.replace("memory in 3", "memory or stored there in 3", 1)
    text = text.replace("a barrier each", said, 1)
    if said in WAITS:
        refuse_head(evaluated(text)[1], "prog.py", text)
    else:
        assert said in refused(text)


def test_a_permutation_of_another_name_is_refused():
    text = permute("bit-reversal", 16, 2)
    refused(text.replace("--name bit-reversal", "--name gray-code"))


@pytest.mark.long
def test_a_text_whose_head_says_something_else_has_no_certificate():
    with pytest.raises(ValueError, match=r"prog.py, line \d+: the docstring has .*--size 32"):
        tried("prog.py", fft().replace("--size 16", "--size 32", 1), 0)


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("head", ["", '"""My own transform, y = A x.\n\nInput x: a vector."""\n'])
def test_a_head_of_ones_own_may_say_nothing_of_this(head):
    _, mark, rest = fft().partition("import contextlib")
    assert refuted(head + mark + rest) == {}


def test_a_line_of_cost_may_say_less_and_have_other_spaces():
    _, mark, rest = fft().partition("import contextlib")
    line = next(each for each in fft().splitlines() if each.startswith("Cost"))
    said = " ".join(line.split()).rpartition(",")[0]
    head = '"""My own transform.\n\n{}\n"""\n'
    refuse_head(evaluated(fft())[1], "prog.py", head.format(said) + mark + rest)
    for wrong in (said.replace(" words", "0 words"), said[:-1], said.rpartition(" in ")[0]):
        refused(head.format(wrong) + mark + rest)


@pytest.mark.parametrize(
    "line",
    [
        "Output  cyclic: y[j] lives on rank j mod 4, offset j div 4",
        "After   all is well",
        "Made by nodewright generate fft --size 16 --ranks 2",
    ],
)
def test_a_line_of_a_head_is_read_by_itself(line):
    _, mark, rest = fft().partition("import contextlib")
    refused(f'"""My own transform.\n\n    y = A x\n\n{line}\n"""\n{mark}{rest}')


@pytest.mark.parametrize(
    ("ends", "sizes", "lives"),
    [
        (
            ("block,whole,whole", "whole,whole,block"),
            {"shape": (12, 10, 8), "grid": (4, 1, 1), "batch": 3},
            "x[b, j_0, j_1, j_2] lives on rank j_0 div 3, offset (b, j_0 mod 3, j_1, j_2)",
        ),
        (
            ("cyclic", "block"),
            {"shape": (16, 36), "grid": (2, 2)},
            "x[j_0, j_1] lives on rank (j_0 mod 2, j_1 mod 2) of the grid 2 x 2, offset (j_0 div 2,"
            " j_1 div 2)",
        ),
    ],
)
def test_a_head_of_arrays_may_say_where_elements_live_by_axis(ends, sizes, lives):
    N = math.prod(sizes["shape"]) * sizes.get("batch", 1)
    text = emit(resolve(make_request("fft", N, 4, *ends, **sizes)))
    assert f"Input   {ends[0]}: {lives}\n" in text
    refuse_head(evaluated(text)[1], "prog.py", text)
    refused(text.replace(lives, lives.replace("j_0", "j_1", 1), 1))
    refused(text.replace(lives, lives.replace("offset (", "offset (1 + ", 1), 1))


OF_ARRAYS = {
    "order": ("the last axis fastest", "the first axis fastest"),
    "places": ("(b, j_0, j_1, j_2 mod 2)", "(b, j_0, j_1, j_2)"),
    "shape": ("before and (3, 12, 10, 2)", "before and (3, 12, 10, 4)"),
    "title": ("3 arrays of N", "2 arrays of N"),
    "equation": ("y = (I_3 ⊗ F_12", "y = (I_3 ⊗ F_10"),
    "cost": ("540 words", "270 words"),
    "command": ("--batch 3", "--batch 4"),
}


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", OF_ARRAYS)
def test_a_head_of_arrays_that_says_something_else_is_refused(name):
    old, new = OF_ARRAYS[name]
    ends = "block,whole,whole", "whole,whole,block"
    text = emit(
        resolve(make_request("fft", 2880, 4, *ends, shape=(12, 10, 8), grid=(4, 1, 1), batch=3))
    )
    assert old in text
    refused(text.replace(old, new, 1))
