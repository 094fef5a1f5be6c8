"""The command line `nodewright`: the one door to typer.

Exit status: 0 all good; 1 a check was refuted or a run failed; 2 the input or the usage is wrong, with one line on standard error.
"""

from __future__ import annotations

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
from codegen.emit import DIRECTIONS, DTYPES, KERNELS, NORMS, Options
from codegen.emit import emit as emit_text
from codegen.files import write_text
from codegen.meaning import check as check_program
from codegen.supersteps import Program
from derive import bmmc, fourier, layout
from derive.bits import Affine, read_matrix
from derive.check import check as check_equation
from derive.derivations import Derivation, derivations
from derive.forms import forms
from derive.formula import Bmmc, Equation
from derive.latex import latex
from derive.recognize import Witness, recognize
from derive.verdict import Proved, Refuted, Verdict, holds
from nodewright import console, launch, plot
from nodewright.demo import Message
from nodewright.demo import demo as run_demo
from proofs import certify as certification
from proofs.theorems import theorems
from proofs.theorems.notation import TEXT
from proofs.theorems.notation import equation as kernel_equation

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
    found = re.fullmatch(r"(\d{1,20})(?:\^(\d{1,3}))?", text)
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
Output = Annotated[str, typer.Option("--output", metavar="L", help="Layout of the output.")]
Exchange = Annotated[str, typer.Option("--exchange", metavar="X", help=f"How messages travel: {', '.join(lower.EXCHANGES)}.")]
Matrix = Annotated[Path | None, typer.Option("--matrix", metavar="FILE", help="A permutation: n lines of n characters 0/1, or a .npy.")]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help=f"A permutation: {', '.join(bmmc.NAMED)}, transpose:Q.")]
Complement = Annotated[int, typer.Option("--complement", metavar="INT", help="c of y = A x + c.")]
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


def _program(system: str, N: int, P: int, layouts: tuple[str, str], exchange: str, stated: tuple[Path | None, str | None, int]) -> Program:
    """Return the program of a system; for `permute`, of the stated permutation."""
    if system != "permute":
        if stated != (None, None, 0):
            raise ValueError(f"{system}: --matrix, --name and --complement state a permutation, which permute needs and nothing else takes")
        return lower.build(system, N, P, *layouts, exchange)
    n, _ = bmmc.sizes(N, P)
    matrix, name, _ = stated
    permutation = _permutation(n, *stated)
    title = name if matrix is None else f"{matrix}" if matrix.is_absolute() else f"./{matrix}"  # no file is taken for a name
    return lower.build(system, N, P, *layouts, exchange, Bmmc(permutation, str(title)))


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
        "forms": [
            {"letters": form.letters, "factors": [list(factor.columns) for factor in form.factors], "rounds": list(form.rounds)} for form in forms(f)
        ],
    }


def _show_factors(f: bmmc.Factorization, verdict: Verdict) -> None:
    console.say("Bit matrices, least significant bit at the top left, a dot for 0; offset bits, then processor bits.")
    if f.n <= 32:
        console.matrices({"A": f.permutation.matrix, "V": f.V.matrix, "W": f.W.matrix}, f.m)
        console.matrices({"T": f.trailer.matrix, "R": f.reducer.matrix, "Pi": f.swapper.matrix}, f.m)
    console.say(f"complement c = {f.permutation.c}")
    console.say(f"rank of gamma {f.rank_gamma}: every rank sends {f.rounds} messages of {f.elements_per_message} elements, perhaps one to itself")
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
    system: System,
    size: Size,
    ranks: Ranks,
    input: Input = "block",
    output: Output = "block",
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = 0,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random vectors that decide large sizes.")] = 0,
    as_json: Json = False,
) -> None:
    """Check a factorization exactly at one size, every equation that it rests on, and the supersteps made from it."""
    start = perf_counter()
    program = _program(system, number(size), number(ranks), (input, output), "alltoall", (matrix, name, complement))
    with console.progress(f"checking {system} at N = {program.N}, P = {program.P}") as tell:
        results = list(_checks(program, seed, tell))
    seconds = perf_counter() - start
    bad = [verdict for _, _, verdict in results if not holds(verdict)]
    if as_json:
        head = {"system": system, "size": program.N, "ranks": program.P, "input": input, "output": output}
        verdicts = [{"name": name, "source": source, **_verdict_record(verdict)} for name, source, verdict in results]
        console.emit_json({**head, "verdict": "refuted" if bad else "checked", "equations": verdicts, "seconds": seconds})
    else:
        for name, _, verdict in results:
            console.show(verdict, name)
        console.say(f"{len(results)} statements, {len(bad)} refuted, {seconds:.2f} s", "bold red" if bad else "bold green")
    _leave(*[verdict for _, _, verdict in results])


def _checks(program: Program, seed: int, tell: Callable[[float], None]) -> Iterator[tuple[str, str, Verdict]]:
    """Yield (name, source, verdict) for the equations that a program rests on, and for its supersteps."""
    if isinstance(program.equation.left, Bmmc):
        yield "cormen-section-4", "Cormen 1997, section 4", bmmc.check(bmmc.factor(program.equation.left.address, program.input.p))
        equations: tuple[Equation, ...] = (program.equation,)
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
    system: System,
    size: Size,
    ranks: Ranks,
    input: Input = "block",
    output: Output = "block",
    direction: Annotated[str, typer.Option("--direction", help=", ".join(DIRECTIONS))] = "forward",
    norm: Annotated[str, typer.Option("--norm", help=f"numpy's: {', '.join(NORMS)}")] = "backward",
    kernels: Annotated[str, typer.Option("--kernels", help=", ".join(KERNELS))] = "numpy",
    exchange: Exchange = "alltoall",
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = 0,
    dtype: Annotated[
        str, typer.Option("--dtype", help=f"{', '.join(DTYPES)}; for permute any that numpy names, such as float64 or i4,f8.")
    ] = "complex128",
    file: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Where the program goes; standard output by default.")] = None,
    as_json: Json = False,
) -> None:
    """Write the node program of a system for fixed N and P."""
    options = Options(direction, norm, kernels, exchange, dtype)
    program = _program(system, number(size), number(ranks), (input, output), exchange, (matrix, name, complement))
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
    output: Output = "block",
    exchange: Exchange = "alltoall",
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = 0,
    machine: Annotated[Path | None, typer.Option("--machine", metavar="FILE", help="TOML with v (flop/s), g and l (flops).")] = None,
    as_json: Json = False,
) -> None:
    """Count exchanges, messages, words and flops of a program, and predict its time on a BSP machine."""
    program = _program(system, number(size), number(ranks), (input, output), exchange, (matrix, name, complement))
    counted = costs.count(program)
    computer = costs.read_machine(machine) if machine else costs.EXAMPLE_MACHINE
    record = {**asdict(counted), "seconds": computer.seconds(counted)}
    if as_json:
        console.emit_json({"system": system, "size": program.N, "ranks": program.P, **record, "machine": asdict(computer)})
        return
    meaning = {
        "exchanges": "communication supersteps",
        "messages": "sent by a rank to others, at most",
        "words": "elements sent by a rank to others, at most",
        "flops": "of a rank",
        "seconds": f"predicted for {computer.name}: v = {computer.v:g} flop/s, g = {computer.g:g}, l = {computer.l:g} flops",
    }
    rows = [(name, f"{value:.3g}" if isinstance(value, float) else f"{value}", meaning[name]) for name, value in record.items()]
    console.table(f"{system}, N = {program.N}, P = {program.P}, {input} to {output}", ("", "value", ""), rows)


@app.command("layout")
def show_layout(
    name: Annotated[str, typer.Argument(metavar="LAYOUT", help=layout.AFFINE_LAYOUTS)],
    size: Size,
    ranks: Ranks,
    as_json: Json = False,
) -> None:
    """Show which index lives where, a column per rank."""
    N, P = number(size), number(ranks)
    n, p = fourier.sizes(N, P)
    found = layout.named(name, n, p)
    if N > 1024:
        raise ValueError(f"N = {N}: a table is printed up to 1024 elements")
    if as_json:
        index = [[found.index(s, o) for o in range(1 << found.m)] for s in range(P)]
        console.emit_json({"layout": name, "address": list(found.address.columns), "complement": found.address.c, "index": index})
    else:
        console.say(found.table())


@app.command("formula")
def show_formula(
    system: System,
    size: Size,
    ranks: Ranks,
    as_latex: Annotated[bool, typer.Option("--latex", help="As LaTeX.")] = False,
    as_json: Json = False,
) -> None:
    """Print the equations of a factorization at one size as mathematics."""
    if system != "fft":
        raise ValueError(f"{system!r}: equations with sizes are printed for fft")
    equations = fourier.equations(number(size), number(ranks))
    if as_json:
        console.emit_json({"equations": [{"name": e.name, "source": e.source, "text": str(e), "latex": latex(e)} for e in equations]})
        return
    for equation in equations:
        console.say(f"{equation.name}  ({equation.source})", "bold")
        console.say("    " + (latex(equation) if as_latex else str(equation)))


@app.command()
def prove(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME ...]", help="Which; all by default.")] = None,
    as_json: Json = False,
) -> None:
    """Prove equations of the papers for all sizes, each step checked by a small kernel."""
    known = theorems()
    for name in names or ():
        if name not in known:
            raise ValueError(f"unknown theorem {name!r}: the names are {', '.join(known)}")
    records: list[dict[str, Any]] = []
    for name in names or known:
        start, theorem = perf_counter(), known[name]
        verdict = theorem.verdict()
        records.append(
            {
                "name": name,
                "source": theorem.source,
                "statement": verdict.statement,
                "verdict": console.strength(verdict),
                "seconds": perf_counter() - start,
                "rests_on": list(verdict.rests_on),
                "kernel": [kernel_equation(part, TEXT) for part in theorem.prove()],
            }
        )
        if not as_json:
            console.show(verdict, name)
            for line in records[-1]["kernel"]:
                console.say(f"    {line}", "dim")
    if as_json:
        console.emit_json(records)
    else:
        console.say(f"{len(records)} theorems, {sum(record['seconds'] for record in records):.1f} s", "bold green")


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
    """End with exit status 1 if any verdict is a refutation."""
    if any(isinstance(verdict, Refuted) for verdict in verdicts):
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; wrong input ends in one line on standard error and exit status 2."""
    try:
        status = app(standalone_mode=False)
    except typer.TyperException as error:
        status = _refuse(getattr(error, "format_message", error.__str__)())
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
