"""The programs in generated/: each with its certificate, and a table of their verdicts. `python -m
nodewright.library` writes them.

Same input, same bytes, on a machine with the same numpy: only the versions and the measured
rounding error in a certificate depend on it.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import command, make_request
from codegen.shapes import stated
from codegen.systems.record import Request
from codegen.whole_files import write_text
from derive.formula.permutation_matrices import Bmmc
from derive.formula.permutations import lg
from derive.gf2.bmmc import named
from derive.verdict import Checked, Verdict
from proofs.certify.program import certify, read

HEAD = """# Generated programs

This folder has programs that nodewright generated, each with its certificate (`.cert.json`). Run one with

    mpiexec -n P python PROGRAM IN.npy OUT.npy

A program needs numpy and mpi4py. Those with compiled kernels also need numba.

`python -m nodewright.library` generates the programs, the certificates and this page. A test generates them
again and compares.

The columns of the table:

- *exchanges*, *messages*, *words*: the maximum over all ranks; a word is one element.
- *verdicts*: the kind of each verdict of the certificate, as explained on [the page on
  certificates](../docs/certificates.md).
- *error*: the largest probability that one of the checks misses a wrong program.
- *sha256*: the first 16 digits of the hash of the program.
"""  # noqa: E501


def _permute(name: str, N: int, P: int, **more: Any) -> Request:
    """Return the request for a named permutation."""
    return make_request("permute", N, P, permutation=Bmmc(named(name, lg(N)), name), **more)


LIBRARY = {
    "fft_1024_4_block.py": make_request("fft", 1024, 4),
    "fft_1024_4_cyclic.py": make_request("fft", 1024, 4, "cyclic", "cyclic"),
    "fft_1024_256_block.py": make_request("fft", 1024, 256),
    "fft_1024_8_cyclic_backward_complex64.py": make_request(
        "fft", 1024, 8, "cyclic", "cyclic", direction="backward", dtype="complex64"
    ),
    "fft_1024_4_shared.py": make_request("fft", 1024, 4, "cyclic", "cyclic", "shared"),
    "fft_1024_4_auto.py": make_request("fft", 1024, 4, "cyclic", "cyclic", "auto"),
    "fft_1024_4_node_aware.py": make_request("fft", 1024, 4, "cyclic", "cyclic", "node-aware"),
    "fft_4096_2_numba.py": make_request(
        "fft", 4096, 2, "cyclic", "cyclic", "shared", kernels="numba"
    ),
    "fft_1024_4_overlapped.py": make_request("fft", 1024, 4, "cyclic", "block", "overlapped"),
    "fft_1024_8_butterflies.py": make_request(
        "fft", 1024, 8, "cyclic", phases="16,64", local="butterflies"
    ),
    "fft_1000_2_cyclic.py": make_request("fft", 1000, 2, "cyclic", "cyclic"),
    "fft_48x30x32_2_cyclic.py": make_request(
        "fft", **stated("48x30x32", "2x1x1"), input="cyclic", output="cyclic"
    ),
    "fft_12x10x8_4_slabs_batch.py": make_request(
        "fft", **stated("12x10x8", 4, 3), input="block,whole,whole", output="whole,whole,block"
    ),
    "fft_10x7_3_block.py": make_request("fft", **stated("10x7", 3)),
    "fft_257_3_block.py": make_request("fft", 257, 3),
    "rfft_1000_5_block.py": make_request("rfft", 1000, 5),
    "rfft_9x8x7_3_block.py": make_request("rfft", **stated("9x8x7", 3)),
    "dct_1000_3_block.py": make_request("dct", 1000, 3),
    "hypercube_1024_4_prog_3.py": make_request(
        "hypercube-fft", 1024, 4, "bit-reversed", "scrambled"
    ),
    "hypercube_1024_4_prog_5_backward.py": make_request(
        "hypercube-fft", 1024, 4, "scrambled", scheme="5", direction="backward"
    ),
    "permute_4096_4_bit_reversal_numba.py": _permute(
        "bit-reversal", 4096, 4, kernels="numba", dtype="float64"
    ),
    "permute_1024_8_gray_code_records.py": _permute(
        "gray-code", 1024, 8, input="cyclic", dtype="i4,f8"
    ),
    "fht_1024_4_block.py": make_request("fht", 1024, 4),
    "fht_1024_4_numba.py": make_request("fht", 1024, 4, "hartley-input", kernels="numba"),
    "wht_1024_4_block.py": make_request("wht", 1024, 4),
    "ntt_1024_4_numba.py": make_request("ntt", 1024, 4, modulus=12289, kernels="numba"),
    "fht_48_4_batch.py": make_request("fht", **stated(48, 4, 6), input="cyclic", output="cyclic"),
}
"""The request of each program, by the name of its file."""


def write(folder: Path) -> None:
    """Write every program of the library, its certificate, and README.md into a folder.

    Raises RuntimeError where a certificate does not hold.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in LIBRARY:
        write_one(name, folder)
    write_text(folder / "README.md", readme(folder))


def write_one(name: str, folder: Path) -> None:
    """Write a program and its certificate into a folder.

    Raises RuntimeError where the certificate does not hold.
    """
    path = folder / name
    write_text(path, emit(resolve(LIBRARY[name])))
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
        + _table([_row(request, folder / name) for name, request in LIBRARY.items()])
        + "\n"
        + _commands()
    )


def _row(request: Request, path: Path) -> tuple[str, ...]:
    certificate, sha256 = read(path), hashlib.sha256(path.read_bytes()).hexdigest()
    cost, layouts = count(resolve(request)), f"{request.input} → {request.output}"
    verdicts = certificate.verdicts.values()
    error = max((each.error for each in verdicts if isinstance(each, Checked)), default=0)
    size = "x".join(map(str, request.whole))
    figures = (size, request.P, layouts, cost.exchanges, cost.messages, cost.words)
    return (
        f"[{path.name}]({path.name})",
        request.system,
        *map(str, figures),
        _by_kind(certificate.verdicts),
        f"{error:.1e}" if error else "0",
        f"`{sha256[:16]}`",
    )


def _by_kind(verdicts: dict[str, Verdict]) -> str:
    """Return the kinds of verdicts, each with the names of those that are of this kind."""
    names: dict[str, list[str]] = {}
    for name, verdict in verdicts.items():
        names.setdefault(verdict.kind, []).append(name)
    return "; ".join(f"{kind}: {', '.join(of_it)}" for kind, of_it in names.items())


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
        "verdicts",
        "error",
        "sha256",
    )
    lines = [titles, tuple("---" for _ in titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _commands() -> str:
    lines = [
        f"    {command(resolve(request).request)} -o {name}\n" for name, request in LIBRARY.items()
    ]
    return "The commands that generate them:\n\n" + "".join(lines)


if __name__ == "__main__":
    if any(word.startswith("-") for word in sys.argv[1:]):
        sys.exit("python -m nodewright.library [FOLDER]: the folder is generated by default")
    write(Path(*sys.argv[1:2] or ["generated"]))
