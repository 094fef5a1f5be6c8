"""What (2) to (7) of Aykanat & Dervis predict, and the machine file that they are given."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from codegen.cost import hypercube_times
from codegen.cost.hypercube_times import Network, overlap, predict, seconds
from derive.papers.hypercube import SCHEMES
from nodewright.api.costs import HYPERCUBE
from nodewright.machine import packaged, read_network
from tests.support import networks
from tests.support.schemas import validator

IPSC2 = read_network(packaged(HYPERCUBE))
NETWORKS = [IPSC2, *networks.NETWORKS]
SIZES = [(16, 2), (64, 8), (4096, 32), (2**16, 2)]


@pytest.mark.parametrize("net", NETWORKS, ids=str)
@pytest.mark.parametrize(("N", "P"), SIZES)
def test_overlap_is_the_shorter_of_message_and_flops_beside_the_copies(N, P, net):
    M = N // P
    message = net.t_su + net.alpha * M / 2 * net.t_tr
    copy, hidden = M / 2 * net.t_copy, min(M * net.t_calc, message)
    assert overlap("3", N, P, net) == 0
    assert overlap("4", N, P, net) == pytest.approx(100 * hidden / (message + copy))
    assert overlap("5", N, P, net) == pytest.approx(100 * (hidden + copy) / (message + copy))


@pytest.mark.parametrize("scheme", ["3", "5", "5r"])
@pytest.mark.parametrize(("N", "P"), SIZES)
def test_a_prediction_that_follows_from_the_rules_is_that_of_the_simulation(scheme, N, P):
    assert seconds(scheme, N, P, IPSC2) == pytest.approx(
        hypercube_times.simulate(scheme, N, P, IPSC2)
    )
    assert predict(scheme, N, P, IPSC2).gain == pytest.approx(
        hypercube_times.gain(scheme, N, P, IPSC2)
    )


def test_the_fitted_times_of_the_file_give_the_percentages_that_they_are_fitted_to():
    assert 100 * predict("5", 128 * 32, 32, IPSC2).efficiency == pytest.approx(94, abs=0.1)
    difference = IPSC2.t_copy / (IPSC2.alpha * IPSC2.t_tr + IPSC2.t_copy)
    assert difference == pytest.approx(0.54 - 0.23, abs=0.001)
    assert 1.3 <= IPSC2.alpha <= 1.6


@pytest.mark.parametrize("t_su", [0, 1, 100, 1000])
def test_overlaps_of_23_and_54_percent_leave_no_efficiency_of_94_percent(t_su):
    net = Network(t_calc=1, t_su=t_su, t_tr=6, t_copy=2.7)  # x = 3, c = 1.35
    large = 2**30
    assert overlap("4", large, 2, net) == pytest.approx(23, abs=0.1)
    assert overlap("5", large, 2, net) == pytest.approx(54, abs=0.1)
    assert [predict("5", 128 * P, P, net).efficiency < 0.94 for P in (4, 8, 16, 32)] == [True] * 4


@pytest.mark.parametrize("scheme", [*SCHEMES, "1"])
def test_one_rank_has_no_exchange_and_the_efficiency_1(scheme):
    found = predict(scheme, 64, 1, IPSC2)
    assert (found.efficiency, found.gain, found.overlap, found.complete) == (1, None, None, None)
    assert found.seconds == hypercube_times.equation_2(64, IPSC2)


WRONG = {
    "a missing time": ("t_copy = 1e-6\n", "", "t_copy = None: a hypercube states t_calc, t_su"),
    "a time of nothing": ("t_su = 1e-4", "t_su = 0", "t_su = 0: a hypercube states"),
    "a text": ("t_su = 1e-4", 't_su = "long"', "t_su = 'long': a hypercube states"),
    "alpha below 1": ("alpha = 1.5", "alpha = 0.5", "alpha = 0.5: a hypercube states"),
    "a misspelt word": ("name", "nmae", "nmae = 'here', perhaps name: a hypercube states"),
    "no TOML": ("=", "", "m.toml must be a TOML file: "),
}
RIGHT = 'name = "here"\nt_calc = 1e-6\nt_su = 1e-4\nt_tr = 2e-6\nt_copy = 1e-6\nalpha = 1.5\n'


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_states_no_hypercube_is_refused(name, tmp_path):
    old, new, complaint = WRONG[name]
    (tmp_path / "m.toml").write_text(RIGHT.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        read_network(tmp_path / "m.toml")


def test_a_hypercube_is_read_as_it_is_stated(tmp_path):
    (tmp_path / "m.toml").write_text(RIGHT, encoding="utf-8")
    assert read_network(tmp_path / "m.toml") == Network(1e-6, 1e-4, 2e-6, 1e-6, 1.5, "here")


def test_a_machine_that_comes_with_nodewright_is_found_by_its_name_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert packaged(Path("ipsc2.toml")).exists()
    assert packaged(Path("folder/ipsc2.toml")) == Path("folder/ipsc2.toml")
    Path("ipsc2.toml").write_text(RIGHT, encoding="utf-8")
    assert packaged(Path("ipsc2.toml")) == Path("ipsc2.toml")


def test_cost_of_a_hypercube_fft_is_predicted_by_its_own_equations(nodewright):
    words = ("cost", "hypercube-fft", "--size", 4096, "--ranks", 32, "--scheme", 5, "--predict")
    found = json.loads(nodewright(*words, "--json")[1])
    assert found == json.loads(nodewright(*words, "--machine", "ipsc2.toml", "--json")[1])
    assert validator("cost").is_valid(found)
    assert found["machine"] == asdict(IPSC2)
    assert found["seconds"] == hypercube_times.equation_7(4096, 32, IPSC2)
    assert found["predictions"] == [
        asdict(predict("5", 4096, P, IPSC2)) for P in (1, 2, 4, 8, 16, 32)
    ]
    _, out, _ = nodewright(*words)
    assert "Predicted by (7) of Aykanat & Dervis" in out
    assert "│ 32 │ 0.035   │ 0.94       │ 17.5       │ 61.5      │ no             │" in out
