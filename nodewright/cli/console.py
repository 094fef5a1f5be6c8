"""Output of the command line: verdicts, matrices, tables and progress. It alone imports rich."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rich.console import Console
from rich.text import Text

from derive.fields import BitMatrix
from derive.lazy import lazily
from derive.verdict import Checked, Proved, Refuted, Tested, Undecided, Verdict
from nodewright.progress_lines import followed
from proofs.certify.plain_text import escaped

if TYPE_CHECKING:
    from rich import progress as bars
    from rich import table as tables
else:
    bars, tables = lazily("rich.progress"), lazily("rich.table")

GAP = 4
"""Columns between two matrices."""
PATIENCE = 2.0
"""Seconds after which a bar shows how far the work is."""

_STYLES = {
    Proved: "bold green",
    Checked: "green",
    Tested: "cyan",
    Refuted: "bold red",
    Undecided: "yellow",
}

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str = "", style: str = "") -> None:
    """Print a line; colour only on a terminal."""
    out.print(Text(escaped(text), style=style))


def complain(text: str) -> None:
    """Print one line on standard error."""
    err.print(Text(f"nodewright: {escaped(' '.join(text.split()))}"))


def refuse(text: str, as_json: bool) -> None:
    """Print a line on standard error; with JSON, also an object on standard output."""
    complain(text)
    if as_json:
        emit_json({"error": " ".join(text.split())})


def emit_json(value: Any) -> None:
    """Print one JSON object or list on standard output."""
    print(json.dumps(value, ensure_ascii=False))


def show(verdict: Verdict, name: str = "", brief: str | None = None) -> None:
    """Print a verdict on a line, its first word coloured by its strength; where it is given, a
    brief sentence in place of statement and evidence.
    """
    said = str(verdict) if brief is None else f"{verdict.kind}: {brief}"
    word, _, rest = escaped(said).partition(":")
    out.print(Text.assemble((word, _STYLES[type(verdict)]), f" {name}:" if name else ":", rest))


def matrices(named: Mapping[str, BitMatrix], m: int) -> None:
    """Print bit matrices of one shape, as many side by side as fit; dots for zeros, lines between
    the top m and the other rows and columns.
    """
    pictures = {name: _bordered(matrix, m) for name, matrix in named.items()}
    width = max(len(line) for name, lines in pictures.items() for line in (name, *lines)) + GAP
    for group in _groups(list(pictures), max(1, (out.width + GAP) // width)):
        say("".join(name.ljust(width) for name in group).rstrip(), "bold")
        for line in zip(*[pictures[name] for name in group], strict=True):
            say("".join(part.ljust(width) for part in line).rstrip())


def _groups(columns: Sequence[str], size: int) -> list[Sequence[str]]:
    return [columns[start : start + size] for start in range(0, len(columns), size)]


def _bordered(matrix: BitMatrix, m: int) -> list[str]:
    rows = [[".1"[int(entry)] for entry in row] for row in matrix]
    lines = [" ".join(row[:m] + (["|"] if 0 < m < len(row) else []) + row[m:]) for row in rows]
    if 0 < m < len(rows):
        lines.insert(m, "".join("+" if character == "|" else "-" for character in lines[0]))
    return lines


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table."""
    drawn = tables.Table(title=title, title_justify="left", title_style="bold")
    for name in head:
        drawn.add_column(
            name,
            justify="right"
            if rows and isinstance(rows[0][len(drawn.columns)], int | float)
            else "left",
        )
    for row in rows:
        drawn.add_row(*[str(cell) for cell in row])
    out.print(drawn)


def columns(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table whose cells stay whole: columns that do not fit beside the others follow below,
    each time after the first column.
    """
    widest = [
        max(len(str(cell)) for cell in column) + len(" │ ")
        for column in zip(head, *rows, strict=True)
    ]
    beside = max(1, (out.width - 1 - widest[0]) // max(widest[1:]))
    for start in range(1, len(head), beside):
        part = (0, *range(start, min(start + beside, len(head))))
        table(
            title if start == 1 else "",
            [head[i] for i in part],
            [[row[i] for i in part] for row in rows],
        )


def _spinner() -> bars.Progress:
    """Return a line of progress: what is being done, and the time that has passed."""
    words = bars.TextColumn("{task.description}", markup=False)
    columns = bars.SpinnerColumn(), words, bars.TimeElapsedColumn()
    return bars.Progress(*columns, console=err, transient=True)


@contextmanager
def doing(what: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that is told what is being done, which a terminal shows with the time that
    has passed; without one, a line every 30 seconds does.
    """
    if not err.is_terminal:
        with followed(what, complain) as tell:
            yield tell
        return
    what = escaped(what)
    with _spinner() as shown:
        task = shown.add_task(what, total=None)
        yield lambda doing: shown.update(task, description=f"{what}: {doing}")


@contextmanager
def reporting(what: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that is told what is being done, which is said in a line every 30 seconds
    where there is no terminal, and nowhere else.
    """
    if err.is_terminal:
        yield lambda doing: None
        return
    with followed(what, complain) as tell:
        yield tell


class Named(Protocol):
    """What has a name."""

    @property
    def name(self) -> str:
        """The name."""


Each = TypeVar("Each", bound=Named)


def in_turn(what: str, several: Sequence[Each]) -> Iterator[Each]:
    """Yield each of several, and report which of them is being worked on."""
    with reporting(what) as tell:
        for number, one in enumerate(several, 1):
            tell(f"{one.name}, {number} of {len(several)}")
            yield one


@contextmanager
def waiting() -> Iterator[Callable[[str], None]]:
    """Yield a function that is told what others are doing; after two seconds a terminal shows it
    with the time that has passed.
    """
    line = _spinner()
    task = line.add_task("", total=None)

    def tell(doing: str) -> None:
        line.update(task, description=escaped(doing))
        _show_late(line, start)

    start = monotonic()
    try:
        yield tell
    finally:
        if line.live.is_started:
            line.stop()


def _show_late(shown: bars.Progress, start: float) -> None:
    """Show progress on a terminal, if it began two seconds ago."""
    if err.is_terminal and not shown.live.is_started and monotonic() - start > PATIENCE:
        shown.start()


@contextmanager
def progress(what: str) -> Iterator[Callable[[float], None]]:
    """Yield a function to tell the part that is done, shown as a bar after two seconds; without a
    terminal, in a line every 30 seconds.
    """
    if not err.is_terminal:
        with followed(what, complain) as say_so:
            yield lambda done: say_so(f"{done:.0%} done")
        return
    bar = bars.Progress(
        bars.TextColumn(what),
        bars.BarColumn(),
        bars.TextColumn("{task.percentage:.0f} %"),
        bars.TimeElapsedColumn(),
        console=err,
        transient=True,
    )
    task, start = bar.add_task(what, total=1.0), monotonic()

    def tell(done: float) -> None:
        bar.update(task, completed=done)
        _show_late(bar, start)

    try:
        yield tell
    finally:
        if bar.live.is_started:
            bar.stop()
