"""The programs in generated/: each with its certificate, and a table of what was shown. `python -m
nodewright.library` writes them.

Same input, same bytes, on a machine with the same numpy: only the versions and the measured
rounding error in a certificate depend on it.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, field
from pathlib import Path

from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.files import write_text
from codegen.options import Options, command
from codegen.program.lower import build
from codegen.program.supersteps import Program
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bmmc import named
from derive.verdict import Checked, Verdict
from proofs.certify.program import certify, read

HEAD = """# Generated programs

Written, certificates and this table included, by `python -m nodewright.library`; a test makes all of it again and compares.
Each program stands for itself: it needs numpy and mpi4py, and numba where its kernels are numba's.
`mpiexec -n P python PROGRAM IN.npy OUT.npy` runs it.
Exchanges, messages and words are the most of any rank; a word is an element. What a verdict says: [../docs/certificates.md](../docs/certificates.md).
"""  # noqa: E501


@dataclass(frozen=True)
class Entry:
    """A program of the library, and what it is made from."""

    name: str
    N: int
    P: int
    input: str = "block"
    output: str = "block"
    options: Options = field(default_factory=Options)
    scheme: str = ""
    permutation: str = ""
    algorithm: str = ""
    phases: str = ""
    local: str = ""

    @property
    def system(self) -> str:
        """The system."""
        return (
            "permute"
            if self.permutation
            else "hypercube-fft"
            if self.scheme
            else "fht"
            if self.algorithm
            else "fft"
        )

    @property
    def program(self) -> Program:
        """The supersteps."""
        permutation = (
            Bmmc(named(self.permutation, self.N.bit_length() - 1), self.permutation)
            if self.permutation
            else None
        )
        chosen = self.scheme, self.algorithm, self.phases, self.local
        return build(
            self.system,
            self.N,
            self.P,
            self.input,
            self.output,
            self.options.exchange,
            permutation,
            *chosen,
        )


LIBRARY = (
    Entry("fft_1024_4_block.py", 1024, 4),
    Entry("fft_1024_4_cyclic.py", 1024, 4, "cyclic", "cyclic"),
    Entry("fft_1024_256_block.py", 1024, 256),
    Entry(
        "fft_1024_8_cyclic_backward_complex64.py",
        1024,
        8,
        "cyclic",
        "cyclic",
        Options(direction="backward", dtype="complex64"),
    ),
    Entry("fft_1024_4_shared.py", 1024, 4, "cyclic", "cyclic", Options(exchange="shared")),
    Entry(
        "fft_4096_2_numba.py",
        4096,
        2,
        "cyclic",
        "cyclic",
        Options(kernels="numba", exchange="shared"),
    ),
    Entry("fft_1024_4_overlapped.py", 1024, 4, "cyclic", "block", Options(exchange="overlapped")),
    Entry("fft_1024_8_butterflies.py", 1024, 8, "cyclic", phases="16,64", local="butterflies"),
    Entry("hypercube_1024_4_prog_3.py", 1024, 4, "bit-reversed", "scrambled", scheme="3"),
    Entry(
        "hypercube_1024_4_prog_5_backward.py",
        1024,
        4,
        "scrambled",
        "block",
        Options(direction="backward"),
        "5",
    ),
    Entry(
        "permute_4096_4_bit_reversal_numba.py",
        4096,
        4,
        options=Options(kernels="numba", dtype="float64"),
        permutation="bit-reversal",
    ),
    Entry(
        "permute_1024_8_gray_code_records.py",
        1024,
        8,
        "cyclic",
        options=Options(dtype="i4,f8"),
        permutation="gray-code",
    ),
    Entry(
        "fht_1024_4_block.py",
        1024,
        4,
        output="hartley",
        options=Options(dtype="float64"),
        algorithm="hypercube",
    ),
    Entry(
        "fht_1024_4_numba.py",
        1024,
        4,
        "hartley-input",
        "hartley",
        Options(dtype="float64", kernels="numba"),
        algorithm="hypercube",
    ),
)


def write(folder: Path) -> None:
    """Write every program of the library, its certificate, and README.md into a folder.

    Raises RuntimeError where a certificate does not hold.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for entry in LIBRARY:
        write_one(entry, folder)
    write_text(folder / "README.md", readme(folder))


def write_one(entry: Entry, folder: Path) -> None:
    """Write a program and its certificate into a folder.

    Raises RuntimeError where the certificate does not hold.
    """
    path = folder / entry.name
    write_text(path, emit(entry.program, entry.options))
    certificate = certify(path)
    if not certificate.holds:
        raise RuntimeError(
            f"{path}: {'; '.join(str(verdict) for verdict in certificate.verdicts.values())}"
        )


def readme(folder: Path) -> str:
    """Return the README.md of a folder with the library's programs and their certificates."""
    return (
        HEAD
        + "\n"
        + _table([_row(entry, folder / entry.name) for entry in LIBRARY])
        + "\n"
        + _commands()
    )


def _row(entry: Entry, path: Path) -> tuple[str, ...]:
    certificate, sha256 = read(path), hashlib.sha256(path.read_bytes()).hexdigest()
    cost, layouts = count(entry.program), f"{entry.input} → {entry.output}"
    shown = ", ".join(
        f"{name} {_strength(verdict)}" for name, verdict in certificate.verdicts.items()
    )
    figures = (entry.N, entry.P, layouts, cost.exchanges, cost.messages, cost.words)
    return (
        f"[{entry.name}]({entry.name})",
        entry.system,
        *map(str, figures),
        shown,
        f"`{sha256[:16]}`",
    )


def _strength(verdict: Verdict) -> str:
    """Return the strength of a verdict, with the probability of an error where there is one."""
    word = type(verdict).__name__.lower()
    return (
        f"{word} (missed with probability ≤ {verdict.error:g})"
        if isinstance(verdict, Checked) and verdict.error
        else word
    )


def _table(rows: list[tuple[str, ...]]) -> str:
    titles = (
        "program",
        "system",
        "N",
        "P",
        "layouts",
        "exchanges",
        "messages",
        "words",
        "shown",
        "sha256",
    )
    lines = [titles, tuple("---" for _ in titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _commands() -> str:
    lines = [f"    {command(entry.program, entry.options)} -o {entry.name}\n" for entry in LIBRARY]
    return "The commands that make them:\n\n" + "".join(lines)


if __name__ == "__main__":
    write(Path(*sys.argv[1:2] or ["generated"]))
