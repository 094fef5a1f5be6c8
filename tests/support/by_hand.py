"""Programs as people write them, each of them right, and wrong ones that differ in a few words."""

from __future__ import annotations

from functools import cache

from tests.support.by_hand_in_parts import IN_PARTS, Wrong
from tests.support.paths import ROOT

FOLDER = ROOT / "tests/proofs/certify/by_hand"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


@cache
def right(name):
    """Return a right program by its name."""
    return (FOLDER / f"{name}.py").read_text("utf-8")


GATHERED = "allgather_whole"


@cache
def gathered():
    """Return this program for 16 elements on 2 ranks, whose plans stay as they are: a certificate
    of it takes a quarter of the time.
    """
    source = right(GATHERED).replace("N, P, M = 64, 4, 16", "N, P, M = 16, 2, 8")
    return source.replace("np.zeros(N, dtype=DTYPE)", "np.empty(N, dtype=DTYPE)")


def wrong(name, i):
    """Return a wrong neighbour of a right program."""
    return changed(name, WRONG[name][i])


def changed(name, change):
    """Return a right program with a change."""
    return edited(right(name), change)


def edited(source, change):
    """Return a source with a change of words that it has once."""
    assert source.count(change.old) == 1, f"the program has {change.old!r} not once"
    return source.replace(change.old, change.new)


MESSAGES, ROUNDING, LAYOUT, CONTRACT, BYTES = (
    *("messages", "rounding", "layout", "contract", "bytes"),
)
FREE = "        self.own.Free()\n"
FREES_NOTHING = "        self.own = None\n"
WRONG = {
    "allgather_whole": (
        Wrong("begin = plan.own.rank * M", "begin = (P - 1 - plan.own.rank) * M"),
        Wrong(FREE, FREES_NOTHING, MESSAGES),
    ),
    "allreduce_sum": (
        Wrong("padded[rank * M : rank * M + M] = x", "padded[rank * M : rank * M + M] = x.conj()"),
        Wrong("share[rank::P]", "share[P - 1 - rank :: P]"),
        Wrong("        self.own.Free()\n", "        pass\n", MESSAGES),
    ),
    "alltoallv_uneven": (
        Wrong("(9 * a + 28 * b)", "(9 * a + 4 * b)"),
        Wrong("[0, 2 * 5])", "[0, 2 * 4])", MESSAGES),
        Wrong("[recv, *plan.mine, None]", "[recv, [2 * 4] * 2, [0, 8], None]", MESSAGES),
    ),
    "assertions": (
        Wrong("    sums *= plan.twiddle\n", ""),
        Wrong("for column in range(P)", "for column in range(1, P)"),
    ),
    "batched": (
        Wrong("y[b] = even + odd", "y[b] = plan.parts[0, 0] + odd"),
        Wrong(
            "        spectra[b] = np.fft.fft(x[b])\n",
            "        spectra[b] = np.fft.fft(x[b - b // 2])\n",
        ),
    ),
    "bcast_parts": (
        Wrong("self.own.Bcast(roots, root=0)", "self.own.Bcast(roots.copy(), root=0)"),
        Wrong("root=rank)", "root=0)"),
        Wrong(
            "for rank in range(P)",
            "for rank in sorted(range(P), key=lambda q: q != plan.own.rank)",
            MESSAGES,
        ),
    ),
    "bit_reversal_loops": (
        Wrong("range(6)", "range(5)"),
        Wrong("y[place] = x[offset]", "y[place] = float(np.float32(x[offset]))", BYTES),
        Wrong(
            "def output_place(k):\n    return k // M, k % M",
            "def output_place(k):\n    return k // M, M - 1 - k % M",
            LAYOUT,
        ),
    ),
    "bluestein": (
        Wrong("(j * j % (2 * N)) / N)", "(j * j % (2 * N)) / (N + 1))"),
        Wrong("self.chirp[:0:-1].conj()", "self.chirp[:0:-1]"),
        Wrong("return circulant[:, :N] @ a", "return circulant[:, :N] @ a * (1 + 1e-9)"),
    ),
    "cached_twiddles": (
        Wrong("np.arange(n) / n", "np.arange(n) / (n - 1)"),
        Wrong(" / np.sqrt(N)", " / N"),
        Wrong("    return table\n", "    return table.astype(np.complex64)\n", ROUNDING),
    ),
    "checked_types": (
        Wrong("half = (x + plan.work)", "half = (x - plan.work)"),
        Wrong('norm="forward"', 'norm="ortho"'),
        Wrong(
            "half = (plan.work - x) * plan.roots", "x -= plan.work\n        half = -x * plan.roots"
        ),
    ),
    "closure_plan": (
        Wrong("(1 - 2 * comm.rank) * np.exp", "np.exp"),
        Wrong("made.free = comm, run, own.Free", "made.free = comm, run, lambda: None", MESSAGES),
    ),
    "counter": (
        Wrong("plan.transforms += 1\n", "plan.transforms += 1\n    out *= plan.transforms\n"),
        Wrong("differences * plan.tables[half]", "differences * plan.tables[half].conj()"),
        Wrong("np.divide(a, N, out=out)", "np.divide(a, M, out=out)"),
    ),
    "dft_matrix": (
        Wrong("k = np.arange(n).reshape(n, 1)", "k = np.arange(1, n + 1).reshape(n, 1)"),
        Wrong(
            "np.exp(-2j * np.pi * (k @ k.T % n) / n)",
            "np.exp(-2j * np.pi * (k @ k.T % n) / n).astype(np.complex64)",
            ROUNDING,
        ),
    ),
    "dtype_type": (
        Wrong("np.fft.ifft(b)", "np.fft.fft(b)"),
        Wrong("b = np.empty(M, dtype=DTYPE)", "b = np.empty(M, dtype=np.complex64)", MESSAGES),
    ),
    "einsum_constants": (
        Wrong('"cb,db->dc", rows, F8', '"cb,db->dc", rows, F8[::-1]'),
        Wrong('"ca,ab->cb", plan.first', '"ca,ab->cb", plan.first.conj()'),
        Wrong(
            "(np.outer(INDEX, INDEX) % 8)", "(np.outer(INDEX, INDEX) * 1001)", "function rounding"
        ),
    ),
    "fft_1024_4_block": (
        Wrong("i * (4 * o + comm.rank) % 1024", "i * (4 * o + comm.rank + 1) % 1024"),
        Wrong("        self.own.Free()\n", "", MESSAGES),
        Wrong("    np.copyto(out.reshape(4, 64), work.reshape(64, 4).T)\n", ""),
        Wrong("in 3 exchanges", "in 2 exchanges", "cost"),
    ),
    "fftn_axes": (
        Wrong("x.reshape(ROWS, SHAPE[1]), axes=(1,)", "x.reshape(ROWS, SHAPE[1]), axes=(0,)"),
        Wrong("np.moveaxis(send, 0, 1)", "np.moveaxis(send, 0, 2)"),
        Wrong("return j // M, j % M", "return j // M, j % M ^ 1", LAYOUT),
    ),
    "finite_guard": (
        Wrong("else even - plan.roots * odd", "else even + plan.roots * odd"),
        Wrong("if not np.isfinite(x).all():", "if np.isfinite(x).all():"),
    ),
    "grid_of_ranks": (
        Wrong("comm.Split(color=column, key=row)", "comm.Split(color=column, key=-row)"),
        Wrong("        self.along_column.Free()\n", "", MESSAGES),
        Wrong(
            "along_last_axis(a.T, plan.along_column).T", "along_last_axis(a.T, plan.along_row).T"
        ),
    ),
    "hartley_by_fft": (
        Wrong("spectrum.real - spectrum.imag", "spectrum.real + spectrum.imag"),
        Wrong("return k // M, k % M", "return k % P, k // P", LAYOUT),
    ),
    "hstack_split": (
        Wrong(
            "quarters = np.hstack([even + odd, even - odd])",
            "quarters = np.hstack([even - odd, even + odd])",
        ),
        Wrong("lower, upper = np.split(part, 2)", "upper, lower = np.split(part, 2)"),
        Wrong("        self.partner = 1 - self.rank\n", "        self.partner = self.rank\n"),
    ),
    "hypercube_exchange": (
        Wrong("ORDER = [0, 2, 1, 3]", "ORDER = [0, 1, 2, 3]"),
        Wrong("ORDER = [0, 2, 1, 3] ", "ORDER = [0, 2, 3, 1] ", MESSAGES),
        Wrong("a = (theirs - a) * w", "a = (a - theirs) * w"),
    ),
    "in_place_allgather": (
        Wrong("1: even - odd}", "1: odd - even}"),
        Wrong("plan.halves[plan.own.rank] =", "plan.halves[0] ="),
    ),
    "lazy_table": (
        Wrong(" * (-1) ** plan.own.rank", ""),
        Wrong("plan.roots * (-1)", "plan.halves[0] * (-1)"),
    ),
    "logged": (
        Wrong("comm.rank * k / N", "comm.rank * k / M"),
        Wrong("parts = np.fft.fft(parts, axis=0)", "parts = np.fft.fft(parts, axis=1)"),
    ),
    "named_plan": (
        Wrong("comm.rank * 4 + np.arange(4)", "np.arange(4)"),
        Wrong("return np.vstack(recv).T", "return np.hstack(recv)"),
        Wrong("comm.Dup(), np.exp", "comm, np.exp", MESSAGES),
    ),
    "nonblocking": (
        Wrong("plan.seconds += MPI", "plan.rank += MPI"),
        Wrong(
            "    MPI.Request.Waitall(requests)\n",
            "    MPI.Request.Waitall(requests[:-1])\n",
            MESSAGES,
        ),
        Wrong("            recv[q] = send[q]\n", "            pass\n"),
        Wrong(
            "plan.own.Isend(send[q], dest=q, tag=7)",
            "plan.own.Isend(send[q], dest=q, tag=8)",
            MESSAGES,
        ),
    ),
    "numba_kernel": (
        Wrong("complex(u.real - re, u.imag - im)", "complex(u.real - re, u.imag + im)"),
        Wrong("step = roots.size // half", "step = roots.size // (2 * half)"),
    ),
    "overlapped": (
        Wrong("        requests[half].Wait()\n", "        requests[half - 1].Wait()\n", MESSAGES),
        Wrong("plan.send[half] = part[half].T", "plan.send[half] = part[half].reshape(P, HALF)"),
        Wrong("plan.own.Ialltoall(plan.send[half]", "plan.own.Ialltoall(plan.send[0]"),
    ),
    "permute_indices": (
        Wrong("2 * j % N + 2 * j // N", "2 * j % N"),
        Wrong("np.take(x, plan.order, out=plan.send)", "plan.send[:] = x"),
        Wrong("y[plan.offsets] = plan.recv", "y[plan.order] = plan.recv"),
    ),
    "persistent": (
        Wrong(
            "    MPI.Request.Waitall(plan.requests)\n", "    plan.requests[0].Wait()\n", MESSAGES
        ),
        Wrong("        for request in self.requests:\n            request.Free()\n", "", MESSAGES),
        Wrong("sign = 1 - 2 * comm.rank", "sign = 1"),
    ),
    "pyfftw_tutorial": (
        Wrong("    fft.execute()\n", "    pass\n"),
        Wrong(
            "pyfftw.FFTW(self.a, self.b)", 'pyfftw.FFTW(self.a, self.b, direction="FFTW_BACKWARD")'
        ),
    ),
    "radix_four": (
        Wrong(
            "apc + bpd, amc - jbmd, apc - bpd, amc + jbmd",
            "apc + bpd, amc + jbmd, apc - bpd, amc - jbmd",
        ),
        Wrong("for r in range(1, 4):", "for r in range(2, 4):"),
    ),
    "radix_three": (
        Wrong("SINE = math.sqrt(3) / 2", "SINE = 0.8660254"),
        Wrong("a - both / 2 - turned", "a - both / 2.0001 - turned"),
    ),
    "real_by_packing": (
        Wrong("/ 2j", "/ 2"),
        Wrong("y[1] = even[0].real - odd[0].real", "y[1] = even[0].real + odd[0].real"),
        Wrong("-np.arange(H)[self.mine] % H", "(H - 1 - np.arange(H)[self.mine]) % H"),
    ),
    "recursive": (
        Wrong("if len(x) == 1:", "if len(x) <= 2:"),
        Wrong("    if comm.rank in (1, 2):\n", "    if comm.rank == 1:\n", MESSAGES),
    ),
    "reduced_operators": (
        Wrong("operator.add", "operator.sub"),
        Wrong("zip(weights, plan.halves", "zip(weights[::-1], plan.halves"),
    ),
    "ring": (
        Wrong("origin = (plan.rank - step) % P", "origin = (plan.rank + step) % P"),
        Wrong("recvtag=step", "recvtag=step + 1", MESSAGES),
        Wrong("        travelling = arriving\n", ""),
    ),
    "scaled_by_thirds": (
        Wrong("1 / 3, out", "0.3333333, out"),
        Wrong("1 / 3, out", "1 / 7, out"),
        Wrong("= 3 * (even - odd)", "= (3 + 1e-13) * (even - odd)", "rounding"),
        Wrong("    out[:] = y\n", "    out[:] = y * 1.0000001\n", "function contract"),
    ),
    "scatter_gather": (
        Wrong("plan.columns.T.ravel()", "plan.columns.ravel()"),
        Wrong(
            "comm.Scatter(spectrum, mine, root=ROOT)",
            "comm.Scatter(spectrum, mine, root=comm.rank)",
            MESSAGES,
        ),
    ),
    "shared_window": (
        Wrong("    plan.meet()\n    even, odd", "    even, odd", "messages function"),
        Wrong("    plan.meet()  # before anybody stores the next part\n", "", MESSAGES),
        Wrong("        self.window.Free()\n", "", MESSAGES),
    ),
    "single_precision": (
        Wrong("mine *= plan.roots", "mine *= plan.roots.conj()"),
        Wrong(
            "        plan.own.Recv(theirs, source=other)\n        y = mine",
            "        plan.own.Recv(theirs, source=other, tag=1)\n        y = mine",
            MESSAGES,
        ),
        Wrong(
            "self.scale = np.float32(1 / np.sqrt(P))",
            "self.scale = np.float32(0.70703125)",
            "function rounding",
        ),
    ),
    "six_step": (
        Wrong("out[:] = transposed(rows, plan).ravel()", "out[:] = rows.ravel()"),
        Wrong("plan.recv.transpose(2, 0, 1)", "plan.recv.transpose(1, 0, 2)"),
        Wrong(
            "    rows = transposed(columns, plan)\n",
            "    rows = transposed(columns, plan)\n    x[:] = 0\n",
        ),
    ),
    "slots_and_properties": (
        Wrong("return self.roots * self.halves[1]", "return self.roots * self.halves[0]"),
        Wrong("y = np.array(plan.halves[0])", "y = plan.halves[0]", "function contract"),
    ),
    "stockham": (
        Wrong("        target[:, 1] *= w\n", ""),
        Wrong("        return a.copy()\n", "        return a\n", "function contract rounding"),
        Wrong("theirs = np.array(x)", "theirs = x", "function"),
    ),
    "tensordot_constants": (
        Wrong("axes=([1], [1])", "axes=([1], [0])"),
        Wrong("a.transpose(2, 0, 1)", "a.transpose(2, 1, 0)"),
    ),
    "unreduced_matrix": (
        Wrong("np.outer(k, k) / P)", "np.outer(k, k + 1) / P)"),
        Wrong("np.outer(k, k) / P)", "np.outer(k, k) / 4.0001)"),
    ),
}
WRONG = dict(sorted((WRONG | IN_PARTS).items()))
"""Changes of each program."""
BORROWED = {
    "bcast_parts": Wrong("self.comm, self.own = comm,", "self.comm, self.own = None,"),
    "dft_matrix": Wrong("plan.own.Alltoall(send, recv)", "plan.comm.Alltoall(send, recv)"),
    "ring": Wrong("        plan.own.Sendrecv(", "        plan.comm.Sendrecv("),
    "allgather_whole": Wrong("comm.Dup()", "comm.Dup()\n        comm.allgather(comm.rank)"),
    "counter": Wrong(
        "        self.own.Free()\n", "        self.comm.Barrier()\n        self.own.Free()\n"
    ),
}
"""Changes with which a program breaks a rule on communicators; what it computes is right."""
