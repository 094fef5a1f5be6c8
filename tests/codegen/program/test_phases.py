"""Section 4 of Inda & Bisseling: phases of any size, generalized butterflies, virtual processors;
each checked exactly, emitted and certified.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise, product
from math import prod

import numpy as np
import pytest

from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.program.digits.digit_supersteps import Transform
from codegen.program.meaning import check as check_program
from codegen.program.resolve import resolve
from codegen.program.stages.generalized_butterflies import Butterflies
from codegen.requests import make_request
from codegen.systems.exchanges import EXCHANGES
from derive.exact.action import act
from derive.exact.exact_check import check
from derive.exact.rings import Monomials
from derive.formula import grammar as f
from derive.formula import transforms
from derive.papers import bsp, bsp_phases, bsp_variants
from derive.text import elaborate
from derive.text.parse import parse
from derive.verdict import Checked, Refuted
from proofs.certify.program import certify
from tests.support.programs import build, module_of
from tests.support.worlds import run

pytestmark = pytest.mark.sampled(24)

SIZES = [(2**n, 2**p) for n in range(1, 7) for p in range(n)]


def compositions(n, most):
    """Yield all ways to write n as a sum of numbers from 1 to `most`, in order."""
    if n == 0:
        yield ()
    for first in range(1, min(n, most) + 1):
        yield from ((first, *rest) for rest in compositions(n - first, most))


def all_phases(N, P):
    """Return the sizes of all phases that there are."""
    n, m = N.bit_length() - 1, (N // P).bit_length() - 1
    return [tuple(2**k for k in stages) for stages in compositions(n, m)]


def virtual_processors(N, P):
    """Return the numbers of virtual processors that a rank can have, 1 being none."""
    return [1, *bsp_phases.powers_of_two(2, N // P // 2)] if N // P >= 4 else [1]


@pytest.mark.parametrize(("N", "P"), SIZES)
def test_every_choice_of_phases_is_the_fourier_matrix(N, P):
    for phases in all_phases(N, P):
        forms = [bsp.group_cyclic(N, P, 1, phases), bsp.equation_2_8(N, P, phases)]
        forms += [bsp_variants.butterflies(N, P, phases, v) for v in virtual_processors(N, P)]
        for equation in forms:
            assert isinstance(check(equation), Checked), str(equation)


@pytest.mark.parametrize(
    "local", ["library", "butterflies", "cache-friendly:2", "cache-friendly:4"]
)
@pytest.mark.parametrize(("N", "P"), [(64, 4), (64, 8), (128, 4)])
def test_supersteps_of_every_choice_compute_the_fourier_matrix(N, P, local):
    if local.startswith("cache-friendly") and N // P < 16:
        pytest.skip("too few elements for so many virtual processors")
    for phases, layouts in zip(
        all_phases(N, P),
        [("block", "block"), ("cyclic", "cyclic"), ("cyclic", "bit-reversed")] * 99,
        strict=False,
    ):
        program = build("fft", N, P, *layouts, phases=",".join(map(str, phases)), local=local)
        assert isinstance(check_program(program), Checked)


@pytest.mark.parametrize(("n", "p"), [(n, p) for n in range(1, 16) for p in range(n)])
def test_named_phases_are_as_few_as_there_can_be_and_what_their_names_say(n, p):
    N, P = 2**n, 2**p
    named = {
        name: bsp_variants.chosen_phases(N, P, name) for name in ("leftmost", "paired", "balanced")
    }
    H = bsp_phases.phases(N, P)
    assert named["leftmost"] == bsp_phases.radices(N, P)
    for phases in named.values():
        assert len(phases) == H
        bsp_phases.distributions(N, P, phases)
    stages = {name: [d.bit_length() - 1 for d in phases] for name, phases in named.items()}
    assert max(stages["balanced"]) - min(stages["balanced"]) <= 1
    odd = (
        {sum(k % 2 for k in found) for found in compositions(n, n - p) if len(found) == H}
        if n <= 11
        else {sum(k % 2 for k in stages["paired"])}
    )
    assert sum(k % 2 for k in stages["paired"]) == min(odd)


@pytest.mark.parametrize(("N", "P"), SIZES)
def test_data_moves_as_seldom_as_the_phases_allow(N, P):
    """Of all groups that section 4.2 allows, some max(1, K d P/N) <= u <= min(K, P) in each phase,
    those chosen change least often.
    """
    n = N // P
    for phases in all_phases(N, P):
        done = list(accumulate(phases, lambda a, b: a * b, initial=1))
        allowed = [
            [u for u in bsp_phases.powers_of_two(1, P) if max(1, K * d // n) <= u <= min(K, P)]
            for K, d in zip(done[:-1], phases, strict=True)
        ]
        chosen = bsp_phases.distributions(N, P, phases)
        assert all(u in of for u, of in zip(chosen, allowed, strict=True))
        least = min(changes(groups) for groups in product(*allowed))
        assert changes(chosen) == least
        program = build("fft", N, P, "cyclic", "cyclic", phases=",".join(map(str, phases)))
        assert sum(step.exchanges for step in program.steps) == least


def changes(groups):
    return sum(a != b for a, b in pairwise(groups))


@pytest.mark.parametrize(
    ("k", "w", "v", "n", "u"),
    [(2, 1, 2, 8, 2), (2, 2, 2, 8, 4), (4, 2, 4, 16, 2), (2, 4, 4, 16, 1), (4, 4, 4, 16, 4)],
)
def test_stages_on_virtual_processors_have_the_weights_of_4_5(k, w, v, n, u):
    c = n // v
    wanted = np.zeros((u * n, u * n), complex)
    for s in range(u):
        for i in range(v):
            alpha = Fraction(Fraction(s, u) + i % w, w)
            omega = np.diag([np.exp(2j * np.pi * float((j + alpha) / k)) for j in range(k // 2)])
            stage = np.kron(
                np.eye(c // k), np.block([[np.eye(k // 2), omega], [np.eye(k // 2), -omega]])
            )
            place = s * n + i * c
            wanted[place : place + c, place : place + c] = stage
    ring = Monomials(64)
    exponents = act(transforms.HatSum(k, w, v, n, u), ring.units(u * n, range(u * n)), ring)
    zero = ring.units(2, range(1))[1, 0]
    made = np.where(exponents == zero, 0, np.exp(2j * np.pi * exponents / 64))
    assert np.allclose(made, wanted)


@pytest.mark.parametrize("local", ["library", "butterflies", "cache-friendly:4"])
def test_what_is_printed_can_be_typed_back_in(local):
    equation = bsp_variants.emitted(64, 4, "4,16", local)
    assert isinstance(elaborate.check(parse(str(equation)), {}, 0), Checked)


def test_cyclic_input_is_local_for_butterflies_too():
    """(4.2): the cyclic layout is a natural input form, and the cyclic output skips the last
    permutation.
    """
    for N, P in ((64, 4), (64, 8), (256, 16)):
        assert count(build("fft", N, P, "cyclic", "cyclic", local="butterflies")).exchanges == 1
        assert count(build("fft", N, P, "block", "cyclic", local="butterflies")).exchanges == 2
        assert count(build("fft", N, P, local="butterflies")).exchanges == 3


def test_stages_of_a_phase_are_one_step():
    steps = build("fft", 1024, 4, "cyclic", "cyclic", local="butterflies").steps
    found = [step for step in steps if isinstance(step, Butterflies)]
    assert [(step.first, step.last, step.b, step.u, step.w) for step in found] == [
        (2, 256, 256, 1, 1),
        (128, 256, 256, 4, 1),
    ]
    assert not any(isinstance(step, Transform) for step in steps)


@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        ("4,8", "phases 4,8: their product is 32, not N = 64"),
        ("4,32", r"each phase must be a power of two from 2 to N/P = 16; got 32 in 4,32"),
        ("3,16", "got 3 in 3,16"),
        ("1,16,4", "got 1 in 1,16,4"),
        (
            "16,4,",
            "phases '16,4,': choose leftmost, paired, balanced, reproducible or sizes such as"
            r" 4,8,2\^5",
        ),
        ("rightmost", "phases 'rightmost': choose"),
        ("2^2,3^2", r"got 9 in 4,9"),
        ("2^2^1,16", r"phases '2\^2\^1,16': choose"),
        ("2^,16", r"phases '2\^,16': choose"),
    ],
)
def test_other_phases_are_refused(choice, complaint):
    with pytest.raises(ValueError, match=complaint):
        build("fft", 64, 4, phases=choice)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            {"local": "fast"},
            (
                "unknown local 'fast': choose from library, butterflies, cache-friendly,"
                " cache-friendly:V"
            ),
        ),
        ({"local": "library:2"}, "unknown local 'library:2'"),
        (
            {"local": "cache-friendly:16"},
            (
                "'cache-friendly:16' with 16 elements a rank: virtual processors are a power of two"
                " from 2 to 16/2"
            ),
        ),
        ({"local": "cache-friendly:3"}, "'cache-friendly:3' with 16"),
        (
            {"local": "cache-friendly:2^5"},
            r"'cache-friendly:2\^5' with 16 elements a rank: virtual processors",
        ),
        ({"local": "cache-friendly:"}, "'cache-friendly:' with 16"),
        (
            {"local": "butterflies", "exchange": "overlapped"},
            "exchange overlapped with local butterflies: ",
        ),
    ],
)
def test_other_forms_are_refused(words, complaint):
    with pytest.raises(ValueError, match=complaint):
        build("fft", 64, 4, **words)


def test_two_elements_are_not_divided_among_virtual_processors():
    with pytest.raises(
        ValueError,
        match=(
            "'cache-friendly' with 2 elements a rank: at least 2 virtual processors of 2 elements"
        ),
    ):
        build("fft", 16, 8, local="cache-friendly")


def test_sizes_may_be_powers():
    found = make_request("fft", 64, 4, phases="2^2,4,2^2", local="cache-friendly:2^2")
    assert (found.phases, found.local) == ("4,4,4", "cache-friendly:4")


def test_a_default_that_is_named_is_the_default():
    for words in (
        {"phases": "leftmost", "local": "library"},
        {"phases": "16,4"},
        {"phases": "2^4,2^2"},
    ):
        assert emit(resolve(make_request("fft", 64, 4, **words))) == emit(
            resolve(make_request("fft", 64, 4))
        )
    assert make_request("fft", 64, 4, phases="balanced").phases == "8,8"


@pytest.mark.sampled(24)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("local", ["library", "butterflies"])
@pytest.mark.parametrize(("N", "P"), [(2**n, 2**p) for n in range(2, 14) for p in range(n)])
def test_no_named_choice_costs_less_than_the_default(N, P, local):
    def counted(phases):
        cost = count(build("fft", N, P, local=local, phases=phases))
        return cost.exchanges, cost.flops

    assert counted("") == min(counted(name) for name in ("leftmost", "paired", "balanced"))


def test_butterflies_take_the_phases_with_fewest_flops_where_none_are_named():
    """2^11 elements on 2^6 ranks: 5, 5 and 1 stages leftmost, 5, 4 and 2 paired."""
    default, leftmost = (
        count(build("fft", 2**11, 2**6, local="butterflies", phases=phases))
        for phases in ("", "leftmost")
    )
    assert default == count(build("fft", 2**11, 2**6, local="butterflies", phases="paired"))
    assert default.flops < leftmost.flops
    assert (
        make_request("fft", 2**11, 2**6, local="butterflies", phases="leftmost").phases == "32,32,2"
    )


FORMS = [
    ("", "butterflies"),
    ("", "cache-friendly:4"),
    ("8,8,4", ""),
    ("4,4,16", "butterflies"),
    ("8,8,4", "cache-friendly:2"),
    ("4,8,8", ""),
]


def transformed(text, x, P):
    """Return what an emitted program makes of x on ranks in one process."""
    module = module_of(text)
    M, j = len(x) // P, np.arange(len(x))

    def body(comm):
        rank, offset = module.input_place(j)
        mine = np.empty(M, module.DTYPE)
        mine[offset[rank == comm.rank]] = x[rank == comm.rank]
        plan = module.plan(comm)
        y = module.transform(mine, plan)
        plan.free()
        return y

    rank, offset = module.output_place(j)
    return np.array(run(P, body).results)[rank, offset]


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(("phases", "local"), FORMS)
def test_emitted_programs_of_these_forms_transform(phases, local, exchange):
    N, P = 256, 8
    x = np.exp(1j * np.arange(N) ** 1.5)
    for direction, wanted in (("forward", np.fft.fft(x)), ("backward", np.fft.ifft(x))):
        form = {"phases": phases, "local": local, "direction": direction}
        y = transformed(
            emit(resolve(make_request("fft", N, P, "cyclic", "block", exchange, **form))), x, P
        )
        assert np.linalg.norm(y - wanted) < 1e-14 * np.linalg.norm(wanted) * 8


def test_pieces_of_a_stage_join():
    """More elements than a piece has, in long butterflies and in many short ones."""
    N = 2**17
    x = np.exp(1j * np.arange(N) ** 1.3)
    y = transformed(
        emit(resolve(make_request("fft", N, 2, "cyclic", "cyclic", local="butterflies"))), x, 2
    )
    assert np.linalg.norm(y - np.fft.fft(x)) < 1e-13 * np.linalg.norm(y)


@pytest.mark.sampled(24)
@pytest.mark.long
@pytest.mark.parametrize(("phases", "local"), FORMS)
@pytest.mark.parametrize("dtype", ["complex128", pytest.param("complex64", marks=pytest.mark.slow)])
def test_texts_of_these_forms_are_certified(tmp_path, phases, local, dtype):
    path, N = tmp_path / "fft.py", prod(map(int, phases.split(","))) if phases else 64
    path.write_text(
        emit(
            resolve(
                make_request(
                    "fft", N, 4, "cyclic", "block", phases=phases, local=local, dtype=dtype
                )
            )
        ),
        encoding="utf-8",
    )
    certificate = certify(path, ran=0)
    assert certificate.holds
    assert (certificate.declared.get("phases", ""), certificate.declared.get("local", "")) == (
        phases,
        local,
    )


MUTANTS = {
    "weights exchanged": ("w[0] * x[:, 2], w[1] * x[:, 1]", "w[1] * x[:, 2], w[0] * x[:, 1]"),
    "rows exchanged": ("y[:, 1] = b + d", "y[:, 1] = b - d"),
    "the sign of i": ("SIGN * 1j * (yw1 - yw3)", "-SIGN * 1j * (yw1 - yw3)"),
    "a difference for a sum": ("a, b = y0 + yw2, y0 - yw2", "a, b = y0 - yw2, y0 - yw2"),
    "a pair for the last stage": ("if k == 2 * last else []", "if k == 4 * last else []"),
    "no alpha": ("(place % h * u + t)", "(place % h * u)"),
    "the wrong group": ("4, rank % 8, 8)", "4, rank, 8)"),
    "one block's weights for all": ("plan.weights_4)", "plan.weights_4[:1] * 4)"),
    "the second stage alone": ("y[:, 1] = y0 - yw1", "y[:, 1] = y0 + yw1"),
    "other phases than declared": ('PHASES = "4,4,16"', 'PHASES = "4,16,4"'),
}


@pytest.mark.sampled(24)
@pytest.mark.long
@pytest.mark.parametrize("name", MUTANTS)
def test_wrong_butterflies_are_refused(tmp_path, name):
    texts = [
        emit(resolve(make_request("fft", 256, 8, phases="4,4,16", local=local)))
        for local in ("butterflies", "cache-friendly:4")
    ]
    texts += [emit(resolve(make_request("fft", 128, 16, local="butterflies")))]
    before, after = MUTANTS[name]
    changed = [text.replace(before, after) for text in texts if text.replace(before, after) != text]
    assert changed
    path = tmp_path / "fft.py"
    assert any(
        path.write_text(text, encoding="utf-8") and not certify(path).holds for text in changed
    )


WRONG = {
    "the weights of another rank": lambda stage: (
        transforms.HatSum(stage.k, stage.w, stage.v, stage.n, 2)
        if isinstance(stage, transforms.HatSum)
        else None
    ),
    "one virtual processor less": lambda stage: (
        transforms.HatSum(stage.k, 1, stage.v, stage.n, stage.u)
        if isinstance(stage, transforms.HatSum) and stage.w > 1
        else None
    ),
    "another group in phase 0": lambda stage: (
        transforms.AHat(stage.k, 3 - stage.u, stage.p, stage.N)
        if isinstance(stage, transforms.AHat)
        else None
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_stage_is_refused_by_name(name):
    equation = bsp_variants.butterflies(64, 4, (4, 16), 2)
    factors, tried = f.factors_of(equation.right), 0
    for i, factor in enumerate(factors):
        left, stage = (
            (factor.left, factor.right) if isinstance(factor, f.Kron) else (f.I(1), factor)
        )
        changed = WRONG[name](stage)
        if changed is not None:
            other = (
                f.kron(f.I(64 // changed.size), changed)
                if isinstance(changed, transforms.HatSum)
                else f.kron(left, changed)
            )
            right = f.product([*factors[:i], other, *factors[i + 1 :]])
            verdict = check(replace(equation, right=right))
            assert isinstance(verdict, Refuted)
            assert f"factor {len(factors) - i} from the right" in str(verdict)
            tried += 1
    assert tried
