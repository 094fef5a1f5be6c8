"""Modules that are imported when they are first used."""

import sys
import threading

import pytest

from derive.lazy import lazily

LATE = "import counted, time\ntime.sleep(0.1)\ncounted.times += 1\nname = 'late'\n"


@pytest.fixture
def late(tmp_path, monkeypatch):
    """Give a module that counts in another how often it is executed."""
    (tmp_path / "counted.py").write_text("times = 0\n")
    (tmp_path / "late.py").write_text(LATE)
    monkeypatch.syspath_prepend(tmp_path)
    yield lazily("late")
    for name in ("late", "counted"):
        sys.modules.pop(name, None)


def test_a_module_is_imported_at_first_use_and_once(late):
    assert "late" not in sys.modules
    assert (late.name, late.name, late.counted.times) == ("late", "late", 1)
    late.name = "another"
    assert sys.modules["late"].name == "another"
    assert "counted" in dir(late)
    del late.name
    with pytest.raises(AttributeError, match="name"):
        _ = late.name


def test_threads_wait_for_one_another(late):
    found = []
    threads = [threading.Thread(target=lambda: found.append(late.name)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found, late.counted.times) == (["late"] * 4, 1)


def test_after_an_interrupt_a_module_is_imported_again(late, monkeypatch):
    def interrupt(seconds):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("time.sleep", interrupt)
        with pytest.raises(KeyboardInterrupt):
            _ = late.name
    assert (late.name, late.counted.times) == ("late", 1)


def test_what_is_not_there_is_named():
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        _ = lazily("nowhere").anything
