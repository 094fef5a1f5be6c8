"""A program for N elements on P ranks: its source, check, cost, certificate and runs."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from codegen import shapes
from codegen.cost import counted
from codegen.cost.counted import Machine
from codegen.cost.hypercube_times import Network
from codegen.emit.text import emit
from codegen.program import meaning
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program as Lowered
from codegen.requests import command, make_request
from codegen.system_table import OPTIONS
from codegen.systems.options import KERNELS
from codegen.systems.record import RECORDS, Progress, Request
from codegen.whole_files import write_text
from derive import call_arguments
from derive.call_arguments import needs_arguments
from derive.exact import exact_check as exact
from derive.lazy import lazily
from derive.show import html
from derive.show.drawing import Drawing
from nodewright.api.call_options import known, of_programs
from nodewright.api.checks import Report, checked
from nodewright.api.costs import ProgramCost, cost_of
from nodewright.api.judged import Wrong
from nodewright.runtime import launch
from nodewright.runtime.agreement import in_full
from nodewright.show import flow_picture as flows
from proofs.certify.rows import RANKS

if TYPE_CHECKING:
    from nodewright.api import certificate_calls
    from proofs.certify.certificate import Certificate
    from proofs.certify.evaluation.evaluation import Listener
else:
    certificate_calls = lazily("nodewright.api.certificate_calls")


@needs_arguments
class Program:
    """An MPI program for fixed N and P: its source, cost, check and certificate.

    `nw.fft`, `nw.fht`, `nw.rfft`, `nw.dct`, `nw.hypercube_fft`, `nw.permute` and `nw.program`
    return it. Two programs are equal if their requests are, because their sources are then equal.

    Attributes:
        text: the source, one Python file.
        command: the command line that writes the program.
        file: the path that `save` wrote to, or None.

    Raises:
        ValueError: the argument is not a request of one of these functions, or no program
            answers it.

    Examples:
        >>> from codegen.requests import make_request
        >>> Program(make_request("fft", 1024, 4))
        Program('nodewright generate fft --size 1024 --ranks 4')
    """

    def __init__(self, request: Request, proved: bool = False) -> None:
        if not isinstance(request, Request):
            raise ValueError(f"{request!r}: programs are made by nw.fft, nw.permute and the like")
        self._resolved = resolve(request)
        self.request = self._resolved.request
        self.proved = proved
        """Whether its factorization is a theorem; supersteps are then compared up to 2^24 only."""
        self.file: Path | None = None
        """The path that `save` wrote to."""

    def __eq__(self, other: object) -> bool:
        """Return whether another program is of the same request, so that its text is the same."""
        return isinstance(other, Program) and in_full(self.request) == in_full(other.request)

    def __hash__(self) -> int:
        return hash(in_full(self.request))

    @cached_property
    def lowered(self) -> Lowered:
        """The supersteps of the program, before it is printed as Python.

        Raises:
            ValueError: your formula is another matrix.
        """
        lowered, own = self._resolved, self.request.formula is not None
        compared = own and not (self.proved and self.request.N > exact.LARGEST)
        if compared and not (verdict := meaning.check(lowered)).holds:
            raise Wrong(verdict)
        return lowered

    @cached_property
    def text(self) -> str:
        """The source: one file that needs numpy, mpi4py and the library of its kernels.

        Raises:
            ValueError: your formula is another matrix.
        """
        return emit(self.lowered)

    @property
    def command(self) -> str:
        """The command line that writes the program, as for `nodewright generate`.

        >>> import nodewright as nw
        >>> nw.fft(16, 4, kernels="numba").command
        'nodewright generate fft --size 16 --ranks 4 --kernels numba'
        """
        return command(self.request)

    def check(self, seed: int = 0, tell: Progress = lambda done: None) -> Report:
        """Return an exact check of the equations behind the program and of its supersteps.

        Args:
            seed: the seed of the random vectors that decide large sizes.
            tell: a function that is called with the completed part of the work, from 0 to 1.

        Returns:
            A report with `kind`, `holds`, `statements` and `seconds`.

        Raises:
            ValueError: the seed is not an integer.

        Examples:
            >>> import nodewright as nw
            >>> report = nw.fft(16, 4).check()
            >>> report.kind, len(report.statements)
            ('checked', 21)
        """
        return checked(self.lowered, call_arguments.integer(seed, "seed"), tell)

    def cost(
        self, machine: Machine | Network | str | Path | None = None, predict: bool = False
    ) -> ProgramCost:
        """Return the exchanges, and the most messages, words and flops of any rank.

        A word is an element. `seconds` of the cost is the predicted time in seconds.

        Args:
            machine: a BSP machine, or the path of its TOML file; default: an example machine.
            predict: also predict times for fewer ranks (fft, hypercube-fft).

        Returns:
            The cost, with the lower bound on words and the seconds on the machine.

        Raises:
            ValueError: the file does not describe a machine, or the system has no prediction.
            OSError: the file cannot be read.

        References:
            Inda & Bisseling (2000), equation (3.9); Aykanat & Dervis, equations (2) to (7).

        Examples:
            >>> import nodewright as nw
            >>> cost = nw.fft(1024, 4).cost()
            >>> cost.exchanges, cost.words, cost.least.words
            (3, 576, 256)
        """
        return cost_of(self.lowered, machine, predict)

    def certify(
        self, seed: int = 0, *, ran: int = RANKS, listener: Listener | None = None
    ) -> Certificate:
        """Return the certificate of the source: verdicts on whether it computes what it declares.

        The source is evaluated, not executed. If the program was saved, the certificate is for that
        file.

        Args:
            seed: the seed of the random fields and vectors.
            ran: programs with up to this many ranks also run under mpiexec, and the results are
                compared bit for bit.
            listener: a function that is told about the progress.

        Returns:
            The certificate, with `holds`, `verdicts` by name, and `save()`.

        Raises:
            ValueError: the source uses something outside of the language of node programs.
        """
        if self.file:
            return certificate_calls.certify(self.file, seed, ran=ran, listener=listener)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{self.request.system}_{self.request.N}_{self.request.P}.py")
            path.write_text(self.text, encoding="utf-8")
            found = certificate_calls.certify(path, seed, ran=ran, listener=listener)
            return replace(found, beside=None)

    def save(self, path: str | Path) -> None:
        """Write the source to a file; the file appears complete or not at all.

        Args:
            path: the file, which is replaced if it exists.

        Raises:
            OSError: the file cannot be written.
        """
        write_text(file := call_arguments.path(path), self.text)
        self.file = file

    def run(self, x: ArrayLike, timeout: float | None = None) -> NDArray[Any]:
        """Return the transform of a whole vector or array; runs the program under mpiexec.

        Args:
            x: all elements in natural order, of shape (N,) or the shape of the array (for backward
                transforms to real numbers, of the half spectrum), and of the program's dtype or one
                that casts to it safely.
            timeout: the limit in seconds; None for no limit.

        Returns:
            All elements of the result in natural order.

        Raises:
            ValueError: x has another shape or dtype, or the program rejects it.
            RuntimeError: the program fails.
            FileNotFoundError: there is no mpiexec.
            TimeoutError: the program runs longer than `timeout`.
        """
        given, dtype = np.asarray(x), np.dtype(self.request.types[0])
        if given.dtype != dtype and np.can_cast(given.dtype, dtype, "safe"):
            given = given.astype(dtype)
        shape = self._resolved.request.files[0]
        if (given.shape, given.dtype) != (shape, dtype):
            size = f"shape {shape}" if self._resolved.is_shaped else f"{self.request.N} elements"
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
        """Return what `generate --json` prints: the request, the cost with numpy kernels, and the
        file if the program was saved, otherwise its source.
        """
        request = self.request
        return {
            "system": request.system,
            "size": request.N,
            "ranks": request.P,
            "lines": self.text.count("\n"),
            **({"file": str(self.file)} if self.file else {"text": self.text}),
            **asdict(counted.count(resolve(replace(request, kernels=KERNELS[0])))),
        }

    def drawing(self) -> Drawing:
        """Return a picture of the messages of each superstep, for `nw.figure`.

        Raises:
            ValueError: there are more than 256 ranks.
        """
        return flows.drawn(self.lowered)

    def _repr_html_(self) -> str:
        """Return the program as a notebook shows it."""
        shown = html.bold(self.command), flows.shown(self.lowered), html.code(self.text)
        return html.fragment(*shown)

    def __repr__(self) -> str:
        return f"Program({self.command!r})"


def transform(system: str, size: Any, ranks: Any, options: dict[str, Any], **more: Any) -> Program:
    """Return a program of a system; raise ValueError for an unknown option,
    naming the system of one that belongs to another system.

    >>> transform("rfft", 64, 2, {"output": "cyclic-pairs"}).request.dtype
    'float64'
    """
    words = known(options, of_programs(RECORDS[system]), system, OPTIONS)
    request = make_request(
        system, **shapes.stated(size, ranks, words.pop("batch", None)), **words, **more
    )
    return Program(request)
