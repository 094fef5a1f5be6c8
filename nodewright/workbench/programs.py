"""The tab of programs: data that moves superstep by superstep, beside the text that moves it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from codegen import system_table as table
from codegen.cost import flow as flows
from codegen.program.factors import twiddles_of
from codegen.program.protocol import Step
from codegen.program.supersteps import Program as Lowered
from codegen.systems.fft import FFT
from derive.call_arguments import counted
from derive.formula.grammar import I
from derive.show import html
from derive.show.drawing import Drawing
from derive.show.svg import svg
from derive.text.parse import parse
from nodewright.cli.command_options import NO_PERMUTATION, PERMUTING, stated_program
from nodewright.node_program import Program
from nodewright.show import flow_picture, movement
from nodewright.workbench import parts
from proofs.show.fragments import shown_as_html
from proofs.show.markup import mathml

OWN = "equation"
SYSTEMS = (*table.SYSTEMS, OWN)
"""What a program computes; with an equation of one's own it is a factorization of F(N)."""
ONLY = {"name": PERMUTING[0], "formula": OWN, "values": OWN}
"""What is asked for one of them alone."""
CHOSEN = (table.KERNEL, table.EXCHANGE)
"""The options that are chosen from their values."""
EXAMPLE = "F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)"
MOST_LINES = 400
"""So many lines of a function are shown."""
MOST_STEPS = 64
"""So many supersteps are shown."""
_LAYER = re.compile(r"\bLH_\{(\d+),")
_STAGE = re.compile(r"\bL_(\d+)\b(?=.*: )")
"""A stage of a Hartley transform that a comment names before its words."""


def program_of(words: Mapping[str, str]) -> Program:
    """Return the program that typed words ask for, by the names of the command's options;
    ValueError for what none does.

    >>> program_of({"system": "fft", "size": "2^10", "ranks": "4"})
    Program('nodewright generate fft --size 1024 --ranks 4')
    """
    system = words["system"]
    typed = {
        name: word for name, word in words.items() if word and ONLY.get(name, system) == system
    }
    if system == OWN:
        parts.read(typed["formula"], parse)
        typed["system"] = FFT.name
    return stated_program({"values": "", **NO_PERMUTATION, **typed})


@dataclass(frozen=True)
class Superstep:
    """A superstep in words and pictures, its colors, and its lines in the function."""

    title: str
    words: str
    legend: str
    flow: str
    elements: tuple[str, ...]
    lines: range


@dataclass(frozen=True)
class Shown:
    """The parts of the page that show a program: its supersteps between the input and the
    output, the function with its first line in the text, and the whole text.
    """

    command: str
    equation: str
    cost: str
    steps: tuple[Superstep, ...]
    function: tuple[str, ...]
    text: str
    name: str
    cut: str

    def listing(self, step: int) -> str:
        """Return the function with the lines of a superstep marked."""
        marked = self.steps[step].lines
        rows = (
            f'<div class="line{" now" * (i in marked)}">{html.words(line) or "&nbsp;"}</div>'
            for i, line in enumerate(self.function[:MOST_LINES])
        )
        more = len(self.function) - MOST_LINES
        cut = f"<i>first {MOST_LINES} of {len(self.function)} lines</i>" if more > 0 else ""
        return f'<div class="listing">{"".join(rows)}</div>{cut}'


def page(found: Shown, at: int, slider: object) -> str:
    """Return a superstep as HTML: its elements beside the text, below them who sends to whom."""
    step = found.steps[at]
    left, right = parts.pictures(*step.elements), found.listing(at)
    return parts.stack(
        f'<div class="part">{found.equation}</div>',
        parts.words(found.cut),
        slider,
        f'<p aria-live="polite"><b>{html.words(step.title)}</b> {step.words}</p>',
        parts.words(step.legend),
        f'<div class="beside"><div>{left}</div><div>{right}</div></div>',
        parts.pictures(step.flow),
        parts.scrolled(found.cost),
        f"<p><code>{html.words(found.command)}</code></p>",
    )


def shown(words: Mapping[str, str]) -> Shown:
    """Return what the page shows of the program that is asked for; ValueError where there is none.

    >>> found = shown({"system": "fft", "size": "16", "ranks": "1"})
    >>> [step.title for step in found.steps]
    ['input', 'superstep 1 of 1', 'output']
    """
    program = program_of(words)
    lowered, request = program.lowered, program.request
    function = _function(program.text)
    steps = tuple(_supersteps(lowered, function))
    cut = f"first {MOST_STEPS} of {len(lowered.steps)} supersteps"
    return Shown(
        program.command,
        mathml(str(lowered.equation)),
        program.cost()._repr_html_(),
        steps,
        tuple(function),
        program.text,
        f"{request.system.replace('-', '_')}_{request.N}_{request.P}.py",
        cut if len(lowered.steps) > MOST_STEPS else "",
    )


def _function(text: str) -> list[str]:
    """Return the lines of the function that a program's ranks run."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("def transform("))
    after = (i for i in range(first + 1, len(lines)) if lines[i] and not lines[i].startswith(" "))
    last = next(after, len(lines))
    while not lines[last - 1]:
        last -= 1
    return lines[first:last]


def _supersteps(program: Lowered, function: list[str]) -> Iterator[Superstep]:
    """Yield the input, the supersteps and the output."""
    done = _parts(program)
    before = [0, *(sum(map(len, done[: i + 1])) for i in range(len(done)))]
    grids = _grids(program)
    sections = _sections(program.steps, function)
    count = len(program.steps)
    for i in range(min(count, MOST_STEPS) + 2):
        at_end = i > min(count, MOST_STEPS)
        if i == 0 or at_end:
            title, layout = ("output", program.output) if at_end else ("input", program.input)
            most = "at most " * program.request.unequal
            ranks = counted(program.P, "rank")
            words = f"{layout.name}, {most}{counted(layout.M, 'element')} on each of {ranks}"
            legend, now, lines = "numbers: indices; colors: ranks", range(0), range(0)
        else:
            words = "; ".join(flow_picture.said(part, program.P) for part in done[i - 1])
            words = words or " ".join(_factors(program.steps[i - 1]))
            title, now = f"superstep {i} of {count}", range(before[i - 1], before[i])
            legend = movement.legend(program.steps[i - 1])
            lines = sections[i - 1]
        elements = grids[-1 if at_end else i] if grids else ()
        pictures = _flow(program, now), _pictures(program, elements)
        yield Superstep(title, shown_as_html(words), legend, *pictures, lines)


def _parts(program: Lowered) -> tuple[tuple[flows.Part, ...], ...]:
    """Return what ranks compute and send; nothing of programs on very many ranks."""
    return flows.by_step(program) if program.P <= flows.MOST_LISTED else ((),) * len(program.steps)


def _flow(program: Lowered, now: range) -> str:
    if program.P > flows.MOST_LISTED:
        return str(flow_picture.shown(program))
    return svg(flow_picture.drawn(program, now))


def _grids(program: Lowered) -> list[list[Drawing]]:
    drawn = program.N <= movement.MOST_ELEMENTS and not program.request.unequal
    return movement.drawn(program) if drawn else []


def _pictures(program: Lowered, drawings: Sequence[Drawing]) -> tuple[str, ...]:
    if program.request.unequal:
        return ("elements are drawn where all ranks have equally many",)
    if not drawings:
        return (f"N = {program.N}: elements are drawn up to N = {movement.MOST_ELEMENTS}",)
    return tuple(map(svg, drawings))


def _sections(steps: Sequence[Step], function: list[str]) -> list[range]:
    """Return the lines of each superstep: those below the comment that has its factors, the next
    one after those of the superstep before if there is one, or the next comment.
    """
    comments = (i for i, line in enumerate(function) if line.strip().startswith("# "))
    starts = [i for i in comments if ": nothing moves" not in function[i]]
    ends = [*starts[1:], len(function)]
    found = list[range]()
    at = -1
    for step in steps:
        order = [*range(at + 1, len(starts)), *range(at + 1)]
        named = (k for k in order if _names(function[starts[k]], step))
        at = next(named, min(at + 1, len(starts) - 1))
        found.append(_without_blanks(function, starts[at], ends[at]) if starts else range(0))
    return found


def _names(comment: str, step: Step) -> bool:
    """Return whether a comment names what a superstep does."""
    if step.in_lists and step.factors:
        stages = [int(s) for s in _STAGE.findall(comment)]
        own = [int(s) for s in _LAYER.findall(" ".join(_factors(step)))]
        return bool(stages) and min(stages) <= min(own) <= max(own) <= max(stages)
    factors = _factors(step, diagonals=False) or _factors(step)
    return bool(factors) and all(
        re.search(re.escape(factor) + r"(?!\w)", comment) for factor in factors
    )


def _factors(step: Step, diagonals: bool = True) -> list[str]:
    """Return the factors that a superstep carries out, but identities; diagonals, which may be
    named with the move before, or not.
    """
    return [
        str(factor)
        for factor in step.factors
        if not isinstance(factor, I) and (diagonals or twiddles_of(factor) is None)
    ]


def _without_blanks(function: list[str], start: int, end: int) -> range:
    """Return a range of lines without the loop above it that is another's, and blank lines."""
    while end > start + 1 and (
        not function[end - 1].strip() or function[end - 1].strip().startswith("for channel")
    ):
        end -= 1
    return range(start, end)
