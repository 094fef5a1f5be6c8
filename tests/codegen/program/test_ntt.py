"""Programs of the number-theoretic transform, against galois and its definition."""

import re
from itertools import product

import galois
import numpy as np
import pytest

import nodewright as nw
from codegen.cost.bounds import bound
from codegen.cost.counted import count
from codegen.cost.matrix_ranks import rank_mod
from codegen.emit.text import emit
from codegen.emit.verbatim import by_numba, by_numpy
from codegen.emit.verbatim.given import MODULUS, ROOT
from codegen.kernels import montgomery
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.ntt import NTT
from derive.fields import is_prime, is_primitive, least_primitive_root, primes, wide_primes
from nodewright.api.program_calls import transform

LAYOUTS = ("block", "cyclic", "bit-reversed", "scrambled", "f:1", "group-cyclic:2")
PRIMES = (193, 12289, 998244353, 2**31 - 2**27 + 1)
EXCHANGES_OF_ANY = ("alltoall", "pairwise", "nonblocking", "shared")
FAST = [("alltoall", "numpy"), ("shared", "numpy")]
SUPPORTED = [
    pytest.param(*each, marks=() if each in FAST else pytest.mark.long)
    for each in product(NTT.exchanges, NTT.kernels)
]


def definition(x: np.ndarray, p: int, w: int) -> np.ndarray:
    """Return y_k = sum of w^(jk) x_j by integers of any size."""
    return np.array(
        [sum(int(v) * pow(w, j * k, p) for j, v in enumerate(x)) % p for k in range(len(x))]
    )


def of_galois(x: np.ndarray, p: int, direction: str = "forward") -> np.ndarray:
    function = galois.ntt if direction == "forward" else galois.intt
    return np.asarray(function(x, size=len(x), modulus=p).view(np.ndarray))


def ran(N: int, P: int, x: np.ndarray, **options: object) -> np.ndarray:
    return np.asarray(transform("ntt", N, P, {**options}).run(x))


@pytest.mark.parametrize(("exchange", "kernels"), SUPPORTED)
def test_a_program_on_real_ranks_is_the_definition_and_its_inverse(
    exchange: str, kernels: str
) -> None:
    x = np.random.default_rng(0).integers(0, 12289, 64)
    stated = {"modulus": 12289, "exchange": exchange, "kernels": kernels}
    y = ran(64, 2, x, **stated)
    assert y.dtype == np.int64
    assert (y == definition(x, 12289, int(make_request("ntt", 64, 2, modulus=12289).root))).all()
    assert (ran(64, 2, y, direction="backward", **stated) == x).all()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60))
def test_random_requests_on_real_ranks_are_those_of_galois(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = int(rng.choice(PRIMES))
    n = int(rng.integers(2, min(14, (p - 1 & 1 - p).bit_length())))
    P = 1 << int(rng.integers(0, min(n, 3)))
    ends = {side: str(rng.choice(("block", "cyclic"))) for side in ("input", "output")}
    stated = {name: str(rng.choice(getattr(NTT, name))) for name in ("kernels", "exchanges")}
    direction = str(rng.choice(("forward", "backward")))
    x = rng.integers(0, p, 1 << n)
    options = {"kernels": stated["kernels"], "exchange": stated["exchanges"], **ends}
    found = ran(1 << n, P, x, modulus=p, direction=direction, **options)
    assert (found == of_galois(x, p, direction)).all()


@pytest.mark.parametrize("ends", [*product(LAYOUTS, LAYOUTS)], ids="-".join)
def test_supersteps_between_all_layouts_have_the_powers_of_w_over_the_field(ends) -> None:
    for N, P in ((16, 4), (64, 8)):
        report = transform(
            "ntt", N, P, dict(zip(("input", "output"), ends, strict=True)) | {"modulus": 193}
        ).check()
        assert report.holds
        assert {"ntt-root", "ntt-entries", "supersteps"} <= {
            each.name for each in report.statements
        }


@pytest.mark.parametrize("ends", [*product(("block", "cyclic"), repeat=2)], ids="-".join)
def test_the_bound_is_the_rank_of_the_matrix_over_the_field_and_is_kept(ends) -> None:
    for N, P, p in ((16, 4, 17), (64, 8, 193)):
        request = make_request("ntt", N, P, *ends, modulus=p)
        program, j, w = resolve(request), np.arange(N), int(request.root)
        matrix = np.array([[pow(w, int(a * b), p) for a in j] for b in j])
        holder, owner = program.input.place(j)[0], program.output.place(j)[0]
        ranks = (rank_mod(matrix[np.ix_(owner != s, holder == s)], p) for s in range(P))
        assert bound(program).words == max(ranks) <= count(program).words


def test_no_bound_is_stated_where_it_may_be_lower_over_the_field() -> None:
    assert bound(resolve(make_request("ntt", 64, 4, "f:2", "f:2", modulus=193))).words is None


def random_sizes(rng: np.random.Generator) -> tuple[int, int, int]:
    """Return a prime p, a size that is no power of two and divides p - 1, and ranks."""
    P = int(rng.choice((1, 2, 3, 4)))
    N = int(rng.choice((3, 5, 7, 9, 15, 35))) * 2 ** int(rng.integers(0, 7)) * P * P
    steps = range(int(rng.integers(1, (2**31 - 1) // N)), (2**31 - 1) // N)
    return next(k * N + 1 for k in steps if is_prime(k * N + 1)), N, P


def test_a_size_that_is_no_power_of_two_is_the_definition_on_real_ranks() -> None:
    x = np.random.default_rng(0).integers(0, 13, 12)
    assert (ran(12, 2, x, modulus=13) == definition(x, 13, 2)).all()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(50))
def test_random_requests_of_other_sizes_on_real_ranks_are_those_of_galois(seed: int) -> None:
    options = {"kernels": NTT.kernels[seed % 2], "exchange": EXCHANGES_OF_ANY[seed % 4]}
    rng = np.random.default_rng(seed)
    p, N, P = random_sizes(rng)
    ends = {side: str(rng.choice(("block", "cyclic"))) for side in ("input", "output")}
    direction = str(rng.choice(("forward", "backward")))
    x = rng.integers(0, p, N)
    found = ran(N, P, x, modulus=p, direction=direction, **ends, **options)
    assert (found == of_galois(x, p, direction)).all()


@pytest.mark.parametrize(("N", "P"), [(12, 2), (45, 3), (96, 4), (35, 1), (54, 3)])
def test_supersteps_of_other_sizes_have_the_powers_of_w_over_the_field(N: int, P: int) -> None:
    for output in ("block", "cyclic"):
        p = next(q for q in range(N + 1, N**3, N) if is_prime(q))
        report = transform("ntt", N, P, {"modulus": p, "output": output}).check()
        assert report.holds and "ntt-entries" in {each.name for each in report.statements}


def test_kernels_of_odd_radices_are_the_definition_with_twiddles(monkeypatch) -> None:
    monkeypatch.setattr(by_numpy, "DTYPE", np.dtype(int))
    monkeypatch.setattr(by_numpy, "MODULUS", 181)
    monkeypatch.setattr(by_numpy, "PIECE", 12)
    for name, value in {"MODULUS": 181, "INVERSE": pow(181, -1, 2**32)}.items():
        monkeypatch.setattr(by_numba, name, value)
    for copies, r, m, c in ((2, 5, 9, 3), (1, 3, 4, 7), (4, 3, 1, 1)):
        w = pow(least_primitive_root(181), 180 // (r * m), 181)
        roots = np.array([pow(w, e, 181) for e in range(r * m)])
        x = np.random.default_rng(m).integers(0, 181, (copies, r, m, c))
        wanted, y, z = np.zeros((3, copies, m, r, c), int)
        for t, k, e in np.ndindex(m, r, r):
            wanted[:, t, k] += x[:, e, t] * pow(w, k * (e * m + t), 181)
        by_numpy.odd_radix(x, y, roots)
        by_numba.odd_radix_modulo(
            x.reshape(-1), z.reshape(-1), by_numba.in_montgomery(roots), copies, r, m, c
        )
        assert (y == wanted % 181).all() and (z == y).all()


@pytest.mark.long
@pytest.mark.parametrize("p", [5, 17, 193, 12289, 998244353])
def test_roots_are_those_of_galois(p: int) -> None:
    assert least_primitive_root(p) == int(galois.primitive_root(p))
    N = min(p - 1 & 1 - p, 1024)
    request = make_request("ntt", N, 1, modulus=p)
    assert (of_galois(np.eye(1, N, 1, dtype=int)[0], p)[1]) == int(request.root)
    assert is_primitive(int(request.root), N, p)


def test_primes_are_those_of_galois() -> None:
    assert [q for q in range(2000) if is_prime(q)] == galois.primes(1999)
    for order, drawn in ((6, primes(6)), (2**20, primes(2**20)), (1000, wide_primes(1000))):
        assert drawn == (*filter(galois.is_prime, range(drawn[0], drawn[-1] + 1, order)),)


def test_a_root_of_ones_own_is_used() -> None:
    x = np.random.default_rng(1).integers(0, 193, 16)
    usual = int(make_request("ntt", 16, 2, modulus=193).root)
    other = pow(usual, 5, 193)
    assert (ran(16, 2, x, modulus=193, root=other) == definition(x, 193, other)).all()
    assert (ran(16, 2, x, modulus="193") == definition(x, 193, usual)).all()


@pytest.mark.parametrize("shape", [(1, 32, 1), (3, 8, 1), (2, 4, 6), (5, 2, 3), (1, 16, 1)])
def test_functions_of_programs_transform_a_middle_axis(monkeypatch, shape) -> None:
    monkeypatch.setattr(by_numpy, "DTYPE", np.dtype(int))
    d = shape[1]
    x = np.random.default_rng(2).integers(0, MODULUS, shape)
    x[0, 0] = MODULUS - 1
    y, roots = np.empty_like(x), by_numpy.root_power(np.arange(d // 2), d)
    assert roots.tolist() == [pow(ROOT, -32 // d * e, MODULUS) for e in range(d // 2)]
    by_numpy.number_theoretic(x, y, roots)
    w = pow(ROOT, -32 // d, MODULUS)
    for i, c in np.ndindex(shape[0], shape[2]):
        assert (y[i, :, c] == definition(x[i, :, c], MODULUS, w)).all()


def test_the_largest_residues_do_not_overflow() -> None:
    p = 2**31 - 2**27 + 1
    x = np.full(256, p - 1)
    x[::3] = 0
    y = ran(256, 2, x, modulus=p)
    assert (y == definition(x, p, int(make_request("ntt", 256, 2, modulus=p).root))).all()
    assert (ran(256, 2, y, modulus=p, direction="backward") == x).all()


def test_a_large_program_has_as_many_lines_as_a_small_one() -> None:
    small, large = (
        emit(resolve(make_request("ntt", N, P, modulus=998244353))).count("\n")
        for N, P in ((2**12, 4), (2**23, 2**8))
    )
    assert large - small in range(6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "ntt needs modulus, a positive integer; got none; try 193"),
        ({"modulus": "12,5"}, "ntt needs modulus, a positive integer; got '12,5'; try 193"),
        ({"modulus": 195}, "modulus must be a prime below 2^31; got 195; try 193"),
        (
            {"modulus": 2**31 + 11},
            "modulus must be a prime below 2^31; got 2147483659; try 2147483137",
        ),
        ({"modulus": 10**40}, "modulus must be a prime below 2^31"),
        ({"modulus": 17}, "size must divide p - 1; got size 64 and modulus 17; try 193"),
        (
            {"modulus": 193, "root": 2},
            "root must be a root of unity of order 64 modulo 193; got 2;",
        ),
        (
            {"modulus": 193, "root": 0},
            "root must be a root of unity of order 64 modulo 193; got 0;",
        ),
        ({"modulus": 193, "norm": "ortho"}, "ntt supports norm backward alone"),
        ({"modulus": 193, "dtype": "float64"}, "choose from int64"),
        ({"modulus": 193, "kernels": "pyfftw"}, "unknown kernel 'pyfftw'"),
    ],
)
def test_other_requests_are_refused_in_one_line(options, words: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]*$") as error:
        transform("ntt", 64, 2, options)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ("6", "P² must divide N"),
        ("9", "2 ranks must divide 9 elements"),
        ("2062", "prime factors are at most 1024; got 2062, which 1031 divides"),
        ("12", "exchange replace is not available for sizes other than powers of two; use"),
        ("8x8", "one vector"),
        ("2", "P < N"),
    ],
)
def test_other_sizes_are_refused(size: str, words: str) -> None:
    options = {"exchange": "replace"} if size == "12" else {}
    options["modulus"] = {"6": "7", "9": "19"}.get(size, "193")
    with pytest.raises(ValueError, match=re.escape(words)):
        transform("ntt", size, 2, options)


@pytest.mark.parametrize("wrong", [-1, 193, 2**40])
def test_other_integers_are_refused(wrong: int) -> None:
    x = np.arange(16)
    x[11] = wrong
    with pytest.raises(ValueError, match=f"integers from 0 to 192; got {wrong}: use x % 193"):
        ran(16, 2, x, modulus=193)


@pytest.mark.parametrize(
    ("copies", "d", "c", "high", "wide"),
    [(1, 32, 1, 1, 1), (4, 8, 1, 2, 1), (4, 8, 1, 4, 1), (2, 4, 8, 1, 4), (2, 2, 4, 2, 4)],
)
def test_kernels_transform_in_tiles(copies: int, d: int, c: int, high: int, wide: int) -> None:
    x = np.random.default_rng(4).integers(0, MODULUS, (copies, d, c))
    y, wanted = np.empty(x.size, int), np.empty_like(x)
    roots = by_numpy.root_power(np.arange(d // 2), d)
    room = np.empty(2 * d * high * wide, int)
    sizes = copies, d, c, high, wide
    by_numba.stages_modulo(x.reshape(-1), y, by_numba.in_montgomery(roots), room, *sizes)
    for i, j in np.ndindex(copies, c):
        wanted[i, :, j] = definition(x[i, :, j], MODULUS, pow(ROOT, -32 // d, MODULUS))
    assert (y == wanted.reshape(-1)).all()


def test_products_by_kernels_repeat_their_table() -> None:
    x, table = np.arange(MODULUS - 1), np.array([2, MODULUS - 1])
    y = np.empty_like(x)
    by_numba.products_modulo(x, y, by_numba.in_montgomery(table))
    assert (y == x * np.tile(table, len(x) // 2) % MODULUS).all()


@pytest.mark.parametrize("p", [3, 5, 17, 193, 65537, 998244353, 2147473409, 2**31 - 1])
def test_operations_on_residues_are_those_of_integers_of_any_size(p: int) -> None:
    edges = sorted({0, 1, 2, p // 2, p // 2 + 1, p - 2, p - 1, 2**16 % p, (2**32 - 1) % p, p & -2})
    drawn = np.random.default_rng(p).integers(0, p, 40).tolist()
    inverse, power = pow(p, -1, 2**32), pow(2**32, -1, p)
    for a, b in product([*edges, *drawn], repeat=2):
        found = montgomery.mulmod(a, b, p, inverse)
        assert found == a * b * power % p
        assert montgomery.mulmod.py_func(a, b, p, inverse) == found
        assert montgomery.addmod(a, b, p) == (a + b) % p
        assert montgomery.submod(a, b, p) == (a - b) % p


def test_products_of_all_residues_of_small_primes_are_right() -> None:
    for p in (3, 5, 7, 11, 251):
        inverse, power = pow(p, -1, 2**32), pow(2**32, -1, p)
        a, b = np.meshgrid(np.arange(p), np.arange(p))
        found = montgomery.mulmod.py_func
        wanted = a * b * power % p
        assert all(
            found(*pair, p, inverse) == one
            for *pair, one in zip(*map(np.ravel, (a, b, wanted)), strict=True)
        )


def test_the_call_is_its_own_inverse_and_names_what_it_refuses() -> None:
    x = np.random.default_rng(6).integers(0, 193, 16)
    with nw.NTT(None, 16, modulus=193) as ntt:
        assert (ntt.backward(ntt.forward(x)) == x).all()
        assert (ntt.forward(x.astype(np.uint8)) == ntt.forward(x)).all()
        assert ntt.dtype == np.int64
        for wrong, words in ((x - 193, "integers from 0 to 192; got -"), (x / 2, "float64")):
            with pytest.raises(ValueError, match=words):
                ntt.forward(wrong)
    with pytest.raises(ValueError, match="ntt needs modulus"):
        nw.NTT(None, 16)
