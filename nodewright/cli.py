"""The command line `nodewright`: the one door to typer.

Exit status: 0 all good; 1 a check was refuted or a run failed; 2 the input or the usage is wrong, with one line on standard error.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

from codegen import cost as costs
from codegen import lower
from codegen.bounds import bound, permuting
from codegen.emit import DIRECTIONS, DTYPES, KERNELS, NORMS, Options, default_dtype
from codegen.emit import emit as emit_text
from codegen.files import write_text
from codegen.hartley import ALGORITHMS
from codegen.hartley_view import RESULTS
from codegen.meaning import check as check_program
from codegen.supersteps import Program
from derive import bmmc, fourier, hartley, hartley_check, hartley_graph, hartley_ranks, hypercube, layout, parse, written
from derive.bits import Affine, read_matrix
from derive.check import check as check_equation
from derive.derivations import Derivation, derivations
from derive.forms import forms
from derive.formula import Bmmc, Equation
from derive.formula import F as DFT
from derive.latex import latex
from derive.recognize import Witness, recognize
from derive.verdict import Proved, Refuted, Verdict, holds
from nodewright import console, launch, plot
from nodewright.demo import Message
from nodewright.demo import demo as run_demo
from nodewright.errata import errata
from nodewright.errata.entry import Finding
from proofs import certify as certification
from proofs import replay
from proofs.document import document
from proofs.equations import decide_for_all
from proofs.kernel import Thm
from proofs.theorems import Theorem, theorems
from proofs.theorems.notation import TEXT
from proofs.theorems.notation import equation as kernel_equation
from proofs.theorems.smaller import BlockTheorem, block_theorems

app = typer.Typer(
    name="nodewright",
    help="Parallel transforms from their factorizations: checked exactly, emitted as MPI programs, certified.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def number(text: str) -> int:
    """Return a positive integer written as digits or as a power: 1024, 2^10.

    Raises ValueError for anything else.

    >>> number("2^10")
    1024
    """
    found = re.fullmatch(r"([0-9]{1,20})(?:\^([0-9]{1,3}))?", text)
    if not found:
        raise ValueError(f"{text!r} is no size: write 1024 or 2^10")
    base, exponent = int(found[1]), int(found[2] or 1)
    if base**exponent >= 1 << 63:
        raise ValueError(f"{text}: sizes lie below 2^63")
    return int(base**exponent)


Size = Annotated[str, typer.Option("--size", metavar="N", help="Number of elements, 1024 or 2^10.")]
Ranks = Annotated[str, typer.Option("--ranks", metavar="P", help="Number of MPI ranks, 4 or 2^2.")]
System = Annotated[str, typer.Argument(metavar="SYSTEM", help=f"One of: {', '.join(lower.SYSTEMS)}.")]
Input = Annotated[str, typer.Option("--input", metavar="L", help=f"Layout of the input: {layout.AFFINE_LAYOUTS}.")]
Output = Annotated[str, typer.Option("--output", metavar="L", help="Layout of the output; block by default, of fht hartley.")]
Algorithm = Annotated[str, typer.Option("--algorithm", metavar="A", help=f"Which fht: {', '.join(ALGORITHMS)}; the first by default.")]
Exchange = Annotated[str, typer.Option("--exchange", metavar="X", help=f"How messages travel: {', '.join(lower.EXCHANGES)}; overlapped for fft.")]
Matrix = Annotated[Path | None, typer.Option("--matrix", metavar="FILE", help="A permutation: n lines of n characters 0/1, or a .npy.")]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help=f"A permutation: {', '.join(bmmc.NAMED)}, transpose:Q.")]
Complement = Annotated[int, typer.Option("--complement", metavar="INT", help="c of y = A x + c.")]
Formula = Annotated[str | None, typer.Option("--formula", metavar="'LEFT = RIGHT'", help="An equation of your own (docs/notation.md).")]
AnySystem = Annotated[str | None, typer.Argument(metavar="SYSTEM", help=f"One of: {', '.join(lower.SYSTEMS)}; none with --formula.")]
AnySize = Annotated[str | None, typer.Option("--size", metavar="N", help="Number of elements, 1024 or 2^10.")]
AnyRanks = Annotated[str | None, typer.Option("--ranks", metavar="P", help="Number of MPI ranks, 4 or 2^2.")]
Scheme = Annotated[
    str, typer.Option("--scheme", metavar="K", help=f"Which hypercube-fft: {', '.join(hypercube.SCHEMES)}; {lower.SCHEME} by default.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@app.command()
def factor(
    bits: Annotated[int, typer.Option("--bits", metavar="n", help="lg of the number of elements.")],
    processor_bits: Annotated[int, typer.Option("--processor-bits", metavar="p", help="lg of the number of ranks.")],
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = 0,
    layout_name: Annotated[str | None, typer.Option("--layout", metavar="f:K", help="Layout of the data; processor-major by default.")] = None,
    png: Annotated[Path | None, typer.Option("--png", metavar="FILE", help="Draw the matrices, and for few elements what moves where.")] = None,
    as_json: Json = False,
) -> None:
    """Factor a BMMC permutation as A = V W (Cormen 1997)."""
    permutation = _permutation(bits, matrix, name, complement)
    if layout_name is not None:
        address = layout.named(layout_name, bits, processor_bits).address
        permutation = address @ permutation @ address.inverse()
    f = bmmc.factor(permutation, processor_bits)
    verdict = bmmc.check(f)
    if png:
        plot.draw_factorization(png, f)
    if as_json:
        console.emit_json(_factors(f))
    else:
        _show_factors(f, verdict)
    _leave(verdict)


def _permutation(n: int, matrix: Path | None, name: str | None, complement: int) -> Affine:
    """Return the permutation that --matrix or --name, and --complement, state."""
    if (matrix is None) == (name is None):
        raise ValueError("state the permutation by --matrix FILE or by --name NAME, and not by both")
    if not 1 <= n <= 4096:
        raise ValueError(f"--bits {n}: the number of index bits lies between 1 and 4096")
    given = Affine.of(read_matrix(matrix)) if matrix else bmmc.named(str(name), n)
    if given.bits != n:
        raise ValueError(f"{matrix}: a {given.bits} x {given.bits} matrix for permutations of {given.bits} index bits, not {n}")
    return Affine(given.columns, n, given.c ^ Affine((), n, complement).c)


def _program(
    system: str,
    N: int,
    P: int,
    layouts: tuple[str, str],
    exchange: str,
    stated: tuple[Path | None, str | None, int],
    scheme: str,
    algorithm: str = "",
) -> Program:
    """Return the program of a system; for `permute`, of the stated permutation."""
    if system != "permute":
        if stated != (None, None, 0):
            raise ValueError(f"{system}: --matrix, --name and --complement state a permutation, which permute needs and nothing else takes")
        return lower.build(system, N, P, *layouts, exchange, scheme=scheme, algorithm=algorithm)
    n, _ = bmmc.sizes(N, P)
    matrix, name, _ = stated
    permutation = _permutation(n, *stated)
    title = name if matrix is None else f"{matrix}" if matrix.is_absolute() else f"./{matrix}"  # no file is taken for a name
    return lower.build(system, N, P, *layouts, exchange, Bmmc(permutation, str(title)), scheme, algorithm)


def _factors(f: bmmc.Factorization) -> dict[str, Any]:
    named = {"A": f.permutation, "T": f.trailer, "R": f.reducer, "Pi": f.swapper, "V": f.V, "W": f.W}
    return {
        "n": f.n,
        "p": f.p,
        "c": f.permutation.c,
        **{name: list(map_.columns) for name, map_ in named.items()},
        "rank_gamma": f.rank_gamma,
        "rounds": f.rounds,
        "elements_per_message": f.elements_per_message,
        "at_least": asdict(permuting(f.permutation, f.p)),
        "forms": [
            {
                "letters": form.letters,
                "factors": [list(factor.columns) for factor in form.factors],
                "complements": [factor.c for factor in form.factors],
                "rounds": list(form.rounds),
            }
            for form in forms(f)
        ],
    }


def _show_factors(f: bmmc.Factorization, verdict: Verdict) -> None:
    console.say("Bit matrices, least significant bit at the top left, a dot for 0; offset bits, then processor bits.")
    if f.n <= 32:
        console.matrices({"A": f.permutation.matrix, "V": f.V.matrix, "W": f.W.matrix}, f.m)
        console.matrices({"T": f.trailer.matrix, "R": f.reducer.matrix, "Pi": f.swapper.matrix}, f.m)
    console.say(f"complement c = {f.permutation.c}")
    console.say(f"rank of gamma {f.rank_gamma}: every rank sends {f.rounds} messages of {f.elements_per_message} elements, perhaps one to itself")
    least = permuting(f.permutation, f.p)
    console.say(f"whatever the program: the rank that sends most sends at least {least.words} elements, to {least.messages} others (Lemma 3)")
    if f.p <= 4 and f.rank_gamma <= 4:
        ranks = range(1 << f.p)
        turns = [(b, *(f"{f.target(b, k)}, {f.source(b, k)}" for k in ranks)) for b in range(f.rounds)]
        console.table("Round b: where rank k sends to, where it receives from", ("b", *(f"k = {k}" for k in ranks)), turns)
    rows = [(" ".join(form.letters), " + ".join(map(str, form.rounds)), sum(form.rounds)) for form in forms(f)]
    console.table("Messages of a rank in this and other factorizations, factor by factor", ("A =", "messages", "sum"), rows)
    console.show(verdict)


@app.command("bmmc")
def recognize_bmmc(
    file: Annotated[Path, typer.Argument(metavar="FILE.npy", help="A permutation of 2^n indices: the target of each.")],
    as_json: Json = False,
) -> None:
    """Say whether a permutation is BMMC, with its matrix and complement, or with a witness that it is not."""
    try:
        targets = np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{file}: cannot be read as a .npy file: {error}") from error
    if not isinstance(targets, np.ndarray):
        raise ValueError(f"{file}: an archive of arrays: a permutation is one array, in a .npy file")
    found = recognize(targets)
    if isinstance(found, Witness):
        if as_json:
            console.emit_json({"bmmc": False, "witness": asdict(found), "text": str(found)})
        else:
            console.say(f"{file}: {found}")
        raise typer.Exit(1)
    if as_json:
        console.emit_json({"bmmc": True, "n": found.bits, "A": list(found.columns), "c": found.c})
        return
    console.say(f"{file}: BMMC, y = A x + c with n = {found.bits}, c = {found.c}")
    console.matrices({"A": found.matrix}, found.bits)


@app.command()
def check(
    system: AnySystem = None,
    size: AnySize = None,
    ranks: AnyRanks = None,
    input: Input = "block",
    output: Output = "",
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = 0,
    scheme: Scheme = "",
    algorithm: Algorithm = "",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random vectors that decide large sizes.")] = 0,
    formula: Formula = None,
    values: Annotated[str, typer.Option("--set", metavar="n=4,r=2", help="What the symbols of --formula stand for.")] = "",
    as_json: Json = False,
) -> None:
    """Check a factorization exactly at one size, every equation that it rests on, and the supersteps made from it; or an equation of your own."""
    start = perf_counter()
    if formula is not None:
        _only_a_formula({"SYSTEM": system, "--size": size, "--ranks": ranks, "--matrix": matrix, "--name": name})
        _check_formula(formula, values, seed, as_json, start)
        return
    system, size, ranks = _stated_system(system, size, ranks)
    N, P, stated = number(size), number(ranks), (matrix, name, complement)
    with console.progress(f"checking {system} at N = {N}, P = {P}") as tell:
        program = _program(system, N, P, (input, output), "alltoall", stated, scheme, algorithm)
        results = list(_checks(program, seed, tell))
    seconds = perf_counter() - start
    bad = [verdict for _, _, verdict in results if not holds(verdict)]
    if as_json:
        head = {"system": system, "size": N, "ranks": P, "input": program.input.name, "output": program.output.name}
        verdicts = [{"name": name, "source": source, **_verdict_record(verdict)} for name, source, verdict in results]
        console.emit_json({**head, "verdict": "refuted" if bad else "checked", "equations": verdicts, "seconds": seconds})
    else:
        for name, _, verdict in results:
            console.show(verdict, name)
        console.say(f"{len(results)} statements, {len(bad)} refuted, {seconds:.2f} s", "bold red" if bad else "bold green")
    _leave(*[verdict for _, _, verdict in results])


def _only_a_formula(others: dict[str, object]) -> None:
    """Raise ValueError where something is stated that an equation of one's own does not take."""
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise ValueError(f"--formula and {', '.join(given)}: an equation of your own states its sizes itself")


def _stated_system(system: str | None, size: str | None, ranks: str | None) -> tuple[str, str, str]:
    """Return system, size and ranks; raise ValueError where one is missing."""
    if system is None or size is None or ranks is None:
        missing = [name for name, value in (("SYSTEM", system), ("--size", size), ("--ranks", ranks)) if value is None]
        raise ValueError(f"{', '.join(missing)} missing: state SYSTEM --size N --ranks P, or --formula 'LEFT = RIGHT'")
    return system, size, ranks


def _check_formula(text: str, values: str, seed: int, as_json: bool, start: float) -> None:
    """Check an equation of one's own at stated sizes."""
    sides, at = parse.parse(text), parse.parse_values(values)
    verdict = written.check(sides, at, seed)
    if as_json:
        record = {"formula": str(sides), "values": {name: str(value) for name, value in at.items()}}
        console.emit_json({**record, **_verdict_record(verdict), "seconds": perf_counter() - start})
    else:
        console.show(verdict)
    _leave(verdict)


def _checks(program: Program, seed: int, tell: Callable[[float], None]) -> Iterator[tuple[str, str, Verdict]]:
    """Yield (name, source, verdict) for the equations that a program rests on, and for its supersteps."""
    if program.system == "fht":
        yield from hartley_check.checks(program.N, program.P, seed, lambda done: tell(done / 2))
        yield "supersteps", "codegen.lower", check_program(program)
        return
    if isinstance(program.equation.left, Bmmc):
        yield "cormen-section-4", "Cormen 1997, section 4", bmmc.check(bmmc.factor(program.equation.left.address, program.input.p))
        equations: tuple[Equation, ...] = (program.equation,)
    elif program.scheme:
        equations = hypercube.equations(program.N, program.P, program.scheme)
    else:
        equations = fourier.equations(program.N, program.P)
    known: dict[str, Verdict] = {}
    for i, equation in enumerate(equations):
        if str(equation) not in known:  # (2.7) is (2.8) where P <= sqrt(N)
            known[str(equation)] = check_equation(equation, seed, partial(_tell_part, tell, i, len(equations) + 1))
        yield equation.name, equation.source, known[str(equation)]
    yield "supersteps", "codegen.lower", check_program(program)


def _tell_part(tell: Callable[[float], None], i: int, parts: int, done: float) -> None:
    tell((i + done) / parts)


def _verdict_record(verdict: Verdict) -> dict[str, Any]:
    return {"verdict": console.strength(verdict), **asdict(verdict)}


@app.command()
def generate(
    system: AnySystem = None,
    size: AnySize = None,
    ranks: AnyRanks = None,
    input: Input = "block",
    output: Output = "",
    direction: Annotated[str, typer.Option("--direction", help=", ".join(DIRECTIONS))] = "forward",
    norm: Annotated[str, typer.Option("--norm", help=f"numpy's: {', '.join(NORMS)}")] = "backward",
    kernels: Annotated[str, typer.Option("--kernels", help=", ".join(KERNELS))] = "numpy",
    exchange: Exchange = "alltoall",
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = 0,
    scheme: Scheme = "",
    algorithm: Algorithm = "",
    dtype: Annotated[
        str, typer.Option("--dtype", help=f"{', '.join(DTYPES)}; for fht float64, float32; for permute any that numpy names, such as i4,f8.")
    ] = "",
    result: Annotated[str, typer.Option("--result", help=f"What fht makes of its transform, in place: {', '.join(RESULTS)}.")] = RESULTS[0],
    convolve: Annotated[bool, typer.Option("--convolve", help="With fht: a function convolve(x, y, plan), too.")] = False,
    formula: Formula = None,
    values: Annotated[str, typer.Option("--set", metavar="r=4,s=N/r", help="What the symbols of --formula stand for, beside N of F(N).")] = "",
    file: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Where the program goes; standard output by default.")] = None,
    as_json: Json = False,
) -> None:
    """Write the node program of a system, or of a factorization of F(N) of your own, for fixed N and P."""
    options = Options(direction, norm, kernels, exchange, dtype or default_dtype(str(system)), result, convolve)
    if formula is not None:
        _only_a_formula({"SYSTEM": system, "--matrix": matrix, "--name": name})
    system, size, ranks = _stated_system(system if formula is None else "fft", size, ranks)
    if formula is None:
        program = _program(system, number(size), number(ranks), (input, output), exchange, (matrix, name, complement), scheme, algorithm)
    else:
        program = _own_program(formula, values, number(size), number(ranks), (input, output or "block"), exchange)
    text = emit_text(program, options)
    if file:
        write_text(file, text)
    if as_json:
        head = {"system": system, "size": program.N, "ranks": program.P, "lines": text.count("\n")}
        console.emit_json({**head, **({"file": str(file)} if file else {"text": text}), **asdict(costs.count(program))})
    elif file is None:
        sys.stdout.write(text)
    else:
        console.say(f"{file}: {text.count(chr(10))} lines, for {program.P} ranks")


def _own_program(text: str, values: str, N: int, P: int, layouts: tuple[str, str], exchange: str) -> Program:
    """Return the program of a factorization of one's own, after a check of it and of its supersteps; a refutation ends the command."""
    sides = parse.parse(text)
    at = parse.parse_values(values, written.sized(sides.left, N))
    equation = written.equation(sides, at)
    if equation.left != DFT(N):
        raise ValueError(f"{sides.left} is {equation.left}: a program is made from a factorization of F(N), with N = {N} as --size says")
    _hold(written.check(sides, at))
    program = lower.build_formula(equation.right, P, *layouts, exchange)
    _hold(check_program(program))
    return program


def _hold(verdict: Verdict) -> None:
    """End the command with a verdict that is a refutation."""
    if not holds(verdict):
        console.complain(str(verdict))
        raise typer.Exit(1)


@app.command()
def certify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE ...", help="Programs; each certificate is written beside its program.")],
    verify: Annotated[bool, typer.Option("--verify", help="Is the certificate beside each program its own? With a short check of the text.")] = False,
    as_json: Json = False,
) -> None:
    """Decide from a program's text alone whether it computes what it declares; the text is executed, in a process of its own."""
    shown = []
    for file in files:
        certificate, again = certification.verify(file) if verify else (certification.certify(file), {})
        shown.append((certificate, again))
        if not as_json:
            console.say(str(file), "bold")
            for name, verdict in (*certificate.verdicts.items(), *((f"{name}, again", verdict) for name, verdict in again.items())):
                console.show(verdict, name)
    if as_json:
        console.emit_json({"certificates": [certificate.as_json() for certificate, _ in shown]})
    _leave(*[verdict for certificate, again in shown for verdict in (*certificate.verdicts.values(), *again.values())])


@app.command()
def run(
    program: Annotated[Path, typer.Argument(metavar="FILE", help="An emitted program.")],
    source: Annotated[Path, typer.Argument(metavar="IN.npy", help="The vector, elements in natural order.")],
    target: Annotated[Path, typer.Argument(metavar="OUT.npy", help="Receives the result, in natural order.")],
    as_json: Json = False,
) -> None:
    """Start a program under mpiexec on the ranks that it was made for."""
    start = perf_counter()
    done = launch.run(program, [source, target], capture=as_json)
    seconds = perf_counter() - start
    if as_json:
        console.emit_json({"program": str(program), "ranks": launch.ranks_of(program), "status": done.returncode, "seconds": seconds})
        sys.stderr.write(done.stderr)
    raise typer.Exit(done.returncode if done.returncode in (0, 1, 2) else 1)


@app.command()
def cost(
    system: System,
    size: Size,
    ranks: Ranks,
    input: Input = "block",
    output: Output = "",
    exchange: Exchange = "alltoall",
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = 0,
    scheme: Scheme = "",
    algorithm: Algorithm = "",
    machine: Annotated[Path | None, typer.Option("--machine", metavar="FILE", help="TOML with v (flop/s), g and l (flops).")] = None,
    as_json: Json = False,
) -> None:
    """Count exchanges, messages, words and flops of a program, beside what any linear algorithm must send, and predict its time on a BSP machine."""
    program = _program(system, number(size), number(ranks), (input, output), exchange, (matrix, name, complement), scheme, algorithm)
    counted = costs.count(program)
    computer = costs.read_machine(machine) if machine else costs.EXAMPLE_MACHINE
    least = bound(program)
    record = {**asdict(counted), "seconds": computer.seconds(counted)}
    if as_json:
        console.emit_json({"system": system, "size": program.N, "ranks": program.P, **record, "least": asdict(least), "machine": asdict(computer)})
        return

    def at_least(value: int | None) -> str:
        return "" if value is None else f"; at least {value}"

    meaning = {
        "exchanges": "communication supersteps",
        "messages": f"that a rank sends to others, at most{at_least(least.messages)}",
        "words": f"elements a rank sends to others, at most{at_least(least.words)}",
        "flops": "of a rank",
        "seconds": f"predicted for {computer.name}: v = {computer.v:g} flop/s, g = {computer.g:g}, l = {computer.l:g} flops",
    }
    rows = [(name, f"{value:.3g}" if isinstance(value, float) else f"{value}", meaning[name]) for name, value in record.items()]
    console.table(f"{system}, N = {program.N}, P = {program.P}, {program.input.name} to {program.output.name}", ("", "value", ""), rows)


@app.command("layout")
def show_layout(
    name: Annotated[str, typer.Argument(metavar="LAYOUT", help=f"{layout.AFFINE_LAYOUTS}, {', '.join(hartley_ranks.HARTLEY_LAYOUTS)}")],
    size: Size,
    ranks: Ranks,
    as_json: Json = False,
) -> None:
    """Show which index lives where, a column per rank."""
    N, P = number(size), number(ranks)
    n, p = fourier.sizes(N, P)
    found = hartley_ranks.placement(name, n, p)
    if N > 1024:
        raise ValueError(f"N = {N}: a table is printed up to 1024 elements")
    if as_json:
        index = [[int(found.index(s, o)) for o in range(1 << found.m)] for s in range(P)]
        matrix = {"address": list(found.address.columns), "complement": found.address.c} if isinstance(found, layout.Layout) else {}
        console.emit_json({"layout": name, **matrix, "index": index})
    else:
        console.say(layout.table(found))


@app.command("formula")
def show_formula(
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="fft, hypercube-fft or fht.")],
    size: Size,
    ranks: Ranks,
    scheme: Scheme = "",
    as_latex: Annotated[bool, typer.Option("--latex", help="As LaTeX.")] = False,
    as_json: Json = False,
) -> None:
    """Print the equations of a factorization at one size as mathematics."""
    if system not in ("fft", "hypercube-fft", "fht") or (scheme and system != "hypercube-fft"):
        raise ValueError(f"{f'{system} {scheme}'.strip()!r}: equations with sizes are printed for fft, for fht, and for hypercube-fft by --scheme")
    N, P = number(size), number(ranks)
    if system == "fht":
        hartley.sizes(N, P)
        equations = hartley.equations(N)
    else:
        equations = fourier.equations(N, P) if system == "fft" else hypercube.equations(N, P, scheme or lower.SCHEME)
    if as_json:
        console.emit_json({"equations": [{"name": e.name, "source": e.source, "text": str(e), "latex": latex(e)} for e in equations]})
        return
    for equation in equations:
        console.say(f"{equation.name}  ({equation.source})", "bold")
        console.say("    " + (latex(equation) if as_latex else str(equation)))


@app.command("graph")
def show_graph(
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="fht: who exchanges with whom, the Hartley graph.")],
    size: Size,
    ranks: Ranks,
    png: Annotated[Path | None, typer.Option("--png", metavar="FILE", help="Draw it, and without its first dimension, for 2 to 64 ranks.")] = None,
    as_json: Json = False,
) -> None:
    """Show which ranks exchange before which stage, and what that costs on a hypercube."""
    if system != "fht":
        raise ValueError(f"{system!r}: a graph of exchanges is there for fht")
    N, P = number(size), number(ranks)
    _, p = hartley.sizes(N, P)
    edges = hartley_graph.hartley_edges(p)
    mappings = [hartley_graph.mapping(p, name) for name in hartley_graph.HOSTS]
    verdict = hartley_graph.figure_4(p) if p else None
    if png:
        plot.hartley_graph(png, p, _lists(N, P))
    if as_json:
        figure = _verdict_record(verdict) if verdict else None
        console.emit_json(
            {
                "size": N,
                "ranks": P,
                "edges": [[i, j, s] for (i, j), s in edges.items()],
                "mappings": [asdict(m) for m in mappings],
                "figure_4": figure,
            }
        )
    else:
        for s in range(1, p + 1):
            pairs = " ".join(f"{i}-{j}" for (i, j), dimension in edges.items() if dimension == s) if P <= 64 else f"{P // 2} pairs"
            console.say(f"dimension {s}, before stage {s + 1}: {pairs}")
        rows = [(m.name, m.dilation, m.load, m.congestion, m.hops) for m in mappings]
        console.table(f"On the {p}-cube", ("rank i on node", "dilation", "load", "congestion", "hops"), rows)
        if verdict:
            console.show(verdict)
    _leave(*([verdict] if verdict else []))


def _lists(N: int, P: int) -> list[str]:
    """Return the computations of every rank, a line a stage, where they are few enough to be read in a picture (Figure 2)."""
    if N > 16 or P > 4:
        return []
    stages = range(1, hartley.sizes(N, P)[1] + 2)
    return ["\n".join(f"s={s}: " + " ".join(map(str, hartley.partition(rank, s, N, P))) for s in stages) for rank in range(P)]


@app.command()
def prove(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME ...]", help="Which; all by default.")] = None,
    formula: Formula = None,
    where: Annotated[str, typer.Option("--where", metavar="'n >= 1, r >= 2'", help="Conditions on the symbols of --formula.")] = "",
    certificate: Annotated[Path | None, typer.Option("--certificate", metavar="FILE", help="Where the steps of the proof of --formula go.")] = None,
    latex_file: Annotated[Path | None, typer.Option("--latex", metavar="FILE", help="Where the proofs go, line by line, as LaTeX.")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="The same as HTML.")] = None,
    as_json: Json = False,
) -> None:
    """Prove equations of the papers, or one of your own, for all sizes, each step checked by a small kernel."""
    if formula is not None:
        _only_a_formula({"NAME": names or None})
        if latex_file or html_file:
            raise ValueError("--latex and --html write the theorems that have names; of --formula there is --certificate")
        _prove_formula(formula, where, certificate, as_json)
        return
    known: dict[str, Theorem | BlockTheorem] = {**theorems(), **block_theorems()}
    for name in names or ():
        if name not in known:
            raise ValueError(f"unknown theorem {name!r}: the names are {', '.join(known)}")
    for file, latex_wanted in ((latex_file, True), (html_file, False)):
        if file:
            write_text(file, document([known[name] for name in names or known], latex_wanted))
    records: list[dict[str, Any]] = []
    for name in names or known:
        start, theorem = perf_counter(), known[name]
        verdict = theorem.verdict()
        records.append(
            {
                "name": name,
                "source": theorem.source,
                "statement": verdict.statement,
                "gloss": theorem.gloss,
                "verdict": console.strength(verdict),
                "seconds": perf_counter() - start,
                "rests_on": list(verdict.rests_on),
                "kernel": [kernel_equation(part, TEXT) if isinstance(part, Thm) else str(part) for part in theorem.prove()],
            }
        )
        if not as_json:
            console.show(verdict, name)
            console.say(f"    in the paper's letters: {theorem.gloss.splitlines()[0]}", "dim")
    if as_json:
        console.emit_json(records)
    else:
        console.say(f"{len(records)} theorems, {sum(record['seconds'] for record in records):.1f} s", "bold green")


def _prove_formula(text: str, where: str, file: Path | None, as_json: bool) -> None:
    """Prove or refute an equation of one's own for all sizes."""
    start = perf_counter()
    sides = parse.parse(text)
    answer = decide_for_all(sides, parse.parse_relations(where))
    if file and answer.theorem:
        write_text(file, json.dumps(replay.certificate(str(sides), answer.theorem), ensure_ascii=False) + "\n")
    kernel = kernel_equation(answer.theorem, TEXT) if answer.theorem else None
    if as_json:
        values = None if answer.values is None else {name: str(value) for name, value in answer.values.items()}
        stands = dict(answer.symbols)
        record = {"formula": str(sides), "where": where, **_verdict_record(answer.verdict), "values": values, "sizes_tried": answer.tried}
        console.emit_json({**record, "kernel": kernel, "symbols": stands, "seconds": perf_counter() - start})
    else:
        console.show(answer.verdict)
        if kernel:
            given = ", ".join(f"{name} = {value}" for name, value in answer.symbols)
            console.say(f"    {kernel}" + (f", {given}" if given else ""), "dim")
    _leave(answer.verdict)


@app.command("errata")
def show_errata(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME ...]", help="Which; all by default.")] = None,
    as_json: Json = False,
) -> None:
    """List what the papers print and does not hold, each with its smallest counterexample, evaluated now, and the correction."""
    findings = errata(names or ())
    if as_json:
        console.emit_json([finding.record() for finding in findings])
    else:
        for finding in findings:
            _show_erratum(finding)
        console.say(f"{len(findings)} printed statements, {sum(finding.holds for finding in findings)} refuted and corrected", "bold green")
    if not all(finding.holds for finding in findings):
        raise typer.Exit(1)


def _show_erratum(finding: Finding) -> None:
    entry = finding.erratum
    console.say(f"{entry.name}  ({entry.paper}, {entry.place}; {entry.cause})", "bold")
    console.say(f"    printed         {entry.printed}")
    console.say(
        f"    counterexample  {finding.counterexample or 'none found: the printed statement is not refuted'}",
        "" if finding.counterexample else "bold red",
    )
    console.say(f"    correction      {entry.correction}")
    console.say(f"                    {finding.verdict}", "green" if finding.wrong is None else "bold red")


@app.command()
def derive(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME ...]", help="Which; all by default.")] = None,
    as_json: Json = False,
) -> None:
    """Derive equations of the BSP paper for symbolic sizes, a line from the last by rewriting; what is assumed is named."""
    known = derivations()
    for name in names or ():
        if name not in known:
            raise ValueError(f"unknown derivation {name!r}: the names are {', '.join(known)}")
    chosen = [known[name] for name in names or known]
    records = []
    for derivation in chosen:
        verdict = derivation.verdict or Refuted(f"{derivation.lines[0]} = {derivation.lines[-1]}", "a line does not follow from the one before it")
        records.append((derivation, verdict))
        if not as_json:
            _show_derivation(derivation, verdict)
    if as_json:
        console.emit_json({"derivations": [{"name": d.name, "source": d.source, **_verdict_record(v)} for d, v in records]})
    _leave(*[verdict for _, verdict in records])


def _show_derivation(derivation: Derivation, verdict: Verdict) -> None:
    console.say(f"{derivation.name}  ({derivation.source})", "bold")
    for i, line in enumerate(derivation.lines):
        console.say(f"  {'=' if i else ' '} {line}")
    console.show(verdict)
    if isinstance(verdict, Proved):
        console.say("  given " + "; ".join(verdict.rests_on), "dim")


@app.command()
def demo(as_json: Json = False) -> None:
    """Take real data through the whole pipeline; everything that it makes lies in ./nodewright-demo/."""
    findings = run_demo(_say_nothing if as_json else _say)
    if as_json:
        console.emit_json({"seconds": findings.seconds, "files": [str(file) for file in findings.files], "error": findings.accuracy.measured})
    else:
        console.say("Everything is in nodewright-demo/: " + ", ".join(file.name for file in findings.files), "bold")


def _say(message: Message) -> None:
    indent, style = {"step": ("", "bold"), "note": ("    ", "dim"), "result": ("  → ", "green")}[message.kind]
    console.say(indent + message.text, style)


def _say_nothing(message: Message) -> None:
    pass


def _leave(*verdicts: Verdict) -> None:
    """End with exit status 1 if a verdict is a refutation or undecided."""
    if not all(holds(verdict) for verdict in verdicts):
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; wrong input ends in one line on standard error and exit status 2."""
    try:
        status = app(standalone_mode=False)
    except typer.TyperException as error:
        status = _refuse(getattr(error, "format_message", error.__str__)())
    except RecursionError:
        status = _refuse("what is given is nested too deeply, or too long, to be read")
    except RuntimeError as error:
        console.complain(str(error))
        status = 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        status = _refuse(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except (ValueError, MemoryError) as error:
        status = _refuse(str(error) or type(error).__name__)
    except KeyboardInterrupt:
        status = 130
    sys.exit(status if isinstance(status, int) else 0)


def _refuse(message: str) -> int:
    console.complain(message)
    return 2
