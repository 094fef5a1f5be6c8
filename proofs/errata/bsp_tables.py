"""M. A. Inda, R. H. Bisseling, 2000: Tables 2, 3 and 4 against the formulas that they are computed
by, and against the text.

A printed number stands for all numbers that round to it. So an entry is refuted only if no
unrounded v, g, l and times explain it.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from codegen.cost.bsp_cost import equation_3_2, equation_3_9
from proofs.errata.entry import Evaluation, both, differ

Interval = tuple[Fraction, Fraction]
TIMES_AND_RATES = {
    32: ("0.02", "33.4"),
    64: ("0.03", "56.9"),
    128: ("0.10", "47.3"),
    256: ("0.15", "69.6"),
    512: ("0.41", "56.5"),
    1024: ("0.66", "77.5"),
    2048: ("1.82", "62.1"),
    4096: ("2.94", "83.5"),
    8192: ("19.95", "26.7"),
    16384: ("58.91", "19.5"),
    32768: ("149.79", "16.4"),
    65536: ("318.28", "16.5"),
}
"""Table 2: milliseconds and Mflop/s, by N."""
MENDED_TIMES = {128: "0.09"}
"""Table 2 with a time that its rate comes of."""
MENDED_L = 3870
"""A value of l on 64 processors that its microseconds come of."""
RANGES_OF_L = (3889, 3930), (3864, 3875)
"""The whole l on 64 processors that explain Table 3, and those that explain Table 4."""
PARAMETERS = {
    1: ("0.28", "0.00804", "3", "0.09"),
    2: ("1.14", "0.03279", "479", "13.72"),
    4: ("1.46", "0.04175", "858", "24.57"),
    8: ("2.14", "0.06133", "1377", "39.48"),
    16: ("2.30", "0.06600", "1754", "50.26"),
    32: ("2.77", "0.07940", "2024", "58.00"),
    64: ("3.05", "0.08758", "3861", "110.88"),
}
"""Table 4: g in flops and microseconds, l in flops and microseconds, by p."""
SPEED = "34.9"
"""v in Mflop/s, Table 4."""
PREDICTED = {
    0: "0.56 1.25 2.74 5.99 12.97 27.93 59.9 127.7",
    1: "0.58 1.28 2.81 6.12 13.23 28.46 60.9 129.8",
    2: "0.37 0.77 1.61 3.44 7.33 15.61 33.2 70.3",
    4: "0.25 0.45 0.89 1.83 3.83 8.09 17.1 36.1",
    8: "0.21 0.32 0.56 1.06 2.12 4.36 9.1 19.1",
    16: "0.20 0.25 0.37 0.63 1.16 2.30 4.7 9.8",
    32: "0.26 0.23 0.29 0.42 0.70 1.29 2.5 5.1",
    64: "0.46 0.48 0.51 0.46 0.61 0.91 1.5 2.9",
}
"""Table 3, the columns "pred" in ms, by N of SIZES; 0 stands for the sequential algorithm."""
SIZES = tuple(512 << i for i in range(8))


def rounded(text: str) -> Interval:
    """Return the numbers that a printed one stands for.

    >>> rounded("0.5") == (Fraction(9, 20), Fraction(11, 20))
    True
    """
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    return Fraction(text) - half, Fraction(text) + half


def apart(a: Interval, b: Interval) -> bool:
    """Return whether two intervals have no number in common."""
    return a[1] < b[0] or b[1] < a[0]


def rate(N: int, mended: bool) -> str | None:
    """Return whether (5.1) gives another rate than Table 2; mended: with MENDED_TIMES."""
    time, printed = TIMES_AND_RATES[N]
    time = MENDED_TIMES.get(N, time) if mended else time
    flops = Fraction(5 * N * (N.bit_length() - 1), 1000)
    low, high = rounded(time)
    if not apart((flops / high, flops / low), rounded(printed)):
        return None
    return (
        f"5 N lg N/{time} ms is {float(flops / high):.2f} to {float(flops / low):.2f} Mflop/s,"
        f" printed {printed}"
    )


def rising(N: int, step: int) -> str | None:
    """Return whether the rate of Table 2 for N is below that `step` rows above it."""
    before = N >> step
    if before not in TIMES_AND_RATES:
        return None
    lower, rate = TIMES_AND_RATES[before][1], TIMES_AND_RATES[N][1]
    return f"{rate} Mflop/s, after {lower} for N = {before}" if float(rate) < float(lower) else None


def by_twos(N: int) -> str | None:
    """Return whether the rate does not rise from N/4 to N, or does not fall by 16 to 20 % from N/2
    to N just where (3.2) has a stage of 2-butterflies, which is at most 3 % of the flops.
    """
    before, after = (Fraction(TIMES_AND_RATES[size][1]) for size in (N // 2, N))
    fall = 100 * (1 - after / before)
    extra = 100 * (1 - Fraction(17, 4) * N * (N.bit_length() - 1) / equation_3_2(N, 1))
    if (16 < fall < 20) != (0 < extra < 3):
        return f"{float(fall):.1f} % less, {float(extra):.1f} % of the flops"
    return rising(N, 2)


def cost(N: int, p: int, g: Fraction, l: Fraction) -> Fraction:
    """Return (3.9) in flops; without communication for p = 0, the sequential algorithm."""
    return Fraction(equation_3_9(N, p, g, l) if p else equation_3_9(N, 1, g, l, permutations=0))


def predicted(N: int, p: int, l: Interval | None = None) -> str | None:
    """Return whether (3.9) does not give an entry of Table 3, with Table 4's or another l."""
    text, v = PREDICTED[p].split()[N.bit_length() - 10], rounded(SPEED)
    g, printed = (
        (rounded(PARAMETERS[p][0]), rounded(PARAMETERS[p][2]))
        if p
        else ((Fraction(0),) * 2, (Fraction(0),) * 2)
    )
    l = l or printed
    found = cost(N, p, g[0], l[0]) / (v[1] * 1000), cost(N, p, g[1], l[1]) / (v[0] * 1000)
    return (
        f"(3.9) gives {float(found[0]):.4f} to {float(found[1]):.4f} ms, printed {text}"
        if apart(found, rounded(text))
        else None
    )


def ranges_of_l(p: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the whole l that explain every entry of Table 3 on p processors, and those that
    explain the microseconds of Table 4.

    >>> ranges_of_l(2)
    ((461, 523), (478, 479))
    """
    (slow, fast), (low, high), zero = rounded(SPEED), rounded(PARAMETERS[p][0]), Fraction(0)
    bounds = []
    for N, text in zip(SIZES, PREDICTED[p].split(), strict=True):
        least, most = rounded(text)
        moves = cost(N, p, zero, Fraction(1)) - cost(N, p, zero, zero)
        bounds.append(
            (
                (least * 1000 * slow - cost(N, p, high, zero)) / moves,
                (most * 1000 * fast - cost(N, p, low, zero)) / moves,
            )
        )
    least, most = rounded(PARAMETERS[p][3])
    return (ceil(max(a for a, _ in bounds)), floor(min(b for _, b in bounds))), (
        ceil(least * slow),
        floor(most * fast),
    )


def no_l_fits(p: int) -> str | None:
    """Return whether the l that explain the two tables are not the disjoint RANGES_OF_L."""
    return differ(RANGES_OF_L, ranges_of_l(p), "l in {}, not {}") if p == 64 else None


def with_mended_l(N: int, p: int) -> str | None:
    """Return whether an entry of Table 3 is none that (3.9) gives with each l of the first of
    RANGES_OF_L.
    """
    if p != 64:
        return predicted(N, p)
    return no_l_fits(p) or next(
        (found for l in RANGES_OF_L[0] if (found := predicted(N, p, (Fraction(l),) * 2))), None
    )


def in_seconds(p: int, l: str) -> str | None:
    """Return whether g, or this l, in flops is not v times the one in microseconds."""
    v = rounded(SPEED)
    for name, flops, time in (
        ("g", PARAMETERS[p][0], PARAMETERS[p][1]),
        ("l", l, PARAMETERS[p][3]),
    ):
        low, high = rounded(flops)[0] / v[1], rounded(flops)[1] / v[0]
        if apart((low, high), rounded(time)):
            wanted = [float(bound * speed) for bound, speed in zip(rounded(time), v, strict=True)]
            taken = f"{name} = {flops} flops takes {float(low):.2f} to {float(high):.2f} μs"
            return f"{taken}, printed {time}, that is {wanted[0]:.0f} to {wanted[1]:.0f} flops"
    return None


ENTRIES = [(N, p) for N in SIZES for p in PREDICTED]
EVALUATIONS: dict[str, Evaluation] = {
    "bsp-table-2-rate": Evaluation(
        "N", lambda: [(N,) for N in TIMES_AND_RATES], *both(rate, False, True)
    ),
    "bsp-table-2-prose": Evaluation(
        "N",
        lambda: [(N,) for N in TIMES_AND_RATES if 32 < N <= 4096],
        lambda N: rising(N, 1),
        by_twos,
    ),
    "bsp-table-3-predicted": Evaluation("N p", lambda: ENTRIES, predicted, with_mended_l),
    "bsp-table-4-l": Evaluation(
        "p",
        lambda: [(p,) for p in PARAMETERS],
        lambda p: in_seconds(p, PARAMETERS[p][2]),
        lambda p: no_l_fits(p) or in_seconds(p, str(MENDED_L) if p == 64 else PARAMETERS[p][2]),
    ),
}
