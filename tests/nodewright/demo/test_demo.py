"""The demo, end to end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from derive.verdict import Refuted, holds
from nodewright import plot
from nodewright.demo import main_job
from nodewright.runtime import launch


@dataclass
class Whole:
    """What the demo said, found and left in its folder."""

    messages: list[str]
    found: main_job.Findings
    folder: Path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The demo from end to end."""
    messages: list[str] = []
    folder = tmp_path_factory.mktemp("demo") / "out"
    return Whole(messages, main_job.demo(lambda kind, text: messages.append(text), folder), folder)


@pytest.fixture
def decided(whole: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    """The equation and the text, which are the same in every demo, are decided."""
    monkeypatch.setattr(main_job, "check", lambda equation: whole.found.verdict)
    monkeypatch.setattr(main_job, "certify", lambda path: whole.found.certificate)


@pytest.mark.long
def test_the_demo_finds_the_year_in_the_air(whole: Whole) -> None:
    found, folder = whole.found, whole.folder
    assert holds(found.verdict)
    assert found.certificate.holds
    assert found.accuracy.measured <= found.accuracy.tolerance
    assert [round(line.frequency, 2) for line in found.lines] == [1, 2]
    assert sorted(found.files) == sorted(folder.iterdir())
    assert (folder / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert "a line of 2.88 ppm with a period of 365.0 days" in "\n".join(whole.messages)


def test_the_demo_stops_where_a_check_is_refuted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        main_job,
        "check",
        lambda equation: Refuted(
            str(equation), "entry (1, 1) is 1 on the left and -1 on the right"
        ),
    )
    with pytest.raises(
        RuntimeError, match=r"the demo stops here: refuted: F_2048 = .* entry \(1, 1\)"
    ):
        main_job.demo(lambda kind, text: None, tmp_path)
    assert not (tmp_path / "OUT.npy").exists()


@pytest.mark.long
@pytest.mark.usefixtures("decided")
def test_the_demo_stops_where_the_result_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numpy = SimpleNamespace(**vars(np))
    numpy.fft = SimpleNamespace(fft=lambda x: 1.001 * np.fft.fft(x))
    # of the demo alone: certification has a reference of its own
    monkeypatch.setattr(main_job, "np", numpy)
    with pytest.raises(RuntimeError, match=r"the demo stops here: tested: .* tolerance 8 lg N eps"):
        main_job.demo(lambda kind, text: None, tmp_path)


def test_without_mpi_the_demo_says_so_before_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> str:
        raise launch.MpiexecNotFound("mpiexec not found")

    monkeypatch.setattr(launch, "mpiexec", missing)
    with pytest.raises(FileNotFoundError, match="mpiexec not found"):
        main_job.demo(lambda kind, text: None, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.long
@pytest.mark.usefixtures("decided")
def test_without_matplotlib_all_but_the_picture_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plot, "AVAILABLE", False)
    found = main_job.demo(lambda kind, text: None, tmp_path)
    assert [path.name for path in found.files] == [
        "IN.npy",
        "fft_2048_4.py",
        "fft_2048_4.cert.json",
        "OUT.npy",
    ]
    assert not (tmp_path / "demo.png").exists()
