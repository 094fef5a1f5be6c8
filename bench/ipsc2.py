"""The percentages of Aykanat & Dervis, section 4, by their own model, equations (2) to (7).

python -m bench.ipsc2 [--png FILE]

Everything here is computed: the tables are the same on every machine. The machine is
nodewright/data/ipsc2.toml. The paper gives alpha and the size of a word, and no times. Two of the
four times are assumed there, and two are fitted here. What counts are ratios: x is the time of a
message over that of the flops that it may hide behind, M t_calc, and c is the time of a copy over
that of these flops.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from bench.common import command_line, table
from codegen.cost.hypercube_times import Network, gain, overlap, predict, seconds
from derive.formula.permutations import lg
from nodewright import plot
from nodewright.machine import packaged, read_network

Curves = dict[str, list[tuple[int, float]]]

OVERLAPS, EFFICIENCY = (0.23, 0.54), 0.94
"""The most that Progs. 4 and 5 hide, and the efficiency at SMALL elements a rank, in the paper."""
SMALL, LARGE, MOST = 128, 2**15, 32
"""N/P of the efficiency, the largest N/P of the paper, and its ranks."""
ALPHAS = 1.3, 1.6
"""Between these alpha varies with the size of a message, by the paper."""

SIZES, RANKS = tuple(2**n for n in range(8, 17)), (2, 4, 8, 16, MOST)
"""The N and P of the paper's figures."""


def ratios(hidden_4: float, hidden_5: float) -> tuple[float, float]:
    """Return the x and c with which Progs. 4 and 5 hide so much, neither of them all.

    By (4), (5), (7) they hide 1 and 1 + c of x + c.

    >>> ratios(0.25, 0.75)
    (2.0, 2.0)
    """
    return (1 - hidden_5 + hidden_4) / hidden_4, hidden_5 / hidden_4 - 1


def efficiency(P: int, x: float) -> float:
    """Return the efficiency of Prog. 5 at SMALL elements a rank by (7), where messages take x.

    >>> round(efficiency(32, 1), 3), round(efficiency(32, 3), 3)
    (1.0, 0.857)
    """
    m, d = lg(SMALL), lg(P)
    return 5 * (m + d) / (5 * m + 4 * d + d * max(1, x))


def largest(P: int) -> float:
    """Return the largest x with which the efficiency is the paper's.

    >>> round(efficiency(4, largest(4)), 6)
    0.94
    """
    m, d = lg(SMALL), lg(P)
    return (5 * (m + d) / EFFICIENCY - 5 * m - 4 * d) / d


def fits(net: Network) -> None:
    """Print the two fitted times of the machine."""
    message = net.t_su + net.alpha * SMALL / 2 * net.t_tr
    difference = OVERLAPS[1] - OVERLAPS[0]
    t_copy = difference / (1 - difference) * net.alpha * net.t_tr
    rows = [
        ("t_calc", message / SMALL / largest(MOST) * 1e6, net.t_calc * 1e6, "efficiency of 94 %"),
        ("t_copy", t_copy * 1e6, net.t_copy * 1e6, "overlaps that differ by 31 %"),
    ]
    head = ("", "fitted, µs", "in the file, µs", "gives")
    table(
        "Fitted from the paper's percentages, t_su, t_tr and alpha being as in the file", head, rows
    )


def equation_6(N: int, P: int, net: Network) -> bool:
    """Return whether M t_calc >= t_su + M/2 t_tr, which the paper calls enough for complete
    overlap, eq. (6).
    """
    M = N // P
    return bool(M * net.t_calc >= net.t_su + M // 2 * net.t_tr)


def figures(net: Network) -> None:
    """Print Figs. 4 to 7 by the model."""
    rows = []
    for P in (2, MOST):
        for M in (2**k for k in range(3, 16, 2) if 2**k * P <= 2**16):
            found = {scheme: predict(scheme, M * P, P, net) for scheme in ("4", "5")}
            shorter = gain("3", M * P, P, net, over="2", time=seconds)
            each = [100 * found["5"].efficiency, shorter]
            each += [found[s].overlap or 0.0 for s in found] + [found[s].gain or 0.0 for s in found]
            rows.append((P, M, *each, "yes" if equation_6(M * P, P, net) else "no"))
    head = ["P", "N/P", "Fig. 7: efficiency of 5 %", "Fig. 4: 3 over 2 %"]
    head += ["Fig. 5: 4 hides %", "5 hides %", "Fig. 6: 4 over 3 %", "5 over 3 %", "(6) holds"]
    table(f"By (2) to (7), {net.name}", head, rows)


def together() -> None:
    """Print what the overlaps of the paper leave for the efficiency, whatever the times are."""
    x, c = ratios(*OVERLAPS)
    low = x * ALPHAS[0] / ALPHAS[1]
    rows = [
        (P, largest(P), 100 * efficiency(P, x), 100 * efficiency(P, low))
        for P in (2, 4, 8, 16, MOST)
    ]
    head = ("P", "94 % needs x at most", "efficiency at most, %", "the same if alpha varies, %")
    table(
        f"With overlaps of 23 and 54 % at large N/P, x = {x:.2f}, c = {c:.2f}, and x is no less at"
        f" N/P = {SMALL}, where t_su counts more (x is at least {low:.2f} if alpha is 1.3 there and"
        " 1.6 at large N/P)",
        head,
        rows,
    )


def sensitivity(net: Network) -> None:
    """Print how the percentages depend on each figure of the machine."""
    rows = [("as in the file", *percentages(net))]
    for name in ("t_calc", "t_su", "t_tr", "t_copy"):
        for factor in (0.5, 0.8, 1.25, 2.0):
            changed = replace(net, **{name: factor * getattr(net, name)})
            rows.append((f"{name} times {factor}", *percentages(changed)))
    rows += [(f"alpha = {alpha}", *percentages(replace(net, alpha=alpha))) for alpha in ALPHAS]
    rows.append(("in the paper", *(100 * each for each in (*OVERLAPS, EFFICIENCY))))
    head = ("", "4 hides %, N/P = 2^15", "5 hides %", f"efficiency %, N/P = {SMALL}, P = {MOST}")
    table("Sensitivity", head, rows)


def percentages(net: Network) -> tuple[float, ...]:
    """Return what Progs. 4 and 5 hide at LARGE, and the efficiency at SMALL, in percent."""
    hidden = (overlap(scheme, 2 * LARGE, 2, net) for scheme in ("4", "5"))
    return *hidden, 100 * predict("5", SMALL * MOST, MOST, net).efficiency


def with_loops(net: Network) -> None:
    """Print what a loop overhead in Progs. 4 and 5 would explain, which the model does not have."""
    difference = OVERLAPS[1] - OVERLAPS[0]
    x = net.alpha * net.t_tr / 2 / net.t_calc
    c = difference / (1 - difference) * x
    loop = x - OVERLAPS[0] * (x + c)
    t_su = (largest(MOST) - loop - x) * SMALL * net.t_calc
    rows = [
        ("loop overhead, part of M t_calc", loop),
        ("t_su that keeps 94 %, µs", t_su * 1e6),
        ("4 hides at N/P = 128, %", 100 * (1 - loop) / (t_su / SMALL / net.t_calc + x + c)),
    ]
    table(
        "With a loop overhead a stage added to (5) and (7): all three percentages fit",
        ("", ""),
        rows,
    )


def fitted_to_overlaps(net: Network) -> Network:
    """Return the machine with the t_calc and t_copy that give OVERLAPS at large N/P.

    >>> found = fitted_to_overlaps(Network(1, 0, 6, 1))
    >>> round(overlap("4", 2 * LARGE, 2, found), 1), round(overlap("5", 2 * LARGE, 2, found), 1)
    (23.0, 54.0)
    """
    x, c = ratios(*OVERLAPS)
    t_calc = net.alpha * net.t_tr / 2 / x
    name = f"{net.name}, t_calc and t_copy for overlaps of 23 and 54 %"
    return replace(net, t_calc=t_calc, t_copy=2 * c * t_calc, name=name)


def curves(net: Network) -> dict[str, Curves]:
    """Return the curves of Figs. 4 to 7 by the model, over N for each P."""
    found: dict[str, Curves] = {}
    for P in RANKS:
        for N in SIZES:
            fourth, fifth = (predict(scheme, N, P, net) for scheme in ("4", "5"))
            values = {
                "Fig. 4: Prog. 3 over 2, %": gain("3", N, P, net, over="2", time=seconds),
                "Fig. 5a: Prog. 4 hides, %": fourth.overlap,
                "Fig. 5b: Prog. 5 hides, %": fifth.overlap,
                "Fig. 6a: Prog. 4 over 3, %": fourth.gain,
                "Fig. 6b: Prog. 5 over 3, %": fifth.gain,
                "Fig. 7a: speed-up of Prog. 5": P * fifth.efficiency,
                "Fig. 7b: efficiency of Prog. 5, %": 100 * fifth.efficiency,
            }
            for name, value in values.items():
                assert value is not None  # P > 1
                found.setdefault(name, {}).setdefault(f"P = {P}", []).append((N, float(value)))
    return found


def by_part(named: Curves) -> dict[int, list[float]]:
    """Return the values of the curves by N/P, the least N/P first.

    >>> by_part({"P = 2": [(16, 1.0), (32, 2.0)], "P = 4": [(32, 3.0)]})
    {8: [1.0, 3.0], 16: [2.0]}
    """
    found: dict[int, list[float]] = {}
    for P, points in zip(RANKS, named.values(), strict=False):
        for N, value in points:
            found.setdefault(N // P, []).append(value)
    return dict(sorted(found.items()))


def above(first: Curves, second: Curves | None = None) -> int | None:
    """Return the least N/P from which on the first curves are above the second, or above 0."""
    least = None
    others = by_part(second) if second else {}
    for M, values in reversed(by_part(first).items()):
        if min(a - b for a, b in zip(values, others.get(M, [0] * len(values)), strict=True)) <= 0:
            break
        least = M
    return least


Claim = tuple[str, str, bool]
"""What the paper says, what the model has, and whether this is the same."""


def claims(net: Network) -> list[Claim]:
    """Return the claims of section 4 on Figs. 4 to 7."""
    four, five_a, five_b, six_a, six_b, *seven = curves(net).values()
    rising = all(a[1] < b[1] for points in four.values() for a, b in pairwise(points))
    least = min(min(values) for part in (five_a, five_b) for values in by_part(part).values())
    found = [
        (
            "Fig. 4: 3 gains over 2, the more the larger N",
            f"the gain {'rises' if rising else 'falls'}",
            rising,
        ),
        ("Fig. 5: overlap is negative for small N", f"{least:.3g} % at least", least < 0),
        *falling(net),
    ]
    for name, where, wanted in (
        ("Fig. 5: 5 hides more than 4, only for N/P ≥ 32", above(five_b, five_a), 32),
        ("Fig. 6: 4 is better than 3, only for N/P ≥ 8K", above(six_a), 2**13),
        ("Fig. 6: 5 is better than 3, only for N/P ≥ 32", above(six_b), 32),
    ):
        found.append((name, f"from N/P = {where} on, the least is 8", where == wanted))
    for part, most, scheme in zip((five_a, five_b), OVERLAPS, "45", strict=True):
        highest = max(max(values) for values in by_part(part).values())
        same = round(highest) == round(100 * most)
        found.append((f"{scheme} hides {100 * most:.0f} % at most", f"{highest:.3g} %", same))
    return found + fast(*seven)


def falling(net: Network) -> list[Claim]:
    """Return the claims on the maximum of the overlap, on two ranks: N/P of the maximum with one
    alpha, and what the growth of alpha changes at LARGE.
    """
    found = []
    for scheme in ("4", "5"):
        parts = [N // 2 for N in SIZES]
        best = max(parts, key=lambda M: overlap(scheme, 2 * M, 2, net))
        low, high = (overlap(scheme, 2 * LARGE, 2, replace(net, alpha=a)) for a in ALPHAS)
        model = f"highest at N/P = {best} with one α; {low:.3g} % with α = {ALPHAS[0]}"
        model += f", {high:.3g} % with {ALPHAS[1]}"
        claim = f"Fig. 5: what {scheme} hides falls at large N/P (16K to 32K), due to α"
        found.append((claim, model, best >= LARGE // 2 and high < low))
    return found


def fast(speed_up: Curves, efficient: Curves) -> list[Claim]:
    """Return the claims on Fig. 7: a speed-up of 90 % of P is almost linear."""
    least = min(
        speed / P
        for P, points in zip(RANKS, speed_up.values(), strict=True)
        for N, speed in points
        if N >= 2**12
    )
    low = min(min(values) for M, values in by_part(efficient).items() if M >= SMALL)
    return [
        ("Fig. 7a: speed-up almost linear, N ≥ 4K", f"{least:.3g} P at least", least >= 0.9),
        ("Fig. 7b: efficiency over 94 %, N/P ≥ 128", f"{low:.3g} % at least", round(low, 1) >= 94),
    ]


def judged(net: Network) -> None:
    """Print the claims."""
    rows = [(claim, model, "yes" if same else "no") for claim, model, same in claims(net)]
    table(f"The paper's claims by the model, {net.name}", ("paper", "model", "the same"), rows)


if __name__ == "__main__":
    PARSER = command_line(__doc__)
    PARSER.add_argument("--png", type=Path, help="a file for Figs. 4 to 7 by the model")
    PNG = PARSER.parse_args().png
    NET = read_network(packaged(Path("ipsc2.toml")))
    fits(NET)
    figures(NET)
    together()
    sensitivity(NET)
    with_loops(NET)
    judged(NET)
    judged(fitted_to_overlaps(NET))
    if PNG:
        plot.save(plot.curves(curves(NET)), PNG, 60)
