"""The commands that certify and start programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Annotated

import numpy as np

from codegen.whole_files import check_writable
from derive.call_arguments import counted, unknown
from derive.verdict import Verdict
from nodewright import traces
from nodewright.api import certificate_calls
from nodewright.api.costs import machine_of
from nodewright.cli import console
from nodewright.cli.command_options import Json, Mpiexec
from nodewright.cli.commands import Exit, argument, command, commands, of_files, option
from nodewright.runtime import launch
from nodewright.show import headlines
from proofs.certify import program as certification
from proofs.certify.certificate import Certificate
from proofs.certify.declaration import BeyondReach
from proofs.certify.evaluation import language_page as _document
from proofs.certify.failures import NotModelled
from proofs.certify.rows import RANKS, all_hold

app = commands()

UNDECIDED = (NotModelled, certificate_calls.Unmodelled, BeyondReach, MemoryError)
"""What leaves a program undecided: what it uses is not known here, or it is too large."""

TraceFile = Annotated[Path, of_files("-o", metavar="FILE", help="File for the trace.")]
Format = Annotated[
    str,
    of_files(
        "--format",
        metavar="goal|smpi",
        help="goal for LogGOPSim, or smpi for SimGrid: time-independent traces FILE.0, FILE.1, ..,"
        " one per rank, listed in FILE.",
    ),
]
Rate = Annotated[
    Path | None,
    of_files(
        "--machine",
        metavar="FILE",
        help="TOML file with v (flop/s), g and l, as `bench machine` writes it; goal uses v.",
    ),
]
Force = Annotated[
    bool, option("--force", help="Accept a program without a certificate that holds.")
]


def _print_language(asked: bool) -> None:
    if asked:
        print(_document.document(), end="")
        raise Exit()


@command(app, "nodewright certify fft.py")
def certify(
    files: Annotated[
        list[Path],
        argument(
            metavar="FILE ...", help="Programs; the certificate of prog.py is prog.cert.json."
        ),
    ],
    verify: Annotated[
        bool,
        option(
            "--verify",
            help="Check that each certificate belongs to its program, with a short new test.",
        ),
    ] = False,
    seed: Annotated[
        int,
        option(
            "--seed",
            help=(
                "Seed of the random fields and vectors. The same program and seed give the same"
                " certificate, which states the seed."
            ),
        ),
    ] = 0,
    ran: Annotated[
        int,
        option(
            "--ran",
            help=(
                "Also run programs with up to this many ranks under mpiexec and compare the results"
                " bit for bit."
            ),
        ),
    ] = RANKS,
    verbose: Annotated[
        bool,
        option("--verbose", "-v", help="Print statement and evidence of each verdict in full."),
    ] = False,
    mpiexec: Mpiexec = None,
    as_json: Json = False,
    language: Annotated[
        bool,
        option(
            "--language",
            is_eager=True,
            callback=_print_language,
            help="Print the language of node programs, as Markdown, and stop.",
        ),
    ] = False,
) -> None:
    """Decide from a program's source alone whether it computes what it declares; the source is
    evaluated, not executed.

    The generator is not trusted: a program edited by hand is checked in the same way. The
    certificate next to it gives each verdict and its evidence.
    """
    if verify and seed:
        raise ValueError(
            f"--verify with --seed {seed}: the short check draws its field anew, whatever the seed"
            " of the certificate"
        )
    shown, decided = list[Certificate](), list[tuple[Certificate, Mapping[str, Verdict]]]()
    for file, certificate, again in _tried(files, verify, seed, ran):
        shown.append(certificate)
        if again is None:
            continue
        decided.append((certificate, again))
        if not as_json:
            _say(file, certificate, again, verbose)
    if as_json:
        console.emit_json({"certificates": [certificate.to_dict() for certificate in shown]})
    if not all(certificate.holds and all_hold(again) for certificate, again in decided):
        raise Exit(1)
    if len(decided) < len(files):
        raise Exit(2)


def _say(file: Path, certificate: Certificate, again: Mapping[str, Verdict], verbose: bool) -> None:
    """Print what was shown of a program: as a whole, and in a line for each verdict."""
    declared = certificate.declared
    console.say(str(file), "bold")
    console.say(headlines.summary({**certificate.verdicts, **again}, declared))
    for mark, verdicts in (("", certificate.verdicts), (", again", again)):
        for name, verdict in verdicts.items():
            brief = None if verbose else headlines.headline(name, verdict, declared)
            console.show(verdict, f"{name}{mark}", brief)


def _tried(
    files: list[Path], verify: bool, seed: int, ran: int
) -> Iterator[tuple[Path, Certificate, Mapping[str, Verdict] | None]]:
    """Yield each program with its certificate and the verdicts of the short check, None where it is
    undecided; complain about it then, and about files that are no programs.
    """
    for file in files:
        try:
            with console.doing(f"certifying {file.name}") as listener:
                if verify:
                    certificate, again = _verified(file)
                else:
                    certificate = certificate_calls.certify(file, seed, ran=ran, listener=listener)
                    certificate.save()
                    again = {}
        except UNDECIDED as error:
            console.complain(f"{file}: {str(error).removeprefix(f'{file.name} ')}")
            yield file, certification.undecided(file, seed, str(error)), None
        except (ValueError, OSError) as error:
            if len(files) == 1:
                raise
            console.complain(
                f"{file}: {error.strerror}" if isinstance(error, OSError) else str(error)
            )
        else:
            yield file, certificate, again


def _verified(file: Path) -> tuple[Certificate, Mapping[str, Verdict]]:
    """Return the certificate of a program with the verdicts of the short check; raise ValueError
    with the command that certifies it if it has none of its own.
    """
    file.stat()
    kept = certification.certificate_path(file)
    if not kept.exists():
        raise ValueError(f"{file} has no certificate {kept}; run `nodewright certify {file}`")
    try:
        return certification.verify(file)
    except certification.NotItsOwn as error:
        raise ValueError(f"{error.why}; run `nodewright certify {file}` again") from error


@command(app, "nodewright run fft.py IN.npy OUT.npy")
def run(
    program: Annotated[Path, argument(metavar="FILE", help="A program that `generate` wrote.")],
    source: Annotated[Path, argument(metavar="IN.npy", help="Input vector in natural order.")],
    target: Annotated[
        Path, argument(metavar="OUT.npy", help="File for the result, in natural order.")
    ],
    mpiexec: Mpiexec = None,
    as_json: Json = False,
) -> None:
    """Run a program under mpiexec on its number of ranks, and print the time.

    Each rank reads its own part of IN.npy and writes its own part of OUT.npy. A terminal shows the
    progress after two seconds.
    """
    if source.resolve() == target.resolve():
        raise ValueError(
            f"{source}: input and output are the same file; give another name for the output"
        )
    start, ranks = perf_counter(), launch.ranks_of(program)
    steps = (f"start and read {source}", f"transform and write {target}")
    with console.doing(f"{program} on {counted(ranks, 'rank')}") as tell:
        done = launch.run(
            program, [source, target], capture=as_json, watch=lambda begun: tell(steps[begun])
        )
    seconds = perf_counter() - start
    files = () if done.returncode else (source, target)  # a half spectrum has fewer elements
    elements = max((np.load(each, mmap_mode="r").size for each in files), default=0)
    if as_json:
        figures = {"ranks": ranks, "status": done.returncode, "seconds": seconds}
        console.emit_json({"program": str(program), **figures, "elements": elements})
        sys.stderr.write(done.stderr)
    elif not done.returncode:
        console.say(
            f"{target}: {counted(elements, 'element')} by {counted(ranks, 'rank')} in"
            f" {seconds:.3g} s, {elements / seconds:.3g} elements/s, start and files included"
        )
    raise Exit(done.returncode if done.returncode in (0, 1, 2) else 1)


@command(app, "nodewright trace fft.py -o fft.goal")
def trace(
    program: Annotated[Path, argument(metavar="FILE", help="A certified program.")],
    file: TraceFile,
    format: Format = traces.GOAL,
    machine: Rate = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write the messages of one transform and the computation between them for a network
    simulator.

    The program is evaluated for its messages, and the computation is counted. GOAL files give it in
    nanoseconds, for the speed of the machine; SMPI files give it in flops.
    """
    if format not in (traces.GOAL, traces.SMPI):
        raise unknown("format", format, (traces.GOAL, traces.SMPI), rule="choose from")
    if format == traces.SMPI and machine:
        raise ValueError(
            f"--machine {machine} with --format smpi: such a trace counts flops, and the platform"
            " of the simulation has the rate"
        )
    rate = machine_of(machine).v
    check_writable(file)
    _certified(program, force)
    found = traces.write(program, file, format, rate)
    if as_json:
        console.emit_json(found)
    else:
        console.say(
            f"{file}: {counted(found['ranks'], 'rank')}, {counted(found['messages'], 'message')},"
            f" {found['bytes']} bytes, {found['flops']} flops in all"
        )


def _certified(program: Path, force: bool) -> None:
    """Raise ValueError where a program has no certificate that holds; with `force` say so."""
    try:
        traces.refuse_uncertified(program)
    except ValueError as error:
        if not force:
            raise ValueError(
                f"{error}; run `nodewright certify {program}`, or add --force"
            ) from error
        console.complain(f"{error}; continuing because of --force")
