"""The programs in the appendix of Lin, Chan and Karplus, 1988, as printed and as they run."""

from __future__ import annotations

import re

from derive.papers.hartley import comp, inputs, partition

BRANCHES = {
    1: (
        ("msg[k0] + (c1+s1)*sm[k1]", "msg[k0] + (c2+s2)*sm[k1]"),
        ("sm[k1] + (c1+s1)*msg[k0]", "sm[k1] + (c2+s2)*msg[k0]"),
        ("msg[k0] + c1*sm[k1] + s1*sm[k0]", "msg[k1] + c2*sm[k0] + s2*sm[k1]"),
        ("sm[k1] + c1*msg[k0] + s1*msg[k1]", "sm[k0] + c2*msg[k1] + s2*msg[k0]"),
    ),
    2: (
        ("msg[k0] + (c1+s1)*sm[k1]", "msg[k1] + (c2+s2)*sm[k0]"),
        ("sm[k1] + (c1+s1)*sm[k0]", "sm[k0] + (c2+s2)*sm[k1]"),
        ("msg[k0] + sm[k1] + s1*sm[k0]", "msg[k1] + sm[k1] + c1*sm[k0] + s2*sm[k1]"),
        ("sm[k1] + c1*sm[k0] + s1*sm[k0]", "sm[k0] + c2*sm[k1] + s2*sm[k0]"),
    ),
}
"""The appendix's node program: what the four branches of stage s make of msg, a node's own pair,
and of sm, its partner's; by copy.
"""
_TERM = re.compile(r"(?:\(?([cs]\d)(?:\+([cs]\d))?\)?\*)?(msg|sm)\[k([01])\]")


def result_list(N: int, P: int, more: int) -> str | None:
    """Return whether the host's list of stage lg P + more names another result than a node has."""
    s, last = P.bit_length() - 1 + more, N.bit_length() - 1
    for i in range(P):
        if s < 1:
            return "the program uses a list of stage 0, but the stages begin with 1"
        taken, right = (partition(i, stage, N, P).tolist() for stage in (s, last))
        if taken != right:
            slot = next(k for k in range(len(right)) if taken[k] != right[k])
            return (
                f"node {i}: its result {slot} is taken for element {taken[slot]}, and is"
                f" {right[slot]}"
            )
    return None


def branch(s: int, node: int, number: int, copy: int) -> str | None:
    """Return whether this branch of stage s of the appendix makes something else of two pairs than
    Figure 1 does.

    A pair is the first two slots; number: 1 to 4, the branch; node: one that takes it.
    """
    P = 1 << s - 1
    other = int(comp(node, s - 1))
    own = {
        "msg": partition(node, s - 1, 2 * P, P).tolist(),
        "sm": partition(other, s - 1, 2 * P, P).tolist(),
    }
    for e, text in enumerate(BRANCHES[copy][number - 1]):
        m = int(partition(node, s, 2 * P, P)[e])
        a, b, c = (int(x) for x in inputs(s, m))
        right: list[tuple[int | str, int]] = [(1, a), (f"c{e + 1}", b), (f"s{e + 1}", c)]
        found = [
            (w or 1, own[array][int(k)])
            for one, two, array, k in _TERM.findall(text)
            for w in ((one, two) if two else (one,))
        ]
        if sorted(found, key=str) != sorted(right, key=str):
            return f"F({s},{m}) = {_sum(s, found)}, not {_sum(s, right)}"
    return None


def _sum(s: int, terms: list[tuple[int | str, int]]) -> str:
    return " + ".join(
        f"F({s - 1},{i})" if weight == 1 else f"{weight} F({s - 1},{i})" for weight, i in terms
    )


def branches(number: int) -> list[tuple[int, int, int]]:
    """Return s, node and number for each node of P = 2^(s-1) that takes this branch at stage s."""
    found = []
    for s in range(2, 6):
        for node in range(1 << s - 1):
            lower, zero = node < int(comp(node, s - 1)), node % (1 << s - 2) == 0
            if (2 if zero else 4) - lower == number:
                found.append((s, node, number))
    return found


def later_angles(P: int, t: int, printed: bool) -> str | None:
    """Return whether node 0 takes an angle of a stage after lg P + 1 from a wrong slot: its slots k
    and t - k of a half block go together.

    Printed: the branch for k = 0 reads k != 0.
    """
    lists = partition(0, P.bit_length(), 2 * P * t, P).tolist()
    zero = [0, t // 2, t, t + t // 2]
    for k in range(t // 2):
        paired = [k, t - k, t + k, 2 * t - k]
        right = zero if k == 0 else paired
        if (k != 0) if printed else (k == 0):
            taken = zero
        elif k != 0:
            taken = paired
        else:
            taken = [k, t - 1 - k, t + k, 2 * t - 1 - k]
        wrong = next((i for i in range(4) if lists[taken[i]] != lists[right[i]]), None)
        if wrong is not None:
            return (
                f"k = {k}: phi{wrong + 1} from lst[{taken[wrong]}] = {lists[taken[wrong]]}, not"
                f" from lst[{right[wrong]}] = {lists[right[wrong]]}"
            )
    return None
