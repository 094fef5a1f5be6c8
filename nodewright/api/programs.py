"""Programs: a system, or a factorization of one's own, for N elements on P ranks."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from codegen import shapes
from codegen.cost import counted
from codegen.emit.text import text_of
from codegen.files import write_text
from codegen.program.lower import lower
from codegen.program.supersteps import Program as Lowered
from codegen.spec import KERNELS, OPTIONS, SYSTEMS, Spec, command
from derive import arguments
from derive.formula import layout
from derive.formula.permutation_matrices import Bmmc
from derive.lazy import lazily
from derive.papers.hartley_layouts import placement
from derive.show import html
from derive.show.shapes import Drawing
from nodewright.api.equations import Statement as Equation
from nodewright.api.equations import Value, own_formula, stated_values
from nodewright.api.judged import Wrong
from nodewright.api.options import (
    FourierOptions,
    HartleyOptions,
    HypercubeOptions,
    Options,
    OwnOptions,
    known,
)
from nodewright.runtime import launch
from nodewright.runtime.agreement import in_full
from nodewright.show import flow as flows

if TYPE_CHECKING:
    from codegen.cost.counted import Machine
    from codegen.cost.hypercube import Network
    from codegen.program import meaning
    from derive.exact import check as exact
    from nodewright.api import certificates, checks, costs, derivations, permutations
    from nodewright.api.checks import Progress, Report
    from nodewright.api.costs import ProgramCost
    from nodewright.api.derivations import Derivation
    from nodewright.api.permutations import PermutationLike
    from proofs.certify.certificate import Certificate
else:
    meaning, exact = lazily("codegen.program.meaning"), lazily("derive.exact.check")
    certificates, checks, costs, derivations, permutations = (
        lazily(f"nodewright.api.{name}")
        for name in ("certificates", "checks", "costs", "derivations", "permutations")
    )


class Program:
    """A node program: what is asked for, its text, and what is known of it. `nw.fft`, `nw.permute`
    and the like make it; raises ValueError for anything but their requests.

    >>> from codegen.spec import Spec
    >>> Program(Spec("fft", 1024, 4))
    Program('nodewright generate fft --size 1024 --ranks 4')
    """

    def __init__(self, spec: Spec, proved: bool = False) -> None:
        if not isinstance(spec, Spec):
            raise ValueError(f"{spec!r}: programs are made by nw.fft, nw.permute and the like")
        self.spec = spec
        self.proved = proved
        """Whether its factorization is a theorem: its supersteps are compared up to 2^24 only."""
        self.file: Path | None = None
        """Where it was saved."""

    def __eq__(self, other: object) -> bool:
        """Return whether another program is of the same request, so that its text is the same."""
        return isinstance(other, Program) and in_full(self.spec) == in_full(other.spec)

    def __hash__(self) -> int:
        return hash(in_full(self.spec))

    @cached_property
    def lowered(self) -> Lowered:
        """The supersteps; raises ValueError for layouts that the program has not."""
        lowered, own = lower(self.spec), self.spec.formula is not None
        compared = own and not (self.proved and self.spec.N > exact.LARGEST)
        if compared and not (verdict := meaning.check(lowered)).holds:
            raise Wrong(verdict)
        return lowered

    @cached_property
    def text(self) -> str:
        """The program, one file for numpy, mpi4py and its kernels' library; raises as `lowered`."""
        return text_of(self.lowered)

    @property
    def command(self) -> str:
        """The command that writes it."""
        return command(self.spec)

    def check(self, seed: int = 0, tell: Progress = lambda done: None) -> Report:
        """Return what an exact check finds of every equation that it rests on, and of its
        supersteps: kind, holds, statements, seconds.

        `seed` draws the random vectors that decide large sizes, `tell` is told which part of the
        work is done, from 0 to 1. Raises ValueError for a seed that is no integer.
        """
        return checks.checked(self.lowered, arguments.integer(seed, "seed"), tell)

    def cost(
        self, machine: Machine | Network | str | Path | None = None, predict: bool = False
    ) -> ProgramCost:
        """Return exchanges, messages, words and flops, the most of a rank, and the seconds on a
        machine or the file of one; with `predict` those of fewer ranks: by (3.9) of fft, by (2) to
        (7) of hypercube-fft.

        A word is an element. Raises ValueError for a file that states no machine, and to predict
        other systems, OSError where the file cannot be read.
        """
        return costs.cost_of(self.lowered, machine, predict)

    def certify(self, seed: int = 0) -> Certificate:
        """Return the certificate of the text. It decides whether the text computes what it
        declares.

        Where the program was saved, it is about that file. The text is executed in a sandbox.
        Raises ValueError where it uses what the simulated ranks do not have.
        """
        if self.file:
            return certificates.certify(self.file, seed)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{self.spec.system}_{self.spec.N}_{self.spec.P}.py")
            path.write_text(self.text, encoding="utf-8")
            return replace(certificates.certify(path, seed), beside=None)

    def save(self, path: str | Path) -> None:
        """Write the text to a file, whole or not at all; raise OSError where it cannot be."""
        write_text(file := arguments.path(path), self.text)
        self.file = file

    def run(self, x: ArrayLike, timeout: float | None = None) -> NDArray[Any]:
        """Return the transform of all elements, in natural order; the program is run under mpiexec
        on its ranks. x: a vector or an array, of the program's dtype or safely cast to it.

        Raises ValueError where the program refuses the vector, RuntimeError where it fails,
        launch.MpiexecNotFound without an mpiexec, TimeoutError after so many seconds.
        """
        given, dtype = np.asarray(x), np.dtype(self.spec.dtype)
        if given.dtype != dtype and np.can_cast(given.dtype, dtype, "safe"):
            given = given.astype(dtype)
        if (given.shape, given.dtype) != (self.spec.whole, dtype):
            size = f"shape {self.spec.whole}" if self.spec.is_shaped else f"{self.spec.N} elements"
            raise ValueError(
                f"x: {given.dtype} of shape {given.shape}: the program takes {size} of {dtype}"
            )
        with tempfile.TemporaryDirectory() as folder:
            path, source, target = (Path(folder, name) for name in ("prog.py", "x.npy", "y.npy"))
            path.write_text(self.text, encoding="utf-8")
            np.save(source, given)
            done = launch.run(path, [source, target], timeout=timeout, capture=True)
            if done.returncode:
                said = done.stderr.strip() or f"exit status {done.returncode}"
                raise (ValueError if done.returncode == 2 else RuntimeError)(said)
            return np.asarray(np.load(target))

    def to_dict(self) -> dict[str, Any]:
        """Return the program as `generate` prints it with --json: its file where it was saved, else
        its text; its cost is that with numpy's kernels.
        """
        spec = self.spec
        return {
            "system": spec.system,
            "size": spec.N,
            "ranks": spec.P,
            "lines": self.text.count("\n"),
            **({"file": str(self.file)} if self.file else {"text": self.text}),
            **asdict(counted.count(lower(replace(spec, kernels=KERNELS[0])))),
        }

    def drawing(self) -> Drawing:
        """Return who sends to whom in each superstep as a picture; ValueError above 256 ranks."""
        return flows.drawn(self.lowered)

    def _repr_html_(self) -> str:
        """Return the program as a notebook shows it."""
        shown = html.bold(self.command), flows.shown(self.lowered), html.code(self.text)
        return html.fragment(*shown)

    def __repr__(self) -> str:
        return f"Program({self.command!r})"


Size = int | str
"""1024, or as the command line takes it: "2^10"."""
Sizes = Size | Sequence[int]


def fft(size: Sizes, ranks: Sizes, **options: Unpack[FourierOptions]) -> Program:
    """Return the program of the discrete Fourier transform (Inda & Bisseling 2000).

    Options are those of `nodewright generate fft`: input, output, direction, norm, kernels,
    exchange, dtype, phases, local, batch. Several axes are a tuple, or 64x48, and so is a grid of
    ranks; a layout of each axis is a tuple, too, or block,whole. Raises ValueError for what no
    program does.

    >>> p = fft(1024, 4, input="cyclic", output="cyclic", kernels="numba")
    >>> p.cost().exchanges, p.text.splitlines()[0][3:]
    (1, 'Discrete Fourier transform of N = 1024 elements on P = 4 ranks: forward, complex128, numba kernels.')
    >>> fft("64x48x32", 8, input="cyclic", output="cyclic").cost().exchanges
    1
    """  # noqa: E501
    return _program("fft", size, ranks, FourierOptions, {**options})


def hypercube_fft(size: Size, ranks: Size, **options: Unpack[HypercubeOptions]) -> Program:
    """Return the program of a hypercube FFT, Progs. 2 to 5 of Aykanat & Dervis.

    Options are those of `nodewright generate hypercube-fft`: scheme, input, output, direction,
    norm, kernels, exchange, dtype. Raises ValueError for what no program does.

    >>> hypercube_fft(1024, 4, scheme=2, output="scrambled").spec.scheme
    '2'
    """
    words = {**options, "scheme": arguments.digits(options.get("scheme", ""), "scheme")}
    return _program("hypercube-fft", size, ranks, HypercubeOptions, words)


def fht(size: Sizes, ranks: Sizes, **options: Unpack[HartleyOptions]) -> Program:
    """Return the program of the fast Hartley transform (Lin, Chan & Karplus 1988); of several axes
    that of each of them, H_m ⊗ H_n.

    Options are those of `nodewright generate fht`: algorithm, result, convolve, input, output,
    direction, norm, kernels, exchange, dtype, batch. Several axes and a grid of ranks are stated as
    in `fft`. Raises ValueError for what no program does.

    >>> fht(1024, 4).spec.output, fht(1000, 2, batch=6).spec.output
    ('hartley', 'block')
    >>> fht("64x48", 2).cost().exchanges
    2
    """
    return _program("fht", size, ranks, HartleyOptions, {**options})


def rfft(size: Size, ranks: Size, **options: Unpack[Options]) -> Program:
    """Return the program of the Fourier transform of an even number of real elements: the half
    spectrum X[0] .. X[N/2] as N real numbers, y[2m] + i y[2m + 1] = X[m], y[0] = X[0], y[1] =
    X[N/2]; backward from there.

    Options are those of `nodewright generate rfft`: input, output, direction, norm, dtype. Layouts
    are block and cyclic-pairs. Raises ValueError for what no program does.

    >>> rfft(1000, 2, output="cyclic-pairs").cost().exchanges
    2
    """
    return _program("rfft", size, ranks, Options, {**options})


def permute(
    size: Size,
    ranks: Size,
    name: str | None = None,
    *,
    matrix: PermutationLike | None = None,
    complement: int = 0,
    **options: Unpack[Options],
) -> Program:
    """Return the program of a BMMC permutation y = A x + c (Cormen 1997): by its name, or by its
    bit matrix, which may lie in a file; c is the complement.

    Other options are those of `nodewright generate permute`: input, output, kernels, exchange,
    dtype. Raises ValueError for what no program does.

    >>> permute(1024, 4, "bit-reversal", dtype="float64").cost().messages
    3
    >>> permute(1024, 4)
    Traceback (most recent call last):
    ValueError: no permutation: state it by matrix or name
    """
    n = permutations.index_bits(size)
    stated = permutations.one_of(matrix, name)
    address = permutations.permutation(stated, n, complement)
    title = stated if isinstance(stated, str) else "A"
    if isinstance(stated, Path):  # no file is taken for a name
        title = f"{stated}" if stated.is_absolute() else f"./{stated}"
    permutation = Bmmc(address, title)
    return _program("permute", size, ranks, Options, {**options}, permutation=permutation)


def program(statement: Equation | Derivation, N: Sizes, P: Sizes, /, **options: Value) -> Program:
    """Return the program of a factorization of your own of F(N), or of F(m) (x) F(n) with N = (m,
    n), its supersteps as the factors say; of a derivation it is what it ends in.

    Options are input, output, direction, norm, kernels, exchange, dtype, batch of `nodewright
    generate --formula`; others are values of the equation's symbols, beside N of F(N).

    Raises ValueError for what is no factorization of F(N), and for factors that cannot be lowered;
    with the verdict, where the equation does not hold.

    >>> p = program("F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)", 64, 4, r=8, s=8)
    >>> p.check().holds, p.cost().exchanges
    (True, 3)
    >>> program("F(N) = I(N)", 64, 4)
    Traceback (most recent call last):
    nodewright.api.judged.Wrong: refuted: F_64 = I_64: entry (1, 0) is 1 on the left and 0 on the right; smallest wrong factor: I_64
    """  # noqa: E501
    if isinstance(statement, str) and statement in SYSTEMS:
        raise ValueError(
            f"{statement!r} is a system and no equation: its program is"
            f" nw.{statement.replace('-', '_')}({N}, {P}, ..), with options such as input='cyclic'"
        )
    words = {name: options.pop(name) for name in [*options] if name in OwnOptions.__annotations__}
    equation = statement.equation if isinstance(statement, derivations.Derivation) else statement
    sizes = shapes.stated(N, P, words.get("batch"))
    own = own_formula(equation, stated_values(options), sizes)
    return _program("fft", N, P, OwnOptions, words, formula=own)


def _program(
    system: str, size: Sizes, ranks: Sizes, kind: Any, options: dict[str, Any], **more: Any
) -> Program:
    """Return a program whose layouts there are; raise ValueError for an option that there is not.
    Of those of other systems it says whose they are.
    """
    words = known(options, kind, system, frozenset(OPTIONS))
    spec = Spec(system, **shapes.stated(size, ranks, words.pop("batch", None)), **words, **more)
    for name in () if spec.shape else (spec.input, spec.output):
        (placement if system == "fht" else layout.named)(name, spec.N, spec.P)
    return Program(spec)
