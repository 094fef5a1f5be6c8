"""Where the texts of programs are kept, and where not."""

import os
from pathlib import Path
from stat import S_IMODE

import pytest

from codegen.kernels.permute.kernel_text import section
from nodewright.runtime import loading
from nodewright.runtime.loading import COMPILED, folder, loaded

TEXT = "x = 'ζ'\n"


@pytest.fixture
def caches(tmp_path, monkeypatch):
    """A user's folder of caches, and no program loaded."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    loaded.cache_clear()
    return tmp_path


def again():
    """Return the file of the program, as the next process has it."""
    loaded.cache_clear()
    module = loaded(TEXT, "fft")
    assert module.x == "ζ"
    return Path(module.__file__)


def is_kept():
    return again().is_file()


def test_a_text_is_kept_in_folders_of_the_user_alone(caches):
    before = os.umask(0)
    try:
        file = again()
    finally:
        os.umask(before)
    assert file.read_bytes() == TEXT.encode()
    for own in (caches / "nodewright", file.parent, file.parent / COMPILED):
        assert S_IMODE(own.stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", [b"\xff\xfe\xfd", b"", TEXT.encode().replace(b"\n", b"\r\n")])
def test_a_damaged_text_is_written_anew(caches, damage):
    file = again()
    file.write_bytes(damage)
    assert again() == file
    assert file.read_bytes() == TEXT.encode()


KERNEL = f"import sys\n\n{section('compiling')}\n\n@compiled\ndef successor(x):\n    return x + 1\n"


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", [b"", b"rubbish", None])
def test_a_kernel_whose_file_is_damaged_is_compiled_again(caches, suffix, damage):
    def call():
        loaded.cache_clear()
        module = loaded(KERNEL, "fft")
        assert module.successor(1) == 2
        return Path(module.__file__).parent / COMPILED, module.successor.stats

    folder, first = call()
    assert (len(first.cache_hits), len(first.cache_misses)) == (0, 1)
    [file] = folder.glob(f"*{suffix}")
    file.write_bytes(file.read_bytes()[:9] if damage is None else damage)
    call()
    assert file.stat().st_size > 100
    assert len(call()[1].cache_hits) == 1


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
@pytest.mark.parametrize("depth", range(3))
def test_a_folder_that_others_may_write_to_is_not_used(caches, mode, depth):
    own = again().parent
    [own / COMPILED, own, own.parent][depth].chmod(mode)
    assert not is_kept()


def test_a_folder_of_another_user_is_not_used(caches, monkeypatch):
    assert is_kept()
    uid = os.getuid()
    monkeypatch.setattr(loading.os, "getuid", lambda: uid + 1)
    assert not is_kept()


@pytest.mark.parametrize("depth", range(3))
def test_every_folder_is_the_users_own(caches, monkeypatch, depth):
    own = again().parent
    other = [own / COMPILED, own, own.parent][depth]
    stat = Path.stat

    def of_another(path, **options):
        found = stat(path, **options)
        if path != other:
            return found
        return os.stat_result([*found[:4], found.st_uid + 1, *found[5:]])

    monkeypatch.setattr(Path, "stat", of_another)
    assert not is_kept()


def test_a_folder_that_others_may_read_is_closed(caches):
    own = caches / "nodewright"
    own.mkdir(mode=0o755)
    assert is_kept()
    assert S_IMODE(own.stat().st_mode) == 0o700


def test_a_file_where_the_folder_would_be_is_left(caches):
    (caches / "nodewright").write_text("")
    assert not is_kept()


def nobody():
    raise RuntimeError("Could not determine home directory.")


def test_a_user_without_a_home_keeps_nothing(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nobody)
    with pytest.raises(OSError, match="home directory"):
        folder()
    assert not is_kept()


@pytest.mark.parametrize("named", ["", "caches", "./caches", "../caches"])
def test_a_relative_name_of_the_folder_of_caches_is_ignored(tmp_path, monkeypatch, named):
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folder() == tmp_path / ".cache" / "nodewright"
    assert again().is_relative_to(tmp_path)
