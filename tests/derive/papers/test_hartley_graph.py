"""The Hartley graph: its definition, Figure 4 and mappings on the hypercube, read a second time
with networkx; the command, and the picture.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib import import_module

import networkx as nx
import numpy as np
import pytest

from derive.papers import hartley_graph as hg
from derive.papers.hartley import comp
from derive.verdict import Checked, Refuted

DIMENSIONS = range(1, 8)


def graph_of(edges, d):
    """Return the graph with the dimension of an edge as its attribute."""
    made = nx.Graph()
    made.add_nodes_from(range(1 << d))
    made.add_edges_from((i, j, {"dimension": s}) for (i, j), s in edges.items())
    return made


def hartley_graph(d):
    return graph_of(hg.hartley_edges(d), d)


@pytest.fixture(scope="module")
def picture():
    """Return what draws, whose library is slow to import."""
    return import_module("nodewright.show.hartley_graph_picture")


@pytest.mark.parametrize("d", DIMENSIONS)
def test_nodes_are_joined_with_their_complements(d):
    graph = hartley_graph(d)
    assert sorted(graph.nodes) == list(range(1 << d))
    assert dict(graph.degree) == dict.fromkeys(range(1 << d), d)
    for i in graph:
        assert {j: graph.edges[i, j]["dimension"] for j in graph[i]} == {
            comp(i, s): s for s in range(1, d + 1)
        }


def test_the_graph_of_figure_3_with_three_dimensions():
    edges = {frozenset(edge) for edge in hg.hartley_edges(3)}
    drawn = "01 23 45 67 02 13 46 57 04 17 26 35"
    assert edges == {frozenset(map(int, pair)) for pair in drawn.split()}


@pytest.mark.parametrize("d", DIMENSIONS)
def test_figure_4_by_isomorphisms(d):
    graph = hartley_graph(d)
    graph.remove_edges_from([(i, j) for i, j, s in graph.edges(data="dimension") if s == 1])
    even, odd = (set(range(parity, 1 << d, 2)) for parity in (0, 1))
    assert sorted(map(sorted, nx.connected_components(graph))) == sorted(map(sorted, (even, odd)))
    for nodes, relabel, wanted in (
        (even, hg.even_to_hartley, hartley_graph(d - 1)),
        (odd, hg.odd_to_cube, graph_of(hg.cube_edges(d - 1), d - 1)),
    ):
        part = nx.relabel_nodes(graph.subgraph(nodes), {i: relabel(i) for i in nodes})
        assert nx.utils.graphs_equal(nx.Graph(part.edges()), nx.Graph(wanted.edges()))
        assert {frozenset((i, j)): s - 1 for i, j, s in part.edges(data="dimension")} == {
            frozenset((i, j)): s for i, j, s in wanted.edges(data="dimension")
        }
    assert isinstance(hg.figure_4(d), Checked)


def test_the_cube_is_that_of_networkx():
    cube = graph_of(hg.cube_edges(4), 4)
    assert nx.is_isomorphic(cube, nx.hypercube_graph(4))
    assert not nx.is_isomorphic(hartley_graph(4), cube)
    assert nx.is_isomorphic(hartley_graph(2), graph_of(hg.cube_edges(2), 2))


@pytest.mark.parametrize(
    "damaged",
    [
        {"odd": lambda i: (i - 1) // 2},
        {"odd": lambda i: hg.gray(i // 2) ^ (i == 5)},
        {"even": lambda i: hg.gray(i // 2)},
        {"even": lambda i: i // 2 ^ (i < 4)},
    ],
)
def test_other_maps_are_no_isomorphisms(damaged):
    verdict = hg.figure_4(4, **damaged)
    assert isinstance(verdict, Refuted)
    assert "nodes: " in verdict.counterexample


def test_a_graph_that_does_not_fall_apart_is_refuted(monkeypatch):
    monkeypatch.setattr(hg, "comp", lambda i, s: i ^ (1 << s) - 1)
    verdict = hg.figure_4(3)
    assert isinstance(verdict, Refuted)
    assert "joins an even with an odd node" in verdict.counterexample


@pytest.mark.parametrize("d", DIMENSIONS)
def test_dilation_load_and_hops_are_those_of_shortest_paths(d):
    cube = graph_of(hg.cube_edges(d), d)
    length = dict(nx.all_pairs_shortest_path_length(cube))
    for name, host in hg.HOSTS.items():
        paths = [length[host(i)][host(j)] for i, j in hg.hartley_edges(d)]
        found = hg.mapping(d, name)
        assert (found.dilation, found.hops) == (max(paths), 2 * sum(paths))
        assert found.load == max(Counter(host(i) for i in range(1 << d)).values()) == 1


@pytest.mark.parametrize("d", DIMENSIONS)
def test_congestion_is_counted_message_by_message(d):
    for name, host in hg.HOSTS.items():
        most = 0
        for s in range(1, d + 1):
            links: Counter[tuple[int, int]] = Counter()
            for i in range(1 << d):
                at, end = host(i), host(comp(i, s))
                while at != end:
                    step = (at ^ end) & -(at ^ end)
                    links[at, at ^ step] += 1
                    at ^= step
            most = max(most, *links.values())
        assert hg.mapping(d, name).congestion == most


def test_the_direct_mapping_has_dilation_d_minus_1_and_gray_code_2():
    assert [hg.mapping(d, "direct").dilation for d in range(1, 15)] == [1, *range(1, 14)]
    assert [hg.mapping(d, "gray").dilation for d in range(2, 15)] == [2] * 13
    cheaper = [d for d in range(1, 15) if hg.mapping(d, "gray").hops < hg.mapping(d, "direct").hops]
    assert cheaper == list(range(6, 15))


@pytest.mark.parametrize("d", DIMENSIONS)
def test_dilation_1_is_impossible_from_three_dimensions_on(d):
    assert nx.is_bipartite(hartley_graph(d)) == (d <= 2)


@pytest.mark.parametrize("d", [-1, 17, 10**6])
def test_dimensions_out_of_range_are_refused(d):
    with pytest.raises(ValueError, match="0 to 16 can be made"):
        hg.hartley_edges(d)


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_graph_is_drawn(picture, d, tmp_path):
    picture.plot.save(picture.figure(d), tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_bent_edges_keep_away_from_nodes(picture):
    places = picture._on_cube(np.arange(16), 4)
    for i, j in hg.hartley_edges(4):
        assert abs(picture._bend(places, i, j)) <= 0.26
    assert picture._bend(np.array([[0.0, 0], [1, 0], [2, 0]]), 0, 2) != 0


def test_the_command_shows_and_draws_the_graph(nodewright, tmp_path):
    png = tmp_path / "graph.png"
    status, out, _ = nodewright("graph", "fht", "--size", "16", "--ranks", "4", "--png", str(png))
    assert status == 0
    assert "dimension 2, before stage 3: 0-2 1-3" in out
    assert png.stat().st_size > 10_000
    status, out, _ = nodewright("graph", "fht", "--size", "2^10", "--ranks", "16", "--json")
    record = json.loads(out)
    assert len(record["edges"]) == 32
    assert [m["dilation"] for m in record["mappings"]] == [3, 2]
    assert record["figure_4"]["verdict"] == "checked"
    assert nodewright("graph", "fht", "--size", "4", "--ranks", "1")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("graph", "fft", "--size", "16", "--ranks", "4"), "graph supports fht only"),
        (("graph", "fht", "--size", "16", "--ranks", "16"), "P <= N/2"),
        (("graph", "fht", "--size", "2^20", "--ranks", "2^17"), "0 to 16 can be made"),
        (
            ("graph", "fht", "--size", "512", "--ranks", "128", "--png", "x.png"),
            "--png supports 2 to 64 ranks; got 128",
        ),
        (("check", "fht", "--size", "16", "--ranks", "3"), "3 ranks must divide 16 elements"),
        (
            ("check", "fht", "--size", "16", "--ranks", "4", "--output", "zigzag"),
            "unknown layout 'zigzag'",
        ),
        (
            ("check", "fht", "--size", "16", "--ranks", "4", "--algorithm", "group-cyclic"),
            "needs 2 P^2 <= N",
        ),
        (
            ("generate", "fht", "--size", "16", "--ranks", "4", "--dtype", "complex128"),
            "unknown dtype 'complex128': choose from float64, float32",
        ),
        (
            (
                "generate",
                "fht",
                "--size",
                "16",
                "--ranks",
                "4",
                "--result",
                "dft",
                "--output",
                "block",
            ),
            "in the output layout hartley",
        ),
        (("generate", "fft", "--size", "16", "--ranks", "4", "--convolve"), "only fht has it"),
        (
            ("cost", "fht", "--size", "16", "--ranks", "4", "--name", "shuffle"),
            "only permute has them",
        ),
        (("layout", "hartley", "--size", "16", "--ranks", "16"), "P = 16"),
        (("formula", "fht", "--size", "16", "--ranks", "16"), "P <= N/2"),
    ],
)
def test_wrong_requests_end_with_one_line_and_status_2(
    nodewright, words, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    status, out, err = nodewright(*words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_commands_check_and_print_the_hartley_transform(nodewright):
    status, out, _ = nodewright("check", "fht", "--size", "32", "--ranks", "4", "--json")
    record = json.loads(out)
    assert status == 0
    assert record["verdict"] == "checked"
    assert [equation["name"] for equation in record["equations"]][-4:] == [
        "fht-partition",
        "fht-figure-4",
        "fht-ranks",
        "supersteps",
    ]
    status, out, _ = nodewright(
        "check",
        "fht",
        "--size",
        "32",
        "--ranks",
        "4",
        "--output",
        "block",
        "--algorithm",
        "group-cyclic",
    )
    assert status == 0
    assert "supersteps from block to block on 4 ranks = H_32" in out
    status, out, _ = nodewright("formula", "fht", "--size", "4", "--ranks", "2")
    assert "H_4 = LH_{2,4} LH_{1,4} P_4" in out
