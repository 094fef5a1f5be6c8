"""The records of the systems: options are declared once, and what is wrong is told from them."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.system_table import (
    ALL,
    EXCHANGE,
    INPUT,
    OPTIONS,
    OUTPUT,
    SYSTEMS,
    having,
    help_of,
    listed_names,
    options_of,
    owners_of,
)
from codegen.systems.exchanges import WAYS
from codegen.systems.formula import OF_EXPRESSION
from codegen.systems.record import DEFAULTS, Option, System
from derive.formula.transforms import F
from derive.gf2.bmmc import Bmmc, named
from proofs.certify import rows

CLOSED = [
    (record, option)
    for record in ALL
    for option in options_of(record)
    if option.only and option.known
]
OF_OTHERS = [
    (record, option)
    for record in ALL
    for option in OPTIONS.values()
    if option not in options_of(record)
]


NEEDED: dict[str, dict[str, object]] = {
    "permute": {"permutation": Bmmc(named("shuffle", 6), "shuffle")},
    "ntt": {"modulus": "577"},
}
"""What a request needs beside its sizes."""


def request(system: str, **options: object) -> object:
    """Return a request with these options."""
    return make_request(system, 64, 4, **{**NEEDED.get(system, {}), **options})


def ids(part: object) -> str:
    return str(getattr(part, "name", part))


def test_every_option_is_a_field_of_a_request() -> None:
    assert OPTIONS.keys() <= DEFAULTS.keys()
    assert len(OPTIONS) == len({option.help for option in OPTIONS.values()})


@pytest.mark.parametrize(("record", "option"), CLOSED, ids=ids)
def test_an_unknown_value_is_told_those_that_the_system_has_and_the_nearest(record, option) -> None:
    nearest, known = option.values(record)[-1], option.values(record)
    with pytest.raises(ValueError, match=f"unknown {option.name[:-1]}") as error:
        request(record.name, **{option.name: f"{nearest}x"})
    assert f"'{nearest}x', perhaps" in str(error.value) or len(nearest) < 2
    listed = str(error.value).rpartition("choose from ")[2].split(", ")
    assert {*listed} <= {*known} and (option is EXCHANGE or listed == [*known])


@pytest.mark.parametrize(("record", "option"), OF_OTHERS, ids=ids)
def test_an_option_of_other_systems_is_refused_with_these(record, option) -> None:
    other = next((value for value in option.known if value != option.default), True)
    rule = f"{record.name} has no option {option.name}; only {owners_of(option)} it"
    if option.default:
        with pytest.raises(ValueError, match=re.escape(rule)):
            request(record.name, **{option.name: option.default})
    with pytest.raises(ValueError, match=re.escape(rule)):
        request(record.name, **{option.name: other})


@pytest.mark.parametrize("name", WAYS)
def test_a_value_of_other_systems_is_told_which_have_it(name) -> None:
    for record in ALL:
        if name not in record.ways:
            others = listed_names([each.name for each in ALL if name in each.ways])
            with pytest.raises(ValueError, match=f"{name} is available for {others}$"):
                request(record.name, exchange=name)


def test_certify_has_an_entry_for_every_system() -> None:
    assert rows.SYSTEMS.keys() == {*SYSTEMS, OF_EXPRESSION.name}


def test_an_option_without_values_of_its_own_is_open() -> None:
    plain = Option("size", "N", "")
    assert (plain.values(None), plain.values(ALL[0])) == ((), ())


@pytest.mark.parametrize(
    ("name", "words"),
    {
        "cyclc": "unknown layout 'cyclc', perhaps cyclic: the layouts are block, cyclic",
        "": "unknown layout '': the layouts are block, cyclic",
        "whole": "unknown layout 'whole': the layouts are block, cyclic",
        "gray:2": "unknown layout 'gray:2': the layouts are block, cyclic",
        "group-cyclic:": "unknown layout 'group-cyclic:', perhaps group-cyclic:R",
        "group-cyclic:3": "the number of groups must be a power of two from 1 to P = 4",
        "f:9": "layout f:9 needs 0 <= K <= 4 for 64 elements on 4 ranks; got 9",
    }.items(),
)
@pytest.mark.parametrize(
    "system", ["formula", *having(lambda one: bool(one.of_vectors)).split(", ")]
)
def test_every_system_refuses_a_wrong_layout_with_the_same_line(system, name, words) -> None:
    own = {"formula": F(64)} if system == "formula" else {}
    ends = ("input", "output") if name else ("input",)
    for end in ends:
        with pytest.raises(ValueError, match=re.escape(words)):
            request(system, **{end: name}, **own)


LAYOUTS = (*dict.fromkeys(name for record in ALL for name in record.layouts),)


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("record", ALL, ids=ids)
def test_a_system_takes_the_layouts_that_it_lists_and_no_others(record, name, tmp_path) -> None:
    (tmp_path / "A").write_text(
        "".join(f"{'0' * i}1{'0' * (5 - i)}\n" for i in range(6)), encoding="utf-8"
    )
    assert takes(record, spelled(name, tmp_path)) == (name in record.layouts)


@pytest.mark.parametrize("option", [INPUT, OUTPUT], ids=ids)
@pytest.mark.parametrize("record", ALL, ids=ids)
def test_the_help_of_a_system_names_its_layouts_and_no_others(record, option) -> None:
    words = help_of(INPUT, record)
    told = {word.rstrip(".:") for word in re.split(r"[ ,(]+", words)}
    assert {name for name in LAYOUTS if name in told} == {*record.layouts}
    assert "whole" in record.layouts or "one per axis" not in words
    assert not record.own_layouts or record.own_layouts[0] in help_of(option, record)


def spelled(name: str, folder: Path) -> str:
    """Return a layout with a number, or with the matrix of a file, in the place of a letter."""
    return name.replace(":R", ":2").replace(":K", ":1").replace("FILE", str(folder / "A"))


DFT = {"result": "dft"}


def takes(record: System, name: str) -> bool:
    """Return whether there is a program with this layout at one of its ends."""
    ends = (
        {"input": name},
        {"output": name},
        {"input": name, "output": name},
        DFT | {"output": name},
    )
    for N, P, end in product((64, 36), (4, 2, 1), ends):
        with suppress(ValueError):
            resolve(make_request(record.name, N, P, **NEEDED.get(record.name, {}), **end))
            return True
    return False
