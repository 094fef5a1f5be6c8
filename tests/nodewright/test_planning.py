"""`nw.search`: plans with derivations that replay, programs that compute, and one line for what is
no search.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

import nodewright as nw
from codegen.cost.counted import Machine
from codegen.program.prepare import prepared
from codegen.search.prices import figures_of
from nodewright.planning.searching import search
from proofs.replay.certificate_steps import said
from tests.support.schemas import validator


def test_the_plans_of_a_large_transform_are_found_with_what_they_stand_for():
    found = search("F(2^30)", "2^10", best=2)
    assert len(found) == 2
    assert found.least.words == 2**20
    assert found[0].price <= found[1].price
    assert found[0].figures.exchanges == 3
    assert figures_of(found[0].program().lowered) == found[0].figures


def test_a_derivation_that_was_found_is_read_again_and_proved(tmp_path):
    file = tmp_path / "plan.derivation"
    (plan,) = search(2**8, 4, input="cyclic", output="cyclic", best=1)
    file.write_text(plan.script(), encoding="utf-8")
    again = nw.Derivation.read(file)
    assert again.formula == plan.derivation.formula
    assert again.end().kind == "proved"


def test_the_factorization_of_a_plan_is_the_derived_one_at_its_radices():
    (plan,) = search(2**8, 4, best=1)
    left, right = plan.derivation.end().statement.split(" = ", 1)
    assert nw.check(f"{left} = {right}", **plan.values).holds
    assert nw.check(f"F(256) = {plan.formula}").holds


def test_a_damaged_derivation_is_refused(tmp_path):
    file = tmp_path / "plan.derivation"
    (plan,) = search(2**8, 4, best=1)
    wrong = plan.script().replace(
        "apply cooley-tukey with r=r_1,", "apply cooley-tukey with r=r_2,"
    )
    assert wrong != plan.script()
    file.write_text(wrong, encoding="utf-8")
    with pytest.raises(ValueError, match="line"):
        nw.Derivation.read(file)


@pytest.mark.long
@pytest.mark.parametrize("exchange", ["alltoall", "shared"])
def test_programs_of_plans_compute_the_transform(exchange):
    for plan in search(2**6, 2, best=2, prices={"flops": 0}):
        x = np.exp(1j * np.arange(64))
        assert np.allclose(plan.program(exchange=exchange).run(x), np.fft.fft(x))


@pytest.mark.long
def test_a_plan_with_a_butterfly_between_two_ranks_has_a_derivation_and_a_program():
    (plan,) = search(2**6, 2, best=1, kernels="numba")
    assert plan.plan.across
    assert str(plan.formula) == "(F_2 ⊗ I_32) T^64_32 (I_2 ⊗ F_32) L^64_2"
    assert plan.derivation.end().kind == "proved"
    x = np.exp(1j * np.arange(64))
    assert np.allclose(plan.program().run(x), np.fft.fft(x))


@pytest.mark.long
@pytest.mark.parametrize(("size", "ranks"), [(60, 2), ("6x8", "2x2")])
def test_plans_of_any_size_and_of_axes_have_derivations_and_programs(size, ranks, tmp_path):
    plan = search(size, ranks)[-1]
    file = tmp_path / "plan.derivation"
    file.write_text(plan.script(), encoding="utf-8")
    again = nw.Derivation.read(file)
    assert again.end().kind == "proved"
    program = plan.program(norm="ortho")
    assert figures_of(program.lowered) == plan.figures
    assert program.check().holds
    assert nw.check(again.end().statement, **plan.values).holds
    x = np.exp(1j * np.arange(program.request.N)).reshape(program.request.whole)
    assert np.allclose(program.run(x), np.fft.fftn(x, norm="ortho"))


@pytest.mark.long
@pytest.mark.parametrize(("size", "ranks"), [(60, 2), (2**6, 2), (2**8, 4)])
def test_every_plan_of_a_search_replays_in_the_kernel_and_makes_its_program(size, ranks, tmp_path):
    file, plans = tmp_path / "plan.derivation", search(size, ranks, best=4)
    assert len(plans) == 4
    for plan in plans:
        file.write_text(plan.script(), encoding="utf-8")
        derivation = nw.Derivation.read(file)
        (line,) = said(derivation.end().certificate)
        assert line.startswith(f"proved plan: {derivation.equation}: ")
        generated = nw.program(derivation, size, ranks, **plan.values, norm="ortho")
        forms = plan.formula, prepared(plan.formula)
        assert generated.lowered.equation.right in forms
        x = np.exp(1j * np.arange(size))
        assert np.allclose(generated.run(x), np.fft.fft(x, norm="ortho"))


def test_a_search_of_any_size_has_the_least_that_is_sent_and_counts_its_plans():
    found = search(1000, 10, input="cyclic", output="cyclic", best=1)
    assert found[0].figures.words == found.least.words == 90
    assert found.considered == 215
    assert "groups" not in found.head


def test_prices_decide():
    by_words = search(2**10, 2**6, input="cyclic", output="cyclic", best=1)
    by_messages = search(
        2**10, 2**6, input="cyclic", output="cyclic", best=1, prices={"messages": 1e6}
    )
    assert by_messages[0].figures.messages < by_words[0].figures.messages
    assert by_messages[0].figures.words > by_words[0].figures.words


def test_a_machine_gives_the_prices():
    machine = Machine("m", 1e9, 3.0, 500.0, ((4, 7.0, 900.0),))
    found = search(1024, 4, cost=machine)
    assert (found.prices.words, found.prices.exchanges) == (7.0, 900.0)


WRONG = [
    ({"transform": "H(8)", "ranks": 2}, "a search is for F"),
    ({"transform": "F(14)", "ranks": 4}, "4 ranks have unequal parts of 14 elements"),
    ({"transform": "12x10", "ranks": 3}, "3 ranks have unequal parts of 12x10 elements"),
    ({"transform": 16, "ranks": 16}, "16 ranks have unequal parts of 16 elements"),
    ({"transform": 16, "ranks": 2, "best": 0}, "best must be from 1 to 20; got 0"),
    ({"transform": 16, "ranks": 2, "prices": {"nonsense": 1}}, "prices are those of exchanges"),
    ({"transform": 16, "ranks": 2, "kernels": "gray"}, "unknown kernel 'gray': choose from numpy"),
    ({"transform": 16, "ranks": 2, "input": "hartley"}, "unknown layout"),
]


@pytest.mark.parametrize(("stated", "said"), WRONG)
def test_what_is_no_search_is_refused(stated, said):
    with pytest.raises(ValueError, match=said):
        search(**stated)


def test_an_option_that_the_search_has_taken_is_refused():
    others = "direction, norm, exchange, dtype"
    with pytest.raises(ValueError, match=f"option kernels: the options of a plan are {others}"):
        search(16, 2)[0].program(kernels="numba")


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("size", ["2^8", "16x16"])
def test_the_command_prints_json_and_writes_the_derivation_and_the_program(
    size, tmp_path, nodewright
):
    files = tmp_path / "best.derivation", tmp_path / "best.py"
    words = ["--size", size, "--ranks", "4", "--best", "2", "--prices", "messages=10,passes=0"]
    words += ["-o", str(files[0]), "--program", str(files[1]), "--plan", "2", "--json"]
    code, out, err = nodewright("search", *words)
    assert (code, err) == (0, "")
    found = json.loads(out)
    validator("search").validate(found)
    assert found["prices"]["messages"] == 10
    plan = search(size, 4, best=2, prices={"messages": 10, "passes": 0})[1]
    assert files[0].read_text(encoding="utf-8") == found["plans"][1]["derivation"] == plan.script()
    assert files[1].read_text(encoding="utf-8") == plan.program().text


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("plan", [0, 4])
def test_the_command_refuses_a_plan_that_it_does_not_show(plan, tmp_path, nodewright):
    file = tmp_path / "best.derivation"
    words = "--size", 12, "--ranks", 2, "--plan", plan, "-o", file
    code, _, err = nodewright("search", *words)
    assert (code, file.exists()) == (2, False)
    assert err == f"nodewright: --plan must be from 1 to 3; got {plan}\n"


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("prices", ["words", "words=many"])
def test_the_command_refuses_what_is_no_price(prices, nodewright):
    code, _, err = nodewright("search", "--size", 16, "--ranks", 2, "--prices", prices)
    assert code == 2
    assert err == f"nodewright: --prices {prices}: a price is written words=8\n"
