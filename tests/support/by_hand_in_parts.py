"""Wrong neighbours of programs by hand whose ranks have unequal parts, or that transform real
arrays or some axes: counts, displacements, last parts, conjugates and odd lengths.
"""

from __future__ import annotations

from typing import NamedTuple


class Wrong(NamedTuple):
    """A change that makes a right program a wrong one: `old` occurs once, `new` stands in its
    place, and `verdict` refuses it, or one of several.
    """

    old: str
    new: str
    verdict: str = "function"


MESSAGES, LAYOUT = "messages", "layout"
IN_PARTS = {
    "balanced_parts": (
        Wrong("end - begin, 5", "3 - (rank == 0), 5", LAYOUT),
        Wrong('side="right") - 1', 'side="left")', LAYOUT),
        Wrong("y = np.fft.ifft(columns, axis=0)", "y = np.fft.fft(columns, axis=0)"),
        Wrong("rows[:, first:last]", "rows[:, last - 1 : last]", MESSAGES),
    ),
    "back_to_real": (
        Wrong("n=5, axis=1", "n=4, axis=1"),
        Wrong("recv.T, n=5", "recv.T.conj(), n=5"),
        Wrong("np.fft.ifft(x, axis=0)", "np.fft.fft(x, axis=0)"),
    ),
    "bluestein_uneven": (
        Wrong("self.chirp[:0:-1].conj()", "self.chirp[:0:-1]"),
        Wrong("(j * j % (2 * N)) / N", "(j * j % N) / N"),
        Wrong("[BLOCK, N - BLOCK]", "[BLOCK, BLOCK]", MESSAGES),
        Wrong(', norm="forward")  # small enough for any x', ") / PADDED / 2 * 2.0000001"),
    ),
    "empty_parts": (
        Wrong("[0, 1, 2, 3, 3]) if row", "[0, 2, 1, 3, 3]) if row"),
        Wrong("self.sent = ([1, 1, 1, 0, 0]", "self.sent = ([1, 1, 1, 1, 0]", MESSAGES),
        Wrong("2 words sent", "3 words sent", "cost"),
        Wrong("return (1 if rank < 2 else 0, 3)", "return (1, 3)", LAYOUT),
    ),
    "one_axis_of_two": (
        Wrong("AXES = (7, 5), (2, 1), (0,)", "AXES = (7, 5), (2, 1), (1,)"),
        Wrong("axis=0, norm", "axis=1, norm"),
        Wrong("x[:, 3:].ravel()", "x[:, 2:4].ravel()"),
        Wrong("row * (3 - rank)", "row * 3", LAYOUT),
    ),
    "pencils_uneven": (
        Wrong("PARTS = {5: (3, 2)", "PARTS = {5: (2, 3)", LAYOUT),
        Wrong("        self.grid.Free()\n", "", MESSAGES),
        Wrong("(received, [0, received[0]])", "(received, [received[1], 0])", "function"),
        Wrong("self.grid.Sub([True, False])", "self.grid.Sub([False, True])", MESSAGES),
    ),
    "real_planes": (
        Wrong("s=(3, 6)", "s=(3, 5)"),
        Wrong('norm="ortho").astype', 'norm="forward").astype'),
        Wrong("PLANES = (2, 2, 0)", "PLANES = (2, 1, 1)", LAYOUT),
        Wrong("np.fft.irfftn(x, s=(3, 6)", "np.fft.irfftn(x.conj(), s=(3, 6)"),
    ),
    "real_slabs": (
        Wrong("np.fft.rfft(x, axis=1)", "np.fft.fft(x, axis=1)[:, [0, 4, 3]]"),
        Wrong("np.fft.rfft(x, axis=1)", "np.fft.rfft(x[:, :4], axis=1)"),
        Wrong("return 6, 1", "return 6, HALF", LAYOUT),
    ),
    "real_vector": (
        Wrong("spectrum[3:] if", "spectrum[2:4] if"),
        Wrong("[5, 4]]", "[4, 5]]", MESSAGES),
        Wrong("np.fft.rfft(plan.all, norm", "np.fft.rfft(plan.all, n=8, norm"),
    ),
    "slabs_uneven": (
        Wrong("ROWS = -(-10 // P)", "ROWS = 10 // P", LAYOUT),
        Wrong("rows * self.columns for rows in", "4 * self.columns for rows in", MESSAGES),
        Wrong("np.fft.fft(columns, axis=0)", "np.fft.fft(columns[:8], n=10, axis=0)"),
        Wrong("return sizes(10)[rank], 7", "return ROWS, 7", LAYOUT),
        Wrong("np.cumsum(plan.by_rows)[:-1]", "plan.rows * np.array([3, 5])"),
    ),
    "vector_by_columns": (
        Wrong("own = rank * COLUMNS +", "own = rank * self.columns +"),
        Wrong("BLOCK, ROWS, COLUMNS = -(-N // P)", "BLOCK, ROWS, COLUMNS = N // P", LAYOUT),
        Wrong("k = a + A * b", "k = a * B + b"),
        Wrong("self.put = after[1][mine]", "self.put = np.sort(after[1][mine])"),
    ),
}
"""Changes of each program."""
