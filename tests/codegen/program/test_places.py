"""FFTs between any two layouts exchange as seldom as can be, and send no more than the paper's."""

from itertools import combinations, pairwise, product

import pytest

from codegen.cost.bounds import permuting
from codegen.cost.counted import count
from codegen.program.meaning import check
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.affine_layouts import cyclic, group_cyclic, named
from derive.formula.grammar import I, kron
from derive.formula.permutation_matrices import R
from derive.formula.permutations import affine
from derive.gf2.bits import span, transposed
from derive.papers.bsp_phases import distributions
from derive.verdict import Checked

SIZES = [(1 << n, 1 << p) for n in range(2, 7) for p in range(1, n)]


def layouts(N, P):
    """Return the names of the layouts, one for each address map."""
    n, p = N.bit_length() - 1, P.bit_length() - 1
    names = ["block", "cyclic", "bit-reversed", "scrambled"]
    names += [f"f:{f}" for f in range(n - p + 1)] + [f"group-cyclic:{1 << g}" for g in range(p)]
    return {named(name, N, P).address: name for name in reversed(names)}.values()


def pairs(N, P):
    return [(before, after, N, P) for before, after in product(layouts(N, P), repeat=2)]


def least_exchanges(input, output):
    """Return the least number of exchanges between two layouts: 1, and one more for every m bits of
    the index that neither leaves in the offset.

    Before the first exchange the bits above all on which the ranks depend can be transformed, after
    the last one as many at the end as the ranks do not depend on, and m between two exchanges.
    """
    n, m = input.n, input.m
    ranks = (transposed(layout.address.columns, n)[m:] for layout in (input, output))
    free = sum(n - max(map(int.bit_length, rows)) for rows in ranks)
    return 1 + -(-max(0, n - free) // m)


@pytest.mark.sampled(15, rest="long")
@pytest.mark.parametrize(("N", "P"), SIZES)
def test_every_pair_of_layouts_takes_the_least_number_of_exchanges(N, P):
    for before, after, *_ in pairs(N, P):
        found = count(resolve(make_request("fft", N, P, before, after)))
        assert found.exchanges == least_exchanges(named(before, N, P), named(after, N, P))


def subspaces(n, p):
    """Return all subspaces of p dimensions of the sums of n bits."""
    bases = combinations(range(1, 1 << n), p)
    return {found for basis in bases if len(found := frozenset(span(basis).tolist())) == 1 << p}


def searched(before, after):
    """Return the least number of exchanges by trying what the rank bits can be after each: any sums
    of bits, which are in the way of a stage of 2-butterflies where one of them has its bit.
    """
    n, p = before.n, before.p
    bits = [transposed(layout.address.columns, n)[layout.m :] for layout in (before, after)]
    mirrored = [sum(1 << n - 1 - b for b in range(n) if row >> b & 1) for row in bits[1]]
    first, last = (frozenset(span(rows).tolist()) for rows in (bits[0], mirrored))

    def done(rows, stages):
        while stages < n and not any(row >> n - 1 - stages & 1 for row in rows):
            stages += 1
        return stages

    states, exchanges, spaces = {first: done(first, 0)}, 0, subspaces(n, p)
    while states.get(last, 0) < n:
        most = max(states.values())
        states = {rows: done(rows, most) for rows in spaces}
        exchanges += 1
    return exchanges


@pytest.mark.parametrize(("N", "P"), [size for size in SIZES if size[0] <= 16])
def test_no_other_rank_bits_would_take_fewer_exchanges(N, P):
    for before, after, *_ in pairs(N, P):
        ends = named(before, N, P), named(after, N, P)
        assert least_exchanges(*ends) == searched(*ends)


@pytest.mark.sampled(4)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize(
    ("before", "after", "N", "P"), [pair for size in SIZES for pair in pairs(*size)]
)
def test_the_program_is_the_transform(before, after, N, P):
    assert isinstance(check(resolve(make_request("fft", N, P, before, after))), Checked)


def printed(N, P, before, after):
    """Return the words and messages of Algorithm 3.1 of Inda & Bisseling: ranks in reversed order
    at the first redistribution, where the input is cyclic.
    """
    p = P.bit_length() - 1
    steps = [group_cyclic(N, P, P // u).address for u in distributions(N, P)]
    moves = [there @ here.inverse() for here, there in pairwise(steps)]
    if before == "cyclic":
        moves[0] = moves[0] @ affine(kron(R(P), I(N // P)))
    moves += [cyclic(N, P).address] * (before, after).count("block")
    sent = [permuting(address, p) for address in moves]
    return sum(one.words for one in sent), sum(one.messages for one in sent)


@pytest.mark.long
def test_no_more_words_and_messages_than_in_the_paper_are_sent():
    assert printed(1024, 512, "block", "block") == (13, 13)
    for n in range(2, 11):
        for P in (1 << p for p in range(1, n)):
            for ends in product(("block", "cyclic"), repeat=2):
                found = count(resolve(make_request("fft", 1 << n, P, *ends)))
                words, messages = printed(1 << n, P, *ends)
                assert found.words <= words
                assert found.messages <= messages
