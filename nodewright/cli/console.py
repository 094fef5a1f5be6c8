"""Output of the command line: verdicts, matrices, tables and progress. It alone imports rich."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Any

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
"""Seconds after which a terminal shows what is being done."""

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


@contextmanager
def doing(what: str) -> Iterator[Callable[[str | float], None]]:
    """Yield a function that is told what is being done, or which part of the work. After two
    seconds a terminal shows it with the time that has passed; without one, a line every 30 seconds
    does.
    """
    if not err.is_terminal:
        with followed(what, complain) as tell:
            yield lambda done: tell(_in_words(done))
        return
    words = bars.TextColumn("{task.description}", markup=False)
    columns = bars.SpinnerColumn(), words, bars.TimeElapsedColumn()
    shown = bars.Progress(*columns, console=err, transient=True)
    task, late = shown.add_task(escaped(what)), Timer(PATIENCE, shown.start)
    late.start()
    try:
        yield lambda done: shown.update(task, description=escaped(f"{what}: {_in_words(done)}"))
    finally:
        late.cancel()
        late.join()
        if shown.live.is_started:
            shown.stop()


def _in_words(done: str | float) -> str:
    return done if isinstance(done, str) else f"{done:.0%} done"
