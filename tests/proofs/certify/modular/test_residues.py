"""Integers modulo p: their rules against integers of any size, and the programs that compute with
them.
"""

from __future__ import annotations

import operator
import re
from pathlib import Path

import numpy as np
import pytest

import nodewright as nw
from codegen.kernels import montgomery
from nodewright.api.program_calls import transform
from proofs.certify.language.table_entries import Undecided
from proofs.certify.modular.residue_kernels import operations
from proofs.certify.modular.residue_rules import COMPARED, OPERATORS
from proofs.certify.modular.residue_space import ResidueSpace, residue_inputs
from proofs.certify.program import certify, verify
from proofs.certify.rounds.indices import Each, Whole
from tests.support.certified import fate_of
from tests.support.refused import HOLDS

P = 193
APPLIED = {"+": operator.add, "-": operator.sub, "*": operator.mul, "%": operator.mod}
RIGHT = transform("ntt", 64, 2, {"modulus": P}).text


def inputs(rng: np.random.Generator, p: int = P, size: int = 6):
    """Return integers that are followed, and what they are for each of four inputs."""
    space, numbers = ResidueSpace(np.dtype(int), 4, p), rng.integers(0, p, (size, 4))
    return residue_inputs(numbers, space), numbers.astype(object)


def agree(data, numbers, p: int = P) -> None:
    """Assert that residues are right, and bounds hold."""
    residues, bounds = data.values()
    assert (residues[:, 0] == numbers % p).all()
    most, minus_least = bounds[:, 0, 0], bounds[:, 0, 1]
    assert (numbers.max(axis=1) <= most).all()
    assert (numbers.min(axis=1) >= -minus_least).all()


@pytest.mark.parametrize("seed", range(40))
def test_rules_have_the_residues_and_bounds_of_integers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = int(rng.choice([3, P, 2**31 - 1]))
    data, numbers = inputs(rng, p)
    other, others = inputs(rng, p)
    other.space = data.space
    for _ in range(12):
        sign = str(rng.choice([*APPLIED]))
        how = APPLIED[sign]
        constant = int(rng.integers(-p, p)) if sign != "%" else p * int(rng.integers(1, 3))
        try:
            if sign in "+-" and rng.integers(2):
                data, numbers = OPERATORS[sign](data, other), how(numbers, others)
            elif sign == "-" and rng.integers(2):
                data, numbers = OPERATORS[sign](constant, data), how(constant, numbers)
            else:
                data, numbers = OPERATORS[sign](data, constant), how(numbers, constant)
        except Undecided:
            data, numbers = OPERATORS["%"](data, p), numbers % p
        agree(data, numbers, p)
        assert abs(numbers).max() < 2**63


def test_what_may_leave_64_bits_is_undecided() -> None:
    data, _ = inputs(np.random.default_rng(0), 2**31 - 1)
    square = OPERATORS["*"](data, 2**31 - 2)
    assert OPERATORS["+"](square, square).bounds()[0, 0, 0] == 2 * (2**31 - 2) ** 2
    for act in (lambda: OPERATORS["*"](square, 3), lambda: OPERATORS["+"](square, 2**63 - 1)):
        with pytest.raises(Undecided, match="may have more than 64 bits"):
            act()


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda x: OPERATORS["%"](x, P - 1), "a remainder by 192 of integers from 0 to 192"),
        (lambda x: OPERATORS["%"](x, x), "a remainder by an array that depends on x"),
        (lambda x: OPERATORS["+"](x, 0.5), "float64"),
        (lambda x: OPERATORS["*"](x, True), "bool"),
        (lambda x: OPERATORS["+"](x, np.uint64(1)), "float64"),
        (lambda x: COMPARED["<"](x, 5), "depends on their values"),
        (lambda x: x.value(), "the certifier follows"),
        (lambda x: x.space.constants(1.0), "the certifier follows"),
    ],
)
def test_other_operations_are_undecided(act, words: str) -> None:
    data, _ = inputs(np.random.default_rng(0))
    with pytest.raises(Undecided, match=words):
        act(data)


def test_products_of_data_are_undecided() -> None:
    data, _ = inputs(np.random.default_rng(0))
    with pytest.raises(Undecided, match="a product of two arrays that depend on x"):
        OPERATORS["*"](data, data)


def test_remainders_that_change_nothing_and_certain_comparisons_are_known() -> None:
    data, numbers = inputs(np.random.default_rng(0))
    agree(OPERATORS["%"](data, 1000), numbers)
    assert not COMPARED["<"](data, 0).any()
    assert COMPARED["<="](data, P - 1).all()
    assert not COMPARED[">="](data, P).any()
    assert COMPARED[">"](data, -1).all()


def certified(folder: Path, text: str):
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return nw.certify(path, ran=0)


@pytest.mark.parametrize(
    ("N", "options"),
    [
        (64, {"modulus": P}),
        pytest.param(2048, {"modulus": 12289}, marks=pytest.mark.long),
        pytest.param(64, {"modulus": 998244353, "exchange": "shared"}, marks=pytest.mark.long),
        pytest.param(64, {"modulus": P, "exchange": "auto"}, marks=pytest.mark.long),
        pytest.param(2, {"modulus": 3}, marks=pytest.mark.long),
        (12, {"modulus": 13}),
        pytest.param(60, {"modulus": 61, "kernels": "numba"}, marks=pytest.mark.long),
        pytest.param(36, {"modulus": 2089, "output": "cyclic"}, marks=pytest.mark.long),
        pytest.param(256, {"modulus": 2013265921, "direction": "backward"}, marks=pytest.mark.long),
    ],
)
def test_programs_hold_and_leave_nothing_to_chance_where_N_is_small(tmp_path, N, options) -> None:
    path = tmp_path / "program.py"
    path.write_text(transform("ntt", N, 1 if N == 2 else 2, options).text, encoding="utf-8")
    found = certify(path, ran=0)
    assert found.holds
    assert "rounding" not in found.verdicts
    error = found.verdicts["function"].error
    assert error == 0 if N <= 1024 else 0 < error < 2**-60
    again, verdicts = verify(path)
    assert again == found
    assert all(verdict.holds for verdict in verdicts.values())


LAST = "    return out\n\n\ndef root_power"
REMAINDER = "np.remainder(made, MODULUS, out=made)"
WRONG = [
    ("np.add(a, b, ", "np.subtract(a, b, ", "e_1 the output y_0 is 192, not 1, modulo 193"),
    (REMAINDER, "pass", "y_1 is 221, not 28 (on ordinary integers"),
    (REMAINDER, "np.remainder(made, 194, out=made)", "a remainder by 194 of integers from"),
    (REMAINDER, "np.remainder(made, 386, out=made)", "y_1 is 221, not 28"),
    ("193, 125, 1 ", "193, 125, -1 ", "e_1 the output y_1 is 105, not 125"),
    ("multiply(a - b", "multiply(a * b", "a product of two arrays that depend on x"),
    (LAST, f"    out += MODULUS\n{LAST}", "may be any integer from 193 to 385"),
    (LAST, f"    out[3] += 1\n{LAST}", "zero vector the output y_3 is 1, not 0"),
    ('"ntt", "forward"', '"ntt", "backward"', "e_0 the output y_0 is 1, not 190"),
]


@pytest.mark.parametrize(("old", "new", "words"), WRONG)
def test_wrong_programs_are_refuted_with_values(tmp_path, old: str, new: str, words: str) -> None:
    assert RIGHT.count(old) == 1
    verdict = certified(tmp_path, RIGHT.replace(old, new)).verdicts["function"]
    assert verdict.kind == "refuted" and words in str(verdict.evidence)


MIXED = transform("ntt", 12, 2, {"modulus": 13}).text


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(e * m + o)", "(e * m + o + 1)", "the output y_"),
        ("total += given[:, e]", "total -= given[:, e]", "the output y_"),
        ("for e in range(1, r):\n", "for e in range(1, r - 1):\n", "the output y_"),
    ],
)
def test_wrong_odd_radices_are_refuted_with_values(tmp_path, old: str, new: str, words: str):
    assert MIXED.count(old) == 1
    verdict = certified(tmp_path, MIXED.replace(old, new)).verdicts["function"]
    assert verdict.kind == "refuted" and words in str(verdict.evidence)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (LAST, f"    out[out > 5] -= 0\n{LAST}", "line 95: > of integers modulo p depends on"),
        (LAST, f"    out ^= 0\n{LAST}", "bitwise_xor of an array of integers modulo p"),
        (LAST, f"    out.sum()\n{LAST}", "sum of an array of integers modulo p is not in the"),
        (LAST, f"    np.eye(M, dtype=int) @ out\n{LAST}", "@ of an array of integers modulo p"),
        (LAST, f"    out[...] = out.astype(float)\n{LAST}", "modulo p in an array of float64; use"),
        (LAST, f"    out[...] = out.view(float)\n{LAST}", "y_0 is .*an array of float64"),
        (
            LAST,
            f"    np.empty(M, complex)[...] = out\n{LAST}",
            "an array for other numbers receives",
        ),
        ("193, 125, 1 ", "193, 124, 1 ", "ROOT = 124: it must be a root of unity of order 64"),
        ("193, 125, 1 ", "195, 125, 1 ", "MODULUS = 195: it must be an odd prime below 2"),
    ],
)
def test_what_is_not_followed_is_not_certified(tmp_path, old: str, new: str, words: str) -> None:
    assert RIGHT.count(old) == 1
    found = fate_of(RIGHT.replace(old, new), tmp_path)
    assert found.fate != HOLDS and re.search(words, found.reason)


@pytest.mark.sampled(1, rest="long")
@pytest.mark.parametrize("of", ["out.astype('q')", "out.view('l')", "out.astype(DTYPE)"])
def test_integers_of_64_bits_under_other_names_hold(tmp_path: Path, of: str) -> None:
    assert fate_of(RIGHT.replace(LAST, f"    out[...] = {of}\n{LAST}"), tmp_path).fate == HOLDS


def test_sums_that_are_reduced_late_hold(tmp_path: Path) -> None:
    late = RIGHT.replace(REMAINDER, "np.remainder(made, 2 * MODULUS, out=made)")
    late = late.replace(LAST, f"    out %= MODULUS\n{LAST}")
    assert certified(tmp_path, late).holds


BY_HAND = """
import numpy as np

TRANSFORM, DIRECTION = "ntt", "forward"
MODULUS, ROOT = 17, 4
N, P, M = 4, 2, 2
INPUT, OUTPUT = "block", "cyclic"
DTYPE = np.dtype("int64")


def input_place(j):
    return j // M, j % M


def output_place(k):
    return k % P, k // P


class Plan:
    def __init__(self, comm):
        self.comm, self.own = comm, comm.Dup()
        k = np.arange(M) * P + comm.rank
        self.weights = [[pow(ROOT, int(j * one), MODULUS) for j in range(N)] for one in k]
        self.whole = np.empty(N, DTYPE)

    def free(self):
        self.own.Free()


plan = Plan


def transform(x, plan, out=None):
    y = np.empty(M, DTYPE) if out is None else out
    plan.own.Allgather(np.ascontiguousarray(x), plan.whole)
    for k, row in enumerate(plan.weights):
        total = 0
        for each, weight in zip(plan.whole, row):
            total = (total + each * weight) % MODULUS
        y[k] = total
    return y
"""


def test_a_program_by_hand_holds(tmp_path: Path) -> None:
    assert certified(tmp_path, BY_HAND).holds
    for old, new in (
        ("% MODULUS\n", "\n"),
        ("int(j * one)", "int(j + one)"),
        ("total = 0", "total = 1"),
    ):
        assert not certified(tmp_path, BY_HAND.replace(old, new)).holds


KERNELS = transform("ntt", 64, 2, {"modulus": P, "kernels": "numba"}).text
SUM = "addmod(a[j], b[j], MODULUS)"


@pytest.mark.parametrize(
    ("N", "P", "options"),
    [
        (64, 2, {}),
        pytest.param(1024, 4, {"direction": "backward"}, marks=pytest.mark.long),
        pytest.param(256, 2, {"exchange": "shared"}, marks=pytest.mark.long),
        pytest.param(2, 1, {"modulus": 3}, marks=pytest.mark.long),
    ],
)
def test_programs_with_kernels_hold(tmp_path: Path, N: int, P: int, options) -> None:
    stated = {"modulus": 12289, "kernels": "numba", **options}
    found = certified(tmp_path, transform("ntt", N, P, stated).text)
    assert found.holds
    assert found.verdicts["function"].error == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (SUM, SUM.replace("add", "sub"), "e_1 the output y_0 is 192, not 1"),
        ("roots[k * (d // 2 // half)]", "roots[k]", "e_2 the output y_2 is 185, not 64"),
        ("MODULUS), w, ", "MODULUS), a[j], ", "a product of two arrays that depend on x"),
        ("return (e << 32) % MODULUS", "return e", "e_0 the output y_0 is 84, not 1"),
        ("[s + block : s + 2 * block]", "[s : s + block]", "uninitialised"),
    ],
)
def test_wrong_kernels_are_refuted(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert KERNELS.count(old) == 1
    verdict = certified(tmp_path, KERNELS.replace(old, new)).verdicts["function"]
    assert verdict.kind == "refuted" and words in str(verdict.evidence)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (SUM, "a[j] + b[j]", r"line 1\d\d: \+ of integers modulo p in a kernel is not"),
        ("pow(MODULUS, -1, 2**32)", "1", "mulmod with 1 in place of the inverse of 193"),
        ("found + p if found < 0", "found + p if found <= 0", "name .* outside its section"),
        ("high * wide\n    for", "2 * high * wide\n    for", "slices of a kernel"),
        (
            SUM,
            SUM.replace("MODULUS", "MODULUS + 2"),
            "addmod modulo 195 of integers modulo 193; use",
        ),
    ],
)
def test_what_kernels_do_not_say_is_undecided(tmp_path, old: str, new: str, words: str) -> None:
    assert old in KERNELS
    with pytest.raises(ValueError, match=words):
        certified(tmp_path, KERNELS.replace(old, new, 1))


PUT = "sums[j] = "
INSTEAD = {
    "a[j] - b[j]": "- of integers modulo p in a kernel",
    "a[j] & 1": "& of integers modulo p in a kernel",
    "min(a[j], b[j])": "< of integers modulo p in a kernel",
    "a[j] if a[j] else b[j]": "the truth value of integers modulo p in a kernel",
    "float(a[j])": "float of integers modulo p in a kernel",
    "round(a[j])": "round of integers modulo p in a kernel",
    "sum(a)": "a loop over the entries of a slice of an array in a kernel",
    "len(a[j])": "len of integers modulo p",
    "a[j].real": ".real of integers modulo p",
    "a": "a kernel stores a slice of an array among integers modulo p",
    "1.0": "a kernel stores a value of type float among integers modulo p",
    "addmod(a[j], 193, MODULUS)": "addmod of an operand from 193 to 193; operands are from 0 to",
    "addmod(a[j], 0.5, MODULUS)": "has a value of type float where it needs an integer of its own",
    "addmod(a[j], b[j], a[j])": "arithmetic modulo integers modulo p: the modulus is an odd int",
    "addmod(a[j], b[j], 98)": "arithmetic modulo 98: the modulus is an odd integer below 2",
    "addmod(a[j], b[j])": "TypeError: addmod() missing 1 required positional argument",
    "submod(b[j], a[j], MODULUS)": "the output y_",
    "mulmod(a[j], w, MODULUS, INVERSE)": "the output y_",
    "roots[a[j]]": "IndexError: a kernel uses entry",
    "mulmod(a[j], b[j], MODULUS, INVERSE)": "a product of two arrays that depend on x",
}


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(("new", "words"), INSTEAD.items())
def test_another_operation_of_a_kernel_is_named_with_its_line(tmp_path, new, words) -> None:
    source = transform("ntt", 16, 2, {"modulus": P, "kernels": "numba"}).text
    assert source.count(f"{PUT}{SUM}") == 1
    found = fate_of(source.replace(f"{PUT}{SUM}", f"{PUT}{new}"), tmp_path)
    assert found.fate != HOLDS
    assert words in found.reason and len(found.reason) <= 160
    assert "line 1" in found.reason or "output y_" in found.reason


@pytest.mark.parametrize("p", [3, 193, 2**31 - 1])
def test_operations_of_kernels_are_those_of_the_text_on_ordinary_integers(p: int) -> None:
    known, inverse = operations(None), pow(p, -1, 2**32)
    a = np.random.default_rng(p).integers(0, p, 50)
    b = np.append(a[1:], p - 1)
    for name, more in (("addmod", ()), ("submod", ()), ("mulmod", (inverse,))):
        found = known[name](Each(a), Each(b), p, *more).values
        text = getattr(montgomery, name).py_func
        assert found.tolist() == [
            text(*map(int, pair), p, *more) for pair in zip(a, b, strict=True)
        ]
        assert known[name](Whole(p - 1), Whole(1), p, *more) == text(p - 1, 1, p, *more)
