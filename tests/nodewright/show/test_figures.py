"""The figures of the papers that are drawn from our own numbers: the numbers, and the files."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from bench import figures, hartley_ipsc, ipsc2, table3
from bench.figures import Stage, across_ranks, bsp_stages, hypercube_stages
from derive.papers.bsp_phases import groups
from derive.show.svg import svg
from nodewright.machine import packaged, read_network
from tests.support.papers import equation_3_5


@pytest.mark.parametrize("name", figures.FIGURES)
def test_a_file_is_what_is_drawn(name):
    path = figures.FOLDER / f"{name}.svg"
    assert path.read_text(encoding="utf-8") == svg(figures.FIGURES[name]()) + "\n"


@pytest.mark.parametrize(("N", "P"), [(32, 8), (64, 8), (128, 32), (16, 1)])
def test_in_the_storage_view_every_butterfly_is_on_one_rank_and_pairs_k_halves_apart(N, P):
    stages = bsp_stages(N, P)
    assert [stage.K for stage in stages] == [2 << i for i in range(len(stages))]
    for stage in stages:
        u = P // int(stage.name.removeprefix("C^"))
        first, second = stage.pairs().T
        assert across_ranks(stage, P) == 0 and u in groups(N, P)
        assert (second - first == stage.K // (2 * u)).all()
        before = replace(stage, places=np.arange(N))
        assert (across_ranks(before, P) > 0) == (stage.K > N // P)


def test_only_the_static_mapping_has_butterflies_between_ranks():
    for N, P in ((32, 4), (64, 8)):
        static = [across_ranks(stage, P) for stage in hypercube_stages(N, P, False)]
        local = (N // P).bit_length() - 1
        assert static == [0] * local + [N // 2] * (len(static) - local)
        assert not any(across_ranks(stage, P) for stage in hypercube_stages(N, P, True))
    late = hypercube_stages(32, 4, True)[-2]
    assert across_ranks(Stage("Q_0", np.arange(32), late.K), 4) == 16


@pytest.mark.parametrize(("k", "u", "P", "N"), [(8, 4, 8, 128), (2, 8, 8, 32), (4, 1, 4, 64)])
def test_the_entries_of_figure_2_are_those_of_2_9(k, u, P, N):
    found, n = figures.rows(k, u, P, N), N // P
    assert len(found) == 2 * N and (found[:, 0] // n == found[:, 1] // n).all()
    for row, column, e in found.tolist():
        j, alpha = row % k % (k // 2), Fraction(row // n % u, u)
        second, below = column % k >= k // 2, row % k >= k // 2
        turn = (j + alpha) / k + Fraction(1, 2) * below if second else 0
        assert Fraction(e, k * u) == turn % 1


def test_in_figure_3_a_local_permutation_gathers_packets():
    equation = equation_3_5(1, 4, 4, 8)
    drawn = figures.bsp_3()
    words = [shape.text for shape in drawn.shapes if hasattr(shape, "text")]
    cells = [int(word) for word in words if word.isdigit()]
    before, local, after = (cells[i : i + 32] for i in (0, 32, 64))
    assert before == list(range(32)) and str(equation.left).startswith("Γ_{4,4,32}")
    assert [j // 8 for j in local] == [rank for rank in range(4) for _ in range(8)]
    assert [j % 4 for j in after] == [rank for rank in range(4) for _ in range(8)]
    packets = {tuple(local[i : i + 2]) for i in range(0, 32, 2)}
    assert packets == {tuple(after[i : i + 2]) for i in range(0, 32, 2)}


def test_figures_4_and_5_have_the_efficiencies_of_table_3():
    found = table3.figures()
    assert dict(found["Figure 5"]["N/p = 1024, by (3.9)"])[64] == table3.computed(65536, 64)
    assert max(e for _, e in found["Figure 4"]["N = 65536, by (3.9)"]) < 1
    assert max(e for _, e in found["Figure 4"]["N = 65536"]) > 1


def test_figures_4_and_5_have_measured_and_computed_on_the_same_axes():
    pytest.importorskip("matplotlib")
    for axes, curves in zip(table3.drawn().axes, table3.figures().values(), strict=True):
        lines = axes.get_lines()
        half = len(lines) // 2
        assert [line.get_xydata().tolist() for line in lines] == [
            [list(point) for point in points] for points in curves.values()
        ]
        assert [line.get_linestyle() for line in lines] == ["-"] * half + ["--"] * half
        colors = [line.get_color() for line in lines]
        assert colors[:half] == colors[half:] and axes.get_ylabel()


def test_what_table_3_prints_otherwise_has_its_reasons():
    assert table3.remark().startswith("4 of 64 entries") and ": 3, for p = 64" in table3.remark()


def counted(N: int, P: int) -> tuple[int, int]:
    """Return the flops and the sines of an odd node, by the loops of the appendix."""
    nfd, flops, sines = N // P, 0, 0
    flops += nfd
    for s in range(2, P.bit_length() + 1):
        sines += 4
        flops += (3 if s == 2 else 4) * 2 * (nfd // 2)
    t = 1
    for _ in range(N.bit_length() - 1 - P.bit_length()):
        t *= 2
        for _ in range(t // 2):
            sines += 8
            flops += 4 * 4 * (nfd // (2 * t))
    return flops, sines


@pytest.mark.parametrize(("N", "P"), [(1024, 1), (1024, 2), (1024, 16), (4096, 32)])
def test_the_model_counts_the_programs_of_the_appendix(N, P):
    assert (hartley_ipsc.flops(N, P), hartley_ipsc.sines(N, P)) == counted(N, P)
    assert hartley_ipsc.links(P) == [1, 1, 2, 3, 4][: P.bit_length() - 1]


def test_too_many_nodes_are_slower_and_the_host_is_the_reason():
    short = replace(hartley_ipsc.MACHINE, short=True)
    for N in hartley_ipsc.SIZES:
        assert hartley_ipsc.fastest(N) < 32
        assert hartley_ipsc.fastest(N, host=False) > hartley_ipsc.fastest(N)
        assert hartley_ipsc.fastest(N, short, False) == 32
    curves = hartley_ipsc.figures()
    assert list(curves) == ["Figure 5, seconds"] + [
        f"Figure {i}, N = {N}, seconds" for i, N in ((6, 1024), (7, 2048), (8, 4096))
    ]
    for name, N in (("Figure 6, N = 1024, seconds", 1024), ("Figure 8, N = 4096, seconds", 4096)):
        assert curves[name]["in all"] == curves["Figure 5, seconds"][f"N = {N}"]


def test_a_figure_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit):
        figures.main(["bsp-9"])
    assert "no figure bsp-9: they are bsp-1, bsp-2" in capsys.readouterr().err


IPSC2 = read_network(packaged(Path("ipsc2.toml")))


def verdicts(net):
    return [same for _, _, same in ipsc2.claims(net)]


def test_each_fit_of_the_ipsc_2_has_its_own_of_the_papers_claims():
    gains, overlaps, speed = [True, False], [False] * 3, [True] * 2
    assert verdicts(IPSC2) == [*gains, False, False, *overlaps, False, False, *speed]
    other = verdicts(ipsc2.fitted_to_overlaps(IPSC2))
    assert other == [*gains, True, True, *overlaps, True, True, False, False]
    slow = replace(IPSC2, t_su=1e3, t_tr=0.0)  # overlap is highest at the end, and not due to α
    assert verdicts(slow)[2:4] == [False, False]


def test_curves_as_the_paper_tells_them_have_all_verdicts(monkeypatch):
    told = {name: dict(each) for name, each in ipsc2.curves(IPSC2).items()}
    for name, start in (("5a", None), ("5b", 32), ("6a", 2**13), ("6b", 32)):
        (whole,) = (each for each in told if f"Fig. {name}" in each)
        for P, points in told[whole].items():
            ranks = int(P.removeprefix("P = "))
            parts = [(N, N // ranks) for N, _ in points]
            told[whole][P] = [(N, -1.0 if start and start > M else 1.0) for N, M in parts]
    five = next(each for each in told if "Fig. 5a" in each)
    told[five] = {P: [(N, -0.5) for N, _ in points] for P, points in told[five].items()}
    monkeypatch.setattr(ipsc2, "curves", lambda net: told)
    assert verdicts(IPSC2)[:2] == [True, True] and verdicts(IPSC2)[4:7] == [True] * 3
    four = next(iter(told))
    told[four] = {P: points[::-1] for P, points in told[four].items()}
    assert not verdicts(IPSC2)[0]


def test_where_one_curve_is_above_another_from_its_largest_part_down():
    points = {"P = 2": [(16, 3.0), (32, -1.0), (64, 2.0), (128, 1.0)]}
    assert ipsc2.above(points) == 32
    assert ipsc2.above(points, {"P = 2": [(N, 1.5) for N, _ in points["P = 2"]]}) is None
