"""Calls that come at the wrong time, from the wrong thread or with the wrong communicator."""

from __future__ import annotations

from threading import Event, Thread
from typing import ClassVar

import numpy as np
import pytest

import nodewright as nw
from nodewright.runtime import dropped, launch, loading

N = 64


@pytest.fixture(autouse=True)
def texts_are_kept_in_a_folder_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    loading.loaded.cache_clear()


KINDS = {
    "FFT": lambda: nw.FFT(None, N),
    "FHT": lambda: nw.FHT(None, N),
    "RFFT": lambda: nw.RFFT(None, N),
    "Permutation": lambda: nw.Permutation(None, nw.permutation("bit-reversal", 6)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_thread_is_refused_and_the_first_goes_on(kind):
    transform, begun, go_on, found = KINDS[kind](), Event(), Event(), []
    run, x = transform.forth.transform, np.random.default_rng(0).random(N)
    x = x.astype(transform.request.dtype)

    def slow(*given):
        begun.set()
        assert go_on.wait(30)
        return run(*given)

    transform.forth.transform = slow
    first = Thread(target=lambda: found.append(transform.forward(x)))
    first.start()
    assert begun.wait(30)
    for call in (lambda: transform.forward(x), lambda: transform.backward(x), transform.free):
        with pytest.raises(RuntimeError, match=f"^this {kind} is in use by another thread: call"):
            call()
    go_on.set()
    first.join()
    assert np.allclose(transform.backward(found[0]), x)
    transform.free()


def test_a_freed_transform_is_not_planned_back():
    fft = nw.FFT(None, N)
    fft.free()
    with pytest.raises(ValueError, match=r"^this FFT is freed; create"):
        fft.backward(np.ones(N, complex))


def test_threads_share_a_plan_of_a_local_permutation():
    plan = nw.LocalPlan(nw.permutation("bit-reversal", 10), 0, "f8")
    plan._scattered, work, waiting = True, plan._work, Event()  # as large arrays are

    def slow(x, y):
        work(x, y)
        waiting.wait(0.2)

    plan._work = slow
    xs = [np.arange(1024.0) + i for i in range(4)]
    ys = [np.empty(1025)[1:] for _ in xs]
    threads = [Thread(target=plan.perform, args=each) for each in zip(xs, ys, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x, y in zip(xs, ys, strict=True):
        assert np.array_equal(y, plan.perform(x))


class Noted:
    """A plan that notes that it is freed."""

    freed: ClassVar[list] = []

    def __init__(self):
        self.table = np.ones(3)

    def free(self):
        self.freed.append(self)


def test_what_all_ranks_have_dropped_is_freed_and_what_some_have_not_is_kept():
    everywhere, here = Noted(), Noted()
    for name, plan in (("a", everywhere), ("b", here)):
        dropped._drop((name, 2), [plan])
    mine = dropped.taken()
    assert dropped.taken() == {} and everywhere.table is None
    dropped.free_together(mine, [[*mine], [("a", 2)]])
    assert Noted.freed == [everywhere]
    assert dropped.taken() == {("b", 2): [here]}


PROGRAM = """
from threading import Event, Thread
import numpy as np
from mpi4py import MPI
import nodewright as nw

world, N, x = MPI.COMM_WORLD, 64, np.ones(32, complex)

# one thread at a time, on each rank
fft, begun, go_on, found = nw.FFT(world, N), Event(), Event(), []
run = fft.forth.transform
fft.forth.transform = lambda *given: (begun.set(), go_on.wait(30), run(*given))[2]
first = Thread(target=lambda: found.append(fft.forward(x)))
first.start()
begun.wait(30)
try:
    fft.forward(x)
except RuntimeError as error:
    assert "in use by another thread" in str(error)
else:
    raise AssertionError("two threads at once")
go_on.set()
first.join()
assert np.allclose(fft.backward(found[0]), x)
fft.free()

# backward does not need the caller's communicator
own = world.Dup()
fft = nw.FFT(own, N)
own.Free()
assert np.allclose(fft.backward(fft.forward(x)), x)
fft.free()

# communicators that no transform takes
other = world.Split(world.rank).Create_intercomm(0, world, 1 - world.rank)
for comm, words in ((MPI.COMM_NULL, "MPI.COMM_NULL"), (own, "freed"), (other, "comm.Merge()")):
    for kind in (nw.FFT, nw.FHT, nw.RFFT):
        try:
            kind(comm, N)
        except ValueError as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)

# more transforms than MPI has communicators: dropped, then kept
for exchange, many in (("shared", 20), ("alltoall", 1100)):
    for _ in range(many):
        fft = nw.FFT(world, N, exchange=exchange)
        y = fft.backward(fft.forward(x))
assert np.allclose(y, x)
kept = []
try:
    while len(kept) < 5000:
        kept.append(nw.FFT(world, N))
except RuntimeError as error:
    assert "free() each transform that is no longer needed" in str(error), error
    assert "\\n" not in str(error), error
    while kept:
        kept.pop().free()
with nw.FFT(world, N) as fft:
    assert np.allclose(fft.backward(fft.forward(x)), x)
print("fine", end="")
"""


@pytest.mark.long
def test_threads_communicators_and_dropped_transforms_on_real_ranks(tmp_path):
    (tmp_path / "p.py").write_text(PROGRAM, encoding="utf-8")
    done = launch.run(tmp_path / "p.py", [], 2, capture=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "fine" * 2), done.stderr
